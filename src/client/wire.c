/*
 * wire.c - transport: the Player protocol on a stream; docs/reference/protocol.md describes it.
 *
 * Bytes are read into one buffer, and messages are decoded where they lie. It grows with a large
 * message as its bytes come, not on the word of its header. What is sent is encoded behind what the
 * kernel has not taken yet.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "client/inside.h"
#include "client/map.h"
#include "client/probe.h"
#include "troupe/msg.h"
#include "troupe/stream.h"

enum {
    FIRST_ROOM = 65536,
    MOST_BODY = TP_XDR_MAX_MESSAGE_SIZE - TP_XDR_HEADER_SIZE,
    MOST_UNSENT = 1 << 20, /* beyond which nothing more is taken for a server that does not read */
};

struct tpi_wire {
    tp_stream *stream; /* owned; NULL while there is none */
    tpi_probe *probe;  /* owned; NULL once it is greeted */
    bool greeted;

    unsigned char *in; /* owned */
    size_t in_length;
    size_t in_capacity;

    unsigned char *out; /* owned; what is before `out_sent` is gone */
    size_t out_sent;
    size_t out_length;
    size_t out_capacity;
    bool blocked; /* the kernel takes no more for now */
};

/* ---- Sending --------------------------------------------------------------------------------- */

typedef long write_call(tp_stream *stream, const tp_piece *pieces, unsigned count);

static void flush_by(tpi_wire *wire, write_call *try_write)
{
    const tp_piece piece = {wire->out + wire->out_sent, wire->out_length - wire->out_sent};
    const long taken = try_write(wire->stream, &piece, 1);

    if (taken < 0) {
        wire->out_sent = wire->out_length = 0; /* the end of the stream is reported later */
        return;
    }
    wire->out_sent += (size_t)taken;
    wire->blocked = wire->out_sent < wire->out_length;
    if (!wire->blocked) {
        wire->out_sent = wire->out_length = 0;
    }
}

static void flush(tpi_wire *wire)
{
    flush_by(wire, tp_stream_try_write);
}

/* A command that moves is not kept for a server that does not read: it would be old. Nothing else
 * waits. Whether it is on its way. */
static bool flush_at_once(tpi_wire *wire)
{
    flush_by(wire, tp_stream_try_write_at_once);
    if (wire->blocked && wire->out_sent == 0) {
        wire->blocked = false; /* the next one finds out for itself */
        wire->out_length = 0;
        return false;
    }
    return true;
}

/* Room for so many bytes behind what waits; NULL without memory. */
static unsigned char *reserve(tpi_wire *wire, size_t length)
{
    if (wire->out_sent > 0) {
        memmove(wire->out, wire->out + wire->out_sent, wire->out_length - wire->out_sent);
        wire->out_length -= wire->out_sent;
        wire->out_sent = 0;
    }
    const size_t needed = wire->out_length + length;
    if (needed > wire->out_capacity) {
        const size_t capacity = needed < 2 * wire->out_capacity ? 2 * wire->out_capacity : needed;
        unsigned char *out = realloc(wire->out, capacity);
        if (out == NULL) {
            return NULL;
        }
        wire->out = out;
        wire->out_capacity = capacity;
    }
    return wire->out + wire->out_length;
}

static tp_status is_not_read(const tp_message *what, tp_error *err)
{
    return tp_fail(err, TP_E_LIMIT, "the server does not read: %s was not sent, and would be old",
                   what->name);
}

