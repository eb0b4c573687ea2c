/* checker_test.c - the checker of recorded encodings finds what is wrong. */
#include "vectors/vectors.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

struct notes {
    char last[512];
};

static void keep_note(void *context, const char *text)
{
    struct notes *notes = context;

    snprintf(notes->last, sizeof notes->last, "%s", text);
}

static tp_catalogue *catalogue;

static int make_catalogue(void **state)
{
    (void)state;
    return tp_catalogue_create(&catalogue, NULL) == TP_OK ? 0 : -1;
}

static int drop_catalogue(void **state)
{
    (void)state;
    tp_catalogue_destroy(catalogue);
    return 0;
}

static void gives(const char *text, unsigned passed, unsigned failed, const char *last_note)
{
    struct notes notes = {""};
    tpi_vector_report report = {.note = keep_note, .context = &notes};
    tp_error err = {0};

    assert_int_equal(tpi_vectors_check(&report, catalogue, text, strlen(text), &err), TP_OK);
    assert_int_equal(report.passed, passed);
    assert_int_equal(report.failed, failed);
    assert_string_equal(notes.last, last_note);
}

#define MESSAGE(interface, code, kind, name, subtype, type, values, hex)                           \
    "{\"messages\":[{\"interface\":\"" interface "\",\"interface_code\":" code ",\"kind\":\"" kind \
    "\",\"name\":\"" name "\",\"subtype\":" subtype ",\"struct\":" type ",\"values\":" values      \
    ",\"xdr_hex\":\"" hex "\"}]}"

static void a_right_entry_passes(void **state)
{
    (void)state;
    gives(MESSAGE("ir", "22", "request", "POWER", "2", "\"player_ir_power_req_t\"", "{\"state\":3}",
                  "00000003"),
          1, 0, "");
    gives(MESSAGE("gripper", "3", "command", "OPEN", "1", "null", "null", ""), 1, 0, "");
    gives(MESSAGE("*", "0", "request", "PLAYER_CAPABILITIES_REQ", "255",
                  "\"player_capabilities_req_t\"", "{\"type\":1,\"subtype\":2}",
                  "0000000100000002"),
          1, 0, "");
}

static void wrong_bytes_fail(void **state)
{
    (void)state;
    gives(MESSAGE("ir", "22", "request", "POWER", "2", "\"player_ir_power_req_t\"", "{\"state\":3}",
                  "00000004"),
          0, 1, "messages 1: ir request POWER: ir_power_req has 03 at offset 3, the file has 04");
    gives(MESSAGE("ir", "22", "request", "POWER", "2", "\"player_ir_power_req_t\"", "{\"state\":3}",
                  "0000000300000000"),
          0, 1, "messages 1: ir request POWER: ir_power_req has 4 bytes, the file has 8");
    gives(MESSAGE("ir", "22", "request", "POWER", "2", "\"player_ir_power_req_t\"", "{\"state\":3}",
                  "0000000"),
          0, 1,
          "messages 1: ir request POWER: the bytes cannot be read: character 7, '0', has no second "
          "hex digit");
    gives(MESSAGE("ir", "22", "request", "POWER", "2", "\"player_ir_power_req_t\"", "{\"stat\":3}",
                  "00000003"),
          0, 1,
          "messages 1: ir request POWER: the values of ir_power_req cannot be read: line 1, column "
          "2: ir_power_req has no field \"stat\"; did you mean \"state\"?");
    gives("{\"helper_structs\":[{\"struct\":\"player_bool_t\",\"values\":{\"state\":1}}]}", 0, 1,
          "helper_structs 1: the bytes are missing");
    gives("{\"helper_structs\":[{\"struct\":\"player_boolean_t\",\"values\":{\"state\":1}}]}", 0, 1,
          "helper_structs 1: there is no struct player_boolean_t");
}

