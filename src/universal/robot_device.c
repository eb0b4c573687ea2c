/* robot_device.c - reads slots, devices and groups of a robot file; see robot.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "universal/robot.h"

enum { MOST_TEXT = 200, NO_NUMBER = -1 };

/* ---- Slots ---- */

tp_status tpi_robotfile_read_slots(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"name", "labels", NULL};
    const tpi_document *document = &robot->document;
    const char *name = tpi_element_need(document, element, "name");
    const char *labels = name != NULL ? tpi_element_need(document, element, "labels") : NULL;
    tp_status status = labels != NULL ? tpi_element_only(document, element, names) : TP_E_INVALID;
    tpi_row *row = &robot->rows[robot->row_count];
    bool failed = false;
    const char *label;

    if (status != TP_OK) {
        return status;
    }
    if (robot->row_count == TPI_MOST_ROWS) {
        return tpi_element_fail(document, element, "over %d rows of slots", TPI_MOST_ROWS);
    }
    row->name = name;
    while ((label = tpi_list_next(&robot->document.arena, &labels, &failed)) != NULL) {
        int other = -1, slot;
        if (row->count == TPI_MOST_SLOTS) {
            return tpi_element_fail(document, element, "over %d slots", TPI_MOST_SLOTS);
        }
        if (tpi_robotfile_slot(robot, label, &other, &slot)) {
            return tpi_element_fail(document, element, "the label \"%.30s\" is there twice", label);
        }
        row->labels[row->count++] = label;
    }
    robot->row_count++;
    return failed ? tpi_document_no_memory(document) : TP_OK;
}

bool tpi_robotfile_slot(const tpi_robotfile *robot, const char *label, int *row, int *slot)
{
    for (unsigned i = 0; i < TPI_MOST_ROWS; i++) {
        for (unsigned j = 0; j < robot->rows[i].count && (*row < 0 || *row == (int)i); j++) {
            if (tpi_word_equal(robot->rows[i].labels[j], label)) {
                *row = (int)i;
                *slot = (int)j;
                return true;
            }
        }
    }
    return false;
}

/* ---- Attributes of devices ---- */

/* The text with the number in the place of %; NULL if memory ran out. */
static const char *numbered(tpi_arena *arena, const char *text, int number)
{
    char out[MOST_TEXT];
    size_t length = 0;

    for (; text != NULL && *text != '\0' && length + 12 < sizeof out; text++) {
        if (*text == '%' && number != NO_NUMBER) {
            length += (size_t)snprintf(out + length, sizeof out - length, "%d", number);
        } else {
            out[length++] = *text;
        }
    }
    return text == NULL ? NULL : tpi_arena_text(arena, out, length);
}

