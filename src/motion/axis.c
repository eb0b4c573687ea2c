/* axis.c - motions of axes: how they start, what they are at an instant, how they end. */
#include <math.h>
#include <stdio.h>

#include "motion/inside.h"

static const double SPEED_SHARE = 0.8; /* of the acceleration limit, for changes of a speed */
static const double LEAST_GRIP = 0.2;  /* of the acceleration limit, for changes of the rate */

double tpi_motion_track_scale(const tpi_motion_track *track)
{
    switch (track->line.phase) {
    case TPI_MOTION_EXACT:
        return 1;
    case TPI_MOTION_STEP:
        return track->line.mean;
    default:
        return track->line.rate;
    }
}

/* ---- Where an axis is ---- */

/* A speed is constant in each period of the motion: the one that the profile has at its end. */
static double cell_speed(const tpi_motion_motion *m, int64_t since_ns, int64_t period_ns)
{
    const int64_t cell = since_ns / period_ns;

    return tpi_motion_profile_at(&m->profile, (double)((cell + 1) * period_ns) * 1e-9).velocity;
}

static tpi_motion_point point_at(const tpi_motion_engine *e, const tpi_motion_axis *axis,
                                 int64_t tau_ns, bool before)
{
    const tpi_motion_motion *m = &axis->motion;
    const int64_t since = tau_ns - m->tau0_ns;

    if ((m->servo == TPI_MOTION_GOTO_SERVO || m->servo == TPI_MOTION_SERVO_FORCE) && since <= 0) {
        return m->profile.last; /* it has not been written yet */
    }
    if (m->servo == 0 || m->servo == TPI_MOTION_GOTO_SERVO) {
        return axis->rest;
    }
    if (m->servo == TPI_MOTION_SERVO_FORCE) {
        return (tpi_motion_point){axis->measured.position, 0};
    }
    tpi_motion_point point = tpi_motion_profile_at(&m->profile, (double)since * 1e-9);
    if (m->servo == TPI_MOTION_SERVO_SPEED && before && since <= 0) {
        point.velocity = tpi_motion_profile_at(&m->profile, 0).velocity;
    } else if (m->servo == TPI_MOTION_SERVO_SPEED) {
        point.velocity = cell_speed(m, since - before, e->robot.period_ns);
    }
    return point;
}

static int64_t tau_of(const tpi_motion_engine *e, const tpi_motion_axis *axis)
{
    return axis->motion.servo == 0
               ? 0
               : tpi_motion_line_tau(&axis->motion.track->line, tpi_motion_track_present(e));
}

tpi_motion_point tpi_motion_axis_point(const tpi_motion_engine *e, const tpi_motion_axis *axis)
{
    return point_at(e, axis, tau_of(e, axis), false);
}

/* The tau of the next sample after this one. */
static int64_t next_sample(const tpi_motion_engine *e, const tpi_motion_motion *m, int64_t tau_ns)
{
    const int64_t period = e->robot.period_ns;
    const int64_t cells = (tau_ns - m->tau0_ns) / period + 1;
    const int64_t next = m->tau0_ns + cells * period;

    if (m->servo == TPI_MOTION_SERVO_FORCE || m->servo == TPI_MOTION_GOTO_SERVO) {
        return INT64_MAX;
    }
    if (m->end_ns == INT64_MAX && m->profile.count > 0 &&
        (double)(cells * period) * 1e-9 >= m->profile.pieces[m->profile.count - 1].start_s) {
        return INT64_MAX; /* the speed has been reached */
    }
    return next < m->end_ns ? next : m->end_ns;
}

/* ---- Who holds an axis ---- */

/* A GOTO drives all axes of the base: another command for one of them ends it on all but those that
 * the command replaces itself. */
