/*
 * sim_bench.c - worlds of 1 to 100,000 robots, beside what Stage takes for the same.
 *
 * Measures the CPU time of all threads, the best of several rounds. With --stage a program runs the
 * same worlds in Stage on this machine, in turn with ours; only then there is a ratio, which is of
 * CPU time per step.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "bench.h"
#include "platform/crew.h"
#include "sim/peer.h"
#include "sim/sim.h"
#include "sim/worlds.h"

static const char help[] =
    "usage: ./troupe bench sim [--json] [--quick] [--threads N] [--stage PROGRAM] [SENSOR "
    "[ROBOTS]]\n\n"
    "Steps of worlds with 1 to 100,000 robots that have sensors sonar16, laser180, laser361 or "
    "ir12.\n"
    "Only if named: light1, sound1 and wifi1, where every robot perceives every other one.\n"
    "  --threads N      ours uses N threads\n"
    "  --stage PROGRAM  measure Stage too and print a ratio; see bench/sim/stage.cc\n";

struct plan {
    bool json, quick;
    uint32_t threads;
    const char *stage;  /* a program that measures Stage; NULL for none */
    const char *sensor; /* NULL: all */
    uint32_t robots;    /* 0: all */
};

/* Whether every robot perceives every other one: light1, sound1, wifi1. */
static bool is_mutual(const char *sensor)
{
    return sensor[strlen(sensor) - 1] == '1' && strncmp(sensor, "laser", 5) != 0;
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static double clock_ms(clockid_t which)
{
    struct timespec now;

    clock_gettime(which, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

struct figures {
    double load_ms;         /* CPU */
    double cpu_ms, wall_ms; /* of a step */
    double bytes;           /* of a robot, without its samples */
    double peer_ms;         /* CPU of a step of Stage; NAN if that is not known */
};

/* Steps for about the given time; the time that one took. */
static void time_steps(tpi_sim *sim, double round_ms, double *cpu_ms, double *wall_ms)
{
    const double cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
    const double wall = clock_ms(CLOCK_MONOTONIC);
    double now;
    int steps = 0;

    do {
        tpi_sim_step(sim);
        steps++;
        now = clock_ms(CLOCK_MONOTONIC);
    } while (now - wall < round_ms);
    *cpu_ms = (clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu) / steps;
    *wall_ms = (now - wall) / steps;
}

static void measure(const struct plan *plan, tpi_sim *sim, struct figures *figures)
{
    const int rounds = plan->quick ? 3 : 10;
    double cpu_ms;
    double wall_ms;

    for (int i = 0; i < 20; i++) { /* let the robots spread from where they were put */
        tpi_sim_step(sim);
    }
    figures->cpu_ms = figures->wall_ms = HUGE_VAL;
    for (int i = 0; i < rounds; i++) {
        time_steps(sim, plan->quick ? 50 : 200, &cpu_ms, &wall_ms);
        figures->cpu_ms = fmin(figures->cpu_ms, cpu_ms);
        figures->wall_ms = fmin(figures->wall_ms, wall_ms);
    }
}

/* ---- Printing -------------------------------------------------------------------------------- */

static void print_head(const struct plan *plan)
{
    static const char *const legend[] = {
        "load ms     CPU time to load the world",
        "cpu ms      CPU time of a step of 100 ms, all threads; the best of several rounds",
        "wall ms     real time of the same step",
        "us/robot    cpu ms divided by the number of robots",
        "robots*RTF  robots that run in real time: robots times simulated time by real time",
        "Mrays/s     million rays of range sensors for each second of CPU time",
        "bytes       memory of a robot without its readings",
        NULL};
    static const char *const with_stage[] = {
        "Stage ms    CPU time of the same step of the same world in Stage, in this run",
        "ratio       Stage ms divided by cpu ms", NULL};

    bench_print_legend(plan->json, legend);
    if (plan->stage != NULL) {
        bench_print_legend(plan->json, with_stage);
    }
    if (!plan->json) {
        printf("%-9s %7s %9s %9s %9s %10s %11s %8s %8s", "sensor", "robots", "load ms", "cpu ms",
               "wall ms", "us/robot", "robots*RTF", "Mrays/s", "bytes");
        printf(plan->stage != NULL ? " %9s %7s\n" : "\n", "Stage ms", "ratio");
    }
}

static void print_row(const struct plan *plan, const struct bench_world *world,
                      const struct figures *f)
{
    const double peer = f->peer_ms;
    const double robots = world->robots;
    const double rays = robots * world->rays / f->cpu_ms * 1e-3;

    if (plan->json) {
        printf("{\"name\":\"sim\",\"parameters\":{\"sensor\":\"%s\",\"robots\":%u,\"threads\":%u},"
               "\"load_ms\":%.3f,\"cpu_ms\":%.5f,\"wall_ms\":%.5f,\"mrays_per_s\":%.3f,"
               "\"bytes_per_robot\":%.0f,\"robots_rtf\":%.0f",
               world->sensor, world->robots, plan->threads, f->load_ms, f->cpu_ms, f->wall_ms, rays,
               f->bytes, robots * 100 / f->wall_ms);
        if (!isnan(peer)) {
            printf(",\"peer\":\"stage\",\"peer_ms\":%.4f,\"peer_ratio\":%.2f", peer,
                   peer / f->cpu_ms);
        }
        puts("}");
    } else {
        printf("%-9s %7u %9.1f %9.4f %9.4f %10.3f %11.0f %8.1f %8.0f", world->sensor, world->robots,
               f->load_ms, f->cpu_ms, f->wall_ms, f->cpu_ms * 1e3 / robots,
               robots * 100 / f->wall_ms, rays, f->bytes);
        if (!isnan(peer)) {
            printf(" %9.4g %6.0fx", peer, peer / f->cpu_ms);
        }
        putchar('\n');
    }
    fflush(stdout);
}

/* ---- Worlds ---------------------------------------------------------------------------------- */

/* What Stage takes, if there is a program for it. Its memory grows with the floor, so the largest
 * worlds are left out. */
static double peer_step_ms(const struct plan *plan, const struct bench_world *world,
                           const char *path, const tpi_buf *text)
{
    const uint32_t most = strcmp(world->sensor, "ir12") == 0 ? 10000 : 1000;
    struct bench_peer best = {.cpu_ms = NAN};
    tp_error err;

    if (plan->stage == NULL || world->robots > most || is_mutual(world->sensor)) {
        return NAN; /* not wanted, too large, or with what Stage does not have */
    }
    if (tpi_file_write(path, text->data, text->length, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    for (int i = 0; i < (plan->quick ? 1 : 3); i++) {
        struct bench_peer peer;
        if (peer_measure(plan->stage, path, 10, plan->quick ? 200 : 1000, &peer)) {
            best = !(best.cpu_ms <= peer.cpu_ms) ? peer : best;
        }
    }
    unlink(path);
    return best.cpu_ms;
}

static void run_crew(void *context, tpi_sim_work *work, void *argument, uint32_t count)
{
    tpi_crew_run(context, work, argument, count);
}

static void run_world(const struct plan *plan, const char *folder, const char *sensor,
                      uint32_t robots)
{
    struct bench_world world = {.sensor = sensor, .robots = robots};
    tpi_sim_options options = {.seed = 1, .crew = {.workers = plan->threads, .run = run_crew}};
    struct figures figures = {0};
    tpi_sim_usage usage;
    tpi_crew *crew;
    tpi_sim *sim;
    char path[256];
    tpi_buf text = {0};
    tp_error err;

    snprintf(path, sizeof path, "%s/x.world", folder);
    worlds_write(&world, "cave.pgm", &text);
    if (tpi_crew_create(&crew, plan->threads, "sim", &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    options.crew.context = crew;
    const double before = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
    if (tpi_sim_parse(&sim, path, text.data, text.length, &options, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    figures.load_ms = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - before;
    measure(plan, sim, &figures);
    tpi_sim_get_usage(sim, &usage);
    figures.bytes = (double)(usage.bytes - usage.sample_bytes) / robots;
    figures.peer_ms = peer_step_ms(plan, &world, path, &text);
    print_row(plan, &world, &figures);
    tpi_sim_destroy(sim);
    tpi_crew_destroy(crew);
    tpi_buf_fini(&text);
}

static void run_family(const struct plan *plan, const char *folder, const char *sensor)
{
    const bool mutual = is_mutual(sensor);
    const uint32_t most = mutual ? 1000 : strncmp(sensor, "laser", 5) == 0 ? 10000 : 100000;

    if (plan->sensor == NULL ? mutual : strcmp(plan->sensor, sensor) != 0) {
        return;
    }
    if (plan->robots != 0) {
        run_world(plan, folder, sensor, plan->robots);
        return;
    }
    for (uint32_t robots = 1; robots <= most; robots *= 10) {
        run_world(plan, folder, sensor, robots);
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

static const char *const sensors[] = {"sonar16", "laser180", "laser361", "ir12",
                                      "light1",  "sound1",   "wifi1",    NULL};

static bool is_sensor(const char *name)
{
    size_t i = 0;

    while (sensors[i] != NULL && strcmp(sensors[i], name) != 0) {
        i++;
    }
    return sensors[i] != NULL;
}

static struct plan read_arguments(int argc, char **argv)
{
    struct plan plan = {.threads = 1};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            plan.json = true;
        } else if (strcmp(argv[i], "--quick") == 0) {
            plan.quick = true;
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            plan.threads = (uint32_t)atoi(argv[++i]);
        } else if (strcmp(argv[i], "--stage") == 0 && i + 1 < argc) {
            plan.stage = argv[++i];
        } else if (plan.sensor == NULL && is_sensor(argv[i])) {
            plan.sensor = argv[i];
        } else if (argv[i][0] != '-' && plan.robots == 0 && atoi(argv[i]) > 0) {
            plan.robots = (uint32_t)atoi(argv[i]);
        } else {
            fputs(help, strcmp(argv[i], "--help") == 0 ? stdout : stderr);
            exit(strcmp(argv[i], "--help") == 0 ? 0 : 2);
        }
    }
    return plan;
}

int main(int argc, char **argv)
{
    const struct plan plan = read_arguments(argc, argv);
    char folder[] = "/tmp/troupe-sim-XXXXXX";
    char picture[64];
    tpi_buf cave = {0};
    tp_error err;

    if (mkdtemp(folder) == NULL) {
        bench_give_up("cannot make a folder in /tmp");
    }
    snprintf(picture, sizeof picture, "%s/cave.pgm", folder);
    worlds_draw_cave(&cave);
    if (tpi_file_write(picture, cave.data, cave.length, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    print_head(&plan);
    for (size_t i = 0; sensors[i] != NULL; i++) {
        run_family(&plan, folder, sensors[i]);
    }
    tpi_buf_fini(&cave);
    unlink(picture);
    rmdir(folder);
    return 0;
}
