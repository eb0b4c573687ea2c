/* base64.c - bytes as letters. */
#include "base/base64.h"

#include <stdint.h>

/* Three bytes as four letters. */
void tpi_base64_put(tpi_buf *buf, const void *bytes, size_t length)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = bytes;
    char *to = tpi_buf_reserve(buf, (length + 2) / 3 * 4);

    for (size_t i = 0; to != NULL && i < length; i += 3) {
        const uint32_t three = (uint32_t)from[i] << 16 |
                               (i + 1 < length ? (uint32_t)from[i + 1] << 8 : 0) |
                               (i + 2 < length ? (uint32_t)from[i + 2] : 0);
        *to++ = letters[three >> 18];
        *to++ = letters[three >> 12 & 63];
        *to++ = i + 1 < length ? letters[three >> 6 & 63] : '=';
        *to++ = i + 2 < length ? letters[three & 63] : '=';
    }
    if (to != NULL) {
        buf->length = (size_t)(to - buf->data);
        *to = '\0';
    }
}
