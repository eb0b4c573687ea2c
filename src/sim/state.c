/*
 * state.c - saving, restoring and hashing all that changes.
 *
 * A saved state is for the same build on the same kind of processor: numbers are stored as they are
 * in memory, behind a head that tells whether world and layout are the same, and with a checksum.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/inside.h"
#include "sim/maths.h"
#include "sim/move/carry.h"
#include "sim/move/joint.h"

struct head {
    char magic[8];
    uint64_t world;    /* what the state belongs to */
    uint64_t checksum; /* of all behind the head */
    uint64_t length;   /* of that */
    int64_t time_us;
};

static const char other_world[] = "the saved state is of another world";
static const char magic[8] = {'T', 'P', 'S', 'I', 'M', '1', '\0', '\0'};

/* Of a member that was changed from outside: its pose, its colour, and whether that is random. */
static const size_t one_change = sizeof(tpi_sim_pose) + 2 * sizeof(uint32_t);

/* What has to be the same for a state to fit: names, sizes and the seed. */
static uint64_t world_of(const tpi_sim *sim)
{
    const struct sim_trees *t = &sim->trees;
    uint64_t hash = sim_mix2(sim->seed, t->count);

    for (uint32_t i = 0; i < t->count; i++) {
        const struct sim_template *template = t->template[i];
        const uint64_t sizes[] = {t->key[i], template->member_count, template->state_size,
                                  template->sample_count, template->vertex_count};
        hash = sim_hash_bytes(hash, sizes, sizeof sizes);
    }
    return sim_mix2(hash, (uint64_t)sim->interval_us);
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static void put(tpi_buf *out, const void *array, size_t count, size_t size)
{
    tpi_buf_put(out, array, count * size);
}

/* Trees that have been changed from outside: where their members are, and their colours. */
static void put_plans(const tpi_sim *sim, tpi_buf *out)
{
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        const struct sim_template *template = sim->trees.template[i];
        for (uint32_t k = 0; template->own && k < template->member_count; k++) {
            const struct sim_member *member = &template->members[k];
            const uint32_t colour[] = {member->traits.colour, member->traits.random_colour};
            put(out, &member->local, 1, sizeof member->local);
            put(out, colour, 1, sizeof colour);
        }
    }
}

void tpi_sim_save(const tpi_sim *sim, tpi_buf *out)
{
    const struct sim_trees *t = &sim->trees;
    const size_t start = out->length;
    struct head head = {.world = world_of(sim), .time_us = sim->time_us};

    memcpy(head.magic, magic, sizeof magic);
    put(out, &head, 1, sizeof head);
    put(out, t->x, t->count, sizeof t->x[0]);
    put(out, t->y, t->count, sizeof t->y[0]);
    put(out, t->z, t->count, sizeof t->z[0]);
    put(out, t->a, t->count, sizeof t->a[0]);
    put(out, t->group, t->count, sizeof t->group[0]);
    put(out, t->flags, t->count, sizeof t->flags[0]);
    for (uint32_t i = 0; i < t->count; i++) {
        tpi_buf_putc(out, t->template[i] -> own ? 1 : 0);
    }
    put(out, sim->state, sim->state_size, 1);
    put(out, sim->samples, sim->sample_count, sizeof sim->samples[0]);
    put(out, sim->values, sim->sample_count, sizeof sim->values[0]);
    put_plans(sim, out);
    if (!out->failed) {
        char *data = out->data + start;
        head.length = out->length - start - sizeof head;
        head.checksum = sim_hash_bytes(0, data + sizeof head, head.length);
        memcpy(data, &head, sizeof head);
    }
}

/* ---- Restoring ------------------------------------------------------------------------------- */

/* Where the pieces of a saved state are. */
struct pieces {
    const char *x, *y, *z, *a;
    const char *group, *flags, *own;
    const char *state, *samples, *values;
    const char *templates;
    const char *end;
};

static const char *cut(const char **at, size_t size)
{
    const char *piece = *at;

    *at += size;
    return piece;
}

/* The length before the templates is known; false if the bytes are fewer. */
static bool find_pieces(const tpi_sim *sim, const char *at, size_t length, struct pieces *p)
{
    const size_t count = sim->trees.count;
    const size_t fixed = count * (4 * sizeof(double) + sizeof(uint32_t) + 2) + sim->state_size +
                         sim->sample_count * (sizeof(double) + sizeof(float));

    if (length < fixed) {
        return false;
    }
    p->end = at + length;
    p->x = cut(&at, count * sizeof(double));
    p->y = cut(&at, count * sizeof(double));
    p->z = cut(&at, count * sizeof(double));
    p->a = cut(&at, count * sizeof(double));
    p->group = cut(&at, count * sizeof(uint32_t));
    p->flags = cut(&at, count);
    p->own = cut(&at, count);
    p->state = cut(&at, sim->state_size);
    p->samples = cut(&at, sim->sample_count * sizeof(double));
    p->values = cut(&at, sim->sample_count * sizeof(float));
    p->templates = at;
    return true;
}

