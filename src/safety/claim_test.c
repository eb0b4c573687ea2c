/* claim_test.c - movers, leases and ranks of a device that is nothing but a struct. */
#include "safety/rank.h"
#include "safety/scene_test.h"

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

/* A driver may move other devices for them: of its own devices those that move count. */
static void it_may_be_silent_as_long_as_the_shortest_lease_of_those_it_moves_for(void **state)
{
    tpi_device_safety other = {0};
    tpi_claim hasty = claim_of(TPI_MOVER_CLIENT, 1, 0);
    const tpi_claim endless = claim_of(TPI_MOVER_CLIENT, 2, 0);

    (void)state;
    tpi_safety_add(&scene.instance, &other, "position2d:1", &tp_interface_position2d);
    assert_int_equal(tpi_safety_silence_ns(&scene.instance, NULL), 0);
    hasty.silence_ns = TP_NS_PER_S / 4;
    tpi_claim_take(&scene.device, velocity(), &hasty, tpi_panic_epoch(scene.panic), &scene.order);
    assert_int_equal(tpi_safety_silence_ns(&scene.instance, NULL), 0);
    assert_int_equal(tpi_safety_silence_ns(&scene.instance, &scene.device), TP_NS_PER_S / 4);
    tpi_stop_note(&scene.device, &scene.order.mover, TP_OK);
    assert_int_equal(tpi_safety_silence_ns(&scene.instance, &other), TP_NS_PER_S / 4);
    pass(3 * TP_NS_PER_S);
    assert_trace(scene.b, "H0");
    assert_int_equal(tpi_safety_silence_ns(&scene.instance, NULL), 0);
    move(&endless);
    assert_int_equal(tpi_safety_silence_ns(&scene.instance, NULL), 0);
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

/* A server that forwards its panic asks each device; one that has stopped is not stopped again. */
static void a_panic_that_is_forwarded_stops_once(void **state)
{
    (void)state;
    tpi_panic_raise(scene.panic, "anna", "smoke");
    ask_to_halt(TP_HALT_SO_OWN);
    assert_trace(scene.b, "PH");
    ask_to_halt(TP_HALT_SO_OWN);
    ask_to_halt(TP_HALT_SO_BRAKE); /* the way of this server's panic */
    assert_trace(scene.b, "");
    assert_int_equal(scene.how, TP_HALT_BRAKE);
    ask_to_halt(TP_HALT_SO_FINISH);
    assert_trace(scene.b, "H");
    assert_int_equal(scene.how, TP_HALT_FINISH);
    ask_to_halt(TP_HALT_SO_OWN + 1);
    assert_true(tpi_panic_reset(scene.panic, tpi_panic_epoch(scene.panic)));
    ask_to_halt(TP_HALT_SO_BRAKE); /* without a panic each request counts */
    ask_to_halt(TP_HALT_SO_BRAKE);
    assert_trace(scene.b, "HH");
}

/* To the nanosecond: at that time it is too late. */
static void a_command_has_an_end(void **state)
{
    tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    claim.until_ns = scene.b->now_ns + TP_NS_PER_S;
    tpi_claim_take(&scene.device, velocity(), &claim, 0, &scene.order);
    scene.b->now_ns += TP_NS_PER_S - 1;
    assert_false(tpi_stop_is_late(&scene.device, velocity(), &scene.order));
    scene.b->now_ns++;
    assert_true(tpi_stop_is_late(&scene.device, velocity(), &scene.order));
    claim.until_ns = scene.b->now_ns + 9 * TP_NS_PER_S; /* which is longer than its lease */
    tpi_claim_take(&scene.device, velocity(), &claim, 0, &scene.order);
    scene.b->now_ns += claim.lease_ns;
    assert_true(tpi_stop_is_late(&scene.device, velocity(), &scene.order));
}

static void only_its_mover_renews_a_lease(void **state)
{
    const tpi_claim anna = claim_of(TPI_MOVER_CLIENT, 1, 0);
    const tpi_claim berta = claim_of(TPI_MOVER_CLIENT, 2, 0);

    (void)state;
    move(&anna);
    pass(TP_NS_PER_S);
    tpi_claim_renew(&scene.device, &berta.mover, berta.lease_ns);
    pass(TP_NS_PER_S);
    assert_trace(scene.b, "H0");
    tpi_claim_renew(&scene.device, &anna.mover, anna.lease_ns); /* it has ended */
    assert_int_equal(tpi_safety_deadline_ns(&scene.instance), TP_NEVER);
}

static void a_list_of_ranks_is_for_one_section(void **state)
{
    const tpi_rank ranks[] = {{.rank = 1, .section = 3}, {.rank = 1, .section = 4}};
    tpi_rank_list list = {.ranks = ranks, .count = 1, .section = 3};

    (void)state;
    assert_true(tpi_rank_is_configured(&list));
    list.section = 4;
    assert_false(tpi_rank_is_configured(&list));
    list.count = 2;
    assert_true(tpi_rank_is_configured(&list));
    list.count = 0;
    assert_false(tpi_rank_is_configured(&list));
}

/* ---- What is odd ----------------------------------------------------------------------------- */

static void the_longest_lease_has_no_end(void **state)
{
    tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    claim.lease_ns = INT64_MAX;
    claim.mover.label = NULL; /* nobody can be told its name */
    move(&claim);
    pass(1000 * TP_NS_PER_S);
    assert_true(tpi_claim_is_moved(&scene.device));
    assert_int_equal(tpi_safety_deadline_ns(&scene.instance), TP_NEVER);
    assert_string_equal(scene.device.label, "");
    assert_trace(scene.b, "");
}

static void a_lease_that_is_over_has_no_time_left(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    move(&claim);
    assert_true(tpi_claim_lease_left_s(&scene.device) > 1.9);
    scene.b->now_ns += claim.lease_ns; /* and the instance has not noticed it yet */
    assert_true(tpi_claim_lease_left_s(&scene.device) == 0);
    assert_false(tpi_claim_is_moved(&scene.device));
    turn(scene.b);
    assert_true(tpi_claim_lease_left_s(&scene.device) == 0);
}

static void a_grant_without_a_limit_holds_until_it_ends(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_DRIVER, 1, 5);
    const tpi_claim lower = claim_of(TPI_MOVER_CLIENT, 1, 2);
    tpi_lease granted;

    (void)state;
    tpi_lease_init(&granted);
    tpi_lease_extend(&granted, TPI_LEASE_UNLIMITED);
    tpi_claim_grant(&scene.device, &claim, 0, &granted);
    scene.b->now_ns += 10 * TP_NS_PER_S;
    assert_true(tpi_claim_rank_left_s(&scene.device) > 0.9);
    assert_int_equal(tpi_claim_check(&scene.device, velocity(), &lower, NULL), TP_E_DENIED);
    tpi_claim_end_grant(&scene.device);
    assert_true(tpi_claim_rank_left_s(&scene.device) == 0);
    assert_int_equal(tpi_claim_check(&scene.device, velocity(), &lower, NULL), TP_OK);
}

