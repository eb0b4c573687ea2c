/* options_test.c - option structs of programs that were compiled with another header. */
#include "base/options.h"

#include <string.h>

#include "support/unit.h"

/* Three versions of the same struct. */
struct older {
    size_t size;
    long a;
};
struct ours {
    size_t size;
    long a;
    long b;
};
struct newer {
    size_t size;
    long a;
    long b;
    long c;
};

static const tpi_options_kind kind = {"our_options", sizeof(struct ours),
                                      TPI_OPTIONS_END(struct ours, a)};

static struct ours take(const void *options)
{
    struct ours out;

    memset(&out, 0x55, sizeof out);
    assert_int_equal(tpi_options_take(&out, &kind, options, NULL), TP_OK);
    assert_int_equal(out.size, sizeof out);
    return out;
}

static void options_of_the_same_version_are_copied(void **state)
{
    const struct ours options = {sizeof options, 1, 2};
    const struct ours out = take(&options);

    (void)state;
    assert_int_equal(out.a, 1);
    assert_int_equal(out.b, 2);
}

static void fields_that_an_older_program_does_not_have_are_zero(void **state)
{
    const struct older options = {sizeof options, 1};
    const struct ours out = take(&options);

    (void)state;
    assert_int_equal(out.a, 1);
    assert_int_equal(out.b, 0);
}

static void a_size_of_zero_is_the_first_version(void **state)
{
    const struct ours options = {0, 1, 2};
    const struct ours out = take(&options);

    (void)state;
    assert_int_equal(out.a, 1);
    assert_int_equal(out.b, 0);
}

static void no_options_are_all_zero(void **state)
{
    const struct ours out = take(NULL);

    (void)state;
    assert_int_equal(out.a, 0);
    assert_int_equal(out.b, 0);
}

static void a_newer_program_may_leave_its_new_fields_alone(void **state)
{
    const struct newer options = {sizeof options, 1, 2, 0};
    const struct ours out = take(&options);

    (void)state;
    assert_int_equal(out.b, 2);
}

static void a_field_that_nobody_would_obey_is_refused(void **state)
{
    const struct newer options = {sizeof options, 1, 2, 3};
    struct ours out;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_options_take(&out, &kind, &options, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "our_options: a field is set that this library does not know: "
                                  "the program was compiled for a newer one");
}

static void a_size_that_is_none_is_refused(void **state)
{
    const struct ours options = {3, 1, 2};
    struct ours out;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_options_take(&out, &kind, &options, &err), TP_E_INVALID);
    assert_string_equal(err.text, "our_options: its size cannot be 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_the_same_version_are_copied),
        cmocka_unit_test(fields_that_an_older_program_does_not_have_are_zero),
        cmocka_unit_test(a_size_of_zero_is_the_first_version),
        cmocka_unit_test(no_options_are_all_zero),
        cmocka_unit_test(a_newer_program_may_leave_its_new_fields_alone),
        cmocka_unit_test(a_field_that_nobody_would_obey_is_refused),
        cmocka_unit_test(a_size_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
