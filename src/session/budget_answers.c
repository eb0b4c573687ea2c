/* budget_answers.c - answers that are being made, and replies that wait; see budget.h. */
#include <assert.h>

#include "base/order.h"
#include "session/session.h"

enum {
    UNKNOWN_ANSWER = 1 << 20, /* bytes of an answer that may have any length */
    LARGE_ANSWER = 6 << 20,   /* no estimate for guests is larger: it fits beside small ones */
    PLAIN_ANSWER = 256,       /* bytes around the value */
    MOST_QUEUED = 32 << 20,   /* bytes of replies that wait for all guests together */
};

/* Bytes of answers that are being made. */
static const size_t client_answers[TPI_CLASSES] = {
    [TPI_GUESTS] = 4 << 20, [TPI_MEMBERS] = 16 << 20};
static const size_t host_answers = 8 << 20;
static const size_t class_answers[TPI_CLASSES] = {
    [TPI_GUESTS] = 16 << 20, [TPI_MEMBERS] = 128 << 20};

/* Bytes of replies that wait for one client; with so many it is busy. */
static const size_t client_queued[TPI_CLASSES] = {
    [TPI_GUESTS] = 256 << 10, [TPI_MEMBERS] = 4 << 20};

static tpi_budget *budget_of(const tp_session *session)
{
    return &session->clients->budget;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* Whether values of a struct differ in size. */
static bool varies(const tp_struct *type)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (field->shape == TP_SHAPE_POINTER || (field->of != NULL && varies(field->of))) {
            return true;
        }
    }
    return false;
}

static size_t kind_of(const tp_message *what)
{
    return ((uintptr_t)what / sizeof *what) & (TPI_BUDGET_KINDS - 1);
}

/* A client chooses what it asks for, so one may have asked for little before it asks for much: for
 * guests an estimate never goes down. Kinds with the same place share it then. */
static size_t estimate_varying(const tpi_budget *budget, const tp_message *what, tpi_class class)
{
    const struct tpi_answer_sizes *kind = &budget->kinds[kind_of(what)];

    if (class == TPI_GUESTS) {
        return (size_t)tpi_larger(UNKNOWN_ANSWER,
                                  tpi_smaller((int64_t)kind->largest, LARGE_ANSWER));
    }
    return kind->what == what ? kind->recent : UNKNOWN_ANSWER;
}

size_t tpi_budget_estimate(tp_session *session, const tp_message *what)
{
    if (what->answer == NULL) {
        return PLAIN_ANSWER;
    }
    return varies(what->answer)
               ? estimate_varying(budget_of(session), what, tpi_budget_class(session))
               : PLAIN_ANSWER + what->answer->size;
}

/* The largest of the last answers goes down after smaller ones, by and by. */
static void learn(tpi_budget *budget, const tp_message *what, size_t bytes)
{
    struct tpi_answer_sizes *kind = &budget->kinds[kind_of(what)];
    const size_t before = kind->what == what ? kind->recent : 0;

    kind->what = what;
    kind->recent = bytes > before ? bytes : before - (before - bytes) / 4;
    kind->largest = bytes > kind->largest ? bytes : kind->largest;
}

void tpi_budget_reserve(tp_session *session, size_t bytes)
{
    tpi_share *shares[TPI_SHARES];
    const unsigned count = tpi_budget_shares(session, shares);

    for (unsigned i = 0; i < count; i++) {
        shares[i]->answers += bytes;
    }
}

void tpi_budget_release(tp_session *session, size_t bytes)
{
    tpi_budget *budget = budget_of(session);
    tpi_share *shares[TPI_SHARES];
    const unsigned count = tpi_budget_shares(session, shares);

    for (unsigned i = 0; i < count; i++) {
        assert(shares[i]->answers >= bytes);
        shares[i]->answers -= bytes;
    }
    if (budget->parked != NULL) {
        tp_loop_after(tpi_hub_loop(budget->hub), &budget->turn_end);
    }
}

void tpi_budget_answered(tp_session *session, const tp_message *what, size_t estimate, size_t bytes)
{
    learn(budget_of(session), what, bytes);
    tpi_budget_reserve(session, bytes);
    tpi_budget_release(session, estimate);
}

static bool fits(const tpi_share *share, size_t bytes, size_t most)
{
    return share->answers == 0 || share->answers + bytes <= most;
}

