/* output_test.c - text from elsewhere is made harmless and fits its columns. */
#include "output.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_clean(const char *text, const char *wanted)
{
    tpi_buf out = {0};

    output_put_clean(&out, text, strlen(text));
    assert_string_equal(tpi_buf_text(&out), wanted);
    tpi_buf_fini(&out);
}

static void nothing_steers_the_terminal(void **state)
{
    (void)state;
    assert_clean("plain", "plain");
    assert_clean("\033[2Jgone\a\r\n\x7f", "?[2Jgone????");
    assert_clean("\xc2\x9b"
                 "2J",
                 "?2J"); /* the same in one character */
    assert_clean("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
    assert_clean("\xff\xc3", "??");
}

static void text_ends_at_its_length_or_nul(void **state)
{
    tpi_buf out = {0};

    (void)state;
    output_put_clean(&out, "laser", 3);
    output_put_clean(&out, "\0er", 3);
    assert_string_equal(tpi_buf_text(&out), "las");
    tpi_buf_fini(&out);
}

static void lines_stay_lines(void **state)
{
    tpi_buf out = {0};

    (void)state;
    output_put_lines(&out, "a\n\n  b\033");
    assert_string_equal(tpi_buf_text(&out), "a\n\n  b?\n");
    tpi_buf_fini(&out);
}

static void json_is_json_whatever_the_text(void **state)
{
    tpi_buf out = {0};

    (void)state;
    output_put_json(&out, "a\"\\\n\xff\xc3\xbc", 8);
    assert_string_equal(tpi_buf_text(&out), "\"a\\\"\\\\\\u000a?\xc3\xbc\"");
    tpi_buf_clear(&out);
    output_put_number(&out, NAN);
    output_put_number(&out, -(double)INFINITY);
    output_put_number(&out, 0.1);
    assert_string_equal(tpi_buf_text(&out), "\"NaN\"\"-Infinity\"0.1");
    tpi_buf_fini(&out);
}

static void a_sentence_ends_with_its_point(void **state)
{
    (void)state;
    assert_int_equal(output_sentence("A hand. It closes."), 7);
    assert_int_equal(output_sentence("Version 0.1 of it"), 17);
    assert_int_equal(output_sentence(""), 0);
}

static void columns_are_counted_in_characters(void **state)
{
    (void)state;
    assert_int_equal(output_width("abc", 3), 3);
    assert_int_equal(output_width("\xc3\xbc", 2), 1);
    assert_int_equal(output_width("\xe6\xbc\xa2", 3), 2);
    assert_int_equal(output_fit("abc", 3, 2), 2);
    assert_int_equal(output_fit("\xc3\xbc\xc3\xbc", 4, 1), 2);
    assert_int_equal(output_fit("a\xe6\xbc\xa2", 4, 2), 1);
    assert_int_equal(output_fit("abc", 3, 9), 3);
}

static void counts_have_words_that_fit(void **state)
{
    (void)state;
    assert_string_equal(output_plural(0), "s");
    assert_string_equal(output_plural(1), "");
    assert_string_equal(output_plural(2), "s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_have_words_that_fit),
        cmocka_unit_test(nothing_steers_the_terminal),
        cmocka_unit_test(text_ends_at_its_length_or_nul),
        cmocka_unit_test(lines_stay_lines),
        cmocka_unit_test(json_is_json_whatever_the_text),
        cmocka_unit_test(a_sentence_ends_with_its_point),
        cmocka_unit_test(columns_are_counted_in_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
