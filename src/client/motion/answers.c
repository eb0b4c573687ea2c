/* answers.c - what has come: to whom it belongs. */
#include <stdlib.h>
#include <string.h>

#include "client/motion/inside.h"

/* ---- Functions of the program ---------------------------------------------------------------- */

static tpi_mclient_listener *find_listener(const tp_motion *m, uint32_t tag)
{
    tpi_mclient_listener *found = m->listeners;

    while (found != NULL && found->tag != tag) {
        found = found->next;
    }
    return found;
}

void tpi_mclient_answers_forget(tp_motion *m)
{
    while (m->listeners != NULL) {
        tpi_mclient_listener *next = m->listeners->next;

        free(m->listeners);
        m->listeners = next;
    }
}

static void remove_listener(tp_motion *m, uint32_t tag)
{
    for (tpi_mclient_listener **link = &m->listeners; *link != NULL; link = &(*link)->next) {
        if ((*link)->tag == tag) {
            tpi_mclient_listener *gone = *link;

            *link = gone->next;
            free(gone);
            return;
        }
    }
}

tp_status tp_motion_on(tp_motion *m, uint32_t tag, tp_motion_replied *replied, void *context,
                       tp_error *err)
{
    tpi_mclient_listener *listener = find_listener(m, tag);

    if (replied == NULL) {
        remove_listener(m, tag);
        return TP_OK;
    }
    if (listener == NULL) {
        listener = calloc(1, sizeof *listener);
        if (listener == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        listener->next = m->listeners;
        m->listeners = listener;
    }
    listener->tag = tag;
    listener->replied = replied;
    listener->context = context;
    return TP_OK;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* To the function of its tag, to that of all others, or into the cache. */
static void deliver_take(tp_motion *m, tp_motion_reply *reply, size_t bytes)
{
    const tpi_mclient_listener *listener = find_listener(m, reply->tag);

    if (listener == NULL && m->attention.waits == 0) { /* a call that waits may want it */
        listener = find_listener(m, 0);
    }
    if (listener == NULL) {
        tpi_returns_add_take(&m->returns, reply, bytes);
        return;
    }
    m->entered++;
    listener->replied(listener->context, m, reply); /* it may remove its listener */
    m->entered--;
    free(reply);
}

/* A signal without a tag is about a package: all its commands are answered with it. */
static void answer_package(tp_motion *m, const tpi_motion_record *record, uint32_t package)
{
    const tpi_mclient_parcel parcel = m->parcels[package % TPI_MCLIENT_PARCELS];

    for (uint32_t i = 0; parcel.id == package && i < parcel.count; i++) {
        size_t bytes = 0;
        tp_motion_reply *reply = tpi_decode(record, tpi_mclient_now_ns(m), &bytes);

        if (reply != NULL) {
            reply->tag = parcel.first + i;
            deliver_take(m, reply, bytes);
        }
    }
}

void tpi_mclient_answered(tp_motion *m, const tpi_motion_record *record)
{
    size_t bytes = 0;
    tp_motion_reply *reply = tpi_decode(record, tpi_mclient_now_ns(m), &bytes);

    if (reply == NULL) {
        return; /* nobody's; or there is no memory, and a call that waits has a time-out */
    }
    const bool signal = reply->kind == TP_MOTION_IS_SIGNAL;
    if (signal && reply->as.signal.signal == TP_MOTION_PANIC) {
        tpi_mclient_note_panic(m, reply->as.signal.epoch);
    }
    if (signal && reply->tag == 0) {
        const uint32_t package = reply->as.signal.package;

        free(reply);
        if (package != 0) {
            answer_package(m, record, package);
        }
        return;
    }
    if (reply->kind == TP_MOTION_IS_SUMMARY) {
        reply->tag = reply->as.summary.sequence;
    }
    deliver_take(m, reply, bytes);
}

/* ---- Taking ---------------------------------------------------------------------------------- */

tp_motion_reply *tp_motion_take(tp_motion *m, uint32_t tag)
{
    return tpi_returns_take(&m->returns, tag);
}

struct wanted {
    const tp_motion *motion;
    uint32_t tag;
};

static bool has_come(void *context)
{
    const struct wanted *wanted = context;

    return tpi_returns_peek(&wanted->motion->returns, wanted->tag) != NULL;
}

tp_status tp_motion_await(tp_motion *m, uint32_t tag, int64_t timeout_ns, tp_motion_reply **out,
                          tp_error *err)
{
    struct wanted wanted = {m, tag};
    const tp_status status = tpi_mclient_await(m, timeout_ns, has_come, &wanted, "the answer", err);

    if (status == TP_OK) {
        *out = tpi_returns_take(&m->returns, tag);
    }
    return status;
}
