/* call.c - commands and requests: to the device's instance and back. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "bus/pool.h"
#include "device/answers.h"
#include "device/inside.h"

/* ---- On the loop ----------------------------------------------------------------------------- */

static int64_t now_ns(const tp_device *device)
{
    return tp_clock_now_ns(tp_instance_clock(device->instance));
}

static bool can_move(const tp_device *device, const tp_message *what)
{
    return tp_effect_can_move(tpi_safety_effect(&device->safety, what));
}

static void count(const tpi_call *call)
{
    struct counts *counts = &call->device->counts;
    const int64_t took_ns = now_ns(call->device) - call->asked_ns;

    counts->requests += call->status == TP_OK;
    counts->failed += call->status != TP_OK;
    counts->latency_ns += took_ns;
    counts->longest_ns = took_ns > counts->longest_ns ? took_ns : counts->longest_ns;
}

static void finish(tpi_call *call)
{
    if (call->counted && call->what->kind == TP_KIND_REQUEST) {
        count(call);
    }
    if (call->what->kind == TP_KIND_COMMAND && call->status < 0) {
        call->device->counts.refused++;
    }
    if (call->status == TP_OK && tpi_common_halts(call->what)) {
        tpi_claim_stopped(&call->device->safety, &call->order);
    }
    if (call->handle != NULL) {
        *call->handle = NULL;
    }
    if (call->done != NULL) {
        call->done(call->context, call->status, call->answer, &call->error);
    }
    tp_instance *self = call->device->instance;
    tp_msg_unref(call->ask);
    tp_msg_unref(call->answer);
    tpi_pool_give(call);
    tpi_jobs_release(self);
    tpi_jobs_check(self);
}

static void finish_task(tpi_task *task)
{
    finish((tpi_call *)((char *)task - offsetof(tpi_call, task)));
}

void tpi_call_abandon(tpi_call *call)
{
    if (call != NULL) {
        call->done = NULL;
        call->handle = NULL;
        atomic_store(&call->abandoned, true);
    }
}

/* ---- Where the instance runs ----------------------------------------------------------------- */

static void complete(tpi_call *call)
{
    tp_instance *self = call->device->instance;

    if (self->on_loop) {
        finish(call);
    } else {
        call->task.run = finish_task;
        tpi_loop_post(self->hub->loop, &call->task);
    }
}

/* The reply carries the request's address, code and number. */
static void make_answer(tpi_call *call, const void *value)
{
    const tp_msghdr *asked = tp_msg_header(call->ask);
    tp_geometry geometry;
    const tp_clock *clock = tp_instance_clock(call->device->instance);
    const tp_msghdr header = {.addr = call->device->addr,
                              .type = TP_MSGTYPE_RESP_ACK,
                              .subtype = asked->subtype,
                              .timestamp = tp_clock_wall_s(clock),
                              .seq = asked->seq};

    if (call->asked_instead != NULL) {
        tpi_geometry_convert(call->device, call->asked_instead, value, &geometry);
        value = &geometry;
    }
    call->status = tp_msg_create(&call->answer, &header, call->what->answer, value);
}

static tp_status operate(tpi_call *call, const void *ask, void *answer)
{
    tp_device *device = call->device;
    const tp_message *what = call->what;

    if (what->ask != NULL && ask == NULL) {
        return tp_fail(&call->error, TP_E_SHORT, "%s without a body", what->name);
    }
    if (tpi_common_owns(what)) {
        return tpi_common_answer(device, what, ask, answer, call->order.epoch, &call->error);
    }
    if (device->handler != NULL) {
        return device->handler(device, what, ask, answer, &call->error);
    }
    if (!tp_message_handled(what, device->ops)) {
        return tp_fail(&call->error, TP_E_UNSUPPORTED, "%s is not supported", what->name);
    }
    return what->call(device->ops, device, ask, answer, &call->error);
}

static void take_ticket(tpi_call *call, tp_status status)
{
    tp_instance *self = call->device->instance;

    if (call->previous != NULL) {
        call->previous->next = call->next;
    } else {
        self->calls.tickets = call->next;
    }
    if (call->next != NULL) {
        call->next->previous = call->previous;
    }
    call->deferred = false;
    if (self->calls.current == call) {
        self->calls.current = NULL;
        self->calls.answered = status;
    }
}

/* The operation has answered, or said why not. */
static void settle(tpi_call *call, tp_status status, const void *answer)
{
    if (call->deferred) {
        take_ticket(call, status);
    }
    call->status = status;
    if (status == TP_PENDING) {
        call->status = tp_fail(&call->error, TP_E_DEVICE, "%s: the driver has lost the request",
                               call->what->name);
    } else if (status == TP_OK && call->what->kind == TP_KIND_REQUEST) {
        make_answer(call, answer);
    }
    complete(call);
}

/* Let the driver carry it out. False if the call is not the caller's any more: the driver answers
 * later, or its ticket has been used already. */
