/*
 * demo_screen.h - what the demo shows on a terminal: a line above, the world, and below it the
 * names of the robots and what to type next, as far as there is room.
 */
#ifndef TROUPE_APPS_DEMO_SCREEN_H
#define TROUPE_APPS_DEMO_SCREEN_H

#include "demo_frame.h"
#include "mosaic.h"
#include "troupe/interfaces/player.h"

struct demo_screen {
    struct mosaic mosaic;
    size_t columns, lines; /* of the terminal */
    const char *world;     /* borrowed; its name */
    const char *hints;     /* borrowed; commands to type, divided by line ends */
    uint32_t chosen;       /* number in the crew of the robot that keys drive */
    bool is_new;           /* it has another size than what was shown last */
    tpi_buf waiting;       /* what the terminal has not taken yet */
    size_t taken;          /* how much of it it has */
    bool panic;            /* the title shows it instead of the world */
    char panic_who[160];
    char panic_why[128];
    tpi_buf scaled; /* a picture in another size than it was drawn */
};

/* All zero but for the pointers at first. Find out about the terminal. */
void demo_screen_init(struct demo_screen *screen);
void demo_screen_fini(struct demo_screen *screen);

/* Take the terminal's size as it is now; how large a picture fits: false if none does. */
bool demo_screen_measure(struct demo_screen *screen, uint32_t *width, uint32_t *height);

/* Whether it has got another size since a picture was shown. */
bool demo_screen_is_new(const struct demo_screen *screen);

/* The server has a panic, or none any more: the title shows it. */
void demo_screen_set_panic(struct demo_screen *screen, const tp_panic_state *panic);

/* Show a picture; one of another size is stretched. Does nothing while the terminal has not taken
 * all of the last one: nobody else waits for a terminal that is slow or stopped. TP_E_CLOSED if it
 * is gone. */
tp_status demo_screen_show(struct demo_screen *screen, const struct demo_picture *picture);

#endif
