/* client.c - the life of a client, and the calls that wait; see troupe/client.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bus/pool.h"
#include "client/inside.h"
#include "client/url.h"

static const int64_t DEFAULT_TIMEOUT_NS = 5 * TP_NS_PER_S;

/* ---- Small things ---------------------------------------------------------------------------- */

int64_t tpi_client_now_ns(const tp_client *client)
{
    return tp_clock_now_ns(tp_loop_clock(client->loop));
}

int64_t tpi_client_deadline(const tp_client *client, int64_t timeout_ns)
{
    const int64_t time_ns = timeout_ns <= 0 ? client->options.timeout_ns : timeout_ns;
    const int64_t now_ns = tpi_client_now_ns(client);

    return time_ns > TP_NEVER - now_ns ? TP_NEVER : now_ns + time_ns;
}

const char *tpi_client_duration(int64_t ns, char out[32])
{
    if (ns % TP_NS_PER_S == 0) {
        (void)snprintf(out, 32, "%lld s", (long long)(ns / TP_NS_PER_S));
    } else {
        (void)snprintf(out, 32, "%.6g ms", (double)ns / (double)TP_NS_PER_MS);
    }
    return out;
}

void tpi_client_enter(tp_client *client)
{
    client->entered++;
}

void tpi_client_leave(tp_client *client)
{
    client->entered--;
    if (client->entered == 0 && client->sweep) {
        tpi_proxy_sweep(client);
    }
}

/* ---- Waiting --------------------------------------------------------------------------------- */

tp_status tpi_client_may_wait(const tp_client *client, const char *who, tp_error *err)
{
    return tp_loop_is_turning(client->loop)
               ? tp_fail(err, TP_E_INVALID, "%s: a call that waits was made from a callback", who)
               : TP_OK;
}

static void on_alarm(void *context)
{
    (void)context; /* it has ended the wait, which is all it is for */
}

tp_status tpi_client_wait(tp_client *client, int64_t deadline_ns, tpi_condition *met, void *context)
{
    tp_timer_at(client->alarm, deadline_ns);
    while (!met(context) && tpi_client_now_ns(client) < deadline_ns) {
        tp_loop_turn(client->loop, true);
    }
    tp_timer_cancel(client->alarm);
    return met(context) ? TP_OK : TP_E_TIMEOUT;
}

/* Whether what has come is the newest there is, as far as can be known. A pull that was left over
 * from an earlier call (`old`) may have brought something old, so another one has to follow it. */
static bool is_settled(const tp_client *client, bool old)
{
    switch (client->pull) {
    case TPI_PULL_IDLE:
        return !old;
    case TPI_PULL_ASKED:
        return old;
    case TPI_PULL_ARMED:
        return true;
    case TPI_PULL_DELIVERING:
        break;
    }
    return false;
}

