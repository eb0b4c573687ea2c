/* instance.c - the life of a driver instance: made, started by the first user, stopped by the last.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/answers.h"
#include "device/inside.h"
#include "port/port_inside.h"
#include "safety/moving.h"

/* ---- Jobs ------------------------------------------------------------------------------------ */

void tpi_instance_submit(tp_instance *self, job *next)
{
    /* What waits comes first. */
    if (self->on_loop && !self->busy && atomic_load(&self->inbox.posted) == NULL) {
        self->busy = true;
        next->run(next, self);
        self->busy = false;
    } else {
        tpi_inbox_post(&self->inbox, &next->item);
    }
}

/* To the loop, behind all that the driver has sent: the commands that it gives other devices when
 * it stops go out before the links are closed. */
static void report(tp_instance *self, tpi_task *task)
{
    tpi_loop_post(self->hub->loop, task);
}

void tpi_instance_halt(tp_instance *self)
{
    if ((self->started || self->start_pending) && self->plan.driver->ops->stop != NULL) {
        self->halts = true;
        self->plan.driver->ops->stop(self);
        self->halts = false;
    }
    self->started = false;
    self->start_pending = false;
    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        device->in_motion = false;
    }
    tpi_halting_end(self);
    self->ending = true;
    tpi_errands_end(self); /* before the tickets: they are what answers some of these */
    tpi_tickets_end(self);
    self->ending = false;
}

static void settle_start(tp_instance *self)
{
    self->start_pending = false;
    self->started = self->start.status == TP_OK;
    self->next_poll_ns = tp_clock_now_ns(tp_instance_clock(self));
    if (!self->started) {
        tpi_instance_halt(self);
    }
    report(self, &self->started_task);
}

static void start(job *unused, tp_instance *self)
{
    (void)unused;
    const tp_driver_ops *ops = self->plan.driver->ops;

    self->start = (outcome){0};
    self->start.status = ops->start == NULL ? TP_OK : ops->start(self, &self->start.error);
    if (self->start.status == TP_PENDING) {
        self->start_pending = true;
    } else {
        settle_start(self);
    }
}

void tp_instance_started(tp_instance *self, tp_status status, const char *why)
{
    if (!self->start_pending) { /* it was stopped meanwhile */
        return;
    }
    self->start.status = status;
    if (status != TP_OK && why != NULL) {
        tp_fail(&self->start.error, status, "%s", why);
    }
    settle_start(self);
}

static void stop(job *unused, tp_instance *self)
{
    (void)unused;
    tpi_instance_halt(self);
    report(self, &self->stopped_task);
}

/* ---- Phases, on the loop --------------------------------------------------------------------- */

static void fire(void *context)
{
    tp_instance *self = context;

    if (self->phase == RUNNING) {
        tpi_worker_poll(self);
    } else if (self->phase == FAILED) {
        tpi_instance_start(self);
    }
}

static void poll_on_loop(tp_instance *self)
{
    if (self->on_loop && self->period_ns > 0 && self->plan.driver->ops->poll != NULL) {
        tp_timer_every(self->timer, self->period_ns);
    } else {
        tp_timer_cancel(self->timer);
    }
}

/* The links come first, then the driver's own start. */
void tpi_instance_start(tp_instance *self)
{
    tp_timer_cancel(self->timer); /* of a restart, if somebody opens it before */
    self->phase = STARTING;
    tpi_remove_found_again(self);
    self->links_open = 0;
    tpi_links_open(self);
}

void tpi_instance_refuse_waiting(tp_instance *self, const tp_error *err)
{
    while (self->waiting != NULL) {
        tpi_opening *opening = self->waiting;
        self->waiting = opening->next;
        opening->done(opening, err->code, err);
    }
}

/* Whoever waited for the start is told how it went. */
static void tell_waiting(tp_instance *self, tp_status status)
{
    tpi_opening *opening = self->waiting;

    self->waiting = NULL;
    while (opening != NULL) {
        tpi_opening *next = opening->next;
        tp_device *device = opening->device;
        if (status == TP_OK) {
            opening->reader->device = NULL;
            tpi_device_open(device, opening); /* attaches at once now */
        } else {
            opening->done(opening, status, &self->start.error);
        }
        opening = next;
    }
}

