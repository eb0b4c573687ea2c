/*
 * mote.c - the models `mote` and `basestation`: nodes of a wireless network and what hears them.
 *
 * A mote has no sensors of its own: those that stand on it are the node's. A node hears another one
 * within the range of that one's radio; every wall in between halves the range, bodies that can
 * move do not count. A station hears nodes directly, or through others: a node reports to the
 * strongest one that is a hop nearer to the station. Nodes that sleep neither report nor pass on.
 */
#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/ray/cross.h"
#include "sim/sense/sense.h"

/* ---- Motes ----------------------------------------------------------------------------------- */

struct mote {
    uint32_t id, group, type;
    uint32_t has_temperature;
    double range;
    double temperature; /* degrees Celsius */
};

struct mote_state {
    struct sim_common common;
    uint32_t asleep, spare;
};

static const char *const mote_properties[] = {"id",    "group",       "node_type",
                                              "range", "temperature", NULL};

static tp_status mote_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    struct mote c;
    struct {
        const char *name;
        uint32_t *value;
    } const counts[] = {{"id", &c.id}, {"group", &c.group}, {"node_type", &c.type}};

    memset(&c, 0, sizeof c);
    c.range = 10;
    c.has_temperature = tpi_cfg_find(section, "temperature") != NULL;
    tp_status status = TP_OK;
    for (size_t i = 0; i < 3 && status == TP_OK; i++) {
        status = tpi_sim_read_count(reader, section, counts[i].name, UINT16_MAX, counts[i].value);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "range", 'L', 0, TPI_SIM_FARTHEST, &c.range);
    }
    if (status == TP_OK) {
        status =
            tpi_sim_read_within(reader, section, "temperature", 'F', -273.15, 1e4, &c.temperature);
    }
    tpi_buf_put(settings, &c, sizeof c);
    return status;
}

static bool mote_check(const struct sim_common *common)
{
    return ((const struct mote_state *)common)->asleep <= 1;
}

const tpi_sim_type tpi_sim_type_mote = {
    .kind = TPI_SIM_MOTE,
    .name = "mote",
    .size = {0.06, 0.04, 0.02},
    .colour = 0x8000ffff,
    .bodiless = true,
    .properties = mote_properties,
    .state_size = sizeof(struct mote_state),
    .read = mote_read,
    .check = mote_check,
};

/* ---- Stations -------------------------------------------------------------------------------- */

struct route {
    uint64_t key;    /* of the mote */
    uint64_t parent; /* of the mote that it reports through; 0 for the station itself */
    double level;    /* from 0 to 1 at the parent */
    uint32_t hops, spare;
};

struct station {
    uint32_t most_hops, spare;
};

struct station_state {
    struct sim_common common;
    uint32_t count, spare;
    struct route routes[TPI_SIM_MOST_NODES];
};

static const char *const station_properties[] = {"max_hops", NULL};

