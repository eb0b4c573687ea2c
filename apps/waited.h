/*
 * waited.h - how much of the input waited while the program was frozen.
 *
 * What is written into a pipe waits there until the program reads it. Its age is not known, but the
 * program looks for input all the time: what it finds has come since the last look. If that is
 * longer ago than a lease, the program was frozen (SIGSTOP, a suspended machine), or waited for a
 * server that was. All that is in the pipe then is old. What is written afterwards is new, unless
 * so much waited that the writer had to wait, too.
 *
 * A batch that is read piece by piece has no such gaps and is not old, however long it takes.
 */
#ifndef TROUPE_APPS_WAITED_H
#define TROUPE_APPS_WAITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero at first. */
struct waited {
    int64_t looked_ns;  /* the last look; 0 for none */
    size_t bytes;       /* the next ones of the input that are old */
    int64_t settles_ns; /* what is read until then was held back by a writer that had to wait */
};

/* Call it several times within a lease, and before bytes are read: `there` bytes can be read now,
 * and a writer may have to wait with half of `room`. Returns for how long the program did not look,
 * in seconds, if that is longer than the lease; otherwise 0. */
double waited_look_s(struct waited *waited, int64_t now_ns, int64_t lease_ns, size_t there,
                     size_t room);

/* `length` bytes are read: how many of them, from the first one on, are old. */
size_t waited_take(struct waited *waited, int64_t now_ns, size_t length);

/* Whether something that is read from now on may be old. */
bool waited_goes_on(const struct waited *waited, int64_t now_ns);

/* Nothing is old. */
void waited_forget(struct waited *waited);

#endif
