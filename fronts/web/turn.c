/* turn.c - what is put off: writing and closing to the end of a turn, the graph to the next tick.
 */
#include <assert.h>

#include "inside.h"

static const int64_t TICK_NS = 100 * TP_NS_PER_MS;

void tpi_web_somebody_came(struct web_front *front)
{
    assert(front_is_current(front));
    if (!front->ticking) {
        tp_timer_every(front->tick, TICK_NS);
        front->ticking = true;
    }
}

void tpi_web_give_up(struct connection *c)
{
    c->ending = true;
    tp_loop_after(c->front->loop, &c->flush);
}

static void flush_soon(struct connection *c, bool urgent)
{
    if (!c->ending) {
        tp_session_flush_soon(c->door->sessions[FORM_JSON], &c->flush, urgent);
    }
}

void tpi_web_flush(struct connection *c)
{
    flush_soon(c, true);
}

void tpi_web_flush_later(struct connection *c)
{
    flush_soon(c, false);
}

void tpi_web_graph_changed(struct web_front *front)
{
    front->graph.version++;
}
