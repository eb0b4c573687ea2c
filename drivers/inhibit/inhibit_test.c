/* inhibit_test.c - the robot goes only where its sensors see nothing near. */
#include "inhibit_test.h"

#include <math.h>

#include "support/memory.h"

extern const tp_driver tp_driver_fake;

/* ---- Velocities ------------------------------------------------------------------------------ */

static void a_clear_way_lets_commands_pass(void **state)
{
    play *p = begin_laser(NULL);

    (void)state;
    see(p, 0, 8);
    go(p, 0.5, 0, 0.2);
    assert_told(p, 0.5, 0, 0.2);
    see(p, 0, 2); /* a way of 1.6 */
    go(p, 0.6, 0, 0);
    assert_told(p, 0.6, 0, 0);
    play_destroy(p);
}

static void it_slows_down_and_stops_by_the_distance(void **state)
{
    play *p = begin_laser("stop_distance=0.2 slow_distance=1.2");

    (void)state;
    see(p, 0, 1.1f); /* a way of 0.7: half of the way between */
    go(p, 0.5, 0, 0);
    assert_told(p, 0.25, 0, 0);
    see(p, 0, 0.85f);
    assert_told(p, 0.125, 0, 0); /* without a new command */
    see(p, 0, 1.1f);
    assert_told(p, 0.25, 0, 0);
    go(p, 0.4, 0.3, 0); /* a slanted way is longer: 0.875, but it passes */
    assert_told(p, 0.4, 0.3, 0);
    see(p, 36.86989764584402 * degree, 1.0625f); /* at (0.85, 0.6375): 0.6458 */
    assert_told(p, 0.4 * (0.3875 / 0.6 - 0.2), 0.3 * (0.3875 / 0.6 - 0.2), 0);
    see(p, 0, 0.5f);
    assert_told(p, 0, 0, 0);
    play_destroy(p);
}

static void what_is_too_near_is_refused_with_its_reason(void **state)
{
    play *p = begin_laser(NULL);

    (void)state;
    see(p, 0, 0.6f);
    assert_denied(p, 0.5, 0, 0,
                  "stopped: the laser sees something after 0.20 m, stop_distance is 0.30 m");
    assert_told(p, 0, 0, 0);
    go(p, -0.5, 0, 0); /* away from it */
    assert_told(p, -0.5, 0, 0);
    go(p, 0, 0.3, 0);
    assert_told(p, 0, 0.3, 0);
    see(p, 180 * degree, 0.45f);
    assert_told(p, 0, 0.3, 0);
    assert_denied(p, -0.5, 0, 0,
                  "stopped: the laser sees something after 0.25 m, stop_distance is 0.30 m");
    play_destroy(p);
}

static void a_curve_is_judged_along_its_arc(void **state)
{
    play *p = begin_laser(NULL);

    (void)state;
    see(p, 45 * degree, 1.4142135f); /* at (1, 1) */
    go(p, 0.5, 0, 0);
    assert_told(p, 0.5, 0, 0);
    go(p, 1, 0, 1); /* a quarter of a circle leads there: 1.159 m */
    assert_told(p, 1, 0, 1);
    go(p, 1, 0, -1);
    assert_told(p, 1, 0, -1);
    see(p, 20 * degree, 0.7f); /* at (0.66, 0.24): ahead, but a curve to the right passes it */
    assert_told(p, 1, 0, -1);
    assert_denied(p, 1, 0, 0,
                  "stopped: the laser sees something after 0.26 m, stop_distance is 0.30 m");
    play_destroy(p);
}

static void turning_on_the_spot_needs_a_clear_circle(void **state)
{
    play *p = begin_laser(NULL);

    (void)state;
    see(p, 90 * degree, 0.48f); /* the corners are at 0.4717 */
    go(p, 0, 0, 1);
    assert_told(p, 0, 0, 1);
    see(p, 90 * degree, 0.47f);
    assert_told(p, 0, 0, 0);
    assert_denied(p, 0, 0, -1, "stopped: the laser sees something where the robot would turn");
    play_destroy(p);
}

static void stopping_is_always_allowed(void **state)
{
    play *p = begin_laser(NULL);

    (void)state;
    go(p, 0, 0, 0); /* before anything was seen */
    assert_told(p, 0, 0, 0);
    play_destroy(p);
}

