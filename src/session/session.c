/* session.c - what a front holds for each client; see troupe/front.h. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "bus/pool.h"
#include "safety/moving.h"
#include "session/session.h"

const tp_clock *tp_hub_clock(const tp_hub *hub)
{
    return tp_loop_clock(hub->loop);
}

const tp_catalogue *tp_hub_catalogue(const tp_hub *hub)
{
    return hub->catalogue;
}

/* ---- Queue ----------------------------------------------------------------------------------- */

/* From so many on, what waits is kept as bytes only: the payload of messages that others have taken
 * long ago would fill the memory. */
enum { FEW = 16 };

/* TP_E_SPACE if it was dropped, and there is nothing new for the client. */
static tp_status queue(tp_session *session, tp_msg *msg)
{
    const bool keep = msg->kept && tpi_behind_keeps(session);
    const bool has_room = keep || tpi_queue_has_room(&session->queue);
    tp_msg *bytes = session->only_sends && session->queue.count >= FEW && has_room
                        ? tpi_msg_encoded(msg)
                        : NULL;
    tp_msg *what = bytes != NULL ? bytes : msg;
    tp_status status =
        keep ? tpi_queue_keep(&session->queue, what) : tpi_queue_push(&session->queue, what);

    if (status == TP_OK) {
        tpi_behind_look(session);
        session->events->ready(session->context);
    } else if (status != TP_E_SPACE && !session->lost) {
        session->lost = true;
        session->events->lost(session->context);
    }
    return status;
}

tp_status tp_session_queue(tp_session *session, tp_msg *msg)
{
    const tp_status status = queue(session, msg);

    return status == TP_E_SPACE ? TP_OK : status;
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

    failure.text = tpi_text_field(text, &failure.text_count);
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

    tpi_sleep_end(session);
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
    tp_msg *oldest = tpi_queue_pop(&session->queue);

    tpi_behind_taken(session);
    if (tpi_queue_has_room(&session->queue)) {
        tpi_sleep_end(session);
    }
    return oldest;
}

uint64_t tp_session_dropped(const tp_session *session)
{
    return session->queue.dropped + tpi_sleep_missed(session);
}

/* ---- Devices --------------------------------------------------------------------------------- */

bool tpi_session_sees(const tp_session *session, uint32_t robot)
{
    return session->robot == TP_EVERY_ROBOT ? robot < TPI_FIRST_FAR_ROBOT : robot == session->robot;
}

uint32_t tpi_session_robot(const tp_session *session)
{
    return session->robot == TP_EVERY_ROBOT ? 0 : session->robot;
}

tp_device *tp_session_next_device(const tp_session *session, size_t *place)
{
    const tpi_hub *hub = session->hub;

    while (*place < hub->device_count &&
           !tpi_session_sees(session, hub->devices[*place]->addr.robot)) {
        (*place)++;
    }
    return *place < hub->device_count ? hub->devices[(*place)++] : NULL;
}

tp_device *tp_session_find(const tp_session *session, unsigned interf, unsigned index)
{
    return tpi_hub_find(session->hub, session->robot, interf, index);
}

tp_device *tp_session_find_at(const tp_session *session, const tp_devaddr *addr)
{
    return tpi_session_sees(session, addr->robot)
               ? tpi_hub_find(session->hub, addr->robot, addr->interf, addr->index)
               : NULL;
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

    if (!tpi_access_reads(s->access) && msg->header.subtype != TP_COMMON_DATA_ERROR) {
        return;
    }
    if (msg->header.subtype >= FIRST_OF_OURS && !s->session->explain) {
        return; /* a plain Player client knows nothing of it */
    }
    if (!tpi_rate_holds(s, msg) && queue(s->session, msg) == TP_E_SPACE) {
        tpi_sleep_begin(s);
    }
}

/* All devices may send at once, in the same step of a world, and none may push another one out: two
 * messages each at most, as those with intensities do, before the world looks who is behind. */
enum { MESSAGES_OF_A_DEVICE = 4 };

static void count_subscriptions(tp_session *session, int more)
{
    const tp_session_limits *limits = &session->limits;

    session->subscription_count += (uint32_t)more;
    const uint32_t wanted = session->subscription_count * MESSAGES_OF_A_DEVICE;
    const uint32_t extra = wanted > limits->data ? wanted - limits->data : 0;
    tpi_queue_set_limits(&session->queue, limits->data + extra, limits->replies + extra);
}

static void forget_subscription(struct subscription *s)
{
    tpi_sleep_end(s->session);
    tpi_behind_forget(s);
    count_subscriptions(s->session, -1);
    for (struct subscription **at = &s->session->subscriptions; *at != NULL; at = &(*at)->next) {
        if (*at == s) {
            *at = s->next;
            break;
        }
    }
    tpi_rate_clear(s);
    free(s);
}

