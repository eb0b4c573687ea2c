/* devices_test.c - what each kind of model says and does as a device. */
#include "simulator_test.h"

#include "sim/sketch.h"
#include "simulator.h"
#include "support/memory.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/blinkenlight.h"
#include "troupe/interfaces/blobfinder.h"
#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/fiducial.h"
#include "troupe/interfaces/gps.h"
#include "troupe/interfaces/graphics2d.h"
#include "troupe/interfaces/gripper.h"
#include "troupe/interfaces/imu.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/localize.h"
#include "troupe/interfaces/map.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/power.h"
#include "troupe/interfaces/ptz.h"
#include "troupe/interfaces/ranger.h"
#include "troupe/interfaces/sonar.h"
#include "troupe/interfaces/speech.h"
#include "troupe/interfaces/wifi.h"

#define PI 3.14159265358979323846
#define YARD DATA("yard") " sleep=1 paused=1 model=r0"
#define EVERYTHING DATA("everything") " sleep=1 paused=1 model=r"

static const tp_position2d_cmd_vel forward = {.vel = {.px = 1}, .state = 1};

static const tp_position2d_data *vehicle(const bench_reader *r)
{
    return stage_last(r, TP_POSITION2D_DATA_STATE);
}

/* ---- Vehicles -------------------------------------------------------------------------------- */

static void a_vehicle_drives_and_halts(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 position2d:0 localize:0", YARD);
    bench_reader *r = stage_open(&s, "position2d:0");
    bench_reader *truth = stage_open(&s, "localize:0");
    stage_command(&s, r, TP_POSITION2D_CMD_VEL, &forward);
    stage_step(&s, 20);
    assert_true(vehicle(r)->pos.px > 1.5 && vehicle(r)->vel.px == 1);
    const tp_localize_data *where = stage_last(truth, TP_LOCALIZE_DATA_HYPOTHS);
    assert_int_equal(where->hypoths_count, 1);
    play_assert_near(where->hypoths[0].mean.px, vehicle(r)->pos.px);
    stage_request(&s, r, TP_COMMON_REQ_HALT, NULL);
    const double x = vehicle(r)->pos.px;
    stage_step(&s, 20);
    assert_true(vehicle(r)->vel.px == 0 && vehicle(r)->pos.px < x + 0.6);
    stage_end(&s);
}

static void a_vehicle_without_power_hears_and_stays(void **state)
{
    stage s;
    tp_position2d_power_config power = {0};

    (void)state;
    stage_begin(&s, "world:0 position2d:0", YARD);
    bench_reader *r = stage_open(&s, "position2d:0");
    stage_request(&s, r, TP_POSITION2D_REQ_MOTOR_POWER, &power);
    stage_command(&s, r, TP_POSITION2D_CMD_VEL, &forward);
    stage_step(&s, 5);
    play_assert_pose(&vehicle(r)->pos, 0, 0, 0);
    power.state = 1;
    stage_request(&s, r, TP_POSITION2D_REQ_MOTOR_POWER, &power);
    stage_step(&s, 5);
    play_assert_pose(&vehicle(r)->pos, 0, 0, 0);
    stage_command(&s, r, TP_POSITION2D_CMD_VEL, &forward);
    stage_step(&s, 5);
    assert_true(vehicle(r)->pos.px > 0.2);
    stage_end(&s);
}

static void what_is_no_number_is_refused_by_name(void **state)
{
    stage s;
    const tp_position2d_cmd_vel wrong = {.vel = {.py = NAN}, .state = 1};
    const tp_position2d_cmd_pos far = {.pos = {.pa = -INFINITY}, .state = 1};
    const tp_position2d_cmd_car car = {.angle = NAN};
    const tp_position2d_cmd_vel_head head = {.velocity = INFINITY};
    tp_position2d_power_config power = {0};

    (void)state;
    stage_begin(&s, "world:0 position2d:0", YARD " profile=p2os");
    bench_reader *r = stage_open(&s, "position2d:0");
    for (int i = 0; i < 2; i++) { /* with power and without */
        assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION2D_CMD_VEL, &wrong) < 0);
        assert_string_equal(s.p->b.err.text, "vel.py is nan, which is no number to move by");
        assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION2D_CMD_POS, &far) < 0);
        assert_string_equal(s.p->b.err.text, "pos.pa is -inf, which is no number to move by");
        assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION2D_CMD_CAR, &car) < 0);
        assert_string_equal(s.p->b.err.text, "angle is nan, which is no number to move by");
        assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION2D_CMD_VEL_HEAD, &head) <
                    0);
        assert_string_equal(s.p->b.err.text, "velocity is inf, which is no number to move by");
        stage_request(&s, r, TP_POSITION2D_REQ_MOTOR_POWER, &power);
    }
    stage_end(&s);
}

static void a_vehicle_takes_a_heading_and_a_speed(void **state)
{
    stage s;
    const tp_position2d_cmd_vel_head west = {.velocity = 3, .angle = 1.5};
    const tp_position2d_cmd_car fast = {.velocity = 3, .angle = 9};

    (void)state;
    stage_begin(&s, "world:0 position2d:0", YARD " profile=p2os");
    bench_reader *r = stage_open(&s, "position2d:0");
    stage_command(&s, r, TP_POSITION2D_CMD_VEL_HEAD, &west);
    stage_step(&s, 30);
    play_assert_near(vehicle(r)->pos.pa, 1.5);
    assert_true(vehicle(r)->vel.px <= 1.2); /* the profile's */
    stage_command(&s, r, TP_POSITION2D_CMD_CAR, &fast);
    stage_step(&s, 1);
    assert_true(vehicle(r)->vel.px <= 1.2 && vehicle(r)->vel.pa <= 5.24);
    stage_end(&s);
}

static void a_vehicle_goes_to_a_pose_and_tells_its_body(void **state)
{
    stage s;
    const tp_position2d_cmd_pos there = {.pos = {.px = 1, .py = 0.5}, .state = 1};

    (void)state;
    stage_begin(&s, "world:0 position2d:0", YARD);
    bench_reader *r = stage_open(&s, "position2d:0");
    stage_command(&s, r, TP_POSITION2D_CMD_POS, &there);
    stage_step(&s, 200);
    assert_true(fabs(vehicle(r)->pos.px - 1) < 0.03 && fabs(vehicle(r)->pos.py - 0.5) < 0.03);
    const tp_position2d_geom *geom = stage_get(&s, r, TP_POSITION2D_REQ_GET_GEOM, NULL);
    play_assert_near(geom->size.sl, 0.4);
    play_assert_near(geom->size.sh, 0.2);
    stage_end(&s);
}

