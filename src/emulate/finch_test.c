/* finch_test.c - the emulated Finch in a world. */
#include "support/scene.h"

/* The answer to a letter, with the number 07. */
static const char *ask(struct stage *s, const char *letter)
{
    char text[64];

    (void)snprintf(text, sizeof text, "%s 00 00 00 00 00 00 07", letter);
    return stage_ask(s, text);
}

static unsigned byte_of(const char *reply, size_t at)
{
    assert_int_equal(strlen(reply), 8 * 3 - 1);
    return (unsigned)strtoul(reply + 3 * at, NULL, 16);
}

static void answers_questions_with_their_number(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "finch", "", NULL, NULL);
    assert_string_equal(ask(&s, "54"), "78 00 00 00 00 00 00 07"); /* 22 degrees */
    assert_string_equal(ask(&s, "7a"), "01 00 00 00 00 00 00 07");
    assert_string_equal(ask(&s, "7a"), "02 00 00 00 00 00 00 07");
    assert_string_equal(ask(&s, "49"), "00 00 00 00 00 00 00 07");
    assert_string_equal(ask(&s, "4f"), ""); /* no question */
    assert_string_equal(ask(&s, "51"), ""); /* unknown */
    /* with the number of an HID report in front, and in two pieces */
    stage_say(&s, "00 7a 00 00");
    assert_string_equal(stage_ask(&s, "00 00 00 00 09"), "03 00 00 00 00 00 00 09");
    stage_close(&s);
}

static void an_unfinished_report_is_forgotten(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "finch", "", NULL, NULL);
    stage_say(&s, "7a 00 00");
    stage_run(&s, 0.2);
    assert_string_equal(ask(&s, "7a"), "01 00 00 00 00 00 00 07");
    stage_close(&s);
}

static void drives_left_first_and_stops_after_five_seconds(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "finch", "", NULL, NULL);
    stage_say(&s, "4d 00 80 01 80 00 00 00"); /* left ahead, right back */
    stage_run(&s, 0.5);
    assert_true(stage_pose(&s).a < -0.5);
    stage_say(&s, "4d 00 80 00 80 00 00 00");
    stage_run(&s, 1);
    const tpi_sim_pose before = stage_pose(&s);
    stage_run(&s, 1);
    assert_between(hypot(stage_pose(&s).x - before.x, stage_pose(&s).y - before.y), 0.15, 0.2);
    stage_run(&s, 3.5);
    const tpi_sim_pose there = stage_pose(&s);
    stage_run(&s, 1);
    assert_between(hypot(stage_pose(&s).x - there.x, stage_pose(&s).y - there.y), 0, 1e-6);
    assert_non_null(strstr(tpi_buf_text(&s.trace), "no command for 5 s"));
    stage_close(&s);
}

static void slow_wheels_do_not_turn(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "finch", "", NULL, NULL);
    stage_say(&s, "4d 00 20 00 20 00 00 00");
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, -1e-9, 1e-9);
    stage_close(&s);
}

static void sees_light_and_obstacles_on_their_sides(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "finch",
               "ambient_light 0\n"
               "light ( pose [0.2 0.6 0.07 0] intensity 0.5 )\n"
               "model ( pose [0.17 -0.10 0 0] size [0.04 0.04 0.2] )\n",
               NULL, NULL);
    stage_run(&s, 0.3);
    const char *light = ask(&s, "4c");
    assert_true(byte_of(light, 0) > byte_of(light, 1) + 30);
    const char *obstacles = ask(&s, "49");
    assert_int_equal(byte_of(obstacles, 0), 0);
    assert_int_equal(byte_of(obstacles, 1), 1);
    stage_close(&s);
}

static void feels_taps_and_gravity(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "finch", "model ( pose [0.4 0 0 0] size [0.1 2 0.5] )", NULL, NULL);
    stage_run(&s, 0.3);
    const char *still = ask(&s, "41");
    assert_int_equal(byte_of(still, 0), 0x99);
    assert_int_equal(byte_of(still, 3), 21); /* 1 g */
    assert_int_equal(byte_of(still, 4), 0);
    stage_say(&s, "4d 00 ff 00 ff 00 00 00");
    stage_run(&s, 2);
    assert_int_equal(byte_of(ask(&s, "41"), 4), 0x20);
    assert_int_equal(byte_of(ask(&s, "41"), 4), 0); /* once */
    tpi_emu_set_fault(s.robot, TPI_EMU_LIFTED, true);
    stage_run(&s, 0.1);
    assert_int_equal(byte_of(ask(&s, "41"), 4), 0x80);
    stage_close(&s);
}

static void loses_its_power_with_its_line(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "finch", "", NULL, "unplugged@1s-2s");
    (void)ask(&s, "7a");
    stage_say(&s, "4d 00 80 00 80 00 00 00");
    stage_run(&s, 1.5);
    const double there = stage_pose(&s).x;
    assert_string_equal(ask(&s, "7a"), "");
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, there, there + 1e-6);
    assert_string_equal(ask(&s, "7a"), "01 00 00 00 00 00 00 07"); /* it counts anew */
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_questions_with_their_number),
        cmocka_unit_test(an_unfinished_report_is_forgotten),
        cmocka_unit_test(drives_left_first_and_stops_after_five_seconds),
        cmocka_unit_test(slow_wheels_do_not_turn),
        cmocka_unit_test(sees_light_and_obstacles_on_their_sides),
        cmocka_unit_test(feels_taps_and_gravity),
        cmocka_unit_test(loses_its_power_with_its_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
