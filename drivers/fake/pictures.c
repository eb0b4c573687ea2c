/* pictures.c - camera, stereo and pointcloud3d: a test picture, and points on the walls. */
#include <math.h>
#include <string.h>

#include "fake.h"
#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/pointcloud3d.h"
#include "troupe/interfaces/stereo.h"

enum { WIDTH = 160, HEIGHT = 120, BARS = 8, SQUARE = 16, SOURCES = 4 };
enum { POINTS = 91, LAYERS = 3, CLOUD = POINTS * LAYERS };

/* ---- The test picture: colour bars and a square that wanders through them -------------------- */

/* The usual order of bars: from white to black, each a sum of red, green and blue or not. */
static void put_bar(uint8_t *pixel, unsigned x, unsigned width)
{
    const unsigned bar = BARS - 1 - x * BARS / width;

    pixel[0] = bar & 2 ? 255 : 0;
    pixel[1] = bar & 4 ? 255 : 0;
    pixel[2] = bar & 1 ? 255 : 0;
}

/* `shift` moves the square to the left, as a second eye would see it. */
static void draw(uint8_t *image, unsigned width, unsigned height, unsigned number, unsigned shift)
{
    const unsigned left = (number * 2 + width - shift) % width;
    const unsigned top = number % (height - SQUARE);

    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            uint8_t *pixel = &image[((size_t)y * width + x) * 3];
            const bool inside = (x + width - left) % width < SQUARE && y >= top && y < top + SQUARE;
            put_bar(pixel, x, width);
            if (inside) {
                memset(pixel, 128, 3);
            }
        }
    }
}

static tp_camera_data colour_picture(uint8_t *image, unsigned width, unsigned height)
{
    return (tp_camera_data){.width = width,
                            .height = height,
                            .bpp = 24,
                            .format = TP_CAMERA_FORMAT_RGB888,
                            .fdiv = 1,
                            .compression = TP_CAMERA_COMPRESS_RAW,
                            .image_count = width * height * 3,
                            .image = image};
}

/* ---- camera ---------------------------------------------------------------------------------- */

struct camera {
    uint8_t image[WIDTH * HEIGHT * 3];
    char norm[8];
    int32_t source;
    unsigned number; /* of the picture */
};

static tp_camera_data camera_take(struct camera *c)
{
    draw(c->image, WIDTH, HEIGHT, c->number++, 0);
    return colour_picture(c->image, WIDTH, HEIGHT);
}

static void camera_publish(fake_device *d)
{
    const tp_camera_data data = camera_take(d->state);

    tp_publish(d->device, TP_CAMERA_DATA_STATE, &data, 0);
}

static tp_status camera_get_image(tp_device *device, tp_camera_data *answer, tp_error *err)
{
    (void)err;
    *answer = camera_take(fake_state(device));
    return TP_OK;
}

static tp_status camera_get_source(tp_device *device, tp_camera_source *answer, tp_error *err)
{
    struct camera *c = fake_state(device);

    (void)err;
    answer->norm = c->norm;
    answer->norm_count = tpi_counted_size(c->norm);
    answer->source = c->source;
    return TP_OK;
}

static tp_status camera_set_source(tp_device *device, const tp_camera_source *ask, tp_error *err)
{
    static const char *const norms[] = {"NTSC", "PAL", "SECAM", "UNKNOWN"};
    struct camera *c = fake_state(device);

    if (ask->source < 0 || ask->source >= SOURCES) {
        return tp_fail(err, TP_E_RANGE, "there is no input %d", ask->source);
    }
    for (size_t i = 0; i < sizeof norms / sizeof norms[0]; i++) {
        if (tpi_counted_is(ask->norm, ask->norm_count, norms[i])) {
            tpi_counted_copy(c->norm, sizeof c->norm, norms[i], tpi_counted_size(norms[i]));
            c->source = ask->source;
            return TP_OK;
        }
    }
    return tp_fail(err, TP_E_UNKNOWN, "the norm is not one of NTSC, PAL, SECAM and UNKNOWN");
}

static const tp_camera_ops camera_ops = {
    .req_get_source = camera_get_source,
    .req_set_source = camera_set_source,
    .req_get_image = camera_get_image,
};

/* ---- pointcloud3d: where rays meet the walls, at three heights ------------------------------- */

struct cloud {
    tp_pointcloud3d_element points[CLOUD];
};

