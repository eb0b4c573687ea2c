/*
 * grant_use.c - grants as their owner uses them: asks, posts, cancels, holds, renews, ends.
 *
 * All of this runs where the owner runs. What the player shares is atomic, or handed over in a
 * slot; see grant.h.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "device/grant.h"
#include "padi/value.h"

enum { MOST_COMMANDS = 65536, MOST_BYTES = 1 << 24, ALIGNMENT = 16, MOST_PRIORITY = 99 };

static int64_t now_ns(const tp_grant *grant)
{
    return tp_clock_now_ns(tp_instance_clock(grant->link->instance));
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void forget(tp_instance *self, const tp_grant *grant)
{
    tp_grant **at = &self->grants.asked;

    while (*at != grant) {
        at = &(*at)->own.next;
    }
    *at = grant->own.next;
}

static void end_by_owner(tp_grant *grant)
{
    if (tpi_grant_close(grant, TPI_GRANT_DONE)) {
        tpi_timed_wake(grant);
    }
}

static void run_answer(job *next, tp_instance *self)
{
    tp_grant *grant = (tp_grant *)((char *)next - offsetof(tp_grant, way.answer_job));
    const bool granted = grant->way.decision.status == TP_OK;

    grant->own.answered = true;
    if (grant->own.released && granted) {
        end_by_owner(grant); /* the owner was stopped meanwhile */
    } else if (granted) {
        grant->plan.done(self, grant->plan.context, TP_OK, grant, grant->way.decision.error.text);
    } else {
        if (!grant->own.released) {
            forget(self, grant);
            grant->plan.done(self, grant->plan.context, grant->way.decision.status, NULL,
                             grant->way.decision.error.text);
        }
        tpi_grant_discard(grant);
    }
}

/* The player has let go of it: what came too late for that is dropped here. */
static void run_end(job *next, tp_instance *self)
{
    tp_grant *grant = (tp_grant *)((char *)next - offsetof(tp_grant, way.end_job));
    tpi_item *item = tpi_inbox_take(&grant->posted);

    for (; item != NULL; item = item->next) {
        tpi_grant_drop(grant, (tpi_slot *)item);
    }
    grant->own.over = true;
    if (!grant->own.released && grant->plan.ended != NULL) {
        grant->plan.ended(self, grant->plan.context, grant, grant->way.end.status,
                          grant->way.end.error.text);
    }
    grant->own.closing = true;
    const bool last = grant->own.released;
    tpi_grant_to_loop(grant, &grant->way.closed_task);
    if (last) {
        tpi_grant_to_loop(grant, &grant->way.released_task);
    }
}

static void release(tp_grant *grant)
{
    assert(!grant->own.released);
    forget(grant->link->instance, grant);
    grant->own.released = true;
    if (grant->own.answered && !grant->own.over) {
        end_by_owner(grant);
    } else if (grant->own.closing) {
        tpi_grant_to_loop(grant, &grant->way.released_task);
    }
}

void tpi_grants_end(tp_instance *self)
{
    while (self->grants.asked != NULL) {
        tp_grant *grant = self->grants.asked;
        tp_grant_done *done = grant->own.answered ? NULL : grant->plan.done;
        void *context = grant->plan.context;
        release(grant);
        if (done != NULL) {
            done(self, context, TP_E_DEVICE, NULL, "the device was stopped");
        }
    }
}

