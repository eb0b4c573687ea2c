/* edge.c - recorded headers, and what Player's library makes of broken bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "padi/plan.h"
#include "padi/value.h"
#include "vectors/inside.h"

enum { HEADER_SIZE = 40, MOST_ELEMENTS = 1 << 20 };

static const tp_struct *header_type(const tpi_vector_checker *c)
{
    return tp_catalogue_struct(c->catalogue, "msghdr");
}

static void note_unknown(const tpi_vector_checker *c, tpi_json_span name)
{
    tpi_vector_note(c, "%.*s is not known, so it was not checked", (int)name.length, name.text);
}

/* ---- Headers --------------------------------------------------------------------------------- */

/* The file has the address flat beside the rest; our struct has it nested. */
static bool nest_header(tpi_json_span flat, tpi_buf *out)
{
    tpi_json json;
    tpi_json_span name;
    tpi_json_span value;
    tpi_buf address = {0};
    tpi_buf rest = {0};

    tpi_json_init(&json, flat.text == NULL ? "" : flat.text, flat.length);
    tpi_json_object(&json);
    while (tpi_json_member(&json, &name) && tpi_json_skip(&json, &value)) {
        bool in_address = tpi_json_is(name, "host") || tpi_json_is(name, "robot") ||
                          tpi_json_is(name, "interf") || tpi_json_is(name, "index");
        tpi_buf *part = in_address ? &address : &rest;
        tpi_buf_printf(part, "%s\"%.*s\":", in_address && address.length == 0 ? "" : ",",
                       (int)name.length, name.text);
        tpi_buf_put(part, value.text, value.length);
    }
    tpi_buf_printf(out, "{\"addr\":{%s}%s}", tpi_buf_text(&address), tpi_buf_text(&rest));
    bool good = !json.failed && !address.failed && !rest.failed && !out->failed;
    tpi_buf_fini(&address);
    tpi_buf_fini(&rest);
    return good;
}

bool tpi_vector_header(tpi_vector_checker *c, tpi_json_span entry)
{
    tpi_vector_member m[] = {{.name = "values"}, {.name = "hex"}};
    tpi_buf nested = {0};

    tpi_vector_find(entry, m, 2);
    bool good = nest_header(m[0].span, &nested);
    if (!good) {
        tpi_vector_note(c, "the values cannot be read");
    } else {
        const tpi_json_span values = {nested.data, nested.length};
        good = tpi_vector_struct(c, header_type(c), values, m[1].span);
    }
    tpi_buf_fini(&nested);
    return good;
}

/* The number of that name in a header or its address; false if there is none. */
static bool header_number(const tp_struct *type, const char *header, tpi_json_span name,
                          int64_t *value)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (field->type == TP_TYPE_STRUCT) {
            if (header_number(field->of, header + field->offset, name, value)) {
                return true;
            }
        } else if (tpi_json_is(name, field->name) && !tpi_type_is_real(field->type)) {
            *value = tpi_number_get_whole(field->type, header + field->offset);
            return true;
        }
    }
    return false;
}

/* Whether the decoded header has every value that the file names. */
static bool header_shows(const tpi_vector_checker *c, const void *header, tpi_json_span decoded)
{
    tpi_json json;
    tpi_json_span name;
    int64_t wanted;
    int64_t got;

    tpi_json_init(&json, decoded.text == NULL ? "" : decoded.text, decoded.length);
    tpi_json_object(&json);
    while (tpi_json_member(&json, &name) && tpi_json_i64(&json, &wanted)) {
        if (!header_number(header_type(c), header, name, &got)) {
            tpi_vector_note(c, "a header has no number %.*s", (int)name.length, name.text);
            return false;
        }
        if (got != wanted) {
            tpi_vector_note(c, "%.*s is %lld, the file has %lld", (int)name.length, name.text,
                            (long long)got, (long long)wanted);
            return false;
        }
    }
    if (json.failed) {
        tpi_vector_note(c, "the decoded values cannot be read");
    }
    return !json.failed;
}

