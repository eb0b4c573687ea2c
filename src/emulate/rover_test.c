/* rover_test.c - the emulated rover in a world. Frames are those of another implementation
 * (node-mavlink) where it has made them; the others were summed by hand. */
#include "support/scene.h"

#define ARM                                                                                        \
    "fd20000007ffbe4c00000000803f0000000000000000000000000000000000000000000000009001010105b2"

#define STREAMS_10 "fd06000007ffbe4200000a00010100011b4f"
#define GUIDED "fd06000007ffbe0b00000f000000010107fb"
#define AHEAD                                                                                      \
    "fd35000007ffbe540000000000000000000000000000000000000000003f00000000000000000000000000000000" \
    "000000000000000000000000c705010108b939"
#define DAMAGED                                                                                    \
    "fd35000007ffbe540000000000000000000000000100000000000000003f00000000000000000000000000000000" \
    "000000000000000000000000c705010108b939"
#define OLD_SUM "36 a5"

static unsigned count(const char *where, const char *what)
{
    unsigned found = 0;

    for (const char *at = where; (at = strstr(at, what)) != NULL; at++) {
        found++;
    }
    return found;
}

static void beats_once_a_second_and_sends_what_it_is_asked_for(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "rover", "", NULL, NULL);
    stage_run(&s, 2.9);
    const char *heard = stage_heard(&s);
    assert_int_equal(count(heard, "fd 09 00 00"), 3);
    assert_int_equal(count(heard, "01 01 1e 00 00"), 0); /* ATTITUDE */
    stage_say(&s, STREAMS_10);
    stage_run(&s, 1);
    assert_int_equal(count(stage_heard(&s), "01 01 1e 00 00"), 10);
    stage_close(&s);
}

static void speaks_the_old_version_if_wired_so(void **state)
{
    static const char *const wires[] = {"protocol=1", NULL};
    struct stage s;

    (void)state;
    stage_open(&s, "rover", "", wires, NULL);
    stage_run(&s, 0.1);
    assert_string_equal(stage_heard(&s), "fe 09 00 01 01 00 00 00 00 00 0a 03 01 03 03 " OLD_SUM);
    stage_close(&s);
}

/* Armed and guided, it drives; a target holds for three seconds. */
static void drives_only_armed_and_guided_and_stops_by_itself(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "rover", "", NULL, NULL);
    stage_run(&s, 0.1);
    stage_say(&s, GUIDED AHEAD);
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, -0.001, 0.001);
    stage_say(&s, ARM);
    stage_run(&s, 0.1);
    stage_say(&s, AHEAD);
    stage_run(&s, 2);
    assert_between(stage_pose(&s).x, 0.7, 1.05);
    stage_run(&s, 4);
    assert_between(stage_pose(&s).x, 1.3, 1.7);
    assert_non_null(strstr(tpi_buf_text(&s.trace), "no target for 3 s: it stops"));
    stage_close(&s);
}

static void damaged_frames_and_an_empty_battery_do_not_move_it(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "rover", "", NULL, NULL);
    stage_say(&s, GUIDED ARM DAMAGED);
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, -0.001, 0.001);
    assert_non_null(strstr(tpi_buf_text(&s.trace), "a wrong sum"));
    stage_close(&s);
    stage_open(&s, "rover", "", NULL, "battery");
    stage_run(&s, 0.1);
    const char *answer = stage_ask(&s, ARM);
    assert_non_null(strstr(answer, "90 01 04")); /* not armed: failed */
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beats_once_a_second_and_sends_what_it_is_asked_for),
        cmocka_unit_test(speaks_the_old_version_if_wired_so),
        cmocka_unit_test(drives_only_armed_and_guided_and_stops_by_itself),
        cmocka_unit_test(damaged_frames_and_an_empty_battery_do_not_move_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
