/*
 * camerav4l2_test.c - pictures of a script: formats, torn, damaged and missing.
 *
 * The clock is the test's: nothing waits.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "conformance/play.h"
#include "troupe/interfaces/camera.h"

extern const tp_driver tp_driver_camerav4l2;
extern const tp_driver tp_driver_cvcam;

static char path[64];

/* A picture of two by one pixels, or of another size. */
static void put(tpi_buf *out, const char *mark, unsigned width, const char *format, const char *hex,
                unsigned length)
{
    tpi_buf_printf(out, "%s %02x 00 00 00 01 00 00 00 %02x %02x %02x %02x %02x 00 00 00 %s\n", mark,
                   width, (unsigned)format[0], (unsigned)format[1], (unsigned)format[2],
                   (unsigned)format[3], length, hex);
}

static play *begin(tpi_buf *text, const char *more)
{
    static char settings[160];

    snprintf(path, sizeof path, "/tmp/troupe-camera-%d.script", (int)getpid());
    assert_int_equal(tpi_file_write(path, text->data, text->length, NULL), TP_OK);
    tpi_buf_fini(text);
    snprintf(settings, sizeof settings, "port=script:%s %s", path, more);
    return play_begin(&tp_driver_camerav4l2, "camera:0", settings);
}

static void end(play *p)
{
    play_destroy(p);
    unlink(path);
}

static const tp_camera_data *await_picture(play *p, unsigned bytes)
{
    for (unsigned i = 0; i < 300; i++) {
        const tp_camera_data *data = play_last(p, TP_CAMERA_DATA_STATE);
        if (data != NULL && data->image_count == bytes) {
            return data;
        }
        play_pass(p, 0.02);
    }
    fail_msg("no picture of %u bytes", bytes);
    return NULL;
}

/* White and red as television has them. */
static void colours_are_converted(void **state)
{
    static const uint8_t white_red[] = {255, 255, 255, 255, 255, 255};
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "silence 0.2\n");
    put(&text, "<<", 2, "YUYV", "eb 80 eb 80", 4);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "timeout=60");
    const tp_camera_data *data = await_picture(p, 6);
    assert_int_equal(data->width, 2);
    assert_int_equal(data->format, TP_CAMERA_FORMAT_RGB888);
    assert_int_equal(data->compression, TP_CAMERA_COMPRESS_RAW);
    assert_memory_equal(data->image, white_red, 6);
    const tp_camera_data *again = play_get(p, TP_CAMERA_REQ_GET_IMAGE, NULL);
    assert_memory_equal(again->image, white_red, 6);
    end(p);
    tpi_buf_puts(&text, "silence 0.2\n");
    put(&text, "<<", 2, "YUYV", "51 5a 51 f0", 4);
    tpi_buf_puts(&text, "silence\n");
    p = begin(&text, "timeout=60");
    data = await_picture(p, 6);
    assert_in_range(data->image[0], 250, 255);
    assert_in_range(data->image[1], 0, 3);
    assert_in_range(data->image[2], 0, 3);
    end(p);
}

/* A picture may come in pieces; one that is shorter than its size says is dropped. */
static void other_formats_are_passed_on(void **state)
{
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "silence 0.2\n");
    put(&text, "<<", 3, "GREY", "01 02", 2);
    put(&text, "+0.05 <<", 3, "GREY", "01\n+0.001 << 02\n+0.001 << 03", 3);
    put(&text, "+0.5 <<", 2, "MJPG", "ff d8 ff d9", 4);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "timeout=60");
    const tp_camera_data *data = await_picture(p, 3);
    assert_int_equal(data->format, TP_CAMERA_FORMAT_MONO8);
    assert_memory_equal(data->image, "\1\2\3", 3);
    data = await_picture(p, 4);
    assert_int_equal(data->compression, TP_CAMERA_COMPRESS_JPEG);
    end(p);
}

static void what_is_no_picture_is_a_failure(void **state)
{
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "silence 0.2\n");
    put(&text, "<<", 0, "YUYV", "", 0);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "");
    play_assert_request_refused(p, TP_CAMERA_REQ_GET_IMAGE, NULL, "there is no picture yet");
    bench_move_clock(&p->b, 0.5);
    assert_string_equal(play_await_failure(p),
                        "camerav4l20: a picture of 0 x 1 pixels and 0 bytes is no picture");
    end(p);
    tpi_buf_puts(&text, "silence\n");
    p = begin(&text, "");
    bench_move_clock(&p->b, 6);
    assert_string_equal(play_await_failure(p), "camerav4l20: no picture for 5.0 s");
    end(p);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_camerav4l2, "camera:0", NULL, "mode=PNG",
                          "camerav4l20: mode is YUYV, MJPEG, GREY or RGB888, not \"PNG\"");
    play_assert_not_added(&tp_driver_camerav4l2, "camera:0", NULL, "size=1,1",
                          "camerav4l20: size has a width and a height from 16 to 8192");
    play_assert_not_added(&tp_driver_cvcam, "camera:0", NULL, "camindex=-1",
                          "cvcam0: camindex is a number from 0 to 255");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_converted),
        cmocka_unit_test(other_formats_are_passed_on),
        cmocka_unit_test(what_is_no_picture_is_a_failure),
        cmocka_unit_test(mistakes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
