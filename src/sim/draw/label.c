/*
 * label.c - names of robots and lamps where they fit, and how long a metre is.
 *
 * A name stands beside its robot: of some places the best one is taken, where it covers no other
 * name, if possible no robot, and rather no wall.
 */
#include <math.h>
#include <stdio.h>

#include "sim/draw/scene.h"
#include "sim/inside.h"
#include "sim/sense/sensors.h"

enum { PLACES = 8 };             /* that a name may stand at */
enum { MOST_CORNERS = 1 << 16 }; /* a body with more of them is not looked at closely */

struct box {
    double x0, y0, x1, y1;
};

struct labels {
    struct draw_scene *scene; /* borrowed */
    double size;              /* of letters */
    struct box taken[DRAW_MOST_NAMES + 1];
    uint32_t taken_count;
    struct box robots[DRAW_MOST_NAMES];
    uint32_t robot_count;
};

static double text_size(const struct draw_view *view)
{
    return fmin(fmax(view->width / 75.0, 10), 16);
}

static bool overlaps(const struct box *a, const struct box *b)
{
    return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

/* ---- What is in the way ---------------------------------------------------------------------- */

static bool is_lamp(const struct draw_scene *scene, uint32_t tree)
{
    return scene->sim->trees.template[tree] -> members[0].type->kind == TPI_SIM_LIGHT;
}

/* What has a name. */
static bool is_subject(const struct draw_scene *scene, uint32_t tree)
{
    return scene->sim->trees.template[tree] -> driver != TPI_SIM_NONE ||
                                                   (scene->robots + scene->lights <=
                                                        DRAW_MOST_NAMES &&
                                                    is_lamp(scene, tree));
}

/* What a robot covers; its pose may be far from that. */
static struct box box_of(const struct draw_scene *scene, uint32_t tree)
{
    const struct sim_template *template = scene->sim->trees.template[tree];
    const double least = is_lamp(scene, tree) ? draw_lamp_size(scene) : draw_least_spot(scene);
    struct box box = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};

    for (uint32_t k = 0; k < template->vertex_count; k++) {
        const struct draw_point at = tpi_draw_corner(scene, tree, k);
        box.x0 = fmin(box.x0, at.x);
        box.y0 = fmin(box.y0, at.y);
        box.x1 = fmax(box.x1, at.x);
        box.y1 = fmax(box.y1, at.y);
    }
    if (!(box.x0 <= box.x1)) {
        const struct draw_point at =
            draw_at(scene->view, scene->sim->trees.x[tree], scene->sim->trees.y[tree]);
        box = (struct box){at.x, at.y, at.x, at.y};
    }
    const double wide = fmax(least - (box.x1 - box.x0) / 2, 0);
    const double high = fmax(least - (box.y1 - box.y0) / 2, 0);
    return (struct box){box.x0 - wide, box.y0 - high, box.x1 + wide, box.y1 + high};
}

/* Which side of the line from p to q a corner of the box is on. */
static double side_of(struct draw_point p, struct draw_point q, double x, double y)
{
    return (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x);
}

static bool crosses(const struct box *box, struct draw_point p, struct draw_point q)
{
    if (fmax(p.x, q.x) < box->x0 || fmin(p.x, q.x) > box->x1 || fmax(p.y, q.y) < box->y0 ||
        fmin(p.y, q.y) > box->y1) {
        return false;
    }
    const double a = side_of(p, q, box->x0, box->y0);
    const double b = side_of(p, q, box->x1, box->y0);
    const double c = side_of(p, q, box->x0, box->y1);
    const double d = side_of(p, q, box->x1, box->y1);
    return fmin(fmin(a, b), fmin(c, d)) <= 0 && fmax(fmax(a, b), fmax(c, d)) >= 0;
}

static bool touches_body(const struct draw_scene *scene, uint32_t tree, const struct box *box)
{
    const struct sim_template *template = scene->sim->trees.template[tree];

    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct sim_part *part = &template->parts[i];
        for (uint32_t k = part->first; k < part->first + part->count; k++) {
            if (crosses(box, tpi_draw_corner(scene, tree, k),
                        tpi_draw_corner(scene, tree, k + 1))) {
                return true;
            }
        }
    }
    return false;
}

