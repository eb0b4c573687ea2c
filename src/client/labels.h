/* labels.h - the names of devices and of their drivers' instances, as the server knows them. */
#ifndef TROUPE_CLIENT_LABELS_H
#define TROUPE_CLIENT_LABELS_H

#include "client/inquiry.h"

typedef struct tpi_labels tpi_labels;

/* Read the names of all devices; waits. One block, released with free(); NULL if the server has
 * none: a Player server, or one that refuses DEVICE_STATISTICS. */
tp_status tpi_labels_read(tpi_labels **out, tp_client *client, tp_error *err);

/* What a device is called, borrowed; nothing of it is known if `labels` is NULL. */
tpi_called tpi_labels_find(const tpi_labels *labels, const tp_devaddr *addr);

#endif
