/* mobile_test.c - a robot in the plane, commanded axis by axis. */
#include "mobile_test.h"

#include <math.h>

#include "conformance/visit.h"
#include "support/memory.h"

extern const tp_driver tp_driver_fake;

/* ---- Velocities ------------------------------------------------------------------------------ */

static void velocities_are_sent_and_kept_by_axes_that_are_not_named(void **state)
{
    play *p = begin(true, NULL);
    const tp_mobile_axis_result *result =
        move_both(p, velocity(TP_MOBILE_X, 0.3), velocity(TP_MOBILE_YAW, -0.4));

    (void)state;
    assert_int_equal(result[0].outcome, TP_MOBILE_DONE);
    assert_int_equal(result[1].outcome, TP_MOBILE_DONE);
    assert_velocity(p, 0.3, 0, -0.4);
    move(p, velocity(TP_MOBILE_X, 0.1));
    assert_velocity(p, 0.1, 0, -0.4);
    stop(p);
    assert_velocity(p, 0, 0, 0);
    puppet_wait(&p->b, 1);
    assert_int_equal(velocities(p), 3); /* nothing is said twice */
    play_destroy(p);
}

static void values_and_limits_are_cut_to_what_it_can_do(void **state)
{
    play *p = begin(true, "max_speed=0.8 max_acceleration=2");
    const tp_mobile_axis_result *result =
        move(p, limited(velocity(TP_MOBILE_X, -3), TP_MOBILE_LIMIT_ABSOLUTE, 5));

    (void)state;
    assert_int_equal(result->outcome, TP_MOBILE_MODIFIED);
    play_assert_near(result->value, -0.8);
    play_assert_near(result->limit, 2);
    result = move(p, limited(velocity(TP_MOBILE_X, 0.5), TP_MOBILE_LIMIT_PERCENT, 150));
    assert_int_equal(result->outcome, TP_MOBILE_MODIFIED);
    play_assert_near(result->limit, 100);
    result = move(p, limited(velocity(TP_MOBILE_X, 0.5), TP_MOBILE_LIMIT_PERCENT, 50));
    assert_int_equal(result->outcome, TP_MOBILE_DONE);
    play_destroy(p);
}

static void a_limit_of_acceleration_makes_a_ramp(void **state)
{
    play *p = begin(true, "rate=10 max_acceleration=2");

    (void)state;
    move(p, limited(velocity(TP_MOBILE_X, 0.5), TP_MOBILE_LIMIT_PERCENT, 50)); /* 1 m/s^2 */
    assert_velocity(p, 0, 0, 0);
    puppet_wait(&p->b, 0.1);
    assert_velocity(p, 0.1, 0, 0);
    puppet_wait(&p->b, 0.2);
    assert_velocity(p, 0.3, 0, 0);
    puppet_wait(&p->b, 0.3);
    assert_velocity(p, 0.5, 0, 0);
    const uint32_t before = velocities(p);
    puppet_wait(&p->b, 10);
    assert_int_equal(velocities(p), before);
    move(p, limited(velocity(TP_MOBILE_X, 0), TP_MOBILE_LIMIT_ABSOLUTE, 1));
    puppet_wait(&p->b, 0.2);
    assert_velocity(p, 0.3, 0, 0);
    puppet_wait(&p->b, 0.4);
    assert_velocity(p, 0, 0, 0);
    play_destroy(p);
}

static void an_acceleration_grows_up_to_its_limit(void **state)
{
    play *p = begin(true, "rate=10 max_turn_speed=2");
    const tp_mobile_axis_cmd faster =
        axis(TP_MOBILE_YAW, TP_MOBILE_ACCELERATION, TP_MOBILE_OWN, -0.5);

    (void)state;
    move(p, limited(faster, TP_MOBILE_LIMIT_ABSOLUTE, 0.2));
    puppet_wait(&p->b, 0.1);
    assert_velocity(p, 0, 0, -0.05);
    puppet_wait(&p->b, 5);
    assert_velocity(p, 0, 0, -0.2);
    move(p, faster); /* up to what it can do, from where it is */
    puppet_wait(&p->b, 1);
    assert_velocity(p, 0, 0, -0.7);
    puppet_wait(&p->b, 10);
    assert_velocity(p, 0, 0, -2);
    play_destroy(p);
}

