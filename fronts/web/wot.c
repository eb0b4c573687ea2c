/*
 * wot.c - W3C Thing Descriptions of the devices: GET /.well-known/wot lists them all,
 * /.well-known/wot/DEVICE is one.
 *
 * Data messages are properties, commands and requests are actions. Their forms are paths of the
 * API, so that a program that knows only Thing Descriptions can use every device. The channels of a
 * sensor that describes itself are properties too: the devices are asked for them first.
 */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/dio.h"

enum { MOST_SENSORS = 64, MOST_LINES = 64 };

static const double ANSWER_S = 2;

static void put_text(tpi_buf *out, const char *text)
{
    tpi_json_put_string(out, text, strlen(text));
}

/* What is left open in the text about an interface: the name of the device, the host, the channels.
 */
#define NAME_MARK "\1"
#define HOST_MARK "\2"
#define CHANNELS_MARK "\3"

/* What clients without a key may do; whether there are keys; the name of the device. */
struct guest {
    tp_right right;
    bool has_keys;
    const char *name;
};

static struct guest guest_of(const struct connection *c)
{
    tp_session *session = c->door->sessions[FORM_JSON];
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];

    return (struct guest){tp_session_right(session),
                          tp_session_challenge(session, nonce, NULL) == TP_OK, NAME_MARK};
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

/* ---- Channels of sensors --------------------------------------------------------------------- */

enum { CHANNEL_FIELDS = 8, CHANNEL_TEXT = 160 };

/* A line of the property `channels`: its fields, cut to their room. */
struct channel_line {
    char fields[CHANNEL_FIELDS][CHANNEL_TEXT]; /* direction, number, name, parameter, unit, ... */
};

enum { DIRECTION, NUMBER, NAME, PARAMETER, UNIT, LEAST, MOST, RESOLUTION };

/* The next line; false at the end. */
static bool next_line(const char **at, struct channel_line *out)
{
    const size_t length = strcspn(*at, "\n");
    const char *from = *at, *const end = *at + length;

    if (length == 0) {
        return false;
    }
    for (unsigned i = 0; i < CHANNEL_FIELDS; i++) {
        const size_t rest = (size_t)(end - from);
        const char *tab = memchr(from, '\t', rest);
        const size_t size = tab != NULL ? (size_t)(tab - from) : rest;

        snprintf(out->fields[i], CHANNEL_TEXT, "%.*s", (int)(size < INT_MAX ? size : 0), from);
        from = tab != NULL ? tab + 1 : end;
    }
    *at = end + (*end == '\n');
    return true;
}

/* Numbers of the name before this place: "Light Sensor", then "Light Sensor 2". */
static unsigned same_before(const char *channels, const char *here, const char *name)
{
    struct channel_line line;
    unsigned count = 1;

    while (channels < here && next_line(&channels, &line)) {
        count += channels < here && strcmp(line.fields[DIRECTION], "input") == 0 &&
                 strcmp(line.fields[NAME], name) == 0;
    }
    return count;
}

/* The limits of values: those of the manifest, rounded as values are. */
static void put_limits(tpi_buf *out, const struct channel_line *line)
{
    const double min = strtod(line->fields[LEAST], NULL), max = strtod(line->fields[MOST], NULL);
    const double step = strtod(line->fields[RESOLUTION], NULL);

    if (min < max) {
        const double low = step > 0 ? round(min / step) * step : min;
        const double high = step > 0 ? round(max / step) * step : max;

        tpi_buf_printf(out, ",\"minimum\":%.12g,\"maximum\":%.12g", low < min ? low : min,
                       high > max ? high : max);
    }
}

static void put_form(tpi_buf *out, const struct guest *guest, const char *kind,
                     const tp_message *what, const char *part);

/* An input of a sensor: a number with its unit, or true and false. */
static void put_channel(tpi_buf *out, const struct web_device *device, const struct guest *guest,
                        const struct channel_line *line, unsigned same)
{
    const bool digital = device->addr.interf == TP_DIO_CODE;
    const tp_message *what = tp_interface_message(device->interface, TP_KIND_DATA,
                                                  digital ? TP_DIO_DATA_VALUES : TP_AIO_DATA_STATE);
    const char *unit = line->fields[UNIT];
    char name[CHANNEL_TEXT + 16], part[CHANNEL_TEXT + 16];

    snprintf(name, sizeof name, same > 1 ? "%s %u" : "%s", line->fields[NAME], same);
    snprintf(part, sizeof part, "/%s/%lu", digital ? "bits" : "voltages",
             strtoul(line->fields[NUMBER], NULL, 10));
    put_text(out, name);
    tpi_buf_puts(out, ":{\"title\":");
    put_text(out, name);
    tpi_buf_puts(out, ",\"description\":");
    put_text(out, line->fields[PARAMETER]);
    tpi_buf_printf(out, ",\"readOnly\":true,\"type\":\"%s\"", digital ? "boolean" : "number");
    if (!digital && unit[0] != '\0' && strcmp(unit, "raw") != 0) {
        tpi_buf_puts(out, ",\"unit\":");
        put_text(out, unit);
    }
    if (!digital) {
        put_limits(out, line);
    }
    put_form(out, guest, "", what, part);
    tpi_buf_puts(out, "},");
}

