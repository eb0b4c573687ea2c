/*
 * body.c - bodies from above, with shadows.
 *
 * The light comes from the upper left. Shadows lie on the ground; above them bodies are drawn from
 * the lowest to the highest.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/draw/scene.h"
#include "sim/inside.h"

static const double shadow_per_height = 0.28; /* how far a shadow reaches, in each direction */
static const double longest_shadow = 0.30;    /* metres */
static const double widest_blur = 12;         /* pixels */

/* Parts of one model that are equally high. */
struct item {
    double z0, z1;
    uint32_t tree, first, count;
    uint32_t colour;
};

/* ---- What there is --------------------------------------------------------------------------- */

static void gather_tree(const struct draw_scene *scene, uint32_t tree, tpi_buf *items)
{
    const tpi_sim *sim = scene->sim;
    const struct sim_template *template = sim->trees.template[tree];

    for (uint32_t i = 0; i < template->part_count;) {
        const struct sim_part *part = &template->parts[i];
        struct item item = {
            .z0 = sim->trees.z[tree] + part->z0,
            .z1 = sim->trees.z[tree] + part->z1,
            .tree = tree,
            .first = i,
            .colour = tpi_draw_scene_colour(scene, sim->trees.model[tree] + part->member)};
        while (i < template->part_count && template->parts[i].member == part->member &&
               template->parts[i].z0 == part->z0 && template->parts[i].z1 == part->z1) {
            item.count++;
            i++;
        }
        tpi_buf_put(items, &item, sizeof item);
    }
}

static int compare(const void *left, const void *right)
{
    const struct item *a = left;
    const struct item *b = right;

    if (a->z1 != b->z1) {
        return a->z1 < b->z1 ? -1 : 1;
    }
    if (a->colour != b->colour) {
        return a->colour < b->colour ? -1 : 1;
    }
    if (a->tree != b->tree) {
        return a->tree < b->tree ? -1 : 1;
    }
    return a->first < b->first ? -1 : a->first > b->first;
}

/* ---- Outlines -------------------------------------------------------------------------------- */

static void add_outline(struct draw_scene *scene, const struct item *item, double shift)
{
    const struct sim_template *template = scene->sim->trees.template[item->tree];

    for (uint32_t i = item->first; i < item->first + item->count; i++) {
        const struct sim_part *part = &template->parts[i];
        for (uint32_t k = part->first; k < part->first + part->count; k++) {
            const struct draw_point at = tpi_draw_corner(scene, item->tree, k);
            tpi_draw_path_to(&scene->path, at.x + shift, at.y + shift);
        }
        tpi_draw_path_end(&scene->path);
    }
}

/* ---- Shadows --------------------------------------------------------------------------------- */

/* What an edge covers on its way from one shift to another, always the same way round. */
static void add_swept_edge(struct draw_scene *scene, struct draw_point p, struct draw_point q,
                           double from, double to)
{
    if (q.x - p.x < q.y - p.y) {
        const struct draw_point other = p;
        p = q;
        q = other;
    }
    tpi_draw_path_to(&scene->path, p.x + from, p.y + from);
    tpi_draw_path_to(&scene->path, p.x + to, p.y + to);
    tpi_draw_path_to(&scene->path, q.x + to, q.y + to);
    tpi_draw_path_to(&scene->path, q.x + from, q.y + from);
    tpi_draw_path_end(&scene->path);
}

