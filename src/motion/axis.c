/* axis.c - motions of axes: how they start, what they are at an instant, how they end. */
#include <math.h>

#include "motion/inside.h"

static const double SPEED_SHARE = 0.8; /* of the acceleration limit, for changes of a speed */
static const double LEAST_GRIP = 0.2;  /* of the acceleration limit, for changes of the rate */
static const double LEAST_LOSS = 0.05; /* of a step of the speed: then it is one itself */
static const double MOST_LOSS = 0.5;   /* of it: with a step of the rate it is too much then */

/* ---- Where an axis is ---- */

/* A speed is constant in each period of the motion: the one that the profile has at its end. Before
 * the first period it is that of the start. */
static double cell_speed(const tpi_motion_motion *m, int64_t since_ns, int64_t period_ns)
{
    const int64_t end_ns = since_ns < 0 ? 0 : (since_ns / period_ns + 1) * period_ns;

    return tpi_motion_profile_at(&m->profile, (double)end_ns * 1e-9).velocity;
}

/* The step from the period before, as an acceleration: a ramp can begin anywhere in a period. */
static double cell_acceleration(const tpi_motion_motion *m, int64_t since_ns, int64_t period_ns)
{
    const double step =
        cell_speed(m, since_ns, period_ns) - cell_speed(m, since_ns - period_ns, period_ns);

    return step / ((double)period_ns * 1e-9);
}

/* A step of the speed is the change of a whole period, made at its beginning. So a motion that
 * replaces another one within that period finds it made already: in the same direction it goes on
 * when the period is over. */
int64_t tpi_motion_axis_lag(const tpi_motion_engine *e, const tpi_motion_axis *axis, bool up)
{
    const int64_t since = tpi_motion_track_present(e) - axis->stepped_ns[up];

    return since < e->robot.period_ns ? e->robot.period_ns - since : 0;
}

static tpi_motion_station station_at(const tpi_motion_engine *e, const tpi_motion_axis *axis,
                                     int64_t tau_ns, bool before)
{
    const tpi_motion_motion *m = &axis->motion;
    const int64_t since = tau_ns - m->tau0_ns;

    const bool speedless = m->servo == TPI_MOTION_GOTO_SERVO || m->servo == TPI_MOTION_SERVO_FORCE;

    if (speedless && m->tool == NULL && since <= 0) {
        return (tpi_motion_station){m->profile.last, 0}; /* it has not been written yet */
    }
    if (m->servo == 0 || m->servo == TPI_MOTION_GOTO_SERVO) {
        return (tpi_motion_station){axis->rest, 0};
    }
    if (m->tool != NULL) {
        return tpi_motion_tool_at(e, axis, since, before);
    }
    if (m->servo == TPI_MOTION_SERVO_FORCE) {
        return (tpi_motion_station){{axis->measured.position, 0}, 0};
    }
    const double time = (double)since * 1e-9;
    tpi_motion_point point = tpi_motion_profile_at(&m->profile, time);
    if (since < 0) {
        point.position += point.velocity * time;
    }
    if (m->servo != TPI_MOTION_SERVO_SPEED) {
        return (tpi_motion_station){point, tpi_motion_profile_acceleration(&m->profile, time)};
    }
    point.velocity = before && since <= 0 ? tpi_motion_profile_at(&m->profile, 0).velocity
                                          : cell_speed(m, since - before, e->robot.period_ns);
    return (tpi_motion_station){point, cell_acceleration(m, since, e->robot.period_ns)};
}

static int64_t tau_of(const tpi_motion_engine *e, const tpi_motion_axis *axis)
{
    return axis->motion.servo == 0
               ? 0
               : tpi_motion_line_tau(&axis->motion.track->line, tpi_motion_track_present(e));
}

tpi_motion_point tpi_motion_axis_point(const tpi_motion_engine *e, const tpi_motion_axis *axis)
{
    return station_at(e, axis, tau_of(e, axis), false).point;
}

