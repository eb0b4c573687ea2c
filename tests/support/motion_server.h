/*
 * motion_server.h - a motion server for tests of its clients, on their own loop.
 *
 * It plays with the real engine; its devices do at once what they are told. Flags make it behave
 * badly.
 */
#ifndef TROUPE_TESTS_MOTION_SERVER_H
#define TROUPE_TESTS_MOTION_SERVER_H

#include <stdio.h>

#include "base/buf.h"
#include "motion/engine_test.h"
#include "platform/secret.h"
#include "troupe/loop.h"
#include "troupe/stream.h"

enum { SERVER_LINES = 8 };

struct motion_line {
    struct motion_server *server;
    tp_stream *stream;
    tpi_buf in;
    uint32_t client;
    bool second;
    bool proved; /* its key */
    uint8_t nonce[32];
};

struct motion_server {
    tp_loop *loop;
    tp_listener *listener;
    tp_timer *timer;
    char url[64];
    struct bench *bench;
    struct motion_line lines[SERVER_LINES];
    uint32_t epoch;
    bool panicked;
    const char *key;        /* NULL: everybody may operate */
    uint64_t lease_us;      /* in the welcome */
    bool mute;              /* answers nothing */
    bool foreign;           /* says something else */
    bool refuses_tokens;    /* has no second connections */
    unsigned hellos, syncs; /* so far */
    unsigned urgent;        /* packages on second connections */
    int64_t ahead_ns;       /* of the server's clock */
};

static inline int64_t server_now(const struct motion_server *s)
{
    return tp_clock_now_ns(tp_loop_clock(s->loop)) + s->ahead_ns;
}

static inline void server_write(struct motion_line *line, const uint8_t *payload, size_t size,
                                uint16_t records)
{
    uint8_t bytes[TPI_MOTION_HEADER];
    const tpi_motion_header header = {
        .kind = TPI_MOTION_REPLY, .records = records, .size = (uint32_t)size};
    const tp_piece pieces[] = {{bytes, sizeof bytes}, {payload, size}};

    tpi_motion_header_put(bytes, &header);
    if (line->stream != NULL && !line->server->mute) {
        tp_stream_try_write(line->stream, pieces, 2);
    }
}

static inline void server_answer(struct motion_line *line, uint16_t code, uint32_t tag,
                                 const void *value)
{
    uint8_t payload[4096];

    server_write(line, payload, tpi_motion_record_put(payload, sizeof payload, code, tag, value),
                 1);
}

static inline void server_signal(struct motion_line *line, uint32_t tag, uint32_t package,
                                 uint8_t signal, const char *text)
{
    char own[200];
    const tpi_motion_signalled body = {.signal = signal,
                                       .final = 1,
                                       .package = package,
                                       .epoch = line->server->epoch,
                                       .length = (uint16_t)snprintf(own, sizeof own, "%s", text),
                                       .text = own};

    server_answer(line, TPI_MOTION_SIGNAL, tag, &body);
}

/* What the engine has for its clients. */
static inline void server_deliver(struct motion_server *s)
{
    static uint8_t payload[1 << 18];

    for (int i = 0; i < SERVER_LINES; i++) {
        struct motion_line *line = &s->lines[i];
        uint16_t records = 0;
        size_t size;

        while (line->stream != NULL && line->client != 0 && !line->second &&
               (size = tpi_motion_engine_take(s->bench->engine, line->client, payload,
                                              sizeof payload, &records)) > 0) {
            server_write(line, payload, size, records);
        }
    }
}

/* Devices do at once what they are told. */
static inline void server_obey(struct motion_server *s)
{
    struct bench *b = s->bench;
    static const uint16_t first[] = {0, 3, 5};
    const size_t count = b->count;

    b->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct bench_write *w = &b->writes[i];

        if (w->write.what == TPI_MOTION_WRITE_GOTO) {
            tpi_motion_base base = {.known = 1, .pose = {w->values[0], w->values[1], w->values[2]}};
            tpi_motion_engine_base(b->engine, &base);
            tpi_motion_engine_arrived(b->engine, w->write.output, true, server_now(s));
        }
        for (uint16_t k = 0; w->write.what == TPI_MOTION_WRITE_DOFS && k < w->write.count; k++) {
            const bool position = w->servo[k] == TPI_MOTION_SERVO_POSITION;
            const tpi_motion_dof_state state = {position ? w->values[k] : 0,
                                                position ? w->speeds[k] : w->values[k], 0};
            tpi_motion_engine_measured(b->engine, (uint16_t)(first[w->write.output] + k), &state);
        }
    }
}

static inline void server_turn(void *context)
{
    struct motion_server *s = context;
    const int64_t now = server_now(s);

    tpi_motion_engine_advance(s->bench->engine, now, now + 2 * BENCH_MS);
    server_obey(s);
    server_deliver(s);
}

