/*
 * access_test.c - who has a device for itself, and who is thrown out; what is refused, and that it
 * is told and counted.
 *
 * The clock is the test's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "conformance/puppet.h"
#include "conformance/stage.h"
#include "device/inside.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

static tp_status open_as(struct stage *s, unsigned who, unsigned access)
{
    const tp_status status = visit_open(&s->visit, s->sessions[who], s->device, access);

    s->err = s->visit.refusal;
    return status;
}

static int begin(void **state)
{
    return stage_set_up(state, &puppet_driver);
}

static tp_status drive(struct stage *s, unsigned who)
{
    s->err = (tp_error){0};
    const tp_status status = visit_drive(s->sessions[who], s->device, 1, &s->err);

    tp_loop_turn(s->b.loop, false);
    return status;
}

/* The sentences that a client was told, one in each line; with their codes. */
static void told(struct stage *s, unsigned who, char *out, size_t size)
{
    tp_msg *msg;
    size_t length = 0;

    out[0] = '\0';
    while ((msg = tp_session_take(s->sessions[who])) != NULL) {
        const tp_failure *failure = tp_msg_payload(msg);
        if (tp_msg_header(msg)->subtype == TP_COMMON_DATA_ERROR && failure != NULL) {
            length += (size_t)snprintf(out + length, size - length, "%d %s\n", (int)failure->code,
                                       failure->text);
        }
        tp_msg_unref(msg);
    }
}

/* ---- Exclusive access ------------------------------------------------------------------------ */

static void who_is_silent_for_its_lease_keeps_nobody_out(void **state)
{
    struct stage *s = *state;

    assert_int_equal(open_as(s, 0, TP_EXCLUSIVE_MODE), TP_OK);
    assert_int_equal(drive(s, 1), TP_E_DENIED);
    bench_move_clock(&s->b, 4.9);
    assert_int_equal(drive(s, 1), TP_E_DENIED);
    assert_string_equal(s->err.text, "position2d:0 is held by anna");
    bench_move_clock(&s->b, 0.1); /* it has not said a word for five seconds */
    assert_int_equal(drive(s, 1), TP_OK);
    assert_int_equal(drive(s, 0), TP_OK); /* it is back, and nobody has taken its place */
    assert_int_equal(drive(s, 1), TP_E_DENIED);
}

static void another_one_takes_its_place(void **state)
{
    struct stage *s = *state;
    tp_statistics *found = NULL;
    char text[256] = "";

    tp_session_speak_leases(s->sessions[0], true); /* then it is a second */
    assert_int_equal(open_as(s, 0, TP_EXCLUSIVE_MODE), TP_OK);
    bench_move_clock(&s->b, 0.9);
    assert_int_equal(open_as(s, 1, TP_EXCLUSIVE_MODE), TP_E_DENIED);
    assert_string_equal(s->err.text, "position2d:0 is held by anna");
    bench_move_clock(&s->b, 0.1);
    assert_int_equal(tp_hub_statistics(s->b.hub, &found), TP_OK);
    assert_string_equal(found->devices[0].holder, "anna");
    assert_true(found->devices[0].holder_silent);
    free(found);
    tp_session_explain_failures(s->sessions[0], true);
    assert_int_equal(open_as(s, 1, TP_EXCLUSIVE_MODE), TP_OK);
    told(s, 0, text, sizeof text);
    assert_string_equal(text, "-15 position2d:0 is no longer open exclusively: its client was "
                              "silent for too long, and berta has taken it\n");
    assert_int_equal(tp_hub_statistics(s->b.hub, &found), TP_OK);
    assert_string_equal(found->devices[0].holder, "berta");
    assert_false(found->devices[0].holder_silent);
    free(found);
    assert_int_equal(drive(s, 0), TP_E_DENIED);
    assert_string_equal(s->err.text, "position2d:0 is held by berta");
    tp_session_destroy(s->sessions[0]); /* which takes nothing from anybody */
    s->sessions[0] = NULL;
    assert_ptr_equal(tpi_access_holder(s->device), s->sessions[1]);
}

static void a_lease_without_end_has_no_silence(void **state)
{
    struct stage *s = *state;

    s->device->instance->blueprint.lease_ns = -1;
    assert_int_equal(open_as(s, 0, TP_EXCLUSIVE_MODE), TP_OK);
    bench_move_clock(&s->b, 1e6);
    assert_int_equal(drive(s, 1), TP_E_DENIED);
    s->device->instance->blueprint.lease_ns = TP_NS_PER_MS; /* one that is short is a second here */
    assert_int_equal(drive(s, 0), TP_OK);
    bench_move_clock(&s->b, 0.9);
    assert_int_equal(drive(s, 1), TP_E_DENIED);
    bench_move_clock(&s->b, 0.1);
    assert_int_equal(drive(s, 1), TP_OK);
}

