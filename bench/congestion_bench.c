/*
 * congestion_bench.c - section VI-B of the RoboTalk paper: a path played over a congested channel.
 *
 * A whole server with a simulated Pioneer (congestion/house.c) plays a path in each mode while its
 * reader of that client is slow (congestion/reader.c). Every run is compared with the run of the
 * same mode without congestion. Time is that of the house, so results do not depend on the machine.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "congestion/link.h"
#include "congestion/picture.h"
#include "congestion/run.h"

static const char help[] =
    "usage: ./troupe bench congestion [--seeds N] [--polls K] [--picture FILE] [--json]\n"
    "       ./troupe bench congestion --link [--loss PERCENT] [--json]\n\n"
    "Plays four small half circles and a large one, 60 s, on a simulated Pioneer while the "
    "server's\n"
    "reader of that client sleeps 0 to 0.1 s K times for each package, in five modes.\n\n"
    "  --seeds N       random sequences of sleeps (100)\n"
    "  --polls K       only with K sleeps for each package, 1 to 4 (all four)\n"
    "  --picture FILE  draw the paths of the first seed (.svg or .png), with 4 sleeps or K\n"
    "  --link          instead: in real time over a bad link between two network namespaces;\n"
    "                  needs root and /dev/net/tun\n"
    "  --loss PERCENT  so many packets of a hundred are lost on the link, 1 to 50 (8)\n"
    "  --json          one object for each row\n\n"
    "Exits with 1 if a path is not kept, a second client notices the congestion, an adaptive run\n"
    "ends too late or, from 20 seeds on, playback does in the mean or waits in too many runs.\n";

enum { MOST_POLLS = 4, MOST_SEEDS = 10000 };
enum { ENOUGH_RUNS = 20 }; /* for a mean */

static const double MOST_AWAY = 0.001;        /* of the path's length, for what was slowed */
static const double MOST_SLOWED = 0.05;       /* of the runs of playback */
static const double MOST_ADAPTIVE = 1.05;     /* finish, in every run */
static const double START_SHARE = 0.1;        /* of playback's start, with 4 polls */
static const double MOST_ACCELERATION = 1.01; /* of the acceleration limits */

static struct {
    unsigned seeds, polls;
    const char *picture;
    bool json, failed, link;
    unsigned loss; /* of a link, in percent */
    struct run references[PLAY_MODES];
    double playback_start_s;       /* of the seed that is being played */
    struct path drawn[PLAY_MODES]; /* of the picture */
} all;

