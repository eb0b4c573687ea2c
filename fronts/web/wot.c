/*
 * wot.c - W3C Thing Descriptions of the devices: GET /.well-known/wot lists them all,
 * /.well-known/wot/DEVICE is one.
 *
 * Data messages are properties, commands and requests are actions. Their forms are paths of the
 * API, so that a program that knows only Thing Descriptions can use every device.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static void put_text(tpi_buf *out, const char *text)
{
    tpi_json_put_string(out, text, strlen(text));
}

static void put_name(tpi_buf *out, const struct web_device *device)
{
    tpi_buf_printf(out, "%u:%s:%u", (unsigned)device->addr.robot, device->interface->name,
                   (unsigned)device->addr.index);
}

/* What clients without a key may do; whether there are keys. */
struct guest {
    tp_right right;
    bool has_keys;
};

static struct guest guest_of(const struct connection *c)
{
    tp_session *session = c->door->sessions[FORM_JSON];
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];

    return (struct guest){tp_session_right(session),
                          tp_session_challenge(session, nonce, NULL) == TP_OK};
}

/* ---- Schemas --------------------------------------------------------------------------------- */

static const char *type_of(const tp_field *field)
{
    switch (field->type) {
    case TP_TYPE_F32:
    case TP_TYPE_F64:
        return "number";
    case TP_TYPE_CHAR:
        return "string";
    case TP_TYPE_STRUCT:
        return "object";
    default:
        return "integer";
    }
}

/* The members of a message, as far as a description needs them. Counts follow from their arrays. */
static void put_schema(tpi_buf *out, const tp_struct *type)
{
    bool first = true;

    tpi_buf_puts(out, "\"type\":\"object\",\"properties\":{");
    for (uint32_t i = 0; type != NULL && i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        const bool is_text = field->type == TP_TYPE_CHAR;
        const bool is_list = field->shape != TP_SHAPE_ONE && !is_text;
        const size_t length = strlen(field->name);

        if (length > 6 && strcmp(field->name + length - 6, "_count") == 0) {
            continue;
        }
        tpi_buf_puts(out, first ? "" : ",");
        put_text(out, field->name);
        tpi_buf_puts(out,
                     is_list ? ":{\"type\":\"array\",\"items\":{\"type\":\"" : ":{\"type\":\"");
        tpi_buf_puts(out, type_of(field));
        tpi_buf_puts(out, is_list ? "\"}," : "\",");
        if (field->unit != NULL && field->unit[0] != '\0') {
            tpi_buf_puts(out, "\"unit\":");
            put_text(out, field->unit);
            tpi_buf_puts(out, ",");
        }
        tpi_buf_puts(out, "\"description\":");
        put_text(out, field->doc != NULL ? field->doc : "");
        tpi_buf_puts(out, "}");
        first = false;
    }
    tpi_buf_puts(out, "}");
}

/* ---- Descriptions ---------------------------------------------------------------------------- */

static void put_form(tpi_buf *out, const struct web_device *device, const struct guest *guest,
                     const char *kind, const tp_message *what)
{
    const bool reads = what->kind == TP_KIND_DATA;
    const tp_right needed = reads ? TP_RIGHT_READ : tp_right_needed(what);

    tpi_buf_puts(out, ",\"forms\":[{\"href\":\"/api/devices/");
    put_name(out, device);
    tpi_buf_printf(out, "/%s%s\",\"contentType\":\"application/json\",\"op\":\"%s\",", kind,
                   what->name, reads ? "readproperty" : "invokeaction");
    if (guest->has_keys && guest->right >= needed) {
        tpi_buf_puts(out, "\"security\":[\"nosec\"],"); /* otherwise that of the thing */
    }
    tpi_buf_printf(out, "\"htv:methodName\":\"%s\"}]", reads ? "GET" : "POST");
}

static void put_property(tpi_buf *out, const struct web_device *device, const struct guest *guest,
                         const tp_message *what)
{
    put_text(out, what->name);
    tpi_buf_puts(out, ":{\"description\":");
    put_text(out, what->doc);
    tpi_buf_puts(out, ",\"readOnly\":true,\"type\":\"object\",\"properties\":{\"time\":{\"type\":"
                      "\"number\",\"unit\":\"s\"},\"value\":{");
    put_schema(out, what->ask);
    tpi_buf_puts(out, "}}");
    put_form(out, device, guest, "", what);
    tpi_buf_puts(out, "}");
}

