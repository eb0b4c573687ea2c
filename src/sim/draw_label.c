/* draw_label.c - names of robots where they fit, and how long a metre is. */
#include <math.h>
#include <stdio.h>

#include "sim/draw_scene.h"
#include "sim/inside.h"

enum { MOST_NAMES = 40 }; /* of more robots than this, names would be noise */

struct box {
    double x0, y0, x1, y1;
};

static double text_size(const struct draw_view *view)
{
    return fmin(fmax(view->width / 75.0, 10), 16);
}

static bool overlaps(const struct box *a, const struct box *b)
{
    return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

/* Whether a box lies in the picture and on no other; then it is one of them. */
static bool take_place(const struct draw_view *view, struct box *boxes, uint32_t *count,
                       const struct box *box)
{
    if (box->x0 < 2 || box->y0 < 2 || box->x1 > view->width - 2 || box->y1 > view->height - 2) {
        return false;
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (overlaps(&boxes[i], box)) {
            return false;
        }
    }
    boxes[(*count)++] = *box;
    return true;
}

/* Below the robot, or above it. */
static void draw_name(struct draw_scene *scene, uint32_t tree, struct box *boxes, uint32_t *count)
{
    const struct sim_trees *trees = &scene->sim->trees;
    const struct draw_point at = draw_at(scene->view, trees->x[tree], trees->y[tree]);
    const double radius = trees->plan[tree]->radius * scene->view->scale;
    const double size = text_size(scene->view);
    struct draw_text text = {.x = at.x,
                             .anchor = DRAW_MIDDLE,
                             .size = size,
                             .colour = scene->palette->ink,
                             .halo = draw_faint(scene->palette->ground, 0.8),
                             .text = scene->sim->names + trees->name[tree]};
    const double half = tpi_draw_font_width(text.text, size) / 2 + 2;

    for (int above = 0; above < 2; above++) {
        text.y = above ? at.y - radius - 0.35 * size : at.y + radius + 0.95 * size;
        const struct box box = {at.x - half, text.y - 0.8 * size, at.x + half, text.y + 0.3 * size};
        if (take_place(scene->view, boxes, count, &box)) {
            scene->pen->text(scene->pen, &text);
            return;
        }
    }
}

void tpi_draw_names(struct draw_scene *scene)
{
    const struct sim_trees *trees = &scene->sim->trees;
    struct box boxes[MOST_NAMES];
    uint32_t count = 0;

    for (uint32_t i = 0; i < trees->count && scene->robots <= MOST_NAMES; i++) {
        if (trees->name[i] != 0 && trees->plan[i]->driver != TPI_SIM_NONE) {
            draw_name(scene, i, boxes, &count);
        }
    }
}

/* 1, 2 or 5 times a power of ten, not above a limit. */
static double round_length(double most)
{
    const double power = pow(10, floor(log10(most)));
    const double lead = most / power;

    return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

void tpi_draw_scale_bar(struct draw_scene *scene)
{
    const struct draw_view *view = scene->view;
    const double metres = round_length(fmax(view->width / 6.0, 60) / view->scale);
    const double length = metres * view->scale;
    const double x = 14.5;
    const double y = view->height - 7.5;
    const struct draw_paint ink = {.colour = scene->palette->ink};
    const struct draw_paint halo = {.colour = draw_faint(scene->palette->ground, 0.8)};
    char name[32];

    snprintf(name, sizeof name, metres < 1 ? "%.0f cm" : "%.0f m",
             metres < 1 ? 100 * metres : metres);
    tpi_draw_path_clear(&scene->path);
    tpi_draw_path_to(&scene->path, x, y - 5);
    tpi_draw_path_to(&scene->path, x, y);
    tpi_draw_path_to(&scene->path, x + length, y);
    tpi_draw_path_to(&scene->path, x + length, y - 5);
    tpi_draw_path_end(&scene->path);
    scene->pen->stroke(scene->pen, &scene->path, false, 4, &halo);
    scene->pen->stroke(scene->pen, &scene->path, false, 1.5, &ink);
    const struct draw_text text = {.x = x + length / 2,
                                   .y = y - 5,
                                   .anchor = DRAW_MIDDLE,
                                   .size = text_size(view),
                                   .colour = ink.colour,
                                   .halo = halo.colour,
                                   .text = name};
    scene->pen->text(scene->pen, &text);
}
