/*
 * remove.c - instances that leave while the server runs.
 *
 *     the loop                                   where it runs
 *     devices leave the registry, readers
 *     are told and closed, openings fail  ---->  stop: the driver, its requests, its tickets
 *     links are closed                    <----
 *                                                the thread ends
 *     it is joined                        <----
 *     what is still on its way arrives    ---->  fini, on a thread too, since it may take long
 *     it is released                      <----
 */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

#include "bus/pool.h"
#include "device/inside.h"

/* An instance that is being released. */
struct retirement {
    tp_instance *self; /* owned, until it is released */
    void (*done)(void *context);
    void *context;
    struct retirement *next;
};

/* ---- The end --------------------------------------------------------------------------------- */

void tpi_remove_finish(tp_instance *self)
{
    void (*done)(void *context) = self->removal.done;
    void *context = self->removal.context;

    tpi_instance_withdraw(self);
    tpi_instance_destroy(self);
    if (done != NULL) {
        done(context);
    }
}

/* On the loop, when all of them are released. */
static void end_batch(struct retirement *batch)
{
    while (batch != NULL) {
        struct retirement *next = batch->next;
        if (batch->done != NULL) {
            batch->done(batch->context);
        }
        free(batch);
        batch = next;
    }
}

static void release_batch(const struct retirement *batch)
{
    for (; batch != NULL; batch = batch->next) {
        tpi_instance_destroy(batch->self);
    }
}

static void release_on_thread(void *context)
{
    tpi_hub *hub = context;

    release_batch(hub->retirements.batch);
    tpi_pool_leave();
    tpi_loop_post(hub->loop, &hub->retirements.task);
}

static void start_batch(tpi_hub *hub);

static void released(tpi_task *task)
{
    tpi_hub *hub = (tpi_hub *)((char *)task - offsetof(tpi_hub, retirements.task));
    struct retirements *all = &hub->retirements;
    struct retirement *batch = all->batch;

    if (hub->closing) { /* see tpi_remove_wait() */
        return;
    }
    tpi_thread_join(all->thread);
    all->thread = NULL;
    all->batch = NULL;
    end_batch(batch);
    start_batch(hub);
}

/* The fini of a driver may take long, and so may giving back much memory. One thread at a time does
 * that for all that wait, however many leave together. */
static void start_batch(tpi_hub *hub)
{
    struct retirements *all = &hub->retirements;

    if (all->thread != NULL || all->waiting == NULL) {
        return;
    }
    all->batch = all->waiting;
    all->waiting = NULL;
    all->task.run = released;
    if (tpi_thread_start(&all->thread, "release", release_on_thread, hub, NULL) != TP_OK) {
        struct retirement *batch = all->batch;
        all->batch = NULL;
        release_batch(batch);
        end_batch(batch);
    }
}

void tpi_remove_wait(tpi_hub *hub)
{
    struct retirements *all = &hub->retirements;

    tpi_thread_join(all->thread);
    end_batch(all->batch);
    release_batch(all->waiting);
    end_batch(all->waiting);
    all->thread = NULL; /* its task may still be posted */
    all->batch = all->waiting = NULL;
}

/* Nothing of it is under way any more. */
static void release(tp_instance *self)
{
    tpi_hub *hub = self->hub;

    if (hub->closing) { /* it is released with all the others */
        return;
    }
    tpi_registry_forget(self);
    struct retirement *r = tpi_instance_stays_on_loop(self) ? NULL : calloc(1, sizeof *r);
    if (r == NULL) {
        tpi_remove_finish(self);
        return;
    }
    *r = (struct retirement){self, self->removal.done, self->removal.context,
                             hub->retirements.waiting};
    hub->retirements.waiting = r;
    tpi_instance_withdraw(self);
    start_batch(hub);
}

static void left(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, removal.left_task));

    if (self->hub->closing) {
        return;
    }
    tpi_worker_join(self); /* its thread has nothing more to do */
    tpi_worker_run_jobs(self);
    tpi_jobs_finish(self, release);
}

static void leave(job *unused, tp_instance *self)
{
    (void)unused;
    tpi_worker_quit(self);
    tpi_loop_post(self->hub->loop, &self->removal.left_task);
}

/* ---- The beginning --------------------------------------------------------------------------- */

static void close_readers(tp_device *device)
{
    while (device->reader_count > 0) {
        tpi_reader *reader = device->readers != NULL ? device->readers : device->paused;
        tpi_device_close(reader);
        if (reader->closed != NULL) {
            reader->closed(reader);
        }
    }
}

void tpi_hub_remove(tp_instance *self, void (*done)(void *context), void *context)
{
    struct removal *removal = &self->removal;
    tp_error err = {0};

    assert(hub_is_current(self->hub));
    removal->begun = true;
    removal->done = done;
    removal->context = context;
    removal->left_task.run = left;
    removal->leave_job.run = leave;
    const phase before = tpi_phase_leave(self);
    tpi_hub_unlist(self->hub, &self, 1);
    tp_fail(&err, TP_E_REMOVED, "%s: the device was removed", self->name);
    tpi_phase_report(self, &err);
    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        close_readers(device);
    }
    tpi_phase_refuse_waiting(self, &err);
    if (before == STARTING) {
        tpi_links_give_up(self);
    }
    if (before == RUNNING || before == STARTING) {
        tpi_worker_stop(self);
    }
    tpi_instance_submit(self, &removal->leave_job);
    tpi_worker_hurry(self);
}
