/* plan.h - what bench server measures, and for how long. */
#ifndef TROUPE_BENCH_SERVER_PLAN_H
#define TROUPE_BENCH_SERVER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_ROUNDS = 32, MOST_CLIENTS = 10000 };

typedef struct bench_plan {
    bool json;
    int rounds;
    int asks; /* requests in a round */
    int64_t warm_ns;
    int64_t window_ns;
    int patience_ms; /* with other processes; what is left of it */
    int starts;
    int holders; /* clients whose memory is measured */
    int clients; /* only delivery to so many is measured; 0 for everything */
    bool trips;  /* only round trips are measured */
    bool memory; /* only memory is measured */
    int laser;   /* only delivery by this laser of the subject is measured; -1 for all */
} bench_plan;

/* The plan that the arguments ask for; prints the help and ends the program if they ask for that or
 * are wrong. */
bench_plan plan_from(int argc, char **argv);

#endif