/* Robots may drive on a VEL with a `state` of 0, as the simulated ones do. */
static void a_velocity_is_judged_whatever_its_state(void **state)
{
    play *p = begin_laser(NULL);
    const tp_position2d_cmd_vel fast = {.vel = {1, 0, 0}, .state = 0};

    (void)state;
    see(p, 0, 0.6f);
    play_assert_command_refused(
        p, TP_POSITION2D_CMD_VEL, &fast,
        "stopped: the laser sees something after 0.20 m, stop_distance is 0.30 m");
    see(p, 0, 8);
    play_command(p, TP_POSITION2D_CMD_VEL, &fast);
    puppet_wait(&p->b, 0);
    const tp_position2d_cmd_vel *told = puppet_last(&p->b, base, TP_POSITION2D_CMD_VEL);
    play_assert_near(told->vel.px, 1);
    assert_int_equal(told->state, 0);
    play_destroy(p);
}

static void numbers_that_are_none_are_refused(void **state)
{
    play *p = begin_laser(NULL);

    (void)state;
    see(p, 0, 8);
    go(p, 0.5, 0, 0);
    assert_denied(p, NAN, 0, 0, "a velocity or angle is no number");
    assert_denied(p, 0, INFINITY, 0, "a velocity or angle is no number");
    assert_told(p, 0.5, 0, 0);
    play_destroy(p);
}

/* ---- Becoming blocked ------------------------------------------------------------------------ */

static const char *announced(const play *p)
{
    const tp_strprop_req *told = play_last(p, TP_COMMON_DATA_PROPERTY);

    assert_string_equal(told->key, "blocked");
    return told->value;
}

static void it_stops_at_once_and_waits_for_a_command(void **state)
{
    play *p = begin_laser(NULL);

    (void)state;
    see(p, 0, 8);
    go(p, 0.5, 0, 0);
    assert_int_equal(p->r.counts[TP_COMMON_DATA_PROPERTY], 0);
    see(p, 0, 0.6f);
    assert_told(p, 0, 0, 0);
    assert_int_equal(p->r.counts[TP_COMMON_DATA_PROPERTY], 1);
    assert_string_equal(announced(p),
                        "the laser sees something after 0.20 m, stop_distance is 0.30 m");
    const uint32_t before = told_count(p);
    see(p, 0, 8);
    see(p, 0, 0.5f);
    assert_int_equal(told_count(p), before); /* it stands still */
    see(p, 0, 8);
    go(p, 0.5, 0, 0);
    assert_told(p, 0.5, 0, 0);
    assert_string_equal(announced(p), "");
    assert_int_equal(p->r.counts[TP_COMMON_DATA_PROPERTY], 2);
    play_destroy(p);
}

static void it_goes_on_by_itself_if_it_may(void **state)
{
    play *p = begin_laser("resume=1");

    (void)state;
    see(p, 0, 8);
    go(p, 0.5, 0, 0);
    see(p, 0, 0.5f);
    assert_told(p, 0, 0, 0);
    see(p, 0, 8);
    assert_told(p, 0.5, 0, 0);
    assert_string_equal(announced(p), "");
    play_destroy(p);
}

static void a_silent_sensor_stops_it(void **state)
{
    play *p = begin_laser("timeout=0.5");

    (void)state;
    assert_denied(p, 0.5, 0, 0, "stopped: the laser has sent nothing for 0.5 s");
    see(p, 0, 8);
    puppet_wait(&p->b, 0.4);
    go(p, 0.5, 0, 0);
    assert_told(p, 0.5, 0, 0);
    puppet_wait(&p->b, 0.09);
    assert_told(p, 0.5, 0, 0);
    puppet_wait(&p->b, 0.01);
    assert_told(p, 0, 0, 0);
    assert_string_equal(announced(p), "the laser has sent nothing for 0.5 s");
    play_destroy(p);
}

