/* route.c - see route.h. */
#include "route.h"

#include <math.h>
#include <stdlib.h>

#include "bench.h"

static const double SPEED_MPS = 0.3, POINT_M = 0.006;
static const double BASE_LIMITS[3] = {1, 1, 4}; /* as base_acceleration says */

void route_speed(int frame, double *v_mps, double *omega_radps)
{
    const double small = acos(-1) / 7.5; /* half a turn in 7.5 s */
    const int part = frame / 75;

    *v_mps = frame < ROUTE_FRAMES - 1 ? SPEED_MPS : 0;
    *omega_radps = part >= 8 ? 0 : part >= 4 ? -small / 4 : (part % 2 == 0 ? small : -small);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

void places_add(struct places *way, const struct place *place)
{
    const struct place *last = way->count > 0 ? &way->items[way->count - 1] : NULL;

    if (last != NULL && last->x == place->x && last->y == place->y && last->theta == place->theta) {
        return;
    }
    if (way->count == way->room) {
        way->room = way->room == 0 ? 65536 : 2 * way->room;
        way->items = realloc(way->items, way->room * sizeof *way->items);
        if (way->items == NULL) {
            bench_give_up("out of memory");
        }
    }
    way->items[way->count++] = *place;
}

static double way_length(const struct places *way)
{
    double length = 0;

    for (size_t i = 1; i < way->count; i++) {
        length +=
            hypot(way->items[i].x - way->items[i - 1].x, way->items[i].y - way->items[i - 1].y);
    }
    return length;
}

void path_of(struct path *out, const struct places *way)
{
    const size_t room = (size_t)(way_length(way) / POINT_M) + 3;
    double done = 0;

    *out = (struct path){.x = malloc(room * sizeof(double)), .y = malloc(room * sizeof(double))};
    if (out->x == NULL || out->y == NULL || way->count == 0) {
        bench_give_up("there is no path");
    }
    for (size_t i = 1; i < way->count; i++) {
        const struct place *a = &way->items[i - 1], *b = &way->items[i];
        const double step = hypot(b->x - a->x, b->y - a->y);

        while (step > 0 && (double)out->count * POINT_M <= done + step) {
            const double part = ((double)out->count * POINT_M - done) / step;

            out->x[out->count] = a->x + part * (b->x - a->x);
            out->y[out->count++] = a->y + part * (b->y - a->y);
        }
        done += step;
    }
    out->x[out->count] = way->items[way->count - 1].x;
    out->y[out->count++] = way->items[way->count - 1].y;
}

void path_free(struct path *path)
{
    free(path->x);
    free(path->y);
    *path = (struct path){0};
}

double path_length(const struct path *path)
{
    double length = 0;

    for (size_t i = 1; i < path->count; i++) {
        length += hypot(path->x[i] - path->x[i - 1], path->y[i] - path->y[i - 1]);
    }
    return length;
}

double path_gap(const struct path *path)
{
    const size_t last = path->count - 1;

    return hypot(path->x[last] - path->x[0], path->y[last] - path->y[0]);
}

/* Row by row; squares, so that there is one root. */
double path_distance(const struct path *a, const struct path *b)
{
    double *row = malloc(b->count * sizeof *row);

    if (row == NULL) {
        bench_give_up("out of memory");
    }
    for (size_t i = 0; i < a->count; i++) {
        double corner = i > 0 ? row[0] : 0;

        for (size_t j = 0; j < b->count; j++) {
            const double dx = a->x[i] - b->x[j], dy = a->y[i] - b->y[j];
            const double here = dx * dx + dy * dy;
            double least = i > 0 ? row[j] : HUGE_VAL;

            least = j > 0 && row[j - 1] < least ? row[j - 1] : least;
            least = j > 0 && i > 0 && corner < least ? corner : least;
            corner = i > 0 ? row[j] : HUGE_VAL;
            row[j] = i == 0 && j == 0 ? here : here > least ? here : least;
        }
    }
    const double result = sqrt(row[b->count - 1]);
    free(row);
    return result;
}

double path_right_s(const struct path *path, const struct path *reference, double most_m)
{
    const size_t count = path->count < reference->count ? path->count : reference->count;
    size_t i = 0;

    while (i < count &&
           hypot(path->x[i] - reference->x[i], path->y[i] - reference->y[i]) <= most_m) {
        i++;
    }
    return (double)i * POINT_M / SPEED_MPS;
}

/* ---- Writes at ports ------------------------------------------------------------------------- */

bool writes_equal(const struct port_writes *a, const struct port_writes *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        if (a->items[i].at_ns - a->items[0].at_ns != b->items[i].at_ns - b->items[0].at_ns ||
            a->items[i].values[0] != b->items[i].values[0] ||
            a->items[i].values[1] != b->items[i].values[1] ||
            a->items[i].values[2] != b->items[i].values[2]) {
            return false;
        }
    }
    return true;
}

double writes_acceleration(const struct port_writes *writes)
{
    const int64_t window_ns = 2 * ROUTE_STEP_NS;
    double most = 0;

    for (size_t i = 0; i < writes->count; i++) {
        const struct port_write *a = &writes->items[i];

        for (size_t j = i + 1; j < writes->count && writes->items[j].at_ns - a->at_ns < window_ns;
             j++) {
            const struct port_write *b = &writes->items[j];
            const double time_s = (double)(b->at_ns - a->at_ns) * 1e-9 + 0.02;

            for (int k = 0; k < 3; k++) {
                most = fmax(most, fabs(b->values[k] - a->values[k]) / (BASE_LIMITS[k] * time_s));
            }
        }
    }
    return most;
}

int64_t route_best(const int64_t *arrivals, size_t count, int64_t run_ns)
{
    int64_t start = count > 0 ? arrivals[0] : 0;

    for (size_t i = 0; i + 1 < count; i++) {
        const int64_t need = arrivals[i + 1] - (int64_t)i * ROUTE_STEP_NS;

        start = need > start ? need : start;
    }
    return start + run_ns;
}
