/* garble.c - a serial line sampled at another speed; see garble.h. */
#include "emulate/garble.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    FRAME = 10, /* bits of one byte on the line */
    TICKS = 16, /* of the receiver, in one of its bits */
};

/* The line, whose times are ticks of the receiver. It is high behind the last byte. */
struct wire {
    const uint8_t *bytes;
    size_t length;
    uint64_t sender, receiver;
};

static bool is_high(const struct wire *w, uint64_t tick)
{
    const uint64_t bit = tick * w->sender / (TICKS * w->receiver);
    const uint64_t byte = bit / FRAME;
    const unsigned at = (unsigned)(bit % FRAME);

    if (byte >= w->length || at == FRAME - 1) {
        return true;
    }
    return at > 0 && (w->bytes[byte] >> (at - 1) & 1) != 0;
}

size_t tpi_garble(const void *sent, size_t length, unsigned sender_baud, unsigned receiver_baud,
                  void *received, size_t size)
{
    const struct wire w = {sent, length, sender_baud, receiver_baud};
    const uint64_t end = (uint64_t)length * FRAME * TICKS * receiver_baud / sender_baud + 1;
    uint8_t *out = received;
    size_t count = 0;
    uint64_t tick = 0;

    while (tick < end && count < size) {
        if (is_high(&w, tick)) {
            tick++; /* no start bit yet */
            continue;
        }
        unsigned value = 0;
        for (unsigned i = 0; i < 8; i++) {
            value |= is_high(&w, tick + TICKS * (i + 1) + TICKS / 2) ? 1U << i : 0;
        }
        out[count++] = (uint8_t)value;
        tick += TICKS * FRAME - TICKS / 2; /* the middle of the stop bit: an early start is seen */
    }
    return count;
}
