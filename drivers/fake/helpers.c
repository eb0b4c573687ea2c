/* helpers.c - log, opaque, graphics2d, graphics3d: devices that mostly take what they are given. */
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "troupe/interfaces/graphics2d.h"
#include "troupe/interfaces/graphics3d.h"
#include "troupe/interfaces/log.h"
#include "troupe/interfaces/opaque.h"

/* ---- log ------------------------------------------------------------------------------------- */

struct log {
    tp_log_get_state now;
};

static tp_status log_begin(fake_device *d, tp_error *err)
{
    (void)err;
    ((struct log *)d->state)->now.type = TP_LOG_TYPE_WRITE;
    return TP_OK;
}

static tp_status log_write(tp_device *device, const tp_log_set_write_state *ask, tp_error *err)
{
    (void)err;
    ((struct log *)fake_state(device))->now =
        (tp_log_get_state){.type = TP_LOG_TYPE_WRITE, .state = ask->state};
    return TP_OK;
}

static tp_status log_read(tp_device *device, const tp_log_set_read_state *ask, tp_error *err)
{
    (void)err;
    ((struct log *)fake_state(device))->now =
        (tp_log_get_state){.type = TP_LOG_TYPE_READ, .state = ask->state};
    return TP_OK;
}

static tp_status log_get(tp_device *device, tp_log_get_state *answer, tp_error *err)
{
    (void)err;
    *answer = ((const struct log *)fake_state(device))->now;
    return TP_OK;
}

static tp_status log_rewind(tp_device *device, tp_error *err)
{
    (void)device;
    (void)err;
    return TP_OK; /* there is nothing in the file */
}

static tp_status log_filename(tp_device *device, const tp_log_set_filename *ask, tp_error *err)
{
    const struct log *log = fake_state(device);

    if (log->now.type == TP_LOG_TYPE_WRITE && log->now.state != 0) {
        return tp_fail(err, TP_E_DENIED, "it records, so the file stays as it is");
    }
    return ask->filename_count > 0 ? TP_OK : tp_fail(err, TP_E_INVALID, "the file has no name");
}

static const tp_log_ops log_ops = {
    .req_set_write_state = log_write,
    .req_set_read_state = log_read,
    .req_get_state = log_get,
    .req_set_read_rewind = log_rewind,
    .req_set_filename = log_filename,
};

/* ---- opaque: sends what it was sent last, and answers with what it is asked ------------------ */

enum { MOST_BYTES = 1 << 16, FIRST_BYTES = 8 };

struct opaque {
    tp_opaque_data *last; /* owned, one block */
};

static tp_status opaque_keep(struct opaque *o, const tp_opaque_data *data, tp_error *err)
{
    void *copy = NULL;

    if (data->data_count > MOST_BYTES) {
        return tp_fail(err, TP_E_LIMIT, "%u bytes are more than %d", data->data_count, MOST_BYTES);
    }
    if (tp_value_copy(&copy, &tp_desc_opaque_data, data, NULL) != TP_OK) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    free(o->last);
    o->last = copy;
    return TP_OK;
}

static tp_status opaque_begin(fake_device *d, tp_error *err)
{
    uint8_t bytes[FIRST_BYTES];
    const tp_opaque_data data = {.data_count = FIRST_BYTES, .data = bytes};

    for (size_t i = 0; i < FIRST_BYTES; i++) {
        bytes[i] = (uint8_t)tpi_fake_random_below(&d->random, 256);
    }
    return opaque_keep(d->state, &data, err);
}

static void opaque_end(fake_device *d)
{
    free(((struct opaque *)d->state)->last);
}

static void opaque_publish(fake_device *d)
{
    tp_publish(d->device, TP_OPAQUE_DATA_STATE, ((struct opaque *)d->state)->last, 0);
}

static tp_status opaque_command(tp_device *device, const tp_opaque_data *ask, tp_error *err)
{
    return opaque_keep(fake_state(device), ask, err);
}

static tp_status opaque_request(tp_device *device, const tp_opaque_data *ask,
                                tp_opaque_data *answer, tp_error *err)
{
    (void)device;
    (void)err;
    *answer = *ask;
    return TP_OK;
}

