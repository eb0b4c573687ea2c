/* arrival.c - how old bytes can be that are read from a socket; see arrival.h. */
#include "loop/arrival.h"

#include "troupe/clock.h"

/* While this side takes nothing, a window or a buffer can be full, and the peer's side keeps more
 * of what was sent meanwhile. It arrives when this side has read: within this time. Less than so
 * many bytes fit into every buffer. */
static const int64_t settling_ns = 100 * TP_NS_PER_MS;
enum { MUCH = 16384 };

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

static void read_to_end(tpi_arrival *arrival, int64_t since_ns, int64_t now_ns, bool old)
{
    if (old && arrival->peer_holds > 0 && arrival->taken >= MUCH) {
        arrival->behind = true;
        arrival->since_ns = since_ns;
        arrival->ahead = arrival->peer_holds;
        arrival->settles_ns = now_ns + settling_ns;
    } else if (now_ns >= arrival->settles_ns) {
        arrival->behind = false;
        arrival->ahead = 0;
        arrival->settles_ns = 0;
    }
    arrival->taken = 0;
}

static void read_some(tpi_arrival *arrival, int64_t since_ns, int64_t now_ns, size_t length,
                      size_t left)
{
    const bool old = now_ns - since_ns > old_ns;

    if (!arrival->behind) {
        tpi_arrival_wait(arrival, since_ns, now_ns, left);
    } else if (arrival->settles_ns != 0 && now_ns >= arrival->settles_ns) {
        set_mark(arrival, now_ns, left, false);
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
    const bool old = now_ns - since_ns > old_ns;

    arrival->taken += old ? length : 0;
    if (drained) {
        read_to_end(arrival, since_ns, now_ns, old);
    } else {
        read_some(arrival, since_ns, now_ns, length, left);
    }
    return since_ns;
}
