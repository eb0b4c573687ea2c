/*
 * json.c - values from JSON; the form is described in docs/reference/json.md, json_write.c writes
 * it.
 *
 * Arrays are built one by one as they come, since JSON tells no lengths in advance; then the whole
 * value moves into one block.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "padi/plan.h"
#include "padi/value.h"

enum { MOST_ELEMENTS = 1 << 26 };

struct reader {
    tpi_json json;
    bool no_memory;
};

/* Where the next value begins. */
static size_t next_value(struct reader *r)
{
    tpi_json_peek(&r->json);
    return r->json.at;
}

static size_t span_at(const struct reader *r, tpi_json_span span)
{
    return (size_t)(span.text - r->json.text);
}

/* A piece of the text as a word of its own, cut if it is long. */
static const char *copy_word(tpi_json_span span, char *out, size_t size)
{
    const size_t length = span.length < size - 1 ? span.length : size - 1;

    memcpy(out, span.text, length);
    out[length] = '\0';
    return out;
}

static bool out_of_memory(struct reader *r)
{
    r->no_memory = true;
    return tpi_json_reject(&r->json, "out of memory");
}

static void store_whole(tp_type type, void *at, int64_t value)
{
    const uint8_t u8 = (uint8_t)value;
    const uint16_t u16 = (uint16_t)value;
    const uint32_t u32 = (uint32_t)value;

    switch (type) {
    case TP_TYPE_U8:
    case TP_TYPE_I8:
    case TP_TYPE_CHAR:
        memcpy(at, &u8, 1);
        break;
    case TP_TYPE_U16:
    case TP_TYPE_I16:
        memcpy(at, &u16, 2);
        break;
    case TP_TYPE_U32:
    case TP_TYPE_I32:
        memcpy(at, &u32, 4);
        break;
    default:
        memcpy(at, &value, 8);
        break;
    }
}

static bool reject_member(struct reader *r, const tp_enum *values, tpi_json_span raw)
{
    tpi_nearest nearest;
    char word[64];
    char hint[96];

    tpi_nearest_init(&nearest, copy_word(raw, word, sizeof word));
    for (uint32_t i = 0; i < values->member_count; i++) {
        tpi_nearest_offer(&nearest, values->members[i].name);
    }
    return tpi_json_reject_at(&r->json, span_at(r, raw) - 1, "\"%.40s\" is none of %s%s", word,
                              values->name, tpi_nearest_hint(&nearest, hint, sizeof hint));
}

/* true and false are good for 1 and 0, names of enums for their values. */
static bool read_word(struct reader *r, const tp_field *field, int64_t *value)
{
    tpi_json_span raw;
    bool yes = false;

    if (tpi_json_peek(&r->json) == TPI_JSON_BOOL) {
        if (!tpi_json_bool(&r->json, &yes)) {
            return false;
        }
        *value = yes ? 1 : 0;
        return true;
    }
    if (!tpi_json_string(&r->json, &raw)) {
        return false;
    }
    for (uint32_t i = 0; i < field->values->member_count; i++) {
        if (tpi_json_is(raw, field->values->members[i].name)) {
            *value = field->values->members[i].value;
            return true;
        }
    }
    return reject_member(r, field->values, raw);
}

static bool reject_size(struct reader *r, const tp_field *field, size_t start)
{
    const size_t length = r->json.at - start;

    return tpi_json_reject_at(&r->json, start, "%.*s does not fit into %s, which is %s",
                              (int)(length < 40 ? length : 40), r->json.text + start, field->name,
                              tp_type_name(field->type));
}

static bool read_whole(struct reader *r, const tp_field *field, void *at)
{
    tpi_json_kind next = tpi_json_peek(&r->json);
    bool word = next == TPI_JSON_BOOL || (next == TPI_JSON_STRING && field->values != NULL);
    const size_t start = r->json.at;
    int64_t value = 0;

    if (!(word ? read_word(r, field, &value) : tpi_json_i64(&r->json, &value))) {
        return false;
    }
    if (!tpi_type_holds(field->type, value)) {
        return reject_size(r, field, start);
    }
    store_whole(field->type, at, value);
    return true;
}

