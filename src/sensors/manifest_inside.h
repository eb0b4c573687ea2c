/* manifest_inside.h - what the files of the manifest share; see manifest.h. */
#ifndef TROUPE_SENSORS_MANIFEST_INSIDE_H
#define TROUPE_SENSORS_MANIFEST_INSIDE_H

#include "sensors/manifest.h"

/* A manifest that is being read. */
struct manifest_reading {
    tpi_document *document;
    tpi_manifest *manifest;
};

/* The words of enumerations, in their order; NULL ends each. */
extern const char *const tpi_channel_types[];
extern const char *const tpi_unit_types[];
extern const char *const tpi_scaling_functions[];

/* Whether two names are the same; a blank is an underscore. */
bool tpi_manifest_same(const char *a, const char *b);

/* The number of a word in a list that NULL ends; -1 if it is none. */
int tpi_manifest_word(const char *const *words, const char *text);

/* ---- Reading elements (manifest_element.c) ---- */

/* The text of an element without the blanks around it; runs of blanks are one. A copy; NULL if
 * memory ran out. */
const char *tpi_manifest_text(struct manifest_reading *r, const tpi_element *element);

/* The first child with this name; NULL for none. */
const tpi_element *tpi_manifest_child(const tpi_element *element, const char *name);

/* The text of a child; "" if there is none, NULL if memory ran out. */
const char *tpi_manifest_child_text(struct manifest_reading *r, const tpi_element *element,
                                    const char *name);

/* Fails if a child is none of `names`, which NULL ends, or stands there twice; children in `many`
 * (which may be NULL) can be repeated. */
tp_status tpi_manifest_only(struct manifest_reading *r, const tpi_element *element,
                            const char *const *names, const char *const *many);

/* Read the number in a child, between two bounds; `missing` if it is not there or empty. */
tp_status tpi_manifest_number(struct manifest_reading *r, const tpi_element *element,
                              const char *name, double low, double high, double missing,
                              double *out);

/* Read the number of an element itself. */
tp_status tpi_manifest_own_number(struct manifest_reading *r, const tpi_element *element,
                                  double low, double high, double *out);

/* Check that `index`, if it is there, is the number of the element among its siblings. */
tp_status tpi_manifest_index(struct manifest_reading *r, const tpi_element *element,
                             unsigned expected);

/* The word of a child in a list; `missing` if it is not there. */
tp_status tpi_manifest_choice(struct manifest_reading *r, const tpi_element *element,
                              const char *name, const char *const *words, int missing, int *out);

/* Read <option index="N">name</option> children of an element. */
tp_status tpi_manifest_options(struct manifest_reading *r, const tpi_element *element,
                               unsigned first, const tpi_option **out, unsigned *count);

/* The number of children with this name. */
unsigned tpi_manifest_count(const tpi_element *element, const char *name);

/* ---- Parts (manifest_conversion.c, manifest_transducer.c) ---- */

/* Read <conversions>; NULL for none, which is one raw conversion. */
tp_status tpi_manifest_conversions(struct manifest_reading *r, const tpi_element *element,
                                   tpi_transducer *out);

/* Read <transducers>. */
tp_status tpi_manifest_transducers(struct manifest_reading *r, const tpi_element *element);

/* Read <defaults>: the settings after power-up. */
tp_status tpi_manifest_defaults(struct manifest_reading *r, const tpi_element *element);

#endif
