/* proxy.c - opening devices and closing them, also again on the next connection. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/inside.h"

static const int64_t FIRST_REOPEN_NS = 100 * TP_NS_PER_MS;
static const int64_t REOPEN_NS = 2 * TP_NS_PER_S;

/* ---- The list -------------------------------------------------------------------------------- */

static void append(tp_client *client, tp_proxy *proxy)
{
    proxy->previous = client->last_proxy;
    if (client->last_proxy != NULL) {
        client->last_proxy->next = proxy;
    } else {
        client->proxies = proxy;
    }
    client->last_proxy = proxy;
}

static void release(tp_proxy *proxy)
{
    tp_client *client = proxy->client;

    if (proxy->previous != NULL) {
        proxy->previous->next = proxy->next;
    } else {
        client->proxies = proxy->next;
    }
    if (proxy->next != NULL) {
        proxy->next->previous = proxy->previous;
    } else {
        client->last_proxy = proxy->previous;
    }
    for (uint32_t i = 0; i < proxy->slot_count; i++) {
        tp_msg_unref(proxy->slots[i].msg);
    }
    tpi_series_fini(&proxy->series);
    tpi_cursors_free(proxy->cursors);
    tp_msg_unref(proxy->answer);
    free(proxy);
}

void tpi_proxy_sweep(tp_client *client)
{
    tp_proxy *next;

    client->sweep = false;
    for (tp_proxy *proxy = client->proxies; proxy != NULL; proxy = next) {
        next = proxy->next;
        if (proxy->closed) {
            release(proxy);
        }
    }
}

/* ---- Making one ------------------------------------------------------------------------------ */

static uint32_t add_slots(tpi_slot *slots, const tp_interface *interface)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < interface->message_count; i++) {
        if (interface->messages[i].kind == TP_KIND_DATA) {
            if (slots != NULL) {
                slots[count].code = interface->messages[i].code;
            }
            count++;
        }
    }
    return count;
}