/* ---- Pulls ----------------------------------------------------------------------------------- */

static void receive_pull(struct stage *s, unsigned who)
{
    const tp_msghdr pull = {
        .addr = {.interf = TP_PLAYER_CODE}, .type = TP_MSGTYPE_REQ, .subtype = TP_PLAYER_REQ_DATA};

    tp_session_heard_message(s->sessions[who], &pull);
}

static double lease_left_s(const struct stage *s)
{
    return tpi_claim_lease_left_s(tpi_device_safety_look(s->device));
}

/* The library of such a client pulls by itself, also while its program hangs. */
static void pulls_of_a_client_with_leases_renew_nothing(void **state)
{
    struct stage *s = *state;

    tp_session_speak_leases(s->sessions[0], true);
    assert_int_equal(open_as(s, 0, TP_EXCLUSIVE_MODE), TP_OK);
    assert_int_equal(drive(s, 0), TP_OK);
    bench_move_clock(&s->b, 0.75);
    receive_pull(s, 0);
    assert_float_equal(lease_left_s(s), 0.25, 1e-6);
    assert_int_equal(drive(s, 1), TP_E_DENIED);
    bench_move_clock(&s->b, 0.25);
    assert_int_equal(drive(s, 1), TP_OK);
}

/* Player has no other sign of life, and other messages of the client are sent by its program. */
static void other_messages_renew(void **state)
{
    struct stage *s = *state;

    assert_int_equal(open_as(s, 0, TP_EXCLUSIVE_MODE), TP_OK);
    assert_int_equal(drive(s, 0), TP_OK);
    bench_move_clock(&s->b, 4);
    receive_pull(s, 0);
    assert_float_equal(lease_left_s(s), 5, 1e-6);
    tp_session_speak_leases(s->sessions[0], true);
    bench_move_clock(&s->b, 0.75);
    const tp_msghdr right = {
        .addr = {.interf = TP_PLAYER_CODE}, .type = TP_MSGTYPE_REQ, .subtype = TP_PLAYER_REQ_RIGHT};
    tp_session_heard_message(s->sessions[0], &right);
    assert_float_equal(lease_left_s(s), 1, 1e-6);
    assert_int_equal(drive(s, 1), TP_E_DENIED);
}

/* The time before the pull is not work. */
static void pulls_begin_work_like_other_messages(void **state)
{
    struct stage *s = *state;

    tp_session_speak_leases(s->sessions[0], true);
    s->sessions[0]->account.mark_ns = 1;
    s->sessions[0]->place.heard = false;
    receive_pull(s, 0);
    assert_true(s->sessions[0]->account.mark_ns > 1);
    assert_true(s->sessions[0]->place.heard);
}

/* ---- Throwing out ---------------------------------------------------------------------------- */

static void collect(void *context, const char *text)
{
    tpi_buf_printf(context, "%s\n", text);
}

static void a_client_is_thrown_out_by_its_number(void **state)
{
    struct stage *s = *state;
    tpi_buf notes = {0};

    tpi_hub_set_note(s->b.hub, collect, &notes);
    assert_int_equal(tp_session_kick(s->sessions[1], s->sessions[0]->identity.number, &s->err),
                     TP_OK);
    assert_int_equal(s->visit.lost, 1);
    assert_int_equal(tp_session_kick(s->sessions[1], s->sessions[0]->identity.number, &s->err),
                     TP_OK);
    assert_int_equal(s->visit.lost, 1); /* it is on its way out already */
    tp_msg *last = NULL;
    for (tp_msg *msg = tp_session_take(s->sessions[0]); msg != NULL;
         msg = tp_session_take(s->sessions[0])) {
        tp_msg_unref(last);
        last = msg;
    }
    assert_int_equal(tp_msg_header(last)->subtype, TP_PLAYER_DATA_KICKED);
    assert_string_equal(((const tp_failure *)tp_msg_payload(last))->text, "disconnected by berta");
    tp_msg_unref(last);
    tpi_hub_set_note(s->b.hub, NULL, NULL);
    assert_string_equal(tpi_buf_text(&notes), "client 1, anna, was disconnected by berta\n");
    tpi_buf_fini(&notes);
}

