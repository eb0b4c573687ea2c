/* interfaces_test.c - our interface files against the facts about Player in tests/data: the same
 * names, codes, types and order; and rules of our own that hold for all of them. */
#include <stdio.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/interfaces/all.h"

/* Where the walk through the facts is. */
struct walk {
    tp_catalogue *catalogue;
    const tp_interface *interface;
    const tp_struct *type;
    uint32_t message; /* next one of the interface */
    uint32_t field;   /* next one of the struct */
    uint32_t structs; /* next one of the interface */
    unsigned interfaces;
    unsigned messages;
    unsigned constants;
};

static const char *player_name(const tp_struct *type)
{
    static char name[128];

    if (type == NULL) {
        return "-";
    }
    snprintf(name, sizeof name, "player_%s_t", type->name);
    return name;
}

/* All messages and structs that Player has were seen, in order; ours come after them. */
static void leave_struct(struct walk *w)
{
    if (w->type != NULL) {
        assert_int_equal(w->field, w->type->field_count);
    }
    w->type = NULL;
}

static void leave_interface(struct walk *w)
{
    leave_struct(w);
    if (w->interface == NULL || w->interface->code == 0) {
        return;
    }
    for (uint32_t i = w->message; i < w->interface->message_count; i++) {
        assert_true(w->interface->messages[i].code >= 200);
    }
    if (w->interface->code != 1) { /* player has hello */
        assert_int_equal(w->structs, w->interface->struct_count);
    }
}

static void check_interface(struct walk *w, const char *name, unsigned code)
{
    leave_interface(w);
    w->interface = tp_catalogue_code(w->catalogue, code);
    assert_non_null(w->interface);
    assert_string_equal(w->interface->name, name);
    w->message = 0;
    w->structs = 0;
    w->interfaces++;
}

static void check_message(struct walk *w, const char *kind, const char *name, unsigned code,
                          const char *payload)
{
    const tp_message *message = w->interface->code == 0
                                    ? tp_interface_message(w->interface, tp_kind_named(kind), code)
                                    : &w->interface->messages[w->message++];

    assert_non_null(message);
    assert_string_equal(message->name, name);
    assert_string_equal(tp_kind_name(message->kind), kind);
    assert_int_equal(message->code, code);
    assert_string_equal(player_name(tp_message_payload(message)), payload);
    w->messages++;
}

static void check_struct(struct walk *w, const char *name)
{
    leave_struct(w);
    w->type = w->interface->structs[w->structs++];
    assert_string_equal(player_name(w->type), name);
    w->field = 0;
}

static const char *count_name(const tp_struct *type, const tp_field *array)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].is_count && type->fields[i].offset == array->count_offset &&
            (array->shape == TP_SHAPE_BOUNDED || array->shape == TP_SHAPE_POINTER)) {
            return type->fields[i].name;
        }
    }
    return "-";
}

static void check_field(struct walk *w, const char *name, const char *type, const char *shape,
                        unsigned length, const char *count)
{
    static const char *const shapes[] = {"one", "fixed", "bounded", "variable"};
    const tp_field *field = &w->type->fields[w->field++];

    assert_string_equal(field->name, name);
    assert_string_equal(
        field->type == TP_TYPE_STRUCT ? player_name(field->of) : tp_type_name(field->type), type);
    assert_string_equal(shapes[field->shape], shape);
    assert_int_equal(field->length, length);
    assert_string_equal(count_name(w->type, field), count);
}

static bool has_constant(const tp_constant *constants, uint32_t count, const char *name, long value)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(constants[i].name, name) == 0) {
            return constants[i].value == value;
        }
    }
    return false;
}

static void check_constant(struct walk *w, const char *name, long value)
{
    bool found = has_constant(w->interface->constants, w->interface->constant_count, name, value);

    for (uint32_t i = 0; i < w->interface->enum_count; i++) {
        const tp_enum *values = w->interface->enums[i];
        found = found || has_constant(values->members, values->member_count, name, value);
    }
    if (strcmp(name, "MAP_DATA_INFO") == 0) { /* it is the code of a message */
        found = TP_MAP_DATA_INFO == value;
    }
    if (!found) {
        fail_msg("constant %s is missing or differs", name);
    }
    w->constants++;
}

