/* devices_places.c - where sensors of devices look, and how far joints go; see devices.h. */
#include <math.h>

#include "devices.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/ranger.h"
#include "troupe/interfaces/sonar.h"

static const double RAD_PER_DEG = 0.017453292519943295;

/* ---- Ranges by degrees ----------------------------------------------------------------------- */

/* The degree that an angle lies in: 0 is straight back, 180 straight ahead, 270 left. */
static int degree_of(double angle)
{
    const double degrees = fmod(angle / RAD_PER_DEG + 180, 360);

    return (int)floor(degrees < 0 ? degrees + 360 : degrees) % DEVICE_VALUES;
}

static double angle_of(const struct devices_beams *beams, uint32_t i, uint32_t count)
{
    const uint32_t each = count / beams->count; /* elements can have several beams */

    return beams->count == 1 ? beams->yaws[0] + beams->first + beams->step * (double)i
                             : beams->yaws[each > 0 && i / each < beams->count ? i / each : 0];
}

bool tpi_robotfile_devices_keep_ranges(struct devices_item *item, const double *first_step,
                                       const void *ranges, bool is_f64, uint32_t count)
{
    struct devices_beams *beams = &item->beams;

    if (!beams->is_known) {
        return false;
    }
    if (first_step != NULL) { /* the scan says it itself */
        beams->first = first_step[0];
        beams->step = first_step[1];
    }
    for (unsigned i = 0; i < DEVICE_VALUES; i++) {
        item->values[i] = (double)NAN;
    }
    for (uint32_t i = 0; i < count; i++) {
        const double angle = angle_of(beams, i, count);
        const double range =
            is_f64 ? ((const double *)ranges)[i] : (double)((const float *)ranges)[i];
        if (isfinite(angle) && !isnan(range)) {
            double *nearest = &item->values[degree_of(angle)];
            *nearest = fmin(*nearest, range);
        }
    }
    return true;
}

double tpi_robotfile_devices_nearest(const struct devices_item *item, double from, double to)
{
    double nearest = (double)NAN;

    for (unsigned i = 0; i < DEVICE_VALUES; i++) {
        const double degrees = (double)i - 179.5; /* the middle of this degree */
        if (degrees > from && degrees < to) {
            nearest = fmin(nearest, item->values[i]); /* a number, if one of them is */
        }
    }
    return nearest;
}

double tpi_robotfile_devices_pressed(const struct devices_item *item, double from, double to)
{
    const bool all = !isfinite(from) && !isfinite(to);
    double found = all ? 0 : (double)NAN;

    for (unsigned i = 0; i < item->count; i++) {
        const double degrees = item->beams.is_known && i < item->beams.count
                                   ? item->beams.yaws[i] / RAD_PER_DEG
                                   : (double)NAN;
        if (all || (degrees >= from && degrees <= to)) {
            found = fmax(found, item->values[i]);
        }
    }
    return found;
}

/* ---- Where they are -------------------------------------------------------------------------- */

static void place_ranger(struct devices_beams *beams, const tp_ranger_geom *geom)
{
    const uint32_t count = geom->element_poses_count;

    beams->is_known = count <= DEVICE_ELEMENTS;
    beams->count = count > 0 && beams->is_known ? count : 1;
    beams->yaws[0] = geom->pose.pyaw;
    for (uint32_t i = 0; i < count && beams->is_known; i++) {
        beams->yaws[i] = geom->pose.pyaw + geom->element_poses[i].pyaw;
    }
}

static void place_sonar(struct devices_beams *beams, const tp_sonar_geom *geom)
{
    beams->is_known = geom->poses_count > 0 && geom->poses_count <= DEVICE_ELEMENTS;
    beams->count = beams->is_known ? geom->poses_count : 1;
    for (uint32_t i = 0; i < geom->poses_count && beams->is_known; i++) {
        beams->yaws[i] = geom->poses[i].pyaw;
    }
}

static void place_laser(struct devices_beams *beams, const tp_laser_geom *geom)
{
    beams->is_known = true;
    beams->count = 1;
    beams->yaws[0] = geom->pose.pyaw;
}

