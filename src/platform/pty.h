/*
 * pty.h - the far side of a serial line: a pseudo-terminal that a program plays hardware on.
 *
 * A program that opens `path` sees a serial line. It is raw from the beginning and has the speed
 * that it was opened with here, until the other side changes it.
 */
#ifndef TROUPE_PLATFORM_PTY_H
#define TROUPE_PLATFORM_PTY_H

#include <stdbool.h>

#include "troupe/status.h"

typedef struct tpi_pty {
    int fd; /* this side; does not wait. -1 if it is closed */
    char path[64];
} tpi_pty;

/* `baud` 0 leaves the speed as it is. */
tp_status tpi_pty_open(tpi_pty *pty, unsigned baud, tp_error *err);

void tpi_pty_close(tpi_pty *pty); /* also after a failed opening, and twice */

/* Whether a program has the other side open. */
bool tpi_pty_is_used(const tpi_pty *pty);

/* The speed that the other side has set, in bits per second; 0 if nobody knows. */
unsigned tpi_pty_baud(const tpi_pty *pty);

#endif
