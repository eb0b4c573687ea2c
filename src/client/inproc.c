/*
 * inproc.c - transport: a session in a server of this program.
 *
 * Nothing is encoded: data and replies are the server's own messages. Requests to the interface
 * `player` are forwarded to the session with their values. Messages are taken from the session at
 * the end of a turn, never inside a call.
 *
 * An interface that is not built in can be described twice: for the server by a file or a plug-in,
 * for the program by another one. Values of the two are not the same in memory, so they pass as the
 * bytes that they would be on a wire.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/inside.h"
#include "troupe/server.h"

struct tpi_inproc {
    tp_client *client;   /* borrowed */
    tp_hub *hub;         /* borrowed */
    tp_session *session; /* owned; NULL while it is not connected */
    tp_after drain;
    uint32_t robot;
    bool lost; /* the session gave the client up */
};

/* ---- Values of two descriptions -------------------------------------------------------------- */

/* A message with a value of the type `from`, for a reader that knows the type `to`. */
static tp_status convert(tp_msg **out, const tp_msghdr *header, const tp_struct *from,
                         const void *value, const tp_struct *to)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    tp_status status = value != NULL ? tp_xdr_size(from, value, &size) : TP_OK;

    if (status == TP_OK && size > 0) {
        bytes = malloc(size);
        status = bytes == NULL ? TP_E_NOMEM : tp_xdr_encode(from, value, bytes, size, &size);
    }
    status = status == TP_OK ? tp_msg_decode(out, header, to, bytes, size) : status;
    free(bytes);
    return status;
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* A request to the server itself. */
static tp_status serve(tpi_inproc *inproc, const tp_msghdr *request, const void *value,
                       tp_error *err)
{
    const tp_status status = tp_session_serve(inproc->session, request, value);

    return status == TP_OK ? TP_OK : tp_fail(err, status, "%s", tp_status_text(status));
}

/* A command or request for a device, as the server knows it. */
static tp_status forward(tpi_inproc *inproc, const tp_msghdr *header, const tp_message *what,
                         const void *value, tp_error *why)
{
    const tp_message *known = tp_catalogue_message(tp_hub_catalogue(inproc->hub),
                                                   header->addr.interf, what->kind, what->code);
    tp_msg *msg = NULL;

    if (known == NULL) {
        return tp_fail(why, TP_E_UNSUPPORTED, "the interface has no such message");
    }
    tp_status status = known->ask == what->ask
                           ? tp_msg_create(&msg, header, what->ask, value)
                           : convert(&msg, header, what->ask, value, known->ask);
    if (status != TP_OK) {
        return tp_fail(why, status, "%s", tp_status_text(status));
    }
    status = tp_session_send(inproc->session, msg, known, why);
    tp_msg_unref(msg);
    return status;
}

static tp_status inproc_send(tp_client *client, const tp_msghdr *header, const tp_message *what,
                             const void *value, tp_error *err)
{
    tpi_inproc *inproc = client->inproc;
    tp_msghdr full = *header;
    tp_error why = {0};

    full.addr.host = TP_PLAYER_HOST;
    full.addr.robot = inproc->robot;
    tp_session_heard_message(inproc->session, &full);
    if (full.type == TP_MSGTYPE_SYNCH) {
        return TP_OK; /* that was all it had to say */
    }
    if (full.addr.interf == TP_PLAYER_CODE) {
        return serve(inproc, &full, value, err);
    }
    const tp_status status = forward(inproc, &full, what, value, &why);
    if (status == TP_OK) {
        return TP_OK;
    }
    return what->kind == TP_KIND_REQUEST
               ? tp_session_refuse(inproc->session, &full, status, why.text)
               : tp_fail(err, status, "%s", why.text);
}

/* ---- Receiving ------------------------------------------------------------------------------- */

static void take_message(tp_client *client, tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);
    const tp_struct *own = tp_msg_type(msg);
    const tp_struct *type = NULL;
    tp_msg *converted = NULL;

    if (!tpi_client_wants(client, header, &type)) {
        return;
    }
    if (own == NULL || type == NULL || own == type) {
        tpi_client_receive(client, msg);
        return;
    }
    const tp_status status = convert(&converted, header, own, tp_msg_payload(msg), type);
    if (status == TP_OK) {
        tpi_client_receive(client, converted);
    } else {
        tpi_client_cannot_read(client, header, status);
    }
    tp_msg_unref(converted);
}

static void take_messages(tpi_inproc *inproc)
{
    tp_session_release(inproc->session);
    while (inproc->session != NULL && tp_session_sealed(inproc->session) > 0) {
        tp_msg *msg = tp_session_take(inproc->session);
        tp_session_count_sent(inproc->session, 1);
        take_message(inproc->client, msg);
        tp_msg_unref(msg);
    }
}

static void drain(tp_after *after)
{
    tpi_inproc *inproc = (tpi_inproc *)((char *)after - offsetof(tpi_inproc, drain));
    tp_client *client = inproc->client;

    tpi_client_enter(client);
    if (inproc->lost) {
        tpi_client_is_down(client, "%s: the server has given up a client that does not read",
                           client->url);
    } else if (client->state == TPI_CLIENT_REACHING) {
        tpi_client_is_connected(client);
        tpi_client_tell_made(client);
    } else {
        take_messages(inproc);
    }
    tpi_client_leave(client);
}

