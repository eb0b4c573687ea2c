/*
 * board.h - what trials measure: memory in a file that the trial and the server under trial share.
 *
 * The server's plug-in (stopwatch.c) writes when each base was moved and stopped. Watches, threads
 * that only sleep for a millisecond, write when they were woken too late: what nobody could have
 * done in time on this machine at that moment. All times are nanoseconds of CLOCK_MONOTONIC, which
 * all processes share.
 */
#ifndef TROUPE_TRIALS_BOARD_H
#define TROUPE_TRIALS_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { BOARD_SLOTS = 16, BOARD_EVENTS = 1 << 14, BOARD_WATCHES = 6, BOARD_STALLS = 1 << 15 };

enum {
    BOARD_MOVE = 1, /* commanded to move; the value is its speed */
    BOARD_HALT,     /* stopped: the stop bytes are written */
    BOARD_PANIC,    /* the same, by a panic */
    BOARD_STOP,     /* the whole instance was stopped */
    BOARD_BUSY,     /* the loop is kept busy from now on */
    BOARD_FREE,     /* until now */
    BOARD_REFUSED,  /* a command to move that was refused at the line */
};

typedef struct board_event {
    int64_t at_ns;
    int64_t kind;
    double value;
} board_event;

/* Written by one thread, read by others. Only what clients cause is noted, nothing that happens by
 * itself: a trial that reads before it causes more cannot fall behind, however long it is held up.
 */
typedef struct board_slot {
    _Atomic uint64_t count;
    board_event events[BOARD_EVENTS];
} board_slot;

typedef struct board_watch {
    _Atomic int64_t latest_ns; /* when it was awake last; 0 for a watch that is not there */
    _Atomic bool ends;         /* tells it to */
    _Atomic uint64_t count;
    struct {
        int64_t woken_ns;
        int64_t late_ns;
    } stalls[BOARD_STALLS];
} board_watch;

typedef struct board {
    board_slot slots[BOARD_SLOTS];
    board_watch watches[BOARD_WATCHES];
} board;

int64_t board_now_ns(void);
void board_sleep_ns(int64_t ns);

/* Map the file, which is made if `create`; NULL on failure. */
board *board_open(const char *path, bool create);
void board_close(board *b);

void board_note(board *b, unsigned slot, int64_t kind, int64_t at_ns, double value);

/* The event with this number of a slot, if it has happened. False until then. Ends the program if
 * it was overwritten. */
bool board_read(const board *b, unsigned slot, uint64_t number, board_event *out);

/* Keep a watch until it is ended, on this processor (-1 for any). */
void board_keep_watch(board *b, unsigned watch, int processor);

void board_end_watch(board *b, unsigned watch);

/* Watches in this process, two on each of the first two processors; and their end. */
void board_begin_watches(board *b);
void board_end_watches(board *b);

/* The longest stall that any watch saw in this time; waits until all have looked. */
int64_t board_worst_stall(const board *b, int64_t from_ns, int64_t to_ns);

#endif
