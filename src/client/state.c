/*
 * state.c - connecting, greeting, losing the connection, connecting again.
 *
 * After the transport is up we say hello, and right behind it choose the data mode. A server of
 * ours answers both; Player drops the hello without a word and acknowledges the mode. So when the
 * mode is acknowledged it is known which of the two it is, and how a key is proved to it (auth.c).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/inside.h"

enum { VERSION = 1 };

static const int64_t FIRST_BACKOFF_NS = 100 * TP_NS_PER_MS;
static const int64_t LAST_BACKOFF_NS = 2 * TP_NS_PER_S;
static const int64_t LONGEST_GREETING_NS = 60 * TP_NS_PER_S;

const tp_message *tpi_client_server_message(unsigned code)
{
    return tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, code);
}

void tpi_client_tell_server(tp_client *client, unsigned code, const void *value)
{
    const tpi_question question = {.what = tpi_client_server_message(code),
                                   .value = value,
                                   .deadline_ns = TP_NEVER,
                                   .bound = true};

    tpi_ask_submit(client, &question, NULL, NULL);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

tp_status tp_client_add_rule(tp_client *client, int interf, int index, int type, int subtype,
                             tp_replace_rule rule, tp_error *err)
{
    const tp_add_replace_rule_req request = {interf, index, type, subtype, (int32_t)rule};
    tpi_client_contact *contact = &client->contact;
    tp_add_replace_rule_req *rules =
        realloc(contact->rules, (contact->rule_count + 1) * sizeof request);

    if (rules == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", client->url);
    }
    contact->rules = rules;
    tp_status status = TP_OK;
    if (client->state == TPI_CLIENT_CONNECTED) {
        status = tp_client_request(client, TP_PLAYER_REQ_ADD_REPLACE_RULE, &request, NULL, err);
    }
    if (status == TP_OK) {
        rules[contact->rule_count++] = request;
    }
    return status;
}

static void tell_rules(tp_client *client)
{
    const tp_add_replace_rule_req newest = {.interf = -1,
                                            .index = -1,
                                            .type = TP_MSGTYPE_DATA,
                                            .subtype = -1,
                                            .replace = TP_PLAYER_MSG_REPLACE_RULE_REPLACE};

    if (client->mode == TP_CLIENT_FRESH) {
        tpi_client_tell_server(client, TP_PLAYER_REQ_ADD_REPLACE_RULE, &newest);
    }
    for (uint32_t i = 0; i < client->contact.rule_count; i++) {
        tpi_client_tell_server(client, TP_PLAYER_REQ_ADD_REPLACE_RULE, &client->contact.rules[i]);
    }
}

/* ---- Made ------------------------------------------------------------------------------------ */

void tpi_client_panicked(tp_client *client, const tp_msg *msg)
{
    const tp_panic_state *panic = tp_msg_payload(msg);

    if (panic != NULL && client->options.panicked != NULL) {
        client->options.panicked(client->options.context, client, panic);
    }
}

static void on_panic(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    (void)why;
    if (status == TP_OK && answer != NULL) {
        tpi_client_panicked(ask->client, answer);
    }
}

/* What comes later the server tells by itself. */
static void ask_for_panic(tp_client *client)
{
    const tpi_question question = {.what = tpi_client_server_message(TP_PLAYER_REQ_GET_PANIC),
                                   .deadline_ns = TP_NEVER,
                                   .bound = true,
                                   .done = on_panic};

    if (client->troupe && client->options.panicked != NULL) {
        tpi_ask_submit(client, &question, NULL, NULL);
    }
}

void tpi_client_is_connected(tp_client *client)
{
    client->state = TPI_CLIENT_CONNECTED;
    client->contact.connected_ns = tpi_client_now_ns(client);
    client->contact.told = false;
    tp_timer_cancel(client->contact.watch);
    tell_rules(client);
    ask_for_panic(client);
    tpi_proxy_open_wanted(client);
    tpi_ask_send_waiting(client);
    if (client->pull.keeps) {
        tpi_client_pull(client);
    }
}

void tpi_client_tell_made(tp_client *client)
{
    if (client->options.changed != NULL) {
        client->options.changed(client->options.context, client, NULL);
    }
}

