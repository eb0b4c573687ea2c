/*
 * svg.c - pictures as SVG.
 *
 * All coordinates are tenths of pixels and therefore whole numbers; lines go by differences. That
 * keeps files small.
 */
#include <math.h>
#include <string.h>

#include "base/base64.h"
#include "base/text.h"
#include "sim/draw/scene.h"

struct svg {
    struct draw_pen pen; /* first, so that it is the file */
    tpi_buf *out;        /* borrowed */
    uint32_t fades;      /* how many there are so far */
    bool in_shadow;
};

static long tenths(double x)
{
    return lround(10 * fmin(fmax(x, -1e6), 1e6));
}

static void put_path(struct svg *svg, const struct draw_path *path, bool closed)
{
    long x = 0;
    long y = 0;

    tpi_buf_puts(svg->out, "d=\"");
    for (uint32_t i = 0; i < tpi_draw_path_lines(path); i++) {
        uint32_t count;
        const struct draw_point *points = tpi_draw_path_line(path, i, &count);
        for (uint32_t k = 0; k < count; k++) {
            const long dx = tenths(points[k].x) - (k > 0 ? x : 0);
            const long dy = tenths(points[k].y) - (k > 0 ? y : 0);
            x = tenths(points[k].x);
            y = tenths(points[k].y);
            if (k == 0) {
                tpi_buf_printf(svg->out, "M%ld%s%ld", dx, dy < 0 ? "" : " ", dy);
            } else if (dx != 0 || dy != 0) {
                tpi_buf_printf(svg->out, "l%ld%s%ld", dx, dy < 0 ? "" : " ", dy);
            }
        }
        tpi_buf_puts(svg->out, closed ? "z" : "");
    }
    tpi_buf_puts(svg->out, "\"");
}

/* fill="#rrggbb" fill-opacity="0.5" */
static void put_colour(struct svg *svg, const char *what, uint32_t colour)
{
    tpi_buf_printf(svg->out, " %s=\"#%06x\"", what, colour >> 8);
    if ((colour & 255) != 255) {
        tpi_buf_printf(svg->out, " %s-opacity=\"0.%02u\"", what, (colour & 255) * 100 / 256);
    }
}

static void put_stop(struct svg *svg, int offset, uint32_t colour, double share)
{
    tpi_buf_printf(svg->out, "<stop offset=\"%d\" stop-color=\"#%06x\" stop-opacity=\"0.%02u\"/>",
                   offset, colour >> 8, (unsigned)((colour & 255) * share * 100 / 256));
}

static void svg_fill(struct draw_pen *pen, const struct draw_path *path,
                     const struct draw_paint *paint)
{
    struct svg *svg = (struct svg *)pen;

    if (tpi_draw_path_lines(path) == 0) {
        return;
    }
    if (paint->radius > 0 && !svg->in_shadow) {
        tpi_buf_printf(svg->out,
                       "<radialGradient id=\"f%u\" gradientUnits=\"userSpaceOnUse\" cx=\"%ld\" "
                       "cy=\"%ld\" r=\"%ld\">",
                       ++svg->fades, tenths(paint->x), tenths(paint->y), tenths(paint->radius));
        put_stop(svg, 0, paint->colour, 1);
        put_stop(svg, 1, paint->colour, 0);
        tpi_buf_puts(svg->out, "</radialGradient>\n");
    }
    tpi_buf_puts(svg->out, "<path ");
    put_path(svg, path, true);
    if (svg->in_shadow) {
        tpi_buf_puts(svg->out, "/>\n");
        return;
    }
    if (paint->radius > 0) {
        tpi_buf_printf(svg->out, " fill=\"url(#f%u)\"", svg->fades);
    } else {
        put_colour(svg, "fill", paint->colour);
    }
    tpi_buf_puts(svg->out, "/>\n");
}

static void svg_stroke(struct draw_pen *pen, const struct draw_path *path, enum draw_end end,
                       double width, const struct draw_paint *paint)
{
    struct svg *svg = (struct svg *)pen;

    if (tpi_draw_path_lines(path) == 0) {
        return;
    }
    tpi_buf_puts(svg->out, "<path ");
    put_path(svg, path, end == DRAW_CLOSED);
    tpi_buf_puts(svg->out, " fill=\"none\"");
    tpi_buf_puts(svg->out, end == DRAW_CUT ? " stroke-linecap=\"butt\"" : "");
    put_colour(svg, "stroke", paint->colour);
    tpi_buf_printf(svg->out, " stroke-width=\"%ld\"/>\n", tenths(width));
}

/* XML has no control characters, and neither of the two numbers that are no characters. */
static bool is_for_xml(const char *text, size_t length)
{
    return length > 1 ? strncmp(text, "\xef\xbf\xbe", length) != 0 &&
                            strncmp(text, "\xef\xbf\xbf", length) != 0
                      : length == 1 && *text >= ' ' && *text <= '~';
}

