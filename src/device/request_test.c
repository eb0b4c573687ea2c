/* request_test.c - requests that are answered late, at once, or never; and in which order they are
 * handled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/play.h"
#include "loop/task.h"
#include "support/memory.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ptz.h"

extern const tp_driver tp_driver_passthrough;

/* ---- A driver that keeps requests open ------------------------------------------------------- */

typedef enum manner { KEEPS, ANSWERS_AT_ONCE, LOSES, THINKS_BETTER } manner;

static manner wished; /* only changed while nothing runs */

struct keeper {
    tp_device *device;
    double pans[8]; /* commands, in the order of arrival */
    int commands;
};

static tp_status keeper_geom(tp_device *device, tp_ptz_geom *answer, tp_error *err)
{
    tp_ticket *ticket = wished == LOSES ? NULL : tp_device_defer(device);
    const tp_ptz_geom geom = {.size = {.sl = 3}};

    (void)answer;
    switch (wished) {
    case ANSWERS_AT_ONCE:
        assert_ptr_equal(tp_device_defer(device), ticket); /* the same request, the same ticket */
        tp_ticket_answer(ticket, &geom);
        return TP_PENDING;
    case THINKS_BETTER:
        return tp_fail(err, TP_E_RANGE, "not now");
    default:
        return TP_PENDING;
    }
}

static tp_status keeper_command(tp_device *device, const tp_ptz_cmd *ask, tp_error *err)
{
    struct keeper *k = tp_instance_state(tp_device_instance(device));

    (void)err;
    if (k->commands < 8) {
        k->pans[k->commands++] = (double)ask->pan;
    }
    return TP_OK;
}

static const tp_ptz_ops keeper_device = {.req_geom = keeper_geom, .cmd_state = keeper_command};

static tp_status keeper_init(tp_instance *self, tp_error *err)
{
    struct keeper *k = tp_instance_state(self);

    return tp_offer(self, &tp_interface_ptz, NULL, &keeper_device, NULL, &k->device, err);
}

/* Tells what it has, twice, so that a reader may do something between. */
static tp_status keeper_poll(tp_instance *self, tp_error *err)
{
    struct keeper *k = tp_instance_state(self);
    const tp_ptz_data data = {0};

    (void)err;
    tp_publish(k->device, TP_PTZ_DATA_STATE, &data, 0);
    return TP_OK;
}

static const tp_driver_ops keeper_ops = {.init = keeper_init, .poll = keeper_poll};
static const tp_driver threaded = {.abi = TP_DRIVER_ABI,
                                   .name = "keeper",
                                   .state_size = sizeof(struct keeper),
                                   .ops = &keeper_ops};
static const tp_driver on_loop = {.abi = TP_DRIVER_ABI,
                                  .name = "keeper",
                                  .state_size = sizeof(struct keeper),
                                  .ops = &keeper_ops,
                                  .flags = TP_DRIVER_ON_LOOP};

/* ---- Asking without waiting ------------------------------------------------------------------ */

struct asked {
    tpi_call *call;
    int answers;
    tp_status status;
    double length;
    char why[256];
};

static void keep_answer(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct asked *a = context;
    const tp_ptz_geom *geom = answer == NULL ? NULL : tp_msg_payload(answer);

    a->answers++;
    a->status = status;
    a->length = geom == NULL ? 0 : geom->size.sl;
    snprintf(a->why, sizeof a->why, "%s", status == TP_OK ? "" : err->text);
}

static play *begin(manner how, const tp_driver *driver)
{
    wished = how;
    return play_begin(driver, "ptz:0", NULL);
}

static void begin_asking(play *p, struct asked *a)
{
    const tp_message *what =
        tp_interface_message(&tp_interface_ptz, TP_KIND_REQUEST, TP_PTZ_REQ_GEOM);
    const tp_msghdr header = {.addr = *tp_device_addr(p->device), .subtype = TP_PTZ_REQ_GEOM};
    tp_msg *msg = NULL;

    *a = (struct asked){0};
    assert_int_equal(tp_msg_create(&msg, &header, NULL, NULL), TP_OK);
    assert_int_equal(tpi_device_call(p->device, what, msg, keep_answer, a, &a->call), TP_OK);
    tp_msg_unref(msg);
}

