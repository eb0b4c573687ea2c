/*
 * secret.h - random bytes, proofs and comparisons that tell nothing, and files that are private.
 *
 * The cryptography is OpenSSL's; this is the only place that knows it.
 */
#ifndef TROUPE_PLATFORM_SECRET_H
#define TROUPE_PLATFORM_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

enum { TPI_DIGEST_LENGTH = 32 };

/* Bytes from the operating system's random source, at most 256. Does not wait once the system is
 * up. TP_E_IO if there are none. */
tp_status tpi_secret_random(void *bytes, size_t length);

/* HMAC-SHA256 of a message with a secret. */
tp_status tpi_secret_proof(uint8_t digest[TPI_DIGEST_LENGTH], const void *secret,
                           size_t secret_length, const void *message, size_t length);

/* Takes the same time wherever the first difference is. */
bool tpi_secret_equal(const void *a, const void *b, size_t length);

/* Overwrite what is not needed any more. NULL is accepted. */
void tpi_secret_wipe(void *bytes, size_t length);

/* Whether only its owner and its group can read the file, and only its owner can change it. What is
 * no file (a pipe, a socket) is private. TP_E_IO if there is none. */
tp_status tpi_secret_is_private(const char *path, bool *is_private, tp_error *err);

#endif
