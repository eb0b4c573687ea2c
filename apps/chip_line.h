/*
 * chip_line.h - talks to a chip with Troupe's firmware over a serial line: packets of the universal
 * protocol, functions of Extended for programs (docs/universal-protocol.md). Waits for replies.
 */
#ifndef TROUPE_APPS_CHIP_LINE_H
#define TROUPE_APPS_CHIP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

enum { CHIP_LONGEST = 512 }; /* bytes of a packet from the chip */

/* Functions of Extended. */
enum { CHIP_LOAD = 16, CHIP_RUN = 17, CHIP_HALT = 18, CHIP_STATE = 19, CHIP_WATCH = 20 };

/* What STATE says. */
typedef struct chip_state {
    unsigned version, state, reason, at;
    unsigned checksum, length; /* of the program that is stored */
    unsigned bytes, cells, frames;
    unsigned untouched; /* bytes that the stack has never reached */
} chip_state;
enum { CHIP_NONE, CHIP_STOPPED, CHIP_RUNS, CHIP_ENDED, CHIP_FAULTED };

typedef struct chip_line chip_line;

/* Open a line: serial:/dev/ttyUSB0, or the path alone. 57,600 baud unless the URL says otherwise.
 */
tp_status chip_line_open(chip_line **out, const char *url, tp_error *err);
void chip_line_close(chip_line *line);

/* Call a function until it is answered. A board that was reset by opening the line needs seconds.
 */
tp_status chip_line_knock(chip_line *line, int64_t patience_ns, tp_error *err);

/* Call a function with its body; what it gives. Repeated if no reply comes. */
tp_status chip_line_call(chip_line *line, uint8_t function, const uint8_t *body, size_t length,
                         uint8_t *out, size_t size, size_t *got, tp_error *err);
tp_status chip_line_state(chip_line *line, uint8_t function, uint8_t watch, chip_state *out,
                          tp_error *err);

/* Wait for something that the chip tells unasked. TP_E_TIMEOUT if nothing comes. */
tp_status chip_line_news(chip_line *line, uint8_t *out, size_t size, size_t *length,
                         int64_t patience_ns, tp_error *err);

#endif
