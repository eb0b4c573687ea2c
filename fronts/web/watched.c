/* watched.c - parameters whose changes clients hear of. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"

struct watched {
    struct watched *next;
    tp_devaddr addr;
    char name[PARAMETER_NAME];
};

static void forget(struct client *client, struct watched **at)
{
    struct watched *watched = *at;
    struct use *use = tpi_web_find_use(client, FORM_JSON, &watched->addr);

    *at = watched->next;
    if (use != NULL) {
        tpi_web_unuse(client, use, false);
    }
    free(watched);
}

static void watch(struct client *client, const char *name)
{
    const char *rest;
    const struct web_device *device = tpi_web_device_topic(client->front, name, &rest);
    struct watched *watched = device != NULL ? calloc(1, sizeof *watched) : NULL;
    tp_error err = {.text = ""};
    unsigned count = 0;

    for (const struct watched *at = client->watched; at != NULL; at = at->next) {
        count++;
    }
    if (watched == NULL) {
        return;
    }
    if (count >= MOST_SUBSCRIPTIONS) {
        tp_fail(&err, TP_E_LIMIT, "the client watches too many parameters");
    }
    if (count >= MOST_SUBSCRIPTIONS ||
        tpi_web_use(client, FORM_JSON, &device->addr, false, &err) == NULL) {
        tpi_web_refuse_use(client, name, &err);
        free(watched);
        return;
    }
    watched->addr = device->addr;
    snprintf(watched->name, sizeof watched->name, "%s", name);
    watched->next = client->watched;
    client->watched = watched;
}

void tpi_web_parameters_watch(struct client *client, tpi_say *said, bool on)
{
    assert(front_is_current(client->front));
    tpi_say_item item;
    char name[PARAMETER_NAME];

    while (tpi_say_next(said, &item)) {
        struct watched **at = &client->watched;

        if (!tpi_say_copy(name, sizeof name, item.name)) {
            continue;
        }
        while (*at != NULL && strcmp((*at)->name, name) != 0) {
            at = &(*at)->next;
        }
        if (on && *at == NULL) {
            watch(client, name);
        } else if (!on && *at != NULL) {
            forget(client, at);
        }
    }
}

/* A text that is a number or a truth as such, any other one as a string. */
static void put_plain(tpi_buf *out, const char *text)
{
    tpi_json json;
    double number;

    tpi_json_init(&json, text, strlen(text));
    const bool plain = strcmp(text, "true") == 0 || strcmp(text, "false") == 0 ||
                       (tpi_json_peek(&json) == TPI_JSON_NUMBER && tpi_json_f64(&json, &number) &&
                        tpi_json_end(&json, NULL) == TP_OK);
    if (plain) {
        tpi_buf_puts(out, text);
    } else {
        tpi_json_put_string(out, text, strlen(text));
    }
}

void tpi_web_parameters_changed(struct client *client, const tp_devaddr *addr, const char *json,
                                size_t length)
{
    const struct web_device *device = tpi_web_device_at(client->front, addr, NULL);
    char key[128] = "", value[1024] = "", name[PARAMETER_NAME];
    tpi_json reader;
    tpi_json_span member, raw;
    tpi_buf text = {0};

    assert(front_is_current(client->front));
    tpi_json_init(&reader, json, length);
    (void)tpi_json_object(&reader);
    while (tpi_json_member(&reader, &member)) {
        if (tpi_json_peek(&reader) != TPI_JSON_STRING) {
            if (!tpi_json_skip(&reader, NULL)) {
                return;
            }
        } else if (tpi_json_string(&reader, &raw)) {
            (void)(tpi_json_is(member, "key") ? tpi_say_copy(key, sizeof key, raw)
                                              : tpi_say_copy(value, sizeof value, raw));
        }
    }
    if (device == NULL || key[0] == '\0') {
        return;
    }
    tpi_web_parameter_name(name, device, key);
    const struct watched *watched = client->watched;
    while (watched != NULL && strcmp(watched->name, name) != 0) {
        watched = watched->next;
    }
    if (watched != NULL && client->connection != NULL) {
        tpi_buf_puts(&text, "{\"op\":\"parameterValues\",\"parameters\":[{\"name\":");
        tpi_json_put_string(&text, name, strlen(name));
        tpi_buf_puts(&text, ",\"value\":");
        put_plain(&text, value);
        tpi_buf_puts(&text, "}]}");
        tpi_web_text(client->connection, tpi_buf_text(&text), text.length);
        tpi_buf_fini(&text);
    }
}

void tpi_web_watched_clear(struct client *client)
{
    assert(front_is_current(client->front));
    while (client->watched != NULL) {
        forget(client, &client->watched);
    }
}