static void data_keeps_it_going(void **state)
{
    play *p = begin_laser("timeout=0.5");

    (void)state;
    see(p, 0, 8);
    go(p, 0.5, 0, 0);
    for (int i = 0; i < 10; i++) {
        puppet_wait(&p->b, 0.4);
        see(p, 0, 8);
    }
    assert_told(p, 0.5, 0, 0);
    assert_int_equal(told_count(p), 1); /* and nothing is said twice */
    play_destroy(p);
}

static void the_first_command_waits_for_the_sensors(void **state)
{
    play *p = begin_cold("position2d:0 laser:0", NULL);

    (void)state;
    go(p, 0.5, 0, 0);
    assert_int_equal(puppet_at(&p->b, base)->commands[TP_POSITION2D_CMD_VEL], 0);
    puppet_wait(&p->b, 0.4);
    assert_int_equal(puppet_at(&p->b, base)->commands[TP_POSITION2D_CMD_VEL], 0);
    see(p, 0, 8);
    assert_told(p, 0.5, 0, 0);
    see(p, 0, 0.5f);
    assert_told(p, 0, 0, 0);
    play_destroy(p);
    p = begin_cold("position2d:0 laser:0", NULL);
    go(p, 0.5, 0, 0);
    see(p, 0, 0.6f); /* what they say then may be no */
    assert_told(p, 0, 0, 0);
    assert_string_equal(announced(p),
                        "the laser sees something after 0.20 m, stop_distance is 0.30 m");
    play_destroy(p);
}

static void but_not_for_ever(void **state)
{
    play *p = begin_cold("position2d:0 laser:0", NULL);

    (void)state;
    go(p, 0.5, 0, 0);
    puppet_wait(&p->b, 0.5);
    assert_told(p, 0, 0, 0);
    assert_string_equal(announced(p), "the laser has sent nothing for 0.5 s");
    see(p, 0, 8);
    assert_told(p, 0, 0, 0); /* that command is over */
    play_destroy(p);
    p = begin_cold("position2d:0 laser:0", NULL);
    go(p, 0.5, 0, 0);
    play_request(p, TP_COMMON_REQ_HALT, NULL);
    see(p, 0, 8); /* nor is one that was halted meanwhile carried out later */
    assert_int_equal(puppet_at(&p->b, base)->commands[TP_POSITION2D_CMD_VEL], 0);
    play_destroy(p);
}

static void every_sensor_has_to_speak(void **state)
{
    play *p =
        begin("position2d:0 front@laser:0 rear@laser:1", "timeout=0.5 poses=0,0,0,-0.2,0,3.14");

    (void)state;
    see(p, 0, 8);
    assert_denied(p, 0.5, 0, 0, "stopped: the rear has sent nothing for 0.5 s");
    play_destroy(p);
}

static void a_sensor_that_fails_stops_it(void **state)
{
    play *p = begin_laser(NULL);
    const tp_failure failure = {.code = TP_E_IO, .text_count = 4, .text = play_chars("off")};

    (void)state;
    see(p, 0, 8);
    go(p, 0.5, 0, 0);
    puppet_send(&p->b, laser, TP_COMMON_DATA_ERROR, &failure);
    assert_told(p, 0, 0, 0);
    play_destroy(p);
}

static void a_halt_goes_to_the_robot_and_ends_the_movement(void **state)
{
    play *p = begin_laser("resume=1");

    (void)state;
    see(p, 0, 8);
    go(p, 0.5, 0, 0);
    const uint32_t before = told_count(p);
    play_request(p, TP_COMMON_REQ_HALT, NULL);
    puppet_wait(&p->b, 0);
    assert_int_equal(puppet_at(&p->b, base)->halts, 1);
    see(p, 0, 0.5f);
    see(p, 0, 8);
    assert_int_equal(told_count(p), before); /* and it does not go on by itself */
    play_destroy(p);
}

static void closing_it_stops_the_robot(void **state)
{
    play *p = begin_laser(NULL);

    (void)state;
    see(p, 0, 8);
    go(p, 0.5, 0, 0);
    play_close(p);
    puppet_wait(&p->b, 0);
    assert_told(p, 0, 0, 0);
    play_destroy(p);
}

/* ---- Other commands -------------------------------------------------------------------------- */

