/*
 * jsonlines.h - the front and its clients, for the files of this folder.
 *
 *     jsonlines.c   the front, its clients, bytes to lines and messages to bytes
 *     ask.c         what a line asks for
 *     line.c        lines themselves
 */
#ifndef JSONLINES_H
#define JSONLINES_H

#include "line.h"
#include "troupe/front.h"
#include "troupe/stream.h"

struct jsonlines {
    tp_listener *listener; /* owned; NULL until it listens */
    size_t line_size;      /* the longest line that is read */
    size_t most_clients;
    size_t client_count;
    struct client *clients; /* owned */
    char waste[256];        /* what is read of clients that are about to be closed */
};

struct client {
    tp_front_instance *front; /* borrowed */
    tp_stream *stream;        /* owned */
    tp_session *session;      /* owned */
    tp_after turn_end;
    struct client *next; /* of the front's */
    struct client *previous;

    /* What has come and is not handled. */
    char *in; /* owned */
    size_t in_length;
    size_t in_capacity;

    /* The line that is being sent. */
    tp_msg *sending;  /* owned reference; NULL for none */
    const char *line; /* borrowed from the message */
    size_t line_length;
    size_t line_sent;

    bool paused;  /* not read from: too many requests are under way */
    bool blocked; /* the stream takes no more for now */
    bool ending;  /* to be closed at the end of the turn */
};

/* Close the client at the end of this turn of the loop; nothing more is read. */
void jsonlines_give_up(struct client *client);

/* ask.c: do what a line asks for. The text has no line feed. */
void jsonlines_handle(struct client *client, const char *text, size_t length);

#endif
