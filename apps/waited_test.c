/* waited_test.c - what waited in a pipe while a program was frozen is known. */
#include "waited.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "troupe/clock.h"

static const int64_t second = TP_NS_PER_S;

/* Whole seconds that a program with a lease of a second did not look. */
static int64_t look(struct waited *waited, int64_t now_ns, size_t there)
{
    return (int64_t)waited_look_s(waited, now_ns, second, there, 65536);
}

static void what_comes_in_time_is_new(void **state)
{
    struct waited waited = {0};

    (void)state;
    assert_int_equal(look(&waited, 1000 * second, 70000), 0); /* the first look: a batch */
    assert_int_equal(waited_take(&waited, 1000 * second, 16384), 0);
    for (int i = 1; i < 10; i++) {
        assert_int_equal(look(&waited, (1000 + i) * second, 50000), 0);
        assert_int_equal(waited_take(&waited, (1000 + i) * second, 100), 0);
    }
}

static void what_is_there_after_a_freeze_is_old_and_what_follows_is_new(void **state)
{
    struct waited waited = {0};

    (void)state;
    (void)look(&waited, 1000 * second, 0);
    assert_int_equal(look(&waited, 1003 * second, 300), 3);
    assert_int_equal(look(&waited, 1003 * second, 300), 0); /* is told once */
    assert_int_equal(waited_take(&waited, 1003 * second, 200), 200);
    assert_int_equal(waited_take(&waited, 1003 * second, 200), 100);
    assert_int_equal(waited_take(&waited, 1003 * second, 200), 0);
}

static void an_empty_pipe_has_nothing_old(void **state)
{
    struct waited waited = {0};

    (void)state;
    (void)look(&waited, 1000 * second, 0);
    assert_int_equal(look(&waited, 1003 * second, 0), 3);
    assert_int_equal(waited_take(&waited, 1003 * second, 200), 0);
}

static void a_writer_that_had_to_wait_has_something_old(void **state)
{
    struct waited waited = {0};

    (void)state;
    (void)look(&waited, 1000 * second, 0);
    assert_int_equal(look(&waited, 1003 * second, 65000), 3);
    assert_int_equal(waited_take(&waited, 1003 * second, 65000), 65000);
    assert_int_equal(waited_take(&waited, 1003 * second + second / 4, 100), 100);
    assert_int_equal(waited_take(&waited, 1003 * second + second * 3 / 4, 100), 0);
}

static void it_has_to_wait_sooner_where_less_fits(void **state)
{
    struct waited waited = {0};

    (void)state;
    (void)waited_look_s(&waited, 1000 * second, second, 0, 4096);
    assert_int_equal(waited_look_s(&waited, 1003 * second, second, 2048, 4096), 3);
    assert_int_equal(waited_take(&waited, 1003 * second, 2048), 2048);
    assert_int_equal(waited_take(&waited, 1003 * second + second / 4, 100), 100);
    assert_int_equal(waited_take(&waited, 1003 * second + second * 3 / 4, 100), 0);
}

static void the_second_freeze_counts_as_the_first(void **state)
{
    struct waited waited = {0};

    (void)state;
    (void)look(&waited, 1000 * second, 0);
    assert_int_equal(look(&waited, 1003 * second, 300), 3);
    assert_int_equal(waited_take(&waited, 1003 * second, 100), 100);
    assert_int_equal(look(&waited, 1008 * second, 500), 5); /* of these, 200 are older still */
    assert_int_equal(waited_take(&waited, 1008 * second, 600), 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_in_time_is_new),
        cmocka_unit_test(what_is_there_after_a_freeze_is_old_and_what_follows_is_new),
        cmocka_unit_test(an_empty_pipe_has_nothing_old),
        cmocka_unit_test(a_writer_that_had_to_wait_has_something_old),
        cmocka_unit_test(it_has_to_wait_sooner_where_less_fits),
        cmocka_unit_test(the_second_freeze_counts_as_the_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
