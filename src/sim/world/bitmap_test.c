/*
 * bitmap_test.c - pictures of every format.
 *
 * All show the same: 16 by 8 pixels, the right half black, the left half white with a red square
 * from 2, 2 to 5, 5. Red is not dark: only the first channel counts.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "sim/world/bitmap.h"
#include "sim/world/shape.h"
#include "support/memory.h"
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

/* ---- Outlines -------------------------------------------------------------------------------- */

enum { NOISE = 1500 };

/* A picture whose pixels are dark by chance. */
static void make_noise(struct sim_bitmap *bitmap)
{
    uint64_t state = 1;

    *bitmap = (struct sim_bitmap){0};
    assert_int_equal(tpi_sim_bitmap_init(bitmap, NOISE, NOISE, NULL), TP_OK);
    for (size_t i = 0; i < (size_t)NOISE * NOISE; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bitmap->pixels[i] = (unsigned char)(state >> 63);
    }
}

static void noise_is_refused_before_it_fills_the_memory(void **state)
{
    struct sim_bitmap bitmap;
    struct sim_shape shape = {0};
    tp_error err = {0};

    (void)state;
    make_noise(&bitmap);
    memory_forget_peak();
    const long before = memory_bytes();
    assert_int_equal(tpi_sim_shape_trace(&shape, &bitmap, &err), TP_E_LIMIT);
    assert_string_equal(err.text, "the picture has more than 524288 corners, as noise has; remove "
                                  "the noise, or scale the picture down");
    assert_true(memory_peak() - before < (long)TPI_SIM_MOST_TRACED * 128);
    tpi_sim_shape_fini(&shape);
    tpi_sim_bitmap_fini(&bitmap);
}

/* One polygon may have all corners: a comb. */
static void a_long_outline_is_refused_too(void **state)
{
    struct sim_bitmap bitmap = {0};
    struct sim_shape shape = {0};

    (void)state;
    assert_int_equal(tpi_sim_bitmap_init(&bitmap, 1 << 19, 3, NULL), TP_OK);
    for (size_t i = 0; i < (size_t)1 << 19; i++) {
        bitmap.pixels[i] = i % 2 == 0;
        bitmap.pixels[((size_t)1 << 19) + i] = 1;
    }
    memory_forget_peak();
    const long before = memory_bytes();
    assert_int_equal(tpi_sim_shape_trace(&shape, &bitmap, NULL), TP_E_LIMIT);
    assert_true(memory_peak() - before < (long)TPI_SIM_MOST_TRACED * 128);
    tpi_sim_shape_fini(&shape);
    tpi_sim_bitmap_fini(&bitmap);
}

/* ---- Packed pictures ------------------------------------------------------------------------- */

static const char packed_path[] = "/tmp/troupe-bitmap-test.pgm";

static void write_packed(const void *bytes, size_t length)
{
    char path[64];

    snprintf(path, sizeof path, "%s.gz", packed_path);
    assert_int_equal(tpi_file_write(path, bytes, length, NULL), TP_OK);
}

/* "P2 2 1 255 0 255", packed by gzip -n. */
static const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
                                       0x03, 0x0b, 0x30, 0x52, 0x30, 0x52, 0x30, 0x54, 0x30,
                                       0x32, 0x35, 0x55, 0x30, 0x00, 0x91, 0x5c, 0x00, 0x37,
                                       0xca, 0xbe, 0x78, 0x11, 0x00, 0x00, 0x00};

/* Also by the name without ".gz"; cut off anywhere, it is refused. */
static void packed_pictures_are_read(void **state)
{
    struct sim_bitmap bitmap = {0};
    tp_error err = {0};

    (void)state;
    write_packed(packed, sizeof packed);
    assert_int_equal(tpi_sim_bitmap_load(&bitmap, packed_path, &err), TP_OK);
    assert_int_equal(bitmap.width, 2);
    assert_int_equal(bitmap.pixels[0], 1);
    assert_int_equal(bitmap.pixels[1], 0);
    tpi_sim_bitmap_fini(&bitmap);
    for (size_t length = 3; length < sizeof packed; length++) {
        write_packed(packed, length);
        assert_int_not_equal(tpi_sim_bitmap_load(&bitmap, packed_path, &err), TP_OK);
        assert_string_equal(err.text, "/tmp/troupe-bitmap-test.pgm.gz: the packed picture is "
                                      "damaged or cut off");
        tpi_sim_bitmap_fini(&bitmap);
    }
    (void)unlink("/tmp/troupe-bitmap-test.pgm.gz");
    assert_int_not_equal(tpi_sim_bitmap_load(&bitmap, packed_path, &err), TP_OK);
    assert_string_equal(err.text, "/tmp/troupe-bitmap-test.pgm: No such file or directory");
}

/* A small file that unpacks to more than it may. */
static void packed_pictures_do_not_fill_the_memory(void **state)
{
    tpi_buf out = {0};
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_sim_gzip_unpack(&out, packed, sizeof packed, 10, &err), TP_E_LIMIT);
    assert_string_equal(err.text, "the packed picture has more than 10 bytes");
    tpi_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bmp_of_every_depth_is_read),
        cmocka_unit_test(bad_bmp_is_refused),
        cmocka_unit_test(jpeg_is_read),
        cmocka_unit_test(grey_jpeg_is_read),
        cmocka_unit_test(bad_jpeg_is_refused),
        cmocka_unit_test(packed_pictures_are_read),
        cmocka_unit_test(packed_pictures_do_not_fill_the_memory),
        cmocka_unit_test(noise_is_refused_before_it_fills_the_memory),
        cmocka_unit_test(a_long_outline_is_refused_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
