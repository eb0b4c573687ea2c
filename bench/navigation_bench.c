/*
 * navigation_bench.c - ./troupe bench navigation: localization, planning and avoiding.
 *
 * Each work is repeated on one core for a while. With --player, the same maps, scans and journeys
 * are given to Player's own code (navigation/player.cc) in the same run: Troupe first, then Player,
 * and again, and the faster round of each counts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "bench.h"
#include "navigation/filter.h"
#include "navigation/place.h"
#include "navigation/plan.h"
#include "navigation/vfh.h"

enum { ROUNDS = 2, LONGEST_S = 600 /* of a round of Player's */ };

static const double pi = 3.14159265358979323846;

static const char help[] =
    "usage: ./troupe bench navigation [--json] [--seconds S] [--player PROGRAM]\n"
    "\n"
    "Measures on one core: particles per second (move, sense with 31 beams, resample), plans per\n"
    "second on a map of 4000 x 4000 cells, decisions of vfh per second.\n"
    "\n"
    "  --seconds S        of each measurement (1)\n"
    "  --player PROGRAM   the same with Player's code, in turns; the program is built from\n"
    "                     bench/navigation/player.cc, which says how. Without it there is no "
    "ratio\n"
    "  --json             a line of JSON for each row\n"
    "\n"
    "Each side is measured twice. On an idle machine that takes about a quarter of a minute, and\n"
    "with Player a minute. The standard error says what is being measured.\n";

struct figures {
    double particle_field, particle_beam; /* ns of CPU */
    double costs;                         /* of a map for planning */
    double plan[PLACE_JOURNEYS], length[PLACE_JOURNEYS];
    double vfh;
};

struct options {
    bool json;
    double seconds;
    const char *player;
};

static double cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* What happens now; a plan of Player's takes seconds, and the table comes at the end. */
static void say_progress(int round, const char *who)
{
    fprintf(stderr, "round %d of %d: %s\n", round + 1, ROUNDS, who);
}

static void must(tp_status status, const tp_error *err)
{
    if (status != TP_OK) {
        bench_give_up("%s", err->text);
    }
}

static tpi_nav_grid make_grid(int side)
{
    tpi_nav_grid grid = {0};
    tp_error err = {0};

    must(tpi_nav_grid_init(&grid, (uint32_t)side, (uint32_t)side, PLACE_SCALE, &err), &err);
    place_make(grid.cells, side);
    return grid;
}

/* Some beams of a scan, as amcl chooses them. */
static size_t make_beams(const tpi_nav_grid *grid, const double pose[3], size_t count,
                         tpi_nav_beam *beams)
{
    double ranges[PLACE_SCAN];

    place_scan(grid->cells, PLACE_SMALL, pose, (int)count, 8, ranges);
    for (size_t i = 0; i < count; i++) {
        beams[i] = tpi_nav_beam_make(0, 0, -pi / 2 + pi * (double)i / (double)(count - 1),
                                     ranges[i], ranges[i] < 8);
    }
    return count;
}

/* ---- Particles ------------------------------------------------------------------------------- */

