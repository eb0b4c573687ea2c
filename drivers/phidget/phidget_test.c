/*
 * phidget_test.c - Phidgets on scripts: reports of boards and of a reader, what they are told, and
 * what they are left with.
 *
 * The clock is the test's: nothing waits.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "conformance/play.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/rfid.h"
#include "troupe/interfaces/speech.h"

extern const tp_driver tp_driver_phidgetIFK;
extern const tp_driver tp_driver_phidgetRFID;

static play *begin(const tp_driver *driver, const char *provides, const char *script)
{
    tpi_buf text = {0};

    tpi_buf_puts(&text, script);
    return play_begin_script(driver, provides, "port", &text, "");
}

#define OLD_REPORT "<< 00 fd 12 34 56 78 9a bc\n" /* 0x412, 0x356, 0xa78, 0x9bc; input 1 closed */
#define OLD_OTHER "+0.01 << 01 ff ff 0f 00 00 00 00\n" /* the fifth one at its end */
#define OLD_START OLD_REPORT ">> 00 00 00 01\n"

static void an_old_board_sends_halves(void **state)
{
    play *p = begin(&tp_driver_phidgetIFK, "aio:0", OLD_START OLD_OTHER "silence\n");

    (void)state;
    const tp_aio_data *data = play_after(p, 0.1, TP_AIO_DATA_STATE);
    assert_int_equal(data->voltages_count, 8);
    play_assert_near((double)data->voltages[0], 0x412 * 5 / 4095.0);
    play_assert_near((double)data->voltages[1], 0x356 * 5 / 4095.0);
    play_assert_near((double)data->voltages[2], 0xa78 * 5 / 4095.0);
    play_assert_near((double)data->voltages[3], 0x9bc * 5 / 4095.0);
    play_assert_near((double)data->voltages[4], 5);
    play_destroy(p);
}

/* Only the named outputs change; all are switched off at the end. */
static void outputs_are_set_and_left_off(void **state)
{
    play *p = begin(&tp_driver_phidgetIFK, "dio:0",
                    OLD_START ">> 05 00 00 01\n>> 06 00 00 01\n>> 00 00 00 01\n");

    (void)state;
    const tp_dio_data *data = play_after(p, 0.1, TP_DIO_DATA_VALUES);
    assert_int_equal(data->count, 8);
    assert_int_equal(data->bits, 2);
    play_command(p, TP_DIO_CMD_VALUES, &(tp_dio_cmd){.count = 8, .digout = 5});
    play_command(p, TP_DIO_CMD_VALUES, &(tp_dio_cmd){.count = 2, .digout = 0xfe});
    play_assert_command_refused(p, TP_DIO_CMD_VALUES, (&(tp_dio_cmd){.count = 9}),
                                "there are 8 outputs, not 9");
    play_destroy(p);
}

/* Two readings of the first input, one of the third, a counter of lost ones in front. */
static void a_new_board_sends_what_it_has(void **state)
{
    char script[512];
    int length = snprintf(script, sizeof script, "<< 01 fe 00 10 20 10 00 00 11 12 22 33 04");
    const int bytes = 13;

    (void)state;
    for (int i = bytes; i < 64; i++) {
        length += snprintf(script + length, sizeof script - (size_t)length, " 00");
    }
    snprintf(script + length, sizeof script - (size_t)length,
             "\n>> 00 77 77 77 77 01 00 00\nsilence\n");
    play *p = begin(&tp_driver_phidgetIFK, "aio:0", script);
    const tp_aio_data *data = play_after(p, 0.1, TP_AIO_DATA_STATE);
    play_assert_near((double)data->voltages[0], 0x033 * 1.001 * 5 / 4095.0);
    play_assert_near((double)data->voltages[2], 0x222 * 1.001 * 5 / 4095.0);
    play_assert_near((double)data->voltages[1], 0);
    play_destroy(p);
}

/* Numbers that promise more than a report has are read as far as there is something. */
static void a_report_that_promises_too_much_is_bounded(void **state)
{
    char script[512];
    int length = snprintf(script, sizeof script, "<<");

    (void)state;
    for (int i = 0; i < 64; i++) {
        length += snprintf(script + length, sizeof script - (size_t)length, " ff");
    }
    snprintf(script + length, sizeof script - (size_t)length,
             "\n>> 00 77 77 77 77 01 00 00\nsilence\n");
    play *p = begin(&tp_driver_phidgetIFK, "aio:0", script);
    const tp_aio_data *data = play_after(p, 0.1, TP_AIO_DATA_STATE);
    play_assert_near((double)data->voltages[7], 5);
    play_destroy(p);
}

