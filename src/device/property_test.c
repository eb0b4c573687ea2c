/* property_test.c - properties that drivers declare: listed, read, set, refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/play.h"
#include "support/memory.h"
#include "troupe/interfaces/ptz.h"

/* ---- A driver with a property of each type --------------------------------------------------- */

static tp_status set_gain(tp_device *device, const char *key, const char *text, double number,
                          tp_error *err)
{
    assert_string_equal(key, "gain");
    assert_string_equal(text, "");
    if (number > 10) {
        return tp_fail(err, TP_E_RANGE, "gain %g is over 10", number);
    }
    tp_device_set_property_number(device, "level", number * 2);
    return TP_OK;
}

static tp_status set_label(tp_device *device, const char *key, const char *text, double number,
                           tp_error *err)
{
    (void)device;
    (void)number;
    assert_string_equal(key, "label");
    return strcmp(text, "bad") == 0 ? tp_fail(err, TP_E_INVALID, "a bad label") : TP_OK;
}

static const tp_property_plan plans[] = {
    {"gain", TP_PROPERTY_DOUBLE, true, "dB", "How loud.", "1.5", set_gain},
    {"level", TP_PROPERTY_DOUBLE, false, NULL, NULL, NULL, NULL},
    {"steps", TP_PROPERTY_INT, true, "", "How many.", "-3", NULL},
    {"quiet", TP_PROPERTY_BOOL, true, "", "Whether.", "yes", NULL},
    {"label", TP_PROPERTY_STRING, true, "", "What it is called.", "first", set_label},
};

static tp_status add_all(tp_device *device, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < sizeof plans / sizeof plans[0] && status == TP_OK; i++) {
        status = tp_device_add_property(device, &plans[i], err);
    }
    return status;
}

static tp_status typed_init(tp_instance *self, tp_error *err)
{
    static const tp_ptz_ops none = {0};
    tp_device *device = NULL;
    tp_status status = tp_offer(self, &tp_interface_ptz, NULL, &none, NULL, &device, err);

    return status == TP_OK ? add_all(device, err) : status;
}

static tp_status refuse_everything(tp_device *device, const tp_message *what, const void *ask,
                                   void *answer, tp_error *err)
{
    (void)device;
    (void)ask;
    (void)answer;
    return tp_fail(err, TP_E_UNSUPPORTED, "no %s here", what->name);
}

/* The framework answers for a device with a handler of its own too. */
static tp_status handling_init(tp_instance *self, tp_error *err)
{
    tp_device *device = NULL;
    tp_status status =
        tp_offer(self, &tp_interface_ptz, NULL, NULL, refuse_everything, &device, err);

    return status == TP_OK ? add_all(device, err) : status;
}

static tp_status bare_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_ptz, NULL, NULL, refuse_everything, NULL, err);
}

static const tp_driver_ops typed_ops = {.init = typed_init};
static const tp_driver_ops handling_ops = {.init = handling_init};
static const tp_driver_ops bare_ops = {.init = bare_init};
static const tp_driver typed = {.abi = TP_DRIVER_ABI, .name = "typed", .ops = &typed_ops};
static const tp_driver handling = {
    .abi = TP_DRIVER_ABI, .name = "handling", .ops = &handling_ops, .flags = TP_DRIVER_ON_LOOP};
static const tp_driver bare = {.abi = TP_DRIVER_ABI, .name = "bare", .ops = &bare_ops};

/* ---- Asking ---------------------------------------------------------------------------------- */

#define KEY(text) .key_count = sizeof(text), .key = play_chars(text)

static double get_double(play *p, const char *key)
{
    const tp_dblprop_req ask = {.key_count = (uint32_t)strlen(key), .key = play_chars(key)};
    const tp_dblprop_req *answer = play_get(p, TP_COMMON_REQ_GET_DBLPROP, &ask);

    assert_int_equal(answer->key_count, ask.key_count);
    assert_memory_equal(answer->key, key, ask.key_count);
    return answer->value;
}

static int get_int(play *p)
{
    const tp_intprop_req ask = {KEY("steps")};

    return ((const tp_intprop_req *)play_get(p, TP_COMMON_REQ_GET_INTPROP, &ask))->value;
}

static int get_bool(play *p)
{
    const tp_boolprop_req ask = {KEY("quiet")};

    return ((const tp_boolprop_req *)play_get(p, TP_COMMON_REQ_GET_BOOLPROP, &ask))->value;
}

