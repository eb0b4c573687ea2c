/* publish.c - commands that WebSocket clients publish. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "troupe/interfaces/position2d.h"

static struct channel *find(const struct client *client, uint32_t id)
{
    struct channel *channel = client->channels;

    while (channel != NULL && channel->id != id) {
        channel = channel->next;
    }
    return channel;
}

/* The command that a topic is for: /6665/position2d/0/cmd/VEL, /6665/position2d/0/cmd_vel. */
static bool find_topic(struct client *client, const char *topic, struct channel *out)
{
    const char *rest = "";
    const struct web_device *device = tpi_web_device_topic(client->front, topic, &rest);

    if (device == NULL) {
        return false;
    }
    out->addr = device->addr;
    if (strncmp(rest, "cmd/", 4) == 0) {
        out->what = tpi_web_message_named(device, TP_KIND_COMMAND, rest + 4);
    } else if (strcmp(rest, "cmd_vel") == 0 && device->addr.interf == TP_POSITION2D_CODE) {
        out->what = tpi_web_message(device, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL);
        out->twist = true;
    }
    return out->what != NULL;
}

/* Tools advertise topics of their own, such as /initialpose, before anybody uses them: a topic that
 * no device takes commands on is told when something is published there. */
void tpi_web_advertise(struct client *client, const tpi_say_item *item)
{
    struct connection *c = client->connection;
    struct channel found = {.id = item->id};
    char topic[160];
    tp_error err = {.text = ""};

    assert(front_is_current(client->front));
    const bool known =
        tpi_say_copy(topic, sizeof topic, item->topic) && find_topic(client, topic, &found);
    found.cdr = tpi_json_is(item->encoding, "cdr");
    if (known &&
        ((found.cdr && !found.twist) || !(found.cdr || tpi_json_is(item->encoding, "json")))) {
        tpi_web_status(c, 2, "channel %u: the encoding of %s is json%s", item->id, topic,
                       found.twist ? " or cdr" : "");
        return;
    }
    if (find(client, item->id) != NULL || client->channel_count == MOST_CHANNELS) {
        tpi_web_status(c, 2, "channel %u: %s", item->id,
                       client->channel_count == MOST_CHANNELS ? "there are too many channels"
                                                              : "the id is taken");
        return;
    }
    struct channel *channel = malloc(sizeof *channel);
    if (channel == NULL) {
        tpi_web_give_up(c);
        return;
    }
    if (known && tpi_web_use(client, FORM_JSON, &found.addr, true, &err) == NULL) {
        tpi_web_status(c, 2, "channel %u: %s", item->id, err.text);
        free(channel);
        return;
    }
    *channel = found;
    channel->next = client->channels;
    client->channels = channel;
    client->channel_count++;
    tpi_web_graph_changed(client->front);
}

static void forget(struct client *client, struct channel **at)
{
    struct channel *channel = *at;
    struct use *use =
        channel->what != NULL ? tpi_web_find_use(client, FORM_JSON, &channel->addr) : NULL;

    *at = channel->next;
    client->channel_count--;
    if (use != NULL) {
        tpi_web_unuse(client, use, true);
    }
    free(channel);
}

void tpi_web_unadvertise(struct client *client, uint32_t id)
{
    struct channel **at = &client->channels;

    assert(front_is_current(client->front));
    while (*at != NULL && (*at)->id != id) {
        at = &(*at)->next;
    }
    if (*at == NULL) {
        tpi_web_status(client->connection, 1, "channel %u is not advertised", id);
        return;
    }
    forget(client, at);
    tpi_web_graph_changed(client->front);
}

void tpi_web_channels_clear(struct client *client)
{
    while (client->channels != NULL) {
        forget(client, &client->channels);
    }
}

/* ---- Twist ----------------------------------------------------------------------------------- */

static bool read_vector(tpi_json *json, double *x, double *y, double *z)
{
    tpi_json_span name;

    if (!tpi_json_object(json)) {
        return false;
    }
    while (tpi_json_member(json, &name)) {
        double *place = tpi_json_is(name, "x")   ? x
                        : tpi_json_is(name, "y") ? y
                        : tpi_json_is(name, "z") ? z
                                                 : NULL;
        if (!(place != NULL ? tpi_json_f64(json, place) : tpi_json_skip(json, NULL))) {
            return false;
        }
    }
    return !json->failed;
}

static tp_status twist_from_json(tp_position2d_cmd_vel *out, const char *text, size_t length,
                                 tp_error *err)
{
    tpi_json json;
    tpi_json_span name;
    double unused = 0;

    tpi_json_init(&json, text, length);
    if (tpi_json_object(&json)) {
        while (tpi_json_member(&json, &name) &&
               (tpi_json_is(name, "linear")
                    ? read_vector(&json, &out->vel.px, &out->vel.py, &unused)
                : tpi_json_is(name, "angular") ? read_vector(&json, &unused, &unused, &out->vel.pa)
                                               : tpi_json_skip(&json, NULL))) {
        }
    }
    return tpi_json_end(&json, err);
}

static tp_status twist_from_cdr(tp_position2d_cmd_vel *out, const uint8_t *bytes, size_t length,
                                tp_error *err)
{
    double values[6];

    if (length < 4 + sizeof values || bytes[1] != 1) {
        return tp_fail(err, TP_E_SHORT, "a Twist is 6 numbers in little-endian CDR");
    }
    for (int i = 0; i < 6; i++) {
        const uint8_t *at = bytes + 4 + 8 * i;
        const uint64_t bits = tpi_web_get_u32(at) | (uint64_t)tpi_web_get_u32(at + 4) << 32;
        memcpy(&values[i], &bits, 8);
    }
    out->vel = (tp_pose2d){.px = values[0], .py = values[1], .pa = values[5]};
    return TP_OK;
}

void tpi_web_publish(struct client *client, uint32_t id, const uint8_t *bytes, size_t length)
{
    const struct channel *channel = find(client, id);
    tp_position2d_cmd_vel twist = {.state = 1};
    tp_error err = {.text = ""};
    tp_status status;

    assert(front_is_current(client->front));
    if (channel == NULL) {
        tpi_web_status(client->connection, 2, "channel %u is not advertised", id);
        return;
    }
    if (channel->what == NULL) {
        tpi_web_status(client->connection, 2,
                       "channel %u: no device takes commands on this topic; a topic is "
                       "/ROBOT/INTERFACE/INDEX/cmd/MESSAGE",
                       id);
        return;
    }
    if (!channel->twist) {
        status = tpi_web_send_json(client, &channel->addr, channel->what, (const char *)bytes,
                                   length, 0, &err);
    } else {
        status = channel->cdr ? twist_from_cdr(&twist, bytes, length, &err)
                              : twist_from_json(&twist, (const char *)bytes, length, &err);
        if (status == TP_OK) {
            status = tpi_web_send_value(client, &channel->addr, channel->what, &twist, 0, &err);
        }
    }
    if (status != TP_OK && status != TP_PENDING) {
        tpi_web_status(client->connection, 2, "%s: %s", channel->what->name, err.text);
    }
}