static void a_car_is_judged_by_its_curve(void **state)
{
    play *p = begin_laser("wheelbase=0.5");
    const tp_position2d_cmd_car straight = {.velocity = 1};
    const tp_position2d_cmd_car left = {.velocity = 1, .angle = 0.4636476}; /* a radius of 1 */
    const tp_position2d_cmd_car wild = {.velocity = 1, .angle = 1.6};

    (void)state;
    see(p, 20 * degree, 0.7f);
    play_assert_command_refused(
        p, TP_POSITION2D_CMD_CAR, &straight,
        "stopped: the laser sees something after 0.26 m, stop_distance is 0.30 m");
    see(p, 70 * degree, 0.9f); /* to the left */
    play_command(p, TP_POSITION2D_CMD_CAR, &straight);
    puppet_wait(&p->b, 0);
    const tp_position2d_cmd_car *told = puppet_last(&p->b, base, TP_POSITION2D_CMD_CAR);
    play_assert_near(told->velocity, 1);
    see(p, 32.005 * degree, 0.9434f); /* at (0.8, 0.5), on its way to the left: 0.54 m */
    play_command(p, TP_POSITION2D_CMD_CAR, &left);
    puppet_wait(&p->b, 0);
    told = puppet_last(&p->b, base, TP_POSITION2D_CMD_CAR);
    play_assert_near(told->angle, left.angle);
    assert_true(told->velocity > 0 && told->velocity < 0.5);
    play_assert_command_refused(p, TP_POSITION2D_CMD_CAR, &wild, "a car does not steer by 1.6 rad");
    play_destroy(p);
}

static void a_heading_needs_room_to_turn(void **state)
{
    play *p = begin_laser(NULL);
    const tp_position2d_cmd_vel_head cmd = {.velocity = 0.4, .angle = 1};
    const tp_position2d_data turned = {.pos = {.pa = 1.01}};

    const tp_position2d_cmd_vel_head zero = {.velocity = 0.4};
    const char *why = "stopped: the laser sees something where the robot would turn";

    (void)state;
    see(p, 90 * degree, 0.45f); /* beside it: in the way of a turn */
    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL_HEAD, &cmd, why);
    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL_HEAD, &zero, why); /* nobody knows yet */
    puppet_send(&p->b, base, TP_POSITION2D_DATA_STATE, &turned);
    play_command(p, TP_POSITION2D_CMD_VEL_HEAD, &cmd);
    puppet_wait(&p->b, 0);
    const tp_position2d_cmd_vel_head *told = puppet_last(&p->b, base, TP_POSITION2D_CMD_VEL_HEAD);
    play_assert_near(told->velocity, 0.4);
    play_assert_near(told->angle, 1);
    see(p, 0, 1.05f); /* half of the way between the distances */
    told = puppet_last(&p->b, base, TP_POSITION2D_CMD_VEL_HEAD);
    play_assert_near(told->velocity, 0.2);
    play_destroy(p);
}

static void what_cannot_be_judged_is_refused(void **state)
{
    play *p = begin_laser(NULL);
    const tp_position2d_cmd_pos pos = {.pos = {1, 0, 0}};
    const tp_position2d_cmd_car car = {.velocity = 1};
    const tp_capabilities_req able_pos = {TP_KIND_COMMAND, TP_POSITION2D_CMD_POS};
    const tp_capabilities_req able_vel = {TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL};
    const tp_position2d_position_mode_req poses = {.state = 1};

    (void)state;
    see(p, 0, 8);
    play_assert_request_refused(p, TP_POSITION2D_REQ_POSITION_MODE, &poses,
                                "it is not possible to know the way to a pose in advance: there is "
                                "only velocity control");
    play_assert_command_refused(
        p, TP_POSITION2D_CMD_POS, &pos,
        "it is not possible to know the way of POS in advance; command velocities");
    play_assert_command_refused(p, TP_POSITION2D_CMD_CAR, &car,
                                "CAR cannot be judged: give the wheelbase");
    play_assert_request_refused(p, TP_COMMON_REQ_CAPABILITIES, &able_pos,
                                "its way cannot be judged");
    puppet_at(&p->b, base)->agrees[TP_COMMON_REQ_CAPABILITIES] = true;
    play_request(p, TP_COMMON_REQ_CAPABILITIES, &able_vel);
    play_destroy(p);
}

/* ---- The rest passes through ----------------------------------------------------------------- */

