/*
 * p2os_test.c - the driver on recorded reports, and on an emulated Pioneer that drives in a world.
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
#include "troupe/interfaces/audio.h"
#include "troupe/interfaces/blobfinder.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/sonar.h"

extern const tp_driver tp_driver_p2os;

static const double pi = 3.14159265358979323846;

#define SCRIPT TEST_ROOT "/drivers/p2os/pioneer.script"

static const tp_scheme *const schemes[] = {&tpi_scheme_emulate, NULL};
static char settings[512];
static char edited[64];

static play *begin(const char *port, const char *provides, const char *more)
{
    play *p = play_create();

    tpi_hub_set_lines(p->b.hub, schemes, TEST_ROOT "/worlds/");
    snprintf(settings, sizeof settings, "port=%s %s", port, more);
    play_add(p, &tp_driver_p2os, provides, NULL, settings);
    play_open(p);
    if (strncmp(port, "emulate", 7) == 0) {
        bench_move_clock(&p->b, 0.5); /* the line is ahead by the time-outs of the start */
    }
    return p;
}

static void end(play *p)
{
    play_destroy(p);
    unlink(edited);
}

/* ---- Recorded reports ------------------------------------------------------------------------ */

/* A copy of the script with each report changed, and lines at its end. */
static const char *edit(void (*change)(tpi_buf *out, const char *hex, unsigned number),
                        const char *last)
{
    static char port[80];
    tpi_buf text = {0};
    tpi_buf out = {0};
    unsigned number = 0;

    assert_int_equal(tpi_file_read(&text, SCRIPT, 1 << 20, NULL), TP_OK);
    for (char *line = strtok(text.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, "+0.1 << ", 8) == 0 && change != NULL) {
            change(&out, line + 8, number++);
        } else {
            tpi_buf_printf(&out, "%s\n", line);
        }
    }
    tpi_buf_puts(&out, last);
    snprintf(edited, sizeof edited, "/tmp/troupe-p2os-%d.script", (int)getpid());
    snprintf(port, sizeof port, "script:%s", edited);
    assert_int_equal(tpi_file_write(edited, out.data, out.length, NULL), TP_OK);
    tpi_buf_fini(&text);
    tpi_buf_fini(&out);
    return port;
}

/* The pose at the end of the recording, which clients count from its beginning. */
static void assert_recorded(play *p)
{
    const tp_position2d_data *data = NULL;

    bench_move_clock(&p->b, 0.105); /* the line is ahead by a time-out of the start */
    for (unsigned i = 0; i < 6; i++) {
        data = bench_await_later(&p->r, 0.1001, TP_POSITION2D_DATA_STATE);
    }
    play_assert_pose(&data->pos, (0x152 - 0x83) * 0.485e-3, -4 * 0.485e-3, -68 * 2 * pi / 4096);
    play_assert_near(data->vel.px, (0.262 + 0.137) / 2);
    play_assert_near(data->vel.pa, (0.137 - 0.262) * 2.8);
    assert_int_equal(data->stall, 0);
}

static void recorded_reports_are_understood(void **state)
{
    play *p = begin(edit(NULL, "silence\n"), "position2d:0 sonar:0", "timeout=60");

    (void)state;
    assert_recorded(p);
    end(p);
}

static void tear(tpi_buf *out, const char *hex, unsigned number)
{
    (void)number;
    for (size_t i = 0; hex[i] != '\0'; i += hex[i + 2] == ' ' ? 3 : 2) {
        tpi_buf_printf(out, "+0.001 << %.2s\n", hex + i);
    }
}

static void reports_may_come_byte_by_byte(void **state)
{
    play *p = begin(edit(tear, "silence\n"), "position2d:0 sonar:0", "timeout=60");

    (void)state;
    assert_recorded(p);
    end(p);
}

/* Before each report one that says something else, with a wrong sum. */
static void damage(tpi_buf *out, const char *hex, unsigned number)
{
    tpi_buf_printf(out, "+0.05 << fa fb 56 32 7f 7f%.*s\n+0.05 << %s\n", (int)strlen(hex) - 17,
                   hex + 17, hex);
    (void)number;
}

