/* parameter.c - properties as parameters: what clients ask. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "reading.h"

static void start(struct client *client, struct reading *reading)
{
    if (reading->names.failed || reading->values.failed || reading->id.failed) {
        tpi_web_reading_fail(reading, TP_E_NOMEM, "out of memory");
        reading->count = 0;
    }
    tpi_web_reading_go_on(client, reading);
}

static struct reading *begin_for(struct client *client, const tpi_say *said)
{
    struct reading *reading = tpi_web_reading_begin(client);

    if (reading == NULL) {
        tpi_web_status(client->connection, 2, "too many parameters are being read");
        return NULL;
    }
    if (said->id.text != NULL) {
        tpi_buf_printf(&reading->id, "\"%.*s\"", (int)said->id.length, said->id.text);
    }
    return reading;
}

/* A parameter that is wanted; the device of an unknown one is not asked. */
static bool want(struct client *client, struct reading *reading, tpi_json_span raw)
{
    char name[PARAMETER_NAME];
    const char *rest;
    const struct web_device *device = tpi_say_copy(name, sizeof name, raw)
                                          ? tpi_web_device_topic(client->front, name, &rest)
                                          : NULL;

    if (device == NULL) {
        return false;
    }
    tpi_web_reading_add(reading, &device->addr);
    tpi_buf_put(&reading->names, name, strlen(name) + 1);
    return true;
}

void tpi_web_parameters_get(struct client *client, tpi_say *said)
{
    struct reading *reading = begin_for(client, said);
    tpi_say_item item;
    unsigned names = 0;

    assert(front_is_current(client->front));
    if (reading == NULL) {
        return;
    }
    while (tpi_say_next(said, &item)) {
        (void)want(client, reading, item.name);
        names++;
    }
    for (const struct use *use = client->uses; names == 0 && use != NULL; use = use->next) {
        if (use->reading || use->writing) {
            tpi_web_reading_add(reading, &use->addr);
        }
    }
    start(client, reading);
}

void tpi_web_parameters_set(struct client *client, tpi_say *said)
{
    struct reading *reading = begin_for(client, said);
    tpi_say_item item;

    assert(front_is_current(client->front));
    if (reading == NULL) {
        return;
    }
    reading->silent = said->id.text == NULL;
    while (tpi_say_next(said, &item)) {
        if (item.value.text == NULL || !want(client, reading, item.name)) {
            tpi_web_reading_fail(reading, TP_E_UNKNOWN,
                                 "a parameter has the name of a property, and a value");
        } else {
            tpi_buf_put(&reading->values, item.value.text, item.value.length);
            tpi_buf_putc(&reading->values, '\0');
        }
    }
    start(client, reading);
}

tp_status tpi_web_properties_get(struct client *client, struct connection *c,
                                 const tp_devaddr *addr, tp_error *err)
{
    struct reading *reading = tpi_web_reading_begin(client);

    assert(front_is_current(client->front));
    if (reading == NULL) {
        return tp_fail(err, TP_E_LIMIT, "too many properties are being read");
    }
    reading->is_http = true;
    reading->http = c;
    tpi_web_reading_add(reading, addr);
    start(client, reading);
    return TP_OK;
}

tp_status tpi_web_channels_get(struct client *client, struct connection *c, const tp_devaddr *addrs,
                               size_t count, web_channels *done)
{
    struct reading *reading = tpi_web_reading_begin(client);

    assert(front_is_current(client->front));
    if (reading == NULL) {
        return TP_E_LIMIT;
    }
    reading->is_http = true;
    reading->http = c;
    reading->done = done;
    for (size_t i = 0; i < count; i++) {
        const struct web_device *device = tpi_web_device_at(client->front, &addrs[i], NULL);
        char name[PARAMETER_NAME];

        if (device != NULL) {
            tpi_web_parameter_name(name, device, "channels");
            tpi_buf_put(&reading->names, name, strlen(name) + 1);
            tpi_web_reading_add(reading, &addrs[i]);
        }
    }
    start(client, reading);
    return TP_OK;
}

const char *tpi_web_channels_of(const struct reading *reading, const tp_devaddr *addr)
{
    for (unsigned i = 0; reading != NULL && i < reading->count; i++) {
        const struct item *item = &reading->items[i];
        if (!item->list && item->value != NULL && same_address(&item->addr, addr)) {
            return item->value;
        }
    }
    return "";
}

/* The member "value" of a body; false if it has none. */
static bool find_value(const char *text, size_t length, tpi_json_span *out, tp_error *err)
{
    tpi_json json;
    tpi_json_span name, value;
    bool found = false;

    tpi_json_init(&json, text, length);
    if (tpi_json_object(&json)) {
        while (tpi_json_member(&json, &name) && tpi_json_skip(&json, &value)) {
            if (tpi_json_is(name, "value")) {
                *out = value;
                found = true;
            }
        }
    }
    return tpi_json_end(&json, err) == TP_OK && found;
}

tp_status tpi_web_property_set(struct client *client, struct connection *c, const tp_devaddr *addr,
                               const char *name, const char *json, size_t length, tp_error *err)
{
    const struct web_device *device = tpi_web_device_at(client->front, addr, NULL);
    tpi_json_span value = {NULL, 0};
    char full[PARAMETER_NAME];

    assert(front_is_current(client->front));
    if (device == NULL || !find_value(json, length, &value, err)) {
        return tp_fail(err, TP_E_INVALID, "the body is {\"value\":...}");
    }
    struct reading *reading = tpi_web_reading_begin(client);
    if (reading == NULL) {
        return tp_fail(err, TP_E_LIMIT, "too many properties are being read");
    }
    reading->is_http = true;
    reading->http = c;
    tpi_web_parameter_name(full, device, name);
    tpi_buf_put(&reading->names, full, strlen(full) + 1);
    tpi_buf_put(&reading->values, value.text, value.length);
    tpi_buf_putc(&reading->values, '\0');
    tpi_web_reading_add(reading, addr);
    start(client, reading);
    return TP_OK;
}

void tpi_web_connection_forgotten(struct client *client, const struct connection *c)
{
    assert(front_is_current(client->front));
    for (unsigned i = 0; i < MOST_CALLS; i++) {
        if (client->calls[i].waits == c) {
            client->calls[i].waits = NULL;
        }
    }
    for (struct reading *at = client->readings; at != NULL; at = at->next) {
        if (at->http == c) {
            at->http = NULL;
        }
    }
}

void tpi_web_parameters_clear(struct client *client)
{
    assert(front_is_current(client->front));
    while (client->readings != NULL) {
        tpi_web_reading_destroy(client, client->readings);
    }
    tpi_web_watched_clear(client);
}
