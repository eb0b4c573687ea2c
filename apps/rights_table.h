/* rights_table.h - which right every message of every interface needs, for people and programs. */
#ifndef TROUPE_APPS_RIGHTS_TABLE_H
#define TROUPE_APPS_RIGHTS_TABLE_H

#include "base/buf.h"
#include "troupe/padi.h"

/* As a page in Markdown, or as one JSON object. `only` is one interface; NULL for all, with what
 * opening a device needs before them. */
void rights_table_page(tpi_buf *out, const tp_catalogue *catalogue, const tp_interface *only);
void rights_table_json(tpi_buf *out, const tp_catalogue *catalogue, const tp_interface *only);

#endif
