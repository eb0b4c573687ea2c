/* claim_test.c - movers, leases and ranks of a device that is nothing but a struct. */
#include "safety/safety.h"
#include "support/loop_bench.h"
#include "troupe/interfaces/position2d.h"

/* An instance on the loop with one device; what safety asks for leaves a letter. */
struct scene {
    struct bench *b; /* borrowed */
    tpi_panic *panic;
    tpi_instance_safety instance;
    tpi_device_safety device;
    tpi_order order;
    bool slow;          /* stops take their time */
    tpi_mover reported; /* that the last report is about */
};

static struct scene scene;

static bool runs(const tpi_instance_safety *instance)
{
    (void)instance;
    return true;
}

static void halt(tpi_device_safety *device, tp_halt how)
{
    (void)how;
    assert_ptr_equal(device, &scene.device);
    note(scene.b, 'H');
    if (scene.slow) {
        tpi_slow_stop_begin(device);
    }
}

static void report(tpi_device_safety *device, const tpi_mover *mover, tpi_leaving why)
{
    (void)device;
    scene.reported = *mover;
    note(scene.b, (char)('0' + why));
}

static void panic_changed(tpi_instance_safety *instance)
{
    (void)instance;
    note(scene.b, 'P');
}

static const tpi_safety_ops ops = {
    .runs = runs, .halt = halt, .report = report, .panic_changed = panic_changed};

static int begin(void **state)
{
    assert_int_equal(set_up(state), 0);
    scene = (struct scene){.b = *state};
    assert_int_equal(tpi_panic_create(&scene.panic, &scene.b->clock, NULL, NULL, NULL), TP_OK);
    tpi_safety_init(&scene.instance, &ops, scene.panic, scene.b->loop);
    tpi_safety_add(&scene.instance, &scene.device, "position2d:0", &tp_interface_position2d);
    assert_int_equal(tpi_stop_begin(&scene.instance, true, NULL), TP_OK);
    return 0;
}

static int end(void **state)
{
    tpi_stop_end(&scene.instance);
    tpi_panic_destroy(scene.panic);
    return tear_down(state);
}

static const tp_message *velocity(void)
{
    return tp_interface_message(&tp_interface_position2d, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL);
}

static const tp_message *request(uint8_t code)
{
    return tp_interface_message(&tp_interface_position2d, TP_KIND_REQUEST, code);
}

static tpi_claim claim_of(tpi_mover_kind kind, uint32_t id, int32_t rank)
{
    return (tpi_claim){.mover = {kind, id, kind == TPI_MOVER_CLIENT ? "a client" : "a driver"},
                       .lease_ns = 2 * TP_NS_PER_S,
                       .rank = rank,
                       .hold_ns = TP_NS_PER_S};
}

/* A command that is sent and carried out. */
static void move(const tpi_claim *claim)
{
    tpi_claim_take(&scene.device, velocity(), claim, tpi_panic_epoch(scene.panic), &scene.order);
    assert_false(tpi_stop_is_late(&scene.device, velocity(), &scene.order));
    tpi_stop_note(&scene.device, &scene.order.mover, TP_OK);
}

static void pass(int64_t time_ns)
{
    scene.b->now_ns += time_ns;
    turn(scene.b);
}

static void a_lease_ends_without_another_message(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    move(&claim);
    assert_true(tpi_claim_is_moved(&scene.device));
    assert_string_equal(scene.device.mover.label, "a client");
    pass(TP_NS_PER_S);
    tpi_claim_renew(&scene.device, &claim.mover, claim.lease_ns);
    pass(TP_NS_PER_S + TP_NS_PER_S / 2);
    assert_trace(scene.b, "");
    pass(TP_NS_PER_S);
    assert_trace(scene.b, "H0");
    assert_false(tpi_claim_is_moved(&scene.device));
}

/* A client and a driver may have the same number. */
static void movers_differ_by_kind_and_id(void **state)
{
    const tpi_claim client = claim_of(TPI_MOVER_CLIENT, 1, 0);
    const tpi_claim driver = claim_of(TPI_MOVER_DRIVER, 1, 0);

    (void)state;
    move(&client);
    tpi_claim_leave(&scene.device, &driver.mover, TPI_LEAVING_CLOSED);
    turn(scene.b);
    assert_trace(scene.b, "");
    tpi_claim_leave(&scene.device, &client.mover, TPI_LEAVING_CLOSED);
    turn(scene.b);
    assert_trace(scene.b, "H2");
    assert_false(tpi_mover_exists(&scene.device.mover));
}

/* A slow stop is reported when it has ended. Another mover may move the device by then. */
static void a_report_is_about_the_mover_that_was_stopped(void **state)
{
    const tpi_claim anna = claim_of(TPI_MOVER_CLIENT, 1, 0);
    const tpi_claim berta = claim_of(TPI_MOVER_CLIENT, 2, 0);
    tpi_claim_past past;

    (void)state;
    scene.slow = true;
    move(&anna);
    pass(3 * TP_NS_PER_S);
    assert_trace(scene.b, "H");
    tpi_claim_look_back(&scene.device, &anna.mover, &past);
    assert_string_equal(past.label, "a client");
    assert_int_equal(past.silent_ns, 3 * TP_NS_PER_S);
    assert_false(past.ran_out);
    move(&berta);
    assert_true(tpi_slow_stop_end(&scene.device));
    assert_trace(scene.b, "0");
    assert_true(tpi_mover_equal(&scene.reported, &anna.mover));
    tpi_claim_look_back(&scene.device, &scene.reported, &past);
    assert_null(past.label); /* that of another one now */
}

