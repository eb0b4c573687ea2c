/* frame.c - see frame.h. */
#include "web/frame.h"

#include <openssl/evp.h>
#include <string.h>

uint64_t tpi_frame_length(const uint8_t *bytes, size_t length)
{
    if (length < 2) {
        return 0;
    }
    const unsigned shortest = bytes[1] & 0x7f;
    const size_t extra = shortest == 127 ? 8 : shortest == 126 ? 2 : 0;
    const size_t mask = (bytes[1] & 0x80) != 0 ? 4 : 0;
    uint64_t payload = 0;

    if (length < 2 + extra) {
        return 0;
    }
    for (size_t i = 0; i < extra; i++) {
        payload = payload << 8 | bytes[2 + i];
    }
    payload = extra == 0 ? shortest : payload;
    if (payload > UINT64_MAX / 2) {
        return UINT64_MAX / 2;
    }
    return 2 + extra + mask + payload;
}

size_t tpi_frame_payload(char *out, size_t room, const uint8_t *bytes, size_t length)
{
    const unsigned shortest = bytes[1] & 0x7f;
    const bool masked = (bytes[1] & 0x80) != 0;
    const size_t key = 2 + (shortest == 127 ? 8 : shortest == 126 ? 2 : 0);
    const size_t begin = key + (masked ? 4 : 0);
    const size_t count = (size_t)tpi_frame_length(bytes, length) - begin;

    for (size_t i = 0; i < count && i < room; i++) {
        out[i] = (char)(bytes[begin + i] ^ (masked ? bytes[key + i % 4] : 0));
    }
    return count;
}

size_t tpi_frame_begin(uint8_t head[TPI_FRAME_HEAD], unsigned opcode, uint64_t length)
{
    const size_t extra = length > 65535 ? 8 : length > 125 ? 2 : 0;

    head[0] = (uint8_t)(0x80 | opcode);
    head[1] = extra == 8 ? 127 : extra == 2 ? 126 : (uint8_t)length;
    for (size_t i = 0; i < extra; i++) {
        head[2 + i] = (uint8_t)(length >> (8 * (extra - 1 - i)));
    }
    return 2 + extra;
}

bool tpi_frame_accept(char out[TPI_FRAME_ACCEPT + 1], tpi_span key)
{
    static const char magic[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    char text[24 + sizeof magic];

    if (key.text == NULL || key.length != 24) { /* 16 bytes in base 64 */
        return false;
    }
    memcpy(text, key.text, 24);
    memcpy(text + 24, magic, sizeof magic);
    if (EVP_Digest(text, 24 + sizeof magic - 1, digest, &length, EVP_sha1(), NULL) != 1) {
        return false;
    }
    return EVP_EncodeBlock((unsigned char *)out, digest, (int)length) == TPI_FRAME_ACCEPT;
}
