/* json_test.c - values to and from JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/random.h"
#include "support/unit.h"
#include "troupe/interfaces/all.h"

static char *to_json(const tp_struct *type, const void *value, tp_text_form form)
{
    char *text = NULL;

    assert_int_equal(tp_value_text(&text, type, value, form), TP_OK);
    return text;
}

/* Read, and write again: the text that comes out. */
static void reads_as(const tp_struct *type, const char *in, const char *out)
{
    void *value = NULL;
    tp_error err = {0};

    assert_int_equal(tp_value_from_json(&value, type, in, strlen(in), &err), TP_OK);
    char *text = to_json(type, value, TP_TEXT_JSON);
    assert_string_equal(text, out);
    free(text);
    free(value);
}

static void is_refused(const tp_struct *type, const char *in, const char *why)
{
    void *value = NULL;
    tp_error err = {0};

    assert_int_equal(tp_value_from_json(&value, type, in, strlen(in), &err), TP_E_SYNTAX);
    assert_string_equal(err.text, why);
}

static void what_is_left_out_is_zero(void **state)
{
    (void)state;
    reads_as(&tp_desc_position2d_cmd_vel, "{}",
             "{\"vel\":{\"px\":0,\"py\":0,\"pa\":0},\"state\":0}");
    reads_as(&tp_desc_position2d_cmd_vel, " { \"vel\" : {\"px\":0.5} , \"state\":1}",
             "{\"vel\":{\"px\":0.5,\"py\":0,\"pa\":0},\"state\":1}");
    reads_as(&tp_desc_sonar_data, "{}", "{\"ranges_count\":0,\"ranges\":[]}");
}

static void a_missing_count_is_taken_from_its_array(void **state)
{
    (void)state;
    reads_as(&tp_desc_sonar_data, "{\"ranges\":[1,2.5,-0.0]}",
             "{\"ranges_count\":3,\"ranges\":[1,2.5,-0]}");
}

static void a_text_gets_its_nul_counted(void **state)
{
    (void)state;
    reads_as(&tp_desc_speech_cmd, "{\"string\":\"hello\"}",
             "{\"string_count\":6,\"string\":\"hello\"}");
    reads_as(&tp_desc_speech_cmd, "{\"string\":\"hello\",\"string_count\":5}",
             "{\"string_count\":5,\"string\":\"hello\"}");
    reads_as(&tp_desc_speech_cmd, "{\"string\":\"hello\",\"string_count\":8}",
             "{\"string_count\":8,\"string\":\"hello\"}");
    reads_as(&tp_desc_speech_cmd, "{\"string\":\"hello\\u0000\",\"string_count\":6}",
             "{\"string_count\":6,\"string\":\"hello\"}");
    reads_as(&tp_desc_speech_cmd, "{\"string\":\"\"}", "{\"string_count\":1,\"string\":\"\"}");
}

static void text_that_is_none_is_a_list(void **state)
{
    (void)state;
    reads_as(&tp_desc_speech_cmd, "{\"string\":[-1,0,65]}",
             "{\"string_count\":3,\"string\":[-1,0,65]}");
    reads_as(&tp_desc_speech_cmd, "{\"string\":\"a\\u0000b\",\"string_count\":3}",
             "{\"string_count\":3,\"string\":[97,0,98]}");
    reads_as(&tp_desc_speech_cmd, "{\"string\":\"\\u00e9\\n\",\"string_count\":3}",
             "{\"string_count\":3,\"string\":\"\xc3\xa9\\u000a\"}");
}

