/*
 * garble.h - bytes on a serial line whose two ends have different speeds.
 *
 * The sender makes bits of its length: a start bit, eight bits from the lowest, a stop bit. The
 * receiver waits for a start bit and samples in the middle of bits of its own length. Speeds that
 * differ by a few percent give the same bytes, as on real lines; others give other bytes, and other
 * numbers of them.
 */
#ifndef TROUPE_EMULATE_GARBLE_H
#define TROUPE_EMULATE_GARBLE_H

#include <stddef.h>

/* What the receiver gets of bytes that are sent without gaps after a pause: at most `size` bytes;
 * how many. Speeds are in bits per second and not 0. */
size_t tpi_garble(const void *sent, size_t length, unsigned sender_baud, unsigned receiver_baud,
                  void *received, size_t size);

#endif