/* What its speed is on another track, so that the dof is as fast as before. */
static double scale_on(const tpi_motion_engine *e, const tpi_motion_axis *axis,
                       const tpi_motion_track *track)
{
    const double scale = tpi_motion_track_scale(track);

    return scale > 0 ? tpi_motion_axis_scale(e, axis) / scale : 0;
}

/* The highest speed at which an axis can still stop before the limit of its position. */
static double stoppable(const tpi_motion_axis *axis, tpi_motion_point at)
{
    const tpi_motion_limits *limits = &axis->limits;
    const double left = at.velocity > 0 ? limits->upper - at.position : at.position - limits->lower;

    return fmin(limits->velocity, sqrt(2 * limits->acceleration * fmax(left, 0)));
}

/* On a slower track a speed is a higher one of its own time. Limits hold there as well: the track
 * may run at rate 1 soon. */
tpi_motion_point tpi_motion_axis_take_over(const tpi_motion_engine *e, const tpi_motion_axis *axis,
                                           const tpi_motion_track *track)
{
    const tpi_motion_motion *m = &axis->motion;
    tpi_motion_point from = station_at(e, axis, tau_of(e, axis), true).point;

    if (m->servo != 0 && m->track != track) {
        const double speed = from.velocity * scale_on(e, axis, track);

        from.velocity = copysign(fmin(fabs(speed), stoppable(axis, from)), speed);
    }
    return from;
}

/* The tau of the next sample after this one. */
static int64_t next_sample(const tpi_motion_engine *e, const tpi_motion_motion *m, int64_t tau_ns)
{
    const int64_t period = e->robot.period_ns;
    const int64_t cells = tau_ns < m->tau0_ns ? 0 : (tau_ns - m->tau0_ns) / period + 1;
    const int64_t next = m->tau0_ns + cells * period;

    if (m->tool == NULL &&
        (m->servo == TPI_MOTION_SERVO_FORCE || m->servo == TPI_MOTION_GOTO_SERVO)) {
        return INT64_MAX;
    }
    if (m->end_ns == INT64_MAX && m->profile.count > 0 &&
        (double)(cells * period) * 1e-9 >= m->profile.pieces[m->profile.count - 1].start_s) {
        return INT64_MAX; /* the speed has been reached */
    }
    return next < m->end_ns ? next : m->end_ns;
}

/* ---- Ends ---- */

/* How long an axis can go on like this and still stop before the limit of its position. */
static int64_t spare_ns(const tpi_motion_axis *axis, tpi_motion_point from)
{
    const double speed = fabs(from.velocity);
    const double left =
        from.velocity > 0 ? axis->limits.upper - from.position : from.position - axis->limits.lower;
    const double spare_s = (left - speed * speed / (2 * axis->limits.acceleration)) / speed;

    return spare_s < 1 ? (int64_t)(fmax(spare_s, 0) * 1e9) : 1000000000; /* also if it stands */
}

static void count_excess(tpi_motion_engine *e, tpi_motion_track *track)
{
    track->line.excesses++;
    e->excesses++;
}

/* Change the speed of a motion from its start on, or after the step that has just been made. An
 * axis near the limit of its position cannot wait that long: then it makes two steps at once. */
static void begin_speed(tpi_motion_engine *e, tpi_motion_axis *axis, tpi_motion_point from,
                        double value, double share)
{
    const double acceleration = axis->limits.acceleration * share;
    tpi_motion_motion *m = &axis->motion;

    tpi_motion_profile_speed(&m->profile, from, value, acceleration, &axis->limits);
    const double next =
        tpi_motion_profile_at(&m->profile, (double)e->robot.period_ns * 1e-9).velocity;
    const int64_t spare = spare_ns(axis, from);
    int64_t lag = next != from.velocity ? tpi_motion_axis_lag(e, axis, next > from.velocity) : 0;

    if ((double)(lag - spare) > LEAST_LOSS * (double)e->robot.period_ns) {
        count_excess(e, m->track);
    }
    lag = lag < spare ? lag : spare;
    if (lag > 0) {
        m->tau0_ns += lag;
        from.position += from.velocity * (double)lag * 1e-9;
        tpi_motion_profile_speed(&m->profile, from, value, acceleration, &axis->limits);
    }
}

