/* budget.c - accounts of clients, hosts and classes; see budget.h. */
#include "session/budget.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"

enum {
    HOST_NAME = 64,
    MUCH_MEMORY = 2 << 20, /* that a class holds and owes: ordinary clients do not */

    /* Of all guests together, which the web front does not reach with its own limit; but for so
     * many of each. */
    OPENINGS_OF_GUESTS = 40 << 10,
    FEW_OPENINGS = 32,
};

/* By one client: as in Player, it gets the data as often. */
static const unsigned openings_of_a_device[TPI_CLASSES] = {[TPI_GUESTS] = 16, [TPI_MEMBERS] = 64};

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

/* The host's only if it is a guest. */
static unsigned shares_of(tp_session *session, tpi_class class, tpi_share *out[TPI_SHARES])
{
    unsigned count = 0;

    out[count++] = &session->account.own;
    out[count++] = &budget_of(session)->classes[class];
    if (class == TPI_GUESTS && session->account.host != NULL) {
        out[count++] = &session->account.host->share;
    }
    return count;
}

static tpi_class class_now(const tp_session *session)
{
    const tpi_identity *identity = &session->identity;

    return tpi_identity_right(identity) >= TP_RIGHT_WRITE || identity->reach == TP_REACH_INSIDE ||
                   session->account.vouched
               ? TPI_MEMBERS
               : TPI_GUESTS;
}

/* What a session uses is counted by the class that it is in. */
static void move_usage(tp_session *session, int sign)
{
    const tpi_share *own = &session->account.own;
    tpi_share *shares[TPI_SHARES];
    const unsigned count = shares_of(session, session->account.class, shares);

    for (unsigned i = 1; i < count; i++) {
        shares[i]->answers += sign > 0 ? own->answers : -own->answers;
        shares[i]->held += sign > 0 ? own->held : -own->held;
        shares[i]->queued += sign > 0 ? own->queued : -own->queued;
        shares[i]->openings += sign > 0 ? own->openings : -own->openings;
    }
}

static void set_class(tp_session *session, tpi_class class)
{
    session->account.class = class;
    tpi_queue_join(&session->queue, class == TPI_GUESTS ? &budget_of(session)->data : NULL);
}

/* The class that it is in; its right may have changed. */
static tpi_class settle(tp_session *session)
{
    const tpi_class class = class_now(session);

    if (class != session->account.class) {
        move_usage(session, -1);
        set_class(session, class);
        move_usage(session, 1);
    }
    return class;
}

unsigned tpi_budget_shares(tp_session *session, tpi_share *out[TPI_SHARES])
{
    return shares_of(session, settle(session), out);
}

const tpi_share *tpi_budget_host_share(const tp_session *session)
{
    return session->account.class == TPI_GUESTS && session->account.host != NULL
               ? &session->account.host->share
               : NULL;
}

tpi_class tpi_budget_class(tp_session *session)
{
    return settle(session);
}

bool tpi_budget_is_guest(tp_session *session)
{
    return settle(session) == TPI_GUESTS;
}

bool tp_session_is_guest(tp_session *session)
{
    assert(session_is_current(session));
    return tpi_budget_is_guest(session);
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

void tpi_budget_init(tpi_budget *budget, tpi_hub *hub, void (*lose)(tp_session *session))
{
    budget->hub = hub;
    budget->lose = lose;
    tpi_budget_init_data(budget);
}

void tpi_budget_fini(tpi_budget *budget)
{
    tp_loop_after_cancel(tpi_hub_loop(budget->hub), &budget->turn_end);
    tp_timer_destroy(budget->rest);
    tpi_budget_fini_data(budget);
}

/* Without memory for it the host has no account of its own. */
void tpi_budget_enter(tp_session *session)
{
    tpi_budget *budget = budget_of(session);
    struct tpi_budget_host *before = session->account.host;

    assert(session_is_current(session));
    move_usage(session, -1);
    session->account.host = take_host(budget, session->identity.name);
    set_class(session, class_now(session));
    move_usage(session, 1);
    give_host(budget, before);
}

void tpi_budget_leave(tp_session *session)
{
    tpi_budget *budget = budget_of(session);

    assert(session_is_current(session));
    tpi_budget_note_memory(session);
    move_usage(session, -1);
    session->account.own = (tpi_share){0};
    give_host(budget, session->account.host);
    session->account.host = NULL;
    if (budget->parked != NULL) {
        tp_loop_after(tpi_hub_loop(budget->hub), &budget->turn_end);
    }
}

/* ---- Openings -------------------------------------------------------------------------------- */

tp_status tpi_budget_may_open(tp_session *session, const char *device, unsigned times,
                              tp_error *err)
{
    const tpi_class class = tpi_budget_class(session);

    if (times >= openings_of_a_device[class]) {
        return tp_fail(err, TP_E_LIMIT, "%s: the client has it open %u times", device, times);
    }
    if (class == TPI_GUESTS && session->account.own.openings >= FEW_OPENINGS &&
        budget_of(session)->classes[class].openings >= OPENINGS_OF_GUESTS) {
        return tp_fail(err, TP_E_LIMIT, "%s: clients that may only read have too many devices open",
                       device);
    }
    return TP_OK;
}

void tpi_budget_opened(tp_session *session, int more)
{
    tpi_share *shares[TPI_SHARES];
    const unsigned count = tpi_budget_shares(session, shares);

    for (unsigned i = 0; i < count; i++) {
        shares[i]->openings += (size_t)more;
    }
}

/* ---- Held bytes ------------------------------------------------------------------------------ */

void tpi_budget_note_memory(tp_session *session)
{
    const tpi_share *class = &budget_of(session)->classes[session->account.class];

    const size_t data = session->queue.group != NULL ? session->queue.group->bytes : 0;

    if (class->held + class->queued + data >= MUCH_MEMORY) {
        tpi_tidy_expect(&session->clients->tidy);
    }
}

void tpi_budget_count_held(tp_session *session, size_t before, size_t now)
{
    tpi_share *shares[TPI_SHARES];
    const unsigned count = tpi_budget_shares(session, shares);

    tpi_budget_note_memory(session);
    for (unsigned i = 0; i < count; i++) {
        shares[i]->held = shares[i]->held - before + now;
    }
    tpi_budget_note_memory(session);
}
