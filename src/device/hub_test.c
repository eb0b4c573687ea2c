/* hub_test.c - the life of devices: opened, called, lost, linked; on the loop and on threads. */
#include "device/hub.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bus/pool.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/sonar.h"

/* ---- A driver to play with ------------------------------------------------------------------- */

/* What the test tells the driver to do; only changed while nothing runs. */
static struct {
    bool fail_start;
    int polls_until_failure; /* 0 for never */
    bool defer;
    atomic_int starts;
    atomic_int stops;
    atomic_int finis;
} wish;

struct probe {
    tp_device *position;
    tp_device *sonar;
    tp_link *source;
    tp_ticket *ticket;
    int polls;
    int heard; /* data of the source */
    tp_pose2d speed;
};

static tp_status probe_cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)err;
    struct probe *p = tp_instance_state(tp_device_instance(device));

    p->speed = ask->vel;
    return TP_OK;
}

static tp_status probe_get_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    struct probe *p = tp_instance_state(tp_device_instance(device));

    (void)err;
    if (wish.defer) {
        p->ticket = tp_device_defer(device);
        return TP_PENDING;
    }
    answer->size.sl = 1.5;
    return TP_OK;
}

static tp_status probe_set_odom(tp_device *device, const tp_position2d_set_odom_req *ask,
                                tp_error *err)
{
    (void)device;
    (void)ask;
    return tp_fail(err, TP_E_RANGE, "too far away");
}

static const tp_position2d_ops position_ops = {
    .cmd_vel = probe_cmd_vel,
    .req_get_geom = probe_get_geom,
    .req_set_odom = probe_set_odom,
};

static const tp_sonar_ops sonar_ops = {0};

static tp_status probe_init(tp_instance *self, tp_error *err)
{
    struct probe *p = tp_instance_state(self);
    tp_status status = TP_OK;

    if (tp_provides(self, &tp_interface_position2d, NULL)) {
        status =
            tp_offer(self, &tp_interface_position2d, NULL, &position_ops, NULL, &p->position, err);
    }
    if (status == TP_OK && tp_provides(self, &tp_interface_sonar, NULL)) {
        status = tp_offer(self, &tp_interface_sonar, NULL, &sonar_ops, NULL, &p->sonar, err);
    }
    if (status == TP_OK && tp_param_bool(self, "linked")) {
        status = tp_require(self, &tp_interface_position2d, NULL, &p->source, err);
    }
    tp_instance_set_period(self, TP_NS_PER_MS);
    return status;
}

static tp_status probe_start(tp_instance *self, tp_error *err)
{
    (void)self;
    if (wish.fail_start) {
        return tp_fail(err, TP_E_IO, "open /dev/none: no such file");
    }
    wish.starts++;
    return TP_OK;
}

static tp_status probe_poll(tp_instance *self, tp_error *err)
{
    struct probe *p = tp_instance_state(self);
    const tp_position2d_data data = {.vel = p->speed};

    p->polls++;
    if (wish.polls_until_failure > 0 && --wish.polls_until_failure == 0) {
        return tp_fail(err, TP_E_IO, "the line is silent");
    }
    if (p->ticket != NULL) {
        const tp_position2d_geom geom = {.size = {.sl = 2.5}};
        tp_ticket_answer(p->ticket, &geom);
        p->ticket = NULL;
    }
    if (p->position != NULL) {
        tp_publish(p->position, TP_POSITION2D_DATA_STATE, &data, 0);
    }
    return TP_OK;
}

static void probe_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct probe *p = tp_instance_state(self);

    (void)from;
    if (tp_msg_header(msg)->subtype == TP_POSITION2D_DATA_STATE) {
        p->heard++;
    }
    if (p->sonar != NULL && p->heard == 3) {
        const tp_sonar_data data = {0};
        tp_publish(p->sonar, TP_SONAR_DATA_RANGES, &data, 0);
        p->heard = 0;
    }
}

static void probe_stop(tp_instance *self)
{
    (void)self;
    wish.stops++;
}

static void probe_fini(tp_instance *self)
{
    (void)self;
    wish.finis++;
}

