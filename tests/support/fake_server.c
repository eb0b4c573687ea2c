/* fake_server.c - a server that does what a test wants; see fake_server.h. */
#include "support/fake_server.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/msg.h"

/* ---- What it was sent ------------------------------------------------------------------------ */

static void note(fake_server *server, const char *format, ...) TP_PRINTF(2, 3);

static void note(fake_server *server, const char *format, ...)
{
    const size_t length = strlen(server->log);
    const size_t blank = length > 0;
    va_list arguments;

    assert_true(length + 64 < sizeof server->log);
    server->log[length] = ' ';
    va_start(arguments, format);
    vsnprintf(server->log + length + blank, sizeof server->log - length - blank, format, arguments);
    va_end(arguments);
}

const char *fake_server_log(fake_server *server)
{
    static char copy[sizeof server->log];

    memcpy(copy, server->log, sizeof copy);
    server->log[0] = '\0';
    return copy;
}

bool fake_server_has(const fake_server *server, const char *word)
{
    const char *found = strstr(server->log, word);

    return found != NULL && (found[strlen(word)] == ' ' || found[strlen(word)] == '\0');
}

/* ---- What it says ---------------------------------------------------------------------------- */

void fake_server_send(fake_server *server, const void *bytes, size_t length)
{
    const tp_piece piece = {bytes, length};

    assert_non_null(server->stream);
    assert_int_equal(tp_stream_try_write(server->stream, &piece, 1), (long)length);
}

void fake_server_message(fake_server *server, const tp_msghdr *header, const tp_struct *type,
                         const void *value)
{
    static unsigned char bytes[1 << 17];
    tp_msghdr full = *header;
    size_t size = 0;

    if (type != NULL) {
        assert_int_equal(tp_xdr_encode(type, value, bytes + TP_XDR_HEADER_SIZE,
                                       sizeof bytes - TP_XDR_HEADER_SIZE, &size),
                         TP_OK);
    }
    full.addr.host = 0x0100007f;
    full.addr.robot = server->port;
    full.size = (uint32_t)size;
    tp_xdr_encode_header(&full, bytes);
    fake_server_send(server, bytes, TP_XDR_HEADER_SIZE + size);
}

void fake_server_reply(fake_server *server, const tp_msghdr *request, unsigned type,
                       const tp_struct *body_type, const void *body)
{
    tp_msghdr header = *request;

    header.type = (uint8_t)type;
    if (server->plain && header.addr.interf != TP_PLAYER_CODE) {
        header.seq = 0;
    }
    fake_server_message(server, &header, body_type, body);
}

void fake_server_data(fake_server *server, unsigned interf, unsigned index, unsigned code,
                      const tp_struct *type, const void *value, double timestamp)
{
    const tp_msghdr header = {.addr = {.interf = (uint16_t)interf, .index = (uint16_t)index},
                              .type = TP_MSGTYPE_DATA,
                              .subtype = (uint8_t)code,
                              .timestamp = timestamp};
    const tp_msghdr synch = {.addr = {.interf = TP_PLAYER_CODE},
                             .type = TP_MSGTYPE_SYNCH,
                             .subtype = TP_PLAYER_SYNCH_OK};

    fake_server_message(server, &header, type, value);
    if (server->armed) {
        server->armed = false;
        fake_server_message(server, &synch, NULL, NULL);
    }
}

/* ---- What it does ---------------------------------------------------------------------------- */

static void serve_device(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    tp_device_req request;

    assert_int_equal(
        tp_xdr_decode(&tp_desc_device_req, body, header->size, &request, sizeof request), TP_OK);
    note(server, "%s:%u:%u", request.access == TP_CLOSE_MODE ? "close" : "open",
         request.addr.interf, request.addr.index);
    if (request.access > TP_ERROR_MODE) {
        note(server, "access:%u", request.access);
    }
    if (server->refuses_opening && request.access != TP_CLOSE_MODE) {
        request.access = TP_ERROR_MODE;
    }
    strcpy(request.driver_name, "pretender");
    request.driver_name_count = sizeof "pretender";
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_device_req, &request);
}

static void serve_hello(fake_server *server, const tp_msghdr *header)
{
    static char name[] = "fake";
    const tp_hello hello = {.version = 1, .name_count = sizeof name, .name = name};

    note(server, "hello");
    if (!server->plain) {
        fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_hello, &hello);
    }
}