static bool touches_wall(const struct draw_scene *scene, const struct box *box)
{
    const struct sim_trees *trees = &scene->sim->trees;

    for (uint32_t i = 0; i < trees->count; i++) {
        if (trees->template[i] -> driver == TPI_SIM_NONE &&
                                      trees -> template[i] -> vertex_count <= MOST_CORNERS &&
                                                                  touches_body(scene, i, box)) {
            return true;
        }
    }
    return false;
}

/* How bad a place is; negative if it cannot be. */
static int badness(const struct labels *labels, const struct box *box)
{
    const struct draw_view *view = labels->scene->view;
    int bad = 0;

    if (box->x0 < 2 || box->y0 < 2 || box->x1 > view->width - 2 || box->y1 > view->height - 2) {
        return -1;
    }
    for (uint32_t i = 0; i < labels->taken_count; i++) {
        if (overlaps(&labels->taken[i], box)) {
            return -1;
        }
    }
    for (uint32_t i = 0; i < labels->robot_count; i++) {
        bad += overlaps(&labels->robots[i], box) ? 4 * PLACES : 0;
    }
    return bad + (touches_wall(labels->scene, box) ? 2 * PLACES : 0);
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* The middle of a name and the line that it stands on: below, above, right, left; then the same
 * farther away. */
static struct draw_point place_at(const struct labels *labels, const struct box *robot, double half,
                                  int place)
{
    const double x = (robot->x0 + robot->x1) / 2;
    const double y = (robot->y0 + robot->y1) / 2;
    const double size = labels->size;
    const double away = place < PLACES / 2 ? 0 : 1.3 * size;

    switch (place % (PLACES / 2)) {
    case 0:
        return (struct draw_point){x, robot->y1 + 0.95 * size + away};
    case 1:
        return (struct draw_point){x, robot->y0 - 0.4 * size - away};
    case 2:
        return (struct draw_point){robot->x1 + half + away, y + 0.3 * size};
    default:
        return (struct draw_point){robot->x0 - half - away, y + 0.3 * size};
    }
}

static struct box box_at(const struct labels *labels, struct draw_point at, double half)
{
    return (struct box){at.x - half, at.y - 0.8 * labels->size, at.x + half,
                        at.y + 0.3 * labels->size};
}

/* What would stand beyond the side of the picture is moved into it. */
static struct draw_point move_in(const struct labels *labels, struct draw_point at, double half)
{
    const double width = labels->scene->view->width;

    at.x = fmax(fmin(at.x, width - 3 - half), 3 + half);
    return at;
}

/* What the floor shows at a place of the picture. */
static uint32_t floor_at(const struct draw_scene *scene, double px, double py)
{
    const struct draw_view *view = scene->view;
    const uint32_t colour = tpi_sim_floor_colour(scene->sim, (px - view->x) / view->scale,
                                                 (view->y - py) / view->scale);

    return colour == scene->sim->scene.floor
               ? scene->palette->ground
               : tpi_draw_mix(colour | 255, 0x000000ff, 1 - scene->palette->floor);
}

/* A name is written on what lies on the floor there, which may be as dark as the usual ink. */
static void choose_colours(const struct draw_scene *scene, const struct box *box,
                           struct draw_text *text)
{
    enum { ACROSS = 9, DOWN = 3 };
    const uint32_t ground = scene->palette->ground;
    uint32_t mean = ground;
    bool usual = true;

    for (int i = 0; i < ACROSS * DOWN; i++) {
        const uint32_t floor =
            floor_at(scene, box->x0 + (box->x1 - box->x0) * (i % ACROSS + 0.5) / ACROSS,
                     box->y0 + (box->y1 - box->y0) * ((double)(i / ACROSS) + 0.5) / DOWN);
        mean = tpi_draw_mix(mean, floor, 1.0 / (i + 1));
        usual = usual && floor == ground;
    }
    text->colour = usual ? scene->palette->ink : tpi_draw_ink_on(mean);
    const uint32_t opposite = tpi_draw_brightness(text->colour) < 0.5 ? 0xffffffff : 0x000000ff;
    text->halo = draw_faint(usual ? ground : tpi_draw_mix(mean, opposite, 0.5), 0.8);
}

static void draw_name(struct labels *labels, uint32_t tree)
{
    struct draw_scene *scene = labels->scene;
    const struct box robot = box_of(scene, tree);
    struct draw_text text = {.anchor = DRAW_MIDDLE,
                             .size = labels->size,
                             .text = scene->sim->names.text + scene->sim->trees.name[tree]};
    const double half = tpi_draw_font_width(text.text, text.size) / 2 + 3;
    struct draw_point best = {0};
    int least = -1;

    for (int i = 0; i < PLACES && least != 0; i++) {
        const struct draw_point at = move_in(labels, place_at(labels, &robot, half, i), half);
        const struct box box = box_at(labels, at, half);
        const int bad = badness(labels, &box);
        if (bad >= 0 && (least < 0 || bad + i < least)) {
            least = bad + i;
            best = at;
        }
    }
    if (least >= 0) {
        const struct box box = box_at(labels, best, half);
        labels->taken[labels->taken_count++] = box;
        choose_colours(scene, &box, &text);
        text.x = best.x;
        text.y = best.y;
        scene->pen->text(scene->pen, &text);
    }
}

/* ---- The scale bar --------------------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten, not above a limit. */
static double round_length(double most)
{
    const double power = pow(10, floor(log10(most)));
    const double lead = most / power;

    return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

static double bar_metres(const struct draw_view *view)
{
    return round_length(fmax(view->width / 6.0, 60) / view->scale);
}

static void name_length(char *name, size_t size, double metres)
{
    if (metres >= 999) {
        snprintf(name, size, "%.0f km", metres / 1000);
    } else if (metres >= 0.99) {
        snprintf(name, size, "%.0f m", metres);
    } else if (metres >= 0.0099) {
        snprintf(name, size, "%.0f cm", 100 * metres);
    } else {
        snprintf(name, size, "%.3g mm", 1000 * metres);
    }
}

void tpi_draw_scale_bar(struct draw_scene *scene)
{
    const struct draw_view *view = scene->view;
    const double metres = bar_metres(view);
    const double length = metres * view->scale;
    const double x = 14.5;
    const double y = view->height - 7.5;
    const struct draw_paint ink = {.colour = scene->palette->ink};
    const struct draw_paint halo = {.colour = draw_faint(scene->palette->ground, 0.8)};
    char name[32];

    name_length(name, sizeof name, metres);
    tpi_draw_path_clear(&scene->path);
    tpi_draw_path_to(&scene->path, x, y - 5);
    tpi_draw_path_to(&scene->path, x, y);
    tpi_draw_path_to(&scene->path, x + length, y);
    tpi_draw_path_to(&scene->path, x + length, y - 5);
    tpi_draw_path_end(&scene->path);
    scene->pen->stroke(scene->pen, &scene->path, DRAW_ROUND, 4, &halo);
    scene->pen->stroke(scene->pen, &scene->path, DRAW_ROUND, 1.5, &ink);
    const struct draw_text text = {.x = x + length / 2,
                                   .y = y - 5,
                                   .anchor = DRAW_MIDDLE,
                                   .size = text_size(view),
                                   .colour = ink.colour,
                                   .halo = halo.colour,
                                   .text = name};
    scene->pen->text(scene->pen, &text);
}

/* ---- All ------------------------------------------------------------------------------------- */

void tpi_draw_names(struct draw_scene *scene)
{
    const struct draw_view *view = scene->view;
    struct labels labels = {.scene = scene, .size = text_size(view), .taken_count = 1};
    const uint32_t count = scene->robots <= DRAW_MOST_NAMES ? scene->sim->trees.count : 0;

    labels.taken[0] = (struct box){0, view->height - 12 - labels.size,
                                   22 + bar_metres(view) * view->scale, view->height};
    for (uint32_t i = 0; i < count; i++) {
        if (is_subject(scene, i)) {
            labels.robots[labels.robot_count++] = box_of(scene, i);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_subject(scene, i) && scene->sim->trees.name[i] != 0) {
            draw_name(&labels, i);
        }
    }
}
