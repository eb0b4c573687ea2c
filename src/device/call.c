/* call.c - commands and requests: to the device's instance and back. */
#include <stddef.h>
#include <string.h>

#include "bus/pool.h"
#include "device/answers.h"
#include "device/inside.h"
#include "safety/moving.h"

/* ---- On the loop ----------------------------------------------------------------------------- */

static int64_t now_ns(const tp_device *device)
{
    return tp_clock_now_ns(tp_instance_clock(device->instance));
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

void tpi_call_finish(tpi_call *call)
{
    if (call->counted && call->what->kind == TP_KIND_REQUEST) {
        count(call);
    }
    if (call->what->kind == TP_KIND_COMMAND && call->status < 0) {
        call->device->counts.refused++;
    }
    tpi_halting_finished(call);
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
    atomic_fetch_sub(&self->waiting_jobs, 1);
    tpi_remove_check(self);
}

static void finish_task(tpi_task *task)
{
    tpi_call_finish((tpi_call *)((char *)task - offsetof(tpi_call, task)));
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
        tpi_call_finish(call);
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
        return tpi_common_answer(device, what, ask, answer, call->epoch, &call->error);
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
        self->tickets = call->next;
    }
    if (call->next != NULL) {
        call->next->previous = call->previous;
    }
    call->deferred = false;
    if (self->current == call) {
        self->current = NULL;
        self->answered = status;
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
    tp_instance *self = call->device->instance;
    const bool moving = call->what->effect == TP_EFFECT_MOVES;
    const void *mover = call->mover;
    tp_device *device = call->device;

    self->current = call;
    *status = operate(call, ask, answer);
    const bool ended = self->current == NULL;
    const bool pending = !ended && *status == TP_PENDING && call->deferred;
    self->current = NULL;
    *status = ended ? self->answered : *status;
    if (moving && pending) {
        tpi_motion_defer(call);
    } else if (moving) {
        tpi_motion_note(device, mover, *status);
    }
    return !ended && !pending;
}

bool tpi_call_play(tpi_call *call, const tpi_timed_command *command, tp_status *status)
{
    tp_instance *self = command->device->instance;

    *call = (tpi_call){.device = command->device,
                       .what = command->what,
                       .asked_ns = now_ns(command->device),
                       .mover = command->mover};
    atomic_fetch_add(&self->waiting_jobs, 1);
    if (!carry_out(call, command->ask, NULL, status)) {
        return true;
    }
    atomic_fetch_sub(&self->waiting_jobs, 1);
    return false;
}

static void run_call(job *next, tp_instance *self)
{
    tpi_call *call = (tpi_call *)next;
    void *answer = NULL;

    if (!self->started) {
        call->status = tp_fail(&call->error, TP_E_DEVICE, "the device is not running");
        complete(call);
        return;
    }
    if (tpi_motion_is_late(call)) {
        call->status = tp_fail(&call->error, TP_E_TIMEOUT, "%s came too late, or in a panic",
                               call->what->name);
        complete(call);
        return;
    }
    if (call->what->answer != NULL) {
        answer = self->scratch;
        memset(answer, 0, call->what->answer->size);
    }
    tp_status status;
    if (carry_out(call, tp_msg_payload(call->ask), answer, &status)) {
        settle(call, status, answer);
    }
}

tp_status tpi_call_create(tpi_call **made, tp_device *device, const tp_message *what, tp_msg *ask,
                          tpi_call_done *done, void *context, tpi_call **out)
{
    tp_instance *self = device->instance;

    if (out != NULL) {
        *out = NULL;
    }
    if (atomic_fetch_add(&self->waiting_jobs, 1) >= MOST_WAITING) {
        atomic_fetch_sub(&self->waiting_jobs, 1);
        return TP_E_LIMIT;
    }
    tpi_call *call = tpi_pool_take(sizeof *call);
    if (call == NULL) {
        atomic_fetch_sub(&self->waiting_jobs, 1);
        return TP_E_NOMEM;
    }
    *call = (tpi_call){.job = {.run = run_call},
                       .device = device,
                       .what = what,
                       .ask = tp_msg_ref(ask),
                       .takes = device->takes,
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
    tp_status status = tpi_call_create(&call, device, what, ask, done, context, NULL);

    if (status == TP_OK) {
        call->counted = false;
        tpi_call_post(call);
    }
    return status;
}

/* ---- Answering later ------------------------------------------------------------------------- */

tp_ticket *tp_device_defer(tp_device *device)
{
    tp_instance *self = device->instance;
    tpi_call *call = self->current;

    if (call != NULL && !call->deferred) {
        call->deferred = true;
        call->previous = NULL;
        call->next = self->tickets;
        if (call->next != NULL) {
            call->next->previous = call;
        }
        self->tickets = call;
    }
    return (tp_ticket *)call;
}

void tp_ticket_answer(tp_ticket *ticket, const void *value)
{
    tpi_call *call = (tpi_call *)ticket;

    take_ticket(call, TP_OK);
    tpi_motion_settle(call, TP_OK);
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

    take_ticket(call, code);
    tpi_motion_settle(call, code);
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
    while (self->tickets != NULL) {
        tp_ticket_fail((tp_ticket *)self->tickets, TP_E_DEVICE, "the device was stopped");
    }
}
