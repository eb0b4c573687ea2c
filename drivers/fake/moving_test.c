/* moving_test.c - what moves does so as physics says, and stops when it is left. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/play.h"
#include "troupe/interfaces/all.h"

extern const tp_driver tp_driver_fake;

static const double pi = 3.141592653589793;
static const char *const exact = "rate=1000 noise=0";

/* ---- Vehicles -------------------------------------------------------------------------------- */

static void a_velocity_is_integrated_along_a_circle(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position2d:0", exact);
    const tp_position2d_cmd_vel quarter = {.vel = {.px = 1, .pa = pi / 2}, .state = 1};
    const tp_position2d_cmd_vel sideways = {.vel = {.py = 0.5}, .state = 0}; /* has no effect */
    const tp_position2d_data *data;

    (void)state;
    play_command(p, TP_POSITION2D_CMD_VEL, &quarter);
    data = play_after(p, 1, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 2 / pi, 2 / pi, pi / 2);
    play_assert_near(data->vel.px, 1);
    play_assert_near(data->vel.pa, pi / 2);
    data = play_after(p, 3, TP_POSITION2D_DATA_STATE); /* the rest of the circle */
    play_assert_pose(&data->pos, 0, 0, 0);
    play_command(p, TP_POSITION2D_CMD_VEL, &sideways);
    data = play_after(p, 2, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0, 1, 0);
    play_destroy(p);
}

static void a_velocity_counts_only_as_long_as_it_is_in_force(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position2d:0", exact);
    const tp_position2d_cmd_vel go = {.vel = {.px = 1}, .state = 1};
    const tp_position2d_cmd_vel stay = {.state = 1};
    const tp_position2d_data *data;

    (void)state;
    play_command(p, TP_POSITION2D_CMD_VEL, &go);
    bench_move_clock(&p->b, 0.25);
    play_command(p, TP_POSITION2D_CMD_VEL, &stay);
    data = play_after(p, 10, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0.25, 0, 0);
    play_destroy(p);
}

/* Turn (1 rad/s), drive (0.5 m/s), turn. */
static void it_goes_to_a_pose_and_stops_there(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position2d:0", exact);
    const tp_position2d_cmd_pos goal = {.pos = {0, 2, 0}, .state = 1};
    const tp_position2d_data *data;

    (void)state;
    play_command(p, TP_POSITION2D_CMD_POS, &goal);
    data = play_after(p, 1, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0, 0, 1);
    play_assert_near(data->vel.pa, 1);
    data = play_after(p, pi / 2 - 1 + 2, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0, 1, pi / 2);
    play_assert_near(data->vel.px, 0.5);
    data = play_after(p, 10, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0, 2, 0);
    play_assert_near(data->vel.px, 0);
    play_assert_near(data->vel.pa, 0);
    play_destroy(p);
}

static void it_goes_no_faster_than_asked(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position2d:0", exact);
    const tp_position2d_cmd_pos goal = {.pos = {2, 0, 0}, .vel = {.px = 0.1}, .state = 1};

    (void)state;
    play_command(p, TP_POSITION2D_CMD_POS, &goal);
    const tp_position2d_data *data = play_after(p, 5, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0.5, 0, 0);
    play_destroy(p);
}

static void it_steers_like_a_car_and_holds_a_heading(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position2d:0", exact);
    const tp_position2d_cmd_car car = {.velocity = 0.3, .angle = atan(pi / 2)};
    const tp_position2d_cmd_vel_head north = {.velocity = 1, .angle = pi / 2};
    const tp_position2d_data *data;

    (void)state;
    play_command(p, TP_POSITION2D_CMD_CAR, &car); /* turns by 90 degrees in a second */
    data = play_after(p, 4, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0, 0, 0);
    play_command(p, TP_POSITION2D_CMD_VEL_HEAD,
                 &north); /* on a circle of 1 m until it looks north */
    data = play_after(p, pi / 2 + 3, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 1, 4, pi / 2);
    play_destroy(p);
}

