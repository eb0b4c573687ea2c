/* life_test.c - ends and new beginnings of instances that use each other: nothing is lost, nothing
 * runs where it should not. */
#include <pthread.h>
#include <stdlib.h>

#include "conformance/play.h"
#include "support/memory.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ptz.h"

extern const tp_driver tp_driver_dummy;
extern const tp_driver tp_driver_fake;

static const tp_ptz_ops no_ops = {0};

/* ---- A driver that fails once, and watches who calls it -------------------------------------- */

struct flaky {
    tp_device *device;
    pthread_t home;
    int polls;
};

static atomic_int strangers; /* polls on another thread than the instance's */

static tp_status flaky_init(tp_instance *self, tp_error *err)
{
    struct flaky *f = tp_instance_state(self);

    tp_instance_set_period(self, TP_NS_PER_MS);
    return tp_offer(self, &tp_interface_ptz, NULL, &no_ops, NULL, &f->device, err);
}

static tp_status flaky_start(tp_instance *self, tp_error *err)
{
    struct flaky *f = tp_instance_state(self);

    (void)err;
    f->home = pthread_self();
    return TP_OK;
}

static tp_status flaky_poll(tp_instance *self, tp_error *err)
{
    struct flaky *f = tp_instance_state(self);
    const tp_ptz_data data = {0};

    strangers += !pthread_equal(f->home, pthread_self());
    if (++f->polls == 3) {
        return tp_fail(err, TP_E_IO, "the line is silent");
    }
    tp_publish(f->device, TP_PTZ_DATA_STATE, &data, 0);
    return TP_OK;
}

static const tp_driver_ops flaky_ops = {
    .init = flaky_init, .start = flaky_start, .poll = flaky_poll};
static const tp_driver flaky = {
    .abi = TP_DRIVER_ABI, .name = "flaky", .state_size = sizeof(struct flaky), .ops = &flaky_ops};

/* Somebody opens the device before it restarts by itself; the timer of the restart is not a poll.
 */
static void an_opening_takes_the_place_of_a_restart(void **state)
{
    const bench_section section = {&flaky, "ptz:0", NULL, NULL};
    play *p = play_create();
    bench_plan *plan = bench_plan_create(p->b.catalogue, &section, 0);
    tpi_blueprint blueprint = *bench_plan_blueprint(plan);
    bench_reader second;

    (void)state;
    strangers = 0;
    blueprint.restart_ns = TP_NS_PER_S;
    assert_int_equal(tpi_hub_add(p->b.hub, &blueprint, NULL, &p->b.err), TP_OK);
    p->device = bench_find(&p->b, "ptz:0");
    play_open(p);
    const tp_failure *why = bench_await(&p->r, TP_COMMON_DATA_ERROR);
    assert_string_equal(why->text, "flaky0: the line is silent");
    assert_int_equal(bench_open(&p->b, &second, p->device), TP_OK);
    bench_move_clock(&p->b, 2);
    tp_loop_turn(p->b.loop, false);
    bench_await(&p->r, TP_PTZ_DATA_STATE); /* who had it open before gets data again */
    bench_close(&second);
    play_destroy(p);
    bench_plan_destroy(plan);
    assert_int_equal(strangers, 0);
}

/* ---- A driver that asks another one all the time --------------------------------------------- */

struct asker {
    tp_device *device;
    tp_link *link;
};

static atomic_int asked;
static atomic_int answered;

static void count_answer(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                         const char *why)
{
    (void)self;
    (void)context;
    (void)status;
    (void)answer;
    (void)why;
    answered++;
}

static tp_status asker_init(tp_instance *self, tp_error *err)
{
    struct asker *a = tp_instance_state(self);
    tp_status status = tp_require(self, &tp_interface_position2d, NULL, &a->link, err);

    tp_instance_set_period(self, TP_NS_PER_MS / 10);
    return status == TP_OK ? tp_offer(self, &tp_interface_ptz, NULL, &no_ops, NULL, &a->device, err)
                           : status;
}

static tp_status asker_poll(tp_instance *self, tp_error *err)
{
    struct asker *a = tp_instance_state(self);
    const tp_ptz_data data = {0};

    (void)err;
    asked += tp_link_request(a->link, TP_POSITION2D_REQ_GET_GEOM, NULL, 5 * TP_NS_PER_S,
                             count_answer, NULL) == TP_OK;
    tp_publish(a->device, TP_PTZ_DATA_STATE, &data, 0);
    return TP_OK;
}

static const tp_driver_ops asker_ops = {.init = asker_init, .poll = asker_poll};
static const tp_driver asker = {
    .abi = TP_DRIVER_ABI, .name = "asker", .state_size = sizeof(struct asker), .ops = &asker_ops};

static void every_request_ends_also_when_all_is_destroyed(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        const long before = memory_live();
        play *p = play_create();
        asked = answered = 0;
        play_add(p, &tp_driver_fake, "position2d:0", NULL, "rate=1000");
        play_add(p, &asker, "ptz:0", "position2d:0", NULL);
        play_open(p);
        bench_await(&p->r, TP_PTZ_DATA_STATE);
        play_destroy(p);
        assert_int_equal(asked, answered);
        assert_int_equal(memory_live(), before);
    }
}

/* ---- A driver that works without the device that it uses ------------------------------------- */

