/*
 * searchpattern_test.c - regions of drawn pictures, forms of patterns, and the driver.
 */
#include <string.h>

#include "conformance/play.h"
#include "conformance/puppet.h"
#include "regions.h"
#include "troupe/interfaces/blobfinder.h"
#include "troupe/interfaces/camera.h"

extern const tp_driver tp_driver_searchpattern;

enum { WIDTH = 16, HEIGHT = 9 };

/* A white hole in black is closed over corners; white ones are not connected there. */
static const char drawn[HEIGHT][WIDTH + 1] = {
    "................", /* a dot is white */
    "....##..........", /**/
    "...#..#....###..", /**/
    "...#..#....#.#..", /**/
    "....##.....###..", /**/
    "................", /**/
    "................", /**/
    "................", /**/
    "................", /**/
};

static void paint(uint8_t white[WIDTH * HEIGHT], const char picture[HEIGHT][WIDTH + 1])
{
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
        white[i] = picture[i / WIDTH][i % WIDTH] == '.';
    }
}

static void forms_have_one_order(void **state)
{
    char a[REGIONS_FORM], b[REGIONS_FORM];

    (void)state;
    assert_true(tpi_regions_form("(black (white (black) (black (white))))", a));
    assert_true(tpi_regions_form(" ( black(white (black (white)) (black) ) ) ", b));
    assert_string_equal(a, b);
    assert_string_equal(a, "(b(w(b(w))(b)))");
    assert_false(tpi_regions_form("", a));
    assert_false(tpi_regions_form("(grey)", a));
    assert_false(tpi_regions_form("(black", a));
    assert_false(tpi_regions_form("(black) (white)", a));
    assert_false(tpi_regions_form("(black ((white)))", a));
    char deep[400] = "";
    for (unsigned i = 0; i < 40; i++) {
        strcat(deep, "(black ");
    }
    assert_false(tpi_regions_form(deep, a));
}

static void regions_lie_in_each_other(void **state)
{
    struct regions r = {0};
    uint8_t white[WIDTH * HEIGHT];

    (void)state;
    paint(white, drawn);
    assert_true(tpi_regions_find(&r, white, WIDTH, HEIGHT, 1));
    assert_int_equal(r.count, 5); /* what is around, two rings, and a hole in each */
    assert_string_equal(r.all[0].form, "(w(b(w))(b(w)))");
    assert_string_equal(r.all[1].form, "(b(w))");
    assert_int_equal(r.all[1].area, 8);
    assert_int_equal(r.all[1].left, 3);
    assert_int_equal(r.all[1].bottom, 4);
    assert_int_equal(r.all[1].parent, 0);
    assert_true(tpi_regions_find(&r, white, WIDTH, HEIGHT, 2)); /* the small hole is left out */
    assert_string_equal(r.all[0].form, "(w(b(w))(b))");
    assert_true(tpi_regions_find(&r, white, 0, 0, 1)); /* an empty one has none */
    assert_int_equal(r.count, 0);
    tpi_regions_fini(&r);
}

/* As many regions as there can be, and more. */
static void noise_is_bounded(void **state)
{
    enum { SIDE = 256 };
    static uint8_t white[SIDE * SIDE];
    struct regions r = {0};

    (void)state;
    for (size_t i = 0; i < sizeof white; i++) { /* white spots in black, each alone */
        white[i] = (i / SIDE) % 2 == 1 && i % 2 == 1;
    }
    assert_true(tpi_regions_find(&r, white, SIDE, SIDE, 1));
    assert_int_equal(r.count, REGIONS_MOST);
    assert_string_equal(r.all[0].form, ""); /* more in it than any pattern has */
    tpi_regions_fini(&r);
}

static const char target[HEIGHT][WIDTH + 1] = {
    "................", /**/
    ".##########.....", /**/
    ".#........#.....", /**/
    ".#.##.###.#..##.", /**/
    ".#.##.#.#.#..##.", /**/
    ".#....###.#.....", /**/
    ".#........#.....", /**/
    ".##########.....", /**/
    "................", /**/
};

static void the_driver_finds_a_pattern(void **state)
{
    uint8_t pixels[WIDTH * HEIGHT];
    const tp_camera_data picture = {.width = WIDTH,
                                    .height = HEIGHT,
                                    .bpp = 8,
                                    .format = TP_CAMERA_FORMAT_MONO8,
                                    .fdiv = 1,
                                    .compression = TP_CAMERA_COMPRESS_RAW,
                                    .image_count = sizeof pixels,
                                    .image = pixels};
    play *p = play_create();

    (void)state;
    paint(pixels, target);
    for (size_t i = 0; i < sizeof pixels; i++) {
        pixels[i] = pixels[i] != 0 ? 200 : 40;
    }
    play_add(p, &puppet_driver, "camera:0", NULL, NULL);
    play_add(p, &tp_driver_searchpattern, "blobfinder:10", "camera:0",
             "patterns=(0x0000ff00(black(white))),(0x00ff0000(black(white(black)(black(white))))) "
             "min_blob_pixels=1");
    play_open(p);
    const tp_blobfinder_data *data =
        puppet_await(&p->r, "camera:0", TP_CAMERA_DATA_STATE, &picture, TP_BLOBFINDER_DATA_BLOBS);
    assert_int_equal(data->width, WIDTH);
    assert_int_equal(data->blobs_count, 2);
    assert_int_equal(data->blobs[0].color, 0xff0000); /* the frame with all that is in it */
    assert_int_equal(data->blobs[0].id, 1);
    assert_int_equal(data->blobs[0].left, 1);
    assert_int_equal(data->blobs[0].right, 10);
    assert_int_equal(data->blobs[0].bottom, 7);
    assert_int_equal(data->blobs[1].color, 0x00ff00); /* the spot with a hole */
    assert_int_equal(data->blobs[1].left, 6);
    play_destroy(p);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_searchpattern, "blobfinder:0", "camera:0", "patterns=(black)",
                          "searchpattern0: the pattern \"(black)\" is no list with a colour");
    play_assert_not_added(
        &tp_driver_searchpattern, "blobfinder:0", "camera:0", "patterns=(0xff(grey))",
        "searchpattern0: the pattern \"(0xff(grey))\" is no list of black and white, or too large");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_have_one_order), cmocka_unit_test(regions_lie_in_each_other),
        cmocka_unit_test(noise_is_bounded),     cmocka_unit_test(the_driver_finds_a_pattern),
        cmocka_unit_test(mistakes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
