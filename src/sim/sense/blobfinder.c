/*
 * blobfinder.c - the model `blobfinder`: patches of colour in a picture that is never drawn.
 *
 * One ray for each column, whatever the heights, as in Stage; neighbouring columns of one colour
 * are a blob. How it differs from Stage:
 *
 * - With `heights 1` rows come from how high and how far the bodies are. Without it everything is
 *   0.6 m high and at the height of the finder, as in Stage: programs for Stage take the blob with
 *   the largest area to be the nearest, and never lose one that lies before their feet.
 * - A model with blob_return 0 is not reported, but hides what is behind it.
 * - `colors` needs no colors_count.
 */
#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/ray/ray.h"
#include "sim/sense/sense.h"
#include "sim/world/world.h"

static const double usual_height_m = 0.6; /* of whatever there is, as in Stage */

enum { MOST_SIDE = 4096, MOST_COLOURS = 32, NOTHING = 1 << 24 };

struct blobfinder {
    uint32_t width, height;
    double range;
    tpi_sim_lens lens; /* at the beginning */
    uint32_t colour_count;
    uint32_t colours[MOST_COLOURS]; /* 0xRRGGBB */
    uint32_t heights;               /* whether rows follow from them */
};

struct blobfinder_state {
    struct sim_lens_state lens;
    uint32_t count, spare;
    tpi_sim_blob items[TPI_SIM_MOST_BLOBS];
};

static const char *const properties[] = {"image",        "range",  "fov",      "pan",
                                         "colors_count", "colors", "channels", "channel_count",
                                         "heights",      NULL};

/* ---- Properties ------------------------------------------------------------------------------ */

static tp_status read_colours(struct sim_reader *reader, tpi_cfg_section *section,
                              struct blobfinder *config)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, tpi_sim_old_name(reader, section, "colors"));
    const char *counter = tpi_sim_old_name(reader, section, "colors_count");
    uint32_t count = field != NULL ? field->value_count : 0;
    tp_status status = tpi_sim_read_count(reader, section, counter, MOST_COLOURS, &count);

    if (status != TP_OK || field == NULL) {
        return status;
    }
    if (count > field->value_count) {
        tpi_sim_note(reader, &tpi_cfg_find(section, counter)->place,
                     "\"%s\" says %u; there are %u colours", counter, count, field->value_count);
    }
    count = count < field->value_count ? count : field->value_count;
    if (count > MOST_COLOURS) {
        return tpi_cfg_fail(&field->place, reader->err, "a blobfinder looks for up to %d colours",
                            MOST_COLOURS);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t colour = 0;
        tpi_sim_name_colour(reader, &field->values[i].place, field->values[i].text, &colour);
        config->colours[i] = colour >> 8;
    }
    config->colour_count = count;
    return TP_OK;
}

static tp_status read_image(struct sim_reader *reader, tpi_cfg_section *section,
                            struct blobfinder *config)
{
    double image[2] = {80, 60};
    tp_status status = tpi_sim_read_tuple(reader, section, "image", "FF", 2, image);

    if (status == TP_OK &&
        !(image[0] >= 1 && image[0] <= MOST_SIDE && image[1] >= 1 && image[1] <= MOST_SIDE)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "image")->place, reader->err,
                            "\"image\" is from 1 to %d pixels wide and high", MOST_SIDE);
    }
    config->width = status == TP_OK ? (uint32_t)image[0] : 0;
    config->height = status == TP_OK ? (uint32_t)image[1] : 0;
    return status;
}

static tp_status blobfinder_read(struct sim_reader *reader, tpi_cfg_section *section,
                                 tpi_buf *settings)
{
    struct blobfinder config;
    tp_status status;

    memset(&config, 0, sizeof config);
    config.range = 12;
    config.lens.fov = SIM_PI / 3;
    status = read_image(reader, section, &config);
    if (status == TP_OK) {
        status =
            tpi_sim_read_within(reader, section, "range", 'F', 0, TPI_SIM_FARTHEST, &config.range);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "fov", 'A', SIM_PI / 180, 2 * SIM_PI,
                                     &config.lens.fov);
    }
    if (status == TP_OK) {
        status =
            tpi_sim_read_within(reader, section, "pan", 'A', -SIM_PI, SIM_PI, &config.lens.pan);
    }
    if (status == TP_OK) {
        status = read_colours(reader, section, &config);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_count(reader, section, "heights", 1, &config.heights);
    }
    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

static void blobfinder_start(const struct sim_view *view)
{
    ((struct sim_lens_state *)view->state)->lens = ((const struct blobfinder *)view->config)->lens;
}

/* ---- Sensing --------------------------------------------------------------------------------- */

/* What one column of the picture shows. */
struct column {
    uint32_t colour; /* 0xRRGGBB, or NOTHING */
    uint32_t channel;
    uint32_t top, bottom;
    double range;
};

/* Whether the colour is one that is looked for. */
static bool is_wanted(const struct blobfinder *config, uint32_t colour, uint32_t *channel)
{
    *channel = 0;
    for (uint32_t i = 0; i < config->colour_count; i++) {
        if (config->colours[i] == colour) {
            *channel = i;
            return true;
        }
    }
    return config->colour_count == 0;
}

