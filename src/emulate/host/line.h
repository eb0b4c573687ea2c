/*
 * line.h - lines to emulated robots inside the program: emulate:nxt?world=classroom.
 *
 * A line has a robot and a world of its own. Their time is the clock of the program that opened the
 * line: in a test with a simulated clock every run is the same. Settings follow a "?" and are
 * divided by
 * "&":
 *
 *     world=NAME         a world file, or the name of a world that comes with Troupe
 *     at=X,Y[,DEG]       where it starts
 *     wire=SLOT=PART     what is plugged in where; may be given several times
 *     fault=KIND@TIME    what goes wrong (emulate/fault.h); may be given several times
 *     seed=N
 *     body=NAME          the name of its model; `troupe demo` has a world with such models
 */
#ifndef TROUPE_EMULATE_HOST_LINE_H
#define TROUPE_EMULATE_HOST_LINE_H

#include "platform/line.h"

extern const tp_scheme tpi_scheme_emulate;

#endif
