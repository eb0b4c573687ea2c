/*
 * rfid.c - the models `rfidtag` and `rfidreader`.
 *
 * A reader finds the tags within its range and its field of view; heights count for the range, not
 * for the field of view. A wall in between hides a tag, unless the file says otherwise; bodies that
 * can move do not.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/ray/cross.h"
#include "sim/sense/sense.h"
#include "sim/world/world.h"

enum { KEY_BYTES = 8 };

/* ---- Tags ------------------------------------------------------------------------------------ */

struct tag {
    uint8_t id[TPI_SIM_TAG_BYTES];
    uint32_t length; /* 0: it follows from the model's key */
    uint32_t type;
};

struct tag_state {
    struct sim_common common;
};

static const char *const tag_properties[] = {"id", "tag_type", NULL};

static int digit_of(char letter)
{
    const char lower = (char)tolower((unsigned char)letter);

    return lower >= '0' && lower <= '9'   ? lower - '0'
           : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                          : -1;
}

/* The bytes that a text stands for: its letters, or after 0x its hexadecimal digits by pairs. False
 * if it stands for none. */
static bool read_bytes(const char *text, struct tag *tag)
{
    const size_t length = strlen(text);

    if (strncmp(text, "0x", 2) != 0) {
        if (length == 0 || length > TPI_SIM_TAG_BYTES) {
            return false;
        }
        memcpy(tag->id, text, length);
        tag->length = (uint32_t)length;
        return true;
    }
    if (length < 4 || length % 2 != 0 || length / 2 - 1 > TPI_SIM_TAG_BYTES) {
        return false;
    }
    for (size_t i = 2; i < length; i += 2) {
        const int high = digit_of(text[i]);
        const int low = digit_of(text[i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        tag->id[tag->length++] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static tp_status tag_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    const char *text = NULL;
    struct tag tag;

    memset(&tag, 0, sizeof tag);
    tag.type = 1;
    tp_status status = tpi_sim_read_text(reader, section, "id", &text);
    if (status == TP_OK && text != NULL && !read_bytes(text, &tag)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "id")->place, reader->err,
                            "\"id\" is 1 to %d letters, or 0x and pairs of hexadecimal digits",
                            TPI_SIM_TAG_BYTES);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_count(reader, section, "tag_type", INT32_MAX, &tag.type);
    }
    tpi_buf_put(settings, &tag, sizeof tag);
    return status;
}

const tpi_sim_type tpi_sim_type_rfid_tag = {
    .kind = TPI_SIM_RFID_TAG,
    .name = "rfidtag",
    .size = {0.05, 0.05, 0.01},
    .colour = 0x00a000ff,
    .bodiless = true,
    .properties = tag_properties,
    .state_size = sizeof(struct tag_state),
    .read = tag_read,
};

static tpi_sim_tag tag_of(const struct sim_view *view)
{
    const struct tag *config = view->config;
    tpi_sim_tag tag = {.type = config->type, .length = config->length};

    if (config->length == 0) {
        tag.length = KEY_BYTES;
        memcpy(tag.id, &view->key, KEY_BYTES);
    } else {
        memcpy(tag.id, config->id, sizeof tag.id);
    }
    return tag;
}

/* ---- Readers --------------------------------------------------------------------------------- */

struct reader {
    double range, fov;
    uint32_t through_walls, spare;
};

struct reader_state {
    struct sim_common common;
    uint32_t count, off;
    tpi_sim_tag items[TPI_SIM_MOST_TAGS];
};

static const char *const reader_properties[] = {"range_max", "fov", "through_walls", NULL};

static tp_status reader_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    struct reader config = {.range = 1, .fov = 2 * SIM_PI};
    bool through = false;
    tp_status status =
        tpi_sim_read_within(reader, section, "range_max", 'L', 0, TPI_SIM_FARTHEST, &config.range);

    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "fov", 'A', 0, 2 * SIM_PI, &config.fov);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_flag(reader, section, "through_walls", &through);
    }
    config.through_walls = through ? 1 : 0;
    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

