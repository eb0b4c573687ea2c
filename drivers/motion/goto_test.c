/*
 * goto_test.c - a GOTO goes on or ends with a signal that says why, whatever holds it up; so does a
 * motion that is planned, and none is SUCCESS before its device has carried it out. A client that
 * only listens stays.
 *
 * The base runs on a thread of its own and can hang, refuse, and send nothing. The clock is the
 * test's. It is moved on the thread of the motion driver, which renews its grants in between, and
 * only when both threads have done all that waited for them, or the base hangs.
 */
#include <math.h>
#include <string.h>

#include "conformance/play.h"
#include "motion/package.h"
#include "platform/thread.h"
#include "troupe/interfaces/mechanism.h"
#include "troupe/interfaces/position2d.h"

extern const tp_driver tp_driver_motion;

/* ---- The base -------------------------------------------------------------------------------- */

static struct {
    tp_device *device; /* borrowed */
    atomic_bool shut;  /* commands do not come to an end */
    atomic_bool deaf;  /* polls do not */
    atomic_bool stuck; /* it is in one of these */
    atomic_bool mute, refuses;
    atomic_int goals, halts, speeds;
    atomic_bool stands; /* the last speed was 0 */
} base;

static void wait_a_moment(void)
{
    tpi_wait(NULL, 0, tp_clock_now_ns(tp_clock_real()) + TP_NS_PER_MS);
}

static void hang(const atomic_bool *while_true)
{
    while (atomic_load(while_true)) {
        atomic_store(&base.stuck, true);
        wait_a_moment();
    }
    atomic_store(&base.stuck, false);
}

/* What hangs goes on. */
static void let_go(void)
{
    atomic_store(&base.shut, false);
    atomic_store(&base.deaf, false);
    while (atomic_load(&base.stuck)) {
        wait_a_moment();
    }
}

static tp_status take_goal(tp_device *device, const tp_position2d_cmd_pos *goal, tp_error *err)
{
    (void)device;
    (void)goal;
    if (atomic_load(&base.refuses)) {
        return tp_fail(err, TP_E_RANGE, "too far");
    }
    atomic_fetch_add(&base.goals, 1);
    hang(&base.shut);
    return TP_OK;
}

static tp_status take_speed(tp_device *device, const tp_position2d_cmd_vel *speed, tp_error *err)
{
    (void)device;
    if (atomic_load(&base.refuses)) {
        return tp_fail(err, TP_E_RANGE, "too fast");
    }
    atomic_fetch_add(&base.speeds, 1);
    hang(&base.shut);
    atomic_store(&base.stands, speed->vel.px == 0);
    return TP_OK;
}

static const tp_position2d_ops takes = {.cmd_pos = take_goal, .cmd_vel = take_speed};

static tp_status base_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_position2d, NULL, &takes, NULL, &base.device, err);
}

static tp_status base_start(tp_instance *self, tp_error *err)
{
    (void)err;
    tp_instance_set_period(self, 10 * TP_NS_PER_MS);
    return TP_OK;
}

/* It is on its way whenever it says something: a GOTO does not end by itself. */
static tp_status base_poll(tp_instance *self, tp_error *err)
{
    const tp_position2d_data data = {.vel = {.px = 0.3}};

    (void)self;
    (void)err;
    hang(&base.deaf);
    return atomic_load(&base.mute) ? TP_OK
                                   : tp_publish(base.device, TP_POSITION2D_DATA_STATE, &data, 0);
}

static void base_halt(tp_device *device, tp_halt how)
{
    (void)device;
    (void)how;
    atomic_fetch_add(&base.halts, 1);
}

static const tp_driver_ops base_ops = {
    .init = base_init, .start = base_start, .poll = base_poll, .halt = base_halt};
static const tp_driver slow_base = {.abi = TP_DRIVER_ABI, .name = "base", .ops = &base_ops};

/* ---- The client ------------------------------------------------------------------------------ */

static const uint8_t TOKEN[TP_MECHANISM_TOKEN] = {1, 2, 3};

/* What the driver sends has reached the base, and the data of the base the driver. */
static void settle(play *p)
{
    (void)bench_settle(&p->b, p->device, NULL);
    if (bench_settle(&p->b, base.device, &base.stuck)) {
        (void)bench_settle(&p->b, p->device, NULL);
    }
}

/* Time passes on the thread of the motion driver, which makes a turn then. Everything is settled
 * before time goes on. */
