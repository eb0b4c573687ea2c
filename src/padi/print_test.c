/* print_test.c - values for people. */
#include <stdlib.h>
#include <string.h>

#include "padi/parse.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/all.h"

static void prints(const tp_struct *type, const void *value, tp_text_form form, const char *wanted)
{
    char *text = NULL;

    assert_int_equal(tp_value_text(&text, type, value, form), TP_OK);
    assert_string_equal(text, wanted);
    free(text);
}

static void a_line_has_names_and_values(void **state)
{
    (void)state;
    const tp_position2d_data data = {.pos = {1.5, -2, 0.25}, .vel = {0.1, 0, 0}, .stall = 1};

    prints(&tp_desc_position2d_data, &data, TP_TEXT_LINE,
           "position2d_data{pos={px=1.5 py=-2 pa=0.25} vel={px=0.1 py=0 pa=0} stall=1}");
}

static void a_block_has_units_and_names(void **state)
{
    (void)state;
    const tp_power_data data = {.valid = 9, .volts = 12.5f, .percent = 80, .charging = -1};

    prints(&tp_desc_power_data, &data, TP_TEXT_BLOCK,
           "power_data\n"
           "  valid: 9 (POWER_MASK_VOLTS+POWER_MASK_PERCENT)\n"
           "  volts: 12.5 V\n"
           "  percent: 80 %\n"
           "  joules: 0 J\n"
           "  watts: 0 W\n"
           "  charging: -1 (POWER_CHARGING_GIVES)");
}

static void bits_without_a_name_are_shown(void **state)
{
    (void)state;
    tp_audio_state state_value = {.state = 6};

    prints(&tp_desc_audio_state, &state_value, TP_TEXT_BLOCK,
           "audio_state\n  state: 6 (AUDIO_STATE_RECORDING+4)");
    state_value.state = 24;
    prints(&tp_desc_audio_state, &state_value, TP_TEXT_BLOCK, "audio_state\n  state: 24 (?)");
    state_value.state = 0;
    prints(&tp_desc_audio_state, &state_value, TP_TEXT_BLOCK,
           "audio_state\n  state: 0 (AUDIO_STATE_STOPPED)");
    const tp_power_data nothing = {.valid = 0};
    prints(&tp_desc_power_data, &nothing, TP_TEXT_BLOCK,
           "power_data\n  valid: 0\n  volts: 0 V\n  percent: 0 %\n  joules: 0 J\n  watts: 0 W\n"
           "  charging: 0 (POWER_CHARGING_NONE)");
}

static void each_truth_of_an_array_is_told(void **state)
{
    (void)state;
    uint8_t pressed[] = {0, 1, 7};
    const tp_bumper_data bumpers = {.bumpers_count = 3, .bumpers = pressed};

    prints(&tp_desc_bumper_data, &bumpers, TP_TEXT_BLOCK,
           "bumper_data\n  bumpers: [no yes yes (7)]");
    prints(&tp_desc_bumper_data, &bumpers, TP_TEXT_LINE, "bumper_data{bumpers=[0 1 7]}");
}

static void a_unit_on_a_struct_reaches_its_members(void **state)
{
    (void)state;
    const tp_position2d_cmd_vel command = {.vel = {0.5, 0, -1}, .state = 1};
    const tp_imu_data_fullstate full = {.acc = {.px = 9.5}};
    const tp_limb_vecmove_cmd move = {.direction = {1, 0, 0}, .length = 2};
    char *text = NULL;

    prints(&tp_desc_position2d_cmd_vel, &command, TP_TEXT_BLOCK,
           "position2d_cmd_vel\n  vel:\n    px: 0.5 m/s\n    py: 0 m/s\n    pa: -1 rad/s\n"
           "  state: yes");
    prints(&tp_desc_limb_vecmove_cmd, &move, TP_TEXT_BLOCK,
           "limb_vecmove_cmd\n  direction:\n    px: 1\n    py: 0\n    pz: 0\n  length: 2 m");
    assert_int_equal(tp_value_text(&text, &tp_desc_imu_data_fullstate, &full, TP_TEXT_BLOCK),
                     TP_OK);
    assert_non_null(strstr(text, "  pose:\n    px: 0 m\n"));
    assert_non_null(strstr(text, "  acc:\n    px: 9.5 m/s^2\n"));
    assert_non_null(strstr(text, "    pyaw: 0 rad/s^2"));
    free(text);
}

