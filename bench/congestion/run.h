/* run.h - one run of the experiment, and what is judged of it. */
#ifndef TROUPE_BENCH_CONGESTION_RUN_H
#define TROUPE_BENCH_CONGESTION_RUN_H

#include "client.h"
#include "house.h"
#include "route.h"

struct run {
    play_mode mode;
    unsigned polls; /* 0: no congestion */
    uint64_t seed;
    int64_t start_ns; /* when the client sends its first frame */
    int64_t arrivals[ROUTE_FRAMES];
    size_t arrival_count;
    struct house_notes notes;
    struct path path;
    uint32_t late, stalls, errors;
    bool complete; /* all frames were played, and nothing was refused */
    double held_s; /* by which its time was slowed */
    int answers;   /* to the neighbour */
    int64_t answer_ns;
    uint32_t neighbour_errors;
};

/* Play the route in a house of its own. run_free() releases what the run has. */
void run_play(struct run *out, play_mode mode, unsigned polls, uint64_t seed);
void run_free(struct run *run);

/* A run beside the run of the same mode without congestion. */
struct result {
    double distance;     /* discrete Frechet distance, as a part of the path's length */
    double gap_m;        /* between the start and the end of the path */
    double start_s;      /* from the first package to the first write at the port */
    double finish;       /* end of the motion as a ratio to the best possible */
    double acceleration; /* largest, as a ratio to the limit */
    bool slowed;
    bool same;    /* its writes are those of the other, shifted by a constant */
    bool unmoved; /* the neighbour has noticed nothing */
    double held_s;
    double right_s; /* how long the path is right, within half a percent of its length */
    uint32_t late, stalls;
};

void run_compare(struct result *out, const struct run *run, const struct run *reference);

#endif
