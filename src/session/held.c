/*
 * held.c - bytes that fronts hold of messages that are not handled yet; see budget.h.
 *
 * If a host or a class holds too much, the client that holds most of it is closed. The time limit
 * of an unfinished message is in unfinished.c.
 */
#include <assert.h>

#include "session/session.h"

enum {
    GUEST_MESSAGE = 64 << 10, /* the longest message of a guest: guests only ask */
    HOST_HELD = 4 << 20,
};

static const size_t class_held[TPI_CLASSES] = {[TPI_GUESTS] = 16 << 20, [TPI_MEMBERS] = 64 << 20};
static void link_holder(tp_session *session)
{
    tpi_budget *budget = &session->clients->budget;

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
    if (unfinished || bytes == 0) {
        tp_session_unfinished(session, bytes);
    } else {
        tpi_unfinished_waits(session);
    }
    return bytes <= before || make_room(session);
}
