/*
 * script.h - conversations with hardware, written down: see docs/reference/scripts.md.
 *
 *     0.04 > V\n            the driver writes this
 *     0.14 < V\n0\n\n       the hardware answers, so much later
 *     << fa fb 03           the same in hex, at once
 *     repeat 3              ... end; without a number until the driver writes something else; may
 *                           be nested
 *     silence 0.5           nothing comes, whatever is written; without a number for ever
 *     hang-up
 */
#ifndef TROUPE_PORT_SCRIPT_H
#define TROUPE_PORT_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "platform/line.h"

typedef enum tpi_script_kind {
    TPI_SCRIPT_WRITE, /* of the driver */
    TPI_SCRIPT_ANSWER,
    TPI_SCRIPT_SILENCE,
    TPI_SCRIPT_HANG_UP,
    TPI_SCRIPT_REPEAT,
    TPI_SCRIPT_END, /* of a repeat */
} tpi_script_kind;

typedef struct tpi_script_item {
    tpi_script_kind kind;
    unsigned line;
    int64_t delay_ns; /* how long after what is before it; of a silence how long it lasts */
    const char *bytes;
    size_t length;
    uint32_t passes;  /* of a repeat; 0 for ever */
    uint32_t partner; /* of a repeat its end, and the other way round */
    uint32_t prompt;  /* of a repeat the first write in it; its end if there is none */
    uint32_t within;  /* 1 + the innermost repeat that it is in; 0 for none */
    uint32_t done;    /* of a repeat that is played: passes so far */
} tpi_script_item;

typedef struct tpi_script {
    const char *file; /* the arena's: for errors */
    tpi_script_item *items;
    uint32_t count;
    unsigned last_line; /* that says something; 1 if none does */
    tpi_arena arena;
} tpi_script;

/* Fails with "FILE:LINE: what is wrong". The file is only a name here. */
tp_status tpi_script_parse(tpi_script *out, const char *file, const char *text, size_t length,
                           tp_error *err);

/* Safe after a failed parse. */
void tpi_script_fini(tpi_script *script);

/* A line that plays a script, which it takes over in any case. `plan` gives URL and clock. */
tp_status tpi_script_play_take(tpi_line **out, tpi_script *script, const tpi_line_options *plan,
                               tp_error *err);

/* Opens "script:FILE". Every opening begins at the beginning. */
extern const tp_scheme tpi_scheme_script;

#endif
