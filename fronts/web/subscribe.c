/* subscribe.c - subscriptions of WebSocket clients, and data for them. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { PANIC_CHANNEL = TP_PLAYER_DATA_PANIC, FRAMES_CHANNEL = 256 };

/* ---- The table ------------------------------------------------------------------------------- */

static unsigned bucket(enum form form, const tp_devaddr *addr, unsigned code)
{
    return ((unsigned)addr->interf * 31 + (unsigned)addr->index * 7 + (unsigned)addr->robot +
            code * 13 + (unsigned)form) %
           SUB_BUCKETS;
}

const struct subscription *tpi_web_subscription(const struct client *client, enum form form,
                                                const tp_msghdr *header)
{
    static const tp_devaddr server = {.interf = TP_PLAYER_CODE};
    const tp_devaddr *addr = header->addr.interf == TP_PLAYER_CODE ? &server : &header->addr;
    const struct subscription *s = client->subscriptions[bucket(form, addr, header->subtype)];

    assert(front_is_current(client->front));
    while (s != NULL &&
           (s->form != form || s->code != header->subtype || !same_address(&s->addr, addr))) {
        s = s->next;
    }
    return s;
}

static struct subscription **find(struct client *client, uint32_t id)
{
    for (unsigned i = 0; i < SUB_BUCKETS; i++) {
        for (struct subscription **at = &client->subscriptions[i]; *at != NULL; at = &(*at)->next) {
            if ((*at)->id == id) {
                return at;
            }
        }
    }
    return NULL;
}

static bool has_channel(const struct client *client, uint32_t channel)
{
    for (unsigned i = 0; i < SUB_BUCKETS; i++) {
        const struct subscription *s = client->subscriptions[i];

        while (s != NULL && s->channel != channel) {
            s = s->next;
        }
        if (s != NULL) {
            return true;
        }
    }
    return false;
}

/* ---- Subscribing ----------------------------------------------------------------------------- */

/* The data that a channel is for; false if there is no such channel. */
static bool find_channel(const struct web_front *front, struct subscription *s)
{
    const uint32_t number = s->channel / CHANNELS_OF_DEVICE;
    const uint32_t rest = s->channel % CHANNELS_OF_DEVICE;
    const struct web_device *device = tpi_web_device_numbered(front, number);

    s->form = rest / FORM_SIZE < FORMS ? (enum form)(rest / FORM_SIZE) : FORM_JSON;
    s->code = (uint8_t)(rest % FORM_SIZE);
    if (number == 0) {
        s->addr = (tp_devaddr){.interf = TP_PLAYER_CODE};
        return s->channel == PANIC_CHANNEL || s->channel == FRAMES_CHANNEL;
    }
    const bool is_grid = device != NULL && rest == GRID_CODE && tpi_web_has_grid(&device->addr);
    if (device == NULL || rest >= FORMS * FORM_SIZE ||
        (!is_grid && tpi_web_message(device, TP_KIND_DATA, s->code) == NULL)) {
        return false;
    }
    s->addr = device->addr;
    return s->form == FORM_JSON ||
           tpi_ros_type_of(device->addr.interf, s->code, s->form == FORM_SECOND) != NULL;
}

/* A subscriber learns at once whether there is a panic. */
static void send_panic(struct connection *c, uint32_t id)
{
    tp_panic_state *state = NULL;
    char *json = NULL;
    uint8_t head[1 + 4 + TPI_WEB_STAMP] = {1};
    tp_hub *hub = tp_front_hub(c->front->instance);

    if (tp_hub_panic(hub, &state) == TP_OK &&
        tp_value_text(&json, &tp_desc_panic_state, state, TP_TEXT_JSON) == TP_OK) {
        tpi_buf *out = tpi_web_binary(c, sizeof head + strlen(json));

        tpi_web_put_u32(head + 1, id);
        tpi_web_put_u64(head + 5, tpi_web_nanoseconds(tp_clock_wall_s(tp_hub_clock(hub))));
        tpi_buf_put(out, head, sizeof head);
        tpi_buf_puts(out, json);
    }
    free(json);
    free(state);
}

static void add(struct client *client, const struct subscription *s)
{
    struct subscription *copy = malloc(sizeof *copy);
    struct subscription **first = &client->subscriptions[bucket(s->form, &s->addr, s->code)];

    if (copy == NULL) {
        tpi_web_give_up(client->connection);
        return;
    }
    *copy = *s;
    copy->next = *first;
    *first = copy;
    client->subscription_count++;
    tpi_web_grid_counted(client, s, true);
    tpi_web_graph_changed(client->front);
}

void tpi_web_subscribe(struct client *client, const tpi_say_item *item)
{
    struct connection *c = client->connection;
    struct subscription s = {.id = item->id, .channel = item->channel};
    tp_error err = {.text = ""};

    assert(front_is_current(client->front));
    if (client->subscription_count == MOST_SUBSCRIPTIONS) {
        tpi_web_status(c, 2, "there are too many subscriptions");
    } else if (!find_channel(client->front, &s)) {
        tpi_web_status(c, 2, "subscription %u: there is no channel %u", s.id, s.channel);
    } else if (find(client, s.id) != NULL || has_channel(client, s.channel)) {
        tpi_web_status(c, 1, "subscription %u: the id or the channel is subscribed already", s.id);
    } else if (s.addr.interf == TP_PLAYER_CODE) {
        add(client, &s);
        client->watches_frames = client->watches_frames || s.channel == FRAMES_CHANNEL;
        if (s.channel == PANIC_CHANNEL) {
            send_panic(c, s.id);
        }
    } else {
        struct use *use = tpi_web_use(client, s.form, &s.addr, false, &err);
        if (use == NULL) {
            char what[32];
            (void)snprintf(what, sizeof what, "subscription %u", s.id);
            tpi_web_refuse_use(client, what, &err);
            return;
        }
        add(client, &s); /* data is looked at when the turn ends */
        if (item->rate > 0) {
            tpi_web_use_rate(client, use, item->rate);
        }
    }
}

