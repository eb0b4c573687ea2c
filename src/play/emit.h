/* emit.h - inside of the compiler: code, registers, constants, jumps. */
#ifndef TROUPE_PLAY_EMIT_H
#define TROUPE_PLAY_EMIT_H

#include "play/program.h"

enum { TPI_PLAY_MOST_CODE = 32000, TPI_PLAY_MOST_CONSTANTS = 128 };

/* A task or function in the image. */
typedef struct tpi_play_unit_code {
    unsigned entry;
    uint8_t values, variables, registers, flags;
} tpi_play_unit_code;

typedef struct tpi_play_compiler {
    tpi_play_tree *tree;              /* borrowed */
    const tpi_play_names *names;      /* borrowed */
    const tpi_vocabulary *vocabulary; /* borrowed */
    tpi_play_troubles *troubles;      /* borrowed */
    tpi_play_program *program;        /* borrowed */
    const tpi_play_node *statement;   /* that is translated; mistakes are reported there */
    const tpi_play_symbol *function;  /* NULL outside of functions */
    tpi_buf code;
    unsigned next;        /* the first free register */
    unsigned highest;     /* registers in use at most */
    unsigned break_chain; /* jumps out of the innermost loop */
    int voice;            /* the device of `say`; -1 for none */
    unsigned integer_count, float_count, text_count;
    int32_t integers[TPI_PLAY_MOST_CONSTANTS];
    uint32_t floats[TPI_PLAY_MOST_CONSTANTS];
    const char *texts[256];
    tpi_play_unit_code tasks[TPI_PLAY_MOST_TASKS];
    tpi_play_unit_code *functions; /* the tree's arena */
} tpi_play_compiler;

/* Append an instruction with up to three bytes of operands. A jump is added with
 * tpi_play_emit_jump(), DO is tpi_play_emit_do(). */
void tpi_play_emit(tpi_play_compiler *c, tpi_play_opcode opcode, int first, int second, int third);

/* Append the two bytes of a jump to a place that is not known yet; `chain` links such jumps. */
void tpi_play_emit_jump(tpi_play_compiler *c, unsigned *chain);

/* All jumps of the chain lead here. */
void tpi_play_land(tpi_play_compiler *c, unsigned *chain);

/* Append LOOP to a place behind. */
void tpi_play_emit_loop(tpi_play_compiler *c, unsigned target);

/* Take registers in a row; the first. */
uint8_t tpi_play_take(tpi_play_compiler *c, unsigned count);

/* The number of a constant or text. */
uint8_t tpi_play_constant(tpi_play_compiler *c, bool is_integer, double value);
uint8_t tpi_play_text_number(tpi_play_compiler *c, const char *text);

/* Report that something does not fit. */
void tpi_play_too_much(tpi_play_compiler *c, const char *sentence);

/* Note where the code of a statement begins. */
void tpi_play_note_line(tpi_play_compiler *c, const tpi_play_node *statement);

/* Emit a request of TPI_PLAY_LINE_CODE, if the program is to have them. */
void tpi_play_mark_line(tpi_play_compiler *c);

/* Describe devices, channels and variables; `say` brings a device of its own. False if memory ran
 * out. */
bool tpi_play_describe(tpi_play_compiler *c);

/* Put the image together. */
void tpi_play_assemble(tpi_play_compiler *c);

/* ---- Expressions ---- */

/* The register that holds the value of an expression. */
uint8_t tpi_play_value(tpi_play_compiler *c, const tpi_play_node *node);

/* The value into a register. */
void tpi_play_value_into(tpi_play_compiler *c, const tpi_play_node *node, uint8_t target);

/* Jump if a condition does not hold. */
void tpi_play_unless(tpi_play_compiler *c, const tpi_play_node *node, unsigned *chain);

/* A universal command with its values: the first is the device if it names one. The row, which
 * holds the results. */
uint8_t tpi_play_command(tpi_play_compiler *c, tpi_command command, const tpi_play_node *values,
                         unsigned results);

/* Values in a row of registers; the first. At least `least` registers are taken. */
uint8_t tpi_play_row(tpi_play_compiler *c, const tpi_play_node *values, unsigned least);

/* A DO instruction. */
void tpi_play_emit_do(tpi_play_compiler *c, unsigned code, int device, uint8_t row, unsigned values,
                      unsigned results);

/* Call a function with values. */
void tpi_play_call(tpi_play_compiler *c, const tpi_play_node *values, const char *name,
                   const tpi_play_symbol *symbol, uint8_t target);

#endif