/* `vel` of POS is the velocity on the way; 0 leaves it to the vehicle. */
static void a_vehicle_goes_to_a_pose_as_fast_as_was_asked(void **state)
{
    stage s;
    tp_position2d_cmd_pos there = {.pos = {.px = 9}, .vel = {.px = 0.7}, .state = 1};
    const tp_position2d_cmd_pos turned = {.pos = {.pa = 3}, .vel = {.pa = -0.25}, .state = 1};
    const tp_position2d_cmd_pos odd = {.vel = {.pa = NAN}, .state = 1};
    const tp_position2d_cmd_pos hasty = {.pos = {.pa = 3}, .vel = {.pa = 2e6}, .state = 1};

    (void)state;
    stage_begin(&s, "world:0 position2d:0", YARD);
    bench_reader *r = stage_open(&s, "position2d:0");
    stage_command(&s, r, TP_POSITION2D_CMD_POS, &turned);
    stage_step(&s, 1);
    play_assert_near(vehicle(r)->vel.pa, 0.25);
    stage_request(&s, r, TP_POSITION2D_REQ_RESET_ODOM, NULL);
    stage_command(&s, r, TP_POSITION2D_CMD_POS, &there);
    stage_step(&s, 1);
    play_assert_near(vehicle(r)->vel.px, 0.7);
    there.vel.px = 0;
    stage_command(&s, r, TP_POSITION2D_CMD_POS, &there);
    stage_step(&s, 1);
    play_assert_near(vehicle(r)->vel.px, 0.4);
    assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION2D_CMD_POS, &odd) < 0);
    assert_string_equal(s.p->b.err.text,
                        "vel is 0 m/s and nan rad/s, which is no speed to move at");
    stage_command(&s, r, TP_POSITION2D_CMD_POS, &hasty); /* as fast as it can */
    stage_step(&s, 1);
    assert_true(vehicle(r)->vel.pa > 1);
    stage_end(&s);
}

static void a_profile_limits_what_a_vehicle_can_do(void **state)
{
    stage s;
    const tp_position2d_cmd_vel fast = {.vel = {.px = 2.5, .py = 1}, .state = 1};
    const tp_position2d_speed_pid_req gains = {.kp = 1};

    (void)state;
    stage_begin(&s, "world:0 position2d:0", YARD " profile=p2os");
    bench_reader *r = stage_open(&s, "position2d:0");
    stage_command(&s, r, TP_POSITION2D_CMD_VEL, &fast);
    stage_step(&s, 10);
    play_assert_near(vehicle(r)->vel.px, 1.2);
    play_assert_near(vehicle(r)->vel.py, 0);
    stage_request(&s, r, TP_POSITION2D_REQ_SPEED_PID, &gains);
    stage_end(&s);
}

/* Only what POSITION_MODE has chosen moves it; a mode that the vehicle lacks is refused. */
static void a_vehicle_obeys_the_control_that_was_chosen(void **state)
{
    stage s;
    const tp_position2d_position_mode_req position = {.state = 1}, speed = {.state = 0};
    const tp_position2d_cmd_pos there = {.pos = {.px = 1}, .state = 1};
    tp_position2d_velocity_mode_config mode = {.value = 1};

    (void)state;
    stage_begin(&s, "world:0 position2d:0", YARD);
    bench_reader *r = stage_open(&s, "position2d:0");
    stage_command(&s, r, TP_POSITION2D_CMD_VEL, &forward);
    stage_step(&s, 1);
    play_assert_near(vehicle(r)->vel.px, 1);
    stage_request(&s, r, TP_POSITION2D_REQ_POSITION_MODE, &position);
    stage_step(&s, 1);
    play_assert_near(vehicle(r)->vel.px, 0); /* what was commanded before has ended */
    assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION2D_CMD_VEL, &forward) < 0);
    assert_string_equal(s.p->b.err.text,
                        "the vehicle is under position control, as POSITION_MODE has chosen");
    stage_command(&s, r, TP_POSITION2D_CMD_POS, &there);
    stage_step(&s, 5);
    assert_true(vehicle(r)->vel.px > 0);
    stage_request(&s, r, TP_POSITION2D_REQ_POSITION_MODE, &speed);
    stage_step(&s, 1);
    play_assert_near(vehicle(r)->vel.px, 0); /* the other controller has let go */
    assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION2D_CMD_POS, &there) < 0);
    stage_command(&s, r, TP_POSITION2D_CMD_VEL, &forward);
    stage_step(&s, 2);
    play_assert_near(vehicle(r)->vel.px, 1);
    stage_refused(&s, r, TP_POSITION2D_REQ_VELOCITY_MODE, &mode,
                  "there is no velocity mode 1: 0, direct control, is the only one");
    mode.value = 0;
    stage_request(&s, r, TP_POSITION2D_REQ_VELOCITY_MODE, &mode);
    stage_end(&s);
}

/* The control stays as it was chosen: a pose moves it again, and a velocity does not. */
static void a_vehicle_stops_by_a_velocity_of_zero_under_position_control(void **state)
{
    stage s;
    const tp_position2d_position_mode_req position = {.state = 1};
    const tp_position2d_cmd_pos there = {.pos = {.px = 3}, .state = 1};
    const tp_position2d_cmd_vel still = {.vel = {.px = -0.0}};
    const tp_position2d_cmd_car parked = {0};
    const tp_position2d_cmd_vel_head turning = {.angle = 1};

    (void)state;
    stage_begin(&s, "world:0 position2d:0", YARD);
    bench_reader *r = stage_open(&s, "position2d:0");
    stage_request(&s, r, TP_POSITION2D_REQ_POSITION_MODE, &position);
    for (int i = 0; i < 2; i++) {
        stage_command(&s, r, TP_POSITION2D_CMD_POS, &there);
        stage_step(&s, 5);
        assert_true(vehicle(r)->vel.px > 0);
        if (i == 0) {
            stage_command(&s, r, TP_POSITION2D_CMD_VEL, &still);
        } else {
            stage_command(&s, r, TP_POSITION2D_CMD_CAR, &parked);
        }
        stage_step(&s, 10);
        play_assert_near(vehicle(r)->vel.px, 0);
        assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION2D_CMD_VEL, &forward) < 0);
    }
    assert_true(vehicle(r)->pos.px < 2);
    assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION2D_CMD_VEL_HEAD, &turning) < 0);
    assert_string_equal(s.p->b.err.text,
                        "the vehicle is under position control, as POSITION_MODE has chosen");
    stage_end(&s);
}

/* With kp 2 per second, each step of 0.1 s covers a fifth of the way to the speed. */
static void gains_of_the_speed_change_how_it_is_reached(void **state)
{
    stage s;
    const tp_position2d_speed_pid_req lazy = {.kp = 2}, wrong = {.kp = NAN}, none = {0};

    (void)state;
    stage_begin(&s, "world:0 position2d:0", YARD " profile=p2os");
    bench_reader *r = stage_open(&s, "position2d:0");
    stage_request(&s, r, TP_POSITION2D_REQ_SPEED_PID, &lazy);
    stage_refused(&s, r, TP_POSITION2D_REQ_SPEED_PID, &wrong, "a gain of nan makes no sense");
    stage_command(&s, r, TP_POSITION2D_CMD_VEL, &forward);
    stage_step(&s, 1);
    play_assert_near(vehicle(r)->vel.px, 0.2);
    stage_step(&s, 1);
    play_assert_near(vehicle(r)->vel.px, 0.36);
    stage_step(&s, 30);
    assert_true(fabs(vehicle(r)->vel.px - 1) < 0.01);
    stage_request(&s, r, TP_POSITION2D_REQ_SPEED_PID, &none);
    stage_command(&s, r, TP_POSITION2D_CMD_VEL, &forward);
    stage_step(&s, 1);
    play_assert_near(vehicle(r)->vel.px, 1);
    stage_end(&s);
}

