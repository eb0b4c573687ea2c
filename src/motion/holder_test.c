/* holder_test.c - who holds a dof, what ends a command, and what is answered then. */
#include "motion/engine_test.h"

static tpi_motion_queues queues_of(struct bench *b, uint32_t client)
{
    tpi_motion_queues queues;
    tpi_motion_record record;

    bench_drain(b, client);
    bench_send(b, client, BENCH_DIRECT, TPI_MOTION_ASK_QUEUES, 7, &(tpi_motion_empty){0});
    assert_true(bench_next(b, client, &record));
    bench_get(&record, &queues);
    return queues;
}

static void expect_times(struct bench *b, uint32_t client, tpi_motion_signal signal,
                         int64_t start_ms, int64_t end_ms)
{
    tpi_motion_signalled s;
    tpi_motion_record record;

    assert_true(bench_next(b, client, &record));
    bench_get(&record, &s);
    assert_int_equal(s.signal, signal);
    assert_int_equal(s.start_us, start_ms < 0 ? 0 : BENCH_START / 1000 + start_ms * 1000);
    assert_int_equal(s.end_us, end_ms < 0 ? 0 : BENCH_START / 1000 + end_ms * 1000);
}

/* ---- Holders ---- */

static void a_dof_is_given_back_when_the_higher_rank_is_done(void **state)
{
    struct bench *b = *state;
    const uint32_t low = bench_join(b, "dance", 0), high = bench_join(b, "joystick", 1);

    bench_set_later(b, low, 1, 100, 0.1);
    bench_set_later(b, low, 2, 5000, 0.2);
    bench_set(b, high, 3, 1, 1);
    for (int i = 0; i < 80; i++) {
        bench_wait(b, high, 100);
        tpi_motion_engine_heard(b->engine, low, b->now_ns);
    }
    bench_expect(b, high, 3, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, high, 3, TPI_MOTION_SUCCESS, true, "done");
    b->answer_at = b->answer_size;
    expect_times(b, low, TPI_MOTION_INTERRUPTED, -1, -1); /* it did not start */
    bench_expect(b, low, 2, TPI_MOTION_SUCCESS, true, "done");
    assert_true(bench_last(b, 1)->values[0] == 0.2);
}

static void a_speed_ends_a_goto_on_a_base_that_cannot_go_sideways(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_GOTO, 1, &(tpi_motion_goto){1, 0, 0, 0});
    bench_wait(b, c, 100);
    bench_speed(b, c, 2, 0.1, 0, 0.1);
    bench_wait(b, c, 100);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "replaced by a newer command");
}

static void a_speed_in_the_frame_of_a_goto_starts_from_the_commanded_speed(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    uint8_t payload[128];
    tpi_motion_header header = {.kind = TPI_MOTION_COMMAND, .records = 2};

    bench_speed(b, c, 1, 0.5, 0, 0);
    bench_wait(b, c, 1000);
    size_t size = tpi_motion_record_put(payload, sizeof payload, TPI_MOTION_GOTO, 2,
                                        &(tpi_motion_goto){1, 0, 0, 0});
    size += tpi_motion_record_put(payload + size, sizeof payload - size, TPI_MOTION_SETSPEED, 3,
                                  &(tpi_motion_setspeed){0.6, 0, 0});
    header.size = (uint32_t)size;
    const size_t before = b->count;
    bench_package(b, c, header, payload);
    bench_wait(b, c, 500);
    for (size_t i = before; i < b->count; i++) {
        assert_true(b->writes[i].values[0] > 0.49);
    }
}

static void a_refused_command_of_a_higher_rank_takes_nothing(void **state)
{
    struct bench *b = *state;
    const uint32_t low = bench_join(b, "dance", 0), high = bench_join(b, "joystick", 1);
    const uint32_t other = bench_join(b, "other", 1);
    tpi_motion_drive both[2] = {{1, 0, 0.3}, {2, 0, 0.3}};

    bench_set(b, low, 1, 1, 1);
    bench_set(b, other, 2, 2, 1);
    bench_wait(b, low, 100);
    bench_send(b, high, BENCH_DIRECT, TPI_MOTION_MOVE, 3,
               &(tpi_motion_move){0, TPI_MOTION_SERVO_POSITION, 2, both});
    bench_expect(b, high, 3, TPI_MOTION_BUSY, true, "arm is moved by other");
    bench_wait(b, low, 3000);
    bench_expect(b, low, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, low, 1, TPI_MOTION_SUCCESS, true, "done");
    assert_true(bench_last(b, 1)->values[0] == 1);
}

