/*
 * experiment_run.c - what a sensor is told for an experiment, and when it ends; see sensor.h.
 *
 * A job is a list of commands. It is begun by a request, or by the end of an experiment. A command
 * that the sensor refuses ends the job.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sensor.h"

enum { MOST_TASKS = 2048, MOST_RESTARTS = 20, LATE_MS = 1000 };

/* ---- Jobs ------------------------------------------------------------------------------------ */

void tpi_sensor_add_task(struct sensor *s, unsigned line, const char *text)
{
    struct sensor_experiment *x = &s->experiment;

    if (x->task_count == x->task_room && x->task_room < MOST_TASKS) {
        const unsigned room = x->task_room == 0 ? 16 : 2 * x->task_room;
        struct sensor_task *more = realloc(x->tasks, room * sizeof *more);
        x->task_room = more != NULL ? room : x->task_room;
        x->tasks = more != NULL ? more : x->tasks;
    }
    if (x->task_count < x->task_room) {
        struct sensor_task *task = &x->tasks[x->task_count];
        task->line = line;
        (void)snprintf(task->text, sizeof task->text, "%s", text);
    }
    x->task_count++; /* more than the room: begin refuses */
}

static void clear_tasks(struct sensor_experiment *x)
{
    x->task_count = x->task_at = 0;
    x->is_asked = false;
    x->job = JOB_NONE;
}

static void drop_wanted(struct sensor_experiment *x)
{
    tpi_experiment_destroy(x->wanted);
    free(x->wanted_text);
    x->wanted = NULL;
    x->wanted_text = NULL;
}

/* The samples that are left in the sensor are sent before the end. */
static void add_end(struct sensor *s)
{
    char command[32];

    tpi_sensor_add_task(s, 0, "L,stop");
    for (unsigned i = 0; i < s->count; i++) {
        if (s->experiment.runs[i].line != NULL && !s->experiment.runs[i].is_relayed) {
            (void)snprintf(command, sizeof command, "L,%u,read",
                           s->channels[i].transducer->channel);
            tpi_sensor_add_task(s, 0, command);
        }
    }
}

