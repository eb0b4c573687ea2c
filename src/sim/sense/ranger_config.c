/*
 * ranger_config.c - how a ranger's configuration is laid out: groups of rays, a table of them, and
 * their order; see ranger.h.
 */
#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/sense/ranger.h"

enum { SCAN_FROM = 24, MOST_BUNDLED = SIM_MOST_BUNDLED };

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
            last = groups->failed
                       ? NULL
                       : (struct sim_ranger_group *)(void *)(groups->data + groups->length) - 1;
        }
        if (last != NULL) {
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

/* Append one buffer to another. */
static void append(tpi_buf *to, const tpi_buf *from)
{
    to->failed = to->failed || from->failed;
    if (!to->failed && from->length > 0) {
        tpi_buf_put(to, from->data, from->length);
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
    append(config, &orders);
    tpi_buf_fini(&orders);
}

/* ---- What controllers look at ---------------------------------------------------------------- */

static uint32_t stride_of(const struct sim_ranger_group *group)
{
    return group->count / SIM_MOST_GLANCED + 1;
}

/* What has the direction x, y of a group's frame. */
static struct sim_glance glance_at(const struct sim_ranger_group *group, double x, double y,
                                   double range, uint32_t sample)
{
    const double c = group->frame.c;
    const double s = group->frame.s;
    struct sim_glance glance;

    memset(&glance, 0, sizeof glance);
    glance.x = c * x - s * y;
    glance.y = s * x + c * y;
    glance.scale = range < SIM_FAR_SIGHT ? SIM_FAR_SIGHT / range : 1;
    glance.left = glance.x > 0.17 && glance.y > 0 ? 0 : HUGE_VAL;
    glance.right = glance.x > 0.17 && glance.y < 0 ? 0 : HUGE_VAL;
    glance.ahead = glance.x > 0.866 ? 0 : HUGE_VAL;
    glance.sample = sample;
    return glance;
}

static void put_glances(tpi_buf *config)
{
    const struct sim_ranger *ranger = (const struct sim_ranger *)(const void *)config->data;
    tpi_buf glances = {0};

    for (uint32_t i = 0; !config->failed && i < ranger->group_count; i++) {
        const struct sim_ranger_group *group = &tpi_sim_ranger_groups(ranger)[i];
        const double *dx = tpi_sim_ranger_table(ranger, SIM_RAY_DX) + group->first;
        const double *dy = tpi_sim_ranger_table(ranger, SIM_RAY_DY) + group->first;
        const double *range = tpi_sim_ranger_table(ranger, SIM_RAY_RANGE) + group->first;
        for (uint32_t k = 0; k < group->count; k += stride_of(group)) {
            const struct sim_glance glance =
                glance_at(group, dx[k], dy[k], range[k], group->first + k);
            tpi_buf_put(&glances, &glance, sizeof glance);
        }
    }
    append(config, &glances);
    tpi_buf_fini(&glances);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void summarise(struct sim_ranger *head, const tpi_buf *groups)
{
    for (uint32_t i = 0; !groups->failed && i < head->group_count; i++) {
        const struct sim_ranger_group *group =
            (const struct sim_ranger_group *)(void *)groups->data + i;
        head->reach = fmax(head->reach, group->reach);
        head->glance_count += (group->count + stride_of(group) - 1) / stride_of(group);
    }
}

void tpi_sim_ranger_prepare(const void *settings, size_t length, tpi_buf *config)
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
        for (uint32_t i = 0; i < count; i++) {
            head.noisy |= sim_ranger_is_noisy(&items[i]) ? 1 : 0;
        }
        summarise(&head, &groups);
        memcpy(config->data, &head, sizeof head);
    }
    append(config, &groups);
    put_table(settings, count, config);
    put_orders(config);
    put_glances(config);
    tpi_buf_fini(&groups);
}
