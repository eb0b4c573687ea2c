/* client.c - clients: their beginning, and their end with all that they have. */
#include <assert.h>
#include <stdlib.h>

#include "inside.h"

struct client *tpi_web_client_create(struct web_front *front, const char *peer)
{
    struct client *client = calloc(1, sizeof *client);

    assert(front_is_current(front));
    if (client == NULL) {
        return NULL;
    }
    client->front = front;
    if (tpi_web_session_begin(client, peer, NULL) != TP_OK) {
        free(client);
        return NULL;
    }
    return client;
}

void tpi_web_client_destroy(struct client *client)
{
    struct newest *newest;

    if (client == NULL) {
        return;
    }
    assert(front_is_current(client->front));
    tp_loop_after_cancel(client->front->loop, &client->drain);
    tpi_web_uses_clear(client); /* first: the sessions close the devices */
    tpi_web_parameters_clear(client);
    tpi_web_subscriptions_clear(client);
    tpi_web_channels_clear(client);
    while ((newest = client->newest) != NULL) {
        client->newest = newest->next;
        tp_msg_unref(newest->msg);
        free(newest);
    }
    for (int i = 0; i < FORMS; i++) {
        tp_session_destroy(client->sessions[i]); /* what it moves is stopped */
    }
    free(client);
}
