/*
 * remove.c - instances that leave while the server runs.
 *
 *     the loop                                   where it runs
 *     devices leave the registry, readers
 *     are told and closed, openings fail  ---->  stop: the driver, its requests, its tickets
 *     links are closed                    <----
 *                                                the thread ends
 *     it is joined                        <----
 *     what is still on its way arrives;
 *     then it is released
 */
#include <stddef.h>
#include <stdio.h>

#include "device/inside.h"

/* ---- The end --------------------------------------------------------------------------------- */

void tpi_remove_finish(tp_instance *self)
{
    void (*done)(void *context) = self->removed;
    void *context = self->removed_context;

    tpi_instance_destroy(self);
    if (done != NULL) {
        done(context);
    }
}

static void bury(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, bury_task));

    if (!self->hub->closing) { /* else it is done with all the others */
        tpi_registry_forget(self);
        tpi_remove_finish(self);
    }
}

void tpi_remove_check(tp_instance *self)
{
    if (!self->gone || self->burying || atomic_load(&self->waiting_jobs) > 0 ||
        atomic_load(&self->in_flight) > 0 || atomic_load(&self->errands_out) > 0 ||
        self->timed.targeted > 0) {
        return;
    }
    self->burying = true; /* later, since whoever calls may still look at it */
    self->bury_task.run = bury;
    tpi_loop_post(self->hub->loop, &self->bury_task);
}

static void left(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, left_task));

    if (self->hub->closing) {
        return;
    }
    tpi_worker_join(self); /* its thread has nothing more to do */
    tpi_worker_run_jobs(self);
    self->gone = true;
    tpi_remove_check(self);
}

static void leave(job *unused, tp_instance *self)
{
    (void)unused;
    self->quit = true;
    tpi_loop_post(self->hub->loop, &self->left_task);
}

/* ---- Those who use what is removed ----------------------------------------------------------- */

static void lose(job *unused, tp_instance *self)
{
    (void)unused;
    tp_instance_fail(self, TP_E_DEVICE, self->lost_why);
}

void tpi_remove_tell_user(tp_instance *self)
{
    if (self->lost && self->phase == RUNNING && !self->lose_sent) {
        self->lose_sent = true;
        self->lose_job.run = lose;
        tpi_instance_submit(self, &self->lose_job);
    }
}

void tpi_remove_lost(tp_link *link)
{
    tp_instance *self = link->instance;

    if (self->hub->closing || self->leaving || self->lose_sent) {
        return;
    }
    snprintf(self->lost_why, sizeof self->lost_why, "requires %s:%u: the device was removed",
             link->wanted.interface->name, link->wanted.addr.index);
    self->hub->lost_count += !self->lost;
    self->lost = true;
    tpi_remove_tell_user(self);
}

void tpi_remove_found_again(tp_instance *self)
{
    self->hub->lost_count -= self->lost;
    self->lost = false;
}

void tpi_remove_find_again(tp_instance *self)
{
    if (self->lost && self->phase == FAILED && tpi_links_are_there(self)) {
        tpi_instance_start(self);
    }
}

/* ---- The beginning --------------------------------------------------------------------------- */

static void close_readers(tp_device *device)
{
    while (device->reader_count > 0) {
        tpi_reader *reader = device->readers != NULL ? device->readers : device->sleepers;
        tpi_device_close(reader);
        if (reader->closed != NULL) {
            reader->closed(reader);
        }
    }
}

/* Links that wait for other devices wait no more. */
static void give_up_links(tp_instance *self)
{
    for (tp_link *link = self->links; link != NULL; link = link->next) {
        if (link->reader.device == NULL && link->opening.device != NULL) {
            tpi_device_give_up(&link->opening);
        }
    }
}

void tpi_hub_remove(tp_instance *self, void (*done)(void *context), void *context)
{
    const phase before = self->phase;
    tp_error err = {0};

    self->leaving = true;
    self->removed = done;
    self->removed_context = context;
    self->left_task.run = left;
    self->leave_job.run = leave;
    self->phase = STOPPING;
    tpi_registry_take_devices(self);
    tp_timer_cancel(self->timer);
    tp_fail(&err, TP_E_REMOVED, "%s: the device was removed", self->name);
    tpi_instance_tell_readers(self, &err);
    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        close_readers(device);
    }
    tpi_instance_refuse_waiting(self, &err);
    if (before == STARTING) {
        give_up_links(self);
    }
    if (before == RUNNING || before == STARTING) {
        tpi_instance_submit(self, &self->stop_job);
    }
    tpi_instance_submit(self, &self->leave_job);
    tpi_worker_hurry(self);
}
