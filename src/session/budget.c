/* budget.c - accounts of clients, hosts and classes: work and answers; see budget.h. */
#include "session/budget.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"

enum {
    HOST_NAME = 64,
    MESSAGE_PRICE = 256,      /* work for a message, and 1 for each of its bytes */
    UNKNOWN_ANSWER = 1 << 20, /* bytes of an answer that nobody has asked for yet */
    PLAIN_ANSWER = 256,       /* bytes around the value */
    MOST_QUEUED = 32 << 20,   /* bytes of replies that wait for all guests together */
};

/* What one account may have at the same time. */
struct limits {
    int64_t work;
    size_t answers;
    size_t queued;
};

static const struct limits client_limits[TPI_CLASSES] = {
    [TPI_GUESTS] = {.work = 250000, .answers = 4 << 20, .queued = 256 << 10},
    [TPI_MEMBERS] = {.work = 1000000, .answers = 16 << 20, .queued = 4 << 20},
};
static const struct limits host_limits = {.work = 350000, .answers = 8 << 20};
static const struct limits class_limits[TPI_CLASSES] = {
    [TPI_GUESTS] = {.work = 500000, .answers = 16 << 20},
    [TPI_MEMBERS] = {.work = INT64_MAX, .answers = 128 << 20},
};

struct tpi_budget_host {
    char name[HOST_NAME];
    size_t clients;
    tpi_share share;
    struct tpi_budget_host *next;
};

/* ---- Accounts -------------------------------------------------------------------------------- */

static tpi_budget *budget_of(const tp_session *session)
{
    return &session->clients->budget;
}

/* The shares that a session is charged for; the host's only if it is a guest. */
enum { MOST_SHARES = 3 };
static unsigned shares_of(tp_session *session, tpi_class class, tpi_share *out[MOST_SHARES])
{
    unsigned count = 0;

    out[count++] = &session->account.own;
    out[count++] = &budget_of(session)->classes[class];
    if (class == TPI_GUESTS && session->account.host != NULL) {
        out[count++] = &session->account.host->share;
    }
    return count;
}

static int64_t work_of(const tpi_budget *budget, const tpi_share *share)
{
    return share->turn == budget->turn ? share->work : 0;
}

static void add_work(const tpi_budget *budget, tpi_share *share, int64_t work)
{
    share->work = work_of(budget, share) + work;
    share->turn = budget->turn;
}

static tpi_class class_now(const tp_session *session)
{
    const tpi_identity *identity = &session->identity;

    return tpi_identity_right(identity) >= TP_RIGHT_WRITE || identity->reach == TP_REACH_UNIX ||
                   identity->reach == TP_REACH_INSIDE
               ? TPI_MEMBERS
               : TPI_GUESTS;
}

/* What a session uses is counted by the class that it is in. */
static void move_usage(tp_session *session, int sign)
{
    const tpi_share *own = &session->account.own;
    tpi_share *shares[MOST_SHARES];
    const unsigned count = shares_of(session, session->account.class, shares);

    for (unsigned i = 1; i < count; i++) {
        shares[i]->answers += sign > 0 ? own->answers : -own->answers;
        shares[i]->held += sign > 0 ? own->held : -own->held;
        shares[i]->queued += sign > 0 ? own->queued : -own->queued;
    }
}

static void unlink_parked(tp_session *session);

/* The class that it is in; its right may have changed. */
static tpi_class settle(tp_session *session)
{
    const tpi_class class = class_now(session);

    if (class != session->account.class) {
        bool (*unpark)(tp_session *) = session->account.unpark;
        unlink_parked(session);
        move_usage(session, -1);
        session->account.class = class;
        move_usage(session, 1);
        if (unpark != NULL) {
            tpi_budget_park(session, unpark);
        }
    }
    return class;
}

bool tpi_budget_is_guest(tp_session *session)
{
    return settle(session) == TPI_GUESTS;
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

/* The name of a client without its port. */
static void cut_port(char host[HOST_NAME], const char *client)
{
    (void)snprintf(host, HOST_NAME, "%s", client);
    char *colon = strrchr(host, ':');
    if (colon != NULL) {
        *colon = '\0';
    }
}

static struct tpi_budget_host **bucket_of(tpi_budget *budget, const char *name)
{
    uint32_t hash = 2166136261U;

    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 16777619U;
    }
    return &budget->hosts[hash & (TPI_BUDGET_HOSTS - 1)];
}

static struct tpi_budget_host *take_host(tpi_budget *budget, const char *client)
{
    char name[HOST_NAME];

