/*
 * property.c - properties of devices as text, whatever their type.
 *
 * Servers of ours list the properties of a device with their types. Player servers do not: there
 * all kinds are tried one after the other.
 */
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "client/inside.h"

/* The kinds of properties, in the order in which they are tried. */
static const struct kind {
    tp_property_type type;
    unsigned get;
    unsigned set;
} kinds[] = {
    {TP_PROPERTY_INT, TP_COMMON_REQ_GET_INTPROP, TP_COMMON_REQ_SET_INTPROP},
    {TP_PROPERTY_DOUBLE, TP_COMMON_REQ_GET_DBLPROP, TP_COMMON_REQ_SET_DBLPROP},
    {TP_PROPERTY_BOOL, TP_COMMON_REQ_GET_BOOLPROP, TP_COMMON_REQ_SET_BOOLPROP},
    {TP_PROPERTY_STRING, TP_COMMON_REQ_GET_STRPROP, TP_COMMON_REQ_SET_STRPROP},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The body of each kind begins with the key. */
union body {
    tp_intprop_req whole;
    tp_dblprop_req number;
    tp_boolprop_req truth;
    tp_strprop_req text;
};

/* A literal where a message has a pointer that nobody writes through. */
static char *borrowed(const char *text)
{
    return (char *)(uintptr_t)text;
}

static void set_key(union body *body, tp_property_type type, char *key)
{
    const uint32_t count = (uint32_t)strlen(key) + 1;

    memset(body, 0, sizeof *body);
    switch (type) {
    case TP_PROPERTY_INT:
        body->whole = (tp_intprop_req){.key_count = count, .key = key};
        break;
    case TP_PROPERTY_DOUBLE:
        body->number = (tp_dblprop_req){.key_count = count, .key = key};
        break;
    case TP_PROPERTY_BOOL:
        body->truth = (tp_boolprop_req){.key_count = count, .key = key};
        break;
    case TP_PROPERTY_STRING:
        body->text = (tp_strprop_req){.key_count = count, .key = key};
        break;
    }
}

/* ---- Which kind it is ------------------------------------------------------------------------ */

enum { NAMES_SIZE = 128, NAME_SIZE = 64 };

static bool has_name(const tp_property *property)
{
    return property->key_count > 1 && property->key_count <= NAME_SIZE &&
           property->key[property->key_count - 1] == '\0';
}

/* "; it has rate, noise", as far as there is room; nothing if there are none. */
static void put_names(const tp_property_list *list, char out[NAMES_SIZE])
{
    size_t length = 0;

    for (uint32_t i = 0; i < list->properties_count; i++) {
        const tp_property *property = &list->properties[i];
        if (has_name(property) && length + NAME_SIZE + 8 < NAMES_SIZE) {
            length += (size_t)snprintf(out + length, NAMES_SIZE - length, "%s%s",
                                       length == 0 ? "; it has " : ", ", property->key);
        }
    }
}

/* What was meant, or else what there is. `list` is NULL if the device has not told. */
static const char *advise(const char *key, const tp_property_list *list, char out[NAMES_SIZE])
{
    tpi_nearest nearest;

    out[0] = '\0';
    if (list == NULL) {
        return out;
    }
    tpi_nearest_init(&nearest, key);
    for (uint32_t i = 0; i < list->properties_count; i++) {
        if (has_name(&list->properties[i])) {
            tpi_nearest_offer(&nearest, list->properties[i].key);
        }
    }
    tpi_nearest_hint(&nearest, out, NAMES_SIZE);
    if (out[0] == '\0') {
        put_names(list, out);
    }
    return out;
}

static tp_status fail_unknown(const tp_proxy *proxy, const char *key, const tp_property_list *list,
                              tp_error *err)
{
    char advice[NAMES_SIZE];

    return tp_fail(err, TP_E_UNKNOWN, "%s has no property \"%s\"%s", proxy->name, key,
                   advise(key, list, advice));
}

static bool is_key(const tp_property *property, const char *key)
{
    return property->key_count == strlen(key) + 1 &&
           memcmp(property->key, key, property->key_count) == 0;
}

/* The kind by the server's list; NULL for one that it does not have. */
static const struct kind *find_kind(const tp_property_list *list, const char *key)
{
    for (uint32_t i = 0; i < list->properties_count; i++) {
        for (size_t k = 0; k < KINDS && is_key(&list->properties[i], key); k++) {
            if (kinds[k].type == list->properties[i].type) {
                return &kinds[k];
            }
        }
    }
    return NULL;
}

/* `err` is the error if no such name exists. */
static tp_status find_listed(tp_proxy *proxy, const char *key, const struct kind **out,
                             tp_error *err)
{
    const void *answer = NULL;
    tp_status status = tp_proxy_request(proxy, TP_COMMON_REQ_GET_PROPERTIES, NULL, &answer, err);

    *out = status == TP_OK ? find_kind(answer, key) : NULL;
    if (status == TP_OK && *out == NULL) {
        fail_unknown(proxy, key, answer, err);
    }
    return status;
}

/* Whether a refusal only means that there is no such property of this kind. */
static bool is_refusal(tp_status status)
{
    return status != TP_OK && status != TP_E_CLOSED && status != TP_E_TIMEOUT &&
           status != TP_E_INTERRUPTED && status != TP_E_NOMEM;
}

static tp_status read_as(tp_proxy *proxy, const struct kind *kind, char *key, const void **answer,
                         tp_error *err)
{
    union body body;

    set_key(&body, kind->type, key);
    return tp_proxy_request(proxy, kind->get, &body, answer, err);
}

/* Try all kinds; `answer` is that of the one that fits. */
static tp_status try_kinds(tp_proxy *proxy, char *key, const struct kind **out, const void **answer,
                           tp_error *err)
{
    tp_error refusal;

    for (size_t i = 0; i < KINDS; i++) {
        tp_status status = read_as(proxy, &kinds[i], key, answer, &refusal);
        if (status == TP_OK) {
            *out = &kinds[i];
            return TP_OK;
        }
        if (!is_refusal(status)) {
            return tp_fail(err, status, "%s", refusal.text);
        }
    }
    return fail_unknown(proxy, key, NULL, err);
}

static tp_status read_any(tp_proxy *proxy, char *key, const struct kind **kind, const void **answer,
                          tp_error *err)
{
    tp_status status = tpi_client_may_wait(proxy->client, proxy->name, err);
    tp_error refusal;

    if (status != TP_OK) {
        return status;
    }
    status = proxy->client->troupe ? find_listed(proxy, key, kind, &refusal) : TP_E_UNSUPPORTED;
    if (is_refusal(status)) {
        return try_kinds(proxy, key, kind, answer, err);
    }
    if (status != TP_OK) {
        return tp_fail(err, status, "%s", refusal.text);
    }
    return *kind == NULL ? tp_fail(err, refusal.code, "%s", refusal.text)
                         : read_as(proxy, *kind, key, answer, err);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static char *value_text(const struct kind *kind, const void *answer)
{
    char number[TPI_NUMBER_SIZE] = "";
    const char *text = number;
    size_t length = 0;

    switch (kind->type) {
    case TP_PROPERTY_INT:
        length = (size_t)snprintf(number, sizeof number, "%d",
                                  (int)((const tp_intprop_req *)answer)->value);
        break;
    case TP_PROPERTY_DOUBLE:
        length = tpi_number_put_f64(number, ((const tp_dblprop_req *)answer)->value);
        break;
    case TP_PROPERTY_BOOL:
        text = ((const tp_boolprop_req *)answer)->value != 0 ? "yes" : "no";
        length = strlen(text);
        break;
    case TP_PROPERTY_STRING: {
        const tp_strprop_req *string = answer;
        const char *end =
            string->value_count > 0 ? memchr(string->value, '\0', string->value_count) : NULL;
        text = string->value;
        length = end != NULL ? (size_t)(end - text) : string->value_count;
        break;
    }
    }
    char *out = malloc(length + 1);
    if (out != NULL) {
        memcpy(out, length > 0 ? text : "", length);
        out[length] = '\0';
    }
    return out;
}

static bool read_truth(const char *text, char *out)
{
    static const char *const words[] = {"no", "yes", "false", "true", "0", "1"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = (char)(i % 2);
            return true;
        }
    }
    return false;
}

/* Put the text into the body; what was expected if it does not fit. */
static const char *set_value(union body *body, tp_property_type type, char *text)
{
    const size_t length = strlen(text);
    int64_t whole;

    switch (type) {
    case TP_PROPERTY_INT:
        if (!tpi_number_read_i64(text, length, &whole) || whole < INT32_MIN || whole > INT32_MAX) {
            return "a whole number";
        }
        body->whole.value = (int32_t)whole;
        break;
    case TP_PROPERTY_DOUBLE:
        if (length == 0 || tpi_number_read_f64(text, length, &body->number.value) != length) {
            return "a number";
        }
        break;
    case TP_PROPERTY_BOOL:
        if (!read_truth(text, &body->truth.value)) {
            return "yes or no";
        }
        break;
    case TP_PROPERTY_STRING:
        body->text.value_count = (uint32_t)length + 1;
        body->text.value = text;
        break;
    }
    return NULL;
}

/* ---- Without waiting ------------------------------------------------------------------------- */

static void ask_kind(tpi_reading *reading);

static void is_unknown(tpi_reading *reading, const tp_property_list *list)
{
    tp_error err = {0};

    fail_unknown(reading->proxy, reading->key, list, &err);
    reading->done(reading, err.code, NULL, err.text);
}

static void try_next(tpi_reading *reading, tp_status status, const char *why)
{
    if (reading->listed || !is_refusal(status)) {
        reading->done(reading, status, NULL, why);
    } else if (++reading->kind < KINDS) {
        ask_kind(reading);
    } else {
        is_unknown(reading, NULL);
    }
}

static void on_value(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                     const char *why)
{
    tpi_reading *reading = context;

    (void)proxy;
    if (status == TP_OK && answer != NULL) {
        reading->done(reading, TP_OK, tp_msg_payload(answer), NULL);
    } else {
        try_next(reading, status == TP_OK ? TP_E_SHORT : status,
                 status == TP_OK ? tp_status_text(TP_E_SHORT) : why);
    }
}

static void ask_kind(tpi_reading *reading)
{
    const struct kind *kind = &kinds[reading->kind];
    union body body;
    tp_error err = {0};

    set_key(&body, kind->type, borrowed(reading->key));
    const tp_status status =
        tp_proxy_request_later(reading->proxy, kind->get, &body, 0, on_value, reading, &err);
    if (status != TP_OK) {
        try_next(reading, status, err.text);
    }
}

static void on_list(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                    const char *why)
{
    tpi_reading *reading = context;
    const struct kind *kind = NULL;

    (void)proxy;
    if (status != TP_OK && !is_refusal(status)) {
        reading->done(reading, status, NULL, why);
        return;
    }
    reading->listed = status == TP_OK && answer != NULL;
    if (reading->listed && (kind = find_kind(tp_msg_payload(answer), reading->key)) == NULL) {
        is_unknown(reading, tp_msg_payload(answer));
        return;
    }
    reading->kind = kind != NULL ? (size_t)(kind - kinds) : 0;
    ask_kind(reading);
}

void tpi_property_read(tpi_reading *reading)
{
    tp_error err = {0};

    reading->kind = 0;
    reading->listed = false;
    if (!reading->proxy->client->troupe ||
        tp_proxy_request_later(reading->proxy, TP_COMMON_REQ_GET_PROPERTIES, NULL, 0, on_list,
                               reading, &err) != TP_OK) {
        ask_kind(reading);
    }
}

char *tpi_property_text(const tpi_reading *reading, const void *answer)
{
    return value_text(&kinds[reading->kind], answer);
}

/* ---- For the program ------------------------------------------------------------------------- */

tp_status tp_proxy_get_property(tp_proxy *proxy, const char *key, char **value, tp_error *err)
{
    const struct kind *kind = NULL;
    const void *answer = NULL;
    tp_status status = read_any(proxy, borrowed(key), &kind, &answer, err);

    if (status != TP_OK) {
        return status;
    }
    assert(kind != NULL && answer != NULL);
    *value = value_text(kind, answer);
    return *value != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "%s: out of memory", proxy->name);
}

tp_status tp_proxy_set_property(tp_proxy *proxy, const char *key, const char *value, tp_error *err)
{
    const struct kind *kind = NULL;
    const void *answer = NULL;
    union body body;
    tp_status status = read_any(proxy, borrowed(key), &kind, &answer, err);

    if (status != TP_OK) {
        return status;
    }
    assert(kind != NULL);
    set_key(&body, kind->type, borrowed(key));
    const char *expected = set_value(&body, kind->type, borrowed(value));
    if (expected != NULL) {
        return tp_fail(err, TP_E_SYNTAX, "%s: property \"%s\" is %s, not \"%s\"", proxy->name, key,
                       expected, value);
    }
    return tp_proxy_request(proxy, kind->set, &body, NULL, err);
}