static void check_line(struct walk *w, const char *line)
{
    char a[128];
    char b[128];
    char c[128];
    char d[128];
    unsigned number;
    long value;

    if (line[0] == '#') {
        return;
    }
    if (sscanf(line, "interface %127s %u", a, &number) == 2) {
        check_interface(w, a, number);
    } else if (sscanf(line, "message %127s %127s %u %127s", a, b, &number, c) == 4) {
        check_message(w, a, b, number, c);
    } else if (sscanf(line, "struct %127s", a) == 1) {
        check_struct(w, a);
    } else if (sscanf(line, "field %127s %127s %127s %u %127s", a, b, c, &number, d) == 5) {
        check_field(w, a, b, c, number, d);
    } else if (sscanf(line, "constant %127s %ld", a, &value) == 2) {
        check_constant(w, a, value);
    } else {
        fail_msg("line not understood: %s", line);
    }
}

static void the_facts_about_player_hold(void **state)
{
    (void)state;
    struct walk w = {0};
    char line[512];
    FILE *facts = fopen(TEST_ROOT "/tests/data/player_interfaces.txt", "r");

    assert_non_null(facts);
    assert_int_equal(tp_catalogue_create(&w.catalogue, NULL), TP_OK);
    while (fgets(line, sizeof line, facts) != NULL) {
        check_line(&w, line);
    }
    leave_interface(&w);
    assert_int_equal(w.interfaces, 43 + 1);
    assert_int_equal(w.messages, 249 + 9);
    assert_int_equal(w.constants, 126);
    fclose(facts);
    tp_catalogue_destroy(w.catalogue);
}

static void is_sentence(const char *doc)
{
    const size_t length = strlen(doc);

    if (length < 3 || doc[length - 1] != '.') {
        fail_msg("not a sentence: %s", doc);
    }
}

static void everything_has_a_sentence(void **state)
{
    (void)state;
    tp_catalogue *catalogue = NULL;

    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        is_sentence(interface->doc);
        for (uint32_t k = 0; k < interface->message_count; k++) {
            is_sentence(interface->messages[k].doc);
        }
        for (uint32_t k = 0; k < interface->struct_count; k++) {
            is_sentence(interface->structs[k]->doc);
            for (uint32_t f = 0; f < interface->structs[k]->field_count; f++) {
                is_sentence(interface->structs[k]->fields[f].doc);
            }
        }
    }
    tp_catalogue_destroy(catalogue);
}

/* What is called GET only asks, and everything that moves belongs to an actuator; whoever adds a
 * message has to think of it. */
static void every_message_says_what_it_does(void **state)
{
    static const char *const actuators[] = {
        "actarray",   "gripper",    "limb",      "mobile",  "planner",    "position1d", "ptz",
        "position2d", "position3d", "universal", "program", "experiment", NULL};
    tp_catalogue *catalogue = NULL;

    (void)state;
    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        bool moves = false;
        bool actuator = false;
        for (uint32_t k = 0; k < interface->message_count; k++) {
            const tp_message *message = &interface->messages[k];
            moves = moves || message->effect == TP_EFFECT_MOVES;
            if (message->kind == TP_KIND_REQUEST && strncmp(message->name, "GET_", 4) == 0) {
                assert_int_equal(message->effect, TP_EFFECT_READS);
            }
            if (message->kind == TP_KIND_COMMAND || strncmp(message->name, "SET_", 4) == 0) {
                assert_int_not_equal(message->effect, TP_EFFECT_READS);
            }
        }
        for (size_t k = 0; actuators[k] != NULL; k++) {
            actuator = actuator || strcmp(actuators[k], interface->name) == 0;
        }
        assert_int_equal(moves, actuator);
    }
    tp_catalogue_destroy(catalogue);
}

/* By hand: messages that can move hardware without a motion that has to be stopped. */
static const char *const actuating[] = {
    "power SET_CHARGING_POLICY",
    "position2d MOTOR_POWER",
    "position2d VELOCITY_MODE",
    "position2d POSITION_MODE",
    "position2d SPEED_PID",
    "position2d POSITION_PID",
    "ptz GENERIC",
    "ptz CONTROL_MODE",
    "dio VALUES",
    "aio STATE",
    "position3d MOTOR_POWER",
    "position3d VELOCITY_MODE",
    "position3d POSITION_MODE",
    "position3d SPEED_PID",
    "position3d POSITION_PID",
    "planner START",
    "planner ENABLE",
    "opaque DATA",
    "opaque DATA",
    "position1d MOTOR_POWER",
    "position1d VELOCITY_MODE",
    "position1d POSITION_MODE",
    "position1d SPEED_PID",
    "position1d POSITION_PID",
    "actarray POWER",
    "actarray BRAKES",
    "limb POWER",
    "limb BRAKES",
    "coopobject STANDARD",
    "coopobject DATA",
    "mechanism PLAY",
    "mechanism BIND",
    "program LAUNCH",
    "program CONTINUE",
    "program DEPART",
    "program ARRIVE",
    "program RELEASE",
    "program BEGIN",
    "program RETURN",
    "experiment TRIGGER",
    "experiment SIGNAL",
    "experiment LAUNCH",
};

