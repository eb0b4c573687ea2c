/*
 * motion.c - how something has moved, from where it is and where it was.
 *
 * Between two looks everything moves along an arc at a constant velocity in its own frame, however
 * it is driven and wherever on a robot it sits. So its velocity follows exactly from two poses.
 */
#include <math.h>

#include "sim/maths.h"
#include "sim/sense.h"

void tpi_sim_track_start(struct sim_track *track, const struct sim_frame *frame, int64_t time_us)
{
    *track = (struct sim_track){
        .x = frame->x, .y = frame->y, .z = frame->z, .a = frame->a, .time_us = time_us};
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

void tpi_sim_track_move(struct sim_track *track, const struct sim_frame *frame, int64_t time_us,
                        int64_t most_us, double change[3])
{
    const double time = (double)(time_us - track->time_us) * 1e-6;
    double velocity[4] = {0};
    double s;
    double c;

    change[0] = change[1] = change[2] = 0;
    if (time_us <= track->time_us || time_us - track->time_us > most_us) {
        tpi_sim_track_start(track, frame, time_us);
        return;
    }
    sim_sincos(track->a, &s, &c);
    const double dx = frame->x - track->x;
    const double dy = frame->y - track->y;
    find_velocity(c * dx + s * dy, c * dy - s * dx, sim_normal(frame->a - track->a), time,
                  velocity);
    velocity[2] = (frame->z - track->z) / time;
    for (int i = 0; i < 3; i++) {
        change[i] = (velocity[i] - track->velocity[i]) / time;
    }
    /* its axes turn while it goes on */
    change[0] -= velocity[3] * velocity[1];
    change[1] += velocity[3] * velocity[0];
    tpi_sim_track_start(track, frame, time_us);
    for (int i = 0; i < 4; i++) {
        track->velocity[i] = velocity[i];
    }
}

int64_t tpi_sim_longest_pause(const struct sim_view *view)
{
    return tpi_sim_view_traits(view)->update_us + view->sim->interval_us;
}

bool tpi_sim_is_track(const struct sim_track *track)
{
    return fabs(track->x) <= 1e15 && fabs(track->y) <= 1e15 && fabs(track->z) <= 1e15 &&
           fabs(track->a) <= SIM_PI;
}
