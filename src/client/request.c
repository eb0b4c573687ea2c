/* request.c - commands and requests to devices and to the server itself. */
#include <assert.h>

#include "client/inside.h"
#include "troupe/front.h"

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status find_message(const tp_proxy *proxy, tp_kind kind, unsigned code,
                              const tp_message **out, tp_error *err)
{
    *out = tp_interface_message(proxy->interface, kind, code);
    if (*out == NULL) {
        *out = tp_interface_message(&tp_interface_common, kind, code);
    }
    return *out != NULL ? TP_OK
                        : tp_fail(err, TP_E_UNKNOWN, "%s has no %s with code %u", proxy->name,
                                  tp_kind_name(kind), code);
}

/* Why a proxy that is not open cannot be commanded. */
static tp_status fail_not_open(const tp_proxy *proxy, tp_error *err)
{
    const tp_client *client = proxy->client;

    if (proxy->refusal.code != TP_OK) {
        return tp_fail(err, proxy->refusal.code, "%s", proxy->refusal.text);
    }
    if (client->state != TPI_CLIENT_CONNECTED) {
        return tp_fail(err, client->why.code, "%s: %s", proxy->name, client->why.text);
    }
    return tp_fail(err, TP_E_CLOSED, "%s: it is not open yet", proxy->name);
}

static tp_status fail_without_right(const tp_proxy *proxy, const tp_message *what, tp_error *err)
{
    const tp_client *client = proxy->client;
    const char *needed = tp_right_name(tp_right_needed(what));

    return client->rights.key_name[0] != '\0'
               ? tp_fail(err, TP_E_DENIED,
                         "%s: %s needs the right to %s; the key %s gives only the right to %s",
                         proxy->name, what->name, needed, client->rights.key_name,
                         tp_right_name(client->rights.right))
               : tp_fail(err, TP_E_DENIED, "%s: %s needs the right to %s: give a key", proxy->name,
                         what->name, needed);
}

