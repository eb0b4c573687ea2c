/*
 * devices.c - commands of the engine as commands of devices, at their times.
 *
 * The engine calls tpi_motiond_device_emit() while it plans. What fails there is only noted: the
 * engine is notified at the end of the turn.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion.h"

static const int64_t STILL_NS = 3 * TP_NS_PER_S / 2; /* then a GOTO has ended */
static const int64_t SILENT_NS = 5 * TP_NS_PER_S;    /* then nobody knows whether it drives */
static const int64_t FRESH_NS = 5 * TP_NS_PER_MS;    /* grants are not looked at again before */
static const double STILL_SPEED = 0.01;              /* m/s, rad/s: slower is standing still */

void tpi_motiond_device_fail(struct output *output, const char *why)
{
    if (output->fault[0] == '\0') {
        (void)snprintf(output->fault, sizeof output->fault, "%s",
                       why[0] != '\0' ? why : "the device has failed");
    }
}

void tpi_motiond_device_unknown(const struct device *d, char *out, size_t space)
{
    if (d->parts > 0 && d->parts < d->output->count) {
        (void)snprintf(out, space, "%.60s: the device has %u actuators for %u dofs", d->output->key,
                       (unsigned)d->parts, (unsigned)d->output->count);
    } else {
        (void)snprintf(out, space, "%.60s: the device has not sent its state", d->output->key);
    }
}

/* ---- Limits of a slot ------------------------------------------------------------------------ */

static const tpi_motion_dof *dof_of(const struct output *output, unsigned slot)
{
    const tpi_motion_robot *robot = &output->motion->robot;
    const tpi_motion_joint *joint = robot->joints;

    while (output->dofs[slot] >= joint->first_dof + joint->dof_count) {
        joint++;
    }
    return &joint->dofs[output->dofs[slot] - joint->first_dof];
}

