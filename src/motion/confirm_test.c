/* confirm_test.c - SUCCESS comes when devices have carried out what it reports. */
#include "support/motion.h"

enum { HEAD = 1, ARM = 2 };

static int set_up(void **state)
{
    *state = bench_new(&(tpi_motion_settings){.confirms = true});
    return 0;
}

#define CONFIRM_CASE(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)

/* Every device has carried out what is due now, but for one. */
static void confirm(struct bench *b, uint16_t but, int64_t until_ns)
{
    int64_t until[3] = {b->now_ns, b->now_ns, b->now_ns};

    if (but < 3) {
        until[but] = until_ns;
    }
    tpi_motion_engine_confirm(b->engine, until);
}

static uint32_t start(struct bench *b, uint32_t tag, uint16_t joint)
{
    const uint32_t c = bench_join(b, "a", 0);

    bench_set(b, c, tag, joint, 0.1);
    bench_wait(b, c, 10);
    bench_expect(b, c, tag, TPI_MOTION_SUCCESS, false, "started");
    return c;
}

static void success_waits_for_the_last_set_point(void **state)
{
    struct bench *b = *state;
    const uint32_t c = start(b, 1, 1);

    assert_true(tpi_motion_engine_unconfirmed(b->engine) == INT64_MAX);
    bench_wait(b, c, 2000);
    const int64_t end_ns = bench_last(b, HEAD)->due_ns;
    bench_expect_nothing(b, c);
    assert_true(tpi_motion_engine_unconfirmed(b->engine) == end_ns);
    confirm(b, HEAD, end_ns - 1);
    bench_expect_nothing(b, c);
    confirm(b, HEAD, end_ns);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, true, "done");
    assert_true(tpi_motion_engine_unconfirmed(b->engine) == INT64_MAX);
}

/* A device that has confirmed more before does not take it back. */
static void what_is_confirmed_stays_so(void **state)
{
    struct bench *b = *state;
    const uint32_t c = start(b, 1, 1);

    bench_wait(b, c, 1000);
    confirm(b, HEAD, b->now_ns + 1);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, true, "done");
    confirm(b, HEAD, 0);
    tpi_motion_engine_fault(b->engine, HEAD, "gone", b->now_ns);
    bench_expect_nothing(b, c);
}

static void a_fault_before_that_is_told_and_hits_the_client(void **state)
{
    struct bench *b = *state;
    const uint32_t c = start(b, 1, 1), other = bench_join(b, "b", 0);

    bench_set(b, other, 9, 2, 0.1);
    bench_send(b, c,
               (tpi_motion_header){.mode = TPI_MOTION_DELAY,
                                   .time_us = (uint64_t)(BENCH_START / 1000 + 5000000)},
               TPI_MOTION_SETSPEED, 2, &(tpi_motion_setspeed){0.1, 0, 0});
    bench_wait(b, c, 1000);
    confirm(b, HEAD, BENCH_START);
    tpi_motion_engine_fault(b->engine, HEAD, "the device refused a command", b->now_ns);
    bench_expect(b, c, 1, TPI_MOTION_INTERRUPTED, true, "the device refused a command");
    bench_expect(b, c, 2, TPI_MOTION_INTERRUPTED, true, "the device refused a command");
    bench_expect_nothing(b, c);
    bench_expect(b, other, 9, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, other, 9, TPI_MOTION_SUCCESS, true, "done"); /* its device is another one */
}

/* A motion that is over ends before one that the fault interrupts. */
static void signals_of_a_fault_come_in_the_order_of_the_ends(void **state)
{
    struct bench *b = *state;
    const uint32_t c = start(b, 2, 1);

    bench_wait(b, c, 1000);
    bench_set(b, c, 1, 1, 0.4);
    bench_wait(b, c, 10);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    confirm(b, HEAD, BENCH_START);
    tpi_motion_engine_fault(b->engine, HEAD, "gone", b->now_ns);
    bench_expect(b, c, 2, TPI_MOTION_INTERRUPTED, true, "gone");
    bench_expect(b, c, 1, TPI_MOTION_INTERRUPTED, true, "gone");
    bench_expect_nothing(b, c);
}

static void a_panic_before_that_is_told(void **state)
{
    struct bench *b = *state;
    const uint32_t c = start(b, 1, 1);

    bench_wait(b, c, 1000);
    tpi_motion_engine_panic(b->engine, 3, b->now_ns);
    bench_expect(b, c, 1, TPI_MOTION_PANICKED, true, "there is a panic");
    bench_expect_nothing(b, c);
}

static void answers_of_a_client_keep_their_order(void **state)
{
    struct bench *b = *state;
    const uint32_t c = start(b, 1, 1);

    bench_wait(b, c, 1000);
    bench_set(b, c, 2, 2, 0.1);
    bench_wait(b, c, 1000);
    confirm(b, HEAD, BENCH_START);
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, false, "started");
    bench_expect_nothing(b, c);
    confirm(b, ARM, 0);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, true, "done");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, true, "done");
}

/* A playback of one frame for the head, without ACK; at its end. */
static uint32_t play(struct bench *b)
{
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_motion_header header = {.mode = TPI_MOTION_PLAYBACK, .sequence = 7};

    bench_session(
        b, c, TPI_MOTION_BEGIN,
        &(tpi_motion_begin){
            .sequence = 7, .mode = TPI_MOTION_PLAYBACK, .frames = 1, .duration_us = 100000});
    bench_send(b, c, header, TPI_MOTION_SET, 1, &(tpi_motion_set){1, 0, 0.1, 0});
    bench_wait(b, c, 1000);
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_expect_nothing(b, c);
    return c;
}

