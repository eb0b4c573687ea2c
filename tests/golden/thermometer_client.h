/* Calls of robot programs, generated from thermometer.padi by troupe-padi; do not edit. */
/* Measures temperature at one or more points. */
#ifndef TROUPE_CLIENT_THERMOMETER_H
#define TROUPE_CLIENT_THERMOMETER_H

#include "troupe/client.h"
#include "thermometer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Open thermometer:INDEX and wait; see tp_client_open(). */
static inline tp_status tp_thermometer_open(tp_client *client,
    unsigned index, tp_proxy **out, tp_error *err)
{
    return tp_client_open_device(client, &tp_interface_thermometer, index,
        TP_OPEN_MODE, out, err);
}

/* New readings. */
static inline const tp_thermometer_data *tp_thermometer_latest_state(const tp_proxy *proxy)
{
    const tp_msg *msg = tp_proxy_latest(proxy, TP_THERMOMETER_DATA_STATE);

    return msg != NULL ? (const tp_thermometer_data *)tp_msg_payload(msg) : NULL;
}

static inline const tp_thermometer_data *tp_thermometer_wait_state(tp_proxy *proxy,
    int64_t timeout_ns, tp_error *err)
{
    return (const tp_thermometer_data *)tp_proxy_wait(proxy,
        TP_THERMOMETER_DATA_STATE, timeout_ns, err);
}

/* Where the probes are. */
static inline tp_status tp_thermometer_request_get_pose(tp_proxy *proxy,
    const tp_pose3d **answer, tp_error *err)
{
    const void *got = NULL;
    tp_status status = tp_proxy_request(proxy,
        TP_THERMOMETER_REQ_GET_POSE, NULL, answer != NULL ? &got : NULL, err);

    if (answer != NULL) {
        *answer = (const tp_pose3d *)got;
    }
    return status;
}

#ifdef __cplusplus
}
#endif
#endif
