/* bind.c - matching a program to a robot. */
#include "play/bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play/machine.h"
#include "play/opcodes.h"
#include "universal/registry.h"

bool tpi_play_uses_default(const tpi_play_program *program, tpi_command command)
{
    const uint8_t *image = (const uint8_t *)program->image.data;
    const unsigned code = tpi_dictionary_entry(command)->code;
    tpi_play_layout layout;

    tpi_play_layout_read(&layout, image);
    for (unsigned at = layout.code; at < layout.length; at += tpi_play_opcode_size(image[at])) {
        if (image[at] == TPI_PLAY_OP_DO && (image[at + 1] | image[at + 2] << 8) == (int)code &&
            image[at + 3] == TPI_PLAY_NO_DEVICE) {
            return true;
        }
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
                               tp_error *err)
{
    tp_error why = {0};
    const int port =
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
    if (device->command < TPI_COMMANDS && device->command != TPI_STOP &&
        tpi_wired_route(registry->wired, device->command, found->match.part)->way == TPI_WAY_NONE) {
        char text[TPI_EXPLANATION + 80];
        snprintf(text, sizeof text, "%s, which cannot do %s", found->explanation,
                 tpi_dictionary_entry(device->command)->name);
        return complain(out, err, device->name, text);
    }
    tpi_buf_printf(out, "%s: %s\n", device->name, found->explanation);
    return 0;
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

unsigned tpi_play_explain(tpi_buf *out, const tpi_play_program *program, const tpi_wired *wired,
                          bool is_loose, tp_error *err)
{
    tpi_registry *registry = calloc(1, sizeof *registry);
    unsigned missing = 0;

    if (registry == NULL) {
        tp_fail(err, TP_E_NOMEM, "out of memory");
        return 1;
    }
    tpi_registry_init(registry, wired, is_loose);
    for (unsigned i = 0; i < program->device_count; i++) {
        missing += explain_device(out, registry, &program->devices[i], err);
    }
    for (unsigned i = 0; i < TPI_COMMANDS; i++) {
        const tpi_entry *entry = tpi_dictionary_entry((tpi_command)i);
        if (entry->has_port && i != TPI_STOP && entry->sort != TPI_SORT_CHANNEL &&
            tpi_play_uses_default(program, (tpi_command)i)) {
            missing += explain_default(out, registry, (tpi_command)i, err);
        }
    }
    tpi_registry_fini(registry);
    free(registry);
    return missing;
}
