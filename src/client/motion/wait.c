/* wait.c - the calls that wait: they turn the loop until something has happened. */
#include "client/motion/inside.h"
#include "loop/task.h"

static void take_loop(tp_motion *m)
{
    if (m->own != NULL) {
        tpi_loop_take(m->own); /* another thread may have turned it last */
    }
}

bool tpi_mclient_is_attended(tp_motion *m)
{
    const bool renewed = atomic_exchange(&m->attention.renewed, false);

    return !m->attention.by_calls || m->attention.waits > 0 || renewed;
}

static int64_t deadline_of(const tp_motion *m, int64_t timeout_ns)
{
    const int64_t time_ns = timeout_ns <= 0 ? m->options.timeout_ns : timeout_ns;
    const int64_t now_ns = tpi_mclient_now_ns(m);

    return time_ns > TP_NEVER - now_ns ? TP_NEVER : now_ns + time_ns;
}

/* One turn; false if the program wants the wait to end. */
static bool turn(tp_motion *m)
{
    return !atomic_exchange(&m->attention.interrupted, false) && tp_loop_turn_or_signal(m->loop);
}

static tp_status fail_wait(const tp_motion *m, tp_status status, const char *what, tp_error *err)
{
    switch (status) {
    case TP_E_CLOSED:
        return tp_fail(err, m->why.code, "%s: %s", what, m->why.text);
    case TP_E_TIMEOUT:
        return tp_fail(err, status, "%s: no answer in time", what);
    default:
        return tp_fail(err, status, "%s: %s", what, tp_status_text(status));
    }
}

tp_status tpi_mclient_await(tp_motion *m, int64_t timeout_ns, tpi_mclient_condition *met,
                            void *context, const char *what, tp_error *err)
{
    const int64_t deadline_ns = deadline_of(m, timeout_ns);
    const uint32_t losses = m->losses;
    bool goes_on = true;

    if (tp_loop_is_turning(m->loop)) {
        return tp_fail(err, TP_E_INVALID, "%s: a call that waits was made from a callback", what);
    }
    take_loop(m);
    m->attention.waits++;
    tp_motion_renew(m);
    tp_timer_at(m->attention.alarm, deadline_ns);
    while (goes_on && !met(context) && m->losses == losses && tpi_mclient_now_ns(m) < deadline_ns) {
        goes_on = turn(m);
    }
    m->attention.waits--;
    tp_timer_cancel(m->attention.alarm);
    if (!goes_on) { /* a signal and its handler interrupt one call, not two */
        atomic_store(&m->attention.interrupted, false);
    }
    if (met(context)) {
        return TP_OK;
    }
    return fail_wait(m,
                     !goes_on              ? TP_E_INTERRUPTED
                     : m->losses != losses ? TP_E_CLOSED
                                           : TP_E_TIMEOUT,
                     what, err);
}

/* ---- For the program ------------------------------------------------------------------------- */

static bool is_decided(void *context)
{
    return ((const tp_motion *)context)->state != TPI_MCLIENT_GREETING;
}

tp_status tpi_mclient_await_connection(tp_motion *m, tp_error *err)
{
    const tp_status status = tpi_mclient_await(m, TP_NEVER, is_decided, m, m->url, err);

    if (status == TP_OK && m->state != TPI_MCLIENT_CONNECTED) {
        return tp_fail(err, m->why.code, "%s", m->why.text);
    }
    m->contact.gives_up = m->options.stay_lost;
    return status;
}

void tp_motion_run(tp_motion *m)
{
    take_loop(m);
    tp_loop_run(m->loop);
}

void tp_motion_stop(tp_motion *m)
{
    tp_loop_stop(m->loop);
}

void tp_motion_step(tp_motion *m, bool wait)
{
    take_loop(m);
    tp_motion_renew(m);
    if (wait) {
        (void)turn(m);
    } else {
        tp_loop_turn(m->loop, false);
    }
}

void tp_motion_interrupt(tp_motion *m)
{
    atomic_store(&m->attention.interrupted, true);
    tp_loop_wake(m->loop);
}

void tp_motion_renew(tp_motion *m)
{
    atomic_store(&m->attention.renewed, true);
}

int tp_motion_fd(const tp_motion *m)
{
    return tp_loop_fd(m->loop);
}

int64_t tp_motion_deadline(const tp_motion *m)
{
    return tp_loop_deadline(m->loop);
}

void tp_motion_process(tp_motion *m)
{
    tp_motion_step(m, false);
}
