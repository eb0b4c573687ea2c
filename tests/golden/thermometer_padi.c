/* Generated from thermometer.padi by troupe-padi; do not edit. */
#include "thermometer.h"

static const tp_constant thermometer_status_members[] = {
    {"THERMOMETER_OK", "The probe answers.", 0},
    {"THERMOMETER_MISSING", "No probe is connected.", 1},
};

const tp_enum tp_desc_thermometer_status = {
    .name = "thermometer_status",
    .doc = "State of a probe.",
    .members = thermometer_status_members,
    .member_count = 2,
    .flags = false,
};

static const tp_enum *const all_enums[] = {
    &tp_desc_thermometer_status,
};

static const tp_field thermometer_data_fields[] = {
    {.name = "status",
     .doc = "How the probes are.",
     .values = &tp_desc_thermometer_status,
     .type = TP_TYPE_U8,
     .shape = TP_SHAPE_ONE,
     .offset = offsetof(tp_thermometer_data, status)},
    {.name = "values_count",
     .doc = "Number of probes.",
     .unit = "count",
     .type = TP_TYPE_U32,
     .shape = TP_SHAPE_ONE,
     .offset = offsetof(tp_thermometer_data, values_count),
     .is_count = true},
    {.name = "values",
     .doc = "Temperature of each probe.",
     .unit = "degC",
     .type = TP_TYPE_F32,
     .shape = TP_SHAPE_POINTER,
     .offset = offsetof(tp_thermometer_data, values),
     .count_offset = offsetof(tp_thermometer_data, values_count)},
};

static const tp_step thermometer_data_steps[] = {
    {.op = TP_STEP_U8,
     .n = 1,
     .offset = offsetof(tp_thermometer_data, status)},
    {.op = TP_STEP_COUNT,
     .slot = 0,
     .n = 1,
     .offset = offsetof(tp_thermometer_data, values_count)},
    {.op = TP_STEP_ARRAY,
     .slot = 0,
     .n = 1,
     .offset = offsetof(tp_thermometer_data, values),
     .count_offset = offsetof(tp_thermometer_data, values_count),
     .pointer = true,
     .item = TP_STEP_WORDS,
     .stride = sizeof(((tp_thermometer_data *)0)->values[0])},
};
const tp_struct tp_desc_thermometer_data = {
    .name = "thermometer_data",
    .doc = "One set of readings.",
    .interface = "thermometer",
    .fields = thermometer_data_fields,
    .field_count = 3,
    .steps = thermometer_data_steps,
    .step_count = 3,
    .size = sizeof(tp_thermometer_data),
    .align = _Alignof(tp_thermometer_data),
    .wire_min = 12,
    .variable = true,
};

static tp_status call_req_get_pose(
    const void *ops, tp_device *device, const void *ask, void *answer, tp_error *err)
{
    (void)ask;
    return ((const tp_thermometer_ops *)ops)->req_get_pose(device, answer, err);
}

static const tp_message all_messages[] = {
    {.name = "STATE",
     .doc = "New readings.",
     .ask = &tp_desc_thermometer_data,
     .kind = TP_KIND_DATA,
     .mark = TP_MARK_REQUIRED,
     .effect = TP_EFFECT_READS,
     .code = 1},
    {.name = "GET_POSE",
     .doc = "Where the probes are.",
     .answer = &tp_desc_pose3d,
     .kind = TP_KIND_REQUEST,
     .mark = TP_MARK_OPTIONAL,
     .effect = TP_EFFECT_READS,
     .code = 1,
     .call = call_req_get_pose,
     .op_offset = offsetof(tp_thermometer_ops, req_get_pose)},
};

static const tp_struct *const all_structs[] = {
    &tp_desc_thermometer_data,
};

static const char *const all_uses[] = {
    "common",
};

const tp_interface tp_interface_thermometer = {
    .name = "thermometer",
    .doc = "Measures temperature at one or more points.",
    .code = 210,
    .uses = all_uses,
    .use_count = 1,
    .enums = all_enums,
    .enum_count = 1,
    .structs = all_structs,
    .struct_count = 1,
    .messages = all_messages,
    .message_count = 2,
};