static void put_action(tpi_buf *out, const struct web_device *device, const struct guest *guest,
                       const tp_message *what)
{
    const bool commands = what->kind == TP_KIND_COMMAND;

    put_text(out, what->name);
    tpi_buf_puts(out, ":{\"description\":");
    put_text(out, what->doc);
    tpi_buf_printf(out, ",\"safe\":%s", what->effect == TP_EFFECT_READS ? "true" : "false");
    if (what->ask != NULL) {
        tpi_buf_puts(out, ",\"input\":{");
        put_schema(out, what->ask);
        tpi_buf_puts(out, "}");
    }
    if (!commands && what->answer != NULL) {
        tpi_buf_puts(out, ",\"output\":{");
        put_schema(out, what->answer);
        tpi_buf_puts(out, "}");
    }
    put_form(out, device, guest, commands ? "command/" : "request/", what);
    tpi_buf_puts(out, "}");
}

/* All messages that are properties, or all that are actions; a name is there once. */
static void put_messages(tpi_buf *out, const struct web_device *device, const struct guest *guest,
                         bool data)
{
    const tp_interface *interface = device->interface;
    bool first = true;

    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *what = &interface->messages[i];
        bool known = (what->kind == TP_KIND_DATA) != data || what->kind == TP_KIND_SYNCH;

        for (uint32_t k = 0; k < i && !known; k++) {
            known = strcmp(interface->messages[k].name, what->name) == 0 &&
                    (interface->messages[k].kind == TP_KIND_DATA) == data;
        }
        if (known) {
            continue;
        }
        tpi_buf_puts(out, first ? "" : ",");
        if (data) {
            put_property(out, device, guest, what);
        } else {
            put_action(out, device, guest, what);
        }
        first = false;
    }
}

static void put_thing(tpi_buf *out, const struct connection *c, tpi_span host,
                      const struct web_device *device)
{
    const struct web_front *front = c->front;
    const struct guest guest = guest_of(c);

    tpi_buf_puts(
        out, "{\"@context\":[\"https://www.w3.org/2019/wot/td/v1\"," /* first, for older programs */
             "\"https://www.w3.org/2022/wot/td/v1.1\",{\"htv\":"
             "\"http://www.w3.org/2011/http#\"}],\"id\":\"urn:troupe:");
    tpi_buf_printf(out, "%s:", front->session_id);
    put_name(out, device);
    tpi_buf_printf(out, "\",\"base\":\"%s://", front->secure ? "https" : "http");
    tpi_buf_put(out, host.text, host.length); /* the gate knows it */
    tpi_buf_puts(out, "/\",\"title\":\"");
    put_name(out, device);
    tpi_buf_puts(out, "\",\"description\":");
    put_text(out, device->interface->doc);
    tpi_buf_puts(out, ",\"securityDefinitions\":{\"nosec\":{\"scheme\":\"nosec\"}");
    if (guest.has_keys) {
        tpi_buf_puts(out, ",\"bearer\":{\"scheme\":\"bearer\",\"in\":\"header\","
                          "\"description\":\"a key of the server\"}");
    }
    tpi_buf_printf(out, "},\"security\":[\"%s\"],\"properties\":{",
                   guest.has_keys ? "bearer" : "nosec");
    put_messages(out, device, &guest, true);
    tpi_buf_puts(out, "},\"actions\":{");
    put_messages(out, device, &guest, false);
    tpi_buf_puts(out, "}}");
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static void put_all(tpi_buf *out, struct connection *c, tpi_span host)
{
    size_t place = 0;
    bool first = true;
    tp_device *at;

    tpi_buf_puts(out, "[");
    while ((at = tp_session_next_device(c->door->sessions[FORM_JSON], &place)) != NULL) {
        const struct web_device *device = tpi_web_device_at(c->front, tp_session_address(at), NULL);

        if (device != NULL) {
            tpi_buf_puts(out, first ? "" : ",\n");
            put_thing(out, c, host, device);
            first = false;
        }
    }
    tpi_buf_puts(out, "]\n");
}

void tpi_web_wot(struct connection *c, const tpi_http *request)
{
    tpi_buf text = {0};
    char name[96] = "";
    size_t at = strlen("/.well-known/wot");
    bool wrong = false;

    assert(front_is_current(c->front));
    tpi_web_directory_look(c->front);
    if (!tpi_http_part(name, sizeof name, request->path, &at, &wrong) && !wrong) {
        put_all(&text, c, request->host);
    } else {
        const struct web_device *device =
            wrong || at < request->path.length ? NULL : tpi_web_device_named(c->front, name);

        if (device == NULL) {
            tpi_web_refuse(c, 404, "unknown",
                           "there is no such device; /.well-known/wot lists them");
            return;
        }
        put_thing(&text, c, request->host, device);
        tpi_buf_puts(&text, "\n");
    }
    if (text.failed) {
        tpi_web_refuse(c, 503, "nomem", "out of memory");
    } else {
        tpi_web_answer_as(c, 200, "application/td+json", "Cache-Control: no-cache\r\n",
                          tpi_buf_text(&text), text.length);
    }
    tpi_buf_fini(&text);
}
