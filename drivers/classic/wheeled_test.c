/*
 * wheeled_test.c - mbasedriver, reb and wbr914 on scripts: what they say, what they understand,
 * torn and damaged, and what stops the robot.
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
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/ir.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/power.h"
#include "troupe/interfaces/sonar.h"

extern const tp_driver tp_driver_mbasedriver;
extern const tp_driver tp_driver_reb;
extern const tp_driver tp_driver_wbr914;

static play *begin(const tp_driver *driver, tpi_buf *text, const char *provides, const char *more)
{
    char settings[256];

    snprintf(settings, sizeof settings, "timeout=60 %s", more);
    return play_begin_script(driver, provides, "port", text, settings);
}

/* Until the robot is 0.1 m from where it was. */
static const tp_position2d_data *await_way(play *p)
{
    const tp_position2d_data *data = NULL;

    for (unsigned i = 0; i < 200 && (data == NULL || hypot(data->pos.px, data->pos.py) < 0.1);
         i++) {
        play_pass(p, 0.05);
        data = play_last(p, TP_POSITION2D_DATA_STATE);
    }
    assert_non_null(data);
    return data;
}

/* Until the robot has said once more where it is: nothing is asked then till the next period. */
static void await_round(play *p)
{
    const uint32_t before = p->r.counts[TP_POSITION2D_DATA_STATE];

    for (unsigned i = 0; i < 2000 && p->r.counts[TP_POSITION2D_DATA_STATE] == before; i++) {
        play_pass(p, 0.01);
    }
    if (play_last(p, TP_COMMON_DATA_ERROR) != NULL) {
        fail_msg("%s", play_await_failure(p));
    }
    assert_int_not_equal(p->r.counts[TP_POSITION2D_DATA_STATE], before);
}

/* It drives for a while, and stops; the script says how, and any other word fails. */
static void drive_and_halt(play *p, const tp_position2d_cmd_vel *velocity)
{
    await_round(p);
    play_command(p, TP_POSITION2D_CMD_VEL, velocity);
    await_round(p);
    await_round(p);
    play_request(p, TP_COMMON_REQ_HALT, NULL);
    await_round(p);
    await_round(p);
    play_destroy(p);
}

/* Bytes of one side; torn: each of them alone. */
static void put_bytes(tpi_buf *out, const char *mark, const uint8_t *bytes, size_t length,
                      bool torn)
{
    for (size_t i = 0; i < length; i++) {
        tpi_buf_printf(out, "%s %02x%s", i == 0 || torn ? mark : "", bytes[i],
                       torn || i + 1 == length ? "\n" : "");
    }
}

/* ---- wbr914 ---------------------------------------------------------------------------------- */

/* A message or an answer: its bytes, of which the second makes the sum 0. */
static void put_pmd(tpi_buf *out, const char *mark, const uint8_t *given, size_t length, bool torn)
{
    uint8_t bytes[8];
    unsigned sum = 0;

    memcpy(bytes, given, length);
    bytes[1] = 0;
    for (size_t i = 0; i < length; i++) {
        sum += bytes[i];
    }
    bytes[1] = (uint8_t)(256 - sum % 256);
    put_bytes(out, mark, bytes, length, torn);
}

/* It is said to both motors; the answer has so many values, of which the first is `value`. */
static void put_both(tpi_buf *out, const uint8_t *argument, size_t size, uint8_t code,
                     size_t values, uint8_t value)
{
    for (uint8_t motor = 0; motor < 2; motor++) {
        uint8_t said[8] = {motor, 0, 0, code};
        const uint8_t answer[8] = {code == 0x39, 0, 0, value}; /* 1: it was reset */
        if (size > 0) {
            memcpy(said + 4, argument, size);
        }
        put_pmd(out, ">>", said, 4 + size, false);
        put_pmd(out, "<<", answer, 2 + values, false);
    }
}