/* ---- Greeting -------------------------------------------------------------------------------- */

static void on_hello(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    tp_client *client = ask->client;
    const tp_hello *hello = answer != NULL ? tp_msg_payload(answer) : NULL;

    (void)why;
    client->troupe = status == TP_OK && hello != NULL;
    client->was_troupe = client->was_troupe || client->troupe;
    if (client->troupe && (hello->features & TP_HELLO_READ_ONLY) != 0) {
        client->rights.right = TP_RIGHT_READ;
    }
}

/* A hello that Player has dropped. */
static void forget_hello(tp_client *client)
{
    for (tpi_ask *ask = tpi_ask_first(client); ask != NULL; ask = ask->next) {
        if (ask->done == on_hello) {
            tpi_ask_forget(ask);
            return;
        }
    }
}

static void on_mode(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    tp_client *client = ask->client;

    (void)answer;
    if (client->state != TPI_CLIENT_GREETING) {
        return; /* it is lost, which was reported */
    }
    if (status != TP_OK) {
        tpi_client_is_down(client, "%s: the server refuses the data mode: %s", client->url, why);
        return;
    }
    forget_hello(client);
    tpi_client_authenticate(client);
}

void tpi_client_is_greeted(tp_client *client)
{
    tpi_client_is_connected(client);
    tpi_client_tell_made(client);
}

void tpi_client_is_refused(tp_client *client, const char *why)
{
    client->rights.refused = true;
    client->contact.told =
        client->contact.told && client->gives_up; /* a loss was reported, but not this */
    client->gives_up = true;
    tpi_client_is_down(client, "%s: the key is refused: %s", client->url, why);
}

tp_status tpi_client_introduce(tp_client *client, unsigned code, const void *value,
                               tpi_ask_done *done)
{
    const tpi_question question = {.what = tpi_client_server_message(code),
                                   .value = value,
                                   .deadline_ns = TP_NEVER,
                                   .introduces = true,
                                   .done = done};

    return tpi_ask_submit(client, &question, NULL, NULL);
}

void tpi_client_is_up(tp_client *client)
{
    const tp_hello hello = {.version = VERSION,
                            .features = TP_HELLO_ERRORS | TP_HELLO_LEASES |
                                        (client->options.extensions ? TP_HELLO_EXTENSIONS : 0u),
                            .name_count = (uint32_t)strlen(client->name) + 1,
                            .name = client->name};
    const tp_device_datamode_req mode = {
        .mode = client->mode == TP_CLIENT_FRESH ? TP_DATAMODE_PULL : TP_DATAMODE_PUSH};
    tp_status status = TP_OK;

    client->state = TPI_CLIENT_GREETING;
    client->troupe = false;
    client->rights.right = TP_RIGHT_OPERATE;
    client->rights.key_name[0] = '\0';
    if (!client->options.plain) {
        status = tpi_client_introduce(client, TP_PLAYER_REQ_HELLO, &hello, on_hello);
    }
    if (status == TP_OK) {
        status = tpi_client_introduce(client, TP_PLAYER_REQ_DATAMODE, &mode, on_mode);
    }
    if (status != TP_OK) {
        tpi_client_is_down(client, "%s: %s", client->url, tp_status_text(status));
    }
}

/* ---- Lost ------------------------------------------------------------------------------------ */

static void try_again_later(tp_client *client, bool was_connected)
{
    const int64_t now_ns = tpi_client_now_ns(client);

    /* a server that is lost again and again is not asked ten times a second */
    if (was_connected && now_ns - client->contact.connected_ns >= LAST_BACKOFF_NS) {
        client->contact.backoff_ns = FIRST_BACKOFF_NS;
    }
    tp_timer_at(client->contact.watch, now_ns + client->contact.backoff_ns);
    client->contact.backoff_ns *= 2;
    if (client->contact.backoff_ns > LAST_BACKOFF_NS) {
        client->contact.backoff_ns = LAST_BACKOFF_NS;
    }
}

static void tell_loss(tp_client *client)
{
    tp_error why = client->why; /* the program may do something that changes it */

    if (!client->contact.told) {
        client->contact.told = true;
        if (client->options.changed != NULL) {
            client->options.changed(client->options.context, client, why.text);
        }
    }
}

