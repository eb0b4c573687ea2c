/*
 * scan_picture.h - a scan as a small picture for people: what is where around the sensor, and how
 * far.
 *
 * A scanning beam is seen from above, with ahead at the top: a dot for each echo. Single sensors
 * are bars. Readings without an echo (the longest range, infinite, not a number) are left out.
 */
#ifndef TROUPE_APPS_SCAN_PICTURE_H
#define TROUPE_APPS_SCAN_PICTURE_H

#include <stdint.h>

#include "base/buf.h"

struct scan {
    uint32_t count;
    double (*range)(const struct scan *scan, uint32_t i); /* m */
    double (*angle)(const struct scan *scan, uint32_t i); /* rad, counter-clockwise from ahead; not
                                                             a number if it is not known */
    const void *data;                                     /* of both; borrowed */
    const void *more;
    double longest; /* m; 0 if it is not known */
};

/* How much room there is, and whether there are letters beyond ASCII. */
struct scan_room {
    size_t columns, lines;
    bool fine;
};

/* Append the picture from above, and two lines with the nearest echo and those left, ahead and
 * right. With less than four lines for it there is no picture. */
void scan_put_view(tpi_buf *out, const struct scan *scan, const struct scan_room *room);

/* Append a line with a bar for each sensor; those that do not fit are counted. */
void scan_put_bars(tpi_buf *out, const struct scan *scan, const struct scan_room *room);

#endif
