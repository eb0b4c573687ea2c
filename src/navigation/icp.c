/* icp.c - see icp.h. */
#include "navigation/icp.h"

#include <math.h>
#include <stdlib.h>

/* A point of the new scan and its partner. */
struct pair {
    tpi_nav_point at, partner;
    double distance; /* squared, by the metric */
};

struct pairs {
    struct pair pairs[TPI_NAV_ICP_MOST_POINTS];
    size_t count;
};

/* The square of the distance from p to q: what no turn about the scanner can make smaller. */
static double metric(const tpi_nav_point *p, const tpi_nav_point *q, double l)
{
    const double x = q->x - p->x, y = q->y - p->y;
    const double across = x * p->y - y * p->x;

    return x * x + y * y - across * across / (p->x * p->x + p->y * p->y + l * l);
}

static tpi_nav_point move(const tpi_nav_point *p, const tpi_nav_pose *by)
{
    const double s = sin(by->a), c = cos(by->a);

    return (tpi_nav_point){by->x + c * p->x - s * p->y, by->y + s * p->x + c * p->y};
}

/* The nearest place on a wall from a to b, nearly: in the plane, which is right for short ones. */
static tpi_nav_point nearest_on(const tpi_nav_point *a, const tpi_nav_point *b,
                                const tpi_nav_point *p)
{
    const double x = b->x - a->x, y = b->y - a->y;
    const double length = x * x + y * y;
    const double share =
        length > 0 ? fmax(0, fmin(1, ((p->x - a->x) * x + (p->y - a->y) * y) / length)) : 0;

    return (tpi_nav_point){a->x + share * x, a->y + share * y};
}

/* Can two points be one that was seen from two places? */
static bool may_be(const tpi_nav_point *p, const tpi_nav_point *q, const tpi_nav_icp_settings *s)
{
    const double apart = remainder(atan2(p->y, p->x) - atan2(q->y, q->x), 6.283185307179586);

    return fabs(apart) <= s->window &&
           fabs(hypot(p->x, p->y) - hypot(q->x, q->y)) <= s->radial + s->l * fabs(apart);
}

/* The partner of a point that is where the new scan is thought to be. */
static bool find_partner(const tpi_nav_icp_scan *before, const tpi_nav_icp_settings *s,
                         struct pair *pair)
{
    pair->distance = INFINITY;
    for (size_t i = 0; i < before->count; i++) {
        const tpi_nav_point *a = &before->points[i];
        if (!may_be(&pair->at, a, s)) {
            continue;
        }
        const tpi_nav_point *b = i + 1 < before->count ? a + 1 : a;
        const bool wall = hypot(b->x - a->x, b->y - a->y) <= s->gap;
        const tpi_nav_point on = wall ? nearest_on(a, b, &pair->at) : *a;
        const double distance = metric(&pair->at, &on, s->l);
        if (distance < pair->distance) {
            pair->distance = distance;
            pair->partner = on;
        }
    }
    return isfinite(pair->distance);
}

static int by_distance(const void *a, const void *b)
{
    const double x = ((const struct pair *)a)->distance, y = ((const struct pair *)b)->distance;

    return (x > y) - (x < y);
}

/* Pairs of both scans, the worst of them left out. */
static bool find_pairs(const tpi_nav_icp_scan *before, const tpi_nav_icp_scan *now,
                       const tpi_nav_icp_settings *s, const tpi_nav_pose *motion, struct pairs *out)
{
    out->count = 0;
    for (size_t i = 0; i < now->count; i++) {
        struct pair *pair = &out->pairs[out->count];
        pair->at = move(&now->points[i], motion);
        out->count += find_partner(before, s, pair);
    }
    if (out->count < 3 || (double)out->count < s->least * (double)now->count) {
        return false;
    }
    qsort(out->pairs, out->count, sizeof out->pairs[0], by_distance);
    out->count = (size_t)fmax(3, s->kept * (double)out->count);
    return true;
}

/* Solve three equations; false if they say nothing. */
static bool solve(double m[3][4], double out[3])
{
    for (unsigned i = 0; i < 3; i++) {
        unsigned best = i;
        for (unsigned row = i + 1; row < 3; row++) {
            best = fabs(m[row][i]) > fabs(m[best][i]) ? row : best;
        }
        if (!(fabs(m[best][i]) > 1e-9)) {
            return false;
        }
        for (unsigned k = 0; k < 4; k++) {
            const double swap = m[i][k];
            m[i][k] = m[best][k];
            m[best][k] = swap;
        }
        for (unsigned row = 0; row < 3; row++) {
            const double factor = row == i ? 0 : m[row][i] / m[i][i];
            for (unsigned k = 0; k < 4; k++) {
                m[row][k] -= factor * m[i][k];
            }
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        out[i] = m[i][3] / m[i][i];
    }
    return true;
}

/* The small motion (x, y, turn) that brings all points nearest to their partners. */
static bool best_motion(const struct pairs *pairs, double l, double out[3])
{
    double m[3][4] = {{0}};

    for (size_t i = 0; i < pairs->count; i++) {
        const tpi_nav_point *p = &pairs->pairs[i].at, *q = &pairs->pairs[i].partner;
        const double k = p->x * p->x + p->y * p->y + l * l;
        const double w[2][2] = {{1 - p->y * p->y / k, p->x * p->y / k},
                                {p->x * p->y / k, 1 - p->x * p->x / k}};
        const double j[2][3] = {{1, 0, -p->y}, {0, 1, p->x}};
        const double d[2] = {q->x - p->x, q->y - p->y};
        for (unsigned row = 0; row < 3; row++) {
            const double wj[2] = {w[0][0] * j[0][row] + w[1][0] * j[1][row],
                                  w[0][1] * j[0][row] + w[1][1] * j[1][row]};
            for (unsigned column = 0; column < 3; column++) {
                m[row][column] += wj[0] * j[0][column] + wj[1] * j[1][column];
            }
            m[row][3] += wj[0] * d[0] + wj[1] * d[1];
        }
    }
    return solve(m, out);
}

bool tpi_nav_icp(const tpi_nav_icp_scan *before, const tpi_nav_icp_scan *now,
                 const tpi_nav_icp_settings *settings, tpi_nav_pose *motion)
{
    struct pairs *pairs = malloc(sizeof *pairs);
    tpi_nav_pose found = *motion;
    unsigned small = 0;

    for (unsigned round = 0; pairs != NULL && round < settings->most && small < settings->smooth;
         round++) {
        double step[3] = {0};
        if (!find_pairs(before, now, settings, &found, pairs) ||
            !best_motion(pairs, settings->l, step)) {
            break;
        }
        const tpi_nav_pose by = {step[0], step[1], step[2]};
        const tpi_nav_point origin = move(&(tpi_nav_point){found.x, found.y}, &by);
        found = (tpi_nav_pose){origin.x, origin.y, tpi_nav_angle(found.a + step[2])};
        const bool is_small = fabs(step[0]) < settings->done[0] &&
                              fabs(step[1]) < settings->done[1] &&
                              fabs(step[2]) < settings->done[2];
        small = is_small ? small + 1 : 0;
    }
    free(pairs);
    if (small < settings->smooth || !isfinite(found.x + found.y + found.a)) {
        return false;
    }
    *motion = found;
    return true;
}