static void a_velocity_in_the_world_turns_against_the_robot(void **state)
{
    play *p = begin(true, "rate=10 axes=x,y,yaw");

    (void)state;
    move_both(p, axis(TP_MOBILE_X, TP_MOBILE_VELOCITY, TP_MOBILE_WORLD, 0.4),
              velocity(TP_MOBILE_YAW, 0.5));
    assert_velocity(p, 0.4, 0, 0.5);
    is_at(p, 1, 0, quarter);
    puppet_wait(&p->b, 0.1);
    assert_velocity(p, 0, -0.4, 0.5);
    is_at(p, 1, 0, 2 * quarter);
    puppet_wait(&p->b, 0.1);
    assert_velocity(p, -0.4, 0, 0.5);
    play_destroy(p);
}

static void a_car_turns_only_while_it_drives(void **state)
{
    play *p = begin(true, "min_turn_radius=2");
    const tp_mobile_axis_result *result =
        move_both(p, velocity(TP_MOBILE_YAW, 1), velocity(TP_MOBILE_X, 0.4));

    (void)state;
    assert_int_equal(result[0].outcome, TP_MOBILE_MODIFIED);
    play_assert_near(result[0].value, 0.2);
    assert_int_equal(result[1].outcome, TP_MOBILE_DONE);
    assert_velocity(p, 0.4, 0, 0.2);
    move(p, velocity(TP_MOBILE_X, 0.1));
    assert_velocity(p, 0.1, 0, 0.05);
    stop(p);
    result = move(p, velocity(TP_MOBILE_YAW, 1));
    assert_int_equal(result->outcome, TP_MOBILE_MODIFIED);
    play_assert_near(result->value, 0);
    result = move_both(p, velocity(TP_MOBILE_YAW, 1),
                       axis(TP_MOBILE_X, TP_MOBILE_ACCELERATION, TP_MOBILE_OWN, 0.1));
    assert_int_equal(result[0].outcome, TP_MOBILE_DONE); /* nobody knows how fast it will be */
    puppet_wait(&p->b, 1);
    assert_velocity(p, 0.1, 0, 0.05);
    play_destroy(p);
}

/* ---- Positions ------------------------------------------------------------------------------- */

static void positions_are_left_to_a_device_that_takes_them(void **state)
{
    play *p = begin(true, "max_speed=0.8");

    (void)state;
    move_both(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 3),
              limited(axis(TP_MOBILE_YAW, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 1),
                      TP_MOBILE_LIMIT_PERCENT, 50));
    play_assert_pose(&place(p)->pos, 3, 0, 1);
    play_assert_near(place(p)->vel.px, 0.8);
    play_assert_near(place(p)->vel.pa, 0.5);
    assert_int_equal(place(p)->state, 1);
    assert_int_equal(velocities(p), 0);
    play_destroy(p);
}

/* The Descartes: absolute heading, forward distance, percent of speed. */
static void a_heading_and_a_distance_are_a_place(void **state)
{
    play *p = begin(true, "max_speed=0.8");

    (void)state;
    is_at(p, 1, 2, quarter);
    move_both(p, axis(TP_MOBILE_YAW, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 0.5),
              limited(axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_OWN, 1.5),
                      TP_MOBILE_LIMIT_PERCENT, 25));
    play_assert_pose(&place(p)->pos, 1, 3.5, 0.5);
    play_assert_near(place(p)->vel.px, 0.2);
    play_destroy(p);
}

