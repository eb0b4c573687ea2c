/* change_test.c - what is done otherwise than asked is said: in signals, and in summaries. */
#include "engine_test.h"

static void a_clamped_position_names_both_values(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_set(b, c, 1, 1, 9);
    bench_wait(b, c, 5000);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, false, "started; head:0 is clamped from 9 to 1.5");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "head:0 is clamped from 9 to 1.5");
}

static void several_clamped_dofs_are_counted(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    tpi_motion_drive targets[] = {{2, 0, -9}, {1, 0, 0.1}, {1, 1, 9}};
    const tpi_motion_move move = {0, TPI_MOTION_SERVO_POSITION, 3, targets};

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_MOVE, 1, &move);
    bench_wait(b, c, 5000);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, false,
                 "started; arm is clamped from -9 to -2, and 1 more");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "arm is clamped from -9 to -2, and 1 more");
}

static void a_speed_that_the_base_cannot_have_is_left_out(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_speed(b, c, 1, 0.2, 0.3, 0);
    bench_wait(b, c, 500);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, false,
                 "started; base.vy 0.3 is left out: the base cannot move so");
    bench_speed(b, c, 2, 7, 0, 0);
    bench_wait(b, c, 500);
    bench_expect(b, c, 2, TPI_MOTION_MODIFIED, false, "started; base.vx is clamped from 7 to 1");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true,
                 "replaced by a newer command; base.vy 0.3 is left out: the base cannot move so");
}

static void a_duration_that_is_too_short_is_stretched(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SET, 1, &(tpi_motion_set){1, 0, 1, 100000});
    bench_wait(b, c, 5000);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "head:0 needs 1.73205 s instead of 0.1 s");
}

static void what_is_done_as_asked_is_not_explained(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_set(b, c, 1, 1, 1);
    bench_wait(b, c, 5000);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, true, "done");
}

/* A sequence of speeds of the base, 100 ms apart; the last one stops it. */
static void play_speeds(struct bench *b, uint32_t c, const double *sideways, uint32_t count)
{
    const tpi_motion_begin begin = {.sequence = 3,
                                    .mode = TPI_MOTION_PLAYBACK,
                                    .frames = count,
                                    .duration_us = 100000 * (count - 1)};

    bench_session(b, c, TPI_MOTION_BEGIN, &begin);
    for (uint32_t i = 0; i < count; i++) {
        const tpi_motion_header header = {
            .mode = TPI_MOTION_PLAYBACK, .sequence = 3, .time_us = 100000 * i};

        bench_send(b, c, header, TPI_MOTION_SETSPEED, 10 + i,
                   &(tpi_motion_setspeed){i + 1 == count ? 0 : 0.2, sideways[i], 0});
    }
    bench_wait(b, c, 3000);
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
}

static void expect_summary(struct bench *b, uint32_t c, const char *text)
{
    tpi_motion_summary summary;
    tpi_motion_record record;

    assert_true(bench_next(b, c, &record));
    assert_int_equal(record.code, TPI_MOTION_SUMMARY);
    bench_get(&record, &summary);
    assert_int_equal(summary.signal, TPI_MOTION_SUCCESS);
    if (summary.length != strlen(text) || strncmp(summary.text, text, summary.length) != 0) {
        fail_msg("\"%.*s\" instead of \"%s\"", (int)summary.length, summary.text, text);
    }
}

static void a_summary_counts_what_was_not_done_as_asked(void **state)
{
    static const double none[] = {0, 0, 0, 0}, some[] = {0, 0.3, 0.4, 0}, one[] = {0, 0, -0.5, 0};
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    play_speeds(b, c, none, 4);
    expect_summary(b, c, "done");
    play_speeds(b, c, some, 4);
    expect_summary(b, c,
                   "done; 2 commands were modified, first at 0.1 s; base.vy 0.3 is left out: the "
                   "base cannot move so");
    play_speeds(b, c, one, 4);
    expect_summary(b, c,
                   "done; 1 command was modified, first at 0.2 s; base.vy -0.5 is left out: the "
                   "base cannot move so");
    bench_expect_nothing(b, c);
}

/* ---- The rate of a GOTO ---- */

static const struct bench_write *last_goto(const struct bench *b)
{
    const struct bench_write *last = bench_last(b, 0);

    assert_int_equal(last->write.what, TPI_MOTION_WRITE_GOTO);
    return last;
}

static void a_goto_is_issued_again_at_another_rate(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_GOTO, 1, &(tpi_motion_goto){1, 2, 3, 0});
    bench_wait(b, c, 500);
    assert_int_equal(b->count, 1);
    assert_true(last_goto(b)->write.rate == 1);
    bench_rate(b, c, 0.25);
    bench_wait(b, c, 500);
    assert_int_equal(b->count, 2); /* once, not in every period */
    assert_true(fabs(last_goto(b)->write.rate - 0.25) < 1e-9);
    assert_true(last_goto(b)->values[1] == 2);
    bench_rate(b, c, 0.252); /* not worth another one */
    bench_wait(b, c, 500);
    assert_int_equal(b->count, 2);
    bench_rate(b, c, 1);
    bench_wait(b, c, 500);
    assert_int_equal(b->count, 3);
    assert_true(last_goto(b)->write.rate == 1);
}

static void a_goto_starts_at_the_rate_of_the_robot(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_session(b, c, TPI_MOTION_RATE, &(tpi_motion_rate){0.5, 1});
    bench_wait(b, c, 100);
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_GOTO, 1, &(tpi_motion_goto){1, 2, 3, 0});
    bench_wait(b, c, 500);
    assert_int_equal(b->count, 1);
    assert_true(fabs(last_goto(b)->write.rate - 0.5) < 1e-9);
    bench_rate(b, c, 0.5);
    bench_wait(b, c, 500);
    assert_true(fabs(last_goto(b)->write.rate - 0.25) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_CASE(a_clamped_position_names_both_values),
        BENCH_CASE(several_clamped_dofs_are_counted),
        BENCH_CASE(a_speed_that_the_base_cannot_have_is_left_out),
        BENCH_CASE(a_duration_that_is_too_short_is_stretched),
        BENCH_CASE(what_is_done_as_asked_is_not_explained),
        BENCH_CASE(a_summary_counts_what_was_not_done_as_asked),
        BENCH_CASE(a_goto_is_issued_again_at_another_rate),
        BENCH_CASE(a_goto_starts_at_the_rate_of_the_robot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
