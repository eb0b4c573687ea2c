/* serial.h - serial lines: serial:/dev/ttyUSB0?baud=57600, or the path alone. */
#ifndef TROUPE_PLATFORM_SERIAL_H
#define TROUPE_PLATFORM_SERIAL_H

#include "platform/line.h"

/* Opens what follows "serial:". The line is raw, locked against others, and emptied. */
extern const tp_scheme tpi_scheme_serial;

enum { TPI_SERIAL_PATH = 256 };

/* A path and, behind a "?", settings that are divided by "&"; what it does not say is taken from
 * `settings`, and what that does not say is 9600 8N1. */
tp_status tpi_serial_parse(const char *text, char path[TPI_SERIAL_PATH],
                           tpi_line_settings *settings, tp_error *err);

/* Fail because a path could not be opened: "permission denied (are you in the group dialout?)". */
tp_status tpi_serial_explain(const char *path, int error, tp_error *err);

#endif
