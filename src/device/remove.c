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

#include "device/inside.h"

/* ---- The end --------------------------------------------------------------------------------- */

void tpi_remove_finish(tp_instance *self)
{
    void (*done)(void *context) = self->removal.done;
    void *context = self->removal.context;

    tpi_instance_destroy(self);
    if (done != NULL) {
        done(context);
    }
}

static void release(tp_instance *self)
{
    tpi_registry_forget(self);
    tpi_remove_finish(self);
}

/* Nothing of it is under way any more. */
static void retire(tp_instance *self)
{
    if (self->hub->closing) { /* it is released with all the others */
        return;
    }
    if (tpi_instance_stays_on_loop(self) ||
        !tpi_worker_retire(self, tpi_instance_end_driver, release)) {
        release(self);
    }
}

static void left(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, removal.left_task));

    if (self->hub->closing) {
        return;
    }
    tpi_worker_join(self); /* its thread has nothing more to do */
    tpi_worker_run_jobs(self);
    tpi_jobs_finish(self, retire);
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
