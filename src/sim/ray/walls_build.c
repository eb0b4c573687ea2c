/*
 * walls_build.c - the grid of what cannot move.
 *
 * Every segment is in the list of every cell that it touches, with a margin that is far larger than
 * the rounding of a ray's way through the cells and far smaller than anything that could be seen.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/inside.h"

enum {
    CELLS_PER_WALL = 16,
    LEAST_CELLS = 1 << 10,
    MOST_CELLS = 1 << 21,
    MOST_ENTRIES = 1 << 21, /* in the lists of all cells, and for each wall: */
    ENTRIES_PER_WALL = 16,
    CELLS_PER_BLOCK = 4, /* along a side */
};

static const double margin = 5e-3; /* of a cell's side */

void tpi_sim_walls_fini(struct sim_walls *walls)
{
    free(walls->items);
    free(walls->room);
    free(walls->inside);
    free(walls->first);
    free(walls->list);
    free(walls->rough);
    free(walls->rough_list);
    free(walls->block_first);
    free(walls->block_list);
    *walls = (struct sim_walls){0};
}

/* ---- Segments -------------------------------------------------------------------------------- */

static uint32_t count_walls(const tpi_sim *sim)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < sim->trees.count; i++) {
        const struct sim_template *template = sim->trees.template[i];
        if ((sim->trees.flags[i] & SIM_MOVING) == 0) {
            count += template->vertex_count - template->part_count;
        }
    }
    return count;
}

static void put_part(const tpi_sim *sim, uint32_t tree, const struct sim_part *part,
                     struct sim_wall *to)
{
    const struct sim_trees *t = &sim->trees;
    const double *vx = t->template[tree] -> vx + part -> first;
    const double *vy = t->template[tree] -> vy + part -> first;
    const double c = t->c[tree];
    const double s = t->s[tree];

    for (uint32_t i = 0; i < part->count; i++) {
        to[i] = (struct sim_wall){
            .x0 = t->x[tree] + c * vx[i] - s * vy[i],
            .y0 = t->y[tree] + s * vx[i] + c * vy[i],
            .x1 = t->x[tree] + c * vx[i + 1] - s * vy[i + 1],
            .y1 = t->y[tree] + s * vx[i + 1] + c * vy[i + 1],
            .z0 = t->z[tree] + part->z0,
            .z1 = t->z[tree] + part->z1,
            .tree = tree,
            .member = part->member,
            .flags = part->flags,
            .ranger_return = part->ranger_return,
        };
    }
}

static bool gather(const tpi_sim *sim, struct sim_walls *walls)
{
    uint32_t at = 0;

    walls->count = count_walls(sim);
    walls->items = calloc(walls->count + 1, sizeof walls->items[0]);
    for (uint32_t i = 0; walls->items != NULL && i < sim->trees.count; i++) {
        const struct sim_template *template = sim->trees.template[i];
        if ((sim->trees.flags[i] & SIM_MOVING) != 0) {
            continue;
        }
        for (uint32_t k = 0; k < template->part_count; k++) {
            put_part(sim, i, &template->parts[k], &walls->items[at]);
            at += template->parts[k].count;
        }
    }
    return walls->items != NULL;
}

/* ---- The grid -------------------------------------------------------------------------------- */

struct box {
    double x0, y0, x1, y1;
};

static struct box find_box(const struct sim_walls *walls)
{
    struct box box = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};

    for (uint32_t i = 0; i < walls->count; i++) {
        const struct sim_wall *wall = &walls->items[i];
        box.x0 = fmin(box.x0, fmin(wall->x0, wall->x1));
        box.x1 = fmax(box.x1, fmax(wall->x0, wall->x1));
        box.y0 = fmin(box.y0, fmin(wall->y0, wall->y1));
        box.y1 = fmax(box.y1, fmax(wall->y0, wall->y1));
    }
    return box;
}

/* The least size of cells at which their lists together have no more entries than wanted: a wall is
 * in about as many lists as it is longer than a cell. Usual worlds have larger cells anyway; where
 * thousands of long walls cross, memory would otherwise grow faster than the number of walls. */
static double least_cell(const struct sim_walls *walls)
{
    double length = 0;

    for (uint32_t i = 0; i < walls->count; i++) {
        const struct sim_wall *wall = &walls->items[i];
        length += fabs(wall->x1 - wall->x0) + fabs(wall->y1 - wall->y0);
    }
    return length / (MOST_ENTRIES + (double)walls->count * ENTRIES_PER_WALL);
}

