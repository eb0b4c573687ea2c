/* remove_test.c - instances that come and go while the server runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/play.h"
#include "support/memory.h"
#include "troupe/front.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ptz.h"

extern const tp_driver tp_driver_fake;
extern const tp_driver tp_driver_passthrough;

/* ---- A bench that exchanges ------------------------------------------------------------------ */

struct exchange {
    bench b;
    bench_plan *plans[8];
    size_t plan_count;
    int removed;
};

static void begin(struct exchange *x)
{
    memset(x, 0, sizeof *x);
    bench_init(&x->b);
}

static void end(struct exchange *x)
{
    bench_fini(&x->b);
    for (size_t i = 0; i < x->plan_count; i++) {
        bench_plan_destroy(x->plans[i]);
    }
}

static const tpi_blueprint *plan(struct exchange *x, const tp_driver *driver, const char *provides,
                                 const char *requires, const char *settings)
{
    const bench_section section = {driver, provides, requires, settings};

    x->plans[x->plan_count] = bench_plan_create(x->b.catalogue, &section, 0);
    return bench_plan_blueprint(x->plans[x->plan_count++]);
}

static tp_instance *add(struct exchange *x, const tp_driver *driver, const char *provides,
                        const char *requires, const char *settings)
{
    tp_instance *instance = NULL;

    if (tpi_hub_add(x->b.hub, plan(x, driver, provides, requires, settings), &instance,
                    &x->b.err) != TP_OK) {
        fail_msg("%s", x->b.err.text);
    }
    return instance;
}

static tp_instance *prepare(struct exchange *x, const tp_driver *driver, const char *provides)
{
    tp_instance *instance = NULL;

    assert_int_equal(tpi_hub_prepare(x->b.hub, plan(x, driver, provides, NULL, NULL), NULL,
                                     &instance, &x->b.err),
                     TP_OK);
    return instance;
}

static void count(void *context)
{
    (*(int *)context)++;
}

static void remove_and_wait(struct exchange *x, tp_instance *instance)
{
    const int before = x->removed;

    tpi_hub_remove(instance, count, &x->removed);
    while (x->removed == before) {
        tp_loop_turn(x->b.loop, true);
    }
}

static const char *const fast = "rate=1000 noise=0";

/* ---- Removing -------------------------------------------------------------------------------- */

static void an_idle_one_is_gone_at_once(void **state)
{
    struct exchange x;
    const long before = memory_live();

    (void)state;
    begin(&x);
    tp_instance *fake = add(&x, &tp_driver_fake, "ptz:0 laser:0", NULL, fast);
    add(&x, &tp_driver_fake, "ptz:1", NULL, fast);
    assert_string_equal(tp_instance_name(fake), "fake0");
    tpi_hub_remove(fake, count, &x.removed);
    assert_null(bench_find(&x.b, "ptz:0"));
    assert_null(bench_find(&x.b, "laser:0"));
    assert_non_null(bench_find(&x.b, "ptz:1"));
    while (x.removed == 0) {
        tp_loop_turn(x.b.loop, true);
    }
    fake = add(&x, &tp_driver_fake, "ptz:0", NULL, fast);
    assert_string_equal(tp_instance_name(fake), "fake0"); /* the name is free again */
    end(&x);
    assert_int_equal(memory_live(), before);
}

static void readers_are_told_and_closed(void **state)
{
    struct exchange x;
    bench_reader r;

    (void)state;
    begin(&x);
    tp_instance *fake = add(&x, &tp_driver_fake, "ptz:0", NULL, fast);
    assert_int_equal(bench_open(&x.b, &r, bench_find(&x.b, "ptz:0")), TP_OK);
    bench_await(&r, TP_PTZ_DATA_STATE);
    tpi_hub_remove(fake, count, &x.removed);
    assert_null(r.reader.device);
    const tp_failure *why = tp_msg_payload(r.last[TP_COMMON_DATA_ERROR]);
    assert_int_equal(why->code, TP_E_REMOVED);
    assert_string_equal(why->text, "fake0: the device was removed");
    bench_close(&r); /* closing twice does no harm */
    while (x.removed == 0) {
        tp_loop_turn(x.b.loop, true);
    }
    end(&x);
}

static void the_end_of_the_hub_ends_a_removal_too(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        const long before = memory_live();
        struct exchange x;
        bench_reader r;
        begin(&x);
        tp_instance *fake = add(&x, &tp_driver_fake, "ptz:0", NULL, fast);
        assert_int_equal(bench_open(&x.b, &r, bench_find(&x.b, "ptz:0")), TP_OK);
        tpi_hub_remove(fake, count, &x.removed);
        for (int k = 0; k < i % 4; k++) {
            tp_loop_turn(x.b.loop, false);
        }
        bench_close(&r);
        end(&x);
        assert_int_equal(x.removed, 1);
        assert_int_equal(memory_live(), before);
    }
}