static void fail(const char *what, play_mode mode, unsigned polls, uint64_t seed)
{
    (void)fprintf(all.json ? stderr : stdout, "FAILED: %s, %u polls, seed %llu: %s\n",
                  play_name(mode), polls, (unsigned long long)seed, what);
    all.failed = true;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* All runs of a mode with so many polls. */
struct row {
    play_mode mode;
    unsigned polls, runs, slowed, stood;
    unsigned noticed; /* runs in which the second client was not as without congestion */
    double distance, distance_most, right_s, gap_m, start_s, late, held_s, finish, finish_most;
};

static void add(struct row *row, const struct result *r)
{
    row->runs++;
    row->slowed += r->slowed;
    row->noticed += !r->unmoved;
    row->stood += r->stalls > 0;
    row->distance += r->distance;
    row->distance_most = fmax(row->distance_most, r->distance);
    row->right_s += r->right_s;
    row->gap_m += r->gap_m;
    row->start_s += r->start_s;
    row->late += r->late;
    row->held_s += r->held_s;
    row->finish += r->finish;
    row->finish_most = fmax(row->finish_most, r->finish);
}

static void print_head(void)
{
    static const char *const legend[] = {
        "polls     sleeps of 0 to 0.1 s of the server's reader for each package; 0: no congestion",
        "path %    distance (discrete Frechet) to the run without congestion, of the path's "
        "length:",
        "          mean and largest",
        "right     seconds of the motion until the path is half a percent away (mean)",
        "closing   distance between the start and the end of the path, m (mean)",
        "start     from the first package to the first write at the robot's port, s (mean)",
        "late      frames that came after their time (mean)",
        "slowed    runs in which time was slowed; stood: in which the robot had to stand",
        "held      by which the motion was longer for it, s (mean)",
        "finish    end of the motion, as a ratio to the best possible with these arrivals: mean "
        "and",
        "          largest; below 1 the path is not the one that was asked for",
        "noticed   runs in which a second client of the server was answered or moved the head "
        "later",
        NULL};

    bench_print_legend(all.json, legend);
    if (!all.json) {
        printf("%-9s %5s %5s %8s %8s %6s %8s %7s %6s %6s %6s %6s %7s %7s %7s\n", "mode", "polls",
               "runs", "path %", "largest", "right", "closing", "start", "late", "slowed", "stood",
               "held", "finish", "largest", "noticed");
    }
}

static void print_row(const struct row *r)
{
    const double n = r->runs;

    printf(all.json
               ? "{\"name\":\"congestion\",\"parameters\":{\"mode\":\"%s\",\"polls\":%u,"
                 "\"runs\":%u},\"path_percent\":%.4f,\"path_percent_most\":%.4f,"
                 "\"right_s\":%.1f,\"closing_m\":%.3f,\"start_s\":%.3f,\"late\":%.1f,\"slowed\":%u,"
                 "\"stood\":%u,\"held_s\":%.3f,\"finish\":%.4f,\"finish_most\":%.4f,"
                 "\"noticed\":%u}\n"
               : "%-9s %5u %5u %8.3f %8.3f %6.1f %8.3f %7.2f %6.1f %6u %6u %6.2f %7.3f %7.3f %7u\n",
           play_name(r->mode), r->polls, r->runs, 100 * r->distance / n, 100 * r->distance_most,
           r->right_s / n, r->gap_m / n, r->start_s / n, r->late / n, r->slowed, r->stood,
           r->held_s / n, r->finish / n, r->finish_most, r->noticed);
    (void)fflush(stdout);
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* What must be true of every single run. */
static void judge_run(const struct run *run, const struct result *r)
{
    const bool sequence = run->mode >= PLAY_PLAYBACK;

    if (!run->complete) {
        fail("frames were refused or lost", run->mode, run->polls, run->seed);
    }
    if (!r->unmoved) {
        fail("the second client has noticed it", run->mode, run->polls, run->seed);
    }
    if (r->acceleration > MOST_ACCELERATION) {
        fail("an acceleration limit was exceeded", run->mode, run->polls, run->seed);
    }
    if (sequence && !r->slowed && !r->same) {
        fail("it was not slowed, and its writes differ", run->mode, run->polls, run->seed);
    }
    if (sequence && r->distance > MOST_AWAY) {
        fail("the path was not kept", run->mode, run->polls, run->seed);
    }
    if (run->mode != PLAY_ADAPTIVE) {
        return;
    }
    if (r->finish > MOST_ADAPTIVE || r->stalls > 0) {
        fail("it ended too late or had to stand", run->mode, run->polls, run->seed);
    }
    if (run->polls == MOST_POLLS && r->start_s > START_SHARE * all.playback_start_s) {
        fail("it did not start in a tenth of playback's time", run->mode, run->polls, run->seed);
    }
}

static void judge_row(const struct row *row)
{
    const double most = row->polls >= 3 ? 1.04 : 1.12;

    if (row->runs < ENOUGH_RUNS) {
        return;
    }
    if (row->mode == PLAY_PLAYBACK && row->finish > most * row->runs) {
        fail("the mean finish is too late", row->mode, row->polls, 0);
    }
    if (row->mode == PLAY_PLAYBACK && row->slowed > MOST_SLOWED * row->runs) {
        fail("too many runs had to wait for a frame", row->mode, row->polls, 0);
    }
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static void play_references(void)
{
    for (int mode = 0; mode < PLAY_MODES; mode++) {
        struct run *run = &all.references[mode];
        struct row row = {.mode = (play_mode)mode};
        struct result result;

        run_play(run, (play_mode)mode, 0, 0);
        run_compare(&result, run, &all.references[PLAY_DIRECT]); /* all draw the same path */
        result.slowed = run->held_s > 0;
        add(&row, &result);
        print_row(&row);
        if (!run->complete || result.distance > MOST_AWAY || result.slowed) {
            fail("it is not right without congestion", (play_mode)mode, 0, 0);
        }
    }
}

/* The picture has the first seed with so many polls. */
static unsigned drawn_polls(void)
{
    return all.polls > 0 ? all.polls : MOST_POLLS;
}

static void play_polls(unsigned polls)
{
    static struct row rows[PLAY_MODES];

    for (int mode = 0; mode < PLAY_MODES; mode++) {
        rows[mode] = (struct row){.mode = (play_mode)mode, .polls = polls};
    }
    for (uint64_t seed = 1; seed <= all.seeds; seed++) {
        for (int mode = 0; mode < PLAY_MODES; mode++) {
            struct run run;
            struct result result;

            run_play(&run, (play_mode)mode, polls, seed);
            run_compare(&result, &run, &all.references[mode]);
            if (mode == PLAY_PLAYBACK) {
                all.playback_start_s = result.start_s;
            }
            judge_run(&run, &result);
            add(&rows[mode], &result);
            if (all.picture != NULL && polls == drawn_polls() && seed == 1) {
                all.drawn[mode] = run.path;
                run.path = (struct path){0};
            }
            run_free(&run);
        }
    }
    for (int mode = 0; mode < PLAY_MODES; mode++) {
        print_row(&rows[mode]);
        judge_row(&rows[mode]);
    }
}

static void draw(void)
{
    const struct path *paths[PLAY_MODES];

    for (int mode = 0; mode < PLAY_MODES; mode++) {
        paths[mode] = &all.drawn[mode];
    }
    picture_write(all.picture, &all.references[PLAY_DIRECT].path, paths, drawn_polls());
    for (int mode = 0; mode < PLAY_MODES; mode++) {
        path_free(&all.drawn[mode]);
    }
}

/* ---- Options --------------------------------------------------------------------------------- */

static unsigned number(const char *text, const char *name, unsigned most)
{
    char *end = NULL;
    const unsigned long value = text != NULL ? strtoul(text, &end, 10) : 0;

    if (text == NULL || *end != '\0' || value < 1 || value > most) {
        (void)fprintf(stderr, "%s is followed by a number from 1 to %u\n", name, most);
        exit(2);
    }
    return (unsigned)value;
}

static void read_options(int argc, char **argv)
{
    char *rest[3] = {argv[0]};
    int count = 1;

    all.seeds = 100;
    all.loss = 8;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seeds") == 0) {
            all.seeds = number(argv[++i], "--seeds", MOST_SEEDS);
        } else if (strcmp(argv[i], "--polls") == 0) {
            all.polls = number(argv[++i], "--polls", MOST_POLLS);
        } else if (strcmp(argv[i], "--picture") == 0 && i + 1 < argc) {
            all.picture = argv[++i];
        } else if (strcmp(argv[i], "--loss") == 0) {
            all.loss = number(argv[++i], "--loss", 50);
        } else if (strcmp(argv[i], "--link") == 0) {
            all.link = true;
        } else if (count < 3) {
            rest[count++] = argv[i];
        }
    }
    all.json = bench_wants_json(count, rest, help);
    if (all.picture != NULL) {
        picture_check(all.picture);
    }
}

int main(int argc, char **argv)
{
    read_options(argc, argv);
    if (all.link) {
        return link_bench(all.json, all.loss);
    }
    print_head();
    play_references();
    for (unsigned polls = 1; polls <= MOST_POLLS; polls++) {
        if (all.polls == 0 || all.polls == polls) {
            play_polls(polls);
        }
    }
    if (all.picture != NULL) {
        draw();
    }
    for (int mode = 0; mode < PLAY_MODES; mode++) {
        run_free(&all.references[mode]);
    }
    return all.failed ? 1 : 0;
}
