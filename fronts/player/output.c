/*
 * output.c - sends the messages of a client's session.
 *
 * Once per turn of the loop the session seals what may go out (tp_session_release), and the
 * transport sends what is sealed.
 */
#include "inside.h"

void tpi_player_output_flush(tp_after *after)
{
    struct client *client = (struct client *)((char *)after - offsetof(struct client, flush));

    if (!client->ending) {
        if (client->paused && !tp_session_is_busy(client->session)) {
            client->paused = false;
            client->transport->resume(client);
        }
        if (!client->blocked) {
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

void tpi_player_output_ready(void *context)
{
    struct client *client = context;

    if (!client->blocked || client->paused || client->ending) {
        tp_loop_after(client->front->loop, &client->flush);
    }
}
