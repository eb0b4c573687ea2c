/* sick_test.c - the emulated LMS 200 in a world. */
#include "support/scene.h"

#define WALL "model ( pose [2.1 0 0 0] size [0.2 10 1] )\n"

static void answers_with_an_acknowledgement_first(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "sicklms200", WALL, NULL, NULL);
    /* 20 25: the sums are those of the maker's document */
    assert_string_equal(stage_ask(&s, "02 00 02 00 20 25 35 08"), "06 02 80 03 00 a0 00 10 16 0a");
    assert_string_equal(stage_ask(&s, "02 00 02 00 20 25 35 09"), "15");
    assert_string_equal(stage_ask(&s, "02 00 01 00"), ""); /* half of one */
    stage_close(&s);
}

static void sends_scans_until_it_is_told_not_to(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "sicklms200", WALL, NULL, NULL);
    stage_run(&s, 0.2);
    assert_string_equal(stage_heard(&s), "");
    stage_say(&s, "02 00 02 00 20 24 34 08");
    stage_run(&s, 1);
    const char *heard = stage_heard(&s);
    assert_non_null(strstr(heard, "02 80 6e 01 b0 b5 00")); /* 181 ranges in centimetres */
    assert_non_null(strstr(heard, " c8 00 c8 00 "));        /* the wall, 2 m ahead */
    stage_say(&s, "02 00 02 00 20 25 35 08");
    (void)stage_heard(&s);
    stage_run(&s, 1);
    assert_string_equal(stage_heard(&s), "");
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_with_an_acknowledgement_first),
        cmocka_unit_test(sends_scans_until_it_is_told_not_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
