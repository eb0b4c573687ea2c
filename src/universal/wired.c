/* wired.c - the parts of a robot and wiring files; see wired.h. */
#include "universal/wired.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- Parts ---- */

tp_status tpi_wired_add(tpi_wired *wired, const tpi_device *device, int slot, tp_error *err)
{
    tpi_part *part = &wired->parts[wired->part_count];

    if (wired->part_count == TPI_MOST_PARTS) {
        return tp_fail(err, TP_E_LIMIT, "over %d devices", TPI_MOST_PARTS);
    }
    *part = (tpi_part){.device = device,
                       .slot = slot,
                       .id = slot >= 0 ? (unsigned)slot : device->id,
                       .threshold = device->threshold,
                       .hysteresis = device->hysteresis,
                       .left = -1,
                       .right = -1};
    memcpy(part->numbers, device->numbers, sizeof part->numbers);
    part->numbers[TPI_NUMBER_SLOT] = slot;
    part->numbers[TPI_NUMBER_ID] = part->id;
    wired->part_count++;
    return TP_OK;
}

int tpi_wired_part(const tpi_wired *wired, const char *name, int slot)
{
    for (unsigned i = 0; i < wired->part_count; i++) {
        if (tpi_word_equal(wired->parts[i].device->name, name) &&
            (slot < 0 || wired->parts[i].slot == slot)) {
            return (int)i;
        }
    }
    return -1;
}

const char *tpi_part_place(const tpi_wired *wired, const tpi_part *part)
{
    return part->slot >= 0 ? wired->robot->rows[part->device->row].labels[part->slot] : "";
}

static bool uses(const tpi_wired *wired, const tpi_part *part, const char *thing)
{
    for (unsigned i = 0; i < TPI_MOST_USES && part->device->uses[i] != NULL; i++) {
        if (tpi_word_equal(part->device->uses[i], thing)) {
            return true;
        }
    }
    return part->slot >= 0 && tpi_word_equal(tpi_part_place(wired, part), thing);
}

/* Whether one of them has something for itself that the other one needs. */
static bool share(const tpi_wired *wired, const tpi_part *p, const tpi_part *q)
{
    bool found = false;

    for (unsigned i = 0; i < TPI_MOST_USES; i++) {
        found = found || (p->device->uses[i] != NULL && uses(wired, q, p->device->uses[i])) ||
                (q->device->uses[i] != NULL && uses(wired, p, q->device->uses[i]));
    }
    return found;
}

/* One part, or two names for what sits in one slot or at one pin. */
static bool is_same(const tpi_wired *wired, int a, int b)
{
    const tpi_part *p = &wired->parts[a], *q = &wired->parts[b];

    return a == b ||
           (p->slot >= 0 && p->slot == q->slot && p->device->row == q->device->row &&
            p->device->is_output == q->device->is_output) ||
           share(wired, p, q);
}

bool tpi_parts_overlap(const tpi_wired *wired, int a, int b)
{
    const tpi_part *p = &wired->parts[a], *q = &wired->parts[b];
    const int left[3] = {a, p->left, p->right}, right[3] = {b, q->left, q->right};

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (left[i] >= 0 && right[j] >= 0 && is_same(wired, left[i], right[j])) {
                return true;
            }
        }
    }
    return false;
}

/* What a class is bound to, with the wheels of groups. */
static int bound_part(const tpi_wired *wired, const char *name)
{
    const tpi_word word = {name, tpi_vocabulary_find(wired->robot->vocabulary, name)};

    for (unsigned i = wired->bound_count; i-- > 0;) {
        if (tpi_word_same(&wired->bound[i].word, &word)) {
            return wired->bound[i].part;
        }
    }
    return tpi_wired_part(wired, name, -1);
}

void tpi_wired_join_groups(tpi_wired *wired)
{
    for (unsigned i = 0; i < wired->part_count; i++) {
        tpi_part *part = &wired->parts[i];
        if (part->device->is_group) {
            part->left = bound_part(wired, part->device->left);
            part->right = bound_part(wired, part->device->right);
            part->numbers[TPI_NUMBER_LEFT] =
                part->left >= 0 ? wired->parts[part->left].slot : (double)NAN;
            part->numbers[TPI_NUMBER_RIGHT] =
                part->right >= 0 ? wired->parts[part->right].slot : (double)NAN;
        }
    }
}