void tpi_instance_started(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, started_task));
    const tp_status status = self->start.status;
    tp_error *err = &self->start.error;

    if (self->hub->closing || self->leaving) {
        return;
    }
    if (status == TP_OK) {
        self->phase = RUNNING;
        if (!self->troubled) {
            tpi_trouble_is_over(self);
        }
        poll_on_loop(self);
        tpi_links_repeat(self);
        tpi_frames_ask(self);
        tell_waiting(self, TP_OK);
        tpi_instance_stop_if_unused(self);
        tpi_remove_tell_user(self);
        return;
    }
    if (err->text[0] == '\0') {
        tp_fail(err, status, "%s", tp_status_text(status));
    }
    tp_wrap(err, status, self->name);
    tpi_links_close(self);
    self->phase = IDLE;
    self->troubled = false;
    tpi_trouble_begins(self, err->text, self->plan.always_on); /* else who opens it is told */
    if ((self->users > 0 || self->plan.always_on) && self->plan.restart_ns > 0) { /* try again */
        self->phase = FAILED;
        tp_timer_at(self->timer, tp_clock_now_ns(tp_instance_clock(self)) + self->plan.restart_ns);
    }
    tell_waiting(self, status);
}

/* What its devices have sent last, and who has moved them. */
static void forget_past(tp_instance *self)
{
    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        tpi_latch_forget(device);
        device->stands = true;
    }
}

void tpi_instance_stopped(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, stopped_task));

    if (self->hub->closing) {
        return;
    }
    tpi_links_close(self);
    forget_past(self);
    if (self->leaving) {
        return;
    }
    self->phase = IDLE;
    self->troubled = false;
    self->lose_sent = false;
    if (self->waiting != NULL) {
        tpi_instance_start(self);
    }
}

void tpi_instance_tell_readers(tp_instance *self, const tp_error *err)
{
    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        tpi_device_deliver_failure(device, err->code, err->text);
    }
}

void tpi_instance_failed(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, failed_task));

    self->lose_sent = false;
    if (self->phase != RUNNING || self->hub->closing) { /* it is being stopped anyway */
        return;
    }
    if (self->failure.error.text[0] == '\0') {
        tp_fail(&self->failure.error, self->failure.status, "%s",
                tp_status_text(self->failure.status));
    }
    tp_wrap(&self->failure.error, self->failure.status, self->name);
    tp_timer_cancel(self->timer);
    self->phase = FAILED;
    self->troubled = false;
    tpi_trouble_begins(self, self->failure.error.text, !self->lost); /* who removes it knows */
    tpi_links_close(self);
    forget_past(self);
    tpi_instance_tell_readers(self, &self->failure.error);
    if (self->plan.restart_ns > 0) {
        tp_timer_at(self->timer, tp_clock_now_ns(tp_instance_clock(self)) + self->plan.restart_ns);
    }
    tpi_remove_find_again(self);
}

void tpi_instance_stop_if_unused(tp_instance *self)
{
    if (self->users > 0 || self->waiting != NULL || self->plan.always_on) {
        return;
    }
    if (self->phase == FAILED) {
        tp_timer_cancel(self->timer);
        self->phase = IDLE;
    } else if (self->phase == RUNNING) {
        tp_timer_cancel(self->timer);
        self->phase = STOPPING;
        tpi_instance_submit(self, &self->stop_job);
    }
}

/* ---- Making and releasing -------------------------------------------------------------------- */

static tp_status check_params(const tp_instance *self, tp_error *err)
{
    const tp_param *param = self->plan.driver->params;

    for (; param != NULL && param->name != NULL; param++) {
        if (param->fallback == NULL && !tp_param_given(self, param->name)) {
            return tp_fail(err, TP_E_INVALID, "the parameter \"%s\" is missing: %s", param->name,
                           param->doc);
        }
    }
    return TP_OK;
}

static size_t largest_answer(const tp_instance *self)
{
    size_t largest = 1;

    for (tp_device *device = self->devices; device != NULL; device = device->next) {
        for (uint32_t i = 0; i < device->interface->message_count; i++) {
            const tp_struct *answer = device->interface->messages[i].answer;
            largest = answer != NULL && answer->size > largest ? answer->size : largest;
        }
    }
    for (uint32_t i = 0; i < tp_interface_common.message_count; i++) {
        const tp_struct *answer = tp_interface_common.messages[i].answer;
        largest = answer != NULL && answer->size > largest ? answer->size : largest;
    }
    return largest;
}

/* Every address in `provides` has to be offered by the driver. */
static tp_status check_provides(const tp_instance *self, tp_error *err)
{
    for (size_t i = 0; i < tp_provides_count(self); i++) {
        if (tp_provides(self, tp_provides_interface(self, i), tp_provides_key(self, i))) {
            return tp_fail(err, TP_E_UNSUPPORTED, "the driver %s does not offer %s",
                           self->plan.driver->name, tp_provides_interface(self, i)->name);
        }
    }
    return TP_OK;
}

