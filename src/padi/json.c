/*
 * json.c - values to and from JSON; the form is described in docs/json.md.
 *
 * Reading builds arrays one by one as they come, since JSON tells no lengths in advance, and then
 * moves the whole value into one block.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "base/text.h"
#include "padi/plan.h"
#include "padi/value.h"

enum { INDENT = 2, MOST_ELEMENTS = 1 << 26 };

/* ---- Writing --------------------------------------------------------------------------------- */

static void put_chars(tpi_buf *out, const char *chars, uint32_t count)
{
    uint32_t length;

    if (tpi_chars_text(chars, count, &length)) {
        tpi_json_put_string(out, chars, length);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        tpi_buf_putc(out, i == 0 ? '[' : ',');
        tpi_number_put(out, TP_TYPE_CHAR, chars + i, true);
    }
    tpi_buf_putc(out, ']');
}

static void new_line(tpi_buf *out, bool pretty, size_t indent)
{
    if (pretty) {
        tpi_buf_putc(out, '\n');
        tpi_buf_indent(out, indent);
    }
}

static void put_element(tpi_buf *out, const tp_field *field, const void *at, bool pretty,
                        size_t indent)
{
    if (field->type == TP_TYPE_STRUCT) {
        tpi_value_put_json(out, field->of, at, pretty, indent);
    } else {
        tpi_number_put(out, field->type, at, true);
    }
}

static void put_elements(tpi_buf *out, const tp_field *field, const void *value, bool pretty,
                         size_t indent)
{
    const uint32_t count = tp_field_count(field, value);
    const char *elements = tpi_field_elements(field, value);
    const size_t size = tpi_field_element_size(field);
    const bool lines = pretty && field->type == TP_TYPE_STRUCT && count > 0;

    if (field->type == TP_TYPE_CHAR) {
        put_chars(out, elements, count);
        return;
    }
    tpi_buf_putc(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) {
            tpi_buf_puts(out, pretty && !lines ? ", " : ",");
        }
        new_line(out, lines, indent + INDENT);
        put_element(out, field, elements + i * size, pretty, indent + INDENT);
    }
    new_line(out, lines, indent);
    tpi_buf_putc(out, ']');
}

void tpi_value_put_json(tpi_buf *out, const tp_struct *type, const void *value, bool pretty,
                        size_t indent)
{
    tpi_buf_putc(out, '{');
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (i > 0) {
            tpi_buf_putc(out, ',');
        }
        new_line(out, pretty, indent + INDENT);
        tpi_buf_printf(out, pretty ? "\"%s\": " : "\"%s\":", field->name);
        if (field->shape == TP_SHAPE_ONE) {
            put_element(out, field, (const char *)value + field->offset, pretty, indent + INDENT);
        } else {
            put_elements(out, field, value, pretty, indent + INDENT);
        }
    }
    new_line(out, pretty && type->field_count > 0, indent);
    tpi_buf_putc(out, '}');
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct reader {
    tpi_json json;
    bool no_memory;
};

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
    return tpi_json_reject(&r->json, "%.*s is none of %s", (int)(raw.length < 40 ? raw.length : 40),
                           raw.text, field->values->name);
}

static bool read_whole(struct reader *r, const tp_field *field, void *at)
{
    tpi_json_kind next = tpi_json_peek(&r->json);
    bool word = next == TPI_JSON_BOOL || (next == TPI_JSON_STRING && field->values != NULL);
    int64_t value = 0;

    if (!(word ? read_word(r, field, &value) : tpi_json_i64(&r->json, &value))) {
        return false;
    }
    if (!tpi_type_holds(field->type, value)) {
        return tpi_json_reject(&r->json, "%lld does not fit into %s, which is %s", (long long)value,
                               field->name, tp_type_name(field->type));
    }
    store_whole(field->type, at, value);
    return true;
}

