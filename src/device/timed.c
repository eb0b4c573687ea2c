/*
 * timed.c - the player of a grant: keeps commands in order of time, and carries them out.
 *
 * All of this runs where the device's instance runs. The worker's wait ends at the earliest due
 * time or end of a lease (tpi_timed_rest); an instance on the loop has a timer for it. Commands
 * that are posted for later times do not wake it: it finds them when it looks. A command is written
 * only if, right before, its time has come, its slot was not cancelled, the grant lasts and is not
 * held, its lease is held, and the panic has the epoch in which it was granted.
 */
#include <assert.h>
#include <stdlib.h>

#include "bus/pool.h"
#include "device/grant.h"

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

/* ---- Order of time --------------------------------------------------------------------------- */

static bool comes_before(const tpi_slot *a, const tpi_slot *b)
{
    return a->key_ns != b->key_ns ? a->key_ns < b->key_ns : a->serial < b->serial;
}

static void push(tp_grant *grant, tpi_slot *slot)
{
    uint32_t place = grant->player.heap_count++;

    while (place > 0 && comes_before(slot, grant->player.heap[(place - 1) / 2])) {
        grant->player.heap[place] = grant->player.heap[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    grant->player.heap[place] = slot;
}

static tpi_slot *pop(tp_grant *grant)
{
    tpi_slot *first = grant->player.heap[0];
    tpi_slot *last = grant->player.heap[--grant->player.heap_count];
    uint32_t place = 0;

    for (uint32_t child = 1; child < grant->player.heap_count; child = 2 * place + 1) {
        if (child + 1 < grant->player.heap_count &&
            comes_before(grant->player.heap[child + 1], grant->player.heap[child])) {
            child++;
        }
        if (!comes_before(grant->player.heap[child], last)) {
            break;
        }
        grant->player.heap[place] = grant->player.heap[child];
        place = child;
    }
    grant->player.heap[place] = last;
    return first;
}

/* When it is due, with all that the grant has been held since it was posted. */
static int64_t due_ns(const tp_grant *grant, const tpi_slot *slot)
{
    const int64_t shift_ns = atomic_load(&grant->shift_ns);

    return slot->key_ns > TP_NEVER - shift_ns ? TP_NEVER : slot->key_ns + shift_ns;
}

/* ---- Slots ----------------------------------------------------------------------------------- */

static void give_back(tp_grant *grant, tpi_slot *slot)
{
    atomic_store(&slot->state, TPI_SLOT_FREE);
    tpi_inbox_post(&grant->returned, &slot->item);
}

/* What the owner has posted. There is room: it has no more slots than the heap has places. */
static void take_posted(tp_grant *grant)
{
    tpi_item *item = tpi_inbox_take(&grant->posted);

    while (item != NULL) {
        tpi_slot *slot = (tpi_slot *)item;
        item = item->next;
        push(grant, slot);
    }
}

/* Return what was cancelled, so that the owner can use the slots again. */
static void sweep(tp_grant *grant)
{
    const uint32_t count = grant->player.heap_count;

    if (!atomic_exchange(&grant->cancelled, false)) {
        return;
    }
    grant->player.heap_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        tpi_slot *slot = grant->player.heap[i];
        if (atomic_load(&slot->state) == TPI_SLOT_CANCELLED) {
            give_back(grant, slot);
        } else {
            push(grant, slot);
        }
    }
}

/* ---- Priority -------------------------------------------------------------------------------- */

/* The thread has the highest priority that one of its grants asks for. */
static tp_status settle_priority(tp_instance *self, tp_error *err)
{
    uint32_t wanted = 0;

    for (const tp_grant *grant = self->timed.played; grant != NULL; grant = grant->player.next) {
        wanted = grant->plan.realtime > wanted ? grant->plan.realtime : wanted;
    }
    if (wanted == self->timed.realtime) {
        return TP_OK;
    }
    if (self->on_loop) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s has no thread of its own", self->name);
    }
    const tp_status status = tpi_thread_set_realtime(wanted, err);
    if (status == TP_OK) {
        self->timed.realtime = wanted;
        tpi_thread_be_prompt(); /* forgotten with the policy */
    }
    return status;
}

/* ---- The end of a grant ---------------------------------------------------------------------- */

/* Why it is over now, or TPI_GRANT_LASTS. */
static tpi_grant_end end_of(tp_grant *grant, int64_t at_ns)
{
    const int ending = atomic_load(&grant->ending);

    if (ending != TPI_GRANT_LASTS) {
        return (tpi_grant_end)ending;
    }
    if (tpi_panic_epoch(grant->target->hub->panic) != grant->epoch) {
        return TPI_GRANT_PANIC;
    }
    return tpi_lease_take_expired(&grant->lease, at_ns) ? TPI_GRANT_SILENT : TPI_GRANT_LASTS;
}

