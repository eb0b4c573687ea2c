/* vehicle.c - position2d: velocities, motors, odometry; and the compass, which only turns. */
#include <math.h>
#include <stdlib.h>

#include "p2os.h"
#include "troupe/driver/position2d.h"

static const double pi = 3.14159265358979323846;

static double limited(double value, double most)
{
    return fmax(-most, fmin(most, value));
}

static uint8_t wheel(double mps)
{
    const double unit = 0.02; /* a step of VEL2 */

    return (uint8_t)(int8_t)lrint(limited(mps / unit, 127));
}

/* Both wheels in one number: the left one in the higher byte. */
static tp_status drive_wheels(tp_instance *self, double ahead, double turn, tp_error *err)
{
    const struct p2os *p = tp_instance_state(self);
    const double half = turn / p->model->turn_radpm / 2;
    const unsigned both = (unsigned)wheel(ahead - half) << 8 | wheel(ahead + half);
    const uint8_t payload[] = {P2OS_VEL2, 0x3b, (uint8_t)both, (uint8_t)(both >> 8)};
    uint8_t packet[P2OS_MOST_PACKET];

    ((struct p2os *)tp_instance_state(self))->sent_ns = tp_clock_now_ns(tp_instance_clock(self));
    return tp_port_write(p->port, packet, tpi_p2os_wrap(packet, payload, sizeof payload), err);
}

static tp_status drive(tp_instance *self, double ahead, double turn, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    const double v = limited(ahead, p->plan.max_speed);
    const double w = limited(turn, p->plan.max_turn);
    tp_status status;

    if (p->plan.by_wheels) {
        status = drive_wheels(self, v, w, err);
    } else {
        status = tpi_p2os_say(self, P2OS_VEL, (int)lrint(v * 1000), err);
        status =
            status == TP_OK ? tpi_p2os_say(self, P2OS_RVEL, (int)lrint(w * 180 / pi), err) : status;
    }
    p->in_motion = status == TP_OK && (v != 0 || w != 0);
    return status;
}

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    const struct p2os *p = p2os_of(device);

    if (!isfinite(ask->vel.px) || !isfinite(ask->vel.pa)) {
        return tp_fail(err, TP_E_RANGE,
                       "a velocity of %g m/s and %g rad/s is no number to drive by", ask->vel.px,
                       ask->vel.pa);
    }
    if (p->motors_off) { /* it hears and does not move */
        return TP_OK;
    }
    return drive(tp_device_instance(device), ask->vel.px, ask->vel.pa, err);
}

static tp_status get_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    const struct p2os *p = p2os_of(device);

    (void)err;
    answer->size = (tp_bbox3d){.sl = p->model->length, .sw = p->model->width, .sh = 0.25};
    return TP_OK;
}

static tp_status motor_power(tp_device *device, const tp_position2d_power_config *ask,
                             tp_error *err)
{
    struct p2os *p = p2os_of(device);
    const bool off = ask->state == 0;
    const tp_status status = tpi_p2os_say(tp_device_instance(device), P2OS_ENABLE, !off, err);

    if (status == TP_OK) {
        p->motors_off = off;
        p->in_motion = p->in_motion && !off;
    }
    return status;
}

/* Separate velocities are the robot's own way; the other mode sends those of the wheels. */
static tp_status velocity_mode(tp_device *device, const tp_position2d_velocity_mode_config *ask,
                               tp_error *err)
{
    if (ask->value > 1) {
        return tp_fail(err, TP_E_RANGE, "there is no velocity mode %u, but 0 and 1", ask->value);
    }
    p2os_of(device)->plan.by_wheels = ask->value == 0;
    return TP_OK;
}

static tp_status set_odom(tp_device *device, const tp_position2d_set_odom_req *ask, tp_error *err)
{
    struct p2os_odometry *o = &p2os_of(device)->odometry;

    if (!isfinite(ask->pose.px) || !isfinite(ask->pose.py) || !isfinite(ask->pose.pa)) {
        return tp_fail(err, TP_E_RANGE, "a pose is made of numbers");
    }
    o->base = ask->pose;
    o->origin = o->sum;
    return TP_OK;
}

static tp_status reset_odom(tp_device *device, tp_error *err)
{
    const tp_position2d_set_odom_req zero = {0};

    return set_odom(device, &zero, err);
}

static const tp_position2d_ops vehicle_ops = {
    .cmd_vel = cmd_vel,
    .req_get_geom = get_geom,
    .req_motor_power = motor_power,
    .req_velocity_mode = velocity_mode,
    .req_set_odom = set_odom,
    .req_reset_odom = reset_odom,
};

static tp_status no_velocity(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)device;
    (void)ask;
    return tp_fail(err, TP_E_UNSUPPORTED, "a compass does not drive");
}

static const tp_position2d_ops compass_ops = {.cmd_vel = no_velocity, .req_get_geom = get_geom};

tp_status tpi_p2os_offer_vehicle(tp_instance *self, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    tp_status status = TP_OK;

    if (tp_provides(self, &tp_interface_position2d, "compass")) {
        status = tp_offer_position2d(self, "compass", &compass_ops, &p->compass, err);
    }
    if (status == TP_OK && (tp_provides(self, &tp_interface_position2d, "odometry") ||
                            tp_provides(self, &tp_interface_position2d, ""))) {
        const char *key = tp_provides(self, &tp_interface_position2d, "odometry") ? "odometry" : "";
        status = tp_offer_position2d(self, key, &vehicle_ops, &p->vehicle, err);
    }
    return status;
}