static void put_channels(tpi_buf *out, const struct web_device *device, const struct guest *guest,
                         const char *channels)
{
    const char *at = channels;
    struct channel_line line;

    for (unsigned i = 0; i < MOST_LINES && next_line(&at, &line); i++) {
        const char *name = line.fields[NAME];
        const bool taken = tp_interface_message_named(device->interface, TP_KIND_DATA, name);

        if (strcmp(line.fields[DIRECTION], "input") == 0 && name[0] != '\0') {
            put_channel(out, device, guest, &line, same_before(channels, at, name) + taken);
        }
    }
}

/* ---- Descriptions ---------------------------------------------------------------------------- */

/* `part` is what stands behind the message in the path. */
static void put_form(tpi_buf *out, const struct guest *guest, const char *kind,
                     const tp_message *what, const char *part)
{
    const bool reads = what->kind == TP_KIND_DATA;
    const tp_right needed = reads ? TP_RIGHT_READ : tp_right_needed(what);

    tpi_buf_puts(out, ",\"forms\":[{\"href\":\"/api/devices/");
    tpi_buf_puts(out, guest->name);
    tpi_buf_printf(out, "/%s%s%s\",\"contentType\":\"application/json\",\"op\":\"%s\",", kind,
                   what->name, part, reads ? "readproperty" : "invokeaction");
    if (guest->has_keys && guest->right >= needed) {
        tpi_buf_puts(out, "\"security\":[\"nosec\"],"); /* otherwise that of the thing */
    }
    tpi_buf_printf(out, "\"htv:methodName\":\"%s\"}]", reads ? "GET" : "POST");
}

static void put_property(tpi_buf *out, const struct guest *guest, const tp_message *what)
{
    put_text(out, what->name);
    tpi_buf_puts(out, ":{\"description\":");
    put_text(out, what->doc);
    tpi_buf_puts(out, ",\"readOnly\":true,\"type\":\"object\",\"properties\":{\"time\":{\"type\":"
                      "\"number\",\"unit\":\"s\"},\"value\":{");
    put_schema(out, what->ask);
    tpi_buf_puts(out, "}}");
    put_form(out, guest, "", what, "");
    tpi_buf_puts(out, "}");
}

static void put_action(tpi_buf *out, const struct guest *guest, const tp_message *what)
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
    put_form(out, guest, commands ? "command/" : "request/", what, "");
    tpi_buf_puts(out, "}");
}

/* All messages that are properties, or all that are actions; a name is there once. */
static void put_messages(tpi_buf *out, const tp_interface *interface, const struct guest *guest,
                         bool data)
{
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
            put_property(out, guest, what);
        } else {
            put_action(out, guest, what);
        }
        first = false;
    }
}

/* What guests may do is a part of the kind of the text. */
enum { RIGHTS = 4, WITH_KEYS = RIGHTS, SECURE = 2 * RIGHTS };

static unsigned kind_for(const struct web_front *front, const struct guest *guest)
{
    return PART_THING + (unsigned)guest->right + (guest->has_keys ? WITH_KEYS : 0) +
           (front->secure ? SECURE : 0);
}

static void make_thing(tpi_buf *out, const void *about, unsigned kind)
{
    const tp_interface *interface = about;
    const unsigned of = kind - PART_THING;
    const struct guest guest = {(tp_right)(of % RIGHTS), (of & WITH_KEYS) != 0, NAME_MARK};

    tpi_buf_printf(
        out, "\",\"base\":\"%s://" HOST_MARK "/\",\"title\":\"" NAME_MARK "\",\"description\":",
        (of & SECURE) != 0 ? "https" : "http");
    put_text(out, interface->doc);
    tpi_buf_puts(out, ",\"securityDefinitions\":{\"nosec\":{\"scheme\":\"nosec\"}");
    if (guest.has_keys) {
        tpi_buf_puts(out, ",\"bearer\":{\"scheme\":\"bearer\",\"in\":\"header\","
                          "\"description\":\"a key of the server\"}");
    }
    tpi_buf_printf(out, "},\"security\":[\"%s\"],\"properties\":{" CHANNELS_MARK,
                   guest.has_keys ? "bearer" : "nosec");
    put_messages(out, interface, &guest, true);
    tpi_buf_puts(out, "},\"actions\":{");
    put_messages(out, interface, &guest, false);
    tpi_buf_puts(out, "}}");
}

