/*
 * control_forage.c - the ways of robots that carry things from a source to a sink; see control.h.
 *
 * When a world is read, a grid is laid over it. Of each cell it is known how far it is to the
 * source and to the sink, round all that does not move; a way near a wall counts as longer. A robot
 * drives to the cell that is nearest to its goal, of those about it, and keeps right. The grid
 * follows from the file alone: it does not change when a model is moved.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/control.h"
#include "sim/maths.h"
#include "sim/move/position.h"
#include "sim/ray/walls.h"

enum { SOURCE, SINK, ENDS };
enum { MOST_CELLS = 256, MOST_SWEEPS = 200, AHEAD = 6 };

static const double least_cell = 0.2; /* m */
static const double margin = 1;       /* m, about everything */
static const double roomy = 0.9;      /* m: from there on a wall does not matter */
static const double low = 0.5;        /* m: what hangs higher is not in the way */
static const double keep_right = 0.2; /* rad */
static const int64_t work_us = 2000000;

struct end {
    double x, y, reach; /* who is so near is there */
    float *far;         /* owned; of each cell, the way to it */
};

struct sim_forage {
    double x, y, cell; /* corner of the grid, and width of a cell */
    uint32_t columns, rows;
    struct end ends[ENDS];
};

/* ---- The grid -------------------------------------------------------------------------------- */

static size_t cell_at(const struct sim_forage *f, double x, double y)
{
    const double column = fmin(fmax((x - f->x) / f->cell, 1), f->columns - 2);
    const double row = fmin(fmax((y - f->y) / f->cell, 1), f->rows - 2);

    return (size_t)row * f->columns + (size_t)column;
}

/* The cells about one, the four nearest first. */
static void list_neighbours(const struct sim_forage *f, size_t cell, size_t out[8])
{
    const size_t w = f->columns;
    const size_t all[8] = {cell - 1,     cell + 1,     cell - w,     cell + w,
                           cell - w - 1, cell - w + 1, cell + w - 1, cell + w + 1};

    for (int i = 0; i < 8; i++) {
        out[i] = all[i];
    }
}

static bool relax(const struct sim_forage *f, float *far, const float *weights, size_t cell)
{
    size_t about[8];
    float best = far[cell];

    list_neighbours(f, cell, about);
    for (int i = 0; i < 8; i++) {
        const float step = (float)f->cell * (i < 4 ? 1.0F : 1.41421356F);
        best = fminf(best, far[about[i]] + step * (weights == NULL ? 1.0F : weights[cell]));
    }
    const bool changed = best < far[cell];
    far[cell] = best;
    return changed;
}

/* From what is 0 to everywhere. The cells of the edge stay as they are. */
static void spread(const struct sim_forage *f, float *far, const float *weights)
{
    bool changed = true;

    for (int sweep = 0; sweep < MOST_SWEEPS && changed; sweep++) {
        const uint32_t inner = (f->columns - 2) * (f->rows - 2);
        changed = false;
        for (uint32_t i = 0; i < inner; i++) {
            const uint32_t at = sweep % 2 == 0 ? i : inner - 1 - i;
            const size_t row = at / (f->columns - 2) + 1;
            const size_t column = at % (f->columns - 2) + 1;
            changed = relax(f, far, weights, row * f->columns + column) || changed;
        }
    }
}

static void mark(const struct sim_forage *f, const tpi_sim_segment *s, float *far)
{
    const double length = hypot(s->x1 - s->x0, s->y1 - s->y0);
    const uint32_t count = (uint32_t)fmin(length / f->cell * 2, 4 * MOST_CELLS) + 1;

    for (uint32_t i = 0; i <= count; i++) {
        const double share = (double)i / count;
        far[cell_at(f, s->x0 + share * (s->x1 - s->x0), s->y0 + share * (s->y1 - s->y0))] = 0;
    }
}

/* Robots also avoid what they see and could drive through, as the floor plans of many worlds. */
static bool is_in_the_way(const tpi_sim_segment *segment)
{
    return (segment->obstacle || segment->visible) && segment->z0 < low;
}

