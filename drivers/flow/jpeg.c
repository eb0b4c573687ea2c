/*
 * jpeg.c - pictures to JPEG and back, with libjpeg; see jpeg.h.
 *
 * libjpeg reports errors by a function that must not return, so it jumps; what has to be released
 * afterwards is in one struct that lives outside of the jump.
 */
#include "jpeg.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

struct trouble {
    struct jpeg_error_mgr errors;
    jmp_buf failed;
    char reason[JMSG_LENGTH_MAX];
};

static void on_error(j_common_ptr it)
{
    struct trouble *t = it->client_data;

    it->err->format_message(it, t->reason);
    longjmp(t->failed, 1);
}

static void on_message(j_common_ptr it, int level)
{
    (void)it; /* doubts about a picture do not matter */
    (void)level;
}

static void expect_trouble(struct trouble *t)
{
    jpeg_std_error(&t->errors);
    t->errors.error_exit = on_error;
    t->errors.emit_message = on_message;
}

/* ---- To JPEG --------------------------------------------------------------------------------- */

struct put {
    struct jpeg_compress_struct it;
    struct trouble trouble;
    unsigned char *bytes; /* libjpeg's, released with free() */
    unsigned long length;
};

static void compress(struct put *p, const uint8_t *pixels, uint32_t width, uint32_t height,
                     unsigned channels, unsigned quality)
{
    jpeg_create_compress(&p->it);
    jpeg_mem_dest(&p->it, &p->bytes, &p->length);
    p->it.image_width = width;
    p->it.image_height = height;
    p->it.input_components = (int)channels;
    p->it.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&p->it);
    jpeg_set_quality(&p->it, (int)quality, TRUE);
    jpeg_start_compress(&p->it, TRUE);
    while (p->it.next_scanline < height) {
        /* libjpeg only reads it */
        JSAMPROW row =
            (JSAMPROW)(uintptr_t)(pixels + (size_t)channels * width * p->it.next_scanline);
        jpeg_write_scanlines(&p->it, &row, 1);
    }
    jpeg_finish_compress(&p->it);
}

tp_status tpi_jpeg_put(const uint8_t *pixels, uint32_t width, uint32_t height, unsigned channels,
                       unsigned quality, uint8_t **out, size_t *length, tp_error *err)
{
    struct put p = {.bytes = NULL};
    volatile tp_status status = TP_OK;

    expect_trouble(&p.trouble);
    p.it.err = &p.trouble.errors;
    p.it.client_data = &p.trouble;
    if (setjmp(p.trouble.failed) == 0) {
        compress(&p, pixels, width, height, channels, quality);
    } else {
        status = tp_fail(err, TP_E_INVALID, "%s", p.trouble.reason);
    }
    jpeg_destroy_compress(&p.it);
    if (status != TP_OK) {
        free(p.bytes);
        return status;
    }
    *out = p.bytes;
    *length = p.length;
    return TP_OK;
}

/* ---- From JPEG ------------------------------------------------------------------------------- */

struct get {
    struct jpeg_decompress_struct it;
    struct trouble trouble;
    uint8_t *pixels; /* owned */
    tp_status status;
    tp_error *err;
};

static bool take_memory(struct get *g)
{
    const uint64_t count = (uint64_t)g->it.output_width * g->it.output_height;

    if (count == 0 || count > JPEG_MOST_PIXELS) {
        g->status = tp_fail(g->err, TP_E_LIMIT, "a picture of %u by %u pixels is too large",
                            g->it.output_width, g->it.output_height);
        return false;
    }
    g->pixels = malloc((size_t)count * (size_t)g->it.output_components);
    if (g->pixels == NULL) {
        g->status = tp_fail(g->err, TP_E_NOMEM, "out of memory");
    }
    return g->pixels != NULL;
}

static void expand(struct get *g, const uint8_t *bytes, size_t length)
{
    jpeg_create_decompress(&g->it);
    jpeg_mem_src(&g->it, bytes, (unsigned long)length);
    jpeg_read_header(&g->it, TRUE);
    g->it.out_color_space = g->it.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_calc_output_dimensions(&g->it);
    if (!take_memory(g)) {
        return;
    }
    jpeg_start_decompress(&g->it);
    while (g->it.output_scanline < g->it.output_height) {
        JSAMPROW row = g->pixels +
                       (size_t)g->it.output_components * g->it.output_width * g->it.output_scanline;
        jpeg_read_scanlines(&g->it, &row, 1);
    }
    jpeg_finish_decompress(&g->it);
}

tp_status tpi_jpeg_get(const uint8_t *bytes, size_t length, uint8_t **pixels, uint32_t *width,
                       uint32_t *height, unsigned *channels, tp_error *err)
{
    struct get g = {.status = TP_OK, .err = err};

    expect_trouble(&g.trouble);
    g.it.err = &g.trouble.errors;
    g.it.client_data = &g.trouble;
    if (setjmp(g.trouble.failed) == 0) {
        expand(&g, bytes, length);
    } else {
        g.status = tp_fail(err, TP_E_INVALID, "%s", g.trouble.reason);
    }
    *width = g.it.output_width;
    *height = g.it.output_height;
    *channels = (unsigned)g.it.output_components;
    jpeg_destroy_decompress(&g.it);
    if (g.status != TP_OK) {
        free(g.pixels);
        return g.status;
    }
    *pixels = g.pixels;
    return TP_OK;
}
