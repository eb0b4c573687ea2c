/* stat_text.h - statistics of a server in words. */
#ifndef TROUPE_APPS_STAT_TEXT_H
#define TROUPE_APPS_STAT_TEXT_H

#include <stddef.h>

#include "base/buf.h"
#include "troupe/interfaces/player.h"

/* What is reported a device, NULL for nothing; `likely` is where it may be found at once. */
const tp_device_stat *stat_find(const tp_statistics *all, const tp_devaddr *addr, size_t likely);

/* "idle", "running", ...; "?" for a state that we do not know. */
const char *stat_state(unsigned state);

/* "running", "running, isolated, guarded". */
void stat_put_state(tpi_buf *out, const tp_device_stat *stat);

/* "0.31 ms", "2.5 s"; "-" for nothing. */
const char *stat_latency(char *out, size_t size, double seconds);

/* "12 s", "3 min 5 s", "2 h 5 min", "3 days 4 h". */
const char *stat_duration(char *out, size_t size, double seconds);

/* "troupe print at 127.0.0.1:51234", or only where it is. */
void stat_put_label(tpi_buf *out, const tp_client_stat *client);

/* "raised by anna: smoke", and in another line who raised it last, if there were several. */
void stat_put_raisers(tpi_buf *out, const tp_panic_state *panic);

/* That nothing moves, since when and why; nothing if there is no panic. */
void stat_put_panic(tpi_buf *out, const tp_panic_state *panic);

#endif
