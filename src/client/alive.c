/*
 * alive.c - leases: while the program attends to its client, what it moves may go on moving.
 *
 * From the first command that moves something on, or from the first device that the client has for
 * itself, the server hears of the client a few times a second, and often enough for the shortest
 * lease that it has. That happens where everything of a client happens: in calls that wait, and
 * while the loop turns. A program that hangs says nothing, and its robot stops.
 *
 * If the loop runs in a thread of its own, it turns while the program hangs. So by default the loop
 * of a client without the program's own loop speaks only for a program that has made a call since
 * the last time (TP_RENEW_CALLS).
 */
#include <math.h>
#include <string.h>

#include "base/order.h"
#include "client/inside.h"

/* A server of ours stops what moves after a second of silence. */
#define ALIVE_NS (300 * TP_NS_PER_MS)

/* However short a lease is. */
#define SHORTEST_NS (10 * TP_NS_PER_MS)

/* Longer ones ask for no more. */
static const double LONGEST_S = 3600;

/* Leases are those of a device, for all its proxies. */
static bool is_moved(const tp_proxy *proxy)
{
    const tp_proxy *other = proxy->client->proxies;

    if (proxy->moved) {
        return true;
    }
    while (other != NULL &&
           !(other->moved && memcmp(&other->addr, &proxy->addr, sizeof proxy->addr) == 0)) {
        other = other->next;
    }
    return other != NULL;
}

/* A third of the shortest lease, so that two words may be late. */
static int64_t wanted_period_ns(const tp_client *client)
{
    int64_t period_ns = ALIVE_NS;

    for (const tp_proxy *proxy = client->proxies; proxy != NULL; proxy = proxy->next) {
        if (proxy->lease_ns > 0 && is_moved(proxy)) {
            period_ns = tpi_smaller(period_ns, proxy->lease_ns / 3);
        }
    }
    return tpi_larger(period_ns, SHORTEST_NS);
}

static void speak_often_enough(tp_client *client)
{
    const int64_t period_ns = wanted_period_ns(client);

    if (period_ns != client->alive.period_ns) {
        client->alive.period_ns = period_ns;
        tp_timer_every(client->alive.timer, period_ns);
    }
}

/* A lease without an end, or a long one, asks for nothing. */
static void on_lease(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    tp_client *client = ask->client;
    const tp_lease *lease = status == TP_OK && answer != NULL ? tp_msg_payload(answer) : NULL;

    (void)why;
    if (lease == NULL || ask->proxy == NULL) {
        return;
    }
    const double most_s = fmin(lease->duration, LONGEST_S);
    ask->proxy->lease_ns =
        lease->duration > 0 ? tpi_larger((int64_t)(most_s * (double)TP_NS_PER_S), 1) : 0;
    if (client->alive.moved) {
        speak_often_enough(client);
    }
}

static const tp_message *lease_request(void)
{
    return tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, TP_COMMON_REQ_LEASE);
}

tp_status tpi_proxy_ask_lease(tp_proxy *proxy, tp_error *err)
{
    const tpi_question question = {.proxy = proxy,
                                   .what = lease_request(),
                                   .value = &proxy->lease,
                                   .deadline_ns = TP_NEVER,
                                   .bound = true,
                                   .done = on_lease};

    return tpi_ask_submit(proxy->client, &question, NULL, err);
}

static void keep_lease(tp_client *client, tp_proxy *proxy)
{
    if (!client->alive.moved) {
        client->alive.moved = true;
        speak_often_enough(client);
    }
    if (proxy != NULL && !proxy->moved) {
        proxy->moved = true;
        (void)tpi_proxy_ask_lease(proxy, NULL);
    }
}

void tpi_client_moved(tp_client *client, tp_proxy *proxy, const tp_message *what)
{
    if (what->effect == TP_EFFECT_MOVES && client->troupe) {
        keep_lease(client, proxy);
    }
}

void tpi_client_holds(tp_client *client, tp_proxy *proxy)
{
    if (proxy->access == TP_EXCLUSIVE_MODE && client->troupe) {
        keep_lease(client, proxy);
    }
}

