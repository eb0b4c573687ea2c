/* filter_guess.c - bins of particles, and groups of them as guesses; see filter.h. */
#include <math.h>

#include "navigation/filter_inside.h"

static const double side = 0.5;                                 /* m */
static const double turn = 10 * 3.14159265358979323846 / 180;   /* rad */
static const double near = 0.8;                                 /* m: of one group */
static const double facing = 40 * 3.14159265358979323846 / 180; /* rad */

/* ---- Bins ------------------------------------------------------------------------------------ */

void tpi_nav_bins_clear(struct filter_bins *bins)
{
    for (size_t i = 0; i < bins->used; i++) {
        bins->table[bins->list[i]].used = false;
    }
    bins->used = 0;
}

void tpi_nav_bins_add(struct filter_bins *bins, const tpi_nav_pose *pose, double weight)
{
    const int32_t x = (int32_t)floor(fmin(fmax(pose->x / side, -1e9), 1e9));
    const int32_t y = (int32_t)floor(fmin(fmax(pose->y / side, -1e9), 1e9));
    const int32_t a = (int32_t)floor(pose->a / turn);
    uint32_t at = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)a * 83492791u;

    for (at %= FILTER_BINS; bins->table[at].used; at = (at + 1) % FILTER_BINS) {
        struct filter_bin *bin = &bins->table[at];
        if (bin->x == x && bin->y == y && bin->a == a) {
            bin->weight += weight;
            return;
        }
    }
    if (bins->used < FILTER_BINS * 3 / 4) {
        bins->table[at] = (struct filter_bin){x, y, a, true, weight};
        bins->list[bins->used++] = at;
    }
}

/* ---- Guesses --------------------------------------------------------------------------------- */

static bool belongs(const tpi_nav_particle *p, const tpi_nav_pose *mean)
{
    return p->weight > 0 && hypot(p->pose.x - mean->x, p->pose.y - mean->y) < near &&
           fabs(tpi_nav_angle(p->pose.a - mean->a)) < facing;
}

/* The mean of the particles about a place. */
static bool gather(const tpi_nav_filter *f, tpi_nav_guess *guess)
{
    double x = 0, y = 0, c = 0, s = 0, sum = 0;

    for (size_t i = 0; i < f->count; i++) {
        const tpi_nav_particle *p = &f->particles[i];
        if (belongs(p, &guess->mean)) {
            x += p->weight * p->pose.x;
            y += p->weight * p->pose.y;
            c += p->weight * cos(p->pose.a);
            s += p->weight * sin(p->pose.a);
            sum += p->weight;
        }
    }
    guess->weight = sum;
    if (sum <= 0) {
        return false;
    }
    guess->mean = (tpi_nav_pose){x / sum, y / sum, atan2(s, c)};
    return true;
}

/* Its covariance; its particles are taken out by making their weights negative. */
static void take_out(tpi_nav_filter *f, tpi_nav_guess *guess)
{
    for (size_t i = 0; i < f->count; i++) {
        tpi_nav_particle *p = &f->particles[i];
        if (belongs(p, &guess->mean)) {
            const double x = p->pose.x - guess->mean.x;
            const double y = p->pose.y - guess->mean.y;
            const double a = tpi_nav_angle(p->pose.a - guess->mean.a);
            const double part = p->weight / guess->weight;
            const double products[6] = {x * x, y * y, a * a, x * y, y * a, x * a};
            for (int k = 0; k < 6; k++) {
                guess->cov[k] += part * products[k];
            }
            p->weight = -p->weight;
        }
    }
}

/* The heaviest bin whose particles are not all taken. */
static bool heaviest(const tpi_nav_filter *f, tpi_nav_pose *out)
{
    struct filter_bins *bins = f->bins;
    const struct filter_bin *best = NULL;

    tpi_nav_bins_clear(bins);
    for (size_t i = 0; i < f->count; i++) {
        if (f->particles[i].weight > 0) {
            tpi_nav_bins_add(bins, &f->particles[i].pose, f->particles[i].weight);
        }
    }
    for (size_t i = 0; i < bins->used; i++) {
        const struct filter_bin *bin = &bins->table[bins->list[i]];
        best = best == NULL || bin->weight > best->weight ? bin : best;
    }
    if (best == NULL) {
        return false;
    }
    *out = (tpi_nav_pose){(best->x + 0.5) * side, (best->y + 0.5) * side, (best->a + 0.5) * turn};
    return true;
}

static void sort(tpi_nav_filter *f)
{
    for (size_t i = 1; i < f->guess_count; i++) {
        const tpi_nav_guess guess = f->guesses[i];
        size_t at = i;
        for (; at > 0 && f->guesses[at - 1].weight < guess.weight; at--) {
            f->guesses[at] = f->guesses[at - 1];
        }
        f->guesses[at] = guess;
    }
}

void tpi_nav_filter_guess(tpi_nav_filter *filter)
{
    tpi_nav_guess guess = {0};
    double left = 1;

    filter->guess_count = 0;
    while (filter->guess_count < TPI_NAV_MOST_GUESSES && left > 0.02 &&
           heaviest(filter, &guess.mean)) {
        guess = (tpi_nav_guess){.mean = guess.mean};
        bool good = gather(filter, &guess);
        good = good && gather(filter, &guess); /* from the middle of the group, not of the bin */
        if (!good) {
            break;
        }
        take_out(filter, &guess);
        left -= guess.weight;
        filter->guesses[filter->guess_count++] = guess;
    }
    for (size_t i = 0; i < filter->count; i++) {
        filter->particles[i].weight = fabs(filter->particles[i].weight);
    }
    sort(filter);
}