void tp_grant_end(tp_grant *grant)
{
    if (grant != NULL) {
        release(grant);
    }
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static size_t align(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t largest_command(const tp_interface *interface)
{
    size_t largest = 0;

    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *what = &interface->messages[i];
        if (what->kind == TP_KIND_COMMAND && what->ask != NULL && what->ask->size > largest) {
            largest = what->ask->size;
        }
    }
    return largest;
}

/* Neither of the two inboxes wakes anybody: tp_grant_post() does, if the player has to. */
static void do_nothing(void *context)
{
    (void)context;
}

static tpi_slot *slot_at(const tp_grant *grant, uint32_t i)
{
    return (tpi_slot *)(void *)(grant->slots + i * grant->slot_size);
}

static void init(tp_grant *grant)
{
    tpi_lease_init(&grant->lease);
    tpi_inbox_init(&grant->posted, do_nothing, NULL);
    tpi_inbox_init(&grant->returned, do_nothing, NULL);
    for (uint32_t i = grant->plan.capacity; i > 0; i--) {
        tpi_slot *slot = slot_at(grant, i - 1);
        slot->item.next = grant->own.free_slots;
        grant->own.free_slots = &slot->item;
    }
    grant->way.answer_job.run = run_answer;
    grant->way.end_job.run = run_end;
}

/* One block: the grant, its slots, and the places of its heap. */
static tp_grant *create(tp_link *link, const tp_grant_options *plan)
{
    const size_t usual = largest_command(link->wanted.interface);
    const size_t value_size = plan->value_size > usual ? plan->value_size : usual;
    const size_t slot_size = align(sizeof(tpi_slot) + value_size);
    const size_t rest = plan->capacity * (slot_size + sizeof(tpi_slot *));
    tp_grant *grant = calloc(1, align(sizeof *grant) + rest);

    if (grant != NULL) {
        grant->link = link;
        grant->plan = *plan;
        grant->plan.value_size = value_size;
        grant->slot_size = slot_size;
        grant->slots = (char *)grant + align(sizeof *grant);
        grant->player.heap = (tpi_slot **)(void *)(grant->slots + plan->capacity * slot_size);
        grant->seen_epoch = link->instance->safety.epoch;
        init(grant);
    }
    return grant;
}

tp_status tp_link_grant(tp_link *link, const tp_grant_options *options)
{
    static const tpi_options_kind kind = {"tp_grant_options", sizeof *options,
                                          TPI_OPTIONS_END(tp_grant_options, context)};
    tp_instance *self = link->instance;
    tp_grant_options plan;

    assert(instance_is_current(self));
    if (self->hub->closing || errands_are_closed(self)) {
        return TP_E_CLOSED;
    }
    const tp_status status = tpi_options_take(&plan, &kind, options, NULL);
    if (status != TP_OK) {
        return status;
    }
    if (plan.capacity == 0 || plan.capacity > MOST_COMMANDS || plan.value_size > MOST_BYTES ||
        plan.lease_ns < 0 || plan.realtime > MOST_PRIORITY || plan.done == NULL) {
        return TP_E_INVALID;
    }
    tp_grant *grant = create(link, &plan);
    if (grant == NULL) {
        return TP_E_NOMEM;
    }
    grant->own.next = self->grants.asked;
    self->grants.asked = grant;
    tpi_errands_count(self, 1);
    tpi_grant_ask(grant);
    return TP_OK;
}

/* ---- Posting --------------------------------------------------------------------------------- */

/* Slots that were used last are used first: they are in the caches of the processor. */
static void reclaim_slots(tp_grant *grant)
{
    tpi_item *item = tpi_inbox_take(&grant->returned);

    while (item != NULL) {
        tpi_item *next = item->next;
        item->next = grant->own.free_slots;
        grant->own.free_slots = item;
        item = next;
    }
}

static tpi_slot *take_slot(tp_grant *grant)
{
    reclaim_slots(grant);
    tpi_item *item = grant->own.free_slots;
    if (item != NULL) {
        grant->own.free_slots = item->next;
    }
    return (tpi_slot *)item;
}

tp_status tp_grant_post(tp_grant *grant, int64_t due_ns, unsigned code, const void *value)
{
    const tp_message *what =
        tp_interface_message(grant->link->wanted.interface, TP_KIND_COMMAND, code);

    if (!tpi_grant_lasts(grant)) {
        return TP_E_CLOSED;
    }
    if (what == NULL) {
        return TP_E_UNKNOWN;
    }
    if (what->ask != NULL && value == NULL) {
        return TP_E_INVALID;
    }
    if (what->ask != NULL && tpi_value_size(what->ask, value) > grant->plan.value_size) {
        return TP_E_SPACE;
    }
    tpi_slot *slot = take_slot(grant);
    if (slot == NULL) {
        return TP_E_LIMIT;
    }
    slot->key_ns = (due_ns > 0 ? due_ns : 0) - atomic_load(&grant->shift_ns);
    slot->posted_ns = now_ns(grant);
    slot->serial = grant->own.serial++;
    slot->what = what;
    if (what->ask != NULL) {
        tpi_value_copy_into(what->ask, value, slot->value);
    }
    atomic_store(&slot->state, TPI_SLOT_WAITING);
    atomic_fetch_add(&grant->counts.posted, 1);
    tpi_inbox_post(&grant->posted, &slot->item);
    tpi_timed_posted(grant, due_ns);
    return TP_OK;
}

/* ---- While it lasts -------------------------------------------------------------------------- */

tp_status tp_grant_renew(tp_grant *grant)
{
    const int64_t now = now_ns(grant);

    if (!tpi_grant_lasts(grant) || !tpi_lease_is_held(&grant->lease, now)) {
        return TP_E_TIMEOUT;
    }
    if (grant->lease_ns > 0 && grant->lease_ns <= TPI_LEASE_UNLIMITED - now) {
        tpi_lease_renew(&grant->lease, now, now + grant->lease_ns);
    }
    return tpi_lease_is_held(&grant->lease, now) ? TP_OK : TP_E_TIMEOUT;
}

/* Slots that the player has not taken yet; it returns them. */
static uint32_t cancel(tp_grant *grant, int64_t from_key_ns)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < grant->plan.capacity; i++) {
        tpi_slot *slot = slot_at(grant, i);
        int waiting = TPI_SLOT_WAITING;
        if (atomic_load(&slot->state) == TPI_SLOT_WAITING && slot->key_ns >= from_key_ns &&
            atomic_compare_exchange_strong(&slot->state, &waiting, TPI_SLOT_CANCELLED)) {
            count++;
        }
    }
    if (count > 0) {
        atomic_fetch_add(&grant->counts.cancelled, count);
        atomic_store(&grant->cancelled, true);
        if (!grant->own.over) {
            tpi_timed_wake(grant);
        }
    }
    return count;
}

