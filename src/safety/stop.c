/*
 * stop.c - what stops a device: the end of a lease, a panic, a request. Where the instance runs.
 *
 * Both the end of a lease and a panic wake the instance: the end of a lease is part of what a
 * worker waits for, a panic rings its bell. Instances on the loop have a timer for the first and a
 * task of the hub for the second. Whenever an instance wakes up it looks for both.
 */
#include <assert.h>
#include <stdio.h>

#include "safety/safety.h"

/* A device that does not move is not stopped; a driver that is not started has stopped. */
static void halt(tpi_device_safety *device, tp_halt how, tp_halt_reason reason)
{
    tpi_instance_safety *self = device->instance;

    if (!self->ops->runs(self) || !device->moves) {
        return;
    }
    device->in_motion = false;
    self->halts = true;
    self->halted = device;
    self->halt_reason = reason;
    self->ops->halt(device, how);
    self->halt_reason = TP_HALT_UNASKED;
    self->halted = NULL;
    self->halts = false;
}

_Static_assert((int)TP_HALT_BRAKE == TP_HALT_SO_BRAKE && (int)TP_HALT_HOLD == TP_HALT_SO_HOLD &&
                   (int)TP_HALT_FINISH == TP_HALT_SO_FINISH,
               "ways to halt are asked for as they are");

/* As its section says, or the first one of the driver; else in the way of the server. */
static uint8_t own_way(const tpi_device_safety *device)
{
    const tpi_instance_safety *self = device->instance;

    return (uint8_t)(device->own_way ? (int)device->way
                     : self->own_way ? (int)self->way
                                     : TP_HALT_SO_OWN);
}

static tp_halt panic_way(const tpi_device_safety *device)
{
    const uint8_t way = own_way(device);

    return way != TP_HALT_SO_OWN ? (tp_halt)way : tpi_panic_way(device->instance->panic);
}

/* In the way that was asked for, which the driver passes on as it is. */
static void halt_so(tpi_device_safety *device, uint8_t way)
{
    tpi_instance_safety *self = device->instance;

    self->halt_way = way;
    halt(device, way == TP_HALT_SO_OWN ? panic_way(device) : (tp_halt)way,
         self->halts_for_panic ? TP_HALT_PANIC : TP_HALT_ASKED);
    self->halt_way = TP_HALT_SO_BRAKE;
}

/* ---- Commands -------------------------------------------------------------------------------- */

bool tpi_stop_is_late(const tpi_device_safety *device, const tp_message *what,
                      const tpi_order *order)
{
    const tpi_instance_safety *self = device->instance;
    const tp_effect effect = tpi_safety_effect(device, what);
    const int64_t now_ns = tp_clock_now_ns(tp_loop_clock(self->loop));

    assert(tpi_safety_is_current(self));
    if (!tp_effect_can_move(effect)) {
        return false;
    }
    return tpi_panic_epoch(self->panic) != order->epoch || now_ns >= order->until_ns ||
           (effect == TP_EFFECT_MOVES && !tpi_lease_is_held(&device->lease, now_ns));
}

/* A command has the lease of its sender from the moment it comes. If the driver refuses it and the
 * device still does what another mover has commanded, nobody would answer for that any more. */
void tpi_stop_note(tpi_device_safety *device, const tpi_mover *mover, tp_status status)
{
    assert(tpi_safety_is_current(device->instance));
    if (status >= 0) {
        device->in_motion = true;
        device->doer = *mover;
        device->motions++;
    } else if (device->in_motion && !tpi_mover_equal(&device->doer, mover)) {
        halt(device, TP_HALT_BRAKE, TP_HALT_ASKED);
    }
}

/* It may move already; if it did before, another mover has commanded that. */
void tpi_stop_defer(tpi_device_safety *device, tpi_order *order)
{
    assert(tpi_safety_is_current(device->instance));
    order->may_move = true;
    order->motions = device->motions;
    if (!device->in_motion) {
        device->in_motion = true;
        device->doer = order->mover;
    }
}