static void a_mover_is_dropped_without_a_stop(void **state)
{
    const tpi_claim anna = claim_of(TPI_MOVER_CLIENT, 1, 0);
    const tpi_claim berta = claim_of(TPI_MOVER_CLIENT, 2, 0);

    (void)state;
    move(&anna);
    tpi_claim_drop(&scene.device, &berta.mover);
    assert_true(tpi_claim_is_moved(&scene.device));
    tpi_claim_drop(&scene.device, &anna.mover);
    assert_false(tpi_claim_is_moved(&scene.device));
    turn(scene.b);
    assert_trace(scene.b, "");
}

static void only_stops_are_written_in_a_panic(void **state)
{
    (void)state;
    assert_true(tpi_stop_may_write(&scene.instance));
    tpi_panic_raise(scene.panic, "anna", "smoke");
    assert_false(tpi_stop_may_write(&scene.instance));
    tpi_stop_whole_begin(&scene.instance);
    assert_true(tpi_stop_may_write(&scene.instance));
    tpi_stop_whole_end(&scene.instance);
    assert_false(tpi_stop_may_write(&scene.instance));
    scene.instance.moves = false; /* none of its devices moves anything */
    assert_true(tpi_stop_may_write(&scene.instance));
    assert_false(tpi_stop_is_owed(&scene.instance));
}

static void what_one_mover_does_is_stopped(void **state)
{
    const tpi_claim anna = claim_of(TPI_MOVER_CLIENT, 1, 0);
    const tpi_claim berta = claim_of(TPI_MOVER_CLIENT, 2, 0);

    (void)state;
    tpi_stop_mover(&scene.device, &anna.mover, TPI_LEAVING_CLOSED); /* which stands */
    tpi_stop_others(&scene.device, &anna.mover);
    move(&anna);
    tpi_stop_mover(&scene.device, &berta.mover, TPI_LEAVING_CLOSED);
    tpi_stop_others(&scene.device, &anna.mover);
    assert_trace(scene.b, "");
    tpi_stop_others(&scene.device, &berta.mover);
    assert_trace(scene.b, "H");
    move(&anna);
    tpi_stop_mover(&scene.device, &anna.mover, TPI_LEAVING_CLOSED);
    assert_trace(scene.b, "H2");
}