static void put_wbr_start(tpi_buf *out, bool drives)
{
    const uint8_t torque[] = {drives ? 0x60 : 0, 0}; /* 75 percent */

    put_both(out, NULL, 0, 0x39, 0, 0);
    put_both(out, NULL, 0, 0x8f, 4, 7);
    put_both(out, (const uint8_t[]){1, 0}, 2, 0x75, 0, 0);
    put_both(out, (const uint8_t[]){0, 1}, 2, 0xe0, 0, 0);
    put_both(out, (const uint8_t[]){0, 0, 0, 0}, 4, 0x4d, 0, 0);
    put_both(out, (const uint8_t[]){0, 0, 0, 100}, 4, 0x90, 0, 0);
    put_both(out, (const uint8_t[]){0, 0, 0, 250}, 4, 0x91, 0, 0);
    put_both(out, (const uint8_t[]){0, 1}, 2, 0xa0, 0, 0);
    put_both(out, (const uint8_t[]){0, 0}, 2, 0xdc, 0, 0);
    put_both(out, torque, 2, 0x77, 0, 0);
    put_both(out, NULL, 0, 0x1a, 0, 0);
    put_both(out, (const uint8_t[]){0, drives}, 2, 0xdc, 0, 0);
    put_both(out, NULL, 0, 0x61, 2, 154);
}

static void put_wbr_number(tpi_buf *out, uint8_t motor, uint8_t code, int32_t number, bool torn)
{
    const uint32_t n = (uint32_t)number;

    put_pmd(out, ">>", (const uint8_t[]){motor, 0, 0, code}, 4, false);
    put_pmd(out, "<<",
            (const uint8_t[]){0, 0, (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8),
                              (uint8_t)n},
            6, torn);
}

/* Places of both wheels, and that they stand. */
static void put_wbr_places(tpi_buf *out, int32_t left, int32_t right, bool torn)
{
    put_wbr_number(out, 1, 0x1d, left, torn);
    put_wbr_number(out, 0, 0x1d, right, torn);
    put_wbr_number(out, 1, 0x1e, 0, torn);
    put_wbr_number(out, 0, 0x1e, 0, torn);
}

/* It is asked where it is any number of times. */
static void put_wbr_asked(tpi_buf *out)
{
    tpi_buf_puts(out, "repeat\n");
    put_wbr_places(out, 0, 0, false);
    tpi_buf_puts(out, "end\n");
}

/* A turn of a wheel is 61440 steps of 125 mm pi; the left motor counts backwards. */
static void a_914_counts_its_way(void **state)
{
    (void)state;
    for (unsigned torn = 0; torn < 2; torn++) {
        tpi_buf text = {0};
        put_wbr_start(&text, true);
        put_wbr_places(&text, 1000, 5, torn);
        put_wbr_places(&text, 1000 - 61440, 5 + 61440, torn);
        tpi_buf_puts(&text, "silence\n");
        play *p = begin(&tp_driver_wbr914, &text, "position2d:0", "");
        const tp_position2d_data *data = await_way(p);
        play_assert_between(hypot(data->pos.px, data->pos.py), 0.125 * 3.14159 - 0.01,
                            0.125 * 3.1416 + 0.01);
        play_assert_between(data->pos.pa, -1e-6, 1e-6);
        play_destroy(p);
    }
}

/* The first answer is damaged: it is asked again in the next round. */
static void a_914_with_wrong_sums_is_asked_again(void **state)
{
    tpi_buf text = {0};

    (void)state;
    put_wbr_start(&text, false);
    put_pmd(&text, ">>", (const uint8_t[]){0, 0, 0, 0x83, 0, 0}, 6, false);
    tpi_buf_puts(&text, "<< 00 12 34 56\n");
    put_pmd(&text, ">>", (const uint8_t[]){0, 0, 0, 0x83, 0, 0}, 6, false);
    put_pmd(&text, "<<", (const uint8_t[]){4, 0}, 2, false); /* refused */
    put_pmd(&text, ">>", (const uint8_t[]){0, 0, 0, 0x83, 0, 0}, 6, false);
    put_pmd(&text, "<<", (const uint8_t[]){0, 0, 0x34, 0x12}, 4, false);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&tp_driver_wbr914, &text, "dio:0", "");
    const tp_dio_data *data = play_await(p, TP_DIO_DATA_VALUES);
    assert_int_equal(data->count, 16);
    assert_int_equal(data->bits, 0x1234);
    const tp_dio_cmd wide = {.count = 17};
    play_assert_command_refused(p, TP_DIO_CMD_VALUES, &wide, "there are 16 outputs, not 17");
    play_destroy(p);
}

