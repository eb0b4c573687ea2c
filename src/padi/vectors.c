/* vectors.c - checking the codecs against recorded encodings; see vectors.h. */
#include "padi/vectors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "padi/plan.h"
#include "padi/value.h"

enum { HEADER_SIZE = 40, LONGEST_NAME = 128 };

struct checker {
    const tp_catalogue *catalogue;
    tpi_vector_report *report;
    const char *section;
    unsigned entry; /* number within the section, from 1 */
};

/* ---- Reporting ------------------------------------------------------------------------------- */

TP_PRINTF(2, 3) static void note(const struct checker *c, const char *format, ...)
{
    char text[512];
    int length = snprintf(text, sizeof text, "%s %u: ", c->section, c->entry);
    va_list args;

    va_start(args, format);
    if (length > 0 && (size_t)length < sizeof text) {
        vsnprintf(text + length, sizeof text - (size_t)length, format, args);
    }
    va_end(args);
    if (c->report->note != NULL) {
        c->report->note(c->report->context, text);
    }
}

static void count(struct checker *c, bool good)
{
    if (good) {
        c->report->passed++;
    } else {
        c->report->failed++;
    }
}

/* ---- Members of an entry --------------------------------------------------------------------- */

/* A member to look for and, if it is there, its text. */
struct member {
    const char *name;
    tpi_json_span span;
};

static const tpi_json_span absent = {NULL, 0};

static void find_members(tpi_json_span object, struct member *members, size_t n)
{
    tpi_json json;
    tpi_json_span name;
    tpi_json_span value;

    for (size_t i = 0; i < n; i++) {
        members[i].span = absent;
    }
    tpi_json_init(&json, object.text, object.length);
    if (!tpi_json_object(&json)) {
        return;
    }
    while (tpi_json_member(&json, &name) && tpi_json_skip(&json, &value)) {
        for (size_t i = 0; i < n; i++) {
            if (tpi_json_is(name, members[i].name)) {
                members[i].span = value;
            }
        }
    }
}

static bool is_null(tpi_json_span span)
{
    return span.text == NULL || tpi_json_is(span, "null");
}

/* The characters of a JSON string that needs no unescaping; "" for anything else. */
static const char *plain_text(tpi_json_span span, char out[LONGEST_NAME])
{
    out[0] = '\0';
    if (span.length >= 2 && span.text[0] == '"' && span.length - 2 < LONGEST_NAME) {
        memcpy(out, span.text + 1, span.length - 2);
        out[span.length - 2] = '\0';
    }
    return out;
}

static int64_t whole(tpi_json_span span, int64_t otherwise)
{
    tpi_json json;
    int64_t value;

    tpi_json_init(&json, span.text == NULL ? "" : span.text, span.length);
    return tpi_json_i64(&json, &value) ? value : otherwise;
}

static bool hex_bytes(struct checker *c, tpi_json_span span, tpi_buf *out)
{
    tp_error err = {0};

    if (span.length < 2 || span.text[0] != '"') {
        note(c, "the bytes are missing");
        return false;
    }
    if (tpi_hex_read(out, span.text + 1, span.length - 2, &err) != TP_OK) {
        note(c, "the bytes cannot be read: %s", err.text);
        return false;
    }
    return true;
}

/* ---- One struct: encode and decode ----------------------------------------------------------- */

static bool same_bytes(struct checker *c, const tp_struct *type, const void *value,
                       const tpi_buf *bytes)
{
    size_t size = 0;
    tp_status status = tp_xdr_size(type, value, &size);
    unsigned char *encoded = status == TP_OK ? malloc(size + 1) : NULL;
    bool same = false;

    if (encoded != NULL) {
        status = tp_xdr_encode(type, value, encoded, size, &size);
        same = status == TP_OK && size == bytes->length &&
               memcmp(encoded, tpi_buf_text(bytes), size) == 0;
    }
    if (!same) {
        note(c, "%s encodes differently (%zu bytes, expected %zu; %s)", type->name, size,
             bytes->length, tp_status_text(status));
    }
    free(encoded);
    return same;
}

static bool same_value(struct checker *c, const tp_struct *type, const void *value,
                       const tpi_buf *bytes)
{
    void *decoded = NULL;
    tp_status status = tp_xdr_decode_new(&decoded, type, tpi_buf_text(bytes), bytes->length);
    bool same = status == TP_OK && tp_value_equal(type, decoded, value);

    if (!same) {
        note(c, "%s decodes differently (%s)", type->name, tp_status_text(status));
    }
    free(decoded);
    return same;
}

