/* engine_test.c - commands and their signals, clients side by side, queries. */
#include "motion/engine_test.h"

/* ---- Commands ---- */

static void a_speed_is_ramped_and_answered_when_it_starts_and_ends(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_speed(b, c, 1, 0.4, 0, 0);
    bench_wait(b, c, 1000);
    assert_true(b->writes[0].values[0] > 0 && b->writes[0].values[0] < 0.0081);
    assert_true(bench_last(b, 0)->values[0] == 0.4);
    assert_in_range(b->count, 48, 52); /* 0.5 s with 4/5 of 1 m/s2, then none */
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect_nothing(b, c);
    bench_speed(b, c, 2, 0.4, 0.1, 0);
    bench_wait(b, c, 100);
    bench_expect(b, c, 2, TPI_MOTION_MODIFIED, false,
                 "started; base.vy 0.1 is left out: the base cannot move so");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "replaced by a newer command");
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_STOP, 3, &(tpi_motion_empty){0});
    bench_wait(b, c, 1000);
    bench_expect(b, c, 3, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 2, TPI_MOTION_MODIFIED, true,
                 "replaced by a newer command; base.vy 0.1 is left out: the base cannot move so");
    bench_expect(b, c, 3, TPI_MOTION_SUCCESS, true, "done");
    assert_true(bench_last(b, 0)->values[0] == 0);
}

static void a_move_of_many_dofs_is_one_command_and_one_write_for_each_output(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    tpi_motion_drive targets[3] = {{1, 0, 0.5}, {1, 1, -0.25}, {2, 0, 1}};

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_MOVE, 5, &(tpi_motion_move){2000000, 1, 3, targets});
    bench_wait(b, c, 1900);
    bench_expect(b, c, 5, TPI_MOTION_SUCCESS, false, "started");
    bench_expect_nothing(b, c);
    bench_wait(b, c, 200);
    bench_expect(b, c, 5, TPI_MOTION_SUCCESS, true, "done");
    assert_true(bench_last(b, 1)->values[0] == 0.5 && bench_last(b, 1)->values[1] == -0.25);
    assert_true(bench_last(b, 2)->values[0] == 1 && bench_last(b, 2)->speeds[0] == 0);
    for (size_t i = 0; i + 1 < b->count; i++) {
        for (size_t j = i + 1; j < b->count && b->writes[j].due_ns == b->writes[i].due_ns; j++) {
            assert_int_not_equal(b->writes[j].write.output, b->writes[i].write.output);
        }
    }
    assert_int_equal(b->count, 2 * 201); /* a start and 200 periods, on two outputs */
}

/* Samples are on the grid of the motion, the last one at its end; other motions do not disturb it.
 */
static void a_motion_ends_exactly_and_is_sampled_on_its_own_grid(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    size_t samples = 0;
    int64_t start = 0;

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SET, 1, &(tpi_motion_set){1, 0, 0.5, 1234567});
    bench_wait(b, c, 3);
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SET, 2, &(tpi_motion_set){2, 0, 0.5, 1234567});
    bench_wait(b, c, 2000);
    for (size_t i = 0; i < b->count; i++) {
        if (b->writes[i].write.output == 1) {
            start = samples++ == 0 ? b->writes[i].due_ns : start;
            assert_true((b->writes[i].due_ns - start) % (10 * BENCH_MS) == 0 || samples == 125);
        }
    }
    assert_int_equal(samples, 125); /* the start, 123 periods, the end */
    assert_int_equal(bench_last(b, 1)->due_ns - start, 1234567000);
    assert_true(bench_last(b, 1)->values[0] == 0.5);
}

static void a_target_beyond_a_limit_is_clamped(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_set(b, c, 1, 1, 9);
    bench_wait(b, c, 5000);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, false, "started; head:0 is clamped from 9 to 1.5");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "head:0 is clamped from 9 to 1.5");
    assert_true(bench_last(b, 1)->values[0] == 1.5);
}

static void targets_of_a_move_are_clamped(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    tpi_motion_drive targets[2] = {{1, 0, 9}, {2, 0, -0.5}};

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_MOVE, 1, &(tpi_motion_move){0, 1, 2, targets});
    bench_wait(b, c, 5000);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, false, "started; head:0 is clamped from 9 to 1.5");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "head:0 is clamped from 9 to 1.5");
    assert_true(bench_last(b, 1)->values[0] == 1.5);
    assert_true(bench_last(b, 2)->values[0] == -0.5);
}

