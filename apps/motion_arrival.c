/* motion_arrival.c - see motion_arrival.h. */
#include "motion_arrival.h"

#include <math.h>
#include <stdlib.h>

static const int64_t LOOK_NS = 20 * TP_NS_PER_MS;
static const uint64_t STUCK_US = 1000000;

tp_status arrival_init(struct arrival *a, const tp_motion_robot *robot, tp_error *err)
{
    const size_t count = (size_t)robot->dof_count + 1;

    a->robot = robot;
    a->goals = calloc(count, sizeof *a->goals);
    a->nearest = calloc(count, sizeof *a->nearest);
    a->nearest_us = calloc(count, sizeof *a->nearest_us);
    if (a->goals == NULL || a->nearest == NULL || a->nearest_us == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        a->goals[i] = NAN;
    }
    return TP_OK;
}

void arrival_fini(struct arrival *a)
{
    free(a->goals);
    free(a->nearest);
    free(a->nearest_us);
    a->goals = a->nearest = NULL;
    a->nearest_us = NULL;
}

void arrival_expect(struct arrival *a, uint16_t joint, uint16_t dof, double value)
{
    const tp_motion_joint *j = &a->robot->joints[joint];
    const tp_motion_dof *limits = &j->dofs[dof];
    const size_t at = (size_t)j->first_dof + dof;

    a->goals[at] = fmin(fmax(value, limits->lower), limits->upper);
    a->nearest[at] = INFINITY;
    a->nearest_us[at] = 0;
}

void arrival_forget(struct arrival *a, uint16_t joint, uint16_t dof)
{
    a->goals[a->robot->joints[joint].first_dof + dof] = NAN;
}

/* The first dof that has not arrived; NULL if all have. *stuck: none of them comes nearer. */
static const tp_motion_joint *missing(struct arrival *a, const tp_motion_state *state,
                                      uint16_t *dof, bool *stuck)
{
    const tp_motion_joint *first = NULL;

    *stuck = true;
    for (uint16_t j = 0; j < a->robot->joint_count; j++) {
        const tp_motion_joint *joint = &a->robot->joints[j];

        for (uint16_t d = 0; d < joint->dof_count; d++) {
            const size_t at = (size_t)joint->first_dof + d;
            const double away =
                at < state->count ? fabs(state->dofs[at].position - a->goals[at]) : 0;

            if (!(away > a->within)) { /* nor if it was sent nowhere */
                continue;
            }
            if (away < a->nearest[at] - a->within / 2) {
                a->nearest[at] = away;
                a->nearest_us[at] = state->time_us;
            }
            *stuck = *stuck && state->time_us > a->nearest_us[at] + STUCK_US;
            *dof = first == NULL ? d : *dof;
            first = first == NULL ? joint : first;
        }
    }
    return first;
}

static int tell(const struct arrival *a, struct mover *mover, const tp_motion_state *state,
                const tp_motion_joint *joint, uint16_t dof)
{
    const size_t at = (size_t)joint->first_dof + dof;
    const char *unit = joint->dofs[dof].type == 2 ? "m" : "rad";
    char name[48];

    mover_progress_end(mover);
    mover_dof_name(a->robot, (uint16_t)(joint - a->robot->joints), dof, name);
    return command_fail(mover->remote.command, EXIT_FAILED,
                        "%s has not arrived: it is at %.4g %s, was sent to %.4g %s and has come no "
                        "nearer for %.0f s; if that is near enough, say --within",
                        name, state->dofs[at].position, unit, a->goals[at], unit,
                        (double)STUCK_US * 1e-6);
}

/* What comes until it is time to look again. */
static tp_status hear(struct mover *mover, void (*handle)(void *, const tp_motion_reply *),
                      void *user, tp_error *err)
{
    const int64_t until = tp_clock_now_ns(tp_clock_real()) + LOOK_NS;
    tp_status status = TP_OK;

    while (status == TP_OK) {
        const int64_t left = until - tp_clock_now_ns(tp_clock_real());
        tp_motion_reply *reply = NULL;

        status = left > 0 ? tp_motion_await(mover->robot, 0, left, &reply, err) : TP_E_TIMEOUT;
        if (status == TP_OK && handle != NULL) {
            handle(user, reply);
        }
        free(reply);
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

int arrival_wait(struct arrival *a, struct mover *mover,
                 void (*handle)(void *user, const tp_motion_reply *reply), void *user)
{
    tp_error err = {0};
    tp_status status = TP_OK;

    while (status == TP_OK) {
        tp_motion_reply *reply = NULL;
        uint16_t dof = 0;
        bool stuck = false;

        status = tp_motion_ask(mover->robot, TP_MOTION_ASK_STATE, &reply, &err);
        const tp_motion_joint *joint =
            status == TP_OK ? missing(a, &reply->as.state, &dof, &stuck) : NULL;
        if (status == TP_OK && (joint == NULL || stuck)) {
            const int result =
                joint == NULL ? EXIT_DONE : tell(a, mover, &reply->as.state, joint, dof);

            free(reply);
            return result;
        }
        free(reply);
        status = status == TP_OK ? hear(mover, handle, user, &err) : status;
        if (joint != NULL) {
            char name[48];

            mover_dof_name(a->robot, (uint16_t)(joint - a->robot->joints), dof, name);
            mover_progress(mover, "waiting until %s arrives", name);
        }
    }
    mover_progress_end(mover);
    return status == TP_E_INTERRUPTED ? mover_stop(mover) : mover_fail(mover, &err);
}