void tpi_client_is_down(tp_client *client, const char *why, ...)
{
    const bool was_connected = client->state == TPI_CLIENT_CONNECTED;
    char text[sizeof client->why.text];
    va_list arguments;

    va_start(arguments, why);
    (void)vsnprintf(text, sizeof text, why, arguments);
    va_end(arguments);
    tp_fail(&client->why, client->rights.refused ? TP_E_DENIED : TP_E_CLOSED, "%s", text);
    client->transport->end(client);
    client->state = TPI_CLIENT_LOST;
    client->losses += was_connected;
    client->pull.state = TPI_PULL_IDLE;
    client->banner[0] = '\0';
    tp_timer_cancel(client->contact.watch);
    tpi_client_rests(client);
    if (!client->gives_up) {
        try_again_later(client, was_connected);
    }
    tpi_proxy_close_all(client);
    tpi_ask_fail_sent(client, client->gives_up);
    if (client->gives_up) {
        tpi_proxy_give_up_all(client);
    }
    tell_loss(client);
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static int64_t greeting_time(const tp_client *client)
{
    return client->options.timeout_ns == TP_NEVER ? LONGEST_GREETING_NS
                                                  : client->options.timeout_ns;
}

tp_status tpi_client_begin(tp_client *client, tp_error *err)
{
    client->state = TPI_CLIENT_REACHING;
    if (client->contact.backoff_ns == 0) {
        client->contact.backoff_ns = FIRST_BACKOFF_NS;
    }
    tp_timer_at(client->contact.watch, tpi_client_now_ns(client) + greeting_time(client));
    tp_status status = client->transport->begin(client, err);
    if (status != TP_OK) {
        client->state = TPI_CLIENT_LOST;
        tp_timer_cancel(client->contact.watch);
    }
    return status;
}

tp_status tpi_client_begin_once(tp_client *client, tp_error *err)
{
    client->gives_up = true;
    client->contact.told = true;
    return tpi_client_begin(client, err);
}

static void begin_again(tp_client *client)
{
    tp_error err = {0};

    if (tpi_client_begin(client, &err) != TP_OK) {
        tpi_client_is_down(client, "%s", err.text);
    }
}

static void watch(void *context)
{
    tp_client *client = context;
    char took[32];

    tpi_client_enter(client);
    tpi_client_duration(greeting_time(client), took);
    switch (client->state) {
    case TPI_CLIENT_LOST:
        begin_again(client);
        break;
    case TPI_CLIENT_REACHING:
        tpi_client_is_down(client, "%s: no greeting from a server within %s", client->url, took);
        break;
    case TPI_CLIENT_GREETING:
        tpi_client_is_down(client, "%s: the server did not answer within %s", client->url, took);
        break;
    case TPI_CLIENT_CONNECTED:
        break;
    }
    tpi_client_leave(client);
}

tp_status tpi_contact_init(tp_client *client, tp_error *err)
{
    return tp_timer_create(&client->contact.watch, client->loop, watch, client, err);
}

void tpi_contact_fini(tp_client *client)
{
    tp_timer_destroy(client->contact.watch);
    free(client->contact.rules);
}

/* ---- Pulling --------------------------------------------------------------------------------- */

static void on_pulled(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    (void)status;
    (void)answer;
    (void)why;
    if (ask->client->pull.state == TPI_PULL_ASKED) {
        ask->client->pull.state = TPI_PULL_ARMED;
    }
}

void tpi_client_pull(tp_client *client)
{
    const tpi_question question = {.what = tpi_client_server_message(TP_PLAYER_REQ_DATA),
                                   .deadline_ns = TP_NEVER,
                                   .bound = true,
                                   .done = on_pulled};

    if (client->mode == TP_CLIENT_FRESH && client->state == TPI_CLIENT_CONNECTED &&
        client->pull.state == TPI_PULL_IDLE &&
        tpi_ask_submit(client, &question, NULL, NULL) == TP_OK) {
        client->pull.state = TPI_PULL_ASKED;
    }
}

void tpi_client_pull_again(tp_after *after)
{
    tp_client *client = (tp_client *)((char *)after - offsetof(tp_client, pull.again));

    if (client->pull.keeps) {
        tpi_client_pull(client);
    }
}