static void await_answer(play *p, struct asked *a)
{
    while (a->answers == 0) {
        tp_loop_turn(p->b.loop, true);
    }
}

static void assert_stopped(const struct asked *a)
{
    assert_int_equal(a->answers, 1);
    assert_int_equal(a->status, TP_E_DEVICE);
    assert_string_equal(a->why, "the device was stopped");
}

/* ---- Requests that nobody answers ------------------------------------------------------------ */

static void check_stop(const tp_driver *driver)
{
    const long before = memory_live();
    play *p = begin(KEEPS, driver);
    struct asked first;
    struct asked second;

    begin_asking(p, &first);
    begin_asking(p, &second);
    play_close(p);
    await_answer(p, &first);
    await_answer(p, &second);
    assert_stopped(&first);
    assert_stopped(&second);
    assert_null(first.call);
    play_destroy(p);
    assert_int_equal(memory_live(), before);
}

static void they_fail_when_the_device_stops(void **state)
{
    (void)state;
    check_stop(&threaded);
    check_stop(&on_loop);
}

static void check_end(const tp_driver *driver)
{
    const long before = memory_live();
    play *p = begin(KEEPS, driver);
    struct asked a;
    struct asked gone;

    begin_asking(p, &a);
    begin_asking(p, &gone);
    tpi_call_abandon(gone.call);
    play_destroy(p);
    assert_stopped(&a);
    assert_int_equal(gone.answers, 0);
    assert_int_equal(memory_live(), before);
}

static void they_fail_when_everything_ends(void **state)
{
    (void)state;
    check_end(&threaded);
    check_end(&on_loop);
}

/* The asker is a driver, whose deadline is a timer of the loop. */
static void check_chain(const tp_driver *driver, bool close)
{
    const long before = memory_live();
    play *p = play_create();
    struct asked a;

    wished = KEEPS;
    play_add(p, driver, "ptz:0", NULL, NULL);
    play_add(p, &tp_driver_passthrough, "ptz:1", "ptz:0", NULL);
    play_open(p);
    begin_asking(p, &a);
    tp_loop_turn(p->b.loop, false); /* the question is on its way */
    if (close) {
        play_close(p);
        await_answer(p, &a);
    }
    play_destroy(p);
    assert_stopped(&a);
    assert_int_equal(memory_live(), before);
}

static void so_they_do_for_a_driver_that_asks_another_one(void **state)
{
    (void)state;
    check_chain(&threaded, true);
    check_chain(&threaded, false);
    check_chain(&on_loop, true);
    check_chain(&on_loop, false);
}

/* ---- Tickets that are used in other ways ----------------------------------------------------- */

static void check_manner(manner how, const tp_driver *driver, tp_status status, const char *why)
{
    play *p = begin(how, driver);
    struct asked a;

    begin_asking(p, &a);
    await_answer(p, &a);
    assert_int_equal(a.status, status);
    assert_string_equal(a.why, why);
    assert_true(a.length == (status == TP_OK ? 3 : 0));
    play_destroy(p);
}

static void a_ticket_may_be_answered_at_once(void **state)
{
    (void)state;
    check_manner(ANSWERS_AT_ONCE, &threaded, TP_OK, "");
    check_manner(ANSWERS_AT_ONCE, &on_loop, TP_OK, "");
}

static void a_ticket_that_is_not_needed_is_forgotten(void **state)
{
    (void)state;
    check_manner(THINKS_BETTER, &threaded, TP_E_RANGE, "not now");
    check_manner(THINKS_BETTER, &on_loop, TP_E_RANGE, "not now");
}

static void a_request_that_the_driver_loses_is_told(void **state)
{
    (void)state;
    check_manner(LOSES, &threaded, TP_E_DEVICE, "GEOM: the driver has lost the request");
    check_manner(LOSES, &on_loop, TP_E_DEVICE, "GEOM: the driver has lost the request");
}

