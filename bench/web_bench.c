/*
 * web_bench.c - the web front beside the Player front.
 *
 * One server has both fronts. Scans of 361 ranges and intensities go to clients of one, then of the
 * other, in turns; the figures are medians over the rounds. The server is a process of its own on
 * one core, the clients are this process on another. The age of a message is the time it was read
 * minus its time stamp. At 100 Hz nothing is lost; flat out a client gets as many as it can read.
 *
 * An intensity has one byte in the Player protocol and four in CDR, and numbers are text in JSON.
 * Scans of ranges only have the same bytes in CDR as in the Player protocol: they compare the
 * fronts, the others compare the forms too.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "server/clients.h"
#include "server/machine.h"
#include "server/peer.h"
#include "server/spread.h"
#include "server/table.h"
#include "troupe/clock.h"
#include "troupe/interfaces/laser.h"
#include "troupe/server.h"
#include "web/sockets.h"

enum { MOST_ROUNDS = 16, FIRST_LASER = 3 }; /* number of laser:0 in the list of devices */
enum { PLAYER, JSON, CDR, FRONTS };
enum { PER_SECOND, AGE_P50, AGE_P99, CPU, BYTES, MEGABYTES, FIGURES };

static const char help[] =
    "usage: ./troupe bench web [--quick] [--json] [--clients N] [--flat]\n\n"
    "Delivers 361-range scans to 1, 10, 100 and 500 WebSocket clients, in JSON and in CDR, beside "
    "as\n"
    "many clients of the Player front of the same server. The column behind each figure is the\n"
    "Player front's.\n\n"
    "  --clients N   only so many clients\n"
    "  --flat        only as many scans as the server takes, none at 100 Hz\n";

static const char *const figure_names[] = {"msgs_per_s", "age_p50_us",  "age_p99_us",
                                           "cpu_us_msg", "frame_bytes", "mb_per_s"};

struct plan {
    bool json;
    int rounds;
    int64_t warm_ns, window_ns;
    int patience_ms;
    int only;  /* so many clients; 0 for all numbers */
    bool flat; /* only flat out */
};

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

static unsigned channel_of(int front, int laser)
{
    return (unsigned)(FIRST_LASER + laser) * 1024 + (front == CDR ? 256 : 0) + TP_LASER_DATA_SCAN;
}

/* Clients of one of the fronts. */
struct readers {
    bench_crowd *clients;
    bench_sockets *sockets;
};

static uint64_t read_for(const struct readers *readers, int64_t ns, bench_spread *ages)
{
    const int64_t until_ns = now_ns() + ns;

    return readers->clients != NULL ? crowd_read(readers->clients, until_ns, ages)
                                    : sockets_read(readers->sockets, until_ns, ages);
}

static void deliver(struct plan *plan, int front, int count, int laser, double out[FIGURES])
{
    static bench_spread ages;
    struct readers readers = {NULL, NULL};
    bench_peer peer;

    machine_wait_until_quiet(&plan->patience_ms);
    peer_start(&peer, subject_main, SUBJECT_WITH_WEB);
    if (front == PLAYER) {
        readers.clients = clients_connect(peer.flow->port, count, false);
        clients_open_device(readers.clients, TP_LASER_CODE, (unsigned)laser);
    } else {
        readers.sockets = sockets_connect(peer.flow->web_port, count, channel_of(front, laser));
        (void)read_for(&readers, 200 * TP_NS_PER_MS, NULL); /* what it advertises */
    }
    atomic_store(&peer.flow->on, true);
    (void)read_for(&readers, plan->warm_ns, NULL);
    memset(&ages, 0, sizeof ages);
    const int64_t cpu_ns = peer_cpu_ns(&peer), start_ns = now_ns();
    const uint64_t read = read_for(&readers, plan->window_ns, &ages);
    const double spent_ns = (double)(now_ns() - start_ns);

    out[PER_SECOND] = (double)read / spent_ns * 1e9;
    out[AGE_P50] = spread_quantile(&ages, 0.5) / 1e3;
    out[AGE_P99] = spread_quantile(&ages, 0.99) / 1e3;
    out[CPU] = read > 0 ? (double)(peer_cpu_ns(&peer) - cpu_ns) / (double)read / 1e3 : (double)NAN;
    out[BYTES] = front != PLAYER           ? sockets_frame_bytes(readers.sockets)
                 : laser == SUBJECT_RANGES ? RANGES_SIZE
                                           : SCAN_SIZE;
    out[MEGABYTES] = out[PER_SECOND] * out[BYTES] / 1e6;
    if (readers.clients != NULL) {
        crowd_close(readers.clients);
    } else {
        sockets_close(readers.sockets);
    }
    peer_end(&peer);
}

