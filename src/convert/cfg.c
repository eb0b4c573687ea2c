/*
 * cfg.c - configuration files and what they include.
 *
 * An included file is a list of items by itself: a section ends in the file where it began.
 */
#include "convert/cfg.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "convert/cfg_parser.h"

/* ---- One file -------------------------------------------------------------------------------- */

/* Read a file's items into the scope; the file that was being read is then the current one again.
 * `path` is the arena's. */
static tp_status parse_file(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope,
                            const char *path, const char *text, size_t length)
{
    const tpi_cfg_lexer outer = p->lexer;

    p->files[p->file_count++] = path;
    p->bytes += length;
    tp_status status = tpi_cfg_lexer_init(&p->lexer, path, text, length, &p->cfg->arena, p->err);
    if (status == TP_OK) {
        status = tpi_cfg_parse_items(p, scope);
    }
    if (status == TP_OK && p->lexer.token.kind != TPI_CFG_TOKEN_END) {
        status = tpi_cfg_fail(&p->lexer.token.place, p->err, "\")\" closes nothing");
    }
    p->lexer = outer;
    p->file_count--;
    return status;
}

/* ---- Includes -------------------------------------------------------------------------------- */

/* A file that is to be included. */
struct inclusion {
    tpi_cfg_value name;
    tpi_cfg_place place; /* of the word include */
    char *path;          /* owned; NULL until it is found */
    tpi_buf text;
};

/* Look for the file beside `beside`. */
static tp_status read_beside(struct tpi_cfg_parser *p, struct inclusion *file, const char *beside,
                             tp_error *err)
{
    tpi_cfg_value name = file->name;

    name.place.file = beside;
    free(file->path);
    file->path = NULL;
    tpi_buf_clear(&file->text);
    tp_status status = tpi_cfg_path(&name, &file->path, err);
    if (status != TP_OK) {
        return status;
    }
    return tpi_file_read(&file->text, file->path, TPI_CFG_MOST_BYTES - p->bytes, err);
}

/* Look for the file in the folders of the options. */
static tp_status try_folders(struct tpi_cfg_parser *p, struct inclusion *file)
{
    tp_status status = TP_E_IO;

    for (const char *at = p->options.folders; at != NULL && status == TP_E_IO;) {
        const size_t length = strcspn(at, ":");
        tpi_buf folder = {0};
        tpi_buf_printf(&folder, "%.*s/", (int)length, at);
        if (length > 0) {
            status = folder.failed ? TP_E_NOMEM : read_beside(p, file, folder.data, NULL);
        }
        tpi_buf_fini(&folder);
        at = at[length] == '\0' ? NULL : at + length + 1;
    }
    return status;
}

/* As it is named, and then, as Stage does, whatever folder it is said to be in. */
static tp_status read_from_folders(struct tpi_cfg_parser *p, struct inclusion *file)
{
    const tpi_cfg_value as_named = file->name;
    const char *slash = strrchr(file->name.text, '/');
    tp_status status = try_folders(p, file);

    if (status == TP_E_IO && slash != NULL) {
        file->name.text = slash + 1;
        status = try_folders(p, file);
        file->name = as_named;
    }
    return status;
}

/* It is nowhere; `why` is what was said of the first place. */
static tp_status fail_to_find(struct tpi_cfg_parser *p, const struct inclusion *file,
                              const tp_error *why)
{
    const bool stage = p->options.dialect == TPI_CFG_STAGE;
    const bool absolute = file->name.text[0] == '/';
    const char *current = p->files[p->file_count - 1];
    const char *first = stage ? p->files[0] : current;
    const tpi_cfg_search search = {.files = {first, absolute ? first
                                                    : stage  ? current
                                                             : p->files[0]},
                                   .folders = stage ? p->options.folders : NULL,
                                   .note = p->options.note,
                                   .context = p->options.context};
    tp_error what;

    tp_fail(&what, TP_E_IO, "cannot include %s", why->text);
    return tpi_cfg_fail_to_find(&search, &file->place, what.text, p->err);
}

/* Player and Stage look beside the main file only. */
static tp_status read_inclusion(struct tpi_cfg_parser *p, struct inclusion *file)
{
    const bool stage = p->options.dialect == TPI_CFG_STAGE;
    const char *current = p->files[p->file_count - 1];
    tp_error err = {0};
    tp_status status = read_beside(p, file, stage ? p->files[0] : current, &err);

    if (status == TP_E_IO && p->file_count > 1) {
        status = read_beside(p, file, stage ? current : p->files[0], NULL);
    }
    if (status == TP_E_IO && stage) {
        status = read_from_folders(p, file);
    }
    if (status == TP_E_NOMEM) {
        return tpi_cfg_no_memory(p);
    }
    if (status == TP_E_LIMIT) {
        return tpi_cfg_fail_as(&file->place, status, p->err,
                               "with \"%.80s\" the files are longer than %d bytes", file->name.text,
                               TPI_CFG_MOST_BYTES);
    }
    return status == TP_OK ? TP_OK : fail_to_find(p, file, &err);
}

