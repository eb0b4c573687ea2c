/* filter.c - an adaptive particle filter; see filter.h. filter_guess.c makes guesses of it. */
#include "navigation/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "navigation/filter_inside.h"

enum {
    TRIES = 16,          /* places that are tried for each particle that is put anywhere */
    MOST_TRIES = 200000, /* at the beginning */
    STRENGTH = 12,       /* so many independent readings are in a scan, whatever their number */
};

static const double pi = 3.14159265358979323846;
static const double slowly = 0.05;
static const double quickly = 0.5;
static const double most_new = 0.5; /* of the particles are put anywhere at once */

/* ---- Random numbers -------------------------------------------------------------------------- */

/* Between 0 and 1: xorshift64*. */
static double uniform(tpi_nav_filter *f)
{
    f->random ^= f->random >> 12;
    f->random ^= f->random << 25;
    f->random ^= f->random >> 27;
    return (double)((f->random * 0x2545f4914f6cdd1dULL) >> 11) / 9007199254740992.0;
}

static double normal(tpi_nav_filter *f, double deviation)
{
    return deviation * sqrt(-2 * log(1 - uniform(f))) * cos(2 * pi * uniform(f));
}

static tpi_nav_pose any_pose(tpi_nav_filter *f)
{
    const tpi_nav_grid *grid = f->field->grid;
    const uint32_t cell = f->open_cells[(size_t)(uniform(f) * (double)f->open_count)];

    return (tpi_nav_pose){grid->x + (cell % grid->width + uniform(f)) * grid->scale,
                          grid->y + (cell / grid->width + uniform(f)) * grid->scale,
                          (2 * uniform(f) - 1) * pi};
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void find_open(tpi_nav_filter *f)
{
    const tpi_nav_grid *grid = f->field->grid;

    for (size_t i = 0; i < (size_t)grid->width * grid->height; i++) {
        if (grid->cells[i] < 0) {
            if (f->open_cells != NULL) {
                f->open_cells[f->open_count] = (uint32_t)i;
            }
            f->open_count++;
        }
    }
}

tp_status tpi_nav_filter_init(tpi_nav_filter *filter, const tpi_nav_field *field,
                              const tpi_nav_filter_settings *settings, tp_error *err)
{
    *filter = (tpi_nav_filter){.settings = *settings,
                               .field = field,
                               .random = settings->seed * 2654435761u + 88172645463325252ULL};
    find_open(filter);
    if (filter->open_count == 0) {
        return tp_fail(err, TP_E_INVALID, "the map has no free cell");
    }
    filter->open_cells = calloc(filter->open_count, sizeof *filter->open_cells);
    filter->particles = calloc(settings->most, sizeof *filter->particles);
    filter->next = calloc(settings->most, sizeof *filter->next);
    filter->bins = calloc(1, sizeof *filter->bins);
    if (filter->open_cells == NULL || filter->particles == NULL || filter->next == NULL ||
        filter->bins == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    filter->open_count = 0;
    find_open(filter);
    return TP_OK;
}

void tpi_nav_filter_fini(tpi_nav_filter *filter)
{
    free(filter->open_cells);
    free(filter->particles);
    free(filter->next);
    free(filter->bins);
    *filter = (tpi_nav_filter){0};
}

void tpi_nav_filter_start_at(tpi_nav_filter *filter, const tpi_nav_pose *mean,
                             const double deviation[3])
{
    filter->count = filter->settings.most;
    filter->anywhere = false;
    filter->slow = filter->fast = 0;
    for (size_t i = 0; i < filter->count; i++) {
        filter->particles[i] = (tpi_nav_particle){
            {mean->x + normal(filter, deviation[0]), mean->y + normal(filter, deviation[1]),
             tpi_nav_angle(mean->a + normal(filter, deviation[2]))},
            1 / (double)filter->count};
    }
    filter->guess_count = 1;
    filter->guesses[0] = (tpi_nav_guess){*mean,
                                         {deviation[0] * deviation[0], deviation[1] * deviation[1],
                                          deviation[2] * deviation[2], 0, 0, 0},
                                         1};
}

void tpi_nav_filter_start_anywhere(tpi_nav_filter *filter)
{
    filter->anywhere = true;
    filter->slow = filter->fast = 0;
    filter->count = filter->settings.most;
    for (size_t i = 0; i < filter->count; i++) {
        filter->particles[i] = (tpi_nav_particle){any_pose(filter), 1 / (double)filter->count};
    }
    filter->guess_count = 0;
}

/* ---- Moving ---------------------------------------------------------------------------------- */

void tpi_nav_filter_move(tpi_nav_filter *filter, const tpi_nav_pose *by)
{
    double(*d)[3] = filter->settings.drift;
    double deviation[3];

    for (int i = 0; i < 3; i++) {
        deviation[i] = fabs(d[i][0] * by->x) + fabs(d[i][1] * by->y) + fabs(d[i][2] * by->a);
    }
    /* Nothing moves so exactly that particles could stay on top of each other. */
    const double least = 0.05 * hypot(by->x, by->y) + 0.005;
    for (size_t i = 0; i < filter->count; i++) {
        tpi_nav_pose *p = &filter->particles[i].pose;
        const double x = by->x + normal(filter, fmax(deviation[0], least));
        const double y = by->y + normal(filter, fmax(deviation[1], least / 2));
        const double c = cos(p->a);
        const double s = sin(p->a);
        p->x += c * x - s * y;
        p->y += s * x + c * y;
        p->a = tpi_nav_angle(p->a + by->a + normal(filter, fmax(deviation[2], least / 2)));
    }
}

/* ---- Sensing --------------------------------------------------------------------------------- */

/* A weight of a fit. A place in a wall is none. */
static double weight_of(const tpi_nav_filter *f, const tpi_nav_pose *pose,
                        const tpi_nav_beam *beams, size_t count, double *fit)
{
    *fit = tpi_nav_field_fit(f->field, pose, beams, count);
    return exp(*fit * STRENGTH) *
           (tpi_nav_grid_value(f->field->grid, pose->x, pose->y) > 0 ? 1e-3 : 1);
}

/* The best of several places anywhere, chosen by their weights. */
static tpi_nav_pose propose(tpi_nav_filter *f, const tpi_nav_beam *beams, size_t count)
{
    tpi_nav_pose chosen = any_pose(f);
    double sum = 0;

    for (int i = 0; i < TRIES; i++) {
        const tpi_nav_pose pose = any_pose(f);
        const double weight = exp(tpi_nav_field_glance(f->field, &pose, beams, count) * STRENGTH);
        sum += weight;
        if (sum > 0 && uniform(f) < weight / sum) {
            chosen = pose;
        }
    }
    return chosen;
}

/* Nothing is known: try many places, keep particles where the readings fit. */
static void spread(tpi_nav_filter *f, const tpi_nav_beam *beams, size_t count)
{
    const size_t rounds = MOST_TRIES / f->settings.most / TRIES + 1;

    for (size_t i = 0; i < f->settings.most; i++) {
        tpi_nav_pose best = propose(f, beams, count);
        double fit = tpi_nav_field_glance(f->field, &best, beams, count);
        for (size_t k = 1; k < rounds; k++) {
            const tpi_nav_pose pose = propose(f, beams, count);
            const double now = tpi_nav_field_glance(f->field, &pose, beams, count);
            best = now > fit ? pose : best;
            fit = fmax(now, fit);
        }
        f->particles[i] = (tpi_nav_particle){best, 1};
    }
    f->count = f->settings.most;
    f->anywhere = false;
}

/* Weights, their sum, and how well the readings fit on average. */
static double weigh(tpi_nav_filter *f, const tpi_nav_beam *beams, size_t count, double *average)
{
    double sum = 0;
    double fits = 0;
    double total = 0;

    for (size_t i = 0; i < f->count; i++) {
        double fit;
        f->particles[i].weight *= weight_of(f, &f->particles[i].pose, beams, count, &fit);
        sum += f->particles[i].weight;
        fits += f->particles[i].weight * exp(fit);
        total += f->particles[i].weight;
    }
    *average = total > 0 ? fits / total : 0;
    return sum;
}

/* The share of particles to put anywhere: the readings fit worse than they used to. */
static double doubt(tpi_nav_filter *f, double average)
{
    if (f->slow == 0) {
        f->slow = f->fast = average;
    }
    f->slow += slowly * (average - f->slow);
    f->fast += quickly * (average - f->fast);
    const double worse = f->slow > 0 ? 1 - f->fast / (0.8 * f->slow) : 0;
    return fmin(fmax(worse, 0), most_new);
}

/* How many particles so many bins need. */
static size_t wanted(const tpi_nav_filter *f, size_t bins)
{
    const tpi_nav_filter_settings *s = &f->settings;

    if (bins < 2) {
        return s->least;
    }
    const double k = (double)bins - 1;
    const double part = 2 / (9 * k);
    const double root = 1 - part + sqrt(part) * s->quantile;
    const double needed = ceil(k / (2 * s->error) * root * root * root);
    return (size_t)fmin(fmax(needed, (double)s->least), (double)s->most);
}

/* Draw new particles by their weights, as many as their spread needs. */
static void resample(tpi_nav_filter *f, double sum, double anew, const tpi_nav_beam *beams,
                     size_t count)
{
    const size_t most = f->settings.most;
    double *until = f->bins->until;
    size_t made = 0;
    double run = 0;

    for (size_t i = 0; i < f->count; i++) {
        run += f->particles[i].weight / sum;
        until[i] = run;
    }
    tpi_nav_bins_clear(f->bins);
    while (made < most && made < wanted(f, f->bins->used)) {
        if (uniform(f) < anew) {
            f->next[made].pose = propose(f, beams, count);
        } else {
            const double at = uniform(f) * run;
            size_t low = 0;
            for (size_t high = f->count - 1; low < high;) {
                const size_t middle = (low + high) / 2;
                if (until[middle] < at) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            f->next[made].pose = f->particles[low].pose;
        }
        f->next[made].weight = 1;
        tpi_nav_bins_add(f->bins, &f->next[made].pose, 1);
        made++;
    }
    tpi_nav_particle *old = f->particles;
    f->particles = f->next;
    f->next = old;
    f->count = made;
    for (size_t i = 0; i < made; i++) {
        f->particles[i].weight = 1 / (double)made;
    }
}

void tpi_nav_filter_sense(tpi_nav_filter *filter, const tpi_nav_beam *beams, size_t count)
{
    double average = 0;

    if (count == 0 || filter->count == 0) {
        return;
    }
    if (filter->anywhere) {
        spread(filter, beams, count);
    }
    const double sum = weigh(filter, beams, count, &average);
    if (!(sum > 1e-300)) { /* nothing fits at all */
        tpi_nav_filter_start_anywhere(filter);
        return;
    }
    resample(filter, sum, doubt(filter, average), beams, count);
    tpi_nav_filter_guess(filter);
}
