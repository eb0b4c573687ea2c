/* interface_test.c - names of kinds, marks and types; messages and the operations behind them. */
#include <math.h>
#include <string.h>

#include "padi/names.h"
#include "support/unit.h"
#include "troupe/interfaces/gripper.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"

/* ---- Names ----------------------------------------------------------------------------------- */

static void kinds_have_names_and_are_found_by_them(void **state)
{
    static const tp_kind kinds[] = {TP_KIND_DATA, TP_KIND_COMMAND, TP_KIND_REQUEST, TP_KIND_SYNCH};
    static const char *const names[] = {"data", "command", "request", "synch"};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        assert_string_equal(tp_kind_name(kinds[i]), names[i]);
        assert_int_equal(tp_kind_named(names[i]), kinds[i]);
    }
    assert_string_equal(tp_kind_name((tp_kind)0), "?");
    assert_string_equal(tp_kind_name((tp_kind)4), "?");
    assert_int_equal(tp_kind_named("Data"), 0);
    assert_int_equal(tp_kind_named("?"), 0);
    assert_int_equal(tp_kind_named(""), 0);
}

static void marks_have_names_and_are_found_by_them(void **state)
{
    static const char *const names[] = {"required", "optional", "extension"};
    tp_mark mark;

    (void)state;
    for (unsigned i = TP_MARK_REQUIRED; i <= TP_MARK_EXTENSION; i++) {
        assert_string_equal(tp_mark_name((tp_mark)i), names[i]);
        assert_true(tpi_mark_named(names[i], &mark));
        assert_int_equal(mark, i);
    }
    assert_false(tpi_mark_named("Required", &mark));
    assert_false(tpi_mark_named("", &mark));
}

static void types_have_names_and_are_found_by_them(void **state)
{
    static const char *const names[] = {"u8",  "i8",  "u16", "i16", "u32",
                                        "i32", "i64", "f32", "f64", "char"};
    tp_type type;

    (void)state;
    for (unsigned i = TP_TYPE_U8; i < TP_TYPE_STRUCT; i++) {
        assert_string_equal(tp_type_name((tp_type)i), names[i]);
        assert_true(tpi_type_named(names[i], &type));
        assert_int_equal(type, i);
    }
    assert_string_equal(tp_type_name(TP_TYPE_STRUCT), "struct");
    assert_false(tpi_type_named("struct", &type));
    assert_false(tpi_type_named("u64", &type));
}

static void names_are_equal_but_for_their_case(void **state)
{
    (void)state;
    assert_true(tpi_names_equal("GET_geom2", "get_GEOM2"));
    assert_true(tpi_names_equal("", ""));
    assert_false(tpi_names_equal("get", "gets"));
    assert_false(tpi_names_equal("gets", "get"));
    assert_false(tpi_names_equal("", "g"));
    assert_false(tpi_names_equal("get", "got"));
}

/* ---- Messages -------------------------------------------------------------------------------- */

static const tp_message *named(tp_kind kind, const char *name)
{
    const tp_message *message = tp_interface_message_named(&tp_interface_position2d, kind, name);

    assert_non_null(message);
    return message;
}

static void messages_are_found_by_kind_and_code(void **state)
{
    const tp_interface *position = &tp_interface_position2d;

    (void)state;
    assert_string_equal(tp_interface_message(position, TP_KIND_DATA, 1)->name, "STATE");
    assert_string_equal(tp_interface_message(position, TP_KIND_COMMAND, 1)->name, "VEL");
    assert_string_equal(tp_interface_message(position, TP_KIND_REQUEST, 1)->name, "GET_GEOM");
    assert_null(tp_interface_message(position, TP_KIND_SYNCH, 1));
    assert_null(tp_interface_message(position, TP_KIND_DATA, 0));
    assert_null(tp_interface_message(position, TP_KIND_DATA, 257));
}

