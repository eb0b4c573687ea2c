/*
 * p2os_packet.h - packets of the robots of MobileRobots: FA FB, a length, the payload, a sum.
 *
 * Both sides use the same form. A reader takes bytes however they are cut; what is no packet, or
 * has a wrong sum, is dropped, and the reader goes on with the next FA FB.
 */
#ifndef SHARED_P2OS_PACKET_H
#define SHARED_P2OS_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    P2OS_HEAD = 3,           /* bytes before the payload */
    P2OS_SUM = 2,            /* bytes after it */
    P2OS_MOST_PAYLOAD = 201, /* the length, which counts the sum, is at most 203 */
    P2OS_MOST_PACKET = P2OS_HEAD + P2OS_MOST_PAYLOAD + P2OS_SUM,
};

struct p2os_reader {
    uint8_t bytes[P2OS_MOST_PACKET];
    size_t length;
    unsigned damaged; /* packets with a wrong sum or length, so far */
};

/* Take a byte. True if it completes a packet: its payload is at bytes + P2OS_HEAD, and
 * tpi_p2os_payload() bytes long, until the next call. */
bool tpi_p2os_read(struct p2os_reader *reader, uint8_t byte);

size_t tpi_p2os_payload(const struct p2os_reader *reader);

/* Write a packet around a payload of at most P2OS_MOST_PAYLOAD bytes; its length. */
size_t tpi_p2os_wrap(uint8_t out[P2OS_MOST_PACKET], const uint8_t *payload, size_t length);

/* The same for a command with a number, which may be negative. */
size_t tpi_p2os_command(uint8_t out[P2OS_MOST_PACKET], uint8_t command, int argument);

/* A number of two bytes, the lower one first. */
static inline unsigned p2os_u16(const uint8_t *at)
{
    return (unsigned)at[0] | (unsigned)at[1] << 8;
}

static inline int p2os_s16(const uint8_t *at)
{
    return (int16_t)p2os_u16(at);
}

#endif
