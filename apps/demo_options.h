/* demo_options.h - the command line of troupe demo. */
#ifndef TROUPE_APPS_DEMO_OPTIONS_H
#define TROUPE_APPS_DEMO_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct demo_options {
    const char *world; /* borrowed, as it was asked for; NULL for the house */
    const char *file;  /* borrowed: of the last picture */
    double seconds;    /* of simulated time; 0 for no end */
    double speed;      /* of time */
    uint64_t seed;
    uint32_t threads;
    bool headless; /* nothing is drawn but the last picture */
    bool terminal; /* it is drawn on the terminal, even if there is a page */
};

/* Read the arguments behind the name of the command into options that have their defaults. Returns
 * an exit code; unless it is EXIT_DONE, it was said why. */
int demo_options_read(struct demo_options *o, int argc, char **argv);

#endif
