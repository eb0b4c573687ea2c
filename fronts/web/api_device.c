/* api_device.c - the paths about one device: read, command, request, properties. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "troupe/interfaces/dio.h"

static const double ANSWER_S = 10, WAIT_S = 2;

/* ---- Reading --------------------------------------------------------------------------------- */

/* {"time":...,"value":{...}} */
static void put_data(tpi_buf *out, tp_msg *msg)
{
    const void *bytes;
    size_t length;

    if (tp_msg_encode(msg, &tpi_web_json, &bytes, &length) != TP_OK) {
        tpi_buf_puts(out, "null");
        return;
    }
    tpi_buf_printf(out, "{\"time\":%.6f,\"value\":", tp_msg_header(msg)->timestamp);
    tpi_buf_put(out, (const char *)bytes + TPI_WEB_STAMP, length - TPI_WEB_STAMP);
    tpi_buf_putc(out, '}');
}

static bool is_about(const tp_msg *msg, const tp_devaddr *addr, int code)
{
    const tp_msghdr *header = tp_msg_header(msg);

    return same_address(&header->addr, addr) && (code < 0 || header->subtype == code);
}

static void put_name(tpi_buf *out, const struct web_device *device)
{
    tpi_buf_printf(out, "%u:%s:%u", (unsigned)device->addr.robot, device->interface->name,
                   (unsigned)device->addr.index);
}

/* Whether a bit of a whole number is set, as JSON. */
static bool find_bit(tpi_json *json, unsigned long place, tpi_json_span *out)
{
    int64_t number = 0;

    if (place >= 32 || tpi_json_peek(json) != TPI_JSON_NUMBER || !tpi_json_i64(json, &number)) {
        return false;
    }
    const char *const word = (number >> place & 1) != 0 ? "true" : "false";
    *out = (tpi_json_span){word, strlen(word)};
    return true;
}

/* The part of a value that a path names: "voltages/0", "pos/px", or with `bits` "bits/3" for one
 * bit of a number. False if there is none. */
static bool find_part(tpi_json_span *value, const char *path, bool bits)
{
    while (path[0] != '\0') {
        const size_t length = strcspn(path, "/");
        char *end = NULL;
        const unsigned long place = strtoul(path, &end, 10);
        const bool counts = path[0] >= '0' && path[0] <= '9' && end == path + length;
        bool found = false;
        tpi_json json;
        tpi_json_span name;

        tpi_json_init(&json, value->text, value->length);
        if (tpi_json_peek(&json) == TPI_JSON_OBJECT) {
            (void)tpi_json_object(&json);
            while (!found && tpi_json_member(&json, &name) && tpi_json_skip(&json, value)) {
                found = name.length == length && memcmp(name.text, path, length) == 0;
            }
        } else if (tpi_json_peek(&json) == TPI_JSON_ARRAY && counts) {
            (void)tpi_json_array(&json);
            for (unsigned long i = 0;
                 !found && tpi_json_element(&json) && tpi_json_skip(&json, value); i++) {
                found = i == place;
            }
        } else if (bits && counts && path[length] == '\0') {
            return find_bit(&json, place, value);
        }
        if (!found) {
            return false;
        }
        path += length + (path[length] == '/');
    }
    return true;
}

/* The part of a message that was asked for; true if it was answered. */
static bool answer_part(struct connection *c, tp_msg *msg)
{
    tpi_json_span value;
    tpi_buf text = {0};
    const void *bytes;
    size_t length;

    if (tp_msg_encode(msg, &tpi_web_json, &bytes, &length) != TP_OK) {
        return false;
    }
    value = (tpi_json_span){(const char *)bytes + TPI_WEB_STAMP, length - TPI_WEB_STAMP};
    if (!find_part(&value, c->http.query, c->http.addr.interf == TP_DIO_CODE)) {
        tpi_web_refuse(c, 404, "unknown", "the data has no such value now");
        return true;
    }
    tpi_buf_put(&text, value.text, value.length);
    tpi_buf_putc(&text, '\n');
    tpi_web_answer(c, 200, tpi_buf_text(&text), text.length);
    tpi_buf_fini(&text);
    return true;
}

