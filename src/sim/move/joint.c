/* joint.c - what moves within a tree; see joint.h. */
#include "sim/move/joint.h"

#include <math.h>

#include "sim/maths.h"
#include "sim/move/carry.h"
#include "sim/move/resolve.h"

enum { MOST_PIECES = 64 };
static const double piece = 0.01; /* metres that anything moves at once */

/* ---- The beginning --------------------------------------------------------------------------- */

static const struct sim_joint *joint_of(const struct sim_template *template,
                                        const struct sim_member *m)
{
    return m->device == TPI_SIM_NONE ? NULL : template->devices[m->device].type->joint;
}

/* How far from the middle of the tree a member may get; *jointed tells whether it moves at all. */
static double farthest(const struct sim_template *template, uint32_t index, bool *jointed)
{
    double far = 0;

    for (; index != TPI_SIM_NONE; index = template->members[index].parent) {
        const struct sim_member *m = &template->members[index];
        const struct sim_joint *joint = joint_of(template, m);
        far += hypot(m->local.x, m->local.y);
        if (joint != NULL) {
            far += joint->stroke(template->devices[m->device].config, m);
            *jointed = true;
        }
    }
    return far;
}

/* The radius of all that its joints may reach. */
static double reach_of(const struct sim_template *template)
{
    double most = 0;

    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct sim_part *part = &template->parts[i];
        const struct sim_frame *place = &template->members[part->member].place;
        bool jointed = false;
        const double far = farthest(template, part->member, &jointed);
        if (jointed) {
            most = fmax(most, far + hypot(part->x - place->x, part->y - place->y) + part->radius);
        }
    }
    return most;
}

tp_status tpi_sim_joints_init(tpi_sim *sim, tp_error *err)
{
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        sim->jointed.count += sim->trees.template[i] -> jointed ? 1 : 0;
    }
    sim->jointed.trees = tpi_sim_take(sim, sim->jointed.count, sizeof sim->jointed.trees[0]);
    if (sim->jointed.trees == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    sim->jointed.count = 0;
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        if (!sim->trees.template[i] -> jointed) {
            continue;
        }
        struct sim_template *template = tpi_sim_own_plan(sim, i);
        if (template == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        template->least_radius = reach_of(template);
        tpi_sim_template_measure(template);
        sim->jointed.trees[sim->jointed.count++] = i;
    }
    return TP_OK;
}

/* ---- Moving ---------------------------------------------------------------------------------- */

void tpi_sim_joints_arrange(tpi_sim *sim, uint32_t tree)
{
    struct sim_template *template = sim->trees.template[tree];

    for (uint32_t i = 0; i < template->device_count; i++) {
        struct sim_view view;
        if (template->devices[i].type->joint != NULL) {
            tpi_sim_view(sim, tree, i, &view);
            view.device->type->joint->place(&view, template);
        }
    }
    tpi_sim_template_arrange(template);
}

/* The next joint of a tree that somebody uses, from device *at on; false after the last. */
static bool next_joint(const tpi_sim *sim, uint32_t tree, uint32_t *at, struct sim_view *view)
{
    const struct sim_template *template = sim->trees.template[tree];

    for (; *at < template->device_count; (*at)++) {
        if (template->devices[*at].type->joint == NULL) {
            continue;
        }
        tpi_sim_view(sim, tree, *at, view);
        if (view->state->subscribers > 0) {
            (*at)++;
            return true;
        }
    }
    return false;
}

/* In how many pieces the step is done. */
static uint32_t count_pieces(const tpi_sim *sim)
{
    const double seconds = (double)sim->interval_us * 1e-6;
    double fastest = 0;

    for (uint32_t i = 0; i < sim->jointed.count; i++) {
        const uint32_t tree = sim->jointed.trees[i];
        const double radius = sim->trees.template[tree] -> radius;
        struct sim_view view;
        double pace = 0;
        for (uint32_t at = 0; next_joint(sim, tree, &at, &view);) {
            pace += view.device->type->joint->pace(&view, radius);
        }
        fastest = fmax(fastest, pace);
    }
    return (uint32_t)fmin(ceil(fastest * seconds / piece), MOST_PIECES);
}

