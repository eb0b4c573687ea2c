/* finders.c - blobfinder and fiducial: patches in a picture, and markers on the four walls. */
#include <math.h>

#include "fake.h"
#include "troupe/interfaces/blobfinder.h"
#include "troupe/interfaces/fiducial.h"

/* ---- blobfinder: patches that move on an ellipse --------------------------------------------- */

enum { WIDTH = 160, HEIGHT = 120, BLOBS = 2 }; /* the size of the camera's pictures */

static const double period_s = 10; /* time of one turn */

static tp_blobfinder_blob see_blob(const fake_device *d, uint32_t i)
{
    static const uint32_t colors[BLOBS] = {0xe31e1e, 0x1ee31e};
    fake_random fixed = {.state = d->origin};
    const double first = tpi_fake_random_between(&fixed, 0, 1);
    const double turns = first + tpi_fake_time_s(d) / period_s + (double)i / BLOBS;
    const double phase = 6.283185307179586 * turns;
    const uint32_t half = 5 + 3 * i;
    const uint32_t x = (uint32_t)(WIDTH / 2.0 + 50 * cos(phase));
    const uint32_t y = (uint32_t)(HEIGHT / 2.0 + 40 * sin(phase));

    return (tp_blobfinder_blob){.id = i,
                                .color = colors[i],
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
    tp_blobfinder_blob blobs[BLOBS] = {see_blob(d, 0), see_blob(d, 1)};
    const tp_blobfinder_data data = {
        .width = WIDTH, .height = HEIGHT, .blobs_count = BLOBS, .blobs = blobs};

    tp_publish(d->device, TP_BLOBFINDER_DATA_BLOBS, &data, 0);
}

/* ---- fiducial: markers on the four walls ----------------------------------------------------- */

enum { MARKERS = 4 };

struct markers {
    tp_fiducial_fov fov;
    tp_fiducial_item seen[MARKERS];
};

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

static const tp_fiducial_ops markers_ops = {
    .req_get_geom = markers_get_geom,
    .req_get_fov = markers_get_fov,
    .req_set_fov = markers_set_fov,
};

const fake_kind tpi_fake_finders[] = {
    {
        .interface = &tp_interface_blobfinder,
        .size = {.sw = 0.06, .sl = 0.1, .sh = 0.06},
        .publish = blobs_publish,
    },
    {
        .interface = &tp_interface_fiducial,
        .ops = &markers_ops,
        .state_size = sizeof(struct markers),
        .first = &(const struct markers){.fov = {.max_range = 8, .view_angle = 3.1415927f}},
        .size = {.sw = 0.15, .sl = 0.15, .sh = 0.2},
        .publish = markers_publish,
    },
    {0},
};