static void gains_and_limits_of_the_way_to_a_pose_count(void **state)
{
    stage s;
    const tp_position2d_speed_prof_req slow = {.speed = 0.5F, .acc = 0.5F}, wrong = {.acc = -1};
    const tp_position2d_position_pid_req gains = {.kp = 0.1F}, eager = {.kp = 2};
    const tp_position2d_cmd_pos there = {.pos = {.px = 2}, .state = 1};
    const tp_position2d_cmd_pos slower = {.pos = {.px = 2}, .vel = {.px = 0.25}, .state = 1};

    (void)state;
    stage_begin(&s, "world:0 position2d:0", YARD " profile=p2os");
    bench_reader *r = stage_open(&s, "position2d:0");
    stage_request(&s, r, TP_POSITION2D_REQ_POSITION_PID, &gains);
    stage_command(&s, r, TP_POSITION2D_CMD_POS, &there);
    stage_step(&s, 1);
    play_assert_near(vehicle(r)->vel.px, (double)0.1F * 2); /* of 2 m */
    stage_request(&s, r, TP_POSITION2D_REQ_POSITION_PID, &eager);
    stage_step(&s, 1);
    play_assert_near(vehicle(r)->vel.px, 0); /* the old move has ended */
    stage_refused(&s, r, TP_POSITION2D_REQ_SPEED_PROF, &wrong,
                  "a speed of 0 and an acceleration of -1 make no limits");
    stage_request(&s, r, TP_POSITION2D_REQ_SPEED_PROF, &slow);
    stage_command(&s, r, TP_POSITION2D_CMD_POS, &there);
    stage_step(&s, 1);
    play_assert_near(vehicle(r)->vel.px, 0.05); /* 0.5 m/s^2 for 0.1 s */
    stage_step(&s, 15);
    play_assert_near(vehicle(r)->vel.px, 0.5);
    stage_command(&s, r, TP_POSITION2D_CMD_POS, &slower);
    stage_step(&s, 10);
    play_assert_near(vehicle(r)->vel.px, 0.25); /* the command's, which is below the limit */
    stage_step(&s, 100);
    assert_true(fabs(vehicle(r)->pos.px - 2) < 0.03 && vehicle(r)->vel.px == 0);
    stage_end(&s);
}

static void the_true_pose_cannot_be_set(void **state)
{
    stage s;
    const tp_localize_set_pose ask = {.mean = {.px = 1}};

    (void)state;
    stage_begin(&s, "world:0 localize:0", YARD);
    stage_refused(&s, stage_open(&s, "localize:0"), TP_LOCALIZE_REQ_SET_POSE, &ask,
                  "the pose is the true one and cannot be set");
    stage_end(&s);
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

static void a_ranger_sends_what_its_model_sees(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 ranger:0 ranger:1", YARD);
    bench_reader *sonar = stage_open(&s, "ranger:0");
    bench_reader *laser = stage_open(&s, "ranger:1");
    stage_step(&s, 1);
    const tp_ranger_data_range *ranges = stage_last(laser, TP_RANGER_DATA_RANGE);
    assert_int_equal(ranges->ranges_count, 181);
    play_assert_near(ranges->ranges[90], 3.9);
    play_assert_near(ranges->ranges[180], 3.9); /* to the north, from y 0 to 3.9 */
    play_assert_near(ranges->ranges[0], 8);     /* over the other robot */
    const tp_ranger_data_intns *echoes = stage_last(laser, TP_RANGER_DATA_INTNS);
    assert_int_equal(echoes->intensities_count, 181);
    play_assert_near(echoes->intensities[90], 1);
    ranges = stage_last(sonar, TP_RANGER_DATA_RANGE);
    assert_int_equal(ranges->ranges_count, 2);
    play_assert_near(ranges->ranges[0], (4 - 0.2) / cos(PI / 6));
    const tp_ranger_geom *geom = stage_get(&s, sonar, TP_RANGER_REQ_GET_GEOM, NULL);
    assert_int_equal(geom->element_poses_count, 2);
    play_assert_near(geom->element_poses[1].py, -0.1);
    play_assert_near(geom->element_poses[1].pyaw, -PI / 6);
    const tp_ranger_config *config = stage_get(&s, sonar, TP_RANGER_REQ_GET_CONFIG, NULL);
    play_assert_near(config->max_angle, 0.05);
    play_assert_near(config->angular_res, 0.1); /* one ray for each: never 0 */
    stage_end(&s);
}

static void a_ranger_can_show_less(void **state)
{
    stage s;
    const tp_ranger_config wanted = {
        .min_angle = -PI / 4, .max_angle = PI / 4, .angular_res = PI / 90};
    const tp_ranger_config wrong = {.min_angle = 1, .max_angle = -1, .angular_res = 1};
    const tp_ranger_intns_config quiet = {0};

    (void)state;
    stage_begin(&s, "world:0 ranger:0 ranger:1", YARD);
    bench_reader *r = stage_open(&s, "ranger:1");
    stage_request(&s, r, TP_RANGER_REQ_INTNS, &quiet);
    const tp_ranger_config *config = stage_get(&s, r, TP_RANGER_REQ_GET_CONFIG, NULL);
    play_assert_near(config->min_angle, -PI / 2);
    play_assert_near(config->angular_res, PI / 181); /* as Stage has it */
    play_assert_near(config->range_res, 0.02);
    play_assert_near(config->max_range, 8);
    play_assert_near(config->frequency, 10);
    config = stage_get(&s, r, TP_RANGER_REQ_SET_CONFIG, &wanted);
    play_assert_near(config->min_angle, -PI / 4);
    play_assert_near(config->max_angle, PI / 4);
    play_assert_near(config->angular_res, PI / 90);
    stage_step(&s, 1);
    const tp_ranger_data_range *ranges = stage_last(r, TP_RANGER_DATA_RANGE);
    assert_int_equal(ranges->ranges_count, 46);
    play_assert_near(ranges->ranges[22], 3.9 / cos(PI / 180)); /* a degree from straight ahead */
    assert_int_equal(r->counts[TP_RANGER_DATA_INTNS], 0);
    stage_refused(&s, r, TP_RANGER_REQ_SET_CONFIG, &wrong,
                  "a scan from 1 to -1 rad in steps of 1 rad makes no sense");
    stage_end(&s);
}

/* Angles that were floats, or typed with a few digits, are those of the rays that were meant. */
static void angles_need_not_be_exact(void **state)
{
    stage s;
    const tp_laser_config typed = {
        .min_angle = -1.5707f, .max_angle = 1.5707f, .resolution = 0.0174533f};

    (void)state;
    stage_begin(&s, "world:0 laser:0", YARD);
    bench_reader *r = stage_open(&s, "laser:0");
    const tp_laser_config *config = stage_get(&s, r, TP_LASER_REQ_SET_CONFIG, &typed);
    play_assert_near((double)config->min_angle, (double)(float)(-PI / 2));
    play_assert_near((double)config->max_angle, (double)(float)(PI / 2));
    stage_step(&s, 1);
    assert_int_equal(((const tp_laser_data *)stage_last(r, TP_LASER_DATA_SCAN))->ranges_count, 181);
    stage_end(&s);
}

/* Its sensor may sit elsewhere on the ranger, and look elsewhere: angles count from there. */
static void a_laser_is_where_its_beams_begin(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 laser:0 laser:1", DATA("quick") " sleep=1 paused=1");
    bench_reader *r = stage_open(&s, "laser:1");
    const tp_laser_geom *geom = stage_get(&s, r, TP_LASER_REQ_GET_GEOM, NULL);
    play_assert_near(geom->pose.px, 0.05);
    play_assert_near(geom->pose.py, 0);
    play_assert_near(geom->pose.pz, 0.1);
    play_assert_near(fabs(geom->pose.pyaw), PI);
    const tp_geometry *place = stage_get(&s, r, TP_COMMON_REQ_GET_GEOMETRY, NULL);
    play_assert_near(place->pose.px, 0.05);
    play_assert_near(fabs(place->pose.pyaw), PI);
    stage_end(&s);
}

/* With steps of 30 ms everything that comes ten times a second comes in the same steps. */
static void what_comes_together_is_of_one_instant(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 position2d:0 localize:0 ranger:0 ranger:1",
                DATA("quick") " sleep=1 paused=1 lease=0");
    bench_reader *base = stage_open(&s, "position2d:0");
    bench_reader *truth = stage_open(&s, "localize:0");
    bench_reader *slow = stage_open(&s, "ranger:0");
    bench_reader *fast = stage_open(&s, "ranger:1");
    for (int i = 0; i < 100; i++) {
        stage_step(&s, 1);
        assert_int_equal(base->counts[TP_POSITION2D_DATA_STATE],
                         slow->counts[TP_RANGER_DATA_RANGE]);
        assert_int_equal(base->counts[TP_POSITION2D_DATA_STATE],
                         truth->counts[TP_LOCALIZE_DATA_HYPOTHS]);
    }
    assert_int_equal(base->counts[TP_POSITION2D_DATA_STATE], 30);
    assert_int_equal(fast->counts[TP_RANGER_DATA_RANGE], 100);
    play_assert_near(stage_stamp(base, TP_POSITION2D_DATA_STATE), 3);
    const tp_ranger_config *config = stage_get(&s, slow, TP_RANGER_REQ_GET_CONFIG, NULL);
    play_assert_near(config->frequency, 10);
    config = stage_get(&s, fast, TP_RANGER_REQ_GET_CONFIG, NULL);
    play_assert_near(config->frequency, 1 / 0.03); /* no more than there are steps */
    stage_end(&s);
}

