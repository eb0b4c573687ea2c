/*
 * motion_arrival.h - whether the devices of a robot are where they were sent.
 *
 * A command ends when the server has written its last set-point. A device can be slower, and it
 * stops when its client leaves. So a command that moves waits here until the measured positions
 * are those that were asked for.
 */
#ifndef TROUPE_APPS_MOTION_ARRIVAL_H
#define TROUPE_APPS_MOTION_ARRIVAL_H

#include "mover.h"

/* All zero but `within`: nothing was sent anywhere. */
struct arrival {
    double within;                /* how near is near enough, in rad or m */
    const tp_motion_robot *robot; /* borrowed */
    double *goals;                /* owned; by index among all dofs; NaN: none */
    double *nearest;              /* owned; how far each has been from its goal at least */
    uint64_t *nearest_us;         /* owned; when, by the server's clock */
};

static const double ARRIVAL_USUAL = 0.01;

/* Room for the dofs of a robot. TP_E_NOMEM. */
tp_status arrival_init(struct arrival *arrival, const tp_motion_robot *robot, tp_error *err);
void arrival_fini(struct arrival *arrival);

/* A dof is sent to a position. It comes no further than to its limits. */
void arrival_expect(struct arrival *arrival, uint16_t joint, uint16_t dof, double value);

/* A dof gets another command. */
void arrival_forget(struct arrival *arrival, uint16_t joint, uint16_t dof);

/* Wait until all dofs have arrived. `handle` gets what comes meanwhile; it can be NULL. A dof that
 * has come no nearer for a second is told. */
int arrival_wait(struct arrival *arrival, struct mover *mover,
                 void (*handle)(void *user, const tp_motion_reply *reply), void *user);

#endif