static void it_is_moving_until_it_is_there(void **state)
{
    play *p = begin(true, "tolerance=0.1,0.2");

    (void)state;
    assert_false(is_moving(p));
    move_both(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 2),
              axis(TP_MOBILE_YAW, TP_MOBILE_POSITION, TP_MOBILE_OWN, 3));
    is_at(p, 1, 0, 0);
    assert_true(is_moving(p));
    is_at(p, 1.95, 0, 0);
    assert_true(is_moving(p)); /* it has not turned */
    is_at(p, 1.95, 0.3, 3.1);
    assert_false(is_moving(p));
    is_at(p, 1, 0, 0);
    assert_false(is_moving(p)); /* it was there */
    play_destroy(p);
}

static void who_stands_still_for_a_second_has_given_up(void **state)
{
    play *p = begin(true, NULL);
    const tp_position2d_data stands = {0};

    (void)state;
    move(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 2));
    puppet_wait(&p->b, 0.9);
    is_at(p, 0.5, 0, 0); /* it moves */
    puppet_wait(&p->b, 0.9);
    puppet_send(&p->b, base, TP_POSITION2D_DATA_STATE, &stands);
    assert_true(is_moving(p));
    puppet_wait(&p->b, 0.1);
    puppet_send(&p->b, base, TP_POSITION2D_DATA_STATE, &stands);
    assert_false(is_moving(p));
    play_destroy(p);
}

static void without_places_it_steers_by_itself(void **state)
{
    play *p = begin(false, "rate=10 max_speed=0.5 max_acceleration=1");

    (void)state;
    is_at(p, 1, 0, quarter);
    move(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_OWN, 2)); /* forward, so along y */
    assert_velocity(p, 0.5, 0, 0);
    is_at(p, 1, 1.9, quarter);
    puppet_wait(&p->b, 0.1);
    assert_velocity(p, 0.2, 0, 0); /* it slows down before the end */
    assert_true(is_moving(p));
    is_at(p, 1, 1.9, quarter + 0.3);
    puppet_wait(&p->b, 0.1);
    assert_velocity(p, 0.2 * cos(0.3), 0, 0); /* it cannot go sideways */
    is_at(p, 1, 2.1, quarter);                /* beyond */
    puppet_wait(&p->b, 0.1);
    assert_velocity(p, -0.2, 0, 0);
    is_at(p, 1, 1.98, quarter);
    puppet_wait(&p->b, 0.1);
    assert_velocity(p, 0, 0, 0);
    is_at(p, 1, 1.98, quarter);
    assert_false(is_moving(p));
    assert_int_equal(puppet_at(&p->b, base)->commands[TP_POSITION2D_CMD_POS], 0);
    play_destroy(p);
}

static void it_can_stop_in_time(void **state)
{
    play *p = begin(false, "max_acceleration=0.01");

    (void)state;
    move(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_OWN, 2));
    assert_velocity(p, 0.2, 0, 0); /* the square root of 2 times 0.01 times 2 */
    play_destroy(p);
}

static void a_ramp_begins_at_rest_after_a_place(void **state)
{
    play *p = begin(true, "rate=10");

    (void)state;
    move(p, velocity(TP_MOBILE_X, 0.5));
    move(p, axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 3));
    move(p, limited(velocity(TP_MOBILE_X, 0.5), TP_MOBILE_LIMIT_ABSOLUTE, 1));
    assert_velocity(p, 0, 0, 0);
    puppet_wait(&p->b, 0.1);
    assert_velocity(p, 0.1, 0, 0);
    play_destroy(p);
}

/* Positions of some axes beside velocities of others are this driver's own work. */
static void a_heading_is_held_while_it_drives(void **state)
{
    play *p = begin(true, "rate=10 max_turn_acceleration=2");

    (void)state;
    move_both(p, velocity(TP_MOBILE_X, 0.3),
              axis(TP_MOBILE_YAW, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 3));
    assert_velocity(p, 0.3, 0, 1);
    is_at(p, 0, 0, -3); /* the short way is to the right */
    puppet_wait(&p->b, 0.1);
    const double left = remainder(3 - -3, 4 * quarter);
    assert_true(left < 0);
    assert_velocity(p, 0.3, 0, 2 * left);
    is_at(p, 0, 0, 3);
    puppet_wait(&p->b, 0.1);
    assert_velocity(p, 0.3, 0, 0);
    play_destroy(p);
}