static void lasers_and_sonars_are_views_of_rangers(void **state)
{
    stage s;
    const tp_laser_config echoes = {.min_angle = (float)(-PI / 2),
                                    .max_angle = (float)(PI / 2),
                                    .resolution = (float)(PI / 180),
                                    .intensity = 1};

    (void)state;
    stage_begin(&s, "world:0 laser:0 sonar:0", YARD);
    bench_reader *laser = stage_open(&s, "laser:0");
    bench_reader *sonar = stage_open(&s, "sonar:0");
    stage_step(&s, 2);
    const tp_laser_data *scan = stage_last(laser, TP_LASER_DATA_SCAN);
    assert_int_equal(scan->ranges_count, 181);
    assert_true(fabsf(scan->ranges[90] - 3.9f) < 1e-6f);
    assert_true(fabsf(scan->resolution - (float)(PI / 180)) < 1e-6f);
    assert_int_equal(scan->id, 1);
    assert_int_equal(scan->intensity_count, 0); /* nobody has asked for them */
    stage_request(&s, laser, TP_LASER_REQ_SET_CONFIG, &echoes);
    stage_step(&s, 1);
    scan = stage_last(laser, TP_LASER_DATA_SCAN);
    assert_int_equal(scan->intensity[90], 1);
    const tp_sonar_data *ranges = stage_last(sonar, TP_SONAR_DATA_RANGES);
    assert_int_equal(ranges->ranges_count, 2);
    const tp_sonar_geom *geom = stage_get(&s, sonar, TP_SONAR_REQ_GET_GEOM, NULL);
    play_assert_near(geom->poses[0].px, 0.2);
    stage_end(&s);
}

static void profiles_of_lasers_have_their_reach_and_steps(void **state)
{
    stage s;
    const tp_laser_config wrong = {.min_angle = -1, .max_angle = 1, .resolution = 0.03f};
    const tp_laser_config finer = {.min_angle = -1, .max_angle = 1, .resolution = 0.008727f};
    const tp_laser_config as_it_is = {.min_angle = -1, .max_angle = 1, .resolution = 0.0174f};

    (void)state;
    stage_begin(&s, "world:0 laser:0", YARD " profile=urg");
    bench_reader *r = stage_open(&s, "laser:0");
    stage_step(&s, 1);
    const tp_laser_data *scan = stage_last(r, TP_LASER_DATA_SCAN);
    assert_true(scan->ranges[20] == 0); /* nothing within 5.6 m */
    assert_true(fabsf(scan->max_range - 5.6f) < 1e-6f);
    stage_end(&s);
    stage_begin(&s, "world:0 laser:0", YARD " profile=lms200");
    r = stage_open(&s, "laser:0");
    stage_refused(&s, r, TP_LASER_REQ_SET_CONFIG, &wrong,
                  "a lms200 has no resolution of 0.03 rad, but 0.004363, 0.008727, 0.01745");
    stage_refused(&s, r, TP_LASER_REQ_SET_CONFIG, &finer,
                  "its model has a ray for each 0.01745 rad; for 0.008727 rad write \"samples "
                  "361\"");
    stage_request(&s, r, TP_LASER_REQ_SET_CONFIG, &as_it_is);
    stage_end(&s);
}

/* ---- The others ------------------------------------------------------------------------------ */

static void the_map_shows_what_stands_still(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 map:0", YARD " map_resolution=0.1");
    bench_reader *r = stage_open(&s, "map:0");
    const tp_map_info info = *(const tp_map_info *)stage_get(&s, r, TP_MAP_REQ_GET_INFO, NULL);
    const tp_map_data ask = {.width = info.width, .height = info.height};
    const tp_map_data *cells = stage_get(&s, r, TP_MAP_REQ_GET_DATA, &ask);
    assert_int_equal(cells->data_count, info.width * info.height);
    const double places[][3] = {{4.1, 0, 1}, {0, 4, 1}, {0, 0, -1}, {-4, -3, -1}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const size_t column = (size_t)((places[i][0] - info.origin.px) / (double)info.scale);
        const size_t row = (size_t)((places[i][1] - info.origin.py) / (double)info.scale);
        assert_int_equal(cells->data[row * info.width + column], (int)places[i][2]);
    }
    const tp_map_data_vector *lines = stage_get(&s, r, TP_MAP_REQ_GET_VECTOR, NULL);
    assert_int_equal(lines->segments_count, 8);
    stage_end(&s);
}

