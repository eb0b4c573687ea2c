/*
 * server_bench.c - the whole server against what the machine can do at all.
 *
 * The server and its floors (plain sockets on libuv) are processes of their own on one core, the
 * clients are this process on another. Floor and server take turns in short rounds; the figures are
 * medians over the rounds. The age of a message is the time it was read minus its time stamp.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "server/clients.h"
#include "server/machine.h"
#include "server/peer.h"
#include "server/plan.h"
#include "server/spread.h"
#include "server/table.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/server.h"

enum { RING = 1024 };

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

/* ---- Round trips ----------------------------------------------------------------------------- */

enum { FLOOR, ON_LOOP, THREADED, ASKED };

struct round_trips {
    double p50_us[ASKED][MOST_ROUNDS];
    double p99_us[ASKED][MOST_ROUNDS];
};

static void ask_round(bench_plan *plan, const int fds[ASKED], int round, struct round_trips *out)
{
    for (int who = 0; who < ASKED; who++) {
        static bench_spread times;
        machine_wait_until_quiet(&plan->patience_ms);
        const unsigned index = who == THREADED ? 1 : 0;
        client_ask(fds[who], index, plan->asks / 10, &times);
        memset(&times, 0, sizeof times);
        client_ask(fds[who], index, plan->asks, &times);
        out->p50_us[who][round] = spread_quantile(&times, 0.5) / 1e3;
        out->p99_us[who][round] = spread_quantile(&times, 0.99) / 1e3;
    }
}

static void report_round_trips(const bench_plan *plan, struct round_trips *trips, int who,
                               const char *with)
{
    const char *name = who == ON_LOOP ? "request, on-loop" : "request, threaded";
    const table_row row = {.name = name,
                           .with = with,
                           .count = 2,
                           .figures = {{"p50_us", spread_median(trips->p50_us[who], plan->rounds),
                                        spread_median(trips->p50_us[FLOOR], plan->rounds)},
                                       {"p99_us", spread_median(trips->p99_us[who], plan->rounds),
                                        spread_median(trips->p99_us[FLOOR], plan->rounds)}}};
    char goal[80];

    table_print(plan->json, &row);
    snprintf(goal, sizeof goal, "p50 of a %s, %s, over its floor", name, with);
    table_at_most(goal, row.figures[0].ours / row.figures[0].floor, who == ON_LOOP ? 1.3 : 2.5);
}

static void measure_round_trips(bench_plan *plan, int core, const char *with)
{
    bench_peer floor;
    bench_peer subject;
    int fds[ASKED];
    struct round_trips trips;

    peer_start(&floor, floor_main, FLOOR_ANSWERS);
    peer_start(&subject, subject_main, 0);
    fds[FLOOR] = client_connect(floor.flow->port, false);
    for (int who = ON_LOOP; who < ASKED; who++) {
        fds[who] = client_connect(subject.flow->port, false);
        client_open_device(fds[who], TP_POSITION2D_CODE, who == THREADED ? 1 : 0);
    }
    machine_pin(core);
    for (int round = 0; round < plan->rounds; round++) {
        ask_round(plan, fds, round, &trips);
    }
    machine_pin(CLIENT_CORE);
    report_round_trips(plan, &trips, ON_LOOP, with);
    report_round_trips(plan, &trips, THREADED, with);
    for (int who = 0; who < ASKED; who++) {
        close(fds[who]);
    }
    peer_end(&floor);
    peer_end(&subject);
}

/* ---- Delivery -------------------------------------------------------------------------------- */

/* In the order of the columns. */
enum { PER_SECOND, AGE_P50, AGE_P99, CPU, DROPPED, DELIVERY_FIGURES };

static const char *const delivery_names[] = {"msgs_per_s", "age_p50_us", "age_p99_us", "cpu_us_msg",
                                             "dropped_pct"};

/* What was lost of all that was made: to know it exactly, wait for the last ones. Flat out that
 * would take too long, and what is under way does not change much any more. */
