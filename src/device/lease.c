/* lease.c - the leases that the configuration gives to devices, and which devices need none. The
 * loop's. */
#include <assert.h>
#include <string.h>

#include "device/inside.h"

/* What a section beyond the first says about its devices; NULL for the first. */
static const tpi_joined *joined_of(const tp_device *device)
{
    return device->section > 0 ? &device->instance->blueprint.joined[device->section - 1] : NULL;
}

int64_t tpi_device_lease_ns(const tp_device *device)
{
    const tpi_joined *joined = joined_of(device);

    return joined != NULL && joined->lease_ns != 0 ? joined->lease_ns
                                                   : device->instance->blueprint.lease_ns;
}

static bool has_line(const tp_driver *driver)
{
    const tp_param *param = driver->params;

    while (param != NULL && param->name != NULL &&
           (param->unit == NULL || strcmp(param->unit, "line") != 0)) {
        param++;
    }
    return param != NULL && param->name != NULL;
}

static bool requires_simulated(const tp_instance *self)
{
    const tpi_blueprint *plan = &self->blueprint;

    for (uint32_t i = 0; i < plan->require_count; i++) {
        const tp_devaddr *addr = &plan->requires[i].addr;
        const tp_device *used = tpi_hub_find(self->hub, addr->robot, addr->interf, addr->index);
        if (used == NULL || !tpi_device_is_simulated(used)) {
            return false;
        }
    }
    return plan->require_count > 0;
}

/* It ends: drivers do not require each other in a circle. */
bool tpi_device_is_simulated(const tp_device *device)
{
    const tp_driver *driver = device->instance->blueprint.driver;

    assert(tp_loop_is_current(device->instance->hub->loop));
    return (driver->flags & TP_DRIVER_SIMULATED) != 0 ||
           (!has_line(driver) && requires_simulated(device->instance));
}
