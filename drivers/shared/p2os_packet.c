/* p2os_packet.c - see p2os_packet.h. */
#include "p2os_packet.h"

#include <string.h>

static const uint8_t first = 0xfa, second = 0xfb;

/* Pairs of bytes are added as numbers of 16 bits; a single last one is xored. */
static unsigned sum_of(const uint8_t *payload, size_t length)
{
    unsigned sum = 0;

    for (; length > 1; length -= 2, payload += 2) {
        sum = (sum + ((unsigned)payload[0] << 8 | payload[1])) & 0xffff;
    }
    return length > 0 ? sum ^ payload[0] : sum;
}

size_t tpi_p2os_payload(const struct p2os_reader *reader)
{
    return (size_t)reader->bytes[2] - P2OS_SUM;
}

/* Whether what is there can be the beginning of a packet. */
static bool is_plausible(const struct p2os_reader *reader)
{
    const uint8_t *bytes = reader->bytes;

    return (reader->length < 1 || bytes[0] == first) &&
           (reader->length < 2 || bytes[1] == second) &&
           (reader->length < 3 ||
            (bytes[2] > P2OS_SUM && bytes[2] <= P2OS_MOST_PAYLOAD + P2OS_SUM));
}

/* Drop the first of at most three bytes, and whatever follows it that begins no packet. */
static void resume(struct p2os_reader *reader)
{
    do {
        reader->length--;
        memmove(reader->bytes, reader->bytes + 1, reader->length);
    } while (reader->length > 0 && !is_plausible(reader));
}

static bool is_whole(const struct p2os_reader *reader)
{
    return reader->length >= P2OS_HEAD &&
           reader->length == P2OS_HEAD + tpi_p2os_payload(reader) + P2OS_SUM;
}

bool tpi_p2os_read(struct p2os_reader *reader, uint8_t byte)
{
    if (is_whole(reader)) { /* it was taken */
        reader->length = 0;
    }
    reader->bytes[reader->length++] = byte;
    if (!is_plausible(reader)) {
        reader->damaged += reader->length == P2OS_HEAD;
        resume(reader);
        return false;
    }
    if (!is_whole(reader)) {
        return false;
    }
    const uint8_t *end = reader->bytes + reader->length - P2OS_SUM;
    if (sum_of(reader->bytes + P2OS_HEAD, tpi_p2os_payload(reader)) ==
        ((unsigned)end[0] << 8 | end[1])) {
        return true;
    }
    reader->damaged++;
    reader->length = 0; /* with whatever it may have swallowed: the next report comes soon */
    return false;
}

size_t tpi_p2os_wrap(uint8_t out[P2OS_MOST_PACKET], const uint8_t *payload, size_t length)
{
    const unsigned sum = sum_of(payload, length);

    out[0] = first;
    out[1] = second;
    out[2] = (uint8_t)(length + P2OS_SUM);
    memcpy(out + P2OS_HEAD, payload, length);
    out[P2OS_HEAD + length] = (uint8_t)(sum >> 8);
    out[P2OS_HEAD + length + 1] = (uint8_t)sum;
    return P2OS_HEAD + length + P2OS_SUM;
}

size_t tpi_p2os_command(uint8_t out[P2OS_MOST_PACKET], uint8_t command, int argument)
{
    const unsigned size = (unsigned)(argument < 0 ? -argument : argument);
    const uint8_t payload[] = {command, argument < 0 ? 0x1b : 0x3b, (uint8_t)size,
                               (uint8_t)(size >> 8)};

    return tpi_p2os_wrap(out, payload, sizeof payload);
}