static bool check_wide_header(tpi_vector_checker *c, tpi_json_span entry)
{
    tpi_vector_member m[] = {{.name = "hex"}, {.name = "decode_ret"}, {.name = "decoded"}};
    tpi_buf bytes = {0};
    void *header = NULL;

    tpi_vector_find(entry, m, 3);
    const bool wanted = tpi_vector_whole(m[1].span, -1) >= 0;
    const bool good = tpi_vector_bytes(c, m[0].span, &bytes) &&
                      tpi_vector_decode(c, header_type(c), &bytes, wanted, &header) &&
                      (!wanted || header_shows(c, header, m[2].span));
    free(header);
    tpi_buf_fini(&bytes);
    return good;
}

static bool check_short_header(const tpi_vector_checker *c, size_t length, tpi_json_span result)
{
    static const unsigned char zeros[HEADER_SIZE];
    void *header = NULL;
    const tp_status status = tp_xdr_decode_new(&header, header_type(c), zeros, length);
    const bool taken = tpi_vector_whole(result, 1) > 0;

    free(header);
    if (status == TP_OK) {
        tpi_vector_note(c, "a header of %zu bytes is taken", length);
    } else if (taken) {
        tpi_vector_note(c, "a header of %zu bytes is refused, the file says that it is taken",
                        length);
    }
    return status != TP_OK && !taken;
}

void tpi_vector_header_cases(tpi_vector_checker *c, tpi_json_span object)
{
    tpi_json json;
    tpi_json_span name;
    tpi_json_span value;

    tpi_json_init(&json, object.text, object.length);
    tpi_json_object(&json);
    while (tpi_json_member(&json, &name) && tpi_json_skip(&json, &value)) {
        c->entry = 0;
        if (tpi_json_is(name, "wide_values")) {
            tpi_vector_list(c, value, check_wide_header, NULL, NULL);
        } else if (tpi_json_is(name, "buffer_of_39_bytes")) {
            tpi_vector_count(c, check_short_header(c, 39, value));
        } else if (tpi_json_is(name, "buflen_0")) {
            tpi_vector_count(c, check_short_header(c, 0, value));
        } else {
            note_unknown(c, name);
        }
    }
}

/* ---- Counts that disagree -------------------------------------------------------------------- */

static const tp_field *first_array(const tp_struct *type)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        tp_shape shape = type->fields[i].shape;
        if (shape == TP_SHAPE_BOUNDED || shape == TP_SHAPE_POINTER) {
            return &type->fields[i];
        }
    }
    return NULL;
}

static bool element_matches(const tpi_vector_checker *c, const tp_field *array, const char *element,
                            uint32_t i, double wanted)
{
    const double got = tpi_type_is_real(array->type)
                           ? tpi_number_get_real(array->type, element)
                           : (double)tpi_number_get_whole(array->type, element);

    if (got != wanted) {
        tpi_vector_note(c, "element %lu of %s is %g, the file has %g", (unsigned long)i,
                        array->name, got, wanted);
    }
    return got == wanted;
}

static bool elements_match(const tpi_vector_checker *c, const tp_field *array, const void *value,
                           tpi_json_span list)
{
    tpi_json json;
    double wanted = 0;
    uint32_t i = 0;
    const uint32_t count = tp_field_count(array, value);
    const char *elements = tpi_field_elements(array, value);
    const size_t size = tpi_field_element_size(array);

    tpi_json_init(&json, list.text == NULL ? "" : list.text, list.length);
    tpi_json_array(&json);
    while (tpi_json_element(&json) && tpi_json_f64(&json, &wanted)) {
        if (i < count && array->type != TP_TYPE_STRUCT &&
            !element_matches(c, array, elements + i * size, i, wanted)) {
            return false;
        }
        i++;
    }
    if (json.failed || array->type == TP_TYPE_STRUCT) {
        tpi_vector_note(c, "the decoded elements cannot be compared");
        return false;
    }
    if (i != count) {
        tpi_vector_note(c, "%s has %lu elements, the file lists %lu", array->name,
                        (unsigned long)count, (unsigned long)i);
    }
    return i == count;
}

