/*
 * fake_server.h - a server that does what a test wants, on the test's loop.
 *
 * Left alone it answers like a server of ours, or like Player's, and serves any device. What it was
 * sent is kept as words, for the test to compare: "hello mode:2 open:4:0 cmd:4:0:1 req:4:0:1".
 */
#ifndef TROUPE_TESTS_FAKE_SERVER_H
#define TROUPE_TESTS_FAKE_SERVER_H

#include "troupe/interfaces/player.h"
#include "troupe/stream.h"

typedef struct fake_server fake_server;

struct fake_server {
    tp_loop *loop;
    tp_listener *listener; /* NULL while it does not listen */
    tp_stream *stream;     /* the newest connection; NULL for none */
    unsigned port;
    char url[64];
    unsigned accepted;

    bool plain;  /* Player: drops the hello, gives drivers' replies no number */
    bool silent; /* says nothing, not even who it is */
    const char *banner;
    bool refuses_opening;
    bool ignores_devices; /* does not answer requests to devices */

    /* Sees every message before it is answered; true if it has done all there is to do. */
    bool (*handle)(fake_server *server, const tp_msghdr *header, const unsigned char *body);
    void *context;

    bool pull;
    bool armed;
    char log[16384];
    unsigned char in[1 << 16];
    size_t in_length;
};

/* Listen on any port of this machine. */
void fake_server_begin(fake_server *server, tp_loop *loop);
void fake_server_end(fake_server *server);

/* Stop listening and hang up; listen again on the same port. */
void fake_server_vanish(fake_server *server);
void fake_server_return(fake_server *server);

/* Hang up, but go on listening. */
void fake_server_hang_up(fake_server *server);

void fake_server_send(fake_server *server, const void *bytes, size_t length);
void fake_server_message(fake_server *server, const tp_msghdr *header, const tp_struct *type,
                         const void *value);

/* Answer a request: TP_MSGTYPE_RESP_ACK or _NACK. */
void fake_server_reply(fake_server *server, const tp_msghdr *request, unsigned type,
                       const tp_struct *body_type, const void *body);

/* Data with this time; in pull mode what was pulled ends with it. */
void fake_server_data(fake_server *server, unsigned interf, unsigned index, unsigned code,
                      const tp_struct *type, const void *value, double timestamp);

/* All it was sent since the last time; in a buffer that the next call overwrites. */
const char *fake_server_log(fake_server *server);

/* Whether it was sent this. */
bool fake_server_has(const fake_server *server, const char *word);

#endif
