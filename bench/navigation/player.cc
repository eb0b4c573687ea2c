/*
 * player.cc - the same work by Player's amcl, wavefront and vfh; for ./troupe bench navigation.
 *
 * Not part of the build: it needs Player 3 with these drivers, from which it takes nothing but the
 * library. With the sources of Player in $P and a release build of them in $B:
 *
 *     export LD_LIBRARY_PATH=$(find $B -name '*.so' -printf '%h:')
 *     gcc -O2 -c -o place.o bench/navigation/place.c
 *     g++ -O2 -w -fpermissive -I$P -I$B -I$P/server/drivers -I/usr/include/tirpc \
 *         -o player-harness bench/navigation/player.cc place.o \
 *         -L$B/server/libplayerdrivers -lplayerdrivers -L$B/libplayercore -lplayercore
 *     ./troupe bench navigation --player ./player-harness
 *
 * The linker and the program both look for Player's libraries in LD_LIBRARY_PATH.
 *
 * Usage: player-harness SECONDS. It repeats each work for so long and prints nanoseconds of CPU for
 * one particle, one plan of each journey, and one update of vfh.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vector>

#define private public /* the sensor model is Player's own and not meant for others */
#define protected public
#include "localization/amcl/amcl_laser.h"
#include "localization/amcl/pf/pf.h"
#include "localization/amcl/pf/pf_pdf.h"
#include "planner/wavefront/plan.h"
#include "position/vfh/vfh_algorithm.h"
#undef private
#undef protected
#include <libplayercore/globals.h>

#include "place.h"

static double cpu_ns()
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* ---- Particles ------------------------------------------------------------------------------- */

/* As AMCLOdom::ActionModel() does it, which cannot be called without its configuration. */
static void act(void *pdf, pf_sample_set_t *set)
{
    for (int i = 0; i < set->sample_count; i++) {
        const pf_vector_t z = pf_pdf_gaussian_sample((pf_pdf_gaussian_t *)pdf);
        set->samples[i].pose = pf_vector_coord_add(z, set->samples[i].pose);
        set->samples[i].weight = 1.0 / set->sample_count;
    }
}

static map_t *small_map(const signed char *cells)
{
    map_t *map = map_alloc();

    map->scale = PLACE_SCALE;
    map->size_x = map->size_y = PLACE_SMALL;
    map->origin_x = map->origin_y = PLACE_SMALL / 2 * PLACE_SCALE;
    map->cells = (map_cell_t *)calloc((size_t)PLACE_SMALL * PLACE_SMALL, sizeof *map->cells);
    for (int i = 0; i < PLACE_SMALL * PLACE_SMALL; i++) {
        map->cells[i].occ_state = cells[i];
    }
    return map;
}

