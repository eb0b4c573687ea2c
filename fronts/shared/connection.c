/*
 * connection.c - the clients of a front on streams: beginning, end, and what a turn does.
 *
 * Callbacks of streams and sessions only note what is to be done. The work is done at the end of
 * the turn, in turn_end().
 */
#include <assert.h>
#include <stdlib.h>

#include "connection_inside.h"

/* ---- The turn -------------------------------------------------------------------------------- */

static void close_connection(tp_connection *c)
{
    tp_connections *all = c->all;

    if (c->begun && all->ops->end != NULL) {
        all->ops->end(c);
    }
    tp_loop_after_cancel(all->loop, &c->flush);
    tp_session_destroy(c->session); /* what it moves is stopped */
    tp_stream_close(c->stream);
    *(c->previous != NULL ? &c->previous->next : &all->first) = c->next;
    if (c->next != NULL) {
        c->next->previous = c->previous;
    }
    all->count--;
    tpi_connection_drop(c);
    free(c->out.bytes);
    free(c);
}

/* Give the front what the session has queued. */
static void receive(tp_connection *c)
{
    tp_session_release(c->session);
    while (tp_session_sealed(c->session) > 0) {
        tp_msg *msg = tp_session_take(c->session);

        if (c->all->ops->receive != NULL && !tpi_connection_is_closing(c)) {
            c->all->ops->receive(c, msg);
        }
        tp_msg_unref(msg);
    }
}

/* What goes out before a client is closed that its session has dismissed: the reason too. */
static void send_last(tp_connection *c)
{
    if (c->out.encoding != NULL) {
        tp_session_seal(c->session, tp_session_waiting(c->session));
    }
    tpi_connection_flush(c);
}

static void go_on(tp_connection *c)
{
    if (tp_session_only_reads(c->session)) {
        tpi_connection_resume(c);
        if (!c->ending) {
            tp_connection_soon(c);
        }
        return;
    }
    if (c->out.encoding == NULL) {
        receive(c);
    }
    if (tp_connection_waiting(c) > 0) {
        tpi_connection_flush(c);
    }
    tpi_connection_resume(c);
    if (c->all->ops->turn != NULL && !tpi_connection_is_closing(c)) {
        c->all->ops->turn(c);
    }
    if (c->out.encoding != NULL && !c->blocked && !c->ending) {
        tp_session_release(c->session);
    }
    if (!c->ending) {
        tpi_connection_flush(c);
    }
    if (c->finishing && tpi_connection_is_sent(c)) {
        c->ending = true;
    }
}

