/*
 * crowd.h - the clients of a front by host and standing, and which of them makes room for a new
 * one.
 *
 * A server has a limited number of places: file descriptors, and what a front sets as its limit. No
 * number of clients without rights can take all of them, since each new client closes another one
 * when there is no place left. The client that makes room has the least standing. Among those of
 * equal standing it is the oldest one of the host with the most of them, so a host that takes many
 * places loses its own. All addresses of this machine are one host, and a few of its clients make
 * room after those of all others. Everything here belongs to the loop.
 */
#ifndef TROUPE_SESSION_CROWD_H
#define TROUPE_SESSION_CROWD_H

#include <stddef.h>

#include "loop/room.h"
#include "troupe/front.h"

enum tpi_standing {
    TPI_SILENT,   /* has not sent a message yet */
    TPI_STRANGER, /* has no key and no device open */
    TPI_READER,   /* has no key, has devices open, and may only read */
    TPI_KNOWN,    /* all others: these stay */
    TPI_STANDINGS,
};

enum { TPI_CROWD_BUCKETS = 256, TPI_HOST_NAME = 48 };

struct tpi_crowd_host;

/* The part of a session. */
struct tpi_crowd_place {
    struct tpi_crowd *crowd;     /* borrowed; NULL if the client came by no front */
    struct tpi_crowd_host *host; /* borrowed from the crowd */
    enum tpi_standing standing;
    bool heard;                   /* a message has come */
    struct tpi_crowd_place *next; /* of its host and standing, the next younger */
    struct tpi_crowd_place *previous;
    struct tpi_crowd_place *next_awaited; /* of those that have to send a message in time */
    struct tpi_crowd_place *previous_awaited;
    bool awaited;
};

struct tpi_crowd_list {
    struct tpi_crowd_place *oldest; /* borrowed */
    struct tpi_crowd_place *newest;
    size_t count;
};

/* The clients of an instance of a front. */
struct tpi_crowd {
    tp_hub *hub;   /* borrowed */
    tp_loop *loop; /* borrowed */
    bool streams;  /* each client takes a file descriptor */
    struct tpi_crowd_host *buckets[TPI_CROWD_BUCKETS];
    struct tpi_crowd_host *hosts; /* owned; a ring, at where the next look begins */
    struct tpi_crowd_host *here;  /* borrowed: this machine; NULL while it has no client */
    size_t counts[TPI_STANDINGS];
    struct tpi_crowd_place *first_awaited; /* borrowed */
    struct tpi_crowd_place *last_awaited;
    tp_timer *patience;     /* owned; NULL until a client is awaited */
    uint64_t closed;        /* to make room */
    struct tpi_crowd *next; /* of the hub */
};

/* NULL without memory. With `streams` each client takes a file descriptor. */
struct tpi_crowd *tpi_crowd_create(tp_hub *hub, tp_loop *loop, bool streams);

/* No client is left. NULL is accepted. */
void tpi_crowd_destroy(struct tpi_crowd *crowd);

/* The client at `peer` has come; its reach and whether it is local are known. TP_E_NOMEM. */
tp_status tpi_crowd_enter(struct tpi_crowd *crowd, tp_session *session, const char *peer);

/* The session ends. */
void tpi_crowd_leave(tp_session *session);

/* A message of the client has come. */
void tpi_crowd_heard(tp_session *session);

/* The right of the client, or the number of its open devices, has changed. */
void tpi_crowd_look(tp_session *session);

/* Close the client of least standing at the end of the turn. False if all clients stay. */
bool tpi_crowd_close_one(struct tpi_crowd *crowd);

/* The same for the crowds of a hub, whose clients take file descriptors, for one of so many
 * connections that wait. A client that has only just come is not closed, since it has had no time
 * to show a key or to say that it wants a panic. */
tpi_room tpi_crowd_free_file(struct tpi_crowd *crowds, size_t waiting);

#endif
