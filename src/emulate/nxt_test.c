/*
 * nxt_test.c - the emulated NXT against a recorded session of the real firmware, and in a world.
 *
 * The session (tests/data/robots/nxt_session.txt) was recorded with a light sensor in port 2, a
 * sound sensor in port 3 and an ultrasonic one in port 4. The world here gives them the same
 * readings.
 */
#include "support/scene.h"

/* Light for a raw value of 500, sound for 600, a wall at 42 cm. */
static const char golden_world[] = "floor_color \"black\"\n"
                                   "ambient_light 0.3305\n"
                                   "sound ( pose [0.10 1.05 0.14 0] level 56.5 frequency 440 )\n"
                                   "model ( pose [0.64 0 0 0] size [0.2 1 1] )\n";
static const char *const golden_wires[] = {"2=light", "3=sound", NULL};

/* ---- Telegrams ------------------------------------------------------------------------------- */

/* A telegram with its length in front. */
static const char *ask(struct stage *s, const char *hex)
{
    char framed[400];
    const size_t count = (strlen(hex) + 1) / 3;

    (void)snprintf(framed, sizeof framed, "%02zx %02zx %s", count & 0xff, count >> 8, hex);
    const char *reply = stage_ask(s, framed);
    return strlen(reply) > 6 ? reply + 6 : reply; /* without the length */
}

/* Byte number `at` of a reply. */
static unsigned byte_of(const char *reply, size_t at)
{
    assert_true(strlen(reply) >= 3 * at + 2);
    return (unsigned)strtoul(reply + 3 * at, NULL, 16);
}

static int32_t le32_of(const char *reply, size_t at)
{
    return (int32_t)(byte_of(reply, at) | byte_of(reply, at + 1) << 8 |
                     byte_of(reply, at + 2) << 16 | byte_of(reply, at + 3) << 24);
}

/* ---- The recorded session -------------------------------------------------------------------- */

/* Bytes that the recording does not determine: what the motors of its simulation had turned, and a
 * field that the firmware leaves uninitialised. */
static size_t determined(const char *title, const char *wanted)
{
    if (strncmp(wanted, "02 06 00", 8) == 0) {
        return 3 * 13 - 1;
    }
    return strstr(title, "uninitialised") != NULL ? 3 * 4 - 1 : strlen(wanted) + 1;
}

static void compare(const char *title, const char *request, const char *reply, const char *wanted)
{
    const char *none = strcmp(wanted, "(none)") == 0 ? "" : wanted;
    const size_t length = determined(title, none);

    if (strncmp(reply, none, length) != 0 || strlen(reply) != strlen(none)) {
        fail_msg("%s\n> %s\n< %s\nnot %s", title, request, reply, none);
    }
}

/* The recording waited between requests, except where it says so. */
static void prepare(struct stage *s, const char *title)
{
    if (strstr(title, "immediately") == NULL) {
        stage_run(s, 0.7);
    }
    assert_int_equal(tpi_emu_press(s->robot, "touch", strstr(title, "pressed") != NULL, NULL),
                     TP_OK);
}

