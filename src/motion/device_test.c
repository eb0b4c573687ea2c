/* device_test.c - other devices, rights, leases, UPDATE: what comes from outside of the protocol's
 * commands. */
#include "support/motion.h"

/* ---- Other devices ---- */

static void another_device_takes_over_while_a_motion_plays(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const double tolerances[2] = {0.01, 0.01};
    int64_t from = 0;

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SET, 1, &(tpi_motion_set){1, 0, 1, 2000000});
    bench_set_later(b, c, 2, 3000, 0.5);
    bench_wait(b, c, 1000);
    const size_t before = b->count;
    const double at = bench_last(b, 1)->values[0];
    const tpi_motion_dof_state near[2] = {{at, 0, 0}, {0.005, 0, 0}};
    assert_int_equal(
        tpi_motion_engine_rebind(b->engine, 1, near, tolerances, b->now_ns, &from, NULL), TP_OK);
    assert_true(from > b->writes[before - 1].due_ns);
    bench_wait(b, c, 10);
    assert_int_equal(b->writes[before].due_ns, from); /* all of it, at once */
    assert_true(b->writes[before].values[0] >= at && b->writes[before].values[0] < at + 0.01);
    bench_wait(b, c, 4500);
    assert_true(bench_last(b, 1)->values[0] == 0.5); /* the queue was kept */
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, true, "done");
}

static void a_device_at_another_place_is_refused(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const double tolerances[2] = {0.01, 0.01};
    const tpi_motion_dof_state away[2] = {{0.25, 0, 0}, {0.02, 0, 0}};
    int64_t from = 0;
    tp_error err = {0};

    bench_set(b, c, 1, 1, 0.25);
    bench_wait(b, c, 3000);
    const size_t before = b->count;
    assert_int_equal(
        tpi_motion_engine_rebind(b->engine, 1, away, tolerances, b->now_ns, &from, &err),
        TP_E_RANGE);
    assert_string_equal(err.text, "head, dof 1: the device is at 0.02 instead of 0");
    assert_int_equal(
        tpi_motion_engine_rebind(b->engine, 9, away, tolerances, b->now_ns, &from, &err),
        TP_E_INVALID);
    bench_wait(b, c, 100);
    assert_int_equal(b->count, before);
}

/* What is driven by speed agrees if the new device measures what the old one did. */
static void a_goto_is_issued_to_the_new_device(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const double tolerances[3] = {0.1, 0.1, 0.1};
    const tpi_motion_dof_state states[3] = {{3, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    int64_t from = 0;

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_GOTO, 1, &(tpi_motion_goto){1, 2, 3, 0});
    for (uint16_t i = 0; i < 3; i++) {
        tpi_motion_engine_measured(b->engine, i, &states[i]);
    }
    bench_wait(b, c, 100);
    assert_int_equal(b->count, 1);
    assert_int_equal(
        tpi_motion_engine_rebind(b->engine, 0, states, tolerances, b->now_ns, &from, NULL), TP_OK);
    bench_wait(b, c, 100);
    assert_int_equal(b->count, 2);
    assert_int_equal(b->writes[1].write.what, TPI_MOTION_WRITE_GOTO);
    assert_true(b->writes[1].values[1] == 2);
}

static void a_motion_of_the_device_cannot_be_interrupted(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    tpi_motion_engine_occupied(b->engine, 0, "makes a step", b->now_ns);
    bench_speed(b, c, 1, 0.5, 0, 0);
    bench_set(b, c, 2, 1, 0.5);
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_STOP, 3, &(tpi_motion_empty){0});
    bench_wait(b, c, 100);
    bench_expect(b, c, 1, TPI_MOTION_BUSY, true, "base makes a step");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 3, TPI_MOTION_SUCCESS, false, "started");
    tpi_motion_engine_occupied(b->engine, 0, NULL, b->now_ns);
    bench_speed(b, c, 4, 0.5, 0, 0);
    bench_wait(b, c, 1000);
    assert_true(bench_last(b, 0)->values[0] == 0.5);
}

/* ---- Clients ---- */

static void a_client_that_may_not_move_any_more_stops(void **state)
{
    struct bench *b = *state;
    const uint32_t c = tpi_motion_engine_join(b->engine, "a", 0, 0, b->now_ns);

    bench_speed(b, c, 1, 0.5, 0, 0);
    bench_expect(b, c, 1, TPI_MOTION_ERROR, true, "this client may not move the robot");
    tpi_motion_engine_grant(b->engine, c, 2, 0, b->now_ns);
    bench_speed(b, c, 2, 0.5, 0, 0);
    bench_wait(b, c, 1000);
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, false, "started");
    assert_true(bench_last(b, 0)->values[0] == 0.5);
    tpi_motion_engine_grant(b->engine, c, 1, 0, b->now_ns);
    bench_wait(b, c, 1000);
    bench_expect(b, c, 2, TPI_MOTION_INTERRUPTED, true,
                 "this client may not move the robot any more");
    assert_true(bench_last(b, 0)->values[0] == 0);
}

