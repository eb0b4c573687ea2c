/*
 * pen.h - what pictures are drawn with, whatever they are drawn on.
 *
 * The scene (scene.c) draws with a pen; there is one for pixels (canvas.c) and one for
 * SVG (svg.c). Coordinates are pixels, y downwards. Memory that runs out is remembered by the
 * pen and told at the end.
 */
#ifndef TROUPE_SIM_DRAW_PEN_H
#define TROUPE_SIM_DRAW_PEN_H

#include "base/buf.h"
#include "sim/draw/draw.h"

/* ---- Paths ----------------------------------------------------------------------------------- */

struct draw_point {
    double x, y;
};

/* Lines, each of them a run of points. */
struct draw_path {
    tpi_buf points; /* owned: struct draw_point */
    tpi_buf ends;   /* owned: uint32_t, the point behind the last of each line */
    bool failed;    /* memory ran out once, before it was cleared */
};

void tpi_draw_path_fini(struct draw_path *path);
void tpi_draw_path_clear(struct draw_path *path);
void tpi_draw_path_to(struct draw_path *path, double x, double y);
void tpi_draw_path_end(struct draw_path *path); /* the line; nothing if it has no points */
void tpi_draw_path_add_circle(struct draw_path *path, double x, double y, double radius);

/* Whether memory has ever run out. */
bool tpi_draw_path_failed(const struct draw_path *path);

uint32_t tpi_draw_path_lines(const struct draw_path *path);

/* The points of a line. */
const struct draw_point *tpi_draw_path_line(const struct draw_path *path, uint32_t line,
                                            uint32_t *count);

/* ---- Pens ------------------------------------------------------------------------------------ */

/* A colour, 0xRRGGBBAA. With a radius it fades from (x, y) outwards and has gone there. */
struct draw_paint {
    uint32_t colour;
    double x, y, radius;
};

enum draw_anchor { DRAW_START, DRAW_MIDDLE };

struct draw_text {
    double x, y; /* where the line stands on which letters stand */
    double size; /* of a capital letter, about 0.7 of it */
    enum draw_anchor anchor;
    uint32_t colour;
    uint32_t halo; /* colour of what keeps it apart from the background */
    const char *text;
};

/* Pixels that are given one by one. */
struct draw_picture {
    uint32_t x, y, width, height; /* where they are in the whole */
    unsigned char *rgba;          /* borrowed; four bytes each, row by row from the top */
};

/* How a line ends: round, in its beginning, or cut off, so that another one can go on there. */
enum draw_end { DRAW_ROUND, DRAW_CLOSED, DRAW_CUT };

struct draw_pen {
    bool failed; /* memory ran out */

    /* Fill what the lines enclose, all of them closed; a hole runs the other way round. */
    void (*fill)(struct draw_pen *pen, const struct draw_path *path,
                 const struct draw_paint *paint);
    void (*stroke)(struct draw_pen *pen, const struct draw_path *path, enum draw_end end,
                   double width, const struct draw_paint *paint);
    void (*text)(struct draw_pen *pen, const struct draw_text *text);

    /* What is filled in between becomes one soft shadow, whose edge is `blur` wide. */
    void (*begin_shadow)(struct draw_pen *pen, double blur, uint32_t colour);
    void (*end_shadow)(struct draw_pen *pen);

    void (*picture)(struct draw_pen *pen, const struct draw_picture *picture);
};

/* ---- PNG (encode.c) -------------------------------------------------------------------------- */

/* Append a PNG file of pixels with one (grey), three or four bytes each; false if memory ran out.
 */
bool tpi_draw_encode(tpi_buf *out, const unsigned char *pixels, uint32_t width, uint32_t height,
                     uint32_t channels);

/* ---- Sheets: pictures of anything else (svg.c, png.c) -----------------------------------------
 */

struct draw_sheet {
    uint32_t width, height;
    uint32_t ground;   /* its colour */
    const char *title; /* borrowed; only SVG has it */
    void (*paint)(struct draw_pen *pen, void *context);
    void *context;
};

/* Append it as a file. Fails if memory runs out, or if it has too many pixels. */
tp_status tpi_draw_sheet_svg(tpi_buf *out, const struct draw_sheet *sheet, tp_error *err);
tp_status tpi_draw_sheet_png(tpi_buf *out, const struct draw_sheet *sheet, tp_error *err);

/* ---- Letters (font.c) ------------------------------------------------------------------------ */

/* Append the lines of a text that begins at x, y, in UTF-8. It has the Latin letters; each other
 * character is a box, and so is each byte that is part of none. */
void tpi_draw_font_put(struct draw_path *path, const char *text, double x, double y, double size);
double tpi_draw_font_width(const char *text, double size);

/* ---- Views (view.c) -------------------------------------------------------------------------- */

/* Where the world is in the picture. */
struct draw_view {
    uint32_t width, height;
    double scale;  /* pixels per metre */
    double x, y;   /* the pixel of the world's origin */
    double low[2]; /* the part of the world that is shown */
    double high[2];
};

tp_status tpi_draw_view_init(struct draw_view *view, const tpi_sim *sim, const tpi_draw_look *look,
                             tp_error *err);

static inline struct draw_point draw_at(const struct draw_view *view, double x, double y)
{
    return (struct draw_point){view->x + view->scale * x, view->y - view->scale * y};
}

/* ---- The scene ------------------------------------------------------------------------------- */

/* Draw everything; false if memory ran out. */
bool tpi_draw_scene(struct draw_pen *pen, const struct draw_view *view, const tpi_sim *sim,
                    const tpi_draw_look *look);

#endif
