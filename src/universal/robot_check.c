/* robot_check.c - what belongs together in a robot file; see robot.h. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "universal/robot.h"

static const char *const fault_texts[TPI_FAULTS] = {
    "done",          "not available", "no match", "bad value",      "robot silent",
    "robot refused", "stopped",       "denied",   "reply too long",
};

const char *tpi_fault_text(tpi_fault fault)
{
    return fault_texts[fault];
}

/* A place for messages about an element that is known by its line alone. */
static tp_status fail_at(const tpi_robotfile *robot, const char *name, unsigned line,
                         const char *format, const char *a, const char *b)
{
    const tpi_element place = {.name = name, .line = line};

    return tpi_element_fail(&robot->document, &place, format, a, b);
}

static bool has_type(const tpi_translation *t, const char *type)
{
    for (unsigned i = 0; i < t->type_count; i++) {
        if (tpi_word_equal(t->types[i], type)) {
            return true;
        }
    }
    return false;
}

/* ---- Numbers of devices ---- */

static bool pattern_uses(const tpi_pattern *pattern, unsigned number)
{
    for (unsigned i = 0; i < pattern->count; i++) {
        if (tpi_expression_uses(&pattern->items[i].value, number)) {
            return true;
        }
    }
    return false;
}

bool tpi_steps_use(const tpi_steps *steps, unsigned number)
{
    for (unsigned i = 0; i < steps->count; i++) {
        const tpi_step *step = &steps->steps[i];
        if (pattern_uses(&step->pattern, number) || tpi_expression_uses(&step->value, number) ||
            tpi_expression_uses(&step->at, number)) {
            return true;
        }
        for (unsigned j = 0; step->call != NULL && j < TPI_MOST_VALUES; j++) {
            if (tpi_expression_uses(&step->call->values[j], number)) {
                return true;
            }
        }
    }
    return false;
}

bool tpi_steps_fit(const tpi_robotfile *robot, const tpi_steps *steps, const double *numbers)
{
    for (unsigned n = TPI_NUMBER_ID + 1; n < robot->scope.number_count; n++) {
        if (isnan(numbers[n]) && tpi_steps_use(steps, n)) {
            return false;
        }
    }
    return true;
}

/* A translation may only use numbers that the devices of its types have. */
static tp_status check_numbers(const tpi_robotfile *robot, const tpi_translation *t)
{
    for (unsigned n = TPI_NUMBER_ID + 1; n < robot->scope.number_count; n++) {
        for (unsigned i = 0; i < robot->device_count; i++) {
            const tpi_device *device = &robot->devices[i];
            if (has_type(t, device->type) && isnan(device->numbers[n]) &&
                tpi_steps_use(&t->steps, n)) {
                return fail_at(robot, "translate", t->line,
                               "the device \"%.40s\" has no number \"%s\"; add it to its values",
                               device->name, robot->scope.numbers[n]);
            }
        }
    }
    return TP_OK;
}

/* ---- Translations ---- */

/* A default type of the dictionary, or the type of a device. */
static bool is_type(const tpi_robotfile *robot, const char *type)
{
    for (unsigned i = 0; i < 256; i++) {
        const char *name = tpi_dictionary_type(i);
        if (name != NULL && tpi_word_equal(name, type)) {
            return true;
        }
    }
    for (unsigned i = 0; i < robot->device_count; i++) {
        if (tpi_word_equal(robot->devices[i].type, type)) {
            return true;
        }
    }
    return false;
}

static tp_status fail_type(const tpi_robotfile *robot, const tpi_translation *t, const char *type)
{
    tpi_nearest nearest;
    char hint[80];

    tpi_nearest_init(&nearest, type);
    for (unsigned i = 0; i < robot->device_count; i++) {
        tpi_nearest_offer(&nearest, robot->devices[i].type);
    }
    return fail_at(robot, "translate", t->line, "type=\"%.40s\": no device has this type%s", type,
                   tpi_nearest_hint(&nearest, hint, sizeof hint));
}

/* Each result must be given somewhere. */
static tp_status check_results(const tpi_robotfile *robot, const tpi_translation *t)
{
    const tpi_entry_value *results = tpi_dictionary_entry(t->command)->results;

    for (int i = 0; results[i].name != NULL; i++) {
        bool given = false;
        for (unsigned j = 0; j < t->steps.count; j++) {
            given = given ||
                    (t->steps.steps[j].code == TPI_STEP_RESULT && t->steps.steps[j].target == i);
        }
        if (!given) {
            return fail_at(robot, "translate", t->line, "%s has the result \"%s\"; write <result>",
                           tpi_dictionary_entry(t->command)->name, results[i].name);
        }
    }
    return TP_OK;
}

static tp_status check_translation(const tpi_robotfile *robot, unsigned index)
{
    const tpi_translation *t = &robot->translations[index];
    const tpi_element *example = t->element->first;

    for (unsigned i = 0; i < t->type_count; i++) {
        if (!is_type(robot, t->types[i])) {
            return fail_type(robot, t, t->types[i]);
        }
        for (unsigned j = 0; j < index; j++) {
            if (robot->translations[j].command == t->command &&
                has_type(&robot->translations[j], t->types[i])) {
                return fail_at(robot, "translate", t->line,
                               "%s of %.40s is there twice; remove one",
                               tpi_dictionary_entry(t->command)->name, t->types[i]);
            }
        }
    }
    while (example != NULL && strcmp(example->name, "example") != 0) {
        example = example->next;
    }
    if (example == NULL) {
        return fail_at(robot, "translate", t->line,
                       "%s has no example; write <example device=\"...\">> bytes</example>%s",
                       tpi_dictionary_entry(t->command)->name, "");
    }
    const tp_status status = check_results(robot, t);
    return status == TP_OK ? check_numbers(robot, t) : status;
}

