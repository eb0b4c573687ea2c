/* session_test.c - clients: rates, extensions, and what is counted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/play.h"
#include "fronts/player/player.h"
#include "support/memory.h"
#include "troupe/front.h"
#include "troupe/interfaces/position2d.h"

/* ---- A driver for which the test speaks ------------------------------------------------------ */

static tp_status slow_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err);
static tp_status do_pid(tp_device *device, const tp_position2d_speed_pid_req *ask, tp_error *err)
{
    (void)device;
    (void)ask;
    (void)err;
    return TP_OK;
}

static tp_status go(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)device;
    return ask->vel.px <= 9 ? TP_OK
                            : tp_fail(err, TP_E_RANGE, "vel.px %g is too fast", ask->vel.px);
}

static tp_status refuse(tp_device *device, const tp_position2d_set_odom_req *ask, tp_error *err)
{
    (void)device;
    (void)ask;
    return tp_fail(err, TP_E_RANGE, "too far");
}

static const tp_position2d_ops puppet_device = {
    .req_get_geom = slow_geom, .req_speed_pid = do_pid, .req_set_odom = refuse, .cmd_vel = go};

struct puppet {
    tp_device *device;
    tp_ticket *ticket;
};

static tp_status slow_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    struct puppet *p = tp_instance_state(tp_device_instance(device));

    (void)answer;
    (void)err;
    p->ticket = tp_device_defer(device);
    return TP_PENDING;
}

static tp_status puppet_init(tp_instance *self, tp_error *err)
{
    struct puppet *p = tp_instance_state(self);

    return tp_offer(self, &tp_interface_position2d, NULL, &puppet_device, NULL, &p->device, err);
}

static tp_status puppet_start(tp_instance *self, tp_error *err)
{
    return tp_device_addr(((struct puppet *)tp_instance_state(self))->device)->index == 9
               ? tp_fail(err, TP_E_IO, "no such line")
               : TP_OK;
}

static const tp_driver_ops puppet_ops = {.init = puppet_init, .start = puppet_start};
static const tp_driver puppet = {.abi = TP_DRIVER_ABI,
                                 .name = "puppet",
                                 .state_size = sizeof(struct puppet),
                                 .ops = &puppet_ops,
                                 .flags = TP_DRIVER_ON_LOOP};

/* ---- A client -------------------------------------------------------------------------------- */

struct scene {
    play *p;
    tp_session *session;
    int opened;
    int refused;
};

static void ignore(void *context)
{
    (void)context;
}

static void opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                   const tp_error *err)
{
    struct scene *s = context;

    (void)request;
    (void)device;
    (void)err;
    s->opened += status == TP_OK;
    s->refused += status != TP_OK;
}

static void begin(struct scene *s, bool extensions)
{
    static const tp_session_limits limits = {.data = 8, .replies = 100, .requests = 100};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    const bench_section section = {&puppet, "position2d:0", NULL, NULL};

    *s = (struct scene){.p = play_create()};
    bench_plan *plan = bench_plan_create(s->p->b.catalogue, &section, 0);
    tpi_blueprint blueprint = *bench_plan_blueprint(plan);
    blueprint.extensions = extensions;
    s->p->plans[s->p->plan_count++] = plan;
    assert_int_equal(tpi_hub_add(s->p->b.hub, &blueprint, NULL, &s->p->b.err), TP_OK);
    s->p->device = bench_find(&s->p->b, "position2d:0");
    assert_int_equal(
        tp_session_create(&s->session, s->p->b.hub, BENCH_ROBOT, &limits, &events, s, &s->p->b.err),
        TP_OK);
}

static void open_device(struct scene *s)
{
    const int before = s->opened;

    assert_int_equal(
        tp_session_open(s->session, s->p->device, TP_OPEN_MODE, &(tp_msghdr){0}, opened), TP_OK);
    while (s->opened == before) {
        tp_loop_turn(s->p->b.loop, false);
    }
}

static void end(struct scene *s)
{
    tp_session_destroy(s->session);
    play_destroy(s->p);
}

