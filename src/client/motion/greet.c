/* greet.c - how a connection to a motion server begins; see greet.h. */
#include "client/motion/greet.h"

#include <stdio.h>
#include <string.h>

/* Tags of the library itself; programs get smaller ones. */
static const uint32_t TAG = 0xffff0000;

void tpi_greet_fini(tpi_greet *greet)
{
    tpi_robot_destroy(greet->robot);
    greet->robot = NULL;
}

/* ---- Asking ---- */

static tp_status ask(tpi_greet *g, tpi_talk *talk, uint16_t code, const void *value, tp_error *err)
{
    const bool query = tpi_motion_kind_of(code) == TPI_MOTION_QUERY;
    const tpi_motion_header header = {.kind = query ? TPI_MOTION_QUERY : TPI_MOTION_SESSION};
    const tpi_talk_item item = {code, TAG + (++g->tag & 0xffff), value};
    const tp_status status = tpi_talk_put(talk, &header, &item, 1, err);

    return status == TP_OK ? TP_PENDING : status;
}

static tp_status say_hello(tpi_greet *g, tpi_talk *talk, tp_error *err)
{
    tpi_motion_hello hello = {.lease_us = g->lease_us};

    memcpy(hello.name, g->name, sizeof hello.name);
    memcpy(hello.token, g->token, sizeof hello.token);
    g->step = TPI_GREET_HELLO;
    return ask(g, talk, TPI_MOTION_HELLO, &hello, err);
}

static bool is_further(const tpi_greet *g)
{
    static const uint8_t none[16];

    return memcmp(g->token, none, sizeof none) != 0;
}

/* The key comes first: HELLO of a client without a right can wait behind others. */
tp_status tpi_greet_begin(tpi_greet *g, tpi_talk *talk, int64_t now_ns, tp_error *err)
{
    static const tpi_motion_empty empty;
    const bool proves = g->prove != NULL && !is_further(g);
    tp_status status;

    (void)now_ns;
    if (proves) {
        g->step = TPI_GREET_CHALLENGE;
        status = ask(g, talk, TPI_MOTION_CHALLENGE, &empty, err);
    } else {
        status = say_hello(g, talk, err);
    }
    return status == TP_PENDING ? TP_OK : status;
}

tp_status tpi_greet_ask_time(tpi_greet *g, tpi_talk *talk, int64_t now_ns, tp_error *err)
{
    const tpi_motion_sync sync = {(uint64_t)now_ns / 1000};

    g->asked_ns = now_ns;
    return ask(g, talk, TPI_MOTION_SYNC, &sync, err);
}

static tp_status ask_description(tpi_greet *g, tpi_talk *talk, tp_error *err)
{
    static const tpi_motion_empty empty;

    g->step = TPI_GREET_HEADER;
    return ask(g, talk, TPI_MOTION_ASK_HEADER, &empty, err);
}

/* The next page, or what follows the last one. */
static tp_status ask_page(tpi_greet *g, tpi_talk *talk, int64_t now_ns, tp_error *err)
{
    tpi_motion_page page;
    uint16_t code;

    if (tpi_robot_next(g->robot, &code, &page)) {
        g->step = TPI_GREET_BLOCKS;
        return ask(g, talk, code, &page, err);
    }
    const tp_status status = tpi_robot_check(g->robot, err);
    if (status != TP_OK) {
        return status;
    }
    g->step = TPI_GREET_SYNC;
    return tpi_greet_ask_time(g, talk, now_ns, err);
}

/* ---- Answers ---- */

static tp_status get(const tpi_motion_record *record, uint16_t code, void *value, tp_error *err)
{
    if (record->code != (code | TPI_MOTION_ANSWER)) {
        return tp_fail(err, TP_E_INVALID, "the server answers %s with another record",
                       tpi_motion_body_of(code)->name);
    }
    return tpi_motion_body_get(tpi_motion_body_of(record->code), record->body, record->length,
                               value, NULL, 0, err);
}

void tpi_greet_why(const tpi_motion_record *record, char *out, size_t size)
{
    tpi_motion_signalled signal = {0};
    char text[UINT16_MAX + 1];

    out[0] = '\0';
    if (record->code == TPI_MOTION_SIGNAL &&
        tpi_motion_body_get(tpi_motion_body_of(record->code), record->body, record->length, &signal,
                            text, sizeof text, NULL) == TP_OK) {
        (void)snprintf(out, size, "%.*s", (int)signal.length, text);
    }
}

