/* png.c - pictures as pixels, and as PNG with libpng. */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

#include "sim/draw/canvas.h"
#include "sim/draw/scene.h"

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* The canvas is to be released, also after a failure. */
static tp_status paint(struct draw_canvas *canvas, const tpi_sim *sim, const tpi_draw_look *look,
                       tp_error *err)
{
    struct draw_view view;
    tp_status status = tpi_draw_view_init(&view, sim, look, err);

    *canvas = (struct draw_canvas){0};
    if (status == TP_OK) {
        status = tpi_draw_canvas_init(canvas, view.width, view.height,
                                      tpi_draw_palette(sim, look).ground, err);
    }
    if (status == TP_OK && !tpi_draw_scene(&canvas->pen, &view, sim, look)) {
        status = tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return status;
}

tp_status tpi_draw_pixels(tpi_buf *out, const tpi_sim *sim, const tpi_draw_look *look,
                          tp_error *err)
{
    struct draw_canvas canvas;
    tp_status status = paint(&canvas, sim, look, err);

    if (status == TP_OK) {
        tpi_buf_put(out, canvas.pixels, (size_t)3 * canvas.width * canvas.height);
        status = out->failed ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
    }
    tpi_draw_canvas_fini(&canvas);
    return status;
}

/* ---- PNG ------------------------------------------------------------------------------------- */

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
                 channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
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

tp_status tpi_draw_png(tpi_buf *out, const tpi_sim *sim, const tpi_draw_look *look, tp_error *err)
{
    struct draw_canvas canvas;
    tp_status status = paint(&canvas, sim, look, err);

    if (status == TP_OK && !tpi_draw_encode(out, canvas.pixels, canvas.width, canvas.height, 3)) {
        status = tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tpi_draw_canvas_fini(&canvas);
    return status;
}

tp_status tpi_draw_sheet_png(tpi_buf *out, const struct draw_sheet *sheet, tp_error *err)
{
    struct draw_canvas canvas = {0};
    tp_status status =
        (uint64_t)sheet->width * sheet->height > TPI_DRAW_MOST_PIXELS
            ? tp_fail(err, TP_E_LIMIT, "a picture has at most %d pixels", TPI_DRAW_MOST_PIXELS)
            : tpi_draw_canvas_init(&canvas, sheet->width, sheet->height, sheet->ground, err);

    if (status == TP_OK) {
        sheet->paint(&canvas.pen, sheet->context);
        if (canvas.pen.failed ||
            !tpi_draw_encode(out, canvas.pixels, canvas.width, canvas.height, 3)) {
            status = tp_fail(err, TP_E_NOMEM, "out of memory");
        }
    }
    tpi_draw_canvas_fini(&canvas);
    return status;
}
