/* fake_test.c - common questions, interfaces from files, several instances. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/play.h"
#include "support/memory.h"
#include "troupe/interfaces/all.h"

extern const tp_driver tp_driver_fake;

static const char *const exact = "rate=1000 noise=0";

/* ---- Common questions ------------------------------------------------------------------------ */

static void geometry_is_as_configured(void **state)
{
    play *p = play_begin(&tp_driver_fake, "sonar:3",
                         "rate=1000 position=1,2,3 orientation=0,0,0.5 size=0.4,0.2,0.1");
    const tp_geometry *told = play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL);

    (void)state;
    assert_int_equal(told->known, TP_GEOMETRY_CONFIGURED);
    play_assert_near(told->pose.py, 2);
    play_assert_near(told->pose.pyaw, 0.5);
    play_assert_near(told->size.sl, 0.4);
    play_assert_near(told->size.sw, 0.2);
    assert_string_equal(told->parent, "base");
    assert_string_equal(told->frame, "sonar:3");
    play_destroy(p);
}

static void properties_are_listed_set_and_got(void **state)
{
    play *p = play_begin(&tp_driver_fake, "sonar:0", exact);
    tp_dblprop_req noise = {.key_count = 6, .key = play_chars("noise"), .value = 0.5};
    tp_intprop_req seed = {.key_count = 5, .key = play_chars("seed"), .value = 42};
    tp_strprop_req name = {
        .key_count = 5, .key = play_chars("name"), .value_count = 5, .value = play_chars("bats")};
    tp_boolprop_req active = {.key_count = 7, .key = play_chars("active"), .value = 0};

    (void)state;
    const tp_property_list *list = play_get(p, TP_COMMON_REQ_GET_PROPERTIES, NULL);
    assert_int_equal(list->properties_count, 9);
    assert_string_equal(list->properties[0].key, "rate");
    assert_string_equal(list->properties[0].unit, "Hz");
    play_request(p, TP_COMMON_REQ_SET_DBLPROP, &noise);
    play_request(p, TP_COMMON_REQ_SET_INTPROP, &seed);
    play_request(p, TP_COMMON_REQ_SET_STRPROP, &name);
    play_request(p, TP_COMMON_REQ_SET_BOOLPROP, &active);
    noise.value = seed.value = 0;
    name.value_count = 0;
    name.value = NULL;
    active.value = 1;
    play_assert_near(
        ((const tp_dblprop_req *)play_get(p, TP_COMMON_REQ_GET_DBLPROP, &noise))->value, 0.5);
    assert_int_equal(((const tp_intprop_req *)play_get(p, TP_COMMON_REQ_GET_INTPROP, &seed))->value,
                     42);
    assert_string_equal(
        ((const tp_strprop_req *)play_get(p, TP_COMMON_REQ_GET_STRPROP, &name))->value, "bats");
    assert_int_equal(
        ((const tp_boolprop_req *)play_get(p, TP_COMMON_REQ_GET_BOOLPROP, &active))->value, 0);
    play_destroy(p);
}

static void properties_that_are_wrong_are_refused(void **state)
{
    play *p = play_begin(&tp_driver_fake, "sonar:0", exact);
    const tp_dblprop_req ghost = {.key_count = 6, .key = play_chars("ghost")};
    const tp_dblprop_req other = {.key_count = 5, .key = play_chars("seed")};
    const tp_dblprop_req never = {.key_count = 5, .key = play_chars("rate"), .value = 0};
    const tp_dblprop_req range = {.key_count = 10, .key = play_chars("max_range"), .value = 7};

    (void)state;
    play_assert_request_refused(p, TP_COMMON_REQ_GET_DBLPROP, &ghost,
                                "there is no property \"ghost\"");
    play_assert_request_refused(p, TP_COMMON_REQ_GET_DBLPROP, &other,
                                "the property \"seed\" is a whole number: use GET_INTPROP");
    play_assert_request_refused(p, TP_COMMON_REQ_SET_DBLPROP, &range,
                                "the property \"max_range\" cannot be set");
    play_assert_request_refused(p, TP_COMMON_REQ_SET_DBLPROP, &never,
                                "rate 0 Hz is not above 0 and up to 10000");
    play_destroy(p);
}

