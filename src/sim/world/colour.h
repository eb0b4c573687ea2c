/* colour.h - colours by name, as world files have them: those of X11. */
#ifndef TROUPE_SIM_WORLD_COLOUR_H
#define TROUPE_SIM_WORLD_COLOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The colour that a name stands for, as 0xRRGGBBFF. Blanks and capitals do not matter. */
bool tpi_sim_colour_find(const char *name, uint32_t *colour);

/* The known name that is nearest to one that is none; NULL if none is near. */
const char *tpi_sim_colour_guess(const char *name);

/* Of parts from 0 to 1; what is beyond is cut. */
uint32_t tpi_sim_colour_of(double red, double green, double blue, double alpha);

/* The table: a name, its colour, and if there are any its variants 1 to 4. */
struct sim_colour {
    const char *name;
    uint32_t rgb[5];
};

extern const struct sim_colour tpi_sim_colours[];
extern const size_t tpi_sim_colour_count;

#endif
