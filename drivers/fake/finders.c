/* finders.c - blobfinder and fiducial: patches of colour that wander, markers on the walls. */
#include <math.h>

#include "fake.h"
#include "troupe/interfaces/blobfinder.h"
#include "troupe/interfaces/fiducial.h"

/* ---- blobfinder ------------------------------------------------------------------------------ */

enum { WIDTH = 320, HEIGHT = 240, BLOBS = 2, CHANNELS = 32 };

static const double period_s = 10; /* of the way of a patch through the picture */

struct blobs {
    tp_blobfinder_color_config channels[CHANNELS];
    tp_blobfinder_blob blobs[BLOBS];
    double time_s;
};

static tp_status blobs_begin(fake_device *d, tp_error *err)
{
    struct blobs *b = d->state;

    (void)err;
    for (uint32_t i = 0; i < CHANNELS; i++) {
        b->channels[i] = (tp_blobfinder_color_config){
            .channel = i,
            .rmin = i % 3 == 0 ? 200 : 0,
            .rmax = i % 3 == 0 ? 255 : 60,
            .gmin = i % 3 == 1 ? 200 : 0,
            .gmax = i % 3 == 1 ? 255 : 60,
            .bmin = i % 3 == 2 ? 200 : 0,
            .bmax = i % 3 == 2 ? 255 : 60,
        };
    }
    b->time_s = tpi_fake_random_between(&d->random, 0, period_s);
    return TP_OK;
}

static void blobs_advance(fake_device *d, double dt_s)
{
    struct blobs *b = d->state;

    b->time_s = fmod(b->time_s + dt_s, period_s);
}

/* A patch has the middle of the colours of its channel. */
static uint32_t colour_of(const tp_blobfinder_color_config *c)
{
    const uint32_t red = (c->rmin + c->rmax) / 2 & 255;
    const uint32_t green = (c->gmin + c->gmax) / 2 & 255;
    const uint32_t blue = (c->bmin + c->bmax) / 2 & 255;

    return red << 16 | green << 8 | blue;
}

static tp_blobfinder_blob see_blob(const struct blobs *b, uint32_t i)
{
    const double phase = 6.283185307179586 * (b->time_s / period_s + (double)i / BLOBS);
    const uint32_t half = 10 + 5 * i;
    const uint32_t x = (uint32_t)(WIDTH / 2.0 + 100 * cos(phase));
    const uint32_t y = (uint32_t)(HEIGHT / 2.0 + 80 * sin(phase));

    return (tp_blobfinder_blob){.id = i,
                                .color = colour_of(&b->channels[i]),
                                .area = 4 * half * half,
                                .x = x,
                                .y = y,
                                .left = x - half,
                                .right = x + half,
                                .top = y - half,
                                .bottom = y + half,
                                .range = (float)(2 + i)};
}

static void blobs_publish(fake_device *d)
{
    struct blobs *b = d->state;
    const tp_blobfinder_data data = {
        .width = WIDTH, .height = HEIGHT, .blobs_count = BLOBS, .blobs = b->blobs};

    for (uint32_t i = 0; i < BLOBS; i++) {
        b->blobs[i] = see_blob(b, i);
    }
    tp_publish(d->device, TP_BLOBFINDER_DATA_BLOBS, &data, 0);
}

static bool is_part(uint32_t low, uint32_t high)
{
    return low <= high && high <= 255;
}

/* All parts 0xffffffff: take the colour that it sees now. */
static bool is_automatic(const tp_blobfinder_color_config *c)
{
    return (c->rmin & c->rmax & c->gmin & c->gmax & c->bmin & c->bmax) == UINT32_MAX;
}

static tp_status blobs_set_color(tp_device *device, const tp_blobfinder_color_config *ask,
                                 tp_error *err)
{
    struct blobs *b = fake_state(device);

    if (ask->channel >= CHANNELS) {
        return tp_fail(err, TP_E_RANGE, "there is no channel %u", ask->channel);
    }
    if (is_automatic(ask)) {
        return TP_OK;
    }
    if (!is_part(ask->rmin, ask->rmax) || !is_part(ask->gmin, ask->gmax) ||
        !is_part(ask->bmin, ask->bmax)) {
        return tp_fail(err, TP_E_RANGE, "parts of a colour go from 0 to 255");
    }
    b->channels[ask->channel] = *ask;
    return TP_OK;
}

static tp_status blobs_get_color(tp_device *device, const tp_blobfinder_color_config *ask,
                                 tp_blobfinder_color_config *answer, tp_error *err)
{
    const struct blobs *b = fake_state(device);

    if (ask->channel >= CHANNELS) {
        return tp_fail(err, TP_E_RANGE, "there is no channel %u", ask->channel);
    }
    *answer = b->channels[ask->channel];
    return TP_OK;
}

static const tp_blobfinder_ops blobs_ops = {
    .req_set_color = blobs_set_color,
    .req_get_color = blobs_get_color,
};

/* ---- fiducial: markers on the four walls ----------------------------------------------------- */

