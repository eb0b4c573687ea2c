/* switch_test.c - one of several sources is heard and told, chosen by hand or by priority. */
#include <string.h>

#include "conformance/puppet.h"
#include "troupe/interfaces/position1d.h"

extern const tp_driver tp_driver_switch;

static const char *const first = "position1d:0";
static const char *const second = "position1d:1";
static const char *const third = "position1d:2";

static play *begin_with(const char *requires, const char *settings)
{
    play *p = play_create();

    play_add(p, &puppet_driver, "position1d:0 position1d:1 position1d:2", NULL, NULL);
    play_add(p, &tp_driver_switch, "position1d:9", requires, settings);
    play_open(p);
    return p;
}

static play *begin(const char *settings)
{
    return begin_with("left@position1d:0 right@position1d:1 position1d:2", settings);
}

static void say(play *p, const char *source, float pos)
{
    const tp_position1d_data data = {.pos = pos};

    puppet_send(&p->b, source, TP_POSITION1D_DATA_STATE, &data);
}

static void assert_seen(const play *p, uint32_t count, float pos)
{
    const tp_position1d_data *last = play_last(p, TP_POSITION1D_DATA_STATE);

    assert_int_equal(p->r.counts[TP_POSITION1D_DATA_STATE], count);
    assert_true(last->pos == pos);
}

static tp_strprop_req ask_for(const char *key, const char *value)
{
    return (tp_strprop_req){.key_count = (uint32_t)strlen(key) + 1,
                            .key = play_chars(key),
                            .value_count = (uint32_t)strlen(value) + 1,
                            .value = play_chars(value)};
}

static void set(play *p, const char *key, const char *value)
{
    const tp_strprop_req ask = ask_for(key, value);

    play_request(p, TP_COMMON_REQ_SET_STRPROP, &ask);
}

static void assert_property(play *p, const char *key, const char *value)
{
    const tp_strprop_req ask = ask_for(key, "");
    const tp_strprop_req *told = play_get(p, TP_COMMON_REQ_GET_STRPROP, &ask);

    assert_string_equal(told->key, key);
    assert_string_equal(told->value, value);
}

/* The readers have been told of so many changes, the last of them this. */
static void assert_announced(const play *p, uint32_t count, const char *key, const char *value)
{
    assert_int_equal(p->r.counts[TP_COMMON_DATA_PROPERTY], count);
    const tp_strprop_req *told = play_last(p, TP_COMMON_DATA_PROPERTY);
    assert_string_equal(told->key, key);
    assert_string_equal(told->value, value);
}

/* ---- By hand --------------------------------------------------------------------------------- */

static void the_first_source_is_heard_and_the_others_are_not(void **state)
{
    play *p = begin(NULL);

    (void)state;
    say(p, first, 1);
    say(p, second, 2);
    say(p, third, 3);
    assert_seen(p, 1, 1);
    assert_property(p, "source", "left");
    assert_property(p, "mode", "manual");
    play_destroy(p);
}

static void clients_choose_by_the_property(void **state)
{
    play *p = begin(NULL);

    (void)state;
    set(p, "source", "2");
    assert_announced(p, 1, "source", "2");
    say(p, first, 1);
    say(p, third, 3);
    assert_seen(p, 1, 3);
    set(p, "source", "2");
    assert_int_equal(p->r.counts[TP_COMMON_DATA_PROPERTY], 1); /* it was that already */
    set(p, "source", "right");
    assert_announced(p, 2, "source", "right");
    say(p, third, 4);
    say(p, second, 5);
    assert_seen(p, 2, 5);
    assert_int_equal(p->r.counts[TP_COMMON_DATA_ERROR], 0);
    play_destroy(p);
}

static void a_source_can_be_set_at_first(void **state)
{
    play *p = begin("source=right");

    (void)state;
    assert_property(p, "source", "right");
    say(p, second, 1);
    assert_seen(p, 1, 1);
    play_destroy(p);
}

static void commands_and_requests_go_to_the_chosen_one(void **state)
{
    play *p = begin(NULL);
    const tp_position1d_cmd_vel go = {.vel = 1, .state = 1};
    const tp_position1d_geom geom = {.size = {.sl = 3}};

    (void)state;
    puppet_at(&p->b, second)->answers[TP_POSITION1D_REQ_GET_GEOM] = &geom;
    play_command(p, TP_POSITION1D_CMD_VEL, &go);
    play_assert_request_refused(p, TP_POSITION1D_REQ_GET_GEOM, NULL, "a puppet without GET_GEOM");
    set(p, "source", "right");
    play_command(p, TP_POSITION1D_CMD_VEL, &go);
    const tp_position1d_geom *told = play_get(p, TP_POSITION1D_REQ_GET_GEOM, NULL);
    play_assert_near(told->size.sl, 3);
    puppet_wait(&p->b, 0);
    assert_int_equal(puppet_at(&p->b, first)->commands[TP_POSITION1D_CMD_VEL], 1);
    assert_int_equal(puppet_at(&p->b, second)->commands[TP_POSITION1D_CMD_VEL], 1);
    assert_int_equal(puppet_at(&p->b, third)->commands[TP_POSITION1D_CMD_VEL], 0);
    play_destroy(p);
}

