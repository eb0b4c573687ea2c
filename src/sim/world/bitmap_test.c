/*
 * bitmap_test.c - pictures of every format.
 *
 * All show the same: 16 by 8 pixels, the right half black, the left half white with a red square
 * from 2, 2 to 5, 5. Red is not dark: only the first channel counts.
 */
#include <stdio.h>

#include "sim/world/bitmap.h"
#include "support/unit.h"

enum { WIDTH = 16, HEIGHT = 8 };

#define FOLDER TEST_ROOT "/tests/fuzz/corpus/bitmap/"

static bool is_red(size_t x, size_t y)
{
    return x >= 2 && x < 6 && y >= 2 && y < 6;
}

/* Whether a part of a colour is what it should be, as near as JPEG comes. */
static void is_near(int part, int wanted, const char *name, size_t x, size_t y)
{
    if (part > wanted + 40 || part < wanted - 40) {
        fail_msg("%s at %zu, %zu: %d, not %d", name, x, y, part, wanted);
    }
}

static void has_pixels(const struct sim_bitmap *bitmap, const char *name, bool coloured)
{
    assert_int_equal(bitmap->width, WIDTH);
    assert_int_equal(bitmap->height, HEIGHT);
    for (size_t y = 0; y < HEIGHT; y++) {
        for (size_t x = 0; x < WIDTH; x++) {
            const unsigned char *rgb = &bitmap->rgb[3 * (y * WIDTH + x)];
            if (bitmap->pixels[y * WIDTH + x] != (x >= 8)) {
                fail_msg("%s at %zu, %zu", name, x, y);
            }
            is_near(rgb[0], x >= 8 ? 0 : 255, name, x, y);
            is_near(rgb[1], x >= 8 || (coloured && is_red(x, y)) ? 0 : 255, name, x, y);
            is_near(rgb[2], x >= 8 || (coloured && is_red(x, y)) ? 0 : 255, name, x, y);
        }
    }
}

/* A file has these pixels, and their colours. */
static void shows_the_picture(const char *name, bool coloured)
{
    struct sim_bitmap bitmap;
    char path[512];
    tp_error err = {0};

    snprintf(path, sizeof path, FOLDER "%s", name);
    const tp_status status = tpi_sim_bitmap_load_colours(&bitmap, path, &err);
    if (status == TP_E_UNSUPPORTED) {
        print_message("%s\n", err.text);
        skip();
    }
    assert_string_equal(err.text, "");
    has_pixels(&bitmap, name, coloured);
    tpi_sim_bitmap_fini(&bitmap);
}

static void is_refused(const char *name, const char *why)
{
    struct sim_bitmap bitmap;
    char path[512];
    char wanted[640];
    tp_error err = {0};

    snprintf(path, sizeof path, FOLDER "%s", name);
    snprintf(wanted, sizeof wanted, "%s: %s", path, why);
    assert_int_not_equal(tpi_sim_bitmap_load(&bitmap, path, &err), TP_OK);
    assert_string_equal(err.text, wanted);
    tpi_sim_bitmap_fini(&bitmap);
}

static void bmp_of_every_depth_is_read(void **state)
{
    (void)state;
    shows_the_picture("colour24.bmp", true);
    shows_the_picture("colour32-top.bmp", true);
    shows_the_picture("palette8.bmp", true);
    shows_the_picture("palette4.bmp", true);
    shows_the_picture("bits-old.bmp", false);
}

static void bad_bmp_is_refused(void **state)
{
    (void)state;
    is_refused("cut.bmp", "the picture ends before its last pixel");
    is_refused("head.bmp", "the head of the picture has no width and height");
    is_refused("compressed.bmp", "the picture is compressed; please convert it");
}

static void jpeg_is_read(void **state)
{
    (void)state;
    shows_the_picture("colour.jpg", true);
    shows_the_picture("progressive.jpg", true);
}

static void grey_jpeg_is_read(void **state)
{
    struct sim_bitmap bitmap;

    (void)state;
    if (tpi_sim_bitmap_load(&bitmap, FOLDER "grey.jpg", NULL) == TP_E_UNSUPPORTED) {
        skip();
    }
    assert_int_equal(bitmap.width, WIDTH);
    assert_true(bitmap.pixels[8] && !bitmap.pixels[0]);
    assert_true(bitmap.pixels[3 * WIDTH + 3]); /* red is dark when it is grey */
    tpi_sim_bitmap_fini(&bitmap);
}

static void bad_jpeg_is_refused(void **state)
{
    struct sim_bitmap bitmap;

    (void)state;
    if (tpi_sim_bitmap_load(&bitmap, FOLDER "colour.jpg", NULL) == TP_E_UNSUPPORTED) {
        skip();
    }
    tpi_sim_bitmap_fini(&bitmap);
    is_refused("cut.jpg", "the picture is damaged: Premature end of JPEG file");
    is_refused("cmyk.jpg", "the picture has 4 colours to a pixel; please convert it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bmp_of_every_depth_is_read),
        cmocka_unit_test(bad_bmp_is_refused),
        cmocka_unit_test(jpeg_is_read),
        cmocka_unit_test(grey_jpeg_is_read),
        cmocka_unit_test(bad_jpeg_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
