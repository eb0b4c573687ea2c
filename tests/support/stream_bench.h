/*
 * stream_bench.h - a loop with a listener, a client, and the server's end of it.
 *
 * What is sent is always the same endless pattern, and what arrives is checked against it.
 */
#ifndef TROUPE_TESTS_STREAM_BENCH_H
#define TROUPE_TESTS_STREAM_BENCH_H

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/unit.h"
#include "troupe/stream.h"

struct end {
    tp_stream *stream;
    bool connected;
    tp_status connect_status;
    unsigned char room[4096];
    size_t room_size;
    size_t received; /* all of it is checked against pattern() */
    unsigned reads;
    unsigned written; /* calls of it */
    unsigned ended;
    tp_status end_status;
    bool pauses; /* when something arrives */
    bool closes; /* when anything happens */
};

struct bench {
    tp_loop *loop;
    tp_error err;
    tp_listener *listener;
    unsigned accepted;
    bool closes_listener; /* when something is accepted */
    struct end server;
    struct end client;
    char folder[1024];
    char address[1200];
    int dead_port; /* a socket that is bound but does not listen; -1 for none */
};

static inline unsigned char pattern(size_t i)
{
    return (unsigned char)(i * 7 + i / 251 + i / 65537);
}

static inline void maybe_close(struct end *end)
{
    if (end->closes) {
        tp_stream_close(end->stream);
        end->stream = NULL;
    }
}

static inline void on_room(void *context, void **bytes, size_t *length)
{
    struct end *end = context;

    *bytes = end->room;
    *length = end->room_size;
}

static inline void on_read(void *context, size_t length)
{
    struct end *end = context;

    assert_in_range(length, 1, end->room_size);
    for (size_t i = 0; i < length; i++) {
        assert_int_equal(end->room[i], pattern(end->received + i));
    }
    end->received += length;
    end->reads++;
    if (end->pauses) {
        tp_stream_pause(end->stream);
    }
    maybe_close(end);
}

static inline void on_written(void *context)
{
    struct end *end = context;

    assert_int_equal(end->ended, 0);
    end->written++;
    maybe_close(end);
}

static inline void on_end(void *context, tp_status status)
{
    struct end *end = context;

    end->ended++;
    end->end_status = status;
    maybe_close(end);
}

static const tp_stream_events events = {
    .room = on_room, .read = on_read, .written = on_written, .end = on_end};

static inline void on_accept(void *context, tp_stream *stream)
{
    struct bench *b = context;

    b->accepted++;
    if (b->server.stream != NULL) {
        tp_stream_close(stream);
        return;
    }
    b->server.stream = stream;
    assert_int_equal(tp_stream_start(stream, &events, &b->server), TP_OK);
    if (b->closes_listener) {
        tp_listener_close(b->listener);
        b->listener = NULL;
    }
}

static inline void on_connected(void *context, tp_stream *stream, tp_status status)
{
    struct bench *b = context;

    assert_ptr_equal(b->client.stream, stream);
    b->client.connected = true;
    b->client.connect_status = status;
    if (status == TP_OK) {
        assert_int_equal(tp_stream_start(stream, &events, &b->client), TP_OK);
    }
    maybe_close(&b->client);
}

static inline int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    const char *base = getenv("TMPDIR");

    assert_non_null(b);
    b->server.room_size = b->client.room_size = sizeof b->server.room;
    int length = snprintf(b->folder, sizeof b->folder, "%s/troupe-stream-XXXXXX",
                          base != NULL && base[0] == '/' && strlen(base) < 60 ? base : "/tmp");
    assert_in_range(length, 1, sizeof b->folder - 1);
    assert_non_null(mkdtemp(b->folder));
    b->dead_port = -1;
    assert_int_equal(tp_loop_create(&b->loop, tp_clock_real(), &b->err), TP_OK);
    *state = b;
    return 0;
}

static inline int tear_down(void **state)
{
    struct bench *b = *state;

    tp_stream_close(b->client.stream);
    tp_stream_close(b->server.stream);
    tp_listener_close(b->listener);
    tp_loop_destroy(b->loop);
    if (b->dead_port >= 0) {
        close(b->dead_port);
    }
    assert_int_equal(rmdir(b->folder), 0); /* nothing was left in it */
    free(b);
    return 0;
}

