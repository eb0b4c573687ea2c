/*
 * turns.h - talking in turns: a controller that answers every message, and hears the next one only
 * then.
 *
 * Messages wait in two queues; those of `urgent` go first. The driver says when an answer is whole.
 * A message that is not answered in half a second is lost: the next one goes out.
 */
#ifndef CLASSIC_TURNS_H
#define CLASSIC_TURNS_H

#include "troupe/port.h"

enum { TURNS_MOST = 48, TURNS_LONGEST = 24 };

struct turn {
    uint8_t bytes[TURNS_LONGEST];
    size_t length;
    unsigned tag; /* the driver's own: what it is */
};

struct turn_queue {
    struct turn turns[TURNS_MOST];
    size_t first, count;
};

struct turns {
    tp_port *port; /* borrowed */
    struct turn_queue urgent, rest;
    struct turn now; /* valid while `asked` */
    bool asked;
    int64_t asked_ns, deaf_ns; /* until then, what comes is of no message */
    uint64_t lost;
};

/* Forget everything. */
void tpi_turns_begin(struct turns *t, tp_port *port);

/* Add a message; one that finds its queue full is dropped, which tells false. */
bool tpi_turns_add(struct turns *t, bool urgent, unsigned tag, const void *bytes, size_t length);

/* Drop the urgent messages with this tag that were not said yet. */
void tpi_turns_drop(struct turns *t, unsigned tag);

/* Say the next message, if it is time. A panic is no failure: nothing is said then. */
tp_status tpi_turns_next(struct turns *t, int64_t now_ns, tp_error *err);

/* The answer to `now` is whole. */
void tpi_turns_answered(struct turns *t);

/* Say this at once, whatever is being answered, and drop everything that waits: a stop. What comes
 * in the next 50 ms is not heard. */
void tpi_turns_interrupt(struct turns *t, int64_t now_ns, const void *bytes, size_t length);

/* Are bytes that come now part of an answer? */
bool tpi_turns_listens(const struct turns *t, int64_t now_ns);

#endif