static double get_number(play *p, const char *key)
{
    const tp_dblprop_req ask = {.key_count = (uint32_t)strlen(key) + 1, .key = play_chars(key)};

    return ((const tp_dblprop_req *)play_get(p, TP_COMMON_REQ_GET_DBLPROP, &ask))->value;
}

/* A property shows what a configuration has changed, and one of the instance shows it everywhere.
 */
static void properties_follow_the_device(void **state)
{
    play *p = play_begin(&tp_driver_fake, "ranger:0 sonar:0", exact);
    const tp_ranger_config narrow = {
        .min_angle = -0.5, .max_angle = 0.5, .angular_res = 0.01, .max_range = 3};
    const tp_dblprop_req slow = {.key_count = 5, .key = play_chars("rate"), .value = 500};

    (void)state;
    play_assert_near(get_number(p, "max_range"), 8);
    play_assert_near(get_number(p, "fov"), 3.141592653589793);
    play_request(p, TP_RANGER_REQ_SET_CONFIG, &narrow);
    play_assert_near(get_number(p, "max_range"), 3);
    play_assert_near(get_number(p, "fov"), 1);
    play_request(p, TP_COMMON_REQ_SET_DBLPROP, &slow);
    p->device = bench_find(&p->b, "sonar:0");
    play_assert_near(get_number(p, "rate"), 500);
    play_assert_near(get_number(p, "max_range"), 5);
    play_destroy(p);
}

/* Everything required or optional is done; extensions are not. */
static void check_capabilities(play *p, tp_device *device, const tp_interface *interface)
{
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *what = &interface->messages[i];
        const tp_capabilities_req ask = {.type = what->kind, .subtype = what->code};
        const bool extension = what->mark == TP_MARK_EXTENSION;
        if (what->kind == TP_KIND_DATA && what->mark != TP_MARK_REQUIRED) {
            continue;
        }
        tp_status status = bench_request(&p->b, device, TP_COMMON_REQ_CAPABILITIES, &ask, NULL);
        if (status != (extension ? TP_E_UNSUPPORTED : TP_OK)) {
            fail_msg("%s %s of %s: %s", tp_kind_name(what->kind), what->name, interface->name,
                     tp_status_name(status));
        }
    }
}

/* Every interface that there is, as words. */
static void list_interfaces(const tp_catalogue *catalogue, char *words, size_t size)
{
    size_t length = 0;

    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        if (interface->code > TP_PLAYER_CODE) {
            length += (size_t)snprintf(words + length, size - length, "%s:0 ", interface->name);
            assert_true(length < size);
        }
    }
}

static void every_interface_is_played_in_full(void **state)
{
    play *p = play_create();
    char provides[2048];

    (void)state;
    list_interfaces(p->b.catalogue, provides, sizeof provides);
    play_add(p, &tp_driver_fake, provides, NULL, exact);
    play_open(p);
    for (size_t i = 0; i < tpi_hub_device_count(p->b.hub); i++) {
        tp_device *device = tpi_hub_device_at(p->b.hub, i);
        check_capabilities(p, device, tp_device_interface(device));
    }
    play_destroy(p);
}

/* ---- An interface that nobody knew when the driver was written ------------------------------- */

/* A bench that knows the interface. */
static play *create_for_lamp(void)
{
    play *p = play_create();
    const char *path = TEST_ROOT "/drivers/fake/lamp.padi";

    if (tp_catalogue_load(p->b.catalogue, path, &p->b.err) != TP_OK) {
        fail_msg("%s", p->b.err.text);
    }
    return p;
}

static play *begin_lamp(void)
{
    play *p = create_for_lamp();

    play_add(p, &tp_driver_fake, "lamp:0", NULL, exact);
    play_open(p);
    return p;
}

/* Texts are texts, arrays have elements. */
static void an_interface_from_a_file_sends_data(void **state)
{
    play *p = begin_lamp();
    const tp_struct *type = tp_device_interface(p->device)->messages[0].ask;
    char *text = NULL;

    (void)state;
    assert_int_equal(tp_value_text(&text, type, bench_await(&p->r, 1), TP_TEXT_JSON), TP_OK);
    assert_non_null(strstr(text, "\"name\":\"fake\""));
    assert_non_null(strstr(text, "\"beams_count\":8"));
    assert_non_null(strstr(text, "\"few_count\":3"));
    free(text);
    play_destroy(p);
}