static tp_status station_read(struct sim_reader *reader, tpi_cfg_section *section,
                              tpi_buf *settings)
{
    struct station config = {.most_hops = 8};
    tp_status status =
        tpi_sim_read_count(reader, section, "max_hops", TPI_SIM_MOST_NODES, &config.most_hops);

    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

/* How well a mote is heard somewhere: 1 beside it, 0 at the end of its range; negative for not. */
static double level_at(const struct sim_view *ear, const struct sim_view *mote)
{
    const struct mote *config = mote->config;
    const struct sim_line line = sim_line_between(ear, mote);
    const double distance = sqrt(sim_line_square(&line));

    if (distance > config->range) {
        return -1;
    }
    const uint32_t sides = tpi_sim_count_between(ear->sim, &line, false);
    const double range = ldexp(config->range, -(int)(sides / 2)); /* a wall has two sides */
    return range > 0 && distance <= range ? 1 - distance / range : -1;
}

/* Nodes that the station may hear, and how it does; the first ones count. */
struct search {
    struct sim_view motes[TPI_SIM_MOST_NODES];
    struct route routes[TPI_SIM_MOST_NODES]; /* hops 0: not heard */
    uint32_t count;
};

static void find_motes(const struct sim_view *view, struct search *s)
{
    const struct sim_beacons *motes = &view->sim->beacons[SIM_MOTES];

    s->count = 0;
    for (uint32_t i = 0; i < motes->count && s->count < TPI_SIM_MOST_NODES; i++) {
        struct sim_view *mote = &s->motes[s->count];
        if (tpi_sim_find_device(view->sim, motes->models[i], &tpi_sim_type_mote, mote, NULL) ==
                TP_OK &&
            ((const struct mote_state *)mote->state)->asleep == 0) {
            s->routes[s->count++] = (struct route){.key = mote->key};
        }
    }
}

/* The best of those that are heard with `hops` - 1 hops; 0 is the station. */
static void hear(const struct sim_view *view, struct search *s, uint32_t i, uint32_t hops)
{
    struct route *route = &s->routes[i];
    double best = hops == 1 ? level_at(view, &s->motes[i]) : -1;

    for (uint32_t k = 0; hops > 1 && k < s->count; k++) {
        if (s->routes[k].hops != hops - 1) {
            continue;
        }
        const double level = level_at(&s->motes[k], &s->motes[i]);
        if (level > best || (level == best && level >= 0 && s->routes[k].key < route->parent)) {
            best = level;
            route->parent = s->routes[k].key;
        }
    }
    if (best >= 0) {
        route->hops = hops;
        route->level = best;
    }
}

static void station_sense(const struct sim_view *view)
{
    const struct station *config = view->config;
    struct station_state *state = (struct station_state *)view->state;
    struct search s;
    bool more = true;

    find_motes(view, &s);
    for (uint32_t hops = 1; hops <= config->most_hops && more; hops++) {
        more = false;
        for (uint32_t i = 0; i < s.count; i++) {
            if (s.routes[i].hops == 0) {
                hear(view, &s, i, hops);
                more |= s.routes[i].hops == hops;
            }
        }
    }
    memset(state->routes, 0, sizeof state->routes);
    state->count = 0;
    for (uint32_t i = 0; i < s.count; i++) {
        if (s.routes[i].hops > 0) {
            state->routes[state->count++] = s.routes[i];
        }
    }
}

static bool station_check(const struct sim_common *common)
{
    return ((const struct station_state *)common)->count <= TPI_SIM_MOST_NODES;
}

const tpi_sim_type tpi_sim_type_base_station = {
    .kind = TPI_SIM_BASE_STATION,
    .name = "basestation",
    .size = {0.1, 0.1, 0.05},
    .colour = 0x8000ffff,
    .bodiless = true,
    .properties = station_properties,
    .state_size = sizeof(struct station_state),
    .read = station_read,
    .sense = station_sense,
    .check = station_check,
};

/* ---- Asking ---------------------------------------------------------------------------------- */

tp_status tpi_sim_get_mote(const tpi_sim *sim, tpi_sim_model model, tpi_sim_mote *mote,
                           tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_mote, &view, err);

    if (status == TP_OK) {
        const struct mote *c = view.config;
        *mote = (tpi_sim_mote){.id = c->id,
                               .group = c->group,
                               .type = c->type,
                               .has_temperature = c->has_temperature != 0,
                               .temperature = c->temperature,
                               .asleep = ((const struct mote_state *)view.state)->asleep != 0};
    }
    return status;
}

tp_status tpi_sim_set_mote_asleep(tpi_sim *sim, tpi_sim_model model, bool asleep, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_mote, &view, err);

    if (status == TP_OK) {
        ((struct mote_state *)view.state)->asleep = asleep ? 1 : 0;
    }
    return status;
}

uint32_t tpi_sim_list_motes(const tpi_sim *sim, const tpi_sim_model **motes)
{
    *motes = sim->beacons[SIM_MOTES].models;
    return sim->beacons[SIM_MOTES].count;
}

/* The mote of a key, among the first that a station looks at. */
static tpi_sim_model find_mote(const tpi_sim *sim, uint64_t key)
{
    const struct sim_beacons *motes = &sim->beacons[SIM_MOTES];
    struct sim_view view;

    for (uint32_t i = 0; i < motes->count; i++) {
        if (tpi_sim_find_device(sim, motes->models[i], &tpi_sim_type_mote, &view, NULL) == TP_OK &&
            view.key == key) {
            return motes->models[i];
        }
    }
    return TPI_SIM_NONE;
}

tp_status tpi_sim_get_routes(const tpi_sim *sim, tpi_sim_model model, tpi_sim_routes *routes,
                             tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_base_station, &view, err);

    if (status != TP_OK) {
        return status;
    }
    const struct station_state *state = (const struct station_state *)view.state;
    *routes = (tpi_sim_routes){.time_us = state->common.updated_us};
    for (uint32_t i = 0; i < state->count; i++) {
        const struct route *r = &state->routes[i];
        const tpi_sim_model mote = find_mote(sim, r->key);
        if (mote != TPI_SIM_NONE) {
            routes->items[routes->count++] =
                (tpi_sim_route){.mote = mote,
                                .parent = r->parent == 0 ? TPI_SIM_NONE : find_mote(sim, r->parent),
                                .hops = r->hops,
                                .level = r->level};
        }
    }
    return TP_OK;
}
