/*
 * greetings.c - whose greeting of TLS makes its next step.
 *
 * Greetings cost more than anything else that a stranger can ask for. They wait in a list, a turn
 * makes one step of one of them, and hosts take turns: who floods the server with greetings waits
 * for them, and nobody else does. OpenSSL gets what has come when the turn of a greeting comes, and
 * takes far more memory than what waits. So few have begun at a time: when there are too many, the
 * oldest of the host with most of them is closed. Every other turn is for those that have begun, so
 * that none is closed because it waits for the server.
 */
#include <assert.h>
#include <string.h>

#include "tls.h"

enum { LEFT_AT_ONCE = 16 }; /* peers that have left are forgotten in a turn */

static bool same_host(const struct connection *a, const struct connection *b)
{
    const char *one = tp_stream_peer(a->stream), *other = tp_stream_peer(b->stream);
    const char *end = strrchr(one, ':');
    const size_t length = end != NULL ? (size_t)(end - one) + 1 : strlen(one) + 1;

    return strncmp(one, other, length) == 0;
}

/* ---- Those that wait ------------------------------------------------------------------------- */

static struct connection **last_place(struct greetings *greetings)
{
    struct connection **at = &greetings->first;

    while (*at != NULL) {
        at = &(*at)->tls->next;
    }
    return at;
}

void tpi_web_greeting_waits(struct connection *c)
{
    struct web_front *front = c->front;

    assert(front_is_current(front));
    c->tls->waits = true;
    *last_place(&front->greetings) = c;
    tp_loop_later(front->loop, &front->greetings.step);
}

static void leave_list(struct connection *c)
{
    struct connection **at = &c->front->greetings.first;

    while (*at != NULL && *at != c) {
        at = &(*at)->tls->next;
    }
    if (*at == c) {
        *at = c->tls->next;
        c->tls->next = NULL;
    }
    c->tls->waits = false;
}

/* Behind the first of the list, all others of its host go behind those of other hosts. */
static void put_host_back(const struct connection *first)
{
    struct connection *again = NULL, **end = &again;
    struct connection **at = &first->tls->next;

    while (*at != NULL) {
        struct connection *c = *at;

        if (same_host(first, c)) {
            *at = c->tls->next;
            c->tls->next = NULL;
            *end = c;
            end = &c->tls->next;
        } else {
            at = &c->tls->next;
        }
    }
    *at = again;
}

static struct connection *find_begun(const struct greetings *greetings)
{
    struct connection *c = greetings->first;

    while (c != NULL && c->tls->ssl == NULL) {
        c = c->tls->next;
    }
    return c;
}

/* The one that makes its next step. */
static struct connection *take_greeting(struct greetings *greetings)
{
    struct connection *c = NULL;

    greetings->of_begun = !greetings->of_begun;
    if (greetings->of_begun) {
        c = find_begun(greetings);
    }
    if (c == NULL) {
        c = greetings->first;
        put_host_back(c);
    }
    leave_list(c);
    return c;
}

/* A peer that has left cannot end its greeting. */
static void forget_left(struct greetings *greetings)
{
    unsigned most = LEFT_AT_ONCE;

    while (greetings->first != NULL && most-- > 0 && tp_stream_has_left(greetings->first->stream)) {
        struct connection *c = greetings->first;

        leave_list(c);
        tpi_web_give_up(c);
    }
}

struct connection *tpi_web_next_greeting(struct web_front *front)
{
    assert(front_is_current(front));
    forget_left(&front->greetings);
    return front->greetings.first != NULL ? take_greeting(&front->greetings) : NULL;
}

/* ---- Those that have begun ------------------------------------------------------------------- */

static void forget_begun(struct connection *c)
{
    struct greetings *greetings = &c->front->greetings;

    for (unsigned i = 0; i < greetings->begun_count; i++) {
        if (greetings->begun[i] == c) {
            greetings->begun_count--;
            memmove((void *)(greetings->begun + i), (void *)(greetings->begun + i + 1),
                    (greetings->begun_count - i) * sizeof(struct connection *));
            return;
        }
    }
}

/* Of those that have begun, the oldest of the host with most. */
static struct connection *find_oldest(const struct greetings *greetings)
{
    struct connection *oldest = NULL;
    unsigned most = 0;

    for (unsigned i = 0; i < greetings->begun_count; i++) {
        unsigned count = 0;

        for (unsigned j = i; j < greetings->begun_count; j++) {
            count += same_host(greetings->begun[i], greetings->begun[j]);
        }
        if (count > most) {
            most = count;
            oldest = greetings->begun[i];
        }
    }
    return oldest;
}

void tpi_web_greeting_begins(struct connection *c)
{
    struct greetings *greetings = &c->front->greetings;

    assert(front_is_current(c->front));
    if (greetings->begun_count == MOST_GREETINGS) {
        struct connection *oldest = find_oldest(greetings);

        forget_begun(oldest);
        tpi_web_give_up(oldest);
    }
    greetings->begun[greetings->begun_count++] = c;
}

void tpi_web_greeting_ends(struct connection *c)
{
    assert(front_is_current(c->front));
    forget_begun(c);
    leave_list(c);
}