enum { MARKERS = 4 };

struct markers {
    tp_fiducial_fov fov;
    uint32_t own;
    tp_fiducial_item seen[MARKERS];
};

static tp_status markers_begin(fake_device *d, tp_error *err)
{
    struct markers *m = d->state;

    (void)err;
    m->fov = (tp_fiducial_fov){.min_range = 0, .max_range = 8, .view_angle = 3.1415927f};
    m->own = tp_device_addr(d->device)->index + 1u;
    return TP_OK;
}

/* A marker in the middle of a wall, facing the room. */
static tp_pose2d marker_pose(const fake_room *room, unsigned i)
{
    static const double x[MARKERS] = {1, 0, -1, 0};
    static const double y[MARKERS] = {0, 1, 0, -1};

    return (tp_pose2d){
        .px = x[i] * room->half_x, .py = y[i] * room->half_y, .pa = atan2(-y[i], -x[i])};
}

/* Look at a marker; false if it is out of view. */
static bool look_at(fake_device *d, unsigned i, tp_fiducial_item *item)
{
    const struct markers *m = d->state;
    const tp_pose2d eye = tpi_fake_eye(d);
    const tp_pose2d marker = marker_pose(&d->owner->room, i);
    const double range = hypot(marker.px - eye.px, marker.py - eye.py);
    const double bearing = tpi_fake_angle(atan2(marker.py - eye.py, marker.px - eye.px) - eye.pa);

    if (range < (double)m->fov.min_range || range > (double)m->fov.max_range ||
        fabs(bearing) > (double)m->fov.view_angle / 2) {
        return false;
    }
    *item = (tp_fiducial_item){
        .id = (int32_t)i + 1,
        .pose = {.px = tpi_fake_measure(d, range * cos(bearing)),
                 .py = tpi_fake_measure(d, range * sin(bearing)),
                 .pyaw = tpi_fake_angle(marker.pa - eye.pa)},
        .upose = {.px = d->owner->noise, .py = d->owner->noise},
    };
    return true;
}

static void markers_publish(fake_device *d)
{
    struct markers *m = d->state;
    tp_fiducial_data data = {.fiducials = m->seen};

    for (unsigned i = 0; i < MARKERS; i++) {
        if (look_at(d, i, &m->seen[data.fiducials_count])) {
            data.fiducials_count++;
        }
    }
    tp_publish(d->device, TP_FIDUCIAL_DATA_SCAN, &data, 0);
}

static tp_status markers_get_geom(tp_device *device, tp_fiducial_geom *answer, tp_error *err)
{
    (void)err;
    answer->pose = tpi_fake_pose(fake_of(device));
    answer->size = tpi_fake_size(fake_of(device));
    answer->fiducial_size = (tp_bbox2d){.sw = 0.2, .sl = 0.02};
    return TP_OK;
}

static tp_status markers_get_fov(tp_device *device, tp_fiducial_fov *answer, tp_error *err)
{
    (void)err;
    *answer = ((const struct markers *)fake_state(device))->fov;
    return TP_OK;
}

static tp_status markers_set_fov(tp_device *device, const tp_fiducial_fov *ask, tp_error *err)
{
    struct markers *m = fake_state(device);

    if (!(ask->min_range >= 0 && ask->max_range >= ask->min_range && ask->view_angle >= 0)) {
        return tp_fail(err, TP_E_RANGE, "such a view is empty");
    }
    m->fov = *ask;
    return TP_OK;
}

static tp_status markers_get_id(tp_device *device, tp_fiducial_id *answer, tp_error *err)
{
    (void)err;
    answer->id = ((const struct markers *)fake_state(device))->own;
    return TP_OK;
}

static tp_status markers_set_id(tp_device *device, const tp_fiducial_id *ask,
                                tp_fiducial_id *answer, tp_error *err)
{
    ((struct markers *)fake_state(device))->own = ask->id;
    return markers_get_id(device, answer, err);
}

static const tp_fiducial_ops markers_ops = {
    .req_get_geom = markers_get_geom,
    .req_get_fov = markers_get_fov,
    .req_set_fov = markers_set_fov,
    .req_get_id = markers_get_id,
    .req_set_id = markers_set_id,
};

const fake_kind tpi_fake_finders[] = {
    {
        .interface = &tp_interface_blobfinder,
        .ops = &blobs_ops,
        .state_size = sizeof(struct blobs),
        .size = {.sw = 0.06, .sl = 0.1, .sh = 0.06},
        .publishes = 1u << TP_BLOBFINDER_DATA_BLOBS,
        .begin = blobs_begin,
        .advance = blobs_advance,
        .publish = blobs_publish,
    },
    {
        .interface = &tp_interface_fiducial,
        .ops = &markers_ops,
        .state_size = sizeof(struct markers),
        .size = {.sw = 0.15, .sl = 0.15, .sh = 0.2},
        .publishes = 1u << TP_FIDUCIAL_DATA_SCAN,
        .begin = markers_begin,
        .publish = markers_publish,
    },
    {0},
};
