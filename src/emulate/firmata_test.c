/*
 * firmata_test.c - the emulated Arduino with Firmata against a recorded session of the real
 * firmware (tests/data/robots/firmata_session.txt), and in a world.
 */
#include "support/scene.h"

/* ---- The recorded session -------------------------------------------------------------------- */

/* Reports come every 100 ms; whether six or seven are in 0.65 s depends on when the board began. */
static bool is_one_report_more(const char *heard, const char *wanted)
{
    const size_t length = strlen(wanted);

    return strncmp(wanted, "e0 7f 03", 8) == 0 && strncmp(heard, wanted, length) == 0 &&
           strcmp(heard + length, " e0 7f 03") == 0;
}

static void compare(double time, const char *heard, const char *wanted)
{
    if (strcmp(heard, wanted) != 0 && !is_one_report_more(heard, wanted)) {
        fail_msg("before %.3f s\n< %s\nnot %s", time, heard, wanted);
    }
}

static void answers_as_the_real_firmware(void **state)
{
    tpi_buf text = {0};
    tpi_buf wanted = {0};
    struct stage s;
    unsigned requests = 0;

    (void)state;
    /* half of the converter's range at A0, as it was recorded */
    stage_open(&s, "firmata", "ambient_light 0.25", NULL, NULL);
    assert_int_equal(
        tpi_file_read(&text, TEST_ROOT "/tests/data/robots/firmata_session.txt", 1 << 20, NULL),
        TP_OK);
    for (char *line = strtok(text.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *rest = NULL;
        const double time = strtod(line, &rest);
        if (line[0] == '#') {
            continue;
        }
        if (rest[1] == '<') {
            tpi_buf_printf(&wanted, "%s%s", wanted.length > 0 ? " " : "", rest + 3);
            continue;
        }
        tpi_scene_advance(s.scene, llround(time * 1e6));
        compare(time, stage_heard(&s), tpi_buf_text(&wanted));
        tpi_buf_clear(&wanted);
        stage_say(&s, rest + 3);
        requests++;
    }
    compare(20, stage_heard(&s), tpi_buf_text(&wanted));
    assert_int_equal(requests, 32);
    tpi_buf_fini(&text);
    tpi_buf_fini(&wanted);
    stage_close(&s);
}

/* ---- In a world ------------------------------------------------------------------------------ */

static void motors_are_pins(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "firmata", "", NULL, NULL);
    stage_say(&s, "f4 05 03 f4 06 03 e5 00 01 e6 00 01"); /* half speed */
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, 0.19, 0.21);
    stage_say(&s, "f5 04 01 f5 07 01"); /* back */
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, -0.01, 0.01);
    stage_say(&s, "e6 00 00 f5 04 00");
    stage_run(&s, 0.5);
    assert_true(stage_pose(&s).a < -0.4); /* only the left one turns */
    const double there = stage_pose(&s).a;
    stage_say(&s, "ff");
    stage_run(&s, 0.5);
    assert_between(stage_pose(&s).a, there - 0.01, there + 0.01);
    stage_close(&s);
}

static void motors_can_be_wired_elsewhere(void **state)
{
    static const char *const wires[] = {"left=9", "right=10", "A5=light_left", NULL};
    struct stage s;

    (void)state;
    stage_open(&s, "firmata", "ambient_light 0.25", wires, NULL);
    stage_say(&s, "f4 09 03 f4 0a 03 e9 7f 01 ea 7f 01");
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, 0.38, 0.41);
    assert_string_equal(stage_ask(&s, "c5 01"), "e5 7f 03");
    stage_close(&s);
}

static void a_bumper_pulls_its_pin_down_and_changes_are_reported(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "firmata", "model ( pose [0.4 0 0 0] size [0.1 1 0.3] )", NULL, NULL);
    stage_say(&s, "f4 02 0b f4 08 0b");
    assert_string_equal(stage_ask(&s, "d0 01"), "90 04 00");
    assert_string_equal(stage_ask(&s, "d1 01"), "91 01 00");
    stage_run(&s, 0.5);
    assert_string_equal(stage_heard(&s), "");
    stage_say(&s, "f4 05 03 f4 06 03 e5 7f 01 e6 7f 01");
    stage_run(&s, 2);
    assert_string_equal(stage_heard(&s), "90 00 00 91 00 00");
    stage_close(&s);
}

