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

/* Read a setting of `count` numbers into `out`, given or by default. TP_E_INVALID for another
 * number of them, TP_E_RANGE for one beyond the limits; the setting is blamed. */
tp_status tpi_limits_read(tp_instance *self, const char *name, size_t count, double least,
                          double most, double *out, tp_error *err);

#endif