/* "Go to (x, y) while spinning": a robot that moves in every direction can. */
static void it_goes_to_a_place_while_spinning(void **state)
{
    play *p = begin(true, "rate=10 axes=x,y,yaw max_speed=0.5");
    const tp_mobile_cmd cmd = {.axes_count = 3,
                               .axes = {axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_WORLD, 4),
                                        axis(TP_MOBILE_Y, TP_MOBILE_POSITION, TP_MOBILE_WORLD, -4),
                                        velocity(TP_MOBILE_YAW, 0.7)}};
    const tp_mobile_result *result = play_get(p, TP_MOBILE_REQ_MOVE, &cmd);

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(result->axes[i].outcome, TP_MOBILE_DONE);
    }
    puppet_wait(&p->b, 0);
    assert_velocity(p, 0.5, -0.5, 0.7);
    is_at(p, 1, -1, quarter);
    puppet_wait(&p->b, 0.1);
    assert_velocity(p, -0.5, -0.5, 0.7);
    is_at(p, 4, -4, 0);
    puppet_wait(&p->b, 0.1);
    assert_velocity(p, 0, 0, 0.7);
    play_destroy(p);
}

/* ---- On a robot ------------------------------------------------------------------------------ */

static void a_fake_robot_drives_a_square(void **state)
{
    play *p = play_create();
    const tp_mobile_data *data = NULL;

    (void)state;
    play_add(p, &tp_driver_fake, "position2d:0", NULL, "rate=1000 noise=0");
    play_add(p, &tp_driver_mobile, "mobile:0", "position2d:0", "tolerance=0.001,0.001");
    play_open(p);
    play_after(p, 0, TP_MOBILE_DATA_STATE);
    for (int side = 0; side < 4; side++) {
        const tp_mobile_cmd go = {
            .axes_count = 2,
            .axes = {axis(TP_MOBILE_X, TP_MOBILE_POSITION, TP_MOBILE_OWN, 1),
                     axis(TP_MOBILE_YAW, TP_MOBILE_POSITION, TP_MOBILE_OWN, quarter)}};
        play_request(p, TP_MOBILE_REQ_MOVE, &go);
        do {
            data = play_after(p, 0.1, TP_MOBILE_DATA_STATE);
        } while (data->moving != 0);
    }
    play_assert_near(data->pose.px, 0);
    play_assert_near(data->pose.py, 0);
    play_destroy(p);
}

static void steps_allocate_nothing_once_it_runs(void **state)
{
    play *p = begin(false, "rate=10");

    (void)state;
    for (int i = 0; i < 10; i++) {
        move(p, axis(TP_MOBILE_YAW, TP_MOBILE_POSITION, TP_MOBILE_WORLD, i % 2));
        is_at(p, 0, 0, 0.5);
    }
    const size_t before = memory_allocations();
    const size_t copies = velocities(p);
    for (int i = 0; i < 100; i++) {
        move(p, axis(TP_MOBILE_YAW, TP_MOBILE_POSITION, TP_MOBILE_WORLD, i % 2));
        is_at(p, 0, 0, 0.5);
        puppet_wait(&p->b, 0.1);
    }
    /* The puppet copies each command that it gets. */
    assert_int_equal(memory_allocations() - before, velocities(p) - copies);
    play_destroy(p);
}

