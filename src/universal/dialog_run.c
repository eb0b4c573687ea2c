/* dialog_run.c - executes the steps of the top call; see dialog_inside.h. */
#include <math.h>
#include <string.h>

#include "universal/dialog_inside.h"

enum { NS_PER_MS = 1000000 };

static int64_t later(const tpi_dialog *dialog, double ms)
{
    return dialog->now_ns + (int64_t)(fmin(fmax(ms, 0), 1e9) * NS_PER_MS);
}

static void wait(tpi_dialog *dialog, tpi_dialog_wait what, double ms)
{
    dialog->waiting = what;
    dialog->until_ns = later(dialog, ms);
}

/* The value of an expression; false, with the fault, if there is none. */
static bool value_of(tpi_dialog *dialog, const tpi_expression *expression, double *out)
{
    const tpi_context context = tpi_dialog_context(dialog, tpi_dialog_top(dialog));

    if (!tpi_expression_number(expression, &context, out)) {
        const tpi_frame_call *call = tpi_dialog_top(dialog);
        tpi_dialog_fail(
            dialog, TPI_FAULT_VALUE,
            "line %u of the robot file: no number (an index too large, a division by 0)",
            call->steps->steps[call->at].line);
        return false;
    }
    return true;
}

/* ---- Writing ---- */

bool tpi_dialog_write(tpi_dialog *dialog, const uint8_t *body, size_t length)
{
    const tpi_robotfile *robot = dialog->wired->robot;
    tpi_bytes frame = {.data = dialog->output + robot->timing.largest,
                       .capacity = 2 * robot->timing.largest};

    dialog->sequence++;
    if (!tpi_framing_put(&robot->framing, body, length, dialog->sequence, &frame)) {
        return false;
    }
    dialog->sent_ns = dialog->now_ns;
    dialog->has_sent = true;
    dialog->hooks.write(dialog->hooks.context, frame.data, frame.length, body, length);
    return true;
}

static void step_send(tpi_dialog *dialog, const tpi_step *step)
{
    const tpi_timing *timing = &dialog->wired->robot->timing;
    const int64_t gap_ends = dialog->sent_ns + (int64_t)(timing->gap_ms * NS_PER_MS);
    tpi_frame_call *call = tpi_dialog_top(dialog);
    tpi_bytes body = {.data = dialog->output, .capacity = timing->largest};

    if (dialog->has_sent && gap_ends > dialog->now_ns) {
        dialog->waiting = TPI_WAIT_GAP;
        dialog->until_ns = gap_ends;
        return;
    }
    const tpi_context context = tpi_dialog_context(dialog, call);
    const tpi_written written = tpi_pattern_write(&step->pattern, &context, &body);
    if (written == TPI_WRITTEN_NO_VALUE) {
        tpi_dialog_fail(
            dialog, TPI_FAULT_VALUE,
            "line %u of the robot file: no number (an index too large, a division by 0)",
            step->line);
        return;
    }
    if (written == TPI_WRITTEN_TOO_LONG || !tpi_dialog_write(dialog, body.data, body.length)) {
        tpi_dialog_fail(dialog, TPI_FAULT_VALUE, "the text is too long for this robot");
        return;
    }
    if (written == TPI_WRITTEN_CLAMPED && !dialog->clamp_told) {
        dialog->clamp_told = true;
        tpi_dialog_note(dialog,
                        "a number was outside of its type (line %u of the robot file) and was "
                        "clamped",
                        step->line);
    }
    call->at++;
}

/* ---- Registers and names ---- */

bool tpi_dialog_set(tpi_dialog *dialog, const tpi_step *step, const tpi_context *context,
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
    dialog->words[word] = value;
    if (is_incoming) {
        dialog->set_ns[word] = dialog->now_ns;
        if (dialog->waiting == TPI_WAIT_WORD && dialog->word == word) {
            dialog->waiting = TPI_WAIT_NOTHING;
        }
    }
    return true;
}

static void step_set(tpi_dialog *dialog, const tpi_step *step)
{
    tpi_frame_call *call = tpi_dialog_top(dialog);
    const tpi_context context = tpi_dialog_context(dialog, call);

    if (!tpi_dialog_set(dialog, step, &context, false)) {
        tpi_dialog_fail(
            dialog, TPI_FAULT_VALUE,
            "line %u of the robot file: no number (an index too large, a division by 0)",
            step->line);
        return;
    }
    call->at++;
}

static void step_await(tpi_dialog *dialog, const tpi_step *step)
{
    const tpi_register *r = &dialog->wired->robot->scope.registers[step->target];
    tpi_frame_call *call = tpi_dialog_top(dialog);
    double index = 0;

    if (step->at.ops != NULL && !value_of(dialog, &step->at, &index)) {
        return;
    }
    if (round(index) < 0 || round(index) >= (r->size > 0 ? r->size : 1)) {
        tpi_dialog_fail(dialog, TPI_FAULT_VALUE, "line %u: the index %g is too large", step->line,
                        index);
        return;
    }
    dialog->word = r->offset + (unsigned)round(index);
    if (dialog->invents || dialog->set_ns[dialog->word] >= (step->is_fresh ? call->begun_ns : 0)) {
        call->at++;
    } else {
        wait(dialog, TPI_WAIT_WORD, step->timeout_ms);
    }
}

/* ---- Choices and loops ---- */