static void expect_summary(struct bench *b, uint32_t c, uint32_t played, tpi_motion_signal signal,
                           const char *text)
{
    tpi_motion_record record;
    tpi_motion_summary summary;

    assert_true(bench_next(b, c, &record));
    assert_int_equal(record.code, TPI_MOTION_SUMMARY);
    bench_get(&record, &summary);
    assert_int_equal(summary.signal, signal);
    assert_int_equal(summary.played, played);
    assert_int_equal(summary.length, strlen(text));
    assert_memory_equal(summary.text, text, summary.length);
}

static void a_summary_waits_as_well(void **state)
{
    struct bench *b = *state;
    const uint32_t c = play(b);

    confirm(b, HEAD, BENCH_START);
    bench_expect_nothing(b, c);
    confirm(b, HEAD, b->now_ns);
    expect_summary(b, c, 1, TPI_MOTION_SUCCESS, "done");
}

static void a_sequence_whose_last_command_is_lost_is_interrupted(void **state)
{
    struct bench *b = *state;
    const uint32_t c = play(b);

    tpi_motion_engine_fault(b->engine, HEAD, "busy", b->now_ns);
    bench_expect(b, c, 1, TPI_MOTION_INTERRUPTED, true, "busy"); /* also without ACK */
    expect_summary(b, c, 1, TPI_MOTION_INTERRUPTED, "busy");
}

static void a_summary_comes_behind_what_waits(void **state)
{
    struct bench *b = *state;
    const uint32_t c = play(b);

    bench_session(b, c, TPI_MOTION_BEGIN,
                  &(tpi_motion_begin){.sequence = 8, .mode = TPI_MOTION_ADAPTIVE});
    bench_session(b, c, TPI_MOTION_CANCEL, &(tpi_motion_tag){0});
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_expect(b, c, 9999, TPI_MOTION_SUCCESS, true, "");
    bench_expect_nothing(b, c);
    bench_wait(b, c, 20);
    confirm(b, 9, 0);
    expect_summary(b, c, 1, TPI_MOTION_SUCCESS, "done");
    expect_summary(b, c, 0, TPI_MOTION_MODIFIED, "cancelled");
}

/* Nothing is dropped without a word, and none of it is SUCCESS. */
static void too_much_that_waits_for_a_device_is_interrupted(void **state)
{
    struct bench *b = *state;
    const uint32_t c = start(b, 1, 1);
    uint32_t done = 0, lost = 0;
    tpi_motion_record record;
    tpi_motion_signalled s;

    for (uint32_t i = 0; i < 1100; i++) {
        bench_set(b, c, 2 + i, 1, i % 2 == 0 ? 0.2 : 0.1);
        bench_wait(b, c, 10);
    }
    bench_wait(b, c, 2000);
    confirm(b, 9, 0);
    while (bench_next(b, c, &record)) {
        bench_get(&record, &s);
        done += s.final && s.signal <= TPI_MOTION_MODIFIED;
        lost += s.final && s.signal == TPI_MOTION_INTERRUPTED;
    }
    assert_int_equal(done, 1024);
    assert_int_equal(done + lost, 1101);
}

/* The places of its answers are free again. */
static void a_client_can_leave_before_that(void **state)
{
    struct bench *b = *state;
    const uint32_t c = start(b, 1, 1);

    bench_wait(b, c, 1000);
    tpi_motion_engine_leave(b->engine, c, false, b->now_ns);
    assert_true(tpi_motion_engine_unconfirmed(b->engine) == INT64_MAX);
    confirm(b, 9, 0);
}

/* The text belongs to the signal, whichever of the dofs has ended last. */
static void the_text_is_that_of_the_worst_signal(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0), higher = bench_join(b, "b", 1);
    tpi_motion_drive both[2] = {{1, 0, 0.5}, {2, 0, 0.5}};

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_MOVE, 1,
               &(tpi_motion_move){.servo = TPI_MOTION_SERVO_SPEED, .count = 2, .targets = both});
    bench_wait(b, c, 100);
    bench_set(b, higher, 2, 1, 0);
    bench_wait(b, c, 10);
    bench_set(b, c, 3, 2, 0);
    bench_wait(b, c, 10);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 3, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 1, TPI_MOTION_INTERRUPTED, true, "b has a higher rank");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIRM_CASE(success_waits_for_the_last_set_point),
        CONFIRM_CASE(what_is_confirmed_stays_so),
        CONFIRM_CASE(a_fault_before_that_is_told_and_hits_the_client),
        CONFIRM_CASE(signals_of_a_fault_come_in_the_order_of_the_ends),
        CONFIRM_CASE(a_panic_before_that_is_told),
        CONFIRM_CASE(answers_of_a_client_keep_their_order),
        CONFIRM_CASE(a_summary_waits_as_well),
        CONFIRM_CASE(a_sequence_whose_last_command_is_lost_is_interrupted),
        CONFIRM_CASE(a_summary_comes_behind_what_waits),
        CONFIRM_CASE(too_much_that_waits_for_a_device_is_interrupted),
        CONFIRM_CASE(a_client_can_leave_before_that),
        CONFIRM_CASE(the_text_is_that_of_the_worst_signal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
