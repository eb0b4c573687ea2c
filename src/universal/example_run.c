/* example_run.c - runs the examples of a robot file; see example.h. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "universal/example.h"

enum { MOST_TURNS = 20000 };

/* A conversation that follows an example. */
struct running {
    const tpi_robotfile *robot;
    const tpi_example *example;
    const tpi_document *document;
    tpi_dialog *dialog;
    unsigned at; /* the next line */
    unsigned written;
    int64_t now_ns;
    tp_status status; /* of the first difference */
};

static const char *hex(char *out, size_t size, const uint8_t *bytes, size_t length)
{
    size_t at = 0;

    out[0] = '\0';
    for (size_t i = 0; i < length && at + 6 < size; i++) {
        at += (size_t)snprintf(out + at, size - at, "%s%02X", i > 0 ? " " : "", bytes[i]);
    }
    return out;
}

static void on_write(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                     size_t body_length)
{
    struct running *in = context;
    const tpi_example *example = in->example;
    const uint8_t *bytes = example->is_framed ? frame : body;
    const size_t count = example->is_framed ? length : body_length;
    char came[80], wanted[80];

    in->written++;
    if (in->status != TP_OK) {
        return;
    }
    const tpi_example_line *line = in->at < example->line_count ? &example->lines[in->at] : NULL;
    if (line != NULL && !line->is_read && line->length == count &&
        memcmp(line->bytes, bytes, count) == 0) {
        in->at++;
        return;
    }
    in->status =
        tpi_element_fail(in->document, example->element, "it writes %s; the example says %s%s",
                         hex(came, sizeof came, bytes, count),
                         line == NULL    ? "nothing more"
                         : line->is_read ? "< "
                                         : "> ",
                         line == NULL ? "" : hex(wanted, sizeof wanted, line->bytes, line->length));
}

/* Hand over a line that is read, in a frame if the example shows none. */
static void feed(struct running *in, const tpi_example_line *line)
{
    tpi_framing framing = in->robot->framing;
    uint8_t data[2048];
    tpi_bytes frame = {.data = data, .capacity = sizeof data};

    framing.size = framing.in_size;
    in->at++;
    if (in->example->is_framed || !tpi_robotfile_reads_frames(in->robot)) {
        tpi_dialog_receive(in->dialog, line->bytes, line->length, in->now_ns);
    } else if (tpi_framing_put(&framing, line->bytes, line->length, (uint8_t)in->written, &frame)) {
        tpi_dialog_receive(in->dialog, frame.data, frame.length, in->now_ns);
    } else {
        in->status = tpi_element_fail(in->document, in->example->element,
                                      "a line has too many bytes for a frame");
    }
}

/* ---- Results ---- */

static bool equal(const tpi_value *a, const tpi_value *b)
{
    if ((a->text == NULL) != (b->text == NULL)) {
        return false;
    }
    return a->text != NULL ? a->length == b->length && memcmp(a->text, b->text, a->length) == 0
                           : fabs(a->number - b->number) <= 0.01;
}

static const char *show(char *out, size_t size, const tpi_value *value)
{
    if (value->text != NULL) {
        snprintf(out, size, "'%.*s'", (int)value->length, value->text);
    } else {
        snprintf(out, size, "%.6g", value->number);
    }
    return out;
}

static tp_status compare(const struct running *in)
{
    const tpi_example *example = in->example;
    const tpi_outcome *outcome = tpi_dialog_outcome(in->dialog);
    const char *error = outcome->fault != TPI_FAULT_NONE ? tpi_fault_text(outcome->fault) : NULL;
    char came[80], wanted[80];

    if (error != NULL && (example->error == NULL || strcmp(example->error, error) != 0)) {
        return tpi_element_fail(in->document, example->element, "it fails: %s", outcome->text);
    }
    if (error == NULL && example->error != NULL) {
        return tpi_element_fail(in->document, example->element,
                                "it does not fail; the example says error=\"%s\"", example->error);
    }
    if (in->at < example->line_count) {
        const tpi_example_line *line = &example->lines[in->at];
        return tpi_element_fail(in->document, example->element, "it is done before %s %s",
                                line->is_read ? "<" : ">",
                                hex(wanted, sizeof wanted, line->bytes, line->length));
    }
    for (unsigned i = 0; i < example->result_count && error == NULL; i++) {
        if (!equal(&outcome->results[i], &example->results[i])) {
            return tpi_element_fail(in->document, example->element,
                                    "the result is %s; the example says %s",
                                    show(came, sizeof came, &outcome->results[i]),
                                    show(wanted, sizeof wanted, &example->results[i]));
        }
    }
    return TP_OK;
}

/* ---- Running ---- */

