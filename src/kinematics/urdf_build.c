/*
 * urdf_build.c - joins the elements of a URDF file into a mechanism, and checks that they are one.
 *
 * Exactly one link is the root, and all links hang on it. Joints keep the order of the file behind
 * joint 0, which joins the root to the world; a compound takes the place of its first joint.
 */
#include <stdio.h>

#include "kinematics/urdf.h"

/* Limits from here on mean that there is none. */
#define NO_LIMIT 1e16

/* Time in which a dof without a known acceleration reaches its speed. */
#define USUAL_RISE_S 0.2

/* ---- Names ---- */

static int link_index(const tpi_urdf *urdf, const char *name)
{
    int i = 0;

    for (const tpi_urdf_link *link = urdf->links; link != NULL; link = link->next, i++) {
        if (strcmp(link->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static tpi_urdf_joint *joint_named(const tpi_urdf *urdf, const char *name, size_t length)
{
    for (tpi_urdf_joint *joint = urdf->joints; joint != NULL; joint = joint->next) {
        if (strlen(joint->name) == length && memcmp(joint->name, name, length) == 0) {
            return joint;
        }
    }
    return NULL;
}

static tp_status check_names(const tpi_urdf *urdf)
{
    for (const tpi_urdf_link *link = urdf->links; link != NULL; link = link->next) {
        for (const tpi_urdf_link *other = link->next; other != NULL; other = other->next) {
            if (strcmp(link->name, other->name) == 0) {
                return tpi_urdf_fail(urdf, other->line, "link", other->name,
                                     "line %u has a link with this name", link->line);
            }
        }
    }
    for (const tpi_urdf_joint *joint = urdf->joints; joint != NULL; joint = joint->next) {
        for (const tpi_urdf_joint *other = joint->next; other != NULL; other = other->next) {
            if (strcmp(joint->name, other->name) == 0) {
                return tpi_urdf_fail(urdf, other->line, "joint", other->name,
                                     "line %u has a joint with this name", joint->line);
            }
        }
    }
    for (const tpi_urdf_frame *frame = urdf->frames; frame != NULL; frame = frame->next) {
        for (const tpi_urdf_frame *other = frame->next; other != NULL; other = other->next) {
            if (strcmp(frame->name, other->name) == 0) {
                return tpi_urdf_fail(urdf, other->line, "frame", other->name,
                                     "line %u has a frame with this name", frame->line);
            }
        }
    }
    return TP_OK;
}

/* ---- Geometry ---- */

static tpi_spatial spatial_of(const tpi_urdf_origin *origin)
{
    tpi_spatial out;

    tpi_rotation_of_rpy(out.r, origin->rpy[0], origin->rpy[1], origin->rpy[2]);
    memcpy(out.p, origin->xyz, sizeof out.p);
    return out;
}

/* The inertia in other axes: r I r'. */
static void turn_inertia(double out[6], const double r[9], const double in[6])
{
    const double full[9] = {in[0], in[1], in[2], in[1], in[3], in[4], in[2], in[4], in[5]};
    double half[9], turned[9];
    const double back[9] = {r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]};

    tpi_rotation_product(half, r, full);
    tpi_rotation_product(turned, half, back);
    out[0] = turned[0];
    out[1] = turned[1];
    out[2] = turned[2];
    out[3] = turned[4];
    out[4] = turned[5];
    out[5] = turned[8];
}

/* Whether the principal minors are positive. */
static bool is_positive(const double i[6])
{
    return i[0] > 0 && i[0] * i[3] - i[1] * i[1] > 0 &&
           i[0] * (i[3] * i[5] - i[4] * i[4]) - i[1] * (i[1] * i[5] - i[4] * i[2]) +
                   i[2] * (i[1] * i[4] - i[3] * i[2]) >
               0;
}

static void build_link(tpi_urdf *urdf, const tpi_urdf_link *from, tpi_link *to)
{
    const tpi_spatial centre = spatial_of(&from->centre);

    *to = (tpi_link){.name = from->name, .joint = -1, .mass_kg = from->mass_kg};
    memcpy(to->centre_m, centre.p, sizeof to->centre_m);
    turn_inertia(to->inertia, centre.r, from->inertia);
    if (from->has_inertia && from->mass_kg > 0 && !is_positive(from->inertia)) {
        tpi_urdf_warn(urdf, from->line, "link %s: the inertia is not positive", from->name);
    }
}

/* ---- Dofs ---- */

static tp_status check_limits(const tpi_urdf *urdf, const tpi_urdf_joint *joint)
{
    if (joint->lower > joint->upper) {
        return tpi_urdf_fail(urdf, joint->line, "joint", joint->name,
                             "the lower limit %g is above the upper limit %g", joint->lower,
                             joint->upper);
    }
    if (joint->velocity < 0 || joint->effort < 0) {
        return tpi_urdf_fail(urdf, joint->line, "joint", joint->name,
                             "a limit of velocity or effort is below 0");
    }
    return TP_OK;
}

static double no_limit_above(double value)
{
    return value >= NO_LIMIT ? (double)INFINITY : value <= -NO_LIMIT ? -(double)INFINITY : value;
}

/* A limit of 0 would mean that nothing can ever move: files have it where nobody knew. */
static double limit_or_none(tpi_urdf *urdf, const tpi_urdf_joint *joint, const char *what,
                            double value)
{
    if (value == 0) {
        tpi_urdf_warn(urdf, joint->line, "joint %s: a limit of %s of 0 is taken for none",
                      joint->name, what);
        return INFINITY;
    }
    return no_limit_above(value);
}

static void set_limits(tpi_urdf *urdf, const tpi_urdf_joint *joint, tpi_dof *dof)
{
    const bool bounded = joint->has_limit && joint->kind != TPI_URDF_CONTINUOUS;

    dof->lower = bounded ? no_limit_above(joint->lower) : -(double)INFINITY;
    dof->upper = bounded ? no_limit_above(joint->upper) : (double)INFINITY;
    dof->velocity = limit_or_none(urdf, joint, "velocity", joint->velocity);
    dof->force = limit_or_none(urdf, joint, "effort", joint->effort);
    dof->assumed_acceleration = !(joint->acceleration > 0);
    dof->acceleration =
        dof->assumed_acceleration ? dof->velocity / USUAL_RISE_S : joint->acceleration;
    dof->servo = joint->has_servo ? joint->servo : TPI_SERVO_POSITION | TPI_SERVO_SPEED;
    dof->master = -1;
    dof->multiplier = 1;
}

static tp_status set_axis(tpi_urdf *urdf, const tpi_urdf_joint *joint, double out[3])
{
    const double length = sqrt(tpi_dot3(joint->axis, joint->axis));

    if (!(length >= 1e-3) || !(length < INFINITY)) {
        return tpi_urdf_fail(urdf, joint->line, "joint", joint->name,
                             "the axis %g %g %g has no direction", joint->axis[0], joint->axis[1],
                             joint->axis[2]);
    }
    if (fabs(length - 1) > 1e-3) {
        tpi_urdf_warn(urdf, joint->line, "joint %s: the axis has the length %g instead of 1",
                      joint->name, length);
    }
    for (int i = 0; i < 3; i++) {
        out[i] = joint->axis[i] / length;
    }
    return TP_OK;
}

/* Two directions at right angles to the axis, for a plane. */
static void span_plane(const double axis[3], double first[3], double second[3])
{
    const double other[3] = {fabs(axis[0]) < 0.9, fabs(axis[0]) >= 0.9, 0};
    double length;

    if (axis[2] == 1) { /* the usual plane has the usual directions */
        memcpy(first, (const double[3]){1, 0, 0}, 3 * sizeof *first);
        memcpy(second, (const double[3]){0, 1, 0}, 3 * sizeof *second);
        return;
    }
    tpi_cross3(second, axis, other);
    length = sqrt(tpi_dot3(second, second));
    for (int i = 0; i < 3; i++) {
        second[i] /= length;
    }
    tpi_cross3(first, second, axis);
}

static tpi_dof *add_dof(tpi_mechanism *mechanism, tpi_joint *joint, tpi_dof_type type,
                        const double axis[3])
{
    tpi_dof *dof = &mechanism->dofs[mechanism->dof_count++];

    joint->dof_count++;
    dof->type = type;
    memcpy(dof->axis, axis, sizeof dof->axis);
    return dof;
}

static void add_plane(tpi_urdf *urdf, const tpi_urdf_joint *from, tpi_joint *joint,
                      const double axis[3])
{
    double first[3], second[3];

    span_plane(axis, first, second);
    set_limits(urdf, from, add_dof(urdf->mechanism, joint, TPI_PRISMATIC, first));
    set_limits(urdf, from, add_dof(urdf->mechanism, joint, TPI_PRISMATIC, second));
    set_limits(urdf, from, add_dof(urdf->mechanism, joint, TPI_REVOLUTE, axis));
}

/* Along x, y, z, then about z, y, x: yaw, pitch, roll. */
static void add_freedom(tpi_urdf *urdf, const tpi_urdf_joint *from, tpi_joint *joint)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    for (int i = 0; i < 3; i++) {
        set_limits(urdf, from, add_dof(urdf->mechanism, joint, TPI_PRISMATIC, axes[i]));
    }
    for (int i = 2; i >= 0; i--) {
        set_limits(urdf, from, add_dof(urdf->mechanism, joint, TPI_REVOLUTE, axes[i]));
    }
}

/* Add the dofs of one joint of the file. */
static tp_status add_dofs(tpi_urdf *urdf, const tpi_urdf_joint *from, tpi_joint *joint)
{
    tp_status status = TP_OK;
    double axis[3];

    if (from->kind == TPI_URDF_FIXED) {
        return TP_OK;
    }
    status = check_limits(urdf, from);
    if (status == TP_OK && from->kind != TPI_URDF_FLOATING) {
        status = set_axis(urdf, from, axis);
    }
    if (status != TP_OK) {
        return status;
    }
    if ((from->kind == TPI_URDF_REVOLUTE || from->kind == TPI_URDF_PRISMATIC) && !from->has_limit) {
        tpi_urdf_warn(urdf, from->line, "joint %s has no limit", from->name);
    }
    if (from->kind == TPI_URDF_FLOATING) {
        add_freedom(urdf, from, joint);
    } else if (from->kind == TPI_URDF_PLANAR) {
        add_plane(urdf, from, joint, axis);
    } else {
        set_limits(urdf, from,
                   add_dof(urdf->mechanism, joint,
                           from->kind == TPI_URDF_PRISMATIC ? TPI_PRISMATIC : TPI_REVOLUTE, axis));
    }
    return TP_OK;
}

/* ---- Compounds ---- */

/* What becomes of the joints of the file: the joints of the mechanism that they are a part of. */
struct plan {
    int joint; /* -1 until it has its place */
    const tpi_urdf_compound *compound;
    unsigned place; /* in the compound */
};

static unsigned joint_number(const tpi_urdf *urdf, const tpi_urdf_joint *wanted)
{
    unsigned i = 0;

    for (const tpi_urdf_joint *joint = urdf->joints; joint != wanted; joint = joint->next) {
        i++;
    }
    return i;
}

static tp_status plan_compound(tpi_urdf *urdf, const tpi_urdf_compound *compound, struct plan *plan)
{
    const char *at = compound->joints;
    unsigned place = 0;

    while (*at != 0) {
        const size_t blanks = strspn(at, " \t\n\r"), length = strcspn(at + blanks, " \t\n\r");
        const tpi_urdf_joint *joint = joint_named(urdf, at + blanks, length);
        struct plan *own;

        if (length == 0) {
            break;
        }
        if (joint == NULL) {
            return tpi_urdf_fail(urdf, compound->line, "compound", compound->name,
                                 "there is no joint %.*s", (int)length, at + blanks);
        }
        own = &plan[joint_number(urdf, joint)];
        if (own->compound != NULL) {
            return tpi_urdf_fail(urdf, compound->line, "compound", compound->name,
                                 "joint %s is in a compound already", joint->name);
        }
        own->compound = compound;
        own->place = place++;
        at += blanks + length;
    }
    if (place < 2) {
        return tpi_urdf_fail(urdf, compound->line, "compound", compound->name,
                             "joints has fewer than two names");
    }
    return TP_OK;
}

/* The joint of a compound at a place. */
static const tpi_urdf_joint *member(const tpi_urdf *urdf, const struct plan *plan,
                                    const tpi_urdf_compound *compound, unsigned place)
{
    unsigned i = 0;

    for (const tpi_urdf_joint *joint = urdf->joints; joint != NULL; joint = joint->next, i++) {
        if (plan[i].compound == compound && plan[i].place == place) {
            return joint;
        }
    }
    return NULL;
}

/* Bring the axes of all dofs so far into the rest frame behind a further rotation. */
static void turn_axes(tpi_mechanism *mechanism, const tpi_joint *joint, const double r[9])
{
    for (unsigned i = 0; i < joint->dof_count; i++) {
        double axis[3];
        tpi_dof *dof = &mechanism->dofs[joint->first_dof + i];

        memcpy(axis, dof->axis, sizeof axis);
        tpi_rotate_back3(dof->axis, r, axis);
    }
}

/* Whether nothing else hangs on the link between two members of a compound. */
static tp_status check_between(const tpi_urdf *urdf, const tpi_urdf_compound *compound,
                               const tpi_urdf_joint *before, const tpi_urdf_joint *after)
{
    const char *link = before->child;
    int hanging = 0;

    if (after->parent == NULL || link == NULL || strcmp(after->parent, link) != 0) {
        return tpi_urdf_fail(urdf, compound->line, "compound", compound->name,
                             "joint %s does not follow joint %s", after->name, before->name);
    }
    for (const tpi_urdf_joint *joint = urdf->joints; joint != NULL; joint = joint->next) {
        hanging += joint->parent != NULL && strcmp(joint->parent, link) == 0;
    }
    if (hanging > 1) {
        return tpi_urdf_fail(urdf, compound->line, "compound", compound->name,
                             "other joints hang on link %s too", link);
    }
    if (tpi_dot3(after->origin.xyz, after->origin.xyz) > 1e-18) {
        return tpi_urdf_fail(urdf, compound->line, "compound", compound->name,
                             "joint %s is not at the place of joint %s", after->name, before->name);
    }
    return TP_OK;
}

/* Add a further member to a joint. */
static tp_status extend(tpi_urdf *urdf, const tpi_urdf_compound *compound,
                        const tpi_urdf_joint *before, const tpi_urdf_joint *after, tpi_joint *joint)
{
    const tpi_spatial rest = spatial_of(&after->origin);
    tp_status status = check_between(urdf, compound, before, after);

    if (status != TP_OK) {
        return status;
    }
    turn_axes(urdf->mechanism, joint, rest.r);
    joint->rest = tpi_spatial_product(&joint->rest, &rest);
    status = add_dofs(urdf, after, joint);
    if (status == TP_OK && joint->dof_count > TPI_JOINT_DOFS) {
        status = tpi_urdf_fail(urdf, compound->line, "compound", compound->name,
                               "a joint has at most %d dofs", TPI_JOINT_DOFS);
    }
    return status;
}

/* ---- Joints ---- */

static tp_status find_links(tpi_urdf *urdf, const tpi_urdf_joint *from, const char *child_name,
                            tpi_joint *to)
{
    const char *const names[] = {from->parent, child_name};
    int found[2];

    for (int i = 0; i < 2; i++) {
        const char *what = i == 0 ? "parent" : "child";
        if (names[i] == NULL) {
            return tpi_urdf_fail(urdf, from->line, "joint", from->name, "<%s> is missing", what);
        }
        found[i] = link_index(urdf, names[i]);
        if (found[i] < 0) {
            return tpi_urdf_fail(urdf, from->line, "joint", from->name, "%s: there is no link %s",
                                 what, names[i]);
        }
    }
    to->parent = found[0];
    to->child = found[1];
    return TP_OK;
}

/* Hang a link on a joint. */
static tp_status hang(tpi_urdf *urdf, const tpi_urdf_joint *from, int joint, int link)
{
    tpi_link *child = &urdf->mechanism->links[link];

    if (child->joint >= 0) {
        return tpi_urdf_fail(urdf, from->line, "joint", from->name,
                             "link %s is the child of joint %s already", child->name,
                             urdf->mechanism->joints[child->joint].name);
    }
    child->joint = joint;
    return TP_OK;
}

/* Make a joint of the mechanism: one joint of the file, or a compound. */
static tp_status build_joint(tpi_urdf *urdf, struct plan *plan, const tpi_urdf_joint *first)
{
    const tpi_urdf_compound *compound = plan[joint_number(urdf, first)].compound;
    tpi_mechanism *mechanism = urdf->mechanism;
    const int index = (int)mechanism->joint_count++;
    tpi_joint *joint = &mechanism->joints[index];
    const tpi_urdf_joint *last = first, *next;
    tp_status status;

    *joint = (tpi_joint){.name = compound != NULL ? compound->name : first->name,
                         .rest = spatial_of(&first->origin),
                         .first_dof = mechanism->dof_count};
    status = add_dofs(urdf, first, joint);
    for (unsigned i = 1;
         status == TP_OK && compound != NULL && (next = member(urdf, plan, compound, i)) != NULL;
         i++) {
        status = extend(urdf, compound, last, next, joint);
        plan[joint_number(urdf, next)].joint = index;
        last = next;
    }
    plan[joint_number(urdf, first)].joint = index;
    if (status == TP_OK) {
        status = find_links(urdf, first, last->child, joint);
    }
    return status == TP_OK ? hang(urdf, last, index, joint->child) : status;
}

/* Links inside of compounds are no links of the mechanism. */
static bool is_inner(const tpi_urdf *urdf, const struct plan *plan, const char *link)
{
    unsigned i = 0;

    for (const tpi_urdf_joint *joint = urdf->joints; joint != NULL; joint = joint->next, i++) {
        if (plan[i].compound != NULL && plan[i].place > 0 && joint->parent != NULL &&
            strcmp(joint->parent, link) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- The tree ---- */

/* Find the root: the one link that hangs on nothing. */
static tp_status find_root(tpi_urdf *urdf)
{
    tpi_mechanism *mechanism = urdf->mechanism;

    mechanism->root = -1;
    for (unsigned i = 0; i < mechanism->link_count; i++) {
        if (mechanism->links[i].joint >= 0) {
            continue;
        }
        if (mechanism->root >= 0) {
            return tpi_urdf_fail(urdf, 1, "robot", mechanism->name,
                                 "two links have no parent: %s and %s",
                                 mechanism->links[mechanism->root].name, mechanism->links[i].name);
        }
        mechanism->root = (int)i;
    }
    if (mechanism->root < 0) {
        return tpi_urdf_fail(urdf, 1, "robot", mechanism->name,
                             mechanism->link_count == 0 ? "there is no link"
                                                        : "every link has a parent: a ring");
    }
    return TP_OK;
}

/* Every link leads to the root in as many steps as there are links. */
static tp_status check_reach(tpi_urdf *urdf)
{
    const tpi_mechanism *mechanism = urdf->mechanism;

    for (unsigned i = 0; i < mechanism->link_count; i++) {
        int at = (int)i;
        unsigned steps = 0;

        while (at != mechanism->root && steps++ < mechanism->link_count) {
            at = mechanism->joints[mechanism->links[at].joint].parent;
        }
        if (at != mechanism->root) {
            return tpi_urdf_fail(urdf, 1, "robot", mechanism->name,
                                 "link %s hangs in a ring, not on the root %s",
                                 mechanism->links[i].name, mechanism->links[mechanism->root].name);
        }
    }
    return TP_OK;
}

/* ---- What refers to joints ---- */

/* The only dof of a joint of the file; -1 if it has none or several. */
static int only_dof(const tpi_urdf *urdf, const struct plan *plan, const tpi_urdf_joint *joint)
{
    const struct plan *own = &plan[joint_number(urdf, joint)];

    if (joint->kind == TPI_URDF_FIXED || joint->kind >= TPI_URDF_PLANAR) {
        return -1;
    }
    return (int)(urdf->mechanism->joints[own->joint].first_dof + own->place);
}

static tp_status build_mimic(tpi_urdf *urdf, const struct plan *plan, const tpi_urdf_joint *joint)
{
    const tpi_urdf_joint *master = joint_named(urdf, joint->mimics, strlen(joint->mimics));
    const int own = only_dof(urdf, plan, joint);
    tpi_dof *dofs = urdf->mechanism->dofs;

    if (master == NULL) {
        return tpi_urdf_fail(urdf, joint->line, "joint", joint->name, "mimic: there is no joint %s",
                             joint->mimics);
    }
    if (own < 0) {
        return TP_OK; /* a fixed joint follows nothing */
    }
    if (only_dof(urdf, plan, master) < 0) {
        return tpi_urdf_fail(urdf, joint->line, "joint", joint->name,
                             "mimic: joint %s does not have one dof", joint->mimics);
    }
    dofs[own].master = only_dof(urdf, plan, master);
    dofs[own].multiplier = joint->multiplier;
    dofs[own].offset = joint->offset;
    dofs[own].servo = 0;
    for (int at = dofs[own].master; at >= 0; at = dofs[at].master) {
        if (at == own) {
            return tpi_urdf_fail(urdf, joint->line, "joint", joint->name, "it mimics itself");
        }
    }
    return TP_OK;
}

static tp_status build_mimics(tpi_urdf *urdf, const struct plan *plan)
{
    tp_status status = TP_OK;

    for (const tpi_urdf_joint *joint = urdf->joints; joint != NULL && status == TP_OK;
         joint = joint->next) {
        if (joint->mimics != NULL) {
            status = build_mimic(urdf, plan, joint);
        }
    }
    return status;
}

/* What the extension says of joints is put into them before they are built. */
static tp_status add_extras(tpi_urdf *urdf)
{
    for (const tpi_urdf_extra *extra = urdf->extras; extra != NULL; extra = extra->next) {
        tpi_urdf_joint *joint = joint_named(urdf, extra->joint, strlen(extra->joint));
        if (joint == NULL) {
            return tpi_urdf_fail(urdf, extra->line, "joint", extra->joint,
                                 "there is no joint with this name");
        }
        if (extra->acceleration > 0) {
            joint->acceleration = extra->acceleration;
        }
        if (extra->has_servo) {
            joint->has_servo = true;
            joint->servo = extra->servo;
        }
    }
    return TP_OK;
}

static tp_status build_frames(tpi_urdf *urdf)
{
    tpi_mechanism *mechanism = urdf->mechanism;

    for (const tpi_urdf_frame *frame = urdf->frames; frame != NULL; frame = frame->next) {
        const int link = tpi_mechanism_link(mechanism, frame->link);
        if (link < 0) {
            return tpi_urdf_fail(urdf, frame->line, "frame", frame->name, "there is no link %s",
                                 frame->link);
        }
        mechanism->frames[mechanism->frame_count++] = (tpi_control_frame){
            .name = frame->name,
            .link = link,
            .pose = spatial_of(&frame->origin),
            .servo = frame->servo,
        };
    }
    return TP_OK;
}

/* ---- Everything ---- */

/* Joint 0: the root in the world. */
static tp_status build_base(tpi_urdf *urdf)
{
    const tpi_urdf_joint from = {.name = "base",
                                 .line = 1,
                                 .kind = urdf->base,
                                 .axis = {0, 0, 1},
                                 .velocity = INFINITY,
                                 .effort = INFINITY};
    tpi_joint *joint = &urdf->mechanism->joints[urdf->mechanism->joint_count++];

    *joint = (tpi_joint){
        .name = joint_named(urdf, "base", 4) != NULL ? "world to root" : "base",
        .parent = TPI_WORLD,
        .rest = tpi_spatial_identity(),
    };
    return add_dofs(urdf, &from, joint);
}

static tp_status take_memory(tpi_urdf *urdf, struct plan **plan)
{
    tpi_mechanism *m = urdf->mechanism;
    const size_t dofs = 6 * ((size_t)urdf->joint_count + 1);

    m->name = urdf->name;
    m->links = tpi_arena_array(&m->arena, urdf->link_count + 1u, sizeof *m->links);
    m->joints = tpi_arena_array(&m->arena, urdf->joint_count + 1u, sizeof *m->joints);
    m->frames = tpi_arena_array(&m->arena, urdf->frame_count + 1u, sizeof *m->frames);
    m->dofs = tpi_arena_array(&m->arena, dofs, sizeof *m->dofs);
    *plan = tpi_arena_array(&m->arena, urdf->joint_count + 1u, sizeof **plan);
    if (m->links == NULL || m->joints == NULL || m->frames == NULL || m->dofs == NULL ||
        *plan == NULL) {
        return tp_fail(urdf->err, TP_E_NOMEM, "out of memory");
    }
    for (unsigned i = 0; i < urdf->joint_count; i++) {
        (*plan)[i].joint = -1;
    }
    return TP_OK;
}

static tp_status build_joints(tpi_urdf *urdf, struct plan *plan)
{
    tp_status status = build_base(urdf);
    unsigned i = 0;

    for (const tpi_urdf_joint *joint = urdf->joints; joint != NULL && status == TP_OK;
         joint = joint->next, i++) {
        if (plan[i].joint < 0) {
            const tpi_urdf_joint *first =
                plan[i].compound == NULL ? joint : member(urdf, plan, plan[i].compound, 0);
            status = build_joint(urdf, plan, first);
        }
    }
    if (status == TP_OK && urdf->mechanism->dof_count > TPI_MOST_DOFS) {
        status = tpi_urdf_fail(urdf, 1, "robot", urdf->name, "over %d dofs", TPI_MOST_DOFS);
    }
    return status;
}

/* Take links inside of compounds out, and renumber the others. */
static tp_status drop_inner_links(tpi_urdf *urdf, const struct plan *plan)
{
    tpi_mechanism *mechanism = urdf->mechanism;
    int *renumbered =
        tpi_arena_array(&mechanism->arena, mechanism->link_count + 1u, sizeof *renumbered);
    unsigned kept = 0;

    if (renumbered == NULL) {
        return tp_fail(urdf->err, TP_E_NOMEM, "out of memory");
    }
    for (unsigned i = 0; i < mechanism->link_count; i++) {
        renumbered[i] = (int)kept;
        if (!is_inner(urdf, plan, mechanism->links[i].name)) {
            mechanism->links[kept++] = mechanism->links[i];
        }
    }
    mechanism->link_count = kept;
    for (unsigned i = 1; i < mechanism->joint_count; i++) {
        mechanism->joints[i].parent = renumbered[mechanism->joints[i].parent];
        mechanism->joints[i].child = renumbered[mechanism->joints[i].child];
    }
    return TP_OK;
}

static tp_status build_links(tpi_urdf *urdf)
{
    for (const tpi_urdf_link *link = urdf->links; link != NULL; link = link->next) {
        build_link(urdf, link, &urdf->mechanism->links[urdf->mechanism->link_count++]);
    }
    return TP_OK;
}

static tp_status close_tree(tpi_urdf *urdf)
{
    tp_status status = find_root(urdf);

    if (status == TP_OK) {
        urdf->mechanism->joints[0].child = urdf->mechanism->root;
        status = check_reach(urdf);
    }
    if (status == TP_OK) {
        urdf->mechanism->links[urdf->mechanism->root].joint = 0;
    }
    return status;
}

tp_status tpi_urdf_build(tpi_urdf *urdf)
{
    struct plan *plan = NULL;
    tp_status status = check_names(urdf);

    if (status == TP_OK) {
        status = take_memory(urdf, &plan);
    }
    for (const tpi_urdf_compound *c = urdf->compounds; c != NULL && status == TP_OK; c = c->next) {
        status = plan_compound(urdf, c, plan);
    }
    if (status == TP_OK) {
        status = add_extras(urdf);
    }
    if (status == TP_OK) {
        status = build_links(urdf);
    }
    if (status == TP_OK) {
        status = build_joints(urdf, plan);
    }
    if (status == TP_OK) {
        status = drop_inner_links(urdf, plan);
    }
    if (status == TP_OK) {
        status = close_tree(urdf);
    }
    if (status == TP_OK) {
        status = build_mimics(urdf, plan);
    }
    return status == TP_OK ? build_frames(urdf) : status;
}
