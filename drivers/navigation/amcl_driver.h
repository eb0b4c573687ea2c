/*
 * amcl_driver.h - what the files of the driver `amcl` share.
 *
 * amcl.c runs the instance, amcl_settings.c reads its configuration.
 */
#ifndef TROUPE_DRIVERS_NAVIGATION_AMCL_DRIVER_H
#define TROUPE_DRIVERS_NAVIGATION_AMCL_DRIVER_H

#include "beams.h"
#include "gridmap.h"
#include "navigation/filter.h"
#include "troupe/interfaces/localize.h"
#include "troupe/interfaces/position2d.h"

enum { AMCL_MOST_BEAMS = 512 };

extern const tp_param tpi_amcl_params[];

struct amcl {
    tp_device *localize, *position; /* borrowed; NULL if not offered */
    tp_link *odometry;              /* borrowed */
    tp_link *drawing;               /* borrowed: shows the particles; NULL for none */
    struct beams beams;
    struct gridmap map;
    tpi_nav_field field;
    tpi_nav_filter filter;
    bool ready; /* map, field and filter are there */
    tpi_nav_filter_settings settings;
    double deviation, bad; /* of readings */
    bool rays;
    size_t most_beams;
    double way, turn; /* of an update */
    tpi_nav_pose start;
    double start_deviation[3];
    bool left; /* it was stopped: `start` is where it was, with the odometry `moved` */

    tpi_nav_pose moved; /* the odometry now */
    tpi_nav_pose then;  /* the odometry of the last update */
    bool has_moved;     /* the odometry is known */
    bool has_then;
    bool asked; /* the next readings are used without motion too */
    tp_position2d_data last;
    double used_s; /* time of the last readings that were used */
    tpi_nav_beam few[AMCL_MOST_BEAMS];
    tp_localize_particle *told; /* owned: room for an answer */
};

/* Read the configuration. From init. */
tp_status tpi_amcl_settings(tp_instance *self, struct amcl *m, tp_error *err);

#endif
