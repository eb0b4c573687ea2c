/* chart_test.c - pictures of curves: what is in them, and where. */
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static unsigned count_of(const char *text, const char *word)
{
    unsigned count = 0;

    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

static struct chart_panel panel_of(tpi_log_curve *curve, double uncertainty)
{
    return (struct chart_panel){.title = "aio:0 STATE",
                                .x_label = "time (s)",
                                .y_label = "voltages[0] (V)",
                                .over_time = true,
                                .curves = {{curve, "volt <0>", uncertainty}},
                                .count = 1};
}

static void a_picture_has_axes_units_and_curves(void **state)
{
    tpi_log_curve *curve = tpi_log_curve_create(false);
    tpi_buf out = {0};

    (void)state;
    for (int i = 0; i <= 100; i++) {
        tpi_log_curve_add(curve, i * 0.1, sin(i * 0.1));
    }
    const struct chart_panel panels[] = {panel_of(curve, 0), panel_of(curve, 0.25)};
    assert_int_equal(chart_put(&out, false, panels, 1, "run.mcap", NULL), TP_OK);
    const char *text = tpi_buf_text(&out);
    assert_non_null(strstr(text, "<title>run.mcap</title>"));
    assert_non_null(strstr(text, ">time (s)</text>"));
    assert_non_null(strstr(text, ">voltages[0] (V)</text>"));
    assert_non_null(strstr(text, ">volt &lt;0>"));
    assert_non_null(strstr(text, ">10</text>")); /* the end of the time */
    assert_int_equal(count_of(text, "fill-opacity"), 0);

    /* A band is a surface that is seen through. */
    tpi_buf_clear(&out);
    assert_int_equal(chart_put(&out, false, panels, 2, "run.mcap", NULL), TP_OK);
    assert_int_equal(count_of(tpi_buf_text(&out), "fill-opacity"), 1);
    tpi_buf_fini(&out);
    tpi_log_curve_destroy(curve);
}

static void a_picture_can_be_pixels(void **state)
{
    tpi_log_curve *curve = tpi_log_curve_create(true);
    tpi_buf out = {0};

    (void)state;
    struct chart_panel panel = panel_of(curve, 0); /* without points, too */
    panel.over_time = false;
    panel.equal = true;
    assert_int_equal(chart_put(&out, true, &panel, 1, "x", NULL), TP_OK);
    assert_memory_equal(out.data, "\x89PNG\r\n\x1a\n", 8);
    const size_t empty = out.length;
    tpi_buf_clear(&out);
    for (int i = 0; i <= 60; i++) {
        tpi_log_curve_add(curve, cos(i * 0.1), sin(i * 0.1));
    }
    assert_int_equal(chart_put(&out, true, &panel, 1, "x", NULL), TP_OK);
    assert_true(out.length > empty);
    tpi_buf_fini(&out);
    tpi_log_curve_destroy(curve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_has_axes_units_and_curves),
        cmocka_unit_test(a_picture_can_be_pixels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
