/* control_test.c - queues, leases, panic, faults, rates and sequences. */
#include "motion/engine_test.h"

/* ---- Queues ---- */

static void clear_drops_later_frames_of_this_line(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_motion_header header = {.mode = TPI_MOTION_DELAY,
                                      .flags = TPI_MOTION_CLEAR | TPI_MOTION_ACK,
                                      .time_us = (uint64_t)(BENCH_START / 1000 + 600000)};

    bench_set_later(b, c, 1, 200, 0.1);
    bench_set_later(b, c, 2, 600, 0.2);
    bench_set_later(b, c, 3, 900, 0.3);
    bench_send(b, c, header, TPI_MOTION_SET, 4, &(tpi_motion_set){1, 0, -0.5, 0});
    bench_expect(b, c, 2, TPI_MOTION_MODIFIED, true, "cleared");
    bench_expect(b, c, 3, TPI_MOTION_MODIFIED, true, "cleared");
    bench_wait(b, c, 3000);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "replaced by a newer command");
    bench_expect(b, c, 4, TPI_MOTION_SUCCESS, true, "done");
    assert_true(bench_last(b, 1)->values[0] == -0.5);
}

/* A STOP for later is sent first, and played after the GOTO before it. */
static void commands_start_in_the_order_of_their_times(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    tpi_motion_header header = {.mode = TPI_MOTION_DELAY, .flags = TPI_MOTION_ACK};

    header.time_us = (uint64_t)(BENCH_START / 1000 + 400000);
    bench_send(b, c, header, TPI_MOTION_STOP, 1, &(tpi_motion_empty){0});
    header.time_us = (uint64_t)(BENCH_START / 1000 + 200000);
    bench_send(b, c, header, TPI_MOTION_GOTO, 2, &(tpi_motion_goto){1, 0, 0, 0});
    bench_wait(b, c, 300);
    assert_int_equal(b->count, 1);
    assert_int_equal(b->writes[0].write.what, TPI_MOTION_WRITE_GOTO);
    bench_wait(b, c, 300);
    bench_expect(b, c, 2, TPI_MOTION_MODIFIED, true, "replaced by a newer command");
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, true, "done");
}

static void full_queues_and_far_times_are_refused(void **state)
{
    struct bench *b = bench_new(&(tpi_motion_settings){.frames = 3});
    const uint32_t c = bench_join(b, "a", 0);

    (void)state;
    bench_set_later(b, c, 1, 4000000, 0.1);
    bench_expect(b, c, 1, TPI_MOTION_ERROR, true, "the time is beyond the horizon");
    for (uint32_t i = 2; i < 6; i++) {
        bench_set_later(b, c, i, 1000, 0.1);
    }
    bench_expect(b, c, 5, TPI_MOTION_ERROR, true, "the queue is full");
    bench_free(b);
}

static void a_cancel_brakes_within_the_limit_and_writes_zero(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_speed(b, c, 1, 0.5, 0, 0);
    bench_wait(b, c, 1000);
    const size_t before = b->count;
    bench_session(b, c, TPI_MOTION_CANCEL, &(tpi_motion_tag){0});
    bench_wait(b, c, 1000);
    assert_in_range(b->count - before, 48, 52);
    for (size_t i = before; i < b->count; i++) {
        assert_true(b->writes[i].values[0] >= b->writes[i - 1].values[0] - 0.0101);
    }
    assert_true(b->writes[b->count - 1].values[0] == 0);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "cancelled");
}

static void a_cancel_of_one_tag_leaves_the_others(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_set(b, c, 1, 1, 1);
    bench_set(b, c, 2, 2, 1);
    bench_wait(b, c, 200);
    bench_session(b, c, TPI_MOTION_CANCEL, &(tpi_motion_tag){1});
    bench_wait(b, c, 3000);
    assert_true(bench_last(b, 1)->values[0] < 0.5);
    assert_true(bench_last(b, 2)->values[0] == 1);
}

