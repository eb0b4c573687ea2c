/*
 * subscription.c - the devices that a client has open, and how their data gets to its mailbox; see
 * troupe/front.h.
 */
#include <assert.h>
#include <stdlib.h>

#include "session/session.h"

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
    tp_device *device = tpi_hub_device_at(session->hub, (*place)++);

    while (device != NULL && !tpi_session_sees(session, tp_device_addr(device)->robot)) {
        device = tpi_hub_device_at(session->hub, (*place)++);
    }
    return device;
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

tp_device *tpi_session_device(const tp_session *session, const tp_devaddr *addr)
{
    return session->robot == TP_EVERY_ROBOT ? tp_session_find_at(session, addr)
                                            : tp_session_find(session, addr->interf, addr->index);
}

const tp_devaddr *tp_session_address(const tp_device *device)
{
    return tp_device_addr(device);
}

const char *tp_session_driver_name(const tp_device *device)
{
    return tpi_device_driver_name(device);
}

const char *tp_session_label(const tp_device *device)
{
    return tpi_device_label(device);
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
    if (!tpi_rate_holds(s, msg) && tpi_mailbox_queue(s->session, msg) == TP_E_SPACE) {
        tpi_pause_begin(s);
    }
}

/* All devices may send at once, in the same step of a world, and none may push another one out: two
 * messages each at most, as those with intensities do, before the world checks which clients are
 * behind. */
enum { MESSAGES_OF_A_DEVICE = 4 };

static void count_subscriptions(tp_session *session, int more)
{
    const tp_session_limits *limits = &session->limits;

    session->subscription_count += (uint32_t)more;
    tpi_budget_opened(session, more);
    const uint32_t wanted = session->subscription_count * MESSAGES_OF_A_DEVICE;
    const uint32_t extra = wanted > limits->data ? wanted - limits->data : 0;
    tpi_queue_set_limits(&session->queue, limits->data + extra, limits->replies + extra);
    tpi_crowd_look(session);
}

struct subscription *tpi_session_find_open(const tp_session *session, const tp_device *device)
{
    struct subscription *s = session->subscriptions;

    while (s != NULL && (s->device != device || s->waiting)) {
        s = s->next;
    }
    return s;
}

/* Of several openings of a device one is counted. */
static void count_opened(struct subscription *s)
{
    s->first = true;
    s->session->opened++;
}

static void uncount_opened(struct subscription *s)
{
    if (s->first) {
        s->session->opened--;
        struct subscription *other = tpi_session_find_open(s->session, s->device);
        if (other != NULL) {
            count_opened(other);
        }
    }
}

static bool is_opened_first(struct subscription *s)
{
    s->waiting = true; /* so that it is not found itself */
    const bool first = tpi_session_find_open(s->session, s->device) == NULL;
    s->waiting = false;
    return first;
}

static void forget_subscription(struct subscription *s)
{
    tpi_pause_end(s->session);
    tpi_backlog_forget(s);
    count_subscriptions(s->session, -1);
    for (struct subscription **at = &s->session->subscriptions; *at != NULL; at = &(*at)->next) {
        if (*at == s) {
            *at = s->next;
            break;
        }
    }
    uncount_opened(s);
    tpi_rate_clear(s);
    free(s);
}

static void device_removed(tpi_reader *reader)
{
    tpi_access_give(reader->context);
    forget_subscription(reader->context);
}

static void opened(tpi_opening *opening, tp_status status, const tp_error *err)
{
    struct subscription *s = opening->context;
    tp_session *session = s->session;
    const tp_msghdr request = s->request;
    tp_device *device = s->device;
    tp_session_opened *done = s->done;
    void *context = s->done_context;
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
        if (is_opened_first(s)) {
            count_opened(s);
        }
        tpi_backlog_count(s);
        if (tpi_device_safety_look(device)->moves) {
            tpi_age_expect(session->clients, tpi_terms_lease_ns(s));
        }
    }
    done(context, &request, device, status, err);
}

/* Also those that wait for the device to start. */
static unsigned count_openings(const tp_session *session, const tp_device *device)
{
    unsigned count = 0;

    for (const struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        count += s->device == device;
    }
    return count;
}

tp_status tpi_session_open(tp_session *session, tp_device *device, unsigned access,
                           const tp_msghdr *request, tp_session_opened *done, void *context)
{
    tp_error refusal = {0};

    assert(session_is_current(session));
    if (tpi_identity_may_open(&session->identity, device, access, &refusal) != TP_OK ||
        tpi_budget_may_open(session, tpi_device_name(device), count_openings(session, device),
                            &refusal) != TP_OK) {
        tpi_access_count_refusal(session, device);
        done(context, request, device, refusal.code, &refusal);
        return TP_OK;
    }
    struct subscription *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return TP_E_NOMEM;
    }
    s->session = session;
    s->device = device;
    s->done = done;
    s->done_context = context;
    s->request = *request;
    s->access = access;
    s->waiting = true;
    s->reader.deliver = deliver;
    s->reader.closed = device_removed;
    s->reader.context = s;
    s->reader.takes = tpi_mailbox_encoding(session);
    s->opening = (tpi_opening){.reader = &s->reader, .done = opened, .context = s};
    s->next = session->subscriptions;
    session->subscriptions = s;
    count_subscriptions(session, 1);
    tpi_device_open(device, &s->opening);
    return TP_OK;
}

tp_status tp_session_open(tp_session *session, tp_device *device, unsigned access,
                          const tp_msghdr *request, tp_session_opened *done)
{
    return tpi_session_open(session, device, access, request, done, session->context);
}

/* The device hears that it has one user less. An onlooker is forgotten before its reader is, so
 * that no participant is missed in between. */
static void leave_device(struct subscription *s, tpi_leaving why)
{
    const tpi_mover mover = tpi_identity_mover(&s->session->identity);

    tpi_backlog_forget(s);
    if (s->moves) {
        tpi_device_left(s->device, &mover, why);
    }
    tpi_access_give(s);
    if (s->waiting) {
        s->opening.device = s->device;
        tpi_device_give_up(&s->opening);
    } else {
        tpi_device_close(&s->reader);
    }
}

static tp_status close_one(tp_session *session, tp_device *device, struct subscription *s)
{
    assert(session_is_current(session));
    if (s == NULL) {
        return TP_E_INVALID;
    }
    leave_device(s, TPI_LEAVING_CLOSED);
    forget_subscription(s);
    if (tpi_session_find_open(session, device) == NULL) {
        tpi_queue_drop_data(&session->queue, tp_device_addr(device));
    }
    tpi_backlog_look(session);
    return TP_OK;
}

tp_status tp_session_close(tp_session *session, tp_device *device)
{
    return close_one(session, device, tpi_session_find_open(session, device));
}

tp_status tp_session_close_as(tp_session *session, tp_device *device, unsigned access)
{
    struct subscription *s = session->subscriptions;

    while (s != NULL && (s->device != device || s->waiting || s->access != access)) {
        s = s->next;
    }
    return close_one(session, device, s);
}

void tpi_subscriptions_close(tp_session *session)
{
    while (session->subscriptions != NULL) {
        struct subscription *s = session->subscriptions;
        leave_device(s, TPI_LEAVING_DISCONNECTED);
        forget_subscription(s);
    }
}