/* The driver may be in the middle of something when it answers: what has to be stopped is stopped
 * when it is through. A mover that has moved the device since then answers for it itself. */
void tpi_stop_settle(tpi_device_safety *device, const tpi_order *order, tp_status status)
{
    assert(tpi_safety_is_current(device->instance));
    if (!order->may_move || device->motions != order->motions) {
        return;
    }
    if (status >= 0) {
        tpi_stop_note(device, &order->mover, status);
    } else if (device->in_motion && !tpi_mover_equal(&device->doer, &order->mover)) {
        device->stop_due = true;
        tpi_safety_arm(device->instance);
    }
}

bool tpi_stop_may_write(const tpi_instance_safety *self)
{
    assert(tpi_safety_is_current(self));
    return self->halts || !self->moves || !tpi_panic_is_on(self->panic);
}

/* ---- Panics ---------------------------------------------------------------------------------- */

/* A panic may be over before the instance has seen it, and still stops everything. */
static void serve_panic(tpi_instance_safety *self)
{
    const unsigned epoch = tpi_panic_epoch(self->panic);
    const bool is_new = tpi_safety_panics_until(epoch) != tpi_safety_panics_until(self->epoch);

    if (epoch != self->epoch) {
        self->ops->panic_changed(self);
    }
    self->epoch = epoch;
    if (!is_new) {
        return;
    }
    self->halts_for_panic = true;
    for (tpi_device_safety *device = self->devices; device != NULL; device = device->next) {
        halt_so(device, own_way(device));
    }
    self->halts_for_panic = false;
    atomic_store(&self->served, epoch);
}

/* A request that belongs to a panic: once is enough, unless another way is asked for. */
static void halt_for_panic(tpi_device_safety *device, uint8_t way)
{
    tpi_instance_safety *self = device->instance;

    serve_panic(self);
    if (way != TP_HALT_SO_OWN && (tp_halt)way != panic_way(device)) {
        self->halts_for_panic = true;
        halt_so(device, way);
        self->halts_for_panic = false;
    }
}

bool tpi_stop_is_owed(const tpi_instance_safety *self)
{
    const unsigned epoch = tpi_panic_epoch(self->panic);
    const tpi_device_safety *slow = self->devices;

    assert(tp_loop_is_current(self->loop));
    while (slow != NULL && !tpi_slow_stop_is_open(slow)) {
        slow = slow->next;
    }
    return self->moves &&
           (slow != NULL || ((epoch & 1) != 0 && atomic_load(&self->served) < epoch));
}

/* ---- Requests -------------------------------------------------------------------------------- */

tp_status tpi_stop_answer(tpi_device_safety *device, const tp_message *what, const void *ask,
                          unsigned epoch, tp_error *err)
{
    const tp_halt_so *so = what->code == TP_COMMON_REQ_HALT_SO ? ask : NULL;

    assert(tpi_safety_is_current(device->instance));
    if (!device->moves) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s moves nothing", device->name);
    }
    if (so != NULL && so->way > TP_HALT_SO_OWN) {
        return tp_fail(err, TP_E_RANGE, "there is no way %u to halt", so->way);
    }
    if (so != NULL && (epoch & 1) != 0) {
        halt_for_panic(device, so->way);
    } else {
        halt_so(device, so == NULL ? TP_HALT_SO_BRAKE : so->way);
    }
    return tpi_slow_stop_is_open(device) ? TP_PENDING : TP_OK;
}

void tpi_stop_whole_begin(tpi_instance_safety *self)
{
    assert(tpi_safety_is_current(self));
    self->halts = true;
}

void tpi_stop_whole_end(tpi_instance_safety *self)
{
    self->halts = false;
    for (tpi_device_safety *device = self->devices; device != NULL; device = device->next) {
        device->in_motion = false;
        tpi_slow_stop_clear(device);
    }
}

/* ---- Lines that are lost --------------------------------------------------------------------- */

