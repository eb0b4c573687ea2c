/*
 * motion_bench.c - when frames of a motion reach the devices, and how fast a panic stops them.
 *
 * A server in this program plays 1,000 frames per second of 30 joints on three devices
 * (motion/robot.c). Its clients use TCP. The controls run in the same rounds: a timer thread with
 * one hop to another thread, beside the frames; three threads that wait for the same instant; a
 * byte on a connection with one hop (motion/control.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "motion/allocations.h"
#include "motion/control.h"
#include "motion/robot.h"
#include "motion/talk.h"
#include "platform/thread.h"

static const char help[] =
    "usage: ./troupe bench motion [--quick | --check] [--realtime] [--trace] [--json]\n\n"
    "Start error of frames at the devices, alone, with 100 clients and with a flood; the skew\n"
    "over three devices; panics with 100 busy clients. --check judges only what does not depend\n"
    "on time. With --realtime the devices and the controls have a real-time priority. --trace\n"
    "prints the call stacks of allocations in the middle of a run, for addr2line.\n"
    "Exits with 1 if a frame is early, lost or written twice, or a ratio is too high.\n";

enum {
    CLIENTS = 100,
    AHEAD_MS = 200,
    MOST_ROUNDS = 32,
    MOST_SKEWS = 3 * MOST_ROUNDS,
    REALTIME = 10
};

static struct {
    unsigned port;
    int mover;
    int others[CLIENTS];
    int flooder, panicker;
    bool json, check, trace;
    bool failed;
} all;

/* ---- Runs ------------------------------------------------------------------------------------ */

