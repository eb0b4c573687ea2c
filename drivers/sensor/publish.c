/* publish.c - what a sensor measured, as data of devices; see sensor.h. */
#include "sensor.h"
#include "troupe/driver/aio.h"
#include "troupe/driver/dio.h"
#include "troupe/driver/imu.h"
#include "troupe/driver/power.h"
#include "troupe/driver/ranger.h"

static void publish_analog(struct sensor *s)
{
    float values[TPI_MOST_CHANNELS];
    tp_aio_data data = {.voltages = values};

    for (unsigned i = 0; i < s->count; i++) {
        const struct sensor_channel *c = &s->channels[i];
        if (!c->acts && tpi_sensor_channel_is(c, USE_ANALOG)) {
            values[data.voltages_count++] = (float)c->value;
        }
    }
    (void)tp_aio_publish_state(s->devices.aio, &data, 0);
}

static void publish_digital(struct sensor *s)
{
    tp_dio_data data = {0};

    for (unsigned i = 0; i < s->count; i++) {
        const struct sensor_channel *c = &s->channels[i];
        if (!c->acts && tpi_sensor_channel_is(c, USE_DIGITAL)) {
            data.bits |= (uint32_t)(c->value != 0) << data.count++;
        }
    }
    (void)tp_dio_publish_values(s->devices.dio, &data, 0);
}

static void publish_ranges(struct sensor *s)
{
    double ranges[TPI_MOST_CHANNELS];
    tp_ranger_data_range data = {.ranges = ranges};

    for (unsigned i = 0; i < s->count; i++) {
        if (tpi_sensor_channel_is(&s->channels[i], USE_RANGE)) {
            ranges[data.ranges_count++] = tpi_sensor_channel_si(&s->channels[i]);
        }
    }
    (void)tp_ranger_publish_range(s->devices.ranger, &data, 0);
}

static void publish_motion(struct sensor *s)
{
    float accel[3] = {0}, gyro[3] = {0};
    unsigned accels = 0, gyros = 0;

    for (unsigned i = 0; i < s->count; i++) {
        const struct sensor_channel *c = &s->channels[i];
        if (accels < 3 && tpi_sensor_channel_is(c, USE_ACCEL)) {
            accel[accels++] = (float)tpi_sensor_channel_si(c);
        } else if (gyros < 3 && tpi_sensor_channel_is(c, USE_GYRO)) {
            gyro[gyros++] = (float)tpi_sensor_channel_si(c);
        }
    }
    const tp_imu_data_calib data = {.accel_x = accel[0],
                                    .accel_y = accel[1],
                                    .accel_z = accel[2],
                                    .gyro_x = gyro[0],
                                    .gyro_y = gyro[1],
                                    .gyro_z = gyro[2]};
    (void)tp_imu_publish_calib(s->devices.imu, &data, 0);
}

static void publish_power(struct sensor *s)
{
    tp_power_data data = {0};

    for (unsigned i = 0; i < s->count; i++) {
        const struct sensor_channel *c = &s->channels[i];
        if (!tpi_sensor_channel_is(c, USE_BATTERY)) {
            continue;
        }
        if (c->conversion->unit == TPI_UNIT_PERCENT) {
            data.valid |= TP_POWER_MASK_PERCENT;
            data.percent = (float)c->value;
        } else {
            data.valid |= TP_POWER_MASK_VOLTS;
            data.volts = (float)tpi_sensor_channel_si(c);
        }
    }
    (void)tp_power_publish_state(s->devices.power, &data, 0);
}

void tpi_sensor_publish(struct sensor *s)
{
    const struct sensor_devices *d = &s->devices;

    if (d->aio != NULL && tp_device_readers(d->aio) > 0) {
        publish_analog(s);
    }
    if (d->dio != NULL && tp_device_readers(d->dio) > 0) {
        publish_digital(s);
    }
    if (d->ranger != NULL && tp_device_readers(d->ranger) > 0) {
        publish_ranges(s);
    }
    if (d->imu != NULL && tp_device_readers(d->imu) > 0 && s->manifest != NULL) {
        publish_motion(s);
    }
    if (d->power != NULL && tp_device_readers(d->power) > 0 && s->manifest != NULL) {
        publish_power(s);
    }
}
