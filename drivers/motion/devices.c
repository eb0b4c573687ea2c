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

static const int64_t RENEW_NS = 100 * TP_NS_PER_MS;
static const int64_t IDLE_NS = TP_NS_PER_S;          /* then the device is given back */
static const int64_t STILL_NS = 3 * TP_NS_PER_S / 2; /* then a GOTO has ended */
static const double STILL_SPEED = 0.01;              /* m/s, rad/s: slower is standing still */

enum { CAPACITY = 1024 }; /* commands that wait at the device */

void tpi_motiond_device_fail(struct output *output, const char *why)
{
    if (output->fault[0] == '\0') {
        (void)snprintf(output->fault, sizeof output->fault, "%s",
                       why[0] != '\0' ? why : "the device has failed");
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

static void carry_out(struct device *d, const struct wish *wish)
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
        carry_out(d, wish);
        return;
    }
    if (d->parked_count == MOST_PARKED) {
        tpi_motiond_device_fail(d->output, "the device was not granted in time");
        return;
    }
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

/* ---- Grants ---------------------------------------------------------------------------------- */

/* Without real-time priority everything works, with more lateness on a busy machine. */
static void note_once(const struct output *output, const char *why)
{
    struct motion *m = output->motion;
    char text[256];

    if (why[0] != '\0' && !m->noted) {
        m->noted = true;
        (void)snprintf(text, sizeof text, "%s: timed commands are played without it: %s",
                       output->key, why);
        tp_instance_note(m->instance, text);
    }
}

static void granted(tp_instance *self, void *context, tp_status status, tp_grant *grant,
                    const char *why)
{
    struct device *d = context;
    const unsigned count = d->parked_count;

    (void)self;
    d->asked = false;
    d->grant = grant;
    d->parked_count = 0;
    if (status != TP_OK) {
        tpi_motiond_rebind_refused(d->output, d, status, why);
        if (count > 0 && status != TP_E_PANIC) {
            tpi_motiond_device_fail(d->output, why);
        }
        tpi_motiond_turn(d->output->motion);
        return;
    }
    note_once(d->output, why);
    for (unsigned i = 0; i < d->output->count; i++) {
        d->positions[i] = d->states[i].position;
    }
    d->stepped_ns = count > 0 ? d->parked[0].due_ns : d->stepped_ns;
    for (unsigned i = 0; i < count; i++) {
        carry_out(d, &d->parked[i]);
    }
    d->moved_ns = count > 0 ? d->moved_ns : motion_now(d->output->motion);
    tpi_motiond_rebind_granted(d->output, d);
    tpi_motiond_turn(d->output->motion);
}

static void ended(tp_instance *self, void *context, tp_grant *grant, tp_status status,
                  const char *why)
{
    struct device *d = context;

    (void)self;
    tp_grant_end(grant);
    d->grant = NULL;
    d->stepping = false;
    tpi_motiond_rebind_refused(d->output, d, status, why);
    if (status != TP_E_PANIC && d == output_device(d->output)) {
        tpi_motiond_device_fail(d->output, why);
    }
    tpi_motiond_turn(d->output->motion);
}

void tpi_motiond_device_ask(struct device *d)
{
    const tp_grant_options options = {
        .size = sizeof options,
        .capacity = CAPACITY,
        .value_size = sizeof(struct command),
        .lease_ns = d->output->motion->device_lease_ns,
        .realtime = d->output->motion->realtime,
        .done = granted,
        .ended = ended,
        .context = d,
    };

    if (d->grant != NULL || d->asked) {
        return;
    }
    d->asked = tp_link_grant(d->link, &options) == TP_OK;
    if (!d->asked) {
        d->parked_count = 0;
        tpi_motiond_device_fail(d->output, "the device cannot be granted");
    }
}

static void give_back(struct device *d)
{
    tp_grant_end(d->grant);
    d->grant = NULL;
    d->stepping = false;
    d->wish.what = TPI_MOTION_WRITE_STOP;
}

void tpi_motiond_device_release(struct motion *m)
{
    for (unsigned i = 0; i < m->output_count; i++) {
        for (unsigned k = 0; k < m->outputs[i]->device_count; k++) {
            m->outputs[i]->devices[k]->parked_count = 0;
            give_back(m->outputs[i]->devices[k]);
        }
        m->outputs[i]->way.on = false;
    }
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

static bool is_at_rest(const struct device *d)
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
    if (!stands || now_ns < output->way.still_ns) {
        output->way.still_ns = now_ns > output->way.still_ns ? now_ns : output->way.still_ns;
        return;
    }
    const double off = hypot(goal[0] - d->states[0].position, goal[1] - d->states[1].position);
    const double turned = remainder(goal[2] - d->states[2].position, 6.283185307179586);
    const bool near = off <= m->tolerance[0] && fabs(turned) <= m->tolerance[1];

    if (near || now_ns - output->way.still_ns >= STILL_NS) {
        output->way.on = false;
        tpi_motion_engine_arrived(m->engine, output->index, near, now_ns);
    }
}

static void turn_device(struct device *d, int64_t now_ns)
{
    step_if_due(d, now_ns);
    if (d->grant == NULL) {
        return;
    }
    (void)tp_grant_renew(d->grant); /* ended() is called if it is too late */
    if (is_at_rest(d) && now_ns - d->moved_ns > IDLE_NS && d->output->change.ticket == NULL) {
        give_back(d);
    }
}

void tpi_motiond_device_turn(struct motion *m, int64_t now_ns)
{
    for (unsigned i = 0; i < m->output_count; i++) {
        struct output *output = m->outputs[i];

        for (unsigned k = 0; k < output->device_count; k++) {
            turn_device(output->devices[k], now_ns);
        }
        tpi_motiond_rebind_turn(output, now_ns);
        if (output->way.on) {
            look_at_way(output, now_ns);
        }
        if (output->fault[0] != '\0') {
            struct device *d = output_device(output);

            d->parked_count = 0;
            output->way.on = false;
            if (d->grant != NULL) { /* what waits there is not played after a fault */
                give_back(d);
            }
            tpi_motion_engine_fault(m->engine, output->index, output->fault, now_ns);
            output->fault[0] = '\0';
        }
    }
}

static int64_t device_next(const struct device *d)
{
    const struct motion *m = d->output->motion;
    int64_t next = INT64_MAX;

    if (d->grant != NULL) {
        const int64_t lease_ns = tp_grant_lease_ns(d->grant);

        next = motion_now(m) + (lease_ns > 0 && lease_ns / 4 < RENEW_NS ? lease_ns / 4 : RENEW_NS);
    }
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
