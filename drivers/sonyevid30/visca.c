/* visca.c - see visca.h. */
#include "visca.h"

static const uint8_t end = 0xff;

bool tpi_visca_read(struct visca_reader *reader, uint8_t byte)
{
    if (reader->whole || reader->length == VISCA_MOST) {
        reader->damaged += reader->whole ? 0 : reader->length; /* too long for a packet */
        reader->length = 0;
        reader->whole = false;
    }
    if (reader->length == 0 && ((byte & 0x80) == 0 || byte == end)) { /* begins none */
        reader->damaged++;
        return false;
    }
    reader->bytes[reader->length++] = byte;
    reader->whole = byte == end;
    return reader->whole;
}

enum visca_kind tpi_visca_kind(const struct visca_reader *reader)
{
    const uint8_t *b = reader->bytes;
    const size_t length = reader->length;

    if (b[0] == 0x88) {
        return VISCA_CHAIN;
    }
    if (b[0] != 0x90 || length < 3) {
        return VISCA_OTHER;
    }
    switch (b[1] >> 4) {
    case 4:
        return length == 3 ? VISCA_ACK : VISCA_OTHER;
    case 5:
        return length == 3 ? VISCA_DONE : b[1] == 0x50 ? VISCA_ANSWER : VISCA_OTHER;
    case 6:
        return length == 4 ? VISCA_ERROR : VISCA_OTHER;
    default:
        return VISCA_OTHER;
    }
}

int tpi_visca_number(const uint8_t *at)
{
    unsigned value = 0;

    for (unsigned i = 0; i < 4; i++) {
        value = value << 4 | (at[i] & 0x0fU);
    }
    return (int16_t)(uint16_t)value;
}

void tpi_visca_put_number(uint8_t *at, int value)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)((unsigned)value >> (12 - 4 * i) & 0x0fU);
    }
}
