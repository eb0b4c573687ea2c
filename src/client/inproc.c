/*
 * inproc.c - transport: a session in a server of this program.
 *
 * Nothing is encoded: data and replies are the server's own messages. What the server's interface
 * `player` does for clients on a network is done here for this one. Messages are taken from the
 * session at the end of a turn, never inside a call.
 */
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
    bool lost;  /* the session gave us up */
    bool pull;  /* data waits until it is asked for */
    bool armed; /* it was asked for */
    uint64_t told_drops;
};

/* ---- Replies --------------------------------------------------------------------------------- */

static tp_status reply(tpi_inproc *inproc, const tp_msghdr *request, unsigned type,
                       const tp_struct *body_type, const void *body)
{
    tp_msghdr header = *request;
    tp_msg *msg = NULL;

    header.type = (uint8_t)type;
    tp_status status = tp_msg_create(&msg, &header, body_type, body);
    if (status == TP_OK) {
        status = tp_session_queue(inproc->session, msg);
        tp_msg_unref(msg);
    }
    return status;
}

static tp_status acknowledge(tpi_inproc *inproc, const tp_msghdr *request)
{
    return reply(inproc, request, TP_MSGTYPE_RESP_ACK, NULL, NULL);
}

static tp_status refuse(tpi_inproc *inproc, const tp_msghdr *request, tp_status code,
                        const char *text)
{
    return tp_session_refuse(inproc->session, request, code, text);
}

static void put_name(uint32_t *count, char name[TP_MAX_DRIVER_STRING_LEN], const tp_device *device)
{
    const char *driver = tp_session_driver_name(device);
    size_t length = strlen(driver);

    length = length < TP_MAX_DRIVER_STRING_LEN ? length : TP_MAX_DRIVER_STRING_LEN - 1;
    memcpy(name, driver, length);
    name[length] = '\0';
    *count = (uint32_t)length + 1;
}

/* ---- What the server itself is asked --------------------------------------------------------- */

static tp_status serve_list(tpi_inproc *inproc, const tp_msghdr *request, const void *body)
{
    tp_device_devlist *list = calloc(1, sizeof *list);
    const tp_device *device;
    size_t place = 0;

    (void)body;
    if (list == NULL) {
        return TP_E_NOMEM;
    }
    while (list->devices_count < TP_MAX_DEVICES &&
           (device = tp_session_next_device(inproc->session, &place)) != NULL) {
        list->devices[list->devices_count++] = *tp_session_address(device);
    }
    tp_status status = reply(inproc, request, TP_MSGTYPE_RESP_ACK, &tp_desc_device_devlist, list);
    free(list);
    return status;
}

static tp_status serve_page(tpi_inproc *inproc, const tp_msghdr *request, const void *body)
{
    const tp_device_page *asked = body;
    tp_device_page *page = NULL;
    tp_status status = tp_session_page(inproc->session, asked->first, &page);

    if (status == TP_OK) {
        status = reply(inproc, request, TP_MSGTYPE_RESP_ACK, &tp_desc_device_page, page);
    }
    free(page);
    return status;
}

static tp_status serve_driver(tpi_inproc *inproc, const tp_msghdr *request, const void *body)
{
    const tp_device_driverinfo *asked = body;
    tp_device *device = tp_session_find(inproc->session, asked->addr.interf, asked->addr.index);
    tp_device_driverinfo info = {.addr = asked->addr};

    if (device == NULL) {
        return refuse(inproc, request, TP_E_UNKNOWN, "there is no such device");
    }
    put_name(&info.driver_name_count, info.driver_name, device);
    return reply(inproc, request, TP_MSGTYPE_RESP_ACK, &tp_desc_device_driverinfo, &info);
}

static tp_status reply_access(tpi_inproc *inproc, const tp_msghdr *request, const tp_device *device,
                              unsigned access)
{
    tp_device_req granted = {.addr = *tp_session_address(device), .access = (uint8_t)access};

    put_name(&granted.driver_name_count, granted.driver_name, device);
    return reply(inproc, request, TP_MSGTYPE_RESP_ACK, &tp_desc_device_req, &granted);
}

static void on_opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                      const tp_error *err)
{
    tpi_inproc *inproc = context;

    if (status == TP_OK) {
        reply_access(inproc, request, device, request->size); /* the access that was asked for */
    } else {
        refuse(inproc, request, status, err->text);
    }
}

static tp_status serve_device(tpi_inproc *inproc, const tp_msghdr *request, const void *body)
{
    const tp_device_req *asked = body;
    tp_device *device = tp_session_find(inproc->session, asked->addr.interf, asked->addr.index);
    tp_msghdr remembered = *request;

    if (device == NULL) {
        return refuse(inproc, request, TP_E_UNKNOWN, "there is no such device");
    }
    if (asked->access == TP_CLOSE_MODE) {
        tp_session_close(inproc->session, device);
        return reply_access(inproc, request, device, TP_CLOSE_MODE);
    }
    remembered.size = asked->access;
    return tp_session_open(inproc->session, device, remembered.size, &remembered, on_opened);
}