static void step_check(tpi_dialog *dialog, const tpi_step *step)
{
    double holds;

    if (!value_of(dialog, &step->value, &holds)) {
        return;
    }
    if (holds == 0 && !dialog->invents) {
        tpi_dialog_fail(dialog, step->fault, "%s", step->says != NULL ? step->says : "");
        return;
    }
    tpi_dialog_top(dialog)->at++;
}

static void step_until(tpi_dialog *dialog, const tpi_step *step)
{
    tpi_frame_call *call = tpi_dialog_top(dialog);
    double holds;

    if (!value_of(dialog, &step->value, &holds)) {
        return;
    }
    if (holds != 0 || dialog->invents) {
        call->poll_count--;
        call->at++;
        return;
    }
    if (dialog->now_ns >=
        call->polls[call->poll_count - 1] + (int64_t)(step->timeout_ms * NS_PER_MS)) {
        tpi_dialog_fail(dialog, TPI_FAULT_SILENT, "%s",
                        step->says != NULL ? step->says : "the robot was not ready in time");
        return;
    }
    call->at = (unsigned)step->target;
    wait(dialog, TPI_WAIT_UNTIL, fmax(step->every_ms, 1));
}

static void step_wait(tpi_dialog *dialog, const tpi_step *step)
{
    double ms;

    if (value_of(dialog, &step->value, &ms)) {
        tpi_dialog_top(dialog)->at++;
        wait(dialog, TPI_WAIT_UNTIL, ms);
    }
}

static void step_unless(tpi_dialog *dialog, const tpi_step *step)
{
    double holds;

    if (value_of(dialog, &step->value, &holds)) {
        tpi_frame_call *call = tpi_dialog_top(dialog);
        call->at = holds != 0 ? call->at + 1 : (unsigned)step->target;
    }
}

/* ---- Macros and results ---- */

static int part_of(const tpi_dialog *dialog, const tpi_macro *call)
{
    const tpi_device *device = &dialog->wired->robot->devices[call->index];

    for (unsigned i = 0; i < dialog->wired->part_count; i++) {
        if (dialog->wired->parts[i].device == device) {
            return (int)i;
        }
    }
    return -1;
}

static void step_do(tpi_dialog *dialog, const tpi_step *step)
{
    const tpi_macro *macro = step->call;
    const tpi_entry_value *slots = tpi_dictionary_entry(macro->command)->values;
    tpi_frame_call *call = tpi_dialog_top(dialog);
    const tpi_context context = tpi_dialog_context(dialog, call);
    tpi_value values[TPI_MOST_VALUES] = {{0}};
    const int part = macro->index >= 0 ? part_of(dialog, macro) : call->part;

    for (unsigned i = 0; slots[i].name != NULL; i++) {
        values[i].number = slots[i].missing;
        if (macro->given[i] && macro->values[i].is_text) {
            values[i] = tpi_expression_text(&macro->values[i], &context);
        } else if (macro->given[i] && !value_of(dialog, &macro->values[i], &values[i].number)) {
            return;
        }
    }
    if (macro->index >= 0 && part < 0) {
        tpi_dialog_fail(dialog, TPI_FAULT_NO_MATCH, "\"%s\" is not plugged in", macro->device);
        return;
    }
    call->at++;
    call->result_local = macro->local;
    tpi_dialog_call(dialog, macro->command, part, values);
}

static void step_result(tpi_dialog *dialog, const tpi_step *step)
{
    tpi_frame_call *call = tpi_dialog_top(dialog);
    const tpi_context context = tpi_dialog_context(dialog, call);
    tpi_value *result = &call->results[step->target];

    *result = (tpi_value){0};
    if (step->value.is_text) {
        *result = tpi_expression_text(&step->value, &context);
    } else if (!value_of(dialog, &step->value, &result->number)) {
        return;
    }
    call->at++;
}

/* ---- All steps ---- */

static void run_step(tpi_dialog *dialog, tpi_frame_call *call, const tpi_step *step)
{
    switch (step->code) {
    case TPI_STEP_SEND:
        step_send(dialog, step);
        break;
    case TPI_STEP_REPLY:
        wait(dialog, TPI_WAIT_REPLY, step->timeout_ms);
        break;
    case TPI_STEP_SET:
        step_set(dialog, step);
        break;
    case TPI_STEP_CHECK:
        step_check(dialog, step);
        break;
    case TPI_STEP_WAIT:
        step_wait(dialog, step);
        break;
    case TPI_STEP_POLL:
        call->polls[call->poll_count++] = dialog->now_ns;
        call->at++;
        break;
    case TPI_STEP_UNTIL:
        step_until(dialog, step);
        break;
    case TPI_STEP_AWAIT:
        step_await(dialog, step);
        break;
    case TPI_STEP_DO:
        step_do(dialog, step);
        break;
    case TPI_STEP_UNLESS:
        step_unless(dialog, step);
        break;
    case TPI_STEP_GO:
        call->at = (unsigned)step->target;
        break;
    case TPI_STEP_RESULT:
        step_result(dialog, step);
        break;
    }
}

void tpi_dialog_step(tpi_dialog *dialog)
{
    tpi_frame_call *call = tpi_dialog_top(dialog);

    if (call->at >= call->steps->count) {
        tpi_dialog_return(dialog);
    } else {
        run_step(dialog, call, &call->steps->steps[call->at]);
    }
}
