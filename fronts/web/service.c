/* service.c - requests as services, and what comes back. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { SERVICE_RESPONSE = 3, CALL_HEAD = 12 };

/* ---- Calls ----------------------------------------------------------------------------------- */

struct call *tpi_web_call_begin(struct client *client, call_kind kind)
{
    for (unsigned i = 0; i < MOST_CALLS; i++) {
        struct call *call = &client->calls[i];

        if (call->kind == CALL_NONE) {
            *call = (struct call){.kind = kind, .began_ns = front_now(client->front)};
            client->call_count++;
            return call;
        }
    }
    return NULL;
}

uint32_t tpi_web_call_number(const struct client *client, const struct call *call)
{
    return (uint32_t)(call - client->calls) + 1;
}

void tpi_web_call_end(struct client *client, struct call *call)
{
    *call = (struct call){.kind = CALL_NONE};
    client->call_count--;
}

/* ---- Sending --------------------------------------------------------------------------------- */

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
        return TP_OK;
    }
    return blanks == length ? tp_value_from_json(value, type, "{}", 2, err)
                            : tp_value_from_json(value, type, json, length, err);
}

tp_status tpi_web_send_json(struct client *client, const tp_devaddr *addr, const tp_message *what,
                            const char *json, size_t length, uint32_t seq, tp_error *err)
{
    void *value = NULL;
    tp_status status = read_value(&value, what->ask, json, length, err);

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
    }
    free(value);
    return status;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void put_failure(struct connection *c, const struct call *call, const char *json,
                        size_t length)
{
    tpi_buf text = {0};

    tpi_buf_printf(&text,
                   "{\"op\":\"serviceCallFailure\",\"serviceId\":%u,\"callId\":%u,\"message\":",
                   call->service, call->id);
    tpi_buf_put(&text, json, length);
    tpi_buf_putc(&text, '}');
    tpi_web_text(c, tpi_buf_text(&text), text.length);
    tpi_buf_fini(&text);
}

void tpi_web_call_failed(struct client *client, struct call *call, tp_status status,
                         const char *text)
{
    const struct call ended = *call;
    tpi_buf json = {0};

    text = text[0] != '\0' ? text : tp_status_text(status);
    tpi_json_put_string(&json, text, strlen(text));
    tpi_web_call_end(client, call);
    if (ended.kind == CALL_SERVICE && client->connection != NULL) {
        put_failure(client->connection, &ended, tpi_buf_text(&json), json.length);
    } else if (ended.kind == CALL_HTTP && ended.waits != NULL) {
        tpi_web_api_refuse(ended.waits, status, text);
    } else if (ended.reading != NULL) {
        struct call copy = ended;
        tpi_web_parameters_failed(client, &copy, status, text);
    }
    tpi_buf_fini(&json);
}

static void put_response(struct connection *c, const struct call *call, const uint8_t *json,
                         size_t length)
{
    uint8_t head[1 + CALL_HEAD + 4];
    tpi_buf *out = tpi_web_binary(c, sizeof head + length);

    head[0] = SERVICE_RESPONSE;
    tpi_web_put_u32(head + 1, call->service);
    tpi_web_put_u32(head + 5, call->id);
    tpi_web_put_u32(head + 9, 4);
    memcpy(head + 1 + CALL_HEAD, "json", 4);
    tpi_buf_put(out, head, sizeof head);
    tpi_buf_put(out, json, length);
    if (out->failed) {
        tpi_web_give_up(c);
    }
}

void tpi_web_answered(struct client *client, tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);
    struct call *call =
        header->seq > 0 && header->seq <= MOST_CALLS ? &client->calls[header->seq - 1] : NULL;
    const void *bytes;
    size_t length;

    if (call == NULL || call->kind == CALL_NONE) {
        return;
    }
    const struct call ended = *call;
    tpi_web_call_end(client, call);
    if (ended.kind == CALL_HTTP) {
        if (ended.waits != NULL) {
            tpi_web_api_answer(ended.waits, msg);
        }
        return;
    }
    if (tp_msg_encode(msg, &tpi_web_json, &bytes, &length) != TP_OK) {
        bytes = "\0\0\0\0\0\0\0\0\"the answer cannot be encoded\"";
        length = TPI_WEB_STAMP + 30;
    }
    const uint8_t *json = (const uint8_t *)bytes + TPI_WEB_STAMP;
    const size_t json_length = length - TPI_WEB_STAMP;
    if (ended.kind != CALL_SERVICE) {
        struct call copy = ended;
        tpi_web_parameters_answered(client, &copy, msg, (const char *)json, json_length);
    } else if (client->connection != NULL && header->type == TP_MSGTYPE_RESP_ACK) {
        put_response(client->connection, &ended, json, json_length);
    } else if (client->connection != NULL) {
        put_failure(client->connection, &ended, (const char *)json, json_length);
    }
}

/* ---- Services -------------------------------------------------------------------------------- */

static const tp_message *find_service(const struct web_front *front, uint32_t service,
                                      const struct web_device **device)
{
    const uint32_t number = service / SERVICES_OF_DEVICE;
    const unsigned code = service % SERVICES_OF_DEVICE;

    if (number == 0) {
        const tp_message *what = tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, code);

        *device = NULL;
        return what != NULL && tpi_web_serves(what) ? what : NULL;
    }
    *device = tpi_web_device_numbered(front, number);
    return *device == NULL ? NULL : tpi_web_message(*device, TP_KIND_REQUEST, code);
}

static void call_service(struct client *client, struct call *call, const char *json, size_t length)
{
    const struct web_device *device = NULL;
    const tp_message *what = find_service(client->front, call->service, &device);
    const uint32_t seq = tpi_web_call_number(client, call);
    tp_error err = {.text = ""};
    tp_status status;

    if (what == NULL) {
        status = tp_fail(&err, TP_E_UNKNOWN, "there is no such service");
    } else if (device == NULL) {
        status = tpi_web_serve_json(client, what, json, length, seq, &err);
    } else {
        status = tpi_web_send_json(client, &device->addr, what, json, length, seq, &err);
    }
    if (status != TP_OK && status != TP_PENDING) {
        tpi_web_call_failed(client, call, status, err.text);
    }
}

void tpi_web_call(struct client *client, const uint8_t *bytes, size_t length)
{
    struct connection *c = client->connection;
    struct call given = {.kind = CALL_SERVICE};
    const uint32_t encoding = length >= CALL_HEAD ? tpi_web_get_u32(bytes + 8) : 0;

    if (length < CALL_HEAD || encoding > length - CALL_HEAD) {
        tpi_web_status(c, 2, "the call of a service is too short");
        return;
    }
    given.service = tpi_web_get_u32(bytes);
    given.id = tpi_web_get_u32(bytes + 4);
    if (encoding != 4 || memcmp(bytes + CALL_HEAD, "json", 4) != 0) {
        static const char text[] = "\"services have the encoding json\"";
        put_failure(c, &given, text, sizeof text - 1);
        return;
    }
    struct call *call = tpi_web_call_begin(client, CALL_SERVICE);
    if (call == NULL) {
        static const char text[] = "\"too many calls are under way\"";
        put_failure(c, &given, text, sizeof text - 1);
        return;
    }
    call->service = given.service;
    call->id = given.id;
    call_service(client, call, (const char *)bytes + CALL_HEAD + encoding,
                 length - CALL_HEAD - encoding);
}
