/*
 * gridmap - a map of a fixed size from odometry and a sonar.
 *
 * Simpler than `mapper`, with Player's options: the odometry is believed. While the robot moves,
 * each reading below a threshold counts for the cell at its end and against those before it. A
 * cell that counts more than `maptreshold` is occupied. Every start begins a new map.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beams.h"
#include "limits.h"
#include "navigation/grid.h"
#include "tile.h"
#include "troupe/driver/map.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/sonar.h"

enum { MOST_CELLS = 16000000, MOST_COUNT = 100 };

struct gridmap {
    tp_device *map; /* borrowed */
    tp_link *link;  /* borrowed: the odometry */
    struct beams beams;
    tpi_nav_grid grid; /* owned cells */
    uint8_t *counts;   /* owned: for each cell, how much is for an obstacle */
    int64_t threshold; /* of counts */
    tpi_nav_pose pose;
    bool moves;
    int8_t *tile; /* owned: room for an answer */
};

static const tp_param gridmap_params[] = {
    {"width", "1", "0", "columns of the map"},
    {"height", "1", "0", "rows of the map"},
    {"scale", "m", "1", "side of a cell"},
    {"startx", "1", "0", "column of the odometry's origin, from the middle of the map"},
    {"starty", "1", "0", "its row, from the middle"},
    {"sonartreshold", "m", "1", "readings beyond it are not used"},
    {"maptreshold", "1", "3", "a cell is occupied if it was hit more often"},
    {NULL, NULL, NULL, NULL},
};

/* ---- The map --------------------------------------------------------------------------------- */

/* What a reading says of the cell at a place. */
static void count(struct gridmap *g, double x, double y, bool hit)
{
    uint32_t column = 0;
    uint32_t row = 0;

    if (!tpi_nav_grid_at(&g->grid, x, y, &column, &row)) {
        return;
    }
    const size_t i = (size_t)row * g->grid.width + column;
    if (hit && g->counts[i] < MOST_COUNT) {
        g->counts[i]++;
    } else if (!hit && g->counts[i] > 0) {
        g->counts[i]--;
    }
    g->grid.cells[i] = g->counts[i] > g->threshold ? 1 : -1;
}

static void draw(struct gridmap *g, const tpi_nav_beam *beam)
{
    const double c = cos(g->pose.a);
    const double s = sin(g->pose.a);
    const double x = g->pose.x + c * beam->x - s * beam->y;
    const double y = g->pose.y + s * beam->x + c * beam->y;
    const double dx = c * beam->dx - s * beam->dy;
    const double dy = s * beam->dx + c * beam->dy;

    for (double way = 0; way < beam->range - g->grid.scale; way += g->grid.scale) {
        count(g, x + way * dx, y + way * dy, false);
    }
    count(g, x + beam->range * dx, y + beam->range * dy, true);
}

static void take_odometry(struct gridmap *g, const tp_msg *msg)
{
    const tp_position2d_data *data = tp_msg_payload(msg);

    if (tp_msg_header(msg)->subtype == TP_POSITION2D_DATA_STATE && data != NULL &&
        isfinite(data->pos.px + data->pos.py + data->pos.pa)) {
        g->pose = (tpi_nav_pose){data->pos.px, data->pos.py, data->pos.pa};
        g->moves = data->vel.px != 0 || data->vel.py != 0 || data->vel.pa != 0;
    }
}

static void gridmap_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct gridmap *g = tp_instance_state(self);

    if (from == g->link) {
        take_odometry(g, msg);
    } else if (from == g->beams.link && tpi_beams_take(&g->beams, msg) && g->moves) {
        for (size_t i = BEAMS_OF_CONE / 2; i < g->beams.count; i += BEAMS_OF_CONE) {
            const tpi_nav_beam *beam = &g->beams.beams[i];
            if (beam->hit && beam->range > 0.001) {
                draw(g, beam);
            }
        }
    }
}

static tp_status get_info(tp_device *device, tp_map_info *answer, tp_error *err)
{
    const struct gridmap *g = tp_instance_state(tp_device_instance(device));

    (void)err;
    *answer = (tp_map_info){.scale = (float)g->grid.scale,
                            .width = g->grid.width,
                            .height = g->grid.height,
                            .origin = {.px = g->grid.x, .py = g->grid.y}};
    return TP_OK;
}

