/* cmd_translate.c - troupe translate: the native bytes of a universal command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "commands.h"
#include "output.h"
#include "universal/dialog.h"
#include "universal/host/files.h"
#include "universal/registry.h"
#include "universal/route_text.h"

static const char name[] = "translate";

enum { MOST_TURNS = 1000, MOST_MAPS = 16 };

/* What was asked for. */
struct asked {
    const char *robot, *wiring, *class;
    tpi_command command;
    int id;
    bool is_loose;
    unsigned map_count;
    const char *maps[MOST_MAPS];
    unsigned value_count;
    tpi_value values[TPI_MOST_VALUES];
};

/* ---- Arguments ---- */

static bool read_number(const char *text, double *out)
{
    return *text != '\0' && tpi_number_read_f64(text, strlen(text), out) == strlen(text);
}

static int find_command(const char *text, tpi_command *out)
{
    tpi_nearest nearest;
    char hint[96];

    *out = tpi_dictionary_named(text);
    if (*out < TPI_COMMANDS) {
        return EXIT_DONE;
    }
    tpi_nearest_init(&nearest, text);
    for (int i = 0; i < TPI_COMMANDS; i++) {
        tpi_nearest_offer(&nearest, tpi_dictionary_entry((tpi_command)i)->name);
    }
    return command_fail(name, EXIT_USAGE, "there is no command \"%s\"%s", text,
                        tpi_nearest_hint(&nearest, hint, sizeof hint));
}

/* "power, turn" */
static const char *list_values(const tpi_entry_value *slots, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "%s", slots->name == NULL ? "none" : "");

    for (const tpi_entry_value *slot = slots; slot->name != NULL && at < size; slot++) {
        at += (size_t)snprintf(out + at, size - at, "%s%s", slot != slots ? ", " : "", slot->name);
    }
    return out;
}

/* All that are left; one without a default must be there. */
static int read_values(struct asked *asked, int argc, char **argv)
{
    const tpi_entry *entry = tpi_dictionary_entry(asked->command);
    const unsigned most = tpi_entry_value_count(entry->values);
    char all[120];

    list_values(entry->values, all, sizeof all);
    for (; asked->value_count < (unsigned)argc; asked->value_count++) {
        const tpi_entry_value *slot = &entry->values[asked->value_count];
        const char *text = argv[asked->value_count];
        tpi_value *value = &asked->values[asked->value_count];
        if (asked->value_count == most) {
            return command_fail(name, EXIT_USAGE, "\"%s\" is one value too many; values of %s: %s",
                                text, entry->name, all);
        }
        if (tpi_kind_is_text(slot->kind)) {
            value->text = text;
            value->length = (uint32_t)strlen(text);
        } else if (!read_number(text, &value->number)) {
            return command_fail(name, EXIT_USAGE, "\"%s\" is no number for %s; values of %s: %s",
                                text, slot->name, entry->name, all);
        }
    }
    for (unsigned i = asked->value_count; i < most; i++) {
        if (!(entry->values[i].missing > 0)) {
            return command_fail(name, EXIT_USAGE, "%s is missing%s%s%s; values of %s: %s",
                                entry->values[i].name, asked->class != NULL ? " behind \"" : "",
                                asked->class != NULL ? asked->class : "",
                                asked->class != NULL ? "\"" : "", entry->name, all);
        }
    }
    return EXIT_DONE;
}

/* Whether a word names classes: "50%" is a value with a mistake. */
static bool is_class(const char *text)
{
    return strchr("+-.0123456789", text[0]) == NULL;
}

/* Class, number and values: the number is there if there is more than the values. */
static int read_rest(struct asked *asked, int argc, char **argv)
{
    const tpi_entry_value *slots = tpi_dictionary_entry(asked->command)->values;
    const unsigned most = tpi_entry_value_count(slots);
    double number;
    int at = 0;

    if (argc > 0 && tpi_dictionary_entry(asked->command)->has_port && is_class(argv[0]) &&
        !(argc == 1 && most > 0 && tpi_kind_is_text(slots[0].kind))) {
        asked->class = argv[at++];
    }
    if (argc - at > (int)most && read_number(argv[at], &number) && number >= 0 && number < 256) {
        asked->id = (int)number;
        at++;
    }
    return read_values(asked, argc - at, argv + at);
}

