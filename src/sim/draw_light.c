/* draw_light.c - the light that lamps throw on the ground. */
#include <math.h>

#include "sim/draw_scene.h"
#include "sim/inside.h"
#include "sim/sensors.h"

/* As far as it can be told from the dark: where a sensor would read a tenth. */
static double reach_of(double intensity)
{
    return fmin(fmax(sqrt(10 * intensity), 0.3), 8);
}

static void draw_light(struct draw_scene *scene, tpi_sim_model model)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(scene->sim, model);
    const struct draw_point at = draw_at(scene->view, pose.x, pose.y);
    const uint32_t colour = draw_colour_of(scene, model) | 255;
    double intensity = 0;

    if (tpi_sim_get_light(scene->sim, model, &intensity, NULL) != TP_OK || !(intensity > 0)) {
        return;
    }
    const double radius = reach_of(intensity) * scene->view->scale;
    for (int i = 0; i < 2; i++) { /* a bright middle in a wide glow */
        const double size = i == 0 ? radius : 0.3 * radius;
        const struct draw_paint paint = {.colour = draw_faint(colour, 0.75 * scene->palette->light),
                                         .x = at.x,
                                         .y = at.y,
                                         .radius = size};
        tpi_draw_path_clear(&scene->path);
        tpi_draw_path_add_circle(&scene->path, at.x, at.y, size);
        scene->pen->fill(scene->pen, &scene->path, &paint);
    }
}

void tpi_draw_lights(struct draw_scene *scene)
{
    tpi_sim_info info;

    for (tpi_sim_model i = 0; i < tpi_sim_model_count(scene->sim); i++) {
        tpi_sim_model_info(scene->sim, i, &info);
        if (info.kind == TPI_SIM_LIGHT) {
            draw_light(scene, i);
        }
    }
}
