/*
 * room.h - which client makes room when the process has few file descriptors left.
 *
 * The kernel gives a new socket the lowest free number, so if that is near the limit few are left.
 * The last ones are a reserve: a connection that gets one of them is accepted only if
 * another one is closed for it, or if it comes over a unix socket. So a server whose descriptors
 * are all taken still hears a new client.
 */
#ifndef TROUPE_LOOP_ROOM_H
#define TROUPE_LOOP_ROOM_H

#include <stddef.h>

#include "troupe/loop.h"

typedef enum tpi_room {
    TPI_ROOM_NONE,  /* all connections stay */
    TPI_ROOM_LATER, /* those that could be closed have only just come: ask again soon */
    TPI_ROOM_MADE,  /* a connection will be closed at the end of the turn */
} tpi_room;

/* Asked when descriptors are scarce, with the number of connections that wait to be accepted. NULL
 * for nobody. */
void tpi_loop_set_room(tp_loop *loop, tpi_room (*make)(void *context, size_t waiting),
                       void *context);

/* Whether `context` is what the loop asks. */
bool tpi_loop_has_room(const tp_loop *loop, const void *context);

/* Let a client make room for a listener. NULL asks for a connection that waits in no line. */
tpi_room tpi_loop_make_room(tp_loop *loop, const void *listener);

/* The listener has to ask later. If the line is empty, it is the first in the line now, and all
 * others have to ask later until it has asked again. Otherwise one front could get all rooms. */
void tpi_loop_join_line(tp_loop *loop, const void *listener);

/* Nothing waits at the listener any more. */
void tpi_loop_leave_line(tp_loop *loop, const void *listener);

/* So many rooms more (or fewer) were made and not used yet. They belong to the listener that has
 * asked for them: the others accept nothing meanwhile. */
void tpi_loop_add_promised(tp_loop *loop, long more);

size_t tpi_loop_promised(const tp_loop *loop);

/* So many connections more (or fewer, if it is negative) wait to be accepted by a listener of the
 * loop. Listeners count them only while descriptors are scarce. */
void tpi_loop_add_waiting(tp_loop *loop, long more);

#endif
