/* write_test.c - interfaces as .padi files: what is written and parsed means the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "padi/parse.h"
#include "support/memory.h"
#include "support/unit.h"

static const char soil[] =
    "interface soil 220 \"Soil: \\\"wet\\\" or \\\\ dry.\"\n"
    "use common\n"
    "unit kPa \"Thousand pascal.\"\n"
    "constant SOIL_MOST = 7 \"Most probes.\"\n"
    "flags soil_state \"State.\" { SOIL_WET = 1 \"Wet.\" SOIL_COLD = 2 \"Cold.\" }\n"
    "struct soil_probe \"A probe.\" { tension f32 kPa \"Tension.\"\n"
    "  state u8 flags soil_state \"State.\" other f64 kPa \"The same unit.\" }\n"
    "struct soil_data \"Data.\" { probes_count u32 count \"Probes.\"\n"
    "  probes soil_probe[probes_count max SOIL_MOST] \"Probes.\"\n"
    "  names_count u32 count \"Length.\" names char[names_count] \"Names.\"\n"
    "  raw i16[3] raw \"Raw.\" speed pose2d /s \"Speed.\" }\n"
    "data STATE 1 (soil_data) required \"Data.\"\n"
    "command DIG 2 () extension moves \"Digs.\"\n"
    "command MARK 3 (soil_probe) optional \"Marks.\"\n"
    "request ASK 4 () -> (soil_data) optional reads \"Asks.\"\n"
    "request SET 5 (soil_probe) -> () optional \"Sets.\"\n"
    "request END 6 () -> () optional operates \"Ends.\"\n";

static int set_up(void **state)
{
    return tp_catalogue_create((tp_catalogue **)state, NULL) == TP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    tp_catalogue_destroy(*state);
    return 0;
}

static const tp_interface *find(void *context, const char *name, tp_error *err)
{
    (void)err;
    return tp_catalogue_named(context, name);
}

static void assert_same(const tp_interface *a, const tp_interface *b)
{
    char *texts[2] = {NULL, NULL};

    assert_int_equal(tp_interface_json(&texts[0], a), TP_OK);
    assert_int_equal(tp_interface_json(&texts[1], b), TP_OK);
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

static void every_interface_of_ours_is_written_as_it_is(void **state)
{
    tp_catalogue *catalogue = *state;
    const tpi_padi_scope scope = {find, catalogue, true};

    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        char *text = NULL;
        tpi_padi padi = {0};
        tp_error err = {0};
        assert_int_equal(tp_interface_padi(&text, interface), TP_OK);
        tpi_padi_parse(&padi, interface->name, text, strlen(text), &scope, &err);
        assert_string_equal(err.text, "");
        assert_same(interface, &padi.interface);
        tpi_padi_fini(&padi);
        free(text);
    }
}

static void so_is_an_own_one_with_its_units(void **state)
{
    tp_catalogue *catalogue = *state;
    tp_catalogue *other = NULL;
    char *text = NULL;
    tp_error err = {0};

    tp_catalogue_load_text(catalogue, "soil", soil, strlen(soil), &err);
    assert_string_equal(err.text, "");
    assert_int_equal(tp_interface_padi(&text, tp_catalogue_code(catalogue, 220)), TP_OK);
    assert_int_equal(tp_catalogue_create(&other, NULL), TP_OK);
    tp_catalogue_load_text(other, "soil", text, strlen(text), &err);
    assert_string_equal(err.text, "");
    assert_same(tp_catalogue_code(catalogue, 220), tp_catalogue_code(other, 220));
    assert_false(tp_interface_is_builtin(tp_catalogue_code(other, 220)));
    assert_true(tp_interface_is_builtin(tp_catalogue_named(other, "laser")));
    tp_catalogue_destroy(other);
    free(text);
}

static void refuse(tp_catalogue *catalogue, const char *text, tp_status code, const char *why)
{
    const size_t before = tp_catalogue_size(catalogue);
    tp_error err = {0};

    assert_int_equal(tp_catalogue_load_text(catalogue, "it", text, strlen(text), &err), code);
    assert_string_equal(err.text, why);
    assert_int_equal(tp_catalogue_size(catalogue), before);
}

static void what_is_known_is_not_replaced(void **state)
{
    refuse(*state, "interface laser 220 \"No.\" data A 1 () optional \"A.\"", TP_E_EXISTS,
           "it: there is an interface laser already");
    refuse(*state, "interface mine 6 \"No.\"", TP_E_SYNTAX,
           "it:1:16: codes below 200 are Player's and Troupe's; yours go from 200 to 65535");
    refuse(*state, "interface mine 220 \"No.\" use other", TP_E_SYNTAX,
           "it:1:30: there is no interface \"other\"");
}

static void a_text_has_a_limit(void **state)
{
    const size_t length = (256 << 10) + 1;
    char *text = malloc(length);
    tp_error err = {0};

    assert_non_null(text);
    memset(text, ' ', length);
    assert_int_equal(tp_catalogue_load_text(*state, "it", text, length, &err), TP_E_LIMIT);
    assert_string_equal(err.text, "it: it is longer than 262144 bytes");
    free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_interface_of_ours_is_written_as_it_is),
        TEST(so_is_an_own_one_with_its_units),
        TEST(what_is_known_is_not_replaced),
        TEST(a_text_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
