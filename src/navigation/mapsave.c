/* mapsave.c - maps into files; see mapfile.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "navigation/mapfile.h"
#include "sim/draw/pen.h"

enum { LONGEST_PATH = 4096 };

/* The part of a grid that is known, with an unknown cell at each side where there is one. */
static tpi_nav_grid known_part(const tpi_nav_grid *grid, size_t *first)
{
    uint32_t left = grid->width;
    uint32_t right = 0;
    uint32_t low = grid->height;
    uint32_t high = 0;

    for (uint32_t row = 0; row < grid->height; row++) {
        for (uint32_t column = 0; column < grid->width; column++) {
            if (grid->cells[(size_t)row * grid->width + column] != TPI_NAV_UNKNOWN) {
                left = column < left ? column : left;
                right = column > right ? column : right;
                low = row < low ? row : low;
                high = row;
            }
        }
    }
    if (left > right) { /* nothing is known */
        left = low = 0;
    }
    left -= left > 0;
    low -= low > 0;
    right += right + 1 < grid->width;
    high += high + 1 < grid->height;
    *first = (size_t)low * grid->width + left;
    return (tpi_nav_grid){.width = right - left + 1,
                          .height = high - low + 1,
                          .scale = grid->scale,
                          .x = grid->x + left * grid->scale,
                          .y = grid->y + low * grid->scale};
}

/* The shades of map_server: black, white, and a grey for what is unknown. */
static unsigned char shade(int8_t cell)
{
    return cell > 0 ? 0 : cell < 0 ? 254 : 205;
}

static tp_status encode(tpi_buf *out, const tpi_nav_grid *grid, const tpi_nav_grid *part,
                        size_t first, tp_error *err)
{
    unsigned char *pixels = malloc((size_t)part->width * part->height);
    bool good = pixels != NULL;

    for (size_t row = 0; row < part->height && good; row++) {
        const int8_t *from = grid->cells + first + (part->height - 1 - row) * grid->width;
        for (size_t column = 0; column < part->width; column++) {
            pixels[row * part->width + column] = shade(from[column]);
        }
    }
    good = good && tpi_draw_encode(out, pixels, part->width, part->height, 1);
    free(pixels);
    return good ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

tp_status tpi_nav_mapfile_save(const tpi_nav_grid *grid, const char *path, tp_error *err)
{
    const char *slash = strrchr(path, '/');
    char file[LONGEST_PATH];
    tpi_buf bytes = {0};
    size_t first;

    if (strlen(path) + 6 > sizeof file) {
        return tp_fail(err, TP_E_LIMIT, "the path of the map is too long");
    }
    const tpi_nav_grid part = known_part(grid, &first);
    tp_status status = encode(&bytes, grid, &part, first, err);
    snprintf(file, sizeof file, "%s.png", path);
    status = status == TP_OK ? tpi_file_write(file, bytes.data, bytes.length, err) : status;
    tpi_buf_clear(&bytes);
    snprintf(file, sizeof file, "%s.png", slash != NULL ? slash + 1 : path);
    tpi_nav_mapyaml_write(&bytes, &part, file);
    status = status == TP_OK ? tpi_buf_status(&bytes) : status;
    snprintf(file, sizeof file, "%s.yaml", path);
    status = status == TP_OK ? tpi_file_write(file, bytes.data, bytes.length, err) : status;
    tpi_buf_fini(&bytes);
    return status;
}
