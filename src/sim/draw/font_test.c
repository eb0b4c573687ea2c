/* font_test.c - texts in pictures: every character has a shape, and none breaks a file. */
#include "sim/draw/draw.h"
#include "sim/draw/pen.h"
#include "support/sim.h"
#include "support/unit.h"

/* The extent of what is drawn at 0, 0 with units of 1. */
struct extent {
    uint32_t lines;
    double left, right, top, bottom;
};

static const double size = 8.57;

static struct extent extent_of(const char *text)
{
    struct draw_path path = {0};
    struct extent extent = {0};

    tpi_draw_font_put(&path, text, 0, 0, size);
    extent.lines = tpi_draw_path_lines(&path);
    for (uint32_t i = 0; i < extent.lines; i++) {
        uint32_t count;
        const struct draw_point *points = tpi_draw_path_line(&path, i, &count);
        for (uint32_t k = 0; k < count; k++) {
            extent.left = fmin(extent.left, points[k].x);
            extent.right = fmax(extent.right, points[k].x);
            extent.top = fmax(extent.top, -points[k].y);
            extent.bottom = fmin(extent.bottom, -points[k].y);
        }
    }
    tpi_draw_path_fini(&path);
    return extent;
}

static void letters_have_widths(void **state)
{
    (void)state;
    assert_true(tpi_draw_font_width("", 10) == 0);
    assert_true(tpi_draw_font_width("m", 10) > tpi_draw_font_width("i", 10));
    sim_assert_near(tpi_draw_font_width("ab", 20), 2 * tpi_draw_font_width("ab", 10), 1e-9);
    for (int code = 1; code < 256; code++) { /* also what has no letter is drawn */
        const char text[] = {(char)code, '\0'};
        assert_true(extent_of(text).lines > 0 || code == ' ');
    }
}

static bool is_same_shape(const char *a, const char *b)
{
    struct draw_path one = {0}, other = {0};

    tpi_draw_font_put(&one, a, 0, 0, size);
    tpi_draw_font_put(&other, b, 0, 0, size);
    bool same = tpi_draw_path_lines(&one) == tpi_draw_path_lines(&other);
    for (uint32_t i = 0; same && i < tpi_draw_path_lines(&one); i++) {
        uint32_t count, others;
        const struct draw_point *points = tpi_draw_path_line(&one, i, &count);
        const struct draw_point *more = tpi_draw_path_line(&other, i, &others);
        same = count == others && memcmp(points, more, count * sizeof *points) == 0;
    }
    tpi_draw_path_fini(&one);
    tpi_draw_path_fini(&other);
    return same;
}

/* Units are in pictures: "m/s^2", "kg*m". */
static void printable_characters_are_no_boxes(void **state)
{
    (void)state;
    assert_true(is_same_shape("\x01", "\x02"));
    for (char code = '!'; code <= '~'; code++) {
        const char text[] = {code, '\0'};
        if (is_same_shape(text, "\x01")) {
            fail_msg("%c has no shape", code);
        }
    }
}

/* As wide as the plain letter, and higher or lower. */
static void letters_have_marks(void **state)
{
    static const struct {
        const char *marked, *plain;
        double top, bottom; /* of the marked one */
    } cases[] = {
        {"ä", "a", 6, 0},  {"ü", "u", 6, 0},  {"Ö", "O", 8, 0},  {"é", "e", 6, 0},
        {"È", "E", 8, 0},  {"ê", "e", 6, 0},  {"ñ", "n", 6, 0},  {"å", "a", 7, 0},
        {"ç", "c", 4, -2}, {"Ç", "C", 6, -2}, {"ą", "a", 4, -2}, {"ž", "z", 6, 0},
        {"ő", "o", 6, 0},  {"ī", "i", 6, 0},  {"ğ", "g", 6, -2}, {"ż", "z", 6, 0},
        {"į", "i", 6, -2}, {"ď", "d", 8, 0},  {"Ț", "T", 6, -2}, {"Å", "A", 9, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct extent marked = extent_of(cases[i].marked);
        sim_assert_near(tpi_draw_font_width(cases[i].marked, size),
                        tpi_draw_font_width(cases[i].plain, size), 1e-9);
        sim_assert_near(marked.top, cases[i].top, 1e-9);
        sim_assert_near(marked.bottom, cases[i].bottom, 1e-9);
    }
    assert_int_equal(extent_of("ü").lines, 4); /* two lines and two dots */
    assert_int_equal(extent_of("ï").lines, 3); /* without the dot of the i */
    assert_int_equal(extent_of("ø").lines, 2);
    assert_int_equal(extent_of("ß").lines, 1);
}

static void other_characters_are_one_box_each(void **state)
{
    const double box = tpi_draw_font_width("\x01", size);
    const double gap = 1.9;

    (void)state;
    sim_assert_near(tpi_draw_font_width("\u65e5", size), box, 1e-9);
    sim_assert_near(tpi_draw_font_width("\U0001f916", size), box, 1e-9);
    sim_assert_near(tpi_draw_font_width("\u65e5\u672c", size), 2 * box + gap, 1e-9);
    sim_assert_near(tpi_draw_font_width("\xfc\xe4", size), 2 * box + gap, 1e-9); /* no UTF-8 */
    sim_assert_near(tpi_draw_font_width("\xe6\x97", size), 2 * box + gap, 1e-9); /* cut off */
    assert_int_equal(extent_of("\u65e5").lines, 1);
}

/* ---- SVG ------------------------------------------------------------------------------------- */

static void assert_svg_has(const char *name, const char *note, const char *expected)
{
    const tpi_draw_look look = {0};
    tpi_buf world = {0};
    tpi_buf out = {0};
    char wanted[100];

    tpi_buf_printf(&world, "position ( name \"%s\" )", name);
    tpi_sim *sim = sim_make_noted(tpi_buf_text(&world), note);
    assert_int_equal(tpi_draw_svg(&out, sim, &look, NULL), TP_OK);
    snprintf(wanted, sizeof wanted, ">%s</text>", expected);
    assert_non_null(strstr(out.data, wanted));
    tpi_buf_fini(&world);
    tpi_buf_fini(&out);
    tpi_sim_destroy(sim);
}

static void names_in_svg_are_utf8(void **state)
{
    const char *bad = "x.world:1:17: the text is not UTF-8";

    (void)state;
    assert_svg_has("Jürgen M", "", "Jürgen M");
    assert_svg_has("\u65e5\U0001f916", "", "\u65e5\U0001f916");
    assert_svg_has("J\xfcrgen", bad, "J?rgen");
    assert_svg_has("a\xe6\x97", bad, "a??");
    assert_svg_has("a\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", "", "a??\xef\xbf\xbd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_have_widths),
        cmocka_unit_test(printable_characters_are_no_boxes),
        cmocka_unit_test(letters_have_marks),
        cmocka_unit_test(other_characters_are_one_box_each),
        cmocka_unit_test(names_in_svg_are_utf8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
