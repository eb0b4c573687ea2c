/*
 * worker.c - where an instance's operations run: on a thread of its own, or on the loop.
 *
 * The thread waits for a job or for the time of the next poll, whichever comes first; a job never
 * waits for a poll to end by more than the poll takes.
 */
#include <stdlib.h>

#include "bus/pool.h"
#include "device/inside.h"

static void run_job(tp_instance *self, job *next)
{
    self->busy = true;
    next->run(next, self);
    self->busy = false;
}

void worker_run_jobs(tp_instance *self)
{
    tpi_item *item = tpi_inbox_take(&self->inbox);

    while (item != NULL) {
        tpi_item *next = item->next;
        run_job(self, (job *)item);
        item = next;
    }
}

/* The device is lost: leave it safe, and let the loop know. */
void worker_fail(tp_instance *self)
{
    instance_halt(self);
    tpi_loop_post(self->hub->loop, &self->failed_task);
}

void worker_poll(tp_instance *self)
{
    const tp_driver_ops *ops = self->plan.driver->ops;

    if (!self->started || ops->poll == NULL) {
        return;
    }
    self->busy = true;
    self->failure.error.text[0] = '\0';
    self->failure.status = ops->poll(self, &self->failure.error);
    self->busy = false;
    if (self->failure.status < 0) {
        worker_fail(self);
    }
}

static bool polls(const tp_instance *self)
{
    return self->started && self->period_ns > 0 && self->plan.driver->ops->poll != NULL;
}

static void poll_if_due(tp_instance *self)
{
    const int64_t now = tp_clock_now_ns(tp_clock_real());

    if (!polls(self) || now < self->next_poll_ns) {
        return;
    }
    self->next_poll_ns += self->period_ns;
    if (self->next_poll_ns < now) { /* too slow: no burst of late polls */
        self->next_poll_ns = now + self->period_ns;
    }
    worker_poll(self);
}

static void thread_main(void *context)
{
    tp_instance *self = context;

    while (!self->quit) {
        tpi_bell_silence(&self->bell);
        worker_run_jobs(self);
        poll_if_due(self);
        if (!self->quit) {
            tpi_wait(&self->bell.fd, 1, polls(self) ? self->next_poll_ns : TP_NEVER);
        }
    }
    tpi_pool_leave();
}

/* ---- Ringing --------------------------------------------------------------------------------- */

static void ring_thread(void *context)
{
    tp_instance *self = context;

    tpi_bell_ring(&self->bell);
}

static void run_turn(tp_after *turn)
{
    tp_instance *self = (tp_instance *)((char *)turn - offsetof(tp_instance, turn));

    worker_run_jobs(self);
}

static void ring_loop(void *context)
{
    tp_instance *self = context;

    tp_loop_after(self->hub->loop, &self->turn);
}

tp_status worker_create(tp_instance *self, tp_error *err)
{
    self->turn.run = run_turn;
    tpi_inbox_init(&self->inbox, self->on_loop ? ring_loop : ring_thread, self);
    if (self->on_loop) {
        return TP_OK;
    }
    tp_status status = tpi_bell_init(&self->bell, err);
    status = status == TP_OK ? tpi_thread_start(&self->thread, self->name, thread_main, self, err)
                             : status;
    if (status != TP_OK) {
        tpi_bell_fini(&self->bell);
    }
    return status;
}

static void quit(job *unused, tp_instance *self)
{
    (void)unused;
    self->quit = true;
}

void worker_join(tp_instance *self)
{
    if (self->on_loop) {
        tp_loop_after_cancel(self->hub->loop, &self->turn);
        worker_run_jobs(self);
        return;
    }
    self->quit_job.run = quit;
    if (self->thread != NULL) {
        tpi_inbox_post(&self->inbox, &self->quit_job.item);
        tpi_thread_join(self->thread);
        self->thread = NULL;
    }
    self->on_loop = true; /* what still comes for it, such as answers, is the loop's now */
    tpi_bell_fini(&self->bell);
}