static void odometry_can_be_set(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position2d:0", exact);
    const tp_position2d_set_odom_req there = {.pose = {1, 2, 3}};
    const tp_position2d_data *data;

    (void)state;
    play_request(p, TP_POSITION2D_REQ_SET_ODOM, &there);
    data = play_after(p, 0, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 1, 2, 3);
    play_request(p, TP_POSITION2D_REQ_RESET_ODOM, NULL);
    data = play_after(p, 0, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0, 0, 0);
    play_destroy(p);
}

/* What was counted until now. */
static double total(play *p, const char *key)
{
    const tp_counter_reading ask = {.key_count = (uint32_t)strlen(key) + 1, .key = play_chars(key)};

    return ((const tp_counter_reading *)play_get(p, TP_COMMON_REQ_READ_AND_CLEAR, &ask))->amount;
}

static void its_way_is_counted(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position2d:0", exact);
    const tp_position2d_cmd_vel arc = {.vel = {.px = -1, .pa = -0.5}, .state = 1};
    const tp_position2d_cmd_vel stay = {.state = 1};
    const tp_position2d_set_odom_req there = {.pose = {0, 0, 0}};
    const tp_position2d_cmd_pos goal = {.pos = {0, 2, 0}, .state = 1};

    (void)state;
    play_command(p, TP_POSITION2D_CMD_VEL, &arc);
    play_after(p, 3, TP_POSITION2D_DATA_STATE);
    play_command(p, TP_POSITION2D_CMD_VEL, &stay);
    play_assert_near(total(p, "driven"), 3);
    play_assert_near(total(p, "turned"), 1.5);
    play_request(p, TP_POSITION2D_REQ_SET_ODOM, &there); /* is no way */
    play_after(p, 1, TP_POSITION2D_DATA_STATE);
    play_assert_near(total(p, "driven"), 3);
    play_command(p, TP_POSITION2D_CMD_POS, &goal); /* it turns, drives and turns back */
    play_after(p, 20, TP_POSITION2D_DATA_STATE);
    play_assert_near(total(p, "driven"), 3 + 2);
    play_assert_near(total(p, "turned"), 1.5 + pi);
    play_destroy(p);
}

static void bumps_are_counted(void **state)
{
    play *p = play_begin(&tp_driver_fake, "bumper:0 position2d:0", exact);
    tp_device *base = bench_find(&p->b, "position2d:0");
    const tp_position2d_set_odom_req wall = {.pose = {1000, 0, 0}};
    const tp_position2d_set_odom_req middle = {.pose = {0, 0, 0}};
    uint32_t touched = 0;

    (void)state;
    play_after(p, 1, TP_BUMPER_DATA_STATE);
    assert_true(total(p, "bumps") == 0);
    assert_int_equal(bench_request(&p->b, base, TP_POSITION2D_REQ_SET_ODOM, &wall, NULL), TP_OK);
    const tp_bumper_data *data = play_after(p, 1, TP_BUMPER_DATA_STATE);
    for (uint32_t i = 0; i < data->bumpers_count; i++) {
        touched += data->bumpers[i] != 0;
    }
    assert_true(touched > 0);
    assert_true(total(p, "bumps") == touched);
    play_after(p, 1, TP_BUMPER_DATA_STATE);
    assert_true(total(p, "bumps") == touched); /* once, however long it touches */
    bench_request(&p->b, base, TP_POSITION2D_REQ_SET_ODOM, &middle, NULL);
    play_after(p, 1, TP_BUMPER_DATA_STATE);
    bench_request(&p->b, base, TP_POSITION2D_REQ_SET_ODOM, &wall, NULL);
    play_after(p, 1, TP_BUMPER_DATA_STATE);
    assert_true(total(p, "bumps") == 2 * touched);
    play_destroy(p);
}