/* ---- Devices ---- */

/* Two things cannot sit in one slot by default. */
static tp_status check_slots(const tpi_robotfile *robot)
{
    for (unsigned i = 0; i < robot->device_count; i++) {
        for (unsigned j = 0; j < i; j++) {
            const tpi_device *a = &robot->devices[j], *b = &robot->devices[i];
            if (a->at >= 0 && a->at == b->at && a->row == b->row && a->is_output == b->is_output &&
                !(a->is_output)) {
                return fail_at(robot, "device", b->line,
                               "\"%.40s\" sits there already; remove one at%s", a->name, "");
            }
        }
    }
    return TP_OK;
}

/* The class of a device that does not go with the end of its list; NULL for none. */
static const char *odd_class(const tpi_robotfile *robot, const tpi_device *device)
{
    for (unsigned i = 0; i < device->classes.count; i++) {
        const tpi_word *word = &device->classes.words[i];
        const tpi_device_class *class =
            word->class >= 0 ? tpi_vocabulary_class(robot->vocabulary, word->class) : NULL;
        if (class != NULL && !class->is_generic &&
            !(device->is_output ? class->is_output : class->is_input)) {
            return word->text;
        }
    }
    return NULL;
}

/* What a device is called, how it is used and how its list ends go together. */
static tp_status check_device(const tpi_robotfile *robot, const tpi_device *device)
{
    const tpi_sort sort = tpi_dictionary_entry(device->base)->sort;
    const char *odd = odd_class(robot, device);
    const char *name = device->is_group ? "group" : "device";

    if (odd != NULL) {
        return fail_at(robot, name, device->line,
                       device->is_output
                           ? "\"%.40s\" is an input; write Input at the end of the classes%s"
                           : "\"%.40s\" is an output; write Output at the end of the classes%s",
                       odd, "");
    }
    if (sort == (device->is_output ? TPI_SORT_READ : TPI_SORT_WRITE)) {
        return fail_at(robot, name, device->line,
                       device->is_output ? "base=\"%s\" reads; an output has a base that writes%s"
                                         : "base=\"%s\" writes; an input has a base that reads%s",
                       tpi_dictionary_entry(device->base)->name, "");
    }
    if (device->is_group && tpi_word_equal(device->left, device->right)) {
        return fail_at(robot, name, device->line,
                       "left and right are both \"%.40s\"; name two wheels%s", device->left, "");
    }
    return TP_OK;
}

static tp_status check_devices(const tpi_robotfile *robot)
{
    tp_status status = TP_OK;

    for (unsigned i = 0; i < robot->device_count; i++) {
        const tp_status now = check_device(robot, &robot->devices[i]);
        status = status == TP_OK ? now : status;
        if (!tpi_document_goes_on(&robot->document, now)) {
            return now;
        }
    }
    return status;
}

/* A file with something that moves must say how it stops. */
static tp_status check_stop(const tpi_robotfile *robot)
{
    for (unsigned i = 0; i < robot->device_count && !robot->has_stop; i++) {
        if (robot->devices[i].is_output) {
            return fail_at(robot, "device", robot->devices[i].line,
                           "\"%.40s\" is an output, and the file has no <stop>; write "
                           "<stop send=\"...\"/>%s",
                           robot->devices[i].name, "");
        }
    }
    return TP_OK;
}

/* Stop bytes must not depend on a device or a command. */
static tp_status check_stop_values(const tpi_robotfile *robot)
{
    for (unsigned n = 0; n < robot->scope.number_count; n++) {
        if (tpi_steps_use(&robot->stop, n) || tpi_steps_use(&robot->keepalive, n)) {
            return fail_at(robot, "stop", robot->stop.steps != NULL ? robot->stop.steps[0].line : 1,
                           "\"%s\" is a number of a device; here is none%s",
                           robot->scope.numbers[n], "");
        }
    }
    return TP_OK;
}

/* A guard writes the stop bytes at once: on a line with packets they are one packet. */
static tp_status check_stop_packets(const tpi_robotfile *robot)
{
    unsigned sends = 0;

    for (unsigned i = 0; i < robot->stop.count && robot->framing.is_packet; i++) {
        sends += robot->stop.steps[i].code == TPI_STEP_SEND;
        if (sends > 1) {
            return fail_at(robot, "stop", robot->stop.steps[i].line,
                           "a second <send>: one packet stops the robot; write one <send>%s%s", "",
                           "");
        }
    }
    return TP_OK;
}

static tp_status check_links(const tpi_robotfile *robot)
{
    return robot->link_count > 0
               ? TP_OK
               : fail_at(robot, "robot", robot->document.root->line,
                         "there is no <link>; write <link kind=\"serial\" baud=\"115200\"/>%s%s",
                         "", "");
}

static tp_status check_translations(const tpi_robotfile *robot)
{
    tp_status status = TP_OK;

    for (unsigned i = 0; i < robot->translation_count; i++) {
        const tp_status now = check_translation(robot, i);
        status = status == TP_OK ? now : status;
        if (!tpi_document_goes_on(&robot->document, now)) {
            return now;
        }
    }
    return status;
}

tp_status tpi_robotfile_check(const tpi_robotfile *robot)
{
    static tp_status (*const checks[])(const tpi_robotfile *) = {
        check_slots, check_devices,     check_links,       check_translations,
        check_stop,  check_stop_values, check_stop_packets};
    tp_status status = TP_OK;

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        const tp_status now = checks[i](robot);
        status = status == TP_OK ? now : status;
        if (!tpi_document_goes_on(&robot->document, now)) {
            return now;
        }
    }
    return status;
}
