/*
 * ask.c - requests under way: when they may be sent, and which answer is whose.
 *
 * A reply is matched by interface, index and code. Where it carries a number, that decides;
 * Player's drivers send none, so of a plain Player server only one request of each kind is asked at
 * a time.
 */
#include <math.h>

#include "bus/pool.h"
#include "client/inside.h"

static const double longest_kept_s = 1; /* the lease of clients that ask for none */

/* ---- The list -------------------------------------------------------------------------------- */

static void append(tp_client *client, tpi_ask *ask)
{
    ask->previous = client->asks.last;
    if (client->asks.last != NULL) {
        client->asks.last->next = ask;
    } else {
        client->asks.first = ask;
    }
    client->asks.last = ask;
}

static void detach(tpi_ask *ask)
{
    tp_client *client = ask->client;

    if (ask->previous != NULL) {
        ask->previous->next = ask->next;
    } else {
        client->asks.first = ask->next;
    }
    if (ask->next != NULL) {
        ask->next->previous = ask->previous;
    } else {
        client->asks.last = ask->previous;
    }
}

static void release(tpi_ask *ask)
{
    tp_msg_unref(ask->kept);
    tpi_pool_give(ask);
}

void tpi_ask_forget(tpi_ask *ask)
{
    detach(ask);
    release(ask);
}

void tpi_ask_finish(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    detach(ask);
    if (ask->done != NULL) {
        ask->done(ask, status, answer, why);
    }
    release(ask);
}

/* ---- Deadlines ------------------------------------------------------------------------------- */

static void watch_deadline(tp_client *client, int64_t deadline_ns)
{
    if (deadline_ns < client->asks.overdue_ns) {
        client->asks.overdue_ns = deadline_ns;
        tp_timer_at(client->asks.overdue, deadline_ns);
    }
}

static tpi_ask *find_overdue(const tp_client *client, int64_t now_ns)
{
    tpi_ask *ask = client->asks.first;

    while (ask != NULL && ask->deadline_ns > now_ns) {
        ask = ask->next;
    }
    return ask;
}

/* Why the connection is lost, with the name of the device in front. */
static void say_lost(const tpi_ask *ask, tp_error *err)
{
    tp_fail(err, ask->client->why.code, "%s", ask->client->why.text);
    if (ask->proxy != NULL) {
        tp_wrap(err, err->code, ask->proxy->name);
    }
}

static void expire(tpi_ask *ask)
{
    tp_client *client = ask->client;
    const char *who = ask->proxy != NULL ? ask->proxy->name : client->url;
    tp_error err;

    ask->is_late = true;
    if (ask->state == TPI_ASK_WAITING && client->state != TPI_CLIENT_CONNECTED) {
        say_lost(ask, &err);
    } else {
        tp_fail(&err, TP_E_TIMEOUT, "%s: no answer to %s in time", who, ask->what->name);
    }
    if (ask->lingers && ask->state == TPI_ASK_SENT) {
        ask->deadline_ns = TP_NEVER;
        ask->done(ask, err.code, NULL, err.text);
    } else {
        tpi_ask_finish(ask, err.code, NULL, err.text);
    }
}

static void on_overdue(void *context)
{
    tp_client *client = context;
    const int64_t now_ns = tpi_client_now_ns(client);
    tpi_ask *ask;

    tpi_client_enter(client);
    client->asks.overdue_ns = TP_NEVER;
    while ((ask = find_overdue(client, now_ns)) != NULL) {
        expire(ask);
    }
    for (ask = client->asks.first; ask != NULL; ask = ask->next) {
        watch_deadline(client, ask->deadline_ns);
    }
    tpi_ask_send_waiting(client); /* those that waited for one that is given up */
    tpi_client_leave(client);
}

tp_status tpi_asks_init(tp_client *client, tp_error *err)
{
    client->asks.overdue_ns = TP_NEVER;
    return tp_timer_create(&client->asks.overdue, client->loop, on_overdue, client, err);
}

void tpi_asks_fini(tp_client *client)
{
    while (client->asks.first != NULL) {
        tpi_ask_forget(client->asks.first);
    }
    tp_timer_destroy(client->asks.overdue);
}

tpi_ask *tpi_ask_first(const tp_client *client)
{
    return client->asks.first;
}

/* ---- Sending --------------------------------------------------------------------------------- */