/* 10 x 10 cells, 4 x 6, and 2 x 2 of which three are covered in part. */
static void a_cell_of_the_map_is_covered_not_touched(void **state)
{
    uint32_t occupied = 0;
    stage s;

    (void)state;
    stage_begin(&s, "world:0 map:0", DATA("boxes") " sleep=1 paused=1 map_resolution=0.05");
    bench_reader *r = stage_open(&s, "map:0");
    const tp_map_info info = *(const tp_map_info *)stage_get(&s, r, TP_MAP_REQ_GET_INFO, NULL);
    const tp_map_data ask = {.width = info.width, .height = info.height};
    const tp_map_data *cells = stage_get(&s, r, TP_MAP_REQ_GET_DATA, &ask);
    assert_int_equal(info.width, 47 + 2); /* from -0.25 m to 2.1 m */
    assert_int_equal(info.height, 28 + 2);
    for (uint32_t i = 0; i < cells->data_count; i++) {
        const bool inside = i % info.width >= 1 && i % info.width <= 10 && i / info.width >= 1 &&
                            i / info.width <= 10;
        assert_true(!inside || cells->data[i] == 1);
        occupied += cells->data[i] == 1;
    }
    assert_int_equal(occupied, 100 + 24 + 4);
    stage_end(&s);
}

static double read_counter(stage *s, bench_reader *r, const char *key, tp_counter_reading *last)
{
    last->key_count = (uint32_t)strlen(key) + 1;
    last->key = play_chars(key);
    const tp_counter_reading *now = stage_get(s, r, TP_COMMON_REQ_READ_AND_CLEAR, last);

    last->run = now->run;
    last->total = now->total;
    return now->amount;
}

static void vehicles_count_their_way(void **state)
{
    const tp_position2d_cmd_vel back = {.vel = {-0.5, 0, 0}, .state = 1};
    const tp_position2d_cmd_vel turn = {.vel = {0, 0, -0.5}, .state = 1};
    const tp_position2d_set_odom_req elsewhere = {.pose = {100, 100, 1}};
    tp_counter_reading way = {0};
    tp_counter_reading turned = {0};
    stage s;

    (void)state;
    stage_begin(&s, "world:0 position2d:0", YARD);
    bench_reader *base = stage_open(&s, "position2d:0");
    stage_command(&s, base, TP_POSITION2D_CMD_VEL, &back);
    const double begun_s = stage_step(&s, 1)->time;
    read_counter(&s, base, "driven", &way);
    stage_request(&s, base, TP_POSITION2D_REQ_SET_ODOM, &elsewhere); /* is no way */
    const double over_s = stage_step(&s, 4)->time;
    assert_true(fabs(read_counter(&s, base, "driven", &way) - 0.5 * (over_s - begun_s)) < 1e-9);
    assert_true(read_counter(&s, base, "turned", &turned) == 0);
    stage_command(&s, base, TP_POSITION2D_CMD_VEL, &turn);
    stage_step(&s, 4);
    assert_true(fabs(read_counter(&s, base, "turned", &turned) - 0.5 * (over_s - begun_s)) <
                1e-9); /* as many steps */
    assert_true(read_counter(&s, base, "driven", &way) == 0);
    stage_end(&s);
}

static void bumpers_feel_the_wall(void **state)
{
    tp_counter_reading bumps = {0};
    stage s;

    (void)state;
    stage_begin(&s, "world:0 position2d:0 bumper:0", YARD);
    bench_reader *r = stage_open(&s, "bumper:0");
    bench_reader *base = stage_open(&s, "position2d:0");
    stage_step(&s, 1);
    assert_int_equal(((const tp_bumper_data *)stage_last(r, TP_BUMPER_DATA_STATE))->bumpers[0], 0);
    stage_command(&s, base, TP_POSITION2D_CMD_VEL, &forward);
    stage_step(&s, 80);
    assert_true(vehicle(base)->stall);
    assert_int_equal(((const tp_bumper_data *)stage_last(r, TP_BUMPER_DATA_STATE))->bumpers[0], 1);
    assert_true(read_counter(&s, r, "bumps", &bumps) == 1); /* once, however long it touches */
    stage_step(&s, 20);
    assert_true(read_counter(&s, r, "bumps", &bumps) == 0);
    stage_end(&s);
}

static void what_is_marked_or_coloured_is_found(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 fiducial:0 blobfinder:0 camera:0 ptz:0", EVERYTHING);
    bench_reader *marks = stage_open(&s, "fiducial:0");
    bench_reader *blobs = stage_open(&s, "blobfinder:0");
    bench_reader *camera = stage_open(&s, "camera:0");
    stage_step(&s, 1);
    const tp_fiducial_data *seen = stage_last(marks, TP_FIDUCIAL_DATA_SCAN);
    assert_int_equal(seen->fiducials_count, 1);
    assert_int_equal(seen->fiducials[0].id, 7);
    play_assert_near(seen->fiducials[0].pose.px, 2);
    play_assert_near(seen->fiducials[0].pose.py, 1);
    const tp_blobfinder_data *found = stage_last(blobs, TP_BLOBFINDER_DATA_BLOBS);
    assert_int_equal(found->width, 40);
    assert_true(found->blobs_count >= 2);
    const tp_camera_data *picture = stage_last(camera, TP_CAMERA_DATA_STATE);
    assert_int_equal(picture->image_count, 16 * 12 * 3);
    const uint8_t *middle = picture->image + (6 * 16 + 8) * 3; /* the red wall */
    assert_true(middle[0] > 2 * middle[1] && middle[0] > 2 * middle[2]);
    stage_end(&s);
}

static void joints_and_hands_move(void **state)
{
    stage s;
    const tp_actarray_position_cmd up = {.joint = 1, .position = 0.5f};
    const tp_actarray_speed_cmd turn = {.joint = 0, .speed = 0.5f};
    const tp_actarray_position_cmd none = {.joint = 2};
    float places[] = {0.5f, NAN};
    const tp_actarray_multi_position_cmd odd = {.positions_count = 2, .positions = places};

    (void)state;
    stage_begin(&s, "world:0 actarray:0 gripper:0", EVERYTHING);
    bench_reader *arm = stage_open(&s, "actarray:0");
    bench_reader *hand = stage_open(&s, "gripper:0");
    stage_command(&s, arm, TP_ACTARRAY_CMD_POS, &up);
    stage_command(&s, arm, TP_ACTARRAY_CMD_SPEED, &turn);
    stage_command(&s, hand, TP_GRIPPER_CMD_CLOSE, NULL);
    stage_step(&s, 1);
    assert_int_equal(((const tp_gripper_data *)stage_last(hand, TP_GRIPPER_DATA_STATE))->state,
                     TP_GRIPPER_STATE_MOVING);
    stage_step(&s, 9);
    const tp_actarray_data *joints = stage_last(arm, TP_ACTARRAY_DATA_STATE);
    assert_int_equal(joints->actuators_count, 2);
    assert_true(fabsf(joints->actuators[0].position - 0.5f) < 0.06f);
    assert_true(fabsf(joints->actuators[1].position - 0.5f) < 1e-5f);
    assert_int_equal(joints->actuators[0].state, TP_ACTARRAY_ACTSTATE_MOVING);
    stage_request(&s, arm, TP_COMMON_REQ_HALT, NULL);
    stage_step(&s, 20);
    joints = stage_last(arm, TP_ACTARRAY_DATA_STATE);
    assert_int_equal(joints->actuators[0].state, TP_ACTARRAY_ACTSTATE_IDLE);
    assert_true(joints->actuators[0].position < 0.7f);
    const tp_actarray_geom *geom = stage_get(&s, arm, TP_ACTARRAY_REQ_GET_GEOM, NULL);
    assert_true(geom->actuators[0].max == 2 && geom->actuators[1].min == -1);
    play_assert_near(geom->base_orientation.pyaw, 0); /* however it is turned */
    assert_true(bench_command(&s.p->b, arm->reader.device, TP_ACTARRAY_CMD_POS, &none) < 0);
    assert_string_equal(s.p->b.err.text, "there is no actuator 2");
    assert_true(bench_command(&s.p->b, arm->reader.device, TP_ACTARRAY_CMD_MULTI_POS, &odd) < 0);
    assert_string_equal(s.p->b.err.text, "value 1 is not a number");
    assert_int_equal(((const tp_gripper_data *)stage_last(hand, TP_GRIPPER_DATA_STATE))->state,
                     TP_GRIPPER_STATE_CLOSED);
    stage_end(&s);
}

