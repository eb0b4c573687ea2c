/*
 * earth.h - places on Earth: the ellipsoid of WGS 84, and UTM.
 *
 * Angles here are degrees, as is usual for latitudes.
 */
#ifndef TROUPE_SIM_SENSE_EARTH_H
#define TROUPE_SIM_SENSE_EARTH_H

/* The place that is so far east and north of an origin. Right to a centimetre within some
 * kilometres, where a plane is still like the Earth. */
void tpi_sim_earth_place(double latitude, double longitude, double east, double north,
                         double *out_latitude, double *out_longitude);

/* Easting and northing in the zone and the hemisphere of an origin (its latitude and longitude), so
 * that what is near it never jumps; southern northings have 10,000 km added. Right to a millimetre.
 */
void tpi_sim_earth_utm(const double origin[2], double latitude, double longitude, double *east,
                       double *north);

#endif
