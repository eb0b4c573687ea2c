/* link.c - see link.h. All runs at the same time, each with a link and a process of its own. */
#include "link.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "live.h"
#include "route.h"

/* A busy wireless link. The frames and their answers need about a half of the rate. */
static struct channel bad = {.delay_s = 0.02, .jitter_s = 0.08, .loss = 0.08, .rate_bps = 24000};
static const struct channel GOOD = {.delay_s = 0.001};

static const double LEAST_AWAY = 0.003, RESIDUES = 1.5; /* of the path; of the residual */

/* Without congestion twice: what two runs differ by is the residual. */
enum { TRUTH, AGAIN, FIRST_BAD, RUNS = FIRST_BAD + PLAY_MODES };

struct trial {
    pid_t process;
    int pipe;
    struct live_result result;
    struct path path;
};

static void send_all(int fd, const void *bytes, size_t length)
{
    const char *at = bytes;
    ssize_t sent;

    while (length > 0 && ((sent = write(fd, at, length)) > 0 || errno == EINTR)) {
        at += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
    }
}

static bool receive_all(int fd, void *bytes, size_t length)
{
    char *at = bytes;
    ssize_t got;

    while (length > 0 && ((got = read(fd, at, length)) > 0 || (got < 0 && errno == EINTR))) {
        at += got > 0 ? got : 0;
        length -= got > 0 ? (size_t)got : 0;
    }
    return length == 0;
}

static play_mode mode_of(int run)
{
    return run < FIRST_BAD ? PLAY_PLAYBACK : (play_mode)(run - FIRST_BAD);
}

static void start(struct trial *trial, int run)
{
    struct places way = {0};
    int ends[2];

    if (pipe(ends) != 0 || (trial->process = fork()) < 0) {
        bench_give_up("a run cannot be started: %s", strerror(errno));
    }
    if (trial->process == 0) {
        (void)close(ends[0]);
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a run that nobody waits for ends */
        live_play(mode_of(run), run < FIRST_BAD ? &GOOD : &bad, (uint64_t)run + 1, &trial->result,
                  &way);
        send_all(ends[1], &trial->result, sizeof trial->result);
        send_all(ends[1], way.items, way.count * sizeof *way.items);
        exit(0);
    }
    (void)close(ends[1]);
    trial->pipe = ends[0];
}

static void collect(struct trial *trial, int run)
{
    struct places way = {0};

    if (!receive_all(trial->pipe, &trial->result, sizeof trial->result)) {
        bench_give_up("%s: the run has ended without a result", play_name(mode_of(run)));
    }
    way.count = trial->result.places;
    way.items = malloc((way.count + 1) * sizeof *way.items);
    if (way.items == NULL || !receive_all(trial->pipe, way.items, way.count * sizeof *way.items)) {
        bench_give_up("%s: the run has ended without a path", play_name(mode_of(run)));
    }
    path_of(&trial->path, &way);
    free(way.items);
    (void)close(trial->pipe);
    (void)waitpid(trial->process, NULL, 0);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void print_head(bool json)
{
    static const char *const legend[] = {
        "link      good: 1 ms; bad: 20 to 100 ms each way, packets are lost (--loss), 24 kbit/s",
        "path %    distance (discrete Frechet) to the first run, of the path's length",
        "closing   distance between the start and the end of the path, m",
        "start     from the first frame to the first motion of the robot, s; end: to its rest",
        "late      frames that came after their time; stalls: how often the robot had to stand",
        "held      by which the motion was slowed, s",
        "delay adds 0.5 s. The modes run at the same time, each over a link of its own.",
        NULL};

    bench_print_legend(json, legend);
    if (!json) {
        printf("%-9s %-5s %8s %8s %7s %7s %6s %6s %7s\n", "mode", "link", "path %", "closing",
               "start", "end", "late", "stalls", "held");
    }
}

static void print_row(bool json, int run, const struct trial *t, double distance)
{
    const struct live_result *r = &t->result;

    printf(json ? "{\"name\":\"congestion\",\"parameters\":{\"mode\":\"%s\",\"link\":\"%s\"},"
                  "\"path_percent\":%.4f,\"closing_m\":%.3f,\"start_s\":%.3f,\"end_s\":%.3f,"
                  "\"late\":%u,\"stalls\":%u,\"held_s\":%.3f}\n"
                : "%-9s %-5s %8.3f %8.3f %7.2f %7.2f %6u %6u %7.2f\n",
           play_name(mode_of(run)), run < FIRST_BAD ? "good" : "bad", 100 * distance,
           path_gap(&t->path), (double)(r->first_ns - r->start_ns) * 1e-9,
           (double)(r->last_ns - r->start_ns) * 1e-9, r->late, r->stalls, r->held_s);
    (void)fflush(stdout);
}

int link_bench(bool json, unsigned loss_percent)
{
    static struct trial trials[RUNS];
    double residual = 0;
    bool failed = false;

    bad.loss = loss_percent / 100.0;
    for (int i = 0; i < RUNS; i++) {
        start(&trials[i], i);
    }
    print_head(json);
    for (int i = 0; i < RUNS; i++) {
        collect(&trials[i], i);
        const struct trial *t = &trials[i];
        const double distance =
            path_distance(&t->path, &trials[TRUTH].path) / path_length(&trials[TRUTH].path);
        residual = i == AGAIN ? distance : residual;
        const double most = fmax(LEAST_AWAY, RESIDUES * residual);

        print_row(json, i, t, distance);
        if (!t->result.ok) {
            (void)fprintf(stderr, "FAILED: %s: %s\n", play_name(mode_of(i)), t->result.why);
        }
        if (mode_of(i) >= PLAY_PLAYBACK && (!t->result.ok || distance > most)) {
            (void)fprintf(stderr, "FAILED: %s is %.3f %% away, more than %.3f %%\n",
                          play_name(mode_of(i)), 100 * distance, 100 * most);
            failed = true;
        }
    }
    for (int i = 0; i < RUNS; i++) {
        path_free(&trials[i].path);
    }
    return failed ? 1 : 0;
}
