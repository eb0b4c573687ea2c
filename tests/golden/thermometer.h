/* thermometer.h - generated from thermometer.padi by troupe-padi; do not edit. */
/* Measures temperature at one or more points. */
#ifndef TROUPE_INTERFACES_THERMOMETER_H
#define TROUPE_INTERFACES_THERMOMETER_H

#include "troupe/padi.h"
#include "troupe/interfaces/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* State of a probe. */
typedef enum tp_thermometer_status {
    /* The probe answers. */
    TP_THERMOMETER_OK = 0,
    /* No probe is connected. */
    TP_THERMOMETER_MISSING = 1,
} tp_thermometer_status;

TP_API extern const tp_enum tp_desc_thermometer_status;

/* The code of the interface and of its messages. */
enum {
    TP_THERMOMETER_CODE = 210,
    /* New readings. */
    TP_THERMOMETER_DATA_STATE = 1,
    /* Where the probes are. */
    TP_THERMOMETER_REQ_GET_POSE = 1,
};

/* One set of readings. */
typedef struct tp_thermometer_data {
    /* How the probes are. (tp_thermometer_status) */
    uint8_t status;
    /* Number of probes. [count] */
    uint32_t values_count;
    /* Temperature of each probe. [degC] */
    float *values;
} tp_thermometer_data;

TP_API extern const tp_struct tp_desc_thermometer_data;

/* What a driver of thermometer does. An operation that is NULL is refused as not
 * supported. `ask` is borrowed for the call; `answer` comes zeroed, and what it
 * points to stays the driver's: it is copied before the driver runs again. */
typedef struct tp_thermometer_ops {
    /* Where the probes are. */
    tp_status (*req_get_pose)(tp_device *device,
        tp_pose3d *answer,
        tp_error *err);
} tp_thermometer_ops;

TP_API extern const tp_interface tp_interface_thermometer;

#ifdef __cplusplus
}
#endif
#endif
