/* encode.c - pixels as a PNG file; see pen.h. */
#include <png.h>
#include <setjmp.h>

#include "sim/draw/pen.h"

/* libpng reports errors by a long jump; what it uses lives outside of that. */
struct png {
    png_structp png; /* owned */
    png_infop info;  /* owned */
    tpi_buf *out;    /* borrowed */
};

static void on_error(png_structp png, png_const_charp text)
{
    (void)text;
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void on_write(png_structp png, png_bytep bytes, size_t length)
{
    struct png *p = png_get_io_ptr(png);

    tpi_buf_put(p->out, bytes, length);
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* Everything that may jump. False after a jump. */
static bool write_all(struct png *p, const unsigned char *pixels, uint32_t width, uint32_t height,
                      uint32_t channels)
{
    if (setjmp(png_jmpbuf(p->png)) != 0) {
        return false;
    }
    png_set_write_fn(p->png, p, on_write, on_flush);
    png_set_compression_level(p->png, 9);
    png_set_IHDR(p->png, p->info, width, height, 8,
                 channels == 4   ? PNG_COLOR_TYPE_RGB_ALPHA
                 : channels == 3 ? PNG_COLOR_TYPE_RGB
                                 : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(p->png, p->info);
    for (uint32_t y = 0; y < height; y++) {
        png_write_row(p->png, pixels + (size_t)channels * width * y);
    }
    png_write_end(p->png, NULL);
    return true;
}

bool tpi_draw_encode(tpi_buf *out, const unsigned char *pixels, uint32_t width, uint32_t height,
                     uint32_t channels)
{
    struct png p = {.out = out};

    p.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &p, on_error, on_warning);
    p.info = p.png == NULL ? NULL : png_create_info_struct(p.png);
    const bool done = p.info != NULL && write_all(&p, pixels, width, height, channels);
    png_destroy_write_struct(&p.png, &p.info);
    return done && !out->failed;
}
