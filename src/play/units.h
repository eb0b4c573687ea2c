/* units.h - the units of programs, and what they measure. */
#ifndef TROUPE_PLAY_UNITS_H
#define TROUPE_PLAY_UNITS_H

#include <stdbool.h>

/* What a value measures. A value without a unit is plain and fits everything. */
typedef enum tpi_play_dimension {
    TPI_PLAY_PLAIN,
    TPI_PLAY_PERCENT,
    TPI_PLAY_TIME,         /* s */
    TPI_PLAY_DISTANCE,     /* mm */
    TPI_PLAY_ANGLE,        /* deg */
    TPI_PLAY_TURN_RATE,    /* deg/s */
    TPI_PLAY_TEMPERATURE,  /* °C */
    TPI_PLAY_SOUND,        /* dB */
    TPI_PLAY_VOLTAGE,      /* mV */
    TPI_PLAY_CURRENT,      /* mA */
    TPI_PLAY_ACCELERATION, /* mg */
    TPI_PLAY_FREQUENCY,    /* Hz */
    TPI_PLAY_DIMENSIONS
} tpi_play_dimension;

typedef struct tpi_play_unit {
    const char *name;
    tpi_play_dimension dimension;
    double factor; /* to the unit in which programs count */
} tpi_play_unit;

/* A unit by its name; NULL for none. */
const tpi_play_unit *tpi_play_unit_named(const char *name);

/* The units, one after the other; NULL at the end. */
const tpi_play_unit *tpi_play_unit_at(unsigned index);

/* Whether a word is a unit, or how one is called elsewhere. */
bool tpi_play_unit_known(const char *word);

/* The unit that a word means which is none: "sec" is "s"; NULL for none. */
const char *tpi_play_unit_meant(const char *word);

/* "a distance"; its unit, "mm". */
const char *tpi_play_dimension_text(tpi_play_dimension dimension);
const char *tpi_play_dimension_unit(tpi_play_dimension dimension);

#endif
