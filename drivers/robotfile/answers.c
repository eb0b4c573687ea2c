/* answers.c - the answers to orders of the device `universal`; see universal.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "robotfile.h"

void tpi_robotfile_universal_fail(struct verdict *verdict, tpi_fault fault, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(verdict->text, sizeof verdict->text, format, values);
    va_end(values);
    verdict->fault = fault;
}

static void fill_results(struct robotfile *r, const struct job *job)
{
    const bool waits = job->wait == TPI_WAIT_TRIGGER;
    const tpi_entry_value *slots =
        tpi_dictionary_entry(waits ? job->wait : job->order.command)->results;
    const tpi_value *results = tpi_dialog_outcome(r->dialog)->results;
    struct verdict *verdict = &r->universal->verdict;
    tp_universal_outcome *out = &verdict->outcome;

    for (unsigned i = 0; slots[i].name != NULL; i++) {
        tp_universal_value *value = &verdict->results[i];
        *value = (tp_universal_value){.is_text = tpi_kind_is_text(slots[i].kind)};
        if (!value->is_text) {
            value->number = waits ? job->fired : results[i].number;
        } else {
            value->text_count = results[i].length;
            memcpy(&value->text, &results[i].text, sizeof value->text);
        }
        out->results_count = i + 1;
    }
    out->results = verdict->results;
}

/* Fill the answer from the fault, the dialog and the trace. */
static void fill_outcome(struct robotfile *r, const struct job *job)
{
    struct robotfile_universal *u = r->universal;
    tp_universal_outcome *out = &u->verdict.outcome;
    static char none[1];

    *out = (tp_universal_outcome){.fault = (uint16_t)u->verdict.fault,
                                  .text_count = 1,
                                  .text = none,
                                  .trace_count = 1,
                                  .trace = none};
    if (u->verdict.fault != TPI_FAULT_NONE) {
        out->text = u->verdict.text;
        out->text_count = (uint32_t)strlen(u->verdict.text) + 1;
    } else if (job->wait != TPI_WAIT_TIME) {
        fill_results(r, job);
    }
    if (job->traces && u->running == job && u->trace.length > 0) {
        out->trace = u->trace.data;
        out->trace_count = (uint32_t)u->trace.length + 1;
    }
}

void tpi_robotfile_universal_answer(struct robotfile *r, struct job *job)
{
    struct robotfile_universal *u = r->universal;

    fill_outcome(r, job);
    job->is_running = false;
    if (u->running == job) {
        u->running = NULL;
    }
    if (job->ticket == NULL) {
        job->is_done = true;
        u->done = job;
        return;
    }
    tp_ticket_answer(job->ticket, &u->verdict.outcome);
    tpi_robotfile_job_release(r, job);
}

/* Keep the pose up to date when an order moves the wheels. */
static void reckon(struct robotfile *r, const tpi_dialog_order *order)
{
    const double a = order->values[0].number, b = order->count > 1 ? order->values[1].number : 0;

    if (order->part != r->wheels.axis || r->wheels.axis < 0) {
        return;
    }
    switch (order->command) {
    case TPI_MOVE_MOTORS:
        tpi_robotfile_reckon(r, a, b);
        break;
    case TPI_DRIVE:
        tpi_robotfile_reckon(r, fmin(fmax(a - b, -100), 100), fmin(fmax(a + b, -100), 100));
        break;
    case TPI_MOVE_POWER:
        tpi_robotfile_reckon(r, a, a);
        break;
    case TPI_STOP:
        tpi_robotfile_reckon(r, 0, 0);
        break;
    default:
        break;
    }
}

void tpi_robotfile_universal_settle(struct robotfile *r)
{
    struct robotfile_universal *u = r->universal;
    struct job *job = u->running;
    const tpi_outcome *outcome = tpi_dialog_outcome(r->dialog);

    u->verdict.fault = outcome->fault;
    memcpy(u->verdict.text, outcome->text, sizeof u->verdict.text);
    if (outcome->fault == TPI_FAULT_NONE && job->wait == TPI_WAIT_TRIGGER) {
        job->fired = tpi_trigger_fires(&job->trigger, job->comparison, outcome->results[0].number,
                                       job->threshold);
        if (!job->fired && tp_clock_now_ns(tp_instance_clock(r->self)) < job->until_ns) {
            job->is_running = false;
            u->running = NULL; /* it reads again later */
            return;
        }
    } else if (outcome->fault == TPI_FAULT_NONE) {
        reckon(r, &job->order);
    }
    tpi_robotfile_universal_answer(r, job);
}

/* Answer all jobs of these ranks. */
static void answer_all(struct robotfile *r, enum job_rank last, const char *why)
{
    struct robotfile_universal *u = r->universal;

    for (unsigned i = 0; i < MOST_JOBS; i++) {
        struct job *job = &u->jobs[i];

        if (job->is_used && job->rank <= last && job->ticket != NULL) {
            tpi_robotfile_universal_fail(&u->verdict, TPI_FAULT_STOPPED, "%s: stopped: %s",
                                         r->loaded->robot->identity.name, why);
            tpi_robotfile_universal_answer(r, job);
        }
    }
}

void tpi_robotfile_universal_halt(struct robotfile *r)
{
    struct robotfile_universal *u = r->universal;

    if (u == NULL) {
        return;
    }
    if (u->running != NULL && u->running->rank != RANK_MOVE) {
        u->running->is_running = false; /* begun again */
        u->running = NULL;
    }
    answer_all(r, RANK_MOVE, "it was stopped");
}

void tpi_robotfile_universal_end(struct robotfile *r)
{
    if (r->universal != NULL) {
        answer_all(r, RANK_LOOK, "the driver has stopped");
        tpi_robotfile_match_waiting(r, "the driver has stopped");
    }
}

void tpi_robotfile_universal_trace(struct robotfile *r, char way, const uint8_t *bytes,
                                   size_t length)
{
    struct robotfile_universal *u = r->universal;

    if (u == NULL || u->running == NULL || !u->running->traces ||
        u->trace.length + 3 * length > MOST_TRACE) {
        return;
    }
    tpi_buf_putc(&u->trace, way);
    for (size_t i = 0; i < length; i++) {
        tpi_buf_printf(&u->trace, " %02x", bytes[i]);
    }
    tpi_buf_putc(&u->trace, '\n');
}