static void a_lease_that_ends_stops_and_drops(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_speed(b, c, 1, 0.5, 0, 0);
    bench_set_later(b, c, 2, 5500, 1);
    bench_run(b, BENCH_START + 4990 * BENCH_MS);
    assert_true(bench_last(b, 0)->values[0] == 0.5);
    assert_true(tpi_motion_engine_next(b->engine) <= BENCH_START + 5000 * BENCH_MS);
    bench_run(b, BENCH_START + 7000 * BENCH_MS);
    assert_true(bench_last(b, 0)->values[0] == 0);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 2, TPI_MOTION_INTERRUPTED, true, "the lease has ended");
    bench_expect(b, c, 1, TPI_MOTION_INTERRUPTED, true, "the lease has ended");
    for (size_t i = 0; i < b->count; i++) {
        assert_int_equal(b->writes[i].write.output, 0);
    }
    assert_int_equal(tpi_motion_engine_next(b->engine), INT64_MAX);
}

static void a_client_that_leaves_may_finish_until_its_lease_ends(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0), other = bench_join(b, "b", 0);

    bench_set_later(b, c, 1, 1000, 0.5);
    bench_set_later(b, other, 2, 1000, 0.5);
    tpi_motion_engine_leave(b->engine, c, true, b->now_ns);
    tpi_motion_engine_leave(b->engine, other, false, b->now_ns);
    bench_run(b, BENCH_START + 3000 * BENCH_MS);
    assert_true(bench_last(b, 1)->values[0] == 0.5);
    assert_int_equal(bench_join(b, "new", 0), other); /* its place is free */
    assert_false(tpi_motion_engine_lost(b->engine, c));
    bench_run(b, BENCH_START + 6000 * BENCH_MS);
    assert_true(tpi_motion_engine_lost(b->engine, c));
}

/* ---- Panic and faults ---- */

static void a_panic_flushes_everything_until_it_is_reset(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_set(b, c, 1, 1, 1);
    bench_set_later(b, c, 2, 1000, 0.5);
    bench_wait(b, c, 300);
    const size_t before = b->count;
    tpi_motion_engine_panic(b->engine, 4, b->now_ns);
    bench_set(b, c, 3, 1, 1);
    bench_wait(b, c, 3000);
    assert_int_equal(b->count, before);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 2, TPI_MOTION_PANICKED, true, "there is a panic");
    bench_expect(b, c, 1, TPI_MOTION_PANICKED, true, "there is a panic");
    bench_expect(b, c, 3, TPI_MOTION_PANICKED, true, "there is a panic");
    tpi_motion_engine_measured(b->engine, 3, &(tpi_motion_dof_state){0.7, 0, 0});
    tpi_motion_engine_reset(b->engine, b->now_ns);
    bench_wait(b, c, 1000);
    assert_int_equal(b->count, before);
    bench_set(b, c, 4, 1, 1);
    bench_wait(b, c, 1000);
    assert_true(fabs(b->writes[before].values[0] - 0.7) < 0.001); /* from where it is */
}

static void after_a_fault_nothing_buffered_is_played(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0), other = bench_join(b, "b", 0);

    bench_set(b, c, 1, 1, 1);
    bench_set_later(b, c, 2, 1000, 0.5);
    bench_set(b, other, 3, 2, 0.5);
    bench_wait(b, c, 300);
    const size_t before = b->count;
    tpi_motion_engine_fault(b->engine, 1, "the head is jammed", b->now_ns);
    bench_wait(b, c, 3000);
    for (size_t i = before; i < b->count; i++) {
        assert_int_equal(b->writes[i].write.output, 2);
    }
    assert_true(bench_last(b, 2)->values[0] == 0.5); /* the other client's */
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 1, TPI_MOTION_INTERRUPTED, true, "the head is jammed");
    bench_expect(b, c, 2, TPI_MOTION_INTERRUPTED, true, "the head is jammed");
    tpi_motion_engine_measured(b->engine, 3, &(tpi_motion_dof_state){-0.4, 0, 0});
    tpi_motion_engine_fault(b->engine, 1, "the head is jammed", b->now_ns);
    const size_t again = b->count;
    bench_set(b, c, 4, 1, 1);
    bench_wait(b, c, 100);
    assert_true(fabs(b->writes[again].values[0] + 0.4) < 0.001); /* from where it is */
}