static bool count_matches(const tpi_vector_checker *c, const tp_field *array, const void *value,
                          int64_t wanted)
{
    const uint32_t count = tp_field_count(array, value);

    if (count != wanted) {
        tpi_vector_note(c, "%s has %lu elements, the file has %lld", array->name,
                        (unsigned long)count, (long long)wanted);
    }
    return count == wanted;
}

static bool check_disagreement(tpi_vector_checker *c, const tp_struct *type, tpi_json_span entry)
{
    tpi_vector_member m[] = {
        {.name = "hex"}, {.name = "decode_ret"}, {.name = "decoded_count"}, {.name = "decoded"}};
    const tp_field *array = first_array(type);
    tpi_buf bytes = {0};
    void *value = NULL;

    if (array == NULL) {
        tpi_vector_note(c, "the struct has no array with a count");
        return false;
    }
    tpi_vector_find(entry, m, 4);
    const bool wanted = tpi_vector_whole(m[1].span, -1) >= 0;
    const bool good =
        tpi_vector_bytes(c, m[0].span, &bytes) &&
        tpi_vector_decode(c, type, &bytes, wanted, &value) &&
        (!wanted || (count_matches(c, array, value, tpi_vector_whole(m[2].span, -1)) &&
                     elements_match(c, array, value, m[3].span)));
    free(value);
    tpi_buf_fini(&bytes);
    return good;
}

/* ---- Counts that are too large --------------------------------------------------------------- */

/* Where the field `index` of a struct with other offsets has its count. */
static uint32_t moved_count(const tp_struct *type, const tp_field *fields, size_t index)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].is_count &&
            type->fields[i].offset == type->fields[index].count_offset) {
            return fields[i].offset;
        }
    }
    return 0;
}

/* The same struct with its array behind a pointer, so that any count can be encoded: on the wire
 * the two are alike. */
static tp_status make_loose(tp_struct *loose, const tp_struct *type, size_t index, tpi_arena *arena)
{
    tp_field *fields = tpi_arena_array(arena, type->field_count, sizeof *fields);

    if (fields == NULL) {
        return TP_E_NOMEM;
    }
    memcpy(fields, type->fields, type->field_count * sizeof *fields);
    fields[index].shape = TP_SHAPE_POINTER;
    *loose = *type;
    loose->fields = fields;
    const tp_status status = tpi_plan_layout(loose, fields, NULL);
    fields[index].count_offset = moved_count(type, fields, index);
    return status == TP_OK ? tpi_plan_make(loose, arena, NULL, NULL) : status;
}

/* Encode zeros with `n` elements in that array. */
static tp_status encode_loose(const tp_struct *loose, const tp_field *array, uint32_t n,
                              tpi_buf *out)
{
    char *value = calloc(1, loose->size);
    void *elements = calloc((size_t)n + 1, tpi_field_element_size(array));
    size_t size = 0;
    tp_status status = value == NULL || elements == NULL ? TP_E_NOMEM : TP_OK;

    if (status == TP_OK) {
        memcpy(value + array->count_offset, &n, sizeof n);
        tpi_field_point(array, value, elements);
        status = tp_xdr_size(loose, value, &size);
    }
    char *at = status == TP_OK ? tpi_buf_reserve(out, size) : NULL;
    if (at != NULL) {
        status = tp_xdr_encode(loose, value, at, size, &size);
        out->length += size;
    }
    free(value);
    free(elements);
    return status;
}

/* What Player's library would return: the length of the encoding, or -1 if it is refused. */
static int64_t bounded_encode(const tp_struct *type, const tp_field *array, uint32_t n)
{
    char *value = calloc(1, type->size);
    size_t size = 0;

    if (value == NULL) {
        return -1;
    }
    memcpy(value + array->count_offset, &n, sizeof n);
    const tp_status status = tp_xdr_size(type, value, &size);
    free(value);
    return status == TP_OK ? (int64_t)size : -1;
}

