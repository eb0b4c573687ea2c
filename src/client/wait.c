/* wait.c - the calls that wait: they turn the loop until something has happened. */
#include <limits.h>

#include "client/inside.h"
#include "loop/task.h"
#include "platform/clock.h"

/* ---- Waiting --------------------------------------------------------------------------------- */

tp_status tpi_client_may_wait(const tp_client *client, const char *who, tp_error *err)
{
    return tp_loop_is_turning(client->loop)
               ? tp_fail(err, TP_E_INVALID, "%s: a call that waits was made from a callback", who)
               : TP_OK;
}

void tpi_client_alarm(void *context)
{
    (void)context; /* it has ended the wait, which is all it is for */
}

tp_status tpi_client_fail_interrupted(const char *who, tp_error *err)
{
    return tp_fail(err, TP_E_INTERRUPTED, "%s: %s", who, tp_status_text(TP_E_INTERRUPTED));
}

/* A client with its own loop may go from one thread to another between two calls. */
static void take_loop(tp_client *client)
{
    if (client->own.loop != NULL) {
        tpi_loop_take(client->own.loop);
    }
}

static void begin_wait(tp_client *client, int64_t deadline_ns)
{
    take_loop(client);
    client->attention.waits++;
    tp_client_renew(client);
    tp_timer_at(client->alarm, deadline_ns);
}

static void end_wait(tp_client *client)
{
    client->attention.waits--;
    tp_timer_cancel(client->alarm);
}

/* One turn of a wait; false if the program wants it to end. */
static bool turn(tp_client *client)
{
    return !atomic_exchange(&client->attention.interrupted, false) &&
           tp_loop_turn_or_signal(client->loop);
}

tp_status tpi_client_wait(tp_client *client, int64_t deadline_ns, tpi_condition *met, void *context)
{
    bool goes_on = true;

    begin_wait(client, deadline_ns);
    while (goes_on && !met(context) && tpi_client_now_ns(client) < deadline_ns) {
        goes_on = turn(client);
    }
    end_wait(client);
    if (met(context)) {
        return TP_OK;
    }
    return goes_on ? TP_E_TIMEOUT : TP_E_INTERRUPTED;
}

/* Whether what has come is the newest there is, as far as can be known. A pull that was left over
 * from an earlier call (`old`) may have brought something old, so another one has to follow it. */
static bool is_settled(const tp_client *client, bool old)
{
    switch (client->pull.state) {
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
    bool goes_on = true;
    bool old = client->pull.state != TPI_PULL_IDLE;

    if (old) {
        tp_loop_turn(client->loop, false);
    }
    begin_wait(client, deadline_ns);
    while (goes_on && (!met(context) || !is_settled(client, old))) {
        if (client->losses != losses || (client->state == TPI_CLIENT_LOST && client->gives_up) ||
            tpi_client_now_ns(client) >= deadline_ns) {
            break;
        }
        if (client->pull.state == TPI_PULL_IDLE) {
            tpi_client_pull(client);
            old = false;
        }
        goes_on = turn(client);
    }
    end_wait(client);
    if (met(context) || !goes_on) {
        return met(context) ? TP_OK : TP_E_INTERRUPTED;
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
    } else if (status == TP_E_INTERRUPTED) {
        tpi_client_fail_interrupted(client->url, err);
    }
    return status;
}

void tp_client_run(tp_client *client)
{
    const bool before = client->pull.keeps;

    take_loop(client);
    client->pull.keeps = true;
    tpi_client_pull(client);
    tp_loop_run(client->loop);
    client->pull.keeps = before;
}

void tp_client_stop(tp_client *client)
{
    tp_loop_stop(client->loop);
}

void tp_client_step(tp_client *client, bool wait)
{
    take_loop(client);
    tp_client_renew(client);
    tpi_client_pull(client);
    if (!wait) {
        tp_loop_turn(client->loop, false);
    } else {
        (void)turn(client);
    }
}

void tp_client_interrupt(tp_client *client)
{
    atomic_store(&client->attention.interrupted, true);
    tp_loop_wake(client->loop);
}

/* ---- Other event loops ----------------------------------------------------------------------- */

int tp_client_fd(const tp_client *client)
{
    return tp_loop_fd(client->loop);
}

/* Until the client is due; TP_NEVER if it never is. */
static int64_t left_ns(const tp_client *client)
{
    /* Nothing asks for data before the first tp_client_process(), so no data would end the wait. */
    if (client->mode == TP_CLIENT_FRESH && !client->pull.keeps) {
        return 0;
    }
    const int64_t deadline_ns = tp_loop_deadline(client->loop);
    return deadline_ns == TP_NEVER ? TP_NEVER : deadline_ns - tpi_client_now_ns(client);
}

int64_t tp_client_deadline(const tp_client *client)
{
    const int64_t left = left_ns(client);

    return left == TP_NEVER ? TP_NEVER : tpi_clock_monotonic_ns() + left;
}

int tp_client_poll_ms(const tp_client *client)
{
    const int64_t left = left_ns(client);

    if (left == TP_NEVER) {
        return -1;
    }
    if (left <= 0) {
        return 0;
    }
    /* rounded up, so that nothing is called before it is due */
    return left / TP_NS_PER_MS >= INT_MAX ? INT_MAX
                                          : (int)((left + TP_NS_PER_MS - 1) / TP_NS_PER_MS);
}

void tp_client_process(tp_client *client)
{
    client->pull.keeps = true;
    tp_client_step(client, false);
}
