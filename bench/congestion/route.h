/*
 * route.h - the motion of section VI-B: four small half circles and a large one back to the start,
 * as a speed every 0.1 s for 60 s; and what became of it.
 */
#ifndef TROUPE_BENCH_CONGESTION_ROUTE_H
#define TROUPE_BENCH_CONGESTION_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "house.h"

enum { ROUTE_FRAMES = 601 }; /* the last one stops */

#define ROUTE_STEP_NS INT64_C(100000000)
#define ROUTE_LENGTH_M 18.0

/* The speed of a frame: m/s and rad/s. */
void route_speed(int frame, double *v_mps, double *omega_radps);

/* ---- Paths ---- */

/* A path as points of equal distance along it. */
struct path {
    double *x, *y; /* owned */
    size_t count;
};

void path_of(struct path *out, const struct places *way);
void path_free(struct path *path);
double path_length(const struct path *path);

/* Between its first and its last point. */
double path_gap(const struct path *path);

/* Discrete Frechet distance. */
double path_distance(const struct path *a, const struct path *b);

/* For how many seconds of the motion the path is the other one, but for so many metres. */
double path_right_s(const struct path *path, const struct path *reference, double most_m);

/* ---- Writes at ports ---- */

/* Whether b is a, shifted by a constant, to the bit. */
bool writes_equal(const struct port_writes *a, const struct port_writes *b);

/* The largest change of a speed within any window of 0.2 s, as a ratio to what the acceleration
 * limits of the base allow; a speed holds for a period of 20 ms. */
double writes_acceleration(const struct port_writes *writes);

/* The shortest time in which frames with these arrivals can be played, and `run_ns` the time that
 * the whole takes without a wait: max(a[i + 1] - t[i]) + run_ns. */
int64_t route_best(const int64_t *arrivals, size_t count, int64_t run_ns);

#endif