/* ---- Rates ---- */

static void in_a_hold_direct_commands_are_busy_but_stop_is_not(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_speed(b, c, 1, 0.5, 0, 0);
    bench_wait(b, c, 1000);
    bench_rate(b, c, 0);
    bench_wait(b, c, 1000);
    bench_drain(b, c);
    bench_speed(b, c, 2, 0.1, 0, 0);
    bench_expect(b, c, 2, TPI_MOTION_BUSY, true, "base is held");
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_STOP, 3, &(tpi_motion_empty){0});
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "stopped");
    bench_expect(b, c, 3, TPI_MOTION_SUCCESS, true, "stopped");
    bench_rate(b, c, 1);
    bench_wait(b, c, 1000);
    assert_true(bench_last(b, 0)->values[0] == 0);
}

/* The speed of a slowed client goes over to a brake and to the next command as it is. */
static void a_slowed_speed_does_not_jump_when_its_command_changes(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_rate(b, c, 0.5);
    bench_speed(b, c, 1, 0.8, 0, 0);
    bench_wait(b, c, 3000);
    assert_true(fabs(bench_last(b, 0)->values[0] - 0.4) < 1e-6);
    for (uint32_t i = 2; i < 8; i++) {
        bench_session(b, c, TPI_MOTION_CANCEL, &(tpi_motion_tag){0});
        bench_wait(b, c, 100);
        assert_true(bench_last(b, 0)->values[0] < 0.35);
        bench_speed(b, c, i, 0.8, 0, 0);
        bench_wait(b, c, 1000);
        assert_true(fabs(bench_last(b, 0)->values[0] - 0.4) < 1e-6);
    }
    for (size_t i = 1; i < b->count; i++) {
        const double change = b->writes[i].values[0] - b->writes[i - 1].values[0];

        if (fabs(change) > 0.0101) {
            fail_msg("from %g to %g", b->writes[i - 1].values[0], b->writes[i].values[0]);
        }
    }
}

/* A client that stands takes a dof that moves: it has to stop at once, which is counted. */
static void what_stops_at_once_is_counted(void **state)
{
    struct bench *b = *state;
    const uint32_t low = bench_join(b, "low", 0), high = bench_join(b, "high", 5);

    bench_send(b, low, BENCH_DIRECT, TPI_MOTION_SPEED, 1, &(tpi_motion_drive){1, 0, 0.9});
    bench_rate(b, high, 0);
    bench_wait(b, low, 700);
    assert_int_equal(tpi_motion_engine_excesses(b->engine), 0);
    bench_set_later(b, high, 2, 100, 0.2); /* late: it starts now, and stands */
    bench_wait(b, low, 100);
    assert_int_equal(tpi_motion_engine_excesses(b->engine), 1);
    assert_true(bench_last(b, 1)->speeds[0] == 0);
}

static void half_the_rate_takes_twice_the_time(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_rate(b, c, 0.5);
    bench_drain(b, c);
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SET, 1, &(tpi_motion_set){1, 0, 1, 2000000});
    bench_wait(b, c, 3900);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect_nothing(b, c);
    bench_wait(b, c, 200);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, true, "done");
    assert_true(bench_last(b, 1)->values[0] == 1);
}

