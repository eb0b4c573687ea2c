/* sim.c - a world as a whole: its memory, and what is asked about its models. */
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>

#include "sim/control.h"
#include "sim/inside.h"
#include "sim/maths.h"
#include "sim/sense/ranger.h"
#include "sim/sense/sense.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

void *tpi_sim_take(tpi_sim *sim, size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);

    if (memory != NULL) {
        sim->bytes += count * size;
    }
    return memory;
}

static void free_trees(struct sim_trees *trees)
{
    void *const arrays[] = {(void *)trees->template,
                            trees->x,
                            trees->y,
                            trees->z,
                            trees->a,
                            trees->c,
                            trees->s,
                            trees->key,
                            trees->state,
                            trees->model,
                            trees->samples,
                            trees->name,
                            trees->ordinal,
                            trees->order,
                            trees->group,
                            trees->flags};

    for (uint32_t i = 0; trees->template != NULL && i < trees->count; i++) {
        if (trees->template[i] != NULL && trees->template[i] -> own) {
            free(trees->template[i]);
        }
    }
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        free(arrays[i]);
    }
}

static void free_scratch(tpi_sim *sim)
{
    for (uint32_t i = 0; sim->scratch != NULL && i < sim->crew.workers; i++) {
        tpi_sim_pending_destroy(sim->scratch[i].pending);
    }
    free(sim->scratch);
}

void tpi_sim_destroy(tpi_sim *sim)
{
    if (sim == NULL) {
        return;
    }
    free_trees(&sim->trees);
    free_scratch(sim);
    tpi_sim_walls_fini(&sim->walls);
    tpi_sim_crowd_fini(&sim->crowd);
    free(sim->motions.vx);
    free(sim->motions.vy);
    free(sim->motions.w);
    free(sim->motions.until);
    free(sim->motions.next);
    free(sim->motions.before);
    free(sim->motions.reach);
    free(sim->motions.stalled);
    free(sim->contest.spots);
    free(sim->contest.counts);
    free(sim->contest.order);
    free(sim->contest.free_before);
    free(sim->standing.trees);
    free(sim->jointed.trees);
    free(sim->grips.items);
    free(sim->powered.trees);
    for (int i = 0; i < SIM_BEACONS; i++) {
        free(sim->beacons[i].models);
    }
    tpi_sim_forage_free(sim->forage);
    tpi_sim_sketches_free(sim->sketches);
    free(sim->tree_of);
    free(sim->names.text);
    free(sim->names.table);
    free(sim->state);
    free(sim->samples);
    free(sim->values);
    tpi_arena_fini(&sim->arena);
    free(sim);
}

void tpi_sim_get_usage(const tpi_sim *sim, tpi_sim_usage *usage)
{
    *usage = (tpi_sim_usage){
        .bytes = sim->bytes + sizeof *sim,
        .sample_bytes = sim->sample_count * (sizeof sim->samples[0] + sizeof sim->values[0]),
        .bodies = sim->crowd.count,
        .segments = sim->walls.count,
    };
    for (uint32_t i = 0; i < sim->crew.workers; i++) {
        usage->rays += sim->scratch[i].rays;
        usage->looks += sim->scratch[i].looks;
    }
}

/* ---- Time ------------------------------------------------------------------------------------ */

int64_t tpi_sim_time_us(const tpi_sim *sim)
{
    return sim->time_us;
}

int64_t tpi_sim_interval_us(const tpi_sim *sim)
{
    return sim->interval_us;
}

int64_t tpi_sim_quit_us(const tpi_sim *sim)
{
    return sim->quit_us;
}

const char *tpi_sim_name(const tpi_sim *sim)
{
    return sim->title;
}

/* ---- Models ---------------------------------------------------------------------------------- */

uint32_t tpi_sim_model_order(const tpi_sim *sim, tpi_sim_model model)
{
    return sim->trees.order[sim->tree_of[model]];
}