static void pass_at_once(play *p, double seconds)
{
    (void)bench_await_later(&p->r, seconds, TP_MECHANISM_DATA_STATE);
    settle(p);
}

static int begin(void **state)
{
    tp_mechanism_join join = {.lease = 30, .name_count = 2, .name = play_chars("a")};
    play *p = play_create();

    *state = p;
    memset(&base, 0, sizeof base);
    play_add(p, &slow_base, "position2d:0", NULL, NULL);
    play_add(p, &tp_driver_motion, "mechanism:0", "position2d:0",
             "urdf=" TEST_ROOT "/robots/pioneer.urdf");
    play_open(p);
    pass_at_once(p, 0.1);
    memcpy(join.token, TOKEN, sizeof TOKEN);
    (void)play_get(p, TP_MECHANISM_REQ_JOIN, &join);
    return 0;
}

/* Also after a test that has failed: nothing of it is left for the next one. */
static int finish(void **state)
{
    let_go();
    play_destroy(*state);
    return 0;
}

static void pass(play *p, double seconds)
{
    for (int i = 0; i < (int)lround(seconds * 10); i++) {
        pass_at_once(p, 0.1);
    }
}

/* A package with one record that arrived at this time, 0 for now; refused for this reason, if any.
 */
static void send_at(play *p, uint16_t code, uint32_t tag, const void *value, double arrived,
                    const char *why)
{
    uint8_t bytes[256];
    const size_t size = tpi_motion_record_put(bytes + TPI_MOTION_HEADER,
                                              sizeof bytes - TPI_MOTION_HEADER, code, tag, value);
    const tpi_motion_header header = {.kind = TPI_MOTION_COMMAND,
                                      .mode = TPI_MOTION_DIRECT,
                                      .records = 1,
                                      .id = tag,
                                      .size = (uint32_t)size};
    tp_mechanism_package package = {
        .arrived = arrived, .bytes_count = (uint32_t)(TPI_MOTION_HEADER + size), .bytes = bytes};

    tpi_motion_header_put(bytes, &header);
    memcpy(package.token, TOKEN, sizeof TOKEN);
    if (why != NULL) {
        play_assert_request_refused(p, TP_MECHANISM_REQ_PLAY, &package, why);
    } else {
        play_request(p, TP_MECHANISM_REQ_PLAY, &package);
    }
}

static void send_record(play *p, uint16_t code, uint32_t tag, const void *value)
{
    send_at(p, code, tag, value, 0, NULL);
}

static void send_goto(play *p, uint32_t tag)
{
    send_record(p, TPI_MOTION_GOTO, tag, &(tpi_motion_goto){.x_m = 9});
}

/* The last signal that has come for a command; false if there was none. */
static bool take_signal(play *p, uint32_t tag, tpi_motion_signalled *out, char text[256])
{
    tp_mechanism_client ask;
    tpi_motion_record record;
    double room[64]; /* of the text */
    size_t at = 0;
    bool found = false;

    memcpy(ask.token, TOKEN, sizeof TOKEN);
    const tp_mechanism_records *got = play_get(p, TP_MECHANISM_REQ_TAKE, &ask);
    while (at < got->bytes_count &&
           tpi_motion_record_next(&record, got->bytes, got->bytes_count, &at, NULL) == TP_OK) {
        if (record.tag == tag && record.code == TPI_MOTION_SIGNAL) {
            assert_int_equal(tpi_motion_body_get(tpi_motion_body_of(record.code), record.body,
                                                 record.length, out, room, sizeof room, NULL),
                             TP_OK);
            (void)snprintf(text, 256, "%.*s", (int)out->length, out->text);
            found = true;
        }
    }
    return found;
}

static void assert_running(play *p, uint32_t tag)
{
    tpi_motion_signalled signal;
    char text[256];

    assert_true(take_signal(p, tag, &signal, text));
    assert_string_equal(text, "started");
    assert_int_equal(signal.final, 0);
}

/* The command ends for this reason; the client's lease ends it at last. */
static void assert_ended(play *p, uint32_t tag, const char *why)
{
    tpi_motion_signalled signal;
    char text[256];

    while (!take_signal(p, tag, &signal, text) || !signal.final) {
        pass(p, 0.1);
    }
    assert_string_equal(text, why);
    assert_int_equal(signal.signal, TPI_MOTION_INTERRUPTED);
}