static void messages_are_found_by_kind_and_name_in_any_case(void **state)
{
    (void)state;
    assert_int_equal(named(TP_KIND_COMMAND, "VEL_HEAD")->code, TP_POSITION2D_CMD_VEL_HEAD);
    assert_int_equal(named(TP_KIND_COMMAND, "vel_Head")->code, TP_POSITION2D_CMD_VEL_HEAD);
    assert_null(tp_interface_message_named(&tp_interface_position2d, TP_KIND_DATA, "VEL_HEAD"));
    assert_null(tp_interface_message_named(&tp_interface_position2d, TP_KIND_COMMAND, "VEL_"));
}

static void the_payload_is_the_one_struct_of_either_direction(void **state)
{
    (void)state;
    assert_ptr_equal(tp_message_payload(named(TP_KIND_DATA, "STATE")), &tp_desc_position2d_data);
    assert_ptr_equal(tp_message_payload(named(TP_KIND_REQUEST, "GET_GEOM")),
                     &tp_desc_position2d_geom);
    assert_ptr_equal(tp_message_payload(named(TP_KIND_REQUEST, "SET_ODOM")),
                     &tp_desc_position2d_set_odom_req);
    assert_null(tp_message_payload(named(TP_KIND_REQUEST, "RESET_ODOM")));
    const tp_message *both =
        tp_interface_message_named(&tp_interface_laser, TP_KIND_REQUEST, "SET_CONFIG");
    assert_ptr_equal(tp_message_payload(both), &tp_desc_laser_config);
}

/* ---- Operations of a fake vehicle ------------------------------------------------------------ */

/* What the vehicle was told; the device that the operations get points to it. */
struct vehicle {
    double speed;
    int resets;
};

static struct vehicle *vehicle_of(tp_device *device)
{
    return (struct vehicle *)(void *)device;
}

static tp_status vehicle_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    if (!(fabs(ask->vel.px) <= 1.0)) {
        return tp_fail(err, TP_E_RANGE, "speed %.1f m/s is over 1.0", ask->vel.px);
    }
    vehicle_of(device)->speed = ask->vel.px;
    return TP_OK;
}

static tp_status vehicle_get_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->size.sl = 0.44;
    return TP_OK;
}

static tp_status vehicle_reset_odom(tp_device *device, tp_error *err)
{
    (void)err;
    vehicle_of(device)->resets++;
    return TP_OK;
}

static const tp_position2d_ops vehicle_ops = {
    .cmd_vel = vehicle_vel,
    .req_get_geom = vehicle_get_geom,
    .req_reset_odom = vehicle_reset_odom,
};

static tp_status call(struct vehicle *vehicle, const tp_message *message, const void *ask,
                      void *answer, tp_error *err)
{
    return message->call(&vehicle_ops, (tp_device *)(void *)vehicle, ask, answer, err);
}

static void a_message_is_handled_if_the_table_has_its_operation(void **state)
{
    static const tp_position2d_ops nothing = {.cmd_vel = NULL};

    (void)state;
    assert_true(tp_message_handled(named(TP_KIND_COMMAND, "VEL"), &vehicle_ops));
    assert_true(tp_message_handled(named(TP_KIND_REQUEST, "GET_GEOM"), &vehicle_ops));
    assert_true(tp_message_handled(named(TP_KIND_REQUEST, "RESET_ODOM"), &vehicle_ops));
    assert_false(tp_message_handled(named(TP_KIND_COMMAND, "POS"), &vehicle_ops));
    assert_false(tp_message_handled(named(TP_KIND_REQUEST, "SET_ODOM"), &vehicle_ops));
    assert_false(tp_message_handled(named(TP_KIND_COMMAND, "VEL"), &nothing));
    assert_false(tp_message_handled(named(TP_KIND_COMMAND, "VEL"), NULL));
}

static void data_and_loaded_messages_have_no_operation(void **state)
{
    const tp_message loaded = {.name = "VEL", .kind = TP_KIND_COMMAND};

    (void)state;
    assert_null(named(TP_KIND_DATA, "STATE")->call);
    assert_false(tp_message_handled(named(TP_KIND_DATA, "STATE"), &vehicle_ops));
    assert_false(tp_message_handled(&loaded, &vehicle_ops));
}

