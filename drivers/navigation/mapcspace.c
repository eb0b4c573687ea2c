/*
 * mapcspace, mapscale - a map that is made from another one.
 *
 * mapcspace lets what is not free grow by the robot's radius, so that the robot can be taken for a
 * point; mapscale gives the map cells of another size. The other map is fetched when the driver
 * starts; who asks before that waits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gridmap.h"
#include "navigation/distance.h"
#include "tile.h"
#include "troupe/driver/map.h"

enum { MOST_WAITING = 16 };

struct made {
    tp_device *device; /* borrowed */
    struct gridmap source;
    tpi_nav_grid grid; /* owned */
    bool ready;
    double radius; /* of the robot; 0 for mapscale */
    double scale;  /* of the new cells; 0 for mapcspace */
    int8_t *tile;  /* owned: room for an answer */
    tp_ticket *waiting[MOST_WAITING];
    size_t waiting_count;
};

static const tp_param cspace_params[] = {
    {"robot_shape", NULL, "circle", "circle: nothing else is known"},
    {"robot_radius", "m", NULL, "radius of the robot"},
    {NULL, NULL, NULL, NULL},
};

static const tp_param scale_params[] = {
    {"resolution", "m", NULL, "side of a cell of the new map"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Making ---------------------------------------------------------------------------------- */

/* Near to what is occupied is occupied, near to what is unknown is unknown. */
static tp_status grow(struct made *m, tp_error *err)
{
    const tpi_nav_grid *from = &m->source.grid;
    const size_t count = (size_t)from->width * from->height;
    const double reach = m->radius / from->scale;
    float *away = malloc(count * sizeof *away);
    tp_status status = away == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;

    for (int pass = 0; pass < 2 && status == TP_OK; pass++) { /* unknown ones first */
        status = tpi_nav_distance(from, pass == 0, reach + 2, away, err);
        for (size_t i = 0; i < count && status == TP_OK; i++) {
            const bool near = (double)away[i] <= reach;
            m->grid.cells[i] = near ? (int8_t)pass : pass == 0 ? TPI_NAV_FREE : m->grid.cells[i];
        }
    }
    free(away);
    return status;
}

/* Of the old cells that a new one covers, the worst counts: occupied, unknown, free. */
static int8_t worst(const tpi_nav_grid *from, double left, double low, double right, double high)
{
    int8_t found = TPI_NAV_FREE;

    for (uint32_t row = (uint32_t)low; row < from->height && row < high - 1e-6; row++) {
        for (uint32_t column = (uint32_t)left; column < from->width && column < right - 1e-6;
             column++) {
            const int8_t value = from->cells[(size_t)row * from->width + column];
            found = value > found ? value : found;
        }
    }
    return found;
}

static void rescale(struct made *m)
{
    const tpi_nav_grid *from = &m->source.grid;
    const double step = m->grid.scale / from->scale;

    for (uint32_t row = 0; row < m->grid.height; row++) {
        for (uint32_t column = 0; column < m->grid.width; column++) {
            m->grid.cells[(size_t)row * m->grid.width + column] =
                worst(from, column * step + 1e-6, row * step + 1e-6, (column + 1) * step,
                      (row + 1) * step);
        }
    }
}

static tp_status make(struct made *m, tp_error *err)
{
    const tpi_nav_grid *from = &m->source.grid;
    const double scale = m->scale > 0 ? m->scale : from->scale;
    const double width = ceil(from->width * from->scale / scale - 1e-6);
    const double height = ceil(from->height * from->scale / scale - 1e-6);

    tpi_nav_grid_fini(&m->grid);
    if (!(width * height <= TPI_NAV_MOST_CELLS)) {
        return tp_fail(err, TP_E_LIMIT, "a map of %.0f by %.0f cells is too large", width, height);
    }
    const tp_status status =
        tpi_nav_grid_init(&m->grid, (uint32_t)width, (uint32_t)height, scale, err);
    if (status != TP_OK) {
        return status;
    }
    m->grid.x = from->x;
    m->grid.y = from->y;
    if (m->scale > 0) {
        rescale(m);
        return TP_OK;
    }
    return grow(m, err);
}

/* ---- Answers --------------------------------------------------------------------------------- */

static tp_map_info info_of(const tpi_nav_grid *grid)
{
    return (tp_map_info){.scale = (float)grid->scale,
                         .width = grid->width,
                         .height = grid->height,
                         .origin = {.px = grid->x, .py = grid->y}};
}

static void answer_all(struct made *m, const char *why)
{
    const tp_map_info info = info_of(&m->grid);

    for (size_t i = 0; i < m->waiting_count; i++) {
        if (m->ready) {
            tp_ticket_answer(m->waiting[i], &info);
        } else {
            tp_ticket_fail(m->waiting[i], TP_E_DEVICE, why);
        }
    }
    m->waiting_count = 0;
}

static void got_map(tp_instance *self, struct gridmap *source)
{
    struct made *m = tp_instance_state(self);
    tp_error err = {0};

    m->ready = source->ready && make(m, &err) == TP_OK;
    const char *why = source->ready ? err.text : source->why;
    if (!m->ready) {
        tp_instance_note(self, why);
    }
    answer_all(m, why);
}

static tp_status get_info(tp_device *device, tp_map_info *answer, tp_error *err)
{
    struct made *m = tp_instance_state(tp_device_instance(device));

    if (m->ready) {
        *answer = info_of(&m->grid);
        return TP_OK;
    }
    if (!m->source.asking) { /* it could not be had before; it may be there now */
        const tp_status status = tpi_gridmap_fetch(&m->source, err);
        if (status != TP_OK) {
            return status;
        }
    }
    tp_ticket *ticket = m->waiting_count < MOST_WAITING ? tp_device_defer(device) : NULL;
    if (ticket == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "the map is not there yet");
    }
    m->waiting[m->waiting_count++] = ticket;
    return TP_PENDING;
}

static tp_status get_data(tp_device *device, const tp_map_data *ask, tp_map_data *answer,
                          tp_error *err)
{
    struct made *m = tp_instance_state(tp_device_instance(device));

    return m->ready ? tpi_tile_copy(m->grid.cells, m->grid.width, m->grid.height, ask, &m->tile,
                                    answer, err)
                    : tp_fail(err, TP_E_UNKNOWN, "the map is not there yet: ask GET_INFO first");
}

static const tp_map_ops made_map = {.req_get_info = get_info, .req_get_data = get_data};

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status begin(tp_instance *self, tp_error *err)
{
    struct made *m = tp_instance_state(self);
    const tp_status status = tp_require(self, &tp_interface_map, NULL, &m->source.link, err);

    m->source.done = got_map;
    return status == TP_OK ? tp_offer_map(self, NULL, &made_map, &m->device, err) : status;
}

static tp_status read_length(tp_instance *self, const char *name, double *out, tp_error *err)
{
    *out = tp_param_double(self, name);
    tp_param_blame(self, name);
    return *out > 0 && *out <= 1e3 ? TP_OK
                                   : tp_fail(err, TP_E_RANGE, "%s \"%s\" is not a length above 0",
                                             name, tp_param_string(self, name));
}

static tp_status cspace_init(tp_instance *self, tp_error *err)
{
    struct made *m = tp_instance_state(self);
    const tp_status status = read_length(self, "robot_radius", &m->radius, err);

    if (status == TP_OK && strcmp(tp_param_string(self, "robot_shape"), "circle") != 0) {
        tp_param_blame(self, "robot_shape");
        return tp_fail(err, TP_E_UNSUPPORTED, "robot_shape \"%s\" is not circle",
                       tp_param_string(self, "robot_shape"));
    }
    return status == TP_OK ? begin(self, err) : status;
}

static tp_status scale_init(tp_instance *self, tp_error *err)
{
    struct made *m = tp_instance_state(self);
    const tp_status status = read_length(self, "resolution", &m->scale, err);

    return status == TP_OK ? begin(self, err) : status;
}

static tp_status made_start(tp_instance *self, tp_error *err)
{
    struct made *m = tp_instance_state(self);

    m->ready = false;
    return tpi_gridmap_fetch(&m->source, err);
}

static void made_stop(tp_instance *self)
{
    struct made *m = tp_instance_state(self);

    tpi_gridmap_stop(&m->source);
    m->ready = false;
    answer_all(m, "the driver was stopped");
}

static void made_fini(tp_instance *self)
{
    struct made *m = tp_instance_state(self);

    tpi_gridmap_fini(&m->source);
    tpi_nav_grid_fini(&m->grid);
    free(m->tile);
}

static const tp_driver_ops cspace_ops = {
    .init = cspace_init, .start = made_start, .stop = made_stop, .fini = made_fini};
static const tp_driver_ops scale_ops = {
    .init = scale_init, .start = made_start, .stop = made_stop, .fini = made_fini};

TP_API const tp_driver tp_driver_mapcspace = {
    .abi = TP_DRIVER_ABI,
    .name = "mapcspace",
    .summary = "a map whose obstacles have grown by the robot's radius",
    .state_size = sizeof(struct made),
    .params = cspace_params,
    .ops = &cspace_ops,
};

TP_API const tp_driver tp_driver_mapscale = {
    .abi = TP_DRIVER_ABI,
    .name = "mapscale",
    .summary = "a map with cells of another size",
    .state_size = sizeof(struct made),
    .params = scale_params,
    .ops = &scale_ops,
};
