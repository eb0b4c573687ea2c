/* objects.c - simulation: the objects of a world, where they are and what they look like. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/world/colour.h"
#include "simulator.h"
#include "troupe/interfaces/simulation.h"

/* ---- Poses ----------------------------------------------------------------------------------- */

/* The model that a request names; TPI_SIM_NONE with a reason if there is none. */
static tpi_sim_model find(tp_device *device, const char *name, uint32_t count, tp_error *err)
{
    const simd *s = simd_of(device)->owner;
    char text[256];

    if (!tpi_counted_copy(text, sizeof text, name, count)) {
        tp_fail(err, TP_E_UNKNOWN, "no model has a name of %u letters", count);
        return TPI_SIM_NONE;
    }
    const tpi_sim_model model = tpi_sim_find(s->world, text);
    if (model == TPI_SIM_NONE) {
        (void)tpi_simd_fail_unknown(s, text, err);
    }
    return model;
}

static tp_status get_pose2d(tp_device *device, const tp_simulation_pose2d_req *ask,
                            tp_simulation_pose2d_req *answer, tp_error *err)
{
    const tpi_sim_model model = find(device, ask->name, ask->name_count, err);

    if (model == TPI_SIM_NONE) {
        return TP_E_UNKNOWN;
    }
    const tpi_sim_pose pose = tpi_sim_local_pose(simd_of(device)->owner->world, model);
    *answer = *ask;
    answer->pose = (tp_pose2d){pose.x, pose.y, pose.a};
    return TP_OK;
}

static tp_status move(simd *s, tpi_sim_model model, const tpi_sim_pose *pose, tp_error *err)
{
    tp_status status = tpi_sim_set_pose(s->world, model, pose, err);

    tpi_simd_show_some(s);
    tpi_simd_scene_changed(s);
    return status;
}

static tp_status set_pose2d(tp_device *device, const tp_simulation_pose2d_req *ask, tp_error *err)
{
    tpi_sim *world = simd_of(device)->owner->world;
    const tpi_sim_model model = find(device, ask->name, ask->name_count, err);

    if (model == TPI_SIM_NONE) {
        return TP_E_UNKNOWN;
    }
    tpi_sim_pose pose = tpi_sim_local_pose(world, model);
    pose.x = ask->pose.px;
    pose.y = ask->pose.py;
    pose.a = ask->pose.pa;
    return move(simd_of(device)->owner, model, &pose, err);
}

static tp_status get_pose3d(tp_device *device, const tp_simulation_pose3d_req *ask,
                            tp_simulation_pose3d_req *answer, tp_error *err)
{
    simd *s = simd_of(device)->owner;
    const tpi_sim_model model = find(device, ask->name, ask->name_count, err);

    if (model == TPI_SIM_NONE) {
        return TP_E_UNKNOWN;
    }
    const tpi_sim_pose pose = tpi_sim_local_pose(s->world, model);
    *answer = *ask;
    answer->pose = tpi_simd_pose3d(&pose);
    answer->simtime = tpi_simd_time_s(s);
    return TP_OK;
}

static tp_status set_pose3d(tp_device *device, const tp_simulation_pose3d_req *ask, tp_error *err)
{
    const tpi_sim_model model = find(device, ask->name, ask->name_count, err);
    const tpi_sim_pose pose = {ask->pose.px, ask->pose.py, ask->pose.pz, ask->pose.pyaw};

    if (model != TPI_SIM_NONE && (ask->pose.proll != 0 || ask->pose.ppitch != 0)) {
        return tp_fail(err, TP_E_RANGE, "pose has roll or pitch: the models of a world stay level");
    }
    return model == TPI_SIM_NONE ? TP_E_UNKNOWN : move(simd_of(device)->owner, model, &pose, err);
}

/* ---- Properties of models ---------------------------------------------------------------------
 *
 * `color` and `time` are as Stage has them, in the bytes of its memory. What people write by hand
 * is a text: `color` takes the name of one as well, and `color_rgba` is the same as numbers.
 */

