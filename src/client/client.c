/* client.c - the life of a client; see troupe/client.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "bus/pool.h"
#include "client/inside.h"
#include "client/url.h"
#include "loop/task.h"
#include "troupe/front.h"
#include "troupe/stream.h"

static const int64_t DEFAULT_TIMEOUT_NS = 5 * TP_NS_PER_S;

/* ---- Small things ---------------------------------------------------------------------------- */

int64_t tpi_client_now_ns(const tp_client *client)
{
    return tp_clock_now_ns(tp_loop_clock(client->loop));
}

double tpi_client_stamp(const tp_client *client)
{
    const tp_clock *clock = tp_loop_clock(client->loop);

    return client->options.steady ? (double)tp_clock_now_ns(clock) / (double)TP_NS_PER_S
                                  : tp_clock_wall_s(clock);
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

/* ---- What is known of it --------------------------------------------------------------------- */

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

static tp_status init_parts(tp_client *client, tp_error *err)
{
    tp_status status = tpi_contact_init(client, err);

    status = status == TP_OK ? tpi_asks_init(client, err) : status;
    status = status == TP_OK ? tpi_reopen_init(client, err) : status;
    status = status == TP_OK ? tpi_alive_init(client, err) : status;
    return status == TP_OK
               ? tp_timer_create(&client->alarm, client->loop, tpi_client_alarm, client, err)
               : status;
}

static tp_status make_loop(tp_client *client, tp_loop *loop, tp_error *err)
{
    if (loop != NULL) {
        client->loop = loop;
        return TP_OK;
    }
    tp_status status = tp_loop_create(&client->own.loop, tp_clock_real(), err);
    client->loop = client->own.loop;
    return status;
}

static tp_status make_catalogue(tp_client *client, const tp_catalogue *catalogue, tp_error *err)
{
    tp_status status = TP_OK;

    client->catalogue = client->options.catalogue != NULL ? client->options.catalogue : catalogue;
    if (client->catalogue == NULL) {
        status = tp_catalogue_create(&client->own.catalogue, err);
        client->catalogue = client->own.catalogue;
    }
    return status;
}

/* Data of a client whose loop turns in its own calls only is pulled by these calls, and they renew
 * its leases. */
static void choose_mode(tp_client *client)
{
    const bool own = client->own.loop != NULL || client->own.server != NULL;

    client->mode = client->options.mode;
    if (client->mode == TP_CLIENT_AUTO) {
        client->mode = own ? TP_CLIENT_FRESH : TP_CLIENT_EVERYTHING;
    }
    client->pull.keeps = !own;
    client->attention.by_calls = client->options.renewal == TP_RENEW_CALLS ||
                                 (client->options.renewal == TP_RENEW_AUTO && own);
}

static tp_status take_options(tp_client_options *out, const tp_client_options *options,
                              tp_error *err)
{
    static const tpi_options_kind kind = {"tp_client_options", sizeof *out,
                                          TPI_OPTIONS_END(tp_client_options, renewal)};

    return tpi_options_take(out, &kind, options, err);
}

static tp_status set_options(tp_client *client, const tp_client_options *options, tp_error *err)
{
    const tp_status status = take_options(&client->options, options, err);

    if (status != TP_OK) {
        return status;
    }
    if (client->options.timeout_ns <= 0) {
        client->options.timeout_ns = DEFAULT_TIMEOUT_NS;
    }
    client->name = copy_text(client->options.name != NULL ? client->options.name : "a program");
    client->gives_up = client->options.stay_lost;
    return client->name == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                : tpi_client_take_key(client, err);
}

tp_status tpi_client_create(tp_client **out, const char *url, const tp_client_options *options,
                            tp_error *err)
{
    tp_client *client = calloc(1, sizeof *client);

    *out = client;
    if (client == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    client->transport = &tpi_transport_wire;
    client->url = copy_text(url);
    return client->url == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory")
                               : set_options(client, options, err);
}

tp_status tpi_client_furnish(tp_client *client, tp_loop *loop, const tp_catalogue *catalogue,
                             tp_error *err)
{
    tp_fail(&client->why, TP_E_CLOSED, "%s: it is not connected yet", client->url);
    client->pull.again.run = tpi_client_pull_again;
    tp_status status = make_loop(client, loop, err);
    status = status == TP_OK ? make_catalogue(client, catalogue, err) : status;
    status = status == TP_OK ? init_parts(client, err) : status;
    choose_mode(client);
    return status;
}

/* Whether the options allow a server in this program. */
static tp_status check_inproc(const char *url, const tp_client_options *options, tp_error *err)
{
    if (options->loop != NULL) {
        return tp_fail(err, TP_E_INVALID,
                       "%s: such a server has a loop of its own; attach a client to yours instead",
                       url);
    }
    if (options->kit == NULL || options->kit->inproc == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "%s: there is no server in this program: link the library troupe-server "
                       "and set the option kit to &tp_full_kit",
                       url);
    }
    return TP_OK;
}

/* A client of a server at `url`; not connected yet. If it fails there may be a client, too, which
 * is to be destroyed. */
static tp_status create(tp_client **out, const char *url, const tp_client_options *options,
                        tp_error *err)
{
    const char *file = tpi_url_file(url);
    tp_status status = tpi_client_create(out, url, options, err);

    if (status != TP_OK || file == NULL) {
        return status == TP_OK ? tpi_client_furnish(*out, (*out)->options.loop, NULL, err) : status;
    }
    status = check_inproc(url, &(*out)->options, err);
    return status == TP_OK ? (*out)->options.kit->inproc->open(*out, file, err) : status;
}

void tp_client_destroy(tp_client *client)
{
    if (client == NULL) {
        return;
    }
    assert(client->entered == 0); /* otherwise a callback of its own destroys it */
    if (client->own.loop != NULL) {
        tpi_loop_take(client->own.loop); /* another thread may have turned it last */
    }
    while (client->proxies != NULL) {
        tp_proxy_close(client->proxies);
    }
    client->transport->destroy(client);
    tpi_asks_fini(client);
    if (client->loop != NULL) {
        tp_loop_after_cancel(client->loop, &client->pull.again);
    }
    tpi_contact_fini(client);
    tpi_reopen_fini(client);
    tpi_alive_fini(client);
    tp_timer_destroy(client->alarm);
    tp_msg_unref(client->answer);
    if (client->own.server != NULL) {
        client->options.kit->inproc->close(client->own.server);
    }
    if (client->own.loop != NULL) {
        tp_loop_destroy(client->own.loop);
        tpi_pool_leave();
    }
    tp_catalogue_destroy(client->own.catalogue);
    tpi_client_forget_key(client);
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

/* The first attempt decides the result; later attempts follow the options of the client. */
static tp_status connect_now(tp_client *client, tp_error *err)
{
    tp_status status = tpi_client_may_wait(client, client->url, err);

    status = status == TP_OK ? tpi_client_begin_once(client, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (tpi_client_wait(client, TP_NEVER, is_decided, client) != TP_OK) {
        return tpi_client_fail_interrupted(client->url, err);
    }
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
    free(full);
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
    tp_client_options taken;
    tp_status status = take_options(&taken, options, err);

    if (status == TP_OK && taken.loop == NULL) {
        status = tp_fail(err, TP_E_INVALID, "connecting later needs a loop in the options");
    }
    status = status == TP_OK ? complete_url(&full, url, err) : status;
    status = status == TP_OK ? create(&client, full, options, err) : status;
    free(full);
    status = status == TP_OK ? tpi_client_begin(client, err) : status;
    if (status != TP_OK) {
        tp_client_destroy(client);
        return status;
    }
    *out = client;
    return TP_OK;
}

tp_status tp_client_check(const char *url, const tp_client_options *options, const char **what,
                          tp_error *err)
{
    char *full = NULL;
    const char *ignored;
    tp_client_options taken;
    tp_status status = take_options(&taken, options, err);
    const bool file = taken.key_file != NULL && taken.key_file[0] != '\0';

    what = what == NULL ? &ignored : what;
    *what = "url";
    status = status == TP_OK ? complete_url(&full, url, err) : status;
    if (status == TP_OK) {
        status = tpi_url_file(full) != NULL ? check_inproc(full, &taken, err)
                                            : tp_stream_check(full, err);
    }
    free(full);
    if (status == TP_OK) {
        *what = file ? "key_file" : "key";
        status = tpi_client_try_key(&taken, err);
    }
    return status;
}
