/* cfg_notes.c - see cfg_notes.h. */
#include "convert/cfg_notes.h"

#include <stdio.h>
#include <string.h>

enum { MOST_EQUAL = 3, MOST_ALIKE = 20, LONGEST = 320 };

/* What is reported at the end. */
struct line {
    const char *text; /* the arena's */
    uint32_t more;    /* that are like it */
};

struct group {
    uint32_t count; /* of lines */
    uint32_t last;  /* of these */
};

/* Where names of different kinds are in the table. */
static const char whole_scope, equal_scope, alike_scope;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What follows ":LINE:COLUMN: " at a colon; NULL if that is not there. */
static const char *behind_place(const char *colon)
{
    const char *line = colon + 1;
    const char *column = line + strspn(line, "0123456789") + 1;

    if (!is_digit(line[0]) || column[-1] != ':' || !is_digit(column[0])) {
        return NULL;
    }
    const char *end = column + strspn(column, "0123456789");
    return strncmp(end, ": ", 2) == 0 ? end + 2 : NULL;
}

/* What a note says of its place; NULL if it has none. */
static const char *behind_any_place(const char *text)
{
    const char *found = NULL;

    for (const char *at = strchr(text, ':'); at != NULL && found == NULL;
         at = strchr(at + 1, ':')) {
        found = behind_place(at);
    }
    return found;
}

/* A text without what stands in quotes, and without its numbers. */
static void put_shape(char shape[LONGEST], const char *text)
{
    size_t length = 0;
    bool quoted = false;

    for (; *text != '\0' && length + 1 < LONGEST; text++) {
        quoted = quoted != (*text == '"');
        if (!is_digit(*text) && *text != '.' && *text != '-' && (!quoted || *text == '"')) {
            shape[length++] = *text;
        }
    }
    shape[length] = '\0';
}

static bool remember(tpi_cfg_notes *notes, const void *scope, const char *name, uint32_t number)
{
    const char *copy = tpi_arena_text(&notes->arena, name, strlen(name));

    return copy != NULL && tpi_cfg_table_add(&notes->known, scope, copy, number);
}

/* The number of a group; false if memory ran out. */
static bool find_group(tpi_cfg_notes *notes, const void *scope, const char *name, uint32_t *number)
{
    static const struct group none;

    if (tpi_cfg_table_get(&notes->known, scope, name, number)) {
        return true;
    }
    *number = (uint32_t)(notes->groups.length / sizeof none);
    tpi_buf_put(&notes->groups, &none, sizeof none);
    return !notes->groups.failed && remember(notes, scope, name, *number);
}

static bool add_line(tpi_cfg_notes *notes, const char *text)
{
    const struct line line = {.text = tpi_arena_text(&notes->arena, text, strlen(text))};

    if (line.text != NULL) {
        tpi_buf_put(&notes->lines, &line, sizeof line);
    }
    return line.text != NULL && !notes->lines.failed;
}

/* Add a note that says `what`; false if memory ran out. */
static bool add(tpi_cfg_notes *notes, const char *text, const char *what)
{
    char shape[LONGEST];
    uint32_t equal_number, alike_number;

    put_shape(shape, what);
    if (!find_group(notes, &equal_scope, what, &equal_number) ||
        !find_group(notes, &alike_scope, shape, &alike_number)) {
        return false;
    }
    struct group *groups = (struct group *)(void *)notes->groups.data;
    struct line *lines = (struct line *)(void *)notes->lines.data;
    struct group *equal = &groups[equal_number];
    struct group *alike = &groups[alike_number];
    if (equal->count == MOST_EQUAL || alike->count == MOST_ALIKE) {
        lines[equal->count == MOST_EQUAL ? equal->last : alike->last].more++;
        return true;
    }
    if (!add_line(notes, text)) {
        return false;
    }
    equal->count++;
    alike->count++;
    equal->last = alike->last = (uint32_t)(notes->lines.length / sizeof *lines) - 1;
    return true;
}

void tpi_cfg_notes_add(void *context, const char *text)
{
    tpi_cfg_notes *notes = context;
    const char *what = behind_any_place(text);

    if (what != NULL && tpi_cfg_table_get(&notes->known, &whole_scope, text, NULL)) {
        return;
    }
    const bool kept = !notes->lines.failed && !notes->groups.failed &&
                      (what == NULL || remember(notes, &whole_scope, text, 0)) &&
                      add(notes, text, what == NULL ? text : what);
    if (!kept) {
        notes->note(notes->context, text);
    }
}

static void tell(const tpi_cfg_notes *notes, const struct line *line)
{
    tpi_buf text = {0};

    if (line->more > 0) {
        tpi_buf_printf(&text, "%s (and %u more like it)", line->text, line->more);
    }
    notes->note(notes->context, text.length > 0 ? tpi_buf_text(&text) : line->text);
    tpi_buf_fini(&text);
}

void tpi_cfg_notes_tell(tpi_cfg_notes *notes)
{
    const struct line *lines = (const struct line *)(const void *)notes->lines.data;

    for (size_t i = 0; i < notes->lines.length / sizeof *lines; i++) {
        tell(notes, &lines[i]);
    }
    tpi_buf_fini(&notes->lines);
    tpi_buf_fini(&notes->groups);
    tpi_cfg_table_fini(&notes->known);
    tpi_arena_fini(&notes->arena);
    *notes = (tpi_cfg_notes){.note = notes->note, .context = notes->context};
}
