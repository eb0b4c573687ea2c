/*
 * peers_bench.c - Troupe beside other systems that bring one source to many readers.
 *
 * Every system sends the same scans on the loopback interface. Its processes run on one core, the
 * readers on another. The systems take turns in short rounds; the figures are medians over the
 * rounds, and ratios are against the floor of the same run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "peers/readers.h"
#include "peers/system.h"
#include "server/dial.h"
#include "server/machine.h"
#include "server/spread.h"
#include "troupe/clock.h"
#include "troupe/server.h"

static const char help[] =
    "usage: ./troupe bench peers [--quick] [--json] [--readers N] [--system NAMES]\n"
    "                           [--only flat|paced|trips] [--late-acks]\n\n"
    "Scans of 361 ranges to many readers by Troupe, Redis, ZeroMQ, nng and mosquitto, and by\n"
    "plain sockets (the floor): flat out, and at 100 Hz. Round trips of requests by Troupe and\n"
    "Redis.\n\n"
    "  --readers N     only this number of readers\n"
    "  --system NAMES  only these systems (Troupe,Redis) and the floor\n"
    "  --only WHAT     only delivery flat out, delivery at 100 Hz, or round trips\n"
    "  --late-acks     readers acknowledge every second message when it comes, instead of each\n"
    "                  one when it is read\n";

enum {
    MOST_ROUNDS = 32,
    PACED_WINDOWS = 4 /* of 60 scans one that is late would be the 99th percentile */
};

static const bench_system *const systems[] = {&bench_floor,  &bench_troupe, &bench_redis,
                                              &bench_zeromq, &bench_nng,    &bench_mosquitto};
enum { SYSTEMS = sizeof systems / sizeof systems[0] };

struct plan {
    bool json;
    int rounds;
    int asks;
    int64_t warm_ns, window_ns;
    int patience_ms; /* with other processes; what is left of it */
    bool late_acks;
    int readers;      /* 0 for all numbers of readers */
    const char *only; /* names of systems; NULL for all */
    const char *what; /* flat, paced or trips; NULL for all of them */
};

static const struct plan full_plan = {.rounds = 5,
                                      .asks = 4000,
                                      .warm_ns = 200 * TP_NS_PER_MS,
                                      .window_ns = 600 * TP_NS_PER_MS,
                                      .patience_ms = 20000};
static const struct plan quick_plan = {.rounds = 1,
                                       .asks = 1000,
                                       .warm_ns = 150 * TP_NS_PER_MS,
                                       .window_ns = 300 * TP_NS_PER_MS,
                                       .patience_ms = 3000};

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

/* ---- Figures -----------------------------------------------------------------------------------
 */

enum { PER_SECOND, AGE_P50, AGE_P99, CPU, FIGURES };

static const char *const figure_names[FIGURES] = {"msgs_per_s", "age_p50_us", "age_p99_us",
                                                  "cpu_us_msg"};

struct results {
    double values[SYSTEMS][FIGURES][MOST_ROUNDS];
};

static void print_head(const struct plan *plan, const char *const names[], int count)
{
    if (plan->json) {
        return;
    }
    printf("\n%-16s %-12s %-10s", "what", "with", "system");
    for (int i = 0; i < count; i++) {
        printf(" %12s %8s", names[i], "x floor");
    }
    putchar('\n');
}

static void print_row(const struct plan *plan, const char *what, const char *with,
                      const char *system, const char *const names[], const double *values,
                      const double *floors, int count)
{
    if (plan->json) {
        printf("{\"what\":\"%s\",\"with\":\"%s\",\"system\":\"%s\"", what, with, system);
        for (int i = 0; i < count; i++) {
            printf(",\"%s\":%.3f,\"%s_ratio\":%.3f", names[i], values[i], names[i],
                   values[i] / floors[i]);
        }
        puts("}");
        return;
    }
    printf("%-16s %-12s %-10s", what, with, system);
    for (int i = 0; i < count; i++) {
        printf(values[i] < 1000 ? " %12.2f %8.2f" : " %12.0f %8.2f", values[i],
               values[i] / floors[i]);
    }
    putchar('\n');
}

