/* log_pairs.c - samples over each other; see log_pairs.h. */
#include "log_pairs.h"

#include <math.h>
#include <stdlib.h>

/* The newest so many are kept: more than any sensor sends at once. */
enum { KEPT = 1 << 16 };

struct number {
    double time_s, value;
};

struct queue {
    struct number numbers[KEPT];
    size_t begin, count;
};

/* What waits for its x. */
struct waiting {
    tpi_log_curve *curve; /* borrowed */
    struct queue queue;
};

struct log_pairs {
    struct queue x;
    struct waiting *curves[LOG_PAIRS_CURVES]; /* owned */
    unsigned count;
};

log_pairs *log_pairs_create(void)
{
    return calloc(1, sizeof(log_pairs));
}

void log_pairs_destroy(log_pairs *pairs)
{
    for (unsigned i = 0; pairs != NULL && i < pairs->count; i++) {
        free(pairs->curves[i]);
    }
    free(pairs);
}

static struct number *at(struct queue *queue, size_t place)
{
    return &queue->numbers[(queue->begin + place) % KEPT];
}

static void drop_first(struct queue *queue)
{
    queue->begin = (queue->begin + 1) % KEPT;
    queue->count--;
}

/* The last x that is not later; false if there is none. */
static bool x_at(struct queue *queue, double time_s, double *out)
{
    const double slack_s = 1e-9; /* times are microseconds, written as seconds */
    size_t low = 0, high = queue->count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (at(queue, middle)->time_s <= time_s + slack_s) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return false;
    }
    *out = at(queue, low - 1)->value;
    return true;
}

/* Draw what waits, up to a time. */
static void draw_until(log_pairs *pairs, struct waiting *waiting, double until_s)
{
    double x;

    while (waiting->queue.count > 0 && at(&waiting->queue, 0)->time_s <= until_s) {
        const struct number *first = at(&waiting->queue, 0);
        if (x_at(&pairs->x, first->time_s, &x)) {
            tpi_log_curve_add(waiting->curve, x, first->value);
        }
        drop_first(&waiting->queue);
    }
}

static void put(struct queue *queue, double time_s, double value)
{
    *at(queue, queue->count++) = (struct number){.time_s = time_s, .value = value};
}

void log_pairs_end(log_pairs *pairs)
{
    for (unsigned i = 0; i < pairs->count; i++) {
        draw_until(pairs, pairs->curves[i], INFINITY);
    }
    pairs->x.count = 0;
}

void log_pairs_x(log_pairs *pairs, double time_s, double x)
{
    if (pairs->x.count > 0 && time_s < at(&pairs->x, pairs->x.count - 1)->time_s) {
        log_pairs_end(pairs);
    }
    if (pairs->x.count == KEPT) {
        drop_first(&pairs->x);
    }
    put(&pairs->x, time_s, x);
    for (unsigned i = 0; i < pairs->count; i++) {
        draw_until(pairs, pairs->curves[i], time_s);
    }
}

/* What waits for this curve; NULL if memory ran out or there are too many. */
static struct waiting *waiting_of(log_pairs *pairs, tpi_log_curve *curve)
{
    for (unsigned i = 0; i < pairs->count; i++) {
        if (pairs->curves[i]->curve == curve) {
            return pairs->curves[i];
        }
    }
    struct waiting *more =
        pairs->count < LOG_PAIRS_CURVES ? calloc(1, sizeof(struct waiting)) : NULL;
    if (more != NULL) {
        more->curve = curve;
        pairs->curves[pairs->count++] = more;
    }
    return more;
}

bool log_pairs_y(log_pairs *pairs, tpi_log_curve *curve, double time_s, double y)
{
    struct waiting *waiting = waiting_of(pairs, curve);

    if (waiting == NULL) {
        return false;
    }
    if (waiting->queue.count == KEPT) {
        draw_until(pairs, waiting, at(&waiting->queue, 0)->time_s);
    }
    put(&waiting->queue, time_s, y);
    if (pairs->x.count > 0) {
        draw_until(pairs, waiting, at(&pairs->x, pairs->x.count - 1)->time_s);
    }
    return true;
}
