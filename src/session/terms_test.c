/*
 * terms_test.c - leases of clients whose messages had to wait, and panics that clients raise and
 * reset.
 *
 * The clock is the test's, and so is the time at which the bytes of a message have arrived.
 */
#include <stdlib.h>
#include <string.h>

#include "conformance/puppet.h"
#include "conformance/stage.h"
#include "device/inside.h"
#include "loop/inside.h"
#include "support/unit.h"
#include "troupe/interfaces/player.h"
#include "troupe/interfaces/position2d.h"

static int begin(void **state)
{
    return stage_set_up(state, &puppet_driver);
}

/* A velocity of the first client, whose bytes have waited for `age_s`. Those that renew leases by
 * themselves say for how many milliseconds it is valid. */
static tp_status drive_late(struct stage *s, double age_s, uint32_t valid_ms)
{
    const tp_position2d_cmd_vel vel = {.vel = {.px = 1}, .state = 1};
    const int64_t now_ns = tp_clock_now_ns(&s->b.clock);

    s->err = (tp_error){0};
    tpi_loop_set_arrival(s->b.loop, now_ns - (int64_t)(age_s * (double)TP_NS_PER_S));
    const tp_status status = visit_send(s->sessions[0], s->device, TP_KIND_COMMAND,
                                        TP_POSITION2D_CMD_VEL, &vel, valid_ms, &s->err);
    tpi_loop_set_arrival(s->b.loop, TP_NEVER);
    return status;
}

static double lease_left_s(const struct stage *s)
{
    return tpi_claim_lease_left_s(tpi_device_safety_look(s->device));
}

static int64_t beat_ns(const struct stage *s)
{
    return tpi_clients_of(s->b.hub)->beat.period_ns;
}

/* ---- Simulated devices ----------------------------------------------------------------------- */

/* Whatever the client does afterwards, it may be silent. Ours have their lease as always. */
static void a_plain_client_has_no_lease_on_what_is_simulated(void **state)
{
    tp_driver simulated = puppet_driver;
    struct stage *s = NULL;

    simulated.flags |= TP_DRIVER_SIMULATED;
    assert_int_equal(stage_set_up((void **)&s, &simulated), 0);
    *state = s;
    assert_int_equal(drive_late(s, 100, 0), TP_OK);
    assert_true(tpi_claim_is_moved(tpi_device_safety_look(s->device)));
    assert_float_equal(lease_left_s(s), 0, 0); /* no limit */
    bench_move_clock(&s->b, 1e6);
    assert_true(tpi_claim_is_moved(tpi_device_safety_look(s->device)));
    tp_session_speak_leases(s->sessions[0], true);
    assert_int_equal(drive_late(s, 0, 0), TP_OK);
    assert_float_equal(lease_left_s(s), 1, 1e-9);
    assert_int_equal(tpi_terms_plain_ns(s->device), -1);
    assert_int_equal(stage_tear_down((void **)&s), 0);
}

/* ---- Messages that waited -------------------------------------------------------------------- */

static void a_command_that_waited_has_the_rest_of_its_lease(void **state)
{
    struct stage *s = *state;

    assert_int_equal(drive_late(s, 2, 0), TP_OK);
    assert_float_equal(lease_left_s(s), 3, 1e-9);
    assert_int_equal(drive_late(s, 5, 0), TP_E_TIMEOUT); /* to the nanosecond */
    assert_string_equal(s->err.text, "position2d:0: VEL can be 5.0 s old, more than its lease of "
                                     "5.0 s: the server was frozen or busy");
    assert_float_equal(lease_left_s(s), 3, 1e-9);
}

static void its_validity_is_shorter_by_the_same_time(void **state)
{
    struct stage *s = *state;

    tp_session_speak_leases(s->sessions[0], true); /* a second */
    assert_int_equal(drive_late(s, 0.6, 800), TP_OK);
    assert_float_equal(lease_left_s(s), 0.2, 1e-9);
    assert_int_equal(drive_late(s, 0.6, 100), TP_E_TIMEOUT);
    assert_string_equal(s->err.text, "position2d:0: VEL can be 0.6 s old, more than its lease of "
                                     "0.1 s: the server was frozen or busy");
    assert_int_equal(drive_late(s, 0.6, 5000), TP_OK); /* the lease is shorter */
    assert_float_equal(lease_left_s(s), 0.4, 1e-9);
}

