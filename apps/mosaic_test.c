/* mosaic_test.c - pictures become cells of a terminal, and only what changes is sent. */
#include "mosaic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One cell: 2 by 4 pixels, in four quarters. */
static void paint(unsigned char *pixels, const uint32_t quarters[4])
{
    for (int i = 0; i < 8; i++) {
        const uint32_t colour = quarters[i % 2 + 2 * (i / 4)];
        pixels[3 * i] = (unsigned char)(colour >> 16);
        pixels[3 * i + 1] = (unsigned char)(colour >> 8);
        pixels[3 * i + 2] = (unsigned char)colour;
    }
}

static void assert_cell(mosaic_depth depth, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                        const char *wanted)
{
    const uint32_t quarters[4] = {a, b, c, d};
    struct mosaic mosaic = {.depth = depth};
    unsigned char pixels[24];
    tpi_buf out = {0};

    paint(pixels, quarters);
    assert_int_equal(mosaic_resize(&mosaic, 1, 1), TP_OK);
    mosaic_show(&mosaic, &out, pixels, 3);
    assert_string_equal(tpi_buf_text(&out), wanted);
    tpi_buf_clear(&out);
    mosaic_show(&mosaic, &out, pixels, 3); /* the same again: nothing to be done */
    assert_string_equal(tpi_buf_text(&out), depth == MOSAIC_ASCII ? "" : "\033[0m");
    tpi_buf_fini(&out);
    mosaic_fini(&mosaic);
}

static void a_cell_has_two_colours_in_four_quarters(void **state)
{
    (void)state;
    assert_cell(MOSAIC_TRUE, 0xff0000, 0xff0000, 0x0000ff, 0x0000ff,
                "\033[3;1H\033[48;2;0;0;255m\033[38;2;255;0;0m▀\033[0m");
    assert_cell(MOSAIC_TRUE, 0x102030, 0x102030, 0x102030, 0x102030,
                "\033[3;1H\033[48;2;16;32;48m \033[0m");
    assert_cell(MOSAIC_TRUE, 0xffffff, 0, 0, 0xffffff,
                "\033[3;1H\033[48;2;255;255;255m\033[38;2;0;0;0m▞\033[0m");
    assert_cell(MOSAIC_TRUE, 0, 0, 0, 0xffffff,
                "\033[3;1H\033[48;2;255;255;255m\033[38;2;0;0;0m▛\033[0m");
}

static void fewer_colours_are_the_nearest(void **state)
{
    (void)state;
    assert_cell(MOSAIC_256, 0xff0000, 0xff0000, 0x000000, 0x000000,
                "\033[3;1H\033[48;5;16m\033[38;5;196m▀\033[0m");
    assert_cell(MOSAIC_256, 0x808080, 0x808080, 0x808080, 0x808080,
                "\033[3;1H\033[48;5;244m \033[0m");
    assert_cell(MOSAIC_16, 0xaa0000, 0x55ff55, 0xaa0000, 0x55ff55,
                "\033[3;1H\033[102m\033[31m▌\033[0m");
}

static void without_colours_letters_are_dark_or_bright(void **state)
{
    (void)state;
    assert_cell(MOSAIC_ASCII, 0, 0, 0, 0, "\033[3;1H ");
    assert_cell(MOSAIC_ASCII, 0xffffff, 0xffffff, 0xffffff, 0xffffff, "\033[3;1H@");
    assert_cell(MOSAIC_ASCII, 0x808080, 0x808080, 0x808080, 0x808080, "\033[3;1H=");
    assert_cell(MOSAIC_ASCII, 0, 0, 0x808080, 0, "\033[3;1H="); /* what is thin is not lost */
}

