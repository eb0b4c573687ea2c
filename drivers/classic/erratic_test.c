/*
 * erratic_test.c - the driver on a script: what it says first, and what it understands.
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
#include "p2os_packet.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ptz.h"
#include "troupe/interfaces/sonar.h"

extern const tp_driver tp_driver_erratic;

static const double pi = 3.14159265358979323846;
static char path[64];

static void put_bytes(tpi_buf *out, const char *mark, const uint8_t *bytes, size_t length)
{
    tpi_buf_puts(out, mark);
    for (size_t i = 0; i < length; i++) {
        tpi_buf_printf(out, " %02x", bytes[i]);
    }
    tpi_buf_puts(out, "\n");
}

static void put(tpi_buf *out, const char *mark, const uint8_t *payload, size_t length)
{
    uint8_t packet[P2OS_MOST_PACKET];

    put_bytes(out, mark, packet, tpi_p2os_wrap(packet, payload, length));
}

static void put_command(tpi_buf *out, uint8_t command, int argument)
{
    uint8_t packet[P2OS_MOST_PACKET];

    put_bytes(out, ">>", packet, tpi_p2os_command(packet, command, argument));
}

/* Three words, each answered with itself, and OPEN. */
static void put_words(tpi_buf *out)
{
    for (uint8_t word = 0; word < 3; word++) {
        put(out, ">>", &word, 1);
        put(out, "<<", &word, 1);
    }
    put(out, ">>", (const uint8_t[]){1}, 1);
}

/* Places of 12 bits, an angle of 4096 for a turn, speeds of wheels, volts. */
static void put_motion(tpi_buf *out, unsigned x, unsigned y, int angle, int left, int right)
{
    uint8_t report[20] = {0x82};

    report[1] = (uint8_t)x;
    report[2] = (uint8_t)(x >> 8 | 0xa0); /* more bits, which do not count */
    report[4] = (uint8_t)y;
    report[5] = (uint8_t)(y >> 8);
    report[7] = (uint8_t)angle;
    report[8] = (uint8_t)(angle >> 8);
    report[9] = (uint8_t)left;
    report[10] = (uint8_t)(left >> 8);
    report[11] = (uint8_t)right;
    report[12] = (uint8_t)(right >> 8);
    report[13] = 121;
    put(out, "+0.1 <<", report, sizeof report);
}

static play *begin(tpi_buf *text, const char *provides, const char *more)
{
    static char settings[256];

    snprintf(path, sizeof path, "/tmp/troupe-erratic-%d.script", (int)getpid());
    assert_int_equal(tpi_file_write(path, text->data, text->length, NULL), TP_OK);
    tpi_buf_fini(text);
    snprintf(settings, sizeof settings, "port=script:%s timeout=60 %s", path, more);
    return play_begin(&tp_driver_erratic, provides, settings);
}

static void end(play *p)
{
    play_destroy(p);
    unlink(path);
}

/* From 4000 over the end of 12 bits to 204: 300 mm, along what was ahead at first. */
static void it_counts_its_way(void **state)
{
    tpi_buf text = {0};

    (void)state;
    put_words(&text);
    tpi_buf_puts(&text, "silence 0.5\n");
    put_motion(&text, 100, 4000, 1024, 0, 0);
    put_motion(&text, 100, 204, 1024 + 512, 200, 300);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "position2d:0", "");
    const tp_position2d_data *data = NULL;
    for (unsigned i = 0; i < 100 && (data == NULL || data->pos.px == 0); i++) {
        play_pass(p, 0.05);
        data = play_last(p, TP_POSITION2D_DATA_STATE);
    }
    assert_non_null(data);
    play_assert_pose(&data->pos, 0.3, 0, pi / 4);
    play_assert_near(data->vel.px, 0.25);
    play_assert_near(data->vel.pa, 0.1 / 0.333);
    end(p);
}

static void it_drives_and_turns_its_eyes(void **state)
{
    const tp_position2d_cmd_vel fast = {.vel = {.px = 9, .pa = -0.5}, .state = 1};
    tpi_buf text = {0};

    (void)state;
    put_words(&text);
    put_command(&text, 5, 500);
    put_command(&text, 4, 1);
    put_command(&text, 11, 500);
    put_command(&text, 21, -29);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "position2d:0", "trans_acc=0.5");
    play_command(p, TP_POSITION2D_CMD_VEL, &fast);
    assert_null(play_last(p, TP_COMMON_DATA_ERROR));
    end(p);
    const tp_ptz_cmd look = {.pan = (float)(10 * pi / 180), .tilt = 9};
    put_words(&text);
    put_command(&text, 4, 0);
    put(&text, ">>", (const uint8_t[]){75, 0x2b, 3, 2, 1715 & 0xff, 1715 >> 8}, 6);
    put(&text, ">>", (const uint8_t[]){75, 0x2b, 3, 1, 2300 & 0xff, 2300 >> 8}, 6);
    tpi_buf_puts(&text, "silence\n");
    p = begin(&text, "ptz:0", "");
    play_command(p, TP_PTZ_CMD_STATE, &look);
    assert_null(play_last(p, TP_COMMON_DATA_ERROR));
    end(p);
}

static void inputs_and_sonars_are_read(void **state)
{
    static const uint8_t inputs[] = {0x9a, 2, 0, 2, 0xff, 3, 0x20};
    static const uint8_t sonars[] = {0x9b, 2, 3, 0xe8, 3, 200, 1, 1};
    tpi_buf text = {0};

    (void)state;
    put_words(&text);
    tpi_buf_puts(&text, "silence 0.5\n");
    put(&text, "<<", (const uint8_t[]){0x9a, 200, 1}, 3); /* shorter than it says */
    put(&text, "<<", inputs, sizeof inputs);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "aio:0", "");
    for (unsigned i = 0; i < 100 && play_last(p, TP_AIO_DATA_STATE) == NULL; i++) {
        play_pass(p, 0.05);
    }
    const tp_aio_data *data = play_last(p, TP_AIO_DATA_STATE);
    assert_non_null(data);
    assert_int_equal(data->voltages_count, 6);
    play_assert_between((double)data->voltages[0], 1.749, 1.751);
    play_assert_between((double)data->voltages[3], 1, 1); /* the second floor sensor */
    end(p);
    put_words(&text);
    tpi_buf_puts(&text, "silence 0.5\n");
    put(&text, "<<", sonars, sizeof sonars);
    tpi_buf_puts(&text, "silence\n");
    p = begin(&text, "sonar:0", "");
    for (unsigned i = 0; i < 100 && play_last(p, TP_SONAR_DATA_RANGES) == NULL; i++) {
        play_pass(p, 0.05);
    }
    const tp_sonar_data *seen = play_last(p, TP_SONAR_DATA_RANGES);
    assert_non_null(seen);
    play_assert_between((double)seen->ranges[3], 0.999, 1.001);
    end(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_counts_its_way),
        cmocka_unit_test(it_drives_and_turns_its_eyes),
        cmocka_unit_test(inputs_and_sonars_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
