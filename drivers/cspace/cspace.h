/*
 * cspace.h - what the files of this driver share.
 *
 * cspace.c runs the instance and knows the sensor, scans.c turns its scans into free space, and
 * requests.c answers. space.h has the computation itself.
 */
#ifndef TROUPE_DRIVERS_CSPACE_CSPACE_H
#define TROUPE_DRIVERS_CSPACE_CSPACE_H

#include "ranging.h"
#include "space.h"
#include "troupe/driver.h"

struct cspace {
    tp_link *sensor;   /* borrowed */
    tp_device *laser;  /* borrowed; NULL if it is not offered */
    tp_device *ranger; /* borrowed; NULL if it is not offered */

    bool placed; /* the configuration says where the sensor sits */
    bool known;  /* somebody does */
    tp_pose3d pose;
    tp_bbox3d size;
    tp_ranger_config config; /* of the sensor, as far as it is known */
    unsigned open_questions; /* of those at the start */

    double radius;
    space_point corners[SPACE_MOST_CORNERS]; /* on the robot */
    size_t corner_count;
    space_outline outline; /* with the axes of the sensor */
    space_point centre;    /* of the robot, from the sensor, with its axes */

    space space;
    space_point *points; /* owned: room for a scan */
    double *ways;        /* owned */
    float *ranges;       /* owned */
    uint32_t capacity;
    tp_pose3d element_pose; /* room for an answer */
};

/* Whether the sensor is a laser; otherwise it is a ranger. */
static inline bool cspace_of_laser(const struct cspace *c)
{
    return tp_link_interface(c->sensor) == &tp_interface_laser;
}

/* cspace.c: the settings of the sensor, as its interface has them; NULL for none. */
void tpi_cspace_learn_config(struct cspace *c, const void *payload);

/* scans.c: data of the sensor. */
void tpi_cspace_take(tp_instance *self, unsigned code, const void *payload, double timestamp_s);

/* requests.c */
tp_handler tpi_cspace_handle;

#endif
