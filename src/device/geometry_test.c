/* geometry_test.c - where a device sits: from the configuration, the driver, or its interface. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/play.h"
#include "support/memory.h"
#include "troupe/front.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ptz.h"

extern const tp_driver tp_driver_dummy;
extern const tp_driver tp_driver_lasertoranger;
extern const tp_driver tp_driver_passthrough;

/* ---- A driver that knows where it is, in one way or another ---------------------------------- */

enum { NOT_SAID, SETS, ANSWERS, ANSWERS_LATER, REFUSES, REFUSES_LATER };

static atomic_int manner; /* read by the thread of the device */

struct seated {
    tp_device *device;
    tp_ticket *ticket;
    double x;
};

static const tp_laser_geom measured = {.pose = {1, 2, 3, 0.1, 0.2, 0.3}, .size = {4, 5, 6}};

static tp_status seated_geom(tp_device *device, tp_laser_geom *answer, tp_error *err)
{
    struct seated *s = tp_instance_state(tp_device_instance(device));

    switch (atomic_load(&manner)) {
    case ANSWERS:
        *answer = measured;
        return TP_OK;
    case ANSWERS_LATER:
        tp_ticket_answer(tp_device_defer(device), &measured);
        return TP_PENDING;
    case REFUSES_LATER:
        s->ticket = tp_device_defer(device);
        tp_ticket_fail(s->ticket, TP_E_UNSUPPORTED, "not here");
        return TP_PENDING;
    case REFUSES:
        return tp_fail(err, TP_E_IO, "the line is silent");
    default:
        return tp_fail(err, TP_E_UNSUPPORTED, "not here");
    }
}

/* A request that moves the device. */
static tp_status seated_power(tp_device *device, const tp_laser_power_config *ask, tp_error *err)
{
    const tp_geometry now = {.known = TP_GEOMETRY_MEASURED,
                             .pose = {.px = ask->state},
                             .frame_count = 5,
                             .frame = play_chars("beam"),
                             .parent_count = 4,
                             .parent = play_chars("mast")}; /* the one without its NUL */

    (void)err;
    return tp_device_set_geometry(device, &now);
}

static const tp_laser_ops seated_device = {.req_get_geom = seated_geom, .req_power = seated_power};

static tp_status seated_init(tp_instance *self, tp_error *err)
{
    struct seated *s = tp_instance_state(self);
    const tp_geometry set = {.known = TP_GEOMETRY_MEASURED, .pose = {.px = 7}, .size = {.sh = 8}};
    tp_status status =
        tp_offer(self, &tp_interface_laser, NULL, &seated_device, NULL, &s->device, err);

    if (status == TP_OK && manner == SETS) {
        status = tp_device_set_geometry(s->device, &set);
    }
    return status;
}

static const tp_driver_ops seated_ops = {.init = seated_init};
static const tp_driver seated = {.abi = TP_DRIVER_ABI,
                                 .name = "seated",
                                 .state_size = sizeof(struct seated),
                                 .ops = &seated_ops};
static const tp_driver seated_on_loop = {.abi = TP_DRIVER_ABI,
                                         .name = "seated",
                                         .state_size = sizeof(struct seated),
                                         .ops = &seated_ops,
                                         .flags = TP_DRIVER_ON_LOOP};

/* The driver with these places in its section. */
static play *begin(const tp_driver *driver, int how, const tpi_place *places, uint32_t count)
{
    const bench_section section = {driver, "laser:0", NULL, NULL};
    play *p = play_create();
    bench_plan *plan = bench_plan_create(p->b.catalogue, &section, 0);
    tpi_blueprint blueprint = *bench_plan_blueprint(plan);

    manner = how;
    blueprint.places = places;
    blueprint.place_count = count;
    p->plans[p->plan_count++] = plan;
    assert_int_equal(tpi_hub_add(p->b.hub, &blueprint, NULL, &p->b.err), TP_OK);
    p->device = bench_find(&p->b, "laser:0");
    play_open(p);
    return p;
}