static inline void server_panic(struct motion_server *s)
{
    s->panicked = true;
    s->epoch++;
    tpi_motion_engine_panic(s->bench->engine, s->epoch, server_now(s));
    for (int i = 0; i < SERVER_LINES; i++) {
        if (s->lines[i].stream != NULL && s->lines[i].client != 0 && !s->lines[i].second) {
            server_signal(&s->lines[i], 0, 0, TPI_MOTION_PANICKED, "there is a panic");
        }
    }
}

/* ---- Greeting ---- */

static inline void server_hello(struct motion_line *line, const tpi_motion_record *record)
{
    struct motion_server *s = line->server;
    tpi_motion_hello hello;
    tpi_motion_welcome welcome = {.right = s->key == NULL || line->proved ? 3 : 0,
                                  .panicked = s->panicked,
                                  .epoch = s->epoch,
                                  .clock = 77,
                                  .time_us = (uint64_t)server_now(s) / 1000,
                                  .lease_us = s->lease_us,
                                  .longest_lease_us = 30000000,
                                  .horizon_us = UINT64_C(3600000000),
                                  .payload = TPI_MOTION_PAYLOAD,
                                  .frames = 4096};

    s->hellos++;
    assert_int_equal(tpi_motion_body_get(tpi_motion_body_of(record->code), record->body,
                                         record->length, &hello, NULL, 0, NULL),
                     TP_OK);
    line->second = hello.token[15] != 0;
    if (line->second && s->refuses_tokens) {
        server_signal(line, record->tag, 0, TPI_MOTION_ERROR, "no such client");
        return;
    }
    line->client = line->second ? hello.token[15]
                                : tpi_motion_engine_join(s->bench->engine, hello.name,
                                                         welcome.right, 0, server_now(s));
    tpi_motion_engine_lease(s->bench->engine, line->client, (int64_t)hello.lease_us * 1000);
    welcome.client = line->client;
    welcome.token[15] = (uint8_t)line->client;
    server_answer(line, TPI_MOTION_HELLO | TPI_MOTION_ANSWER, record->tag, &welcome);
}

static inline void server_challenge(struct motion_line *line, const tpi_motion_record *record)
{
    tpi_motion_nonce nonce;

    if (line->server->key == NULL) {
        server_signal(line, record->tag, 0, TPI_MOTION_NA, "this server has no keys");
        return;
    }
    assert_int_equal(tpi_secret_random(line->nonce, sizeof line->nonce), TP_OK);
    memcpy(nonce.nonce, line->nonce, sizeof nonce.nonce);
    server_answer(line, TPI_MOTION_CHALLENGE | TPI_MOTION_ANSWER, record->tag, &nonce);
}

static inline void server_prove(struct motion_line *line, const tpi_motion_record *record)
{
    const char *key = line->server->key;
    const tpi_motion_right right = {3};
    uint8_t digest[32];

    tpi_secret_proof(digest, key, strlen(key), line->nonce, sizeof line->nonce);
    if (memcmp(digest, record->body, sizeof digest) != 0) {
        server_signal(line, record->tag, 0, TPI_MOTION_ERROR, "no key fits");
        return;
    }
    line->proved = true;
    server_answer(line, TPI_MOTION_PROVE | TPI_MOTION_ANSWER, record->tag, &right);
}

static inline void server_sync(struct motion_line *line, const tpi_motion_record *record)
{
    const uint64_t now = (uint64_t)server_now(line->server) / 1000;
    tpi_motion_sync sync;

    line->server->syncs++;
    tpi_motion_body_get(tpi_motion_body_of(record->code), record->body, record->length, &sync, NULL,
                        0, NULL);
    server_answer(line, TPI_MOTION_SYNC | TPI_MOTION_ANSWER, record->tag,
                  &(tpi_motion_synced){sync.sent_us, now, now});
}

/* ---- Packages ---- */

/* Whether it is the front's own record, which is answered. */
static inline bool server_own(struct motion_line *line, const tpi_motion_record *record)
{
    switch (record->code) {
    case TPI_MOTION_HELLO:
        server_hello(line, record);
        return true;
    case TPI_MOTION_CHALLENGE:
        server_challenge(line, record);
        return true;
    case TPI_MOTION_PROVE:
        server_prove(line, record);
        return true;
    case TPI_MOTION_SYNC:
        server_sync(line, record);
        return true;
    default:
        return false;
    }
}

static inline void server_reset(struct motion_line *line, const tpi_motion_header *header)
{
    struct motion_server *s = line->server;
    const bool right = header->sequence == s->epoch;

    s->panicked = s->panicked && !right;
    if (right) {
        tpi_motion_engine_reset(s->bench->engine, server_now(s));
    }
    server_signal(line, 0, header->id, right ? TPI_MOTION_SUCCESS : TPI_MOTION_ERROR,
                  right ? "" : "it is another panic");
}

