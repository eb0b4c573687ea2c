/* fields_table.h - the fields of configuration files, for people. */
#ifndef TROUPE_APPS_FIELDS_TABLE_H
#define TROUPE_APPS_FIELDS_TABLE_H

#include "base/buf.h"

/* A table of the fields of one kind of section ("" for the top of a file); of all, each under the
 * name of its section, if `only` is NULL. False if there is no such kind. */
bool fields_table_put(tpi_buf *out, const char *only);

#endif
