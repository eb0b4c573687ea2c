/* lapse.c - whether a program was frozen; see lapse.h. */
#include "lapse.h"

#include "troupe/clock.h"

double lapse_look_s(struct lapse *lapse, int64_t now_ns, int64_t period_ns, int64_t lease_ns)
{
    const int64_t passed_ns = lapse->last_ns > 0 ? now_ns - lapse->last_ns : 0;

    lapse->last_ns = now_ns;
    return passed_ns > period_ns + lease_ns ? (double)passed_ns / (double)TP_NS_PER_S : 0;
}