static void a_hold_of_a_lower_rank_does_not_keep_a_dof(void **state)
{
    struct bench *b = *state;
    const uint32_t low = bench_join(b, "dance", 0), high = bench_join(b, "joystick", 1);

    bench_set(b, low, 1, 1, 1);
    bench_wait(b, low, 100);
    bench_rate(b, low, 0);
    bench_wait(b, low, 1000); /* it stands */
    bench_set(b, high, 2, 1, -1);
    bench_wait(b, high, 4000);
    bench_expect(b, high, 2, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, high, 2, TPI_MOTION_SUCCESS, true, "done");
    b->answer_at = b->answer_size;
    bench_expect(b, low, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, low, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_expect(b, low, 1, TPI_MOTION_INTERRUPTED, true, "joystick has a higher rank");
}

static void a_slow_time_line_takes_over_no_speed_that_breaks_limits_later(void **state)
{
    struct bench *b = *state;
    const uint32_t low = bench_join(b, "dance", 0), high = bench_join(b, "joystick", 1);

    bench_send(b, low, BENCH_DIRECT, TPI_MOTION_SPEED, 1, &(tpi_motion_drive){1, 0, 1});
    bench_wait(b, low, 1000);
    bench_rate(b, high, 0.02);
    bench_send(b, high, (tpi_motion_header){.mode = TPI_MOTION_DELAY}, TPI_MOTION_SET, 2,
               &(tpi_motion_set){1, 0, -1, 2000000});
    bench_wait(b, high, 100);
    bench_rate(b, high, 1);
    bench_wait(b, high, 4000);
    for (size_t i = 0; i < b->count; i++) {
        const struct bench_write *w = &b->writes[i];

        assert_true(w->write.output != 1 || fabs(w->values[0]) <= 1.5);
        assert_true(w->write.output != 1 || fabs(w->speeds[0]) <= 1 + 1e-9);
    }
    assert_true(bench_last(b, 1)->values[0] == -1);
    assert_true(tpi_motion_engine_excesses(b->engine) > 0); /* it is slower at once */
}

static void a_fault_hits_all_who_have_commands_for_the_device(void **state)
{
    struct bench *b = *state;
    const uint32_t low = bench_join(b, "dance", 0), high = bench_join(b, "joystick", 1);

    bench_set_later(b, low, 1, 3000, 0.1);
    bench_set_later(b, high, 2, 2000, 0.2);
    tpi_motion_engine_fault(b->engine, 1, "jammed", b->now_ns);
    bench_expect(b, low, 1, TPI_MOTION_INTERRUPTED, true, "jammed");
    bench_expect(b, high, 2, TPI_MOTION_INTERRUPTED, true, "jammed");
}

static void a_stop_in_a_hold_does_not_speak_for_others(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0), other = bench_join(b, "b", 0);

    bench_speed(b, other, 1, 0.5, 0, 0);
    bench_wait(b, other, 100);
    bench_rate(b, c, 0);
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_STOP, 2, &(tpi_motion_empty){0});
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_expect(b, c, 2, TPI_MOTION_BUSY, true, "base is moved by b");
}

/* ---- Ends and answers ---- */

