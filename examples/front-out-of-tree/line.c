/* line.c - see line.h. */
#include "line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading --------------------------------------------------------------------------------- */

/* What is left of a line. */
struct reader {
    const char *at;
    const char *end;
};

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && strchr(" \t\r", *r->at) != NULL && *r->at != '\0') {
        r->at++;
    }
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (r->at < r->end && *r->at == c) {
        r->at++;
        return true;
    }
    return false;
}

/* A string with its quotes; its escapes are not looked at. */
static bool take_string(struct reader *r, struct slice *out)
{
    skip_blanks(r);
    out->text = r->at;
    if (!take(r, '"')) {
        return false;
    }
    while (r->at < r->end && *r->at != '"') {
        r->at += *r->at == '\\' && r->end - r->at > 1 ? 2 : 1;
    }
    if (!take(r, '"')) {
        return false;
    }
    out->length = (size_t)(r->at - out->text);
    return true;
}

/* An object or array, with all that is in it. tp_value_from_json() judges it. */
static bool take_nested(struct reader *r)
{
    size_t depth = 0;

    do {
        struct slice skipped;
        if (r->at == r->end) {
            return false;
        }
        if (*r->at == '"') {
            if (!take_string(r, &skipped)) {
                return false;
            }
            continue;
        }
        depth += *r->at == '{' || *r->at == '[';
        depth -= *r->at == '}' || *r->at == ']';
        r->at++;
    } while (depth > 0);
    return true;
}

static bool take_value(struct reader *r, struct slice *out)
{
    skip_blanks(r);
    out->text = r->at;
    if (r->at == r->end) {
        return false;
    }
    if (*r->at == '"') {
        return take_string(r, out);
    }
    if (*r->at == '{' || *r->at == '[') {
        if (!take_nested(r)) {
            return false;
        }
    } else {
        while (r->at < r->end && strchr(",} \t\r", *r->at) == NULL) {
            r->at++;
        }
    }
    out->length = (size_t)(r->at - out->text);
    return out->length > 0;
}

/* The text between the quotes. */
static bool read_text(const struct slice *value, struct slice *out)
{
    if (value->text[0] != '"' || memchr(value->text, '\\', value->length) != NULL) {
        return false;
    }
    *out = (struct slice){value->text + 1, value->length - 2};
    return true;
}

static bool read_number(const struct slice *value, uint32_t *out)
{
    uint64_t number = 0;

    for (size_t i = 0; i < value->length; i++) {
        if (value->text[i] < '0' || value->text[i] > '9' || number > UINT32_MAX / 10) {
            return false;
        }
        number = number * 10 + (uint64_t)(value->text[i] - '0');
    }
    *out = (uint32_t)number;
    return value->length > 0 && number <= UINT32_MAX;
}

bool jsonlines_is(const struct slice *slice, const char *word)
{
    return slice->text != NULL && slice->length == strlen(word) &&
           memcmp(slice->text, word, slice->length) == 0;
}

/* One member, whose name has its quotes. */
static tp_status keep_member(struct line *out, const struct slice *name, const struct slice *value,
                             tp_error *err)
{
    const struct {
        const char *name;
        struct slice *text;
        uint32_t *number;
    } members[] = {
        {"\"op\"", &out->op, NULL},           {"\"device\"", &out->device, NULL},
        {"\"message\"", &out->message, NULL}, {"\"key\"", &out->key, NULL},
        {"\"why\"", &out->why, NULL},         {"\"id\"", NULL, &out->id},
        {"\"first\"", NULL, &out->first},
    };

    if (jsonlines_is(name, "\"value\"")) {
        out->value = *value;
        return TP_OK;
    }
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (jsonlines_is(name, members[i].name)) {
            const bool right = members[i].text != NULL ? read_text(value, members[i].text)
                                                       : read_number(value, members[i].number);
            return right ? TP_OK
                         : tp_fail(err, TP_E_INVALID, "%s is %s", members[i].name,
                                   members[i].text != NULL ? "a text without escapes"
                                                           : "a whole number");
        }
    }
    return tp_fail(err, TP_E_INVALID, "there is no member %.*s",
                   name->length < 40 ? (int)name->length : 40, name->text);
}

