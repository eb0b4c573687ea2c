/*
 * mapfile.h - maps from files: pictures, and the YAML files of ROS's map_server.
 *
 * A picture's first row is the highest one of the map. Dark pixels are occupied, light ones free,
 * those in between unknown.
 */
#ifndef TROUPE_NAVIGATION_MAPFILE_H
#define TROUPE_NAVIGATION_MAPFILE_H

#include "base/buf.h"
#include "navigation/grid.h"

/* How the pixels of a picture become cells. */
typedef struct tpi_nav_rules {
    double scale;     /* side of a pixel, in metres */
    bool negate;      /* light pixels are occupied */
    double occupied;  /* a pixel at least this dark is occupied; 0 is white, 1 is black */
    double free;      /* one at most this dark is free */
    bool placed;      /* x, y and yaw are given; otherwise 0 0 is in the middle */
    double x, y, yaw; /* of the lower left corner */
} tpi_nav_rules;

/* What a YAML file says: the rules, and the picture that it names. */
typedef struct tpi_nav_mapyaml {
    tpi_nav_rules rules;
    char image[256];
} tpi_nav_mapyaml;

/* Player's rules for a picture without any. */
tpi_nav_rules tpi_nav_rules_of_player(void);

/* Whether a file is one of map_server, by its name: .yaml or .yml. */
bool tpi_nav_mapyaml_is(const char *path);

/* Read the text of such a file. Errors have the line. */
tp_status tpi_nav_mapyaml_read(tpi_nav_mapyaml *out, const char *text, size_t length,
                               tp_error *err);

/* Write one for a grid whose picture is `image`. */
void tpi_nav_mapyaml_write(tpi_buf *out, const tpi_nav_grid *grid, const char *image);

/* Load a picture as a map. Errors name the file. */
tp_status tpi_nav_mapfile_picture(tpi_nav_grid *out, const char *path, const tpi_nav_rules *rules,
                                  tp_error *err);

/* Load the YAML file and its picture, which is beside it unless its path is absolute. `rules`
 * receives what the file says. */
tp_status tpi_nav_mapfile_yaml(tpi_nav_grid *out, const char *path, tpi_nav_rules *rules,
                               tp_error *err);

/* Write the known part of a grid as a picture PATH.png and its PATH.yaml (mapsave.c). Errors name
 * the file. */
tp_status tpi_nav_mapfile_save(const tpi_nav_grid *grid, const char *path, tp_error *err);

#endif