static bool read_real(struct reader *r, const tp_field *field, void *at)
{
    const bool number = tpi_json_peek(&r->json) == TPI_JSON_NUMBER;
    const size_t start = r->json.at;
    double value;

    if (!tpi_json_f64(&r->json, &value)) {
        return false;
    }
    const float narrow = (float)value;
    if (number && (field->type == TP_TYPE_F32 ? isinf(narrow) : isinf(value))) {
        return reject_size(r, field, start);
    }
    if (field->type == TP_TYPE_F32) {
        memcpy(at, &narrow, sizeof narrow);
    } else {
        memcpy(at, &value, sizeof value);
    }
    return true;
}

static bool read_struct(struct reader *r, const tp_struct *type, void *value);

static bool read_one(struct reader *r, const tp_field *field, void *at)
{
    if (field->type == TP_TYPE_STRUCT) {
        return read_struct(r, field->of, at);
    }
    return tpi_type_is_real(field->type) ? read_real(r, field, at) : read_whole(r, field, at);
}

/* Elements in the making: in the struct itself, or on the heap until the value owns them. */
struct elements {
    char *data;
    uint32_t count;
    uint32_t capacity;
    uint32_t most;
    bool heap;
};

static bool make_room(struct reader *r, const tp_field *field, struct elements *e, uint32_t count)
{
    const size_t size = tpi_field_element_size(field);

    if (count > e->most) {
        tpi_json_peek(&r->json); /* to the element that is too many */
        return tpi_json_reject(&r->json, "%s has more than %lu elements", field->name,
                               (unsigned long)e->most);
    }
    if (!e->heap || count <= e->capacity) {
        return true;
    }
    uint32_t capacity = count < 8 ? 8 : count > e->most / 2 ? e->most : count * 2;
    char *data = realloc(e->data, capacity * size);
    if (data == NULL) {
        return out_of_memory(r);
    }
    memset(data + e->capacity * size, 0, (capacity - e->capacity) * size);
    e->data = data;
    e->capacity = capacity;
    return true;
}

static bool read_text(struct reader *r, const tp_field *field, struct elements *e)
{
    tpi_json_span raw;
    tpi_buf text = {0};

    if (!tpi_json_string(&r->json, &raw)) {
        return false;
    }
    tpi_json_unescape(&text, raw);
    bool good = !text.failed || out_of_memory(r);
    if (good && text.length > e->most) {
        good = tpi_json_reject_at(&r->json, span_at(r, raw) - 1, "%s is longer than %lu bytes",
                                  field->name, (unsigned long)e->most);
    }
    good = good && make_room(r, field, e, (uint32_t)text.length);
    if (good && text.length > 0) {
        memcpy(e->data, text.data, text.length);
    }
    e->count = good ? (uint32_t)text.length : 0;
    tpi_buf_fini(&text);
    return good;
}

static bool read_list(struct reader *r, const tp_field *field, struct elements *e)
{
    const size_t size = tpi_field_element_size(field);

    if (!tpi_json_array(&r->json)) {
        return false;
    }
    while (tpi_json_element(&r->json)) {
        if (!make_room(r, field, e, e->count + 1)) {
            return false;
        }
        e->count++;
        if (!read_one(r, field, e->data + (e->count - 1) * size)) {
            return false;
        }
    }
    return !r->json.failed;
}

/* The count was given: texts may be shorter (NULs follow), nothing may be longer. */
static bool check_count(struct reader *r, const tp_field *field, struct elements *e, uint32_t given,
                        size_t start)
{
    if (given == e->count) {
        return true;
    }
    if (field->type != TP_TYPE_CHAR || given < e->count) {
        return tpi_json_reject_at(&r->json, start, "%s has %lu elements, but its count says %lu",
                                  field->name, (unsigned long)e->count, (unsigned long)given);
    }
    if (given > e->most) {
        return tpi_json_reject_at(&r->json, start,
                                  "%s has room for %lu bytes, but its count says "
                                  "%lu",
                                  field->name, (unsigned long)e->most, (unsigned long)given);
    }
    if (!make_room(r, field, e, given)) {
        return false;
    }
    e->count = given;
    return true;
}