static const char *get_text(play *p)
{
    const tp_strprop_req ask = {KEY("label")};

    return ((const tp_strprop_req *)play_get(p, TP_COMMON_REQ_GET_STRPROP, &ask))->value;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void check_values(const tp_driver *driver)
{
    play *p = play_begin(driver, "ptz:0", NULL);
    const tp_dblprop_req gain = {KEY("gain"), .value = 4};
    const tp_intprop_req steps = {KEY("steps"), .value = INT32_MIN};
    const tp_boolprop_req quiet = {KEY("quiet"), .value = 0};
    const tp_strprop_req label = {KEY("label"), .value_count = 3, .value = play_chars("two")};

    assert_true(get_double(p, "gain") == 1.5);
    assert_true(get_double(p, "level") == 0);
    assert_int_equal(get_int(p), -3);
    assert_int_equal(get_bool(p), 1);
    assert_string_equal(get_text(p), "first");
    play_request(p, TP_COMMON_REQ_SET_DBLPROP, &gain);
    play_request(p, TP_COMMON_REQ_SET_INTPROP, &steps);
    play_request(p, TP_COMMON_REQ_SET_BOOLPROP, &quiet);
    play_request(p, TP_COMMON_REQ_SET_STRPROP, &label);
    assert_true(get_double(p, "gain") == 4);
    assert_true(get_double(p, "level") == 8);
    assert_int_equal(get_int(p), INT32_MIN);
    assert_int_equal(get_bool(p), 0);
    assert_string_equal(get_text(p), "two"); /* also without a NUL on the wire */
    play_destroy(p);
}

static void values_are_read_and_set(void **state)
{
    (void)state;
    check_values(&typed);
    check_values(&handling);
}

static void all_are_listed(void **state)
{
    play *p = play_begin(&typed, "ptz:0", NULL);
    const tp_property_list *list = play_get(p, TP_COMMON_REQ_GET_PROPERTIES, NULL);

    (void)state;
    assert_int_equal(list->properties_count, 5);
    assert_string_equal(list->properties[0].key, "gain");
    assert_string_equal(list->properties[0].unit, "dB");
    assert_string_equal(list->properties[0].doc, "How loud.");
    assert_int_equal(list->properties[0].type, TP_PROPERTY_DOUBLE);
    assert_int_equal(list->properties[0].writable, 1);
    assert_int_equal(list->properties[1].writable, 0);
    assert_string_equal(list->properties[1].doc, "");
    play_destroy(p);
}

static void what_cannot_be_is_refused(void **state)
{
    play *p = play_begin(&typed, "ptz:0", NULL);
    char *long_text = calloc(1, 5000);
    const tp_dblprop_req ghost = {KEY("gian")};
    const tp_dblprop_req wrong = {KEY("steps")};
    const tp_dblprop_req fixed = {KEY("level")};
    const tp_dblprop_req loud = {KEY("gain"), .value = 11};
    const tp_dblprop_req none = {KEY("gain"), .value = (double)NAN};
    const tp_dblprop_req nameless = {0};
    const tp_strprop_req bad = {KEY("label"), .value_count = 4, .value = play_chars("bad")};
    const tp_strprop_req huge = {KEY("label"), .value_count = 4999, .value = long_text};

    (void)state;
    memset(long_text, 'a', 4999);
    play_assert_request_refused(p, TP_COMMON_REQ_GET_DBLPROP, &ghost,
                                "there is no property \"gian\"; did you mean \"gain\"?");
    play_assert_request_refused(p, TP_COMMON_REQ_GET_DBLPROP, &wrong,
                                "the property \"steps\" is a whole number: use GET_INTPROP");
    play_assert_request_refused(p, TP_COMMON_REQ_SET_DBLPROP, &wrong,
                                "the property \"steps\" is a whole number: use SET_INTPROP");
    play_assert_request_refused(p, TP_COMMON_REQ_SET_DBLPROP, &fixed,
                                "the property \"level\" cannot be set");
    play_assert_request_refused(p, TP_COMMON_REQ_SET_DBLPROP, &loud, "gain 11 is over 10");
    play_assert_request_refused(p, TP_COMMON_REQ_SET_DBLPROP, &none,
                                "the property \"gain\" is a number");
    play_assert_request_refused(p, TP_COMMON_REQ_GET_DBLPROP, &nameless,
                                "there is no property \"\"");
    play_assert_request_refused(p, TP_COMMON_REQ_SET_STRPROP, &bad, "a bad label");
    play_assert_request_refused(p, TP_COMMON_REQ_SET_STRPROP, &huge,
                                "the text for \"label\" has more than 4095 characters");
    assert_true(get_double(p, "gain") == 1.5);
    assert_string_equal(get_text(p), "first");
    play_destroy(p);
    free(long_text);
}

static tp_status can(play *p, unsigned code)
{
    const tp_capabilities_req ask = {.type = TP_KIND_REQUEST, .subtype = code};

    return bench_request(&p->b, p->device, TP_COMMON_REQ_CAPABILITIES, &ask, NULL);
}

static void capabilities_know_of_them(void **state)
{
    play *p = play_begin(&handling, "ptz:0", NULL);
    play *q = play_begin(&bare, "ptz:0", NULL);

    (void)state;
    assert_int_equal(can(p, TP_COMMON_REQ_GET_PROPERTIES), TP_OK);
    assert_int_equal(can(p, TP_COMMON_REQ_SET_STRPROP), TP_OK);
    assert_int_equal(can(p, TP_COMMON_REQ_TEST_AND_SET), TP_OK);
    assert_int_equal(can(p, TP_COMMON_REQ_LEASE), TP_OK); /* it moves */
    assert_int_equal(can(p, 245), TP_E_UNSUPPORTED);
    assert_int_equal(can(q, TP_COMMON_REQ_GET_PROPERTIES), TP_E_UNSUPPORTED); /* says its handler */
    assert_int_equal(can(q, TP_COMMON_REQ_SET_STRPROP), TP_E_UNSUPPORTED);
    assert_int_equal(can(q, TP_COMMON_REQ_TEST_AND_SET), TP_E_UNSUPPORTED);
    play_assert_request_refused(q, TP_COMMON_REQ_GET_PROPERTIES, NULL, "no GET_PROPERTIES here");
    play_destroy(p);
    play_destroy(q);
}

/* ---- Test and set ---------------------------------------------------------------------------- */

/* The value before. */
static double test_and_set(play *p, const char *key, double expected, double value)
{
    const tp_test_and_set ask = {.expected = expected,
                                 .value = value,
                                 .key_count = (uint32_t)strlen(key) + 1,
                                 .key = play_chars(key)};
    const tp_test_and_set *answer = play_get(p, TP_COMMON_REQ_TEST_AND_SET, &ask);

    assert_string_equal(answer->key, key);
    assert_true(answer->expected == expected);
    return answer->value;
}

static void a_property_is_set_if_it_is_as_expected(void **state)
{
    play *p = play_begin(&typed, "ptz:0", NULL);

    (void)state;
    assert_true(test_and_set(p, "gain", 1.5, 4) == 1.5);
    assert_true(get_double(p, "gain") == 4);
    assert_true(get_double(p, "level") == 8); /* the driver's function was called */
    assert_true(test_and_set(p, "gain", 1.5, 5) == 4);
    assert_true(get_double(p, "gain") == 4);
    assert_true(get_double(p, "level") == 8); /* and was not */
    assert_true(test_and_set(p, "steps", -3, 12) == -3);
    assert_int_equal(get_int(p), 12);
    assert_true(test_and_set(p, "quiet", 1, 0) == 1);
    assert_int_equal(get_bool(p), 0);
    assert_true(test_and_set(p, "quiet", 1, 1) == 0); /* another one was faster */
    assert_int_equal(get_bool(p), 0);
    play_destroy(p);
}

static void is_not_set(play *p, const tp_test_and_set *ask, const char *why)
{
    play_assert_request_refused(p, TP_COMMON_REQ_TEST_AND_SET, ask, why);
}

static void what_cannot_be_set_cannot_be_tested_and_set(void **state)
{
    play *p = play_begin(&typed, "ptz:0", NULL);
    const tp_test_and_set ghost = {KEY("gian")};
    const tp_test_and_set fixed = {KEY("level"), .expected = 0, .value = 1};
    const tp_test_and_set text = {KEY("label")};
    const tp_test_and_set loud = {KEY("gain"), .expected = 1.5, .value = 11};
    const tp_test_and_set part = {KEY("steps"), .expected = -3, .value = 0.5};
    const tp_test_and_set third = {KEY("quiet"), .expected = 1, .value = 2};

    (void)state;
    is_not_set(p, &ghost, "there is no property \"gian\"; did you mean \"gain\"?");
    is_not_set(p, &fixed, "the property \"level\" cannot be set");
    is_not_set(p, &text, "the property \"label\" is a text: use SET_STRPROP");
    is_not_set(p, &loud, "gain 11 is over 10");
    is_not_set(p, &part, "the property \"steps\" is a whole number");
    is_not_set(p, &third, "the property \"quiet\" is yes or no");
    assert_true(get_double(p, "gain") == 1.5);
    assert_true(get_double(p, "level") == 0);
    assert_int_equal(get_int(p), -3);
    assert_int_equal(get_bool(p), 1);
    play_destroy(p);
}

/* ---- Mistakes of drivers --------------------------------------------------------------------- */

static tp_property_plan mistake;

static tp_status mistaken_init(tp_instance *self, tp_error *err)
{
    static const tp_ptz_ops none = {0};
    tp_device *device = NULL;
    tp_status status = tp_offer(self, &tp_interface_ptz, NULL, &none, NULL, &device, err);

    status = status == TP_OK ? tp_device_add_property(device, &plans[0], err) : status;
    return status == TP_OK ? tp_device_add_property(device, &mistake, err) : status;
}

static void is_mistaken(tp_property_plan plan, const char *why)
{
    static const tp_driver_ops ops = {.init = mistaken_init};
    static const tp_driver mistaken = {.abi = TP_DRIVER_ABI, .name = "mistaken", .ops = &ops};

    mistake = plan;
    play_assert_not_added(&mistaken, "ptz:0", NULL, NULL, why);
}

static void mistakes_of_a_driver_are_told(void **state)
{
    (void)state;
    is_mistaken(plans[0], "mistaken0: ptz:0: \"gain\" is no name for one more property");
    is_mistaken((tp_property_plan){0}, "mistaken0: ptz:0: \"\" is no name for one more property");
    is_mistaken((tp_property_plan){.key = "a"}, "mistaken0: ptz:0: the property \"a\" has no type");
    is_mistaken((tp_property_plan){.key = "a", .type = TP_PROPERTY_INT, .value = "1.5"},
                "mistaken0: ptz:0: the property \"a\" is a whole number, not \"1.5\"");
    is_mistaken((tp_property_plan){.key = "a", .type = TP_PROPERTY_BOOL, .value = "maybe"},
                "mistaken0: ptz:0: the property \"a\" is yes or no, not \"maybe\"");
}

static void a_driver_reads_and_sets_its_own(void **state)
{
    play *p = play_begin(&handling, "ptz:0", NULL);
    tp_device *d = p->device; /* nothing of the driver runs now: it is on the loop */

    (void)state;
    assert_true(tp_device_property_number(d, "gain") == 1.5);
    assert_string_equal(tp_device_property_text(d, "label"), "first");
    assert_int_equal(tp_device_set_property_number(d, "level", 3), TP_OK); /* it may */
    assert_int_equal(tp_device_set_property_text(d, "label", "third"), TP_OK);
    assert_true(get_double(p, "level") == 3);
    assert_string_equal(get_text(p), "third");
    assert_int_equal(tp_device_set_property_number(d, "ghost", 3), TP_E_UNKNOWN);
    assert_int_equal(tp_device_set_property_text(d, "ghost", ""), TP_E_UNKNOWN);
    assert_int_equal(tp_device_set_property_number(d, "label", 3), TP_E_INVALID);
    assert_int_equal(tp_device_set_property_text(d, "gain", "3"), TP_E_INVALID);
    assert_int_equal(tp_device_set_property_number(d, "steps", 0.5), TP_E_INVALID);
    assert_true(tp_device_property_number(d, "ghost") == 0);
    assert_string_equal(tp_device_property_text(d, "ghost"), "");
    assert_string_equal(tp_device_property_text(d, "gain"), "");
    play_destroy(p);
}

static void nothing_is_left_behind(void **state)
{
    const long before = memory_live();

    (void)state;
    check_values(&typed);
    assert_int_equal(memory_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_and_set),
        cmocka_unit_test(all_are_listed),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(capabilities_know_of_them),
        cmocka_unit_test(a_property_is_set_if_it_is_as_expected),
        cmocka_unit_test(what_cannot_be_set_cannot_be_tested_and_set),
        cmocka_unit_test(mistakes_of_a_driver_are_told),
        cmocka_unit_test(a_driver_reads_and_sets_its_own),
        cmocka_unit_test(nothing_is_left_behind),
    };

    return cmocka_run_group_tests_name("src/device/property", tests, NULL, NULL);
}
