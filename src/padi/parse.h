/*
 * parse.h - from a .padi file to descriptors. The language is in docs/reference/padi.md.
 *
 * The result is the same tables that the generator prints as C, laid out for this machine. It
 * owns its memory; descriptors of other interfaces that it uses are borrowed and outlive it.
 */
#ifndef TROUPE_PADI_PARSE_H
#define TROUPE_PADI_PARSE_H

#include "base/arena.h"
#include "padi/plan.h"
#include "troupe/padi.h"

typedef struct tpi_padi {
    tpi_arena arena;
    tp_interface interface;
    const tpi_step_path *const *paths; /* for each struct, for the generator */
} tpi_padi;

/* Where a file stands. */
typedef struct tpi_padi_scope {
    /* For `use NAME`: the interface, or NULL with `err` saying why not. */
    const tp_interface *(*find)(void *context, const char *name, tp_error *err);
    void *context;
    bool builtin; /* one of Troupe's own files, which may have codes below 200 */
} tpi_padi_scope;

/* Parse and check. A `file` that ends in ".padi" must be named after its interface. On failure
 * `err` says "FILE:LINE:COLUMN: ..." and `out` is empty. */
tp_status tpi_padi_parse(tpi_padi *out, const char *file, const char *text, size_t length,
                         const tpi_padi_scope *scope, tp_error *err);

void tpi_padi_fini(tpi_padi *padi);

/* "DATA", "CMD", "REQ", "SYNCH": the middle of a message's constant, TP_LASER_DATA_SCAN. */
const char *tpi_kind_infix(tp_kind kind);

#endif