/* The count was not given: by convention that of a text includes a NUL. */
static bool add_nul(struct reader *r, const tp_field *field, struct elements *e, size_t start)
{
    if (e->count == e->most) {
        return tpi_json_reject_at(&r->json, start, "%s of %lu bytes leaves no room for its NUL",
                                  field->name, (unsigned long)e->count);
    }
    if (!make_room(r, field, e, e->count + 1)) {
        return false;
    }
    e->count++;
    return true;
}

static bool read_fixed(struct reader *r, const tp_field *field, void *value)
{
    struct elements e = {.data = (char *)value + field->offset, .most = field->length};
    const size_t start = next_value(r);

    if (field->type == TP_TYPE_CHAR && tpi_json_peek(&r->json) == TPI_JSON_STRING) {
        return read_text(r, field, &e);
    }
    if (!read_list(r, field, &e)) {
        return false;
    }
    return e.count == field->length ||
           tpi_json_reject_at(&r->json, start, "%s has %lu elements instead of %lu", field->name,
                              (unsigned long)e.count, (unsigned long)field->length);
}

static bool read_counted(struct reader *r, const tp_field *field, void *value, bool count_given)
{
    const bool heap = field->shape == TP_SHAPE_POINTER;
    struct elements e = {
        .data = heap ? NULL : (char *)value + field->offset,
        .most = heap ? MOST_ELEMENTS : field->length,
        .heap = heap,
    };
    bool text = field->type == TP_TYPE_CHAR && tpi_json_peek(&r->json) == TPI_JSON_STRING;
    const size_t start = next_value(r);
    bool good = text ? read_text(r, field, &e) : read_list(r, field, &e);

    if (good && count_given) {
        uint32_t given;
        memcpy(&given, (char *)value + field->count_offset, sizeof given);
        good = check_count(r, field, &e, given, start);
    } else if (good && text) {
        good = add_nul(r, field, &e, start);
    }
    /* even after a failure the value owns what was read, so that clearing it frees it */
    if (heap) {
        tpi_field_point(field, value, e.data);
    }
    memcpy((char *)value + field->count_offset, &e.count, sizeof e.count);
    return good;
}

static const tp_field *find_field(const tp_struct *type, tpi_json_span name)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (tpi_json_is(name, type->fields[i].name)) {
            return &type->fields[i];
        }
    }
    return NULL;
}

/* The first field that is a struct with such a field: "px" of a velocity is in its "vel". */
static const tp_field *find_around(const tp_struct *type, tpi_json_span name)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (field->shape == TP_SHAPE_ONE && field->of != NULL && find_field(field->of, name)) {
            return field;
        }
    }
    return NULL;
}

/* "; it has count, digout", without those that count an array. */
static const char *put_names(char *out, size_t size, const tp_struct *type)
{
    enum { MOST = 8 };
    size_t used = 0;
    unsigned named = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < type->field_count && used < size && named <= MOST; i++) {
        const char *name = type->fields[i].name;
        const char *end = strrchr(name, '_');
        if (end != NULL && strcmp(end, "_count") == 0) {
            continue;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", named == 0 ? "; it has " : ", ",
                                 named < MOST ? name : "...");
        named++;
    }
    return out;
}

static bool reject_name(struct reader *r, const tp_struct *type, tpi_json_span name)
{
    const tp_field *around = find_around(type, name);
    char word[64];
    char hint[128];
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, copy_word(name, word, sizeof word));
    if (around != NULL) {
        return tpi_json_reject_at(&r->json, span_at(r, name) - 1,
                                  "%s has no field \"%s\"; did you mean {\"%s\":{\"%s\":...}}?",
                                  type->name, word, around->name, word);
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        tpi_nearest_offer(&nearest, type->fields[i].name);
    }
    return tpi_json_reject_at(&r->json, span_at(r, name) - 1, "%s has no field \"%s\"%s",
                              type->name, word,
                              nearest.best != NULL ? tpi_nearest_hint(&nearest, hint, sizeof hint)
                                                   : put_names(hint, sizeof hint, type));
}