static void serve_mode(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    server->pull = body[3] == TP_DATAMODE_PULL;
    note(server, "mode:%u", body[3]);
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, NULL, NULL);
}

static void serve_server(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    switch (header->subtype) {
    case TP_PLAYER_REQ_HELLO:
        serve_hello(server, header);
        break;
    case TP_PLAYER_REQ_DATAMODE:
        serve_mode(server, header, body);
        break;
    case TP_PLAYER_REQ_DATA:
        note(server, "pull");
        server->armed = server->pull;
        fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, NULL, NULL);
        break;
    case TP_PLAYER_REQ_ADD_REPLACE_RULE:
        note(server, "rule:%d", (signed char)body[3]);
        fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, NULL, NULL);
        break;
    case TP_PLAYER_REQ_DEV:
        serve_device(server, header, body);
        break;
    case TP_PLAYER_REQ_RATE:
        note(server, "rate");
        fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, NULL, NULL);
        break;
    default:
        note(server, "server:%u", header->subtype);
        fake_server_reply(server, header, TP_MSGTYPE_RESP_NACK, NULL, NULL);
        break;
    }
}

static void handle(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    if (server->handle != NULL && server->handle(server, header, body)) {
        return;
    }
    if (header->addr.interf == TP_PLAYER_CODE) {
        serve_server(server, header, body);
        return;
    }
    note(server, "%s:%u:%u:%u", header->type == TP_MSGTYPE_CMD ? "cmd" : "req", header->addr.interf,
         header->addr.index, header->subtype);
    if (header->type == TP_MSGTYPE_REQ && !server->ignores_devices) {
        fake_server_reply(server, header, TP_MSGTYPE_RESP_NACK, NULL, NULL);
    }
}

/* ---- Connections ----------------------------------------------------------------------------- */

static void on_room(void *context, void **bytes, size_t *length)
{
    fake_server *server = context;

    *bytes = server->in + server->in_length;
    *length = sizeof server->in - server->in_length;
}

static void on_read(void *context, size_t length)
{
    fake_server *server = context;
    size_t used = 0;
    tp_msghdr header;

    server->in_length += length;
    while (server->stream != NULL && server->in_length - used >= TP_XDR_HEADER_SIZE) {
        tp_xdr_decode_header(&header, server->in + used);
        if (server->in_length - used < TP_XDR_HEADER_SIZE + header.size) {
            break;
        }
        used += TP_XDR_HEADER_SIZE + header.size;
        if (!server->silent) {
            handle(server, &header, server->in + used - header.size);
        }
    }
    server->in_length -= used;
    memmove(server->in, server->in + used, server->in_length);
}

static void on_written(void *context)
{
    (void)context;
}

static void on_end(void *context, tp_status status)
{
    (void)status;
    fake_server_hang_up(context);
}

static const tp_stream_events events = {
    .room = on_room, .read = on_read, .written = on_written, .end = on_end};

static void on_accept(void *context, tp_stream *stream)
{
    fake_server *server = context;
    char banner[TP_IDENT_STRLEN] = "";

    tp_stream_close(server->stream);
    server->stream = stream;
    server->accepted++;
    server->in_length = 0;
    server->pull = server->armed = false;
    assert_int_equal(tp_stream_start(stream, &events, server), TP_OK);
    if (!server->silent) {
        memcpy(banner, server->banner, strlen(server->banner));
        fake_server_send(server, banner, sizeof banner);
    }
}

void fake_server_begin(fake_server *server, tp_loop *loop)
{
    memset(server, 0, sizeof *server);
    server->loop = loop;
    server->banner = "Player v.3.1.1-dev";
    fake_server_return(server);
}

void fake_server_return(fake_server *server)
{
    char address[64];

    snprintf(address, sizeof address, "tcp:127.0.0.1:%u", server->port);
    assert_int_equal(
        tp_listener_open(&server->listener, server->loop, address, on_accept, server, NULL), TP_OK);
    server->port = tp_listener_port(server->listener);
    snprintf(server->url, sizeof server->url, "tcp:127.0.0.1:%u", server->port);
}

void fake_server_hang_up(fake_server *server)
{
    tp_stream_close(server->stream);
    server->stream = NULL;
}

void fake_server_vanish(fake_server *server)
{
    fake_server_hang_up(server);
    tp_listener_close(server->listener);
    server->listener = NULL;
}

void fake_server_end(fake_server *server)
{
    fake_server_vanish(server);
}