static void a_dof_takes_only_what_its_actuator_does(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    tpi_motion_description header;
    tpi_motion_record record;

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_FORCE, 1, &(tpi_motion_drive){1, 0, 1});
    bench_expect(b, c, 1, TPI_MOTION_NA, true, "head takes no such command");
    b->joints[0].dofs[0].servo = b->joints[0].dofs[2].servo = 0;
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_ASK_HEADER, 2, &(tpi_motion_empty){0});
    assert_true(bench_next(b, c, &record));
    bench_get(&record, &header);
    assert_int_equal(header.commands, 0xf9); /* neither SETSPEED nor STOP */
}

static void broadcasts_are_limited(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    for (int i = 0; i < 16; i++) {
        bench_session(b, c, TPI_MOTION_BROADCAST_BEGIN,
                      &(tpi_motion_broadcast){50000, TPI_MOTION_ASK_STATE, 0, 0});
        bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    }
    bench_session(b, c, TPI_MOTION_BROADCAST_BEGIN,
                  &(tpi_motion_broadcast){50000, TPI_MOTION_ASK_STATE, 0, 0});
    bench_expect(b, c, 9999, TPI_MOTION_ERROR, true, "too many broadcasts");
}

static void who_is_not_there_gets_nothing(void **state)
{
    struct bench *b = *state;
    uint16_t records = 7;

    assert_int_equal(tpi_motion_engine_take(b->engine, 5, b->answers, sizeof b->answers, &records),
                     0);
    assert_int_equal(records, 0);
    assert_true(tpi_motion_engine_lost(b->engine, 5));
    tpi_motion_engine_fault(b->engine, 3, "there is no output 3", b->now_ns);
    tpi_motion_engine_occupied(b->engine, 3, "makes a step", b->now_ns);
    bench_wait(b, 5, 100);
    assert_int_equal(b->count, 0);
}

static void a_joint_speed_ends_at_the_limit(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SPEED, 1, &(tpi_motion_drive){2, 0, 0.8});
    bench_wait(b, c, 5000);
    assert_true(bench_last(b, 2)->values[0] == 0);
    assert_int_equal(bench_last(b, 2)->servo[0], TPI_MOTION_SERVO_SPEED);
    bench_set(b, c, 2, 2, 2); /* it is there already */
    bench_wait(b, c, 20);
    assert_true(bench_last(b, 2)->values[0] == 2);
}

static void what_the_robot_does_not_have_is_said_once_and_the_rest_runs(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    uint8_t payload[512];
    size_t size = 0;
    const tpi_motion_set sets[4] = {{9, 0, 1, 0}, {0, 0, 1, 0}, {3, 0, 1, 0}, {1, 0, 0.1, 0}};

    for (uint32_t i = 0; i < 4; i++) {
        size += tpi_motion_record_put(payload + size, sizeof payload - size, TPI_MOTION_SET, i,
                                      &sets[i]);
    }
    const tpi_motion_header header = {
        .kind = TPI_MOTION_COMMAND, .records = 4, .size = (uint32_t)size, .mode = TPI_MOTION_DELAY};
    bench_package(b, c, header, payload);
    bench_wait(b, c, 1000);
    bench_expect(b, c, 0, TPI_MOTION_NA, true, "joint 9 has no dof 0");
    bench_expect(b, c, 1, TPI_MOTION_NA, true, "joint 0 takes commands of the base");
    bench_expect(b, c, 2, TPI_MOTION_NA, true, "finger follows arm");
    bench_package(b, c, header, payload);
    bench_wait(b, c, 1000);
    bench_expect_nothing(b, c);
    assert_true(bench_last(b, 1)->values[0] == 0.1);
}

static void a_goto_in_an_unknown_frame_is_na(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_GOTO, 1, &(tpi_motion_goto){1, 2, 3, 2});
    bench_expect(b, c, 1, TPI_MOTION_NA, true, "a pose is in frame 0 or 1, not 2");
}

