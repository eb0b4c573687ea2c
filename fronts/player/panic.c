/* panic.c - requests to the player interface about the emergency stop, and others of operators. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { LONGEST_TEXT = 128 };

/* A text of the wire, which need not have an end; cut to the room there is. */
static void read_text(char out[LONGEST_TEXT], const char *text, uint32_t count)
{
    size_t length = count == 0 ? 0 : strnlen(text, count);

    length = length < LONGEST_TEXT ? length : LONGEST_TEXT - 1;
    if (length > 0) {
        memcpy(out, text, length);
    }
    out[length] = '\0';
}

void tpi_player_serve_panic(struct client *client, const tp_msghdr *request, const void *body)
{
    const tp_panic *asked = body;
    char why[LONGEST_TEXT];

    read_text(why, asked->why, asked->why_count);
    tp_session_panic(client->session, why);
    tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, NULL, NULL);
}

void tpi_player_serve_reset_panic(struct client *client, const tp_msghdr *request, const void *body)
{
    const tp_panic_reset *asked = body;
    char key[LONGEST_TEXT];
    tp_error err = {0};

    read_text(key, asked->key, asked->key_count);
    tp_status status = tp_session_reset_panic(client->session, asked->epoch, key, &err);
    if (status == TP_OK) {
        tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, NULL, NULL);
    } else {
        tp_session_refuse(client->session, request, status, err.text);
    }
}

void tpi_player_serve_kick(struct client *client, const tp_msghdr *request, const void *body)
{
    const tp_kick *asked = body;
    tp_error err = {0};
    const tp_status status = tp_session_kick(client->session, asked->number, &err);

    if (status == TP_OK) {
        tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, NULL, NULL);
    } else {
        tp_session_refuse(client->session, request, status, err.text);
    }
}

void tpi_player_serve_get_panic(struct client *client, const tp_msghdr *request, const void *body)
{
    tp_panic_state *panic = NULL;
    const tp_status status = tp_hub_panic(client->front->hub, &panic);

    (void)body;
    if (status == TP_OK) {
        tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, &tp_desc_panic_state, panic);
    } else {
        tp_session_refuse(client->session, request, status, tp_status_text(status));
    }
    free(panic);
}
