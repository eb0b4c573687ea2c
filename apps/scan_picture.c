/* scan_picture.c - a scan as a small picture; see scan_picture.h. */
#include "scan_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUMMARY = 2, LEAST_LINES = 4, MOST_COLUMNS = 120, MOST_LINES = 48 };

static const double degree = 0.017453292519943295;

static bool is_echo(const struct scan *scan, double range)
{
    return isfinite(range) && range > 0 && (scan->longest <= 0 || range < scan->longest * 0.999);
}

/* ---- From above ------------------------------------------------------------------------------ */

/* Metres: ahead and left of the sensor, which is inside. */
struct bounds {
    double front, back, left, right;
};

/* Dots on letters: in ASCII a letter is one, otherwise it is two wide and four high. */
struct grid {
    uint8_t cells[MOST_LINES][MOST_COLUMNS];
    int columns, lines;
    int across, down; /* dots of a letter */
    double scale;     /* dots across for a metre */
    double slope;     /* dots down for a dot across */
    struct bounds bounds;
};

static void include(struct bounds *bounds, double ahead, double left)
{
    bounds->front = fmax(bounds->front, ahead);
    bounds->back = fmin(bounds->back, ahead);
    bounds->left = fmax(bounds->left, left);
    bounds->right = fmin(bounds->right, left);
}

static struct bounds bounds_of(const struct scan *scan)
{
    struct bounds bounds = {0};

    for (uint32_t i = 0; i < scan->count; i++) {
        const double range = scan->range(scan, i);
        const double angle = scan->angle(scan, i);
        if (is_echo(scan, range) && isfinite(angle)) {
            include(&bounds, range * cos(angle), range * sin(angle));
        }
    }
    return bounds;
}

static void lay_out(struct grid *grid, const struct scan *scan, const struct scan_room *room)
{
    grid->columns = (int)(room->columns < MOST_COLUMNS ? room->columns : MOST_COLUMNS);
    grid->lines = (int)(room->lines < MOST_LINES ? room->lines : MOST_LINES);
    grid->across = room->fine ? 2 : 1;
    grid->down = room->fine ? 4 : 1;
    grid->slope = room->fine ? 1 : 0.5; /* a letter is twice as high as wide */
    grid->bounds = bounds_of(scan);
    const struct bounds *b = &grid->bounds;
    const double wide = fmax(b->left - b->right, 0.01);
    const double high = fmax(b->front - b->back, 0.01);
    grid->scale = fmin((grid->columns * grid->across - 1) / wide,
                       (grid->lines * grid->down - 1) / (high * grid->slope));
    /* No more lines and columns than it needs. */
    grid->lines = (int)(high * grid->scale * grid->slope) / grid->down + 1;
    grid->columns = (int)(wide * grid->scale) / grid->across + 1;
}

/* The dot of a place. */
static void find_dot(const struct grid *grid, double ahead, double left, int *x, int *y)
{
    *x = (int)((grid->bounds.left - left) * grid->scale);
    *y = (int)((grid->bounds.front - ahead) * grid->scale * grid->slope);
}

static void set_dot(struct grid *grid, double ahead, double left)
{
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int x;
    int y;

    find_dot(grid, ahead, left, &x, &y);
    if (x >= 0 && y >= 0 && x / grid->across < grid->columns && y / grid->down < grid->lines) {
        uint8_t *cell = &grid->cells[y / grid->down][x / grid->across];
        *cell |= grid->down == 4 ? bits[y % 4][x % 2] : 1;
    }
}

/* A letter of braille has its dots as bits from U+2800 on. */
static void put_letter(tpi_buf *out, const struct grid *grid, uint8_t dots)
{
    if (dots == 0) {
        tpi_buf_putc(out, ' ');
    } else if (grid->down == 1) {
        tpi_buf_putc(out, '*');
    } else {
        const char bytes[] = {(char)0xe2, (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 63))};
        tpi_buf_put(out, bytes, sizeof bytes);
    }
}

static void put_grid(tpi_buf *out, const struct grid *grid)
{
    int x;
    int y;

    find_dot(grid, 0, 0, &x, &y);
    x /= grid->across;
    y /= grid->down;
    for (int line = 0; line < grid->lines; line++) {
        int last = grid->columns - 1;
        while (last >= 0 && grid->cells[line][last] == 0 && !(line == y && last == x)) {
            last--;
        }
        tpi_buf_puts(out, last < 0 ? "" : "  ");
        for (int column = 0; column <= last; column++) {
            if (line == y && column == x) {
                tpi_buf_puts(out, grid->down == 1 ? "^" : "▲");
            } else {
                put_letter(out, grid, grid->cells[line][column]);
            }
        }
        tpi_buf_putc(out, '\n');
    }
}

/* ---- In words -------------------------------------------------------------------------------- */

/* "32° left", "ahead". */
static const char *angle_text(char *text, size_t size, double angle, bool fine)
{
    const double degrees = round(angle / degree);
    const char *sign = fine ? "°" : " deg";

    if (!isfinite(angle)) {
        snprintf(text, size, "?");
    } else if (degrees == 0) {
        snprintf(text, size, "ahead");
    } else {
        snprintf(text, size, "%.0f%s %s", fabs(degrees), sign, degrees > 0 ? "left" : "right");
    }
    return text;
}

static const char *range_text(char *text, size_t size, const struct scan *scan, double range)
{
    if (is_echo(scan, range)) {
        snprintf(text, size, "%.2f m", range);
    } else {
        snprintf(text, size, "no echo");
    }
    return text;
}

