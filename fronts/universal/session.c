/* session.c - the session of a connection: its events, requests to the robot and their answers. */
#include <assert.h>
#include <string.h>

#include "inside.h"
#include "troupe/interfaces/blackboard.h"

tpi_fault tpi_universalf_fault(tp_status status)
{
    switch (status) {
    case TP_E_DENIED:
        return TPI_FAULT_DENIED;
    case TP_E_PANIC:
        return TPI_FAULT_STOPPED;
    case TP_E_TIMEOUT:
    case TP_E_CLOSED:
        return TPI_FAULT_SILENT;
    case TP_E_UNKNOWN:
        return TPI_FAULT_NO_MATCH;
    default:
        return TPI_FAULT_REFUSED;
    }
}

/* The packet fails, or the stream of pictures ends. */
static void refuse(struct connection *c, tp_status status, const char *why)
{
    if (c->task.on) {
        tpi_universalf_failed(c, tpi_universalf_fault(status), "%s", why);
    } else {
        tpi_universalf_unasked(c, tpi_universalf_fault(status), why, NULL);
        tpi_universalf_stream_end(c);
    }
}

void tpi_universalf_ask(struct connection *c, unsigned code, const void *value)
{
    tpi_universalf_ask_of(
        c, c->device, code == TP_COMMON_REQ_HALT ? &tp_interface_common : &tp_interface_universal,
        code, value);
}

void tpi_universalf_ask_of(struct connection *c, tp_device *device, const tp_interface *interface,
                           unsigned code, const void *value)
{
    const tp_message *what = tp_interface_message(interface, TP_KIND_REQUEST, code);
    const tp_msghdr header = {.addr = *tp_session_address(device),
                              .type = TP_MSGTYPE_REQ,
                              .subtype = (uint8_t)code,
                              .seq = c->task.number};
    tp_error err = {.text = ""};
    tp_msg *msg = NULL;
    tp_status status = tp_msg_create(&msg, &header, what->ask, value);

    if (status == TP_OK) {
        status = tp_session_send(c->session, msg, what, &err);
    }
    tp_msg_unref(msg);
    if (status == TP_OK) {
        c->task.asked = code;
        c->task.asked_of = header.addr.interf;
        return;
    }
    if (status == TP_E_UNKNOWN && device == c->channels.board) {
        c->channels.board = NULL;
        c->channels.is_open = false;
    } else if (status == TP_E_UNKNOWN) { /* the robot is gone: another one may come */
        c->device = NULL;
        c->is_open = false;
    }
    refuse(c, status, err.text[0] != '\0' ? err.text : tp_status_text(status));
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void take_answer(struct connection *c, unsigned code, const void *value)
{
    switch (code) {
    case TP_UNIVERSAL_REQ_DESCRIBE:
        tpi_universalf_described(c, value);
        break;
    case TP_UNIVERSAL_REQ_PARTS:
        tpi_universalf_parts(c, value);
        break;
    case TP_UNIVERSAL_REQ_MATCH:
        if (c->task.seeks) {
            tpi_universalf_camera(c, value);
        } else {
            tpi_universalf_matched(c, value);
        }
        break;
    case TP_COMMON_REQ_HALT:
        tpi_universalf_done(c, NULL);
        break;
    default:
        if (!c->task.on || c->task.function != 0) {
            tpi_universalf_picture(c, value);
        } else {
            tpi_universalf_outcome(c, value);
        }
        break;
    }
}

static void take_refusal(struct connection *c, const tp_failure *failure)
{
    const bool told = failure != NULL && failure->text_count > 0;
    const tp_status status = failure != NULL ? (tp_status)failure->code : TP_E_DEVICE;
    const char *why = told ? failure->text : "refused";

    refuse(c, status, why);
}

static void take_message(struct connection *c, const tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);

    if (header->addr.interf == TP_BLACKBOARD_CODE && header->type == TP_MSGTYPE_DATA) {
        tpi_universalf_heard(c, msg);
        return;
    }
    if (header->addr.interf != c->task.asked_of || c->ending || c->task.asked == 0 ||
        header->subtype != c->task.asked || header->seq != c->task.number) {
        return;
    }
    if (header->type == TP_MSGTYPE_RESP_ACK) {
        c->task.asked = 0;
        if (c->task.asked_of == TP_BLACKBOARD_CODE) {
            tpi_universalf_done(c, NULL);
        } else {
            take_answer(c, header->subtype, tp_msg_payload(msg));
        }
    } else if (header->type == TP_MSGTYPE_RESP_NACK) {
        c->task.asked = 0;
        take_refusal(c, tp_msg_payload(msg));
    }
}

/* ---- Events ---------------------------------------------------------------------------------- */

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
    tpi_universalf_give_up(c);
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

tp_status tpi_universalf_session_begin(struct connection *c)
{
    /* One request at a time: the session counts how long the commands behind it wait, and those
     * that get older than a lease move nothing. */
    static const tp_session_limits limits = {.data = 16, .replies = 64, .requests = 1};
    const tp_status status =
        tp_front_session(&c->session, c->front->instance, tp_stream_peer(c->stream), &limits,
                         &session_events, c, NULL);

    c->answers.run = read_answers;
    if (status == TP_OK) {
        tp_session_explain_failures(c->session, true);
    }
    return status;
}
