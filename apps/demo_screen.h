/*
 * demo_screen.h - what the demo shows on a terminal: a line above, the world, and below it who is
 * who and what to type next.
 */
#ifndef TROUPE_APPS_DEMO_SCREEN_H
#define TROUPE_APPS_DEMO_SCREEN_H

#include "demo_frame.h"
#include "mosaic.h"

struct demo_screen {
    struct mosaic mosaic;
    size_t columns, lines; /* of the terminal */
    const char *world;     /* borrowed; its name */
    const char *hints;     /* borrowed; commands to type, divided by line ends */
};

/* All zero but for the pointers at first. Find out about the terminal. */
void demo_screen_init(struct demo_screen *screen);
void demo_screen_fini(struct demo_screen *screen);

/* Take the terminal's size as it is now; how large a picture fits: false if none does. */
bool demo_screen_measure(struct demo_screen *screen, uint32_t *width, uint32_t *height);

/* Show a picture, unless the terminal has changed since it was ordered. Fails as output_write(). */
tp_status demo_screen_show(struct demo_screen *screen, const struct demo_picture *picture);

#endif