uint32_t tp_grant_cancel(tp_grant *grant, int64_t from_ns)
{
    return cancel(grant, from_ns > 0 ? from_ns - atomic_load(&grant->shift_ns) : INT64_MIN);
}

uint32_t tp_grant_flush(tp_grant *grant)
{
    return cancel(grant, INT64_MIN);
}

void tp_grant_hold(tp_grant *grant)
{
    if (!atomic_load(&grant->held)) {
        grant->own.held_since_ns = now_ns(grant);
        atomic_store(&grant->held, true);
    }
}

/* The shift comes first: a player that finds the grant not held finds the new times, too. */
void tp_grant_resume(tp_grant *grant)
{
    if (atomic_load(&grant->held)) {
        atomic_fetch_add(&grant->shift_ns, now_ns(grant) - grant->own.held_since_ns);
        atomic_store(&grant->held, false);
        if (!grant->own.over) {
            tpi_timed_wake(grant);
        }
    }
}

void tp_grant_look(const tp_grant *grant, tp_grant_counts *out)
{
    *out = (tp_grant_counts){
        .played = atomic_load(&grant->counts.played),
        .refused = atomic_load(&grant->counts.refused),
        .dropped_late = atomic_load(&grant->counts.late),
        .dropped_panic = atomic_load(&grant->counts.panic),
        .dropped_end = atomic_load(&grant->counts.end),
        .cancelled = atomic_load(&grant->counts.cancelled),
        .last_late_ns = atomic_load(&grant->counts.last_late_ns),
        .longest_late_ns = atomic_load(&grant->counts.longest_late_ns),
        .posted = atomic_load(&grant->counts.posted),
    };
    out->waiting = out->posted - out->played - out->refused - out->dropped_late -
                   out->dropped_panic - out->dropped_end - out->cancelled;
}

int64_t tp_grant_lease_ns(const tp_grant *grant)
{
    return grant->lease_ns;
}
