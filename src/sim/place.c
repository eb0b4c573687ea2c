/*
 * place.c - putting models elsewhere, and giving them other colours, from outside.
 *
 * A tree that is changed gets a plan of its own. Its parts are always derived from those of the
 * plan that it was made from, so that changes do not add up their roundings.
 *
 * Something small that was a wall and is moved joins the crowd for good: the grid of walls is built
 * anew once, not with every move. Something large stays a wall.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/move/resolve.h"

enum { MOST_CROWD_CORNERS = 512 };

/* ---- Plans ----------------------------------------------------------------------------------- */

void tpi_sim_plan_measure(struct sim_plan *plan)
{
    plan->radius = plan->solid_radius = 0;
    plan->flags = 0;
    for (uint32_t i = 0; i < plan->member_count; i++) {
        const struct sim_member *member = &plan->members[i];
        if (member->traits.fiducial_return != 0 || member->type->kind == TPI_SIM_FIDUCIAL) {
            plan->flags |= SIM_MARKED;
        }
    }
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const struct sim_part *part = &plan->parts[i];
        plan->flags |= part->flags;
        for (uint32_t k = part->first; k < part->first + part->count; k++) {
            const double radius = hypot(plan->vx[k], plan->vy[k]);
            plan->radius = fmax(plan->radius, radius);
            if ((part->flags & SIM_OBSTACLE) != 0) {
                plan->solid_radius = fmax(plan->solid_radius, radius);
            }
        }
    }
    plan->radius = fmax(plan->radius, plan->least_radius);
    if ((plan->flags & SIM_OBSTACLE) != 0) {
        plan->solid_radius = fmax(plan->solid_radius, plan->least_radius);
    }
}

static size_t whole_blocks(size_t size)
{
    return (size + 15) / 16 * 16;
}

/* Copy an array into the block that begins at *at. */
static void *put(char **at, const void *from, size_t size)
{
    void *to = *at;

    if (size > 0) {
        memcpy(to, from, size);
    }
    *at += whole_blocks(size);
    return to;
}

/* What a copy of the plan takes. */
static size_t copy_size(const struct sim_plan *plan)
{
    return whole_blocks(sizeof *plan) + whole_blocks(plan->member_count * sizeof plan->members[0]) +
           whole_blocks(plan->part_count * sizeof plan->parts[0]) +
           2 * whole_blocks(plan->vertex_count * sizeof plan->vx[0]);
}

struct sim_plan *tpi_sim_own_plan(tpi_sim *sim, uint32_t tree)
{
    struct sim_plan *base = sim->trees.plan[tree];

    if (base->own) {
        return base;
    }
    char *at = calloc(1, copy_size(base));
    if (at == NULL) {
        return NULL;
    }
    struct sim_plan *plan = put(&at, base, sizeof *base);
    plan->members = put(&at, base->members, base->member_count * sizeof base->members[0]);
    plan->parts = put(&at, base->parts, base->part_count * sizeof base->parts[0]);
    plan->vx = put(&at, base->vx, base->vertex_count * sizeof base->vx[0]);
    plan->vy = put(&at, base->vy, base->vertex_count * sizeof base->vy[0]);
    plan->own = true;
    plan->base = base;
    sim->trees.plan[tree] = plan;
    sim->bytes += copy_size(base);
    return plan;
}

void tpi_sim_drop_plan(tpi_sim *sim, uint32_t tree)
{
    struct sim_plan *plan = sim->trees.plan[tree];

    if (plan->own) {
        sim->bytes -= copy_size(plan);
        sim->trees.plan[tree] = plan->base;
        free(plan);
    }
}

/* Where a member stands, from its local pose and where its parent stands. */
static void arrange_member(struct sim_plan *plan, struct sim_member *member)
{
    const struct sim_member *parent = &plan->members[member->parent];
    struct sim_frame local = sim_frame_of(&member->local);

    local.z += parent->traits.stack_children ? parent->traits.size[2] : 0;
    member->place = sim_frame_join(&parent->place, &local);
}

/* A point of the base plan, carried along by its member from one place to another, and a bit
 * farther. */
static void carry(const struct sim_frame *from, const struct sim_frame *to, double more_x,
                  double more_y, double *x, double *y)
{
    const double dx = *x - from->x;
    const double dy = *y - from->y;
    const double lx = from->c * dx + from->s * dy;
    const double ly = from->c * dy - from->s * dx;

    *x = to->x + to->c * lx - to->s * ly + more_x;
    *y = to->y + to->s * lx + to->c * ly + more_y;
}

