/*
 * floor.c - the models `floor` and `floorsensor`: pictures on the floor, and what looks down
 * on them.
 *
 * A floor is a rectangle of one colour or with a picture; it has no body. Where several lie on each
 * other the highest is seen, of those at the same height the smallest. Where there is none, the
 * floor has the world's floor_color.
 *
 * Each sensor of a floor sensor looks straight down, whatever its height, at a square spot; its
 * reading is the mean of 25 points in it.
 */
#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/sense/sense.h"
#include "sim/world/world.h"

/* ---- Floors ---------------------------------------------------------------------------------- */

enum { MOST_FLOOR_PIXELS = 16 << 20 };

struct floor {
    uint32_t width, height; /* of the picture; 0 without one */
    unsigned char rgb[];    /* row by row from the top, which is where y points */
};

static const char *const floor_properties[] = {"picture", NULL};

static tp_status floor_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, "picture");
    struct sim_bitmap bitmap = {0};
    struct floor head = {0};
    tp_status status = TP_OK;

    if (field != NULL) {
        status = tpi_sim_load_picture(reader, field, true, &bitmap);
    }
    if (status == TP_OK && (uint64_t)bitmap.width * bitmap.height > MOST_FLOOR_PIXELS) {
        status = tpi_cfg_fail(&field->place, reader->err,
                              "a picture on the floor has up to %d pixels", MOST_FLOOR_PIXELS);
    }
    if (status == TP_OK) {
        head.width = bitmap.width;
        head.height = bitmap.height;
        tpi_buf_put(settings, &head, sizeof head);
        if (bitmap.rgb != NULL) {
            tpi_buf_put(settings, bitmap.rgb, (size_t)3 * bitmap.width * bitmap.height);
        }
    }
    tpi_sim_bitmap_fini(&bitmap);
    return status;
}

const tpi_sim_type tpi_sim_type_floor = {
    .kind = TPI_SIM_FLOOR,
    .name = "floor",
    .size = {1, 1, 0},
    .colour = 0x000000ff,
    .bodiless = true,
    .properties = floor_properties,
    .state_size = sizeof(struct sim_common),
    .read = floor_read,
};

/* ---- Colours --------------------------------------------------------------------------------- */

/* A floor at a place. */
struct layer {
    tpi_sim_model model;
    double u, v; /* from 0 to 1, from the left and from the top */
    double z, area;
};

/* Whether a floor is at a place. A camera asks this for every pixel, so most get a short answer. */
static bool lies_at(const tpi_sim *sim, tpi_sim_model model, double x, double y,
                    struct layer *layer)
{
    const uint32_t tree = sim->tree_of[model];
    const struct sim_traits *traits = &sim_member_of(sim, model)->traits;
    const double *size = traits->size;
    const double reach =
        size[0] + size[1] + fabs(traits->origin.x) + fabs(traits->origin.y); /* more than enough */
    struct sim_frame frame = tpi_sim_member_frame(sim, tree, model - sim->trees.model[tree]);

    if (fabs(x - frame.x) > reach || fabs(y - frame.y) > reach) {
        return false;
    }
    if (traits->origin.x != 0 || traits->origin.y != 0 || traits->origin.a != 0) {
        const struct sim_frame origin = sim_frame_of(&traits->origin);
        frame = sim_frame_join(&frame, &origin);
    }
    const double dx = x - frame.x;
    const double dy = y - frame.y;
    layer->model = model;
    layer->u = (frame.c * dx + frame.s * dy) / size[0] + 0.5;
    layer->v = 0.5 - (frame.c * dy - frame.s * dx) / size[1];
    layer->z = frame.z;
    layer->area = size[0] * size[1];
    return layer->u >= 0 && layer->u <= 1 && layer->v >= 0 && layer->v <= 1;
}

/* Models have the same order in every file. */
static bool is_above(const struct layer *a, const struct layer *b)
{
    if (a->z != b->z) {
        return a->z > b->z;
    }
    return a->area != b->area ? a->area < b->area : a->model < b->model;
}

