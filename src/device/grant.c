/*
 * grant.c - grants on the loop: decided, revoked and ended. What the owner does: grant_use.c.
 *
 * A grant is one block of memory, made by the owner. It goes back and forth in tasks and jobs that
 * are part of it (see grant.h), each used once, so that nothing here can run out of memory. The
 * owner's errands and the target's `grants.targeted` keep both instances until it is over.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/answers.h"
#include "device/grant.h"

static tp_instance *owner_of(const tp_grant *grant)
{
    return grant->link->instance;
}

/* ---- On the loop: the decision --------------------------------------------------------------- */

static void answer(tp_grant *grant)
{
    tpi_instance_submit(owner_of(grant), &grant->way.answer_job);
}

static void forget_target(tp_grant *grant)
{
    tp_instance *target = grant->target;

    target->grants.targeted--;
    if (!target->hub->closing) {
        tpi_jobs_check(target);
    }
}

static void forget_grant(tp_device *device)
{
    device->granted = NULL;
    tpi_claim_end_grant(&device->safety);
}

/* The device belongs to nobody, unless somebody has taken it since. */
static void free_device(const tp_grant *grant)
{
    tp_device *device = grant->device;

    if (device->granted == grant) {
        forget_grant(device);
    }
    if (device->safety.takes == grant->device_takes) {
        tpi_claim_drop(&device->safety, &grant->link->mover);
    }
}

static tp_status check(const tp_grant *grant, const tp_device *device, const tpi_claim *claim,
                       tp_error *err)
{
    static const tp_message any = {.effect = TP_EFFECT_MOVES};
    const tp_grant *other = device->granted;

    if (!tpi_device_is_running(device)) {
        return tp_fail(err, TP_E_DEVICE, "%s is not running", device->name);
    }
    if (tpi_panic_is_on(device->instance->hub->panic) ||
        tpi_safety_panicked_since(&device->instance->safety, grant->seen_epoch)) {
        return tp_fail(err, TP_E_PANIC, "%s", tp_status_text(TP_E_PANIC));
    }
    if (other != NULL && other->link == grant->link && tpi_grant_lasts(other)) {
        return tp_fail(err, TP_E_EXISTS, "the driver has a grant for %s already", device->name);
    }
    return tpi_mover_check_driver(device, &any, claim, err);
}

static void revoke(tp_device *device, const char *text)
{
    tp_grant *grant = device->granted;

    forget_grant(device);
    if (tpi_grant_close(grant, TPI_GRANT_TAKEN)) {
        tp_fail(&grant->way.end.error, TP_E_DENIED, "%s: %s", device->name, text);
        tpi_timed_wake(grant);
    }
}

static void revoke_for(tp_device *device, const char *label)
{
    char text[TPI_MOVER_LABEL + 32];

    (void)snprintf(text, sizeof text, "taken by %s", label != NULL ? label : "the server");
    revoke(device, text);
}

/* The epoch is the one that the panic had before the checks, so that none is missed. */
static void take(tp_grant *grant, tp_device *device, const tpi_claim *claim)
{
    const int64_t most_ns = tpi_device_lease_ns(device);
    const int64_t asked_ns = grant->plan.lease_ns;
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(device->instance));

    if (device->granted != NULL) {
        revoke_for(device, grant->link->mover.label);
    }
    grant->device = device;
    grant->target = device->instance;
    grant->target_on_loop = device->instance->on_loop;
    grant->lease_ns = most_ns > 0 && (asked_ns == 0 || asked_ns > most_ns) ? most_ns : asked_ns;
    tpi_lease_extend(&grant->lease,
                     grant->lease_ns == 0 || grant->lease_ns > TPI_LEASE_UNLIMITED - now_ns
                         ? TPI_LEASE_UNLIMITED
                         : now_ns + grant->lease_ns);
    tpi_claim_grant(&device->safety, claim, grant->epoch, &grant->lease);
    grant->device_takes = device->safety.takes;
    device->granted = grant;
    device->instance->grants.targeted++;
}

static void joined(tpi_task *task)
{
    tp_grant *grant = (tp_grant *)((char *)task - offsetof(tp_grant, way.ask_task));

    if (grant->way.decision.status != TP_OK) {
        free_device(grant);
        forget_target(grant);
    }
    answer(grant);
}

