/*
 * maps.c - map: what stands still in the world, as a grid and as lines.
 *
 * A cell is occupied if something covers a part of its inside: if an outline passes through it, or
 * if its centre is inside of one. Outlines have their insides on their left, so the sum of
 * crossings along a row tells. Made when somebody asks for it first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ray/walls.h"
#include "simulator.h"
#include "tile.h"
#include "troupe/interfaces/map.h"

enum {
    MOST_CELLS = 64 << 20,
    MOST_SEGMENTS = 1 << 20,
};

/* What is nearer to the edge of a cell than this, in metres, ends there. */
static const double tolerance = 1e-9;

struct map {
    tp_map_info info;
    double scale;         /* of the info, but not rounded */
    int8_t *cells;        /* owned; NULL until somebody asks */
    int8_t *tile;         /* owned: room for an answer */
    tp_segment *segments; /* owned: likewise */
    double x0, y0, x1, y1;
};

static bool counts(const tpi_sim_segment *segment)
{
    return segment->obstacle || segment->visible;
}

/* With a free one at each end. */
static uint32_t cells_along(double length, double scale)
{
    return (uint32_t)fmin(ceil((length - tolerance) / scale) + 2, 1 << 20);
}

static tp_status map_begin(simd_device *d, tp_error *err)
{
    struct map *m = d->state;
    const tpi_sim *world = d->owner->world;
    tpi_sim_segment segment;

    (void)err;
    m->x0 = m->y0 = HUGE_VAL;
    m->x1 = m->y1 = -HUGE_VAL;
    for (uint32_t i = 0; i < tpi_sim_segment_count(world); i++) {
        tpi_sim_get_segment(world, i, &segment);
        if (counts(&segment)) {
            m->x0 = fmin(m->x0, fmin(segment.x0, segment.x1));
            m->x1 = fmax(m->x1, fmax(segment.x0, segment.x1));
            m->y0 = fmin(m->y0, fmin(segment.y0, segment.y1));
            m->y1 = fmax(m->y1, fmax(segment.y0, segment.y1));
        }
    }
    if (m->x0 > m->x1) { /* nothing stands there */
        m->x0 = m->y0 = m->x1 = m->y1 = 0;
    }
    const double area = (m->x1 - m->x0) * (m->y1 - m->y0);
    m->scale = fmax(d->owner->map_resolution, sqrt(area / (MOST_CELLS / 4)));
    m->info = (tp_map_info){.scale = (float)m->scale,
                            .width = cells_along(m->x1 - m->x0, m->scale),
                            .height = cells_along(m->y1 - m->y0, m->scale),
                            .origin = {.px = m->x0 - m->scale, .py = m->y0 - m->scale}};
    return TP_OK;
}

static void map_end(simd_device *d)
{
    struct map *m = d->state;

    free(m->cells);
    free(m->tile);
    free(m->segments);
}

/* ---- The grid -------------------------------------------------------------------------------- */

static uint32_t cell_of(double offset, double scale, uint32_t count)
{
    const double at = floor(offset / scale);

    return at <= 0 ? 0 : at >= count ? count - 1 : (uint32_t)at;
}

/* Along an outline, cell by cell of its longer axis; a little to the left of it and without its
 * ends, so that what ends at the edge of a cell is not in the next one. */
static void draw(struct map *m, const tpi_sim_segment *segment)
{
    const double dx = segment->x1 - segment->x0;
    const double dy = segment->y1 - segment->y0;
    const double length = hypot(dx, dy);
    const double steps = fmin(ceil(fmax(fabs(dx), fabs(dy)) / m->scale * 2), 4e6) + 1;

    if (!(length > 2 * tolerance)) {
        return;
    }
    const double nudge = tolerance / length;
    const double x = segment->x0 - dy * nudge - m->info.origin.px;
    const double y = segment->y0 + dx * nudge - m->info.origin.py;
    for (double i = 0; i <= steps; i++) {
        const double share = fmin(fmax(i / steps, nudge), 1 - nudge);
        const uint32_t column = cell_of(x + dx * share, m->scale, m->info.width);
        const uint32_t row = cell_of(y + dy * share, m->scale, m->info.height);
        m->cells[(size_t)row * m->info.width + column] = 1;
    }
}

/* Where it crosses the middles of rows, the cells to the right of it are in one outline more or
 * less. */
