/*
 * p2os - robots with the controllers of MobileRobots: Pioneer 2 and 3, AmigoBot and their kin,
 * which run P2OS, AROS or ARCOS.
 *
 * The robot reports ten times a second and stops by itself when it has heard nothing for two
 * seconds. While it drives, it hears a pulse; a server that hangs sends none. See README.md.
 *
 * Not supported: arms and lifts, cameras on its auxiliary lines, gains.
 */
#include <math.h>
#include <stdio.h>

#include "p2os.h"

static const tp_param p2os_params[] = {
    {"port", "line", "/dev/ttyS0", "the line, for instance /dev/ttyUSB0 or tcp:HOST:8101"},
    {"baud", "1", "0", "speed of a serial line; 0 tries those that robots have"},
    {"use_tcp", "bool", "no",
     "the robot is on a network: tcp_remote_host and tcp_remote_port count"},
    {"tcp_remote_host", NULL, "localhost", "its address"},
    {"tcp_remote_port", "1", "8101", "its port"},
    {"model", NULL, "", "the make, if the robot does not say it: p3dx, p3at, p2dx or amigo"},
    {"max_xspeed", "m/s", "0.5", "highest speed; commands above it are limited"},
    {"max_yawspeed", "rad", "1.745329", "the same for turning: an angle per second"},
    {"max_xaccel", "m/s^2", "0", "acceleration; 0 for the robot's own"},
    {"max_xdecel", "m/s^2", "0", "deceleration, with or without a minus; 0 for the robot's own"},
    {"max_yawaccel", "rad", "0", "acceleration of turns; 0 for the robot's own"},
    {"bumpstall", "1", "-1",
     "bumpers that stop the robot: 0 none, 1 front, 2 rear, 3 both; -1 as it is set"},
    {"pulse", "s", "1", "time between pulses while it drives, below 2; 0 or less for none"},
    {"direct_wheel_vel_control", "bool", "no",
     "whether velocities of wheels are sent, in steps of 20 mm/s, instead of speed and turn"},
    {"timeout", "s", "2", "a robot that is silent for so long is started anew"},
    {"radio", "bool", "no", "ignored; for configurations made for Player"},
    {"joystick", "bool", "no", "ignored; for configurations made for Player"},
    {NULL, NULL, NULL, NULL},
};

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

/* ---- Parameters ------------------------------------------------------------------------------ */

/* A number from 0 to the most. */
static tp_status read_number(tp_instance *self, const char *name, double most, double *out,
                             tp_error *err)
{
    *out = fabs(tp_param_double(self, name));
    if (!(*out <= most)) { /* written so that not-a-number is refused too */
        tp_param_blame(self, name);
        return tp_fail(err, TP_E_RANGE, "%s is not from 0 to %g", name, most);
    }
    return TP_OK;
}

static tp_status read_limits(tp_instance *self, tp_error *err)
{
    struct p2os_plan *plan = &((struct p2os *)tp_instance_state(self))->plan;
    tp_status status = read_number(self, "max_xspeed", 3, &plan->max_speed, err);

    status = status == TP_OK ? read_number(self, "max_yawspeed", 10, &plan->max_turn, err) : status;
    status =
        status == TP_OK ? read_number(self, "max_xaccel", 30, &plan->acceleration, err) : status;
    status =
        status == TP_OK ? read_number(self, "max_xdecel", 30, &plan->deceleration, err) : status;
    return status == TP_OK ? read_number(self, "max_yawaccel", 30, &plan->turn_acceleration, err)
                           : status;
}

static tp_status read_line(tp_instance *self, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    const int64_t baud = tp_param_int(self, "baud");
    const int64_t port = tp_param_int(self, "tcp_remote_port");
    const char *host = tp_param_string(self, "tcp_remote_host");

    if (baud != 0 && (baud < 300 || baud > 12000000)) {
        tp_param_blame(self, "baud");
        return tp_fail(err, TP_E_RANGE, "baud is a speed from 300 to 12000000, or 0");
    }
    if (port < 1 || port > 65535) {
        tp_param_blame(self, "tcp_remote_port");
        return tp_fail(err, TP_E_RANGE, "tcp_remote_port is a number from 1 to 65535");
    }
    p->plan.baud = (unsigned)baud;
    if (tp_param_bool(self, "use_tcp") &&
        snprintf(p->url, sizeof p->url, "tcp:%s:%d", host, (int)port) >= (int)sizeof p->url) {
        tp_param_blame(self, "tcp_remote_host");
        return tp_fail(err, TP_E_RANGE, "tcp_remote_host has more than %d characters",
                       P2OS_MOST_URL - 11);
    }
    return TP_OK;
}

static tp_status read_times(tp_instance *self, tp_error *err)
{
    struct p2os_plan *plan = &((struct p2os *)tp_instance_state(self))->plan;
    const double pulse_s = tp_param_double(self, "pulse");
    const double timeout_s = tp_param_double(self, "timeout");

    if (!(pulse_s < 2)) {
        tp_param_blame(self, "pulse");
        return tp_fail(err, TP_E_RANGE,
                       "pulse is a time below 2 s, when the robot stops by itself");
    }
    if (!(timeout_s >= 0.3 && timeout_s <= 3600)) {
        tp_param_blame(self, "timeout");
        return tp_fail(err, TP_E_RANGE, "timeout is a time from 0.3 s to an hour");
    }
    plan->pulse_ns = pulse_s > 0 ? (int64_t)(fmax(pulse_s, 0.1) * (double)TP_NS_PER_S) : 0;
    plan->timeout_ns = (int64_t)(timeout_s * (double)TP_NS_PER_S);
    return TP_OK;
}