static double within(double value, double lower, double upper)
{
    return fmin(fmax(value, lower), upper);
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* The speed that brings a slot to its position, and follows it. */
static double control_speed(const struct device *d, unsigned slot)
{
    const tpi_motion_dof *dof = dof_of(d->output, slot);
    const double off = d->wish.values[slot] - d->states[slot].position;

    return within(d->wish.speeds[slot] + d->output->motion->gain * off, -dof->velocity,
                  dof->velocity);
}

/* `settled`: positions are reached, and are not controlled any more. */
static void make_command(struct device *d, bool settled, struct command *out)
{
    double values[MOST_SLOTS] = {0};

    for (unsigned i = 0; i < d->output->count; i++) {
        const bool position = d->wish.servo[i] == TPI_MOTION_SERVO_POSITION;

        if (d->newtons > 0) {
            values[i] = d->wish.servo[i] == TPI_MOTION_SERVO_FORCE ? d->wish.values[i] : 0;
            continue;
        }
        if (d->by_speed) {
            values[i] = !position ? d->wish.values[i] : settled ? 0 : control_speed(d, i);
            continue;
        }
        d->positions[i] = position ? d->wish.values[i] : d->positions[i];
        values[i] = d->positions[i];
    }
    if (d->newtons > 0) {
        d->kind->push(d, values, out);
    } else if (d->by_speed) {
        d->kind->move(d, values, out);
    } else {
        d->kind->go(d, values, out);
    }
}

/* Whether something has to be done between the writes of the engine. */
static bool must_step(const struct device *d)
{
    for (unsigned i = 0; i < d->output->count; i++) {
        const uint8_t servo = d->wish.servo[i];

        if (d->newtons > 0) {
            return false;
        }
        if (d->by_speed ? servo == TPI_MOTION_SERVO_POSITION
                        : servo == TPI_MOTION_SERVO_SPEED && d->wish.values[i] != 0) {
            return d->wish.what == TPI_MOTION_WRITE_DOFS;
        }
    }
    return false;
}

static void post(struct device *d, int64_t due_ns, const struct command *command)
{
    const tp_status status = tp_grant_post(d->grant, due_ns, command->code, command->value);

    d->moved_ns = due_ns > d->moved_ns ? due_ns : d->moved_ns;
    d->stepped_ns = due_ns;
    d->posted++;
    if (status == TP_OK) {
        d->last[d->sent++ % MOST_POSTED] = (struct posted){due_ns, motion_now(d->output->motion)};
    }
    if (status != TP_OK && status != TP_E_CLOSED) { /* the end of the grant is reported */
        tpi_motiond_device_fail(d->output, "too many commands wait for the device");
    }
}

static void post_goto(struct device *d, const struct wish *wish, struct command *command)
{
    struct output *output = d->output;
    const tpi_motion_dof *dofs = output->motion->robot.joints[0].dofs;
    const double speed[3] = {dofs[0].velocity * wish->rate,
                             dofs[1].servo != 0 ? dofs[1].velocity * wish->rate : 0,
                             dofs[2].velocity * wish->rate};

    if (wish->frame == 0) {
        memcpy(output->way.goal, wish->values, sizeof output->way.goal);
    } else if (!tpi_motiond_map_goal(output->motion, wish->values, output->way.goal)) {
        tpi_motiond_device_fail(output, output->motion->map.link == NULL
                                            ? "the base knows no map"
                                            : "the place on the map is not known");
        return;
    }
    output->way.on = true;
    output->way.rate = wish->rate;
    output->way.still_ns = wish->due_ns;
    output->way.begun_ns = motion_now(output->motion);
    tpi_motiond_kind_goto(output->way.goal, speed, command);
    post(d, wish->due_ns, command);
}

/* The positions of a device that takes only positions, at `due_ns`: they move with the speeds. */
static void follow_speeds(struct device *d, int64_t due_ns)
{
    const double dt_s = fmax((double)(due_ns - d->stepped_ns) * 1e-9, 0);

    for (unsigned i = 0; i < d->output->count && !d->by_speed; i++) {
        const tpi_motion_dof *dof = dof_of(d->output, i);

        if (d->wish.servo[i] == TPI_MOTION_SERVO_SPEED) {
            d->positions[i] =
                within(d->positions[i] + d->wish.values[i] * dt_s, dof->lower, dof->upper);
        }
    }
}

void tpi_motiond_device_carry_out(struct device *d, const struct wish *wish)
{
    struct command command;

    follow_speeds(d, wish->due_ns);
    d->wish = *wish;
    d->output->way.on = false;
    if (wish->what == TPI_MOTION_WRITE_GOTO) {
        post_goto(d, wish, &command);
    } else {
        if (wish->what == TPI_MOTION_WRITE_STOP) {
            memset(d->wish.values, 0, sizeof d->wish.values);
        }
        make_command(d, false, &command);
        post(d, wish->due_ns, &command);
    }
    d->stepping = must_step(d);
}

void tpi_motiond_device_send(struct device *d, const struct wish *wish)
{
    if (d->grant != NULL) {
        tpi_motiond_device_carry_out(d, wish);
        return;
    }
    if (d->parked_count == MOST_PARKED) {
        tpi_motiond_device_fail(d->output, "the device was not granted in time");
        return;
    }
    d->parked_ns = d->parked_count == 0 ? motion_now(d->output->motion) : d->parked_ns;
    d->parked[d->parked_count++] = *wish;
    tpi_motiond_device_ask(d);
}

void tpi_motiond_device_emit(void *user, const tpi_motion_write *write)
{
    struct motion *m = user;
    struct wish wish = {
        .due_ns = write->due_ns, .what = write->what, .frame = write->frame, .rate = write->rate};

    memcpy(wish.servo, write->servo, write->count * sizeof *wish.servo);
    memcpy(wish.values, write->values, write->count * sizeof *wish.values);
    memcpy(wish.speeds, write->speeds, write->count * sizeof *wish.speeds);
    m->writes++;
    tpi_motiond_device_send(output_device(m->outputs[write->output]), &wish);
}

/* ---- What is measured ------------------------------------------------------------------------ */

static void tell_base(struct motion *m, const struct device *d)
{
    tpi_motion_base base = {.time_us = (uint64_t)motion_now(m) / 1000, .known = 1};

    for (int i = 0; i < 3; i++) {
        base.pose[i] = d->states[i].position;
        base.speed[i] = d->states[i].velocity;
    }
    tpi_motion_engine_base(m->engine, &base);
}

void tpi_motiond_device_read(struct motion *m, struct device *d, const tp_msg *msg)
{
    const struct output *output = d->output;

    if (!d->kind->read(d, msg)) {
        return;
    }
    d->known = true;
    d->heard_ns = motion_now(m);
    if (d != output_device(output)) {
        return;
    }
    for (unsigned i = 0; i < output->count; i++) {
        tpi_motion_engine_measured(m->engine, output->dofs[i], &d->states[i]);
    }
    if (d->kind->is_base) {
        tell_base(m, d);
    }
}

/* ---- Between the writes of the engine -------------------------------------------------------- */

static bool is_settled(const struct device *d)
{
    for (unsigned i = 0; i < d->output->count; i++) {
        const double tolerance = d->output->motion->tolerance[dof_of(d->output, i)->type == 1] / 50;

        if (d->wish.servo[i] != TPI_MOTION_SERVO_POSITION) {
            continue;
        }
        if (d->wish.speeds[i] != 0 || fabs(d->wish.values[i] - d->states[i].position) > tolerance) {
            return false;
        }
    }
    return true;
}

/* One step: a speed becomes the next position, or a position becomes the speed that leads there. */
static void step(struct device *d, int64_t due_ns)
{
    struct command command;

    follow_speeds(d, due_ns);
    const bool settled = d->by_speed && is_settled(d);
    make_command(d, settled, &command);
    d->stepping = !settled;
    post(d, due_ns, &command);
}

/* The engine writes once per period while its positions move. */
static void step_if_due(struct device *d, int64_t now_ns)
{
    const struct motion *m = d->output->motion;

    while (d->stepping && d->grant != NULL && d->output->fault[0] == '\0' &&
           d->stepped_ns + 2 * m->period_ns <= now_ns + m->ahead_ns) {
        const int64_t next = d->stepped_ns + m->period_ns;

        step(d, next > now_ns ? next : now_ns);
    }
}

bool tpi_motiond_device_is_at_rest(const struct device *d)
{
    if (d->stepping || d->parked_count > 0 || d->output->way.on) {
        return false;
    }
    for (unsigned i = 0; i < d->output->count; i++) {
        const double lasts = d->newtons > 0 ? d->wish.values[i] : d->wish.speeds[i];

        if (lasts != 0 && d->wish.what == TPI_MOTION_WRITE_DOFS) {
            return false;
        }
    }
    return true;
}

/* Without data a GOTO would never end. */
static bool is_silent(const struct output *output, int64_t now_ns)
{
    const int64_t heard_ns = output_device(output)->heard_ns;
    const int64_t since_ns = heard_ns > output->way.begun_ns ? heard_ns : output->way.begun_ns;

    return now_ns - since_ns >= SILENT_NS;
}

/* A GOTO ends where it should, or somewhere else: then the robot gave up. */
static void look_at_way(struct output *output, int64_t now_ns)
{
    const struct motion *m = output->motion;
    const struct device *d = output_device(output);
    const double *goal = output->way.goal;
    bool stands = true;

    for (int i = 0; i < 3; i++) {
        stands = stands && fabs(d->states[i].velocity) < STILL_SPEED * output->way.rate;
    }
    if (is_silent(output, now_ns)) {
        char why[80];

        (void)snprintf(why, sizeof why, "%.40s: no data of the device for %g s", output->key,
                       (double)SILENT_NS * 1e-9);
        tpi_motiond_device_fail(output, why);
        return;
    }
    if (!stands || now_ns < output->way.still_ns) {
        output->way.still_ns = now_ns > output->way.still_ns ? now_ns : output->way.still_ns;
        return;
    }
    const double off = hypot(goal[0] - d->states[0].position, goal[1] - d->states[1].position);
    const double turned = remainder(goal[2] - d->states[2].position, 6.283185307179586);
    const bool near = off <= m->tolerance[0] && fabs(turned) <= m->tolerance[1];

    if (near || now_ns - output->way.still_ns >= STILL_NS) {
        output->way.on = false;
        tpi_motion_engine_arrived(m->engine, output->index, near, m->time_ns);
    }
}

/* The engine is notified of a fault. */
static void settle_fault(struct output *output)
{
    struct device *d = output_device(output);

    if (output->fault[0] == '\0') {
        return;
    }
    d->parked_count = 0;
    output->way.on = false;
    if (d->grant != NULL) { /* what waits there is not played after a fault */
        tpi_motiond_grant_give_back(d);
    }
    tpi_motion_engine_fault(output->motion->engine, output->index, output->fault,
                            output->motion->time_ns);
    output->fault[0] = '\0';
}

/* Answers that wait for devices. A panic that the engine has not been notified of yet drops
 * commands: they are not confirmed. */
static void confirm(struct motion *m, int64_t now_ns)
{
    int64_t until_ns[MOST_OUTPUTS];

    if (tpi_motion_engine_unconfirmed(m->engine) > now_ns ||
        tp_instance_panic_number(m->instance) != m->panic_number) {
        return;
    }
    for (unsigned i = 0; i < m->output_count; i++) {
        until_ns[i] = tpi_motiond_grant_confirmed(m->outputs[i], now_ns);
    }
    tpi_motion_engine_confirm(m->engine, until_ns);
}

int64_t tpi_motiond_device_time(struct motion *m)
{
    const int64_t now_ns = motion_now(m);
    bool goes_on = true;

    for (unsigned i = 0; i < m->output_count; i++) {
        struct output *output = m->outputs[i];

        tpi_motiond_grant_look(output_device(output));
        goes_on = tpi_motiond_grant_renew(output_device(output), now_ns) && goes_on;
    }
    confirm(m, now_ns);
    for (unsigned i = 0; i < m->output_count; i++) {
        settle_fault(m->outputs[i]);
    }
    m->time_ns = goes_on ? now_ns : m->time_ns;
    m->granted_ns = goes_on ? now_ns : 0;
    return m->time_ns;
}

int64_t tpi_motiond_device_time_to_ask(struct motion *m)
{
    const int64_t now_ns = motion_now(m);

    if (m->granted_ns == 0 || now_ns - m->granted_ns > FRESH_NS) {
        return tpi_motiond_device_time(m);
    }
    m->time_ns = now_ns;
    return now_ns;
}

void tpi_motiond_device_turn(struct motion *m, int64_t now_ns)
{
    for (unsigned i = 0; i < m->output_count; i++) {
        struct output *output = m->outputs[i];

        for (unsigned k = 0; k < output->device_count; k++) {
            step_if_due(output->devices[k], now_ns);
            tpi_motiond_grant_turn(output->devices[k], now_ns);
        }
        tpi_motiond_rebind_turn(output, now_ns);
        if (output->way.on) {
            look_at_way(output, now_ns);
        }
        settle_fault(output);
    }
}

static int64_t device_next(const struct device *d)
{
    const struct motion *m = d->output->motion;
    int64_t next = tpi_motiond_grant_next(d);

    if (d->stepping && d->stepped_ns + 2 * m->period_ns - m->ahead_ns < next) {
        next = d->stepped_ns + 2 * m->period_ns - m->ahead_ns;
    }
    return next;
}

int64_t tpi_motiond_device_next(const struct motion *m)
{
    int64_t next = INT64_MAX;

    for (unsigned i = 0; i < m->output_count; i++) {
        const struct output *output = m->outputs[i];

        for (unsigned k = 0; k < output->device_count; k++) {
            const int64_t at = device_next(output->devices[k]);

            next = at < next ? at : next;
        }
        if (output->change.from != NULL && output->change.until_ns < next) {
            next = output->change.until_ns;
        }
    }
    return next;
}
