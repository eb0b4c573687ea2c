/*
 * match.c - where a scan fits a map best; see survey.h.
 *
 * What is near to where beams have ended is a hill; a scan fits the better, the higher its ends are
 * on it. A grid of poses is tried first, then smaller and smaller steps from the best of them.
 * Poses that are far from the guess have to fit better: along a corridor, where all fit alike, the
 * odometry decides.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "navigation/survey.h"

enum { MOST_POINTS = 512, LEAST_POINTS = 12 };

static const double slope = 0.06; /* m: width of the hill */
static const double doubt = 0.01; /* a pose at the edge of what is tried has to be so much better */
static const double least_fit = 0.35; /* what fits worse is of another place: the guess counts */

/* The part of the map around the robot as hills. */
struct hills {
    uint32_t left, low, width, height; /* cells of the map */
    double x, y, scale;                /* its lower left corner; side of a cell */
    float *heights;                    /* owned */
    tpi_nav_point points[MOST_POINTS]; /* ends of beams on the robot */
    size_t count;
    const tpi_nav_survey *survey;
    tpi_nav_pose guess;
};

/* Some of the ends, evenly. */
static void choose(struct hills *h, const tpi_nav_beam *beams, size_t count)
{
    const double longest = h->survey->settings.longest;
    const size_t most =
        h->survey->settings.few_beams < MOST_POINTS ? h->survey->settings.few_beams : MOST_POINTS;
    size_t hits = 0;
    size_t seen = 0;

    for (size_t i = 0; i < count; i++) {
        hits += beams[i].hit && beams[i].range < longest;
    }
    for (size_t i = 0; i < count && hits > 0; i++) {
        const tpi_nav_beam *b = &beams[i];
        if (!b->hit || !(b->range < longest)) {
            continue;
        }
        if (hits <= most || seen * most / hits != (seen + 1) * most / hits) {
            h->points[h->count++] =
                (tpi_nav_point){b->x + b->range * b->dx, b->y + b->range * b->dy};
        }
        seen++;
    }
}

