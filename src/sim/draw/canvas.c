/*
 * canvas.c - filling shapes with pixels that are exact at their edges.
 *
 * Every edge of a shape adds to the pixels that it crosses how much of what is right of it lies
 * within; the sum along a row is then the share of each pixel that is covered. So a shape costs its
 * outline and one pass over its box, whatever its form. Where shapes of one path overlap the sum
 * passes 1 and is cut there; a hole, which runs the other way round, subtracts.
 */
#include "sim/draw/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels from (x0, y0) up to, but without, (x1, y1). */
struct box {
    uint32_t x0, y0, x1, y1;
};

/* ---- Edges ----------------------------------------------------------------------------------- */

static inline double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* An edge within one row, from xa to xb with xa <= xb; `weight` is its height, with a sign. */
static void add_piece(float *row, double xa, double xb, double weight)
{
    const uint32_t first = (uint32_t)xa;
    const uint32_t last = (uint32_t)ceil(xb);

    if (last <= first + 1) {
        const double middle = 0.5 * (xa + xb) - first;
        row[first] += (float)(weight * (1 - middle));
        row[first + 1] += (float)(weight * middle);
        return;
    }
    const double slope = 1 / (xb - xa);
    double before = 0; /* share of the edge's right side that earlier pixels have taken */
    for (uint32_t i = first; i < last; i++) {
        const double from = clamp(xa, i, i + 1);
        const double to = clamp(xb, i, i + 1);
        /* of this pixel: what the edge has passed before it, and the triangle in it */
        const double passed = (from - xa) * slope;
        const double covered = passed * (to - from) + 0.5 * slope * (to - from) * (to - from) +
                               (i + 1 - to) * ((to - xa) * slope);
        row[i] += (float)(weight * (covered - before));
        before = covered;
    }
    row[last] += (float)(weight * (1 - before));
}

static void add_edge(struct draw_canvas *canvas, struct draw_point from, struct draw_point to)
{
    const double sign = from.y < to.y ? 1 : -1;
    struct draw_point p = sign > 0 ? from : to;
    const struct draw_point q = sign > 0 ? to : from;
    const double slope = (q.x - p.x) / (q.y - p.y);
    const double bottom = clamp(q.y, 0, canvas->height);

    if (p.y < 0) {
        p.x -= p.y * slope;
        p.y = 0;
    }
    while (p.y < bottom) {
        const uint32_t y = (uint32_t)p.y;
        const double next = y + 1 < bottom ? y + 1 : bottom;
        const double x = p.x + (next - p.y) * slope;
        const double xa = clamp(p.x < x ? p.x : x, 0, canvas->width);
        const double xb = clamp(p.x < x ? x : p.x, 0, canvas->width);
        add_piece(canvas->sums + (size_t)y * (canvas->width + 2), xa, xb, sign * (next - p.y));
        p.x = x;
        p.y = next;
    }
}

/* The box of what was added: where sums may differ from zero. */
static struct box add_path(struct draw_canvas *canvas, const struct draw_path *path)
{
    double low[2] = {HUGE_VAL, HUGE_VAL};
    double high[2] = {-HUGE_VAL, -HUGE_VAL};

    for (uint32_t i = 0; i < tpi_draw_path_lines(path); i++) {
        uint32_t count;
        const struct draw_point *points = tpi_draw_path_line(path, i, &count);
        for (uint32_t k = 0; k < count; k++) {
            const struct draw_point p = points[k];
            const struct draw_point q = points[k + 1 < count ? k + 1 : 0];
            low[0] = fmin(low[0], p.x);
            low[1] = fmin(low[1], p.y);
            high[0] = fmax(high[0], p.x);
            high[1] = fmax(high[1], p.y);
            if (p.y != q.y) {
                add_edge(canvas, p, q);
            }
        }
    }
    if (!(low[0] <= high[0])) {
        return (struct box){0};
    }
    return (struct box){(uint32_t)clamp(low[0], 0, canvas->width),
                        (uint32_t)clamp(low[1], 0, canvas->height),
                        (uint32_t)clamp(ceil(high[0]), 0, canvas->width),
                        (uint32_t)clamp(ceil(high[1]), 0, canvas->height)};
}

/* ---- Paint ----------------------------------------------------------------------------------- */

