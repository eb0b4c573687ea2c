/* session.c - what a front holds for each client; see troupe/front.h. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bus/msg.h"
#include "bus/pool.h"
#include "bus/queue.h"
#include "device/inside.h"
#include "troupe/front.h"

/* Data that every device may send, which Player does not have. */
enum { FIRST_OF_OURS = TP_COMMON_DATA_GEOMETRY };

/* One opening of a device. */
struct subscription {
    tpi_reader reader;
    tpi_opening opening;
    tp_session *session; /* borrowed */
    tp_device *device;
    tp_session_opened *done;
    tp_msghdr request;
    bool waiting; /* for the device to start */
    struct subscription *next;
};

/* A request under way. */
struct asking {
    tp_session *session; /* borrowed */
    tpi_call *call;      /* cleared when it ends */
    tp_msghdr request;
    struct asking *next;
    struct asking *previous;
};

struct tp_session {
    tpi_hub *hub; /* borrowed */
    uint32_t robot;
    tpi_queue queue;
    const tp_session_events *events;
    void *context;
    uint32_t most_requests;
    uint32_t requests; /* under way */
    bool explain;
    bool lost;
    char name[64];
    struct subscription *subscriptions; /* owned */
    struct asking *askings;             /* owned */
};

const tp_clock *tp_hub_clock(const tp_hub *hub)
{
    return tp_loop_clock(hub->loop);
}

const tp_catalogue *tp_hub_catalogue(const tp_hub *hub)
{
    return hub->catalogue;
}

/* ---- Queue ----------------------------------------------------------------------------------- */

tp_status tp_session_queue(tp_session *session, tp_msg *msg)
{
    tp_status status = tpi_queue_push(&session->queue, msg);

    if (status == TP_OK) {
        session->events->ready(session->context);
    } else if (!session->lost) {
        session->lost = true;
        session->events->lost(session->context);
    }
    return status;
}

tp_status tp_session_queue_first(tp_session *session, tp_msg *msg)
{
    tp_status status = tpi_queue_push_first(&session->queue, msg);

    if (status == TP_OK) {
        session->events->ready(session->context);
    }
    return status;
}

void tp_session_seal(tp_session *session, uint32_t n)
{
    tpi_queue_seal(&session->queue, n);
}

uint32_t tp_session_sealed(const tp_session *session)
{
    return session->queue.sealed;
}

tp_status tp_session_refuse(tp_session *session, const tp_msghdr *request, tp_status code,
                            const char *text)
{
    tp_msghdr header = *request;
    tp_failure failure = {.code = code};
    tp_msg *msg = NULL;

    failure.text = (char *)(uintptr_t)text;
    failure.text_count = (uint32_t)strlen(text) + 1;
    header.type = TP_MSGTYPE_RESP_NACK;
    header.timestamp = tp_clock_wall_s(tp_hub_clock(session->hub));
    tp_status status = tp_msg_create(&msg, &header, session->explain ? &tp_desc_failure : NULL,
                                     session->explain ? &failure : NULL);
    if (status == TP_OK) {
        status = tp_session_queue(session, msg);
        tp_msg_unref(msg);
    }
    return status;
}

tp_status tp_session_add_rule(tp_session *session, int32_t interf, int32_t index, int32_t type,
                              int32_t subtype, int32_t action)
{
    const tpi_rule rule = {interf, index, type, subtype, action};

    return tpi_queue_add_rule(&session->queue, &rule);
}

uint32_t tp_session_waiting(const tp_session *session)
{
    return session->queue.count;
}

tp_msg *tp_session_peek(const tp_session *session, uint32_t i)
{
    return tpi_queue_at(&session->queue, i);
}

tp_msg *tp_session_take(tp_session *session)
{
    return tpi_queue_pop(&session->queue);
}

uint64_t tp_session_dropped(const tp_session *session)
{
    return session->queue.dropped;
}

/* ---- Devices --------------------------------------------------------------------------------- */

tp_device *tp_session_device_at(const tp_session *session, size_t i)
{
    for (size_t k = 0; k < session->hub->device_count; k++) {
        if (session->hub->devices[k]->addr.robot == session->robot && i-- == 0) {
            return session->hub->devices[k];
        }
    }
    return NULL;
}

size_t tp_session_device_count(const tp_session *session)
{
    size_t count = 0;

    for (size_t k = 0; k < session->hub->device_count; k++) {
        count += session->hub->devices[k]->addr.robot == session->robot;
    }
    return count;
}

tp_device *tp_session_find(const tp_session *session, unsigned interf, unsigned index)
{
    return tpi_hub_find(session->hub, session->robot, interf, index);
}

const tp_devaddr *tp_session_address(const tp_device *device)
{
    return &device->addr;
}

const char *tp_session_driver_name(const tp_device *device)
{
    return tpi_device_driver_name(device);
}

static void deliver(tpi_reader *reader, tp_msg *msg)
{
    struct subscription *s = reader->context;

    if (msg->header.subtype >= FIRST_OF_OURS && !s->session->explain) {
        return; /* a plain Player client knows nothing of it */
    }
    tp_session_queue(s->session, msg);
}

static void forget_subscription(struct subscription *s)
{
    for (struct subscription **at = &s->session->subscriptions; *at != NULL; at = &(*at)->next) {
        if (*at == s) {
            *at = s->next;
            break;
        }
    }
    free(s);
}