/* Neither does it shorten the lease, nor does it give one without an end. */
static void a_message_that_is_as_old_as_its_lease_renews_nothing(void **state)
{
    struct stage *s = *state;

    assert_int_equal(drive_late(s, 0, 0), TP_OK);
    bench_move_clock(&s->b, 1);
    tpi_loop_set_arrival(s->b.loop, tp_clock_now_ns(&s->b.clock) - 5 * TP_NS_PER_S);
    tp_session_heard(s->sessions[0]);
    tpi_loop_set_arrival(s->b.loop, TP_NEVER);
    assert_float_equal(lease_left_s(s), 4, 1e-9);
    tp_session_heard(s->sessions[0]);
    assert_float_equal(lease_left_s(s), 5, 1e-9);
}

/* A freeze is noticed if it is longer than the shortest lease. */
static void the_loop_wakes_up_several_times_within_a_lease(void **state)
{
    struct stage *s = *state;
    const tp_lease ask = {.asks = TP_LEASE_DURATION, .duration = 0.06};

    tp_session_speak_leases(s->sessions[0], true);
    assert_int_equal(beat_ns(s), 250 * TP_NS_PER_MS);
    assert_int_equal(visit_send(s->sessions[0], s->device, TP_KIND_REQUEST,
                                TP_POSITION2D_REQ_GET_GEOM, NULL, 80, &s->err),
                     TP_OK);
    assert_int_equal(beat_ns(s), 250 * TP_NS_PER_MS); /* what moves nothing can be old */
    assert_int_equal(drive_late(s, 0, 80), TP_OK);
    assert_int_equal(beat_ns(s), 20 * TP_NS_PER_MS);
    assert_int_equal(visit_send(s->sessions[0], s->device, TP_KIND_REQUEST, TP_COMMON_REQ_LEASE,
                                &ask, 1, &s->err),
                     TP_OK);
    assert_int_equal(beat_ns(s), 15 * TP_NS_PER_MS);
}

/* The loop waits, and reads a velocity that has come since the turn before. */
static tp_status drive_after(struct stage *s, double wait_s, uint32_t valid_ms)
{
    const int64_t before_ns = tpi_loop_before_ns(s->b.loop);

    bench_move_clock(&s->b, wait_s);
    tp_loop_turn(s->b.loop, false);
    bench_move_clock(&s->b, 0.001); /* the turn takes some time */
    const int64_t age_ns = tp_clock_now_ns(&s->b.clock) - before_ns;
    return drive_late(s, (double)age_ns / (double)TP_NS_PER_S, valid_ms);
}

static void shorten_the_lease(struct stage *s)
{
    tp_session_speak_leases(s->sessions[0], true);
    tp_loop_turn(s->b.loop, false);
    assert_int_equal(drive_after(s, 0.24, 200), TP_OK);
}

/* The first wait after that is as short as the new lease wants it. */
static void a_lease_that_was_shortened_just_before_a_freeze_counts(void **state)
{
    struct stage *s = *state;

    shorten_the_lease(s);
    assert_int_equal(drive_after(s, 0.4, 200), TP_E_TIMEOUT);
    assert_string_equal(s->err.text, "position2d:0: VEL can be 0.4 s old, more than its lease of "
                                     "0.2 s: the server was frozen or busy");
}

static void a_lease_counts_from_the_beginning_of_a_wait(void **state)
{
    struct stage *s = *state;

    shorten_the_lease(s);
    tp_loop_turn(s->b.loop, false);
    const int64_t since_ns = tp_clock_now_ns(&s->b.clock);
    assert_int_equal(drive_after(s, 0.05, 200), TP_OK); /* a beat */
    tpi_loop_set_arrival(s->b.loop, since_ns);
    assert_int_equal(tpi_age_end_ns(s->sessions[0], TP_NS_PER_S / 5), since_ns + TP_NS_PER_S / 5);
    tpi_loop_set_arrival(s->b.loop, TP_NEVER);
}

