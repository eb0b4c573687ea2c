/* srv1_test.c - the emulated SRV-1 in a world. */
#include "support/scene.h"

/* What it answers to text at once, as text. */
static const char *ask(struct stage *s, const char *text)
{
    static char answer[1024];
    size_t length;

    (void)stage_heard(s);
    tpi_emu_input(s->robot, text, strlen(text));
    length = tpi_emu_output(s->robot, answer, sizeof answer - 1);
    answer[length] = '\0';
    return answer;
}

static void begins_with_its_version(void **state)
{
    struct stage s;
    char text[128];

    (void)state;
    stage_open(&s, "srv1", "", NULL, NULL);
    const size_t length = tpi_emu_output(s.robot, text, sizeof text - 1);
    text[length] = '\0';
    assert_memory_equal(text, "##Version - SRV-1 Blackfin w/PicoC ", 35);
    assert_string_equal(ask(&s, "V"), text);
    assert_string_equal(ask(&s, "@"), "#?");
    assert_string_equal(ask(&s, "D"), "##D - battery voltage okay\r\n");
    stage_run(&s, 1.5);
    assert_string_equal(ask(&s, "t"), "##time - millisecs:  1500\r\n");
    stage_close(&s);
}

static void drives_and_answers_when_the_time_is_over(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "srv1", "", NULL, NULL);
    assert_string_equal(stage_ask(&s, "4d 32 32 00"), "23 4d"); /* for ever */
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, 0.19, 0.21);
    assert_string_equal(stage_ask(&s, "4d ce 32 32"), ""); /* on the spot, half a second */
    assert_string_equal(ask(&s, "V"), "");                 /* it is busy */
    stage_run(&s, 0.4);
    assert_string_equal(stage_heard(&s), "");
    stage_run(&s, 0.2);
    assert_string_equal(stage_heard(&s), "23 4d");
    const double there = stage_pose(&s).a;
    assert_true(there > 1);
    stage_run(&s, 0.5);
    assert_between(stage_pose(&s).a, there - 1e-6, there + 1e-6);
    assert_string_equal(ask(&s, "$E"), "##$Encoders:  left = 101  right = 299\r\n");
    stage_close(&s);
}

static void what_follows_a_command_at_once_is_lost(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "srv1", "", NULL, NULL);
    assert_string_equal(ask(&s, "DV"), "##D - battery voltage okay\r\n");
    assert_non_null(strstr(tpi_buf_text(&s.trace), "lost: flushed with the answer"));
    stage_close(&s);
}

static void digits_steer_after_the_first_motor_command(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "srv1", "", NULL, NULL);
    assert_string_equal(ask(&s, "8"), "#8");
    stage_run(&s, 0.5);
    assert_between(stage_pose(&s).x, -1e-9, 1e-9);
    stage_say(&s, "4d 00 00 00");
    assert_string_equal(ask(&s, "+"), "#+");
    assert_string_equal(ask(&s, "8"), "#8");
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, 0.16, 0.18); /* 43 percent */
    ask(&s, "4");
    stage_run(&s, 0.3);
    assert_true(stage_pose(&s).a > 0.2);
    assert_string_equal(ask(&s, "5"), "#5");
    stage_run(&s, 0.1);
    const double there = stage_pose(&s).a;
    assert_string_equal(ask(&s, "."), "");
    stage_run(&s, 0.3);
    assert_string_equal(stage_heard(&s), "23 2e");
    assert_true(stage_pose(&s).a < there - 0.5);
    stage_close(&s);
}

static void a_failsafe_takes_over_after_two_seconds(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "srv1", "", NULL, NULL);
    stage_say(&s, "46 00 00");
    stage_say(&s, "4d 32 32 00");
    stage_run(&s, 2.1);
    const double there = stage_pose(&s).x;
    assert_true(there > 0.35);
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, there, there + 0.01); /* 1 percent, which is a 0 */
    assert_string_equal(ask(&s, "f"), "#f");
    stage_close(&s);
}

static void servo_outputs_drive_other_motors(void **state)
{
    static const char *const wires[] = {"motors=servo", NULL};
    struct stage s;

    (void)state;
    stage_open(&s, "srv1", "", wires, NULL);
    assert_string_equal(stage_ask(&s, "53 64 64"), "23 53");
    stage_run(&s, 0.5);
    assert_between(stage_pose(&s).x, 0.19, 0.21);
    stage_say(&s, "53 32 32");
    stage_run(&s, 0.1);
    const double there = stage_pose(&s).x;
    stage_run(&s, 0.5);
    assert_between(stage_pose(&s).x, there, there + 1e-6);
    stage_close(&s);
}

