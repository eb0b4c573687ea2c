/* create_test.c - the emulated Create 1 and 2 in a world. */
#include "support/scene.h"

static void open_safe(struct stage *s, const char *kind, const char *world, const char *fault)
{
    stage_open(s, kind, world, NULL, fault);
    stage_say(s, "80 83");
    stage_run(s, 0.1);
}

/* The bytes of a packet as a number. */
static int packet(struct stage *s, unsigned id)
{
    char text[16];
    unsigned high = 0;
    unsigned low = 0;

    (void)snprintf(text, sizeof text, "8e %02x", id);
    const int count = sscanf(stage_ask(s, text), "%x %x", &high, &low);
    assert_in_range(count, 1, 2);
    return count == 1 ? (int)high : (int16_t)(high << 8 | low);
}

/* ---- Modes ----------------------------------------------------------------------------------- */

static void hears_nothing_but_start_while_it_is_off(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "create1", "", NULL, NULL);
    assert_string_equal(stage_ask(&s, "8e 23"), "");
    assert_string_equal(stage_ask(&s, "83 8e 23"), "");
    assert_string_equal(stage_ask(&s, "80 8e 23"), "01");
    assert_string_equal(stage_ask(&s, "83 8e 23"), "02");
    assert_string_equal(stage_ask(&s, "84 8e 23"), "03");
    assert_string_equal(stage_ask(&s, "05 7f ff 8e 23"), "03"); /* no opcodes */
    stage_close(&s);
}

static void drives_in_safe_mode_only(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "create1", "", NULL, NULL);
    stage_say(&s, "80 91 00 c8 00 c8"); /* passive */
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, 0, 1e-9);
    stage_say(&s, "83 91 00 c8 00 c8");
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, 0.17, 0.2);
    stage_close(&s);
}

/* ---- Driving --------------------------------------------------------------------------------- */

static void turns_with_a_radius_and_with_two_speeds(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create1", "", NULL);
    stage_say(&s, "89 00 c8 01 f4"); /* 200 mm/s on 500 mm to the left */
    stage_run(&s, 2);
    assert_between(stage_pose(&s).a, 0.7, 0.82);
    assert_int_equal(packet(&s, 39), 200);
    assert_int_equal(packet(&s, 40), 500);
    const double before = stage_pose(&s).a;
    stage_say(&s, "89 00 c8 ff ff"); /* on the spot, clockwise */
    stage_run(&s, 0.5);
    assert_true(stage_pose(&s).a < before - 0.5);
    stage_say(&s, "91 00 c8 ff 38"); /* right ahead, left back */
    stage_run(&s, 0.5);
    assert_int_equal(packet(&s, 41), 200);
    assert_int_equal(packet(&s, 42), -200);
    assert_between(stage_pose(&s).a, before - 0.4, before + 0.4);
    stage_close(&s);
}

static void distance_and_angle_count_since_the_last_question(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create1", "", NULL);
    stage_say(&s, "89 00 64 80 00"); /* straight, 100 mm/s */
    stage_run(&s, 2);
    assert_between(packet(&s, 19), 190, 200);
    assert_int_equal(packet(&s, 19), 0);
    stage_say(&s, "91 00 64 ff 9c"); /* on the spot, to the left */
    stage_run(&s, 2);
    assert_between(packet(&s, 20), 80, 92); /* 2 * 100 mm/s / 258 mm in 2 s */
    stage_close(&s);
}

static void a_second_create_has_encoders(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create2", "", NULL);
    stage_say(&s, "91 00 64 00 64");
    stage_run(&s, 2);
    /* 0.195 m, 72 mm, 508.8 counts */
    assert_between(packet(&s, 43), 425, 450);
    assert_between(packet(&s, 44), 425, 450);
    assert_string_equal(stage_ask(&s, "92 00 ff 00 ff"), ""); /* PWM, full */
    stage_run(&s, 0.5);
    assert_int_equal(packet(&s, 41), 500);
    stage_close(&s);
}

/* ---- Safety ---------------------------------------------------------------------------------- */

static void a_cliff_ends_safe_mode_but_not_full(void **state)
{
    static const char world[] = "floor ( pose [1 0 0 0] size [1 4 0] color \"black\" )";
    struct stage s;

    (void)state;
    open_safe(&s, "create1", world, NULL);
    stage_say(&s, "91 00 c8 00 c8");
    stage_run(&s, 4);
    assert_int_equal(packet(&s, 35), 1);
    assert_between(stage_pose(&s).x, 0.33, 0.45);
    assert_int_equal(packet(&s, 10), 1);
    assert_int_equal(packet(&s, 29), 0);
    /* backwards is allowed again in safe mode */
    stage_say(&s, "83 91 ff 38 ff 38");
    stage_run(&s, 1);
    assert_int_equal(packet(&s, 35), 2);
    assert_true(stage_pose(&s).x < 0.33);
    stage_say(&s, "84 91 00 c8 00 c8");
    stage_run(&s, 4);
    assert_int_equal(packet(&s, 35), 3);
    assert_true(stage_pose(&s).x > 0.6);
    stage_close(&s);
}

