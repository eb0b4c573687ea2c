/*
 * poses.h - poses of a mechanism that are the same on every machine, and one number for all that a
 * chain gives in a pose. The bench writes the numbers of KDL to tests/data/kdl_vectors.txt with it;
 * a test compares ours. Also for C++.
 */
#ifndef TROUPE_TESTS_POSES_H
#define TROUPE_TESTS_POSES_H

#include <math.h>
#include <stdint.h>

#include "kinematics/mechanism.h"

static inline double pose_any(uint64_t *seed, double lower, double upper)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return lower + (upper - lower) * (double)(*seed >> 11) * 0x1p-53;
}

/* Values of all dofs within their limits; unlimited ones from -3 to 3. */
static inline void pose_values(const tpi_mechanism *m, double *values, uint64_t *seed)
{
    for (unsigned i = 0; i < m->dof_count; i++) {
        values[i] = pose_any(seed, fmax(m->dofs[i].lower, -3), fmin(m->dofs[i].upper, 3));
    }
    tpi_mechanism_follow(m, values);
}

/* The sum of all numbers of a pose and a Jacobian of 6 rows, each with a weight of its own. */
static inline double pose_digest(const tpi_spatial *tip, const double *jacobian, unsigned columns)
{
    unsigned count = 0;
    double sum = 0;

    for (unsigned i = 0; i < 9; i++) {
        sum += tip->r[i] * ((count++ * 37 % 64) + 1) / 64;
    }
    for (unsigned i = 0; i < 3; i++) {
        sum += tip->p[i] * ((count++ * 37 % 64) + 1) / 64;
    }
    for (unsigned i = 0; i < 6 * columns; i++) {
        sum += jacobian[i] * ((count++ * 37 % 64) + 1) / 64;
    }
    return sum;
}

#endif