/* ---- Rates ----------------------------------------------------------------------------------- */

static void publish(struct scene *s, unsigned code, double number)
{
    const tp_position2d_data state = {.pos = {.px = number}};
    const tp_position2d_geom geom = {.pose = {.px = number}};

    tp_publish(s->p->device, code, code == TP_POSITION2D_DATA_STATE ? (const void *)&state : &geom,
               0);
}

static void state(struct scene *s, double number)
{
    publish(s, TP_POSITION2D_DATA_STATE, number);
}

static void wait_ms(struct scene *s, double ms)
{
    bench_move_clock(&s->p->b, ms / 1000);
    tp_loop_turn(s->p->b.loop, false);
}

/* What has come since the last time, as "1 2g": the g is for geometry. */
static void assert_got(struct scene *s, const char *wanted)
{
    char text[256] = "";

    for (tp_msg *msg = tp_session_take(s->session); msg != NULL;
         msg = tp_session_take(s->session)) {
        const bool geom = tp_msg_header(msg)->subtype == TP_POSITION2D_DATA_GEOM;
        const double number = geom ? ((const tp_position2d_geom *)tp_msg_payload(msg))->pose.px
                                   : ((const tp_position2d_data *)tp_msg_payload(msg))->pos.px;
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%g%s", length == 0 ? "" : " ", number,
                 geom ? "g" : "");
        tp_msg_unref(msg);
    }
    assert_string_equal(text, wanted);
}

static void the_newest_goes_when_the_period_is_over(void **state_)
{
    struct scene s;

    (void)state_;
    begin(&s, false);
    open_device(&s);
    assert_int_equal(tp_session_set_rate(s.session, s.p->device, 10), TP_OK);
    state(&s, 1);
    assert_got(&s, "1"); /* the first one at once */
    wait_ms(&s, 20);
    state(&s, 2);
    wait_ms(&s, 20);
    state(&s, 3);
    wait_ms(&s, 59);
    assert_got(&s, "");
    wait_ms(&s, 1);
    assert_got(&s, "3"); /* the newest of the burst */
    wait_ms(&s, 1000);
    assert_got(&s, "");
    state(&s, 4);
    assert_got(&s, "4"); /* nothing went for a while */
    state(&s, 5);
    wait_ms(&s, 99);
    state(&s, 6);
    wait_ms(&s, 1);
    assert_got(&s, "6");
    assert_int_equal(tp_session_dropped(s.session), 0);
    end(&s);
}

static void kinds_have_their_own_pace(void **state_)
{
    struct scene s;

    (void)state_;
    begin(&s, false);
    open_device(&s);
    tp_session_set_rate(s.session, s.p->device, 10);
    state(&s, 1);
    wait_ms(&s, 50);
    publish(&s, TP_POSITION2D_DATA_GEOM, 2);
    assert_got(&s, "1 2g");
    state(&s, 3);
    publish(&s, TP_POSITION2D_DATA_GEOM, 4);
    wait_ms(&s, 50);
    assert_got(&s, "3");
    wait_ms(&s, 50);
    assert_got(&s, "4g");
    end(&s);
}

/* A timer that is late now and then does not make the rate lower. */
static void lateness_does_not_add_up(void **state_)
{
    struct scene s;
    int got = 0;

    (void)state_;
    begin(&s, false);
    open_device(&s);
    tp_session_set_rate(s.session, s.p->device, 10);
    for (int i = 0; i < 334; i++) { /* ten seconds in steps of 30 ms */
        state(&s, i);
        wait_ms(&s, 30);
        for (tp_msg *msg = tp_session_take(s.session); msg != NULL;
             msg = tp_session_take(s.session)) {
            got++;
            tp_msg_unref(msg);
        }
    }
    assert_in_range(got, 99, 101);
    end(&s);
}

