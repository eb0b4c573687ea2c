/*
 * line.h - lines to emulated sensors inside a program: "sensor:nxt_light?wave=1=sine:5".
 *
 * The name is that of a manifest, or a path. Settings, with & between them:
 *
 *     wave=CHANNEL=WAVE   sensors/emulated.h lists the waves; may be given several times
 *     lose=X, garble=X    percent of the bytes that are lost or damaged
 *     seed=N
 */
#ifndef TROUPE_SENSORS_HOST_LINE_H
#define TROUPE_SENSORS_HOST_LINE_H

#include "platform/line.h"

extern const tp_scheme tpi_scheme_sensor;

#endif