static const tp_driver_ops probe_ops = {.init = probe_init,
                                        .start = probe_start,
                                        .poll = probe_poll,
                                        .data = probe_data,
                                        .stop = probe_stop,
                                        .fini = probe_fini};
static const tp_param probe_params[] = {
    {"linked", NULL, "0", "whether it uses another device"},
    {NULL, NULL, NULL, NULL},
};
static const tp_param strict_params[] = {
    {"port", NULL, NULL, "the line"},
    {NULL, NULL, NULL, NULL},
};
static const tp_driver threaded = {TP_DRIVER_ABI, "probe",    "a probe", sizeof(struct probe),
                                   probe_params,  &probe_ops, 0};
static const tp_driver on_loop = {TP_DRIVER_ABI, "probe",    "a probe",        sizeof(struct probe),
                                  probe_params,  &probe_ops, TP_DRIVER_ON_LOOP};
static const tp_driver strict = {TP_DRIVER_ABI, "strict",   "a probe", sizeof(struct probe),
                                 strict_params, &probe_ops, 0};

/* ---- A bench for it -------------------------------------------------------------------------- */

struct bench {
    tp_loop *loop;
    tp_catalogue *catalogue;
    tpi_hub *hub;
    tp_error err;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    wish.fail_start = wish.defer = false;
    wish.polls_until_failure = 0;
    wish.starts = 0;
    wish.stops = 0;
    wish.finis = 0;
    assert_int_equal(tp_loop_create(&b->loop, tp_clock_real(), &b->err), TP_OK);
    assert_int_equal(tp_catalogue_create(&b->catalogue, &b->err), TP_OK);
    assert_int_equal(tpi_hub_create(&b->hub, b->loop, b->catalogue, &b->err), TP_OK);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    tpi_hub_destroy(b->hub);
    tp_loop_destroy(b->loop);
    tp_catalogue_destroy(b->catalogue);
    free(b);
    tpi_pool_leave();
    return memory_live() == 0 ? 0 : -1;
}

static const tpi_wanted position0 = {
    "", {.robot = 6665, .interf = TP_POSITION2D_CODE}, &tp_interface_position2d};
static const tpi_wanted sonar0 = {
    "", {.robot = 6665, .interf = TP_SONAR_CODE}, &tp_interface_sonar};
static const tpi_wanted both[] = {
    {"", {.robot = 6665, .interf = TP_POSITION2D_CODE}, &tp_interface_position2d},
    {"", {.robot = 6665, .interf = TP_SONAR_CODE}, &tp_interface_sonar},
};

static tp_device *add(struct bench *b, const tp_driver *driver, const tpi_wanted *wanted,
                      uint32_t count)
{
    const tpi_blueprint blueprint = {
        .driver = driver, .provides = wanted, .provide_count = count, .restart_ns = TP_NS_PER_MS};

    assert_int_equal(tpi_hub_add(b->hub, &blueprint, NULL, &b->err), TP_OK);
    return tpi_hub_find(b->hub, 6665, wanted->addr.interf, 0);
}

/* A reader that remembers what it got. */
struct listener {
    tpi_reader reader;
    tpi_opening opening;
    bool settled;
    tp_status status;
    char why[256];
    int data;
    int failures;
    char failure[256];
};

static void hear(tpi_reader *reader, tp_msg *msg)
{
    struct listener *l = reader->context;

    if (tp_msg_header(msg)->subtype == TP_COMMON_DATA_ERROR) {
        l->failures++;
        snprintf(l->failure, sizeof l->failure, "%s",
                 ((const tp_failure *)tp_msg_payload(msg))->text);
    } else {
        l->data++;
    }
}

static void settled(tpi_opening *opening, tp_status status, const tp_error *err)
{
    struct listener *l = opening->context;

    l->settled = true;
    l->status = status;
    snprintf(l->why, sizeof l->why, "%s", err == NULL ? "" : err->text);
}

static void begin_open(tp_device *device, struct listener *l)
{
    *l = (struct listener){.reader = {.deliver = hear, .context = l},
                           .opening = {.done = settled, .context = l}};
    l->opening.reader = &l->reader;
    tpi_device_open(device, &l->opening);
}

static void open_device(struct bench *b, tp_device *device, struct listener *l)
{
    begin_open(device, l);
    while (!l->settled) {
        tp_loop_turn(b->loop, true);
    }
}

