/* inside.h - the state of the Player front, for the files of this folder. */
#ifndef TROUPE_FRONTS_PLAYER_INSIDE_H
#define TROUPE_FRONTS_PLAYER_INSIDE_H

#include "player.h"
#include "troupe/interfaces/player.h"
#include "troupe/stream.h"

enum {
    READ_SIZE = 65536, /* what is read at once, shared by all clients */
    MOST_BODY = TP_XDR_MAX_MESSAGE_SIZE - TP_XDR_HEADER_SIZE,
    MOST_HELD = 64 << 20, /* bytes of unfinished messages of all clients together */
    MOST_PIECES = 64,
    MOST_CLIENTS = 100000,
};

struct client {
    tp_player_front *front; /* borrowed */
    tp_stream *stream;      /* owned */
    tp_session *session;    /* owned */
    struct client *next;
    struct client *previous;
    tp_after flush;

    /* An unfinished message: what has come of it. */
    unsigned char *held; /* owned; NULL if there is none */
    size_t held_length;
    size_t held_capacity;

    /* Writing: how much of the oldest queued message is gone already. */
    size_t written;
    bool blocked; /* the kernel takes no more for now */

    /* Player's data modes. */
    bool pull;
    bool armed;          /* a pull waits for data */
    uint64_t told_drops; /* dropped messages that the client was told of */

    bool paused; /* not reading, since it asks too much */
    bool ending; /* to be closed at the end of the turn */
};

struct tp_player_front {
    tp_hub *hub;   /* borrowed */
    tp_loop *loop; /* borrowed */
    tp_listener *listener;
    uint32_t robot;
    uint32_t most_clients;
    size_t client_count;
    size_t held_bytes;
    struct client *clients; /* owned */
    unsigned char *shared;  /* owned: READ_SIZE bytes */
};

/* client.c */
void client_accept(void *context, tp_stream *stream);
void client_close(struct client *client);

/* Close it when this turn is over; nothing more is read. */
void client_give_up(struct client *client);

/* input.c: bytes have come into client's held message or the shared room. */
void input_room(void *context, void **bytes, size_t *length);
void input_read(void *context, size_t length);

/* output.c */
void output_ready(void *context);
void output_flush(tp_after *after);
void output_pull(struct client *client, const tp_msghdr *request);

/* server.c: requests to the player interface itself. */
void serve(struct client *client, const tp_msghdr *header, const unsigned char *body,
           size_t length);
tp_msg *serve_compressed_map(tp_msg *reply);

#endif
