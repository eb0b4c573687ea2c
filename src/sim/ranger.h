/*
 * ranger.h - rangers inside: lasers, sonars and infra-red sensors are all the same.
 *
 * The samples of a ranger are in groups. A *scan* is one sensor with many samples: what is near is
 * projected onto the fan of its rays. A *bundle* is a number of rays from here and there at one
 * height: each is cast by itself. A *loose* bundle is one whose rays waver.
 *
 * The configuration is a head, the sensors, the groups, five numbers for each sample (origin,
 * direction and range, in the frame of its group), and the order of rays in each group.
 */
#ifndef TROUPE_SIM_RANGER_H
#define TROUPE_SIM_RANGER_H

#include "sim/inside.h"
#include "sim/kernel.h"

struct sim_ranger {
    uint32_t sensor_count, group_count, sample_count, spare;
};

struct sim_ranger_sensor {
    tpi_sim_sensor shown;
    double noise[3];       /* variance in m^2, share of the range, angle */
    uint32_t first, spare; /* sample */
};

enum sim_ranger_form { SIM_BUNDLE, SIM_LOOSE, SIM_SCAN };

struct sim_ranger_group {
    struct sim_frame frame; /* in the ranger's frame; z is the height of the rays */
    double reach;           /* from its origin to the farthest end of a ray */
    double offset;          /* from its origin to the farthest beginning of a ray */
    double start, step;     /* of a scan: the angle of the first ray, and between two */
    uint32_t first, count;  /* samples */
    uint32_t sensor;        /* the first one */
    uint32_t form;
};

struct sim_ranger_state {
    struct sim_common common;
};

/* ranger_config.c: make a configuration of sensors, and its pieces. */
void tpi_sim_ranger_prepare(const void *settings, size_t length, tpi_buf *config);
const struct sim_ranger_sensor *tpi_sim_ranger_sensors(const struct sim_ranger *ranger);
const struct sim_ranger_group *tpi_sim_ranger_groups(const struct sim_ranger *ranger);
const double *tpi_sim_ranger_table(const struct sim_ranger *ranger, uint32_t column);

enum { SIM_RAY_X, SIM_RAY_Y, SIM_RAY_DX, SIM_RAY_DY, SIM_RAY_RANGE, SIM_RAY_COLUMNS };

/* ranger_sense.c: look at the world. */
void tpi_sim_ranger_sense(const struct sim_view *view);

/* Of a group: see struct sim_probe; and of a bundle, its rays in the order of their angles. */
const uint32_t *tpi_sim_ranger_before(const struct sim_ranger *ranger, uint32_t group);
const uint32_t *tpi_sim_ranger_order(const struct sim_ranger *ranger, uint32_t group);

/* scan.c: shorten the rays of a scan, which stand at their greatest ranges, to what they hit. */
void tpi_sim_fan(const tpi_sim *sim, const struct sim_ranger_group *group,
                 const struct sim_frame *frame, uint32_t own, const uint32_t *before,
                 const struct sim_rays *rays);

/* bundle.c: the same for a bundle. */
void tpi_sim_bundle(const tpi_sim *sim, const struct sim_ranger_group *group,
                    const struct sim_frame *frame, uint32_t own, const uint32_t *before,
                    const uint32_t *order, const struct sim_rays *rays);

#endif
