/* schema_test.c - JSON Schema texts; tests/system/20 has a validator judge them. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/all.h"

static void a_struct_is_an_object_with_units(void **state)
{
    (void)state;
    char *text = NULL;

    assert_int_equal(tp_struct_schema(&text, &tp_desc_uint32), TP_OK);
    assert_string_equal(
        text, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"uint32\","
              "\"$ref\":\"#/$defs/uint32\",\"$defs\":{\"uint32\":{\"type\":\"object\","
              "\"additionalProperties\":false,\"description\":\"One unsigned number.\","
              "\"properties\":{\"value\":{\"anyOf\":[{\"type\":\"integer\",\"minimum\":0,"
              "\"maximum\":4294967295},{\"type\":\"boolean\"}],\"description\":\"The number.\","
              "\"unit\":\"1\"}}}}}");
    free(text);
}

static void a_struct_in_a_struct_shows_its_unit(void **state)
{
    (void)state;
    char *text = NULL;

    assert_int_equal(tp_struct_schema(&text, &tp_desc_position2d_cmd_vel), TP_OK);
    assert_non_null(strstr(text, "\"vel\":{\"$ref\":\"#/$defs/pose2d\",\"description\":"));
    assert_non_null(strstr(text, "turning left.\",\"unit\":\"/s\"}"));
    free(text);
}

static void every_schema_is_json(void **state)
{
    (void)state;
    tp_catalogue *catalogue = NULL;

    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        char *text = NULL;
        tpi_json json;
        tp_error err = {0};
        assert_int_equal(tp_interface_schema(&text, tp_catalogue_at(catalogue, i)), TP_OK);
        tpi_json_init(&json, text, strlen(text));
        assert_true(tpi_json_skip(&json, NULL));
        assert_int_equal(tpi_json_end(&json, &err), TP_OK);
        free(text);
    }
    tp_catalogue_destroy(catalogue);
}

static void an_interface_names_messages_and_answers(void **state)
{
    (void)state;
    char *text = NULL;

    assert_int_equal(tp_interface_schema(&text, &tp_interface_ranger), TP_OK);
    assert_non_null(strstr(text, "\"data.RANGE\":{\"$ref\":\"#/$defs/ranger_data_range\""));
    assert_non_null(strstr(text, "\"request.GET_GEOM\":{\"type\":\"null\""));
    assert_non_null(strstr(text, "\"request.GET_GEOM.answer\":{\"$ref\":\"#/$defs/ranger_geom\""));
    free(text);
}

/* ---- Outlines -------------------------------------------------------------------------------- */

static void an_outline_has_types_members_and_units(void **state)
{
    (void)state;
    char *text = NULL;

    assert_int_equal(tp_struct_outline(&text, &tp_desc_uint32), TP_OK);
    assert_string_equal(text, "{\"title\":\"uint32\",\"description\":\"One unsigned number.\","
                              "\"type\":\"object\",\"properties\":{\"value\":{\"type\":"
                              "\"integer\",\"description\":\"The number.\",\"unit\":\"1\"}}}");
    free(text);
    assert_int_equal(tp_struct_outline(&text, &tp_desc_position2d_cmd_vel), TP_OK);
    assert_non_null(strstr(text, "\"vel\":{\"type\":\"object\",\"properties\":{\"px\":{\"type\":"
                                 "\"number\","));
    free(text);
    assert_int_equal(tp_struct_outline(&text, &tp_desc_laser_data), TP_OK);
    assert_non_null(strstr(text, "\"ranges\":{\"type\":\"array\",\"items\":{\"type\":"
                                 "\"number\"},"));
    free(text);
}

static void an_outline_names_the_values_of_enums(void **state)
{
    (void)state;
    char *text = NULL;

    assert_int_equal(tp_struct_outline(&text, &tp_desc_gripper_data), TP_OK);
    assert_non_null(strstr(text, "\"state\":{\"type\":\"integer\",\"oneOf\":[{\"title\":\""));
    free(text);
}

/* Nothing but what the simplest readers know, in every struct there is. */
static void no_outline_has_references_or_alternatives(void **state)
{
    (void)state;
    tp_catalogue *catalogue = NULL;

    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        for (uint32_t k = 0; k < interface->struct_count; k++) {
            char *text = NULL;
            tpi_json json;
            tp_error err = {0};
            assert_int_equal(tp_struct_outline(&text, interface->structs[k]), TP_OK);
            tpi_json_init(&json, text, strlen(text));
            assert_true(tpi_json_skip(&json, NULL));
            assert_int_equal(tpi_json_end(&json, &err), TP_OK);
            assert_null(strstr(text, "\"$ref\""));
            assert_null(strstr(text, "\"anyOf\""));
            free(text);
        }
    }
    tp_catalogue_destroy(catalogue);
}

static tp_status make_outline(void *context)
{
    char *text = NULL;
    tp_status status = tp_struct_outline(&text, context);

    free(text);
    return status;
}

static tp_status make_schema(void *context)
{
    char *text = NULL;
    tp_status status = tp_interface_schema(&text, context);

    free(text);
    return status;
}

static void running_out_of_memory_is_told(void **state)
{
    (void)state;
    tp_interface speech = tp_interface_speech;

    memory_sweep(make_schema, &speech);
    tp_struct laser = tp_desc_laser_data;
    memory_sweep(make_outline, &laser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_struct_is_an_object_with_units),
        cmocka_unit_test(a_struct_in_a_struct_shows_its_unit),
        cmocka_unit_test(every_schema_is_json),
        cmocka_unit_test(an_interface_names_messages_and_answers),
        cmocka_unit_test(an_outline_has_types_members_and_units),
        cmocka_unit_test(an_outline_names_the_values_of_enums),
        cmocka_unit_test(no_outline_has_references_or_alternatives),
        cmocka_unit_test(running_out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
