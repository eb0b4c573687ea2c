/* describe.c - what the layers above read of a device. The loop's. */
#include <assert.h>

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

tpi_device_safety *tpi_device_safety_of(tp_device *device)
{
    return &device->safety;
}

const tpi_device_safety *tpi_device_safety_look(const tp_device *device)
{
    return &device->safety;
}
