/*
 * expression.h - arithmetic in robot files: compiled once, evaluated without memory.
 *
 * Numbers are doubles. A name is a local (a field of a reply, or made by <set>), a value of the
 * command, a number of the device, or a register. An expression that is nothing but the name of a
 * text stands for that text.
 */
#ifndef TROUPE_UNIVERSAL_EXPRESSION_H
#define TROUPE_UNIVERSAL_EXPRESSION_H

#include <stdint.h>

#include "base/arena.h"
#include "troupe/status.h"
#include "universal/dictionary.h"

enum {
    TPI_MOST_LOCALS = 32,
    TPI_MOST_NUMBERS = 32,   /* names of numbers of devices in a robot file */
    TPI_MOST_REGISTERS = 64, /* in a robot file */
    TPI_MOST_WORDS = 1024,   /* all elements of all registers */
    TPI_NUMBER_SLOT = 0,     /* number of every device: its slot */
    TPI_NUMBER_ID = 1,       /* number of every device: its id */
    TPI_NUMBER_LEFT = 2,     /* number of a group: the slot of its left wheel */
    TPI_NUMBER_RIGHT = 3,    /* number of a group: the slot of its right wheel */
    TPI_NUMBERS_GIVEN = 4,   /* how many the engine gives */
};

/* A number or a text. */
typedef struct tpi_value {
    double number;
    const char *text; /* borrowed; NULL for a number */
    uint32_t length;  /* of the text */
} tpi_value;

/* A register: `size` words from `offset` on. A counter runs from `from` to `to`. */
typedef struct tpi_register {
    const char *name;
    unsigned offset, size; /* size 0: one word without an index */
    double start;
    bool is_counter;
    double from, to;
} tpi_register;

/* What names mean while a file is compiled. */
typedef struct tpi_scope {
    const tpi_entry *entry; /* of the command; NULL for none */
    unsigned local_count;
    struct {
        const char *name;
        bool is_text;
    } locals[TPI_MOST_LOCALS];
    unsigned number_count;
    const char *numbers[TPI_MOST_NUMBERS];
    unsigned register_count, word_count;
    tpi_register registers[TPI_MOST_REGISTERS];
} tpi_scope;

/* What names stand for while a command runs. */
typedef struct tpi_context {
    tpi_value *locals;
    const tpi_value *values; /* of the command */
    const double *numbers;   /* of the device; NaN where it has none */
    double *words;           /* of all registers */
    const tpi_scope *scope;  /* the registers */
    double now_ms;           /* since the robot was connected */
} tpi_context;

typedef struct tpi_op {
    uint8_t code;
    uint8_t count;  /* arguments of a function */
    uint16_t index; /* of a name */
    double number;
} tpi_op;

typedef struct tpi_expression {
    const tpi_op *ops; /* borrowed from the arena; NULL for none */
    unsigned count;
    bool is_text;
} tpi_expression;

/* Compile the first `length` characters. On failure `why` (of `size` bytes) says what is wrong. */
tp_status tpi_expression_read(tpi_expression *out, const char *text, size_t length,
                              const tpi_scope *scope, tpi_arena *arena, char *why, size_t size);

/* The number; false if it is none: a division by zero, an index that is too large. */
bool tpi_expression_number(const tpi_expression *expression, const tpi_context *context,
                           double *out);

/* The text of an expression that is one. */
tpi_value tpi_expression_text(const tpi_expression *expression, const tpi_context *context);

/* Whether the expression reads this number of the device. */
bool tpi_expression_uses(const tpi_expression *expression, unsigned number);

/* Add a local, or find it; -1 if there is no room. */
int tpi_scope_local(tpi_scope *scope, const char *name, bool is_text);

/* The register with this name; -1 for none. */
int tpi_scope_register(const tpi_scope *scope, const char *name);

/* ---- Inside ---- */

/* Codes of operations. A function's code is TPI_OP_FUNCTION and its place in the table. */
typedef enum tpi_op_code {
    TPI_OP_NUMBER,
    TPI_OP_LOCAL,
    TPI_OP_VALUE,
    TPI_OP_DEVICE,
    TPI_OP_REGISTER,
    TPI_OP_ELEMENT, /* of a register, with an index */
    TPI_OP_NEXT,    /* of a counter */
    TPI_OP_SIZE_LOCAL,
    TPI_OP_SIZE_VALUE,
    TPI_OP_NOW,
    TPI_OP_NEGATE,
    TPI_OP_NOT,
    TPI_OP_ADD,
    TPI_OP_SUBTRACT,
    TPI_OP_MULTIPLY,
    TPI_OP_DIVIDE,
    TPI_OP_MODULO,
    TPI_OP_LT,
    TPI_OP_LE,
    TPI_OP_GT,
    TPI_OP_GE,
    TPI_OP_EQ,
    TPI_OP_NE,
    TPI_OP_AND,
    TPI_OP_OR,
    TPI_OP_FUNCTION,
} tpi_op_code;

enum { TPI_MOST_STACK = 24 };

/* A function of expressions. */
typedef struct tpi_function {
    const char *name;
    unsigned least, most; /* arguments */
    double (*call)(const double *arguments, unsigned count);
} tpi_function;

/* The table of functions; a NULL name ends it. */
extern const tpi_function tpi_functions[];

#endif
