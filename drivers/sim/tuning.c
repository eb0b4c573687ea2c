/* tuning.c - see tuning.h. */
#include "tuning.h"

#include <math.h>

enum { FORWARD, SIDEWAYS, TURN };

static const double near_m = 0.02;    /* as near to a place as a vehicle gets */
static const double usual_mps = 0.4;  /* to a pose, without SPEED_PROF */
static const double usual_radps = 1;  /* likewise */
static const double narrow_rad = 0.2; /* the bearing within which it drives */
static const double largest = 1e6;    /* of a sum of errors, so that it stays a number */

static bool has_gains(const simd_gains *g)
{
    return g->p != 0 || g->i != 0 || g->d != 0;
}

static double limit(double value, double most)
{
    return fmax(-most, fmin(most, value));
}

static double normal(double angle)
{
    return remainder(angle, 2 * SIMD_PI);
}

bool tpi_simd_tuning_drives(const simd_tuning *t, tpi_sim_drive_mode mode)
{
    return mode == TPI_SIM_DRIVE_VELOCITY
               ? has_gains(&t->speed)
               : mode == TPI_SIM_DRIVE_POSITION && (has_gains(&t->position) || t->most_mps > 0);
}

void tpi_simd_tuning_end(simd_tuning *t)
{
    t->goal = SIMD_GOAL_NONE;
    t->begun = false;
    for (int i = 0; i < 3; i++) {
        t->sum[i] = t->last[i] = 0;
    }
}

/* The next command of the same kind goes on with the sums: clients send one several times a second.
 */
void tpi_simd_tuning_begin(simd_tuning *t, tpi_sim_drive_mode mode, const double target[3],
                           const double way[2])
{
    const simd_goal goal = mode == TPI_SIM_DRIVE_VELOCITY ? SIMD_GOAL_SPEED : SIMD_GOAL_POSE;

    if (goal != t->goal) {
        tpi_simd_tuning_end(t);
    }
    t->goal = goal;
    for (int i = 0; i < 3; i++) {
        t->target[i] = target[i];
    }
    t->way[0] = way[0];
    t->way[1] = way[1];
}

/* One axis of a controller. */
static double control(simd_tuning *t, const simd_gains *g, int axis, double error, double dt)
{
    const double change = t->begun ? (error - t->last[axis]) / dt : 0;

    t->sum[axis] = limit(t->sum[axis] + error * dt, largest);
    t->last[axis] = error;
    return g->p * error + g->i * t->sum[axis] + g->d * change;
}

static void keep_speed(simd_tuning *t, const tpi_sim_motion *now, double dt, double v[3])
{
    for (int i = 0; i < 3; i++) {
        v[i] =
            now->velocity[i] + dt * control(t, &t->speed, i, t->target[i] - now->velocity[i], dt);
    }
}

/* Within the limits of SPEED_PROF, and slow enough to stop at the goal. */
static double profiled(const simd_tuning *t, double speed, double distance, double before,
                       double dt)
{
    const double asked = t->way[0] > 0 ? t->way[0] : usual_mps;
    const double most =
        t->most_mps > 0 && (t->way[0] == 0 || t->most_mps < asked) ? t->most_mps : asked;

    speed = limit(speed, fmin(most, distance / dt));
    if (t->most_mps2 > 0) {
        speed = limit(speed, sqrt(2 * t->most_mps2 * distance));
        speed = before + limit(speed - before, t->most_mps2 * dt);
    }
    return speed;
}

/* It turns towards the place, drives there, and turns to the heading. */
static void go_to_pose(simd_tuning *t, const tpi_sim_motion *now, double dt, double v[3])
{
    static const simd_gains usual = {.p = 1};
    const simd_gains *gains = has_gains(&t->position) ? &t->position : &usual;
    const double dx = t->target[0] - now->estimate[0];
    const double dy = t->target[1] - now->estimate[1];
    const double distance = hypot(dx, dy);
    const bool there = distance < near_m;
    const double bearing = normal((there ? t->target[2] : atan2(dy, dx)) - now->estimate[2]);
    const bool drives = !there && fabs(bearing) < narrow_rad;
    const double speed = control(t, gains, FORWARD, drives ? distance : 0, dt);
    const double turn = control(t, gains, TURN, bearing, dt);

    v[FORWARD] = drives ? profiled(t, speed, distance, now->velocity[FORWARD], dt) : 0;
    v[SIDEWAYS] = 0;
    v[TURN] = limit(turn, fmin(t->way[1] > 0 ? t->way[1] : usual_radps, fabs(bearing) / dt));
}

void tpi_simd_tuning_step(simd_tuning *t, const simd_device *d)
{
    const double dt = (double)tpi_sim_interval_us(d->owner->world) * 1e-6;
    tpi_sim_motion now;
    double v[3];

    if (t->goal == SIMD_GOAL_NONE ||
        tpi_sim_get_motion(d->owner->world, d->model, &now, NULL) != TP_OK) {
        return;
    }
    if (t->goal == SIMD_GOAL_SPEED) {
        keep_speed(t, &now, dt, v);
    } else {
        go_to_pose(t, &now, dt, v);
    }
    t->begun = true;
    for (int i = 0; i < 3; i++) {
        v[i] = limit(v[i], largest);
    }
    (void)tpi_sim_drive(d->owner->world, d->model, TPI_SIM_DRIVE_VELOCITY, v, NULL);
}