uint32_t tpi_sim_model_count(const tpi_sim *sim)
{
    return sim->model_count;
}

uint32_t tpi_sim_member_colour(const tpi_sim *sim, uint32_t tree, uint32_t index)
{
    const struct sim_member *member = &sim->trees.template[tree] -> members[index];

    if (!member->traits.random_colour) {
        return member->traits.colour;
    }
    return (uint32_t)sim_chance(sim->seed ^ sim->trees.key[tree], member->salt, 0) | 0xff;
}

void tpi_sim_model_info(const tpi_sim *sim, tpi_sim_model model, tpi_sim_info *info)
{
    const uint32_t tree = sim->tree_of[model];
    const struct sim_member *member = sim_member_of(sim, model);
    const struct sim_traits *traits = &member->traits;
    const struct sim_common *state =
        member->device == TPI_SIM_NONE ? NULL : tpi_sim_state(sim, tree, member->device);

    *info = (tpi_sim_info){
        .kind = member->type->kind,
        .type = member->type->name,
        .parent =
            member->parent == TPI_SIM_NONE ? TPI_SIM_NONE : sim->trees.model[tree] + member->parent,
        .family = member->family,
        .origin = traits->origin,
        .size = {traits->size[0], traits->size[1], traits->size[2]},
        .colour = tpi_sim_member_colour(sim, tree, model - sim->trees.model[tree]),
        .update_us = traits->update_us,
        .ranger_return = traits->ranger_return,
        .fiducial_return = traits->fiducial_return,
        .obstacle = traits->obstacle,
        .subscribed = state != NULL && state->subscribers > 0,
    };
}

/* ---- Poses ----------------------------------------------------------------------------------- */

struct sim_frame tpi_sim_member_frame(const tpi_sim *sim, uint32_t tree, uint32_t member)
{
    const struct sim_trees *trees = &sim->trees;
    const struct sim_frame root = {.x = trees->x[tree],
                                   .y = trees->y[tree],
                                   .z = trees->z[tree],
                                   .a = trees->a[tree],
                                   .c = trees->c[tree],
                                   .s = trees->s[tree]};

    if (member == 0 && !trees->template[tree] -> jointed) {
        return root;
    }
    return sim_frame_join(&root, &trees->template[tree] -> members[member].place);
}

tpi_sim_pose tpi_sim_global_pose(const tpi_sim *sim, tpi_sim_model model)
{
    const uint32_t tree = sim->tree_of[model];
    const struct sim_frame frame = tpi_sim_member_frame(sim, tree, model - sim->trees.model[tree]);

    return sim_pose_of(&frame);
}

tpi_sim_pose tpi_sim_local_pose(const tpi_sim *sim, tpi_sim_model model)
{
    const struct sim_member *member = sim_member_of(sim, model);

    return member->parent == TPI_SIM_NONE ? tpi_sim_global_pose(sim, model) : member->local;
}

tpi_sim_pose tpi_sim_compose(const tpi_sim_pose *frame, const tpi_sim_pose *pose)
{
    const double c = cos(frame->a);
    const double s = sin(frame->a);

    return (tpi_sim_pose){.x = frame->x + c * pose->x - s * pose->y,
                          .y = frame->y + s * pose->x + c * pose->y,
                          .z = frame->z + pose->z,
                          .a = remainder(frame->a + pose->a, 2 * SIM_PI)};
}

tpi_sim_pose tpi_sim_pose_on_root(const tpi_sim *sim, tpi_sim_model model)
{
    const struct sim_member *member = sim_member_of(sim, model);
    const struct sim_member *members = member - (model - sim->trees.model[sim->tree_of[model]]);
    tpi_sim_pose pose = tpi_sim_local_pose(sim, model);

    while (member->parent != TPI_SIM_NONE) {
        member = &members[member->parent];
        if (member->parent != TPI_SIM_NONE) {
            pose = tpi_sim_compose(&member->local, &pose);
        }
    }
    return pose;
}
