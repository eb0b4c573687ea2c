/* arrival.c - how old bytes can be that are read from a socket; see arrival.h. */
#include "loop/arrival.h"

#include "troupe/clock.h"

/* While this side takes nothing, a window or a buffer can be full, and the kernel of the peer keeps
 * more of what was sent meanwhile. It delivers that as fast as this side reads. So what follows is
 * as old until this time has passed with less than `much` bytes, or `peer_holds` bytes have come.
 * The time is longer than the one after which a peer probes a closed window. */
static const int64_t settling_ns = 500 * TP_NS_PER_MS;

/* What is younger than this has not waited. */
static const int64_t old_ns = 20 * TP_NS_PER_MS;

static void set_mark(tpi_arrival *arrival, int64_t now_ns, size_t left, bool old)
{
    arrival->mark_ns = now_ns;
    arrival->ahead = left + (old ? arrival->peer_holds : 0);
    arrival->settles_ns = 0;
}

void tpi_arrival_wait(tpi_arrival *arrival, int64_t since_ns, int64_t now_ns, size_t left)
{
    if (!arrival->behind) {
        arrival->behind = true;
        arrival->since_ns = since_ns;
        set_mark(arrival, now_ns, left, now_ns - since_ns > old_ns);
    }
}

static void forget(tpi_arrival *arrival)
{
    arrival->behind = false;
    arrival->ahead = arrival->taken = 0;
    arrival->settles_ns = 0;
}

void tpi_arrival_resume(tpi_arrival *arrival, size_t unread)
{
    const bool peer_holds_some = arrival->ahead > 0 || arrival->settles_ns != 0;

    if (unread == 0 && !peer_holds_some) {
        forget(arrival);
    }
}

/* The peer may hold more. */
static void settle(tpi_arrival *arrival, int64_t since_ns, int64_t now_ns)
{
    if (arrival->settles_ns == 0) {
        arrival->ahead = arrival->peer_holds;
    }
    arrival->behind = true;
    arrival->since_ns = since_ns;
    arrival->taken = 0;
    arrival->settles_ns = now_ns + settling_ns;
}

static void read_to_end(tpi_arrival *arrival, int64_t since_ns, int64_t now_ns, size_t length)
{
    const bool settles = arrival->settles_ns != 0;

    if (settles && arrival->ahead <= length) {
        forget(arrival);
        return;
    }
    arrival->ahead -= settles ? length : 0;
    if (now_ns - since_ns > old_ns && arrival->peer_holds > 0 && arrival->taken >= arrival->much) {
        settle(arrival, since_ns, now_ns);
    } else if (now_ns >= arrival->settles_ns) {
        forget(arrival);
    }
}

static void read_some(tpi_arrival *arrival, int64_t since_ns, int64_t now_ns, size_t length,
                      size_t left)
{
    const bool old = now_ns - since_ns > old_ns;

    if (!arrival->behind) {
        tpi_arrival_wait(arrival, since_ns, now_ns, left);
    } else if (arrival->ahead <= length) {
        arrival->since_ns = arrival->mark_ns;
        set_mark(arrival, now_ns, left, old);
    } else {
        arrival->ahead -= length;
    }
}

int64_t tpi_arrival_read(tpi_arrival *arrival, int64_t turn_ns, int64_t now_ns, size_t length,
                         bool drained, size_t left)
{
    const int64_t since_ns = arrival->behind ? arrival->since_ns : turn_ns;
    arrival->taken += now_ns - since_ns > old_ns ? length : 0;
    if (drained) {
        read_to_end(arrival, since_ns, now_ns, length);
    } else {
        read_some(arrival, since_ns, now_ns, length, left);
    }
    return since_ns;
}