static tp_status serve_pull(tpi_inproc *inproc, const tp_msghdr *request, const void *body)
{
    tp_msghdr header = *request;
    tp_msg *msg = NULL;

    (void)body;
    inproc->armed = inproc->pull;
    header.type = TP_MSGTYPE_RESP_ACK;
    tp_status status = tp_msg_create(&msg, &header, NULL, NULL);
    if (status == TP_OK) {
        status = tp_session_queue_first(inproc->session, msg);
        tp_msg_unref(msg);
    }
    return status;
}

static tp_status serve_mode(tpi_inproc *inproc, const tp_msghdr *request, const void *body)
{
    const tp_device_datamode_req *asked = body;

    if (asked->mode == TP_DATAMODE_PUSH || asked->mode == TP_DATAMODE_PULL) {
        inproc->pull = asked->mode == TP_DATAMODE_PULL;
        inproc->armed = false;
    }
    return acknowledge(inproc, request);
}

static tp_status serve_rule(tpi_inproc *inproc, const tp_msghdr *request, const void *body)
{
    const tp_add_replace_rule_req *rule = body;
    tp_status status = tp_session_add_rule(inproc->session, rule->interf, rule->index, rule->type,
                                           rule->subtype, rule->replace);

    return status == TP_OK ? acknowledge(inproc, request)
                           : refuse(inproc, request, status, "too many rules");
}

static tp_status serve_rate(tpi_inproc *inproc, const tp_msghdr *request, const void *body)
{
    const tp_rate_req *asked = body;
    tp_device *device = tp_session_find(inproc->session, asked->addr.interf, asked->addr.index);

    if (device == NULL) {
        return refuse(inproc, request, TP_E_UNKNOWN, "there is no such device");
    }
    tp_status status = tp_session_set_rate(inproc->session, device, asked->rate);
    return status == TP_OK ? acknowledge(inproc, request)
                           : refuse(inproc, request, status, "it is not open, or that is no rate");
}

static tp_status serve_statistics(tpi_inproc *inproc, const tp_msghdr *request, const void *body)
{
    tp_statistics *statistics = NULL;
    tp_status status = tp_hub_statistics(inproc->hub, &statistics);

    (void)body;
    if (status == TP_OK) {
        status = reply(inproc, request, TP_MSGTYPE_RESP_ACK, &tp_desc_statistics, statistics);
    }
    free(statistics);
    return status;
}

static tp_status serve_device_statistics(tpi_inproc *inproc, const tp_msghdr *request,
                                         const void *body)
{
    const tp_device_stat_page *asked = body;
    tp_device_stat_page *page = NULL;
    tp_status status = tp_hub_device_statistics(inproc->hub, asked->first, &page);

    if (status == TP_OK) {
        status = reply(inproc, request, TP_MSGTYPE_RESP_ACK, &tp_desc_device_stat_page, page);
    }
    free(page);
    return status;
}

static tp_status serve_frames(tpi_inproc *inproc, const tp_msghdr *request, const void *body)
{
    tp_frame_list *frames = NULL;
    tp_status status = tp_hub_frames(inproc->hub, &frames);

    (void)body;
    if (status == TP_OK) {
        status = reply(inproc, request, TP_MSGTYPE_RESP_ACK, &tp_desc_frame_list, frames);
    }
    free(frames);
    return status;
}

/* A name with its NUL; "" for one that has none. */
static const char *name_of(uint32_t count, const char *text)
{
    return count > 0 && text[count - 1] == '\0' ? text : "";
}

static tp_status serve_transform(tpi_inproc *inproc, const tp_msghdr *request, const void *body)
{
    const tp_transform_req *asked = body;
    tp_transform_req answer = *asked;
    tp_error err;
    tp_status status = tp_hub_transform(
        inproc->hub, inproc->robot, name_of(asked->from_count, asked->from),
        name_of(asked->to_count, asked->to), &answer.pose, &answer.timestamp, &err);

    return status == TP_OK
               ? reply(inproc, request, TP_MSGTYPE_RESP_ACK, &tp_desc_transform_req, &answer)
               : refuse(inproc, request, status, err.text);
}

static const struct {
    unsigned code;
    tp_status (*serve)(tpi_inproc *inproc, const tp_msghdr *request, const void *body);
} services[] = {
    {TP_PLAYER_REQ_DEVLIST, serve_list},
    {TP_PLAYER_REQ_DRIVERINFO, serve_driver},
    {TP_PLAYER_REQ_DEV, serve_device},
    {TP_PLAYER_REQ_DATA, serve_pull},
    {TP_PLAYER_REQ_DATAMODE, serve_mode},
    {TP_PLAYER_REQ_ADD_REPLACE_RULE, serve_rule},
    {TP_PLAYER_REQ_RATE, serve_rate},
    {TP_PLAYER_REQ_STATISTICS, serve_statistics},
    {TP_PLAYER_REQ_DEVICES, serve_page},
    {TP_PLAYER_REQ_FRAMES, serve_frames},
    {TP_PLAYER_REQ_TRANSFORM, serve_transform},
    {TP_PLAYER_REQ_DEVICE_STATISTICS, serve_device_statistics},
};

