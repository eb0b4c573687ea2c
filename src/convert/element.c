/* element.c - XML files as trees; see element.h. */
#include "convert/element.h"

#include <expat.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/number.h"
#include "base/text.h"

/* The state of reading. */
struct reading {
    tpi_document *document;
    XML_Parser parser;
    tp_status status;
    unsigned depth, elements;
    tpi_element *open[TPI_MOST_DEPTH];
    tpi_element **end[TPI_MOST_DEPTH]; /* where the next child goes */
    tpi_buf texts[TPI_MOST_DEPTH];
};

/* ---- Messages ---- */

/* The end of a long path: an error has room for little more than one line. */
static const char *end_of_path(const char *path)
{
    enum { MOST = 60 };
    const size_t length = strlen(path);

    return length > MOST ? path + length - MOST : path;
}

tp_status tpi_element_fail(const tpi_document *document, const tpi_element *element,
                           const char *format, ...)
{
    char text[200];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    tp_error told = {0};
    (void)tp_fail(&told, TP_E_INVALID, "%s:%u: <%.24s>: %s", end_of_path(document->path),
                  element->line, element->name, text);
    if (document->mistakes != NULL) {
        document->mistakes->tell(document->mistakes->context, told.text);
        document->mistakes->count++;
    }
    if (document->err != NULL && (document->mistakes == NULL || document->mistakes->count == 1)) {
        *document->err = told;
    }
    return TP_E_INVALID;
}

bool tpi_document_goes_on(const tpi_document *document, tp_status status)
{
    return status == TP_OK || (status == TP_E_INVALID && document->mistakes != NULL);
}

tp_status tpi_document_no_memory(const tpi_document *document)
{
    return tp_fail(document->err, TP_E_NOMEM, "out of memory");
}

static void stop(struct reading *in, tp_status status)
{
    in->status = status;
    XML_StopParser(in->parser, XML_FALSE);
}

static void refuse(struct reading *in, const char *text)
{
    stop(in, tp_fail(in->document->err, TP_E_INVALID, "%s:%u: %s", end_of_path(in->document->path),
                     (unsigned)XML_GetCurrentLineNumber(in->parser), text));
}

/* ---- Expat ---- */

static tpi_element *make(struct reading *in, const char *name, const char **attributes)
{
    tpi_arena *arena = &in->document->arena;
    tpi_element *element = tpi_arena_alloc(arena, sizeof *element);
    size_t count = 0;

    while (attributes[2 * count] != NULL) {
        count++;
    }
    if (element == NULL ||
        (element->attributes = tpi_arena_array(arena, count + 1, sizeof(tpi_attribute))) == NULL ||
        (element->name = tpi_arena_text(arena, name, strlen(name))) == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        tpi_attribute *a = &element->attributes[i];
        a->name = tpi_arena_text(arena, attributes[2 * i], strlen(attributes[2 * i]));
        a->value = tpi_arena_text(arena, attributes[2 * i + 1], strlen(attributes[2 * i + 1]));
        if (a->name == NULL || a->value == NULL) {
            return NULL;
        }
    }
    element->line = (unsigned)XML_GetCurrentLineNumber(in->parser);
    element->text = "";
    return element;
}

static void XMLCALL on_open(void *data, const char *name, const char **attributes)
{
    struct reading *in = data;

    if (in->status != TP_OK) {
        return; /* expat may call once more after it was stopped */
    }
    if (in->depth == TPI_MOST_DEPTH || ++in->elements > TPI_MOST_ELEMENTS) {
        refuse(in, in->depth == TPI_MOST_DEPTH ? "elements are nested over 16 deep"
                                               : "the file has over 20000 elements");
        return;
    }
    tpi_element *element = make(in, name, attributes);
    if (element == NULL) {
        stop(in, tpi_document_no_memory(in->document));
        return;
    }
    if (in->depth == 0) {
        in->document->root = element;
    } else {
        *in->end[in->depth - 1] = element;
        in->end[in->depth - 1] = &element->next;
    }
    in->open[in->depth] = element;
    in->end[in->depth] = &element->first;
    tpi_buf_clear(&in->texts[in->depth]);
    in->depth++;
}

static void XMLCALL on_close(void *data, const char *name)
{
    struct reading *in = data;

    (void)name;
    if (in->status != TP_OK) {
        return;
    }
    in->depth--;
    const tpi_buf *text = &in->texts[in->depth];
    if (text->length > 0) {
        in->open[in->depth]->text = tpi_arena_text(&in->document->arena, text->data, text->length);
    }
    if (text->failed || in->open[in->depth]->text == NULL) {
        stop(in, tpi_document_no_memory(in->document));
    }
}

