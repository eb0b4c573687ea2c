/* picture.c - see picture.h. One description of the picture is drawn as SVG or as pixels. */
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "bench.h"
#include "sim/draw/canvas.h"

enum { COLUMNS = 3, PANELS = PLAY_MODES + 1, CELL = 300, HEAD = 40, MARGIN = 14, FONT = 15 };
enum { WIDTH = COLUMNS * CELL, ROWS = (PANELS + COLUMNS - 1) / COLUMNS };

static const uint32_t INK = 0x202020ff, TRUTH = 0xb0b0b0ff, PAPER = 0xffffffff;

/* Where the world is in a panel. */
struct frame {
    double left, top, scale; /* of the picture */
    double x, y;             /* the place of its upper left corner in the world */
};

/* The panels of a row have the same height, all have the same scale. */
struct layout {
    double scale, x, y[ROWS];
    uint32_t top[ROWS + 1];
};

struct sheet {
    bool pixels;
    struct draw_canvas canvas;
    tpi_buf out;
};

/* ---- Lines and texts ------------------------------------------------------------------------- */

static void put_line(struct sheet *sheet, const struct frame *f, const struct path *path,
                     uint32_t colour, double width)
{
    struct draw_path line = {0};
    const struct draw_paint paint = {.colour = colour};

    if (!sheet->pixels) {
        tpi_buf_printf(&sheet->out,
                       "<polyline fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.1f\" points=\"",
                       (unsigned)(colour >> 8), width);
    }
    for (size_t i = 0; i < path->count; i += 10) {
        const double x = f->left + f->scale * (path->x[i] - f->x);
        const double y = f->top + f->scale * (f->y - path->y[i]);

        if (sheet->pixels) {
            tpi_draw_path_to(&line, x, y);
        } else {
            tpi_buf_printf(&sheet->out, "%.1f,%.1f ", x, y);
        }
    }
    if (sheet->pixels) {
        tpi_draw_path_end(&line);
        sheet->canvas.pen.stroke(&sheet->canvas.pen, &line, DRAW_ROUND, width, &paint);
    } else {
        tpi_buf_puts(&sheet->out, "\"/>\n");
    }
    tpi_draw_path_fini(&line);
}

static void put_text(struct sheet *sheet, double x, double y, const char *text)
{
    const struct draw_text letters = {
        .x = x, .y = y, .size = FONT, .colour = INK, .halo = PAPER, .text = text};

    if (sheet->pixels) {
        sheet->canvas.pen.text(&sheet->canvas.pen, &letters);
    } else {
        tpi_buf_printf(&sheet->out, "<text x=\"%.0f\" y=\"%.0f\" font-size=\"%d\">%s</text>\n", x,
                       y, FONT, text);
    }
}

/* ---- Panels ---------------------------------------------------------------------------------- */

/* The path of a panel. */
static const struct path *path_at(int panel, const struct path *truth,
                                  const struct path *const paths[PLAY_MODES])
{
    return panel == 0 ? truth : paths[panel - 1];
}

static void stretch(double *low, double *high, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
}

static struct layout arrange(const struct path *truth, const struct path *const paths[PLAY_MODES])
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    struct layout out = {0};

    for (int i = 0; i < PANELS; i++) {
        const struct path *path = path_at(i, truth, paths);

        stretch(&low, &high, path->x, path->count);
    }
    out.scale = (CELL - 2 * MARGIN) / (high - low);
    out.x = low;
    for (int row = 0; row < ROWS; row++) {
        double bottom = HUGE_VAL;

        out.y[row] = -HUGE_VAL;
        stretch(&bottom, &out.y[row], truth->y, truth->count);
        for (int i = row * COLUMNS; i < (row + 1) * COLUMNS && i < PANELS; i++) {
            const struct path *path = path_at(i, truth, paths);

            stretch(&bottom, &out.y[row], path->y, path->count);
        }
        out.top[row + 1] =
            out.top[row] + HEAD + 2 * MARGIN + (uint32_t)ceil(out.scale * (out.y[row] - bottom));
    }
    return out;
}

static void put_panel(struct sheet *sheet, int panel, const struct layout *layout,
                      const struct path *truth, const struct path *path)
{
    static const char *const titles[PANELS] = {
        "(a) no congestion", "(b) direct",   "(c) delay, 10 s",
        "(d) playback",      "(e) adaptive", "(f) playback, the paper's estimate"};
    static const uint32_t colours[PANELS] = {0x202020ff, 0xc0392bff, 0xb9770eff,
                                             0x1e8449ff, 0x2471a3ff, 0x7d3c98ff};
    const int row = panel / COLUMNS;
    const struct frame f = {.left = panel % COLUMNS * CELL + MARGIN,
                            .top = layout->top[row] + HEAD + MARGIN,
                            .scale = layout->scale,
                            .x = layout->x,
                            .y = layout->y[row]};

    put_text(sheet, f.left, f.top - MARGIN - 8, titles[panel]);
    put_line(sheet, &f, truth, TRUTH, 4);
    put_line(sheet, &f, path, colours[panel], 1.5);
}

static void put_all(struct sheet *sheet, const struct layout *layout, const struct path *truth,
                    const struct path *const paths[PLAY_MODES])
{
    for (int i = 0; i < PANELS; i++) {
        put_panel(sheet, i, layout, truth, path_at(i, truth, paths));
    }
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool ends_in(const char *file, const char *end)
{
    const size_t length = strlen(file), tail = strlen(end);

    return length > tail && strcmp(file + length - tail, end) == 0;
}

void picture_check(const char *file)
{
    if (!ends_in(file, ".svg") && !ends_in(file, ".png")) {
        bench_give_up("%s: a picture ends in .svg or .png", file);
    }
}

static void draw_svg(struct sheet *sheet, const struct path *truth,
                     const struct path *const paths[PLAY_MODES], unsigned polls)
{
    const struct layout layout = arrange(truth, paths);

    tpi_buf_printf(&sheet->out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
                   "font-family=\"sans-serif\" stroke-linejoin=\"round\">\n"
                   "<title>Paths with %u polls for each package</title>\n"
                   "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                   WIDTH, layout.top[ROWS], polls);
    put_all(sheet, &layout, truth, paths);
    tpi_buf_puts(&sheet->out, "</svg>\n");
}

static void draw_png(struct sheet *sheet, const struct path *truth,
                     const struct path *const paths[PLAY_MODES])
{
    const struct layout layout = arrange(truth, paths);
    tp_error err = {.text = ""};

    if (tpi_draw_canvas_init(&sheet->canvas, WIDTH, layout.top[ROWS], PAPER, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    put_all(sheet, &layout, truth, paths);
    if (!tpi_draw_encode(&sheet->out, sheet->canvas.pixels, WIDTH, layout.top[ROWS], 3)) {
        bench_give_up("out of memory");
    }
    tpi_draw_canvas_fini(&sheet->canvas);
}

void picture_write(const char *file, const struct path *truth,
                   const struct path *const paths[PLAY_MODES], unsigned polls)
{
    struct sheet sheet = {.pixels = ends_in(file, ".png")};

    if (sheet.pixels) {
        draw_png(&sheet, truth, paths);
    } else {
        draw_svg(&sheet, truth, paths, polls);
    }
    FILE *out = fopen(file, "wb");
    if (out == NULL || fwrite(sheet.out.data, 1, sheet.out.length, out) != sheet.out.length ||
        fclose(out) != 0) {
        bench_give_up("%s: it cannot be written", file);
    }
    tpi_buf_fini(&sheet.out);
}
