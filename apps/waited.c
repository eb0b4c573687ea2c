/* waited.c - how much of the input waited while the program was frozen; see waited.h. */
#include "waited.h"

#include "troupe/clock.h"

/* A writer that waits for room goes on within this time. */
static const int64_t settling_ns = 500 * TP_NS_PER_MS;

double waited_look_s(struct waited *waited, int64_t now_ns, int64_t lease_ns, size_t there,
                     size_t room)
{
    const int64_t passed_ns = waited->looked_ns > 0 ? now_ns - waited->looked_ns : 0;

    waited->looked_ns = now_ns;
    if (passed_ns <= lease_ns) {
        return 0;
    }
    waited->bytes = there;
    waited->settles_ns = there >= room / 2 ? now_ns + settling_ns : 0;
    return (double)passed_ns / (double)TP_NS_PER_S;
}

size_t waited_take(struct waited *waited, int64_t now_ns, size_t length)
{
    const size_t old =
        now_ns < waited->settles_ns || waited->bytes > length ? length : waited->bytes;

    waited->bytes -= old < waited->bytes ? old : waited->bytes;
    return old;
}

bool waited_goes_on(const struct waited *waited, int64_t now_ns)
{
    return waited->bytes > 0 || now_ns < waited->settles_ns;
}

void waited_forget(struct waited *waited)
{
    waited->bytes = 0;
    waited->settles_ns = 0;
}
