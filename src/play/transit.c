/* transit.c - a program on its way, as bytes; see transit.h. */
#include "play/transit.h"

#include <string.h>

#include "play/image.h"
#include "play/tree.h"

enum { MARK = 8, MOST_STATE = 1 << 20 };
static const char mark[MARK] = "TROUPEt1";

void tpi_play_transit_fini(tpi_play_transit *transit)
{
    tpi_buf_fini(&transit->text);
    tpi_buf_fini(&transit->state);
}

/* ---- Writing ---- */

static void put_number(tpi_buf *out, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        tpi_buf_putc(out, (char)(value >> 8 * i & 0xffu));
    }
}

static void put_bytes(tpi_buf *out, const void *bytes, size_t length)
{
    put_number(out, (uint32_t)length);
    tpi_buf_put(out, bytes, length);
}

/* Two sums over the same bytes: 32 bits. */
static uint32_t sum_of(const uint8_t *bytes, size_t length)
{
    return (uint32_t)tpi_play_checksum(0xffff, bytes, length) << 16 |
           tpi_play_checksum(0x1d0f, bytes + length / 2, length - length / 2);
}

void tpi_play_transit_put(tpi_buf *out, const tpi_play_transit *transit)
{
    const size_t begin = out->length;

    tpi_buf_put(out, mark, MARK);
    put_number(out, transit->step);
    put_number(out, (transit->is_loose ? 1u : 0u) | (transit->was_running ? 2u : 0u));
    put_number(out, transit->seed);
    put_bytes(out, transit->id, strlen(transit->id));
    put_bytes(out, transit->peer, strlen(transit->peer));
    put_bytes(out, transit->name, strlen(transit->name));
    tpi_buf_put(out, transit->proof, sizeof transit->proof);
    tpi_buf_put(out, transit->hash, sizeof transit->hash);
    put_bytes(out, transit->text.data, transit->text.length);
    put_bytes(out, transit->state.data, transit->state.length);
    if (!out->failed) {
        put_number(out, sum_of((const uint8_t *)out->data + begin, out->length - begin));
    }
}

/* ---- Reading ---- */

struct reader {
    const uint8_t *at;
    size_t left;
    bool is_bad;
};

static const uint8_t *take(struct reader *in, size_t length)
{
    const uint8_t *bytes = in->at;

    if (in->is_bad || length > in->left) {
        in->is_bad = true;
        return NULL;
    }
    in->at += length;
    in->left -= length;
    return bytes;
}

static uint32_t get_number(struct reader *in)
{
    const uint8_t *b = take(in, 4);

    return b == NULL
               ? 0
               : (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void get_text(struct reader *in, char *out, size_t size)
{
    const uint32_t length = get_number(in);
    const uint8_t *bytes = length < size ? take(in, length) : NULL;

    in->is_bad |= bytes == NULL || memchr(bytes, 0, length) != NULL;
    if (!in->is_bad) {
        memcpy(out, bytes, length);
        out[length] = '\0';
    }
}

static void get_buf(struct reader *in, tpi_buf *out, size_t most)
{
    const uint32_t length = get_number(in);
    const uint8_t *bytes = length <= most ? take(in, length) : NULL;

    in->is_bad |= bytes == NULL;
    if (!in->is_bad) {
        tpi_buf_put(out, bytes, length);
    }
}

static void get_fixed(struct reader *in, uint8_t out[TPI_PLAY_TRANSIT_PROOF])
{
    const uint8_t *bytes = take(in, TPI_PLAY_TRANSIT_PROOF);

    if (bytes != NULL) {
        memcpy(out, bytes, TPI_PLAY_TRANSIT_PROOF);
    }
}

tp_status tpi_play_transit_read(tpi_play_transit *out, const void *bytes, size_t length,
                                tp_error *err)
{
    struct reader in = {.at = bytes, .left = length};
    const uint8_t *begin = take(&in, MARK);

    if (begin == NULL || memcmp(begin, mark, MARK) != 0) {
        return tp_fail(err, TP_E_INVALID, "this is no file of a program in transit");
    }
    const uint32_t step = get_number(&in), flags = get_number(&in);
    out->step = (uint8_t)step;
    out->is_loose = (flags & 1) != 0;
    out->was_running = (flags & 2) != 0;
    out->seed = get_number(&in);
    get_text(&in, out->id, sizeof out->id);
    get_text(&in, out->peer, sizeof out->peer);
    get_text(&in, out->name, sizeof out->name);
    get_fixed(&in, out->proof);
    get_fixed(&in, out->hash);
    get_buf(&in, &out->text, TPI_PLAY_MOST_SOURCE);
    get_buf(&in, &out->state, MOST_STATE);
    const uint32_t sum = in.is_bad ? 0 : sum_of(begin, (size_t)(in.at - begin));
    if (get_number(&in) != sum || in.is_bad || in.left > 0 || step < TPI_PLAY_TRANSIT_LEAVING ||
        step > TPI_PLAY_TRANSIT_BEGUN || flags > 3 || out->id[0] == '\0') {
        return tp_fail(err, TP_E_INVALID, "the file of the program in transit is damaged");
    }
    return out->text.failed || out->state.failed ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                                 : TP_OK;
}
