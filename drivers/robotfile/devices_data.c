/* devices_data.c - what the devices behind a robot file report; see devices.h. */
#include <math.h>

#include "devices.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/blobfinder.h"
#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/common.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/gripper.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/power.h"
#include "troupe/interfaces/ranger.h"
#include "troupe/interfaces/sonar.h"

static bool keep_inputs(struct devices_item *item, unsigned code, const void *payload)
{
    const tp_aio_data *data = payload;

    if (code != TP_AIO_DATA_STATE) {
        return false;
    }
    item->count = data->voltages_count < DEVICE_VALUES ? data->voltages_count : DEVICE_VALUES;
    for (unsigned i = 0; i < item->count; i++) {
        item->values[i] = (double)data->voltages[i];
    }
    return true;
}

static bool keep_bits(struct devices_item *item, unsigned code, const void *payload)
{
    enum { BITS = 32 };
    const tp_dio_data *data = payload;

    if (code != TP_DIO_DATA_VALUES) {
        return false;
    }
    item->count = data->count < BITS ? data->count : BITS;
    for (unsigned i = 0; i < item->count; i++) {
        item->values[i] = (double)(data->bits >> i & 1U);
    }
    return true;
}

static bool keep_bumpers(struct devices_item *item, unsigned code, const void *payload)
{
    const tp_bumper_data *data = payload;

    if (code != TP_BUMPER_DATA_STATE) {
        return false;
    }
    item->count = data->bumpers_count < DEVICE_VALUES ? data->bumpers_count : DEVICE_VALUES;
    for (unsigned i = 0; i < item->count; i++) {
        item->values[i] = data->bumpers[i] != 0;
    }
    return true;
}

static bool keep_power(struct devices_item *item, unsigned code, const void *payload)
{
    const tp_power_data *data = payload;

    if (code != TP_POWER_DATA_STATE) {
        return false;
    }
    item->values[0] =
        (data->valid & TP_POWER_MASK_PERCENT) != 0 ? (double)data->percent : (double)NAN;
    item->values[1] = (data->valid & TP_POWER_MASK_VOLTS) != 0 ? (double)data->volts : (double)NAN;
    return true;
}

static bool keep_joints(struct devices_item *item, unsigned code, const void *payload)
{
    const tp_actarray_data *data = payload;

    if (code != TP_ACTARRAY_DATA_STATE) {
        return false;
    }
    item->count = data->actuators_count < DEVICE_ELEMENTS ? data->actuators_count : DEVICE_ELEMENTS;
    for (unsigned i = 0; i < item->count; i++) {
        item->values[i] = (double)data->actuators[i].position;
    }
    return true;
}

static bool keep_grip(struct devices_item *item, unsigned code, const void *payload)
{
    item->values[0] =
        code == TP_GRIPPER_DATA_STATE && ((const tp_gripper_data *)payload)->beams != 0;
    return code == TP_GRIPPER_DATA_STATE;
}

/* The heading: 0 to 360 degrees, to the left. */
static bool keep_pose(struct devices_item *item, unsigned code, const void *payload)
{
    static const double RAD_TO_DEG = 57.29577951308232;

    if (code == TP_POSITION2D_DATA_STATE) {
        const double heading =
            fmod(((const tp_position2d_data *)payload)->pos.pa * RAD_TO_DEG, 360);
        item->values[0] = heading < 0 ? heading + 360 : heading;
    }
    return code == TP_POSITION2D_DATA_STATE;
}

/* The largest patch of each channel, as far as there is room. */
static void keep_blob(struct devices_item *item, const tp_blobfinder_data *data,
                      const tp_blobfinder_blob *blob)
{
    const double width = data->width > 1 ? data->width - 1 : 1;
    const double height = data->height > 1 ? data->height - 1 : 1;
    const double all = fmax((double)data->width * (double)data->height, 1);
    const struct devices_blob seen = {
        .channel = blob->id,
        .x = fmin(fmax((double)blob->x / width * 200 - 100, -100), 100),
        .y = fmin(fmax(100 - (double)blob->y / height * 200, -100), 100),
        .size = fmin((double)blob->area / all * 100, 100)};
    unsigned at = 0;

    while (at < item->count && item->blobs[at].channel != seen.channel) {
        at++;
    }
    if (at == item->count && at < DEVICE_BLOBS) {
        item->blobs[item->count++] = seen;
    } else if (at < item->count && item->blobs[at].size < seen.size) {
        item->blobs[at] = seen;
    }
}