static void damaged_reports_are_dropped(void **state)
{
    play *p = begin(edit(damage, "silence\n"), "position2d:0 sonar:0", "timeout=60");

    (void)state;
    assert_recorded(p);
    end(p);
}

static void a_silent_robot_is_a_failure(void **state)
{
    play *p = begin(edit(NULL, "silence\n"), "position2d:0 sonar:0", "");

    (void)state;
    (void)bench_await_later(&p->r, 1, TP_POSITION2D_DATA_STATE);
    (void)play_get(p, TP_POSITION2D_REQ_GET_GEOM, NULL); /* all that has come was read by now */
    bench_move_clock(&p->b, 3.1);
    assert_string_equal(play_await_failure(p), "p2os0: the robot has said nothing for 2.0 s");
    end(p);
}

static void an_unplugged_line_is_a_failure(void **state)
{
    play *p = begin(edit(NULL, "+0.1 hang-up\n"), "position2d:0 sonar:0", "");

    (void)state;
    bench_move_clock(&p->b, 1);
    assert_non_null(strstr(play_await_failure(p), "the hardware hung up"));
    end(p);
}

/* ---- An emulated robot ----------------------------------------------------------------------- */

#define EMULATED "emulate:p2os"

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

static void it_drives_and_counts_its_way(void **state)
{
    play *p = begin(EMULATED, "position2d:0", "");
    const tp_position2d_set_odom_req there = {.pose = {.px = 5, .py = 1, .pa = pi / 2}};

    (void)state;
    drive(p, 0.2, 0);
    const tp_position2d_data *data = run(p, 3);
    play_assert_between(data->vel.px, 0.19, 0.21);
    play_assert_between(data->pos.px, 0.45, 0.62);
    drive(p, 0, 0.5);
    data = run(p, 2);
    play_assert_between(data->vel.pa, 0.45, 0.55);
    play_assert_between(data->pos.pa, 0.7, 1.1);
    drive(p, 0, 0);
    (void)run(p, 1);
    play_request(p, TP_POSITION2D_REQ_SET_ODOM, &there);
    drive(p, 0.2, 0);
    data = run(p, 3);
    play_assert_between(data->pos.px, 4.99, 5.01);
    play_assert_between(data->pos.py, 1.45, 1.62);
    end(p);
}

static void wheels_do_the_same(void **state)
{
    play *p = begin(EMULATED, "position2d:0", "direct_wheel_vel_control=yes");

    (void)state;
    drive(p, 0.2, 0.5);
    const tp_position2d_data *data = run(p, 2);
    play_assert_between(data->vel.px, 0.18, 0.22);
    play_assert_between(data->vel.pa, 0.4, 0.6);
    end(p);
}

/* The robot stops after two seconds without a word, if it gets no pulse. */
static void pulses_keep_it_going(void **state)
{
    play *p = begin(EMULATED, "position2d:0", "");

    (void)state;
    drive(p, 0.2, 0);
    play_assert_between(run(p, 6)->vel.px, 0.19, 0.21);
    end(p);
    p = begin(EMULATED, "position2d:0", "pulse=-1");
    drive(p, 0.2, 0);
    play_assert_between(run(p, 1)->vel.px, 0.19, 0.21);
    play_assert_between(run(p, 4)->vel.px, 0, 0.001);
    end(p);
}

static void speeds_are_limited_and_motors_switched(void **state)
{
    play *p = begin(EMULATED, "position2d:0", "max_xspeed=0.3");
    const tp_position2d_power_config off = {0};

    (void)state;
    drive(p, 5, 0);
    play_assert_between(run(p, 2)->vel.px, 0.29, 0.31);
    play_request(p, TP_POSITION2D_REQ_MOTOR_POWER, &off);
    drive(p, 0.2, 0);
    play_assert_between(run(p, 2)->vel.px, 0, 0.001);
    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL,
                                (&(tp_position2d_cmd_vel){.vel = {.px = NAN}}),
                                "a velocity of nan m/s and 0 rad/s is no number "
                                "to drive by");
    end(p);
}

