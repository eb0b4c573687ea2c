/*
 * track.c - how something has moved, from where it is and where it was.
 *
 * Between two looks everything moves along an arc at a constant velocity in its own frame, however
 * it is driven and wherever on a robot it sits. So its velocity follows exactly from two poses. Of
 * the first look there is only one, and the velocity is that of the robot.
 */
#include <math.h>

#include "sim/maths.h"
#include "sim/move/position.h"
#include "sim/sense/sense.h"

/* How a model moves as a part of its tree. Joints between them are taken to stand still. */
static void find_own_velocity(const struct sim_view *view, double velocity[4])
{
    const tpi_sim *sim = view->sim;
    const struct sim_trees *t = &sim->trees;
    const struct sim_template *template = t->template[view->tree];
    const struct sim_frame *f = &view->frame;

    velocity[0] = velocity[1] = velocity[2] = velocity[3] = 0;
    if (template->driver == TPI_SIM_NONE) {
        return;
    }
    const struct sim_position_state *state = tpi_sim_state(sim, view->tree, template->driver);
    const double *v = state->velocity;
    const double c = t->c[view->tree];
    const double s = t->s[view->tree];
    const double vx = c * v[0] - s * v[1] - v[2] * (f->y - t->y[view->tree]);
    const double vy = s * v[0] + c * v[1] + v[2] * (f->x - t->x[view->tree]);
    velocity[0] = f->c * vx + f->s * vy;
    velocity[1] = f->c * vy - f->s * vx;
    velocity[3] = v[2];
}

static void note_place(struct sim_track *track, const struct sim_view *view)
{
    track->x = view->frame.x;
    track->y = view->frame.y;
    track->z = view->frame.z;
    track->a = view->frame.a;
    track->time_us = view->sim->time_us;
}

void tpi_sim_track_start(struct sim_track *track, const struct sim_view *view)
{
    note_place(track, view);
    find_own_velocity(view, track->velocity);
}

/* The velocity that leads in `time` along an arc to dx, dy, given in the frame of the beginning,
 * while turning by `turn`. */
static void find_velocity(double dx, double dy, double turn, double time, double velocity[4])
{
    double s;
    double c;

    /* dx = (sin vx - (1 - cos) vy) / w, dy = ((1 - cos) vx + sin vy) / w, solved for vx and vy */
    sim_sincos(turn / 2, &s, &c);
    const double along = fabs(turn) > 1e-12 ? turn / 2 * c / s : 1;
    const double across = turn / 2;
    velocity[0] = (along * dx + across * dy) / time;
    velocity[1] = (along * dy - across * dx) / time;
    velocity[3] = turn / time;
}

/* Whether the last look was the one before. */
static bool is_fresh(const struct sim_track *track, const struct sim_view *view)
{
    const int64_t pause_us = view->sim->time_us - track->time_us;

    return pause_us > 0 &&
           pause_us <= tpi_sim_view_traits(view)->update_us + view->sim->interval_us;
}

void tpi_sim_track_move(struct sim_track *track, const struct sim_view *view, double change[3])
{
    const struct sim_frame *frame = &view->frame;
    const double time = (double)(view->sim->time_us - track->time_us) * 1e-6;
    double velocity[4] = {0};
    double s;
    double c;

    change[0] = change[1] = change[2] = 0;
    if (is_fresh(track, view)) {
        sim_sincos(track->a, &s, &c);
        const double dx = frame->x - track->x;
        const double dy = frame->y - track->y;
        find_velocity(c * dx + s * dy, c * dy - s * dx, sim_normal(frame->a - track->a), time,
                      velocity);
        velocity[2] = (frame->z - track->z) / time;
        for (int i = 0; i < 3; i++) {
            change[i] = (velocity[i] - track->velocity[i]) / time;
        }
    } else {
        find_own_velocity(view, velocity);
    }
    /* its axes turn while it goes on */
    change[0] -= velocity[3] * velocity[1];
    change[1] += velocity[3] * velocity[0];
    note_place(track, view);
    for (int i = 0; i < 4; i++) {
        track->velocity[i] = velocity[i];
    }
}

bool tpi_sim_is_track(const struct sim_track *track)
{
    return fabs(track->x) <= 1e15 && fabs(track->y) <= 1e15 && fabs(track->z) <= 1e15 &&
           fabs(track->a) <= SIM_PI;
}
