/* entry.c - one entry of a file of recorded encodings: its members, its bytes, its struct.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "padi/xdr.h"
#include "vectors/inside.h"

/* ---- Reporting ------------------------------------------------------------------------------- */

void tpi_vector_note(const tpi_vector_checker *c, const char *format, ...)
{
    char reason[512];
    char text[sizeof reason + sizeof c->what + 64];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    snprintf(text, sizeof text, "%s %u: %s%s%s", c->section, c->entry, c->what,
             c->what[0] == '\0' ? "" : ": ", reason);
    if (c->report->note != NULL) {
        c->report->note(c->report->context, text);
    }
}

void tpi_vector_count(tpi_vector_checker *c, bool good)
{
    if (good) {
        c->report->passed++;
    } else {
        c->report->failed++;
    }
}

void tpi_vector_list(tpi_vector_checker *c, tpi_json_span list, tpi_vector_check *check,
                     tpi_vector_check_one *check_one, const tp_struct *type)
{
    tpi_json json;
    tpi_json_span entry;

    c->entry = 0;
    tpi_json_init(&json, list.text, list.length);
    tpi_json_array(&json);
    while (tpi_json_element(&json) && tpi_json_skip(&json, &entry)) {
        c->entry++;
        snprintf(c->what, sizeof c->what, "%s", type == NULL ? "" : type->name);
        tpi_vector_count(c, check != NULL ? check(c, entry) : check_one(c, type, entry));
    }
    c->what[0] = '\0';
}

/* ---- Members --------------------------------------------------------------------------------- */

void tpi_vector_find(tpi_json_span object, tpi_vector_member *members, size_t n)
{
    tpi_json json;
    tpi_json_span name;
    tpi_json_span value;

    for (size_t i = 0; i < n; i++) {
        members[i].span = (tpi_json_span){NULL, 0};
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

const char *tpi_vector_text(tpi_json_span span, char out[TPI_VECTOR_NAME])
{
    out[0] = '\0';
    if (span.length >= 2 && span.text[0] == '"' && span.length - 2 < TPI_VECTOR_NAME) {
        memcpy(out, span.text + 1, span.length - 2);
        out[span.length - 2] = '\0';
    }
    return out;
}

int64_t tpi_vector_whole(tpi_json_span span, int64_t otherwise)
{
    tpi_json json;
    int64_t value;

    tpi_json_init(&json, span.text == NULL ? "" : span.text, span.length);
    return tpi_json_i64(&json, &value) ? value : otherwise;
}

bool tpi_vector_bytes(const tpi_vector_checker *c, tpi_json_span span, tpi_buf *out)
{
    tp_error err = {0};

    if (span.length < 2 || span.text[0] != '"') {
        tpi_vector_note(c, "the bytes are missing");
        return false;
    }
    if (tpi_hex_read(out, span.text + 1, span.length - 2, &err) != TP_OK) {
        tpi_vector_note(c, "the bytes cannot be read: %s", err.text);
        return false;
    }
    return true;
}

/* ---- One struct: encode and decode ----------------------------------------------------------- */

/* Where the bytes differ first, and how. */
static void note_difference(const tpi_vector_checker *c, const tp_struct *type,
                            const unsigned char *encoded, size_t size, const tpi_buf *bytes)
{
    const unsigned char *wanted = (const unsigned char *)tpi_buf_text(bytes);
    size_t at = 0;

    while (at < size && at < bytes->length && encoded[at] == wanted[at]) {
        at++;
    }
    if (at < size && at < bytes->length) {
        tpi_vector_note(c, "%s has %02x at offset %zu, the file has %02x", type->name, encoded[at],
                        at, wanted[at]);
    } else {
        tpi_vector_note(c, "%s has %zu bytes, the file has %zu", type->name, size, bytes->length);
    }
}

static bool same_bytes(const tpi_vector_checker *c, const tp_struct *type, const void *value,
                       const tpi_buf *bytes)
{
    size_t size = 0;
    tp_status status = tp_xdr_size(type, value, &size);
    unsigned char *encoded = status == TP_OK ? malloc(size + 1) : NULL;

    status = encoded != NULL   ? tp_xdr_encode(type, value, encoded, size, &size)
             : status == TP_OK ? TP_E_NOMEM
                               : status;
    const bool same =
        status == TP_OK && size == bytes->length && memcmp(encoded, tpi_buf_text(bytes), size) == 0;
    if (status != TP_OK) {
        tpi_vector_note(c, "%s cannot be encoded: %s", type->name, tp_status_text(status));
    } else if (!same) {
        note_difference(c, type, encoded, size, bytes);
    }
    free(encoded);
    return same;
}

bool tpi_vector_decode(const tpi_vector_checker *c, const tp_struct *type, const tpi_buf *bytes,
                       bool wanted, void **value)
{
    tp_error err = {0};
    const tp_status status = tp_xdr_decode_new(value, type, tpi_buf_text(bytes), bytes->length);

    if ((status == TP_OK) == wanted) {
        return true;
    }
    if (status == TP_OK) {
        tpi_vector_note(c, "it is decoded, the file says that it is refused");
    } else if (tpi_xdr_explain(type, tpi_buf_text(bytes), bytes->length, &err) == TP_OK) {
        tpi_vector_note(c, "the bytes cannot be decoded: %s", tp_status_text(status));
    } else {
        tpi_vector_note(c, "the bytes cannot be decoded: %s", err.text);
    }
    return false;
}

static bool same_value(const tpi_vector_checker *c, const tp_struct *type, const void *value,
                       const tpi_buf *bytes)
{
    void *decoded = NULL;
    char *text = NULL;
    bool same = tpi_vector_decode(c, type, bytes, true, &decoded);

    if (same && !tp_value_equal(type, decoded, value)) {
        tp_value_text(&text, type, decoded, TP_TEXT_JSON);
        tpi_vector_note(c, "the bytes decode to another %s: %s", type->name,
                        text == NULL ? "?" : text);
        same = false;
    }
    free(text);
    free(decoded);
    return same;
}

bool tpi_vector_struct(const tpi_vector_checker *c, const tp_struct *type, tpi_json_span values,
                       tpi_json_span hex)
{
    void *value = NULL;
    tpi_buf bytes = {0};
    tp_error err = {0};
    bool good = tpi_vector_bytes(c, hex, &bytes);

    if (good && tp_value_from_json(&value, type, values.text, values.length, &err) != TP_OK) {
        tpi_vector_note(c, "the values of %s cannot be read: %s", type->name, err.text);
        good = false;
    }
    good = good && same_bytes(c, type, value, &bytes) && same_value(c, type, value, &bytes);
    free(value);
    tpi_buf_fini(&bytes);
    return good;
}
