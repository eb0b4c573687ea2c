/* match.c - finds the part that a class list means; see registry.h. */
#include <stdio.h>
#include <string.h>

#include "universal/registry.h"

/* The classes that are searched, in order. */
struct search {
    const tpi_wired *wired;
    const tpi_match_wish *wish;
    const bool *claimed;
    bool wants_output;
    unsigned count;
    struct {
        tpi_word word;
        tpi_origin origin;
    } words[3 * TPI_MOST_LIST];
};

/* A part that carries a class. */
struct candidate {
    int part;
    int depth; /* place of the class in its list */
    unsigned id;
};

/* ---- What is searched ---- */

static const tpi_device_class *class_of(const struct search *in, const tpi_word *word)
{
    return word->class >= 0 ? tpi_vocabulary_class(in->wired->robot->vocabulary, word->class)
                            : NULL;
}

static bool is_generic(const struct search *in, const tpi_word *word)
{
    const tpi_device_class *class = class_of(in, word);

    return class != NULL && class->is_generic;
}

/* Whether the wish is for something that acts: the command says it, else the list. */
static bool wants_output(const struct search *in)
{
    const tpi_classes *list = in->wish->classes;
    const tpi_command command = in->wish->command;

    if (command < TPI_COMMANDS && tpi_dictionary_entry(command)->classes[0] != '\0' &&
        command != TPI_STOP) {
        return strstr(tpi_dictionary_entry(command)->classes, "Output") != NULL;
    }
    for (unsigned i = 0; list != NULL && i < list->count; i++) {
        const tpi_device_class *class = class_of(in, &list->words[i]);
        if (class != NULL) {
            return class->is_output;
        }
    }
    return command == TPI_STOP;
}

static void add(struct search *in, tpi_word word, tpi_origin origin)
{
    for (unsigned i = 0; i < in->count; i++) {
        if (tpi_word_same(&in->words[i].word, &word)) {
            return;
        }
    }
    in->words[in->count].word = word;
    in->words[in->count++].origin = origin;
}

/* Whether a word is the last one, Input or Output, behind others: it ends a list and is no wish. */
static bool ends_list(const struct search *in, unsigned i)
{
    const tpi_classes *list = in->wish->classes;

    return i > 0 && i + 1 == list->count && !in->wish->is_loose &&
           tpi_word_equal(list->words[i].text, in->wants_output ? "Output" : "Input");
}

/* The classes of the program. */
static void add_own(struct search *in)
{
    const tpi_classes *list = in->wish->classes;

    for (unsigned i = 0; list != NULL && i < list->count; i++) {
        if (!ends_list(in, i)) {
            add(in, list->words[i], TPI_ORIGIN_PROGRAM);
        }
    }
}

static void add_parents(struct search *in)
{
    tpi_classes all;

    if (in->wish->classes == NULL) {
        return;
    }
    all = *in->wish->classes;
    tpi_classes_add_parents(&all, in->wired->robot->vocabulary);
    for (unsigned i = in->wish->classes->count; i < all.count; i++) {
        add(in, all.words[i], TPI_ORIGIN_PARENT);
    }
}

/* The classes that the command adds. An actuator that the program declares gets none of them: its
 * parents are there already, and a missing gripper must not move a wheel. Of generic words one
 * without a declaration takes only those that head the list. */
static void add_defaults(struct search *in)
{
    const char *at = tpi_dictionary_entry(in->wish->command)->classes;
    bool heads = in->count == 0;
    char text[40];

    if (in->wants_output && in->count > 0 && !in->wish->is_loose) {
        return;
    }
    while (*at != '\0') {
        const size_t length = strcspn(at, ",");
        snprintf(text, sizeof text, "%.*s", (int)length, at);
        const int class = tpi_vocabulary_find(in->wired->robot->vocabulary, text);
        at += length + strspn(at + length, ", ");
        if (class < 0) {
            continue;
        }
        const tpi_word word = {tpi_vocabulary_class(in->wired->robot->vocabulary, class)->name,
                               class};
        heads = heads && is_generic(in, &word);
        if (!in->wants_output || !is_generic(in, &word) || heads || in->wish->is_loose) {
            add(in, word, TPI_ORIGIN_COMMAND);
        }
    }
}

/* ---- Candidates ---- */

static bool before(const struct candidate *a, const struct candidate *b)
{
    return a->depth != b->depth ? a->depth < b->depth
           : a->id != b->id     ? a->id < b->id
                                : a->part < b->part;
}