static void numbers_are_exact(void **state)
{
    (void)state;
    reads_as(&tp_desc_health_memory,
             "{\"total\":9223372036854775807,\"used\":-9223372036854775808,"
             "\"free\":9007199254740993}",
             "{\"total\":9223372036854775807,\"used\":-9223372036854775808,"
             "\"free\":9007199254740993}");
    reads_as(&tp_desc_point_2d, "{\"px\":0.1,\"py\":1e-300}", "{\"px\":0.1,\"py\":1e-300}");
    reads_as(&tp_desc_position1d_set_odom_req, "{\"pos\":0.1}", "{\"pos\":0.1}");
    reads_as(&tp_desc_point_2d, "{\"px\":\"NaN\",\"py\":\"-Infinity\"}",
             "{\"px\":\"NaN\",\"py\":\"-Infinity\"}");
    reads_as(&tp_desc_uint32, "{\"value\":1e3}", "{\"value\":1000}");
}

static void names_of_enums_and_booleans_are_read(void **state)
{
    (void)state;
    reads_as(&tp_desc_gripper_data, "{\"state\":\"GRIPPER_STATE_CLOSED\",\"stored\":true}",
             "{\"state\":2,\"beams\":0,\"stored\":1}");
    is_refused(&tp_desc_gripper_data, "{\"state\":\"SHUT\"}",
               "line 1, column 10: \"SHUT\" is none of gripper_state");
    is_refused(&tp_desc_gripper_data, "{\"state\": \"GRIPPER_STATE_CLOSE\"}",
               "line 1, column 11: \"GRIPPER_STATE_CLOSE\" is none of gripper_state; did you mean "
               "\"GRIPPER_STATE_CLOSED\"?");
    reads_as(&tp_desc_audio_state, "{\"state\":\"AUDIO_STATE_RECORDING\"}", "{\"state\":2}");
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    is_refused(&tp_desc_bool, "{\"state\":256}",
               "line 1, column 10: 256 does not fit into state, which is u8");
    is_refused(&tp_desc_bool, "{\"state\": -1}",
               "line 1, column 11: -1 does not fit into state, which is u8");
    is_refused(&tp_desc_bool, "{\"state\":3e2}",
               "line 1, column 10: 3e2 does not fit into state, which is u8");
    is_refused(&tp_desc_health_memory, "{\"total\":9223372036854775808}",
               "line 1, column 10: 9223372036854775808 does not fit into 64 bits");
    is_refused(&tp_desc_uint32, "{\"value\":1.5}",
               "line 1, column 10: 1.5 where a whole number was expected");
    is_refused(&tp_desc_uint32, "{\"value\":\"7\"}",
               "line 1, column 10: '\"' where a whole number was expected");
}

static void numbers_that_would_be_infinite_are_refused(void **state)
{
    (void)state;
    is_refused(&tp_desc_point_2d, "{\"px\": 1e400}",
               "line 1, column 8: 1e400 does not fit into px, which is f64");
    is_refused(&tp_desc_point_2d, "{\"px\":-1e400}",
               "line 1, column 7: -1e400 does not fit into px, which is f64");
    is_refused(&tp_desc_position1d_set_odom_req, "{\"pos\":1e39}",
               "line 1, column 8: 1e39 does not fit into pos, which is f32");
    is_refused(&tp_desc_sonar_data, "{\"ranges\":[1, 2e39]}",
               "line 1, column 15: 2e39 does not fit into ranges, which is f32");
    reads_as(&tp_desc_position1d_set_odom_req, "{\"pos\":3.4e38}", "{\"pos\":3.4e+38}");
    reads_as(&tp_desc_position1d_set_odom_req, "{\"pos\":\"Infinity\"}", "{\"pos\":\"Infinity\"}");
    reads_as(&tp_desc_position1d_set_odom_req, "{\"pos\":1e-60}", "{\"pos\":0}");
}