static void motors_without_power_do_not_move(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position2d:0", exact);
    const tp_position2d_cmd_vel go = {.vel = {.px = 1}, .state = 1};
    const tp_position2d_power_config off = {.state = 0};
    const tp_position2d_power_config on = {.state = 1};
    const tp_position2d_data *data;

    (void)state;
    play_command(p, TP_POSITION2D_CMD_VEL, &go);
    play_request(p, TP_POSITION2D_REQ_MOTOR_POWER, &off);
    play_command(p, TP_POSITION2D_CMD_VEL, &go);
    data = play_after(p, 5, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0, 0, 0);
    play_request(p, TP_POSITION2D_REQ_MOTOR_POWER, &on);
    play_command(p, TP_POSITION2D_CMD_VEL, &go);
    data = play_after(p, 1, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 1, 0, 0);
    play_destroy(p);
}

/* The last client goes away while the robot drives. */
static void it_stands_still_when_nobody_has_it_open(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position2d:0", exact);
    const tp_position2d_cmd_vel go = {.vel = {.px = 1}, .state = 1};

    (void)state;
    play_command(p, TP_POSITION2D_CMD_VEL, &go);
    play_close(p);
    play_open(p);
    const tp_position2d_data *data = play_after(p, 100, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0, 0, 0);
    play_assert_near(data->vel.px, 0);
    play_destroy(p);
}

static void numbers_that_are_none_are_refused(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position2d:0", exact);
    const tp_position2d_cmd_vel wild = {.vel = {.px = (double)NAN}, .state = 1};
    const tp_position2d_cmd_car sharp = {.velocity = 1, .angle = 2};

    (void)state;
    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL, &wild,
                                "px of pose2d is not a number from -1e+09 to 1e+09");
    play_assert_command_refused(p, TP_POSITION2D_CMD_CAR, &sharp, "a car does not steer by 2 rad");
    play_destroy(p);
}

/* Player's clients in C++ send a `state` of 0 with each of these commands. */
static void a_line_is_followed_to_its_end(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position1d:0", exact);
    const tp_position1d_cmd_vel go = {.vel = 2};
    const tp_position1d_cmd_pos back = {.pos = 1, .vel = 1};
    const tp_position1d_data *data;

    (void)state;
    play_command(p, TP_POSITION1D_CMD_VEL, &go);
    data = play_after(p, 2, TP_POSITION1D_DATA_STATE);
    play_assert_near((double)data->pos, 4);
    play_command(p, TP_POSITION1D_CMD_POS, &back);
    data = play_after(p, 2, TP_POSITION1D_DATA_STATE);
    play_assert_near((double)data->pos, 2);
    play_assert_near((double)data->vel, -1);
    data = play_after(p, 2, TP_POSITION1D_DATA_STATE);
    play_assert_near((double)data->pos, 1);
    assert_true(data->status & 1u << TP_POSITION1D_STATUS_TRAJ_COMPLETE);
    play_destroy(p);
}

/* Player's clients in C++ send a `state` of 0 with velocities. */
static void a_flight_is_an_arc_that_rises(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position3d:0", exact);
    const tp_position3d_cmd_vel spiral = {.vel = {.px = 1, .pz = 0.5, .pyaw = pi / 2}};
    const tp_position3d_cmd_pos home = {.pos = {0}, .vel = {.pz = 1}};
    const tp_position3d_data *data;

    (void)state;
    play_command(p, TP_POSITION3D_CMD_SET_VEL, &spiral);
    data = play_after(p, 1, TP_POSITION3D_DATA_STATE);
    play_assert_near(data->pos.px, 2 / pi);
    play_assert_near(data->pos.py, 2 / pi);
    play_assert_near(data->pos.pz, 0.5);
    play_assert_near(data->pos.pyaw, pi / 2);
    play_command(p, TP_POSITION3D_CMD_SET_POS, &home);
    data = play_after(p, 10, TP_POSITION3D_DATA_STATE);
    play_assert_near(data->pos.px, 0);
    play_assert_near(data->pos.pz, 0);
    play_assert_near(data->pos.pyaw, 0);
    play_assert_near(data->vel.pz, 0);
    play_destroy(p);
}

/* ---- mobile ---------------------------------------------------------------------------------- */

