/*
 * urdf_build.c - joins the elements of a URDF file into a mechanism, and checks that they are one.
 *
 * Exactly one link is the root, and all links hang on it. Joints keep the order of the file behind
 * joint 0, which joins the root to the world; a compound takes the place of its first joint.
 */
#include "kinematics/urdf.h"

/* ---- Links ---- */

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

/* Make a link of the mechanism. Links inside of compounds are none. */
static void build_link(tpi_urdf *urdf, tpi_urdf_link *from)
{
    tpi_mechanism *mechanism = urdf->mechanism;
    const tpi_spatial centre = tpi_urdf_pose(&from->centre);
    tpi_link *to = &mechanism->links[mechanism->link_count];

    if (from->is_inner) {
        from->index = -1;
        if (from->mass_kg > 0) {
            tpi_urdf_warn(urdf, from->line, "link %s is inside of a compound: its %g kg are lost",
                          from->name, from->mass_kg);
        }
        return;
    }
    from->index = (int)mechanism->link_count++;
    *to = (tpi_link){.name = from->name, .joint = -1, .mass_kg = from->mass_kg};
    memcpy(to->centre_m, centre.p, sizeof to->centre_m);
    turn_inertia(to->inertia, centre.r, from->inertia);
    if (from->has_inertia && from->mass_kg > 0 && !is_positive(from->inertia)) {
        tpi_urdf_warn(urdf, from->line, "link %s: the inertia is not positive", from->name);
    }
}

/* ---- Compounds ---- */

static tp_status fail_compound(const tpi_urdf *urdf, const tpi_urdf_compound *compound,
                               const char *before, const char *name, const char *after)
{
    return tpi_urdf_fail(urdf, compound->line, "compound", compound->name, "%s %.60s%s", before,
                         name, after);
}

/* Whether a member of a compound follows the one before it, at the same place. */
static tp_status check_member(const tpi_urdf *urdf, const tpi_urdf_compound *compound,
                              const tpi_urdf_joint *before, const tpi_urdf_joint *joint)
{
    if (joint->compound != NULL) {
        return fail_compound(urdf, compound, "joint", joint->name, " is in a compound already");
    }
    if (before == NULL) {
        return TP_OK;
    }
    if (before->child == NULL || joint->parent == NULL ||
        strcmp(before->child, joint->parent) != 0) {
        return fail_compound(urdf, compound, "joint", joint->name,
                             " does not follow the one before it");
    }
    if (tpi_dot3(joint->origin.xyz, joint->origin.xyz) > 1e-18) {
        return fail_compound(urdf, compound, "joint", joint->name,
                             " is not at the place of the one before it");
    }
    return TP_OK;
}

/* Connect the joints that a compound names. */
static tp_status join_compound(tpi_urdf *urdf, tpi_urdf_compound *compound)
{
    static const char blanks[] = " \t\n\r";
    tpi_urdf_joint *before = NULL;
    const char *at = compound->joints;
    size_t length;

    for (at += strspn(at, blanks); (length = strcspn(at, blanks)) > 0; at += strspn(at, blanks)) {
        tpi_urdf_joint *joint = tpi_urdf_joint_named(urdf, at, length);
        tp_status status = TP_OK;

        if (joint == NULL) {
            return tpi_urdf_fail(urdf, compound->line, "compound", compound->name,
                                 "there is no joint %.*s", length < 60 ? (int)length : 60, at);
        }
        status = check_member(urdf, compound, before, joint);
        if (status != TP_OK) {
            return status;
        }
        *(before == NULL ? &compound->first : &before->member) = joint;
        joint->compound = compound;
        before = joint;
        at += length;
    }
    if (before == compound->first) {
        return tpi_urdf_fail(urdf, compound->line, "compound", compound->name,
                             "joints has fewer than two names");
    }
    return TP_OK;
}

/* Mark the links inside of compounds. No other joint may hang on them. */
static tp_status mark_inner(tpi_urdf *urdf)
{
    for (const tpi_urdf_compound *c = urdf->compounds; c != NULL; c = c->next) {
        for (const tpi_urdf_joint *joint = c->first->member; joint != NULL; joint = joint->member) {
            tpi_urdf_link *link = tpi_urdf_link_named(urdf, joint->parent);
            if (link != NULL) { /* a missing one is reported with its joint */
                link->is_inner = true;
            }
        }
    }
    for (const tpi_urdf_joint *joint = urdf->joints; joint != NULL; joint = joint->next) {
        const tpi_urdf_link *on =
            joint->parent != NULL ? tpi_urdf_link_named(urdf, joint->parent) : NULL;
        if (on != NULL && on->is_inner &&
            (joint->compound == NULL || joint == joint->compound->first)) {
            return tpi_urdf_fail(urdf, joint->line, "joint", joint->name,
                                 "link %.60s is inside of a compound", on->name);
        }
    }
    return TP_OK;
}

static tp_status join_compounds(tpi_urdf *urdf)
{
    tp_status status = TP_OK;

    for (tpi_urdf_compound *c = urdf->compounds; c != NULL && status == TP_OK; c = c->next) {
        status = join_compound(urdf, c);
    }
    return status == TP_OK ? mark_inner(urdf) : status;
}

