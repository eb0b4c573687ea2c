/* describe.c - what the robot of a robotfile is: parts, matches, explanations; see universal.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robotfile.h"

static struct robotfile *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static tp_status no_memory(tp_error *err)
{
    return tp_fail(err, TP_E_NOMEM, "out of memory");
}

/* Texts of the file live as long as the instance; answers do not change them. */
static void borrow(char **out, uint32_t *count, const char *text)
{
    memcpy(out, &text, sizeof text);
    *count = (uint32_t)strlen(text) + 1;
}

tp_status tpi_robotfile_describe(tp_device *device, tp_universal_robot *answer, tp_error *err)
{
    const struct robotfile *r = state_of(device);
    const tpi_robot_identity *identity = &r->loaded->robot->identity;

    (void)err;
    answer->revision = r->universal->revision;
    borrow(&answer->name, &answer->name_count, identity->name);
    borrow(&answer->title, &answer->title_count, identity->title);
    answer->file_count = (uint32_t)r->loaded->text.length;
    memcpy(&answer->file, &r->loaded->text.data, sizeof answer->file);
    return TP_OK;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Put the classes of a device into the texts, ended by a NUL. */
static void put_classes(tpi_buf *out, const tpi_classes *classes)
{
    for (unsigned i = 0; i < classes->count; i++) {
        tpi_buf_printf(out, "%s%s", i > 0 ? ", " : "", classes->words[i].text);
    }
    tpi_buf_putc(out, '\0');
}

static void fill_part(const struct robotfile *r, int number, tp_universal_part *out)
{
    const tpi_wired *wired = r->loaded->wired;
    const tpi_part *part = &wired->parts[number];

    borrow(&out->name, &out->name_count, part->device->label);
    borrow(&out->place, &out->place_count, tpi_part_place(wired, part));
    borrow(&out->type, &out->type_count, part->device->type);
    out->id = part->id;
    out->base = part->device->base < TPI_COMMANDS ? tpi_dictionary_entry(part->device->base)->code
                                                  : TP_UNIVERSAL_NO_COMMAND;
    out->is_output = part->device->is_output;
    out->moves = tpi_robotfile_moves(r, number);
}

tp_status tpi_robotfile_parts(tp_device *device, tp_universal_parts *answer, tp_error *err)
{
    struct robotfile *r = state_of(device);
    struct robotfile_universal *u = r->universal;
    const tpi_wired *wired = r->loaded->wired;

    tpi_buf_clear(&u->texts);
    tpi_buf_clear(&u->items);
    tp_universal_part *parts =
        (tp_universal_part *)(void *)tpi_buf_reserve(&u->items, wired->part_count * sizeof *parts);
    for (unsigned i = 0; i < wired->part_count; i++) {
        put_classes(&u->texts, &wired->parts[i].device->classes);
    }
    if (parts == NULL || u->texts.failed) {
        return no_memory(err);
    }
    memset(parts, 0, wired->part_count * sizeof *parts);
    const char *classes = tpi_buf_text(&u->texts);
    for (unsigned i = 0; i < wired->part_count; i++) {
        fill_part(r, (int)i, &parts[i]);
        borrow(&parts[i].classes, &parts[i].classes_count, classes);
        classes += parts[i].classes_count;
    }
    *answer = (tp_universal_parts){
        .revision = u->revision, .parts_count = wired->part_count, .parts = parts};
    return TP_OK;
}

/* ---- Matching -------------------------------------------------------------------------------- */

/* Match one device of the program. Those without a part claim nothing. */
static tp_status match_device(const struct robotfile *r, tpi_registry *registry,
                              const tp_universal_device *ask, tp_universal_match *out,
                              tpi_buf *texts)
{
    const tpi_command command =
        ask->command == TP_UNIVERSAL_NO_COMMAND ? TPI_COMMANDS : tpi_dictionary_code(ask->command);
    const bool ended = ask->classes_count > 0 && ask->classes[ask->classes_count - 1] == '\0';
    tp_error err = {.text = ""};
    const int port = ended ? tpi_registry_declare(registry, ask->classes,
                                                  ask->id < 0 ? -1 : ask->id, command, &err)
                           : -1;

    *out = (tp_universal_match){.part = -1};
    if (port >= 0) {
        const tpi_match *match = &registry->ports[port].match;
        *out = (tp_universal_match){.part = match->part,
                                    .is_inverted = match->is_inverted,
                                    .is_shared = match->is_shared,
                                    .is_percent_only = match->is_percent_only,
                                    .moves = tpi_robotfile_moves(r, match->part)};
    }
    const char *why = port >= 0 ? registry->ports[port].explanation
                      : !ended  ? "a device needs a class"
                                : err.text;
    tpi_buf_put(texts, why, strlen(why) + 1);
    return err.code == TP_E_NOMEM ? TP_E_NOMEM : TP_OK;
}

static tp_status match_all(struct robotfile *r, const tp_universal_program *ask,
                           tp_universal_match *matches)
{
    struct robotfile_universal *u = r->universal;
    tpi_registry *registry = calloc(1, sizeof *registry);
    tp_status status = registry != NULL ? TP_OK : TP_E_NOMEM;

    if (registry == NULL) {
        return status;
    }
    tpi_registry_init(registry, r->loaded->wired, ask->loose != 0);
    for (uint32_t i = 0; i < ask->devices_count && status == TP_OK; i++) {
        status = match_device(r, registry, &ask->devices[i], &matches[i], &u->texts);
    }
    tpi_registry_fini(registry);
    free(registry);
    return status == TP_OK && u->texts.failed ? TP_E_NOMEM : status;
}

static tp_status match_program(struct robotfile *r, const tp_universal_program *ask,
                               tp_universal_matches *answer, tp_error *err)
{
    struct robotfile_universal *u = r->universal;
    const uint32_t count = ask->devices_count;

    tpi_buf_clear(&u->texts);
    tpi_buf_clear(&u->items);
    tp_universal_match *matches =
        (tp_universal_match *)(void *)tpi_buf_reserve(&u->items, (count + 1) * sizeof *matches);
    if (matches == NULL || match_all(r, ask, matches) != TP_OK) {
        return no_memory(err);
    }
    const char *text = tpi_buf_text(&u->texts);
    for (uint32_t i = 0; i < count; i++) {
        borrow(&matches[i].explanation, &matches[i].explanation_count, text);
        text += matches[i].explanation_count;
    }
    *answer =
        (tp_universal_matches){.revision = u->revision, .matches_count = count, .matches = matches};
    return TP_OK;
}

/* ---- Programs that wait ---- */

/* A copy in one block: devices, then their classes. */
static bool copy_program(struct waiting *out, const tp_universal_program *ask)
{
    size_t size = ask->devices_count * sizeof *ask->devices;

    for (uint32_t i = 0; i < ask->devices_count; i++) {
        size += ask->devices[i].classes_count;
    }
    out->memory = malloc(size + 1);
    if (out->memory == NULL) {
        return false;
    }
    out->program = *ask;
    out->program.devices = out->memory;
    char *at = (char *)out->memory + ask->devices_count * sizeof *ask->devices;
    for (uint32_t i = 0; i < ask->devices_count; i++) {
        out->program.devices[i] = ask->devices[i];
        out->program.devices[i].classes = at;
        if (ask->devices[i].classes_count > 0) {
            memcpy(at, ask->devices[i].classes, ask->devices[i].classes_count);
        }
        at += ask->devices[i].classes_count;
    }
    return true;
}

/* Whether the program waits now; otherwise it is matched with what is known. */
static bool wait_for_sensors(struct robotfile *r, tp_device *device,
                             const tp_universal_program *ask)
{
    for (unsigned i = 0; tpi_robotfile_sensors_are_open(r) && i < MOST_PROGRAMS; i++) {
        struct waiting *waiting = &r->universal->waiting[i];
        if (waiting->ticket == NULL && copy_program(waiting, ask)) {
            waiting->ticket = tp_device_defer(device);
            return true;
        }
    }
    return false;
}

void tpi_robotfile_match_waiting(struct robotfile *r, const char *why)
{
    for (unsigned i = 0; i < MOST_PROGRAMS; i++) {
        struct waiting waiting = r->universal->waiting[i];
        tp_universal_matches answer;
        tp_error err = {0};

        r->universal->waiting[i] = (struct waiting){0};
        if (waiting.ticket == NULL) {
            continue;
        }
        if (why != NULL) {
            tp_ticket_fail(waiting.ticket, TP_E_DEVICE, why);
        } else if (match_program(r, &waiting.program, &answer, &err) == TP_OK) {
            tp_ticket_answer(waiting.ticket, &answer);
        } else {
            tp_ticket_fail(waiting.ticket, err.code, err.text);
        }
        free(waiting.memory);
    }
}

tp_status tpi_robotfile_match(tp_device *device, const tp_universal_program *ask,
                              tp_universal_matches *answer, tp_error *err)
{
    struct robotfile *r = state_of(device);

    if (ask->devices_count > TP_UNIVERSAL_MOST_DEVICES) {
        return tp_fail(err, TP_E_LIMIT, "a program has at most %d devices",
                       TP_UNIVERSAL_MOST_DEVICES);
    }
    return wait_for_sensors(r, device, ask) ? TP_PENDING : match_program(r, ask, answer, err);
}

/* ---- Explanations ---------------------------------------------------------------------------- */

tp_status tpi_robotfile_explain(tp_device *device, const tp_universal_order *ask,
                                tp_universal_text *answer, tp_error *err)
{
    struct robotfile *r = state_of(device);
    struct robotfile_universal *u = r->universal;
    const tpi_command command = tpi_dictionary_code(ask->command);
    struct verdict verdict = {.fault = TPI_FAULT_NONE};

    if (command == TPI_COMMANDS) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no command 0x%04X", ask->command);
    }
    const int part = tpi_robotfile_universal_part(r, ask, command, &verdict);
    tpi_buf_clear(&u->texts);
    if (verdict.fault != TPI_FAULT_NONE) {
        return tp_fail(err, verdict.fault == TPI_FAULT_NO_MATCH ? TP_E_UNKNOWN : TP_E_UNSUPPORTED,
                       "%s", verdict.text);
    }
    if (part < 0) {
        tpi_buf_printf(&u->texts, "%s: by the engine\n", tpi_dictionary_entry(command)->name);
    } else if (tpi_wired_route(r->loaded->wired, command, part)->way == TPI_WAY_NONE) {
        const char *na = tpi_robotfile_na(r->loaded->robot, command);
        return tp_fail(err, TP_E_UNSUPPORTED, "%s: not available: %s: %.120s",
                       r->loaded->robot->identity.name, tpi_dictionary_entry(command)->name,
                       na != NULL ? na : r->loaded->wired->parts[part].device->label);
    } else {
        const char *place = tpi_part_place(r->loaded->wired, &r->loaded->wired->parts[part]);
        tpi_buf_printf(&u->texts, "%s%s%s\n", r->loaded->wired->parts[part].device->label,
                       place[0] != '\0' ? ", " : "", place);
        tpi_route_text(&u->texts, r->loaded->wired, command, part);
    }
    if (u->texts.failed) {
        return no_memory(err);
    }
    borrow(&answer->text, &answer->text_count, tpi_buf_text(&u->texts));
    return TP_OK;
}
