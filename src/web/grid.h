/*
 * grid.h - a whole map as one JSON object: {"info":{...},"cells":[...]}.
 *
 * `info` is that of the map's message INFO. `cells` are rows from the origin, as ROS 2 has them: 0
 * is free, 100 is occupied, -1 is unknown.
 */
#ifndef TROUPE_WEB_GRID_H
#define TROUPE_WEB_GRID_H

#include "base/buf.h"
#include "troupe/interfaces/map.h"

/* The JSON Schema of it, for clients. */
void tpi_grid_put_schema(tpi_buf *out);

/* The text up to the first cell. */
void tpi_grid_begin(tpi_buf *out, const tp_map_info *info);

/* Some cells; `first` if there are none before them. */
void tpi_grid_put_cells(tpi_buf *out, const int8_t *cells, size_t count, bool first);

void tpi_grid_end(tpi_buf *out);

#endif
