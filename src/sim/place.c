/*
 * place.c - putting models elsewhere, and giving them other colours, from outside.
 *
 * A tree that is changed gets a template of its own. Its parts are always derived from those of the
 * template that it was made from, so that changes do not add up their roundings.
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

void tpi_sim_template_measure(struct sim_template *template)
{
    template->radius = template->solid_radius = 0;
    template->flags = 0;
    for (uint32_t i = 0; i < template->member_count; i++) {
        const struct sim_member *member = &template->members[i];
        if (member->traits.fiducial_return != 0 || member->type->kind == TPI_SIM_FIDUCIAL) {
            template->flags |= SIM_MARKED;
        }
    }
    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct sim_part *part = &template->parts[i];
        template->flags |= part->flags;
        for (uint32_t k = part->first; k < part->first + part->count; k++) {
            const double radius = hypot(template->vx[k], template->vy[k]);
            template->radius = fmax(template->radius, radius);
            if ((part->flags & SIM_OBSTACLE) != 0) {
                template->solid_radius = fmax(template->solid_radius, radius);
            }
        }
    }
    template->radius = fmax(template->radius, template->least_radius);
    if ((template->flags & SIM_OBSTACLE) != 0) {
        template->solid_radius = fmax(template->solid_radius, template->least_radius);
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

/* What a copy of the template takes. */
static size_t copy_size(const struct sim_template *template)
{
    return whole_blocks(sizeof *template) +
           whole_blocks(template->member_count * sizeof template->members[0]) +
           whole_blocks(template->part_count * sizeof template->parts[0]) +
           2 * whole_blocks(template->vertex_count * sizeof template->vx[0]);
}

struct sim_template *tpi_sim_own_plan(tpi_sim *sim, uint32_t tree)
{
    struct sim_template *base = sim->trees.template[tree];

    if (base->own) {
        return base;
    }
    char *at = calloc(1, copy_size(base));
    if (at == NULL) {
        return NULL;
    }
    struct sim_template *template = put(&at, base, sizeof *base);
    template->members = put(&at, base->members, base->member_count * sizeof base->members[0]);
    template->parts = put(&at, base->parts, base->part_count * sizeof base->parts[0]);
    template->vx = put(&at, base->vx, base->vertex_count * sizeof base->vx[0]);
    template->vy = put(&at, base->vy, base->vertex_count * sizeof base->vy[0]);
    template->own = true;
    template->base = base;
    sim->trees.template[tree] = template;
    sim->bytes += copy_size(base);
    return template;
}

void tpi_sim_drop_plan(tpi_sim *sim, uint32_t tree)
{
    struct sim_template *template = sim->trees.template[tree];

    if (template->own) {
        sim->bytes -= copy_size(template);
        sim->trees.template[tree] = template->base;
        free(template);
    }
}

/* Where a member stands, from its local pose and where its parent stands. */
static void arrange_member(struct sim_template *template, struct sim_member *member)
{
    const struct sim_member *parent = &template->members[member->parent];
    struct sim_frame local = sim_frame_of(&member->local);

    local.z += parent->traits.stack_children ? parent->traits.size[2] : 0;
    member->place = sim_frame_join(&parent->place, &local);
}

/* A point of the base template, carried along by its member from one place to another, and a bit
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

static void arrange_part(struct sim_template *template, uint32_t index)
{
    const struct sim_part *base = &template->base->parts[index];
    struct sim_part *part = &template->parts[index];
    const struct sim_frame *from = &template->base->members[part->member].place;
    const struct sim_frame *to = &template->members[part->member].place;

    const double turned = sim_normal(to->a + template->members[part->member].traits.origin.a);
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
        template->vx[i] = template->base->vx[i];
        template->vy[i] = template->base->vy[i];
        carry(from, to, dx, dy, &template->vx[i], &template->vy[i]);
    }
}

void tpi_sim_template_arrange(struct sim_template *template)
{
    template->members[0].place =
        sim_frame_of(&template->members[0].local); /* a joint may move it */
    for (uint32_t i = 1; i < template->member_count; i++) {
        arrange_member(template, &template->members[i]);
    }
    for (uint32_t i = 0; i < template->part_count; i++) {
        arrange_part(template, i);
    }
    tpi_sim_template_measure(template);
}

/* ---- Poses ----------------------------------------------------------------------------------- */

/* What was a wall and has moved. */
static tp_status move_walls(tpi_sim *sim, uint32_t tree, tp_error *err)
{
    if (sim->trees.template[tree] -> vertex_count <= MOST_CROWD_CORNERS) {
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
    const struct sim_template *template = sim->trees.template[tree];
    struct sim_view view;

    for (uint32_t i = 0; i < template->device_count; i++) {
        if (template->devices[i].type->placed != NULL) {
            tpi_sim_view(sim, tree, i, &view);
            template->devices[i].type->placed(&view);
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
        struct sim_template *template = tpi_sim_own_plan(sim, tree);
        if (template == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        template->members[member].local = *pose;
        template->members[member].local.a = sim_normal(pose->a);
        tpi_sim_template_arrange(template);
    }
    const bool wall = (sim->trees.flags[tree] & SIM_MOVING) == 0;
    if (wall) {
        status = move_walls(sim, tree, err);
    }
    tpi_sim_crowd_sort(sim);
    if (wall) { /* it may have been put onto anybody */
        (void)tpi_sim_check_overlaps(sim, NULL, NULL, NULL);
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
    struct sim_template *template = tpi_sim_own_plan(sim, tree);

    if (template == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    struct sim_traits *traits = &template->members[model - sim->trees.model[tree]].traits;
    traits->colour = colour;
    traits->random_colour = false;
    traits->uncoloured = false;
    sim->crowd_is_old = true; /* it refers to the template */
    sim->changes.colours++;
    return TP_OK;
}