/* ---- A driver that asks again and again ------------------------------------------------------ */

struct insister {
    tp_device *device;
    tp_link *link;
    int answers;
    tp_status last;
};

static void ask_again(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                      const char *why)
{
    struct insister *i = tp_instance_state(self);

    (void)context;
    (void)status;
    (void)answer;
    (void)why;
    i->answers++;
    i->last = tp_link_request(i->link, TP_PTZ_REQ_GEOM, NULL, TP_NS_PER_S, ask_again, NULL);
}

static tp_status insister_init(tp_instance *self, tp_error *err)
{
    static const tp_position2d_ops none = {0};
    struct insister *i = tp_instance_state(self);
    tp_status status = tp_require(self, &tp_interface_ptz, NULL, &i->link, err);

    return status == TP_OK
               ? tp_offer(self, &tp_interface_position2d, NULL, &none, NULL, &i->device, err)
               : status;
}

static tp_status insister_start(tp_instance *self, tp_error *err)
{
    struct insister *i = tp_instance_state(self);

    (void)err;
    return tp_link_request(i->link, TP_PTZ_REQ_GEOM, NULL, TP_NS_PER_S, ask_again, NULL);
}

static void who_asks_again_at_the_stop_is_refused(void **state)
{
    static const tp_driver_ops ops = {.init = insister_init, .start = insister_start};
    static const tp_driver insister = {.abi = TP_DRIVER_ABI,
                                       .name = "insister",
                                       .state_size = sizeof(struct insister),
                                       .ops = &ops,
                                       .flags = TP_DRIVER_ON_LOOP};
    play *p = play_create();

    (void)state;
    wished = KEEPS;
    play_add(p, &on_loop, "ptz:0", NULL, NULL);
    play_add(p, &insister, "position2d:0", "ptz:0", NULL);
    play_open(p);
    const struct insister *i = tp_instance_state(tp_device_instance(p->device));
    play_close(p);
    assert_int_equal(i->answers, 1);
    assert_int_equal(i->last, TP_E_CLOSED);
    play_destroy(p);
}

/* ---- Order ----------------------------------------------------------------------------------- */

struct commander {
    tpi_reader reader;
    tpi_opening opening;
    tpi_task task;
    play *p;
    bool settled;
    bool commanded;
};

static void command(play *p, float pan)
{
    const tp_message *what =
        tp_interface_message(&tp_interface_ptz, TP_KIND_COMMAND, TP_PTZ_CMD_STATE);
    const tp_msghdr header = {.addr = *tp_device_addr(p->device), .subtype = TP_PTZ_CMD_STATE};
    const tp_ptz_cmd value = {.pan = pan};
    tp_msg *msg = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, what->ask, &value), TP_OK);
    assert_int_equal(tpi_device_call(p->device, what, msg, NULL, NULL, NULL), TP_OK);
    tp_msg_unref(msg);
}

static void command_second(tpi_task *task)
{
    struct commander *c = (struct commander *)((char *)task - offsetof(struct commander, task));

    command(c->p, 2);
}

/* The driver is busy publishing, so the first command has to wait; the second one comes when the
 * driver is free but the first one has not had its turn yet. */
static void command_first(tpi_reader *reader, tp_msg *msg)
{
    struct commander *c = reader->context;

    (void)msg;
    if (!c->commanded) {
        c->commanded = true;
        command(c->p, 1);
        tpi_loop_post(c->p->b.loop, &c->task);
    }
}

static void opened(tpi_opening *opening, tp_status status, const tp_error *err)
{
    (void)err;
    assert_int_equal(status, TP_OK);
    ((struct commander *)opening->context)->settled = true;
}

static tp_status eager_init(tp_instance *self, tp_error *err)
{
    tp_instance_set_period(self, TP_NS_PER_S);
    return keeper_init(self, err);
}