static void wait_until(int64_t at_ns)
{
    static tpi_bell bell;
    static bool made;
    tp_error err = {.text = ""};

    if (!made && tpi_bell_init(&bell, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    made = true;
    tpi_wait(&bell.fd, 1, at_ns);
}

static void wait_ms(int ms)
{
    wait_until(robot_now_ns() + ms * TP_NS_PER_MS);
}

/* What other clients do while frames are played. */
typedef enum load { ALONE, CROWD, FLOOD } load;

static void make_load(load kind, unsigned frame)
{
    if (kind == CROWD && frame % 10 == 0) { /* each asks ten times a second and more */
        const int fd = all.others[frame / 10 % CLIENTS];

        talk_questions(fd, 10);
    }
    if (kind == FLOOD) {
        talk_questions(all.flooder, 10); /* ten times the rate of the frames */
    }
    /* What they get is read a little at a time and under every load alike, so that a round differs
     * from another one in what was sent to the server. */
    talk_drain(all.others[frame % CLIENTS]);
    if (frame % 10 == 0) {
        talk_drain(all.flooder);
    }
}

struct figures {
    bench_spread late, skew;
    unsigned early, lost, twice;
    unsigned long allocated;
};

static void judge(struct figures *f, unsigned frames, int64_t start_ns)
{
    for (unsigned v = 0; v < frames; v++) {
        const int64_t due = start_ns + (int64_t)v * robot_frame_us * TP_NS_PER_US;
        int64_t first = INT64_MAX, last = 0;

        for (int d = 0; d < DEVICES; d++) {
            const int64_t at = atomic_load(&noted.written_ns[d][v]);

            f->lost += at == 0;
            f->early += at != 0 && at < due;
            if (at != 0) {
                spread_add(&f->late, at - due);
                first = at < first ? at : first;
                last = at > last ? at : last;
            }
        }
        spread_add(&f->skew, last - first);
    }
    for (int d = 0; d < DEVICES; d++) { /* the last frame ends with one more write */
        const unsigned writes = atomic_load(&noted.writes[d]);

        f->twice += writes > frames + 1 ? writes - frames - 1 : 0;
    }
}

static unsigned writes(void)
{
    unsigned all_devices = 0;

    for (int d = 0; d < DEVICES; d++) {
        all_devices += atomic_load(&noted.writes[d]);
    }
    return all_devices;
}

/* Nothing is written any more, also not of what the last round has left on a machine that stood
 * still. */
static void stand_at_start(void)
{
    unsigned before;

    talk_frame(all.mover, 0, 0);
    (void)talk_sync(all.mover);
    do {
        before = writes();
        wait_ms(150);
    } while (writes() != before);
    robot_forget();
}

/* Back to the start, as fast as the limits allow; when the first frame is due. */
static int64_t go_back(void)
{
    stand_at_start();
    return robot_now_ns() / 1000 + 300000;
}

/* All frames are with the server before the first one is due, on a busy machine as well. */
static int64_t send_all_frames(unsigned frames)
{
    for (int64_t ahead_us = 1000000;; ahead_us *= 2) {
        stand_at_start();
        const int64_t start_us = robot_now_ns() / 1000 + ahead_us;

        for (unsigned k = 1; k <= frames; k++) {
            talk_frame(all.mover, k, start_us + (int64_t)(k - 1) * robot_frame_us);
        }
        if (talk_sync(all.mover) < start_us - 100000) {
            return start_us;
        }
        talk_clear(all.mover, 1);
        talk_sync(all.mover);
    }
}

static bool is_written(unsigned frames)
{
    bool all_of_them = true;

    for (int d = 0; d < DEVICES; d++) {
        all_of_them = all_of_them && atomic_load(&noted.written_ns[d][frames - 1]) != 0;
    }
    return all_of_them;
}

/* When the client sends, in sixths of a period. Frames are due at the beginning of a period, three
 * threads at a third of it and the timer at two thirds. What runs right after the work for the
 * client finds processors that are awake, so the client, which is no part of a robot's computer,
 * sends before each of the three in turns. */
static unsigned client_at(int phase)
{
    static const unsigned sixths[] = {5, 1, 3};

    return sixths[phase % 3];
}

/* Play frames; in the middle half nothing should be allocated. */
static void play(load kind, int phase, unsigned frames, struct figures *f)
{
    const int64_t start_us = all.check ? send_all_frames(frames) : go_back();
    unsigned long before = 0;

    control_begin(start_us * 1000, robot_frame_us * TP_NS_PER_US);
    control_skew_begin(start_us * 1000, robot_frame_us * TP_NS_PER_US, frames);
    for (unsigned k = 1; k <= frames; k++) {
        const int64_t due_us = start_us + (int64_t)(k - 1) * robot_frame_us;

        wait_until((due_us - AHEAD_MS * 1000 + robot_frame_us * client_at(phase) / 6) * 1000);
        if (!all.check) {
            talk_frame(all.mover, k, due_us);
        }
        make_load(kind, k);
        if (k == frames / 4) {
            before = allocations_count();
            allocations_trace(all.trace);
        }
        if (k == frames / 4 * 3) {
            f->allocated = allocations_count() - before;
            allocations_trace(false);
        }
        if (k % 100 == 0 && !all.check) {
            talk_drain(all.mover);
        }
    }
    wait_until((start_us + (int64_t)frames * robot_frame_us) * 1000 + 100 * TP_NS_PER_MS);
    for (int i = 0; i < 6000 && all.check && !is_written(frames); i++) {
        wait_ms(10); /* a busy machine is late, but nothing is lost */
    }
    judge(f, frames, start_us * 1000);
}

static void print(const char *phase, const struct figures *f, const bench_spread *control,
                  const bench_spread *threads)
{
    const double p50 = spread_quantile(&f->late, 0.5) / 1e3,
                 p99 = spread_quantile(&f->late, 0.99) / 1e3;
    const double c50 = spread_quantile(control, 0.5) / 1e3,
                 c99 = spread_quantile(control, 0.99) / 1e3;
    const double s50 = spread_quantile(&f->skew, 0.5) / 1e3,
                 t50 = spread_quantile(threads, 0.5) / 1e3;

    printf(all.json ? "{\"name\":\"motion\",\"parameters\":{\"phase\":\"%s\"},\"p50_us\":%.1f,"
                      "\"p99_us\":%.1f,\"peer\":\"timer with one hop\",\"peer_p50_us\":%.1f,"
                      "\"peer_p99_us\":%.1f,\"ratio_p50\":%.3f,\"ratio_p99\":%.3f,\"skew_us\":%.1f,"
                      "\"peer_skew_us\":%.1f,\"early\":%u,\"lost\":%u,\"twice\":%u,"
                      "\"allocations\":%lu}\n"
                    : "%-8s %9.1f %9.1f %9.1f %9.1f %6.2f %6.2f %9.1f %9.1f %6u %6u %6u %8lu\n",
           phase, p50, p99, c50, c99, p50 / c50, p99 / c99, s50, t50, f->early, f->lost, f->twice,
           f->allocated);
    (void)fflush(stdout);
}

/* The skew to that of bare threads, of all rounds without a load. On a machine with fewer cores
 * than devices it depends on the cores on which the threads of both happen to run, which a long
 * round does not change: one round can have three times the ratio of the next one. */
static struct {
    double ratios[MOST_SKEWS];
    int count;
} skews;

static void note_skew(load kind, const struct figures *f, const bench_spread *threads)
{
    if (kind == ALONE && skews.count < MOST_SKEWS) {
        skews.ratios[skews.count++] =
            spread_quantile(&f->skew, 0.5) / spread_quantile(threads, 0.5);
    }
}

/* Ratios of a phase: p50 and p99 to the control. */
struct ratios {
    double p50[MOST_ROUNDS], p99[MOST_ROUNDS];
    double late_us[MOST_ROUNDS]; /* p99, not as a ratio */
    double hop_us[MOST_ROUNDS];  /* the same of the control */
};

static void round_of(const char *phase, load kind, unsigned frames, struct ratios *r, int i)
{
    static struct figures f;
    static bench_spread control, threads;

    f = (struct figures){.early = 0};
    threads = (bench_spread){0};
    play(kind, i, frames, &f);
    control_end(&control);
    control_skew_end(&threads);
    print(phase, &f, &control, &threads);
    allocations_print();
    r->p50[i] = spread_quantile(&f.late, 0.5) / spread_quantile(&control, 0.5);
    r->p99[i] = spread_quantile(&f.late, 0.99) / spread_quantile(&control, 0.99);
    r->late_us[i] = spread_quantile(&f.late, 0.99);
    r->hop_us[i] = spread_quantile(&control, 0.99);
    note_skew(kind, &f, &threads);
    all.failed = all.failed || f.early > 0 || f.lost > 0 || f.twice > 0;
}

/* Pools and buffers grow to what a crowd and a flood need: that is not steady yet. */
static void warm_up(void)
{
    static struct figures f;
    static bench_spread ignored;

    for (load kind = ALONE; kind <= FLOOD; kind++) {
        play(kind, 0, 11 * CLIENTS, &f); /* every client of the crowd has asked once */
        control_end(&ignored);
        control_skew_end(&ignored);
    }
}

static void limit(const char *what, double value, double most)
{
    (void)fprintf(all.json ? stderr : stdout, "%s: %.2f (at most %.2f)\n", what, value, most);
    all.failed = all.failed || (!all.check && !(value <= most));
}

static void measure_frames(int rounds, unsigned frames)
{
    static struct ratios alone;

    if (!all.check) {
        warm_up();
    }
    for (int i = 0; i < rounds; i++) {
        round_of("one", ALONE, frames, &alone, i);
    }
    limit("one client, p50 to the control", spread_median(alone.p50, rounds), 1.3);
    limit("one client, p99 to the control", spread_median(alone.p99, rounds), 1.3);
}

/* Short rounds with and without a load take turns, so that what else happens on the machine is
 * about the same in both of a pair. A pair is a ratio, and the median of many of them does not
 * depend on the few in which it was not. The control shows what the load costs the machine: its
 * sender and the kernel are part of it. */
static void measure_load(load kind, const char *phase, int pairs, unsigned frames, double most)
{
    static struct ratios alone, loaded;
    double late[MOST_ROUNDS], hop[MOST_ROUNDS];
    char what[80];

    for (int i = 0; i < pairs; i++) {
        if (i % 2 == 0) {
            round_of("one", ALONE, frames, &alone, i);
        }
        round_of(phase, kind, frames, &loaded, i);
        if (i % 2 != 0) {
            round_of("one", ALONE, frames, &alone, i);
        }
        late[i] = loaded.late_us[i] / alone.late_us[i];
        hop[i] = loaded.hop_us[i] / alone.hop_us[i];
    }
    (void)snprintf(what, sizeof what, "p99 with %s, to that without, median of pairs",
                   kind == FLOOD ? "a flood" : "100 more clients");
    limit(what, spread_median(late, pairs), most);
    (void)fprintf(all.json ? stderr : stdout, "  the same of the control: %.2f; pairs: %d\n",
                  spread_median(hop, pairs), pairs);
}

static void judge_skew(void)
{
    limit("skew over three devices to three threads, median of the rounds without load",
          spread_median(skews.ratios, skews.count), 1.3);
    (void)fprintf(all.json ? stderr : stdout, "  rounds: %d\n", skews.count);
}

/* ---- Panic ----------------------------------------------------------------------------------- */

static void measure_panics(unsigned count)
{
    static bench_spread stops, hops;
    unsigned late = 0, lifted = 0, kept = 0;

    control_hop_begin();
    for (unsigned i = 0; i < count; i++) {
        const int64_t start_us = robot_now_ns() / 1000 + 5000;

        for (unsigned k = 1; k <= 40; k++) {
            talk_frame(all.mover, k, start_us + (int64_t)k * robot_frame_us);
        }
        for (int k = 0; k < CLIENTS; k++) { /* everybody is busy */
            talk_questions(all.others[k], 1);
        }
        wait_ms(15);
        spread_add(&hops, control_hop());
        const int64_t sent = robot_now_ns();
        talk_panic(all.panicker);
        const uint32_t epoch = talk_await_panic(all.panicker);
        /* On a busy machine the frames may not have begun: then nothing has to stop. */
        for (int waited = 0; waited < 500 && atomic_load(&noted.halted_ns) == 0; waited++) {
            wait_ms(1);
        }
        if (atomic_load(&noted.halted_ns) != 0) {
            spread_add(&stops, atomic_load(&noted.halted_ns) - sent);
        }
        wait_ms(5);
        late += atomic_exchange(&noted.late_writes, 0);
        talk_reset(all.panicker, epoch - 2); /* an older one lifts nothing */
        lifted += talk_await_reset(all.panicker);
        atomic_store(&noted.lifted, epoch + 1);
        atomic_store(&noted.halted_ns, 0);
        talk_reset(all.panicker, epoch);
        kept += !talk_await_reset(all.panicker);
        wait_ms(3);
        talk_drain(all.mover);
        for (int k = 0; k < CLIENTS; k++) {
            talk_drain(all.others[k]);
        }
    }
    control_hop_end();
    const double p50 = spread_quantile(&stops, 0.5) / 1e3,
                 p99 = spread_quantile(&stops, 0.99) / 1e3;
    const double c50 = spread_quantile(&hops, 0.5) / 1e3, c99 = spread_quantile(&hops, 0.99) / 1e3;
    (void)fprintf(
        all.json ? stderr : stdout,
        "panic: %u times, p50 %.1f us, p99 %.1f us; a byte with one hop p50 %.1f us, p99 "
        "%.1f us\nwrites at a device after its stop: %u; between the first stop and a device's "
        "own: %u, "
        "at most %.1f us after the first\n"
        "resets of an older panic that were accepted: %u, of this one that were not: %u\n",
        count, p50, p99, c50, c99, late, atomic_load(&noted.in_flight),
        (double)atomic_load(&noted.in_flight_ns) / 1e3, lifted, kept);
    limit("panic, p99 to the control", p99 / c99, 2);
    all.failed = all.failed || late > 0 || lifted > 0 || kept > 0;
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool take_option(int *argc, char **argv, const char *name)
{
    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], name) == 0) {
            memmove(&argv[i], &argv[i + 1], (size_t)(*argc - i) * sizeof *argv);
            (*argc)--;
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    all.check = take_option(&argc, argv, "--check");
    all.trace = take_option(&argc, argv, "--trace");
    robot_realtime = take_option(&argc, argv, "--realtime") ? REALTIME : 0;
    const bool quick = take_option(&argc, argv, "--quick") || all.check;
    static const char *const legend[] = {
        "p50, p99      how late frames are written at the devices",
        "hop           the same of a timer thread with one hop, in the same run",
        "skew          between the first and the last device of a frame, and of three bare threads",
        "early, lost, twice   frames; alloc: allocations in half of the run, after a warm-up",
        NULL};

    all.json = bench_wants_json(argc, argv, help);
    robot_patient = all.check;
    all.port = robot_begin(all.check ? 10000 : 1000);
    all.mover = talk_connect(all.port);
    all.flooder = talk_connect(all.port);
    all.panicker = talk_connect(all.port);
    for (int i = 0; i < CLIENTS; i++) {
        all.others[i] = talk_connect(all.port);
        talk_broadcast(all.others[i], 100000);
    }
    bench_print_legend(all.json, legend);
    if (!all.json) {
        printf("%-8s %9s %9s %9s %9s %6s %6s %9s %9s %6s %6s %6s %8s\n", "phase", "p50 us",
               "p99 us", "hop p50", "hop p99", "ratio", "ratio", "skew us", "threads", "early",
               "lost", "twice", "alloc");
    }
    measure_frames(all.check ? 1 : quick ? 3 : 6, all.check ? 120 : quick ? 1500 : 5000);
    measure_load(CROWD, "hundred", all.check ? 1 : quick ? 9 : 30, all.check ? 120 : 500, 1.5);
    measure_load(FLOOD, "flood", all.check ? 1 : quick ? 9 : 30, all.check ? 120 : 500, 1.3);
    judge_skew();
    measure_panics(all.check ? 20 : quick ? 100 : 1000);
    robot_end();
    return all.failed ? 1 : 0;
}
