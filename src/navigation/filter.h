/*
 * filter.h - where a robot is on a map: an adaptive particle filter.
 *
 * After D. Fox, KLD-Sampling: Adaptive Particle Filters (2001): as many particles as the spread of
 * the belief needs. If the readings fit the map worse than they did, new particles are put where
 * the readings fit anywhere on the map (S. Thrun et al., Probabilistic Robotics, augmented Monte
 * Carlo localization), so that a robot that was carried away is found again. The same is done at
 * the beginning if nothing is known.
 *
 *     init -> (start_at | start_anywhere) -> (move -> sense)* -> fini
 */
#ifndef TROUPE_NAVIGATION_FILTER_H
#define TROUPE_NAVIGATION_FILTER_H

#include "navigation/field.h"

enum { TPI_NAV_MOST_GUESSES = 8 };

typedef struct tpi_nav_particle {
    tpi_nav_pose pose;
    double weight;
} tpi_nav_particle;

/* One guess: the mean of a group of particles, with its covariance xx, yy, aa, xy, ya, xa. */
typedef struct tpi_nav_guess {
    tpi_nav_pose mean;
    double cov[6];
    double weight;
} tpi_nav_guess;

typedef struct tpi_nav_filter_settings {
    size_t least, most;     /* particles */
    double error, quantile; /* of KLD sampling */
    double drift[3][3]; /* deviation of x, y and angle for each metre or radian in x, y and angle */
    uint64_t seed;
} tpi_nav_filter_settings;

typedef struct tpi_nav_filter {
    tpi_nav_filter_settings settings;
    const tpi_nav_field *field;  /* borrowed */
    tpi_nav_particle *particles; /* owned */
    tpi_nav_particle *next;      /* owned: room for new ones */
    size_t count;
    uint32_t *open_cells; /* owned: the free cells of the map */
    size_t open_count;
    struct filter_bins *bins; /* owned */
    uint64_t random;
    bool anywhere;     /* nothing is known: the next readings decide */
    double slow, fast; /* how well readings fit, in the long and short term; 0 for never */
    tpi_nav_guess guesses[TPI_NAV_MOST_GUESSES]; /* the best first */
    size_t guess_count;
} tpi_nav_filter;

/* `field` and its map stay as long as the filter. TP_E_INVALID if the map has no free cell. */
tp_status tpi_nav_filter_init(tpi_nav_filter *filter, const tpi_nav_field *field,
                              const tpi_nav_filter_settings *settings, tp_error *err);
void tpi_nav_filter_fini(tpi_nav_filter *filter);

/* The robot is about there; deviations of x, y and angle. */
void tpi_nav_filter_start_at(tpi_nav_filter *filter, const tpi_nav_pose *mean,
                             const double deviation[3]);

/* The robot can be anywhere. */
void tpi_nav_filter_start_anywhere(tpi_nav_filter *filter);

/* The robot has moved by this, in its own frame. */
void tpi_nav_filter_move(tpi_nav_filter *filter, const tpi_nav_pose *by);

/* Take readings; the guesses are new afterwards. */
void tpi_nav_filter_sense(tpi_nav_filter *filter, const tpi_nav_beam *beams, size_t count);

#endif
