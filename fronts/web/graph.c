/*
 * graph.c - the connection graph: who publishes, subscribes and serves what.
 *
 * With hundreds of devices and thousands of subscriptions it has megabytes. So there is one for all
 * that watch it, a turn makes a piece of it, and it is made again ten times a second at most. Of a
 * client that reads slowly only the graph that has begun stays; when such old graphs are many,
 * clients without the right to write that hold them are closed.
 */
#include <assert.h>
#include <string.h>

#include "inside.h"

enum { NONE, PUBLISHED, SUBSCRIBED, SERVED, END }; /* sections */

enum {
    MADE_AT_ONCE = 64 << 10, /* bytes in a turn */
    MOST_GRAPHS = 4,         /* that wait for clients, before slow ones are closed */
};

static const int64_t SLOW_NS = 2 * TP_NS_PER_S;

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

/* What a device publishes or serves. */
static void put_device(tpi_buf *out, const struct web_device *device, tp_kind kind, bool *first)
{
    const bool data = kind == TP_KIND_DATA;

    for (uint32_t k = 0; device->told && k < device->interface->message_count; k++) {
        const tp_message *what = &device->interface->messages[k];

        if (what->kind == kind) {
            tpi_buf_puts(out, *first ? "{\"name\":\"" : ",{\"name\":\"");
            put_topic(out, device, "", data ? "" : "req/", what);
            put_ids(out, data ? "publisherIds" : "providerIds", device->interface->name);
            *first = false;
        }
    }
}

static void put_subscription(struct web_front *front, tpi_buf *out, const struct subscription *s,
                             const char *peer, bool *first)
{
    const struct web_device *device =
        tpi_web_device_numbered(front, s->channel / CHANNELS_OF_DEVICE);
    const tp_message *what = device != NULL ? tpi_web_message(device, TP_KIND_DATA, s->code) : NULL;

    if (what == NULL) {
        return;
    }
    tpi_buf_puts(out, *first ? "{\"name\":\"" : ",{\"name\":\"");
    put_topic(out, device, s->form != FORM_JSON ? "/ros" : "", "", what);
    put_ids(out, "subscriberIds", peer);
    *first = false;
}

static void put_subscriptions(struct web_front *front, tpi_buf *out, const struct connection *c,
                              bool *first)
{
    for (unsigned i = 0; i < SUB_BUCKETS; i++) {
        for (const struct subscription *s = c->door->subscriptions[i]; s != NULL; s = s->next) {
            put_subscription(front, out, s, tp_stream_peer(c->stream), first);
        }
    }
}

/* ---- Clients --------------------------------------------------------------------------------- */

/* The place of a graph among the frames that wait for a client; -1 for none. */
static int find_waiting(const struct connection *c)
{
    for (unsigned i = 0; i < c->behind.count; i++) {
        if (c->behind.notes[i].note->alive != NULL) {
            return (int)i;
        }
    }
    return -1;
}

/* It gets the last one, if it has not begun to get another one. */
static void deliver(struct connection *c, struct note *note)
{
    const int waiting = find_waiting(c);

    if (waiting < 0 && c->behind.count < MOST_NOTES / 2) {
        tpi_web_send_note(c, note);
        c->door->lacks_graph = false;
    } else if (waiting > 0 || (waiting == 0 && c->behind.sent == 0)) {
        tpi_web_note_unref(c->behind.notes[waiting].note);
        c->behind.notes[waiting].note = note;
        note->references++;
        c->door->lacks_graph = false;
    }
}

static bool is_watched(const struct web_front *front)
{
    const struct connection *c = front->connections;

    while (c != NULL && !(c->phase == PHASE_SOCKET && c->door->watches_graph)) {
        c = c->next;
    }
    return c != NULL;
}

static void deliver_to_all(struct web_front *front)
{
    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        if (c->phase == PHASE_SOCKET && c->door->watches_graph && c->door->lacks_graph) {
            deliver(c, front->graph.note);
        }
    }
}

