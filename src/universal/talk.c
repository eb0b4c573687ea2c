/* talk.c - the life of a conversation: begin, receive, tick, stop; see talk.h. */
#include "universal/talk.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "universal/talk_inside.h"

enum { NS_PER_MS = 1000000 };

/* ---- Life ---- */

tp_status tpi_talk_create(tpi_talk **out, const tpi_wired *wired, const tpi_talk_hooks *hooks,
                          tp_error *err)
{
    const size_t largest = wired->robot->timing.largest;
    tpi_talk *talk = calloc(1, sizeof *talk);

    if (talk == NULL || (talk->input = malloc(largest)) == NULL ||
        (talk->texts = malloc(largest)) == NULL || (talk->output = malloc(3 * largest)) == NULL) {
        tpi_talk_destroy(talk);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    talk->wired = wired;
    talk->hooks = *hooks;
    tpi_talk_connected(talk, 0);
    *out = talk;
    return TP_OK;
}

void tpi_talk_destroy(tpi_talk *talk)
{
    if (talk != NULL) {
        free(talk->input);
        free(talk->texts);
        free(talk->output);
        free(talk);
    }
}

void tpi_talk_connected(tpi_talk *talk, int64_t now_ns)
{
    const tpi_scope *scope = &talk->wired->robot->scope;

    if (talk->depth > 0) {
        tpi_talk_fail(talk, TPI_FAULT_SILENT, "the connection was lost");
    }
    talk->connected_ns = talk->now_ns = now_ns;
    talk->has_sent = talk->is_set_up = false;
    talk->noise = 0;
    talk->input_length = 0;
    memset(talk->states, 0, sizeof talk->states);
    for (unsigned i = 0; i < scope->register_count; i++) {
        const tpi_register *r = &scope->registers[i];
        for (unsigned j = 0; j < (r->size > 0 ? r->size : 1); j++) {
            talk->words[r->offset + j] = r->start;
            talk->set_ns[r->offset + j] = -1;
        }
    }
}

void tpi_talk_assume_ready(tpi_talk *talk)
{
    talk->is_set_up = true;
    for (unsigned i = 0; i < talk->wired->part_count; i++) {
        talk->states[i].is_set_up = true;
    }
}

bool tpi_talk_is_busy(const tpi_talk *talk)
{
    return talk->depth > 0 && !talk->is_quiet;
}

const tpi_outcome *tpi_talk_outcome(const tpi_talk *talk)
{
    return &talk->outcome;
}

uint64_t tpi_talk_noise(const tpi_talk *talk)
{
    return talk->noise;
}

bool tpi_talk_set_register(tpi_talk *talk, const char *name, unsigned index, double value)
{
    const tpi_scope *scope = &talk->wired->robot->scope;
    const int number = tpi_scope_register(scope, name);

    if (number < 0 || (index > 0 && index >= scope->registers[number].size)) {
        return false;
    }
    talk->words[scope->registers[number].offset + index] = value;
    talk->set_ns[scope->registers[number].offset + index] = talk->now_ns;
    return true;
}

/* ---- Messages ---- */

void tpi_talk_fail(tpi_talk *talk, tpi_fault fault, const char *format, ...)
{
    const int part = talk->depth > 0 ? talk->calls[talk->depth - 1].part : -1;
    tpi_outcome *outcome = &talk->outcome;
    char text[120];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (unsigned i = 0; i < talk->depth; i++) {
        if (talk->calls[i].is_setup && talk->calls[i].part < 0) {
            talk->is_set_up = false; /* it will be tried again */
        }
    }
    memset(outcome->results, 0, sizeof outcome->results);
    outcome->fault = fault;
    snprintf(outcome->text, sizeof outcome->text, "%s%s%.40s: %s%s%s",
             talk->wired->robot->identity.name, part >= 0 ? ": " : "",
             part >= 0 ? talk->wired->parts[part].device->label : "", tpi_fault_text(fault),
             text[0] != '\0' ? ": " : "", text);
    talk->depth = 0;
    talk->waiting = TPI_WAIT_NOTHING;
    talk->is_quiet = false;
}

void tpi_talk_note(tpi_talk *talk, const char *format, ...)
{
    char text[TPI_TALK_TEXT];
    va_list values;

    if (talk->hooks.note != NULL) {
        va_start(values, format);
        vsnprintf(text, sizeof text, format, values);
        va_end(values);
        talk->hooks.note(talk->hooks.context, text);
    }
}

/* ---- Commands ---- */

/* Run, and look at what has arrived, until something is waited for. */
static void advance(tpi_talk *talk)
{
    do {
        tpi_talk_go_on(talk);
    } while (tpi_talk_look(talk) || (talk->depth > 0 && talk->waiting == TPI_WAIT_NOTHING));
    talk->is_quiet = talk->is_quiet && talk->depth > 0;
}

/* A number within its range; the clamping is told. */
static double clamped(tpi_talk *talk, const tpi_slot *slot, double x, double low, double high)
{
    if (high > low && (x < low || x > high)) {
        if (!talk->clamp_told) {
            talk->clamp_told = true;
            tpi_talk_note(talk, "%s is %g; it was clamped to %g..%g", slot->name, x, low, high);
        }
        return x < low ? low : high;
    }
    return x;
}

/* Values as the dictionary wants them; false, with the fault, if one is none. */
static bool complete(tpi_talk *talk, tpi_order *order)
{
    const tpi_slot *slots = tpi_dictionary_entry(order->command)->values;
    const tpi_device *device = order->part >= 0 ? talk->wired->parts[order->part].device : NULL;

    for (unsigned i = 0; slots[i].name != NULL; i++) {
        tpi_value *value = &order->values[i];
        const bool is_text = tpi_kind_is_text(slots[i].kind);
        const bool is_unsigned =
            order->command == TPI_WRITE_ANALOG && device != NULL && !device->is_signed;

        if (i >= order->count) {
            *value = (tpi_value){.number = slots[i].missing, .text = is_text ? "" : NULL};
        }
        if (is_text != (value->text != NULL) || (!is_text && !isfinite(value->number))) {
            tpi_talk_fail(talk, TPI_FAULT_VALUE, "%s must be a %s", slots[i].name,
                          is_text ? "text" : "number");
            return false;
        }
        if (!is_text) {
            value->number = clamped(talk, &slots[i], value->number, is_unsigned ? 0 : slots[i].low,
                                    slots[i].high);
            value->number = slots[i].kind == TPI_KIND_BOOL ? value->number != 0 : value->number;
        }
    }
    return true;
}

/* Answer from the last reading, if it is young enough. */
static bool is_known(tpi_talk *talk, const tpi_order *order)
{
    if (order->max_age_ns <= 0 || order->part < 0 || order->command < TPI_READ_GENERIC ||
        order->command > TPI_READ_COUNT) {
        return false;
    }
    const tpi_reading *reading =
        &talk->states[order->part].readings[order->command - TPI_READ_GENERIC];
    if (!reading->is_there || talk->now_ns - reading->at_ns > order->max_age_ns) {
        return false;
    }
    talk->outcome = (tpi_outcome){.results = {{.number = reading->value}}};
    return true;
}

tp_status tpi_talk_begin(tpi_talk *talk, const tpi_order *order, int64_t now_ns)
{
    const tpi_entry *entry = tpi_dictionary_entry(order->command);

    if (tpi_talk_is_busy(talk)) {
        return TP_E_LIMIT;
    }
    talk->now_ns = now_ns;
    talk->depth = 0; /* a keep-alive gives way */
    talk->is_quiet = false;
    talk->waiting = TPI_WAIT_NOTHING;
    talk->order = *order;
    talk->texts_length = 0;
    if (talk->wired->robot->incoming_count == 0 && !tpi_robot_reads_frames(talk->wired->robot)) {
        talk->input_length = 0; /* a late reply must not be taken for this command's */
    }
    if (entry->has_port && order->part < 0 && order->command != TPI_STOP) {
        tpi_talk_fail(talk, TPI_FAULT_NO_MATCH, "%s needs a device", entry->name);
        return TP_OK;
    }
    if (is_known(talk, order) || !complete(talk, &talk->order)) {
        return TP_OK;
    }
    tpi_talk_call(talk, order->command, order->part, talk->order.values);
    advance(talk);
    return TP_OK;
}

void tpi_talk_receive(tpi_talk *talk, const uint8_t *data, size_t length, int64_t now_ns)
{
    const size_t capacity = talk->wired->robot->timing.largest;

    talk->now_ns = now_ns;
    while (length > 0) {
        size_t part = capacity - talk->input_length;
        part = part < length ? part : length;
        if (part == 0) { /* a message that is longer than the robot's largest */
            talk->noise += talk->input_length;
            talk->input_length = 0;
            continue;
        }
        memcpy(talk->input + talk->input_length, data, part);
        talk->input_length += part;
        data += part;
        length -= part;
        if (talk->waiting == TPI_WAIT_BYTES && !tpi_robot_reads_frames(talk->wired->robot)) {
            enum { QUIET_MS = 50 };
            talk->until_ns = now_ns + (int64_t)QUIET_MS * NS_PER_MS;
        }
        advance(talk);
    }
}

const tpi_pattern *tpi_talk_expects(const tpi_talk *talk)
{
    if (talk->depth == 0 || talk->waiting != TPI_WAIT_REPLY) {
        return NULL;
    }
    const tpi_frame_call *call = &talk->calls[talk->depth - 1];
    return &call->steps->steps[call->at].pattern;
}

bool tpi_talk_pretend(tpi_talk *talk, int64_t now_ns)
{
    const tpi_pattern *pattern = tpi_talk_expects(talk);
    const tpi_robot *robot = talk->wired->robot;
    tpi_framing framing = robot->framing;
    uint8_t body[512], whole[1024];
    tpi_bytes sample = {.data = body, .capacity = sizeof body};
    tpi_bytes frame = {.data = whole, .capacity = sizeof whole};

    framing.size = framing.in_size;
    if (pattern == NULL || !tpi_pattern_sample(pattern, &sample)) {
        return false;
    }
    if (!tpi_robot_reads_frames(robot)) {
        tpi_talk_receive(talk, body, sample.length, now_ns);
    } else if (tpi_framing_put(&framing, body, sample.length, talk->sequence, &frame)) {
        tpi_talk_receive(talk, whole, frame.length, now_ns);
    }
    return true;
}

static int64_t keepalive_due(const tpi_talk *talk)
{
    const tpi_robot *robot = talk->wired->robot;
    const int64_t since = talk->has_sent ? talk->sent_ns : talk->connected_ns;

    return robot->timing.keepalive_ms > 0 && talk->is_set_up && talk->depth == 0
               ? since + (int64_t)(robot->timing.keepalive_ms * NS_PER_MS)
               : INT64_MAX;
}

void tpi_talk_tick(tpi_talk *talk, int64_t now_ns)
{
    talk->now_ns = now_ns;
    if (talk->depth > 0 && talk->waiting != TPI_WAIT_NOTHING && now_ns >= talk->until_ns) {
        const bool was_quiet = talk->is_quiet;
        const tpi_outcome before = talk->outcome;
        tpi_talk_time_out(talk);
        if (was_quiet && talk->depth == 0) {
            talk->outcome = before; /* nobody asked for it */
        }
        advance(talk);
    }
    if (now_ns >= keepalive_due(talk)) {
        talk->is_quiet = true;
        talk->order = (tpi_order){.command = TPI_NO_OP, .part = -1};
        tpi_talk_run_steps(talk, &talk->wired->robot->keepalive, TPI_COMMANDS, -1, NULL);
        advance(talk);
    }
}

int64_t tpi_talk_due_ns(const tpi_talk *talk)
{
    return talk->depth > 0 ? talk->until_ns : keepalive_due(talk);
}

/* ---- Stopping ---- */

/* Execute the steps of <stop>, which never wait. */
static bool run_stop(tpi_talk *talk, tpi_bytes *out)
{
    const tpi_robot *robot = talk->wired->robot;
    tpi_value locals[TPI_MOST_LOCALS] = {{0}};
    const tpi_context context = {
        .locals = locals, .words = talk->words, .scope = &robot->scope, .now_ms = 0};

    for (unsigned i = 0; i < robot->stop.count; i++) {
        const tpi_step *step = &robot->stop.steps[i];
        tpi_bytes body = {.data = talk->output, .capacity = robot->timing.largest};
        if (step->code == TPI_STEP_SET) {
            if (out == NULL) {
                tpi_talk_set(talk, step, &context, false);
            }
            continue;
        }
        if (tpi_pattern_write(&step->pattern, &context, &body) > TPI_WRITTEN_CLAMPED) {
            return false;
        }
        if (out != NULL ? !tpi_framing_put(&robot->framing, body.data, body.length,
                                           (uint8_t)(talk->sequence + 1), out)
                        : !tpi_talk_write(talk, body.data, body.length)) {
            return false;
        }
    }
    return true;
}

void tpi_talk_stop(tpi_talk *talk, int64_t now_ns)
{
    talk->now_ns = now_ns;
    if (tpi_talk_is_busy(talk)) {
        tpi_talk_fail(talk, TPI_FAULT_STOPPED, "it was stopped");
    }
    talk->depth = 0;
    talk->waiting = TPI_WAIT_NOTHING;
    talk->is_quiet = false;
    run_stop(talk, NULL);
}

bool tpi_talk_stop_bytes(tpi_talk *talk, tpi_bytes *out)
{
    return run_stop(talk, out);
}
