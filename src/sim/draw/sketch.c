/* sketch.c - what programs have drawn on the world; see sketch.h and scene.h. */
#include "sim/sketch.h"

#include <math.h>

#include "sim/draw/scene.h"

static const double dot = 2;        /* radius of a point, in pixels */
static const double width = 1.5;    /* of a line */
static const double farthest = 1e5; /* pixels; what is beyond is not drawn */

static struct draw_point place_of(const struct draw_scene *scene, const tpi_sim_pose *pose,
                                  const float *xy)
{
    const double x = (double)xy[0];
    const double y = (double)xy[1];

    return draw_at(scene->view, pose->x + cos(pose->a) * x - sin(pose->a) * y,
                   pose->y + sin(pose->a) * x + cos(pose->a) * y);
}

/* Into the path; false if it is too far away to be drawn. */
static bool trace(struct draw_scene *scene, const tpi_sim_sketched *s)
{
    const tpi_sim_pose pose =
        s->model == TPI_SIM_NONE ? (tpi_sim_pose){0} : tpi_sim_global_pose(scene->sim, s->model);

    tpi_draw_path_clear(&scene->path);
    for (uint32_t i = 0; i < s->stroke.count; i++) {
        const struct draw_point at = place_of(scene, &pose, s->xy + (size_t)i * 2);
        if (!(fabs(at.x) < farthest && fabs(at.y) < farthest)) {
            return false;
        }
        if (s->stroke.kind == TPI_SIM_STROKE_POINTS) {
            tpi_draw_path_add_circle(&scene->path, at.x, at.y, dot);
        } else {
            tpi_draw_path_to(&scene->path, at.x, at.y);
        }
        if (s->stroke.kind == TPI_SIM_STROKE_LINES && i % 2 == 1) {
            tpi_draw_path_end(&scene->path);
        }
    }
    tpi_draw_path_end(&scene->path);
    return true;
}

void tpi_draw_sketches(struct draw_scene *scene)
{
    tpi_sim_sketched s = {0};

    while (tpi_sim_sketch_next(scene->sim, &s)) {
        const struct draw_paint paint = {.colour = s.stroke.colour};
        const struct draw_paint fill = {.colour = s.stroke.fill};
        const bool shape = s.stroke.kind == TPI_SIM_STROKE_SHAPE;
        if (!trace(scene, &s)) {
            continue;
        }
        if (s.stroke.kind == TPI_SIM_STROKE_POINTS) {
            scene->pen->fill(scene->pen, &scene->path, &paint);
            continue;
        }
        if (shape && s.stroke.fill != 0) {
            scene->pen->fill(scene->pen, &scene->path, &fill);
        }
        scene->pen->stroke(scene->pen, &scene->path, shape ? DRAW_CLOSED : DRAW_ROUND, width,
                           &paint);
    }
}
