/*
 * motion.c - what moves, and what stops it: leases and panic at a device.
 *
 * The loop knows who moved a device last (its mover) and writes when that lease ends. Where the
 * instance runs, the end of a lease and a new panic are looked for whenever it wakes up, and both
 * wake it up: the end of a lease is part of what a worker waits for, a panic rings its bell.
 * Instances on the loop have a timer for the first and a task of the hub for the second.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "device/inside.h"
#include "safety/moving.h"

/* ---- On the loop: whose lease it is ---------------------------------------------------------- */

/* So much time from now, 0 or less for unlimited. */
static int64_t in(const tp_device *device, int64_t time_ns)
{
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(device->instance));

    return time_ns <= 0 || time_ns > TPI_LEASE_UNLIMITED - now_ns ? TPI_LEASE_UNLIMITED
                                                                  : now_ns + time_ns;
}

static int64_t end_of(const tp_device *device, int64_t lease_ns)
{
    const int64_t end_ns = in(device, lease_ns);

    return end_ns < device->lease_limit_ns ? end_ns : device->lease_limit_ns;
}

/* What an instance on the loop is woken by; one with a thread waits itself. */
static void arm(tp_instance *self)
{
    if (self->lease_timer != NULL) {
        tp_timer_at(self->lease_timer, tpi_motion_deadline_ns(self));
    }
}

static void wake(tp_instance *self)
{
    if (self->lease_timer != NULL) {
        arm(self);
    } else if (self->thread != NULL) {
        tpi_bell_ring(&self->bell);
    }
}

/* Before the message is handed over, so that the worker finds the lease when it finds the message.
 */
static void take_lease(tp_device *device, const tpi_mover *mover, unsigned epoch)
{
    device->mover = mover->who;
    device->takes++;
    device->taken_epoch = epoch;
    device->stands = false;
    device->lease_limit_ns = in(device, mover->valid_ns);
    atomic_store(&device->leaving, TPI_LEAVING_SILENT);
    tpi_lease_extend(&device->lease, end_of(device, mover->lease_ns));
    arm(device->instance);
}

void tpi_motion_take(tp_device *device, const tpi_mover *mover, unsigned epoch)
{
    static const tp_message any = {.effect = TP_EFFECT_MOVES};

    take_lease(device, mover, epoch);
    tpi_rank_take(device, &any, mover);
}

tp_status tpi_device_call_for(tp_device *device, const tp_message *what, tp_msg *ask,
                              const tpi_mover *mover, tpi_call_done *done, void *context,
                              tpi_call **out)
{
    const unsigned epoch = tpi_panic_epoch(device->instance->hub->panic);
    const bool moving = what->effect == TP_EFFECT_MOVES;
    tpi_call *call = NULL;

    if (moving && (epoch & 1) != 0) {
        return TP_E_PANIC;
    }
    /* One that finds no room takes no lease: it would keep moving what another has set in motion.
     */
    tp_status status = tpi_call_create(&call, device, what, ask, done, context, out);
    if (status != TP_OK) {
        return status;
    }
    call->epoch = epoch;
    tpi_grant_overridden(device, what, mover->who);
    if (moving) {
        call->mover = mover->who;
        take_lease(device, mover, epoch);
    }
    tpi_rank_take(device, what, mover);
    tpi_call_post(call);
    return TP_OK;
}

tp_status tpi_device_call(tp_device *device, const tp_message *what, tp_msg *ask,
                          tpi_call_done *done, void *context, tpi_call **out)
{
    const tpi_mover nobody = {0};

    return tpi_device_call_for(device, what, ask, &nobody, done, context, out);
}

void tpi_device_heard(tp_device *device, const void *who, int64_t lease_ns)
{
    if (device->mover == who) {
        tpi_lease_renew(&device->lease, end_of(device, lease_ns));
    }
}

void tpi_device_left(tp_device *device, const void *who, tpi_leaving why)
{
    if (device->mover == who) {
        device->mover = NULL;
        atomic_store(&device->leaving, why); /* before the worker can find the lease over */
        tpi_lease_end(&device->lease);
        wake(device->instance);
    }
}

/* Behind all that he has commanded: a driver that stops may have parked what it used. */
void tpi_motion_leave_in_order(tp_device *device, const void *who)
{
    const tp_message *what =
        tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, TP_COMMON_REQ_HALT);
    const tp_msghdr header = {
        .addr = device->addr, .type = TP_MSGTYPE_REQ, .subtype = TP_COMMON_REQ_HALT};
    tp_msg *msg = NULL;

    if (device->mover != who) {
        return;
    }
    if (!device->moves) {
        device->mover = NULL;
        return;
    }
    if (tp_msg_create(&msg, &header, NULL, NULL) != TP_OK ||
        tpi_call_quietly(device, what, msg, NULL, NULL) != TP_OK) {
        tpi_device_left(device, who, TPI_LEAVING_CLOSED); /* at least it is stopped */
    }
    device->mover = NULL;
    tp_msg_unref(msg);
}

/* ---- Where the instance runs: stopping ------------------------------------------------------- */

