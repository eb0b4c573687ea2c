/*
 * worker.c - where an instance's operations run: on a thread of its own, or on the loop.
 *
 * The thread waits for a job, for bytes on the lines that it watches, or for the time of the next
 * poll, lease end or timed command, whichever comes first; a job never waits for a poll or an input
 * to end by more than that takes. Time is the instance's clock. One that is not the real clock
 * cannot end a wait: then the thread asks the loop for a timer that rings its bell, so that polls
 * come when the clock has been moved and the loop has turned.
 */
#include <assert.h>
#include <stddef.h>

#include "bus/pool.h"
#include "device/inside.h"

/* However much there is to do, what has to stop comes first. */
static void run_job(tp_instance *self, job *next)
{
    tpi_stop_serve(&self->safety);
    tpi_timed_serve(self);
    const bool was_busy = tpi_jobs_enter(self);
    tpi_output_begin(self);
    next->run(next, self);
    tpi_jobs_leave(self, was_busy);
}

void tpi_worker_run_jobs(tp_instance *self)
{
    tpi_jobs_run_posted(self, run_job);
    if (self->on_loop) {
        tpi_jobs_run_all_aside(self, run_job);
    }
}

/* ---- Starting and stopping ------------------------------------------------------------------- */

/* To the loop, behind all that the driver has sent: the commands that it gives other devices when
 * it stops go out before the links are closed. */
static void post(tp_instance *self, tpi_task *task)
{
    tpi_loop_post(self->hub->loop, task);
}

/* The driver runs. On a line that was lost, it stops what moves before it takes commands. */
static void find_lines(tp_instance *self)
{
    if (self->lines.stop_is_due && self->blueprint.driver->ops->halt != NULL) {
        tpi_stop_again(&self->safety);
    }
    tpi_ports_work(&self->lines);
}

/* The driver was stopped. What a line that has failed took of it, nobody knows: then the stop is
 * owed until the line is back. */
static void leave_lines(tp_instance *self, bool is_lost)
{
    if (!is_lost && !self->lines.write_failed) {
        tpi_stop_returned(&self->safety);
        return;
    }
    tpi_ports_lost(&self->lines);
    if (self->lines.stop_is_due) {
        tpi_stop_lost(&self->safety);
    }
}

/* Stop the driver if it was started, and end all that is open. */
static void halt(tp_instance *self, bool is_lost)
{
    tpi_stop_whole_begin(&self->safety);
    if ((instance_is_started(self) || self->worker.start_pending) &&
        self->blueprint.driver->ops->stop != NULL) {
        self->blueprint.driver->ops->stop(self);
    }
    if (instance_is_started(self)) {
        leave_lines(self, is_lost);
    }
    tpi_jobs_set_started(self, false);
    self->worker.start_pending = false;
    tpi_stop_whole_end(&self->safety);
    tpi_timed_stop(self);
    tpi_errands_close(self);
    tpi_grants_end(self);
    tpi_errands_end(self); /* before the tickets: they are what answers some of these */
    tpi_tickets_end(self);
    tpi_errands_open(self);
}

static void settle_start(tp_instance *self)
{
    struct worker *worker = &self->worker;

    worker->start_pending = false;
    tpi_jobs_set_started(self, worker->start.status == TP_OK);
    worker->next_poll_ns = tp_clock_now_ns(tp_instance_clock(self));
    if (instance_is_started(self)) {
        find_lines(self);
    } else {
        halt(self, false);
    }
    post(self, &worker->started_task);
}

static void start(job *unused, tp_instance *self)
{
    (void)unused;
    const tp_driver_ops *ops = self->blueprint.driver->ops;
    outcome *result = &self->worker.start;

    *result = (outcome){0};
    result->status = ops->start == NULL ? TP_OK : ops->start(self, &result->error);
    if (result->status == TP_PENDING) {
        self->worker.start_pending = true;
    } else {
        settle_start(self);
    }
}

