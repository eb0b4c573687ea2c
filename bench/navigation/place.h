/* place.h - maps, scans and journeys for bench navigation, the same for Troupe and for Player. */
#ifndef TROUPE_BENCH_NAVIGATION_PLACE_H
#define TROUPE_BENCH_NAVIGATION_PLACE_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PLACE_LARGE = 4000, /* cells along each side of the map that is planned on */
    PLACE_SMALL = 400,  /* of the one that a robot finds itself on */
    PLACE_JOURNEYS = 4,
    PLACE_BEAMS = 31,
    PLACE_SCAN = 181,
    PLACE_PARTICLES = 2000,
    PLACE_WALK = 100
};

#define PLACE_SCALE 0.05 /* m: side of a cell */

/* Rooms of 5 m with doors of 1 m in each of their walls: 1 for occupied, -1 for free. The lower
 * left corner is at 0 0. */
void place_make(signed char *cells, int side);

/* Start and goal of a journey through the large map, in metres: x y x y. */
void place_journey(int number, double out[4]);

/* One of PLACE_WALK poses along a walk through the small map: x, y, angle. */
void place_walk(int number, double out[3]);

/* A scan from a place: ranges of `count` beams evenly from -90 to 90 degrees, at most `longest`. */
void place_scan(const signed char *cells, int side, const double pose[3], int count, double longest,
                double *ranges);

#ifdef __cplusplus
}
#endif

#endif
