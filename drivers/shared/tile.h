/*
 * tile.h - tiles of a map that is in memory: the answer to GET_DATA.
 */
#ifndef SHARED_TILE_H
#define SHARED_TILE_H

#include <stdint.h>

#include "troupe/interfaces/map.h"
#include "troupe/status.h"

/* Copy the part of the asked tile that the map has into `*room`, which grows as needed; the caller
 * owns it. The answer borrows it. TP_E_RANGE for more than four million cells. */
tp_status tpi_tile_copy(const int8_t *cells, uint32_t width, uint32_t height,
                        const tp_map_data *ask, int8_t **room, tp_map_data *answer, tp_error *err);

#endif