/* Whether a system is to be measured. The floor always is. */
static bool is_wanted(const struct plan *plan, const bench_system *system)
{
    return plan->only == NULL || system == &bench_floor || strstr(plan->only, system->name) != NULL;
}

/* ---- Delivery ----------------------------------------------------------------------------------
 */

static void deliver(struct plan *plan, const bench_system *system, int count, bool flat,
                    double out[FIGURES])
{
    static bench_spread ages;
    const int64_t window_ns = (flat ? 1 : PACED_WINDOWS) * plan->window_ns;
    bench_peer peer;

    machine_wait_until_quiet(&plan->patience_ms);
    peer_start(&peer, system->run, flat ? SOURCE_FLAT : SOURCE_PACED);
    bench_crowd *readers = readers_join(system, peer.flow->port, count, flat);
    readers_acknowledge(readers, !plan->late_acks);
    atomic_store(&peer.flow->on, true);
    crowd_read(readers, now_ns() + plan->warm_ns, &ages);
    memset(&ages, 0, sizeof ages);
    const int64_t cpu_ns = peer_cpu_ns(&peer);
    const int64_t start_ns = now_ns();
    const uint64_t read = crowd_read(readers, start_ns + window_ns, &ages);
    const double used_ns = (double)(peer_cpu_ns(&peer) - cpu_ns);

    out[PER_SECOND] = (double)read / (double)(now_ns() - start_ns) * 1e9;
    out[AGE_P50] = spread_quantile(&ages, 0.5) / 1e3;
    out[AGE_P99] = spread_quantile(&ages, 0.99) / 1e3;
    out[CPU] = read > 0 ? used_ns / (double)read / 1e3 : (double)NAN;
    crowd_close(readers);
    peer_end(&peer);
}

static void measure_delivery(struct plan *plan, int count, bool flat)
{
    static struct results results;
    double floors[FIGURES];
    char with[32];

    for (int round = 0; round < plan->rounds; round++) {
        for (int s = 0; s < SYSTEMS; s++) {
            double figures[FIGURES];
            if (!is_wanted(plan, systems[s])) {
                continue;
            }
            deliver(plan, systems[s], count, flat, figures);
            for (int i = 0; i < FIGURES; i++) {
                results.values[s][i][round] = figures[i];
            }
        }
    }
    snprintf(with, sizeof with, "%d reader%s", count, count > 1 ? "s" : "");
    print_head(plan, figure_names, FIGURES);
    for (int s = 0; s < SYSTEMS; s++) {
        double figures[FIGURES];
        if (!is_wanted(plan, systems[s])) {
            continue;
        }
        for (int i = 0; i < FIGURES; i++) {
            figures[i] = spread_median(results.values[s][i], plan->rounds);
        }
        if (s == 0) {
            memcpy(floors, figures, sizeof floors);
        }
        print_row(plan, flat ? "scans flat out" : "scans at 100 Hz", with, systems[s]->name,
                  figure_names, figures, floors, FIGURES);
    }
}

/* ---- Round trips -------------------------------------------------------------------------------
 */

static void ask(const bench_system *system, int fd, int times, bench_spread *trips)
{
    char answer[GEOM_SIZE];

    for (int i = 0; i < times; i++) {
        const int64_t asked_ns = now_ns();
        dial_send(fd, system->ask, HEADER_SIZE);
        dial_receive(fd, answer, sizeof answer);
        spread_add(trips, now_ns() - asked_ns);
    }
}

static void ask_system(struct plan *plan, const bench_system *system, double *p50_us,
                       double *p99_us)
{
    static bench_spread trips;
    bench_peer peer;

    machine_wait_until_quiet(&plan->patience_ms);
    peer_start(&peer, system->run, SOURCE_SILENT);
    const int fd = source_connect(peer.flow->port);
    system->meet(fd);
    ask(system, fd, plan->asks / 10, &trips);
    memset(&trips, 0, sizeof trips);
    ask(system, fd, plan->asks, &trips);
    *p50_us = spread_quantile(&trips, 0.5) / 1e3;
    *p99_us = spread_quantile(&trips, 0.99) / 1e3;
    close(fd);
    peer_end(&peer);
}