static tp_status wire_send(tp_client *client, const tp_msghdr *header, const tp_message *what,
                           const void *value, tp_error *err)
{
    const bool moves = what != NULL && tp_effect_can_move(what->effect);
    tpi_wire *wire = client->wire;
    tp_msghdr full = *header;
    size_t size = 0;
    tp_status status = value == NULL ? TP_OK : tp_xdr_size(what->ask, value, &size);

    if (status == TP_OK && size > MOST_BODY) {
        status = TP_E_LIMIT;
    }
    if (status != TP_OK) {
        return tp_fail(err, status, "%s cannot be sent: %s", what->name, tp_status_text(status));
    }
    if (wire->blocked && moves) {
        return is_not_read(what, err);
    }
    if (wire->out_length - wire->out_sent > MOST_UNSENT) {
        return tp_fail(err, TP_E_LIMIT, "the server does not read what it is sent");
    }
    unsigned char *place = reserve(wire, TP_XDR_HEADER_SIZE + size);
    if (place == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    full.size = (uint32_t)size;
    tp_xdr_encode_header(&full, place);
    if (value != NULL) {
        tp_xdr_encode(what->ask, value, place + TP_XDR_HEADER_SIZE, size, &size);
    }
    wire->out_length += TP_XDR_HEADER_SIZE + size;
    if (moves) {
        return flush_at_once(wire) ? TP_OK : is_not_read(what, err);
    }
    if (!wire->blocked) {
        flush(wire);
    }
    return TP_OK;
}

static void on_written(void *context)
{
    tp_client *client = context;

    flush(client->wire);
}

/* ---- Receiving ------------------------------------------------------------------------------- */

static void take_message(tp_client *client, const tp_msghdr *header, const unsigned char *body)
{
    const tp_struct *type = NULL;
    tp_msg *msg = NULL;

    if (!tpi_client_wants(client, header, &type)) {
        return;
    }
    tp_status status = tp_msg_decode(&msg, header, type, body, header->size);
    if (status == TP_OK) {
        status = tpi_map_unpack(&msg);
    }
    if (status == TP_OK) {
        tpi_client_receive(client, msg);
    } else {
        tpi_client_cannot_read(client, header, status);
    }
    tp_msg_unref(msg);
}

static bool is_sane(tp_client *client, const tp_msghdr *header)
{
    if (header->size > MOST_BODY) {
        tpi_client_is_down(client, "%s: the server announces a message of %u bytes", client->url,
                           header->size);
        return false;
    }
    if (header->type < TP_MSGTYPE_DATA || header->type > TP_MSGTYPE_RESP_NACK) {
        tpi_client_is_down(client, "%s: the server sends a message of the unknown type %u",
                           client->url, header->type);
        return false;
    }
    return true;
}

static void end_probe(tpi_wire *wire)
{
    tpi_probe_end(wire->probe);
    wire->probe = NULL;
}

/* What a server that is none has said, in letters that can be shown. */
static void refuse_banner(tp_client *client)
{
    const tpi_wire *wire = client->wire;
    char shown[TP_IDENT_STRLEN + 1];
    size_t i = 0;

    for (; i < TP_IDENT_STRLEN && i < wire->in_length && wire->in[i] != '\0'; i++) {
        shown[i] = isprint(wire->in[i]) ? (char)wire->in[i] : '.';
    }
    shown[i] = '\0';
    tpi_client_is_down(client, "%s: this is no Player server, it says \"%s\"", client->url, shown);
}

/* How many bytes the banner took; 0 if it is not complete or none. The first bytes decide whether
 * it is one: other servers greet with fewer bytes. */
static size_t take_banner(tp_client *client)
{
    static const char start[] = "Player v.";
    tpi_wire *wire = client->wire;
    const size_t compared = wire->in_length < sizeof start - 1 ? wire->in_length : sizeof start - 1;

    if (memcmp(wire->in, start, compared) != 0) {
        refuse_banner(client);
        return 0;
    }
    if (wire->in_length < TP_IDENT_STRLEN) {
        return 0;
    }
    end_probe(wire);
    memcpy(client->banner, wire->in, TP_IDENT_STRLEN);
    client->banner[TP_IDENT_STRLEN] = '\0';
    wire->greeted = true;
    tpi_client_is_up(client);
    return TP_IDENT_STRLEN;
}

/* Handle the whole messages from `used` on; how many bytes are used then. `needed` is how many
 * bytes the unfinished one has in all, as far as it is known. */
static size_t consume(tp_client *client, size_t used, size_t *needed)
{
    const tpi_wire *wire = client->wire;

    *needed = TP_XDR_HEADER_SIZE;
    while (wire->stream != NULL && wire->in_length - used >= TP_XDR_HEADER_SIZE) {
        tp_msghdr header;
        tp_xdr_decode_header(&header, wire->in + used);
        if (!is_sane(client, &header)) {
            break;
        }
        *needed = TP_XDR_HEADER_SIZE + (size_t)header.size;
        if (wire->in_length - used < *needed) {
            break;
        }
        take_message(client, &header, wire->in + used + TP_XDR_HEADER_SIZE);
        used += *needed;
        *needed = TP_XDR_HEADER_SIZE;
    }
    return used;
}

/* Keep what is left at the start of the room, which grows when it is full. */
static void keep_rest(tp_client *client, size_t used, size_t needed)
{
    tpi_wire *wire = client->wire;

    wire->in_length -= used;
    memmove(wire->in, wire->in + used, wire->in_length);
    if (wire->in_length < wire->in_capacity) {
        return;
    }
    const size_t capacity = needed < 2 * wire->in_capacity ? needed : 2 * wire->in_capacity;
    unsigned char *in = realloc(wire->in, capacity);
    if (in == NULL) {
        tpi_client_is_down(client, "%s: out of memory", client->url);
        return;
    }
    wire->in = in;
    wire->in_capacity = capacity;
}

static void on_room(void *context, void **bytes, size_t *length)
{
    const tpi_wire *wire = ((const tp_client *)context)->wire;

    *bytes = wire->in + wire->in_length;
    *length = wire->in_capacity - wire->in_length;
}

static void on_read(void *context, size_t length)
{
    tp_client *client = context;
    tpi_wire *wire = client->wire;
    size_t needed = TP_IDENT_STRLEN;

    tpi_client_enter(client);
    wire->in_length += length;
    size_t used = wire->greeted ? 0 : take_banner(client);
    if (wire->greeted) {
        used = consume(client, used, &needed);
    }
    if (wire->stream != NULL) {
        keep_rest(client, used, needed);
    }
    tpi_client_leave(client);
}

static void on_end(void *context, tp_status status)
{
    tp_client *client = context;
    tp_error err = {0};

    tpi_client_enter(client);
    if (status == TP_OK) {
        tpi_client_is_down(client, "%s: the server closed the connection", client->url);
    } else {
        tp_stream_error(client->wire->stream, &err);
        tpi_client_is_down(client, "%s", err.text);
    }
    tpi_client_leave(client);
}

/* ---- Connecting ------------------------------------------------------------------------------ */

static const tp_stream_events stream_events = {
    .room = on_room, .read = on_read, .written = on_written, .end = on_end};

static void on_found(void *context, tpi_peer what)
{
    static const char *const texts[] = {
        [TPI_PEER_PAGE] = "this is a page for browsers and no Player server; programs use the port "
                          "that the server prints as \"listening on port\", 6665 if nothing else "
                          "is said",
        [TPI_PEER_SILENT] = "this is no Player server; timed motion and universal robots have "
                            "ports of their own (7665, 8665), programs use 6665",
    };
    tp_client *client = context;

    tpi_client_enter(client);
    tpi_client_is_down(client, "%s: %s", client->url, texts[what]);
    tpi_client_leave(client);
}

static void on_connected(void *context, tp_stream *stream, tp_status status)
{
    tp_client *client = context;
    tp_error err = {0};

    tpi_client_enter(client);
    if (status != TP_OK) {
        tp_stream_error(stream, &err);
        tpi_client_is_down(client, "%s", err.text);
    } else {
        tp_stream_start(stream, &stream_events, client);
        /* A client that connects again and again has been right once, and its server is slow. */
        client->wire->probe =
            client->gives_up ? tpi_probe_begin(client->loop, client->url, on_found, client) : NULL;
    }
    tpi_client_leave(client);
}

static tp_status prepare(tp_client *client)
{
    tpi_wire *wire = client->wire != NULL ? client->wire : calloc(1, sizeof *wire);

    if (wire == NULL) {
        return TP_E_NOMEM;
    }
    client->wire = wire;
    if (wire->in == NULL) {
        wire->in = malloc(FIRST_ROOM);
        wire->in_capacity = FIRST_ROOM;
    }
    wire->greeted = wire->blocked = false;
    wire->in_length = wire->out_length = wire->out_sent = 0;
    return wire->in != NULL ? TP_OK : TP_E_NOMEM;
}

static tp_status wire_begin(tp_client *client, tp_error *err)
{
    if (prepare(client) != TP_OK) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", client->url);
    }
    return tp_stream_connect(&client->wire->stream, client->loop, client->url, on_connected, client,
                             err);
}

static void wire_end(tp_client *client)
{
    if (client->wire != NULL) {
        end_probe(client->wire);
        tp_stream_close(client->wire->stream);
        client->wire->stream = NULL;
    }
}

static void wire_destroy(tp_client *client)
{
    wire_end(client);
    if (client->wire != NULL) {
        free(client->wire->in);
        free(client->wire->out);
        free(client->wire);
        client->wire = NULL;
    }
}

const tpi_transport tpi_transport_wire = {
    .begin = wire_begin, .send = wire_send, .end = wire_end, .destroy = wire_destroy};
