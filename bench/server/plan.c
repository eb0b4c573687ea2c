/* plan.c - the arguments of bench server; see plan.h. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "peer.h"
#include "troupe/clock.h"

static const char help[] =
    "usage: ./troupe bench server [--quick] [--json] [--rounds N] [--clients N | --trips | "
    "--memory]\n"
    "                            [--only paced|flat|lossless]\n\n"
    "Round trips of requests, delivery of 361-range scans to many clients, memory per client and\n"
    "start-up. The floors use the same sockets and libuv, and nothing else: ping-pong of the same\n"
    "bytes, one write per client for the scans that are due at 100 Hz, and writes of 64 KB flat "
    "out.\n\n"
    "  --rounds N   how often floor and server take turns\n"
    "  --clients N  only delivery, to this number of clients\n"
    "  --only WHAT  only delivery: at 100 Hz, flat out, or flat out without losses\n"
    "  --trips      only round trips\n"
    "  --memory     only memory per client\n";

static const bench_plan full_plan = {.rounds = 3,
                                     .asks = 4000,
                                     .warm_ns = 150 * TP_NS_PER_MS,
                                     .window_ns = 500 * TP_NS_PER_MS,
                                     .patience_ms = 15000,
                                     .starts = 15,
                                     .holders = 1000,
                                     .laser = -1};

static const bench_plan quick_plan = {.rounds = 1,
                                      .asks = 2000,
                                      .warm_ns = 150 * TP_NS_PER_MS,
                                      .window_ns = 300 * TP_NS_PER_MS,
                                      .patience_ms = 4000,
                                      .starts = 5,
                                      .holders = 1000,
                                      .laser = -1};

/* The value of an option that needs one, from 1 to `most`. */
static int number_of(const char *text, int most)
{
    const int number = text != NULL ? atoi(text) : 0;

    if (number < 1 || number > most) {
        bench_give_up("a number from 1 to %d is needed, not %s", most,
                      text != NULL ? text : "none");
    }
    return number;
}

/* The laser of the subject that an option names. */
static int laser_of(const char *text)
{
    static const char *const names[] = {
        [SUBJECT_PACED] = "paced", [SUBJECT_FLAT] = "flat", [SUBJECT_LOSSLESS] = "lossless"};

    for (int laser = SUBJECT_PACED; text != NULL && laser <= SUBJECT_LOSSLESS; laser++) {
        if (strcmp(text, names[laser]) == 0) {
            return laser;
        }
    }
    bench_give_up("paced, flat or lossless is needed, not %s", text != NULL ? text : "none");
}

/* Take what bench_wants_json() does not know out of the arguments. Returns how many are left. */
static int take_options(bench_plan *plan, int argc, char **argv)
{
    int kept = 1;
    int rounds = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            const bench_plan before = *plan;
            *plan = quick_plan;
            plan->clients = before.clients;
            plan->trips = before.trips;
            plan->memory = before.memory;
            plan->laser = before.laser;
        } else if (strcmp(argv[i], "--clients") == 0) {
            plan->clients = number_of(argv[++i], MOST_CLIENTS);
        } else if (strcmp(argv[i], "--only") == 0) {
            plan->laser = laser_of(argv[++i]);
        } else if (strcmp(argv[i], "--trips") == 0) {
            plan->trips = true;
        } else if (strcmp(argv[i], "--memory") == 0) {
            plan->memory = true;
        } else if (strcmp(argv[i], "--rounds") == 0) {
            rounds = number_of(argv[++i], MOST_ROUNDS);
        } else {
            argv[kept++] = argv[i];
        }
    }
    plan->rounds = rounds > 0 ? rounds : plan->rounds;
    return kept;
}

bench_plan plan_from(int argc, char **argv)
{
    bench_plan plan = full_plan;
    const int kept = take_options(&plan, argc, argv);

    plan.json = bench_wants_json(kept, argv, help);
    return plan;
}