tp_status tpi_client_wait_data(tp_client *client, int64_t deadline_ns, tpi_condition *met,
                               void *context)
{
    const uint32_t losses = client->losses;
    bool old = client->pull != TPI_PULL_IDLE;

    if (old) {
        tp_loop_turn(client->loop, false);
    }
    tp_timer_at(client->alarm, deadline_ns);
    while (!met(context) || !is_settled(client, old)) {
        if (client->losses != losses || (client->state == TPI_CLIENT_LOST && client->gives_up) ||
            tpi_client_now_ns(client) >= deadline_ns) {
            break;
        }
        if (client->pull == TPI_PULL_IDLE) {
            tpi_client_pull(client);
            old = false;
        }
        tp_loop_turn(client->loop, true);
    }
    tp_timer_cancel(client->alarm);
    if (met(context)) {
        return TP_OK;
    }
    return client->state == TPI_CLIENT_CONNECTED && client->losses == losses ? TP_E_TIMEOUT
                                                                             : TP_E_CLOSED;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct reading {
    const tp_client *client;
    uint64_t before;
};

static bool has_data(void *context)
{
    const struct reading *reading = context;

    return reading->client->received != reading->before;
}

tp_status tp_client_read(tp_client *client, int64_t timeout_ns, tp_error *err)
{
    struct reading reading = {client, client->received};
    tp_status status = tpi_client_may_wait(client, client->url, err);

    if (status != TP_OK) {
        return status;
    }
    status =
        tpi_client_wait_data(client, tpi_client_deadline(client, timeout_ns), has_data, &reading);
    if (status == TP_E_CLOSED) {
        tp_fail(err, status, "%s", client->why.text);
    } else if (status == TP_E_TIMEOUT) {
        tp_fail(err, status, "%s: no data in time", client->url);
    }
    return status;
}

void tp_client_run(tp_client *client)
{
    const bool before = client->keeps_pulling;

    client->keeps_pulling = true;
    tpi_client_pull(client);
    tp_loop_run(client->loop);
    client->keeps_pulling = before;
}

void tp_client_stop(tp_client *client)
{
    tp_loop_stop(client->loop);
}

void tp_client_step(tp_client *client, bool wait)
{
    tpi_client_pull(client);
    tp_loop_turn(client->loop, wait);
}

/* ---- Rules and numbers ----------------------------------------------------------------------- */

tp_status tp_client_add_rule(tp_client *client, int interf, int index, int type, int subtype,
                             tp_replace_rule rule, tp_error *err)
{
    const tp_add_replace_rule_req request = {interf, index, type, subtype, (int32_t)rule};
    tp_add_replace_rule_req *rules =
        realloc(client->rules, (client->rule_count + 1) * sizeof request);

    if (rules == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", client->url);
    }
    client->rules = rules;
    tp_status status = TP_OK;
    if (client->state == TPI_CLIENT_CONNECTED) {
        status = tp_client_request(client, TP_PLAYER_REQ_ADD_REPLACE_RULE, &request, NULL, err);
    }
    if (status == TP_OK) {
        rules[client->rule_count++] = request;
    }
    return status;
}

uint64_t tp_client_dropped(const tp_client *client)
{
    return client->dropped;
}

bool tp_client_is_connected(const tp_client *client)
{
    return client->state == TPI_CLIENT_CONNECTED;
}

tp_loop *tp_client_loop(const tp_client *client)
{
    return client->loop;
}

const char *tp_client_url(const tp_client *client)
{
    return client->url;
}

bool tp_client_is_troupe(const tp_client *client)
{
    return client->troupe;
}

const char *tp_client_banner(const tp_client *client)
{
    return client->banner;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);

    if (copy != NULL) {
        memcpy(copy, text, strlen(text) + 1);
    }
    return copy;
}

static tp_status make_timers(tp_client *client, tp_error *err)
{
    const struct {
        tp_timer **timer;
        void (*fire)(void *context);
    } timers[] = {{&client->watch, tpi_client_watch},
                  {&client->reopen, tpi_proxy_reopen},
                  {&client->overdue, tpi_ask_expire},
                  {&client->alarm, on_alarm}};
    tp_status status = TP_OK;

    for (size_t i = 0; i < sizeof timers / sizeof timers[0] && status == TP_OK; i++) {
        status = tp_timer_create(timers[i].timer, client->loop, timers[i].fire, client, err);
    }
    return status;
}

static tp_status make_loop(tp_client *client, tp_error *err)
{
    tp_status status = TP_OK;

    client->loop = client->options.loop;
    if (client->loop == NULL) {
        status = tp_loop_create(&client->loop, tp_clock_real(), err);
        client->owns_loop = status == TP_OK;
    }
    return status;
}

static tp_status make_catalogue(tp_client *client, tp_error *err)
{
    tp_status status = TP_OK;

    client->catalogue = client->options.catalogue;
    if (client->catalogue == NULL) {
        status = tp_catalogue_create(&client->own_catalogue, err);
        client->catalogue = client->own_catalogue;
    }
    return status;
}

static void choose_mode(tp_client *client)
{
    client->mode = client->options.mode;
    if (client->mode == TP_CLIENT_AUTO) {
        client->mode = client->owns_loop ? TP_CLIENT_FRESH : TP_CLIENT_EVERYTHING;
    }
    client->keeps_pulling = !client->owns_loop;
}