tp_status jsonlines_read(struct line *out, const char *text, size_t length, tp_error *err)
{
    struct reader r = {text, text + length};
    tp_status status = TP_OK;
    bool first = true;

    *out = (struct line){.id = 0};
    if (!take(&r, '{')) {
        return tp_fail(err, TP_E_SYNTAX, "a line is an object: {\"op\":...}");
    }
    while (status == TP_OK && !take(&r, '}')) {
        struct slice name;
        struct slice value;
        if ((!first && !take(&r, ',')) || !take_string(&r, &name) || !take(&r, ':') ||
            !take_value(&r, &value)) {
            return tp_fail(err, TP_E_SYNTAX, "this is no JSON from character %zu on",
                           (size_t)(r.at - text) + 1);
        }
        first = false;
        status = keep_member(out, &name, &value, err);
    }
    skip_blanks(&r);
    if (status == TP_OK && r.at != r.end) {
        return tp_fail(err, TP_E_SYNTAX, "something stands behind the object");
    }
    return status;
}

bool jsonlines_address(const struct slice *device, const tp_catalogue *catalogue, tp_devaddr *out)
{
    char text[80];
    char name[64];
    unsigned robot;
    unsigned index;
    unsigned code;
    int end = -1;

    if (device->text == NULL || device->length >= sizeof text) {
        return false;
    }
    memcpy(text, device->text, device->length);
    text[device->length] = '\0';
    if (sscanf(text, "%5u:%63[^:]:%5u%n", &robot, name, &index, &end) != 3 || text[end] != '\0') {
        return false;
    }
    const tp_interface *interface = tp_catalogue_named(catalogue, name);
    if (interface == NULL && sscanf(name, "%5u", &code) == 1) {
        interface = tp_catalogue_code(catalogue, code);
    }
    if (interface == NULL || index > UINT16_MAX) {
        return false;
    }
    *out = (tp_devaddr){.robot = robot, .interf = interface->code, .index = (uint16_t)index};
    return true;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static const char *type_name(unsigned type)
{
    switch (type) {
    case TP_MSGTYPE_DATA:
        return "data";
    case TP_MSGTYPE_RESP_ACK:
        return "reply";
    case TP_MSGTYPE_RESP_NACK:
        return "error";
    default:
        return "other";
    }
}

static tp_status body_text(char **out, const tp_struct *type, const void *value)
{
    *out = NULL;
    return value == NULL ? TP_OK : tp_value_text(out, type, value, TP_TEXT_JSON);
}

/* All but the body is shorter than this. */
enum { LONGEST_HEAD = 256 };

static tp_status line_size(const tp_msghdr *header, const tp_struct *type, const void *value,
                           size_t *size)
{
    char *body;
    const tp_status status = body_text(&body, type, value);

    (void)header;
    *size = LONGEST_HEAD + (body == NULL ? 0 : strlen(body));
    free(body);
    return status;
}

static tp_status line_encode(const tp_msghdr *header, const tp_struct *type, const void *value,
                             void *bytes, size_t capacity, size_t *length)
{
    static const char *const form = "{\"type\":\"%s\",\"device\":\"%lu:%u:%u\",\"code\":%u,"
                                    "\"id\":%lu,\"time\":%.6f,\"value\":%s}\n";
    const tp_devaddr *addr = &header->addr;
    const double time = header->timestamp >= 0 && header->timestamp < 1e12 ? header->timestamp : 0;
    char *body;
    const tp_status status = body_text(&body, type, value);

    if (status == TP_OK) {
        *length = (size_t)snprintf(bytes, capacity, form, type_name(header->type),
                                   (unsigned long)addr->robot, (unsigned)addr->interf,
                                   (unsigned)addr->index, (unsigned)header->subtype,
                                   (unsigned long)header->seq, time, body == NULL ? "null" : body);
    }
    free(body);
    return status;
}

const tp_encoding jsonlines_encoding = {
    .name = "jsonlines", .size = line_size, .encode = line_encode};
