/* sketch.c - see sketch.h. */
#include "sim/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/inside.h"

struct sim_sketch {
    struct sim_sketch *next; /* owned */
    tpi_sim_model model;
    tpi_buf strokes; /* owned: tpi_sim_stroke, oldest first */
    tpi_buf points;  /* owned: two floats for each point of them */
};

enum { POINT = 2 * sizeof(float) };

static struct sim_sketch *find(const tpi_sim *sim, tpi_sim_model model)
{
    struct sim_sketch *sketch = sim->sketches;

    while (sketch != NULL && sketch->model != model) {
        sketch = sketch->next;
    }
    return sketch;
}

static struct sim_sketch *find_or_make(tpi_sim *sim, tpi_sim_model model)
{
    struct sim_sketch *sketch = find(sim, model);

    if (sketch == NULL && (sketch = calloc(1, sizeof *sketch)) != NULL) {
        sketch->model = model;
        sketch->next = sim->sketches;
        sim->sketches = sketch;
    }
    return sketch;
}

static void drop_front(tpi_buf *buf, size_t size)
{
    memmove(buf->data, buf->data + size, buf->length - size);
    buf->length -= size;
}

/* Lose the oldest strokes; more than is needed, so that this is not done for every one. */
static void make_room(struct sim_sketch *sketch, uint32_t wanted)
{
    const size_t most = (size_t)TPI_SIM_MOST_SKETCHED * POINT;
    const size_t left = (size_t)TPI_SIM_MOST_SKETCHED * 3 / 4 * POINT;
    const size_t room = (size_t)wanted * POINT;
    const tpi_sim_stroke *strokes = (const tpi_sim_stroke *)(const void *)sketch->strokes.data;
    const size_t count = sketch->strokes.length / sizeof *strokes;
    size_t dropped = 0;
    size_t lost = 0;

    if (sketch->points.length + room <= most) {
        return;
    }
    while (dropped < count &&
           (sketch->points.length - lost > left || sketch->points.length - lost + room > most)) {
        lost += (size_t)strokes[dropped++].count * POINT;
    }
    drop_front(&sketch->strokes, dropped * sizeof *strokes);
    drop_front(&sketch->points, lost);
}

static tp_status check(const tpi_sim_stroke *stroke, const double *xy, tp_error *err)
{
    if (stroke->count > TPI_SIM_MOST_SKETCHED) {
        return tp_fail(err, TP_E_RANGE, "a drawing of %u points is more than %d", stroke->count,
                       TPI_SIM_MOST_SKETCHED);
    }
    for (size_t i = 0; i < (size_t)stroke->count * 2; i++) {
        if (!isfinite(xy[i])) {
            return tp_fail(err, TP_E_RANGE, "point %zu is not a place", i / 2);
        }
    }
    return TP_OK;
}

tp_status tpi_sim_sketch(tpi_sim *sim, tpi_sim_model model, const tpi_sim_stroke *stroke,
                         const double *xy, tp_error *err)
{
    tp_status status = check(stroke, xy, err);
    struct sim_sketch *sketch = status == TP_OK ? find_or_make(sim, model) : NULL;

    if (status != TP_OK || stroke->count == 0) {
        return status;
    }
    if (sketch == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    make_room(sketch, stroke->count);
    const size_t length = sketch->points.length;
    for (size_t i = 0; i < (size_t)stroke->count * 2; i++) {
        const float value = (float)xy[i];
        tpi_buf_put(&sketch->points, &value, sizeof value);
    }
    if (!sketch->points.failed) {
        tpi_buf_put(&sketch->strokes, stroke, sizeof *stroke);
    }
    if (sketch->points.failed || sketch->strokes.failed) {
        sketch->points.length = length;
        sketch->points.failed = sketch->strokes.failed = false;
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    sim->changes.sketches++;
    return TP_OK;
}

void tpi_sim_sketch_clear(tpi_sim *sim, tpi_sim_model model)
{
    struct sim_sketch *sketch = find(sim, model);

    if (sketch != NULL) {
        tpi_buf_clear(&sketch->strokes);
        tpi_buf_clear(&sketch->points);
        sim->changes.sketches++;
    }
}

bool tpi_sim_sketch_next(const tpi_sim *sim, tpi_sim_sketched *sketched)
{
    const struct sim_sketch *sketch = sketched->sketch != NULL ? sketched->sketch : sim->sketches;

    while (sketch != NULL && sketched->at * sizeof(tpi_sim_stroke) >= sketch->strokes.length) {
        sketch = sketch->next;
        sketched->at = sketched->point = 0;
    }
    sketched->sketch = sketch;
    if (sketch == NULL) {
        return false;
    }
    memcpy(&sketched->stroke, sketch->strokes.data + sketched->at++ * sizeof sketched->stroke,
           sizeof sketched->stroke);
    sketched->model = sketch->model >= TPI_SIM_SHEET(0) ? TPI_SIM_NONE : sketch->model;
    sketched->xy = (const float *)(const void *)(sketch->points.data + sketched->point * POINT);
    sketched->point += sketched->stroke.count;
    return true;
}

void tpi_sim_sketches_free(struct sim_sketch *sketches)
{
    while (sketches != NULL) {
        struct sim_sketch *next = sketches->next;
        tpi_buf_fini(&sketches->strokes);
        tpi_buf_fini(&sketches->points);
        free(sketches);
        sketches = next;
    }
}