/* Whether a part can do the command; generic words find only such parts. */
static bool can(const struct search *in, int part)
{
    return in->wish->command == TPI_COMMANDS ||
           tpi_wired_route(in->wired, in->wish->command, part)->way != TPI_WAY_NONE;
}

/* Whether a part has a class of some kind. */
static bool has(const struct search *in, const tpi_part *part, bool (*is)(const tpi_device_class *))
{
    const tpi_classes *list = &part->device->classes;

    for (unsigned i = 0; i < list->count; i++) {
        const tpi_device_class *class = class_of(in, &list->words[i]);
        if (class != NULL && is(class)) {
            return true;
        }
    }
    return false;
}

static bool is_inner(const tpi_device_class *class)
{
    return class->is_inner;
}

static bool is_open(const tpi_device_class *class)
{
    return class->is_open;
}

static bool is_special(const tpi_device_class *class)
{
    return !class->is_generic;
}

/* A generic word behind others: what may stand for the sensor that the program wants. A word of the
 * program finds every sensor but those of the robot itself; one that the command adds only inputs
 * to which anything can be connected. */
static bool may_stand(const struct search *in, unsigned step, const tpi_part *part)
{
    bool heads = true;

    for (unsigned i = 0; i <= step && heads; i++) {
        heads = is_generic(in, &in->words[i].word);
    }
    if (in->wants_output || in->wish->is_loose || heads || !is_generic(in, &in->words[step].word)) {
        return true;
    }
    return in->words[step].origin == TPI_ORIGIN_PROGRAM
               ? !has(in, part, is_inner)
               : has(in, part, is_open) || !has(in, part, is_special);
}

/* Channels take and give. */
static bool is_both_ways(const struct search *in)
{
    return in->wish->command < TPI_COMMANDS &&
           tpi_dictionary_entry(in->wish->command)->sort == TPI_SORT_CHANNEL;
}

/* The parts that carry the word of a step, best first. */
static unsigned candidates(const struct search *in, unsigned step, struct candidate *out)
{
    const tpi_word *word = &in->words[step].word;
    unsigned count = 0;

    for (unsigned i = 0; i < in->wired->part_count; i++) {
        const tpi_part *part = &in->wired->parts[i];
        const int depth = tpi_classes_find(&part->device->classes, word);
        const bool is_last = is_generic(in, word) && has(in, part, is_inner);
        const struct candidate found = {(int)i, is_last ? depth + TPI_MOST_LIST : depth, part->id};
        unsigned at = count;

        if (depth < 0 || part->is_gone ||
            (part->device->is_output != in->wants_output && !is_both_ways(in)) ||
            (is_generic(in, word) && !can(in, (int)i)) || !may_stand(in, step, part)) {
            continue;
        }
        while (at > 0 && before(&found, &out[at - 1])) {
            out[at] = out[at - 1];
            at--;
        }
        out[at] = found;
        count++;
    }
    return count;
}

/* Whether another device of the program uses it. */
static bool is_taken(const struct search *in, int part)
{
    for (unsigned i = 0; in->claimed != NULL && i < in->wired->part_count; i++) {
        if (in->claimed[i] && tpi_parts_overlap(in->wired, (int)i, part)) {
            return true;
        }
    }
    return false;
}

/* The candidate that the number of the program means; -1 for none. */
static int by_number(const struct search *in, const struct candidate *list, unsigned count)
{
    bool has_slots = false;

    for (unsigned i = 0; i < count; i++) {
        const int slot = in->wired->parts[list[i].part].slot;
        has_slots = has_slots || slot >= 0;
        if (slot >= 0 && slot == in->wish->id) {
            return (int)i;
        }
    }
    return !has_slots && in->wish->id < (int)count ? in->wish->id : -1;
}

/* The best candidate: the wanted number, else the first free one, else a shared sensor. */
static int choose(const struct search *in, const struct candidate *list, unsigned count,
                  tpi_match *match)
{
    const int wanted = in->wish->id >= 0 ? by_number(in, list, count) : -1;

    if (wanted >= 0 && (!in->wants_output || !is_taken(in, list[wanted].part))) {
        match->is_shared = is_taken(in, list[wanted].part);
        return wanted;
    }
    match->missed_id = in->wish->id > 0 || (in->wish->id == 0 && wanted >= 0);
    for (unsigned i = 0; i < count; i++) {
        if (!is_taken(in, list[i].part)) {
            return (int)i;
        }
    }
    match->is_shared = !in->wants_output && count > 0;
    return match->is_shared ? 0 : -1;
}

