/*
 * worker.c - where an instance's operations run: on a thread of its own, or on the loop.
 *
 * The thread waits for a job, for bytes on the lines that it watches, or for the time of the next
 * poll, lease end or timed command, whichever comes first; a job never waits for a poll or an input
 * to end by more than that takes. Time is the instance's clock. One that is not the real clock
 * cannot end a wait: then the thread asks the loop for a timer that rings its bell, so that polls
 * come when the clock has been moved and the loop has turned.
 */
#include <stdlib.h>

#include "bus/pool.h"
#include "device/inside.h"
#include "port/port_inside.h"
#include "safety/moving.h"

static void run_job(tp_instance *self, job *next)
{
    self->busy = true;
    next->run(next, self);
    self->busy = false;
}

void tpi_worker_run_jobs(tp_instance *self)
{
    tpi_item *item = tpi_inbox_take(&self->inbox);

    while (item != NULL) {
        tpi_item *next = item->next;
        tpi_motion_serve(self); /* however much there is to do, what has to stop comes first */
        tpi_timed_serve(self);
        run_job(self, (job *)item);
        item = next;
    }
}

/* ---- Polls and input ------------------------------------------------------------------------- */

/* The device is lost: leave it safe, and let the loop know. */
void tpi_worker_fail(tp_instance *self)
{
    if (self->started) { /* else it has failed already */
        tpi_instance_halt(self);
        tpi_loop_post(self->hub->loop, &self->failed_task);
    }
}

static void begin(tp_instance *self)
{
    self->busy = true;
    self->failure.error.text[0] = '\0';
}

static void end(tp_instance *self, tp_status status)
{
    self->failure.status = status;
    self->busy = false;
    if (status < 0) {
        tpi_worker_fail(self);
    }
}

void tpi_worker_poll(tp_instance *self)
{
    const tp_driver_ops *ops = self->plan.driver->ops;

    if (self->started && ops->poll != NULL) {
        begin(self);
        end(self, ops->poll(self, &self->failure.error));
    }
}

static void input(tp_instance *self, struct tp_port *port)
{
    const tp_driver_ops *ops = self->plan.driver->ops;

    if (ops->input != NULL) {
        begin(self);
        end(self, ops->input(self, port, &self->failure.error));
    }
}

static bool polls(const tp_instance *self)
{
    return self->started && self->period_ns > 0 && self->plan.driver->ops->poll != NULL;
}

/* Polls that are missed are left out, the others stay in step. */
static void poll_if_due(tp_instance *self)
{
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(self));

    if (!polls(self) || now_ns < self->next_poll_ns) {
        return;
    }
    const int64_t late_ns = now_ns - self->next_poll_ns;
    self->next_poll_ns = now_ns - late_ns % self->period_ns + self->period_ns;
    tpi_worker_poll(self);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* On the loop: what the thread wanted last. */
static void set_alarm(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, alarm_task));

    atomic_store(&self->alarm_sent, false);
    if (!self->hub->closing) {
        tp_timer_at(self->alarm, atomic_load(&self->alarm_ns));
    }
}

static void ring_thread(void *context)
{
    tp_instance *self = context;

    tpi_bell_ring(&self->bell);
}

static unsigned wait_until(tp_instance *self, const int *fds, unsigned count, int64_t deadline_ns)
{
    const tp_clock *clock = tp_instance_clock(self);

    if (clock == tp_clock_real() || deadline_ns == TP_NEVER) {
        return tpi_wait(fds, count, deadline_ns);
    }
    if (deadline_ns <= tp_clock_now_ns(clock)) {
        return tpi_wait(fds, count, 0);
    }
    atomic_store(&self->alarm_ns, deadline_ns);
    if (!atomic_exchange(&self->alarm_sent, true)) {
        tpi_loop_post(self->hub->loop, &self->alarm_task);
    }
    return tpi_wait(fds, count, TP_NEVER);
}

static void wait(tp_instance *self)
{
    int fds[1 + 2 * MOST_PORTS] = {self->bell.fd};
    const unsigned count = self->started ? tpi_ports_collect(self, fds + 1) : 0;
    int64_t deadline_ns = polls(self) ? self->next_poll_ns : TP_NEVER;

    if (self->started && tpi_ports_due_ns(self) < deadline_ns) {
        deadline_ns = tpi_ports_due_ns(self);
    }
    if (tpi_motion_deadline_ns(self) < deadline_ns) {
        deadline_ns = tpi_motion_deadline_ns(self);
    }
    if (tpi_timed_deadline_ns(self) < deadline_ns) {
        deadline_ns = tpi_timed_deadline_ns(self);
    }
    tpi_ports_mark(self, wait_until(self, fds, 1 + count, deadline_ns) >> 1);
}

static void thread_main(void *context)
{
    tp_instance *self = context;

    while (!self->quit) {
        tpi_bell_silence(&self->bell);
        tpi_motion_serve(self); /* before anything else is begun */
        tpi_timed_serve(self);
        tpi_ports_keep_guarded(self);
        tpi_worker_run_jobs(self);
        tpi_ports_serve(self, input);
        poll_if_due(self);
        if (!self->quit) {
            wait(self);
        }
    }
    tpi_pool_leave();
}

/* ---- Ringing --------------------------------------------------------------------------------- */

static void run_turn(tp_after *turn)
{
    tp_instance *self = (tp_instance *)((char *)turn - offsetof(tp_instance, turn));

    tpi_worker_run_jobs(self);
}

static void ring_loop(void *context)
{
    tp_instance *self = context;

    tp_loop_after(self->hub->loop, &self->turn);
}

tp_status tpi_worker_create(tp_instance *self, tp_error *err)
{
    self->turn.run = run_turn;
    tpi_inbox_init(&self->inbox, self->on_loop ? ring_loop : ring_thread, self);
    if (self->on_loop) {
        return TP_OK;
    }
    self->alarm_task.run = set_alarm;
    tp_status status = tp_timer_create(&self->alarm, self->hub->loop, ring_thread, self, err);
    status = status == TP_OK ? tpi_bell_init(&self->bell, err) : status;
    status = status == TP_OK ? tpi_thread_start(&self->thread, self->name, thread_main, self, err)
                             : status;
    if (status != TP_OK) {
        tpi_bell_fini(&self->bell);
        return status;
    }
    self->seat.bell = &self->bell;
    tpi_panic_join(self->hub->panic, &self->seat);
    return TP_OK;
}

static void quit(job *unused, tp_instance *self)
{
    (void)unused;
    self->quit = true;
}

void tpi_worker_hurry(tp_instance *self)
{
    atomic_store(&self->quitting, true);
    if (self->thread != NULL) {
        tpi_bell_ring(&self->bell); /* also if a wait has silenced it for a job before this one */
    }
}

void tpi_worker_join(tp_instance *self)
{
    if (self->on_loop) {
        tp_loop_after_cancel(self->hub->loop, &self->turn);
        tpi_worker_run_jobs(self);
        return;
    }
    self->quit_job.run = quit;
    if (self->thread != NULL) {
        tpi_panic_leave(self->hub->panic, &self->seat);
        tpi_inbox_post(&self->inbox, &self->quit_job.item);
        tpi_worker_hurry(self);
        tpi_thread_join(self->thread);
        self->thread = NULL;
    }
    self->on_loop = true; /* what still comes for it, such as answers, is the loop's now */
}