static void axes_are_taken_modified_or_refused(void **state)
{
    play *p = play_begin(&tp_driver_fake, "mobile:0", exact);
    const tp_mobile_cmd ask = {
        .axes_count = 3,
        .axes = {{.axis = TP_MOBILE_X, .control = TP_MOBILE_VELOCITY, .value = 0.5},
                 {.axis = TP_MOBILE_Y, .control = TP_MOBILE_VELOCITY, .value = -7},
                 {.axis = TP_MOBILE_ROLL, .control = TP_MOBILE_POSITION, .value = 1}},
    };
    const tp_mobile_result *result;

    (void)state;
    result = play_get(p, TP_MOBILE_REQ_MOVE, &ask);
    assert_int_equal(result->axes_count, 3);
    assert_int_equal(result->axes[0].outcome, TP_MOBILE_DONE);
    assert_int_equal(result->axes[1].outcome, TP_MOBILE_MODIFIED);
    play_assert_near(result->axes[1].value, -1);
    assert_int_equal(result->axes[2].outcome, TP_MOBILE_NOT_AVAILABLE);
    const tp_mobile_data *data = play_after(p, 2, TP_MOBILE_DATA_STATE);
    play_assert_near(data->pose.px, 1);
    play_assert_near(data->pose.py, -2);
    play_destroy(p);
}

static void frames_and_controls_can_be_mixed(void **state)
{
    play *p = play_begin(&tp_driver_fake, "mobile:0", exact);
    const tp_mobile_cmd east_while_spinning = {
        .axes_count = 2,
        .axes = {{.axis = TP_MOBILE_X,
                  .control = TP_MOBILE_VELOCITY,
                  .frame = TP_MOBILE_WORLD,
                  .value = 1},
                 {.axis = TP_MOBILE_YAW, .control = TP_MOBILE_VELOCITY, .value = pi / 2}},
    };
    const tp_mobile_data *data;

    (void)state;
    play_command(p, TP_MOBILE_CMD_MOVE, &east_while_spinning);
    data = play_after(p, 3, TP_MOBILE_DATA_STATE);
    play_assert_near(data->pose.px, 3);
    play_assert_near(data->pose.py, 0);
    play_assert_near(data->pose.pyaw, -pi / 2);
    play_assert_near(data->vel.py, 1); /* it looks south now */
    play_destroy(p);
}

static void a_position_is_reached_within_its_limit(void **state)
{
    play *p = play_begin(&tp_driver_fake, "mobile:0", exact);
    const tp_mobile_cmd forward = {
        .axes_count = 2,
        .axes = {{.axis = TP_MOBILE_X,
                  .control = TP_MOBILE_POSITION,
                  .limit_kind = TP_MOBILE_LIMIT_PERCENT,
                  .value = 1,
                  .limit = 25},
                 {.axis = TP_MOBILE_Z,
                  .control = TP_MOBILE_VELOCITY,
                  .limit_kind = TP_MOBILE_LIMIT_ABSOLUTE,
                  .value = 1,
                  .limit = 0.5}},
    };
    const tp_mobile_data *data;

    (void)state;
    play_command(p, TP_MOBILE_CMD_MOVE, &forward);
    data = play_after(p, 2, TP_MOBILE_DATA_STATE);
    play_assert_near(data->pose.px, 0.5);
    play_assert_near(data->vel.pz, 1);
    assert_true(fabs(data->pose.pz - 1) < 0.02); /* half of a t squared, in small steps */
    assert_true(data->moving);
    data = play_after(p, 3, TP_MOBILE_DATA_STATE);
    play_assert_near(data->pose.px, 1);
    assert_false(data->moving);
    play_command(p, TP_MOBILE_CMD_STOP, NULL);
    data = play_after(p, 1, TP_MOBILE_DATA_STATE);
    play_assert_near(data->vel.pz, 0);
    play_destroy(p);
}

