/*
 * program.h - a compiled program with what a host needs beside the image: devices, channels, lines.
 */
#ifndef TROUPE_PLAY_PROGRAM_H
#define TROUPE_PLAY_PROGRAM_H

#include "base/buf.h"
#include "play/check.h"
#include "play/image.h"

enum {
    TPI_PLAY_CHIP_BYTES = 1024,   /* the largest image that fits a chip */
    TPI_PLAY_CHIP_CELLS = 128,    /* registers and variables of functions on a chip */
    TPI_PLAY_PRINT_CODE = 0x2001, /* the machine's own commands: print a row */
    TPI_PLAY_LOG_CODE = 0x2002,   /* log a name and a value */
    TPI_PLAY_LINE_CODE = 0x2003,  /* a line begins: for hosts that show or count lines */
};

/* A device of the program, as the registry of ports declares it. */
typedef struct tpi_play_device {
    const char *name;
    const char *classes; /* with commas between them */
    int number;          /* -1 for none */
    unsigned line;
    tpi_command command; /* what it is used with first; TPI_COMMANDS for nothing */
    bool needs_unit;     /* percent alone does not do */
} tpi_play_device;

typedef struct tpi_play_channel {
    const char *name;
    const char *text; /* how others know it */
} tpi_play_channel;

/* A variable of the program; those of functions are not listed. */
typedef struct tpi_play_variable {
    const char *name;
    uint8_t index; /* its register */
} tpi_play_variable;

/* Where the code of a line begins. */
typedef struct tpi_play_line {
    uint16_t pc;
    unsigned line;
} tpi_play_line;

typedef struct tpi_play_program {
    bool marks_lines; /* set by the caller before: the code tells where each line begins */
    tpi_arena arena;
    tpi_buf image;
    unsigned device_count;
    tpi_play_device *devices; /* the arena's */
    unsigned channel_count;
    tpi_play_channel *channels; /* the arena's */
    unsigned variable_count;
    tpi_play_variable *variables; /* the arena's */
    tpi_buf lines;                /* of tpi_play_line, in the order of their places */
} tpi_play_program;

/* Compile a text: parse, check, translate. The program must be all zero, but for
 * `marks_lines`; fini is due in any case.
 * False if there are mistakes or memory ran out. */
bool tpi_play_compile(tpi_play_program *program, const char *text, size_t length,
                      const tpi_vocabulary *vocabulary, tpi_play_troubles *troubles);
void tpi_play_program_fini(tpi_play_program *program);

/* The line of the instruction that ends at, or holds, this place; 0 for none. */
unsigned tpi_play_program_line(const tpi_play_program *program, uint16_t pc);

/* Append the instructions in words. */
void tpi_play_disassemble(tpi_buf *out, const uint8_t *image, const tpi_play_program *program);

/* Whether an image can be executed; `err` says why not. */
tp_status tpi_play_verify(const uint8_t *image, size_t length, tp_error *err);

/* The sentence of a reason of examine.h, from here or from a chip. `at` is the place; for another
 * version or length it is what the image has. */
tp_status tpi_play_verify_fail(unsigned reason, unsigned at, tp_error *err);

#endif
