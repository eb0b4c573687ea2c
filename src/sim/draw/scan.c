/* scan.c - what rangers saw last, as light that fades with distance. */
#include <math.h>

#include "sim/draw/scene.h"
#include "sim/inside.h"
#include "sim/maths.h"
#include "sim/ray/ray.h"

enum { ARC = 16 }; /* lines that stand for the end of a wide beam */

static void add_end(struct draw_scene *scene, const struct sim_frame *frame, double angle,
                    double range)
{
    double s;
    double c;

    sim_sincos(frame->a + angle, &s, &c);
    const struct draw_point at = draw_at(scene->view, frame->x + range * c, frame->y + range * s);
    tpi_draw_path_to(&scene->path, at.x, at.y);
}

/* A wide beam that measures one range has it from its middle. What stands beside that and is nearer
 * still ends the beam there: it does not reach through walls. */
static double clear_range(const tpi_sim *sim, const struct sim_frame *frame, uint32_t group,
                          double angle, double range)
{
    struct sim_ray ray = {
        .x = frame->x, .y = frame->y, .z = frame->z, .group = group, .sees = SIM_VISIBLE};
    struct sim_hit hit = sim_no_hit(range);

    sim_sincos(frame->a + angle, &ray.dy, &ray.dx);
    return tpi_sim_cast(sim, &ray, &hit) ? hit.range : range;
}

static void add_beam(struct draw_scene *scene, const struct sim_frame *frame, uint32_t group,
                     double fov, double range)
{
    for (int i = 0; i <= ARC; i++) {
        const double angle = fov * ((double)i / ARC - 0.5);
        add_end(scene, frame, angle,
                i == ARC / 2 ? range : clear_range(scene->sim, frame, group, angle, range));
    }
}

/* The area that a sensor saw free. */
static void add_fan(struct draw_scene *scene, tpi_sim_model model, const tpi_sim_sensor *sensor,
                    const tpi_sim_scan *scan)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(scene->sim, model);
    const struct sim_frame ranger = sim_frame_of(&pose);
    const struct sim_frame local = sim_frame_of(&sensor->pose);
    const struct sim_frame frame = sim_frame_join(&ranger, &local);
    const struct draw_point from = draw_at(scene->view, frame.x, frame.y);

    tpi_draw_path_to(&scene->path, from.x, from.y);
    for (uint32_t i = 0; i < scan->count && scan->count > 1; i++) {
        add_end(scene, &frame, -sensor->fov / 2 + sensor->fov * i / (scan->count - 1),
                scan->ranges[i]);
    }
    if (scan->count == 1) {
        add_beam(scene, &frame, scene->sim->trees.group[scene->sim->tree_of[model]], sensor->fov,
                 scan->ranges[0]);
    }
    tpi_draw_path_end(&scene->path);
}

static tpi_sim_model root_of(const tpi_sim *sim, tpi_sim_model model)
{
    return sim->trees.model[sim->tree_of[model]];
}

/* All fans of a ranger; how far it sees, 0 if it has not looked yet. */
static double add_fans(struct draw_scene *scene, tpi_sim_model model)
{
    double reach = 0;

    for (uint32_t i = 0; i < tpi_sim_sensor_count(scene->sim, model); i++) {
        tpi_sim_sensor sensor;
        tpi_sim_scan scan;
        if (tpi_sim_get_sensor(scene->sim, model, i, &sensor, NULL) == TP_OK &&
            tpi_sim_get_scan(scene->sim, model, i, &scan, NULL) == TP_OK && scan.time_us >= 0) {
            add_fan(scene, model, &sensor, &scan);
            reach = fmax(reach, sensor.range_max);
        }
    }
    return reach;
}

/* Light that is as bright as the ground would not be seen on it. */
static uint32_t visible_on(uint32_t ground, uint32_t colour)
{
    return fabs(tpi_draw_brightness(colour) - tpi_draw_brightness(ground)) < 0.1
               ? tpi_draw_mix(colour, 0x000000ff, 0.35)
               : colour;
}

/* The area that a ranger may see, in square metres. */
static double area_of(const tpi_sim *sim, tpi_sim_model model)
{
    double area = 0;

    for (uint32_t i = 0; i < tpi_sim_sensor_count(sim, model); i++) {
        tpi_sim_sensor sensor;
        tpi_sim_scan scan;
        if (tpi_sim_get_sensor(sim, model, i, &sensor, NULL) != TP_OK ||
            tpi_sim_get_scan(sim, model, i, &scan, NULL) != TP_OK || scan.count == 0) {
            continue;
        }
        const double range = scan.ranges[scan.count / 2];
        area += sensor.fov / 2 * range * range;
    }
    return area;
}

/* How strong each scan is: where many lie on each other, all of them together are as strong as
 * `most`, so that what is below can still be seen. */
static double glow_of(const struct draw_scene *scene)
{
    static const double most = 0.5;
    const struct draw_view *view = scene->view;
    const double ground = (view->high[0] - view->low[0]) * (view->high[1] - view->low[1]);
    const double glow =
        scene->rangers > DRAW_CROWD ? 0.4 * scene->palette->glow : scene->palette->glow;
    tpi_sim_info info;
    double area = 0;

    for (tpi_sim_model i = 0; i < tpi_sim_model_count(scene->sim); i++) {
        tpi_sim_model_info(scene->sim, i, &info);
        area += info.kind == TPI_SIM_RANGER ? area_of(scene->sim, i) : 0;
    }
    return area <= ground ? glow : fmin(glow, 1 - pow(1 - most, ground / area));
}

static void draw_ranger(struct draw_scene *scene, tpi_sim_model model, double glow)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(scene->sim, model);
    const struct draw_point middle = draw_at(scene->view, pose.x, pose.y);
    const bool crowd = scene->rangers > DRAW_CROWD;

    tpi_draw_path_clear(&scene->path);
    const double reach = add_fans(scene, model);
    if (!(reach > 0)) {
        return;
    }
    const uint32_t own = tpi_draw_scene_colour(scene, root_of(scene->sim, model)) | 255;
    const uint32_t colour = visible_on(scene->palette->ground, own);
    const struct draw_paint paint = {.colour = draw_faint(colour, glow),
                                     .x = middle.x,
                                     .y = middle.y,
                                     .radius = crowd ? 0 : 1.25 * reach * scene->view->scale};
    const struct draw_paint edge = {.colour = draw_faint(colour, 0.8 * glow)};
    scene->pen->fill(scene->pen, &scene->path, &paint);
    if (!crowd) {
        scene->pen->stroke(scene->pen, &scene->path, DRAW_CLOSED, 0.6, &edge);
    }
}

void tpi_draw_scans(struct draw_scene *scene)
{
    const double glow = scene->rangers > 0 ? glow_of(scene) : 0;
    tpi_sim_info info;

    for (tpi_sim_model i = 0; i < tpi_sim_model_count(scene->sim); i++) {
        tpi_sim_model_info(scene->sim, i, &info);
        if (info.kind == TPI_SIM_RANGER) {
            draw_ranger(scene, i, glow);
        }
    }
}