static void a_board_that_is_silent_does_not_start(void **state)
{
    play *p = play_create();
    char path[] = TEST_ROOT "/tests/data/universal/mute.script", settings[sizeof path + 32];

    (void)state;
    snprintf(settings, sizeof settings, "port=script:%s", path);
    play_add(p, &tp_driver_phidgetIFK, "aio:0", NULL, settings);
    assert_int_not_equal(bench_open(&p->b, &p->r, p->device), TP_OK);
    assert_non_null(strstr(p->b.err.text, "no board reports"));
    play_destroy(p);
}

#define ANTENNA_ON ">> 0c 00 00 00 00 00 00 00\n"
#define ALL_OFF ">> 00 00 00 00 00 00 00 00\n"

/* A tag that is in reach, then a report of outputs, then nothing: after 0.2 s it has gone. */
static void a_tag_comes_and_goes(void **state)
{
    play *p = begin(&tp_driver_phidgetRFID, "rfid:0",
                    ANTENNA_ON "+0.01 << 00 01 02 03 04 05 00 00\n"
                               "+0.01 << 01 0c 00 00 00 00 00 00\n"
                               "+0.01 << 00 00 00 00 00 00 00 00\nsilence\n");

    (void)state;
    const tp_rfid_data *data = play_after(p, 0.1, TP_RFID_DATA_TAGS);
    assert_int_equal(data->tags_count, 1);
    assert_int_equal(data->tags[0].guid_count, 8);
    assert_memory_equal(data->tags[0].guid, "\1\2\3\4\5\0\0\0", 8);
    data = play_after(p, 0.3, TP_RFID_DATA_TAGS);
    assert_int_equal(data->tags_count, 0);
    play_destroy(p);
}

static void the_reader_keeps_its_antenna_on(void **state)
{
    play *p =
        begin(&tp_driver_phidgetRFID, "dio:0", ANTENNA_ON ">> 0e 00 00 00 00 00 00 00\n" ALL_OFF);

    (void)state;
    play_command(p, TP_DIO_CMD_VALUES, &(tp_dio_cmd){.count = 2, .digout = 2});
    play_assert_command_refused(p, TP_DIO_CMD_VALUES, (&(tp_dio_cmd){.count = 3}),
                                "there are 2 outputs, not 3");
    play_destroy(p);
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_phidgetRFID, "rfid:0", NULL, "samplingrate=0",
                          "phidgetRFID0: samplingrate is from 10 to 1000 ms");
}

/* The light, the display without a cursor, then two rows of twenty letters in reports of seven. */
static void the_display_shows_two_rows(void **state)
{
    static const char display[] =
        ">> 01 00 00 00 00 00 00 11\n>> 0c 00 00 00 00 00 00 01\n"
        "> \\x01\\x80\\x02Hell\\x07\n> o      \\x07\n>        \\x07\n>   \\x01\\0\\0\\0\\0\\x03\n"
        "> \\x01\\xc0\\x02you \\x07\n>        \\x07\n>        \\x07\n>   \\x01\\0\\0\\0\\0\\x03\n";
    char path[64], more[96];
    tpi_buf text = {0};

    (void)state;
    snprintf(path, sizeof path, "/tmp/troupe-display-%d.script", (int)getpid());
    assert_int_equal(tpi_file_write(path, display, sizeof display - 1, NULL), TP_OK);
    snprintf(more, sizeof more, "lcd=script:%s", path);
    tpi_buf_puts(&text, OLD_START "silence\n");
    play *p = play_begin_script(&tp_driver_phidgetIFK, "speech:0", "port", &text, more);
    const char *words = "Hello\nyou";
    play_command(
        p, TP_SPEECH_CMD_SAY,
        &(tp_speech_cmd){.string_count = (uint32_t)strlen(words) + 1, .string = play_chars(words)});
    play_destroy(p);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_old_board_sends_halves),
        cmocka_unit_test(outputs_are_set_and_left_off),
        cmocka_unit_test(a_new_board_sends_what_it_has),
        cmocka_unit_test(a_report_that_promises_too_much_is_bounded),
        cmocka_unit_test(a_board_that_is_silent_does_not_start),
        cmocka_unit_test(a_tag_comes_and_goes),
        cmocka_unit_test(the_reader_keeps_its_antenna_on),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(the_display_shows_two_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
