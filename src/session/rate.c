/*
 * rate.c - subscriptions that want data less often than it comes.
 *
 * For each kind of message there is a time before which the next one may not go. One that comes
 * earlier is kept, in the place of any kept before, and goes when the time has come: so the last
 * one of a burst is never lost, and nothing is allocated for a message.
 */
#include <assert.h>
#include <math.h>

#include "bus/pool.h"
#include "session/session.h"

static int64_t now_ns(const struct subscription *s)
{
    return tp_clock_now_ns(tp_hub_clock(s->session->hub));
}

/* The pace of this kind; NULL if there is no memory for a new one. */
static struct pace *find_pace(struct subscription *s, uint8_t code)
{
    struct pace *pace = s->rate.paces;

    while (pace != NULL && pace->code != code) {
        pace = pace->next;
    }
    if (pace == NULL) {
        pace = tpi_pool_take(sizeof *pace);
        if (pace != NULL) {
            *pace = (struct pace){.code = code, .earliest_ns = INT64_MIN, .next = s->rate.paces};
            s->rate.paces = pace;
        }
    }
    return pace;
}

static void arm(struct subscription *s)
{
    int64_t first_ns = TP_NEVER;

    for (const struct pace *pace = s->rate.paces; pace != NULL; pace = pace->next) {
        if (pace->held != NULL && pace->earliest_ns < first_ns) {
            first_ns = pace->earliest_ns;
        }
    }
    tp_timer_at(s->rate.timer, first_ns);
}

bool tpi_rate_holds(struct subscription *s, tp_msg *msg)
{
    if (s->rate.period_ns == 0 || msg->header.subtype >= FIRST_OF_OURS) { /* news are never late */
        return false;
    }
    const int64_t now = now_ns(s);
    struct pace *pace = find_pace(s, msg->header.subtype);
    if (pace == NULL) {
        return false;
    }
    if (pace->held == NULL && now >= pace->earliest_ns) {
        pace->earliest_ns = now + s->rate.period_ns;
        return false;
    }
    const bool first = pace->held == NULL;
    tp_msg_unref(pace->held);
    pace->held = tp_msg_ref(msg);
    if (first) {
        arm(s);
    }
    return true;
}

static void let_go(struct subscription *s, struct pace *pace)
{
    tp_msg *msg = pace->held;

    pace->held = NULL;
    tp_session_queue(s->session, msg);
    tp_msg_unref(msg);
}

/* Those whose time has come go. A little lateness of the timer does not add up. */
static void fire(void *context)
{
    struct subscription *s = context;
    const int64_t now = now_ns(s);

    for (struct pace *pace = s->rate.paces; pace != NULL; pace = pace->next) {
        if (pace->held != NULL && now >= pace->earliest_ns) {
            const bool in_step = now - pace->earliest_ns < s->rate.period_ns;
            pace->earliest_ns = (in_step ? pace->earliest_ns : now) + s->rate.period_ns;
            let_go(s, pace);
        }
    }
    arm(s);
}

void tpi_rate_clear(struct subscription *s)
{
    tp_timer_destroy(s->rate.timer);
    s->rate.timer = NULL;
    s->rate.period_ns = 0;
    while (s->rate.paces != NULL) {
        struct pace *pace = s->rate.paces;
        s->rate.paces = pace->next;
        tp_msg_unref(pace->held);
        tpi_pool_give(pace);
    }
}

static tp_status set_period(struct subscription *s, int64_t period_ns)
{
    if (period_ns == 0) {
        for (struct pace *pace = s->rate.paces; pace != NULL; pace = pace->next) {
            if (pace->held != NULL) {
                let_go(s, pace);
            }
        }
        tpi_rate_clear(s);
        return TP_OK;
    }
    if (s->rate.timer == NULL &&
        tp_timer_create(&s->rate.timer, tpi_hub_loop(s->session->hub), fire, s, NULL) != TP_OK) {
        return TP_E_NOMEM;
    }
    for (struct pace *pace = s->rate.paces; pace != NULL; pace = pace->next) {
        pace->earliest_ns +=
            period_ns - s->rate.period_ns; /* counted from the last one that went */
    }
    s->rate.period_ns = period_ns;
    arm(s);
    return TP_OK;
}

tp_status tp_session_set_rate(tp_session *session, tp_device *device, double rate_hz)
{
    const double slowest = 1e-6; /* nobody waits for longer */
    bool found = false;
    tp_status status = TP_OK;

    assert(session_is_current(session));
    if (!(rate_hz >= 0 && isfinite(rate_hz))) {
        return TP_E_INVALID;
    }
    tpi_pause_end(session);
    const double period_s = rate_hz == 0 ? 0 : 1 / (rate_hz > slowest ? rate_hz : slowest);
    for (struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        if (s->device == device && !s->waiting && status == TP_OK) {
            found = true;
            status = set_period(s, (int64_t)(period_s * (double)TP_NS_PER_S));
        }
    }
    return found ? status : TP_E_INVALID;
}
