/* abilities_test.c - what a mobile can do, what it cannot, and on which devices. */
#include "mobile_test.h"

#include <math.h>

#include "troupe/interfaces/position1d.h"
#include "troupe/interfaces/position3d.h"

/* ---- What it cannot do ----------------------------------------------------------------------- */

static void what_it_cannot_do_is_refused_with_its_reason(void **state)
{
    play *p = begin(false, NULL);
    const tp_mobile_axis_result *result = move(p, velocity(TP_MOBILE_Y, 1));

    (void)state;
    assert_refused(p, result, "y: it does not move on this axis");
    result = move(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 1));
    assert_refused(p, result, "x: it does not go to positions in this frame");
    result = move(p, axis(TP_MOBILE_X, TP_MOBILE_VELOCITY, TP_MOBILE_WORLD, 1));
    assert_refused(p, result, "x: it does not keep velocities in this frame");
    result = move(p, axis(TP_MOBILE_X, 9, TP_MOBILE_OWN, 1));
    assert_int_equal(result->control, 9); /* as it was asked */
    play_assert_near(result->value, 1);
    assert_refused(p, result, "x: there is no such control, frame or limit");
    const uint32_t announced = p->r.counts[TP_COMMON_DATA_PROPERTY];
    move(p, velocity(TP_MOBILE_X, 0.1));
    move(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 1));
    assert_velocity(p, 0.1, 0, 0); /* it does what it did */
    move(p, velocity(TP_MOBILE_X, 0.1));
    const tp_strprop_req *told = play_last(p, TP_COMMON_DATA_PROPERTY);
    assert_string_equal(told->value, "");
    move(p, velocity(TP_MOBILE_X, 0.2));
    assert_int_equal(p->r.counts[TP_COMMON_DATA_PROPERTY], announced + 3);
    move(p, velocity(TP_MOBILE_YAW, 0.1));
    stop(p);
    result = move_both(p, velocity(TP_MOBILE_YAW, 0.1),
                       axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_OWN, 1));
    assert_refused(p, &result[1], "x: it cannot go to a place while it does the rest");
    play_destroy(p);
}

static void axes_that_do_not_go_together_are_left_as_they_were(void **state)
{
    play *p = begin(true, NULL);
    const tp_mobile_axis_result *result = move_both(
        p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 3), velocity(TP_MOBILE_YAW, 0.5));

    (void)state;
    assert_int_equal(result[0].outcome, TP_MOBILE_DONE);
    assert_refused(p, &result[1], "yaw: it cannot go to a place while it does the rest");
    play_assert_pose(&place(p)->pos, 3, 0, 0);
    stop(p);
    move(p, velocity(TP_MOBILE_YAW, 0.5));
    result = move(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 3));
    assert_refused(p, result, "x: it cannot go to a place while it does the rest");
    assert_velocity(p, 0, 0, 0.5);
    /* But what is named anew does not stand in the way. */
    result = move_both(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 3),
                       axis(TP_MOBILE_YAW, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 1));
    assert_int_equal(result[0].outcome, TP_MOBILE_DONE);
    assert_int_equal(result[1].outcome, TP_MOBILE_DONE);
    play_destroy(p);
}

static void an_axis_at_rest_does_not_stand_in_the_way(void **state)
{
    play *p = begin(true, NULL);

    (void)state;
    move_both(p, velocity(TP_MOBILE_X, 0.4), velocity(TP_MOBILE_YAW, 0));
    const tp_mobile_axis_result *result =
        move(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 3));
    assert_int_equal(result->outcome, TP_MOBILE_DONE);
    play_destroy(p);
}

static void positions_wait_until_it_knows_where_it_is(void **state)
{
    play *p = begin_on(base, true, NULL);
    const tp_mobile_axis_result *result =
        move(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_OWN, 1));

    (void)state;
    assert_refused(p, result, "x: its position is not known yet");
    play_destroy(p);
}

