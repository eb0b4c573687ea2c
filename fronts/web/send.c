/* send.c - messages to devices and to the server. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static tp_status send(struct client *client, const tp_devaddr *addr, const tp_message *what,
                      const void *value, uint32_t seq, tp_error *err)
{
    const tp_msghdr header = {
        .addr = *addr,
        .type = what->kind == TP_KIND_COMMAND ? TP_MSGTYPE_CMD : TP_MSGTYPE_REQ,
        .subtype = what->code,
        .seq = seq,
        .timestamp = tp_clock_wall_s(tp_hub_clock(tp_front_hub(client->front->instance)))};
    struct use *use = tpi_web_use_briefly(client, addr, what->effect != TP_EFFECT_READS, err);
    tp_msg *msg = NULL;

    if (use == NULL) {
        return err->code;
    }
    /* A topic that commands are published on keeps it open itself, and its end ends the motion. */
    use->moved = use->moved || (what->effect == TP_EFFECT_MOVES && client->connection != NULL &&
                                use->writers == 0);
    tp_status status = tp_msg_create(&msg, &header, what->ask, value);
    if (status == TP_OK) {
        status = tpi_web_use_send(client, use, msg, what, err);
    } else {
        tp_fail(err, status, "%s", tp_status_text(status));
    }
    tp_msg_unref(msg);
    return status;
}

tp_status tpi_web_send_value(struct client *client, const tp_devaddr *addr, const tp_message *what,
                             const void *value, uint32_t seq, tp_error *err)
{
    return send(client, addr, what, value, seq, err);
}

/* What stands for the value of a message that has none: {} or null. */
static tp_status read_nothing(const char *json, size_t length, tp_error *err)
{
    tpi_json reader;
    tpi_json_span name;

    tpi_json_init(&reader, json, length);
    if (tpi_json_peek(&reader) == TPI_JSON_NULL) {
        (void)tpi_json_null(&reader);
    } else if (tpi_json_object(&reader) && tpi_json_member(&reader, &name)) {
        (void)tpi_json_reject(&reader, "this message has no field \"%.*s\": it has none",
                              (int)name.length, name.text);
    }
    return tpi_json_end(&reader, err);
}

/* The value of a message from JSON; an empty text stands for {}. */
static tp_status read_value(void **value, const tp_struct *type, const char *json, size_t length,
                            tp_error *err)
{
    size_t blanks = 0;

    *value = NULL;
    while (blanks < length && strchr(" \t\r\n", json[blanks]) != NULL && json[blanks] != '\0') {
        blanks++;
    }
    if (type == NULL) {
        return blanks == length ? TP_OK : read_nothing(json, length, err);
    }
    return blanks == length ? tp_value_from_json(value, type, "{}", 2, err)
                            : tp_value_from_json(value, type, json, length, err);
}

tp_status tpi_web_send_json(struct client *client, const tp_devaddr *addr, const tp_message *what,
                            const char *json, size_t length, uint32_t seq, tp_error *err)
{
    void *value = NULL;
    tp_status status = read_value(&value, what->ask, json, length, err);

    assert(front_is_current(client->front));
    if (status == TP_OK) {
        status = send(client, addr, what, value, seq, err);
    }
    free(value);
    return status;
}

/* Those that make sense for a client of this front. */
bool tpi_web_serves(const tp_message *what)
{
    return (what->code >= TP_PLAYER_REQ_STATISTICS && what->code <= TP_PLAYER_REQ_GET_PANIC) ||
           (what->code >= TP_PLAYER_REQ_RIGHT && what->code <= TP_PLAYER_REQ_DESCRIPTION);
}

tp_status tpi_web_serve_json(struct client *client, const tp_message *what, const char *json,
                             size_t length, uint32_t seq, tp_error *err)
{
    assert(front_is_current(client->front));
    tp_session *session = client->sessions[FORM_JSON];
    const tp_msghdr header = {.addr = {.interf = TP_PLAYER_CODE},
                              .type = TP_MSGTYPE_REQ,
                              .subtype = what->code,
                              .seq = seq};
    const tp_struct *type = NULL;
    void *value = NULL;

    if (!tp_session_admits(session, &header, &type)) {
        return TP_OK; /* the refusal is queued */
    }
    tp_status status = read_value(&value, type, json, length, err);
    if (status == TP_OK) {
        status = tp_session_serve(session, &header, value);
        if (status != TP_OK) {
            tp_fail(err, status, "%s", tp_status_text(status));
        }
    } else if (tp_session_is_panic(&header)) { /* whatever its body is */
        status = tp_session_refuse(session, &header, status, "");
    }
    free(value);
    return status;
}