static void wrong_names_and_codes_fail(void **state)
{
    (void)state;
    gives(MESSAGE("ir", "23", "request", "POWER", "2", "null", "null", ""), 0, 1,
          "messages 1: ir request POWER: there is no interface ir with the code 23");
    gives(MESSAGE("ir", "65558", "request", "POWER", "2", "null", "null", ""), 0, 1,
          "messages 1: ir request POWER: there is no interface ir with the code 65558");
    gives(MESSAGE("*", "22", "request", "POWER", "2", "null", "null", ""), 0, 1,
          "messages 1: * request POWER: * goes with the code 0, not 22");
    gives(MESSAGE("ir", "22", "request", "POWER", "3", "null", "null", ""), 0, 1,
          "messages 1: ir request POWER: ir has no request POWER with the code 3");
    gives(MESSAGE("ir", "22", "wish", "POWER", "2", "null", "null", ""), 0, 1,
          "messages 1: ir wish POWER: ir has no wish POWER with the code 2");
}

static void what_a_message_carries_is_told(void **state)
{
    (void)state;
    gives(MESSAGE("ir", "22", "request", "POWER", "2", "\"player_ir_pose_t\"", "{}", ""), 0, 1,
          "messages 1: ir request POWER: it carries player_ir_power_req_t, the file says "
          "player_ir_pose_t");
    gives(MESSAGE("ir", "22", "request", "POWER", "2", "null", "null", ""), 0, 1,
          "messages 1: ir request POWER: it carries player_ir_power_req_t, the file says nothing");
    gives(MESSAGE("gripper", "3", "command", "OPEN", "1", "\"player_bool_t\"", "{}", ""), 0, 1,
          "messages 1: gripper command OPEN: it carries nothing, the file says player_bool_t");
    gives(MESSAGE("gripper", "3", "command", "OPEN", "1", "null", "null", "00"), 0, 1,
          "messages 1: gripper command OPEN: it carries nothing, but xdr_hex is not \"\"");
}

static void missing_members_are_named(void **state)
{
    (void)state;
    gives("{\"messages\":[{\"interface\":\"ir\",\"kind\":\"request\",\"name\":\"POWER\"}]}", 0, 1,
          "messages 1: ir request POWER: interface_code is missing");
    gives("{\"messages\":[{\"interface_code\":\"22\",\"kind\":\"data\",\"name\":\"X\"}]}", 0, 1,
          "messages 1: data X: interface_code is no code");
    gives("{\"messages\":[{\"interface_code\":22}]}", 0, 1, "messages 1: kind is missing");
    gives("{\"messages\":[{\"interface_code\":22,\"kind\":\"data\"}]}", 0, 1,
          "messages 1: data: name is missing");
    gives("{\"messages\":[{\"interface_code\":22,\"kind\":\"data\",\"name\":\"X\"}]}", 0, 1,
          "messages 1: data X: subtype is missing");
}

#define DISAGREEMENT(entry)                                                                        \
    "{\"decode_edge_cases\":{\"count_disagreement_sonar_data\":[{" entry "}]}}"
#define BOUNDED(entry)                                                                             \
    "{\"decode_edge_cases\":{\"bounded_array_laser_set_filter_config\":[{" entry "}]}}"

static void edge_cases_are_judged_by_what_player_did(void **state)
{
    (void)state;
    gives(DISAGREEMENT("\"hex\":\"00000003000000023fc0000040200000\",\"decode_ret\":16,"
                       "\"decoded_count\":2,\"decoded\":[1.5,2.5]"),
          1, 0, "");
    gives(
        BOUNDED(
            "\"op\":\"encode\",\"count\":8,\"ret\":44},{\"op\":\"decode\",\"count\":9,\"ret\":-1},"
            "{\"op\":\"decode\",\"count\":8,\"ret\":40"),
        3, 0, "");
    gives("{\"header_decode_edge_cases\":{\"buffer_of_39_bytes\":-1,\"buflen_0\":0}}", 2, 0, "");
}

