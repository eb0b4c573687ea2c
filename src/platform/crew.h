/*
 * crew.h - threads that share pieces of work.
 *
 * For work that can be cut into many independent items, such as the bodies of a simulated world.
 * The threads sleep between runs. One thread owns the crew and calls it; it works too.
 */
#ifndef TROUPE_PLATFORM_CREW_H
#define TROUPE_PLATFORM_CREW_H

#include <stdint.h>

#include "troupe/status.h"

typedef struct tpi_crew tpi_crew;

/* Does item number `item` of `argument`; `worker` is below the number of workers, and no other item
 * is being done under the same number. */
typedef void tpi_crew_work(void *argument, uint32_t item, uint32_t worker);

/* `workers` with the calling thread, at least 1; the threads are named `name`. */
tp_status tpi_crew_create(tpi_crew **out, uint32_t workers, const char *name, tp_error *err);

/* Ends the threads. NULL is accepted. */
void tpi_crew_destroy(tpi_crew *crew);

/* Do all items below `count`, in any order, and return when all are done. Allocates nothing. */
void tpi_crew_run(tpi_crew *crew, tpi_crew_work *work, void *argument, uint32_t count);

#endif
