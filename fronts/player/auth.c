/* auth.c - requests to the player interface about keys: shown as in Player, or proved. */
#include <string.h>

#include "inside.h"

static void reply(struct client *client, const tp_msghdr *request, tp_status status,
                  const tp_error *err)
{
    if (status == TP_OK) {
        tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, NULL, NULL);
    } else {
        tp_session_refuse(client->session, request, status, err->text);
    }
}

void tpi_player_serve_auth(struct client *client, const tp_msghdr *request, const void *body)
{
    const tp_device_auth_req *shown = body;
    tp_error err = {0};

    reply(client, request,
          tp_session_show_key(client->session, shown->auth_key, shown->auth_key_count, &err), &err);
}

void tpi_player_serve_challenge(struct client *client, const tp_msghdr *request, const void *body)
{
    tp_auth_challenge challenge = {.nonce_count = TP_AUTH_NONCE_LENGTH};
    tp_error err = {0};
    tp_status status = tp_session_challenge(client->session, challenge.nonce, &err);

    (void)body;
    if (status == TP_OK) {
        tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, &tp_desc_auth_challenge,
                               &challenge);
    } else {
        tp_session_refuse(client->session, request, status, err.text);
    }
}

void tpi_player_serve_prove(struct client *client, const tp_msghdr *request, const void *body)
{
    const tp_auth_proof *proof = body;
    tp_error err = {0};

    reply(client, request,
          tp_session_prove(client->session, proof->digest, proof->digest_count, &err), &err);
}

void tpi_player_serve_right(struct client *client, const tp_msghdr *request, const void *body)
{
    char name[64] = "";
    tp_auth_right right = {.right = (uint8_t)tp_session_right(client->session), .key = name};

    (void)body;
    strncpy(name, tp_session_key(client->session), sizeof name - 1);
    right.key_count = (uint32_t)strlen(name) + 1;
    tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, &tp_desc_auth_right, &right);
}
