/*
 * fields.h - the fields of a configuration: one table for each kind of section.
 *
 * A field is listed once, with what a value is, its default, a sentence and the functions that read
 * and compare it. Reading a section, finding unknown names, listing the fields for people and
 * comparing two files at a reload walk the table. The table ends with a field without a name.
 *
 * Every field has two examples that mean different things. A test changes the first to the second
 * and expects that a reload notices it, so a field is tested by being listed.
 */
#ifndef TROUPE_SERVER_FIELDS_H
#define TROUPE_SERVER_FIELDS_H

#include "base/text.h"
#include "convert/cfg.h"
#include "device/hub.h"
#include "troupe/server.h"

enum { TPI_MOST_FIELDS = 32 }; /* of a section */

/* What the value of a field is. */
enum field_value {
    FIELD_TEXT,
    FIELD_TEXTS,
    FIELD_FLAG,
    FIELD_NUMBER,
    FIELD_NUMBERS,
    FIELD_WHOLE,
    FIELD_FILE,
    FIELD_FILES,
    FIELD_ADDRESS,
    FIELD_ADDRESSES,
};

enum {
    /* Safety or rights depend on it: a name that is nearly this one is an error, not a note. */
    FIELD_CAREFUL = 1,
    /* The process of an isolated driver does not get it: this server does what it says. */
    FIELD_LOCAL = 2,
    /* A section has to have it. */
    FIELD_REQUIRED = 4,
};

/* A section that is being read. */
struct reading {
    tp_server *server;        /* borrowed */
    tpi_cfg_section *section; /* borrowed */
    const tpi_blueprint
        *blueprint; /* borrowed: of the driver section around it; NULL if there is none */
};

struct section_field {
    const char *name;
    enum field_value value;
    const char *unit;     /* "s", or the field that names it; NULL for none */
    const char *fallback; /* the default, as the manual has it; NULL for none */
    const char *help;     /* one sentence */
    unsigned flags;
    const char *examples[2]; /* two values, as a file has them, that mean different things */
    /* Read the field into what its section becomes; an absent field leaves the default there. NULL
     * for a field whose effect is in other fields (unit_length). */
    tp_status (*read)(const struct reading *reading, void *into, tp_error *err);
    /* Whether the field means the same in two of what sections become. NULL as `read`. */
    bool (*same)(const void *a, const void *b);
    /* What a reload reports if it does not; `after` is the new one. Only for the top of a file: the
     * instance of a driver section is replaced. */
    const char *(*report)(const void *after);
};

struct section_kind {
    const char *type; /* "driver"; "" for the top of a file */
    const struct section_field *fields;
};

extern const struct section_kind tpi_top_section;       /* becomes a struct file */
extern const struct section_kind tpi_interface_section; /* becomes a struct interface_file */
extern const struct section_kind tpi_front_section;     /* becomes a struct front_entry */
extern const struct section_kind tpi_driver_section;    /* becomes a struct driver_entry */
extern const struct section_kind tpi_geometry_section;  /* in a driver section: a tpi_place */
extern const struct section_kind tpi_writer_section;    /* in a driver section: a tpi_rank */

/* section_kinds.c: all of them, ended by NULL. */
extern const struct section_kind *const tpi_section_kinds[];

/* fields.c: the field of this name; NULL if there is none. */
const struct section_field *tpi_fields_find(const struct section_kind *kind, const char *name);

/* Whether there is a field of this name with this flag. */
bool tpi_fields_have(const struct section_kind *kind, const char *name, unsigned flag);

/* Read all fields, in the order of the table, up to the first mistake. */
tp_status tpi_fields_read(const struct section_kind *kind, const struct reading *reading,
                          void *into, tp_error *err);

/* Whether all fields mean the same. */
bool tpi_fields_same(const struct section_kind *kind, const void *a, const void *b);

/* Offer the names as corrections. */
void tpi_fields_offer(const struct section_kind *kind, tpi_nearest *nearest);

/* Put the names into a list that NULL ends; how many they are. */
size_t tpi_fields_names(const struct section_kind *kind, const char *names[TPI_MOST_FIELDS + 1]);

/* Whether a field has the same values in two sections, as they are written. NULL is a section
 * without fields. */
bool tpi_fields_same_text(tpi_cfg_section *a, tpi_cfg_section *b, const char *name);

/* Read the field `panic` of a section, which has the same values in all of them. *action stays as
 * it is if the field is not given. */
tp_status tpi_section_read_panic(tpi_cfg_section *section, bool *given, tp_halt *action,
                                 tp_error *err);

/* Whether two texts, which may be NULL, are equal. */
bool tpi_same_text(const char *a, const char *b);

#endif
