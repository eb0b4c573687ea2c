/*
 * library.h - programs in folders, and proofs of transfers: what programs need of the platform.
 *
 * The folders are that of the configuration, those of TROUPE_PROGRAM_PATH, and our own ones.
 */
#ifndef TROUPE_PLAY_HOST_LIBRARY_H
#define TROUPE_PLAY_HOST_LIBRARY_H

#include <stdint.h>

#include "base/buf.h"

enum { TPI_PLAY_PROOF = 32 };

/* The names of all programs that can be read, in order, each ended by a NUL; how many. `folder` is
 * looked into first; "" for none. */
unsigned tpi_play_library_names(tpi_buf *out, const char *folder);

/* Append the text of a program by its name. A name with a path is refused. */
tp_status tpi_play_library_read(tpi_buf *out, const char *folder, const char *name, tp_error *err);

/* Make a proof that nobody can guess. */
tp_status tpi_play_proof_make(uint8_t proof[TPI_PLAY_PROOF], tp_error *err);

/* The digest of a proof, from which it cannot be computed. */
tp_status tpi_play_proof_digest(uint8_t digest[TPI_PLAY_PROOF], const uint8_t proof[TPI_PLAY_PROOF],
                                tp_error *err);

#endif
