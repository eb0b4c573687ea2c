/*
 * screens.c - graphics2d, graphics3d and speech: what Stage shows in its window.
 *
 * There is no window. What is said can be read as a property; drawings are taken and forgotten, so
 * that programs which draw run on.
 */
#include "simulator.h"
#include "troupe/interfaces/graphics2d.h"
#include "troupe/interfaces/graphics3d.h"
#include "troupe/interfaces/speech.h"

static tp_status clear(tp_device *device, tp_error *err)
{
    (void)device;
    (void)err;
    return TP_OK;
}

static tp_status points(tp_device *device, const tp_graphics2d_cmd_points *ask, tp_error *err)
{
    (void)ask;
    return clear(device, err);
}

static tp_status polyline(tp_device *device, const tp_graphics2d_cmd_polyline *ask, tp_error *err)
{
    (void)ask;
    return clear(device, err);
}

static tp_status polygon(tp_device *device, const tp_graphics2d_cmd_polygon *ask, tp_error *err)
{
    (void)ask;
    return clear(device, err);
}

static tp_status multiline(tp_device *device, const tp_graphics2d_cmd_multiline *ask, tp_error *err)
{
    (void)ask;
    return clear(device, err);
}

static const tp_graphics2d_ops graphics_ops = {
    .cmd_clear = clear,
    .cmd_points = points,
    .cmd_polyline = polyline,
    .cmd_polygon = polygon,
    .cmd_multiline = multiline,
};

/* ---- graphics3d ------------------------------------------------------------------------------ */

static tp_status draw(tp_device *device, const tp_graphics3d_cmd_draw *ask, tp_error *err)
{
    (void)ask;
    return clear(device, err);
}

static tp_status translate(tp_device *device, const tp_graphics3d_cmd_translate *ask, tp_error *err)
{
    (void)ask;
    return clear(device, err);
}

static tp_status rotate(tp_device *device, const tp_graphics3d_cmd_rotate *ask, tp_error *err)
{
    (void)ask;
    return clear(device, err);
}

static const tp_graphics3d_ops space_ops = {
    .cmd_clear = clear,
    .cmd_draw = draw,
    .cmd_translate = translate,
    .cmd_rotate = rotate,
    .cmd_push = clear,
    .cmd_pop = clear,
};

/* ---- speech ---------------------------------------------------------------------------------- */

static const tp_property_plan said_property = {
    .key = "said",
    .type = TP_PROPERTY_STRING,
    .unit = "",
    .doc = "What it has said last.",
    .value = "",
};

static tp_status speech_begin(simd_device *d, tp_error *err)
{
    return tp_device_add_property(d->device, &said_property, err);
}

static tp_status say(tp_device *device, const tp_speech_cmd *ask, tp_error *err)
{
    char text[256];

    if (!simd_copy_text(text, sizeof text, ask->string, ask->string_count)) {
        return tp_fail(err, TP_E_RANGE, "a text has at most %zu letters", sizeof text - 1);
    }
    return tp_device_set_property_text(device, "said", text) == TP_OK
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "the text cannot be said");
}

static const tp_speech_ops speech_ops = {.cmd_say = say};

const simd_kind simd_screens[] = {
    {
        .interface = &tp_interface_graphics2d,
        .ops = &graphics_ops,
        .any = true,
        .passive = true,
    },
    {
        .interface = &tp_interface_graphics3d,
        .ops = &space_ops,
        .any = true,
        .passive = true,
    },
    {
        .interface = &tp_interface_speech,
        .ops = &speech_ops,
        .any = true,
        .passive = true,
        .begin = speech_begin,
    },
    {0},
};