/* Structs in structs, arrays, and members that a unit leaves alone. */
static void units_on_structs_add_up(void **state)
{
    static const char padi_text[] =
        "interface x 200 \"X.\"\n"
        "struct x_joint \"J.\" { n u32 count \"N.\" at f64[n] m|rad \"A.\" speed f32 m/s \"S.\"\n"
        "  name char[2] \"T.\" on u8 bool \"O.\" share f32 1 \"P.\" }\n"
        "struct x_arm \"A.\" { joints x_joint[1] /s \"J.\" }\n"
        "struct x \"X.\" { arm x_arm /s^2 \"A.\" plain x_arm kg \"P.\" none x_arm \"N.\" }\n";
    static const char wanted[] = "x\n"
                                 "  arm:\n"
                                 "    joints: (1)\n"
                                 "      0:\n"
                                 "        at: [0] m/s^3|rad/s^3\n"
                                 "        speed: 0 m/s^4\n"
                                 "        name: \"\"\n"
                                 "        on: no\n"
                                 "        share: 0 1/s^3\n"
                                 "  plain:\n"
                                 "    joints: (1)\n"
                                 "      0:\n"
                                 "        at: [0] kg\n"
                                 "        speed: 0 kg\n"
                                 "        name: \"\"\n"
                                 "        on: no\n"
                                 "        share: 0 kg\n"
                                 "  none:\n"
                                 "    joints: (1)\n"
                                 "      0:\n"
                                 "        at: [0] m/s|rad/s\n"
                                 "        speed: 0 m/s^2\n"
                                 "        name: \"\"\n"
                                 "        on: no\n"
                                 "        share: 0 1/s";
    static const char json[] =
        "{\"arm\":{\"joints\":[{\"at\":[0]}]},\"plain\":{\"joints\":[{\"at\":[0]}]}"
        ",\"none\":{\"joints\":[{\"at\":[0]}]}}";
    const tpi_padi_scope scope = {0};
    tpi_padi padi;
    void *value = NULL;
    tp_error err = {0};

    (void)state;
    tpi_padi_parse(&padi, "x.padi", padi_text, strlen(padi_text), &scope, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(
        tp_value_from_json(&value, padi.interface.structs[2], json, strlen(json), &err), TP_OK);
    prints(padi.interface.structs[2], value, TP_TEXT_BLOCK, wanted);
    free(value);
    tpi_padi_fini(&padi);
}

static void an_enum_value_without_a_name_is_marked(void **state)
{
    (void)state;
    tp_gripper_data data = {.state = 9};

    prints(&tp_desc_gripper_data, &data, TP_TEXT_BLOCK,
           "gripper_data\n  state: 9 (?)\n  beams: 0\n  stored: 0");
    data.state = TP_GRIPPER_STATE_OPEN;
    prints(&tp_desc_gripper_data, &data, TP_TEXT_BLOCK,
           "gripper_data\n  state: 1 (GRIPPER_STATE_OPEN)\n  beams: 0\n  stored: 0");
}

static void arrays_show_their_elements_and_not_their_count(void **state)
{
    (void)state;
    float ranges[] = {1, 2.5f};
    const tp_sonar_data data = {.ranges_count = 2, .ranges = ranges};

    prints(&tp_desc_sonar_data, &data, TP_TEXT_LINE, "sonar_data{ranges=[1 2.5]}");
    prints(&tp_desc_sonar_data, &data, TP_TEXT_BLOCK, "sonar_data\n  ranges: [1 2.5] m");
}

static void long_arrays_are_broken_into_lines(void **state)
{
    (void)state;
    float ranges[14] = {0};
    const tp_sonar_data data = {.ranges_count = 14, .ranges = ranges};

    prints(&tp_desc_sonar_data, &data, TP_TEXT_BLOCK,
           "sonar_data\n  ranges: [\n      0 0 0 0 0 0 0 0 0 0 0 0\n      0 0] m");
}

static void arrays_of_structs_are_numbered(void **state)
{
    (void)state;
    tp_point_2d points[] = {{1, 2}, {3, 4}};
    const tp_graphics2d_cmd_points data = {.points_count = 2, .points = points};

    prints(&tp_desc_graphics2d_cmd_points, &data, TP_TEXT_LINE,
           "graphics2d_cmd_points{points=[{px=1 py=2} {px=3 py=4}] "
           "color={alpha=0 red=0 green=0 blue=0}}");
    prints(&tp_desc_graphics2d_cmd_points, &data, TP_TEXT_BLOCK,
           "graphics2d_cmd_points\n"
           "  points: (2)\n"
           "    0:\n"
           "      px: 1 m\n"
           "      py: 2 m\n"
           "    1:\n"
           "      px: 3 m\n"
           "      py: 4 m\n"
           "  color:\n"
           "    alpha: 0\n"
           "    red: 0\n"
           "    green: 0\n"
           "    blue: 0");
}

static void texts_are_quoted(void **state)
{
    (void)state;
    char words[] = "say \"hi\"";
    char odd[] = {'a', 0, 'b'};
    tp_speech_cmd command = {.string_count = sizeof words, .string = words};

    prints(&tp_desc_speech_cmd, &command, TP_TEXT_LINE, "speech_cmd{string=\"say \\\"hi\\\"\"}");
    command = (tp_speech_cmd){.string_count = 3, .string = odd};
    prints(&tp_desc_speech_cmd, &command, TP_TEXT_LINE, "speech_cmd{string=[97 0 98]}");
}

static void numbers_that_hide_something_say_what(void **state)
{
    (void)state;
    tp_wifi_link link = {
        .mac_count = 5, .mac = "00:01", .freq = 2450, .level = (uint32_t)-60, .noise = 95};
    tp_blobfinder_blob blob = {.color = 0xff8000};
    tp_gps_data fix = {.latitude = 481370005, .longitude = -5};
    char *text = NULL;

    assert_int_equal(tp_value_text(&text, &tp_desc_wifi_link, &link, TP_TEXT_BLOCK), TP_OK);
    assert_non_null(strstr(text, "\n  mac: \"00:01\"\n"));
    assert_non_null(strstr(text, "\n  level: 4294967236 (-60 dBm)\n  noise: 95"));
    free(text);
    assert_int_equal(tp_value_text(&text, &tp_desc_blobfinder_blob, &blob, TP_TEXT_BLOCK), TP_OK);
    assert_non_null(strstr(text, "\n  color: 16744448 (#ff8000)\n"));
    free(text);
    assert_int_equal(tp_value_text(&text, &tp_desc_gps_data, &fix, TP_TEXT_BLOCK), TP_OK);
    assert_non_null(strstr(text, "\n  latitude: 481370005 (48.1370005 deg)\n"
                                 "  longitude: -5 (-0.0000005 deg)\n"));
    free(text);
}

static void bytes_that_are_no_text_stay_numbers(void **state)
{
    (void)state;
    const tp_wifi_mac_req odd = {.mac_count = 3, .mac = {'a', 0, 'b'}};

    prints(&tp_desc_wifi_mac_req, &odd, TP_TEXT_BLOCK, "wifi_mac_req\n  mac: [97 0 98]");
}

static void of_many_bytes_a_block_shows_some(void **state)
{
    (void)state;
    uint8_t bytes[97] = {1, 2, 255};
    tp_camera_data picture = {.image_count = 97, .image = bytes};
    char *text = NULL;

    assert_int_equal(tp_value_text(&text, &tp_desc_camera_data, &picture, TP_TEXT_BLOCK), TP_OK);
    assert_non_null(strstr(text, "\n  image: [1 2 255 0 0 0 0 0 0 0 0 0 ...] (97 bytes)"));
    free(text);
    picture.image_count = 96;
    assert_int_equal(tp_value_text(&text, &tp_desc_camera_data, &picture, TP_TEXT_BLOCK), TP_OK);
    assert_null(strstr(text, "..."));
    free(text);
}

/* A line has all digits, so that it can be read back. */
static void a_block_has_no_more_digits_than_people_want(void **state)
{
    (void)state;
    const tp_pose3d pose = {1.0 / 3, 0.1 + 0.2, 3e-17 / 7, 123456789.123456789, 1e300, -0.0005};

    prints(&tp_desc_pose3d, &pose, TP_TEXT_BLOCK,
           "pose3d\n  px: 0.333333 m\n  py: 0.3 m\n  pz: 4.285714e-18 m\n"
           "  proll: 123456789.123457 rad\n  ppitch: 1e+300 rad\n"
           "  pyaw: -0.0005 rad");
    prints(&tp_desc_pose3d, &pose, TP_TEXT_LINE,
           "pose3d{px=0.3333333333333333 py=0.30000000000000004 pz=4.285714285714286e-18 "
           "proll=123456789.12345679 ppitch=1e+300 pyaw=-0.0005}");
}

static tp_status print_block(void *context)
{
    char *text = NULL;
    tp_status status = tp_value_text(&text, &tp_desc_pose3d, context, TP_TEXT_BLOCK);

    free(text);
    return status;
}

static void running_out_of_memory_is_told(void **state)
{
    (void)state;
    tp_pose3d pose = {0};

    memory_sweep(print_block, &pose);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_names_and_values),
        cmocka_unit_test(a_block_has_units_and_names),
        cmocka_unit_test(bits_without_a_name_are_shown),
        cmocka_unit_test(each_truth_of_an_array_is_told),
        cmocka_unit_test(a_unit_on_a_struct_reaches_its_members),
        cmocka_unit_test(units_on_structs_add_up),
        cmocka_unit_test(an_enum_value_without_a_name_is_marked),
        cmocka_unit_test(arrays_show_their_elements_and_not_their_count),
        cmocka_unit_test(long_arrays_are_broken_into_lines),
        cmocka_unit_test(arrays_of_structs_are_numbered),
        cmocka_unit_test(texts_are_quoted),
        cmocka_unit_test(numbers_that_hide_something_say_what),
        cmocka_unit_test(bytes_that_are_no_text_stay_numbers),
        cmocka_unit_test(of_many_bytes_a_block_shows_some),
        cmocka_unit_test(a_block_has_no_more_digits_than_people_want),
        cmocka_unit_test(running_out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