/* While others wait, a new request leaves the second half of the account to them. */
bool tpi_budget_has_room(tp_session *session, size_t bytes)
{
    const tpi_budget *budget = budget_of(session);
    const tpi_class class = tpi_budget_class(session);
    const tpi_share *host = tpi_budget_host_share(session);
    const bool first = session->account.unpark != NULL || budget->parked == NULL;
    const size_t most = class_answers[class] / (first ? 1 : 2);

    return fits(&session->account.own, bytes, client_answers[class]) &&
           fits(&budget->classes[class], bytes, most) &&
           (host == NULL || fits(host, bytes, host_answers));
}

void tpi_budget_park(tp_session *session, bool (*unpark)(tp_session *session))
{
    tp_session **at = &budget_of(session)->parked;

    assert(session->account.unpark == NULL);
    while (*at != NULL) {
        at = &(*at)->account.next_parked;
    }
    *at = session;
    session->account.unpark = unpark;
}

bool tpi_budget_is_parked(const tp_session *session)
{
    return session->account.unpark != NULL;
}

static void unlink_parked(tp_session *session)
{
    tp_session **at = &budget_of(session)->parked;

    while (*at != session) {
        at = &(*at)->account.next_parked;
    }
    *at = session->account.next_parked;
    session->account.next_parked = NULL;
    session->account.unpark = NULL;
}

/* A session that finds no room does not keep those behind it from trying: it may be its own account
 * that is full. */
void tpi_budget_try_parked(tpi_budget *budget)
{
    tp_session *session = budget->parked;

    while (session != NULL) {
        tp_session *next = session->account.next_parked;
        if (session->account.unpark(session)) {
            unlink_parked(session);
            session->events->ready(session->context);
        }
        session = next;
    }
}

void tpi_budget_leave_parked(tp_session *session)
{
    if (session->account.unpark != NULL) {
        unlink_parked(session);
    }
}

/* ---- Replies that wait ----------------------------------------------------------------------- */

static tp_session *find_slowest(const tp_session *any)
{
    tp_session *slowest = NULL;

    for (tp_session *at = any->clients->sessions; at != NULL; at = at->next) {
        if (at->account.class == TPI_GUESTS &&
            (slowest == NULL || at->account.own.queued > slowest->account.own.queued)) {
            slowest = at;
        }
    }
    return slowest;
}

static void count_queued(tp_session *session, size_t bytes)
{
    tpi_share *shares[TPI_SHARES];
    const unsigned count = tpi_budget_shares(session, shares);
    const size_t before = session->account.own.queued;

    tpi_budget_note_memory(session);
    for (unsigned i = 0; i < count; i++) {
        shares[i]->queued = shares[i]->queued - before + bytes;
    }
    tpi_budget_note_memory(session);
}

/* What is closed at the end of the turn does not count any more: many answers may come in a turn,
 * and each that is too much closes another client. One that is no guest any more counts elsewhere
 * as soon as that is asked. */
static void close_slowest(const tp_session *any)
{
    tpi_budget *budget = budget_of(any);

    while (budget->classes[TPI_GUESTS].queued > MOST_QUEUED) {
        tp_session *slowest = find_slowest(any);

        if (tpi_budget_is_guest(slowest)) {
            count_queued(slowest, 0);
            slowest->account.is_closed = true;
            budget->lose(slowest);
        }
    }
}

static void set_queued(tp_session *session, size_t bytes)
{
    const size_t before = session->account.own.queued;

    if (before == bytes || session->account.is_closed) {
        return;
    }
    const tpi_class class = tpi_budget_class(session);
    const size_t most = client_queued[class];
    const bool was_behind = before >= most;
    count_queued(session, bytes);
    if (bytes > before && class == TPI_GUESTS) {
        close_slowest(session);
    }
    if (was_behind && bytes < most) {
        session->events->ready(session->context);
    }
}

void tpi_budget_queued(tp_session *session, size_t bytes)
{
    set_queued(session, bytes + session->account.in_front);
}

void tp_session_owes(tp_session *session, size_t bytes)
{
    assert(session_is_current(session));
    if (!session->account.is_closed) {
        const size_t in_queue = session->account.own.queued - session->account.in_front;

        session->account.in_front = bytes;
        set_queued(session, in_queue + bytes);
    }
}

bool tpi_budget_is_behind(tp_session *session)
{
    return session->account.own.queued >= client_queued[tpi_budget_class(session)];
}
