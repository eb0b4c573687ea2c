/*
 * linuxjoystick_test.c - events of a script, and a robot that they drive.
 *
 * The clock is the test's: nothing waits.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "conformance/puppet.h"
#include "troupe/interfaces/joystick.h"
#include "troupe/interfaces/position2d.h"

extern const tp_driver tp_driver_linuxjoystick;

static char path[64];
static char settings[256];

/* What the kernel says first; then the stick is pushed ahead by half (its axis 1 is negative), in
 * pieces, to the right (axis 0), and button 2 is pressed. */
#define FIRST "<< 01 00 00 00 00 40 82 01 01 00 00 00 00 00 82 05 01 00 00 00 00 00 81 02\n"
#define AHEAD "+0.1 << 02 00 00\n+0.01 << 00 00 c0 02\n+0.01 << 01\n"
#define RIGHT "+0.1 << 03 00 00 00 ff 7f 02 00\n"
#define PRESS "+0.1 << 04 00 00 00 01 00 01 02\n"
#define MIDDLE "+0.1 << 05 00 00 00 00 00 02 01 05 00 00 00 00 00 02 00\n"
#define UNKNOWN "+0.01 << 05 00 00 00 01 00 07 01 05 00 00 00 01 00 02 f0\n"

static const char *write_script(const char *script, const char *more)
{
    snprintf(path, sizeof path, "/tmp/troupe-joystick-%d.script", (int)getpid());
    assert_int_equal(tpi_file_write(path, script, strlen(script), NULL), TP_OK);
    snprintf(settings, sizeof settings, "port=script:%s %s", path, more);
    return settings;
}

static void end(play *p)
{
    play_destroy(p);
    unlink(path);
}

/* Let time pass until an axis or the buttons have this value. */
static const tp_joystick_data *await_value(play *p, int axis, int value)
{
    for (unsigned i = 0; i < 100; i++) {
        const tp_joystick_data *data = play_last(p, TP_JOYSTICK_DATA_STATE);
        if (data != NULL && (axis < 0 ? (int)data->buttons : data->pos[axis]) == value) {
            return data;
        }
        play_pass(p, 0.02);
    }
    fail_msg("axis %d never has the value %d", axis, value);
    return NULL;
}

static void sticks_and_buttons_are_sent(void **state)
{
    play *p =
        play_begin(&tp_driver_linuxjoystick, "joystick:0",
                   write_script("+0.1 " FIRST AHEAD RIGHT UNKNOWN PRESS MIDDLE "silence\n", ""));
    const tp_joystick_data *data = await_value(p, 0, -16384);

    (void)state;
    assert_int_equal(data->scale[0], 32767);
    assert_int_equal(data->axes_count, 6);
    assert_int_equal(data->buttons, 0);
    (void)await_value(p, 2, 32767);
    data = await_value(p, -1, 4);
    assert_int_equal(data->pos[0], -16384);
    (void)await_value(p, 2, 0);
    (void)await_value(p, 0, 0);
    end(p);
}

static void small_values_are_none_and_places_are_scaled(void **state)
{
    play *p = play_begin(&tp_driver_linuxjoystick, "position2d:0",
                         write_script("+0.1 " FIRST AHEAD RIGHT "silence\n",
                                      "axes_minima=20000,0,0 scale_pos=1,1,0.001 axes=1,-1,0"));
    const tp_position2d_data *data = NULL;

    (void)state;
    for (unsigned i = 0; i < 100 && (data == NULL || data->pos.pa == 0); i++) {
        play_pass(p, 0.02);
        data = play_last(p, TP_POSITION2D_DATA_STATE);
    }
    assert_non_null(data);
    play_assert_between(data->pos.pa, 32.766, 32.768);
    play_assert_between(data->pos.px, 0, 0);
    end(p);
}

/* ---- A robot --------------------------------------------------------------------------------- */

static play *with_robot(const char *script, const char *more)
{
    play *p = play_create();

    play_add(p, &puppet_driver, "position2d:0", NULL, NULL);
    play_add(p, &tp_driver_linuxjoystick, "joystick:0", "position2d:0", write_script(script, more));
    play_open(p);
    return p;
}