/* "motor[1]" is word 1 of the register motor; cuts the index off. */
static unsigned take_index(char *name)
{
    char *bracket = strchr(name, '[');
    int64_t index = 0;

    if (bracket != NULL) {
        const size_t digits = strcspn(bracket + 1, "]");
        if (bracket[digits + 1] != ']' || !tpi_number_read_i64(bracket + 1, digits, &index)) {
            return UINT_MAX;
        }
        *bracket = '\0';
    }
    return index >= 0 && index < UINT_MAX ? (unsigned)index : UINT_MAX;
}

/* "left 30, motor[1] 20" */
static tp_status set_registers(const struct running *in)
{
    const char *at = in->example->with;
    char name[40];

    while (at != NULL && *at != '\0') {
        double value = 0;
        at += strspn(at, " ,");
        const size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        const unsigned index = take_index(name);
        at += length + strspn(at + length, " ");
        const size_t used = tpi_number_read_f64(at, strcspn(at, " ,"), &value);
        if (used == 0 || !tpi_dialog_set_register(in->dialog, name, index, value)) {
            return tpi_element_fail(
                in->document, in->example->element,
                "with=\"%.40s\": expected registers and numbers: left 30, motor[1] 20",
                in->example->with);
        }
        at += used;
    }
    return TP_OK;
}

static void follow(struct running *in)
{
    for (int turn = 0; turn < MOST_TURNS && in->status == TP_OK && tpi_dialog_is_busy(in->dialog);
         turn++) {
        const tpi_example_line *line =
            in->at < in->example->line_count ? &in->example->lines[in->at] : NULL;
        if (line != NULL && line->is_read) {
            feed(in, line);
        } else {
            in->now_ns = tpi_dialog_due_ns(in->dialog);
            tpi_dialog_tick(in->dialog, in->now_ns);
        }
    }
    if (in->status == TP_OK) {
        in->status = tpi_dialog_is_busy(in->dialog)
                         ? tpi_element_fail(in->document, in->example->element, "it never ends")
                         : compare(in);
    }
}

/* The part that the example means; -1 for none, -2 with the error. */
static int find_part(tpi_wired *wired, const struct running *in)
{
    const tpi_example *example = in->example;
    int row = -1, slot = -1;

    if (example->device == NULL) {
        return -1;
    }
    const int device = tpi_robotfile_device(in->robot, example->device);
    if (device < 0) {
        tpi_element_fail(in->document, example->element,
                         "device=\"%.40s\" is no device of this file", example->device);
        return -2;
    }
    row = in->robot->devices[device].row;
    if (example->slot != NULL && !tpi_robotfile_slot(in->robot, example->slot, &row, &slot)) {
        tpi_element_fail(in->document, example->element, "slot=\"%.30s\" is no label of a slot",
                         example->slot);
        return -2;
    }
    const int part = tpi_wired_plug(wired, device, slot);
    if (part < 0) {
        tpi_element_fail(in->document, example->element,
                         "device=\"%.40s\" cannot be put there; give its slots, or at",
                         example->device);
        return -2;
    }
    return part;
}

static tp_status run(struct running *in, tpi_wired *wired, const tpi_translation *translation,
                     int part)
{
    const tpi_dialog_hooks hooks = {.write = on_write, .context = in};
    tpi_dialog_order order = {
        .command = translation->command, .part = part, .count = in->example->value_count};
    tp_status status = tpi_dialog_create(&in->dialog, wired, &hooks, in->document->err);

    if (status != TP_OK) {
        return status;
    }
    in->now_ns = 1000000000;
    tpi_dialog_connected(in->dialog, in->now_ns);
    if (!in->example->runs_setup) {
        tpi_dialog_assume_ready(in->dialog);
    }
    status = set_registers(in);
    if (status == TP_OK) {
        memcpy(order.values, in->example->values, sizeof order.values);
        tpi_dialog_begin(in->dialog, &order, in->now_ns);
        follow(in);
        status = in->status;
    }
    tpi_dialog_destroy(in->dialog);
    return status;
}

tp_status tpi_example_run(const tpi_robotfile *robot, const tpi_translation *translation,
                          const tpi_example *example, const tpi_document *document)
{
    struct running in = {.robot = robot, .example = example, .document = document};
    const tpi_entry *entry = tpi_dictionary_entry(translation->command);
    const unsigned values = tpi_entry_value_count(entry->values);
    tpi_wired *wired = NULL;

    if (example->value_count > values) {
        return tpi_element_fail(document, example->element,
                                "the example gives %u values, %s takes %u", example->value_count,
                                entry->name, values);
    }
    tp_status status = tpi_wired_create(&wired, robot, NULL, 0, NULL, document->err);

    if (status != TP_OK) {
        return status;
    }
    const int part = find_part(wired, &in);
    if (part == -2) {
        status = TP_E_INVALID;
    } else if (part >= 0 &&
               tpi_wired_route(wired, translation->command, part)->translation != translation) {
        status =
            tpi_element_fail(document, example->element,
                             "the device \"%.40s\" does not use this translation", example->device);
    } else {
        status = run(&in, wired, translation, part);
    }
    tpi_wired_destroy(wired);
    return status;
}