static tp_proxy *create(tp_client *client, const tp_interface *interface, unsigned index,
                        unsigned access)
{
    static char nobody[] = "";
    const uint32_t slots = add_slots(NULL, interface) + add_slots(NULL, &tp_interface_common);
    tp_proxy *proxy = calloc(1, sizeof *proxy + slots * sizeof(tpi_slot));

    if (proxy != NULL) {
        proxy->client = client;
        proxy->interface = interface;
        proxy->addr.interf = interface->code;
        proxy->addr.index = (uint16_t)index;
        proxy->access = access;
        proxy->lease = (tp_lease){.mover_count = sizeof nobody, .mover = nobody};
        proxy->slot_count = slots;
        add_slots(proxy->slots + add_slots(proxy->slots, interface), &tp_interface_common);
        (void)snprintf(proxy->name, sizeof proxy->name, "%.64s:%u", interface->name, index);
        append(client, proxy);
    }
    return proxy;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void close_on_server(tp_client *client, const tp_devaddr *addr)
{
    const tp_device_req request = {.addr = *addr, .access = TP_CLOSE_MODE};
    const tpi_question question = {.what = tpi_client_server_message(TP_PLAYER_REQ_DEV),
                                   .value = &request,
                                   .deadline_ns = TP_NEVER,
                                   .bound = true,
                                   .about = *addr};

    tpi_ask_submit(client, &question, NULL, NULL);
}

/* Inside a callback nobody can wait for the answer. */
static tp_status set_rate_on_server(const tp_proxy *proxy, double rate_hz, tp_error *err)
{
    tp_client *client = proxy->client;
    const tp_rate_req request = {.addr = proxy->addr, .rate = rate_hz};

    if (tp_loop_is_turning(client->loop)) {
        tpi_client_tell_server(client, TP_PLAYER_REQ_RATE, &request);
        return TP_OK;
    }
    return tpi_client_ask(client, NULL, tpi_client_server_message(TP_PLAYER_REQ_RATE), &request,
                          NULL, err);
}

/* Report the result of the opening, once. */
static void tell_opened(tp_proxy *proxy, tp_status status, const char *why)
{
    tp_proxy_opened *opened = proxy->opened;

    proxy->opened = NULL;
    if (opened != NULL) {
        opened(proxy->opened_context, proxy, status, why);
    }
}

static void tell_change(tp_proxy *proxy, tp_status status, const char *why)
{
    if (proxy->changed != NULL && !proxy->closed) {
        proxy->changed(proxy->changed_context, proxy, status, why);
    }
}

void tp_proxy_on_change(tp_proxy *proxy, tp_proxy_opened *changed, void *context)
{
    proxy->changed = changed;
    proxy->changed_context = context;
}

static void is_open(tp_proxy *proxy, const tp_device_req *granted)
{
    const bool again = proxy->was_open;

    proxy->state = TPI_PROXY_OPEN;
    proxy->was_open = true;
    proxy->reopen_ns = 0;
    for (uint32_t i = 0; i < proxy->slot_count; i++) {
        proxy->slots[i].copies = 0; /* what came before is no copy of what comes now */
    }
    (void)snprintf(proxy->driver, sizeof proxy->driver, "%.*s", (int)granted->driver_name_count,
                   granted->driver_name);
    if (proxy->rate_hz > 0 && proxy->client->troupe) {
        set_rate_on_server(proxy, proxy->rate_hz, NULL);
    }
    proxy->moved = false;
    if (proxy->lease.asks != 0 && proxy->client->troupe) {
        (void)tpi_proxy_ask_lease(proxy, NULL);
    }
    tpi_client_holds(proxy->client, proxy);
    tell_opened(proxy, TP_OK, NULL);
    if (again) {
        tell_change(proxy, TP_OK, NULL);
    }
    tpi_ask_send_waiting(proxy->client);
}

/* Try to open it in a while, and with it all others that wait. */
static void reopen_later(const tp_proxy *proxy)
{
    tp_client *client = proxy->client;
    const int64_t wait_ns = proxy->reopen_ns > 0 ? proxy->reopen_ns : REOPEN_NS;
    const int64_t at_ns = tpi_client_now_ns(client) + wait_ns;

    if (client->reopen.at_ns == 0 || at_ns < client->reopen.at_ns) {
        client->reopen.at_ns = at_ns;
        tp_timer_at(client->reopen.timer, at_ns);
    }
}

static void is_refused(tp_proxy *proxy, const tp_error *why)
{
    proxy->refusal = *why;
    proxy->state = proxy->was_open ? TPI_PROXY_WANTED : TPI_PROXY_FAILED;
    if (proxy->was_open) {
        proxy->reopen_ns = 2 * proxy->reopen_ns < REOPEN_NS ? 2 * proxy->reopen_ns : REOPEN_NS;
        reopen_later(proxy);
    }
    tpi_ask_fail_proxy(proxy, why->code, why->text);
    tell_opened(proxy, why->code, why->text);
    if (proxy->was_open) {
        tell_change(proxy, why->code, why->text);
    }
}

/* Why the server did not open it, with the name of the device in front. A driver that has waited
 * too long says for what. */
static void explain(const tp_proxy *proxy, const tpi_ask *ask, tp_status status, const char *why,
                    tp_error *err)
{
    if (status == TP_OK) { /* acknowledged, with the access "error" */
        tp_fail(err, TP_E_DEVICE, "%s: its driver could not be started", proxy->name);
    } else if (status == TP_E_TIMEOUT && ask->is_late) {
        tp_fail(err, status, "%s: it was not opened in time", proxy->name);
    } else if (proxy->client->troupe || status != TP_E_DEVICE) {
        tp_fail(err, status, "%s: %s", proxy->name, why);
    } else {
        tp_fail(err, TP_E_UNKNOWN, "%s: there is no such device", proxy->name);
    }
}

/* The server has answered. The proxy is gone if it was closed or given up meanwhile. */
static void on_answer(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    const tp_device_req *granted = answer != NULL ? tp_msg_payload(answer) : NULL;
    const bool opened = granted != NULL && granted->access != TP_ERROR_MODE;
    tp_proxy *proxy = ask->context;
    tp_error err;

    ask->context = NULL;
    if (proxy == NULL) {
        if (opened) {
            close_on_server(ask->client, &ask->about);
        }
    } else if (opened) {
        is_open(proxy, granted);
    } else if (status == TP_E_CLOSED) {
        proxy->state = TPI_PROXY_WANTED; /* until the next connection */
    } else {
        explain(proxy, ask, status, why, &err);
        is_refused(proxy, &err);
    }
}

static tp_status open_on_server(tp_proxy *proxy, tp_error *err)
{
    tp_client *client = proxy->client;
    const tp_device_req request = {
        .addr = proxy->addr, .access = (uint8_t)(client->troupe ? proxy->access : TP_OPEN_MODE)};
    const tpi_question question = {.what = tpi_client_server_message(TP_PLAYER_REQ_DEV),
                                   .value = &request,
                                   .deadline_ns = tpi_client_deadline(client, 0),
                                   .bound = true,
                                   .lingers = true,
                                   .done = on_answer,
                                   .context = proxy,
                                   .about = proxy->addr};

    if (!client->troupe && proxy->access == TP_EXCLUSIVE_MODE) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s: a Player server cannot give exclusive access",
                       proxy->name);
    }
    tp_status status = tpi_ask_submit(client, &question, NULL, err);
    if (status == TP_OK) {
        proxy->state = TPI_PROXY_OPENING;
    }
    return status;
}

