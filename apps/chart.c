/* chart.c - curves as a picture; see chart.h. */
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/draw/pen.h"

enum { WIDTH = 800, LEFT = 76, RIGHT = 20, TOP = 44, BOTTOM = 44, HEIGHT = 200, MAP = 460 };

static const uint32_t colours[CHART_MOST_CURVES] = {0x1f6fb4ff, 0xd9541eff, 0x2a9a3cff, 0x8e4fb0ff,
                                                    0xb8860bff, 0x17a2b8ff, 0xc2185bff, 0x555555ff};
static const uint32_t ink = 0x222222ff, faint = 0xe2e2e2ff, frame = 0x555555ff, ground = 0xffffffff;

struct scale {
    double low, high; /* values */
    double from, to;  /* pixels */
};

struct chart {
    const struct chart_panel *panels; /* borrowed */
    unsigned count;
    struct draw_path path; /* used by everybody in turn */
};

static double place(const struct scale *s, double value)
{
    return s->from + (value - s->low) / (s->high - s->low) * (s->to - s->from);
}

/* ---- Scales ---------------------------------------------------------------------------------- */

/* The range of all curves, with some room at its ends. */
static void ranges_of(const struct chart_panel *panel, struct scale *x, struct scale *y)
{
    bool any = false;

    for (unsigned i = 0; i < panel->count; i++) {
        const double more = panel->curves[i].uncertainty;
        double along[2], up[2];

        if (tpi_log_curve_range(panel->curves[i].points, along, up)) {
            x->low = any ? fmin(x->low, along[0]) : along[0];
            x->high = any ? fmax(x->high, along[1]) : along[1];
            y->low = any ? fmin(y->low, up[0] - more) : up[0] - more;
            y->high = any ? fmax(y->high, up[1] + more) : up[1] + more;
            any = true;
        }
    }
    if (!any) {
        x->low = y->low = 0;
        x->high = y->high = 1;
    }
    const double room =
        y->high > y->low ? (y->high - y->low) * 0.06 : fmax(fabs(y->high) * 1e-3, 1e-3);
    y->low -= room;
    y->high += room;
    const double aside = !panel->over_time ? (x->high - x->low) * 0.06 : 0;
    x->low -= aside;
    x->high += fmax(aside, fmax(fabs(x->high) * 1e-9, x->high > x->low ? 0 : 1e-3));
}

/* Widen the axis with fewer units per pixel, so that both have the same. */
static void make_equal(struct scale *x, struct scale *y)
{
    const double along = (x->high - x->low) / fabs(x->to - x->from);
    const double up = (y->high - y->low) / fabs(y->to - y->from);
    struct scale *narrow = along < up ? x : y;
    const double wanted = fmax(along, up) * fabs(narrow->to - narrow->from);
    const double more = (wanted - (narrow->high - narrow->low)) / 2;

    narrow->low -= more;
    narrow->high += more;
}