static void begin_brake(tpi_motion_engine *e, tpi_motion_axis *axis, tpi_motion_point from,
                        uint8_t servo)
{
    tpi_motion_motion *m = &axis->motion;

    *m = (tpi_motion_motion){.servo = servo, .track = &e->own};
    m->tau0_ns = tpi_motion_line_tau(&e->own.line, tpi_motion_track_present(e));
    m->next_ns = m->tau0_ns; /* its first sample is in the next instant */
    if (servo == TPI_MOTION_SERVO_SPEED) {
        begin_speed(e, axis, from, 0, 1);
    } else {
        tpi_motion_profile_speed(&m->profile, from, 0, axis->limits.acceleration, &axis->limits);
    }
    m->end_ns = m->tau0_ns + (int64_t)ceil(m->profile.end_s * 1e9);
    m->ends = true;
    e->own.moving++;
    e->own.finite++;
    tpi_motion_track_touch(e, &e->own);
}

static void note_step_at(tpi_motion_axis *axis, bool up, int64_t at_ns)
{
    if (axis->stepped_ns[up] < at_ns) {
        axis->stepped_ns[up] = at_ns;
    }
}

/* A step of the rate begins with its mean for a set-point: that is half of the step at once. At the
 * end the other half is left, and a speed that follows makes it at its beginning. Its own first
 * step in the same direction comes half a period after either. */
static void note_late_speed(const tpi_motion_engine *e, tpi_motion_axis *axis, double speed)
{
    const double step = axis->limits.acceleration * (double)e->robot.period_ns * 1e-9;
    const double left = speed - e->room.written[2 * axis->index + 1];
    const tpi_motion_track *track = axis->motion.track;
    const bool within = track->line.phase == TPI_MOTION_STEP;
    const int64_t half = e->robot.period_ns / 2;

    if (axis->motion.servo != TPI_MOTION_SERVO_POSITION) {
        return;
    }
    if (within) {
        note_step_at(axis, speed * (track->line.end.rate - track->line.rate) > 0,
                     track->line.at_ns - half);
    }
    if ((track->stepped || within) && fabs(left) > LEAST_LOSS * step) {
        note_step_at(axis, left > 0, tpi_motion_track_present(e) - half);
    }
}

void tpi_motion_axis_end(tpi_motion_engine *e, tpi_motion_axis *axis, tpi_motion_signal signal,
                         bool brake, const char *why)
{
    const tpi_motion_motion m = axis->motion;
    tpi_motion_point point = station_at(e, axis, tau_of(e, axis), true).point;

    if (m.servo == 0) {
        return;
    }
    point.velocity *= tpi_motion_axis_scale(e, axis);
    if (brake) {
        note_late_speed(e, axis, point.velocity);
    }
    m.track->moving--;
    m.track->finite -= m.ends;
    if (m.ends && m.track->finite == 0) {
        tpi_motion_track_touch(e, m.track); /* its sequence may be over */
    }
    axis->motion.servo = 0;
    axis->motion.tool = NULL;
    axis->rest = (tpi_motion_point){point.position, 0};
    axis->force = 0;
    if (brake && point.velocity != 0) {
        begin_brake(e, axis, point, m.servo);
    }
    tpi_motion_output_mark(e, axis, false);
    if (m.command != NULL) {
        tpi_motion_axis_release(e, axis, m.track->client);
        tpi_motion_command_end(e, m.track->client, m.command, signal, why);
    }
    if (m.tool != NULL) {
        tpi_motion_tool_leave(e, m.tool, signal, why);
    }
}

