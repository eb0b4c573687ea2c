/*
 * linuxjoystick - joysticks and game pads of Linux (/dev/input/js0), which can drive a robot.
 *
 * The kernel sends events of eight bytes: a time, a value, a kind and a number. The driver offers
 * the sticks as a `joystick`, and as a `position2d` whose place is that of the sticks. With a
 * required position2d the sticks are velocities. See README.md.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "troupe/driver/joystick.h"
#include "troupe/driver/position2d.h"
#include "troupe/interfaces/gripper.h"
#include "troupe/port.h"

enum { EVENT = 8, AXES = 3, SHOWN = 8, MOST_AXES = 64, MOST_URL = 256 };

struct joy {
    tp_device *joystick, *place; /* NULL if not offered */
    tp_link *base, *gripper;     /* NULL if not required */
    tp_port *port;               /* owned; NULL unless it runs */
    char url[MOST_URL];
    int axes[AXES];      /* numbers of those for x, y and yaw; -1 for none */
    double most[AXES];   /* their values at the ends */
    double least[AXES];  /* values below this are 0 */
    double speeds[AXES]; /* m/s, m/s, rad/s at the ends */
    double scales[AXES]; /* of the place */
    int deadman;         /* button that must be pressed; -1 for none */
    int64_t timeout_ns;  /* 0 for none */
    uint8_t event[EVENT];
    size_t length;
    int16_t values[MOST_AXES]; /* of all axes, as they came */
    unsigned axis_count;
    uint32_t buttons;
    int64_t heard_ns;  /* when a stick or button has moved */
    int64_t looked_ns; /* when all events were read */
    int64_t sent_ns;   /* when a velocity was sent */
    bool moves;        /* the last one was not 0 */
};

/* Events are looked for so often if they move something; and those that may have waited for so long
 * are old: the program was frozen. */
static const int64_t period_ns = 50 * TP_NS_PER_MS;
static const int64_t old_ns = 250 * TP_NS_PER_MS;

static const tp_param joy_params[] = {
    {"port", "line", "/dev/js0", "the joystick, for instance /dev/input/js0"},
    {"axes", "1", "1 2 0", "numbers of the axes for x, y and yaw; -1 for none"},
    {"axes_maxima", "1", "32767 32767 32767", "largest values on these axes"},
    {"axes_minima", "1", "0 0 0", "smaller values on these axes are 0"},
    {"axis_minima", "1", "", "the same by another name that configurations have"},
    {"max_speed", "m m rad", "0.5 0.5 0.523599", "speeds at the ends of these axes, per second"},
    {"scale_pos", "1", "1 1 1", "factors of the position2d that is provided"},
    {"deadman_button", "1", "-1", "button that must be pressed to drive; -1 for none"},
    {"deadman", "1", "-1", "the same by another name"},
    {"timeout", "s", "5", "time without an event after which the robot is stopped; 0 for never"},
    {NULL, NULL, NULL, NULL},
};

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

/* ---- Sticks ---------------------------------------------------------------------------------- */

/* The value of x, y or yaw. */
static int value_of(const struct joy *j, unsigned axis)
{
    const int number = j->axes[axis];
    const int value = number < 0 ? 0 : j->values[number];

    return fabs((double)value) < j->least[axis] ? 0 : value;
}

static bool is_used(const struct joy *j, int number)
{
    return number == j->axes[0] || number == j->axes[1] || number == j->axes[2];
}

/* x, y and yaw first, then all others. */
static void publish_joystick(const struct joy *j)
{
    tp_joystick_data data = {.buttons = j->buttons, .axes_count = j->axis_count};
    unsigned at = AXES;

    for (unsigned i = 0; i < AXES; i++) {
        data.pos[i] = value_of(j, i);
        data.scale[i] = (int32_t)j->most[i];
    }
    for (unsigned i = 0; i < j->axis_count && at < SHOWN; i++) {
        if (!is_used(j, (int)i)) {
            data.pos[at] = j->values[i];
            data.scale[at++] = 32767;
        }
    }
    tp_joystick_publish_state(j->joystick, &data, 0);
}