/* 1, 2 or 5 times a power of ten, so that a tick has `pixels` or more. */
static double step_of(const struct scale *s, double pixels)
{
    const double rough = (s->high - s->low) * pixels / fabs(s->to - s->from);
    const double power = pow(10, floor(log10(rough)));
    const double factor = rough / power;

    return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

/* ---- Letters and lines ----------------------------------------------------------------------- */

static void put_text(struct draw_pen *pen, double x, double y, double size, enum draw_anchor anchor,
                     const char *text)
{
    const struct draw_text label = {.x = x,
                                    .y = y,
                                    .size = size,
                                    .anchor = anchor,
                                    .colour = ink,
                                    .halo = ground,
                                    .text = text};

    pen->text(pen, &label);
}

static void put_line(struct chart *chart, struct draw_pen *pen, double x0, double y0, double x1,
                     double y1, double width, uint32_t colour)
{
    const struct draw_paint paint = {.colour = colour};

    tpi_draw_path_clear(&chart->path);
    tpi_draw_path_to(&chart->path, x0, y0);
    tpi_draw_path_to(&chart->path, x1, y1);
    tpi_draw_path_end(&chart->path);
    pen->stroke(pen, &chart->path, DRAW_CUT, width, &paint);
}

static void put_ticks(struct chart *chart, struct draw_pen *pen, const struct scale *x,
                      const struct scale *y)
{
    const double along = step_of(x, 80), up = step_of(y, 30);
    char text[32];

    for (double v = ceil(x->low / along) * along; v <= x->high; v += along) {
        put_line(chart, pen, place(x, v), y->from, place(x, v), y->to, 1, faint);
        (void)snprintf(text, sizeof text, "%.6g", fabs(v) < along / 1e6 ? 0 : v);
        put_text(pen, place(x, v), y->from + 16, 12, DRAW_MIDDLE, text);
    }
    for (double v = ceil(y->low / up) * up; v <= y->high; v += up) {
        put_line(chart, pen, x->from, place(y, v), x->to, place(y, v), 1, faint);
        (void)snprintf(text, sizeof text, "%.6g", fabs(v) < up / 1e6 ? 0 : v);
        put_text(pen, x->from - 8 - tpi_draw_font_width(text, 12), place(y, v) + 4, 12, DRAW_START,
                 text);
    }
}

/* ---- Curves ---------------------------------------------------------------------------------- */

/* What lies `uncertainty` to both sides of the curve. */
static void put_band(struct chart *chart, struct draw_pen *pen, const struct chart_curve *curve,
                     const struct scale *x, const struct scale *y, uint32_t colour)
{
    const struct draw_paint paint = {.colour = (colour & 0xffffff00u) | 0x38};
    const tpi_log_column *columns;
    const size_t count = tpi_log_curve_columns(curve->points, &columns);

    if (!(curve->uncertainty > 0) || count < 2) {
        return;
    }
    tpi_draw_path_clear(&chart->path);
    for (size_t i = 0; i < count; i++) {
        tpi_draw_path_to(&chart->path, place(x, columns[i].first_x),
                         place(y, columns[i].high + curve->uncertainty));
    }
    for (size_t i = count; i-- > 0;) {
        tpi_draw_path_to(&chart->path, place(x, columns[i].first_x),
                         place(y, columns[i].low - curve->uncertainty));
    }
    tpi_draw_path_end(&chart->path);
    pen->fill(pen, &chart->path, &paint);
}

/* Each column is a line from its first value over its extremes to its last one. */
static void put_curve(struct chart *chart, struct draw_pen *pen, const struct chart_curve *curve,
                      const struct scale *x, const struct scale *y, uint32_t colour)
{
    const struct draw_paint paint = {.colour = colour};
    const tpi_log_column *columns;
    const size_t count = tpi_log_curve_columns(curve->points, &columns);

    tpi_draw_path_clear(&chart->path);
    for (size_t i = 0; i < count; i++) {
        const tpi_log_column *c = &columns[i];

        tpi_draw_path_to(&chart->path, place(x, c->first_x), place(y, c->first));
        if (c->count > 2) {
            const double middle = place(x, (c->first_x + c->last_x) / 2);

            tpi_draw_path_to(&chart->path, middle, place(y, c->low));
            tpi_draw_path_to(&chart->path, middle, place(y, c->high));
        }
        if (c->count > 1) {
            tpi_draw_path_to(&chart->path, place(x, c->last_x), place(y, c->last));
        }
    }
    if (count == 1 && columns[0].count == 1) {
        tpi_draw_path_clear(&chart->path);
        tpi_draw_path_add_circle(&chart->path, place(x, columns[0].first_x),
                                 place(y, columns[0].first), 2.5);
        pen->fill(pen, &chart->path, &paint);
        return;
    }
    tpi_draw_path_end(&chart->path);
    pen->stroke(pen, &chart->path, DRAW_ROUND, 1.4, &paint);
}

static void put_legend(struct chart *chart, struct draw_pen *pen, const struct chart_panel *panel,
                       double y)
{
    double x = LEFT + tpi_draw_font_width(panel->title, 14) + 24;

    for (unsigned i = 0; i < panel->count; i++) {
        const char *label = panel->curves[i].label;

        put_line(chart, pen, x, y - 4, x + 18, y - 4, 2.5, colours[i]);
        put_text(pen, x + 24, y, 12, DRAW_START, label);
        x += 24 + tpi_draw_font_width(label, 12) + 18;
    }
}

/* ---- Panels ---------------------------------------------------------------------------------- */

static double height_of(const struct chart_panel *panel)
{
    return panel->equal ? MAP : HEIGHT;
}

static void put_frame(struct chart *chart, struct draw_pen *pen, const struct scale *x,
                      const struct scale *y)
{
    put_line(chart, pen, x->from, y->from, x->to, y->from, 1.2, frame);
    put_line(chart, pen, x->from, y->to, x->to, y->to, 1.2, frame);
    put_line(chart, pen, x->from, y->from, x->from, y->to, 1.2, frame);
    put_line(chart, pen, x->to, y->from, x->to, y->to, 1.2, frame);
}

/* The time of all panels. */
static void stretch_time(const struct chart *chart, struct scale *x)
{
    for (unsigned i = 0; i < chart->count; i++) {
        struct scale along = {0}, up = {0};

        if (chart->panels[i].over_time) {
            ranges_of(&chart->panels[i], &along, &up);
            x->low = fmin(x->low, along.low);
            x->high = fmax(x->high, along.high);
        }
    }
}

static void put_panel(struct chart *chart, struct draw_pen *pen, const struct chart_panel *panel,
                      double top)
{
    struct scale x = {.from = LEFT, .to = WIDTH - RIGHT};
    struct scale y = {.from = top + TOP + height_of(panel), .to = top + TOP};

    ranges_of(panel, &x, &y);
    if (panel->over_time) {
        stretch_time(chart, &x);
    }
    if (panel->equal) {
        make_equal(&x, &y);
    }
    put_ticks(chart, pen, &x, &y);
    for (unsigned i = 0; i < panel->count; i++) {
        put_band(chart, pen, &panel->curves[i], &x, &y, colours[i]);
    }
    for (unsigned i = 0; i < panel->count; i++) {
        put_curve(chart, pen, &panel->curves[i], &x, &y, colours[i]);
    }
    put_frame(chart, pen, &x, &y);
    put_text(pen, LEFT, top + 18, 14, DRAW_START, panel->title);
    put_legend(chart, pen, panel, top + 18);
    put_text(pen, 8, top + TOP - 8, 12, DRAW_START, panel->y_label);
    put_text(pen, (x.from + x.to) / 2, y.from + 34, 12, DRAW_MIDDLE, panel->x_label);
}

static void paint(struct draw_pen *pen, void *context)
{
    struct chart *chart = context;
    double top = 6;

    for (unsigned i = 0; i < chart->count; i++) {
        put_panel(chart, pen, &chart->panels[i], top);
        top += TOP + height_of(&chart->panels[i]) + BOTTOM;
    }
    pen->failed = pen->failed || tpi_draw_path_failed(&chart->path);
}

tp_status chart_put(tpi_buf *out, bool is_png, const struct chart_panel *panels, unsigned count,
                    const char *title, tp_error *err)
{
    struct chart chart = {.panels = panels, .count = count};
    struct draw_sheet sheet = {.width = WIDTH,
                               .height = 6,
                               .ground = ground,
                               .title = title,
                               .paint = paint,
                               .context = &chart};

    for (unsigned i = 0; i < count; i++) {
        sheet.height += (uint32_t)(TOP + height_of(&panels[i]) + BOTTOM);
    }
    const tp_status status =
        is_png ? tpi_draw_sheet_png(out, &sheet, err) : tpi_draw_sheet_svg(out, &sheet, err);
    tpi_draw_path_fini(&chart.path);
    return status;
}
