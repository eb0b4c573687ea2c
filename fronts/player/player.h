/*
 * player.h - the Player protocol on TCP, unix sockets and UDP; docs/reference/protocol.md describes
 * it.
 *
 * One instance serves one robot: a client sees the devices whose address has the robot's number. To
 * plain Player clients everything looks like Player's own server. Everything belongs to the loop's
 * thread.
 */
#ifndef TROUPE_FRONTS_PLAYER_H
#define TROUPE_FRONTS_PLAYER_H

#include "troupe/front.h"

/* What a front on UDP did not do. */
typedef struct tp_player_counts {
    uint64_t malformed;   /* datagrams that are no message */
    uint64_t unknown;     /* messages from sources that were not greeted */
    uint64_t turned_away; /* sources that were not greeted: too many, or too many at once */
    uint64_t unsent;      /* messages that the kernel did not take, or that fit no datagram */
} tp_player_counts;

/* The number of connections, or of sources of datagrams that were greeted. `self` is an open
 * instance of this front, as below. */
size_t tp_player_front_clients(const tp_front_instance *self);

/* What it did not do. All are 0 on streams. */
tp_player_counts tp_player_front_counts(const tp_front_instance *self);

/* A message as its clients receive it. TP_E_LIMIT if it is larger than Player's messages may be. */
extern const tp_encoding tp_encoding_player;

extern const tp_front tp_front_player;

#endif
