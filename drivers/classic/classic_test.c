/*
 * classic_test.c - the small drivers on scripts: what they say, what they understand, torn and
 * damaged.
 *
 * The clock is the test's: nothing waits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "conformance/play.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/power.h"
#include "troupe/interfaces/wifi.h"

extern const tp_driver tp_driver_iwspy;
extern const tp_driver tp_driver_linuxwifi;
extern const tp_driver tp_driver_obot;
extern const tp_driver tp_driver_rs4leuze;
extern const tp_driver tp_driver_sicklms400;

static char path[64];
static char settings[256];

static void write_file(const char *text, size_t length)
{
    snprintf(path, sizeof path, "/tmp/troupe-classic-%d.script", (int)getpid());
    assert_int_equal(tpi_file_write(path, text, length, NULL), TP_OK);
}

static play *begin(const tp_driver *driver, const char *provides, const char *parameter,
                   const char *script, const char *more)
{
    write_file(script, strlen(script));
    snprintf(settings, sizeof settings, "%s=script:%s %s", parameter, path, more);
    return play_begin(driver, provides, settings);
}

static void end(play *p)
{
    play_destroy(p);
    unlink(path);
}

/* ---- linuxwifi ------------------------------------------------------------------------------- */

#define WIRELESS                                                                                   \
    "Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE\n"           \
    " face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22\n"           \
    " wlan0: 0000   54.  -56.  -256        0      0      0      0     54        0\n"               \
    " wlan1: 0000   12.  -80.  -256        0      0      0      0     54        0\n"

static void wireless_networks_are_read(void **state)
{
    write_file(WIRELESS, strlen(WIRELESS));
    snprintf(settings, sizeof settings, "file=%s interface=wlan1", path);
    play *p = play_begin(&tp_driver_linuxwifi, "wifi:0", settings);
    const tp_wifi_data *data = bench_await_later(&p->r, 1.1, TP_WIFI_DATA_STATE);

    (void)state;
    assert_int_equal(data->links_count, 1);
    assert_int_equal(data->links[0].qual, 12);
    assert_int_equal((int32_t)data->links[0].level, -80);
    assert_int_equal(data->qual_type, TP_WIFI_QUAL_DBM);
    write_file("nothing here\n", 13);
    bench_move_clock(&p->b, 1.1);
    char text[160];
    snprintf(text, sizeof text, "linuxwifi0: %s lists no wireless interface wlan1", path);
    assert_string_equal(play_await_failure(p), text);
    end(p);
}

/* ---- iwspy ----------------------------------------------------------------------------------- */

/* A station that was asked for, in pieces; one that was not; a line that is none. */
static void stations_are_heard(void **state)
{
    play *p = begin(&tp_driver_iwspy, "wifi:0", "port",
                    "+0.1 < wlan0     Statistics collected:\\n\n"
                    "+0.1 <     00:11:24:9e:5f:87 : Quality=54/7\n"
                    "+0.1 < 0  Signal level=-56 dBm  Noise level=-95 dBm (updated)\\n\n"
                    "+0.1 <     00:11:24:9E:5F:99 : Quality=1/70  Signal level=-9 dBm\\n\n"
                    "+0.1 < Quality\\n\n"
                    "+0.1 hang-up\n",
                    "nic_0=10.0.0.1,00:11:24:9E:5F:87 nic_1=10.0.0.2,00:30:AB:12:87:29 rate=10");
    const tp_wifi_data *data = play_await(p, TP_WIFI_DATA_STATE);

    (void)state;
    assert_int_equal(data->links_count, 1);
    assert_int_equal(data->links[0].qual, 54);
    assert_int_equal((int32_t)data->links[0].level, -56);
    assert_int_equal((int32_t)data->links[0].noise, -95);
    assert_memory_equal(data->links[0].ip, "10.0.0.1", data->links[0].ip_count);
    assert_int_equal(data->maxqual, 70);
    end(p);
    play_assert_not_added(&tp_driver_iwspy, "wifi:0", NULL, "nic_0=10.0.0.1,here",
                          "iwspy0: nic_0 needs two addresses, such as \"10.0.0.1\" "
                          "\"00:11:24:9E:5F:87\"");
}

/* ---- rs4leuze -------------------------------------------------------------------------------- */

