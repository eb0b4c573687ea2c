/*
 * cfg.h - the file grammar that Player's configurations and Stage's worlds share.
 *
 *     include "common.inc"                       # a comment
 *     define sicklaser laser ( range_max 8.0 )   # a macro: a section with fields to start from
 *     driver
 *     (
 *       name "fake"
 *       provides [ "position2d:0" "laser:0" ]    # a tuple
 *       alwayson yes
 *     )
 *     plugin "kmot"                              # one more of them adds to the field's values
 *
 * A file is parsed into sections with fields and sub-sections. A field that is given again takes
 * the place of the earlier one, but for the plug-ins of the file itself, which add up. Nothing is
 * limited but what is absurd; whatever is tolerated (commas, exponents) is reported as a note.
 * Errors name file, line and column and say what was expected. The reader of a field marks it as
 * used, so that what nobody read can be named with the nearest name that somebody would have.
 */
#ifndef TROUPE_CONVERT_CFG_H
#define TROUPE_CONVERT_CFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

typedef struct tpi_cfg_place {
    const char *file; /* as it was named; lives as long as the file */
    unsigned line;
    unsigned column;
} tpi_cfg_place;

typedef enum tpi_cfg_kind { TPI_CFG_NUMBER, TPI_CFG_STRING, TPI_CFG_BOOL } tpi_cfg_kind;

typedef struct tpi_cfg_value {
    tpi_cfg_kind kind;
    const char *text; /* as written; a string without its quotes */
    double number;    /* of a number; 1 or 0 of a bool */
    tpi_cfg_place place;
} tpi_cfg_value;

typedef struct tpi_cfg_field {
    const char *name;
    tpi_cfg_value *values; /* one, or those of the tuple */
    uint32_t value_count;
    bool tuple;
    bool used; /* set by the accessors below */
    tpi_cfg_place place;
} tpi_cfg_field;

typedef struct tpi_cfg_section {
    const char *type;  /* "driver"; of a macro's use, the type that the macro stands for */
    const char *macro; /* the macro's name, or NULL */
    tpi_cfg_field *fields;
    uint32_t field_count;
    struct tpi_cfg_section **sections; /* in the order of the file */
    uint32_t section_count;
    struct tpi_cfg_section *parent; /* NULL for the file itself */
    tpi_cfg_place place;
} tpi_cfg_section;

typedef struct tpi_cfg tpi_cfg;

/* Told of what is tolerated or odd; `text` begins with "FILE:LINE:COLUMN: ". */
typedef void tpi_cfg_note(void *context, const char *text);

/* Whose files they are. In Player's, a field that is given again keeps values that it does not get
 * anew, and included files are looked for beside the one that names them, then beside the main one.
 * In Stage's, the last value of a field replaces the others, and files are looked for beside the
 * main one first, and at last, by their names without folders, in `folders`. */
typedef enum tpi_cfg_dialect { TPI_CFG_PLAYER, TPI_CFG_STAGE } tpi_cfg_dialect;

typedef struct tpi_cfg_options {
    tpi_cfg_dialect dialect;
    const char *folders; /* borrowed: separated by colons; may be NULL */
    tpi_cfg_note *note;  /* may be NULL */
    void *context;       /* of `note`; borrowed */
    /* Whether a section of this type means something without a macro; may be NULL. */
    bool (*is_built_in)(const char *type);
} tpi_cfg_options;

/* Load a file with what it includes. */
tp_status tpi_cfg_load_as(tpi_cfg **out, const char *path, const tpi_cfg_options *options,
                          tp_error *err);

/* Parse a text as if it were the file `path`; includes are found relative to that. */
tp_status tpi_cfg_parse_as(tpi_cfg **out, const char *path, const char *text, size_t length,
                           const tpi_cfg_options *options, tp_error *err);

/* The same for Player's files. `note` may be NULL. */
tp_status tpi_cfg_load(tpi_cfg **out, const char *path, tpi_cfg_note *note, void *context,
                       tp_error *err);
tp_status tpi_cfg_parse(tpi_cfg **out, const char *path, const char *text, size_t length,
                        tpi_cfg_note *note, void *context, tp_error *err);

void tpi_cfg_destroy(tpi_cfg *cfg); /* NULL is accepted */

/* The file itself: its fields are the global ones. */
tpi_cfg_section *tpi_cfg_root(tpi_cfg *cfg);

/* The i-th macro that was defined, and where; NULL behind the last. */
const char *tpi_cfg_macro_at(const tpi_cfg *cfg, uint32_t i, tpi_cfg_place *place);

/* ---- Reading fields -------------------------------------------------------------------------- */

/* By name; NULL if it is absent. Marks it as used. */
const tpi_cfg_field *tpi_cfg_find(tpi_cfg_section *section, const char *name);

/* One value: the field's only or first one. The fallback if the field is absent; a failure with its
 * place if it is of the wrong kind. Numbers are accepted for bools (0, 1), words yes/no/true/false
 * for bools. */
tp_status tpi_cfg_string(tpi_cfg_section *section, const char *name, const char *fallback,
                         const char **value, tp_error *err);
tp_status tpi_cfg_number(tpi_cfg_section *section, const char *name, double fallback, double *value,
                         tp_error *err);
tp_status tpi_cfg_integer(tpi_cfg_section *section, const char *name, int64_t fallback,
                          int64_t *value, tp_error *err);
tp_status tpi_cfg_bool(tpi_cfg_section *section, const char *name, bool fallback, bool *value,
                       tp_error *err);

/* A length in metres or an angle in radians, by the file's unit_length ("m", "cm", "mm") and
 * unit_angle ("degrees", "radians"). The fallback is in metres or radians already. */
tp_status tpi_cfg_length(tpi_cfg_section *section, const char *name, double fallback, double *value,
                         tp_error *err);
tp_status tpi_cfg_angle(tpi_cfg_section *section, const char *name, double fallback, double *value,
                        tp_error *err);

/* What the file's units are worth: metres and radians. */
double tpi_cfg_length_unit(const tpi_cfg_section *section);
double tpi_cfg_angle_unit(const tpi_cfg_section *section);

/* A file name, made relative to the file that it stands in. The text is the caller's, to free(). */
tp_status tpi_cfg_path(const tpi_cfg_value *value, char **path, tp_error *err);

/* Fail at a place: "FILE:LINE:COLUMN: ...". */
tp_status tpi_cfg_fail(const tpi_cfg_place *place, tp_error *err, const char *format, ...)
    TP_PRINTF(3, 4);

/* Where a file was looked for. What it points to is borrowed. */
typedef struct tpi_cfg_search {
    const char *files[2]; /* beside these; beside the first one first */
    const char *folders;  /* and in these, as in the options; may be NULL */
    tpi_cfg_note *note;   /* may be NULL */
    void *context;        /* of `note` */
} tpi_cfg_search;

/* Fail at a place with what was said of the first file and, behind it, "; nor is it in A, B or C".
 * What there is no room for is reported before it, as a note for each folder. */
tp_status tpi_cfg_fail_to_find(const tpi_cfg_search *search, const tpi_cfg_place *place,
                               const char *what, tp_error *err);

/* Tell of every field that was not used, with the nearest of the known names (ended by NULL, may be
 * NULL itself). Goes into sub-sections only if `deep`. */
void tpi_cfg_report_unused(tpi_cfg_section *section, const char *const *known, bool deep,
                           tpi_cfg_note *note, void *context);

#endif
