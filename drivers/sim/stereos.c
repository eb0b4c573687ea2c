/*
 * stereos.c - stereo: two pictures, the disparity between them and the points that follow from it.
 *
 * The disparity is that of the left picture, as the depths give it: 16 bits for each pixel, in 1/16
 * of a pixel, 0 for nothing. Points are in the frame of the model, as those of pointcloud3d are.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/sense/sensors.h"
#include "simulator.h"
#include "troupe/interfaces/stereo.h"

enum { PER_PIXEL = 16, LARGEST = 65535, MOST_POINTS = 60000 };
enum { HAS_LEFT = 1, HAS_RIGHT = 2, HAS_DISPARITY = 4, HAS_POINTS = 8 };

struct stereo {
    uint8_t *disparity;                     /* owned; NULL until the first picture */
    tp_pointcloud3d_stereo_element *points; /* owned; likewise */
};

/* Whether there is room for what follows from the pictures. */
static bool has_room(struct stereo *s, const tpi_sim_image *image)
{
    if (s->disparity == NULL) {
        s->disparity = calloc((size_t)image->width * image->height + 1, 2);
    }
    if (s->points == NULL) {
        s->points = calloc(MOST_POINTS, sizeof *s->points);
    }
    return s->disparity != NULL && s->points != NULL;
}

static tp_camera_data picture_of(const tpi_sim_image *image)
{
    return (tp_camera_data){
        .width = image->width,
        .height = image->height,
        .bpp = 24,
        .format = TP_CAMERA_FORMAT_RGB888,
        .fdiv = 1,
        .compression = TP_CAMERA_COMPRESS_RAW,
        .image_count = image->width * image->height * 3,
        .image = (uint8_t *)(uintptr_t)image->rgb,
    };
}

static tp_camera_data disparity_of(const struct stereo *s, const tpi_sim_stereo *seen)
{
    const tpi_sim_image *image = &seen->left;
    const uint32_t count = image->width * image->height;
    const double focal = image->width / 2.0 / image->across; /* pixels */

    for (uint32_t i = 0; i < count; i++) {
        const double depth = (double)image->depth[i];
        const double shift = depth > 0 ? focal * seen->baseline / depth * PER_PIXEL : 0;
        const uint32_t value = (uint32_t)fmin(rint(shift), LARGEST);
        s->disparity[2 * i] = (uint8_t)(value >> 8);
        s->disparity[2 * i + 1] = (uint8_t)(value & 0xff);
    }
    return (tp_camera_data){
        .width = image->width,
        .height = image->height,
        .bpp = 16,
        .format = TP_CAMERA_FORMAT_MONO16,
        .fdiv = PER_PIXEL,
        .compression = TP_CAMERA_COMPRESS_RAW,
        .image_count = count * 2,
        .image = s->disparity,
    };
}

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

static tp_pointcloud3d_stereo_element point_at(const tpi_sim_stereo *seen, uint32_t column,
                                               uint32_t row)
{
    const tpi_sim_image *image = &seen->left;
    const uint32_t pixel = row * image->width + column;
    const uint8_t *rgb = image->rgb + (size_t)pixel * 3;
    const double depth = (double)image->depth[pixel];
    const double left =
        seen->baseline / 2 + depth * (1 - (2.0 * column + 1) / image->width) * image->across;
    const double up = depth * (image->rise + (1 - (2.0 * row + 1) / image->height) * image->up);
    const double c = cos(image->pan);
    const double s = sin(image->pan);

    return (tp_pointcloud3d_stereo_element){.px = (float)(c * depth - s * left),
                                            .py = (float)(s * depth + c * left),
                                            .pz = (float)(image->eye + up),
                                            .red = rgb[0],
                                            .green = rgb[1],
                                            .blue = rgb[2]};
}

static uint32_t find_points(const struct stereo *s, const tpi_sim_stereo *seen)
{
    const tpi_sim_image *image = &seen->left;
    const uint32_t stride = stride_of(image);
    uint32_t count = 0;

    for (uint32_t row = 0; row < image->height; row += stride) {
        for (uint32_t column = 0; column < image->width; column += stride) {
            if (image->depth[row * image->width + column] > 0) {
                s->points[count++] = point_at(seen, column, row);
            }
        }
    }
    return count;
}

static void stereo_publish(simd_device *d)
{
    struct stereo *s = d->state;
    tpi_sim_stereo seen;

    if (tpi_sim_get_stereo(d->owner->world, d->model, &seen, NULL) != TP_OK ||
        !tpi_simd_is_new(d, seen.left.time_us) || !has_room(s, &seen.left)) {
        return;
    }
    const tp_stereo_data data = {
        .left_channel = picture_of(&seen.left),
        .right_channel = picture_of(&seen.right),
        .disparity = disparity_of(s, &seen),
        .points_count = find_points(s, &seen),
        .points = s->points,
        .mode = HAS_LEFT | HAS_RIGHT | HAS_DISPARITY | HAS_POINTS,
    };
    tp_publish(d->device, TP_STEREO_DATA_STATE, &data, (double)seen.left.time_us / 1e6);
}

static tp_status stereo_begin(simd_device *d, tp_error *err)
{
    (void)d; /* `end` follows `begin` */
    (void)err;
    return TP_OK;
}

static void stereo_end(simd_device *d)
{
    struct stereo *s = d->state;

    free(s->disparity);
    free(s->points);
}

const simd_kind tpi_simd_stereos[] = {
    {
        .interface = &tp_interface_stereo,
        .models = SIMD_MODEL(STEREO),
        .state_size = sizeof(struct stereo),
        .begin = stereo_begin,
        .publish = stereo_publish,
        .end = stereo_end,
    },
    {0},
};
