/*
 * player.h - the Player protocol on TCP and unix sockets; docs/protocol.md describes it.
 *
 * One listener serves one robot: a client sees the devices whose address has the robot's number,
 * which for TCP is the port. To plain Player clients everything looks like Player's own server.
 */
#ifndef TROUPE_FRONTS_PLAYER_H
#define TROUPE_FRONTS_PLAYER_H

#include "troupe/front.h"
#include "troupe/loop.h"

typedef struct tp_player_front tp_player_front;

typedef struct tp_player_options {
    const char *address; /* "tcp:127.0.0.1:6665", "unix:/path" */
    uint32_t robot;      /* 0: the port that it listens on */
    uint32_t most_clients;
} tp_player_options;

/* Listen. Fails with the address and the cause. */
tp_status tp_player_front_open(tp_player_front **out, tp_hub *hub, tp_loop *loop,
                               const tp_player_options *options, tp_error *err);

/* Closes all its clients. NULL is accepted. */
void tp_player_front_close(tp_player_front *front);

unsigned tp_player_front_port(const tp_player_front *front);
size_t tp_player_front_clients(const tp_player_front *front);

extern const tp_front tp_front_player;

#endif
