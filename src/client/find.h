/* find.h - whether a device is what somebody wants; see tp_client_find(). */
#ifndef TROUPE_CLIENT_FIND_H
#define TROUPE_CLIENT_FIND_H

#include "client/wanted.h"
#include "troupe/client.h"

/*
 * Whether one device of the server's list meets all conditions. What the list tells is looked at
 * first, and `model`, its property of that name where the caller knows it already (NULL if not);
 * only if these are met and there are others it is opened to read and asked, which waits. One that
 * cannot be opened does not meet them. Fails if the connection does.
 */
tp_status tpi_client_meets(tp_client *client, const tp_client_device *device,
                           const tpi_wanted *wanted, const char *model, bool *meets, tp_error *err);

#endif
