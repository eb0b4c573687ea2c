/* motion_test.c - clients of a motion server with the real engine, on the same loop. */
#include "troupe/motion.h"

#include "support/motion_server.h"

struct scene {
    struct motion_server *server;
    tp_motion *robot;
    tp_error err;
    unsigned changes, losses, panics, replies;
};

static void on_change(void *context, tp_motion *robot, const char *why)
{
    struct scene *s = context;

    (void)robot;
    s->changes += why == NULL;
    s->losses += why != NULL;
}

static void on_panic(void *context, tp_motion *robot, uint32_t epoch)
{
    struct scene *s = context;

    (void)robot;
    assert_int_equal(epoch, s->server->epoch);
    s->panics++;
}

static tp_motion_options options_of(struct scene *s)
{
    return (tp_motion_options){.size = sizeof(tp_motion_options),
                               .name = "a test",
                               .loop = s->server->loop,
                               .changed = on_change,
                               .panicked = on_panic,
                               .context = s};
}

static void ok(struct scene *s, tp_status status)
{
    assert_string_equal(status == TP_OK ? "" : s->err.text, "");
    assert_int_equal(status, TP_OK);
}

static int set_up(void **state)
{
    struct scene *s = calloc(1, sizeof *s);

    s->server = server_new();
    *state = s;
    return 0;
}

static void connect_to(struct scene *s)
{
    const tp_motion_options options = options_of(s);

    ok(s, tp_motion_connect(&s->robot, s->server->url, &options, &s->err));
}

static int set_up_connected(void **state)
{
    set_up(state);
    connect_to(*state);
    return 0;
}

static int tear_down(void **state)
{
    struct scene *s = *state;

    tp_motion_destroy(s->robot);
    server_free(s->server);
    free(s);
    return 0;
}

static void turn_until(struct scene *s, bool (*met)(struct scene *s))
{
    while (!met(s)) {
        tp_loop_turn(s->server->loop, true);
    }
}

static bool has_second(struct scene *s)
{
    tp_motion_terms terms;

    tp_motion_get_terms(s->robot, &terms);
    return terms.second;
}

/* ---- Connecting ------------------------------------------------------------------------------ */

static void a_connection_knows_the_robot_and_its_clock(void **state)
{
    struct scene *s = *state;
    tp_motion_terms terms;

    assert_true(tp_motion_is_connected(s->robot));
    const tp_motion_robot *robot = tp_motion_describe(s->robot);
    assert_string_equal(robot->name, "bench");
    assert_int_equal(robot->joint_count, 4);
    assert_int_equal(robot->dof_count, 7);
    assert_string_equal(robot->joints[1].name, "head");
    assert_true(robot->joints[1].dofs[0].upper == 1.5);
    assert_int_equal(robot->period_ns, 10 * BENCH_MS);
    tp_motion_get_terms(s->robot, &terms);
    assert_int_equal(terms.frames, 4096);
    assert_int_equal(terms.lease_ns, 5 * TP_NS_PER_S);
    assert_int_equal(tp_motion_right(s->robot), TP_RIGHT_OPERATE);
    const int64_t error = (int64_t)tp_motion_now_us(s->robot) * 1000 - server_now(s->server);
    assert_true(llabs(error) <= tp_motion_now_error_ns(s->robot) + 20 * BENCH_MS);
    assert_int_equal(s->changes, 1);
    assert_int_equal(s->server->syncs, 8);
}

static void parts_of_a_robot_are_found_by_name(void **state)
{
    struct scene *s = *state;
    const tp_motion_robot *robot = tp_motion_describe(s->robot);
    uint16_t joint = 9, dof = 9;

    assert_int_equal(tp_motion_find_joint(robot, "arm"), 2);
    assert_int_equal(tp_motion_find_joint(robot, "leg"), -1);
    assert_int_equal(tp_motion_find_link(robot, "head"), 1);
    assert_int_equal(tp_motion_find_frame(robot, "hand"), -1);
    ok(s, tp_motion_find_dof(robot, "head:1", &joint, &dof, &s->err));
    assert_true(joint == 1 && dof == 1);
    ok(s, tp_motion_find_dof(robot, "2", &joint, &dof, &s->err));
    assert_true(joint == 2 && dof == 0);
    assert_int_equal(tp_motion_find_dof(robot, "head", &joint, &dof, &s->err), TP_E_UNKNOWN);
    assert_string_equal(s->err.text, "joint head has the dofs head:0 to head:1");
    assert_int_equal(tp_motion_find_dof(robot, "hed:0", &joint, &dof, &s->err), TP_E_UNKNOWN);
    assert_string_equal(s->err.text, "bench has no joint \"hed\"; did you mean \"head\"?");
    assert_int_equal(tp_motion_find_dof(robot, "arm:x", &joint, &dof, &s->err), TP_E_SYNTAX);
    assert_string_equal(s->err.text, "\"arm:x\" is no dof: JOINT or JOINT:NUMBER");
    assert_int_equal(tp_motion_find_dof(robot, "arm:1", &joint, &dof, &s->err), TP_E_UNKNOWN);
    assert_string_equal(s->err.text, "joint arm has one dof");
}