static uint32_t colour_of(const tpi_sim *sim, const struct layer *layer)
{
    const uint32_t tree = sim->tree_of[layer->model];
    const struct sim_member *member = sim_member_of(sim, layer->model);
    const struct floor *floor = sim->trees.template[tree] -> devices[member->device].config;

    if (floor->width == 0) {
        return tpi_sim_member_colour(sim, tree, layer->model - sim->trees.model[tree]);
    }
    const uint32_t column = (uint32_t)(layer->u * floor->width);
    const uint32_t row = (uint32_t)(layer->v * floor->height);
    const size_t x = column < floor->width ? column : floor->width - 1;
    const size_t y = row < floor->height ? row : floor->height - 1;
    const unsigned char *rgb = &floor->rgb[3 * (y * floor->width + x)];
    return (uint32_t)rgb[0] << 24 | (uint32_t)rgb[1] << 16 | (uint32_t)rgb[2] << 8 | 0xff;
}

uint32_t tpi_sim_floor_colour(const tpi_sim *sim, double x, double y)
{
    const struct sim_beacons *floors = &sim->beacons[SIM_FLOORS];
    struct layer top = {.model = TPI_SIM_NONE};
    struct layer layer;
    bool found = false;

    for (uint32_t i = 0; i < floors->count; i++) {
        if (lies_at(sim, floors->models[i], x, y, &layer) && (!found || is_above(&layer, &top))) {
            top = layer;
            found = true;
        }
    }
    return found ? colour_of(sim, &top) : sim->scene.floor;
}

tp_status tpi_sim_get_floor_picture(const tpi_sim *sim, tpi_sim_model model,
                                    tpi_sim_floor_picture *picture, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_floor, &view, err);

    if (status == TP_OK) {
        const struct floor *floor = view.config;
        *picture = (tpi_sim_floor_picture){
            .width = floor->width, .height = floor->height, .rgb = floor->rgb};
    }
    return status;
}

/* ---- Sensors --------------------------------------------------------------------------------- */

struct floor_sensor {
    double spot;      /* its side */
    double threshold; /* below which it is dark */
    double noise;     /* standard deviation */
    uint32_t count, spare;
    tpi_sim_pose poses[]; /* `count` of them */
};

struct floor_sensor_state {
    struct sim_common common;
    tpi_sim_floor_value values[TPI_SIM_MOST_FLOOR_SENSORS];
};

static const char *const sensor_sections[] = {"sensor", NULL};
static const char *const sensor_properties[] = {"spot", "threshold", "noise", NULL};

static tp_status read_poses(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings,
                            uint32_t *count)
{
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < section->section_count && status == TP_OK; i++) {
        tpi_cfg_section *sensor = section->sections[i];
        tpi_sim_pose pose = {0};
        if (strcmp(sensor->type, "sensor") != 0) {
            continue;
        }
        if (*count == TPI_SIM_MOST_FLOOR_SENSORS) {
            return tpi_cfg_fail(&sensor->place, reader->err, "a floorsensor has up to %d sensors",
                                TPI_SIM_MOST_FLOOR_SENSORS);
        }
        status = tpi_sim_read_pose(reader, sensor, "pose", &pose);
        if (status == TP_OK &&
            !(fabs(pose.x) <= TPI_SIM_FARTHEST && fabs(pose.y) <= TPI_SIM_FARTHEST)) {
            return tpi_cfg_fail(&sensor->place, reader->err, "the sensor is outside of the world");
        }
        tpi_buf_put(settings, &pose, sizeof pose);
        (*count)++;
    }
    return status;
}

