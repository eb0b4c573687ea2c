/* lapse_test.c - a program that was frozen knows for how long. */
#include "lapse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "troupe/clock.h"

static const int64_t second = TP_NS_PER_S;

/* Whole seconds of a command that is repeated every two, with a lease of one. */
static int64_t look(struct lapse *lapse, int64_t now_ns)
{
    return (int64_t)lapse_look_s(lapse, now_ns, 2 * second, second);
}

static void what_is_in_time_is_no_freeze(void **state)
{
    struct lapse lapse = {0};

    (void)state;
    assert_int_equal(look(&lapse, 1000 * second), 0);
    assert_int_equal(look(&lapse, 1002 * second), 0);
    assert_int_equal(look(&lapse, 1005 * second), 0);
}

static void a_lease_more_than_the_period_is_one_and_is_told_once(void **state)
{
    struct lapse lapse = {0};

    (void)state;
    assert_int_equal(look(&lapse, 1000 * second), 0);
    assert_int_equal(look(&lapse, 1004 * second), 4);
    assert_int_equal(look(&lapse, 1006 * second), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_time_is_no_freeze),
        cmocka_unit_test(a_lease_more_than_the_period_is_one_and_is_told_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