static bool read_real(struct reader *r, const tp_field *field, void *at)
{
    double value;

    if (!tpi_json_f64(&r->json, &value)) {
        return false;
    }
    if (field->type == TP_TYPE_F32) {
        float narrow = (float)value;
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
        good = tpi_json_reject(&r->json, "%s is longer than %lu bytes", field->name,
                               (unsigned long)e->most);
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
static bool check_count(struct reader *r, const tp_field *field, struct elements *e, uint32_t given)
{
    if (given == e->count) {
        return true;
    }
    if (field->type != TP_TYPE_CHAR || given < e->count) {
        return tpi_json_reject(&r->json, "%s has %lu elements, but its count says %lu", field->name,
                               (unsigned long)e->count, (unsigned long)given);
    }
    if (!make_room(r, field, e, given)) {
        return false;
    }
    e->count = given;
    return true;
}

static bool settle_count(struct reader *r, const tp_field *field, void *value, struct elements *e,
                         bool count_given)
{
    uint32_t given = e->count;

    if (count_given) {
        memcpy(&given, (char *)value + field->count_offset, sizeof given);
    } else if (field->type == TP_TYPE_CHAR && e->count < e->most) {
        given = e->count + 1; /* by convention the count includes a NUL */
    }
    return check_count(r, field, e, given);
}

static bool read_fixed(struct reader *r, const tp_field *field, void *value)
{
    struct elements e = {.data = (char *)value + field->offset, .most = field->length};

    if (field->type == TP_TYPE_CHAR && tpi_json_peek(&r->json) == TPI_JSON_STRING) {
        return read_text(r, field, &e);
    }
    if (!read_list(r, field, &e)) {
        return false;
    }
    return e.count == field->length ||
           tpi_json_reject(&r->json, "%s has %lu elements instead of %lu", field->name,
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
    bool good = text ? read_text(r, field, &e) : read_list(r, field, &e);

    if (good && (text || count_given)) {
        good = settle_count(r, field, value, &e, count_given);
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

static bool reject_name(struct reader *r, const tp_struct *type, tpi_json_span name)
{
    char word[64];
    char hint[96];
    tpi_nearest nearest;
    size_t length = name.length < sizeof word - 1 ? name.length : sizeof word - 1;

    memcpy(word, name.text, length);
    word[length] = '\0';
    tpi_nearest_init(&nearest, word);
    for (uint32_t i = 0; i < type->field_count; i++) {
        tpi_nearest_offer(&nearest, type->fields[i].name);
    }
    return tpi_json_reject(&r->json, "%s has no field \"%s\"%s", type->name, word,
                           tpi_nearest_hint(&nearest, hint, sizeof hint));
}

/* Arrays come last, whatever their order in the text, since their counts have to be known. */
static bool read_scalars(struct reader *r, const tp_struct *type, void *value, bool *seen,
                         tpi_json_span *arrays)
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
            return tpi_json_reject(&r->json, "%s is given twice", field->name);
        }
        seen[i] = true;
        bool good = field->shape == TP_SHAPE_ONE ? read_one(r, field, (char *)value + field->offset)
                                                 : tpi_json_skip(&r->json, &arrays[i]);
        if (!good) {
            return false;
        }
    }
    return !r->json.failed;
}

static bool count_was_given(const tp_struct *type, const tp_field *array, const bool *seen)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].is_count && type->fields[i].offset == array->count_offset) {
            return seen[i];
        }
    }
    return false;
}

/* An array that is not in the text is empty, so its count may not say otherwise. */
static bool check_missing(struct reader *r, const tp_field *field, const void *value)
{
    uint32_t count = 0;

    if (field->shape != TP_SHAPE_FIXED) {
        memcpy(&count, (const char *)value + field->count_offset, sizeof count);
    }
    return count == 0 || tpi_json_reject(&r->json, "%s is missing, but its count says %lu",
                                         field->name, (unsigned long)count);
}

static bool read_array(struct reader *r, const tp_struct *type, void *value, const tp_field *field,
                       const bool *seen, tpi_json_span span)
{
    const size_t resume = r->json.at;

    r->json.at = (size_t)(span.text - r->json.text);
    bool good = field->shape == TP_SHAPE_FIXED
                    ? read_fixed(r, field, value)
                    : read_counted(r, field, value, count_was_given(type, field, seen));
    if (good) {
        r->json.at = resume;
    }
    return good;
}

static bool read_struct(struct reader *r, const tp_struct *type, void *value)
{
    bool seen[TP_MAX_FIELDS] = {false};
    tpi_json_span arrays[TP_MAX_FIELDS];

    if (!read_scalars(r, type, value, seen, arrays)) {
        return false;
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (field->shape == TP_SHAPE_ONE) {
            continue;
        }
        if (!(seen[i] ? read_array(r, type, value, field, seen, arrays[i])
                      : check_missing(r, field, value))) {
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
