/*
 * can_line.h - interfaces of a CAN bus: can:can0.
 *
 * Each write and each read is one frame, in 16 bytes: its identifier (four bytes, lowest first),
 * the length of its data (one byte, 0 to 8), three zeros, and eight bytes of data. The bus is
 * switched on by the administrator: `ip link set can0 up type can bitrate 500000`.
 */
#ifndef TROUPE_LOOP_CAN_LINE_H
#define TROUPE_LOOP_CAN_LINE_H

#include "platform/line.h"

extern const tp_scheme tpi_scheme_can;

enum { TPI_CAN_FRAME = 16 };

/* Frames of Linux and back; for lines and their tests. Data of a frame that is longer than it may
 * be is cut. */
void tpi_can_pack(unsigned char out[TPI_CAN_FRAME], const void *frame);
void tpi_can_unpack(void *frame, const unsigned char bytes[TPI_CAN_FRAME]);

#endif
