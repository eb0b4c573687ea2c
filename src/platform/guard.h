/*
 * guard.h - a guard: a small process that writes a line's stop bytes when this process dies.
 *
 * It shares the open line and waits for the end of a pipe of which this process alone has the other
 * end, so that it notices every way to die; it cannot notice a process that is only frozen. It
 * writes its bytes once, at the most, and ends with this process in any case. Not for several
 * threads at a time, but for tpi_guard_crash().
 */
#ifndef TROUPE_PLATFORM_GUARD_H
#define TROUPE_PLATFORM_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "platform/guard_talk.h"
#include "troupe/status.h"

typedef struct tpi_guard tpi_guard;

enum { TPI_GUARD_SEATS = 64 };

/* The guards of a server, as the handler of a signal can reach them. All zero is empty. */
typedef struct tpi_guard_board {
    atomic_int seats[TPI_GUARD_SEATS]; /* a descriptor and 1; 0 for nobody */
    atomic_bool crashed;
} tpi_guard_board;

typedef struct tpi_guard_options {
    const char *program;    /* a path, or a name to be searched for */
    tpi_guard_board *board; /* borrowed as long as the guard */
    int line;
    const char *url; /* for people, as the next */
    const char *who; /* that dies, as in "the server"; NULL for that */
    const void *bytes;
    size_t length; /* from 1 to TPI_GUARD_MOST */
} tpi_guard_options;

/* The program that belongs to another one: beside it, or else to be searched for. */
const char *tpi_guard_find(const char *beside, char *out, size_t size);

/* Start one, and wait until it is ready, at most for 5 seconds. */
tp_status tpi_guard_start(tpi_guard **out, const tpi_guard_options *plan, tp_error *err);

/* Readable when it has ended, which it should not. */
int tpi_guard_fd(const tpi_guard *guard);
long tpi_guard_number(const tpi_guard *guard);

/* Other bytes from now on: in force when it returns, although it does not wait. */
tp_status tpi_guard_change(tpi_guard *guard, const void *bytes, size_t length, tp_error *err);

/* It is not needed any more and writes nothing. Waits for its end, so that the line is this
 * process's alone again: usually well under a millisecond. NULL is accepted. */
void tpi_guard_end(tpi_guard *guard);

/* From the handler of a signal that ends the process: all guards write now and not only when the
 * process is gone, which is after its core has been dumped. */
void tpi_guard_crash(tpi_guard_board *board);

#endif