/* 0.3 m/s at most: of 0.6 and a turn both wheels get half. A halt stops both at once. */
static void a_914_drives_and_stops(void **state)
{
    const tp_position2d_cmd_vel ahead = {.vel = {.px = 0.6}, .state = 1};
    const double unit = 61440 / (0.125 * 3.14159265358979) * 154 * 65536 / 1e6;
    const uint32_t speed = (uint32_t)(int32_t)(0.3 * unit);
    tpi_buf text = {0};

    (void)state;
    put_wbr_start(&text, true);
    for (unsigned i = 0; i < 3; i++) { /* driving; the halt; the halt in turn */
        if (i < 2) {
            put_wbr_asked(&text);
        }
        const uint32_t left = i == 0 ? 0 - speed : 0;
        const uint32_t right = i == 0 ? speed : 0;
        put_pmd(&text, ">>",
                (const uint8_t[]){1, 0, 0, 0x11, (uint8_t)(left >> 24), (uint8_t)(left >> 16),
                                  (uint8_t)(left >> 8), (uint8_t)left},
                8, false);
        tpi_buf_puts(&text, i == 1 ? "" : "<< 00 00\n");
        put_pmd(&text, ">>",
                (const uint8_t[]){0, 0, 0, 0x11, (uint8_t)(right >> 24), (uint8_t)(right >> 16),
                                  (uint8_t)(right >> 8), (uint8_t)right},
                8, false);
        tpi_buf_puts(&text, i == 1 ? "" : "<< 00 00\n");
        put_pmd(&text, ">>", (const uint8_t[]){1, 0, 0, 0x1a}, 4, false);
        tpi_buf_puts(&text, i == 1 ? "" : "<< 00 00\n");
        put_pmd(&text, ">>", (const uint8_t[]){0, 0, 0, 0x1a}, 4, false);
        tpi_buf_puts(&text, i == 1 ? "" : "<< 00 00\n");
    }
    put_wbr_asked(&text);
    drive_and_halt(begin(&tp_driver_wbr914, &text, "position2d:0", ""), &ahead);
}

static void a_914_reads_its_sensors(void **state)
{
    tpi_buf text = {0};

    (void)state;
    put_wbr_start(&text, false);
    tpi_buf_puts(&text, "repeat\n");
    for (uint8_t i = 0; i < 8; i++) { /* ten bits in the upper ones */
        const unsigned value = 300 << 6;
        put_pmd(&text, ">>", (const uint8_t[]){1, 0, 0, 0xef, 0, i}, 6, false);
        put_pmd(&text, "<<", (const uint8_t[]){0, 0, (uint8_t)(value >> 8), (uint8_t)value}, 4,
                false);
    }
    tpi_buf_puts(&text, "end\n");
    play *p = begin(&tp_driver_wbr914, &text, "ir:0", "");
    const tp_ir_data *data = play_await(p, TP_IR_DATA_RANGES);
    assert_int_equal(data->ranges_count, 8);
    play_assert_between((double)data->voltages[0], 1.466, 1.467);
    play_assert_between((double)data->ranges[0], 0.188, 0.189);
    play_assert_between((double)data->ranges[5], 0.449, 0.450);
    play_destroy(p);
}

/* ---- reb ------------------------------------------------------------------------------------- */