/* A beat was due before. */
static void a_wait_that_ends_too_late_shows_a_freeze(void **state)
{
    struct stage *s = *state;

    tp_session_speak_leases(s->sessions[0], true);
    tp_loop_turn(s->b.loop, false);
    assert_int_equal(drive_after(s, 0.4, 200), TP_E_TIMEOUT); /* nobody knew of this lease before */
}

/* It may have come at the end of the wait. */
static void a_first_command_may_come_after_a_wait_that_is_longer_than_its_lease(void **state)
{
    struct stage *s = *state;

    tp_session_speak_leases(s->sessions[0], true);
    tp_loop_turn(s->b.loop, false);
    assert_int_equal(drive_after(s, 0.24, 80), TP_OK);
    assert_float_equal(lease_left_s(s), 0.08, 1e-6);
}

/* In the process of a driver, messages have the time at which the server sent them. */
static void a_part_of_a_server_goes_by_the_time_of_sending(void **state)
{
    struct stage *s = *state;
    const tp_message *what =
        tp_interface_message(&tp_interface_position2d, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL);
    const tp_position2d_cmd_vel vel = {.vel = {.px = 1}, .state = 1};
    const double now_s = (double)tp_clock_now_ns(&s->b.clock) / (double)TP_NS_PER_S;

    tpi_hub_set_part(s->b.hub, true, "part");
    for (int i = 0; i < 2; i++) {
        const tp_msghdr header = {.addr = *tp_device_addr(s->device),
                                  .type = TP_MSGTYPE_CMD,
                                  .subtype = TP_POSITION2D_CMD_VEL,
                                  .timestamp = now_s - (i == 0 ? 5 : 5.001)};
        tp_msg *msg = NULL;
        assert_int_equal(tp_msg_create(&msg, &header, what->ask, &vel), TP_OK);
        assert_int_equal(tp_session_send(s->sessions[0], msg, what, &s->err),
                         i == 0 ? TP_OK : TP_E_TIMEOUT);
        tp_msg_unref(msg);
    }
    assert_string_equal(s->err.text, "position2d:0: VEL came too late");
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* The next message of this kind; to be given back. */
static tp_msg *next_message(struct stage *s, unsigned who, unsigned type, unsigned subtype)
{
    tp_msg *msg = tp_session_take(s->sessions[who]);

    while (msg != NULL &&
           (tp_msg_header(msg)->type != type || tp_msg_header(msg)->subtype != subtype)) {
        tp_msg_unref(msg);
        msg = tp_session_take(s->sessions[who]);
    }
    return msg;
}

/* Whatever host the client has written. */
static void an_answer_has_the_address_of_the_device_and_the_time(void **state)
{
    struct stage *s = *state;
    const tp_message *what =
        tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, TP_COMMON_REQ_LEASE);
    const tp_lease ask = {0};
    tp_msghdr header = {
        .addr = *tp_device_addr(s->device), .type = TP_MSGTYPE_REQ, .subtype = TP_COMMON_REQ_LEASE};
    tp_msg *msg = NULL;

    header.addr.host ^= 99;
    assert_int_equal(tp_msg_create(&msg, &header, what->ask, &ask), TP_OK);
    assert_int_equal(tp_session_send(s->sessions[0], msg, what, &s->err), TP_OK);
    tp_msg_unref(msg);
    msg = next_message(s, 0, TP_MSGTYPE_RESP_ACK, TP_COMMON_REQ_LEASE);
    assert_non_null(msg);
    assert_memory_equal(&tp_msg_header(msg)->addr, tp_device_addr(s->device), sizeof header.addr);
    assert_float_equal(tp_msg_header(msg)->timestamp, tp_clock_wall_s(&s->b.clock), 1e-9);
    tp_msg_unref(msg);
}

/* ---- Panics ---------------------------------------------------------------------------------- */

static tp_status reset(struct stage *s, unsigned who)
{
    return tp_session_reset_panic(s->sessions[who], tpi_panic_epoch(tpi_panic_of(s->b.hub)), "",
                                  &s->err);
}