/* What it cannot do is refused, and what it tells of itself stays true. */
static void an_actuator_takes_the_speeds_that_it_reaches(void **state)
{
    stage s;
    const tp_actarray_speed_config slow = {.joint = 1, .speed = 0.125F},
                                   fast = {.joint = 1, .speed = 9};
    const tp_actarray_position_cmd up = {.joint = 1, .position = 0.5F};

    (void)state;
    stage_begin(&s, "world:0 actarray:0", EVERYTHING);
    bench_reader *arm = stage_open(&s, "actarray:0");
    stage_request(&s, arm, TP_ACTARRAY_REQ_SPEED, &slow);
    stage_refused(&s, arm, TP_ACTARRAY_REQ_SPEED, &fast,
                  "speed 9 is above 1, the max_speed of actuator 1");
    const tp_actarray_geom *geom = stage_get(&s, arm, TP_ACTARRAY_REQ_GET_GEOM, NULL);
    assert_true(geom->actuators[1].config_speed == 0.125F);
    stage_command(&s, arm, TP_ACTARRAY_CMD_POS, &up);
    stage_step(&s, 1);
    const tp_actarray_data *joints = stage_last(arm, TP_ACTARRAY_DATA_STATE);
    play_assert_near(joints->actuators[1].speed, 0.125);
    stage_end(&s);
}

static void several_actarrays_are_an_actuator_each(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 actarray:0 actarray:1", EVERYTHING);
    bench_reader *pan = stage_open(&s, "actarray:0");
    bench_reader *tilt = stage_open(&s, "actarray:1");
    stage_step(&s, 1);
    const tp_actarray_data *joints = stage_last(pan, TP_ACTARRAY_DATA_STATE);
    assert_int_equal(joints->actuators_count, 1);
    const tp_actarray_geom *geom = stage_get(&s, tilt, TP_ACTARRAY_REQ_GET_GEOM, NULL);
    assert_int_equal(geom->actuators_count, 1);
    assert_true(geom->actuators[0].max == 1);
    stage_end(&s);
}

static void a_ptz_turns_a_lens_or_two_actuators(void **state)
{
    stage s;
    const tp_ptz_cmd look = {.pan = 0.5f, .tilt = -0.25f};
    const tp_ptz_cmd odd = {.tilt = INFINITY};
    const tp_ptz_cmd turn = {.panspeed = -0.1f};
    const tp_ptz_req_control_mode speeds = {.mode = TP_PTZ_VELOCITY_CONTROL};
    const tp_ptz_req_control_mode angles = {.mode = TP_PTZ_POSITION_CONTROL};

    (void)state;
    stage_begin(&s, "world:0 ptz:0 ptz:1 ptz:2", EVERYTHING); /* blobfinder, camera, actuators */
    for (int i = 0; i < 3; i++) {
        const char *const names[] = {"ptz:0", "ptz:1", "ptz:2"};
        bench_reader *r = stage_open(&s, names[i]);
        stage_command(&s, r, TP_PTZ_CMD_STATE, &look);
        stage_step(&s, 10);
        const tp_ptz_data *data = stage_last(r, TP_PTZ_DATA_STATE);
        assert_true(fabsf(data->pan - 0.5f) < 1e-5f);
        assert_true(bench_command(&s.p->b, r->reader.device, TP_PTZ_CMD_STATE, &odd) < 0);
        assert_string_equal(s.p->b.err.text, "tilt is inf, which is no number to turn by");
    }
    bench_reader *r = &s.readers[2];
    stage_request(&s, r, TP_PTZ_REQ_CONTROL_MODE, &speeds);
    stage_command(&s, r, TP_PTZ_CMD_STATE, &turn);
    stage_step(&s, 5);
    stage_request(&s, r, TP_PTZ_REQ_CONTROL_MODE, &angles); /* the other controller lets go */
    stage_step(&s, 5);
    const tp_ptz_data *data = stage_last(r, TP_PTZ_DATA_STATE);
    assert_true(data->panspeed == 0 && fabsf(data->pan - 0.45f) < 0.02f);
    stage_end(&s);
}

static void lamps_and_batteries_tell_and_change(void **state)
{
    stage s;
    const tp_blinkenlight_cmd_power off = {.enable = 0};
    const tp_blinkenlight_cmd_color red = {.color = {.alpha = 255, .red = 255}};
    const tp_blinkenlight_cmd_power other = {.id = 1};

    (void)state;
    stage_begin(&s, "world:0 blinkenlight:0 power:0 position2d:0", EVERYTHING);
    bench_reader *lamp = stage_open(&s, "blinkenlight:0");
    bench_reader *power = stage_open(&s, "power:0");
    stage_open(&s, "position2d:0");
    stage_step(&s, 1);
    assert_true(((const tp_blinkenlight_data *)stage_last(lamp, 1))->enable);
    const float before = ((const tp_power_data *)stage_last(power, TP_POWER_DATA_STATE))->joules;
    stage_command(&s, lamp, TP_BLINKENLIGHT_CMD_POWER, &off);
    stage_command(&s, lamp, TP_BLINKENLIGHT_CMD_COLOR, &red);
    stage_step(&s, 50);
    const tp_blinkenlight_data *dark = stage_last(lamp, TP_BLINKENLIGHT_DATA_STATE);
    assert_false(dark->enable);
    assert_true(dark->color.red == 255 && dark->color.green == 0);
    const tp_power_data *battery = stage_last(power, TP_POWER_DATA_STATE);
    assert_true(battery->joules < before && battery->watts < 0);
    assert_true(fabsf(battery->percent - battery->joules / 20) < 1e-3f);
    assert_true(bench_command(&s.p->b, lamp->reader.device, TP_BLINKENLIGHT_CMD_POWER, &other) < 0);
    assert_string_equal(s.p->b.err.text, "there is no light 1");
    stage_end(&s);
}

static void the_senses_of_the_classroom_are_analogue_and_digital(void **state)
{
    stage s;
    const char *const names[] = {"aio:0", "aio:1", "aio:2", "aio:3"};
    static const uint32_t counts[] = {1, 2, 3, 1}; /* eye, line, ear, north */

    (void)state;
    stage_begin(&s, "world:0 aio:0 aio:1 aio:2 aio:3 dio:0 dio:1", EVERYTHING);
    bench_reader *line = stage_open(&s, "dio:0");
    bench_reader *button = stage_open(&s, "dio:1");
    for (int i = 0; i < 4; i++) {
        bench_reader *r = stage_open(&s, names[i]);
        stage_step(&s, 1);
        const tp_aio_data *data = stage_last(r, TP_AIO_DATA_STATE);
        assert_int_equal(data->voltages_count, counts[i]);
        assert_true(data->voltages[0] > 0);
    }
    assert_int_equal(((const tp_dio_data *)stage_last(line, TP_DIO_DATA_VALUES))->count, 2);
    assert_int_equal(((const tp_dio_data *)stage_last(button, TP_DIO_DATA_VALUES))->count, 1);
    stage_end(&s);
}