static void publish(const struct joy *j)
{
    if (j->joystick != NULL) {
        publish_joystick(j);
    }
    if (j->place != NULL) {
        const tp_position2d_data data = {.pos = {.px = value_of(j, 0) * j->scales[0],
                                                 .py = value_of(j, 1) * j->scales[1],
                                                 .pa = value_of(j, 2) * j->scales[2]}};
        tp_position2d_publish_state(j->place, &data, 0);
    }
}

/* ---- Driving --------------------------------------------------------------------------------- */

static void send(tp_instance *self, const double speeds[AXES])
{
    struct joy *j = tp_instance_state(self);
    const tp_position2d_cmd_vel ask = {.vel = {.px = speeds[0], .py = speeds[1], .pa = speeds[2]},
                                       .state = 1};

    j->moves = speeds[0] != 0 || speeds[1] != 0 || speeds[2] != 0;
    j->sent_ns = now_ns(self);
    (void)tp_link_command(j->base, TP_POSITION2D_CMD_VEL, &ask);
}

/* The sticks of joysticks are backwards: a stick that is pushed ahead is negative. A joystick at
 * rest sends nothing, so that others can drive. */
static void drive(tp_instance *self)
{
    struct joy *j = tp_instance_state(self);
    const bool dead = j->deadman >= 0 && (j->buttons >> j->deadman & 1) == 0;
    const bool old = j->timeout_ns > 0 && now_ns(self) - j->heard_ns > j->timeout_ns;
    double speeds[AXES] = {0};
    bool wants = false;

    for (unsigned i = 0; i < AXES && !dead && !old; i++) {
        speeds[i] = -fmax(-1, fmin(1, value_of(j, i) / j->most[i])) * j->speeds[i];
        wants = wants || speeds[i] != 0;
    }
    if (j->base != NULL && (wants || j->moves)) {
        send(self, speeds);
    }
}

