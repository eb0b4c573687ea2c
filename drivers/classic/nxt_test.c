/*
 * nxt_test.c - motors of an emulated NXT, alone and as one vehicle.
 *
 * The clock is the test's: nothing waits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/puppet.h"
#include "emulate/host/line.h"
#include "troupe/interfaces/position1d.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/power.h"

extern const tp_driver tp_driver_differential;
extern const tp_driver tp_driver_nxt;

static const tp_scheme *const schemes[] = {&tpi_scheme_emulate, NULL};

static play *create(void)
{
    play *p = play_create();

    tpi_hub_set_lines(p->b.hub, schemes, TEST_ROOT "/worlds/");
    return p;
}

static const tp_position1d_data *run(play *p, double seconds)
{
    const tp_position1d_data *data = NULL;

    for (double t = 0; t < seconds; t += 0.1) {
        data = bench_await_later(&p->r, 0.1, TP_POSITION1D_DATA_STATE);
    }
    return data;
}

static void a_motor_turns_and_stops(void **state)
{
    const tp_position1d_cmd_vel ahead = {.vel = 0.22f, .state = 1}, still = {.state = 1};
    play *p = create();

    (void)state;
    play_add(p, &tp_driver_nxt, "B@position1d:0", NULL, "port=emulate:nxt");
    play_open(p);
    play_command(p, TP_POSITION1D_CMD_VEL, &ahead);
    (void)run(p, 1);
    play_assert_between((double)run(p, 1)->vel, 0.19, 0.25);
    play_command(p, TP_POSITION1D_CMD_VEL, &still);
    (void)run(p, 1);
    play_assert_between((double)run(p, 1)->vel, -0.001, 0.001);
    play_assert_command_refused(p, TP_POSITION1D_CMD_VEL, (&(tp_position1d_cmd_vel){.vel = NAN}),
                                "a speed is a number");
    play_destroy(p);
}

static void the_battery_is_read(void **state)
{
    play *p = create();

    (void)state;
    play_add(p, &tp_driver_nxt, "power:0", NULL, "port=emulate:nxt");
    play_open(p);
    const tp_power_data *data = bench_await_later(&p->r, 1.1, TP_POWER_DATA_STATE);
    play_assert_between((double)data->volts, 7, 9);
    play_destroy(p);
}

/* Wheels of the test: the right one goes further, so the robot turns to the left. */
static void two_wheels_are_one_vehicle(void **state)
{
    const tp_position2d_cmd_vel arc = {.vel = {.px = 0.3, .pa = 1}, .state = 1};
    tp_position1d_data wheel = {.vel = 0.1f};
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "position1d:0 position1d:1", NULL, NULL);
    play_add(p, &tp_driver_differential, "position2d:0", "left@position1d:0 right@position1d:1",
             "axis_length=0.2");
    play_open(p);
    play_command(p, TP_POSITION2D_CMD_VEL, &arc);
    puppet_wait(&p->b, 0);
    const tp_position1d_cmd_vel *left = puppet_last(&p->b, "position1d:0", TP_POSITION1D_CMD_VEL);
    const tp_position1d_cmd_vel *right = puppet_last(&p->b, "position1d:1", TP_POSITION1D_CMD_VEL);
    play_assert_between((double)left->vel, 0.1999, 0.2001);
    play_assert_between((double)right->vel, 0.3999, 0.4001);
    puppet_send(&p->b, "position1d:0", TP_POSITION1D_DATA_STATE, &wheel);
    puppet_send(&p->b, "position1d:1", TP_POSITION1D_DATA_STATE, &wheel);
    wheel.pos = 0.1f;
    wheel.vel = 0.3f;
    puppet_send(&p->b, "position1d:1", TP_POSITION1D_DATA_STATE, &wheel);
    puppet_wait(&p->b, 0.1);
    const tp_position2d_data *data = play_last(p, TP_POSITION2D_DATA_STATE);
    assert_non_null(data);
    play_assert_between(data->pos.pa, 0.4999, 0.5001);
    play_assert_between(data->pos.px, 0.05 * cos(0.25) - 1e-6, 0.05 * cos(0.25) + 1e-6);
    play_assert_between(data->vel.px, 0.1999, 0.2001);
    play_assert_between(data->vel.pa, 0.9999, 1.0001);
    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL,
                                (&(tp_position2d_cmd_vel){.vel = {.px = NAN}}),
                                "a velocity is made of numbers");
    play_destroy(p);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_nxt, "A@position1d:0", NULL, "max_power=101",
                          "nxt0: max_power has values from 1 to 100");
    play_assert_not_added(&tp_driver_nxt, "A@position1d:0", NULL, "period=0",
                          "nxt0: period is not from 0.01 to 10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motor_turns_and_stops),
        cmocka_unit_test(the_battery_is_read),
        cmocka_unit_test(two_wheels_are_one_vehicle),
        cmocka_unit_test(mistakes_are_told),
    };

    setenv("TROUPE_WORLD_PATH", TEST_ROOT "/worlds", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