/* The device has taken the goal. */
static void await_goals(play *p, int count)
{
    while (atomic_load(&base.goals) < count) {
        pass(p, 0.1);
    }
}

/* The base has stopped, once. */
static void await_halt(play *p)
{
    while (atomic_load(&base.halts) == 0) {
        pass(p, 0.1);
    }
    assert_int_equal(atomic_load(&base.halts), 1);
}

/* ---- What has waited for the server ---------------------------------------------------------- */

static void what_is_older_than_the_lease_of_its_client_moves_nothing(void **state)
{
    const tpi_motion_setspeed speed = {.vx_mps = 0.5};
    play *p = *state;

    pass_at_once(p, 40);
    const double now = (double)tp_clock_now_ns(tp_hub_clock(p->b.hub)) * 1e-9;
    send_at(p, TPI_MOTION_SETSPEED, 1, &speed, now - 30.5,
            "the package can be 30.5 s old, more than the lease of 30.0 s: the server was frozen "
            "or busy");
    pass(p, 1);
    assert_int_equal(atomic_load(&base.speeds), 0);
    send_record(p, TPI_MOTION_SETSPEED, 2, &speed);
    pass(p, 1);
    assert_true(atomic_load(&base.speeds) > 0);
}

/* ---- What holds it up ------------------------------------------------------------------------ */

static void a_goto_drives_until_it_is_held_up_beyond_the_lease(void **state)
{
    play *p = *state;

    send_goto(p, 1);
    await_goals(p, 1);
    pass(p, 4);
    assert_running(p, 1);
    assert_int_equal(atomic_load(&base.halts), 0);
    pass_at_once(p, 0.6); /* the driver sleeps for longer than its lease */
    assert_ended(p, 1,
                 "position2d:0: the lease of 0.500 s has ended: the server was busy for longer "
                 "(device_lease)");
    await_halt(p);
    send_goto(p, 2); /* it can be sent again */
    await_goals(p, 2);
    pass(p, 1);
    assert_running(p, 2);
}

/* The driver sleeps until the plan is over, and nothing of it has reached the base. */
static void a_plan_that_ends_behind_the_lease_is_no_success(void **state)
{
    play *p = *state;

    send_record(p, TPI_MOTION_SETSPEED, 1, &(tpi_motion_setspeed){.vx_mps = 0.5});
    pass(p, 2);
    send_record(p, TPI_MOTION_STOP, 2, &(tpi_motion_empty){0}); /* which takes a second */
    pass(p, 0.2);
    assert_running(p, 2);
    pass_at_once(p, 3);
    assert_ended(p, 2,
                 "position2d:0: the lease of 0.500 s has ended: the server was busy for longer "
                 "(device_lease)");
    await_halt(p);
}

static void a_goto_that_became_too_old_at_its_device_is_told(void **state)
{
    play *p = *state;

    atomic_store(&base.shut, true);
    send_goto(p, 1);
    await_goals(p, 1); /* which does not come to an end */
    send_goto(p, 2);
    pass(p, 0.2);
    assert_running(p, 2);
    assert_ended(p, 2, "base: the device was busy for over 0.5 s, and a command became too old");
    let_go();
    pass(p, 0.5);
    assert_int_equal(atomic_load(&base.goals), 1);
}

static void a_goto_that_its_device_refuses_is_told(void **state)
{
    play *p = *state;

    atomic_store(&base.refuses, true);
    send_goto(p, 1);
    assert_ended(p, 1, "base: the device refused a command");
}

static void a_goto_for_a_device_that_hangs_is_told(void **state)
{
    play *p = *state;

    atomic_store(&base.deaf, true);
    while (!atomic_load(&base.stuck)) {
        pass(p, 0.1);
    }
    send_goto(p, 1);
    pass(p, 2.8);
    assert_running(p, 1);
    assert_ended(p, 1, "base: the device was not granted within 3 s");
    let_go();
    for (uint32_t tag = 2; atomic_load(&base.goals) == 0; tag++) { /* the late grant ends first */
        send_goto(p, tag);
        pass(p, 0.5);
    }
}

static void a_goto_of_a_device_without_data_is_told(void **state)
{
    play *p = *state;

    send_goto(p, 1);
    await_goals(p, 1);
    atomic_store(&base.mute, true);
    pass(p, 4.5);
    assert_running(p, 1);
    assert_ended(p, 1, "base: no data of the device for 5 s");
    await_halt(p);
}

