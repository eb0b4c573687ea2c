/* worlds.h - the worlds that come with Troupe, and how pictures of them are kept. */
#ifndef TROUPE_APPS_WORLDS_H
#define TROUPE_APPS_WORLDS_H

#include "base/buf.h"
#include "sim/draw/draw.h"

/* Append the path of a world: of the file itself, or of the one of ours that is called so ("cave",
 * "cave.world"), looked for in TROUPE_WORLD_PATH and where the program comes from. TP_E_UNKNOWN if
 * there is none, with the nearest name and the names of ours; TP_E_INVALID for a configuration. */
tp_status world_find(tpi_buf *path, const char *name, tp_error *err);

/* Whether a file is a world by its name. */
bool world_is_file(const char *path);

/* Say on standard error, every two seconds, that a world is still being loaded, until it is not. */
void world_report_loading(bool under_way);

/* Remember where robots are now, for the trails of a picture; they are made the first time, with so
 * many places for each robot. Without the memory for them a picture goes without. */
void world_note_trails(tpi_draw_trails **trails, const tpi_sim *sim, uint32_t length);

/* Whether a file can be written, before there is anything to write; leaves everything as it was. */
tp_status world_check_file(const char *path, tp_error *err);

/* Draw it to a file whose name ends with ".png" or ".svg"; see world_is_picture(). */
tp_status world_draw(const tpi_sim *sim, const tpi_draw_look *look, const char *path,
                     tp_error *err);
bool world_is_picture(const char *path);

#endif
