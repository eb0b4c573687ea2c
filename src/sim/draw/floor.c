/* floor.c - pictures that lie on the floor. */
#include <math.h>
#include <stdlib.h>

#include "sim/draw/scene.h"
#include "sim/inside.h"
#include "sim/maths.h"
#include "sim/sense/sensors.h"

enum { FINE = 3 }; /* looks for each pixel, along each axis */

/* A rectangle of the floor. */
struct tile {
    struct sim_frame frame; /* of its middle */
    double width, height;
};

static struct tile tile_of(const tpi_sim *sim, tpi_sim_model model, const tpi_sim_info *info)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(sim, model);
    const struct sim_frame frame = sim_frame_of(&pose);
    const struct sim_frame origin = sim_frame_of(&info->origin);

    return (struct tile){sim_frame_join(&frame, &origin), info->size[0], info->size[1]};
}

static bool lies_in(const struct tile *tile, double x, double y)
{
    const double dx = x - tile->frame.x;
    const double dy = y - tile->frame.y;

    return fabs(tile->frame.c * dx + tile->frame.s * dy) <= tile->width / 2 &&
           fabs(tile->frame.c * dy - tile->frame.s * dx) <= tile->height / 2;
}

/* What the middle of a pixel shows, and how much of it the tile is. */
static void look(const struct draw_scene *scene, const struct tile *tile, double px, double py,
                 unsigned char rgba[4])
{
    const struct draw_view *view = scene->view;
    unsigned sums[3] = {0};
    unsigned count = 0;

    for (int i = 0; i < FINE * FINE; i++) {
        const double x = (px + (i % FINE + 0.5) / FINE - view->x) / view->scale;
        const double y = (view->y - py - (i / FINE + 0.5) / FINE) / view->scale;
        if (lies_in(tile, x, y)) {
            const uint32_t colour = tpi_sim_floor_colour(scene->sim, x, y);
            sums[0] += colour >> 24;
            sums[1] += colour >> 16 & 255;
            sums[2] += colour >> 8 & 255;
            count++;
        }
    }
    for (int i = 0; i < 3; i++) {
        rgba[i] = (unsigned char)(count > 0 ? scene->palette->floor * sums[i] / count : 0);
    }
    rgba[3] = (unsigned char)(255 * count / (FINE * FINE));
}

/* The pixels that a tile touches. */
static struct draw_picture frame_of(const struct draw_scene *scene, const struct tile *tile)
{
    const struct draw_point middle = draw_at(scene->view, tile->frame.x, tile->frame.y);
    const double c = fabs(tile->frame.c);
    const double s = fabs(tile->frame.s);
    const double w = (c * tile->width + s * tile->height) / 2 * scene->view->scale;
    const double h = (s * tile->width + c * tile->height) / 2 * scene->view->scale;
    const double left = fmin(fmax(floor(middle.x - w), 0), scene->view->width);
    const double top = fmin(fmax(floor(middle.y - h), 0), scene->view->height);
    const double right = fmin(fmax(ceil(middle.x + w), 0), scene->view->width);
    const double bottom = fmin(fmax(ceil(middle.y + h), 0), scene->view->height);

    return (struct draw_picture){.x = (uint32_t)left,
                                 .y = (uint32_t)top,
                                 .width = (uint32_t)(right - left),
                                 .height = (uint32_t)(bottom - top)};
}

static void draw_tile(struct draw_scene *scene, const struct tile *tile)
{
    struct draw_picture picture = frame_of(scene, tile);
    const size_t count = (size_t)picture.width * picture.height;

    if (count == 0) {
        return;
    }
    picture.rgba = malloc(4 * count);
    if (picture.rgba == NULL) {
        scene->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        look(scene, tile, picture.x + (double)(i % picture.width),
             picture.y + (double)(i / picture.width), picture.rgba + 4 * i);
    }
    scene->pen->picture(scene->pen, &picture);
    free(picture.rgba);
}

void tpi_draw_floors(struct draw_scene *scene)
{
    tpi_sim_info info;

    for (tpi_sim_model i = 0; i < tpi_sim_model_count(scene->sim); i++) {
        tpi_sim_model_info(scene->sim, i, &info);
        if (info.kind == TPI_SIM_FLOOR) {
            const struct tile tile = tile_of(scene->sim, i, &info);
            draw_tile(scene, &tile);
        }
    }
}