static void who_is_not_chosen_any_more_is_halted(void **state)
{
    play *p = begin(NULL);
    const tp_position1d_cmd_vel go = {.vel = 1, .state = 1};

    (void)state;
    set(p, "source", "right");
    puppet_wait(&p->b, 0);
    assert_int_equal(puppet_at(&p->b, first)->halts, 0); /* it did not move */
    play_command(p, TP_POSITION1D_CMD_VEL, &go);
    set(p, "source", "left");
    puppet_wait(&p->b, 0);
    assert_int_equal(puppet_at(&p->b, second)->halts, 1);
    play_request(p, TP_COMMON_REQ_HALT, NULL);
    puppet_wait(&p->b, 0);
    assert_int_equal(puppet_at(&p->b, first)->halts, 1);
    assert_int_equal(puppet_at(&p->b, second)->halts, 1);
    play_destroy(p);
}

static void where_the_new_source_sits_is_told(void **state)
{
    play *p = begin(NULL);
    const tp_geometry there = {.known = TP_GEOMETRY_CONFIGURED, .pose = {.px = 2}};

    (void)state;
    puppet_at(&p->b, second)->answers[TP_COMMON_REQ_GET_GEOMETRY] = &there;
    set(p, "source", "right");
    puppet_wait(&p->b, 0);
    const tp_geometry *told = play_last(p, TP_COMMON_DATA_GEOMETRY);
    assert_non_null(told);
    play_assert_near(told->pose.px, 2);
    set(p, "source", "left"); /* which does not know */
    puppet_wait(&p->b, 0);
    assert_int_equal(p->r.counts[TP_COMMON_DATA_GEOMETRY], 1);
    play_destroy(p);
}

static void what_cannot_be_chosen_is_refused_with_a_sentence(void **state)
{
    play *p = begin(NULL);
    const tp_strprop_req nobody = ask_for("source", "nobody");
    const tp_strprop_req never = ask_for("mode", "never");
    const tp_strprop_req other = ask_for("colour", "red");
    char longest[300];

    (void)state;
    play_assert_request_refused(p, TP_COMMON_REQ_SET_STRPROP, &nobody,
                                "there is no source \"nobody\" among left, right, 2");
    play_assert_request_refused(p, TP_COMMON_REQ_SET_STRPROP, &never,
                                "mode is manual or priority, not \"never\"");
    play_assert_request_refused(p, TP_COMMON_REQ_SET_STRPROP, &other,
                                "a puppet without SET_STRPROP");
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    const tp_strprop_req too_long = ask_for("source", longest);
    play_assert_request_refused(p, TP_COMMON_REQ_SET_STRPROP, &too_long,
                                "source: 300 characters are too many");
    play_destroy(p);
}

static void its_properties_join_those_of_the_source(void **state)
{
    play *p = begin(NULL);
    tp_property own = {.type = TP_PROPERTY_DOUBLE, .key_count = 6, .key = play_chars("speed")};
    const tp_property_list list = {.properties_count = 1, .properties = &own};
    const tp_capabilities_req setting = {TP_KIND_REQUEST, TP_COMMON_REQ_SET_STRPROP};
    const tp_capabilities_req geom = {TP_KIND_REQUEST, TP_POSITION1D_REQ_GET_GEOM};

    (void)state;
    puppet_at(&p->b, first)->answers[TP_COMMON_REQ_GET_PROPERTIES] = &list;
    const tp_property_list *told = play_get(p, TP_COMMON_REQ_GET_PROPERTIES, NULL);
    assert_int_equal(told->properties_count, 3);
    assert_string_equal(told->properties[0].key, "speed");
    assert_string_equal(told->properties[1].key, "source");
    assert_int_equal(told->properties[1].type, TP_PROPERTY_STRING);
    assert_true(told->properties[1].writable);
    assert_string_equal(told->properties[2].key, "mode");
    play_request(p, TP_COMMON_REQ_CAPABILITIES, &setting);
    play_assert_request_refused(p, TP_COMMON_REQ_CAPABILITIES, &geom,
                                "a puppet without CAPABILITIES");
    play_destroy(p);
}

/* ---- By priority ----------------------------------------------------------------------------- */

static void the_first_that_speaks_wins(void **state)
{
    play *p = begin("mode=priority timeout=0.5");

    (void)state;
    say(p, third, 3);
    assert_seen(p, 1, 3);
    assert_announced(p, 1, "source", "2");
    say(p, second, 2);
    assert_seen(p, 2, 2);
    say(p, third, 3);
    assert_seen(p, 2, 2);
    say(p, first, 1);
    assert_seen(p, 3, 1);
    say(p, second, 2);
    assert_seen(p, 3, 1);
    assert_announced(p, 3, "source", "left");
    play_destroy(p);
}

