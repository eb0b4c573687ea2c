/*
 * velcmd - repeats one velocity, or one that the readings of a ranger decide.
 *
 * It runs while its opaque device is open; with `alwayson` from the start of the server. HALT, a
 * panic or closing it ends that; after a panic it goes on when it is opened again.
 */
#include <math.h>

#include "forward.h"
#include "troupe/driver/opaque.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ranger.h"

struct velcmd {
    tp_device *device; /* borrowed */
    tp_link *base;     /* borrowed */
    tp_link *ranger;   /* borrowed; NULL if there is none */
    double most[3];    /* px, py, pa */
    double factor[3];  /* pxr, pyr, par */
    int64_t first, last;
    bool power, ranger_power;
    int64_t period_ns;
    bool halted;
    bool has_mean; /* the ranger has sent something */
    double mean;   /* of its readings */
};

static const tp_param velcmd_params[] = {
    {"px", "m/s", "0", "forward velocity; with a ranger the highest one"},
    {"py", "m/s", "0", "velocity to the left"},
    {"pa", "rad/s", "0", "turning velocity"},
    {"power_on", "1", "1", "1 to switch the motors on at the start"},
    {"sleep_nsec", "1", "100000000", "nanoseconds between commands"},
    {"first_idx", "1", "0", "first reading of the ranger to use"},
    {"last_idx", "1", "-1", "last one; -1 for all"},
    {"ranger_power_on", "1", "0", "1 to switch the ranger on at the start"},
    {"pxr", "1", "0", "forward velocity for each metre of the readings' mean"},
    {"pyr", "1", "0", "the same to the left"},
    {"par", "1", "0", "the same for turning"},
    {NULL, NULL, NULL, NULL},
};

/* As much as the readings allow. */
static double velocity(const struct velcmd *v, int axis)
{
    return v->ranger == NULL ? v->most[axis] : fmin(v->mean * v->factor[axis], v->most[axis]);
}

static void send(const struct velcmd *v, bool stop)
{
    const tp_position2d_cmd_vel vel = {.vel = {.px = stop ? 0 : velocity(v, 0),
                                               .py = stop ? 0 : velocity(v, 1),
                                               .pa = stop ? 0 : velocity(v, 2)},
                                       .state = 1};

    (void)tp_link_command(v->base, TP_POSITION2D_CMD_VEL, &vel);
}

static tp_status velcmd_poll(tp_instance *self, tp_error *err)
{
    const struct velcmd *v = tp_instance_state(self);

    (void)err;
    if (!v->halted && (v->ranger == NULL || v->has_mean) && !tp_instance_in_panic(self)) {
        send(v, false);
    }
    return TP_OK;
}

static void velcmd_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct velcmd *v = tp_instance_state(self);
    const tp_ranger_data_range *data = tp_msg_payload(msg);
    double sum = 0;
    int64_t count = 0;

    if (from != v->ranger || tp_msg_header(msg)->subtype != TP_RANGER_DATA_RANGE || data == NULL) {
        return;
    }
    for (int64_t i = v->first; i < data->ranges_count && (v->last < 0 || i <= v->last); i++) {
        sum += data->ranges[i];
        count++;
    }
    v->has_mean = count > 0 && isfinite(sum);
    v->mean = v->has_mean ? sum / (double)count : 0;
}

static tp_status read_settings(tp_instance *self, struct velcmd *v, tp_error *err)
{
    static const char *const names[] = {"px", "py", "pa", "pxr", "pyr", "par"};
    const double period = tp_param_double(self, "sleep_nsec");

    for (int i = 0; i < 6; i++) {
        const double value = tp_param_double(self, names[i]);
        *(i < 3 ? &v->most[i] : &v->factor[i - 3]) = value;
        if (!(fabs(value) <= 1000)) {
            tp_param_blame(self, names[i]);
            return tp_fail(err, TP_E_RANGE, "%s is not between -1000 and 1000", names[i]);
        }
    }
    v->first = tp_param_int(self, "first_idx");
    v->last = tp_param_int(self, "last_idx");
    v->power = tp_param_double(self, "power_on") != 0;
    v->ranger_power = tp_param_double(self, "ranger_power_on") != 0;
    v->period_ns = (int64_t)period;
    tp_param_blame(self, "sleep_nsec");
    if (!(period >= 1e6 && period <= 1e12)) {
        return tp_fail(err, TP_E_RANGE, "sleep_nsec is not between 1e6 and 1e12");
    }
    tp_param_blame(self, "first_idx");
    return v->first >= 0 ? TP_OK : tp_fail(err, TP_E_RANGE, "first_idx is below 0");
}

static const tp_opaque_ops velcmd_opaque = {0};

static tp_status velcmd_init(tp_instance *self, tp_error *err)
{
    struct velcmd *v = tp_instance_state(self);
    tp_status status = read_settings(self, v, err);

    status =
        status == TP_OK ? tp_require(self, &tp_interface_position2d, NULL, &v->base, err) : status;
    if (status == TP_OK) {
        status = tp_require(self, &tp_interface_ranger, NULL, &v->ranger, err);
        status = status == TP_E_UNKNOWN ? TP_OK : status;
    }
    return status == TP_OK ? tp_offer_opaque(self, NULL, &velcmd_opaque, &v->device, err) : status;
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

/* Robots without a switch refuse the request, which does not matter. */
static tp_status velcmd_start(tp_instance *self, tp_error *err)
{
    struct velcmd *v = tp_instance_state(self);
    const tp_position2d_power_config on = {.state = 1};
    const tp_ranger_power_config ranger_on = {.state = 1};

    (void)err;
    v->halted = false;
    v->has_mean = false;
    if (v->power) {
        (void)tp_link_request(v->base, TP_POSITION2D_REQ_MOTOR_POWER, &on, FORWARD_TIMEOUT_NS,
                              ignore, NULL);
    }
    if (v->ranger != NULL && v->ranger_power) {
        (void)tp_link_request(v->ranger, TP_RANGER_REQ_POWER, &ranger_on, FORWARD_TIMEOUT_NS,
                              ignore, NULL);
    }
    tp_instance_set_period(self, v->period_ns);
    return TP_OK;
}

static void velcmd_halt(tp_device *device, tp_halt how)
{
    struct velcmd *v = tp_instance_state(tp_device_instance(device));

    (void)how; /* the robot's own configuration says */
    v->halted = true;
    tp_link_halt(v->base);
}

static void velcmd_stop(tp_instance *self)
{
    struct velcmd *v = tp_instance_state(self);

    if (!v->halted) {
        send(v, true);
    }
    v->halted = true;
}

static const tp_driver_ops velcmd_ops = {
    .init = velcmd_init,
    .start = velcmd_start,
    .poll = velcmd_poll,
    .data = velcmd_data,
    .halt = velcmd_halt,
    .stop = velcmd_stop,
};

TP_API const tp_driver tp_driver_velcmd = {
    .abi = TP_DRIVER_ABI,
    .name = "velcmd",
    .summary = "repeats one velocity",
    .state_size = sizeof(struct velcmd),
    .params = velcmd_params,
    .ops = &velcmd_ops,
};