static void a_goto_is_stopped_in_a_hold_and_issued_again(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_GOTO, 1, &(tpi_motion_goto){1, 2, 3, 0});
    bench_wait(b, c, 500);
    assert_int_equal(b->count, 1);
    assert_int_equal(b->writes[0].write.what, TPI_MOTION_WRITE_GOTO);
    assert_true(b->writes[0].values[1] == 2);
    bench_rate(b, c, 0);
    bench_wait(b, c, 500);
    assert_int_equal(b->count, 2);
    assert_int_equal(b->writes[1].write.what, TPI_MOTION_WRITE_STOP);
    bench_rate(b, c, 1);
    bench_wait(b, c, 500);
    assert_int_equal(b->count, 3);
    assert_int_equal(b->writes[2].write.what, TPI_MOTION_WRITE_GOTO);
    tpi_motion_engine_arrived(b->engine, 0, true, b->now_ns);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, true, "arrived");
}

static void home_cannot_be_interrupted(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_set(b, c, 1, 1, 1);
    bench_wait(b, c, 3000);
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_HOME, 2, &(tpi_motion_home){0xffff});
    bench_wait(b, c, 100);
    bench_drain(b, c);
    bench_set(b, c, 3, 1, 1);
    bench_wait(b, c, 3000);
    bench_expect(b, c, 3, TPI_MOTION_BUSY, true, "head:0 moves to its rest position");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, true, "done");
    assert_true(bench_last(b, 1)->values[0] == 0);
}

/* It stands there already, so that HOME ends at the instant at which it starts. Frames of the same
 * instant start in order: by their times, then as they came. What starts behind it finds it. */
static void a_command_at_the_instant_of_a_home_is_busy(void **state)
{
    const tpi_motion_header quiet = {.mode = TPI_MOTION_DELAY}; /* without signals of success */
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_send(b, c, quiet, TPI_MOTION_HOME, 1, &(tpi_motion_home){0xffff});
    bench_set(b, c, 2, 1, 1);
    bench_run(b, b->now_ns + BENCH_MS);
    bench_expect(b, c, 2, TPI_MOTION_BUSY, true, "head:0 moves to its rest position");
    bench_set(b, c, 3, 1, 1); /* an instant later it is over */
    bench_run(b, b->now_ns + BENCH_MS);
    bench_expect(b, c, 3, TPI_MOTION_SUCCESS, false, "started");
    bench_expect_nothing(b, c);
}

static void a_late_home_starts_before_a_later_frame_of_its_instant(void **state)
{
    const tpi_motion_header now = {.mode = TPI_MOTION_DELAY, .flags = TPI_MOTION_ACK};
    const tpi_motion_header before = {.mode = TPI_MOTION_DELAY,
                                      .flags = TPI_MOTION_ACK,
                                      .time_us = (uint64_t)(BENCH_START / 1000) + 1000};
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_run(b, b->now_ns + 100 * BENCH_MS);
    bench_send(b, c, now, TPI_MOTION_SET, 1, &(tpi_motion_set){1, 0, 1, 0});
    bench_send(b, c, before, TPI_MOTION_HOME, 2, &(tpi_motion_home){1});
    bench_run(b, b->now_ns + BENCH_MS);
    bench_expect(b, c, 1, TPI_MOTION_BUSY, true, "head:0 moves to its rest position");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, true, "done");
    bench_expect_nothing(b, c);
}

/* ---- Clients side by side ---- */

static void another_client_is_busy_until_the_dof_is_free(void **state)
{
    struct bench *b = *state;
    const uint32_t first = bench_join(b, "first", 0), second = bench_join(b, "second", 0);

    bench_set(b, first, 1, 1, 1);
    bench_wait(b, first, 50);
    bench_set(b, second, 2, 1, -1);
    bench_set(b, second, 3, 2, -1); /* another joint is free */
    bench_wait(b, first, 3000);
    bench_expect(b, second, 2, TPI_MOTION_BUSY, true, "head:0 is moved by first");
    bench_expect(b, second, 3, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, second, 3, TPI_MOTION_SUCCESS, true, "done");
    assert_true(bench_last(b, 1)->values[0] == 1);
    bench_set(b, second, 4, 1, -1);
    bench_wait(b, second, 5000);
    bench_expect(b, second, 4, TPI_MOTION_SUCCESS, false, "started");
    assert_true(bench_last(b, 1)->values[0] == -1);
}

