/* service.c - requests as services, and what comes back. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { SERVICE_RESPONSE = 3, CALL_HEAD = 12 };

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

    assert(front_is_current(client->front));
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

    assert(front_is_current(client->front));
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

bool tpi_web_calls_panic(const uint8_t *bytes, size_t length)
{
    return length >= 4 && tpi_web_get_u32(bytes) == TP_PLAYER_REQ_PANIC;
}

/* A call that cannot be made. A PANIC is raised whatever is wrong with it. */
static void refuse_call(struct client *client, const uint8_t *bytes, size_t length, const char *why)
{
    if (tpi_web_calls_panic(bytes, length)) {
        tp_session_panic(client->sessions[FORM_JSON], "");
    }
    if (length < CALL_HEAD) {
        tpi_web_status(client->connection, 2, "the call of a service is too short");
        return;
    }
    const struct call given = {
        .kind = CALL_SERVICE, .service = tpi_web_get_u32(bytes), .id = tpi_web_get_u32(bytes + 4)};
    put_failure(client->connection, &given, why, strlen(why));
}

void tpi_web_call(struct client *client, const uint8_t *bytes, size_t length)
{
    const uint32_t encoding = length >= CALL_HEAD ? tpi_web_get_u32(bytes + 8) : 0;

    assert(front_is_current(client->front));
    if (length < CALL_HEAD || encoding > length - CALL_HEAD) {
        refuse_call(client, bytes, length, "\"the call of a service is too short\"");
        return;
    }
    if (encoding != 4 || memcmp(bytes + CALL_HEAD, "json", 4) != 0) {
        refuse_call(client, bytes, length, "\"services have the encoding json\"");
        return;
    }
    struct call *call = tpi_web_call_begin(client, CALL_SERVICE);
    if (call == NULL) {
        refuse_call(client, bytes, length, "\"too many calls are under way\"");
        return;
    }
    call->service = tpi_web_get_u32(bytes);
    call->id = tpi_web_get_u32(bytes + 4);
    call_service(client, call, (const char *)bytes + CALL_HEAD + encoding,
                 length - CALL_HEAD - encoding);
}
