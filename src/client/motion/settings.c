/* settings.c - questions and settings of the program. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/motion/inside.h"

/* ---- Waiting for answers --------------------------------------------------------------------- */

struct expected {
    tp_motion *motion;
    uint32_t tag;
    bool any; /* also a signal that is not final */
};

/* Signals that are not final are passed over, unless any will do. */
static bool has_signal(void *context)
{
    const struct expected *e = context;
    tp_motion *m = e->motion;
    const tp_motion_reply *reply = tpi_returns_peek(&m->returns, e->tag);

    while (!e->any && reply != NULL && reply->kind == TP_MOTION_IS_SIGNAL &&
           !reply->as.signal.final) {
        free(tpi_returns_take(&m->returns, e->tag));
        reply = tpi_returns_peek(&m->returns, e->tag);
    }
    return reply != NULL;
}

tp_status tpi_mclient_await_signal(tp_motion *m, uint32_t tag, bool any, int64_t timeout_ns,
                                   const char *what, tp_error *err)
{
    struct expected expected = {m, tag, any};
    tp_status status = tpi_mclient_await(m, timeout_ns, has_signal, &expected, what, err);

    if (status != TP_OK) {
        return status;
    }
    const tp_motion_reply *reply = tpi_returns_peek(&m->returns, tag);
    const bool signal = reply->kind == TP_MOTION_IS_SIGNAL;
    status = signal ? tpi_signal_status(reply->as.signal.signal) : TP_OK;
    if (status != TP_OK) {
        tp_fail(err, status, "%s: %s%s%s", what, tp_motion_signal_name(reply->as.signal.signal),
                reply->as.signal.length > 0 ? ": " : "", reply->as.signal.text);
    }
    if (!any || !signal || reply->as.signal.final) {
        free(m->lent);
        m->lent = tpi_returns_take(&m->returns, tag);
        if (any && signal && status == TP_OK) {
            /* it has started and ended: who waits for the end finds it */
            tpi_returns_add_take(&m->returns, m->lent, sizeof *m->lent);
            m->lent = NULL;
        }
    } else {
        free(tpi_returns_take(&m->returns, tag));
    }
    return status;
}

tp_status tpi_mclient_settle(tp_motion *m, bool urgent, uint16_t code, const void *value,
                             uint32_t *later, tp_error *err)
{
    const tpi_motion_header header = {.kind = TPI_MOTION_SESSION};
    const tpi_talk_item item = {code, tpi_mclient_next_tag(m), value};
    const tp_status status = tpi_mclient_post(m, urgent, &header, &item, 1, item.tag, err);

    if (later != NULL) {
        *later = item.tag;
        return status;
    }
    return status == TP_OK ? tpi_mclient_await_signal(m, item.tag, false, 0,
                                                      tpi_motion_body_of(code)->name, err)
                           : status;
}

/* ---- Questions ------------------------------------------------------------------------------- */

static const tpi_motion_empty nothing;

static tp_status post_query(tp_motion *m, tp_motion_query query, uint8_t mode, uint64_t period_us,
                            uint32_t *tag, tp_error *err)
{
    const tpi_motion_header header = {.kind = TPI_MOTION_QUERY, .mode = mode, .time_us = period_us};
    const tpi_talk_item item = {(uint16_t)(0x0400 + (unsigned)query), tpi_mclient_next_tag(m),
                                &nothing};

    if (query < TP_MOTION_ASK_STATE || query > TP_MOTION_ASK_BUSY) {
        return tp_fail(err, TP_E_INVALID, "there is no question %d", (int)query);
    }
    *tag = item.tag;
    return tpi_mclient_post(m, false, &header, &item, 1, item.tag, err);
}

tp_status tp_motion_ask_later(tp_motion *m, tp_motion_query query, uint32_t *later, tp_error *err)
{
    return post_query(m, query, TPI_MOTION_DIRECT, 0, later, err);
}

