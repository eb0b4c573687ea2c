/* under.c - the interfaces that can be under a mobile: position1d, position2d and position3d. */
#include "mobile.h"
#include "troupe/interfaces/position1d.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/position3d.h"

static tp_pose2d flat(const double at[AXES])
{
    return (tp_pose2d){at[TP_MOBILE_X], at[TP_MOBILE_Y], at[TP_MOBILE_YAW]};
}

static tp_pose3d whole(const double at[AXES])
{
    return (tp_pose3d){at[TP_MOBILE_X],    at[TP_MOBILE_Y],     at[TP_MOBILE_Z],
                       at[TP_MOBILE_ROLL], at[TP_MOBILE_PITCH], at[TP_MOBILE_YAW]};
}

static void unfold(const tp_pose3d *pose, double at[AXES])
{
    at[TP_MOBILE_X] = pose->px;
    at[TP_MOBILE_Y] = pose->py;
    at[TP_MOBILE_Z] = pose->pz;
    at[TP_MOBILE_ROLL] = pose->proll;
    at[TP_MOBILE_PITCH] = pose->ppitch;
    at[TP_MOBILE_YAW] = pose->pyaw;
}

/* ---- position1d: one axis, whichever it is --------------------------------------------------- */

static unsigned only_axis(const struct mobile *m)
{
    unsigned axis = 0;

    while (!mobile_has(m, axis)) {
        axis++;
    }
    return axis;
}

static tp_status line_velocity(const struct mobile *m, const double vel[AXES])
{
    const tp_position1d_cmd_vel cmd = {.vel = (float)vel[only_axis(m)], .state = 1};

    return tp_link_command(m->base, TP_POSITION1D_CMD_VEL, &cmd);
}

static tp_status line_place(const struct mobile *m, const double pose[AXES],
                            const double speeds[AXES])
{
    const unsigned axis = only_axis(m);
    const tp_position1d_cmd_pos cmd = {
        .pos = (float)pose[axis], .vel = (float)speeds[axis], .state = 1};

    return tp_link_command(m->base, TP_POSITION1D_CMD_POS, &cmd);
}

static void line_state(struct mobile *m, const void *payload)
{
    const tp_position1d_data *data = payload;
    const unsigned axis = only_axis(m);

    m->pose[axis] = (double)data->pos;
    m->vel[axis] = (double)data->vel;
    m->stall = data->stall != 0;
}

/* ---- position2d ------------------------------------------------------------------------------ */

static tp_status plane_velocity(const struct mobile *m, const double vel[AXES])
{
    const tp_position2d_cmd_vel cmd = {.vel = flat(vel), .state = 1};

    return tp_link_command(m->base, TP_POSITION2D_CMD_VEL, &cmd);
}

static tp_status plane_place(const struct mobile *m, const double pose[AXES],
                             const double speeds[AXES])
{
    const tp_position2d_cmd_pos cmd = {.pos = flat(pose), .vel = flat(speeds), .state = 1};

    return tp_link_command(m->base, TP_POSITION2D_CMD_POS, &cmd);
}

static void plane_state(struct mobile *m, const void *payload)
{
    const tp_position2d_data *data = payload;

    unfold(&(tp_pose3d){.px = data->pos.px, .py = data->pos.py, .pyaw = data->pos.pa}, m->pose);
    unfold(&(tp_pose3d){.px = data->vel.px, .py = data->vel.py, .pyaw = data->vel.pa}, m->vel);
    m->stall = data->stall != 0;
}

/* ---- position3d ------------------------------------------------------------------------------ */

static tp_status space_velocity(const struct mobile *m, const double vel[AXES])
{
    const tp_position3d_cmd_vel cmd = {.vel = whole(vel), .state = 1};

    return tp_link_command(m->base, TP_POSITION3D_CMD_SET_VEL, &cmd);
}

static tp_status space_place(const struct mobile *m, const double pose[AXES],
                             const double speeds[AXES])
{
    const tp_position3d_cmd_pos cmd = {.pos = whole(pose), .vel = whole(speeds), .state = 1};

    return tp_link_command(m->base, TP_POSITION3D_CMD_SET_POS, &cmd);
}

static void space_state(struct mobile *m, const void *payload)
{
    const tp_position3d_data *data = payload;

    unfold(&data->pos, m->pose);
    unfold(&data->vel, m->vel);
    m->stall = data->stall != 0;
}

enum {
    PLANE = 1 << TP_MOBILE_X | 1 << TP_MOBILE_Y | 1 << TP_MOBILE_YAW,
    SPACE = PLANE | 1 << TP_MOBILE_Z | 1 << TP_MOBILE_ROLL | 1 << TP_MOBILE_PITCH,
};

static const tp_position1d_reset_odom_config line_reset = {0};

const struct under tpi_mobile_unders[] = {
    {
        .interface = &tp_interface_position1d,
        .axes = "x",
        .axis_mask = SPACE,
        .cmd_place = TP_POSITION1D_CMD_POS,
        .data_state = TP_POSITION1D_DATA_STATE,
        .req_reset = TP_POSITION1D_REQ_RESET_ODOM,
        .reset = &line_reset,
        .send_velocity = line_velocity,
        .send_place = line_place,
        .read_state = line_state,
    },
    {
        .interface = &tp_interface_position2d,
        .axes = "x yaw",
        .axis_mask = PLANE,
        .cmd_place = TP_POSITION2D_CMD_POS,
        .data_state = TP_POSITION2D_DATA_STATE,
        .req_reset = TP_POSITION2D_REQ_RESET_ODOM,
        .reset = NULL,
        .send_velocity = plane_velocity,
        .send_place = plane_place,
        .read_state = plane_state,
    },
    {
        .interface = &tp_interface_position3d,
        .axes = "x y z roll pitch yaw",
        .axis_mask = SPACE,
        .cmd_place = TP_POSITION3D_CMD_SET_POS,
        .data_state = TP_POSITION3D_DATA_STATE,
        .req_reset = TP_POSITION3D_REQ_RESET_ODOM,
        .reset = NULL,
        .send_velocity = space_velocity,
        .send_place = space_place,
        .read_state = space_state,
    },
    {.interface = NULL},
};

bool tpi_mobile_under_is_line(const struct mobile *m)
{
    return m->under->interface == &tp_interface_position1d;
}
