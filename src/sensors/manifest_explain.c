/*
 * manifest_explain.c - why a text is no XML; see manifest.h.
 *
 * A parser of XML stops where it cannot go on, which is often far behind the mistake. Here the tags
 * are matched with tolerance: a name with a blank is the name with an underscore; a closing tag
 * that fits an outer element says that those inside it were not closed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sensors/manifest_inside.h"

enum { LONGEST_TAG = 40, DEEPEST = 32, MOST_TOLD = 64 };

struct tag {
    char name[LONGEST_TAG]; /* blanks are underscores */
    char written[LONGEST_TAG];
    unsigned line;
    bool closes, empty, has_blank;
};

struct told {
    unsigned line;
    char element[LONGEST_TAG];
    char text[120];
};

struct explaining {
    const char *at, *end;
    unsigned line;
    struct tag open[DEEPEST];
    unsigned depth;
    struct told told[MOST_TOLD];
    unsigned count;
};

static void tell(struct explaining *e, unsigned line, const char *element, const char *text)
{
    unsigned at = e->count;

    if (e->count == MOST_TOLD) {
        return;
    }
    while (at > 0 && e->told[at - 1].line > line) {
        e->told[at] = e->told[at - 1];
        at--;
    }
    e->told[at].line = line;
    snprintf(e->told[at].element, sizeof e->told[at].element, "%s", element);
    snprintf(e->told[at].text, sizeof e->told[at].text, "%s", text);
    e->count++;
}

/* ---- Tags ------------------------------------------------------------------------------------ */

static void count_lines(struct explaining *e, const char *to)
{
    for (; e->at < to; e->at++) {
        e->line += *e->at == '\n';
    }
}

/* Skip to behind `text`. */
static void skip_past(struct explaining *e, const char *text)
{
    const size_t length = strlen(text);
    const char *at = e->at;

    while ((size_t)(e->end - at) >= length && memcmp(at, text, length) != 0) {
        at++;
    }
    count_lines(e, (size_t)(e->end - at) >= length ? at + length : e->end);
}

/* The words of a tag up to the first attribute: "info uri" is a name with a blank. */
static void read_name(struct tag *tag, const char *from, const char *to)
{
    size_t length = 0;
    const char *equals = memchr(from, '=', (size_t)(to - from));
    const char *end = equals != NULL ? equals : to;

    if (equals != NULL) { /* the word before = is an attribute */
        while (end > from && end[-1] == ' ') {
            end--;
        }
        while (end > from && end[-1] != ' ') {
            end--;
        }
    }
    while (end > from && strchr(" \t\r\n/", end[-1]) != NULL) {
        end--;
    }
    for (; from < end && length + 1 < LONGEST_TAG; from++, length++) {
        tag->written[length] = *from;
        tag->name[length] = *from == ' ' ? '_' : *from;
        tag->has_blank = tag->has_blank || *from == ' ';
    }
    tag->name[length] = tag->written[length] = '\0';
}

/* The next tag; false at the end. */
static bool next_tag(struct explaining *e, struct tag *tag)
{
    for (;;) {
        const char *open = memchr(e->at, '<', (size_t)(e->end - e->at));
        if (open == NULL) {
            return false;
        }
        count_lines(e, open);
        if (e->end - open >= 4 && memcmp(open, "<!--", 4) == 0) {
            skip_past(e, "-->");
            continue;
        }
        if (e->end - open >= 2 && (open[1] == '?' || open[1] == '!')) {
            skip_past(e, ">");
            continue;
        }
        const char *close = memchr(open, '>', (size_t)(e->end - open));
        if (close == NULL) {
            return false;
        }
        *tag = (struct tag){.line = e->line};
        tag->closes = open[1] == '/';
        tag->empty = close[-1] == '/';
        read_name(tag, open + 1 + tag->closes, close);
        count_lines(e, close + 1);
        return true;
    }
}

/* ---- Matching -------------------------------------------------------------------------------- */

static void close_tag(struct explaining *e, const struct tag *tag)
{
    unsigned at = e->depth;
    char text[120];

    while (at > 0 && strcmp(e->open[at - 1].name, tag->name) != 0) {
        at--;
    }
    if (at == 0) {
        snprintf(text, sizeof text, "it is closed but was not opened; write <%s> before it",
                 tag->name);
        tell(e, tag->line, tag->name, text);
        return;
    }
    while (e->depth > at) {
        const struct tag *left = &e->open[--e->depth];
        snprintf(text, sizeof text, "it is not closed before </%s> of line %u; write </%s>",
                 tag->name, tag->line, left->name);
        tell(e, left->line, left->name, text);
    }
    e->depth = at - 1;
}

static void match_tag(struct explaining *e, const struct tag *tag)
{
    char text[120];

    if (tag->has_blank) {
        snprintf(text, sizeof text, "a name has no blank; write <%s%s>", tag->closes ? "/" : "",
                 tag->name);
        tell(e, tag->line, tag->written, text);
    }
    if (tag->closes) {
        close_tag(e, tag);
    } else if (!tag->empty && e->depth < DEEPEST) {
        e->open[e->depth++] = *tag;
    }
}

unsigned tpi_manifest_explain(const tpi_document *document, const char *text, size_t length)
{
    struct explaining *e = calloc(1, sizeof *e);
    struct tag tag;
    unsigned count;

    if (e == NULL) {
        return 0;
    }
    e->at = text;
    e->end = text + length;
    e->line = 1;
    while (next_tag(e, &tag)) {
        match_tag(e, &tag);
    }
    while (e->depth > 0) {
        const struct tag *left = &e->open[--e->depth];
        tell(e, left->line, left->name, "it is not closed at the end of the file");
    }
    count = e->count;
    for (unsigned i = 0; i < count && (i == 0 || document->mistakes != NULL); i++) {
        const tpi_element element = {.name = e->told[i].element, .line = e->told[i].line};
        (void)tpi_element_fail(document, &element, "%s", e->told[i].text);
    }
    free(e);
    return count;
}
