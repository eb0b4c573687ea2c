/* lease.c - how long a device may keep moving without a message from its mover. */
#include "safety/lease.h"

/* Over at whatever time it is. */
enum { OVER = INT32_MIN };

void tpi_lease_init(tpi_lease *lease)
{
    atomic_init(&lease->ends_ns, TP_NEVER);
}

void tpi_lease_extend(tpi_lease *lease, int64_t ends_ns)
{
    atomic_store(&lease->ends_ns, ends_ns);
}

void tpi_lease_renew(tpi_lease *lease, int64_t now_ns, int64_t ends_ns)
{
    int64_t before = atomic_load(&lease->ends_ns);

    /* If the exchange fails, the worker was first: it has stopped the actuator. */
    if (before != TP_NEVER && before > now_ns) {
        atomic_compare_exchange_strong(&lease->ends_ns, &before, ends_ns);
    }
}

void tpi_lease_end(tpi_lease *lease)
{
    int64_t before = atomic_load(&lease->ends_ns);

    if (before != TP_NEVER) {
        atomic_compare_exchange_strong(&lease->ends_ns, &before, OVER);
    }
}

int64_t tpi_lease_deadline(const tpi_lease *lease)
{
    const int64_t ends_ns = atomic_load(&lease->ends_ns);

    return ends_ns == TPI_LEASE_UNLIMITED ? TP_NEVER : ends_ns;
}

bool tpi_lease_is_held(const tpi_lease *lease, int64_t now_ns)
{
    const int64_t ends_ns = atomic_load(&lease->ends_ns);

    return ends_ns != TP_NEVER && ends_ns > now_ns;
}

bool tpi_lease_take_expired(tpi_lease *lease, int64_t now_ns)
{
    int64_t ends_ns = atomic_load(&lease->ends_ns);

    while (ends_ns != TP_NEVER && ends_ns <= now_ns) {
        if (atomic_compare_exchange_weak(&lease->ends_ns, &ends_ns, TP_NEVER)) {
            return true;
        }
    }
    return false;
}