enum { COLOUR_PARTS = 4, MOST_TEXT = 64 };

struct simulation {             /* room for answers */
    float colour[COLOUR_PARTS]; /* red, green, blue, opacity, from 0 to 1 */
    char text[MOST_TEXT];
    uint64_t time_us;
};

static bool is_property(const tp_simulation_property_req *ask, const char *name)
{
    char text[32];

    return tpi_counted_copy(text, sizeof text, ask->prop, ask->prop_count) &&
           strcmp(text, name) == 0;
}

static tp_status unknown_property(const tp_simulation_property_req *ask, tp_error *err)
{
    char text[MOST_TEXT] = "";

    (void)tpi_counted_copy(text, sizeof text, ask->prop, ask->prop_count);
    return tp_fail(
        err, TP_E_UNKNOWN,
        "models have no property \"%s\": there are color, color_rgba, delivered and time", text);
}

static void get_colour(const simd *s, tpi_sim_model model, float parts[COLOUR_PARTS])
{
    tpi_sim_info info;

    tpi_sim_model_info(s->world, model, &info);
    for (unsigned i = 0; i < COLOUR_PARTS; i++) {
        parts[i] = (float)(info.colour >> (24 - 8 * i) & 255) / 255;
    }
}

static void put_value(tp_simulation_property_req *answer, void *bytes, size_t count)
{
    answer->value = bytes;
    answer->value_count = (uint32_t)count;
}

static tp_status get_property(tp_device *device, const tp_simulation_property_req *ask,
                              tp_simulation_property_req *answer, tp_error *err)
{
    simd *s = simd_of(device)->owner;
    struct simulation *room = simd_state(device);
    const tpi_sim_model model = find(device, ask->name, ask->name_count, err);

    if (model == TPI_SIM_NONE) {
        return TP_E_UNKNOWN;
    }
    *answer = *ask;
    get_colour(s, model, room->colour);
    if (is_property(ask, "color")) {
        put_value(answer, room->colour, sizeof room->colour);
    } else if (is_property(ask, "color_rgba")) {
        snprintf(room->text, sizeof room->text, "%.3g %.3g %.3g %.3g", (double)room->colour[0],
                 (double)room->colour[1], (double)room->colour[2], (double)room->colour[3]);
        put_value(answer, room->text, strlen(room->text) + 1);
    } else if (is_property(ask, "delivered")) {
        snprintf(room->text, sizeof room->text, "%u", tpi_sim_delivered(s->world, model));
        put_value(answer, room->text, strlen(room->text) + 1);
    } else if (is_property(ask, "time")) {
        room->time_us = (uint64_t)tpi_sim_time_us(s->world);
        put_value(answer, &room->time_us, sizeof room->time_us);
    } else {
        return unknown_property(ask, err);
    }
    return TP_OK;
}

/* Whether all parts of a colour are from 0 to 1. No text is: its bytes make greater numbers. */
static bool is_colour(const float parts[COLOUR_PARTS])
{
    bool good = true;

    for (unsigned i = 0; i < COLOUR_PARTS; i++) {
        good = good && parts[i] >= 0 && parts[i] <= 1;
    }
    return good;
}

static uint32_t pack_colour(const float parts[COLOUR_PARTS])
{
    uint32_t colour = 0;

    for (unsigned i = 0; i < COLOUR_PARTS; i++) {
        colour |= (uint32_t)lrintf(parts[i] * 255) << (24 - 8 * i);
    }
    return colour;
}

/* Whether somebody has written it, as the name of a colour. */
static bool is_word(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < ' ' || *at > '~') {
            return false;
        }
    }
    return text[0] != '\0';
}