#define REB_GREETED(ir) "> \\rY," ir "\\r\n< :\\r\\ny\\r\\n:\\r\\n\n"
#define REB_MOTORS                                                                                 \
    "> A,0,1000,0,10\\r\n< a\\r\\n:\\r\\n\n> J,0,85,10\\r\n< j\\r\\n:\\r\\n\n"                     \
    "> A,2,1000,0,10\\r\n< a\\r\\n:\\r\\n\n> J,2,85,10\\r\n< j\\r\\n:\\r\\n\n"
#define REB_PLACES(left, right)                                                                    \
    "> H,2\\r\n< h," left "\\r\\n:\\r\\n\n> H,0\\r\n< h," right "\\r\\n:\\r\\n\n"

#define REB_ASKED "repeat\n" REB_PLACES("0", "0") "end\n"
#define REB_DRIVES(left, right)                                                                    \
    "> D,2," left "\\r\n< d\\r\\n:\\r\\n\n> D,0," right "\\r\n< d\\r\\n:\\r\\n\n"

/* 5504 pulses are a turn of the wheel, 72 mm pi; the right motor counts backwards. */
static void a_ubot_counts_its_way(void **state)
{
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, REB_GREETED("0") REB_MOTORS REB_PLACES("100", "-200")
                            REB_PLACES("5604", "-5704") "silence\n");
    play *p = begin(&tp_driver_reb, &text, "position2d:0", "");
    const tp_position2d_data *data = await_way(p);
    play_assert_pose(&data->pos, 0.072 * 3.14159265358979, 0, 0);
    play_destroy(p);
}

/* A board without prompts, answers in pieces, noise and a line that is none. */
static void a_ubot_is_understood_in_pieces(void **state)
{
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "> \\rY,0\\r\n< y\\r\\n\n> I,15\\r\n+0.01 < \\xffgarbage,\n"
                        "+0.01 < 12\\r\\n\n+0.01 < i,\n+0.01 < 61\n+0.01 < 5\\r\n+0.01 < \\n\n"
                        "silence\n");
    play *p = begin(&tp_driver_reb, &text, "power:0", "");
    const tp_power_data *data = play_await(p, TP_POWER_DATA_STATE);
    play_assert_between((double)data->volts, 12.29, 12.31);
    play_destroy(p);
}

static void a_ubot_drives_and_stops(void **state)
{
    const tp_position2d_cmd_vel turn = {.vel = {.px = 0.1, .pa = 1}, .state = 1};
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, REB_GREETED("0") REB_MOTORS REB_ASKED REB_DRIVES("7", "-41") /* mm/s */
                 REB_ASKED "> \\rD,2,0\\rD,0,0\\r\n" REB_DRIVES("0", "0") REB_ASKED);
    drive_and_halt(begin(&tp_driver_reb, &text, "position2d:0", ""), &turn);
}

/* 250 of 4 mV are 1 V: 30 cm. Seven numbers are no answer. */
static void a_ubot_sees(void **state)
{
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, REB_GREETED("1") "> W\\r\n< w,1,2,3,4,5,6,7\\r\\n:\\r\\n\n"
                                         "> W\\r\n< w,250,0,1000,250,250,250,250,250\\r\\n\n"
                                         "silence\n");
    play *p = begin(&tp_driver_reb, &text, "ir:0", "");
    const tp_ir_data *data = play_await(p, TP_IR_DATA_RANGES);
    play_assert_between((double)data->voltages[0], 0.999, 1.001);
    play_assert_between((double)data->ranges[0], 0.299, 0.301);
    play_assert_between((double)data->ranges[1], 0.799, 0.801);
    play_destroy(p);
}

/* ---- mbasedriver ----------------------------------------------------------------------------- */

