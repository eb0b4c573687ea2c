/*
 * errand.c - commands and requests of a driver to devices that it uses.
 *
 * They go from the instance's thread to the loop, from there to the other device, and answers come
 * back as jobs. Nobody waits for anybody, so drivers may use each other in circles of requests
 * without a deadlock.
 */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "base/order.h"
#include "bus/pool.h"
#include "device/inside.h"

/* On its way from the driver to the other device and back. */
struct errand {
    tpi_task task; /* to the loop */
    job job;       /* back to the instance */
    tp_link *link;
    const tp_message *what;
    tp_msg *msg;    /* owned */
    tp_msg *answer; /* owned */
    tp_status status;
    tp_error error;
    tp_link_done *done; /* NULL for a command */
    void *context;
    /* Where the instance runs: among its errands, or ended before the answer came. */
    bool ended;
    struct errand *next;
    struct errand *previous;
    tpi_call *call;  /* the other device's, while it works */
    tp_timer *timer; /* owned: the deadline */
    int64_t timeout_ns;
    unsigned epoch;     /* of the panic that its instance has seen */
    int64_t until_ns;   /* it moves nothing after this time */
    int64_t silence_ns; /* of the client that it is for; 0 for no limit */
    tp_device *ordered; /* borrowed: the device whose command it passes on; NULL for none */
    bool reports;       /* readers of all devices of the driver hear that it is refused */
};

static void end_errand(struct errand *errand)
{
    tp_instance *self = errand->link->instance;

    tp_msg_unref(errand->msg);
    tp_msg_unref(errand->answer);
    tpi_pool_give(errand);
    atomic_fetch_sub(&self->errands.out, 1);
    if (self->on_loop) {
        tpi_jobs_check(self);
    }
}

static void keep_errand(tp_instance *self, struct errand *errand)
{
    errand->next = self->errands.first;
    if (errand->next != NULL) {
        errand->next->previous = errand;
    }
    self->errands.first = errand;
}

static void forget_errand(tp_instance *self, struct errand *errand)
{
    if (errand->previous != NULL) {
        errand->previous->next = errand->next;
    } else {
        self->errands.first = errand->next;
    }
    if (errand->next != NULL) {
        errand->next->previous = errand->previous;
    }
}

static void run_answer(job *next, tp_instance *self)
{
    struct errand *errand = (struct errand *)((char *)next - offsetof(struct errand, job));

    if (!errand->ended) {
        forget_errand(self, errand);
        errand->done(self, errand->context, errand->status, errand->answer, errand->error.text);
    }
    end_errand(errand);
}

void tpi_errands_close(tp_instance *self)
{
    assert(instance_is_current(self));
    self->errands.closed = true;
}

/* Their answers still come and are dropped. */
void tpi_errands_end(tp_instance *self)
{
    while (self->errands.first != NULL) {
        struct errand *errand = self->errands.first;
        forget_errand(self, errand);
        errand->ended = true;
        errand->done(self, errand->context, TP_E_DEVICE, NULL, "the device was stopped");
    }
}

void tpi_errands_count(tp_instance *self, int more)
{
    atomic_fetch_add(&self->errands.out, more);
}

void tpi_errands_open(tp_instance *self)
{
    self->errands.closed = false;
}

/* Whether somebody wants to know what becomes of it. */
static bool is_awaited(const struct errand *errand)
{
    return errand->done != NULL || errand->ordered != NULL || errand->reports;
}

static void tell_refusal(const struct errand *errand, tp_device *device)
{
    char text[sizeof device->name + sizeof errand->error.text + 2];

    (void)snprintf(text, sizeof text, "%s: %s", device->name, errand->error.text);
    tpi_device_deliver_failure(device, errand->status, text);
}

/* A command has no answer. Readers of the device that it was sent to hear that it was refused; if
 * it is the driver's own, readers of all its devices do: once until one is obeyed, or refused for
 * another reason. */