static inline void blend(unsigned char *pixel, uint32_t colour, float share)
{
    for (int i = 0; i < 3; i++) {
        const float old = pixel[i];
        const float new = (float)(colour >> (24 - 8 * i) & 255);
        pixel[i] = (unsigned char)(old + (new - old) * share + 0.5F);
    }
}

static float share_at(const struct draw_paint *paint, double x, double y)
{
    const float whole = (float)(paint->colour & 255) / 255;

    if (paint->radius <= 0) {
        return whole;
    }
    const double distance = hypot(x - paint->x, y - paint->y) / paint->radius;
    return distance < 1 ? whole * (float)(1 - distance) : 0;
}

/* Paint what was added in the box, and clear it. */
static void settle(struct draw_canvas *canvas, const struct box *box,
                   const struct draw_paint *paint)
{
    for (uint32_t y = box->y0; y < box->y1; y++) {
        float *sums = canvas->sums + (size_t)y * (canvas->width + 2);
        float sum = 0;
        for (uint32_t x = box->x0; x < box->x1; x++) {
            sum += sums[x];
            const float covered = fminf(fabsf(sum), 1);
            const size_t at = (size_t)y * canvas->width + x;
            if (covered < 1.0F / 512) {
                continue;
            }
            if (canvas->in_shadow) {
                canvas->shade[at] = fmaxf(canvas->shade[at], covered);
            } else {
                blend(canvas->pixels + 3 * at, paint->colour,
                      covered * share_at(paint, x + 0.5, y + 0.5));
            }
        }
        memset(sums + box->x0, 0, (box->x1 - box->x0 + 2) * sizeof sums[0]);
    }
}

static void canvas_fill(struct draw_pen *pen, const struct draw_path *path,
                        const struct draw_paint *paint)
{
    struct draw_canvas *canvas = (struct draw_canvas *)pen;
    const struct box box = add_path(canvas, path);

    settle(canvas, &box, paint);
}

