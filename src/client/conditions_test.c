/* conditions_test.c - what tp_client_find() is told to find. */
#include "client/conditions.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/unit.h"

static char *copy(const char *text)
{
    char *out = text == NULL ? NULL : malloc(strlen(text) + 1);

    return out == NULL ? NULL : strcpy(out, text);
}

/* All wishes as they were understood. */
static void means(const char *text, const char *wanted)
{
    tpi_conditions w;
    tp_error err = {0};
    char got[512] = "";
    char one[128];

    assert_string_equal((tpi_conditions_parse(&w, text, &err), err.text), "");
    for (size_t i = 0; i < w.count; i++) {
        strcat(got, i > 0 ? "; " : "");
        strcat(got, tpi_wish_text(&w.wishes[i], one, sizeof one));
    }
    assert_string_equal(got, wanted);
    tpi_conditions_fini(&w);
}

static void is_refused(const char *text, const char *why)
{
    tpi_conditions w;
    tp_error err = {0};

    assert_int_equal(tpi_conditions_parse(&w, text, &err), TP_E_SYNTAX);
    assert_string_equal(err.text, why);
}

static void wishes_are_understood(void **state)
{
    (void)state;
    means("", "");
    means("  \t\n", "");
    means("x > 0", "x > 0");
    means("x>0,y<=-1.5e3 , most max_range,least z", "x > 0; y <= -1.5e3; most max_range; least z");
}

static void odd_texts_are_understood(void **state)
{
    (void)state;
    means("parent != \"front left\"", "parent != front left");
    means("'odd name' = \"it's\"", "odd name = it's");
    means("a=\"\"", "a = ");
    means("most = 3, most most, 'least' = 4, least = 5",
          "most = 3; most most; least = 4; least = 5");
    means("range_max.x-1:2/3 >= 4", "range_max.x-1:2/3 >= 4");
}

static void mistakes_have_a_place(void **state)
{
    (void)state;
    is_refused("x", "column 2: expected = != < <= > or >=, found the end");
    is_refused("x 5", "column 3: expected = != < <= > or >=, found \"5\"");
    is_refused("x >", "column 4: expected a value, found the end");
    is_refused("x > , y = 1", "column 5: expected a value, found \",\"");
    is_refused("x > 0,", "column 7: expected a name, found the end");
    is_refused(", x > 0", "column 1: expected a name, found \",\"");
    is_refused("x > 0 y < 1", "column 7: expected a comma, found \"y\"");
    is_refused("x > far", "column 5: expected a number, found \"far\"");
    is_refused("most", "column 5: expected a name, found the end");
    is_refused("most , x = 1", "column 6: expected a name, found \",\"");
    is_refused("name = \"x", "column 10: expected a closing quote, found the end");
    is_refused("x == 3", "column 4: expected a value, found \"=\"");
    is_refused("x ! 3", "column 3: expected = != < <= > or >=, found \"!\"");
}

static void there_is_a_limit(void **state)
{
    tpi_conditions w;
    tp_error err = {0};
    char text[512] = "a=1";

    (void)state;
    for (int i = 1; i < TPI_WANTED_MOST; i++) {
        strcat(text, ",a=1");
    }
    assert_int_equal(tpi_conditions_parse(&w, text, &err), TP_OK);
    assert_int_equal(w.count, TPI_WANTED_MOST);
    tpi_conditions_fini(&w);
    strcat(text, ",a=1");
    assert_int_equal(tpi_conditions_parse(&w, text, &err), TP_E_LIMIT);
    assert_string_equal(err.text, "column 129: more than 32 conditions");
}

static bool meets(const char *fact_text, const char *condition)
{
    tpi_conditions w;
    tpi_fact fact = tpi_fact_take(copy(fact_text));
    tp_error err = {0};

    assert_string_equal((tpi_conditions_parse(&w, condition, &err), err.text), "");
    const bool met = tpi_wish_is_met(&w.wishes[0], &fact);
    tpi_conditions_fini(&w);
    tpi_fact_fini(&fact);
    return met;
}

static void conditions_are_met_or_not(void **state)
{
    (void)state;
    assert_true(meets("5", "a = 5.0"));
    assert_false(meets("5", "a = 4"));
    assert_true(meets("5", "a != 4"));
    assert_true(meets("5", "a > 4"));
    assert_false(meets("5", "a > 5"));
    assert_true(meets("5", "a >= 5"));
    assert_true(meets("-5", "a < -4.9"));
    assert_false(meets("5", "a <= 4"));
    assert_true(meets("yes", "a = yes"));
    assert_true(meets("yes", "a = 1"));
    assert_false(meets("no", "a = yes"));
    assert_true(meets("fake", "a = fake"));
    assert_false(meets("fake", "a = Fake"));
    assert_true(meets("fake", "a != fake0"));
    assert_false(meets("fake", "a > 0"));
    assert_false(meets(NULL, "a = 5"));
    assert_false(meets(NULL, "a != 5")); /* what is not known meets nothing */
    assert_false(meets("", "a = 0"));
}

static int compare(const char *op, const char *a, const char *b)
{
    tpi_conditions w;
    tpi_fact facts[2] = {tpi_fact_take(copy(a)), tpi_fact_take(copy(b))};
    tp_error err = {0};

    assert_string_equal((tpi_conditions_parse(&w, op, &err), err.text), "");
    const int result = tpi_wish_compare(&w.wishes[0], &facts[0], &facts[1]);
    tpi_conditions_fini(&w);
    tpi_fact_fini(&facts[0]);
    tpi_fact_fini(&facts[1]);
    return result;
}

static void the_most_and_the_least_come_first(void **state)
{
    (void)state;
    assert_true(compare("most a", "5", "4") < 0);
    assert_true(compare("most a", "4", "5") > 0);
    assert_true(compare("least a", "4", "5") < 0);
    assert_true(compare("least a", "5", "4") > 0);
    assert_int_equal(compare("most a", "5", "5"), 0);
    assert_true(compare("most a", NULL, "4") > 0); /* what is not known comes last */
    assert_true(compare("least a", "4", NULL) < 0);
    assert_int_equal(compare("most a", NULL, "red"), 0);
}

static tp_status parse_and_free(void *context)
{
    tpi_conditions w;
    tp_status status = tpi_conditions_parse(&w, context, NULL);

    if (status == TP_OK) {
        tpi_conditions_fini(&w);
    }
    return status;
}

static void memory_may_run_out(void **state)
{
    char text[] = "x > 0, most range, driver = 'fake'";

    (void)state;
    memory_sweep(parse_and_free, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wishes_are_understood),
        cmocka_unit_test(odd_texts_are_understood),
        cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(there_is_a_limit),
        cmocka_unit_test(conditions_are_met_or_not),
        cmocka_unit_test(the_most_and_the_least_come_first),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