static void tell_outcome(const struct errand *errand)
{
    tp_link *link = errand->link;
    const bool is_news = errand->status != TP_OK && errand->status != link->refused;

    if (!is_awaited(errand)) {
        return;
    }
    link->refused = errand->status;
    if (is_news && errand->ordered != NULL) {
        tell_refusal(errand, errand->ordered);
    } else if (is_news) {
        for (tp_device *device = link->instance->devices; device != NULL; device = device->next) {
            tell_refusal(errand, device);
        }
    }
}

/* On the loop: the answer is here, or will not come. */
static void bring_answer(struct errand *errand)
{
    tp_timer_destroy(errand->timer);
    errand->timer = NULL;
    if (errand->done == NULL) {
        tell_outcome(errand);
        end_errand(errand);
        return;
    }
    errand->job.run = run_answer;
    tpi_instance_submit(errand->link->instance, &errand->job);
}

static void answered(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct errand *errand = context;

    errand->status = status;
    errand->error = *err;
    errand->answer = answer == NULL ? NULL : tp_msg_ref(answer);
    bring_answer(errand);
}

static void expired(void *context)
{
    struct errand *errand = context;

    tpi_call_abandon(errand->call);
    errand->status = tp_fail(&errand->error, TP_E_TIMEOUT, "%s:%u does not answer %s in time",
                             errand->link->wanted.interface->name, errand->link->wanted.addr.index,
                             errand->what->name);
    bring_answer(errand);
}

/* The sender is the driver, so a client with exclusive access, and a client or driver of a higher
 * rank, can block it. */
static tp_status call(struct errand *errand, tp_device *device)
{
    const bool request = errand->done != NULL;
    const bool can_move = tp_effect_can_move(tpi_safety_effect(&device->safety, errand->what));
    tpi_claim claim = {.mover = errand->link->mover,
                       .until_ns = errand->until_ns,
                       .silence_ns = errand->silence_ns};

    if (can_move && tp_clock_now_ns(tp_instance_clock(device->instance)) >= errand->until_ns) {
        return TP_E_TIMEOUT; /* the loop was frozen or busy meanwhile */
    }
    if (can_move && tpi_safety_panicked_since(&device->instance->safety, errand->epoch)) {
        return TP_E_PANIC; /* the sender has not stopped for that panic yet */
    }
    tpi_mover_rank_driver(errand->link->instance, device, &claim);
    const tp_status status = tpi_mover_check_driver(device, errand->what, &claim, &errand->error);
    return status == TP_OK ? tpi_device_call_for(device, errand->what, errand->msg, &claim,
                                                 is_awaited(errand) ? answered : NULL, errand,
                                                 request ? &errand->call : NULL)
                           : status;
}

static void go(tpi_task *task)
{
    struct errand *errand = (struct errand *)task;
    tp_device *device = errand->link->reader.device;
    const bool request = errand->done != NULL;
    const bool awaits = is_awaited(errand); /* it may have ended when the call returns */
    tp_loop *loop = errand->link->instance->hub->loop;
    tp_status status = TP_E_DEVICE;

    if (device != NULL && request && errand->timeout_ns > 0 &&
        tp_timer_create(&errand->timer, loop, expired, errand, &errand->error) == TP_OK) {
        tp_timer_at(errand->timer, tp_clock_now_ns(tp_loop_clock(loop)) + errand->timeout_ns);
    }
    if (device != NULL) {
        status = call(errand, device);
    } else {
        tpi_link_try(errand->link); /* for the next one */
    }
    if (status != TP_OK) {
        errand->status = errand->error.text[0] != '\0'
                             ? status
                             : tp_fail(&errand->error, status, "%s", tp_status_text(status));
        bring_answer(errand);
    } else if (!awaits) {
        end_errand(errand);
    }
}

/* What follows from data is as old as the data. */
static int64_t valid_until_ns(const tp_instance *self)
{
    const int64_t arrival_ns = tpi_link_arrival_ns(self);

    return arrival_ns == TP_NEVER ? TP_NEVER : arrival_ns + TPI_DRIVER_MESSAGE_NS;
}

