/* order_test.c - commands and stops, one at a time, to the last detail. */
#include "safety/scene_test.h"
#include "troupe/interfaces/laser.h"

/* ---- Commands -------------------------------------------------------------------------------- */

/* The label of a client is gone when the client is. */
static void a_device_keeps_the_label_of_its_mover(void **state)
{
    char label[] = "x";
    tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);
    tpi_claim_past past;

    (void)state;
    claim.mover.label = label;
    move(&claim);
    label[0] = '?';
    assert_string_equal(scene.device.mover.label, "x");
    tpi_claim_look_back(&scene.device, &claim.mover, &past);
    assert_string_equal(past.label, "x"); /* one letter is a label */
}

static void a_command_of_nobody_ends_the_turn_of_its_mover(void **state)
{
    const tpi_claim anna = claim_of(TPI_MOVER_CLIENT, 1, 0);
    tpi_claim nobody = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    nobody.mover = (tpi_mover){0};
    move(&anna);
    move(&nobody);
    assert_false(tpi_mover_exists(&scene.device.mover));
}

/* Whatever renews the lease, the first command is as old as it is. */
static void a_command_is_no_younger_than_the_next_one(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);
    tpi_order first;

    (void)state;
    tpi_claim_take(&scene.device, velocity(), &claim, 0, &first);
    assert_int_equal(first.until_ns, scene.b->now_ns + claim.lease_ns);
    pass(TP_NS_PER_S);
    move(&claim);
    pass(TP_NS_PER_S);
    assert_true(tpi_stop_is_late(&scene.device, velocity(), &first));
    assert_false(tpi_stop_is_late(&scene.device, velocity(), &scene.order));
}

static void a_lease_that_is_as_long_as_the_command_does_not_run_out(void **state)
{
    tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);
    tpi_claim_past past;

    (void)state;
    claim.valid_ns = claim.lease_ns;
    move(&claim);
    tpi_claim_look_back(&scene.device, &claim.mover, &past);
    assert_false(past.ran_out);
    claim.valid_ns = claim.lease_ns - 1;
    move(&claim);
    tpi_claim_look_back(&scene.device, &claim.mover, &past);
    assert_true(past.ran_out);
}

/* Why one mover has left says nothing about the next one. */
static void the_next_mover_is_silent_on_its_own_account(void **state)
{
    const tpi_claim anna = claim_of(TPI_MOVER_CLIENT, 1, 0);
    const tpi_claim berta = claim_of(TPI_MOVER_CLIENT, 2, 0);

    (void)state;
    move(&anna);
    tpi_claim_leave(&scene.device, &anna.mover, TPI_LEAVING_CLOSED);
    turn(scene.b);
    assert_trace(scene.b, "H2");
    assert_int_equal(scene.reason, TP_HALT_LEFT);
    move(&berta);
    pass(2 * TP_NS_PER_S);
    assert_trace(scene.b, "H0");
    assert_int_equal(scene.reason, TP_HALT_SILENT);
}

static void a_stop_by_others_is_reported_again_after_a_move(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    scene.device.halt_reported = true;
    move(&claim);
    assert_false(scene.device.halt_reported);
}

static void what_is_stopped_as_a_whole_is_not_moved(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    move(&claim);
    assert_true(tpi_claim_is_moved(&scene.device));
    tpi_claim_stopped_whole(&scene.device);
    assert_false(tpi_claim_is_moved(&scene.device));
    tpi_stop_whole_begin(&scene.instance);
    tpi_stop_whole_end(&scene.instance);
    tpi_claim_leave(&scene.device, &claim.mover, TPI_LEAVING_CLOSED);
    turn(scene.b);
    assert_trace(scene.b, "H"); /* it stood: there is nothing to report */
}

/* ---- Stops ----------------------------------------------------------------------------------- */

