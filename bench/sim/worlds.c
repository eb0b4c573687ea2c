/* worlds.c - scaling worlds; see worlds.h. */
#include "sim/worlds.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { PIXELS = 500, WAVES = 24 };

static const double wall_share = 0.24;
static const double pi = 3.14159265358979323846;

/* ---- Chance ---------------------------------------------------------------------------------- */

static uint64_t seed;

static double chance(void)
{
    seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

/* ---- The cave -------------------------------------------------------------------------------- */

static unsigned char *cave; /* 1 where there is wall; made once */

static int compare(const void *left, const void *right)
{
    const float a = *(const float *)left;
    const float b = *(const float *)right;

    return a < b ? -1 : a > b;
}

/* Hills: waves of several lengths from all directions. */
static float height(int x, int y, double (*waves)[3])
{
    double sum = 0;

    for (int i = 0; i < WAVES; i++) {
        sum += sin(waves[i][0] * x + waves[i][1] * y + waves[i][2]) / (1 + i / 8);
    }
    return (float)sum;
}

/* The highest ground is wall. */
static void make_cave(void)
{
    const size_t count = (size_t)PIXELS * PIXELS;
    float *hills = calloc(2 * count, sizeof hills[0]);
    double waves[WAVES][3];

    cave = calloc(count, 1);
    if (cave == NULL || hills == NULL) {
        bench_give_up("out of memory");
    }
    seed = 7;
    for (int i = 0; i < WAVES; i++) {
        const double length = 110.0 / (1 + i / 8);
        const double way = 2 * pi * chance();
        waves[i][0] = 2 * pi / length * cos(way);
        waves[i][1] = 2 * pi / length * sin(way);
        waves[i][2] = 2 * pi * chance();
    }
    for (size_t i = 0; i < count; i++) {
        hills[i] = hills[count + i] = height((int)(i % PIXELS), (int)(i / PIXELS), waves);
    }
    qsort(hills + count, count, sizeof hills[0], compare);
    const float shore = hills[count + (size_t)((1 - wall_share) * (double)count)];
    for (size_t i = 0; i < count; i++) {
        cave[i] = hills[i] > shore;
    }
    free(hills);
}

void worlds_draw_cave(tpi_buf *out)
{
    if (cave == NULL) {
        make_cave();
    }
    tpi_buf_printf(out, "P5 %d %d 255\n", PIXELS, PIXELS);
    for (size_t i = 0; i < (size_t)PIXELS * PIXELS; i++) {
        tpi_buf_putc(out, cave[i] != 0 ? '\0' : '\xff');
    }
}

/* ---- Robots ---------------------------------------------------------------------------------- */

static const char definitions[] =
    "interval_sim 100\n"
    "define arena model ( color \"gray30\" boundary 1 gui_nose 0 gui_grid 0 )\n"
    "define pbot position ( size [0.44 0.38 0.22] origin [-0.04 0 0 0] mass 23 drive \"diff\"\n"
    "  fiducial_return 1 localization \"gps\" localization_origin [0 0 0 0]\n"
    "  velocity_bounds [-0.5 0.5 0 0 0 0 -90 90] acceleration_bounds [-0.5 0.5 0 0 0 0 -90 90]\n"
    "  block ( points 8 point[0] [-0.20 0.12] point[1] [-0.20 -0.12] point[2] [-0.12 -0.25]\n"
    "    point[3] [0.12 -0.25] point[4] [0.20 -0.12] point[5] [0.20 0.12] point[6] [0.12 0.25]\n"
    "    point[7] [-0.12 0.25] z [0 0.22] ) )\n"
    "define son sensor ( size [0.01 0.05 0.01] range [0 5] fov 15 samples 1 )\n"
    "define sonar16 ranger ( pose [0 0 -0.03 0]\n"
    "  son( pose [ 0.075  0.130 0   90] ) son( pose [ 0.115  0.115 0   50] )\n"
    "  son( pose [ 0.150  0.080 0   30] ) son( pose [ 0.170  0.025 0   10] )\n"
    "  son( pose [ 0.170 -0.025 0  -10] ) son( pose [ 0.150 -0.080 0  -30] )\n"
    "  son( pose [ 0.115 -0.115 0  -50] ) son( pose [ 0.075 -0.130 0  -90] )\n"
    "  son( pose [-0.155 -0.130 0  -90] ) son( pose [-0.195 -0.115 0 -130] )\n"
    "  son( pose [-0.230 -0.080 0 -150] ) son( pose [-0.250 -0.025 0 -170] )\n"
    "  son( pose [-0.250  0.025 0  170] ) son( pose [-0.230  0.080 0  150] )\n"
    "  son( pose [-0.195  0.115 0  130] ) son( pose [-0.155  0.130 0   90] ) )\n"
    "define laserbody ranger ( size [0.156 0.155 0.19] color \"blue\"\n"
    "  block( points 4 point[0] [0 0] point[1] [0 1] point[2] [1 1] point[3] [1 0] z [0 0.19] ) )\n"
    "define laser180 laserbody( sensor( range [0 8] pose [0 0 0.1 0] fov 180 samples 180 ) )\n"
    "define laser361 laserbody( sensor( range [0 8] pose [0 0 0.1 0] fov 180 samples 361 ) )\n"
    "define ir sensor ( range [0 2] fov 30 samples 1 )\n"
    "define swarmbot position ( size [0.1 0.1 0.1] ranger ( pose [0 0 -0.05 0]\n"
    "  ir( pose [0 0 0   0] ) ir( pose [0 0 0  30] ) ir( pose [0 0 0  60] ) ir( pose [0 0 0  90] "
    ")\n"
    "  ir( pose [0 0 0 120] ) ir( pose [0 0 0 150] ) ir( pose [0 0 0 180] ) ir( pose [0 0 0 210] "
    ")\n"
    "  ir( pose [0 0 0 240] ) ir( pose [0 0 0 270] ) ir( pose [0 0 0 300] )\n"
    "  ir( pose [0 0 0 330] ) ) )\n"
    "define bot_sonar16 pbot( sonar16() ctrl \"expand_pioneer\" )\n"
    "define bot_laser180 pbot( laser180() ctrl \"wander\" )\n"
    "define bot_laser361 pbot( laser361() ctrl \"wander\" )\n"
    "define blind pbot( velocity [0.2 0 0 10] alwayson 1 )\n"
    "define bot_light1 blind( light() lightsensor( alwayson 1 ) )\n"
    "define bot_sound1 blind( sound() microphone( alwayson 1 ) )\n"
    "define bot_wifi1 blind( wifi( alwayson 1 ) )\n"
    "define bot_ir12 swarmbot( ctrl \"expand_swarm\" )\n";

static bool is_free(const struct bench_world *world, double x, double y, double margin)
{
    const double pixel = world->side / PIXELS;
    const int reach = (int)ceil(margin / pixel);
    const int mx = (int)((x / world->side + 0.5) * PIXELS);
    const int my = (int)((0.5 - y / world->side) * PIXELS);

    for (int dy = -reach; dy <= reach; dy++) {
        for (int dx = -reach; dx <= reach; dx++) {
            const int px = mx + dx;
            const int py = my + dy;
            if (dx * dx + dy * dy <= reach * reach && px >= 0 && py >= 0 && px < PIXELS &&
                py < PIXELS && cave[py * PIXELS + px] != 0) {
                return false;
            }
        }
    }
    return true;
}

/* Who stands where, for keeping distance: one robot for each cell of half the distance or so. */
struct floor {
    double side, cell, apart;
    int cells;
    float (*at)[2]; /* of each cell; NAN where nobody stands */
};

static bool keeps_distance(const struct floor *floor, double x, double y)
{
    const int cx = (int)((x + floor->side / 2) / floor->cell);
    const int cy = (int)((y + floor->side / 2) / floor->cell);

    for (int j = cy - 2; j <= cy + 2; j++) {
        for (int i = cx - 2; i <= cx + 2; i++) {
            if (i < 0 || j < 0 || i >= floor->cells || j >= floor->cells) {
                continue;
            }
            const float *other = floor->at[(size_t)j * (size_t)floor->cells + (size_t)i];
            if (hypot(x - (double)other[0], y - (double)other[1]) < floor->apart) {
                return false;
            }
        }
    }
    float *own = floor->at[(size_t)cy * (size_t)floor->cells + (size_t)cx];
    own[0] = (float)x;
    own[1] = (float)y;
    return true;
}

static void put_robots(const struct bench_world *world, struct floor *floor, double margin,
                       tpi_buf *out)
{
    uint32_t placed = 0;
    const double free_side = world->side - 2 * margin;

    for (uint64_t i = 0; placed < world->robots; i++) {
        const double x = (chance() - 0.5) * free_side;
        const double y = (chance() - 0.5) * free_side;
        if (i > 400 * (uint64_t)world->robots + 100000) {
            bench_give_up("no room for %u robots", world->robots);
        }
        if (is_free(world, x, y, margin) && keeps_distance(floor, x, y)) {
            tpi_buf_printf(out, "bot_%s( name \"r%u\" pose [%.3f %.3f 0 %.3f] )\n", world->sensor,
                           placed++, x, y, chance() * 360 - 180);
        }
    }
}

void worlds_write(struct bench_world *world, const char *picture, tpi_buf *out)
{
    const bool swarm = strcmp(world->sensor, "ir12") == 0;
    const double area = swarm ? 0.5 : 8;
    struct floor floor = {.apart = swarm ? 0.2 : 0.75};

    if (cave == NULL) {
        make_cave();
    }
    seed = 1;
    world->rays = (uint32_t)atoi(world->sensor + strcspn(world->sensor, "0123456789"));
    world->side = fmax(swarm ? 4 : 16, sqrt(world->robots * area / (1 - wall_share)));
    floor.side = world->side;
    floor.cell = floor.apart * 0.7;
    floor.cells = (int)(world->side / floor.cell) + 1;
    floor.at = malloc((size_t)floor.cells * (size_t)floor.cells * sizeof floor.at[0]);
    if (floor.at == NULL) {
        bench_give_up("out of memory");
    }
    memset(floor.at, 0xff, (size_t)floor.cells * (size_t)floor.cells * sizeof floor.at[0]);
    tpi_buf_puts(out, definitions);
    tpi_buf_printf(out, "arena( name \"map\" size [%.3f %.3f 0.6] bitmap \"%s\" )\n", world->side,
                   world->side, picture);
    put_robots(world, &floor, swarm ? 0.12 : 0.45, out);
    free(floor.at);
}
