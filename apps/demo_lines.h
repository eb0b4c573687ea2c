/*
 * demo_lines.h - the lines of text that the demo shows: as much as fits, and nothing cut in two.
 *
 * All of them append to `out` what fits into so many columns.
 */
#ifndef TROUPE_APPS_DEMO_LINES_H
#define TROUPE_APPS_DEMO_LINES_H

#include "demo_frame.h"
#include "mosaic.h"

/* Which world it is, its time, and the keys. `world` is a name or a path. */
void demo_lines_put_title(tpi_buf *out, size_t columns, const char *world,
                          const struct demo_picture *picture);

/* The title in a panic: `who` ("eve at 127.0.0.1:50123") has raised it, for the reason `why`, which
 * is shown first if there is little room. */
void demo_lines_put_panic(tpi_buf *out, size_t columns, const char *who, const char *why);

/* The robots in the order of their devices: each with a spot of its colour (an arrow if it is
 * `chosen`, a number in the crew), the number of its position2d, its name; more about them if there
 * is room; and how many there are beyond. */
void demo_lines_put_robots(tpi_buf *out, size_t columns, mosaic_depth depth,
                           const struct demo_picture *picture, uint32_t chosen);

/* How many lines of commands to type there is room for below a picture. */
size_t demo_lines_hints(size_t lines);

/* The command number `index` of those that fit, from commands divided by line ends; nothing behind
 * the last. */
void demo_lines_put_hint(tpi_buf *out, size_t columns, const char *commands, size_t index);

#endif