    cut_port(name, client);
    struct tpi_budget_host **bucket = bucket_of(budget, name);
    struct tpi_budget_host *host = *bucket;
    while (host != NULL && strcmp(host->name, name) != 0) {
        host = host->next;
    }
    if (host == NULL && (host = calloc(1, sizeof *host)) != NULL) {
        memcpy(host->name, name, sizeof name);
        host->next = *bucket;
        *bucket = host;
    }
    if (host != NULL) {
        host->clients++;
    }
    return host;
}

static void give_host(tpi_budget *budget, struct tpi_budget_host *host)
{
    if (host == NULL || --host->clients > 0) {
        return;
    }
    struct tpi_budget_host **at = bucket_of(budget, host->name);
    while (*at != host) {
        at = &(*at)->next;
    }
    *at = host->next;
    free(host);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void on_turn_end(tp_after *after);

void tpi_budget_init(tpi_budget *budget, tpi_hub *hub, void (*lose)(tp_session *session))
{
    budget->hub = hub;
    budget->lose = lose;
    budget->turn = 1;
    budget->turn_end.run = on_turn_end;
}

void tpi_budget_fini(tpi_budget *budget)
{
    tp_loop_after_cancel(tpi_hub_loop(budget->hub), &budget->turn_end);
    tp_timer_destroy(budget->holding);
}

/* Without memory for it the host has no account of its own. */
void tpi_budget_enter(tp_session *session)
{
    tpi_budget *budget = budget_of(session);
    struct tpi_budget_host *before = session->account.host;

    assert(session_is_current(session));
    move_usage(session, -1);
    session->account.host = take_host(budget, session->identity.name);
    session->account.class = class_now(session);
    move_usage(session, 1);
    give_host(budget, before);
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

static void unlink_parked(tp_session *session)
{
    tp_session **at = &budget_of(session)->parked[session->account.class];

    if (session->account.unpark == NULL) {
        return;
    }
    while (*at != session) {
        at = &(*at)->account.next_parked;
    }
    *at = session->account.next_parked;
    session->account.next_parked = NULL;
    session->account.unpark = NULL;
}

void tpi_budget_leave(tp_session *session)
{
    tpi_budget *budget = budget_of(session);

    assert(session_is_current(session));
    if (session->account.waiting) {
        unlink_waiting(&budget->denied, session);
        unlink_waiting(&budget->spent, session);
    }
    unlink_parked(session);
    move_usage(session, -1);
    session->account.own = (tpi_share){0};
    give_host(budget, session->account.host);
    session->account.host = NULL;
    if (budget->parked[TPI_GUESTS] != NULL || budget->parked[TPI_MEMBERS] != NULL) {
        tp_loop_after(tpi_hub_loop(budget->hub), &budget->turn_end);
    }
}

/* ---- Turns ----------------------------------------------------------------------------------- */

static void wake(tpi_waiting *list)
{
    while (list->first != NULL) {
        tp_session *session = list->first;
        list->first = session->account.next_waiting;
        session->account.next_waiting = NULL;
        session->account.waiting = false;
        session->events->ready(session->context);
    }
    list->last = NULL;
}

/* A session that finds no room does not keep those behind it from trying: it may be its own account
 * that is empty. */
static void try_parked(tpi_budget *budget, tpi_class class)
{
    tp_session *session = budget->parked[class];

    while (session != NULL) {
        tp_session *next = session->account.next_parked;
        bool (*unpark)(tp_session *) = session->account.unpark;
        if (unpark(session)) {
            unlink_parked(session);
            session->events->ready(session->context);
        }
        session = next;
    }
}

static void on_turn_end(tp_after *after)
{
    tpi_budget *budget = (tpi_budget *)((char *)after - offsetof(tpi_budget, turn_end));

    assert(tp_loop_is_current(tpi_hub_loop(budget->hub)));
    budget->turn++;
    for (tpi_class class = TPI_CLASSES; class -- > 0;) {
        try_parked(budget, class);
    }
    wake(&budget->denied);
    wake(&budget->spent);
}

/* ---- Work ------------------------------------------------------------------------------------ */

void tpi_budget_begin_work(tp_session *session)
{
    session->account.mark_ns = tp_clock_now_ns(tp_clock_real());
}

void tpi_budget_charge(tp_session *session, size_t bytes)
{
    tpi_budget *budget = budget_of(session);
    tpi_share *shares[MOST_SHARES];
    const unsigned count = shares_of(session, settle(session), shares);

    assert(session_is_current(session));
    for (unsigned i = 0; i < count; i++) {
        add_work(budget, shares[i], (int64_t)bytes);
    }
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

static bool is_spent(tp_session *session)
{
    const tpi_budget *budget = budget_of(session);
    const tpi_class class = settle(session);
    const struct tpi_budget_host *host = session->account.host;

    return work_of(budget, &session->account.own) >= client_limits[class].work ||
           work_of(budget, &budget->classes[class]) >= class_limits[class].work ||
           (class == TPI_GUESTS && host != NULL &&
            work_of(budget, &host->share) >= host_limits.work);
}

bool tpi_budget_may_work(tp_session *session)
{
    tpi_budget *budget = budget_of(session);

    assert(session_is_current(session));
    if (!is_spent(session)) {
        return true;
    }
    tpi_tidy_expect(&session->clients->tidy);
    if (!session->account.waiting) {
        tpi_waiting *list =
            work_of(budget, &session->account.own) == 0 ? &budget->denied : &budget->spent;
        *(list->last != NULL ? &list->last->account.next_waiting : &list->first) = session;
        list->last = session;
        session->account.waiting = true;
        tp_loop_after(tpi_hub_loop(budget->hub), &budget->turn_end);
    }
    return false;
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

size_t tpi_budget_estimate(const tp_session *session, const tp_message *what)
{
    const tpi_budget *budget = budget_of(session);

    if (what->answer == NULL) {
        return PLAIN_ANSWER;
    }
    if (budget->kinds[kind_of(what)].what == what) {
        return budget->kinds[kind_of(what)].bytes;
    }
    return varies(what->answer) ? UNKNOWN_ANSWER : PLAIN_ANSWER + what->answer->size;
}

/* The largest of the last answers; after smaller ones it goes down by and by. */
static void learn(tpi_budget *budget, const tp_message *what, size_t bytes)
{
    const size_t at = kind_of(what);
    const size_t before = budget->kinds[at].what == what ? budget->kinds[at].bytes : 0;

    budget->kinds[at].what = what;
    budget->kinds[at].bytes = bytes > before ? bytes : before - (before - bytes) / 4;
}

void tpi_budget_reserve(tp_session *session, size_t bytes)
{
    tpi_share *shares[MOST_SHARES];
    const unsigned count = shares_of(session, settle(session), shares);

    for (unsigned i = 0; i < count; i++) {
        shares[i]->answers += bytes;
    }
}

void tpi_budget_release(tp_session *session, size_t bytes)
{
    tpi_budget *budget = budget_of(session);
    tpi_share *shares[MOST_SHARES];
    const unsigned count = shares_of(session, settle(session), shares);

    for (unsigned i = 0; i < count; i++) {
        assert(shares[i]->answers >= bytes);
        shares[i]->answers -= bytes;
    }
    if (budget->parked[TPI_GUESTS] != NULL || budget->parked[TPI_MEMBERS] != NULL) {
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

/* While others wait, a new request leaves the second half of the class's account to them. */
bool tpi_budget_has_room(tp_session *session, size_t bytes)
{
    const tpi_budget *budget = budget_of(session);
    const tpi_class class = settle(session);
    const struct tpi_budget_host *host = session->account.host;
    const bool first = session->account.unpark != NULL || budget->parked[class] == NULL;
    const size_t most = class_limits[class].answers / (first ? 1 : 2);

    return fits(&session->account.own, bytes, client_limits[class].answers) &&
           fits(&budget->classes[class], bytes, most) &&
           (class != TPI_GUESTS || host == NULL || fits(&host->share, bytes, host_limits.answers));
}

void tpi_budget_park(tp_session *session, bool (*unpark)(tp_session *session))
{
    tp_session **at = &budget_of(session)->parked[settle(session)];

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

void tpi_budget_queued(tp_session *session, size_t bytes)
{
    tpi_share *own = &session->account.own;

    if (own->queued == bytes) {
        return;
    }
    const tpi_class class = settle(session);
    const size_t most = client_limits[class].queued;
    const bool was_behind = own->queued >= most;
    tpi_share *shares[MOST_SHARES];
    const unsigned count = shares_of(session, class, shares);
    const size_t before = own->queued;
    for (unsigned i = 0; i < count; i++) {
        shares[i]->queued = shares[i]->queued - before + bytes;
    }
    tpi_budget *budget = budget_of(session);
    if (bytes > before && class == TPI_GUESTS && budget->classes[class].queued > MOST_QUEUED) {
        budget->lose(find_slowest(session));
    }
    if (was_behind && bytes < most) {
        session->events->ready(session->context);
    }
}

bool tpi_budget_is_behind(tp_session *session)
{
    return session->account.own.queued >= client_limits[settle(session)].queued;
}

/* ---- Held bytes ------------------------------------------------------------------------------ */

void tpi_budget_count_held(tp_session *session, size_t before, size_t now)
{
    tpi_share *shares[MOST_SHARES];
    const unsigned count = shares_of(session, settle(session), shares);

    for (unsigned i = 0; i < count; i++) {
        shares[i]->held = shares[i]->held - before + now;
    }
}

size_t tpi_budget_host_held(const tp_session *session)
{
    return session->account.host != NULL ? session->account.host->share.held : 0;
}