static void note_goals(const table_row *row, int front, int count, int laser)
{
    const table_figure *figures = row->figures;
    const char *form = front == JSON ? "JSON" : "CDR";
    char what[96];

    if (laser != SUBJECT_PACED) {
        snprintf(what, sizeof what, "frames/s%s flat out to %d in %s, over the Player front's",
                 laser == SUBJECT_RANGES ? " of ranges" : "", count, form);
        table_at_least(what, figures[PER_SECOND].ours / figures[PER_SECOND].floor, 0.8);
    } else if (count == 100) {
        snprintf(what, sizeof what, "p99 age at 100 Hz to 100 in %s, over the Player front's",
                 form);
        table_at_most(what, figures[AGE_P99].ours / figures[AGE_P99].floor, 1.5);
    }
}

static const char *name_of(int laser)
{
    return laser == SUBJECT_PACED  ? "scans at 100 Hz"
           : laser == SUBJECT_FLAT ? "scans flat out"
                                   : "ranges flat out";
}

static void measure(struct plan *plan, int count, int laser)
{
    static double figures[FRONTS][FIGURES][MOST_ROUNDS];
    double medians[FRONTS][FIGURES];

    for (int round = 0; round < plan->rounds; round++) {
        for (int front = 0; front < FRONTS; front++) {
            double out[FIGURES];
            deliver(plan, front, count, laser, out);
            for (int i = 0; i < FIGURES; i++) {
                figures[front][i][round] = out[i];
            }
        }
    }
    for (int front = 0; front < FRONTS; front++) {
        for (int i = 0; i < FIGURES; i++) {
            medians[front][i] = spread_median(figures[front][i], plan->rounds);
        }
    }
    for (int front = JSON; front < FRONTS; front++) {
        char with[32];
        table_row row = {.name = name_of(laser), .with = with, .count = FIGURES};

        snprintf(with, sizeof with, "%d, %s", count, front == JSON ? "JSON" : "CDR");
        for (int i = 0; i < FIGURES; i++) {
            row.figures[i] = (table_figure){figure_names[i], medians[front][i], medians[PLAYER][i]};
        }
        table_print(plan->json, &row);
        note_goals(&row, front, count, laser);
    }
}

static struct plan plan_from(int argc, char **argv)
{
    struct plan plan = {.rounds = 3,
                        .warm_ns = 150 * TP_NS_PER_MS,
                        .window_ns = 500 * TP_NS_PER_MS,
                        .patience_ms = 15000};
    int kept = 1;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            plan.rounds = 1;
            plan.patience_ms = 4000;
        } else if (strcmp(argv[i], "--flat") == 0) {
            plan.flat = true;
        } else if (strcmp(argv[i], "--clients") == 0 && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            plan.only = atoi(argv[++i]);
        } else {
            argv[kept++] = argv[i];
        }
    }
    plan.json = bench_wants_json(kept, argv, help);
    return plan;
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 10, 100, 500};
    static const int lasers[] = {SUBJECT_PACED, SUBJECT_FLAT, SUBJECT_RANGES};
    struct plan plan = plan_from(argc, argv);

    tp_server_raise_limits();
    machine_pin(CLIENT_CORE);
    for (size_t k = plan.flat ? 1 : 0; k < sizeof lasers / sizeof lasers[0]; k++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0] && plan.only == 0; i++) {
            measure(&plan, counts[i], lasers[k]);
        }
        if (plan.only > 0) {
            measure(&plan, plan.only, lasers[k]);
        }
    }
    table_print_goals(plan.json);
    if (plan.patience_ms <= 0) {
        fputs("bench: other processes kept the machine busy; these figures are rough\n", stderr);
    }
    return 0;
}
