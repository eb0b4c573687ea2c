/* plot_test.c - numbers of messages by their paths, and curves of millions of points. */
#include <math.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "log/curve.h"
#include "log/field.h"
#include "troupe/interfaces/joystick.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"

static void numbers_are_found_by_their_paths(void **state)
{
    const tp_position2d_data place = {.pos = {1.5, -2, 0.25}, .vel = {0.5, NAN, 0}, .stall = 1};
    float ranges[] = {3, 4.5F};
    const tp_laser_data scan = {.ranges_count = 2, .ranges = ranges, .id = 7};
    const tp_joystick_data stick = {.pos = {0, -300}};
    tpi_log_field field;
    double number = 0;

    (void)state;
    assert_int_equal(tpi_log_field_find(&field, &tp_desc_position2d_data, "pos.py", NULL), TP_OK);
    assert_true(tpi_log_field_number(&field, &place, &number));
    assert_true(number == -2);
    assert_string_equal(field.unit, "m");
    assert_int_equal(tpi_log_field_find(&field, &tp_desc_position2d_data, "vel.pa", NULL), TP_OK);
    assert_string_equal(field.unit, "rad/s");
    assert_int_equal(tpi_log_field_find(&field, &tp_desc_position2d_data, "vel.py", NULL), TP_OK);
    assert_false(tpi_log_field_number(&field, &place, &number)); /* not a number */
    assert_int_equal(tpi_log_field_find(&field, &tp_desc_position2d_data, "stall", NULL), TP_OK);
    assert_string_equal(field.unit, "");
    assert_int_equal(tpi_log_field_find(&field, &tp_desc_laser_data, "ranges[1]", NULL), TP_OK);
    assert_true(tpi_log_field_number(&field, &scan, &number));
    assert_true(number == 4.5);
    assert_int_equal(tpi_log_field_find(&field, &tp_desc_laser_data, "ranges[2]", NULL), TP_OK);
    assert_false(tpi_log_field_number(&field, &scan, &number)); /* shorter than that */
    assert_int_equal(tpi_log_field_find(&field, &tp_desc_joystick_data, "pos[1]", NULL), TP_OK);
    assert_true(tpi_log_field_number(&field, &stick, &number));
    assert_true(number == -300);
}

static void wrong_paths_are_told(void **state)
{
    static const struct {
        const char *path, *text;
    } wrong[] = {
        {"pos.pz", "there is no \"pz\"; there is px, py, pa"},
        {"place", "there is no \"place\"; there is pos, vel, stall"},
        {"pos", "\"pos\" is a struct: write pos.FIELD"},
        {"stall[0]", "\"stall\" is not an array"},
        {"stall.x", "\"stall\" is a number, with nothing behind it"},
        {"", "there is no \"\"; there is pos, vel, stall"},
    };
    tpi_log_field field;
    tp_error err;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(tpi_log_field_find(&field, &tp_desc_position2d_data, wrong[i].path, &err) < 0);
        assert_string_equal(err.text, wrong[i].text);
    }
    assert_true(tpi_log_field_find(&field, &tp_desc_laser_data, "ranges", &err) < 0);
    assert_string_equal(err.text, "\"ranges\" is an array: write NAME[0]");
    assert_true(tpi_log_field_find(&field, &tp_desc_laser_data, "ranges[-1]", &err) < 0);
    assert_true(tpi_log_field_find(&field, &tp_desc_laser_data, "ranges[1", &err) < 0);
    assert_true(tpi_log_field_find(&field, &tp_desc_joystick_data, "pos[8]", &err) < 0);
    assert_string_equal(err.text, "\"pos\" has 8 elements");
}

static void plain_numbers_are_listed(void **state)
{
    tpi_buf out = {0};

    (void)state;
    tpi_log_field_list(&tp_desc_position2d_data, &out);
    assert_string_equal(tpi_buf_text(&out),
                        "pos.px\npos.py\npos.pa\nvel.px\nvel.py\nvel.pa\nstall\n");
    tpi_buf_clear(&out);
    tpi_log_field_list(&tp_desc_laser_data, &out);
    assert_string_equal(tpi_buf_text(&out), "min_angle\nmax_angle\nresolution\nmax_range\nid\n");
    tpi_buf_fini(&out);
}

/* One point in a million is high: a picture has to show it. */
static void no_peak_of_a_million_points_is_lost(void **state)
{
    tpi_log_curve *curve = tpi_log_curve_create(false);
    const tpi_log_column *columns;
    double x[2], y[2];
    unsigned peaks = 0;
    uint64_t points = 0;

    (void)state;
    for (int i = 0; i < 1000000; i++) {
        tpi_log_curve_add(curve, i * 0.01, i == 654321 ? 100 : sin(i * 0.001));
    }
    tpi_log_curve_add(curve, NAN, 1);
    const size_t count = tpi_log_curve_columns(curve, &columns);
    assert_true(count > 1000 && count <= 4096);
    for (size_t i = 0; i < count; i++) {
        peaks += columns[i].high == 100;
        points += columns[i].count;
        assert_true(columns[i].low <= columns[i].first && columns[i].last <= columns[i].high);
        assert_true(i == 0 || columns[i].first_x > columns[i - 1].last_x);
    }
    assert_int_equal(peaks, 1);
    assert_int_equal(points, 1000000);
    assert_true(tpi_log_curve_range(curve, x, y));
    assert_true(x[0] == 0 && fabs(x[1] - 9999.99) < 1e-6 && y[1] == 100);
    tpi_log_curve_destroy(curve);
}

/* A long way is thinned out, and stays where it was. */
static void a_way_of_many_points_keeps_its_shape(void **state)
{
    tpi_log_curve *curve = tpi_log_curve_create(true);
    const tpi_log_column *columns;
    double x[2], y[2];

    (void)state;
    assert_false(tpi_log_curve_range(curve, x, y));
    for (int i = 0; i < 300000; i++) {
        tpi_log_curve_add(curve, 3 * cos(i * 1e-4), 3 * sin(i * 1e-4));
    }
    const size_t count = tpi_log_curve_columns(curve, &columns);
    assert_true(count > 500 && count <= 4096);
    for (size_t i = 0; i < count; i++) {
        assert_true(fabs(hypot(columns[i].first_x, columns[i].first) - 3) < 1e-9);
        assert_true(i == 0 || hypot(columns[i].first_x - columns[i - 1].first_x,
                                    columns[i].first - columns[i - 1].first) < 0.1);
    }
    assert_int_equal(tpi_log_curve_points(curve), 300000);
    tpi_log_curve_destroy(curve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_found_by_their_paths),
        cmocka_unit_test(wrong_paths_are_told),
        cmocka_unit_test(plain_numbers_are_listed),
        cmocka_unit_test(no_peak_of_a_million_points_is_lost),
        cmocka_unit_test(a_way_of_many_points_keeps_its_shape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