/* The driver answers a command later, and refuses it. */
static void a_late_refusal_stops_what_another_has_moved(void **state)
{
    const tpi_claim anna = claim_of(TPI_MOVER_CLIENT, 1, 0);
    const tpi_claim berta = claim_of(TPI_MOVER_CLIENT, 2, 0);
    tpi_order order;

    (void)state;
    tpi_claim_take(&scene.device, velocity(), &anna, 0, &order);
    tpi_stop_settle(&scene.device, &order, TP_E_DEVICE); /* it was answered at once */
    tpi_stop_defer(&scene.device, &order);
    tpi_stop_settle(&scene.device, &order, TP_E_DEVICE); /* nobody else has moved it */
    turn(scene.b);
    assert_trace(scene.b, "");
    tpi_stop_settle(&scene.device, &order, TP_OK);
    tpi_claim_take(&scene.device, velocity(), &berta, 0, &order);
    tpi_stop_defer(&scene.device, &order);
    tpi_stop_settle(&scene.device, &order, TP_E_DEVICE);
    turn(scene.b);
    assert_trace(scene.b, "H");
    tpi_stop_settle(&scene.device, &order, TP_E_DEVICE); /* it stands */
    move(&anna);
    tpi_stop_settle(&scene.device, &order, TP_E_DEVICE); /* it was moved since */
    turn(scene.b);
    assert_trace(scene.b, "");
}

/* An instance that is not started has neither a timer nor a bell. */
static void an_instance_without_a_timer_is_not_woken(void **state)
{
    const tpi_claim claim = claim_of(TPI_MOVER_CLIENT, 1, 0);

    (void)state;
    move(&claim);
    tpi_stop_end(&scene.instance);
    tpi_claim_leave(&scene.device, &claim.mover, TPI_LEAVING_CLOSED);
    turn(scene.b);
    assert_trace(scene.b, "");
    tpi_stop_serve(&scene.instance);
    assert_trace(scene.b, "H2");
}

/* A server that has its own way forwards it, and is asked for it. */
static void the_own_way_counts_for_forwarded_panics(void **state)
{
    (void)state;
    scene.instance.own_way = true;
    scene.instance.way = TP_HALT_HOLD;
    tpi_panic_raise(scene.panic, "anna", "smoke");
    ask_to_halt(TP_HALT_SO_HOLD);
    assert_trace(scene.b, "PH");
    assert_int_equal(scene.how, TP_HALT_HOLD);
    ask_to_halt(TP_HALT_SO_BRAKE);
    assert_trace(scene.b, "H");
    assert_int_equal(scene.how, TP_HALT_BRAKE);
}

/* A section of its own may say otherwise than the first one of the instance. */
static void the_way_of_the_device_counts_before_that_of_the_instance(void **state)
{
    (void)state;
    scene.instance.own_way = scene.device.own_way = true;
    scene.instance.way = TP_HALT_HOLD;
    scene.device.way = TP_HALT_FINISH;
    tpi_panic_raise(scene.panic, "anna", "smoke");
    ask_to_halt(TP_HALT_SO_FINISH);
    assert_trace(scene.b, "PH");
    assert_int_equal(scene.how, TP_HALT_FINISH);
}

static int32_t rank_at(const tpi_rank *rank, const tpi_writer *writer)
{
    const tpi_rank_list list = {.ranks = rank, .count = 1};
    tpi_claim claim = {0};

    tpi_rank_choose(&list, writer, &claim);
    return claim.rank;
}

static void hosts_are_compared_without_their_ports(void **state)
{
    static const struct {
        const char *host, *address;
        int32_t rank;
    } cases[] = {{"10.0.0.7", "10.0.0.7:5000", 1},
                 {"10.0.0.7", "10.0.0.70:5000", 0},
                 {"::1", "[::1]:5000", 1},
                 {"unix", "unix", 1},
                 {"[", "[:5000", 1},
                 {"[a", "[a:5000", 1},
                 {"a]", "a]:5000", 1},
                 {"", ":5000", 1},
                 {"", "[]:5000", 1}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tpi_rank rank = {.host = cases[i].host, .rank = 1};
        const tpi_writer writer = {.client = "", .address = cases[i].address, .key = ""};
        assert_int_equal(rank_at(&rank, &writer), cases[i].rank);
    }
}

