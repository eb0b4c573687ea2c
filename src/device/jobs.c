/*
 * jobs.c - jobs of an instance: handed over, one at a time; and what is under way to, in and from
 * it.
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

tpi_item *tpi_jobs_take(tp_instance *self)
{
    assert(instance_is_current(self));
    return tpi_inbox_take(&self->jobs.inbox);
}

void tpi_jobs_post(tp_instance *self, job *last)
{
    tpi_inbox_post(&self->jobs.inbox, &last->item);
}

bool tpi_jobs_are_posted(const tp_instance *self)
{
    return atomic_load(&self->jobs.inbox.posted) != NULL;
}

void tpi_jobs_put_aside(tp_instance *self, tpi_item *item)
{
    assert(instance_is_current(self));
    item->next = NULL;
    *(self->jobs.yielding != NULL ? &self->jobs.yields_last->next : &self->jobs.yielding) = item;
    self->jobs.yields_last = item;
}

job *tpi_jobs_take_aside(tp_instance *self)
{
    tpi_item *oldest = self->jobs.yielding;

    assert(instance_is_current(self));
    if (oldest != NULL) {
        self->jobs.yielding = oldest->next;
    }
    return (job *)oldest;
}

bool tpi_jobs_are_aside(const tp_instance *self)
{
    return self->jobs.yielding != NULL;
}

void tpi_jobs_set_started(tp_instance *self, bool started)
{
    assert(instance_is_current(self));
    self->jobs.started = started;
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