static void the_robots_rate_is_raised_by_its_client_or_an_operator(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0), other = bench_join(b, "b", 0);
    const uint32_t chief = tpi_motion_engine_join(b->engine, "chief", 3, 0, b->now_ns);
    const uint32_t guest = tpi_motion_engine_join(b->engine, "guest", 0, 0, b->now_ns);

    bench_session(b, c, TPI_MOTION_RATE, &(tpi_motion_rate){0.5, 1});
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_session(b, other, TPI_MOTION_RATE, &(tpi_motion_rate){0.6, 1});
    bench_expect(b, other, 9999, TPI_MOTION_ERROR, true, "another client has slowed the robot");
    bench_session(b, guest, TPI_MOTION_RATE, &(tpi_motion_rate){0, 1});
    bench_expect(b, guest, 9999, TPI_MOTION_ERROR, true, "this client may not move the robot");
    bench_session(b, chief, TPI_MOTION_RATE, &(tpi_motion_rate){0.7, 1});
    bench_expect(b, chief, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_session(b, c, TPI_MOTION_RATE, &(tpi_motion_rate){1, 1});
    bench_expect(b, c, 9999, TPI_MOTION_ERROR, true, "another client has slowed the robot");
    bench_session(b, chief, TPI_MOTION_RATE, &(tpi_motion_rate){1, 1});
    bench_expect(b, chief, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_session(b, c, TPI_MOTION_RATE, &(tpi_motion_rate){0.5, 1});
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_session(b, c, TPI_MOTION_RATE, &(tpi_motion_rate){1, 1});
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_set(b, guest, 1, 1, 1);
    bench_expect(b, guest, 1, TPI_MOTION_ERROR, true, "this client may not move the robot");
}

static void set_robot_rate(struct bench *b, uint32_t client, double rate, const char *why)
{
    bench_session(b, client, TPI_MOTION_RATE, &(tpi_motion_rate){rate, 1});
    bench_expect(b, client, 9999, *why == '\0' ? TPI_MOTION_SUCCESS : TPI_MOTION_ERROR, true, why);
}

static void a_client_that_slows_the_robot_more_raises_only_its_own_part(void **state)
{
    static const char others[] = "another client has slowed the robot";
    struct bench *b = *state;
    const uint32_t first = bench_join(b, "a", 0), second = bench_join(b, "b", 0);

    set_robot_rate(b, first, 0.25, "");
    set_robot_rate(b, second, 0.1, "");
    set_robot_rate(b, second, 1, others);
    set_robot_rate(b, first, 0.2, others);
    set_robot_rate(b, second, 0.25, "");
    set_robot_rate(b, second, 0.1, "");
    tpi_motion_engine_leave(b->engine, second, false, b->now_ns);
    set_robot_rate(b, first, 0.25, others);
}

/* ---- Sequences ---- */

static void frame(struct bench *b, uint32_t client, uint8_t mode, uint64_t time_us, double value)
{
    bench_send(b, client, (tpi_motion_header){.mode = mode, .time_us = time_us, .sequence = 1},
               TPI_MOTION_SET, 1, &(tpi_motion_set){1, 0, value, 0});
}

static tpi_motion_summary summary_of(struct bench *b, uint32_t client)
{
    tpi_motion_summary summary;
    tpi_motion_record record;

    while (bench_next(b, client, &record)) {
        if (record.code == TPI_MOTION_SUMMARY) {
            bench_get(&record, &summary);
            return summary;
        }
    }
    fail_msg("no summary");
    return summary;
}

static void a_playback_with_uneven_frames_is_refused(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const uint64_t times[6] = {0, 100000, 200000, 300000, 600000, 700000};

    bench_session(
        b, c, TPI_MOTION_BEGIN,
        &(tpi_motion_begin){
            .sequence = 1, .mode = TPI_MOTION_PLAYBACK, .frames = 6, .duration_us = 700000});
    for (int i = 0; i < 6; i++) {
        frame(b, c, TPI_MOTION_PLAYBACK, times[i], 0.1);
    }
    bench_wait(b, c, 100);
    assert_int_equal(summary_of(b, c).signal, TPI_MOTION_ERROR);
    assert_int_equal(b->count, 0);
    bench_set(b, c, 2, 1, 1); /* its dofs are free */
    bench_expect_nothing(b, c);
    bench_wait(b, c, 100);
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, false, "started");
}