tp_status tpi_sensor_begin(struct sensor *s, enum sensor_job job, tp_ticket *ticket, tp_error *err)
{
    struct sensor_experiment *x = &s->experiment;

    if (job == JOB_FINISH) {
        add_end(s);
    }
    if (ticket == NULL && job != JOB_FINISH) {
        clear_tasks(x);
        drop_wanted(x);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    x->ticket = ticket;
    x->job = job;
    x->task_at = 0;
    x->is_asked = false;
    x->restarts = 0;
    if (x->task_count > x->task_room) {
        tpi_sensor_experiment_drop(s, "the experiment has too many values");
    }
    return TP_PENDING;
}

/* When the last sample of a channel is taken, in nanoseconds after the start; INT64_MAX if that is
 * not known before. */
static int64_t length_ns(const struct sensor_experiment *x, const struct sensor_run *run)
{
    const tpi_when start = run->line->start.kind;
    const bool waits = start != TPI_WHEN_NOW && start != TPI_WHEN_UNSAID && start != TPI_WHEN_TIME;

    if (run->count == 0 || run->period_us == 0 || (waits && run->began_ns == 0)) {
        return INT64_MAX;
    }
    if (waits) {
        return run->began_ns - x->started_ns + (int64_t)(run->count * run->period_us) * 1000;
    }
    return (int64_t)((start == TPI_WHEN_TIME ? run->line->start.number : 0) +
                     run->count * run->period_us) *
           1000;
}

/* The same for when a channel ends: with the last of its samples, or with another channel. */
static int64_t ends_ns(const struct sensor *s, unsigned place)
{
    const struct sensor_experiment *x = &s->experiment;

    for (unsigned hops = 0; hops < s->count;
         hops++) { /* ends that wait for each other: not known */
        const struct sensor_run *run = &x->runs[place];
        if (run->line->end.kind != TPI_WHEN_CHANNEL || run->line->end.sensor != x->own) {
            return length_ns(x, run);
        }
        const int other = tpi_sensor_place_of(s, run->line->end.channel);
        if (other < 0 || x->runs[other].line == NULL) {
            return INT64_MAX;
        }
        place = (unsigned)other;
    }
    return INT64_MAX;
}

/* When everything should have come: the longest channel, and a second. */
static void plan_end(struct sensor *s)
{
    struct sensor_experiment *x = &s->experiment;
    int64_t longest_ns = 0;

    for (unsigned i = 0; i < s->count; i++) {
        const int64_t channel_ns = x->runs[i].line != NULL ? ends_ns(s, i) : 0;
        longest_ns = channel_ns > longest_ns ? channel_ns : longest_ns;
    }
    x->due_ns =
        longest_ns == INT64_MAX ? INT64_MAX : x->started_ns + longest_ns + LATE_MS * TP_NS_PER_MS;
}

void tpi_sensor_run_began(struct sensor *s, unsigned place)
{
    struct sensor_run *run = &s->experiment.runs[place];

    if (run->began_ns == 0) {
        run->began_ns = tpi_sensor_now_ns(s);
        plan_end(s);
    }
}

/* The first samples can come with the answer: everything is ready before the question. */
static void begin_run(struct sensor *s)
{
    struct sensor_experiment *x = &s->experiment;

    memset(x->runs, 0, sizeof x->runs);
    for (unsigned i = 0; i < s->count; i++) {
        for (unsigned k = 0; k < x->experiment->channel_count; k++) {
            const tpi_experiment_channel *line = &x->experiment->channels[k];
            if (line->sensor == x->own && line->channel == s->channels[i].transducer->channel) {
                x->runs[i] = (struct sensor_run){
                    .line = line,
                    .count = tpi_experiment_count(line),
                    .period_us = tpi_experiment_period_us(line, s->channels[i].transducer),
                    .is_relayed = tpi_experiment_is_relayed(line),
                    .has_started =
                        line->start.kind == TPI_WHEN_NOW || line->start.kind == TPI_WHEN_UNSAID};
                if (s->channels[i].transducer->type == TPI_CHANNEL_EVENT) {
                    x->runs[i].period_us = 0; /* it looks then, and records what happens */
                }
            }
        }
    }
    x->accepts = true;
    x->samples = x->lost = 0;
    x->why[0] = '\0';
    x->has_zero = false;
    x->check = (struct sensor_check){.due_ns = tpi_sensor_now_ns(s)};
    x->started_ns = tpi_sensor_now_ns(s);
    x->started_s = tp_clock_wall_s(tp_instance_clock(s->self));
    plan_end(s);
}

bool tpi_sensor_ask_task(struct sensor *s, int64_t now_ns)
{
    struct sensor_experiment *x = &s->experiment;

    if (x->job == JOB_NONE || x->task_at >= x->task_count) {
        return false;
    }
    if (x->task_at == 0 && (x->job == JOB_SETUP || x->job == JOB_START)) {
        tpi_sensor_host_clear(s->host); /* what was set up before is forgotten */
    }
    if (strcmp(x->tasks[x->task_at].text, "L,go") == 0) {
        begin_run(s);
    }
    x->is_asked = true;
    x->repeats = tpi_sensor_host_repeats(s->host);
    s->asked = -1;
    tpi_sensor_host_ask(s->host, x->tasks[x->task_at].text, now_ns);
    return true;
}

/* ---- The end of a job ------------------------------------------------------------------------ */

static void answer(struct sensor_experiment *x, tp_status status, const char *why)
{
    tp_ticket *ticket = x->ticket;

    x->ticket = NULL;
    if (ticket != NULL && status == TP_OK) {
        tp_ticket_answer(ticket, NULL);
    } else if (ticket != NULL) {
        tp_ticket_fail(ticket, status, why);
    }
}

static void take_over(struct sensor_experiment *x)
{
    tpi_experiment_destroy(x->experiment);
    free(x->text);
    x->experiment = x->wanted;
    x->text = x->wanted_text;
    x->own = x->wanted_own;
    x->wanted = NULL;
    x->wanted_text = NULL;
    (void)snprintf(x->name, sizeof x->name, "%.60s", x->experiment->path);
    x->phase = TP_EXPERIMENT_READY;
    x->why[0] = '\0';
}

/* A channel with a known count has all its samples, or they are lost. */
static void count_missing(struct sensor *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct sensor_run *run = &s->experiment.runs[i];
        const bool is_late = s->experiment.due_ns <= tpi_sensor_now_ns(s);
        if (run->line != NULL && (is_late || run->is_told) && !s->channels[i].acts &&
            run->next < run->count) {
            tpi_sensor_on_lost(s, s->channels[i].transducer->channel, run->next,
                               run->count - run->next);
        }
    }
}