static int read_arguments(struct asked *asked, int argc, char **argv)
{
    char *rest[16];
    int count = 0, result;

    for (int i = 0; i < argc; i++) {
        const char **into = strcmp(argv[i], "--wiring") == 0 ? &asked->wiring
                            : strcmp(argv[i], "--map") == 0 && asked->map_count < MOST_MAPS
                                ? &asked->maps[asked->map_count]
                                : NULL;
        if (into != NULL) {
            *into = command_value(name, argc, argv, &i);
            if (*into == NULL) {
                return EXIT_USAGE;
            }
            asked->map_count += into != &asked->wiring;
        } else if (strcmp(argv[i], "--loose") == 0) {
            asked->is_loose = true;
        } else if (strncmp(argv[i], "--", 2) == 0 || count == 16) {
            return command_unexpected(name, argv[i], NULL);
        } else {
            rest[count++] = argv[i];
        }
    }
    if (count < 2) {
        return command_fail(name, EXIT_USAGE, "which robot and which command?");
    }
    asked->robot = rest[0];
    result = find_command(rest[1], &asked->command);
    return result == EXIT_DONE ? read_rest(asked, count - 2, rest + 2) : result;
}

/* ---- The conversation ---- */

static void put_bytes(tpi_buf *out, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        tpi_buf_printf(out, " %02X", bytes[i]);
    }
    tpi_buf_putc(out, '\n');
}

static void on_write(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                     size_t body_length)
{
    (void)body;
    (void)body_length;
    tpi_buf_puts(context, ">");
    put_bytes(context, frame, length);
}

static void on_note(void *context, const char *text)
{
    tpi_buf_printf(context, "note: %s\n", text);
}

/* A pattern in one line. */
static void put_pattern(tpi_buf *out, const char *text)
{
    tpi_buf_puts(out, "<");
    while (*text != '\0') {
        text += strspn(text, " \t\r\n");
        const size_t length = strcspn(text, " \t\r\n");
        if (length > 0) {
            tpi_buf_printf(out, " %.*s", (int)length, text);
        }
        text += length;
    }
    tpi_buf_putc(out, '\n');
}

/* The reply of a robot that executes the command itself. */
static void put_reply(tpi_buf *out, tpi_command which)
{
    const tpi_entry_value *slots = tpi_dictionary_entry(which)->results;

    tpi_buf_puts(out, "< 00");
    for (; slots->name != NULL; slots++) {
        tpi_buf_printf(out, " %s:%s", slots->name, tpi_kind_name(slots->kind));
    }
    tpi_buf_putc(out, '\n');
}

static void follow(tpi_buf *out, tpi_dialog *dialog)
{
    int64_t now_ns = 0;

    for (int i = 0; i < MOST_TURNS && tpi_dialog_is_busy(dialog); i++) {
        const tpi_pattern *pattern = tpi_dialog_expects(dialog);
        if (pattern != NULL) {
            put_pattern(out, pattern->text);
            if (tpi_dialog_pretend(dialog, now_ns)) {
                continue; /* the next reply may have the same pattern */
            }
        }
        const tpi_command packet = tpi_dialog_awaits(dialog);
        if (packet < TPI_COMMANDS && pattern == NULL) {
            put_reply(out, packet);
        }
        if (tpi_dialog_is_busy(dialog) && tpi_dialog_expects(dialog) == pattern) {
            now_ns = tpi_dialog_due_ns(dialog);
            tpi_dialog_tick(dialog, now_ns);
        }
    }
}

