/* survey.c - a map that a robot makes while it drives; see survey.h. match.c compares scans. */
#include "navigation/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HIT = 12,    /* what a beam that ends in a cell adds */
    MISS = -4,   /* what one that passes it adds */
    SURE = 72,   /* the cell is not more certain than this */
    MARGIN = 64, /* cells that a grid which grows gets beyond what it needs */
};

/* ---- The grid -------------------------------------------------------------------------------- */

void tpi_nav_survey_init(tpi_nav_survey *survey, const tpi_nav_survey_settings *settings,
                         const tpi_nav_pose *start)
{
    *survey = (tpi_nav_survey){.settings = *settings, .pose = *start};
    survey->grid.scale = settings->scale;
}

static void free_cells(tpi_nav_survey *survey)
{
    tpi_nav_grid_fini(&survey->grid);
    free(survey->odds);
    free(survey->stamps);
    free(survey->ends);
}

void tpi_nav_survey_fini(tpi_nav_survey *survey)
{
    free_cells(survey);
    *survey = (tpi_nav_survey){0};
}

struct box {
    double x0, y0, x1, y1;
};

static bool holds(const tpi_nav_grid *grid, const struct box *box)
{
    return grid->cells != NULL && box->x0 >= grid->x && box->y0 >= grid->y &&
           box->x1 < grid->x + grid->width * grid->scale &&
           box->y1 < grid->y + grid->height * grid->scale;
}

/* The old rows into the new, larger arrays. */
static void move_in(tpi_nav_survey *to, const tpi_nav_survey *from)
{
    const size_t column = (size_t)lround((from->grid.x - to->grid.x) / to->grid.scale);
    const size_t row = (size_t)lround((from->grid.y - to->grid.y) / to->grid.scale);

    for (size_t i = 0; i < from->grid.height; i++) {
        const size_t old = i * from->grid.width;
        const size_t new = (row + i) * to->grid.width + column;
        memcpy(to->grid.cells + new, from->grid.cells + old, from->grid.width);
        memcpy(to->odds + new, from->odds + old, from->grid.width);
        memcpy(to->ends + 2 * new, from->ends + 2 * old, (size_t)from->grid.width * 2);
        memcpy(to->stamps + new, from->stamps + old, from->grid.width * sizeof *to->stamps);
    }
}

