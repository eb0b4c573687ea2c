/* arena.c - memory given back all at once. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 8192 };

struct tpi_arena_chunk {
    struct tpi_arena_chunk *next; /* owned */
    size_t used;
    size_t capacity;
    max_align_t bytes[]; /* aligned for any type */
};

void tpi_arena_fini(tpi_arena *arena)
{
    while (arena->chunks != NULL) {
        struct tpi_arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
}

static struct tpi_arena_chunk *add_chunk(tpi_arena *arena, size_t size)
{
    size_t capacity = size > CHUNK_SIZE ? size : CHUNK_SIZE;
    struct tpi_arena_chunk *chunk = calloc(1, sizeof *chunk + capacity);

    if (chunk != NULL) {
        chunk->capacity = capacity;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    return chunk;
}

void *tpi_arena_alloc(tpi_arena *arena, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size = (size + align - 1) / align * align;

    struct tpi_arena_chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->capacity - chunk->used < size) {
        chunk = add_chunk(arena, size);
        if (chunk == NULL) {
            return NULL;
        }
    }
    void *piece = (char *)chunk->bytes + chunk->used;
    chunk->used += size;
    return piece;
}

void *tpi_arena_array(tpi_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 2 / size) {
        return NULL;
    }
    return tpi_arena_alloc(arena, count * size);
}

char *tpi_arena_text(tpi_arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX / 2 ? tpi_arena_alloc(arena, length + 1) : NULL;

    if (copy != NULL && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}
