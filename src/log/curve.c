/* curve.c - see curve.h. */
#include "log/curve.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 4096 };
static const double first_width = 1.0 / (1 << 20); /* of a column, in seconds */

struct tpi_log_curve {
    tpi_log_column columns[COLUMNS];
    tpi_log_column shown[COLUMNS]; /* without the empty ones */
    size_t used;                   /* of a way: points; of a series: columns up to the last one */
    double width;                  /* of a series: of a column; of a way: distance of points */
    uint64_t points;
    double x[2], y[2];
    bool is_way;
};

tpi_log_curve *tpi_log_curve_create(bool is_way)
{
    tpi_log_curve *curve = calloc(1, sizeof *curve);

    if (curve != NULL) {
        curve->is_way = is_way;
        curve->width = is_way ? 0 : first_width;
    }
    return curve;
}

void tpi_log_curve_destroy(tpi_log_curve *curve)
{
    free(curve);
}

/* Add what another column has; it is behind this one. */
static void join(tpi_log_column *to, const tpi_log_column *from)
{
    if (from->count == 0) {
        return;
    }
    if (to->count == 0) {
        *to = *from;
        return;
    }
    to->count += from->count;
    to->last = from->last;
    to->last_x = from->last_x;
    to->low = fmin(to->low, from->low);
    to->high = fmax(to->high, from->high);
}

/* Two columns become one. */
static void widen(tpi_log_curve *curve)
{
    for (size_t i = 0; i < COLUMNS / 2; i++) {
        tpi_log_column both = {0};

        join(&both, &curve->columns[2 * i]);
        join(&both, &curve->columns[2 * i + 1]);
        curve->columns[i] = both;
    }
    for (size_t i = COLUMNS / 2; i < COLUMNS; i++) {
        curve->columns[i] = (tpi_log_column){0};
    }
    curve->used = (curve->used + 1) / 2;
    curve->width *= 2;
}

static bool is_apart(const tpi_log_curve *curve, const tpi_log_column *a, const tpi_log_column *b)
{
    return fabs(a->first_x - b->first_x) > curve->width || fabs(a->first - b->first) > curve->width;
}

/* Keep fewer points of a way: half at most. */
static void thin(tpi_log_curve *curve)
{
    const double span = fmax(curve->x[1] - curve->x[0], curve->y[1] - curve->y[0]);

    curve->width = fmax(curve->width, span / (4 * COLUMNS));
    while (curve->used > COLUMNS / 2) {
        size_t kept = 1;

        curve->width *= 2;
        for (size_t i = 1; i < curve->used; i++) {
            if (is_apart(curve, &curve->columns[i], &curve->columns[kept - 1])) {
                curve->columns[kept++] = curve->columns[i];
            }
        }
        curve->used = kept;
    }
}

static void add_to_way(tpi_log_curve *curve, const tpi_log_column *point)
{
    if (curve->used > 0 && !is_apart(curve, point, &curve->columns[curve->used - 1])) {
        return;
    }
    if (curve->used == COLUMNS) {
        thin(curve);
    }
    curve->columns[curve->used++] = *point;
}

void tpi_log_curve_add(tpi_log_curve *curve, double x, double y)
{
    const tpi_log_column point = {1, x, x, y, y, y, y};

    if (!isfinite(x) || !isfinite(y)) {
        return;
    }
    curve->x[0] = curve->points == 0 ? x : fmin(curve->x[0], x);
    curve->x[1] = curve->points == 0 ? x : fmax(curve->x[1], x);
    curve->y[0] = curve->points == 0 ? y : fmin(curve->y[0], y);
    curve->y[1] = curve->points == 0 ? y : fmax(curve->y[1], y);
    curve->points++;
    if (curve->is_way) {
        add_to_way(curve, &point);
        return;
    }
    while (x / curve->width >= COLUMNS) {
        widen(curve);
    }
    const size_t at = x > 0 ? (size_t)(x / curve->width) : 0;
    join(&curve->columns[at], &point);
    curve->used = at >= curve->used ? at + 1 : curve->used;
}

bool tpi_log_curve_range(const tpi_log_curve *curve, double x[2], double y[2])
{
    for (int i = 0; i < 2; i++) {
        x[i] = curve->x[i];
        y[i] = curve->y[i];
    }
    return curve->points > 0;
}

uint64_t tpi_log_curve_points(const tpi_log_curve *curve)
{
    return curve->points;
}

size_t tpi_log_curve_columns(tpi_log_curve *curve, const tpi_log_column **columns)
{
    size_t count = 0;

    for (size_t i = 0; i < curve->used; i++) {
        if (curve->columns[i].count > 0) {
            curve->shown[count++] = curve->columns[i];
        }
    }
    *columns = curve->shown;
    return count;
}
