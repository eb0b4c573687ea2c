/* naming_test.c - what instances are called: the lowest number that is free, and no name twice. */
#include <string.h>

#include "conformance/bench.h"
#include "support/unit.h"

static tp_status no_init(tp_instance *self, tp_error *err)
{
    (void)self;
    (void)err;
    return TP_OK;
}

static const tp_driver_ops no_ops = {.init = no_init};

struct stage {
    bench b;
    tp_instance *instances[16]; /* the hub's */
    size_t count;
};

/* The name of one more instance of a driver that is called so; it is only prepared. */
static const char *prepare(struct stage *s, const char *driver)
{
    const tp_driver named = {
        .abi = TP_DRIVER_ABI, .name = driver, .ops = &no_ops, .flags = TP_DRIVER_ON_LOOP};
    static tp_driver kept[16]; /* as long as their instances */
    tp_instance **made = &s->instances[s->count];

    kept[s->count] = named;
    const tpi_blueprint blueprint = {.driver = &kept[s->count++]};
    assert_int_equal(tpi_hub_prepare(s->b.hub, &blueprint, NULL, made, NULL), TP_OK);
    assert_int_equal(tpi_hub_enrol(*made), TP_OK); /* so that the hub releases it */
    assert_ptr_equal(tp_instance_driver(*made), blueprint.driver);
    return tp_instance_name(*made);
}

static void begin(struct stage *s)
{
    memset(s, 0, sizeof *s);
    bench_init(&s->b);
}

static void numbers_go_up(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    assert_string_equal(prepare(&s, "fake"), "fake0");
    assert_string_equal(prepare(&s, "fake"), "fake1");
    assert_string_equal(prepare(&s, "relay"), "relay0");
    assert_string_equal(prepare(&s, "fake"), "fake2");
    bench_fini(&s.b);
}

static void who_has_gone_leaves_its_name(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    for (unsigned i = 0; i < 5; i++) {
        prepare(&s, "fake");
    }
    tpi_hub_discard(s.instances[3]);
    tpi_hub_discard(s.instances[1]);
    assert_string_equal(prepare(&s, "fake"), "fake1");
    assert_string_equal(prepare(&s, "fake"), "fake3");
    assert_string_equal(prepare(&s, "fake"), "fake5");
    bench_fini(&s.b);
}

static void drivers_whose_names_end_in_digits_share_none(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    assert_string_equal(prepare(&s, "x1"), "x10");
    for (unsigned i = 0; i < 10; i++) {
        prepare(&s, "x");
    }
    assert_string_equal(prepare(&s, "x"), "x11");
    assert_string_equal(prepare(&s, "x1"), "x12");
    bench_fini(&s.b);
}

static void long_names_are_cut_and_still_differ(void **state)
{
    static const char driver[] = "a_driver_with_a_name_that_is_longer_than_anybody_would_write";
    struct stage s;

    (void)state;
    begin(&s);
    assert_string_equal(prepare(&s, driver), "a_driver_with_a_name_that_is_longer_t0");
    assert_string_equal(prepare(&s, driver), "a_driver_with_a_name_that_is_longer_t1");
    bench_fini(&s.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_go_up),
        cmocka_unit_test(who_has_gone_leaves_its_name),
        cmocka_unit_test(drivers_whose_names_end_in_digits_share_none),
        cmocka_unit_test(long_names_are_cut_and_still_differ),
    };

    return cmocka_run_group_tests_name("device/naming", tests, NULL, NULL);
}
