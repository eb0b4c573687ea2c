/*
 * emulate.c - what all emulated robots have in common: kinds, life, messages, faults, the trace.
 */
#include "emulate/emulate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "emulate/robot.h"
#include "sim/sense/sensors.h"

static const tpi_emu_kind *const kinds[] = {
    &tpi_emu_nxt,   &tpi_emu_finch,  &tpi_emu_create1, &tpi_emu_create2, &tpi_emu_firmata,
    &tpi_emu_lifa,  &tpi_emu_srv1,   &tpi_emu_tello,   &tpi_emu_p2os,    &tpi_emu_sick,
    &tpi_emu_rover, &tpi_emu_evid30, &tpi_emu_urg,     &tpi_emu_nmea};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- Kinds ----------------------------------------------------------------------------------- */

const tpi_emu_kind *tpi_emu_kind_at(size_t index)
{
    return index < KINDS ? kinds[index] : NULL;
}

const tpi_emu_kind *tpi_emu_kind_named(const char *name, tp_error *err)
{
    tpi_nearest nearest;
    char hint[64];

    tpi_nearest_init(&nearest, name);
    for (size_t i = 0; i < KINDS; i++) {
        const char *alias = kinds[i]->alias;
        if (strcmp(kinds[i]->name, name) == 0 || (alias != NULL && strcmp(alias, name) == 0)) {
            return kinds[i];
        }
        tpi_nearest_offer(&nearest, kinds[i]->name);
    }
    (void)tp_fail(err, TP_E_UNKNOWN, "there is no emulated robot \"%.40s\"%s", name,
                  tpi_nearest_hint(&nearest, hint, sizeof hint));
    return NULL;
}

const char *tpi_emu_kind_name(const tpi_emu_kind *kind)
{
    return kind->name;
}

const char *tpi_emu_kind_summary(const tpi_emu_kind *kind)
{
    return kind->summary;
}

const char *tpi_emu_kind_file(const tpi_emu_kind *kind)
{
    return kind->file;
}

const char *tpi_emu_kind_macro(const tpi_emu_kind *kind)
{
    return kind->macro;
}

double tpi_emu_kind_radius(const tpi_emu_kind *kind)
{
    return kind->radius;
}

/* ---- Parts and slots ------------------------------------------------------------------------- */

tp_status tpi_emu_find_parts(tpi_emu *emu, const struct tpi_emu_part *parts, size_t count,
                             tp_error *err)
{
    for (size_t i = 0; i < count; i++) {
        *parts[i].part = tpi_body_part(&emu->body, parts[i].name);
        if (*parts[i].part == TPI_SIM_NONE) {
            return tp_fail(err, TP_E_UNKNOWN,
                           "the body of a %s needs a \"%s\"; include \"%s\" has one",
                           emu->kind->name, parts[i].name, emu->kind->file);
        }
    }
    return TP_OK;
}

tp_status tpi_emu_no_slot(const char *slot, const char *slots, tp_error *err)
{
    return tp_fail(err, TP_E_UNKNOWN, "there is no slot \"%.20s\"; there are %s", slot, slots);
}

tp_status tpi_emu_no_part(const char *part, const char *parts, tp_error *err)
{
    return tp_fail(err, TP_E_UNKNOWN, "there is no part \"%.20s\" for this slot; there are %s",
                   part, parts);
}

static tp_status wire_one(tpi_emu *emu, const char *text, tp_error *err)
{
    const char *equals = strchr(text, '=');
    char slot[24];

    if (emu->kind->wire == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED, "a %s has no slots to plug \"%.40s\" into",
                       emu->kind->name, text);
    }
    if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof slot) {
        return tp_fail(err, TP_E_INVALID, "\"%.40s\" is not SLOT=PART", text);
    }
    (void)snprintf(slot, sizeof slot, "%.*s", (int)(equals - text), text);
    const tp_status status = emu->kind->wire(emu, slot, equals + 1, err);
    return status == TP_OK ? TP_OK : tp_wrap(err, status, text);
}