static bool keep_blobs(struct devices_item *item, unsigned code, const void *payload)
{
    const tp_blobfinder_data *data = payload;

    if (code != TP_BLOBFINDER_DATA_BLOBS) {
        return false;
    }
    item->count = 0;
    for (uint32_t i = 0; i < data->blobs_count; i++) {
        keep_blob(item, data, &data->blobs[i]);
    }
    return true;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

static bool keep_ranger(struct devices_item *item, unsigned code, const void *payload)
{
    const tp_ranger_data_range *data = payload;

    if (code == TP_RANGER_DATA_RANGESTAMPED) {
        data = &((const tp_ranger_data_rangestamped *)payload)->data;
    } else if (code != TP_RANGER_DATA_RANGE) {
        return false;
    }
    return tpi_robotfile_devices_keep_ranges(item, NULL, data->ranges, true, data->ranges_count);
}

static bool keep_sonar(struct devices_item *item, unsigned code, const void *payload)
{
    const tp_sonar_data *data = payload;

    return code == TP_SONAR_DATA_RANGES &&
           tpi_robotfile_devices_keep_ranges(item, NULL, data->ranges, false, data->ranges_count);
}

static bool keep_laser(struct devices_item *item, unsigned code, const void *payload)
{
    const tp_laser_data *data = payload;

    if (code == TP_LASER_DATA_SCANPOSE) {
        data = &((const tp_laser_data_scanpose *)payload)->scan;
    } else if (code != TP_LASER_DATA_SCAN) {
        return false;
    }
    const double angles[] = {(double)data->min_angle, (double)data->resolution};
    return tpi_robotfile_devices_keep_ranges(item, angles, data->ranges, false, data->ranges_count);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static const struct {
    const tp_interface *interface;
    bool (*keep)(struct devices_item *item, unsigned code, const void *payload);
} keepers[] = {
    {&tp_interface_position2d, keep_pose}, {&tp_interface_aio, keep_inputs},
    {&tp_interface_dio, keep_bits},        {&tp_interface_bumper, keep_bumpers},
    {&tp_interface_power, keep_power},     {&tp_interface_actarray, keep_joints},
    {&tp_interface_gripper, keep_grip},    {&tp_interface_blobfinder, keep_blobs},
    {&tp_interface_ranger, keep_ranger},   {&tp_interface_sonar, keep_sonar},
    {&tp_interface_laser, keep_laser},
};

static size_t keeper_of(const struct devices_item *item)
{
    size_t i = 0;

    while (i < sizeof keepers / sizeof keepers[0] && keepers[i].interface != item->interface) {
        i++;
    }
    return i;
}

bool tpi_robotfile_devices_reports(const struct devices_item *item)
{
    return keeper_of(item) < sizeof keepers / sizeof keepers[0];
}

void tpi_robotfile_devices_keep(struct devices_item *item, const tp_msg *msg, int64_t now_ns)
{
    const unsigned code = tp_msg_header(msg)->subtype;
    const void *payload = tp_msg_payload(msg);
    const size_t keeper = keeper_of(item);

    if (code == TP_COMMON_DATA_ERROR) {
        item->is_heard = false; /* what it reported is over */
        item->is_lost = tpi_robotfile_devices_reports(item);
    } else if (payload != NULL && !tpi_robotfile_devices_place(item, code, payload) &&
               keeper < sizeof keepers / sizeof keepers[0] &&
               keepers[keeper].keep(item, code, payload)) {
        item->is_heard = true;
        item->is_lost = false;
        item->heard_ns = now_ns;
    }
}