static bool check_struct(struct checker *c, const tp_struct *type, tpi_json_span values,
                         tpi_json_span hex)
{
    void *value = NULL;
    tpi_buf bytes = {0};
    tp_error err = {0};
    bool good = hex_bytes(c, hex, &bytes);

    if (good && tp_value_from_json(&value, type, values.text, values.length, &err) != TP_OK) {
        note(c, "the values of %s cannot be read: %s", type->name, err.text);
        good = false;
    }
    good = good && same_bytes(c, type, value, &bytes) && same_value(c, type, value, &bytes);
    free(value);
    tpi_buf_fini(&bytes);
    return good;
}

/* ---- Messages -------------------------------------------------------------------------------- */

enum { M_INTERFACE, M_CODE, M_KIND, M_NAME, M_SUBTYPE, M_STRUCT, M_VALUES, M_HEX, M_COUNT };

static bool name_matches(const tp_message *message, const char *name)
{
    char full[LONGEST_NAME];

    snprintf(full, sizeof full, "PLAYER_%s_REQ", message->name); /* the universal requests */
    return strcmp(message->name, name) == 0 || strcmp(full, name) == 0;
}

static const tp_message *find_message(struct checker *c, const struct member *m)
{
    char interface_name[LONGEST_NAME];
    char kind[LONGEST_NAME];
    char name[LONGEST_NAME];
    const int64_t code = whole(m[M_CODE].span, -1);
    const int64_t subtype = whole(m[M_SUBTYPE].span, -1);
    const tp_interface *interface = tp_catalogue_code(c->catalogue, (unsigned)code);

    plain_text(m[M_INTERFACE].span, interface_name);
    plain_text(m[M_NAME].span, name);
    if (interface == NULL ||
        (strcmp(interface_name, "*") != 0 && strcmp(interface_name, interface->name) != 0)) {
        note(c, "there is no interface %s with the code %lld", interface_name, (long long)code);
        return NULL;
    }
    const tp_message *message = tp_interface_message(
        interface, tp_kind_named(plain_text(m[M_KIND].span, kind)), (unsigned)subtype);
    if (message == NULL || !name_matches(message, name)) {
        note(c, "%s has no %s %s with the code %lld", interface->name, kind, name,
             (long long)subtype);
        return NULL;
    }
    return message;
}

static bool check_message(struct checker *c, tpi_json_span entry)
{
    struct member m[M_COUNT] = {
        {.name = "interface"}, {.name = "interface_code"}, {.name = "kind"},   {.name = "name"},
        {.name = "subtype"},   {.name = "struct"},         {.name = "values"}, {.name = "xdr_hex"}};
    char name[LONGEST_NAME];
    find_members(entry, m, M_COUNT);
    const tp_message *message = find_message(c, m);
    if (message == NULL) {
        return false;
    }
    const tp_struct *payload = tp_message_payload(message);
    plain_text(m[M_STRUCT].span, name);
    if (is_null(m[M_STRUCT].span)) {
        bool empty = payload == NULL && m[M_HEX].span.length == 2;
        if (!empty) {
            note(c, "%s should have no body", message->name);
        }
        return empty;
    }
    if (payload == NULL || tp_catalogue_struct(c->catalogue, name) != payload) {
        note(c, "%s should carry %s", message->name, name);
        return false;
    }
    return check_struct(c, payload, m[M_VALUES].span, m[M_HEX].span);
}