static void put_mbase(tpi_buf *out, const char *mark, const uint8_t *payload, uint8_t length,
                      bool torn)
{
    uint8_t bytes[64] = {0xfa, 0xfb, length};
    unsigned sum = length;

    memcpy(bytes + 3, payload, length);
    for (unsigned i = 0; i < length; i++) {
        sum += payload[i];
    }
    bytes[3 + length] = (uint8_t)sum;
    put_bytes(out, mark, bytes, 4U + length, torn);
}

static void put_mbase_command(tpi_buf *out, uint8_t command, int value)
{
    const unsigned size = (unsigned)(value < 0 ? -value : value);
    const uint8_t bytes[] = {command, value < 0 ? 0x1b : 0x3b, (uint8_t)size, (uint8_t)(size >> 8)};

    put_mbase(out, ">>", bytes, 4, false);
}

static void put_mbase_motion(tpi_buf *out, int x, int y, int degrees, bool torn, bool damaged)
{
    uint8_t report[21] = {0x80};

    for (unsigned i = 0; i < 4; i++) {
        report[1 + i] = (uint8_t)((uint32_t)y >> 8 * i);
        report[5 + i] = (uint8_t)((uint32_t)x >> 8 * i);
    }
    report[9] = (uint8_t)degrees;
    report[10] = (uint8_t)((unsigned)degrees >> 8);
    report[11] = report[13] = 83; /* 100 mm/s */
    report[15] = 0x80;
    report[16] = 0x0d; /* 12.5 V */
    put_mbase(out, "+0.02 <<", report, sizeof report, torn);
    if (damaged) { /* its last byte is not the sum */
        out->data[out->length - 2] = out->data[out->length - 2] == '0' ? '1' : '0';
    }
}

/* The robot reports until it receives a command. */
static void put_mbase_reports(tpi_buf *out)
{
    tpi_buf_puts(out, "repeat\n");
    put_mbase_motion(out, 0, 0, 90, false, false);
    tpi_buf_puts(out, "end\n");
}

/* One report, then the commands that it receives. */
static void put_mbase_start(tpi_buf *out, bool drives, bool sees, bool reads)
{
    put_mbase_motion(out, 0, 0, 90, false, false);
    put_mbase(out, ">>", (const uint8_t[]){1}, 1, false);
    put_mbase(out, ">>", (const uint8_t[]){29}, 1, false);
    put_mbase_command(out, 90, 500);
    put_mbase_command(out, 92, -3);
    put_mbase_command(out, 93, 410);
    put_mbase_command(out, 94, 190);
    put_mbase_command(out, 80, 10);
    put_mbase_command(out, 82, 6000);
    put_mbase_command(out, 81, 10);
    if (sees) {
        put_mbase_command(out, 28, 1);
    }
    if (reads) {
        put_mbase_command(out, 71, 1);
    }
    put_mbase_command(out, 4, drives);
}

/* The robot looks along y, where it has gone half a metre; a damaged report counts for nothing. */
static void an_mbase_counts_its_way(void **state)
{
    (void)state;
    for (unsigned torn = 0; torn < 2; torn++) {
        tpi_buf text = {0};
        put_mbase_start(&text, true, false, false);
        put_mbase_motion(&text, 1000, -2000, 90, torn, false);
        put_mbase_motion(&text, 9000, 9000, 0, torn, true);
        tpi_buf_puts(&text, "+0.01 << fa 07 fa\n");
        put_mbase_motion(&text, 1000, -1500, 90, torn, false);
        tpi_buf_puts(&text, "silence\n");
        play *p = begin(&tp_driver_mbasedriver, &text, "position2d:0", "driffactor=-3");
        const tp_position2d_data *data = await_way(p);
        play_assert_pose(&data->pos, 0.5, 0, 0);
        play_assert_between(data->vel.px, 0.0999, 0.1001);
        play_destroy(p);
    }
}