static void put_thing(tpi_buf *out, const struct connection *c, struct guest guest,
                      const struct web_device *device, const char *channels)
{
    struct web_front *front = c->front;
    tpi_buf properties = {0};
    char name[96];

    snprintf(name, sizeof name, "%u:%s:%u", (unsigned)device->addr.robot, device->interface->name,
             (unsigned)device->addr.index);
    guest.name = name;
    put_channels(&properties, device, &guest, channels);
    tpi_buf_printf(
        out,
        "{\"@context\":[\"https://www.w3.org/2019/wot/td/v1\"," /* first, for older programs */
        "\"https://www.w3.org/2022/wot/td/v1.1\",{\"htv\":"
        "\"http://www.w3.org/2011/http#\"}],\"id\":\"urn:troupe:%s:%s",
        front->session_id, name);
    tpi_web_put_part(out,
                     tpi_web_part(front, device->interface, kind_for(front, &guest), make_thing),
                     (const char *const[]){name, c->http.query, /* the gate knows the host */
                                           tpi_buf_text(&properties)});
    out->failed = out->failed || properties.failed;
    tpi_buf_fini(&properties);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static void put_all(tpi_buf *out, struct connection *c, const struct reading *reading)
{
    const struct guest guest = guest_of(c);
    size_t place = 0;
    bool first = true;
    tp_device *at;

    tpi_buf_puts(out, "[");
    while ((at = tp_session_next_device(c->door->sessions[FORM_JSON], &place)) != NULL) {
        const struct web_device *device = tpi_web_device_at(c->front, tp_session_address(at), NULL);

        if (device != NULL) {
            tpi_buf_puts(out, first ? "" : ",\n");
            put_thing(out, c, guest, device, tpi_web_channels_of(reading, &device->addr));
            first = false;
        }
    }
    tpi_buf_puts(out, "]\n");
}

/* The answer; without channels for NULL. */
static void answer(struct connection *c, const struct reading *reading)
{
    const struct web_device *device =
        c->http.whole ? NULL : tpi_web_device_at(c->front, &c->http.addr, NULL);
    tpi_buf text = {0};

    if (c->http.whole) {
        put_all(&text, c, reading);
    } else if (device != NULL) {
        put_thing(&text, c, guest_of(c), device, tpi_web_channels_of(reading, &device->addr));
        tpi_buf_puts(&text, "\n");
    } else {
        tpi_web_refuse(c, 404, "unknown", "the device is gone");
        return;
    }
    if (text.failed) {
        tpi_web_refuse(c, 503, "nomem", "out of memory");
    } else {
        tpi_web_answer_as(c, 200, "application/td+json", "Cache-Control: no-cache\r\n",
                          tpi_buf_text(&text), text.length);
    }
    tpi_buf_fini(&text);
}

void tpi_web_wot_late(struct connection *c)
{
    answer(c, NULL);
}

/* The devices of the answer that can be those of a sensor; how many, at most `most`. */
static size_t find_sensors(struct connection *c, tp_devaddr *out, size_t most)
{
    size_t place = 0, count = 0;
    tp_device *at;

    while (count < most &&
           (at = tp_session_next_device(c->door->sessions[FORM_JSON], &place)) != NULL) {
        const tp_devaddr *addr = tp_session_address(at);
        const bool fits = addr->interf == TP_AIO_CODE || addr->interf == TP_DIO_CODE;

        if (fits && (c->http.whole || same_address(addr, &c->http.addr))) {
            out[count++] = *addr;
        }
    }
    return count;
}

/* Ask the devices for their channels; the answer follows. */
static void ask_channels(struct connection *c, const tpi_http *request)
{
    tp_devaddr sensors[MOST_SENSORS];
    const size_t count = find_sensors(c, sensors, MOST_SENSORS);

    if (count == 0) {
        answer(c, NULL);
        return;
    }
    if (tpi_web_visit(c, request) == NULL) {
        return; /* refused already */
    }
    tpi_web_http_wait(c, WAITS_THINGS, ANSWER_S);
    if (tpi_web_channels_get(c->visitor, c, sensors, count, answer) != TP_OK) {
        answer(c, NULL);
    }
}

void tpi_web_wot(struct connection *c, const tpi_http *request)
{
    char name[96] = "";
    size_t at = strlen("/.well-known/wot");
    bool wrong = false;

    assert(front_is_current(c->front));
    tpi_web_directory_look(c->front);
    c->http.whole = !tpi_http_part(name, sizeof name, request->path, &at, &wrong) && !wrong;
    const struct web_device *device = c->http.whole || wrong || at < request->path.length
                                          ? NULL
                                          : tpi_web_device_named(c->front, name);
    if (device == NULL && !c->http.whole) {
        tpi_web_refuse(c, 404, "unknown", "there is no such device; /.well-known/wot lists them");
        return;
    }
    c->http.addr = device != NULL ? device->addr : (tp_devaddr){0};
    snprintf(c->http.query, sizeof c->http.query, "%.*s", (int)request->host.length,
             request->host.text);
    ask_channels(c, request);
}