void tp_instance_started(tp_instance *self, tp_status status, const char *why)
{
    outcome *result = &self->worker.start;

    assert(instance_is_current(self));
    if (!self->worker.start_pending) { /* it was stopped meanwhile */
        return;
    }
    result->status = status;
    if (status != TP_OK && why != NULL) {
        tp_fail(&result->error, status, "%s", why);
    }
    settle_start(self);
}

static void stop(job *unused, tp_instance *self)
{
    (void)unused;
    halt(self, false);
    post(self, &self->worker.stopped_task);
}

/* The device is lost: leave it safe, and let the loop know. A driver that is stopped as a whole
 * instead of halted is not lost. */
static void fail(tp_instance *self)
{
    if (instance_is_started(self)) { /* else it has failed already */
        halt(self, !self->safety.halts);
        post(self, &self->worker.failed_task);
    }
}

void tp_instance_fail(tp_instance *self, tp_status status, const char *why)
{
    outcome *failure = &self->worker.failure;

    assert(instance_is_current(self));
    if (instance_is_started(self)) {
        failure->status = tp_fail(&failure->error, status, "%s", why);
        fail(self);
    }
}

void tpi_worker_start(tp_instance *self)
{
    tpi_instance_submit(self, &self->worker.start_job);
}

void tpi_worker_stop(tp_instance *self)
{
    tpi_instance_submit(self, &self->worker.stop_job);
}

/* ---- On the loop ----------------------------------------------------------------------------- */

static void started(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, worker.started_task));

    self->worker.events->started(self, self->worker.start.status, &self->worker.start.error);
}

static void stopped(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, worker.stopped_task));

    self->worker.events->stopped(self);
}

static void failed(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, worker.failed_task));

    self->worker.events->failed(self, self->worker.failure.status, &self->worker.failure.error);
}

/* ---- Polls and input ------------------------------------------------------------------------- */

static void begin(tp_instance *self)
{
    (void)tpi_jobs_enter(self);
    tpi_output_begin(self);
    self->worker.failure.error.text[0] = '\0';
}

static void end(tp_instance *self, tp_status status)
{
    self->worker.failure.status = status;
    tpi_jobs_leave(self, false);
    if (status < 0) {
        fail(self);
    }
}

static void poll_driver(tp_instance *self)
{
    const tp_driver_ops *ops = self->blueprint.driver->ops;

    if (instance_is_started(self) && ops->poll != NULL) {
        begin(self);
        end(self, ops->poll(self, &self->worker.failure.error));
    }
}

/* True to go on with the next port. */
static bool input(void *context, tp_port *port)
{
    tp_instance *self = context;
    const tp_driver_ops *ops = self->blueprint.driver->ops;

    if (ops->input != NULL) {
        begin(self);
        end(self, ops->input(self, port, &self->worker.failure.error));
    }
    return instance_is_started(self);
}

static void keep_guarded(tp_instance *self)
{
    tp_error why = {0};

    if (tpi_ports_keep_guarded(&self->lines, &why) != TP_OK) {
        tp_instance_fail(self, TP_E_DEVICE, why.text);
    }
}

static bool polls(const tp_instance *self)
{
    return instance_is_started(self) && self->worker.period_ns > 0 &&
           self->blueprint.driver->ops->poll != NULL;
}

/* Polls that are missed are left out, the others stay in step. */
static void poll_if_due(tp_instance *self)
{
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(self));

    if (!polls(self) || (now_ns < self->worker.next_poll_ns && !tpi_output_has_come(self))) {
        return;
    }
    const int64_t late_ns = now_ns - self->worker.next_poll_ns;
    self->worker.next_poll_ns =
        now_ns + self->worker.period_ns - (late_ns > 0 ? late_ns % self->worker.period_ns : 0);
    tpi_output_polled(self);
    poll_driver(self);
}

/* ---- Polls on the loop ----------------------------------------------------------------------- */

static void poll_fired(void *context)
{
    tp_instance *self = context;

    if (self->worker.polling) {
        poll_driver(self);
    }
}