static void a_sequence_that_drives_to_a_pose_lasts_until_the_base_is_there(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_session(
        b, c, TPI_MOTION_BEGIN,
        &(tpi_motion_begin){
            .sequence = 1, .mode = TPI_MOTION_PLAYBACK, .frames = 1, .duration_us = 100000});
    bench_send(b, c, (tpi_motion_header){.mode = TPI_MOTION_PLAYBACK, .sequence = 1},
               TPI_MOTION_GOTO, 1, &(tpi_motion_goto){1, 2, 3, 0});
    bench_wait(b, c, 2000);
    assert_int_equal(b->writes[0].write.what, TPI_MOTION_WRITE_GOTO);
    bench_session(b, c, TPI_MOTION_END, &(tpi_motion_end){1, 1}); /* it has not ended yet */
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    tpi_motion_engine_arrived(b->engine, 0, true, b->now_ns);
    bench_wait(b, c, 100);
    assert_int_equal(summary_of(b, c).signal, TPI_MOTION_SUCCESS);
}

static void a_sequence_with_missing_frames_plays_the_rest(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_session(b, c, TPI_MOTION_BEGIN,
                  &(tpi_motion_begin){.sequence = 1, .mode = TPI_MOTION_ADAPTIVE});
    frame(b, c, TPI_MOTION_ADAPTIVE, 0, 0.1);
    frame(b, c, TPI_MOTION_ADAPTIVE, 500000, 0.2);
    bench_wait(b, c, 2000);
    assert_int_equal(b->count, 0); /* less than its buffer is there */
    bench_session(b, c, TPI_MOTION_END, &(tpi_motion_end){1, 3});
    bench_wait(b, c, 2000);
    const tpi_motion_summary s = summary_of(b, c);
    assert_int_equal(s.signal, TPI_MOTION_MODIFIED);
    assert_int_equal(s.frames, 2);
    assert_int_equal(s.played, 2);
    assert_true(s.end_us - s.start_us > 900000); /* the last motion has ended too */
    assert_true(bench_last(b, 1)->values[0] == 0.2);
}

/* What is known reaches to the latest frame, whichever came last. */
static void frames_may_arrive_in_any_order(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_session(b, c, TPI_MOTION_BEGIN,
                  &(tpi_motion_begin){.sequence = 1, .mode = TPI_MOTION_ADAPTIVE});
    frame(b, c, TPI_MOTION_ADAPTIVE, 0, 0.1);
    frame(b, c, TPI_MOTION_ADAPTIVE, 2000000, 0.3);
    frame(b, c, TPI_MOTION_ADAPTIVE, 1000000, 0.2);
    bench_wait(b, c, 500);
    assert_true(bench_last(b, 1)->values[0] == 0.1);
    bench_session(b, c, TPI_MOTION_END, &(tpi_motion_end){1, 3});
    bench_wait(b, c, 3000);
    assert_true(bench_last(b, 1)->values[0] == 0.3);
    assert_int_equal(summary_of(b, c).signal, TPI_MOTION_SUCCESS);
}

static void a_session_has_a_mode(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_session(b, c, TPI_MOTION_SET_MODE, &(tpi_motion_set_mode){TPI_MOTION_ADAPTIVE, 0});
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    frame(b, c, TPI_MOTION_SESSIONS_OWN, 0, 0.1);
    bench_expect(b, c, 1, TPI_MOTION_ERROR, true, "no such sequence has begun");
    bench_session(b, c, TPI_MOTION_SET_MODE, &(tpi_motion_set_mode){TPI_MOTION_BROADCAST, 0});
    bench_expect(b, c, 9999, TPI_MOTION_ERROR, true, "there is no such mode");
    bench_session(b, c, TPI_MOTION_SET_MODE, &(tpi_motion_set_mode){TPI_MOTION_DIRECT, 3});
    bench_expect(b, c, 9999, TPI_MOTION_ERROR, true, "there is no such mode");
}

