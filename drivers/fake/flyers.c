/* flyers.c - position3d: what moves in space. */
#include <math.h>

#include "fake.h"
#include "troupe/interfaces/position3d.h"

struct space {
    tp_pose3d pose;
    tp_pose3d vel; /* in its own frame */
    tp_pose3d goal;
    double mps;
    double radps;
    bool going; /* to the goal */
};

static tp_pose2d flat(const tp_pose3d *pose)
{
    return (tp_pose2d){.px = pose->px, .py = pose->py, .pa = pose->pyaw};
}

static void space_halt(fake_device *d)
{
    struct space *space = d->state;

    space->vel = (tp_pose3d){0};
    space->going = false;
}

/* Above the plane it moves along an arc, as a vehicle in the plane does; the rest goes straight. */
static void space_fly(struct space *space, double dt_s)
{
    const tp_pose2d from = flat(&space->pose);
    const tp_pose2d vel = flat(&space->vel);
    const tp_pose2d to = tpi_fake_arc(&from, &vel, dt_s);

    space->pose.px = to.px;
    space->pose.py = to.py;
    space->pose.pz += space->vel.pz * dt_s;
    space->pose.proll = tpi_fake_angle(space->pose.proll + space->vel.proll * dt_s);
    space->pose.ppitch = tpi_fake_angle(space->pose.ppitch + space->vel.ppitch * dt_s);
    space->pose.pyaw = to.pa;
}

/* Straight to the place. True when it is there. */
static bool space_shift(struct space *space, double dt_s)
{
    const double x = space->goal.px - space->pose.px;
    const double y = space->goal.py - space->pose.py;
    const double z = space->goal.pz - space->pose.pz;
    const double left = sqrt(x * x + y * y + z * z);
    const double part = left <= space->mps * dt_s ? 1 : space->mps * dt_s / left;

    space->pose.px = part == 1 ? space->goal.px : space->pose.px + x * part;
    space->pose.py = part == 1 ? space->goal.py : space->pose.py + y * part;
    space->pose.pz = part == 1 ? space->goal.pz : space->pose.pz + z * part;
    if (part < 1) { /* in the world; told in its own frame */
        const double c = cos(space->pose.pyaw);
        const double s = sin(space->pose.pyaw);
        space->vel.px = (c * x + s * y) / left * space->mps;
        space->vel.py = (c * y - s * x) / left * space->mps;
        space->vel.pz = z / left * space->mps;
    }
    return part == 1;
}

static bool space_turn(double *angle, double *speed, double goal, double step, double radps)
{
    const double left = tpi_fake_angle(goal - *angle);

    *angle = fabs(left) <= step ? goal : tpi_fake_angle(*angle + copysign(step, left));
    *speed = *angle == goal ? 0 : copysign(radps, left);
    return *angle == goal;
}

static void space_advance(fake_device *d, double dt_s)
{
    struct space *space = d->state;

    if (!space->going) {
        space_fly(space, dt_s);
        return;
    }
    space->vel = (tp_pose3d){0};
    const double step = space->radps * dt_s;
    bool there = space_shift(space, dt_s);
    there &=
        space_turn(&space->pose.proll, &space->vel.proll, space->goal.proll, step, space->radps);
    there &=
        space_turn(&space->pose.ppitch, &space->vel.ppitch, space->goal.ppitch, step, space->radps);
    there &= space_turn(&space->pose.pyaw, &space->vel.pyaw, space->goal.pyaw, step, space->radps);
    space->going = !there;
}

static void space_publish(fake_device *d)
{
    const struct space *space = d->state;
    const tp_position3d_data data = {.pos = space->pose, .vel = space->vel};

    tp_publish(d->device, TP_POSITION3D_DATA_STATE, &data, 0);
}

static tp_status space_vel(tp_device *device, const tp_position3d_cmd_vel *ask, tp_error *err)
{
    struct space *space = fake_state(device);

    (void)err;
    space_halt(fake_of(device));
    space->vel = !fake_of(device)->off ? ask->vel : (tp_pose3d){0};
    return TP_OK;
}

static tp_status space_pos(tp_device *device, const tp_position3d_cmd_pos *ask, tp_error *err)
{
    struct space *space = fake_state(device);
    const tp_pose3d *vel = &ask->vel;

    (void)err;
    space_halt(fake_of(device));
    space->goal = ask->pos;
    space->goal.proll = tpi_fake_angle(ask->pos.proll);
    space->goal.ppitch = tpi_fake_angle(ask->pos.ppitch);
    space->goal.pyaw = tpi_fake_angle(ask->pos.pyaw);
    space->mps = tpi_fake_speed_or(sqrt(vel->px * vel->px + vel->py * vel->py + vel->pz * vel->pz),
                                   FAKE_USUAL_MPS);
    space->radps = tpi_fake_speed_or(vel->pyaw, FAKE_USUAL_RADPS);
    space->going = !fake_of(device)->off;
    return TP_OK;
}

static tp_status space_set_odom(tp_device *device, const tp_position3d_set_odom_req *ask,
                                tp_error *err)
{
    struct space *space = fake_state(device);

    (void)err;
    space->pose = ask->pos;
    space->pose.proll = tpi_fake_angle(ask->pos.proll);
    space->pose.ppitch = tpi_fake_angle(ask->pos.ppitch);
    space->pose.pyaw = tpi_fake_angle(ask->pos.pyaw);
    return TP_OK;
}

static tp_status space_reset_odom(tp_device *device, tp_error *err)
{
    return space_set_odom(device, &(tp_position3d_set_odom_req){0}, err);
}

static const tp_position3d_ops space_ops = {
    .cmd_set_vel = space_vel,
    .cmd_set_pos = space_pos,
    .req_reset_odom = space_reset_odom,
    .req_set_odom = space_set_odom,
};

const fake_kind tpi_fake_flyers[] = {
    {
        .interface = &tp_interface_position3d,
        .ops = &space_ops,
        .state_size = sizeof(struct space),
        .size = {.sw = 0.6, .sl = 0.6, .sh = 0.3},
        .advance = space_advance,
        .publish = space_publish,
        .halt = space_halt,
    },
    {0},
};
