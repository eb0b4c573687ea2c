/*
 * wifi.c - the model `wifi`: stations, and how strongly they hear each other.
 *
 * The level falls with the logarithm of the distance, from that of free space at one metre, and by
 * wall_loss for every wall in between. Bodies that move do not count. The path is the receiver's:
 * its path_loss and wall_loss hold.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/ray/cross.h"
#include "sim/sense/sense.h"
#include "sim/world/world.h"

struct wifi {
    char mac[32], ip[32], essid[40];
    double frequency;   /* MHz */
    double power;       /* dBm, that it sends */
    double sensitivity; /* dBm, of the weakest that it hears */
    double path_loss;   /* exponent */
    double wall_loss;   /* dB */
};

/* A station that is heard, by the key of its model. */
struct heard {
    uint64_t key;
    double level;
};

struct wifi_state {
    struct sim_common common;
    uint32_t count, spare;
    struct heard heard[TPI_SIM_MOST_LINKS];
};

static const char *const properties[] = {"mac",         "ip",  "essid",     "freq", "power",
                                         "sensitivity", "plc", "wall_loss", NULL};

static const double most_exponent = 10; /* a greater one is none */

/* ---- Properties ------------------------------------------------------------------------------ */

static tp_status read_text(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                           size_t longest, char *out)
{
    const char *text = NULL;
    tp_status status = tpi_sim_read_text(reader, section, name, &text);

    if (status != TP_OK || text == NULL) {
        return status;
    }
    if (strlen(text) > longest) {
        return tpi_cfg_fail(&tpi_cfg_find(section, name)->place, reader->err,
                            "\"%s\" has more than %zu characters", name, longest);
    }
    memcpy(out, text, strlen(text) + 1);
    return TP_OK;
}

static tp_status read_texts(struct sim_reader *reader, tpi_cfg_section *section,
                            struct wifi *config)
{
    tp_status status = read_text(reader, section, "mac", 31, config->mac);

    if (status == TP_OK) {
        status = read_text(reader, section, "ip", 31, config->ip);
    }
    return status == TP_OK ? read_text(reader, section, "essid", 32, config->essid) : status;
}

/* Old files may have dB for each power of ten instead of an exponent. */
static void scale_old(const struct sim_reader *reader, tpi_cfg_section *section, double *path_loss)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, "plc");

    field = field == NULL ? tpi_cfg_find(section, "ple") : field;
    if (field != NULL && *path_loss > most_exponent) {
        *path_loss /= 10;
        tpi_sim_note(reader, &field->place,
                     "\"%s\" is in dB, as in old files: the exponent is %.6g", field->name,
                     *path_loss);
    }
}

static tp_status wifi_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    struct wifi config;
    struct {
        const char *name;
        double least, most;
        double *value;
    } const numbers[] = {
        {"freq", 1, 1e6, &config.frequency},
        {"power", -200, 200, &config.power},
        {"sensitivity", -300, 200, &config.sensitivity},
        {"plc", 0, 100, &config.path_loss},
        {"wall_loss", 0, 300, &config.wall_loss},
    };

    memset(&config, 0, sizeof config);
    config.frequency = 2450;
    config.power = 15;
    config.sensitivity = -90;
    config.path_loss = 2;
    config.wall_loss = 5;
    tp_status status = read_texts(reader, section, &config);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == TP_OK; i++) {
        const char *name = tpi_sim_old_name(reader, section, numbers[i].name);
        status = tpi_sim_read_within(reader, section, name, 'F', numbers[i].least, numbers[i].most,
                                     numbers[i].value);
    }
    if (status == TP_OK) {
        scale_old(reader, section, &config.path_loss);
    }
    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

/* ---- Sensing --------------------------------------------------------------------------------- */

/* How strongly a station is heard where there are no walls. */
static double level_in_the_open(const struct sim_view *view, const struct sim_view *other,
                                const struct sim_line *line)
{
    const struct wifi *own = view->config;
    const struct wifi *sender = other->config;
    const double distance = sqrt(sim_line_square(line));
    const double at_one_metre = 20 * log10(sender->frequency) - 27.55; /* 4 pi f / c, in dB */

    return sender->power - at_one_metre -
           10 * own->path_loss * log10(distance > 0.1 ? distance : 0.1);
}

static bool comes_before(const struct heard *a, const struct heard *b)
{
    return a->level != b->level ? a->level > b->level : a->key < b->key;
}

static void add(struct wifi_state *state, const struct heard *heard)
{
    uint32_t at = state->count;

    if (at == TPI_SIM_MOST_LINKS) {
        if (!comes_before(heard, &state->heard[at - 1])) {
            return;
        }
        at--;
    } else {
        state->count++;
    }
    for (; at > 0 && comes_before(heard, &state->heard[at - 1]); at--) {
        state->heard[at] = state->heard[at - 1];
    }
    state->heard[at] = *heard;
}

