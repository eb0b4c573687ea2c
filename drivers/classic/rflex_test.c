/*
 * rflex_test.c - packets of rFLEX, torn and damaged at every byte, and the driver on a script.
 *
 * The clock is the test's: nothing waits.
 */
#include "rflex.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "conformance/play.h"
#include "troupe/interfaces/ir.h"
#include "troupe/interfaces/power.h"
#include "troupe/interfaces/sonar.h"

extern const tp_driver tp_driver_rflex;

/* ---- Packets --------------------------------------------------------------------------------- */

static void packets_are_found_and_damaged_ones_dropped(void **state)
{
    static const uint8_t data[] = {1, 0x1b, 2, 0x1b, 3, 9};
    uint8_t packet[RFLEX_MOST_PACKET];
    const size_t length = tpi_rflex_write(packet, 4, 0, 2, data, sizeof data);

    (void)state;
    for (size_t wrong = 0; wrong <= length; wrong++) {
        struct rflex_reader reader = {0};
        unsigned found = 0;
        for (size_t i = 0; i < length && wrong < length; i++) {
            found += tpi_rflex_read(&reader, (uint8_t)(i == wrong ? packet[i] ^ 0x40 : packet[i]));
        }
        assert_int_equal(found, 0);
        for (size_t i = 0; i < 20 * length; i++) {
            found += tpi_rflex_read(&reader, packet[i % length]);
        }
        assert_in_range(found, 10, 20); /* a wrong length swallows some */
        assert_memory_equal(reader.bytes + 6, data, sizeof data);
    }
}

static void a_packet_is_as_documents_have_it(void **state)
{
    static const uint8_t brake[] = {0x1b, 2, 2, 0, 11, 0, 9, 0x1b, 3};
    uint8_t packet[RFLEX_MOST_PACKET];

    (void)state;
    assert_int_equal(tpi_rflex_write(packet, 2, 0, 11, NULL, 0), sizeof brake);
    assert_memory_equal(packet, brake, sizeof brake);
}

/* ---- The driver ------------------------------------------------------------------------------ */

static void put(tpi_buf *out, const char *mark, uint8_t part, uint8_t id, uint8_t code,
                const uint8_t *data, size_t count)
{
    uint8_t packet[RFLEX_MOST_PACKET];
    const size_t length = tpi_rflex_write(packet, part, id, code, data, count);

    tpi_buf_puts(out, mark);
    for (size_t i = 0; i < length; i++) {
        tpi_buf_printf(out, " %02x", packet[i]);
    }
    tpi_buf_puts(out, "\n");
}

static void put_motion(tpi_buf *out, uint8_t axis, int32_t position, int32_t speed)
{
    uint8_t data[25] = {0};

    data[8] = axis;
    tpi_rflex_put_u32(data + 9, (uint32_t)position);
    tpi_rflex_put_u32(data + 13, (uint32_t)speed);
    put(out, "+0.05 <<", RFLEX_MOTORS, 0, 33, data, sizeof data);
}

static play *begin(tpi_buf *text, const char *provides, const char *more)
{
    char settings[256];

    snprintf(settings, sizeof settings, "timeout=60 %s", more);
    return play_begin_script(&tp_driver_rflex, provides, "rflex_serial_port", text, settings);
}

/* Two metres ahead after a turn of half a radian; counters go over their end. */
static void it_counts_its_way(void **state)
{
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "silence 0.1\n");
    put_motion(&text, 0, 0x7ffffff0, 0);
    tpi_buf_puts(&text, "silence 0.5\n");
    put_motion(&text, 1, 1000, 0);
    put_motion(&text, 1, 1000 + 17500, 3500);
    put_motion(&text, 0, (int32_t)(0x7ffffff0U + 206000U), 103000);
    put_motion(&text, 1, 1000 + 17500, 3500);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "position2d:0", "");
    const tp_position2d_data *data = NULL;
    for (unsigned i = 0; i < 100 && (data == NULL || data->pos.px == 0); i++) {
        play_pass(p, 0.05);
        data = play_last(p, TP_POSITION2D_DATA_STATE);
    }
    assert_non_null(data);
    play_assert_between(data->pos.pa, 0.4999, 0.5001);
    play_assert_between(data->pos.px, 2 * cos(0.5) - 1e-6, 2 * cos(0.5) + 1e-6);
    play_assert_between(data->vel.px, 0.9999, 1.0001);
    play_assert_between(data->vel.pa, 0.0999, 0.1001);
    play_destroy(p);
}

static void put_axis(tpi_buf *out, uint8_t axis, uint32_t speed, uint32_t acceleration,
                     uint32_t torque, uint8_t ahead)
{
    uint8_t data[14] = {axis};

    tpi_rflex_put_u32(data + 1, speed);
    tpi_rflex_put_u32(data + 5, acceleration);
    tpi_rflex_put_u32(data + 9, torque);
    data[13] = ahead;
    put(out, ">>", RFLEX_MOTORS, 0, 7, data, sizeof data);
}

