/* p2os_test.c - the emulated Pioneer in a world. Bytes are those of a recorded session. */
#include "support/scene.h"

/* SYNC 0, 1, 2, OPEN, ENABLE 1. */
static void open_it(struct stage *s, const char *world, const char *fault)
{
    stage_open(s, "p2os", world, NULL, fault);
    assert_string_equal(stage_ask(s, "fa fb 03 00 00 00"), "fa fb 03 00 00 00");
    assert_string_equal(stage_ask(s, "fa fb 03 01 00 01"), "fa fb 03 01 00 01");
    assert_true(strncmp(stage_ask(s, "fa fb 03 02 00 02"), "fa fb 17 02", 11) == 0);
    stage_say(s, "fa fb 03 01 00 01 fa fb 06 04 3b 01 00 05 3b");
    stage_run(s, 0.2);
}

static void says_nothing_before_it_was_opened(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "p2os", "", NULL, NULL);
    stage_run(&s, 1);
    assert_string_equal(stage_heard(&s), "");
    assert_string_equal(stage_ask(&s, "fa fb 03 02 00 02"), ""); /* in a wrong order */
    assert_string_equal(stage_ask(&s, "fa fb 03 00 00 01"), ""); /* a wrong sum */
    stage_close(&s);
}

static void reports_ten_times_a_second(void **state)
{
    struct stage s;
    unsigned reports = 0;

    (void)state;
    open_it(&s, "", NULL);
    (void)stage_heard(&s);
    stage_run(&s, 1);
    for (const char *at = stage_heard(&s); (at = strstr(at, "fa fb 4b 32")) != NULL; at++) {
        reports++;
    }
    assert_int_equal(reports, 10);
    stage_close(&s);
}

static void drives_and_stops_by_itself(void **state)
{
    struct stage s;

    (void)state;
    open_it(&s, "", NULL);
    stage_say(&s, "fa fb 06 0b 3b c8 00 d3 3b"); /* 200 mm/s */
    stage_run(&s, 1.5);
    assert_between(stage_pose(&s).x, 0.2, 0.31);
    stage_run(&s, 5); /* nothing is said: its watchdog */
    assert_between(stage_pose(&s).x, 0.3, 0.55);
    stage_close(&s);
}

static void stands_without_power_and_when_it_is_closed(void **state)
{
    struct stage s;

    (void)state;
    open_it(&s, "", NULL);
    stage_say(&s, "fa fb 06 04 3b 00 00 04 3b fa fb 06 0b 3b c8 00 d3 3b");
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, 0, 1e-9);
    stage_say(&s, "fa fb 03 02 00 02");
    (void)stage_heard(&s);
    stage_run(&s, 1);
    assert_string_equal(stage_heard(&s), "");
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_nothing_before_it_was_opened),
        cmocka_unit_test(reports_ten_times_a_second),
        cmocka_unit_test(drives_and_stops_by_itself),
        cmocka_unit_test(stands_without_power_and_when_it_is_closed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