static void commands_that_make_no_sense_are_refused(void **state)
{
    static const struct {
        tp_mobile_cmd cmd;
        const char *why;
    } wrong[] = {
        {{.axes_count = 1, .axes = {{.axis = 6}}}, "there is no axis 6"},
        {{.axes_count = 2, .axes = {{.axis = TP_MOBILE_YAW}, {.axis = TP_MOBILE_YAW}}},
         "yaw is commanded twice"},
        {{.axes_count = 1, .axes = {{.value = NAN}}}, "x: nan is no value to reach"},
        {{.axes_count = 1, .axes = {{.value = 1e300}}}, "x: 1e+300 is no value to reach"},
        {{.axes_count = 1, .axes = {{.limit_kind = TP_MOBILE_LIMIT_PERCENT, .limit = 0}}},
         "x: the limit 0 is not above 0"},
    };
    play *p = begin(true, NULL);

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        play_assert_request_refused(p, TP_MOBILE_REQ_MOVE, &wrong[i].cmd, wrong[i].why);
    }
    assert_int_equal(velocities(p), 0);
    play_destroy(p);
}

/* ---- Data and requests ----------------------------------------------------------------------- */

static void a_command_is_answered_by_data(void **state)
{
    play *p = begin(true, NULL);
    const tp_mobile_cmd cmd = {.axes_count = 1, .axes = {velocity(TP_MOBILE_X, 9)}};

    (void)state;
    play_command(p, TP_MOBILE_CMD_MOVE, &cmd);
    const tp_mobile_result *result = play_last(p, TP_MOBILE_DATA_RESULT);
    assert_non_null(result);
    assert_int_equal(result->axes[0].outcome, TP_MOBILE_MODIFIED);
    play_assert_near(result->axes[0].value, 0.5);
    play_destroy(p);
}

static void abilities_come_from_the_device_and_its_properties(void **state)
{
    play *p = play_create();
    const tp_dblprop_req two = {.value = 2};

    (void)state;
    play_add(p, &puppet_driver, base, NULL, NULL);
    puppet_at(&p->b, base)->answers[TP_COMMON_REQ_GET_DBLPROP] = &two;
    play_add(p, &tp_driver_mobile, "mobile:0", base, "min_turn_radius=0 max_acceleration=3");
    play_open(p);
    const tp_mobile_abilities *told = play_get(p, TP_MOBILE_REQ_GET_ABILITIES, NULL);
    assert_int_equal(told->axes_count, 2);
    assert_int_equal(told->axes[0].axis, TP_MOBILE_X);
    assert_int_equal(told->axes[0].position_frames, TP_MOBILE_CAN_OWN);
    assert_int_equal(told->axes[0].velocity_frames, TP_MOBILE_CAN_OWN);
    assert_int_equal(told->axes[0].controls,
                     TP_MOBILE_CAN_POSITION | TP_MOBILE_CAN_VELOCITY | TP_MOBILE_CAN_ACCELERATION);
    assert_false(told->axes[0].holonomic);
    play_assert_near(told->axes[0].max_speed, 2);
    play_assert_near(told->axes[0].max_acceleration, 3); /* the configuration knows better */
    assert_int_equal(told->axes[1].axis, TP_MOBILE_YAW);
    assert_int_equal(told->axes[1].position_frames, TP_MOBILE_CAN_OWN | TP_MOBILE_CAN_WORLD);
    assert_true(told->axes[1].holonomic);
    play_assert_near(told->min_turn_radius, 0);
    play_destroy(p);

    p = begin(true, "axes=x,y,yaw min_turn_radius=1");
    told = play_get(p, TP_MOBILE_REQ_GET_ABILITIES, NULL);
    assert_int_equal(told->axes_count, 3);
    assert_int_equal(told->axes[0].position_frames, TP_MOBILE_CAN_OWN | TP_MOBILE_CAN_WORLD);
    assert_int_equal(told->axes[1].velocity_frames, TP_MOBILE_CAN_OWN | TP_MOBILE_CAN_WORLD);
    assert_true(told->axes[1].holonomic);
    assert_false(told->axes[2].holonomic);
    play_assert_near(told->min_turn_radius, 1);
    play_destroy(p);
}

