/* lamps.c - blinkenlight. */
#include <math.h>

#include "sim/move/actuators.h"
#include "simulator.h"
#include "troupe/interfaces/blinkenlight.h"

static tp_color to_color(uint32_t colour)
{
    return (tp_color){.red = (uint8_t)(colour >> 24),
                      .green = (uint8_t)(colour >> 16),
                      .blue = (uint8_t)(colour >> 8),
                      .alpha = (uint8_t)colour};
}

static void lamp_publish(simd_device *d)
{
    tpi_sim_lamp lamp;

    if (!tpi_simd_is_due(d) || tpi_sim_get_lamp(d->owner->world, d->model, &lamp, NULL) != TP_OK) {
        return;
    }
    const tp_blinkenlight_data data = {.enable = lamp.enabled,
                                       .period = (float)lamp.period,
                                       .dutycycle = (float)lamp.duty,
                                       .color = to_color(lamp.colour)};
    tp_publish(d->device, TP_BLINKENLIGHT_DATA_STATE, &data, tpi_simd_time_s(d->owner));
}

static tp_status get_lamp(tp_device *device, uint16_t id, tpi_sim_lamp *lamp, tp_error *err)
{
    const simd_device *d = simd_of(device);

    return id == 0 ? tpi_sim_get_lamp(d->owner->world, d->model, lamp, err)
                   : tp_fail(err, TP_E_RANGE, "there is no light %u", id);
}

static tp_status set_lamp(tp_device *device, const tpi_sim_lamp *lamp, tp_error *err)
{
    const simd_device *d = simd_of(device);

    return tpi_sim_set_lamp(d->owner->world, d->model, lamp, err);
}

static tp_status set_color(tp_device *device, const tp_color *color, tp_error *err)
{
    const simd_device *d = simd_of(device);

    return tpi_sim_set_colour(d->owner->world, d->model, tpi_simd_colour(color), err);
}

static tp_status check_flash(float period, float duty, tp_error *err)
{
    return period >= 0 && isfinite(period) && duty >= 0 && duty <= 1
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "a period of %g s with a share of %g makes no sense",
                         (double)period, (double)duty);
}

static tp_status lamp_state(tp_device *device, const tp_blinkenlight_cmd *ask, tp_error *err)
{
    tpi_sim_lamp lamp;
    tp_status status = get_lamp(device, ask->id, &lamp, err);

    status = status == TP_OK ? check_flash(ask->period, ask->dutycycle, err) : status;
    if (status != TP_OK) {
        return status;
    }
    lamp.enabled = ask->enable != 0;
    lamp.period = (double)ask->period;
    lamp.duty = (double)ask->dutycycle;
    status = set_lamp(device, &lamp, err);
    return status == TP_OK ? set_color(device, &ask->color, err) : status;
}

static tp_status lamp_power(tp_device *device, const tp_blinkenlight_cmd_power *ask, tp_error *err)
{
    tpi_sim_lamp lamp;
    tp_status status = get_lamp(device, ask->id, &lamp, err);

    lamp.enabled = ask->enable != 0;
    return status == TP_OK ? set_lamp(device, &lamp, err) : status;
}

static tp_status lamp_color(tp_device *device, const tp_blinkenlight_cmd_color *ask, tp_error *err)
{
    tpi_sim_lamp lamp;
    tp_status status = get_lamp(device, ask->id, &lamp, err);

    return status == TP_OK ? set_color(device, &ask->color, err) : status;
}

static tp_status lamp_flash(tp_device *device, const tp_blinkenlight_cmd_flash *ask, tp_error *err)
{
    tpi_sim_lamp lamp;
    tp_status status = get_lamp(device, ask->id, &lamp, err);

    status = status == TP_OK ? check_flash(ask->period, ask->dutycycle, err) : status;
    lamp.period = (double)ask->period;
    lamp.duty = (double)ask->dutycycle;
    return status == TP_OK ? set_lamp(device, &lamp, err) : status;
}

static const tp_blinkenlight_ops lamp_ops = {
    .cmd_state = lamp_state,
    .cmd_power = lamp_power,
    .cmd_color = lamp_color,
    .cmd_flash = lamp_flash,
};

const simd_kind tpi_simd_lamps[] = {
    {
        .interface = &tp_interface_blinkenlight,
        .ops = &lamp_ops,
        .models = SIMD_MODEL(BLINKENLIGHT) | SIMD_MODEL(LIGHTINDICATOR),
        .publish = lamp_publish,
    },
    {0},
};
