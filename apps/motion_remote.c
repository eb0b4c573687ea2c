/* motion_remote.c - troupe motion describe of a robot that a server has: as that of a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion_text.h"
#include "mover.h"

/* Place and direction of a joint in the parent link, whose centre of mass the wire counts from. */
static tpi_spatial rest_of(const tp_motion_robot *robot, const tp_motion_joint *joint)
{
    tpi_spatial rest;

    memcpy(rest.r, joint->rest, sizeof rest.r);
    for (int i = 0; i < 3; i++) {
        const double centre =
            joint->parent != TP_MOTION_WORLD ? robot->links[joint->parent].centre_m[i] : 0;
        rest.p[i] = joint->inboard_m[i] + centre;
    }
    return rest;
}

static tpi_dof dof_of(const tp_motion_dof *dof)
{
    tpi_dof out = {.type = dof->type == 2 ? TPI_PRISMATIC : TPI_REVOLUTE,
                   .lower = dof->lower,
                   .upper = dof->upper,
                   .velocity = dof->velocity,
                   .force = dof->force,
                   .acceleration = dof->acceleration,
                   .servo = dof->servo,
                   .master = dof->mimics != 0 ? dof->master : -1,
                   .multiplier = NAN}; /* the protocol does not tell */

    memcpy(out.axis, dof->axis, sizeof out.axis);
    return out;
}

static void fill_joints(tpi_mechanism *m, const tp_motion_robot *robot)
{
    for (uint16_t i = 0; i < robot->joint_count; i++) {
        const tp_motion_joint *j = &robot->joints[i];

        m->joints[i] =
            (tpi_joint){.name = j->name,
                        .parent = j->parent == TP_MOTION_WORLD ? TPI_WORLD : (int)j->parent,
                        .child = j->child,
                        .rest = rest_of(robot, j),
                        .dof_count = j->dof_count,
                        .first_dof = j->first_dof};
        for (unsigned k = 0; k < j->dof_count; k++) {
            m->dofs[j->first_dof + k] = dof_of(&j->dofs[k]);
        }
    }
}

static void fill_links(tpi_mechanism *m, const tp_motion_robot *robot)
{
    for (uint16_t i = 0; i < robot->link_count; i++) {
        const tp_motion_link *l = &robot->links[i];

        m->links[i] = (tpi_link){.name = l->name, .joint = l->joint, .mass_kg = l->mass_kg};
        memcpy(m->links[i].centre_m, l->centre_m, sizeof l->centre_m);
        memcpy(m->links[i].inertia, l->inertia, sizeof l->inertia);
    }
    for (uint16_t i = 0; i < robot->frame_count; i++) {
        const tp_motion_frame *f = &robot->frames[i];

        m->frames[i] = (tpi_control_frame){.name = f->name, .link = f->link, .servo = f->servo};
        memcpy(m->frames[i].pose.p, f->position_m, sizeof f->position_m);
        memcpy(m->frames[i].pose.r, f->rotation, sizeof f->rotation);
    }
}

static int describe(const tp_motion_robot *robot, bool json)
{
    tpi_mechanism m = {.name = robot->name,
                       .joint_count = robot->joint_count,
                       .link_count = robot->link_count,
                       .frame_count = robot->frame_count,
                       .dof_count = robot->dof_count,
                       .joints = calloc(robot->joint_count + 1u, sizeof *m.joints),
                       .links = calloc(robot->link_count + 1u, sizeof *m.links),
                       .frames = calloc(robot->frame_count + 1u, sizeof *m.frames),
                       .dofs = calloc(robot->dof_count + 1u, sizeof *m.dofs),
                       .root = robot->root};
    tpi_buf out = {0};
    int result;

    if (m.joints != NULL && m.links != NULL && m.frames != NULL && m.dofs != NULL) {
        fill_joints(&m, robot);
        fill_links(&m, robot);
        (json ? motion_json_put : motion_text_put)(&out, &m);
        result = command_write("motion", &out);
    } else {
        result = command_fail("motion", EXIT_FAILED, "out of memory");
    }
    free(m.joints);
    free(m.links);
    free(m.frames);
    free(m.dofs);
    return result;
}

int motion_describe_remote(const char *url, bool json)
{
    struct mover m;

    mover_init(&m);
    m.remote.url = url;
    int result = mover_connect(&m);
    result = result == EXIT_DONE ? describe(tp_motion_describe(m.robot), json) : result;
    mover_fini(&m);
    return result;
}
