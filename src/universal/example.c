/* example.c - reads the examples of a robot file; see example.h. */
#include "universal/example.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/number.h"
#include "base/text.h"

/* ---- Values ---- */

static tp_status read_text(const char **at, tpi_arena *arena, tpi_value *out)
{
    char text[400];
    size_t length = 0;

    for (++*at; **at != '\'' && **at != '\0' && length < sizeof text;) {
        const size_t used =
            **at == '\\' ? tpi_escape_read(*at + 1, strlen(*at + 1), &text[length]) : 0;
        if (**at == '\\' && used == 0) {
            return TP_E_SYNTAX;
        }
        if (used == 0) {
            text[length] = **at;
        }
        length++;
        *at += used + 1;
    }
    if (**at != '\'') {
        return TP_E_SYNTAX;
    }
    ++*at;
    out->text = tpi_arena_text(arena, text, length);
    out->length = (uint32_t)length;
    return out->text != NULL ? TP_OK : TP_E_NOMEM;
}

tp_status tpi_values_read(const char *text, tpi_arena *arena, tpi_value *out, unsigned most,
                          unsigned *count)
{
    *count = 0;
    for (const char *at = text + strspn(text, " "); *at != '\0';) {
        tp_status status = TP_OK;
        if (*count == most) {
            return TP_E_COUNT;
        }
        tpi_value *value = &out[(*count)++];
        *value = (tpi_value){0};
        if (*at == '\'') {
            status = read_text(&at, arena, value);
        } else {
            const size_t used = tpi_number_read_f64(at, strlen(at), &value->number);
            status = used > 0 ? TP_OK : TP_E_SYNTAX;
            at += used;
        }
        at += strspn(at, " ");
        if (status != TP_OK || (*at != ',' && *at != '\0')) {
            return status != TP_OK ? status : TP_E_SYNTAX;
        }
        at += *at == ',' ? 1 + strspn(at + 1, " ") : 0;
    }
    return TP_OK;
}

/* ---- Lines ---- */

/* Bytes in hexadecimal, and texts in '...' between them. */
static tp_status read_bytes(tpi_buf *out, const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        if (text[at] != '\'') {
            const char *quote = memchr(text + at, '\'', length - at);
            const size_t end = quote != NULL ? (size_t)(quote - text) : length;
            if (tpi_hex_read(out, text + at, end - at, NULL) != TP_OK) {
                return TP_E_SYNTAX;
            }
            at = end;
            continue;
        }
        for (at++; at < length && text[at] != '\''; at++) {
            char byte = text[at];
            if (byte == '\\') {
                const size_t used = tpi_escape_read(text + at + 1, length - at - 1, &byte);
                if (used == 0) {
                    return TP_E_SYNTAX;
                }
                at += used;
            }
            tpi_buf_putc(out, byte);
        }
        if (at++ == length) {
            return TP_E_SYNTAX;
        }
    }
    return TP_OK;
}

static tp_status read_line(tpi_example *out, const tpi_document *document, tpi_arena *arena,
                           const char *text, size_t length)
{
    tpi_example_line *line = &out->lines[out->line_count];
    tpi_buf bytes = {0};
    tp_status status = TP_OK;

    if ((*text != '>' && *text != '<') || out->line_count == TPI_MOST_LINES) {
        return tpi_element_fail(document, out->element,
                                "\"%.*s\": a line begins with > (written) or &lt; (read); at most "
                                "64 lines",
                                length > 20 ? 20 : (int)length, text);
    }
    if (read_bytes(&bytes, text + 1, length - 1) != TP_OK) {
        status = tpi_element_fail(document, out->element,
                                  "\"%.*s\": expected bytes in hexadecimal or texts: > 00 07 'M 5'",
                                  length > 40 ? 40 : (int)length, text);
    } else {
        line->is_read = *text == '<';
        line->length = bytes.length;
        line->bytes = (const uint8_t *)tpi_arena_text(arena, bytes.data != NULL ? bytes.data : "",
                                                      bytes.length);
        status = line->bytes != NULL ? TP_OK : tpi_document_no_memory(document);
        out->line_count++;
    }
    tpi_buf_fini(&bytes);
    return status;
}

static tp_status read_lines(tpi_example *out, const tpi_document *document, tpi_arena *arena)
{
    const char *text = out->element->text;
    tp_status status = TP_OK;

    while (*text != '\0' && status == TP_OK) {
        text += strspn(text, " \t\r\n");
        size_t length = strcspn(text, "\r\n");
        while (length > 0 && isspace((unsigned char)text[length - 1])) {
            length--;
        }
        if (length > 0) {
            status = read_line(out, document, arena, text, length);
        }
        text += length;
    }
    return status;
}

/* ---- Examples ---- */

static tp_status read_list(const tpi_example *out, const tpi_document *document, tpi_arena *arena,
                           const char *name, tpi_value *values, unsigned most, unsigned *count)
{
    const char *text = tpi_element_get(out->element, name);

    if (text != NULL && tpi_values_read(text, arena, values, most, count) != TP_OK) {
        return tpi_element_fail(document, out->element,
                                "%s=\"%.40s\": expected up to %u numbers or texts: 50, 'Hi'", name,
                                text, most);
    }
    return TP_OK;
}

tp_status tpi_example_read(tpi_example *out, const tpi_document *document, tpi_arena *arena,
                           const tpi_element *element)
{
    static const char *const names[] = {"device", "values", "result", "error", "slot",
                                        "with",   "framed", "setup",  NULL};
    tp_status status = tpi_element_only(document, element, names);

    *out = (tpi_example){.element = element,
                         .device = tpi_element_get(element, "device"),
                         .slot = tpi_element_get(element, "slot"),
                         .with = tpi_element_get(element, "with"),
                         .error = tpi_element_get(element, "error")};
    if (status == TP_OK) {
        status = tpi_element_flag(document, element, "framed", &out->is_framed);
    }
    if (status == TP_OK) {
        status = tpi_element_flag(document, element, "setup", &out->runs_setup);
    }
    if (status == TP_OK) {
        status = read_list(out, document, arena, "values", out->values, TPI_MOST_VALUES,
                           &out->value_count);
    }
    if (status == TP_OK) {
        status = read_list(out, document, arena, "result", out->results, TPI_MOST_RESULTS,
                           &out->result_count);
    }
    return status == TP_OK ? read_lines(out, document, arena) : status;
}