static tp_status run_init(tp_instance *self, tp_error *err)
{
    tp_status status = check_params(self, err);
    if (status != TP_OK) {
        return status;
    }
    self->made = true;
    status = self->plan.driver->ops->init(self, err);
    status = status == TP_OK ? check_provides(self, err) : status;
    if (status != TP_OK) {
        return status;
    }
    self->scratch_size = (largest_answer(self) + 15) / 16 * 16;
    self->scratch = malloc(2 * self->scratch_size);
    self->spare = self->scratch == NULL ? NULL : (char *)self->scratch + self->scratch_size;
    return self->scratch == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
}

const char *tpi_instance_driver_name(const tp_instance *self)
{
    return self->plan.in_place_of != NULL ? self->plan.in_place_of : self->plan.driver->name;
}

tp_status tpi_instance_create(tp_instance **out, tpi_hub *hub, const tpi_blueprint *plan,
                              tp_error *err)
{
    tp_instance *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    self->hub = hub;
    self->plan = *plan;
    self->on_loop = (plan->driver->flags & TP_DRIVER_ON_LOOP) != 0;
    self->bell.fd = -1;
    self->start_job.run = start;
    self->stop_job.run = stop;
    self->started_task.run = tpi_instance_started;
    self->stopped_task.run = tpi_instance_stopped;
    self->failed_task.run = tpi_instance_failed;
    self->note_task.run = tpi_section_told;
    self->last = &self->devices;
    self->most_in_flight = MOST_IN_FLIGHT - MORE_FOR_A_DEVICE; /* which the first one adds */
    hub->blamed = 0;
    hub->blamed_param = NULL;
    self->guard_task.run = tpi_guarded_told;
    tp_status status = tpi_naming_choose(self);
    self->state = calloc(1, plan->driver->state_size + 1);
    status =
        status != TP_OK || self->state == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
    status = status == TP_OK ? tp_timer_create(&self->timer, hub->loop, fire, self, err) : status;
    status = status == TP_OK ? tpi_params_prepare(self, err) : status;
    status = status == TP_OK ? tpi_sections_prepare(self, err) : status;
    status = status == TP_OK ? run_init(self, err) : status;
    status = status == TP_OK ? tpi_motion_begin(self, err) : status;
    status = status == TP_OK ? tpi_worker_create(self, err) : status;
    if (status != TP_OK) {
        tp_wrap(err, status, self->name);
        tpi_instance_destroy(self);
        return status;
    }
    *out = self;
    return TP_OK;
}

void tpi_instance_destroy(tp_instance *self)
{
    if (self->made && self->plan.driver->ops->fini != NULL) {
        self->plan.driver->ops->fini(self);
    }
    tpi_ports_close(self);
    while (self->devices != NULL) {
        tp_device *next = self->devices->next;
        tpi_latch_forget(self->devices);
        free((void *)self->devices->latched);
        tpi_properties_clear(self->devices);
        free(self->devices);
        self->devices = next;
    }
    while (self->links != NULL) {
        tp_link *next = self->links->next;
        free(self->links);
        self->links = next;
    }
    tp_timer_destroy(self->timer);
    tpi_motion_end(self);
    tp_loop_after_cancel(self->hub->loop, &self->turn);
    tp_timer_destroy(self->alarm);
    free(self->scratch);
    free(self->state);
    tpi_arena_fini(&self->arena);
    free(self);
}

/* ---- For drivers ----------------------------------------------------------------------------- */

void *tp_instance_state(const tp_instance *self)
{
    return self->state;
}

const tp_driver *tp_instance_driver(const tp_instance *self)
{
    return self->plan.driver;
}

const char *tp_instance_name(const tp_instance *self)
{
    return self->name;
}

const char *tp_instance_known_as(const tp_instance *self)
{
    return self->hub->part != NULL ? self->hub->part : self->name;
}

const tp_clock *tp_instance_clock(const tp_instance *self)
{
    return tp_loop_clock(self->hub->loop);
}

void tp_instance_set_period(tp_instance *self, int64_t period_ns)
{
    self->period_ns = period_ns < TP_NEVER / 2 ? period_ns : TP_NEVER / 2;
    self->next_poll_ns = tp_clock_now_ns(tp_instance_clock(self)) + self->period_ns;
    if (self->on_loop && self->phase == RUNNING) {
        poll_on_loop(self);
    }
}

tp_loop *tp_instance_loop(const tp_instance *self)
{
    return self->on_loop ? self->hub->loop : NULL;
}

const tp_catalogue *tp_instance_catalogue(const tp_instance *self)
{
    return self->hub->catalogue;
}

void tp_instance_fail(tp_instance *self, tp_status status, const char *why)
{
    if (self->started) {
        self->failure.status = tp_fail(&self->failure.error, status, "%s", why);
        tpi_worker_fail(self);
    }
}
