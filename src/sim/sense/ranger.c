/*
 * ranger.c - the model `ranger`: its properties, and what can be asked about it.
 *
 * How it differs from Stage: the least range is applied (what is nearer reads as the least range);
 * noise never makes a range negative or greater than the greatest; the angular noise is the width
 * of an even spread, in the file's angles, round each ray.
 *
 * Old files: `laser ( range_max 8 fov 180 samples 361 )`, and rangers with scount, sview, spose[i]
 * and ssize, are read too.
 */
#include "sim/sense/ranger.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/control.h"
#include "sim/maths.h"

enum {
    MOST_SAMPLES = 1 << 16, /* of a sensor */
    MOST_IN_ALL = 1 << 20,  /* of a ranger */
    MOST_SENSORS = 1 << 12,
};

static const char *const sections[] = {"sensor", NULL};
static const char *const sensor_properties[] = {"pose",  "size",  "range",      "fov", "samples",
                                                "noise", "color", "color_rgba", NULL};

/* ---- Sensors --------------------------------------------------------------------------------- */

static const struct sim_ranger_sensor usual = {
    .shown = {.size = {0.02, 0.02, 0.02}, .range_max = 5, .fov = 0.1, .samples = 1}};

/* Where the first of some properties stands, or else the sensor. */
static const tpi_cfg_place *place_of(tpi_cfg_section *section, const char *const *names)
{
    const tpi_cfg_field *field = NULL;

    for (; *names != NULL && field == NULL; names++) {
        field = tpi_cfg_find(section, *names);
    }
    return field == NULL ? &section->place : &field->place;
}

static tp_status check_range(struct sim_reader *reader, tpi_cfg_section *section,
                             const tpi_sim_sensor *shown)
{
    static const char *const names[] = {"range", "range_max", "range_min",
                                        "sview", "sview[0]",  NULL};

    if (!(shown->range_min <= shown->range_max)) {
        return tpi_cfg_fail(
            place_of(section, names), reader->err,
            "the least range of a sensor, %.15g m, is beyond its greatest, %.15g m; "
            "the least comes first",
            shown->range_min, shown->range_max);
    }
    if (!(shown->range_max > 0 && shown->range_max <= TPI_SIM_FARTHEST)) {
        return tpi_cfg_fail(place_of(section, names), reader->err,
                            "the range of a sensor is greater than 0, up to %g m, not %.15g",
                            TPI_SIM_FARTHEST, shown->range_max);
    }
    return TP_OK;
}

/* A fan of many rays within a few degrees, and a fraction of them, is 3.14 where 180 was meant. */
static void tell_radians(const struct sim_reader *reader, tpi_cfg_section *section,
                         const tpi_sim_sensor *shown)
{
    enum { FEW_SAMPLES = 20 };
    const tpi_cfg_field *field = tpi_cfg_find(section, "fov");
    const double fov = shown->fov * 180 / SIM_PI;

    if (field != NULL && reader->radian != 1 && shown->samples > FEW_SAMPLES && fov > 0 &&
        fov <= 2 * SIM_PI + 0.02 && fabs(fov - round(fov)) > 1e-6) {
        tpi_sim_note(reader, &field->place,
                     "\"fov\" is %.6g degrees; angles are in degrees unless \"unit_angle\" says "
                     "otherwise",
                     fov);
    }
}

/* What makes no sense and does no harm; Stage takes it as it is. */
static void tell_odd(const struct sim_reader *reader, tpi_cfg_section *section,
                     const struct sim_ranger_sensor *sensor)
{
    static const char *const range[] = {"range", "range_min", "sview", "sview[0]", NULL};
    static const char *const fov[] = {"fov", "sview", "sview[0]", NULL};
    static const char *const noise[] = {"noise", NULL};
    const tpi_sim_sensor *shown = &sensor->shown;

    if (shown->range_min < 0) {
        tpi_sim_note(reader, place_of(section, range),
                     "the least range of a sensor, %.15g m, is negative", shown->range_min);
    }
    if (!(shown->fov >= 0 && shown->fov <= 2 * SIM_PI + 1e-6)) {
        tpi_sim_note(reader, place_of(section, fov),
                     "\"fov\" is %.6g degrees; it makes sense from 0 to 360",
                     shown->fov * 180 / SIM_PI);
    }
    tell_radians(reader, section, shown);
    if (sensor->noise[0] < 0 || sensor->noise[1] < 0 || sensor->noise[2] < 0) {
        tpi_sim_note(reader, place_of(section, noise), "\"noise\" is negative");
    }
}