static void a_panic_stops_all_that_moves_and_nothing_else(void **state)
{
    tpi_device_safety laser = {0};
    tpi_device_safety other = {0};

    (void)state;
    tpi_safety_add(&scene.instance, &laser, "laser:0", &tp_interface_laser);
    tpi_safety_add(&scene.instance, &other, "position2d:1", &tp_interface_position2d);
    assert_false(laser.moves);
    tpi_stop_serve(&scene.instance);
    assert_trace(scene.b, ""); /* none has a lease that could be over */
    tpi_panic_raise(scene.panic, "anna", "smoke");
    tpi_stop_serve(&scene.instance);
    assert_trace(scene.b, "PHH");
    assert_int_equal(scene.reason, TP_HALT_PANIC);
    assert_int_equal(scene.way, TP_HALT_SO_OWN);
    assert_int_equal(tpi_safety_deadline_ns(&scene.instance), TP_NEVER);
}

static void a_forwarded_panic_is_a_panic(void **state)
{
    (void)state;
    tpi_panic_raise(scene.panic, "anna", "smoke");
    ask_to_halt(TP_HALT_SO_FINISH);
    assert_trace(scene.b, "PHH"); /* in this server's way, and as it was asked for */
    assert_int_equal(scene.reason, TP_HALT_PANIC);
    assert_int_equal(scene.way, TP_HALT_SO_FINISH);
    assert_true(tpi_panic_reset(scene.panic, tpi_panic_epoch(scene.panic)));
    ask_to_halt(TP_HALT_SO_HOLD);
    assert_int_equal(scene.reason, TP_HALT_ASKED);
    assert_int_equal(scene.way, TP_HALT_SO_HOLD);
}

static void a_panic_goes_before_the_end_of_a_lease(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    move(&claim);
    tpi_panic_raise(scene.panic, "anna", "smoke");
    pass(2 * TP_NS_PER_S);
    assert_trace(scene.b, "PHH"); /* no report: the panic has stopped it */
}

static void the_end_of_a_lease_goes_before_a_stop_that_is_due(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    move(&claim);
    scene.device.stop_due = true;
    pass(2 * TP_NS_PER_S);
    assert_trace(scene.b, "H0H");
}

static void what_is_answered_later_can_be_stopped_before(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    tpi_claim_take(&scene.device, velocity(), &claim, 0, &scene.order);
    tpi_stop_defer(&scene.device, &scene.order);
    tpi_stop_mover(&scene.device, &claim.mover, TPI_LEAVING_FORBIDDEN);
    assert_trace(scene.b, "H3");
}

/* A stop that was asked for, not one that ends a motion. */
static void a_slow_stop_without_a_motion_reports_nothing(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    tpi_slow_stop_begin(&scene.device);
    assert_true(tpi_slow_stop_end(&scene.device));
    assert_trace(scene.b, "");
    scene.slow = true;
    move(&claim);
    pass(2 * TP_NS_PER_S);
    tpi_stop_whole_begin(&scene.instance);
    tpi_stop_whole_end(&scene.instance); /* stands, so nobody waits for the report any more */
    tpi_slow_stop_begin(&scene.device);
    assert_true(tpi_slow_stop_end(&scene.device));
    assert_trace(scene.b, "H");
    move(&claim);
    pass(2 * TP_NS_PER_S);
    assert_true(tpi_slow_stop_end(&scene.device));
    assert_trace(scene.b, "H0");
    tpi_slow_stop_begin(&scene.device); /* the next one has no report of its own */
    assert_true(tpi_slow_stop_end(&scene.device));
    assert_trace(scene.b, "");
}

/* ---- Instances ------------------------------------------------------------------------------- */

static void an_instance_owes_nothing_for_a_panic_before_it(void **state)
{
    tpi_instance_safety later = {0};
    tpi_device_safety device = {0};

    (void)state;
    tpi_panic_raise(scene.panic, "anna", "smoke");
    tpi_safety_init(&later, &ops, scene.panic, scene.b->loop);
    tpi_safety_add(&later, &device, "position2d:1", &tp_interface_position2d);
    assert_false(tpi_stop_is_owed(&later));
    tpi_stop_serve(&later);
    assert_trace(scene.b, "");
    assert_true(tpi_stop_is_owed(&scene.instance));
}

