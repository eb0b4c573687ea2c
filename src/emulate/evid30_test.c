/* evid30_test.c - the emulated camera. Bytes are those of the maker's lists of commands. */
#include "support/scene.h"

static void tells_what_it_is_and_where_it_looks(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "evid30", "", NULL, NULL);
    assert_string_equal(stage_ask(&s, "88 30 01 ff"), "88 30 02 ff");
    assert_string_equal(stage_ask(&s, "88 01 00 01 ff"), "88 01 00 01 ff");
    assert_string_equal(stage_ask(&s, "81 09 00 02 ff"), "90 50 00 20 04 02 00 01 02 ff");
    assert_string_equal(stage_ask(&s, "81 09 06 12 ff"), "90 50 00 00 00 00 00 00 00 00 ff");
    assert_string_equal(stage_ask(&s, "81 09 04 47 ff"), "90 50 00 00 00 00 ff");
    assert_string_equal(stage_ask(&s, "81 09 77 77 ff"), "90 60 02 ff");
    assert_string_equal(stage_ask(&s, "82 09 06 12 ff"), ""); /* for another */
    stage_close(&s);
}

/* 440 steps to the right (50 degrees) take 0.625 s; 150 up (12.5 degrees). */
static void turns_and_says_when_it_is_there(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "evid30", "", NULL, NULL);
    stage_run(&s, 0.1);
    assert_string_equal(stage_ask(&s, "81 01 06 02 18 14 00 01 0b 08 00 00 09 06 ff"), "90 41 ff");
    stage_run(&s, 0.3);
    assert_string_equal(stage_heard(&s), "");
    stage_run(&s, 0.6);
    assert_string_equal(stage_heard(&s), "90 51 ff");
    assert_string_equal(stage_ask(&s, "81 09 06 12 ff"), "90 50 00 01 0b 08 00 00 09 06 ff");
    stage_close(&s);
}

static void has_two_sockets_and_cancels(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "evid30", "", NULL, NULL);
    stage_run(&s, 0.1);
    assert_string_equal(stage_ask(&s, "81 01 06 02 01 01 00 03 07 00 00 00 00 00 ff"), "90 41 ff");
    assert_string_equal(stage_ask(&s, "81 01 04 47 00 03 0f 0f ff"), "90 42 ff");
    assert_string_equal(stage_ask(&s, "81 01 06 04 ff"), "90 60 03 ff");
    assert_string_equal(stage_ask(&s, "81 21 ff"), "90 61 04 ff");
    assert_string_equal(stage_ask(&s, "81 21 ff"), "90 61 05 ff");
    stage_run(&s, 3);
    assert_string_equal(stage_heard(&s), "90 52 ff");
    assert_string_equal(stage_ask(&s, "81 09 04 47 ff"), "90 50 00 03 0f 0f ff");
    stage_close(&s);
}

static void stops_on_command(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "evid30", "", NULL, NULL);
    stage_run(&s, 0.1);
    stage_say(&s, "81 01 06 01 18 14 01 03 ff"); /* to the left */
    stage_run(&s, 0.5);
    stage_say(&s, "ff 81 01 06 01 18 14 03 03 ff");
    stage_run(&s, 0.2);
    (void)stage_heard(&s);
    const char *heard = stage_ask(&s, "81 09 06 12 ff");
    char before[64];
    assert_true(strlen(heard) < sizeof before);
    memcpy(before, heard, strlen(heard) + 1);
    assert_string_not_equal(before, "90 50 00 00 00 00 00 00 00 00 ff");
    stage_run(&s, 1);
    assert_string_equal(stage_ask(&s, "81 09 06 12 ff"), before);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_what_it_is_and_where_it_looks),
        cmocka_unit_test(turns_and_says_when_it_is_there),
        cmocka_unit_test(has_two_sockets_and_cancels),
        cmocka_unit_test(stops_on_command),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
