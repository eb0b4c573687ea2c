/* vehicles.c - position1d and position2d: what moves along a line or in the plane. */
#include <math.h>

#include "fake.h"
#include "troupe/interfaces/position1d.h"
#include "troupe/interfaces/position2d.h"

static const double wheelbase_m = 0.3;

/* ---- position1d ------------------------------------------------------------------------------ */

struct line {
    double pos;
    double vel;
    double goal;
    double speed;
    bool going; /* to the goal */
};

static void line_halt(fake_device *d)
{
    struct line *line = d->state;

    line->vel = 0;
    line->going = false;
}

static void line_advance(fake_device *d, double dt_s)
{
    struct line *line = d->state;

    if (!line->going) {
        line->pos += line->vel * dt_s;
        return;
    }
    line->pos = tpi_fake_approach(line->pos, line->goal, line->speed * dt_s);
    line->vel = line->pos == line->goal ? 0 : copysign(line->speed, line->goal - line->pos);
    line->going = line->pos != line->goal;
}

static void line_publish(fake_device *d)
{
    const struct line *line = d->state;
    unsigned status = !d->off ? 1u << TP_POSITION1D_STATUS_ENABLED : 0;

    status |= !line->going && line->vel == 0 ? 1u << TP_POSITION1D_STATUS_TRAJ_COMPLETE : 0;
    status |= line->pos == 0 ? 1u << TP_POSITION1D_STATUS_LIMIT_CEN : 0;
    const tp_position1d_data data = {
        .pos = (float)line->pos, .vel = (float)line->vel, .status = (uint8_t)status};
    tp_publish(d->device, TP_POSITION1D_DATA_STATE, &data, 0);
}

static tp_status line_vel(tp_device *device, const tp_position1d_cmd_vel *ask, tp_error *err)
{
    struct line *line = fake_state(device);
    const double vel = (double)ask->vel;

    (void)err;
    line_halt(fake_of(device));
    line->vel = !fake_of(device)->off ? vel : 0;
    return TP_OK;
}

static tp_status line_pos(tp_device *device, const tp_position1d_cmd_pos *ask, tp_error *err)
{
    struct line *line = fake_state(device);
    const double values[] = {(double)ask->pos, (double)ask->vel};

    (void)err;
    line_halt(fake_of(device));
    line->goal = values[0];
    line->speed = tpi_fake_speed_or(values[1], FAKE_USUAL_MPS);
    line->going = !fake_of(device)->off;
    return TP_OK;
}

static tp_status line_set_odom(tp_device *device, const tp_position1d_set_odom_req *ask,
                               tp_error *err)
{
    struct line *line = fake_state(device);
    const double pos = (double)ask->pos;

    (void)err;
    line->goal += pos - line->pos;
    line->pos = pos;
    return TP_OK;
}

static tp_status line_reset_odom(tp_device *device, const tp_position1d_reset_odom_config *ask,
                                 tp_error *err)
{
    (void)ask;
    return line_set_odom(device, &(tp_position1d_set_odom_req){0}, err);
}

static const tp_position1d_ops line_ops = {
    .req_set_odom = line_set_odom,
    .req_reset_odom = line_reset_odom,
    .cmd_vel = line_vel,
    .cmd_pos = line_pos,
};

/* ---- position2d ------------------------------------------------------------------------------ */

struct plane {
    fake_drive drive;
};

static const tp_property_plan plane_counters[] = {
    {"driven", TP_PROPERTY_DOUBLE, false, "m", "Counter: how far it has driven.", "0", NULL},
    {"turned", TP_PROPERTY_DOUBLE, false, "rad",
     "Counter: how far it has turned, in both directions.", "0", NULL},
    {0},
};

static void plane_tell(fake_device *d)
{
    const struct plane *plane = d->state;

    tpi_fake_set_robot(d, &plane->drive.pose, &plane->drive.vel);
}

static tp_status plane_begin(fake_device *d, tp_error *err)
{
    (void)err;
    plane_tell(d);
    return TP_OK;
}

static void plane_advance(fake_device *d, double dt_s)
{
    struct plane *plane = d->state;

    tpi_fake_drive_advance(&plane->drive, dt_s);
    tp_device_count(d->device, "driven", plane->drive.driven_m);
    tp_device_count(d->device, "turned", plane->drive.turned_rad);
    plane->drive.driven_m = 0;
    plane->drive.turned_rad = 0;
    plane_tell(d);
}

