/* manifest_element.c - elements of manifests as texts, numbers and words; see manifest_inside.h. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "sensors/manifest_inside.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

const char *tpi_manifest_text(struct manifest_reading *r, const tpi_element *element)
{
    const char *from = element->text;
    char *text = tpi_arena_text(&r->document->arena, from, strlen(from));
    char *to = text;

    if (text == NULL) {
        (void)tpi_document_no_memory(r->document);
        return NULL;
    }
    while (*from != '\0') {
        const bool blank = is_blank(*from);
        if (blank) {
            from += strspn(from, " \t\r\n");
        }
        if (blank && to > text && *from != '\0') {
            *to++ = ' ';
        } else if (!blank) {
            *to++ = *from++;
        }
    }
    *to = '\0';
    return text;
}

const tpi_element *tpi_manifest_child(const tpi_element *element, const char *name)
{
    const tpi_element *child = element->first;

    while (child != NULL && !tpi_manifest_same(child->name, name)) {
        child = child->next;
    }
    return child;
}

const char *tpi_manifest_child_text(struct manifest_reading *r, const tpi_element *element,
                                    const char *name)
{
    const tpi_element *child = element == NULL ? NULL : tpi_manifest_child(element, name);

    return child == NULL ? "" : tpi_manifest_text(r, child);
}

tp_status tpi_manifest_only(struct manifest_reading *r, const tpi_element *element,
                            const char *const *names, const char *const *many)
{
    tp_status status = TP_OK;

    for (const tpi_element *child = element->first; child != NULL; child = child->next) {
        const tpi_element *first = tpi_manifest_child(element, child->name);
        const bool repeats = many != NULL && tpi_manifest_word(many, child->name) >= 0;
        if (!repeats && tpi_manifest_word(names, child->name) < 0) {
            status = tpi_element_unexpected(r->document, child, names);
        } else if (!repeats && first != child) {
            status = tpi_element_fail(r->document, child,
                                      "it is there twice; remove this one or that of line %u",
                                      first->line);
        }
        if (!tpi_document_goes_on(r->document, status)) {
            return status;
        }
    }
    return TP_OK;
}

tp_status tpi_manifest_own_number(struct manifest_reading *r, const tpi_element *element,
                                  double low, double high, double *out)
{
    const char *text = tpi_manifest_text(r, element);

    if (text == NULL) {
        return TP_E_NOMEM;
    }
    if (*text == '\0' || tpi_number_read_f64(text, strlen(text), out) != strlen(text) ||
        !(*out >= low && *out <= high)) {
        *out = low;
        return tpi_element_fail(r->document, element,
                                "\"%.30s\" is no number from %g to %g; write one", text, low, high);
    }
    return TP_OK;
}

tp_status tpi_manifest_number(struct manifest_reading *r, const tpi_element *element,
                              const char *name, double low, double high, double missing,
                              double *out)
{
    const tpi_element *child = element == NULL ? NULL : tpi_manifest_child(element, name);

    *out = missing;
    if (child == NULL || child->text[strspn(child->text, " \t\r\n")] == '\0') {
        return TP_OK;
    }
    return tpi_manifest_own_number(r, child, low, high, out);
}

tp_status tpi_manifest_index(struct manifest_reading *r, const tpi_element *element,
                             unsigned expected)
{
    const char *text = tpi_element_get(element, "index");
    char wanted[16];

    snprintf(wanted, sizeof wanted, "%u", expected);
    if (text != NULL && strcmp(text, wanted) != 0) {
        return tpi_element_fail(r->document, element,
                                "index=\"%.20s\": they are numbered from 1 in their order; write "
                                "index=\"%s\"",
                                text, wanted);
    }
    return TP_OK;
}

tp_status tpi_manifest_choice(struct manifest_reading *r, const tpi_element *element,
                              const char *name, const char *const *words, int missing, int *out)
{
    const tpi_element *child = element == NULL ? NULL : tpi_manifest_child(element, name);
    const char *text = child == NULL ? "" : tpi_manifest_text(r, child);
    char all[120] = "", hint[80];
    tpi_nearest nearest;
    size_t at = 0;

    *out = missing;
    if (text == NULL) {
        return TP_E_NOMEM;
    }
    if (*text == '\0') {
        return TP_OK;
    }
    *out = tpi_manifest_word(words, text);
    if (*out >= 0) {
        return TP_OK;
    }
    *out = missing < 0 ? 0 : missing;
    tpi_nearest_init(&nearest, text);
    for (int i = 0; words[i] != NULL && at < sizeof all; i++) {
        tpi_nearest_offer(&nearest, words[i]);
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    return tpi_element_fail(r->document, child, "\"%.30s\" is not known%s; expected %s", text,
                            tpi_nearest_hint(&nearest, hint, sizeof hint), all);
}

unsigned tpi_manifest_count(const tpi_element *element, const char *name)
{
    unsigned count = 0;

    for (const tpi_element *child = element == NULL ? NULL : element->first; child != NULL;
         child = child->next) {
        count += tpi_manifest_same(child->name, name);
    }
    return count;
}

tp_status tpi_manifest_options(struct manifest_reading *r, const tpi_element *element,
                               unsigned first, const tpi_option **out, unsigned *count)
{
    static const char *const names[] = {"option", NULL};
    static const char *const attributes[] = {"index", NULL};
    const unsigned most = tpi_manifest_count(element, "option");
    tpi_option *options =
        tpi_arena_array(&r->document->arena, most > 0 ? most : 1, sizeof *options);
    tp_status status = tpi_manifest_only(r, element, names, names);

    *count = 0;
    *out = options;
    if (options == NULL) {
        return tpi_document_no_memory(r->document);
    }
    if (most > TPI_MOST_OPTIONS) {
        return tpi_element_fail(r->document, element, "over %d options", TPI_MOST_OPTIONS);
    }
    for (const tpi_element *child = element->first;
         child != NULL && tpi_document_goes_on(r->document, status); child = child->next) {
        if (!tpi_manifest_same(child->name, "option")) {
            continue;
        }
        options[*count].index = first + *count;
        options[*count].name = tpi_manifest_text(r, child);
        if (options[*count].name == NULL) {
            return TP_E_NOMEM;
        }
        status = tpi_element_only(r->document, child, attributes);
        if (status == TP_OK) {
            status = tpi_manifest_index(r, child, first + *count);
        }
        ++*count;
    }
    return tpi_document_goes_on(r->document, status) ? TP_OK : status;
}