/* How much longer a way through each cell is; where a robot does not fit, infinitely. */
static void weigh(const tpi_sim *sim, const struct sim_forage *f, double radius, float *weights)
{
    const size_t count = (size_t)f->columns * f->rows;

    for (size_t i = 0; i < count; i++) {
        weights[i] = HUGE_VALF;
    }
    for (uint32_t i = 0; i < tpi_sim_segment_count(sim); i++) {
        tpi_sim_segment segment;
        tpi_sim_get_segment(sim, i, &segment);
        if (is_in_the_way(&segment)) {
            mark(f, &segment, weights);
        }
    }
    spread(f, weights, NULL);
    for (size_t i = 0; i < count; i++) {
        const double room = (double)weights[i];
        const double lack = fmax(0, 1 - room / roomy);
        weights[i] = room < radius ? HUGE_VALF : (float)(1 + 8 * lack * lack);
    }
}

/* ---- The beginning --------------------------------------------------------------------------- */

struct box {
    double low[2], high[2];
};

static void take_in(struct box *box, double x, double y)
{
    box->low[0] = fmin(box->low[0], x);
    box->low[1] = fmin(box->low[1], y);
    box->high[0] = fmax(box->high[0], x);
    box->high[1] = fmax(box->high[1], y);
}

/* The width of the widest robot that forages; 0 if none does. */
static double widest(const tpi_sim *sim)
{
    double radius = 0;

    for (uint32_t i = 0; i < sim->trees.count; i++) {
        const struct sim_template *template = sim->trees.template[i];
        if (tpi_sim_control_forages(template->control) && template->driver != TPI_SIM_NONE) {
            radius = fmax(radius, fmax(template->solid_radius, 1e-3));
        }
    }
    return radius;
}

static void lay_grid(const tpi_sim *sim, struct sim_forage *f)
{
    struct box box = {{HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};

    for (uint32_t i = 0; i < tpi_sim_segment_count(sim); i++) {
        tpi_sim_segment s;
        tpi_sim_get_segment(sim, i, &s);
        if (is_in_the_way(&s)) {
            take_in(&box, s.x0, s.y0);
            take_in(&box, s.x1, s.y1);
        }
    }
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        take_in(&box, sim->trees.x[i], sim->trees.y[i]);
    }
    const double wide = box.high[0] - box.low[0] + 2 * margin;
    const double deep = box.high[1] - box.low[1] + 2 * margin;
    f->cell = fmax(least_cell, fmax(wide, deep) / (MOST_CELLS - 2));
    f->x = box.low[0] - margin;
    f->y = box.low[1] - margin;
    f->columns = (uint32_t)fmin(wide / f->cell + 2, MOST_CELLS);
    f->rows = (uint32_t)fmin(deep / f->cell + 2, MOST_CELLS);
}

static bool find_ways(tpi_sim *sim, struct sim_forage *f, const tpi_sim_model models[ENDS],
                      double radius)
{
    const size_t count = (size_t)f->columns * f->rows;
    float *weights = malloc(count * sizeof weights[0]);

    for (int i = 0; i < ENDS; i++) {
        f->ends[i].far = tpi_sim_take(sim, count, sizeof f->ends[i].far[0]);
    }
    if (weights == NULL || f->ends[SOURCE].far == NULL || f->ends[SINK].far == NULL) {
        free(weights);
        return false;
    }
    weigh(sim, f, radius, weights);
    for (int i = 0; i < ENDS; i++) {
        const tpi_sim_pose at = tpi_sim_global_pose(sim, models[i]);
        tpi_sim_info info;
        tpi_sim_model_info(sim, models[i], &info);
        f->ends[i].x = at.x;
        f->ends[i].y = at.y;
        f->ends[i].reach = hypot(info.size[0], info.size[1]) / 2;
        for (size_t k = 0; k < count; k++) {
            f->ends[i].far[k] = HUGE_VALF;
        }
        f->ends[i].far[cell_at(f, at.x, at.y)] = 0;
        spread(f, f->ends[i].far, weights);
    }
    free(weights);
    return true;
}