/* A group whose wheels are not there is not there either. */
static void remove_broken_groups(tpi_wired *wired)
{
    unsigned kept = 0;

    tpi_wired_join_groups(wired);
    for (unsigned i = 0; i < wired->part_count; i++) {
        const tpi_part *part = &wired->parts[i];
        if (!part->device->is_group || (part->left >= 0 && part->right >= 0)) {
            wired->parts[kept++] = *part; /* groups stand last, so no index changes */
        }
    }
    wired->part_count = kept;
}

/* ---- The default wiring ---- */

/* Devices first, groups last. Those in a row that the wiring file plugs are left out. */
static tp_status add_defaults(tpi_wired *wired, const bool plugged[TPI_MOST_ROWS], tp_error *err)
{
    const tpi_robotfile *robot = wired->robot;
    tp_status status = TP_OK;

    for (unsigned i = 0; i < robot->device_count && status == TP_OK; i++) {
        const tpi_device *device = &robot->devices[i];
        const bool is_there = device->row < 0 || (device->at >= 0 && !plugged[device->row]);
        if (!device->is_group && is_there) {
            status = tpi_wired_add(wired, device, device->at, err);
        }
    }
    return status;
}

static tp_status add_groups(tpi_wired *wired, tp_error *err)
{
    tp_status status = TP_OK;

    for (unsigned i = 0; i < wired->robot->device_count && status == TP_OK; i++) {
        if (wired->robot->devices[i].is_group) {
            status = tpi_wired_add(wired, &wired->robot->devices[i], -1, err);
        }
    }
    return status;
}

/* ---- Wiring files ---- */

static tp_status read_plug(tpi_wired *wired, const tpi_element *element, bool *plugged, bool add)
{
    static const char *const names[] = {"slot", "device", NULL};
    const tpi_document *document = &wired->document;
    const char *label = tpi_element_need(document, element, "slot");
    const char *name = label != NULL ? tpi_element_need(document, element, "device") : NULL;
    tp_status status = name != NULL ? tpi_element_only(document, element, names) : TP_E_INVALID;
    int row = -1, slot = -1;

    if (status != TP_OK) {
        return status;
    }
    const int device = tpi_robotfile_device(wired->robot, name);
    if (device < 0 || wired->robot->devices[device].row < 0) {
        return tpi_element_fail(document, element,
                                "device=\"%.40s\": the robot %s has no such "
                                "device for a slot",
                                name, wired->robot->identity.name);
    }
    row = wired->robot->devices[device].row;
    if (!tpi_robotfile_slot(wired->robot, label, &row, &slot)) {
        return tpi_element_fail(
            document, element,
            "slot=\"%.30s\": \"%.40s\" does not fit there; labels are \"%s\" ...", label, name,
            wired->robot->rows[row].labels[0]);
    }
    plugged[row] = true;
    for (unsigned i = 0; add && i < wired->part_count; i++) {
        if (wired->parts[i].slot == slot && wired->parts[i].device->row == row) {
            return tpi_element_fail(document, element, "slot=\"%.30s\" has the \"%.40s\" already",
                                    label, wired->parts[i].device->name);
        }
    }
    return add ? tpi_wired_add(wired, &wired->robot->devices[device], slot, document->err) : TP_OK;
}

/* A device of a wiring file: it has a type of the robot file. */
static tp_status read_own(tpi_wired *wired, tpi_document *document, const tpi_element *element,
                          tpi_device *own, unsigned *count)
{
    const tpi_robotfile *robot = wired->robot;

    if (*count == TPI_MOST_OWN) {
        return tpi_element_fail(document, element, "over %d own devices", TPI_MOST_OWN);
    }
    own += *count;
    *own = (tpi_device){0};
    tp_status status = tpi_device_read(own, robot, document, &document->arena, element, -1);
    if (status != TP_OK) {
        return status;
    }
    const tpi_device *like = NULL;
    for (unsigned i = 0; i < robot->device_count; i++) {
        if (like == NULL && tpi_word_equal(robot->devices[i].type, own->type)) {
            like = &robot->devices[i];
        }
        own->id += !own->has_id && tpi_word_equal(robot->devices[i].type, own->type);
    }
    if (like == NULL) {
        return tpi_element_fail(document, element,
                                "type=\"%.40s\": the robot %s has no device of this type",
                                own->type, robot->identity.name);
    }
    own->setup = like->setup;
    own->shutdown = like->shutdown;
    (*count)++;
    return tpi_wired_add(wired, own, own->at, document->err);
}

