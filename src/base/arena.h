/*
 * arena.h - memory that is taken piece by piece and given back all at once.
 *
 * Used where many small objects live and die together, such as the descriptors of a loaded
 * interface file. Pieces are zeroed and aligned for any type.
 */
#ifndef TROUPE_BASE_ARENA_H
#define TROUPE_BASE_ARENA_H

#include <stddef.h>

typedef struct tpi_arena {
    struct tpi_arena_chunk *chunks; /* owned; newest first */
} tpi_arena;

/* An all-zero tpi_arena is empty and ready. */
void tpi_arena_fini(tpi_arena *arena);

/* `size` zeroed bytes, NULL if memory ran out. */
void *tpi_arena_alloc(tpi_arena *arena, size_t size);

/* `count` elements of `size` bytes, NULL if that overflows or memory ran out. */
void *tpi_arena_array(tpi_arena *arena, size_t count, size_t size);

/* A copy of `length` characters with a NUL behind them. */
char *tpi_arena_text(tpi_arena *arena, const char *text, size_t length);

#endif
