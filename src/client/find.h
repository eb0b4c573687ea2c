/* find.h - which devices are what somebody wants; see tp_client_find(). */
#ifndef TROUPE_CLIENT_FIND_H
#define TROUPE_CLIENT_FIND_H

#include "client/inquiry.h"
#include "troupe/client.h"

/* A device of the server's list, whose interface is known. */
typedef struct tpi_asked {
    const tp_client_device *device; /* borrowed */
    tpi_called called;              /* what lists call it */
    bool meets;                     /* the answer */
} tpi_asked;

/*
 * Which devices meet all conditions. What the list tells is looked at first; only if that is met
 * and there are others a device is opened to read and asked, many of them at once, which waits. One
 * that cannot be opened does not meet them. Fails if the connection does. `hint` gets TP_E_UNKNOWN
 * and a text if no device has one of the properties, and TP_E_RANGE and a text if no device has one
 * of the values but a similar one: they may be misspelt. Devices that were not asked may have it,
 * so that there is no hint then.
 */
tp_status tpi_client_meet(tp_client *client, const tpi_conditions *wanted, tpi_asked *asked,
                          size_t count, tp_error *hint, tp_error *err);

#endif