static void the_values_of_the_senses_have_their_units(void **state)
{
    stage s;
    const double wanted[][3] = {
        {4 / 4.64},                            /* the lamp is 2 m away and 0.8 m higher */
        {1, 1},                                /* a white floor */
        {80 - 10 * log10(4.04), 440, -PI / 2}, /* the horn is 2 m to the right, on the floor */
        {PI / 2}};                             /* it looks to the east */
    static const int counts[] = {1, 2, 3, 1};
    const char *const names[] = {"aio:0", "aio:1", "aio:2", "aio:3"};

    (void)state;
    stage_begin(&s, "world:0 aio:0 aio:1 aio:2 aio:3", EVERYTHING);
    for (int i = 0; i < 4; i++) {
        bench_reader *r = stage_open(&s, names[i]);
        stage_step(&s, 1);
        const tp_aio_data *data = stage_last(r, TP_AIO_DATA_STATE);
        for (int k = 0; k < counts[i]; k++) {
            if (fabs((double)data->voltages[k] - wanted[i][k]) > 1e-3) {
                fail_msg("%s has %g, not %g", names[i], (double)data->voltages[k], wanted[i][k]);
            }
        }
    }
    stage_end(&s);
}

static void a_button_can_be_held_by_hand(void **state)
{
    stage s;
    const tp_dio_cmd press = {.count = 1, .digout = 1};
    const tp_dio_cmd release = {.count = 1};
    const tp_dio_cmd two = {.count = 2};

    (void)state;
    stage_begin(&s, "world:0 dio:0 dio:1", EVERYTHING);
    bench_reader *line = stage_open(&s, "dio:0");
    bench_reader *button = stage_open(&s, "dio:1");
    stage_command(&s, button, TP_DIO_CMD_VALUES, &press);
    stage_step(&s, 1);
    assert_int_equal(((const tp_dio_data *)stage_last(button, TP_DIO_DATA_VALUES))->bits, 1);
    stage_command(&s, button, TP_DIO_CMD_VALUES, &release);
    stage_step(&s, 1);
    assert_int_equal(((const tp_dio_data *)stage_last(button, TP_DIO_DATA_VALUES))->bits, 0);
    assert_true(bench_command(&s.p->b, button->reader.device, TP_DIO_CMD_VALUES, &two) < 0);
    assert_string_equal(s.p->b.err.text, "a button has 1 output, not 2");
    assert_true(bench_command(&s.p->b, line->reader.device, TP_DIO_CMD_VALUES, &press) < 0);
    assert_string_equal(s.p->b.err.text, "a floorsensor has no outputs");
    stage_end(&s);
}

static void lights_and_sounds_can_be_set(void **state)
{
    stage s;
    const tp_aio_cmd dark = {.id = 0, .voltage = 0};
    const tp_aio_cmd wrong = {.id = 5};

    (void)state;
    stage_begin(&s, NULL,
                DATA("everything") " sleep=1 paused=1"); /* all: horn, lamp, the robot's */
    bench_reader *lamp = stage_open(&s, "aio:1");
    bench_reader *eye = stage_open(&s, "aio:2");
    stage_step(&s, 1);
    assert_true(((const tp_aio_data *)stage_last(lamp, TP_AIO_DATA_STATE))->voltages[0] == 4);
    assert_true(((const tp_aio_data *)stage_last(eye, TP_AIO_DATA_STATE))->voltages[0] > 0);
    stage_command(&s, lamp, TP_AIO_CMD_STATE, &dark);
    stage_step(&s, 1);
    assert_true(((const tp_aio_data *)stage_last(eye, TP_AIO_DATA_STATE))->voltages[0] == 0);
    assert_true(bench_command(&s.p->b, lamp->reader.device, TP_AIO_CMD_STATE, &wrong) < 0);
    assert_string_equal(s.p->b.err.text, "there is no output 5");
    assert_true(bench_command(&s.p->b, eye->reader.device, TP_AIO_CMD_STATE, &dark) < 0);
    assert_string_equal(s.p->b.err.text, "a lightsensor has no outputs");
    stage_end(&s);
}

static void radios_know_others_and_where_they_are(void **state)
{
    stage s;
    const tp_imu_datatype_config quaternions = {.value = TP_IMU_DATA_QUAT};
    const tp_imu_reset_euler_config tilted = {.orientation = {.proll = 1}};

    (void)state;
    stage_begin(&s, "world:0 wifi:0 gps:0 imu:0 speech:0", EVERYTHING);
    bench_reader *wifi = stage_open(&s, "wifi:0");
    bench_reader *gps = stage_open(&s, "gps:0");
    bench_reader *imu = stage_open(&s, "imu:0");
    stage_step(&s, 2);
    const tp_wifi_data *links = stage_last(wifi, TP_WIFI_DATA_STATE);
    assert_int_equal(links->links_count, 1);
    assert_memory_equal(links->links[0].ip, "10.0.0.1", 8);
    assert_true((int32_t)links->links[0].level < 0 && (int32_t)links->links[0].level > -90);
    const tp_gps_data *fix = stage_last(gps, TP_GPS_DATA_STATE);
    assert_int_equal(fix->quality, 1);
    const tp_imu_data_euler *euler = stage_last(imu, TP_IMU_DATA_EULER);
    assert_true(fabsf(euler->calib_data.accel_z - 9.80665f) < 1e-3f);
    stage_refused(&s, imu, TP_IMU_REQ_RESET_EULER, &tilted,
                  "the orientation has roll or pitch: a world is flat");
    stage_request(&s, imu, TP_IMU_REQ_SET_DATATYPE, &quaternions);
    stage_step(&s, 1);
    assert_true(((const tp_imu_data_quat *)stage_last(imu, TP_IMU_DATA_QUAT))->q0 == 1);
    stage_end(&s);
}

static void what_is_said_can_be_read(void **state)
{
    stage s;
    const tp_speech_cmd hello = {.string_count = 6, .string = play_chars("hello")};
    const tp_strprop_req said = {
        .key_count = 5, .key = play_chars("said"), .value_count = 1, .value = play_chars("")};

    (void)state;
    stage_begin(&s, "world:0 speech:0", EVERYTHING);
    bench_reader *r = stage_open(&s, "speech:0");
    stage_command(&s, r, TP_SPEECH_CMD_SAY, &hello);
    const tp_strprop_req *told = stage_get(&s, r, TP_COMMON_REQ_GET_STRPROP, &said);
    assert_string_equal(told->value, "hello");
    stage_end(&s);
}

/* The strokes and points that are kept. */
static size_t count_sketched(stage *s, size_t *points)
{
    const tp_device *device = bench_find(&s->p->b, "world:0");
    const simd *world = tp_instance_state(tp_device_instance(device));
    tpi_sim_sketched sketched = {0};
    size_t strokes = 0;

    *points = 0;
    while (tpi_sim_sketch_next(world->world, &sketched)) {
        strokes++;
        *points += sketched.stroke.count;
    }
    return strokes;
}

