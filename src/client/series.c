/* series.c - the data of a device, message by message; see tp_proxy_next(). */
#include "client/series.h"

#include <stdlib.h>

#include "client/inside.h"

enum { DEFAULT_CAPACITY = 256, MOST = 65536 };

/* ---- The ring -------------------------------------------------------------------------------- */

static tp_msg *take_oldest(tpi_series *series)
{
    tp_msg *msg = series->ring[series->first];

    series->first = (series->first + 1) % series->capacity;
    series->count--;
    return msg;
}

static void clear(tpi_series *series)
{
    while (series->count > 0) {
        tp_msg_unref(take_oldest(series));
    }
    free(series->ring);
    series->ring = NULL;
    series->capacity = series->first = 0;
}

tp_status tpi_series_resize(tpi_series *series, unsigned capacity)
{
    tp_msg **ring = capacity > 0 ? calloc(capacity, sizeof(tp_msg *)) : NULL;

    if (capacity > 0 && ring == NULL) {
        return TP_E_NOMEM;
    }
    clear(series);
    series->ring = ring;
    series->capacity = capacity;
    return TP_OK;
}

void tpi_series_fini(tpi_series *series)
{
    clear(series);
    tp_msg_unref(series->given);
    series->given = NULL;
}

void tpi_series_put(tpi_series *series, const tp_msg *msg)
{
    if (series->capacity == 0) {
        return;
    }
    if (series->count == series->capacity) {
        tp_msg_unref(take_oldest(series));
        series->missed++;
    }
    series->ring[(series->first + series->count) % series->capacity] = tp_msg_ref(msg);
    series->count++;
}

const tp_msg *tpi_series_take(tpi_series *series)
{
    tp_msg_unref(series->given);
    series->given = series->count > 0 ? take_oldest(series) : NULL;
    return series->given;
}

/* ---- For the program ------------------------------------------------------------------------- */

tp_status tp_proxy_set_queue(tp_proxy *proxy, unsigned capacity, tp_error *err)
{
    if (proxy->client->mode == TP_CLIENT_FRESH && capacity > 0) {
        return tp_fail(err, TP_E_INVALID,
                       "%s: the client gets only the newest message of each kind: set the option "
                       "mode to TP_CLIENT_EVERYTHING",
                       proxy->name);
    }
    if (capacity > MOST) {
        return tp_fail(err, TP_E_RANGE, "%s: a queue has at most %d messages, not %u", proxy->name,
                       MOST, capacity);
    }
    return tpi_series_resize(&proxy->series, capacity) == TP_OK
               ? TP_OK
               : tp_fail(err, TP_E_NOMEM, "%s: out of memory", proxy->name);
}

uint64_t tp_proxy_missed(const tp_proxy *proxy)
{
    return proxy->series.missed;
}

/* Whether there is a message, or the certainty that none will come. */
static bool has_next(void *context)
{
    const tp_proxy *proxy = context;

    return proxy->series.count > 0 || proxy->state == TPI_PROXY_FAILED;
}

/* A program that finds its queue full for a long time waits in no call; what is due, such as the
 * renewal of a lease, is done here. */
static void do_what_is_due(tp_client *client)
{
    if (tp_loop_deadline(client->loop) <= tpi_client_now_ns(client)) {
        tp_client_step(client, false);
    }
}

const tp_msg *tp_proxy_next(tp_proxy *proxy, int64_t timeout_ns, tp_error *err)
{
    tp_client *client = proxy->client;
    tp_status status = tpi_client_may_wait(client, proxy->name, err);

    if (status == TP_OK && proxy->series.capacity == 0) {
        status = tp_proxy_set_queue(proxy, DEFAULT_CAPACITY, err);
    }
    if (status != TP_OK) {
        return NULL;
    }
    if (proxy->series.count > 0) {
        do_what_is_due(client);
    }
    status = tpi_client_wait_data(client, tpi_client_deadline(client, timeout_ns), has_next, proxy);
    const tp_msg *msg = tpi_series_take(&proxy->series);
    if (msg == NULL) {
        tpi_proxy_fail_wait(proxy, status, "no data in time", err);
    }
    return msg;
}
