/* earth.c - places on Earth; see earth.h. */
#include "sim/sense/earth.h"

#include <math.h>

#include "sim/maths.h"

static const double equator = 6378137.0;            /* metres: the greater half axis */
static const double flattening = 1 / 298.257223563; /* how much shorter the other one is */
static const double degree = SIM_PI / 180;
static const double farthest = 89; /* degrees: beyond, a plane has nothing of the Earth */

void tpi_sim_earth_place(double latitude, double longitude, double east, double north,
                         double *out_latitude, double *out_longitude)
{
    const double ee = flattening * (2 - flattening);
    const double s = sin(latitude * degree);
    const double w = sqrt(1 - ee * s * s);
    const double across = equator / w;                     /* radius of curvature to the east */
    const double along = equator * (1 - ee) / (w * w * w); /* and to the north */
    const double found = longitude + east / (across * cos(latitude * degree)) / degree;

    *out_latitude = fmin(fmax(latitude + north / along / degree, -farthest), farthest);
    *out_longitude = fabs(found) <= 180 ? found : found - 360 * floor((found + 180) / 360);
}

/* The middle of the zone, in degrees. */
static double zone_middle(double longitude)
{
    const double zone = floor((longitude + 180) / 6);

    return (zone < 60 ? zone : 59) * 6 - 177;
}

/* Krueger's series, to the third power of n. */
void tpi_sim_earth_utm(const double origin[2], double latitude, double longitude, double *east,
                       double *north)
{
    const double n = flattening / (2 - flattening);
    const double radius = equator / (1 + n) * (1 + n * n / 4 + n * n * n * n / 64);
    const double a[] = {n / 2 - 2 * n * n / 3 + 5 * n * n * n / 16,
                        13 * n * n / 48 - 3 * n * n * n / 5, 61 * n * n * n / 240};
    const double s = sin(latitude * degree);
    const double k = 2 * sqrt(n) / (1 + n);
    const double t = sinh(atanh(s) - k * atanh(k * s));
    const double l = remainder(longitude - zone_middle(origin[1]), 360) * degree;
    const double xi = atan2(t, cos(l));
    const double eta = atanh(sin(l) / sqrt(1 + t * t));
    double e = eta;
    double m = xi;

    for (int i = 0; i < 3; i++) {
        e += a[i] * cos(2 * (i + 1) * xi) * sinh(2 * (i + 1) * eta);
        m += a[i] * sin(2 * (i + 1) * xi) * cosh(2 * (i + 1) * eta);
    }
    *east = 500000 + 0.9996 * radius * e;
    *north = 0.9996 * radius * m + (origin[0] < 0 ? 10000000 : 0);
}
