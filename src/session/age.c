/*
 * age.c - how old a message of a client can be.
 *
 * A program that was frozen finds messages in its sockets that have waited. The loop knows when
 * they arrived at the earliest (tp_loop_arrival_ns()): after the beginning of the turn before. An
 * idle loop waits for messages, and knows how long (tpi_loop_idle_ns()). A wait that ends too late
 * shows that the program was frozen; a freeze that ends before the wait does looks like a long
 * wait. So the loop is woken at regular times, several times within a lease, as long as there are
 * clients: the *beat*. No wait is longer than a beat.
 *
 * Messages of a client whose session was busy (tp_session_is_busy()), or whose front had to wait
 * for something else (tp_session_has_to_wait()), have waited, too. What a front sends for a client
 * can have come by another session (tp_session_received_by()).
 */
#include <assert.h>

#include "base/order.h"
#include "loop/idle.h"
#include "session/session.h"

/* Beats within a lease; between the two limits. */
enum { BEATS = 4 };
static const int64_t shortest_beat_ns = 5 * TP_NS_PER_MS;
static const int64_t longest_beat_ns = 250 * TP_NS_PER_MS;

static int64_t now_ns(const tpi_clients *clients)
{
    return tp_clock_now_ns(tp_hub_clock(clients->hub));
}

/* The waits of threads end late when the machine was suspended: they do not count that time. */
static void on_beat(void *context)
{
    tpi_clients *clients = context;
    const int64_t now = now_ns(clients);

    if (now - clients->beat.last_ns > 2 * clients->beat.period_ns) {
        tpi_panic_wake(tpi_panic_of(clients->hub));
    }
    clients->beat.last_ns = now;
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

/* The bytes that have come while it was busy have waited since then, at most, unless they had
 * waited for the socket to be read. Those that had waited before are older. */
static void count_waited(tp_session *session)
{
    tpi_account *account = &session->account;
    const tp_session_events *events = session->events;
    const size_t unread = events->unread != NULL ? events->unread(session->context) : 0;
    const size_t older = account->waited[0].bytes;
    const int64_t since_ns =
        events->unread_since != NULL
            ? tpi_smaller(account->busy_ns, events->unread_since(session->context))
            : account->busy_ns;

    if (older == 0) {
        account->waited[0].bytes = unread;
        account->waited[0].since_ns = since_ns;
    } else if (unread > older) {
        account->waited[1].since_ns = account->waited[1].bytes > 0
                                          ? tpi_smaller(account->waited[1].since_ns, since_ns)
                                          : since_ns;
        account->waited[1].bytes = unread - older;
    }
}

void tpi_age_wait(tp_session *session, bool busy)
{
    tpi_account *account = &session->account;
    const bool was_busy = account->busy;

    account->busy = busy;
    if (busy) {
        /* What was read together with the message before may have waited in the socket already. */
        const int64_t arrival_ns = tp_loop_arrival_ns(tpi_hub_loop(session->hub));
        account->busy_ns =
            tpi_smaller(arrival_ns, was_busy ? account->busy_ns : now_ns(session->clients));
    } else if (was_busy) {
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

/* A message is as old as its first bytes. */
static int64_t arrival_ns(const tp_session *session)
{
    const tp_session *receiver = receiver_of(session);
    const tpi_account *account = &receiver->account;
    int64_t since_ns =
        tpi_smaller(now_ns(session->clients), tp_loop_arrival_ns(tpi_hub_loop(session->hub)));

    if (account->waited[0].bytes > 0) {
        since_ns = tpi_smaller(since_ns, account->waited[0].since_ns);
    }
    if (receiver->unfinished.bytes > 0) {
        since_ns = tpi_smaller(since_ns, receiver->unfinished.arrival_ns);
    }
    return session->account.origin != NULL
               ? tpi_smaller(since_ns, session->account.origin->since_ns)
               : since_ns;
}

static int64_t idle_ns(const tp_session *session)
{
    return tpi_loop_idle_ns(tpi_hub_loop(session->hub));
}

/* The last wait and ordinary work do not explain an age. */
static bool has_waited(const tp_session *session, int64_t age_ns)
{
    return age_ns - idle_ns(session) > session->clients->beat.period_ns;
}

int64_t tpi_age_ns(const tp_session *session)
{
    const int64_t age_ns = now_ns(session->clients) - arrival_ns(session);

    return has_waited(session, age_ns) ? age_ns : 0;
}

int64_t tp_session_arrived_ns(const tp_session *session, int64_t lease_ns)
{
    assert(session_is_current(session));
    tpi_age_expect(session->clients, lease_ns);
    return now_ns(session->clients) - tpi_age_ns(session);
}

/* A wait that is not short beside the lease says nothing: the message may have come at its end. A
 * lease that was known before the wait is several beats long. */
int64_t tpi_age_end_ns(const tp_session *session, int64_t lease_ns)
{
    const int64_t since_ns = arrival_ns(session);
    const int64_t now = now_ns(session->clients);
    const bool counts = idle_ns(session) <= lease_ns / 2 || has_waited(session, now - since_ns);
    const int64_t begin_ns = counts ? since_ns : now;

    return begin_ns + tpi_smaller(lease_ns, TP_NEVER - now);
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