static void silence_hands_over_to_the_next_one(void **state)
{
    play *p = begin("mode=priority timeout=0.5");

    (void)state;
    say(p, first, 1);
    puppet_wait(&p->b, 0.3);
    say(p, second, 2);
    puppet_wait(&p->b, 0.1);
    assert_property(p, "source", "left");
    puppet_wait(&p->b, 0.1); /* half a second of silence; nobody has sent anything new */
    assert_announced(p, 1, "source", "right");
    assert_seen(p, 1, 1);
    say(p, second, 3);
    assert_seen(p, 2, 3);
    say(p, first, 4);
    assert_seen(p, 3, 4);
    play_destroy(p);
}

static void the_choice_stays_if_all_are_silent(void **state)
{
    play *p = begin("mode=priority timeout=0.5");
    const tp_position1d_cmd_vel go = {.vel = 1, .state = 1};

    (void)state;
    say(p, second, 2);
    puppet_wait(&p->b, 60);
    assert_announced(p, 1, "source", "right");
    play_command(p, TP_POSITION1D_CMD_VEL, &go);
    puppet_wait(&p->b, 0);
    assert_int_equal(puppet_at(&p->b, second)->commands[TP_POSITION1D_CMD_VEL], 1);
    play_destroy(p);
}

static void a_source_that_fails_makes_room_at_once(void **state)
{
    play *p = begin("mode=priority timeout=0.5");
    const tp_failure failure = {.code = TP_E_IO, .text_count = 4, .text = play_chars("off")};

    (void)state;
    say(p, first, 1);
    say(p, second, 2);
    puppet_send(&p->b, first, TP_COMMON_DATA_ERROR, &failure);
    assert_announced(p, 1, "source", "right");
    assert_int_equal(p->r.counts[TP_COMMON_DATA_ERROR], 0);
    puppet_send(&p->b, second, TP_COMMON_DATA_ERROR, &failure); /* the last one */
    assert_int_equal(p->r.counts[TP_COMMON_DATA_ERROR], 1);
    assert_int_equal(p->r.counts[TP_COMMON_DATA_PROPERTY], 1);
    play_destroy(p);
}

static void a_choice_by_hand_holds_until_priority_is_wanted_again(void **state)
{
    play *p = begin("mode=priority timeout=0.5");

    (void)state;
    say(p, first, 1);
    set(p, "source", "right");
    assert_property(p, "mode", "manual");
    assert_int_equal(p->r.counts[TP_COMMON_DATA_PROPERTY], 2); /* both have changed */
    say(p, first, 1);
    puppet_wait(&p->b, 0.4);
    say(p, first, 1);
    assert_property(p, "source", "right");
    set(p, "mode", "priority");
    assert_property(p, "source", "left");
    play_destroy(p);
}

/* ---- Configurations -------------------------------------------------------------------------- */

static void wrong_settings_are_refused_with_a_sentence(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_switch, "ptz:9", NULL, NULL, "switch0: `requires` has no ptz");
    play_assert_not_added(&tp_driver_switch, "ptz:9", "ptz:0 laser:0", NULL,
                          "switch0: `requires` has a laser, but what it provides is a ptz");
    play_assert_not_added(&tp_driver_switch, "ptz:9", "a@ptz:0 a@ptz:1", NULL,
                          "switch0: two sources have the key a");
    play_assert_not_added(&tp_driver_switch, "ptz:9 ptz:8", "ptz:0", NULL,
                          "switch0: `provides` has 2 devices in place of one");
    play_assert_not_added(&tp_driver_switch, "ptz:9", "ptz:0", "mode=x",
                          "switch0: mode is manual or priority, not \"x\"");
    play_assert_not_added(&tp_driver_switch, "ptz:9", "ptz:0", "timeout=0",
                          "switch0: timeout \"0\" is not a number of seconds above 0");
    play_assert_not_added(&tp_driver_switch, "ptz:9", "ptz:0", "source=1",
                          "switch0: there is no source \"1\" among 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_source_is_heard_and_the_others_are_not),
        cmocka_unit_test(clients_choose_by_the_property),
        cmocka_unit_test(a_source_can_be_set_at_first),
        cmocka_unit_test(commands_and_requests_go_to_the_chosen_one),
        cmocka_unit_test(who_is_not_chosen_any_more_is_halted),
        cmocka_unit_test(where_the_new_source_sits_is_told),
        cmocka_unit_test(what_cannot_be_chosen_is_refused_with_a_sentence),
        cmocka_unit_test(its_properties_join_those_of_the_source),
        cmocka_unit_test(the_first_that_speaks_wins),
        cmocka_unit_test(silence_hands_over_to_the_next_one),
        cmocka_unit_test(the_choice_stays_if_all_are_silent),
        cmocka_unit_test(a_source_that_fails_makes_room_at_once),
        cmocka_unit_test(a_choice_by_hand_holds_until_priority_is_wanted_again),
        cmocka_unit_test(wrong_settings_are_refused_with_a_sentence),
    };

    return cmocka_run_group_tests_name("switch_test", tests, NULL, NULL);
}