static bool is_same_kind(const tpi_ask *ask, const tp_devaddr *addr, unsigned code)
{
    return ask->addr.interf == addr->interf && ask->addr.index == addr->index &&
           ask->what->code == code;
}

/* Whether a request that could be taken for this one is under way. */
static bool is_ambiguous(const tpi_ask *ask)
{
    for (const tpi_ask *other = ask->client->asks.first; other != NULL; other = other->next) {
        if (other->state == TPI_ASK_SENT && is_same_kind(other, &ask->addr, ask->what->code)) {
            return true;
        }
    }
    return false;
}

static bool may_go(const tpi_ask *ask)
{
    const tp_client *client = ask->client;

    if (ask->introduces) {
        return client->state >= TPI_CLIENT_GREETING;
    }
    if (client->state != TPI_CLIENT_CONNECTED ||
        (ask->proxy != NULL && ask->proxy->state != TPI_PROXY_OPEN)) {
        return false;
    }
    return client->troupe || !is_ambiguous(ask);
}

static tp_status send(tpi_ask *ask, const void *value, tp_error *err)
{
    tp_client *client = ask->client;
    const tp_msghdr header = {.addr = ask->addr,
                              .type = TP_MSGTYPE_REQ,
                              .subtype = ask->what->code,
                              .timestamp = tpi_client_stamp(client),
                              .seq = ask->seq};
    tp_status status = client->transport->send(client, &header, ask->what, value, err);

    if (status == TP_OK) {
        ask->state = TPI_ASK_SENT;
        tpi_client_moved(client, ask->proxy, ask->what);
    }
    return status;
}

static tp_status keep(tpi_ask *ask, const void *value)
{
    const tp_msghdr header = {.addr = ask->addr};

    return value == NULL ? TP_OK : tp_msg_create(&ask->kept, &header, ask->what->ask, value);
}

static void send_kept(tpi_ask *ask)
{
    tp_msg *kept = ask->kept;
    tp_error err = {0};

    ask->kept = NULL;
    tp_status status = send(ask, kept != NULL ? tp_msg_payload(kept) : NULL, &err);
    tp_msg_unref(kept);
    if (status != TP_OK) {
        tpi_ask_finish(ask, status, NULL, err.text);
    }
}

static tpi_ask *find_waiting(const tp_client *client)
{
    tpi_ask *ask = client->asks.first;

    while (ask != NULL && (ask->state != TPI_ASK_WAITING || !may_go(ask))) {
        ask = ask->next;
    }
    return ask;
}

/* What can move something is kept for as long as a lease; the server could not know how old it is.
 */
static bool is_too_old(const tpi_ask *ask, int64_t now_ns)
{
    const tp_lease *lease = ask->proxy != NULL ? &ask->proxy->lease : NULL;
    const bool is_short =
        lease != NULL && (lease->asks & TP_LEASE_DURATION) != 0 && lease->duration > 0;
    const double longest_s = is_short ? fmin(lease->duration, longest_kept_s) : longest_kept_s;

    return tp_effect_can_move(ask->what->effect) &&
           (double)(now_ns - ask->asked_ns) > longest_s * (double)TP_NS_PER_S;
}

static void refuse_old(tpi_ask *ask)
{
    tp_error err = {0};

    tp_fail(&err, TP_E_TIMEOUT, "%s: %s has waited too long, and would be old",
            ask->proxy != NULL ? ask->proxy->name : ask->client->url, ask->what->name);
    tpi_ask_finish(ask, err.code, NULL, err.text);
}

/* The program may have been frozen: then deadlines have passed that nobody has seen yet. */
void tpi_ask_send_waiting(tp_client *client)
{
    const int64_t now_ns = tpi_client_now_ns(client);
    tpi_ask *ask;

    while ((ask = find_waiting(client)) != NULL) {
        if (ask->deadline_ns <= now_ns) {
            expire(ask);
        } else if (is_too_old(ask, now_ns)) {
            refuse_old(ask);
        } else {
            send_kept(ask);
        }
    }
}

static tp_status check(const tp_client *client, const tpi_question *q, tp_error *err)
{
    const char *who = q->proxy != NULL ? q->proxy->name : client->url;
    size_t size;
    tp_status status = TP_OK;

    if (q->what->ask != NULL) {
        status = q->value == NULL ? TP_E_INVALID : tp_xdr_size(q->what->ask, q->value, &size);
    }
    return status == TP_OK ? TP_OK
                           : tp_fail(err, status, "%s: %s cannot be asked: %s", who, q->what->name,
                                     tp_status_text(status));
}