static void a_command_tells_its_result_as_data(void **state)
{
    play *p = play_begin(&tp_driver_fake, "mobile:0", exact);
    const tp_mobile_cmd ask = {
        .axes_count = 1,
        .axes = {{.axis = TP_MOBILE_YAW, .control = TP_MOBILE_ACCELERATION, .value = 9}}};

    (void)state;
    play_command(p, TP_MOBILE_CMD_MOVE, &ask);
    const tp_mobile_result *result = play_last(p, TP_MOBILE_DATA_RESULT);
    assert_int_equal(result->axes[0].outcome, TP_MOBILE_MODIFIED);
    play_assert_near(result->axes[0].value, 2);
    play_destroy(p);
}

/* Until then every command says itself what it controls. */
static void only_the_chosen_control_moves_it(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position2d:0", exact);
    const tp_position2d_position_mode_req poses = {.state = 1}, speeds = {0};
    const tp_position2d_velocity_mode_config direct = {0}, other = {.value = 1};
    const tp_position2d_cmd_vel go = {.vel = {.px = 1}};
    const tp_position2d_cmd_pos there = {.pos = {.px = 2}};

    (void)state;
    play_command(p, TP_POSITION2D_CMD_VEL, &go);
    play_request(p, TP_POSITION2D_REQ_POSITION_MODE, &poses);
    const tp_position2d_data *data = play_after(p, 1, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0, 0, 0); /* the other controller has let go */
    play_assert_command_refused(
        p, TP_POSITION2D_CMD_VEL, &go,
        "the device is under position control, as POSITION_MODE has chosen");
    play_command(p, TP_POSITION2D_CMD_POS, &there);
    data = play_after(p, 5, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 2, 0, 0);
    play_request(p, TP_POSITION2D_REQ_POSITION_MODE, &speeds);
    play_assert_command_refused(
        p, TP_POSITION2D_CMD_POS, &there,
        "the device is under velocity control, as POSITION_MODE has chosen");
    play_command(p, TP_POSITION2D_CMD_VEL, &go);
    play_request(p, TP_POSITION2D_REQ_VELOCITY_MODE, &direct);
    play_assert_request_refused(p, TP_POSITION2D_REQ_VELOCITY_MODE, &other,
                                "the only velocity mode is 0, which is direct control");
    play_destroy(p);
}

static void a_velocity_of_zero_stops_it_under_position_control(void **state)
{
    play *p = play_begin(&tp_driver_fake, "position2d:0", exact);
    const tp_position2d_position_mode_req poses = {.state = 1};
    const tp_position2d_cmd_pos there = {.pos = {.px = 2}};
    const tp_position2d_cmd_vel still = {.vel = {.py = -0.0}}, go = {.vel = {.pa = 1}};
    const tp_position2d_cmd_vel_head turn = {.angle = 1};
    const tp_position2d_data *data;

    (void)state;
    play_request(p, TP_POSITION2D_REQ_POSITION_MODE, &poses);
    play_command(p, TP_POSITION2D_CMD_POS, &there);
    data = play_after(p, 1, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0.5, 0, 0);
    play_command(p, TP_POSITION2D_CMD_VEL, &still);
    data = play_after(p, 1, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0.5, 0, 0);
    play_assert_command_refused(
        p, TP_POSITION2D_CMD_VEL, &go,
        "the device is under position control, as POSITION_MODE has chosen");
    play_assert_command_refused(
        p, TP_POSITION2D_CMD_VEL_HEAD, &turn,
        "the device is under position control, as POSITION_MODE has chosen");
    play_command(p, TP_POSITION2D_CMD_POS, &there);
    data = play_after(p, 5, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 2, 0, 0);
    play_destroy(p);
}

/* ---- Other things that move ------------------------------------------------------------------ */

