/* stat_all.h - statistics of a server with all its devices, however many messages that takes. */
#ifndef TROUPE_APPS_STAT_ALL_H
#define TROUPE_APPS_STAT_ALL_H

#include "troupe/client.h"
#include "troupe/interfaces/player.h"

/* One block, to be freed with free(). Waits for the answers; fails as a request does. */
tp_status stat_all(tp_client *client, tp_statistics **out, tp_error *err);

#endif