static void commands_keep_their_order_on_the_loop(void **state)
{
    static const tp_driver_ops ops = {.init = eager_init, .poll = keeper_poll};
    static const tp_driver eager = {.abi = TP_DRIVER_ABI,
                                    .name = "eager",
                                    .state_size = sizeof(struct keeper),
                                    .ops = &ops,
                                    .flags = TP_DRIVER_ON_LOOP};
    play *p = play_begin(&eager, "ptz:0", NULL);
    const struct keeper *k = tp_instance_state(tp_device_instance(p->device));
    struct commander c = {.reader = {.deliver = command_first, .context = &c},
                          .opening = {.reader = &c.reader, .done = opened, .context = &c},
                          .task = {.run = command_second},
                          .p = p};

    (void)state;
    tpi_device_open(p->device, &c.opening);
    assert_true(c.settled);
    bench_move_clock(&p->b, 1);
    while (k->commands < 2) {
        tp_loop_turn(p->b.loop, false);
    }
    assert_true(k->pans[0] == 1);
    assert_true(k->pans[1] == 2);
    tpi_device_close(&c.reader);
    play_destroy(p);
}

/* ---- Requires -------------------------------------------------------------------------------- */

struct user {
    tp_link *links[3];
    tp_device *device;
};

static tp_status user_init(tp_instance *self, tp_error *err)
{
    static const tp_position2d_ops none = {0};
    struct user *u = tp_instance_state(self);
    tp_status status = TP_OK;

    assert_int_equal(tp_requires_count(self), 3);
    assert_ptr_equal(tp_requires_interface(self, 0), &tp_interface_ptz);
    assert_string_equal(tp_requires_key(self, 0), "");
    assert_string_equal(tp_requires_key(self, 2), "left");
    assert_null(tp_instance_loop(self));
    status = tp_require(self, &tp_interface_ptz, "left", &u->links[2], err);
    for (int i = 0; i < 2 && status == TP_OK; i++) {
        status = tp_require(self, &tp_interface_ptz, NULL, &u->links[i], err);
    }
    assert_int_equal(status, TP_OK);
    assert_int_equal(tp_require(self, &tp_interface_ptz, NULL, &u->links[0], err), TP_E_UNKNOWN);
    assert_string_equal(err->text, "`requires` has no ptz");
    return tp_offer(self, &tp_interface_position2d, NULL, &none, NULL, &u->device, err);
}

/* Three devices, so three readers, one of each. */
static void each_entry_of_requires_is_taken_once(void **state)
{
    static const tp_driver_ops ops = {.init = user_init};
    static const tp_driver user = {
        .abi = TP_DRIVER_ABI, .name = "user", .state_size = sizeof(struct user), .ops = &ops};
    play *p = play_create();

    (void)state;
    play_add(p, &threaded, "ptz:0", NULL, NULL);
    play_add(p, &threaded, "ptz:1", NULL, NULL);
    play_add(p, &threaded, "ptz:2", NULL, NULL);
    play_add(p, &user, "position2d:0", "ptz:0 ptz:1 left@ptz:2", NULL);
    play_open(p);
    assert_true(tpi_device_is_running(bench_find(&p->b, "ptz:0")));
    assert_true(tpi_device_is_running(bench_find(&p->b, "ptz:1")));
    assert_true(tpi_device_is_running(bench_find(&p->b, "ptz:2")));
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_fail_when_the_device_stops),
        cmocka_unit_test(they_fail_when_everything_ends),
        cmocka_unit_test(so_they_do_for_a_driver_that_asks_another_one),
        cmocka_unit_test(a_ticket_may_be_answered_at_once),
        cmocka_unit_test(a_ticket_that_is_not_needed_is_forgotten),
        cmocka_unit_test(a_request_that_the_driver_loses_is_told),
        cmocka_unit_test(who_asks_again_at_the_stop_is_refused),
        cmocka_unit_test(commands_keep_their_order_on_the_loop),
        cmocka_unit_test(each_entry_of_requires_is_taken_once),
    };

    return cmocka_run_group_tests_name("src/device/request", tests, NULL, NULL);
}
