/* rangers.c - sonar, ir and bumper: sensors that sit around the robot and look outwards. */
#include <math.h>

#include "fake.h"
#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/ir.h"
#include "troupe/interfaces/sonar.h"

enum { SENSORS = 8, BUMPERS = 5 };

static const double circle = 6.283185307179586;
static const double most_m = 5;
static const double touch_m = 0.3; /* from the centre of the robot */

struct ring {
    float ranges[SENSORS];
    float voltages[SENSORS];
    tp_pose3d poses[SENSORS];
};

static const tp_property_plan ring_properties[] = {
    {"min_range", TP_PROPERTY_DOUBLE, false, "m", "The nearest that it can see.", "0.02", NULL},
    {"max_range", TP_PROPERTY_DOUBLE, false, "m", "The farthest that it can see.", "5", NULL},
    {"fov", TP_PROPERTY_DOUBLE, false, "rad", "How wide its sensors see together.",
     "6.283185307179586", NULL},
    {"sensors", TP_PROPERTY_INT, false, "", "How many sensors it has.", "8", NULL},
    {0},
};

/* Sensor i of n looks outwards from the edge of the device. */
static tp_pose3d edge_pose(const fake_device *d, size_t i, size_t n)
{
    const tp_pose3d middle = tpi_fake_pose(d);
    const double angle = tpi_fake_angle(circle * (double)i / (double)n);
    const double radius = tpi_fake_size(d).sl / 2;

    return (tp_pose3d){.px = middle.px + radius * cos(middle.pyaw + angle),
                       .py = middle.py + radius * sin(middle.pyaw + angle),
                       .pz = middle.pz,
                       .pyaw = tpi_fake_angle(middle.pyaw + angle)};
}

static double edge_range(const fake_device *d, size_t i, size_t n)
{
    const tp_pose3d pose = edge_pose(d, i, n);
    const tp_pose2d flat = {.px = pose.px, .py = pose.py, .pa = pose.pyaw};
    const tp_pose2d eye = tpi_fake_compose(&d->owner->robot, &flat);

    return tpi_fake_room_ray(&d->owner->room, &eye, 0, most_m);
}

static void ring_measure(fake_device *d)
{
    struct ring *ring = d->state;

    for (size_t i = 0; i < SENSORS; i++) {
        const double range = fmax(0.02, tpi_fake_measure(d, edge_range(d, i, SENSORS)));
        ring->ranges[i] = (float)fmin(range, most_m);
        ring->voltages[i] = (float)(0.4 + 2.6 * exp(-range)); /* more when nearer */
    }
}

/* Where its sensors sit, and how many there are. */
static uint32_t ring_place(tp_device *device, tp_pose3d **poses)
{
    struct ring *ring = fake_state(device);

    for (size_t i = 0; i < SENSORS; i++) {
        ring->poses[i] = edge_pose(fake_of(device), i, SENSORS);
    }
    *poses = ring->poses;
    return SENSORS;
}

/* ---- sonar ----------------------------------------------------------------------------------- */

static void sonar_publish(fake_device *d)
{
    struct ring *ring = d->state;
    const tp_sonar_data data = {.ranges_count = SENSORS, .ranges = ring->ranges};

    ring_measure(d);
    tp_publish(d->device, TP_SONAR_DATA_RANGES, &data, 0);
}

static tp_status sonar_get_geom(tp_device *device, tp_sonar_geom *answer, tp_error *err)
{
    (void)err;
    answer->poses_count = ring_place(device, &answer->poses);
    return TP_OK;
}

static const tp_sonar_ops sonar_ops = {.req_get_geom = sonar_get_geom};

/* ---- ir -------------------------------------------------------------------------------------- */

static void ir_publish(fake_device *d)
{
    struct ring *ring = d->state;
    const tp_ir_data data = {.voltages_count = SENSORS,
                             .voltages = ring->voltages,
                             .ranges_count = SENSORS,
                             .ranges = ring->ranges};

    ring_measure(d);
    tp_publish(d->device, TP_IR_DATA_RANGES, &data, 0);
}

static tp_status ir_get_pose(tp_device *device, tp_ir_pose *answer, tp_error *err)
{
    (void)err;
    answer->poses_count = ring_place(device, &answer->poses);
    return TP_OK;
}

static const tp_ir_ops ir_ops = {.req_pose = ir_get_pose};

/* ---- bumper ---------------------------------------------------------------------------------- */

struct bumpers {
    uint8_t pressed[BUMPERS];
    tp_bumper_define define[BUMPERS];
};

static const tp_property_plan bumper_counters[] = {
    {"bumps", TP_PROPERTY_DOUBLE, false, "", "Counter: how often something touched a bumper.", "0",
     NULL},
    {0},
};

static void bumper_publish(fake_device *d)
{
    struct bumpers *b = d->state;
    const tp_bumper_data data = {.bumpers_count = BUMPERS, .bumpers = b->pressed};

    for (size_t i = 0; i < BUMPERS; i++) {
        const bool touched = edge_range(d, i, BUMPERS) < touch_m - tpi_fake_size(d).sl / 2;
        tp_device_count(d->device, "bumps", touched && b->pressed[i] == 0);
        b->pressed[i] = touched;
    }
    tp_publish(d->device, TP_BUMPER_DATA_STATE, &data, 0);
}

static tp_status bumper_get_geom(tp_device *device, tp_bumper_geom *answer, tp_error *err)
{
    fake_device *d = fake_of(device);
    struct bumpers *b = d->state;
    const double radius = tpi_fake_size(d).sl / 2;

    (void)err;
    for (size_t i = 0; i < BUMPERS; i++) {
        b->define[i] = (tp_bumper_define){.pose = edge_pose(d, i, BUMPERS),
                                          .length = (float)(circle * radius / BUMPERS),
                                          .radius = (float)radius};
    }
    answer->bumper_def = b->define;
    answer->bumper_def_count = BUMPERS;
    return TP_OK;
}

static const tp_bumper_ops bumper_ops = {.req_get_geom = bumper_get_geom};

const fake_kind tpi_fake_rangers[] = {
    {
        .interface = &tp_interface_sonar,
        .ops = &sonar_ops,
        .state_size = sizeof(struct ring),
        .size = {.sw = 0.4, .sl = 0.4, .sh = 0.1},
        .properties = ring_properties,
        .publish = sonar_publish,
    },
    {
        .interface = &tp_interface_ir,
        .ops = &ir_ops,
        .state_size = sizeof(struct ring),
        .size = {.sw = 0.4, .sl = 0.4, .sh = 0.1},
        .properties = ring_properties,
        .publish = ir_publish,
    },
    {
        .interface = &tp_interface_bumper,
        .ops = &bumper_ops,
        .state_size = sizeof(struct bumpers),
        .size = {.sw = 0.4, .sl = 0.4, .sh = 0.1},
        .counters = bumper_counters,
        .publish = bumper_publish,
    },
    {0},
};
