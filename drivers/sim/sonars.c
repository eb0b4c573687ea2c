/*
 * sonars.c - sonar and ir: rangers that are sets of eyes, for clients that know no ranger.
 *
 * A world file does not say by what an eye sees, so any set of eyes can be either. Where nobody has
 * chosen, those that do not reach far are infrared eyes besides.
 */
#include <math.h>

#include "scanning.h"
#include "troupe/interfaces/ir.h"
#include "troupe/interfaces/sonar.h"

static const double ir_reach_m = 2; /* how far infrared eyes see at most */

struct sonar {
    simd_view view;
};

/* None of its eyes reaches far. */
static bool ir_suits(const simd *s, tpi_sim_model model)
{
    const uint32_t count = tpi_sim_sensor_count(s->world, model);
    tpi_sim_sensor sensor;

    for (uint32_t i = 0; i < count; i++) {
        if (tpi_sim_get_sensor(s->world, model, i, &sensor, NULL) != TP_OK ||
            sensor.range_max > ir_reach_m) {
            return false;
        }
    }
    return true;
}

static bool sonar_suits(const simd *s, tpi_sim_model model)
{
    return !ir_suits(s, model);
}

static tp_status sonar_begin(simd_device *d, tp_error *err)
{
    simd_view *view = &((struct sonar *)d->state)->view;
    tp_status status = tpi_simd_view_init(view, d, err);

    return status == TP_OK ? tpi_simd_view_tell(view, d, true, err) : status;
}

/* Put what was seen into the room; false if there is nothing new. */
static bool look(simd_device *d, int64_t *time_us)
{
    const struct sonar *r = d->state;
    simd_scan_room *room = d->owner->scan_room;

    *time_us = tpi_simd_view_read(&r->view, d, room->ranges, NULL);
    if (r->view.off || !tpi_simd_is_new(d, *time_us)) {
        return false;
    }
    for (uint32_t i = 0; i < r->view.count; i++) {
        room->values[i] = (float)room->ranges[i];
    }
    return true;
}

/* ---- sonar ----------------------------------------------------------------------------------- */

static void sonar_publish(simd_device *d)
{
    const struct sonar *r = d->state;
    int64_t time_us;

    if (look(d, &time_us)) {
        const tp_sonar_data data = {.ranges_count = r->view.count,
                                    .ranges = d->owner->scan_room->values};
        tp_publish(d->device, TP_SONAR_DATA_RANGES, &data, (double)time_us / 1e6);
    }
}

static tp_status sonar_geom(tp_device *device, tp_sonar_geom *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    const struct sonar *r = d->state;

    answer->poses_count = r->view.sensor_count;
    answer->poses = d->owner->scan_room->poses;
    return tpi_simd_view_place(&r->view, d, true, err);
}

static tp_status sonar_power(tp_device *device, const tp_sonar_power_config *ask, tp_error *err)
{
    (void)err;
    ((struct sonar *)simd_state(device))->view.off = ask->state == 0;
    return TP_OK;
}

static const tp_sonar_ops sonar_ops = {
    .req_get_geom = sonar_geom,
    .req_power = sonar_power,
};

/* ---- ir -------------------------------------------------------------------------------------- */

/* As eyes that are read through a voltage do: more when nearer, 3 V for what they touch. */
static float voltage_of(double range)
{
    return (float)(0.4 + 2.6 * exp(-range));
}

static void ir_publish(simd_device *d)
{
    const struct sonar *r = d->state;
    simd_scan_room *room = d->owner->scan_room;
    int64_t time_us;

    if (!look(d, &time_us)) {
        return;
    }
    for (uint32_t i = 0; i < r->view.count; i++) {
        room->voltages[i] = voltage_of(room->ranges[i]);
    }
    const tp_ir_data data = {.voltages_count = r->view.count,
                             .voltages = room->voltages,
                             .ranges_count = r->view.count,
                             .ranges = room->values};
    tp_publish(d->device, TP_IR_DATA_RANGES, &data, (double)time_us / 1e6);
}

static tp_status ir_pose(tp_device *device, tp_ir_pose *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    const struct sonar *r = d->state;

    answer->poses_count = r->view.sensor_count;
    answer->poses = d->owner->scan_room->poses;
    return tpi_simd_view_place(&r->view, d, true, err);
}

static tp_status ir_power(tp_device *device, const tp_ir_power_req *ask, tp_error *err)
{
    (void)err;
    ((struct sonar *)simd_state(device))->view.off = ask->state == 0;
    return TP_OK;
}

static const tp_ir_ops ir_ops = {
    .req_pose = ir_pose,
    .req_power = ir_power,
};

#define EYES "a ranger with several sensors, or with one of a single sample"

const simd_kind tpi_simd_sonars[] = {
    {
        .interface = &tp_interface_sonar,
        .ops = &sonar_ops,
        .models = SIMD_MODEL(RANGER),
        .always = true,
        .needs = EYES,
        .state_size = sizeof(struct sonar),
        .suits = sonar_suits,
        .has = tpi_simd_is_eyes,
        .begin = sonar_begin,
        .publish = sonar_publish,
    },
    {
        .interface = &tp_interface_ir,
        .ops = &ir_ops,
        .models = SIMD_MODEL(RANGER),
        .needs = EYES,
        .state_size = sizeof(struct sonar),
        .suits = ir_suits,
        .has = tpi_simd_is_eyes,
        .begin = sonar_begin,
        .publish = ir_publish,
    },
    {0},
};