static void what_actuates_is_listed(void **state)
{
    tp_catalogue *catalogue = NULL;
    size_t found = 0;

    (void)state;
    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        for (uint32_t k = 0; k < interface->message_count; k++) {
            char name[80];
            if (interface->messages[k].effect != TP_EFFECT_ACTUATES) {
                continue;
            }
            (void)snprintf(name, sizeof name, "%s %s", interface->name,
                           interface->messages[k].name);
            assert_in_range(found, 0, sizeof actuating / sizeof actuating[0] - 1);
            assert_string_equal(name, actuating[found]);
            found++;
        }
    }
    assert_int_equal(found, sizeof actuating / sizeof actuating[0]);
    tp_catalogue_destroy(catalogue);
}

static void our_additions_are_there(void **state)
{
    (void)state;
    assert_int_equal(TP_READ_MODE, 16);
    assert_int_equal(TP_WRITE_MODE, 17);
    assert_int_equal(TP_ALL_MODE, 18);
    assert_int_equal(TP_EXCLUSIVE_MODE, 19);
    assert_int_equal(TP_MOBILE_CODE, 200);
    assert_ptr_equal(tp_interface_message(&tp_interface_common, TP_KIND_DATA, 240)->ask,
                     &tp_desc_geometry);
    assert_ptr_equal(tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, 242)->answer,
                     &tp_desc_lease);
    assert_ptr_equal(tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, 200)->ask,
                     &tp_desc_hello);
}

static void says_none_of(const tp_struct *type, const char *const *words, size_t count)
{
    for (uint32_t f = 0; f < type->field_count; f++) {
        for (size_t w = 0; w < count; w++) {
            if (strstr(type->fields[f].name, words[w]) != NULL) {
                fail_msg("%s.%s is of the transport", type->name, type->fields[f].name);
            }
        }
    }
}

/* How fast and how surely messages travel is the transport's; only the lease, which is safety, is
 * asked of devices. `player` is about connections, and a radio tells of itself what it measures. */
static void devices_say_nothing_of_the_transport(void **state)
{
    static const char *const words[] = {"latency",  "bandwidth", "jitter", "timeout",
                                        "deadline", "retries",   "bitrate"};
    tp_catalogue *catalogue = NULL;

    (void)state;
    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        if (strcmp(interface->name, "player") == 0 || strcmp(interface->name, "wifi") == 0) {
            continue;
        }
        for (uint32_t k = 0; k < interface->struct_count; k++) {
            says_none_of(interface->structs[k], words, sizeof words / sizeof words[0]);
        }
    }
    tp_catalogue_destroy(catalogue);
}

static const char *unit_of(const tp_struct *type, const char *name)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (strcmp(type->fields[i].name, name) == 0) {
            return type->fields[i].unit == NULL ? "" : type->fields[i].unit;
        }
    }
    fail_msg("%s has no field %s", type->name, name);
    return "";
}