static void on_ready(void *context)
{
    tpi_inproc *inproc = context;

    tp_loop_after(inproc->client->loop, &inproc->drain);
}

static void on_lost(void *context)
{
    tpi_inproc *inproc = context;

    inproc->lost = true;
    on_ready(context);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status inproc_begin(tp_client *client, tp_error *err)
{
    static const tp_session_limits limits = {
        .data = TP_MSGQUEUE_DEFAULT_MAXLEN, .replies = 4096, .requests = 4096};
    static const tp_session_events events = {.ready = on_ready, .lost = on_lost};
    tpi_inproc *inproc = client->inproc;
    tp_status status = tp_session_create(&inproc->session, inproc->hub, inproc->robot, &limits,
                                         &events, inproc, err);

    if (status != TP_OK) {
        return tp_wrap(err, status, client->url);
    }
    tp_session_set_name(inproc->session, "in the program");
    tp_session_set_reach(inproc->session, TP_REACH_INSIDE);
    tp_session_set_software(inproc->session, client->name);
    tp_session_explain_failures(inproc->session, true);
    tp_session_speak_leases(inproc->session, true);
    tp_session_allow_extensions(inproc->session, client->options.extensions);
    tp_session_set_pulls(inproc->session, client->mode == TP_CLIENT_FRESH);
    inproc->lost = false;
    client->troupe = true;
    client->rights.right = TP_RIGHT_OPERATE;
    memcpy(client->banner, "Troupe in this program", sizeof "Troupe in this program");
    tp_loop_after(client->loop, &inproc->drain);
    return TP_OK;
}

static void inproc_end(tp_client *client)
{
    tpi_inproc *inproc = client->inproc;

    tp_loop_after_cancel(client->loop, &inproc->drain);
    tp_session_destroy(inproc->session);
    inproc->session = NULL;
}

static void inproc_destroy(tp_client *client)
{
    inproc_end(client);
    free(client->inproc);
    client->inproc = NULL;
}

static const tpi_transport transport = {
    .begin = inproc_begin, .send = inproc_send, .end = inproc_end, .destroy = inproc_destroy};

/* Makes a client one of the server, whose loop it has. */
static tp_status enter(tp_client *client, tp_server *server, unsigned robot, tp_error *err)
{
    tpi_inproc *inproc = calloc(1, sizeof *inproc);
    unsigned first = 0;
    unsigned port;

    if (inproc == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_server_port(server, 0, &first, &port);
    inproc->client = client;
    inproc->hub = tp_server_hub(server);
    inproc->robot = robot != 0 ? robot : first;
    inproc->drain.run = drain;
    client->inproc = inproc;
    client->transport = &transport;
    return TP_OK;
}

static tp_status furnish(tp_client *client, tp_server *server, unsigned robot, tp_error *err)
{
    tp_status status = tpi_client_furnish(client, tp_server_loop(server),
                                          tp_hub_catalogue(tp_server_hub(server)), err);

    return status == TP_OK ? enter(client, server, robot, err) : status;
}

tp_status tp_client_attach(tp_client **out, tp_server *server, unsigned robot,
                           const tp_client_options *options, tp_error *err)
{
    tp_client *client = NULL;
    tp_status status = tpi_client_create(&client, "inproc:", options, err);

    status = status == TP_OK ? furnish(client, server, robot, err) : status;
    status = status == TP_OK ? tpi_client_begin(client, err) : status;
    if (status != TP_OK) {
        tp_client_destroy(client);
        return status;
    }
    tpi_client_is_connected(client);
    *out = client;
    return TP_OK;
}

/* ---- As part of a kit ------------------------------------------------------------------------ */

/* By its name, as the commands that serve files tell them apart; if there is such a file. */
static bool is_world(const char *path)
{
    static const char ending[] = ".world";
    const size_t length = strlen(path);

    if (length < sizeof ending || strcmp(path + length - (sizeof ending - 1), ending) != 0) {
        return false;
    }
    FILE *file = fopen(path, "re");
    const bool exists = file != NULL;
    if (exists) {
        (void)fclose(file);
    }
    return exists;
}

static tp_status open_server(tp_client *client, const char *file, tp_error *err)
{
    const char *program = client->options.program;
    const tp_server_options options = {.path = file,
                                       .listen = "",
                                       .kit = client->options.kit,
                                       .program = program != NULL ? program : "troupe"};
    tp_status status =
        is_world(file) ? tp_fail(err, TP_E_INVALID,
                                 "%s is a world, no configuration: \"troupe sim %s\" serves it; a "
                                 "configuration names it as the worldfile of the driver sim",
                                 file, file)
                       : tp_server_create(&client->own.server, &options, err);

    if (status != TP_OK) {
        return status;
    }
    tp_server_begin(client->own.server);
    return furnish(client, client->own.server, 0, err);
}

const tp_inproc_ops tp_inproc = {.open = open_server, .close = tp_server_destroy};
