/* estimate.c - see estimate.h. */
#include "motion/estimate.h"

#include <math.h>

static const double CONFIDENCE = 2; /* z: deviations between the mean and the bound */

void tpi_motion_estimate_add(tpi_motion_estimate *estimate, int64_t arrival_ns, int64_t tau_ns)
{
    if (estimate->arrivals++ == 0) {
        estimate->first_ns = estimate->last_ns = arrival_ns;
        estimate->first_tau_ns = estimate->last_tau_ns = tau_ns;
        return;
    }
    const double spacing = (double)(arrival_ns - estimate->last_ns);
    const double away = spacing - estimate->mean_ns;

    estimate->mean_ns += away / (double)(estimate->arrivals - 1);
    estimate->squares += away * (spacing - estimate->mean_ns);
    estimate->last_ns = arrival_ns;
    /* Frames may come in any order. */
    estimate->first_tau_ns = tau_ns < estimate->first_tau_ns ? tau_ns : estimate->first_tau_ns;
    estimate->last_tau_ns = tau_ns > estimate->last_tau_ns ? tau_ns : estimate->last_tau_ns;
}

static int64_t of_the_paper(const tpi_motion_estimate *e, int64_t duration_ns)
{
    const double commands = (double)(e->last_tau_ns - e->first_tau_ns);
    const double arrivals = (double)(e->last_ns - e->first_ns);
    const double slower = commands > 0 ? arrivals / commands : 1;

    return e->first_ns + (int64_t)(fmax(slower - 1, 0) * (double)duration_ns);
}

static int64_t upper_bound(const tpi_motion_estimate *e, uint32_t frames, int64_t duration_ns)
{
    const double m = e->arrivals - 1;
    const double n = frames > e->arrivals ? frames - e->arrivals : 0;
    const double deviation = sqrt(e->squares / (m - 1));
    const double wait = n * e->mean_ns + CONFIDENCE * deviation * sqrt(n * n / m + n);

    return e->last_ns + (int64_t)wait - duration_ns;
}

bool tpi_motion_estimate_start(const tpi_motion_estimate *estimate, tpi_motion_estimator estimator,
                               uint32_t frames, int64_t duration_ns, int64_t *start_ns)
{
    if (estimate->arrivals <= TPI_MOTION_ESTIMATE_LEAST) {
        return false;
    }
    *start_ns = estimator == TPI_MOTION_OF_THE_PAPER ? of_the_paper(estimate, duration_ns)
                                                     : upper_bound(estimate, frames, duration_ns);
    return true;
}
