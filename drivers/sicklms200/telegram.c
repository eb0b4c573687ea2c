/* telegram.c - see telegram.h. */
#include "telegram.h"

#include <string.h>

enum { STX = 0x02, TO_SCANNER = 0x00, TO_HOST = 0x80 };

/* Each byte enters together with the one before it. */
static unsigned sum_of(const uint8_t *bytes, size_t length)
{
    unsigned sum = 0;
    unsigned before = 0;

    for (size_t i = 0; i < length; i++) {
        sum = (sum & 0x8000) != 0 ? ((sum & 0x7fff) << 1) ^ 0x8005 : sum << 1;
        sum ^= before << 8 | bytes[i];
        before = bytes[i];
    }
    return sum & 0xffff;
}

size_t tpi_lms_body(const struct lms_reader *reader)
{
    return lms_u16(reader->bytes + 2);
}

/* Whether what is there can be the beginning of a telegram. */
static bool is_plausible(const struct lms_reader *reader)
{
    return (reader->length < 1 || reader->bytes[0] == STX) &&
           (reader->length < 2 || reader->bytes[1] == TO_HOST) &&
           (reader->length < LMS_HEAD ||
            (tpi_lms_body(reader) > 0 && tpi_lms_body(reader) <= LMS_MOST_BODY));
}

static bool is_whole(const struct lms_reader *reader)
{
    return reader->length >= LMS_HEAD &&
           reader->length == LMS_HEAD + tpi_lms_body(reader) + LMS_SUM;
}

bool tpi_lms_read(struct lms_reader *reader, uint8_t byte)
{
    if (is_whole(reader)) { /* it was taken */
        reader->length = 0;
    }
    reader->bytes[reader->length++] = byte;
    while (reader->length > 0 && !is_plausible(reader)) { /* of at most four bytes */
        reader->length--;
        memmove(reader->bytes, reader->bytes + 1, reader->length);
    }
    if (!is_whole(reader)) {
        return false;
    }
    const size_t end = reader->length - LMS_SUM;
    if (sum_of(reader->bytes, end) == lms_u16(reader->bytes + end)) {
        return true;
    }
    reader->damaged++;
    reader->length = 0; /* with whatever it may have swallowed: the next scan comes soon */
    return false;
}

size_t tpi_lms_wrap(uint8_t out[LMS_MOST], const uint8_t *body, size_t length)
{
    out[0] = STX;
    out[1] = TO_SCANNER;
    out[2] = (uint8_t)length;
    out[3] = (uint8_t)(length >> 8);
    memcpy(out + LMS_HEAD, body, length);
    const unsigned sum = sum_of(out, LMS_HEAD + length);
    out[LMS_HEAD + length] = (uint8_t)sum;
    out[LMS_HEAD + length + 1] = (uint8_t)(sum >> 8);
    return LMS_HEAD + length + LMS_SUM;
}