static void join(job *next, tp_instance *self)
{
    tp_grant *grant = (tp_grant *)((char *)next - offsetof(tp_grant, way.join_job));

    (void)self;
    grant->way.decision.status = tpi_timed_join(grant, &grant->way.decision.error);
    grant->way.ask_task.run = joined;
    tpi_grant_to_loop(grant, &grant->way.ask_task);
}

static void decide(tpi_task *task)
{
    tp_grant *grant = (tp_grant *)((char *)task - offsetof(tp_grant, way.ask_task));
    tp_device *device = grant->link->reader.device;
    tpi_claim claim = {.mover = grant->link->mover};
    tp_error *err = &grant->way.decision.error;
    tp_status status = TP_E_DEVICE;

    if (device == NULL) {
        tp_fail(err, TP_E_DEVICE, "%s:%u is not open", grant->link->wanted.interface->name,
                grant->link->wanted.addr.index);
    } else {
        grant->epoch = tpi_panic_epoch(device->instance->hub->panic);
        tpi_mover_rank_driver(owner_of(grant), device, &claim);
        status = check(grant, device, &claim, err);
        status = status == TP_OK ? tpi_timed_prepare(device->instance, err) : status;
    }
    grant->way.decision.status = status;
    if (status == TP_OK) {
        take(grant, device, &claim);
        tpi_instance_submit(grant->target, &grant->way.join_job);
    } else {
        answer(grant);
    }
}

/* ---- On the loop: while it lasts, and its end ------------------------------------------------ */

void tpi_grant_overridden(tp_device *device, const tp_message *what, const tpi_mover *writer)
{
    const tp_grant *grant = device->granted;

    if (grant == NULL) {
        return;
    }
    if (tpi_common_halts(what)) {
        revoke(device, "HALT was asked for");
    } else if (!tpi_mover_equal(&grant->link->mover, writer) &&
               (what->effect == TP_EFFECT_MOVES ||
                (!device->safety.moves && what->effect != TP_EFFECT_READS))) {
        revoke_for(device, writer->label);
    }
}

/* What a driver moves is stopped, since the driver cannot stop it any more. */
void tpi_device_taken_exclusively(tp_device *device)
{
    const tp_grant *grant = device->granted;
    const tpi_mover mover = device->safety.mover;
    tpi_claim claim = {0};

    if (device->safety.moves && mover.kind == TPI_MOVER_DRIVER &&
        tpi_mover_shut_out_by(device, device->safety.rank) != NULL) {
        tpi_device_left(device, &mover, TPI_LEAVING_FORBIDDEN);
    }
    if (grant == NULL) {
        return;
    }
    tpi_mover_rank_driver(owner_of(grant), device, &claim);
    const char *holder = tpi_mover_shut_out_by(device, claim.rank);
    if (holder != NULL) {
        revoke_for(device, holder);
    }
}

static uint64_t commands_of(const tp_grant *grant)
{
    return atomic_load(&grant->counts.played) + atomic_load(&grant->counts.refused);
}

uint64_t tpi_grant_commands(const tp_device *device)
{
    return device->granted == NULL ? 0 : commands_of(device->granted);
}

static void describe_end(tp_grant *grant)
{
    const char *name = grant->device->name;
    tp_error *err = &grant->way.end.error;

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
    grant->way.end.status = err->code;
}

static void finished(tpi_task *task)
{
    tp_grant *grant = (tp_grant *)((char *)task - offsetof(tp_grant, way.end_task));

    free_device(grant);
    grant->device->counts.commands += commands_of(grant);
    grant->device->counts.refused += atomic_load(&grant->counts.refused);
    describe_end(grant);
    tpi_instance_submit(owner_of(grant), &grant->way.end_job);
}

static void closed(tpi_task *task)
{
    forget_target((tp_grant *)((char *)task - offsetof(tp_grant, way.closed_task)));
}

/* The last that is heard of it. */
void tpi_grant_discard(tp_grant *grant)
{
    tp_instance *self = owner_of(grant);

    free(grant);
    tpi_errands_count(self, -1);
    if (self->on_loop && !self->hub->closing) {
        tpi_jobs_check(self);
    }
}

static void released(tpi_task *task)
{
    tpi_grant_discard((tp_grant *)((char *)task - offsetof(tp_grant, way.released_task)));
}

void tpi_grant_ask(tp_grant *grant)
{
    grant->way.ask_task.run = decide;
    grant->way.join_job.run = join;
    grant->way.end_task.run = finished;
    grant->way.closed_task.run = closed;
    grant->way.released_task.run = released;
    tpi_grant_to_loop(grant, &grant->way.ask_task);
}