static void a_rate_can_be_changed_and_taken_away(void **state_)
{
    struct scene s;

    (void)state_;
    begin(&s, false);
    open_device(&s);
    tp_session_set_rate(s.session, s.p->device, 1);
    state(&s, 1);
    state(&s, 2);
    wait_ms(&s, 100);
    assert_got(&s, "1");
    tp_session_set_rate(s.session, s.p->device, 5); /* counted from the last one */
    wait_ms(&s, 99);
    assert_got(&s, "");
    wait_ms(&s, 1);
    assert_got(&s, "2");
    state(&s, 3);
    tp_session_set_rate(s.session, s.p->device, 0);
    assert_got(&s, "3");
    state(&s, 4);
    state(&s, 5);
    assert_got(&s, "4 5");
    end(&s);
}

static void both_openings_have_the_rate(void **state_)
{
    struct scene s;

    (void)state_;
    begin(&s, false);
    open_device(&s);
    open_device(&s);
    tp_session_set_rate(s.session, s.p->device, 10);
    state(&s, 1);
    state(&s, 2);
    assert_got(&s, "1 1");
    tp_session_close(s.session, s.p->device); /* with what it holds */
    wait_ms(&s, 100);
    assert_got(&s, "2");
    end(&s);
}

static void what_is_no_rate_is_refused(void **state_)
{
    struct scene s;

    (void)state_;
    begin(&s, false);
    assert_int_equal(tp_session_set_rate(s.session, s.p->device, 1), TP_E_INVALID); /* not open */
    open_device(&s);
    assert_int_equal(tp_session_set_rate(s.session, s.p->device, -1), TP_E_INVALID);
    assert_int_equal(tp_session_set_rate(s.session, s.p->device, (double)NAN), TP_E_INVALID);
    assert_int_equal(tp_session_set_rate(s.session, s.p->device, (double)INFINITY), TP_E_INVALID);
    assert_int_equal(tp_session_set_rate(s.session, s.p->device, 1e300), TP_OK);
    assert_int_equal(tp_session_set_rate(s.session, s.p->device, 1e-300), TP_OK);
    state(&s, 1);
    state(&s, 2);
    assert_got(&s, "1");
    end(&s);
}

static void nothing_is_allocated_for_a_message(void **state_)
{
    struct scene s;

    (void)state_;
    begin(&s, false);
    open_device(&s);
    tp_session_set_rate(s.session, s.p->device, 10);
    for (int i = 0; i < 20; i++) {
        state(&s, 1);
        wait_ms(&s, 30);
        tp_msg_unref(tp_session_take(s.session));
    }
    const size_t before = memory_allocations();
    for (int i = 0; i < 100; i++) {
        state(&s, 1);
        wait_ms(&s, 30);
        tp_msg_unref(tp_session_take(s.session));
    }
    assert_int_equal(memory_allocations(), before);
    end(&s);
}

/* ---- Sending --------------------------------------------------------------------------------- */

static tp_status send(struct scene *s, tp_kind kind, unsigned code, const void *value)
{
    const tp_message *what = tp_interface_message(&tp_interface_position2d, kind, code);
    const tp_msghdr header = {
        .addr = *tp_device_addr(s->p->device), .type = (uint8_t)kind, .subtype = (uint8_t)code};
    tp_msg *msg = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, what->ask, value), TP_OK);
    tp_status status = tp_session_send(s->session, msg, what, &s->p->b.err);
    tp_msg_unref(msg);
    return status;
}

static tp_status send_pid(struct scene *s)
{
    const tp_position2d_speed_pid_req pid = {1, 2, 3};

    return send(s, TP_KIND_REQUEST, TP_POSITION2D_REQ_SPEED_PID, &pid);
}

static void extensions_have_to_be_asked_for(void **state_)
{
    struct scene s;

    (void)state_;
    begin(&s, false);
    open_device(&s);
    assert_int_equal(send_pid(&s), TP_E_DENIED);
    assert_string_equal(s.p->b.err.text,
                        "SPEED_PID is an extension of position2d: ask for extensions");
    assert_int_equal(tp_session_waiting(s.session), 0);
    tp_session_allow_extensions(s.session, true);
    assert_int_equal(send_pid(&s), TP_OK);
    assert_int_equal(tp_msg_header(tp_session_peek(s.session, 0))->type, TP_MSGTYPE_RESP_ACK);
    end(&s);
}

