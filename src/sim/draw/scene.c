/* scene.c - a world from above, from the ground up; see draw.h. */
#include "sim/draw/scene.h"

#include <math.h>

#include "sim/inside.h"
#include "sim/looks.h"

static const struct draw_palette light = {
    .ground = 0xf6f3ecff,
    .grid = 0xece7dcff,
    .grid_heavy = 0xe0d9caff,
    .shadow = 0x2c24184c,
    .ink = 0x4a443cff,
    .glow = 0.30,
    .light = 0.34,
    .floor = 1,
};

static const struct draw_palette dark = {
    .ground = 0x12151aff,
    .grid = 0x191d24ff,
    .grid_heavy = 0x222833ff,
    .shadow = 0x000000b0,
    .ink = 0xc4cad4ff,
    .glow = 0.50,
    .light = 0.26,
    .floor = 0.45,
    .is_dark = true,
};

/* ---- Colours --------------------------------------------------------------------------------- */

uint32_t tpi_draw_mix(uint32_t from, uint32_t to, double share)
{
    uint32_t mixed = from & 255;

    for (int shift = 8; shift < 32; shift += 8) {
        const double a = from >> shift & 255;
        const double b = to >> shift & 255;
        mixed |= (uint32_t)(a + (b - a) * share + 0.5) << shift;
    }
    return mixed;
}

double tpi_draw_brightness(uint32_t colour)
{
    return (0.299 * (colour >> 24) + 0.587 * (colour >> 16 & 255) + 0.114 * (colour >> 8 & 255)) /
           255;
}

static const struct draw_palette *palette_on(uint32_t ground)
{
    return tpi_draw_brightness(ground) < 0.45 ? &dark : &light;
}

uint32_t tpi_draw_ink_on(uint32_t ground)
{
    return palette_on(ground)->ink;
}

/* What is as dark as the ground is shown a little lighter. */
uint32_t tpi_draw_scene_colour(const struct draw_scene *scene, tpi_sim_model model)
{
    const uint32_t colour = tpi_sim_look_colour(scene->sim, model);
    const double brightness = tpi_draw_brightness(colour);

    if (scene->palette->is_dark && brightness < 0.35) {
        return tpi_draw_mix(colour, 0xffffffff, 0.38 - brightness);
    }
    return colour;
}

/* The same with another ground. */
static struct draw_palette with_ground(struct draw_palette palette, uint32_t ground)
{
    palette.ground = ground;
    palette.grid = tpi_draw_mix(ground, palette.ink, 0.06);
    palette.grid_heavy = tpi_draw_mix(ground, palette.ink, 0.12);
    return palette;
}

struct draw_palette tpi_draw_palette(const tpi_sim *sim, const tpi_draw_look *look)
{
    static const uint32_t dusk = 0x3a3f47ff; /* black tape can be told from it, white paper too */
    const double bright = look->dark ? dark.floor : light.floor;
    const uint32_t floor = tpi_draw_mix(sim->scene.floor | 255, 0x000000ff, 1 - bright);
    const bool is_usual = sim->scene.floor >> 8 == 0xffffff; /* and need not be so glaring */
    struct draw_palette palette = *palette_on(floor);

    if (is_usual && look->dark && sim->beacons[SIM_FLOORS].count > 0) {
        return with_ground(dark, dusk);
    }
    if (is_usual) {
        return look->dark ? dark : light;
    }
    palette.floor = bright;
    return with_ground(palette, floor);
}

/* ---- Places ---------------------------------------------------------------------------------- */

struct draw_point tpi_draw_corner(const struct draw_scene *scene, uint32_t tree, uint32_t k)
{
    const struct sim_trees *trees = &scene->sim->trees;
    const struct sim_template *template = trees->template[tree];
    const double c = trees->c[tree];
    const double s = trees->s[tree];

    return draw_at(scene->view, trees->x[tree] + c * template->vx[k] - s * template->vy[k],
                   trees->y[tree] + s * template->vx[k] + c * template->vy[k]);
}

/* ---- The ground ------------------------------------------------------------------------------ */

/* Lines every `step` metres, along one axis. */
static void add_lines(struct draw_scene *scene, int axis, double step)
{
    const struct draw_view *view = scene->view;
    const double side = axis == 0 ? view->width : view->height;
    const double zero = axis == 0 ? view->x : view->y;
    const double gap = step * view->scale;

    for (double at = zero - floor(zero / gap) * gap; at < side; at += gap) {
        const double sharp = floor(at) + 0.5; /* one pixel, not two halves */
        tpi_draw_path_to(&scene->path, axis == 0 ? sharp : 0, axis == 0 ? 0 : sharp);
        tpi_draw_path_to(&scene->path, axis == 0 ? sharp : view->width,
                         axis == 0 ? view->height : sharp);
        tpi_draw_path_end(&scene->path);
    }
}

static void draw_lines(struct draw_scene *scene, double step, uint32_t colour)
{
    const struct draw_paint paint = {.colour = colour};

    tpi_draw_path_clear(&scene->path);
    add_lines(scene, 0, step);
    add_lines(scene, 1, step);
    scene->pen->stroke(scene->pen, &scene->path, DRAW_ROUND, 1, &paint);
}

/* A grid whose lines are neither crowded nor lost. */
static void draw_grid(struct draw_scene *scene)
{
    double step = 0.001;

    while (step * scene->view->scale < 18) {
        step *= 10;
    }
    draw_lines(scene, step, scene->palette->grid);
    draw_lines(scene, 5 * step, scene->palette->grid_heavy);
}

/* ---- Crowds ---------------------------------------------------------------------------------- */

static void count_crowd(struct draw_scene *scene)
{
    const tpi_sim *sim = scene->sim;

    for (uint32_t i = 0; i < sim->trees.count; i++) {
        const struct sim_template *template = sim->trees.template[i];
        scene->robots += template->driver != TPI_SIM_NONE;
        scene->lights += template->members[0].type->kind == TPI_SIM_LIGHT;
        for (uint32_t k = 0; k < template->device_count; k++) {
            scene->rangers += template->devices[k].type->kind == TPI_SIM_RANGER;
        }
    }
}

/* ---- All ------------------------------------------------------------------------------------- */

bool tpi_draw_scene(struct draw_pen *pen, const struct draw_view *view, const tpi_sim *sim,
                    const tpi_draw_look *look)
{
    const struct draw_palette palette = tpi_draw_palette(sim, look);
    struct draw_scene scene = {.pen = pen, .view = view, .sim = sim, .palette = &palette};

    count_crowd(&scene);
    if (!look->bare) {
        draw_grid(&scene);
    }
    tpi_draw_floors(&scene);
    tpi_draw_lights(&scene);
    if (look->trails != NULL) {
        tpi_draw_trails_show(&scene, look->trails);
    }
    tpi_draw_scans(&scene);
    tpi_draw_bodies(&scene);
    tpi_draw_lamps(&scene);
    tpi_draw_marks(&scene);
    tpi_draw_sketches(&scene);
    if (!look->bare) {
        tpi_draw_names(&scene);
        tpi_draw_scale_bar(&scene);
    }
    const bool failed = scene.failed || pen->failed || tpi_draw_path_failed(&scene.path);
    tpi_draw_path_fini(&scene.path);
    return !failed;
}
