/* offer.c - the devices of a sensor; see sensor.h. */
#include "sensor.h"
#include "troupe/driver/aio.h"
#include "troupe/driver/dio.h"
#include "troupe/driver/imu.h"
#include "troupe/driver/power.h"
#include "troupe/driver/ranger.h"

#define TEXT(name, words)                                                                          \
    {                                                                                              \
        .key = (name), .type = TP_PROPERTY_STRING, .unit = "", .doc = (words), .value = ""         \
    }

static const tp_property_plan plans[] = {
    TEXT("sensor", "The name of the sensor; empty while none is plugged in."),
    TEXT("uuid", "What kind of sensor it is."),
    TEXT("serial", "The serial number of the sensor."),
    TEXT("version", "The version of the sensor."),
    TEXT("info_uri", "Where more about the sensor is found."),
    TEXT("inputs", "What the inputs are, by their numbers, with units."),
    TEXT("outputs", "What the outputs are, by their numbers, with units."),
    TEXT("channels", "The same for programs: a line for each input and output, with tabs between"
                     " number, name, parameter, unit, least and highest value, and resolution."),
};

static const tp_property_plan units = TEXT("units", "The units of the inputs.");

static struct sensor *of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* Manifests do not say where elements sit. */
static tp_status ranger_geom(tp_device *device, tp_ranger_geom *answer, tp_error *err)
{
    static tp_pose3d nowhere[TPI_MOST_CHANNELS]; /* zeros */
    static tp_bbox3d unknown[TPI_MOST_CHANNELS]; /* zeros */
    const struct sensor *s = of(device);
    uint32_t count = 0;

    (void)err;
    for (unsigned i = 0; i < s->count; i++) {
        count += tpi_sensor_channel_is(&s->channels[i], USE_RANGE);
    }
    answer->element_poses_count = answer->element_sizes_count = count;
    answer->element_poses = nowhere;
    answer->element_sizes = unknown;
    return TP_OK;
}

static tp_status ranger_config(tp_device *device, tp_ranger_config *answer, tp_error *err)
{
    const struct sensor *s = of(device);

    (void)err;
    for (unsigned i = 0; i < s->count; i++) {
        struct sensor_channel c = s->channels[i];
        if (tpi_sensor_channel_is(&c, USE_RANGE)) {
            c.value = c.conversion->scaling.min;
            answer->min_range = tpi_sensor_channel_si(&c);
            c.value = c.conversion->scaling.max;
            answer->max_range = tpi_sensor_channel_si(&c);
            c.value = c.conversion->scaling.resolution;
            answer->range_res = tpi_sensor_channel_si(&c);
        }
    }
    answer->frequency = s->period_ns > 0 ? 1e9 / (double)s->period_ns : 0;
    return TP_OK;
}

static tp_status add_properties(tp_device *device, bool has_outputs, tp_error *err)
{
    const size_t count = sizeof plans / sizeof plans[0] - (has_outputs ? 0 : 2);
    tp_status status = TP_OK;

    for (size_t i = 0; i < count && status == TP_OK; i++) {
        status = tp_device_add_property(device, &plans[i], err);
    }
    return status;
}

static tp_status offer(struct sensor *s, const tp_interface *interface, const void *ops,
                       bool has_outputs, tp_device **out, tp_error *err)
{
    if (!tp_provides(s->self, interface, NULL)) {
        return TP_OK;
    }
    const tp_status status = tp_offer(s->self, interface, NULL, ops, NULL, out, err);
    return status == TP_OK ? add_properties(*out, has_outputs, err) : status;
}

tp_status tpi_sensor_offer(struct sensor *s, tp_error *err)
{
    static const tp_aio_ops aio_ops = {.cmd_state = tpi_sensor_write_analog};
    static const tp_dio_ops dio_ops = {.cmd_values = tpi_sensor_write_digital};
    static const tp_ranger_ops ranger_ops = {.req_get_geom = ranger_geom,
                                             .req_get_config = ranger_config};
    static const tp_imu_ops imu_ops = {0};
    static const tp_power_ops power_ops = {0};
    struct sensor_devices *d = &s->devices;
    tp_status status = offer(s, &tp_interface_aio, &aio_ops, true, &d->aio, err);

    if (status == TP_OK && d->aio != NULL) {
        status = tp_device_add_property(d->aio, &units, err);
    }
    status = status == TP_OK ? offer(s, &tp_interface_dio, &dio_ops, true, &d->dio, err) : status;
    status = status == TP_OK ? offer(s, &tp_interface_ranger, &ranger_ops, false, &d->ranger, err)
                             : status;
    status = status == TP_OK ? offer(s, &tp_interface_imu, &imu_ops, false, &d->imu, err) : status;
    status =
        status == TP_OK ? offer(s, &tp_interface_power, &power_ops, false, &d->power, err) : status;
    return status;
}

static bool has_readers(const tp_device *device)
{
    return device != NULL && tp_device_readers(device) > 0;
}

bool tpi_sensor_is_read(const struct sensor *s, const struct sensor_channel *c)
{
    const struct sensor_devices *d = &s->devices;

    return !c->acts && ((has_readers(d->aio) && tpi_sensor_channel_is(c, USE_ANALOG)) ||
                        (has_readers(d->dio) && tpi_sensor_channel_is(c, USE_DIGITAL)) ||
                        (has_readers(d->ranger) && tpi_sensor_channel_is(c, USE_RANGE)) ||
                        (has_readers(d->imu) && (tpi_sensor_channel_is(c, USE_ACCEL) ||
                                                 tpi_sensor_channel_is(c, USE_GYRO))) ||
                        (has_readers(d->power) && tpi_sensor_channel_is(c, USE_BATTERY)));
}