static void turn_end(tp_after *after)
{
    tp_connection *c = (tp_connection *)((char *)after - offsetof(tp_connection, flush));

    assert(tpi_connection_is_current(c));
    if (!c->ending) {
        go_on(c);
    }
    if (c->ending && c->dismissed && !c->blocked) {
        send_last(c);
    }
    if (c->ending) {
        close_connection(c);
    }
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void on_room(void *context, void **bytes, size_t *length)
{
    tpi_connection_room(context, bytes, length);
}

static void on_read(void *context, size_t length)
{
    tp_connection *c = context;
    const tp_connection_ops *ops = c->all->ops;

    assert(tpi_connection_is_current(c));
    if (tpi_connection_is_closing(c)) {
        return;
    }
    if (ops->renews) {
        tp_session_heard(c->session);
    }
    if (ops->arrived != NULL) {
        ops->arrived(c);
    }
    tpi_connection_take(c, length);
    if (!c->ending && tp_connection_waiting(c) > 0) {
        tpi_connection_flush(c); /* at once: the client may measure it */
    }
    if (ops->handled != NULL && !tpi_connection_is_closing(c)) {
        ops->handled(c);
    }
}

static void on_written(void *context)
{
    tp_connection *c = context;

    assert(tpi_connection_is_current(c));
    c->blocked = false;
    tp_connection_soon(c);
}

/* Thousands of guests can leave at once. */
static void on_end(void *context, tp_status status)
{
    tp_connection *c = context;

    assert(tpi_connection_is_current(c));
    (void)status;
    c->ending = true;
    c->dismissed = false;
    if (tp_session_is_guest(c->session)) {
        tp_loop_later(c->all->loop, &c->flush);
    } else {
        tp_connection_soon(c);
    }
}

static const tp_stream_events stream_events = {
    .room = on_room, .read = on_read, .written = on_written, .end = on_end};

static void on_ready(void *context)
{
    tp_connection *c = context;

    assert(tpi_connection_is_current(c));
    if (c->stalled && !c->ending && !c->flush.queued && tp_stream_has_left(c->stream) &&
        tp_session_gives_way(c->session)) {
        return;
    }
    const bool urgent = c->out.encoding == NULL || c->stalled || tp_session_has_replies(c->session);
    if (!c->ending && (urgent || !c->blocked)) {
        tp_session_flush_soon(c->session, &c->flush, urgent);
    }
}

static void on_lost(void *context)
{
    tp_connection_dismiss(context);
}

static size_t on_unread(void *context)
{
    const tp_connection *c = context;

    assert(tpi_connection_is_current(c));
    return tpi_connection_unread(c);
}

static int64_t on_unread_since(void *context)
{
    const tp_connection *c = context;

    assert(tpi_connection_is_current(c));
    return tp_stream_since_ns(c->stream);
}

static const tp_session_events session_events = {
    .ready = on_ready, .lost = on_lost, .unread = on_unread, .unread_since = on_unread_since};

/* ---- Beginning ------------------------------------------------------------------------------- */

static tp_connection *create(tp_connections *all, tp_stream *stream)
{
    tp_connection *c = calloc(1, sizeof *c + all->ops->state_size);

    if (c == NULL) {
        return NULL;
    }
    c->all = all;
    c->stream = stream;
    c->flush.run = turn_end;
    c->next = all->first;
    if (c->next != NULL) {
        c->next->previous = c;
    }
    all->first = c;
    all->count++;
    return c;
}

static tp_status begin(tp_connection *c)
{
    const tp_connection_ops *ops = c->all->ops;
    const int patience_s = tp_front_where(c->all->instance)->patience_s;
    tp_status status = tp_front_session(&c->session, c->all->instance, tp_stream_peer(c->stream),
                                        &ops->limits, &session_events, c, NULL);

    if (patience_s != 0) {
        tp_stream_set_patience(c->stream, patience_s > 0 ? (unsigned)patience_s : 0);
    }
    if (status == TP_OK && ops->begin != NULL) {
        c->begun = true;
        status = ops->begin(c);
    }
    status = status == TP_OK ? tp_stream_start(c->stream, &stream_events, c) : status;
    if (status == TP_OK) {
        tpi_connection_flush(c);
    }
    return c->ending ? TP_E_CLOSED : status;
}

static void on_accept(void *context, tp_stream *stream)
{
    tp_connections *all = context;
    const bool has_place = all->count < all->most || tp_front_make_room(all->instance);
    tp_connection *c = has_place ? create(all, stream) : NULL;

    assert(tp_loop_is_current(all->loop));
    if (c == NULL) {
        tp_stream_close(stream);
    } else if (begin(c) != TP_OK) {
        close_connection(c);
    }
}

/* Close what does not take its last bytes. */
static void sweep(void *context)
{
    tp_connections *all = context;
    bool any = false;

    for (tp_connection *c = all->first; c != NULL; c = c->next) {
        if (c->finishing && !c->ending) {
            any = true;
            c->patience--;
        }
        if (c->finishing && !c->ending && c->patience == 0) {
            tp_connection_give_up(c);
        }
    }
    all->sweeping = any;
    if (!any) {
        tp_timer_cancel(all->sweep);
    }
}

tp_status tp_connections_open(tp_connections **out, tp_front_instance *instance,
                              const tp_connection_ops *ops, size_t most, tp_error *err)
{
    tp_connections *all = calloc(1, sizeof *all);

    if (all == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    all->instance = instance;
    all->loop = tp_front_loop(instance);
    all->ops = ops;
    all->most = most;
    all->shared = malloc(TPI_CONNECTION_READ);
    tp_status status = all->shared != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
    status = status == TP_OK ? tp_timer_create(&all->sweep, all->loop, sweep, all, err) : status;
    status = status == TP_OK
                 ? tp_listener_open(&all->listener, all->loop, tp_front_where(instance)->address,
                                    on_accept, all, err)
                 : status;
    if (status != TP_OK) {
        tp_connections_close(all);
        return status;
    }
    *out = all;
    return TP_OK;
}

void tp_connections_close(tp_connections *all)
{
    if (all == NULL) {
        return;
    }
    assert(tp_loop_is_current(all->loop));
    while (all->first != NULL) {
        close_connection(all->first);
    }
    tp_listener_close(all->listener);
    tp_timer_destroy(all->sweep);
    free(all->shared);
    free(all);
}

/* ---- What belongs to it ---------------------------------------------------------------------- */

unsigned tp_connections_port(const tp_connections *all)
{
    return tp_listener_port(all->listener);
}

size_t tp_connections_count(const tp_connections *all)
{
    return all->count;
}

void *tp_connection_state(tp_connection *c)
{
    return c->state;
}

tp_front_instance *tp_connection_front(const tp_connection *c)
{
    return c->all->instance;
}

tp_session *tp_connection_session(const tp_connection *c)
{
    return c->session;
}

tp_stream *tp_connection_stream(const tp_connection *c)
{
    return c->stream;
}