/* How many elements are decoded, or -1 if it is refused. */
static int64_t bounded_decode(const tp_struct *type, const tp_field *array, uint32_t n)
{
    const size_t index = (size_t)(array - type->fields);
    tpi_arena arena = {0};
    tp_struct loose;
    tpi_buf bytes = {0};
    void *value = NULL;
    int64_t count = -1;

    if (make_loose(&loose, type, index, &arena) == TP_OK &&
        encode_loose(&loose, &loose.fields[index], n, &bytes) == TP_OK &&
        tp_xdr_decode_new(&value, type, bytes.data, bytes.length) == TP_OK) {
        count = tp_field_count(array, value);
    }
    free(value);
    tpi_buf_fini(&bytes);
    tpi_arena_fini(&arena);
    return count;
}

static bool check_bounded(tpi_vector_checker *c, const tp_struct *type, tpi_json_span entry)
{
    tpi_vector_member m[] = {{.name = "op"}, {.name = "count"}, {.name = "ret"}};
    char op[TPI_VECTOR_NAME];
    const tp_field *array = first_array(type);

    tpi_vector_find(entry, m, 3);
    tpi_vector_text(m[0].span, op);
    const int64_t n = tpi_vector_whole(m[1].span, -1);
    const int64_t wanted = tpi_vector_whole(m[2].span, -1);
    if (array == NULL || array->shape != TP_SHAPE_BOUNDED || n < 0 || n >= MOST_ELEMENTS) {
        tpi_vector_note(c, "there is no array in the struct that could have %lld elements",
                        (long long)n);
        return false;
    }
    const bool encode = strcmp(op, "encode") == 0;
    const int64_t got = encode ? bounded_encode(type, array, (uint32_t)n)
                               : bounded_decode(type, array, (uint32_t)n);
    const bool good = wanted < 0 ? got < 0 : got == (encode ? wanted : n);
    if (!good) {
        tpi_vector_note(c, "%s of %lld elements gives %lld, the file has %lld", op, (long long)n,
                        (long long)got, (long long)wanted);
    }
    return good;
}

/* ---- Sections of cases ----------------------------------------------------------------------- */

static bool begins(tpi_json_span name, const char *word)
{
    return name.length >= strlen(word) && memcmp(name.text, word, strlen(word)) == 0;
}

/* "count_disagreement_sonar_data" -> sonar_data; the array in question is the struct's first. */
static const tp_struct *struct_after(const tpi_vector_checker *c, tpi_json_span name, size_t prefix)
{
    char text[TPI_VECTOR_NAME];
    const char *rest = text + prefix;

    snprintf(text, sizeof text, "%.*s", (int)name.length, name.text);
    const tp_struct *type = tp_catalogue_struct(c->catalogue, rest);
    if (type == NULL && strncmp(rest, "player_", 7) == 0) {
        type = tp_catalogue_struct(c->catalogue, rest + 7);
    }
    if (type == NULL) {
        tpi_vector_note(c, "there is no struct %s", rest);
    }
    return type;
}

void tpi_vector_decode_cases(tpi_vector_checker *c, tpi_json_span object)
{
    static const char disagreement[] = "count_disagreement_";
    static const char bounded[] = "bounded_array_";
    tpi_json json;
    tpi_json_span name;
    tpi_json_span value;

    tpi_json_init(&json, object.text, object.length);
    tpi_json_object(&json);
    while (tpi_json_member(&json, &name) && tpi_json_skip(&json, &value)) {
        bool counts = begins(name, disagreement);
        c->entry = 0;
        if (!counts && !begins(name, bounded)) {
            note_unknown(c, name);
            continue;
        }
        const tp_struct *type =
            struct_after(c, name, (counts ? sizeof disagreement : sizeof bounded) - 1);
        if (type == NULL) {
            tpi_vector_count(c, false);
        } else {
            tpi_vector_list(c, value, NULL, counts ? check_disagreement : check_bounded, type);
        }
    }
}