/* ---- Requests on their way ------------------------------------------------------------------- */

static atomic_int stops;

static tp_status keep(tp_device *device, tp_ptz_geom *answer, tp_error *err)
{
    (void)answer;
    (void)err;
    tp_device_defer(device);
    return TP_PENDING;
}

static const tp_ptz_ops keeper_device = {.req_geom = keep};

static tp_status keeper_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_ptz, NULL, &keeper_device, NULL, NULL, err);
}

static tp_status keeper_start(tp_instance *self, tp_error *err)
{
    if (tp_param_bool(self, "fails")) {
        return tp_fail(err, TP_E_IO, "no line");
    }
    return TP_OK;
}

static void keeper_stop(tp_instance *self)
{
    (void)self;
    stops++;
}

static const tp_param keeper_params[] = {{"fails", "bool", "no", "cannot start"},
                                         {NULL, NULL, NULL, NULL}};
static const tp_driver_ops keeper_ops = {
    .init = keeper_init, .start = keeper_start, .stop = keeper_stop};
static const tp_driver threaded = {
    .abi = TP_DRIVER_ABI, .name = "keeper", .params = keeper_params, .ops = &keeper_ops};
static const tp_driver on_loop = {.abi = TP_DRIVER_ABI,
                                  .name = "keeper",
                                  .params = keeper_params,
                                  .ops = &keeper_ops,
                                  .flags = TP_DRIVER_ON_LOOP};

struct asked {
    int answers;
    char why[256];
};

static void keep_answer(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct asked *a = context;

    (void)answer;
    assert_int_not_equal(status, TP_OK);
    a->answers++;
    snprintf(a->why, sizeof a->why, "%s", err->text);
}

static void ask(tp_device *device, struct asked *a)
{
    const tp_message *what =
        tp_interface_message(&tp_interface_ptz, TP_KIND_REQUEST, TP_PTZ_REQ_GEOM);
    const tp_msghdr header = {.addr = *tp_device_addr(device), .subtype = TP_PTZ_REQ_GEOM};
    tp_msg *msg = NULL;

    *a = (struct asked){0};
    assert_int_equal(tp_msg_create(&msg, &header, NULL, NULL), TP_OK);
    assert_int_equal(tpi_device_call(device, what, msg, keep_answer, a, NULL), TP_OK);
    tp_msg_unref(msg);
}

static void check_requests(const tp_driver *driver)
{
    const long before = memory_live();
    struct exchange x;
    struct asked a;
    bench_reader r;

    begin(&x);
    stops = 0;
    tp_instance *keeper = add(&x, driver, "ptz:0", NULL, NULL);
    assert_int_equal(bench_open(&x.b, &r, bench_find(&x.b, "ptz:0")), TP_OK);
    ask(bench_find(&x.b, "ptz:0"), &a);
    remove_and_wait(&x, keeper);
    assert_int_equal(a.answers, 1);
    assert_string_equal(a.why, "the device was stopped");
    assert_int_equal(stops, 1);
    bench_close(&r);
    end(&x);
    assert_int_equal(memory_live(), before);
}

static void requests_under_way_end(void **state)
{
    (void)state;
    check_requests(&threaded);
    check_requests(&on_loop);
}

static void settled(tpi_opening *opening, tp_status status, const tp_error *err)
{
    struct asked *a = opening->context;

    assert_int_equal(status, TP_E_REMOVED);
    a->answers++;
    snprintf(a->why, sizeof a->why, "%s", err->text);
}

/* It is starting: the driver runs on its thread, and somebody waits for it. */
static void openings_under_way_fail(void **state)
{
    struct exchange x;
    struct asked a = {0};
    tpi_reader reader = {0};
    tpi_opening opening = {.reader = &reader, .done = settled, .context = &a};

    (void)state;
    begin(&x);
    tp_instance *fake = add(&x, &tp_driver_fake, "ptz:0", NULL, fast);
    tpi_device_open(bench_find(&x.b, "ptz:0"), &opening);
    tpi_hub_remove(fake, count, &x.removed);
    assert_int_equal(a.answers, 1);
    assert_string_equal(a.why, "fake0: the device was removed");
    while (x.removed == 0) {
        tp_loop_turn(x.b.loop, true);
    }
    end(&x);
}

/* ---- Devices that others use ----------------------------------------------------------------- */