static void what_is_set_through_an_interface_from_a_file_can_be_got(void **state)
{
    play *p = begin_lamp();
    const tp_struct *type = tp_device_interface(p->device)->messages[1].ask;
    const char json[] = "{\"level\":0.75}";
    void *setting = NULL;

    (void)state;
    assert_int_equal(tp_value_from_json(&setting, type, json, strlen(json), &p->b.err), TP_OK);
    play_request(p, 1, setting);
    assert_true(tp_value_equal(type, play_get(p, 2, NULL), setting));
    free(setting);
    play_assert_request_refused(p, 3, NULL, "BURN is not supported");
    play_destroy(p);
}

static void a_command_without_a_body_of_an_interface_from_a_file_is_done(void **state)
{
    play *p = begin_lamp();
    const tp_message *flash =
        tp_interface_message(tp_device_interface(p->device), TP_KIND_COMMAND, 1);

    (void)state;
    assert_string_equal(flash->name, "FLASH");
    assert_null(flash->ask);
    play_command(p, flash->code, NULL);
    play_destroy(p);
}

/* ---- Instances ------------------------------------------------------------------------------- */

static void two_robots_do_not_share_their_wheels(void **state)
{
    play *p = play_create();
    const tp_position2d_cmd_vel go = {.vel = {.px = 1}, .state = 1};
    bench_reader other;

    (void)state;
    play_add(p, &tp_driver_fake, "position2d:1", NULL, exact);
    play_add(p, &tp_driver_fake, "position2d:0", NULL, exact);
    play_open(p);
    assert_int_equal(bench_open(&p->b, &other, bench_find(&p->b, "position2d:1")), TP_OK);
    play_command(p, TP_POSITION2D_CMD_VEL, &go);
    const tp_position2d_data *data = play_after(p, 3, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 3, 0, 0);
    data = bench_await_fresh(&other, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 0, 0, 0);
    bench_close(&other);
    play_destroy(p);
}

static void wrong_settings_are_refused_with_a_sentence(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_fake, "player:0", NULL, exact,
                          "fake0: player is the server's own");
    play_assert_not_added(&tp_driver_fake, "laser:0", NULL, "rate=often",
                          "fake0: rate \"often\" is not above 0 and up to 10000");
    play_assert_not_added(&tp_driver_fake, "laser:0", NULL, "size=1,2",
                          "fake0: size has 2 values in place of three");
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static tp_status make_lamp(void *context)
{
    tp_loop *loop = NULL;
    tpi_hub *hub = NULL;
    tp_error err = {0};
    tp_status status = tp_loop_create(&loop, tp_clock_real(), &err);

    status = status == TP_OK ? tpi_hub_create(&hub, loop, NULL, &err) : status;
    status = status == TP_OK ? tpi_hub_add(hub, bench_plan_blueprint(context), NULL, &err) : status;
    tpi_hub_destroy(hub);
    tp_loop_destroy(loop);
    return status;
}

static void memory_may_run_out_while_an_interface_from_a_file_is_made(void **state)
{
    const bench_section section = {&tp_driver_fake, "lamp:0", NULL, exact};
    play *p = create_for_lamp();
    bench_plan *plan = bench_plan_create(p->b.catalogue, &section, 0);

    (void)state;
    memory_sweep(make_lamp, plan);
    bench_plan_destroy(plan);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometry_is_as_configured),
        cmocka_unit_test(properties_are_listed_set_and_got),
        cmocka_unit_test(properties_that_are_wrong_are_refused),
        cmocka_unit_test(properties_follow_the_device),
        cmocka_unit_test(every_interface_is_played_in_full),
        cmocka_unit_test(an_interface_from_a_file_sends_data),
        cmocka_unit_test(what_is_set_through_an_interface_from_a_file_can_be_got),
        cmocka_unit_test(a_command_without_a_body_of_an_interface_from_a_file_is_done),
        cmocka_unit_test(two_robots_do_not_share_their_wheels),
        cmocka_unit_test(wrong_settings_are_refused_with_a_sentence),
        cmocka_unit_test(memory_may_run_out_while_an_interface_from_a_file_is_made),
    };

    return cmocka_run_group_tests_name("fake_test", tests, NULL, NULL);
}
