/*
 * position.c - the model `position`: a body that is driven.
 *
 * How it differs from Stage 4.3, on purpose:
 *
 * - Motion within a step is an exact arc, not a chord followed by a turn.
 * - acceleration_bounds, where the file gives them, hold in every mode.
 * - In position mode the velocities are limited in both directions, errors are turned into the
 *   robot's frame, and a step never overshoots.
 * - Odometry is exact for the velocity that was driven, sideways too, whatever the update interval.
 *   It goes on while the robot is stalled: wheels slip.
 * - `localization "gps"` reports the pose of the same instant, not of the step before. A
 *   localization_origin that the file gives is honoured; without one it is that of the world.
 * - `odom_error [x y z a]`: as the manual has it, the share that each axis is off is drawn once,
 *   evenly from -E/2 to E/2, and all four are plain shares. Stage takes E itself, and the last one
 * as an angle.
 * - A robot that is stopped by something reports no velocity (one that slides along it, that one),
 *   and stops being stalled as soon as it does not push any more.
 * - A robot with a `velocity` drives from the beginning, whether or not anybody uses it, until it
 * is commanded for the first time or its last user leaves.
 * - `collision "slide"` is ours: what is left of the step is used to slide along the obstacle.
 */
#include "sim/move/position.h"

#include <math.h>
#include <string.h>

#include "sim/maths.h"

static const double fastest_allowed = 1e5; /* m/s and rad/s: beyond this numbers lose their sense */

/* ---- Properties ------------------------------------------------------------------------------ */

static const char *const properties[] = {
    "drive",
    "velocity",
    "wheelbase",
    "velocity_bounds",
    "acceleration_bounds",
    "localization",
    "localization_origin",
    "odom_error",
    "collision",
    NULL,
};

/* xmin xmax ymin ymax zmin zmax amin amax. */
static tp_status read_bounds(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                             double low[3], double high[3])
{
    double b[8] = {-1, 1, -1, 1, -1, 1, -SIM_PI / 2, SIM_PI / 2};
    static const int from[] = {0, 2, 6};
    tp_status status = tpi_sim_read_tuple(reader, section, name, "LLLLLLAA", 8, b);

    for (int i = 0; i < 3 && status == TP_OK; i++) {
        low[i] = b[from[i]];
        high[i] = b[from[i] + 1];
        if (!(low[i] <= high[i] && low[i] >= -fastest_allowed && high[i] <= fastest_allowed)) {
            return tpi_cfg_fail(&tpi_cfg_find(section, name)->place, reader->err,
                                "\"%s\" has the bounds %.15g to %.15g%s", name, low[i], high[i],
                                low[i] > high[i] ? "; the least comes first" : "");
        }
    }
    return status;
}

/* Four values of which z is left out; in old files there is none. */
static tp_status read_planar(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                             const char *units, double out[3])
{
    const tpi_cfg_field *field = tpi_cfg_find(section, name);
    const bool old = field != NULL && field->value_count == 3;
    const char flat[] = {units[0], units[1], units[3], '\0'};
    double values[4] = {out[0], out[1], 0, out[2]};
    tp_status status =
        tpi_sim_read_tuple(reader, section, name, old ? flat : units, old ? 3 : 4, values);

    if (old) {
        tpi_sim_note(reader, &field->place,
                     "\"%s\" has three values, as in old files: x, y and heading", name);
        values[3] = values[2];
    }

    out[0] = values[0];
    out[1] = values[1];
    out[2] = values[3];
    for (int i = 0; i < 3 && status == TP_OK; i++) {
        if (!(fabs(out[i]) <= TPI_SIM_FARTHEST)) {
            return tpi_cfg_fail(&tpi_cfg_find(section, name)->place, reader->err,
                                "\"%s\" is too large", name);
        }
    }
    return status;
}