/* Another candidate that only the order in the file puts behind. */
static bool is_tie(const struct search *in, const struct candidate *list, unsigned count,
                   int chosen)
{
    const tpi_part *part = &in->wired->parts[list[chosen].part];

    for (unsigned i = 0; i < count; i++) {
        const tpi_part *other = &in->wired->parts[list[i].part];
        const bool given = part->slot >= 0 || part->device->has_id;
        const bool others = other->slot >= 0 || other->device->has_id;
        if ((int)i != chosen && list[i].depth == list[chosen].depth &&
            (!given || !others || list[i].id == list[chosen].id)) {
            return true;
        }
    }
    return false;
}

/* ---- Senses and units ---- */

/* What a high value means for the program: its first class that says it, else the class that
 * matched. */
static const char *wished_sense(const struct search *in, const tpi_word *matched)
{
    const tpi_classes *list = in->wish->classes;

    for (unsigned i = 0; list != NULL && i < list->count; i++) {
        const tpi_device_class *class = class_of(in, &list->words[i]);
        if (class != NULL && class->sense != NULL) {
            return class->sense;
        }
    }
    return class_of(in, matched) != NULL ? class_of(in, matched)->sense : NULL;
}

static const char *own_sense(const struct search *in, const tpi_device *device)
{
    for (unsigned i = 0; i < device->classes.count; i++) {
        const tpi_device_class *class = class_of(in, &device->classes.words[i]);
        if (class != NULL && class->sense != NULL) {
            return class->sense;
        }
    }
    return NULL;
}

static void judge(const struct search *in, tpi_match *match)
{
    const tpi_vocabulary *vocabulary = in->wired->robot->vocabulary;
    const tpi_part *part = &in->wired->parts[match->part];
    const tpi_device_class *class = class_of(in, &match->word);
    const tpi_way way = tpi_wired_route(in->wired, TPI_READ_COUNT, match->part)->way;

    if (in->wants_output) {
        return;
    }
    match->is_inverted = tpi_vocabulary_opposite(vocabulary, wished_sense(in, &match->word),
                                                 own_sense(in, part->device));
    match->is_percent_only = class != NULL && class->unit != NULL && !part->device->is_counted &&
                             (way < TPI_WAY_DIRECT || way > TPI_WAY_ANY_TYPE);
}

/* ---- The search ---- */

/* Whether any part carries a word; the others need no look at the parts. */
static bool is_carried(const tpi_wired *wired, const tpi_word *word)
{
    return word->class >= 0 && (wired->carried[word->class / 64] >> (word->class % 64) & 1) != 0;
}

/* A class of the program that a map or the wiring file binds. */
static bool find_bound(const struct search *in, tpi_match *match)
{
    for (int by_map = 1; by_map >= 0; by_map--) {
        for (unsigned i = 0; i < in->count; i++) {
            for (unsigned j = in->wired->bound_count; j-- > 0;) {
                const tpi_bound *bound = &in->wired->bound[j];
                if (bound->by_map == (by_map == 1) && !in->wired->parts[bound->part].is_gone &&
                    in->words[i].origin == TPI_ORIGIN_PROGRAM &&
                    tpi_word_same(&bound->word, &in->words[i].word)) {
                    match->part = bound->part;
                    match->word = in->words[i].word;
                    match->step = i;
                    match->origin = by_map == 1 ? TPI_ORIGIN_MAP : TPI_ORIGIN_WIRING;
                    return true;
                }
            }
        }
    }
    return false;
}

tpi_match tpi_match_find(const tpi_wired *wired, const tpi_match_wish *wish, const bool *claimed)
{
    struct search in = {.wired = wired, .wish = wish, .claimed = claimed};
    struct candidate list[TPI_MOST_PARTS];
    tpi_match match = {.part = -1, .word = {"", -1}};

    in.wants_output = wants_output(&in);
    add_own(&in);
    add_parents(&in);
    if (wish->command < TPI_COMMANDS) {
        add_defaults(&in);
    }
    if (find_bound(&in, &match) && !(in.wants_output && is_taken(&in, match.part))) {
        match.is_shared = is_taken(&in, match.part);
        judge(&in, &match);
        return match;
    }
    for (unsigned i = 0; i < in.count; i++) {
        tpi_match found = {
            .part = -1, .step = i, .word = in.words[i].word, .origin = in.words[i].origin};
        const unsigned count = is_carried(wired, &found.word) ? candidates(&in, i, list) : 0;
        const int chosen = choose(&in, list, count, &found);
        if (chosen >= 0) {
            found.part = list[chosen].part;
            found.is_tie = is_tie(&in, list, count, chosen);
            judge(&in, &found);
            return found;
        }
    }
    match.part = -1;
    return match;
}
