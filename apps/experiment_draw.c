/* experiment_draw.c - the paths of an experiment as a picture; see experiment_draw.h. */
#include "experiment_draw.h"

enum { COLUMNS = 3, SIDE = 250, GAP = 20, TITLE = 26, EVERY = 6 };
static const double SCALE = 60; /* pixels of a metre */

static double across(double x)
{
    return SIDE / 2.0 + x * SCALE;
}

static void put_path(tpi_buf *out, const experiment_result *r, const char *colour, double width)
{
    tpi_buf_printf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" points=\"",
                   colour, width);
    for (unsigned i = 0; i < r->count; i++) {
        if (i % EVERY == 0 || i + 1 == r->count) {
            tpi_buf_printf(out, "%s%.0f,%.0f", i > 0 ? " " : "", across(r->places[i][0]),
                           across(-r->places[i][1]));
        }
    }
    tpi_buf_puts(out, "\"/>\n");
}

static void put_panel(tpi_buf *out, const experiment_panel *panel, unsigned index)
{
    static const char *const colours[] = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                          "#9467bd", "#8c564b", "#e377c2", "#17becf"};
    const unsigned x = GAP + index % COLUMNS * (SIDE + GAP);
    const unsigned y = GAP + index / COLUMNS * (SIDE + GAP + TITLE) + TITLE;
    const experiment_result *first = panel->results;

    tpi_buf_printf(out, "<g transform=\"translate(%u %u)\">\n", x, y);
    tpi_buf_printf(out, "<text x=\"0\" y=\"-8\">%s</text>\n", panel->title);
    tpi_buf_printf(out,
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#fbfaf6\" "
                   "stroke=\"#555\" stroke-width=\"2\"/>\n",
                   across(-2), across(-2), 4 * SCALE, 4 * SCALE);
    tpi_buf_printf(out,
                   "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"#f5b942\" "
                   "stroke=\"#a87400\"/>\n",
                   across(first->lamp[0]), across(-first->lamp[1]));
    for (unsigned i = 0; panel->has_frozen && i < panel->count; i++) {
        put_path(out, &panel->results[i * panel->stride + 1], "#c8c8c8", 1);
    }
    for (unsigned i = 0; i < panel->count; i++) {
        const experiment_result *r = &panel->results[i * panel->stride];
        const char *colour = colours[i % (sizeof colours / sizeof colours[0])];
        put_path(out, r, colour, 1.2);
        tpi_buf_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n",
                       across(r->places[r->count - 1][0]), across(-r->places[r->count - 1][1]),
                       colour);
    }
    tpi_buf_puts(out, "</g>\n");
}

void experiment_draw(tpi_buf *out, const experiment_panel *panels, unsigned count)
{
    const unsigned rows = (count + COLUMNS - 1) / COLUMNS;

    tpi_buf_printf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
                   "font-family=\"sans-serif\" font-size=\"14\">\n",
                   GAP + COLUMNS * (SIDE + GAP), GAP + rows * (SIDE + GAP + TITLE));
    tpi_buf_puts(out, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    for (unsigned i = 0; i < count; i++) {
        put_panel(out, &panels[i], i);
    }
    tpi_buf_puts(out, "</svg>\n");
}