/* ---- Plans that end before their device has done anything ------------------------------------ */

static void send_stop(play *p, uint32_t tag)
{
    send_record(p, TPI_MOTION_STOP, tag, &(tpi_motion_empty){0});
}

/* The base stands, so that a STOP ends at once in the plan. */
static void a_plan_whose_device_is_not_granted_is_no_success(void **state)
{
    play *p = *state;

    atomic_store(&base.deaf, true);
    while (!atomic_load(&base.stuck)) {
        pass(p, 0.1);
    }
    send_stop(p, 1);
    pass(p, 2.5);
    assert_running(p, 1);
    assert_ended(p, 1, "base: the device was not granted within 3 s");
}

static void a_plan_whose_device_refuses_its_end_is_no_success(void **state)
{
    play *p = *state;

    atomic_store(&base.refuses, true);
    send_stop(p, 1);
    assert_ended(p, 1, "base: the device refused a command");
}

static void a_plan_whose_device_hangs_is_no_success(void **state)
{
    play *p = *state;

    atomic_store(&base.shut, true);
    send_stop(p, 1);
    while (!atomic_load(&base.stuck)) {
        pass(p, 0.1);
    }
    pass(p, 0.2);
    assert_running(p, 1);
    assert_ended(p, 1, "base: the device was busy for over 0.5 s, and a command became too old");
    assert_int_equal(atomic_load(&base.speeds), 1);
}

/* The plan is ahead of the device by 10 ms. */
static void success_comes_behind_the_last_command(void **state)
{
    play *p = *state;
    tpi_motion_signalled signal = {.final = 0};
    char text[256];

    send_record(p, TPI_MOTION_SETSPEED, 1, &(tpi_motion_setspeed){.vx_mps = 0.1});
    pass(p, 1);
    assert_false(atomic_load(&base.stands));
    send_stop(p, 2);
    for (int i = 0; !signal.final; i++) {
        assert_true(i < 1000);
        bench_move_clock(&p->b, 0.002);
        settle(p);
        (void)take_signal(p, 2, &signal, text);
    }
    assert_int_equal(signal.signal, TPI_MOTION_SUCCESS);
    assert_true(atomic_load(&base.stands));
}

/* ---- Listening ------------------------------------------------------------------------------- */

/* A client that watches the state takes its records and sends no package. */
static void a_client_that_only_takes_records_stays(void **state)
{
    play *p = *state;
    tp_mechanism_client ask;

    memcpy(ask.token, TOKEN, sizeof TOKEN);
    for (int i = 0; i < 5; i++) {
        pass_at_once(p, 40);
        (void)play_get(p, TP_MECHANISM_REQ_TAKE, &ask);
    }
    pass_at_once(p, 61);
    pass_at_once(p, 0.1);
    play_assert_request_refused(p, TP_MECHANISM_REQ_TAKE, &ask,
                                "no client has joined with this token");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_client_that_only_takes_records_stays, begin, finish),
        cmocka_unit_test_setup_teardown(what_is_older_than_the_lease_of_its_client_moves_nothing,
                                        begin, finish),
        cmocka_unit_test_setup_teardown(a_goto_drives_until_it_is_held_up_beyond_the_lease, begin,
                                        finish),
        cmocka_unit_test_setup_teardown(a_plan_that_ends_behind_the_lease_is_no_success, begin,
                                        finish),
        cmocka_unit_test_setup_teardown(a_goto_that_became_too_old_at_its_device_is_told, begin,
                                        finish),
        cmocka_unit_test_setup_teardown(a_goto_that_its_device_refuses_is_told, begin, finish),
        cmocka_unit_test_setup_teardown(a_goto_for_a_device_that_hangs_is_told, begin, finish),
        cmocka_unit_test_setup_teardown(a_goto_of_a_device_without_data_is_told, begin, finish),
        cmocka_unit_test_setup_teardown(a_plan_whose_device_is_not_granted_is_no_success, begin,
                                        finish),
        cmocka_unit_test_setup_teardown(a_plan_whose_device_refuses_its_end_is_no_success, begin,
                                        finish),
        cmocka_unit_test_setup_teardown(a_plan_whose_device_hangs_is_no_success, begin, finish),
        cmocka_unit_test_setup_teardown(success_comes_behind_the_last_command, begin, finish),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
