/*
 * senses.c - aio and dio: light, floor, sound, north, buttons.
 *
 * None of them are volts: docs/simulator.md has the table of values and their units, which the
 * property `units` tells. A button can be held by hand through dio.
 */
#include <math.h>

#include "sim/sense/sensors.h"
#include "simulator.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/dio.h"

/* ---- aio ------------------------------------------------------------------------------------- */

struct reading {
    float values[TPI_SIM_MOST_FLOOR_SENSORS];
    uint32_t count;
    int64_t time_us; /* INT64_MAX for what is not measured */
};

static void put(struct reading *r, double value)
{
    r->values[r->count++] = (float)value;
}

static void read_brightness(const simd_device *d, struct reading *r)
{
    tpi_sim_brightness brightness;

    if (tpi_sim_get_brightness(d->owner->world, d->model, &brightness, NULL) == TP_OK) {
        put(r, brightness.level);
        r->time_us = brightness.time_us;
    }
}

static void read_floor(const simd_device *d, struct reading *r)
{
    tpi_sim_floor_values floor;

    if (tpi_sim_get_floor(d->owner->world, d->model, &floor, NULL) == TP_OK) {
        for (uint32_t i = 0; i < floor.count; i++) {
            put(r, (double)floor.items[i].reflectance);
        }
        r->time_us = floor.time_us;
    }
}

static void read_hearing(const simd_device *d, struct reading *r)
{
    tpi_sim_hearing hearing;

    if (tpi_sim_get_hearing(d->owner->world, d->model, &hearing, NULL) == TP_OK) {
        put(r, hearing.level);
        put(r, hearing.frequency);
        put(r, hearing.bearing);
        r->time_us = hearing.time_us;
    }
}

static void read_compass(const simd_device *d, struct reading *r)
{
    tpi_sim_compass compass;

    if (tpi_sim_get_compass(d->owner->world, d->model, &compass, NULL) == TP_OK) {
        put(r, compass.bearing);
        r->time_us = compass.time_us;
    }
}

static void read_light(const simd_device *d, struct reading *r)
{
    double intensity = 0;

    if (tpi_sim_get_light(d->owner->world, d->model, &intensity, NULL) == TP_OK) {
        put(r, intensity);
        r->time_us = INT64_MAX;
    }
}

static void read_tone(const simd_device *d, struct reading *r)
{
    tpi_sim_tone tone;

    if (tpi_sim_get_tone(d->owner->world, d->model, &tone, NULL) == TP_OK) {
        put(r, tone.level);
        put(r, tone.frequency);
        r->time_us = INT64_MAX;
    }
}

static void (*const readers[TPI_SIM_KINDS])(const simd_device *d, struct reading *r) = {
    [TPI_SIM_LIGHT_SENSOR] = read_brightness,
    [TPI_SIM_FLOOR_SENSOR] = read_floor,
    [TPI_SIM_MICROPHONE] = read_hearing,
    [TPI_SIM_COMPASS] = read_compass,
    [TPI_SIM_LIGHT] = read_light,
    [TPI_SIM_SOUND] = read_tone,
};

static const char *const units[TPI_SIM_KINDS] = {
    [TPI_SIM_MICROPHONE] = "dB, Hz, rad",
    [TPI_SIM_COMPASS] = "rad",
    [TPI_SIM_SOUND] = "dB, Hz",
};

static const tp_property_plan units_property = {
    .key = "units",
    .type = TP_PROPERTY_STRING,
    .unit = "",
    .doc = "What its values are in, one after the other; empty for plain numbers.",
    .value = "",
};

static tp_status aio_begin(simd_device *d, tp_error *err)
{
    tp_status status = tp_device_add_property(d->device, &units_property, err);
    tpi_sim_info info;

    tpi_simd_info(d, &info);
    if (status == TP_OK && units[info.kind] != NULL) {
        status = tp_device_set_property_text(d->device, "units", units[info.kind]);
    }
    return status == TP_E_NOMEM ? tp_fail(err, status, "out of memory") : status;
}

static void aio_publish(simd_device *d)
{
    struct reading r = {.time_us = -1};
    tpi_sim_info info;

    tpi_simd_info(d, &info);
    readers[info.kind](d, &r);
    const bool measured = r.time_us != INT64_MAX;
    if (measured ? !tpi_simd_is_new(d, r.time_us) : !tpi_simd_is_due(d)) {
        return;
    }
    const tp_aio_data data = {.voltages_count = r.count, .voltages = r.values};
    tp_publish(d->device, TP_AIO_DATA_STATE, &data,
               measured ? (double)r.time_us / 1e6 : tpi_simd_time_s(d->owner));
}