static void turn_until(struct bench *b, const int *counter, int wanted)
{
    while (*counter < wanted) {
        tp_loop_turn(b->loop, true);
    }
}

static void turn_until_counted(struct bench *b, const atomic_int *counter, int wanted)
{
    while (*counter < wanted) {
        tp_loop_turn(b->loop, false);
    }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void check_life(struct bench *b, const tp_driver *driver)
{
    tp_device *device = add(b, driver, &position0, 1);
    struct listener first;
    struct listener second;

    open_device(b, device, &first);
    assert_int_equal(first.status, TP_OK);
    open_device(b, device, &second);
    assert_int_equal(wish.starts, 1);
    turn_until(b, &first.data, 3);
    turn_until(b, &second.data, 3);
    tpi_device_close(&first.reader);
    assert_int_equal(wish.stops, 0);
    tpi_device_close(&second.reader);
    open_device(b, device, &first); /* waits for the stop, then starts anew */
    assert_int_equal(wish.stops, 1);
    assert_int_equal(wish.starts, 2);
    tpi_device_close(&first.reader);
}

static void the_first_open_starts_and_the_last_close_stops(void **state)
{
    check_life(*state, &threaded);
}

static void so_it_is_on_the_loop(void **state)
{
    check_life(*state, &on_loop);
}

static void two_devices_of_an_instance_count_together(void **state)
{
    struct bench *b = *state;
    tp_device *position = add(b, &threaded, both, 2);
    tp_device *sonar = tpi_hub_find(b->hub, 6665, TP_SONAR_CODE, 0);
    struct listener a;
    struct listener c;

    open_device(b, position, &a);
    open_device(b, sonar, &c);
    assert_int_equal(wish.starts, 1);
    tpi_device_close(&a.reader);
    tp_loop_turn(b->loop, false);
    assert_true(tpi_device_is_running(sonar));
    tpi_device_close(&c.reader);
    assert_false(tpi_device_is_running(sonar));
}

static void a_failed_start_is_told_with_the_drivers_sentence(void **state)
{
    struct bench *b = *state;
    struct listener l;

    wish.fail_start = true;
    tp_device *device = add(b, &threaded, &position0, 1);
    open_device(b, device, &l);
    assert_int_equal(l.status, TP_E_IO);
    assert_string_equal(l.why, "probe0: open /dev/none: no such file");
    wish.fail_start = false;
    open_device(b, device, &l);
    assert_int_equal(l.status, TP_OK);
    tpi_device_close(&l.reader);
}

static void giving_up_an_opening_is_safe(void **state)
{
    struct bench *b = *state;
    tp_device *device = add(b, &threaded, &position0, 1);
    struct listener l;
    struct listener other;

    begin_open(device, &l);
    tpi_device_give_up(&l.opening);
    open_device(b, device, &other);
    assert_false(l.settled);
    tpi_device_close(&other.reader);
}

/* ---- Calls */

struct asked {
    int answers;
    tp_status status;
    double length;
    char why[256];
};

static void keep_answer(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct asked *a = context;

    a->answers++;
    a->status = status;
    snprintf(a->why, sizeof a->why, "%s", err->text);
    if (answer != NULL && tp_msg_type(answer) == &tp_desc_position2d_geom) {
        a->length = ((const tp_position2d_geom *)tp_msg_payload(answer))->size.sl;
        assert_int_equal(tp_msg_header(answer)->type, TP_MSGTYPE_RESP_ACK);
        assert_int_equal(tp_msg_header(answer)->seq, 77);
    }
}

static void ask(struct bench *b, tp_device *device, unsigned code, const void *value,
                struct asked *a)
{
    const tp_message *what = tp_interface_message(&tp_interface_position2d, TP_KIND_REQUEST, code);
    const tp_msghdr header = {.addr = *tp_device_addr(device),
                              .type = TP_MSGTYPE_REQ,
                              .subtype = (uint8_t)code,
                              .seq = 77};
    tp_msg *msg = NULL;
    tpi_call *call = NULL;

    *a = (struct asked){0};
    assert_int_equal(tp_msg_create(&msg, &header, what->ask, value), TP_OK);
    assert_int_equal(tpi_device_call(device, what, msg, keep_answer, a, &call), TP_OK);
    tp_msg_unref(msg);
    turn_until(b, &a->answers, 1);
    assert_null(call);
}

static void check_requests(struct bench *b, const tp_driver *driver)
{
    tp_device *device = add(b, driver, &position0, 1);
    struct listener l;
    struct asked a;
    const tp_position2d_set_odom_req odom = {{1, 2, 3}};

    open_device(b, device, &l);
    ask(b, device, TP_POSITION2D_REQ_GET_GEOM, NULL, &a);
    assert_int_equal(a.status, TP_OK);
    assert_true(a.length == 1.5);
    ask(b, device, TP_POSITION2D_REQ_SET_ODOM, &odom, &a);
    assert_int_equal(a.status, TP_E_RANGE);
    assert_string_equal(a.why, "too far away");
    ask(b, device, TP_POSITION2D_REQ_SET_ODOM, NULL, &a);
    assert_int_equal(a.status, TP_E_SHORT);
    ask(b, device, TP_POSITION2D_REQ_RESET_ODOM, NULL, &a);
    assert_string_equal(a.why, "RESET_ODOM is not supported");
    wish.defer = true;
    ask(b, device, TP_POSITION2D_REQ_GET_GEOM, NULL, &a);
    assert_true(a.length == 2.5);
    tpi_device_close(&l.reader);
}

static void requests_are_answered_refused_and_deferred(void **state)
{
    check_requests(*state, &threaded);
}

static void so_they_are_on_the_loop(void **state)
{
    check_requests(*state, &on_loop);
}

static void an_abandoned_call_tells_nobody(void **state)
{
    struct bench *b = *state;
    tp_device *device = add(b, &threaded, &position0, 1);
    const tp_message *what = tp_interface_message(&tp_interface_position2d, TP_KIND_REQUEST, 1);
    const tp_msghdr header = {.addr = *tp_device_addr(device), .type = TP_MSGTYPE_REQ};
    struct listener l;
    struct asked a = {0};
    tp_msg *msg = NULL;
    tpi_call *call = NULL;

    open_device(b, device, &l);
    assert_int_equal(tp_msg_create(&msg, &header, NULL, NULL), TP_OK);
    assert_int_equal(tpi_device_call(device, what, msg, keep_answer, &a, &call), TP_OK);
    tpi_call_abandon(call);
    tp_msg_unref(msg);
    turn_until(b, &l.data, l.data + 3);
    assert_int_equal(a.answers, 0);
    tpi_device_close(&l.reader);
}

/* ---- Failures and links */

static void check_failure(struct bench *b, const tp_driver *driver)
{
    tp_device *device = add(b, driver, &position0, 1);
    struct listener l;

    wish.polls_until_failure = 3;
    open_device(b, device, &l);
    turn_until(b, &l.failures, 1);
    assert_string_equal(l.failure, "probe0: the line is silent");
    turn_until_counted(b, &wish.starts, 2); /* restarted, and the reader is still there */
    turn_until(b, &l.data, l.data + 3);
    tpi_device_close(&l.reader);
}

static void a_lost_device_is_told_and_restarted(void **state)
{
    check_failure(*state, &threaded);
}

static void so_it_is_for_one_on_the_loop(void **state)
{
    check_failure(*state, &on_loop);
}

static tp_status add_linked(struct bench *b, const tp_driver *driver, const tpi_wanted *provides)
{
    static const tpi_setting_value yes = {"yes", 1};
    static const tpi_setting linked = {"linked", &yes, 1};
    const tpi_blueprint blueprint = {.driver = driver,
                                     .settings = &linked,
                                     .setting_count = 1,
                                     .provides = provides,
                                     .provide_count = 1,
                                     .requires = &position0,
                                     .require_count = 1};

    return tpi_hub_add(b->hub, &blueprint, NULL, &b->err);
}

static void check_link(struct bench *b, const tp_driver *source, const tp_driver *user)
{
    struct listener l;

    add(b, source, &position0, 1);
    assert_int_equal(add_linked(b, user, &sonar0), TP_OK);
    open_device(b, tpi_hub_find(b->hub, 6665, TP_SONAR_CODE, 0), &l);
    assert_int_equal(l.status, TP_OK);
    assert_int_equal(wish.starts, 2);
    turn_until(b, &l.data, 2);
    tpi_device_close(&l.reader);
    turn_until_counted(b, &wish.stops, 2); /* the source has no reader any more either */
}

static void a_driver_uses_another_one(void **state)
{
    check_link(*state, &threaded, &threaded);
}

static void on_the_loop_a_driver_uses_another_one(void **state)
{
    check_link(*state, &threaded, &on_loop);
}

static void a_missing_source_is_named(void **state)
{
    struct bench *b = *state;
    struct listener l;

    assert_int_equal(add_linked(b, &threaded, &sonar0), TP_OK);
    open_device(b, tpi_hub_find(b->hub, 6665, TP_SONAR_CODE, 0), &l);
    assert_int_equal(l.status, TP_E_UNKNOWN);
    assert_string_equal(l.why, "probe0: requires position2d:0: no driver offers it");
}

static void who_requires_itself_is_told(void **state)
{
    struct bench *b = *state;
    struct listener l;

    assert_int_equal(add_linked(b, &threaded, &position0), TP_OK);
    open_device(b, tpi_hub_find(b->hub, 6665, TP_POSITION2D_CODE, 0), &l);
    assert_int_equal(l.status, TP_E_INVALID);
    assert_string_equal(l.why, "probe0: requires position2d:0: it requires this one in turn");
}

static void a_missing_parameter_is_named_and_nothing_is_left(void **state)
{
    struct bench *b = *state;
    const tpi_blueprint blueprint = {.driver = &strict, .provides = &position0, .provide_count = 1};

    assert_int_equal(tpi_hub_add(b->hub, &blueprint, NULL, &b->err), TP_E_INVALID);
    assert_string_equal(b->err.text, "strict0: the parameter \"port\" is missing: the line");
    assert_int_equal(tpi_hub_device_count(b->hub), 0);
    assert_int_equal(wish.finis, 0);
}

static void the_same_address_twice_is_refused(void **state)
{
    struct bench *b = *state;
    const tpi_blueprint blueprint = {
        .driver = &threaded, .provides = &position0, .provide_count = 1};

    add(b, &threaded, &position0, 1);
    assert_int_equal(tpi_hub_add(b->hub, &blueprint, NULL, &b->err), TP_E_EXISTS);
    assert_string_equal(b->err.text, "probe1: position2d:0 is offered by another driver already");
    assert_int_equal(wish.finis, 1);
    assert_int_equal(tpi_hub_device_count(b->hub), 1);
}

/* Once the pools hold as many messages as were ever on their way at once, data flows from a
 * driver's thread to a reader without an allocation. A busy machine may need a few tries to get
 * there; if messages cost memory, no try succeeds. */
static void data_flows_without_allocations(void **state)
{
    struct bench *b = *state;
    tp_device *device = add(b, &threaded, &position0, 1);
    struct listener l;
    bool flowed = false;

    open_device(b, device, &l);
    for (int tries = 0; tries < 50 && !flowed; tries++) {
        const size_t before = memory_allocations();
        turn_until(b, &l.data, l.data + 50);
        flowed = memory_allocations() == before;
    }
    assert_true(flowed);
    tpi_device_close(&l.reader);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_open_starts_and_the_last_close_stops),
        TEST(so_it_is_on_the_loop),
        TEST(two_devices_of_an_instance_count_together),
        TEST(a_failed_start_is_told_with_the_drivers_sentence),
        TEST(giving_up_an_opening_is_safe),
        TEST(requests_are_answered_refused_and_deferred),
        TEST(so_they_are_on_the_loop),
        TEST(an_abandoned_call_tells_nobody),
        TEST(a_lost_device_is_told_and_restarted),
        TEST(so_it_is_for_one_on_the_loop),
        TEST(a_driver_uses_another_one),
        TEST(on_the_loop_a_driver_uses_another_one),
        TEST(a_missing_source_is_named),
        TEST(who_requires_itself_is_told),
        TEST(a_missing_parameter_is_named_and_nothing_is_left),
        TEST(the_same_address_twice_is_refused),
        TEST(data_flows_without_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
