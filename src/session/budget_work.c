/* budget_work.c - the work of clients in a turn of the loop; see budget.h. */
#include <assert.h>
#include <limits.h>

#include "session/session.h"

enum { MESSAGE_PRICE = 256 }; /* work for a message, and 1 for each of its bytes */

/* Nanoseconds of a turn. */
static const int64_t client_work[TPI_CLASSES] = {[TPI_GUESTS] = 250000, [TPI_MEMBERS] = 1000000};
static const int64_t host_work = 350000;
static const int64_t class_work[TPI_CLASSES] = {[TPI_GUESTS] = 500000, [TPI_MEMBERS] = INT64_MAX};

/* To show a key costs less. Whoever comes again and again has no more of it than of connecting. */
static const int64_t greeting_work = 50000;

/* As long as guests wait whose turn is used up. */
static const int64_t guest_rest_ns = 2 * TP_NS_PER_MS;

static tpi_budget *budget_of(const tp_session *session)
{
    return &session->clients->budget;
}

static uint64_t turn_of(const tpi_budget *budget, tpi_class class)
{
    return class == TPI_GUESTS ? budget->guest_turn : budget->turn;
}

static int64_t work_of(const tpi_share *share, uint64_t turn)
{
    return share->turn == turn ? share->work : 0;
}

static void add_work(tpi_share *share, uint64_t turn, int64_t work)
{
    share->work = work_of(share, turn) + work;
    share->turn = turn;
}

/* ---- Turns ----------------------------------------------------------------------------------- */

static bool waits(const tpi_waiting *list)
{
    return list->first != NULL;
}

static bool guests_wait(const tpi_budget *budget)
{
    return waits(&budget->newcomers) || waits(&budget->denied) || waits(&budget->spent) ||
           waits(&budget->gone);
}

/* The first ones of a list, at most `most`; how many may still be woken. Those that give way count
 * only as asked. */
static unsigned wake(tpi_waiting *list, unsigned most)
{
    unsigned asked = most <= TPI_BUDGET_WOKEN ? TPI_BUDGET_ASKED : UINT_MAX;

    while (waits(list) && most > 0 && asked > 0) {
        tp_session *session = list->first;
        list->first = session->account.next_waiting;
        list->last = waits(list) ? list->last : NULL;
        session->account.next_waiting = NULL;
        session->account.waiting = false;
        session->account.woken = true;
        session->events->ready(session->context);
        session->account.woken = false;
        most -= !session->account.waiting;
        asked--;
    }
    return most;
}

/* Those that were not woken had nothing in the turn that follows. */
static void append(tpi_waiting *list, tpi_waiting *rest)
{
    if (waits(rest)) {
        *(waits(list) ? &list->last->account.next_waiting : &list->first) = rest->first;
        list->last = rest->last;
        *rest = (tpi_waiting){NULL, NULL};
    }
}

/* New guests and old ones that had nothing come first in turns: there are always new ones when
 * clients connect again and again. Thousands may wait, and each that is woken looks at what it has,
 * so no more are woken than may find work left. */
static void wake_guests(tpi_budget *budget)
{
    const bool new_ones_first = budget->guest_turn % 2 == 0;
    unsigned most = TPI_BUDGET_WOKEN;

    most = wake(new_ones_first ? &budget->newcomers : &budget->denied, most);
    most = wake(new_ones_first ? &budget->denied : &budget->newcomers, most);
    most = wake(&budget->spent, most);
    (void)wake(&budget->gone, most);
    append(&budget->denied, &budget->spent);
    if (guests_wait(budget)) {
        tp_loop_after(tpi_hub_loop(budget->hub), &budget->turn_end);
    }
}

/* Guests may go on. */
static void end_rest(void *context)
{
    tpi_budget *budget = context;

    budget->resting = false;
    budget->guest_turn++;
    wake_guests(budget);
}

/* Let guests wait for a while, if some of them wait. A clock that stands still ends no wait, and
 * without a timer there is none. */
static bool rest(tpi_budget *budget)
{
    tp_loop *loop = tpi_hub_loop(budget->hub);

    if (!guests_wait(budget) || tp_loop_clock(loop) != tp_clock_real() ||
        (budget->rest == NULL &&
         tp_timer_create(&budget->rest, loop, end_rest, budget, NULL) != TP_OK)) {
        return false;
    }
    tp_timer_at(budget->rest, tp_clock_now_ns(tp_clock_real()) + guest_rest_ns);
    budget->resting = true;
    return true;
}

static void on_turn_end(tp_after *after)
{
    tpi_budget *budget = (tpi_budget *)((char *)after - offsetof(tpi_budget, turn_end));

    assert(tp_loop_is_current(tpi_hub_loop(budget->hub)));
    budget->turn++;
    tpi_budget_try_parked(budget);
    (void)wake(&budget->members, UINT_MAX);
    if (!budget->resting && !rest(budget)) {
        budget->guest_turn++;
        wake_guests(budget);
    }
}

/* ---- Work ------------------------------------------------------------------------------------ */