static tp_status read_make(tp_instance *self, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    const char *name = tp_param_string(self, "model");
    const int64_t bumpstall = tp_param_int(self, "bumpstall");

    p->plan.model = name[0] != '\0' ? tpi_p2os_model_named(name) : NULL;
    if (name[0] != '\0' && p->plan.model == NULL) {
        tp_param_blame(self, "model");
        return tp_fail(err, TP_E_UNKNOWN, "there is no model \"%.40s\", but %s", name,
                       tpi_p2os_model_names);
    }
    if (bumpstall < -1 || bumpstall > 3) {
        tp_param_blame(self, "bumpstall");
        return tp_fail(err, TP_E_RANGE, "bumpstall is a number from -1 to 3");
    }
    p->plan.bumpstall = (int)bumpstall;
    p->plan.by_wheels = tp_param_bool(self, "direct_wheel_vel_control");
    p->model = p->plan.model != NULL ? p->plan.model : tpi_p2os_usual_model;
    return TP_OK;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status p2os_init(tp_instance *self, tp_error *err)
{
    tp_status status = read_limits(self, err);

    status = status == TP_OK ? read_line(self, err) : status;
    status = status == TP_OK ? read_times(self, err) : status;
    status = status == TP_OK ? read_make(self, err) : status;
    status = status == TP_OK ? tpi_p2os_offer_vehicle(self, err) : status;
    status = status == TP_OK ? tpi_p2os_offer_extras(self, err) : status;
    return status == TP_OK ? tpi_p2os_offer_devices(self, err) : status;
}

static tp_status p2os_start(tp_instance *self, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    const tp_status status = tpi_p2os_connect(self, err);

    if (status != TP_OK) {
        tp_port_close(p->port);
        p->port = NULL;
        return status;
    }
    tpi_p2os_tell_places(p);
    p->odometry = (struct p2os_odometry){0};
    p->motors_off = p->in_motion = p->rolls = false;
    p->reader = (struct p2os_reader){0};
    p->heard_ns = now_ns(self);
    tp_instance_set_period(self, 100 * TP_NS_PER_MS);
    tp_port_watch(p->port, true);
    return TP_OK;
}

static tp_status p2os_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    uint8_t bytes[256];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            if (tpi_p2os_read(&p->reader, bytes[i])) {
                tpi_p2os_report(self, p->reader.bytes + P2OS_HEAD, tpi_p2os_payload(&p->reader));
            }
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

/* Silence is a failure. While it drives it hears something at least once in a pulse; in a panic it
 * does not drive, and nothing is sent. */
static tp_status p2os_poll(tp_instance *self, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    const int64_t now = now_ns(self);

    if (now - p->heard_ns > p->plan.timeout_ns) {
        return tp_fail(err, TP_E_TIMEOUT, "the robot has said nothing for %.1f s%s",
                       (double)p->plan.timeout_ns / (double)TP_NS_PER_S,
                       p->reader.damaged > 0 ? ", but what has a wrong sum" : "");
    }
    if (p->in_motion && p->plan.pulse_ns > 0 && now - p->sent_ns >= p->plan.pulse_ns) {
        const tp_status status = tpi_p2os_say_only(self, P2OS_PULSE, err);
        return status == TP_E_DENIED ? TP_OK : status;
    }
    const tp_status status = tpi_p2os_poll_extras(self, err);
    return status == TP_E_DENIED ? TP_OK : status;
}

static void p2os_halt(tp_device *device, tp_halt how)
{
    const struct p2os *p = p2os_of(device);

    (void)how; /* it brakes in one way */
    if (device == p->gripper) {
        tpi_p2os_halt_gripper(tp_device_instance(device));
    } else if (device == p->vehicle) {
        tpi_p2os_say_stop(tp_device_instance(device), false);
    }
}

static void p2os_stop(tp_instance *self)
{
    struct p2os *p = tp_instance_state(self);

    tpi_p2os_say_stop(self, true); /* if the line is gone, the robot stops by itself */
    tp_port_close(p->port);
    p->port = NULL;
}

static const tp_driver_ops p2os_ops = {
    .init = p2os_init,
    .start = p2os_start,
    .poll = p2os_poll,
    .input = p2os_input,
    .halt = p2os_halt,
    .stop = p2os_stop,
};

extern const tp_driver tp_driver_p2os;
TP_API const tp_driver tp_driver_p2os = {
    .abi = TP_DRIVER_ABI,
    .name = "p2os",
    .summary = "Pioneer, AmigoBot and other robots with P2OS, AROS or ARCOS",
    .state_size = sizeof(struct p2os),
    .params = p2os_params,
    .ops = &p2os_ops,
};

/* The same by the name that configurations for the first Player have. */
extern const tp_driver tp_driver_p2os_position;
TP_API const tp_driver tp_driver_p2os_position = {
    .abi = TP_DRIVER_ABI,
    .name = "p2os_position",
    .summary = "a second name for p2os",
    .state_size = sizeof(struct p2os),
    .params = p2os_params,
    .ops = &p2os_ops,
};