/* Walls are counted only for those that could be heard without them: most are too far away. */
static void listen(const struct sim_view *view, const struct sim_view *other)
{
    const struct wifi *config = view->config;
    struct wifi_state *state = (struct wifi_state *)view->state;
    const struct sim_line line = sim_line_between(view, other);
    struct heard heard = {.key = other->key, .level = level_in_the_open(view, other, &line)};

    if (!(heard.level >= config->sensitivity) ||
        (state->count == TPI_SIM_MOST_LINKS &&
         !comes_before(&heard, &state->heard[TPI_SIM_MOST_LINKS - 1]))) {
        return;
    }
    /* a wall has two sides */
    heard.level -= config->wall_loss * tpi_sim_count_between(view->sim, &line, false) / 2;
    if (heard.level >= config->sensitivity) {
        add(state, &heard);
    }
}

/* The number of a station among all, which are in the order of models. */
static uint32_t number_of(const struct sim_beacons *stations, tpi_sim_model model)
{
    uint32_t low = 0;
    uint32_t high = stations->count;

    while (low + 1 < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (stations->models[middle] <= model) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Those whose numbers are near come first, to either side by turns: most of them are near in space
 * too, and once the strongest have been heard nobody looks for walls before the others. The result
 * does not depend on the order. */
static void wifi_sense(const struct sim_view *view)
{
    const tpi_sim *sim = view->sim;
    const struct sim_beacons *stations = &sim->beacons[SIM_STATIONS];
    struct wifi_state *state = (struct wifi_state *)view->state;
    const uint32_t own = number_of(stations, sim->trees.model[view->tree] + view->device->member);

    memset(state->heard, 0, sizeof state->heard);
    state->count = 0;
    for (uint32_t i = 1; i < stations->count; i++) {
        const uint32_t away = (i + 1) / 2;
        const uint32_t at = i % 2 == 1 ? own + away : own + stations->count - away;
        struct sim_view other;
        if (tpi_sim_find_device(sim, stations->models[at % stations->count], &tpi_sim_type_wifi,
                                &other, NULL) == TP_OK) {
            listen(view, &other);
        }
    }
}

static bool wifi_check(const struct sim_common *common)
{
    return ((const struct wifi_state *)common)->count <= TPI_SIM_MOST_LINKS;
}

const tpi_sim_type tpi_sim_type_wifi = {
    .kind = TPI_SIM_WIFI,
    .name = "wifi",
    .size = {0.1, 0.1, 0.05},
    .colour = 0xffffffff,
    .bodiless = true,
    .properties = properties,
    .state_size = sizeof(struct wifi_state),
    .read = wifi_read,
    .sense = wifi_sense,
    .check = wifi_check,
};

/* ---- Asking ---------------------------------------------------------------------------------- */

tp_status tpi_sim_get_station(const tpi_sim *sim, tpi_sim_model model, tpi_sim_station *station,
                              tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_wifi, &view, err);

    if (status != TP_OK) {
        return status;
    }
    const struct wifi *config = view.config;
    const uint64_t key = view.key;
    *station = (tpi_sim_station){.frequency = config->frequency, .power = config->power};
    memcpy(station->mac, config->mac, sizeof station->mac);
    memcpy(station->ip, config->ip, sizeof station->ip);
    memcpy(station->essid, config->essid, sizeof station->essid);
    if (station->mac[0] == '\0') { /* one that nobody has given out */
        snprintf(station->mac, sizeof station->mac, "02:%02x:%02x:%02x:%02x:%02x",
                 (unsigned)(key & 255), (unsigned)(key >> 8 & 255), (unsigned)(key >> 16 & 255),
                 (unsigned)(key >> 24 & 255), (unsigned)(key >> 32 & 255));
    }
    return TP_OK;
}

/* Which stations those are that were heard: all are looked through once, since there may be
 * thousands and this is asked for each of them. */
static void find_stations(const tpi_sim *sim, const struct wifi_state *state,
                          tpi_sim_model found[TPI_SIM_MOST_LINKS])
{
    const struct sim_beacons *stations = &sim->beacons[SIM_STATIONS];
    uint32_t missing = state->count;
    struct sim_view view;

    for (uint32_t i = 0; i < stations->count && missing > 0; i++) {
        if (tpi_sim_find_device(sim, stations->models[i], &tpi_sim_type_wifi, &view, NULL) !=
            TP_OK) {
            continue;
        }
        for (uint32_t k = 0; k < state->count; k++) {
            if (state->heard[k].key == view.key) {
                found[k] = stations->models[i];
                missing--;
            }
        }
    }
}

tp_status tpi_sim_get_links(const tpi_sim *sim, tpi_sim_model model, tpi_sim_links *links,
                            tp_error *err)
{
    tpi_sim_model found[TPI_SIM_MOST_LINKS];
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_wifi, &view, err);

    if (status != TP_OK) {
        return status;
    }
    const struct wifi_state *state = (const struct wifi_state *)view.state;
    *links = (tpi_sim_links){.noise = ((const struct wifi *)view.config)->sensitivity,
                             .time_us = state->common.updated_us};
    for (uint32_t i = 0; i < TPI_SIM_MOST_LINKS; i++) {
        found[i] = TPI_SIM_NONE;
    }
    find_stations(sim, state, found);
    for (uint32_t i = 0; i < state->count; i++) {
        if (found[i] != TPI_SIM_NONE) {
            links->items[links->count++] =
                (tpi_sim_link){.model = found[i], .level = state->heard[i].level};
        }
    }
    return TP_OK;
}
