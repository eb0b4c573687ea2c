/* plot_test.c - pictures of curves: what is in them, and where. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void fill(struct plot_panel *panel, const char *title, double slope)
{
    strcpy(panel->title, title);
    strcpy(panel->x_label, "time [s]");
    strcpy(panel->y_label, "position [rad]");
    for (int i = 0; i <= 10; i++) {
        assert_true(plot_add(&panel->planned, i, slope * i));
        assert_true(plot_add(&panel->played, i, slope * i + 0.1));
    }
}

static unsigned count_of(const char *text, const char *word)
{
    unsigned count = 0;

    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

static void panels_have_axes_units_and_both_curves(void **state)
{
    struct plot_panel panels[2] = {0};
    tpi_buf out = {0};

    (void)state;
    fill(&panels[0], "head:0", 0.1);
    fill(&panels[1], "a < b & c", -5);
    plot_put(&out, panels, 2, "dance.csv");
    const char *svg = tpi_buf_text(&out);
    assert_int_equal(count_of(svg, ">time [s]<"), 2);
    assert_int_equal(count_of(svg, ">position [rad]<"), 2);
    assert_int_equal(count_of(svg, "class=\"planned\""), 3); /* one in the legend */
    assert_int_equal(count_of(svg, "class=\"played\""), 3);
    assert_int_equal(count_of(svg, "a &lt; b &amp; c"), 1);
    assert_non_null(strstr(svg, "<title>dance.csv</title>"));
    assert_non_null(strstr(svg, ">0.6</text>")); /* a tick */
    assert_non_null(strstr(svg, ">-40</text>"));
    plot_panel_fini(&panels[0]);
    plot_panel_fini(&panels[1]);
    tpi_buf_fini(&out);
}

/* A map has the same scale along both axes: a square stays a square. */
static void maps_are_not_stretched(void **state)
{
    static const double corners[][2] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};
    struct plot_panel panel = {.equal = true};
    tpi_buf out = {0};
    double x[4], y[4];

    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_true(plot_add(&panel.played, corners[i][0], corners[i][1]));
    }
    plot_put(&out, &panel, 1, "square");
    const char *path = strstr(tpi_buf_text(&out), "<rect class=\"frame\"");
    assert_non_null(path);
    path = strstr(path, "class=\"played\" d=\"M");
    assert_non_null(path);
    assert_int_equal(sscanf(path, "class=\"played\" d=\"M%lf %lfL%lf %lfL%lf %lfL%lf %lf", &x[0],
                            &y[0], &x[1], &y[1], &x[2], &y[2], &x[3], &y[3]),
                     8);
    assert_true(fabs((x[1] - x[0]) - (y[0] - y[3])) < 0.1);
    assert_true(x[1] > x[0] && y[0] > y[3]); /* x to the right, y up */
    plot_panel_fini(&panel);
    tpi_buf_fini(&out);
}

static void nothing_and_what_is_no_number_can_be_drawn(void **state)
{
    struct plot_panel panel = {0};
    tpi_buf out = {0};

    (void)state;
    assert_true(plot_add(&panel.played, (double)NAN, 1));
    assert_true(plot_add(&panel.played, 1, (double)INFINITY));
    assert_int_equal(panel.played.count, 0);
    plot_put(&out, &panel, 1, "");
    assert_null(strstr(tpi_buf_text(&out), "nan"));
    assert_true(plot_add(&panel.played, 1e300, 1e-300));
    tpi_buf_clear(&out);
    plot_put(&out, &panel, 1, "");
    assert_null(strstr(tpi_buf_text(&out), "nan"));
    plot_panel_fini(&panel);
    tpi_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_have_axes_units_and_both_curves),
        cmocka_unit_test(maps_are_not_stretched),
        cmocka_unit_test(nothing_and_what_is_no_number_can_be_drawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