/* The range of the beam that is nearest to an angle; false if the scan does not look there. */
static bool range_at(const struct scan *scan, double angle, double *range)
{
    double best = 3 * degree;
    bool found = false;

    for (uint32_t i = 0; i < scan->count; i++) {
        const double off = fabs(remainder(scan->angle(scan, i) - angle, 360 * degree));
        if (off < best) {
            best = off;
            *range = scan->range(scan, i);
            found = true;
        }
    }
    return found;
}

static void put_side(tpi_buf *out, const struct scan *scan, const char *name, double angle)
{
    char text[32];
    double range;

    if (range_at(scan, angle, &range)) {
        tpi_buf_printf(out, "   %s %s", name, range_text(text, sizeof text, scan, range));
    }
}

/* The number of the nearest echo; `count` if there is none. */
static uint32_t nearest_of(const struct scan *scan)
{
    uint32_t nearest = scan->count;

    for (uint32_t i = 0; i < scan->count; i++) {
        const double range = scan->range(scan, i);
        if (is_echo(scan, range) &&
            (nearest == scan->count || range < scan->range(scan, nearest))) {
            nearest = i;
        }
    }
    return nearest;
}

static void put_nearest(tpi_buf *out, const struct scan *scan, bool fine)
{
    const uint32_t i = nearest_of(scan);
    char text[32];

    if (i == scan->count) {
        tpi_buf_puts(out, "  no echo");
        return;
    }
    tpi_buf_printf(out, "  nearest %.2f m", scan->range(scan, i));
    if (isfinite(scan->angle(scan, i))) {
        tpi_buf_printf(out, " %s", angle_text(text, sizeof text, scan->angle(scan, i), fine));
    }
}

static void put_summary(tpi_buf *out, const struct scan *scan, bool beam, bool fine)
{
    char from[32];
    char to[32];

    put_nearest(out, scan, fine);
    put_side(out, scan, "left", 90 * degree);
    put_side(out, scan, "ahead", 0);
    put_side(out, scan, "right", -90 * degree);
    tpi_buf_printf(out, "\n  %u ranges", scan->count);
    if (beam && scan->count > 0 && isfinite(scan->angle(scan, 0))) {
        tpi_buf_printf(out, " from %s to %s",
                       angle_text(from, sizeof from, scan->angle(scan, 0), fine),
                       angle_text(to, sizeof to, scan->angle(scan, scan->count - 1), fine));
    }
    if (scan->longest > 0) {
        tpi_buf_printf(out, ", up to %.4g m", scan->longest);
    }
    tpi_buf_puts(out, "; --human prints numbers\n");
}

void scan_put_view(tpi_buf *out, const struct scan *scan, const struct scan_room *room)
{
    struct grid grid = {.columns = 0};
    const struct scan_room inside = {room->columns > 4 ? room->columns - 4 : 0,
                                     room->lines > SUMMARY ? room->lines - SUMMARY : 0, room->fine};

    if (inside.lines >= LEAST_LINES && inside.columns > LEAST_LINES &&
        nearest_of(scan) < scan->count) {
        lay_out(&grid, scan, &inside);
        for (uint32_t i = 0; i < scan->count; i++) {
            const double range = scan->range(scan, i);
            const double angle = scan->angle(scan, i);
            if (is_echo(scan, range) && isfinite(angle)) {
                set_dot(&grid, range * cos(angle), range * sin(angle));
            }
        }
        put_grid(out, &grid);
    }
    put_summary(out, scan, true, room->fine);
}

/* ---- Bars ------------------------------------------------------------------------------------ */

/* As long as the longest range, or the longest echo if that is not known. */
static double full_of(const struct scan *scan)
{
    double full = scan->longest;

    for (uint32_t i = 0; scan->longest <= 0 && i < scan->count; i++) {
        const double range = scan->range(scan, i);
        full = is_echo(scan, range) ? fmax(full, range) : full;
    }
    return full > 0 ? full : 1;
}

static void put_bar(tpi_buf *out, const struct scan *scan, uint32_t i, double full,
                    const struct scan_room *room)
{
    enum { BEFORE = 30 };
    const double range = scan->range(scan, i);
    const double part = is_echo(scan, range) ? fmin(range / full, 1) : 1;
    const size_t most = room->columns > BEFORE + 4 ? room->columns - BEFORE - 4 : 0;
    char angle[32];
    char text[32];

    angle_text(angle, sizeof angle, scan->angle(scan, i), room->fine);
    tpi_buf_printf(out, "  %3u  %s", i, angle);
    for (size_t width = strlen(angle) - (room->fine && strstr(angle, "°") != NULL); width < 13;
         width++) {
        tpi_buf_putc(out, ' ');
    }
    tpi_buf_printf(out, "%8s  ", range_text(text, sizeof text, scan, range));
    for (size_t k = 0; is_echo(scan, range) && k < (size_t)(part * (double)most + 0.5); k++) {
        tpi_buf_puts(out, room->fine ? "■" : "#");
    }
    tpi_buf_putc(out, '\n');
}

void scan_put_bars(tpi_buf *out, const struct scan *scan, const struct scan_room *room)
{
    const double full = full_of(scan);
    const bool all = scan->count + SUMMARY <= room->lines;
    const size_t shown = all                         ? scan->count
                         : room->lines > SUMMARY + 1 ? room->lines - SUMMARY - 1
                                                     : 0;

    for (uint32_t i = 0; i < shown; i++) {
        put_bar(out, scan, i, full, room);
    }
    if (!all) {
        tpi_buf_printf(out, "  ... and %zu more\n", scan->count - shown);
    }
    put_summary(out, scan, false, room->fine);
}