static void without_an_end_the_robot_stands_at_the_last_frame(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_session(b, c, TPI_MOTION_BEGIN,
                  &(tpi_motion_begin){.sequence = 1, .mode = TPI_MOTION_ADAPTIVE});
    for (uint64_t i = 0; i < 25; i++) {
        bench_send(
            b, c,
            (tpi_motion_header){.mode = TPI_MOTION_ADAPTIVE, .time_us = i * 100000, .sequence = 1},
            TPI_MOTION_SETSPEED, 1, &(tpi_motion_setspeed){0.5, 0, 0});
    }
    bench_wait(b, c, 20000);
    assert_true(bench_last(b, 0)->values[0] < 1e-3);
    const double way = 2.4 * 0.5; /* no further than the last frame */
    double made = 0;
    for (size_t i = 0; i + 1 < b->count; i++) {
        made +=
            b->writes[i].values[0] * (double)(b->writes[i + 1].due_ns - b->writes[i].due_ns) * 1e-9;
    }
    assert_true(made < way && made > way - 0.2);
    frame(b, c, TPI_MOTION_ADAPTIVE, 2400000, 0.3); /* of the instant at which it stands */
    bench_wait(b, c, 100);
    assert_true(bench_last(b, 1)->speeds[0] == 0);
    bench_session(b, c, TPI_MOTION_END, &(tpi_motion_end){1, 25});
    bench_wait(b, c, 2000);
    assert_true(bench_last(b, 0)->values[0] == 0.5); /* a speed lasts */
    assert_int_equal(summary_of(b, c).signal, TPI_MOTION_SUCCESS);
}

static void a_playback_ends_with_its_last_frame(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_session(
        b, c, TPI_MOTION_BEGIN,
        &(tpi_motion_begin){
            .sequence = 1, .mode = TPI_MOTION_PLAYBACK, .frames = 4, .duration_us = 300000});
    for (uint64_t i = 0; i < 4; i++) {
        frame(b, c, TPI_MOTION_PLAYBACK, i * 100000, 0.1);
    }
    bench_wait(b, c, 2000);
    assert_int_equal(summary_of(b, c).signal, TPI_MOTION_SUCCESS);
}

/* With `hold`, frames on the server's clock are waited for as well. */
static void delayed_frames_are_waited_for_on_request(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    tpi_motion_header header = {.mode = TPI_MOTION_DELAY};

    bench_session(b, c, TPI_MOTION_SET_MODE, &(tpi_motion_set_mode){TPI_MOTION_DELAY, 2});
    for (int64_t i = 1; i <= 20; i++) {
        header.time_us = (uint64_t)(BENCH_START / 1000 + i * 100000);
        bench_send(b, c, header, TPI_MOTION_SETSPEED, (uint32_t)i,
                   &(tpi_motion_setspeed){0.5, 0, 0});
    }
    bench_wait(b, c, 1200);
    assert_true(bench_last(b, 0)->values[0] == 0.5);
    bench_wait(b, c, 3000);
    assert_true(bench_last(b, 0)->values[0] == 0); /* it stands at the last frame */
    header.time_us += 1000000;
    bench_send(b, c, header, TPI_MOTION_SETSPEED, 21, &(tpi_motion_setspeed){0, 0, 0});
    bench_wait(b, c, 500);
    assert_true(bench_last(b, 0)->values[0] > 0.4); /* and drives on along its path */
    bench_wait(b, c, 3000);
    assert_true(bench_last(b, 0)->values[0] == 0);
}