static tp_status check_sensor(struct sim_reader *reader, tpi_cfg_section *section,
                              const struct sim_ranger_sensor *sensor)
{
    static const char *const samples[] = {"samples", NULL};
    const tpi_sim_sensor *shown = &sensor->shown;
    tp_status status = check_range(reader, section, shown);

    if (status != TP_OK) {
        return status;
    }
    if (!(fabs(shown->pose.x) <= TPI_SIM_FARTHEST && fabs(shown->pose.y) <= TPI_SIM_FARTHEST &&
          fabs(shown->pose.z) <= TPI_SIM_FARTHEST && fabs(shown->pose.a) <= TPI_SIM_FARTHEST &&
          fabs(shown->size[2]) <= TPI_SIM_FARTHEST && fabs(shown->fov) <= TPI_SIM_FARTHEST)) {
        return tpi_cfg_fail(&section->place, reader->err, "the sensor is larger than the world");
    }
    if (shown->samples == 0) {
        return tpi_cfg_fail(place_of(section, samples), reader->err, "the sensor has no samples");
    }
    tell_odd(reader, section, sensor);
    return TP_OK;
}

static tp_status read_sensor(struct sim_reader *reader, tpi_cfg_section *section,
                             struct sim_ranger_sensor *sensor)
{
    tpi_sim_sensor *shown = &sensor->shown;
    double range[2] = {shown->range_min, shown->range_max};
    uint32_t colour;
    bool random;
    tp_status status = tpi_sim_read_pose(reader, section, "pose", &shown->pose);

    if (status == TP_OK) {
        status = tpi_sim_read_size(reader, section, "size", shown->size);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_tuple(reader, section, "range", "LL", 2, range);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_number(reader, section, "fov", 'A', &shown->fov);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_count(reader, section, "samples", MOST_SAMPLES, &shown->samples);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_tuple(reader, section, "noise", "LFA", 1, sensor->noise);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_colour(reader, section, &colour, &random);
    }
    shown->range_min = range[0];
    shown->range_max = range[1];
    return status == TP_OK ? check_sensor(reader, section, sensor) : status;
}

static tp_status put_sensor(struct sim_reader *reader, const struct sim_ranger_sensor *sensor,
                            tpi_buf *sensors)
{
    tpi_buf_put(sensors, sensor, sizeof *sensor);
    return sensors->failed ? tp_fail(reader->err, TP_E_NOMEM, "out of memory") : TP_OK;
}

static tp_status read_new(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *sensors)
{
    tp_status status = TP_OK;
    uint64_t samples = 0;

    for (uint32_t i = 0; i < section->section_count && status == TP_OK; i++) {
        struct sim_ranger_sensor sensor = usual;
        if (strcmp(section->sections[i]->type, "sensor") == 0) {
            status = read_sensor(reader, section->sections[i], &sensor);
            samples += sensor.shown.samples;
            if (status == TP_OK && samples > MOST_IN_ALL) {
                return tpi_cfg_fail(&section->sections[i]->place, reader->err,
                                    "the ranger has more than %d samples", MOST_IN_ALL);
            }
            if (status == TP_OK) {
                status = put_sensor(reader, &sensor, sensors);
            }
        }
    }
    return status;
}

/* ---- Old files ------------------------------------------------------------------------------- */

