/* client.c - what connections and sources of datagrams have in common: their list and their end. */
#include "inside.h"

const char tpi_player_greeting[TP_IDENT_STRLEN] = "Player v.3.1.1-dev";

void tpi_player_client_reset(struct client *client)
{
    tp_loop_after_cancel(client->front->loop, &client->flush);
    tp_session_destroy(client->session);
    client->session = NULL;
    client->paused = client->blocked = client->ending = client->dismissed = false;
}

void tpi_player_client_link(struct client *client)
{
    tp_player_front *front = client->front;

    client->previous = NULL;
    client->next = front->clients;
    *(client->next != NULL ? &client->next->previous : &front->oldest) = client;
    front->clients = client;
    front->client_count++;
}

void tpi_player_client_unlink(struct client *client)
{
    tp_player_front *front = client->front;

    *(client->previous != NULL ? &client->previous->next : &front->clients) = client->next;
    *(client->next != NULL ? &client->next->previous : &front->oldest) = client->previous;
    front->client_count--;
}

void tpi_player_client_close(struct client *client)
{
    tpi_player_client_reset(client);
    tpi_player_client_unlink(client);
    client->transport->close(client);
}

void tpi_player_client_flush(struct client *client)
{
    tp_session_flush_soon(client->session, &client->flush,
                          client->paused || tp_session_has_replies(client->session));
}

void tpi_player_client_left(struct client *client)
{
    client->ending = true;
    if (tp_session_is_guest(client->session)) {
        tp_loop_later(client->front->loop, &client->flush);
    } else {
        tp_loop_after(client->front->loop, &client->flush);
    }
}

void tpi_player_client_give_up(struct client *client)
{
    client->ending = true;
    tp_loop_after(client->front->loop, &client->flush);
}