static void an_mbase_drives_and_stops(void **state)
{
    const tp_position2d_cmd_vel back = {.vel = {.px = -9, .pa = -1}, .state = 1};
    tpi_buf text = {0};

    (void)state;
    put_mbase_start(&text, true, false, false);
    put_mbase_reports(&text);
    put_mbase_command(&text, 11, -500);
    put_mbase_command(&text, 21, -57);
    put_mbase_reports(&text);
    put_mbase_command(&text, 11, 0);
    put_mbase_command(&text, 21, 0);
    put_mbase(&text, ">>", (const uint8_t[]){29}, 1, false);
    put_mbase_reports(&text);
    drive_and_halt(begin(&tp_driver_mbasedriver, &text, "position2d:0", "driffactor=-3"), &back);
}

static void an_mbase_reads_its_sensors(void **state)
{
    static const uint8_t inputs[] = {0x9a, 0, 8, 0, 4, 0xff, 0x0f, 0, 1};
    static const uint8_t sonars[] = {0x9b, 2, 3, 0xe8, 3, 200, 1, 1};
    tpi_buf text = {0};

    (void)state;
    put_mbase_start(&text, false, false, true);
    tpi_buf_puts(&text, "silence 0.5\n");
    put_mbase(&text, "<<", (const uint8_t[]){0x9a, 1}, 2, false); /* too short */
    put_mbase(&text, "<<", inputs, sizeof inputs, false);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&tp_driver_mbasedriver, &text, "ir:0", "driffactor=-3");
    const tp_ir_data *seen = play_await(p, TP_IR_DATA_RANGES);
    assert_int_equal(seen->voltages_count, 5);
    play_assert_between((double)seen->voltages[0], 1, 1); /* 2048 is more than 1500 */
    play_assert_between((double)seen->voltages[1], 0, 0);
    play_assert_between((double)seen->voltages[4], 1, 1);
    play_destroy(p);
    put_mbase_start(&text, false, true, false);
    tpi_buf_puts(&text, "silence 0.5\n");
    put_mbase(&text, "<<", sonars, sizeof sonars, false);
    tpi_buf_puts(&text, "silence\n");
    p = begin(&tp_driver_mbasedriver, &text, "sonar:0", "driffactor=-3");
    const tp_sonar_data *data = play_await(p, TP_SONAR_DATA_RANGES);
    assert_int_equal(data->ranges_count, 8);
    play_assert_between((double)data->ranges[3], 0.999, 1.001);
    play_destroy(p);
}

static void robots_that_are_off_are_named(void **state)
{
    const struct {
        const tp_driver *driver;
        const char *why;
    } cases[] = {{&tp_driver_wbr914, "no robot answers: is it switched on?"},
                 {&tp_driver_reb, "no robot answers: is it switched on?"},
                 {&tp_driver_mbasedriver, "no robot reports: is it switched on?"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[64], settings[128];
        snprintf(path, sizeof path, "/tmp/troupe-wheeled-%d.script", (int)getpid());
        assert_int_equal(tpi_file_write(path, "silence\n", 8, NULL), TP_OK);
        snprintf(settings, sizeof settings, "port=script:%s", path);
        play *p = play_create();
        play_add(p, cases[i].driver, "position2d:0", NULL, settings);
        assert_int_not_equal(bench_open(&p->b, &p->r, p->device), TP_OK);
        assert_non_null(strstr(p->b.err.text, cases[i].why));
        bench_close(&p->r);
        play_destroy(p);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_914_counts_its_way),
        cmocka_unit_test(a_914_with_wrong_sums_is_asked_again),
        cmocka_unit_test(a_914_drives_and_stops),
        cmocka_unit_test(a_914_reads_its_sensors),
        cmocka_unit_test(a_ubot_counts_its_way),
        cmocka_unit_test(a_ubot_is_understood_in_pieces),
        cmocka_unit_test(a_ubot_drives_and_stops),
        cmocka_unit_test(a_ubot_sees),
        cmocka_unit_test(an_mbase_counts_its_way),
        cmocka_unit_test(an_mbase_drives_and_stops),
        cmocka_unit_test(an_mbase_reads_its_sensors),
        cmocka_unit_test(robots_that_are_off_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
