/* robots_text.h - robots as text: devices, and how each command is done. */
#ifndef TROUPE_APPS_ROBOTS_TEXT_H
#define TROUPE_APPS_ROBOTS_TEXT_H

#include "base/buf.h"
#include "universal/wired.h"

/* How a command is best done on a robot: "direct", "macro", "parent" ...; "NA" if it is not. */
const char *robots_best(const tpi_wired *wired, tpi_command command);

/* The name of the robot, its devices, and how every command is done. */
void robots_put(tpi_buf *out, const tpi_wired *wired);

/* robots_commands.c: the commands of the dictionary with their values and results. */
void robots_put_commands(tpi_buf *out);

/* robots_commands.c: the same as tables of the page universal-protocol.md. */
void robots_put_page(tpi_buf *out);

/* How many of the commands that concern robots can be done, and how many there are. */
void robots_count(const tpi_wired *wired, unsigned *possible, unsigned *all);

/* Whether a command concerns robots: not the engine and not the server. */
bool robots_concerns(tpi_command command);

#endif