/* A scan of 133 ranges: the i-th is 1000 mm and 2 i more, with the lowest bit set. */
static void put_scan(tpi_buf *out, bool torn, bool damaged)
{
    uint8_t bytes[5 + 2 + 13 + 2 * 133 + 1] = {0};
    uint8_t *at = bytes + 5;

    memcpy(at, (const uint8_t[]){0x52, 1, 0, 0xfe, 0, 0xfe, 0, 0xfe, 7, 0xfe, 4, 0, 1, 2, 0x11},
           15);
    at[9] = damaged ? 0xff : 0xfe;
    for (unsigned i = 0; i < 133; i++) {
        at[15 + 2 * i] = (uint8_t)((1000 + 2 * i) >> 8);
        at[16 + 2 * i] = (uint8_t)((1000 + 2 * i) | 1);
    }
    at[15 + 266] = 0x55;
    for (size_t i = 0; i < sizeof bytes; i++) {
        tpi_buf_printf(out, "%s%02x%s",
                       i == 0 ? "+0.1 << "
                       : torn ? "+0.001 << "
                              : " ",
                       bytes[i], torn || i + 1 == sizeof bytes ? "\n" : "");
    }
}

static void scans_of_leuze_are_understood(void **state)
{
    (void)state;
    for (unsigned torn = 0; torn < 2; torn++) {
        tpi_buf text = {0};
        tpi_buf_puts(&text, "+0.1 << 12 00 00 00 00 00 52 01 00 00 00\n"); /* one that was cut */
        put_scan(&text, false, true);
        put_scan(&text, torn, false);
        tpi_buf_puts(&text, "silence\n");
        play *p = begin(&tp_driver_rs4leuze, "laser:0", "port", tpi_buf_text(&text), "timeout=60");
        const tp_laser_data *data = play_await(p, TP_LASER_DATA_SCAN);
        assert_int_equal(data->ranges_count, 133);
        play_assert_between((double)data->ranges[132], 0.9999,
                            1.0001); /* the first is on the left */
        play_assert_between((double)data->ranges[0], 1.2639, 1.2641);
        play_assert_between((double)data->max_angle, 1.6587, 1.6588);
        end(p);
        tpi_buf_fini(&text);
    }
}

static void a_silent_scanner_is_a_failure(void **state)
{
    play *p = begin(&tp_driver_rs4leuze, "laser:0", "port", "silence\n", "");

    (void)state;
    bench_move_clock(&p->b, 2.5);
    assert_string_equal(play_await_failure(p), "rs4leuze0: the scanner has said nothing for 2.0 s");
    end(p);
}

/* ---- obot ------------------------------------------------------------------------------------ */

/* It is begun, and its accelerations are set. */
#define OBOT_BEGIN ">> fd fc fb\n<< 06\n>> 61 0a 00 00 00 0a 00 00 00 61\n<< 06\n"
/* Odometry: 1000 and 3000 ticks; 0 and 0. The sum. */
#define ODOMETRY_0 "<< 06 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
#define ODOMETRY_1 "<< 06 e8 03 00 00 b8 0b 00 00 02 00 00 00 04 00 00 00 00 5e\n"
#define ODOMETRY_WRONG "<< 06 e8 03 00 00 ff 0b 00 00 02 00 00 00 04 00 00 00 00 5e\n"

/* It is asked for that any number of times. */
#define ASKED "repeat\n> o\n" ODOMETRY_0 "end\n"

static void an_obot_counts_its_way(void **state)
{
    play *p =
        begin(&tp_driver_obot, "position2d:0", "port",
              OBOT_BEGIN "> o\n" ODOMETRY_0 "> o\n" ODOMETRY_WRONG "> o\n" ODOMETRY_1 "silence\n",
              "timeout=60");
    const tp_position2d_data *data = NULL;
    const double tick = 0.10795 * 3.14159265358979 / 11600;

    (void)state;
    for (unsigned i = 0; i < 100 && (data == NULL || data->pos.pa == 0); i++) {
        play_pass(p, 0.1);
        data = play_last(p, TP_POSITION2D_DATA_STATE);
    }
    assert_non_null(data);
    play_assert_between(data->pos.pa, 2000 * tick / 0.317 - 1e-9, 2000 * tick / 0.317 + 1e-9);
    play_assert_between(hypot(data->pos.px, data->pos.py), 2000 * tick - 1e-9, 2000 * tick + 1e-9);
    play_assert_between(data->vel.pa, -2 * tick / 1.9375e-3 / 0.317 - 1e-9,
                        -2 * tick / 1.9375e-3 / 0.317 + 1e-9);
    end(p);
}

/* 0.5 m/s are 33 ticks: both wheels, and the sum of all. A wheel is not faster than max_speed. */
static void an_obot_drives(void **state)
{
    const tp_position2d_cmd_vel ahead = {.vel = {.px = 0.5}, .state = 1};
    const tp_position2d_cmd_vel fast = {.vel = {.px = 50, .pa = 1}, .state = 1};
    play *p = begin(&tp_driver_obot, "position2d:0", "port",
                    OBOT_BEGIN ASKED ">> 76 21 00 00 00 21 00 00 00 76\n<< 06\n" ASKED
                                     ">> 76 42 00 00 00 42 00 00 00 76\n<< 06\n" ASKED,
                    "timeout=60");

    (void)state;
    play_command(p, TP_POSITION2D_CMD_VEL, &ahead);
    play_pass(p, 0.01);
    play_command(p, TP_POSITION2D_CMD_VEL, &fast);
    play_pass(p, 0.01);
    assert_null(play_last(p, TP_COMMON_DATA_ERROR));
    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL,
                                (&(tp_position2d_cmd_vel){.vel = {.px = NAN}}),
                                "a velocity is made of numbers");
    end(p);
}

