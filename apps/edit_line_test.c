/* edit_line_test.c - keys in, lines out; no terminal. */
#include "edit_line.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Type keys; the lines that came out, each with a |. */
static const char *type(edit_line *e, const char *keys, size_t length)
{
    static char lines[256];
    tpi_buf out = {0};

    lines[0] = '\0';
    edit_line_begin(e, "> ", &out);
    for (size_t i = 0; i < length; i++) {
        const edit_state state = edit_line_key(e, keys[i], &out);
        if (state == EDIT_ENDS) {
            strcat(lines, "end");
        } else if (state == EDIT_DONE) {
            strncat(lines, e->text, e->length);
            strcat(lines, "|");
            edit_line_begin(e, "> ", &out);
        }
    }
    assert_false(out.failed);
    tpi_buf_fini(&out);
    return lines;
}

#define TYPED(e, keys) type(e, keys, sizeof keys - 1)

static void keys_change_the_line(void **state)
{
    edit_line e = {0};

    (void)state;
    assert_string_equal(TYPED(&e, "drive 30\n"), "drive 30|");
    assert_string_equal(TYPED(&e, "drve\033[D\033[Di\033[C\033[C 5\n"), "drive 5|");
    assert_string_equal(TYPED(&e, "xstop\001\033[3~\005!\177\n"), "stop|");
    assert_string_equal(TYPED(&e, "abc\033[D\025x\n"), "xc|");
    assert_string_equal(TYPED(&e, "abc\033[D\033[D\013\n"), "a|");
    assert_string_equal(TYPED(&e, "a\004"), "");
    assert_string_equal(TYPED(&e, "\004"), "end");
    edit_line_fini(&e);
}

static void characters_are_whole(void **state)
{
    edit_line e = {0};

    (void)state;
    assert_string_equal(TYPED(&e, "grün\033[D\177u\n"), "grun|");
    assert_string_equal(TYPED(&e, "ä\033[D\033[Cö\033OH\033[3~\n"), "ö|");
    edit_line_fini(&e);
}

static void the_history_is_walked_and_what_was_typed_stays(void **state)
{
    edit_line e = {0};

    (void)state;
    assert_string_equal(TYPED(&e, "one\ntwo\ntwo\n\n"), "one|two|two||");
    assert_string_equal(TYPED(&e, "\033[A\n"), "two|");
    assert_string_equal(TYPED(&e, "\033[A\033[A\033[A\n"), "one|");
    assert_string_equal(TYPED(&e, "thr\033[A\033[A\033[B\033[Bee\n"), "three|");
    edit_line_fini(&e);
}

static void keys_that_mean_nothing_change_nothing(void **state)
{
    edit_line e = {0};

    (void)state;
    assert_string_equal(TYPED(&e, "a\033[5~\033[1;5Zb\033xc\002\n"), "abc|");
    /* Too long for a key: the rest is typed. */
    assert_string_equal(TYPED(&e, "\033[9999999999z\n"), "9999z|");
    edit_line_fini(&e);
}

static void long_lines_and_many_lines_are_cut(void **state)
{
    edit_line e = {0};
    tpi_buf out = {0};

    (void)state;
    edit_line_begin(&e, "> ", &out);
    for (unsigned i = 0; i < EDIT_LINE_MOST + 5; i++) {
        tpi_buf_clear(&out);
        edit_line_key(&e, 'x', &out);
    }
    assert_int_equal(e.length, EDIT_LINE_MOST - 1);
    for (unsigned i = 0; i < EDIT_LINE_HISTORY + 5; i++) {
        edit_line_key(&e, '\n', &out);
        edit_line_begin(&e, "> ", &out);
        edit_line_key(&e, (char)('a' + i % 26), &out);
    }
    assert_int_equal(e.count, EDIT_LINE_HISTORY);
    tpi_buf_fini(&out);
    edit_line_fini(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_change_the_line),
        cmocka_unit_test(characters_are_whole),
        cmocka_unit_test(the_history_is_walked_and_what_was_typed_stays),
        cmocka_unit_test(keys_that_mean_nothing_change_nothing),
        cmocka_unit_test(long_lines_and_many_lines_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
