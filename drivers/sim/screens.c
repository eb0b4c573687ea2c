/*
 * screens.c - graphics2d, graphics3d and speech: what Stage shows in its window.
 *
 * There is no window. Drawings in the plane are kept with the world and seen in pictures of it;
 * those in space are taken and forgotten, so that programs which draw run on. What is said can be
 * read as a property.
 */
#include "sim/sketch.h"
#include "simulator.h"
#include "troupe/interfaces/graphics2d.h"
#include "troupe/interfaces/graphics3d.h"
#include "troupe/interfaces/speech.h"

/* ---- graphics2d ------------------------------------------------------------------------------ */

/* Robots draw; others only where a section asks for it. */
static bool graphics_suits(const simd *s, tpi_sim_model model)
{
    tpi_sim_info info;

    tpi_sim_model_info(s->world, model, &info);
    return info.kind == TPI_SIM_POSITION;
}

/* Of the world, each device has a sheet; otherwise the model's own drawings are meant. */
static tpi_sim_model sheet_of(const simd_device *d)
{
    return d->model == TPI_SIM_NONE ? TPI_SIM_SHEET(tp_device_addr(d->device)->index) : d->model;
}

/* Without any opacity it would not be worth drawing: then it was forgotten. */
static uint32_t colour_of(const tp_color *colour)
{
    return tpi_simd_colour(colour) | (colour->alpha == 0 ? 255u : 0u);
}

static tp_status sketch(tp_device *device, const tpi_sim_stroke *stroke, const tp_point_2d *points,
                        tp_error *err)
{
    const simd_device *d = simd_of(device);

    _Static_assert(sizeof(tp_point_2d) == 2 * sizeof(double), "points are pairs of numbers");
    if (stroke->count == 0) {
        return TP_OK;
    }
    const tp_status status = tpi_sim_sketch(d->owner->world, sheet_of(d), stroke, &points->px, err);
    tpi_simd_scene_changed(d->owner);
    return status;
}

static tp_status clear(tp_device *device, tp_error *err)
{
    const simd_device *d = simd_of(device);

    (void)err;
    tpi_sim_sketch_clear(d->owner->world, sheet_of(d));
    tpi_simd_scene_changed(d->owner);
    return TP_OK;
}

static tp_status points(tp_device *device, const tp_graphics2d_cmd_points *ask, tp_error *err)
{
    const tpi_sim_stroke stroke = {.kind = TPI_SIM_STROKE_POINTS,
                                   .colour = colour_of(&ask->color),
                                   .count = ask->points_count};

    return sketch(device, &stroke, ask->points, err);
}

static tp_status polyline(tp_device *device, const tp_graphics2d_cmd_polyline *ask, tp_error *err)
{
    const tpi_sim_stroke stroke = {
        .kind = TPI_SIM_STROKE_LINE, .colour = colour_of(&ask->color), .count = ask->points_count};

    return sketch(device, &stroke, ask->points, err);
}

static tp_status polygon(tp_device *device, const tp_graphics2d_cmd_polygon *ask, tp_error *err)
{
    const tpi_sim_stroke stroke = {.kind = TPI_SIM_STROKE_SHAPE,
                                   .colour = colour_of(&ask->color),
                                   .fill = ask->filled != 0 ? colour_of(&ask->fill_color) : 0,
                                   .count = ask->points_count};

    return sketch(device, &stroke, ask->points, err);
}

static tp_status multiline(tp_device *device, const tp_graphics2d_cmd_multiline *ask, tp_error *err)
{
    const tpi_sim_stroke stroke = {
        .kind = TPI_SIM_STROKE_LINES, .colour = colour_of(&ask->color), .count = ask->points_count};

    return sketch(device, &stroke, ask->points, err);
}

static const tp_graphics2d_ops graphics_ops = {
    .cmd_clear = clear,
    .cmd_points = points,
    .cmd_polyline = polyline,
    .cmd_polygon = polygon,
    .cmd_multiline = multiline,
};

/* ---- graphics3d ------------------------------------------------------------------------------ */

static tp_status forget(tp_device *device, tp_error *err)
{
    (void)device;
    (void)err;
    return TP_OK;
}

static tp_status draw(tp_device *device, const tp_graphics3d_cmd_draw *ask, tp_error *err)
{
    (void)ask;
    return forget(device, err);
}

static tp_status translate(tp_device *device, const tp_graphics3d_cmd_translate *ask, tp_error *err)
{
    (void)ask;
    return forget(device, err);
}

static tp_status rotate(tp_device *device, const tp_graphics3d_cmd_rotate *ask, tp_error *err)
{
    (void)ask;
    return forget(device, err);
}

static const tp_graphics3d_ops space_ops = {
    .cmd_clear = forget,
    .cmd_draw = draw,
    .cmd_translate = translate,
    .cmd_rotate = rotate,
    .cmd_push = forget,
    .cmd_pop = forget,
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

    if (!tpi_counted_copy(text, sizeof text, ask->string, ask->string_count)) {
        return tp_fail(err, TP_E_RANGE, "a text has at most %zu letters", sizeof text - 1);
    }
    return tp_device_set_property_text(device, "said", text) == TP_OK
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "the text cannot be said");
}

static const tp_speech_ops speech_ops = {.cmd_say = say};

const simd_kind tpi_simd_screens[] = {
    {
        .interface = &tp_interface_graphics2d,
        .ops = &graphics_ops,
        .any = true,
        .passive = true,
        .suits = graphics_suits,
    },
    {
        .interface = &tp_interface_graphics2d, /* in the frame of the world */
        .ops = &graphics_ops,
        .key = "world",
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
