/* scan_picture_test.c - scans as pictures: ahead is up, left is left, and everything fits. */
#include "scan_picture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "output.h"

static const double quarter = 1.5707963267948966;

static double range_of(const struct scan *scan, uint32_t i)
{
    return ((const double *)scan->data)[i];
}

/* From right to left. */
static double angle_of(const struct scan *scan, uint32_t i)
{
    return scan->count < 2 ? 0 : -quarter + 2 * quarter * i / (scan->count - 1);
}

static double unknown_angle(const struct scan *scan, uint32_t i)
{
    (void)scan;
    (void)i;
    return (double)NAN;
}

static struct scan scan_of(const double *ranges, uint32_t count)
{
    return (struct scan){count, range_of, angle_of, ranges, NULL, 8};
}

static void assert_view(const struct scan *scan, size_t columns, size_t lines, const char *wanted)
{
    const struct scan_room room = {columns, lines, false};
    tpi_buf out = {0};

    scan_put_view(&out, scan, &room);
    assert_string_equal(tpi_buf_text(&out), wanted);
    tpi_buf_fini(&out);
}

static void ahead_is_up_and_left_is_left(void **state)
{
    static const double ranges[] = {1, 2, 1};
    const struct scan scan = scan_of(ranges, 3);

    (void)state;
    assert_view(&scan, 30, 7,
                "      *\n"
                "\n"
                "\n"
                "\n"
                "  *   ^   *\n"
                "  nearest 1.00 m 90 deg right   left 1.00 m   ahead 2.00 m   right 1.00 m\n"
                "  3 ranges from 90 deg right to 90 deg left, up to 8 m; --human prints numbers\n");
}

static void what_gives_no_echo_is_not_drawn(void **state)
{
    const double ranges[] = {8, (double)NAN, (double)INFINITY, -1, 0};
    const struct scan scan = scan_of(ranges, 5);

    (void)state;
    assert_view(&scan, 60, 12,
                "  no echo   left no echo   ahead no echo   right no echo\n"
                "  5 ranges from 90 deg right to 90 deg left, up to 8 m; --human prints numbers\n");
}

static void without_room_there_are_only_words(void **state)
{
    static const double ranges[] = {1, 2, 1.5};
    const struct scan scan = scan_of(ranges, 3);
    const struct scan none = {.count = 0, .range = range_of, .angle = angle_of};

    (void)state;
    assert_view(&scan, 80, 5,
                "  nearest 1.00 m 90 deg right   left 1.50 m   ahead 2.00 m   right 1.00 m\n"
                "  3 ranges from 90 deg right to 90 deg left, up to 8 m; --human prints numbers\n");
    assert_view(&none, 80, 20, "  no echo\n  0 ranges; --human prints numbers\n");
}

/* Whatever the ranges are, and whatever room there is: no line is too long, and not too many. */
static void everything_fits(void **state)
{
    static double ranges[400];
    const struct scan scan = scan_of(ranges, 400);

    (void)state;
    for (uint32_t i = 0; i < 400; i++) {
        ranges[i] = i % 7 == 0 ? 1e9 : i % 5 == 0 ? 1e-9 : 0.02 * i;
    }
    for (size_t lines = 2; lines < 60; lines += 3) {
        for (size_t columns = 10; columns < 200; columns += 13) {
            const struct scan_room room = {columns, lines, lines % 2 == 0};
            tpi_buf out = {0};
            size_t count = 0;
            scan_put_view(&out, &scan, &room);
            for (const char *at = tpi_buf_text(&out); *at != '\0'; at++, count++) {
                const size_t length = strcspn(at, "\n");
                assert_true(count + 2 >= lines || strstr(at, "ranges") == NULL ||
                            output_width(at, length) <= (columns < 80 ? 80 : columns));
                assert_true(strstr(at, "nearest") == NULL || output_width(at, length) <= 80 ||
                            output_width(at, length) <= columns);
                at += length;
            }
            assert_true(count <= (lines > 2 ? lines : 2));
            tpi_buf_fini(&out);
        }
    }
}

static void single_sensors_are_bars(void **state)
{
    static const double ranges[] = {4, 8, 2};
    struct scan scan = scan_of(ranges, 3);
    const struct scan_room room = {50, 10, false};
    const struct scan_room small = {50, 4, false};
    tpi_buf out = {0};

    (void)state;
    scan_put_bars(&out, &scan, &room);
    assert_string_equal(
        tpi_buf_text(&out),
        "    0  90 deg right   4.00 m  ########\n"
        "    1  ahead         no echo  \n"
        "    2  90 deg left    2.00 m  ####\n"
        "  nearest 2.00 m 90 deg left   left 2.00 m   ahead no echo   right 4.00 m\n"
        "  3 ranges, up to 8 m; --human prints numbers\n");
    tpi_buf_clear(&out);
    scan.angle = unknown_angle;
    scan_put_bars(&out, &scan, &small);
    assert_string_equal(tpi_buf_text(&out), "    0  ?              4.00 m  ########\n"
                                            "  ... and 2 more\n"
                                            "  nearest 2.00 m\n"
                                            "  3 ranges, up to 8 m; --human prints numbers\n");
    tpi_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ahead_is_up_and_left_is_left),
        cmocka_unit_test(what_gives_no_echo_is_not_drawn),
        cmocka_unit_test(without_room_there_are_only_words),
        cmocka_unit_test(everything_fits),
        cmocka_unit_test(single_sensors_are_bars),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
