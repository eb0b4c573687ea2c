/* plot.c - curves as a picture; see plot.h. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 760, LEFT = 80, RIGHT = 24, TOP = 34, BOTTOM = 46, HEIGHT = 200, MAP = 420 };

bool plot_add(struct plot_curve *curve, double x, double y)
{
    if (!isfinite(x) || !isfinite(y)) {
        return true;
    }
    if (curve->count == curve->room) {
        const size_t room = curve->room < 64 ? 64 : 2 * curve->room;
        double *points = realloc(curve->points, 2 * room * sizeof *points);
        if (points == NULL) {
            return false;
        }
        curve->points = points;
        curve->room = room;
    }
    curve->points[2 * curve->count] = x;
    curve->points[2 * curve->count++ + 1] = y;
    return true;
}

void plot_panel_fini(struct plot_panel *panel)
{
    free(panel->planned.points);
    free(panel->played.points);
    panel->planned = panel->played = (struct plot_curve){0};
}

/* ---- Scales ---------------------------------------------------------------------------------- */

/* From values to places in the picture. */
struct scale {
    double low, high; /* values */
    double from, to;  /* places */
};

static double place(const struct scale *s, double value)
{
    return s->from + (value - s->low) / (s->high - s->low) * (s->to - s->from);
}

static void stretch(double *low, double *high, const struct plot_curve *curve, size_t axis)
{
    for (size_t i = 0; i < curve->count; i++) {
        *low = fmin(*low, curve->points[2 * i + axis]);
        *high = fmax(*high, curve->points[2 * i + axis]);
    }
}

/* The range of both curves along an axis, with some room at its ends. */
static void range_of(const struct plot_panel *panel, size_t axis, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    stretch(low, high, &panel->planned, axis);
    stretch(low, high, &panel->played, axis);
    if (!(*low <= *high)) {
        *low = 0;
        *high = 1;
    }
    const double room = fmax((*high - *low) * 0.05, fmax(fabs(*high) * 1e-6, 1e-3));
    *low -= room;
    *high += room;
}

/* Widen the axis with fewer units per place, so that both have the same. */
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

/* 1, 2 or 5 times a power of ten, so that there are about six of them. */
static double step_of(const struct scale *s)
{
    const double rough = (s->high - s->low) / 6;
    const double power = pow(10, floor(log10(rough)));
    const double factor = rough / power;

    return power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static void put_text(tpi_buf *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '<' || *c == '&' || *c == '>') {
            tpi_buf_puts(out, *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : "&amp;");
        } else if ((unsigned char)*c >= ' ') {
            tpi_buf_putc(out, *c);
        }
    }
}

static void put_ticks(tpi_buf *out, const struct scale *x, const struct scale *y)
{
    const double along = step_of(x), up = step_of(y);

    for (double v = ceil(x->low / along) * along; v <= x->high; v += along) {
        const double at = place(x, v);
        tpi_buf_printf(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", at, y->from, y->to);
        tpi_buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"x\">%.6g</text>\n", at,
                       y->from + 16, fabs(v) < along / 1e6 ? 0 : v);
    }
    for (double v = ceil(y->low / up) * up; v <= y->high; v += up) {
        const double at = place(y, v);
        tpi_buf_printf(out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", x->from, at, x->to);
        tpi_buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"y\">%.6g</text>\n", x->from - 6,
                       at + 4, fabs(v) < up / 1e6 ? 0 : v);
    }
}

static void put_curve(tpi_buf *out, const struct plot_curve *curve, const struct scale *x,
                      const struct scale *y, const char *kind)
{
    if (curve->count == 0) {
        return;
    }
    tpi_buf_printf(out, "<path class=\"%s\" d=\"", kind);
    for (size_t i = 0; i < curve->count; i++) {
        tpi_buf_printf(out, "%s%.2f %.2f", i == 0 ? "M" : "L", place(x, curve->points[2 * i]),
                       place(y, curve->points[2 * i + 1]));
    }
    tpi_buf_puts(out, "\"/>\n");
}

static void put_labels(tpi_buf *out, const struct plot_panel *panel, double top, double height)
{
    tpi_buf_printf(out, "<text x=\"%d\" y=\"%.1f\" class=\"title\">", LEFT, top + 20);
    put_text(out, panel->title);
    tpi_buf_printf(out, "</text>\n<text x=\"%d\" y=\"%.1f\" class=\"x\">", (LEFT + WIDTH) / 2,
                   top + TOP + height + 36);
    put_text(out, panel->x_label);
    tpi_buf_printf(out, "</text>\n<text transform=\"translate(18 %.1f) rotate(-90)\" class=\"x\">",
                   top + TOP + height / 2);
    put_text(out, panel->y_label);
    tpi_buf_puts(out, "</text>\n");
}

static double height_of(const struct plot_panel *panel)
{
    return panel->equal ? MAP : HEIGHT;
}

static void put_panel(tpi_buf *out, const struct plot_panel *panel, double top)
{
    const double height = height_of(panel);
    struct scale x = {.from = LEFT, .to = WIDTH - RIGHT};
    struct scale y = {.from = top + TOP + height, .to = top + TOP};

    range_of(panel, 0, &x.low, &x.high);
    range_of(panel, 1, &y.low, &y.high);
    if (panel->equal) {
        make_equal(&x, &y);
    }
    put_ticks(out, &x, &y);
    tpi_buf_printf(out,
                   "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                   x.from, y.to, x.to - x.from, y.from - y.to);
    put_curve(out, &panel->planned, &x, &y, "planned");
    put_curve(out, &panel->played, &x, &y, "played");
    put_labels(out, panel, top, height);
}

void plot_put(tpi_buf *out, const struct plot_panel *panels, size_t count, const char *title)
{
    static const char style[] =
        "<style>text{font:12px sans-serif;fill:#222}.title{font-weight:bold}"
        ".x{text-anchor:middle}.y{text-anchor:end}.grid{stroke:#ddd}"
        ".frame{fill:none;stroke:#444}path{fill:none}"
        ".planned{stroke:#c60;stroke-width:3;stroke-opacity:.55}"
        ".played{stroke:#05a;stroke-width:1.3}</style>\n";
    double top = 30;
    double height = top;

    for (size_t i = 0; i < count; i++) {
        height += TOP + height_of(&panels[i]) + BOTTOM;
    }
    tpi_buf_printf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
                   "viewBox=\"0 0 %d %.0f\">\n<title>",
                   WIDTH, height, WIDTH, height);
    put_text(out, title);
    tpi_buf_printf(
        out,
        "</title>\n%s<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
        "<path class=\"planned\" d=\"M%d 18h40\"/><text x=\"%d\" y=\"22\">planned</text>"
        "<path class=\"played\" d=\"M%d 18h40\"/><text x=\"%d\" y=\"22\">played</text>\n",
        style, LEFT, LEFT + 48, LEFT + 130, LEFT + 178);
    for (size_t i = 0; i < count; i++) {
        put_panel(out, &panels[i], top);
        top += TOP + height_of(&panels[i]) + BOTTOM;
    }
    tpi_buf_puts(out, "</svg>\n");
}
