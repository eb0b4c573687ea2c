/* power_test.c - batteries: what is drawn and what is charged. */
#include "sim/move/actuators.h"

#include "support/sim.h"

static tpi_sim_battery look(const tpi_sim *sim, const char *name)
{
    tpi_sim_battery battery;

    assert_int_equal(tpi_sim_get_battery(sim, sim_named(sim, name), &battery, NULL), TP_OK);
    return battery;
}

static void what_is_used_draws_power(void **state)
{
    tpi_sim *sim = sim_make("interval_sim 50\n"
                            "position( name \"r\" mass 2 joules 1000 watts 3\n"
                            "  ranger( name \"eye\" sensor() sensor() ) )\n");
    const double goal[] = {0.5, 0, 0};

    (void)state;
    sim_steps(sim, 20);
    sim_assert_near(look(sim, "r").stored, 1000, 0);
    tpi_sim_subscribe(sim, sim_named(sim, "r"));
    tpi_sim_subscribe(sim, sim_named(sim, "r.eye"));
    sim_steps(sim, 20); /* a second: 3 W, 1 W for the motors, twice 0.2 W */
    sim_assert_near(look(sim, "r").watts, 4.4, 1e-9);
    sim_assert_near(look(sim, "r.eye").stored, 1000 - 4.4, 1e-9);
    assert_int_equal(tpi_sim_drive(sim, sim_named(sim, "r"), TPI_SIM_DRIVE_VELOCITY, goal, NULL),
                     TP_OK);
    sim_steps(sim, 20); /* and 10 W for each kg and m/s */
    sim_assert_near(look(sim, "r").stored, 1000 - 4.4 - 14.4, 1e-9);
    tpi_sim_destroy(sim);
}

static void eyes_for_colours_and_bumpers_draw_power_while_they_are_used(void **state)
{
    tpi_sim *sim = sim_make("position( name \"r\" joules 1000\n"
                            "  blobfinder( name \"eye\" watts 0.5 )\n"
                            "  bumper( name \"skin\" bcount 2 blength 0.1 ) )\n");

    (void)state;
    tpi_sim_subscribe(sim, sim_named(sim, "r.eye"));
    sim_steps(sim, 1);
    sim_assert_near(look(sim, "r").watts, 2.5, 1e-9); /* beside what the file says */
    tpi_sim_subscribe(sim, sim_named(sim, "r.skin"));
    sim_steps(sim, 1);
    sim_assert_near(look(sim, "r").watts, 2.6, 1e-9); /* however many pieces it has */
    tpi_sim_unsubscribe(sim, sim_named(sim, "r.eye"));
    sim_steps(sim, 1);
    sim_assert_near(look(sim, "r").watts, 0.1, 1e-9);
    tpi_sim_destroy(sim);
}

static void a_battery_ends_empty_or_never(void **state)
{
    tpi_sim *sim = sim_make("position( name \"r\" joules 2 alwayson 1 )\n"
                            "position( name \"s\" pose [5 0 0 0] joules -1 alwayson 1 )\n");

    (void)state;
    sim_steps(sim, 100);
    sim_assert_near(look(sim, "r").stored, 0, 0);
    assert_true(isinf(look(sim, "s").stored));
    tpi_sim_destroy(sim);
}

/* A plate on the floor, and a robot that stands on it with one corner. */
static void chargers_charge_what_touches_them(void **state)
{
    tpi_sim *sim = sim_make(
        "model( name \"plate\" pose [2 0 0 0] size [1 1 0.01] obstacle_return 0 give_watts 50 )\n"
        "position( name \"r\" size [0.4 0.4 0.2] joules 100 joules_capacity 180 take_watts 100 )\n"
        "position( name \"greedy\" pose [2 0.3 0 0] size [0.2 0.2 0.2] joules 100\n"
        "  joules_capacity 1000 take_watts 20 )\n");

    (void)state;
    sim_steps(sim, 10);
    sim_assert_near(look(sim, "r").stored, 100, 0);
    sim_assert_near(look(sim, "greedy").stored, 120, 1e-9); /* inside of the plate */
    sim_put(sim, "r", 1.4, 0, SIM_PI / 4);                  /* its corner is at 1.683 */
    sim_steps(sim, 10);
    sim_assert_near(look(sim, "r").stored, 150, 1e-9);
    sim_assert_near(look(sim, "r").charge_watts, 50, 1e-9);
    sim_steps(sim, 10);
    sim_assert_near(look(sim, "r").stored, 180, 1e-9); /* full */
    sim_assert_near(look(sim, "r").charge_watts, 0, 0);
    sim_put(sim, "r", 1, 0, SIM_PI / 4);
    sim_steps(sim, 1);
    tpi_sim_destroy(sim);
}

static void a_charger_that_runs_out_gives_equal_shares(void **state)
{
    tpi_sim *sim = sim_make(
        "model( name \"tank\" size [1 1 0.1] obstacle_return 0 give_watts 1000 joules 90 )\n"
        "position( name \"a\" pose [0 0.3 0 0] size [0.2 0.2 0.2] joules 10 joules_capacity 1000\n"
        "  take_watts 1000 )\n"
        "position( name \"b\" pose [0 -0.3 0 0] size [0.2 0.2 0.2] joules 10 joules_capacity 1000\n"
        "  take_watts 500 )\n");

    (void)state;
    sim_steps(sim, 5);
    sim_assert_near(look(sim, "tank").stored, 0, 1e-9);
    sim_assert_near(look(sim, "a").stored, 70, 1e-9); /* twice as much as b */
    sim_assert_near(look(sim, "b").stored, 40, 1e-9);
    tpi_sim_destroy(sim);
}

static void what_has_no_battery_says_so(void **state)
{
    tpi_sim *sim = sim_make("position( name \"r\" )\n");
    tpi_sim_battery battery;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_sim_get_battery(sim, sim_named(sim, "r"), &battery, &err),
                     TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model has no battery");
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_used_draws_power),
        cmocka_unit_test(eyes_for_colours_and_bumpers_draw_power_while_they_are_used),
        cmocka_unit_test(a_battery_ends_empty_or_never),
        cmocka_unit_test(chargers_charge_what_touches_them),
        cmocka_unit_test(a_charger_that_runs_out_gives_equal_shares),
        cmocka_unit_test(what_has_no_battery_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
