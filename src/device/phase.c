/*
 * phase.c - the phases of an instance: started by the first user, stopped by the last; see hub.h.
 *
 * Users are readers. What the instance itself uses is opened before it starts and closed after it
 * has stopped, through the hooks that the instance gives. The loop's.
 */
#include <assert.h>
#include <stdio.h>

#include "device/inside.h"

/* ---- Starting and stopping ------------------------------------------------------------------- */

/* A line was lost, and what was at it may move: it is looked for until its stop was written, also
 * without users. */
static bool must_return(const tp_instance *self)
{
    return self->blueprint.restart_ns > 0 && tpi_stop_is_lost(&self->safety);
}

/* What the driver uses comes first, then the driver's own start. */
void tpi_phase_start(tp_instance *self)
{
    assert(hub_is_current(self->hub));
    tp_timer_cancel(self->life.timer); /* of a restart, if somebody opens it before */
    self->life.phase = STARTING;
    tpi_phase_found_again(self);
    self->life.hooks->connect(self);
}

void tpi_phase_stop_if_unused(tp_instance *self)
{
    struct life *life = &self->life;

    assert(hub_is_current(self->hub));
    if (life->users > 0 || life->waiting != NULL || self->blueprint.always_on) {
        return;
    }
    if (life->phase == FAILED && must_return(self)) {
        return;
    }
    if (life->phase == FAILED) {
        tp_timer_cancel(life->timer);
        life->phase = IDLE;
    } else if (life->phase == RUNNING) {
        tpi_worker_set_polling(self, false);
        life->phase = STOPPING;
        tpi_worker_stop(self);
    }
}

phase tpi_phase_leave(tp_instance *self)
{
    const phase before = self->life.phase;

    assert(hub_is_current(self->hub));
    tp_timer_cancel(self->life.timer);
    tpi_worker_set_polling(self, false);
    self->life.phase = STOPPING;
    return before;
}

static void restart(void *context)
{
    tp_instance *self = context;

    if (self->life.phase == FAILED) {
        tpi_phase_start(self);
    }
}

static void restart_later(tp_instance *self)
{
    tp_timer_at(self->life.timer,
                tp_clock_now_ns(tp_instance_clock(self)) + self->blueprint.restart_ns);
}

/* ---- Openings that wait
 * -------------------------------------------------------------------------- */

void tpi_phase_refuse_waiting(tp_instance *self, const tp_error *err)
{
    while (self->life.waiting != NULL) {
        tpi_opening *opening = self->life.waiting;
        self->life.waiting = opening->next;
        opening->done(opening, err->code, err);
    }
}

/* Openings that waited for the start go on, or fail as it did. */
static void settle_waiting(tp_instance *self, tp_status status, const tp_error *err)
{
    tpi_opening *opening = self->life.waiting;

    self->life.waiting = NULL;
    while (opening != NULL) {
        tpi_opening *next = opening->next;
        tp_device *device = opening->device;
        if (status == TP_OK) {
            opening->reader->device = NULL;
            tpi_device_open(device, opening); /* attaches at once now */
        } else {
            opening->done(opening, status, err);
        }
        opening = next;
    }
}

/* ---- A device that it uses was removed ------------------------------------------------------- */

static void lose(job *unused, tp_instance *self)
{
    (void)unused;
    tp_instance_fail(self, TP_E_DEVICE, self->life.lost_why);
}

/* At once, or when it has started. */
static void tell_lost(tp_instance *self)
{
    struct life *life = &self->life;

    if (life->lost && life->phase == RUNNING && !life->lose_sent) {
        life->lose_sent = true;
        life->lose_job.run = lose;
        tpi_instance_submit(self, &life->lose_job);
    }
}

void tpi_phase_lost(tp_instance *self, const char *why)
{
    struct life *life = &self->life;

    assert(hub_is_current(self->hub));
    if (self->hub->closing || instance_is_leaving(self) || life->lose_sent) {
        return;
    }
    (void)snprintf(life->lost_why, sizeof life->lost_why, "%s", why);
    self->hub->lost_count += !life->lost;
    life->lost = true;
    tell_lost(self);
}

void tpi_phase_found_again(tp_instance *self)
{
    self->hub->lost_count -= self->life.lost;
    self->life.lost = false;
}

void tpi_phase_find_again(tp_instance *self)
{
    if (self->life.lost && self->life.phase == FAILED && self->life.hooks->can_connect(self)) {
        tpi_phase_start(self);
    }
}

/* ---- What became of it ----------------------------------------------------------------------- */

static void begin_to_run(tp_instance *self)
{
    self->life.phase = RUNNING;
    if (!tpi_trouble_is_on(self)) {
        tpi_trouble_is_over(self);
    }
    tpi_worker_set_polling(self, true);
    self->life.hooks->running(self);
    settle_waiting(self, TP_OK, NULL);
    tpi_phase_stop_if_unused(self);
    tell_lost(self);
}