static void arrange_part(struct sim_plan *plan, uint32_t index)
{
    const struct sim_part *base = &plan->base->parts[index];
    struct sim_part *part = &plan->parts[index];
    const struct sim_frame *from = &plan->base->members[part->member].place;
    const struct sim_frame *to = &plan->members[part->member].place;

    const double turned = sim_normal(to->a + plan->members[part->member].traits.origin.a);
    double dx = 0;
    double dy = 0;

    if (part->shift_y != 0) {
        sim_sincos(turned, &dx, &dy);
        dx *= -part->shift_y;
        dy *= part->shift_y;
    }
    part->z0 = base->z0 + (to->z - from->z) + part->shift_z;
    part->z1 = base->z1 + (to->z - from->z) + part->shift_z;
    part->x = base->x;
    part->y = base->y;
    carry(from, to, dx, dy, &part->x, &part->y);
    for (uint32_t i = part->first; i <= part->first + part->count; i++) {
        plan->vx[i] = plan->base->vx[i];
        plan->vy[i] = plan->base->vy[i];
        carry(from, to, dx, dy, &plan->vx[i], &plan->vy[i]);
    }
}

void tpi_sim_plan_arrange(struct sim_plan *plan)
{
    plan->members[0].place = sim_frame_of(&plan->members[0].local); /* a joint may move it */
    for (uint32_t i = 1; i < plan->member_count; i++) {
        arrange_member(plan, &plan->members[i]);
    }
    for (uint32_t i = 0; i < plan->part_count; i++) {
        arrange_part(plan, i);
    }
    tpi_sim_plan_measure(plan);
}

/* ---- Poses ----------------------------------------------------------------------------------- */

/* What was a wall and has moved. */
static tp_status move_walls(tpi_sim *sim, uint32_t tree, tp_error *err)
{
    if (sim->trees.plan[tree]->vertex_count <= MOST_CROWD_CORNERS) {
        sim->trees.flags[tree] |= SIM_MOVING;
    }
    return tpi_sim_walls_build(sim, err);
}

static void put_root(struct sim_trees *trees, uint32_t tree, const tpi_sim_pose *pose)
{
    const tpi_sim_pose normal = {pose->x, pose->y, pose->z, sim_normal(pose->a)};
    const struct sim_frame frame = sim_frame_of(&normal);

    trees->x[tree] = frame.x;
    trees->y[tree] = frame.y;
    trees->z[tree] = frame.z;
    trees->a[tree] = frame.a;
    trees->c[tree] = frame.c;
    trees->s[tree] = frame.s;
}

static tp_status check_pose(const tpi_sim_pose *pose, tp_error *err)
{
    const double numbers[] = {pose->x, pose->y, pose->z, pose->a};

    for (int i = 0; i < 4; i++) {
        if (!(fabs(numbers[i]) <= TPI_SIM_FARTHEST)) {
            return tp_fail(err, TP_E_RANGE, "a pose of %g is too far away", numbers[i]);
        }
    }
    return TP_OK;
}

static void tell_devices(tpi_sim *sim, uint32_t tree)
{
    const struct sim_plan *plan = sim->trees.plan[tree];
    struct sim_view view;

    for (uint32_t i = 0; i < plan->device_count; i++) {
        if (plan->devices[i].type->placed != NULL) {
            tpi_sim_view(sim, tree, i, &view);
            plan->devices[i].type->placed(&view);
        }
    }
}

tp_status tpi_sim_set_pose(tpi_sim *sim, tpi_sim_model model, const tpi_sim_pose *pose,
                           tp_error *err)
{
    const uint32_t tree = sim->tree_of[model];
    const uint32_t member = model - sim->trees.model[tree];
    tp_status status = check_pose(pose, err);

    if (status != TP_OK) {
        return status;
    }
    if (member == 0) {
        put_root(&sim->trees, tree, pose);
    } else {
        struct sim_plan *plan = tpi_sim_own_plan(sim, tree);
        if (plan == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        plan->members[member].local = *pose;
        plan->members[member].local.a = sim_normal(pose->a);
        tpi_sim_plan_arrange(plan);
    }
    const bool wall = (sim->trees.flags[tree] & SIM_MOVING) == 0;
    if (wall) {
        status = move_walls(sim, tree, err);
    }
    tpi_sim_crowd_sort(sim);
    if (wall) { /* it may have been put onto anybody */
        tpi_sim_check_overlaps(sim, NULL, NULL);
    } else {
        tpi_sim_check_overlap(sim, tree);
    }
    tell_devices(sim, tree);
    return status;
}

/* ---- Colours --------------------------------------------------------------------------------- */

tp_status tpi_sim_set_colour(tpi_sim *sim, tpi_sim_model model, uint32_t colour, tp_error *err)
{
    const uint32_t tree = sim->tree_of[model];
    struct sim_plan *plan = tpi_sim_own_plan(sim, tree);

    if (plan == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    struct sim_traits *traits = &plan->members[model - sim->trees.model[tree]].traits;
    traits->colour = colour;
    traits->random_colour = false;
    traits->uncoloured = false;
    sim->crowd_is_old = true; /* it refers to the plan */
    return TP_OK;
}