static bool carry_out(tpi_call *call, const void *ask, void *answer, tp_status *status)
{
    struct calls *calls = &call->device->instance->calls;
    tpi_device_safety *safety = &call->device->safety;
    const bool moving = call->what->effect == TP_EFFECT_MOVES;
    const tpi_mover mover = call->order.mover;

    calls->current = call;
    *status = operate(call, ask, answer);
    const bool ended = calls->current == NULL;
    const bool pending = !ended && *status == TP_PENDING && call->deferred;
    calls->current = NULL;
    *status = ended ? calls->answered : *status;
    if (moving && pending) {
        tpi_stop_defer(safety, &call->order);
    } else if (moving) {
        tpi_stop_note(safety, &mover, *status);
    }
    return !ended && !pending;
}

bool tpi_call_play(tpi_call *call, const tpi_timed_command *command, tp_status *status)
{
    tp_instance *self = command->device->instance;

    assert(instance_is_current(self));
    *call = (tpi_call){
        .device = command->device,
        .what = command->what,
        .asked_ns = command->now_ns,
        .order = {.mover = command->mover, .epoch = command->epoch, .until_ns = command->until_ns}};
    tpi_jobs_add(self);
    if (!carry_out(call, command->ask, NULL, status)) {
        return true;
    }
    tpi_jobs_release(self);
    return false;
}

/* An operation that talks with its hardware may take longer than a lease, which its client renews
 * meanwhile. Its first bytes are another matter: they follow at once, unless it was frozen. */
bool tpi_call_may_write(tp_instance *self)
{
    tpi_call *call = self->calls.current;
    tpi_order order;

    assert(instance_is_current(self));
    if (call == NULL) { /* what it repeats ends with the lease, as its messages do */
        return !instance_is_started(self) || !tpi_stop_is_overdue(&self->safety);
    }
    order = call->order;
    order.until_ns = call->writes ? TP_NEVER : order.until_ns;
    call->writes = true;
    return !tpi_stop_is_late(&call->device->safety, call->what, &order);
}

int64_t tpi_call_until_ns(const tp_instance *self)
{
    const tpi_call *call = self->calls.current;

    assert(instance_is_current(self));
    if (call != NULL && can_move(call->device, call->what)) {
        return call->order.until_ns;
    }
    const int64_t until_ns = tp_clock_now_ns(tp_instance_clock(self)) + TPI_DRIVER_MESSAGE_NS;
    return self->safety.halts ? until_ns
                              : tpi_smaller(until_ns, tpi_safety_deadline_ns(&self->safety));
}

tp_device *tpi_call_commanded(const tp_instance *self)
{
    const tpi_call *call = self->calls.current;

    assert(instance_is_current(self));
    return call != NULL && call->what->kind == TP_KIND_COMMAND ? call->device : NULL;
}

int64_t tpi_call_silence_ns(const tp_instance *self)
{
    const tpi_call *call = self->calls.current;
    const bool moves = call != NULL && call->what->effect == TP_EFFECT_MOVES;

    assert(instance_is_current(self));
    return tpi_safety_silence_ns(&self->safety, moves ? &call->device->safety : NULL);
}

int64_t tp_device_silence_ns(const tp_device *device)
{
    assert(instance_is_current(device->instance));
    return atomic_load(&device->safety.silence_ns);
}

static void run_call(job *next, tp_instance *self)
{
    tpi_call *call = (tpi_call *)next;
    void *answer = NULL;

    if (!instance_is_started(self)) {
        call->status = tp_fail(&call->error, TP_E_DEVICE, "the device is not running");
        complete(call);
        return;
    }
    if (next->yields && atomic_load(&call->abandoned)) { /* its client is gone: no answer is made */
        call->status = TP_E_CLOSED;
        complete(call);
        return;
    }
    if (tpi_stop_is_late(&call->device->safety, call->what, &call->order)) {
        call->status = tp_fail(&call->error, TP_E_TIMEOUT, "%s came too late, or in a panic",
                               call->what->name);
        complete(call);
        return;
    }
    if (call->what->answer != NULL) {
        answer = self->calls.scratch;
        memset(answer, 0, call->what->answer->size);
    }
    tp_status status;
    if (carry_out(call, tp_msg_payload(call->ask), answer, &status)) {
        settle(call, status, answer);
    }
}

tp_status tpi_call_create(tpi_call **made, tp_device *device, const tp_message *what, tp_msg *ask,
                          bool yields, tpi_call_done *done, void *context, tpi_call **out)
{
    tp_instance *self = device->instance;

    assert(hub_is_current(self->hub));
    if (out != NULL) {
        *out = NULL;
    }
    if (tpi_jobs_reserve(self, yields) != TP_OK) {
        return TP_E_LIMIT;
    }
    tpi_call *call = tpi_pool_take(sizeof *call);
    if (call == NULL) {
        tpi_jobs_release(self);
        return TP_E_NOMEM;
    }
    *call = (tpi_call){.job = {.run = run_call, .yields = yields},
                       .device = device,
                       .what = what,
                       .ask = tp_msg_ref(ask),
                       .order = {.takes = device->safety.takes},
                       .counted = true,
                       .asked_ns = now_ns(device),
                       .done = done,
                       .context = context,
                       .handle = out};
    if (out != NULL) {
        *out = call;
    }
    *made = call;
    return TP_OK;
}