static bool check_helper(struct checker *c, tpi_json_span entry)
{
    struct member m[] = {{.name = "struct"}, {.name = "values"}, {.name = "xdr_hex"}};
    char name[LONGEST_NAME];

    find_members(entry, m, 3);
    const tp_struct *type = tp_catalogue_struct(c->catalogue, plain_text(m[0].span, name));
    if (type == NULL) {
        note(c, "there is no struct %s", name);
        return false;
    }
    return check_struct(c, type, m[1].span, m[2].span);
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

static const tp_struct *header_type(const struct checker *c)
{
    return tp_catalogue_struct(c->catalogue, "msghdr");
}

static bool check_header(struct checker *c, tpi_json_span entry)
{
    struct member m[] = {{.name = "values"}, {.name = "hex"}};
    tpi_buf nested = {0};

    find_members(entry, m, 2);
    bool good = nest_header(m[0].span, &nested);
    if (!good) {
        note(c, "the values cannot be read");
    } else {
        const tpi_json_span values = {nested.data, nested.length};
        good = check_struct(c, header_type(c), values, m[1].span);
    }
    tpi_buf_fini(&nested);
    return good;
}

/* Whether the decoded header has every value that the file names. */
static bool header_shows(struct checker *c, const void *header, tpi_json_span decoded)
{
    tpi_json json;
    tpi_json_span name;
    int64_t wanted;
    const tp_struct *type = header_type(c);

    tpi_json_init(&json, decoded.text == NULL ? "" : decoded.text, decoded.length);
    tpi_json_object(&json);
    while (tpi_json_member(&json, &name) && tpi_json_i64(&json, &wanted)) {
        bool found = false;
        for (uint32_t i = 0; i < type->field_count + type->fields[0].of->field_count; i++) {
            bool outer = i < type->field_count;
            const tp_field *field =
                outer ? &type->fields[i] : &type->fields[0].of->fields[i - type->field_count];
            if (tpi_json_is(name, field->name) && field->type != TP_TYPE_STRUCT) {
                found = tpi_number_get_whole(field->type, (const char *)header + field->offset) ==
                        wanted;
            }
        }
        if (!found) {
            note(c, "%.*s is not %lld", (int)name.length, name.text, (long long)wanted);
            return false;
        }
    }
    return !json.failed;
}

static bool check_wide_header(struct checker *c, tpi_json_span entry)
{
    struct member m[] = {{.name = "hex"}, {.name = "decode_ret"}, {.name = "decoded"}};
    tpi_buf bytes = {0};
    void *header = NULL;

    find_members(entry, m, 3);
    bool good = hex_bytes(c, m[0].span, &bytes);
    if (good) {
        tp_status status =
            tp_xdr_decode_new(&header, header_type(c), tpi_buf_text(&bytes), bytes.length);
        bool wanted = whole(m[1].span, -1) >= 0;
        good = (status == TP_OK) == wanted;
        if (!good) {
            note(c, "decoding says %s", tp_status_text(status));
        }
        good = good && (!wanted || header_shows(c, header, m[2].span));
    }
    free(header);
    tpi_buf_fini(&bytes);
    return good;
}

static bool check_short_header(struct checker *c, size_t length, tpi_json_span result)
{
    static const unsigned char zeros[HEADER_SIZE];
    void *header = NULL;
    tp_status status = tp_xdr_decode_new(&header, header_type(c), zeros, length);
    bool good = status != TP_OK && whole(result, 1) <= 0;

    if (!good) {
        note(c, "a header of %zu bytes is taken", length);
    }
    free(header);
    return good;
}

/* ---- Counts that disagree or are too large ----------------------------------------------------
 */

/* "count_disagreement_sonar_data" -> sonar_data; the array in question is the struct's first. */
static const tp_struct *struct_after(struct checker *c, tpi_json_span name, size_t prefix)
{
    char text[LONGEST_NAME];
    const char *rest = text + prefix;

    snprintf(text, sizeof text, "%.*s", (int)name.length, name.text);
    const tp_struct *type = tp_catalogue_struct(c->catalogue, rest);
    if (type == NULL && strncmp(rest, "player_", 7) == 0) {
        type = tp_catalogue_struct(c->catalogue, rest + 7);
    }
    if (type == NULL) {
        note(c, "there is no struct %s", rest);
    }
    return type;
}

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

static bool elements_match(const tp_field *array, const void *value, tpi_json_span list)
{
    tpi_json json;
    double wanted;
    uint32_t i = 0;
    const char *elements = tpi_field_elements(array, value);
    const size_t size = tpi_field_element_size(array);

    tpi_json_init(&json, list.text == NULL ? "" : list.text, list.length);
    tpi_json_array(&json);
    while (tpi_json_element(&json)) {
        if (!tpi_json_f64(&json, &wanted) || i == tp_field_count(array, value)) {
            return false;
        }
        double got = tpi_type_is_real(array->type)
                         ? tpi_number_get_real(array->type, elements + i * size)
                         : (double)tpi_number_get_whole(array->type, elements + i * size);
        if (got != wanted) {
            return false;
        }
        i++;
    }
    return !json.failed && i == tp_field_count(array, value);
}

static bool check_disagreement(struct checker *c, const tp_struct *type, tpi_json_span entry)
{
    struct member m[] = {
        {.name = "hex"}, {.name = "decode_ret"}, {.name = "decoded_count"}, {.name = "decoded"}};
    const tp_field *array = first_array(type);
    tpi_buf bytes = {0};
    void *value = NULL;

    find_members(entry, m, 4);
    bool good = array != NULL && hex_bytes(c, m[0].span, &bytes);
    if (good) {
        tp_status status = tp_xdr_decode_new(&value, type, tpi_buf_text(&bytes), bytes.length);
        bool wanted = whole(m[1].span, -1) >= 0;
        good = (status == TP_OK) == wanted;
        if (good && wanted) {
            good = tp_field_count(array, value) == whole(m[2].span, -1) &&
                   elements_match(array, value, m[3].span);
        }
        if (!good) {
            note(c, "%s: %s", type->name, tp_status_text(status));
        }
    }
    free(value);
    tpi_buf_fini(&bytes);
    return good;
}

/* The same struct with its array behind a pointer, so that any count can be encoded: on the wire
 * the two are alike. */
static tp_status encode_unbounded(const tp_struct *type, const tp_field *array, uint32_t n,
                                  tpi_buf *out)
{
    tpi_arena arena = {0};
    tp_struct loose = *type;
    tp_field *fields = tpi_arena_array(&arena, type->field_count, sizeof *fields);
    char *value = NULL;
    char *elements = calloc(n + 1, tpi_field_element_size(array));
    size_t size = 0;
    tp_status status = fields == NULL || elements == NULL ? TP_E_NOMEM : TP_OK;

    if (status == TP_OK) {
        const size_t index = (size_t)(array - type->fields);
        memcpy(fields, type->fields, type->field_count * sizeof *fields);
        fields[index].shape = TP_SHAPE_POINTER;
        loose.fields = fields;
        status = tpi_plan_layout(&loose, fields, NULL);
        for (uint32_t i = 0; i < type->field_count; i++) {
            if (type->fields[i].is_count && type->fields[i].offset == array->count_offset) {
                fields[index].count_offset = fields[i].offset;
            }
        }
        status = status == TP_OK ? tpi_plan_make(&loose, &arena, NULL, NULL) : status;
        value = calloc(1, loose.size);
        status = value == NULL ? TP_E_NOMEM : status;
    }
    if (status == TP_OK) {
        const tp_field *moved = &fields[array - type->fields];
        memcpy(value + moved->count_offset, &n, sizeof n);
        tpi_field_point(moved, value, elements);
        status = tp_xdr_size(&loose, value, &size);
    }
    char *at = status == TP_OK ? tpi_buf_reserve(out, size) : NULL;
    if (at != NULL) {
        status = tp_xdr_encode(&loose, value, at, size, &size);
        out->length += size;
    }
    free(value);
    free(elements);
    tpi_arena_fini(&arena);
    return status;
}

static bool check_bounded_encode(const tp_struct *type, const tp_field *array, uint32_t n,
                                 int64_t wanted)
{
    char *value = calloc(1, type->size);
    size_t size = 0;
    bool good = false;

    if (value != NULL) {
        memcpy(value + array->count_offset, &n, sizeof n);
        tp_status status = tp_xdr_size(type, value, &size);
        good = wanted < 0 ? status != TP_OK : status == TP_OK && (int64_t)size == wanted;
    }
    free(value);
    return good;
}

static bool check_bounded_decode(const tp_struct *type, const tp_field *array, uint32_t n,
                                 int64_t wanted)
{
    tpi_buf bytes = {0};
    void *value = NULL;
    bool good = false;

    if (encode_unbounded(type, array, n, &bytes) == TP_OK) {
        tp_status status = tp_xdr_decode_new(&value, type, bytes.data, bytes.length);
        good = wanted < 0 ? status != TP_OK : status == TP_OK && tp_field_count(array, value) == n;
    }
    free(value);
    tpi_buf_fini(&bytes);
    return good;
}

static bool check_bounded(struct checker *c, const tp_struct *type, tpi_json_span entry)
{
    struct member m[] = {{.name = "op"}, {.name = "count"}, {.name = "ret"}};
    char op[LONGEST_NAME];
    const tp_field *array = first_array(type);

    find_members(entry, m, 3);
    plain_text(m[0].span, op);
    const int64_t n = whole(m[1].span, -1);
    const int64_t wanted = whole(m[2].span, -1);
    const bool encode = strcmp(op, "encode") == 0;
    bool good = false;
    if (array != NULL && array->shape == TP_SHAPE_BOUNDED && n >= 0 && n < 1 << 20) {
        good = encode ? check_bounded_encode(type, array, (uint32_t)n, wanted)
                      : check_bounded_decode(type, array, (uint32_t)n, wanted);
    }
    if (!good) {
        note(c, "%s: %s of %lld elements should give %lld", type->name, op, (long long)n,
             (long long)wanted);
    }
    return good;
}

/* ---- Sections -------------------------------------------------------------------------------- */

typedef bool check_entry(struct checker *c, tpi_json_span entry);
typedef bool check_case(struct checker *c, const tp_struct *type, tpi_json_span entry);

/* Every element of a list; `check` or, for cases of one struct, `check_one`. */
static void check_list(struct checker *c, tpi_json_span list, check_entry *check,
                       check_case *check_one, const tp_struct *type)
{
    tpi_json json;
    tpi_json_span entry;

    c->entry = 0;
    tpi_json_init(&json, list.text, list.length);
    tpi_json_array(&json);
    while (tpi_json_element(&json) && tpi_json_skip(&json, &entry)) {
        c->entry++;
        count(c, check != NULL ? check(c, entry) : check_one(c, type, entry));
    }
}

static bool begins(tpi_json_span name, const char *word)
{
    return name.length >= strlen(word) && memcmp(name.text, word, strlen(word)) == 0;
}

static void check_header_cases(struct checker *c, tpi_json_span object)
{
    tpi_json json;
    tpi_json_span name;
    tpi_json_span value;

    tpi_json_init(&json, object.text, object.length);
    tpi_json_object(&json);
    while (tpi_json_member(&json, &name) && tpi_json_skip(&json, &value)) {
        c->entry = 0;
        if (tpi_json_is(name, "wide_values")) {
            check_list(c, value, check_wide_header, NULL, NULL);
        } else if (tpi_json_is(name, "buffer_of_39_bytes")) {
            count(c, check_short_header(c, 39, value));
        } else if (tpi_json_is(name, "buflen_0")) {
            count(c, check_short_header(c, 0, value));
        } else {
            note(c, "%.*s is not known, so it was not checked", (int)name.length, name.text);
        }
    }
}

static void check_decode_cases(struct checker *c, tpi_json_span object)
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
            note(c, "%.*s is not known, so it was not checked", (int)name.length, name.text);
            continue;
        }
        const tp_struct *type =
            struct_after(c, name, (counts ? sizeof disagreement : sizeof bounded) - 1);
        if (type == NULL) {
            count(c, false);
        } else {
            check_list(c, value, NULL, counts ? check_disagreement : check_bounded, type);
        }
    }
}

