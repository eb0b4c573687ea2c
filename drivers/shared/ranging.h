/* ranging.h - the settings of lasers and rangers, each in the form of the other. */
#ifndef TROUPE_DRIVERS_SHARED_RANGING_H
#define TROUPE_DRIVERS_SHARED_RANGING_H

#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/ranger.h"

/* Intensities have no form there. */
static inline tp_ranger_config ranging_of_laser(const tp_laser_config *config)
{
    return (tp_ranger_config){.min_angle = (double)config->min_angle,
                              .max_angle = (double)config->max_angle,
                              .angular_res = (double)config->resolution,
                              .max_range = (double)config->max_range,
                              .range_res = (double)config->range_res,
                              .frequency = (double)config->scanning_frequency};
}

/* A ranger does not say whether it measures intensities; the caller may know. */
static inline tp_laser_config ranging_of_ranger(const tp_ranger_config *config, bool intensity)
{
    return (tp_laser_config){.min_angle = (float)config->min_angle,
                             .max_angle = (float)config->max_angle,
                             .resolution = (float)config->angular_res,
                             .max_range = (float)config->max_range,
                             .range_res = (float)config->range_res,
                             .intensity = intensity,
                             .scanning_frequency = (float)config->frequency};
}

#endif
