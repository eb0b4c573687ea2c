/* motion.c - the life of a motion client; see troupe/motion.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "client/key.h"
#include "client/motion/inside.h"
#include "client/url.h"
#include "loop/task.h"

static const int64_t DEFAULT_TIMEOUT_NS = 5 * TP_NS_PER_S;

_Static_assert(TP_RIGHT_READ == 0 && TP_RIGHT_OPERATE == 3, "rights are those of the wire");

static void alarm_rings(void *context)
{
    (void)context; /* it has ended the wait, which is all it is for */
}

/* ---- Creating -------------------------------------------------------------------------------- */

static tp_status take_options(tp_motion *m, const tp_motion_options *options, tp_error *err)
{
    static const tpi_options_kind kind = {"tp_motion_options", sizeof m->options,
                                          TPI_OPTIONS_END(tp_motion_options, context)};
    tp_motion_options *o = &m->options;
    tp_status status = tpi_options_take(o, &kind, options, err);
    const char *name = o->name;

    o->name = NULL;
    if (status != TP_OK) {
        return status;
    }
    if (o->lease_ns < 0) {
        return tp_fail(err, TP_E_RANGE, "a lease is not negative");
    }
    o->timeout_ns = o->timeout_ns > 0 ? o->timeout_ns : DEFAULT_TIMEOUT_NS;
    o->name = name != NULL ? strdup(name) : NULL;
    if (name != NULL && o->name == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    status = tpi_key_read(&m->key, o->key, o->key_file, err);
    o->key = o->key_file = NULL;
    return status;
}

static tp_status take_url(tp_motion *m, const char *url, tp_error *err)
{
    const char *chosen = url != NULL ? url : getenv("TROUPE_MOTION_URL");
    tp_status status = tpi_url_complete_motion(
        &m->url, chosen != NULL && chosen[0] != '\0' ? chosen : "localhost", err);

    return status == TP_OK ? tp_stream_check(m->url, err) : status;
}

static tp_status furnish(tp_motion *m, tp_error *err)
{
    tp_status status = TP_OK;

    m->loop = m->options.loop;
    if (m->loop == NULL) {
        status = tp_loop_create(&m->own, tp_clock_real(), err);
        m->loop = m->own;
    }
    m->attention.by_calls = m->options.renewal == TP_RENEW_CALLS ||
                            (m->options.renewal == TP_RENEW_AUTO && m->own != NULL);
    if (status == TP_OK) {
        status = tp_timer_create(&m->attention.alarm, m->loop, alarm_rings, m, err);
    }
    return status == TP_OK ? tpi_mclient_contact_init(m, err) : status;
}

static tp_status create(tp_motion **out, const char *url, const tp_motion_options *options,
                        tp_error *err)
{
    tp_motion *m = calloc(1, sizeof *m);

    *out = m;
    if (m == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_status status = take_url(m, url, err);
    status = status == TP_OK ? take_options(m, options, err) : status;
    return status == TP_OK ? furnish(m, err) : status;
}

tp_status tp_motion_connect(tp_motion **out, const char *url, const tp_motion_options *options,
                            tp_error *err)
{
    tp_motion *m = NULL;
    tp_status status = create(&m, url, options, err);

    status = status == TP_OK ? tpi_mclient_begin(m, true, err) : status;
    status = status == TP_OK ? tpi_mclient_await_connection(m, err) : status;
    if (status != TP_OK) {
        tp_motion_destroy(m);
        return status;
    }
    *out = m;
    return TP_OK;
}

tp_status tp_motion_connect_later(tp_motion **out, const char *url,
                                  const tp_motion_options *options, tp_error *err)
{
    tp_motion *m = NULL;
    tp_status status = create(&m, url, options, err);

    if (status == TP_OK && m->own != NULL) {
        status = tp_fail(err, TP_E_INVALID, "connecting later needs a loop in the options");
    }
    status = status == TP_OK ? tpi_mclient_begin(m, false, err) : status;
    if (status != TP_OK) {
        tp_motion_destroy(m);
        return status;
    }
    *out = m;
    return TP_OK;
}

void tp_motion_destroy(tp_motion *m)
{
    if (m == NULL) {
        return;
    }
    assert(m->entered == 0); /* otherwise a callback of its own destroys it */
    if (m->own != NULL) {
        tpi_loop_take(m->own);
    }
    if (m->loop != NULL) {
        tpi_mclient_contact_fini(m);
        tp_timer_destroy(m->attention.alarm);
    }
    tpi_mclient_answers_forget(m);
    tpi_returns_fini(&m->returns);
    free(m->lent);
    if (m->own != NULL) {
        tp_loop_destroy(m->own);
    }
    tpi_key_forget(&m->key);
    free((void *)(uintptr_t)m->options.name);
    free(m->url);
    free(m);
}

/* ---- What is known of it --------------------------------------------------------------------- */

bool tp_motion_is_connected(const tp_motion *m)
{
    return m->state == TPI_MCLIENT_CONNECTED;
}

const char *tp_motion_url(const tp_motion *m)
{
    return m->url;
}

tp_loop *tp_motion_loop(const tp_motion *m)
{
    return m->loop;
}

tp_right tp_motion_right(const tp_motion *m)
{
    const uint8_t right = m->met.welcome.right;

    return right <= TP_RIGHT_OPERATE ? (tp_right)right : TP_RIGHT_OPERATE;
}

void tp_motion_get_terms(const tp_motion *m, tp_motion_terms *out)
{
    const tpi_motion_welcome *w = &m->met.welcome;

    *out = (tp_motion_terms){.client = w->client,
                             .frames = w->frames,
                             .payload = w->payload,
                             .lease_ns = (int64_t)w->lease_us * 1000,
                             .horizon_ns = (int64_t)w->horizon_us * 1000,
                             .clock = w->clock,
                             .panicked = m->panicked,
                             .epoch = m->epoch,
                             .losses = m->losses,
                             .second = m->second_ready};
}

const tp_motion_robot *tp_motion_describe(const tp_motion *m)
{
    return m->met.robot != NULL ? &m->met.robot->robot : NULL;
}

size_t tp_motion_unsent(const tp_motion *m)
{
    size_t length;

    (void)tpi_talk_unsent(&m->first.talk, &length);
    return length;
}

uint64_t tp_motion_dropped(const tp_motion *m)
{
    return m->returns.dropped;
}

uint64_t tp_motion_now_us(tp_motion *m)
{
    return (uint64_t)tpi_sync_read(&m->met.sync, tpi_mclient_now_ns(m)) / 1000;
}

int64_t tp_motion_now_error_ns(const tp_motion *m)
{
    return tpi_sync_error(&m->met.sync, tpi_mclient_now_ns(m));
}