/* ---- All ---- */

static bool is_possible(const tpi_wired *wired, tpi_command command)
{
    for (unsigned i = 0; i < wired->part_count; i++) {
        if (tpi_wired_route(wired, command, (int)i)->way != TPI_WAY_NONE) {
            return true;
        }
    }
    return false;
}

/* <na> is only for what no device can do. */
static tp_status refuse_na(const tpi_document *document, tpi_command command)
{
    const tpi_element *e = document->root->first;

    while (e != NULL && (strcmp(e->name, "na") != 0 ||
                         tpi_dictionary_named(tpi_element_get(e, "command")) != command)) {
        e = e->next;
    }
    return tpi_element_fail(
        document, e != NULL ? e : document->root, "the robot can do %s; remove <na command=\"%s\">",
        tpi_dictionary_entry(command)->name, tpi_dictionary_entry(command)->name);
}

/* A command that no device can do says why; no other one does. */
static tp_status judge_na(const tpi_robotfile *robot, const tpi_document *document,
                          const tpi_wired *wired, tpi_command command)
{
    const tpi_entry *entry = tpi_dictionary_entry(command);
    const bool has_na = tpi_robotfile_na(robot, command) != NULL;

    if (has_na && is_possible(wired, command)) {
        return refuse_na(document, command);
    }
    return entry->sort == TPI_SORT_CONTROL || entry->sort == TPI_SORT_RAW ||
                   is_possible(wired, command) || has_na
               ? TP_OK
               : tpi_element_fail(document, document->root,
                                  "no device can do %s; write <na command=\"%s\" why=\"...\"/>",
                                  entry->name, entry->name);
}

/* A device can do something. */
static tp_status judge_part(const tpi_document *document, const tpi_wired *wired, int part)
{
    const tpi_device *device = wired->parts[part].device;
    const tpi_element place = {.name = device->is_group ? "group" : "device", .line = device->line};

    for (int i = 0; i < TPI_COMMANDS; i++) {
        const tpi_way way = tpi_wired_route(wired, (tpi_command)i, part)->way;
        if (way != TPI_WAY_NONE && way != TPI_WAY_ENGINE) {
            return TP_OK;
        }
    }
    return tpi_element_fail(document, &place,
                            "nothing says how \"%.40s\" is used; write <translate command=\"%s\" "
                            "type=\"%.30s\">",
                            device->name, tpi_dictionary_entry(device->base)->name, device->type);
}

/* Every command that no device can do says why, and every device can do something. */
static tp_status check_na(const tpi_robotfile *robot, const tpi_document *document)
{
    tpi_wired *wired = NULL;
    tp_status status = tpi_wired_create(&wired, robot, NULL, 0, NULL, document->err);
    tp_status wrong = TP_OK;

    for (unsigned i = 0; status == TP_OK && i < wired->part_count + TPI_COMMANDS; i++) {
        const tp_status now =
            i < wired->part_count
                ? judge_part(document, wired, (int)i)
                : judge_na(robot, document, wired, (tpi_command)(i - wired->part_count));
        wrong = wrong == TP_OK ? now : wrong;
        status = tpi_document_goes_on(document, now) ? TP_OK : now;
    }
    tpi_wired_destroy(wired);
    return status == TP_OK ? wrong : status;
}

static tp_status run_translation(const tpi_translation *t, const tpi_robotfile *robot,
                                 const tpi_document *document, unsigned *count)
{
    tpi_arena arena = {0};
    tp_status status = TP_OK;

    for (const tpi_element *e = t->element->first; e != NULL && status == TP_OK; e = e->next) {
        tpi_example example;
        if (strcmp(e->name, "example") != 0) {
            continue;
        }
        status = tpi_example_read(&example, document, &arena, e);
        if (status == TP_OK) {
            status = tpi_example_run(robot, t, &example, document);
            ++*count;
        }
    }
    tpi_arena_fini(&arena);
    return status;
}

tp_status tpi_examples_run(const tpi_robotfile *robot, unsigned *count, tp_error *err)
{
    return tpi_examples_run_all(robot, count, NULL, err);
}

tp_status tpi_examples_run_all(const tpi_robotfile *robot, unsigned *count, tpi_mistakes *mistakes,
                               tp_error *err)
{
    const tpi_document document = {.path = robot->document.path,
                                   .root = robot->document.root,
                                   .err = err,
                                   .mistakes = mistakes};
    tp_status status = TP_OK;

    *count = 0;
    for (unsigned i = 0; i < robot->translation_count; i++) {
        const tp_status now = run_translation(&robot->translations[i], robot, &document, count);
        status = status == TP_OK ? now : status;
        if (!tpi_document_goes_on(&document, now)) {
            return now;
        }
    }
    const tp_status na = status == TP_OK || mistakes != NULL ? check_na(robot, &document) : TP_OK;
    return status == TP_OK ? na : status;
}
