/*
 * plan.h - from the fields of a struct to its layout and its XDR plan.
 *
 * The plan flattens nested structs and joins neighbouring numbers of one width into runs; see
 * tp_step in troupe/padi.h. The loader keeps it as it is, the generator prints it with
 * offsetof() in place of the numbers, for which it needs the paths.
 */
#ifndef TROUPE_PADI_PLAN_H
#define TROUPE_PADI_PLAN_H

#include "base/arena.h"
#include "troupe/padi.h"

/* Where a step's memory is, as C would write it: "pose.px". */
typedef struct tpi_step_path {
    const char *first;
    const char *last;  /* the last member of a run; NULL if the run is one member */
    const char *count; /* of ARRAY: the count field */
} tpi_step_path;

/* Size and alignment of one element of a field in memory. */
uint32_t tpi_field_element_size(const tp_field *field);
uint32_t tpi_field_element_align(const tp_field *field);

/* Size in memory of one item of a simple step (U8 ... BYTES). */
uint32_t tpi_step_item_size(unsigned op);

/* Size on the wire of `n` items of a simple step (U8 ... BYTES). */
static inline uint64_t tpi_step_wire_size(unsigned op, uint64_t n)
{
    switch (op) {
    case TP_STEP_LONGS:
        return n * 8;
    case TP_STEP_BYTES:
        return (n + 3) / 4 * 4;
    default:
        return n * 4;
    }
}

/* Fill in offsets, size and alignment as a C compiler would. */
tp_status tpi_plan_layout(tp_struct *type, tp_field *fields, tp_error *err);

/* Fill in steps, wire_min and variable; fields are laid out, nested structs have their plans.
 * `paths` (may be NULL) gets an array that matches the steps. All memory is the arena's. */
tp_status tpi_plan_make(tp_struct *type, tpi_arena *arena, const tpi_step_path **paths,
                        tp_error *err);

#endif