static void a_panic_is_reported_to_clients_that_want_to_know(void **state)
{
    struct stage *s = *state;

    tp_session_explain_failures(s->sessions[1], false);
    tp_session_panic(s->sessions[0], "smoke");
    for (unsigned i = 0; i < 3; i++) {
        tp_loop_turn(s->b.loop, false);
    }
    tp_msg *msg = next_message(s, 0, TP_MSGTYPE_DATA, TP_PLAYER_DATA_PANIC);
    assert_non_null(msg);
    assert_string_equal(((const tp_panic_state *)tp_msg_payload(msg))->why, "smoke");
    tp_msg_unref(msg);
    assert_null(next_message(s, 1, TP_MSGTYPE_DATA, TP_PLAYER_DATA_PANIC));
}

/* Its right to end a panic ends with that panic, and goes to nobody else. */
static void a_client_ends_only_the_panic_that_it_has_raised(void **state)
{
    static const tpi_key key = {"boss", "decide", TP_RIGHT_OPERATE};
    const tpi_access access = {
        .keys = &key, .key_count = 1, .guests = {TP_RIGHT_MOVE, TP_RIGHT_MOVE, TP_RIGHT_MOVE}};
    struct stage *s = *state;

    assert_int_equal(tpi_hub_set_access(s->b.hub, &access), TP_OK);
    tp_session_panic(s->sessions[1], "smoke");
    assert_int_equal(reset(s, 0), TP_E_DENIED);
    assert_int_equal(reset(s, 1), TP_OK);
    tpi_panic_raise(tpi_panic_of(s->b.hub), "signal", "test");
    assert_int_equal(reset(s, 1), TP_E_DENIED);
    assert_int_equal(tp_session_reset_panic(s->sessions[1], tpi_panic_epoch(tpi_panic_of(s->b.hub)),
                                            "decide", &s->err),
                     TP_OK);
    assert_int_equal(stage_enter(s, 2, "carla"), TP_OK);
    tp_session_panic(s->sessions[2], "smoke");
    tp_session_destroy(s->sessions[2]);
    s->sessions[2] = NULL;
    assert_int_equal(reset(s, 0), TP_E_DENIED);
}

static void drop(void *context)
{
    (*(unsigned *)context)++;
}

static void ignore(void *context)
{
    (void)context;
}

static void what_others_have_sent_before_the_reset_is_dropped(void **state)
{
    static const tp_session_limits limits = {.data = 8, .replies = 8, .requests = 8};
    static const tp_session_events events = {.ready = ignore, .lost = ignore, .drop = drop};
    struct stage *s = *state;
    unsigned drops[2] = {0};
    tp_session *datagrams[2] = {NULL};

    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(tp_session_create(&datagrams[i], s->b.hub, BENCH_ROBOT, &limits, &events,
                                           &drops[i], NULL),
                         TP_OK);
    }
    tp_session_panic(datagrams[0], "smoke");
    assert_int_equal(
        tp_session_reset_panic(datagrams[0], tpi_panic_epoch(tpi_panic_of(s->b.hub)), "", &s->err),
        TP_OK);
    assert_true(drops[0] == 0 && drops[1] == 1); /* its own came after it */
    for (unsigned i = 0; i < 2; i++) {
        tp_session_destroy(datagrams[i]);
    }
}

/* ---- Exclusive access ------------------------------------------------------------------------ */

static tp_status open_exclusively(struct stage *s, unsigned who)
{
    return visit_open(&s->visit, s->sessions[who], s->device, TP_EXCLUSIVE_MODE);
}

/* The first of anna's openings holds nothing after berta, until the second one is closed. */
static void the_last_of_its_openings_gives_a_device_back(void **state)
{
    struct stage *s = *state;

    assert_int_equal(open_exclusively(s, 0), TP_OK);
    bench_move_clock(&s->b, 5);
    assert_int_equal(open_exclusively(s, 1), TP_OK);
    assert_int_equal(tp_session_close(s->sessions[1], s->device), TP_OK);
    assert_null(tpi_access_holder(s->device));
    assert_int_equal(open_exclusively(s, 0), TP_OK);
    assert_int_equal(tp_session_close(s->sessions[0], s->device), TP_OK);
    assert_ptr_equal(tpi_access_holder(s->device), s->sessions[0]);
    assert_int_equal(tp_session_close(s->sessions[0], s->device), TP_OK);
    assert_null(tpi_access_holder(s->device));
}