/* The i-th of the rays that spread over the view, in the frame of the device. */
static void cast(fake_device *d, size_t i, double *x, double *y)
{
    const tp_pose2d eye = tpi_fake_eye(d);
    const double angle = ((double)i / (POINTS - 1) - 0.5) * 2;
    const double range = tpi_fake_measure(d, tpi_fake_room_ray(&d->owner->room, &eye, angle, 30));

    *x = range * cos(angle);
    *y = range * sin(angle);
}

static void cloud_publish(fake_device *d)
{
    struct cloud *c = d->state;
    const tp_pointcloud3d_data data = {.points_count = CLOUD, .points = c->points};

    for (size_t i = 0; i < CLOUD; i++) {
        tp_pointcloud3d_element *e = &c->points[i];
        const size_t layer = i / POINTS;
        cast(d, i % POINTS, &e->point.px, &e->point.py);
        e->point.pz = 0.4 * (double)layer;
        e->color = (tp_color){.alpha = 255,
                              .red = (uint8_t)(80 * layer),
                              .green = 160,
                              .blue = (uint8_t)(200 - 80 * layer)};
    }
    tp_publish(d->device, TP_POINTCLOUD3D_DATA_STATE, &data, 0);
}

/* ---- stereo ---------------------------------------------------------------------------------- */

enum { EYE_WIDTH = 80, EYE_HEIGHT = 60, SHIFT = 4 };

struct stereo {
    uint8_t left[EYE_WIDTH * EYE_HEIGHT * 3];
    uint8_t right[EYE_WIDTH * EYE_HEIGHT * 3];
    uint8_t disparity[EYE_WIDTH * EYE_HEIGHT];
    tp_pointcloud3d_stereo_element points[POINTS];
    unsigned number;
};

static void stereo_look(fake_device *d)
{
    struct stereo *s = d->state;

    draw(s->left, EYE_WIDTH, EYE_HEIGHT, s->number, 0);
    draw(s->right, EYE_WIDTH, EYE_HEIGHT, s->number, SHIFT);
    memset(s->disparity, SHIFT * 16, sizeof s->disparity);
    s->number++;
    for (size_t i = 0; i < POINTS; i++) {
        double x;
        double y;
        cast(d, i, &x, &y);
        s->points[i] = (tp_pointcloud3d_stereo_element){
            .px = (float)x, .py = (float)y, .red = 128, .green = 128, .blue = 128};
    }
}

/* Mode: bits for left, right, disparity and points. */
static void stereo_publish(fake_device *d)
{
    struct stereo *s = d->state;

    stereo_look(d);
    const tp_stereo_data data = {
        .left_channel = colour_picture(s->left, EYE_WIDTH, EYE_HEIGHT),
        .right_channel = colour_picture(s->right, EYE_WIDTH, EYE_HEIGHT),
        .disparity = {.width = EYE_WIDTH,
                      .height = EYE_HEIGHT,
                      .bpp = 8,
                      .format = TP_CAMERA_FORMAT_MONO8,
                      .fdiv = 16,
                      .compression = TP_CAMERA_COMPRESS_RAW,
                      .image_count = sizeof s->disparity,
                      .image = s->disparity},
        .points_count = POINTS,
        .points = s->points,
        .mode = 15,
    };
    tp_publish(d->device, TP_STEREO_DATA_STATE, &data, 0);
}

static const tp_property_plan camera_properties[] = {
    {"width", TP_PROPERTY_INT, false, "px", "Width of a picture.", "160", NULL},
    {"height", TP_PROPERTY_INT, false, "px", "Height of a picture.", "120", NULL},
    {0},
};

const fake_kind tpi_fake_pictures[] = {
    {
        .interface = &tp_interface_camera,
        .ops = &camera_ops,
        .state_size = sizeof(struct camera),
        .first = &(const struct camera){.norm = "UNKNOWN"},
        .size = {.sw = 0.06, .sl = 0.1, .sh = 0.06},
        .properties = camera_properties,
        .publish = camera_publish,
    },
    {
        .interface = &tp_interface_pointcloud3d,
        .state_size = sizeof(struct cloud),
        .size = {.sw = 0.2, .sl = 0.1, .sh = 0.1},
        .publish = cloud_publish,
    },
    {
        .interface = &tp_interface_stereo,
        .state_size = sizeof(struct stereo),
        .size = {.sw = 0.15, .sl = 0.05, .sh = 0.05},
        .publish = stereo_publish,
    },
    {0},
};
