/* devices_data.c - what the devices behind a robot file report; see devices.h. */
#include <math.h>

#include "devices.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/common.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/power.h"
#include "troupe/interfaces/ranger.h"

static const double RAD_PER_DEG = 0.017453292519943295;

/* ---- Rangers --------------------------------------------------------------------------------- */

/* The degree that an angle lies in: 0 is straight back, 180 straight ahead, 270 left. */
static int degree_of(double angle)
{
    const double degrees = fmod(angle / RAD_PER_DEG + 180, 360);

    return (int)floor(degrees < 0 ? degrees + 360 : degrees) % DEVICE_VALUES;
}

static void place(struct devices_beams *beams, const tp_ranger_geom *geom)
{
    const uint32_t count = geom->element_poses_count;

    beams->is_known = count <= DEVICE_ELEMENTS;
    beams->count = count > 0 && beams->is_known ? count : 1;
    beams->yaws[0] = geom->pose.pyaw;
    for (uint32_t i = 0; i < count && beams->is_known; i++) {
        beams->yaws[i] = geom->pose.pyaw + geom->element_poses[i].pyaw;
    }
}

static double angle_of(const struct devices_beams *beams, uint32_t i, uint32_t count)
{
    const uint32_t each = count / beams->count; /* elements can have several beams */

    return beams->count == 1 ? beams->yaws[0] + beams->first + beams->step * (double)i
                             : beams->yaws[each > 0 && i / each < beams->count ? i / each : 0];
}

static bool keep_ranges(struct devices_item *item, const tp_ranger_data_range *data)
{
    if (!item->beams.is_known) {
        return false;
    }
    for (unsigned i = 0; i < DEVICE_VALUES; i++) {
        item->values[i] = (double)NAN;
    }
    for (uint32_t i = 0; i < data->ranges_count; i++) {
        const double angle = angle_of(&item->beams, i, data->ranges_count);
        if (isfinite(angle) && !isnan(data->ranges[i])) {
            double *nearest = &item->values[degree_of(angle)];
            *nearest = fmin(*nearest, data->ranges[i]);
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

static void got_geom(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct devices_item *item = context;

    (void)self;
    (void)why;
    if (status == TP_OK && tp_msg_payload(answer) != NULL) {
        place(&item->beams, tp_msg_payload(answer));
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
    if (item->interface == &tp_interface_ranger) {
        (void)tp_link_request(item->link, TP_RANGER_REQ_GET_CONFIG, NULL, TP_NS_PER_S, got_config,
                              item);
    }
}

/* ---- Others ---------------------------------------------------------------------------------- */

static void keep_inputs(struct devices_item *item, const tp_aio_data *data)
{
    item->count = data->voltages_count < DEVICE_VALUES ? data->voltages_count : DEVICE_VALUES;
    for (unsigned i = 0; i < item->count; i++) {
        item->values[i] = (double)data->voltages[i];
    }
}

static void keep_bits(struct devices_item *item, const tp_dio_data *data)
{
    enum { BITS = 32 };

    item->count = data->count < BITS ? data->count : BITS;
    for (unsigned i = 0; i < item->count; i++) {
        item->values[i] = (double)(data->bits >> i & 1U);
    }
}

static void keep_bumpers(struct devices_item *item, const tp_bumper_data *data)
{
    item->values[0] = 0;
    for (uint32_t i = 0; i < data->bumpers_count; i++) {
        item->values[0] = data->bumpers[i] != 0 ? 1 : item->values[0];
    }
}

static void keep_power(struct devices_item *item, const tp_power_data *data)
{
    item->values[0] =
        (data->valid & TP_POWER_MASK_PERCENT) != 0 ? (double)data->percent : (double)NAN;
    item->values[1] = (data->valid & TP_POWER_MASK_VOLTS) != 0 ? (double)data->volts : (double)NAN;
}

static bool keep(struct devices_item *item, unsigned code, const void *payload)
{
    if (item->interface == &tp_interface_position2d) {
        return code == TP_POSITION2D_DATA_STATE;
    }
    if (item->interface == &tp_interface_ranger && code == TP_RANGER_DATA_GEOM) {
        place(&item->beams, payload);
    } else if (item->interface == &tp_interface_ranger && code == TP_RANGER_DATA_RANGE) {
        return keep_ranges(item, payload);
    } else if (item->interface == &tp_interface_ranger && code == TP_RANGER_DATA_RANGESTAMPED) {
        return keep_ranges(item, &((const tp_ranger_data_rangestamped *)payload)->data);
    } else if (item->interface == &tp_interface_aio && code == TP_AIO_DATA_STATE) {
        keep_inputs(item, payload);
        return true;
    } else if (item->interface == &tp_interface_dio && code == TP_DIO_DATA_VALUES) {
        keep_bits(item, payload);
        return true;
    } else if (item->interface == &tp_interface_bumper && code == TP_BUMPER_DATA_STATE) {
        keep_bumpers(item, payload);
        return true;
    } else if (item->interface == &tp_interface_power && code == TP_POWER_DATA_STATE) {
        keep_power(item, payload);
        return true;
    }
    return false;
}

void tpi_robotfile_devices_keep(struct devices_item *item, const tp_msg *msg, int64_t now_ns)
{
    const unsigned code = tp_msg_header(msg)->subtype;
    const void *payload = tp_msg_payload(msg);

    if (code == TP_COMMON_DATA_ERROR) {
        item->is_heard = false; /* what it reported is over */
        item->is_lost = true;
    } else if (payload != NULL && keep(item, code, payload)) {
        item->is_heard = true;
        item->is_lost = false;
        item->heard_ns = now_ns;
    }
}