static void sensors_are_lines_of_text(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "srv1",
               "ambient_light 0.25\nfloor_color \"black\"\n"
               "model ( pose [1.15 0 0 0] size [0.2 1 0.5] )\n"
               "model ( pose [0 0.645 0 0] size [0.4 0.2 0.5] )",
               NULL, NULL);
    stage_run(&s, 0.2);
    assert_string_equal(ask(&s, "R"), "##Range(cm) = 100\r\n");
    assert_string_equal(ask(&s, "p"), "##ping 3937 1969 0 0\r\n");
    assert_string_equal(ask(&s, "$A01"), "##$A01 2047\r\n");
    assert_string_equal(ask(&s, "$A03"), "##$A03 0000\r\n");
    assert_string_equal(ask(&s, "$A09"), "#?");
    assert_string_equal(ask(&s, "$C"), "##$C 090\r\n"); /* along x, and y is north */
    assert_string_equal(ask(&s, "$T3"), "##$T3 2400\r\n");
    assert_string_equal(stage_ask(&s, "69 72 68 00"), "23 23 69 72 36 38 20 32 35 35 0d 0a");
    tpi_emu_set_fault(s.robot, TPI_EMU_BATTERY, true);
    assert_string_equal(ask(&s, "D"), "##D - low battery voltage detected\r\n");
    stage_close(&s);
}

static void sees_blobs_of_a_colour(void **state)
{
    struct stage s;
    unsigned count, left, right, top, bottom;

    (void)state;
    stage_open(&s, "srv1",
               "model ( pose [1 0.2 0 0] size [0.1 0.1 0.3] color \"red\" )\n"
               "model ( pose [1 -0.3 0 0] size [0.1 0.1 0.3] color \"blue\" )",
               NULL, NULL);
    stage_run(&s, 0.3);
    assert_string_equal(ask(&s, "vb3"), "##vb3 0\r\n"); /* the bin is empty */
    assert_string_equal(ask(&s, "vc3020200000140170255"), "##vc 3\r\n");
    const char *blobs = ask(&s, "vb3");
    assert_int_equal(
        sscanf(blobs, "##vb3 1\r\n %u %u %u %u %u\r\n", &count, &left, &right, &top, &bottom), 5);
    assert_true(count > 50 && right < 80 && left < right && top < bottom); /* on the left */
    assert_string_equal(ask(&s, "vc302020000014017025x"), "#?");
    assert_memory_equal(ask(&s, "vp00000000"), "##vp ", 5);
    assert_memory_equal(ask(&s, "vm"), "##vmean ", 8);
    assert_string_equal(ask(&s, "vq"), "#?");
    stage_close(&s);
}

static void sends_pictures(void **state)
{
    struct stage s;
    static uint8_t bytes[65536];

    (void)state;
    stage_open(&s, "srv1", "model ( pose [1 0 0 0] size [0.2 0.2 0.3] color \"green\" )", NULL,
               NULL);
    (void)stage_heard(&s);
    assert_string_equal(ask(&s, "I"), ""); /* the camera has not looked yet */
    stage_run(&s, 0.2);
    for (unsigned i = 0; i < 3; i++) {
        const char resolution[] = {(char)('a' + i), '\0'};
        const char wanted[] = {'#', (char)('a' + i), '\0'};
        assert_string_equal(ask(&s, resolution), wanted);
        stage_run(&s, 0.2);
        tpi_emu_input(s.robot, "I", 1);
        const size_t length = tpi_emu_output(s.robot, bytes, sizeof bytes);
        assert_true(length > 400);
        assert_memory_equal(bytes, "##IMJ", 5);
        assert_int_equal(bytes[5], "357"[i]);
        assert_int_equal(bytes[6] | bytes[7] << 8 | bytes[8] << 16 | bytes[9] << 24, length - 10);
        assert_memory_equal(bytes + 10, "\xff\xd8\xff", 3);     /* a JPEG... */
        assert_memory_equal(bytes + length - 2, "\xff\xd9", 2); /* ...and whole */
    }
    assert_string_equal(ask(&s, "q8"), "##quality - 8\r\n");
    assert_string_equal(ask(&s, "q9"), "#?");
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_with_its_version),
        cmocka_unit_test(drives_and_answers_when_the_time_is_over),
        cmocka_unit_test(what_follows_a_command_at_once_is_lost),
        cmocka_unit_test(digits_steer_after_the_first_motor_command),
        cmocka_unit_test(a_failsafe_takes_over_after_two_seconds),
        cmocka_unit_test(servo_outputs_drive_other_motors),
        cmocka_unit_test(sensors_are_lines_of_text),
        cmocka_unit_test(sees_blobs_of_a_colour),
        cmocka_unit_test(sends_pictures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
