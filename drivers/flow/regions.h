/*
 * regions.h - a picture in black and white as regions that lie in each other, and patterns of them.
 *
 * A region is a connected set of pixels of one colour; black ones are connected over corners too.
 * A region that another one surrounds is inside it. A pattern, "(black (white) (white (black)))",
 * is found where a region and everything in it has that form, in whatever order.
 */
#ifndef FLOW_REGIONS_H
#define FLOW_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REGIONS_MOST = 4096,           /* of a picture; more are noise, and left out */
    REGIONS_MOST_PIXELS = 1 << 24, /* of a picture */
    REGIONS_FORM = 64              /* letters of a form with its end */
};

struct region {
    uint32_t parent; /* its number; that of itself if nothing is around it */
    bool white;
    uint32_t area, left, right, top, bottom;
    char form[REGIONS_FORM]; /* "(b(w)(w(b)))"; "" if it is larger than a pattern can be */
};

struct regions {
    struct region *all; /* owned */
    size_t count;
    uint32_t *labels; /* owned: of pixels */
    size_t room;      /* pixels that `labels` has room for */
};

/* Find the regions of a picture of this size, of which each pixel is white (not 0) or black. Those
 * that are smaller than `least` are left out with all that is in them. False without memory. */
bool tpi_regions_find(struct regions *r, const uint8_t *white, uint32_t width, uint32_t height,
                      uint32_t least);

void tpi_regions_fini(struct regions *r);

/* The form of a pattern that is written as above; false if it is none or too large. */
bool tpi_regions_form(const char *text, char form[REGIONS_FORM]);

#endif
