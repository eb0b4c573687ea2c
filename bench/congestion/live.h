/*
 * live.h - the route in real time: a server in one network namespace, a client of the library in
 * another, and a link between them.
 */
#ifndef TROUPE_BENCH_CONGESTION_LIVE_H
#define TROUPE_BENCH_CONGESTION_LIVE_H

#include "client.h"
#include "house.h"
#include "tun.h"

/* What goes back from the process of a run. */
struct live_result {
    bool ok;
    char why[256];                       /* if not */
    int64_t start_ns, first_ns, last_ns; /* the client's first frame; the robot moves, and stands */
    uint32_t late, stalls;
    double held_s;
    size_t places;
};

/* Play the route in two new network namespaces. The process belongs to the run: it ends there. Only
 * the way is kept in the result's `places`. */
void live_play(play_mode mode, const struct channel *how, uint64_t seed, struct live_result *out,
               struct places *way);

#endif
