/* counter_test.c - counters: what a driver counts, and every client reads whole. */
#include <math.h>
#include <string.h>

#include "conformance/play.h"
#include "troupe/interfaces/ptz.h"

/* ---- A driver that counts -------------------------------------------------------------------- */

static const tp_property_plan turns = {"turns", TP_PROPERTY_DOUBLE, false, "", "How often.", "0",
                                       NULL};
static const tp_property_plan way = {"way", TP_PROPERTY_DOUBLE, false, "m", "How far.", NULL, NULL};
static const tp_property_plan gain = {"gain", TP_PROPERTY_DOUBLE, true, "dB", "", "1", NULL};

static tp_status refuse_everything(tp_device *device, const tp_message *what, const void *ask,
                                   void *answer, tp_error *err)
{
    (void)device;
    (void)ask;
    (void)answer;
    return tp_fail(err, TP_E_UNSUPPORTED, "no %s here", what->name);
}

/* On the loop, so that a test may count between two requests. */
static tp_status counting_init(tp_instance *self, tp_error *err)
{
    tp_device *device = NULL;
    tp_status status =
        tp_offer(self, &tp_interface_ptz, NULL, NULL, refuse_everything, &device, err);

    status = status == TP_OK ? tp_device_add_property(device, &gain, err) : status;
    status = status == TP_OK ? tp_device_add_counter(device, &turns, err) : status;
    return status == TP_OK ? tp_device_add_counter(device, &way, err) : status;
}

/* Its handler answers what the framework knows nothing about. */
static tp_status bare_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_ptz, NULL, NULL, refuse_everything, NULL, err);
}

static tp_status plain_init(tp_instance *self, tp_error *err)
{
    static const tp_ptz_ops none = {0};

    return tp_offer(self, &tp_interface_ptz, NULL, &none, NULL, NULL, err);
}

static const tp_driver_ops counting_ops = {.init = counting_init};
static const tp_driver_ops bare_ops = {.init = bare_init};
static const tp_driver_ops plain_ops = {.init = plain_init};
static const tp_driver counting = {
    .abi = TP_DRIVER_ABI, .name = "counting", .ops = &counting_ops, .flags = TP_DRIVER_ON_LOOP};
static const tp_driver bare = {.abi = TP_DRIVER_ABI, .name = "bare", .ops = &bare_ops};
static const tp_driver plain = {.abi = TP_DRIVER_ABI, .name = "plain", .ops = &plain_ops};

/* ---- Clients --------------------------------------------------------------------------------- */

/* What a client keeps of its last read. */
struct cursor {
    int64_t run;
    double total;
};

static tp_counter_reading reading_of(const char *key, const struct cursor *cursor)
{
    return (tp_counter_reading){.run = cursor->run,
                                .total = cursor->total,
                                .key_count = (uint32_t)strlen(key) + 1,
                                .key = play_chars(key)};
}

static double read_counter(play *p, const char *key, struct cursor *cursor)
{
    const tp_counter_reading ask = reading_of(key, cursor);
    const tp_counter_reading *answer = play_get(p, TP_COMMON_REQ_READ_AND_CLEAR, &ask);

    assert_string_equal(answer->key, key);
    cursor->run = answer->run;
    cursor->total = answer->total;
    return answer->amount;
}

static void every_client_reads_all_of_it(void **state)
{
    play *p = play_begin(&counting, "ptz:0", NULL);
    struct cursor anna = {0};
    struct cursor ben = {0};

    (void)state;
    assert_true(read_counter(p, "turns", &anna) == 0);
    tp_device_count(p->device, "turns", 2);
    assert_true(read_counter(p, "turns", &anna) == 2);
    assert_true(read_counter(p, "turns", &anna) == 0);
    tp_device_count(p->device, "turns", 3);
    assert_true(read_counter(p, "turns", &ben) == 5);
    assert_true(read_counter(p, "turns", &anna) == 3);
    assert_true(read_counter(p, "turns", &ben) == 0);
    play_destroy(p);
}

static void counters_do_not_mix(void **state)
{
    play *p = play_begin(&counting, "ptz:0", NULL);
    struct cursor some = {0};
    struct cursor others = {0};

    (void)state;
    tp_device_count(p->device, "turns", 1);
    tp_device_count(p->device, "way", 0.25);
    tp_device_count(p->device, "way", 0.5);
    assert_true(read_counter(p, "turns", &some) == 1);
    assert_true(read_counter(p, "way", &others) == 0.75);
    play_destroy(p);
}

static void an_answer_that_is_lost_loses_nothing(void **state)
{
    play *p = play_begin(&counting, "ptz:0", NULL);
    struct cursor known = {0};

    (void)state;
    tp_device_count(p->device, "turns", 1);
    assert_true(read_counter(p, "turns", &known) == 1);
    tp_device_count(p->device, "turns", 4);
    struct cursor lost = known;
    assert_true(read_counter(p, "turns", &lost) == 4);
    assert_true(read_counter(p, "turns", &known) == 4);
    play_destroy(p);
}

static void a_cursor_of_another_run_begins_anew(void **state)
{
    play *p = play_begin(&counting, "ptz:0", NULL);
    struct cursor cursor = {0};

    (void)state;
    tp_device_count(p->device, "turns", 7);
    assert_true(read_counter(p, "turns", &cursor) == 7);
    play_destroy(p);
    p = play_begin(&counting, "ptz:0", NULL); /* as after a restart of the server */
    tp_device_count(p->device, "turns", 9);
    assert_true(read_counter(p, "turns", &cursor) == 9);
    tp_device_count(p->device, "turns", 1);
    assert_true(read_counter(p, "turns", &cursor) == 1);
    play_destroy(p);
}

