/* identity_test.c - clients that have no mailbox: who they are, and what they may do. */
#include "session/identity.h"

#include <string.h>

#include "session/clients.h"
#include "support/loop_bench.h"
#include "support/memory.h"
#include "troupe/interfaces/position2d.h"

struct scene {
    struct bench *b; /* borrowed */
    tp_catalogue *catalogue;
    tpi_hub *hub;
    tpi_identity one;
    tpi_identity other;
};

static struct scene scene;

static const tpi_key keys[] = {{"pilot", "fly", TP_RIGHT_MOVE},
                               {"chief", "boss", TP_RIGHT_OPERATE}};

static void changed(tpi_identity *identity)
{
    note(scene.b, identity == &scene.one ? '1' : '2');
}

static void set_keys(size_t count)
{
    const tpi_access access = {.keys = keys, .key_count = count, .guests = {TP_RIGHT_READ}};

    assert_int_equal(tpi_hub_set_access(scene.hub, &access), TP_OK);
}

static int begin(void **state)
{
    assert_int_equal(set_up(state), 0);
    scene = (struct scene){.b = *state};
    assert_int_equal(tp_catalogue_create(&scene.catalogue, NULL), TP_OK);
    assert_int_equal(tpi_hub_create(&scene.hub, scene.b->loop, scene.catalogue, NULL), TP_OK);
    tpi_identity_init(&scene.one, &tpi_clients_of(scene.hub)->keyring);
    tpi_identity_init(&scene.other, &tpi_clients_of(scene.hub)->keyring);
    set_keys(2);
    return 0;
}

static int end(void **state)
{
    tpi_identity_fini(&scene.one);
    tpi_identity_fini(&scene.other);
    tpi_hub_destroy(scene.hub);
    tp_catalogue_destroy(scene.catalogue);
    return tear_down(state);
}

static tp_status may_move(const tpi_identity *identity, tp_error *err)
{
    return tpi_identity_may(
        identity,
        tp_interface_message(&tp_interface_position2d, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL),
        err);
}

static void a_client_is_known_by_its_names_and_a_number(void **state)
{
    (void)state;
    tpi_identity_set_name(&scene.one, "10.0.0.7:51234");
    assert_string_equal(scene.one.label, "10.0.0.7:51234");
    tpi_identity_set_software(&scene.one, "joystick");
    assert_string_equal(scene.one.label, "joystick at 10.0.0.7:51234");
    const tpi_mover one = tpi_identity_mover(&scene.one);
    const tpi_mover other = tpi_identity_mover(&scene.other);
    assert_int_equal(one.kind, TPI_MOVER_CLIENT);
    assert_string_equal(one.label, scene.one.label);
    assert_false(tpi_mover_equal(&one, &other));
}

static void a_key_gives_its_right_to_one_client(void **state)
{
    tp_error err = {0};

    (void)state;
    assert_int_equal(may_move(&scene.one, &err), TP_E_DENIED);
    assert_string_equal(err.text, "VEL needs the right to move: give a key");
    assert_int_equal(tpi_identity_show_key(&scene.one, "fly", strlen("fly"), &err), TP_OK);
    assert_int_equal(may_move(&scene.one, &err), TP_OK);
    assert_string_equal(tpi_identity_key(&scene.one), "pilot");
    assert_int_equal(may_move(&scene.other, &err), TP_E_DENIED);
}

/* By its own key, and by other keys of the server. */
static void a_client_is_told_when_its_right_may_change(void **state)
{
    (void)state;
    scene.one.changed = changed;
    assert_int_equal(tpi_identity_show_key(&scene.one, "boss", strlen("boss"), NULL), TP_OK);
    assert_int_equal(tpi_identity_right(&scene.one), TP_RIGHT_OPERATE);
    set_keys(1); /* without the operator's */
    assert_trace(scene.b, "11");
    assert_int_equal(tpi_identity_right(&scene.one), TP_RIGHT_READ);
}

/* Where all are equals: it is the configuration that takes rights away. */
static void without_a_configuration_everybody_may_move(void **state)
{
    tpi_keyring fresh = {0};

    (void)state;
    tpi_keyring_init(&fresh, scene.hub);
    for (tp_reach reach = TP_REACH_NETWORK; reach <= TP_REACH_INSIDE; reach++) {
        const tpi_identity guest = {.keyring = &fresh, .reach = reach};
        assert_int_equal(tpi_identity_right(&guest),
                         reach == TP_REACH_INSIDE ? TP_RIGHT_OPERATE : TP_RIGHT_MOVE);
    }
}

/* An empty keyring is what is left, so a second time does nothing. */
static void a_keyring_can_be_emptied_twice(void **state)
{
    static const tpi_key one = {"anna", "drive", TP_RIGHT_MOVE};
    const tpi_access access = {.keys = &one, .key_count = 1};
    tpi_keyring fresh = {0};

    (void)state;
    tpi_keyring_init(&fresh, scene.hub);
    assert_int_equal(tpi_keyring_set(&fresh, &access), TP_OK);
    assert_int_equal(fresh.key_count, 1);
    tpi_keyring_fini(&fresh);
    assert_null(fresh.keys);
    assert_int_equal(fresh.key_count, 0);
    tpi_keyring_fini(&fresh);
}

static void a_panic_belongs_to_nobody_when_its_raiser_is_gone(void **state)
{
    tpi_keyring *keyring = &tpi_clients_of(scene.hub)->keyring;
    tpi_identity third = {0};

    (void)state;
    tpi_identity_init(&third, keyring);
    keyring->raiser = third.number;
    tpi_identity_fini(&third);
    assert_int_equal(keyring->raiser, 0);
}

/* A crash dump, or whoever gets the memory next, has no keys in it. */
static void keys_are_wiped_before_their_memory_is_free(void **state)
{
    (void)state;
    memory_watch(tpi_clients_of(scene.hub)->keyring.keys, 2 * sizeof keys[0]);
    set_keys(1);
    assert_true(memory_was_wiped());
}

static void a_name_of_one_letter_is_a_name(void **state)
{
    (void)state;
    tpi_identity_set_name(&scene.one, "10.0.0.7:51234");
    tpi_identity_set_software(&scene.one, "x");
    assert_string_equal(scene.one.label, "x at 10.0.0.7:51234");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_client_is_known_by_its_names_and_a_number, begin, end),
        cmocka_unit_test_setup_teardown(a_key_gives_its_right_to_one_client, begin, end),
        cmocka_unit_test_setup_teardown(a_client_is_told_when_its_right_may_change, begin, end),
        cmocka_unit_test_setup_teardown(without_a_configuration_everybody_may_move, begin, end),
        cmocka_unit_test_setup_teardown(a_keyring_can_be_emptied_twice, begin, end),
        cmocka_unit_test_setup_teardown(a_panic_belongs_to_nobody_when_its_raiser_is_gone, begin,
                                        end),
        cmocka_unit_test_setup_teardown(keys_are_wiped_before_their_memory_is_free, begin, end),
        cmocka_unit_test_setup_teardown(a_name_of_one_letter_is_a_name, begin, end),
    };

    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
