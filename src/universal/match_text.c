/* match_text.c - how a device was matched, as a sentence; see registry.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "universal/registry.h"

TP_PRINTF(4, 5)
static void put(char *out, size_t size, size_t *at, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    const int length = *at < size ? vsnprintf(out + *at, size - *at, format, values) : 0;
    va_end(values);
    *at += length > 0 ? (size_t)length : 0;
}

/* The first class of the device that a program names by its own name; NULL for none. */
static const char *class_of_named(const tpi_wired *wired, const tpi_match_wish *wish)
{
    const char *name =
        wish->classes != NULL && wish->classes->count > 0 ? wish->classes->words[0].text : NULL;

    for (unsigned i = 0; name != NULL && i < wired->part_count; i++) {
        const tpi_device *device = wired->parts[i].device;
        if (tpi_word_equal(device->name, name) || tpi_word_equal(device->label, name)) {
            return device->classes.words[0].text;
        }
    }
    return NULL;
}

/* What may help: a class instead of a device's own name, another spelling, or --loose. */
static void explain_none(const tpi_wired *wired, const tpi_match_wish *wish, char *out, size_t size,
                         size_t *at)
{
    tpi_match_wish loose = *wish;
    char hint[80];
    const char *class = class_of_named(wired, wish);

    if (class != NULL) {
        put(out, size, at, "; this is a device, name its class: %.40s", class);
        return;
    }
    for (unsigned i = 0; wish->classes != NULL && i < wish->classes->count; i++) {
        const tpi_word *word = &wish->classes->words[i];
        if (word->class < 0) { /* the first one: looking through the vocabulary costs */
            put(out, size, at, "%s",
                tpi_vocabulary_hint(wired->robot->vocabulary, word->text, hint, sizeof hint));
            break;
        }
    }
    loose.is_loose = true;
    const tpi_match match =
        wish->is_loose ? (tpi_match){.part = -1} : tpi_match_find(wired, &loose, NULL);
    if (match.part >= 0) {
        put(out, size, at, "; --loose would use %.40s", wired->parts[match.part].device->label);
    }
}

/* The class of a part that matched by one that it does not list itself: a line sensor is a light
 * sensor of a kind, and not the one that was meant. NULL for any other match. */
static const char *nearer_class(const tpi_part *part, const tpi_match *match)
{
    const tpi_classes *list = &part->device->classes;
    const int depth = tpi_classes_find(list, &match->word);

    return list->listed > 0 && depth >= (int)list->listed ? list->words[0].text : NULL;
}

void tpi_match_explain(const tpi_wired *wired, const tpi_match_wish *wish, const tpi_match *match,
                       char *out, size_t size)
{
    const char *wanted = wish->classes != NULL && wish->classes->count > 0
                             ? wish->classes->words[0].text
                         : wish->command < TPI_COMMANDS ? tpi_dictionary_entry(wish->command)->name
                                                        : "?";
    size_t at = 0;

    put(out, size, &at, "\"%.60s\" → ", wanted);
    if (match->part < 0) {
        put(out, size, &at, "not on this robot (%s), and nothing that may stand for it",
            wired->robot->identity.name);
        if (!wish->is_brief) {
            explain_none(wired, wish, out, size, &at);
        }
        return;
    }
    const tpi_part *part = &wired->parts[match->part];
    const char *place = tpi_part_place(wired, part);
    if (match->origin == TPI_ORIGIN_PARENT || match->origin == TPI_ORIGIN_COMMAND ||
        match->step > 0) {
        if (wish->classes != NULL && wish->classes->count > 0) {
            put(out, size, &at, "not on this robot, used %.40s → ", match->word.text);
        } else if (match->step > 0) {
            put(out, size, &at, "used %.40s → ", match->word.text);
        }
    }
    put(out, size, &at, "%.60s%s%s", part->device->label, *place != '\0' ? ", " : "", place);
    const char *nearer = nearer_class(part, match);
    if (nearer != NULL) {
        put(out, size, &at, "; it is of the class %.40s", nearer);
    }
    put(out, size, &at, "%s%s%s%s%s%s", match->origin == TPI_ORIGIN_MAP ? "; by --map" : "",
        match->origin == TPI_ORIGIN_WIRING ? "; by the wiring file" : "",
        match->missed_id ? "; its number does not fit, took the first free one" : "",
        match->is_shared ? "; shared with another device of the program" : "",
        match->is_inverted ? "; inverted, since high means the opposite" : "",
        match->is_percent_only ? "; percent only" : "");
}
