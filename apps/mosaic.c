/* mosaic.c - pictures on terminals; see mosaic.h. */
#include "mosaic.h"

#include <stdlib.h>
#include <string.h>

/* ---- Terminals ------------------------------------------------------------------------------- */

static bool contains(const char *text, const char *part)
{
    return text != NULL && strstr(text, part) != NULL;
}

mosaic_depth mosaic_depth_of(const char *term, const char *colorterm, const char *no_color,
                             const char *locale)
{
    const bool utf8 = contains(locale, "UTF-8") || contains(locale, "utf8") ||
                      contains(locale, "UTF8") || contains(locale, "utf-8");

    if (term == NULL || !utf8 || (no_color != NULL && no_color[0] != '\0')) {
        return MOSAIC_ASCII;
    }
    if (contains(colorterm, "truecolor") || contains(colorterm, "24bit") ||
        contains(term, "direct")) {
        return MOSAIC_TRUE;
    }
    return contains(term, "256color") ? MOSAIC_256 : MOSAIC_16;
}

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status mosaic_resize(struct mosaic *mosaic, uint32_t columns, uint32_t rows)
{
    free(mosaic->shown);
    mosaic->columns = columns;
    mosaic->rows = rows;
    mosaic->shown = calloc((size_t)columns * rows + 1, sizeof mosaic->shown[0]);
    return mosaic->shown != NULL ? TP_OK : TP_E_NOMEM;
}

