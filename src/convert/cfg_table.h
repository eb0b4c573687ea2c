/*
 * cfg_table.h - where names lead, each within a scope.
 *
 * Keeps the time of a parse proportional to the file, however many fields a section has.
 */
#ifndef TROUPE_CONVERT_CFG_TABLE_H
#define TROUPE_CONVERT_CFG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tpi_cfg_table {
    struct tpi_cfg_slot *slots; /* owned */
    size_t capacity;            /* a power of two, or 0 */
    size_t count;
} tpi_cfg_table;

/* An all-zero table is empty and ready. */
void tpi_cfg_table_fini(tpi_cfg_table *table);

/* Whether the name is known in the scope, and its number (which may be asked for with NULL). */
bool tpi_cfg_table_get(const tpi_cfg_table *table, const void *scope, const char *name,
                       uint32_t *number);

/* Add a name that is not known yet; false if memory ran out. The name is borrowed. */
bool tpi_cfg_table_add(tpi_cfg_table *table, const void *scope, const char *name, uint32_t number);

#endif