tp_status tpi_wired_bind(tpi_wired *wired, const char *class, int part, bool by_map, tp_error *err)
{
    if (wired->bound_count == TPI_MOST_BOUND) {
        return tp_fail(err, TP_E_LIMIT, "over %d bound classes", TPI_MOST_BOUND);
    }
    wired->bound[wired->bound_count++] =
        (tpi_bound){{class, tpi_vocabulary_find(wired->robot->vocabulary, class)}, part, by_map};
    return TP_OK;
}

static tp_status read_use(tpi_wired *wired, const tpi_element *element)
{
    static const char *const names[] = {"class", "device", NULL};
    const tpi_document *document = &wired->document;
    const char *class = tpi_element_need(document, element, "class");
    const char *name = class != NULL ? tpi_element_need(document, element, "device") : NULL;
    tp_status status = name != NULL ? tpi_element_only(document, element, names) : TP_E_INVALID;

    if (status != TP_OK) {
        return status;
    }
    const tpi_vocabulary *vocabulary = wired->robot->vocabulary;
    char hint[80];
    if (tpi_vocabulary_find(vocabulary, class) < 0 &&
        tpi_vocabulary_hint(vocabulary, class, hint, sizeof hint)[0] != '\0') {
        return tpi_element_fail(document, element, "\"%.40s\" is no class of classes.xml%s", class,
                                hint);
    }
    const int part = tpi_wired_part(wired, name, -1);
    if (part < 0) {
        return tpi_element_fail(document, element,
                                "device=\"%.40s\" is not there; plug it in or declare it first",
                                name);
    }
    return tpi_wired_bind(wired, class, part, false, document->err);
}

static tp_status read_set(tpi_wired *wired, const tpi_element *element)
{
    static const char *const names[] = {"device", "threshold", "hysteresis", NULL};
    const tpi_document *document = &wired->document;
    const char *name = tpi_element_need(document, element, "device");
    tp_status status = name != NULL ? tpi_element_only(document, element, names) : TP_E_INVALID;

    if (status != TP_OK) {
        return status;
    }
    const int part = tpi_wired_part(wired, name, -1);
    if (part < 0) {
        return tpi_element_fail(document, element, "device=\"%.40s\" is not there", name);
    }
    tpi_part *p = &wired->parts[part];
    status =
        tpi_element_number(document, element, "threshold", 0, 100, p->threshold, &p->threshold);
    return status == TP_OK ? tpi_element_number(document, element, "hysteresis", 0, 50,
                                                p->hysteresis, &p->hysteresis)
                           : status;
}

static tp_status read_root(tpi_wired *wired)
{
    static const char *const names[] = {"version", "robot", "loose", NULL};
    const tpi_document *document = &wired->document;
    const tpi_element *root = document->root;

    if (strcmp(root->name, "wiring") != 0) {
        return tpi_element_fail(document, root,
                                "a wiring file begins with <wiring version=\"1\" "
                                "robot=\"...\">");
    }
    tp_status status = tpi_element_version(document, root);
    if (status == TP_OK) {
        status = tpi_element_only(document, root, names);
    }
    const char *robot = status == TP_OK ? tpi_element_need(document, root, "robot") : NULL;
    if (robot == NULL) {
        return TP_E_INVALID;
    }
    if (strcmp(robot, wired->robot->identity.name) != 0) {
        return tpi_element_fail(document, root, "robot=\"%.40s\": this robot is \"%s\"", robot,
                                wired->robot->identity.name);
    }
    return tpi_element_flag(document, root, "loose", &wired->is_loose);
}

