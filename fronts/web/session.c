/* session.c - the sessions of a client, one for each form of data, and their events. */
#include <assert.h>

#include "inside.h"

static void on_ready(void *context)
{
    struct client *client = context;
    struct connection *c = client->connection;

    assert(front_is_current(client->front));
    if (c == NULL) {
        tp_loop_after(client->front->loop, &client->drain);
    } else if (c->ending) {
        return; /* which is queued */
    } else if (c->paused && tp_stream_has_left(c->stream) &&
               tp_session_gives_way(client->sessions[FORM_JSON])) {
        return;
    } else if (c->paused || tp_session_has_replies(client->sessions[FORM_JSON])) {
        tp_loop_after(client->front->loop, &c->flush);
    } else if (!c->blocked) {
        tp_loop_later(client->front->loop, &c->flush);
    } else {
        tpi_web_behind(c);
    }
}

static void on_lost(void *context)
{
    struct client *client = context;

    assert(front_is_current(client->front));
    client->lost = true;
    if (client->connection != NULL) {
        client->connection->dismissed = true;
        tpi_web_give_up(client->connection);
    } else {
        tp_loop_after(client->front->loop, &client->drain);
    }
}

static size_t on_unread(void *context)
{
    const struct client *client = context;
    const struct connection *c = client->connection;

    assert(front_is_current(client->front));
    return c == NULL ? 0 : c->in.length + tp_stream_unread(c->stream);
}

static int64_t on_unread_since(void *context)
{
    const struct client *client = context;
    const struct connection *c = client->connection;

    assert(front_is_current(client->front));
    return c == NULL ? TP_NEVER : tp_stream_since_ns(c->stream);
}

static void on_drop(void *context)
{
    struct client *client = context;

    client->front->up.drop_pending(client);
}

/* The session of a second form sends nothing to devices. */
static const tp_session_events session_events = {.ready = on_ready,
                                                 .lost = on_lost,
                                                 .unread = on_unread,
                                                 .unread_since = on_unread_since,
                                                 .drop = on_drop};

const tp_encoding *tpi_web_encoding(enum form form)
{
    static const tp_encoding *const encodings[FORMS] = {&tpi_web_json, &tpi_web_cdr,
                                                        &tpi_web_second};

    return encodings[form];
}

tp_status tpi_web_session_begin(struct client *client, const char *peer, tp_error *err)
{
    static const tp_session_limits limits = {.data = 1024, .replies = 512, .requests = 64};
    tp_session **session = &client->sessions[FORM_JSON];
    const tp_status status = tp_front_session(session, client->front->instance, peer, &limits,
                                              &session_events, client, err);

    assert(front_is_current(client->front));
    if (status == TP_OK) {
        tp_session_explain_failures(*session, true);
        tp_session_only_sends(*session, &tpi_web_json);
    }
    return status;
}

tp_status tpi_web_client_add_form(struct client *client, enum form form, tp_error *err)
{
    static const tp_session_limits limits = {.data = 1024, .replies = 16, .requests = 16};
    const struct connection *c = client->connection;
    const tp_status status = tp_front_session(&client->sessions[form], client->front->instance,
                                              c != NULL ? tp_stream_peer(c->stream) : client->host,
                                              &limits, &session_events, client, err);

    assert(front_is_current(client->front));
    if (status == TP_OK) {
        tp_session_only_sends(client->sessions[form], tpi_web_encoding(form));
        tp_session_set_software(client->sessions[form], "web, in CDR");
        tp_session_heard(client->sessions[form]);
    }
    return status;
}
