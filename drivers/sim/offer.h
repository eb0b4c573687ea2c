/*
 * offer.h - from sections and models to devices.
 *
 * offer.c makes devices; choose.c finds the model that a device of a section is to be. Both work in
 * init only.
 */
#ifndef SIM_OFFER_H
#define SIM_OFFER_H

#include "simulator.h"

enum { SIMD_MOST_KINDS = 64 };

/* What is needed while devices are made. */
typedef struct simd_offering {
    simd *s;
    tpi_sim_model *roots; /* owned: in the order of their names */
    size_t root_count;
    simd_device **vehicles;         /* owned; of each model: the vehicle that it is, or NULL */
    uint64_t *taken;                /* owned: of each model, a bit for each interface and key */
    uint64_t *taken_here;           /* owned: the same by the section alone, in a named robot */
    uint32_t next[SIMD_MOST_KINDS]; /* index of the next device of each interface, for "all" */
    size_t left_out;                /* devices for which none was left */
    size_t section;                 /* that is looked at; SIZE_MAX for none yet */
    tpi_sim_model robot;            /* that it is about; TPI_SIM_NONE for none */
    bool named;                     /* by the section */
    bool told;                      /* that a device of the section is of another one */
} simd_offering;

/* The first row of an interface, and a number for it; NULL if there is none. */
const simd_kind *tpi_simd_kind_of(const tp_interface *interface, unsigned *number);

/* What the i-th of `provides` is: its row, and its model (TPI_SIM_NONE for the world). It is taken
 * from then on. Call it for one after the other. */
tp_status tpi_simd_choose(simd_offering *o, size_t i, const simd_kind **kind, tpi_sim_model *model,
                          tp_error *err);

#endif
