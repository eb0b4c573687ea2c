/* light.c - lamps, and the light that they throw on the ground. */
#include <math.h>

#include "sim/draw/scene.h"
#include "sim/inside.h"
#include "sim/maths.h"
#include "sim/sense/sensors.h"

enum { RAYS = 8 };
enum { ARC = 32 }; /* lines that stand for the end of a cone */

static double intensity_of(const struct draw_scene *scene, tpi_sim_model model)
{
    double intensity = 0;

    return tpi_sim_get_light(scene->sim, model, &intensity, NULL) == TP_OK ? intensity : 0;
}

static struct draw_point place_of(const struct draw_scene *scene, tpi_sim_model model)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(scene->sim, model);

    return draw_at(scene->view, pose.x, pose.y);
}

/* As far as a sensor would read a quarter, in pixels. The picture is of the world, not of one lamp.
 */
static double reach_of(const struct draw_scene *scene, double intensity)
{
    const struct draw_view *view = scene->view;
    const double most = fmax(view->width, view->height) / 3.0;

    return fmin(fmax(sqrt(4 * intensity), 0.3) * view->scale, most);
}

/* What a light shines at: all around it, or if it is a spotlight, what lies in its cone. */
static void add_lit(struct draw_scene *scene, tpi_sim_model model, double radius)
{
    const struct draw_point at = place_of(scene, model);
    const double heading = tpi_sim_global_pose(scene->sim, model).a;
    double fov = 2 * SIM_PI;

    if (tpi_sim_get_light_fov(scene->sim, model, &fov, NULL) != TP_OK || fov > 2 * SIM_PI - 1e-9) {
        tpi_draw_path_add_circle(&scene->path, at.x, at.y, radius);
        return;
    }
    tpi_draw_path_to(&scene->path, at.x, at.y);
    for (int i = 0; i <= ARC; i++) {
        double s;
        double c;
        sim_sincos(heading + fov * ((double)i / ARC - 0.5), &s, &c);
        tpi_draw_path_to(&scene->path, at.x + radius * c, at.y - radius * s);
    }
    tpi_draw_path_end(&scene->path);
}

/* A bright middle in a wide glow, so faint that what lies on the floor keeps its colours. */
static void draw_light(struct draw_scene *scene, tpi_sim_model model)
{
    const struct draw_point at = place_of(scene, model);
    const uint32_t colour =
        tpi_draw_mix(tpi_draw_scene_colour(scene, model) | 255, 0xffd890ff, 0.4);
    const double intensity = intensity_of(scene, model);

    if (!(intensity > 0)) {
        return;
    }
    const double radius = reach_of(scene, intensity);
    for (int i = 0; i < 2; i++) {
        const double size = i == 0 ? radius : 0.3 * radius;
        const struct draw_paint paint = {.colour = draw_faint(colour, scene->palette->light),
                                         .x = at.x,
                                         .y = at.y,
                                         .radius = size};
        tpi_draw_path_clear(&scene->path);
        add_lit(scene, model, size);
        scene->pen->fill(scene->pen, &scene->path, &paint);
    }
}

/* A disc, with rays if it is lit. */
static void draw_lamp(struct draw_scene *scene, tpi_sim_model model)
{
    const struct draw_point at = place_of(scene, model);
    const bool lit = intensity_of(scene, model) > 0;
    const double size = draw_lamp_size(scene);
    const struct draw_paint ink = {.colour = scene->palette->ink};
    const struct draw_paint fill = {.colour = lit ? tpi_draw_scene_colour(scene, model) | 255
                                                  : scene->palette->ground};

    tpi_draw_path_clear(&scene->path);
    tpi_draw_path_add_circle(&scene->path, at.x, at.y, 0.5 * size);
    scene->pen->fill(scene->pen, &scene->path, &fill);
    scene->pen->stroke(scene->pen, &scene->path, DRAW_CLOSED, 1.2, &ink);
    tpi_draw_path_clear(&scene->path);
    for (int i = 0; lit && i < RAYS; i++) {
        double s;
        double c;
        sim_sincos(2 * SIM_PI * i / RAYS, &s, &c);
        tpi_draw_path_to(&scene->path, at.x + 0.72 * size * c, at.y + 0.72 * size * s);
        tpi_draw_path_to(&scene->path, at.x + size * c, at.y + size * s);
        tpi_draw_path_end(&scene->path);
    }
    scene->pen->stroke(scene->pen, &scene->path, DRAW_ROUND, 1.2, &ink);
}

static void for_all(struct draw_scene *scene,
                    void (*draw)(struct draw_scene *scene, tpi_sim_model model))
{
    const struct sim_beacons *lights = &scene->sim->beacons[SIM_LIGHTS];

    for (uint32_t i = 0; i < lights->count; i++) {
        draw(scene, lights->models[i]);
    }
}

void tpi_draw_lights(struct draw_scene *scene)
{
    for_all(scene, draw_light);
}

void tpi_draw_lamps(struct draw_scene *scene)
{
    for_all(scene, draw_lamp);
}
