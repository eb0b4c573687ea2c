/*
 * estimate.h - when a playback can start so that its frames arrive in time.
 *
 * The server sees frames of a sequence arrive and knows how many there will be and how long the
 * sequence is. It starts as early as it can without having to wait for a frame later.
 *
 * Upper bound (ours). Of the first frames, m spacings of arrival are known: mean u, deviation s,
 * last arrival a. The n frames still to come take the sum of n spacings, whose error has two parts:
 * the mean is known to s/sqrt(m), which counts n times, and the sum itself scatters by s*sqrt(n).
 * The two are independent, so with z = 2 the last frame arrives before a + n*u + z*s*sqrt(n*n/m +
 * n) and the playback, whose last frame is due T after its start, can start T before that.
 *
 * The paper's: the ratio of the mean spacing of commands to the mean spacing of arrivals gives the
 * delay T*(1/ratio - 1) after the first arrival. It is too short in half of all runs on a slow
 * link.
 */
#ifndef TROUPE_MOTION_ESTIMATE_H
#define TROUPE_MOTION_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

enum { TPI_MOTION_ESTIMATE_LEAST = 5 }; /* spacings that must be known */

typedef enum tpi_motion_estimator {
    TPI_MOTION_UPPER_BOUND = 0,
    TPI_MOTION_OF_THE_PAPER = 1,
} tpi_motion_estimator;

/* What is known of the arrivals of a sequence. Zero is "nothing". */
typedef struct tpi_motion_estimate {
    uint32_t arrivals;
    int64_t first_ns, last_ns;         /* arrivals */
    int64_t first_tau_ns, last_tau_ns; /* the least and the greatest time of a frame */
    double mean_ns, squares;           /* of the spacings of arrivals (Welford) */
} tpi_motion_estimate;

/* A frame with this time in its sequence has arrived. */
void tpi_motion_estimate_add(tpi_motion_estimate *estimate, int64_t arrival_ns, int64_t tau_ns);

/* When the sequence of `frames` frames and `duration_ns` can start. Returns false while too little
 * is known. The result may lie in the past. */
bool tpi_motion_estimate_start(const tpi_motion_estimate *estimate, tpi_motion_estimator estimator,
                               uint32_t frames, int64_t duration_ns, int64_t *start_ns);

#endif