static void a_sequence_may_last_longer_than_the_horizon(void **state)
{
    struct bench *b = bench_new(&(tpi_motion_settings){.horizon_ns = 2000 * BENCH_MS});
    const uint32_t c = bench_join(b, "a", 0);

    (void)state;
    bench_session(b, c, TPI_MOTION_BEGIN,
                  &(tpi_motion_begin){.sequence = 1, .mode = TPI_MOTION_ADAPTIVE});
    bench_drain(b, c);
    for (uint64_t i = 0; i < 80; i++) {
        frame(b, c, TPI_MOTION_ADAPTIVE, 77000000 + i * 100000, i % 2 == 0 ? 0.1 : 0.2);
        bench_wait(b, c, 100);
    }
    bench_expect_nothing(b, c);
    frame(b, c, TPI_MOTION_ADAPTIVE, 77000000 + 11000000, 0);
    bench_expect(b, c, 1, TPI_MOTION_ERROR, true, "the time is beyond the horizon");
    bench_free(b);
}

static void a_clear_that_is_refused_drops_nothing(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_motion_header header = {
        .mode = TPI_MOTION_DELAY, .flags = TPI_MOTION_CLEAR, .time_us = UINT64_MAX / 1000 + 2};

    bench_set_later(b, c, 1, 500, 0.1);
    bench_send(b, c, header, TPI_MOTION_SET, 2, &(tpi_motion_set){1, 0, -0.5, 0});
    bench_expect(b, c, 2, TPI_MOTION_ERROR, true, "the time is beyond the horizon");
    bench_wait(b, c, 2000);
    assert_true(bench_last(b, 1)->values[0] == 0.1);
}

/* The network may deliver END late, or the playback may have had nothing to do. */
static void the_end_of_a_playback_may_come_when_it_is_over(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_motion_begin begin = {
        .sequence = 1, .mode = TPI_MOTION_PLAYBACK, .frames = 1, .duration_us = 1000};

    bench_session(b, c, TPI_MOTION_BEGIN, &begin);
    frame(b, c, TPI_MOTION_PLAYBACK, 0, 0.1);
    bench_wait(b, c, 2000);
    assert_int_equal(summary_of(b, c).signal, TPI_MOTION_SUCCESS);
    bench_session(b, c, TPI_MOTION_END, &(tpi_motion_end){1, 1});
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_session(b, c, TPI_MOTION_END, &(tpi_motion_end){1, 1}); /* once */
    bench_expect(b, c, 9999, TPI_MOTION_ERROR, true, "no such sequence has begun");
    bench_session(b, c, TPI_MOTION_BEGIN, &begin);
    bench_session(b, c, TPI_MOTION_CANCEL, &(tpi_motion_tag){0});
    bench_drain(b, c);
    bench_session(b, c, TPI_MOTION_END, &(tpi_motion_end){1, 1}); /* that one was not over */
    bench_expect(b, c, 9999, TPI_MOTION_ERROR, true, "no such sequence has begun");
}

static void so_may_the_ends_of_several_playbacks(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    for (uint32_t id = 1; id <= 2; id++) {
        const tpi_motion_header header = {
            .kind = TPI_MOTION_COMMAND, .mode = TPI_MOTION_PLAYBACK, .sequence = id};
        const tpi_motion_begin begin = {
            .sequence = id, .mode = TPI_MOTION_PLAYBACK, .frames = 1, .duration_us = 1000};

        bench_session(b, c, TPI_MOTION_BEGIN, &begin);
        bench_send(b, c, header, TPI_MOTION_SET, id, &(tpi_motion_set){1, 0, 0.1 * id, 0});
        bench_wait(b, c, 2000);
        assert_int_equal(summary_of(b, c).signal, TPI_MOTION_SUCCESS);
    }
    for (uint32_t id = 1; id <= 2; id++) {
        bench_session(b, c, TPI_MOTION_END, &(tpi_motion_end){id, 1});
        bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    }
}