static void a_lifted_robot_stops_in_safe_mode(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create1", "", "lifted@1s-2s");
    stage_say(&s, "91 00 c8 00 c8");
    stage_run(&s, 1.5);
    assert_int_equal(packet(&s, 7), 0x1c);
    assert_int_equal(packet(&s, 35), 1);
    const double there = stage_pose(&s).x;
    stage_run(&s, 2);
    assert_between(stage_pose(&s).x, there, there + 1e-6);
    stage_close(&s);
}

static void bumpers_and_walls_are_felt(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create1",
              "model ( pose [0.6 0.3 0 0] size [0.2 0.6 0.5] )\n"
              "model ( pose [0 -0.24 0 0] size [0.6 0.05 0.5] )",
              NULL);
    assert_int_equal(packet(&s, 7), 0);
    assert_int_equal(packet(&s, 8), 1); /* on the right */
    assert_true(packet(&s, 27) > 1000);
    stage_say(&s, "91 00 c8 00 c8");
    stage_run(&s, 3);
    assert_int_equal(packet(&s, 7) & 2, 2); /* left */
    stage_close(&s);
}

static void charging_is_reported(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create2",
              "include \"things.inc\"\n"
              "charger ( pose [0.6 0 0 0] )",
              NULL);
    stage_say(&s, "84 91 00 c8 00 c8");
    stage_run(&s, 3);
    assert_int_equal(packet(&s, 34), 2);
    assert_between(packet(&s, 26), 2900, 3050);
    assert_between(packet(&s, 22), 11000, 16000);
    stage_close(&s);
}

/* ---- Packets --------------------------------------------------------------------------------- */

static void groups_have_their_lengths(void **state)
{
    static const struct {
        unsigned id;
        size_t first, second; /* bytes */
    } groups[] = {{0, 26, 26}, {1, 10, 10}, {2, 6, 6},    {3, 10, 10},  {4, 14, 14},
                  {5, 12, 12}, {6, 52, 52}, {100, 0, 80}, {101, 0, 28}, {106, 0, 12},
                  {107, 0, 9}, {43, 0, 2},  {7, 1, 1},    {42, 2, 2},   {59, 0, 0}};

    (void)state;
    for (unsigned model = 0; model < 2; model++) {
        struct stage s;
        open_safe(&s, model == 0 ? "create1" : "create2", "", NULL);
        for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
            char text[16];
            (void)snprintf(text, sizeof text, "8e %02x", groups[i].id);
            const size_t wanted = model == 0 ? groups[i].first : groups[i].second;
            assert_int_equal(strlen(stage_ask(&s, text)), wanted == 0 ? 0 : 3 * wanted - 1);
        }
        stage_close(&s);
    }
}

static void a_list_is_answered_without_headers(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create1", "", NULL);
    assert_string_equal(stage_ask(&s, "95 03 23 07 13"), "02 00 00 00");
    assert_string_equal(stage_ask(&s, "95 00 8e 23"), "02");
    stage_close(&s);
}

static void a_stream_has_frames_every_15_ms_that_sum_to_0(void **state)
{
    struct stage s;
    unsigned bytes[8];

    (void)state;
    open_safe(&s, "create1", "", NULL);
    assert_string_equal(stage_ask(&s, "94 02 07 23"), "");
    stage_run(&s, 0.015);
    assert_string_equal(stage_heard(&s), "13 04 07 00 23 02 bd");
    stage_run(&s, 0.15);
    assert_int_equal(strlen(stage_heard(&s)), 10 * 7 * 3 - 1);
    stage_say(&s, "96 00");
    stage_run(&s, 0.1);
    assert_string_equal(stage_heard(&s), "");
    stage_say(&s, "96 01");
    stage_run(&s, 0.015);
    assert_int_equal(sscanf(stage_heard(&s), "%x %x %x %x %x %x %x", &bytes[0], &bytes[1],
                            &bytes[2], &bytes[3], &bytes[4], &bytes[5], &bytes[6]),
                     7);
    unsigned sum = 0;
    for (unsigned i = 0; i < 7; i++) {
        sum += bytes[i];
    }
    assert_int_equal(sum & 0xff, 0);
    stage_close(&s);
}

/* ---- The rest -------------------------------------------------------------------------------- */

