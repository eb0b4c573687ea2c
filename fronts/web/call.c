/* call.c - requests that were not answered yet. */
#include <assert.h>

#include "inside.h"

struct call *tpi_web_call_begin(struct client *client, call_kind kind)
{
    assert(front_is_current(client->front));
    for (unsigned i = 0; i < MOST_CALLS; i++) {
        struct call *call = &client->calls[i];

        if (call->kind == CALL_NONE) {
            *call = (struct call){.kind = kind, .began_ns = front_now(client->front)};
            client->call_count++;
            return call;
        }
    }
    return NULL;
}

uint32_t tpi_web_call_number(const struct client *client, const struct call *call)
{
    return (uint32_t)(call - client->calls) + 1;
}

void tpi_web_call_end(struct client *client, struct call *call)
{
    *call = (struct call){.kind = CALL_NONE};
    client->call_count--;
}