void tpi_client_rests(tp_client *client)
{
    client->alive.moved = false;
    client->alive.period_ns = 0;
    tp_timer_cancel(client->alive.timer);
}

/* Whether the program vouches for what moves. */
static bool is_attended(tp_client *client)
{
    tpi_attention *attention = &client->attention;
    const bool renewed = atomic_exchange(&attention->renewed, false);

    return !attention->by_calls || attention->waits > 0 || renewed;
}

void tp_client_renew(tp_client *client)
{
    atomic_store(&client->attention.renewed, true);
}

static void say_alive(void *context)
{
    tp_client *client = context;
    const tp_message *what =
        tp_interface_message(&tp_interface_player, TP_KIND_SYNCH, TP_PLAYER_SYNCH_OK);
    const tp_msghdr header = {.addr = {.interf = TP_PLAYER_CODE},
                              .type = TP_MSGTYPE_SYNCH,
                              .subtype = TP_PLAYER_SYNCH_OK,
                              .timestamp = tp_clock_wall_s(tp_loop_clock(client->loop))};

    if (client->state == TPI_CLIENT_CONNECTED && is_attended(client)) {
        (void)client->transport->send(client, &header, what, NULL, NULL);
    }
}

tp_status tpi_alive_init(tp_client *client, tp_error *err)
{
    return tp_timer_create(&client->alive.timer, client->loop, say_alive, client, err);
}

void tpi_alive_fini(tp_client *client)
{
    tp_timer_destroy(client->alive.timer);
}

/* ---- For the program ------------------------------------------------------------------------- */

/* Ask for what the proxy wants; inside a callback nobody can wait for the answer. */
static tp_status tell_server(tp_proxy *proxy, tp_error *err)
{
    tp_client *client = proxy->client;

    if (proxy->state != TPI_PROXY_OPEN) {
        return TP_OK; /* when it is */
    }
    if (tp_loop_is_turning(client->loop)) {
        return tpi_proxy_ask_lease(proxy, err);
    }
    const tp_status status =
        tpi_client_ask(client, proxy, lease_request(), &proxy->lease, NULL, err);
    if (status == TP_OK && proxy->moved) {
        (void)tpi_proxy_ask_lease(proxy, NULL); /* it may have to speak more often */
    }
    return status;
}

static tp_status check_server(const tp_proxy *proxy, tp_error *err)
{
    const tp_client *client = proxy->client;

    return client->state != TPI_CLIENT_CONNECTED || client->troupe
               ? TP_OK
               : tp_fail(err, TP_E_UNSUPPORTED, "%s: a Player server has no leases", proxy->name);
}

static tp_status want_lease(tp_proxy *proxy, double lease_s, tp_error *err)
{
    const tp_status status = check_server(proxy, err);

    if (!(lease_s >= 0) || !isfinite(lease_s)) {
        return tp_fail(err, TP_E_RANGE, "%s: %g s is no lease", proxy->name, lease_s);
    }
    if (status == TP_OK) {
        proxy->lease.asks |= TP_LEASE_DURATION;
        proxy->lease.duration = lease_s;
    }
    return status;
}

tp_status tp_proxy_set_lease(tp_proxy *proxy, double lease_s, tp_error *err)
{
    const tp_status status = want_lease(proxy, lease_s, err);

    return status == TP_OK ? tell_server(proxy, err) : status;
}

tp_status tp_proxy_set_lease_later(tp_proxy *proxy, double lease_s, tp_error *err)
{
    const tp_status status = want_lease(proxy, lease_s, err);

    return status == TP_OK && proxy->state == TPI_PROXY_OPEN ? tpi_proxy_ask_lease(proxy, err)
                                                             : status;
}

tp_status tp_proxy_set_rank(tp_proxy *proxy, int rank, tp_error *err)
{
    tp_status status = check_server(proxy, err);

    if (status == TP_OK) {
        proxy->lease.asks |= TP_LEASE_RANK;
        proxy->lease.rank = rank;
        status = tell_server(proxy, err);
    }
    return status;
}