static void plane_halt(fake_device *d)
{
    struct plane *plane = d->state;

    tpi_fake_drive_stop(&plane->drive);
    plane_tell(d);
}

static void plane_publish(fake_device *d)
{
    const struct plane *plane = d->state;
    const tp_position2d_data data = {.pos = plane->drive.pose, .vel = plane->drive.vel};

    tp_publish(d->device, TP_POSITION2D_DATA_STATE, &data, 0);
}

/* Begin a movement, unless the motors are off. */
static void plane_go(tp_device *device, fake_drive_mode mode, const tp_pose2d *vel)
{
    struct plane *plane = fake_state(device);

    tpi_fake_drive_stop(&plane->drive);
    if (!fake_of(device)->off) {
        plane->drive.mode = mode;
        plane->drive.vel = *vel;
    }
    plane_tell(fake_of(device));
}

static tp_status plane_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{

    (void)err;
    plane_go(device, FAKE_VELOCITY, &ask->vel);
    return TP_OK;
}

static tp_status plane_pos(tp_device *device, const tp_position2d_cmd_pos *ask, tp_error *err)
{
    struct plane *plane = fake_state(device);

    (void)err;
    plane->drive.goal = ask->pos;
    plane->drive.forward_mps = tpi_fake_speed_or(hypot(ask->vel.px, ask->vel.py), FAKE_USUAL_MPS);
    plane->drive.turn_radps = tpi_fake_speed_or(ask->vel.pa, FAKE_USUAL_RADPS);
    plane_go(device, FAKE_POSE, &(tp_pose2d){0});
    return TP_OK;
}

/* The axle that does not steer stays in line with the circle. */
static tp_status plane_car(tp_device *device, const tp_position2d_cmd_car *ask, tp_error *err)
{
    if (!isfinite(ask->velocity) || !(fabs(ask->angle) < 1.5)) {
        return tp_fail(err, TP_E_RANGE, "a car does not steer by %g rad", ask->angle);
    }
    const tp_pose2d vel = {.px = ask->velocity,
                           .pa = ask->velocity * tan(ask->angle) / wheelbase_m};
    plane_go(device, FAKE_VELOCITY, &vel);
    return TP_OK;
}

static tp_status plane_vel_head(tp_device *device, const tp_position2d_cmd_vel_head *ask,
                                tp_error *err)
{
    struct plane *plane = fake_state(device);

    (void)err;
    const tp_pose2d vel = {.px = ask->velocity};
    plane->drive.goal.pa = ask->angle;
    plane->drive.forward_mps = ask->velocity;
    plane->drive.turn_radps = FAKE_USUAL_RADPS;
    plane_go(device, FAKE_HEADING, &vel);
    return TP_OK;
}

static tp_status plane_set_odom(tp_device *device, const tp_position2d_set_odom_req *ask,
                                tp_error *err)
{
    struct plane *plane = fake_state(device);

    (void)err;
    plane->drive.pose = ask->pose;
    plane->drive.pose.pa = tpi_fake_angle(ask->pose.pa);
    plane_tell(fake_of(device));
    return TP_OK;
}

static tp_status plane_reset_odom(tp_device *device, tp_error *err)
{
    return plane_set_odom(device, &(tp_position2d_set_odom_req){0}, err);
}

static const tp_position2d_ops plane_ops = {
    .req_set_odom = plane_set_odom,
    .req_reset_odom = plane_reset_odom,
    .cmd_vel = plane_vel,
    .cmd_pos = plane_pos,
    .cmd_car = plane_car,
    .cmd_vel_head = plane_vel_head,
};

const fake_kind tpi_fake_vehicles[] = {
    {
        .interface = &tp_interface_position1d,
        .ops = &line_ops,
        .state_size = sizeof(struct line),
        .size = {.sw = 0.1, .sl = 0.4, .sh = 0.1},
        .advance = line_advance,
        .publish = line_publish,
        .halt = line_halt,
    },
    {
        .interface = &tp_interface_position2d,
        .ops = &plane_ops,
        .state_size = sizeof(struct plane),
        .size = {.sw = 0.38, .sl = 0.44, .sh = 0.22},
        .counters = plane_counters,
        .begin = plane_begin,
        .advance = plane_advance,
        .publish = plane_publish,
        .halt = plane_halt,
    },
    {0},
};
