/*
 * inside.h - the state of the Player front, for the files of this folder.
 *
 *     connection.c   bytes of a stream to messages, messages to gathered writes
 *     udp.c          datagrams to messages and back, sources that come and go
 *     greetings.c    how many greetings go to each host on UDP
 *     message.c      one message of a client: to the server itself, or to a device
 *     server.c       requests to the server itself (the interface `player`)
 *     encoding.c     a message as the bytes that Player sends; compressed maps
 *     session.c      the session of a client: its events, and sending what it releases
 *     client.c       what connections and sources have in common: their list and their end
 *     front.c        the table of the front: opening and closing
 */
#ifndef TROUPE_FRONTS_PLAYER_INSIDE_H
#define TROUPE_FRONTS_PLAYER_INSIDE_H

#include "player.h"
#include "troupe/datagram.h"
#include "troupe/interfaces/player.h"
#include "troupe/stream.h"

enum {
    READ_SIZE = 65536, /* what is read at once, shared by all clients */
    GUEST_SIZE = 8192, /* the same, of a client that may only send short messages */
    MOST_CLIENTS = 100000,
    MOST_SOURCES = 1024,
};

struct client;

/* The way to a client. */
struct transport {
    /* Send what is sealed in its session, as far as that goes now. */
    void (*write)(struct client *client);
    /* It was paused and may go on: handle what waits, and read again. */
    void (*resume)(struct client *client);
    /* How many bytes have come of it that were not handled. */
    size_t (*unread)(struct client *client);
    /* When those that were not read can have come at the earliest. Optional: all are read. */
    int64_t (*unread_since)(struct client *client);
    /* Whether the client has closed its side. Optional. */
    bool (*has_left)(const struct client *client);
    /* Drop what has come and cannot be counted. Optional. */
    void (*drop)(struct client *client);
    /* Close the way and release the client, whose session is gone already. */
    void (*close)(struct client *client);
};

/* Part of a connection or a source, which are its transport's. */
struct client {
    struct tp_player_front *front; /* borrowed */
    const struct transport *transport;
    tp_session *session; /* owned; NULL while a source has not said anything */
    struct client *next; /* in the front's list */
    struct client *previous;
    tp_after flush;

    bool asked;     /* something, with what was read last */
    bool paused;    /* not read from, since its session is busy */
    bool blocked;   /* the way takes no more for now */
    bool ending;    /* to be closed at the end of the turn */
    bool dismissed; /* by its session, which may have queued why */
};

/* The state of an instance of the front. */
typedef struct tp_player_front {
    tp_front_instance *instance; /* borrowed: the front is its state */
    tp_loop *loop;               /* borrowed */
    int patience_s;
    uint32_t most_clients;
    size_t client_count;
    struct client *clients; /* owned; the newest first */
    struct client *oldest;  /* the last of them */

    /* Streams. */
    tp_listener *listener; /* owned; NULL on UDP */
    unsigned char *shared; /* owned: READ_SIZE bytes */

    struct udp *udp; /* owned; NULL on streams */
} tp_player_front;

/* Whether this is the thread that the front belongs to: its loop's. */
static inline bool tpi_player_is_current(const tp_player_front *front)
{
    return tp_loop_is_current(front->loop);
}

/* What every client is greeted with: exactly these bytes. */
extern const char tpi_player_greeting[TP_IDENT_STRLEN];

/* client.c */
void tpi_player_client_reset(struct client *client); /* destroys its session */
void tpi_player_client_link(struct client *client);
void tpi_player_client_unlink(struct client *client);
void tpi_player_client_close(struct client *client);

/* Soon, go on with what it has sent, and send what waits for it. */
void tpi_player_client_flush(struct client *client);

/* Close it when this turn is over; nothing more is read. */
void tpi_player_client_give_up(struct client *client);

/* The other side has left. The end of a guest waits for other work: thousands can leave at once. */
void tpi_player_client_left(struct client *client);

/* session.c: a client without a session. */
void tpi_player_session_init(struct client *client, tp_player_front *front,
                             const struct transport *transport);

/* Give it a session; `name` is its address. */
tp_status tpi_player_session_begin(struct client *client, const char *name);

/* connection.c */
tp_status tpi_player_connection_listen(tp_player_front *front, const char *address, tp_error *err);

/* udp.c */
tp_status tpi_player_udp_open(tp_player_front *front, const char *address, tp_error *err);
void tpi_player_udp_close(struct udp *udp); /* after its clients; NULL is accepted */
unsigned tpi_player_udp_port(const struct udp *udp);

/* A datagram has come; `udp` is the context. */
void tpi_player_udp_receive(void *udp, const tp_peer *from, const void *bytes, size_t length);
tp_player_counts tpi_player_udp_counts(const struct udp *udp);

/* greetings.c: how many greetings went to each host. An address can be forged, so the greetings
 * that go to it are limited; but no host takes the greetings of another one. */
enum { GREETING_ROWS = 4, GREETING_CELLS = 512 }; /* a power of two */
typedef struct tpi_greetings {
    uint32_t seed;
    int64_t paid_ns[GREETING_ROWS][GREETING_CELLS]; /* greetings are paid for up to this time */
} tpi_greetings;
void tpi_player_greetings_init(tpi_greetings *greetings, int64_t now_ns);

/* A number for the host of the peer, the same for all its ports, which nobody outside knows. */
uint32_t tpi_player_host(const tpi_greetings *greetings, const tp_peer *peer);

/* Whether one more may go to the host of the peer; if so it is counted. */
bool tpi_player_may_greet(tpi_greetings *greetings, const tp_peer *peer, int64_t now_ns);

/* message.c: a whole message has come. The header is changed. */
void tpi_player_message_handle(struct client *client, tp_msghdr *header, const unsigned char *body);

/* server.c: decodes a request to the player interface and has the session answer it. */
void tpi_player_serve(struct client *client, const tp_msghdr *header, const unsigned char *body,
                      size_t length);

#endif
