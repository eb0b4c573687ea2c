/* budget_data.c - data that waits for guests; see budget.h. */
#include "session/session.h"

/* Bytes of messages without their encodings, which can be as long: with more, some are dropped; and
 * if that does not help, guests are closed. */
enum { MOST_DATA = 16 << 20, FAR_TOO_MUCH = 2 * MOST_DATA };

enum { AT_ONCE = 16 }; /* sessions in a turn */

static tpi_budget *budget_of(const tp_session *session)
{
    return &session->clients->budget;
}

static void thin(tpi_budget *budget, tp_session *session)
{
    if (session->queue.group != NULL && tpi_queue_thin(&session->queue)) {
        tpi_pause_end(session);
        budget->dropped = true;
    }
}

/* The next sessions of a round; whether it is over. */
static bool thin_some(tpi_budget *budget, tp_session *sessions)
{
    tp_session *session = sessions;

    for (size_t i = 0; session != NULL && i < budget->relieved; i++) {
        session = session->next;
    }
    for (int i = 0; session != NULL && i < AT_ONCE; i++) {
        thin(budget, session);
        session = session->next;
        budget->relieved++;
    }
    return session == NULL;
}

/* The guest with the most data; NULL if none has any. */
static tp_session *find_largest(tp_session *sessions)
{
    tp_session *largest = NULL;
    size_t most = 0;

    for (tp_session *session = sessions; session != NULL; session = session->next) {
        if (session->queue.group != NULL && session->queue.bytes > most) {
            most = session->queue.bytes;
            largest = session;
        }
    }
    return largest;
}

/* What a client that is closed has does not count any more: it is released at the end of the turn.
 */
static void close_largest(tpi_budget *budget, tp_session *sessions)
{
    tp_session *largest;

    while (budget->data.bytes > FAR_TOO_MUCH && (largest = find_largest(sessions)) != NULL) {
        tpi_queue_join(&largest->queue, NULL);
        budget->lose(largest);
    }
}

/* Thousands of guests may have much: some of them in a turn. */
static void relieve(tp_after *after)
{
    tpi_budget *budget = (tpi_budget *)((char *)after - offsetof(tpi_budget, relief));
    tp_session *sessions = tpi_clients_first(budget->hub);

    if (thin_some(budget, sessions)) {
        if (!budget->dropped) {
            close_largest(budget, sessions);
        }
        const bool is_over = !budget->dropped || budget->data.bytes <= MOST_DATA / 2;
        budget->relieved = 0;
        budget->dropped = false;
        if (is_over) {
            return;
        }
    }
    tp_loop_later(tpi_hub_loop(budget->hub), &budget->relief);
}

void tpi_budget_data_queued(tp_session *session)
{
    tpi_budget *budget = budget_of(session);

    if (session->queue.group != NULL && budget->data.bytes > MOST_DATA) {
        tpi_tidy_expect(&session->clients->tidy);
        tp_loop_later(tpi_hub_loop(budget->hub), &budget->relief);
    }
}

void tpi_budget_init_data(tpi_budget *budget)
{
    budget->relief.run = relieve;
}

void tpi_budget_fini_data(tpi_budget *budget)
{
    tp_loop_after_cancel(tpi_hub_loop(budget->hub), &budget->relief);
}
