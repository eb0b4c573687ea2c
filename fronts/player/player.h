/*
 * player.h - the Player protocol on TCP, unix sockets and UDP; docs/reference/protocol.md describes
 * it.
 *
 * One front serves one robot: a client sees the devices whose address has the robot's number, which
 * is the port unless it is given. To plain Player clients everything looks like Player's own
 * server. Everything belongs to the loop's thread.
 */
#ifndef TROUPE_FRONTS_PLAYER_H
#define TROUPE_FRONTS_PLAYER_H

#include "troupe/front.h"
#include "troupe/loop.h"

typedef struct tp_player_front tp_player_front;

typedef struct tp_player_options {
    const char *address;   /* "tcp:127.0.0.1:6665", "unix:/path", "udp:127.0.0.1:6665" */
    uint32_t robot;        /* 0: the port that it listens on */
    uint32_t most_clients; /* 0: as many as there may be */
    tp_reach reach;        /* where its clients come from */
    int patience_s;        /* with peers that vanish, as in tp_front_place */
} tp_player_options;

/* What a front on UDP did not do. */
typedef struct tp_player_counts {
    uint64_t malformed;   /* datagrams that are no message */
    uint64_t unknown;     /* messages from sources that were not greeted */
    uint64_t turned_away; /* sources that were not greeted: too many, or too many at once */
    uint64_t unsent;      /* messages that the kernel did not take, or that fit no datagram */
} tp_player_counts;

/* Listen. Fails with the address and the cause. */
tp_status tp_player_front_open(tp_player_front **out, tp_hub *hub, tp_loop *loop,
                               const tp_player_options *options, tp_error *err);

/* Closes all its clients. NULL is accepted. */
void tp_player_front_close(tp_player_front *front);

unsigned tp_player_front_port(const tp_player_front *front);

/* Connections, or sources of datagrams that were greeted. */
size_t tp_player_front_clients(const tp_player_front *front);

tp_player_counts tp_player_front_counts(const tp_player_front *front);

/* A message as its clients receive it. TP_E_LIMIT if it is larger than Player's messages may be. */
extern const tp_encoding tp_encoding_player;

extern const tp_front tp_front_player;

#endif
