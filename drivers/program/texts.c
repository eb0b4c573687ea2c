/* texts.c - sources of programs: checked, formatted, as blocks, loaded, listed; see program.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play/blocks.h"
#include "play/format.h"
#include "play/host/library.h"
#include "play/parse.h"
#include "program.h"

static const int64_t LIST_NS = 2 * TP_NS_PER_S;

static void borrow(char **field, uint32_t *count, const char *text)
{
    memcpy(field, &text, sizeof *field);
    *count = (uint32_t)strlen(text) + 1;
}

/* The text of a client, which may be without its NUL. */
static const char *text_of(const tp_program_source *source, size_t *length)
{
    const char *end = source->text_count > 0 ? memchr(source->text, 0, source->text_count) : NULL;

    *length = end != NULL ? (size_t)(end - source->text) : source->text_count;
    return source->text_count > 0 ? source->text : "";
}

static tp_status no_memory(tp_error *err)
{
    return tp_fail(err, TP_E_NOMEM, "out of memory");
}

static tp_status check_size(size_t length, tp_error *err)
{
    return length <= TP_PROGRAM_MOST_SOURCE
               ? TP_OK
               : tp_fail(err, TP_E_LIMIT, "a program has at most %d bytes", TP_PROGRAM_MOST_SOURCE);
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

/* The report; its texts are copied into buffers of the program. */
static tp_status fill_report(struct program *p, const tpi_play_troubles *troubles,
                             tp_program_report *out, tp_error *err)
{
    const unsigned count = tpi_play_trouble_count(troubles);

    tpi_buf_clear(&p->seen.items);
    tpi_buf_clear(&p->seen.texts);
    *out = (tp_program_report){.chip_bytes = TPI_PLAY_CHIP_BYTES, .total = troubles->count};
    tp_program_mistake *list =
        (tp_program_mistake *)(void *)tpi_buf_reserve(&p->seen.items, (count + 1) * sizeof *list);
    for (unsigned i = 0; i < count; i++) {
        const tpi_play_trouble *trouble = &troubles->list[i];
        tpi_buf_put(&p->seen.texts, trouble->word, strlen(trouble->word) + 1);
        tpi_buf_put(&p->seen.texts, trouble->text, strlen(trouble->text) + 1);
        tpi_buf_put(&p->seen.texts, trouble->fix, strlen(trouble->fix) + 1);
    }
    if (list == NULL || p->seen.texts.failed || troubles->no_memory) {
        return no_memory(err);
    }
    const char *text = tpi_buf_text(&p->seen.texts);
    for (unsigned i = 0; i < count; i++) {
        const tpi_play_trouble *trouble = &troubles->list[i];
        list[i] = (tp_program_mistake){
            .line = trouble->line, .column = trouble->column, .width = trouble->width};
        borrow(&list[i].word, &list[i].word_count, text);
        borrow(&list[i].text, &list[i].text_count, text + list[i].word_count);
        text += list[i].word_count + list[i].text_count;
        borrow(&list[i].fix, &list[i].fix_count, text);
        text += list[i].fix_count;
    }
    out->mistakes = list;
    out->mistakes_count = count;
    return TP_OK;
}

/* Compile; the report has the mistakes. The program must be zeroed. */
static tp_status compile(struct program *p, tpi_play_program *program, const char *text,
                         size_t length, tp_program_report *report, tp_error *err)
{
    tpi_play_troubles *troubles = calloc(1, sizeof *troubles);
    tp_status status;

    if (troubles == NULL) {
        return no_memory(err);
    }
    tpi_play_compile(program, text, length, p->vocabulary, troubles);
    status = fill_report(p, troubles, report, err);
    report->bytes = troubles->count == 0 ? (uint32_t)program->image.length : 0;
    free(troubles);
    return status;
}

tp_status tpi_program_check(tp_device *device, const tp_program_source *ask,
                            tp_program_report *answer, tp_error *err)
{
    struct program *p = program_of(device);
    tpi_play_program program = {0};
    size_t length;
    const char *text = text_of(ask, &length);
    tp_status status = check_size(length, err);

    if (status == TP_OK) {
        status = compile(p, &program, text, length, answer, err);
        tpi_play_program_fini(&program);
    }
    return status;
}

/* ---- Loading --------------------------------------------------------------------------------- */

void tpi_program_unload(struct program *p)
{
    tpi_play_program_fini(&p->loaded.program);
    tpi_buf_fini(&p->loaded.text);
    p->loaded = (struct loaded){0};
    tpi_channels_destroy(p->boxes);
    p->boxes = NULL;
    p->fit.found_count = 0;
}

/* Take a text that has no mistakes: once more, with marks of its lines. */
static tp_status take(struct program *p, const char *name, const char *text, size_t length,
                      unsigned bytes, tp_error *err)
{
    struct loaded next = {.bytes = bytes, .program = {.marks_lines = true}};
    tpi_play_troubles *troubles = calloc(1, sizeof *troubles);

    tpi_buf_put(&next.text, text, length);
    (void)snprintf(next.name, sizeof next.name, "%s", name);
    const bool fine = troubles != NULL && !next.text.failed &&
                      tpi_play_compile(&next.program, text, length, p->vocabulary, troubles);
    const bool too_long = troubles != NULL && troubles->count > 0 && !troubles->no_memory;
    free(troubles);
    if (!fine) {
        tpi_play_program_fini(&next.program);
        tpi_buf_fini(&next.text);
        return too_long ? tp_fail(err, TP_E_LIMIT, "the program is too long to be watched")
                        : no_memory(err);
    }
    tpi_program_unload(p);
    p->loaded = next;
    p->phase = TP_PROGRAM_READY;
    p->runner->program = NULL;
    p->loads++;
    p->error[0] = '\0';
    p->error_line = 0;
    p->counts.steps = p->counts.commands = p->counts.held = 0;
    p->times.retry_ns = INT64_MAX;
    p->starts = false;
    tpi_program_changed(p);
    return TP_OK;
}

bool tpi_program_load(struct program *p, const char *name, const char *text, size_t length,
                      tp_program_report *report, tp_error *err)
{
    tpi_play_program program = {0};
    tp_status status = check_size(length, err);

    if (status == TP_OK) {
        status = compile(p, &program, text, length, report, err);
        if (status == TP_OK && report->total == 0) {
            status = take(p, name, text, length, report->bytes, err);
        } else if (status == TP_OK) {
            const tp_program_mistake *first = &report->mistakes[0];
            status = tp_fail(err, TP_E_INVALID, "%.60s:%u:%u: `%.30s`: %.80s", name, first->line,
                             first->column, first->word, first->text);
        }
        tpi_play_program_fini(&program);
    }
    return status == TP_OK;
}

tp_status tpi_program_request_load(tp_device *device, const tp_program_source *ask,
                                   tp_program_report *answer, tp_error *err)
{
    struct program *p = program_of(device);
    char name[MOST_NAME];
    size_t length;
    const char *text = text_of(ask, &length);

    if (tpi_program_is_busy(p)) {
        return tp_fail(err, TP_E_EXISTS,
                       "a program runs, is paused or is in transit; stop it first");
    }
    (void)snprintf(name, sizeof name, "%.*s", ask->name_count > 0 ? (int)ask->name_count - 1 : 0,
                   ask->name_count > 0 ? ask->name : "");
    const bool is_loaded =
        tpi_program_load(p, name[0] != '\0' ? name : "untitled.play", text, length, answer, err);
    if (is_loaded) {
        tpi_program_unkeep(p); /* another program has come in the place of the one that moved */
    }
    if (is_loaded || (err->code == TP_E_INVALID && answer->total > 0)) {
        err->code = TP_OK; /* mistakes are an answer */
        tpi_program_turn(p);
        return TP_OK;
    }
    return err->code;
}

/* ---- Text and blocks ------------------------------------------------------------------------- */

/* Parse a text and put it out, as blocks or formatted. */
static tp_status convert(tp_device *device, const tp_program_source *ask, bool to_blocks,
                         tp_program_converted *answer, tp_error *err)
{
    struct program *p = program_of(device);
    tpi_play_troubles *troubles = calloc(1, sizeof *troubles);
    tpi_play_tree tree = {0};
    size_t length;
    const char *text = text_of(ask, &length);
    tp_status status = check_size(length, err);

    tpi_buf_clear(&p->seen.room);
    if (status == TP_OK && troubles == NULL) {
        status = no_memory(err);
    }
    if (status == TP_OK) {
        if (tpi_play_parse(&tree, text, length, troubles)) {
            if (to_blocks) {
                tpi_play_blocks_put(&p->seen.room, &tree);
            } else {
                tpi_play_format(&p->seen.room, &tree);
            }
        }
        tpi_play_troubles_sort(troubles);
        status = fill_report(p, troubles, &answer->report, err);
    }
    if (status == TP_OK && p->seen.room.failed) {
        status = no_memory(err);
    }
    borrow(&answer->text, &answer->text_count, tpi_buf_text(&p->seen.room));
    tpi_play_tree_fini(&tree);
    free(troubles);
    return status;
}

tp_status tpi_program_format(tp_device *device, const tp_program_source *ask,
                             tp_program_converted *answer, tp_error *err)
{
    return convert(device, ask, false, answer, err);
}

tp_status tpi_program_blocks(tp_device *device, const tp_program_source *ask,
                             tp_program_converted *answer, tp_error *err)
{
    return convert(device, ask, true, answer, err);
}

tp_status tpi_program_text(tp_device *device, const tp_program_source *ask,
                           tp_program_converted *answer, tp_error *err)
{
    struct program *p = program_of(device);
    tpi_play_tree tree = {0};
    size_t length;
    const char *text = text_of(ask, &length);
    tp_status status = check_size(length, err);

    tpi_buf_clear(&p->seen.room);
    if (status == TP_OK) {
        status = tpi_play_blocks_read(&tree, text, length, err);
        if (status != TP_OK && status != TP_E_NOMEM) {
            status = err->code = TP_E_INVALID; /* what was sent is wrong, not the connection */
        }
    }
    if (status == TP_OK) {
        tpi_play_format(&p->seen.room, &tree);
        status = p->seen.room.failed ? no_memory(err) : TP_OK;
    }
    borrow(&answer->text, &answer->text_count, tpi_buf_text(&p->seen.room));
    answer->report.chip_bytes = TPI_PLAY_CHIP_BYTES;
    tpi_play_tree_fini(&tree);
    return status;
}

tp_status tpi_program_grammar(tp_device *device, tp_program_text *answer, tp_error *err)
{
    struct program *p = program_of(device);

    if (p->shelf.grammar.length == 0) {
        tpi_play_blocks_describe(&p->shelf.grammar, p->vocabulary, tpi_play_lang_at(0));
    }
    if (p->shelf.grammar.failed) {
        tpi_buf_clear(&p->shelf.grammar);
        return no_memory(err);
    }
    borrow(&answer->text, &answer->text_count, tpi_buf_text(&p->shelf.grammar));
    return TP_OK;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* The first comment of a text, for lists. */
static void put_title(tpi_buf *out, const tpi_buf *text)
{
    const char *at = tpi_buf_text(text);

    at += strspn(at, "# \t\r\n");
    const size_t length = strcspn(at, "\r\n");
    if (tpi_buf_text(text)[0] == '#') {
        tpi_buf_put(out, at, length < 100 ? length : 100);
    }
    tpi_buf_putc(out, '\0');
}

/* Read all programs for the list. */
static tp_status make_list(struct program *p, tp_error *err)
{
    const char *folder = tpi_buf_text(&p->shelf.folder);
    tpi_buf names = {0};
    const unsigned count = tpi_play_library_names(&names, folder);
    const char *name = tpi_buf_text(&names);

    tpi_buf_clear(&p->shelf.list_items);
    tpi_buf_clear(&p->shelf.list_texts);
    tp_program_item *list = (tp_program_item *)(void *)tpi_buf_reserve(&p->shelf.list_items,
                                                                       (count + 1) * sizeof *list);
    for (unsigned i = 0; i < count; i++) {
        tpi_buf text = {0};
        (void)tpi_play_library_read(&text, folder, name, NULL);
        tpi_buf_put(&p->shelf.list_texts, name, strlen(name) + 1);
        put_title(&p->shelf.list_texts, &text);
        tpi_buf_fini(&text);
        name += strlen(name) + 1;
    }
    const bool failed = list == NULL || p->shelf.list_texts.failed || names.failed;
    tpi_buf_fini(&names);
    p->shelf.list_count = failed ? 0 : count;
    if (failed) {
        return no_memory(err);
    }
    const char *text = tpi_buf_text(&p->shelf.list_texts);
    for (unsigned i = 0; i < count; i++) {
        borrow(&list[i].name, &list[i].name_count, text);
        borrow(&list[i].title, &list[i].title_count, text + list[i].name_count);
        text += list[i].name_count + list[i].title_count;
    }
    p->shelf.listed_ns = program_now(p);
    return TP_OK;
}

tp_status tpi_program_list(tp_device *device, tp_program_list *answer, tp_error *err)
{
    struct program *p = program_of(device);
    /* Clients that ask again and again take no time of the program. */
    const bool is_new = p->shelf.list_count > 0 && program_now(p) - p->shelf.listed_ns < LIST_NS;
    const tp_status status = is_new ? TP_OK : make_list(p, err);

    answer->items = (tp_program_item *)(void *)p->shelf.list_items.data;
    answer->items_count = p->shelf.list_count;
    return status;
}

tp_status tpi_program_fetch(tp_device *device, const tp_program_name *ask,
                            tp_program_source *answer, tp_error *err)
{
    struct program *p = program_of(device);
    const bool own = ask->name_count <= 1;
    tp_status status = TP_OK;

    tpi_buf_clear(&p->seen.room);
    if (own && (p->phase == TP_PROGRAM_EMPTY || p->phase == TP_PROGRAM_GONE)) {
        return tp_fail(err, TP_E_UNKNOWN, "no program is loaded");
    }
    (void)snprintf(p->shelf.fetched, sizeof p->shelf.fetched, "%.*s",
                   own ? MOST_NAME : (int)ask->name_count, own ? p->loaded.name : ask->name);
    if (!own) {
        status = tpi_play_library_read(&p->seen.room, tpi_buf_text(&p->shelf.folder),
                                       p->shelf.fetched, err);
    }
    borrow(&answer->name, &answer->name_count, p->shelf.fetched);
    borrow(&answer->text, &answer->text_count, tpi_buf_text(own ? &p->loaded.text : &p->seen.room));
    return status;
}