/* What it is told, byte by byte; 6940 units are 1B1C, which the controller stumbles over. */
static void it_drives(void **state)
{
    static const uint8_t period[8] = {0, 1, 0x86, 0xa0, 0, 0, 0, 3};
    const tp_position2d_cmd_vel slow = {.vel = {.px = 0.0694, .pa = -0.3}, .state = 1};
    tpi_buf text = {0};

    (void)state;
    put(&text, ">>", RFLEX_MOTORS, 0, 34, period, 8);
    put(&text, ">>", RFLEX_INPUTS, 0, 0, period, 4);
    put(&text, ">>", RFLEX_MOTORS, 0, 10, NULL, 0);
    put_motion(&text, 0, 0, 0);
    put_axis(&text, 0, 0x1aff, 10000, 30000, 1);
    put_axis(&text, 1, 10500, 3500, 35000, 0);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "position2d:0", "odo_distance_conversion=100000");
    play_command(p, TP_POSITION2D_CMD_VEL, &slow);
    assert_null(play_last(p, TP_COMMON_DATA_ERROR));
    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL,
                                (&(tp_position2d_cmd_vel){.vel = {.px = NAN}}),
                                "a velocity is made of numbers");
    play_destroy(p);
}

/* Two boards with two sonars each: the numbers 0, 1, 16, 17. */
static void sonars_are_put_in_order(void **state)
{
    static const uint8_t report[8 + 12] = {0,    0, 0,    0,    0,  0, 0, 0,  17,   0x05,
                                           0xc4, 0, 0x0b, 0x88, 99, 0, 0, 16, 0x7f, 0xff};
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "silence 0.1\n");
    put_motion(&text, 0, 0, 0);
    tpi_buf_puts(&text, "silence 0.5\n");
    put(&text, "<<", RFLEX_SONARS, 0, 2, report, sizeof report);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "sonar:0",
                    "num_sonars=4 num_sonar_banks=2 num_sonars_in_bank=2,2 "
                    "mrad_sonar_poses=0.5,1,2");
    const tp_sonar_data *data = play_await(p, TP_SONAR_DATA_RANGES);
    assert_int_equal(data->ranges_count, 4);
    play_assert_between((double)data->ranges[3], 0.9999, 1.0001);
    play_assert_between((double)data->ranges[0], 1.9999, 2.0001);
    play_assert_between((double)data->ranges[2], 2.9999, 3.0001); /* the longest */
    const tp_sonar_geom *geom = play_get(p, TP_SONAR_REQ_GET_GEOM, NULL);
    play_assert_between(geom->poses[0].px, 1, 1);
    play_assert_between(geom->poses[0].pyaw, 0.5, 0.5);
    play_destroy(p);
}

static void bumpers_and_the_battery_are_read(void **state)
{
    static const uint8_t bump[] = {0, 0, 0, 0, 0x41, 0, 0x06};
    static const uint8_t volts[] = {0, 0, 0, 0, 0, 0, 0x09, 0x60, 0};
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "silence 0.1\n");
    put_motion(&text, 0, 0, 0);
    tpi_buf_puts(&text, "silence 0.5\n");
    put(&text, "<<", RFLEX_INPUTS, 0, 1, bump, sizeof bump);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "bumper:0", "bumper_count=3");
    const tp_bumper_data *bumps = play_await(p, TP_BUMPER_DATA_STATE);
    assert_int_equal(bumps->bumpers_count, 3);
    assert_int_equal(bumps->bumpers[1], 6);
    play_destroy(p);
    tpi_buf_puts(&text, "silence 0.1\n");
    put_motion(&text, 0, 0, 0);
    tpi_buf_puts(&text, "silence 0.5\n");
    put(&text, "<<", RFLEX_SYSTEM, 0, 1, volts, sizeof volts);
    tpi_buf_puts(&text, "silence\n");
    p = begin(&text, "power:0", "rflex_power_offset=12");
    const tp_power_data *power = play_await(p, TP_POWER_DATA_STATE);
    play_assert_between((double)power->volts, 25.19, 25.21);
    play_destroy(p);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_rflex, "position2d:0", NULL, "num_sonars=300",
                          "rflex0: num_sonars is not from 0 to 256");
    play_assert_not_added(&tp_driver_rflex, "position2d:0", NULL, "num_sonars_in_bank=-1",
                          "rflex0: num_sonars_in_bank has numbers from 0 to 256");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_are_found_and_damaged_ones_dropped),
        cmocka_unit_test(a_packet_is_as_documents_have_it),
        cmocka_unit_test(it_counts_its_way),
        cmocka_unit_test(it_drives),
        cmocka_unit_test(sonars_are_put_in_order),
        cmocka_unit_test(bumpers_and_the_battery_are_read),
        cmocka_unit_test(mistakes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
