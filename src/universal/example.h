/*
 * example.h - the examples of a robot file, which test it.
 *
 * An example is a universal command, what must be written for it, what the robot answers, and the
 * result. `troupe robots --check` runs them all.
 */
#ifndef TROUPE_UNIVERSAL_EXAMPLE_H
#define TROUPE_UNIVERSAL_EXAMPLE_H

#include "universal/dialog.h"

enum { TPI_MOST_LINES = 64 };

/* A line of an example: bytes that are written, or that arrive. */
typedef struct tpi_example_line {
    bool is_read;
    const uint8_t *bytes; /* borrowed from the arena */
    size_t length;
} tpi_example_line;

typedef struct tpi_example {
    const tpi_element *element;
    const char *device; /* NULL for none */
    const char *slot;   /* a label; NULL for none */
    const char *with;   /* registers; NULL for none */
    const char *error;  /* NULL for none */
    bool is_framed, runs_setup;
    unsigned value_count, result_count, line_count;
    tpi_value values[TPI_MOST_VALUES];
    tpi_value results[TPI_MOST_RESULTS];
    tpi_example_line lines[TPI_MOST_LINES];
} tpi_example;

/* Read an example; memory comes from the arena. */
tp_status tpi_example_read(tpi_example *out, const tpi_document *document, tpi_arena *arena,
                           const tpi_element *element);

/* Read values with commas between them: 50, 'Hi'. Texts are copied into the arena. */
tp_status tpi_values_read(const char *text, tpi_arena *arena, tpi_value *out, unsigned most,
                          unsigned *count);

/* Run one example of a translation. Fails with what was expected and what came. */
tp_status tpi_example_run(const tpi_robotfile *robot, const tpi_translation *translation,
                          const tpi_example *example, const tpi_document *document);

/* Run all examples of a robot file; their number. Also checks that every command that no device can
 * do has its <na>. */
tp_status tpi_examples_run(const tpi_robotfile *robot, unsigned *count, tp_error *err);

/* The same, telling all mistakes; `mistakes` may be NULL. */
tp_status tpi_examples_run_all(const tpi_robotfile *robot, unsigned *count, tpi_mistakes *mistakes,
                               tp_error *err);

#endif