/* Arrays come last, whatever their order in the text, since their counts have to be known: here
 * they are only passed over. `spans` are the values, one for each field that is there. */
static bool read_scalars(struct reader *r, const tp_struct *type, void *value, bool *seen,
                         tpi_json_span *spans)
{
    tpi_json_span name;

    if (!tpi_json_object(&r->json)) {
        return false;
    }
    while (tpi_json_member(&r->json, &name)) {
        const tp_field *field = find_field(type, name);
        if (field == NULL) {
            return reject_name(r, type, name);
        }
        const size_t i = (size_t)(field - type->fields);
        if (seen[i]) {
            return tpi_json_reject_at(&r->json, span_at(r, name) - 1, "%s is given twice",
                                      field->name);
        }
        seen[i] = true;
        spans[i].text = r->json.text + next_value(r);
        bool good = field->shape == TP_SHAPE_ONE ? read_one(r, field, (char *)value + field->offset)
                                                 : tpi_json_skip(&r->json, &spans[i]);
        if (!good) {
            return false;
        }
    }
    return !r->json.failed;
}

/* Which field is the array's count; the number of fields for a fixed one. */
static uint32_t count_index(const tp_struct *type, const tp_field *array)
{
    uint32_t i = 0;

    while (i < type->field_count && (array->shape == TP_SHAPE_FIXED || !type->fields[i].is_count ||
                                     type->fields[i].offset != array->count_offset)) {
        i++;
    }
    return i;
}

/* An array that is not in the text is empty, so its count may not say otherwise. */
static bool check_missing(struct reader *r, const tp_struct *type, const tp_field *field,
                          const void *value, const tpi_json_span *spans)
{
    const uint32_t i = count_index(type, field);
    uint32_t count = 0;

    if (i < type->field_count) {
        memcpy(&count, (const char *)value + field->count_offset, sizeof count);
    }
    return count == 0 || tpi_json_reject_at(&r->json, span_at(r, spans[i]),
                                            "%s is missing, but its count says %lu", field->name,
                                            (unsigned long)count);
}

static bool read_array(struct reader *r, const tp_struct *type, void *value, const tp_field *field,
                       const bool *seen, tpi_json_span span)
{
    const size_t resume = r->json.at;

    r->json.at = span_at(r, span);
    bool good = field->shape == TP_SHAPE_FIXED
                    ? read_fixed(r, field, value)
                    : read_counted(r, field, value, seen[count_index(type, field)]);
    if (good) {
        r->json.at = resume;
    }
    return good;
}

static bool read_struct(struct reader *r, const tp_struct *type, void *value)
{
    bool seen[TP_MAX_FIELDS] = {false};
    tpi_json_span spans[TP_MAX_FIELDS];

    memset(spans, 0, type->field_count * sizeof spans[0]);
    if (!read_scalars(r, type, value, seen, spans)) {
        return false;
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (field->shape == TP_SHAPE_ONE) {
            continue;
        }
        if (!(seen[i] ? read_array(r, type, value, field, seen, spans[i])
                      : check_missing(r, type, field, value, spans))) {
            return false;
        }
    }
    return true;
}

tp_status tp_value_from_json(void **out, const tp_struct *type, const char *json, size_t length,
                             tp_error *err)
{
    struct reader r = {.no_memory = false};
    void *value = calloc(1, type->size > 0 ? type->size : 1);
    if (value == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", type->name);
    }
    tpi_json_init(&r.json, json, length);
    read_struct(&r, type, value);
    tp_status status = tpi_json_end(&r.json, err);
    if (status == TP_OK && tp_value_copy(out, type, value, NULL) != TP_OK) {
        r.no_memory = true;
    }
    if (r.no_memory) {
        status = tp_fail(err, TP_E_NOMEM, "%s: out of memory", type->name);
    }
    tp_value_clear(type, value);
    free(value);
    return status;
}