static void end_goto(tpi_motion_engine *e, const tpi_motion_order *replaced,
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

bool tpi_motion_axis_hold(tpi_motion_engine *e, tpi_motion_axis *axis, tpi_motion_client *client)
{
    if (axis->holder != NULL && axis->holder != client) {
        if (axis->holder->rank >= client->rank || (axis->motion.servo != 0 && axis->motion.firm)) {
            return false;
        }
        tpi_motion_client *other = axis->holder;

        axis->holder = client;
        if (axis->motion.servo != 0 && axis->motion.track->client == other) {
            char why[TPI_MOTION_TEXT];

            snprintf(why, sizeof why, "%s has a higher rank", client->label);
            tpi_motion_axis_end(e, axis, TPI_MOTION_INTERRUPTED, true, why);
            if (axis->index < e->base_axes) {
                end_goto(e, NULL, TPI_MOTION_INTERRUPTED, why);
            }
        }
    }
    axis->holder = client;
    client->held[axis->index]++;
    return true;
}

/* The client of the highest rank that has a command for the axis; NULL if there is none. */
static tpi_motion_client *next_holder(const tpi_motion_engine *e, const tpi_motion_axis *axis)
{
    tpi_motion_client *best = NULL;

    for (uint32_t i = 0; i < e->settings.clients; i++) {
        tpi_motion_client *client = e->clients[i];

        if (client != NULL && client->held[axis->index] > 0 &&
            (best == NULL || client->rank > best->rank)) {
            best = client;
        }
    }
    return best;
}

void tpi_motion_axis_release(const tpi_motion_engine *e, tpi_motion_axis *axis,
                             tpi_motion_client *client)
{
    if (client->held[axis->index] > 0) {
        client->held[axis->index]--;
    }
    if (axis->holder == client && client->held[axis->index] == 0) {
        axis->holder = next_holder(e, axis);
    }
}

/* ---- Ends ---- */

static void end_command(tpi_motion_engine *e, tpi_motion_client *client,
                        tpi_motion_playing *command, tpi_motion_signal signal, const char *why)
{
    const tpi_motion_subject subject = {command->tag, command->package, command->mode,
                                        command->flags, command->start_ns};

    command->worst = signal > command->worst ? signal : command->worst;
    if (--command->open > 0) {
        return;
    }
    command->used = false;
    tpi_motion_signal_send(e, client, &subject, command->worst, true, "%s", why);
}

static void begin_brake(tpi_motion_engine *e, tpi_motion_axis *axis, tpi_motion_point from,
                        uint8_t servo)
{
    tpi_motion_motion *m = &axis->motion;

    *m = (tpi_motion_motion){.servo = servo, .track = &e->own};
    m->tau0_ns = tpi_motion_line_tau(&e->own.line, tpi_motion_track_present(e));
    tpi_motion_profile_speed(&m->profile, from, 0, axis->limits.acceleration, &axis->limits);
    m->end_ns = m->tau0_ns + (int64_t)ceil(m->profile.end_s * 1e9);
    m->next_ns = m->tau0_ns; /* its first sample is in the next instant */
    e->own.moving++;
    e->own.finite++;
    tpi_motion_track_touch(e, &e->own);
}

void tpi_motion_axis_end(tpi_motion_engine *e, tpi_motion_axis *axis, tpi_motion_signal signal,
                         bool brake, const char *why)
{
    const tpi_motion_motion m = axis->motion;
    tpi_motion_point point = point_at(e, axis, tau_of(e, axis), true);

    if (m.servo == 0) {
        return;
    }
    point.velocity *= tpi_motion_track_scale(m.track);
    m.track->moving--;
    m.track->finite -= m.end_ns != INT64_MAX;
    axis->motion.servo = 0;
    axis->rest = (tpi_motion_point){point.position, 0};
    axis->force = 0;
    if (brake && point.velocity != 0) {
        begin_brake(e, axis, point, m.servo);
    }
    tpi_motion_output_mark(e, axis, false);
    if (m.command != NULL) {
        tpi_motion_axis_release(e, axis, m.track->client);
        end_command(e, m.track->client, m.command, signal, why);
    }
}

/* ---- Starts ---- */

static void begin_profile(tpi_motion_axis *axis, tpi_motion_point from, double value,
                          int64_t duration_ns, tpi_motion_playing *command)
{
    tpi_motion_motion *m = &axis->motion;

    if (m->servo == TPI_MOTION_SERVO_SPEED) {
        tpi_motion_profile_speed(&m->profile, from, value, axis->limits.acceleration * SPEED_SHARE,
                                 &axis->limits);
    } else if (m->servo != TPI_MOTION_SERVO_POSITION) {
        m->profile.end_s = INFINITY;
        m->profile.last = from;
    } else if (duration_ns == 0) {
        tpi_motion_profile_trapezoid(&m->profile, from, value, &axis->limits);
    } else if (!tpi_motion_profile_cubic(&m->profile, from, value, (double)duration_ns * 1e-9,
                                         &axis->limits) &&
               command->worst < TPI_MOTION_MODIFIED) {
        command->worst = TPI_MOTION_MODIFIED;
    }
    m->end_ns =
        isinf(m->profile.end_s) ? INT64_MAX : m->tau0_ns + (int64_t)ceil(m->profile.end_s * 1e9);
}

/* What the speed of a dof is on another track, so that it is as fast as before. A track that stands
 * has no speeds: the dof stops with it. */
static double change_track(tpi_motion_engine *e, const tpi_motion_axis *axis, tpi_motion_track *to,
                           double speed)
{
    const double scale = tpi_motion_track_scale(to);
    const double real = speed * tpi_motion_track_scale(axis->motion.track);
    const double step = axis->limits.acceleration * (double)e->robot.period_ns * 1e-9;

    if (scale > 0) {
        return real / scale;
    }
    if (fabs(real) > step) {
        to->line.excesses++;
        e->excesses++;
    }
    return 0;
}

/* Replace the motion of an axis. Its state is taken over. */
static void begin_motion(tpi_motion_engine *e, tpi_motion_track *track, tpi_motion_axis *axis,
                         const tpi_motion_order *order, double value, tpi_motion_playing *command)
{
    tpi_motion_motion *m = &axis->motion;
    tpi_motion_point from = point_at(e, axis, tau_of(e, axis), true);

    if (m->servo != 0) {
        const bool own = m->track->client == NULL || m->track->client == track->client;

        if (m->track != track) {
            from.velocity = change_track(e, axis, track, from.velocity);
        }
        tpi_motion_axis_end(e, axis, own ? TPI_MOTION_MODIFIED : TPI_MOTION_INTERRUPTED, false,
                            "replaced by a newer command");
    }
    *m = (tpi_motion_motion){.servo = order->servo,
                             .firm = order->firm,
                             .frame = order->frame,
                             .track = track,
                             .command = command,
                             .tau0_ns = track->line.tau_ns,
                             .value = value};
    begin_profile(axis, from, value, order->duration_ns, command);
    m->next_ns = next_sample(e, m, m->tau0_ns);
    axis->servo = order->servo == TPI_MOTION_GOTO_SERVO ? TPI_MOTION_SERVO_SPEED : order->servo;
    axis->force = order->servo == TPI_MOTION_SERVO_FORCE ? value : 0;
    track->moving++;
    track->finite += m->end_ns != INT64_MAX;
    tpi_motion_output_mark(e, axis, true);
}

static tpi_motion_playing *free_command(const tpi_motion_engine *e, tpi_motion_client *client)
{
    tpi_motion_playing *command = client->playing;

    /* There is one more than axes, and each that is used has at least one axis. */
    for (uint32_t i = 0; i < e->axis_count && command->used; i++) {
        command++;
    }
    return command;
}

/* Why the axis cannot be interrupted now; NULL if it can. */
static const char *firmness(const tpi_motion_engine *e, const tpi_motion_axis *axis)
{
    if (axis->motion.servo != 0 && axis->motion.firm) {
        return "moves to its rest position";
    }
    return axis->place.output != TPI_MOTION_NOWHERE ? e->outputs[axis->place.output].occupied
                                                    : NULL;
}

/* The first axis of an order that cannot be moved by its client now. */
static const tpi_motion_axis *obstacle(const tpi_motion_engine *e, const tpi_motion_track *track,
                                       const tpi_motion_order *order)
{
    for (uint16_t i = 0; i < order->count; i++) {
        const tpi_motion_axis *axis = &e->axes[order->targets[i].axis];

        if (axis->holder != track->client ||
            (order->code != TPI_MOTION_STOP && firmness(e, axis) != NULL)) {
            return axis;
        }
    }
    return NULL;
}

static void refuse_order(tpi_motion_engine *e, tpi_motion_track *track,
                         const tpi_motion_order *order, const tpi_motion_frame_info *frame,
                         const tpi_motion_axis *axis)
{
    const tpi_motion_subject subject = {order->tag, frame->package, frame->mode, frame->flags, 0};
    const char *joint = e->robot.joints[axis->joint].name;

    if (axis->holder != track->client) {
        tpi_motion_signal_send(e, track->client, &subject, TPI_MOTION_INTERRUPTED, true,
                               "%s was taken by %s", joint, axis->holder->label);
    } else {
        tpi_motion_signal_send(e, track->client, &subject, TPI_MOTION_BUSY, true, "%s %s", joint,
                               firmness(e, axis));
    }
    for (uint16_t i = 0; i < order->count; i++) {
        tpi_motion_axis_release(e, &e->axes[order->targets[i].axis], track->client);
    }
}

void tpi_motion_axis_order(tpi_motion_engine *e, tpi_motion_track *track,
                           const tpi_motion_order *order, const tpi_motion_frame_info *frame)
{
    const tpi_motion_subject subject = {order->tag, frame->package, frame->mode, frame->flags,
                                        tpi_motion_track_present(e)};
    const tpi_motion_axis *in_the_way = obstacle(e, track, order);

    if (in_the_way != NULL) {
        refuse_order(e, track, order, frame, in_the_way);
        return;
    }
    tpi_motion_playing *command = free_command(e, track->client);
    *command = (tpi_motion_playing){
        .used = true,
        .mode = frame->mode,
        .flags = frame->flags,
        .worst = order->modified ? TPI_MOTION_MODIFIED : TPI_MOTION_SUCCESS,
        .tag = order->tag,
        .package = frame->package,
        .open = order->count,
        .start_ns = subject.start_ns,
    };
    if (frame->mode == TPI_MOTION_DIRECT) {
        tpi_motion_signal_send(e, track->client, &subject, command->worst, false, "started");
    }
    if (order->count > 0 && order->targets[0].axis < e->base_axes) {
        end_goto(e, order, TPI_MOTION_MODIFIED, "replaced by a newer command");
    }
    for (uint16_t i = 0; i < order->count; i++) {
        const tpi_motion_target *target = &order->targets[i];

        begin_motion(e, track, &e->axes[target->axis], order, target->value, command);
    }
    if (order->count == 0) { /* a MOVE of nothing */
        command->used = false;
        tpi_motion_signal_send(e, track->client, &subject, command->worst, true, "done");
    }
}

/* ---- Samples ---- */

void tpi_motion_axis_samples(tpi_motion_engine *e)
{
    for (uint16_t i = 0; i < e->axis_count; i++) {
        tpi_motion_axis *axis = &e->axes[i];
        tpi_motion_motion *m = &axis->motion;

        if (m->servo == 0 || !m->track->touched || m->track->line.tau_ns < m->next_ns) {
            continue;
        }
        if (m->track->line.tau_ns >= m->end_ns) {
            const double last = m->profile.last.position;
            const bool limited = m->servo == TPI_MOTION_SERVO_SPEED && m->value != 0;

            tpi_motion_axis_end(e, axis, limited ? TPI_MOTION_MODIFIED : TPI_MOTION_SUCCESS, false,
                                limited ? "a limit of the position is reached" : "done");
            axis->rest.position = last;
            continue;
        }
        m->next_ns = next_sample(e, m, m->track->line.tau_ns);
        tpi_motion_output_mark(e, axis, false);
    }
}

/* Acceleration = a(tau) rate^2 + v(tau) d(rate)/dt: what the limit leaves for the second part. */
static void tighten(tpi_motion_grip *grip, const tpi_motion_axis *axis, tpi_motion_point point,
                    double acceleration, double rate)
{
    const double limit = axis->limits.acceleration, speed = fabs(point.velocity);
    const double used = acceleration * (point.velocity < 0 ? -1 : 1) * rate * rate;
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
        const double since = (double)(track->line.tau_ns - m->tau0_ns) * 1e-9;
        tighten(grip, axis, point_at(e, axis, track->line.tau_ns, false),
                tpi_motion_profile_acceleration(&m->profile, since), track->line.rate);
        next = m->next_ns < next ? m->next_ns : next;
    }
    return next;
}