/* `laser`: one sensor, whose properties are the model's. */
static tp_status read_laser(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *sensors)
{
    struct sim_ranger_sensor sensor = usual;
    tpi_sim_sensor *shown = &sensor.shown;
    double range[2] = {0, 8};
    tp_status status = tpi_sim_read_tuple(reader, section, "range", "LL", 2, range);

    shown->fov = SIM_PI;
    shown->samples = 180;
    if (status == TP_OK) {
        status = tpi_sim_read_number(reader, section, "range_min", 'L', &range[0]);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_number(reader, section, "range_max", 'L', &range[1]);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_number(reader, section, "fov", 'A', &shown->fov);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_count(reader, section, "samples", MOST_SAMPLES, &shown->samples);
    }
    shown->range_min = range[0];
    shown->range_max = range[1];
    if (status == TP_OK) {
        status = check_sensor(reader, section, &sensor);
    }
    return status == TP_OK ? put_sensor(reader, &sensor, sensors) : status;
}

/* The property of sensor `index`, or else the one that all have. */
static const char *with_index(tpi_cfg_section *section, const char *name, uint32_t index,
                              char out[32])
{
    snprintf(out, 32, "%s[%u]", name, index);
    return tpi_cfg_find(section, out) != NULL ? out : name;
}

static tp_status read_old_sensor(struct sim_reader *reader, tpi_cfg_section *section,
                                 uint32_t index, struct sim_ranger_sensor *sensor)
{
    double view[3] = {0, 5, 5 * SIM_PI / 180}; /* least range, greatest, angle */
    double pose[3] = {0};
    double size[2] = {0.01, 0.05};
    char name[32];
    tp_status status = tpi_sim_read_tuple(
        reader, section, with_index(section, "sview", index, name), "LLA", 3, view);

    if (status == TP_OK) {
        status = tpi_sim_read_tuple(reader, section, with_index(section, "spose", index, name),
                                    "LLA", 3, pose);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_tuple(reader, section, with_index(section, "ssize", index, name),
                                    "LL", 2, size);
    }
    sensor->shown = (tpi_sim_sensor){.pose = {.x = pose[0], .y = pose[1], .a = pose[2]},
                                     .size = {size[0], size[1], 0},
                                     .range_min = view[0],
                                     .range_max = view[1],
                                     .fov = view[2],
                                     .samples = 1};
    return status == TP_OK ? check_sensor(reader, section, sensor) : status;
}

/* scount, spose[i] and so on. */
static tp_status read_counted(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *sensors)
{
    uint32_t count = 0;
    tp_status status = tpi_sim_read_count(reader, section, "scount", MOST_SENSORS, &count);

    if (count > 0 && strcmp(section->type, "ranger") == 0) {
        tpi_sim_note(reader, &tpi_cfg_find(section, "scount")->place,
                     "\"scount\" is an old way to say how many sensors there are");
    }
    for (uint32_t i = 0; i < count && status == TP_OK; i++) {
        struct sim_ranger_sensor sensor = usual;
        status = read_old_sensor(reader, section, i, &sensor);
        if (status == TP_OK) {
            status = put_sensor(reader, &sensor, sensors);
        }
    }
    return status;
}

/* A ranger that has what a sensor has, and no sensor: half way from the old files to the new. Stage
 * would have it measure nothing. */
static bool is_like_laser(const struct sim_reader *reader, tpi_cfg_section *section)
{
    static const char *const names[] = {"range_max", "samples", "fov"};
    const tpi_cfg_field *field = NULL;

    for (uint32_t i = 0; i < section->section_count; i++) {
        if (strcmp(section->sections[i]->type, "sensor") == 0) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0] && field == NULL; i++) {
        field = tpi_cfg_find(section, names[i]);
    }
    if (field != NULL) {
        tpi_sim_note(reader, &field->place,
                     "\"%s\" belongs in a \"sensor\"; the ranger has none and is taken for a "
                     "\"laser\" of old files",
                     field->name);
    }
    return field != NULL;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static tp_status read_sensors(struct sim_reader *reader, tpi_cfg_section *section,
                              tpi_buf *settings)
{
    if (strcmp(section->type, "laser") == 0) {
        return read_laser(reader, section, settings);
    }
    if (strcmp(section->type, "sonar") == 0 || tpi_cfg_find(section, "scount") != NULL) {
        return read_counted(reader, section, settings);
    }
    if (is_like_laser(reader, section)) {
        return read_laser(reader, section, settings);
    }
    return read_new(reader, section, settings);
}

