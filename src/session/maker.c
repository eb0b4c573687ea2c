/* maker.c - threads that encode large answers; see maker.h. */
#include "session/maker.h"

#include <assert.h>
#include <stdlib.h>

#include "bus/pool.h"
#include "session/session.h"
#include "session/tidy.h"

enum { MAKING_WAITS, MAKING_TAKEN, MAKING_LEFT };

/* An answer on its way through a thread. A field belongs to the loop if nothing else is said. */
struct making {
    tpi_item item;       /* to the thread */
    tpi_task task;       /* and back */
    tp_loop *loop;       /* borrowed */
    tp_session *session; /* NULL if it is gone */
    struct making *next; /* of the session */
    struct making *previous;
    size_t cost;
    bool service;
    size_t *counted;  /* borrowed: the bytes of blocks that it is a part of; NULL for none */
    atomic_int state; /* who comes first, the thread or the end of the session */

    /* The thread's from MAKING_TAKEN on, until it returns. */
    const tp_encoding *encoding; /* NULL for an answer that only keeps its place */
    tp_msghdr header;
    tp_msg *answer;        /* owned reference; NULL for a block */
    const tp_struct *type; /* of the block */
    void *block;           /* owned */
    tp_msg *made;          /* owned reference */
    tp_status status;
    bool ends; /* the thread ends */
};

/* ---- In the thread --------------------------------------------------------------------------- */

/* Whether the caller came first. */
static bool claim(struct making *m, int state)
{
    int waits = MAKING_WAITS;

    return atomic_compare_exchange_strong(&m->state, &waits, state);
}

static void drop_value(struct making *m)
{
    tp_msg_unref(m->answer);
    free(m->block);
    m->answer = NULL;
    m->block = NULL;
}

static void make(struct making *m)
{
    if (!claim(m, MAKING_TAKEN)) {
        m->status = TP_E_CLOSED;
        return;
    }
    const tp_struct *type = m->answer != NULL ? tp_msg_type(m->answer) : m->type;
    const void *value = m->answer != NULL ? tp_msg_payload(m->answer) : m->block;

    if (m->encoding == NULL) {
        m->made = m->answer;
        m->answer = NULL;
        return;
    }
    m->status = tp_msg_create_encoded(&m->made, m->encoding, &m->header, type, value);
    drop_value(m);
}

static void returned(tpi_task *task);

/* Whether the thread goes on. */
static bool work_off(const tpi_maker *maker, struct making *m)
{
    if (m->ends) {
        return false;
    }
    make(m);
    m->task.run = returned;
    tpi_loop_post(maker->loop, &m->task);
    return true;
}

static void thread_main(void *context)
{
    tpi_maker *maker = context;
    bool goes_on = true;

    if (maker->gives_way) {
        tpi_thread_give_way();
    }
    while (goes_on) {
        tpi_item *item;
        tpi_wait(&maker->bell.fd, 1, TP_NEVER);
        tpi_bell_silence(&maker->bell);
        for (item = tpi_inbox_take(&maker->inbox); item != NULL;) {
            tpi_item *next = item->next;
            goes_on = work_off(maker, (struct making *)item) && goes_on;
            item = next;
        }
    }
    tpi_pool_leave();
}

/* ---- The threads ----------------------------------------------------------------------------- */

static void ring(void *context)
{
    const tpi_maker *maker = context;

    tpi_bell_ring(&maker->bell);
}

void tpi_makers_init(tpi_makers *makers, tp_loop *loop)
{
    for (unsigned i = 0; i < TPI_CLASSES; i++) {
        makers->makers[i].loop = loop;
        makers->makers[i].gives_way = i == TPI_GUESTS;
        makers->makers[i].bell.fd = -1;
        tpi_inbox_init(&makers->makers[i].inbox, ring, &makers->makers[i]);
    }
}

static bool start(tpi_maker *maker)
{
    if (maker->thread != NULL) {
        return true;
    }
    if (maker->bell.fd < 0 && tpi_bell_init(&maker->bell, NULL) != TP_OK) {
        return false;
    }
    return tpi_thread_start(&maker->thread, "maker", thread_main, maker, NULL) == TP_OK;
}

void tpi_makers_fini(tpi_makers *makers)
{
    struct making last = {.ends = true};

    for (unsigned i = 0; i < TPI_CLASSES; i++) {
        tpi_maker *maker = &makers->makers[i];
        if (maker->thread != NULL) {
            tpi_inbox_post(&maker->inbox, &last.item);
            tpi_thread_join(maker->thread);
        }
        tpi_bell_fini(&maker->bell);
    }
}

