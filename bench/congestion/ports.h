/* ports.h - the driver `port`: a device that notes what is written to it, in front of another one.
 */
#ifndef TROUPE_BENCH_CONGESTION_PORTS_H
#define TROUPE_BENCH_CONGESTION_PORTS_H

#include "house.h"
#include "troupe/driver.h"

extern const tp_driver port_driver;

/* Where ports note from now on: speeds of a position2d, positions of a ptz. Borrowed. */
void port_note(struct port_writes *base, struct port_writes *head);

#endif