static void leave(tp_instance *self, tp_grant *grant)
{
    tp_grant **at = &self->timed.played;

    while (*at != grant) {
        at = &(*at)->player.next;
    }
    *at = grant->player.next;
    (void)settle_priority(self, NULL); /* lower, which is always permitted */
}

static void let_go(tp_grant *grant)
{
    tpi_pool_give(grant->player.spare);
    grant->player.spare = NULL;
    tpi_grant_finished(grant);
}

/* Nothing of it is carried out any more. What it has set in motion is stopped, unless a panic or
 * another writer has done so, or the whole instance stops. */
static void finish(tp_instance *self, tp_grant *grant, tpi_grant_end why)
{
    (void)tpi_grant_close(grant, why);
    const int ending = atomic_load(&grant->ending);
    leave(self, grant);
    take_posted(grant);
    while (grant->player.heap_count > 0) {
        tpi_grant_drop(grant, pop(grant));
    }
    if (ending == TPI_GRANT_SILENT) {
        tpi_stop_mover(&grant->device->safety, &grant->link->mover, TPI_LEAVING_SILENT);
    } else if (ending == TPI_GRANT_DONE) {
        tpi_stop_mover(&grant->device->safety, &grant->link->mover, TPI_LEAVING_CLOSED);
    }
    if (grant == self->timed.playing) {
        self->timed.finished = true; /* carry_out() lets go of it */
    } else {
        let_go(grant);
    }
}

void tpi_timed_stop(tp_instance *self)
{
    while (self->timed.played != NULL) {
        finish(self, self->timed.played, TPI_GRANT_STOPPED);
    }
}

/* ---- Playing --------------------------------------------------------------------------------- */

static void note_late(tp_grant *grant, int64_t late_ns)
{
    atomic_store(&grant->counts.last_late_ns, late_ns);
    if (late_ns > atomic_load(&grant->counts.longest_late_ns)) {
        atomic_store(&grant->counts.longest_late_ns, late_ns);
    }
}

/* The driver may stop the instance meanwhile, which finishes the grant. */
static void carry_out(tp_instance *self, tp_grant *grant, tpi_slot *slot, int64_t at_ns,
                      int64_t until_ns)
{
    const tpi_timed_command command = {.device = grant->device,
                                       .what = slot->what,
                                       .ask = slot->what->ask == NULL ? NULL : slot->value,
                                       .mover = grant->link->mover,
                                       .epoch = grant->epoch,
                                       .now_ns = at_ns,
                                       .until_ns = until_ns};
    tpi_call *call =
        grant->player.spare != NULL ? grant->player.spare : tpi_pool_take(sizeof *call);
    tp_status status = TP_E_NOMEM;

    self->timed.playing = grant;
    self->timed.finished = false;
    const bool was_busy = tpi_jobs_enter(self);
    const bool kept = call != NULL && tpi_call_play(call, &command, &status);
    tpi_jobs_leave(self, was_busy);
    self->timed.playing = NULL;
    grant->player.spare = kept ? NULL : call;
    atomic_fetch_add(status < 0 ? &grant->counts.refused : &grant->counts.played, 1);
    give_back(grant, slot);
    if (self->timed.finished) {
        let_go(grant);
    }
}

static void play_first(tp_instance *self, tp_grant *grant, int64_t at_ns)
{
    const tpi_grant_end why = end_of(grant, at_ns);
    int waiting = TPI_SLOT_WAITING;

    if (why != TPI_GRANT_LASTS) {
        finish(self, grant, why);
        return;
    }
    tpi_slot *slot = pop(grant);
    if (!atomic_compare_exchange_strong(&slot->state, &waiting, TPI_SLOT_TAKEN)) {
        give_back(grant, slot); /* it was cancelled */
        return;
    }
    const int64_t due = due_ns(grant, slot);
    const int64_t wanted_ns = due > slot->posted_ns ? due : slot->posted_ns;
    const int64_t limit_ns = grant->lease_ns > 0 ? grant->lease_ns : TPI_DRIVER_MESSAGE_NS;
    const int64_t late_ns = at_ns - wanted_ns;
    if (late_ns > limit_ns) {
        atomic_fetch_add(&grant->counts.late, 1);
        give_back(grant, slot);
        return;
    }
    note_late(grant, late_ns);
    carry_out(self, grant, slot, at_ns, wanted_ns + limit_ns);
}

/* The grant whose first command is due, the earliest of all; NULL for none. */
static tp_grant *first_due(const tp_instance *self, int64_t at_ns)
{
    tp_grant *first = NULL;
    int64_t first_ns = at_ns;

    for (tp_grant *grant = self->timed.played; grant != NULL; grant = grant->player.next) {
        if (grant->player.heap_count == 0 || atomic_load(&grant->held)) {
            continue;
        }
        const int64_t due = due_ns(grant, grant->player.heap[0]);
        if (due < first_ns || (due == first_ns && first == NULL)) {
            first = grant;
            first_ns = due;
        }
    }
    return first;
}

