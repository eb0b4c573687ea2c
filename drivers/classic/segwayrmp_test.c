/*
 * segwayrmp_test.c - the driver on scripts of a CAN bus and of USB: ways, attitude, batteries, what
 * it says again and again, torn and damaged packets.
 *
 * The clock is the test's: nothing waits.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "conformance/play.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/position3d.h"
#include "troupe/interfaces/power.h"

extern const tp_driver tp_driver_segwayrmp;

static const double pi = 3.14159265358979323846;
/* A frame of the bus, or a packet on USB: from the base, or (`>>`) to it. */
static void put_frame(tpi_buf *out, bool usb, const char *mark, unsigned id, const int numbers[4],
                      bool torn)
{
    const bool to_base = mark[0] == '>';
    uint8_t bytes[18] = {0};
    unsigned sum = 0;

    for (unsigned i = 0; i < 4; i++) {
        bytes[(usb ? 9 : 8) + 2 * i] = (uint8_t)((unsigned)numbers[i] >> 8);
        bytes[(usb ? 10 : 9) + 2 * i] = (uint8_t)numbers[i];
    }
    if (usb) {
        bytes[0] = 0xf0;
        bytes[1] = 0x55;
        bytes[2] = to_base ? 0 : 0xaa;
        bytes[to_base ? 6 : 4] = (uint8_t)(to_base ? id >> 8 : id >> 3);
        bytes[to_base ? 7 : 5] = (uint8_t)(to_base ? id : id << 5);
        for (unsigned i = 0; i < 17; i++) {
            sum += bytes[i];
        }
        sum = (sum & 0xff) + (sum >> 8);
        sum = (sum & 0xff) + (sum >> 8);
        bytes[17] = (uint8_t)(0 - sum);
    } else {
        bytes[0] = (uint8_t)id;
        bytes[1] = (uint8_t)(id >> 8);
        bytes[4] = 8;
    }
    for (unsigned i = 0; i < (usb ? 18U : 16U); i++) {
        tpi_buf_printf(out, "%s %02x%s", i == 0 || torn ? mark : "", bytes[i],
                       torn || i == (usb ? 17 : 15) ? "\n" : "");
    }
}

/* Its counters: ahead, and turned to the left. */
static void put_way(tpi_buf *out, bool usb, uint32_t ahead, uint32_t turned, bool torn)
{
    const int numbers[4] = {(int)(ahead & 0xffff), (int)(ahead >> 16), (int)(turned & 0xffff),
                            (int)(turned >> 16)};

    put_frame(out, usb, "+0.01 <<", 0x404, numbers, torn);
}

static void put_reports(tpi_buf *out)
{
    tpi_buf_puts(out, "repeat\n");
    put_way(out, false, 0, 0, false);
    tpi_buf_puts(out, "end\n");
}

static play *begin(tpi_buf *text, const char *provides, const char *more)
{
    char settings[256];

    snprintf(settings, sizeof settings, "timeout=60 %s", more);
    return play_begin_script(&tp_driver_segwayrmp, provides, "port", text, settings);
}

/* A metre over the end of the counter, and then a quarter of a turn; on USB also torn, behind a
 * packet that is damaged and bytes that are none. */
static void it_counts_its_way(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        const bool usb = kind > 0, torn = kind > 1;
        tpi_buf text = {0};
        put_frame(&text, usb, "<<", 0x400, (const int[4]){0}, false);
        tpi_buf_puts(&text, "silence 0.5\n");
        put_way(&text, usb, 0xfffffff0, 100, torn);
        if (usb) {
            tpi_buf_puts(&text, "+0.01 << f0 55 f0 12\n");
        }
        put_way(&text, usb, 33215 - 16, 100, torn);
        put_way(&text, usb, 33215 - 16, 100 + 112644 / 4, torn);
        tpi_buf_puts(&text, "silence\n");
        play *p = begin(&text, "position2d:0", usb ? "bus=usb" : "");
        const tp_position2d_data *data = NULL;
        for (unsigned i = 0; i < 300 && (data == NULL || data->pos.pa == 0); i++) {
            play_pass(p, 0.05);
            data = play_last(p, TP_POSITION2D_DATA_STATE);
        }
        assert_non_null(data);
        play_assert_pose(&data->pos, 1, 0, pi / 2);
        play_destroy(p);
    }
}