static atomic_int refused, served;

static void count_outcome(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                          const char *why)
{
    (void)self;
    (void)context;
    (void)answer;
    (void)why;
    *(status == TP_OK ? &served : &refused) += 1;
    answered++;
}

static tp_status loose_init(tp_instance *self, tp_error *err)
{
    struct asker *a = tp_instance_state(self);
    tp_status status = tp_require_loosely(self, &tp_interface_position2d, NULL, &a->link, err);

    tp_instance_set_period(self, TP_NS_PER_MS / 10);
    return status == TP_OK ? tp_offer(self, &tp_interface_ptz, NULL, &no_ops, NULL, &a->device, err)
                           : status;
}

static tp_status loose_poll(tp_instance *self, tp_error *err)
{
    struct asker *a = tp_instance_state(self);
    const tp_ptz_data data = {0};

    (void)err;
    asked += tp_link_request(a->link, TP_POSITION2D_REQ_GET_GEOM, NULL, 5 * TP_NS_PER_S,
                             count_outcome, NULL) == TP_OK;
    tp_publish(a->device, TP_PTZ_DATA_STATE, &data, 0);
    return TP_OK;
}

static const tp_driver_ops loose_ops = {.init = loose_init, .poll = loose_poll};
static const tp_driver loose = {
    .abi = TP_DRIVER_ABI, .name = "loose", .state_size = sizeof(struct asker), .ops = &loose_ops};

static void a_device_that_is_away_is_opened_when_it_comes(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        const long before = memory_live();
        play *p = play_create();
        asked = answered = refused = served = 0;
        play_add(p, &loose, "ptz:0", "position2d:0", NULL);
        play_open(p);
        while (refused == 0) {
            bench_await_fresh(&p->r, TP_PTZ_DATA_STATE);
        }
        assert_int_equal(served, 0);
        tp_device *mine = p->device;
        play_add(p, &tp_driver_fake, "position2d:0", NULL, "rate=1000");
        p->device = mine;
        while (i % 2 == 0 && served == 0) { /* or it ends while it opens */
            bench_await_fresh(&p->r, TP_PTZ_DATA_STATE);
        }
        play_destroy(p);
        assert_int_equal(asked, answered);
        assert_int_equal(memory_live(), before);
    }
}

/* ---- A driver that leaves another one safe --------------------------------------------------- */

static tp_status keeper_init(tp_instance *self, tp_error *err)
{
    struct asker *a = tp_instance_state(self);
    tp_status status = tp_require(self, &tp_interface_dio, NULL, &a->link, err);

    return status == TP_OK ? tp_offer(self, &tp_interface_ptz, NULL, &no_ops, NULL, &a->device, err)
                           : status;
}

static void keeper_stop(tp_instance *self)
{
    struct asker *a = tp_instance_state(self);
    const tp_dio_cmd lock = {.count = 8, .digout = 0x5a};

    tp_link_command(a->link, TP_DIO_CMD_VALUES, &lock);
}

static const tp_driver_ops keeper_ops = {.init = keeper_init, .stop = keeper_stop};
static const tp_driver threaded = {
    .abi = TP_DRIVER_ABI, .name = "keeper", .state_size = sizeof(struct asker), .ops = &keeper_ops};
static const tp_driver on_loop = {.abi = TP_DRIVER_ABI,
                                  .name = "keeper",
                                  .state_size = sizeof(struct asker),
                                  .ops = &keeper_ops,
                                  .flags = TP_DRIVER_ON_LOOP};

static void check_last_command(const tp_driver *driver)
{
    play *p = play_create();
    bench_reader lines;

    play_add(p, &tp_driver_fake, "dio:0", NULL, "rate=1000");
    play_add(p, driver, "ptz:0", "dio:0", NULL);
    play_open(p);
    assert_int_equal(bench_open(&p->b, &lines, bench_find(&p->b, "dio:0")), TP_OK);
    play_close(p);
    const tp_dio_data *data = bench_await(&lines, TP_DIO_DATA_VALUES);
    while ((data->bits & 0xff) != 0x5a) {
        data = bench_await(&lines, TP_DIO_DATA_VALUES);
    }
    bench_close(&lines);
    play_destroy(p);
}

static void what_a_driver_commands_when_it_stops_is_done(void **state)
{
    (void)state;
    check_last_command(&threaded);
    check_last_command(&on_loop);
}

/* ---- Clocks ---------------------------------------------------------------------------------- */

/* Threads wait by the real clock, whatever the server's clock says. */
static void a_clock_far_ahead_stops_no_polls(void **state)
{
    play *p = play_create();

    (void)state;
    bench_move_clock(&p->b, 1e9);
    play_add(p, &tp_driver_dummy, "position2d:0", NULL, "rate=1000");
    play_open(p);
    bench_await(&p->r, TP_POSITION2D_DATA_STATE);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_opening_takes_the_place_of_a_restart),
        cmocka_unit_test(every_request_ends_also_when_all_is_destroyed),
        cmocka_unit_test(a_device_that_is_away_is_opened_when_it_comes),
        cmocka_unit_test(what_a_driver_commands_when_it_stops_is_done),
        cmocka_unit_test(a_clock_far_ahead_stops_no_polls),
    };

    return cmocka_run_group_tests_name("src/device/life", tests, NULL, NULL);
}
