/* peer.h - the same world in Stage: a program that was built outside of this tree (stage.cc). */
#ifndef TROUPE_BENCH_SIM_PEER_H
#define TROUPE_BENCH_SIM_PEER_H

#include <stdbool.h>

struct bench_peer {
    double load_ms;         /* CPU */
    double cpu_ms, wall_ms; /* of a step */
};

/* Run the program on a world file, for some steps and at least `round_ms`. False if it fails or
 * takes longer than a few minutes. */
bool peer_measure(const char *program, const char *world, int steps, double round_ms,
                  struct bench_peer *out);

#endif