static void every_message_has_its_own_place_in_the_table(void **state)
{
    const tp_interface *position = &tp_interface_position2d;
    unsigned operations = 0;

    (void)state;
    for (uint32_t i = 0; i < position->message_count; i++) {
        const tp_message *message = &position->messages[i];
        if (message->call == NULL) {
            continue;
        }
        assert_int_equal(message->op_offset % sizeof(vehicle_ops.cmd_vel), 0);
        for (uint32_t k = 0; k < i; k++) {
            assert_true(position->messages[k].call == NULL ||
                        position->messages[k].op_offset != message->op_offset);
        }
        operations++;
    }
    assert_int_equal(operations * sizeof(vehicle_ops.cmd_vel), sizeof vehicle_ops);
}

static void a_command_reaches_its_operation(void **state)
{
    const tp_position2d_cmd_vel slow = {.vel = {.px = 0.5}, .state = 1};
    const tp_position2d_cmd_vel fast = {.vel = {.px = 1.5}, .state = 1};
    struct vehicle vehicle = {.speed = 0};
    tp_error err = {0};

    (void)state;
    assert_int_equal(call(&vehicle, named(TP_KIND_COMMAND, "VEL"), &slow, NULL, &err), TP_OK);
    assert_true(vehicle.speed == 0.5);
    assert_int_equal(call(&vehicle, named(TP_KIND_COMMAND, "VEL"), &fast, NULL, &err), TP_E_RANGE);
    assert_string_equal(err.text, "speed 1.5 m/s is over 1.0");
    assert_true(vehicle.speed == 0.5);
}

static void a_request_gets_its_answer(void **state)
{
    struct vehicle vehicle = {.speed = 0};
    tp_position2d_geom geom = {.size = {.sl = 0}};
    tp_error err = {0};

    (void)state;
    assert_int_equal(call(&vehicle, named(TP_KIND_REQUEST, "GET_GEOM"), NULL, &geom, &err), TP_OK);
    assert_true(geom.size.sl == 0.44);
}

static void a_request_without_a_body_reaches_its_operation(void **state)
{
    struct vehicle vehicle = {.speed = 0};

    (void)state;
    assert_int_equal(call(&vehicle, named(TP_KIND_REQUEST, "RESET_ODOM"), NULL, NULL, NULL), TP_OK);
    assert_int_equal(vehicle.resets, 1);
}

static tp_status gripper_open(tp_device *device, tp_error *err)
{
    (void)device;
    return tp_fail(err, TP_E_IO, "the jaws are stuck");
}

static void a_command_without_a_body_reaches_its_operation(void **state)
{
    static const tp_gripper_ops ops = {.cmd_open = gripper_open};
    const tp_message *open =
        tp_interface_message_named(&tp_interface_gripper, TP_KIND_COMMAND, "OPEN");
    tp_error err = {0};

    (void)state;
    assert_true(tp_message_handled(open, &ops));
    assert_int_equal(open->call(&ops, NULL, NULL, NULL, &err), TP_E_IO);
    assert_string_equal(err.text, "the jaws are stuck");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_have_names_and_are_found_by_them),
        cmocka_unit_test(marks_have_names_and_are_found_by_them),
        cmocka_unit_test(types_have_names_and_are_found_by_them),
        cmocka_unit_test(names_are_equal_but_for_their_case),
        cmocka_unit_test(messages_are_found_by_kind_and_code),
        cmocka_unit_test(messages_are_found_by_kind_and_name_in_any_case),
        cmocka_unit_test(the_payload_is_the_one_struct_of_either_direction),
        cmocka_unit_test(a_message_is_handled_if_the_table_has_its_operation),
        cmocka_unit_test(data_and_loaded_messages_have_no_operation),
        cmocka_unit_test(every_message_has_its_own_place_in_the_table),
        cmocka_unit_test(a_command_reaches_its_operation),
        cmocka_unit_test(a_request_gets_its_answer),
        cmocka_unit_test(a_request_without_a_body_reaches_its_operation),
        cmocka_unit_test(a_command_without_a_body_reaches_its_operation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
