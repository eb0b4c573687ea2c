/* bitmap.c - pictures that stand for bodies; PNM is read here. */
#include "sim/world/bitmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { DARK = 127, LONGEST_FILE = 256 << 20 };

/* ---- Memory ---------------------------------------------------------------------------------- */

tp_status tpi_sim_bitmap_init(struct sim_bitmap *bitmap, uint64_t width, uint64_t height,
                              tp_error *err)
{
    if (width == 0 || height == 0) {
        return tp_fail(err, TP_E_SYNTAX, "the picture is empty");
    }
    if (width > TPI_SIM_MOST_PIXELS || height > TPI_SIM_MOST_PIXELS / width) {
        return tp_fail(err, TP_E_LIMIT, "the picture has more than %d pixels", TPI_SIM_MOST_PIXELS);
    }
    bitmap->width = (uint32_t)width;
    bitmap->height = (uint32_t)height;
    bitmap->pixels = calloc(width * height, 1);
    bitmap->rgb = bitmap->coloured ? calloc(width * height, 3) : NULL;
    return bitmap->pixels != NULL && (bitmap->rgb != NULL || !bitmap->coloured)
               ? TP_OK
               : tp_fail(err, TP_E_NOMEM, "out of memory");
}

void tpi_sim_bitmap_fini(struct sim_bitmap *bitmap)
{
    free(bitmap->pixels);
    free(bitmap->rgb);
    *bitmap = (struct sim_bitmap){0};
}

void tpi_sim_bitmap_put(struct sim_bitmap *bitmap, size_t pixel, const unsigned char rgb[3])
{
    bitmap->pixels[pixel] = rgb[0] <= DARK;
    if (bitmap->coloured) {
        memcpy(&bitmap->rgb[3 * pixel], rgb, 3);
    }
}

/* ---- PNM ------------------------------------------------------------------------------------- */

struct pnm {
    const unsigned char *at, *end; /* borrowed */
    char kind;                     /* '1' to '6' */
    uint32_t most;                 /* what white is */
};

