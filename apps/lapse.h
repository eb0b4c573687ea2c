/*
 * lapse.h - whether a program was frozen.
 *
 * A program that repeats a command does so for somebody who watches it. If it was stopped (SIGSTOP,
 * a suspended machine) for longer than the lease, the robot stands, and nobody has asked for the
 * command since. So it is not repeated when the program goes on.
 */
#ifndef TROUPE_APPS_LAPSE_H
#define TROUPE_APPS_LAPSE_H

#include <stdint.h>

/* All zero at first. */
struct lapse {
    int64_t last_ns; /* the last look */
};

/* Call it each time before the command is repeated, which is due every `period_ns`. Returns for how
 * long the program did not look, in seconds, if that is a lease longer than the period; otherwise
 * 0. */
double lapse_look_s(struct lapse *lapse, int64_t now_ns, int64_t period_ns, int64_t lease_ns);

#endif