static void choose_cells(struct sim_walls *walls)
{
    const struct box box = find_box(walls);
    const double width = fmax(box.x1 - box.x0, 1e-3);
    const double height = fmax(box.y1 - box.y0, 1e-3);
    const double wanted =
        fmin(fmax((double)walls->count * CELLS_PER_WALL, LEAST_CELLS), MOST_CELLS);

    /* a long and narrow world has cells for its length, not for its area */
    walls->cell = fmax(sqrt(width * height / wanted), fmax(width, height) / wanted * 4);
    walls->cell = fmax(walls->cell, least_cell(walls));
    walls->per_cell = 1 / walls->cell;
    walls->columns = (uint32_t)(width * walls->per_cell) + 3;
    walls->rows = (uint32_t)(height * walls->per_cell) + 3;
    walls->x = box.x0 - walls->cell;
    walls->y = box.y0 - walls->cell;
    walls->block = walls->cell * CELLS_PER_BLOCK;
    walls->per_block = 1 / walls->block;
    walls->block_columns = walls->columns / CELLS_PER_BLOCK + 1;
    walls->block_rows = walls->rows / CELLS_PER_BLOCK + 1;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* Cells of one size, and the list of walls in each: counted first, filled then. */
struct lists {
    double x, y, per_cell;
    uint32_t columns, rows;
    uint32_t *first; /* of each cell: the count, then the end, then the beginning of its list */
    uint32_t *list;  /* NULL while counting */
};

static uint32_t clamp(double value, uint32_t count)
{
    if (!(value > 0)) {
        return 0;
    }
    return value < count ? (uint32_t)value : count - 1;
}

static void put_column(struct lists *lists, uint32_t column, double low, double high, uint32_t wall)
{
    const uint32_t last = clamp(high + margin, lists->rows);

    for (uint32_t row = clamp(low - margin, lists->rows); row <= last; row++) {
        const size_t cell = (size_t)row * lists->columns + column;
        if (lists->list == NULL) {
            lists->first[cell]++;
        } else {
            lists->list[--lists->first[cell]] = wall;
        }
    }
}

/* All cells that the segment touches, column by column. */
static void put_wall(struct lists *lists, const struct sim_wall *wall, uint32_t index)
{
    const bool forward = wall->x0 <= wall->x1;
    const double u0 = ((forward ? wall->x0 : wall->x1) - lists->x) * lists->per_cell;
    const double u1 = ((forward ? wall->x1 : wall->x0) - lists->x) * lists->per_cell;
    const double v0 = ((forward ? wall->y0 : wall->y1) - lists->y) * lists->per_cell;
    const double v1 = ((forward ? wall->y1 : wall->y0) - lists->y) * lists->per_cell;
    const double low = fmin(v0, v1);
    const double high = fmax(v0, v1);
    const double slope = u1 - u0 > margin ? (v1 - v0) / (u1 - u0) : 0;
    const uint32_t last = clamp(u1 + margin, lists->columns);

    for (uint32_t column = clamp(u0 - margin, lists->columns); column <= last; column++) {
        const double left = fmax(column - margin, u0);
        const double right = fmin(column + 1 + margin, u1);
        const double v_left = v0 + (left - u0) * slope;
        const double v_right = v0 + (right - u0) * slope;
        if (u1 - u0 > margin) {
            put_column(lists, column, fmax(fmin(v_left, v_right), low),
                       fmin(fmax(v_left, v_right), high), index);
        } else {
            put_column(lists, column, low, high, index);
        }
    }
}

static bool make_lists(const struct sim_walls *walls, struct lists *lists)
{
    const size_t cells = (size_t)lists->columns * lists->rows;
    uint64_t sum = 0;

    lists->first = calloc(cells + 1, sizeof lists->first[0]);
    if (lists->first == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < walls->count; i++) {
        put_wall(lists, &walls->items[i], i);
    }
    for (size_t i = 0; i <= cells; i++) {
        sum += lists->first[i];
        lists->first[i] = (uint32_t)sum;
    }
    lists->list = sum > UINT32_MAX ? NULL : calloc(sum + 1, sizeof lists->list[0]);
    for (uint32_t i = walls->count; lists->list != NULL && i > 0; i--) {
        put_wall(lists, &walls->items[i - 1], i - 1);
    }
    return lists->list != NULL;
}

/* ---- Room ------------------------------------------------------------------------------------ */

enum { MOST_ROOM = 254 }; /* one more is still a byte */

/* The room of a cell; outside there are no walls. */
static uint32_t room_at(const struct sim_walls *walls, uint32_t x, uint32_t y, uint32_t quadrant)
{
    return x < walls->columns && y < walls->rows
               ? sim_room_ahead(walls->room[(size_t)y * walls->columns + x], quadrant)
               : MOST_ROOM;
}

/* A square of empty cells is one cell larger than the least of those that begin with the three next
 * cells, which it is made of. */
static void find_room(struct sim_walls *walls, uint32_t x, uint32_t y, uint32_t quadrant)
{
    const uint32_t next_x = (quadrant & SIM_LEFTWARD) != 0 ? x - 1 : x + 1;
    const uint32_t next_y = (quadrant & SIM_DOWNWARD) != 0 ? y - 1 : y + 1;
    const uint32_t known[] = {room_at(walls, next_x, y, quadrant),
                              room_at(walls, x, next_y, quadrant),
                              room_at(walls, next_x, next_y, quadrant)};
    uint32_t least = MOST_ROOM;

    for (int i = 0; i < 3; i++) {
        least = known[i] < least ? known[i] : least;
    }
    walls->room[(size_t)y * walls->columns + x] |= (least + 1) << quadrant;
}

/* From the far side on. */
static void measure_room(struct sim_walls *walls, uint32_t quadrant)
{
    for (uint32_t i = 0; i < walls->rows; i++) {
        const uint32_t y = (quadrant & SIM_DOWNWARD) != 0 ? i : walls->rows - 1 - i;
        for (uint32_t k = 0; k < walls->columns; k++) {
            const uint32_t x = (quadrant & SIM_LEFTWARD) != 0 ? k : walls->columns - 1 - k;
            const uint32_t *first = &walls->first[(size_t)y * walls->columns + x];
            if (first[0] == first[1]) {
                find_room(walls, x, y, quadrant);
            }
        }
    }
}

static bool make_room(struct sim_walls *walls)
{
    walls->room = calloc((size_t)walls->columns * walls->rows, sizeof walls->room[0]);
    if (walls->room == NULL) {
        return false;
    }
    measure_room(walls, sim_quadrant(false, false));
    measure_room(walls, sim_quadrant(true, false));
    measure_room(walls, sim_quadrant(false, true));
    measure_room(walls, sim_quadrant(true, true));
    return true;
}

/* ---- Rough walls ----------------------------------------------------------------------------- */

enum { MOST_ROUGH = 1 << 24 }; /* what fits into a cell's room beside a byte */

static uint32_t rough_count(const struct sim_walls *walls, size_t cell)
{
    const uint32_t count = walls->first[cell + 1] - walls->first[cell];

    return (count + SIM_ROUGH_WALLS - 1) / SIM_ROUGH_WALLS;
}

/* A wall's ends; without one, no numbers. */
static void put_rough_wall(const struct sim_walls *walls, const struct sim_wall *wall,
                           struct sim_rough_walls *to, uint32_t lane)
{
    const double x = walls->x;
    const double y = walls->y;

    to->x0[lane] = wall != NULL ? (float)((wall->x0 - x) * walls->per_cell) : NAN;
    to->y0[lane] = wall != NULL ? (float)((wall->y0 - y) * walls->per_cell) : NAN;
    to->x1[lane] = wall != NULL ? (float)((wall->x1 - x) * walls->per_cell) : NAN;
    to->y1[lane] = wall != NULL ? (float)((wall->y1 - y) * walls->per_cell) : NAN;
}

/* The walls of a cell, from one record on. */
static void put_rough(struct sim_walls *walls, size_t cell, uint32_t record)
{
    const uint32_t count = rough_count(walls, cell);
    const uint32_t end = walls->first[cell + 1];
    uint32_t at = walls->first[cell];

    walls->room[cell] = record << 8;
    for (uint32_t i = 0; i < count * SIM_ROUGH_WALLS; i++, at++) {
        const uint32_t lane = i % SIM_ROUGH_WALLS;
        const uint32_t number = at < end ? walls->list[at] : 0;
        const bool more = lane == 0 && i / SIM_ROUGH_WALLS + 1 < count;
        put_rough_wall(walls, at < end ? &walls->items[number] : NULL,
                       &walls->rough[record + i / SIM_ROUGH_WALLS], lane);
        walls->rough_list[(size_t)record * SIM_ROUGH_WALLS + i] =
            number | (more ? SIM_ROUGH_MORE : 0);
    }
}

/* Each four in a cache line of their own. */
static bool make_rough(struct sim_walls *walls)
{
    const size_t cells = (size_t)walls->columns * walls->rows;
    size_t records = 0;
    uint32_t at = 0;

    for (size_t i = 0; i < cells; i++) {
        records += rough_count(walls, i);
    }
    if (records > MOST_ROUGH || walls->count >= SIM_ROUGH_MORE) {
        return true;
    }
    walls->rough = aligned_alloc(sizeof walls->rough[0], (records + 1) * sizeof walls->rough[0]);
    walls->rough_list = calloc(records + 1, SIM_ROUGH_WALLS * sizeof walls->rough_list[0]);
    if (walls->rough == NULL || walls->rough_list == NULL) {
        return false;
    }
    for (size_t i = 0; i < cells; i++) {
        if (rough_count(walls, i) > 0) {
            put_rough(walls, i, at);
            at += rough_count(walls, i);
        }
    }
    return true;
}

/* ---- Inside ---------------------------------------------------------------------------------- */

/* Where the segment crosses the middle of a row, a place to the right of it is one polygon
 * farther in or out. */
static void put_crossings(const struct sim_walls *walls, const struct sim_wall *wall,
                          int32_t *turns)
{
    const double v0 = (wall->y0 - walls->y) * walls->per_cell - 0.5;
    const double v1 = (wall->y1 - walls->y) * walls->per_cell - 0.5;
    const double u0 = (wall->x0 - walls->x) * walls->per_cell - 0.5;
    const double u1 = (wall->x1 - walls->x) * walls->per_cell - 0.5;
    const double low = ceil(fmin(v0, v1));
    const double high = ceil(fmax(v0, v1));

    for (double row = low; row < high; row++) {
        const double u = u0 + (u1 - u0) * ((row - v0) / (v1 - v0));
        const uint32_t column = clamp(ceil(u), walls->columns);
        turns[(size_t)row * walls->columns + column] += v0 < v1 ? 1 : -1;
    }
}

static bool find_inside(struct sim_walls *walls)
{
    const size_t cells = (size_t)walls->columns * walls->rows;
    int32_t *turns = calloc(cells, sizeof turns[0]);
    int32_t winding = 0;

    walls->inside = calloc(cells, 1);
    if (turns == NULL || walls->inside == NULL) {
        free(turns);
        return false;
    }
    for (uint32_t i = 0; i < walls->count; i++) {
        if ((walls->items[i].flags & SIM_ONE_SIDED) != 0) {
            put_crossings(walls, &walls->items[i], turns);
        }
    }
    for (size_t i = 0; i < cells; i++) {
        winding = i % walls->columns == 0 ? turns[i] : winding + turns[i];
        walls->inside[i] = winding != 0;
    }
    free(turns);
    return true;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool make_grid(struct sim_walls *walls)
{
    choose_cells(walls);
    struct lists fine = {walls->x, walls->y, walls->per_cell, walls->columns, walls->rows};
    bool made = make_lists(walls, &fine);
    walls->first = fine.first;
    walls->list = fine.list;
    if (!made) {
        return false;
    }
    walls->list_count = walls->first[(size_t)walls->columns * walls->rows];
    struct lists coarse = {walls->x, walls->y, walls->per_block, walls->block_columns,
                           walls->block_rows};
    made = make_lists(walls, &coarse);
    walls->block_first = coarse.first;
    walls->block_list = coarse.list;
    return made && make_room(walls) && make_rough(walls) && find_inside(walls);
}

tp_status tpi_sim_walls_build(tpi_sim *sim, tp_error *err)
{
    struct sim_walls walls = {0};

    if (!gather(sim, &walls) || (walls.count > 0 && !make_grid(&walls))) {
        tpi_sim_walls_fini(&walls);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tpi_sim_walls_fini(&sim->walls);
    sim->walls = walls;
    return TP_OK;
}
