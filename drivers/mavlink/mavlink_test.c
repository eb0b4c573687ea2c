/*
 * mavlink_test.c - the driver on frames of a script, and on an emulated rover that drives in a
 * world.
 *
 * The clock is the test's: nothing waits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "conformance/play.h"
#include "emulate/host/line.h"
#include "frame.h"
#include "troupe/interfaces/gps.h"
#include "troupe/interfaces/imu.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/position3d.h"
#include "troupe/interfaces/power.h"

extern const tp_driver tp_driver_mavlink;

static const double pi = 3.14159265358979323846;

static const tp_scheme *const schemes[] = {&tpi_scheme_emulate, NULL};
static char settings[512];
static char path[64];

static play *begin(const char *port, const char *provides, const char *more)
{
    play *p = play_create();

    tpi_hub_set_lines(p->b.hub, schemes, TEST_ROOT "/worlds/");
    snprintf(settings, sizeof settings, "port=%s %s", port, more);
    play_add(p, &tp_driver_mavlink, provides, NULL, settings);
    play_open(p);
    return p;
}

static void end(play *p)
{
    play_destroy(p);
    unlink(path);
}

/* ---- Frames of a script ---------------------------------------------------------------------- */

enum { QUAD = 2, ROVER = 10, PLANE = 1 };

static void put_frame(tpi_buf *out, const char *before, struct mav_message *message, bool torn)
{
    uint8_t frame[MAV_MOST_FRAME];
    const size_t length = tpi_mav_write(frame, message, 0);

    for (size_t i = 0; i < length; i++) {
        tpi_buf_printf(out, "%s%02x", i == 0 || torn ? before : " ", frame[i]);
        tpi_buf_puts(out, torn ? "\n" : "");
    }
    tpi_buf_puts(out, torn ? "" : "\n");
}

static struct mav_message said(uint32_t id, uint8_t version)
{
    return (struct mav_message){.id = id, .version = version, .system = 3, .component = 1};
}

static void put_heartbeat(tpi_buf *out, uint8_t type, uint8_t base_mode, uint32_t mode,
                          uint8_t version)
{
    struct mav_message message = said(MAV_HEARTBEAT, version);

    tpi_mav_put_u32(&message, 0, mode);
    message.payload[4] = type;
    message.payload[5] = 3;
    message.payload[6] = base_mode;
    put_frame(out, "+0.01 << ", &message, false);
}

static const char *script_of(tpi_buf *text)
{
    static char port[80];

    snprintf(path, sizeof path, "/tmp/troupe-mavlink-%d.script", (int)getpid());
    snprintf(port, sizeof port, "script:%s", path);
    assert_int_equal(tpi_file_write(path, text->data, text->length, NULL), TP_OK);
    tpi_buf_fini(text);
    return port;
}

/* A place and an attitude: at 3 m north and 4 m east, looking east, moving east with 2 m/s. */
static void put_report(tpi_buf *out, double north, double east, uint8_t version, bool torn)
{
    struct mav_message attitude = said(MAV_ATTITUDE, version);
    struct mav_message place = said(MAV_LOCAL_POSITION_NED, version);

    tpi_mav_put_float(&attitude, 12, pi / 2);
    tpi_mav_put_float(&attitude, 24, 0.25);
    tpi_mav_put_float(&place, 4, north);
    tpi_mav_put_float(&place, 8, east);
    tpi_mav_put_float(&place, 20, 2);
    put_frame(out, "+0.001 << ", &attitude, torn);
    put_frame(out, "+0.001 << ", &place, torn);
}

/* East is ahead, and what was to the north is to the left; turns are counter-clockwise. */
static void assert_report(bool torn, uint8_t version)
{
    tpi_buf text = {0};

    put_heartbeat(&text, ROVER, 1, 0, version);
    tpi_buf_puts(&text, "silence 0.5\n");
    put_report(&text, 3, 4, version, torn);
    put_report(&text, 3.5, 6, version, torn);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(script_of(&text), "position2d:0", "timeout=60");
    const tp_position2d_data *data = NULL;
    for (unsigned i = 0; i < 100 && (data == NULL || data->pos.px < 1); i++) {
        play_pass(p, 0.05);
        data = play_last(p, TP_POSITION2D_DATA_STATE);
    }
    assert_non_null(data);
    play_assert_between(data->pos.px, 1.9999, 2.0001);
    play_assert_between(data->pos.py, 0.4999, 0.5001);
    play_assert_between(data->pos.pa, -1e-6, 1e-6);
    play_assert_between(data->vel.px, 1.9999, 2.0001);
    play_assert_between(data->vel.py, -1e-6, 1e-6);
    play_assert_between(data->vel.pa, -0.2501, -0.2499);
    end(p);
}

