/* session.c - the session of a connection: its events, requests to the robot and their answers. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* ---- Requests -------------------------------------------------------------------------------- */

static tp_status send(struct connection *c, tp_msg **kept, unsigned code, uint32_t seq,
                      const void *value, tp_error *err)
{
    const tp_message *what = tp_interface_message(&tp_interface_mechanism, TP_KIND_REQUEST, code);
    const tp_msghdr header = {.addr = *tp_session_address(c->device),
                              .type = TP_MSGTYPE_REQ,
                              .subtype = (uint8_t)code,
                              .seq = seq};
    tp_msg *msg = NULL;
    tp_status status = tp_msg_create(&msg, &header, what->ask, value);

    if (status != TP_OK) {
        return tp_fail(err, status, "%s", tp_status_text(status));
    }
    status = tp_session_send(c->session, msg, what, err);
    if (status == TP_OK && kept != NULL) {
        *kept = tp_msg_ref(msg);
    }
    tp_msg_unref(msg);
    return status;
}

tp_status tpi_motionf_session_send(struct connection *c, unsigned code, uint32_t seq,
                                   const void *value, tp_error *err)
{
    return send(c, NULL, code, seq, value, err);
}

tp_status tpi_motionf_session_package(struct connection *c, unsigned code,
                                      const tpi_motion_header *header, const uint8_t *bytes,
                                      tp_error *err)
{
    const int64_t arrival_ns = tp_loop_arrival_ns(c->front->loop);
    tp_mechanism_package package = {
        .arrived = (double)(arrival_ns != TP_NEVER ? arrival_ns : front_now(c->front)) * 1e-9,
        .operates = tp_session_operates(c->session),
        .bytes_count = (uint32_t)(TPI_MOTION_HEADER + header->size),
    };

    if (c->pending_count == MOST_PENDING) {
        return tp_fail(err, TP_E_LIMIT, "too many packages are on their way");
    }
    memcpy(package.token, c->client->token, sizeof package.token);
    memcpy(&package.bytes, &bytes, sizeof bytes); /* borrowed, and copied by the message */
    const tp_status status =
        send(c, &c->pending[c->pending_count], code, header->id, &package, err);
    c->pending_count += status == TP_OK;
    return status;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* The package that this answers; the caller owns the reference. NULL if there is none. */
static tp_msg *take_pending(struct connection *c, const tp_msghdr *header)
{
    for (unsigned i = 0; i < c->pending_count; i++) {
        const tp_msghdr *asked = tp_msg_header(c->pending[i]);
        tp_msg *found = c->pending[i];

        if (asked->seq == header->seq && asked->subtype == header->subtype) {
            c->pending_count--;
            memmove(&c->pending[i], &c->pending[i + 1],
                    (c->pending_count - i) * sizeof *c->pending);
            return found;
        }
    }
    return NULL;
}

static bool is_package(const tp_msghdr *header)
{
    return header->subtype == TP_MECHANISM_REQ_ASK || header->subtype == TP_MECHANISM_REQ_PLAY;
}

static void take_answer(struct connection *c, const tp_msghdr *header, const void *value)
{
    tp_mechanism_client who;

    switch (header->subtype) {
    case TP_MECHANISM_REQ_JOIN:
    case TP_MECHANISM_REQ_WATCH:
        tpi_motionf_client_joined(c, value);
        break;
    case TP_MECHANISM_REQ_WAIT:
        memcpy(who.token, c->client->token, sizeof who.token);
        if (tpi_motionf_session_send(c, TP_MECHANISM_REQ_TAKE, 0, &who, NULL) != TP_OK) {
            tpi_motionf_connection_give_up(c);
        }
        break;
    case TP_MECHANISM_REQ_TAKE:
        c->client->waits = false;
        tpi_motionf_reply_records(c, value);
        break;
    default:
        break;
    }
}

/* The robot is gone, or has given the client up. */
static void lose(struct connection *c, const char *why)
{
    tpi_motionf_reply_signal(c, 0, 0, TPI_MOTION_INTERRUPTED, why);
    c->dismissed = true;
    tpi_motionf_connection_give_up(c);
}

static void take_refusal(struct connection *c, const tp_msghdr *header, const tp_failure *failure)
{
    const bool told = failure != NULL && failure->text_count > 0;
    const char *why = told ? failure->text : "refused";
    const tp_status status = failure != NULL ? (tp_status)failure->code : TP_E_DEVICE;

    if (is_package(header)) {
        tp_msg *asked = take_pending(c, header);
        const tp_mechanism_package *package = asked != NULL ? tp_msg_payload(asked) : NULL;
        uint32_t epoch;
        bool panicked;

        tpi_motionf_panic_state(c->front, &epoch, &panicked);
        if (package != NULL) { /* a panic can begin when the package is on its way */
            tpi_motionf_package_refused(c, package->bytes, package->bytes_count,
                                        panicked ? TP_E_PANIC : status,
                                        panicked ? "there is a panic" : why);
        }
        tp_msg_unref(asked);
    } else if (header->subtype == TP_MECHANISM_REQ_JOIN ||
               header->subtype == TP_MECHANISM_REQ_WATCH) {
        tpi_motionf_client_refused(c, why);
    } else if (header->subtype == TP_MECHANISM_REQ_WAIT ||
               header->subtype == TP_MECHANISM_REQ_TAKE) {
        lose(c, why);
    }
}

static void take_message(struct connection *c, const tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);

    if (header->addr.interf != TP_MECHANISM_CODE || c->ending) {
        return;
    }
    if (header->type == TP_MSGTYPE_RESP_ACK && is_package(header)) {
        tp_msg_unref(take_pending(c, header));
    } else if (header->type == TP_MSGTYPE_RESP_ACK) {
        take_answer(c, header, tp_msg_payload(msg));
    } else if (header->type == TP_MSGTYPE_RESP_NACK) {
        take_refusal(c, header, tp_msg_payload(msg));
    }
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void read_answers(tp_after *after);

static void on_ready(void *context)
{
    struct connection *c = context;

    assert(front_is_current(c->front));
    tp_loop_after(c->front->loop, &c->answers);
    tp_loop_after(c->front->loop, &c->flush);
}

static void on_lost(void *context)
{
    struct connection *c = context;

    assert(front_is_current(c->front));
    c->dismissed = true;
    tpi_motionf_connection_give_up(c);
}

static size_t on_unread(void *context)
{
    struct connection *c = context;

    assert(front_is_current(c->front));
    return c->in.length + tp_stream_unread(c->stream);
}

/* What the session has queued: answers of the robot. */
static void read_answers(tp_after *after)
{
    struct connection *c =
        (struct connection *)((char *)after - offsetof(struct connection, answers));

    assert(front_is_current(c->front));
    tp_session_release(c->session);
    while (tp_session_sealed(c->session) > 0) {
        tp_msg *msg = tp_session_take(c->session);

        take_message(c, msg);
        tp_msg_unref(msg);
    }
}

static const tp_session_events session_events = {
    .ready = on_ready, .lost = on_lost, .unread = on_unread};

tp_status tpi_motionf_session_begin(struct connection *c)
{
    static const tp_session_limits limits = {.data = 64, .replies = 512, .requests = 48};
    const tp_status status =
        tp_front_session(&c->session, c->front->instance, tp_stream_peer(c->stream), &limits,
                         &session_events, c, NULL);

    c->answers.run = read_answers;
    if (status == TP_OK) {
        tp_session_explain_failures(c->session, true);
    }
    return status;
}