static double number_at(const char *array, size_t index)
{
    double number;

    memcpy(&number, array + index * sizeof number, sizeof number);
    return number;
}

/* Poses and devices of one tree; `state` is that of all, where it can be read. */
static bool check_tree(const tpi_sim *sim, const struct pieces *p, const char *state, uint32_t tree)
{
    const struct sim_template *template = sim->trees.template[tree];
    uint32_t group;
    bool good = fabs(number_at(p->x, tree)) <= 1e15 && fabs(number_at(p->y, tree)) <= 1e15 &&
                fabs(number_at(p->z, tree)) <= 1e15 && fabs(number_at(p->a, tree)) <= SIM_PI &&
                ((uint8_t)p->flags[tree] &
                 ~(SIM_MOVING | SIM_ACTIVE | SIM_OVERLAPS | SIM_LED | SIM_TOUCHES)) == 0 &&
                (!template->moves || (p->flags[tree] & SIM_MOVING) != 0) &&
                (!template->jointed || p->own[tree] != 0);

    memcpy(&group, p->group + tree * sizeof group, sizeof group);
    good = good && group < sim->trees.count;
    for (uint32_t i = 0; good && i < template->device_count; i++) {
        const struct sim_device *device = &template->devices[i];
        const void *own = state + sim->trees.state[tree] + device->state;
        good = device->type->check == NULL || device->type->check(own);
    }
    return good;
}

/* What was changed from outside: a pose and a colour for each member. */
static bool check_plans(const char *templates, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof(tpi_sim_pose) / sizeof(double); k++) {
            if (!(fabs(number_at(templates + i * one_change, k)) <= TPI_SIM_FARTHEST)) {
                return false;
            }
        }
    }
    return true;
}

static bool check_all(const tpi_sim *sim, const struct pieces *p, const char *state)
{
    size_t templates = 0;

    for (uint32_t i = 0; i < sim->trees.count; i++) {
        if (!check_tree(sim, p, state, i)) {
            return false;
        }
        templates += p->own[i] != 0 ? sim->trees.template[i] -> member_count : 0;
    }
    return (size_t)(p->end - p->templates) == templates * one_change &&
           check_plans(p->templates, templates);
}

/* The saved bytes begin anywhere; states are looked at where numbers may stand. */
static tp_status check(const tpi_sim *sim, const struct pieces *p, tp_error *err)
{
    char *state = malloc(sim->state_size + 1);

    if (state == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    memcpy(state, p->state, sim->state_size);
    const bool good = check_all(sim, p, state);
    free(state);
    return good ? TP_OK : tp_fail(err, TP_E_INVALID, "%s", other_world);
}

/* Take memory for all templates that have to be other than in the file. */
static tp_status take_plans(tpi_sim *sim, const struct pieces *p, tp_error *err)
{
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        if (p->own[i] != 0 && tpi_sim_own_plan(sim, i) == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
    }
    return TP_OK;
}

/* Trees that had been changed from outside are so again; those that have been since are not. */
static void restore_plans(tpi_sim *sim, const struct pieces *p)
{
    const char *at = p->templates;

    sim->changes.colours++;
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        struct sim_template *template = sim->trees.template[i];
        if (p->own[i] == 0) {
            tpi_sim_drop_plan(sim, i);
            continue;
        }
        for (uint32_t k = 0; k < template->member_count; k++) {
            uint32_t colour[2];
            memcpy(&template->members[k].local, cut(&at, sizeof(tpi_sim_pose)),
                   sizeof(tpi_sim_pose));
            memcpy(colour, cut(&at, sizeof colour), sizeof colour);
            template->members[k].traits.colour = colour[0];
            template->members[k].traits.random_colour = colour[1] != 0;
        }
        tpi_sim_template_arrange(template);
    }
}

static void restore_arrays(tpi_sim *sim, const struct pieces *p)
{
    struct sim_trees *t = &sim->trees;

    memcpy(t->x, p->x, t->count * sizeof t->x[0]);
    memcpy(t->y, p->y, t->count * sizeof t->y[0]);
    memcpy(t->z, p->z, t->count * sizeof t->z[0]);
    memcpy(t->a, p->a, t->count * sizeof t->a[0]);
    memcpy(t->group, p->group, t->count * sizeof t->group[0]);
    memcpy(t->flags, p->flags, t->count * sizeof t->flags[0]);
    memcpy(sim->state, p->state, sim->state_size);
    memcpy(sim->samples, p->samples, sim->sample_count * sizeof sim->samples[0]);
    memcpy(sim->values, p->values, sim->sample_count * sizeof sim->values[0]);
    for (uint32_t i = 0; i < t->count; i++) {
        sim_sincos(t->a[i], &t->s[i], &t->c[i]);
    }
}