static void forget(struct client *client, struct subscription **at)
{
    struct subscription *s = *at;
    struct use *use = tpi_web_find_use(client, s->form, &s->addr);

    *at = s->next;
    client->subscription_count--;
    tpi_web_grid_counted(client, s, false);
    if (use != NULL) {
        tpi_web_unuse(client, use, false);
    }
    client->watches_frames = client->watches_frames && s->channel != FRAMES_CHANNEL;
    free(s);
}

void tpi_web_unsubscribe(struct client *client, uint32_t id)
{
    struct subscription **at = find(client, id);

    assert(front_is_current(client->front));
    if (at == NULL) {
        tpi_web_status(client->connection, 1, "subscription %u is not there", id);
        return;
    }
    forget(client, at);
    tpi_web_graph_changed(client->front);
}

void tpi_web_subscriptions_clear(struct client *client)
{
    assert(front_is_current(client->front));
    for (unsigned i = 0; i < SUB_BUCKETS; i++) {
        while (client->subscriptions[i] != NULL) {
            forget(client, &client->subscriptions[i]);
        }
    }
}

/* ---- Other data ------------------------------------------------------------------------------ */

/* A text of a value in JSON. */
static bool find_text(char *out, size_t size, const char *text, size_t length, const char *member)
{
    tpi_json json;
    tpi_json_span name, value;

    tpi_json_init(&json, text, length);
    if (!tpi_json_object(&json)) {
        return false;
    }
    while (tpi_json_member(&json, &name)) {
        if (tpi_json_is(name, member) && tpi_json_peek(&json) == TPI_JSON_STRING) {
            return tpi_json_string(&json, &value) && tpi_say_copy(out, size, value);
        }
        if (!tpi_json_skip(&json, NULL)) {
            return false;
        }
    }
    return false;
}

void tpi_web_note_data(struct client *client, tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);
    struct connection *c = client->connection;
    const bool server = header->addr.interf == TP_PLAYER_CODE;
    const void *bytes;
    size_t length;
    char why[400];

    assert(front_is_current(client->front));
    if (server && header->subtype == TP_PLAYER_DATA_PANIC && c->phase == PHASE_STOP) {
        tpi_web_stop_told(c);
        return;
    }
    const bool failure =
        server ? header->subtype == TP_PLAYER_DATA_KICKED : header->subtype == TP_COMMON_DATA_ERROR;
    const bool property = !server && header->subtype == TP_COMMON_DATA_PROPERTY;
    if ((!failure && !property) || tp_msg_encode(msg, &tpi_web_json, &bytes, &length) != TP_OK) {
        return;
    }
    const char *json = (const char *)bytes + TPI_WEB_STAMP;
    if (property) {
        tpi_web_parameters_changed(client, &header->addr, json, length - TPI_WEB_STAMP);
    } else if (find_text(why, sizeof why, json, length - TPI_WEB_STAMP, "text")) {
        tpi_web_status(c, 2, "%s", why);
    }
}

/* ---- Frames of reference --------------------------------------------------------------------- */

/* Their time follows the world, if there is one. */
static double frames_time(const struct web_front *front)
{
    return front->world.time >= 0 ? front->world.time
                                  : tp_clock_wall_s(tp_hub_clock(tp_front_hub(front->instance)));
}

static const struct subscription *frames_of(const struct client *client)
{
    const tp_msghdr header = {.addr = {.interf = TP_PLAYER_CODE}};

    return tpi_web_subscription(client, FORM_CDR, &header);
}

/* Encoded once for all. */
void tpi_web_frames_tick(struct web_front *front)
{
    assert(front_is_current(front));
    tp_frame_list *frames = NULL;
    uint8_t *bytes = NULL;
    size_t length = 0;
    const double now_s = frames_time(front);

    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        const struct subscription *s =
            c->phase == PHASE_SOCKET && c->door->watches_frames && !c->blocked ? frames_of(c->door)
                                                                               : NULL;
        uint8_t head[1 + 4 + TPI_WEB_STAMP] = {1};

        if (s == NULL) {
            continue;
        }
        if (bytes == NULL) {
            if (tp_hub_frames(tp_front_hub(front->instance), &frames) != TP_OK ||
                (length = tpi_ros_frames(frames, now_s, NULL, 0)) == 0 ||
                (bytes = malloc(length)) == NULL) {
                break;
            }
            (void)tpi_ros_frames(frames, now_s, bytes, length);
        }
        tpi_web_put_u32(head + 1, s->id);
        tpi_web_put_u64(head + 5, tpi_web_nanoseconds(now_s));
        tpi_buf *out = tpi_web_binary(c, sizeof head + length);
        tpi_buf_put(out, head, sizeof head);
        tpi_buf_put(out, bytes, length);
    }
    free(bytes);
    free(frames);
}
