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
#include "sim/ranger.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/maths.h"

enum { MOST_SAMPLES = 1 << 16, MOST_SENSORS = 1 << 12, SCAN_FROM = 24, MOST_BUNDLED = 64 };

static const char *const sections[] = {"sensor", NULL};
static const char *const properties[] = {"range", "fov", "samples", "noise", NULL};

/* ---- Pieces of a configuration --------------------------------------------------------------- */

const struct sim_ranger_sensor *tpi_sim_ranger_sensors(const struct sim_ranger *ranger)
{
    return (const struct sim_ranger_sensor *)(ranger + 1);
}

const struct sim_ranger_group *tpi_sim_ranger_groups(const struct sim_ranger *ranger)
{
    return (const struct sim_ranger_group *)(tpi_sim_ranger_sensors(ranger) + ranger->sensor_count);
}

const double *tpi_sim_ranger_table(const struct sim_ranger *ranger, uint32_t column)
{
    return (const double *)(tpi_sim_ranger_groups(ranger) + ranger->group_count) +
           (size_t)column * ranger->sample_count;
}

/* Behind the table, for each group: the numbers before each sector, and the order of several turns.
 */
const uint32_t *tpi_sim_ranger_before(const struct sim_ranger *ranger, uint32_t group)
{
    return (const uint32_t *)(const void *)tpi_sim_ranger_table(ranger, SIM_RAY_COLUMNS) +
           (size_t)group * (SIM_BEFORE + SIM_TURNS * MOST_BUNDLED);
}

const uint32_t *tpi_sim_ranger_order(const struct sim_ranger *ranger, uint32_t group)
{
    return tpi_sim_ranger_before(ranger, group) + SIM_BEFORE;
}

/* ---- Sensors --------------------------------------------------------------------------------- */

static const struct sim_ranger_sensor usual = {
    .shown = {.size = {0.02, 0.02, 0.02}, .range_max = 5, .fov = 0.1, .samples = 1}};

