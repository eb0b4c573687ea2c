/*
 * spatial.h - vectors, rotations and poses in space, as plain numbers.
 *
 * A rotation is a matrix, row by row. A pose maps points of a frame into its parent: r * x + p.
 */
#ifndef TROUPE_KINEMATICS_SPATIAL_H
#define TROUPE_KINEMATICS_SPATIAL_H

#include <math.h>
#include <string.h>

#define TPI_PI 3.14159265358979323846

typedef struct tpi_spatial {
    double r[9];
    double p[3];
} tpi_spatial;

static inline tpi_spatial tpi_spatial_identity(void)
{
    const tpi_spatial out = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

    return out;
}

static inline double tpi_dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void tpi_cross3(double *out, const double *a, const double *b)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out = r * v; out may not be v. */
static inline void tpi_rotate3(double *out, const double *r, const double *v)
{
    out[0] = r[0] * v[0] + r[1] * v[1] + r[2] * v[2];
    out[1] = r[3] * v[0] + r[4] * v[1] + r[5] * v[2];
    out[2] = r[6] * v[0] + r[7] * v[1] + r[8] * v[2];
}

/* out = transposed r * v; out may not be v. */
static inline void tpi_rotate_back3(double *out, const double *r, const double *v)
{
    out[0] = r[0] * v[0] + r[3] * v[1] + r[6] * v[2];
    out[1] = r[1] * v[0] + r[4] * v[1] + r[7] * v[2];
    out[2] = r[2] * v[0] + r[5] * v[1] + r[8] * v[2];
}

/* out = a * b, rotations; out may be neither. */
static inline void tpi_rotation_product(double *out, const double *a, const double *b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

/* The pose of b, which is given in a, in the frame of a. */
static inline tpi_spatial tpi_spatial_product(const tpi_spatial *a, const tpi_spatial *b)
{
    tpi_spatial out;

    tpi_rotation_product(out.r, a->r, b->r);
    tpi_rotate3(out.p, a->r, b->p);
    for (int i = 0; i < 3; i++) {
        out.p[i] += a->p[i];
    }
    return out;
}

static inline tpi_spatial tpi_spatial_inverse(const tpi_spatial *a)
{
    tpi_spatial out;

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out.r[3 * i + j] = a->r[3 * j + i];
        }
    }
    tpi_rotate3(out.p, out.r, a->p);
    for (int i = 0; i < 3; i++) {
        out.p[i] = -out.p[i];
    }
    return out;
}

/* The rotation about a unit vector. */
void tpi_rotation_about(double out[9], const double axis[3], double angle_rad);

/* The rotation of roll, pitch, yaw about fixed x, y, z. */
void tpi_rotation_of_rpy(double out[9], double roll, double pitch, double yaw);

/* Roll, pitch, yaw of a rotation. With a pitch of a quarter turn, roll is 0. */
void tpi_rpy_of_rotation(double out[3], const double r[9]);

/* The rotation vector (axis times angle, at most half a turn) of a rotation. */
void tpi_rotation_log(double out[3], const double r[9]);

#endif
