/* typed_test.c - keys from bytes: arrows are arrows, and ESC is a key only if it is alone. */
#include "typed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "troupe/clock.h"

/* The keys of the text, which comes at once, and of the silence behind it; returns how many. */
static size_t type(const char *text, int *keys, size_t most)
{
    struct typed typed = {0};
    size_t count = 0;

    for (const char *at = text; *at != '\0'; at++) {
        assert_int_equal(typed_pause(&typed, 0), TYPED_NONE);
        const int key = typed_byte(&typed, (unsigned char)*at, 0);
        if (key != TYPED_NONE && count < most) {
            keys[count++] = key;
        }
    }
    assert_int_equal(typed_pause(&typed, 10 * TP_NS_PER_MS), TYPED_NONE);
    const int key = typed_pause(&typed, TP_NS_PER_S);
    if (key != TYPED_NONE && count < most) {
        keys[count++] = key;
    }
    assert_int_equal(typed_pause(&typed, 2 * TP_NS_PER_S), TYPED_NONE);
    return count;
}

static void assert_key(const char *text, int wanted)
{
    int keys[4];

    assert_int_equal(type(text, keys, 4), 1);
    assert_int_equal(keys[0], wanted);
}

static void letters_are_themselves(void **state)
{
    (void)state;
    assert_key("q", 'q');
    assert_key("\t", '\t');
    assert_key("7", '7');
    assert_key("\xc3", 0xc3);
}

static void arrows_are_one_key_in_every_form(void **state)
{
    (void)state;
    assert_key("\033[A", TYPED_UP);
    assert_key("\033OB", TYPED_DOWN);
    assert_key("\033[1;5C", TYPED_RIGHT);
    assert_key("\033\033[D", TYPED_LEFT);
    assert_key("\033[Z", TYPED_BACKTAB);
}

static void other_keys_are_not_taken_for_letters(void **state)
{
    (void)state;
    assert_key("\033[5~", TYPED_OTHER);
    assert_key("\033OP", TYPED_OTHER);
    assert_key("\033[q", TYPED_OTHER);
    assert_key("\033x", TYPED_OTHER);
    assert_key("\033q", 'q');
    assert_key("\033[\001", TYPED_OTHER);
    assert_key("\033[\x80", TYPED_OTHER);
}

static void escape_alone_is_a_key(void **state)
{
    (void)state;
    assert_key("\033", TYPED_ESCAPE);
    assert_key("\033\033", TYPED_ESCAPE);
    assert_key("\033[", TYPED_OTHER);
    assert_key("\033[1;", TYPED_OTHER);
    assert_key("\033O", TYPED_OTHER);
}

static void a_sequence_ends_where_the_next_begins(void **state)
{
    int keys[4];

    (void)state;
    assert_int_equal(type("\033[1\033[Aq\033", keys, 4), 3);
    assert_int_equal(keys[0], TYPED_UP);
    assert_int_equal(keys[1], 'q');
    assert_int_equal(keys[2], TYPED_ESCAPE);
}

static void keys_that_waited_for_a_frozen_program_are_old(void **state)
{
    struct typed typed = {0};

    (void)state;
    assert_int_equal(typed_came_ns(&typed, 100 * TP_NS_PER_S), 100 * TP_NS_PER_S);
    assert_int_equal(typed_came_ns(&typed, 100 * TP_NS_PER_S + 50), 100 * TP_NS_PER_S + 50);
    assert_int_equal(typed_came_ns(&typed, 105 * TP_NS_PER_S), 100 * TP_NS_PER_S + 50);
    assert_int_equal(typed_came_ns(&typed, 105 * TP_NS_PER_S + 50), 105 * TP_NS_PER_S + 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_are_themselves),
        cmocka_unit_test(arrows_are_one_key_in_every_form),
        cmocka_unit_test(other_keys_are_not_taken_for_letters),
        cmocka_unit_test(escape_alone_is_a_key),
        cmocka_unit_test(a_sequence_ends_where_the_next_begins),
        cmocka_unit_test(keys_that_waited_for_a_frozen_program_are_old),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