static void has_ended(struct sensor *s)
{
    struct sensor_experiment *x = &s->experiment;

    count_missing(s);
    x->phase = TP_EXPERIMENT_ENDED;
    x->accepts = false;
    x->ended_ns = tpi_sensor_now_ns(s);
}

static void finish(struct sensor *s)
{
    struct sensor_experiment *x = &s->experiment;
    const enum sensor_job job = x->job;

    clear_tasks(x);
    if (job == JOB_SETUP) {
        take_over(x);
    } else if (job == JOB_START) {
        x->phase = TP_EXPERIMENT_RUNNING;
        x->starts++;
    } else if (job == JOB_SIGNAL) {
        tpi_sensor_tell_signal(s);
    } else if (job == JOB_FINISH) {
        has_ended(s);
    }
    answer(x, TP_OK, NULL);
    if (job != JOB_SIGNAL) {
        tpi_sensor_tell_state(s);
    }
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void refused(struct sensor *s, const struct sensor_task *task, const char *text)
{
    struct sensor_experiment *x = &s->experiment;
    const tpi_experiment *experiment = x->job == JOB_SETUP ? x->wanted : x->experiment;
    const char *bad = strstr(text, ",bad,");
    char why[160];

    if (task->line > 0 && experiment != NULL && bad != NULL) {
        (void)snprintf(why, sizeof why,
                       "%s:%u: the sensor cannot do the field %.1s; its limit is %.40s",
                       experiment->path, task->line, bad + 5, bad + 7);
    } else {
        (void)snprintf(why, sizeof why, "the sensor refuses <%.60s>: %.60s", task->text, text);
    }
    clear_tasks(x);
    drop_wanted(x);
    x->accepts = x->phase == TP_EXPERIMENT_RUNNING;
    answer(x, TP_E_DEVICE, why);
}

/* Appending twice would be wrong: when something was asked again of a sensor that would do so,
 * everything begins anew. */
static bool must_restart(const struct sensor *s, const struct sensor_task *task)
{
    return !tpi_sensor_host_is_once(s->host) && strstr(task->text, ",D+:") != NULL &&
           s->experiment.repeats != tpi_sensor_host_repeats(s->host);
}

static void restart(struct sensor *s)
{
    struct sensor_experiment *x = &s->experiment;

    x->task_at = 0;
    if (x->restarts++ == MOST_RESTARTS) {
        tpi_sensor_experiment_drop(s, "the line loses too much for so many values");
    }
}

void tpi_sensor_task_answer(struct sensor *s)
{
    struct sensor_experiment *x = &s->experiment;
    const char *text = tpi_sensor_host_text(s->host);
    const tpi_sensor_host_state state = tpi_sensor_host_state_of(s->host);

    if (!x->is_asked) {
        return;
    }
    const struct sensor_task *task = &x->tasks[x->task_at];
    x->is_asked = false;
    if (state == TPI_HOST_REFUSED) {
        if (x->job != JOB_FINISH) {
            refused(s, task, text);
            return;
        }
    } else if (must_restart(s, task)) {
        restart(s);
        return;
    } else if (x->job == JOB_SIGNAL) {
        tpi_sensor_signal_answer(s, task->text, text);
    } else {
        tpi_sensor_note_setting(s, task->text);
    }
    if (task->text[0] == 'T') { /* the trigger command: its channel has begun */
        const int place = tpi_sensor_place_of(s, (unsigned)strtoul(task->text + 2, NULL, 10));
        if (place >= 0) {
            tpi_sensor_run_began(s, (unsigned)place);
        }
    }
    if (++x->task_at == x->task_count) {
        finish(s);
    }
}

/* ---- Time ------------------------------------------------------------------------------------ */

bool tpi_sensor_is_past(const struct sensor *s, unsigned place, int64_t now_ns)
{
    const int64_t takes_ns = length_ns(&s->experiment, &s->experiment.runs[place]);

    return takes_ns == INT64_MAX || now_ns - s->experiment.started_ns >= takes_ns;
}

/* Whether a channel takes no more samples, as far as its samples tell. Actuators send none: those
 * with an end say it when they are asked, or need their time; others hold their last value and end
 * with the rest. */
static bool is_over(const struct sensor *s, unsigned place, int64_t now_ns)
{
    const struct sensor_run *run = &s->experiment.runs[place];

    if (run->has_ended) {
        return true;
    }
    if (run->line->end.kind == TPI_WHEN_CHANNEL && run->line->end.sensor != s->experiment.own) {
        return false;
    }
    if (s->channels[place].acts) {
        return run->count == 0 ||
               (s->experiment.check.is_unknown && tpi_sensor_is_past(s, place, now_ns));
    }
    if (run->line->end.kind == TPI_WHEN_CHANNEL) {
        const int other = tpi_sensor_place_of(s, run->line->end.channel);
        return other >= 0 && s->experiment.runs[other].count > 0 &&
               is_over(s, (unsigned)other, now_ns);
    }
    return run->count > 0 && run->next >= run->count;
}

/* An experiment of actuators without an end goes on until STOP. */
static bool all_over(const struct sensor *s, int64_t now_ns)
{
    bool has_end = false;

    for (unsigned i = 0; i < s->count; i++) {
        const struct sensor_run *run = &s->experiment.runs[i];
        if (run->line != NULL && !is_over(s, i, now_ns)) {
            return false;
        }
        has_end = has_end ||
                  (run->line != NULL && (!s->channels[i].acts || run->count > 0 || run->has_ended));
    }
    return has_end;
}

void tpi_sensor_experiment_tick(struct sensor *s, int64_t now_ns)
{
    struct sensor_experiment *x = &s->experiment;

    if (x->phase != TP_EXPERIMENT_RUNNING) {
        return;
    }
    if (x->job == JOB_NONE &&
        (all_over(s, now_ns) || (x->check.is_unknown && now_ns >= x->due_ns))) {
        (void)tpi_sensor_begin(s, JOB_FINISH, NULL, NULL);
    } else if (now_ns - x->told_ns >= TP_NS_PER_S) {
        tpi_sensor_tell_state(s);
    }
}

bool tpi_sensor_is_running(const struct sensor *s, const struct sensor_channel *c)
{
    const struct sensor_experiment *x = &s->experiment;

    return x->phase == TP_EXPERIMENT_RUNNING &&
           (c == NULL || x->runs[c - s->channels].line != NULL);
}

bool tpi_sensor_run_acts(const struct sensor *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (s->channels[i].acts && tpi_sensor_is_running(s, &s->channels[i])) {
            return true;
        }
    }
    return false;
}

void tpi_sensor_experiment_drop(struct sensor *s, const char *why)
{
    struct sensor_experiment *x = &s->experiment;
    const bool ran = x->phase == TP_EXPERIMENT_RUNNING;

    x->accepts = false;
    clear_tasks(x);
    drop_wanted(x);
    if (ran) {
        x->phase = TP_EXPERIMENT_ENDED;
        x->ended_ns = tpi_sensor_now_ns(s);
        (void)snprintf(x->why, sizeof x->why, "%s", why);
    }
    answer(x, TP_E_DEVICE, why);
    if (ran) {
        tpi_sensor_tell_state(s);
    }
}

void tpi_sensor_experiment_fini(struct sensor *s)
{
    struct sensor_experiment *x = &s->experiment;

    drop_wanted(x);
    tpi_experiment_destroy(x->experiment);
    free(x->text);
    free(x->tasks);
    tpi_arena_fini(&x->answers);
}