static void wrong_settings_are_refused_with_a_sentence(void **state)
{
    static const struct {
        const char *requires;
        const char *settings;
        const char *why;
    } wrong[] = {
        {NULL, NULL, "mobile0: `requires` has 0 devices in place of one"},
        {"ptz:0", NULL,
         "mobile0: a ptz does not move: give a position1d, position2d or position3d"},
        {"position2d:0", "axes=x,z", "mobile0: a position2d has no axis z"},
        {"position2d:0", "axes=w", "mobile0: a position2d has no axis w"},
        {"position1d:0", "axes=x,y", "mobile0: axes: a position1d has one axis"},
        {"position2d:0", "max_speed=0", "mobile0: max_speed \"0\" is not a number above 0"},
        {"position2d:0", "min_turn_radius=-1",
         "mobile0: min_turn_radius \"-1\" is not a number of at least 0"},
        {"position2d:0", "tolerance=0.1",
         "mobile0: tolerance is a length and an angle, both above 0"},
        {"position2d:0", "rate=0", "mobile0: rate \"0\" is not between 0.1 and 1000"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        play_assert_not_added(&tp_driver_mobile, "mobile:0", wrong[i].requires, wrong[i].settings,
                              wrong[i].why);
    }
}

/* ---- Leases ---------------------------------------------------------------------------------- */

/* The next step of a ramp is due before the end of the lease, and both are over when the program
 * goes on. */
static void after_a_freeze_a_ramp_ends_without_another_step(void **state)
{
    play *p = begin(true, "rate=10 max_acceleration=2");
    visit v = {.b = &p->b};
    tp_session *session = visit_begin(&v, "anna");
    const tp_mobile_cmd cmd = {
        .axes_count = 1,
        .axes = {limited(velocity(TP_MOBILE_X, 0.5), TP_MOBILE_LIMIT_PERCENT, 50)}};

    (void)state;
    assert_int_equal(visit_open(&v, session, p->device, TP_ALL_MODE), TP_OK);
    assert_int_equal(
        visit_send(session, p->device, TP_KIND_REQUEST, TP_MOBILE_REQ_MOVE, &cmd, 0, &p->b.err),
        TP_OK);
    puppet_wait(&p->b, 0.1);
    puppet_wait(&p->b, 0.1);
    const uint32_t before = velocities(p);
    const uint32_t halts = puppet_at(&p->b, base)->halts;
    assert_velocity(p, 0.2, 0, 0);
    puppet_wait(&p->b, 6);
    assert_int_equal(velocities(p), before);
    assert_int_equal(puppet_at(&p->b, base)->halts, halts + 1);
    tp_session_destroy(session);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_are_sent_and_kept_by_axes_that_are_not_named),
        cmocka_unit_test(values_and_limits_are_cut_to_what_it_can_do),
        cmocka_unit_test(a_limit_of_acceleration_makes_a_ramp),
        cmocka_unit_test(an_acceleration_grows_up_to_its_limit),
        cmocka_unit_test(a_velocity_in_the_world_turns_against_the_robot),
        cmocka_unit_test(a_car_turns_only_while_it_drives),
        cmocka_unit_test(positions_are_left_to_a_device_that_takes_them),
        cmocka_unit_test(a_heading_and_a_distance_are_a_place),
        cmocka_unit_test(it_is_moving_until_it_is_there),
        cmocka_unit_test(who_stands_still_for_a_second_has_given_up),
        cmocka_unit_test(without_places_it_steers_by_itself),
        cmocka_unit_test(it_can_stop_in_time),
        cmocka_unit_test(a_ramp_begins_at_rest_after_a_place),
        cmocka_unit_test(a_heading_is_held_while_it_drives),
        cmocka_unit_test(it_goes_to_a_place_while_spinning),
        cmocka_unit_test(a_fake_robot_drives_a_square),
        cmocka_unit_test(steps_allocate_nothing_once_it_runs),
        cmocka_unit_test(after_a_freeze_a_ramp_ends_without_another_step),
        cmocka_unit_test(wrong_settings_are_refused_with_a_sentence),
    };

    return cmocka_run_group_tests_name("mobile_test", tests, NULL, NULL);
}
