/* talk_run.c - executes the steps of the top call; see talk_inside.h. */
#include <math.h>
#include <string.h>

#include "universal/talk_inside.h"

enum { NS_PER_MS = 1000000 };

static int64_t later(const tpi_talk *talk, double ms)
{
    return talk->now_ns + (int64_t)(fmin(fmax(ms, 0), 1e9) * NS_PER_MS);
}

static void wait(tpi_talk *talk, tpi_waiting what, double ms)
{
    talk->waiting = what;
    talk->until_ns = later(talk, ms);
}

/* The value of an expression; false, with the fault, if there is none. */
static bool value_of(tpi_talk *talk, const tpi_expression *expression, double *out)
{
    const tpi_context context = tpi_talk_context(talk, tpi_talk_top(talk));

    if (!tpi_expression_number(expression, &context, out)) {
        const tpi_frame_call *call = tpi_talk_top(talk);
        tpi_talk_fail(talk, TPI_FAULT_VALUE, "line %u of the robot file has no number here",
                      call->steps->steps[call->at].line);
        return false;
    }
    return true;
}

/* ---- Writing ---- */

bool tpi_talk_write(tpi_talk *talk, const uint8_t *body, size_t length)
{
    const tpi_robot *robot = talk->wired->robot;
    tpi_bytes frame = {.data = talk->output + robot->timing.largest,
                       .capacity = 2 * robot->timing.largest};

    talk->sequence++;
    if (!tpi_framing_put(&robot->framing, body, length, talk->sequence, &frame)) {
        return false;
    }
    talk->sent_ns = talk->now_ns;
    talk->has_sent = true;
    talk->hooks.write(talk->hooks.context, frame.data, frame.length, body, length);
    return true;
}

static void step_send(tpi_talk *talk, const tpi_step *step)
{
    const tpi_timing *timing = &talk->wired->robot->timing;
    const int64_t gap_ends = talk->sent_ns + (int64_t)(timing->gap_ms * NS_PER_MS);
    tpi_frame_call *call = tpi_talk_top(talk);
    tpi_bytes body = {.data = talk->output, .capacity = timing->largest};

    if (talk->has_sent && gap_ends > talk->now_ns) {
        talk->waiting = TPI_WAIT_GAP;
        talk->until_ns = gap_ends;
        return;
    }
    const tpi_context context = tpi_talk_context(talk, call);
    const tpi_written written = tpi_pattern_write(&step->pattern, &context, &body);
    if (written == TPI_WRITTEN_NO_VALUE) {
        tpi_talk_fail(talk, TPI_FAULT_VALUE, "line %u of the robot file has no number here",
                      step->line);
        return;
    }
    if (written == TPI_WRITTEN_TOO_LONG || !tpi_talk_write(talk, body.data, body.length)) {
        tpi_talk_fail(talk, TPI_FAULT_VALUE, "the text is too long for this robot");
        return;
    }
    if (written == TPI_WRITTEN_CLAMPED && !talk->clamp_told) {
        talk->clamp_told = true;
        tpi_talk_note(talk,
                      "a number was outside of its type (line %u of the robot file) and was "
                      "clamped",
                      step->line);
    }
    call->at++;
}

/* ---- Registers and names ---- */

bool tpi_talk_set(tpi_talk *talk, const tpi_step *step, const tpi_context *context,
                  bool is_incoming)
{
    double value, index = 0;

    if (step->value.is_text) {
        context->locals[step->target] = tpi_expression_text(&step->value, context);
        return true;
    }
    if (!tpi_expression_number(&step->value, context, &value)) {
        return false;
    }
    if (!step->is_register) {
        context->locals[step->target] = (tpi_value){.number = value};
        return true;
    }
    const tpi_register *r = &context->scope->registers[step->target];
    if (r->size > 0 && (!tpi_expression_number(&step->at, context, &index) || round(index) < 0 ||
                        round(index) >= r->size)) {
        return false;
    }
    const unsigned word = r->offset + (unsigned)round(index);
    talk->words[word] = value;
    if (is_incoming) {
        talk->set_ns[word] = talk->now_ns;
        if (talk->waiting == TPI_WAIT_WORD && talk->word == word) {
            talk->waiting = TPI_WAIT_NOTHING;
        }
    }
    return true;
}

static void step_set(tpi_talk *talk, const tpi_step *step)
{
    tpi_frame_call *call = tpi_talk_top(talk);
    const tpi_context context = tpi_talk_context(talk, call);

    if (!tpi_talk_set(talk, step, &context, false)) {
        tpi_talk_fail(talk, TPI_FAULT_VALUE, "line %u of the robot file has no number here",
                      step->line);
        return;
    }
    call->at++;
}

static void step_await(tpi_talk *talk, const tpi_step *step)
{
    const tpi_register *r = &talk->wired->robot->scope.registers[step->target];
    tpi_frame_call *call = tpi_talk_top(talk);
    double index = 0;

    if (step->at.ops != NULL && !value_of(talk, &step->at, &index)) {
        return;
    }
    if (round(index) < 0 || round(index) >= (r->size > 0 ? r->size : 1)) {
        tpi_talk_fail(talk, TPI_FAULT_VALUE, "line %u: the index %g is too large", step->line,
                      index);
        return;
    }
    talk->word = r->offset + (unsigned)round(index);
    if (talk->set_ns[talk->word] >= (step->is_fresh ? call->begun_ns : 0)) {
        call->at++;
    } else {
        wait(talk, TPI_WAIT_WORD, step->timeout_ms);
    }
}