/* Answer a reading with what has come; false if nothing has. */
static bool answer_reading(struct connection *c, const struct web_device *device)
{
    tpi_buf text = {0};
    unsigned count = 0;

    if (c->http.whole) {
        tpi_buf_puts(&text, "{\"device\":\"");
        put_name(&text, device);
        tpi_buf_puts(&text, "\",\"data\":{");
    }
    for (const struct newest *at = c->visitor->newest; at != NULL; at = at->next) {
        const tp_message *what =
            tpi_web_message(device, TP_KIND_DATA, tp_msg_header(at->msg)->subtype);

        if (!is_about(at->msg, &device->addr, c->http.code) || what == NULL) {
            continue;
        }
        if (c->http.query[0] != '\0') {
            return answer_part(c, at->msg);
        }
        if (c->http.whole) {
            tpi_buf_printf(&text, "%s\"%s\":", count > 0 ? "," : "", what->name);
        }
        put_data(&text, at->msg);
        count++;
    }
    tpi_buf_puts(&text, c->http.whole ? "}}\n" : "\n");
    if (count > 0) {
        tpi_web_answer(c, 200, tpi_buf_text(&text), text.length);
    }
    tpi_buf_fini(&text);
    return count > 0;
}

void tpi_web_api_data(struct client *visitor, const tp_msg *msg)
{
    assert(front_is_current(visitor->front));
    for (struct connection *c = visitor->front->connections; c != NULL; c = c->next) {
        if (c->visitor == visitor && c->http.waiting == WAITS_DATA &&
            is_about(msg, &c->http.addr, c->http.code)) {
            const struct web_device *device = tpi_web_device_at(c->front, &c->http.addr, NULL);
            (void)(device != NULL && answer_reading(c, device));
        }
    }
}

/* Which part of the message is wanted: what stands behind its name in the path. */
static void note_part(struct connection *c, const struct api_call *call)
{
    size_t length = 0;

    c->http.query[0] = '\0';
    for (unsigned i = 3; i < call->count; i++) {
        const int put = snprintf(c->http.query + length, sizeof c->http.query - length, "%s%.60s",
                                 i > 3 ? "/" : "", call->parts[i]);
        length += put > 0 ? (size_t)put : 0;
    }
}

static void read_device(struct connection *c, const struct api_call *call,
                        const struct web_device *device)
{
    const tp_message *what =
        call->count > 2 ? tpi_web_message_named(device, TP_KIND_DATA, call->parts[2]) : NULL;
    char wait[16];
    tp_error err = {.text = ""};
    double seconds = WAIT_S;

    if (call->count > 2 && what == NULL) {
        tpi_web_refuse(c, 404, "unknown", "the device has no data of this name");
        return;
    }
    if (tpi_http_parameter(wait, sizeof wait, call->request->query, "wait")) {
        seconds = strtod(wait, NULL);
        seconds = seconds >= 0 && seconds <= 10 ? seconds : WAIT_S;
    }
    c->http.addr = device->addr;
    c->http.code = what != NULL ? what->code : -1;
    c->http.whole = what == NULL;
    note_part(c, call);
    if (tpi_web_use_briefly(c->visitor, &device->addr, false, &err) == NULL) {
        tpi_web_refuse_status(c, err.code, err.text);
    } else if (!answer_reading(c, device)) {
        tpi_web_http_wait(c, WAITS_DATA, seconds);
    }
}

/* ---- Commands and requests ------------------------------------------------------------------- */