static int number_index(const tpi_scope *scope, const char *name, size_t length)
{
    for (unsigned i = 0; i < scope->number_count; i++) {
        if (strlen(scope->numbers[i]) == length && strncmp(scope->numbers[i], name, length) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* One "pin 9" of values. */
static tp_status read_number(const tpi_robotfile *robot, const tpi_document *document,
                             const tpi_element *element, const char *word, double *numbers)
{
    const size_t length = strcspn(word, " ");
    const char *text = word + length + strspn(word + length, " ");
    const int index = number_index(&robot->scope, word, length);

    if (index < 0) { /* those of robot files have been collected, so this is a wiring file */
        return tpi_element_fail(document, element, "values: the robot file has no number \"%.*s\"",
                                (int)length, word);
    }
    if (*text == '\0' || tpi_number_read_f64(text, strlen(text), &numbers[index]) != strlen(text)) {
        return tpi_element_fail(document, element,
                                "values: \"%.30s\": expected a name and a number: pin 9", word);
    }
    return TP_OK;
}

static tp_status read_numbers(tpi_device *out, const tpi_robotfile *robot,
                              const tpi_document *document, tpi_arena *arena,
                              const tpi_element *element, int number)
{
    const char *list = numbered(arena, tpi_element_get(element, "values"), number);
    double *numbers = tpi_arena_array(arena, TPI_MOST_NUMBERS, sizeof *numbers);
    bool failed = numbers == NULL || (list == NULL && tpi_element_get(element, "values") != NULL);
    const char *word;

    for (unsigned i = 0; !failed && i < TPI_MOST_NUMBERS; i++) {
        numbers[i] = (double)NAN;
    }
    if (!failed && out->is_group) { /* the wiring decides them */
        numbers[TPI_NUMBER_LEFT] = numbers[TPI_NUMBER_RIGHT] = 0;
    }
    out->numbers = numbers;
    while (!failed && list != NULL && (word = tpi_list_next(arena, &list, &failed)) != NULL) {
        const tp_status status = read_number(robot, document, element, word, numbers);
        if (status != TP_OK) {
            return status;
        }
    }
    return failed ? tpi_document_no_memory(document) : TP_OK;
}

static tp_status read_classes(tpi_device *out, const tpi_robotfile *robot,
                              const tpi_document *document, tpi_arena *arena,
                              const tpi_element *element, const char *told)
{
    const char *text = out->scaling != NULL && tpi_element_get(element, "classes") == NULL
                           ? told
                           : tpi_element_need(document, element, "classes");
    tpi_classes *list = &out->classes;
    char hint[80];

    if (text == NULL) {
        return TP_E_INVALID;
    }
    const tp_status status = tpi_classes_read(list, robot->vocabulary, arena, text);
    if (status != TP_OK) {
        return status == TP_E_NOMEM
                   ? tpi_document_no_memory(document)
                   : tpi_element_fail(document, element, "over %d classes", TPI_MOST_LIST);
    }
    for (unsigned i = 0; i < list->count; i++) {
        if (list->words[i].class < 0) {
            return tpi_element_fail(
                document, element, "\"%.40s\" is no class of classes.xml%s", list->words[i].text,
                tpi_vocabulary_hint(robot->vocabulary, list->words[i].text, hint, sizeof hint));
        }
    }
    const char *last = list->count > 0 ? list->words[list->count - 1].text : "";
    out->is_output = tpi_word_equal(last, "Output");
    if (!out->is_output && !tpi_word_equal(last, "Input")) {
        return tpi_element_fail(document, element,
                                "the classes end with \"%.30s\"; write Input or Output at the end",
                                last);
    }
    tpi_classes_add_parents(list, robot->vocabulary);
    return TP_OK;
}

static tp_status read_base(tpi_device *out, const tpi_document *document,
                           const tpi_element *element, const char *missing)
{
    const char *text = tpi_element_get(element, "base");
    tpi_nearest nearest;
    char hint[80];

    if (text == NULL && missing == NULL) {
        return tpi_element_fail(document, element, "base is missing; write base=\"%s\"",
                                out->is_output ? "WriteAnalog" : "ReadAnalog");
    }
    text = text != NULL ? text : missing;
    out->base = tpi_dictionary_named(text);
    if (out->base == TPI_COMMANDS) {
        tpi_nearest_init(&nearest, text);
        for (int i = 0; i < TPI_COMMANDS; i++) {
            tpi_nearest_offer(&nearest, tpi_dictionary_entry((tpi_command)i)->name);
        }
        tpi_nearest_hint(&nearest, hint, sizeof hint);
        return tpi_element_fail(document, element, "base=\"%.30s\" is no command%s", text,
                                hint[0] != '\0' ? hint : "; troupe robots --commands lists them");
    }
    return TP_OK;
}

/* Where it fits and where it sits. */
static tp_status read_place(tpi_device *out, const tpi_robotfile *robot,
                            const tpi_document *document, tpi_arena *arena,
                            const tpi_element *element, int number)
{
    const char *slots = tpi_element_get(element, "slots");
    const char *at = numbered(arena, tpi_element_get(element, "at"), number);

    if (at == NULL && tpi_element_get(element, "at") != NULL) {
        return tpi_document_no_memory(document);
    }
    out->row = out->at = -1;
    for (unsigned i = 0; slots != NULL && i < robot->row_count; i++) {
        if (tpi_word_equal(robot->rows[i].name, slots)) {
            out->row = (int)i;
        }
    }
    if (slots != NULL && out->row < 0) {
        return tpi_element_fail(
            document, element, "slots=\"%.30s\": there is no <slots name=\"%.30s\">", slots, slots);
    }
    if (at != NULL && out->row < 0) {
        return tpi_element_fail(document, element, "at needs slots; write slots=\"...\"");
    }
    if (at != NULL && !tpi_robotfile_slot(robot, at, &out->row, &out->at)) {
        return tpi_element_fail(document, element,
                                "at=\"%.30s\": the row \"%.30s\" has no such label", at, slots);
    }
    return TP_OK;
}

static tp_status read_scales(tpi_device *out, const tpi_document *document,
                             const tpi_element *element)
{
    tp_status status = tpi_element_pair(document, element, "range", out->range);

    out->degrees[1] = 180;
    if (status == TP_OK) {
        status = tpi_element_pair(document, element, "degrees", out->degrees);
    }
    if (status == TP_OK) {
        status = tpi_element_pair(document, element, "volts", out->volts);
    }
    if (status == TP_OK) {
        status = tpi_element_number(document, element, "threshold", 0, 100, 50, &out->threshold);
    }
    if (status == TP_OK) {
        status = tpi_element_number(document, element, "hysteresis", 0, 50, 5, &out->hysteresis);
    }
    double id = -1;
    if (status == TP_OK) {
        status = tpi_element_number(document, element, "id", 0, 255, -1, &id);
    }
    out->has_id = id >= 0;
    out->id = id >= 0 ? (unsigned)id : 0;
    return status == TP_OK ? tpi_element_flag(document, element, "signed", &out->is_signed)
                           : status;
}

/* "pin 4, pin 5" */
static tp_status read_uses(tpi_device *out, const tpi_document *document, tpi_arena *arena,
                           const tpi_element *element, int number)
{
    const char *list = numbered(arena, tpi_element_get(element, "uses"), number);
    bool failed = list == NULL && tpi_element_get(element, "uses") != NULL;
    const char *word;

    for (unsigned i = 0; list != NULL && (word = tpi_list_next(arena, &list, &failed)) != NULL;
         i++) {
        if (i == TPI_MOST_USES) {
            return tpi_element_fail(document, element, "uses: over %d words; name at most %d pins",
                                    TPI_MOST_USES, TPI_MOST_USES);
        }
        out->uses[i] = word;
    }
    return failed ? tpi_document_no_memory(document) : TP_OK;
}

/* If nothing gives a range, the first class that has one does. */
static void default_range(tpi_device *out, const tpi_robotfile *robot)
{
    for (unsigned i = 0; i < out->classes.count && out->range[0] == out->range[1]; i++) {
        const tpi_device_class *class =
            tpi_vocabulary_class(robot->vocabulary, out->classes.words[i].class);
        out->range[0] = class->low;
        out->range[1] = class->high;
    }
}

tp_status tpi_device_read(tpi_device *out, const tpi_robotfile *robot, const tpi_document *document,
                          tpi_arena *arena, const tpi_element *element, int number)
{
    static const char *const names[] = {
        "name",  "type",   "classes", "base",     "slots",     "at",         "values",
        "label", "signed", "range",   "volts",    "threshold", "hysteresis", "degrees",
        "for",   "id",     "uses",    "commands", "manifest",  "channel",    NULL};
    const char *name = tpi_element_need(document, element, "name");
    const char *type = name != NULL ? tpi_element_need(document, element, "type") : NULL;
    const char *label = tpi_element_get(element, "label");
    tp_status status = type != NULL ? tpi_element_only(document, element, names) : TP_E_INVALID;

    if (status != TP_OK) {
        return status;
    }
    out->line = element->line;
    out->element = element;
    out->type = type;
    out->name = numbered(arena, name, number);
    out->label = label != NULL ? numbered(arena, label, number) : out->name;
    if (out->name == NULL || out->label == NULL) {
        return tpi_document_no_memory(document);
    }
    const char *told = NULL;
    status = tpi_device_read_manifest(out, robot, document, arena, element, &told);
    if (status == TP_OK) {
        status = read_classes(out, robot, document, arena, element, told);
    }
    if (status == TP_OK) {
        status = read_base(out, document, element, out->scaling != NULL ? "ReadAnalog" : NULL);
    }
    if (status == TP_OK && out->scaling != NULL && out->base != TPI_READ_ANALOG) {
        status = tpi_element_fail(document, element,
                                  "a manifest describes what ReadAnalog reads; write "
                                  "base=\"ReadAnalog\"");
    }
    if (status == TP_OK) {
        status = read_place(out, robot, document, arena, element, number);
    }
    if (status == TP_OK) {
        status = read_scales(out, document, element);
    }
    if (status == TP_OK) {
        default_range(out, robot);
        status = read_numbers(out, robot, document, arena, element, number);
    }
    if (status == TP_OK) {
        status = tpi_device_read_does(out, robot, document, arena, element);
    }
    return status == TP_OK ? read_uses(out, document, arena, element, number) : status;
}

/* ---- Devices of the robot file ---- */

/* Collect the names of "pin 9, side 1". */
static tp_status collect_numbers(tpi_robotfile *robot, const tpi_element *element)
{
    const char *list = tpi_element_get(element, "values");
    tpi_scope *scope = &robot->scope;
    bool failed = false;
    const char *word;

    while (list != NULL && (word = tpi_list_next(&robot->document.arena, &list, &failed)) != NULL) {
        const size_t length = strcspn(word, " ");
        if (number_index(scope, word, length) >= 0) {
            continue;
        }
        if (scope->number_count == TPI_MOST_NUMBERS) {
            return tpi_element_fail(&robot->document, element, "over %d names in values",
                                    TPI_MOST_NUMBERS);
        }
        const char *name = tpi_arena_text(&robot->document.arena, word, length);
        failed = failed || name == NULL;
        scope->numbers[scope->number_count] = name;
        scope->number_count += name != NULL;
    }
    return failed ? tpi_document_no_memory(&robot->document) : TP_OK;
}

static tp_status add(tpi_robotfile *robot, const tpi_element *element, tpi_device *device)
{
    if (robot->device_count == TPI_MOST_DEVICES) {
        return tpi_element_fail(&robot->document, element, "over %d devices", TPI_MOST_DEVICES);
    }
    if (tpi_robotfile_device(robot, device->name) >= 0) {
        return tpi_element_fail(&robot->document, element,
                                "the name \"%.40s\" is there twice; names are unique",
                                device->name);
    }
    for (unsigned i = 0; i < robot->device_count && !device->has_id; i++) {
        device->id += strcmp(robot->devices[i].type, device->type) == 0;
    }
    robot->devices[robot->device_count++] = *device;
    return TP_OK;
}

static tp_status read_one(tpi_robotfile *robot, const tpi_element *element, int number)
{
    tpi_device device = {0};
    const tp_status status =
        tpi_device_read(&device, robot, &robot->document, &robot->document.arena, element, number);

    return status == TP_OK ? add(robot, element, &device) : status;
}

/* "2..13" or "3 5 6" */
static tp_status read_each(tpi_robotfile *robot, const tpi_element *element, const char *text)
{
    tp_status status = TP_OK;
    bool any = false;

    while (*text != '\0' && status == TP_OK) {
        char *end;
        const long first = strtol(text, &end, 10);
        long last = first;
        if (end == text || first < 0 || first > 999) {
            break;
        }
        if (strncmp(end, "..", 2) == 0) {
            text = end + 2;
            last = strtol(text, &end, 10);
            if (end == text || last < first || last > 999) {
                any = false;
                text = "?";
                break;
            }
        }
        for (long n = first; n <= last && status == TP_OK; n++) {
            status = read_one(robot, element, (int)n);
        }
        any = true;
        text = end + strspn(end, " ");
    }
    if (status == TP_OK && (!any || *text != '\0')) {
        status = tpi_element_fail(&robot->document, element,
                                  "for=\"%.30s\": expected numbers: 2..13 or 3 5 6",
                                  tpi_element_get(element, "for"));
    }
    return status;
}

tp_status tpi_robotfile_read_device(tpi_robotfile *robot, const tpi_element *element)
{
    const char *each = tpi_element_get(element, "for");
    const tp_status status = collect_numbers(robot, element);

    if (status != TP_OK) {
        return status;
    }
    return each != NULL ? read_each(robot, element, each) : read_one(robot, element, NO_NUMBER);
}

/* ---- Groups ---- */

static tp_status check_member(const tpi_robotfile *robot, const tpi_element *element,
                              const char *name)
{
    const int member = tpi_robotfile_device(robot, name);
    tpi_nearest nearest;
    char hint[80];

    if (member >= 0 && robot->devices[member].is_output && !robot->devices[member].is_group) {
        return TP_OK;
    }
    tpi_nearest_init(&nearest, name);
    for (unsigned i = 0; i < robot->device_count && member < 0; i++) {
        if (robot->devices[i].is_output && !robot->devices[i].is_group) {
            tpi_nearest_offer(&nearest, robot->devices[i].name);
        }
    }
    tpi_nearest_hint(&nearest, hint, sizeof hint);
    return tpi_element_fail(&robot->document, element, "\"%.40s\" is no wheel%s", name,
                            hint[0] != '\0' ? hint : "; write its <device> before the group");
}

tp_status tpi_robotfile_read_group(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"name", "type",  "classes",  "left", "right",
                                        "base", "label", "commands", "id",   NULL};
    const tpi_document *document = &robot->document;
    tpi_device group = {.row = -1, .at = -1, .is_group = true, .line = element->line};
    tp_status status = tpi_element_only(document, element, names);

    group.name = status == TP_OK ? tpi_element_need(document, element, "name") : NULL;
    group.type = group.name != NULL ? tpi_element_need(document, element, "type") : NULL;
    group.left = group.type != NULL ? tpi_element_need(document, element, "left") : NULL;
    group.right = group.left != NULL ? tpi_element_need(document, element, "right") : NULL;
    if (group.right == NULL) {
        return TP_E_INVALID;
    }
    group.label = tpi_element_get(element, "label");
    group.label = group.label != NULL ? group.label : group.name;
    group.is_signed = true;
    status = read_classes(&group, robot, document, &robot->document.arena, element, NULL);
    if (status == TP_OK) {
        status = read_base(&group, document, element, "MoveMotors");
    }
    if (status == TP_OK) {
        status = check_member(robot, element, group.left);
    }
    if (status == TP_OK) {
        status = check_member(robot, element, group.right);
    }
    if (status == TP_OK) {
        status = read_numbers(&group, robot, document, &robot->document.arena, element, NO_NUMBER);
    }
    if (status == TP_OK) {
        status = tpi_device_read_does(&group, robot, document, &robot->document.arena, element);
    }
    return status == TP_OK ? add(robot, element, &group) : status;
}

int tpi_robotfile_device(const tpi_robotfile *robot, const char *name)
{
    for (unsigned i = 0; i < robot->device_count; i++) {
        if (tpi_word_equal(robot->devices[i].name, name)) {
            return (int)i;
        }
    }
    return -1;
}