static double measure_particles(double seconds)
{
    std::vector<signed char> cells((size_t)PLACE_SMALL * PLACE_SMALL);
    const double pose[3] = {7.5, 7.5, 0.5};
    double ranges[PLACE_SCAN];
    player_devaddr_t addr;
    AMCLLaser *laser = new AMCLLaser(*(AdaptiveMCL *)calloc(1, 65536), addr);
    AMCLLaserData data;
    pf_t *pf = pf_alloc(PLACE_PARTICLES, PLACE_PARTICLES);
    pf_vector_t mean = pf_vector_zero();
    pf_matrix_t cov = pf_matrix_zero();
    pf_matrix_t step = pf_matrix_zero();
    long count = 0;

    place_make(cells.data(), PLACE_SMALL);
    place_scan(cells.data(), PLACE_SMALL, pose, PLACE_SCAN, 8, ranges);
    laser->map = small_map(cells.data());
    laser->laser_pose = pf_vector_zero();
    laser->max_beams = PLACE_BEAMS;
    laser->range_var = 0.1;
    laser->range_bad = 0.1;
    data.sensor = laser;
    data.range_count = PLACE_SCAN;
    data.range_max = 8;
    data.ranges = new double[PLACE_SCAN][2];
    for (int i = 0; i < PLACE_SCAN; i++) {
        data.ranges[i][0] = ranges[i];
        data.ranges[i][1] = (i - PLACE_SCAN / 2) * M_PI / (PLACE_SCAN - 1);
    }
    memcpy(mean.v, pose, sizeof pose);
    for (int i = 0; i < 3; i++) {
        cov.m[i][i] = 0.3 * 0.3;
        step.m[i][i] = 0.02 * 0.02;
    }
    pf_init(pf, mean, cov);
    pf_pdf_gaussian_t *pdf = pf_pdf_gaussian_alloc(pf_vector_zero(), step);
    const double begin = cpu_ns();
    do {
        pf_update_action(pf, act, pdf);
        pf_update_sensor(pf, (pf_sensor_model_fn_t)AMCLLaser::SensorModel, &data);
        pf_update_resample(pf);
        count += PLACE_PARTICLES;
    } while (cpu_ns() - begin < seconds * 1e9);
    return (cpu_ns() - begin) / (double)count;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static void measure_plans(double seconds)
{
    std::vector<signed char> cells((size_t)PLACE_LARGE * PLACE_LARGE);
    plan_t *plan = plan_alloc(0.4, 0.4, 1.0, 1.0, 0.5);

    place_make(cells.data(), PLACE_LARGE);
    plan->scale = PLACE_SCALE;
    plan->size_x = plan->size_y = PLACE_LARGE;
    plan->origin_x = plan->origin_y = PLACE_SCALE / 2;
    plan->cells = (plan_cell_t *)calloc(cells.size(), sizeof *plan->cells);
    for (size_t i = 0; i < cells.size(); i++) {
        plan->cells[i].occ_state = cells[i];
    }
    plan_init(plan);
    const double before = cpu_ns();
    plan_compute_cspace(plan);
    printf("cspace_ns %.0f\n", cpu_ns() - before);
    for (int i = 0; i < PLACE_JOURNEYS; i++) {
        double j[4];
        int found = 0;
        long count = 0;
        place_journey(i, j);
        const double begin = cpu_ns();
        do {
            found = plan_do_global(plan, j[0], j[1], j[2], j[3]) >= 0;
            plan_update_waypoints(plan, j[0], j[1]);
            count++;
        } while (cpu_ns() - begin < seconds * 1e9 / PLACE_JOURNEYS);
        double length = 0;
        for (int k = 0; k + 1 < plan->path_count; k++) {
            length += PLACE_SCALE * hypot(plan->path[k + 1]->ci - plan->path[k]->ci,
                                          plan->path[k + 1]->cj - plan->path[k]->cj);
        }
        printf("plan_ns %d %.0f %.2f\n", i, (cpu_ns() - begin) / (double)count,
               found ? length : 0.0);
    }
}

/* ---- vfh ------------------------------------------------------------------------------------- */

static double measure_vfh(double seconds)
{
    std::vector<signed char> cells((size_t)PLACE_SMALL * PLACE_SMALL);
    VFH_Algorithm vfh(100, 61, 5, 100, 100, 400, 400, 400, 400, 10, 40, 40, 1.0, 2000000, 4000000,
                      2000000, 4000000, 5, 3);
    static double lasers[PLACE_WALK][361][2];
    double ranges[PLACE_SCAN];
    long count = 0;

    place_make(cells.data(), PLACE_SMALL);
    for (int k = 0; k < PLACE_WALK; k++) {
        double pose[3];
        place_walk(k, pose);
        place_scan(cells.data(), PLACE_SMALL, pose, PLACE_SCAN, 8, ranges);
        for (int i = 0; i < 361; i++) {
            lasers[k][i][0] = ranges[i / 2] * 1000;
        }
    }
    vfh.SetRobotRadius(250);
    vfh.Init();
    const double begin = cpu_ns();
    do {
        int speed = 0, turn = 0;
        vfh.Update_VFH(lasers[count % PLACE_WALK], 300, 90, 3000, 300, speed, turn);
        count++;
    } while (cpu_ns() - begin < seconds * 1e9);
    return (cpu_ns() - begin) / (double)count;
}

int main(int argc, char **argv)
{
    const double seconds = argc == 2 ? atof(argv[1]) : 0;

    if (!(seconds > 0)) {
        fprintf(stderr, "usage: %s SECONDS\n", argv[0]);
        return 2;
    }
    player_globals_init(); /* vfh reads its clock, unless assertions are left out */
    printf("particle_ns %.2f\n", measure_particles(seconds));
    printf("vfh_ns %.0f\n", measure_vfh(seconds));
    fflush(stdout);
    measure_plans(seconds);
    return 0;
}