tp_status tp_proxy_command(tp_proxy *proxy, unsigned code, const void *value, tp_error *err)
{
    tp_client *client = proxy->client;
    const tp_message *what = NULL;
    const tp_msghdr header = {.addr = proxy->addr,
                              .type = TP_MSGTYPE_CMD,
                              .subtype = (uint8_t)code,
                              .timestamp = tpi_client_stamp(client)};
    tp_status status = find_message(proxy, TP_KIND_COMMAND, code, &what, err);

    if (status != TP_OK) {
        return status;
    }
    if (proxy->state != TPI_PROXY_OPEN) {
        return fail_not_open(proxy, err);
    }
    if (what->ask != NULL && value == NULL) {
        return tp_fail(err, TP_E_INVALID, "%s: %s needs a value", proxy->name, what->name);
    }
    if (client->rights.right < tp_right_needed(what)) { /* the server would not answer */
        return fail_without_right(proxy, what, err);
    }
    status = client->transport->send(client, &header, what, what->ask != NULL ? value : NULL, err);
    tpi_client_moved(client, proxy, what);
    return status == TP_OK ? TP_OK : tp_wrap(err, status, proxy->name);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static void on_later(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    ask->later(ask->context, ask->proxy, status, answer, why);
}

/* A proxy that never opens again answers nothing; one whose device failed says why. */
static tp_status may_ask(const tp_proxy *proxy, tp_error *err)
{
    const tp_client *client = proxy->client;

    if (proxy->state == TPI_PROXY_FAILED ||
        (proxy->state == TPI_PROXY_WANTED && proxy->refusal.code != TP_OK) ||
        (client->state == TPI_CLIENT_LOST && client->gives_up)) {
        return fail_not_open(proxy, err);
    }
    return TP_OK;
}

tp_status tp_proxy_request_later(tp_proxy *proxy, unsigned code, const void *ask,
                                 int64_t timeout_ns, tp_proxy_done *done, void *context,
                                 tp_error *err)
{
    tp_client *client = proxy->client;
    tpi_question question = {.proxy = proxy,
                             .value = ask,
                             .deadline_ns = tpi_client_deadline(client, timeout_ns),
                             .done = done != NULL ? on_later : NULL,
                             .context = context,
                             .later = done};
    tp_status status = find_message(proxy, TP_KIND_REQUEST, code, &question.what, err);

    status = status == TP_OK ? may_ask(proxy, err) : status;
    return status == TP_OK ? tpi_ask_submit(client, &question, NULL, err) : status;
}

tp_status tp_client_request_later(tp_client *client, unsigned code, const void *ask,
                                  int64_t timeout_ns, tp_proxy_done *done, void *context,
                                  tp_error *err)
{
    const tpi_question question = {.what = tpi_client_server_message(code),
                                   .value = ask,
                                   .deadline_ns = tpi_client_deadline(client, timeout_ns),
                                   .done = done != NULL ? on_later : NULL,
                                   .context = context,
                                   .later = done};

    if (question.what == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "%s: a server has no request with code %u", client->url,
                       code);
    }
    if (client->state == TPI_CLIENT_LOST && client->gives_up) {
        return tp_fail(err, client->why.code, "%s", client->why.text);
    }
    return tpi_ask_submit(client, &question, NULL, err);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

struct asking {
    bool done;
    tp_msg *answer; /* owned reference */
    tp_error err;
};

static void on_answer(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    struct asking *asking = ask->context;

    asking->done = true;
    asking->answer = answer != NULL ? tp_msg_ref(answer) : NULL;
    if (status != TP_OK) {
        tp_fail(&asking->err, status, "%s", why);
    }
}

static bool is_done(void *context)
{
    return ((const struct asking *)context)->done;
}

tp_status tpi_client_ask(tp_client *client, tp_proxy *proxy, const tp_message *what,
                         const void *value, tp_msg **answer, tp_error *err)
{
    struct asking asking = {0};
    const tpi_question question = {.proxy = proxy,
                                   .what = what,
                                   .value = value,
                                   .deadline_ns = tpi_client_deadline(client, 0),
                                   .done = on_answer,
                                   .context = &asking};
    tp_status status = tpi_ask_submit(client, &question, NULL, err);

    if (status != TP_OK) {
        return status;
    }
    /* the request has its own deadline */
    if (tpi_client_wait(client, TP_NEVER, is_done, &asking) != TP_OK) {
        tpi_ask_abandon(client, &asking);
        return tpi_client_fail_interrupted(proxy != NULL ? proxy->name : client->url, err);
    }
    if (answer != NULL && asking.err.code == TP_OK) {
        *answer = asking.answer;
    } else {
        tp_msg_unref(asking.answer);
    }
    return asking.err.code == TP_OK ? TP_OK : tp_fail(err, asking.err.code, "%s", asking.err.text);
}

/* Keep the answer where the next one takes its place, and give its payload. */
static tp_status give(tp_msg **place, tp_msg *msg, const tp_message *what, const void **answer,
                      const char *who, tp_error *err)
{
    tp_msg_unref(*place);
    *place = msg;
    if (answer != NULL) {
        *answer = msg != NULL ? tp_msg_payload(msg) : NULL;
    }
    if (answer != NULL && msg == NULL && what->answer != NULL) {
        return tp_fail(err, TP_E_SHORT, "%s: the answer to %s is empty", who, what->name);
    }
    return TP_OK;
}

tp_status tp_proxy_request(tp_proxy *proxy, unsigned code, const void *ask, const void **answer,
                           tp_error *err)
{
    tp_client *client = proxy->client;
    const tp_message *what = NULL;
    tp_msg *msg = NULL;
    tp_status status = tpi_client_may_wait(client, proxy->name, err);

    status = status == TP_OK ? find_message(proxy, TP_KIND_REQUEST, code, &what, err) : status;
    status = status == TP_OK ? may_ask(proxy, err) : status;
    status = status == TP_OK ? tpi_client_ask(client, proxy, what, ask, &msg, err) : status;
    if (status != TP_OK) {
        return status;
    }
    assert(what != NULL);
    return give(&proxy->answer, msg, what, answer, proxy->name, err);
}

tp_status tp_client_request(tp_client *client, unsigned code, const void *ask, const void **answer,
                            tp_error *err)
{
    const tp_message *what = tpi_client_server_message(code);
    tp_msg *msg = NULL;
    tp_status status = tpi_client_may_wait(client, client->url, err);

    if (what == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "%s: a server has no request with code %u", client->url,
                       code);
    }
    if (status == TP_OK && client->state == TPI_CLIENT_LOST && client->gives_up) {
        status = tp_fail(err, client->why.code, "%s", client->why.text);
    }
    status = status == TP_OK ? tpi_client_ask(client, NULL, what, ask, &msg, err) : status;
    return status == TP_OK ? give(&client->answer, msg, what, answer, client->url, err) : status;
}
