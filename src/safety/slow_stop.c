/*
 * slow_stop.c - stops that take their time.
 *
 * A driver whose work somebody else does (another device, a process, a server) has only told him
 * to stop when its `halt` returns. Until he has said that he did, the device owes its stop: that
 * is what panics and statistics tell, requests to halt are answered after it, and readers hear of
 * it after it.
 */
#include "device/answers.h"
#include "device/inside.h"
#include "safety/safety.h"

/* ---- Where the instance runs ----------------------------------------------------------------- */

bool tpi_halting_owns(const tp_message *what)
{
    return tpi_common_owns(what) && what->kind == TP_KIND_REQUEST &&
           (what->code == TP_COMMON_REQ_HALT || what->code == TP_COMMON_REQ_HALT_SO);
}

bool tpi_halting_is_open(const tp_instance *self)
{
    const tp_device *device = self->devices;

    while (device != NULL && atomic_load(&device->halts_open) == 0) {
        device = device->next;
    }
    return device != NULL;
}

tp_status tpi_halting_answer(tp_device *device)
{
    if (atomic_load(&device->halts_open) == 0) {
        return TP_OK;
    }
    tp_device_defer(device);
    return TP_PENDING;
}

void tpi_halting_end(tp_instance *self)
{
    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        atomic_store(&device->halts_open, 0);
        device->end_due = -1;
    }
}

static tpi_call *find_waiting(const tp_device *device)
{
    tpi_call *call = device->instance->tickets;

    while (call != NULL && (call->device != device || !tpi_halting_owns(call->what))) {
        call = call->next;
    }
    return call;
}

void tp_device_halting(tp_device *device)
{
    atomic_fetch_add(&device->halts_open, 1);
}

void tp_device_halted(tp_device *device)
{
    const int leaving = device->end_due;

    /* 0: it was stopped as a whole meanwhile */
    if (atomic_load(&device->halts_open) == 0 || atomic_fetch_sub(&device->halts_open, 1) > 1) {
        return;
    }
    device->end_due = -1;
    if (leaving >= 0) {
        tpi_motion_tell_end(device, leaving);
    }
    for (tpi_call *call = find_waiting(device); call != NULL; call = find_waiting(device)) {
        tp_ticket_answer((tp_ticket *)call, NULL);
    }
}

unsigned tp_instance_halt_way(const tp_instance *self)
{
    return self->halt_way;
}

tp_halt_reason tp_instance_halt_reason(const tp_instance *self)
{
    return self->halt_reason;
}

bool tp_instance_in_panic(const tp_instance *self)
{
    return tpi_panic_is_on(self->hub->panic);
}

void tp_instance_on_panic(tp_instance *self, void (*told)(tp_instance *self))
{
    self->on_panic = told;
}

/* ---- On the loop ----------------------------------------------------------------------------- */

/* Whoever has moved it after the request was sent still does. */
void tpi_halting_finished(const tpi_call *call)
{
    tp_device *device = call->device;

    if (call->status == TP_OK && call->takes == device->takes && tpi_halting_owns(call->what)) {
        device->stands = true;
    }
}

bool tpi_halting_is_over(const tp_device *device)
{
    return device->stands || tpi_motion_panicked_since(device->instance, device->taken_epoch);
}
