/* Generated from thermometer.padi by troupe-padi; do not edit. */
/* What a driver calls to be a device of this interface. */
#ifndef TROUPE_DRIVER_THERMOMETER_H
#define TROUPE_DRIVER_THERMOMETER_H

#include "troupe/driver.h"
#include "thermometer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Offer thermometer at the first free address of `provides` with this key (NULL for
 * any); from init only. `ops` is borrowed as long as the instance. */
static inline tp_status tp_offer_thermometer(tp_instance *self, const char *key,
    const tp_thermometer_ops *ops,
    tp_device **out, tp_error *err)
{
    return tp_offer(self, &tp_interface_thermometer, key, ops, NULL, out, err);
}

/* Send data to all readers, as tp_publish() does: the value is copied, `timestamp_s` is when
 * it was measured, 0 for now. */

/* New readings. */
static inline tp_status tp_thermometer_publish_state(tp_device *device,
    const tp_thermometer_data *value,
    double timestamp_s)
{
    return tp_publish(device, TP_THERMOMETER_DATA_STATE, value, timestamp_s);
}

#ifdef __cplusplus
}
#endif
#endif
