/*
 * property.c - properties of devices: what drivers declare, clients list, read and set.
 *
 * They belong to the instance: its own code and the questions of clients run one at a time.
 */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "device/answers.h"
#include "device/inside.h"

enum { MOST_TEXT = 4096, MOST_KEY = 64 };

struct property {
    const tp_property_plan *plan; /* borrowed */
    double number;
    char *text; /* owned; of text properties only */
};

/* What a client has to ask with. */
static const struct {
    const char *what;
    const char *get;
    const char *set;
} types[] = {
    [TP_PROPERTY_BOOL] = {"yes or no", "GET_BOOLPROP", "SET_BOOLPROP"},
    [TP_PROPERTY_INT] = {"a whole number", "GET_INTPROP", "SET_INTPROP"},
    [TP_PROPERTY_DOUBLE] = {"a number", "GET_DBLPROP", "SET_DBLPROP"},
    [TP_PROPERTY_STRING] = {"a text", "GET_STRPROP", "SET_STRPROP"},
};

static char *chars(const char *text)
{
    return (char *)(uintptr_t)(text == NULL ? "" : text);
}

/* A copy with a NUL behind it; NULL if memory ran out. */
static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);

    if (copy != NULL) {
        memcpy(copy, length == 0 ? "" : text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* ---- Declaring ------------------------------------------------------------------------------- */

static struct property *find(const tp_device *device, const char *key)
{
    for (uint32_t i = 0; i < device->properties.count; i++) {
        if (strcmp(device->properties.all[i].plan->key, key) == 0) {
            return &device->properties.all[i];
        }
    }
    return NULL;
}

static bool fits(tp_property_type type, double number)
{
    switch (type) {
    case TP_PROPERTY_BOOL:
        return number == 0 || number == 1;
    case TP_PROPERTY_INT:
        return number >= INT32_MIN && number <= INT32_MAX && number == trunc(number);
    default:
        return !isnan(number);
    }
}

static bool read_first(const tp_property_plan *plan, double *number)
{
    const char *text = plan->value == NULL ? "0" : plan->value;
    const size_t length = strlen(text);

    if (plan->type == TP_PROPERTY_BOOL && strcmp(text, "yes") == 0) {
        *number = 1;
        return true;
    }
    if (plan->type == TP_PROPERTY_BOOL && strcmp(text, "no") == 0) {
        *number = 0;
        return true;
    }
    return length > 0 && tpi_number_read_f64(text, length, number) == length &&
           fits(plan->type, *number);
}

/* One place more in both arrays; the old ones stay if there is no memory. */
static bool make_room(tp_device *device)
{
    const size_t count = device->properties.count + 1;
    struct property *properties = realloc(device->properties.all, count * sizeof *properties);

    device->properties.all = properties == NULL ? device->properties.all : properties;
    tp_property *list = realloc(device->properties.list, count * sizeof *list);
    device->properties.list = list == NULL ? device->properties.list : list;
    return properties != NULL && list != NULL;
}

static tp_status check_plan(const tp_device *device, const tp_property_plan *plan, double *number,
                            tp_error *err)
{
    const size_t length = strlen(chars(plan->key));

    if (length == 0 || length >= MOST_KEY || find(device, plan->key) != NULL) {
        return tp_fail(err, TP_E_INVALID, "%s: \"%s\" is no name for one more property",
                       device->name, chars(plan->key));
    }
    if (plan->type < TP_PROPERTY_BOOL || plan->type > TP_PROPERTY_STRING) {
        return tp_fail(err, TP_E_INVALID, "%s: the property \"%s\" has no type", device->name,
                       plan->key);
    }
    if (plan->type != TP_PROPERTY_STRING && !read_first(plan, number)) {
        return tp_fail(err, TP_E_INVALID, "%s: the property \"%s\" is %s, not \"%s\"", device->name,
                       plan->key, types[plan->type].what, chars(plan->value));
    }
    return TP_OK;
}

tp_status tp_device_add_property(tp_device *device, const tp_property_plan *plan, tp_error *err)
{
    assert(device_is_current(device));
    struct property new = {.plan = plan};
    tp_status status = check_plan(device, plan, &new.number, err);

    if (status != TP_OK) {
        return status;
    }
    if (plan->type == TP_PROPERTY_STRING) {
        new.text = copy_text(chars(plan->value), strlen(chars(plan->value)));
    }
    if ((plan->type == TP_PROPERTY_STRING && new.text == NULL) || !make_room(device)) {
        free(new.text);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    device->properties.all[device->properties.count] = new;
    device->properties.list[device->properties.count] =
        (tp_property){.type = (uint8_t)plan->type,
                      .writable = plan->writable,
                      .key_count = (uint32_t)strlen(plan->key) + 1,
                      .key = chars(plan->key),
                      .unit_count = (uint32_t)strlen(chars(plan->unit)) + 1,
                      .unit = chars(plan->unit),
                      .doc_count = (uint32_t)strlen(chars(plan->doc)) + 1,
                      .doc = chars(plan->doc)};
    device->properties.count++;
    return TP_OK;
}

void tp_device_remove_property(tp_device *device, const char *key)
{
    assert(device_is_current(device));
    struct property *property = find(device, key);

    if (property == NULL) {
        return;
    }
    const size_t place = (size_t)(property - device->properties.all);
    const size_t behind = device->properties.count - place - 1;
    free(property->text);
    memmove(property, property + 1, behind * sizeof *property);
    memmove(&device->properties.list[place], &device->properties.list[place + 1],
            behind * sizeof *device->properties.list);
    device->properties.count--;
}

void tpi_properties_clear(tp_device *device)
{
    for (uint32_t i = 0; i < device->properties.count; i++) {
        free(device->properties.all[i].text);
    }
    free(device->properties.all);
    free(device->properties.list);
    free(device->properties.label);
}

/* ---- For the driver -------------------------------------------------------------------------- */

tp_status tp_device_set_label(tp_device *device, const char *label, tp_error *err)
{
    const size_t size = strlen(label) + 1;
    char *copy = malloc(size);

    if (copy == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    memcpy(copy, label, size);
    free(device->properties.label);
    device->properties.label = copy;
    return TP_OK;
}

const char *tp_device_property_text(const tp_device *device, const char *key)
{
    const struct property *property = find(device, key);

    return property == NULL || property->text == NULL ? "" : property->text;
}

double tp_device_property_number(const tp_device *device, const char *key)
{
    const struct property *property = find(device, key);

    return property == NULL ? 0 : property->number;
}

static tp_status keep_text(struct property *property, const char *text)
{
    char *copy = copy_text(text, strlen(text));

    if (copy == NULL) {
        return TP_E_NOMEM;
    }
    free(property->text);
    property->text = copy;
    return TP_OK;
}

tp_status tp_device_set_property_text(tp_device *device, const char *key, const char *text)
{
    struct property *property = find(device, key);

    if (property == NULL) {
        return TP_E_UNKNOWN;
    }
    return property->plan->type == TP_PROPERTY_STRING ? keep_text(property, text) : TP_E_INVALID;
}

tp_status tp_device_set_property_number(tp_device *device, const char *key, double number)
{
    struct property *property = find(device, key);

    if (property == NULL) {
        return TP_E_UNKNOWN;
    }
    if (property->plan->type == TP_PROPERTY_STRING || !fits(property->plan->type, number)) {
        return TP_E_INVALID;
    }
    property->number = number;
    return TP_OK;
}

/* ---- For clients ----------------------------------------------------------------------------- */

/* Which property a question is about, and what it says. */
struct question {
    const char *key; /* counted */
    uint32_t key_count;
    tp_property_type type; /* 0 for any number, or yes or no */
    bool sets;
    double number;
    const char *text; /* counted */
    uint32_t text_count;
};

/* Without the NULs at its end. */
static size_t length_of(const char *text, uint32_t count)
{
    const char *end = count == 0 ? NULL : memchr(text, '\0', count);

    return end == NULL ? count : (size_t)(end - text);
}

static struct question read_question(const tp_message *what, const void *ask)
{
    const tp_boolprop_req *yes = ask;
    const tp_intprop_req *whole = ask;
    const tp_dblprop_req *real = ask;
    const tp_strprop_req *text = ask;

    switch (what->code) {
    case TP_COMMON_REQ_GET_BOOLPROP:
    case TP_COMMON_REQ_SET_BOOLPROP:
        return (struct question){yes->key, yes->key_count, TP_PROPERTY_BOOL,
                                 what->code == TP_COMMON_REQ_SET_BOOLPROP, yes->value != 0};
    case TP_COMMON_REQ_GET_INTPROP:
    case TP_COMMON_REQ_SET_INTPROP:
        return (struct question){whole->key, whole->key_count, TP_PROPERTY_INT,
                                 what->code == TP_COMMON_REQ_SET_INTPROP, whole->value};
    case TP_COMMON_REQ_GET_DBLPROP:
    case TP_COMMON_REQ_SET_DBLPROP:
        return (struct question){real->key, real->key_count, TP_PROPERTY_DOUBLE,
                                 what->code == TP_COMMON_REQ_SET_DBLPROP, real->value};
    default:
        return (struct question){
            text->key, text->key_count, TP_PROPERTY_STRING, what->code == TP_COMMON_REQ_SET_STRPROP,
            0,         text->value,     text->value_count};
    }
}

static tp_status unknown(const tp_device *device, const char *key, tp_error *err)
{
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, key);
    for (uint32_t i = 0; i < device->properties.count; i++) {
        tpi_nearest_offer(&nearest, device->properties.all[i].plan->key);
    }
    return tp_fail(err, TP_E_UNKNOWN, "there is no property \"%s\"%s", key,
                   tpi_nearest_hint(&nearest, hint, sizeof hint));
}

/* The property that is meant, if it can be asked for in this way. */
static tp_status choose(const tp_device *device, const struct question *q, struct property **out,
                        tp_error *err)
{
    char key[MOST_KEY];
    const size_t length = length_of(q->key, q->key_count);

    if (length >= sizeof key) {
        return tp_fail(err, TP_E_UNKNOWN, "no property has a name of %zu characters", length);
    }
    memcpy(key, length == 0 ? "" : q->key, length);
    key[length] = '\0';
    *out = find(device, key);
    if (*out == NULL) {
        return unknown(device, key, err);
    }
    const tp_property_plan *plan = (*out)->plan;
    if (q->type == 0 ? plan->type == TP_PROPERTY_STRING : plan->type != q->type) {
        return tp_fail(err, TP_E_INVALID, "the property \"%s\" is %s: use %s", key,
                       types[plan->type].what,
                       q->sets ? types[plan->type].set : types[plan->type].get);
    }
    return q->sets && !plan->writable
               ? tp_fail(err, TP_E_DENIED, "the property \"%s\" cannot be set", key)
               : TP_OK;
}

static tp_status set_text(tp_device *device, struct property *property, const struct question *q,
                          tp_error *err)
{
    const tp_property_plan *plan = property->plan;
    const size_t length = length_of(q->text, q->text_count);

    if (length >= MOST_TEXT) {
        return tp_fail(err, TP_E_LIMIT, "the text for \"%s\" has more than %d characters",
                       plan->key, MOST_TEXT - 1);
    }
    char *text = copy_text(q->text, length);
    if (text == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_status status = plan->set == NULL ? TP_OK : plan->set(device, plan->key, text, 0, err);
    if (status != TP_OK) {
        free(text);
        return status;
    }
    free(property->text);
    property->text = text;
    return TP_OK;
}

static tp_status set(tp_device *device, struct property *property, const struct question *q,
                     tp_error *err)
{
    const tp_property_plan *plan = property->plan;

    if (q->type == TP_PROPERTY_STRING) {
        return set_text(device, property, q, err);
    }
    if (!fits(q->type, q->number)) {
        return tp_fail(err, TP_E_RANGE, "the property \"%s\" is %s", plan->key,
                       types[q->type].what);
    }
    tp_status status = plan->set == NULL ? TP_OK : plan->set(device, plan->key, "", q->number, err);
    if (status == TP_OK) {
        property->number = q->number;
    }
    return status;
}

/* No other question is answered between the test and the change. */
static tp_status test_and_set(tp_device *device, const tp_test_and_set *ask,
                              tp_test_and_set *answer, tp_error *err)
{
    struct question q = {.key = ask->key, .key_count = ask->key_count, .sets = true};
    struct property *property = NULL;
    tp_status status = choose(device, &q, &property, err);

    if (status != TP_OK) {
        return status;
    }
    q.type = property->plan->type;
    q.number = ask->value;
    *answer = *ask; /* the answer repeats the key */
    answer->value = property->number;
    return property->number == ask->expected ? set(device, property, &q, err) : TP_OK;
}

/* The answer repeats the key. */
static void get(const struct property *property, const struct question *q, void *answer)
{
    switch (q->type) {
    case TP_PROPERTY_BOOL:
        *(tp_boolprop_req *)answer =
            (tp_boolprop_req){q->key_count, chars(q->key), property->number != 0};
        break;
    case TP_PROPERTY_INT:
        *(tp_intprop_req *)answer =
            (tp_intprop_req){q->key_count, chars(q->key), (int32_t)property->number};
        break;
    case TP_PROPERTY_DOUBLE:
        *(tp_dblprop_req *)answer = (tp_dblprop_req){q->key_count, chars(q->key), property->number};
        break;
    default:
        *(tp_strprop_req *)answer = (tp_strprop_req){
            q->key_count, chars(q->key), (uint32_t)strlen(property->text) + 1, property->text};
    }
}

tp_status tpi_properties_answer(tp_device *device, const tp_message *what, const void *ask,
                                void *answer, tp_error *err)
{
    struct property *property = NULL;

    if (what->code == TP_COMMON_REQ_GET_PROPERTIES) {
        *(tp_property_list *)answer =
            (tp_property_list){device->properties.count, device->properties.list};
        return TP_OK;
    }
    if (what->code == TP_COMMON_REQ_TEST_AND_SET) {
        return test_and_set(device, ask, answer, err);
    }
    const struct question q = read_question(what, ask);
    tp_status status = choose(device, &q, &property, err);
    if (status != TP_OK) {
        return status;
    }
    if (q.sets) {
        return set(device, property, &q, err);
    }
    get(property, &q, answer);
    return TP_OK;
}

/* ---- What there is --------------------------------------------------------------------------- */

bool tpi_properties_own(const tp_message *what)
{
    return what->kind == TP_KIND_REQUEST &&
           (what->code == TP_COMMON_REQ_GET_PROPERTIES ||
            what->code == TP_COMMON_REQ_TEST_AND_SET ||
            (what->code >= TP_COMMON_REQ_SET_BOOLPROP && what->code <= TP_COMMON_REQ_GET_INTPROP));
}

static bool can_use(const tp_property_plan *plan, const tp_message *what)
{
    if (what->code == TP_COMMON_REQ_TEST_AND_SET) {
        return plan->writable && plan->type != TP_PROPERTY_STRING;
    }
    return strcmp(what->name, types[plan->type].get) == 0 ||
           (plan->writable && strcmp(what->name, types[plan->type].set) == 0);
}

bool tpi_properties_can(const tp_device *device, const tp_message *what)
{
    if (what->code == TP_COMMON_REQ_GET_PROPERTIES) {
        return true;
    }
    for (uint32_t i = 0; i < device->properties.count; i++) {
        if (can_use(device->properties.all[i].plan, what)) {
            return true;
        }
    }
    return false;
}

bool tpi_properties_exist(const tp_device *device)
{
    return device->properties.count > 0;
}

const char *tpi_properties_label(const tp_device *device)
{
    const char *named = device->instance->blueprint.robot_name;
    const char *label = device->properties.label;

    return named != NULL ? named : label != NULL ? label : "";
}