static bool is_blank(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_blanks(struct pnm *pnm)
{
    while (pnm->at < pnm->end && (is_blank(*pnm->at) || *pnm->at == '#')) {
        if (*pnm->at == '#') {
            while (pnm->at < pnm->end && *pnm->at != '\n' && *pnm->at != '\r') {
                pnm->at++;
            }
        } else {
            pnm->at++;
        }
    }
}

/* A decimal number of at most `digits` digits. */
static bool read_number(struct pnm *pnm, unsigned digits, uint32_t *value)
{
    skip_blanks(pnm);
    const unsigned char *start = pnm->at;

    *value = 0;
    while (pnm->at < pnm->end && *pnm->at >= '0' && *pnm->at <= '9' &&
           (size_t)(pnm->at - start) < digits) {
        *value = *value * 10 + (uint32_t)(*pnm->at - '0');
        pnm->at++;
    }
    return pnm->at > start;
}

static tp_status read_head(struct pnm *pnm, struct sim_bitmap *out, tp_error *err)
{
    const bool bits = pnm->kind == '1' || pnm->kind == '4';
    uint32_t width;
    uint32_t height;

    pnm->most = 1;
    if (!read_number(pnm, 9, &width) || !read_number(pnm, 9, &height) ||
        (!bits && !read_number(pnm, 5, &pnm->most))) {
        return tp_fail(err, TP_E_SYNTAX, "the head of the picture has no width and height");
    }
    if (pnm->most == 0 || pnm->most > 65535) {
        return tp_fail(err, TP_E_SYNTAX, "the picture's greatest value is %u", pnm->most);
    }
    if (pnm->kind >= '4') {
        pnm->at += pnm->at < pnm->end ? 1 : 0; /* exactly one blank before the pixels */
    }
    return tpi_sim_bitmap_init(out, width, height, err);
}

/* The channels of the next pixel; of a grey one all are the same. */
static bool next_value(struct pnm *pnm, uint32_t value[3])
{
    const uint32_t channels = pnm->kind == '3' || pnm->kind == '6' ? 3 : 1;
    const uint32_t bytes = pnm->most > 255 ? 2 : 1;
    const uint32_t digits = pnm->kind == '1' ? 1 : 5;

    if (pnm->kind >= '4' && (size_t)(pnm->end - pnm->at) < channels * bytes) {
        return false;
    }
    for (uint32_t i = 0; i < channels; i++) {
        if (pnm->kind >= '4') {
            value[i] = bytes == 1 ? pnm->at[0] : (uint32_t)(pnm->at[0] << 8 | pnm->at[1]);
            pnm->at += bytes;
        } else if (!read_number(pnm, digits, &value[i])) {
            return false;
        }
    }
    if (channels == 1) {
        value[1] = value[2] = value[0];
    }
    return true;
}

/* Keep a colour, of parts from 0 to `most`, if it is wanted. */
static void put_colour(struct sim_bitmap *out, size_t pixel, const uint32_t value[3], uint32_t most)
{
    for (int i = 0; out->coloured && i < 3; i++) {
        const uint32_t part = value[i] * 255u / most;
        out->rgb[3 * pixel + (size_t)i] = (unsigned char)(part < 255 ? part : 255);
    }
}

/* A pixel of those where 1 is black. */
static void put_bit(struct sim_bitmap *out, size_t pixel, bool black)
{
    const uint32_t value[3] = {!black, !black, !black};

    out->pixels[pixel] = black;
    put_colour(out, pixel, value, 1);
}

static tp_status too_short(tp_error *err)
{
    return tp_fail(err, TP_E_SYNTAX, "the picture ends before its last pixel");
}

/* P4: a bit for each pixel, rows begin with a byte. */
static tp_status read_packed(struct pnm *pnm, struct sim_bitmap *out, tp_error *err)
{
    const size_t stride = ((size_t)out->width + 7) / 8;

    if ((size_t)(pnm->end - pnm->at) / stride < out->height) {
        return too_short(err);
    }
    for (size_t y = 0; y < out->height; y++) {
        for (size_t x = 0; x < out->width; x++) {
            const unsigned char byte = pnm->at[y * stride + x / 8];
            put_bit(out, y * out->width + x, (byte >> (7 - x % 8) & 1) != 0);
        }
    }
    return TP_OK;
}

static tp_status read_pnm(struct pnm *pnm, struct sim_bitmap *out, tp_error *err)
{
    tp_status status = read_head(pnm, out, err);

    if (status != TP_OK || pnm->kind == '4') {
        return status != TP_OK ? status : read_packed(pnm, out, err);
    }
    for (size_t i = 0; i < (size_t)out->width * out->height; i++) {
        uint32_t value[3];
        if (!next_value(pnm, value)) {
            return too_short(err);
        }
        if (pnm->kind == '1') {
            put_bit(out, i, value[0] == 1);
        } else {
            out->pixels[i] = value[0] * 255u / pnm->most <= DARK;
            put_colour(out, i, value, pnm->most);
        }
    }
    return TP_OK;
}

/* ---- Any ------------------------------------------------------------------------------------- */

static tp_status read_any(struct sim_bitmap *out, bool coloured, const void *bytes, size_t length,
                          tp_error *err)
{
    const unsigned char *at = bytes;

    *out = (struct sim_bitmap){.coloured = coloured};
    if (tpi_sim_is_png(bytes, length)) {
        return tpi_sim_bitmap_read_png(out, bytes, length, err);
    }
    if (length > 2 && at[0] == 'P' && at[1] >= '1' && at[1] <= '6') {
        struct pnm pnm = {.at = at + 2, .end = at + length, .kind = (char)at[1]};
        return read_pnm(&pnm, out, err);
    }
    if (tpi_sim_is_bmp(bytes, length)) {
        return tpi_sim_bitmap_read_bmp(out, bytes, length, err);
    }
    if (length > 2 && at[0] == 0xff && at[1] == 0xd8) {
        return tpi_sim_bitmap_read_jpeg(out, bytes, length, err);
    }
    return tp_fail(err, TP_E_UNSUPPORTED,
                   "the picture is neither PNG nor JPEG, BMP or PNM; please convert it");
}

tp_status tpi_sim_bitmap_read(struct sim_bitmap *out, const void *bytes, size_t length,
                              tp_error *err)
{
    return read_any(out, false, bytes, length, err);
}

tp_status tpi_sim_bitmap_read_colours(struct sim_bitmap *out, const void *bytes, size_t length,
                                      tp_error *err)
{
    return read_any(out, true, bytes, length, err);
}

/* The bytes of a file, or of the same one with ".gz" behind its name, which is `packed` then. */
static tp_status read_file(tpi_buf *out, tpi_buf *packed, const char *path, tp_error *err)
{
    const tp_status status = tpi_file_read(out, path, LONGEST_FILE, err);

    if (status == TP_OK) {
        return TP_OK;
    }
    tpi_buf_printf(packed, "%s.gz", path);
    const bool found = tpi_file_read(out, tpi_buf_text(packed), LONGEST_FILE, NULL) == TP_OK;
    return found ? TP_OK : status;
}

static tp_status read_gzip(struct sim_bitmap *out, bool coloured, const tpi_buf *bytes,
                           tp_error *err)
{
    tpi_buf plain = {0};
    tp_status status = tpi_sim_gzip_unpack(&plain, bytes->data, bytes->length, LONGEST_FILE, err);

    status = status == TP_OK ? read_any(out, coloured, plain.data, plain.length, err) : status;
    tpi_buf_fini(&plain);
    return status;
}

static tp_status load_any(struct sim_bitmap *out, bool coloured, const char *path, tp_error *err)
{
    tpi_buf bytes = {0}, packed = {0};

    *out = (struct sim_bitmap){0};
    tp_status status = read_file(&bytes, &packed, path, err);
    if (status == TP_OK) {
        status = tpi_sim_is_gzip(bytes.data, bytes.length)
                     ? read_gzip(out, coloured, &bytes, err)
                     : read_any(out, coloured, bytes.data, bytes.length, err);
        if (status != TP_OK) {
            tp_wrap(err, status, packed.length > 0 ? tpi_buf_text(&packed) : path);
        }
    }
    tpi_buf_fini(&packed);
    tpi_buf_fini(&bytes);
    return status;
}

tp_status tpi_sim_bitmap_load(struct sim_bitmap *out, const char *path, tp_error *err)
{
    return load_any(out, false, path, err);
}

tp_status tpi_sim_bitmap_load_colours(struct sim_bitmap *out, const char *path, tp_error *err)
{
    return load_any(out, true, path, err);
}