static void songs_play_once_at_a_time(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create1", "", NULL);
    stage_say(&s, "8c 03 02 45 20 48 20 8d 03"); /* two notes of half a second */
    assert_int_equal(packet(&s, 37), 1);
    assert_int_equal(packet(&s, 36), 3);
    stage_say(&s, "8c 04 01 45 ff 8d 04"); /* ignored while one plays */
    stage_run(&s, 0.9);
    assert_int_equal(packet(&s, 36), 3);
    assert_int_equal(packet(&s, 37), 1);
    stage_run(&s, 0.2);
    assert_int_equal(packet(&s, 37), 0);
    stage_close(&s);
}

static void buttons_and_the_cargo_bay_are_read(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create1", "ambient_light 0.25", NULL);
    assert_int_equal(tpi_emu_press(s.robot, "advance", true, NULL), TP_OK);
    stage_run(&s, 0.2);
    assert_int_equal(packet(&s, 18), 4);
    assert_int_equal(packet(&s, 33), 511);
    stage_close(&s);
    open_safe(&s, "create2", "", NULL);
    assert_int_equal(tpi_emu_press(s.robot, "spot", true, NULL), TP_OK);
    stage_run(&s, 0.2);
    assert_int_equal(packet(&s, 18), 2);
    stage_close(&s);
}

static void a_script_drives_a_square_side_and_waits(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create1", "", NULL);
    /* ahead 300 mm, turn left 90 degrees, stop */
    stage_say(&s, "98 13 89 01 2c 80 00 9c 01 2c 89 00 c8 00 01 9d 00 5a 89 00 00 00 00");
    /* the length counts 19 bytes: the two that are left are ignored */
    assert_string_equal(stage_ask(&s, "9a"),
                        "13 89 01 2c 80 00 9c 01 2c 89 00 c8 00 01 9d 00 5a 89 00 00");
    stage_say(&s, "98 15 89 01 2c 80 00 9c 01 2c 89 00 c8 00 01 9d 00 5a 89 00 00 00 00 99");
    assert_string_equal(stage_ask(&s, "8e 23"), ""); /* it waits */
    stage_run(&s, 4);
    assert_string_equal(stage_heard(&s), "02"); /* answered when the script is over */
    assert_between(stage_pose(&s).x, 0.29, 0.34);
    assert_between(stage_pose(&s).a, 1.5, 1.8);
    stage_close(&s);
}

static void a_script_waits_for_an_event(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create1", "", NULL);
    stage_say(&s, "98 03 9e 11 99 99"); /* wait for Play, for ever */
    stage_say(&s, "80");
    stage_run(&s, 0.5);
    assert_string_equal(stage_ask(&s, "8e 23"), "");
    assert_int_equal(tpi_emu_press(s.robot, "play", true, NULL), TP_OK);
    stage_run(&s, 0.5); /* runs on and on, and time goes on */
    stage_close(&s);
}

static void the_speed_of_its_line_can_be_changed(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create1", "", NULL);
    assert_int_equal(tpi_emu_baud(s.robot), 57600);
    stage_say(&s, "81 0b");
    assert_int_equal(tpi_emu_baud(s.robot), 115200);
    stage_say(&s, "81 63");
    assert_int_equal(tpi_emu_baud(s.robot), 115200);
    stage_close(&s);
}

static void a_second_create_stops_and_resets(void **state)
{
    struct stage s;

    (void)state;
    open_safe(&s, "create2", "", NULL);
    assert_string_equal(stage_ask(&s, "ad 8e 23"), "");
    assert_string_equal(stage_ask(&s, "80 8e 23"), "01");
    assert_string_equal(stage_ask(&s, "07"), "62 6c 2d 73 74 61 72 74 0d 0a");
    assert_string_equal(stage_ask(&s, "8e 23"), "");
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hears_nothing_but_start_while_it_is_off),
        cmocka_unit_test(drives_in_safe_mode_only),
        cmocka_unit_test(turns_with_a_radius_and_with_two_speeds),
        cmocka_unit_test(distance_and_angle_count_since_the_last_question),
        cmocka_unit_test(a_second_create_has_encoders),
        cmocka_unit_test(a_cliff_ends_safe_mode_but_not_full),
        cmocka_unit_test(a_lifted_robot_stops_in_safe_mode),
        cmocka_unit_test(bumpers_and_walls_are_felt),
        cmocka_unit_test(charging_is_reported),
        cmocka_unit_test(groups_have_their_lengths),
        cmocka_unit_test(a_list_is_answered_without_headers),
        cmocka_unit_test(a_stream_has_frames_every_15_ms_that_sum_to_0),
        cmocka_unit_test(songs_play_once_at_a_time),
        cmocka_unit_test(buttons_and_the_cargo_bay_are_read),
        cmocka_unit_test(a_script_drives_a_square_side_and_waits),
        cmocka_unit_test(a_script_waits_for_an_event),
        cmocka_unit_test(the_speed_of_its_line_can_be_changed),
        cmocka_unit_test(a_second_create_stops_and_resets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