/* The lowest button that is pressed commands, as with Player. */
static void grip(const struct joy *j)
{
    static const unsigned commands[] = {TP_GRIPPER_CMD_CLOSE, TP_GRIPPER_CMD_OPEN,
                                        TP_GRIPPER_CMD_STORE, TP_GRIPPER_CMD_RETRIEVE,
                                        TP_GRIPPER_CMD_STOP};

    for (unsigned i = 0; i < sizeof commands / sizeof commands[0] && j->gripper != NULL; i++) {
        if ((j->buttons >> i & 1) != 0) {
            (void)tp_link_command(j->gripper, commands[i], NULL);
            return;
        }
    }
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* The first events after opening say how everything stands now, and old ones say how it stood. A
 * stick that is held then does not count until it moves. */
static void take_event(tp_instance *self, bool old)
{
    enum { BUTTON = 1, AXIS = 2, INITIAL = 0x80 };
    struct joy *j = tp_instance_state(self);
    const int16_t value = (int16_t)(j->event[4] | j->event[5] << 8);
    const unsigned kind = j->event[6] & ~(unsigned)INITIAL;
    const bool initial = old || (j->event[6] & INITIAL) != 0;
    const unsigned number = j->event[7];

    if (kind == BUTTON && number < 32) {
        j->buttons = (j->buttons & ~(1U << number)) | (value != 0 ? 1U << number : 0);
    } else if (kind == AXIS && number < MOST_AXES) {
        j->axis_count = number >= j->axis_count ? number + 1 : j->axis_count;
        j->values[number] = initial ? 0 : value;
    } else {
        return;
    }
    publish(j);
    if (!initial) {
        j->heard_ns = now_ns(self);
        drive(self);
        if (kind == BUTTON) {
            grip(j);
        }
    }
}

static bool drives(const struct joy *j)
{
    return j->base != NULL || j->gripper != NULL;
}

static tp_status joy_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct joy *j = tp_instance_state(self);
    uint8_t bytes[32 * EVENT];
    size_t length = 0;
    tp_status status;
    const bool old = drives(j) && now_ns(self) - j->looked_ns > old_ns;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            j->event[j->length++] = bytes[i];
            if (j->length == EVENT) {
                j->length = 0;
                take_event(self, old);
            }
        }
    }
    j->looked_ns = now_ns(self);
    if (old && j->moves) {
        drive(self);
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

/* A stick that is held sends no events; its velocity is repeated. */
static tp_status joy_poll(tp_instance *self, tp_error *err)
{
    const struct joy *j = tp_instance_state(self);
    const tp_status status = joy_input(self, j->port, err);

    if (status == TP_OK && j->moves && now_ns(self) - j->sent_ns >= 100 * TP_NS_PER_MS) {
        drive(self);
    }
    return status;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_tuple(tp_instance *self, const char *name, double low, double high,
                            double out[AXES], tp_error *err)
{
    const size_t count = tp_param_count(self, name);

    for (size_t i = 0; i < AXES && i < count; i++) {
        out[i] = tp_param_double_at(self, name, i);
        if (!(out[i] >= low && out[i] <= high)) {
            tp_param_blame(self, name);
            return tp_fail(err, TP_E_RANGE, "%s has values from %g to %g", name, low, high);
        }
    }
    return TP_OK;
}

static tp_status read_button(tp_instance *self, const char *name, int *out, tp_error *err)
{
    const int64_t button = tp_param_int(self, name);

    if (button < -1 || button > 31) {
        tp_param_blame(self, name);
        return tp_fail(err, TP_E_RANGE, "%s is a number from -1 to 31", name);
    }
    *out = button >= 0 ? (int)button : *out;
    return TP_OK;
}

static tp_status read_params(tp_instance *self, tp_error *err)
{
    struct joy *j = tp_instance_state(self);
    double axes[AXES] = {1, 2, 0};
    const double timeout_s = tp_param_double(self, "timeout");
    tp_status status = read_tuple(self, "axes", -1, MOST_AXES - 1, axes, err);

    for (unsigned i = 0; i < AXES; i++) { /* Player's, for tuples that are shorter */
        j->axes[i] = (int)axes[i];
        j->most[i] = 32767;
        j->speeds[i] = i < 2 ? 0.5 : 0.523599;
        j->scales[i] = 1;
    }
    status = status == TP_OK ? read_tuple(self, "axes_maxima", 1, 32767, j->most, err) : status;
    status = status == TP_OK ? read_tuple(self, "axes_minima", 0, 32767, j->least, err) : status;
    status = status == TP_OK ? read_tuple(self, "axis_minima", 0, 32767, j->least, err) : status;
    status = status == TP_OK ? read_tuple(self, "max_speed", -100, 100, j->speeds, err) : status;
    status = status == TP_OK ? read_tuple(self, "scale_pos", -1e9, 1e9, j->scales, err) : status;
    j->deadman = -1;
    status = status == TP_OK ? read_button(self, "deadman", &j->deadman, err) : status;
    status = status == TP_OK ? read_button(self, "deadman_button", &j->deadman, err) : status;
    if (status == TP_OK && !(timeout_s >= 0 && timeout_s <= 86400)) {
        tp_param_blame(self, "timeout");
        return tp_fail(err, TP_E_RANGE, "timeout is a time from 0 s to a day");
    }
    j->timeout_ns = status == TP_OK ? (int64_t)(timeout_s * (double)TP_NS_PER_S) : 0;
    return status;
}

/* A plain path is a device, not a serial line. */
static tp_status read_port(tp_instance *self, tp_error *err)
{
    struct joy *j = tp_instance_state(self);
    const char *port = tp_param_string(self, "port");

    if (snprintf(j->url, sizeof j->url, "%s%s", port[0] == '/' ? "file:" : "", port) >=
        (int)sizeof j->url) {
        tp_param_blame(self, "port");
        return tp_fail(err, TP_E_RANGE, "port has more than %d characters", MOST_URL - 6);
    }
    return TP_OK;
}

static tp_status no_velocity(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)device;
    (void)ask;
    return tp_fail(err, TP_E_UNSUPPORTED, "a joystick does not drive by itself");
}

static tp_status no_size(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)answer;
    (void)err;
    return TP_OK;
}

