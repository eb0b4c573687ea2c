/*
 * maker.h - threads that encode large answers, so that the loop never does.
 *
 * An answer is large if its value has more than TPI_MAKER_LARGE bytes. It is encoded, and with that
 * compressed if the encoding does so, by a thread, and queued for its client when it returns. There
 * is one thread for guests and one for members (budget.h): an answer of a member never waits for
 * those of guests. The order of a client's answers is kept: while one is with a thread, those
 * behind it take the same way. The threads start with the first large answer.
 */
#ifndef TROUPE_SESSION_MAKER_H
#define TROUPE_SESSION_MAKER_H

#include "loop/inbox.h"
#include "platform/thread.h"
#include "session/budget.h"

enum { TPI_MAKER_LARGE = 32 << 10 };

typedef struct tpi_maker {
    tp_loop *loop; /* borrowed */
    tpi_inbox inbox;
    tpi_bell bell;
    tpi_thread *thread; /* owned; NULL until there is something to do */
    bool gives_way;     /* to all other threads */
} tpi_maker;

typedef struct tpi_makers {
    tpi_maker makers[TPI_CLASSES];
} tpi_makers;

void tpi_makers_init(tpi_makers *makers, tp_loop *loop);

/* Ends the threads. All sessions are gone. */
void tpi_makers_fini(tpi_makers *makers);

/* An answer of a device: queue it for the client, at once or through a thread. `cost` bytes are
 * reserved for it, which end when it is queued. Takes a reference of its own. */
void tpi_maker_answer(tp_session *session, tp_msg *answer, size_t cost);

/* A large answer of a service, whose value is the block. Takes the block always. False if the
 * caller has to encode it: there is no thread, or the front reads payloads; the block is still the
 * caller's then. */
bool tpi_maker_serve(tp_session *session, const tp_msghdr *header, const tp_struct *type,
                     void *block, size_t bytes);

/* Whether the next message has to wait for an answer of a service. */
bool tpi_maker_is_busy(const tp_session *session);

/* The session ends: nobody waits for its answers. */
void tpi_maker_leave(tp_session *session);

#endif