void tpi_call_post(tpi_call *call)
{
    call->device->counts.commands += call->what->kind == TP_KIND_COMMAND;
    tpi_instance_submit(call->device->instance, &call->job);
}

tp_status tpi_call_quietly(tp_device *device, const tp_message *what, tp_msg *ask,
                           tpi_call_done *done, void *context)
{
    tpi_call *call = NULL;
    tp_status status = tpi_call_create(&call, device, what, ask, false, done, context, NULL);

    if (status == TP_OK) {
        call->counted = false;
        tpi_call_post(call);
    }
    return status;
}

tp_status tpi_device_call_for(tp_device *device, const tp_message *what, tp_msg *ask,
                              const tpi_claim *claim, tpi_call_done *done, void *context,
                              tpi_call **out)
{
    const unsigned epoch = tpi_panic_epoch(device->instance->hub->panic);
    tpi_call *call = NULL;

    if (can_move(device, what) && (epoch & 1) != 0) {
        return TP_E_PANIC;
    }
    /* One that finds no room takes no lease: it would keep moving what another has set in motion.
     */
    tp_status status = tpi_call_create(&call, device, what, ask, claim->yields, done, context, out);
    if (status == TP_OK) {
        tpi_grant_overridden(device, what, &claim->mover);
        tpi_claim_take(&device->safety, what, claim, epoch, &call->order);
        tpi_call_post(call);
    }
    return status;
}

tp_status tpi_device_call(tp_device *device, const tp_message *what, tp_msg *ask,
                          tpi_call_done *done, void *context, tpi_call **out)
{
    const tpi_claim nobody = {0};

    return tpi_device_call_for(device, what, ask, &nobody, done, context, out);
}

/* ---- Answering later ------------------------------------------------------------------------- */

tp_ticket *tp_device_defer(tp_device *device)
{
    tp_instance *self = device->instance;
    tpi_call *call = self->calls.current;

    assert(instance_is_current(self));
    if (call != NULL && !call->deferred) {
        call->deferred = true;
        call->previous = NULL;
        call->next = self->calls.tickets;
        if (call->next != NULL) {
            call->next->previous = call;
        }
        self->calls.tickets = call;
    }
    return (tp_ticket *)call;
}

void tp_ticket_answer(tp_ticket *ticket, const void *value)
{
    tpi_call *call = (tpi_call *)ticket;

    assert(device_is_current(call->device));
    take_ticket(call, TP_OK);
    tpi_stop_settle(&call->device->safety, &call->order, TP_OK);
    if (call->what->kind == TP_KIND_REQUEST) {
        make_answer(call, value);
    } else {
        call->status = TP_OK;
    }
    complete(call);
}

void tp_ticket_fail(tp_ticket *ticket, tp_status code, const char *text)
{
    tpi_call *call = (tpi_call *)ticket;

    assert(device_is_current(call->device));
    take_ticket(call, code);
    tpi_stop_settle(&call->device->safety, &call->order, code);
    if (call->asked_instead != NULL && code == TP_E_UNSUPPORTED) {
        make_answer(call, NULL); /* that it is not known */
    } else {
        call->status = tp_fail(&call->error, code, "%s", text);
    }
    complete(call);
}

bool tp_ticket_is_wanted(const tp_ticket *ticket)
{
    return !atomic_load(&((const tpi_call *)ticket)->abandoned);
}

void tpi_tickets_end(tp_instance *self)
{
    while (self->calls.tickets != NULL) {
        tp_ticket_fail((tp_ticket *)self->calls.tickets, TP_E_DEVICE, "the device was stopped");
    }
}

static tpi_call *find_halt(const tp_device *device)
{
    tpi_call *call = device->instance->calls.tickets;

    while (call != NULL && (call->device != device || !tpi_common_halts(call->what))) {
        call = call->next;
    }
    return call;
}

void tpi_tickets_answer_halts(tp_device *device)
{
    for (tpi_call *call = find_halt(device); call != NULL; call = find_halt(device)) {
        tp_ticket_answer((tp_ticket *)call, NULL);
    }
}

/* ---- Room for answers ------------------------------------------------------------------------ */

static size_t largest_answer(const tp_instance *self)
{
    size_t largest = 1;

    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        for (uint32_t i = 0; i < device->interface->message_count; i++) {
            const tp_struct *answer = device->interface->messages[i].answer;
            largest = answer != NULL && answer->size > largest ? answer->size : largest;
        }
    }
    for (uint32_t i = 0; i < tp_interface_common.message_count; i++) {
        const tp_struct *answer = tp_interface_common.messages[i].answer;
        largest = answer != NULL && answer->size > largest ? answer->size : largest;
    }
    return largest;
}

tp_status tpi_calls_prepare(tp_instance *self, tp_error *err)
{
    const size_t size = (largest_answer(self) + 15) / 16 * 16;

    self->calls.scratch = malloc(2 * size);
    if (self->calls.scratch == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    self->calls.spare = (char *)self->calls.scratch + size;
    return TP_OK;
}

void tpi_calls_fini(tp_instance *self)
{
    free(self->calls.scratch);
}
