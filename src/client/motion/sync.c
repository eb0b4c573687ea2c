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
/* What packages that did not wait differ by, besides a part of the round trip. */
static const int64_t CONFIRM_NS = 100 * TP_NS_PER_US;

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

/* What the offset is between, if this is the drift. Packages that did not wait are on two lines,
 * one of the way there and one of the way back, with the slope of the true drift. With any other
 * slope the exchanges at their ends take room away. */
static void edges(const tpi_sync *s, int64_t at_ns, double drift, double *lower, double *upper)
{
    *lower = -INFINITY;
    *upper = INFINITY;
    for (uint32_t i = 0; i < s->count; i++) {
        const tpi_sync_exchange *e = &s->kept[i];
        const double moved = drift * (double)(at_ns - e->at_ns);

        *lower = fmax(*lower, (double)e->lower_ns + moved);
        *upper = fmin(*upper, (double)e->upper_ns + moved);
    }
}

static double room_with(const tpi_sync *s, int64_t at_ns, double drift)
{
    double lower, upper;

    edges(s, at_ns, drift, &lower, &upper);
    return upper - lower;
}

/* The drift with the most room: the room has one maximum. By golden sections. */
static double roomiest(const tpi_sync *s, int64_t at_ns)
{
    const double golden = 0.6180339887498949;
    double low = -MOST_DRIFT, high = MOST_DRIFT;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double room_left = room_with(s, at_ns, left), room_right = room_with(s, at_ns, right);

    for (int turn = 0; turn < 24; turn++) {
        if (room_left < room_right) {
            low = left;
            left = right;
            room_left = room_right;
            right = low + golden * (high - low);
            room_right = room_with(s, at_ns, right);
        } else {
            high = right;
            right = left;
            room_right = room_left;
            left = high - golden * (high - low);
            room_left = room_with(s, at_ns, left);
        }
    }
    return (low + high) / 2;
}

/* From a drift with enough room towards one that may have too little: the last with enough. */
static double last_with_room(const tpi_sync *s, int64_t at_ns, double from, double to, double room)
{
    if (room_with(s, at_ns, to) >= room) {
        return to;
    }
    for (int turn = 0; turn < 16; turn++) {
        const double middle = (from + to) / 2;

        if (room_with(s, at_ns, middle) >= room) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return from;
}

/* How far the exchanges are from the edges of the room, there or back: what a quarter of them does
 * not exceed. By halving what it is between. */
static double usual_wait(const tpi_sync *s, int64_t at_ns, double drift, bool there)
{
    double low = 0, high = 1e9, lower, upper;

    edges(s, at_ns, drift, &lower, &upper);
    for (int turn = 0; turn < 20; turn++) {
        const double middle = (low + high) / 2;
        uint32_t below = 0;

        for (uint32_t i = 0; i < s->count; i++) {
            const tpi_sync_exchange *e = &s->kept[i];
            const double moved = drift * (double)(at_ns - e->at_ns);

            below += there ? (double)e->upper_ns + moved - upper <= middle
                           : lower - (double)e->lower_ns - moved <= middle;
        }
        if (4 * below >= s->count) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* The middle of the drifts with about the most room. What is usual on this link is no difference.
 */
static void find_drift(tpi_sync *s, int64_t at_ns)
{
    const double best = roomiest(s, at_ns);
    const double usual =
        fmax(usual_wait(s, at_ns, best, true), usual_wait(s, at_ns, best, false)) + 20 * GRAIN_NS;
    const double room = room_with(s, at_ns, best) - usual;
    const double low = last_with_room(s, at_ns, best, -MOST_DRIFT, room);
    const double high = last_with_room(s, at_ns, best, MOST_DRIFT, room);

    s->drift = (low + high) / 2;
    s->doubt = fmax(LEAST_DOUBT, (high - low) / 2);
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

    find_drift(s, last->at_ns);
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

/* Whether two exchanges or more allow about the same, the least that any allows, on the way there
 * and on the way back: then packages have come through that did not wait. */
static bool is_confirmed(const tpi_sync *s)
{
    const double alike = (double)CONFIRM_NS + (double)least_trip(s) / 200;
    double lower, upper;
    uint32_t there = 0, back = 0;

    bounds_at(s, s->at_ns, s->drift, 0, &lower, &upper);
    for (uint32_t i = 0; i < s->count; i++) {
        const tpi_sync_exchange *e = &s->kept[i];
        const double moved = s->drift * (double)(s->at_ns - e->at_ns);

        there += (double)e->upper_ns + moved <= upper + alike;
        back += (double)e->lower_ns + moved >= lower - alike;
    }
    return there > 1 && back > 1;
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
    s->confirmed = s->confirmed || is_confirmed(s);
}

bool tpi_sync_is_ready(const tpi_sync *s)
{
    return s->total >= TPI_SYNC_MOST || (s->total >= TPI_SYNC_FIRST && s->confirmed);
}

int64_t tpi_sync_pause_ns(const tpi_sync *s)
{
    if (!tpi_sync_is_ready(s)) {
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