/* Close clients that hold old graphs. */
static void close_slow(struct web_front *front)
{
    const int64_t old_ns = front_now(front) - SLOW_NS;

    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        const int waiting = find_waiting(c);

        if (waiting >= 0 && c->behind.notes[waiting].note->made_ns < old_ns &&
            only_reads(c->door)) {
            tpi_web_give_up(c);
        }
    }
}

void tpi_web_graph_watch(struct client *client, bool on)
{
    struct graph *graph = &client->front->graph;

    assert(front_is_current(client->front));
    client->watches_graph = client->lacks_graph = on;
    graph->version += on && graph->note == NULL; /* the next tick sends it */
}

/* ---- Making it ------------------------------------------------------------------------------- */

static void drop(struct graph *graph)
{
    tpi_web_note_unref(graph->note);
    graph->note = NULL;
    tpi_buf_fini(&graph->text);
    graph->section = NONE;
}

static void begin_section(struct web_front *front, unsigned section)
{
    static const char *const heads[] = {
        [PUBLISHED] = "{\"op\":\"connectionGraphUpdate\",\"publishedTopics\":[",
        [SUBSCRIBED] = "],\"subscribedTopics\":[",
        [SERVED] = "],\"advertisedServices\":[",
        [END] = "],\"removedTopics\":[],\"removedServices\":[]}",
    };
    struct graph *graph = &front->graph;

    graph->section = section;
    graph->first = true;
    graph->device = 0;
    graph->c = front->connections;
    tpi_buf_puts(&graph->text, heads[section]);
}

/* One piece of a section; false if it is at its end. */
static bool put_piece(struct web_front *front)
{
    struct graph *graph = &front->graph;

    if (graph->section != SUBSCRIBED) {
        if (graph->device < front->device_count) {
            put_device(&graph->text, &front->devices[graph->device],
                       graph->section == PUBLISHED ? TP_KIND_DATA : TP_KIND_REQUEST, &graph->first);
        }
        return graph->device++ < front->device_count;
    }
    if (graph->c == NULL) {
        return false;
    }
    put_subscriptions(front, &graph->text, graph->c, &graph->first);
    graph->c = graph->c->next;
    return true;
}

static void end_graph(struct web_front *front)
{
    struct graph *graph = &front->graph;
    struct note *note = tpi_web_note_adopt(&graph->text);

    graph->section = NONE;
    if (note == NULL) {
        graph->version++; /* tried again */
        return;
    }
    note->alive = &graph->alive;
    note->made_ns = front_now(front);
    graph->alive++;
    tpi_web_note_unref(graph->note);
    graph->note = note;
    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        c->door->lacks_graph = c->door->watches_graph;
    }
    deliver_to_all(front);
}

bool tpi_web_graph_step(struct web_front *front)
{
    struct graph *graph = &front->graph;
    const size_t before = graph->text.length;

    assert(front_is_current(front));
    if (graph->section == NONE) {
        return false;
    }
    while (graph->section != END && graph->text.length - before < MADE_AT_ONCE &&
           !graph->text.failed) {
        if (!put_piece(front)) {
            begin_section(front, graph->section + 1);
        }
    }
    if (graph->section == END || graph->text.failed) {
        end_graph(front);
    }
    return true;
}

/* At most ten times a second, and once for all. */
void tpi_web_graph_tick(struct web_front *front)
{
    struct graph *graph = &front->graph;

    assert(front_is_current(front));
    if (graph->version == 0 && graph->note == NULL) {
        return;
    }
    if (!is_watched(front)) {
        drop(graph);
        graph->version = 0;
        return;
    }
    if (graph->note != NULL) {
        deliver_to_all(front);
    }
    if (graph->version == 0 || graph->section != NONE) {
        return;
    }
    if (graph->alive >= MOST_GRAPHS) {
        close_slow(front);
    } else {
        graph->version = 0;
        tpi_buf_indent(&graph->text, TPI_FRAME_HEAD);
        begin_section(front, PUBLISHED);
        tp_loop_later(front->loop, &front->making.step);
    }
}

void tpi_web_graph_clear(struct web_front *front)
{
    drop(&front->graph);
}