static void assert_geometry(const tp_geometry *g, unsigned known, double x, double height,
                            const char *frame, const char *parent)
{
    assert_int_equal(g->known, known);
    play_assert_near(g->pose.px, x);
    play_assert_near(g->size.sh, height);
    assert_string_equal(g->frame, frame);
    assert_string_equal(g->parent, parent);
}

static void check(int how, const tpi_place *places, unsigned known, double x, double height)
{
    const tp_driver *const drivers[] = {&seated, &seated_on_loop};

    for (size_t i = 0; i < 2; i++) {
        play *p = begin(drivers[i], how, places, places == NULL ? 0 : 1);
        assert_geometry(play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL), known, x, height, "laser:0",
                        "base");
        play_destroy(p);
    }
}

static const tp_devaddr laser0 = {.robot = BENCH_ROBOT, .interf = TP_LASER_CODE};

/* ---- Tests ----------------------------------------------------------------------------------- */

static void nobody_may_know_it(void **state)
{
    (void)state;
    check(NOT_SAID, NULL, TP_GEOMETRY_UNKNOWN, 0, 0);
    check(REFUSES_LATER, NULL, TP_GEOMETRY_UNKNOWN, 0, 0);
}

static void the_interfaces_own_question_tells_it(void **state)
{
    (void)state;
    check(ANSWERS, NULL, TP_GEOMETRY_MEASURED, 1, 6);
    check(ANSWERS_LATER, NULL, TP_GEOMETRY_MEASURED, 1, 6);
}

static void a_device_that_fails_to_answer_says_so(void **state)
{
    play *p = begin(&seated, REFUSES, NULL, 0);

    (void)state;
    play_assert_request_refused(p, TP_COMMON_REQ_GET_GEOMETRY, NULL, "the line is silent");
    play_destroy(p);
}

static void what_the_driver_has_set_goes_before_it(void **state)
{
    (void)state;
    check(SETS, NULL, TP_GEOMETRY_MEASURED, 7, 8);
}

static void the_configuration_goes_before_all_part_by_part(void **state)
{
    const tpi_place all = {
        .addr = laser0, .has_pose = true, .has_size = true, .pose = {.px = 20}, .size = {.sh = 21}};
    tpi_place part = all;

    (void)state;
    check(SETS, &all, TP_GEOMETRY_CONFIGURED, 20, 21);
    check(NOT_SAID, &all, TP_GEOMETRY_CONFIGURED, 20, 21);
    part.has_size = false;
    check(SETS, &part, TP_GEOMETRY_CONFIGURED, 20, 8);
    check(ANSWERS, &part, TP_GEOMETRY_CONFIGURED, 20, 6);
    check(ANSWERS_LATER, &part, TP_GEOMETRY_CONFIGURED, 20, 6);
    part = (tpi_place){.addr = laser0, .has_size = true, .size = {.sh = 21}};
    check(ANSWERS, &part, TP_GEOMETRY_CONFIGURED, 1, 21);
}

static void the_configuration_names_frames(void **state)
{
    const tpi_place places[] = {
        {.addr = {.robot = BENCH_ROBOT, .interf = TP_PTZ_CODE}, .frame = "other"},
        {.addr = laser0, .frame = "eye", .parent = "head"},
    };
    play *p = begin(&seated, ANSWERS, places, 2);
    const tp_laser_power_config on = {.state = 5};

    (void)state;
    assert_geometry(play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL), TP_GEOMETRY_MEASURED, 1, 6,
                    "eye", "head");
    play_request(p, TP_LASER_REQ_POWER, &on); /* the driver's names count less */
    assert_geometry(play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL), TP_GEOMETRY_MEASURED, 5, 0,
                    "eye", "head");
    play_destroy(p);
}

