/*
 * parts.c - texts about interfaces, made once.
 *
 * The list of devices and their Thing Descriptions say the same of each device of an interface, but
 * for some names. With hundreds of devices they take milliseconds, in which all clients would wait.
 * So the text about an interface is made once, with marks where the names stand.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* Where a name stands in the text. */
struct mark {
    uint32_t at;
    uint32_t which;
};

struct part {
    struct part *next;
    const void *about; /* borrowed */
    unsigned kind;
    tpi_buf text;
    tpi_buf marks; /* structs mark; their bytes are in the text, too */
};

/* JSON has no such characters of its own. */
static void find_marks(struct part *part)
{
    const char *text = tpi_buf_text(&part->text);

    for (size_t i = 0; i < part->text.length; i++) {
        if (text[i] > 0 && text[i] <= PART_NAMES) {
            const struct mark mark = {(uint32_t)i, (uint32_t)text[i] - 1};
            tpi_buf_put(&part->marks, &mark, sizeof mark);
        }
    }
}

static void destroy(struct part *part)
{
    tpi_buf_fini(&part->text);
    tpi_buf_fini(&part->marks);
    free(part);
}

const struct part *tpi_web_part(struct web_front *front, const void *about, unsigned kind,
                                web_make *make)
{
    struct part *part = front->texts.parts;

    assert(front_is_current(front));
    while (part != NULL && (part->about != about || part->kind != kind)) {
        part = part->next;
    }
    if (part != NULL || (part = calloc(1, sizeof *part)) == NULL) {
        return part;
    }
    part->about = about;
    part->kind = kind;
    make(&part->text, about, kind);
    find_marks(part);
    if (part->text.failed || part->marks.failed) {
        destroy(part);
        return NULL;
    }
    part->next = front->texts.parts;
    front->texts.parts = part;
    return part;
}

void tpi_web_put_part(tpi_buf *out, const struct part *part, const char *const names[PART_NAMES])
{
    const size_t count = part != NULL ? part->marks.length / sizeof(struct mark) : 0;
    size_t at = 0;

    if (part == NULL) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct mark mark;
        memcpy(&mark, part->marks.data + i * sizeof mark, sizeof mark);
        tpi_buf_put(out, part->text.data + at, mark.at - at);
        tpi_buf_puts(out, names[mark.which]);
        at = mark.at + 1;
    }
    tpi_buf_put(out, part->text.data + at, part->text.length - at);
}

void tpi_web_parts_clear(struct web_front *front)
{
    while (front->texts.parts != NULL) {
        struct part *part = front->texts.parts;
        front->texts.parts = part->next;
        destroy(part);
    }
}
