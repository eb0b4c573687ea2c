/*
 * cfg_parser.h - the state that the parts of the configuration parser share.
 *
 * cfg.c reads files and includes, cfg_parse.c sections, cfg_value.c values, cfg_macro.c macros;
 * cfg_field.c keeps fields, cfg_places.c tells where files were looked for.
 *
 * A macro is parsed once, into a section that belongs to no file (its template). Names inside it
 * are looked up when the macro is used, as Stage does: it may use macros that are defined behind
 * it. A use copies the template; values of fields are shared with it, so fields that came from a
 * macro are never changed in place.
 */
#ifndef TROUPE_CONVERT_CFG_PARSER_H
#define TROUPE_CONVERT_CFG_PARSER_H

#include "base/buf.h"
#include "convert/cfg_lex.h"
#include "convert/cfg_table.h"

enum {
    TPI_CFG_MOST_BYTES = 64 << 20, /* of all files together */
    TPI_CFG_MOST_DEPTH = 64,       /* of sections, and of macros in macros */
    TPI_CFG_MOST_INCLUDES = 16,    /* files within files */
    /* sections and fields that macros may make: so many, and so many more per byte of the files */
    TPI_CFG_MOST_EXPANDED = 4 << 20,
    TPI_CFG_EXPANDED_PER_BYTE = 16,
};

struct tpi_cfg_macro {
    const char *name;
    const tpi_cfg_section *template; /* its type, at its place, may be a macro in turn */
    tpi_cfg_place place;             /* of the name */
};

struct tpi_cfg {
    tpi_arena arena; /* holds everything */
    tpi_cfg_section root;
    struct tpi_cfg_macro *macros;
    uint32_t macro_count;
};

struct tpi_cfg_parser {
    tpi_cfg *cfg;            /* borrowed: the result */
    tpi_cfg_options options; /* what it points to is borrowed */
    tp_error *err;
    tpi_cfg_lexer lexer; /* of the file that is being read */
    const char *files[TPI_CFG_MOST_INCLUDES + 1];
    unsigned file_count;
    size_t bytes;   /* of the files so far */
    unsigned depth; /* open sections */
    bool defining;  /* inside a macro's body */
    tpi_buf values; /* of the tuple that is being read */
    tpi_cfg_table names;
    const struct tpi_cfg_macro *expanding[TPI_CFG_MOST_DEPTH]; /* those inside each other */
    unsigned expanding_count;
    size_t expanded; /* what macros have made so far */
};

/* Where items go. */
struct tpi_cfg_scope {
    tpi_cfg_section *section;
    uint32_t own_from; /* fields before this one are a macro's */
};

/* ---- cfg_parse.c ----------------------------------------------------------------------------- */

/* Read items up to a ")" or the end of the file. */
tp_status tpi_cfg_parse_items(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope);

/* At "(": read items and the ")". The name is that of the section or macro, for errors. */
tp_status tpi_cfg_parse_body(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope,
                             const tpi_cfg_token *name);

/* Look at the current token; move on. */
bool tpi_cfg_at(const struct tpi_cfg_parser *p, const char *mark);
tp_status tpi_cfg_take(struct tpi_cfg_parser *p, tpi_cfg_token *token);

/* Go one section deeper, which p->depth counts, unless that is too deep. */
tp_status tpi_cfg_enter(struct tpi_cfg_parser *p, const tpi_cfg_place *place);

/* A new section within another one, which may be NULL; NULL if memory ran out. */
tpi_cfg_section *tpi_cfg_add_section(struct tpi_cfg_parser *p, tpi_cfg_section *parent,
                                     const char *type, const tpi_cfg_place *place);

/* An array of the arena with room for one more item behind `count` ones; NULL if memory ran out. */
void *tpi_cfg_grow(struct tpi_cfg_parser *p, void *items, uint32_t count, size_t size);

/* Fail at the current token with "expected X, found Y". */
tp_status tpi_cfg_unexpected(struct tpi_cfg_parser *p, const char *format, ...) TP_PRINTF(2, 3);
tp_status tpi_cfg_no_memory(struct tpi_cfg_parser *p);
void tpi_cfg_tell(struct tpi_cfg_parser *p, const tpi_cfg_place *place, const char *format, ...)
    TP_PRINTF(3, 4);

/* The program that reads such files, for notes: "Player" or "Stage". */
const char *tpi_cfg_reader(const struct tpi_cfg_parser *p);

/* ---- cfg_value.c ----------------------------------------------------------------------------- */

/* Whether the current token can name a field: a word, but not yes, no, true or false. */
bool tpi_cfg_at_name(const struct tpi_cfg_parser *p);

/* Read the value or the tuple of the field into p->values. */
tp_status tpi_cfg_parse_values(struct tpi_cfg_parser *p, const tpi_cfg_token *name, bool *tuple);

/* ---- cfg_field.c ----------------------------------------------------------------------------- */

/* NULL if there is none. */
tpi_cfg_field *tpi_cfg_find_field(const struct tpi_cfg_parser *p, const tpi_cfg_section *section,
                                  const char *name);

/* Whether a field's values are put behind earlier ones: the plug-ins of a file. */
bool tpi_cfg_adds_up(const struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope,
                     const char *name);

/* Set a field whose values are the arena's. An earlier one is overwritten value by value, or they
 * add up. */
tp_status tpi_cfg_set_field(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope,
                            const tpi_cfg_field *field);

/* ---- cfg_macro.c ----------------------------------------------------------------------------- */

/* "define NAME TYPE ( ... )" behind the word define, which stood at `place`. */
tp_status tpi_cfg_define(struct tpi_cfg_parser *p, const tpi_cfg_place *place);

/* If the section's type is a macro: put in what it stands for. */
tp_status tpi_cfg_expand(struct tpi_cfg_parser *p, tpi_cfg_section *section);

/* Count towards what macros may make; fails at `place` if it is too much. */
tp_status tpi_cfg_count_expanded(struct tpi_cfg_parser *p, const tpi_cfg_place *place,
                                 uint32_t count);

/* ---- cfg.c ----------------------------------------------------------------------------------- */

/* "include STRING" behind the word include, which stood at `place`. */
tp_status tpi_cfg_include(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope,
                          const tpi_cfg_place *place);

/* ---- cfg_read.c ------------------------------------------------------------------------------ */

/* Like tpi_cfg_fail() with another code. */
tp_status tpi_cfg_fail_as(const tpi_cfg_place *place, tp_status code, tp_error *err,
                          const char *format, ...) TP_PRINTF(4, 5);

/* Refuse units that are none. */
tp_status tpi_cfg_check_units(tpi_cfg_section *root, tp_error *err);

#endif