static void totals_are_properties(void **state)
{
    play *p = play_begin(&counting, "ptz:0", NULL);
    const tp_dblprop_req ask = {.key_count = sizeof "turns", .key = play_chars("turns")};

    (void)state;
    tp_device_count(p->device, "turns", 6);
    assert_true(((const tp_dblprop_req *)play_get(p, TP_COMMON_REQ_GET_DBLPROP, &ask))->value == 6);
    play_assert_request_refused(p, TP_COMMON_REQ_SET_DBLPROP, &ask,
                                "the property \"turns\" cannot be set");
    play_destroy(p);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void is_refused(play *p, const char *key, const char *why)
{
    const struct cursor none = {0};
    const tp_counter_reading ask = reading_of(key, &none);

    play_assert_request_refused(p, TP_COMMON_REQ_READ_AND_CLEAR, &ask, why);
}

static tp_status can(play *p)
{
    const tp_capabilities_req ask = {.type = TP_KIND_REQUEST,
                                     .subtype = TP_COMMON_REQ_READ_AND_CLEAR};

    return bench_request(&p->b, p->device, TP_COMMON_REQ_CAPABILITIES, &ask, NULL);
}

static void what_is_no_counter_is_refused(void **state)
{
    play *p = play_begin(&counting, "ptz:0", NULL);
    play *q = play_begin(&bare, "ptz:0", NULL);
    play *r = play_begin(&plain, "ptz:0", NULL);
    const tp_counter_reading nameless = {0};

    (void)state;
    is_refused(p, "tuns", "there is no counter \"tuns\"; did you mean \"turns\"?");
    is_refused(p, "gain", "there is no counter \"gain\"");
    play_assert_request_refused(p, TP_COMMON_REQ_READ_AND_CLEAR, &nameless,
                                "there is no counter \"\"");
    is_refused(q, "turns", "no READ_AND_CLEAR here"); /* says its handler */
    is_refused(r, "turns", "there is no counter \"turns\"");
    assert_int_equal(can(p), TP_OK);
    assert_int_equal(can(q), TP_E_UNSUPPORTED);
    assert_int_equal(can(r), TP_E_UNSUPPORTED);
    play_destroy(p);
    play_destroy(q);
    play_destroy(r);
}

static void a_driver_counts_up_only(void **state)
{
    play *p = play_begin(&counting, "ptz:0", NULL);
    struct cursor cursor = {0};

    (void)state;
    assert_int_equal(tp_device_count(p->device, "turns", -1), TP_E_INVALID);
    assert_int_equal(tp_device_count(p->device, "turns", (double)NAN), TP_E_INVALID);
    assert_int_equal(tp_device_count(p->device, "turns", (double)INFINITY), TP_E_INVALID);
    assert_int_equal(tp_device_count(p->device, "gain", 1), TP_E_UNKNOWN);
    assert_true(read_counter(p, "turns", &cursor) == 0);
    play_destroy(p);
}

static const tp_property_plan *mistakes; /* ended by one without a key */

static tp_status mistaken_init(tp_instance *self, tp_error *err)
{
    static const tp_ptz_ops none = {0};
    tp_device *device = NULL;
    tp_status status = tp_offer(self, &tp_interface_ptz, NULL, &none, NULL, &device, err);

    for (const tp_property_plan *plan = mistakes; status == TP_OK && plan->key != NULL; plan++) {
        status = tp_device_add_counter(device, plan, err);
    }
    return status;
}

static void are_mistaken(const tp_property_plan *plans, const char *why)
{
    static const tp_driver_ops ops = {.init = mistaken_init};
    static const tp_driver mistaken = {.abi = TP_DRIVER_ABI, .name = "mistaken", .ops = &ops};

    mistakes = plans;
    play_assert_not_added(&mistaken, "ptz:0", NULL, NULL, why);
}

static void mistakes_of_a_driver_are_reported(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    const tp_property_plan twice[] = {turns, turns, {0}};
    const tp_property_plan writable[] = {gain, {0}};
    const tp_property_plan whole[] = {{.key = "n", .type = TP_PROPERTY_INT}, {0}};
    tp_property_plan many[10] = {{0}};

    (void)state;
    for (size_t i = 0; i < 9; i++) {
        many[i] = turns;
        many[i].key = names[i];
    }
    are_mistaken(twice, "mistaken0: ptz:0: \"turns\" is no name for one more property");
    are_mistaken(writable, "mistaken0: ptz:0: a counter is a number that clients cannot set");
    are_mistaken(whole, "mistaken0: ptz:0: a counter is a number that clients cannot set");
    are_mistaken(many, "mistaken0: ptz:0: a device has at most 8 counters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_client_reads_all_of_it),
        cmocka_unit_test(counters_do_not_mix),
        cmocka_unit_test(an_answer_that_is_lost_loses_nothing),
        cmocka_unit_test(a_cursor_of_another_run_begins_anew),
        cmocka_unit_test(totals_are_properties),
        cmocka_unit_test(what_is_no_counter_is_refused),
        cmocka_unit_test(a_driver_counts_up_only),
        cmocka_unit_test(mistakes_of_a_driver_are_reported),
    };

    return cmocka_run_group_tests_name("src/device/counter", tests, NULL, NULL);
}
