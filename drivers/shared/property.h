/*
 * property.h - text properties of a device that has another one behind it.
 *
 * The device's own properties are read and set here, all others of the other device. Belongs to an
 * instance with one device; has to be the first member of the instance's state.
 */
#ifndef TROUPE_DRIVERS_SHARED_PROPERTY_H
#define TROUPE_DRIVERS_SHARED_PROPERTY_H

#include "troupe/driver.h"

typedef struct own_properties {
    const tp_property_plan *plans; /* borrowed; ended by a NULL key; all are texts */
    /* The value now; borrowed until the next operation. */
    const char *(*text)(const tp_device *device, const char *key);
    tp_property *room; /* owned: for lists */
    uint32_t capacity;
} own_properties;

/* Zeroed but for `plans` and `text` is a good beginning. */
void tpi_own_properties_fini(own_properties *own);

/* Handle a message of the device if it is about these properties: then returns true, and `status`
 * is what the operation has to return. `behind` is asked for the rest of a list. */
bool tpi_own_properties_handle(own_properties *own, tp_device *device, tp_link *behind,
                               const tp_message *what, const void *ask, void *answer,
                               tp_status *status, tp_error *err);

/* Tell the readers what a property is now. */
void tpi_own_properties_announce(const own_properties *own, tp_device *device, const char *key);

#endif
