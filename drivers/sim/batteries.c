/* batteries.c - power: how much is left of what a robot drives with. */
#include <math.h>

#include "sim/move/actuators.h"
#include "simulator.h"
#include "troupe/interfaces/power.h"

static bool has_battery(const simd *s, tpi_sim_model model)
{
    tpi_sim_battery battery;

    return tpi_sim_get_battery(s->world, model, &battery, NULL) == TP_OK;
}

static void power_publish(simd_device *d)
{
    tpi_sim_battery b;

    if (!tpi_simd_is_due(d) || tpi_sim_get_battery(d->owner->world, d->model, &b, NULL) != TP_OK) {
        return;
    }
    const bool endless = isinf(b.stored);
    const tp_power_data data = {
        .valid = TP_POWER_MASK_WATTS | TP_POWER_MASK_PERCENT | TP_POWER_MASK_CHARGING |
                 (endless ? 0u : TP_POWER_MASK_JOULES),
        .percent = endless          ? 100
                   : b.capacity > 0 ? (float)(100 * b.stored / b.capacity)
                                    : 0,
        .joules = endless ? 0 : (float)b.stored,
        .watts = (float)(b.charge_watts - b.watts - b.given_watts),
        .charging = b.charge_watts > 0  ? TP_POWER_CHARGING_TAKES
                    : b.given_watts > 0 ? TP_POWER_CHARGING_GIVES
                                        : TP_POWER_CHARGING_NONE,
    };
    tp_publish(d->device, TP_POWER_DATA_STATE, &data, tpi_simd_time_s(d->owner));
}

const simd_kind tpi_simd_batteries[] = {
    {
        .interface = &tp_interface_power,
        .any = true,
        .passive = true,
        .has = has_battery,
        .publish = power_publish,
    },
    {0},
};