static tp_status set_tone(const simd_device *d, const tp_aio_cmd *ask, tp_error *err)
{
    tpi_sim_tone tone;
    tp_status status = tpi_sim_get_tone(d->owner->world, d->model, &tone, err);

    if (status == TP_OK && ask->id == 0) {
        tone.level = (double)ask->voltage;
    } else if (status == TP_OK && ask->id == 1) {
        tone.frequency = (double)ask->voltage;
    } else if (status == TP_OK) {
        status = tp_fail(err, TP_E_RANGE, "there is no output %u", ask->id);
    }
    return status == TP_OK ? tpi_sim_set_tone(d->owner->world, d->model, &tone, err) : status;
}

static tp_status aio_set(tp_device *device, const tp_aio_cmd *ask, tp_error *err)
{
    const simd_device *d = simd_of(device);
    tpi_sim_info info;

    tpi_simd_info(d, &info);
    if (info.kind == TPI_SIM_SOUND) {
        return set_tone(d, ask, err);
    }
    if (info.kind != TPI_SIM_LIGHT) {
        return tp_fail(err, TP_E_UNSUPPORTED, "a %s has no outputs", info.type);
    }
    return ask->id == 0 ? tpi_sim_set_light(d->owner->world, d->model, (double)ask->voltage, err)
                        : tp_fail(err, TP_E_RANGE, "there is no output %u", ask->id);
}

static const tp_aio_ops aio_ops = {.cmd_state = aio_set};

/* ---- dio ------------------------------------------------------------------------------------- */

static int64_t read_bits(const simd_device *d, tp_dio_data *data)
{
    tpi_sim_button button;
    tpi_sim_floor_values floor;

    if (tpi_sim_get_button(d->owner->world, d->model, &button, NULL) == TP_OK) {
        *data = (tp_dio_data){.count = 1, .bits = button.pressed};
        return button.time_us;
    }
    if (tpi_sim_get_floor(d->owner->world, d->model, &floor, NULL) != TP_OK) {
        return -1;
    }
    *data = (tp_dio_data){.count = floor.count};
    for (uint32_t i = 0; i < floor.count; i++) {
        data->bits |= floor.items[i].dark << i;
    }
    return floor.time_us;
}

static void dio_publish(simd_device *d)
{
    tp_dio_data data;
    const int64_t time_us = read_bits(d, &data);

    if (tpi_simd_is_new(d, time_us)) {
        tp_publish(d->device, TP_DIO_DATA_VALUES, &data, (double)time_us / 1e6);
    }
}

/* Hold a button, or let it go; as somebody with a finger would. */
static tp_status dio_set(tp_device *device, const tp_dio_cmd *ask, tp_error *err)
{
    const simd_device *d = simd_of(device);
    tpi_sim_info info;

    tpi_simd_info(d, &info);
    if (info.kind != TPI_SIM_BUTTON) {
        return tp_fail(err, TP_E_UNSUPPORTED, "a %s has no outputs", info.type);
    }
    return ask->count == 1 ? tpi_sim_press(d->owner->world, d->model, (ask->digout & 1) != 0, err)
                           : tp_fail(err, TP_E_RANGE, "a button has 1 output, not %u", ask->count);
}

static const tp_dio_ops dio_ops = {.cmd_values = dio_set};

const simd_kind tpi_simd_senses[] = {
    {
        .interface = &tp_interface_aio,
        .ops = &aio_ops,
        .models = SIMD_MODEL(LIGHT_SENSOR) | SIMD_MODEL(FLOOR_SENSOR) | SIMD_MODEL(MICROPHONE) |
                  SIMD_MODEL(COMPASS) | SIMD_MODEL(LIGHT) | SIMD_MODEL(SOUND),
        .begin = aio_begin,
        .publish = aio_publish,
    },
    {
        .interface = &tp_interface_dio,
        .ops = &dio_ops,
        .models = SIMD_MODEL(BUTTON) | SIMD_MODEL(FLOOR_SENSOR),
        .publish = dio_publish,
    },
    {0},
};
