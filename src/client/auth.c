/*
 * auth.c - proving that the program has a key, before anything else is done on a connection.
 *
 * Troupe's servers send a challenge, and the key itself never travels. Player's servers receive the
 * key in plain text; today's versions refuse it, which does no harm. A program that pretends to be
 * a Player server could collect keys this way. So a key from the environment, which is for any
 * server, is not sent in plain text, and no key is sent so where a server of Troupe's was before.
 */
#include <stdio.h>
#include <string.h>

#include "client/inside.h"
#include "client/key.h"
#include "platform/secret.h"
#include "troupe/front.h"

/* ---- The key --------------------------------------------------------------------------------- */

tp_status tpi_client_take_key(tp_client *client, tp_error *err)
{
    const char *path = client->options.key_file;

    client->secret.may_show = client->options.key != NULL || (path != NULL && path[0] != '\0');
    return tpi_key_read(&client->secret.key, client->options.key, path, err);
}

void tpi_client_forget_key(tp_client *client)
{
    tpi_key_forget(&client->secret.key);
}

tp_status tpi_client_try_key(const tp_client_options *options, tp_error *err)
{
    tp_client none = {.options = *options};
    const tp_status status = tpi_client_take_key(&none, err);

    tpi_client_forget_key(&none);
    return status;
}

/* ---- Proving --------------------------------------------------------------------------------- */

static void fail(tp_client *client, tp_status status)
{
    tpi_client_is_down(client, "%s: %s", client->url, tp_status_text(status));
}

static void on_right(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    tp_client *client = ask->client;
    const tp_auth_right *right = answer != NULL ? tp_msg_payload(answer) : NULL;

    (void)why;
    if (client->state != TPI_CLIENT_GREETING) {
        return; /* it is lost, which was reported */
    }
    if (status == TP_OK && right != NULL) {
        client->rights.right = right->right <= TP_RIGHT_OPERATE ? right->right : TP_RIGHT_OPERATE;
        (void)snprintf(client->rights.key_name, sizeof client->rights.key_name, "%.*s",
                       (int)right->key_count, right->key);
    }
    tpi_client_is_greeted(client);
}

/* Whether a key is a line of a server's file of keys: "anna move secret", or a comment. */
static bool is_line_of_server(const char *key)
{
    const char *word = key + strcspn(key, " \t");
    const size_t blanks = strspn(word, " \t");
    bool found = key[0] == '#';

    word += blanks;
    for (tp_right right = TP_RIGHT_READ; blanks > 0 && right <= TP_RIGHT_OPERATE; right++) {
        const size_t length = strlen(tp_right_name(right));
        found = found || (strncmp(word, tp_right_name(right), length) == 0 &&
                          (word[length] == ' ' || word[length] == '\t'));
    }
    return found;
}

static void on_proved(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    tp_client *client = ask->client;

    (void)answer;
    if (client->state != TPI_CLIENT_GREETING) {
        return;
    }
    if (status == TP_E_DENIED) {
        tpi_client_is_refused(client, is_line_of_server(client->secret.key)
                                          ? "it looks like a line of the server's file of keys, "
                                            "NAME RIGHT SECRET: give the SECRET alone, or a file "
                                            "with nothing else in its first line"
                                          : why);
        return;
    }
    if (status != TP_OK) { /* too many are trying; later perhaps */
        tpi_client_is_down(client, "%s: the key is not looked at: %s", client->url, why);
        return;
    }
    status = tpi_client_introduce(client, TP_PLAYER_REQ_RIGHT, NULL, on_right);
    if (status != TP_OK) {
        fail(client, status);
    }
}

/* A server without keys needs no proof, nor does an older one. */
static void on_challenge(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    tp_client *client = ask->client;
    const tp_auth_challenge *challenge = answer != NULL ? tp_msg_payload(answer) : NULL;
    tp_auth_proof proof = {.digest_count = TP_AUTH_DIGEST_LENGTH};

    (void)why;
    if (client->state != TPI_CLIENT_GREETING) {
        return;
    }
    if (status != TP_OK || challenge == NULL) {
        tpi_client_is_greeted(client);
        return;
    }
    status = tpi_secret_proof(proof.digest, client->secret.key, strlen(client->secret.key),
                              challenge->nonce, challenge->nonce_count);
    status = status == TP_OK ? tpi_client_introduce(client, TP_PLAYER_REQ_PROVE, &proof, on_proved)
                             : status;
    if (status != TP_OK) {
        fail(client, status);
    }
}

static void on_shown(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    (void)status;
    (void)answer;
    (void)why;
    if (ask->client->state == TPI_CLIENT_GREETING) {
        tpi_client_is_greeted(ask->client);
    }
}

static bool may_show(const tp_client *client)
{
    return client->secret.may_show && !client->was_troupe &&
           strlen(client->secret.key) <= TP_KEYLEN;
}

void tpi_client_authenticate(tp_client *client)
{
    tp_device_auth_req shown = {0};
    tp_status status = TP_OK;

    if (client->secret.key == NULL || (!client->troupe && !may_show(client))) {
        tpi_client_is_greeted(client);
        return;
    }
    if (client->troupe) {
        status = tpi_client_introduce(client, TP_PLAYER_REQ_CHALLENGE, NULL, on_challenge);
    } else {
        shown.auth_key_count = (uint32_t)strlen(client->secret.key);
        memcpy(shown.auth_key, client->secret.key, shown.auth_key_count);
        status = tpi_client_introduce(client, TP_PLAYER_REQ_AUTH, &shown, on_shown);
        tpi_secret_wipe(&shown, sizeof shown);
    }
    if (status != TP_OK) {
        fail(client, status);
    }
}

bool tp_client_is_refused(const tp_client *client)
{
    return client->rights.refused;
}

tp_right tp_client_right(const tp_client *client)
{
    return client->rights.right;
}