static void the_configuration_may_ask_for_all(void **state_)
{
    struct scene s;

    (void)state_;
    begin(&s, true);
    open_device(&s);
    assert_int_equal(send_pid(&s), TP_OK);
    end(&s);
}

/* ---- Statistics ------------------------------------------------------------------------------ */

/* Commands have no answers, so who sends one in vain would never know. */
static void a_command_that_the_driver_refuses_is_told_once(void **state)
{
    struct scene s;
    const tp_position2d_cmd_vel fast = {.vel = {.px = 10}};
    const tp_position2d_cmd_vel slow = {.vel = {.px = 1}};

    (void)state;
    begin(&s, false);
    open_device(&s);
    send(&s, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &fast);
    assert_int_equal(tp_session_waiting(s.session), 0); /* as in Player */
    tp_session_explain_failures(s.session, true);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(send(&s, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &fast), TP_OK);
    }
    assert_int_equal(tp_session_waiting(s.session), 1);
    tp_msg *told = tp_session_take(s.session);
    const tp_failure *failure = tp_msg_payload(told);
    assert_int_equal(tp_msg_header(told)->subtype, TP_COMMON_DATA_ERROR);
    assert_int_equal(failure->code, TP_E_RANGE);
    assert_string_equal(failure->text, "position2d:0: vel.px 10 is too fast");
    tp_msg_unref(told);
    send(&s, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &slow);
    send(&s, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &fast);
    assert_int_equal(tp_session_waiting(s.session), 1); /* anew */
    end(&s);
}

static void what_devices_do_is_counted(void **state_)
{
    struct scene s;
    const tp_position2d_cmd_vel vel = {.vel = {.px = 1}};
    const tp_position2d_set_odom_req odom = {.pose = {.px = 1}};
    tp_statistics *told = NULL;

    (void)state_;
    begin(&s, false);
    open_device(&s);
    open_device(&s);
    state(&s, 1);
    state(&s, 2);
    send(&s, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &vel);
    send(&s, TP_KIND_REQUEST, TP_POSITION2D_REQ_GET_GEOM, NULL);
    bench_move_clock(&s.p->b, 0.5);
    tp_ticket_answer(((struct puppet *)tp_instance_state(tp_device_instance(s.p->device)))->ticket,
                     &(tp_position2d_geom){0});
    send(&s, TP_KIND_REQUEST, TP_POSITION2D_REQ_SET_ODOM, &odom); /* refused at once */
    assert_int_equal(tp_hub_statistics(s.p->b.hub, &told), TP_OK);
    assert_true(told->uptime == 0.5);
    assert_int_equal(told->devices_count, 1);
    const tp_device_stat *d = &told->devices[0];
    assert_memory_equal(&d->addr, tp_device_addr(s.p->device), sizeof d->addr);
    assert_int_equal(d->state, TP_DEVICE_RUNNING);
    assert_int_equal(d->readers, 2);
    assert_int_equal(d->published, 2);
    assert_int_equal(d->dropped, 0);
    assert_int_equal(d->commands, 1);
    assert_int_equal(d->requests, 1);
    assert_int_equal(d->failed_requests, 1);
    assert_true(d->latency_max == 0.5);
    assert_true(d->latency_mean == 0.25);
    assert_string_equal(d->driver, "puppet");
    assert_string_equal(d->instance, "puppet0");
    assert_string_equal(d->failure, "");
    free(told);
    end(&s);
}

