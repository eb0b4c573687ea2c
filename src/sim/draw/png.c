/* png.c - pictures as pixels, and as PNG with libpng. */
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