static const tp_opaque_ops opaque_ops = {.cmd_data = opaque_command, .req_data = opaque_request};

/* ---- graphics: there is nobody to look at it ------------------------------------------------- */

static tp_status flat_clear(tp_device *device, tp_error *err)
{
    (void)device;
    (void)err;
    return TP_OK;
}

static tp_status flat_points(tp_device *device, const tp_graphics2d_cmd_points *ask, tp_error *err)
{
    (void)ask;
    return flat_clear(device, err);
}

static tp_status flat_polyline(tp_device *device, const tp_graphics2d_cmd_polyline *ask,
                               tp_error *err)
{
    (void)ask;
    return flat_clear(device, err);
}

static tp_status flat_polygon(tp_device *device, const tp_graphics2d_cmd_polygon *ask,
                              tp_error *err)
{
    (void)ask;
    return flat_clear(device, err);
}

static tp_status flat_multiline(tp_device *device, const tp_graphics2d_cmd_multiline *ask,
                                tp_error *err)
{
    (void)device;
    return ask->points_count % 2 == 0
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "%u points are no pairs", ask->points_count);
}

static const tp_graphics2d_ops flat_ops = {
    .cmd_clear = flat_clear,
    .cmd_points = flat_points,
    .cmd_polyline = flat_polyline,
    .cmd_polygon = flat_polygon,
    .cmd_multiline = flat_multiline,
};

enum { MOST_FRAMES = 64 };

struct scene {
    unsigned frames; /* remembered */
};

static tp_status deep_clear(tp_device *device, tp_error *err)
{
    (void)err;
    ((struct scene *)fake_state(device))->frames = 0;
    return TP_OK;
}

static tp_status deep_draw(tp_device *device, const tp_graphics3d_cmd_draw *ask, tp_error *err)
{
    (void)device;
    return ask->draw_mode <= TP_DRAW_POLYGON
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "there is no way %u to draw", ask->draw_mode);
}

static tp_status deep_translate(tp_device *device, const tp_graphics3d_cmd_translate *ask,
                                tp_error *err)
{
    (void)device;
    return tpi_fake_check_finite(&ask->x, 3, "the movement", err);
}

static tp_status deep_rotate(tp_device *device, const tp_graphics3d_cmd_rotate *ask, tp_error *err)
{
    (void)device;
    return tpi_fake_check_finite(&ask->a, 4, "the rotation", err);
}

static tp_status deep_push(tp_device *device, tp_error *err)
{
    struct scene *scene = fake_state(device);

    if (scene->frames == MOST_FRAMES) {
        return tp_fail(err, TP_E_LIMIT, "%d frames are remembered already", MOST_FRAMES);
    }
    scene->frames++;
    return TP_OK;
}

static tp_status deep_pop(tp_device *device, tp_error *err)
{
    struct scene *scene = fake_state(device);

    if (scene->frames == 0) {
        return tp_fail(err, TP_E_INVALID, "no frame is remembered");
    }
    scene->frames--;
    return TP_OK;
}

static const tp_graphics3d_ops deep_ops = {
    .cmd_clear = deep_clear,
    .cmd_draw = deep_draw,
    .cmd_translate = deep_translate,
    .cmd_rotate = deep_rotate,
    .cmd_push = deep_push,
    .cmd_pop = deep_pop,
};

const fake_kind tpi_fake_helpers[] = {
    {
        .interface = &tp_interface_log,
        .ops = &log_ops,
        .state_size = sizeof(struct log),
        .begin = log_begin,
    },
    {
        .interface = &tp_interface_opaque,
        .ops = &opaque_ops,
        .state_size = sizeof(struct opaque),
        .publishes = 1u << TP_OPAQUE_DATA_STATE,
        .begin = opaque_begin,
        .publish = opaque_publish,
        .end = opaque_end,
    },
    {
        .interface = &tp_interface_graphics2d,
        .ops = &flat_ops,
    },
    {
        .interface = &tp_interface_graphics3d,
        .ops = &deep_ops,
        .state_size = sizeof(struct scene),
    },
    {0},
};
