/* speak.c - what WebSocket clients say in text. */
#include <assert.h>
#include <string.h>

#include "inside.h"

/* ---- Keys ------------------------------------------------------------------------------------ */

static void tell_right(struct connection *c, const char *error)
{
    const tp_session *session = c->door->sessions[FORM_JSON];
    const char *key = tp_session_key(session);
    tpi_buf text = {0};

    tpi_buf_printf(&text, "{\"op\":\"auth\",\"right\":\"%s\",\"operates\":%s,\"key\":",
                   tp_right_name(tp_session_right(session)),
                   tp_session_operates(session) ? "true" : "false");
    tpi_json_put_string(&text, key, strlen(key));
    if (error != NULL) {
        tpi_buf_puts(&text, ",\"error\":");
        tpi_json_put_string(&text, error, strlen(error));
    }
    tpi_buf_putc(&text, '}');
    tpi_web_text(c, tpi_buf_text(&text), text.length);
    tpi_buf_fini(&text);
}

static void show_key(struct connection *c, const tpi_say *said)
{
    char key[SECRET];
    tp_error err = {.text = ""};

    if (!tpi_say_copy(key, sizeof key, said->secret)) {
        tell_right(c, "auth has a member \"key\"");
        return;
    }
    const tp_status status =
        tp_session_show_key(c->door->sessions[FORM_JSON], key, strlen(key), &err);
    tell_right(c, status == TP_OK ? NULL : err.text);
}

static void challenge(struct connection *c)
{
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];
    tp_error err = {.text = ""};
    tpi_buf text = {0};

    if (tp_session_challenge(c->door->sessions[FORM_JSON], nonce, &err) != TP_OK) {
        tell_right(c, err.text);
        return;
    }
    tpi_buf_puts(&text, "{\"op\":\"challenge\",\"nonce\":\"");
    for (size_t i = 0; i < sizeof nonce; i++) {
        tpi_buf_printf(&text, "%02x", nonce[i]);
    }
    tpi_buf_puts(&text, "\"}");
    tpi_web_text(c, tpi_buf_text(&text), text.length);
    tpi_buf_fini(&text);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void prove(struct connection *c, const tpi_say *said)
{
    uint8_t digest[TP_AUTH_DIGEST_LENGTH];
    const char *text = said->secret.text;
    tp_error err = {.text = ""};

    if (said->secret.length != 2 * sizeof digest) {
        tell_right(c, "prove has a member \"digest\" of 64 hexadecimal digits");
        return;
    }
    for (size_t i = 0; i < sizeof digest; i++) {
        const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

        if (high < 0 || low < 0) {
            tell_right(c, "prove has a member \"digest\" of 64 hexadecimal digits");
            return;
        }
        digest[i] = (uint8_t)(high * 16 + low);
    }
    const tp_status status =
        tp_session_prove(c->door->sessions[FORM_JSON], digest, sizeof digest, &err);
    tell_right(c, status == TP_OK ? NULL : err.text);
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void for_each(struct connection *c, tpi_say *said)
{
    struct client *client = c->door;
    tpi_say_item item;

    while (!c->ending && tpi_say_next(said, &item)) {
        switch (said->op) {
        case TPI_SAY_SUBSCRIBE:
            tpi_web_subscribe(client, &item);
            break;
        case TPI_SAY_UNSUBSCRIBE:
            tpi_web_unsubscribe(client, item.id);
            break;
        case TPI_SAY_ADVERTISE:
            tpi_web_advertise(client, &item);
            break;
        default:
            tpi_web_unadvertise(client, item.id);
            break;
        }
    }
    if (said->list.failed) {
        tpi_web_status(c, 2, "%s", said->list.reason);
    }
}

static void panic(struct connection *c, const tpi_say *said)
{
    char why[80];

    tp_session_panic(c->door->sessions[FORM_JSON],
                     tpi_say_copy(why, sizeof why, said->why) ? why : "");
}

static void handle(struct connection *c, tpi_say *said)
{
    struct client *client = c->door;

    switch (said->op) {
    case TPI_SAY_SUBSCRIBE:
    case TPI_SAY_UNSUBSCRIBE:
    case TPI_SAY_ADVERTISE:
    case TPI_SAY_UNADVERTISE:
        for_each(c, said);
        break;
    case TPI_SAY_GET_PARAMETERS:
        tpi_web_parameters_get(client, said);
        break;
    case TPI_SAY_SET_PARAMETERS:
        tpi_web_parameters_set(client, said);
        break;
    case TPI_SAY_WATCH_PARAMETERS:
    case TPI_SAY_FORGET_PARAMETERS:
        tpi_web_parameters_watch(client, said, said->op == TPI_SAY_WATCH_PARAMETERS);
        break;
    case TPI_SAY_WATCH_GRAPH:
    case TPI_SAY_FORGET_GRAPH:
        tpi_web_graph_watch(client, said->op == TPI_SAY_WATCH_GRAPH);
        break;
    case TPI_SAY_AUTH:
        show_key(c, said);
        break;
    case TPI_SAY_CHALLENGE:
        challenge(c);
        break;
    case TPI_SAY_PROVE:
        prove(c, said);
        break;
    case TPI_SAY_PING:
        tpi_web_text(c, "{\"op\":\"pong\"}", 13);
        break;
    case TPI_SAY_PANIC:
        panic(c, said);
        break;
    case TPI_SAY_STATE:
    case TPI_SAY_UNKNOWN:
        tpi_web_status(c, 1, "%.*s is not supported", (int)(said->name.length % 64),
                       said->name.text);
        break;
    }
}

void tpi_web_speak(struct connection *c, const char *text, size_t length)
{
    assert(front_is_current(c->front));
    tpi_say said;
    tp_error err = {.text = ""};

    if (tpi_say_read(&said, text, length, &err) != TP_OK) {
        tpi_web_status(c, 2, "%s", err.text);
        return;
    }
    tpi_web_directory_look(c->front);
    c->door->has_no_room = false;
    handle(c, &said);
}
