/* picture.c - see picture.h. One description of the picture is drawn as SVG or as pixels. */
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "bench.h"
#include "sim/draw/canvas.h"

enum { COLUMNS = 3, PANELS = PLAY_MODES + 1, CELL = 300, HEAD = 40, MARGIN = 14, FONT = 15 };
enum { WIDTH = COLUMNS * CELL, HEIGHT = (PANELS + COLUMNS - 1) / COLUMNS * (CELL + HEAD) };

static const uint32_t INK = 0x202020ff, TRUTH = 0xb0b0b0ff, PAPER = 0xffffffff;

/* Where the world is in a panel. */
struct frame {
    double left, top, scale, x, y; /* of the picture; the world's place of the upper left corner */
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
    for (size_t i = 0; i < path->count; i += 5) {
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

/* One scale for all panels, so that they can be compared. */
static struct frame fit(const struct path *truth, const struct path *const paths[PLAY_MODES])
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};

    for (int i = -1; i < PLAY_MODES; i++) {
        const struct path *path = i < 0 ? truth : paths[i];

        for (size_t k = 0; k < path->count; k++) {
            low[0] = fmin(low[0], path->x[k]);
            high[0] = fmax(high[0], path->x[k]);
            low[1] = fmin(low[1], path->y[k]);
            high[1] = fmax(high[1], path->y[k]);
        }
    }
    const double size = fmax(high[0] - low[0], high[1] - low[1]);
    return (struct frame){.scale = (CELL - 2 * MARGIN) / size,
                          .x = (low[0] + high[0] - size) / 2,
                          .y = (low[1] + high[1] + size) / 2};
}

static void put_panel(struct sheet *sheet, int panel, struct frame f, const struct path *truth,
                      const struct path *path, const char *title)
{
    static const uint32_t colours[PLAY_MODES] = {0xc0392bff, 0xb9770eff, 0x1e8449ff, 0x2471a3ff,
                                                 0x7d3c98ff};

    f.left = panel % COLUMNS * CELL + MARGIN;
    f.top = panel / COLUMNS * (CELL + HEAD) + HEAD + MARGIN;
    put_text(sheet, f.left, f.top - MARGIN - 8, title);
    put_line(sheet, &f, truth, path != NULL ? TRUTH : INK, path != NULL ? 4 : 2);
    if (path != NULL) {
        put_line(sheet, &f, path, colours[panel - 1], 1.5);
    }
}

static void put_all(struct sheet *sheet, const struct path *truth,
                    const struct path *const paths[PLAY_MODES])
{
    static const char *const titles[PLAY_MODES] = {"(b) direct", "(c) delay, 10 s", "(d) playback",
                                                   "(e) adaptive",
                                                   "(f) playback, the paper's estimate"};
    const struct frame f = fit(truth, paths);

    put_panel(sheet, 0, f, truth, NULL, "(a) no congestion");
    for (int i = 0; i < PLAY_MODES; i++) {
        put_panel(sheet, i + 1, f, truth, paths[i], titles[i]);
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
    tpi_buf_printf(&sheet->out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                   "font-family=\"sans-serif\" stroke-linejoin=\"round\">\n"
                   "<title>Paths with %u polls for each package</title>\n"
                   "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                   WIDTH, HEIGHT, polls);
    put_all(sheet, truth, paths);
    tpi_buf_puts(&sheet->out, "</svg>\n");
}

static void draw_png(struct sheet *sheet, const struct path *truth,
                     const struct path *const paths[PLAY_MODES])
{
    tp_error err = {.text = ""};

    if (tpi_draw_canvas_init(&sheet->canvas, WIDTH, HEIGHT, PAPER, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    put_all(sheet, truth, paths);
    if (!tpi_draw_encode(&sheet->out, sheet->canvas.pixels, WIDTH, HEIGHT, 3)) {
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