/* ---- sicklms400 ------------------------------------------------------------------------------ */

static void put_message(tpi_buf *out, const char *mark, const void *body, size_t length)
{
    const uint8_t *bytes = body;
    uint8_t sum = 0;

    tpi_buf_printf(out, "%s 02 02 02 02 00 00 %02x %02x", mark, (unsigned)(length >> 8),
                   (unsigned)(length & 0xff));
    for (size_t i = 0; i < length; i++) {
        tpi_buf_printf(out, " %02x", bytes[i]);
        sum ^= bytes[i];
    }
    tpi_buf_printf(out, " %02x\n", sum);
}

static void put_texts(tpi_buf *out, const char *ask, const char *confirm, const char *answer)
{
    put_message(out, ">>", ask, strlen(ask));
    if (confirm != NULL) {
        put_message(out, "<<", confirm, strlen(confirm));
    }
    put_message(out, "<<", answer, strlen(answer));
}

static void put_lms400(tpi_buf *out)
{
    put_texts(out, "sMN mLRstopdata", "sMA mLRstopdata", "sAN mLRstopdata 00000000");
    put_texts(out, "sMN SetAccessMode 4 81BE23AA", "sMA SetAccessMode", "sAN SetAccessMode 1");
    put_texts(out, "sWN FLmean 0 5", NULL, "sWA FLmean");
    put_texts(out, "sWN FLsel +13", NULL, "sWA FLsel");
    put_texts(out, "sMN mSCsetscanconfig +360.00 +0.50 +55.00 +70.00", "sMA mSCsetscanconfig",
              "sAN mSCsetscanconfig 00000000");
    put_texts(out, "sMN Run", "sMA Run", "sAN Run 1");
    put_texts(out, "sMN mLRreqdata 20", "sMA mLRreqdata", "sAN mLRreqdata 00000000");
}

/* Three ranges of 1, 2 and 3 m from 55 degrees on, in steps of a half, with strengths. */
static void scans_of_an_lms400_are_understood(void **state)
{
    static const uint8_t scan[] = {0x20, 0,    1,    0,    0x70, 0x64, 0x08, 0,    0x88, 0x13,
                                   3,    0,    0x68, 1,    2,    0,    0,    0,    0,    0,
                                   0xe8, 0x03, 10,   0xd0, 0x07, 20,   0xb8, 0x0b, 200};
    tpi_buf text = {0};

    (void)state;
    put_lms400(&text);
    tpi_buf_puts(&text, "silence 0.5\n<< 02 02 02 02 00 00 00 01 20 21 02 02\n");
    put_message(&text, "+0.1 <<", scan, sizeof scan);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&tp_driver_sicklms400, "laser:0", "line", tpi_buf_text(&text),
                    "timeout=60 filter=13 mean_filter_parameter=5");
    const tp_laser_data *data = play_await(p, TP_LASER_DATA_SCAN);
    assert_int_equal(data->ranges_count, 3);
    play_assert_between((double)data->ranges[2], 2.9999, 3.0001);
    play_assert_between((double)data->min_angle, -0.6109, -0.6108);
    play_assert_between((double)data->resolution, 0.00872, 0.00873);
    assert_int_equal(data->intensity[1], 40);
    assert_int_equal(data->intensity[2], 255);
    end(p);
    tpi_buf_fini(&text);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_rs4leuze, "laser:0", NULL, "scan_points=200",
                          "rs4leuze0: scan_points is 132, 176, 264 or 528");
    play_assert_not_added(&tp_driver_obot, "position2d:0", NULL, "max_speed=6",
                          "obot0: max_speed is not from 0 to 5");
    play_assert_not_added(&tp_driver_sicklms400, "laser:0", NULL, "scanning_frequency=1",
                          "sicklms4000: scanning_frequency is not from 180 to 500");
    play_assert_not_added(&tp_driver_linuxwifi, "wifi:0", NULL, "rate=0",
                          "linuxwifi0: rate is not from 0.01 to 100");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wireless_networks_are_read),
        cmocka_unit_test(stations_are_heard),
        cmocka_unit_test(scans_of_leuze_are_understood),
        cmocka_unit_test(a_silent_scanner_is_a_failure),
        cmocka_unit_test(an_obot_counts_its_way),
        cmocka_unit_test(an_obot_drives),
        cmocka_unit_test(scans_of_an_lms400_are_understood),
        cmocka_unit_test(mistakes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