static void a_text_has_room_for_its_nul(void **state)
{
    static const char full[] = "1234567890123456789012345678901234567890123456789012345678901234";
    char text[256];

    (void)state;
    snprintf(text, sizeof text, "{\"driver_name\":\"%s\"}", full + 1);
    reads_as(&tp_desc_device_driverinfo, text,
             "{\"addr\":{\"host\":0,\"robot\":0,\"interf\":0,\"index\":0},"
             "\"driver_name_count\":64,\"driver_name\":"
             "\"234567890123456789012345678901234567890123456789012345678901234\"}");
    snprintf(text, sizeof text, "{\"driver_name\": \"%s\"}", full);
    is_refused(&tp_desc_device_driverinfo, text,
               "line 1, column 17: driver_name of 64 bytes leaves no room for its NUL");
    snprintf(text, sizeof text, "{\"driver_name\":\"%s\",\"driver_name_count\":64}", full);
    reads_as(&tp_desc_device_driverinfo, text,
             "{\"addr\":{\"host\":0,\"robot\":0,\"interf\":0,\"index\":0},"
             "\"driver_name_count\":64,\"driver_name\":"
             "\"1234567890123456789012345678901234567890123456789012345678901234\"}");
    is_refused(&tp_desc_device_driverinfo, "{\"driver_name\":\"x\",\"driver_name_count\":65}",
               "line 1, column 16: driver_name has room for 64 bytes, but its count says 65");
}

static void unknown_members_are_named(void **state)
{
    (void)state;
    is_refused(&tp_desc_point_2d, "{\"px\":1,\n \"pz\":2}",
               "line 2, column 2: point_2d has no field \"pz\"; did you mean \"px\"?");
    is_refused(&tp_desc_position2d_cmd_vel, "{\"px\":1}",
               "line 1, column 2: position2d_cmd_vel has no field \"px\"; did you mean "
               "{\"vel\":{\"px\":...}}?");
    is_refused(&tp_desc_dio_cmd, "{\"bits\":1}",
               "line 1, column 2: dio_cmd has no field \"bits\"; it has count, digout");
    is_refused(&tp_desc_laser_data, "{\"points\":1}",
               "line 1, column 2: laser_data has no field \"points\"; it has min_angle, max_angle, "
               "resolution, max_range, ranges, intensity, id");
    is_refused(&tp_desc_point_2d, "{\"px\":1,\"px\":2}", "line 1, column 9: px is given twice");
}

static void counts_and_arrays_have_to_agree(void **state)
{
    (void)state;
    is_refused(&tp_desc_sonar_data, "{\"ranges_count\":2,\"ranges\":[1]}",
               "line 1, column 28: ranges has 1 elements, but its count says 2");
    is_refused(&tp_desc_sonar_data, "{\"ranges_count\":2}",
               "line 1, column 17: ranges is missing, but its count says 2");
    is_refused(&tp_desc_device_req, "{\"driver_name_count\":2, \"access\":1}",
               "line 1, column 22: driver_name is missing, but its count says 2");
    is_refused(&tp_desc_speech_cmd, "{\"string_count\":2,\"string\":\"abc\"}",
               "line 1, column 28: string has 3 elements, but its count says 2");
    is_refused(&tp_desc_localize_set_pose, "{\"cov\":[1,2,3]}",
               "line 1, column 8: cov has 3 elements instead of 6");
    is_refused(&tp_desc_laser_set_filter_config, "{\"parameters\":[1,2,3,4,5,6,7,8,  9]}",
               "line 1, column 34: parameters has more than 8 elements");
    is_refused(&tp_desc_wifi_iwspy_addr_req, "{\"address\":\"123456789012345678901234567890123\"}",
               "line 1, column 12: address is longer than 32 bytes");
}

static void broken_text_is_refused(void **state)
{
    (void)state;
    is_refused(&tp_desc_point_2d, "",
               "line 1, column 1: the text ends where an object was expected");
    is_refused(&tp_desc_point_2d, "[1,2]", "line 1, column 1: '[' where an object was expected");
    is_refused(&tp_desc_point_2d, "{\"px\":1} x",
               "line 1, column 10: 'x' where the end was expected");
    is_refused(&tp_desc_sonar_data, "{\"ranges\":[1,[}",
               "line 1, column 15: '}' where a value was expected");
}

