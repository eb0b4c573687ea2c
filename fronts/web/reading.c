/* reading.c - readings of properties: asking devices, and the answer; see reading.h. */
#include "reading.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AT_ONCE = 8, MOST_ITEMS = 4096, MOST_READINGS = 16 };

static const struct {
    unsigned get, set;
    const char *name, *value;
} accesses[] = {
    [TP_PROPERTY_BOOL] = {TP_COMMON_REQ_GET_BOOLPROP, TP_COMMON_REQ_SET_BOOLPROP, "bool",
                          "true or false"},
    [TP_PROPERTY_INT] = {TP_COMMON_REQ_GET_INTPROP, TP_COMMON_REQ_SET_INTPROP, "int",
                         "a whole number"},
    [TP_PROPERTY_DOUBLE] = {TP_COMMON_REQ_GET_DBLPROP, TP_COMMON_REQ_SET_DBLPROP, "double",
                            "a number"},
    [TP_PROPERTY_STRING] = {TP_COMMON_REQ_GET_STRPROP, TP_COMMON_REQ_SET_STRPROP, "string",
                            "a text"},
};

/* ---- Names ----------------------------------------------------------------------------------- */

void tpi_web_parameter_name(char out[PARAMETER_NAME], const struct web_device *device,
                            const char *key)
{
    snprintf(out, PARAMETER_NAME, "/%u/%s/%u/%s", (unsigned)device->addr.robot,
             device->interface->name, (unsigned)device->addr.index, key);
}

/* The place of a name in a list; -1 if it is not there. */
static int find_name(const tpi_buf *names, const char *name)
{
    const char *at = tpi_buf_text(names);
    int place = 0;

    for (const char *end = at + names->length; at < end; at += strlen(at) + 1) {
        if (strcmp(at, name) == 0) {
            return place;
        }
        place++;
    }
    return -1;
}

static const char *text_at(const tpi_buf *texts, int place)
{
    const char *at = tpi_buf_text(texts);

    while (place-- > 0) {
        at += strlen(at) + 1;
    }
    return at;
}

/* ---- Readings -------------------------------------------------------------------------------- */

struct reading *tpi_web_reading_begin(struct client *client)
{
    unsigned count = 0;

    for (const struct reading *at = client->readings; at != NULL; at = at->next) {
        count++;
    }
    struct reading *reading = count < MOST_READINGS ? calloc(1, sizeof *reading) : NULL;
    if (reading != NULL) {
        reading->next = client->readings;
        client->readings = reading;
    }
    return reading;
}

void tpi_web_reading_destroy(struct client *client, struct reading *reading)
{
    struct reading **at = &client->readings;

    while (*at != reading) {
        at = &(*at)->next;
    }
    *at = reading->next;
    for (unsigned i = 0; i < reading->count; i++) {
        free(reading->items[i].key);
        free(reading->items[i].about);
        free(reading->items[i].value);
    }
    free(reading->items);
    tpi_buf_fini(&reading->names);
    tpi_buf_fini(&reading->values);
    tpi_buf_fini(&reading->id);
    tpi_buf_fini(&reading->text);
    free(reading);
}

void tpi_web_reading_fail(struct reading *reading, tp_status status, const char *why)
{
    if (reading->status == TP_OK) {
        reading->status = status;
        snprintf(reading->why, sizeof reading->why, "%s", why);
    }
}

static struct item *add_item(struct reading *reading, const tp_devaddr *addr)
{
    struct item *grown = reading->count < MOST_ITEMS
                             ? realloc(reading->items, (reading->count + 1) * sizeof *grown)
                             : NULL;

    if (grown == NULL) {
        tpi_web_reading_fail(reading, TP_E_LIMIT, "there are too many properties");
        return NULL;
    }
    reading->items = grown;
    grown[reading->count] = (struct item){.addr = *addr};
    return &grown[reading->count++];
}