static bool comes_before(const tpi_sim_tag *a, const tpi_sim_tag *b)
{
    return a->range != b->range ? a->range < b->range : memcmp(a->id, b->id, sizeof a->id) < 0;
}

static void add(struct reader_state *state, const tpi_sim_tag *tag)
{
    uint32_t at = state->count;

    if (at == TPI_SIM_MOST_TAGS) {
        if (!comes_before(tag, &state->items[at - 1])) {
            return;
        }
        at--;
    } else {
        state->count++;
    }
    for (; at > 0 && comes_before(tag, &state->items[at - 1]); at--) {
        state->items[at] = state->items[at - 1];
    }
    state->items[at] = *tag;
}

static bool is_in_field(const struct sim_view *view, const struct sim_line *line)
{
    const struct reader *config = view->config;
    const struct sim_frame *f = &view->frame;
    const double ahead = f->c * line->dx + f->s * line->dy;
    const double left = f->c * line->dy - f->s * line->dx;

    return config->fov >= 2 * SIM_PI || (ahead == 0 && left == 0) ||
           fabs(atan2(left, ahead)) <= config->fov / 2 + 1e-12;
}

static void look_at(const struct sim_view *view, const struct sim_view *other)
{
    const struct reader *config = view->config;
    const struct sim_line line = sim_line_between(view, other);
    const double square = sim_line_square(&line);

    if (square > config->range * config->range || !is_in_field(view, &line) ||
        (config->through_walls == 0 && tpi_sim_count_between(view->sim, &line, false) > 0)) {
        return;
    }
    tpi_sim_tag tag = tag_of(other);
    tag.range = sqrt(square);
    add((struct reader_state *)view->state, &tag);
}

static void reader_sense(const struct sim_view *view)
{
    const struct sim_beacons *tags = &view->sim->beacons[SIM_TAGS];
    struct reader_state *state = (struct reader_state *)view->state;

    memset(state->items, 0, sizeof state->items); /* what is not used is hashed too */
    state->count = 0;
    for (uint32_t i = 0; i < tags->count && state->off == 0; i++) {
        struct sim_view other;
        if (tpi_sim_find_device(view->sim, tags->models[i], &tpi_sim_type_rfid_tag, &other, NULL) ==
            TP_OK) {
            look_at(view, &other);
        }
    }
}

static bool reader_check(const struct sim_common *common)
{
    const struct reader_state *state = (const struct reader_state *)common;
    bool good = state->count <= TPI_SIM_MOST_TAGS && state->off <= 1;

    for (uint32_t i = 0; good && i < state->count; i++) {
        good = state->items[i].length <= TPI_SIM_TAG_BYTES;
    }
    return good;
}

const tpi_sim_type tpi_sim_type_rfid_reader = {
    .kind = TPI_SIM_RFID_READER,
    .name = "rfidreader",
    .size = {0.1, 0.1, 0.05},
    .colour = 0x00a000ff,
    .bodiless = true,
    .properties = reader_properties,
    .state_size = sizeof(struct reader_state),
    .read = reader_read,
    .sense = reader_sense,
    .check = reader_check,
};

/* ---- Asking ---------------------------------------------------------------------------------- */

tp_status tpi_sim_get_tags(const tpi_sim *sim, tpi_sim_model model, tpi_sim_tags *tags,
                           tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_rfid_reader, &view, err);

    if (status == TP_OK) {
        const struct reader_state *state = (const struct reader_state *)view.state;
        *tags = (tpi_sim_tags){.items = state->items,
                               .count = state->count,
                               .powered = state->off == 0,
                               .time_us = state->common.updated_us};
    }
    return status;
}

tp_status tpi_sim_set_reader_power(tpi_sim *sim, tpi_sim_model model, bool powered, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_rfid_reader, &view, err);

    if (status == TP_OK) {
        ((struct reader_state *)view.state)->off = powered ? 0 : 1;
    }
    return status;
}
