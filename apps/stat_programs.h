/* stat_programs.h - what the programs of a server do, for troupe stat. */
#ifndef TROUPE_APPS_STAT_PROGRAMS_H
#define TROUPE_APPS_STAT_PROGRAMS_H

#include "base/buf.h"
#include "troupe/client.h"
#include "troupe/interfaces/player.h"

/* Append a line for each program device of the connected robot that runs. Devices that nobody uses
 * are not asked: that would start them. Waits. */
void stat_put_programs(tpi_buf *out, tp_client *client, const tp_statistics *all);

/* "running", "in transit (leaving)". */
const char *stat_phase(unsigned phase);

#endif