/* ---- Choices and loops ---- */

static void step_check(tpi_talk *talk, const tpi_step *step)
{
    double holds;

    if (!value_of(talk, &step->value, &holds)) {
        return;
    }
    if (holds == 0) {
        tpi_talk_fail(talk, step->fault, "%s", step->says != NULL ? step->says : "");
        return;
    }
    tpi_talk_top(talk)->at++;
}

static void step_until(tpi_talk *talk, const tpi_step *step)
{
    tpi_frame_call *call = tpi_talk_top(talk);
    double holds;

    if (!value_of(talk, &step->value, &holds)) {
        return;
    }
    if (holds != 0) {
        call->poll_count--;
        call->at++;
        return;
    }
    if (talk->now_ns >=
        call->polls[call->poll_count - 1] + (int64_t)(step->timeout_ms * NS_PER_MS)) {
        tpi_talk_fail(talk, TPI_FAULT_SILENT, "%s",
                      step->says != NULL ? step->says : "the robot was not ready in time");
        return;
    }
    call->at = (unsigned)step->target;
    wait(talk, TPI_WAIT_UNTIL, fmax(step->every_ms, 1));
}

static void step_wait(tpi_talk *talk, const tpi_step *step)
{
    double ms;

    if (value_of(talk, &step->value, &ms)) {
        tpi_talk_top(talk)->at++;
        wait(talk, TPI_WAIT_UNTIL, ms);
    }
}

static void step_unless(tpi_talk *talk, const tpi_step *step)
{
    double holds;

    if (value_of(talk, &step->value, &holds)) {
        tpi_frame_call *call = tpi_talk_top(talk);
        call->at = holds != 0 ? call->at + 1 : (unsigned)step->target;
    }
}

/* ---- Macros and results ---- */

static int part_of(const tpi_talk *talk, const tpi_call *call)
{
    const tpi_device *device = &talk->wired->robot->devices[call->index];

    for (unsigned i = 0; i < talk->wired->part_count; i++) {
        if (talk->wired->parts[i].device == device) {
            return (int)i;
        }
    }
    return -1;
}

static void step_do(tpi_talk *talk, const tpi_step *step)
{
    const tpi_call *macro = step->call;
    const tpi_slot *slots = tpi_dictionary_entry(macro->command)->values;
    tpi_frame_call *call = tpi_talk_top(talk);
    const tpi_context context = tpi_talk_context(talk, call);
    tpi_value values[TPI_MOST_VALUES] = {{0}};
    const int part = macro->index >= 0 ? part_of(talk, macro) : call->part;

    for (unsigned i = 0; slots[i].name != NULL; i++) {
        values[i].number = slots[i].missing;
        if (macro->given[i] && macro->values[i].is_text) {
            values[i] = tpi_expression_text(&macro->values[i], &context);
        } else if (macro->given[i] && !value_of(talk, &macro->values[i], &values[i].number)) {
            return;
        }
    }
    if (macro->index >= 0 && part < 0) {
        tpi_talk_fail(talk, TPI_FAULT_NO_MATCH, "\"%s\" is not plugged in", macro->device);
        return;
    }
    call->at++;
    call->result_local = macro->local;
    tpi_talk_call(talk, macro->command, part, values);
}

static void step_result(tpi_talk *talk, const tpi_step *step)
{
    tpi_frame_call *call = tpi_talk_top(talk);
    const tpi_context context = tpi_talk_context(talk, call);
    tpi_value *result = &call->results[step->target];

    *result = (tpi_value){0};
    if (step->value.is_text) {
        *result = tpi_expression_text(&step->value, &context);
    } else if (!value_of(talk, &step->value, &result->number)) {
        return;
    }
    call->at++;
}

/* ---- All steps ---- */

static void run_step(tpi_talk *talk, tpi_frame_call *call, const tpi_step *step)
{
    switch (step->code) {
    case TPI_STEP_SEND:
        step_send(talk, step);
        break;
    case TPI_STEP_REPLY:
        wait(talk, TPI_WAIT_REPLY, step->timeout_ms);
        break;
    case TPI_STEP_SET:
        step_set(talk, step);
        break;
    case TPI_STEP_CHECK:
        step_check(talk, step);
        break;
    case TPI_STEP_WAIT:
        step_wait(talk, step);
        break;
    case TPI_STEP_POLL:
        call->polls[call->poll_count++] = talk->now_ns;
        call->at++;
        break;
    case TPI_STEP_UNTIL:
        step_until(talk, step);
        break;
    case TPI_STEP_AWAIT:
        step_await(talk, step);
        break;
    case TPI_STEP_DO:
        step_do(talk, step);
        break;
    case TPI_STEP_UNLESS:
        step_unless(talk, step);
        break;
    case TPI_STEP_GO:
        call->at = (unsigned)step->target;
        break;
    case TPI_STEP_RESULT:
        step_result(talk, step);
        break;
    }
}

void tpi_talk_step(tpi_talk *talk)
{
    tpi_frame_call *call = tpi_talk_top(talk);

    if (call->at >= call->steps->count) {
        tpi_talk_return(talk);
    } else {
        run_step(talk, call, &call->steps->steps[call->at]);
    }
}