static void cross(struct map *m, const tpi_sim_segment *segment, int16_t *turns)
{
    const double scale = m->scale;
    const double low = fmin(segment->y0, segment->y1) - m->info.origin.py;
    const double high = fmax(segment->y0, segment->y1) - m->info.origin.py;
    const int16_t turn = segment->y1 < segment->y0 ? 1 : -1; /* going down, the inside is right */
    const double first = fmax(ceil(low / scale - 0.5), 0);

    for (double row = first; row < m->info.height && (row + 0.5) * scale < high; row++) {
        const double y = m->info.origin.py + (row + 0.5) * scale;
        const double x = segment->x0 + (segment->x1 - segment->x0) * (y - segment->y0) /
                                           (segment->y1 - segment->y0);
        const double column = ceil((x - m->info.origin.px) / scale - 0.5);
        if (column < m->info.width) {
            turns[(size_t)row * m->info.width + (size_t)fmax(column, 0)] += turn;
        }
    }
}

static void fill(struct map *m, const int16_t *turns)
{
    for (uint32_t row = 0; row < m->info.height; row++) {
        int inside = 0;
        for (uint32_t column = 0; column < m->info.width; column++) {
            const size_t at = (size_t)row * m->info.width + column;
            inside += turns[at];
            m->cells[at] = m->cells[at] > 0 || inside > 0 ? 1 : -1;
        }
    }
}

static tp_status make_cells(simd_device *d, tp_error *err)
{
    struct map *m = d->state;
    const tpi_sim *world = d->owner->world;
    const size_t count = (size_t)m->info.width * m->info.height;
    tpi_sim_segment segment;

    if (m->cells != NULL) {
        return TP_OK;
    }
    int16_t *turns = calloc(count + 1, sizeof *turns);
    m->cells = calloc(count + 1, 1);
    if (turns == NULL || m->cells == NULL) {
        free(turns);
        free(m->cells);
        m->cells = NULL;
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < tpi_sim_segment_count(world); i++) {
        tpi_sim_get_segment(world, i, &segment);
        if (counts(&segment)) {
            draw(m, &segment);
            cross(m, &segment, turns);
        }
    }
    fill(m, turns);
    free(turns);
    return TP_OK;
}

/* ---- Questions ------------------------------------------------------------------------------- */

static tp_status get_info(tp_device *device, tp_map_info *answer, tp_error *err)
{
    (void)err;
    *answer = ((const struct map *)simd_state(device))->info;
    return TP_OK;
}

/* As much of the tile as there is. */
static tp_status get_data(tp_device *device, const tp_map_data *ask, tp_map_data *answer,
                          tp_error *err)
{
    struct map *m = simd_state(device);
    tp_status status = make_cells(simd_of(device), err);

    if (status != TP_OK) {
        return status;
    }
    return tpi_tile_copy(m->cells, m->info.width, m->info.height, ask, &m->tile, answer, err);
}

static tp_status get_vector(tp_device *device, tp_map_data_vector *answer, tp_error *err)
{
    struct map *m = simd_state(device);
    const tpi_sim *world = simd_of(device)->owner->world;
    const uint32_t count = tpi_sim_segment_count(world);
    tpi_sim_segment segment;

    if (count > MOST_SEGMENTS) {
        return tp_fail(err, TP_E_LIMIT, "the world has %u lines, more than a message has", count);
    }
    tp_segment *segments = realloc(m->segments, (count + 1) * sizeof *segments);
    if (segments == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    m->segments = segments;
    *answer = (tp_map_data_vector){.minx = (float)m->x0,
                                   .maxx = (float)m->x1,
                                   .miny = (float)m->y0,
                                   .maxy = (float)m->y1,
                                   .segments = segments};
    for (uint32_t i = 0; i < count; i++) {
        tpi_sim_get_segment(world, i, &segment);
        if (counts(&segment)) {
            segments[answer->segments_count++] =
                (tp_segment){segment.x0, segment.y0, segment.x1, segment.y1};
        }
    }
    return TP_OK;
}

static const tp_map_ops map_ops = {
    .req_get_info = get_info,
    .req_get_data = get_data,
    .req_get_vector = get_vector,
};

const simd_kind tpi_simd_maps[] = {
    {
        .interface = &tp_interface_map,
        .ops = &map_ops,
        .state_size = sizeof(struct map),
        .begin = map_begin,
        .end = map_end,
    },
    {0},
};
