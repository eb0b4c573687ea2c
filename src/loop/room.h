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

#include "troupe/loop.h"

typedef enum tpi_room {
    TPI_ROOM_NONE,  /* all connections stay */
    TPI_ROOM_LATER, /* those that could be closed have only just come: ask again soon */
    TPI_ROOM_MADE,  /* a connection will be closed at the end of the turn */
} tpi_room;

/* Asked when descriptors are scarce. NULL for nobody. */
void tpi_loop_set_room(tp_loop *loop, tpi_room (*make)(void *context), void *context);

/* Whether `context` is what the loop asks. */
bool tpi_loop_has_room(const tp_loop *loop, const void *context);

tpi_room tpi_loop_make_room(tp_loop *loop);

#endif
