/* model.c - see model.h. */
#include "motion/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinematics/mechanism.h"

struct tpi_motion_model {
    tpi_mechanism *mechanism; /* owned */
    tpi_motion_joint *joints; /* owned; likewise the next two */
    tpi_motion_link *links;
    tpi_motion_frame *frames;
};

/* Names that are the same since they were cut get the numbers of their records: `size` is that of a
 * record, `names` the name of the first. */
static void tell_apart(char *names, size_t size, unsigned count)
{
    enum { LEAST = TPI_MOTION_NAME - 3 }; /* the shortest that can have been cut */

    for (unsigned i = 1; i < count; i++) {
        char *name = names + i * size, number[16];
        bool same = false;

        for (unsigned k = 0; k < i && !same && strlen(name) >= LEAST; k++) {
            same = strcmp(names + k * size, name) == 0;
        }
        if (same) {
            const int digits = snprintf(number, sizeof number, "~%u", i);
            const size_t length = tpi_motion_name_cut(name, TPI_MOTION_NAME - (size_t)digits);

            memset(name + length, 0, TPI_MOTION_NAME + 1 - length);
            memcpy(name + length, number, (size_t)digits);
        }
    }
}

/* ---- Records ---- */

static tpi_motion_dof dof_of(const tpi_dof *from)
{
    tpi_motion_dof out = {
        .type = (uint8_t)from->type,
        .servo = (uint8_t)from->servo,
        .mimics = from->master >= 0,
        .master = from->master >= 0 ? (uint16_t)from->master : 0,
        .lower = from->lower,
        .upper = from->upper,
        .velocity = from->velocity,
        .force = from->force,
        .acceleration = from->acceleration,
    };

    memcpy(out.axis, from->axis, sizeof out.axis);
    return out;
}

/* The place of the joint from the centre of mass of each link. */
static void put_joint(tpi_motion_joint *out, const tpi_mechanism *m, const tpi_joint *from)
{
    const double *child = m->links[from->child].centre_m;

    tpi_motion_name_put(out->name, from->name);
    out->parent = from->parent == TPI_WORLD ? 0xffff : (uint16_t)from->parent;
    out->child = (uint16_t)from->child;
    out->first_dof = (uint16_t)from->first_dof;
    out->dof_count = (uint8_t)from->dof_count;
    for (int i = 0; i < 3; i++) {
        const double centre = from->parent == TPI_WORLD ? 0 : m->links[from->parent].centre_m[i];

        out->inboard_m[i] = from->rest.p[i] - centre;
        out->outboard_m[i] = 0 - child[i];
    }
    memcpy(out->rest, from->rest.r, sizeof out->rest);
    for (unsigned i = 0; i < from->dof_count; i++) {
        out->dofs[i] = dof_of(&m->dofs[from->first_dof + i]);
    }
}

static void put_link(tpi_motion_link *out, const tpi_link *from)
{
    tpi_motion_name_put(out->name, from->name);
    out->joint = (uint16_t)from->joint;
    out->mass_kg = from->mass_kg;
    memcpy(out->centre_m, from->centre_m, sizeof out->centre_m);
    memcpy(out->inertia, from->inertia, sizeof out->inertia);
}

static void put_frame(tpi_motion_frame *out, const tpi_control_frame *from)
{
    tpi_motion_name_put(out->name, from->name);
    out->link = (uint16_t)from->link;
    out->servo = (uint8_t)from->servo;
    memcpy(out->position_m, from->pose.p, sizeof out->position_m);
    memcpy(out->rotation, from->pose.r, sizeof out->rotation);
}

/* ---- Life ---- */

static tp_status make_records(tpi_motion_model *model, tp_error *err)
{
    const tpi_mechanism *m = model->mechanism;

    model->joints = calloc(m->joint_count, sizeof *model->joints);
    model->links = calloc(m->link_count, sizeof *model->links);
    model->frames = calloc(m->frame_count + 1u, sizeof *model->frames);
    if (model->joints == NULL || model->links == NULL || model->frames == NULL) {
        return tp_fail(err, TP_E_NOMEM, "no memory");
    }
    for (unsigned i = 0; i < m->joint_count; i++) {
        put_joint(&model->joints[i], m, &m->joints[i]);
    }
    for (unsigned i = 0; i < m->link_count; i++) {
        put_link(&model->links[i], &m->links[i]);
    }
    for (unsigned i = 0; i < m->frame_count; i++) {
        put_frame(&model->frames[i], &m->frames[i]);
    }
    tell_apart(model->joints[0].name, sizeof *model->joints, m->joint_count);
    tell_apart(model->links[0].name, sizeof *model->links, m->link_count);
    tell_apart(model->frames[0].name, sizeof *model->frames, m->frame_count);
    return TP_OK;
}

tp_status tpi_motion_model_read(tpi_motion_model **out, const char *text, size_t length,
                                const char *path, tp_error *err)
{
    return tpi_motion_model_read_base(out, text, length, path, false, err);
}

tp_status tpi_motion_model_read_base(tpi_motion_model **out, const char *text, size_t length,
                                     const char *path, bool planar, tp_error *err)
{
    tpi_motion_model *model = calloc(1, sizeof *model);

    if (model == NULL) {
        return tp_fail(err, TP_E_NOMEM, "no memory");
    }
    tp_status status = tpi_urdf_read_base(&model->mechanism, text, length, path, planar, err);
    if (status == TP_OK) {
        status = make_records(model, err);
    }
    if (status != TP_OK) {
        tpi_motion_model_destroy(model);
        return status;
    }
    *out = model;
    return TP_OK;
}

void tpi_motion_model_destroy(tpi_motion_model *model)
{
    if (model == NULL) {
        return;
    }
    tpi_mechanism_destroy(model->mechanism);
    free(model->joints);
    free(model->links);
    free(model->frames);
    free(model);
}

/* ---- Looking ---- */

void tpi_motion_model_fill(tpi_motion_model *model, tpi_motion_robot *robot)
{
    const tpi_mechanism *m = model->mechanism;

    robot->name = m->name;
    robot->joints = model->joints;
    robot->links = model->links;
    robot->frames = model->frames;
    robot->joint_count = (uint16_t)m->joint_count;
    robot->link_count = (uint16_t)m->link_count;
    robot->frame_count = (uint16_t)m->frame_count;
    robot->root = (uint16_t)m->root;
    robot->mechanism = model->mechanism;
}

uint16_t tpi_motion_model_dofs(const tpi_motion_model *model)
{
    return (uint16_t)model->mechanism->dof_count;
}

int tpi_motion_model_joint(const tpi_motion_model *model, const char *name)
{
    return tpi_mechanism_joint(model->mechanism, name);
}

int tpi_motion_model_frame(const tpi_motion_model *model, const char *name)
{
    return tpi_mechanism_frame(model->mechanism, name);
}

const char *tpi_motion_model_warning(const tpi_motion_model *model, unsigned i, unsigned *line)
{
    const tpi_mechanism_warning *warning = model->mechanism->warnings;

    while (warning != NULL && i > 0) {
        warning = warning->next;
        i--;
    }
    if (warning == NULL) {
        return NULL;
    }
    *line = warning->line;
    return warning->text;
}