static bool rings(const tpi_bell *bell)
{
    const bool rung = tpi_wait(&bell->fd, 1, 0) == 1;

    tpi_bell_silence(bell);
    return rung;
}

/* Each time it wakes up for nothing, it takes time from others. */
static void a_thread_is_woken_for_an_earlier_end_only(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);
    tpi_bell bell;

    (void)state;
    tpi_stop_end(&scene.instance);
    assert_int_equal(tpi_bell_init(&bell, NULL), TP_OK);
    tpi_safety_attach(&scene.instance, &bell, false);
    move(&claim);
    assert_false(rings(&bell));
    tpi_claim_renew(&scene.device, &claim.mover, claim.lease_ns);
    assert_false(rings(&bell));
    tpi_claim_renew(&scene.device, &claim.mover, claim.lease_ns + 1);
    assert_false(rings(&bell));
    tpi_claim_renew(&scene.device, &claim.mover, claim.lease_ns);
    assert_true(rings(&bell));
    tpi_safety_detach(&scene.instance);
    tpi_claim_leave(&scene.device, &claim.mover, TPI_LEAVING_CLOSED);
    assert_false(rings(&bell));
    tpi_bell_fini(&bell);
}

#define SCENE_TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

static void what_was_lost_owes_its_stop_until_it_is_written(void **state)
{
    (void)state;
    tpi_stop_lost(&scene.instance);
    assert_true(tpi_stop_is_lost(&scene.instance));
    tpi_stop_returned(&scene.instance);
    assert_false(tpi_stop_is_lost(&scene.instance));
    tpi_stop_lost(&scene.instance);
    scene.how = TP_HALT_FINISH;
    tpi_stop_again(&scene.instance);
    assert_int_equal(scene.how, TP_HALT_BRAKE);
    assert_int_equal(scene.reason, TP_HALT_LEFT);
    assert_false(tpi_stop_is_lost(&scene.instance));
    tpi_stop_lost(&scene.instance);
    tpi_panic_raise(scene.panic, "anna", "test");
    scene.how = TP_HALT_FINISH;
    tpi_stop_again(&scene.instance); /* a panic lets it pass: halt() checks that */
    assert_int_equal(scene.how, TP_HALT_BRAKE);
    assert_int_equal(scene.reason, TP_HALT_PANIC);
    assert_false(tpi_stop_is_lost(&scene.instance));
    tpi_stop_serve(&scene.instance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(a_device_keeps_the_label_of_its_mover),
        SCENE_TEST(a_command_of_nobody_ends_the_turn_of_its_mover),
        SCENE_TEST(a_command_is_no_younger_than_the_next_one),
        SCENE_TEST(a_lease_that_is_as_long_as_the_command_does_not_run_out),
        SCENE_TEST(the_next_mover_is_silent_on_its_own_account),
        SCENE_TEST(a_stop_by_others_is_reported_again_after_a_move),
        SCENE_TEST(what_is_stopped_as_a_whole_is_not_moved),
        SCENE_TEST(a_panic_stops_all_that_moves_and_nothing_else),
        SCENE_TEST(a_forwarded_panic_is_a_panic),
        SCENE_TEST(a_panic_goes_before_the_end_of_a_lease),
        SCENE_TEST(the_end_of_a_lease_goes_before_a_stop_that_is_due),
        SCENE_TEST(what_is_answered_later_can_be_stopped_before),
        SCENE_TEST(a_slow_stop_without_a_motion_reports_nothing),
        SCENE_TEST(an_instance_owes_nothing_for_a_panic_before_it),
        SCENE_TEST(a_thread_is_woken_for_an_earlier_end_only),
        SCENE_TEST(what_was_lost_owes_its_stop_until_it_is_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
