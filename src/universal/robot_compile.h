/* robot_compile.h - the compiler of steps, shared by robot_steps.c and robot_macro.c. */
#ifndef TROUPE_UNIVERSAL_ROBOT_COMPILE_H
#define TROUPE_UNIVERSAL_ROBOT_COMPILE_H

#include "universal/robot.h"

typedef struct tpi_compiling {
    tpi_robotfile *robot;
    const tpi_document *document;
    tpi_command command;
    const char *const *only; /* allowed steps; NULL for all */
    unsigned uses, polls;
    unsigned count;
    tpi_step steps[TPI_MOST_STEPS];
} tpi_compiling;

/* The next step, zeroed; NULL, with the error, if there are too many. */
tpi_step *tpi_compile_add(tpi_compiling *in, const tpi_element *element, tpi_step_code code);

/* Compile an expression; `where` names it in messages. */
tp_status tpi_compile_expression(const tpi_compiling *in, const tpi_element *element,
                                 const char *where, const char *text, tpi_expression *out);

/* Compile a <do>. */
tp_status tpi_compile_do(tpi_compiling *in, const tpi_element *element);

#endif