/* ---- Joints ---- */

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

/* Add a joint of the file to a joint of the mechanism. */
static tp_status add_member(tpi_urdf *urdf, tpi_urdf_joint *from, tpi_joint *joint)
{
    const tpi_spatial rest = tpi_urdf_pose(&from->origin);

    turn_axes(urdf->mechanism, joint, rest.r);
    joint->rest = tpi_spatial_product(&joint->rest, &rest);
    from->first_dof = urdf->mechanism->dof_count;
    from->is_built = true;
    return tpi_urdf_add_dofs(urdf, from, joint);
}

/* The index of a link that a joint names. */
static tp_status find_link(const tpi_urdf *urdf, const tpi_urdf_joint *from, const char *role,
                           const char *name, int *out)
{
    const tpi_urdf_link *link = name != NULL ? tpi_urdf_link_named(urdf, name) : NULL;

    if (name == NULL) {
        return tpi_urdf_fail(urdf, from->line, "joint", from->name, "<%s> is missing", role);
    }
    if (link == NULL) {
        return tpi_urdf_fail(urdf, from->line, "joint", from->name, "%s: there is no link %.60s",
                             role, name);
    }
    if (link->is_inner) {
        return tpi_urdf_fail(urdf, from->line, "joint", from->name,
                             "%s: link %.60s is inside of a compound", role, name);
    }
    *out = link->index;
    return TP_OK;
}

/* Hang the child of a joint on it. */
static tp_status hang(const tpi_urdf *urdf, const tpi_urdf_joint *from, const tpi_joint *joint)
{
    const tpi_mechanism *mechanism = urdf->mechanism;
    tpi_link *child = &mechanism->links[joint->child];

    if (child->joint >= 0) {
        return tpi_urdf_fail(urdf, from->line, "joint", from->name,
                             "link %.60s is the child of joint %.60s already", child->name,
                             mechanism->joints[child->joint].name);
    }
    child->joint = (int)(joint - mechanism->joints);
    return TP_OK;
}

/* Make a joint of the mechanism: one joint of the file, or a compound that begins with it. */
static tp_status build_joint(tpi_urdf *urdf, tpi_urdf_joint *first)
{
    tpi_mechanism *mechanism = urdf->mechanism;
    tpi_joint *joint = &mechanism->joints[mechanism->joint_count++];
    const tpi_urdf_compound *compound = first->compound;
    const tpi_urdf_joint *last = first;
    tp_status status = TP_OK;

    *joint = (tpi_joint){.name = compound != NULL ? compound->name : first->name,
                         .rest = tpi_spatial_identity(),
                         .first_dof = mechanism->dof_count};
    for (tpi_urdf_joint *from = first; from != NULL && status == TP_OK; from = from->member) {
        status = add_member(urdf, from, joint);
        last = from;
    }
    if (status == TP_OK && joint->dof_count > TPI_JOINT_DOFS) {
        status = tpi_urdf_fail(urdf, compound->line, "compound", compound->name,
                               "a joint has at most %d dofs", TPI_JOINT_DOFS);
    }
    if (status == TP_OK) {
        status = find_link(urdf, first, "parent", first->parent, &joint->parent);
    }
    if (status == TP_OK) {
        status = find_link(urdf, last, "child", last->child, &joint->child);
    }
    return status == TP_OK ? hang(urdf, last, joint) : status;
}

/* Joint 0: the root in the world. */
static tp_status build_base(tpi_urdf *urdf)
{
    const tpi_urdf_joint from = {.name = "base",
                                 .line = urdf->line,
                                 .kind = urdf->base,
                                 .axis = {0, 0, 1},
                                 .velocity = INFINITY,
                                 .effort = INFINITY};
    tpi_joint *joint = &urdf->mechanism->joints[urdf->mechanism->joint_count++];

    *joint = (tpi_joint){.name = "base", .parent = TPI_WORLD, .rest = tpi_spatial_identity()};
    if (tpi_urdf_joint_named(urdf, joint->name, strlen(joint->name)) != NULL) {
        joint->name = "world to root";
    }
    return tpi_urdf_add_dofs(urdf, &from, joint);
}

static tp_status build_joints(tpi_urdf *urdf)
{
    tp_status status = build_base(urdf);

    for (tpi_urdf_joint *joint = urdf->joints; joint != NULL && status == TP_OK;
         joint = joint->next) {
        if (!joint->is_built) {
            status = build_joint(urdf, joint->compound == NULL ? joint : joint->compound->first);
        }
    }
    if (status == TP_OK && urdf->mechanism->dof_count > TPI_MOST_DOFS) {
        status =
            tpi_urdf_fail(urdf, urdf->line, "robot", urdf->name, "over %d dofs", TPI_MOST_DOFS);
    }
    return status;
}