static void place_bumpers(struct devices_beams *beams, const tp_bumper_geom *geom)
{
    beams->is_known = geom->bumper_def_count <= DEVICE_ELEMENTS;
    beams->count = beams->is_known ? geom->bumper_def_count : 0;
    for (uint32_t i = 0; i < beams->count; i++) {
        const tp_pose3d *pose = &geom->bumper_def[i].pose;
        /* one in the middle looks where its pose says */
        beams->yaws[i] =
            fabs(pose->px) + fabs(pose->py) > 1e-6 ? atan2(pose->py, pose->px) : pose->pyaw;
    }
}

static void place_joints(struct devices_item *item, const tp_actarray_geom *geom)
{
    for (uint32_t i = 0; i < geom->actuators_count && i < DEVICE_ELEMENTS; i++) {
        const tp_actarray_actuatorgeom *joint = &geom->actuators[i];
        item->joints[i] =
            (struct devices_joint){.is_known = isfinite(joint->min) && joint->max > joint->min,
                                   .is_linear = joint->type == TP_ACTARRAY_TYPE_LINEAR,
                                   .low = (double)joint->min,
                                   .high = (double)joint->max};
    }
}

static void place(struct devices_item *item, const void *geom)
{
    if (item->interface == &tp_interface_ranger) {
        place_ranger(&item->beams, geom);
    } else if (item->interface == &tp_interface_sonar) {
        place_sonar(&item->beams, geom);
    } else if (item->interface == &tp_interface_laser) {
        place_laser(&item->beams, geom);
    } else if (item->interface == &tp_interface_bumper) {
        place_bumpers(&item->beams, geom);
    } else if (item->interface == &tp_interface_actarray) {
        place_joints(item, geom);
    }
}

bool tpi_robotfile_devices_place(struct devices_item *item, unsigned code, const void *payload)
{
    const bool is_geom = (item->interface == &tp_interface_ranger && code == TP_RANGER_DATA_GEOM) ||
                         (item->interface == &tp_interface_sonar && code == TP_SONAR_DATA_GEOM) ||
                         (item->interface == &tp_interface_bumper && code == TP_BUMPER_DATA_GEOM);

    if (is_geom) {
        place(item, payload);
    }
    return is_geom;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static void got_geom(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct devices_item *item = context;

    (void)self;
    (void)why;
    if (status == TP_OK && tp_msg_payload(answer) != NULL) {
        place(item, tp_msg_payload(answer));
    }
}

static void got_config(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                       const char *why)
{
    struct devices_item *item = context;

    (void)self;
    (void)why;
    if (status == TP_OK && tp_msg_payload(answer) != NULL) {
        const tp_ranger_config *config = tp_msg_payload(answer);
        item->beams.first = config->min_angle;
        item->beams.step = config->angular_res;
    }
    /* Only now: a scan without its angles means nothing. */
    (void)tp_link_request(item->link, TP_RANGER_REQ_GET_GEOM, NULL, TP_NS_PER_S, got_geom, item);
}

void tpi_robotfile_devices_ask(struct devices_item *item)
{
    static const struct {
        const tp_interface *interface;
        unsigned code;
    } geoms[] = {{&tp_interface_sonar, TP_SONAR_REQ_GET_GEOM},
                 {&tp_interface_laser, TP_LASER_REQ_GET_GEOM},
                 {&tp_interface_bumper, TP_BUMPER_REQ_GET_GEOM},
                 {&tp_interface_actarray, TP_ACTARRAY_REQ_GET_GEOM}};

    if (item->interface == &tp_interface_ranger) {
        (void)tp_link_request(item->link, TP_RANGER_REQ_GET_CONFIG, NULL, TP_NS_PER_S, got_config,
                              item);
    }
    for (size_t i = 0; i < sizeof geoms / sizeof geoms[0]; i++) {
        if (item->interface == geoms[i].interface) {
            (void)tp_link_request(item->link, geoms[i].code, NULL, TP_NS_PER_S, got_geom, item);
        }
    }
}