static void a_frame_that_waits_holds_its_dofs(void **state)
{
    struct bench *b = *state;
    const uint32_t first = bench_join(b, "first", 0), second = bench_join(b, "second", 0);
    tpi_motion_record record;
    tpi_motion_busy busy;

    bench_set_later(b, first, 1, 2000, 1);
    bench_set(b, second, 2, 1, -1);
    bench_expect(b, second, 2, TPI_MOTION_BUSY, true, "head:0 is moved by first");
    bench_send(b, second, BENCH_DIRECT, TPI_MOTION_ASK_BUSY, 3, &(tpi_motion_empty){0});
    assert_true(bench_next(b, second, &record));
    bench_get(&record, &busy);
    assert_int_equal(busy.count, 1);
    assert_int_equal(busy.holders[0].joint, 1);
    assert_int_equal(busy.holders[0].client, first);
    assert_string_equal(busy.holders[0].label, "first");
    bench_session(b, first, TPI_MOTION_CANCEL, &(tpi_motion_tag){1});
    bench_set(b, second, 4, 1, -1);
    bench_expect(b, first, 1, TPI_MOTION_MODIFIED, true, "cancelled");
    bench_wait(b, second, 3000);
    assert_true(bench_last(b, 1)->values[0] == -1);
}

static void a_command_that_is_refused_holds_nothing(void **state)
{
    struct bench *b = *state;
    const uint32_t first = bench_join(b, "first", 0), second = bench_join(b, "second", 0);
    tpi_motion_drive targets[2] = {{1, 0, 0.5}, {2, 0, 1}};

    bench_set(b, first, 1, 2, 1);
    bench_send(b, second, BENCH_DIRECT, TPI_MOTION_MOVE, 2, &(tpi_motion_move){0, 1, 2, targets});
    bench_expect(b, second, 2, TPI_MOTION_BUSY, true, "arm is moved by first");
    bench_set(b, first, 3, 1, 0.25); /* the head is not the second client's */
    bench_wait(b, first, 2000);
    assert_true(bench_last(b, 1)->values[0] == 0.25);
}

static void a_higher_rank_takes_the_dof_and_is_named(void **state)
{
    struct bench *b = *state;
    const uint32_t low = bench_join(b, "planner", 0), high = bench_join(b, "joystick", 5);

    bench_set(b, low, 1, 1, 1.5);
    bench_set_later(b, low, 2, 1000, 0.2);
    bench_wait(b, low, 500);
    bench_set(b, high, 3, 1, -1);
    bench_wait(b, high, 200);
    bench_expect(b, low, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, low, 1, TPI_MOTION_INTERRUPTED, true, "joystick has a higher rank");
    bench_wait(b, high, 4000);
    bench_expect(b, low, 2, TPI_MOTION_INTERRUPTED, true, "head:0 was taken by joystick");
    assert_true(bench_last(b, 1)->values[0] == -1);
    for (size_t i = 1; i < b->count; i++) { /* it does not jump */
        assert_true(fabs(b->writes[i].values[0] - b->writes[i - 1].values[0]) < 0.0101);
    }
}

static void equal_times_are_played_in_the_order_of_arrival(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_set_later(b, c, 1, 500, 0.1);
    bench_set_later(b, c, 2, 500, 0.2);
    bench_set_later(b, c, 3, 400, 0.3);
    bench_wait(b, c, 3000);
    bench_expect(b, c, 3, TPI_MOTION_MODIFIED, true, "replaced by a newer command");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "replaced by a newer command");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, true, "done");
    assert_int_equal(b->writes[0].due_ns, BENCH_START / 1000 * 1000 + 400 * BENCH_MS);
    assert_true(bench_last(b, 1)->values[0] == 0.2);
}

/* ---- Queries ---- */