static void data_and_requests_pass(void **state)
{
    play *p = begin_laser(NULL);
    const tp_position2d_data data = {.pos = {1, 2, 3}};
    const tp_position2d_power_config on = {.state = 1};
    const tp_strprop_req blocked = {.key_count = 8, .key = play_chars("blocked")};

    (void)state;
    puppet_send(&p->b, base, TP_POSITION2D_DATA_STATE, &data);
    const tp_position2d_data *told = play_last(p, TP_POSITION2D_DATA_STATE);
    play_assert_near(told->pos.py, 2);
    const tp_position2d_geom *geom = play_get(p, TP_POSITION2D_REQ_GET_GEOM, NULL);
    play_assert_near(geom->size.sl, 0.6);
    play_assert_request_refused(p, TP_POSITION2D_REQ_MOTOR_POWER, &on,
                                "a puppet without MOTOR_POWER");
    puppet_at(&p->b, base)->agrees[TP_POSITION2D_REQ_MOTOR_POWER] = true;
    play_request(p, TP_POSITION2D_REQ_MOTOR_POWER, &on);
    const tp_strprop_req *why = play_get(p, TP_COMMON_REQ_GET_STRPROP, &blocked);
    assert_string_equal(why->value, "");
    play_assert_request_refused(p, TP_COMMON_REQ_SET_STRPROP, &blocked, "blocked cannot be set");
    play_destroy(p);
}

/* ---- The outline ----------------------------------------------------------------------------- */

static void the_configuration_knows_the_size_better(void **state)
{
    play *p = begin_laser("front=0.1 side=1");

    (void)state;
    see(p, 60 * degree, 1); /* at (0.5, 0.866) */
    go(p, 0.5, 0, 0);
    const tp_position2d_cmd_vel *told = puppet_last(&p->b, base, TP_POSITION2D_CMD_VEL);
    play_assert_near(told->vel.px, 0.5 * (0.4 - 0.3) / 0.7);
    play_destroy(p);
}

static void without_a_size_it_does_not_move(void **state)
{
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "position2d:0 laser:0", NULL, NULL);
    puppet_at(&p->b, laser)->answers[TP_LASER_REQ_GET_GEOM] = &middle;
    play_add(p, &tp_driver_inhibit, "position2d:9", "position2d:0 laser:0", "front=0.3");
    play_open(p);
    puppet_wait(&p->b, 1);
    see(p, 0, 8);
    assert_denied(p, 0.5, 0, 0,
                  "stopped: the size of the robot is not known: give front, back and side");
    puppet_send(&p->b, base, TP_POSITION2D_DATA_GEOM, &robot); /* it has changed */
    see(p, 0, 8);
    go(p, 0.5, 0, 0);
    assert_told(p, 0.5, 0, 0);
    play_destroy(p);
}

/* ---- All together ---------------------------------------------------------------------------- */

/* Towards a wall of the fake's room, which stops nobody. */
static void a_fake_robot_stops_before_the_wall(void **state)
{
    play *p = play_create();
    const tp_position2d_cmd_vel forward = velocity(0.5, 0, 0);
    double before = -1;
    const tp_position2d_data *data = NULL;

    (void)state;
    play_add(p, &tp_driver_fake, "position2d:0 laser:0", NULL, "rate=1000 noise=0 seed=3");
    play_add(p, &tp_driver_inhibit, "position2d:9", "position2d:0 laser:0",
             "timeout=1000 stop_distance=0.5 slow_distance=0.8");
    play_open(p);
    play_after(p, 0, TP_POSITION2D_DATA_STATE);
    play_after(p, 0.1, TP_POSITION2D_DATA_STATE);
    play_command(p, TP_POSITION2D_CMD_VEL, &forward);
    for (int i = 0; i < 600; i++) {
        data = play_after(p, 0.1, TP_POSITION2D_DATA_STATE);
        if (data->pos.px == before && data->vel.px == 0) {
            break;
        }
        before = data->pos.px;
    }
    assert_true(data->vel.px < 0.02);
    assert_true(data->pos.px > 0.5 && data->pos.px < 5 - 0.22 - 0.4);
    play_destroy(p);
}