static void who_uses_it_stops_and_starts_again(void **state)
{
    struct exchange x;
    bench_reader r;

    (void)state;
    begin(&x);
    tp_instance *fake = add(&x, &tp_driver_fake, "ptz:0", NULL, fast);
    add(&x, &tp_driver_passthrough, "ptz:5", "ptz:0", NULL);
    assert_int_equal(bench_open(&x.b, &r, bench_find(&x.b, "ptz:5")), TP_OK);
    bench_await(&r, TP_PTZ_DATA_STATE);
    remove_and_wait(&x, fake);
    const tp_failure *why = tp_msg_payload(r.last[TP_COMMON_DATA_ERROR]);
    assert_string_equal(why->text, "passthrough0: requires ptz:0: the device was removed");
    assert_false(tpi_device_is_running(bench_find(&x.b, "ptz:5")));
    add(&x, &tp_driver_fake, "ptz:0", NULL, fast); /* nobody moves the clock: no timer fires */
    bench_await(&r, TP_PTZ_DATA_STATE);            /* the reader has stayed and hears the new one */
    bench_close(&r);
    end(&x);
}

/* The user is removed while it waits for what it uses. */
static void a_user_that_waits_can_be_removed(void **state)
{
    struct exchange x;
    struct asked a = {0};
    tpi_reader reader = {0};
    tpi_opening opening = {.reader = &reader, .done = settled, .context = &a};

    (void)state;
    begin(&x);
    add(&x, &tp_driver_fake, "ptz:0", NULL, fast);
    tp_instance *user = add(&x, &tp_driver_passthrough, "ptz:5", "ptz:0", NULL);
    tpi_device_open(bench_find(&x.b, "ptz:5"), &opening);
    remove_and_wait(&x, user);
    assert_int_equal(a.answers, 1);
    end(&x);
}

/* What it commands at its end still arrives. */
static tp_status parker_init(tp_instance *self, tp_error *err)
{
    tp_link **link = tp_instance_state(self);
    static const tp_ptz_ops none = {0};
    tp_status status = tp_require(self, &tp_interface_position2d, NULL, link, err);

    return status == TP_OK ? tp_offer(self, &tp_interface_ptz, NULL, &none, NULL, NULL, err)
                           : status;
}

static void parker_stop(tp_instance *self)
{
    const tp_position2d_set_odom_req there = {.pose = {.px = 7}};
    tp_link **link = tp_instance_state(self);

    tp_link_request(*link, TP_POSITION2D_REQ_SET_ODOM, &there, TP_NS_PER_S, NULL, NULL);
}

static void last_words_are_heard(void **state)
{
    static const tp_driver_ops ops = {.init = parker_init, .stop = parker_stop};
    static const tp_driver parker = {
        .abi = TP_DRIVER_ABI, .name = "parker", .state_size = sizeof(tp_link *), .ops = &ops};
    struct exchange x;
    bench_reader base;
    bench_reader ptz;

    (void)state;
    begin(&x);
    add(&x, &tp_driver_fake, "position2d:0", NULL, fast);
    tp_instance *p = add(&x, &parker, "ptz:0", "position2d:0", NULL);
    assert_int_equal(bench_open(&x.b, &base, bench_find(&x.b, "position2d:0")), TP_OK);
    assert_int_equal(bench_open(&x.b, &ptz, bench_find(&x.b, "ptz:0")), TP_OK);
    remove_and_wait(&x, p);
    const tp_position2d_data *data = bench_await_fresh(&base, TP_POSITION2D_DATA_STATE);
    play_assert_near(data->pos.px, 7);
    bench_close(&base);
    bench_close(&ptz);
    end(&x);
}

/* ---- Exchanges ------------------------------------------------------------------------------- */

static void an_exchange_is_checked_before_it_is_made(void **state)
{
    struct exchange x;
    size_t wrong = 99;

    (void)state;
    begin(&x);
    tp_instance *old = add(&x, &tp_driver_fake, "ptz:0 ptz:1", NULL, fast);
    tp_instance *coming[] = {prepare(&x, &tp_driver_fake, "ptz:3"),
                             prepare(&x, &tp_driver_fake, "ptz:1")};
    tpi_exchange e = {.coming = coming, .coming_count = 2};
    assert_null(bench_find(&x.b, "ptz:3")); /* nobody sees it yet */
    assert_int_equal(tpi_hub_check(x.b.hub, &e, &wrong, &x.b.err), TP_E_EXISTS);
    assert_string_equal(x.b.err.text, "fake2: ptz:1 is offered by another driver already");
    assert_int_equal(wrong, 1);
    assert_int_equal(tpi_hub_device_count(x.b.hub), 2);
    assert_ptr_equal(tp_device_instance(bench_find(&x.b, "ptz:1")), old);
    e.leaving = &old;
    e.leaving_count = 1;
    assert_int_equal(tpi_hub_check(x.b.hub, &e, &wrong, &x.b.err), TP_OK);
    assert_int_equal(tpi_hub_device_count(x.b.hub), 2);
    remove_and_wait(&x, old);
    assert_int_equal(tpi_hub_register(coming[0]), TP_OK);
    assert_int_equal(tpi_hub_register(coming[1]), TP_OK);
    assert_ptr_equal(tp_device_instance(bench_find(&x.b, "ptz:1")), coming[1]);
    assert_null(bench_find(&x.b, "ptz:0"));
    tpi_hub_discard(prepare(&x, &tp_driver_fake, "ptz:1"));
    /* One that is enrolled and left is released with all. */
    assert_int_equal(tpi_hub_enrol(prepare(&x, &tp_driver_fake, "ptz:9")), TP_OK);
    end(&x);
}