static inline void server_package(struct motion_line *line, const tpi_motion_header *header,
                                  const uint8_t *payload)
{
    struct motion_server *s = line->server;
    tpi_motion_record record;
    size_t at = 0;
    tp_error err = {.text = ""};

    s->urgent += line->second && header->size + header->flags > 0;
    if ((header->flags & TPI_MOTION_PANIC) != 0) {
        server_panic(s);
    } else if ((header->flags & TPI_MOTION_RESET) != 0) {
        server_reset(line, header);
    } else if (tpi_motion_payload_check(header, payload, &err) != TP_OK) {
        server_signal(line, 0, header->id, TPI_MOTION_ERROR, err.text);
    } else if (tpi_motion_record_next(&record, payload, header->size, &at, &err) == TP_OK &&
               !server_own(line, &record) && line->client != 0) {
        tpi_motion_engine_package(s->bench->engine, line->client, header, payload, server_now(s));
    }
    server_turn(s);
}

/* ---- Streams ---- */

static inline void server_room(void *context, void **bytes, size_t *length)
{
    struct motion_line *line = context;

    *length = 4096;
    *bytes = tpi_buf_reserve(&line->in, *length);
}

static inline void server_read(void *context, size_t length)
{
    struct motion_line *line = context;
    tpi_motion_header header;
    bool foreign = false;
    size_t at = 0;

    line->in.length += length;
    tpi_motion_engine_heard(line->server->bench->engine, line->client, server_now(line->server));
    while (line->in.length - at >= TPI_MOTION_HEADER) {
        const uint8_t *bytes = (const uint8_t *)line->in.data + at;

        assert_int_equal(tpi_motion_header_get(&header, bytes, &foreign, NULL), TP_OK);
        if (line->in.length - at < TPI_MOTION_HEADER + header.size) {
            break;
        }
        server_package(line, &header, bytes + TPI_MOTION_HEADER);
        at += TPI_MOTION_HEADER + header.size;
    }
    line->in.length -= at;
    memmove(line->in.data, line->in.data + at, line->in.length);
}

static inline void server_hang_up(struct motion_line *line)
{
    tp_stream_close(line->stream);
    line->stream = NULL;
    tpi_buf_fini(&line->in);
    if (line->client != 0 && !line->second) {
        tpi_motion_engine_leave(line->server->bench->engine, line->client, false,
                                server_now(line->server));
    }
    line->client = 0;
}

static inline void server_end(void *context, tp_status status)
{
    (void)status;
    server_hang_up(context);
}

static inline void server_written(void *context)
{
    (void)context;
}

static inline void server_accept(void *context, tp_stream *stream)
{
    static const tp_stream_events server_events = {
        .room = server_room, .read = server_read, .written = server_written, .end = server_end};
    struct motion_server *s = context;

    for (int i = 0; i < SERVER_LINES; i++) {
        if (s->lines[i].stream == NULL) {
            s->lines[i] = (struct motion_line){.server = s, .stream = stream};
            tp_stream_start(stream, &server_events, &s->lines[i]);
            if (s->foreign) {
                const tp_piece piece = {"SSH-2.0-something that is no motion server\r\n", 44};
                tp_stream_try_write(stream, &piece, 1);
            }
            return;
        }
    }
    tp_stream_close(stream);
}

/* ---- Life ---- */

static inline struct motion_server *server_new(void)
{
    struct motion_server *s = calloc(1, sizeof *s);
    tp_error err = {.text = ""};

    assert_non_null(s);
    s->bench = bench_new(NULL);
    s->lease_us = 5000000;
    s->ahead_ns = 2000 * 1000 * BENCH_MS; /* its clock is another one */
    assert_int_equal(tp_loop_create(&s->loop, tp_clock_real(), &err), TP_OK);
    assert_int_equal(
        tp_listener_open(&s->listener, s->loop, "tcp:127.0.0.1:0", server_accept, s, &err), TP_OK);
    (void)snprintf(s->url, sizeof s->url, "motion://127.0.0.1:%u", tp_listener_port(s->listener));
    assert_int_equal(tp_timer_create(&s->timer, s->loop, server_turn, s, &err), TP_OK);
    tp_timer_every(s->timer, 2 * BENCH_MS);
    return s;
}

static inline void server_cut(struct motion_server *s)
{
    for (int i = 0; i < SERVER_LINES; i++) {
        if (s->lines[i].stream != NULL) {
            server_hang_up(&s->lines[i]);
        }
    }
}

static inline void server_free(struct motion_server *s)
{
    server_cut(s);
    tp_listener_close(s->listener);
    tp_timer_destroy(s->timer);
    tp_loop_destroy(s->loop);
    bench_free(s->bench);
    free(s);
}

#endif
