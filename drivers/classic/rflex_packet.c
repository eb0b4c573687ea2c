/* rflex_packet.c - packets of rFLEX: 1B 02, part, id, code, length, data, a sum, 1B 03. */
#include <string.h>

#include "rflex.h"

enum { ESC = 0x1b, STX = 2, ETX = 3, HEAD = 6, TAIL = 3 };

/* The exclusive-or of all between the first two bytes and itself. */
static uint8_t sum_of(const uint8_t *packet)
{
    uint8_t sum = 0;

    for (size_t i = 2; i < HEAD + (size_t)packet[5]; i++) {
        sum ^= packet[i];
    }
    return sum;
}

bool tpi_rflex_read(struct rflex_reader *reader, uint8_t byte)
{
    uint8_t *b = reader->bytes;

    if (reader->length >= HEAD && reader->length == HEAD + (size_t)b[5] + TAIL) { /* was taken */
        reader->length = 0;
    }
    b[reader->length++] = byte;
    if ((reader->length == 1 && byte != ESC) || (reader->length == 2 && byte != STX)) {
        b[0] = byte;
        reader->length = byte == ESC;
        return false;
    }
    if (reader->length < HEAD || reader->length < HEAD + (size_t)b[5] + TAIL) {
        return false;
    }
    const uint8_t *tail = b + HEAD + b[5];
    if (tail[0] == sum_of(b) && tail[1] == ESC && tail[2] == ETX) {
        return true;
    }
    reader->damaged++;
    reader->length = 0;
    return false;
}

size_t tpi_rflex_write(uint8_t out[RFLEX_MOST_PACKET], uint8_t part, uint8_t id, uint8_t code,
                       const uint8_t *data, size_t length)
{
    const uint8_t head[HEAD] = {ESC, STX, part, id, code, (uint8_t)length};

    memcpy(out, head, sizeof head);
    if (length > 0) {
        memcpy(out + HEAD, data, length);
    }
    out[HEAD + length] = sum_of(out);
    out[HEAD + length + 1] = ESC;
    out[HEAD + length + 2] = ETX;
    return HEAD + length + TAIL;
}

uint32_t tpi_rflex_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

void tpi_rflex_put_u32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}
