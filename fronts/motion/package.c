/*
 * package.c - one package of a client.
 *
 * HELLO, SYNC, CHALLENGE and PROVE are answered here; everything else is the robot's. What can move
 * it goes as PLAY, for which the session checks the right, the panic and the age; what cannot goes
 * as ASK.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inside.h"

/* ---- Panic ----------------------------------------------------------------------------------- */

static uint32_t id_of(const uint8_t *header)
{
    return (uint32_t)header[8] << 24 | (uint32_t)header[9] << 16 | (uint32_t)header[10] << 8 |
           header[11];
}

void tpi_motionf_package_panic(struct connection *c, const uint8_t *bytes)
{
    tp_session_heard(c->session);
    tp_session_panic(c->session, "PANIC of the motion protocol");
    tpi_motionf_reply_signal(c, id_of(bytes), 0, TPI_MOTION_PANICKED, "there is a panic");
}

/* Whoever raised it may end it, on any connection of the client. */
static void reset(struct connection *c, const tpi_motion_header *header)
{
    tp_error err = {.text = ""};
    tp_status status = tp_session_reset_panic(c->session, header->sequence, "", &err);
    struct connection *at = c->client != NULL ? c->client->connections : NULL;

    for (; at != NULL && status == TP_E_DENIED; at = at->sibling) {
        if (at != c) {
            status = tp_session_reset_panic(at->session, header->sequence, "", NULL);
        }
    }
    tpi_motionf_reply_signal(c, header->id, 0,
                             status == TP_OK ? TPI_MOTION_SUCCESS : TPI_MOTION_ERROR,
                             status == TP_OK ? "the panic is over" : err.text);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

/* Records that are answered here; all others are the robot's. */
static bool is_ours(uint16_t code)
{
    return code == TPI_MOTION_HELLO || code == TPI_MOTION_SYNC || code == TPI_MOTION_CHALLENGE ||
           code == TPI_MOTION_PROVE;
}

/* One signal for each command and each record of the session, one for a package of queries. */
void tpi_motionf_package_refused(struct connection *c, const uint8_t *bytes, size_t length,
                                 tp_status status, const char *why)
{
    const tpi_motion_signal signal = status == TP_E_PANIC ? TPI_MOTION_PANICKED : TPI_MOTION_ERROR;
    const bool each = bytes[4] != TPI_MOTION_QUERY && status != TP_E_INVALID;
    tpi_motion_record record;
    size_t at = 0;

    if (!each) {
        tpi_motionf_reply_signal(c, id_of(bytes), 0, signal, why);
        return;
    }
    while (at < length - TPI_MOTION_HEADER &&
           tpi_motion_record_next(&record, bytes + TPI_MOTION_HEADER, length - TPI_MOTION_HEADER,
                                  &at, NULL) == TP_OK) {
        if (!is_ours(record.code)) {
            tpi_motionf_reply_signal(c, id_of(bytes), record.tag, signal, why);
        }
    }
}

static void forward(struct connection *c, unsigned code, const tpi_motion_header *header,
                    const uint8_t *bytes)
{
    tp_error err = {.text = ""};

    if (c->client == NULL) {
        tpi_motionf_reply_signal(c, header->id, 0, TPI_MOTION_ERROR, "HELLO comes first");
        return;
    }
    const int64_t lease_ns = (int64_t)(c->client->joined.lease * 1e9);
    const int64_t arrived_ns = tp_session_arrived_ns(c->session, lease_ns);
    struct connection *via = tpi_motionf_client_strongest(c);
    tpi_motionf_client_promote(via);
    c->heard_ns = c->read_ns;
    const tp_status status = tpi_motionf_robot_package(via, code, header, bytes, arrived_ns, &err);
    if (status != TP_OK) {
        tpi_motionf_package_refused(c, bytes, TPI_MOTION_HEADER + (size_t)header->size, status,
                                    err.text);
    }
}

/* ---- Records of the front -------------------------------------------------------------------- */

union body {
    tpi_motion_hello hello;
    tpi_motion_sync sync;
    tpi_motion_nonce nonce;
};

static void answer_sync(struct connection *c, uint32_t package, uint32_t tag,
                        const tpi_motion_sync *body)
{
    const tpi_motion_synced answer = {body->sent_us, (uint64_t)c->read_ns / 1000,
                                      (uint64_t)front_now(c->front) / 1000};

    tpi_motionf_reply(c, package, TPI_MOTION_SYNC | TPI_MOTION_ANSWER, tag, &answer);
}

static void answer_challenge(struct connection *c, uint32_t package, uint32_t tag)
{
    tpi_motion_nonce nonce;
    tp_error err = {.text = ""};

    if (tp_session_challenge(c->session, nonce.nonce, &err) != TP_OK) {
        tpi_motionf_reply_signal(c, package, tag, TPI_MOTION_ERROR, err.text);
        return;
    }
    tpi_motionf_reply(c, package, TPI_MOTION_CHALLENGE | TPI_MOTION_ANSWER, tag, &nonce);
}

static void answer_proof(struct connection *c, uint32_t package, uint32_t tag,
                         const tpi_motion_nonce *digest)
{
    tp_error err = {.text = ""};

    if (tp_session_prove(c->session, digest->nonce, sizeof digest->nonce, &err) != TP_OK) {
        tpi_motionf_reply_signal(c, package, tag, TPI_MOTION_ERROR, err.text);
        return;
    }
    const tpi_motion_right answer = {(uint8_t)tp_session_right(c->session)};
    tpi_motionf_reply(c, package, TPI_MOTION_PROVE | TPI_MOTION_ANSWER, tag, &answer);
}

/* Whether the record is one of the front's; it is answered then. */
static bool serve(struct connection *c, uint32_t package, const tpi_motion_record *record)
{
    union body b;
    struct hello hello = {.tag = record->tag, .package = package};

    if (!is_ours(record->code)) {
        return false;
    }
    if (tpi_motion_body_get(tpi_motion_body_of(record->code), record->body, record->length, &b,
                            NULL, 0, NULL) != TP_OK) {
        return true; /* the payload was checked */
    }
    if (record->code == TPI_MOTION_HELLO) {
        hello.body = b.hello;
        tpi_motionf_client_hello(c, &hello);
    } else if (record->code == TPI_MOTION_SYNC) {
        answer_sync(c, package, record->tag, &b.sync);
    } else if (record->code == TPI_MOTION_CHALLENGE) {
        answer_challenge(c, package, record->tag);
    } else {
        answer_proof(c, package, record->tag, &b.nonce);
    }
    return true;
}

/* The robot decides which lease it grants; how old packages are has to be known as exactly as the
 * shorter one needs it. */
static void note_lease(struct connection *c, const tpi_motion_record *record)
{
    tpi_motion_lease asked;

    if (record->code == TPI_MOTION_LEASE && c->client != NULL &&
        tpi_motion_body_get(tpi_motion_body_of(record->code), record->body, record->length, &asked,
                            NULL, 0, NULL) == TP_OK &&
        asked.lease_us > 0) {
        c->client->joined.lease = fmin(c->client->joined.lease, (double)asked.lease_us * 1e-6);
    }
}

/* Whether a record of kind session can move the robot. */
static bool can_move(uint16_t code)
{
    return code == TPI_MOTION_BEGIN || code == TPI_MOTION_RATE || code == TPI_MOTION_UPDATE;
}

static void handle_session(struct connection *c, const tpi_motion_header *header,
                           const uint8_t *bytes)
{
    const uint8_t *payload = bytes + TPI_MOTION_HEADER;
    bool others = false, moves = false;
    tpi_motion_record record;
    size_t at = 0;

    while (at < header->size &&
           tpi_motion_record_next(&record, payload, header->size, &at, NULL) == TP_OK) {
        if (!serve(c, header->id, &record)) {
            others = true;
            moves = moves || can_move(record.code);
            note_lease(c, &record);
        }
    }
    if (others) {
        forward(c, moves ? TP_MECHANISM_REQ_PLAY : TP_MECHANISM_REQ_ASK, header, bytes);
    }
}

/* ---- All ------------------------------------------------------------------------------------- */

/* A package that is refused does nothing as a whole. The robot checks those that it gets. */
static tp_status check(const tpi_motion_header *header, const uint8_t *bytes, tp_error *err)
{
    if (header->kind == TPI_MOTION_REPLY) {
        return tp_fail(err, TP_E_INVALID, "only the server replies");
    }
    if (header->kind != TPI_MOTION_SESSION && (header->flags & TPI_MOTION_RESET) == 0) {
        return TP_OK;
    }
    return tpi_motion_payload_check(header, bytes + TPI_MOTION_HEADER, err);
}

void tpi_motionf_package_handle(struct connection *c, const tpi_motion_header *header,
                                const uint8_t *bytes)
{
    const bool resets = (header->flags & TPI_MOTION_RESET) != 0;
    const bool empty = header->records == 0 && header->size == 0;
    tp_error err = {.text = ""};

    assert(front_is_current(c->front));
    if (check(header, bytes, &err) != TP_OK) {
        tpi_motionf_reply_signal(c, header->id, 0, TPI_MOTION_ERROR, err.text);
        return;
    }
    if (resets) {
        reset(c, header);
    }
    if (header->kind == TPI_MOTION_SESSION) {
        handle_session(c, header, bytes);
    } else if (header->kind == TPI_MOTION_COMMAND && (!empty || !resets)) {
        /* A frame without commands counts in its sequence, and may clear others. */
        forward(c, TP_MECHANISM_REQ_PLAY, header, bytes);
    } else if (!empty) {
        forward(c, TP_MECHANISM_REQ_ASK, header, bytes);
    }
}