static void not_everybody_can_be(void **state)
{
    struct stage *s = *state;

    assert_int_equal(tp_session_kick(s->sessions[1], 3, &s->err), TP_E_UNKNOWN);
    assert_string_equal(s->err.text, "there is no client 3");
    assert_int_equal(tp_session_kick(s->sessions[1], 2, &s->err), TP_E_INVALID);
    assert_string_equal(s->err.text, "client 2 is the one that asks");
    tp_session_set_reach(s->sessions[0], TP_REACH_INSIDE);
    assert_int_equal(tp_session_kick(s->sessions[1], 1, &s->err), TP_E_DENIED);
    assert_string_equal(s->err.text, "client 1 is a part of the server");
    assert_int_equal(s->visit.lost, 0);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void what_is_refused_is_counted(void **state)
{
    struct stage *s = *state;
    tp_statistics *found = NULL;

    assert_int_equal(open_as(s, 0, TP_EXCLUSIVE_MODE), TP_OK);
    assert_int_equal(drive(s, 1), TP_E_DENIED);
    assert_int_equal(drive(s, 1), TP_E_DENIED);
    assert_int_equal(open_as(s, 1, TP_EXCLUSIVE_MODE), TP_E_DENIED);
    assert_int_equal(drive(s, 0), TP_OK);
    assert_int_equal(tp_hub_statistics(s->b.hub, &found), TP_OK);
    assert_int_equal(found->devices[0].refused, 3);
    assert_int_equal(found->clients[0].refused, 0);
    assert_int_equal(found->clients[1].refused, 3);
    assert_int_equal(found->clients[1].number, 2);
    assert_int_equal(found->clients[1].right, TP_RIGHT_MOVE);
    assert_string_equal(found->clients[1].key, "");
    free(found);
}

static void a_panic_has_a_code_of_its_own(void **state)
{
    struct stage *s = *state;
    char text[512];

    tp_session_panic(s->sessions[1], "test");
    assert_int_equal(drive(s, 0), TP_E_PANIC);
    assert_string_equal(s->err.text, "nothing moves: panic, raised by berta: test");
    told(s, 0, text, sizeof text);
    assert_string_equal(text, "-18 nothing moves: panic, raised by berta: test\n");
}

static void what_the_driver_refuses_is_told_to_the_sender(void **state)
{
    struct stage *s = *state;
    tp_statistics *found = NULL;
    char text[512];

    puppet_at(&s->b, "position2d:0")->stubborn = "not today";
    assert_int_equal(drive(s, 0), TP_OK); /* as far as anybody knows */
    assert_int_equal(drive(s, 0), TP_OK);
    told(s, 0, text, sizeof text);
    assert_string_equal(text, "-16 position2d:0: not today\n"); /* once is enough */
    told(s, 1, text, sizeof text);
    assert_string_equal(text, "");
    puppet_at(&s->b, "position2d:0")->stubborn = NULL;
    assert_int_equal(drive(s, 0), TP_OK);
    told(s, 0, text, sizeof text);
    assert_string_equal(text, "");
    puppet_at(&s->b, "position2d:0")->stubborn = "not today";
    assert_int_equal(drive(s, 0), TP_OK);
    told(s, 0, text, sizeof text);
    assert_string_equal(text, "-16 position2d:0: not today\n");
    assert_int_equal(tp_hub_statistics(s->b.hub, &found), TP_OK);
    assert_int_equal(found->devices[0].refused, 3);
    assert_int_equal(found->clients[0].refused, 0);
    free(found);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

static double rank_left(struct stage *s)
{
    tp_statistics *found = NULL;

    assert_int_equal(tp_hub_statistics(s->b.hub, &found), TP_OK);
    const double left = found->devices[0].rank_left;
    free(found);
    return left;
}

static void where_all_are_equals_nobody_waits(void **state)
{
    struct stage *s = *state;

    assert_int_equal(drive(s, 0), TP_OK);
    assert_true(rank_left(s) == 0);
    s->sessions[1]->ranked = s->sessions[1]->subscriptions->has_rank = true; /* it gives way */
    assert_true(rank_left(s) > 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, stage_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(who_is_silent_for_its_lease_keeps_nobody_out),
        CASE(another_one_takes_its_place),
        CASE(a_lease_without_end_has_no_silence),
        CASE(pulls_of_a_client_with_leases_renew_nothing),
        CASE(other_messages_renew),
        CASE(pulls_begin_work_like_other_messages),
        CASE(a_client_is_thrown_out_by_its_number),
        CASE(not_everybody_can_be),
        CASE(what_is_refused_is_counted),
        CASE(a_panic_has_a_code_of_its_own),
        CASE(what_the_driver_refuses_is_told_to_the_sender),
        CASE(where_all_are_equals_nobody_waits),
    };
#undef CASE

    return cmocka_run_group_tests(tests, NULL, NULL);
}
