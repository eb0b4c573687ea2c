/* mark.c - small models without bodies: radio tags, and nodes of wireless networks. */
#include "sim/draw/scene.h"
#include "sim/inside.h"

/* A tag is a square that stands on its tip, a node a ring. */
static void draw_mark(struct draw_scene *scene, tpi_sim_model model, bool ring)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(scene->sim, model);
    const struct draw_point at = draw_at(scene->view, pose.x, pose.y);
    const double size = 0.8 * draw_least_spot(scene);
    const struct draw_paint fill = {.colour = tpi_draw_scene_colour(scene, model) | 255};
    const struct draw_paint ink = {.colour = scene->palette->ink};

    tpi_draw_path_clear(&scene->path);
    if (ring) {
        tpi_draw_path_add_circle(&scene->path, at.x, at.y, size);
        scene->pen->stroke(scene->pen, &scene->path, DRAW_CLOSED, 1.6, &fill);
        return;
    }
    tpi_draw_path_to(&scene->path, at.x + size, at.y);
    tpi_draw_path_to(&scene->path, at.x, at.y + size);
    tpi_draw_path_to(&scene->path, at.x - size, at.y);
    tpi_draw_path_to(&scene->path, at.x, at.y - size);
    tpi_draw_path_end(&scene->path);
    scene->pen->fill(scene->pen, &scene->path, &fill);
    scene->pen->stroke(scene->pen, &scene->path, DRAW_CLOSED, 0.8, &ink);
}

void tpi_draw_marks(struct draw_scene *scene)
{
    const struct sim_beacons *tags = &scene->sim->beacons[SIM_TAGS];
    const struct sim_beacons *motes = &scene->sim->beacons[SIM_MOTES];

    for (uint32_t i = 0; i < tags->count; i++) {
        draw_mark(scene, tags->models[i], false);
    }
    for (uint32_t i = 0; i < motes->count; i++) {
        draw_mark(scene, motes->models[i], true);
    }
}
