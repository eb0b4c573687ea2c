/* sync.c - the server's clock, seen from a client; see sync.h. */
#include "client/motion/sync.h"

#include <math.h>

#include "troupe/clock.h"

/* Clocks of machines differ by less. */
static const double MOST_DRIFT = 500e-6;
/* Most differ by less: what is not known of the drift does not widen the estimate's bounds more. */
static const double USUAL_DRIFT = 120e-6;
/* What a drift that was measured long enough may still be wrong by. */
static const double LEAST_DOUBT = 1e-6;
/* The time that is read runs at most this much faster or slower than the estimate. */
static const double SLEW = 0.05;
/* A clock that is further behind than this is set forward; one further ahead stands. */
static const int64_t JUMP_NS = 1000 * TP_NS_PER_MS;
static const int64_t EARLY_PAUSE_NS = 97 * TP_NS_PER_MS;
static const int64_t PAUSE_NS = INT64_C(983900) * TP_NS_PER_US;
/* Stamps on the wire are whole microseconds. */
static const double GRAIN_NS = 1000;

/* ---- The estimate ---------------------------------------------------------------------------- */

static int64_t trip_of(const tpi_sync_exchange *e)
{
    return e->upper_ns - e->lower_ns;
}

static int64_t least_trip(const tpi_sync *s)
{
    int64_t least = INT64_MAX;

    for (uint32_t i = 0; i < s->count; i++) {
        least = trip_of(&s->kept[i]) < least ? trip_of(&s->kept[i]) : least;
    }
    return least;
}

/* Sums of a weighted regression of the offset over time, both relative to the last exchange. */
struct sums {
    double w, x, y, xx, xy;
};

/* A regression under way. */
struct fit {
    const tpi_sync *sync;
    const tpi_sync_exchange *last;
    double least; /* round trip */
    double scale; /* how much longer the best quarter takes: what is usual on this link */
};

static double time_of(const struct fit *fit, const tpi_sync_exchange *e)
{
    return (double)(e->at_ns - fit->last->at_ns);
}

/* The most that an exchange may be wrong by, twice. */
static double excess_of(const struct fit *fit, const tpi_sync_exchange *e)
{
    return (double)trip_of(e) - fit->least + fit->scale;
}

/* Exchanges count the less, the longer their round trip was. */
static double weight_of(const struct fit *fit, const tpi_sync_exchange *e)
{
    const double excess = excess_of(fit, e);

    return 1e6 / (excess * excess);
}

