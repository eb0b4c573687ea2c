/*
 * grant.c - grants on the loop: decided, revoked and ended. What the owner does: grant_use.c.
 *
 * A grant is one block of memory, made by the owner. It goes back and forth in tasks and jobs that
 * are part of it (see grant.h), each used once, so that nothing here can run out of memory. The
 * owner's `errands_out` and the target's `timed.targeted` keep both instances until it is over.
 */
#include "device/grant.h"

#include <stdio.h>
#include <stdlib.h>

#include "safety/moving.h"

static tp_instance *owner_of(const tp_grant *grant)
{
    return grant->link->instance;
}

/* When the hub ends, all that is left happens on this thread, and the loop does not turn again. */
void tpi_grant_to_loop(const tp_grant *grant, tpi_task *task)
{
    const tpi_hub *hub = owner_of(grant)->hub;

    if (hub->closing) {
        task->run(task);
    } else {
        tpi_loop_post(hub->loop, task);
    }
}

/* ---- Any thread ------------------------------------------------------------------------------ */

bool tpi_grant_close(tp_grant *grant, tpi_grant_end why)
{
    int lasts = TPI_GRANT_LASTS;

    return atomic_compare_exchange_strong(&grant->ending, &lasts, (int)why);
}

bool tpi_grant_lasts(const tp_grant *grant)
{
    return atomic_load(&grant->ending) == TPI_GRANT_LASTS;
}

void tpi_grant_drop(tp_grant *grant, tpi_slot *slot)
{
    const bool panic = atomic_load(&grant->ending) == TPI_GRANT_PANIC;
    int waiting = TPI_SLOT_WAITING;

    if (atomic_compare_exchange_strong(&slot->state, &waiting, TPI_SLOT_TAKEN)) {
        atomic_fetch_add(panic ? &grant->counts.panic : &grant->counts.end, 1);
    }
}

/* ---- On the loop: the decision --------------------------------------------------------------- */

static void answer(tp_grant *grant)
{
    tpi_instance_submit(owner_of(grant), &grant->answer_job);
}

static void forget_target(tp_grant *grant)
{
    tp_instance *target = grant->target;

    target->timed.targeted--;
    if (!target->hub->closing) {
        tpi_remove_check(target);
    }
}

/* The device belongs to nobody, unless somebody has taken it since. */
static void free_device(const tp_grant *grant)
{
    tp_device *device = grant->device;

    if (device->granted.grant == grant) {
        device->granted = (struct granted){0};
    }
    if (device->mover == grant->link && device->takes == grant->device_takes) {
        device->mover = NULL;
    }
}

/* Whether a client has the device exclusively, and this writer does not rank before it. */
static bool is_shut_out(const tp_device *device, const tpi_mover *mover)
{
    tpi_mover holder = {0};

    if (!tpi_access_is_held(device)) {
        return false;
    }
    tpi_rank_of_session(device->holder, device, &holder);
    return mover->rank <= holder.rank;
}

static tp_status check(const tp_grant *grant, const tp_device *device, const tpi_mover *mover,
                       tp_error *err)
{
    static const tp_message any = {.effect = TP_EFFECT_MOVES};
    const tp_grant *other = device->granted.grant;
    char name[RANK_NAME];

    if (!tpi_device_is_running(device)) {
        return tp_fail(err, TP_E_DEVICE, "%s is not running", device->name);
    }
    if (tpi_panic_is_on(device->instance->hub->panic) ||
        tpi_motion_panicked_since(device->instance, grant->seen_epoch)) {
        return tp_fail(err, TP_E_PANIC, "%s", tp_status_text(TP_E_PANIC));
    }
    if (other != NULL && other->link == grant->link && tpi_grant_lasts(other)) {
        return tp_fail(err, TP_E_EXISTS, "the driver has a grant for %s already", device->name);
    }
    if (is_shut_out(device, mover)) {
        tpi_rank_name(device->instance->hub, device->holder, name, sizeof name);
        return tp_fail(err, TP_E_DENIED, "%s is held by %s", device->name, name);
    }
    return tpi_rank_check(device, &any, mover, err);
}

static void revoke(tp_device *device, const char *text)
{
    tp_grant *grant = device->granted.grant;

    device->granted = (struct granted){0};
    if (tpi_grant_close(grant, TPI_GRANT_TAKEN)) {
        tp_fail(&grant->end.error, TP_E_DENIED, "%s: %s", device->name, text);
        tpi_timed_wake(grant);
    }
}

static void revoke_for(tp_device *device, const void *who)
{
    char name[RANK_NAME];
    char text[RANK_NAME + 32];

    tpi_rank_name(device->instance->hub, who, name, sizeof name);
    (void)snprintf(text, sizeof text, "taken by %s", name[0] != '\0' ? name : "the server");
    revoke(device, text);
}

/* The epoch is the one that the panic had before the checks, so that none is missed. */
static void take(tp_grant *grant, tp_device *device, const tpi_mover *mover)
{
    const int64_t most_ns = device->instance->plan.lease_ns;
    const int64_t asked_ns = grant->plan.lease_ns;
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(device->instance));

    if (device->granted.grant != NULL) {
        revoke_for(device, grant->link);
    }
    grant->device = device;
    grant->target = device->instance;
    grant->target_on_loop = device->instance->on_loop;
    grant->lease_ns = most_ns > 0 && (asked_ns == 0 || asked_ns > most_ns) ? most_ns : asked_ns;
    tpi_lease_extend(&grant->lease,
                     grant->lease_ns == 0 || grant->lease_ns > TPI_LEASE_UNLIMITED - now_ns
                         ? TPI_LEASE_UNLIMITED
                         : now_ns + grant->lease_ns);
    tpi_motion_take(device, mover, grant->epoch);
    grant->device_takes = device->takes;
    device->granted = (struct granted){grant, &grant->lease};
    device->instance->timed.targeted++;
}