static void started(tp_instance *self, tp_status status, tp_error *err)
{
    assert(hub_is_current(self->hub));
    if (self->hub->closing || instance_is_leaving(self)) {
        return;
    }
    if (status == TP_OK) {
        begin_to_run(self);
        return;
    }
    if (err->text[0] == '\0') {
        tp_fail(err, status, "%s", tp_status_text(status));
    }
    tp_wrap(err, status, self->name);
    self->life.hooks->disconnect(self);
    self->life.phase = IDLE;
    tpi_trouble_clear(self);
    /* Otherwise clients that open it receive the reason. */
    tpi_trouble_begins(self, err->text, self->blueprint.always_on);
    if (((self->life.users > 0 || self->blueprint.always_on) && self->blueprint.restart_ns > 0) ||
        must_return(self)) {
        self->life.phase = FAILED;
        restart_later(self);
    }
    settle_waiting(self, status, err);
}

void tpi_phase_connected(tp_instance *self, tp_status status, tp_error *err)
{
    status = status == TP_OK ? tpi_worker_launch(self, err) : status;
    if (status == TP_OK) {
        tpi_worker_start(self);
    } else {
        started(self, status, err);
    }
}

/* What its devices have sent last, and their movers. */
static void forget_past(tp_instance *self)
{
    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        tpi_latch_forget(device);
        tpi_claim_stopped_whole(&device->safety);
    }
}

/* Its stop could not be written when its last user left. */
static void look_for(tp_instance *self)
{
    tp_error err = {0};

    tp_fail(&err, TP_E_DEVICE, "%s: the line failed before the stop was written", self->name);
    tpi_trouble_begins(self, err.text, true);
    self->life.phase = FAILED;
    restart_later(self);
}

static void stopped(tp_instance *self)
{
    assert(hub_is_current(self->hub));
    if (self->hub->closing) {
        return;
    }
    self->life.hooks->disconnect(self);
    forget_past(self);
    if (instance_is_leaving(self)) {
        return;
    }
    self->life.phase = IDLE;
    tpi_trouble_clear(self);
    self->life.lose_sent = false;
    if (self->life.waiting != NULL) {
        tpi_phase_start(self);
    } else if (must_return(self)) {
        look_for(self);
    }
}

void tpi_phase_report(tp_instance *self, const tp_error *err)
{
    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        tpi_device_deliver_failure(device, err->code, err->text);
    }
}

static void failed(tp_instance *self, tp_status status, tp_error *err)
{
    assert(hub_is_current(self->hub));
    self->life.lose_sent = false;
    if (self->life.phase != RUNNING || self->hub->closing) { /* it is being stopped anyway */
        return;
    }
    if (err->text[0] == '\0') {
        tp_fail(err, status, "%s", tp_status_text(status));
    }
    tp_wrap(err, status, self->name);
    tpi_worker_set_polling(self, false);
    self->life.phase = FAILED;
    tpi_trouble_clear(self);
    tpi_trouble_begins(self, err->text, !self->life.lost); /* its remover knows */
    self->life.hooks->disconnect(self);
    forget_past(self);
    tpi_phase_report(self, err);
    if (self->blueprint.restart_ns > 0) {
        restart_later(self);
    }
    tpi_phase_find_again(self);
}

const worker_events tpi_phase_events = {started, stopped, failed};

/* ---- Users ----------------------------------------------------------------------------------- */

static void attach(tp_device *device, tpi_reader *reader)
{
    reader->device = device;
    reader->paused = false;
    tpi_reader_link(reader);
    device->reader_count++;
    tpi_output_attach(reader);
    device->instance->life.users++;
}

void tpi_device_open(tp_device *device, tpi_opening *opening)
{
    tp_instance *self = device->instance;
    tpi_reader *reader = opening->reader;

    assert(hub_is_current(self->hub));
    opening->device = device;
    opening->next = NULL;
    if (self->life.phase == RUNNING) {
        attach(device, reader);
        opening->done(opening, TP_OK, NULL);
        tpi_latch_repeat(device, reader);
        return;
    }
    tpi_opening **last = &self->life.waiting;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = opening;
    if (self->life.phase == IDLE || self->life.phase == FAILED) {
        tpi_phase_start(self);
    }
}

void tpi_device_give_up(tpi_opening *opening)
{
    tp_instance *self = opening->device->instance;

    assert(hub_is_current(self->hub));
    for (tpi_opening **at = &self->life.waiting; *at != NULL; at = &(*at)->next) {
        if (*at == opening) {
            *at = opening->next;
            return;
        }
    }
}

void tpi_device_close(tpi_reader *reader)
{
    tp_device *device = reader->device;

    if (device == NULL) {
        return;
    }
    assert(hub_is_current(device->instance->hub));
    tpi_reader_unlink(reader);
    device->reader_count--;
    tpi_output_detach(reader);
    reader->device = NULL;
    device->instance->life.users--;
    tpi_phase_stop_if_unused(device->instance);
}

bool tpi_device_is_running(const tp_device *device)
{
    return device->instance->life.phase == RUNNING;
}

/* ---- Life ------------------------------------------------------------------------------------ */

void tpi_phase_init(tp_instance *self, const phase_hooks *hooks)
{
    self->life.hooks = hooks;
}

tp_status tpi_phase_enrol(tp_instance *self)
{
    return tp_timer_create(&self->life.timer, self->hub->loop, restart, self, NULL);
}

void tpi_phase_fini(tp_instance *self)
{
    tp_timer_destroy(self->life.timer);
    self->life.timer = NULL;
}