void tpi_web_reading_add(struct reading *reading, const tp_devaddr *addr)
{
    for (unsigned i = 0; i < reading->count; i++) {
        if (reading->items[i].list && same_address(&reading->items[i].addr, addr)) {
            return;
        }
    }
    struct item *item = add_item(reading, addr);
    if (item != NULL) {
        item->list = true;
    }
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static const tp_message *common(unsigned code)
{
    return tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, code);
}

static tp_status ask(struct client *client, const struct item *item, uint32_t seq, tp_error *err)
{
    tpi_buf json = {0};

    if (item->list) {
        return tpi_web_send_json(client, &item->addr, common(TP_COMMON_REQ_GET_PROPERTIES), "", 0,
                                 seq, err);
    }
    tpi_buf_puts(&json, "{\"key\":");
    tpi_json_put_string(&json, item->key, strlen(item->key));
    if (item->set) {
        tpi_buf_printf(&json, ",\"value\":%s", item->value);
    }
    tpi_buf_putc(&json, '}');
    const tp_status status =
        tpi_web_send_json(client, &item->addr,
                          common(item->set ? accesses[item->type].set : accesses[item->type].get),
                          tpi_buf_text(&json), json.length, seq, err);
    tpi_buf_fini(&json);
    if (item->set && status == TP_E_SYNTAX) { /* its place is none in what the client sent */
        return tp_fail(err, TP_E_INVALID, "the value of \"%s\" is %s", item->key,
                       accesses[item->type].value);
    }
    return status;
}

static void finish(struct client *client, struct reading *reading)
{
    struct connection *c = client->connection;
    tpi_buf text = {0};

    if (reading->done != NULL) {
        if (reading->http != NULL) {
            reading->done(reading->http, reading);
        }
    } else if (reading->is_http && reading->http != NULL) {
        if (reading->status != TP_OK) {
            tpi_web_api_refuse(reading->http, reading->status, reading->why);
        } else if (reading->http->http.results) {
            tpi_web_answer_result(reading->http);
        } else if (reading->values.length > 0) {
            tpi_web_answer(reading->http, 200, "{}\n", 3);
        } else {
            tpi_buf_printf(&text, "{\"properties\":[%s]}\n", tpi_buf_text(&reading->text));
            tpi_web_answer(reading->http, 200, tpi_buf_text(&text), text.length);
        }
    } else if (!reading->is_http && c != NULL) {
        if (reading->status != TP_OK) {
            tpi_web_status(c, 2, "%s", reading->why);
        }
        if (!reading->silent) {
            tpi_buf_printf(&text, "{\"op\":\"parameterValues\",\"parameters\":[%s]",
                           tpi_buf_text(&reading->text));
            if (reading->id.length > 0) {
                tpi_buf_printf(&text, ",\"id\":%s", tpi_buf_text(&reading->id));
            }
            tpi_buf_putc(&text, '}');
            tpi_web_text(c, tpi_buf_text(&text), text.length);
        }
    }
    tpi_buf_fini(&text);
    tpi_web_reading_destroy(client, reading);
}

void tpi_web_reading_go_on(struct client *client, struct reading *reading)
{
    while (reading->begun < reading->count && reading->begun - reading->ended < MOST_AT_ONCE) {
        const unsigned i = reading->begun++;
        struct call *call = tpi_web_call_begin(client, CALL_PROPERTY);
        tp_error err = {.text = ""};

        if (call == NULL) {
            reading->ended++;
            tpi_web_reading_fail(reading, TP_E_LIMIT, "too many requests are under way");
            continue;
        }
        call->reading = reading;
        call->item = i;
        const tp_status status =
            ask(client, &reading->items[i], tpi_web_call_number(client, call), &err);
        if (status != TP_OK && status != TP_PENDING) {
            tpi_web_call_end(client, call);
            reading->ended++;
            tpi_web_reading_fail(reading, status, err.text);
        }
    }
    if (reading->ended == reading->count) {
        finish(client, reading);
    }
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* As strdup(). */
static char *copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *made = malloc(size);

    return made != NULL ? memcpy(made, text, size) : NULL;
}