static void put_escaped(tpi_buf *out, const char *text)
{
    for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
        length = tpi_utf8_length(text, strlen(text));
        if (*text == '<') {
            tpi_buf_puts(out, "&lt;");
        } else if (*text == '&') {
            tpi_buf_puts(out, "&amp;");
        } else if (*text == '"') {
            tpi_buf_puts(out, "&quot;");
        } else if (is_for_xml(text, length)) {
            tpi_buf_put(out, text, length);
        } else { /* not worth a broken file */
            tpi_buf_putc(out, '?');
        }
    }
}

static void svg_text(struct draw_pen *pen, const struct draw_text *text)
{
    struct svg *svg = (struct svg *)pen;

    tpi_buf_printf(svg->out, "<text x=\"%ld\" y=\"%ld\" font-size=\"%ld\"%s", tenths(text->x),
                   tenths(text->y), tenths(text->size),
                   text->anchor == DRAW_MIDDLE ? " text-anchor=\"middle\"" : "");
    put_colour(svg, "fill", text->colour);
    put_colour(svg, "stroke", text->halo);
    tpi_buf_puts(svg->out, " stroke-width=\"26\" paint-order=\"stroke\">");
    put_escaped(svg->out, text->text);
    tpi_buf_puts(svg->out, "</text>\n");
}

static void svg_picture(struct draw_pen *pen, const struct draw_picture *picture)
{
    struct svg *svg = (struct svg *)pen;
    tpi_buf png = {0};

    if (tpi_draw_encode(&png, picture->rgba, picture->width, picture->height, 4)) {
        tpi_buf_printf(svg->out,
                       "<image x=\"%u0\" y=\"%u0\" width=\"%u0\" height=\"%u0\" "
                       "href=\"data:image/png;base64,",
                       picture->x, picture->y, picture->width, picture->height);
        tpi_base64_put(svg->out, png.data, png.length);
        tpi_buf_puts(svg->out, "\"/>\n");
    } else {
        svg->out->failed = true;
    }
    tpi_buf_fini(&png);
}

static void svg_begin_shadow(struct draw_pen *pen, double blur, uint32_t colour)
{
    struct svg *svg = (struct svg *)pen;

    tpi_buf_printf(svg->out,
                   "<filter id=\"soft\"><feGaussianBlur stdDeviation=\"%ld\"/></filter>\n"
                   "<g filter=\"url(#soft)\" fill=\"#%06x\" opacity=\"0.%02u\">\n",
                   tenths(blur / 2), colour >> 8, (colour & 255) * 100 / 256);
    svg->in_shadow = true;
}

static void svg_end_shadow(struct draw_pen *pen)
{
    struct svg *svg = (struct svg *)pen;

    tpi_buf_puts(svg->out, "</g>\n");
    svg->in_shadow = false;
}

tp_status tpi_draw_sheet_svg(tpi_buf *out, const struct draw_sheet *sheet, tp_error *err)
{
    struct svg svg = {.pen = {.fill = svg_fill,
                              .stroke = svg_stroke,
                              .text = svg_text,
                              .begin_shadow = svg_begin_shadow,
                              .end_shadow = svg_end_shadow,
                              .picture = svg_picture},
                      .out = out};

    tpi_buf_printf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
                   "viewBox=\"0 0 %u0 %u0\" font-family=\"sans-serif\" stroke-linejoin=\"round\" "
                   "stroke-linecap=\"round\">\n<title>",
                   sheet->width, sheet->height, sheet->width, sheet->height);
    put_escaped(out, sheet->title);
    tpi_buf_printf(out, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
                   sheet->ground >> 8);
    sheet->paint(&svg.pen, sheet->context);
    tpi_buf_puts(out, "</svg>\n");
    return !svg.pen.failed && !out->failed ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

/* A world and how it is looked at. */
struct seen {
    const tpi_sim *sim;
    const tpi_draw_look *look;
    struct draw_view view;
};

static void paint_scene(struct draw_pen *pen, void *context)
{
    const struct seen *seen = context;

    pen->failed = !tpi_draw_scene(pen, &seen->view, seen->sim, seen->look) || pen->failed;
}

tp_status tpi_draw_svg(tpi_buf *out, const tpi_sim *sim, const tpi_draw_look *look, tp_error *err)
{
    struct seen seen = {.sim = sim, .look = look};
    const tp_status status = tpi_draw_view_init(&seen.view, sim, look, err);
    const struct draw_sheet sheet = {.width = seen.view.width,
                                     .height = seen.view.height,
                                     .ground = tpi_draw_palette(sim, look).ground,
                                     .title = tpi_sim_name(sim),
                                     .paint = paint_scene,
                                     .context = &seen};

    return status == TP_OK ? tpi_draw_sheet_svg(out, &sheet, err) : status;
}