static void a_sequence_is_over_when_its_last_motion_is_replaced(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_motion_begin begin = {
        .sequence = 1, .mode = TPI_MOTION_PLAYBACK, .frames = 1, .duration_us = 100000};
    const tpi_motion_header header = {.mode = TPI_MOTION_PLAYBACK, .sequence = 1};
    tpi_motion_record record = {0};

    bench_session(b, c, TPI_MOTION_BEGIN, &begin);
    bench_send(b, c, header, TPI_MOTION_SPEED, 1, &(tpi_motion_drive){1, 0, 0.3});
    bench_wait(b, c, 500);
    bench_drain(b, c);
    bench_set(b, c, 2, 1, 0); /* on the server's clock */
    bench_wait(b, c, 50);
    while (record.code != TPI_MOTION_SUMMARY && bench_next(b, c, &record)) {
    }
    assert_int_equal(record.code, TPI_MOTION_SUMMARY);
}

/* ---- Delay mode ---- */

static void without_a_delay_delay_mode_starts_at_once_and_sends_nothing(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_send(b, c, (tpi_motion_header){.mode = TPI_MOTION_DELAY}, TPI_MOTION_SET, 1,
               &(tpi_motion_set){1, 0, 0.5, 0});
    bench_wait(b, c, 100);
    assert_true(bench_last(b, 1)->values[0] > 0); /* it moves */
    bench_wait(b, c, 2000);
    assert_true(bench_last(b, 1)->values[0] == 0.5);
    bench_expect_nothing(b, c);
}

static void in_delay_mode_only_what_went_wrong_is_sent(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_motion_header header = {.mode = TPI_MOTION_DELAY,
                                      .time_us = (uint64_t)(BENCH_START / 1000 + 500000)};

    bench_send(b, c, header, TPI_MOTION_SET, 1, &(tpi_motion_set){1, 0, 9, 0}); /* is clamped */
    bench_send(b, c, header, TPI_MOTION_SPEED, 2, &(tpi_motion_drive){2, 0, 0.5});
    bench_send(b, c, header, TPI_MOTION_SET, 3, &(tpi_motion_set){9, 0, 0.5, 0});
    bench_wait(b, c, 2500);
    bench_expect(b, c, 3, TPI_MOTION_NA, true, "joint 9 has no dof 0");
    tpi_motion_engine_fault(b->engine, 2, "jammed", b->now_ns);
    bench_expect(b, c, 2, TPI_MOTION_INTERRUPTED, true, "jammed");
    bench_expect_nothing(b, c);
}

static void every_direct_command_that_the_robot_does_not_have_is_answered(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_motion_header delay = {.mode = TPI_MOTION_DELAY};
    const tpi_motion_set set = {3, 0, 1, 0};

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SET, 1, &set);
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SET, 2, &set);
    bench_send(b, c, delay, TPI_MOTION_SET, 3, &set);
    bench_expect(b, c, 1, TPI_MOTION_NA, true, "finger follows arm");
    bench_expect(b, c, 2, TPI_MOTION_NA, true, "finger follows arm");
    bench_expect_nothing(b, c);
}

static void a_speed_that_meets_a_limit_is_modified(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SPEED, 1, &(tpi_motion_drive){1, 0, 0.5});
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SPEED, 2, &(tpi_motion_drive){2, 0, 0});
    bench_wait(b, c, 5000);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, true, "done");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "a limit of the position is reached");
}

static void a_move_of_nothing_is_done(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_motion_move nothing = {0, TPI_MOTION_SERVO_POSITION, 0, NULL};

    for (uint32_t i = 1; i < 20; i++) {
        bench_send(b, c, BENCH_DIRECT, TPI_MOTION_MOVE, i, &nothing);
        bench_wait(b, c, 100);
        bench_expect(b, c, i, TPI_MOTION_SUCCESS, false, "started");
        bench_expect(b, c, i, TPI_MOTION_SUCCESS, true, "done");
    }
}

static void a_silent_client_stops_when_its_lease_ends(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_speed(b, c, 1, 0.5, 0, 0);
    bench_run(b, b->now_ns + 1000 * BENCH_MS);
    bench_drain(b, c);
    b->now_ns += 4000 * BENCH_MS; /* nothing happens in between */
    tpi_motion_engine_advance(b->engine, b->now_ns, b->now_ns);
    expect_times(b, c, TPI_MOTION_INTERRUPTED, 0, 5000);
    assert_true(b->writes[b->count - 1].due_ns >= BENCH_START + 5000 * BENCH_MS);
}