static tp_status floor_sensor_read(struct sim_reader *reader, tpi_cfg_section *section,
                                   tpi_buf *settings)
{
    struct floor_sensor head = {.spot = 0.01, .threshold = 0.5};
    const size_t start = settings->length;
    tp_status status = tpi_sim_read_within(reader, section, "spot", 'L', 0, 10, &head.spot);

    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "threshold", 'F', 0, 1, &head.threshold);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "noise", 'F', 0, 1, &head.noise);
    }
    tpi_buf_put(settings, &head, sizeof head);
    if (status == TP_OK) {
        status = read_poses(reader, section, settings, &head.count);
    }
    if (head.count == 0) { /* one in the middle */
        const tpi_sim_pose middle = {0};
        tpi_buf_put(settings, &middle, sizeof middle);
        head.count = 1;
    }
    if (!settings->failed) {
        memcpy(settings->data + start, &head, sizeof head);
    }
    return status;
}

/* Brightness as eyes have it, from 0 to 1. */
static double reflectance_of(const double rgb[3])
{
    return (0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]) / 255;
}

/* The mean colour of the spot round a place. */
static void look_down(const tpi_sim *sim, const struct sim_frame *at, double spot, double rgb[3])
{
    rgb[0] = rgb[1] = rgb[2] = 0;
    for (int i = -2; i <= 2; i++) {
        for (int k = -2; k <= 2; k++) {
            const double x = i * spot / 5;
            const double y = k * spot / 5;
            const uint32_t colour = tpi_sim_floor_colour(sim, at->x + at->c * x - at->s * y,
                                                         at->y + at->s * x + at->c * y);
            rgb[0] += (colour >> 24) / 25.0;
            rgb[1] += (colour >> 16 & 255) / 25.0;
            rgb[2] += (colour >> 8 & 255) / 25.0;
        }
    }
}

static void floor_sensor_sense(const struct sim_view *view)
{
    const struct floor_sensor *config = view->config;
    struct floor_sensor_state *state = (struct floor_sensor_state *)view->state;

    for (uint32_t i = 0; i < config->count; i++) {
        const struct sim_frame local = sim_frame_of(&config->poses[i]);
        const struct sim_frame frame = sim_frame_join(&view->frame, &local);
        double rgb[3];
        look_down(view->sim, &frame, config->spot, rgb);
        double value = reflectance_of(rgb) + tpi_sim_noise(view, config->noise, i);
        value = value < 0 ? 0 : value > 1 ? 1 : value;
        state->values[i] = (tpi_sim_floor_value){
            .reflectance = (float)value,
            .colour = (uint32_t)(rgb[0] + 0.5) << 16 | (uint32_t)(rgb[1] + 0.5) << 8 |
                      (uint32_t)(rgb[2] + 0.5),
            .dark = value < config->threshold ? 1 : 0,
        };
    }
}

const tpi_sim_type tpi_sim_type_floor_sensor = {
    .kind = TPI_SIM_FLOOR_SENSOR,
    .name = "floorsensor",
    .size = {0.02, 0.02, 0.01},
    .colour = 0x000000ff,
    .bodiless = true,
    .properties = sensor_properties,
    .sections = sensor_sections,
    .state_size = sizeof(struct floor_sensor_state),
    .read = floor_sensor_read,
    .sense = floor_sensor_sense,
};

/* ---- Asking ---------------------------------------------------------------------------------- */

tp_status tpi_sim_get_floor(const tpi_sim *sim, tpi_sim_model model, tpi_sim_floor_values *values,
                            tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_floor_sensor, &view, err);

    if (status == TP_OK) {
        *values =
            (tpi_sim_floor_values){.items = ((const struct floor_sensor_state *)view.state)->values,
                                   .count = ((const struct floor_sensor *)view.config)->count,
                                   .time_us = view.state->updated_us};
    }
    return status;
}

tp_status tpi_sim_get_floor_sensor(const tpi_sim *sim, tpi_sim_model model, uint32_t index,
                                   tpi_sim_pose *pose, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_floor_sensor, &view, err);

    if (status != TP_OK) {
        return status;
    }
    const struct floor_sensor *config = view.config;
    if (index >= config->count) {
        return tp_fail(err, TP_E_RANGE, "the model has %u sensors; there is no number %u",
                       config->count, index);
    }
    *pose = config->poses[index];
    return TP_OK;
}