static void command(struct connection *c, const struct api_call *call,
                    const struct web_device *device)
{
    const tp_message *what = tpi_web_message_named(device, TP_KIND_COMMAND, call->parts[3]);
    struct call *place = what == NULL ? NULL : tpi_web_call_begin(c->visitor, CALL_HTTP);
    tp_error err = {.text = ""};

    if (what == NULL || place == NULL) {
        tpi_web_refuse(c, what == NULL ? 404 : 429, what == NULL ? "unknown" : "limit",
                       what == NULL ? "the device has no command of this name"
                                    : "too many requests are under way");
        return;
    }
    place->waits = c;
    tpi_web_http_wait(c, WAITS_CALL, ANSWER_S);
    const tp_status status =
        tpi_web_send_json(c->visitor, &device->addr, what, call->body, call->length,
                          tpi_web_call_number(c->visitor, place), &err);
    if (status == TP_OK) {
        tpi_web_call_end(c->visitor, place);
        tpi_web_answer(c, 200, "{}\n", 3);
    } else if (status != TP_PENDING) {
        tpi_web_call_end(c->visitor, place);
        tpi_web_api_refuse(c, status, err.text);
    }
}

static void request(struct connection *c, const struct api_call *call,
                    const struct web_device *device)
{
    const tp_message *what = tpi_web_message_named(device, TP_KIND_REQUEST, call->parts[3]);
    struct call *place = what == NULL ? NULL : tpi_web_call_begin(c->visitor, CALL_HTTP);
    tp_error err = {.text = ""};

    if (what == NULL || place == NULL) {
        tpi_web_refuse(c, what == NULL ? 404 : 429, what == NULL ? "unknown" : "limit",
                       what == NULL ? "the device has no request of this name"
                                    : "too many requests are under way");
        return;
    }
    place->waits = c;
    tpi_web_http_wait(c, WAITS_CALL, ANSWER_S);
    const tp_status status =
        tpi_web_send_json(c->visitor, &device->addr, what, call->body, call->length,
                          tpi_web_call_number(c->visitor, place), &err);
    if (status != TP_OK && status != TP_PENDING) {
        tpi_web_call_end(c->visitor, place);
        tpi_web_api_refuse(c, status, err.text);
    }
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static void properties(struct connection *c, const struct web_device *device)
{
    tp_error err = {.text = ""};

    tpi_web_http_wait(c, WAITS_PROPERTIES, ANSWER_S);
    const tp_status status = tpi_web_properties_get(c->visitor, c, &device->addr, &err);
    if (status != TP_OK) {
        tpi_web_api_refuse(c, status, err.text);
    }
}

static void set_property(struct connection *c, const struct api_call *call,
                         const struct web_device *device)
{
    tp_error err = {.text = ""};

    tpi_web_http_wait(c, WAITS_PROPERTIES, ANSWER_S);
    const tp_status status = tpi_web_property_set(c->visitor, c, &device->addr, call->parts[3],
                                                  call->body, call->length, &err);
    if (status != TP_OK) {
        tpi_web_api_refuse(c, status, err.text);
    }
}

/* Whether a path goes on into a data message; words of this page come first. */
static bool is_data(const struct web_device *device, const char *name)
{
    return strcmp(name, "command") != 0 && strcmp(name, "request") != 0 &&
           strcmp(name, "properties") != 0 &&
           tpi_web_message_named(device, TP_KIND_DATA, name) != NULL;
}

void tpi_web_api_device(struct connection *c, const struct api_call *call)
{
    assert(front_is_current(c->front));
    tpi_web_directory_look(c->front);
    const struct web_device *device = tpi_web_device_named(c->front, call->parts[1]);
    const bool posts = call->request->method == TPI_HTTP_POST;
    const char *third = call->count > 2 ? call->parts[2] : "";

    if (device == NULL) {
        tpi_web_refuse(c, 404, "unknown",
                       "there is no such device; a name is ROBOT:INTERFACE:INDEX");
    } else if (!posts && call->count == 3 && strcmp(third, "properties") == 0) {
        properties(c, device);
    } else if (!posts && (call->count <= 3 || is_data(device, third))) {
        read_device(c, call, device);
    } else if (posts && call->count == 4 && strcmp(third, "command") == 0) {
        command(c, call, device);
    } else if (posts && call->count == 4 && strcmp(third, "request") == 0) {
        request(c, call, device);
    } else if (posts && call->count == 4 && strcmp(third, "properties") == 0) {
        set_property(c, call, device);
    } else {
        tpi_web_refuse(c, posts || call->count > 4 ? 404 : 405, "unknown",
                       "there is no such path for this method");
    }
}