/* Finishing one may stop the instance, which finishes all. */
static void collect(tp_instance *self, int64_t at_ns)
{
    tp_grant *grant = self->timed.played;

    while (grant != NULL) {
        const tpi_grant_end why = end_of(grant, at_ns);
        if (why != TPI_GRANT_LASTS) {
            finish(self, grant, why);
            grant = self->timed.played;
        } else {
            take_posted(grant);
            sweep(grant);
            grant = grant->player.next;
        }
    }
}

static int64_t deadline_ns(const tp_instance *self)
{
    int64_t first_ns = TP_NEVER;

    for (const tp_grant *grant = self->timed.played; grant != NULL; grant = grant->player.next) {
        const int64_t lease_ns = tpi_lease_deadline(&grant->lease);
        first_ns = lease_ns < first_ns ? lease_ns : first_ns;
        if (grant->player.heap_count > 0 && !atomic_load(&grant->held)) {
            const int64_t due = due_ns(grant, grant->player.heap[0]);
            first_ns = due < first_ns ? due : first_ns;
        }
    }
    return first_ns;
}

/* What was posted while it was at work; whether there was something. */
static bool take_all_posted(const tp_instance *self)
{
    bool any = false;

    for (tp_grant *grant = self->timed.played; grant != NULL; grant = grant->player.next) {
        if (atomic_load(&grant->posted.posted) != NULL) {
            take_posted(grant);
            any = true;
        }
    }
    return any;
}

/* The owner posts first and reads `rests_ns` then; here it is written first. Both are one
 * read-modify-write, so that one of the two sees what the other has done. */
int64_t tpi_timed_rest(tp_instance *self)
{
    int64_t until_ns;

    do {
        until_ns = deadline_ns(self);
        (void)atomic_exchange(&self->timed.rests_ns, until_ns);
    } while (take_all_posted(self));
    return until_ns;
}

static void set_timer(tp_instance *self)
{
    if (self->timed.timer != NULL) {
        tp_timer_at(self->timed.timer, tpi_timed_rest(self));
    }
}

/* What was posted is taken once, so that other work has its turn however much is posted. Few looks
 * at the clock: on a machine with fewer cores than devices, others of the same instant wait. */
void tpi_timed_serve(tp_instance *self)
{
    if (self->timed.played == NULL) {
        return;
    }
    assert(!instance_is_busy(self));
    int64_t at_ns = now_ns(self);
    collect(self, at_ns);
    for (tp_grant *grant = first_due(self, at_ns); grant != NULL; grant = first_due(self, at_ns)) {
        at_ns = now_ns(self); /* the command before may have taken long */
        play_first(self, grant, at_ns);
        tpi_stop_serve(&self->safety);
    }
    set_timer(self);
}

/* ---- Joining and waking ---------------------------------------------------------------------- */

tp_status tpi_timed_join(tp_grant *grant, tp_error *err)
{
    tp_instance *self = grant->target;

    tpi_stop_others(&grant->device->safety, &grant->link->mover);
    if (!instance_is_started(self)) { /* also if it had to be stopped as a whole just now */
        return tp_fail(err, TP_E_DEVICE, "%s is not running", grant->device->name);
    }
    grant->player.spare = tpi_pool_take(sizeof(tpi_call));
    if (grant->player.spare == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (!self->on_loop) {
        tpi_thread_be_prompt();
    }
    grant->player.next = self->timed.played;
    self->timed.played = grant;
    (void)settle_priority(self, err); /* the grant is given without, and the owner receives why */
    set_timer(self);
    return TP_OK;
}

static void woken(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, timed.wake_task));

    atomic_store(&self->timed.wake_sent, false); /* before it looks */
    tpi_timed_serve(self);
}

static void timer_fired(void *context)
{
    tpi_timed_serve(context);
}

tp_status tpi_timed_prepare(tp_instance *self, tp_error *err)
{
    if (!self->on_loop || self->timed.timer != NULL) {
        return TP_OK;
    }
    self->timed.wake_task.run = woken;
    return tp_timer_create(&self->timed.timer, self->hub->loop, timer_fired, self, err);
}

void tpi_timed_fini(tp_instance *self)
{
    tp_timer_destroy(self->timed.timer);
    self->timed.timer = NULL;
}

void tpi_timed_posted(const tp_grant *grant, int64_t due_ns)
{
    if (due_ns < atomic_fetch_add(&grant->target->timed.rests_ns, 0)) {
        tpi_timed_wake(grant);
    }
}

/* At the end of the hub all players have stopped already. */
void tpi_timed_wake(const tp_grant *grant)
{
    tp_instance *target = grant->target;

    if (!grant->target_on_loop) {
        tpi_bell_ring(target->lines.bell);
    } else if (!target->hub->closing && !atomic_exchange(&target->timed.wake_sent, true)) {
        tpi_loop_post(target->hub->loop, &target->timed.wake_task);
    }
}
