/*
 * alive.c - leases: while the program attends to its client, what it moves may go on moving.
 *
 * From the first command that moves something on, the server hears of the client a few times a
 * second. That happens where everything of a client happens: in calls that wait, and while the loop
 * turns. A program that hangs says nothing, and its robot stops.
 */
#include "client/inside.h"

/* A server of ours stops what moves after a second of silence. */
#define ALIVE_NS (300 * TP_NS_PER_MS)

void tpi_client_moved(tp_client *client, const tp_message *what)
{
    if (what->effect == TP_EFFECT_MOVES && client->troupe && !client->moved) {
        client->moved = true;
        tp_timer_every(client->alive, ALIVE_NS);
    }
}

void tpi_client_rests(tp_client *client)
{
    client->moved = false;
    tp_timer_cancel(client->alive);
}

void tpi_client_say_alive(void *context)
{
    tp_client *client = context;
    const tp_message *what =
        tp_interface_message(&tp_interface_player, TP_KIND_SYNCH, TP_PLAYER_SYNCH_OK);
    const tp_msghdr header = {.addr = {.interf = TP_PLAYER_CODE},
                              .type = TP_MSGTYPE_SYNCH,
                              .subtype = TP_PLAYER_SYNCH_OK,
                              .timestamp = tp_clock_wall_s(tp_loop_clock(client->loop))};

    if (client->state == TPI_CLIENT_CONNECTED) {
        (void)client->transport->send(client, &header, what, NULL, NULL);
    }
}