/* The controller `lasernoise`: as in Stage, five percent. Stage leaves all sensors but the first
 * exact. */
static void put_deviation(tpi_cfg_section *section, struct sim_ranger_sensor *sensors, size_t count)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, "ctrl");

    for (uint32_t i = 0; field != NULL && i < field->value_count; i++) {
        if (tpi_sim_control_is_noise(tpi_sim_control_find(field->values[i].text))) {
            for (size_t k = 0; k < count; k++) {
                sensors[k].deviation = 0.05;
            }
        }
    }
}

static tp_status ranger_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    const size_t before = settings->length;
    tp_status status = read_sensors(reader, section, settings);

    if (status == TP_OK && settings->length > before) {
        put_deviation(section, (struct sim_ranger_sensor *)(void *)(settings->data + before),
                      (settings->length - before) / sizeof(struct sim_ranger_sensor));
    }
    return status;
}

static uint32_t ranger_sample_count(const void *config)
{
    return ((const struct sim_ranger *)config)->sample_count;
}

const tpi_sim_type tpi_sim_type_ranger = {
    .kind = TPI_SIM_RANGER,
    .name = "ranger",
    .size = {0.15, 0.15, 0.2},
    .colour = 0x00008bff,
    .bodiless = true,
    .sections = sections,
    .section_properties = sensor_properties,
    .state_size = sizeof(struct sim_ranger_state),
    .read = ranger_read,
    .prepare = tpi_sim_ranger_prepare,
    .sample_count = ranger_sample_count,
    .sense = tpi_sim_ranger_sense,
};

/* ---- Asking ---------------------------------------------------------------------------------- */

static const struct sim_ranger *config_of(const tpi_sim *sim, tpi_sim_model model)
{
    const struct sim_template *template = sim->trees.template[sim->tree_of[model]];
    const uint32_t device = tpi_sim_device_of(sim, model);

    if (device == TPI_SIM_NONE || template->devices[device].type->kind != TPI_SIM_RANGER) {
        return NULL;
    }
    return template->devices[device].config;
}

uint32_t tpi_sim_sensor_count(const tpi_sim *sim, tpi_sim_model ranger)
{
    const struct sim_ranger *config = config_of(sim, ranger);

    return config == NULL ? 0 : config->sensor_count;
}

static tp_status find_sensor(const tpi_sim *sim, tpi_sim_model ranger, uint32_t index,
                             const struct sim_ranger_sensor **sensor, tp_error *err)
{
    const struct sim_ranger *config = config_of(sim, ranger);

    if (config == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the model is no ranger");
    }
    if (index >= config->sensor_count) {
        return tp_fail(err, TP_E_RANGE, "the ranger has %u sensors; there is no number %u",
                       config->sensor_count, index);
    }
    *sensor = &tpi_sim_ranger_sensors(config)[index];
    return TP_OK;
}

tp_status tpi_sim_get_sensor(const tpi_sim *sim, tpi_sim_model ranger, uint32_t index,
                             tpi_sim_sensor *sensor, tp_error *err)
{
    const struct sim_ranger_sensor *found = NULL;
    tp_status status = find_sensor(sim, ranger, index, &found, err);

    if (status == TP_OK) {
        *sensor = found->shown;
    }
    return status;
}

tp_status tpi_sim_get_scan(const tpi_sim *sim, tpi_sim_model ranger, uint32_t index,
                           tpi_sim_scan *scan, tp_error *err)
{
    const struct sim_ranger_sensor *found = NULL;
    tp_status status = find_sensor(sim, ranger, index, &found, err);
    struct sim_view view;

    if (status != TP_OK) {
        return status;
    }
    tpi_sim_view(sim, sim->tree_of[ranger], tpi_sim_device_of(sim, ranger), &view);
    *scan = (tpi_sim_scan){.ranges = view.samples + found->first,
                           .intensities = view.values + found->first,
                           .count = found->shown.samples,
                           .time_us = view.state->updated_us};
    return TP_OK;
}