tp_status tpi_sim_forage_init(tpi_sim *sim, bool *lost, tp_error *err)
{
    const tpi_sim_model models[ENDS] = {tpi_sim_find(sim, "source"), tpi_sim_find(sim, "sink")};
    const double radius = widest(sim);

    *lost = radius > 0 && (models[SOURCE] == TPI_SIM_NONE || models[SINK] == TPI_SIM_NONE);
    if (radius == 0 || *lost) {
        return TP_OK;
    }
    sim->forage = tpi_sim_take(sim, 1, sizeof *sim->forage);
    if (sim->forage == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    lay_grid(sim, sim->forage);
    return find_ways(sim, sim->forage, models, radius) ? TP_OK
                                                       : tp_fail(err, TP_E_NOMEM, "out of memory");
}

void tpi_sim_forage_free(struct sim_forage *forage)
{
    if (forage != NULL) {
        free(forage->ends[SOURCE].far);
        free(forage->ends[SINK].far);
        free(forage);
    }
}

/* ---- On the way ------------------------------------------------------------------------------ */

void tpi_sim_forage_work(const tpi_sim *sim, uint32_t tree, struct sim_position_state *state)
{
    const struct end *end = &sim->forage->ends[state->loaded != 0 ? SINK : SOURCE];
    const double dx = end->x - sim->trees.x[tree];
    const double dy = end->y - sim->trees.y[tree];

    if (dx * dx + dy * dy > end->reach * end->reach) {
        state->working_us = 0;
        return;
    }
    state->working_us += (uint32_t)sim->interval_us;
    if (state->working_us >= work_us) {
        state->working_us = 0;
        state->delivered += state->loaded;
        state->loaded = state->loaded == 0;
    }
}

/* The cell of those about it that is nearest to the goal; itself if none is nearer. */
static size_t next_cell(const struct sim_forage *f, const float *far, size_t cell)
{
    const size_t column = cell % f->columns;
    const size_t row = cell / f->columns;
    size_t best = cell;
    size_t about[8];

    if (column == 0 || row == 0 || column == f->columns - 1 || row == f->rows - 1) {
        return cell;
    }
    list_neighbours(f, cell, about);
    for (int i = 0; i < 8; i++) {
        best = far[about[i]] < far[best] ? about[i] : best;
    }
    return best;
}

/* A place from which the robot can go on: its own cell, or the best of those near it. */
static size_t first_cell(const struct sim_forage *f, const float *far, double x, double y)
{
    size_t best = cell_at(f, x, y);

    for (int i = -3; i <= 3 && far[best] == HUGE_VALF; i++) {
        for (int k = -3; k <= 3; k++) {
            const size_t cell = cell_at(f, x + i * f->cell, y + k * f->cell);
            best = far[cell] < far[best] ? cell : best;
        }
    }
    return best;
}

double tpi_sim_forage_turn(const tpi_sim *sim, uint32_t tree,
                           const struct sim_position_state *state)
{
    const struct sim_forage *f = sim->forage;
    const struct end *end = &f->ends[state->loaded != 0 ? SINK : SOURCE];
    const double x = sim->trees.x[tree];
    const double y = sim->trees.y[tree];
    size_t cell = first_cell(f, end->far, x, y);

    for (int i = 0; i < AHEAD; i++) {
        cell = next_cell(f, end->far, cell);
    }
    const double dx = f->x + ((double)(cell % f->columns) + 0.5) * f->cell - x;
    const double dy = f->y + ((double)(cell / f->columns) + 0.5) * f->cell - y;
    const double turn = sim_normal(atan2(dy, dx) - keep_right - sim->trees.a[tree]);
    return fmin(fmax(turn, -1), 1);
}

uint32_t tpi_sim_delivered(const tpi_sim *sim, tpi_sim_model model)
{
    const bool all = model == tpi_sim_find(sim, "sink");
    uint32_t sum = 0;

    for (uint32_t i = 0; i < sim->trees.count; i++) {
        const struct sim_template *template = sim->trees.template[i];
        if (tpi_sim_control_forages(template->control) && template->driver != TPI_SIM_NONE &&
            (all || sim->trees.model[i] == model)) {
            sum +=
                ((struct sim_position_state *)tpi_sim_state(sim, i, template->driver))->delivered;
        }
    }
    return sum;
}
