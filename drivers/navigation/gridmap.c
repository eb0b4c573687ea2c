/* gridmap.c - a map that is fetched from a device; see gridmap.h. */
#include "gridmap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forward.h"
#include "troupe/interfaces/map.h"

enum { CELLS_OF_TILE = 1 << 16 };

static const int64_t retry_ns = 20 * TP_NS_PER_S;

static void end(tp_instance *self, struct gridmap *m, bool good, const char *why)
{
    m->asking = false;
    m->ready = good;
    snprintf(m->why, sizeof m->why, "%.*s", (int)sizeof m->why - 1, why);
    m->done(self, m);
}

static void ask_tile(tp_instance *self, struct gridmap *m);

static bool fits(const struct gridmap *m, const tp_map_data *data)
{
    return data->row == m->row && data->col == 0 && data->width == m->grid.width &&
           data->height > 0 && data->height <= m->grid.height - m->row &&
           data->data_count == (uint64_t)data->width * data->height;
}

/* Any range becomes -1, 0 and 1: what is more likely occupied than not, is. */
static void take(struct gridmap *m, const tp_map_data *data)
{
    int8_t *to = m->grid.cells + (size_t)m->row * m->grid.width;

    for (size_t i = 0; i < data->data_count; i++) {
        to[i] = (int8_t)((data->data[i] > 0) - (data->data[i] < 0));
    }
    m->row += data->height;
}

static void got_tile(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct gridmap *m = context;
    const tp_map_data *data = status == TP_OK ? tp_msg_payload(answer) : NULL;

    if (!m->asking) {
        return;
    }
    if (data == NULL || !fits(m, data)) {
        end(self, m, false, data == NULL ? why : "the map's tiles are not what was asked for");
        return;
    }
    take(m, data);
    if (m->row >= m->grid.height) {
        end(self, m, true, "");
    } else {
        ask_tile(self, m);
    }
}

static void ask_tile(tp_instance *self, struct gridmap *m)
{
    const uint32_t most = CELLS_OF_TILE / m->grid.width + 1;
    const uint32_t left = m->grid.height - m->row;
    const tp_map_data ask = {
        .row = m->row, .width = m->grid.width, .height = left < most ? left : most};

    if (tp_link_request(m->link, TP_MAP_REQ_GET_DATA, &ask, retry_ns, got_tile, m) != TP_OK) {
        end(self, m, false, "the map cannot be asked");
    }
}

static void got_info(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct gridmap *m = context;
    const tp_map_info *info = status == TP_OK ? tp_msg_payload(answer) : NULL;
    tp_error err = {0};

    if (!m->asking) {
        return;
    }
    if (info == NULL) {
        end(self, m, false, why);
        return;
    }
    if (fabs(info->origin.pa) > 1e-6) {
        end(self, m, false, "the map is turned, which is not supported: turn its picture");
        return;
    }
    tpi_nav_grid_fini(&m->grid);
    m->ready = false;
    /* A scale of 0.1 comes as a float; it means 0.1. */
    const double scale = round((double)info->scale * 1e7) / 1e7;
    if (!isfinite(info->origin.px + info->origin.py) ||
        tpi_nav_grid_init(&m->grid, info->width, info->height, scale, &err) != TP_OK) {
        end(self, m, false, err.text[0] != '\0' ? err.text : "the map is nowhere");
        return;
    }
    m->grid.x = info->origin.px;
    m->grid.y = info->origin.py;
    m->row = 0;
    ask_tile(self, m);
}

tp_status tpi_gridmap_fetch(struct gridmap *map, tp_error *err)
{
    if (map->asking) {
        return TP_OK;
    }
    const tp_status status =
        tp_link_request(map->link, TP_MAP_REQ_GET_INFO, NULL, retry_ns, got_info, map);
    map->asking = status == TP_OK;
    return status == TP_OK ? TP_OK : tp_fail(err, status, "the map cannot be asked");
}

void tpi_gridmap_stop(struct gridmap *map)
{
    map->asking = false;
}

void tpi_gridmap_fini(struct gridmap *map)
{
    tpi_nav_grid_fini(&map->grid);
}