static void a_lease_is_granted_up_to_the_longest(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    tpi_motion_record record;
    tpi_motion_lease lease;

    assert_int_equal(tpi_motion_engine_settings(b->engine)->frames, 4096);
    assert_int_equal(tpi_motion_engine_lease(b->engine, c, 0), 5000 * BENCH_MS);
    assert_int_equal(tpi_motion_engine_lease(b->engine, c, INT64_MAX), 30000 * BENCH_MS);
    assert_int_equal(tpi_motion_engine_lease(b->engine, c, 200 * BENCH_MS), 200 * BENCH_MS);
    bench_speed(b, c, 1, 0.2, 0, 0);
    bench_run(b, BENCH_START + 1000 * BENCH_MS);
    assert_true(bench_last(b, 0)->values[0] == 0);
    bench_drain(b, c);
    bench_session(b, c, TPI_MOTION_LEASE, &(tpi_motion_lease){UINT64_MAX});
    assert_true(bench_next(b, c, &record));
    bench_get(&record, &lease);
    assert_int_equal(lease.lease_us, 30000000);
}

/* Its own time line stands, so that it does not drive yet; nor does the base drive on. */
static void a_goto_on_a_line_that_stands_stops_the_base(void **state)
{
    const tpi_motion_header now = {.mode = TPI_MOTION_DELAY};
    struct bench *b = *state;
    const uint32_t low = bench_join(b, "low", 0), high = bench_join(b, "high", 1);

    bench_rate(b, high, 0);
    bench_speed(b, low, 1, 0.5, 0, 0);
    bench_wait(b, low, 2000);
    assert_true(bench_last(b, 0)->values[0] == 0.5);
    bench_send(b, high, now, TPI_MOTION_GOTO, 2, &(tpi_motion_goto){9, 0, 0, 0});
    bench_run(b, b->now_ns + 100 * BENCH_MS);
    assert_int_equal(bench_last(b, 0)->write.what, TPI_MOTION_WRITE_STOP);
    bench_rate(b, high, 1);
    bench_run(b, b->now_ns + 2000 * BENCH_MS);
    assert_int_equal(bench_last(b, 0)->write.what, TPI_MOTION_WRITE_GOTO);
}

static void a_higher_rank_does_not_interrupt_home(void **state)
{
    struct bench *b = *state;
    const uint32_t low = bench_join(b, "planner", 0), high = bench_join(b, "joystick", 5);

    bench_set(b, low, 1, 1, 1);
    bench_wait(b, low, 3000);
    bench_send(b, low, BENCH_DIRECT, TPI_MOTION_HOME, 2, &(tpi_motion_home){1});
    bench_wait(b, low, 100);
    bench_set(b, high, 3, 1, 0.5);
    bench_expect(b, high, 3, TPI_MOTION_BUSY, true, "head:0 is moved by planner");
    bench_wait(b, low, 3000);
    assert_true(bench_last(b, 1)->values[0] == 0);
    bench_set(b, high, 4, 1, 0.5);
    bench_wait(b, high, 3000);
    assert_true(bench_last(b, 1)->values[0] == 0.5);
}

/* ---- Forces ---- */

static void a_force_ends_with_its_command(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_FORCE, 1, &(tpi_motion_drive){2, 0, 3});
    bench_wait(b, c, 100);
    assert_true(bench_last(b, 2)->values[0] == 3);
    assert_int_equal(bench_last(b, 2)->servo[0], TPI_MOTION_SERVO_FORCE);
    bench_rate(b, c, 0);
    bench_wait(b, c, 1000);
    assert_true(bench_last(b, 2)->values[0] == 3); /* kept in a hold */
    bench_rate(b, c, 1);
    bench_session(b, c, TPI_MOTION_CANCEL, &(tpi_motion_tag){1});
    bench_wait(b, c, 100);
    assert_true(bench_last(b, 2)->values[0] == 0);
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_FORCE, 2, &(tpi_motion_drive){2, 0, 99});
    bench_run(b, b->now_ns + 4000 * BENCH_MS);
    assert_true(bench_last(b, 2)->values[0] == 10); /* its limit */
    bench_run(b, b->now_ns + 2000 * BENCH_MS);
    assert_true(bench_last(b, 2)->values[0] == 0); /* the lease has ended */
}

/* ---- Times ---- */

