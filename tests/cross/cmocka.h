/*
 * cmocka.h - as much of cmocka as src/motion/package_test.c needs, for processors that we emulate
 * and for which cmocka is not installed. A failed assertion ends the program.
 */
#ifndef TROUPE_TESTS_CROSS_CMOCKA_H
#define TROUPE_TESTS_CROSS_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

#define cmocka_unit_test(f)                                                                        \
    {                                                                                              \
#f, f                                                                                      \
    }
#define fail_msg(...) (printf("Bail out! " __VA_ARGS__), puts(""), exit(1))
#define assert_true(c)                                                                             \
    do {                                                                                           \
        if (!(c)) {                                                                                \
            fail_msg("%s:%d: %s", __FILE__, __LINE__, #c);                                         \
        }                                                                                          \
    } while (0)
#define assert_false(c) assert_true(!(c))
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_int_equal(a, b) assert_true((long long)(a) == (long long)(b))
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    cross_run(tests, sizeof(tests) / sizeof((tests)[0]))

static inline int cross_run(const struct CMUnitTest *tests, size_t count)
{
    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        tests[i].run(NULL);
        printf("ok %zu - %s\n", i + 1, tests[i].name);
    }
    return 0;
}

#endif