/* One of the list of a device: kept if it is wanted. */
static void add_property(struct client *client, struct reading *reading, const tp_devaddr *addr,
                         const struct item *found)
{
    const struct web_device *device = tpi_web_device_at(client->front, addr, NULL);
    char name[PARAMETER_NAME];
    int place = -1;

    if (device == NULL || found->type < TP_PROPERTY_BOOL || found->type > TP_PROPERTY_STRING) {
        return;
    }
    tpi_web_parameter_name(name, device, found->key);
    if (reading->names.length > 0 && (place = find_name(&reading->names, name)) < 0) {
        return;
    }
    struct item *item = add_item(reading, addr);
    if (item == NULL) {
        return;
    }
    item->type = found->type;
    item->writable = found->writable;
    item->key = copy(found->key);
    item->about = copy(found->about);
    if (reading->values.length > 0) {
        item->value = copy(text_at(&reading->values, place));
        item->set = true;
    }
    if (item->key == NULL || item->about == NULL || (item->set && item->value == NULL)) {
        tpi_web_reading_fail(reading, TP_E_NOMEM, "out of memory");
        reading->count--;
        free(item->key);
        free(item->about);
        free(item->value);
    }
}

static void read_property(struct client *client, struct reading *reading, const tp_devaddr *addr,
                          tpi_json *json)
{
    tpi_json_span name, unit = {"", 0}, doc = {"", 0}, raw;
    struct item found = {.type = 0};
    tpi_buf about = {0};
    char key[128] = "";

    (void)tpi_json_object(json);
    while (tpi_json_member(json, &name)) {
        int64_t number = 0;

        if (tpi_json_is(name, "type") || tpi_json_is(name, "writable")) {
            (void)tpi_json_i64(json, &number);
            *(tpi_json_is(name, "type") ? &found.type : &found.writable) = (uint8_t)number;
        } else if (tpi_json_peek(json) == TPI_JSON_STRING) {
            (void)tpi_json_string(json, &raw);
            unit = tpi_json_is(name, "unit") ? raw : unit;
            doc = tpi_json_is(name, "doc") ? raw : doc;
            if (tpi_json_is(name, "key") && !tpi_say_copy(key, sizeof key, raw)) {
                found.type = 0;
                key[0] = '\0';
            }
        } else if (!tpi_json_skip(json, NULL)) {
            return;
        }
    }
    tpi_buf_printf(&about, "\"unit\":\"%.*s\",\"doc\":\"%.*s\"", (int)unit.length, unit.text,
                   (int)doc.length, doc.text);
    found.key = key;
    found.about = about.data;
    if (key[0] != '\0' && !about.failed) {
        add_property(client, reading, addr, &found);
    }
    tpi_buf_fini(&about);
}

static void read_list(struct client *client, struct reading *reading, const tp_devaddr *addr,
                      const char *text, size_t length)
{
    tpi_json json;
    tpi_json_span name;

    tpi_json_init(&json, text, length);
    (void)tpi_json_object(&json);
    while (tpi_json_member(&json, &name)) {
        if (!tpi_json_is(name, "properties")) {
            if (!tpi_json_skip(&json, NULL)) {
                return;
            }
            continue;
        }
        (void)tpi_json_array(&json);
        while (tpi_json_element(&json)) {
            read_property(client, reading, addr, &json);
        }
    }
}

/* The value of a property in an answer, as JSON. */
static void put_value(tpi_buf *out, const struct item *item, const char *text, size_t length)
{
    tpi_json json;
    tpi_json_span name, value;

    tpi_json_init(&json, text, length);
    (void)tpi_json_object(&json);
    while (tpi_json_member(&json, &name) && tpi_json_skip(&json, &value)) {
        if (!tpi_json_is(name, "value")) {
            continue;
        }
        if (item->type == TP_PROPERTY_BOOL) {
            tpi_buf_puts(out, value.length == 1 && value.text[0] == '0' ? "false" : "true");
        } else {
            tpi_buf_put(out, value.text, value.length);
        }
        return;
    }
    tpi_buf_puts(out, "null");
}