static void a_camera_turns_to_where_it_is_told(void **state)
{
    play *p = play_begin(&tp_driver_fake, "ptz:0", exact);
    const tp_ptz_cmd look = {.pan = 1, .tilt = -2, .zoom = 0.5f, .panspeed = 0.5f};
    const tp_ptz_req_control_mode by_speed = {.mode = TP_PTZ_VELOCITY_CONTROL};
    const tp_ptz_cmd turn = {.panspeed = -0.5f};
    const tp_ptz_data *data;

    (void)state;
    play_command(p, TP_PTZ_CMD_STATE, &look);
    data = play_after(p, 1, TP_PTZ_DATA_STATE);
    play_assert_near((double)data->pan, 0.5);
    play_assert_near((double)data->panspeed, 0.5);
    assert_int_equal(data->status, 1);
    data = play_after(p, 1, TP_PTZ_DATA_STATE);
    play_assert_near((double)data->pan, 1);
    play_assert_near((double)data->tilt, (double)-0.52f); /* as far as it goes */
    play_assert_near((double)data->zoom, 0.5);
    assert_int_equal(data->status, 0);
    play_request(p, TP_PTZ_REQ_CONTROL_MODE, &by_speed);
    play_command(p, TP_PTZ_CMD_STATE, &turn);
    data = play_after(p, 2, TP_PTZ_DATA_STATE);
    play_assert_near((double)data->pan, 0);
    play_destroy(p);
}

static void a_gripper_stores_what_it_holds(void **state)
{
    play *p = play_begin(&tp_driver_fake, "gripper:0", exact);
    const tp_gripper_data *data;

    (void)state;
    play_command(p, TP_GRIPPER_CMD_CLOSE, NULL);
    data = play_after(p, 0.5, TP_GRIPPER_DATA_STATE);
    assert_int_equal(data->state, TP_GRIPPER_STATE_MOVING);
    data = play_after(p, 1, TP_GRIPPER_DATA_STATE);
    assert_int_equal(data->state, TP_GRIPPER_STATE_CLOSED);
    assert_int_equal(data->beams, 3);
    play_command(p, TP_GRIPPER_CMD_STORE, NULL);
    data = play_after(p, 2, TP_GRIPPER_DATA_STATE);
    assert_int_equal(data->state, TP_GRIPPER_STATE_OPEN);
    assert_int_equal(data->stored, 1);
    play_assert_command_refused(p, TP_GRIPPER_CMD_STORE, NULL,
                                "the gripper holds nothing that it could store");
    play_command(p, TP_GRIPPER_CMD_RETRIEVE, NULL);
    data = play_after(p, 2, TP_GRIPPER_DATA_STATE);
    assert_int_equal(data->stored, 0);
    assert_int_equal(data->beams, 3);
    play_destroy(p);
}

static void joints_go_where_they_are_told(void **state)
{
    play *p = play_begin(&tp_driver_fake, "actarray:0", exact);
    const tp_actarray_speed_config slow = {.joint = 2, .speed = 0.1f};
    const tp_actarray_position_cmd bend = {.joint = 2, .position = 1};
    const tp_actarray_brakes_config braked = {.value = 1};
    const tp_actarray_home_cmd none = {.joint = 6};
    const tp_actarray_data *data;

    (void)state;
    play_request(p, TP_ACTARRAY_REQ_SPEED, &slow);
    const tp_actarray_geom *geom = play_get(p, TP_ACTARRAY_REQ_GET_GEOM, NULL);
    assert_int_equal(geom->actuators_count, 6);
    play_assert_near((double)geom->actuators[2].config_speed, (double)0.1f);
    play_command(p, TP_ACTARRAY_CMD_POS, &bend);
    data = play_after(p, 5, TP_ACTARRAY_DATA_STATE);
    play_assert_near((double)data->actuators[2].position, 5 * (double)0.1f);
    assert_int_equal(data->actuators[2].state, TP_ACTARRAY_ACTSTATE_MOVING);
    play_request(p, TP_ACTARRAY_REQ_BRAKES, &braked);
    data = play_after(p, 50, TP_ACTARRAY_DATA_STATE);
    play_assert_near((double)data->actuators[2].position, 5 * (double)0.1f);
    assert_int_equal(data->actuators[2].state, TP_ACTARRAY_ACTSTATE_BRAKED);
    play_assert_command_refused(p, TP_ACTARRAY_CMD_HOME, &none, "there is no actuator 6");
    play_destroy(p);
}

