/*
 * save.h - the state of a machine as bytes, so that a program can go on later or elsewhere.
 *
 * A state fits the image and the sizes of memory with which it was saved.
 */
#ifndef TROUPE_PLAY_SAVE_H
#define TROUPE_PLAY_SAVE_H

#include "base/buf.h"
#include "play/machine.h"

/* Append the state. */
void tpi_play_save(tpi_buf *out, const tpi_play_machine *machine);

/* Put a saved state into a machine that was prepared with the same image and the same sizes. Bytes
 * that are no state of this program are refused; then the machine must be prepared again. */
tp_status tpi_play_restore(tpi_play_machine *machine, const uint8_t *bytes, size_t length,
                           tp_error *err);

#endif
