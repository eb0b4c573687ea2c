/* limits.h - the least and the highest values of settings. */
#ifndef TROUPE_DRIVERS_NAVIGATION_LIMITS_H
#define TROUPE_DRIVERS_NAVIGATION_LIMITS_H

#include <stddef.h>

#include "troupe/driver.h"

struct limits {
    const char *name;
    double least, most;
};

/* Refuse a setting that the configuration gives and that is beyond its limits: TP_E_RANGE, and the
 * setting is blamed. */
tp_status tpi_limits_check(tp_instance *self, const struct limits *limits, size_t count,
                           tp_error *err);

#endif