static void every_struct_survives_a_round_trip(void **state)
{
    (void)state;
    tp_catalogue *catalogue = NULL;
    random_source source = {99};

    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        for (uint32_t k = 0; k < interface->struct_count * 10; k++) {
            const tp_struct *type = interface->structs[k / 10];
            void *value = random_value(&source, type);
            void *back = NULL;
            tp_error err = {0};
            char *text = to_json(type, value, k % 2 == 0 ? TP_TEXT_JSON : TP_TEXT_JSON_PRETTY);
            assert_int_equal(tp_value_from_json(&back, type, text, strlen(text), &err), TP_OK);
            assert_true(tp_value_equal(type, value, back));
            free(text);
            free(back);
            free(value);
        }
    }
    tp_catalogue_destroy(catalogue);
}

static void indented_json_is_readable(void **state)
{
    (void)state;
    tp_graphics2d_cmd_points points = {.points_count = 1, .color = {255, 1, 2, 3}};
    tp_point_2d point = {1.5, 2};

    points.points = &point;
    char *text = to_json(&tp_desc_graphics2d_cmd_points, &points, TP_TEXT_JSON_PRETTY);
    assert_string_equal(text, "{\n"
                              "  \"points_count\": 1,\n"
                              "  \"points\": [\n"
                              "    {\n"
                              "      \"px\": 1.5,\n"
                              "      \"py\": 2\n"
                              "    }\n"
                              "  ],\n"
                              "  \"color\": {\n"
                              "    \"alpha\": 255,\n"
                              "    \"red\": 1,\n"
                              "    \"green\": 2,\n"
                              "    \"blue\": 3\n"
                              "  }\n"
                              "}");
    free(text);
}

static tp_status read_nested(void *context)
{
    void *value = NULL;
    tp_status status = tp_value_from_json(&value, &tp_desc_audio_mixer_channel_list_detail, context,
                                          strlen(context), NULL);

    free(value);
    return status;
}

static tp_status write_nested(void *context)
{
    (void)context;
    const tp_pose3d pose = {.px = 1};
    char *text = NULL;
    tp_status status = tp_value_text(&text, &tp_desc_pose3d, &pose, TP_TEXT_JSON);

    free(text);
    return status;
}

static void running_out_of_memory_is_told(void **state)
{
    (void)state;
    char text[] = "{\"details\":[{\"name\":\"one\",\"caps\":1},{\"name\":\"two\"}]}";

    memory_sweep(read_nested, text);
    memory_sweep(write_nested, NULL);
}

static void a_failure_leaves_nothing_behind(void **state)
{
    (void)state;
    static const char *const broken[] = {
        "{\"details\":[{\"name\":\"one\"},{\"name\":\"two\",\"caps\":300}]}",
        "{\"details\":[{\"name\":\"one\"},{\"nome\":\"two\"}]}",
        "{\"details\":[{\"name\":\"one\"},{\"name\":[1,2,400]}]}",
        "{\"details\":[{\"name\":\"one\"}],\"details_count\":2}",
        "{\"details\":[{\"name\":\"one\"}]} ]",
    };
    const long before = memory_live();

    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        void *value = NULL;
        assert_int_equal(tp_value_from_json(&value, &tp_desc_audio_mixer_channel_list_detail,
                                            broken[i], strlen(broken[i]), NULL),
                         TP_E_SYNTAX);
        assert_int_equal(memory_live(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_is_zero),
        cmocka_unit_test(a_missing_count_is_taken_from_its_array),
        cmocka_unit_test(a_text_gets_its_nul_counted),
        cmocka_unit_test(text_that_is_none_is_a_list),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(names_of_enums_and_booleans_are_read),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(numbers_that_would_be_infinite_are_refused),
        cmocka_unit_test(a_text_has_room_for_its_nul),
        cmocka_unit_test(unknown_members_are_named),
        cmocka_unit_test(counts_and_arrays_have_to_agree),
        cmocka_unit_test(broken_text_is_refused),
        cmocka_unit_test(every_struct_survives_a_round_trip),
        cmocka_unit_test(indented_json_is_readable),
        cmocka_unit_test(running_out_of_memory_is_told),
        cmocka_unit_test(a_failure_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
