/*
 * stop.h - what the parts of the trial stop.c share: a lane, which makes one trial after the other
 * with a client of its own; the grief that comes over it (stop_client.c); and what came of it
 * (stop_outcome.c).
 */
#ifndef TROUPE_TRIALS_STOP_H
#define TROUPE_TRIALS_STOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "board.h"
#include "waits.h"

enum { MOST_LANES = 12, WORDS = 256, BLOCKER_SLOT = BOARD_SLOTS - 1 };

static const int64_t ms = 1000000;

/* One thing that the client said. */
struct word {
    _Atomic int64_t before_ns;
    _Atomic int64_t after_ns; /* 0 until it is sent */
    _Atomic int64_t heard_ns; /* 0 until it is answered */
};

/* What the processes of a lane share. */
struct lane {
    struct word words[WORDS];
    _Atomic unsigned word_count;
    _Atomic unsigned heard;                /* how many were answered */
    _Atomic bool moves;                    /* both bases do: no more commands are needed */
    _Atomic bool has_driven;               /* nor will there be any */
    _Atomic bool stall;                    /* the client is to have the loop stalled */
    _Atomic int64_t passing_ns, passed_ns; /* what the proxy sent last */
};

struct shared {
    struct lane lanes[MOST_LANES];
    _Atomic int left; /* trials that nobody has begun */
};

struct trial {
    struct shared *shared;
    board *board;
    pid_t server;
    unsigned port;
    unsigned lane;
    int64_t lease_ns;
    const char *how;
    int space;   /* the lane's network namespace; -1 for none */
    int control; /* a socket in it, to pull the cable */
    int witness; /* a client that only looks */
};

static inline bool trial_is(const struct trial *t, const char *how)
{
    return strcmp(t->how, how) == 0;
}

/* ---- stop_client.c --------------------------------------------------------------------------- */

/* Start the client of a trial, and the proxy if there is to be one, which is 0 otherwise. */
pid_t trial_start_client(const struct trial *t, pid_t *proxy);

/* What happens to the client, as the trial wants it. Then it is over, or as good as. */
void trial_bring_grief(const struct trial *t, pid_t client, pid_t proxy);

/* Nobody is left, and the cable is whole again. */
void trial_clear_up(const struct trial *t, pid_t client, pid_t proxy);

/* ---- stop_outcome.c -------------------------------------------------------------------------- */

struct outcome {
    waits waits; /* of the server, while all was well */
    int64_t begun_ns, grief_ns, took_ns;
    int64_t stop_ns; /* 0 for never */
    int64_t fake_ns; /* 0 for never */
    int64_t free_ns;
    unsigned after; /* moves after the stop */
    unsigned seen;  /* data of the fake */
    uint64_t next;  /* event of the slot */
    bool moved;
    bool driven; /* the client still commands it: a move after a stop takes the stop back */
    bool fake_moved;
};

/* Look what there is by now: on the board, and at one message of the fake's data, which is waited
 * for for a millisecond. */
void outcome_look_at_board(const struct trial *t, struct outcome *o);
void outcome_look_at_fake(const struct trial *t, struct outcome *o);

/* Until a time. */
void outcome_watch_until(const struct trial *t, struct outcome *o, int64_t until_ns);

/* Until both have stopped, or never will. */
void outcome_watch_it_stop(const struct trial *t, struct outcome *o);

/* When the loop was free again, by the events of the blocker from this one on. */
void outcome_find_free(const struct trial *t, uint64_t from, struct outcome *o);

void outcome_print(const struct trial *t, const struct lane *lane, const struct outcome *o);

#endif
