/* dialog.c - the life of a conversation: begin, receive, tick, stop; see dialog.h. */
#include "universal/dialog.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "universal/dialog_inside.h"

enum {
    NS_PER_MS = 1000000,
    MOST_STOPS = 25,  /* of a robot that drops bytes and does not answer */
    STOP_MS = 200,    /* between two of them */
    ANSWERED_MS = 20, /* from the last byte of an answer to the stop behind it */
};

static void stop_again(tpi_dialog *dialog);

/* ---- Life ---- */

tp_status tpi_dialog_create(tpi_dialog **out, const tpi_wired *wired, const tpi_dialog_hooks *hooks,
                            tp_error *err)
{
    const size_t largest = wired->robot->timing.largest;
    tpi_dialog *dialog = calloc(1, sizeof *dialog);

    if (dialog == NULL || (dialog->input = malloc(largest)) == NULL ||
        (dialog->texts = malloc(largest)) == NULL ||
        (dialog->output = malloc(3 * largest)) == NULL) {
        tpi_dialog_destroy(dialog);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    dialog->wired = wired;
    dialog->hooks = *hooks;
    tpi_dialog_connected(dialog, 0);
    *out = dialog;
    return TP_OK;
}

void tpi_dialog_destroy(tpi_dialog *dialog)
{
    if (dialog != NULL) {
        free(dialog->input);
        free(dialog->texts);
        free(dialog->output);
        tpi_buf_fini(&dialog->packet);
        free(dialog);
    }
}

void tpi_dialog_connected(tpi_dialog *dialog, int64_t now_ns)
{
    const tpi_scope *scope = &dialog->wired->robot->scope;

    if (dialog->depth > 0) {
        tpi_dialog_fail(dialog, TPI_FAULT_SILENT, "the connection was lost");
    }
    dialog->connected_ns = dialog->kept_ns = dialog->now_ns = now_ns;
    dialog->has_sent = dialog->is_set_up = dialog->is_late = false;
    dialog->stopping.left = 0;
    dialog->noise = 0;
    dialog->input_length = 0;
    memset(dialog->states, 0, sizeof dialog->states);
    for (unsigned i = 0; i < scope->register_count; i++) {
        const tpi_register *r = &scope->registers[i];
        for (unsigned j = 0; j < (r->size > 0 ? r->size : 1); j++) {
            dialog->words[r->offset + j] = r->start;
            dialog->set_ns[r->offset + j] = -1;
        }
    }
}

void tpi_dialog_assume_ready(tpi_dialog *dialog)
{
    dialog->is_set_up = true;
    for (unsigned i = 0; i < dialog->wired->part_count; i++) {
        dialog->states[i].is_set_up = true;
    }
}

void tpi_dialog_forget(tpi_dialog *dialog, unsigned from)
{
    if (from < TPI_MOST_PARTS) {
        memset(&dialog->states[from], 0, (TPI_MOST_PARTS - from) * sizeof dialog->states[0]);
    }
}

bool tpi_dialog_is_busy(const tpi_dialog *dialog)
{
    const bool gives_way = dialog->is_quiet && !dialog->wired->robot->timing.drops;

    return (dialog->depth > 0 && !gives_way) || dialog->stopping.left > 0;
}

const tpi_outcome *tpi_dialog_outcome(const tpi_dialog *dialog)
{
    return &dialog->outcome;
}

uint64_t tpi_dialog_noise(const tpi_dialog *dialog)
{
    return dialog->noise;
}

bool tpi_dialog_set_register(tpi_dialog *dialog, const char *name, unsigned index, double value)
{
    const tpi_scope *scope = &dialog->wired->robot->scope;
    const int number = tpi_scope_register(scope, name);

    if (number < 0 || (index > 0 && index >= scope->registers[number].size)) {
        return false;
    }
    dialog->words[scope->registers[number].offset + index] = value;
    dialog->set_ns[scope->registers[number].offset + index] = dialog->now_ns;
    return true;
}

/* ---- Messages ---- */

void tpi_dialog_fail(tpi_dialog *dialog, tpi_fault fault, const char *format, ...)
{
    const int part = dialog->depth > 0 ? dialog->calls[dialog->depth - 1].part : -1;
    tpi_outcome *outcome = &dialog->outcome;
    char text[120];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (unsigned i = 0; i < dialog->depth; i++) {
        if (dialog->calls[i].is_setup && dialog->calls[i].part < 0) {
            dialog->is_set_up = false; /* it will be tried again */
        }
    }
    memset(outcome->results, 0, sizeof outcome->results);
    outcome->fault = fault;
    snprintf(outcome->text, sizeof outcome->text, "%s%s%.40s: %s%s%s",
             dialog->wired->robot->identity.name, part >= 0 ? ": " : "",
             part >= 0 ? dialog->wired->parts[part].device->label : "", tpi_fault_text(fault),
             text[0] != '\0' ? ": " : "", text);
    dialog->depth = 0;
    dialog->waiting = TPI_WAIT_NOTHING;
    dialog->is_quiet = false;
}

void tpi_dialog_note(tpi_dialog *dialog, const char *format, ...)
{
    char text[TPI_DIALOG_TEXT];
    va_list values;

    if (dialog->hooks.note != NULL) {
        va_start(values, format);
        vsnprintf(text, sizeof text, format, values);
        va_end(values);
        dialog->hooks.note(dialog->hooks.context, text);
    }
}

/* ---- Keep-alives ---- */

/* Execute the steps of <stop> or of a timed <keepalive>, which never wait. */
static bool run_at_once(tpi_dialog *dialog, const tpi_steps *steps, tpi_bytes *out)
{
    const tpi_robotfile *robot = dialog->wired->robot;
    tpi_value locals[TPI_MOST_LOCALS] = {{0}};
    const tpi_context context = {
        .locals = locals, .words = dialog->words, .scope = &robot->scope, .now_ms = 0};

    for (unsigned i = 0; i < steps->count; i++) {
        const tpi_step *step = &steps->steps[i];
        tpi_bytes body = {.data = dialog->output, .capacity = robot->timing.largest};
        if (step->code == TPI_STEP_SET) {
            if (out == NULL) {
                tpi_dialog_set(dialog, step, &context, false);
            }
            continue;
        }
        if (tpi_pattern_write(&step->pattern, &context, &body) > TPI_WRITTEN_CLAMPED) {
            return false;
        }
        if (out != NULL ? !tpi_framing_put(&robot->framing, body.data, body.length,
                                           (uint8_t)(dialog->sequence + 1), out)
                        : !tpi_dialog_write(dialog, body.data, body.length)) {
            return false;
        }
    }
    return true;
}

/* When a keep-alive of a robot whose sleep only that command puts off is due. */
static int64_t timed_due(const tpi_dialog *dialog)
{
    const tpi_timing *timing = &dialog->wired->robot->timing;
    const int64_t due = dialog->kept_ns + (int64_t)(timing->keepalive_ms * NS_PER_MS);
    const int64_t gap_ends =
        dialog->has_sent ? dialog->sent_ns + (int64_t)(timing->gap_ms * NS_PER_MS) : due;

    return timing->is_timed && dialog->is_set_up && dialog->stopping.left == 0
               ? (due > gap_ends ? due : gap_ends)
               : INT64_MAX;
}

/* It stands between two commands, so a program that never pauses does not keep it back. */
static void keep_alive_by_time(tpi_dialog *dialog)
{
    if (dialog->now_ns >= timed_due(dialog)) {
        dialog->kept_ns = dialog->now_ns;
        (void)run_at_once(dialog, &dialog->wired->robot->keepalive, NULL);
    }
}

/* ---- Commands ---- */

/* Run, and look at what has arrived, until something is waited for. */
static void advance(tpi_dialog *dialog)
{
    do {
        tpi_dialog_go_on(dialog);
    } while (tpi_dialog_look(dialog) || (dialog->depth > 0 && dialog->waiting == TPI_WAIT_NOTHING));
    dialog->is_quiet = dialog->is_quiet && dialog->depth > 0;
}

/* A number within its range; the clamping is told. */
static double clamped(tpi_dialog *dialog, const tpi_entry_value *slot, double x, double low,
                      double high)
{
    if (high > low && (x < low || x > high)) {
        if (!dialog->clamp_told) {
            dialog->clamp_told = true;
            tpi_dialog_note(dialog, "%s is %g; it was clamped to %g..%g", slot->name, x, low, high);
        }
        return x < low ? low : high;
    }
    return x;
}

/* Values as the dictionary wants them; false, with the fault, if one is none. */
static bool complete(tpi_dialog *dialog, tpi_dialog_order *order)
{
    const tpi_entry_value *slots = tpi_dictionary_entry(order->command)->values;
    const tpi_device *device = order->part >= 0 ? dialog->wired->parts[order->part].device : NULL;

    for (unsigned i = 0; slots[i].name != NULL; i++) {
        tpi_value *value = &order->values[i];
        const bool is_text = tpi_kind_is_text(slots[i].kind);
        const bool is_unsigned =
            order->command == TPI_WRITE_ANALOG && device != NULL && !device->is_signed;

        if (i >= order->count) {
            *value = (tpi_value){.number = slots[i].missing, .text = is_text ? "" : NULL};
        }
        if (is_text != (value->text != NULL) || (!is_text && !isfinite(value->number))) {
            tpi_dialog_fail(dialog, TPI_FAULT_VALUE, "%s must be a %s", slots[i].name,
                            is_text ? "text" : "number");
            return false;
        }
        if (!is_text) {
            value->number = clamped(dialog, &slots[i], value->number,
                                    is_unsigned ? 0 : slots[i].low, slots[i].high);
            value->number = slots[i].kind == TPI_KIND_BOOL ? value->number != 0 : value->number;
        }
    }
    return true;
}

bool tpi_dialog_knows(const tpi_dialog *dialog, const tpi_dialog_order *order, int64_t now_ns)
{
    if (order->max_age_ns <= 0 || order->part < 0 || order->command < TPI_READ_GENERIC ||
        order->command > TPI_READ_COUNT) {
        return false;
    }
    const tpi_last_reading *reading =
        &dialog->states[order->part].readings[order->command - TPI_READ_GENERIC];
    return reading->is_there && now_ns - reading->at_ns <= order->max_age_ns;
}

/* Answer from the last reading, if it is young enough. */
static bool is_known(tpi_dialog *dialog, const tpi_dialog_order *order)
{
    if (!tpi_dialog_knows(dialog, order, dialog->now_ns)) {
        return false;
    }
    const tpi_last_reading *reading =
        &dialog->states[order->part].readings[order->command - TPI_READ_GENERIC];
    dialog->outcome = (tpi_outcome){.results = {{.number = reading->value}}};
    if (order->is_inverted) {
        tpi_convert_sense(&dialog->wired->parts[order->part], order->command,
                          &dialog->outcome.results[0]);
    }
    return true;
}

tp_status tpi_dialog_begin(tpi_dialog *dialog, const tpi_dialog_order *order, int64_t now_ns)
{
    const tpi_entry *entry = tpi_dictionary_entry(order->command);

    if (tpi_dialog_is_busy(dialog)) {
        return TP_E_LIMIT;
    }
    dialog->now_ns = now_ns;
    dialog->depth = 0; /* a keep-alive gives way */
    dialog->is_quiet = false;
    dialog->waiting = TPI_WAIT_NOTHING;
    dialog->order = *order;
    dialog->texts_length = 0;
    dialog->strange.count = 0;
    if (dialog->wired->robot->incoming_count == 0 &&
        !tpi_robotfile_reads_frames(dialog->wired->robot)) {
        dialog->input_length = 0; /* a late reply must not be taken for this command's */
    }
    if (entry->has_port && order->part < 0 && order->command != TPI_STOP) {
        tpi_dialog_fail(dialog, TPI_FAULT_NO_MATCH, "%s needs a device", entry->name);
        return TP_OK;
    }
    if (is_known(dialog, order) || !complete(dialog, &dialog->order)) {
        return TP_OK;
    }
    keep_alive_by_time(dialog);
    tpi_dialog_call(dialog, order->command, order->part, dialog->order.values);
    advance(dialog);
    return TP_OK;
}

void tpi_dialog_receive(tpi_dialog *dialog, const uint8_t *data, size_t length, int64_t now_ns)
{
    const size_t capacity = dialog->wired->robot->timing.largest;

    dialog->now_ns = now_ns;
    if (dialog->stopping.left > 0) {
        dialog->stopping.again_ns = now_ns + (int64_t)ANSWERED_MS * NS_PER_MS;
        dialog->stopping.is_heard = true;
    }
    while (length > 0) {
        size_t part = capacity - dialog->input_length;
        part = part < length ? part : length;
        if (part == 0) { /* a message that is longer than the robot's largest */
            dialog->noise += dialog->input_length;
            dialog->input_length = 0;
            continue;
        }
        memcpy(dialog->input + dialog->input_length, data, part);
        dialog->input_length += part;
        data += part;
        length -= part;
        if (dialog->waiting == TPI_WAIT_BYTES &&
            !tpi_robotfile_reads_frames(dialog->wired->robot)) {
            enum { QUIET_MS = 50 };
            dialog->until_ns = now_ns + (int64_t)QUIET_MS * NS_PER_MS;
        }
        advance(dialog);
    }
}

const tpi_pattern *tpi_dialog_expects(const tpi_dialog *dialog)
{
    if (dialog->depth == 0 || dialog->waiting != TPI_WAIT_REPLY) {
        return NULL;
    }
    const tpi_frame_call *call = &dialog->calls[dialog->depth - 1];
    return &call->steps->steps[call->at].pattern;
}

void tpi_dialog_invent(tpi_dialog *dialog)
{
    dialog->invents = true;
}

bool tpi_dialog_pretend(tpi_dialog *dialog, int64_t now_ns)
{
    const tpi_pattern *pattern = tpi_dialog_expects(dialog);
    const tpi_robotfile *robot = dialog->wired->robot;
    tpi_framing framing = robot->framing;
    uint8_t body[512], whole[1024];
    tpi_bytes sample = {.data = body, .capacity = sizeof body};
    tpi_bytes frame = {.data = whole, .capacity = sizeof whole};

    framing.size = framing.in_size;
    if (pattern == NULL || !tpi_pattern_sample(pattern, &sample)) {
        return false;
    }
    if (!tpi_robotfile_reads_frames(robot)) {
        tpi_dialog_receive(dialog, body, sample.length, now_ns);
    } else if (tpi_framing_put(&framing, body, sample.length, dialog->sequence, &frame)) {
        tpi_dialog_receive(dialog, whole, frame.length, now_ns);
    }
    return true;
}

static int64_t keepalive_due(const tpi_dialog *dialog)
{
    const tpi_robotfile *robot = dialog->wired->robot;
    const int64_t since = dialog->has_sent ? dialog->sent_ns : dialog->connected_ns;

    if (robot->timing.is_timed) {
        return dialog->depth == 0 ? timed_due(dialog) : INT64_MAX;
    }
    return robot->timing.keepalive_ms > 0 && dialog->is_set_up && dialog->depth == 0 &&
                   dialog->stopping.left == 0
               ? since + (int64_t)(robot->timing.keepalive_ms * NS_PER_MS)
               : INT64_MAX;
}

void tpi_dialog_tick(tpi_dialog *dialog, int64_t now_ns)
{
    dialog->now_ns = now_ns;
    if (dialog->stopping.left > 0 && now_ns >= dialog->stopping.again_ns) {
        stop_again(dialog);
    }
    if (dialog->depth > 0 && dialog->waiting != TPI_WAIT_NOTHING && now_ns >= dialog->until_ns) {
        const bool was_quiet = dialog->is_quiet;
        const tpi_outcome before = dialog->outcome;
        tpi_dialog_time_out(dialog);
        if (was_quiet && dialog->depth == 0) {
            dialog->outcome = before; /* nobody asked for it */
        }
        advance(dialog);
    }
    if (dialog->wired->robot->timing.is_timed) {
        if (dialog->depth == 0) {
            keep_alive_by_time(dialog);
        }
    } else if (now_ns >= keepalive_due(dialog)) {
        dialog->is_quiet = true;
        dialog->order = (tpi_dialog_order){.command = TPI_NO_OP, .part = -1};
        tpi_dialog_run_steps(dialog, &dialog->wired->robot->keepalive, TPI_COMMANDS, -1, NULL);
        advance(dialog);
    }
}

int64_t tpi_dialog_due_ns(const tpi_dialog *dialog)
{
    return dialog->stopping.left > 0 ? dialog->stopping.again_ns
           : dialog->depth > 0       ? dialog->until_ns
                                     : keepalive_due(dialog);
}

/* ---- Stopping ---- */

/* A robot that drops what comes before its answer may not have heard the stop: it is written again
 * as soon as the robot has answered, and now and then until it does. */
static void stop_again(tpi_dialog *dialog)
{
    dialog->stopping.left = dialog->stopping.is_heard ? 0 : dialog->stopping.left - 1;
    dialog->stopping.again_ns = dialog->now_ns + (int64_t)STOP_MS * NS_PER_MS;
    run_at_once(dialog, &dialog->wired->robot->stop, NULL);
}

void tpi_dialog_stop(tpi_dialog *dialog, int64_t now_ns)
{
    const bool is_asked = dialog->depth > 0 &&
                          (dialog->waiting == TPI_WAIT_REPLY || dialog->waiting == TPI_WAIT_BYTES);

    dialog->now_ns = now_ns;
    if (dialog->depth > 0 && !dialog->is_quiet) {
        tpi_dialog_fail(dialog, TPI_FAULT_STOPPED, "it was stopped");
    }
    dialog->depth = 0;
    dialog->waiting = TPI_WAIT_NOTHING;
    dialog->is_quiet = false;
    run_at_once(dialog, &dialog->wired->robot->stop, NULL);
    if (dialog->wired->robot->timing.drops && (is_asked || dialog->stopping.left > 0)) {
        dialog->stopping.left = MOST_STOPS;
        dialog->stopping.again_ns = now_ns + (int64_t)STOP_MS * NS_PER_MS;
        dialog->stopping.is_heard = false;
    }
}

bool tpi_dialog_stop_bytes(tpi_dialog *dialog, tpi_bytes *out)
{
    return run_at_once(dialog, &dialog->wired->robot->stop, out);
}