static double percent_dropped(bench_crowd *all, const bench_peer *peer, int count, bool flat,
                              uint64_t delivered, uint64_t made)
{
    if (!flat) {
        atomic_store(&peer->flow->on, false);
        delivered += crowd_read(all, now_ns() + 50 * TP_NS_PER_MS, NULL);
    }
    const double wanted = (double)made * count;
    return wanted > 0 ? fmax(0, 100 * (1 - (double)delivered / wanted)) : 0;
}

static void deliver(const bench_plan *plan, const bench_peer *peer, bench_crowd *all, int count,
                    bool flat, double out[DELIVERY_FIGURES])
{
    static bench_spread ages;

    atomic_store(&peer->flow->on, true);
    if (flat) { /* whether readers ever fall behind is luck, and a factor of two: let them */
        machine_rest_ms(100);
    }
    const uint64_t warm = crowd_read(all, now_ns() + plan->warm_ns, &ages);
    memset(&ages, 0, sizeof ages);
    const uint64_t made = atomic_load(&peer->flow->made);
    const int64_t cpu_ns = peer_cpu_ns(peer);
    const int64_t start_ns = now_ns();
    const uint64_t read = crowd_read(all, start_ns + plan->window_ns, &ages);
    const double spent_ns = (double)(now_ns() - start_ns);
    const double used_ns = (double)(peer_cpu_ns(peer) - cpu_ns);
    const uint64_t made_all = atomic_load(&peer->flow->made);

    out[PER_SECOND] = (double)read / spent_ns * 1e9;
    out[AGE_P50] = spread_quantile(&ages, 0.5) / 1e3;
    out[AGE_P99] = spread_quantile(&ages, 0.99) / 1e3;
    out[CPU] = read > 0 ? used_ns / (double)read / 1e3 : (double)NAN;
    out[DROPPED] = percent_dropped(all, peer, count, flat, flat ? read : read + warm,
                                   flat ? made_all - made : made_all);
}

static void deliver_by(bench_plan *plan, bool floor, int count, int laser,
                       double out[DELIVERY_FIGURES])
{
    const bool flat = laser != SUBJECT_PACED;
    bench_peer peer;

    machine_wait_until_quiet(&plan->patience_ms);
    if (floor) {
        peer_start(&peer, floor_main, flat ? FLOOR_FLAT : FLOOR_PACED);
    } else {
        peer_start(&peer, subject_main, 0);
    }
    bench_crowd *all = clients_connect(peer.flow->port, count, false);
    if (floor) {
        clients_ask(all);
    } else {
        clients_open_device(all, TP_LASER_CODE, (unsigned)laser);
    }
    deliver(plan, &peer, all, count, flat, out);
    crowd_close(all);
    peer_end(&peer);
}

static void note_delivery_goals(const table_row *row, int count, int laser)
{
    const table_figure *figures = row->figures;

    if (count == 100 && laser == SUBJECT_FLAT) {
        table_at_least("flat out to 100 clients, part of 64 KB writes",
                       figures[PER_SECOND].ours / figures[PER_SECOND].floor, 0.6);
    } else if (count == 100 && laser == SUBJECT_PACED) {
        table_at_most("p99 age at 100 Hz to 100 clients, over its floor",
                      figures[AGE_P99].ours / figures[AGE_P99].floor, 1.5);
    }
}