/* The rows that a body takes, which is so much lower or higher than the finder. False if it is in
 * none. The picture covers the same angle in both directions, as in Stage. */
static bool find_rows(const struct blobfinder *config, double fov, double z0, double z1,
                      double range, struct column *column)
{
    const double per_radian = config->height / fov;
    const double middle = config->height / 2.0;
    const double top = floor(middle - atan2(z1, range) * per_radian + 1e-9);
    const double bottom = ceil(middle - atan2(z0, range) * per_radian - 1e-9) - 1;

    if (bottom < 0 || top >= config->height) {
        return false;
    }
    column->top = top > 0 ? (uint32_t)top : 0;
    column->bottom = bottom < config->height ? (uint32_t)bottom : config->height - 1;
    column->bottom = column->bottom > column->top ? column->bottom : column->top;
    return true;
}

static struct column look(const struct sim_view *view, uint32_t index)
{
    const struct blobfinder *config = view->config;
    const tpi_sim_lens *lens = &((const struct sim_lens_state *)view->state)->lens;
    const double turn =
        config->width > 1 ? lens->fov / 2 - index * (lens->fov / (config->width - 1)) : 0;
    struct sim_ray ray = {.x = view->frame.x,
                          .y = view->frame.y,
                          .group = view->group,
                          .sees = SIM_ANY,
                          .flat = true};
    struct sim_hit hit = sim_no_hit(config->range);
    struct column column = {.colour = NOTHING};

    sim_sincos(sim_normal(view->frame.a + lens->pan + turn), &ray.dy, &ray.dx);
    if (!tpi_sim_cast(view->sim, &ray, &hit)) {
        return column;
    }
    const struct sim_member *member = &view->sim->trees.template[hit.tree] -> members[hit.member];
    const uint32_t colour = tpi_sim_member_colour(view->sim, hit.tree, hit.member) >> 8;
    double z0 = -usual_height_m / 2;
    double z1 = usual_height_m / 2;
    if (config->heights != 0) {
        z0 = view->sim->trees.z[hit.tree] + member->place.z + member->traits.origin.z -
             view->frame.z;
        z1 = z0 + member->traits.size[2];
    }
    column.range = hit.range;
    if (member->traits.blob_return && is_wanted(config, colour, &column.channel) &&
        find_rows(config, lens->fov, z0, z1, hit.range, &column)) {
        column.colour = colour;
    }
    return column;
}

/* Add a column to the blob that it goes on with, on its left, or begin a new one. */
static void add(struct blobfinder_state *state, const struct column *column, uint32_t index,
                bool goes_on)
{
    if (!goes_on) {
        state->items[state->count++] = (tpi_sim_blob){.colour = column->colour,
                                                      .right = index,
                                                      .top = column->top,
                                                      .bottom = column->bottom,
                                                      .channel = column->channel};
    }
    tpi_sim_blob *blob = &state->items[state->count - 1];
    blob->left = index;
    blob->top = column->top < blob->top ? column->top : blob->top;
    blob->bottom = column->bottom > blob->bottom ? column->bottom : blob->bottom;
    blob->range += column->range;
}

static void blobfinder_sense(const struct sim_view *view)
{
    const struct blobfinder *config = view->config;
    struct blobfinder_state *state = (struct blobfinder_state *)view->state;
    uint32_t before = NOTHING;

    memset(state->items, 0, sizeof state->items);
    state->count = 0;
    for (uint32_t i = config->width; i-- > 0;) { /* from right to left, as Stage does */
        const struct column column = look(view, i);
        const bool goes_on = column.colour == before;
        if (column.colour != NOTHING && !goes_on && state->count == TPI_SIM_MOST_BLOBS) {
            break;
        }
        if (column.colour != NOTHING) {
            add(state, &column, i, goes_on);
        }
        before = column.colour;
    }
    for (uint32_t i = 0; i < state->count; i++) {
        tpi_sim_blob *blob = &state->items[i];
        blob->range /= blob->right - blob->left + 1;
    }
    view->scratch->rays += config->width;
}

static bool blobfinder_check(const struct sim_common *common)
{
    const struct blobfinder_state *state = (const struct blobfinder_state *)common;

    return state->count <= TPI_SIM_MOST_BLOBS && tpi_sim_is_lens(&state->lens.lens);
}

const tpi_sim_type tpi_sim_type_blobfinder = {
    .kind = TPI_SIM_BLOBFINDER,
    .name = "blobfinder",
    .size = {0.4, 0.4, 1.0},
    .colour = 0xff0000ff,
    .bodiless = true,
    .properties = properties,
    .state_size = sizeof(struct blobfinder_state),
    .read = blobfinder_read,
    .start = blobfinder_start,
    .sense = blobfinder_sense,
    .check = blobfinder_check,
};

tp_status tpi_sim_get_blobs(const tpi_sim *sim, tpi_sim_model model, tpi_sim_blobs *blobs,
                            tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_blobfinder, &view, err);

    if (status == TP_OK) {
        const struct blobfinder *config = view.config;
        const struct blobfinder_state *state = (const struct blobfinder_state *)view.state;
        *blobs = (tpi_sim_blobs){.items = state->items,
                                 .count = state->count,
                                 .width = config->width,
                                 .height = config->height,
                                 .time_us = view.state->updated_us};
    }
    return status;
}