static inline void listen_on(struct bench *b, const char *address)
{
    tp_status status = tp_listener_open(&b->listener, b->loop, address, on_accept, b, &b->err);

    assert_string_equal(status == TP_OK ? "" : b->err.text, "");
    assert_int_equal(status, TP_OK);
}

static inline void listen_on_tcp(struct bench *b)
{
    listen_on(b, "tcp:127.0.0.1:0");
    (void)snprintf(b->address, sizeof b->address, "tcp:127.0.0.1:%u",
                   tp_listener_port(b->listener));
}

/* Set b->address to a unix socket in the bench's folder. */
static inline void choose_path(struct bench *b)
{
    (void)snprintf(b->address, sizeof b->address, "unix:%s/socket", b->folder);
}

static inline const char *path_of(const struct bench *b)
{
    return b->address + strlen("unix:");
}

static inline void listen_on_unix(struct bench *b)
{
    choose_path(b);
    listen_on(b, b->address);
}

static inline void connect_client(struct bench *b)
{
    tp_status status =
        tp_stream_connect(&b->client.stream, b->loop, b->address, on_connected, b, &b->err);

    assert_int_equal(status, TP_OK);
    assert_false(b->client.connected);
}

/* A plain socket that is connected to the listener on TCP. */
static inline int connect_socket(const struct bench *b)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)tp_listener_port(b->listener)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static inline void turn_until(struct bench *b, const bool *flag)
{
    while (!*flag) {
        tp_loop_turn(b->loop, true);
    }
}

static inline void connect_both(struct bench *b)
{
    connect_client(b);
    turn_until(b, &b->client.connected);
    assert_int_equal(b->client.connect_status, TP_OK);
    while (b->server.stream == NULL) {
        tp_loop_turn(b->loop, true);
    }
}

static inline int set_up_tcp(void **state)
{
    int result = set_up(state);

    listen_on_tcp(*state);
    connect_both(*state);
    return result;
}

static inline int set_up_unix(void **state)
{
    int result = set_up(state);

    listen_on_unix(*state);
    connect_both(*state);
    return result;
}

/* ---- Writing, for the tests ------------------------------------------------------------------ */

/* Offer `length` bytes of the pattern from `at` on, in pieces of different lengths. */
static inline long offer(struct end *end, size_t at, size_t length)
{
    static unsigned char bytes[1 << 20];
    tp_piece pieces[TP_STREAM_PIECES];
    unsigned count = 0;
    size_t done = 0;

    assert_true(length <= sizeof bytes);
    for (size_t i = 0; i < length; i++) {
        bytes[i] = pattern(at + i);
    }
    while (count < TP_STREAM_PIECES && done < length) {
        const size_t part =
            count == TP_STREAM_PIECES - 1 || length - done < count * 5 ? length - done : count * 5;
        pieces[count++] = (tp_piece){.bytes = bytes + done, .length = part};
        done += part;
    }
    long taken = tp_stream_try_write(end->stream, pieces, count);
    memset(bytes, 0xee, sizeof bytes); /* nobody may look at it any more */
    return taken;
}

/* Offer more and more until not all is taken; how much was taken. */
static inline size_t fill_from(struct end *end, size_t at)
{
    enum { CHUNK = 100000 };
    size_t total = 0;

    for (;;) {
        const long taken = offer(end, at + total, CHUNK);
        assert_in_range(taken, 0, CHUNK);
        total += (size_t)taken;
        if (taken < CHUNK) {
            return total;
        }
    }
}

static inline size_t fill(struct end *end)
{
    return fill_from(end, 0);
}

static inline void wait_for_bytes(struct bench *b, const struct end *end, size_t total)
{
    while (end->received < total) {
        tp_loop_turn(b->loop, true);
    }
    assert_int_equal(end->received, total);
}

static inline void wait_for_end(struct bench *b, const struct end *end)
{
    while (end->ended == 0) {
        tp_loop_turn(b->loop, true);
    }
    for (int i = 0; i < 3; i++) {
        tp_loop_turn(b->loop, false);
    }
    assert_int_equal(end->ended, 1);
}

static inline void close_end(struct end *end)
{
    tp_stream_close(end->stream);
    end->stream = NULL;
}

#endif