static void times_of_an_earlier_server_are_refused(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_wait(b, c, 1000);
    bench_set_later(b, c, 1, -1, 0.5);
    bench_expect(b, c, 1, TPI_MOTION_ERROR, true, "the time is before the start of the server");
    bench_set_later(b, c, 2, 1, 0.5); /* late: it runs now */
    bench_wait(b, c, 2000);
    assert_true(bench_last(b, 1)->values[0] == 0.5);
}

/* ---- UPDATE ---- */

static void update(struct bench *b, uint32_t client, uint8_t field, uint16_t index, double value,
                   const char *why)
{
    bench_session(b, client, TPI_MOTION_UPDATE,
                  &(tpi_motion_update){.field = field, .index = index, .value = {value}});
    bench_expect(b, client, 9999, *why == '\0' ? TPI_MOTION_SUCCESS : TPI_MOTION_ERROR, true, why);
}

static void limits_are_narrowed_and_widened_again(void **state)
{
    struct bench *b = bench_arm(3);
    const uint32_t c = tpi_motion_engine_join(b->engine, "a", 3, 0, b->now_ns);
    const uint32_t mover = bench_join(b, "b", 0);

    (void)state;
    update(b, mover, TPI_MOTION_DOF_UPPER, 1, 0.5, "this client may not operate the robot");
    update(b, c, TPI_MOTION_DOF_UPPER, 1, 0.5, "");
    update(b, c, TPI_MOTION_DOF_LOWER, 1, 0.6, "the lower limit would be above the upper one");
    update(b, c, TPI_MOTION_DOF_UPPER, 1, 9, "the description has a narrower limit");
    update(b, c, TPI_MOTION_DOF_VELOCITY, 1, 9, "the description has a narrower limit");
    update(b, c, TPI_MOTION_DOF_VELOCITY, 1, 0, "a limit is above 0");
    update(b, c, TPI_MOTION_DOF_ACCELERATION, 1, (double)INFINITY,
           "the description has a narrower limit");
    update(b, c, TPI_MOTION_DOF_FORCE, 9, 1, "there is no such dof");
    update(b, c, 10, 0, 1, "there is no such field");
    update(b, c, TPI_MOTION_DOF_VELOCITY, 1, 0.1, "");
    bench_set(b, c, 1, 1, 2);
    bench_wait(b, c, 2000);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, false, "started; waist is clamped from 2 to 0.5");
    assert_true(bench_last(b, 0)->speeds[0] == 0.1);
    bench_wait(b, c, 8000);
    assert_true(bench_last(b, 0)->values[0] == 0.5);
    bench_drain(b, c);
    update(b, c, TPI_MOTION_DOF_UPPER, 1, 2.5, "");
    bench_set(b, c, 2, 1, 2);
    bench_wait(b, c, 20000);
    assert_true(bench_last(b, 0)->values[0] == 2);
    bench_free(b);
}

/* A client reads 1.745329 of a limit that ends in 25, 1.745330 of one that ends in 75, and the
 * largest number of one that there is not. */
static void a_client_can_use_the_limits_that_it_reads(void **state)
{
    struct bench *b = *state;
    const double upper = 1.74532975;

    tpi_motion_engine_destroy(b->engine);
    free(b->writes);
    b->joints[1].dofs[0] = bench_dof(3, upper, upper, upper);
    b->joints[2].dofs[0] = bench_dof(3, (double)INFINITY, 1, 1);
    b->robot.updates = ~0u;
    (void)bench_begin(b, NULL);
    const uint32_t c = tpi_motion_engine_join(b->engine, "a", 3, 0, b->now_ns);

    update(b, c, TPI_MOTION_DOF_UPPER, 1, 1, "");
    update(b, c, TPI_MOTION_DOF_UPPER, 1, 1.745331, "the description has a narrower limit");
    update(b, c, TPI_MOTION_DOF_UPPER, 1, 1.74533, "");
    update(b, c, TPI_MOTION_DOF_VELOCITY, 1, 1.74533, "");
    update(b, c, TPI_MOTION_DOF_UPPER, 2, 1, "");
    update(b, c, TPI_MOTION_DOF_LOWER, 2, (double)INFINITY,
           "the lower limit would be above the upper one");
    update(b, c, TPI_MOTION_DOF_UPPER, 2, (double)INFINITY, "");
    update(b, c, TPI_MOTION_DOF_LOWER, 2, (double)INFINITY,
           "the lower limit would be above the upper one");
    bench_set(b, c, 1, 1, 1.74533);
    bench_set(b, c, 2, 2, 5);
    bench_wait(b, c, 20000);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, false, "started");
    assert_true(bench_last(b, 1)->values[0] == upper);
    assert_true(bench_last(b, 2)->values[0] == 5);
}

