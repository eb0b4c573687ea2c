/*
 * client.h - clients of the motion protocol in the house: the one that plays the route over the
 * slow reader, and a neighbour that must not notice it.
 */
#ifndef TROUPE_BENCH_CONGESTION_CLIENT_H
#define TROUPE_BENCH_CONGESTION_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motion/package.h"

/* How the route is played. */
typedef enum play_mode {
    PLAY_DIRECT,   /* the next frame is sent when the one before has started */
    PLAY_DELAY,    /* the client adds 10 s to each time */
    PLAY_PLAYBACK, /* with our estimate */
    PLAY_ADAPTIVE,
    PLAY_PAPER, /* playback with the estimate of the paper */
    PLAY_MODES,
} play_mode;

/* "direct" ... "paper". */
const char *play_name(play_mode mode);

/* A connection. */
struct line {
    int fd;
    uint8_t bytes[1 << 17]; /* what has come */
    size_t length;
    uint8_t out[1 << 17]; /* what waits until the kernel takes it */
    size_t waiting;
};

struct player {
    struct line line;
    play_mode mode;
    int64_t start_ns; /* of its first frame */
    int64_t clock_ns; /* what the server's clock is ahead of its own */
    int next;         /* frame */
    bool waits;       /* direct: for the start of the last frame */
    bool begun, ended, over;
    int64_t over_ns; /* when it learned that the last frame has ended */
    uint32_t errors; /* signals beyond MODIFIED */
    tpi_motion_summary summary;
    tpi_motion_queues queues;
};

/* Connect, say HELLO and compare the clocks. The reader of this client is the slow one. */
void player_open(struct player *p, play_mode mode);
void player_start(struct player *p, int64_t start_ns);

/* When it has something to send; TP_NEVER for never. */
int64_t player_next(const struct player *p);

/* Read what has come, and send what is due; true if it has sent something. */
bool player_turn(struct player *p);
void player_close(struct player *p);

/* A client that moves the head with a frame every 0.1 s, half a second ahead, and asks for the
 * clock in between. */
struct neighbour {
    struct line line;
    int64_t start_ns, asked_ns;
    int frame, question, answers;
    int64_t longest_ns; /* between a question and its answer */
    uint32_t errors;
};

void neighbour_open(struct neighbour *n);
void neighbour_start(struct neighbour *n, int64_t start_ns);
int64_t neighbour_next(const struct neighbour *n);
bool neighbour_turn(struct neighbour *n);
void neighbour_close(struct neighbour *n);

#endif
