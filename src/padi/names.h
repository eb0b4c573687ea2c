/* names.h - names of types, marks and units, as .padi files spell them. */
#ifndef TROUPE_PADI_NAMES_H
#define TROUPE_PADI_NAMES_H

#include "troupe/padi.h"

bool tpi_type_named(const char *name, tp_type *type); /* not "struct" */
bool tpi_mark_named(const char *name, tp_mark *mark);

/* Equal but for upper and lower case. */
bool tpi_names_equal(const char *a, const char *b);

/* The units that every file may use, ended by NULL; docs/reference/padi.md explains them. */
extern const char *const tpi_units[];

#endif
