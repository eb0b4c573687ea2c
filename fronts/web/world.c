/*
 * world.c - the time of a simulated world, for clients that follow it.
 *
 * While WebSocket clients are connected, the front has the world open to read and asks for its
 * state ten times a second.
 */
#include <assert.h>

#include "inside.h"
#include "troupe/interfaces/world.h"

enum { MESSAGE_TIME = 2 };

static const struct web_device *find_world(const struct web_front *front)
{
    for (size_t i = 0; i < front->device_count; i++) {
        if (front->devices[i].present && front->devices[i].addr.interf == TP_WORLD_CODE) {
            return &front->devices[i];
        }
    }
    return NULL;
}

bool tpi_web_has_world(const struct web_front *front)
{
    return find_world(front) != NULL;
}

static void tell(struct web_front *front, double time)
{
    uint8_t bytes[1 + 8] = {MESSAGE_TIME};

    tpi_web_put_u64(bytes + 1, tpi_web_nanoseconds(time));
    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        if (c->phase == PHASE_SOCKET && !c->blocked) {
            tpi_buf_put(tpi_web_binary(c, sizeof bytes), bytes, sizeof bytes);
        }
    }
}

/* ---- The session ----------------------------------------------------------------------------- */

static void read_state(tp_after *after)
{
    struct web_front *front =
        (struct web_front *)((char *)after - offsetof(struct web_front, world.drain));
    tp_msg *msg;

    assert(front_is_current(front));
    while (front->world.session != NULL && (msg = tp_session_take(front->world.session)) != NULL) {
        const tp_msghdr *header = tp_msg_header(msg);
        const tp_world_state *state =
            tp_msg_type(msg) == &tp_desc_world_state ? tp_msg_payload(msg) : NULL;

        front->world.asked = front->world.asked && header->type == TP_MSGTYPE_DATA;
        if (state != NULL && state->time != front->world.time) {
            front->world.time = state->time;
            tell(front, state->time);
        }
        tp_msg_unref(msg);
    }
    if (front->world.lost) {
        tpi_web_world_leave(front);
    }
}

static void on_ready(void *context)
{
    struct web_front *front = context;

    tp_loop_after(front->loop, &front->world.drain);
}

static void on_lost(void *context)
{
    struct web_front *front = context;

    front->world.lost = true;
    tp_loop_after(front->loop, &front->world.drain);
}

static void on_opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                      const tp_error *err)
{
    struct web_front *front = context;

    (void)request;
    (void)device;
    (void)err;
    front->world.open = status == TP_OK;
}

void tpi_web_world_leave(struct web_front *front)
{
    assert(front_is_current(front));
    tp_loop_after_cancel(front->loop, &front->world.drain);
    tp_session_destroy(front->world.session);
    front->world.session = NULL;
    front->world.open = front->world.asked = front->world.lost = false;
    front->world.time = -1;
}

static void enter(struct web_front *front, const struct web_device *world)
{
    static const tp_session_limits limits = {.data = 16, .replies = 16, .requests = 4};
    static const tp_session_events events = {.ready = on_ready, .lost = on_lost};
    const tp_msghdr request = {.addr = world->addr, .type = TP_MSGTYPE_REQ};

    front->world.drain.run = read_state;
    front->world.addr = world->addr;
    if (tp_session_create(&front->world.session, tp_front_hub(front->instance), TP_EVERY_ROBOT,
                          &limits, &events, front, NULL) != TP_OK) {
        front->world.session = NULL;
        return;
    }
    tp_session_set_name(front->world.session, "web");
    tp_device *device = tp_session_find_at(front->world.session, &world->addr);
    if (device == NULL ||
        tp_session_open(front->world.session, device, TP_READ_MODE, &request, on_opened) != TP_OK) {
        tpi_web_world_leave(front);
    }
}

static void ask(struct web_front *front)
{
    const tp_msghdr header = {
        .addr = front->world.addr, .type = TP_MSGTYPE_REQ, .subtype = TP_WORLD_REQ_GET_STATE};
    const tp_message *what =
        tp_interface_message(&tp_interface_world, TP_KIND_REQUEST, TP_WORLD_REQ_GET_STATE);
    tp_msg *msg = NULL;

    tp_session_heard(front->world.session);
    if (tp_msg_create(&msg, &header, NULL, NULL) == TP_OK) {
        const tp_status status = tp_session_send(front->world.session, msg, what, NULL);

        front->world.asked = status == TP_OK;
        front->world.lost = status == TP_E_DENIED; /* the device was removed, or replaced */
        tp_msg_unref(msg);
    }
}

void tpi_web_world_tick(struct web_front *front)
{
    const struct web_device *world = find_world(front);
    bool wanted = false;

    assert(front_is_current(front));
    for (const struct connection *c = front->connections; c != NULL && !wanted; c = c->next) {
        wanted = c->phase == PHASE_SOCKET;
    }
    if (world == NULL || !wanted) {
        tpi_web_world_leave(front);
    } else if (front->world.session == NULL) {
        enter(front, world);
    } else if (front->world.lost) {
        tpi_web_world_leave(front);
    } else if (front->world.open && !front->world.asked) {
        ask(front);
    }
}
