/*
 * mobile - offers position1d, position2d or position3d as a mobile: each axis takes a position, a
 * velocity or an acceleration.
 *
 * Velocities are sent to the device under it, in steps where they change: for limits of
 * acceleration, for frames that turn, for positions of some axes beside velocities of others. If
 * all that is wanted are positions and the device knows those itself, it gets one command with the
 * whole pose. What it can do it is asked at the start. Runs on the loop.
 */
#include "mobile.h"

#include <math.h>

#include "forward.h"

static const int64_t patience_ns = TP_NS_PER_S; /* of standing still on the way to a place */
static const double still = 1e-3;               /* m/s and rad/s */

static const tp_param mobile_params[] = {
    {"axes", NULL, "",
     "axes that it moves on: x y z roll pitch yaw; by the interface if not given"},
    {"max_speed", "m/s", "0.5", "largest speed along an axis"},
    {"max_turn_speed", "rad/s", "1", "largest speed about an axis"},
    {"max_acceleration", "m/s^2", "1", "largest acceleration along an axis"},
    {"max_turn_acceleration", "rad/s^2", "2", "largest acceleration about an axis"},
    {"min_turn_radius", "m", "0", "tightest turn; 0 if it turns on the spot"},
    {"tolerance", "m rad", "0.05 0.05", "distance at which a position counts as reached"},
    {"rate", "Hz", "20", "steps in a second while velocities change"},
    {NULL, NULL, NULL, NULL},
};

static struct mobile *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- The property ---------------------------------------------------------------------------- */

static const char *property_text(const tp_device *device, const char *key)
{
    (void)key;
    return state_of(device)->refused;
}

static const tp_property_plan plans[] = {
    {.key = "refused",
     .type = TP_PROPERTY_STRING,
     .unit = "",
     .doc = "Why an axis of the last command was not taken; empty if all were."},
    {.key = NULL},
};

/* ---- Moving ---------------------------------------------------------------------------------- */

static void rest(struct mobile *m)
{
    for (unsigned axis = 0; axis < AXES; axis++) {
        m->axes[axis] = (struct axis){0};
    }
    m->mode = MODE_REST;
    tp_timer_cancel(m->timer);
}

static tp_status send_velocity(struct mobile *m, const double vel[AXES])
{
    for (unsigned axis = 0; axis < AXES; axis++) {
        m->sent[axis] = vel[axis];
    }
    return m->under->send_velocity(m, vel);
}

static tp_status halt(struct mobile *m)
{
    const double nothing[AXES] = {0};

    rest(m);
    return send_velocity(m, nothing);
}

static bool is_news(const struct mobile *m, const double vel[AXES])
{
    bool news = false;

    for (unsigned axis = 0; axis < AXES; axis++) {
        news = news || fabs(vel[axis] - m->sent[axis]) > 1e-9;
    }
    return news;
}

static bool is_active(const struct mobile *m)
{
    bool active = false;

    for (unsigned axis = 0; axis < AXES; axis++) {
        active = active || m->axes[axis].active;
    }
    return active;
}

/* Bring the speeds up to now, and tell them if they have changed or if they are to be told. */
static tp_status step(struct mobile *m, bool tell)
{
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(tp_device_instance(m->device)));
    double vel[AXES];

    tpi_mobile_drive_step(m, (double)(now_ns - m->stepped_ns) / (double)TP_NS_PER_S);
    m->stepped_ns = now_ns;
    m->mode = is_active(m) ? MODE_SPEEDS : MODE_REST;
    if (tpi_mobile_drive_changes(m)) {
        tp_timer_at(m->timer, now_ns + m->period_ns);
    } else {
        tp_timer_cancel(m->timer);
    }
    tpi_mobile_drive_velocity(m, vel);
    return tell || is_news(m, vel) ? send_velocity(m, vel) : TP_OK;
}

static void step_in_time(void *context)
{
    (void)step(tp_instance_state(context), false);
}