/* A client of a server at `url`, which it takes over; not connected yet. */
static tp_status create(tp_client **out, char *url, const tp_client_options *options, tp_error *err)
{
    tp_client *client = calloc(1, sizeof *client);

    if (client == NULL) {
        free(url);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *out = client;
    client->url = url;
    client->transport = &tpi_transport_wire;
    if (options != NULL) {
        client->options = *options;
    }
    if (client->options.timeout_ns <= 0) {
        client->options.timeout_ns = DEFAULT_TIMEOUT_NS;
    }
    client->name = copy_text(client->options.name != NULL ? client->options.name : "a program");
    client->overdue_ns = TP_NEVER;
    client->pull_again.run = tpi_client_pull_again;
    tp_status status = client->name == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
    status = status == TP_OK ? make_loop(client, err) : status;
    status = status == TP_OK ? make_catalogue(client, err) : status;
    status = status == TP_OK ? make_timers(client, err) : status;
    choose_mode(client);
    return status;
}

void tp_client_destroy(tp_client *client)
{
    if (client == NULL) {
        return;
    }
    assert(client->entered == 0); /* otherwise a callback of its own destroys it */
    while (client->proxies != NULL) {
        tp_proxy_close(client->proxies);
    }
    client->transport->destroy(client);
    while (client->asks != NULL) {
        tpi_ask_forget(client->asks);
    }
    if (client->loop != NULL) {
        tp_loop_after_cancel(client->loop, &client->pull_again);
    }
    tp_timer_destroy(client->watch);
    tp_timer_destroy(client->reopen);
    tp_timer_destroy(client->overdue);
    tp_timer_destroy(client->alarm);
    tp_msg_unref(client->answer);
    if (client->owns_loop) {
        tp_loop_destroy(client->loop);
        tpi_pool_leave();
    }
    tp_catalogue_destroy(client->own_catalogue);
    free(client->rules);
    free(client->name);
    free(client->url);
    free(client);
}

static tp_status complete_url(char **out, const char *url, tp_error *err)
{
    const char *chosen = url != NULL ? url : getenv("TROUPE_URL");

    return tpi_url_complete(out, chosen != NULL && chosen[0] != '\0' ? chosen : "localhost", err);
}

static bool is_decided(void *context)
{
    const tp_client *client = context;

    return client->state == TPI_CLIENT_CONNECTED || client->state == TPI_CLIENT_LOST;
}

/* The first attempt decides; after it the client tries again as it was told to. */
static tp_status connect_now(tp_client *client, tp_error *err)
{
    tp_status status = tpi_client_may_wait(client, client->url, err);

    client->gives_up = true;
    client->told = true;
    status = status == TP_OK ? tpi_client_begin(client, err) : status;
    if (status != TP_OK) {
        return status;
    }
    tpi_client_wait(client, TP_NEVER, is_decided, client);
    if (client->state != TPI_CLIENT_CONNECTED) {
        return tp_fail(err, client->why.code, "%s", client->why.text);
    }
    client->gives_up = client->options.stay_lost;
    return TP_OK;
}

tp_status tp_client_connect(tp_client **out, const char *url, const tp_client_options *options,
                            tp_error *err)
{
    tp_client *client = NULL;
    char *full = NULL;
    tp_status status = complete_url(&full, url, err);

    status = status == TP_OK ? create(&client, full, options, err) : status;
    status = status == TP_OK ? connect_now(client, err) : status;
    if (status != TP_OK) {
        tp_client_destroy(client);
        return status;
    }
    *out = client;
    return TP_OK;
}

tp_status tp_client_connect_later(tp_client **out, const char *url,
                                  const tp_client_options *options, tp_error *err)
{
    tp_client *client = NULL;
    char *full = NULL;
    tp_status status = TP_OK;

    if (options == NULL || options->loop == NULL) {
        return tp_fail(err, TP_E_INVALID, "connecting later needs a loop in the options");
    }
    status = complete_url(&full, url, err);
    status = status == TP_OK ? create(&client, full, options, err) : status;
    if (status == TP_OK) {
        client->gives_up = options->stay_lost;
        status = tpi_client_begin(client, err);
    }
    if (status != TP_OK) {
        tp_client_destroy(client);
        return status;
    }
    *out = client;
    return TP_OK;
}