static void opened(tpi_opening *opening, tp_status status, const tp_error *err)
{
    struct subscription *s = opening->context;
    tp_session *session = s->session;
    const tp_msghdr request = s->request;
    tp_device *device = s->device;
    tp_session_opened *done = s->done;

    s->waiting = false;
    if (status != TP_OK) {
        forget_subscription(s);
    }
    done(session->context, &request, device, status, err);
}

tp_status tp_session_open(tp_session *session, tp_device *device, const tp_msghdr *request,
                          tp_session_opened *done)
{
    struct subscription *s = calloc(1, sizeof *s);

    if (s == NULL) {
        return TP_E_NOMEM;
    }
    s->session = session;
    s->device = device;
    s->done = done;
    s->request = *request;
    s->waiting = true;
    s->reader.deliver = deliver;
    s->reader.context = s;
    s->opening = (tpi_opening){.reader = &s->reader, .done = opened, .context = s};
    s->next = session->subscriptions;
    session->subscriptions = s;
    tpi_device_open(device, &s->opening);
    return TP_OK;
}

/* The device hears that it has one user less. */
static void leave_device(struct subscription *s)
{
    if (s->waiting) {
        s->opening.device = s->device;
        tpi_device_give_up(&s->opening);
    } else {
        tpi_device_close(&s->reader);
    }
}

static struct subscription *find_open(const tp_session *session, const tp_device *device)
{
    struct subscription *s = session->subscriptions;

    while (s != NULL && (s->device != device || s->waiting)) {
        s = s->next;
    }
    return s;
}

tp_status tp_session_close(tp_session *session, tp_device *device)
{
    struct subscription *s = find_open(session, device);

    if (s == NULL) {
        return TP_E_INVALID;
    }
    leave_device(s);
    forget_subscription(s);
    if (find_open(session, device) == NULL) {
        tpi_queue_drop_data(&session->queue, &device->addr);
    }
    return TP_OK;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static void forget_asking(struct asking *a)
{
    if (a->previous != NULL) {
        a->previous->next = a->next;
    } else {
        a->session->askings = a->next;
    }
    if (a->next != NULL) {
        a->next->previous = a->previous;
    }
    a->session->requests--;
    tpi_pool_give(a);
}

static void answered(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct asking *a = context;
    tp_session *session = a->session;
    const tp_msghdr request = a->request;

    forget_asking(a);
    tp_msg *other = status == TP_OK && session->events->reply != NULL
                        ? session->events->reply(session->context, answer)
                        : NULL;
    if (status == TP_OK) {
        tp_session_queue(session, other != NULL ? other : answer);
        tp_msg_unref(other);
    } else {
        tp_session_refuse(session, &request, status,
                          err->text[0] != '\0' ? err->text : tp_status_text(status));
    }
}

static tp_status ask(tp_session *session, tp_device *device, tp_msg *msg, const tp_message *what)
{
    struct asking *a = tpi_pool_take(sizeof *a);

    if (a == NULL) {
        return TP_E_NOMEM;
    }
    *a = (struct asking){.session = session, .request = *tp_msg_header(msg)};
    a->request.addr = device->addr;
    a->next = session->askings;
    if (a->next != NULL) {
        a->next->previous = a;
    }
    session->askings = a;
    session->requests++;
    tp_status status = tpi_device_call(device, what, msg, answered, a, &a->call);
    if (status != TP_OK) {
        forget_asking(a);
    }
    return status;
}

tp_status tp_session_send(tp_session *session, tp_msg *msg, const tp_message *what, tp_error *err)
{
    const tp_devaddr *addr = &tp_msg_header(msg)->addr;
    tp_device *device = tp_session_find(session, addr->interf, addr->index);

    if (device == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no device %u:%u", addr->interf, addr->index);
    }
    if (find_open(session, device) == NULL) {
        return tp_fail(err, TP_E_DENIED, "%s is not open", device->name);
    }
    tp_status status = what->kind == TP_KIND_REQUEST
                           ? ask(session, device, msg, what)
                           : tpi_device_call(device, what, msg, NULL, NULL, NULL);
    return status == TP_OK ? TP_OK
                           : tp_fail(err, status, "%s: %s", device->name, tp_status_text(status));
}

bool tp_session_is_busy(const tp_session *session)
{
    return session->requests >= session->most_requests;
}

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tp_session_create(tp_session **out, tp_hub *hub, uint32_t robot,
                            const tp_session_limits *limits, const tp_session_events *events,
                            void *context, tp_error *err)
{
    tp_session *session = calloc(1, sizeof *session);

    if (session == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    session->hub = hub;
    session->robot = robot;
    session->events = events;
    session->context = context;
    session->most_requests = limits->requests;
    tpi_queue_init(&session->queue, limits->data, limits->replies, TPI_APPEND);
    *out = session;
    return TP_OK;
}

void tp_session_destroy(tp_session *session)
{
    if (session == NULL) {
        return;
    }
    while (session->askings != NULL) {
        tpi_call_abandon(session->askings->call);
        forget_asking(session->askings);
    }
    while (session->subscriptions != NULL) {
        struct subscription *s = session->subscriptions;
        session->subscriptions = s->next;
        leave_device(s);
        free(s);
    }
    tpi_queue_fini(&session->queue);
    free(session);
}

void tp_session_set_name(tp_session *session, const char *name)
{
    snprintf(session->name, sizeof session->name, "%s", name);
}

void tp_session_explain_failures(tp_session *session, bool on)
{
    session->explain = on;
}

bool tp_session_explains_failures(const tp_session *session)
{
    return session->explain;
}
