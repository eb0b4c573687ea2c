/*
 * sonyevid30_test.c - packets, torn and wrong; and an emulated camera that turns.
 *
 * The clock is the test's: nothing waits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/play.h"
#include "emulate/host/line.h"
#include "troupe/interfaces/ptz.h"
#include "visca.h"

extern const tp_driver tp_driver_sonyevid30;

static const double degree = 3.14159265358979323846 / 180;
static const tp_scheme *const schemes[] = {&tpi_scheme_emulate, NULL};

/* ---- Packets --------------------------------------------------------------------------------- */

static void packets_are_found_behind_anything(void **state)
{
    static const uint8_t good[] = {0x90, 0x50, 0, 1, 0xb, 8, 0xf, 0xf, 0xf, 0xe, 0xff};
    static const uint8_t noise[][20] = {{0x00, 0xff}, {0x7f}, {0xff, 0xff, 0xff}, {0}};

    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        struct visca_reader reader = {0};
        for (unsigned i = 0; i < 20 && n < 3; i++) {
            (void)tpi_visca_read(&reader, noise[n][i] == 0 ? 0xff : noise[n][i]);
        }
        for (size_t i = 0; i < sizeof good; i++) {
            assert_int_equal(tpi_visca_read(&reader, good[i]), i + 1 == sizeof good);
        }
        assert_int_equal(tpi_visca_kind(&reader), VISCA_ANSWER);
        assert_int_equal(tpi_visca_number(reader.bytes + 2), 0x1b8);
        assert_int_equal(tpi_visca_number(reader.bytes + 6), -2);
    }
}

static void numbers_are_written_as_they_are_read(void **state)
{
    uint8_t bytes[4];

    (void)state;
    for (int i = -32768; i <= 32767; i += 37) {
        tpi_visca_put_number(bytes, i);
        assert_int_equal(tpi_visca_number(bytes), i);
    }
}

/* ---- An emulated camera ---------------------------------------------------------------------- */

static play *begin(const char *port)
{
    static char settings[256];
    play *p = play_create();

    tpi_hub_set_lines(p->b.hub, schemes, TEST_ROOT "/worlds/");
    snprintf(settings, sizeof settings, "port=%s", port);
    play_add(p, &tp_driver_sonyevid30, "ptz:0", NULL, settings);
    play_open(p);
    return p;
}

static const tp_ptz_data *run(play *p, double seconds)
{
    const tp_ptz_data *data = NULL;

    for (double t = 0; t < seconds; t += 0.12) {
        data = bench_await_later(&p->r, 0.12, TP_PTZ_DATA_STATE);
    }
    return data;
}

static void look(play *p, double pan, double tilt, double zoom)
{
    const tp_ptz_cmd ask = {.pan = (float)(pan * degree),
                            .tilt = (float)(tilt * degree),
                            .zoom = (float)(zoom * degree)};

    play_command(p, TP_PTZ_CMD_STATE, &ask);
}

static void it_looks_where_it_is_told(void **state)
{
    play *p = begin("emulate:evid30");

    (void)state;
    look(p, 40, -10, 20);
    const tp_ptz_data *data = run(p, 4);
    play_assert_between((double)data->pan / degree, 39.8, 40.2);
    play_assert_between((double)data->tilt / degree, -10.2, -9.8);
    play_assert_between((double)data->zoom / degree, 19.8, 20.2);
    look(p, -500, 90, 20); /* as far as it goes */
    data = run(p, 4);
    play_assert_between((double)data->pan / degree, -100.2, -99.8);
    play_assert_between((double)data->tilt / degree, 24.8, 25.2);
    play_destroy(p);
}

/* A new goal while it turns: the old command is cancelled. */
static void a_new_goal_replaces_the_old_one(void **state)
{
    play *p = begin("emulate:evid30");

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        look(p, i % 2 == 0 ? 90 : -90, 0, 30 + i);
        (void)run(p, 0.3);
    }
    look(p, 10, 5, 30);
    const tp_ptz_data *data = run(p, 5);
    play_assert_between((double)data->pan / degree, 9.8, 10.2);
    play_assert_between((double)data->tilt / degree, 4.8, 5.2);
    play_assert_between((double)data->zoom / degree, 29.8, 30.2);
    play_destroy(p);
}

static void it_turns_with_a_speed_and_stops(void **state)
{
    const tp_ptz_req_control_mode by_speed = {.mode = TP_PTZ_VELOCITY_CONTROL};
    const tp_ptz_req_control_mode by_angle = {.mode = TP_PTZ_POSITION_CONTROL};
    const tp_ptz_cmd left = {.panspeed = (float)(20 * degree)}, still = {0};
    play *p = begin("emulate:evid30");

    (void)state;
    play_request(p, TP_PTZ_REQ_CONTROL_MODE, &by_speed);
    play_command(p, TP_PTZ_CMD_STATE, &left);
    play_assert_between((double)run(p, 2)->pan / degree, 25, 45);
    play_command(p, TP_PTZ_CMD_STATE, &still);
    double pan = (double)run(p, 1)->pan;
    play_assert_between((double)run(p, 1)->pan - pan, -1e-6, 1e-6);
    play_command(p, TP_PTZ_CMD_STATE, &left);
    play_assert_between(((double)run(p, 1)->pan - pan) / degree, 5, 25);
    play_request(p, TP_PTZ_REQ_CONTROL_MODE, &by_angle); /* the other controller lets go */
    pan = (double)run(p, 1)->pan;
    play_assert_between((double)run(p, 1)->pan - pan, -1e-6, 1e-6);
    play_destroy(p);
}

static void silence_is_a_failure(void **state)
{
    play *p = begin("script:" TEST_ROOT "/drivers/sonyevid30/patient.script");

    (void)state;
    for (unsigned i = 0; i < 2; i++) { /* all that has come was read by then */
        bench_request(&p->b, p->device, TP_COMMON_REQ_GET_PROPERTIES, NULL, NULL);
    }
    bench_move_clock(&p->b, 3.5);
    assert_string_equal(play_await_failure(p),
                        "sonyevid300: the camera has said nothing for 3.0 s");
    play_destroy(p);
}

static void mistakes_are_told(void **state)
{
    static const char *const slips[][2] = {
        {"baud=1", "sonyevid300: baud is a speed from 300 to 12000000"},
        {"timeout=0", "sonyevid300: timeout is a time from 1 s to an hour"},
        {"fov=0.5,0.1", "sonyevid300: fov has the narrowest and the widest field of view"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        play_assert_not_added(&tp_driver_sonyevid30, "ptz:0", NULL, slips[i][0], slips[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_are_found_behind_anything),
        cmocka_unit_test(numbers_are_written_as_they_are_read),
        cmocka_unit_test(it_looks_where_it_is_told),
        cmocka_unit_test(a_new_goal_replaces_the_old_one),
        cmocka_unit_test(it_turns_with_a_speed_and_stops),
        cmocka_unit_test(silence_is_a_failure),
        cmocka_unit_test(mistakes_are_told),
    };

    setenv("TROUPE_WORLD_PATH", TEST_ROOT "/worlds", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