static void answers_as_the_real_firmware(void **state)
{
    tpi_buf text = {0};
    struct stage s;
    char title[256] = "";
    char request[256] = "";
    unsigned compared = 0;
    bool artefact = false;

    (void)state;
    stage_open(&s, "nxt", golden_world, golden_wires, "lifted");
    assert_int_equal(
        tpi_file_read(&text, TEST_ROOT "/tests/data/robots/nxt_session.txt", 1 << 20, NULL), TP_OK);
    for (char *line = strtok(text.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (line[0] == '#') {
            /* the two replies behind this title are no rule, the recording says */
            artefact =
                strstr(line, "ARTEFACT") != NULL || (artefact && strstr(title, "LSREAD") == NULL);
            (void)snprintf(title, sizeof title, "%s", line);
            prepare(&s, title);
        } else if (line[0] == '>') {
            (void)snprintf(request, sizeof request, "%s", line + 2);
        } else {
            const char *reply = ask(&s, request);
            if (!artefact || strstr(title, "ARTEFACT") != NULL) {
                compare(title, request, reply, line + 2);
                compared++;
            }
        }
    }
    assert_int_equal(compared, 72);
    tpi_buf_fini(&text);
    stage_close(&s);
}

/* ---- In a world ------------------------------------------------------------------------------ */

static void drives_with_both_wheels_and_counts_degrees(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "nxt", "", NULL, NULL);
    assert_string_equal(ask(&s, "00 04 01 32 07 01 00 20 00 00 00 00"), "02 04 00");
    assert_string_equal(ask(&s, "80 04 02 32 07 01 00 20 00 00 00 00"), "");
    stage_run(&s, 2);
    /* 50 % is 450 degrees per second of a wheel that is 176 mm around */
    assert_between(stage_pose(&s).x, 0.40, 0.44);
    assert_between(stage_pose(&s).y, -1e-6, 1e-6);
    const double degrees = le32_of(ask(&s, "00 06 01"), 13);
    assert_between(degrees, stage_pose(&s).x / 0.17593 * 360 - 3,
                   stage_pose(&s).x / 0.17593 * 360 + 3);
    ask(&s, "80 04 ff 00 07 01 00 20 00 00 00 00");
    stage_run(&s, 0.5);
    const double there = stage_pose(&s).x;
    stage_run(&s, 0.5);
    assert_between(stage_pose(&s).x, there, there + 1e-3);
    stage_close(&s);
}

static void turns_to_the_left_if_the_right_wheel_turns(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "nxt", "", NULL, NULL);
    ask(&s, "80 04 02 32 07 01 00 20 00 00 00 00");
    stage_run(&s, 0.5);
    assert_between(stage_pose(&s).a, 0.5, 1.2);
    stage_close(&s);
}

static void synchronised_motors_share_a_turn(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "nxt", "", NULL, NULL);
    ask(&s, "80 04 01 32 07 02 64 20 00 00 00 00");
    ask(&s, "80 04 02 32 07 02 64 20 00 00 00 00");
    stage_run(&s, 0.5);
    assert_between(stage_pose(&s).a, -3, -1); /* on the spot, to the right */
    assert_between(hypot(stage_pose(&s).x, stage_pose(&s).y), 0, 0.02);
    stage_close(&s);
}

static void stops_at_its_limit(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "nxt", "", NULL, "lifted");
    ask(&s, "80 04 00 32 07 01 00 20 68 01 00 00"); /* A, 360 degrees */
    stage_run(&s, 0.3);
    assert_int_equal(byte_of(ask(&s, "00 06 00"), 8), 0x20);
    stage_run(&s, 1.2);
    const char *reply = ask(&s, "00 06 00");
    assert_int_equal(byte_of(reply, 8), 0x00);
    assert_between(le32_of(reply, 13), 360, 380);
    stage_close(&s);
}

static void a_wall_stops_the_wheels_and_presses_the_touch_sensor(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "nxt", "model ( pose [0.5 0 0 0] size [0.1 2 0.5] )", NULL, NULL);
    ask(&s, "80 05 00 01 20");
    ask(&s, "80 04 01 32 07 01 00 20 00 00 00 00");
    ask(&s, "80 04 02 32 07 01 00 20 00 00 00 00");
    stage_run(&s, 0.5);
    assert_int_equal(byte_of(ask(&s, "00 07 00"), 12), 0);
    stage_run(&s, 3);
    assert_int_equal(byte_of(ask(&s, "00 07 00"), 12), 1);
    const int32_t there = le32_of(ask(&s, "00 06 01"), 13);
    stage_run(&s, 1);
    assert_int_equal(le32_of(ask(&s, "00 06 01"), 13), there);
    stage_close(&s);
}

/* The percent that a port reads. */
static unsigned percent_of(struct stage *s, const char *port, const char *type)
{
    char text[32];

    (void)snprintf(text, sizeof text, "80 05 %s %s 80", port, type);
    ask(s, text);
    stage_run(s, 0.5);
    (void)snprintf(text, sizeof text, "00 07 %s", port);
    return byte_of(ask(s, text), 12);
}