/* ---- On the loop ----------------------------------------------------------------------------- */

static void count_no_more(struct making *m)
{
    if (m->counted != NULL) {
        *m->counted -= m->cost;
        m->counted = NULL;
    }
}

static void forget(struct making *m)
{
    struct makings *makings = &m->session->makings;

    if (m->previous != NULL) {
        m->previous->next = m->next;
    } else {
        makings->first = m->next;
    }
    if (m->next != NULL) {
        m->next->previous = m->previous;
    }
    makings->services -= m->service;
    tpi_budget_release(m->session, m->cost);
}

static void returned(tpi_task *task)
{
    struct making *m = (struct making *)((char *)task - offsetof(struct making, task));
    tp_session *session = m->session;

    count_no_more(m);
    if (session != NULL) {
        assert(session_is_current(session));
        forget(m);
        if (m->status == TP_OK) {
            (void)tp_session_queue(session, m->made); /* the session itself reports a loss */
        } else {
            (void)tp_session_refuse(session, &m->header, m->status,
                                    m->status == TP_E_LIMIT
                                        ? "the answer is too large for one message"
                                        : tp_status_text(m->status));
        }
        session->events->ready(session->context);
    }
    tp_msg_unref(m->made);
    free(m);
}

static tpi_maker *maker_for(tp_session *session)
{
    const tpi_class class = tpi_budget_is_guest(session) ? TPI_GUESTS : TPI_MEMBERS;
    tpi_maker *maker = &session->clients->makers.makers[class];

    return start(maker) ? maker : NULL;
}

/* Hand over; what it needs is in `m` already. */
static void post(tpi_maker *maker, tp_session *session, struct making *m)
{
    m->session = session;
    m->next = session->makings.first;
    if (m->next != NULL) {
        m->next->previous = m;
    }
    session->makings.first = m;
    session->makings.services += m->service;
    tpi_tidy_expect(&session->clients->tidy);
    tpi_inbox_post(&maker->inbox, &m->item);
}

/* A value has room for the longest lists of its type; what counts is how much of it is used. */
static bool is_large(const tp_msg *answer)
{
    size_t bytes = 0;

    return answer->weight > TPI_MAKER_LARGE && tp_msg_type(answer) != NULL &&
           tp_xdr_size(tp_msg_type(answer), tp_msg_payload(answer), &bytes) == TP_OK &&
           bytes > TPI_MAKER_LARGE;
}

void tpi_maker_answer(tp_session *session, tp_msg *answer, size_t cost)
{
    const tp_encoding *encoding = tpi_mailbox_encoding(session);
    const bool large = encoding != NULL && is_large(answer);
    const bool behind = session->makings.first != NULL;
    tpi_maker *maker = large || behind ? maker_for(session) : NULL;
    struct making *m = maker != NULL ? calloc(1, sizeof *m) : NULL;

    assert(session_is_current(session));
    if (m == NULL) {
        tpi_budget_release(session, cost);
        (void)tp_session_queue(session, answer);
        return;
    }
    m->answer = tp_msg_ref(answer);
    m->header = *tp_msg_header(answer);
    m->encoding = large ? encoding : NULL;
    m->cost = cost;
    post(maker, session, m);
}

bool tpi_maker_serve(tp_session *session, const tp_msghdr *header, const tp_struct *type,
                     void *block, size_t bytes)
{
    const tp_encoding *encoding = tpi_mailbox_encoding(session);
    tpi_maker *maker = encoding != NULL && bytes > TPI_MAKER_LARGE ? maker_for(session) : NULL;
    struct making *m = maker != NULL ? calloc(1, sizeof *m) : NULL;

    if (m == NULL) {
        return false;
    }
    m->header = *header;
    m->type = type;
    m->block = block;
    m->encoding = encoding;
    m->cost = bytes;
    m->service = true;
    if (tpi_budget_is_guest(session)) {
        m->counted = &session->clients->budget.blocks;
        *m->counted += bytes;
    }
    tpi_budget_reserve(session, bytes);
    post(maker, session, m);
    return true;
}

bool tpi_maker_is_busy(const tp_session *session)
{
    return session->makings.services > 0;
}

void tpi_maker_leave(tp_session *session)
{
    while (session->makings.first != NULL) {
        struct making *m = session->makings.first;
        forget(m);
        m->session = NULL;
        count_no_more(m);
        if (claim(m, MAKING_LEFT)) {
            drop_value(m); /* the thread of guests may not come to it for long */
        }
    }
}