/* A compound may have the name of one of its joints, but of no other joint or compound. */
static tp_status check_compound_names(const tpi_urdf *urdf)
{
    for (const tpi_urdf_compound *c = urdf->compounds; c != NULL; c = c->next) {
        const tpi_urdf_joint *same = tpi_urdf_joint_named(urdf, c->name, strlen(c->name));
        bool taken = (same != NULL && same->compound != c) ||
                     strcmp(c->name, urdf->mechanism->joints[0].name) == 0;

        for (const tpi_urdf_compound *other = urdf->compounds; other != c && !taken;
             other = other->next) {
            taken = strcmp(other->name, c->name) == 0;
        }
        if (taken) {
            return tpi_urdf_fail(urdf, c->line, "compound", c->name, "another joint has this name");
        }
    }
    return TP_OK;
}

/* ---- The tree ---- */

/* Find the root: the one link that hangs on nothing. */
static tp_status find_root(tpi_urdf *urdf)
{
    tpi_mechanism *mechanism = urdf->mechanism;

    mechanism->root = -1;
    for (const tpi_urdf_link *link = urdf->links; link != NULL; link = link->next) {
        if (link->index < 0 || mechanism->links[link->index].joint >= 0) {
            continue;
        }
        if (mechanism->root >= 0) {
            return tpi_urdf_fail(urdf, link->line, "link", link->name,
                                 "it has no parent, and link %.60s has none either",
                                 mechanism->links[mechanism->root].name);
        }
        mechanism->root = link->index;
    }
    if (mechanism->link_count == 0) {
        return tpi_urdf_fail(urdf, urdf->line, "robot", urdf->name, "there is no link");
    }
    if (mechanism->root < 0) {
        return tpi_urdf_fail(urdf, urdf->links->line, "link", urdf->links->name,
                             "it hangs in a ring: every link has a parent");
    }
    return TP_OK;
}

/* Every link leads to the root in as many steps as there are links. */
static tp_status check_reach(const tpi_urdf *urdf)
{
    const tpi_mechanism *mechanism = urdf->mechanism;

    for (const tpi_urdf_link *link = urdf->links; link != NULL; link = link->next) {
        int at = link->index;
        unsigned steps = 0;

        while (at >= 0 && at != mechanism->root && steps++ < mechanism->link_count) {
            at = mechanism->joints[mechanism->links[at].joint].parent;
        }
        if (at >= 0 && at != mechanism->root) {
            return tpi_urdf_fail(urdf, link->line, "link", link->name,
                                 "it hangs in a ring, not on the root %.60s",
                                 mechanism->links[mechanism->root].name);
        }
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

/* ---- What refers to joints and links ---- */

/* What the extension says of joints is put into them before they are built. */
static tp_status add_extras(tpi_urdf *urdf)
{
    for (const tpi_urdf_extra *extra = urdf->extras; extra != NULL; extra = extra->next) {
        tpi_urdf_joint *joint = tpi_urdf_joint_named(urdf, extra->joint, strlen(extra->joint));
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
        const tpi_urdf_link *link = tpi_urdf_link_named(urdf, frame->link);
        if (link == NULL || link->is_inner) {
            return tpi_urdf_fail(urdf, frame->line, "frame", frame->name,
                                 link == NULL ? "there is no link %.60s"
                                              : "link %.60s is inside of a compound",
                                 frame->link);
        }
        mechanism->frames[mechanism->frame_count++] = (tpi_control_frame){
            .name = frame->name,
            .link = link->index,
            .pose = tpi_urdf_pose(&frame->origin),
            .servo = frame->servo,
        };
    }
    return TP_OK;
}

/* ---- Everything ---- */

static tp_status take_memory(tpi_urdf *urdf)
{
    tpi_mechanism *m = urdf->mechanism;
    const size_t dofs = TPI_JOINT_DOFS * ((size_t)urdf->joint_count + 1);

    m->name = urdf->name;
    m->links = tpi_arena_array(&m->arena, urdf->link_count + 1u, sizeof *m->links);
    m->joints = tpi_arena_array(&m->arena, urdf->joint_count + 1u, sizeof *m->joints);
    m->frames = tpi_arena_array(&m->arena, urdf->frame_count + 1u, sizeof *m->frames);
    m->dofs = tpi_arena_array(&m->arena, dofs, sizeof *m->dofs);
    return m->links != NULL && m->joints != NULL && m->frames != NULL && m->dofs != NULL
               ? TP_OK
               : tpi_urdf_no_memory(urdf);
}

static tp_status build_links(tpi_urdf *urdf)
{
    for (tpi_urdf_link *link = urdf->links; link != NULL; link = link->next) {
        build_link(urdf, link);
    }
    return TP_OK;
}

tp_status tpi_urdf_build(tpi_urdf *urdf)
{
    static tp_status (*const steps[])(tpi_urdf *) = {
        tpi_urdf_sort_names, take_memory, join_compounds,        add_extras,   build_links,
        build_joints,        close_tree,  tpi_urdf_build_mimics, build_frames,
    };
    tp_status status = TP_OK;

    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == TP_OK; i++) {
        status = steps[i](urdf);
    }
    if (status == TP_OK) {
        status = check_compound_names(urdf);
    }
    return status == TP_OK && urdf->lost_warning ? tpi_urdf_no_memory(urdf) : status;
}