static void draw_shadow(struct draw_scene *scene, const struct item *item)
{
    const struct sim_template *template = scene->sim->trees.template[item->tree];
    const double most = longest_shadow * scene->view->scale;
    const double unit = shadow_per_height * scene->view->scale;
    const double from = fmin(fmax(item->z0 * unit, 0), most);
    const double to = fmin(fmax(item->z1 * unit, 0), most);
    const struct draw_paint paint = {.colour = scene->palette->shadow};

    tpi_draw_path_clear(&scene->path);
    add_outline(scene, item, from);
    add_outline(scene, item, to);
    for (uint32_t i = item->first; i < item->first + item->count; i++) {
        const struct sim_part *part = &template->parts[i];
        for (uint32_t k = part->first; k < part->first + part->count; k++) {
            add_swept_edge(scene, tpi_draw_corner(scene, item->tree, k),
                           tpi_draw_corner(scene, item->tree, k + 1), from, to);
        }
    }
    scene->pen->fill(scene->pen, &scene->path, &paint);
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

static void draw_edge(struct draw_scene *scene, const struct item *item)
{
    const double width = fmin(fmax(0.012 * scene->view->scale, 0.5), 1.2);
    const struct draw_paint paint = {.colour = tpi_draw_mix(item->colour, 0x000000ff, 0.42)};

    tpi_draw_path_clear(&scene->path);
    add_outline(scene, item, 0);
    scene->pen->stroke(scene->pen, &scene->path, DRAW_CLOSED, 2 * width, &paint);
}

static void draw_top(struct draw_scene *scene, const struct item *item)
{
    const struct draw_paint paint = {.colour = item->colour};

    tpi_draw_path_clear(&scene->path);
    add_outline(scene, item, 0);
    scene->pen->fill(scene->pen, &scene->path, &paint);
}

/* Those that are alike and equally high grow together: first the edges of all of them. */
static size_t draw_alike(struct draw_scene *scene, const struct item *items, size_t count)
{
    size_t alike = 0;

    while (alike < count && items[alike].z1 == items[0].z1 &&
           items[alike].colour == items[0].colour) {
        draw_edge(scene, &items[alike++]);
    }
    for (size_t i = 0; i < alike; i++) {
        draw_top(scene, &items[i]);
    }
    return alike;
}

/* Which way a robot looks: an arrowhead at its front. */
static void draw_nose(struct draw_scene *scene, uint32_t tree)
{
    static const double shape[4][2] = {{0.46, 0}, {0.10, 0.24}, {0.20, 0}, {0.10, -0.24}};
    const struct sim_trees *trees = &scene->sim->trees;
    const struct sim_traits *traits = &trees->template[tree] -> members[0].traits;
    const uint32_t colour = tpi_draw_scene_colour(scene, trees->model[tree]);
    const struct draw_paint paint = {.colour = tpi_draw_brightness(colour) > 0.62 ? 0x1a1a1ad8u
                                                                                  : 0xffffffe8u};

    tpi_draw_path_clear(&scene->path);
    for (int i = 0; i < 4; i++) {
        const double lx = traits->origin.x + shape[i][0] * traits->size[0];
        const double ly = traits->origin.y + shape[i][1] * traits->size[1];
        const struct draw_point at =
            draw_at(scene->view, trees->x[tree] + trees->c[tree] * lx - trees->s[tree] * ly,
                    trees->y[tree] + trees->s[tree] * lx + trees->c[tree] * ly);
        tpi_draw_path_to(&scene->path, at.x, at.y);
    }
    tpi_draw_path_end(&scene->path);
    scene->pen->fill(scene->pen, &scene->path, &paint);
}

/* A robot that is too small to be seen becomes a spot. */
static void draw_spot(struct draw_scene *scene, uint32_t tree)
{
    const struct sim_trees *trees = &scene->sim->trees;
    const struct draw_point at = draw_at(scene->view, trees->x[tree], trees->y[tree]);
    const uint32_t colour = tpi_draw_scene_colour(scene, trees->model[tree]);
    const struct draw_paint paint = {.colour = tpi_draw_mix(colour, 0xffffffff, 0.25)};

    tpi_draw_path_clear(&scene->path);
    tpi_draw_path_add_circle(&scene->path, at.x, at.y, draw_least_spot(scene));
    scene->pen->fill(scene->pen, &scene->path, &paint);
}

static void draw_noses(struct draw_scene *scene)
{
    const struct sim_trees *trees = &scene->sim->trees;

    for (uint32_t i = 0; i < trees->count; i++) {
        const struct sim_template *template = trees->template[i];
        if (template->driver == TPI_SIM_NONE || template->part_count == 0) {
            continue;
        }
        if (template->radius * scene->view->scale < draw_least_spot(scene)) {
            draw_spot(scene, i);
        } else {
            draw_nose(scene, i);
        }
    }
}

void tpi_draw_bodies(struct draw_scene *scene)
{
    const tpi_sim *sim = scene->sim;
    tpi_buf items = {0};

    for (uint32_t i = 0; i < sim->trees.count; i++) {
        gather_tree(scene, i, &items);
    }
    scene->failed |= items.failed;
    const size_t count = items.failed ? 0 : items.length / sizeof(struct item);
    struct item *item = (struct item *)(void *)items.data;
    if (count > 0) {
        qsort(item, count, sizeof *item, compare);
    }
    scene->pen->begin_shadow(scene->pen, fmin(fmax(0.05 * scene->view->scale, 1), widest_blur),
                             scene->palette->shadow);
    for (size_t i = 0; i < count; i++) {
        draw_shadow(scene, &item[i]);
    }
    scene->pen->end_shadow(scene->pen);
    for (size_t i = 0; i < count;) {
        i += draw_alike(scene, &item[i], count - i);
    }
    draw_noses(scene);
    tpi_buf_fini(&items);
}
