/* turns.c - see turns.h. */
#include "turns.h"

#include <string.h>

void tpi_turns_begin(struct turns *t, tp_port *port)
{
    *t = (struct turns){.port = port};
}

bool tpi_turns_add(struct turns *t, bool urgent, unsigned tag, const void *bytes, size_t length)
{
    struct turn_queue *queue = urgent ? &t->urgent : &t->rest;

    if (queue->count == TURNS_MOST || length > TURNS_LONGEST) {
        return false;
    }
    struct turn *turn = &queue->turns[(queue->first + queue->count++) % TURNS_MOST];
    memcpy(turn->bytes, bytes, length);
    turn->length = length;
    turn->tag = tag;
    return true;
}

static bool take(struct turn_queue *queue, struct turn *out)
{
    if (queue->count == 0) {
        return false;
    }
    *out = queue->turns[queue->first];
    queue->first = (queue->first + 1) % TURNS_MOST;
    queue->count--;
    return true;
}

void tpi_turns_drop(struct turns *t, unsigned tag)
{
    struct turn turn;

    for (size_t i = t->urgent.count; i > 0; i--) {
        if (take(&t->urgent, &turn) && turn.tag != tag) {
            (void)tpi_turns_add(t, true, turn.tag, turn.bytes, turn.length);
        }
    }
}

tp_status tpi_turns_next(struct turns *t, int64_t now_ns, tp_error *err)
{
    tp_status status = TP_OK;

    if (now_ns < t->deaf_ns || (t->asked && now_ns - t->asked_ns < TP_NS_PER_S / 2)) {
        return TP_OK;
    }
    t->lost += t->asked;
    t->asked = take(&t->urgent, &t->now) || take(&t->rest, &t->now);
    if (t->asked) {
        t->asked_ns = now_ns;
        status = tp_port_write(t->port, t->now.bytes, t->now.length, err);
        t->asked = status == TP_OK;
    }
    return status == TP_E_DENIED ? TP_OK : status;
}

void tpi_turns_answered(struct turns *t)
{
    t->asked = false;
}

void tpi_turns_interrupt(struct turns *t, int64_t now_ns, const void *bytes, size_t length)
{
    t->urgent.count = t->rest.count = 0;
    t->asked = false;
    t->deaf_ns = now_ns + 50 * TP_NS_PER_MS;
    (void)tp_port_write(t->port, bytes, length, NULL);
}

bool tpi_turns_listens(const struct turns *t, int64_t now_ns)
{
    return t->asked && now_ns >= t->deaf_ns;
}