/* The device under it does all of it. */
static tp_status go_to_place(struct mobile *m, int64_t now_ns)
{
    double pose[AXES];
    double speeds[AXES];

    tp_timer_cancel(m->timer);
    m->still_ns = now_ns;
    for (unsigned axis = 0; axis < AXES; axis++) {
        m->axes[axis].speed = 0;
    }
    tpi_mobile_drive_place(m, pose, speeds);
    return m->under->send_place(m, pose, speeds);
}

static bool is_there(const struct mobile *m)
{
    bool there = true;

    for (unsigned axis = 0; axis < AXES; axis++) {
        there = there && (!m->axes[axis].active ||
                          fabs(tpi_mobile_drive_left(m, axis)) <= m->tolerance[mobile_turns(axis)]);
    }
    return there;
}

/* On the way to a place: it has arrived, or has given up. */
static void look_around(struct mobile *m, int64_t now_ns)
{
    for (unsigned axis = 0; axis < AXES; axis++) {
        m->still_ns = fabs(m->vel[axis]) > still ? now_ns : m->still_ns;
    }
    if (is_there(m) || now_ns - m->still_ns >= patience_ns) {
        rest(m);
    }
}

/* ---- Messages -------------------------------------------------------------------------------- */

static tp_status take(tp_device *device, const tp_mobile_cmd *ask, tp_error *err)
{
    struct mobile *m = state_of(device);
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(tp_device_instance(device)));
    const bool was_refused = m->refused[0] != '\0';
    tp_status status = tpi_mobile_take(m, ask, err);

    if (status != TP_OK) {
        return status;
    }
    m->stepped_ns = now_ns;
    status = m->mode == MODE_PLACE ? go_to_place(m, now_ns) : step(m, true);
    if (was_refused || m->refused[0] != '\0') {
        tpi_own_properties_announce(&m->properties, device, "refused");
    }
    return status == TP_OK ? TP_OK : tp_fail(err, status, "%s", tp_status_text(status));
}

static tp_status cmd_move(tp_device *device, const tp_mobile_cmd *ask, tp_error *err)
{
    tp_status status = take(device, ask, err);

    if (status == TP_OK) {
        tp_publish(device, TP_MOBILE_DATA_RESULT, &state_of(device)->result, 0);
    }
    return status;
}

static tp_status req_move(tp_device *device, const tp_mobile_cmd *ask, tp_mobile_result *answer,
                          tp_error *err)
{
    tp_status status = take(device, ask, err);

    *answer = state_of(device)->result;
    return status;
}

static tp_status cmd_stop(tp_device *device, tp_error *err)
{
    tp_status status = halt(state_of(device));

    return status == TP_OK ? TP_OK : tp_fail(err, status, "%s", tp_status_text(status));
}

static tp_status get_abilities(tp_device *device, tp_mobile_abilities *answer, tp_error *err)
{
    (void)err;
    tpi_mobile_abilities(state_of(device), answer);
    return TP_OK;
}

/* The frame of its goals is gone. */
static void was_reset(tp_instance *self, void *ticket, tp_status status, const tp_msg *answer,
                      const char *why)
{
    struct mobile *m = tp_instance_state(self);
    bool places = false;

    for (unsigned axis = 0; axis < AXES; axis++) {
        places = places || (m->axes[axis].active && m->axes[axis].control == TP_MOBILE_POSITION);
    }
    if (status == TP_OK && places) {
        (void)halt(m);
    }
    tpi_forward_answer(self, ticket, status, answer, why);
}

static tp_status reset_odometry(tp_device *device, tp_error *err)
{
    const struct mobile *m = state_of(device);

    return tpi_forward_ask(device, m->base, m->under->req_reset, m->under->reset,
                           FORWARD_TIMEOUT_NS, was_reset, err);
}

static const tp_mobile_ops mobile_ops = {
    .cmd_move = cmd_move,
    .cmd_stop = cmd_stop,
    .req_move = req_move,
    .req_get_abilities = get_abilities,
    .req_reset_odometry = reset_odometry,
};

