/* bind.c - matching a program to a robot. */
#include "play/bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play/machine.h"
#include "play/opcodes.h"
#include "universal/registry.h"

bool tpi_play_next_use(const tpi_play_program *program, unsigned *at, tpi_play_use_of *use)
{
    const uint8_t *image = (const uint8_t *)program->image.data;
    tpi_play_layout layout;

    tpi_play_layout_read(&layout, image);
    *at = *at < layout.code ? layout.code : *at;
    while (*at < layout.length) {
        const uint8_t *code = image + *at;
        *at += tpi_play_opcode_size(code[0]);
        if (code[0] != TPI_PLAY_OP_DO) {
            continue;
        }
        const tpi_command command = tpi_dictionary_code((uint16_t)(code[1] | code[2] << 8));
        if (command >= TPI_COMMANDS || command == TPI_STOP ||
            !tpi_dictionary_entry(command)->has_port ||
            tpi_dictionary_entry(command)->sort == TPI_SORT_CHANNEL) {
            continue; /* every robot has it, or needs none of its parts */
        }
        use->command = command;
        use->device = code[3] == TPI_PLAY_NO_DEVICE ? -1 : code[3];
        return true;
    }
    return false;
}

static unsigned complain(tpi_buf *out, tp_error *err, const char *who, const char *why)
{
    tpi_buf_printf(out, "%s: %s\n", who, why);
    if (err->code == TP_OK) {
        tp_fail(err, TP_E_UNKNOWN, "%s: %s", who, why);
    }
    return 1;
}

static bool has_unit(const tpi_vocabulary *vocabulary, int class)
{
    return class >= 0 && tpi_vocabulary_class(vocabulary, class)->unit != NULL;
}

bool tpi_play_lacks_unit(const tpi_play_device *device, const tpi_vocabulary *vocabulary,
                         const char *explanation, bool is_percent_only)
{
    static const char before[] = "used ", behind[] = " → ";
    const char *used = strstr(explanation, before);
    const char *end = used != NULL ? strstr(used, behind) : NULL;
    char class[64] = "";

    if (!device->needs_unit || is_percent_only) {
        return device->needs_unit;
    }
    if (end == NULL) {
        return false; /* it is what the program asked for */
    }
    snprintf(class, sizeof class, "%.*s", (int)(end - used - 5), used + 5);
    return !has_unit(vocabulary, tpi_vocabulary_find(vocabulary, class));
}

static unsigned explain_device(tpi_buf *out, tpi_registry *registry, const tpi_play_device *device,
                               int *out_port, tp_error *err)
{
    tp_error why = {0};
    const int port = *out_port =
        tpi_registry_declare(registry, device->classes, device->number, device->command, &why);

    if (port < 0) {
        return complain(out, err, device->name, why.text);
    }
    const tpi_port *found = &registry->ports[port];
    const tpi_vocabulary *vocabulary = registry->wired->robot->vocabulary;
    if (device->needs_unit && !registry->is_loose &&
        (found->match.is_percent_only || !has_unit(vocabulary, found->match.word.class))) {
        char text[TPI_EXPLANATION + 80];
        snprintf(text, sizeof text, "%s, but the program compares it with a unit",
                 found->explanation);
        return complain(out, err, device->name, text);
    }
    tpi_buf_printf(out, "%s: %s\n", device->name, found->explanation);
    return 0;
}

/* Whether a device that was found can do what the program uses it for. */
static unsigned explain_use(tpi_buf *out, tpi_registry *registry, const tpi_play_device *device,
                            int port, tpi_command command, tp_error *err)
{
    char text[TPI_EXPLANATION + 80];

    if (port < 0 ||
        tpi_wired_route(registry->wired, command, registry->ports[port].match.part)->way !=
            TPI_WAY_NONE) {
        return 0;
    }
    snprintf(text, sizeof text, "%s, which cannot do %s", registry->ports[port].explanation,
             tpi_dictionary_entry(command)->name);
    return complain(out, err, device->name, text);
}

static unsigned explain_default(tpi_buf *out, tpi_registry *registry, tpi_command command,
                                tp_error *err)
{
    const tpi_entry *entry = tpi_dictionary_entry(command);
    const tpi_match_wish wish = {NULL, 0, command, registry->is_loose};
    const tpi_match *match = tpi_registry_default(registry, command, 0);
    char text[TPI_EXPLANATION];

    tpi_match_explain(registry->wired, &wish, match, text, sizeof text);
    if (match->part < 0 ||
        tpi_wired_route(registry->wired, command, match->part)->way == TPI_WAY_NONE) {
        const char *why = tpi_robotfile_na(registry->wired->robot, command);
        return complain(out, err, entry->name, why != NULL ? why : text);
    }
    tpi_buf_printf(out, "%s: %s\n", entry->name, text);
    return 0;
}

/* Each command that is used, with each device, once. */
static unsigned explain_uses(tpi_buf *out, tpi_registry *registry, const tpi_play_program *program,
                             const int *ports, tp_error *err)
{
    tpi_play_use_of use, other;
    unsigned missing = 0;

    for (unsigned at = 0; tpi_play_next_use(program, &at, &use);) {
        bool is_first = true;
        for (unsigned before = 0; tpi_play_next_use(program, &before, &other) && before < at;) {
            is_first &= other.command != use.command || other.device != use.device;
        }
        if (is_first && use.device < 0) {
            missing += explain_default(out, registry, use.command, err);
        } else if (is_first) {
            missing += explain_use(out, registry, &program->devices[use.device], ports[use.device],
                                   use.command, err);
        }
    }
    return missing;
}

unsigned tpi_play_explain(tpi_buf *out, const tpi_play_program *program, const tpi_wired *wired,
                          bool is_loose, tp_error *err)
{
    tpi_registry *registry = calloc(1, sizeof *registry);
    int ports[TPI_MOST_PORTS + 1];
    unsigned missing = 0;

    if (registry == NULL) {
        tp_fail(err, TP_E_NOMEM, "out of memory");
        return 1;
    }
    tpi_registry_init(registry, wired, is_loose);
    for (unsigned i = 0; i < program->device_count; i++) {
        const unsigned misses = explain_device(out, registry, &program->devices[i], &ports[i], err);
        missing += misses;
        ports[i] = misses > 0 ? -1 : ports[i];
    }
    missing += explain_uses(out, registry, program, ports, err);
    tpi_registry_fini(registry);
    free(registry);
    return missing;
}