/* Old files have angles where these are shares. */
static void tell_error(const struct sim_reader *reader, tpi_cfg_section *section,
                       const double error[3])
{
    for (int i = 0; i < 3; i++) {
        if (fabs(error[i]) > 0.5) {
            tpi_sim_note(reader, &tpi_cfg_find(section, "odom_error")->place,
                         "\"odom_error\" has shares: with %.6g odometry is off by up to %.6g %%",
                         error[i], fabs(error[i]) * 50);
        }
    }
}

static tp_status read_wheelbase(struct sim_reader *reader, tpi_cfg_section *section, double *metres)
{
    tp_status status = tpi_sim_read_number(reader, section, "wheelbase", 'L', metres);

    if (status == TP_OK && !(*metres > 0 && *metres <= TPI_SIM_FARTHEST)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "wheelbase")->place, reader->err,
                            "\"wheelbase\" is greater than 0 and up to %g m, not %.15g",
                            TPI_SIM_FARTHEST, *metres);
    }
    return status;
}

static tp_status read_words(struct sim_reader *reader, tpi_cfg_section *section,
                            struct sim_position *p)
{
    static const char *const drives[] = {"diff", "omni", "car", NULL};
    static const char *const places[] = {"gps", "odom", NULL};
    static const char *const collisions[] = {"stop", "slide", NULL};
    uint32_t odometry = 0;
    uint32_t slides = 0;
    tp_status status = tpi_sim_read_choice(reader, section, "drive", drives, &p->drive);

    if (status == TP_OK) {
        status = tpi_sim_read_choice(reader, section, "localization", places, &odometry);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_choice(reader, section, "collision", collisions, &slides);
    }
    p->odometry = odometry == 1;
    p->slides = slides == 1;
    return status;
}

static tp_status read_numbers(struct sim_reader *reader, tpi_cfg_section *section,
                              struct sim_position *p)
{
    tp_status status = read_bounds(reader, section, "velocity_bounds", p->slowest, p->fastest);

    for (int i = 0; i < 3 && status == TP_OK; i++) {
        if (p->slowest[i] > 0 || p->fastest[i] < 0) {
            tpi_sim_note(reader, &tpi_cfg_find(section, "velocity_bounds")->place,
                         "\"velocity_bounds\" does not hold 0: the robot cannot stand still");
        }
    }
    if (status == TP_OK) {
        status = read_bounds(reader, section, "acceleration_bounds", p->brake, p->push);
    }
    if (status == TP_OK) {
        status = read_planar(reader, section, "velocity", "LLLA", p->velocity);
    }
    if (status == TP_OK) {
        status = read_planar(reader, section, "localization_origin", "LLLA", p->origin);
    }
    if (status == TP_OK) {
        status = read_planar(reader, section, "odom_error", "FFFF", p->error);
    }
    if (status == TP_OK) {
        tell_error(reader, section, p->error);
    }
    p->limited = tpi_cfg_find(section, "acceleration_bounds") != NULL;
    p->has_origin = tpi_cfg_find(section, "localization_origin") != NULL;
    return status == TP_OK ? read_wheelbase(reader, section, &p->wheelbase) : status;
}

static tp_status position_read(struct sim_reader *reader, tpi_cfg_section *section,
                               tpi_buf *settings)
{
    struct sim_position p;
    tp_status status;

    memset(&p, 0, sizeof p);
    p.error[0] = p.error[1] = 0.03;
    p.error[2] = 0.05;
    p.wheelbase = 1;
    status = read_words(reader, section, &p);
    if (status == TP_OK) {
        status = read_numbers(reader, section, &p);
    }
    tpi_buf_put(settings, &p, sizeof p);
    return status;
}

/* ---- Frames of three numbers ----------------------------------------------------------------- */