/* Four floats, or the name of a colour. */
static tp_status read_colour(const tp_simulation_property_req *ask, uint32_t *colour, tp_error *err)
{
    float parts[COLOUR_PARTS] = {-1};
    char text[MOST_TEXT] = "";

    if (ask->value_count == sizeof parts) {
        memcpy(parts, ask->value, sizeof parts);
    }
    if (is_colour(parts)) {
        *colour = pack_colour(parts);
        return TP_OK;
    }
    if (tpi_counted_copy(text, sizeof text, ask->value, ask->value_count) &&
        tpi_sim_colour_find(text, colour)) {
        return TP_OK;
    }
    if (is_word(text)) {
        const char *guess = tpi_sim_colour_guess(text);
        return tp_fail(err, TP_E_RANGE, "there is no colour \"%s\"%s%s%s", text,
                       guess == NULL ? "" : " (did you mean \"", guess == NULL ? "" : guess,
                       guess == NULL ? "" : "\"?)");
    }
    return tp_fail(err, TP_E_RANGE,
                   "a color is the name of one, or four floats from 0 to 1 in %zu bytes",
                   sizeof parts);
}

/* "1 0.5 0 1" */
static tp_status read_parts(const tp_simulation_property_req *ask, uint32_t *colour, tp_error *err)
{
    float parts[COLOUR_PARTS] = {-1};
    char text[MOST_TEXT] = "";
    char *at = text;

    (void)tpi_counted_copy(text, sizeof text, ask->value, ask->value_count);
    for (unsigned i = 0; i < COLOUR_PARTS; i++) {
        char *end = at;
        parts[i] = strtof(at, &end);
        parts[i] = end == at ? -1 : parts[i];
        at = end;
    }
    if (!is_colour(parts) || at[strspn(at, " ")] != '\0') {
        return tp_fail(err, TP_E_RANGE, "color_rgba is four numbers from 0 to 1, not \"%s\"", text);
    }
    *colour = pack_colour(parts);
    return TP_OK;
}

static tp_status set_property(tp_device *device, const tp_simulation_property_req *ask,
                              tp_error *err)
{
    const tpi_sim_model model = find(device, ask->name, ask->name_count, err);
    uint32_t colour = 0;
    tp_status status = TP_OK;

    if (model == TPI_SIM_NONE) {
        return TP_E_UNKNOWN;
    }
    if (is_property(ask, "color")) {
        status = read_colour(ask, &colour, err);
    } else if (is_property(ask, "color_rgba")) {
        status = read_parts(ask, &colour, err);
    } else if (is_property(ask, "time") || is_property(ask, "delivered")) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s cannot be set",
                       is_property(ask, "time") ? "time" : "delivered");
    } else {
        return unknown_property(ask, err);
    }
    if (status == TP_OK) {
        status = tpi_sim_set_colour(simd_of(device)->owner->world, model, colour, err);
        tpi_simd_scene_changed(simd_of(device)->owner);
    }
    return status;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status cmd_pause(tp_device *device, tp_error *err)
{
    simd *s = simd_of(device)->owner;

    (void)err;
    tpi_simd_set_paused(s, !s->pace.paused);
    return TP_OK;
}

static tp_status cmd_reset(tp_device *device, tp_error *err)
{
    return tpi_simd_reset(simd_of(device)->owner, err);
}

static tp_status cmd_save(tp_device *device, tp_error *err)
{
    return tpi_simd_save_start(simd_of(device)->owner, err);
}

static const tp_simulation_ops simulation_ops = {
    .req_get_pose2d = get_pose2d,
    .req_set_pose2d = set_pose2d,
    .req_get_pose3d = get_pose3d,
    .req_set_pose3d = set_pose3d,
    .req_get_property = get_property,
    .req_set_property = set_property,
    .cmd_pause = cmd_pause,
    .cmd_reset = cmd_reset,
    .cmd_save = cmd_save,
};

const simd_kind tpi_simd_objects[] = {
    {
        .interface = &tp_interface_simulation,
        .ops = &simulation_ops,
        .state_size = sizeof(struct simulation),
        .begin = tpi_simd_add_time,
    },
    {0},
};