static tpi_ask *create(tp_client *client, const tpi_question *q)
{
    tpi_ask *ask = tpi_pool_take(sizeof *ask);

    if (ask != NULL) {
        *ask = (tpi_ask){.client = client,
                         .proxy = q->proxy,
                         .what = q->what,
                         .asked_ns = tpi_client_now_ns(client),
                         .deadline_ns = q->deadline_ns,
                         .introduces = q->introduces,
                         .bound = q->bound || q->introduces,
                         .lingers = q->lingers,
                         .done = q->done,
                         .context = q->context,
                         .later = q->later,
                         .about = q->about};
        client->asks.seq = client->asks.seq == UINT32_MAX ? 1 : client->asks.seq + 1;
        ask->seq = client->asks.seq;
        ask->addr.interf = q->proxy != NULL ? q->proxy->addr.interf : TP_PLAYER_CODE;
        ask->addr.index = q->proxy != NULL ? q->proxy->addr.index : 0;
    }
    return ask;
}

tp_status tpi_ask_submit(tp_client *client, const tpi_question *question, tpi_ask **out,
                         tp_error *err)
{
    const void *value = question->what->ask != NULL ? question->value : NULL;
    tp_status status = check(client, question, err);
    if (status != TP_OK) {
        return status;
    }
    tpi_ask *ask = create(client, question);
    if (ask == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", client->url);
    }
    status = may_go(ask) ? send(ask, value, err) : keep(ask, value);
    if (status != TP_OK) {
        release(ask);
        return status == TP_E_NOMEM ? tp_fail(err, status, "%s: out of memory", client->url)
                                    : status;
    }
    append(client, ask);
    watch_deadline(client, ask->deadline_ns);
    if (out != NULL) {
        *out = ask;
    }
    return TP_OK;
}

/* ---- Answers and failures -------------------------------------------------------------------- */

tpi_ask *tpi_ask_match(tp_client *client, const tp_msghdr *reply)
{
    tpi_ask *first = NULL;

    for (tpi_ask *ask = client->asks.first; ask != NULL; ask = ask->next) {
        if (ask->state != TPI_ASK_SENT || !is_same_kind(ask, &reply->addr, reply->subtype)) {
            continue;
        }
        if (ask->seq == reply->seq) {
            return ask;
        }
        first = first == NULL ? ask : first;
    }
    return reply->seq == 0 || !client->troupe ? first : NULL;
}

static tpi_ask *find_failing(const tp_client *client)
{
    tpi_ask *ask = client->asks.first;

    while (ask != NULL && ask->state != TPI_ASK_FAILING) {
        ask = ask->next;
    }
    return ask;
}

void tpi_ask_fail_sent(tp_client *client, bool all)
{
    tpi_ask *failing;
    tp_error err;

    for (tpi_ask *ask = client->asks.first; ask != NULL; ask = ask->next) {
        if (ask->state == TPI_ASK_SENT || ask->bound || all) {
            ask->state = TPI_ASK_FAILING;
        }
    }
    while ((failing = find_failing(client)) != NULL) {
        say_lost(failing, &err);
        tpi_ask_finish(failing, err.code, NULL, err.text);
    }
}

static tpi_ask *find_of(const tp_proxy *proxy)
{
    tpi_ask *ask = proxy->client->asks.first;

    while (ask != NULL && ask->proxy != proxy) {
        ask = ask->next;
    }
    return ask;
}

void tpi_ask_abandon(tp_client *client, const void *context)
{
    tpi_ask *next;

    for (tpi_ask *ask = client->asks.first; ask != NULL; ask = next) {
        next = ask->next;
        if (ask->context != context) {
            continue;
        }
        if (ask->state == TPI_ASK_WAITING) {
            tpi_ask_forget(ask);
        } else { /* its answer may still come, and is not that of the next request */
            ask->done = NULL;
            ask->context = NULL;
        }
    }
}

void tpi_ask_fail_proxy(tp_proxy *proxy, tp_status status, const char *why)
{
    tpi_ask *ask;

    while ((ask = find_of(proxy)) != NULL) {
        if (status == TP_OK) {
            tpi_ask_forget(ask);
        } else {
            tpi_ask_finish(ask, status, NULL, why);
        }
    }
}
