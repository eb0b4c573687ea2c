/*
 * build.c - lays out the memory of a world whose trees have been read.
 *
 * Trees are put in the order of a curve through space that keeps neighbours together, so that the
 * order of the file does not matter and memory is read in one sweep.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/control.h"
#include "sim/maths.h"
#include "sim/move/carry.h"
#include "sim/move/joint.h"
#include "sim/move/power.h"
#include "sim/move/resolve.h"
#include "sim/sense/ranger.h"
#include "sim/sense/sense.h"
#include "sim/step.h"
#include "sim/world/world.h"

/* ---- Order ----------------------------------------------------------------------------------- */

static struct sim_seed *seeds_of(const struct sim_loader *loader)
{
    return (struct sim_seed *)(void *)loader->seeds.data;
}

/* The bits of a number, each followed by a zero. */
static uint64_t spread(uint32_t number)
{
    uint64_t bits = number;

    bits = (bits | bits << 16) & UINT64_C(0x0000ffff0000ffff);
    bits = (bits | bits << 8) & UINT64_C(0x00ff00ff00ff00ff);
    bits = (bits | bits << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    bits = (bits | bits << 2) & UINT64_C(0x3333333333333333);
    return (bits | bits << 1) & UINT64_C(0x5555555555555555);
}

/* A coordinate as a whole number: centimetres from the farthest possible place. */
static uint32_t whole(double metres)
{
    return (uint32_t)((metres + TPI_SIM_FARTHEST) * 100);
}

static int compare(const void *left, const void *right)
{
    const struct sim_seed *a = left;
    const struct sim_seed *b = right;

    if (a->cell != b->cell) {
        return a->cell < b->cell ? -1 : 1;
    }
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->ordinal < b->ordinal ? -1 : 1;
}

static void sort_seeds(struct sim_loader *loader, uint32_t count)
{
    struct sim_seed *seeds = seeds_of(loader);

    for (uint32_t i = 0; i < count; i++) {
        seeds[i].cell = spread(whole(seeds[i].pose.x)) | spread(whole(seeds[i].pose.y)) << 1;
    }
    if (count > 0) {
        qsort(seeds, count, sizeof seeds[0], compare);
    }
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static bool take_trees(tpi_sim *sim, uint32_t count)
{
    struct sim_trees *t = &sim->trees;

    t->count = count;
    t->template = tpi_sim_take(sim, count, sizeof t->template[0]);
    t->x = tpi_sim_take(sim, count, sizeof(double));
    t->y = tpi_sim_take(sim, count, sizeof(double));
    t->z = tpi_sim_take(sim, count, sizeof(double));
    t->a = tpi_sim_take(sim, count, sizeof(double));
    t->c = tpi_sim_take(sim, count, sizeof(double));
    t->s = tpi_sim_take(sim, count, sizeof(double));
    t->key = tpi_sim_take(sim, count, sizeof t->key[0]);
    t->state = tpi_sim_take(sim, count, sizeof t->state[0]);
    t->samples = tpi_sim_take(sim, count, sizeof t->samples[0]);
    t->model = tpi_sim_take(sim, count, sizeof t->model[0]);
    t->name = tpi_sim_take(sim, count, sizeof t->name[0]);
    t->ordinal = tpi_sim_take(sim, count, sizeof t->ordinal[0]);
    t->order = tpi_sim_take(sim, count, sizeof t->order[0]);
    t->group = tpi_sim_take(sim, count, sizeof t->group[0]);
    t->flags = tpi_sim_take(sim, count, sizeof t->flags[0]);
    return t->template != NULL && t->x != NULL && t->y != NULL && t->z != NULL && t->a != NULL &&
           t->c != NULL && t->s != NULL && t->key != NULL && t->state != NULL &&
           t->samples != NULL && t->model != NULL && t->name != NULL && t->ordinal != NULL &&
           t->order != NULL && t->group != NULL && t->flags != NULL;
}

static bool take_motions(tpi_sim *sim, uint32_t count)
{
    struct sim_motions *m = &sim->motions;

    m->vx = tpi_sim_take(sim, count, sizeof(double));
    m->vy = tpi_sim_take(sim, count, sizeof(double));
    m->w = tpi_sim_take(sim, count, sizeof(double));
    m->until = tpi_sim_take(sim, count, sizeof(double));
    m->next = tpi_sim_take(sim, count, sizeof(double));
    m->before = tpi_sim_take(sim, count, sizeof(double));
    m->reach = tpi_sim_take(sim, count, sizeof(double));
    m->stalled = tpi_sim_take(sim, count, sizeof m->stalled[0]);
    sim->contest.spots = tpi_sim_take(sim, count, sizeof sim->contest.spots[0]);
    sim->contest.counts = tpi_sim_take(sim, count / SIM_CHUNK + 1, sizeof sim->contest.counts[0]);
    sim->contest.order = tpi_sim_take(sim, count, sizeof sim->contest.order[0]);
    sim->contest.free_before = tpi_sim_take(sim, (size_t)count + 1, sizeof(uint32_t));
    sim->standing.trees = tpi_sim_take(sim, count, sizeof sim->standing.trees[0]);
    return m->vx != NULL && m->vy != NULL && m->w != NULL && m->until != NULL && m->next != NULL &&
           m->before != NULL && sim->contest.order != NULL && sim->contest.free_before != NULL &&
           m->reach != NULL && m->stalled != NULL && sim->contest.spots != NULL &&
           sim->contest.counts != NULL && sim->standing.trees != NULL;
}

static void put_tree(tpi_sim *sim, uint32_t index, const struct sim_seed *seed)
{
    struct sim_trees *t = &sim->trees;
    const struct sim_frame frame = sim_frame_of(&seed->pose);

    t->template[index] = seed->template;
    t->x[index] = frame.x;
    t->y[index] = frame.y;
    t->z[index] = frame.z;
    t->a[index] = frame.a;
    t->c[index] = frame.c;
    t->s[index] = frame.s;
    t->key[index] = seed->key;
    t->state[index] = sim->state_size;
    t->samples[index] = sim->sample_count;
    t->model[index] = sim->model_count;
    t->name[index] = seed->name;
    t->ordinal[index] = seed->ordinal;
    t->order[index] = seed->order;
    t->group[index] = index;
    t->flags[index] = seed->template->moves ? SIM_MOVING : 0;
    if (!seed->template->moves && seed->template->device_count > 0) {
        sim->standing.trees[sim->standing.count++] = index;
    }
    sim->state_size += seed->template->state_size;
    sim->sample_count += seed->template->sample_count;
    sim->model_count += seed->template->member_count;
}

static bool take_models(tpi_sim *sim)
{
    sim->tree_of = tpi_sim_take(sim, sim->model_count, sizeof sim->tree_of[0]);
    sim->state = tpi_sim_take(sim, sim->state_size, 1);
    sim->samples = tpi_sim_take(sim, sim->sample_count, sizeof sim->samples[0]);
    sim->values = tpi_sim_take(sim, sim->sample_count, sizeof sim->values[0]);
    if (sim->tree_of == NULL || sim->state == NULL || sim->samples == NULL || sim->values == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        for (uint32_t k = 0; k < sim->trees.template[i] -> member_count; k++) {
            sim->tree_of[sim->trees.model[i] + k] = i;
        }
    }
    return true;
}

/* ---- Workers --------------------------------------------------------------------------------- */

static void run_alone(void *context, tpi_sim_work *work, void *argument, uint32_t count)
{
    (void)context;
    for (uint32_t i = 0; i < count; i++) {
        work(argument, i, 0);
    }
}

static bool take_scratch(tpi_sim *sim)
{
    size_t most = 0;

    for (uint32_t i = 0; i < sim->trees.count; i++) {
        for (uint32_t k = 0; k < sim->trees.template[i] -> device_count; k++) {
            const size_t count = sim->trees.template[i] -> devices[k].sample_count;
            most = count > most ? count : most;
        }
    }
    if (sim->crew.run == NULL) {
        sim->crew = (tpi_sim_crew){.workers = 1, .run = run_alone};
    }
    sim->scratch = tpi_sim_take(sim, sim->crew.workers, sizeof sim->scratch[0]);
    for (uint32_t i = 0; sim->scratch != NULL && i < sim->crew.workers; i++) {
        struct sim_scratch *scratch = &sim->scratch[i];
        scratch->pending = tpi_sim_pending_create(sim, (uint32_t)most);
        if (scratch->pending == NULL) {
            return false;
        }
    }
    return sim->scratch != NULL;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static tp_status lay_out(struct sim_loader *loader)
{
    tpi_sim *sim = loader->sim;
    const size_t count = loader->seeds.length / sizeof(struct sim_seed);

    sort_seeds(loader, (uint32_t)count);
    if (!take_trees(sim, (uint32_t)count) || !take_motions(sim, (uint32_t)count)) {
        return tpi_sim_no_memory(loader);
    }
    for (uint32_t i = 0; i < count; i++) {
        put_tree(sim, i, &seeds_of(loader)[i]);
    }
    sim->names.text = tpi_sim_take(sim, loader->names.length, 1);
    if (sim->names.text == NULL || !take_models(sim) || !take_scratch(sim)) {
        return tpi_sim_no_memory(loader);
    }
    memcpy(sim->names.text, loader->names.data, loader->names.length);
    return TP_OK;
}

/* Whether a tree comes behind another one in its file. */
static bool is_behind(const struct sim_loader *loader, uint32_t tree, uint32_t other)
{
    const tpi_cfg_place *a = &seeds_of(loader)[tree].place;
    const tpi_cfg_place *b = &seeds_of(loader)[other].place;

    if (strcmp(a->file, b->file) != 0) {
        return strcmp(a->file, b->file) > 0;
    }
    return a->line != b->line ? a->line > b->line : a->column > b->column;
}

enum { MOST_OVERLAPS = 20 }; /* told one by one */

/* Two trees, the one that the note is about first. */
struct overlap {
    uint32_t order; /* of the first in the file */
    uint32_t tree, other;
};

struct overlaps {
    const struct sim_loader *loader; /* borrowed */
    tpi_buf list;                    /* owned: structs */
};

/* Seeds have the numbers of trees. Of two that move each is found in the other: told in the order
 * of the file both say the same, and what was reported already is not told again. */
static void note_overlap(void *context, uint32_t tree, uint32_t other)
{
    struct overlaps *found = context;
    const struct sim_trees *trees = &found->loader->sim->trees;
    const bool both_move = (trees->flags[other] & SIM_MOVING) != 0;
    const bool exchanged = both_move && is_behind(found->loader, tree, other);
    const struct overlap one = {.order = trees->order[exchanged ? other : tree],
                                .tree = exchanged ? other : tree,
                                .other = exchanged ? tree : other};

    tpi_buf_put(&found->list, &one, sizeof one);
}

static int compare_overlaps(const void *left, const void *right)
{
    const struct overlap *a = left;
    const struct overlap *b = right;

    if (a->order != b->order) {
        return a->order < b->order ? -1 : 1;
    }
    return a->other < b->other ? -1 : a->other > b->other;
}

static void tell_overlap(struct sim_loader *loader, uint32_t tree, uint32_t other)
{
    tpi_buf name = {0};
    tpi_buf other_name = {0};

    tpi_sim_put_name(loader->sim, loader->sim->trees.model[tree], &name);
    tpi_sim_put_name(loader->sim, loader->sim->trees.model[other], &other_name);
    tpi_sim_note(&loader->reader, &seeds_of(loader)[tree].place,
                 "\"%.60s\" overlaps \"%.60s\"; it can only drive out of it", tpi_buf_text(&name),
                 tpi_buf_text(&other_name));
    tpi_buf_fini(&name);
    tpi_buf_fini(&other_name);
}

static void check_overlaps(struct sim_loader *loader)
{
    struct overlaps found = {.loader = loader};
    tp_error text;

    if (loader->reader.note == NULL) {
        (void)tpi_sim_check_overlaps(loader->sim, NULL, NULL, NULL);
        return;
    }
    const uint32_t unchecked = tpi_sim_check_overlaps(loader->sim, NULL, note_overlap, &found);
    struct overlap *list = (struct overlap *)(void *)found.list.data;
    const size_t count = found.list.length / sizeof *list;
    if (count > 0) {
        qsort(list, count, sizeof *list, compare_overlaps);
    }
    for (size_t i = 0; i < count && i < MOST_OVERLAPS; i++) {
        tell_overlap(loader, list[i].tree, list[i].other);
    }
    if (count > MOST_OVERLAPS) {
        tp_fail(&text, TP_E_INVALID, "%s: %zu more robots overlap something", loader->reader.file,
                count - MOST_OVERLAPS);
        loader->reader.note(loader->reader.context, text.text);
    }
    if (unchecked > 0) {
        tp_fail(&text, TP_E_INVALID,
                "%s: %u more robots stand among so many models in one place that overlaps are not "
                "checked; place them apart",
                loader->reader.file, unchecked);
        loader->reader.note(loader->reader.context, text.text);
    }
    tpi_buf_fini(&found.list);
}

static tp_status init_forage(struct sim_loader *loader)
{
    bool lost = false;
    tp_status status = tpi_sim_forage_init(loader->sim, &lost, loader->reader.err);
    tp_error text;

    if (lost && loader->reader.note != NULL) {
        tp_fail(&text, TP_E_INVALID,
                "%s: \"fasr\" needs models with the names \"source\" and \"sink\"; without them "
                "its robots stand still",
                loader->reader.file);
        loader->reader.note(loader->reader.context, text.text);
    }
    return status;
}

tp_status tpi_sim_build(struct sim_loader *loader)
{
    tpi_sim *sim = loader->sim;
    tp_status status = loader->names.failed ? tpi_sim_no_memory(loader) : lay_out(loader);

    if (status == TP_OK) {
        status = tpi_sim_index_names(sim, loader->reader.err);
    }
    if (status == TP_OK) {
        status = tpi_sim_list_beacons(sim, loader->reader.err);
    }
    if (status == TP_OK) {
        status = tpi_sim_joints_init(sim, loader->reader.err);
    }
    if (status == TP_OK) {
        status = tpi_sim_carry_init(sim, loader->reader.err);
    }
    if (status == TP_OK) {
        status = tpi_sim_power_init(sim, loader->reader.err);
    }
    if (status == TP_OK) {
        status = tpi_sim_walls_build(sim, loader->reader.err);
    }
    if (status == TP_OK) {
        status = tpi_sim_crowd_init(sim, loader->reader.err);
    }
    if (status == TP_OK) {
        status = init_forage(loader);
    }
    if (status == TP_E_NOMEM) {
        return tpi_sim_no_memory(loader);
    }
    if (status == TP_OK) {
        tpi_sim_start_devices(sim);
        for (uint32_t i = 0; i < sim->jointed.count; i++) {
            tpi_sim_joints_arrange(sim, sim->jointed.trees[i]);
        }
        tpi_sim_crowd_sort(sim);
        check_overlaps(loader);
    }
    return status;
}