static void broadcasts_repeat_skip_and_end(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    tpi_motion_queues queues;
    tpi_motion_record record;
    int states = 0;

    bench_session(b, c, TPI_MOTION_BROADCAST_BEGIN,
                  &(tpi_motion_broadcast){50000, TPI_MOTION_ASK_STATE, 0, 0});
    bench_drain(b, c);
    bench_wait(b, c, 1000);
    while (bench_next(b, c, &record)) {
        states += record.code == (TPI_MOTION_ASK_STATE | TPI_MOTION_ANSWER) && record.tag == 9999;
    }
    assert_in_range(states, 20, 21);
    b->now_ns += 1000 * BENCH_MS; /* nobody advances for a second */
    tpi_motion_engine_advance(b->engine, b->now_ns, b->now_ns);
    bench_session(b, c, TPI_MOTION_BROADCAST_END, &(tpi_motion_tag){9999});
    bench_drain(b, c);
    bench_wait(b, c, 1000);
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_ASK_QUEUES, 7, &(tpi_motion_empty){0});
    assert_true(bench_next(b, c, &record));
    bench_get(&record, &queues);
    assert_in_range(queues.skipped, 18, 20);
    assert_true(queues.rate == 1);
    assert_int_equal(tpi_motion_engine_next(b->engine), INT64_MAX);
}

static void the_description_is_answered(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    tpi_motion_description header;
    tpi_motion_joints joints;
    tpi_motion_record record;

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_ASK_HEADER, 1, &(tpi_motion_empty){0});
    assert_true(bench_next(b, c, &record));
    bench_get(&record, &header);
    assert_string_equal(header.name, "bench");
    assert_int_equal(header.dofs, 7);
    assert_int_equal(header.commands, 0xff); /* the base's, the joints', none of frames */
    assert_int_equal(header.link_offset, 4u * header.joint_size);
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_ASK_JOINTS, 2, &(tpi_motion_page){1, 9});
    assert_true(bench_next(b, c, &record));
    bench_get(&record, &joints);
    assert_int_equal(joints.count, 3);
    assert_string_equal(joints.items[0].name, "head");
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_ASK_JOINTS, 2, &(tpi_motion_page){1, 1});
    assert_true(bench_next(b, c, &record));
    bench_get(&record, &joints);
    assert_int_equal(joints.count, 1);
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_ASK_LINKS, 3, &(tpi_motion_page){9, 9});
    assert_true(bench_next(b, c, &record));
    assert_int_equal(record.length, 4);
}

static void a_robot_without_limits_is_refused(void **state)
{
    struct bench *b = *state;
    tpi_motion_engine *engine = NULL;
    tp_error err = {.text = ""};

    b->joints[1].dofs[0].acceleration = INFINITY;
    assert_int_equal(tpi_motion_engine_create(&engine, &b->robot, NULL, bench_emit, b, &err),
                     TP_E_INVALID);
    assert_string_equal(err.text, "head: it needs limits, also of the acceleration");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_CASE(a_speed_is_ramped_and_answered_when_it_starts_and_ends),
        BENCH_CASE(a_move_of_many_dofs_is_one_command_and_one_write_for_each_output),
        BENCH_CASE(a_motion_ends_exactly_and_is_sampled_on_its_own_grid),
        BENCH_CASE(a_target_beyond_a_limit_is_clamped),
        BENCH_CASE(targets_of_a_move_are_clamped),
        BENCH_CASE(a_dof_takes_only_what_its_actuator_does),
        BENCH_CASE(broadcasts_are_limited),
        BENCH_CASE(who_is_not_there_gets_nothing),
        BENCH_CASE(a_joint_speed_ends_at_the_limit),
        BENCH_CASE(what_the_robot_does_not_have_is_said_once_and_the_rest_runs),
        BENCH_CASE(a_goto_in_an_unknown_frame_is_na),
        BENCH_CASE(a_goto_is_stopped_in_a_hold_and_issued_again),
        BENCH_CASE(home_cannot_be_interrupted),
        BENCH_CASE(a_command_at_the_instant_of_a_home_is_busy),
        BENCH_CASE(a_late_home_starts_before_a_later_frame_of_its_instant),
        BENCH_CASE(another_client_is_busy_until_the_dof_is_free),
        BENCH_CASE(a_frame_that_waits_holds_its_dofs),
        BENCH_CASE(a_command_that_is_refused_holds_nothing),
        BENCH_CASE(a_higher_rank_takes_the_dof_and_is_named),
        BENCH_CASE(equal_times_are_played_in_the_order_of_arrival),
        BENCH_CASE(broadcasts_repeat_skip_and_end),
        BENCH_CASE(the_description_is_answered),
        BENCH_CASE(a_robot_without_limits_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
