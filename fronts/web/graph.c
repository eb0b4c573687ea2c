/* graph.c - the connection graph: who publishes, subscribes and serves what. */
#include <assert.h>
#include <string.h>

#include "inside.h"

static void put_topic(tpi_buf *out, const struct web_device *device, const char *prefix,
                      const char *middle, const tp_message *what)
{
    tpi_buf_printf(out, "%s/%u/%s/%u/%s%s", prefix, (unsigned)device->addr.robot,
                   device->interface->name, (unsigned)device->addr.index, middle, what->name);
}

static void put_ids(tpi_buf *out, const char *name, const char *id)
{
    tpi_buf_printf(out, "\",\"%s\":[", name);
    tpi_json_put_string(out, id, strlen(id));
    tpi_buf_puts(out, "]}");
}

/* The devices: what they publish or serve. */
static void put_devices(struct web_front *front, tpi_buf *out, tp_kind kind)
{
    const bool data = kind == TP_KIND_DATA;
    bool first = true;

    for (size_t i = 0; i < front->device_count; i++) {
        const struct web_device *device = &front->devices[i];

        for (uint32_t k = 0; device->present && k < device->interface->message_count; k++) {
            const tp_message *what = &device->interface->messages[k];

            if (what->kind == kind) {
                tpi_buf_puts(out, first ? "{\"name\":\"" : ",{\"name\":\"");
                put_topic(out, device, "", data ? "" : "req/", what);
                put_ids(out, data ? "publisherIds" : "providerIds", device->interface->name);
                first = false;
            }
        }
    }
}

static void put_subscription(struct web_front *front, tpi_buf *out, const struct subscription *s,
                             const char *peer, bool *first)
{
    const struct web_device *device = tpi_web_device_at(front, &s->addr, NULL);
    const tp_message *what = device != NULL ? tpi_web_message(device, TP_KIND_DATA, s->code) : NULL;

    if (what == NULL) {
        return;
    }
    tpi_buf_puts(out, *first ? "{\"name\":\"" : ",{\"name\":\"");
    put_topic(out, device, s->form != FORM_JSON ? "/ros" : "", "", what);
    put_ids(out, "subscriberIds", peer);
    *first = false;
}

static void put_subscriptions(struct web_front *front, tpi_buf *out)
{
    bool first = true;

    for (const struct connection *c = front->connections; c != NULL; c = c->next) {
        for (unsigned i = 0; i < SUB_BUCKETS; i++) {
            for (const struct subscription *s = c->door->subscriptions[i]; s != NULL; s = s->next) {
                put_subscription(front, out, s, tp_stream_peer(c->stream), &first);
            }
        }
    }
}

static struct note *make(struct web_front *front)
{
    tpi_buf text = {0};

    tpi_buf_puts(&text, "{\"op\":\"connectionGraphUpdate\",\"publishedTopics\":[");
    put_devices(front, &text, TP_KIND_DATA);
    tpi_buf_puts(&text, "],\"subscribedTopics\":[");
    put_subscriptions(front, &text);
    tpi_buf_puts(&text, "],\"advertisedServices\":[");
    put_devices(front, &text, TP_KIND_REQUEST);
    tpi_buf_puts(&text, "],\"removedTopics\":[],\"removedServices\":[]}");
    struct note *note = tpi_web_note_create(&text);
    tpi_buf_fini(&text);
    return note;
}

void tpi_web_graph_send(struct connection *c)
{
    struct note *note = make(c->front);

    tpi_web_send_note(c, note);
    tpi_web_note_unref(note);
}

/* At most ten times a second, and once for all. */
void tpi_web_graph_tick(struct web_front *front)
{
    struct note *note = NULL;

    assert(front_is_current(front));
    if (front->graph_version == 0) {
        return;
    }
    front->graph_version = 0;
    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        if (c->phase != PHASE_SOCKET || !c->door->watches_graph) {
            continue;
        }
        note = note != NULL ? note : make(front);
        if (note != NULL && c->behind.count < MOST_NOTES / 2) {
            tpi_web_send_note(c, note);
        }
    }
    tpi_web_note_unref(note);
}