static void drawings_are_kept_within_bounds(void **state)
{
    stage s;
    static tp_point_2d many[TPI_SIM_MOST_SKETCHED + 1];
    const tp_graphics2d_cmd_polyline line = {
        .points_count = 1000, .points = many, .color = {.red = 255}};
    const tp_graphics2d_cmd_polygon shape = {.points_count = 3, .points = many, .filled = 1};
    const tp_graphics2d_cmd_points wrong = {.points_count = TPI_SIM_MOST_SKETCHED + 1,
                                            .points = many};
    size_t points = 0;

    (void)state;
    stage_begin(&s, "world:0 graphics2d:0", EVERYTHING);
    bench_reader *r = stage_open(&s, "graphics2d:0");
    stage_command(&s, r, TP_GRAPHICS2D_CMD_POLYLINE, &line);
    stage_command(&s, r, TP_GRAPHICS2D_CMD_POLYGON, &shape);
    stage_step(&s, 1);
    assert_int_equal(count_sketched(&s, &points), 2);
    assert_int_equal(points, 1003);
    for (int i = 0; i < 100; i++) {
        stage_command(&s, r, TP_GRAPHICS2D_CMD_POLYLINE, &line);
    }
    stage_step(&s, 1);
    assert_true(count_sketched(&s, &points) >= 12 && points <= TPI_SIM_MOST_SKETCHED);
    assert_true(bench_command(&s.p->b, r->reader.device, TP_GRAPHICS2D_CMD_POINTS, &wrong) < 0);
    assert_string_equal(s.p->b.err.text, "a drawing of 16385 points is more than 16384");
    stage_command(&s, r, TP_GRAPHICS2D_CMD_CLEAR, NULL);
    stage_step(&s, 1);
    assert_int_equal(count_sketched(&s, &points), 0);
    stage_end(&s);
}

static void drawings_on_the_world_are_apart_from_those_of_models(void **state)
{
    stage s;
    tp_point_2d points[2] = {{1, 2}, {3, 4}};
    const tp_graphics2d_cmd_polyline line = {.points_count = 2, .points = points};
    tpi_sim_sketched sketched = {0};
    size_t count = 0;

    (void)state;
    stage_begin(&s, "world:0 graphics2d:0 world@graphics2d:1 world@graphics2d:2", EVERYTHING);
    bench_reader *model = stage_open(&s, "graphics2d:0");
    bench_reader *first = stage_open(&s, "graphics2d:1");
    bench_reader *second = stage_open(&s, "graphics2d:2");
    stage_command(&s, model, TP_GRAPHICS2D_CMD_POLYLINE, &line);
    stage_command(&s, first, TP_GRAPHICS2D_CMD_POLYLINE, &line);
    stage_command(&s, second, TP_GRAPHICS2D_CMD_POLYLINE, &line);
    stage_command(&s, first, TP_GRAPHICS2D_CMD_CLEAR, NULL);
    stage_step(&s, 1);
    assert_int_equal(count_sketched(&s, &count), 2);
    unsigned of_world = 0;
    const simd *world = tp_instance_state(tp_device_instance(bench_find(&s.p->b, "world:0")));
    while (tpi_sim_sketch_next(world->world, &sketched)) {
        of_world += sketched.model == TPI_SIM_NONE;
    }
    assert_int_equal(of_world, 1);
    stage_end(&s);
}

/* ---- What it costs --------------------------------------------------------------------------- */

static void steps_and_their_messages_take_memory_from_pools(void **state)
{
    stage s;
    const char *const names[] = {"position2d:0", "ranger:0", "laser:0",     "sonar:0",
                                 "bumper:0",     "camera:0", "blobfinder:0"};

    (void)state;
    stage_begin(&s, "world:0 position2d:0 ranger:0 laser:0 sonar:0 bumper:0 camera:0 blobfinder:0",
                EVERYTHING);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        stage_open(&s, names[i]);
    }
    for (int i = 0; i < 20; i++) {
        stage_step(&s, 10);
    }
    /* Some 1,600 messages, a few at a time: pools have had more under way at once before. */
    const size_t before = memory_allocations();
    for (int i = 0; i < 200; i++) {
        stage_step(&s, 1);
    }
    assert_true(memory_allocations() - before < 16);
    stage_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vehicle_drives_and_halts),
        cmocka_unit_test(a_vehicle_without_power_hears_and_stays),
        cmocka_unit_test(what_is_no_number_is_refused_by_name),
        cmocka_unit_test(a_vehicle_takes_a_heading_and_a_speed),
        cmocka_unit_test(a_vehicle_goes_to_a_pose_and_tells_its_body),
        cmocka_unit_test(a_vehicle_goes_to_a_pose_as_fast_as_was_asked),
        cmocka_unit_test(a_profile_limits_what_a_vehicle_can_do),
        cmocka_unit_test(a_vehicle_obeys_the_control_that_was_chosen),
        cmocka_unit_test(a_vehicle_stops_by_a_velocity_of_zero_under_position_control),
        cmocka_unit_test(gains_of_the_speed_change_how_it_is_reached),
        cmocka_unit_test(gains_and_limits_of_the_way_to_a_pose_count),
        cmocka_unit_test(the_true_pose_cannot_be_set),
        cmocka_unit_test(a_ranger_sends_what_its_model_sees),
        cmocka_unit_test(a_ranger_can_show_less),
        cmocka_unit_test(angles_need_not_be_exact),
        cmocka_unit_test(a_laser_is_where_its_beams_begin),
        cmocka_unit_test(what_comes_together_is_of_one_instant),
        cmocka_unit_test(lasers_and_sonars_are_views_of_rangers),
        cmocka_unit_test(profiles_of_lasers_have_their_reach_and_steps),
        cmocka_unit_test(the_map_shows_what_stands_still),
        cmocka_unit_test(a_cell_of_the_map_is_covered_not_touched),
        cmocka_unit_test(vehicles_count_their_way),
        cmocka_unit_test(bumpers_feel_the_wall),
        cmocka_unit_test(what_is_marked_or_coloured_is_found),
        cmocka_unit_test(joints_and_hands_move),
        cmocka_unit_test(an_actuator_takes_the_speeds_that_it_reaches),
        cmocka_unit_test(several_actarrays_are_an_actuator_each),
        cmocka_unit_test(a_ptz_turns_a_lens_or_two_actuators),
        cmocka_unit_test(lamps_and_batteries_tell_and_change),
        cmocka_unit_test(the_senses_of_the_classroom_are_analogue_and_digital),
        cmocka_unit_test(the_values_of_the_senses_have_their_units),
        cmocka_unit_test(a_button_can_be_held_by_hand),
        cmocka_unit_test(lights_and_sounds_can_be_set),
        cmocka_unit_test(radios_know_others_and_where_they_are),
        cmocka_unit_test(what_is_said_can_be_read),
        cmocka_unit_test(drawings_are_kept_within_bounds),
        cmocka_unit_test(drawings_on_the_world_are_apart_from_those_of_models),
        cmocka_unit_test(steps_and_their_messages_take_memory_from_pools),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