/* A driver that cannot halt a device is stopped as a whole, which leaves its actuators safe, and
 * started again as if it had failed. */
static void halt(tp_device *device, tp_halt how, tp_halt_reason reason)
{
    tp_instance *self = device->instance;
    const bool busy = self->busy;

    if (!self->started || !device->moves) {
        return;
    }
    device->in_motion = false;
    self->busy = self->halts = true;
    self->halted = device;
    self->halt_reason = reason;
    if (self->plan.driver->ops->halt != NULL) {
        self->plan.driver->ops->halt(device, how);
    } else {
        tp_instance_fail(self, TP_E_DEVICE, "stopped as a whole, since the driver cannot halt it");
    }
    self->halt_reason = TP_HALT_UNASKED;
    self->halted = NULL;
    self->halts = false;
    self->busy = busy;
}

_Static_assert((int)TP_HALT_BRAKE == TP_HALT_SO_BRAKE && (int)TP_HALT_HOLD == TP_HALT_SO_HOLD &&
                   (int)TP_HALT_FINISH == TP_HALT_SO_FINISH,
               "ways to halt are asked for as they are");

static tp_halt panic_way(const tp_instance *self)
{
    return self->plan.own_panic ? self->plan.panic : (tp_halt)atomic_load(&self->hub->panic_action);
}

/* As somebody has asked for it, which is passed on as he has. */
static void halt_so(tp_device *device, uint8_t way)
{
    tp_instance *self = device->instance;

    self->halt_way = way;
    halt(device, way == TP_HALT_SO_OWN ? panic_way(self) : (tp_halt)way,
         self->halts_for_panic ? TP_HALT_PANIC : TP_HALT_ASKED);
    self->halt_way = TP_HALT_SO_BRAKE;
}

/* Readers are told why it stands still. Of a panic everybody hears otherwise (emergency.c). */
void tpi_motion_tell_end(tp_device *device, int leaving)
{
    static const struct {
        tp_status code;
        const char *before; /* the name of the device, */
        const char *behind;
    } ends[] = {
        [TPI_LEAVING_SILENT] = {TP_E_TIMEOUT, "nothing was heard any more of who moved", ""},
        [TPI_LEAVING_DISCONNECTED] = {TP_E_CLOSED, "the connection of who moved", " was closed"},
        [TPI_LEAVING_CLOSED] = {TP_E_CLOSED, "who moved", " has closed it"},
        [TPI_LEAVING_FORBIDDEN] = {TP_E_DENIED, "who moved", " may not do so any more"},
    };
    tp_failure failure = {.code = ends[leaving].code};
    char text[sizeof device->name + 80];

    (void)snprintf(text, sizeof text, "stopped: %s %s%s", ends[leaving].before, device->name,
                   ends[leaving].behind);
    failure.text = tpi_text_field(text, &failure.text_count);
    tp_publish(device, TP_COMMON_DATA_ERROR, &failure, 0);
}

/* Its lease is over, or there was a panic since it came. */
bool tpi_motion_is_late(const tpi_call *call)
{
    const tp_instance *self = call->device->instance;

    return call->what->effect == TP_EFFECT_MOVES &&
           (tpi_panic_epoch(self->hub->panic) != call->epoch ||
            !tpi_lease_is_held(&call->device->lease, tp_clock_now_ns(tp_instance_clock(self))));
}

/* A command has the lease of its sender from the moment it comes. If the driver refuses it and the
 * device still does what somebody else has told it, nobody would answer for that any more. */
void tpi_motion_note(tp_device *device, const void *mover, tp_status status)
{
    if (status >= 0) {
        device->in_motion = true;
        device->doer = mover;
        device->motions++;
    } else if (device->in_motion && device->doer != mover) {
        halt(device, TP_HALT_BRAKE, TP_HALT_ASKED);
    }
}

/* It may move already; if it did before, that is what somebody else has told it. */
void tpi_motion_defer(tpi_call *call)
{
    tp_device *device = call->device;

    call->may_move = true;
    call->motions = device->motions;
    if (!device->in_motion) {
        device->in_motion = true;
        device->doer = call->mover;
    }
}

/* The driver may be in the middle of something when it answers: what has to be stopped is stopped
 * when it is through. Whoever has moved the device since then answers for it himself. */
void tpi_motion_settle(tpi_call *call, tp_status status)
{
    tp_device *device = call->device;

    if (!call->may_move || device->motions != call->motions) {
        return;
    }
    if (status >= 0) {
        tpi_motion_note(device, call->mover, status);
    } else if (device->in_motion && device->doer != call->mover) {
        device->halt_due = true;
        arm(device->instance);
    }
}

/* In a panic only what stops things is written, by instances that move any. */
bool tpi_motion_may_write(const tp_instance *self)
{
    const tp_device *device = self->devices;

    if (atomic_load(&self->hub->guards.crashed)) { /* nothing comes behind the guards' bytes */
        return false;
    }
    if (self->halts || !tpi_panic_is_on(self->hub->panic)) {
        return true;
    }
    while (device != NULL && !device->moves) {
        device = device->next;
    }
    return device == NULL;
}

