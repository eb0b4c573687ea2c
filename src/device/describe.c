/* describe.c - what the layers above read of a device. The loop's. */
#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "device/answers.h"
#include "device/inside.h"

_Static_assert((int)IDLE == TP_DEVICE_IDLE && (int)STARTING == TP_DEVICE_STARTING &&
                   (int)RUNNING == TP_DEVICE_RUNNING && (int)STOPPING == TP_DEVICE_STOPPING &&
                   (int)FAILED == TP_DEVICE_FAILED,
               "phases are reported as they are");

static double seconds(int64_t ns)
{
    return (double)ns / (double)TP_NS_PER_S;
}

void tpi_device_describe(const tp_device *device, tp_device_stat *out)
{
    const tp_instance *self = device->instance;
    const struct counts *counts = &device->counts;
    const uint64_t asked = counts->requests + counts->failed;

    assert(tp_loop_is_current(self->hub->loop));
    *out = (tp_device_stat){
        .addr = device->addr,
        .state =
            (uint8_t)(tpi_trouble_is_on(self) ? TP_DEVICE_TROUBLED : (int)instance_phase(self)),
        .isolated = self->blueprint.in_place_of != NULL,
        .readers = device->reader_count,
        .published = (int64_t)tpi_device_published(device, true),
        .dropped = (int64_t)atomic_load(&device->dropped),
        .commands = (int64_t)(counts->commands + tpi_grant_commands(device)),
        .requests = (int64_t)counts->requests,
        .failed_requests = (int64_t)counts->failed,
        .refused = (int64_t)counts->refused,
        .latency_mean = asked == 0 ? 0 : seconds(counts->latency_ns) / (double)asked,
        .latency_max = seconds(counts->longest_ns),
        .guards = atomic_load(&self->lines.guarded),
        .guard_restarts = atomic_load(&self->lines.guard_restarts),
    };
    out->driver = tpi_text_field(tpi_instance_driver_name(self), &out->driver_count);
    out->instance = tpi_text_field(self->name, &out->instance_count);
    out->failure = tpi_text_field(tpi_trouble_text(self), &out->failure_count);
    out->label = tpi_text_field(tpi_properties_label(device), &out->label_count);
}

void tpi_device_count_refusal(tp_device *device)
{
    assert(tp_loop_is_current(device->instance->hub->loop));
    device->counts.refused++;
}

uint64_t tpi_device_published(const tp_device *device, bool with_news)
{
    return device->published + atomic_load(&device->forms.skipped) - (with_news ? 0 : device->news);
}

const char *tpi_device_name(const tp_device *device)
{
    return device->name;
}

const tpi_blueprint *tpi_device_plan(const tp_device *device)
{
    return &device->instance->blueprint;
}

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

tpi_device_safety *tpi_device_safety_of(tp_device *device)
{
    return &device->safety;
}

const tpi_device_safety *tpi_device_safety_look(const tp_device *device)
{
    return &device->safety;
}