static void joints_speed_up_as_they_are_told(void **state)
{
    play *p = play_begin(&tp_driver_fake, "actarray:0", exact);
    const tp_actarray_accel_config gently = {.joint = 1, .accel = 0.25f}, none = {.joint = 1};
    const tp_actarray_speed_cmd turn = {.joint = 1, .speed = -0.5f};
    const tp_actarray_data *data;

    (void)state;
    play_request(p, TP_ACTARRAY_REQ_ACCEL, &gently);
    play_assert_request_refused(p, TP_ACTARRAY_REQ_ACCEL, &none, "acceleration 0 is not above 0");
    play_command(p, TP_ACTARRAY_CMD_SPEED, &turn);
    data = play_after(p, 1, TP_ACTARRAY_DATA_STATE);
    play_assert_near((double)data->actuators[1].position, -0.125);
    play_assert_near((double)data->actuators[1].speed, -0.25);
    play_assert_near((double)data->actuators[1].acceleration, -0.25);
    data = play_after(p, 2, TP_ACTARRAY_DATA_STATE);
    play_assert_near((double)data->actuators[1].position, -1);
    play_assert_near((double)data->actuators[1].speed, -0.5);
    play_assert_near((double)data->actuators[1].acceleration, 0);
    play_destroy(p);
}

static void a_tip_moves_in_a_straight_line(void **state)
{
    play *p = play_begin(&tp_driver_fake, "limb:0", exact);
    const tp_limb_vecmove_cmd up = {.direction = {.pz = 2}, .length = 0.1f};
    const tp_limb_setposition_cmd far = {.position = {.px = 3}};
    const tp_limb_data *data;

    (void)state;
    play_command(p, TP_LIMB_CMD_VECMOVE, &up);
    data = play_after(p, 0.5, TP_LIMB_DATA_STATE);
    play_assert_near(data->position.pz, 0.25);
    assert_int_equal(data->state, TP_LIMB_STATE_MOVING);
    data = play_after(p, 1, TP_LIMB_DATA_STATE);
    assert_true(fabs(data->position.pz - 0.3) < 1e-6);
    assert_int_equal(data->state, TP_LIMB_STATE_IDLE);
    play_command(p, TP_LIMB_CMD_SETPOSITION, &far);
    data = play_after(p, 1, TP_LIMB_DATA_STATE);
    assert_int_equal(data->state, TP_LIMB_STATE_OOR);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_velocity_is_integrated_along_a_circle),
        cmocka_unit_test(a_velocity_counts_only_as_long_as_it_is_in_force),
        cmocka_unit_test(it_goes_to_a_pose_and_stops_there),
        cmocka_unit_test(it_goes_no_faster_than_asked),
        cmocka_unit_test(it_steers_like_a_car_and_holds_a_heading),
        cmocka_unit_test(odometry_can_be_set),
        cmocka_unit_test(its_way_is_counted),
        cmocka_unit_test(bumps_are_counted),
        cmocka_unit_test(motors_without_power_do_not_move),
        cmocka_unit_test(it_stands_still_when_nobody_has_it_open),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(a_line_is_followed_to_its_end),
        cmocka_unit_test(a_flight_is_an_arc_that_rises),
        cmocka_unit_test(axes_are_taken_modified_or_refused),
        cmocka_unit_test(frames_and_controls_can_be_mixed),
        cmocka_unit_test(a_position_is_reached_within_its_limit),
        cmocka_unit_test(a_command_tells_its_result_as_data),
        cmocka_unit_test(only_the_chosen_control_moves_it),
        cmocka_unit_test(a_velocity_of_zero_stops_it_under_position_control),
        cmocka_unit_test(a_camera_turns_to_where_it_is_told),
        cmocka_unit_test(a_gripper_stores_what_it_holds),
        cmocka_unit_test(joints_go_where_they_are_told),
        cmocka_unit_test(joints_speed_up_as_they_are_told),
        cmocka_unit_test(a_tip_moves_in_a_straight_line),
    };

    return cmocka_run_group_tests_name("moving_test", tests, NULL, NULL);
}
