/*
 * bitmap_png.c - reading PNG with libpng.
 *
 * libpng reports errors by a long jump, so everything that has to be given back afterwards is in
 * one struct that lives outside of the jump.
 */
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/world/bitmap.h"

enum { MOST_CHUNK = 8 << 20 };

struct png {
    png_structp png;         /* owned */
    png_infop info;          /* owned */
    const unsigned char *at; /* borrowed: what is still to be read */
    size_t left;             /* of it */
    unsigned char *image;    /* owned; all rows, as libpng gives them */
    unsigned char **rows;    /* owned; where they are */
    struct sim_bitmap *out;  /* borrowed */
    char reason[128];        /* why it failed */
    tp_status status;        /* of our own part */
    tp_error *err;           /* borrowed */
};

bool tpi_sim_is_png(const void *bytes, size_t length)
{
    return length >= 8 && png_sig_cmp(bytes, 0, 8) == 0;
}

static void on_error(png_structp png, png_const_charp text)
{
    struct png *p = png_get_error_ptr(png);

    snprintf(p->reason, sizeof p->reason, "%s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void on_read(png_structp png, png_bytep to, size_t length)
{
    struct png *p = png_get_io_ptr(png);

    if (length > p->left) {
        png_error(png, "it ends too early");
    }
    memcpy(to, p->at, length);
    p->at += length;
    p->left -= length;
}

/* Every kind of PNG becomes one channel, or three, of eight bits, and perhaps alpha. */
static void simplify(struct png *p)
{
    png_set_expand(p->png);
    png_set_strip_16(p->png);
    (void)png_set_interlace_handling(p->png);
    png_read_update_info(p->png, p->info);
}

static tp_status take_memory(struct png *p)
{
    const size_t stride = png_get_rowbytes(p->png, p->info);
    tp_status status = tpi_sim_bitmap_init(p->out, png_get_image_width(p->png, p->info),
                                           png_get_image_height(p->png, p->info), p->err);

    if (status != TP_OK) {
        return status;
    }
    p->image = calloc(p->out->height, stride);
    p->rows = calloc(p->out->height, sizeof p->rows[0]);
    if (p->image == NULL || p->rows == NULL) {
        return tp_fail(p->err, TP_E_NOMEM, "out of memory");
    }
    for (size_t y = 0; y < p->out->height; y++) {
        p->rows[y] = p->image + y * stride;
    }
    return TP_OK;
}

/* Everything that may jump. False after a jump. */
static bool read_all(struct png *p)
{
    if (setjmp(png_jmpbuf(p->png)) != 0) {
        return false;
    }
    png_set_read_fn(p->png, p, on_read);
    png_set_user_limits(p->png, TPI_SIM_MOST_PIXELS, TPI_SIM_MOST_PIXELS);
    png_set_chunk_malloc_max(p->png, MOST_CHUNK);
    png_read_info(p->png, p->info);
    simplify(p);
    p->status = take_memory(p);
    if (p->status == TP_OK) {
        png_read_image(p->png, p->rows);
    }
    return true;
}

static void put_pixel(struct sim_bitmap *out, size_t pixel, const unsigned char *from,
                      size_t channels)
{
    const bool coloured = channels >= 3;
    const bool clear = channels % 2 == 0 && from[channels - 1] < 128;
    const unsigned char rgb[3] = {from[0], from[coloured ? 1 : 0], from[coloured ? 2 : 0]};

    tpi_sim_bitmap_put(out, pixel, rgb);
    out->clear |= clear && out->pixels[pixel] != 0;
}

static void find_occupied(struct png *p)
{
    const size_t channels = png_get_channels(p->png, p->info);

    for (size_t y = 0; y < p->out->height; y++) {
        for (size_t x = 0; x < p->out->width; x++) {
            put_pixel(p->out, y * p->out->width + x, &p->rows[y][x * channels], channels);
        }
    }
}

tp_status tpi_sim_bitmap_read_png(struct sim_bitmap *out, const void *bytes, size_t length,
                                  tp_error *err)
{
    struct png p = {.at = bytes, .left = length, .out = out, .err = err};

    p.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &p, on_error, on_warning);
    p.info = p.png == NULL ? NULL : png_create_info_struct(p.png);
    if (p.info == NULL) {
        p.status = tp_fail(err, TP_E_NOMEM, "out of memory");
    } else if (!read_all(&p)) {
        p.status = tp_fail(err, TP_E_SYNTAX, "the picture is damaged: %s", p.reason);
    } else if (p.status == TP_OK) {
        find_occupied(&p);
    }
    png_destroy_read_struct(&p.png, &p.info, NULL);
    free(p.rows);
    free(p.image);
    if (p.status != TP_OK) {
        tpi_sim_bitmap_fini(out);
    }
    return p.status;
}
