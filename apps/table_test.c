/* table_test.c - tables are as wide as they have to be, and times are told in words. */
#include "table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stat_text.h"

static const char *const headings[] = {"NAME", ">COUNT", "WHAT", NULL};

static void assert_table(struct table *table, size_t indent, size_t most, const char *wanted)
{
    tpi_buf out = {0};

    table_put(&out, table, indent, most);
    assert_string_equal(tpi_buf_text(&out), wanted);
    tpi_buf_fini(&out);
}

static void columns_are_as_wide_as_their_widest_cell(void **state)
{
    struct table table;

    (void)state;
    table_init(&table, headings);
    assert_table(&table, 0, 0, "NAME  COUNT  WHAT\n");
    table_cell(&table, "position2d:%u", 0U);
    table_cell(&table, "%d", 7);
    table_cell(&table, "A robot.");
    table_cell(&table, "gr\xc3\xbcn");
    table_cell(&table, "1234567");
    table_cell(&table, "%s", "");
    assert_table(&table, 2, 0,
                 "  NAME            COUNT  WHAT\n"
                 "  position2d:0        7  A robot.\n"
                 "  gr\xc3\xbcn          1234567\n");
    assert_table(&table, 0, 27,
                 "NAME            COUNT  WHAT\n"
                 "position2d:0        7  A\n"
                 "gr\xc3\xbcn          1234567\n");
    table_fini(&table);
}

static void assert_fitting(const struct table *table, size_t most, const char *wanted)
{
    tpi_buf out = {0};

    table_put_fitting(&out, table, 0, most);
    assert_string_equal(tpi_buf_text(&out), wanted);
    tpi_buf_fini(&out);
}

static void columns_that_do_not_fit_are_left_out_whole(void **state)
{
    static const char *const many[] = {"NAME", ">READ", ">LOST", ">SENT", "STATE", NULL};
    static const char *const cells[] = {"a", "1", "0", "7", "well", "b", "22", "0.0", "8", "ill"};
    struct table table;

    (void)state;
    table_init(&table, many);
    for (size_t i = 0; i < 10; i++) {
        table_cell(&table, "%s", cells[i]);
    }
    assert_fitting(&table, 0,
                   "NAME  READ  LOST  SENT  STATE\n"
                   "a        1     0     7  well\n"
                   "b       22   0.0     8  ill\n");
    assert_fitting(&table, 29,
                   "NAME  READ  LOST  SENT  STATE\n"
                   "a        1     0     7  well\n"
                   "b       22   0.0     8  ill\n");
    assert_fitting(&table, 28,
                   "NAME  READ  SENT  STATE\n"
                   "a        1     7  well\n"
                   "b       22     8  ill\n");
    assert_fitting(&table, 15,
                   "NAME  READ\n"
                   "a        1\n"
                   "b       22\n"
                   "not shown here: SENT, STATE\n");
    assert_fitting(&table, 1,
                   "N\n"
                   "a\n"
                   "b\n"
                   "not shown here: READ, SENT, STATE\n");
    table_fini(&table);
}

static void long_texts_keep_their_beginning_and_their_end(void **state)
{
    static const char *const kinds[] = {"DEVICE", "NAME", "DRIVER", ">READ", "WHAT", NULL};
    static const char *const cells[] = {"laser:0",
                                        "a-robot-with-quite-a-long-name.laser",
                                        "sim0",
                                        "1",
                                        "A laser that scans.",
                                        "map:0",
                                        "gr\xc3\xbcn",
                                        "sim0",
                                        "0",
                                        "A map."};
    struct table table;

    (void)state;
    table_init(&table, kinds);
    for (size_t i = 0; i < 10; i++) {
        table_cell(&table, "%s", cells[i]);
    }
    assert_table(&table, 0, 48,
                 "DEVICE   NAME                 DRIVER  READ  WHAT\n"
                 "laser:0  a-robot-...me.laser  sim0       1  A\n"
                 "map:0    gr\xc3\xbcn                 sim0       0  A\n");
    assert_fitting(&table, 40,
                   "DEVICE   NAME              DRIVER  READ\n"
                   "laser:0  a-robot...laser  sim0       1\n"
                   "map:0    gr\xc3\xbcn              sim0       0\n"
                   "not shown here: WHAT\n");
    table_fini(&table);
}

static void cells_from_elsewhere_are_made_harmless(void **state)
{
    struct table table;

    (void)state;
    table_init(&table, headings);
    table_cell(&table, "%s", "a\033[2J\nb");
    assert_table(&table, 0, 0, "NAME     COUNT  WHAT\na?[2J?b\n");
    table_fini(&table);
}

static void assert_times(double seconds, const char *latency, const char *duration)
{
    char text[64];

    assert_string_equal(stat_latency(text, sizeof text, seconds), latency);
    assert_string_equal(stat_duration(text, sizeof text, seconds), duration);
}

static void times_are_told_in_words(void **state)
{
    (void)state;
    assert_times(0, "-", "0 s");
    assert_times(0.0000314, "31 us", "0 s");
    assert_times(0.0314, "31.4 ms", "0 s");
    assert_times(2.5, "2.5 s", "2 s");
    assert_times(185, "185.0 s", "3 min 5 s");
    assert_times(2 * 3600 + 61, "7261.0 s", "2 h 1 min");
    assert_times(3 * 86400 + 7200, "266400.0 s", "3 d 2 h");
    assert_times((double)NAN, "-", "?");
    assert_times(-1, "-", "?");
}

static void states_have_names(void **state)
{
    (void)state;
    assert_string_equal(stat_state(0), "idle");
    assert_string_equal(stat_state(4), "failed");
    assert_string_equal(stat_state(5), "troubled");
    assert_string_equal(stat_state(6), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
        cmocka_unit_test(columns_that_do_not_fit_are_left_out_whole),
        cmocka_unit_test(long_texts_keep_their_beginning_and_their_end),
        cmocka_unit_test(cells_from_elsewhere_are_made_harmless),
        cmocka_unit_test(times_are_told_in_words),
        cmocka_unit_test(states_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