static void device_removed(tpi_reader *reader)
{
    forget_subscription(reader->context);
}

static void opened(tpi_opening *opening, tp_status status, const tp_error *err)
{
    struct subscription *s = opening->context;
    tp_session *session = s->session;
    const tp_msghdr request = s->request;
    tp_device *device = s->device;
    tp_session_opened *done = s->done;
    tp_error refusal = {0};

    s->waiting = false;
    if (status == TP_OK && tpi_access_take(s, &refusal) != TP_OK) {
        tpi_access_count_refusal(session, device);
        status = refusal.code;
        err = &refusal;
        tpi_device_close(&s->reader);
    }
    if (status != TP_OK) {
        forget_subscription(s);
    } else {
        tpi_behind_count(s);
    }
    done(session->context, &request, device, status, err);
}

tp_status tp_session_open(tp_session *session, tp_device *device, unsigned access,
                          const tp_msghdr *request, tp_session_opened *done)
{
    tp_error refusal = {0};

    if (tpi_rights_to_open(session, device, access, &refusal) != TP_OK) {
        tpi_access_count_refusal(session, device);
        done(session->context, request, device, refusal.code, &refusal);
        return TP_OK;
    }
    struct subscription *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return TP_E_NOMEM;
    }
    s->session = session;
    s->device = device;
    s->done = done;
    s->request = *request;
    s->access = access;
    s->waiting = true;
    s->reader.deliver = deliver;
    s->reader.closed = device_removed;
    s->reader.context = s;
    s->opening = (tpi_opening){.reader = &s->reader, .done = opened, .context = s};
    s->next = session->subscriptions;
    session->subscriptions = s;
    count_subscriptions(session, 1);
    tpi_device_open(device, &s->opening);
    return TP_OK;
}

/* The device hears that it has one user less. */
static void leave_device(struct subscription *s, tpi_leaving why)
{
    if (s->moves) {
        tpi_device_left(s->device, s->session, why);
    }
    tpi_access_give(s);
    if (s->waiting) {
        s->opening.device = s->device;
        tpi_device_give_up(&s->opening);
    } else {
        tpi_device_close(&s->reader);
    }
}

struct subscription *tpi_session_find_open(const tp_session *session, const tp_device *device)
{
    struct subscription *s = session->subscriptions;

    while (s != NULL && (s->device != device || s->waiting)) {
        s = s->next;
    }
    return s;
}

tp_status tp_session_close(tp_session *session, tp_device *device)
{
    struct subscription *s = tpi_session_find_open(session, device);

    if (s == NULL) {
        return TP_E_INVALID;
    }
    leave_device(s, TPI_LEAVING_CLOSED);
    forget_subscription(s);
    if (tpi_session_find_open(session, device) == NULL) {
        tpi_queue_drop_data(&session->queue, &device->addr);
    }
    tpi_behind_look(session);
    return TP_OK;
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
    session->limits = *limits;
    session->number = ++hub->session_numbers;
    session->begun_ns = session->heard_ns = tp_clock_now_ns(tp_hub_clock(hub));
    tpi_queue_init(&session->queue, limits->data, limits->replies, TPI_APPEND);
    session->next = hub->sessions;
    if (session->next != NULL) {
        session->next->previous = session;
    }
    hub->sessions = session;
    *out = session;
    return TP_OK;
}

void tp_session_destroy(tp_session *session)
{
    if (session == NULL) {
        return;
    }
    tpi_emergency_forget(session);
    while (session->askings != NULL) {
        tpi_session_abandon(session->askings);
    }
    while (session->subscriptions != NULL) {
        struct subscription *s = session->subscriptions;
        leave_device(s, TPI_LEAVING_DISCONNECTED);
        forget_subscription(s);
    }
    if (session->previous != NULL) {
        session->previous->next = session->next;
    } else {
        session->hub->sessions = session->next;
    }
    if (session->next != NULL) {
        session->next->previous = session->previous;
    }
    tp_timer_destroy(session->patience);
    tpi_queue_fini(&session->queue);
    free(session);
}

void tp_session_only_sends(tp_session *session)
{
    session->only_sends = true;
}

void tp_session_set_name(tp_session *session, const char *name)
{
    snprintf(session->name, sizeof session->name, "%s", name);
}

void tp_session_set_software(tp_session *session, const char *name)
{
    snprintf(session->software, sizeof session->software, "%s", name);
}

void tp_session_count_sent(tp_session *session, uint64_t messages)
{
    session->sent += messages;
}

void tp_session_allow_extensions(tp_session *session, bool on)
{
    session->extensions = on;
}

void tp_session_explain_failures(tp_session *session, bool on)
{
    tpi_sleep_end(session); /* it counts what it misses by what it gets */
    session->explain = on;
}

bool tp_session_explains_failures(const tp_session *session)
{
    return session->explain;
}
