/*
 * mapfile - a map from a file: a picture (PNG, PNM, BMP, JPEG) or a YAML file of ROS's map_server.
 *
 * The file is read when the configuration is, so that `troupe check` tells what is wrong with it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "navigation/mapfile.h"
#include "tile.h"
#include "troupe/driver/map.h"

enum { LONGEST_PATH = 4096 };

struct mapfile {
    tp_device *device;
    tpi_nav_grid grid; /* owned */
    double yaw;
    int8_t *tile; /* owned: room for an answer */
};

static const tp_param mapfile_params[] = {
    {"filename", NULL, NULL, "the picture, or a .yaml file of map_server"},
    {"resolution", "m", "-1", "side of a pixel; a YAML file says it itself"},
    {"negate", "1", "0", "1 if light pixels are occupied"},
    {"origin", "m m rad", "",
     "where the lower left corner of the picture is; by default 0 0 is in its middle"},
    {NULL, NULL, NULL, NULL},
};

static tp_status get_info(tp_device *device, tp_map_info *answer, tp_error *err)
{
    const struct mapfile *m = tp_instance_state(tp_device_instance(device));

    (void)err;
    *answer = (tp_map_info){.scale = (float)m->grid.scale,
                            .width = m->grid.width,
                            .height = m->grid.height,
                            .origin = {.px = m->grid.x, .py = m->grid.y, .pa = m->yaw}};
    return TP_OK;
}

/* As much of the tile as there is. */
static tp_status get_data(tp_device *device, const tp_map_data *ask, tp_map_data *answer,
                          tp_error *err)
{
    struct mapfile *m = tp_instance_state(tp_device_instance(device));

    return tpi_tile_copy(m->grid.cells, m->grid.width, m->grid.height, ask, &m->tile, answer, err);
}

static const tp_map_ops mapfile_map = {.req_get_info = get_info, .req_get_data = get_data};

static tp_status read_rules(tp_instance *self, tpi_nav_rules *rules, tp_error *err)
{
    const size_t count = tp_param_count(self, "origin");

    *rules = tpi_nav_rules_of_player();
    rules->scale = tp_param_double(self, "resolution");
    rules->negate = tp_param_double(self, "negate") != 0;
    rules->placed = count > 0;
    rules->x = tp_param_double_at(self, "origin", 0);
    rules->y = tp_param_double_at(self, "origin", 1);
    rules->yaw = count > 2 ? tp_param_double_at(self, "origin", 2) : 0;
    if ((count != 0 && count != 2 && count != 3) || !isfinite(rules->x + rules->y + rules->yaw)) {
        tp_param_blame(self, "origin");
        return tp_fail(err, TP_E_INVALID, "origin needs x, y and an angle");
    }
    return TP_OK;
}

static tp_status load(tp_instance *self, struct mapfile *m, tpi_nav_rules *rules, tp_error *err)
{
    const char *name = tp_param_string(self, "filename");
    char path[LONGEST_PATH];

    tp_param_blame(self, "filename");
    if (snprintf(path, sizeof path, "%s%s", name[0] == '/' ? "" : tp_instance_folder(self), name) >=
        (int)sizeof path) {
        return tp_fail(err, TP_E_LIMIT, "the path of the map is too long");
    }
    if (tpi_nav_mapyaml_is(name)) {
        return tpi_nav_mapfile_yaml(&m->grid, path, rules, err);
    }
    if (!(rules->scale > 0 && rules->scale <= 1e3)) {
        tp_param_blame(self, "resolution");
        return tp_fail(err, TP_E_RANGE,
                       "resolution \"%s\" is not a length above 0: the side of a pixel",
                       tp_param_string(self, "resolution"));
    }
    return tpi_nav_mapfile_picture(&m->grid, path, rules, err);
}

static tp_status mapfile_init(tp_instance *self, tp_error *err)
{
    struct mapfile *m = tp_instance_state(self);
    tpi_nav_rules rules;
    tp_status status = read_rules(self, &rules, err);

    status = status == TP_OK ? load(self, m, &rules, err) : status;
    m->yaw = rules.yaw;
    return status == TP_OK ? tp_offer_map(self, NULL, &mapfile_map, &m->device, err) : status;
}

static void mapfile_fini(tp_instance *self)
{
    struct mapfile *m = tp_instance_state(self);

    tpi_nav_grid_fini(&m->grid);
    free(m->tile);
}

static const tp_driver_ops mapfile_ops = {.init = mapfile_init, .fini = mapfile_fini};

TP_API const tp_driver tp_driver_mapfile = {
    .abi = TP_DRIVER_ABI,
    .name = "mapfile",
    .summary = "a map from a picture or a YAML file of ROS",
    .state_size = sizeof(struct mapfile),
    .params = mapfile_params,
    .ops = &mapfile_ops,
};
