/*
 * visitor.c - clients of HTTP.
 *
 * A visitor is known by its host, its key and the name that it gives itself. It lives from its
 * first request to the end of a silence: what it has open is closed then, and what it moves stops.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { MOST_OF_A_HOST = 16, MOST_NEWEST = 256 };

static const int64_t SILENCE_NS = 5 * TP_NS_PER_S;

/* ---- What comes for a visitor ---------------------------------------------------------------- */

static void keep_newest(struct client *visitor, tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);
    struct newest *at = visitor->newest;
    unsigned count = 0;

    while (at != NULL && (tp_msg_header(at->msg)->subtype != header->subtype ||
                          !same_address(&tp_msg_header(at->msg)->addr, &header->addr))) {
        at = at->next;
        count++;
    }
    if (at == NULL && count < MOST_NEWEST && (at = calloc(1, sizeof *at)) != NULL) {
        at->next = visitor->newest;
        visitor->newest = at;
    }
    if (at != NULL) {
        tp_msg_unref(at->msg);
        at->msg = tp_msg_ref(msg);
    }
}

static void drain(tp_after *after)
{
    struct client *visitor = (struct client *)((char *)after - offsetof(struct client, drain));
    tp_msg *msg;

    assert(front_is_current(visitor->front));
    while ((msg = tp_session_take(visitor->sessions[FORM_JSON])) != NULL) {
        const tp_msghdr *header = tp_msg_header(msg);

        if (header->type != TP_MSGTYPE_DATA) {
            tpi_web_answered(visitor, msg);
        } else if (header->addr.interf != TP_PLAYER_CODE) {
            keep_newest(visitor, msg);
            tpi_web_api_data(visitor, msg);
        }
        tp_msg_unref(msg);
    }
}

/* ---- Who it is ------------------------------------------------------------------------------- */

static void copy_host(char out[HOST_NAME], const char *peer)
{
    const char *end = strrchr(peer, ':');
    size_t length = end != NULL ? (size_t)(end - peer) : strlen(peer);

    length = length < HOST_NAME ? length : HOST_NAME - 1;
    memcpy(out, peer, length);
    out[length] = '\0';
}

/* Takes the same time for every secret. */
static bool same_secret(const char a[SECRET], const char b[SECRET])
{
    unsigned char differs = 0;

    for (int i = 0; i < SECRET; i++) {
        differs |= (unsigned char)(a[i] ^ b[i]);
    }
    return differs == 0;
}

/* What a request says of its client; false if that is not valid. */
static bool identify(struct client *wanted, const tpi_http *request)
{
    static const char scheme[] = "Bearer ";
    const tpi_span said = request->authorization;
    const size_t length = sizeof scheme - 1;

    if (said.text != NULL) {
        if (said.length <= length || said.length - length >= SECRET ||
            !tpi_span_same((tpi_span){said.text, length}, scheme)) {
            return false;
        }
        memcpy(wanted->secret, said.text + length, said.length - length);
    }
    if (request->client.length >= sizeof wanted->name) {
        return false;
    }
    if (request->client.text != NULL) {
        memcpy(wanted->name, request->client.text, request->client.length);
    }
    return true;
}

/* Those with a key and those without one are counted apart: strangers keep no owner of a key out.
 */
struct crowd {
    size_t all, of_host;
};

static bool has_key(const struct client *visitor)
{
    return visitor->secret[0] != '\0';
}

static struct client *find(const struct web_front *front, const struct client *wanted,
                           struct crowd *alike)
{
    struct client *found = NULL;

    for (struct client *at = front->visitors; at != NULL; at = at->next) {
        const bool same = strcmp(at->host, wanted->host) == 0;

        if (has_key(at) == has_key(wanted)) {
            alike->all++;
            alike->of_host += same;
        }
        if (same && same_secret(at->secret, wanted->secret) && !at->lost &&
            strcmp(at->name, wanted->name) == 0) {
            found = at;
        }
    }
    return found;
}

static void destroy(struct client *visitor)
{
    struct web_front *front = visitor->front;

    *(visitor->previous != NULL ? &visitor->previous->next : &front->visitors) = visitor->next;
    if (visitor->next != NULL) {
        visitor->next->previous = visitor->previous;
    }
    tpi_web_client_destroy(visitor);
}

/* A new one, with the right of its key; NULL if it was refused. */
static struct client *create(struct connection *c, const struct client *wanted)
{
    struct web_front *front = c->front;
    struct client *visitor = tpi_web_client_create(front, tp_stream_peer(c->stream));
    tp_error err = {.text = ""};