static void check_change(const tp_driver *driver)
{
    play *p = begin(driver, ANSWERS, NULL, 0);
    const tp_laser_power_config far = {.state = 9};
    const tp_laser_power_config farther = {.state = 10};

    play_request(p, TP_LASER_REQ_POWER, &far);
    assert_geometry(play_last(p, TP_COMMON_DATA_GEOMETRY), TP_GEOMETRY_MEASURED, 9, 0, "beam",
                    "mast");
    assert_geometry(play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL), TP_GEOMETRY_MEASURED, 9, 0,
                    "beam", "mast");
    play_request(p, TP_LASER_REQ_POWER, &far);
    assert_int_equal(p->r.counts[TP_COMMON_DATA_GEOMETRY], 1); /* no change, no news */
    play_request(p, TP_LASER_REQ_POWER, &farther);
    assert_int_equal(p->r.counts[TP_COMMON_DATA_GEOMETRY], 2);
    play_destroy(p);
}

static void readers_hear_when_it_changes(void **state)
{
    (void)state;
    check_change(&seated);
    check_change(&seated_on_loop);
}

/* ---- Player's own data ----------------------------------------------------------------------- */

static tp_status sitting_geom(tp_device *device, tp_ptz_geom *answer, tp_error *err)
{
    const struct seated *s = tp_instance_state(tp_device_instance(device));
    const tp_geometry noisy = {.known = TP_GEOMETRY_MEASURED, .pose = {.px = s->x + 100}};

    (void)err;
    answer->pos.px = s->x;
    return manner == SETS ? tp_device_set_geometry(device, &noisy) : TP_OK;
}

/* A request that moves the device. */
static tp_status sitting_generic(tp_device *device, const tp_ptz_req_control_mode *ask,
                                 tp_error *err)
{
    struct seated *s = tp_instance_state(tp_device_instance(device));
    const tp_geometry now = {.known = TP_GEOMETRY_MEASURED, .pose = {.px = ask->mode}};

    (void)err;
    s->x = ask->mode;
    return tp_device_set_geometry(device, &now);
}

static const tp_ptz_ops sitting_device = {.req_geom = sitting_geom,
                                          .req_control_mode = sitting_generic};

static tp_status sitting_init(tp_instance *self, tp_error *err)
{
    struct seated *s = tp_instance_state(self);

    return tp_offer(self, &tp_interface_ptz, NULL, &sitting_device, NULL, &s->device, err);
}

static const tp_driver_ops sitting_ops = {.init = sitting_init};
static const tp_driver sitting = {.abi = TP_DRIVER_ABI,
                                  .name = "sitting",
                                  .state_size = sizeof(struct seated),
                                  .ops = &sitting_ops};
static const tp_driver sitting_on_loop = {.abi = TP_DRIVER_ABI,
                                          .name = "sitting",
                                          .state_size = sizeof(struct seated),
                                          .ops = &sitting_ops,
                                          .flags = TP_DRIVER_ON_LOOP};

static void check_own_data(const tp_driver *driver, int how)
{
    play *p = play_begin(driver, "ptz:0", "");
    const tp_ptz_req_control_mode far = {.mode = 9};

    manner = how;
    play_request(p, TP_PTZ_REQ_CONTROL_MODE, &far);
    while (p->r.counts[TP_PTZ_DATA_GEOM] == 0) {
        tp_loop_turn(p->b.loop, true);
    }
    const tp_ptz_geom *told = play_last(p, TP_PTZ_DATA_GEOM);
    play_assert_near(told->pos.px, 9);
    if (how != SETS) {
        play_request(p, TP_PTZ_REQ_CONTROL_MODE, &far);
        play_request(p, TP_PTZ_REQ_CONTROL_MODE, &far);
    }
    assert_int_equal(p->r.counts[TP_PTZ_DATA_GEOM], 1); /* no change, no news */
    play_destroy(p);
}

static void plain_readers_hear_it_in_players_words(void **state)
{
    (void)state;
    check_own_data(&sitting, NOT_SAID);
    check_own_data(&sitting_on_loop, NOT_SAID);
    check_own_data(&sitting, SETS); /* it measures when it is asked: that does not go round */
}

