/* trail.c - where robots have been; see draw.h and scene.h. */
#include <math.h>
#include <stdlib.h>

#include "sim/draw/scene.h"
#include "sim/inside.h"

enum { MOST_PLACES = 4 << 20 };

static const double least_step = 0.04; /* metres between two places */

struct place {
    float x, y;
};

struct tpi_draw_trails {
    uint32_t count, length; /* robots, and places of each */
    uint32_t *trees;        /* owned: which robots they are */
    uint32_t *left;         /* owned: how many places each has left so far */
    struct place *places;   /* owned: a ring for each */
};

static bool leaves_trail(const tpi_sim *sim, uint32_t tree)
{
    return (sim->trees.flags[tree] & SIM_MOVING) != 0 &&
               sim->trees.template[tree] -> driver != TPI_SIM_NONE;
}

static tp_status take_memory(tpi_draw_trails *trails, tp_error *err)
{
    const size_t count = trails->count;

    if (count * trails->length > MOST_PLACES) {
        trails->length = MOST_PLACES / trails->count;
    }
    trails->trees = calloc(count + 1, sizeof trails->trees[0]);
    trails->left = calloc(count + 1, sizeof trails->left[0]);
    trails->places = calloc(count * trails->length + 1, sizeof trails->places[0]);
    return trails->trees != NULL && trails->left != NULL && trails->places != NULL
               ? TP_OK
               : tp_fail(err, TP_E_NOMEM, "out of memory");
}

tp_status tpi_draw_trails_create(tpi_draw_trails **out, const tpi_sim *sim, uint32_t length,
                                 tp_error *err)
{
    tpi_draw_trails *trails = calloc(1, sizeof *trails);

    *out = NULL;
    if (trails == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    trails->length = length;
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        trails->count += leaves_trail(sim, i);
    }
    const tp_status status = take_memory(trails, err);
    if (status != TP_OK) {
        tpi_draw_trails_destroy(trails);
        return status;
    }
    for (uint32_t i = 0, k = 0; i < sim->trees.count; i++) {
        if (leaves_trail(sim, i)) {
            trails->trees[k++] = i;
        }
    }
    *out = trails;
    return TP_OK;
}

void tpi_draw_trails_destroy(tpi_draw_trails *trails)
{
    if (trails != NULL) {
        free(trails->trees);
        free(trails->left);
        free(trails->places);
        free(trails);
    }
}

void tpi_draw_trails_note(tpi_draw_trails *trails, const tpi_sim *sim)
{
    for (uint32_t i = 0; i < trails->count && trails->length > 0; i++) {
        const uint32_t tree = trails->trees[i];
        struct place *ring = trails->places + (size_t)i * trails->length;
        const double x = sim->trees.x[tree];
        const double y = sim->trees.y[tree];
        const uint32_t left = trails->left[i];
        const struct place last = ring[(left + trails->length - 1) % trails->length];
        if (left == 0 || hypot(x - (double)last.x, y - (double)last.y) >= least_step) {
            ring[left % trails->length] = (struct place){(float)x, (float)y};
            trails->left[i]++;
        }
    }
}

/* ---- Drawing --------------------------------------------------------------------------------- */

enum { PIECES = 8 };

/* One piece of a trail; the older, the fainter. */
static void draw_piece(struct draw_scene *scene, const tpi_draw_trails *trails, uint32_t robot,
                       uint32_t piece)
{
    const struct place *ring = trails->places + (size_t)robot * trails->length;
    const uint32_t left = trails->left[robot];
    const uint32_t count = left < trails->length ? left : trails->length;
    const uint32_t first = left - count + count * piece / PIECES;
    const uint32_t last = left - count + count * (piece + 1) / PIECES; /* the next one's first */
    const uint32_t model = scene->sim->trees.model[trails->trees[robot]];
    const double strength = scene->robots > DRAW_CROWD ? 0.3 : 0.55;
    const struct draw_paint paint = {
        .colour = draw_faint(tpi_draw_scene_colour(scene, model), strength * (piece + 1) / PIECES)};

    tpi_draw_path_clear(&scene->path);
    for (uint32_t i = first; i <= last && i < left; i++) {
        const struct place *place = &ring[i % trails->length];
        const struct draw_point at = draw_at(scene->view, (double)place->x, (double)place->y);
        tpi_draw_path_to(&scene->path, at.x, at.y);
    }
    if (last >= left) { /* up to where it stands now */
        const uint32_t tree = trails->trees[robot];
        const struct draw_point at =
            draw_at(scene->view, scene->sim->trees.x[tree], scene->sim->trees.y[tree]);
        tpi_draw_path_to(&scene->path, at.x, at.y);
    }
    tpi_draw_path_end(&scene->path);
    scene->pen->stroke(scene->pen, &scene->path, DRAW_CUT,
                       fmin(fmax(0.06 * scene->view->scale, 1), 3), &paint);
}

void tpi_draw_trails_show(struct draw_scene *scene, const tpi_draw_trails *trails)
{
    for (uint32_t i = 0; i < trails->count; i++) {
        for (uint32_t k = 0; k < PIECES && trails->left[i] > 1; k++) {
            draw_piece(scene, trails, i, k);
        }
    }
}