void tpi_budget_begin_work(tp_session *session)
{
    session->account.mark_ns = tp_clock_now_ns(tp_clock_real());
}

void tpi_budget_charge(tp_session *session, size_t bytes)
{
    tpi_budget *budget = budget_of(session);
    const tpi_class class = tpi_budget_class(session);
    tpi_share *shares[TPI_SHARES];
    const unsigned count = tpi_budget_shares(session, shares);

    assert(session_is_current(session));
    for (unsigned i = 0; i < count; i++) {
        add_work(shares[i], turn_of(budget, class), (int64_t)bytes);
    }
    session->account.worked += (int64_t)bytes;
    tpi_tidy_count(&session->clients->tidy, bytes);
    tp_loop_after(tpi_hub_loop(budget->hub), &budget->turn_end);
}

void tpi_budget_end_work(tp_session *session, size_t bytes)
{
    const int64_t now_ns = tp_clock_now_ns(tp_clock_real());
    const int64_t mark_ns = session->account.mark_ns;

    tpi_budget_charge(session,
                      MESSAGE_PRICE + bytes +
                          (mark_ns > 0 && now_ns > mark_ns ? (size_t)(now_ns - mark_ns) : 0));
    session->account.mark_ns = now_ns;
}

void tp_session_answered(tp_session *session, size_t bytes)
{
    tpi_budget_charge(session, bytes);
}

/* A client that has asked for a service waits for its answer, but others may ask: all guests wait
 * while the thread has much to make. */
static bool is_spent(tp_session *session, tpi_class class, uint64_t turn)
{
    const tpi_share *host = tpi_budget_host_share(session);

    return (class == TPI_GUESTS && budget_of(session)->blocks >= TPI_BUDGET_BLOCKS) ||
           work_of(&session->account.own, turn) >= client_work[class] ||
           work_of(&budget_of(session)->classes[class], turn) >= class_work[class] ||
           (host != NULL && work_of(host, turn) >= host_work);
}

static tpi_waiting *list_for(tp_session *session, tpi_class class, uint64_t turn)
{
    tpi_budget *budget = budget_of(session);

    if (class == TPI_MEMBERS) {
        return &budget->members;
    }
    if (session->account.gives_way) {
        return &budget->gone;
    }
    if (session->account.worked < client_work[class]) {
        return &budget->newcomers; /* to show a key costs far less */
    }
    return work_of(&session->account.own, turn) == 0 ? &budget->denied : &budget->spent;
}

static void wait_for_turn(tp_session *session, tpi_waiting *list)
{
    if (!session->account.waiting) {
        *(list->last != NULL ? &list->last->account.next_waiting : &list->first) = session;
        list->last = session;
        session->account.waiting = true;
        tp_loop_after(tpi_hub_loop(session->hub), &budget_of(session)->turn_end);
    }
}

bool tpi_budget_may_work(tp_session *session)
{
    tpi_budget *budget = budget_of(session);
    const tpi_class class = tpi_budget_class(session);
    const uint64_t turn = turn_of(budget, class);

    assert(session_is_current(session));
    if (!is_spent(session, class, turn)) {
        return true;
    }
    tpi_tidy_expect(&session->clients->tidy);
    wait_for_turn(session, list_for(session, class, turn));
    return false;
}

bool tp_session_gives_way(tp_session *session)
{
    tpi_account *account = &session->account;

    assert(session_is_current(session));
    if (account->gives_way || tpi_budget_class(session) != TPI_GUESTS) {
        return false;
    }
    account->gives_way = true;
    wait_for_turn(session, &budget_of(session)->gone);
    return true;
}

bool tp_session_has_turn(tp_session *session)
{
    return tpi_budget_may_work(session);
}

bool tp_session_is_new(const tp_session *session)
{
    return session->account.worked < greeting_work && session->identity.wrong == 0;
}

void tpi_budget_init_work(tpi_budget *budget)
{
    budget->turn = budget->guest_turn = 1;
    budget->turn_end.run = on_turn_end;
}

static void unlink_waiting(tpi_waiting *list, tp_session *session)
{
    tp_session *before = NULL;

    for (tp_session *at = list->first; at != NULL; before = at, at = at->account.next_waiting) {
        if (at == session) {
            *(before != NULL ? &before->account.next_waiting : &list->first) =
                at->account.next_waiting;
            list->last = list->last == at ? before : list->last;
            return;
        }
    }
}

void tpi_budget_leave_work(tp_session *session)
{
    tpi_budget *budget = budget_of(session);

    if (session->account.waiting) {
        unlink_waiting(&budget->members, session);
        unlink_waiting(&budget->newcomers, session);
        unlink_waiting(&budget->denied, session);
        unlink_waiting(&budget->spent, session);
        unlink_waiting(&budget->gone, session);
        session->account.waiting = false;
        session->account.next_waiting = NULL;
    }
}

void tpi_budget_wait_as_member(tp_session *session)
{
    if (session->account.waiting) {
        tpi_budget_leave_work(session);
        wait_for_turn(session, &budget_of(session)->members);
    }
}