static void nobody_hears_what_the_configuration_hides(void **state)
{
    const tpi_place all = {
        .addr = laser0, .has_pose = true, .has_size = true, .frame = "a", .parent = "b"};
    play *p = begin(&seated, NOT_SAID, &all, 1);
    const tp_laser_power_config far = {.state = 9};

    (void)state;
    p->r.counts[TP_COMMON_DATA_GEOMETRY] = 0;
    play_request(p, TP_LASER_REQ_POWER, &far); /* the first time it is known at all */
    play_request(p, TP_LASER_REQ_POWER, &far);
    assert_int_equal(p->r.counts[TP_COMMON_DATA_GEOMETRY], 0);
    play_destroy(p);
}

/* ---- Other drivers --------------------------------------------------------------------------- */

static void devices_with_a_handler_tell_it_too(void **state)
{
    play *p = play_create();

    (void)state;
    manner = ANSWERS;
    play_add(p, &seated, "laser:0", NULL, NULL);
    play_add(p, &tp_driver_passthrough, "laser:5", "laser:0", NULL);
    play_open(p);
    assert_geometry(play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL), TP_GEOMETRY_MEASURED, 1, 6,
                    "laser:0", "base");
    play_destroy(p);
}

static void who_refuses_every_request_does_not_know(void **state)
{
    play *p = play_begin(&tp_driver_dummy, "laser:0", NULL);
    play *q = play_begin(&tp_driver_dummy, "ptz:0", NULL);

    (void)state;
    assert_geometry(play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL), TP_GEOMETRY_UNKNOWN, 0, 0,
                    "laser:0", "base");
    assert_geometry(play_get(q, TP_COMMON_REQ_GET_GEOMETRY, NULL), TP_GEOMETRY_UNKNOWN, 0, 0,
                    "ptz:0", "base");
    play_destroy(p);
    play_destroy(q);
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
    assert_int_equal(status, TP_OK);
    *(bool *)context = true;
}

/* Player's clients would not know what to make of it. */
static void only_clients_that_know_of_it_hear(void **state)
{
    static const tp_session_limits limits = {100, 100, 100};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    play *p = begin(&seated_on_loop, ANSWERS, NULL, 0);
    const tp_laser_power_config far = {.state = 9};
    tp_session *plain = NULL;
    tp_session *ours = NULL;
    bool is_open[2] = {false, false};

    (void)state;
    assert_int_equal(
        tp_session_create(&plain, p->b.hub, BENCH_ROBOT, &limits, &events, &is_open[0], NULL),
        TP_OK);
    assert_int_equal(
        tp_session_create(&ours, p->b.hub, BENCH_ROBOT, &limits, &events, &is_open[1], NULL),
        TP_OK);
    tp_session_explain_failures(ours, true);
    tp_session_open(plain, p->device, TP_OPEN_MODE, &(tp_msghdr){0}, opened);
    tp_session_open(ours, p->device, TP_OPEN_MODE, &(tp_msghdr){0}, opened);
    assert_true(is_open[0] && is_open[1]);
    play_request(p, TP_LASER_REQ_POWER, &far);
    assert_int_equal(tp_session_waiting(plain), 0);
    assert_int_equal(tp_session_waiting(ours), 1);
    tp_session_destroy(plain);
    tp_session_destroy(ours);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_may_know_it),
        cmocka_unit_test(the_interfaces_own_question_tells_it),
        cmocka_unit_test(a_device_that_fails_to_answer_says_so),
        cmocka_unit_test(what_the_driver_has_set_goes_before_it),
        cmocka_unit_test(the_configuration_goes_before_all_part_by_part),
        cmocka_unit_test(the_configuration_names_frames),
        cmocka_unit_test(readers_hear_when_it_changes),
        cmocka_unit_test(plain_readers_hear_it_in_players_words),
        cmocka_unit_test(nobody_hears_what_the_configuration_hides),
        cmocka_unit_test(devices_with_a_handler_tell_it_too),
        cmocka_unit_test(who_refuses_every_request_does_not_know),
        cmocka_unit_test(only_clients_that_know_of_it_hear),
    };

    return cmocka_run_group_tests_name("src/device/geometry", tests, NULL, NULL);
}