static void check_section(struct checker *c, tpi_json_span name, tpi_json_span value)
{
    static const struct {
        const char *name;
        check_entry *check;
        void (*check_all)(struct checker *c, tpi_json_span object);
    } sections[] = {
        {"messages", check_message, NULL},
        {"helper_structs", check_helper, NULL},
        {"headers", check_header, NULL},
        {"header_decode_edge_cases", NULL, check_header_cases},
        {"decode_edge_cases", NULL, check_decode_cases},
        {"variants", NULL, NULL}, /* words about the entries */
    };

    c->entry = 0;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (!tpi_json_is(name, sections[i].name)) {
            continue;
        }
        c->section = sections[i].name;
        if (sections[i].check != NULL) {
            check_list(c, value, sections[i].check, NULL, NULL);
        } else if (sections[i].check_all != NULL) {
            sections[i].check_all(c, value);
        }
        return;
    }
    if (value.text[0] == '{' || value.text[0] == '[') {
        c->section = "section";
        note(c, "%.*s is not known, so it was not checked", (int)name.length, name.text);
    }
}

tp_status tpi_vectors_check(tpi_vector_report *report, const tp_catalogue *catalogue,
                            const char *text, size_t length, tp_error *err)
{
    struct checker c = {.catalogue = catalogue, .report = report};
    tpi_json json;
    tpi_json_span name;
    tpi_json_span value;

    tpi_json_init(&json, text, length);
    tpi_json_object(&json);
    while (tpi_json_member(&json, &name) && tpi_json_skip(&json, &value)) {
        check_section(&c, name, value);
    }
    tp_status status = tpi_json_end(&json, err);
    if (status == TP_OK && report->passed + report->failed == 0) {
        return tp_fail(err, TP_E_INVALID, "the file contains nothing to check");
    }
    return status;
}