static double measure_particles(double seconds, bool rays)
{
    const tpi_nav_filter_settings settings = {
        .least = PLACE_PARTICLES,
        .most = PLACE_PARTICLES,
        .error = 0.05,
        .quantile = 3,
        .drift = {{0.2, 0, 0}, {0, 0.2, 0}, {0.2, 0, 0.2}},
        .seed = 1,
    };
    const double pose[3] = {7.5, 7.5, 0.5};
    const tpi_nav_pose mean = {7.5, 7.5, 0.5};
    const double deviation[3] = {0.3, 0.3, 0.3};
    const tpi_nav_pose by = {0, 0, 0};
    tpi_nav_grid grid = make_grid(PLACE_SMALL);
    tpi_nav_beam beams[PLACE_BEAMS];
    tpi_nav_field field;
    tpi_nav_filter filter = {0};
    tp_error err = {0};
    size_t particles = 0;

    must(tpi_nav_field_init(&field, &grid, 0.1, 0.1, &err), &err);
    field.beams = rays;
    must(tpi_nav_filter_init(&filter, &field, &settings, &err), &err);
    const size_t count = make_beams(&grid, pose, PLACE_BEAMS, beams);
    tpi_nav_filter_start_at(&filter, &mean, deviation);
    const double begin = cpu_ns();
    do {
        tpi_nav_filter_move(&filter, &by);
        tpi_nav_filter_sense(&filter, beams, count);
        particles += filter.count;
    } while (cpu_ns() - begin < seconds * 1e9);
    const double ns = (cpu_ns() - begin) / (double)particles;
    tpi_nav_filter_fini(&filter);
    tpi_nav_field_fini(&field);
    tpi_nav_grid_fini(&grid);
    return ns;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static void measure_plans(double seconds, struct figures *out)
{
    const tpi_nav_plan_settings settings = {.near = 0.4, .far = 1, .penalty = 1};
    tpi_nav_grid grid = make_grid(PLACE_LARGE);
    tpi_nav_plan plan = {0};
    tp_error err = {0};
    const double before = cpu_ns();

    must(tpi_nav_plan_init(&plan, &grid, &settings, &err), &err);
    out->costs = cpu_ns() - before;
    for (int i = 0; i < PLACE_JOURNEYS; i++) {
        double at[4];
        size_t count = 0;
        place_journey(i, at);
        const tpi_nav_point from = {at[0], at[1]}, to = {at[2], at[3]};
        const double begin = cpu_ns();
        do {
            must(tpi_nav_plan_find(&plan, from, to, 0.5, &err), &err);
            count++;
        } while (cpu_ns() - begin < seconds * 1e9 / PLACE_JOURNEYS);
        out->plan[i] = (cpu_ns() - begin) / (double)count;
        out->length[i] = plan.length;
    }
    tpi_nav_plan_fini(&plan);
    tpi_nav_grid_fini(&grid);
}

/* ---- vfh ------------------------------------------------------------------------------------- */

static tpi_nav_vfh_settings vfh_settings(void)
{
    const tpi_nav_pair turnrate = {0.7, 0.7};

    return (tpi_nav_vfh_settings){.sectors = 72,
                                  .view = 2.95,
                                  .safety = {0.1, 0.1},
                                  .turnrate = turnrate,
                                  .lookahead = {1, 2},
                                  .min_turnrate = 0.17,
                                  .max_speed = 0.4,
                                  .speed_narrow = 0.4,
                                  .speed_wide = 0.4,
                                  .max_acceleration = 0.4,
                                  .radius_factor = 1,
                                  .weight_goal = 5,
                                  .weight_current = 3,
                                  .distance_epsilon = 0.3,
                                  .angle_epsilon = 0.2,
                                  .outline = {0.25, 0.25, 0.25}};
}

/* Taking the readings and deciding, as the driver does for each scan. */
static double measure_vfh(double seconds)
{
    enum { SIDE = 61 };
    static tpi_nav_beam beams[PLACE_WALK][PLACE_SCAN];
    static tpi_nav_point points[SIDE * SIDE];
    tpi_nav_vfh vfh = {.settings = vfh_settings()};
    tpi_nav_grid grid = make_grid(PLACE_SMALL);
    tpi_nav_window window;
    tp_error err = {0};
    size_t count = 0;
    double pose[3];

    must(tpi_nav_window_init(&window, SIDE, 0.1, 10, &err), &err);
    for (int i = 0; i < PLACE_WALK; i++) {
        place_walk(i, pose);
        make_beams(&grid, pose, PLACE_SCAN, beams[i]);
    }
    tpi_nav_vfh_begin(&vfh);
    const double begin = cpu_ns();
    do {
        place_walk((int)(count % PLACE_WALK), pose);
        const tpi_nav_pose at = {pose[0], pose[1], pose[2]}, goal = {12, 9, 0};
        const double time = 0.1 * (double)count;
        tpi_nav_window_take(&window, &at, beams[count % PLACE_WALK], PLACE_SCAN, time);
        const size_t known = tpi_nav_window_points(&window, &at, time, points, SIDE * SIDE);
        tpi_nav_vfh_step(&vfh, &at, &goal, points, known, 0.1);
        count++;
    } while (cpu_ns() - begin < seconds * 1e9);
    const double ns = (cpu_ns() - begin) / (double)count;
    tpi_nav_window_fini(&window);
    tpi_nav_grid_fini(&grid);
    return ns;
}

/* ---- Both ------------------------------------------------------------------------------------ */

static void keep_less(double *best, double value)
{
    *best = *best == 0 || value < *best ? value : *best;
}

static void measure_own(double seconds, struct figures *best)
{
    struct figures now = {0};

    keep_less(&best->particle_field, measure_particles(seconds, false));
    keep_less(&best->particle_beam, measure_particles(seconds, true));
    keep_less(&best->vfh, measure_vfh(seconds));
    measure_plans(seconds, &now);
    keep_less(&best->costs, now.costs);
    for (int i = 0; i < PLACE_JOURNEYS; i++) {
        keep_less(&best->plan[i], now.plan[i]);
        best->length[i] = now.length[i];
    }
}

static void measure_player(const struct options *o, struct figures *best)
{
    char command[1024];
    char line[256];
    double value = 0;
    double length = 0;
    int number = 0;
    int found = 0;

    snprintf(command, sizeof command, "timeout %d '%s' %g 2>/dev/null", LONGEST_S, o->player,
             o->seconds);
    FILE *pipe = popen(command, "r");
    while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
        if (sscanf(line, "particle_ns %lf", &value) == 1) {
            keep_less(&best->particle_beam, value);
        } else if (sscanf(line, "vfh_ns %lf", &value) == 1) {
            keep_less(&best->vfh, value);
        } else if (sscanf(line, "cspace_ns %lf", &value) == 1) {
            keep_less(&best->costs, value);
        } else if (sscanf(line, "plan_ns %d %lf %lf", &number, &value, &length) == 3 &&
                   number >= 0 && number < PLACE_JOURNEYS) {
            keep_less(&best->plan[number], value);
            best->length[number] = length;
        } else {
            continue;
        }
        found++;
    }
    const int ended = pipe != NULL ? pclose(pipe) : -1;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 124) {
        bench_give_up("%s was not ready after %d s; --seconds says how long each measurement takes",
                      o->player, LONGEST_S);
    }
    if (ended != 0 || found != 3 + PLACE_JOURNEYS) {
        bench_give_up("%s does not work; bench/navigation/player.cc says how it is built",
                      o->player);
    }
}