/* The duration is the time from the first to the last frame. */
static void a_playback_of_one_frame_has_no_duration(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_motion_begin begin = {.sequence = 1, .mode = TPI_MOTION_PLAYBACK, .frames = 1};
    const tpi_motion_header header = {.mode = TPI_MOTION_PLAYBACK, .sequence = 1};

    bench_session(b, c, TPI_MOTION_BEGIN, &begin);
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_send(b, c, header, TPI_MOTION_SET, 1, &(tpi_motion_set){1, 0, 0.1, 0});
    bench_wait(b, c, 2000);
    assert_int_equal(summary_of(b, c).signal, TPI_MOTION_SUCCESS);
}

static void a_sequence_has_to_begin(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    frame(b, c, TPI_MOTION_PLAYBACK, 0, 1);
    bench_expect(b, c, 1, TPI_MOTION_ERROR, true, "no such sequence has begun");
    bench_session(b, c, TPI_MOTION_BEGIN,
                  &(tpi_motion_begin){.sequence = 1, .mode = TPI_MOTION_PLAYBACK, .frames = 6});
    bench_expect(b, c, 9999, TPI_MOTION_ERROR, true,
                 "a playback needs the number of frames and the duration");
    bench_session(b, c, TPI_MOTION_BEGIN, &(tpi_motion_begin){.mode = TPI_MOTION_ADAPTIVE});
    bench_expect(b, c, 9999, TPI_MOTION_ERROR, true,
                 "sequence 0 is the server's clock: choose another number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_CASE(clear_drops_later_frames_of_this_line),
        BENCH_CASE(commands_start_in_the_order_of_their_times),
        BENCH_CASE(full_queues_and_far_times_are_refused),
        BENCH_CASE(a_cancel_brakes_within_the_limit_and_writes_zero),
        BENCH_CASE(a_cancel_of_one_tag_leaves_the_others),
        BENCH_CASE(a_lease_that_ends_stops_and_drops),
        BENCH_CASE(a_client_that_leaves_may_finish_until_its_lease_ends),
        BENCH_CASE(a_panic_flushes_everything_until_it_is_reset),
        BENCH_CASE(after_a_fault_nothing_buffered_is_played),
        BENCH_CASE(in_a_hold_direct_commands_are_busy_but_stop_is_not),
        BENCH_CASE(a_slowed_speed_does_not_jump_when_its_command_changes),
        BENCH_CASE(what_stops_at_once_is_counted),
        BENCH_CASE(half_the_rate_takes_twice_the_time),
        BENCH_CASE(the_robots_rate_is_raised_by_its_client_or_an_operator),
        BENCH_CASE(a_client_that_slows_the_robot_more_raises_only_its_own_part),
        BENCH_CASE(a_playback_with_uneven_frames_is_refused),
        BENCH_CASE(a_sequence_that_drives_to_a_pose_lasts_until_the_base_is_there),
        BENCH_CASE(a_sequence_with_missing_frames_plays_the_rest),
        BENCH_CASE(frames_may_arrive_in_any_order),
        BENCH_CASE(a_session_has_a_mode),
        BENCH_CASE(without_an_end_the_robot_stands_at_the_last_frame),
        BENCH_CASE(a_playback_ends_with_its_last_frame),
        BENCH_CASE(delayed_frames_are_waited_for_on_request),
        BENCH_CASE(a_sequence_may_last_longer_than_the_horizon),
        BENCH_CASE(a_clear_that_is_refused_drops_nothing),
        BENCH_CASE(the_end_of_a_playback_may_come_when_it_is_over),
        BENCH_CASE(so_may_the_ends_of_several_playbacks),
        BENCH_CASE(a_playback_of_one_frame_has_no_duration),
        BENCH_CASE(a_sequence_has_to_begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