static void joined(tpi_task *task)
{
    tp_grant *grant = (tp_grant *)((char *)task - offsetof(tp_grant, ask_task));

    if (grant->decision.status != TP_OK) {
        free_device(grant);
        forget_target(grant);
    }
    answer(grant);
}

static void join(job *next, tp_instance *self)
{
    tp_grant *grant = (tp_grant *)((char *)next - offsetof(tp_grant, join_job));

    (void)self;
    grant->decision.status = tpi_timed_join(grant, &grant->decision.error);
    grant->ask_task.run = joined;
    tpi_grant_to_loop(grant, &grant->ask_task);
}

static void decide(tpi_task *task)
{
    tp_grant *grant = (tp_grant *)((char *)task - offsetof(tp_grant, ask_task));
    tp_device *device = grant->link->reader.device;
    tpi_mover mover = {.who = grant->link};
    tp_error *err = &grant->decision.error;
    tp_status status = TP_E_DEVICE;

    if (device == NULL) {
        tp_fail(err, TP_E_DEVICE, "%s:%u is not open", grant->link->wanted.interface->name,
                grant->link->wanted.addr.index);
    } else {
        grant->epoch = tpi_panic_epoch(device->instance->hub->panic);
        tpi_rank_of_driver(owner_of(grant), device, &mover);
        status = check(grant, device, &mover, err);
        status = status == TP_OK ? tpi_timed_prepare(device->instance, err) : status;
    }
    grant->decision.status = status;
    if (status == TP_OK) {
        take(grant, device, &mover);
        tpi_instance_submit(grant->target, &grant->join_job);
    } else {
        answer(grant);
    }
}

/* ---- On the loop: while it lasts, and its end ------------------------------------------------ */

void tpi_grant_overridden(tp_device *device, const tp_message *what, const void *who)
{
    const tp_grant *grant = device->granted.grant;

    if (grant == NULL) {
        return;
    }
    if (tpi_halting_owns(what)) {
        revoke(device, "HALT was asked for");
    } else if (grant->link != who && (what->effect == TP_EFFECT_MOVES ||
                                      (!device->moves && what->effect != TP_EFFECT_READS))) {
        revoke_for(device, who);
    }
}

void tpi_grant_shut_out(tp_device *device)
{
    const tp_grant *grant = device->granted.grant;
    tpi_mover mover = {0};

    if (grant == NULL) {
        return;
    }
    tpi_rank_of_driver(owner_of(grant), device, &mover);
    if (is_shut_out(device, &mover)) {
        revoke_for(device, device->holder);
    }
}

static uint64_t commands_of(const tp_grant *grant)
{
    return atomic_load(&grant->counts.played) + atomic_load(&grant->counts.refused);
}

uint64_t tpi_grant_commands(const tp_device *device)
{
    return device->granted.grant == NULL ? 0 : commands_of(device->granted.grant);
}

static void describe_end(tp_grant *grant)
{
    const char *name = grant->device->name;
    tp_error *err = &grant->end.error;

    switch ((tpi_grant_end)atomic_load(&grant->ending)) {
    case TPI_GRANT_SILENT:
        tp_fail(err, TP_E_TIMEOUT, "%s: the lease of %.3f s has ended", name,
                (double)grant->lease_ns / (double)TP_NS_PER_S);
        break;
    case TPI_GRANT_PANIC:
        tp_fail(err, TP_E_PANIC, "%s: %s", name, tp_status_text(TP_E_PANIC));
        break;
    case TPI_GRANT_STOPPED:
        tp_fail(err, TP_E_DEVICE, "%s was stopped", name);
        break;
    case TPI_GRANT_TAKEN: /* revoke() has described it */
    case TPI_GRANT_DONE:
    case TPI_GRANT_LASTS:
        break;
    }
    grant->end.status = err->code;
}

static void finished(tpi_task *task)
{
    tp_grant *grant = (tp_grant *)((char *)task - offsetof(tp_grant, end_task));

    free_device(grant);
    grant->device->counts.commands += commands_of(grant);
    grant->device->counts.refused += atomic_load(&grant->counts.refused);
    describe_end(grant);
    tpi_instance_submit(owner_of(grant), &grant->end_job);
}

void tpi_grant_finished(tp_grant *grant)
{
    tpi_grant_to_loop(grant, &grant->end_task);
}

static void closed(tpi_task *task)
{
    forget_target((tp_grant *)((char *)task - offsetof(tp_grant, closed_task)));
}

/* The last that is heard of it. */
void tpi_grant_discard(tp_grant *grant)
{
    tp_instance *self = owner_of(grant);

    free(grant);
    atomic_fetch_sub(&self->errands_out, 1);
    if (self->on_loop && !self->hub->closing) {
        tpi_remove_check(self);
    }
}

static void released(tpi_task *task)
{
    tpi_grant_discard((tp_grant *)((char *)task - offsetof(tp_grant, released_task)));
}

void tpi_grant_ask(tp_grant *grant)
{
    grant->ask_task.run = decide;
    grant->join_job.run = join;
    grant->end_task.run = finished;
    grant->closed_task.run = closed;
    grant->released_task.run = released;
    tpi_grant_to_loop(grant, &grant->ask_task);
}