static void places_are_turned_into_the_frame_where_it_began(void **state)
{
    (void)state;
    assert_report(false, 2);
    assert_report(false, 1);
}

static void frames_may_come_byte_by_byte(void **state)
{
    (void)state;
    assert_report(true, 2);
}

static void put_gps(tpi_buf *out)
{
    struct mav_message fix = said(MAV_GPS_RAW_INT, 2);

    tpi_mav_put_u32(&fix, 8, 481173000);
    tpi_mav_put_u32(&fix, 12, (uint32_t)-115166667);
    tpi_mav_put_u32(&fix, 16, 545400);
    tpi_mav_put_u16(&fix, 20, 90);
    tpi_mav_put_u16(&fix, 22, 0xffff);
    tpi_mav_put_u16(&fix, 24, 150);
    tpi_mav_put_u16(&fix, 26, 18000);
    fix.payload[28] = 3;
    fix.payload[29] = 8;
    put_frame(out, "+0.3 << ", &fix, false);
}

static void fixes_are_sent(void **state)
{
    tpi_buf text = {0};

    (void)state;
    put_heartbeat(&text, ROVER, 1, 0, 2);
    tpi_buf_puts(&text, "silence 0.5\n");
    put_gps(&text);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(script_of(&text), "gps:0", "timeout=60");
    for (unsigned i = 0; i < 100 && play_last(p, TP_GPS_DATA_STATE) == NULL; i++) {
        play_pass(p, 0.05);
    }
    const tp_gps_data *data = play_last(p, TP_GPS_DATA_STATE);
    assert_non_null(data);
    assert_int_equal(data->latitude, 481173000);
    assert_int_equal(data->longitude, -115166667);
    assert_int_equal(data->altitude, 545400);
    assert_int_equal(data->quality, 1);
    assert_int_equal(data->num_sats, 8);
    assert_int_equal(data->hdop, 9);
    assert_int_equal(data->vdop, 0);
    play_assert_between(data->speed, 1.4999, 1.5001);
    play_assert_between(data->course, -pi / 2 - 1e-6, -pi / 2 + 1e-6); /* to the south */
    play_assert_between(data->utm_n, 5.3e6, 5.4e6);
    end(p);
}

static void what_is_not_driven_says_so(void **state)
{
    const tp_position3d_cmd_vel up = {.vel = {.pz = 1}};
    tpi_buf text = {0};

    (void)state;
    put_heartbeat(&text, PLANE, 1, 0, 2);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(script_of(&text), "position3d:0", "timeout=60");
    play_assert_command_refused(p, TP_POSITION3D_CMD_SET_VEL, &up,
                                "a vehicle of type 1 with autopilot 3 is only read, not driven");
    end(p);
    put_heartbeat(&text, QUAD, 1, 0, 2);
    tpi_buf_puts(&text, "silence\n");
    p = begin(script_of(&text), "position3d:0", "timeout=60");
    play_assert_command_refused(p, TP_POSITION3D_CMD_SET_VEL, &up,
                                "the vehicle is disarmed; MOTOR_POWER arms it");
    end(p);
}

static void silence_and_an_unplugged_line_are_failures(void **state)
{
    tpi_buf text = {0};

    (void)state;
    put_heartbeat(&text, ROVER, 1, 0, 2);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(script_of(&text), "position2d:0", "");
    bench_move_clock(&p->b, 6);
    assert_string_equal(play_await_failure(p), "mavlink0: the vehicle has said nothing for 5.0 s");
    end(p);
    put_heartbeat(&text, ROVER, 1, 0, 2);
    tpi_buf_puts(&text, "silence 0.5\nhang-up\n");
    p = begin(script_of(&text), "position2d:0", "");
    bench_move_clock(&p->b, 1);
    assert_non_null(strstr(play_await_failure(p), "the hardware hung up"));
    end(p);
}

/* ---- An emulated rover ----------------------------------------------------------------------- */

static const tp_position2d_data *run(play *p, double seconds)
{
    const tp_position2d_data *data = NULL;

    for (double t = 0; t < seconds; t += 0.11) {
        data = bench_await_later(&p->r, 0.11, TP_POSITION2D_DATA_STATE);
    }
    return data;
}