static void a_new_origin_ends_ways_to_places(void **state)
{
    play *p = begin(true, NULL);

    (void)state;
    play_assert_request_refused(p, TP_MOBILE_REQ_RESET_ODOMETRY, NULL,
                                "a puppet without RESET_ODOM");
    puppet_at(&p->b, base)->agrees[TP_POSITION2D_REQ_RESET_ODOM] = true;
    move(p, velocity(TP_MOBILE_X, 0.2));
    play_request(p, TP_MOBILE_REQ_RESET_ODOMETRY, NULL);
    puppet_wait(&p->b, 0);
    assert_velocity(p, 0.2, 0, 0); /* velocities stay */
    move(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 3));
    play_request(p, TP_MOBILE_REQ_RESET_ODOMETRY, NULL);
    puppet_wait(&p->b, 0);
    assert_velocity(p, 0, 0, 0);
    is_at(p, 0, 0, 0);
    assert_false(is_moving(p));
    play_destroy(p);
}

static void a_failure_under_it_ends_everything(void **state)
{
    play *p = begin(false, "rate=10");
    const tp_failure failure = {.code = TP_E_IO, .text_count = 4, .text = play_chars("off")};

    (void)state;
    move(p, axis(TP_MOBILE_YAW, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 3));
    const uint32_t before = velocities(p);
    puppet_send(&p->b, base, TP_COMMON_DATA_ERROR, &failure);
    const tp_failure *told = play_last(p, TP_COMMON_DATA_ERROR);
    assert_string_equal(told->text, "off");
    is_at(p, 0, 0, 2.9);
    puppet_wait(&p->b, 1);
    assert_int_equal(velocities(p), before);
    play_destroy(p);
}

static void a_halt_goes_to_the_device_and_ends_everything(void **state)
{
    play *p = begin(false, "rate=10");

    (void)state;
    move(p, axis(TP_MOBILE_YAW, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 3));
    const uint32_t before = velocities(p);
    play_request(p, TP_COMMON_REQ_HALT, NULL);
    is_at(p, 0, 0, 2.9);
    puppet_wait(&p->b, 1);
    assert_int_equal(puppet_at(&p->b, base)->halts, 1);
    assert_int_equal(velocities(p), before);
    assert_false(is_moving(p));
    play_destroy(p);
}

static void closing_it_stops_the_robot(void **state)
{
    play *p = begin(true, NULL);

    (void)state;
    move(p, velocity(TP_MOBILE_X, 0.2));
    play_close(p);
    puppet_wait(&p->b, 0);
    assert_velocity(p, 0, 0, 0);
    play_destroy(p);
}

/* ---- position1d and position3d --------------------------------------------------------------- */

static void a_position1d_has_one_axis(void **state)
{
    play *p = begin_on("position1d:0", true, "axes=yaw");
    const tp_position1d_data there = {.pos = 5, .vel = 0.5f, .stall = 1};

    (void)state;
    puppet_send(&p->b, "position1d:0", TP_POSITION1D_DATA_STATE, &there);
    const tp_mobile_data *data = play_last(p, TP_MOBILE_DATA_STATE);
    play_assert_near(data->pose.pyaw, 5);
    play_assert_near(data->vel.pyaw, 0.5);
    assert_true(data->stall);
    move(p, velocity(TP_MOBILE_YAW, 0.3));
    const tp_position1d_cmd_vel *vel = puppet_last(&p->b, "position1d:0", TP_POSITION1D_CMD_VEL);
    play_assert_near((double)vel->vel, (double)0.3f);
    stop(p);
    move(p, axis(TP_MOBILE_YAW, TP_MOBILE_POSITION, TP_MOBILE_OWN, 4)); /* more than half a turn */
    const tp_position1d_cmd_pos *pos = puppet_last(&p->b, "position1d:0", TP_POSITION1D_CMD_POS);
    play_assert_near((double)pos->pos, 9);
    play_assert_near((double)pos->vel, 1);
    puppet_at(&p->b, "position1d:0")->agrees[TP_POSITION1D_REQ_RESET_ODOM] = true;
    play_request(p, TP_MOBILE_REQ_RESET_ODOMETRY, NULL);
    play_destroy(p);
}

