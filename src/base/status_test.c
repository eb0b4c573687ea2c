/* status_test.c - codes have names and texts, errors are filled, cut and wrapped. */
#include "troupe/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST_TEXT = sizeof((tp_error *)0)->text - 1 };

static const struct row {
    tp_status code;
    int number;
    const char *name;
    const char *text;
} rows[] = {
#define ROW(name, number, text) {TP_##name, number, #name, text},
    TP_STATUS_LIST(ROW)
#undef ROW
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static void every_code_has_its_name_and_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        assert_int_equal(rows[i].code, rows[i].number);
        assert_string_equal(tp_status_name(rows[i].code), rows[i].name);
        assert_string_equal(tp_status_text(rows[i].code), rows[i].text);
        assert_true(strlen(rows[i].text) > 0);
    }
    assert_string_equal(tp_status_name(TP_OK), "OK");
    assert_string_equal(tp_status_text(TP_OK), "success");
    assert_string_equal(tp_status_name(TP_E_NOMEM), "E_NOMEM");
    assert_string_equal(tp_status_text(TP_E_NOMEM), "out of memory");
}

static void success_is_zero_and_failures_are_negative_and_distinct(void **state)
{
    (void)state;
    assert_int_equal(TP_OK, 0);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const bool failure = strncmp(rows[i].name, "E_", 2) == 0;
        assert_true(failure == (rows[i].number < 0));
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(rows[i].code, rows[j].code);
            assert_string_not_equal(rows[i].name, rows[j].name);
            assert_string_not_equal(rows[i].text, rows[j].text);
        }
    }
}

static void an_unknown_code_has_a_name_and_text_too(void **state)
{
    static const int numbers[] = {2, -99, INT32_MIN};

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        assert_string_equal(tp_status_name((tp_status)numbers[i]), "E_?");
        assert_string_equal(tp_status_text((tp_status)numbers[i]), "unknown status");
    }
}

static void fail_fills_the_error_and_returns_the_code(void **state)
{
    tp_error err = {0};

    (void)state;
    assert_int_equal(tp_fail(&err, TP_E_RANGE, "%s is over %d", "speed", 5), TP_E_RANGE);
    assert_int_equal(err.code, TP_E_RANGE);
    assert_string_equal(err.text, "speed is over 5");
}

static void fail_without_an_error_only_returns_the_code(void **state)
{
    (void)state;
    assert_int_equal(tp_fail(NULL, TP_E_IO, "%s", "nobody asks"), TP_E_IO);
    assert_int_equal(tp_wrap(NULL, TP_E_IO, "nobody"), TP_E_IO);
}

static void a_later_failure_replaces_an_earlier_one(void **state)
{
    tp_error err;

    (void)state;
    tp_fail(&err, TP_E_RANGE, "a long text about the first failure");
    tp_fail(&err, TP_E_IO, "short");
    assert_int_equal(err.code, TP_E_IO);
    assert_string_equal(err.text, "short");
}

/* `length` times the letter x and a NUL. */
static void fill(char *out, size_t length)
{
    memset(out, 'x', length);
    out[length] = '\0';
}

static void a_text_that_just_fits_is_kept_whole(void **state)
{
    char text[LONGEST_TEXT + 1];
    tp_error err;

    (void)state;
    fill(text, LONGEST_TEXT);
    tp_fail(&err, TP_E_IO, "%s", text);
    assert_string_equal(err.text, text);
}

static void a_long_text_is_cut(void **state)
{
    char text[3 * LONGEST_TEXT + 1];
    tp_error err;

    (void)state;
    fill(text, sizeof text - 1);
    assert_int_equal(tp_fail(&err, TP_E_IO, "%s", text), TP_E_IO);
    assert_int_equal(strlen(err.text), LONGEST_TEXT);
    assert_memory_equal(err.text, text, LONGEST_TEXT);
}

static void each_layer_adds_its_name_once(void **state)
{
    tp_error err;

    (void)state;
    tp_fail(&err, TP_E_IO, "permission denied");
    assert_int_equal(tp_wrap(&err, TP_E_IO, "open /dev/ttyUSB0"), TP_E_IO);
    assert_string_equal(err.text, "open /dev/ttyUSB0: permission denied");
    assert_int_equal(tp_wrap(&err, TP_E_INVALID, "front_motor"), TP_E_INVALID);
    assert_string_equal(err.text, "front_motor: open /dev/ttyUSB0: permission denied");
    assert_int_equal(err.code, TP_E_INVALID);
}

static void wrapping_takes_percent_signs_as_they_are(void **state)
{
    tp_error err;

    (void)state;
    tp_fail(&err, TP_E_RANGE, "%s", "at 100%s");
    tp_wrap(&err, TP_E_RANGE, "%n power");
    assert_string_equal(err.text, "%n power: at 100%s");
}

static void wrapping_a_full_text_cuts_its_end(void **state)
{
    char text[LONGEST_TEXT + 1];
    tp_error err;

    (void)state;
    fill(text, LONGEST_TEXT);
    tp_fail(&err, TP_E_IO, "%s", text);
    tp_wrap(&err, TP_E_IO, "robot");
    assert_int_equal(strlen(err.text), LONGEST_TEXT);
    assert_memory_equal(err.text, "robot: xxx", 10);
}

static void wrapping_with_a_long_name_cuts_the_name(void **state)
{
    char who[2 * LONGEST_TEXT + 1];
    tp_error err;

    (void)state;
    fill(who, sizeof who - 1);
    tp_fail(&err, TP_E_IO, "broken");
    tp_wrap(&err, TP_E_IO, who);
    assert_int_equal(strlen(err.text), LONGEST_TEXT);
    assert_memory_equal(err.text, who, LONGEST_TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_name_and_text),
        cmocka_unit_test(success_is_zero_and_failures_are_negative_and_distinct),
        cmocka_unit_test(an_unknown_code_has_a_name_and_text_too),
        cmocka_unit_test(fail_fills_the_error_and_returns_the_code),
        cmocka_unit_test(fail_without_an_error_only_returns_the_code),
        cmocka_unit_test(a_later_failure_replaces_an_earlier_one),
        cmocka_unit_test(a_text_that_just_fits_is_kept_whole),
        cmocka_unit_test(a_long_text_is_cut),
        cmocka_unit_test(each_layer_adds_its_name_once),
        cmocka_unit_test(wrapping_takes_percent_signs_as_they_are),
        cmocka_unit_test(wrapping_a_full_text_cuts_its_end),
        cmocka_unit_test(wrapping_with_a_long_name_cuts_the_name),
    };

    return cmocka_run_group_tests_name("base/status", tests, NULL, NULL);
}
