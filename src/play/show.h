/* show.h - values of a machine as text. */
#ifndef TROUPE_PLAY_SHOW_H
#define TROUPE_PLAY_SHOW_H

#include "base/buf.h"
#include "play/machine.h"

/* Append a value as people write it: 5, 0.25, true, the text itself. */
void tpi_play_put_cell(tpi_buf *out, const tpi_play_machine *machine, const tpi_play_cell *cell);

/* A number or truth as a number; 0 for a text. */
double tpi_play_cell_number(const tpi_play_cell *cell);

/* Why a program stopped: "a text stands where a number is needed". */
const char *tpi_play_fault_text(unsigned fault);

#endif