static void what_clients_do_is_counted(void **state_)
{
    static const tp_session_limits limits = {100, 100, 100};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    struct scene s;
    tp_session *second = NULL;
    tp_statistics *told = NULL;

    (void)state_;
    begin(&s, false);
    tp_session_set_name(s.session, "127.0.0.1:5");
    tp_session_set_software(s.session, "a program");
    open_device(&s);
    open_device(&s);
    bench_move_clock(&s.p->b, 2);
    assert_int_equal(
        tp_session_create(&second, s.p->b.hub, BENCH_ROBOT, &limits, &events, &s, NULL), TP_OK);
    for (int i = 0; i < 6; i++) {
        state(&s, i); /* twelve for eight places */
    }
    send_pid(&s);
    send_pid(&s);
    tp_session_count_sent(s.session, 3);
    tp_session_count_sent(s.session, 4);
    bench_move_clock(&s.p->b, 1);
    assert_int_equal(tp_hub_statistics(s.p->b.hub, &told), TP_OK);
    assert_int_equal(told->clients_count, 2);
    const tp_client_stat *c = &told->clients[0];
    assert_string_equal(c->name, "127.0.0.1:5");
    assert_string_equal(c->software, "a program");
    assert_true(c->age == 3);
    assert_int_equal(c->opened, 1);
    assert_int_equal(c->waiting, 8);
    assert_int_equal(c->sent, 7);
    assert_int_equal(c->received, 2);
    assert_int_equal(c->dropped, 4);
    assert_string_equal(told->clients[1].software, "");
    assert_true(told->clients[1].age == 1);
    free(told);
    tp_session_destroy(s.session);
    assert_int_equal(tp_hub_statistics(s.p->b.hub, &told), TP_OK);
    assert_int_equal(told->clients_count, 1);
    assert_string_equal(told->clients[0].name, "");
    free(told);
    tp_session_destroy(second);
    play_destroy(s.p);
}

static void a_failure_is_kept(void **state_)
{
    play *p = play_create();
    bench_reader r;
    tp_statistics *told = NULL;

    (void)state_;
    play_add(p, &puppet, "position2d:9", NULL, NULL);
    assert_int_equal(bench_open(&p->b, &r, p->device), TP_E_IO);
    bench_close(&r);
    assert_int_equal(tp_hub_statistics(p->b.hub, &told), TP_OK);
    assert_int_equal(told->devices[0].state, TP_DEVICE_IDLE);
    assert_string_equal(told->devices[0].failure, "puppet0: no such line");
    free(told);
    play_destroy(p);
}

/* ---- What waits ----------------------------------------------------------------------------- */

static size_t hundred_bytes(void *context)
{
    (void)context;
    return 100;
}

static tp_status drive(struct scene *s, tp_error *err)
{
    const tp_position2d_cmd_vel speed = {.vel = {.px = 1}};
    const tp_message *what =
        tp_interface_message(&tp_interface_position2d, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL);
    const tp_msghdr header = {.addr = *tp_device_addr(s->p->device),
                              .type = TP_MSGTYPE_CMD,
                              .subtype = TP_POSITION2D_CMD_VEL};
    tp_msg *msg = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, what->ask, &speed), TP_OK);
    const tp_status status = tp_session_send(s->session, msg, what, err);
    tp_msg_unref(msg);
    return status;
}

/* By a client of its own, in whose session nothing waits. */
static void panic_and_reset(struct scene *s)
{
    static const tp_session_limits limits = {.data = 8, .replies = 100, .requests = 100};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    tp_session *other = NULL;
    tp_panic_state *panic = NULL;
    tp_error err;

    assert_int_equal(tp_session_create(&other, s->p->b.hub, BENCH_ROBOT, &limits, &events, s, &err),
                     TP_OK);
    tp_session_panic(other, "test");
    assert_int_equal(tp_hub_panic(s->p->b.hub, &panic), TP_OK);
    assert_int_equal(tp_session_reset_panic(other, panic->epoch, "", &err), TP_OK);
    free(panic);
    tp_session_destroy(other);
}