static void print_row(const struct options *o, const char *what, const char *unit, double ns,
                      double peer_ns)
{
    if (o->json) {
        printf("{\"what\":\"%s\",\"per_second\":%.6g", what, 1e9 / ns);
        if (peer_ns > 0) {
            printf(",\"player_per_second\":%.6g,\"ratio\":%.4g", 1e9 / peer_ns, peer_ns / ns);
        }
        printf("}\n");
    } else if (peer_ns > 0) {
        printf("%-38s %13.4g %13.4g %8.1f  %s\n", what, 1e9 / ns, 1e9 / peer_ns, peer_ns / ns,
               unit);
    } else {
        printf("%-38s %13.4g %13s %8s  %s\n", what, 1e9 / ns, "", "", unit);
    }
}

static void print_plans(const struct options *o, const struct figures *own,
                        const struct figures *peer)
{
    double sum = 0;
    double peer_sum = 0;
    char name[64];

    print_row(o, "maps made ready for planning", "maps/s", own->costs, peer->costs);
    for (int i = 0; i < PLACE_JOURNEYS; i++) {
        snprintf(name, sizeof name, "plans, journey of %.0f m", own->length[i]);
        print_row(o, name, "plans/s", own->plan[i], peer->plan[i]);
        sum += own->plan[i];
        peer_sum += peer->plan[i];
    }
    print_row(o, "plans, mean of the journeys", "plans/s", sum / PLACE_JOURNEYS,
              peer_sum / PLACE_JOURNEYS);
    for (int i = 0; o->player != NULL && !o->json && i < PLACE_JOURNEYS; i++) {
        printf("way %d: %.1f m, Player's %.1f m\n", i + 1, own->length[i], peer->length[i]);
    }
}

static struct options read_options(int argc, char **argv)
{
    struct options o = {.seconds = 1};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            o.json = true;
        } else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
            o.seconds = strtod(argv[++i], NULL);
        } else if (strcmp(argv[i], "--player") == 0 && i + 1 < argc) {
            o.player = argv[++i];
        } else {
            const bool asked = strcmp(argv[i], "--help") == 0;
            fputs(help, asked ? stdout : stderr);
            exit(asked ? 0 : 2);
        }
    }
    if (!(o.seconds > 0 && o.seconds < 1000)) {
        bench_give_up("--seconds is above 0 and below 1000");
    }
    return o;
}

int main(int argc, char **argv)
{
    const struct options o = read_options(argc, argv);
    struct figures own = {0};
    struct figures peer = {0};

    for (int round = 0; round < ROUNDS; round++) {
        say_progress(round, "Troupe");
        measure_own(o.seconds, &own);
        if (o.player != NULL) {
            say_progress(round, "Player");
            measure_player(&o, &peer);
        }
    }
    if (!o.json) {
        printf("%-38s %13s %13s %8s\n", "on one core", "Troupe", o.player != NULL ? "Player" : "",
               o.player != NULL ? "ratio" : "");
    }
    print_row(&o, "particles, likelihood field (amcl)", "particles/s", own.particle_field,
              peer.particle_beam);
    print_row(&o, "particles, rays (laser_model beam)", "particles/s", own.particle_beam,
              peer.particle_beam);
    print_row(&o, "decisions of vfh", "decisions/s", own.vfh, peer.vfh);
    print_plans(&o, &own, &peer);
    return 0;
}
