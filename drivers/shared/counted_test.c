/* counted_test.c - texts with and without a NUL, empty ones, and those that do not fit. */
#include "counted.h"

#include "support/unit.h"

static void a_nul_at_the_end_does_not_matter(void **state)
{
    (void)state;
    assert_int_equal(tpi_counted_size("box"), 4);
    assert_true(tpi_counted_is("box", 4, "box"));
    assert_true(tpi_counted_is("box", 3, "box"));
    assert_false(tpi_counted_is("box", 2, "box"));
    assert_false(tpi_counted_is("boxes", 5, "box"));
    assert_true(tpi_counted_is(NULL, 0, ""));
}

static void what_does_not_fit_is_cut(void **state)
{
    (void)state;
    char text[4];

    assert_true(tpi_counted_copy(text, sizeof text, "box", 4));
    assert_string_equal(text, "box");
    assert_false(tpi_counted_copy(text, sizeof text, "boxes", 5));
    assert_string_equal(text, "box");
    assert_true(tpi_counted_copy(text, sizeof text, NULL, 0));
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nul_at_the_end_does_not_matter),
        cmocka_unit_test(what_does_not_fit_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