static void XMLCALL on_text(void *data, const char *text, int length)
{
    struct reading *in = data;

    if (in->status == TP_OK && in->depth > 0) {
        tpi_buf_put(&in->texts[in->depth - 1], text, (size_t)length);
    }
}

static void XMLCALL on_doctype(void *data, const char *name, const char *system, const char *public,
                               int has_declarations)
{
    (void)name;
    (void)system;
    (void)public;
    (void)has_declarations;
    refuse(data, "<!DOCTYPE> is not allowed; remove it");
}

/* What is wrong with the XML, and what mends it. */
static tp_status refuse_xml(const struct reading *in, enum XML_Error error)
{
    const tpi_document *document = in->document;
    const char *path = end_of_path(document->path);
    const unsigned line = (unsigned)XML_GetCurrentLineNumber(in->parser);
    const tpi_element *open = in->depth > 0 ? in->open[in->depth - 1] : NULL;

    switch (error) {
    case XML_ERROR_NO_MEMORY:
        return tpi_document_no_memory(document);
    case XML_ERROR_TAG_MISMATCH:
    case XML_ERROR_NO_ELEMENTS:
        return open != NULL ? tp_fail(document->err, TP_E_INVALID,
                                      "%s:%u: <%.40s> of line %u is not closed; write </%.40s>",
                                      path, line, open->name, open->line, open->name)
                            : tp_fail(document->err, TP_E_INVALID,
                                      "%s:%u: the file is empty; it must be XML", path, line);
    case XML_ERROR_INVALID_TOKEN:
        return tp_fail(document->err, TP_E_INVALID, "%s:%u: this is no XML%s", path, line,
                       document->root == NULL ? "; a file begins with <"
                                              : "; write &lt; for <, &amp; for &, and a quote at "
                                                "both ends of a value");
    default:
        return tp_fail(document->err, TP_E_INVALID, "%s:%u: %s; this is no XML", path, line,
                       XML_ErrorString(error));
    }
}

static tp_status parse(struct reading *in, const char *text, size_t length)
{
    static const XML_Memory_Handling_Suite memory = {malloc, realloc, free};
    tpi_document *document = in->document;

    if (length > TPI_MOST_DOCUMENT) {
        return tp_fail(document->err, TP_E_LIMIT, "%s:1: the file has over 4 MB",
                       end_of_path(document->path));
    }
    in->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (in->parser == NULL) {
        return tpi_document_no_memory(document);
    }
    XML_SetUserData(in->parser, in);
    XML_SetElementHandler(in->parser, on_open, on_close);
    XML_SetCharacterDataHandler(in->parser, on_text);
    XML_SetStartDoctypeDeclHandler(in->parser, on_doctype);
    if (XML_Parse(in->parser, text, (int)length, 1) != XML_STATUS_OK && in->status == TP_OK) {
        in->status = refuse_xml(in, XML_GetErrorCode(in->parser));
    }
    XML_ParserFree(in->parser);
    return in->status;
}

tp_status tpi_document_read(tpi_document *out, const char *text, size_t length, const char *path,
                            tp_error *err)
{
    struct reading in = {.document = out};

    out->path = path;
    out->err = err;
    const tp_status status = parse(&in, text, length);
    for (unsigned i = 0; i < TPI_MOST_DEPTH; i++) {
        tpi_buf_fini(&in.texts[i]);
    }
    return status;
}

void tpi_document_fini(tpi_document *document)
{
    tpi_arena_fini(&document->arena);
    document->root = NULL;
}

/* ---- Attributes ---- */

const char *tpi_element_get(const tpi_element *element, const char *name)
{
    for (const tpi_attribute *a = element->attributes; a->name != NULL; a++) {
        if (strcmp(a->name, name) == 0) {
            return a->value;
        }
    }
    return NULL;
}

const char *tpi_element_need(const tpi_document *document, const tpi_element *element,
                             const char *name)
{
    const char *value = tpi_element_get(element, name);

    if (value == NULL || value[strspn(value, " \t\n")] == '\0') {
        tpi_element_fail(document, element, "%s is missing; write %s=\"...\"", name, name);
        return NULL;
    }
    return value;
}

