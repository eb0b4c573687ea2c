/* update.c - UPDATE: fields of links, dofs and control frames that the configuration lets clients
 * set. Limits may be narrowed, and widened again as far as they were at the start. */
#include <math.h>
#include <string.h>

#include "kinematics/mechanism.h"
#include "motion/inside.h"

/* ---- Links ---- */

/* The joints beside a link count from its centre of mass. */
static void move_centre(tpi_motion_engine *e, uint16_t link, const double centre[3])
{
    tpi_motion_link *own = &e->robot.links[link];

    for (uint16_t j = 0; j < e->robot.joint_count; j++) {
        tpi_motion_joint *joint = &e->robot.joints[j];

        for (int i = 0; i < 3; i++) {
            if (joint->parent == link) {
                joint->inboard_m[i] += own->centre_m[i] - centre[i];
            }
            if (joint->child == link) {
                joint->outboard_m[i] = 0 - centre[i];
            }
        }
    }
    memcpy(own->centre_m, centre, sizeof own->centre_m);
}

static const char *update_link(tpi_motion_engine *e, const tpi_motion_update *u)
{
    if (u->index >= e->robot.link_count) {
        return "there is no such link";
    }
    tpi_motion_link *link = &e->robot.links[u->index];

    if (u->field == TPI_MOTION_LINK_CENTRE) {
        move_centre(e, u->index, u->value);
    } else if (u->field == TPI_MOTION_LINK_INERTIA) {
        memcpy(link->inertia, u->value, sizeof link->inertia);
    } else if (u->value[0] < 0) {
        return "a mass is not below 0";
    } else {
        link->mass_kg = u->value[0];
    }
    return NULL;
}

/* ---- Dofs ---- */

static const char wider[] = "the description has a narrower limit";

/* A limit of the position, of a copy of the dof. */
static const char *change_end(tpi_motion_dof *dof, const tpi_motion_dof *first, bool lower,
                              double value)
{
    const double within = fmin(fmax(value, first->lower), first->upper);

    if (value != within && fabs(value - within) > TPI_MOTION_ROUNDING) {
        return wider;
    }
    *(lower ? &dof->lower : &dof->upper) = within;
    return dof->lower <= dof->upper && dof->lower < HUGE_VAL && dof->upper > -HUGE_VAL
               ? NULL
               : "the lower limit would be above the upper one";
}

/* Set a limit of a copy of the dof. Returns why it cannot be. */
static const char *change(tpi_motion_dof *dof, const tpi_motion_dof *first, uint8_t field,
                          double value)
{
    double *const limits[] = {&dof->velocity, &dof->force, &dof->acceleration};
    const double most[] = {first->velocity, first->force, first->acceleration};

    if (field == TPI_MOTION_DOF_LOWER || field == TPI_MOTION_DOF_UPPER) {
        return change_end(dof, first, field == TPI_MOTION_DOF_LOWER, value);
    }
    if (!(value > 0)) {
        return "a limit is above 0";
    }
    if (value > most[field - TPI_MOTION_DOF_VELOCITY] + TPI_MOTION_ROUNDING) {
        return wider;
    }
    *limits[field - TPI_MOTION_DOF_VELOCITY] = fmin(value, most[field - TPI_MOTION_DOF_VELOCITY]);
    return NULL;
}

static const char *update_dof(tpi_motion_engine *e, const tpi_motion_update *u)
{
    if (u->index >= e->robot.joint_count || u->dof >= e->robot.joints[u->index].dof_count) {
        return "there is no such dof";
    }
    tpi_motion_dof *dof = &e->robot.joints[u->index].dofs[u->dof];
    const tpi_motion_axis *axis = &e->axes[e->robot.joints[u->index].first_dof + u->dof];
    tpi_motion_dof changed = *dof;
    const char *why = change(&changed, &axis->first, u->field, u->value[0]);

    if (why == NULL) {
        *dof = changed;
        tpi_motion_axis_limit_all(e);
    }
    return why;
}

/* ---- Frames ---- */

static const char *update_frame(tpi_motion_engine *e, const tpi_motion_update *u)
{
    if (u->index >= e->robot.frame_count) {
        return "there is no such frame";
    }
    tpi_motion_frame *frame = &e->robot.frames[u->index];

    memcpy(frame->position_m, u->value, sizeof frame->position_m);
    tpi_rotation_of_rpy(frame->rotation, u->value[3], u->value[4], u->value[5]);
    return NULL;
}

const char *tpi_motion_update_field(tpi_motion_engine *e, const tpi_motion_client *client,
                                    const tpi_motion_update *u)
{
    if (u->field < TPI_MOTION_LINK_MASS || u->field > TPI_MOTION_FRAME_POSE) {
        return "there is no such field";
    }
    if ((e->robot.updates >> u->field & 1) == 0) {
        return "this field cannot be set";
    }
    if (client->right < 3) {
        return "this client may not operate the robot";
    }
    if (u->field > TPI_MOTION_LINK_INERTIA && u->field < TPI_MOTION_FRAME_POSE) {
        return update_dof(e, u); /* its limits may be infinite */
    }
    if (!isfinite(u->value[0] + u->value[1] + u->value[2] + u->value[3] + u->value[4] +
                  u->value[5])) {
        return "a value is not finite";
    }
    return u->field == TPI_MOTION_FRAME_POSE ? update_frame(e, u) : update_link(e, u);
}
