/*
 * age.c - how old a message of a client can be.
 *
 * A program that was frozen finds messages in its sockets that have waited. The loop knows when
 * they arrived at the earliest (tp_loop_arrival_ns()): after the beginning of the turn before. An
 * idle loop waits, and a freeze inside a wait looks like a long wait. So the loop is woken at
 * regular times, several times within a lease, as long as there are clients: the *beat*. A turn
 * that comes much later than the beat shows that the program was frozen, or busy, or the machine
 * suspended.
 *
 * Messages of a client whose session was busy (tp_session_is_busy()), or whose front had to wait
 * for something else (tp_session_has_to_wait()), have waited, too. What a front sends for a client
 * can have come by another session (tp_session_received_by()).
 */
#include <assert.h>

#include "session/session.h"

/* Beats within a lease; between the two limits. */
enum { BEATS = 4 };
static const int64_t shortest_beat_ns = 5 * TP_NS_PER_MS;
static const int64_t longest_beat_ns = 250 * TP_NS_PER_MS;

static int64_t now_ns(const tpi_clients *clients)
{
    return tp_clock_now_ns(tp_hub_clock(clients->hub));
}

/* Two beats: what is younger may have come during an ordinary wait. */
static bool is_gap(const tpi_clients *clients, int64_t time_ns)
{
    return time_ns > 2 * clients->beat.waited_ns;
}

/* The waits of threads end late when the machine was suspended: they do not count that time. */
static void on_beat(void *context)
{
    tpi_clients *clients = context;
    const int64_t now = now_ns(clients);

    if (is_gap(clients, now - clients->beat.last_ns)) {
        tpi_panic_wake(tpi_panic_of(clients->hub));
    }
    clients->beat.last_ns = now;
    clients->beat.waited_ns = clients->beat.period_ns;
}

static void start(tpi_clients *clients, int64_t period_ns)
{
    clients->beat.period_ns = period_ns;
    clients->beat.last_ns = now_ns(clients);
    tp_timer_every(clients->beat.timer, period_ns);
}

tp_status tpi_age_join(tpi_clients *clients, tp_error *err)
{
    tp_status status = TP_OK;

    if (clients->beat.timer == NULL) {
        status = tp_timer_create(&clients->beat.timer, tpi_hub_loop(clients->hub), on_beat, clients,
                                 err);
        clients->beat.period_ns = clients->beat.waited_ns = longest_beat_ns;
        if (status == TP_OK) {
            start(clients, longest_beat_ns);
        }
    }
    return status;
}

void tpi_age_leave(tpi_clients *clients)
{
    if (clients->sessions == NULL) {
        tp_timer_destroy(clients->beat.timer);
        clients->beat.timer = NULL;
    }
}

void tpi_age_expect(tpi_clients *clients, int64_t lease_ns)
{
    const int64_t wanted_ns = lease_ns / BEATS;
    const int64_t period_ns = wanted_ns > shortest_beat_ns ? wanted_ns : shortest_beat_ns;

    if (lease_ns > 0 && period_ns < clients->beat.period_ns) {
        start(clients, period_ns);
    }
}

/* ---- Clients that had to wait ---------------------------------------------------------------- */

/* The bytes that have come while it was busy have waited since then, at most. Those that had waited
 * before are older. */
static void count_waited(tp_session *session)
{
    tpi_account *account = &session->account;
    const size_t unread =
        session->events->unread != NULL ? session->events->unread(session->context) : 0;
    const size_t older = account->waited[0].bytes;

    if (older == 0) {
        account->waited[0].bytes = unread;
        account->waited[0].since_ns = account->busy_ns;
    } else if (unread > older) {
        account->waited[1].since_ns =
            account->waited[1].bytes > 0 ? account->waited[1].since_ns : account->busy_ns;
        account->waited[1].bytes = unread - older;
    }
}

void tpi_age_wait(tp_session *session, bool busy)
{
    tpi_account *account = &session->account;

    if (busy == account->busy) {
        return;
    }
    account->busy = busy;
    if (busy) {
        const int64_t arrival_ns = tp_loop_arrival_ns(tpi_hub_loop(session->hub));
        const int64_t now = now_ns(session->clients);
        /* What was read together with the message before may have waited in the socket already. */
        account->busy_ns = arrival_ns != TP_NEVER && arrival_ns < now ? arrival_ns : now;
    } else {
        count_waited(session);
    }
}

void tpi_age_took(tp_session *session, size_t bytes)
{
    tpi_account *account = &session->account;

    if (account->waited[0].bytes > bytes) {
        account->waited[0].bytes -= bytes;
        return;
    }
    account->waited[0] = account->waited[1];
    account->waited[1].bytes = 0;
}

static const tp_session *receiver_of(const tp_session *session)
{
    return session->account.receiver != NULL ? session->account.receiver : session;
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

static int64_t arrival_ns(const tp_session *session)
{
    const tpi_account *account = &receiver_of(session)->account;
    int64_t since_ns =
        earlier(now_ns(session->clients), tp_loop_arrival_ns(tpi_hub_loop(session->hub)));

    if (account->waited[0].bytes > 0) {
        since_ns = earlier(since_ns, account->waited[0].since_ns);
    }
    return session->account.origin != NULL ? earlier(since_ns, session->account.origin->since_ns)
                                           : since_ns;
}

int64_t tpi_age_ns(const tp_session *session)
{
    const int64_t age_ns = now_ns(session->clients) - arrival_ns(session);

    return is_gap(session->clients, age_ns) ? age_ns : 0;
}

bool tpi_age_is_stale(const tp_session *session)
{
    const tp_origin *origin = session->account.origin;

    return (origin != NULL && origin->before_panic) || receiver_of(session)->stale > 0;
}

/* ---- For fronts ------------------------------------------------------------------------------ */

void tp_session_received_by(tp_session *session, tp_session *receiver)
{
    assert(session_is_current(session));
    session->account.receiver = receiver;
    if (receiver != NULL) {
        receiver->account.vouched = !tpi_budget_is_guest(session);
    }
}

tp_origin tp_session_origin(const tp_session *session)
{
    assert(session_is_current(session));
    return (tp_origin){arrival_ns(session), tpi_age_is_stale(session)};
}

void tpi_age_set_origin(tp_session *session, const tp_origin *origin)
{
    session->account.origin = origin;
}
