/*
 * mosaic.h - pictures on terminals, made of quarter blocks.
 *
 * Every cell shows two colours in one of sixteen patterns of four quarters, which is as fine as
 * letters allow. Only cells that differ from what is shown are sent again. On terminals with fewer
 * colours the nearest ones are taken; without colours, or without UTF-8, letters of ASCII stand for
 * how bright a cell is.
 */
#ifndef TROUPE_APPS_MOSAIC_H
#define TROUPE_APPS_MOSAIC_H

#include <stdint.h>

#include "base/buf.h"

typedef enum mosaic_depth {
    MOSAIC_ASCII, /* no colours */
    MOSAIC_16,
    MOSAIC_256,
    MOSAIC_TRUE, /* 24 bits */
} mosaic_depth;

struct mosaic_cell {
    uint32_t front, back; /* 0xRRGGBB, or a number of the palette */
    uint8_t quarters;     /* which are of the colour in front: 1 upper left, 2 upper right, 4, 8
                             below; in ASCII, the letter */
    uint8_t known;        /* what the terminal shows; otherwise anything may stand there */
    uint8_t covered;      /* by text: the next picture leaves the cell out */
};

struct mosaic {
    uint32_t columns, rows;
    mosaic_depth depth;
    struct mosaic_cell *shown; /* owned */
};

/* What the environment says about the terminal: TERM, COLORTERM, NO_COLOR, and whether it takes
 * UTF-8 (LC_ALL, LC_CTYPE, LANG). Each may be NULL. */
mosaic_depth mosaic_depth_of(const char *term, const char *colorterm, const char *no_color,
                             const char *locale);

/* An all-zero mosaic is empty. Forgets what is shown. TP_E_NOMEM if there is no memory. */
tp_status mosaic_resize(struct mosaic *mosaic, uint32_t columns, uint32_t rows);
void mosaic_fini(struct mosaic *mosaic);

/* Append what makes the terminal show the picture, its first row in line `top` (from 1). The pixels
 * are three bytes each, twice as many as columns and four times as many as rows. */
void mosaic_show(struct mosaic *mosaic, tpi_buf *out, const unsigned char *pixels, uint32_t top);

/* Text will stand on so many cells from this one on (from 0): the next picture leaves them out, and
 * the one after it shows them again. */
void mosaic_cover(struct mosaic *mosaic, uint32_t column, uint32_t row, uint32_t width);

/* Append what makes the terminal write in a colour, 0xRRGGBB; nothing in ASCII. */
void mosaic_put_colour(tpi_buf *out, mosaic_depth depth, uint32_t colour);

#endif