/* ---- Clients --------------------------------------------------------------------------------- */

static void ignore(void *context)
{
    (void)context;
}

static void opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                   const tp_error *err)
{
    (void)request;
    (void)device;
    (void)err;
    *(tp_status *)context = status;
}

static tp_status send_geom(struct exchange *x, tp_session *session)
{
    const tp_message *what =
        tp_interface_message(&tp_interface_ptz, TP_KIND_REQUEST, TP_PTZ_REQ_GEOM);
    const tp_msghdr header = {.addr = {.robot = BENCH_ROBOT, .interf = TP_PTZ_CODE},
                              .subtype = TP_PTZ_REQ_GEOM};
    tp_msg *msg = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, NULL, NULL), TP_OK);
    tp_status status = tp_session_send(session, msg, what, &x->b.err);
    tp_msg_unref(msg);
    return status;
}

static void clients_lose_what_is_removed(void **state)
{
    static const tp_session_limits limits = {100, 100, 100};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    struct exchange x;
    tp_session *session = NULL;
    tp_status status = TP_PENDING;

    (void)state;
    begin(&x);
    tp_instance *fake = add(&x, &on_loop, "ptz:0", NULL, NULL);
    assert_int_equal(
        tp_session_create(&session, x.b.hub, BENCH_ROBOT, &limits, &events, &status, NULL), TP_OK);
    tp_session_explain_failures(session, true);
    tp_session_open(session, bench_find(&x.b, "ptz:0"), TP_OPEN_MODE, &(tp_msghdr){0}, opened);
    while (status == TP_PENDING) {
        tp_loop_turn(x.b.loop, false);
    }
    assert_int_equal(status, TP_OK);
    assert_int_equal(tp_session_set_rate(session, bench_find(&x.b, "ptz:0"), 1), TP_OK);
    assert_int_equal(send_geom(&x, session), TP_OK); /* under way when it is removed */
    remove_and_wait(&x, fake);
    assert_int_equal(tp_session_waiting(session), 2); /* the news, and the answer */
    assert_int_equal(tp_msg_header(tp_session_peek(session, 0))->subtype, TP_COMMON_DATA_ERROR);
    assert_int_equal(tp_msg_header(tp_session_peek(session, 1))->type, TP_MSGTYPE_RESP_NACK);
    assert_int_equal(send_geom(&x, session), TP_E_UNKNOWN);
    add(&x, &on_loop, "ptz:0", NULL, NULL);
    assert_int_equal(send_geom(&x, session), TP_E_DENIED); /* another one, which is not open */
    assert_string_equal(x.b.err.text, "ptz:0 is not open");
    tp_session_destroy(session);
    end(&x);
}

static void one_that_failed_can_be_removed(void **state)
{
    struct exchange x;
    bench_reader r;

    (void)state;
    begin(&x);
    tp_instance *keeper = add(&x, &threaded, "ptz:0", NULL, "fails=yes");
    assert_int_equal(bench_open(&x.b, &r, bench_find(&x.b, "ptz:0")), TP_E_IO);
    bench_close(&r);
    stops = 0;
    remove_and_wait(&x, keeper);
    assert_int_equal(stops, 0);
    end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_one_is_gone_at_once),
        cmocka_unit_test(readers_are_told_and_closed),
        cmocka_unit_test(the_end_of_the_hub_ends_a_removal_too),
        cmocka_unit_test(requests_under_way_end),
        cmocka_unit_test(openings_under_way_fail),
        cmocka_unit_test(who_uses_it_stops_and_starts_again),
        cmocka_unit_test(a_user_that_waits_can_be_removed),
        cmocka_unit_test(last_words_are_heard),
        cmocka_unit_test(an_exchange_is_checked_before_it_is_made),
        cmocka_unit_test(clients_lose_what_is_removed),
        cmocka_unit_test(one_that_failed_can_be_removed),
    };

    return cmocka_run_group_tests_name("src/device/remove", tests, NULL, NULL);
}