static tp_status wire_all(tpi_emu *emu, const char *const *wires, tp_error *err)
{
    tp_status status = TP_OK;

    for (; status == TP_OK && wires != NULL && *wires != NULL; wires++) {
        status = wire_one(emu, *wires, err);
    }
    return status;
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static void set_now(tpi_emu *emu, tpi_emu_fault_kind kind, bool on)
{
    const bool back = emu->has[kind] && !on;

    emu->has[kind] = on;
    emu->body.lifted = emu->has[TPI_EMU_LIFTED];
    emu->body.empty = emu->has[TPI_EMU_BATTERY];
    if (kind != TPI_EMU_UNPLUGGED || !emu->kind->line_powered) {
        return;
    }
    tpi_body_drive(&emu->body, 0, 0);
    if (back) {
        emu->kind->reset(emu);
    }
}

/* Those that begin or end between two instants. */
static void run_faults(tpi_emu *emu, int64_t before_us)
{
    for (size_t i = 0; i < emu->fault_count; i++) {
        const tpi_emu_fault *fault = &emu->faults[i];
        if (fault->from_us > before_us && fault->from_us <= emu->now_us) {
            set_now(emu, fault->kind, true);
        }
        if (fault->to_us > before_us && fault->to_us <= emu->now_us) {
            set_now(emu, fault->kind, false);
        }
    }
}

void tpi_emu_set_fault(tpi_emu *emu, tpi_emu_fault_kind kind, bool on)
{
    set_now(emu, kind, on);
}

bool tpi_emu_has_fault(const tpi_emu *emu, tpi_emu_fault_kind kind)
{
    return emu->has[kind];
}

static bool has_power(const tpi_emu *emu)
{
    return !emu->kind->line_powered || !emu->has[TPI_EMU_UNPLUGGED];
}

/* Whether it has a line to hear and speak. */
static bool is_heard(const tpi_emu *emu)
{
    return !emu->has[TPI_EMU_UNPLUGGED] && !emu->has[TPI_EMU_SILENT];
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status set_up(tpi_emu *emu, const tpi_emu_options *options, tp_error *err)
{
    tp_status status = emu->kind->start(emu, err);

    if (status != TP_OK || options == NULL) {
        return status;
    }
    if (options->fault_count > TPI_EMU_MOST_FAULTS) {
        return tp_fail(err, TP_E_LIMIT, "a robot has at most %d faults", TPI_EMU_MOST_FAULTS);
    }
    emu->trace = options->trace;
    emu->context = options->context;
    emu->fault_count = options->fault_count;
    for (size_t i = 0; i < options->fault_count; i++) {
        emu->faults[i] = options->faults[i];
    }
    return wire_all(emu, options->wires, err);
}

tp_status tpi_emu_create(tpi_emu **out, const tpi_emu_kind *kind, tpi_sim *sim, tpi_sim_model model,
                         const tpi_emu_options *options, tp_error *err)
{
    tpi_emu *emu = calloc(1, sizeof *emu);

    if (emu != NULL) {
        emu->state = calloc(1, kind->state_size);
    }
    if (emu == NULL || emu->state == NULL) {
        free(emu);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    emu->kind = kind;
    emu->baud = kind->baud;
    emu->now_us = tpi_sim_time_us(sim);
    tp_status status = tpi_body_init(&emu->body, sim, model, kind->track, err);
    status = status == TP_OK ? set_up(emu, options, err) : status;
    if (status != TP_OK) {
        tpi_emu_destroy(emu);
        return status;
    }
    run_faults(emu, -1);
    if (has_power(emu)) {
        kind->reset(emu);
    }
    *out = emu;
    return TP_OK;
}

void tpi_emu_destroy(tpi_emu *emu)
{
    if (emu != NULL) {
        tpi_buf_fini(&emu->out);
        free(emu->state);
        free(emu);
    }
}

const tpi_emu_kind *tpi_emu_kind_of(const tpi_emu *emu)
{
    return emu->kind;
}

tpi_sim_model tpi_emu_model(const tpi_emu *emu)
{
    return emu->body.model;
}

unsigned tpi_emu_baud(const tpi_emu *emu)
{
    return emu->baud;
}

tp_status tpi_emu_press(tpi_emu *emu, const char *part, bool pressed, tp_error *err)
{
    const tpi_sim_model model = tpi_body_part(&emu->body, part);

    return model == TPI_SIM_NONE
               ? tp_fail(err, TP_E_UNKNOWN, "a %s has no part \"%.40s\"", emu->kind->name, part)
               : tpi_sim_press(emu->body.sim, model, pressed, err);
}

/* ---- The trace ------------------------------------------------------------------------------- */

enum { MOST_TRACED = 32 }; /* bytes of a message */

static void trace(tpi_emu *emu, const char *direction, const void *bytes, size_t length,
                  const char *meaning, va_list args)
{
    const uint8_t *at = bytes;
    tpi_buf line = {0};

    tpi_buf_printf(&line, "%9.3f ", (double)emu->now_us * 1e-6);
    tpi_buf_printf(&line, "%s %s", emu->body.name, direction);
    for (size_t i = 0; i < length && i < MOST_TRACED; i++) {
        tpi_buf_printf(&line, " %02x", at[i]);
    }
    tpi_buf_printf(&line, "%s   ", length > MOST_TRACED ? " ..." : "");
    tpi_buf_vprintf(&line, meaning, args);
    emu->trace(emu->context, tpi_buf_text(&line));
    tpi_buf_fini(&line);
}

void tpi_emu_heard(tpi_emu *emu, const void *bytes, size_t length, const char *meaning, ...)
{
    if (emu->trace != NULL) {
        va_list args;
        va_start(args, meaning);
        trace(emu, ">", bytes, length, meaning, args);
        va_end(args);
    }
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Keep a message for the host, if there is room; damaged if a fault says so. */
static void keep(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    if (tpi_emu_waiting(emu) + length > TPI_EMU_MOST_WAITING) {
        return; /* nobody reads: a line does not wait */
    }
    if (emu->taken > 0) {
        memmove(emu->out.data, emu->out.data + emu->taken, tpi_emu_waiting(emu));
        emu->out.length -= emu->taken;
        emu->taken = 0;
    }
    const size_t kept = length - (emu->has[TPI_EMU_SHORT] ? 1 : 0);
    if (emu->kind->is_packets) { /* its length in front of it */
        const uint8_t head[2] = {(uint8_t)kept, (uint8_t)(kept >> 8)};
        tpi_buf_put(&emu->out, head, sizeof head);
    }
    const size_t begin = emu->out.length;
    tpi_buf_put(&emu->out, bytes, kept);
    if (emu->has[TPI_EMU_WRONG] && !emu->out.failed && emu->out.length > begin) {
        emu->damage = emu->damage * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const size_t at = begin + (size_t)(emu->damage >> 33) % (emu->out.length - begin);
        emu->out.data[at] = (char)(emu->out.data[at] ^ (1 << (emu->damage >> 60 & 7)));
    }
}

void tpi_emu_say(tpi_emu *emu, const void *bytes, size_t length, const char *meaning, ...)
{
    if (!is_heard(emu) || length == 0) {
        return;
    }
    if (emu->trace != NULL) {
        va_list args;
        va_start(args, meaning);
        trace(emu, "<", bytes, length, meaning, args);
        va_end(args);
    }
    keep(emu, bytes, length);
}

void tpi_emu_input(tpi_emu *emu, const void *bytes, size_t length)
{
    if (is_heard(emu) && length > 0) {
        emu->kind->input(emu, bytes, length);
    }
}

size_t tpi_emu_waiting(const tpi_emu *emu)
{
    return emu->out.length - emu->taken;
}

bool tpi_emu_has_packets(const tpi_emu *emu)
{
    return emu->kind->is_packets;
}

size_t tpi_emu_output(tpi_emu *emu, void *bytes, size_t size)
{
    const char *at = emu->out.data;
    size_t waiting = tpi_emu_waiting(emu);

    if (waiting > 0 && emu->kind->is_packets) {
        waiting = tpi_get_le16((const uint8_t *)at + emu->taken);
        emu->taken += 2;
    }
    const size_t length = waiting < size ? waiting : size;
    if (length > 0) {
        memcpy(bytes, at + emu->taken, length);
    }
    emu->taken += emu->kind->is_packets ? waiting : length;
    if (emu->taken == emu->out.length) {
        tpi_buf_clear(&emu->out);
        emu->taken = 0;
    }
    return length;
}

size_t tpi_emu_report(tpi_emu *emu, char *bytes, size_t size, unsigned *port)
{
    *port = emu->kind->report_port;
    return emu->kind->report != NULL && is_heard(emu) ? emu->kind->report(emu, bytes, size) : 0;
}

void tpi_emu_tick(tpi_emu *emu)
{
    const int64_t before_us = emu->now_us;

    emu->now_us = tpi_sim_time_us(emu->body.sim);
    emu->step_us = emu->now_us - before_us;
    run_faults(emu, before_us);
    tpi_body_read(&emu->body);
    if (has_power(emu)) {
        emu->kind->tick(emu);
    }
    tpi_body_command(&emu->body);
}
