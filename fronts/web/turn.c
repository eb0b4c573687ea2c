/* turn.c - what is put off to the end of a turn: writing, closing, the graph. */
#include <assert.h>

#include "inside.h"

void tpi_web_give_up(struct connection *c)
{
    c->ending = true;
    tp_loop_after(c->front->loop, &c->flush);
}

void tpi_web_flush(struct connection *c)
{
    tp_loop_after(c->front->loop, &c->flush);
}

void tpi_web_graph_changed(struct web_front *front)
{
    front->graph_version++;
}