/* Whether the walls are others than before. */
static bool walls_differ(const tpi_sim *sim, const struct pieces *p)
{
    const struct sim_trees *t = &sim->trees;

    for (uint32_t i = 0; i < t->count; i++) {
        if (((t->flags[i] ^ (uint8_t)p->flags[i]) & SIM_MOVING) != 0 ||
            ((t->flags[i] & SIM_MOVING) == 0 &&
             (t->template[i] -> own || p -> own[i] != 0 || t -> x[i] != number_at(p->x, i) || t
              -> y[i] != number_at(p->y, i) || t -> z[i] != number_at(p->z, i) ||
                                                        t -> a[i] != number_at(p->a, i)))) {
            return true;
        }
    }
    return false;
}

tp_status tpi_sim_restore(tpi_sim *sim, const void *bytes, size_t length, tp_error *err)
{
    struct head head;
    struct pieces pieces;
    const char *at = bytes;

    if (length < sizeof head || memcmp(at, magic, sizeof magic) != 0) {
        return tp_fail(err, TP_E_SYNTAX, "this is no saved state of a simulation");
    }
    memcpy(&head, at, sizeof head);
    if (head.length != length - sizeof head ||
        head.checksum != sim_hash_bytes(0, at + sizeof head, head.length)) {
        return tp_fail(err, TP_E_SYNTAX, "the saved state is damaged");
    }
    if (head.world != world_of(sim) || !find_pieces(sim, at + sizeof head, head.length, &pieces) ||
        head.time_us < 0) {
        return tp_fail(err, TP_E_INVALID, "%s", other_world);
    }
    tp_status status = check(sim, &pieces, err);
    if (status != TP_OK) {
        return status;
    }
    const bool other_walls = walls_differ(sim, &pieces);
    status = take_plans(sim, &pieces, err);
    if (status != TP_OK) {
        return status;
    }
    restore_plans(sim, &pieces);
    restore_arrays(sim, &pieces);
    sim->time_us = head.time_us;
    for (uint32_t i = 0; i < sim->jointed.count; i++) {
        tpi_sim_joints_arrange(sim, sim->jointed.trees[i]);
    }
    tpi_sim_carry_restore(sim);
    tpi_sim_crowd_sort(sim);
    return other_walls ? tpi_sim_walls_build(sim, err) : TP_OK;
}

/* ---- Hashing --------------------------------------------------------------------------------- */

/* What has been changed from outside. */
static uint64_t hash_plan(uint64_t hash, const struct sim_template *template)
{
    for (uint32_t i = 0; template->own && i < template->member_count; i++) {
        const struct sim_member *member = &template->members[i];
        const struct sim_member *base = &template->base->members[i];
        if (memcmp(&member->local, &base->local, sizeof member->local) != 0) {
            hash = sim_hash_bytes(sim_mix2(hash, i), &member->local, sizeof member->local);
        }
        if (member->traits.colour != base->traits.colour ||
            member->traits.random_colour != base->traits.random_colour) {
            hash = sim_mix2(sim_mix2(hash, i), member->traits.colour);
        }
    }
    return hash;
}

static uint64_t hash_tree(const tpi_sim *sim, uint32_t tree)
{
    const struct sim_trees *t = &sim->trees;
    const struct sim_template *template = t->template[tree];
    const double pose[] = {t->x[tree], t->y[tree], t->z[tree], t->a[tree]};
    uint64_t hash = sim_mix2(t->key[tree], t->key[t->group[tree]]);

    hash = sim_mix2(hash, t->flags[tree]);
    hash = sim_hash_bytes(hash, pose, sizeof pose);
    hash = sim_hash_bytes(hash, sim->state + t->state[tree], template->state_size);
    hash = sim_hash_bytes(hash, sim->samples + t->samples[tree],
                          template->sample_count * sizeof sim->samples[0]);
    hash = sim_hash_bytes(hash, sim->values + t->samples[tree],
                          template->sample_count * sizeof sim->values[0]);
    return hash_plan(hash, template);
}

uint64_t tpi_sim_hash(const tpi_sim *sim)
{
    uint64_t sum = sim_mix2((uint64_t)sim->time_us, sim->trees.count);

    for (uint32_t i = 0; i < sim->trees.count; i++) {
        sum += hash_tree(sim, i); /* a sum does not depend on the order */
    }
    return sum;
}
