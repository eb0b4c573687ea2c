/*
 * worlds.h - scaling worlds: a cave, and as many robots as wanted in its free space.
 *
 * The same families as those that Stage was measured with: 8 m^2 of free floor for each
 * Pioneer-sized robot, 0.5 m^2 for each small one, at least 16 m or 4 m of side; positions are even
 * and random, never overlapping. The cave is drawn here: a bitmap whose walls take up 24 % of the
 * floor.
 */
#ifndef TROUPE_BENCH_SIM_WORLDS_H
#define TROUPE_BENCH_SIM_WORLDS_H

#include <stdint.h>

#include "base/buf.h"

struct bench_world {
    const char *sensor; /* sonar16, laser180, laser361, ir12; light1, sound1 or wifi1: a
                           source and a sensor on each, which drives in circles */
    uint32_t robots;
    uint32_t rays; /* of one robot; a result */
    double side;   /* metres; a result */
};

/* Write the text of the world, which names the bitmap `picture`. */
void worlds_write(struct bench_world *world, const char *picture, tpi_buf *out);

/* Draw the cave: a PGM picture. */
void worlds_draw_cave(tpi_buf *out);

#endif
