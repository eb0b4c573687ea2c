/*
 * halt.c - how a driver stops its devices; what drivers ask and report about stops.
 *
 * Which device has to stop, and when, src/safety decides.
 */
#include <assert.h>
#include <stddef.h>

#include "device/answers.h"
#include "device/inside.h"

static tp_device *device_of(tpi_device_safety *safety)
{
    return (tp_device *)((char *)safety - offsetof(tp_device, safety));
}

static tp_instance *instance_of(const tpi_instance_safety *safety)
{
    return (tp_instance *)((char *)(uintptr_t)safety - offsetof(tp_instance, safety));
}

/* ---- What safety asks for -------------------------------------------------------------------- */

static bool runs(const tpi_instance_safety *safety)
{
    return instance_is_started(instance_of(safety));
}

/* A driver that cannot halt a device is stopped as a whole, which leaves its actuators safe, and
 * started again as if it had failed. */
static void halt(tpi_device_safety *safety, tp_halt how)
{
    tp_device *device = device_of(safety);
    tp_instance *self = device->instance;
    const bool was_busy = tpi_jobs_enter(self);

    if (self->blueprint.driver->ops->halt != NULL) {
        self->blueprint.driver->ops->halt(device, how);
    } else {
        tp_instance_fail(self, TP_E_DEVICE, "stopped as a whole, since the driver cannot halt it");
    }
    tpi_jobs_leave(self, was_busy);
}

/* A panic is reported to everybody otherwise. */
static void report(tpi_device_safety *safety, const tpi_mover *mover, tpi_leaving why)
{
    tpi_stop_report_send(device_of(safety), mover, why);
}

static void panic_changed(tpi_instance_safety *safety)
{
    tp_instance *self = instance_of(safety);

    if (self->on_panic != NULL) {
        self->on_panic(self);
    }
}

void tpi_halt_prepare(tp_instance *self)
{
    static const tpi_safety_ops ops = {
        .runs = runs, .halt = halt, .report = report, .panic_changed = panic_changed};

    tpi_safety_init(&self->safety, &ops, self->hub->panic, self->hub->loop);
    self->safety.own_way = self->blueprint.own_panic;
    self->safety.way = self->blueprint.panic;
}

void tpi_halt_prepare_device(tp_device *device)
{
    tpi_safety_add(&device->instance->safety, &device->safety, device->name, device->interface);
    device->safety.actuates = device->instance->blueprint.write_needs >= TP_RIGHT_MOVE;
    if (device->section > 0) {
        const tpi_joined *joined = &device->instance->blueprint.joined[device->section - 1];
        device->safety.own_way = joined->own_panic;
        device->safety.way = joined->panic;
    }
}

tp_device *tpi_halt_current(const tp_instance *self)
{
    return self->safety.halted == NULL ? NULL : device_of(self->safety.halted);
}

bool tpi_halt_is_owed(const tp_instance *self)
{
    return tpi_stop_is_lost(&self->safety) ||
           (instance_phase(self) != IDLE && instance_phase(self) != FAILED &&
            tpi_stop_is_owed(&self->safety));
}

/* ---- Requests -------------------------------------------------------------------------------- */

tp_status tpi_halt_answer(tp_device *device, const tp_message *what, const void *ask,
                          unsigned epoch, tp_error *err)
{
    const tp_status status = tpi_stop_answer(&device->safety, what, ask, epoch, err);

    if (status == TP_PENDING) {
        tp_device_defer(device);
    }
    return status;
}

/* ---- For drivers ----------------------------------------------------------------------------- */

void tp_device_halting(tp_device *device)
{
    assert(device_is_current(device));
    tpi_slow_stop_begin(&device->safety);
}

void tp_device_halted(tp_device *device)
{
    assert(device_is_current(device));
    if (tpi_slow_stop_end(&device->safety)) {
        tpi_tickets_answer_halts(device);
    }
}

unsigned tp_instance_halt_way(const tp_instance *self)
{
    return self->safety.halt_way;
}

tp_halt_reason tp_instance_halt_reason(const tp_instance *self)
{
    return self->safety.halt_reason;
}

bool tp_instance_in_panic(const tp_instance *self)
{
    return tpi_panic_is_on(self->hub->panic);
}

unsigned tp_instance_panic_number(const tp_instance *self)
{
    return tpi_panic_epoch(self->hub->panic);
}

void tp_instance_on_panic(tp_instance *self, void (*told)(tp_instance *self))
{
    self->on_panic = told;
}
