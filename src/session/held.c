/*
 * held.c - bytes that fronts hold of messages that are not handled yet; see budget.h.
 *
 * If a host or a class holds too much, the client that holds most of it is closed. A message that
 * stays unfinished is given some seconds, and more for what has come of it: a slow line that brings
 * a large message is no attack.
 */
#include <assert.h>

#include "session/session.h"

enum {
    GUEST_MESSAGE = 64 << 10, /* the longest message of a guest: guests only ask */
    HOST_HELD = 4 << 20,
    BYTES_A_SECOND = 256 << 10, /* that an unfinished message comes with at least */
};

static const size_t class_held[TPI_CLASSES] = {[TPI_GUESTS] = 16 << 20, [TPI_MEMBERS] = 64 << 20};
static const int64_t patience_ns = 15 * TP_NS_PER_S;
static const int64_t look_ns = TP_NS_PER_S;

static int64_t now_ns(const tp_session *session)
{
    return tp_clock_now_ns(tp_hub_clock(session->hub));
}

/* ---- Unfinished messages --------------------------------------------------------------------- */

static bool is_overdue(const tp_session *session, int64_t now)
{
    const tpi_account *account = &session->account;
    const int64_t extra_ns = (int64_t)(account->own.held / BYTES_A_SECOND) * TP_NS_PER_S;

    return account->unfinished_ns != 0 && now - account->unfinished_ns > patience_ns + extra_ns;
}

static void look(void *context)
{
    tpi_budget *budget = context;

    for (tp_session *at = budget->holders; at != NULL; at = at->account.next_holder) {
        if (is_overdue(at, now_ns(at))) {
            at->account.unfinished_ns = 0;
            budget->lose(at);
        }
    }
    if (budget->holders == NULL) {
        tp_timer_cancel(budget->holding);
    }
}

/* Without a timer there is no time limit. */
static void watch(tpi_budget *budget)
{
    if (budget->holding != NULL ||
        tp_timer_create(&budget->holding, tpi_hub_loop(budget->hub), look, budget, NULL) == TP_OK) {
        tp_timer_every(budget->holding, look_ns);
    }
}

static void link_holder(tp_session *session)
{
    tpi_budget *budget = &session->clients->budget;

    if (budget->holders == NULL) {
        watch(budget);
    }
    session->account.previous_holder = NULL;
    session->account.next_holder = budget->holders;
    if (budget->holders != NULL) {
        budget->holders->account.previous_holder = session;
    }
    budget->holders = session;
}

static void unlink_holder(tp_session *session)
{
    tpi_account *account = &session->account;

    if (account->previous_holder != NULL) {
        account->previous_holder->account.next_holder = account->next_holder;
    } else {
        session->clients->budget.holders = account->next_holder;
    }
    if (account->next_holder != NULL) {
        account->next_holder->account.previous_holder = account->previous_holder;
    }
    account->next_holder = account->previous_holder = NULL;
}

/* ---- Too much -------------------------------------------------------------------------------- */

/* The client that holds most, of the same class; and of the same host, if that is asked for. */
static tp_session *find_largest(const tp_session *like, bool same_host)
{
    tp_session *largest = NULL;

    for (tp_session *at = like->clients->budget.holders; at != NULL; at = at->account.next_holder) {
        if (at->account.class == like->account.class &&
            (!same_host || at->account.host == like->account.host) &&
            (largest == NULL || at->account.own.held > largest->account.own.held)) {
            largest = at;
        }
    }
    return largest;
}

/* What is closed at the end of the turn does not count any more. */
static void close_holder(tp_session *session)
{
    tpi_budget_count_held(session, session->account.own.held, 0);
    unlink_holder(session);
    session->account.unfinished_ns = 0;
    session->clients->budget.lose(session);
}

/* Whether the session itself is not the one that is closed. */
static bool make_room(tp_session *session)
{
    const tpi_budget *budget = &session->clients->budget;
    const tpi_class class = tpi_budget_class(session);
    const tpi_share *host = tpi_budget_host_share(session);
    const bool host_full = host != NULL && host->held > HOST_HELD;
    const bool class_full = budget->classes[class].held > class_held[class];
    tp_session *largest = host_full || class_full ? find_largest(session, host_full) : NULL;

    if (largest != NULL) {
        close_holder(largest);
    }
    return largest != session;
}

/* ---- For fronts ------------------------------------------------------------------------------ */

size_t tp_session_longest_message(tp_session *session)
{
    return tpi_budget_is_guest(session) ? GUEST_MESSAGE : TP_XDR_MAX_MESSAGE_SIZE;
}

bool tp_session_hold(tp_session *session, size_t bytes, bool unfinished)
{
    tpi_account *account = &session->account;
    const size_t before = account->own.held;

    assert(session_is_current(session));
    if (bytes != before) {
        tpi_budget_count_held(session, before, bytes);
    }
    if (before == 0 && bytes > 0) {
        link_holder(session);
    } else if (before > 0 && bytes == 0) {
        unlink_holder(session);
    }
    if (!unfinished || bytes == 0) {
        account->unfinished_ns = 0;
    } else if (account->unfinished_ns == 0) {
        account->unfinished_ns = now_ns(session);
    }
    return bytes <= before || make_room(session);
}