void tpi_motion_axis_end_goto(tpi_motion_engine *e, const tpi_motion_order *replaced,
                              tpi_motion_signal signal, const char *why)
{
    for (uint16_t i = 0; i < e->base_axes; i++) {
        bool skip = e->axes[i].motion.servo != TPI_MOTION_GOTO_SERVO;

        for (uint16_t k = 0; replaced != NULL && k < replaced->count; k++) {
            skip = skip || replaced->targets[k].axis == i;
        }
        if (!skip) {
            tpi_motion_axis_end(e, &e->axes[i], signal, true, why);
        }
    }
}

/* ---- Starts ---- */

static void begin_profile(tpi_motion_engine *e, tpi_motion_axis *axis, tpi_motion_point from,
                          double value, int64_t duration_ns, tpi_motion_playing *command)
{
    tpi_motion_motion *m = &axis->motion;

    if (m->servo == TPI_MOTION_SERVO_SPEED) {
        begin_speed(e, axis, from, value, SPEED_SHARE);
    } else if (m->servo != TPI_MOTION_SERVO_POSITION) {
        m->profile.end_s = INFINITY;
        m->profile.last = from;
    } else if (duration_ns == 0) {
        tpi_motion_profile_trapezoid(&m->profile, from, value, &axis->limits);
    } else if (!tpi_motion_profile_cubic(&m->profile, from, value, (double)duration_ns * 1e-9,
                                         &axis->limits)) {
        const tpi_motion_change change = {TPI_MOTION_STRETCHED, axis->index, 0,
                                          (double)duration_ns * 1e-9, m->profile.end_s};

        tpi_motion_change_note(m->track, command, &change);
    }
    const bool known = !isinf(m->profile.end_s);
    m->ends = known || m->servo == TPI_MOTION_GOTO_SERVO; /* the base reports its end */
    m->end_ns = known ? m->tau0_ns + (int64_t)ceil(m->profile.end_s * 1e9) : INT64_MAX;
}

/* A track that is slow cannot take over every speed, and one that stands none: the dof slows down
 * at once. That is a step of its speed. */
static void note_lost_speed(tpi_motion_engine *e, tpi_motion_axis *axis, tpi_motion_track *track,
                            tpi_motion_point from)
{
    const tpi_motion_motion *m = &axis->motion;
    const double step = axis->limits.acceleration * (double)e->robot.period_ns * 1e-9;
    const double before =
        station_at(e, axis, tau_of(e, axis), true).point.velocity * tpi_motion_axis_scale(e, axis);
    const double lost = before - from.velocity * tpi_motion_track_scale(track);

    note_late_speed(e, axis, before);
    if (m->track == track) {
        return;
    }
    if (fabs(lost) > LEAST_LOSS * step) {
        axis->stepped_ns[lost < 0] = tpi_motion_track_present(e);
    }
    if (fabs(lost) > MOST_LOSS * step) {
        count_excess(e, track);
    }
}

void tpi_motion_axis_begin(tpi_motion_engine *e, tpi_motion_track *track,
                           const tpi_motion_order *order, const tpi_motion_target *target,
                           tpi_motion_playing *command, tpi_motion_tool *tool)
{
    tpi_motion_axis *axis = &e->axes[target->axis];
    tpi_motion_motion *m = &axis->motion;
    const tpi_motion_point from = tpi_motion_axis_take_over(e, axis, track);

    if (m->servo != 0) {
        const bool own = m->track->client == NULL || m->track->client == track->client;

        note_lost_speed(e, axis, track, from);
        tpi_motion_axis_end(e, axis, own ? TPI_MOTION_MODIFIED : TPI_MOTION_INTERRUPTED, false,
                            "replaced by a newer command");
    }
    *m = (tpi_motion_motion){.servo = order->servo,
                             .firm = order->firm,
                             .frame = order->frame,
                             .track = track,
                             .command = command,
                             .tau0_ns = track->line.tau_ns,
                             .value = target->value};
    if (tool != NULL) {
        tpi_motion_tool_join(tool, axis, from);
    } else {
        begin_profile(e, axis, from, target->value, order->duration_ns, command);
    }
    if (axis->place.output != TPI_MOTION_NOWHERE) {
        command->outputs |= UINT64_C(1) << axis->place.output % 64;
    }
    m->next_ns = next_sample(e, m, track->line.tau_ns);
    axis->servo = order->servo == TPI_MOTION_GOTO_SERVO ? TPI_MOTION_SERVO_SPEED : order->servo;
    axis->force = order->servo == TPI_MOTION_SERVO_FORCE ? target->value : 0;
    track->moving++;
    track->finite += m->ends;
    tpi_motion_output_mark(e, axis, true);
}