static void drive(play *p, double ahead, double turn)
{
    const tp_position2d_cmd_vel ask = {.vel = {.px = ahead, .pa = turn}, .state = 1};

    play_command(p, TP_POSITION2D_CMD_VEL, &ask);
}

static void it_drives_and_turns(void **state)
{
    static const char *const ports[] = {"emulate:rover", "emulate:rover?wire=protocol=1"};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        play *p = begin(ports[i], "position2d:0", "");
        (void)run(p, 0.5);
        drive(p, 0.4, 0);
        const tp_position2d_data *data = run(p, 6); /* longer than a target holds */
        play_assert_between(data->vel.px, 0.39, 0.41);
        play_assert_between(data->pos.px, 1.5, 2.5);
        play_assert_between(data->pos.py, -0.01, 0.01);
        drive(p, 0, 0.5);
        data = run(p, 2);
        play_assert_between(data->vel.pa, 0.45, 0.55);
        play_assert_between(data->pos.pa, 0.7, 1.1);
        drive(p, 9, 0); /* limited */
        play_assert_between(run(p, 2)->vel.px, 0.99, 1.01);
        drive(p, 0, 0);
        play_assert_between(run(p, 2)->vel.px, -0.001, 0.001);
        end(p);
    }
}

static void motors_are_switched(void **state)
{
    const tp_position2d_power_config on = {.state = 1}, off = {0};
    const tp_position2d_cmd_vel ahead = {.vel = {.px = 0.3}, .state = 1};

    (void)state;
    play *p = begin("emulate:rover", "position2d:0", "arm=no");
    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL, &ahead,
                                "the vehicle is disarmed; MOTOR_POWER arms it");
    play_request(p, TP_POSITION2D_REQ_MOTOR_POWER, &on);
    drive(p, 0.3, 0);
    play_assert_between(run(p, 3)->vel.px, 0.29, 0.31);
    play_request(p, TP_POSITION2D_REQ_MOTOR_POWER, &off);
    play_assert_between(run(p, 2)->vel.px, -0.001, 0.001);
    end(p);
}

static void its_other_devices_send(void **state)
{
    play *p = begin("emulate:rover", "power:0", "");
    const tp_power_data *power = bench_await_later(&p->r, 0.5, TP_POWER_DATA_STATE);

    (void)state;
    play_assert_between((double)power->volts, 12.3, 12.5);
    play_assert_between((double)power->percent, 86.9, 87.1);
    assert_int_equal(power->valid, 1 | 2 | 8);
    end(p);
    p = begin("emulate:rover", "imu:0", "");
    const tp_imu_data_euler *euler = bench_await_later(&p->r, 0.5, TP_IMU_DATA_EULER);
    for (unsigned i = 0; i < 3; i++) { /* the first may be from before it has looked */
        euler = bench_await_later(&p->r, 0.11, TP_IMU_DATA_EULER);
    }
    play_assert_between((double)euler->calib_data.accel_z, 9.6, 10);
    play_assert_request_refused(p, TP_IMU_REQ_SET_DATATYPE, &(tp_imu_datatype_config){.value = 3},
                                "the data of this imu is 1, 2 or 4, not 3");
    end(p);
}

static void mistakes_are_told(void **state)
{
    static const char *const slips[][2] = {
        {"baud=1", "mavlink0: baud is not from 300 to 1.2e+07"},
        {"system=256", "mavlink0: system is not from 0 to 255"},
        {"rate=0", "mavlink0: rate is not from 0.5 to 100"},
        {"max_speed=31", "mavlink0: max_speed is not from 0 to 30"},
        {"timeout=1", "mavlink0: timeout is not from 1.5 to 3600"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        play_assert_not_added(&tp_driver_mavlink, "position2d:0", NULL, slips[i][0], slips[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_turned_into_the_frame_where_it_began),
        cmocka_unit_test(frames_may_come_byte_by_byte),
        cmocka_unit_test(fixes_are_sent),
        cmocka_unit_test(what_is_not_driven_says_so),
        cmocka_unit_test(silence_and_an_unplugged_line_are_failures),
        cmocka_unit_test(it_drives_and_turns),
        cmocka_unit_test(motors_are_switched),
        cmocka_unit_test(its_other_devices_send),
        cmocka_unit_test(mistakes_are_told),
    };

    setenv("TROUPE_WORLD_PATH", TEST_ROOT "/worlds", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
