/*
 * examine.h - whether an image can be executed: the checks of the verifier, for host and chip.
 * Freestanding.
 */
#ifndef TROUPE_PLAY_EXAMINE_H
#define TROUPE_PLAY_EXAMINE_H

#include "play/machine.h"

/* Why an image is refused. A wrong operand is refused with its letter in opcodes.def. */
enum {
    TPI_PLAY_ACCEPTED,
    TPI_PLAY_NO_IMAGE,
    TPI_PLAY_OTHER_VERSION,
    TPI_PLAY_OTHER_LENGTH,
    TPI_PLAY_OTHER_CHECKSUM,
    TPI_PLAY_WRONG_HEADER,
    TPI_PLAY_WRONG_TABLES,
    TPI_PLAY_WRONG_ENTRY,     /* a task or function begins at a wrong place */
    TPI_PLAY_WRONG_REGISTERS, /* those of a function */
    TPI_PLAY_NO_INSTRUCTION,
    TPI_PLAY_CUT,      /* an instruction goes beyond the end of its task or function */
    TPI_PLAY_RUNS_OFF, /* the last instruction goes on */
    TPI_PLAY_WRONG_END,
    TPI_PLAY_WRONG_RETURN,
    TPI_PLAY_NOT_REACHED, /* code that belongs to no task or function */
};

typedef struct tpi_play_exam {
    const uint8_t *image; /* borrowed */
    uint8_t *starts;      /* borrowed; a bit for each byte of the image */
    tpi_play_layout layout;
    uint16_t at; /* the instruction that was looked at last */
    /* The task or function that is looked at. */
    uint16_t begin, end;
    uint8_t registers;
    bool is_function;
} tpi_play_exam;

/* Examine an image of `length` bytes. The caller sets `image` and `starts`, (length + 7) / 8 bytes.
 * Why it is refused, TPI_PLAY_ACCEPTED if it is not; `at` says where. */
uint8_t tpi_play_examine(tpi_play_exam *exam, uint16_t length);

#endif
