/* feed_test.c - values are found whole, however the text is cut, and mistakes at their line. */
#include "feed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The values of a text that comes in pieces of so many letters, each in angle brackets; what is
 * left at the end behind a bar. */
static void assert_values(const char *text, const char *wanted)
{
    for (size_t piece = 1; piece <= strlen(text) + 1; piece++) {
        struct feed feed = {0};
        tpi_buf found = {0};
        const char *value = NULL;
        size_t length = 0;

        for (size_t at = 0; at < strlen(text); at += piece) {
            const size_t left = strlen(text) - at;
            assert_true(feed_add(&feed, text + at, left < piece ? left : piece));
            while (feed_next(&feed, &value, &length)) {
                tpi_buf_printf(&found, "<%.*s>", (int)length, value);
            }
        }
        if (feed_rest(&feed, &value, &length)) {
            tpi_buf_printf(&found, "|%.*s", (int)length, value);
        }
        assert_string_equal(tpi_buf_text(&found), wanted);
        tpi_buf_fini(&found);
        feed_fini(&feed);
    }
}

static void values_end_where_their_braces_do(void **state)
{
    (void)state;
    assert_values("", "");
    assert_values(" \n\t\r\n", "");
    assert_values("{}", "<{}>");
    assert_values("{}\n{\"a\":1}\n", "<{}><{\"a\":1}>");
    assert_values("{\"a\":[{},{\"b\":2}]}{}[1,\n2]", "<{\"a\":[{},{\"b\":2}]}><{}><[1,\n2]>");
    assert_values("{\n  \"a\": {\n  }\n}\n\n{}", "<{\n  \"a\": {\n  }\n}><{}>");
}

static void what_is_quoted_is_no_brace(void **state)
{
    (void)state;
    assert_values("{\"}\":\"{\\\"}\\\\\"} {}", "<{\"}\":\"{\\\"}\\\\\"}><{}>");
    assert_values("\"a b\" \"c\"", "<\"a b\"><\"c\">");
}

static void words_end_at_a_blank(void **state)
{
    (void)state;
    assert_values("null\nnull 12\nx", "<null><null><12>|x");
    assert_values("}} {}", "<}}><{}>");
}

static void what_is_not_whole_is_left(void **state)
{
    (void)state;
    assert_values("{} {\"a\":", "<{}>|{\"a\":");
    assert_values("{\"a", "|{\"a");
}

static void mistakes_are_at_their_place_in_the_whole_input(void **state)
{
    static const char text[] = "{}\n\n {\"a\":1} {\n\"b\"}";
    static const char *const sentence = "line 1, column 2: so";
    static const char *const wanted[] = {"line 1, column 2: so", "line 3, column 3: so",
                                         "line 3, column 11: so"};
    struct feed feed = {0};
    tpi_buf out = {0};
    const char *value = NULL;
    size_t length = 0;

    (void)state;
    assert_true(feed_add(&feed, text, strlen(text)));
    for (size_t i = 0; i < 3; i++) {
        assert_true(feed_next(&feed, &value, &length));
        tpi_buf_clear(&out);
        feed_place(&feed, sentence, &out);
        assert_string_equal(tpi_buf_text(&out), wanted[i]);
    }
    tpi_buf_clear(&out);
    feed_place(&feed, "line 2, column 4: so", &out);
    assert_string_equal(tpi_buf_text(&out), "line 4, column 4: so");
    tpi_buf_clear(&out);
    feed_place(&feed, "too late", &out);
    assert_string_equal(tpi_buf_text(&out), "line 3, column 10: too late");
    tpi_buf_fini(&out);
    feed_fini(&feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_end_where_their_braces_do),
        cmocka_unit_test(what_is_quoted_is_no_brace),
        cmocka_unit_test(words_end_at_a_blank),
        cmocka_unit_test(what_is_not_whole_is_left),
        cmocka_unit_test(mistakes_are_at_their_place_in_the_whole_input),
    };

    return cmocka_run_group_tests_name("apps/feed", tests, NULL, NULL);
}