static void sonars_see_a_wall(void **state)
{
    play *p = begin(EMULATED "?world=" TEST_ROOT "/tests/data/sim/boxes.world", "sonar:0", "");
    const tp_sonar_data *data = NULL;

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        data = bench_await_later(&p->r, 0.11, TP_SONAR_DATA_RANGES);
    }
    assert_int_equal(data->ranges_count, 16);
    for (unsigned i = 0; i < 16; i++) {
        play_assert_between((double)data->ranges[i], 0.01, 5);
    }
    const tp_sonar_geom *geom = play_get(p, TP_SONAR_REQ_GET_GEOM, NULL);
    assert_int_equal(geom->poses_count, 16);
    play_assert_near(geom->poses[0].pyaw, pi / 2);
    end(p);
}

/* ---- What not every robot has ---------------------------------------------------------------- */

/* The gyroscope of the emulated robot agrees with its odometry. */
static void a_gyroscope_counts_turns(void **state)
{
    (void)state;
    play *p = play_create();
    tpi_hub_set_lines(p->b.hub, schemes, TEST_ROOT "/worlds/");
    play_add(p, &tp_driver_p2os, "gyro@position2d:2 odometry@position2d:0", NULL,
             "port=emulate:p2os");
    tp_device *vehicle = bench_find(&p->b, "position2d:0");
    p->device = bench_find(&p->b, "position2d:2");
    play_open(p);
    bench_move_clock(&p->b, 0.5);
    for (unsigned i = 0; i < 20; i++) { /* it learns its zero */
        play_pass(p, 0.1);
    }
    const tp_position2d_data *data = play_last(p, TP_POSITION2D_DATA_STATE);
    assert_non_null(data);
    play_assert_near(data->pos.pa, 0);
    const tp_position2d_cmd_vel turn = {.vel = {.pa = 0.5}, .state = 1};
    assert_int_equal(bench_command(&p->b, vehicle, TP_POSITION2D_CMD_VEL, &turn), TP_OK);
    double fastest = 0;
    for (unsigned i = 0; i < 20; i++) {
        play_pass(p, 0.1);
        data = play_last(p, TP_POSITION2D_DATA_STATE);
        fastest = fmax(fastest, data->vel.pa);
    }
    play_assert_between(fastest, 0.48, 0.52); /* a reading is 0.6 degrees per second */
    play_assert_between(data->pos.pa, 0.7, 1.1);
    end(p);
}

#define CAMERA_BEGINS                                                                              \
    ">> fa fb 06 42 2b 01 0d 43 38\n"                                                              \
    ">> fa fb 08 42 2b 03 52 53 0d 98 8a\n"                                                        \
    ">> fa fb 0a 42 2b 05 52 4d 20 33 0d c7 aa\n"                                                  \
    ">> fa fb 08 42 2b 03 54 43 0d 88 8c\n"

/* First words without sonars and motors. */
static play *begin_extras(const char *provides, const char *then)
{
    const char *words =
        ">> fa fb 06 0b 3b 00 00 0b 3b fa fb 06 15 3b 00 00 15 3b fa fb 03 1d 00 1d fa fb 03 02 00 "
        "02\n>> fa fb 03 00 00 00\n<< fa fb 03 00 00 00\n>> fa fb 03 01 00 01\n<< fa fb 03 01 00 "
        "01\n>> fa fb 03 02 00 02\n<< fa fb 18 02 41 4d 52 49 53 69 6d 00 50 69 6f 6e 65 65 72 00 "
        "70 33 64 78 00 eb bd\n>> fa fb 03 01 00 01 fa fb 06 06 3b f4 01 fa 3c fa fb 06 0a 3b 64 "
        "00 6e 3b fa fb 06 1c 3b 00 00 1c 3b fa fb 06 04 3b 00 00 04 3b\n";
    static char port[96];
    tpi_buf text = {0};

    tpi_buf_printf(&text, "%s%s", words, then);
    snprintf(edited, sizeof edited, "/tmp/troupe-p2os-%d.script", (int)getpid());
    snprintf(port, sizeof port, "script:%s", edited);
    assert_int_equal(tpi_file_write(edited, text.data, text.length, NULL), TP_OK);
    tpi_buf_fini(&text);
    return begin(port, provides, "timeout=60");
}

