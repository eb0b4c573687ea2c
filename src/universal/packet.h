/*
 * packet.h - the bytes of the universal protocol: a command, and its reply.
 *
 * A packet is what stands behind the 4 bytes of its length. docs/universal-protocol.md describes
 * it. All numbers are big-endian. Readers check every length against the bytes that are there; the
 * texts of values are borrowed from the packet.
 */
#ifndef TROUPE_UNIVERSAL_PACKET_H
#define TROUPE_UNIVERSAL_PACKET_H

#include "base/buf.h"
#include "universal/robot.h"

enum { TPI_PACKET_LENGTH = 4 }; /* bytes of the length in front of a packet */

/* How a reply begins. */
typedef enum tpi_packet_status {
    TPI_PACKET_DONE = 0,
    TPI_PACKET_ERROR = 1,
    TPI_PACKET_EARLIER = 2, /* done, but an earlier command failed */
} tpi_packet_status;

/* The functions of the command Extended. */
typedef enum tpi_packet_function {
    TPI_PACKET_REGISTER = 1,
    TPI_PACKET_SELECT = 2,
    TPI_PACKET_TARGETS = 3,
    TPI_PACKET_DESCRIBE = 4,
    TPI_PACKET_PORTS = 5,
    TPI_PACKET_PICTURE = 6,
    TPI_PACKET_CHALLENGE = 7,
    TPI_PACKET_PROVE = 8,
    TPI_PACKET_STREAM = 9,
    TPI_PACKET_PANIC = 10,
} tpi_packet_function;

typedef struct tpi_packet {
    bool waits;    /* for a reply */
    uint32_t most; /* bytes of values that the client takes */
    uint16_t code;
    tpi_command command; /* TPI_COMMANDS if there is none with this code */
    bool has_port;
    uint8_t type, id;
    unsigned count; /* values that are given */
    tpi_value values[TPI_MOST_VALUES];
} tpi_packet;

/* Read a packet. `waits` and `most` are set as far as they are there. TPI_FAULT_NONE, or the fault
 * and its sentence. */
tpi_fault tpi_packet_read(tpi_packet *out, const uint8_t *bytes, size_t length, char *why,
                          size_t size);

/* Append a packet with its length. */
void tpi_packet_put(tpi_buf *out, const tpi_packet *packet);

/* ---- Fields ---- */

void tpi_packet_put_u8(tpi_buf *out, unsigned value);
void tpi_packet_put_u16(tpi_buf *out, unsigned value);
void tpi_packet_put_u32(tpi_buf *out, uint32_t value);
void tpi_packet_put_text(tpi_buf *out, const void *text, size_t length);

/* Append a value as the dictionary says. */
void tpi_packet_put_value(tpi_buf *out, tpi_kind kind, const tpi_value *value);

/* What is left of some bytes. */
typedef struct tpi_packet_rest {
    const uint8_t *at;
    size_t length;
} tpi_packet_rest;

/* Take a value off the beginning; false if it is not whole. A kind without bytes is never whole. */
bool tpi_packet_take(tpi_packet_rest *rest, tpi_kind kind, tpi_value *out);

/* Take numbers and a text off the beginning; false if they are not whole. */
bool tpi_packet_take_u8(tpi_packet_rest *rest, uint8_t *out);
bool tpi_packet_take_u16(tpi_packet_rest *rest, uint16_t *out);
bool tpi_packet_take_u32(tpi_packet_rest *rest, uint32_t *out);

#endif