void mosaic_fini(struct mosaic *mosaic)
{
    free(mosaic->shown);
    mosaic->shown = NULL;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

struct colour {
    int r, g, b;
};

/* A quarter of a cell: two pixels, one above the other. */
static struct colour quarter(const struct mosaic *mosaic, const unsigned char *pixels, uint32_t x,
                             uint32_t y)
{
    const unsigned char *upper = pixels + 3 * ((size_t)(2 * y) * 2 * mosaic->columns + x);
    const unsigned char *lower = upper + (size_t)6 * mosaic->columns;

    return (struct colour){(upper[0] + lower[0]) / 2, (upper[1] + lower[1]) / 2,
                           (upper[2] + lower[2]) / 2};
}

/* The mean of those quarters whose bits are set; there has to be one. */
static struct colour mean(const struct colour quarters[4], unsigned which)
{
    struct colour sum = {0, 0, 0};
    int count = 0;

    for (unsigned i = 0; i < 4; i++) {
        if ((which >> i & 1) != 0) {
            sum.r += quarters[i].r;
            sum.g += quarters[i].g;
            sum.b += quarters[i].b;
            count++;
        }
    }
    return (struct colour){sum.r / count, sum.g / count, sum.b / count};
}

static int distance(struct colour a, struct colour b)
{
    const int r = a.r - b.r;
    const int g = a.g - b.g;
    const int d = a.b - b.b;

    return 2 * r * r + 4 * g * g + d * d;
}

/* How far the quarters are from the two colours that a pattern would give them. */
static int error_of(const struct colour quarters[4], unsigned pattern)
{
    const struct colour front = mean(quarters, pattern);
    const struct colour back = mean(quarters, ~pattern & 15);
    int error = 0;

    for (unsigned i = 0; i < 4; i++) {
        error += distance(quarters[i], (pattern >> i & 1) != 0 ? front : back);
    }
    return error;
}

/* The pattern that comes nearest, the lower right quarter always behind; 0 if the cell is as good
 * as even. */
static unsigned best_pattern(const struct colour quarters[4])
{
    enum { EVEN = 300 };
    const struct colour all = mean(quarters, 15);
    unsigned best = 0;
    int least = 0;

    for (unsigned i = 0; i < 4; i++) {
        least += distance(quarters[i], all);
    }
    for (unsigned pattern = 1; pattern < 8 && least > EVEN; pattern++) {
        const int error = error_of(quarters, pattern);
        if (error < least) {
            least = error;
            best = pattern;
        }
    }
    return best;
}

/* ---- Palettes -------------------------------------------------------------------------------- */

static uint32_t of_256(struct colour c)
{
    static const int levels[] = {0, 95, 135, 175, 215, 255};
    const int parts[] = {c.r, c.g, c.b};
    uint32_t index = 16;
    struct colour cube = {0, 0, 0};
    int *const nearest[] = {&cube.r, &cube.g, &cube.b};

    for (int i = 0; i < 3; i++) {
        uint32_t level = 0;
        while (level < 5 && parts[i] > (levels[level] + levels[level + 1]) / 2) {
            level++;
        }
        index += level * (i == 0 ? 36 : i == 1 ? 6 : 1);
        *nearest[i] = levels[level];
    }
    const int grey = (c.r + c.g + c.b) / 3;
    const int step = grey < 8 ? 0 : grey > 238 ? 23 : (grey - 3) / 10;
    const struct colour shade = {8 + 10 * step, 8 + 10 * step, 8 + 10 * step};
    return distance(c, shade) < distance(c, cube) ? 232 + (uint32_t)step : index;
}

static uint32_t of_16(struct colour c)
{
    uint32_t best = 0;
    int least = INT32_MAX;

    for (uint32_t i = 0; i < 16; i++) {
        const int full = i < 8 ? 170 : 255;
        const int none = i < 8 ? 0 : 85;
        const struct colour known = {(i & 1) != 0 ? full : none, (i & 2) != 0 ? full : none,
                                     (i & 4) != 0 ? full : none};
        if (distance(c, known) < least) {
            least = distance(c, known);
            best = i;
        }
    }
    return best;
}

static uint32_t code_of(mosaic_depth depth, struct colour c)
{
    switch (depth) {
    case MOSAIC_16:
        return of_16(c);
    case MOSAIC_256:
        return of_256(c);
    default:
        return (uint32_t)c.r << 16 | (uint32_t)c.g << 8 | (uint32_t)c.b;
    }
}

/* A wall is thinner than a letter: the mean of a cell would lose it. */
static int brightest(const struct colour quarters[4])
{
    int most = 0;

    for (int i = 0; i < 4; i++) {
        const struct colour c = quarters[i];
        const int bright = (299 * c.r + 587 * c.g + 114 * c.b) / 1000;
        most = bright > most ? bright : most;
    }
    return most;
}

static struct mosaic_cell cell_of(const struct mosaic *mosaic, const struct colour quarters[4])
{
    static const char shades[] = " .:-=+*%#@";
    struct mosaic_cell cell = {.known = 1};

    if (mosaic->depth == MOSAIC_ASCII) {
        const int bright = brightest(quarters);
        cell.quarters = (uint8_t)shades[(bright > 24 ? bright - 24 : 0) * 10 / 232];
        return cell;
    }
    const unsigned pattern = best_pattern(quarters);
    cell.quarters = (uint8_t)pattern;
    cell.back = code_of(mosaic->depth, mean(quarters, pattern == 0 ? 15 : ~pattern & 15));
    cell.front = pattern == 0 ? cell.back : code_of(mosaic->depth, mean(quarters, pattern));
    if (cell.front == cell.back) {
        cell.quarters = 0;
    }
    return cell;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static void put_colour(tpi_buf *out, mosaic_depth depth, uint32_t colour, bool front)
{
    switch (depth) {
    case MOSAIC_16:
        tpi_buf_printf(out, "\033[%um", (front ? 30 : 40) + (colour < 8 ? colour : colour + 52));
        break;
    case MOSAIC_256:
        tpi_buf_printf(out, "\033[%d;5;%um", front ? 38 : 48, colour);
        break;
    default:
        tpi_buf_printf(out, "\033[%d;2;%u;%u;%um", front ? 38 : 48, colour >> 16, colour >> 8 & 255,
                       colour & 255);
    }
}

/* The colours that the terminal writes with; -1 if they may be any. */
struct ink {
    int64_t front, back;
};

static void put_cell(tpi_buf *out, mosaic_depth depth, const struct mosaic_cell *cell,
                     struct ink *ink)
{
    static const char *const blocks[] = {" ", "▘", "▝", "▀", "▖", "▌", "▞", "▛",
                                         "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█"};

    if (depth == MOSAIC_ASCII) {
        tpi_buf_putc(out, (char)cell->quarters);
        return;
    }
    if (ink->back != cell->back) {
        put_colour(out, depth, cell->back, false);
        ink->back = cell->back;
    }
    if (cell->quarters != 0 && ink->front != cell->front) {
        put_colour(out, depth, cell->front, true);
        ink->front = cell->front;
    }
    tpi_buf_puts(out, blocks[cell->quarters & 15]);
}

static bool is_same(const struct mosaic_cell *a, const struct mosaic_cell *b)
{
    return a->known == b->known && a->quarters == b->quarters && a->back == b->back &&
           (a->front == b->front || a->quarters == 0);
}

static struct mosaic_cell look_at(const struct mosaic *mosaic, const unsigned char *pixels,
                                  uint32_t x, uint32_t y)
{
    const struct colour quarters[4] = {
        quarter(mosaic, pixels, 2 * x, 2 * y), quarter(mosaic, pixels, 2 * x + 1, 2 * y),
        quarter(mosaic, pixels, 2 * x, 2 * y + 1), quarter(mosaic, pixels, 2 * x + 1, 2 * y + 1)};

    return cell_of(mosaic, quarters);
}

static void show_row(struct mosaic *mosaic, tpi_buf *out, const unsigned char *pixels, uint32_t row,
                     uint32_t line)
{
    struct ink ink = {-1, -1};
    bool there = false; /* the cursor stands before the cell */

    for (uint32_t x = 0; x < mosaic->columns; x++) {
        struct mosaic_cell *shown = &mosaic->shown[(size_t)row * mosaic->columns + x];
        if (shown->covered) {
            *shown = (struct mosaic_cell){0};
            there = false;
            continue;
        }
        const struct mosaic_cell cell = look_at(mosaic, pixels, x, row);
        if (is_same(&cell, shown)) {
            there = false;
            continue;
        }
        if (!there) {
            tpi_buf_printf(out, "\033[%u;%uH", line, x + 1);
        }
        put_cell(out, mosaic->depth, &cell, &ink);
        *shown = cell;
        there = true;
    }
}

void mosaic_show(struct mosaic *mosaic, tpi_buf *out, const unsigned char *pixels, uint32_t top)
{
    for (uint32_t row = 0; row < mosaic->rows; row++) {
        show_row(mosaic, out, pixels, row, top + row);
    }
    if (mosaic->depth != MOSAIC_ASCII) {
        tpi_buf_puts(out, "\033[0m");
    }
}

void mosaic_cover(struct mosaic *mosaic, uint32_t column, uint32_t row, uint32_t width)
{
    for (uint32_t x = column; row < mosaic->rows && x < mosaic->columns && x < column + width;
         x++) {
        mosaic->shown[(size_t)row * mosaic->columns + x].covered = 1;
    }
}

void mosaic_put_colour(tpi_buf *out, mosaic_depth depth, uint32_t colour)
{
    const struct colour c = {(int)(colour >> 16 & 255), (int)(colour >> 8 & 255),
                             (int)(colour & 255)};

    if (depth != MOSAIC_ASCII) {
        put_colour(out, depth, code_of(depth, c), true);
    }
}
