/* picture.h - the paths of all modes, as in figure 11 of the paper. */
#ifndef TROUPE_BENCH_CONGESTION_PICTURE_H
#define TROUPE_BENCH_CONGESTION_PICTURE_H

#include "client.h"
#include "route.h"

/* Ends the program, with the reason, if the name ends neither in .svg nor in .png. */
void picture_check(const char *file);

/* Six panels: the path without congestion, and one for each mode beside it. */
void picture_write(const char *file, const struct path *truth,
                   const struct path *const paths[PLAY_MODES], unsigned polls);

#endif
