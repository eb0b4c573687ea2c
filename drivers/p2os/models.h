/* models.h - makes of robots that speak P2OS: what their numbers mean, and where sensors sit. */
#ifndef P2OS_MODELS_H
#define P2OS_MODELS_H

#include <stddef.h>

enum { P2OS_MOST_SONARS = 16 };

/* Where a sonar sits: millimetres, and degrees counter-clockwise. */
struct p2os_place {
    short x, y, degrees;
};

struct p2os_model {
    const char *name;  /* as the robot says it, and as the configuration may */
    double distance_m; /* of one unit of x and y */
    double speed_mps;  /* of one unit of a wheel's velocity */
    double turn_radpm; /* radians per second for each metre per second between the wheels */
    double range_m;    /* of one unit of a sonar's range */
    double length, width;
    size_t sonar_count;
    struct p2os_place sonars[P2OS_MOST_SONARS];
};

/* The model with the beginning of this name, in any case of letters; NULL if there is none. */
const struct p2os_model *tpi_p2os_model_named(const char *name);

/* What is taken for robots that are not listed. */
extern const struct p2os_model *const tpi_p2os_usual_model;

/* Their names: "p3dx, p3at, ..." */
extern const char tpi_p2os_model_names[];

#endif