/* By the laser of the subject with this index; a floor loses nothing flat out. */
static void measure_delivery(bench_plan *plan, int count, int laser)
{
    static const char *const names[] = {[SUBJECT_PACED] = "scans at 100 Hz",
                                        [SUBJECT_FLAT] = "scans flat out",
                                        [SUBJECT_LOSSLESS] = "scans, lossless"};
    double ours[DELIVERY_FIGURES][MOST_ROUNDS];
    double floors[DELIVERY_FIGURES][MOST_ROUNDS];
    char with[32];
    table_row row = {.name = names[laser], .with = with, .count = DELIVERY_FIGURES};

    snprintf(with, sizeof with, "%d client%s", count, count > 1 ? "s" : "");
    for (int round = 0; round < plan->rounds; round++) {
        double of_floor[DELIVERY_FIGURES];
        double of_ours[DELIVERY_FIGURES];
        deliver_by(plan, true, count, laser, of_floor);
        deliver_by(plan, false, count, laser, of_ours);
        for (int i = 0; i < DELIVERY_FIGURES; i++) {
            floors[i][round] = of_floor[i];
            ours[i][round] = of_ours[i];
        }
    }
    for (int i = 0; i < DELIVERY_FIGURES; i++) {
        row.figures[i] =
            (table_figure){delivery_names[i], spread_median(ours[i], plan->rounds),
                           i == DROPPED ? (double)NAN : spread_median(floors[i], plan->rounds)};
    }
    table_print(plan->json, &row);
    note_delivery_goals(&row, count, laser);
}

/* ---- Requests while others fall behind ------------------------------------------------------- */

/* Let scans flow until every client that does not read has its queue full, and go on. */
static void let_queues_fill(const bench_peer *peer)
{
    const unsigned long enough = atomic_load(&peer->flow->made) + 2 * RING;

    atomic_store(&peer->flow->on, true);
    while (atomic_load(&peer->flow->made) < enough) {
        machine_rest_ms(1);
    }
}

static void measure_requests_under_load(bench_plan *plan, int count)
{
    static bench_spread quiet;
    static bench_spread loaded;
    bench_peer peer;
    char with[32];
    const int asks = plan->asks / 20;

    machine_wait_until_quiet(&plan->patience_ms);
    peer_start(&peer, subject_main, 0);
    const int fd = client_connect(peer.flow->port, false);
    client_open_device(fd, TP_POSITION2D_CODE, 1);
    client_ask(fd, 1, asks, &quiet);
    bench_crowd *all = clients_connect(peer.flow->port, count, true);
    clients_open_device(all, TP_LASER_CODE, SUBJECT_FLAT);
    let_queues_fill(&peer);
    client_ask(fd, 1, asks, &loaded);
    snprintf(with, sizeof with, "%d behind", count);
    const table_row row = {
        .name = "request, flat out",
        .with = with,
        .count = 2,
        .figures = {
            {"p50_us", spread_quantile(&loaded, 0.5) / 1e3, spread_quantile(&quiet, 0.5) / 1e3},
            {"p99_us", spread_quantile(&loaded, 0.99) / 1e3, spread_quantile(&quiet, 0.99) / 1e3}}};
    table_print(plan->json, &row);
    close(fd);
    crowd_close(all);
    peer_end(&peer);
}

/* ---- Encodings, memory, start-up ------------------------------------------------------------- */

static void measure_encodings(const bench_plan *plan)
{
    bench_peer peer;

    peer_start(&peer, subject_count_encodings, 0);
    const table_row row = {.name = "encodings of a scan",
                           .with = "100 clients",
                           .count = 1,
                           .figures = {{"encodings", peer.flow->result, 1}}};
    table_print(plan->json, &row);
    table_at_most("encodings of a scan for 100 clients", peer.flow->result, 1);
    peer_end(&peer);
}

/* Let scans flow until the ring of every client that does not read is full, then stop. */
static void fill_rings(const bench_peer *peer)
{
    let_queues_fill(peer);
    atomic_store(&peer->flow->on, false);
    machine_rest_ms(300);
}

/* What the first clients make it allocate is not what each further one costs. */
static void warm_up(const bench_peer *peer, bool subscribed)
{
    bench_crowd *few = clients_connect(peer->flow->port, 8, true);

    if (subscribed) {
        clients_open_device(few, TP_LASER_CODE, SUBJECT_FLAT);
        fill_rings(peer);
    }
    crowd_close(few);
    machine_rest_ms(100);
}