/* Let time pass until the robot has this speed. */
static void await_speed(play *p, double ahead, double turn)
{
    for (unsigned i = 0; i < 200; i++) {
        const tp_position2d_cmd_vel *got =
            puppet_at(&p->b, "position2d:0")->commands[TP_POSITION2D_CMD_VEL] > 0
                ? puppet_last(&p->b, "position2d:0", TP_POSITION2D_CMD_VEL)
                : NULL;
        if (got != NULL && fabs(got->vel.px - ahead) < 1e-3 && fabs(got->vel.pa - turn) < 1e-3) {
            return;
        }
        play_pass(p, 0.05);
        puppet_wait(&p->b, 0);
    }
    fail_msg("the robot is not told %g m/s and %g rad/s", ahead, turn);
}

static void sticks_drive_and_a_stick_in_the_middle_stops(void **state)
{
    play *p = with_robot("+0.1 " FIRST AHEAD RIGHT MIDDLE "silence\n", "max_speed=0.8,0,1");

    (void)state;
    await_speed(p, 0.4, 0);
    await_speed(p, 0.4, -1);
    await_speed(p, 0, 0);
    end(p);
}

static void a_button_must_be_pressed_if_that_is_wanted(void **state)
{
    play *p =
        with_robot("+0.1 " FIRST AHEAD PRESS "silence\n", "max_speed=0.8,0,1 deadman_button=2");

    (void)state;
    (void)await_value(p, 0, -16384);
    assert_int_equal(puppet_at(&p->b, "position2d:0")->commands[TP_POSITION2D_CMD_VEL], 0);
    await_speed(p, 0.4, 0);
    end(p);
}

static void a_joystick_without_events_stops(void **state)
{
    play *p = with_robot("+0.1 " FIRST AHEAD "silence\n", "max_speed=0.8,0,1 timeout=2");

    (void)state;
    await_speed(p, 0.4, 0);
    await_speed(p, 0, 0);
    end(p);
}

/* The stick is pushed while the program is frozen, and held. */
static void what_waited_for_a_frozen_driver_moves_nothing(void **state)
{
    play *p = with_robot("+0.1 " FIRST "+0.3 << 02 00 00 00 00 c0 02 01\n+6 << 03 00 00 00 ff 7f "
                         "02 00\nsilence\n",
                         "max_speed=0.8,0,1 timeout=0");

    (void)state;
    play_pass(p, 0.2);
    bench_move_clock(&p->b, 5);
    (void)await_value(p, 0, 0);
    play_pass(p, 0.2);
    assert_int_equal(puppet_at(&p->b, "position2d:0")->commands[TP_POSITION2D_CMD_VEL], 0);
    await_speed(p, 0, -1);
    end(p);
}

static void an_unplugged_joystick_is_a_failure(void **state)
{
    play *p =
        play_begin(&tp_driver_linuxjoystick, "joystick:0", write_script("+0.1 hang-up\n", ""));

    (void)state;
    bench_move_clock(&p->b, 1);
    const tp_failure *failure = play_last(p, TP_COMMON_DATA_ERROR);
    failure = failure != NULL ? failure : bench_await(&p->r, TP_COMMON_DATA_ERROR);
    assert_non_null(strstr(failure->text, "the hardware hung up"));
    end(p);
}

static void mistakes_are_told(void **state)
{
    static const char *const slips[][2] = {
        {"axes=99", "linuxjoystick0: axes has values from -1 to 63"},
        {"axes_maxima=0", "linuxjoystick0: axes_maxima has values from 1 to 32767"},
        {"deadman_button=32", "linuxjoystick0: deadman_button is a number from -1 to 31"},
        {"timeout=-1", "linuxjoystick0: timeout is a time from 0 s to a day"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        play_assert_not_added(&tp_driver_linuxjoystick, "joystick:0", NULL, slips[i][0],
                              slips[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sticks_and_buttons_are_sent),
        cmocka_unit_test(small_values_are_none_and_places_are_scaled),
        cmocka_unit_test(sticks_drive_and_a_stick_in_the_middle_stops),
        cmocka_unit_test(a_button_must_be_pressed_if_that_is_wanted),
        cmocka_unit_test(a_joystick_without_events_stops),
        cmocka_unit_test(what_waited_for_a_frozen_driver_moves_nothing),
        cmocka_unit_test(an_unplugged_joystick_is_a_failure),
        cmocka_unit_test(mistakes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