static tp_status serve(tpi_inproc *inproc, const tp_msghdr *request, const void *value,
                       tp_error *err)
{
    tp_status status = TP_E_UNSUPPORTED;

    for (size_t i = 0; i < sizeof services / sizeof services[0]; i++) {
        if (services[i].code == request->subtype) {
            status = services[i].serve(inproc, request, value);
            return status == TP_OK ? TP_OK : tp_fail(err, status, "%s", tp_status_text(status));
        }
    }
    return refuse(inproc, request, status, "the server does not know this request");
}

/* ---- Sending --------------------------------------------------------------------------------- */

static tp_status inproc_send(tp_client *client, const tp_msghdr *header, const tp_message *what,
                             const void *value, tp_error *err)
{
    tpi_inproc *inproc = client->inproc;
    tp_msghdr full = *header;
    tp_msg *msg = NULL;
    tp_error why = {0};

    full.addr.host = TP_PLAYER_HOST;
    full.addr.robot = inproc->robot;
    tp_session_heard(inproc->session);
    if (full.type == TP_MSGTYPE_SYNCH) {
        return TP_OK; /* that was all it had to say */
    }
    if (full.addr.interf == TP_PLAYER_CODE) {
        return serve(inproc, &full, value, err);
    }
    tp_status status = tp_msg_create(&msg, &full, what->ask, value);
    if (status != TP_OK) {
        return tp_fail(err, status, "%s", tp_status_text(status));
    }
    status = tp_session_send(inproc->session, msg, what, &why);
    tp_msg_unref(msg);
    if (status == TP_OK) {
        return TP_OK;
    }
    return what->kind == TP_KIND_REQUEST ? refuse(inproc, &full, status, why.text)
                                         : tp_fail(err, status, "%s", why.text);
}

/* ---- Receiving ------------------------------------------------------------------------------- */

static bool is_data(const tp_msg *msg)
{
    return tp_msg_header(msg)->type == TP_MSGTYPE_DATA;
}

/* Everything up to the last reply may go at any time. */
static uint32_t count_until_last_reply(const tp_session *session)
{
    uint32_t n = tp_session_waiting(session);

    while (n > 0 && is_data(tp_session_peek(session, n - 1))) {
        n--;
    }
    return n;
}

static bool has_data(const tp_session *session)
{
    for (uint32_t i = 0; i < tp_session_waiting(session); i++) {
        if (is_data(tp_session_peek(session, i))) {
            return true;
        }
    }
    return false;
}

/* The end of what was pulled, with the number of messages that were dropped before it. */
static void queue_synch(tpi_inproc *inproc)
{
    const uint64_t dropped = tp_session_dropped(inproc->session);
    const tp_uint32 count = {(uint32_t)(dropped - inproc->told_drops)};
    const bool lost = count.value > 0;
    const tp_msghdr header = {.addr = {.interf = TP_PLAYER_CODE},
                              .subtype = lost ? TP_PLAYER_SYNCH_OVERFLOW : TP_PLAYER_SYNCH_OK};

    if (reply(inproc, &header, TP_MSGTYPE_SYNCH, lost ? &tp_desc_uint32 : NULL, &count) == TP_OK) {
        inproc->told_drops = dropped;
    }
}

static void decide_what_may_go(tpi_inproc *inproc)
{
    tp_session *session = inproc->session;

    if (inproc->pull && !(inproc->armed && has_data(session))) {
        tp_session_seal(session, count_until_last_reply(session));
        return;
    }
    if (inproc->pull) {
        inproc->armed = false;
        queue_synch(inproc);
    }
    tp_session_seal(session, tp_session_waiting(session));
}

static void take_messages(tpi_inproc *inproc)
{
    const tp_struct *type;

    decide_what_may_go(inproc);
    while (inproc->session != NULL && tp_session_sealed(inproc->session) > 0) {
        tp_msg *msg = tp_session_take(inproc->session);
        tp_session_count_sent(inproc->session, 1);
        if (tpi_client_wants(inproc->client, tp_msg_header(msg), &type)) {
            tpi_client_receive(inproc->client, msg);
        }
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

tp_status tpi_inproc_create(tp_client *client, tp_server *server, unsigned robot, tp_error *err)
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
    client->transport = &tpi_transport_inproc;
    return TP_OK;
}

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
    tp_session_allow_extensions(inproc->session, client->options.extensions);
    inproc->lost = false;
    inproc->armed = false;
    inproc->pull = client->mode == TP_CLIENT_FRESH;
    inproc->told_drops = 0;
    client->troupe = true;
    client->right = TP_RIGHT_OPERATE;
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

const tpi_transport tpi_transport_inproc = {
    .begin = inproc_begin, .send = inproc_send, .end = inproc_end, .destroy = inproc_destroy};
