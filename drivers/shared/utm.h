/*
 * utm.h - places on Earth as easting and northing.
 */
#ifndef SHARED_UTM_H
#define SHARED_UTM_H

/* Where a place is on the UTM grid of its zone (WGS 84), in metres. */
void tpi_utm(double latitude, double longitude, double *east, double *north);

#endif