/* The right that the configuration wants is for writing. */
static void a_device_that_needs_more_to_write_is_read_as_before(void **state)
{
    static const tpi_key key = {"driver", "drive", TP_RIGHT_MOVE};
    const tpi_access access = {.keys = &key, .key_count = 1};
    struct stage *s = *state;

    assert_int_equal(tpi_hub_set_access(s->b.hub, &access), TP_OK); /* guests read */
    s->device->instance->blueprint.write_needs = TP_RIGHT_MOVE;
    assert_int_equal(visit_send(s->sessions[0], s->device, TP_KIND_REQUEST,
                                TP_POSITION2D_REQ_GET_GEOM, NULL, 0, &s->err),
                     TP_OK);
    assert_int_equal(tpi_right_to_open(s->device, TP_READ_MODE), TP_RIGHT_READ);
    assert_int_equal(tpi_right_to_open(s->device, TP_WRITE_MODE), TP_RIGHT_MOVE);
}

/* ---- Drivers in processes of their own ------------------------------------------------------- */

/* The process of a driver comes from inside, by the name of the instance. */
static void the_process_of_a_driver_has_its_label_and_rank(void **state)
{
    static const tpi_rank ranks[] = {{.driver = "motor", .rank = 7}};
    const bench_section section = {.driver = &motor_on_loop, .provides = "position2d:0"};
    bench b;
    tpi_claim claim = {0};
    tpi_identity process = {0};

    (void)state;
    bench_init(&b);
    bench_plan *plan = bench_plan_create(b.catalogue, &section, 0);
    tpi_blueprint blueprint = *bench_plan_blueprint(plan);
    blueprint.in_place_of = "motor";
    blueprint.ranks = ranks;
    blueprint.rank_count = 1;
    assert_int_equal(tpi_hub_add(b.hub, &blueprint, NULL, NULL), TP_OK);
    const tp_device *device = bench_find(&b, "position2d:0");
    tpi_identity_init(&process, &tpi_clients_of(b.hub)->keyring);
    tpi_identity_set_name(&process, "unix");
    tpi_identity_set_software(&process, tp_instance_name(tp_device_instance(device)));
    assert_null(strstr(process.label, "the driver")); /* others may use the same name */
    tpi_identity_set_reach(&process, TP_REACH_INSIDE);
    assert_memory_equal(process.label, "the driver ", strlen("the driver "));
    tpi_identity_rank(&process, device, &claim);
    assert_int_equal(claim.rank, 7);
    tpi_identity_fini(&process);
    bench_fini(&b);
    bench_plan_destroy(plan);
}

#define STAGE_TEST(test) cmocka_unit_test_setup_teardown(test, begin, stage_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGE_TEST(a_command_that_waited_has_the_rest_of_its_lease),
        STAGE_TEST(its_validity_is_shorter_by_the_same_time),
        STAGE_TEST(a_message_that_is_as_old_as_its_lease_renews_nothing),
        STAGE_TEST(the_loop_wakes_up_several_times_within_a_lease),
        STAGE_TEST(a_lease_that_was_shortened_just_before_a_freeze_counts),
        STAGE_TEST(a_lease_counts_from_the_beginning_of_a_wait),
        STAGE_TEST(a_wait_that_ends_too_late_shows_a_freeze),
        STAGE_TEST(a_first_command_may_come_after_a_wait_that_is_longer_than_its_lease),
        STAGE_TEST(a_part_of_a_server_goes_by_the_time_of_sending),
        STAGE_TEST(an_answer_has_the_address_of_the_device_and_the_time),
        STAGE_TEST(a_panic_is_reported_to_clients_that_want_to_know),
        STAGE_TEST(a_client_ends_only_the_panic_that_it_has_raised),
        STAGE_TEST(what_others_have_sent_before_the_reset_is_dropped),
        STAGE_TEST(the_last_of_its_openings_gives_a_device_back),
        STAGE_TEST(a_device_that_needs_more_to_write_is_read_as_before),
        cmocka_unit_test(a_plain_client_has_no_lease_on_what_is_simulated),
        cmocka_unit_test(the_process_of_a_driver_has_its_label_and_rank),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
