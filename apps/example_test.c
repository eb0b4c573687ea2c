/* example_test.c - the example of every struct is JSON that can be sent. */
#include "example.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void every_struct_has_an_example_that_reads_back(void **state)
{
    tp_catalogue *catalogue = NULL;
    unsigned count = 0;

    (void)state;
    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        for (uint32_t k = 0; k < interface->struct_count; k++) {
            const tp_struct *type = interface->structs[k];
            tpi_buf text = {0};
            void *value = NULL;
            tp_error err = {0};
            size_t size = 0;
            example_put(&text, type, count % 2 == 0);
            if (tp_value_from_json(&value, type, text.data, text.length, &err) != TP_OK) {
                fail_msg("%s %s: %s", type->name, text.data, err.text);
            }
            assert_int_equal(tp_xdr_size(type, value, &size), TP_OK);
            free(value);
            tpi_buf_fini(&text);
            count++;
        }
    }
    assert_true(count > 200);
    tp_catalogue_destroy(catalogue);
}

static void what_is_for_the_answer_is_not_asked(void **state)
{
    tp_catalogue *catalogue = NULL;
    tpi_buf text = {0};

    (void)state;
    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    const tp_struct *type = tp_catalogue_struct(catalogue, "device_nameservice_req");
    example_put(&text, type, true);
    tpi_buf_putc(&text, ' ');
    example_put(&text, type, false);
    assert_string_equal(tpi_buf_text(&text), "{\"name\":[0]} {\"name\":[0],\"port\":0}");
    tpi_buf_fini(&text);
    tp_catalogue_destroy(catalogue);
}

static void messages_are_listed_with_a_line_to_copy(void **state)
{
    tp_catalogue *catalogue = NULL;
    tpi_buf text = {0};

    (void)state;
    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    example_put_messages(&text, tp_catalogue_named(catalogue, "ptz"), TP_KIND_COMMAND, "send",
                         "ptz:1", NULL);
    assert_string_equal(tpi_buf_text(&text),
                        "ptz has 1 command:\n\n"
                        "STATE - Turns and zooms the unit.\n"
                        "  troupe send ptz:1 STATE "
                        "'{\"pan\":0,\"tilt\":0,\"zoom\":0,\"panspeed\":0,\"tiltspeed\":0}'\n"
                        "\nWhat the fields mean: troupe interfaces ptz\n");
    tpi_buf_clear(&text);
    example_put_messages(&text, tp_catalogue_named(catalogue, "ptz"), TP_KIND_COMMAND, "send",
                         "ptz:1", "tcp:robot.local:6665");
    assert_non_null(
        strstr(tpi_buf_text(&text), "mean: troupe interfaces ptz --url tcp:robot.local:6665\n"));
    tpi_buf_clear(&text);
    example_put_messages(&text, tp_catalogue_named(catalogue, "laser"), TP_KIND_COMMAND, "send",
                         "laser", NULL);
    assert_string_equal(tpi_buf_text(&text), "laser has 0 commands.\n");
    tpi_buf_fini(&text);
    tp_catalogue_destroy(catalogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_struct_has_an_example_that_reads_back),
        cmocka_unit_test(what_is_for_the_answer_is_not_asked),
        cmocka_unit_test(messages_are_listed_with_a_line_to_copy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