/* The round trip that a quarter of the exchanges does not exceed: by halving what it is between. */
static double quarter_trip(const tpi_sync *s, double least)
{
    double low = least, high = least + 1e9;

    for (int turn = 0; turn < 24; turn++) {
        const double middle = (low + high) / 2;
        uint32_t below = 0;

        for (uint32_t i = 0; i < s->count; i++) {
            below += (double)trip_of(&s->kept[i]) <= middle;
        }
        if (4 * below >= s->count) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

static struct sums add_up(const struct fit *fit)
{
    const tpi_sync *s = fit->sync;
    const tpi_sync_exchange *last = fit->last;
    struct sums sum = {0};

    for (uint32_t i = 0; i < s->count; i++) {
        const tpi_sync_exchange *e = &s->kept[i];
        const double w = weight_of(fit, e);
        const double x = time_of(fit, e);
        const double y = (double)(e->upper_ns - last->upper_ns + e->lower_ns - last->lower_ns) / 2;

        sum.w += w;
        sum.x += w * x;
        sum.y += w * y;
        sum.xx += w * x * x;
        sum.xy += w * x * y;
    }
    return sum;
}

/* The slope, and how wrong it is if each exchange is as wrong as it may be, independently of the
 * others. As long as that is too much, no drift is the best guess. */
static void find_drift(tpi_sync *s, const tpi_sync_exchange *last)
{
    const double least = (double)least_trip(s);
    const struct fit fit = {s, last, least, quarter_trip(s, least) - least + 20 * GRAIN_NS};
    const struct sums sum = add_up(&fit);
    const double xx = sum.xx - sum.x * sum.x / sum.w;
    const double xy = sum.xy - sum.x * sum.y / sum.w;
    double squares = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        const tpi_sync_exchange *e = &s->kept[i];
        const double part =
            weight_of(&fit, e) * (time_of(&fit, e) - sum.x / sum.w) * excess_of(&fit, e) / 2;

        squares += part * part;
    }
    const double wrong = 2 * sqrt(squares);
    if (s->count < TPI_SYNC_FIRST || !(wrong < MOST_DRIFT * xx)) {
        s->drift = 0;
        s->doubt = MOST_DRIFT;
        return;
    }
    s->drift = fmax(-MOST_DRIFT, fmin(MOST_DRIFT, xy / xx));
    s->doubt = fmax(LEAST_DOUBT, wrong / xx);
}

/* What the exchanges allow at a moment: the offset is between `lower` and `upper`, if the drift is
 * what it is taken for. */
static void bounds_at(const tpi_sync *s, int64_t at_ns, double drift, double doubt, double *lower,
                      double *upper)
{
    *lower = -INFINITY;
    *upper = INFINITY;
    for (uint32_t i = 0; i < s->count; i++) {
        const tpi_sync_exchange *e = &s->kept[i];
        const double age = (double)(at_ns - e->at_ns);
        /* the bounds hold half a round trip before and after the middle */
        const double wide = doubt * fabs(age) + MOST_DRIFT * (double)trip_of(e) / 2 + GRAIN_NS;

        *lower = fmax(*lower, (double)e->lower_ns + drift * age - wide);
        *upper = fmin(*upper, (double)e->upper_ns + drift * age + wide);
    }
}

/* What they allow, whatever the drift is. */
static void certain_at(const tpi_sync *s, int64_t at_ns, double *lower, double *upper)
{
    bounds_at(s, at_ns, 0, MOST_DRIFT, lower, upper);
}

/* ---- Exchanges ------------------------------------------------------------------------------- */

static void keep(tpi_sync *s, const tpi_sync_exchange *e)
{
    s->kept[s->next] = *e;
    s->next = (s->next + 1) % TPI_SYNC_KEPT;
    s->count += s->count < TPI_SYNC_KEPT;
}

static void estimate(tpi_sync *s, const tpi_sync_exchange *last)
{
    double lower, upper, least, most;

    find_drift(s, last);
    bounds_at(s, last->at_ns, s->drift, fmin(s->doubt, USUAL_DRIFT), &lower, &upper);
    certain_at(s, last->at_ns, &least, &most);
    const double middle = fmax(least, fmin(most, (lower + upper) / 2));
    s->at_ns = last->at_ns;
    s->offset_ns = (int64_t)floor(middle);
    s->error_ns = (int64_t)ceil(fmax(most - middle, middle - least)) + 1;
}

/* Whether what is known and the exchange can both be true. */
static bool fits(const tpi_sync *s, const tpi_sync_exchange *e)
{
    double lower, upper;

    certain_at(s, e->at_ns, &lower, &upper);
    return s->count == 0 ||
           ((double)e->lower_ns <= upper + GRAIN_NS && (double)e->upper_ns >= lower - GRAIN_NS);
}

/* Several exchanges in a row contradict the rest: the server's clock is not what it was. */
static void start_again(tpi_sync *s)
{
    s->count = s->next = 0;
    for (uint32_t i = 0; i < s->stray_count; i++) {
        keep(s, &s->strays[i]);
    }
    s->stray_count = 0;
}

void tpi_sync_add(tpi_sync *s, int64_t t1_ns, int64_t t2_ns, int64_t t3_ns, int64_t t4_ns)
{
    const tpi_sync_exchange e = {t1_ns + (t4_ns - t1_ns) / 2, t2_ns - t1_ns, t3_ns - t4_ns};

    if (t4_ns < t1_ns || t3_ns < t2_ns || e.upper_ns < e.lower_ns) {
        return;
    }
    s->total++;
    if (!fits(s, &e)) {
        s->dropped++;
        s->strays[s->stray_count++] = e;
        if (s->stray_count < TPI_SYNC_STRAYS) {
            return;
        }
        start_again(s);
    } else {
        s->stray_count = 0;
        keep(s, &e);
    }
    estimate(s, &e);
}

bool tpi_sync_is_ready(const tpi_sync *s)
{
    return s->total >= TPI_SYNC_FIRST;
}

int64_t tpi_sync_pause_ns(const tpi_sync *s)
{
    if (s->total < TPI_SYNC_FIRST) {
        return 0;
    }
    return s->total < 5 * TPI_SYNC_FIRST ? EARLY_PAUSE_NS : PAUSE_NS;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int64_t estimated(const tpi_sync *s, int64_t now_ns)
{
    return now_ns + s->offset_ns + (int64_t)(s->drift * (double)(now_ns - s->at_ns));
}

int64_t tpi_sync_read(tpi_sync *s, int64_t now_ns)
{
    const int64_t wanted = estimated(s, now_ns);

    if (s->total == 0) {
        return 0;
    }
    if (!s->shown || wanted - s->shown_ns > now_ns - s->shown_at + JUMP_NS) {
        s->shown_ns = s->shown && s->shown_ns > wanted ? s->shown_ns : wanted;
    } else {
        const double passed = (double)(now_ns > s->shown_at ? now_ns - s->shown_at : 0);
        const int64_t fastest = s->shown_ns + (int64_t)(passed * (1 + SLEW));
        const int64_t slowest = s->shown_ns + (int64_t)(passed * (1 - SLEW));
        const bool stands = s->shown_ns - wanted > JUMP_NS;

        s->shown_ns = stands             ? s->shown_ns
                      : wanted > fastest ? fastest
                      : wanted < slowest ? slowest
                                         : wanted;
    }
    s->shown = true;
    s->shown_at = now_ns > s->shown_at ? now_ns : s->shown_at;
    return s->shown_ns;
}

int64_t tpi_sync_error(const tpi_sync *s, int64_t now_ns)
{
    if (s->total == 0) {
        return INT64_MAX;
    }
    const int64_t lag = s->shown ? s->shown_ns + now_ns - s->shown_at - estimated(s, now_ns) : 0;
    const double since = fabs((double)(now_ns - s->at_ns));

    return s->error_ns + (int64_t)((MOST_DRIFT + fabs(s->drift)) * since) + (lag > 0 ? lag : -lag);
}