void tpi_worker_set_polling(tp_instance *self, bool on)
{
    assert(hub_is_current(self->hub));
    self->worker.polling = on;
    if (self->worker.poll_timer == NULL) {
        return;
    }
    if (on && self->worker.period_ns > 0 && self->blueprint.driver->ops->poll != NULL) {
        tp_timer_every(self->worker.poll_timer, self->worker.period_ns);
    } else {
        tp_timer_cancel(self->worker.poll_timer);
    }
}

void tp_instance_set_period(tp_instance *self, int64_t period_ns)
{
    struct worker *worker = &self->worker;

    assert(instance_is_current(self));
    worker->period_ns = period_ns < TP_NEVER / 2 ? period_ns : TP_NEVER / 2;
    worker->next_poll_ns = tp_clock_now_ns(tp_instance_clock(self)) + worker->period_ns;
    if (worker->poll_timer != NULL && worker->polling) {
        tpi_worker_set_polling(self, true);
    }
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* On the loop: what the thread wanted last. */
static void set_alarm(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, worker.alarm_task));

    atomic_store(&self->worker.alarm_sent, false);
    if (!self->hub->closing) {
        tp_timer_at(self->worker.alarm, atomic_load(&self->worker.alarm_ns));
    }
}

static void ring_thread(void *context)
{
    tp_instance *self = context;

    tpi_bell_ring(&self->worker.bell);
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
    atomic_store(&self->worker.alarm_ns, deadline_ns);
    if (!atomic_exchange(&self->worker.alarm_sent, true)) {
        tpi_loop_post(self->hub->loop, &self->worker.alarm_task);
    }
    return tpi_wait(fds, count, TP_NEVER);
}

/* Whether the bell has rung. */
static bool wait(tp_instance *self)
{
    int fds[1 + 2 * TPI_MOST_PORTS] = {self->worker.bell.fd};
    const unsigned count = instance_is_started(self) ? tpi_ports_collect(&self->lines, fds + 1) : 0;
    const int64_t timed_ns = tpi_timed_rest(self);
    int64_t deadline_ns = !polls(self)                ? TP_NEVER
                          : tpi_output_has_come(self) ? 0
                                                      : self->worker.next_poll_ns;

    if (tpi_jobs_due_ns(self) < deadline_ns) {
        deadline_ns = tpi_jobs_due_ns(self);
    }
    if (instance_is_started(self) && tpi_ports_due_ns(&self->lines) < deadline_ns) {
        deadline_ns = tpi_ports_due_ns(&self->lines);
    }
    if (tpi_safety_deadline_ns(&self->safety) < deadline_ns) {
        deadline_ns = tpi_safety_deadline_ns(&self->safety);
    }
    if (timed_ns < deadline_ns) {
        deadline_ns = timed_ns;
    }
    const unsigned ready = wait_until(self, fds, 1 + count, deadline_ns);
    tpi_ports_mark(&self->lines, ready >> 1);
    return (ready & 1) != 0;
}