void tpi_stop_lost(tpi_instance_safety *self)
{
    assert(tpi_safety_is_current(self));
    atomic_store(&self->lost, self->moves);
}

void tpi_stop_returned(tpi_instance_safety *self)
{
    assert(tpi_safety_is_current(self));
    atomic_store(&self->lost, false);
}

void tpi_stop_again(tpi_instance_safety *self)
{
    assert(tpi_safety_is_current(self));
    for (tpi_device_safety *device = self->devices; device != NULL; device = device->next) {
        const bool is_panic = tpi_panic_is_on(self->panic);
        halt(device, is_panic ? panic_way(device) : TP_HALT_BRAKE,
             is_panic ? TP_HALT_PANIC : TP_HALT_LEFT);
    }
    tpi_stop_returned(self);
}

bool tpi_stop_is_lost(const tpi_instance_safety *self)
{
    return atomic_load(&self->lost);
}

/* ---- Leases ---------------------------------------------------------------------------------- */

/* The mover moves it no more. Readers receive why when it stands, unless it stood before: a request
 * has stopped it, or a panic has. */
static void end_motion(tpi_device_safety *device, tpi_leaving why)
{
    const bool moved = device->in_motion;

    halt(device, TP_HALT_BRAKE, why == TPI_LEAVING_SILENT ? TP_HALT_SILENT : TP_HALT_LEFT);
    if (moved) {
        tpi_slow_stop_report(device, why);
    }
}

void tpi_stop_mover(tpi_device_safety *device, const tpi_mover *mover, tpi_leaving why)
{
    assert(tpi_safety_is_current(device->instance));
    if (device->in_motion && tpi_mover_equal(&device->doer, mover)) {
        end_motion(device, why);
    }
}

void tpi_stop_others(tpi_device_safety *device, const tpi_mover *mover)
{
    assert(tpi_safety_is_current(device->instance));
    if (device->in_motion && !tpi_mover_equal(&device->doer, mover)) {
        halt(device, TP_HALT_BRAKE, TP_HALT_ASKED);
    }
}

bool tpi_stop_is_overdue(const tpi_instance_safety *self)
{
    const int64_t now_ns = tp_clock_now_ns(tp_loop_clock(self->loop));
    const tpi_device_safety *device = self->devices;

    assert(tpi_safety_is_current(self));
    while (device != NULL && tpi_lease_deadline(&device->lease) > now_ns) {
        device = device->next;
    }
    return device != NULL;
}

static void serve_leases(tpi_instance_safety *self)
{
    if (tpi_safety_deadline_ns(self) == TP_NEVER) {
        return; /* nothing can end: without a look at the clock */
    }
    const int64_t now_ns = tp_clock_now_ns(tp_loop_clock(self->loop));

    for (tpi_device_safety *device = self->devices; device != NULL; device = device->next) {
        if (tpi_lease_take_expired(&device->lease, now_ns)) {
            end_motion(device, (tpi_leaving)atomic_load(&device->leaving));
        }
    }
}

static void serve_dues(tpi_instance_safety *self)
{
    for (tpi_device_safety *device = self->devices; device != NULL; device = device->next) {
        if (device->stop_due) {
            device->stop_due = false;
            halt(device, TP_HALT_BRAKE, TP_HALT_ASKED);
        }
    }
}

void tpi_stop_serve(tpi_instance_safety *self)
{
    assert(tpi_safety_is_current(self));
    serve_panic(self);
    serve_leases(self);
    serve_dues(self);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void lease_fired(void *context)
{
    tpi_instance_safety *self = context;

    tpi_stop_serve(self);
    tpi_safety_arm(self);
}

tp_status tpi_stop_begin(tpi_instance_safety *self, bool on_loop, tp_error *err)
{
    return on_loop ? tp_timer_create(&self->timer, self->loop, lease_fired, self, err) : TP_OK;
}

void tpi_stop_end(tpi_instance_safety *self)
{
    tp_timer_destroy(self->timer);
    self->timer = NULL;
}
