/*
 * session.c - the session of a client: its events, and sending its messages.
 *
 * Once per turn of the loop the session seals what may go out (tp_session_release), and the
 * transport sends what is sealed.
 */
#include "inside.h"

#include <assert.h>

static void flush(tp_after *after)
{
    struct client *client = (struct client *)((char *)after - offsetof(struct client, flush));

    assert(tpi_player_is_current(client->front));
    if (!client->ending) {
        const bool only_reads = tp_session_only_reads(client->session);
        if (client->paused && !tp_session_is_busy(client->session)) {
            client->paused = false;
            client->transport->resume(client);
        }
        if (only_reads && !client->ending) {
            tpi_player_client_flush(client);
        } else if (!client->blocked) {
            tp_session_release(client->session);
            client->transport->write(client);
        }
    }
    if (client->ending && client->dismissed && !client->blocked) {
        tp_session_seal(client->session, tp_session_waiting(client->session));
        client->transport->write(client);
    }
    if (client->ending) {
        tpi_player_client_close(client);
    }
}

static void on_ready(void *context)
{
    struct client *client = context;

    assert(tpi_player_is_current(client->front));
    if (client->paused && !client->ending && !client->flush.queued &&
        client->transport->has_left != NULL && client->transport->has_left(client) &&
        tp_session_gives_way(client->session)) {
        return;
    }
    if (!client->ending && (client->paused || !client->blocked)) {
        tpi_player_client_flush(client);
    }
}

static void on_lost(void *context)
{
    struct client *client = context;

    assert(tpi_player_is_current(client->front));
    client->dismissed = true;
    tpi_player_client_give_up(client);
}

static size_t on_unread(void *context)
{
    struct client *client = context;

    assert(tpi_player_is_current(client->front));
    return client->transport->unread(client);
}

static int64_t on_unread_since(void *context)
{
    struct client *client = context;

    assert(tpi_player_is_current(client->front));
    return client->transport->unread_since != NULL ? client->transport->unread_since(client)
                                                   : TP_NEVER;
}

static void on_drop(void *context)
{
    struct client *client = context;

    assert(tpi_player_is_current(client->front));
    if (client->transport->drop != NULL) {
        client->transport->drop(client);
    }
}

static const tp_session_events session_events = {
    .ready = on_ready,
    .lost = on_lost,
    .unread = on_unread,
    .unread_since = on_unread_since,
    .drop = on_drop,
};

void tpi_player_session_init(struct client *client, tp_player_front *front,
                             const struct transport *transport)
{
    client->front = front;
    client->transport = transport;
    client->flush.run = flush;
}

tp_status tpi_player_session_begin(struct client *client, const char *name)
{
    static const tp_session_limits limits = {
        .data = TP_MSGQUEUE_DEFAULT_MAXLEN, .replies = 4096, .requests = 256};
    const tp_status status = tp_front_session(&client->session, client->front->instance, name,
                                              &limits, &session_events, client, NULL);

    if (status == TP_OK) {
        tp_session_only_sends(client->session, &tp_encoding_player);
    }
    return status;
}