static void links_and_frames_are_updated(void **state)
{
    struct bench *b = bench_arm(3);
    const uint32_t c = tpi_motion_engine_join(b->engine, "a", 3, 0, b->now_ns);
    const tpi_motion_joint *waist = &b->robot.joints[1], *shoulder = &b->robot.joints[2];
    const double inboard = shoulder->inboard_m[1], before = b->robot.links[1].centre_m[1];
    tpi_motion_update u = {TPI_MOTION_LINK_CENTRE, 1, 0, {0, 0.25, 0}};

    (void)state;
    bench_session(b, c, TPI_MOTION_UPDATE, &u);
    bench_drain(b, c);
    assert_near(waist->outboard_m[1], -0.25, 1e-12);
    assert_near(shoulder->inboard_m[1], inboard + before - 0.25, 1e-12);
    u = (tpi_motion_update){TPI_MOTION_LINK_INERTIA, 1, 0, {1, 2, 3, 4, 5, 6}};
    bench_session(b, c, TPI_MOTION_UPDATE, &u);
    bench_drain(b, c);
    assert_true(b->robot.links[1].inertia[5] == 6);
    update(b, c, TPI_MOTION_LINK_MASS, 2, 7.5, "");
    assert_true(b->robot.links[2].mass_kg == 7.5);
    update(b, c, TPI_MOTION_LINK_MASS, 2, -1, "a mass is not below 0");
    update(b, c, TPI_MOTION_LINK_MASS, 9, 1, "there is no such link");
    u = (tpi_motion_update){TPI_MOTION_FRAME_POSE, 0, 0, {0, 0, 0.3, 0, 0, TPI_PI / 2}};
    bench_session(b, c, TPI_MOTION_UPDATE, &u);
    bench_drain(b, c);
    assert_true(b->robot.frames[0].position_m[2] == 0.3);
    assert_near(b->robot.frames[0].rotation[3], 1, 1e-6);
    update(b, c, TPI_MOTION_FRAME_POSE, 1, 0, "there is no such frame");
    bench_free(b);
}

static void nothing_is_updated_that_the_configuration_does_not_allow(void **state)
{
    struct bench *b = *state;
    const uint32_t c = tpi_motion_engine_join(b->engine, "a", 3, 0, b->now_ns);

    update(b, c, TPI_MOTION_DOF_UPPER, 1, 0.5, "this field cannot be set");
    update(b, c, 0, 1, 0.5, "there is no such field");
}

/* ---- Followers ---- */

static void a_follower_has_a_state_and_bounds_its_master(void **state)
{
    struct bench *b = bench_arm(3);
    const uint32_t c = tpi_motion_engine_join(b->engine, "a", 3, 0, b->now_ns);
    tpi_motion_record record;
    tpi_motion_state states;

    (void)state;
    tpi_motion_engine_measured(b->engine, 6, &(tpi_motion_dof_state){0.03, 0.01, 5});
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_ASK_STATE, 1, &(tpi_motion_empty){0});
    assert_true(bench_next(b, c, &record));
    bench_get(&record, &states);
    assert_int_equal(states.count, 8);
    assert_near(states.dofs[7].position, 0.03, 1e-9);
    assert_near(states.dofs[7].velocity, 0.01, 1e-9);
    update(b, c, TPI_MOTION_DOF_UPPER, 8, 0.02, ""); /* of the follower */
    bench_set(b, c, 2, 7, 0.04);
    bench_wait(b, c, 3000);
    assert_true(bench_last(b, 1)->values[0] == 0.02);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_CASE(another_device_takes_over_while_a_motion_plays),
        BENCH_CASE(a_device_at_another_place_is_refused),
        BENCH_CASE(a_goto_is_issued_to_the_new_device),
        BENCH_CASE(a_motion_of_the_device_cannot_be_interrupted),
        BENCH_CASE(a_client_that_may_not_move_any_more_stops),
        BENCH_CASE(a_lease_is_granted_up_to_the_longest),
        BENCH_CASE(a_goto_on_a_line_that_stands_stops_the_base),
        BENCH_CASE(a_higher_rank_does_not_interrupt_home),
        BENCH_CASE(a_force_ends_with_its_command),
        BENCH_CASE(times_of_an_earlier_server_are_refused),
        BENCH_CASE(limits_are_narrowed_and_widened_again),
        BENCH_CASE(a_client_can_use_the_limits_that_it_reads),
        BENCH_CASE(links_and_frames_are_updated),
        BENCH_CASE(nothing_is_updated_that_the_configuration_does_not_allow),
        BENCH_CASE(a_follower_has_a_state_and_bounds_its_master),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
