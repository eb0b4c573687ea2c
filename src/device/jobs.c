/*
 * jobs.c - jobs of an instance: handed over, one at a time; and what is under way to, in and from
 * it.
 *
 * Requests of clients without the right to write yield: they run when nothing else is posted, one
 * at a time, so that nothing else waits for more than one of them.
 */
#include <assert.h>
#include <stddef.h>

#include "device/inside.h"

void tpi_instance_submit(tp_instance *self, job *next)
{
    /* What waits comes first. */
    if (self->on_loop && !self->jobs.busy && !tpi_jobs_are_posted(self)) {
        assert(hub_is_current(self->hub));
        self->jobs.busy = true;
        next->run(next, self);
        self->jobs.busy = false;
    } else {
        tpi_inbox_post(&self->jobs.inbox, &next->item);
    }
}

tp_status tpi_jobs_reserve(tp_instance *self, bool yields)
{
    if (atomic_fetch_add(&self->jobs.waiting, 1) >= (yields ? MOST_YIELDING : MOST_WAITING)) {
        atomic_fetch_sub(&self->jobs.waiting, 1);
        return TP_E_LIMIT;
    }
    return TP_OK;
}

void tpi_jobs_add(tp_instance *self)
{
    atomic_fetch_add(&self->jobs.waiting, 1);
}

void tpi_jobs_release(tp_instance *self)
{
    atomic_fetch_sub(&self->jobs.waiting, 1);
}

bool tpi_jobs_enter(tp_instance *self)
{
    const bool was_busy = self->jobs.busy;

    assert(instance_is_current(self));
    self->jobs.busy = true;
    return was_busy;
}

void tpi_jobs_leave(tp_instance *self, bool was_busy)
{
    self->jobs.busy = was_busy;
}

/* ---- For the worker -------------------------------------------------------------------------- */

void tpi_jobs_init(tp_instance *self, void (*ring)(void *self))
{
    tpi_inbox_init(&self->jobs.inbox, ring, self);
}

void tpi_jobs_post(tp_instance *self, job *last)
{
    tpi_inbox_post(&self->jobs.inbox, &last->item);
}

bool tpi_jobs_are_posted(const tp_instance *self)
{
    return atomic_load(&self->jobs.inbox.posted) != NULL;
}

void tpi_jobs_set_started(tp_instance *self, bool started)
{
    assert(instance_is_current(self));
    self->jobs.started = started;
}

/* ---- Running --------------------------------------------------------------------------------- */

static void put_aside(tp_instance *self, tpi_item *item)
{
    item->next = NULL;
    *(self->jobs.aside != NULL ? &self->jobs.aside_last->next : &self->jobs.aside) = item;
    self->jobs.aside_last = item;
}

void tpi_jobs_run_posted(tp_instance *self, tpi_run_job *run)
{
    tpi_item *item = tpi_inbox_take(&self->jobs.inbox);

    assert(instance_is_current(self));
    while (item != NULL) {
        tpi_item *next = item->next;
        if (((job *)item)->yields) {
            put_aside(self, item);
        } else {
            run(self, (job *)item);
        }
        item = next;
    }
}

static void run_first_aside(tp_instance *self, tpi_run_job *run)
{
    tpi_item *first = self->jobs.aside;

    self->jobs.aside = first->next;
    run(self, (job *)first);
}

/* Then they rest for as long as that took: a thread that has time left is woken at once on a busy
 * machine. A clock that is not the real one ends no rest, so there is none then. */
void tpi_jobs_run_aside(tp_instance *self, tpi_run_job *run)
{
    const int64_t longest_ns = 20 * TP_NS_PER_MS;
    const bool rests = tp_instance_clock(self) == tp_clock_real();

    if (self->jobs.aside == NULL) {
        return;
    }
    const int64_t begun_ns = rests ? tp_clock_now_ns(tp_clock_real()) : 0;
    if (rests && begun_ns < self->jobs.aside_ns) {
        return;
    }
    run_first_aside(self, run);
    if (rests) {
        const int64_t ended_ns = tp_clock_now_ns(tp_clock_real());
        const int64_t took_ns = ended_ns - begun_ns;
        self->jobs.aside_ns = ended_ns + (took_ns < longest_ns ? took_ns : longest_ns);
    }
}

void tpi_jobs_run_all_aside(tp_instance *self, tpi_run_job *run)
{
    while (self->jobs.aside != NULL) {
        run_first_aside(self, run);
    }
}

int64_t tpi_jobs_due_ns(const tp_instance *self)
{
    return self->jobs.aside != NULL ? self->jobs.aside_ns : TP_NEVER;
}

/* ---- The end --------------------------------------------------------------------------------- */

static void now_idle(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, jobs.idle_task));

    self->jobs.idle(self);
}

void tpi_jobs_finish(tp_instance *self, void (*idle)(tp_instance *self))
{
    assert(hub_is_current(self->hub));
    self->jobs.idle = idle;
    self->jobs.idle_task.run = now_idle;
    tpi_jobs_check(self);
}

void tpi_jobs_check(tp_instance *self)
{
    assert(hub_is_current(self->hub));
    if (self->jobs.idle == NULL || self->jobs.idle_posted || atomic_load(&self->jobs.waiting) > 0 ||
        !output_is_empty(self) || !errands_are_home(self) || instance_is_targeted(self)) {
        return;
    }
    self->jobs.idle_posted = true; /* later, since the caller may still look at the instance */
    tpi_loop_post(self->hub->loop, &self->jobs.idle_task);
}
