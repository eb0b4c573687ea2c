/* draw_scan.c - what rangers saw last, as light that fades with distance. */
#include <math.h>

#include "sim/draw_scene.h"
#include "sim/inside.h"
#include "sim/maths.h"

enum { ARC = 6 };    /* lines that stand for the end of a wide beam */
enum { CROWD = 24 }; /* more rangers than this are drawn in flat colours */

static void add_end(struct draw_scene *scene, const struct sim_frame *frame, double angle,
                    double range)
{
    double s;
    double c;

    sim_sincos(frame->a + angle, &s, &c);
    const struct draw_point at = draw_at(scene->view, frame->x + range * c, frame->y + range * s);
    tpi_draw_path_to(&scene->path, at.x, at.y);
}

/* The area that a sensor saw free. */
static void add_fan(struct draw_scene *scene, const struct sim_frame *ranger,
                    const tpi_sim_sensor *sensor, const tpi_sim_scan *scan)
{
    const struct sim_frame local = sim_frame_of(&sensor->pose);
    const struct sim_frame frame = sim_frame_join(ranger, &local);
    const struct draw_point from = draw_at(scene->view, frame.x, frame.y);

    tpi_draw_path_to(&scene->path, from.x, from.y);
    for (uint32_t i = 0; i < scan->count && scan->count > 1; i++) {
        add_end(scene, &frame, -sensor->fov / 2 + sensor->fov * i / (scan->count - 1),
                scan->ranges[i]);
    }
    for (uint32_t i = 0; i <= ARC && scan->count == 1; i++) {
        add_end(scene, &frame, -sensor->fov / 2 + sensor->fov * i / ARC, scan->ranges[0]);
    }
    tpi_draw_path_end(&scene->path);
}

static tpi_sim_model root_of(const tpi_sim *sim, tpi_sim_model model)
{
    return sim->trees.model[sim->tree_of[model]];
}

/* All fans of a ranger; how far it sees, 0 if it has not looked yet. */
static double add_fans(struct draw_scene *scene, tpi_sim_model model, const tpi_sim_pose *pose)
{
    const struct sim_frame frame = sim_frame_of(pose);
    double reach = 0;

    for (uint32_t i = 0; i < tpi_sim_sensor_count(scene->sim, model); i++) {
        tpi_sim_sensor sensor;
        tpi_sim_scan scan;
        if (tpi_sim_get_sensor(scene->sim, model, i, &sensor, NULL) == TP_OK &&
            tpi_sim_get_scan(scene->sim, model, i, &scan, NULL) == TP_OK && scan.time_us >= 0) {
            add_fan(scene, &frame, &sensor, &scan);
            reach = fmax(reach, sensor.range_max);
        }
    }
    return reach;
}

static void draw_ranger(struct draw_scene *scene, tpi_sim_model model)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(scene->sim, model);
    const struct draw_point middle = draw_at(scene->view, pose.x, pose.y);
    const bool crowd = scene->rangers > CROWD;

    tpi_draw_path_clear(&scene->path);
    const double reach = add_fans(scene, model, &pose);
    if (!(reach > 0)) {
        return;
    }
    const uint32_t colour = draw_colour_of(scene, root_of(scene->sim, model)) | 255;
    const double glow = crowd ? 0.4 * scene->palette->glow : scene->palette->glow;
    const struct draw_paint paint = {.colour = draw_faint(colour, glow),
                                     .x = middle.x,
                                     .y = middle.y,
                                     .radius = crowd ? 0 : 1.25 * reach * scene->view->scale};
    const struct draw_paint edge = {.colour = draw_faint(colour, 0.8 * glow)};
    scene->pen->fill(scene->pen, &scene->path, &paint);
    if (!crowd) {
        scene->pen->stroke(scene->pen, &scene->path, true, 0.6, &edge);
    }
}

void tpi_draw_scans(struct draw_scene *scene)
{
    tpi_sim_info info;

    for (tpi_sim_model i = 0; i < tpi_sim_model_count(scene->sim); i++) {
        tpi_sim_model_info(scene->sim, i, &info);
        if (info.kind == TPI_SIM_RANGER) {
            draw_ranger(scene, i);
        }
    }
}
