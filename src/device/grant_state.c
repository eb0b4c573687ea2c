/* grant_state.c - what owner, loop and player of a grant share; see grant.h. From any thread. */
#include "device/grant.h"

/* When the hub ends, all that is left happens on this thread, and the loop does not turn again. */
void tpi_grant_to_loop(const tp_grant *grant, tpi_task *task)
{
    const tpi_hub *hub = grant->link->instance->hub;

    if (hub->closing) {
        task->run(task);
    } else {
        tpi_loop_post(hub->loop, task);
    }
}

bool tpi_grant_close(tp_grant *grant, tpi_grant_end why)
{
    int lasts = TPI_GRANT_LASTS;

    return atomic_compare_exchange_strong(&grant->ending, &lasts, (int)why);
}

bool tpi_grant_lasts(const tp_grant *grant)
{
    return atomic_load(&grant->ending) == TPI_GRANT_LASTS;
}

void tpi_grant_drop(tp_grant *grant, tpi_slot *slot)
{
    const bool panic = atomic_load(&grant->ending) == TPI_GRANT_PANIC;
    int waiting = TPI_SLOT_WAITING;

    if (atomic_compare_exchange_strong(&slot->state, &waiting, TPI_SLOT_TAKEN)) {
        atomic_fetch_add(panic ? &grant->counts.panic : &grant->counts.end, 1);
    }
}

void tpi_grant_finished(tp_grant *grant)
{
    tpi_grant_to_loop(grant, &grant->way.end_task);
}