static void edge_cases_that_differ_say_how(void **state)
{
    (void)state;
    gives(DISAGREEMENT("\"hex\":\"00000003000000023fc0000040200000\",\"decode_ret\":16,"
                       "\"decoded_count\":2,\"decoded\":[1.5,2.75]"),
          0, 1, "decode_edge_cases 1: sonar_data: element 1 of ranges is 2.5, the file has 2.75");
    gives(DISAGREEMENT("\"hex\":\"00000003000000023fc0000040200000\",\"decode_ret\":16,"
                       "\"decoded_count\":3,\"decoded\":[1.5,2.5]"),
          0, 1, "decode_edge_cases 1: sonar_data: ranges has 2 elements, the file has 3");
    gives(DISAGREEMENT("\"hex\":\"00000003000000023fc0000040200000\",\"decode_ret\":16,"
                       "\"decoded_count\":2,\"decoded\":[1.5]"),
          0, 1, "decode_edge_cases 1: sonar_data: ranges has 2 elements, the file lists 1");
    gives(DISAGREEMENT("\"hex\":\"00000003000000023fc0000040200000\",\"decode_ret\":-1"), 0, 1,
          "decode_edge_cases 1: sonar_data: it is decoded, the file says that it is refused");
    gives(
        DISAGREEMENT("\"hex\":\"00000001000000023fc0000040200000\",\"decode_ret\":16"), 0, 1,
        "decode_edge_cases 1: sonar_data: the bytes cannot be decoded: ranges has 2 elements, but "
        "its count says 1");
    gives(
        BOUNDED("\"op\":\"encode\",\"count\":9,\"ret\":48"), 0, 1,
        "decode_edge_cases 1: laser_set_filter_config: encode of 9 elements gives -1, the file has "
        "48");
    gives(
        BOUNDED("\"op\":\"decode\",\"count\":8,\"ret\":-1"), 0, 1,
        "decode_edge_cases 1: laser_set_filter_config: decode of 8 elements gives 8, the file has "
        "-1");
    gives("{\"header_decode_edge_cases\":{\"buffer_of_39_bytes\":39}}", 0, 1,
          "header_decode_edge_cases 0: a header of 39 bytes is refused, the file says that it is "
          "taken");
    gives("{\"header_decode_edge_cases\":{\"wide_values\":[{\"hex\":"
          "\"0000000000000000000000010000000000000003000000053ff80000000000000000000000000004\","
          "\"decode_ret\":40,\"decoded\":{\"interf\":2}}]}}",
          0, 1, "header_decode_edge_cases 1: interf is 1, the file has 2");
}

static void an_unknown_section_is_mentioned(void **state)
{
    (void)state;
    gives("{\"headers\":[{\"values\":{\"host\":0,\"robot\":0,\"interf\":1,\"index\":0,\"type\":3,"
          "\"subtype\":5,\"timestamp\":1.5,\"seq\":0,\"size\":4},\"hex\":"
          "\"0000000000000000000000010000000000000003000000053ff80000000000000000000000000004\"}],"
          "\"footers\":[]}",
          1, 0, "section 0: footers is not known, so it was not checked");
}

static void a_file_with_nothing_to_check_is_an_error(void **state)
{
    (void)state;
    tpi_vector_report report = {0};
    tp_error err = {0};

    assert_int_equal(tpi_vectors_check(&report, catalogue, "{}", 2, &err), TP_E_INVALID);
    assert_string_equal(err.text, "the file contains nothing to check");
    assert_int_equal(tpi_vectors_check(&report, catalogue, "{,", 2, &err), TP_E_SYNTAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_entry_passes),
        cmocka_unit_test(wrong_bytes_fail),
        cmocka_unit_test(wrong_names_and_codes_fail),
        cmocka_unit_test(what_a_message_carries_is_told),
        cmocka_unit_test(missing_members_are_named),
        cmocka_unit_test(edge_cases_are_judged_by_what_player_did),
        cmocka_unit_test(edge_cases_that_differ_say_how),
        cmocka_unit_test(an_unknown_section_is_mentioned),
        cmocka_unit_test(a_file_with_nothing_to_check_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_catalogue, drop_catalogue);
}