static void a_line_knows_no_frames(void **state)
{
    play *p = begin_on("position1d:0", false, NULL);
    const tp_position1d_data there = {.pos = 2};

    (void)state;
    puppet_send(&p->b, "position1d:0", TP_POSITION1D_DATA_STATE, &there);
    const tp_mobile_axis_result *result =
        move(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 1));
    assert_int_equal(result->outcome, TP_MOBILE_DONE);
    const tp_position1d_cmd_vel *vel = puppet_last(&p->b, "position1d:0", TP_POSITION1D_CMD_VEL);
    play_assert_near((double)vel->vel, -0.5);
    result = move(p, axis(TP_MOBILE_X, TP_MOBILE_VELOCITY, TP_MOBILE_WORLD, 0.1));
    assert_int_equal(result->outcome, TP_MOBILE_DONE);
    play_destroy(p);
}

/* "A blimp": Z position world; X and YAW velocity own. */
static void a_blimp_holds_its_height(void **state)
{
    play *p = begin_on("position3d:0", true, "axes=x,z,yaw rate=10");
    const tp_position3d_data there = {.pos = {.pz = 1, .pyaw = 0.2}, .vel = {.pz = 0.1}};
    const tp_mobile_cmd cmd = {.axes_count = 3,
                               .axes = {axis(TP_MOBILE_Z, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 3),
                                        velocity(TP_MOBILE_X, 0.4), velocity(TP_MOBILE_YAW, 0.1)}};

    (void)state;
    puppet_send(&p->b, "position3d:0", TP_POSITION3D_DATA_STATE, &there);
    const tp_mobile_data *data = play_last(p, TP_MOBILE_DATA_STATE);
    play_assert_near(data->pose.pz, 1);
    play_assert_near(data->vel.pz, 0.1);
    play_request(p, TP_MOBILE_REQ_MOVE, &cmd);
    puppet_wait(&p->b, 0);
    const tp_position3d_cmd_vel *vel =
        puppet_last(&p->b, "position3d:0", TP_POSITION3D_CMD_SET_VEL);
    play_assert_near(vel->vel.px, 0.4);
    play_assert_near(vel->vel.pz, 0.5);
    play_assert_near(vel->vel.pyaw, 0.1);
    stop(p);
    move(p, axis(TP_MOBILE_Z, TP_MOBILE_POSITION, TP_MOBILE_OWN, -0.5));
    const tp_position3d_cmd_pos *pos =
        puppet_last(&p->b, "position3d:0", TP_POSITION3D_CMD_SET_POS);
    play_assert_near(pos->pos.pz, 0.5);
    play_assert_near(pos->pos.pyaw, 0.2);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_cannot_do_is_refused_with_its_reason),
        cmocka_unit_test(axes_that_do_not_go_together_are_left_as_they_were),
        cmocka_unit_test(an_axis_at_rest_does_not_stand_in_the_way),
        cmocka_unit_test(positions_wait_until_it_knows_where_it_is),
        cmocka_unit_test(commands_that_make_no_sense_are_refused),
        cmocka_unit_test(a_command_is_answered_by_data),
        cmocka_unit_test(abilities_come_from_the_device_and_its_properties),
        cmocka_unit_test(a_new_origin_ends_ways_to_places),
        cmocka_unit_test(a_failure_under_it_ends_everything),
        cmocka_unit_test(a_halt_goes_to_the_device_and_ends_everything),
        cmocka_unit_test(closing_it_stops_the_robot),
        cmocka_unit_test(a_position1d_has_one_axis),
        cmocka_unit_test(a_line_knows_no_frames),
        cmocka_unit_test(a_blimp_holds_its_height),
    };

    return cmocka_run_group_tests_name("abilities_test", tests, NULL, NULL);
}
