/*
 * socket.c - WebSocket: the upgrade, and frames of clients.
 *
 * wslay reads frames: masks, fragments, UTF-8, pings, the closing. A frame is given to it when it
 * is whole, so that what a client holds and costs is counted as in the other fronts. Frames to
 * clients are written by output.c, which shares their bytes.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wslay/wslay.h>

#include "inside.h"

enum {
    CLIENT_PUBLISH = 1,
    CLIENT_CALL = 2,
    LONGEST_URGENT = 512,
    WHOLE = 0x80,
    FRAGMENT = 128, /* bytes that wslay has for a fragment, beside its payload, and some more */
};

/* ---- Frames ---------------------------------------------------------------------------------- */

static ssize_t on_recv(wslay_event_context_ptr socket, uint8_t *bytes, size_t length, int flags,
                       void *context)
{
    struct connection *c = context;
    const size_t taken = length < c->frame_left ? length : c->frame_left;

    (void)flags;
    if (taken == 0) {
        wslay_event_set_error(socket, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(bytes, c->frame, taken);
    c->frame += taken;
    c->frame_left -= taken;
    return (ssize_t)taken;
}

static ssize_t on_send(wslay_event_context_ptr socket, const uint8_t *bytes, size_t length,
                       int flags, void *context)
{
    struct connection *c = context;

    (void)flags;
    tpi_buf_put(&c->out, bytes, length);
    if (c->out.failed) {
        wslay_event_set_error(socket, WSLAY_ERR_NOMEM);
        return -1;
    }
    return (ssize_t)length;
}

static void handle_binary(struct connection *c, const uint8_t *bytes, size_t length)
{
    if (length >= 5 && bytes[0] == CLIENT_PUBLISH) {
        tpi_web_publish(c->door, tpi_web_get_u32(bytes + 1), bytes + 5, length - 5);
    } else if (length >= 1 && bytes[0] == CLIENT_CALL) {
        tpi_web_call(c->door, bytes + 1, length - 1);
    } else {
        tpi_web_status(c, 2, "a binary message is a publication (1) or a call of a service (2)");
    }
}

/* A message of the client. Pings and pongs are a browser's, also of a page that hangs: they renew
 * no lease. */
static void on_message(wslay_event_context_ptr socket,
                       const struct wslay_event_on_msg_recv_arg *arg, void *context)
{
    struct connection *c = context;
    const struct client *client = c->door;

    (void)socket;
    if (wslay_is_ctrl_frame(arg->opcode) || c->ending) {
        return;
    }
    for (int form = 0; form < FORMS; form++) {
        if (client->sessions[form] != NULL) {
            tp_session_heard(client->sessions[form]);
        }
    }
    if (c->phase == PHASE_STOP) {
        tpi_web_stop_say(c, (const char *)arg->msg, arg->msg_length);
    } else if (arg->opcode == WSLAY_TEXT_FRAME) {
        tpi_web_speak(c, (const char *)arg->msg, arg->msg_length);
    } else {
        handle_binary(c, arg->msg, arg->msg_length);
    }
}

static void on_frame(wslay_event_context_ptr socket,
                     const struct wslay_event_on_frame_recv_start_arg *arg, void *context)
{
    struct connection *c = context;

    (void)socket;
    if (!wslay_is_ctrl_frame(arg->opcode)) {
        c->in.fragments = arg->fin ? 0 : c->in.fragments + (size_t)arg->payload_length + FRAGMENT;
    }
}

/* Close with a code: the client is told, and the connection ends when that is written. */
static void close_socket(struct connection *c, uint16_t code)
{
    if (!wslay_event_get_close_sent(c->socket)) {
        (void)wslay_event_queue_close(c->socket, code, NULL, 0);
        (void)wslay_event_send(c->socket);
    }
    c->finishing = true;
    tpi_web_flush(c);
}

static size_t longest(const struct connection *c)
{
    const size_t most = tp_session_longest_message(c->door->sessions[FORM_JSON]);

    return most < MOST_BODY ? most : MOST_BODY;
}

size_t tpi_web_frame(struct connection *c, const uint8_t *bytes, size_t length, size_t *needed)
{
    const uint64_t whole = tpi_frame_length(bytes, length);

    assert(front_is_current(c->front));
    if (whole == 0) {
        *needed = length + 1;
        return 0;
    }
    if (whole > longest(c) - c->in.fragments || c->in.fragments >= longest(c)) {
        if (c->phase == PHASE_STOP) {
            tpi_web_stop(c, "");
        }
        close_socket(c, WSLAY_CODE_MESSAGE_TOO_BIG);
        return length;
    }
    *needed = (size_t)whole;
    if (length < whole) {
        return 0;
    }
    c->frame = bytes;
    c->frame_left = (size_t)whole;
    const bool failed = wslay_event_recv(c->socket) != 0;
    c->frame_left = 0;
    (void)wslay_event_send(c->socket);
    const bool broken = failed || (wslay_event_get_close_sent(c->socket) &&
                                   !wslay_event_get_close_received(c->socket));
    if (broken && c->phase == PHASE_STOP) { /* it is neither a question nor the end */
        tp_session_panic(c->door->sessions[FORM_JSON], "STOP");
    }
    if (failed || c->out.failed) {
        tpi_web_give_up(c);
    } else if (wslay_event_get_close_received(c->socket) || wslay_event_get_close_sent(c->socket)) {
        c->finishing = true;
    }
    tpi_web_flush(c);
    return (size_t)whole;
}

/* ---- The upgrade ----------------------------------------------------------------------------- */

static bool create_socket(struct connection *c)
{
    static const struct wslay_event_callbacks callbacks = {
        .recv_callback = on_recv,
        .send_callback = on_send,
        .on_frame_recv_start_callback = on_frame,
        .on_msg_recv_callback = on_message,
    };

    if (wslay_event_context_server_init(&c->socket, &callbacks, c) != 0) {
        c->socket = NULL;
        return false;
    }
    wslay_event_config_set_max_recv_msg_length(c->socket, MOST_BODY);
    return true;
}

/* The first of the client's list that we know. */
static const char *choose(const tpi_http *request, bool stop)
{
    static const char *const known[] = {"foxglove.websocket.v1", "foxglove.sdk.v1"};
    tpi_span word;
    size_t at = 0;

    while (tpi_span_word(request->socket_protocols, &at, &word)) {
        if (stop && tpi_span_is(word, "troupe.stop.v1")) {
            return "troupe.stop.v1";
        }
        for (size_t i = 0; i < 2 && !stop; i++) {
            if (tpi_span_is(word, known[i])) {
                return known[i];
            }
        }
    }
    return NULL;
}

static bool is_on(const tpi_http *request, const char *name)
{
    char value[8];

    return tpi_http_parameter(value, sizeof value, request->query, name) && strcmp(value, "1") == 0;
}

/* The key of the address or of the header; false if it was refused. */
static bool show_key(struct connection *c, const tpi_http *request)
{
    static const char scheme[] = "Bearer ";
    const size_t length = sizeof scheme - 1;
    const tpi_span said = request->authorization;
    char key[SECRET] = "";
    tp_error err = {.text = ""};

    if (said.text != NULL) {
        if (said.length > length && said.length - length < sizeof key &&
            tpi_span_same((tpi_span){said.text, length}, scheme)) {
            memcpy(key, said.text + length, said.length - length);
        }
    } else if (!tpi_http_parameter(key, sizeof key, request->query, "key")) {
        return true;
    }
    const tp_status status =
        tp_session_show_key(c->door->sessions[FORM_JSON], key, strlen(key), &err);
    if (status != TP_OK) {
        tpi_web_refuse(c, status == TP_E_LIMIT ? 429 : 401, "denied",
                       err.text[0] != '\0' ? err.text : "the key is wrong");
    }
    return status == TP_OK;
}

static void begin(struct connection *c, const tpi_http *request, const char *protocol,
                  const char *accept, bool stop)
{
    char name[CLIENT_NAME];
    struct client *client = c->door;
    tp_session *session = client->sessions[FORM_JSON];

    tpi_buf_printf(&c->out,
                   "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                   "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n"
                   "Sec-WebSocket-Protocol: %s\r\n\r\n",
                   accept, protocol);
    c->phase = stop ? PHASE_STOP : PHASE_GREETED;
    c->brief = is_on(request, "brief");
    client->leases = is_on(request, "lease");
    tp_session_speak_leases(session, client->leases);
    if (!tpi_http_parameter(name, sizeof name, request->query, "client") || name[0] == '\0') {
        snprintf(name, sizeof name, "%s", stop ? "web, to stop" : "web");
    }
    tp_session_set_software(session, name);
    if (!stop) {
        tpi_web_socket_go_on(c);
    } else {
        tpi_web_stop_told(c);
    }
    tpi_web_flush(c);
}

void tpi_web_socket_go_on(struct connection *c)
{
    tp_session *session = c->door->sessions[FORM_JSON];

    assert(front_is_current(c->front));
    if (c->phase != PHASE_GREETED || c->ending || c->finishing || tp_session_is_busy(session)) {
        return;
    }
    tpi_web_directory_look(c->front);
    if (tpi_web_can_introduce(c)) {
        c->phase = PHASE_SOCKET;
        tpi_web_introduce(c);
        tp_session_took_part(session, 0); /* it is work, also without a message */
    }
}

/* Parts of messages wait, and what is longer than a key. */
bool tpi_web_socket_is_urgent(const struct connection *c, const uint8_t *bytes, size_t length)
{
    const uint64_t whole = tpi_frame_length(bytes, length);
    const tp_session *session = c->door->sessions[FORM_JSON];
    char text[LONGEST_URGENT];
    tpi_say said;

    assert(front_is_current(c->front));
    if (whole == 0 || whole > length ||
        (bytes[0] != (WHOLE | TPI_FRAME_TEXT) && bytes[0] != (WHOLE | TPI_FRAME_BINARY)) ||
        (!tp_session_is_new(session) && tp_session_sees_panic(session))) {
        return false;
    }
    const size_t count = tpi_frame_payload(text, sizeof text, bytes, length);
    if (bytes[0] == (WHOLE | TPI_FRAME_BINARY)) {
        return count > 0 && text[0] == CLIENT_CALL && !tp_session_sees_panic(session) &&
               tpi_web_calls_panic((const uint8_t *)text + 1,
                                   (count < sizeof text ? count : sizeof text) - 1);
    }
    if (count > sizeof text || tpi_say_read(&said, text, count, NULL) != TP_OK) {
        return false;
    }
    return said.op == TPI_SAY_PANIC ? !tp_session_sees_panic(session)
                                    : tp_session_is_new(session) && (said.op == TPI_SAY_AUTH ||
                                                                     said.op == TPI_SAY_CHALLENGE ||
                                                                     said.op == TPI_SAY_PROVE);
}

void tpi_web_upgrade(struct connection *c, const tpi_http *request)
{
    const bool stop = tpi_span_is(request->path, "/stop");
    const char *protocol = choose(request, stop);
    char accept[TPI_FRAME_ACCEPT + 1];

    assert(front_is_current(c->front));
    if (!stop && !tpi_span_is(request->path, "/") && !tpi_span_is(request->path, "/ws")) {
        tpi_web_refuse(c, 404, "unknown", "WebSockets are at /ws and /stop");
    } else if (request->method != TPI_HTTP_GET || request->length > 0 ||
               !tpi_span_is(request->socket_version, "13") ||
               !tpi_frame_accept(accept, request->socket_key)) {
        tpi_web_refuse(c, 400, "invalid", "this is no upgrade to WebSocket 13");
    } else if (protocol == NULL) {
        tpi_web_refuse(c, 400, "unsupported",
                       stop ? "the subprotocol is troupe.stop.v1"
                            : "the subprotocol is foxglove.websocket.v1 or foxglove.sdk.v1");
    } else if (stop || show_key(c, request)) {
        if (!create_socket(c)) {
            tpi_web_refuse(c, 503, "nomem", "out of memory");
            return;
        }
        begin(c, request, protocol, accept, stop);
    }
}