static void velocities_and_directions_have_their_units(void **state)
{
    static const struct {
        const tp_struct *type;
        const char *field;
        const char *unit;
    } fields[] = {
        {&tp_desc_position2d_data, "pos", ""},
        {&tp_desc_position2d_data, "vel", "/s"},
        {&tp_desc_position2d_cmd_vel, "vel", "/s"},
        {&tp_desc_position2d_cmd_pos, "vel", "/s"},
        {&tp_desc_position3d_data, "vel", "/s"},
        {&tp_desc_position3d_cmd_vel, "vel", "/s"},
        {&tp_desc_position3d_cmd_pos, "vel", "/s"},
        {&tp_desc_mobile_data, "vel", "/s"},
        {&tp_desc_imu_data_fullstate, "vel", "/s"},
        {&tp_desc_imu_data_fullstate, "acc", "/s^2"},
        {&tp_desc_limb_data, "position", ""},
        {&tp_desc_limb_data, "approach", "1"},
        {&tp_desc_limb_data, "orientation", "1"},
        {&tp_desc_limb_setpose_cmd, "approach", "1"},
        {&tp_desc_limb_setpose_cmd, "orientation", "1"},
        {&tp_desc_limb_vecmove_cmd, "direction", "1"},
        {&tp_desc_actarray_actuatorgeom, "axis", "1"},
        {&tp_desc_imu_data_calib, "magn_x", "raw"},
        {&tp_desc_wsn_node_data, "light", "raw"},
        {&tp_desc_wsn_node_data, "magn_z", "raw"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        assert_string_equal(unit_of(fields[i].type, fields[i].field), fields[i].unit);
    }
}

static void numbers_with_names_have_enums(void **state)
{
    (void)state;
    assert_int_equal(TP_POWER_CHARGING_GIVES, -1);
    assert_int_equal(TP_POWER_CHARGING_NONE, 0);
    assert_int_equal(TP_POWER_CHARGING_TAKES, 1);
    assert_ptr_equal(tp_desc_power_data.fields[5].values, &tp_desc_power_charging);
    assert_int_equal(TP_BLACKBOARD_DATA_TYPE_SIMPLE, 1);
    assert_int_equal(TP_BLACKBOARD_DATA_TYPE_COMPLEX, 2);
    assert_int_equal(TP_BLACKBOARD_DATA_SUBTYPE_STRING, 1);
    assert_int_equal(TP_BLACKBOARD_DATA_SUBTYPE_INT, 2);
    assert_int_equal(TP_BLACKBOARD_DATA_SUBTYPE_DOUBLE, 3);
    assert_ptr_equal(tp_desc_blackboard_entry.fields[4].values, &tp_desc_blackboard_type);
    assert_ptr_equal(tp_desc_blackboard_entry.fields[5].values, &tp_desc_blackboard_subtype);
}

/* Units send what they are asked for, so no driver can be required to send one of them. */
static void no_data_of_an_imu_is_required(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < tp_interface_imu.message_count; i++) {
        assert_int_equal(tp_interface_imu.messages[i].mark, TP_MARK_OPTIONAL);
    }
}

static void a_mobile_tells_the_frames_of_each_control(void **state)
{
    (void)state;
    const tp_mobile_ability yaw = {
        .axis = TP_MOBILE_YAW,
        .controls = TP_MOBILE_CAN_POSITION | TP_MOBILE_CAN_VELOCITY,
        .position_frames = TP_MOBILE_CAN_OWN | TP_MOBILE_CAN_WORLD,
        .velocity_frames = TP_MOBILE_CAN_OWN,
    };
    unsigned char bytes[64];
    tp_mobile_ability back;
    size_t size = 0;

    assert_int_equal(tp_xdr_encode(&tp_desc_mobile_ability, &yaw, bytes, sizeof bytes, &size),
                     TP_OK);
    assert_int_equal(tp_xdr_decode(&tp_desc_mobile_ability, bytes, size, &back, sizeof back),
                     TP_OK);
    assert_int_equal(back.position_frames, 3);
    assert_int_equal(back.velocity_frames, 1);
    assert_int_equal(back.acceleration_frames, 0);
}

/* The Descartes robot of "On device abstractions", IV-C, in one command of `mobile`. */
static void one_command_says_heading_distance_and_percent(void **state)
{
    (void)state;
    const tp_mobile_cmd command = {
        .axes_count = 2,
        .axes = {{.axis = TP_MOBILE_YAW,
                  .control = TP_MOBILE_POSITION,
                  .frame = TP_MOBILE_WORLD,
                  .value = 1.57},
                 {.axis = TP_MOBILE_X,
                  .control = TP_MOBILE_POSITION,
                  .frame = TP_MOBILE_OWN,
                  .value = 0.5,
                  .limit_kind = TP_MOBILE_LIMIT_PERCENT,
                  .limit = 40}},
    };
    unsigned char bytes[128];
    tp_mobile_cmd back;
    size_t size = 0;

    assert_int_equal(tp_xdr_encode(&tp_desc_mobile_cmd, &command, bytes, sizeof bytes, &size),
                     TP_OK);
    assert_int_equal(tp_xdr_decode(&tp_desc_mobile_cmd, bytes, size, &back, sizeof back), TP_OK);
    assert_true(tp_value_equal(&tp_desc_mobile_cmd, &command, &back));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_facts_about_player_hold),
        cmocka_unit_test(everything_has_a_sentence),
        cmocka_unit_test(every_message_says_what_it_does),
        cmocka_unit_test(what_actuates_is_listed),
        cmocka_unit_test(our_additions_are_there),
        cmocka_unit_test(devices_say_nothing_of_the_transport),
        cmocka_unit_test(velocities_and_directions_have_their_units),
        cmocka_unit_test(numbers_with_names_have_enums),
        cmocka_unit_test(no_data_of_an_imu_is_required),
        cmocka_unit_test(a_mobile_tells_the_frames_of_each_control),
        cmocka_unit_test(one_command_says_heading_distance_and_percent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