/* ---- Samples ---- */

/* Whether the motion has come to its end. */
static bool has_ended(const tpi_motion_motion *m)
{
    return m->track->line.tau_ns >= m->end_ns || (m->tool != NULL && m->tool->still);
}

void tpi_motion_axis_samples(tpi_motion_engine *e)
{
    tpi_motion_tool_steps(e);
    for (uint16_t i = 0; i < e->axis_count; i++) {
        tpi_motion_axis *axis = &e->axes[i];
        tpi_motion_motion *m = &axis->motion;

        if (m->servo == 0 || !m->track->touched || m->track->line.tau_ns < m->next_ns) {
            continue;
        }
        if (has_ended(m)) {
            const bool alone = m->tool == NULL;
            const double last = m->profile.last.position;
            const bool limited = m->servo == TPI_MOTION_SERVO_SPEED && m->value != 0;

            tpi_motion_axis_end(e, axis, limited ? TPI_MOTION_MODIFIED : TPI_MOTION_SUCCESS, false,
                                limited ? "a limit of the position is reached" : "done");
            if (alone) {
                axis->rest.position = last;
            }
            continue;
        }
        m->next_ns = next_sample(e, m, m->track->line.tau_ns);
        tpi_motion_output_mark(e, axis, false);
    }
}

/* Acceleration = a(tau) rate^2 + v(tau) d(rate)/dt: what the limit leaves for the second part. */
static void tighten(tpi_motion_grip *grip, const tpi_motion_axis *axis, tpi_motion_station at,
                    double rate)
{
    const double limit = axis->limits.acceleration, speed = fabs(at.point.velocity);
    const double used = at.acceleration * (at.point.velocity < 0 ? -1 : 1) * rate * rate;
    const double least = LEAST_GRIP * limit;

    if (speed < 1e-9) {
        return;
    }
    /* Where the two parts compensate each other nothing is gained: the first comes in steps. */
    grip->down = fmin(grip->down, fmax(limit + fmin(used, 0), least) / speed);
    grip->up = fmin(grip->up, fmax(limit - fmax(used, 0), least) / speed);
    grip->down_exceeds = grip->down_exceeds || limit + used < 0.999 * least;
    grip->up_exceeds = grip->up_exceeds || limit - used < 0.999 * least;
}

int64_t tpi_motion_axis_ahead(const tpi_motion_engine *e, const tpi_motion_track *track,
                              tpi_motion_grip *grip)
{
    const double most = 1e9 / (double)e->robot.period_ns;
    int64_t next = INT64_MAX;

    *grip = (tpi_motion_grip){most, most, false, false};
    for (uint16_t i = 0; i < e->axis_count && track->moving > 0; i++) {
        const tpi_motion_axis *axis = &e->axes[i];
        const tpi_motion_motion *m = &axis->motion;

        if (m->servo == 0 || m->track != track) {
            continue;
        }
        tighten(grip, axis, station_at(e, axis, track->line.tau_ns, false), track->line.rate);
        next = m->next_ns < next ? m->next_ns : next;
    }
    return next;
}
