/*
 * cast.h - emulated robots whose bodies are models of a world that the program serves.
 *
 * A driver opens the line "emulate:nxt?body=nina" in its own thread. The robot lives in the thread
 * that steps the world: after each step it reads what the driver has sent, lives for a step and
 * answers. Between the two is a pair of sockets. A line without a body, or with one that the world
 * does not have, is that of src/emulate/host/line.h.
 *
 * There is one cast in a program, since kinds of lines have no context.
 */
#ifndef TROUPE_APPS_CAST_H
#define TROUPE_APPS_CAST_H

#include "sim/sim.h"
#include "troupe/server.h"

typedef struct cast cast;

/* For a world that lives as long as the cast. Before the server. */
tp_status cast_create(cast **out, tp_error *err);
void cast_destroy(cast *c); /* NULL is accepted; after the server */

/* All that tp_full_kit has, with these lines. Borrowed as long as the cast. */
const tp_kit *cast_kit(const cast *c);

/* Learn the names of its models, before the server begins. */
void cast_set_world(cast *c, const tpi_sim *sim);

/* After a step, by the thread that makes them. */
void cast_step(cast *c, tpi_sim *sim);

#endif
