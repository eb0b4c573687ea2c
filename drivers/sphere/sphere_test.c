/*
 * sphere_test.c - a camera of a script that turns: steps, limits, stops, settings and pictures.
 *
 * The clock is the test's: nothing waits.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "conformance/play.h"
#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/ptz.h"

extern const tp_driver tp_driver_sphere;

/* Lists of controls: motors that know angles, motors that do not, and none. */
#define ANGLES                                                                                     \
    "<< 00 00 00 00 00 00 00 00 43 54 52 4c 28 00 00 00 50 41 4e 41 a0 27 fc ff 60 d8 03 00 10 "   \
    "0e 00 00 00 00 00 00 54 49 4c 41 20 5a fe ff e0 a5 01 00 10 0e 00 00 00 00 00 00\n"
#define STEPS                                                                                      \
    "<< 00 00 00 00 00 00 00 00 43 54 52 4c 50 00 00 00 50 41 4e 52 80 ee ff ff 80 11 00 00 40 "   \
    "00 00 00 00 00 00 00 54 49 4c 52 80 f8 ff ff 80 07 00 00 40 00 00 00 00 00 00 00 50 41 4e "   \
    "58 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 54 49 4c 58 00 00 00 00 00 00 00 00 00 "   \
    "00 00 00 00 00 00 00\n"
#define SETTINGS                                                                                   \
    "<< 00 00 00 00 00 00 00 00 43 54 52 4c 28 00 00 00 41 57 42 20 00 00 00 00 04 00 00 00 01 "   \
    "00 00 00 04 00 00 00 53 48 52 50 ff ff ff ff 3e 00 00 00 01 00 00 00 00 00 00 00\n"

static char path[64];

static play *begin(const char *script, const char *provides, const char *more)
{
    static char settings[160];

    snprintf(path, sizeof path, "/tmp/troupe-sphere-%d.script", (int)getpid());
    assert_int_equal(tpi_file_write(path, script, strlen(script), NULL), TP_OK);
    snprintf(settings, sizeof settings, "port=script:%s timeout=3600 %s", path, more);
    return play_begin(&tp_driver_sphere, provides, settings);
}

static void end(play *p)
{
    play_destroy(p);
    unlink(path);
}

static void await_angles(play *p, double pan, double tilt)
{
    for (unsigned i = 0; i < 500; i++) {
        const tp_ptz_data *data = play_last(p, TP_PTZ_DATA_STATE);
        if (data != NULL &&
            fabs((double)data->pan - pan) + fabs((double)data->tilt - tilt) < 0.001) {
            return;
        }
        play_pass(p, 0.02);
    }
    fail_msg("the camera does not turn to %g %g", pan, tilt);
}

/* Left is negative for the camera. A turn of 5.7 degrees has two steps; the script has no more. */
static void a_turn_is_made_of_steps(void **state)
{
    const tp_ptz_cmd ask = {.pan = 0.1f};
    play *p = begin(ANGLES ">> 50 41 4e 41 c0 c7 ff ff\n>> 50 41 4e 41 6e af ff ff\n", "ptz:0", "");

    (void)state;
    play_command(p, TP_PTZ_CMD_STATE, &ask);
    await_angles(p, 0.1, 0);
    play_pass(p, 1);
    end(p);
}

/* A reset comes before the first step, as no angle is known before. */
static void motors_without_angles_begin_in_the_middle(void **state)
{
    const tp_ptz_cmd ask = {.tilt = 0.05f};
    play *p = begin(
        STEPS
        ">> 50 41 4e 58 01 00 00 00\n>> 54 49 4c 58 01 00 00 00\n>> 54 49 4c 52 b7 00 00 00\n",
        "ptz:0", "");

    (void)state;
    play_command(p, TP_PTZ_CMD_STATE, &ask);
    await_angles(p, 0, 0.05);
    play_pass(p, 1);
    end(p);
}

static void angles_are_limited_and_must_be_numbers(void **state)
{
    const tp_ptz_cmd far = {.tilt = 9};
    const tp_ptz_cmd none = {.pan = NAN};
    play *p = begin(ANGLES "silence\n", "ptz:0", "");

    (void)state;
    play_command(p, TP_PTZ_CMD_STATE, &far);
    await_angles(p, 0, 30 * 3.14159265 / 180);
    play_assert_command_refused(p, TP_PTZ_CMD_STATE, &none, "angles and speeds are numbers");
    await_angles(p, 0, 30 * 3.14159265 / 180);
    end(p);
}

/* One step of a long turn; after HALT the script takes no other. */
static void a_stop_ends_a_turn(void **state)
{
    const tp_ptz_cmd ask = {.pan = 1};
    play *p = begin(ANGLES ">> 50 41 4e 41 c0 c7 ff ff\n", "ptz:0", "");

    (void)state;
    play_command(p, TP_PTZ_CMD_STATE, &ask);
    await_angles(p, 4 * 3.14159265 / 180, 0);
    play_request(p, TP_COMMON_REQ_HALT, NULL);
    for (unsigned i = 0; i < 20; i++) {
        play_pass(p, 0.1);
        await_angles(p, 4 * 3.14159265 / 180, 0);
    }
    end(p);
}

/* The script takes exactly these settings. */
static void settings_are_made_at_the_start(void **state)
{
    static const uint8_t white[12] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    play *p = begin(SETTINGS
                    ">> 53 48 52 50 3e 00 00 00\n>> 41 57 42 20 02 00 00 00\n"
                    "+0.5 << 02 00 00 00 02 00 00 00 59 55 31 32 06 00 00 00 eb eb eb eb 80 80\n",
                    "camera:0", "sharpness=65535 automatic_wb=fl");
    const tp_camera_data *data = NULL;

    (void)state;
    for (unsigned i = 0; i < 300 && data == NULL; i++) {
        play_pass(p, 0.02);
        data = play_last(p, TP_CAMERA_DATA_STATE);
    }
    assert_non_null(data);
    assert_int_equal(data->image_count, 12);
    assert_memory_equal(data->image, white, 12);
    end(p);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_sphere, "ptz:0", NULL, "mode=PNG",
                          "sphere0: mode is RGB888, MJPEG or GREY, not \"PNG\"");
    play_assert_not_added(&tp_driver_sphere, "ptz:0", NULL, "automatic_wb=blue",
                          "sphere0: automatic_wb is auto, manual, indoor, outdoor or fl, not "
                          "\"blue\"");
    play_assert_not_added(&tp_driver_sphere, "ptz:0", NULL, "sharpness=70000",
                          "sphere0: sharpness is not from -1 to 65535");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_made_of_steps),
        cmocka_unit_test(motors_without_angles_begin_in_the_middle),
        cmocka_unit_test(angles_are_limited_and_must_be_numbers),
        cmocka_unit_test(a_stop_ends_a_turn),
        cmocka_unit_test(settings_are_made_at_the_start),
        cmocka_unit_test(mistakes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