static void canvas_picture(struct draw_pen *pen, const struct draw_picture *picture)
{
    struct draw_canvas *canvas = (struct draw_canvas *)pen;

    for (uint32_t y = 0; y < picture->height; y++) {
        for (uint32_t x = 0; x < picture->width; x++) {
            const unsigned char *from = picture->rgba + 4 * ((size_t)y * picture->width + x);
            const size_t at = (size_t)(picture->y + y) * canvas->width + picture->x + x;
            const uint32_t colour =
                (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8;
            blend(canvas->pixels + 3 * at, colour, (float)from[3] / 255);
        }
    }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* A stroke from p to q, always the same way round. */
static void trace_piece(struct draw_path *trace, struct draw_point p, struct draw_point q,
                        double width)
{
    const double length = hypot(q.x - p.x, q.y - p.y);
    const double nx = length > 0 ? -(q.y - p.y) / length * width / 2 : 0;
    const double ny = length > 0 ? (q.x - p.x) / length * width / 2 : 0;

    if (length > 0) {
        tpi_draw_path_to(trace, p.x - nx, p.y - ny);
        tpi_draw_path_to(trace, q.x - nx, q.y - ny);
        tpi_draw_path_to(trace, q.x + nx, q.y + ny);
        tpi_draw_path_to(trace, p.x + nx, p.y + ny);
        tpi_draw_path_end(trace);
    }
}

static void trace_line(struct draw_path *trace, const struct draw_point *points, uint32_t count,
                       enum draw_end end, double width)
{
    const uint32_t closed = end == DRAW_CLOSED && count > 2;
    const uint32_t cut = end == DRAW_CUT;

    for (uint32_t i = 0; i + 1 < count + closed; i++) {
        trace_piece(trace, points[i], points[(i + 1) % count], width);
    }
    for (uint32_t i = cut; i + cut < count && (width >= 1.8 || count == 1); i++) {
        tpi_draw_path_add_circle(trace, points[i].x, points[i].y, width / 2);
    }
}

static void canvas_stroke(struct draw_pen *pen, const struct draw_path *path, enum draw_end end,
                          double width, const struct draw_paint *paint)
{
    struct draw_canvas *canvas = (struct draw_canvas *)pen;

    tpi_draw_path_clear(&canvas->trace);
    for (uint32_t i = 0; i < tpi_draw_path_lines(path); i++) {
        uint32_t count;
        const struct draw_point *points = tpi_draw_path_line(path, i, &count);
        trace_line(&canvas->trace, points, count, end, width);
    }
    canvas_fill(pen, &canvas->trace, paint);
    pen->failed = pen->failed || tpi_draw_path_failed(&canvas->trace);
}

static void canvas_text(struct draw_pen *pen, const struct draw_text *text)
{
    const double width = tpi_draw_font_width(text->text, text->size);
    const double x = text->anchor == DRAW_MIDDLE ? text->x - width / 2 : text->x;
    const struct draw_paint paint = {.colour = text->colour};
    const struct draw_paint halo = {.colour = text->halo};
    struct draw_path path = {0};

    tpi_draw_font_put(&path, text->text, x, text->y, text->size);
    canvas_stroke(pen, &path, DRAW_ROUND, text->size / 10 + 2.6, &halo);
    canvas_stroke(pen, &path, DRAW_ROUND, text->size / 10, &paint);
    pen->failed = pen->failed || tpi_draw_path_failed(&path);
    tpi_draw_path_fini(&path);
}

/* ---- Shadows --------------------------------------------------------------------------------- */

static void canvas_begin_shadow(struct draw_pen *pen, double blur, uint32_t colour)
{
    struct draw_canvas *canvas = (struct draw_canvas *)pen;

    memset(canvas->shade, 0, (size_t)canvas->width * canvas->height * sizeof canvas->shade[0]);
    canvas->shade_colour = colour;
    canvas->blur = blur;
    canvas->in_shadow = true;
}

/* Replace each value by the mean of those up to `reach` away. */
static void smooth(float *values, size_t stride, uint32_t count, uint32_t reach, float *line)
{
    const float share = 1 / (float)(2 * reach + 1);
    double sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        line[i] = values[i * stride];
    }
    for (uint32_t i = 0; i < reach && i < count; i++) {
        sum += (double)line[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        sum += i + reach < count ? (double)line[i + reach] : 0;
        values[i * stride] = (float)sum * share;
        sum -= i >= reach ? (double)line[i - reach] : 0;
    }
}

static void canvas_end_shadow(struct draw_pen *pen)
{
    struct draw_canvas *canvas = (struct draw_canvas *)pen;
    const uint32_t reach = (uint32_t)(canvas->blur / 2 + 0.5);
    const float whole = (float)(canvas->shade_colour & 255) / 255;

    for (int pass = 0; pass < 2 && reach > 0; pass++) {
        for (uint32_t y = 0; y < canvas->height; y++) {
            smooth(canvas->shade + (size_t)y * canvas->width, 1, canvas->width, reach,
                   canvas->line);
        }
        for (uint32_t x = 0; x < canvas->width; x++) {
            smooth(canvas->shade + x, canvas->width, canvas->height, reach, canvas->line);
        }
    }
    for (size_t i = 0; i < (size_t)canvas->width * canvas->height; i++) {
        blend(canvas->pixels + 3 * i, canvas->shade_colour, canvas->shade[i] * whole);
    }
    canvas->in_shadow = false;
}

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tpi_draw_canvas_init(struct draw_canvas *canvas, uint32_t width, uint32_t height,
                               uint32_t colour, tp_error *err)
{
    const size_t count = (size_t)width * height;

    *canvas = (struct draw_canvas){.pen = {.fill = canvas_fill,
                                           .stroke = canvas_stroke,
                                           .text = canvas_text,
                                           .begin_shadow = canvas_begin_shadow,
                                           .end_shadow = canvas_end_shadow,
                                           .picture = canvas_picture},
                                   .width = width,
                                   .height = height};
    canvas->pixels = calloc(count, 3);
    canvas->sums = calloc(count + 2 * (size_t)height, sizeof canvas->sums[0]);
    canvas->shade = calloc(count, sizeof canvas->shade[0]);
    canvas->line = calloc((size_t)width + height, sizeof canvas->line[0]);
    if (canvas->pixels == NULL || canvas->sums == NULL || canvas->shade == NULL ||
        canvas->line == NULL) {
        tpi_draw_canvas_fini(canvas);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        blend(canvas->pixels + 3 * i, colour, 1);
    }
    return TP_OK;
}

void tpi_draw_canvas_fini(struct draw_canvas *canvas)
{
    free(canvas->pixels);
    free(canvas->sums);
    free(canvas->shade);
    free(canvas->line);
    tpi_draw_path_fini(&canvas->trace);
    canvas->pixels = NULL;
    canvas->sums = canvas->shade = canvas->line = NULL;
}