static void light_and_lines_are_seen(void **state)
{
    struct stage dark;
    struct stage bright;

    (void)state;
    stage_open(&dark, "nxt", "floor_color \"black\" ambient_light 0", NULL, NULL);
    stage_open(&bright, "nxt", "light ( pose [0.7 0 0.1 0] intensity 1 )", NULL, NULL);
    assert_int_equal(percent_of(&dark, "02", "06"), 0);
    assert_int_equal(percent_of(&dark, "02", "05"), 0); /* its lamp on a black floor */
    assert_true(percent_of(&bright, "02", "06") > 85);
    stage_close(&dark);
    stage_open(&dark, "nxt", "floor_color \"white\" ambient_light 0", NULL, NULL);
    assert_int_equal(percent_of(&dark, "02", "06"), 0);
    assert_between(percent_of(&dark, "02", "05"), 50, 65);
    stage_close(&dark);
    stage_close(&bright);
}

static void colours_have_numbers(void **state)
{
    static const char *const wires[] = {"3=colour", NULL};
    static const struct {
        const char *floor;
        unsigned number;
    } cases[] = {{"black", 1}, {"blue", 2}, {"green", 3}, {"yellow", 4}, {"red", 5}, {"white", 6}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stage s;
        char world[64];
        (void)snprintf(world, sizeof world, "floor_color \"%s\"", cases[i].floor);
        stage_open(&s, "nxt", world, wires, NULL);
        assert_int_equal(percent_of(&s, "02", "0d"), cases[i].number);
        stage_close(&s);
    }
}

static void transactions_take_time(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "nxt", "model ( pose [1.22 0 0 0] size [0.2 1 1] )", NULL, NULL);
    stage_run(&s, 0.1);
    ask(&s, "80 05 03 0b 00");
    assert_string_equal(ask(&s, "00 0f 03 02 01 02 42"), "02 0f 00");
    assert_string_equal(ask(&s, "00 0e 03"), "02 0e 20 00");
    assert_int_equal(byte_of(ask(&s, "00 10 03"), 2), 0x20);
    stage_run(&s, 0.01);
    assert_string_equal(ask(&s, "00 0e 03"), "02 0e 00 01");
    assert_int_equal(byte_of(ask(&s, "00 10 03"), 4), 100);
    assert_string_equal(ask(&s, "00 0f 03 02 07 02 14"), "02 0f 00");
    stage_run(&s, 0.02);
    assert_string_equal(ask(&s, "00 10 03"),
                        "02 10 00 07 31 30 45 2d 32 6d 00 00 00 00 00 00 00 00 00 00");
    assert_string_equal(ask(&s, "00 0f 03 02 01 10 42"), "02 0f 00"); /* nobody is there */
    stage_run(&s, 0.02);
    assert_string_equal(ask(&s, "00 0e 03"), "02 0e dd 00");
    stage_close(&s);
}

static void a_program_that_runs_has_mailboxes(void **state)
{
    struct stage s;
    char text[200];

    (void)state;
    stage_open(&s, "nxt", "", NULL, NULL);
    ask(&s, "01 89 61 2e 72 78 65 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00");
    ask(&s, "01 83 00 01 02");
    ask(&s, "01 84 00");
    assert_string_equal(
        ask(&s, "00 00 61 2e 72 78 65 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"), "02 00 00");
    for (unsigned i = 0; i < 6; i++) { /* one more than fit: the oldest is lost */
        (void)snprintf(text, sizeof text, "00 09 04 02 %02x 00", 0x41 + i);
        assert_string_equal(ask(&s, text), "02 09 00");
    }
    assert_memory_equal(ask(&s, "00 13 04 04 00"), "02 13 00 04 02 42 00 00", 23);
    assert_memory_equal(ask(&s, "00 13 04 04 01"), "02 13 00 04 02 42 00 00", 23);
    assert_memory_equal(ask(&s, "00 13 04 04 01"), "02 13 00 04 02 43 00 00", 23);
    assert_memory_equal(ask(&s, "00 13 05 05 01"), "02 13 40 05 00", 14);
    assert_string_equal(ask(&s, "00 01"), "02 01 00");
    assert_memory_equal(ask(&s, "00 13 04 04 01"), "02 13 ec", 8);
    stage_close(&s);
}

