/* api_device.c - the paths about one device: read, command, request, properties. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

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
    } else if (!posts && call->count <= 3) {
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