/* The text of a property, for the end of the reading. */
static void keep_text(struct item *item, const char *json, size_t length)
{
    tpi_buf value = {0}, text = {0};

    put_value(&value, item, json, length);
    if (item->type == TP_PROPERTY_STRING && value.length >= 2 && value.data[0] == '"') {
        tpi_json_unescape(&text, (tpi_json_span){value.data + 1, value.length - 2});
        item->value = text.failed ? NULL : copy(tpi_buf_text(&text));
    }
    tpi_buf_fini(&value);
    tpi_buf_fini(&text);
}

static void add_value(struct client *client, struct reading *reading, const struct item *item,
                      const char *json, size_t length)
{
    const struct web_device *device = tpi_web_device_at(client->front, &item->addr, NULL);
    tpi_buf *out = &reading->text;
    char name[PARAMETER_NAME];

    if (device == NULL) {
        return;
    }
    tpi_web_parameter_name(name, device, item->key);
    tpi_buf_puts(out, reading->answered++ > 0 ? ",{\"name\":" : "{\"name\":");
    if (reading->is_http) {
        tpi_json_put_string(out, item->key, strlen(item->key));
        tpi_buf_printf(out, ",\"type\":\"%s\",\"writable\":%s,%s", accesses[item->type].name,
                       item->writable ? "true" : "false", item->about);
    } else {
        tpi_json_put_string(out, name, strlen(name));
        tpi_buf_puts(out, item->type == TP_PROPERTY_DOUBLE ? ",\"type\":\"float64\"" : "");
    }
    tpi_buf_puts(out, ",\"value\":");
    put_value(out, item, json, length);
    tpi_buf_putc(out, '}');
}

void tpi_web_parameters_failed(struct client *client, struct call *call, tp_status status,
                               const char *text)
{
    struct reading *reading = call->reading;
    const struct item *item = &reading->items[call->item];

    assert(front_is_current(client->front));
    reading->ended++;
    if (item->set || item->list || reading->is_http) {
        tpi_web_reading_fail(reading, status, text);
    }
    tpi_web_reading_go_on(client, reading);
}

void tpi_web_parameters_answered(struct client *client, struct call *call, const tp_msg *msg,
                                 const char *json, size_t length)
{
    struct reading *reading = call->reading;
    struct item *item = &reading->items[call->item];
    char why[256] = "";

    assert(front_is_current(client->front));
    if (tp_msg_header(msg)->type != TP_MSGTYPE_RESP_ACK) {
        if (!tpi_say_copy(why, sizeof why, (tpi_json_span){json + 1, length - 2})) {
            why[0] = '\0';
        }
        tpi_web_parameters_failed(client, call, TP_E_DENIED, why);
        return;
    }
    if (item->list) {
        const tp_devaddr addr = item->addr; /* the list of items grows */
        read_list(client, reading, &addr, json, length);
        if (reading->values.length > 0 && reading->is_http && reading->count == 1) {
            tpi_web_reading_fail(reading, TP_E_UNKNOWN, "the device has no such property");
        }
    } else if (item->set) {
        const tp_devaddr addr = item->addr; /* the list of items grows */
        struct item *again = add_item(reading, &addr);

        item = &reading->items[call->item];
        if (again != NULL) { /* what it is now */
            again->type = item->type;
            again->key = item->key;
            again->about = item->about;
            item->key = item->about = NULL;
        }
    } else if (reading->done != NULL) {
        keep_text(item, json, length);
    } else {
        add_value(client, reading, item, json, length);
    }
    reading->ended++;
    tpi_web_reading_go_on(client, reading);
}