static bool advance(tpi_sim *sim, uint32_t tree, double seconds)
{
    struct sim_view view;
    bool moved = false;

    for (uint32_t at = 0; next_joint(sim, tree, &at, &view);) {
        moved |= view.device->type->joint->advance(&view, seconds);
    }
    if (moved) {
        tpi_sim_joints_arrange(sim, tree);
    }
    return moved;
}

static void go_back(tpi_sim *sim, uint32_t tree)
{
    struct sim_view view;

    for (uint32_t at = 0; next_joint(sim, tree, &at, &view);) {
        view.device->type->joint->stall(&view);
    }
    tpi_sim_joints_arrange(sim, tree);
}

/* Whether a tree, or what it holds, is in something that it was not in before. What can be taken
 * does not stop paddles: they take it. */
static bool is_blocked(const tpi_sim *sim, uint32_t tree)
{
    const uint32_t except = SIM_GRIPPABLE;
    const struct sim_spot *spot = &sim->crowd.spots[sim->crowd.slot[tree]];
    uint32_t cargo = TPI_SIM_NONE;

    if ((sim->trees.flags[tree] & SIM_OVERLAPS) == 0 && (spot->flags & SIM_OBSTACLE) != 0 &&
        tpi_sim_has_overlap(sim, spot, except)) {
        return true;
    }
    while ((cargo = tpi_sim_carry_next(sim, tree, cargo)) != TPI_SIM_NONE) {
        spot = &sim->crowd.spots[sim->crowd.slot[cargo]];
        if ((sim->trees.flags[cargo] & SIM_OVERLAPS) == 0 && (spot->flags & SIM_OBSTACLE) != 0 &&
            tpi_sim_has_overlap(sim, spot, 0)) {
            return true;
        }
    }
    return false;
}

/* One piece of all motions; false if nothing moved. sim->motions.stalled marks those that have come
 * to their end. */
static bool move_piece(tpi_sim *sim, double seconds)
{
    uint8_t *state = sim->motions.stalled;
    bool any = false;
    bool back = false;

    for (uint32_t i = 0; i < sim->jointed.count; i++) {
        const uint32_t tree = sim->jointed.trees[i];
        if (state[tree] == 0 && !advance(sim, tree, seconds)) {
            state[tree] = 1;
        }
        any |= state[tree] == 0;
    }
    if (!any) {
        return false;
    }
    tpi_sim_carry_along(sim);
    tpi_sim_crowd_sort(sim);
    for (uint32_t i = 0; i < sim->jointed.count; i++) {
        if (state[sim->jointed.trees[i]] == 0 && is_blocked(sim, sim->jointed.trees[i])) {
            state[sim->jointed.trees[i]] = 2; /* goes back when all have been looked at */
        }
    }
    for (uint32_t i = 0; i < sim->jointed.count; i++) {
        if (state[sim->jointed.trees[i]] == 2) {
            go_back(sim, sim->jointed.trees[i]);
            state[sim->jointed.trees[i]] = 1;
            back = true;
        }
    }
    if (back) {
        tpi_sim_carry_along(sim);
        tpi_sim_crowd_sort(sim);
    }
    return true;
}

/* Joints stop anywhere, also so near to something that it needs care. */
static void check_contact(tpi_sim *sim, uint32_t tree)
{
    uint32_t cargo = TPI_SIM_NONE;

    tpi_sim_check_overlap(sim, tree);
    while ((cargo = tpi_sim_carry_next(sim, tree, cargo)) != TPI_SIM_NONE) {
        tpi_sim_check_overlap(sim, cargo);
    }
}

void tpi_sim_joints_move(tpi_sim *sim)
{
    const uint32_t pieces = sim->jointed.count == 0 ? 0 : count_pieces(sim);
    const double seconds = (double)sim->interval_us * 1e-6;

    for (uint32_t i = 0; i < sim->jointed.count; i++) {
        sim->motions.stalled[sim->jointed.trees[i]] = 0;
    }
    for (uint32_t i = 0; i < pieces && move_piece(sim, seconds / pieces); i++) {
    }
    for (uint32_t i = 0; pieces > 0 && i < sim->jointed.count; i++) {
        check_contact(sim, sim->jointed.trees[i]);
    }
}