    if (visitor == NULL) {
        tpi_web_refuse(c, 503, "nomem", "there is no place for another client");
        return NULL;
    }
    memcpy(visitor->host, wanted->host, sizeof visitor->host);
    memcpy(visitor->secret, wanted->secret, sizeof visitor->secret);
    memcpy(visitor->name, wanted->name, sizeof visitor->name);
    visitor->drain.run = drain;
    visitor->next = front->visitors;
    if (visitor->next != NULL) {
        visitor->next->previous = visitor;
    }
    front->visitors = visitor;
    tp_session_set_software(visitor->sessions[FORM_JSON],
                            visitor->name[0] != '\0' ? visitor->name : "http");
    tp_session_heard(visitor->sessions[FORM_JSON]);
    if (has_key(visitor)) {
        const tp_status status = tp_session_show_key(visitor->sessions[FORM_JSON], visitor->secret,
                                                     strlen(visitor->secret), &err);
        if (status != TP_OK) {
            destroy(visitor);
            tpi_web_refuse(c, status == TP_E_LIMIT ? 429 : 401, "denied",
                           err.text[0] != '\0' ? err.text : "the key is wrong");
            return NULL;
        }
    }
    return visitor;
}

struct client *tpi_web_visit(struct connection *c, const tpi_http *request)
{
    struct client wanted = {.front = c->front};
    struct crowd alike = {0, 0};

    assert(front_is_current(c->front));
    copy_host(wanted.host, tp_stream_peer(c->stream));
    if (!identify(&wanted, request)) {
        tpi_web_refuse(c, 401, "denied", "a key is given as `Authorization: Bearer KEY`");
        return NULL;
    }
    struct client *visitor = find(c->front, &wanted, &alike);
    if (visitor == NULL && (alike.of_host >= MOST_OF_A_HOST || alike.all >= MOST_CLIENTS)) {
        tpi_web_refuse(c, 429, "limit", "this host has too many clients with different names");
        return NULL;
    }
    visitor = visitor != NULL ? visitor : create(c, &wanted);
    if (visitor != NULL && visitor != c->visitor) {
        tpi_web_visitor_leave(c);
        visitor->connections++;
        c->visitor = visitor;
    }
    if (visitor != NULL) {
        visitor->used_ns = front_now(c->front);
        tp_session_received_by(visitor->sessions[FORM_JSON], c->door->sessions[FORM_JSON]);
        tp_session_heard(visitor->sessions[FORM_JSON]);
    }
    return visitor;
}

void tpi_web_visitor_rests(struct connection *c)
{
    assert(front_is_current(c->front));
    if (c->visitor != NULL) {
        tp_session_received_by(c->visitor->sessions[FORM_JSON], NULL);
    }
}

void tpi_web_visitor_leave(struct connection *c)
{
    struct client *visitor = c->visitor;

    assert(front_is_current(c->front));
    if (visitor == NULL) {
        return;
    }
    tpi_web_visitor_rests(c);
    tpi_web_connection_forgotten(visitor, c);
    c->visitor = NULL;
    visitor->connections--;
    if (visitor->connections == 0 && (visitor->uses == NULL || visitor->lost)) {
        destroy(visitor);
    }
}

/* A file that goes out needs its client no more. */
static bool waits_for_answer(const struct connection *c)
{
    return c->http.waiting != WAITS_NOT && c->http.waiting != WAITS_SENT;
}

static bool has_request(const struct client *visitor)
{
    const struct connection *c = visitor->front->connections;

    while (c != NULL && (c->visitor != visitor || !waits_for_answer(c))) {
        c = c->next;
    }
    return c != NULL;
}

static void end(struct client *visitor)
{
    for (struct connection *c = visitor->front->connections; c != NULL; c = c->next) {
        if (c->visitor == visitor) {
            c->visitor = NULL;
            if (waits_for_answer(c) && c->http.waiting != WAITS_STOP) {
                tpi_web_refuse(c, 503, "closed", "the client has lost its place");
            }
        }
    }
    destroy(visitor);
}

void tpi_web_visitors_tick(struct web_front *front, int64_t now_ns)
{
    struct client *next;

    assert(front_is_current(front));
    for (struct client *at = front->visitors; at != NULL; at = next) {
        next = at->next;
        if (at->lost || (now_ns - at->used_ns >= SILENCE_NS && !has_request(at))) {
            end(at);
        }
    }
}

void tpi_web_visitors_clear(struct web_front *front)
{
    while (front->visitors != NULL) {
        end(front->visitors);
    }
}
