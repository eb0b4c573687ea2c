/* utm.c - see utm.h. */
#include "utm.h"

#include <math.h>

void tpi_utm(double latitude, double longitude, double *east, double *north)
{
    const double a = 6378137;
    const double e2 = 0.00669437999014;
    const double scale = 0.9996;
    const double pi = 3.14159265358979323846;
    const double phi = latitude * pi / 180;
    const double zone = fmin(floor((longitude + 180) / 6), 59);
    const double centre = zone * 6 - 177;
    const double second = e2 / (1 - e2);
    const double s = sin(phi);
    const double c = cos(phi);
    const double n = a / sqrt(1 - e2 * s * s);
    const double t = s / c * (s / c);
    const double k = second * c * c;
    const double w = c * (longitude - centre) * pi / 180;
    const double arc =
        a * ((1 - e2 / 4 - 3 * e2 * e2 / 64 - 5 * e2 * e2 * e2 / 256) * phi -
             (3 * e2 / 8 + 3 * e2 * e2 / 32 + 45 * e2 * e2 * e2 / 1024) * sin(2 * phi) +
             (15 * e2 * e2 / 256 + 45 * e2 * e2 * e2 / 1024) * sin(4 * phi) -
             35 * e2 * e2 * e2 / 3072 * sin(6 * phi));

    if (!(fabs(latitude) <= 84)) { /* beyond the grid */
        *east = *north = 0;
        return;
    }
    *east = 500000 + scale * n *
                         (w + (1 - t + k) * pow(w, 3) / 6 +
                          (5 - 18 * t + t * t + 72 * k - 58 * second) * pow(w, 5) / 120);
    *north = scale * (arc + n * (s / c) *
                                (w * w / 2 + (5 - t + 9 * k + 4 * k * k) * pow(w, 4) / 24 +
                                 (61 - 58 * t + t * t + 600 * k - 330 * second) * pow(w, 6) / 720));
    *north += latitude < 0 ? 10000000 : 0;
}
