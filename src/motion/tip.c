/* tip.c - see tip.h. */
#include "motion/tip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinematics/mechanism.h"

static const double NEAR_M = 1e-6, NEAR_RAD = 1e-5;

struct tpi_motion_tip {
    tpi_chain chain;
    bool fixed[TPI_CHAIN_DOFS];    /* columns of other arms */
    uint16_t dofs[TPI_CHAIN_DOFS]; /* of the arm */
    uint16_t count;
    double values[TPI_MOST_DOFS]; /* of all dofs */
};

/* ---- Life ---- */

/* Whether a link is the other one, or fixed to it. */
static bool is_fixed_to(const tpi_mechanism *m, int link, int other)
{
    while (link != other && link != m->root && m->joints[m->links[link].joint].dof_count == 0) {
        link = m->joints[m->links[link].joint].parent;
    }
    return link == other;
}

/* The control frame at the end of the arm; NULL if there is none. */
static const tpi_control_frame *frame_on(const tpi_mechanism *m, int link)
{
    for (unsigned i = 0; i < m->frame_count; i++) {
        if (is_fixed_to(m, m->frames[i].link, link)) {
            return &m->frames[i];
        }
    }
    return NULL;
}

static int column_of(const tpi_chain *chain, uint16_t dof)
{
    for (unsigned i = 0; i < chain->column_count; i++) {
        if (chain->columns[i] == (int)dof) {
            return (int)i;
        }
    }
    return -1;
}

static tp_status take_dofs(tpi_motion_tip *tip, const tpi_mechanism *m, tp_error *err)
{
    for (unsigned i = 0; i < tip->chain.column_count; i++) {
        tip->fixed[i] = true;
    }
    for (uint16_t i = 0; i < tip->count; i++) {
        const int column = column_of(&tip->chain, tip->dofs[i]);

        if (column < 0) {
            return tp_fail(err, TP_E_INVALID, "joint %s does not move the tip of the arm",
                           tpi_mechanism_joint_of(m, tip->dofs[i])->name);
        }
        tip->fixed[column] = false;
    }
    return TP_OK;
}

tp_status tpi_motion_tip_create(tpi_motion_tip **out, const tpi_motion_robot *robot,
                                const uint16_t *dofs, uint16_t count, tp_error *err)
{
    const tpi_mechanism *m = robot->mechanism;
    tpi_motion_tip *tip = NULL;

    if (count == 0 || count > TPI_CHAIN_DOFS) {
        return tp_fail(err, TP_E_INVALID, "an arm has 1 to %d dofs", TPI_CHAIN_DOFS);
    }
    tip = calloc(1, sizeof *tip);
    if (tip == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    const int link = tpi_mechanism_joint_of(m, dofs[count - 1])->child;
    const tpi_control_frame *frame = frame_on(m, link);
    tp_status status = tpi_chain_init(&tip->chain, m, frame != NULL ? frame->link : link,
                                      frame != NULL ? &frame->pose : NULL, err);

    tip->count = count;
    memcpy(tip->dofs, dofs, count * sizeof *dofs);
    status = status == TP_OK ? take_dofs(tip, m, err) : status;
    if (status != TP_OK) {
        tpi_motion_tip_destroy(tip);
        return status;
    }
    *out = tip;
    return TP_OK;
}

void tpi_motion_tip_destroy(tpi_motion_tip *tip)
{
    free(tip);
}

/* ---- Joints and tip ---- */

void tpi_motion_tip_other(tpi_motion_tip *tip, uint16_t dof, double position)
{
    if (dof < tip->chain.mechanism->dof_count) {
        tip->values[dof] = position;
    }
}

static void set_values(tpi_motion_tip *tip, const double *positions)
{
    for (uint16_t i = 0; i < tip->count; i++) {
        tip->values[tip->dofs[i]] = positions[i];
    }
    tpi_mechanism_follow(tip->chain.mechanism, tip->values);
}

void tpi_motion_tip_forward(tpi_motion_tip *tip, const double *positions, tpi_motion_tip_pose *out)
{
    tpi_spatial at;

    set_values(tip, positions);
    tpi_chain_forward(&tip->chain, tip->values, &at);
    for (int i = 0; i < 3; i++) {
        out->place[i] = at.p[i];
        out->approach[i] = at.r[3 * i];
        out->across[i] = at.r[3 * i + 1];
    }
}

/* False if it has no length. */
static bool make_unit(double v[3])
{
    const double length = sqrt(tpi_dot3(v, v));

    for (int i = 0; i < 3; i++) {
        v[i] /= length;
    }
    return length > 1e-6;
}

/* The rotation with this x, and with y as near to `across` as a right angle allows. */
static bool rotation_of(double r[9], const tpi_motion_tip_pose *pose)
{
    double x[3], y[3], z[3];

    memcpy(x, pose->approach, sizeof x);
    if (!make_unit(x)) {
        return false;
    }
    tpi_cross3(z, x, pose->across);
    if (!make_unit(z)) {
        return false;
    }
    tpi_cross3(y, z, x);
    for (int i = 0; i < 3; i++) {
        r[3 * i] = x[i];
        r[3 * i + 1] = y[i];
        r[3 * i + 2] = z[i];
    }
    return true;
}

bool tpi_motion_tip_inverse(tpi_motion_tip *tip, const tpi_motion_tip_pose *pose, double *positions)
{
    const tpi_inverse_options options = {
        .position_m = NEAR_M, .angle_rad = NEAR_RAD, .here = true, .fixed = tip->fixed};
    tpi_spatial goal;

    memcpy(goal.p, pose->place, sizeof goal.p);
    if (!rotation_of(goal.r, pose)) {
        return false;
    }
    set_values(tip, positions);
    if (tpi_chain_inverse(&tip->chain, &goal, tip->values, &options) != TP_OK) {
        return false;
    }
    for (uint16_t i = 0; i < tip->count; i++) {
        positions[i] = tip->values[tip->dofs[i]];
    }
    return true;
}