static int translate(const struct asked *asked, const tpi_wired *wired, int part, bool inverted)
{
    tpi_buf out = {0};
    const tpi_dialog_hooks hooks = {.write = on_write, .note = on_note, .context = &out};
    tpi_dialog_order order = {.command = asked->command,
                              .part = part,
                              .is_inverted = inverted,
                              .count = asked->value_count};
    tpi_dialog *dialog = NULL;
    tp_error err = {0};

    memcpy(order.values, asked->values, sizeof order.values);
    if (tpi_dialog_create(&dialog, wired, &hooks, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    if (part >= 0) {
        tpi_route_text(&out, wired, asked->command, part);
    }
    tpi_dialog_invent(dialog);
    tpi_dialog_begin(dialog, &order, 0);
    follow(&out, dialog);
    const tpi_outcome *outcome = tpi_dialog_outcome(dialog);
    const bool failed = outcome->fault == TPI_FAULT_NOT_AVAILABLE ||
                        outcome->fault == TPI_FAULT_NO_MATCH || outcome->fault == TPI_FAULT_VALUE;
    const int result =
        failed ? command_fail(name, EXIT_FAILED, "%s", outcome->text) : command_write(name, &out);
    if (failed) {
        tpi_buf_fini(&out);
    }
    tpi_dialog_destroy(dialog);
    return result;
}

/* Find the device, explain it, and translate. */
static int match(const struct asked *asked, const tpi_wired *wired)
{
    tpi_registry *registry = calloc(1, sizeof *registry);
    tp_error err = {0};
    int part = -1, result = EXIT_DONE;
    bool inverted = false;

    if (registry == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    tpi_registry_init(registry, wired, asked->is_loose);
    if (asked->class != NULL) {
        const int port =
            tpi_registry_declare(registry, asked->class, asked->id, asked->command, &err);
        if (port < 0) {
            result = command_fail(name, EXIT_FAILED, "%s", err.text);
        } else {
            printf("%s\n", registry->ports[port].explanation);
            part = registry->ports[port].match.part;
            inverted = registry->ports[port].match.is_inverted;
        }
    } else if (tpi_dictionary_entry(asked->command)->has_port && asked->command != TPI_STOP) {
        const tpi_match_wish wish = {NULL, asked->id, asked->command, asked->is_loose};
        const tpi_match *found = tpi_registry_default(registry, asked->command, asked->id);
        char text[TPI_EXPLANATION];
        tpi_match_explain(wired, &wish, found, text, sizeof text);
        part = found->part;
        if (part < 0) {
            const char *why = tpi_robotfile_na(wired->robot, asked->command);
            result = command_fail(name, EXIT_FAILED, "%s%s%s", text, why != NULL ? ": " : "",
                                  why != NULL ? why : "");
        } else if (found->missed_id && asked->value_count > 0) {
            result = command_fail(name, EXIT_USAGE,
                                  "%u values are one too many for %s, or no device of it has the "
                                  "number %d",
                                  asked->value_count + 1,
                                  tpi_dictionary_entry(asked->command)->name, asked->id);
        } else {
            printf("%s\n", text);
        }
    }
    fflush(stdout);
    if (result == EXIT_DONE) {
        result = translate(asked, wired, part, inverted);
    }
    tpi_registry_fini(registry);
    free(registry);
    return result;
}

static int run(int argc, char **argv)
{
    struct asked asked = {.id = -1};
    tpi_loaded *loaded;
    tp_error err = {0};
    int result = read_arguments(&asked, argc, argv);

    if (result != EXIT_DONE) {
        return result;
    }
    loaded = calloc(1, sizeof *loaded);
    if (loaded == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    tp_status status = tpi_loaded_init(loaded, asked.robot, asked.wiring, &err);
    for (unsigned i = 0; i < asked.map_count && status == TP_OK; i++) {
        status = tpi_wired_map(loaded->wired, asked.maps[i], &err);
    }
    result = status == TP_OK ? match(&asked, loaded->wired)
                             : command_fail(name, EXIT_FAILED, "%s", err.text);
    tpi_loaded_fini(loaded);
    free(loaded);
    return result;
}

const command command_translate = {
    .name = name,
    .summary = "print the native bytes of a universal command",
    .help =
        "usage: troupe translate ROBOT COMMAND [CLASSES [NUMBER]] [VALUE...]\n"
        "\n"
        "Finds the device that the classes mean on this robot, explains it, and prints what would\n"
        "be written (>) and how each reply is read (<), with the set-up of the device. CLASSES "
        "are\n"
        "words with commas between them, most specific first. NUMBER is the slot, or counts the\n"
        "devices that fit from 0. troupe robots --commands lists the values. Nothing is sent.\n"
        "\n"
        "  --wiring FILE       what is plugged in where\n"
        "  --map CLASS=PLACE   the same for one class; several are possible\n"
        "  --loose             actuators may fall back to generic classes\n"
        "\n"
        "Example: troupe translate nxt ReadAnalog \"Light Sensor\" 2\n",
    .run = run,
};