/* The part of the map that the scan can reach. TP_E_UNKNOWN if there is none. */
static tp_status cut_out(struct hills *h, tp_error *err)
{
    const tpi_nav_grid *map = &h->survey->grid;
    const double reach = h->survey->settings.longest + h->survey->settings.reach + 1;
    const double left = fmax(floor((h->guess.x - reach - map->x) / map->scale), 0);
    const double low = fmax(floor((h->guess.y - reach - map->y) / map->scale), 0);
    const double right = fmin(ceil((h->guess.x + reach - map->x) / map->scale), map->width);
    const double high = fmin(ceil((h->guess.y + reach - map->y) / map->scale), map->height);

    if (!(right > left && high > low)) {
        return TP_E_UNKNOWN;
    }
    h->left = (uint32_t)left;
    h->low = (uint32_t)low;
    h->width = (uint32_t)(right - left);
    h->height = (uint32_t)(high - low);
    h->x = map->x + left * map->scale;
    h->y = map->y + low * map->scale;
    h->heights = calloc((size_t)h->width * h->height, sizeof *h->heights);
    return h->heights != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

/* The hill of a place, in cells of this part: the higher of it and those that are there. */
static void raise_one(struct hills *h, double x, double y, int wide)
{
    const int column = (int)floor(x);
    const int row = (int)floor(y);
    const double steep = h->scale * h->scale / (2 * slope * slope);

    for (int v = row - wide; v <= row + wide; v++) {
        for (int u = column - wide; u <= column + wide; u++) {
            if (u < 0 || v < 0 || u >= (int)h->width || v >= (int)h->height) {
                continue;
            }
            const double dx = u + 0.5 - x;
            const double dy = v + 0.5 - y;
            float *at = &h->heights[(size_t)v * h->width + (size_t)u];
            *at = fmaxf(*at, expf((float)(-(dx * dx + dy * dy) * steep)));
        }
    }
}

static void raise_all(struct hills *h)
{
    const tpi_nav_survey *s = h->survey;
    const int wide = (int)fmin(ceil(2.5 * slope / h->scale), 8);

    for (uint32_t row = 0; row < h->height; row++) {
        for (uint32_t column = 0; column < h->width; column++) {
            const size_t cell = (size_t)(h->low + row) * s->grid.width + h->left + column;
            if (s->grid.cells[cell] > 0) {
                raise_one(h, column + 0.5 + s->ends[2 * cell] / (double)TPI_NAV_SURVEY_PARTS,
                          row + 0.5 + s->ends[2 * cell + 1] / (double)TPI_NAV_SURVEY_PARTS, wide);
            }
        }
    }
}

/* Between the four cells around a place. */
static double height(const struct hills *h, double x, double y)
{
    const double u = (x - h->x) / h->scale - 0.5;
    const double v = (y - h->y) / h->scale - 0.5;

    if (!(u >= 0 && v >= 0 && u < h->width - 1 && v < h->height - 1)) {
        return 0;
    }
    const size_t column = (size_t)u;
    const size_t row = (size_t)v;
    const double right = u - (double)column;
    const double up = v - (double)row;
    const float *at = h->heights + row * h->width + column;
    const double low = (double)at[0] * (1 - right) + (double)at[1] * right;
    const double high = (double)at[h->width] * (1 - right) + (double)at[h->width + 1] * right;
    return low * (1 - up) + high * up;
}

static double fit_at(const struct hills *h, const tpi_nav_pose *pose)
{
    const double c = cos(pose->a);
    const double s = sin(pose->a);
    double sum = 0;

    for (size_t i = 0; i < h->count; i++) {
        const tpi_nav_point *p = &h->points[i];
        sum += height(h, pose->x + c * p->x - s * p->y, pose->y + s * p->x + c * p->y);
    }
    return sum / (double)h->count;
}

/* The fit, less what the distance from the guess costs. */
static double worth(const struct hills *h, const tpi_nav_pose *pose)
{
    const double off = hypot(pose->x - h->guess.x, pose->y - h->guess.y);
    const double away = off / h->survey->settings.reach;
    const double turned = tpi_nav_angle(pose->a - h->guess.a) / h->survey->settings.twist;

    return fit_at(h, pose) - doubt * (away * away + turned * turned);
}

static void try_pose(const struct hills *h, const tpi_nav_pose *pose, tpi_nav_pose *best,
                     double *value)
{
    const double now = worth(h, pose);

    if (now > *value) {
        *value = now;
        *best = *pose;
    }
}

/* A grid of poses around the guess. */
static void try_all(const struct hills *h, tpi_nav_pose *best, double *value)
{
    const double step = fmax(slope * 0.6, h->survey->settings.reach / 6);
    const double turn = fmax(0.015, h->survey->settings.twist / 6);
    const int far = (int)floor(h->survey->settings.reach / step);
    const int wide = (int)floor(h->survey->settings.twist / turn);

    for (int a = -wide; a <= wide; a++) {
        for (int y = -far; y <= far; y++) {
            for (int x = -far; x <= far; x++) {
                const tpi_nav_pose pose = {h->guess.x + x * step, h->guess.y + y * step,
                                           tpi_nav_angle(h->guess.a + a * turn)};
                try_pose(h, &pose, best, value);
            }
        }
    }
}

/* Uphill, with steps that get smaller. */
static void climb(const struct hills *h, tpi_nav_pose *best, double *value)
{
    double step = slope * 0.3;
    double turn = 0.008;

    for (int round = 0; round < 60 && step > 0.0005; round++) {
        const tpi_nav_pose from = *best;
        const tpi_nav_pose around[] = {{from.x + step, from.y, from.a},
                                       {from.x - step, from.y, from.a},
                                       {from.x, from.y + step, from.a},
                                       {from.x, from.y - step, from.a},
                                       {from.x, from.y, tpi_nav_angle(from.a + turn)},
                                       {from.x, from.y, tpi_nav_angle(from.a - turn)}};
        const double old = *value;
        for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
            try_pose(h, &around[i], best, value);
        }
        if (!(*value > old)) {
            step /= 2;
            turn /= 2;
        }
    }
}

tp_status tpi_nav_survey_match(const tpi_nav_survey *survey, const tpi_nav_pose *guess,
                               const tpi_nav_beam *beams, size_t count, tpi_nav_pose *out,
                               double *fit, tp_error *err)
{
    struct hills h = {.survey = survey, .guess = *guess, .scale = survey->grid.scale};
    tpi_nav_pose best = *guess;

    *out = *guess;
    *fit = 0;
    choose(&h, beams, count);
    if (h.count < LEAST_POINTS || survey->grid.cells == NULL) {
        return TP_OK;
    }
    const tp_status status = cut_out(&h, err);
    if (status == TP_OK) {
        raise_all(&h);
        double value = worth(&h, guess);
        try_all(&h, &best, &value);
        climb(&h, &best, &value);
        *fit = fit_at(&h, &best);
        *out = *fit >= least_fit ? best : *guess;
    }
    free(h.heights);
    return status == TP_E_UNKNOWN ? TP_OK : status;
}