static tp_status check_circle(struct tpi_cfg_parser *p, const struct inclusion *file)
{
    for (unsigned i = 0; i < p->file_count; i++) {
        if (strcmp(p->files[i], file->path) == 0) {
            return tpi_cfg_fail(&file->place, p->err,
                                "\"%.80s\" cannot be included: it includes this file",
                                file->name.text);
        }
    }
    return TP_OK;
}

static tp_status parse_inclusion(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope,
                                 const struct inclusion *file)
{
    const char *path = tpi_arena_text(&p->cfg->arena, file->path, strlen(file->path));

    if (path == NULL) {
        return tpi_cfg_no_memory(p);
    }
    return parse_file(p, scope, path, tpi_buf_text(&file->text), file->text.length);
}

tp_status tpi_cfg_include(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope,
                          const tpi_cfg_place *place)
{
    struct inclusion file = {.place = *place};
    tpi_cfg_token name;

    if (p->lexer.token.kind != TPI_CFG_TOKEN_STRING) {
        return tpi_cfg_unexpected(p, "the name of a file in quotes");
    }
    if (p->file_count > TPI_CFG_MOST_INCLUDES) {
        return tpi_cfg_fail_as(place, TP_E_LIMIT, p->err, "files include each other deeper than %d",
                               TPI_CFG_MOST_INCLUDES);
    }
    if (p->lexer.token.text[0] == '\0') {
        return tpi_cfg_fail(&p->lexer.token.place, p->err, "the name of the file is empty");
    }
    tp_status status = tpi_cfg_take(p, &name);
    if (p->options.dialect == TPI_CFG_STAGE && p->lexer.token.kind != TPI_CFG_TOKEN_END &&
        p->lexer.token.place.line == name.place.line) {
        tpi_cfg_tell(p, &p->lexer.token.place, "Stage ignores what follows an include in its line");
    }
    if (status == TP_OK) {
        file.name = (tpi_cfg_value){.kind = TPI_CFG_STRING, .text = name.text, .place = name.place};
        status = read_inclusion(p, &file);
    }
    if (status == TP_OK) {
        status = check_circle(p, &file);
    }
    if (status == TP_OK) {
        status = parse_inclusion(p, scope, &file);
    }
    free(file.path);
    tpi_buf_fini(&file.text);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static tp_status parse_main(tpi_cfg *cfg, struct tpi_cfg_parser *p, const char *path,
                            const char *text, size_t length)
{
    const struct tpi_cfg_scope scope = {.section = &cfg->root};
    const char *file = tpi_arena_text(&cfg->arena, path, strlen(path));

    if (file == NULL) {
        return tp_fail(p->err, TP_E_NOMEM, "%s: out of memory", path);
    }
    cfg->root = (tpi_cfg_section){.type = "", .place = {.file = file, .line = 1, .column = 1}};
    tp_status status = parse_file(p, &scope, file, text, length);
    return status == TP_OK ? tpi_cfg_check_units(&cfg->root, p->err) : status;
}

tp_status tpi_cfg_parse_as(tpi_cfg **out, const char *path, const char *text, size_t length,
                           const tpi_cfg_options *options, tp_error *err)
{
    *out = NULL;
    if (length > TPI_CFG_MOST_BYTES) {
        return tp_fail(err, TP_E_LIMIT, "%s: longer than %d bytes", path, TPI_CFG_MOST_BYTES);
    }
    tpi_cfg *cfg = calloc(1, sizeof *cfg);
    if (cfg == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", path);
    }
    struct tpi_cfg_parser p = {.cfg = cfg, .options = *options, .err = err};
    tp_status status = parse_main(cfg, &p, path, text, length);

    tpi_buf_fini(&p.values);
    tpi_cfg_table_fini(&p.names);
    if (status != TP_OK) {
        tpi_cfg_destroy(cfg);
        return status;
    }
    *out = cfg;
    return TP_OK;
}

tp_status tpi_cfg_load_as(tpi_cfg **out, const char *path, const tpi_cfg_options *options,
                          tp_error *err)
{
    tpi_buf text = {0};

    *out = NULL;
    tp_status status = tpi_file_read(&text, path, TPI_CFG_MOST_BYTES, err);
    if (status == TP_OK) {
        status = tpi_cfg_parse_as(out, path, tpi_buf_text(&text), text.length, options, err);
    }
    tpi_buf_fini(&text);
    return status;
}

tp_status tpi_cfg_parse(tpi_cfg **out, const char *path, const char *text, size_t length,
                        tpi_cfg_note *note, void *context, tp_error *err)
{
    const tpi_cfg_options options = {.note = note, .context = context};

    return tpi_cfg_parse_as(out, path, text, length, &options, err);
}

tp_status tpi_cfg_load(tpi_cfg **out, const char *path, tpi_cfg_note *note, void *context,
                       tp_error *err)
{
    const tpi_cfg_options options = {.note = note, .context = context};

    return tpi_cfg_load_as(out, path, &options, err);
}

void tpi_cfg_destroy(tpi_cfg *cfg)
{
    if (cfg != NULL) {
        tpi_arena_fini(&cfg->arena);
        free(cfg);
    }
}

tpi_cfg_section *tpi_cfg_root(tpi_cfg *cfg)
{
    return &cfg->root;
}