static void a_lower_rank_waits_for_the_hold_time(void **state)
{
    const tpi_claim joystick = claim_of(TPI_MOVER_CLIENT, 1, 5);
    const tpi_claim planner = claim_of(TPI_MOVER_DRIVER, 1, 2);
    tp_error err = {0};

    (void)state;
    move(&joystick);
    assert_int_equal(tpi_claim_check(&scene.device, velocity(), &planner, &err), TP_E_DENIED);
    assert_string_equal(err.text,
                        "position2d:0 is held by a client, rank 5 over 2, for another 1.0 s");
    assert_int_equal(tpi_claim_check(&scene.device, velocity(), &joystick, &err), TP_OK);
    pass(TP_NS_PER_S);
    assert_int_equal(tpi_claim_check(&scene.device, velocity(), &planner, &err), TP_OK);
}

static void a_panic_stops_it_and_makes_commands_late(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_SERVER, 1, 0);
    tpi_order waiting;

    (void)state;
    move(&claim);
    tpi_claim_take(&scene.device, velocity(), &claim, tpi_panic_epoch(scene.panic), &waiting);
    tpi_panic_raise(scene.panic, "anna", "smoke");
    assert_true(tpi_stop_is_owed(&scene.instance));
    assert_false(tpi_stop_may_write(&scene.instance));
    tpi_stop_serve(&scene.instance);
    assert_trace(scene.b, "PH");
    assert_false(tpi_stop_is_owed(&scene.instance));
    assert_true(tpi_stop_is_late(&scene.device, velocity(), &waiting));
    assert_false(tpi_claim_is_moved(&scene.device));
}

static bool is_late(const tp_message *what, const tpi_order *order)
{
    return tpi_stop_is_late(&scene.device, what, order);
}

/* MOTOR_POWER actuates: whoever sends it, the lease stays with its mover. */
static void a_message_that_actuates_takes_no_lease(void **state)
{
    const tpi_claim mover = claim_of(TPI_MOVER_CLIENT, 1, 0);
    const tpi_claim other = claim_of(TPI_MOVER_CLIENT, 2, 0);
    const tp_message *power = request(TP_POSITION2D_REQ_MOTOR_POWER);

    (void)state;
    tpi_claim_take(&scene.device, power, &other, tpi_panic_epoch(scene.panic), &scene.order);
    assert_false(is_late(power, &scene.order));
    assert_false(tpi_claim_is_moved(&scene.device));
    move(&mover);
    tpi_claim_take(&scene.device, power, &other, tpi_panic_epoch(scene.panic), &scene.order);
    assert_true(tpi_mover_equal(&scene.device.mover, &mover.mover));
    pass(3 * TP_NS_PER_S);
    assert_trace(scene.b, "H0");
}

static void a_message_that_actuates_gets_too_old(void **state)
{
    const tp_message *power = request(TP_POSITION2D_REQ_MOTOR_POWER);
    tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    tpi_claim_take(&scene.device, power, &claim, tpi_panic_epoch(scene.panic), &scene.order);
    pass(2 * TP_NS_PER_S - 1);
    assert_false(is_late(power, &scene.order));
    pass(1);
    assert_true(is_late(power, &scene.order));
    claim.valid_ns = TP_NS_PER_S;
    tpi_claim_take(&scene.device, power, &claim, tpi_panic_epoch(scene.panic), &scene.order);
    pass(TP_NS_PER_S);
    assert_true(is_late(power, &scene.order));
    claim = (tpi_claim){.until_ns = scene.b->now_ns + 5};
    tpi_claim_take(&scene.device, power, &claim, tpi_panic_epoch(scene.panic), &scene.order);
    pass(4);
    assert_false(is_late(power, &scene.order));
    pass(1);
    assert_true(is_late(power, &scene.order));
}

static void a_panic_makes_messages_late_that_actuate(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);
    const tp_message *power = request(TP_POSITION2D_REQ_MOTOR_POWER);
    const tp_message *reset = request(TP_POSITION2D_REQ_RESET_ODOM);
    const tp_message *geometry = request(TP_POSITION2D_REQ_GET_GEOM);

    (void)state;
    tpi_claim_take(&scene.device, power, &claim, tpi_panic_epoch(scene.panic), &scene.order);
    tpi_panic_raise(scene.panic, "anna", "smoke");
    assert_true(is_late(power, &scene.order));
    assert_false(is_late(reset, &scene.order));
    scene.device.actuates = true; /* as the configuration can say */
    assert_int_equal(tpi_safety_effect(&scene.device, velocity()), TP_EFFECT_MOVES);
    assert_true(is_late(reset, &scene.order));
    assert_false(is_late(geometry, &scene.order));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_lease_ends_without_another_message, begin, end),
        cmocka_unit_test_setup_teardown(movers_differ_by_kind_and_id, begin, end),
        cmocka_unit_test_setup_teardown(a_report_is_about_the_mover_that_was_stopped, begin, end),
        cmocka_unit_test_setup_teardown(a_lower_rank_waits_for_the_hold_time, begin, end),
        cmocka_unit_test_setup_teardown(a_panic_stops_it_and_makes_commands_late, begin, end),
        cmocka_unit_test_setup_teardown(a_message_that_actuates_takes_no_lease, begin, end),
        cmocka_unit_test_setup_teardown(a_message_that_actuates_gets_too_old, begin, end),
        cmocka_unit_test_setup_teardown(a_panic_makes_messages_late_that_actuate, begin, end),
    };

    return cmocka_run_group_tests_name("claim", tests, NULL, NULL);
}
