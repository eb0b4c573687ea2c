/* grid.c - see grid.h. */
#include "web/grid.h"

#include <stdlib.h>

#include "base/number.h"
#include "padi/value.h"

void tpi_grid_put_schema(tpi_buf *out)
{
    char *info = NULL;

    if (tp_struct_outline(&info, &tp_desc_map_info) == TP_OK) {
        tpi_buf_puts(out, "{\"title\":\"grid\",\"description\":\"A whole map.\",\"type\":"
                          "\"object\",\"properties\":{\"info\":");
        tpi_buf_puts(out, info);
        tpi_buf_puts(out, ",\"cells\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"},"
                          "\"description\":\"Rows from the origin: 0 free, 100 occupied, -1 "
                          "unknown.\",\"unit\":\"%\"}}}");
    } else {
        out->failed = true;
    }
    free(info);
}

void tpi_grid_begin(tpi_buf *out, const tp_map_info *info)
{
    tpi_buf_puts(out, "{\"info\":");
    tpi_value_put_json(out, &tp_desc_map_info, info, false, 0);
    tpi_buf_puts(out, ",\"cells\":[");
}

void tpi_grid_put_cells(tpi_buf *out, const int8_t *cells, size_t count, bool first)
{
    char text[TPI_NUMBER_SIZE];

    for (size_t i = 0; i < count; i++) {
        if (i > 0 || !first) {
            tpi_buf_putc(out, ',');
        }
        tpi_buf_put(out, text, tpi_number_put_whole(text, cells[i]));
    }
}

void tpi_grid_end(tpi_buf *out)
{
    tpi_buf_puts(out, "]}");
}