static void ranks_of_clients_are_not_those_of_drivers(void **state)
{
    const tpi_writer driver = {.driver = "vfh", .instance = "vfh0"};
    const tpi_writer client = {.client = "vfh", .address = "unix", .key = "vfh"};

    (void)state;
    assert_int_equal(rank_at(&(tpi_rank){.rank = 1}, &driver), 1);
    assert_int_equal(rank_at(&(tpi_rank){.driver = "vfh", .rank = 1}, &driver), 1);
    assert_int_equal(rank_at(&(tpi_rank){.driver = "vfh0", .rank = 1}, &driver), 1);
    assert_int_equal(rank_at(&(tpi_rank){.driver = "vfh1", .rank = 1}, &driver), 0);
    assert_int_equal(rank_at(&(tpi_rank){.client = "vfh", .rank = 1}, &driver), 0);
    assert_int_equal(rank_at(&(tpi_rank){.host = "unix", .rank = 1}, &driver), 0);
    assert_int_equal(rank_at(&(tpi_rank){.key = "vfh", .rank = 1}, &driver), 0);
    assert_int_equal(rank_at(&(tpi_rank){.driver = "vfh", .rank = 1}, &client), 0);
    assert_int_equal(rank_at(&(tpi_rank){.client = "vfh", .key = "vfh", .rank = 1}, &client), 1);
    assert_int_equal(rank_at(&(tpi_rank){.client = "vfh", .key = "x", .rank = 1}, &client), 0);
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
        cmocka_unit_test_setup_teardown(
            it_may_be_silent_as_long_as_the_shortest_lease_of_those_it_moves_for, begin, end),
        cmocka_unit_test_setup_teardown(movers_differ_by_kind_and_id, begin, end),
        cmocka_unit_test_setup_teardown(a_report_is_about_the_mover_that_was_stopped, begin, end),
        cmocka_unit_test_setup_teardown(a_lower_rank_waits_for_the_hold_time, begin, end),
        cmocka_unit_test_setup_teardown(a_panic_stops_it_and_makes_commands_late, begin, end),
        cmocka_unit_test_setup_teardown(a_panic_that_is_forwarded_stops_once, begin, end),
        cmocka_unit_test_setup_teardown(a_command_has_an_end, begin, end),
        cmocka_unit_test_setup_teardown(only_its_mover_renews_a_lease, begin, end),
        cmocka_unit_test_setup_teardown(a_list_of_ranks_is_for_one_section, begin, end),
        cmocka_unit_test_setup_teardown(the_longest_lease_has_no_end, begin, end),
        cmocka_unit_test_setup_teardown(a_lease_that_is_over_has_no_time_left, begin, end),
        cmocka_unit_test_setup_teardown(a_grant_without_a_limit_holds_until_it_ends, begin, end),
        cmocka_unit_test_setup_teardown(a_mover_is_dropped_without_a_stop, begin, end),
        cmocka_unit_test_setup_teardown(only_stops_are_written_in_a_panic, begin, end),
        cmocka_unit_test_setup_teardown(what_one_mover_does_is_stopped, begin, end),
        cmocka_unit_test_setup_teardown(a_late_refusal_stops_what_another_has_moved, begin, end),
        cmocka_unit_test_setup_teardown(an_instance_without_a_timer_is_not_woken, begin, end),
        cmocka_unit_test_setup_teardown(the_own_way_counts_for_forwarded_panics, begin, end),
        cmocka_unit_test_setup_teardown(the_way_of_the_device_counts_before_that_of_the_instance,
                                        begin, end),
        cmocka_unit_test_setup_teardown(hosts_are_compared_without_their_ports, begin, end),
        cmocka_unit_test_setup_teardown(ranks_of_clients_are_not_those_of_drivers, begin, end),
        cmocka_unit_test_setup_teardown(a_message_that_actuates_takes_no_lease, begin, end),
        cmocka_unit_test_setup_teardown(a_message_that_actuates_gets_too_old, begin, end),
        cmocka_unit_test_setup_teardown(a_panic_makes_messages_late_that_actuate, begin, end),
    };

    return cmocka_run_group_tests_name("claim", tests, NULL, NULL);
}
