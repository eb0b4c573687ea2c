/*
 * beams.h - the readings of a laser, ranger or sonar as beams on the robot.
 *
 * The sensor is asked at the start where it sits and how it measures. Readings that come before are
 * left out.
 */
#ifndef TROUPE_DRIVERS_NAVIGATION_BEAMS_H
#define TROUPE_DRIVERS_NAVIGATION_BEAMS_H

#include "navigation/window.h"
#include "troupe/driver.h"
#include "troupe/interfaces/ranger.h"

enum {
    BEAMS_MOST_ELEMENTS = 128,
    BEAMS_OF_CONE = 3, /* so many for each reading of a sonar; the middle one is its axis */
};

/* Where an element sits on the robot. */
struct beams_mount {
    double x, y, yaw;
    bool flipped; /* upside down: its left is to the right */
};

struct beams {
    tp_link *link;  /* borrowed; NULL if there is no sensor */
    bool placed;    /* it has said where it sits */
    bool given;     /* the configuration says where it sits */
    double longest; /* m: what is farther is not seen; 0 as the sensor says */
    struct beams_mount base;
    struct beams_mount mounts[BEAMS_MOST_ELEMENTS];
    uint32_t mount_count;
    bool ignored[BEAMS_MOST_ELEMENTS];
    tp_ranger_config config; /* of a ranger */

    tpi_nav_beam *beams; /* owned: the last readings */
    size_t count;
    size_t capacity;
    double time; /* s: when they were made */
};

/* Use the first laser, ranger or sonar that `requires` lists. From init. TP_E_UNKNOWN if there is
 * none. */
tp_status tpi_beams_require(tp_instance *self, struct beams *beams, tp_error *err);

/* Say where the sensor sits, instead of asking it. */
void tpi_beams_place(struct beams *beams, double x, double y, double yaw);

/* Ask the sensor. From start. */
tp_status tpi_beams_start(struct beams *beams, tp_error *err);

/* Take a message of the sensor. Returns whether there are new readings. */
bool tpi_beams_take(struct beams *beams, const tp_msg *msg);

void tpi_beams_fini(struct beams *beams);

#endif
