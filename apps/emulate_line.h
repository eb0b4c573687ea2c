/*
 * emulate_line.h - the line between a host and an emulated robot: a pseudo-terminal, a TCP or a UDP
 * port.
 *
 * Bytes of a pseudo-terminal are garbled if its speed is not the robot's. A robot that is unplugged
 * has no line: its pseudo-terminal is gone, its TCP port takes nobody. A link, a symbolic link to
 * the pseudo-terminal, has the same path when the robot is plugged in again.
 */
#ifndef TROUPE_APPS_EMULATE_LINE_H
#define TROUPE_APPS_EMULATE_LINE_H

#include "base/buf.h"
#include "emulate/emulate.h"

typedef struct emulate_line emulate_line;

/* `listen` is "tcp:HOST:PORT", or NULL for a pseudo-terminal, whose `link` may be NULL. A robot
 * with packets has "udp:HOST:PORT", or NULL for any port of this machine. All are borrowed as long
 * as the line. */
tp_status emulate_line_open(emulate_line **out, tpi_emu *robot, const char *listen,
                            const char *link, tp_error *err);

void emulate_line_close(emulate_line *line); /* NULL is accepted */

/* Append what a host opens: "serial:/dev/pts/5?baud=57600", "tcp:127.0.0.1:40001". */
void emulate_line_put_url(const emulate_line *line, tpi_buf *out);

/* Carry bytes both ways, as many as can go without waiting; plug and unplug. True if the URL is
 * another one now. */
bool emulate_line_exchange(emulate_line *line);

/* Bytes that have come from the host so far. */
uint64_t emulate_line_received(const emulate_line *line);

/* The descriptor that is readable when a host sends or comes; -1 for none. */
int emulate_line_fd(const emulate_line *line);

#endif