static void a_sequence_cannot_begin_in_a_panic(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_motion_begin begin = {.sequence = 1, .mode = TPI_MOTION_ADAPTIVE};

    tpi_motion_engine_panic(b->engine, 5, b->now_ns);
    bench_session(b, c, TPI_MOTION_BEGIN, &begin);
    bench_expect(b, c, 9999, TPI_MOTION_PANICKED, true, "there is a panic");
}

/* ---- Queues ---- */

static void frames_of_a_sequence_become_commands_when_it_starts(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_motion_begin begin = {
        .sequence = 1, .mode = TPI_MOTION_PLAYBACK, .frames = 3, .duration_us = 300000};
    tpi_motion_header header = {.mode = TPI_MOTION_PLAYBACK, .sequence = 1};

    bench_session(b, c, TPI_MOTION_BEGIN, &begin);
    for (uint32_t i = 0; i < 3; i++) {
        header.time_us = i * 100000;
        bench_send(b, c, header, TPI_MOTION_SET, i + 1, &(tpi_motion_set){1, 0, 0.1, 0});
        if (i < 2) {
            assert_int_equal(queues_of(b, c).playback, i + 1);
            assert_int_equal(queues_of(b, c).command, 0);
        }
    }
    bench_wait(b, c, 50);
    assert_int_equal(queues_of(b, c).playback, 0);
    assert_int_equal(queues_of(b, c).command, 2);
}

static void a_frame_whose_commands_are_cancelled_does_not_wait(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_set_later(b, c, 1, 1000, 0.1);
    assert_int_equal(queues_of(b, c).command, 1);
    bench_session(b, c, TPI_MOTION_CANCEL, &(tpi_motion_tag){1});
    assert_int_equal(queues_of(b, c).command, 0);
}

static void an_adaptive_sequence_ends_with_its_end_alone(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_motion_begin begin = {.sequence = 1, .mode = TPI_MOTION_ADAPTIVE, .frames = 1};
    const tpi_motion_header header = {.mode = TPI_MOTION_ADAPTIVE, .sequence = 1};

    bench_session(b, c, TPI_MOTION_BEGIN, &begin);
    bench_send(b, c, header, TPI_MOTION_SET, 1, &(tpi_motion_set){1, 0, 0.1, 0});
    bench_wait(b, c, 500);
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_expect_nothing(b, c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_CASE(a_dof_is_given_back_when_the_higher_rank_is_done),
        BENCH_CASE(a_speed_ends_a_goto_on_a_base_that_cannot_go_sideways),
        BENCH_CASE(a_speed_in_the_frame_of_a_goto_starts_from_the_commanded_speed),
        BENCH_CASE(a_refused_command_of_a_higher_rank_takes_nothing),
        BENCH_CASE(a_hold_of_a_lower_rank_does_not_keep_a_dof),
        BENCH_CASE(a_slow_time_line_takes_over_no_speed_that_breaks_limits_later),
        BENCH_CASE(a_fault_hits_all_who_have_commands_for_the_device),
        BENCH_CASE(a_stop_in_a_hold_does_not_speak_for_others),
        BENCH_CASE(a_sequence_is_over_when_its_last_motion_is_replaced),
        BENCH_CASE(without_a_delay_delay_mode_starts_at_once_and_sends_nothing),
        BENCH_CASE(in_delay_mode_only_what_went_wrong_is_sent),
        BENCH_CASE(every_direct_command_that_the_robot_does_not_have_is_answered),
        BENCH_CASE(a_speed_that_meets_a_limit_is_modified),
        BENCH_CASE(a_move_of_nothing_is_done),
        BENCH_CASE(a_silent_client_stops_when_its_lease_ends),
        BENCH_CASE(a_sequence_cannot_begin_in_a_panic),
        BENCH_CASE(frames_of_a_sequence_become_commands_when_it_starts),
        BENCH_CASE(a_frame_whose_commands_are_cancelled_does_not_wait),
        BENCH_CASE(an_adaptive_sequence_ends_with_its_end_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
