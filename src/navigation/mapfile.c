/* mapfile.c - maps from pictures; see mapfile.h. mapyaml.c reads the files of map_server. */
#include "navigation/mapfile.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "sim/world/bitmap.h"

enum { LONGEST_YAML = 1 << 20, LONGEST_PATH = 4096 };

tpi_nav_rules tpi_nav_rules_of_player(void)
{
    return (tpi_nav_rules){.scale = 0, .occupied = 0.95, .free = 0.1};
}

static int8_t cell_of(const unsigned char rgb[3], const tpi_nav_rules *rules)
{
    const double light = (rgb[0] + rgb[1] + rgb[2]) / 765.0;
    const double dark = rules->negate ? light : 1 - light;

    return dark >= rules->occupied ? TPI_NAV_OCCUPIED
           : dark <= rules->free   ? TPI_NAV_FREE
                                   : TPI_NAV_UNKNOWN;
}

static void fill(tpi_nav_grid *grid, const struct sim_bitmap *picture, const tpi_nav_rules *rules)
{
    for (uint32_t row = 0; row < grid->height; row++) {
        const size_t from = (size_t)(grid->height - 1 - row) * grid->width;
        for (uint32_t column = 0; column < grid->width; column++) {
            grid->cells[(size_t)row * grid->width + column] =
                cell_of(&picture->rgb[3 * (from + column)], rules);
        }
    }
}

tp_status tpi_nav_mapfile_picture(tpi_nav_grid *out, const char *path, const tpi_nav_rules *rules,
                                  tp_error *err)
{
    struct sim_bitmap picture;
    tp_status status = tpi_sim_bitmap_load_colours(&picture, path, err);

    *out = (tpi_nav_grid){0};
    if (status == TP_OK) {
        status = tpi_nav_grid_init(out, picture.width, picture.height, rules->scale, err);
        if (status != TP_OK) {
            tp_wrap(err, status, path);
        }
    }
    if (status == TP_OK) {
        fill(out, &picture, rules);
        out->x = rules->placed ? rules->x : -rules->scale * picture.width / 2;
        out->y = rules->placed ? rules->y : -rules->scale * picture.height / 2;
    }
    tpi_sim_bitmap_fini(&picture);
    return status;
}

/* The picture's path: as it is if it is absolute, otherwise in the folder of the YAML file. */
static tp_status beside(char *out, size_t size, const char *path, const char *image, tp_error *err)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash == NULL || image[0] == '/' ? 0 : (int)(slash - path + 1);
    const int length = snprintf(out, size, "%.*s%s", folder, path, image);

    return length > 0 && (size_t)length < size
               ? TP_OK
               : tp_fail(err, TP_E_LIMIT, "the path of the picture is too long");
}

tp_status tpi_nav_mapfile_yaml(tpi_nav_grid *out, const char *path, tpi_nav_rules *rules,
                               tp_error *err)
{
    char picture[LONGEST_PATH];
    tpi_nav_mapyaml yaml;
    tpi_buf text = {0};
    tp_status status = tpi_file_read(&text, path, LONGEST_YAML, err);

    *out = (tpi_nav_grid){0};
    if (status == TP_OK) {
        status = tpi_nav_mapyaml_read(&yaml, text.data, text.length, err);
        status = status == TP_OK ? beside(picture, sizeof picture, path, yaml.image, err) : status;
        if (status != TP_OK) {
            tp_wrap(err, status, path);
        }
    }
    tpi_buf_fini(&text);
    if (status != TP_OK) {
        return status;
    }
    *rules = yaml.rules;
    return tpi_nav_mapfile_picture(out, picture, rules, err);
}