void tpi_proxy_open_wanted(tp_client *client)
{
    tp_error err = {0};

    for (tp_proxy *proxy = client->proxies; proxy != NULL; proxy = proxy->next) {
        if (proxy->state == TPI_PROXY_WANTED && !proxy->closed &&
            open_on_server(proxy, &err) != TP_OK) {
            is_refused(proxy, &err);
        }
    }
}

static void reopen(void *context)
{
    tp_client *client = context;

    client->reopen.at_ns = 0;
    tpi_client_enter(client);
    if (client->state == TPI_CLIENT_CONNECTED) {
        tpi_proxy_open_wanted(client);
    }
    tpi_client_leave(client);
}

tp_status tpi_reopen_init(tp_client *client, tp_error *err)
{
    return tp_timer_create(&client->reopen.timer, client->loop, reopen, client, err);
}

void tpi_reopen_fini(tp_client *client)
{
    tp_timer_destroy(client->reopen.timer);
}

void tpi_proxy_removed(tp_client *client, const tp_devaddr *addr, const tp_failure *failure)
{
    for (tp_proxy *proxy = client->proxies; proxy != NULL; proxy = proxy->next) {
        if (proxy->state == TPI_PROXY_OPEN && !proxy->closed &&
            proxy->addr.interf == addr->interf && proxy->addr.index == addr->index) {
            tp_fail(&proxy->refusal, TP_E_REMOVED, "%s: %.*s", proxy->name,
                    (int)failure->text_count, failure->text);
            proxy->state = TPI_PROXY_WANTED;
            proxy->reopen_ns = FIRST_REOPEN_NS;
            reopen_later(proxy);
            tell_change(proxy, TP_E_REMOVED, proxy->refusal.text);
        }
    }
}

void tpi_proxy_close_all(tp_client *client)
{
    tp_timer_cancel(client->reopen.timer);
    client->reopen.at_ns = 0;
    for (tp_proxy *proxy = client->proxies; proxy != NULL; proxy = proxy->next) {
        if (proxy->state != TPI_PROXY_FAILED) {
            proxy->state = TPI_PROXY_WANTED;
            proxy->refusal = (tp_error){0};
        }
    }
}

/* The connection will not come back. */
void tpi_proxy_give_up_all(tp_client *client)
{
    const tp_error why = client->why;

    for (tp_proxy *proxy = client->proxies; proxy != NULL; proxy = proxy->next) {
        if (proxy->state == TPI_PROXY_WANTED && !proxy->closed) {
            proxy->state = TPI_PROXY_FAILED;
            proxy->refusal = why;
            tell_opened(proxy, why.code, why.text);
        }
    }
}