/* A refusal where an answer was expected. A server without keys refuses CHALLENGE. */
static tp_status take_signal(tpi_greet *g, tpi_talk *talk, const tpi_motion_record *record,
                             tp_error *err)
{
    char why[200];

    tpi_greet_why(record, why, sizeof why);
    switch (g->step) {
    case TPI_GREET_CHALLENGE:
        return say_hello(g, talk, err);
    case TPI_GREET_PROVE:
        return tp_fail(err, TP_E_DENIED, "the key is refused: %s", why);
    default:
        return tp_fail(err, TP_E_INVALID, "the server refuses the connection: %s", why);
    }
}

static tp_status take_welcome(tpi_greet *g, tpi_talk *talk, const tpi_motion_record *record,
                              tp_error *err)
{
    const tp_status status = get(record, TPI_MOTION_HELLO, &g->welcome, err);

    if (status != TP_OK) {
        return status;
    }
    if (is_further(g)) {
        g->step = TPI_GREET_DONE;
        return TP_OK;
    }
    return ask_description(g, talk, err);
}

static tp_status take_challenge(tpi_greet *g, tpi_talk *talk, const tpi_motion_record *record,
                                tp_error *err)
{
    tpi_motion_nonce nonce, proof;
    tp_status status = get(record, TPI_MOTION_CHALLENGE, &nonce, err);

    if (status == TP_OK) {
        status = g->prove(g->context, proof.nonce, nonce.nonce);
    }
    g->step = TPI_GREET_PROVE;
    return status == TP_OK ? ask(g, talk, TPI_MOTION_PROVE, &proof, err) : status;
}

static tp_status take_proved(tpi_greet *g, tpi_talk *talk, const tpi_motion_record *record,
                             tp_error *err)
{
    tpi_motion_right right;
    const tp_status status = get(record, TPI_MOTION_PROVE, &right, err);

    return status == TP_OK ? say_hello(g, talk, err) : status;
}

static tp_status take_header(tpi_greet *g, tpi_talk *talk, const tpi_motion_record *record,
                             int64_t now_ns, tp_error *err)
{
    tpi_motion_description header;
    tp_status status = get(record, TPI_MOTION_ASK_HEADER, &header, err);

    if (status == TP_OK && header.units != 1) {
        status = tp_fail(err, TP_E_UNSUPPORTED, "the server has units of version %u", header.units);
    }
    status = status == TP_OK ? tpi_robot_create(&g->robot, &header, err) : status;
    return status == TP_OK ? ask_page(g, talk, now_ns, err) : status;
}

bool tpi_greet_synced(tpi_greet *g, const tpi_motion_record *record, int64_t now_ns)
{
    tpi_motion_synced synced;

    if (get(record, TPI_MOTION_SYNC, &synced, NULL) != TP_OK ||
        synced.sent_us != (uint64_t)g->asked_ns / 1000 || synced.received_us > INT64_MAX / 2000 ||
        synced.answered_us > INT64_MAX / 2000) {
        return false;
    }
    tpi_sync_add(&g->sync, g->asked_ns, (int64_t)synced.received_us * 1000,
                 (int64_t)synced.answered_us * 1000, now_ns);
    return true;
}

static tp_status take_time(tpi_greet *g, tpi_talk *talk, const tpi_motion_record *record,
                           int64_t now_ns, tp_error *err)
{
    if (!tpi_greet_synced(g, record, now_ns)) {
        return tp_fail(err, TP_E_INVALID, "the server's time cannot be read");
    }
    if (!tpi_sync_is_ready(&g->sync)) {
        return tpi_greet_ask_time(g, talk, now_ns, err);
    }
    g->step = TPI_GREET_DONE;
    return TP_OK;
}

tp_status tpi_greet_take(tpi_greet *g, tpi_talk *talk, const tpi_motion_record *record,
                         int64_t now_ns, tp_error *err)
{
    const bool refused = record->tag == 0 && record->code == TPI_MOTION_SIGNAL &&
                         record->body[0] == TPI_MOTION_ERROR;

    if (record->tag != TAG + (g->tag & 0xffff) && !refused) {
        return TP_PENDING; /* a panic, perhaps, which is no answer */
    }
    if (record->code == TPI_MOTION_SIGNAL) {
        return take_signal(g, talk, record, err);
    }
    switch (g->step) {
    case TPI_GREET_HELLO:
        return take_welcome(g, talk, record, err);
    case TPI_GREET_CHALLENGE:
        return take_challenge(g, talk, record, err);
    case TPI_GREET_PROVE:
        return take_proved(g, talk, record, err);
    case TPI_GREET_HEADER:
        return take_header(g, talk, record, now_ns, err);
    case TPI_GREET_BLOCKS: {
        const tp_status status = tpi_robot_take(g->robot, record, err);
        return status == TP_OK ? ask_page(g, talk, now_ns, err) : status;
    }
    case TPI_GREET_SYNC:
        return take_time(g, talk, record, now_ns, err);
    case TPI_GREET_DONE:
        break;
    }
    return TP_PENDING;
}