static void measure_round_trips(struct plan *plan)
{
    static const char *const names[] = {"p50_us", "p99_us"};
    double p50_us[SYSTEMS][MOST_ROUNDS], p99_us[SYSTEMS][MOST_ROUNDS];
    double floors[2] = {0};

    for (int round = 0; round < plan->rounds; round++) {
        for (int s = 0; s < SYSTEMS; s++) {
            if (systems[s]->ask != NULL && is_wanted(plan, systems[s])) {
                ask_system(plan, systems[s], &p50_us[s][round], &p99_us[s][round]);
            }
        }
    }
    print_head(plan, names, 2);
    for (int s = 0; s < SYSTEMS; s++) {
        if (systems[s]->ask == NULL || !is_wanted(plan, systems[s])) {
            continue;
        }
        const double figures[2] = {spread_median(p50_us[s], plan->rounds),
                                   spread_median(p99_us[s], plan->rounds)};
        if (s == 0) {
            memcpy(floors, figures, sizeof floors);
        }
        print_row(plan, "round trip", "1 client", systems[s]->name, names, figures, floors, 2);
    }
}

/* ---- Everything --------------------------------------------------------------------------------
 */

static void print_legend(void)
{
    puts("\nmsgs_per_s: messages that all readers together have read per second. age: from the "
         "stamp\n"
         "of the source to the read, in us. cpu_us_msg: processor time of source and server for a\n"
         "message to one reader. x floor: the figure divided by that of the floor. All readers\n"
         "acknowledge alike: who pays for it otherwise depends on who spoke first. Requests have "
         "40\n"
         "bytes and answers 112; Redis is asked for a value of that size.\n");
    for (int s = 0; s < SYSTEMS; s++) {
        printf("%-10s %s\n", systems[s]->name, systems[s]->setting);
    }
}

/* Take what bench_wants_json() does not know out of the arguments. Returns how many are left. */
static int take_options(struct plan *plan, int argc, char **argv)
{
    int kept = 1;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            plan->rounds = quick_plan.rounds;
            plan->asks = quick_plan.asks;
            plan->warm_ns = quick_plan.warm_ns;
            plan->window_ns = quick_plan.window_ns;
            plan->patience_ms = quick_plan.patience_ms;
        } else if (strcmp(argv[i], "--late-acks") == 0) {
            plan->late_acks = true;
        } else if (strcmp(argv[i], "--readers") == 0 && i + 1 < argc) {
            plan->readers = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
            plan->what = argv[++i];
        } else if (strcmp(argv[i], "--system") == 0 && i + 1 < argc) {
            plan->only = argv[++i];
        } else {
            argv[kept++] = argv[i];
        }
    }
    return kept;
}

static bool is_asked(const struct plan *plan, const char *what)
{
    return plan->what == NULL || strcmp(plan->what, what) == 0;
}

/* Delivery to the number of readers that is asked for, or to some. */
static void measure_deliveries(struct plan *plan, bool flat)
{
    static const int counts[] = {1, 10, 100, 500};

    for (size_t i = 0; plan->readers <= 0 && i < sizeof counts / sizeof counts[0]; i++) {
        measure_delivery(plan, counts[i], flat);
    }
    if (plan->readers > 0) {
        measure_delivery(plan, plan->readers, flat);
    }
}

int main(int argc, char **argv)
{
    struct plan plan = full_plan;
    const int kept = take_options(&plan, argc, argv);

    plan.json = bench_wants_json(kept, argv, help);
    tp_server_raise_limits();
    machine_pin(CLIENT_CORE);
    for (int flat = 1; flat >= 0; flat--) {
        if (is_asked(&plan, flat == 1 ? "flat" : "paced")) {
            measure_deliveries(&plan, flat == 1);
        }
    }
    if (is_asked(&plan, "trips")) {
        measure_round_trips(&plan);
    }
    if (!plan.json) {
        print_legend();
    }
    if (plan.patience_ms <= 0) {
        fputs("bench: other processes kept the machine busy; these figures are rough\n", stderr);
    }
    return 0;
}