static tp_status check_sensor(struct sim_reader *reader, const tpi_cfg_section *section,
                              const struct sim_ranger_sensor *sensor)
{
    const tpi_sim_sensor *shown = &sensor->shown;

    if (!(shown->range_max > 0 && shown->range_max <= TPI_SIM_FARTHEST)) {
        return tpi_cfg_fail(&section->place, reader->err,
                            "the range of a sensor is up to %g m, not %.15g", TPI_SIM_FARTHEST,
                            shown->range_max);
    }
    if (!(fabs(shown->pose.x) <= TPI_SIM_FARTHEST && fabs(shown->pose.y) <= TPI_SIM_FARTHEST &&
          fabs(shown->pose.z) <= TPI_SIM_FARTHEST && fabs(shown->pose.a) <= TPI_SIM_FARTHEST &&
          fabs(shown->size[2]) <= TPI_SIM_FARTHEST && fabs(shown->fov) <= TPI_SIM_FARTHEST)) {
        return tpi_cfg_fail(&section->place, reader->err, "the sensor is larger than the world");
    }
    if (shown->samples == 0) {
        return tpi_cfg_fail(&section->place, reader->err, "the sensor has no samples");
    }
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

    for (uint32_t i = 0; i < section->section_count && status == TP_OK; i++) {
        struct sim_ranger_sensor sensor = usual;
        if (strcmp(section->sections[i]->type, "sensor") == 0) {
            status = read_sensor(reader, section->sections[i], &sensor);
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
        tpi_sim_tell(reader, &tpi_cfg_find(section, "scount")->place,
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

/* ---- Groups ---------------------------------------------------------------------------------- */

static bool is_loose(const struct sim_ranger_sensor *sensor)
{
    return sensor->noise[2] != 0;
}

static bool is_scan(const struct sim_ranger_sensor *sensor)
{
    const double fov = sensor->shown.fov;

    return sensor->shown.samples >= SCAN_FROM && !is_loose(sensor) && fov <= 2 * SIM_PI + 1e-9 &&
           fov / sensor->shown.samples > 1e-6;
}

/* Too many rays for a bundle, and no fan either: each is cast by itself. */
static bool is_odd(const struct sim_ranger_sensor *sensor)
{
    return !is_scan(sensor) && sensor->shown.samples > MOST_BUNDLED;
}

/* The height of its rays, above the ranger. */
static double height_of(const struct sim_ranger_sensor *sensor)
{
    return sensor->shown.pose.z + sensor->shown.size[2] / 2;
}

/* Whether a bundle can take the sensor in. */
static bool fits(const struct sim_ranger_group *group, const struct sim_ranger_sensor *sensor)
{
    const uint32_t form = is_loose(sensor) || is_odd(sensor) ? SIM_LOOSE : SIM_BUNDLE;

    return group != NULL && !is_scan(sensor) && group->form == form &&
           group->frame.z == height_of(sensor) &&
           (form == SIM_LOOSE || group->count + sensor->shown.samples <= MOST_BUNDLED);
}

static struct sim_ranger_group group_for(const struct sim_ranger_sensor *sensor, uint32_t index)
{
    struct sim_ranger_group group;

    memset(&group, 0, sizeof group);
    group.frame.c = 1;
    group.first = sensor->first;
    group.sensor = index;
    group.form = is_loose(sensor) || is_odd(sensor) ? SIM_LOOSE : SIM_BUNDLE;
    if (is_scan(sensor)) {
        group.form = SIM_SCAN;
        group.frame = sim_frame_of(&sensor->shown.pose);
        group.start = -sensor->shown.fov / 2;
        group.step = sensor->shown.fov / (sensor->shown.samples - 1);
    }
    group.frame.z = height_of(sensor);
    return group;
}

/* Give every sensor its place among the samples, and put them into groups. */
static uint32_t put_groups(struct sim_ranger_sensor *sensors, uint32_t count, tpi_buf *groups)
{
    struct sim_ranger_group *last = NULL;
    uint32_t samples = 0;

    for (uint32_t i = 0; i < count && !groups->failed; i++) {
        const tpi_sim_sensor *shown = &sensors[i].shown;
        sensors[i].first = samples;
        samples += shown->samples;
        if (!fits(last, &sensors[i])) {
            const struct sim_ranger_group group = group_for(&sensors[i], i);
            tpi_buf_put(groups, &group, sizeof group);
            last = (struct sim_ranger_group *)(void *)(groups->data + groups->length) - 1;
        }
        if (!groups->failed) {
            const double away = last->form == SIM_SCAN ? 0 : hypot(shown->pose.x, shown->pose.y);
            last->count += shown->samples;
            last->reach = fmax(last->reach, away + shown->range_max);
            last->offset = fmax(last->offset, away);
        }
    }
    return samples;
}

/* ---- The table of rays ----------------------------------------------------------------------- */

static double ray_angle(const tpi_sim_sensor *sensor, uint32_t sample)
{
    if (sensor->samples == 1) {
        return 0;
    }
    return -sensor->fov / 2 + sample * (sensor->fov / (sensor->samples - 1));
}

static double ray_number(const struct sim_ranger_sensor *sensor, uint32_t sample, int column)
{
    const tpi_sim_sensor *shown = &sensor->shown;
    const bool scan = is_scan(sensor);
    double s;
    double c;

    sim_sincos(sim_normal(ray_angle(shown, sample) + (scan ? 0 : shown->pose.a)), &s, &c);
    switch (column) {
    case SIM_RAY_X:
        return scan ? 0 : shown->pose.x;
    case SIM_RAY_Y:
        return scan ? 0 : shown->pose.y;
    case SIM_RAY_DX:
        return c;
    case SIM_RAY_DY:
        return s;
    default:
        return shown->range_max;
    }
}

static void put_table(const struct sim_ranger_sensor *sensors, uint32_t count, tpi_buf *config)
{
    for (int column = 0; column < SIM_RAY_COLUMNS; column++) {
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t k = 0; k < sensors[i].shown.samples; k++) {
                const double number = ray_number(&sensors[i], k, column);
                tpi_buf_put(config, &number, sizeof number);
            }
        }
    }
}

/* The sector that a ray points into. */
static uint32_t sector_of(double dx, double dy)
{
    return (uint32_t)((atan2(dy, dx) / (2 * SIM_PI) + 0.5) * SIM_SECTORS) % SIM_SECTORS;
}

/* How many rays of a group point to before each sector. */
static void put_before(const struct sim_ranger *ranger, const struct sim_ranger_group *group,
                       tpi_buf *out)
{
    const double *dx = tpi_sim_ranger_table(ranger, SIM_RAY_DX) + group->first;
    const double *dy = tpi_sim_ranger_table(ranger, SIM_RAY_DY) + group->first;
    uint32_t count[SIM_SECTORS] = {0};
    uint32_t sum = 0;

    for (uint32_t i = 0; i < group->count; i++) {
        count[sector_of(dx[i], dy[i])]++;
    }
    for (uint32_t i = 0; i < SIM_BEFORE; i++) {
        tpi_buf_put(out, &sum, sizeof sum);
        sum += count[i % SIM_SECTORS];
    }
}

/* The rays of a bundle, sector by sector, for several turns; of other groups there is no order. */
static void put_order(const struct sim_ranger *ranger, const struct sim_ranger_group *group,
                      tpi_buf *out)
{
    const double *dx = tpi_sim_ranger_table(ranger, SIM_RAY_DX) + group->first;
    const double *dy = tpi_sim_ranger_table(ranger, SIM_RAY_DY) + group->first;
    uint32_t order[MOST_BUNDLED] = {0};
    uint32_t count = 0;

    for (uint32_t sector = 0; group->form == SIM_BUNDLE && sector < SIM_SECTORS; sector++) {
        for (uint32_t i = 0; i < group->count; i++) {
            if (sector_of(dx[i], dy[i]) == sector) {
                order[count++] = i;
            }
        }
    }
    for (uint32_t i = 0; i < SIM_TURNS * MOST_BUNDLED; i++) {
        tpi_buf_put(out, &order[count > 0 ? i % count : 0], sizeof order[0]);
    }
}

static void put_orders(tpi_buf *config)
{
    const struct sim_ranger *ranger = (const struct sim_ranger *)(const void *)config->data;
    tpi_buf orders = {0};

    for (uint32_t i = 0; !config->failed && i < ranger->group_count; i++) {
        put_before(ranger, &tpi_sim_ranger_groups(ranger)[i], &orders);
        put_order(ranger, &tpi_sim_ranger_groups(ranger)[i], &orders);
    }
    tpi_buf_put(config, tpi_buf_text(&orders), orders.length);
    config->failed = config->failed || orders.failed;
    tpi_buf_fini(&orders);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static tp_status ranger_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    if (strcmp(section->type, "laser") == 0) {
        return read_laser(reader, section, settings);
    }
    if (strcmp(section->type, "sonar") == 0 || tpi_cfg_find(section, "scount") != NULL) {
        return read_counted(reader, section, settings);
    }
    return read_new(reader, section, settings);
}

static void ranger_prepare(const void *settings, size_t length, tpi_buf *config)
{
    const uint32_t count = (uint32_t)(length / sizeof(struct sim_ranger_sensor));
    const size_t sensors = sizeof(struct sim_ranger);
    struct sim_ranger head = {.sensor_count = count};
    tpi_buf groups = {0};

    tpi_buf_put(config, &head, sizeof head);
    tpi_buf_put(config, settings, length);
    if (!config->failed) {
        struct sim_ranger_sensor *items =
            (struct sim_ranger_sensor *)(void *)(config->data + sensors);
        head.sample_count = put_groups(items, count, &groups);
        head.group_count = (uint32_t)(groups.length / sizeof(struct sim_ranger_group));
        memcpy(config->data, &head, sizeof head);
    }
    tpi_buf_put(config, tpi_buf_text(&groups), groups.length);
    put_table(settings, count, config);
    put_orders(config);
    config->failed = config->failed || groups.failed;
    tpi_buf_fini(&groups);
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
    .properties = properties,
    .sections = sections,
    .state_size = sizeof(struct sim_ranger_state),
    .read = ranger_read,
    .prepare = ranger_prepare,
    .sample_count = ranger_sample_count,
    .sense = tpi_sim_ranger_sense,
};

/* ---- Asking ---------------------------------------------------------------------------------- */

static const struct sim_ranger *config_of(const tpi_sim *sim, tpi_sim_model model)
{
    const struct sim_plan *plan = sim->trees.plan[sim->tree_of[model]];
    const uint32_t device = tpi_sim_device_of(sim, model);

    if (device == TPI_SIM_NONE || plan->devices[device].type->kind != TPI_SIM_RANGER) {
        return NULL;
    }
    return plan->devices[device].config;
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