static void what_came_before_a_panic_was_over_moves_nothing(void **state_)
{
    static const tp_session_limits limits = {.data = 8, .replies = 100, .requests = 100};
    static const tp_session_events events = {
        .ready = ignore, .lost = ignore, .unread = hundred_bytes};
    struct scene s;
    tp_error err = {0};

    (void)state_;
    begin(&s, false);
    tp_session_destroy(s.session);
    assert_int_equal(
        tp_session_create(&s.session, s.p->b.hub, BENCH_ROBOT, &limits, &events, &s, &err), TP_OK);
    open_device(&s);
    assert_int_equal(drive(&s, &err), TP_OK);
    panic_and_reset(&s);
    assert_int_equal(drive(&s, &err), TP_E_DENIED);
    assert_string_equal(err.text, "VEL was sent before the panic was over");
    tp_session_took(s.session, 60);
    assert_int_equal(drive(&s, &err), TP_E_DENIED); /* its first 40 bytes were there */
    tp_session_took(s.session, 68);
    assert_int_equal(drive(&s, &err), TP_OK);
    end(&s);
}

static void of_many_that_wait_only_the_bytes_are_kept(void **state_)
{
    static const tp_session_limits limits = {.data = 100, .replies = 100, .requests = 100};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    struct scene s;
    tp_error err = {0};

    (void)state_;
    begin(&s, false);
    tp_session_destroy(s.session);
    assert_int_equal(
        tp_session_create(&s.session, s.p->b.hub, BENCH_ROBOT, &limits, &events, &s, &err), TP_OK);
    tp_session_only_sends(s.session, &tp_encoding_player);
    open_device(&s);
    for (int i = 0; i < 100; i++) {
        state(&s, i);
    }
    assert_int_equal(tp_session_waiting(s.session), 100);
    assert_non_null(tp_msg_payload(tp_session_peek(s.session, 0)));
    for (uint32_t i = 50; i < 100; i++) {
        const void *bytes;
        size_t length;
        tp_msg *msg = tp_session_peek(s.session, i);
        assert_null(tp_msg_payload(msg));
        assert_int_equal(tp_msg_encode(msg, &tp_encoding_player, &bytes, &length), TP_OK);
        assert_int_equal(length, 40 + 6 * 8 + 4);
    }
    end(&s);
}

/* Eight messages may wait, or four for each device. */
static void who_has_many_devices_open_has_room_for_all(void **state_)
{
    struct scene s;

    (void)state_;
    begin(&s, false);
    for (int i = 0; i < 3; i++) {
        open_device(&s);
    }
    for (int i = 0; i < 4; i++) {
        state(&s, i);
    }
    assert_int_equal(tp_session_waiting(s.session), 12);
    assert_int_equal(tp_session_dropped(s.session), 0);
    state(&s, 4);
    assert_int_equal(tp_session_waiting(s.session), 12);
    assert_int_equal(tp_session_dropped(s.session), 3);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tp_session_close(s.session, s.p->device), TP_OK);
    }
    while (tp_session_waiting(s.session) > 0) {
        tp_msg_unref(tp_session_take(s.session));
    }
    for (int i = 0; i < 9; i++) {
        state(&s, i);
    }
    assert_int_equal(tp_session_waiting(s.session), 8);
    assert_int_equal(tp_session_dropped(s.session), 4);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_that_the_driver_refuses_is_told_once),
        cmocka_unit_test(the_newest_goes_when_the_period_is_over),
        cmocka_unit_test(kinds_have_their_own_pace),
        cmocka_unit_test(lateness_does_not_add_up),
        cmocka_unit_test(a_rate_can_be_changed_and_taken_away),
        cmocka_unit_test(both_openings_have_the_rate),
        cmocka_unit_test(what_is_no_rate_is_refused),
        cmocka_unit_test(nothing_is_allocated_for_a_message),
        cmocka_unit_test(extensions_have_to_be_asked_for),
        cmocka_unit_test(the_configuration_may_ask_for_all),
        cmocka_unit_test(what_devices_do_is_counted),
        cmocka_unit_test(what_clients_do_is_counted),
        cmocka_unit_test(a_failure_is_kept),
        cmocka_unit_test(what_came_before_a_panic_was_over_moves_nothing),
        cmocka_unit_test(of_many_that_wait_only_the_bytes_are_kept),
        cmocka_unit_test(who_has_many_devices_open_has_room_for_all),
    };

    return cmocka_run_group_tests_name("src/device/session", tests, NULL, NULL);
}
