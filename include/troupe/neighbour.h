/*
 * neighbour.h - the other devices of the server, for drivers that advertise what there is.
 */
#ifndef TROUPE_NEIGHBOUR_H
#define TROUPE_NEIGHBOUR_H

#include "troupe/driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The i-th device of the server, of any driver, in the order of the configuration; NULL beyond the
 * last. Borrowed until the driver returns. Only for drivers on the loop, and not in init. */
TP_API const tp_device *tp_instance_neighbour(const tp_instance *self, size_t i);

#ifdef __cplusplus
}
#endif
#endif
