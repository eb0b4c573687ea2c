/*
 * differential - two wheels that are position1d devices, as one position2d.
 *
 * A velocity becomes the speeds of the wheels; their positions become the odometry.
 */
#include <math.h>

#include "numbers.h"
#include "troupe/driver/position2d.h"
#include "troupe/interfaces/position1d.h"
#include "wheels.h"

enum { LEFT, RIGHT, WHEELS };

struct differential {
    tp_device *device;
    tp_link *wheels[WHEELS]; /* borrowed */
    double axis;
    bool known[WHEELS];
    double last[WHEELS], speed[WHEELS]; /* m, m/s */
    tp_position2d_data state;
};

static const double pi = 3.14159265358979323846;

static const tp_param differential_params[] = {
    {"axis_length", "m", "0.1", "distance between the wheels"},
    {"period", "s", "0.05", "ignored: data follows that of the wheels"},
    {NULL, NULL, NULL, NULL},
};

static struct differential *differential_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Odometry -------------------------------------------------------------------------------- */

static void move(struct differential *d, double left, double right)
{
    tp_pose2d *pos = &d->state.pos;
    const double turn = (right - left) / d->axis;
    const double ahead = (left + right) / 2;

    pos->px += ahead * cos(pos->pa + turn / 2);
    pos->py += ahead * sin(pos->pa + turn / 2);
    pos->pa = remainder(pos->pa + turn, 2 * pi);
}

static void publish(struct differential *d)
{
    d->state.vel = (tp_pose2d){.px = (d->speed[LEFT] + d->speed[RIGHT]) / 2,
                               .pa = (d->speed[RIGHT] - d->speed[LEFT]) / d->axis};
    tp_position2d_publish_state(d->device, &d->state, 0);
}

/* Data follows that of the right wheel. */
static void differential_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct differential *d = tp_instance_state(self);
    const tp_position1d_data *data = tp_msg_payload(msg);
    const int wheel = from == d->wheels[LEFT] ? LEFT : RIGHT;

    if (tp_msg_header(msg)->subtype != TP_POSITION1D_DATA_STATE || data == NULL ||
        !isfinite(data->pos) || !isfinite(data->vel)) {
        return;
    }
    const double way = d->known[wheel] ? (double)data->pos - d->last[wheel] : 0;
    d->known[wheel] = true;
    d->last[wheel] = (double)data->pos;
    d->speed[wheel] = (double)data->vel;
    move(d, wheel == LEFT ? way : 0, wheel == RIGHT ? way : 0);
    if (wheel == RIGHT && d->known[LEFT]) {
        publish(d);
    }
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    const struct differential *d = differential_of(device);
    const double half = ask->vel.pa * d->axis / 2;
    const double speeds[WHEELS] = {ask->vel.px - half, ask->vel.px + half};
    tp_status status = TP_OK;

    if (!isfinite(speeds[LEFT]) || !isfinite(speeds[RIGHT])) {
        return tp_fail(err, TP_E_RANGE, "a velocity is made of numbers");
    }
    for (unsigned i = 0; i < WHEELS && status == TP_OK; i++) {
        const tp_position1d_cmd_vel vel = {.vel = (float)speeds[i], .state = ask->state};
        status = tp_link_command(d->wheels[i], TP_POSITION1D_CMD_VEL, &vel);
    }
    return status == TP_OK ? TP_OK : tp_fail(err, status, "a wheel does not take its speed");
}

static tp_status get_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)err;
    answer->size =
        (tp_bbox3d){.sl = differential_of(device)->axis, .sw = differential_of(device)->axis};
    return TP_OK;
}

static tp_status set_odom(tp_device *device, const tp_position2d_set_odom_req *ask, tp_error *err)
{
    return tpi_wheels_place(&differential_of(device)->state.pos, &ask->pose, err);
}

static tp_status reset_odom(tp_device *device, tp_error *err)
{
    const tp_position2d_set_odom_req zero = {0};

    return set_odom(device, &zero, err);
}

static const tp_position2d_ops differential_position2d = {.cmd_vel = cmd_vel,
                                                          .req_get_geom = get_geom,
                                                          .req_set_odom = set_odom,
                                                          .req_reset_odom = reset_odom};

static void differential_halt(tp_device *device, tp_halt how)
{
    const struct differential *d = differential_of(device);

    (void)how;
    tp_link_halt(d->wheels[LEFT]);
    tp_link_halt(d->wheels[RIGHT]);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status differential_init(tp_instance *self, tp_error *err)
{
    struct differential *d = tp_instance_state(self);
    const struct classic_number numbers[] = {{"axis_length", 0.001, 10, &d->axis}};
    tp_status status = tpi_classic_numbers(self, numbers, 1, err);

    status = status == TP_OK
                 ? tp_require(self, &tp_interface_position1d, "left", &d->wheels[LEFT], err)
                 : status;
    status = status == TP_OK
                 ? tp_require(self, &tp_interface_position1d, "right", &d->wheels[RIGHT], err)
                 : status;
    return status == TP_OK
               ? tp_offer_position2d(self, NULL, &differential_position2d, &d->device, err)
               : status;
}

static tp_status differential_start(tp_instance *self, tp_error *err)
{
    struct differential *d = tp_instance_state(self);

    (void)err;
    d->known[LEFT] = d->known[RIGHT] = false;
    d->state = (tp_position2d_data){0};
    return TP_OK;
}

static const tp_driver_ops differential_ops = {
    .init = differential_init,
    .start = differential_start,
    .data = differential_data,
    .halt = differential_halt,
};

extern const tp_driver tp_driver_differential;
TP_API const tp_driver tp_driver_differential = {
    .abi = TP_DRIVER_ABI,
    .name = "differential",
    .summary = "two wheels as one vehicle",
    .state_size = sizeof(struct differential),
    .params = differential_params,
    .ops = &differential_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
