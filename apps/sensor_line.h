/*
 * sensor_line.h - the line between a host and an emulated sensor: a pseudo-terminal, to which a
 * link can lead, or a TCP port.
 *
 * An unplugged sensor has no line: its pseudo-terminal and its link are gone, its TCP port takes
 * nobody. It loses its power, too: plugged in again, it begins anew.
 */
#ifndef TROUPE_APPS_SENSOR_LINE_H
#define TROUPE_APPS_SENSOR_LINE_H

#include "base/buf.h"

typedef struct sensor_line sensor_line;

/* `listen` is "tcp:HOST:PORT", or NULL for a pseudo-terminal, whose `link` may be NULL. Both are
 * borrowed as long as the line. */
tp_status sensor_line_open(sensor_line **out, const char *listen, const char *link, unsigned baud,
                           tp_error *err);

void sensor_line_close(sensor_line *line); /* NULL is accepted */

/* Plug the sensor in, or out. */
tp_status sensor_line_plug(sensor_line *line, bool plugged, tp_error *err);

bool sensor_line_is_plugged(const sensor_line *line);

/* Append what a host opens: "serial:/dev/pts/5?baud=115200", "tcp:127.0.0.1:40001". */
void sensor_line_put_url(const sensor_line *line, tpi_buf *out);

/* Read what a host has sent, without waiting; how many bytes. `is_new` tells that a host has come
 * since the last call. */
size_t sensor_line_read(sensor_line *line, void *bytes, size_t size, bool *is_new);

/* Write without waiting; how many bytes the line takes. Bytes for nobody are lost. */
size_t sensor_line_write(sensor_line *line, const void *bytes, size_t length);

/* The descriptor that is readable when a host sends or comes; -1 for none. */
int sensor_line_fd(const sensor_line *line);

#endif