static double memory_per_client(const bench_plan *plan, peer_main *run, bool subscribed)
{
    bench_peer peer;

    peer_start(&peer, run, FLOOR_ANSWERS);
    warm_up(&peer, subscribed);
    int witness = client_connect(peer.flow->port, true);
    const double before = peer_memory_bytes(&peer);
    bench_crowd *all = clients_connect(peer.flow->port, plan->holders, true);
    if (subscribed) {
        client_open_device(witness, TP_LASER_CODE, SUBJECT_FLAT);
        clients_open_device(all, TP_LASER_CODE, SUBJECT_FLAT);
        fill_rings(&peer);
    }
    const double after = peer_memory_bytes(&peer);
    if (subscribed) {
        client_read_scans(witness, RING);
    }
    close(witness);
    crowd_close(all);
    peer_end(&peer);
    return (after - before) / plan->holders;
}

static void measure_memory(const bench_plan *plan, bool subscribed)
{
    const table_row row = {
        .name = subscribed ? "memory, ring full" : "memory, idle",
        .with = "1000 clients",
        .count = 1,
        .figures = {{"bytes_each", memory_per_client(plan, subject_main, subscribed),
                     memory_per_client(plan, floor_main, false)}}};

    table_print(plan->json, &row);
    table_at_most(subscribed ? "KB per client with a full ring" : "KB per idle client",
                  row.figures[0].ours / 1024, 16);
}

/* Until a client that connects at once is greeted. */
static double start_ms(peer_main *run)
{
    bench_peer peer;

    peer_start(&peer, run, FLOOR_ANSWERS);
    int fd = client_connect(peer.flow->port, false);
    const double ms = (double)(now_ns() - peer.flow->began_ns) / 1e6;
    close(fd);
    peer_end(&peer);
    return ms;
}

static void measure_start(const bench_plan *plan)
{
    double ours[MOST_ROUNDS];
    double floors[MOST_ROUNDS];

    for (int i = 0; i < plan->starts; i++) {
        floors[i] = start_ms(floor_main);
        ours[i] = start_ms(subject_main);
    }
    const table_row row = {.name = "start",
                           .with = "6 drivers",
                           .count = 1,
                           .figures = {{"start_ms", spread_median(ours, plan->starts),
                                        spread_median(floors, plan->starts)}}};
    table_print(plan->json, &row);
    table_at_most("ms to start", row.figures[0].ours, 50);
}

/* ---- Everything ------------------------------------------------------------------------------ */

static void measure_deliveries(bench_plan *plan)
{
    static const int counts[] = {1, 10, 100, 500, 2000};

    for (int laser = SUBJECT_PACED; laser <= SUBJECT_LOSSLESS; laser++) {
        if (plan->laser >= 0 && plan->laser != laser) {
            continue;
        }
        for (size_t i = 0; plan->clients == 0 && i < sizeof counts / sizeof counts[0]; i++) {
            measure_delivery(plan, counts[i], laser);
        }
        if (plan->clients > 0) {
            measure_delivery(plan, plan->clients, laser);
        }
    }
}

static void measure_all_round_trips(bench_plan *plan)
{
    measure_round_trips(plan, PEER_CORE, "same core");
    measure_round_trips(plan, CLIENT_CORE, "across cores");
}

static void measure_all(bench_plan *plan)
{
    measure_all_round_trips(plan);
    measure_deliveries(plan);
    measure_requests_under_load(plan, 500);
    measure_encodings(plan);
    measure_memory(plan, false);
    measure_memory(plan, true);
    measure_start(plan);
    table_print_goals(plan->json);
}

int main(int argc, char **argv)
{
    bench_plan plan = plan_from(argc, argv);

    tp_server_raise_limits();
    machine_pin(CLIENT_CORE);
    if (plan.trips) {
        measure_all_round_trips(&plan);
    } else if (plan.memory) {
        measure_memory(&plan, false);
        measure_memory(&plan, true);
    } else if (plan.clients > 0 || plan.laser >= 0) {
        measure_deliveries(&plan);
    } else {
        measure_all(&plan);
    }
    if (plan.patience_ms <= 0) {
        fputs("bench: other processes kept the machine busy; these figures are rough\n", stderr);
    }
    return 0;
}
