/*
 * ranger.h - rangers inside: lasers, sonars and infra-red sensors are all the same.
 *
 * The samples of a ranger are in groups. A *scan* is one sensor with many samples: what is near is
 * projected onto the fan of its rays. A *bundle* is a number of rays from here and there at one
 * height: each is cast by itself. A *loose* bundle is one whose rays waver.
 *
 * The configuration is a head, the sensors, the groups, five numbers for each sample (origin,
 * direction and range, in the frame of its group), the order of rays in each group, and what
 * controllers look at.
 */
#ifndef TROUPE_SIM_SENSE_RANGER_H
#define TROUPE_SIM_SENSE_RANGER_H

#include "sim/ray/group.h"

struct sim_ranger {
    uint32_t sensor_count, group_count, sample_count;
    uint32_t noisy; /* some sensor has noise, or a least range */
    uint32_t glance_count;
    uint32_t spare;
    double reach; /* of all groups */
};

struct sim_ranger_sensor {
    tpi_sim_sensor shown;
    double noise[3];       /* variance in m^2, share of the range, angle */
    double deviation;      /* of a normal spread, as a share of the range */
    uint32_t first, spare; /* sample */
};

/* Whether ranges are other than what rays say. */
static inline bool sim_ranger_is_noisy(const struct sim_ranger_sensor *sensor)
{
    return sensor->noise[0] != 0 || sensor->noise[1] != 0 || sensor->deviation > 0 ||
           sensor->shown.range_min > 0;
}

/* A sample as a controller sees it: its direction in the ranger's frame, and what to add to its
 * range, nothing or infinity, before it is compared with others on that side. A short ray counts as
 * longer than it is: at its end there is nothing, and half way is for its robot what half way is
 * for one that sees farther. */
struct sim_glance {
    double x, y;
    double scale;       /* of the range; 1 from SIM_FAR_SIGHT on */
    double left, right; /* up to 80 degrees from straight on */
    double ahead;       /* up to 30 degrees */
    uint32_t sample, spare;
};

#define SIM_FAR_SIGHT 2.0 /* m: no controller minds what is farther ahead */

enum { SIM_MOST_GLANCED = 64 }; /* of a group, or little more; a fine scan has enough */

struct sim_ranger_state {
    struct sim_common common;
};

/* ranger_config.c: make a configuration of sensors. */
void tpi_sim_ranger_prepare(const void *settings, size_t length, tpi_buf *config);

/* ---- Pieces of a configuration --------------------------------------------------------------- */

enum { SIM_RAY_X, SIM_RAY_Y, SIM_RAY_DX, SIM_RAY_DY, SIM_RAY_RANGE, SIM_RAY_COLUMNS };

static inline const struct sim_ranger_sensor *
tpi_sim_ranger_sensors(const struct sim_ranger *ranger)
{
    return (const struct sim_ranger_sensor *)(ranger + 1);
}

static inline const struct sim_ranger_group *tpi_sim_ranger_groups(const struct sim_ranger *ranger)
{
    return (const struct sim_ranger_group *)(tpi_sim_ranger_sensors(ranger) + ranger->sensor_count);
}

static inline const double *tpi_sim_ranger_table(const struct sim_ranger *ranger, uint32_t column)
{
    return (const double *)(tpi_sim_ranger_groups(ranger) + ranger->group_count) +
           (size_t)column * ranger->sample_count;
}

/* Behind the table, for each group: the numbers before each sector (see struct sim_probe), and of a
 * bundle its rays in the order of their angles, for several turns. */
static inline const uint32_t *tpi_sim_ranger_before(const struct sim_ranger *ranger, uint32_t group)
{
    return (const uint32_t *)(const void *)tpi_sim_ranger_table(ranger, SIM_RAY_COLUMNS) +
           (size_t)group * (SIM_BEFORE + SIM_TURNS * SIM_MOST_BUNDLED);
}

static inline const uint32_t *tpi_sim_ranger_order(const struct sim_ranger *ranger, uint32_t group)
{
    return tpi_sim_ranger_before(ranger, group) + SIM_BEFORE;
}

/* And behind all orders: */
static inline const struct sim_glance *tpi_sim_ranger_glances(const struct sim_ranger *ranger)
{
    return (const struct sim_glance *)(const void *)tpi_sim_ranger_before(ranger,
                                                                          ranger->group_count);
}

/* ---- Sensing --------------------------------------------------------------------------------- */

/* Rangers that are looking: their rays have met bodies, but not walls yet, since the rays of many
 * rangers look for walls faster together. Every worker has its own. */
enum { SIM_PENDING = 64 };

struct sim_pending {
    struct sim_view views[SIM_PENDING];
    uint32_t first[SIM_PENDING]; /* ray of each */
    uint32_t view_count;
    uint32_t walk_count;
    struct sim_walk walks[SIM_PENDING]; /* of those that are near walls */
    double *ranges, *returns;           /* owned; of all rays */
    uint32_t ray_count, capacity;
};

/* ranger_sense.c. Room for the rays of a ranger with so many samples at least; NULL if out of
 * memory. */
struct sim_pending *tpi_sim_pending_create(tpi_sim *sim, uint32_t samples);
void tpi_sim_pending_destroy(struct sim_pending *pending);

/* Look at the world; what is seen is not known before tpi_sim_pending_end(). */
void tpi_sim_ranger_sense(const struct sim_view *view);

/* All that are looking know what they see. */
void tpi_sim_pending_end(struct sim_pending *pending);

#endif
