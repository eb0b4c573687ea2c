/*
 * chip.h - making a program ready for a chip: its devices become ports of the chip, and everything
 * that the chip cannot do is refused with its line.
 */
#ifndef TROUPE_PLAY_CHIP_H
#define TROUPE_PLAY_CHIP_H

#include "play/program.h"
#include "universal/wired.h"

/* What a chip has: what its STATE says, or that of an ATmega328P. */
typedef struct tpi_play_chip {
    unsigned bytes; /* of a program */
    unsigned cells; /* registers of the program and its functions */
} tpi_play_chip;

/* Append the image of a program for a chip. `wired` is the robot; the types and ids of its devices
 * are the ports of the firmware. Fails with the first thing that the chip cannot do. */
tp_status tpi_play_fit_chip(tpi_buf *image, const tpi_play_program *program, const tpi_wired *wired,
                            bool is_loose, const tpi_play_chip *chip, tp_error *err);

#endif