/* "a, b, c": the names that fit as a whole; "none" without one. */
static const char *join(char *out, size_t size, const char *const *names)
{
    enum { MORE = sizeof ", ..." };
    size_t at = (size_t)snprintf(out, size, "%s", *names == NULL ? "none" : "");

    for (const char *comma = ""; *names != NULL; names++, comma = ", ") {
        if (at + strlen(comma) + strlen(*names) + MORE > size) {
            snprintf(out + at, size - at, ", ...");
            break;
        }
        at += (size_t)snprintf(out + at, size - at, "%s%s", comma, *names);
    }
    return out;
}

tp_status tpi_element_only(const tpi_document *document, const tpi_element *element,
                           const char *const *names)
{
    for (const tpi_attribute *a = element->attributes; a->name != NULL; a++) {
        tpi_nearest nearest;
        char hint[80], all[100];

        if (tpi_text_among(names, a->name)) {
            continue;
        }
        tpi_nearest_init(&nearest, a->name);
        for (const char *const *name = names; *name != NULL; name++) {
            tpi_nearest_offer(&nearest, *name);
        }
        return tpi_element_fail(document, element, "no attribute \"%.30s\"%s; expected %s", a->name,
                                tpi_nearest_hint(&nearest, hint, sizeof hint),
                                join(all, sizeof all, names));
    }
    return TP_OK;
}

tp_status tpi_element_unexpected(const tpi_document *document, const tpi_element *child,
                                 const char *const *names)
{
    tpi_nearest nearest;
    char hint[80], all[120];

    tpi_nearest_init(&nearest, child->name);
    for (const char *const *name = names; *name != NULL; name++) {
        tpi_nearest_offer(&nearest, *name);
    }
    return tpi_element_fail(document, child, "it cannot stand here%s; expected %s",
                            tpi_nearest_hint(&nearest, hint, sizeof hint),
                            join(all, sizeof all, names));
}

tp_status tpi_element_number(const tpi_document *document, const tpi_element *element,
                             const char *name, double low, double high, double missing, double *out)
{
    const char *text = tpi_element_get(element, name);

    *out = missing;
    if (text == NULL) {
        return TP_OK;
    }
    if (tpi_number_read_f64(text, strlen(text), out) != strlen(text) || *text == '\0' ||
        !(*out >= low && *out <= high)) {
        return tpi_element_fail(document, element, "%s=\"%.30s\": expected a number from %g to %g",
                                name, text, low, high);
    }
    return TP_OK;
}

tp_status tpi_element_pair(const tpi_document *document, const tpi_element *element,
                           const char *name, double out[2])
{
    const char *text = tpi_element_get(element, name), *at = text;

    for (int i = 0; i < 2 && at != NULL; i++) {
        at += strspn(at, " ");
        const size_t used = tpi_number_read_f64(at, strlen(at), &out[i]);
        at = used > 0 ? at + used : NULL;
    }
    if (text != NULL && (at == NULL || at[strspn(at, " ")] != '\0' || !(out[0] < out[1]))) {
        return tpi_element_fail(document, element,
                                "%s=\"%.30s\": expected two numbers, the lower one first", name,
                                text);
    }
    return TP_OK;
}

tp_status tpi_element_flag(const tpi_document *document, const tpi_element *element,
                           const char *name, bool *out)
{
    const char *text = tpi_element_get(element, name);

    *out = text != NULL && strcmp(text, "yes") == 0;
    if (text != NULL && !*out && strcmp(text, "no") != 0) {
        return tpi_element_fail(document, element, "%s=\"%.30s\": expected yes or no", name, text);
    }
    return TP_OK;
}

tp_status tpi_element_version(const tpi_document *document, const tpi_element *element)
{
    const char *text = tpi_element_need(document, element, "version");

    if (text == NULL) {
        return TP_E_INVALID;
    }
    if (strcmp(text, "1") != 0) {
        return tpi_element_fail(document, element,
                                "version=\"%.20s\" is not known; this program reads version 1",
                                text);
    }
    return TP_OK;
}

const char *tpi_list_next(tpi_arena *arena, const char **at, bool *failed)
{
    const char *start = *at + strspn(*at, " \t\r\n,");
    size_t length = strcspn(start, ",");

    if (*start == '\0') {
        return NULL;
    }
    *at = start + length;
    while (length > 0 && strchr(" \t\r\n", start[length - 1]) != NULL) {
        length--;
    }
    const char *word = tpi_arena_text(arena, start, length);
    *failed = *failed || word == NULL;
    return word;
}