static void judging_allocates_nothing_once_it_runs(void **state)
{
    play *p = begin_laser(NULL);

    (void)state;
    for (int i = 0; i < 10; i++) {
        see(p, 0, i % 2 == 0 ? 8 : 1);
        go(p, 0.5, 0, 0.1);
    }
    const size_t before = memory_allocations();
    const size_t copies = told_count(p);
    for (int i = 0; i < 100; i++) {
        see(p, 0, i % 2 == 0 ? 8 : 1);
        go(p, 0.5, 0, 0.1);
    }
    /* The puppet copies each command that it gets. */
    assert_int_equal(memory_allocations() - before, told_count(p) - copies);
    play_destroy(p);
}

static void wrong_settings_are_refused_with_a_sentence(void **state)
{
    static const struct {
        const char *requires;
        const char *settings;
        const char *why;
    } wrong[] = {
        {NULL, NULL, "inhibit0: `requires` has no position2d"},
        {"position2d:0", NULL, "inhibit0: `requires` has no sensor"},
        {"position2d:0 ptz:0", NULL,
         "inhibit0: a ptz does not see what is in the way: laser, ranger, sonar, ir and bumper do"},
        {"position2d:0 laser:0", "stop_distance=1",
         "inhibit0: slow_distance 1 m is not above stop_distance 1 m"},
        {"position2d:0 laser:0", "front=-1",
         "inhibit0: front \"-1\" is not a length of at least 0"},
        {"position2d:0 laser:0", "timeout=0",
         "inhibit0: timeout \"0\" is not a number of seconds above 0"},
        {"position2d:0 laser:0", "cone=4",
         "inhibit0: cone \"4\" is not an angle up to half a turn"},
        {"position2d:0 laser:0", "poses=1,2",
         "inhibit0: poses has 2 values: every laser and ranger has three, in their order"},
        {"position2d:0 laser:0", "poses=1,2,3,4,5,6",
         "inhibit0: poses has 6 values: every laser and ranger has three, in their order"},
        {"position2d:0 laser:0 laser:1 laser:2 laser:3 laser:4 laser:5 laser:6 laser:7 laser:8",
         NULL, "inhibit0: more than 8 sensors"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        play_assert_not_added(&tp_driver_inhibit, "position2d:9", wrong[i].requires,
                              wrong[i].settings, wrong[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clear_way_lets_commands_pass),
        cmocka_unit_test(it_slows_down_and_stops_by_the_distance),
        cmocka_unit_test(what_is_too_near_is_refused_with_its_reason),
        cmocka_unit_test(a_curve_is_judged_along_its_arc),
        cmocka_unit_test(turning_on_the_spot_needs_a_clear_circle),
        cmocka_unit_test(stopping_is_always_allowed),
        cmocka_unit_test(a_velocity_is_judged_whatever_its_state),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(it_stops_at_once_and_waits_for_a_command),
        cmocka_unit_test(it_goes_on_by_itself_if_it_may),
        cmocka_unit_test(a_silent_sensor_stops_it),
        cmocka_unit_test(data_keeps_it_going),
        cmocka_unit_test(the_first_command_waits_for_the_sensors),
        cmocka_unit_test(but_not_for_ever),
        cmocka_unit_test(every_sensor_has_to_speak),
        cmocka_unit_test(a_sensor_that_fails_stops_it),
        cmocka_unit_test(a_halt_goes_to_the_robot_and_ends_the_movement),
        cmocka_unit_test(closing_it_stops_the_robot),
        cmocka_unit_test(a_car_is_judged_by_its_curve),
        cmocka_unit_test(a_heading_needs_room_to_turn),
        cmocka_unit_test(what_cannot_be_judged_is_refused),
        cmocka_unit_test(data_and_requests_pass),
        cmocka_unit_test(the_configuration_knows_the_size_better),
        cmocka_unit_test(without_a_size_it_does_not_move),
        cmocka_unit_test(a_fake_robot_stops_before_the_wall),
        cmocka_unit_test(judging_allocates_nothing_once_it_runs),
        cmocka_unit_test(wrong_settings_are_refused_with_a_sentence),
    };

    return cmocka_run_group_tests_name("inhibit_test", tests, NULL, NULL);
}