/* A message in two packets, behind bytes that are none; the second one begins another. */
static void a_camera_sees_patches(void **state)
{
    (void)state;
    play *p = begin_extras("blobfinder:0",
                           CAMERA_BEGINS ">> fa fb 06 43 3b 13 00 56 3b\n"
                                         "+0.2 << fa fb 0b b8 07 07 ff 4d 28 46 1e 3c 53 70\n"
                                         ">> fa fb 06 43 3b 13 00 56 3b\n"
                                         "+0.2 << fa fb 09 b8 32 50 c8 fe ff 4d 07 b4\n"
                                         "silence\n");
    for (unsigned i = 0; i < 100 && play_last(p, TP_BLOBFINDER_DATA_BLOBS) == NULL; i++) {
        play_pass(p, 0.05);
    }
    const tp_blobfinder_data *data = play_last(p, TP_BLOBFINDER_DATA_BLOBS);
    assert_non_null(data);
    assert_int_equal(data->blobs_count, 1);
    assert_int_equal(data->blobs[0].x, 40);
    assert_int_equal(data->blobs[0].y, 70);
    assert_int_equal(data->blobs[0].left, 30);
    assert_int_equal(data->blobs[0].bottom, 80);
    assert_int_equal(data->blobs[0].area, 21 * 21 * 254 / 255);
    end(p);
}

static void sounds_are_played_by_number(void **state)
{
    const tp_audio_sample_item fifth = {.index = 5}, none = {.index = 256};

    (void)state;
    play *p = begin_extras("audio:0", ">> fa fb 06 5a 3b 05 00 5f 3b\nsilence\n");
    play_command(p, TP_AUDIO_CMD_SAMPLE_PLAY, &fifth);
    play_assert_command_refused(p, TP_AUDIO_CMD_SAMPLE_PLAY, &none,
                                "sounds have numbers from 0 to 255, not 256");
    end(p);
}

static void outputs_that_it_lacks_are_refused(void **state)
{
    const tp_dio_cmd two = {.count = 2, .digout = 0xfe}, nine = {.count = 9, .digout = 0x100};

    (void)state;
    play *p = begin_extras("dio:0", ">> fa fb 06 1e 3b 02 03 20 3e\nsilence\n");
    play_command(p, TP_DIO_CMD_VALUES, &two);
    play_assert_command_refused(p, TP_DIO_CMD_VALUES, &nine, "there are 8 outputs, not 9");
    end(p);
}

static void mistakes_are_told(void **state)
{
    static const char *const slips[][2] = {
        {"max_xspeed=9", "p2os0: max_xspeed is not from 0 to 3"},
        {"pulse=2", "p2os0: pulse is a time below 2 s, when the robot stops by itself"},
        {"bumpstall=4", "p2os0: bumpstall is a number from -1 to 3"},
        {"model=tricycle", "p2os0: there is no model \"tricycle\", but p3dx, p3at, p2dx, amigo"},
        {"baud=1", "p2os0: baud is a speed from 300 to 12000000, or 0"},
        {"tcp_remote_port=0", "p2os0: tcp_remote_port is a number from 1 to 65535"},
        {"timeout=0", "p2os0: timeout is a time from 0.3 s to an hour"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        play_assert_not_added(&tp_driver_p2os, "position2d:0", NULL, slips[i][0], slips[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_reports_are_understood),
        cmocka_unit_test(reports_may_come_byte_by_byte),
        cmocka_unit_test(damaged_reports_are_dropped),
        cmocka_unit_test(a_silent_robot_is_a_failure),
        cmocka_unit_test(an_unplugged_line_is_a_failure),
        cmocka_unit_test(it_drives_and_counts_its_way),
        cmocka_unit_test(wheels_do_the_same),
        cmocka_unit_test(pulses_keep_it_going),
        cmocka_unit_test(speeds_are_limited_and_motors_switched),
        cmocka_unit_test(sonars_see_a_wall),
        cmocka_unit_test(a_gyroscope_counts_turns),
        cmocka_unit_test(a_camera_sees_patches),
        cmocka_unit_test(sounds_are_played_by_number),
        cmocka_unit_test(outputs_that_it_lacks_are_refused),
        cmocka_unit_test(mistakes_are_told),
    };

    setenv("TROUPE_WORLD_PATH", TEST_ROOT "/worlds", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