tp_status tp_motion_ask(tp_motion *m, tp_motion_query query, tp_motion_reply **out, tp_error *err)
{
    uint32_t tag = 0;
    tp_status status = tp_motion_ask_later(m, query, &tag, err);

    status = status == TP_OK ? tp_motion_await(m, tag, 0, out, err) : status;
    if (status == TP_OK && (*out)->kind == TP_MOTION_IS_SIGNAL) {
        status = tp_fail(err, TP_E_INVALID, "the question: %s", (*out)->as.signal.text);
        free(*out);
    }
    return status;
}

tp_status tp_motion_broadcast(tp_motion *m, tp_motion_query query, int64_t period_ns, uint32_t *tag,
                              tp_error *err)
{
    if (period_ns < 1000) {
        return tp_fail(err, TP_E_RANGE, "a period of %lld ns is too short", (long long)period_ns);
    }
    return post_query(m, query, TPI_MOTION_BROADCAST, (uint64_t)period_ns / 1000, tag, err);
}

tp_status tp_motion_silence(tp_motion *m, uint32_t tag, uint32_t *later, tp_error *err)
{
    const tpi_motion_tag body = {tag};

    return tpi_mclient_settle(m, false, TPI_MOTION_BROADCAST_END, &body, later, err);
}

/* ---- Settings -------------------------------------------------------------------------------- */

tp_status tp_motion_set_mode(tp_motion *m, tp_motion_mode mode, tp_motion_late late,
                             int64_t delay_ns, uint32_t *later, tp_error *err)
{
    const tpi_motion_set_mode body = {(uint8_t)mode, (uint8_t)late};

    if (mode != TP_MOTION_DIRECT && mode != TP_MOTION_DELAY) {
        return tp_fail(err, TP_E_INVALID, "frames of a sequence are sent with tp_motion_add()");
    }
    if (delay_ns < 0) {
        return tp_fail(err, TP_E_RANGE, "the delay is negative");
    }
    const tp_status status = tpi_mclient_settle(m, false, TPI_MOTION_SET_MODE, &body, later, err);
    if (status == TP_OK) {
        m->mode = mode;
        m->delay_ns = delay_ns;
    }
    return status;
}

tp_status tp_motion_cancel(tp_motion *m, uint32_t tag, uint32_t *later, tp_error *err)
{
    const tpi_motion_tag body = {tag};

    return tpi_mclient_settle(m, false, TPI_MOTION_CANCEL, &body, later, err);
}

tp_status tp_motion_rate(tp_motion *m, double rate, bool robot, uint32_t *later, tp_error *err)
{
    const tpi_motion_rate body = {rate, robot};

    if (!(rate >= 0 && rate <= 1)) {
        return tp_fail(err, TP_E_RANGE, "a rate is 0 to 1, not %g", rate);
    }
    return tpi_mclient_settle(m, true, TPI_MOTION_RATE, &body, later, err);
}

tp_status tp_motion_lease(tp_motion *m, int64_t lease_ns, int64_t *granted_ns, tp_error *err)
{
    const tpi_motion_lease body = {(uint64_t)lease_ns / 1000};
    uint32_t tag = 0;
    tp_motion_reply *reply = NULL;

    if (lease_ns < 0) {
        return tp_fail(err, TP_E_RANGE, "a lease is not negative");
    }
    tp_status status = tpi_mclient_settle(m, false, TPI_MOTION_LEASE, &body, &tag, err);
    status = status == TP_OK ? tp_motion_await(m, tag, 0, &reply, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (reply->kind == TP_MOTION_IS_LEASE) {
        m->met.welcome.lease_us = reply->as.lease_us;
        if (granted_ns != NULL) {
            *granted_ns = (int64_t)reply->as.lease_us * 1000;
        }
    } else {
        status = tp_fail(err, TP_E_INVALID, "LEASE: %s", reply->as.signal.text);
    }
    free(reply);
    return status;
}

tp_status tp_motion_update(tp_motion *m, tp_motion_field field, uint16_t index, uint16_t dof,
                           const double value[6], uint32_t *later, tp_error *err)
{
    tpi_motion_update body = {.field = (uint8_t)field, .index = index, .dof = dof};

    memcpy(body.value, value, sizeof body.value);
    return tpi_mclient_settle(m, false, TPI_MOTION_UPDATE, &body, later, err);
}
