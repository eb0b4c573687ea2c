/* tello_test.c - the emulated Tello in a world: texts, flight, and what it does by itself. */
#include "sim/move/aircraft.h"
#include "support/scene.h"

static const char *say(struct stage *s, const char *text)
{
    static char reply[200];
    tpi_emu *robot = tpi_scene_robot(s->scene, 0);

    tpi_emu_input(robot, text, strlen(text));
    reply[tpi_emu_output(robot, reply, sizeof reply - 1)] = '\0';
    return reply;
}

/* What it says in this time. */
static const char *hear(struct stage *s, double seconds)
{
    static char reply[200];

    stage_run(s, seconds);
    reply[tpi_emu_output(tpi_scene_robot(s->scene, 0), reply, sizeof reply - 1)] = '\0';
    return reply;
}

static double height_of(struct stage *s)
{
    return stage_pose(s).z;
}

static void is_deaf_before_command(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "tello", "", NULL, NULL);
    assert_true(tpi_emu_has_packets(tpi_scene_robot(s.scene, 0)));
    assert_string_equal(say(&s, "battery?"), "");
    assert_string_equal(say(&s, "command"), "ok");
    assert_string_equal(say(&s, "battery?"), "83\r\n");
    assert_string_equal(say(&s, "tof?"), "100mm\r\n");
    assert_string_equal(say(&s, "dance"), "error");
    stage_close(&s);
}

static void takes_off_flies_and_lands(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "tello", "", NULL, NULL);
    say(&s, "command");
    assert_string_equal(say(&s, "forward 50"), "error Not joystick");
    assert_string_equal(say(&s, "takeoff"), "");
    assert_string_equal(hear(&s, 5), "ok");
    assert_between(height_of(&s), 0.7, 0.9);
    assert_string_equal(say(&s, "height?"), "8dm\r\n");
    assert_string_equal(say(&s, "takeoff"), "error");
    assert_string_equal(say(&s, "forward 10"), "out of range");
    assert_string_equal(say(&s, "forward 100"), "");
    assert_string_equal(hear(&s, 8), "ok");
    assert_between(stage_pose(&s).x, 0.9, 1.1);
    assert_string_equal(say(&s, "cw 90"), "");
    assert_string_equal(hear(&s, 8), "ok");
    assert_between(stage_pose(&s).a, -1.7, -1.4);
    assert_string_equal(say(&s, "land"), "");
    assert_string_equal(hear(&s, 5), "ok");
    assert_between(height_of(&s), 0, 0.06);
    stage_close(&s);
}

static void sticks_fly_until_silence_lands_it(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "tello", "", NULL, NULL);
    say(&s, "command");
    say(&s, "takeoff");
    hear(&s, 5);
    assert_string_equal(say(&s, "rc 0 50 0 0"), "");
    stage_run(&s, 2);
    assert_between(stage_pose(&s).x, 0.6, 1.1);
    assert_string_equal(say(&s, "rc 0 0 0 0"), "");
    stage_run(&s, 1);
    const double x = stage_pose(&s).x;
    stage_run(&s, 10);
    assert_between(stage_pose(&s).x - x, -0.01, 0.01);
    assert_between(height_of(&s), 0.7, 0.9);
    stage_run(&s, 8); /* 15 s of silence are over */
    assert_between(height_of(&s), 0, 0.06);
    assert_string_equal(say(&s, "rc 1 2"), "error");
    stage_close(&s);
}

static void flips_goes_and_tells_its_state(void **state)
{
    struct stage s;
    char report[300];
    unsigned port = 0;

    (void)state;
    stage_open(&s, "tello", "", NULL, NULL);
    tpi_emu *robot = tpi_scene_robot(s.scene, 0);
    stage_run(&s, 1);
    assert_int_equal(tpi_emu_report(robot, report, sizeof report, &port), 0); /* not asked yet */
    say(&s, "command");
    assert_string_equal(say(&s, "flip f"), "error Not joystick");
    assert_string_equal(say(&s, "speed 30"), "ok");
    assert_string_equal(say(&s, "speed?"), "30.0\r\n");
    assert_string_equal(say(&s, "speed 3"), "out of range");
    assert_string_equal(say(&s, "sdk?"), "20\r\n");
    say(&s, "takeoff");
    hear(&s, 5);
    assert_string_equal(say(&s, "flip x"), "error");
    assert_string_equal(say(&s, "flip l"), "");
    assert_string_equal(hear(&s, 2), "ok");
    assert_string_equal(say(&s, "go 50 0 20 5"), "out of range");
    assert_string_equal(say(&s, "go 50 30 20 50"), "");
    assert_string_equal(hear(&s, 8), "ok");
    assert_between(stage_pose(&s).x, 0.4, 0.6);
    assert_between(stage_pose(&s).y, 0.2, 0.4);
    const size_t length = tpi_emu_report(robot, report, sizeof report, &port);
    assert_true(length > 0);
    assert_int_equal(port, 8890);
    assert_memory_equal(report, "pitch:0;roll:0;yaw:", 19);
    assert_non_null(strstr(report, ";bat:83;"));
    assert_int_equal(tpi_emu_report(robot, report, sizeof report, &port), 0); /* 100 ms later */
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_deaf_before_command),
        cmocka_unit_test(takes_off_flies_and_lands),
        cmocka_unit_test(sticks_fly_until_silence_lands_it),
        cmocka_unit_test(flips_goes_and_tells_its_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