/* A grid that holds the box and the old grid. */
static tp_status grow(tpi_nav_survey *survey, const struct box *box, tp_error *err)
{
    const tpi_nav_grid *old = &survey->grid;
    const double scale = old->scale;
    const bool any = old->cells != NULL;
    const double left =
        fmin(floor(box->x0 / scale) - MARGIN, any ? round(old->x / scale) : HUGE_VAL);
    const double low =
        fmin(floor(box->y0 / scale) - MARGIN, any ? round(old->y / scale) : HUGE_VAL);
    const double right =
        fmax(floor(box->x1 / scale) + MARGIN, any ? round(old->x / scale) + old->width : -HUGE_VAL);
    const double high = fmax(floor(box->y1 / scale) + MARGIN,
                             any ? round(old->y / scale) + old->height : -HUGE_VAL);
    tpi_nav_survey next = *survey;

    if (!((right - left) * (high - low) <= (double)survey->settings.most)) {
        survey->full = true;
        return TP_OK;
    }
    const size_t count = (size_t)((right - left) * (high - low));
    next.grid.cells = NULL;
    next.odds = calloc(count, sizeof *next.odds);
    next.stamps = calloc(count, sizeof *next.stamps);
    next.ends = calloc(count, 2 * sizeof *next.ends);
    tp_status status = next.odds == NULL || next.stamps == NULL || next.ends == NULL
                           ? tp_fail(err, TP_E_NOMEM, "out of memory")
                           : tpi_nav_grid_init(&next.grid, (uint32_t)(right - left),
                                               (uint32_t)(high - low), scale, err);
    if (status != TP_OK) {
        free_cells(&next);
        return status;
    }
    next.grid.x = left * scale;
    next.grid.y = low * scale;
    if (any) {
        move_in(&next, survey);
    }
    free_cells(survey);
    *survey = next;
    return TP_OK;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

struct ray {
    double x, y;   /* where it begins */
    double dx, dy; /* its direction */
    double range;
    bool hit;
};

static struct ray ray_of(const tpi_nav_survey *survey, const tpi_nav_beam *beam)
{
    const tpi_nav_pose *at = &survey->pose;
    const double longest = survey->settings.longest;
    const double c = cos(at->a);
    const double s = sin(at->a);

    return (struct ray){.x = at->x + c * beam->x - s * beam->y,
                        .y = at->y + s * beam->x + c * beam->y,
                        .dx = c * beam->dx - s * beam->dy,
                        .dy = s * beam->dx + c * beam->dy,
                        .range = fmin(beam->range, longest),
                        .hit = beam->hit && beam->range < longest};
}

static void change(tpi_nav_survey *survey, size_t cell, int by)
{
    if (survey->stamps[cell] == survey->scan) {
        return;
    }
    const int odds = survey->odds[cell] + by;
    survey->odds[cell] = (int8_t)(odds > SURE ? SURE : odds < -SURE ? -SURE : odds);
    survey->grid.cells[cell] = survey->odds[cell] > 0 ? TPI_NAV_OCCUPIED : TPI_NAV_FREE;
    survey->stamps[cell] = survey->scan;
}

static int8_t part_of(double off, double scale)
{
    return (int8_t)lround(fmin(fmax(off / scale * TPI_NAV_SURVEY_PARTS, -127), 127));
}

/* Where in a cell beams end: where the first one does, later a little of each. */
static void remember_end(tpi_nav_survey *survey, uint32_t column, uint32_t row, double x, double y)
{
    const tpi_nav_grid *grid = &survey->grid;
    const size_t cell = (size_t)row * grid->width + column;
    const int keep = survey->odds[cell] > HIT ? 3 : survey->odds[cell] > 0 ? 1 : 0;
    int8_t *end = survey->ends + 2 * cell;
    double u, v;

    tpi_nav_grid_centre(grid, column, row, &u, &v);
    end[0] = (int8_t)((end[0] * keep + part_of(x - u, grid->scale)) / (keep + 1));
    end[1] = (int8_t)((end[1] * keep + part_of(y - v, grid->scale)) / (keep + 1));
}

/* Where the beam ends: the cell a little behind the surface, so that one on the border of two cells
 * is in the cell behind it. */
static void draw_end(tpi_nav_survey *survey, const struct ray *ray)
{
    const double far = ray->range + survey->grid.scale * 0.2;
    uint32_t column;
    uint32_t row;

    if (ray->hit && tpi_nav_grid_at(&survey->grid, ray->x + ray->dx * far, ray->y + ray->dy * far,
                                    &column, &row)) {
        remember_end(survey, column, row, ray->x + ray->dx * ray->range,
                     ray->y + ray->dy * ray->range);
        change(survey, (size_t)row * survey->grid.width + column, HIT);
    }
}

/* What the beam has passed: cell by cell, until half a cell before its end. */
static void draw_way(tpi_nav_survey *survey, const struct ray *ray)
{
    const tpi_nav_grid *grid = &survey->grid;
    const double most = (ray->range - (ray->hit ? grid->scale / 2 : 0)) / grid->scale;
    const double x = (ray->x - grid->x) / grid->scale;
    const double y = (ray->y - grid->y) / grid->scale;
    const double step_x = ray->dx != 0 ? fabs(1 / ray->dx) : HUGE_VAL;
    const double step_y = ray->dy != 0 ? fabs(1 / ray->dy) : HUGE_VAL;
    double next_x = ray->dx > 0 ? (floor(x) + 1 - x) * step_x : (x - floor(x)) * step_x;
    double next_y = ray->dy > 0 ? (floor(y) + 1 - y) * step_y : (y - floor(y)) * step_y;
    double column = floor(x);
    double row = floor(y);

    next_x = ray->dx != 0 ? next_x : HUGE_VAL;
    next_y = ray->dy != 0 ? next_y : HUGE_VAL;
    while (fmin(next_x, next_y) < most) { /* the cell is passed as a whole */
        if (column >= 0 && column < grid->width && row >= 0 && row < grid->height) {
            change(survey, (size_t)row * grid->width + (size_t)column, MISS);
        }
        if (next_x < next_y) {
            next_x += step_x;
            column += ray->dx > 0 ? 1 : -1;
        } else {
            next_y += step_y;
            row += ray->dy > 0 ? 1 : -1;
        }
    }
}

/* The next number; 0 is that of cells which no scan has changed. */
static void begin_scan(tpi_nav_survey *survey)
{
    if (++survey->scan == 0) {
        memset(survey->stamps, 0,
               (size_t)survey->grid.width * survey->grid.height * sizeof *survey->stamps);
        survey->scan = 1;
    }
}

static tp_status draw(tpi_nav_survey *survey, const tpi_nav_beam *beams, size_t count,
                      tp_error *err)
{
    struct box box = {survey->pose.x, survey->pose.y, survey->pose.x, survey->pose.y};

    for (size_t i = 0; i < count; i++) {
        const struct ray ray = ray_of(survey, &beams[i]);
        const double x = ray.x + ray.dx * ray.range;
        const double y = ray.y + ray.dy * ray.range;
        box = (struct box){fmin(box.x0, x), fmin(box.y0, y), fmax(box.x1, x), fmax(box.y1, y)};
    }
    const tp_status status = holds(&survey->grid, &box) ? TP_OK : grow(survey, &box, err);
    if (status != TP_OK || survey->grid.cells == NULL) {
        return status;
    }
    begin_scan(survey);
    for (size_t i = 0; i < count; i++) {
        const struct ray ray = ray_of(survey, &beams[i]);
        draw_end(survey, &ray);
    }
    for (size_t i = 0; i < count; i++) {
        const struct ray ray = ray_of(survey, &beams[i]);
        draw_way(survey, &ray);
    }
    return TP_OK;
}

tp_status tpi_nav_survey_take(tpi_nav_survey *survey, const tpi_nav_pose *by,
                              const tpi_nav_beam *beams, size_t count, tp_error *err)
{
    const tpi_nav_pose old = survey->pose;
    const tpi_nav_pose guess = tpi_nav_after(&survey->pose, by);
    tpi_nav_pose best = guess;
    double fit = 0;
    tp_status status = survey->scans == 0
                           ? TP_OK
                           : tpi_nav_survey_match(survey, &guess, beams, count, &best, &fit, err);

    survey->pose = best;
    status = status == TP_OK ? draw(survey, beams, count, err) : status;
    if (status != TP_OK) {
        survey->pose = old;
        return status;
    }
    survey->fit = fit;
    survey->scans++;
    return TP_OK;
}