static tp_status get_data(tp_device *device, const tp_map_data *ask, tp_map_data *answer,
                          tp_error *err)
{
    struct gridmap *g = tp_instance_state(tp_device_instance(device));

    return tpi_tile_copy(g->grid.cells, g->grid.width, g->grid.height, ask, &g->tile, answer, err);
}

static const tp_map_ops map_ops = {.req_get_info = get_info, .req_get_data = get_data};

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status make_grid(tp_instance *self, struct gridmap *g, tp_error *err)
{
    double width = 0;
    double height = 0;
    double scale = 0;
    double x = 0;
    double y = 0;
    tp_status status = tpi_limits_read(self, "width", 1, 1, 20000, &width, err);

    status = status == TP_OK ? tpi_limits_read(self, "height", 1, 1, 20000, &height, err) : status;
    status = status == TP_OK ? tpi_limits_read(self, "startx", 1, -20000, 20000, &x, err) : status;
    status = status == TP_OK ? tpi_limits_read(self, "starty", 1, -20000, 20000, &y, err) : status;
    status = status == TP_OK ? tpi_limits_read(self, "scale", 1, 0.005, 10, &scale, err) : status;
    if (status == TP_OK && width * height > MOST_CELLS) {
        tp_param_blame(self, "width");
        return tp_fail(err, TP_E_LIMIT, "a map has at most %d cells", MOST_CELLS);
    }
    status = status == TP_OK
                 ? tpi_nav_grid_init(&g->grid, (uint32_t)width, (uint32_t)height, scale, err)
                 : status;
    g->grid.x = -(x + floor(width / 2)) * scale;
    g->grid.y = -(y + floor(height / 2)) * scale;
    g->counts = status == TP_OK ? calloc((size_t)g->grid.width * g->grid.height, 1) : NULL;
    return status == TP_OK && g->counts == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                                : status;
}

static tp_status gridmap_init(tp_instance *self, tp_error *err)
{
    struct gridmap *g = tp_instance_state(self);
    double threshold = 0;
    tp_status status = tpi_limits_read(self, "maptreshold", 1, 0, MOST_COUNT - 1, &threshold, err);

    g->threshold = (int64_t)threshold;
    status = status == TP_OK
                 ? tpi_limits_read(self, "sonartreshold", 1, 0.01, 100, &g->beams.longest, err)
                 : status;
    status = status == TP_OK ? make_grid(self, g, err) : status;
    status =
        status == TP_OK ? tp_require(self, &tp_interface_position2d, NULL, &g->link, err) : status;
    status = status == TP_OK ? tpi_beams_require(self, &g->beams, err) : status;
    if (status == TP_OK && tp_link_interface(g->beams.link) != &tp_interface_sonar) {
        return tp_fail(err, TP_E_UNSUPPORTED, "gridmap uses a sonar; `mapper` uses other sensors");
    }
    return status == TP_OK ? tp_offer_map(self, NULL, &map_ops, &g->map, err) : status;
}

static tp_status gridmap_start(tp_instance *self, tp_error *err)
{
    struct gridmap *g = tp_instance_state(self);
    const size_t cells = (size_t)g->grid.width * g->grid.height;

    memset(g->counts, 0, cells);
    memset(g->grid.cells, 0, cells);
    g->moves = false;
    return tpi_beams_start(&g->beams, err);
}

static void gridmap_fini(tp_instance *self)
{
    struct gridmap *g = tp_instance_state(self);

    tpi_nav_grid_fini(&g->grid);
    tpi_beams_fini(&g->beams);
    free(g->counts);
    free(g->tile);
}

static const tp_driver_ops gridmap_ops = {
    .init = gridmap_init,
    .start = gridmap_start,
    .data = gridmap_data,
    .fini = gridmap_fini,
};

TP_API const tp_driver tp_driver_gridmap = {
    .abi = TP_DRIVER_ABI,
    .name = "gridmap",
    .summary = "a map of a fixed size from odometry and a sonar",
    .state_size = sizeof(struct gridmap),
    .params = gridmap_params,
    .ops = &gridmap_ops,
};
