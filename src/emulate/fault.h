/*
 * fault.h - what can go wrong with an emulated robot, and when.
 *
 *     silent@5s          from 5 s on
 *     silent@5s-8s       from 5 s to 8 s
 *     battery            from the beginning
 */
#ifndef TROUPE_EMULATE_FAULT_H
#define TROUPE_EMULATE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

typedef enum tpi_emu_fault_kind {
    TPI_EMU_UNPLUGGED, /* the line is gone; a robot with power from it restarts when it is back */
    TPI_EMU_SILENT,    /* hears nothing and says nothing; what moves goes on moving */
    TPI_EMU_WRONG,     /* a byte of every message to the host is wrong */
    TPI_EMU_SHORT,     /* every message to the host lacks its last byte */
    TPI_EMU_BATTERY,   /* the battery is empty: nothing moves */
    TPI_EMU_LIFTED,    /* somebody holds it: its wheels turn in the air */
    TPI_EMU_FAULTS
} tpi_emu_fault_kind;

enum { TPI_EMU_MOST_FAULTS = 16 }; /* of one robot */

typedef struct tpi_emu_fault {
    tpi_emu_fault_kind kind;
    int64_t from_us;
    int64_t to_us; /* INT64_MAX for ever */
} tpi_emu_fault;

/* The word for it in a text; a constant. */
const char *tpi_emu_fault_word(tpi_emu_fault_kind kind);

/* Read "KIND", "KIND@TIME" or "KIND@TIME-TIME"; times are seconds, with "s" or "ms" behind them or
 * nothing. The error names what is wrong and the nearest kind. */
tp_status tpi_emu_fault_parse(tpi_emu_fault *fault, const char *text, tp_error *err);

/* Read the kind alone. */
tp_status tpi_emu_fault_read_kind(tpi_emu_fault_kind *kind, const char *word, size_t length,
                                  tp_error *err);

#endif