static void a_damaged_packet_counts_for_nothing(void **state)
{
    tpi_buf text = {0};

    (void)state;
    put_frame(&text, true, "<<", 0x400, (const int[4]){0}, false);
    tpi_buf_puts(&text, "silence 0.5\n");
    put_frame(&text, true, "+0.01 <<", 0x406, (const int[4]){0, 0, 800, 999}, false);
    text.data[text.length - 2] = text.data[text.length - 2] == '0' ? '1' : '0'; /* the sum */
    put_frame(&text, true, "+0.01 <<", 0x406, (const int[4]){0, 0, 800, 288}, false);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "power:0", "bus=usb");
    const tp_power_data *data = play_await(p, TP_POWER_DATA_STATE);
    play_assert_between((double)data->volts, 71.9, 72.1);
    play_destroy(p);
}

static void it_leans(void **state)
{
    tpi_buf text = {0};

    (void)state;
    put_frame(&text, false, "<<", 0x400, (const int[4]){0}, false);
    tpi_buf_puts(&text, "silence 0.5\n");
    put_frame(&text, false, "+0.01 <<", 0x401, (const int[4]){78, 0, -156, 0}, false);
    put_frame(&text, false, "+0.01 <<", 0x402, (const int[4]){332, 332, 78, 0}, false);
    put_way(&text, false, 0, 0, false);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "position3d:0", "");
    const tp_position3d_data *data = play_await(p, TP_POSITION3D_DATA_STATE);
    play_assert_near(data->pos.ppitch, 10 * pi / 180);
    play_assert_near(data->pos.proll, -20 * pi / 180);
    play_assert_near(data->vel.px, 1);
    play_assert_near(data->vel.pyaw, -10 * pi / 180);
    play_destroy(p);
}

/* 0.5 m/s at most, 164 of its counts; said again until it halts. */
static void it_drives_and_stops(void **state)
{
    const tp_position2d_cmd_vel fast = {.vel = {.px = 9, .pa = 10 * pi / 180}, .state = 1};
    tpi_buf text = {0};

    (void)state;
    put_frame(&text, false, "<<", 0x400, (const int[4]){0}, false);
    put_reports(&text);
    put_frame(&text, false, ">>", 0x413, (const int[4]){164, 78, 0, 0}, false);
    put_frame(&text, false, ">>", 0x413, (const int[4]){164, 78, 0, 0}, false);
    tpi_buf_puts(&text, "repeat\n");
    put_frame(&text, false, ">>", 0x413, (const int[4]){164, 78, 0, 0}, false);
    tpi_buf_puts(&text, "end\n");
    put_frame(&text, false, ">>", 0x413, (const int[4]){0}, false);
    put_reports(&text);
    play *p = begin(&text, "position2d:0", "");
    (void)play_await(p, TP_POSITION2D_DATA_STATE);
    play_command(p, TP_POSITION2D_CMD_VEL, &fast);
    for (unsigned i = 0; i < 20; i++) {
        play_pass(p, 0.05);
    }
    play_request(p, TP_COMMON_REQ_HALT, NULL);
    const uint32_t before = p->r.counts[TP_POSITION2D_DATA_STATE];
    for (unsigned i = 0; i < 200 && p->r.counts[TP_POSITION2D_DATA_STATE] == before; i++) {
        play_pass(p, 0.05);
    }
    assert_int_not_equal(p->r.counts[TP_POSITION2D_DATA_STATE], before);
    assert_null(play_last(p, TP_COMMON_DATA_ERROR));
    play_destroy(p);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_segwayrmp, "position2d:0", NULL, "bus=serial",
                          "segwayrmp0: bus is canbus or usb, not \"serial\"");
    play_assert_not_added(&tp_driver_segwayrmp, "position2d:0", NULL, "max_xspeed=9",
                          "segwayrmp0: max_xspeed is not from 0 to 3.6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_counts_its_way), cmocka_unit_test(a_damaged_packet_counts_for_nothing),
        cmocka_unit_test(it_leans),          cmocka_unit_test(it_drives_and_stops),
        cmocka_unit_test(mistakes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
