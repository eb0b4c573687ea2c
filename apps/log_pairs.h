/*
 * log_pairs.h - a sample over another one that was taken at the same time.
 *
 * Samples of an experiment come in bursts, one channel after the other. A value waits until the x
 * of its time is known: the last one that is not later. Values of one curve come in the order of
 * their times.
 */
#ifndef TROUPE_APPS_LOG_PAIRS_H
#define TROUPE_APPS_LOG_PAIRS_H

#include <stdbool.h>

#include "log/curve.h"

enum { LOG_PAIRS_CURVES = 96 };

typedef struct log_pairs log_pairs;

/* NULL if memory ran out. */
log_pairs *log_pairs_create(void);

void log_pairs_destroy(log_pairs *pairs); /* NULL is accepted */

/* A number of the x axis. A time that goes back begins another run: what waits is drawn before. */
void log_pairs_x(log_pairs *pairs, double time_s, double x);

/* A number of a curve, which is borrowed. False if memory ran out. */
bool log_pairs_y(log_pairs *pairs, tpi_log_curve *curve, double time_s, double y);

/* No more x will come: draw what waits. */
void log_pairs_end(log_pairs *pairs);

#endif