static void buttons_are_in_the_memory_of_a_module(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "nxt", "", NULL, NULL);
    assert_int_equal(tpi_emu_press(s.robot, "enter", true, NULL), TP_OK);
    stage_run(&s, 0.2);
    assert_string_equal(ask(&s, "01 94 01 00 04 00 20 00 04 00"),
                        "02 94 00 01 00 04 00 04 00 00 00 00 80");
    assert_string_equal(ask(&s, "01 95 01 00 0a 00 77 00 02 00 aa 55"),
                        "02 95 00 01 00 0a 00 02 00");
    assert_string_equal(ask(&s, "01 94 01 00 0a 00 77 00 02 00"),
                        "02 94 00 01 00 0a 00 02 00 aa 55");
    assert_string_equal(ask(&s, "01 94 01 00 04 00 22 00 04 00"), "02 94 91 01 00 04 00 00 00");
    /* a search goes on with the same handle */
    assert_memory_equal(
        ask(&s, "01 90 2a 2e 2a 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
        "02 90 00 00 42 75 74 74 6f 6e", 29);
    assert_memory_equal(ask(&s, "01 91 00"), "02 91 00 00 44 69 73 70 6c 61 79", 32);
    assert_memory_equal(ask(&s, "01 91 00"), "02 91 90", 8);
    stage_close(&s);
}

static void sleeps_unless_it_is_kept_alive(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "nxt", "", NULL, NULL);
    stage_run(&s, 599);
    assert_string_equal(ask(&s, "00 0d"), "02 0d 00 c0 27 09 00");
    stage_run(&s, 599);
    assert_string_equal(ask(&s, "00 0b"), "02 0b 00 98 1e");
    stage_run(&s, 2);
    assert_string_equal(ask(&s, "00 0b"), "");
    assert_non_null(strstr(tpi_buf_text(&s.trace), "switches itself off"));
    stage_close(&s);
}

static void short_and_long_telegrams_do_no_harm(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "nxt", "", NULL, NULL);
    assert_string_equal(ask(&s, "00 04 01"), "02 04 bf");
    assert_string_equal(stage_ask(&s, "00 00"), "");       /* an empty one */
    assert_string_equal(stage_ask(&s, "ff ff 00 0b"), ""); /* no telegram is so long */
    assert_string_equal(stage_ask(&s, "02 00 00"), "");    /* half of one */
    assert_string_equal(stage_ask(&s, "0b"), "05 00 02 0b 00 98 1e");
    stage_say(&s, "40 00 01"); /* the rest never comes */
    stage_run(&s, 2);
    assert_string_equal(ask(&s, "00 0b"), "02 0b 00 98 1e");
    stage_close(&s);
}

static void an_empty_battery_moves_nothing(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "nxt", "", NULL, "battery@1s");
    ask(&s, "80 04 ff 32 07 01 00 20 00 00 00 00");
    stage_run(&s, 1);
    const double there = stage_pose(&s).x;
    assert_true(there > 0.1);
    stage_run(&s, 2);
    assert_between(stage_pose(&s).x, there, there + 0.01);
    assert_string_equal(ask(&s, "00 0b"), "02 0b 00 e0 15"); /* 5.6 V */
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_as_the_real_firmware),
        cmocka_unit_test(drives_with_both_wheels_and_counts_degrees),
        cmocka_unit_test(turns_to_the_left_if_the_right_wheel_turns),
        cmocka_unit_test(synchronised_motors_share_a_turn),
        cmocka_unit_test(stops_at_its_limit),
        cmocka_unit_test(a_wall_stops_the_wheels_and_presses_the_touch_sensor),
        cmocka_unit_test(light_and_lines_are_seen),
        cmocka_unit_test(colours_have_numbers),
        cmocka_unit_test(transactions_take_time),
        cmocka_unit_test(a_program_that_runs_has_mailboxes),
        cmocka_unit_test(buttons_are_in_the_memory_of_a_module),
        cmocka_unit_test(sleeps_unless_it_is_kept_alive),
        cmocka_unit_test(short_and_long_telegrams_do_no_harm),
        cmocka_unit_test(an_empty_battery_moves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
