/* intern.h - equal bytes are kept once. */
#ifndef TROUPE_SIM_WORLD_INTERN_H
#define TROUPE_SIM_WORLD_INTERN_H

#include "base/arena.h"

struct sim_interner {
    tpi_arena *arena;             /* borrowed: where the copies live */
    struct sim_interned *entries; /* owned */
    size_t capacity, count;
};

/* With `arena` set and all else zero it is ready. */
void tpi_sim_interner_fini(struct sim_interner *interner);

/* A copy of the bytes with a NUL behind them, aligned for any type; the same for equal bytes. NULL
 * if memory ran out. */
void *tpi_sim_intern(struct sim_interner *interner, const void *bytes, size_t length);

/* The same, but where something can be kept that follows from the bytes; NULL at first. Valid until
 * the next call. */
void **tpi_sim_intern_slot(struct sim_interner *interner, const void *bytes, size_t length);

#endif