static void what_is_no_motion_server_is_reported(void **state)
{
    struct scene *s = *state;
    tp_motion_options options = options_of(s);

    s->server->foreign = true;
    assert_int_equal(tp_motion_connect(&s->robot, s->server->url, &options, &s->err), TP_E_CLOSED);
    assert_non_null(strstr(s->err.text, "this is no motion server"));
    s->server->foreign = false;
    s->server->mute = true;
    options.timeout_ns = 50 * BENCH_MS;
    assert_int_equal(tp_motion_connect(&s->robot, s->server->url, &options, &s->err), TP_E_TIMEOUT);
    assert_non_null(strstr(s->err.text, "the server did not answer in time"));
    assert_int_equal(tp_motion_connect(&s->robot, "http://robot/", &options, &s->err), TP_E_SYNTAX);
    assert_string_equal(
        s->err.text,
        "http://robot/: a motion server is motion://HOST:PORT, tcp:HOST:PORT or unix:PATH");
    assert_null(s->robot);
}

static void a_key_is_proved(void **state)
{
    struct scene *s = *state;
    tp_motion_options options = options_of(s);

    s->server->key = "a long enough secret";
    options.key = "another secret";
    assert_int_equal(tp_motion_connect(&s->robot, s->server->url, &options, &s->err), TP_E_DENIED);
    assert_non_null(strstr(s->err.text, "the key is refused: no key fits"));
    assert_int_equal(s->server->hellos, 0); /* the key comes first */
    options.key = "a long enough secret";
    ok(s, tp_motion_connect(&s->robot, s->server->url, &options, &s->err));
    assert_int_equal(tp_motion_right(s->robot), TP_RIGHT_OPERATE);
}

static void a_server_without_keys_needs_no_proof(void **state)
{
    struct scene *s = *state;
    tp_motion_options options = options_of(s);

    options.key = "some key";
    ok(s, tp_motion_connect(&s->robot, s->server->url, &options, &s->err));
}

static bool is_lost(struct scene *s)
{
    return s->losses == 1;
}

static bool is_connected_again(struct scene *s)
{
    return s->changes == 2;
}