static void only_what_changes_is_sent(void **state)
{
    enum { COLUMNS = 30, ROWS = 10 };
    static unsigned char pixels[3 * 2 * COLUMNS * 4 * ROWS];
    struct mosaic mosaic = {.depth = MOSAIC_TRUE};
    tpi_buf out = {0};

    (void)state;
    assert_int_equal(mosaic_resize(&mosaic, COLUMNS, ROWS), TP_OK);
    mosaic_show(&mosaic, &out, pixels, 1);
    assert_true(out.length > COLUMNS * ROWS);
    tpi_buf_clear(&out);
    for (size_t row = 8; row < 12; row++) { /* one cell, in column 5 and line 3 */
        memset(pixels + 3 * (row * 2 * COLUMNS + 8), 0xff, 6);
    }
    mosaic_show(&mosaic, &out, pixels, 1);
    assert_string_equal(tpi_buf_text(&out), "\033[3;5H\033[48;2;255;255;255m \033[0m");
    assert_int_equal(mosaic_resize(&mosaic, COLUMNS, ROWS),
                     TP_OK); /* everything is unknown again */
    tpi_buf_clear(&out);
    mosaic_show(&mosaic, &out, pixels, 1);
    assert_true(out.length > COLUMNS * ROWS);
    tpi_buf_fini(&out);
    mosaic_fini(&mosaic);
}

static void the_environment_tells_how_many_colours(void **state)
{
    static const char utf8[] = "C.UTF-8";

    (void)state;
    assert_int_equal(mosaic_depth_of("xterm-256color", "truecolor", NULL, utf8), MOSAIC_TRUE);
    assert_int_equal(mosaic_depth_of("xterm-256color", "24bit", "", utf8), MOSAIC_TRUE);
    assert_int_equal(mosaic_depth_of("xterm-direct", NULL, NULL, "en_GB.utf8"), MOSAIC_TRUE);
    assert_int_equal(mosaic_depth_of("screen-256color", NULL, NULL, utf8), MOSAIC_256);
    assert_int_equal(mosaic_depth_of("linux", NULL, NULL, utf8), MOSAIC_16);
    assert_int_equal(mosaic_depth_of("xterm-256color", "truecolor", "1", utf8), MOSAIC_ASCII);
    assert_int_equal(mosaic_depth_of("xterm-256color", "truecolor", NULL, "C"), MOSAIC_ASCII);
    assert_int_equal(mosaic_depth_of("xterm-256color", "truecolor", NULL, NULL), MOSAIC_ASCII);
    assert_int_equal(mosaic_depth_of(NULL, NULL, NULL, utf8), MOSAIC_ASCII);
}

static void text_on_the_picture_stays_and_is_drawn_over_afterwards(void **state)
{
    static const unsigned char pixels[3 * 2 * 3 * 4] = {0};
    struct mosaic mosaic = {.depth = MOSAIC_ASCII};
    tpi_buf out = {0};

    (void)state;
    assert_int_equal(mosaic_resize(&mosaic, 3, 1), TP_OK);
    mosaic_cover(&mosaic, 1, 0, 9);
    mosaic_cover(&mosaic, 1, 7, 1); /* below the last row */
    mosaic_show(&mosaic, &out, pixels, 1);
    assert_string_equal(tpi_buf_text(&out), "\033[1;1H ");
    tpi_buf_clear(&out);
    mosaic_cover(&mosaic, 1, 0, 1);
    mosaic_show(&mosaic, &out, pixels, 1);
    assert_string_equal(tpi_buf_text(&out), "\033[1;3H ");
    tpi_buf_clear(&out);
    mosaic_show(&mosaic, &out, pixels, 1);
    assert_string_equal(tpi_buf_text(&out), "\033[1;2H ");
    tpi_buf_fini(&out);
    mosaic_fini(&mosaic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_has_two_colours_in_four_quarters),
        cmocka_unit_test(fewer_colours_are_the_nearest),
        cmocka_unit_test(without_colours_letters_are_dark_or_bright),
        cmocka_unit_test(only_what_changes_is_sent),
        cmocka_unit_test(text_on_the_picture_stays_and_is_drawn_over_afterwards),
        cmocka_unit_test(the_environment_tells_how_many_colours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
