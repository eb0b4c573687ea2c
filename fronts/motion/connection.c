/*
 * connection.c - bytes of a stream to packages.
 *
 * Every header is looked at for a panic as soon as its 32 bytes are there, also if packages before
 * it wait. Only a further panic waits as other packages do. Payloads that are not wanted are
 * dropped as they come.
 */
#include <assert.h>
#include <string.h>

#include "inside.h"

/* While packages wait, so much more is read: a panic behind them is seen, and the key of a new
 * client. A package that shows a key is not longer than the second. */
enum { MOST_AHEAD = 4096, MOST_KEY = 128 };

static const int64_t HEARD_NS = 50 * TP_NS_PER_MS;

/* ---- Packages -------------------------------------------------------------------------------- */

static uint32_t number_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The length of a package, of which the header has come. */
static uint64_t length_of(const unsigned char *header)
{
    return TPI_MOTION_HEADER + (uint64_t)number_at(header + 12);
}

static bool is_foreign(const unsigned char *header)
{
    return header[0] != 'R' || header[1] != 'T';
}

static uint64_t motion_look(tp_connection *base, const unsigned char *bytes, size_t length)
{
    if (length < TPI_MOTION_HEADER || is_foreign(bytes)) {
        return 0; /* a stream that has lost its place ends there */
    }
    if (tpi_motion_is_panic(bytes) && !tp_session_sees_panic(tp_connection_session(base))) {
        tp_connection_act(base);
        tpi_motionf_package_panic(tp_connection_state(base), bytes);
    }
    return length_of(bytes);
}

static bool motion_waits(tp_connection *base)
{
    const struct connection *c = tp_connection_state(base);

    return c->hello.on || c->pending_count == MOST_PENDING;
}

/* HELLO can come later: it opens the robot, which takes time. */
static bool motion_shows_key(tp_connection *base, const unsigned char *bytes, size_t length)
{
    const unsigned char *payload = bytes + TPI_MOTION_HEADER;
    tpi_motion_header header;
    tpi_motion_record record;
    bool foreign = false;
    size_t at = 0;

    (void)base;
    if (length < TPI_MOTION_HEADER ||
        tpi_motion_header_get(&header, bytes, &foreign, NULL) != TP_OK ||
        header.kind != TPI_MOTION_SESSION || header.flags != 0 || header.size > MOST_KEY ||
        length_of(bytes) > length) {
        return false;
    }
    while (at < header.size) {
        if (tpi_motion_record_next(&record, payload, header.size, &at, NULL) != TP_OK ||
            (record.code != TPI_MOTION_CHALLENGE && record.code != TPI_MOTION_PROVE)) {
            return false;
        }
    }
    return true;
}

static size_t longest_payload(struct connection *c)
{
    const size_t longest = tp_session_longest_message(c->session) - 1024;

    return longest < TPI_MOTION_PAYLOAD ? longest : TPI_MOTION_PAYLOAD;
}

/* Drop a package; how many of its bytes are there already. */
static size_t drop(tp_connection *base, const unsigned char *header, size_t there)
{
    const uint64_t whole = length_of(header);
    const size_t dropped = whole < there ? (size_t)whole : there;

    tp_connection_skip(base, whole - dropped);
    return dropped;
}

/* A header that is not valid, or a payload that is too long: the package is refused as a whole. */
static bool is_refused(struct connection *c, const unsigned char *bytes, tpi_motion_header *header)
{
    tp_error err = {.text = ""};
    bool foreign = false;
    const tp_status status = tpi_motion_header_get(header, bytes, &foreign, &err);

    if (status == TP_OK && header->size > longest_payload(c)) {
        tp_fail(&err, TP_E_LIMIT, "a payload of this client has at most %zu bytes",
                longest_payload(c));
    } else if (status == TP_OK) {
        return false;
    }
    tp_session_heard(c->session);
    tpi_motionf_reply_signal(c, number_at(bytes + 8), 0, TPI_MOTION_ERROR, err.text);
    return true;
}

static size_t motion_message(tp_connection *base, const unsigned char *bytes, size_t length,
                             size_t *needed)
{
    struct connection *c = tp_connection_state(base);
    tpi_motion_header header;

    assert(front_is_current(c->front));
    if (length < TPI_MOTION_HEADER) {
        *needed = TPI_MOTION_HEADER;
        return 0;
    }
    if (is_foreign(bytes)) {
        tp_connection_give_up(base);
        return 0;
    }
    /* The payload of a panic may never come. */
    if (tpi_motion_is_panic(bytes)) {
        if (!tp_connection_acted(base)) {
            tpi_motionf_package_panic(c, bytes); /* there is a panic already */
        }
        return drop(base, bytes, length);
    }
    if (is_refused(c, bytes, &header)) {
        return drop(base, bytes, length);
    }
    *needed = TPI_MOTION_HEADER + (size_t)header.size;
    if (length < *needed) {
        return 0;
    }
    tp_session_heard(c->session);
    tpi_motionf_package_handle(c, &header, bytes);
    return *needed;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void motion_arrived(tp_connection *base)
{
    struct connection *c = tp_connection_state(base);

    c->read_ns = front_now(c->front);
}

/* Any byte renews the client's lease. Whole packages do so themselves. */
static void report_heard(struct connection *c)
{
    tp_mechanism_client who;

    if (c->client == NULL || c->read_ns - c->heard_ns < HEARD_NS) {
        return;
    }
    c->heard_ns = c->read_ns;
    memcpy(who.token, c->client->token, sizeof who.token);
    (void)tpi_motionf_robot_send(c, TP_MECHANISM_REQ_HEARD, 0, &who, NULL);
}

static void motion_handled(tp_connection *base)
{
    report_heard(tp_connection_state(base));
    tp_stream_acknowledge(tp_connection_stream(base));
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static tp_status motion_begin(tp_connection *base)
{
    struct connection *c = tp_connection_state(base);

    c->base = base;
    c->front = tp_front_state(tp_connection_front(base));
    c->session = tp_connection_session(base);
    tp_session_explain_failures(c->session, true);
    return TP_OK;
}

static void motion_receive(tp_connection *base, const tp_msg *msg)
{
    tpi_motionf_answers_take(tp_connection_state(base), msg);
}

static void motion_turn(tp_connection *base)
{
    const struct connection *c = tp_connection_state(base);

    if (c->client != NULL) {
        tpi_motionf_client_wait(c->client);
    }
}

static void motion_end(tp_connection *base)
{
    struct connection *c = tp_connection_state(base);

    assert(front_is_current(c->front));
    tpi_motionf_client_leave(c);
    for (unsigned i = 0; i < c->pending_count; i++) {
        tp_msg_unref(c->pending[i]);
    }
}

const tp_connection_ops tpi_motionf_connection_ops = {
    .state_size = sizeof(struct connection),
    .limits = {.data = 64, .replies = 512, .requests = 48},
    .most_out = MOST_OUT,
    .read_ahead = MOST_AHEAD,
    .begin = motion_begin,
    .look = motion_look,
    .message = motion_message,
    .waits = motion_waits,
    .shows_key = motion_shows_key,
    .receive = motion_receive,
    .arrived = motion_arrived,
    .handled = motion_handled,
    .turn = motion_turn,
    .end = motion_end,
};
