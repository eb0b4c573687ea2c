/* vectors_test.c - the checker of recorded encodings finds what is wrong. */
#include "padi/vectors.h"

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
          0, 1, "messages 1: ir_power_req encodes differently (4 bytes, expected 4; success)");
    gives(MESSAGE("ir", "22", "request", "POWER", "2", "\"player_ir_power_req_t\"", "{\"state\":3}",
                  "0000000"),
          0, 1, "messages 1: the bytes cannot be read: character 7 has no second hex digit");
}

static void wrong_names_and_codes_fail(void **state)
{
    (void)state;
    gives(MESSAGE("ir", "23", "request", "POWER", "2", "null", "null", ""), 0, 1,
          "messages 1: there is no interface ir with the code 23");
    gives(MESSAGE("ir", "22", "request", "POWER", "3", "null", "null", ""), 0, 1,
          "messages 1: ir has no request POWER with the code 3");
    gives(MESSAGE("ir", "22", "request", "POWER", "2", "\"player_ir_pose_t\"", "{}", ""), 0, 1,
          "messages 1: POWER should carry player_ir_pose_t");
    gives(MESSAGE("ir", "22", "request", "POWER", "2", "null", "null", ""), 0, 1,
          "messages 1: POWER should have no body");
}

static void edge_cases_are_judged_by_what_player_did(void **state)
{
    (void)state;
    gives("{\"decode_edge_cases\":{\"count_disagreement_sonar_data\":["
          "{\"hex\":\"00000003000000023fc0000040200000\",\"decode_ret\":16,\"decoded_count\":2,"
          "\"decoded\":[1.5,2.5]}]}}",
          1, 0, "");
    gives("{\"decode_edge_cases\":{\"count_disagreement_sonar_data\":["
          "{\"hex\":\"00000003000000023fc0000040200000\",\"decode_ret\":16,\"decoded_count\":2,"
          "\"decoded\":[1.5,2.75]}]}}",
          0, 1, "decode_edge_cases 1: sonar_data: success");
    gives("{\"decode_edge_cases\":{\"bounded_array_laser_set_filter_config\":["
          "{\"op\":\"encode\",\"count\":8,\"ret\":44},{\"op\":\"decode\",\"count\":9,\"ret\":-1},"
          "{\"op\":\"decode\",\"count\":8,\"ret\":40}]}}",
          3, 0, "");
    gives("{\"header_decode_edge_cases\":{\"buffer_of_39_bytes\":-1,\"buflen_0\":0}}", 2, 0, "");
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
        cmocka_unit_test(edge_cases_are_judged_by_what_player_did),
        cmocka_unit_test(an_unknown_section_is_mentioned),
        cmocka_unit_test(a_file_with_nothing_to_check_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_catalogue, drop_catalogue);
}