/* A pose in the world as seen from `origin`. */
static void relative_to(const double origin[3], double x, double y, double a, double out[3])
{
    double s = 0;
    double c = 1;

    if (origin[2] != 0) {
        sim_sincos(origin[2], &s, &c);
    }
    const double dx = x - origin[0];
    const double dy = y - origin[1];
    out[0] = c * dx + s * dy;
    out[1] = c * dy - s * dx;
    out[2] = sim_normal(a - origin[2]);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void position_start(const struct sim_view *view)
{
    const struct sim_position *p = view->config;
    struct sim_position_state *state = (struct sim_position_state *)view->state;
    const struct sim_frame *f = &view->frame;

    state->own = 1;
    for (int i = 0; i < 3; i++) {
        state->goal[i] = state->velocity[i] = p->velocity[i];
        state->error[i] =
            p->odometry ? p->error[i] / 2 * sim_both_ways(sim_chance(view->key, 0, (uint64_t)i))
                        : 0;
        state->origin[i] = p->origin[i];
    }
    if (p->odometry && !p->has_origin) {
        state->origin[0] = f->x;
        state->origin[1] = f->y;
        state->origin[2] = f->a;
    }
    relative_to(state->origin, f->x, f->y, f->a, state->estimate);
}

static void position_stop(const struct sim_view *view)
{
    struct sim_position_state *state = (struct sim_position_state *)view->state;

    state->mode = TPI_SIM_DRIVE_VELOCITY;
    state->own = 0;
    for (int i = 0; i < 3; i++) {
        state->goal[i] = state->velocity[i] = 0;
    }
}

static bool position_check(const struct sim_common *common)
{
    const struct sim_position_state *state = (const struct sim_position_state *)common;
    bool good = state->mode <= TPI_SIM_DRIVE_HEADING && state->own <= 1 && state->trying <= 1 &&
                state->loaded <= 1 && fabsf(state->spot[0]) <= 1e15F &&
                fabsf(state->spot[1]) <= 1e15F && state->mps >= 0 && isfinite(state->mps) &&
                state->radps >= 0 && isfinite(state->radps);

    for (int i = 0; i < 3; i++) {
        good = good && fabs(state->goal[i]) <= TPI_SIM_FARTHEST &&
               fabs(state->velocity[i]) <= fastest_allowed && fabs(state->estimate[i]) <= 1e15 &&
               fabs(state->error[i]) <= TPI_SIM_FARTHEST &&
               fabs(state->origin[i]) <= TPI_SIM_FARTHEST;
    }
    return good;
}

const tpi_sim_type tpi_sim_type_position = {
    .kind = TPI_SIM_POSITION,
    .name = "position",
    .size = {0.4, 0.4, 1.0},
    .colour = 0xff0000ff,
    .properties = properties,
    .state_size = sizeof(struct sim_position_state),
    .moves = true,
    .read = position_read,
    .start = position_start,
    .stop = position_stop,
    .check = position_check,
};

/* ---- From commands to velocities ------------------------------------------------------------- */

static double limit(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* How fast to go to be there without overshooting: gently near the goal. */
static double approach(double distance, double most, double dt)
{
    return limit(distance, -fmin(most, fabs(distance) / dt), fmin(most, fabs(distance) / dt));
}

/* Towards a heading, as fast as the robot may: it does not turn too far within a step, nor faster
 * than it can brake. */
static double turn_to(const struct sim_position *p, double angle, double dt)
{
    const double quickly = 4; /* rad/s for each radian that is left */
    const double braking = p->limited ? fmin(p->push[2], -p->brake[2]) : fastest_allowed;
    const double most = sqrt(fmax(braking, 0) * fabs(angle)); /* less than would do */

    return limit(angle * fmin(quickly, 1 / dt), -most, most);
}

/* The speed that a command asks for is that of the motion, not that of each axis. */
static void keep_within(double v[2], float mps)
{
    const double speed = hypot(v[0], v[1]);

    if (mps > 0 && speed > (double)mps) {
        v[0] *= (double)mps / speed;
        v[1] *= (double)mps / speed;
    }
}

/* Towards a pose: a robot that can go sideways does all at once, another one turns towards the
 * goal, drives, and turns to the heading at last. */
static void go_to(const struct sim_position *p, const struct sim_position_state *state, double dt,
                  double v[3])
{
    const double dx = state->goal[0] - state->estimate[0];
    const double dy = state->goal[1] - state->estimate[1];
    const double da = sim_normal(state->goal[2] - state->estimate[2]);
    const double distance = hypot(dx, dy);
    const double mps = state->mps > 0 ? (double)state->mps : 0.4;
    const double radps = state->radps > 0 ? (double)state->radps : 1;
    double s;
    double c;

    v[0] = v[1] = 0;
    if (p->drive == SIM_OMNI) {
        sim_sincos(state->estimate[2], &s, &c);
        v[0] = approach(c * dx + s * dy, mps, dt);
        v[1] = approach(c * dy - s * dx, mps, dt);
        v[2] = approach(da, radps, dt);
        keep_within(v, state->mps);
    } else if (distance < 0.02) {
        v[2] = approach(da, radps, dt);
    } else {
        const double bearing = sim_normal(atan2(dy, dx) - state->estimate[2]);
        v[0] = fabs(bearing) < SIM_PI / 16 ? approach(distance, mps, dt) : 0;
        v[2] = approach(bearing, radps, dt);
    }
}

/* The velocity that the command asks for. */
static void wanted(const struct sim_position *p, const struct sim_position_state *state, double dt,
                   double v[3])
{
    double s;
    double c;

    if (state->mode == TPI_SIM_DRIVE_POSITION) {
        go_to(p, state, dt, v);
        return;
    }
    for (int i = 0; i < 3; i++) {
        v[i] = state->goal[i];
        if (state->mode == TPI_SIM_DRIVE_ACCELERATION) {
            v[i] = state->velocity[i] + limit(state->goal[i], p->brake[i], p->push[i]) * dt;
        }
    }
    if (state->mode == TPI_SIM_DRIVE_HEADING) {
        v[2] = turn_to(p, sim_normal(state->goal[2] - state->estimate[2]), dt);
    }
    if (p->drive == SIM_CAR) {
        sim_sincos(sim_normal(state->goal[2]), &s, &c);
        v[0] = state->goal[0] * c;
        v[2] = state->goal[0] * s / p->wheelbase;
    }
}

/* Keep a velocity within what the last one can become in a step. */
static void limit_change(const struct sim_position *p, const struct sim_position_state *state,
                         double dt, double v[3])
{
    const double speed = v[0];

    for (int i = 0; i < 3; i++) {
        v[i] = limit(v[i], state->velocity[i] + p->brake[i] * dt,
                     state->velocity[i] + p->push[i] * dt);
        if (i == 0 && p->drive == SIM_CAR) { /* its wheels are turned, however fast it is */
            v[2] = speed != 0 ? v[2] * (v[0] / speed)
                              : v[0] * tan(limit(state->goal[2], -1.5, 1.5)) / p->wheelbase;
        }
    }
}

/* The velocity of the next step. */
static void next_velocity(const tpi_sim *sim, const struct sim_position *p,
                          const struct sim_position_state *state, double v[3])
{
    const double dt = (double)sim->interval_us * 1e-6;

    v[0] = v[1] = v[2] = 0;
    if (state->common.subscribers > 0 || state->own != 0) {
        wanted(p, state, dt, v);
    }
    if (p->drive != SIM_OMNI) {
        v[1] = 0;
    }
    for (int i = 0; i < 3; i++) {
        v[i] = limit(v[i], p->slowest[i], p->fastest[i]);
    }
    if (p->limited) {
        limit_change(p, state, dt, v);
    }
}

void tpi_sim_drive_begin(tpi_sim *sim, uint32_t tree)
{
    const struct sim_template *template = sim->trees.template[tree];
    const struct sim_position *p = template->devices[template->driver].config;
    struct sim_position_state *state = tpi_sim_state(sim, tree, template->driver);
    double v[3];

    next_velocity(sim, p, state, v);
    memcpy(state->velocity, v, sizeof v);
    sim->motions.vx[tree] = v[0];
    sim->motions.vy[tree] = v[1];
    sim->motions.w[tree] = v[2];
}

bool tpi_sim_drive_brakes(const tpi_sim *sim, uint32_t tree)
{
    const struct sim_template *template = sim->trees.template[tree];
    const struct sim_position *p = template->devices[template->driver].config;
    const struct sim_position_state *state = tpi_sim_state(sim, tree, template->driver);
    bool changes = false;
    bool moves = false;
    bool told = state->mode == TPI_SIM_DRIVE_VELOCITY;
    double v[3];

    next_velocity(sim, p, state, v);
    for (int i = 0; i < 3; i++) {
        told = told && state->goal[i] == 0;
        moves = moves || v[i] != 0;
        changes = changes || v[i] != state->velocity[i];
    }
    return told && moves && changes;
}

/* ---- Odometry -------------------------------------------------------------------------------- */

void tpi_sim_arc(double vx, double vy, double w, double time, double *x, double *y)
{
    const double angle = w * time;
    double along = time;              /* the sine of the angle, over w */
    double across = angle * time / 2; /* one minus the cosine, over w */

    if (fabs(angle) > 1e-4) {
        double s;
        double c;
        sim_sincos(angle / 2, &s, &c);
        along = 2 * s * c / w;
        across = 2 * s * s / w;
    } else { /* the series, whose next terms are below the last digit */
        along *= 1 - angle * angle / 6;
        across *= 1 - angle * angle / 12;
    }
    *x = vx * along - vy * across;
    *y = vx * across + vy * along;
}

/* Go on with the velocity as the wheels count it. */
static void count_wheels(struct sim_position_state *state, double dt)
{
    const double w = state->velocity[2] * (1 + state->error[2]);
    double x;
    double y;
    double s;
    double c;

    tpi_sim_arc(state->velocity[0] * (1 + state->error[0]),
                state->velocity[1] * (1 + state->error[1]), w, dt, &x, &y);
    sim_sincos(state->estimate[2], &s, &c);
    state->estimate[0] += c * x - s * y;
    state->estimate[1] += s * x + c * y;
    state->estimate[2] = sim_normal(state->estimate[2] + w * dt);
}

/* What is left of a velocity that something was in the way of: what went along the obstacle if it
 * slides there still, otherwise nothing. */
static void keep_sliding(const tpi_sim *sim, uint32_t tree, bool slides, double velocity[3])
{
    const double x = sim->motions.vx[tree]; /* along the obstacle */
    const double y = sim->motions.vy[tree];
    const double square = x * x + y * y;
    const double share = slides && sim->motions.until[tree] >= 1 && square > 0
                             ? (velocity[0] * x + velocity[1] * y) / square
                             : 0;

    velocity[0] = share * x;
    velocity[1] = share * y;
    velocity[2] = 0;
}

void tpi_sim_drive_end(tpi_sim *sim, uint32_t tree, bool stalled)
{
    const struct sim_template *template = sim->trees.template[tree];
    const struct sim_position *p = template->devices[template->driver].config;
    struct sim_position_state *state = tpi_sim_state(sim, tree, template->driver);
    const struct sim_trees *t = &sim->trees;

    if (p->odometry) {
        count_wheels(state, (double)sim->interval_us * 1e-6);
    } else {
        relative_to(state->origin, t->x[tree], t->y[tree], t->a[tree], state->estimate);
    }
    state->stalled = stalled;
    state->common.updated_us = sim->time_us;
    if (stalled) {
        keep_sliding(sim, tree, p->slides, state->velocity);
    }
}
