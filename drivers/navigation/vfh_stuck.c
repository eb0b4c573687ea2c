/* vfh_stuck.c - what the drivers `vfh` and `nd` do where the robot cannot go on. */
#include <math.h>

#include "vfh_driver.h"

static const double crowded_s = 10; /* a person seen within this time may stand beside it */
static const double yield_s = 2;    /* how long it stands after a contact then */

/* Whether it stands after a contact, since it may have touched somebody: most sensors do not see
 * what is beside and behind the robot. Without people it goes on, and finds a way out. */
static bool yields(struct vfh *v, double time)
{
    struct vfh_yield *y = &v->yield;
    const bool touched = v->stalled && !y->touched;

    y->touched = v->stalled;
    if (touched && y->seen_s > 0 && time - y->seen_s < crowded_s) {
        y->until = time + yield_s;
    }
    if (!(time < y->until && y->until - time <= yield_s)) {
        return false;
    }
    (void)tpi_vfh_send(v, 0, 0);
    v->method.speed = v->method.turn = 0;
    return true;
}

/* Whether it leaves the place blindly, since it is stuck. */
static bool escape(struct vfh *v, double time)
{
    struct vfh_escape *e = &v->escape;

    if (e->duration <= 0 || (e->until == 0 && !v->stalled)) {
        return false;
    }
    if (e->until == 0) {
        e->until = time + e->duration;
        e->left = !e->left;
    }
    if (time >= e->until) {
        e->until = 0;
        return false;
    }
    const double forward = v->method.speed >= 0 ? -fabs(e->speed) : fabs(e->speed);
    (void)tpi_vfh_send(v, forward, e->left ? e->turnrate : -e->turnrate);
    return true;
}

/* Whether it has given up, or waits for the robot to be free. */
static bool is_stuck(struct vfh *v, double time)
{
    struct vfh_stuck *s = &v->stuck;
    const bool turns = fabs(v->method.speed) < 0.01;

    if (!s->watched || s->given_up) {
        return s->given_up;
    }
    if (s->waits && v->stalled) {
        (void)tpi_vfh_send(v, 0, 0);
        return true;
    }
    if (s->from_s == 0 || hypot(v->pose.x - s->from.x, v->pose.y - s->from.y) >= s->way ||
        fabs(tpi_nav_angle(v->pose.a - s->from.a)) >= s->angle ||
        v->method.state == TPI_NAV_VFH_DONE) {
        s->from = v->pose;
        s->from_s = time;
    }
    /* At its slowest it needs some time for that. */
    s->given_up = time - s->from_s > 2 + (turns ? s->turn_s : s->drive_s);
    if (s->given_up) {
        (void)tpi_vfh_send(v, 0, 0);
        v->method.speed = v->method.turn = 0;
        v->method.state = TPI_NAV_VFH_BLOCKED;
    }
    return s->given_up;
}

bool tpi_vfh_is_held(struct vfh *v, double time)
{
    return yields(v, time) || escape(v, time) || is_stuck(v, time);
}