static tp_status read_element(tpi_wired *wired, const tpi_element *e, int pass, bool *plugged)
{
    static const char *const names[] = {"plug", "device", "use", "set", NULL};
    const bool is_plug = strcmp(e->name, "plug") == 0;
    const bool is_own = strcmp(e->name, "device") == 0;

    if (!tpi_text_among(names, e->name)) {
        return tpi_element_unexpected(&wired->document, e, names);
    }
    if (is_plug && pass < 2) {
        return read_plug(wired, e, plugged, pass == 1);
    }
    if (is_own && pass == 1) {
        return read_own(wired, &wired->document, e, wired->own, &wired->own_count);
    }
    if (is_plug || is_own || pass < 2) {
        return TP_OK;
    }
    return strcmp(e->name, "use") == 0 ? read_use(wired, e) : read_set(wired, e);
}

/* First what is there, then what refers to it. */
static tp_status read_elements(tpi_wired *wired, bool *plugged)
{
    tp_status status = TP_OK;

    for (int pass = 0; pass < 3 && status == TP_OK; pass++) {
        for (const tpi_element *e = wired->document.root->first; e != NULL; e = e->next) {
            const tp_status now = read_element(wired, e, pass, plugged);
            status = status == TP_OK ? now : status;
            if (!tpi_document_goes_on(&wired->document, now)) {
                return now;
            }
        }
        if (pass == 0 && status == TP_OK) {
            status = add_defaults(wired, plugged, wired->document.err);
        }
    }
    return status;
}

/* ---- Life ---- */

tp_status tpi_wired_create(tpi_wired **out, const tpi_robotfile *robot, const char *text,
                           size_t length, const char *path, tp_error *err)
{
    return tpi_wired_create_all(out, robot, text, length, path, NULL, err);
}

tp_status tpi_wired_create_all(tpi_wired **out, const tpi_robotfile *robot, const char *text,
                               size_t length, const char *path, tpi_mistakes *mistakes,
                               tp_error *err)
{
    tpi_wired *wired = calloc(1, sizeof *wired);
    bool plugged[TPI_MOST_ROWS] = {false};
    tp_status status = TP_OK;

    if (wired == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    wired->robot = robot;
    wired->document.mistakes = mistakes;
    if (text == NULL) {
        status = add_defaults(wired, plugged, err);
    } else {
        status = tpi_document_read(&wired->document, text, length, path, err);
        if (status == TP_OK) {
            status = read_root(wired);
        }
        if (status == TP_OK) {
            status = read_elements(wired, plugged);
        }
    }
    if (status == TP_OK) {
        status = add_groups(wired, err);
    }
    if (status != TP_OK) {
        tpi_wired_destroy(wired);
        return status;
    }
    wired->document.err = NULL;
    wired->document.mistakes = NULL;
    remove_broken_groups(wired);
    tpi_wired_find_routes(wired);
    *out = wired;
    return TP_OK;
}

void tpi_wired_destroy(tpi_wired *wired)
{
    if (wired != NULL) {
        tpi_document_fini(&wired->document);
        tpi_document_fini(&wired->plugged_in);
        free(wired);
    }
}

/* ---- Plugging in ---- */

static void unplug(tpi_wired *wired)
{
    wired->part_count = wired->fixed_count;
    wired->plugged_count = 0;
    tpi_document_fini(&wired->plugged_in);
    memset(&wired->plugged_in, 0, sizeof wired->plugged_in);
}

static tp_status read_plugged(tpi_wired *wired, const char *text, size_t length, tp_error *err)
{
    tpi_document *document = &wired->plugged_in;
    tp_status status = tpi_document_read(document, text, length, "sensors", err);

    for (const tpi_element *e = status == TP_OK ? document->root->first : NULL;
         e != NULL && status == TP_OK; e = e->next) {
        status = read_own(wired, document, e, wired->plugged, &wired->plugged_count);
    }
    document->err = NULL;
    return status;
}

tp_status tpi_wired_plug_in(tpi_wired *wired, const char *text, size_t length, tp_error *err)
{
    if (wired->fixed_count == 0) {
        wired->fixed_count = wired->part_count;
    }
    unplug(wired);
    const tp_status status = text != NULL ? read_plugged(wired, text, length, err) : TP_OK;
    if (status != TP_OK) {
        unplug(wired);
    }
    tpi_wired_find_routes(wired);
    return status;
}
