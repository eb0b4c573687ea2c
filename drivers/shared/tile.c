/* tile.c - tiles of a map that is in memory; see tile.h. */
#include "tile.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_IN_TILE = 4 << 20 };

static uint32_t there_is(uint32_t first, uint32_t wanted, uint32_t all)
{
    const uint32_t left = first < all ? all - first : 0;

    return wanted < left ? wanted : left;
}

tp_status tpi_tile_copy(const int8_t *cells, uint32_t width, uint32_t height,
                        const tp_map_data *ask, int8_t **room, tp_map_data *answer, tp_error *err)
{
    const uint32_t columns = there_is(ask->col, ask->width, width);
    const uint32_t rows = there_is(ask->row, ask->height, height);

    if ((uint64_t)columns * rows > MOST_IN_TILE) {
        return tp_fail(err, TP_E_RANGE, "a tile of %u by %u cells is too large", ask->width,
                       ask->height);
    }
    int8_t *tile = realloc(*room, (size_t)columns * rows + 1);
    if (tile == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *room = tile;
    for (uint32_t row = 0; row < rows; row++) {
        memcpy(tile + (size_t)row * columns, cells + (size_t)(ask->row + row) * width + ask->col,
               columns);
    }
    *answer = (tp_map_data){.col = ask->col,
                            .row = ask->row,
                            .width = columns,
                            .height = rows,
                            .data_count = columns * rows,
                            .data_range = 1,
                            .data = tile};
    return TP_OK;
}