tp_status tp_client_open_later(tp_client *client, const tp_interface *interface, unsigned index,
                               unsigned access, tp_proxy_opened *done, void *context,
                               tp_proxy **out, tp_error *err)
{
    if (access != TP_OPEN_MODE && (access < TP_READ_MODE || access > TP_EXCLUSIVE_MODE)) {
        return tp_fail(err, TP_E_INVALID, "%s:%u: %u is no access mode", interface->name, index,
                       access);
    }
    if (index > UINT16_MAX) {
        return tp_fail(err, TP_E_RANGE, "%s:%u: the index is over %u", interface->name, index,
                       UINT16_MAX);
    }
    if (client->state == TPI_CLIENT_LOST && client->gives_up) {
        return tp_fail(err, client->why.code, "%s", client->why.text);
    }
    tp_proxy *proxy = create(client, interface, index, access);
    if (proxy == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s:%u: out of memory", interface->name, index);
    }
    proxy->opened = done;
    proxy->opened_context = context;
    tp_status status = client->state == TPI_CLIENT_CONNECTED ? open_on_server(proxy, err) : TP_OK;
    if (status != TP_OK) {
        release(proxy);
        return status;
    }
    *out = proxy;
    return TP_OK;
}

/* The request that opens it will find nobody, and close the device again. */
static void abandon_opening(tp_proxy *proxy)
{
    for (tpi_ask *ask = tpi_ask_first(proxy->client); ask != NULL; ask = ask->next) {
        if (ask->done == on_answer && ask->context == proxy) {
            ask->context = NULL;
            return;
        }
    }
}

void tp_proxy_close(tp_proxy *proxy)
{
    if (proxy == NULL || proxy->closed) {
        return;
    }
    tp_client *client = proxy->client;
    tpi_ask_fail_proxy(proxy, TP_OK, NULL);
    if (proxy->state == TPI_PROXY_OPENING) {
        abandon_opening(proxy);
    } else if (proxy->state == TPI_PROXY_OPEN) {
        proxy->state = TPI_PROXY_FAILED;
        close_on_server(client, &proxy->addr);
    }
    proxy->closed = true;
    if (client->entered > 0) {
        client->sweep = true;
    } else {
        release(proxy);
    }
}

/* ---- What it is ------------------------------------------------------------------------------ */

tp_client *tp_proxy_client(const tp_proxy *proxy)
{
    return proxy->client;
}

const tp_interface *tp_proxy_interface(const tp_proxy *proxy)
{
    return proxy->interface;
}

const tp_devaddr *tp_proxy_addr(const tp_proxy *proxy)
{
    return &proxy->addr;
}

const char *tp_proxy_name(const tp_proxy *proxy)
{
    return proxy->name;
}

const char *tp_proxy_driver(const tp_proxy *proxy)
{
    return proxy->driver;
}

bool tp_proxy_is_open(const tp_proxy *proxy)
{
    return proxy->state == TPI_PROXY_OPEN && !proxy->closed;
}

void tp_proxy_set_context(tp_proxy *proxy, void *context)
{
    proxy->context = context;
}

void *tp_proxy_context(const tp_proxy *proxy)
{
    return proxy->context;
}

tp_status tp_proxy_set_rate(tp_proxy *proxy, double rate_hz, tp_error *err)
{
    tp_client *client = proxy->client;

    if (!(rate_hz >= 0) || rate_hz > 1e9) {
        return tp_fail(err, TP_E_RANGE, "%s: %g is no rate", proxy->name, rate_hz);
    }
    if (client->state == TPI_CLIENT_CONNECTED && !client->troupe) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s: a Player server does not limit rates",
                       proxy->name);
    }
    tp_status status =
        proxy->state == TPI_PROXY_OPEN ? set_rate_on_server(proxy, rate_hz, err) : TP_OK;
    if (status == TP_OK) {
        proxy->rate_hz = rate_hz;
    }
    return status == TP_OK ? TP_OK : tp_wrap(err, status, proxy->name);
}