static void thread_main(void *context)
{
    tp_instance *self = context;
    bool rang = true;

    tpi_owner_take(&self->safety.owner);
    while (!self->worker.quit) {
        if (rang) {
            tpi_bell_silence(&self->worker.bell);
        }
        tpi_stop_serve(&self->safety); /* before anything else is begun */
        tpi_timed_serve(self);
        keep_guarded(self);
        tpi_jobs_run_posted(self, run_job);
        tpi_jobs_run_aside(self, run_job);
        if (instance_is_started(self)) {
            tpi_ports_serve(&self->lines, input, self);
        }
        poll_if_due(self);
        rang = !self->worker.quit && wait(self);
    }
    tpi_jobs_run_all_aside(self, run_job);
    tpi_pool_leave();
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void run_turn(tp_after *turn)
{
    tp_instance *self = (tp_instance *)((char *)turn - offsetof(tp_instance, worker.turn));

    tpi_worker_run_jobs(self);
}

/* Jobs have arrived. Other threads post jobs only to started instances, so there is a bell. */
static void ring(void *context)
{
    tp_instance *self = context;

    if (self->worker.launched) {
        tpi_bell_ring(&self->worker.bell);
    } else {
        tp_loop_after(self->hub->loop, &self->worker.turn);
    }
}

void tpi_worker_init(tp_instance *self, const worker_events *events)
{
    struct worker *worker = &self->worker;

    worker->bell.fd = -1;
    worker->events = events;
    worker->turn.run = run_turn;
    worker->start_job.run = start;
    worker->stop_job.run = stop;
    worker->started_task.run = started;
    worker->stopped_task.run = stopped;
    worker->failed_task.run = failed;
    worker->alarm_task.run = set_alarm;
    self->lines.bell = &worker->bell;
    tpi_output_wakes(self, &worker->bell);
    self->lines.ending = &worker->quitting;
    tpi_jobs_init(self, ring);
}

tp_status tpi_worker_enrol(tp_instance *self)
{
    return tpi_instance_stays_on_loop(self)
               ? tp_timer_create(&self->worker.poll_timer, self->hub->loop, poll_fired, self, NULL)
               : TP_OK;
}

/* The thread, with what wakes it. Instances that nobody uses need none of it. */
tp_status tpi_worker_launch(tp_instance *self, tp_error *err)
{
    struct worker *worker = &self->worker;

    if (tpi_instance_stays_on_loop(self) || worker->launched) {
        return TP_OK;
    }
    assert(hub_is_current(self->hub) && !tpi_jobs_are_posted(self));
    tp_status status = worker->alarm != NULL ? TP_OK
                                             : tp_timer_create(&worker->alarm, self->hub->loop,
                                                               ring_thread, self, err);
    status = status == TP_OK ? tpi_bell_init(&worker->bell, err) : status;
    self->on_loop = status != TP_OK;
    worker->launched = status == TP_OK;
    status = status == TP_OK ? tpi_thread_start(&worker->thread, self->name, thread_main, self, err)
                             : status;
    if (status != TP_OK) {
        tpi_bell_fini(&worker->bell);
        worker->launched = false;
        self->on_loop = true;
        return status;
    }
    tpi_safety_attach(&self->safety, &worker->bell, tpi_links_exist(self));
    return TP_OK;
}

void tpi_worker_quit(tp_instance *self)
{
    self->worker.quit = true;
}

static void quit(job *unused, tp_instance *self)
{
    (void)unused;
    tpi_worker_quit(self);
}

void tpi_worker_hurry(tp_instance *self)
{
    atomic_store(&self->worker.quitting, true);
    if (self->worker.thread != NULL) {
        tpi_bell_ring(
            &self->worker.bell); /* also if a wait has silenced it for a job before this one */
    }
}

static void dismiss(tp_instance *self)
{
    if (!self->worker.dismissed) {
        self->worker.dismissed = true;
        self->worker.quit_job.run = quit;
        tpi_safety_detach(&self->safety);
        tpi_jobs_post(self, &self->worker.quit_job);
        tpi_worker_hurry(self);
    }
}

bool tpi_worker_join_by(tp_instance *self, int64_t deadline_ns)
{
    if (self->on_loop) {
        tp_loop_after_cancel(self->hub->loop, &self->worker.turn);
        tpi_worker_run_jobs(self);
        return true;
    }
    assert(hub_is_current(self->hub));
    if (self->worker.thread != NULL) {
        dismiss(self);
        if (!tpi_thread_join_by(self->worker.thread, deadline_ns)) {
            return false;
        }
        self->worker.thread = NULL;
        tpi_owner_drop(&self->safety.owner);
    }
    self->on_loop = true; /* what still comes for it, such as answers, is the loop's now */
    return true;
}

void tpi_worker_join(tp_instance *self)
{
    (void)tpi_worker_join_by(self, TP_NEVER);
}

void tpi_worker_withdraw(tp_instance *self)
{
    tp_loop_after_cancel(self->hub->loop, &self->worker.turn);
    tp_timer_destroy(self->worker.poll_timer);
    tp_timer_destroy(self->worker.alarm);
    self->worker.poll_timer = NULL;
    self->worker.alarm = NULL;
}

void tpi_worker_destroy(tp_instance *self)
{
    tpi_bell_fini(&self->worker.bell); /* drivers that post commands for it may ring until now */
}