static const tp_position2d_ops place_ops = {.cmd_vel = no_velocity, .req_get_geom = no_size};

static tp_status use(tp_instance *self, const tp_interface *interface, tp_link **out, tp_error *err)
{
    const tp_status status = tp_require(self, interface, NULL, out, err);

    return status == TP_E_UNKNOWN ? TP_OK : status;
}

static tp_status joy_init(tp_instance *self, tp_error *err)
{
    struct joy *j = tp_instance_state(self);
    tp_status status = read_params(self, err);

    status = status == TP_OK ? read_port(self, err) : status;
    status = status == TP_OK ? use(self, &tp_interface_position2d, &j->base, err) : status;
    status = status == TP_OK ? use(self, &tp_interface_gripper, &j->gripper, err) : status;
    if (status == TP_OK && tp_provides(self, &tp_interface_joystick, NULL)) {
        status = tp_offer_joystick(self, NULL, &j->joystick, err);
    }
    if (status == TP_OK && tp_provides(self, &tp_interface_position2d, NULL)) {
        status = tp_offer_position2d(self, NULL, &place_ops, &j->place, err);
    }
    if (j->base != NULL) {
        tp_link_report(j->base);
    }
    if (j->gripper != NULL) {
        tp_link_report(j->gripper);
    }
    return status;
}

static void ignore(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                   const char *why)
{
    (void)self;
    (void)context;
    (void)status;
    (void)answer;
    (void)why;
}

/* Robots without a switch refuse to switch their motors on, which does not matter. */
static tp_status joy_start(tp_instance *self, tp_error *err)
{
    struct joy *j = tp_instance_state(self);
    const tp_position2d_power_config on = {.state = 1};
    const tp_status status =
        tp_port_open(&j->port, self, j->url, NULL, now_ns(self) + TP_NS_PER_S, err);

    if (status != TP_OK) {
        return status;
    }
    j->length = 0;
    j->buttons = 0;
    j->axis_count = 0;
    j->moves = false;
    memset(j->values, 0, sizeof j->values);
    if (j->base != NULL) {
        (void)tp_link_request(j->base, TP_POSITION2D_REQ_MOTOR_POWER, &on, TP_NS_PER_S, ignore,
                              NULL);
    }
    if (drives(j)) {
        tp_instance_set_period(self, period_ns);
    }
    j->looked_ns = now_ns(self);
    tp_port_watch(j->port, true);
    return TP_OK;
}

static void joy_halt(tp_device *device, tp_halt how)
{
    static const double still[AXES] = {0};
    struct joy *j = tp_instance_state(tp_device_instance(device));

    (void)how;
    if (j->base != NULL && j->moves) {
        send(tp_device_instance(device), still);
        tp_link_halt(j->base);
    }
}

static void joy_stop(tp_instance *self)
{
    static const double still[AXES] = {0};
    struct joy *j = tp_instance_state(self);

    if (j->base != NULL && j->moves) {
        send(self, still);
    }
    tp_port_close(j->port);
    j->port = NULL;
}

static const tp_driver_ops joy_ops = {
    .init = joy_init,
    .start = joy_start,
    .poll = joy_poll,
    .input = joy_input,
    .halt = joy_halt,
    .stop = joy_stop,
};

extern const tp_driver tp_driver_linuxjoystick;
TP_API const tp_driver tp_driver_linuxjoystick = {
    .abi = TP_DRIVER_ABI,
    .name = "linuxjoystick",
    .summary = "joysticks and game pads of Linux, which can drive a robot",
    .state_size = sizeof(struct joy),
    .params = joy_params,
    .ops = &joy_ops,
};
