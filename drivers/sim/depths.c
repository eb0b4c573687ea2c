/*
 * depths.c - how far away is what a camera sees: a camera of depths, and points in space.
 *
 * A picture of depths is a `camera` with the key "depth", as some drivers of Player have it: 16
 * bits for each pixel, in millimetres. As points it is a `pointcloud3d`. Both are views of the
 * picture that the camera takes anyway.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/sense/sensors.h"
#include "simulator.h"
#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/pointcloud3d.h"

/* ---- Pictures -------------------------------------------------------------------------------- */

enum { PER_METRE = 1000, FARTHEST = 65535 };

struct depths {
    uint8_t *pixels; /* owned; NULL until somebody wants them */
};

/* Whether there is room for the picture; asked for once, since most cameras are never asked. */
static bool has_pixels(struct depths *depths, const tpi_sim_image *image)
{
    if (depths->pixels == NULL) {
        depths->pixels = calloc((size_t)image->width * image->height + 1, 2);
    }
    return depths->pixels != NULL;
}

static bool take_depths(const simd_device *d, tp_camera_data *data, int64_t *time_us)
{
    struct depths *depths = d->state;
    tpi_sim_image image;

    if (tpi_sim_get_image(d->owner->world, d->model, &image, NULL) != TP_OK ||
        !has_pixels(depths, &image)) {
        return false;
    }
    const uint32_t count = image.width * image.height;
    for (uint32_t i = 0; i < count; i++) {
        const double value = fmin(rint((double)image.depth[i] * PER_METRE), FARTHEST);
        depths->pixels[2 * i] = (uint8_t)((uint32_t)value >> 8);
        depths->pixels[2 * i + 1] = (uint8_t)((uint32_t)value & 0xff);
    }
    *time_us = image.time_us;
    *data = (tp_camera_data){
        .width = image.width,
        .height = image.height,
        .bpp = 16,
        .format = TP_CAMERA_FORMAT_MONO16,
        .fdiv = PER_METRE,
        .compression = TP_CAMERA_COMPRESS_RAW,
        .image_count = count * 2,
        .image = depths->pixels,
    };
    return true;
}

static void depths_publish(simd_device *d)
{
    tp_camera_data data;
    tpi_sim_image image;
    int64_t time_us = -1;

    if (tpi_sim_get_image(d->owner->world, d->model, &image, NULL) == TP_OK &&
        tpi_simd_is_new(d, image.time_us) && take_depths(d, &data, &time_us)) {
        tp_publish(d->device, TP_CAMERA_DATA_STATE, &data, (double)time_us / 1e6);
    }
}

static tp_status depths_image(tp_device *device, tp_camera_data *answer, tp_error *err)
{
    int64_t time_us = -1;

    return take_depths(simd_of(device), answer, &time_us) && time_us >= 0
               ? TP_OK
               : tp_fail(err, TP_E_LIMIT, "there is no picture yet");
}

static void depths_end(simd_device *d)
{
    free(((struct depths *)d->state)->pixels);
}

static const tp_camera_ops depths_ops = {.req_get_image = depths_image};

/* Where everything is offered, the camera is the one with colours. */
static bool only_by_key(const simd *s, tpi_sim_model model)
{
    (void)s;
    (void)model;
    return false;
}

/* ---- Points ---------------------------------------------------------------------------------- */

enum { MOST_POINTS = 100000 };

struct points {
    tp_pointcloud3d_element *items; /* owned; NULL until somebody wants them */
};

/* Of a large picture every second, third ... pixel of every such row. */
static uint32_t stride_of(const tpi_sim_image *image)
{
    uint32_t stride = 1;

    while ((uint64_t)((image->width - 1) / stride + 1) * ((image->height - 1) / stride + 1) >
           MOST_POINTS) {
        stride++;
    }
    return stride;
}

static tp_pointcloud3d_element point_at(const tpi_sim_image *image, uint32_t column, uint32_t row)
{
    const uint32_t pixel = row * image->width + column;
    const uint8_t *rgb = image->rgb + (size_t)pixel * 3;
    const double depth = (double)image->depth[pixel];
    const double left = depth * (1 - (2.0 * column + 1) / image->width) * image->across;
    const double up = depth * (image->rise + (1 - (2.0 * row + 1) / image->height) * image->up);
    const double c = cos(image->pan);
    const double s = sin(image->pan);

    return (tp_pointcloud3d_element){
        .point = {.px = c * depth - s * left, .py = s * depth + c * left, .pz = image->eye + up},
        .color = {.alpha = 255, .red = rgb[0], .green = rgb[1], .blue = rgb[2]}};
}

static void points_publish(simd_device *d)
{
    struct points *points = d->state;
    tp_pointcloud3d_data data = {0};
    tpi_sim_image image;

    if (tpi_sim_get_image(d->owner->world, d->model, &image, NULL) != TP_OK ||
        !tpi_simd_is_new(d, image.time_us)) {
        return;
    }
    if (points->items == NULL) {
        points->items = calloc(MOST_POINTS, sizeof *points->items);
    }
    const uint32_t stride = stride_of(&image);
    for (uint32_t row = 0; points->items != NULL && row < image.height; row += stride) {
        for (uint32_t column = 0; column < image.width; column += stride) {
            if (image.depth[row * image.width + column] > 0) {
                points->items[data.points_count++] = point_at(&image, column, row);
            }
        }
    }
    data.points = points->items;
    tp_publish(d->device, TP_POINTCLOUD3D_DATA_STATE, &data, (double)image.time_us / 1e6);
}

static void points_end(simd_device *d)
{
    free(((struct points *)d->state)->items);
}

/* ---- The rows -------------------------------------------------------------------------------- */

/* `end` follows `begin`. */
static tp_status begin(simd_device *d, tp_error *err)
{
    (void)d;
    (void)err;
    return TP_OK;
}

const simd_kind tpi_simd_depths[] = {
    {
        .interface = &tp_interface_camera,
        .ops = &depths_ops,
        .models = SIMD_MODEL(CAMERA),
        .key = "depth",
        .state_size = sizeof(struct depths),
        .suits = only_by_key,
        .begin = begin,
        .publish = depths_publish,
        .end = depths_end,
    },
    {
        .interface = &tp_interface_pointcloud3d,
        .models = SIMD_MODEL(CAMERA),
        .state_size = sizeof(struct points),
        .begin = begin,
        .publish = points_publish,
        .end = points_end,
    },
    {0},
};