static const forward_front front = {
    .interface = &tp_interface_mobile,
    .ops = &mobile_ops,
    .sends = 1u << TP_MOBILE_DATA_STATE | 1u << TP_MOBILE_DATA_RESULT,
};

static tp_status mobile_handle(tp_device *device, const tp_message *what, const void *ask,
                               void *answer, tp_error *err)
{
    struct mobile *m = state_of(device);
    tp_status status = TP_OK;

    if (tpi_own_properties_handle(&m->properties, device, m->base, what, ask, answer, &status,
                                  err)) {
        return status;
    }
    return tpi_forward_or_operate(&front, device, m->base, what, ask, answer, err);
}

static void publish_state(const struct mobile *m, double timestamp_s)
{
    tp_mobile_data data = {
        .pose = {m->pose[0], m->pose[1], m->pose[2], m->pose[3], m->pose[4], m->pose[5]},
        .vel = {m->vel[0], m->vel[1], m->vel[2], m->vel[3], m->vel[4], m->vel[5]},
        .stall = m->stall};

    for (unsigned axis = 0; axis < AXES; axis++) {
        data.moving |= m->axes[axis].active && m->axes[axis].control == TP_MOBILE_POSITION;
    }
    tp_publish(m->device, TP_MOBILE_DATA_STATE, &data, timestamp_s);
}

static void mobile_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct mobile *m = tp_instance_state(self);
    const tp_msghdr *header = tp_msg_header(msg);
    const void *payload = tp_msg_payload(msg);

    (void)from;
    if (header->subtype == m->under->data_state && payload != NULL) {
        m->under->read_state(m, payload);
        m->pose_known = true;
        if (m->mode == MODE_PLACE) {
            look_around(m, tp_clock_now_ns(tp_instance_clock(self)));
        }
        publish_state(m, header->timestamp);
    } else if (tp_interface_message(&tp_interface_common, TP_KIND_DATA, header->subtype) != NULL) {
        if (header->subtype == TP_COMMON_DATA_ERROR) {
            rest(m); /* whatever it did, it does not do it any more */
        }
        tpi_forward_data(m->device, msg);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status mobile_init(tp_instance *self, tp_error *err)
{
    struct mobile *m = tp_instance_state(self);
    tp_status status = tpi_mobile_read(self, m, err);

    m->properties = (own_properties){.plans = plans, .text = property_text};
    status = status == TP_OK
                 ? tp_offer(self, &tp_interface_mobile, NULL, NULL, mobile_handle, &m->device, err)
                 : status;
    return status == TP_OK
               ? tp_timer_create(&m->timer, tp_instance_loop(self), step_in_time, self, err)
               : status;
}

static tp_status mobile_start(tp_instance *self, tp_error *err)
{
    struct mobile *m = tp_instance_state(self);

    m->pose_known = false;
    m->refused[0] = '\0';
    return tpi_mobile_ask(self, m, err);
}

static void mobile_halt(tp_device *device, tp_halt how)
{
    struct mobile *m = state_of(device);

    (void)how; /* the other device's own configuration says */
    rest(m);
    tp_link_halt(m->base);
}

static void mobile_stop(tp_instance *self)
{
    struct mobile *m = tp_instance_state(self);

    if (m->mode != MODE_REST) {
        (void)halt(m); /* a device that cannot be told is closed now anyway */
    }
    rest(m);
}

static void mobile_fini(tp_instance *self)
{
    struct mobile *m = tp_instance_state(self);

    tp_timer_destroy(m->timer);
    tpi_own_properties_fini(&m->properties);
}

static const tp_driver_ops mobile_driver_ops = {
    .init = mobile_init,
    .start = mobile_start,
    .data = mobile_data,
    .halt = mobile_halt,
    .stop = mobile_stop,
    .fini = mobile_fini,
};

TP_API const tp_driver tp_driver_mobile = {
    .abi = TP_DRIVER_ABI,
    .name = "mobile",
    .summary = "offers a position1d, position2d or position3d as a mobile",
    .state_size = sizeof(struct mobile),
    .params = mobile_params,
    .ops = &mobile_driver_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