static void channels_see_light_line_and_range(void **state)
{
    struct stage s;
    unsigned low = 0;
    unsigned high = 0;

    (void)state;
    stage_open(&s, "firmata",
               "ambient_light 0 floor_color \"black\"\n"
               "light ( pose [0.1 0.5 0.08 0] intensity 0.5 )\n"
               "model ( pose [0.25 0 0 0] size [0.1 0.2 0.3] )",
               NULL, NULL);
    stage_run(&s, 0.1);
    assert_string_equal(stage_ask(&s, "c2 01"), "e2 00 00"); /* black */
    assert_string_equal(stage_ask(&s, "c1 01"), "e1 00 00"); /* in the shadow */
    assert_int_equal(sscanf(stage_ask(&s, "c0 01"), "e0 %x %x", &low, &high), 2);
    assert_true((low | high << 7) > 600);
    assert_int_equal(sscanf(stage_ask(&s, "c3 01"), "e3 %x %x", &low, &high), 2);
    assert_between(low | high << 7, 380, 460); /* about 2.1 V at 11 cm */
    stage_close(&s);
}

static void long_and_broken_messages_do_no_harm(void **state)
{
    struct stage s;
    tpi_buf text = {0};

    (void)state;
    stage_open(&s, "firmata", "", NULL, NULL);
    tpi_buf_puts(&text, "f0 79");
    for (unsigned i = 0; i < 70; i++) {
        tpi_buf_puts(&text, " 01");
    }
    tpi_buf_puts(&text, " f7");
    assert_string_equal(stage_ask(&s, tpi_buf_text(&text)), "");
    assert_string_equal(stage_ask(&s, "f0 f7 f7 01 02 90 01 f9"), "f9 02 05");
    assert_string_equal(stage_ask(&s, "f4 63 01 f4 00 01 f4 04 03 e4 01 00 f0 6d 04 f7"),
                        "f0 6e 04 01 00 f7"); /* pin 4 has no PWM */
    assert_string_equal(stage_ask(&s, "f4 04 05"),
                        "f0 71 55 00 6e 00 6b 00 6e 00 6f 00 77 00 6e 00 20 00 70 00 69 00 6e 00 "
                        "20 00 6d 00 6f 00 64 00 65 00 f7");
    tpi_buf_fini(&text);
    stage_close(&s);
}

static void starts_again_when_it_is_plugged_in(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "firmata", "", NULL, "unplugged@1s-2s");
    assert_memory_equal(stage_heard(&s), "f9 02 05 f0 79", 14);
    stage_say(&s, "f4 05 03 e5 7f 01");
    stage_run(&s, 1.5);
    assert_string_equal(stage_heard(&s), "");
    stage_run(&s, 1);
    assert_memory_equal(stage_heard(&s), "f9 02 05 f0 79", 14);
    assert_string_equal(stage_ask(&s, "f0 6d 05 f7"), "f0 6e 05 01 00 f7");
    stage_close(&s);
}

static void wires_are_checked(void **state)
{
    static const struct {
        const char *wire, *why;
    } cases[] = {
        {"left=99", "firmata: left=99: \"99\" are no pins of a motor, as 5,4 and 9 are"},
        {"A9=line", "firmata: A9=line: there is no slot \"A9\"; there are 0 to 19, A0 to A5, left "
                    "and right"},
        {"3=laser",
         "firmata: 3=laser: there is no part \"laser\" for this slot; there are "
         "light_left, light_right, line, range, bump_left, bump_right, led, buzzer, none"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const wires[] = {cases[i].wire, NULL};
        const tpi_scene_actor actor = {.kind = tpi_emu_kind_named("firmata", NULL),
                                       .placed = true,
                                       .options = {.wires = wires}};
        const tpi_scene_plan plan = {.folders = TEST_ROOT "/worlds", .actors = &actor, .count = 1};
        tpi_scene *scene = NULL;
        tp_error err = {0};
        assert_int_not_equal(tpi_scene_create(&scene, &plan, &err), TP_OK);
        assert_string_equal(err.text, cases[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_as_the_real_firmware),
        cmocka_unit_test(motors_are_pins),
        cmocka_unit_test(motors_can_be_wired_elsewhere),
        cmocka_unit_test(a_bumper_pulls_its_pin_down_and_changes_are_reported),
        cmocka_unit_test(channels_see_light_line_and_range),
        cmocka_unit_test(long_and_broken_messages_do_no_harm),
        cmocka_unit_test(starts_again_when_it_is_plugged_in),
        cmocka_unit_test(wires_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