static void after_a_loss_it_connects_again_and_resumes_nothing(void **state)
{
    struct scene *s = *state;
    const tp_motion_command look = tp_motion_set(1, 0, 1, 0);
    uint32_t tag = 0, sequence = 0;

    ok(s, tp_motion_begin(s->robot, &(tp_motion_sequence){.mode = TP_MOTION_ADAPTIVE}, &sequence,
                          NULL, &s->err));
    ok(s, tp_motion_call(s->robot, &look, 1, &tag, &s->err));
    server_cut(s->server);
    assert_int_equal(tp_motion_wait(s->robot, tag, 0, NULL, &s->err), TP_E_CLOSED);
    assert_non_null(strstr(s->err.text, "the command: "));
    turn_until(s, is_lost);
    assert_int_equal(tp_motion_send(s->robot, &look, 1, NULL, &tag, &s->err), TP_E_CLOSED);
    turn_until(s, is_connected_again);
    assert_int_equal(s->server->bench->count, 0);
    assert_int_equal(tp_motion_end(s->robot, sequence, NULL, &s->err), TP_E_INVALID);
    assert_string_equal(s->err.text, "END: ERROR: no such sequence has begun");
    ok(s, tp_motion_call(s->robot, &look, 1, &tag, &s->err));
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void commands_of_a_frame_start_together_and_end_alone(void **state)
{
    struct scene *s = *state;
    const tp_motion_command frame[] = {tp_motion_set(1, 0, 0.1, 0), tp_motion_goto(1, 2, 0.5),
                                       tp_motion_speed(2, 0, 0.2)};
    tp_motion_signalled end;
    tp_motion_reply *reply = NULL;
    uint32_t tag = 0;

    ok(s, tp_motion_call(s->robot, frame, 3, &tag, &s->err));
    ok(s, tp_motion_wait(s->robot, tag, 0, &end, &s->err));
    assert_int_equal(end.signal, TP_MOTION_SUCCESS);
    assert_true(end.start_us > 0 && end.end_us > end.start_us);
    ok(s, tp_motion_wait(s->robot, tag + 1, 0, &end, &s->err));
    ok(s, tp_motion_ask(s->robot, TP_MOTION_ASK_BASE, &reply, &s->err));
    assert_true(reply->as.base.pose[1] == 2);
    free(reply);
    ok(s, tp_motion_ask(s->robot, TP_MOTION_ASK_STATE, &reply, &s->err));
    assert_int_equal(reply->as.state.count, 7);
    assert_true(fabs(reply->as.state.dofs[3].position - 0.1) < 1e-5);
    free(reply);
    ok(s, tp_motion_cancel(s->robot, tag + 2, NULL, &s->err));
    ok(s, tp_motion_wait(s->robot, tag + 2, 0, &end, &s->err));
    assert_int_equal(end.signal, TP_MOTION_MODIFIED);
    assert_string_equal(end.text, "cancelled");
}

/* The same refusal is answered as often as it is asked for. */
static void what_the_robot_does_not_have_is_refused_by_name(void **state)
{
    struct scene *s = *state;
    const tp_motion_command wrong = tp_motion_set(3, 0, 0.1, 0);
    const tp_motion_command nonsense = {.verb = (tp_motion_verb)77};
    const tp_motion_command late = tp_motion_set(1, 0, 0.1, -5);
    const tp_motion_command huge = tp_motion_set(1, 0, NAN, 0);

    for (int i = 0; i < 2; i++) {
        assert_int_equal(tp_motion_call(s->robot, &wrong, 1, NULL, &s->err), TP_E_UNSUPPORTED);
        assert_non_null(strstr(s->err.text, "SET: NA: "));
    }
    assert_int_equal(tp_motion_call(s->robot, &nonsense, 1, NULL, &s->err), TP_E_INVALID);
    assert_int_equal(tp_motion_call(s->robot, &late, 1, NULL, &s->err), TP_E_RANGE);
    assert_int_equal(tp_motion_call(s->robot, &huge, 1, NULL, &s->err), TP_E_RANGE);
    assert_string_equal(s->err.text, "SET: a value is out of range");
}

static void many_dofs_move_in_one_record(void **state)
{
    struct scene *s = *state;
    const tp_motion_target targets[] = {{1, 0, 0.2}, {1, 1, -0.2}, {2, 0, 0.1}};
    const tp_motion_command move = tp_motion_move(targets, 3, TP_MOTION_POSITION, 0);
    const tp_motion_command home = tp_motion_home(TP_MOTION_JOINTS);
    uint32_t tag = 0;

    ok(s, tp_motion_call(s->robot, &move, 1, &tag, &s->err));
    ok(s, tp_motion_wait(s->robot, tag, 0, NULL, &s->err));
    ok(s, tp_motion_call(s->robot, &home, 1, &tag, &s->err));
    ok(s, tp_motion_wait(s->robot, tag, 0, NULL, &s->err));
}

static void frames_wait_for_their_time_and_can_be_cleared(void **state)
{
    struct scene *s = *state;
    const tp_motion_command look = tp_motion_set(1, 0, 0.1, 0);
    const uint64_t now = tp_motion_now_us(s->robot);
    const tp_motion_when later = {
        .size = sizeof later, .mode = TP_MOTION_DIRECT, .time_us = now + 1000000000, .ack = true};
    tp_motion_when instead = later;
    tp_motion_reply *reply = NULL;
    tp_motion_signalled end;
    uint32_t first = 0, second = 0;

    ok(s, tp_motion_send(s->robot, &look, 1, &later, &first, &s->err));
    ok(s, tp_motion_ask(s->robot, TP_MOTION_ASK_QUEUES, &reply, &s->err));
    assert_int_equal(reply->as.queues.command, 1);
    free(reply);
    instead.clear = true;
    instead.time_us = now + 900000000;
    ok(s, tp_motion_send(s->robot, &look, 1, &instead, &second, &s->err));
    ok(s, tp_motion_wait(s->robot, first, 0, &end, &s->err));
    assert_int_equal(end.signal, TP_MOTION_MODIFIED);
    ok(s, tp_motion_ask(s->robot, TP_MOTION_ASK_BUSY, &reply, &s->err));
    assert_int_equal(reply->as.busy.count, 1);
    assert_string_equal(reply->as.busy.holders[0].label, "a test");
    free(reply);
}

static void delay_mode_adds_its_delay(void **state)
{
    struct scene *s = *state;
    const tp_motion_command look = tp_motion_set(1, 0, 0.01, 0);
    const tp_motion_when when = {.size = sizeof when, .mode = TP_MOTION_DELAY, .ack = true};
    tp_motion_signalled end;
    uint32_t tag = 0;

    ok(s, tp_motion_set_mode(s->robot, TP_MOTION_DELAY, TP_MOTION_LATE_USUAL, 50 * BENCH_MS, NULL,
                             &s->err));
    const uint64_t before = tp_motion_now_us(s->robot);
    ok(s, tp_motion_send(s->robot, &look, 1, &when, &tag, &s->err));
    ok(s, tp_motion_wait(s->robot, tag, 0, &end, &s->err));
    assert_true(end.start_us >= before + 50000);
    assert_int_equal(
        tp_motion_set_mode(s->robot, TP_MOTION_PLAYBACK, TP_MOTION_LATE_USUAL, 0, NULL, &s->err),
        TP_E_INVALID);
}

/* A server that answers nothing keeps no call: what is sent is not waited for. */
static void in_delay_mode_a_call_waits_for_no_answer(void **state)
{
    struct scene *s = *state;
    const tp_motion_command look = tp_motion_set(1, 0, 0.01, 0);
    const tp_motion_when when = {.size = sizeof when, .mode = TP_MOTION_DELAY, .ack = true};
    tp_motion_signalled end;
    uint32_t tag = 0;

    ok(s, tp_motion_set_mode(s->robot, TP_MOTION_DELAY, TP_MOTION_LATE_USUAL, 50 * BENCH_MS, NULL,
                             &s->err));
    s->server->mute = true;
    ok(s, tp_motion_send(s->robot, &look, 1, &when, &tag, &s->err));
    assert_null(tp_motion_take(s->robot, tag));
    s->server->mute = false;
    ok(s, tp_motion_wait(s->robot, tag, 0, &end, &s->err));
    assert_int_equal(end.signal, TP_MOTION_SUCCESS);
}

/* ---- Sequences ------------------------------------------------------------------------------- */

static void play(struct scene *s, tp_motion_mode mode, tp_motion_summary *summary)
{
    const tp_motion_sequence what = {.size = sizeof what,
                                     .mode = mode,
                                     .frames = 20,
                                     .duration_ns = 190 * BENCH_MS,
                                     .target_ns = 30 * BENCH_MS};
    uint32_t sequence = 0;

    ok(s, tp_motion_begin(s->robot, &what, &sequence, NULL, &s->err));
    s->server->mute = true; /* frames wait for no answer */
    for (int i = 0; i < 20; i++) {
        const tp_motion_command frame = tp_motion_speed(1, 0, i < 19 ? 0.1 : 0);

        ok(s, tp_motion_add(s->robot, sequence, i * 10 * BENCH_MS, &frame, 1, &s->err));
    }
    s->server->mute = false;
    ok(s, tp_motion_end(s->robot, sequence, NULL, &s->err));
    ok(s, tp_motion_wait_end(s->robot, sequence, 0, summary, &s->err));
}

static void sequences_are_played_to_their_summary(void **state)
{
    struct scene *s = *state;
    tp_motion_summary summary;

    play(s, TP_MOTION_PLAYBACK, &summary);
    assert_int_equal(summary.frames, 20);
    assert_int_equal(summary.played, 20);
    assert_int_equal(summary.signal, TP_MOTION_SUCCESS);
    play(s, TP_MOTION_ADAPTIVE, &summary);
    assert_int_equal(summary.played, 20);
}

static void a_sequence_needs_what_its_mode_needs(void **state)
{
    struct scene *s = *state;
    uint32_t sequence = 0;

    assert_int_equal(tp_motion_begin(s->robot, &(tp_motion_sequence){.mode = TP_MOTION_PLAYBACK},
                                     &sequence, NULL, &s->err),
                     TP_E_INVALID);
    assert_string_equal(s->err.text,
                        "BEGIN: ERROR: a playback needs the number of frames and the duration");
    assert_int_equal(tp_motion_add(s->robot, 12345, 0, NULL, 0, &s->err), TP_E_UNKNOWN);
    assert_string_equal(s->err.text, "there is no sequence 12345");
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void on_reply(void *context, tp_motion *robot, const tp_motion_reply *reply)
{
    struct scene *s = context;

    assert_int_equal(reply->kind, TP_MOTION_IS_STATE);
    if (++s->replies == 3) {
        ok(s, tp_motion_on(robot, reply->tag, NULL, NULL, &s->err));
    }
}

static bool has_three_replies(struct scene *s)
{
    return s->replies == 3;
}

static void broadcasts_go_to_a_function_or_are_kept(void **state)
{
    struct scene *s = *state;
    tp_motion_reply *reply = NULL;
    uint32_t tag = 0;

    ok(s, tp_motion_broadcast(s->robot, TP_MOTION_ASK_STATE, 5 * BENCH_MS, &tag, &s->err));
    ok(s, tp_motion_on(s->robot, tag, on_reply, s, &s->err));
    turn_until(s, has_three_replies);
    ok(s, tp_motion_await(s->robot, tag, 0, &reply, &s->err)); /* kept from now on */
    assert_int_equal(reply->tag, tag);
    free(reply);
    ok(s, tp_motion_silence(s->robot, tag, NULL, &s->err));
    while ((reply = tp_motion_take(s->robot, tag)) != NULL) {
        free(reply);
    }
    ok(s, tp_motion_ask(s->robot, TP_MOTION_ASK_CLOCK, &reply, &s->err));
    assert_int_equal(reply->as.clock.identity, 77);
    free(reply);
    assert_null(tp_motion_take(s->robot, 0));
    assert_int_equal(tp_motion_broadcast(s->robot, TP_MOTION_ASK_STATE, 0, &tag, &s->err),
                     TP_E_RANGE);
}

static void settings_can_be_made_without_waiting(void **state)
{
    struct scene *s = *state;
    tp_motion_reply *reply = NULL;
    uint32_t later = 0;
    int64_t granted = 0;

    ok(s, tp_motion_rate(s->robot, 0.5, false, &later, &s->err));
    ok(s, tp_motion_await(s->robot, later, 0, &reply, &s->err));
    assert_int_equal(reply->as.signal.signal, TP_MOTION_SUCCESS);
    free(reply);
    ok(s, tp_motion_lease(s->robot, 60 * TP_NS_PER_S, &granted, &s->err));
    assert_int_equal(granted, 30 * TP_NS_PER_S);
    assert_int_equal(tp_motion_rate(s->robot, 1.5, false, NULL, &s->err), TP_E_RANGE);
}

/* ---- The second connection ------------------------------------------------------------------- */

static void panic_and_rates_go_on_the_second_connection(void **state)
{
    struct scene *s = *state;
    const tp_motion_command look = tp_motion_set(1, 0, 1, 0);
    uint32_t epoch = 0;

    turn_until(s, has_second);
    ok(s, tp_motion_rate(s->robot, 0, false, NULL, &s->err));
    assert_int_equal(s->server->urgent, 1);
    ok(s, tp_motion_rate(s->robot, 1, false, NULL, &s->err));
    ok(s, tp_motion_panic(s->robot, &epoch, &s->err));
    assert_int_equal(epoch, 1);
    assert_int_equal(s->server->urgent, 3);
    assert_int_equal(s->panics, 1);
    assert_int_equal(tp_motion_call(s->robot, &look, 1, NULL, &s->err), TP_E_PANIC);
    assert_int_equal(tp_motion_reset(s->robot, 7, &s->err), TP_E_INVALID);
    assert_string_equal(s->err.text, "RESET: ERROR: it is another panic");
    ok(s, tp_motion_reset(s->robot, epoch, &s->err));
    ok(s, tp_motion_call(s->robot, &look, 1, NULL, &s->err));
}

static void without_a_second_connection_the_first_is_used(void **state)
{
    struct scene *s = *state;
    uint32_t epoch = 0;

    s->server->refuses_tokens = true;
    connect_to(s);
    ok(s, tp_motion_panic(s->robot, &epoch, &s->err));
    assert_int_equal(epoch, 1);
    assert_false(has_second(s));
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static void a_wait_can_be_interrupted(void **state)
{
    struct scene *s = *state;
    tp_motion_reply *reply = NULL;

    tp_motion_interrupt(s->robot);
    assert_int_equal(tp_motion_await(s->robot, 4711, 0, &reply, &s->err), TP_E_INTERRUPTED);
    assert_string_equal(s->err.text, "the answer: interrupted");
    assert_int_equal(tp_motion_await(s->robot, 4711, 5 * BENCH_MS, &reply, &s->err), TP_E_TIMEOUT);
}

static void refuse_to_wait(void *context, tp_motion *robot, const tp_motion_reply *reply)
{
    struct scene *s = context;
    tp_motion_reply *other = NULL;

    (void)reply;
    assert_int_equal(tp_motion_ask(robot, TP_MOTION_ASK_CLOCK, &other, &s->err), TP_E_INVALID);
    assert_string_equal(s->err.text, "the answer: a call that waits was made from a callback");
    s->replies = 3;
}

static void a_callback_cannot_wait(void **state)
{
    struct scene *s = *state;
    uint32_t later = 0;

    ok(s, tp_motion_ask_later(s->robot, TP_MOTION_ASK_CLOCK, &later, &s->err));
    ok(s, tp_motion_on(s->robot, 0, refuse_to_wait, s, &s->err));
    turn_until(s, has_three_replies);
    ok(s, tp_motion_on(s->robot, 0, NULL, NULL, &s->err));
}

static bool has_pulse(struct scene *s)
{
    return s->server->syncs >= 11;
}

/* Nobody attends to the client: the server hears nothing, and the lease ends. */
static void only_calls_renew_the_lease_if_so_chosen(void **state)
{
    struct scene *s = *state;
    tp_motion_options options = options_of(s);
    const tp_motion_command look = tp_motion_speed(1, 0, 0.01);
    tp_motion_reply *reply = NULL;
    uint32_t tag = 0;

    options.renewal = TP_RENEW_CALLS;
    options.lease_ns = 300 * BENCH_MS;
    s->server->lease_us = 300000;
    ok(s, tp_motion_connect(&s->robot, s->server->url, &options, &s->err));
    ok(s, tp_motion_call(s->robot, &look, 1, &tag, &s->err));
    for (unsigned syncs = s->server->syncs;
         s->server->syncs < syncs + 8;) { /* it waits: attended */
        assert_int_equal(tp_motion_await(s->robot, 4711, 100 * BENCH_MS, &reply, &s->err),
                         TP_E_TIMEOUT);
    }
    assert_null(tp_motion_take(s->robot, tag));
    while ((reply = tp_motion_take(s->robot, tag)) == NULL) { /* the loop turns alone */
        tp_loop_turn(s->server->loop, true);
    }
    assert_int_equal(reply->as.signal.signal, TP_MOTION_INTERRUPTED);
    free(reply);
}

static void the_loop_renews_the_lease_otherwise(void **state)
{
    struct scene *s = *state;

    turn_until(s, has_pulse);
    assert_true(tp_motion_deadline(s->robot) != TP_NEVER);
    assert_true(tp_motion_fd(s->robot) >= 0);
    tp_motion_process(s->robot);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up_connected, tear_down)
#define ALONE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_connection_knows_the_robot_and_its_clock),
        CASE(parts_of_a_robot_are_found_by_name),
        ALONE(what_is_no_motion_server_is_reported),
        ALONE(a_key_is_proved),
        ALONE(a_server_without_keys_needs_no_proof),
        CASE(after_a_loss_it_connects_again_and_resumes_nothing),
        CASE(commands_of_a_frame_start_together_and_end_alone),
        CASE(what_the_robot_does_not_have_is_refused_by_name),
        CASE(many_dofs_move_in_one_record),
        CASE(frames_wait_for_their_time_and_can_be_cleared),
        CASE(delay_mode_adds_its_delay),
        CASE(in_delay_mode_a_call_waits_for_no_answer),
        CASE(sequences_are_played_to_their_summary),
        CASE(a_sequence_needs_what_its_mode_needs),
        CASE(broadcasts_go_to_a_function_or_are_kept),
        CASE(settings_can_be_made_without_waiting),
        CASE(panic_and_rates_go_on_the_second_connection),
        ALONE(without_a_second_connection_the_first_is_used),
        CASE(a_wait_can_be_interrupted),
        CASE(a_callback_cannot_wait),
        ALONE(only_calls_renew_the_lease_if_so_chosen),
        CASE(the_loop_renews_the_lease_otherwise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