/* The driver learns at once that the data is too old for what follows from it. */
static bool is_too_old(const tp_instance *self, const tp_message *what)
{
    return tp_effect_can_move(what->effect) &&
           valid_until_ns(self) <= tp_clock_now_ns(tp_instance_clock(self));
}

static tp_status send(tp_link *link, tp_kind kind, unsigned code, const void *value,
                      const struct errand *wanted)
{
    const tp_message *what = tp_interface_message(link->wanted.interface, kind, code);
    tp_instance *self = link->instance;
    const tp_msghdr header = {.addr = link->wanted.addr,
                              .type = (uint8_t)kind,
                              .subtype = (uint8_t)code,
                              .timestamp = tp_clock_wall_s(tp_instance_clock(self))};
    assert(instance_is_current(self));
    if (self->hub->closing || (self->errands.closed && kind == TP_KIND_REQUEST)) {
        return TP_E_CLOSED;
    }
    if (what == NULL) {
        what = tp_interface_message(&tp_interface_common, kind, code);
    }
    struct errand *errand = what == NULL ? NULL : tpi_pool_take(sizeof *errand);
    if (errand == NULL) {
        return what == NULL ? TP_E_UNKNOWN : TP_E_NOMEM;
    }
    *errand = *wanted;
    errand->task.run = go;
    errand->link = link;
    errand->what = what;
    errand->epoch = self->safety.epoch;
    errand->until_ns = tpi_smaller(tpi_call_until_ns(self), valid_until_ns(self));
    errand->silence_ns = tpi_call_silence_ns(self);
    errand->ordered = kind == TP_KIND_COMMAND ? tpi_call_commanded(self) : NULL;
    errand->reports = kind == TP_KIND_COMMAND && errand->ordered == NULL && link->reports;
    tp_status status = is_too_old(self, what)
                           ? TP_E_TIMEOUT
                           : tp_msg_create(&errand->msg, &header, what->ask, value);
    if (status != TP_OK) {
        tpi_pool_give(errand);
        return status;
    }
    if (errand->done != NULL) {
        keep_errand(self, errand);
    }
    atomic_fetch_add(&self->errands.out, 1);
    tpi_loop_post(self->hub->loop, &errand->task);
    return TP_OK;
}

void tp_link_report(tp_link *link)
{
    assert(instance_is_current(link->instance));
    link->reports = true;
}

tp_status tp_link_command(tp_link *link, unsigned code, const void *value)
{
    return send(link, TP_KIND_COMMAND, code, value, &(struct errand){0});
}

tp_status tp_link_request(tp_link *link, unsigned code, const void *value, int64_t timeout_ns,
                          tp_link_done *done, void *context)
{
    const struct errand wanted = {.timeout_ns = timeout_ns, .done = done, .context = context};

    return send(link, TP_KIND_REQUEST, code, value, &wanted);
}

/* Whatever it says: a device that cannot be halted is not running. */
static void other_halted(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                         const char *why)
{
    (void)self;
    (void)status;
    (void)answer;
    (void)why;
    tp_device_halted(context);
}

void tp_link_halt(tp_link *link)
{
    const tpi_instance_safety *safety = &link->instance->safety;
    tp_device *halted = tpi_halt_current(link->instance);
    const tp_halt_so so = {.way = safety->halt_way};
    const struct errand wanted = {.done = halted == NULL ? NULL : other_halted, .context = halted};

    if (safety->halts_for_panic) {
        return;
    }
    if (halted != NULL) {
        tp_device_halting(halted); /* before there can be an answer */
    }
    const tp_status status = so.way == TP_HALT_SO_BRAKE
                                 ? send(link, TP_KIND_REQUEST, TP_COMMON_REQ_HALT, NULL, &wanted)
                                 : send(link, TP_KIND_REQUEST, TP_COMMON_REQ_HALT_SO, &so, &wanted);
    if (status != TP_OK && halted != NULL) {
        tp_device_halted(halted);
    }
}