int64_t tpi_motion_deadline_ns(const tp_instance *self)
{
    int64_t first_ns = TP_NEVER;

    for (const tp_device *device = self->devices; device != NULL; device = device->next) {
        const int64_t deadline_ns = device->halt_due ? 0 : tpi_lease_deadline(&device->lease);
        first_ns = deadline_ns < first_ns ? deadline_ns : first_ns;
    }
    return first_ns;
}

/* How many there have been. One may be over before the instance has seen it, and still stops it. */
static unsigned panics_until(unsigned epoch)
{
    return (epoch + 1) / 2;
}

bool tpi_motion_panicked_since(const tp_instance *self, unsigned epoch)
{
    return panics_until(tpi_panic_epoch(self->hub->panic)) != panics_until(epoch);
}

static void serve_panic(tp_instance *self)
{
    const unsigned epoch = tpi_panic_epoch(self->hub->panic);
    const bool is_new = panics_until(epoch) != panics_until(self->panic_epoch);

    if (epoch != self->panic_epoch && self->on_panic != NULL) {
        self->on_panic(self);
    }
    self->panic_epoch = epoch;
    if (!is_new) {
        return;
    }
    self->halts_for_panic = true;
    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        halt_so(device, self->plan.own_panic ? (uint8_t)self->plan.panic : TP_HALT_SO_OWN);
    }
    self->halts_for_panic = false;
    atomic_store(&self->panic_served, epoch);
}

/* For a panic that has come here as such, too, and has stopped it: once is enough, unless it is to
 * be in another way. */
static void halt_for_panic(tp_device *device, uint8_t way)
{
    tp_instance *self = device->instance;

    serve_panic(self);
    if (way != TP_HALT_SO_OWN && (tp_halt)way != panic_way(self)) {
        self->halts_for_panic = true;
        halt_so(device, way);
        self->halts_for_panic = false;
    }
}

tp_status tpi_motion_halt(tp_device *device, const tp_message *what, const void *ask,
                          unsigned epoch, tp_error *err)
{
    const tp_halt_so *so = what->code == TP_COMMON_REQ_HALT_SO ? ask : NULL;

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
    return tpi_halting_answer(device);
}

bool tpi_motion_owes_a_stop(const tp_instance *self)
{
    const unsigned epoch = tpi_panic_epoch(self->hub->panic);

    return self->phase != IDLE && self->phase != FAILED && self->moves &&
           (tpi_halting_is_open(self) ||
            ((epoch & 1) != 0 && atomic_load(&self->panic_served) < epoch));
}

/* Whoever moved it does so no more. Readers are told when it stands, unless it did before. */
static void end_motion(tp_device *device, int leaving)
{
    const bool moved = device->in_motion;

    halt(device, TP_HALT_BRAKE, leaving == TPI_LEAVING_SILENT ? TP_HALT_SILENT : TP_HALT_LEFT);
    if (moved && atomic_load(&device->halts_open) > 0) {
        device->end_due = leaving;
    } else if (moved) { /* else somebody has stopped it before, or a panic has */
        tpi_motion_tell_end(device, leaving);
    }
}

void tpi_motion_stop(tp_device *device, const void *who, tpi_leaving why)
{
    if (device->in_motion && device->doer == who) {
        end_motion(device, (int)why);
    }
}

void tpi_motion_stop_others(tp_device *device, const void *who)
{
    if (device->in_motion && device->doer != who) {
        halt(device, TP_HALT_BRAKE, TP_HALT_ASKED);
    }
}

static void serve_leases(tp_instance *self)
{
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(self));

    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        if (tpi_lease_take_expired(&device->lease, now_ns)) {
            end_motion(device, atomic_load(&device->leaving));
        }
    }
}

static void serve_dues(tp_instance *self)
{
    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        if (device->halt_due) {
            device->halt_due = false;
            halt(device, TP_HALT_BRAKE, TP_HALT_ASKED);
        }
    }
}

void tpi_motion_serve(tp_instance *self)
{
    serve_panic(self);
    serve_leases(self);
    serve_dues(self);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void lease_fired(void *context)
{
    tp_instance *self = context;

    tpi_motion_serve(self);
    arm(self);
}

static bool moves(const tp_interface *interface)
{
    for (uint32_t i = 0; i < interface->message_count; i++) {
        if (interface->messages[i].effect == TP_EFFECT_MOVES) {
            return true;
        }
    }
    return false;
}

tp_status tpi_motion_begin(tp_instance *self, tp_error *err)
{
    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        device->moves = moves(device->interface);
        device->end_due = -1;
        self->moves = self->moves || device->moves;
    }
    self->panic_epoch = tpi_panic_epoch(self->hub->panic);
    atomic_store(&self->panic_served, self->panic_epoch);
    if (self->on_loop) {
        return tp_timer_create(&self->lease_timer, self->hub->loop, lease_fired, self, err);
    }
    return TP_OK;
}

void tpi_motion_end(tp_instance *self)
{
    tp_timer_destroy(self->lease_timer);
    self->lease_timer = NULL;
}
