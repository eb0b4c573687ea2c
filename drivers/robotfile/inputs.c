/*
 * inputs.c - readings of a robot, in rounds; see robotfile.h.
 *
 * A round reads what the devices with readers need, each thing once, and publishes all of them at
 * its end. The battery is read now and then even without readers, since an empty one explains much.
 */
#include <math.h>
#include <stdio.h>

#include "robotfile.h"
#include "troupe/driver/actarray.h"
#include "troupe/driver/aio.h"
#include "troupe/driver/bumper.h"
#include "troupe/driver/dio.h"
#include "troupe/driver/power.h"
#include "troupe/driver/ranger.h"
#include "troupe/driver/sonar.h"

enum { LOW_PERCENT = 10, FULL_AGAIN_PERCENT = 20, BATTERY_EVERY_S = 10, MM_PER_M = 1000 };

static const double radians = 3.14159265358979323846 / 180;

static const struct robotfile_reading *listed(const struct robotfile *r,
                                              const struct robotfile_list *list, unsigned i)
{
    return &r->in.all[list->at[i]];
}

/* ---- Publishing ------------------------------------------------------------------------------ */

static float level(const struct robotfile *r, const struct robotfile_reading *reading)
{
    const double *volts = tpi_robotfile_volts(r, reading->part);

    return (float)(volts[0] + reading->value / 100 * (volts[1] - volts[0]));
}

static void publish_levels(const struct robotfile *r, const struct robotfile_list *list)
{
    float levels[MOST_LISTED];
    const tp_aio_data data = {.voltages_count = list->count, .voltages = levels};

    for (unsigned i = 0; i < list->count; i++) {
        levels[i] = level(r, listed(r, list, i));
    }
    tp_aio_publish_state(list->device, &data, 0);
}

static void publish_bits(const struct robotfile *r, const struct robotfile_list *list)
{
    tp_dio_data data = {.count = list->count};

    for (unsigned i = 0; i < list->count; i++) {
        data.bits |= (uint32_t)(listed(r, list, i)->value != 0) << i;
    }
    tp_dio_publish_values(list->device, &data, 0);
}

static void publish_ranges(const struct robotfile *r, const struct robotfile_list *list)
{
    double ranges[MOST_LISTED];
    const tp_ranger_data_range data = {.ranges_count = list->count, .ranges = ranges};

    for (unsigned i = 0; i < list->count; i++) {
        ranges[i] = listed(r, list, i)->value / MM_PER_M;
    }
    tp_ranger_publish_range(list->device, &data, 0);
}

static void publish_sonars(const struct robotfile *r, const struct robotfile_list *list)
{
    float ranges[MOST_LISTED];
    const tp_sonar_data data = {.ranges_count = list->count, .ranges = ranges};

    for (unsigned i = 0; i < list->count; i++) {
        ranges[i] = (float)(listed(r, list, i)->value / MM_PER_M);
    }
    tp_sonar_publish_ranges(list->device, &data, 0);
}

static void publish_bumps(const struct robotfile *r, const struct robotfile_list *list)
{
    uint8_t pressed[MOST_LISTED];
    const tp_bumper_data data = {.bumpers_count = list->count, .bumpers = pressed};

    for (unsigned i = 0; i < list->count; i++) {
        pressed[i] = listed(r, list, i)->value != 0;
    }
    tp_bumper_publish_state(list->device, &data, 0);
}

static void publish_power(const struct robotfile *r, const struct robotfile_list *list)
{
    tp_power_data data = {.valid = TP_POWER_MASK_PERCENT,
                          .percent = (float)listed(r, list, 0)->value};

    if (r->in.has_volts) {
        data.valid |= TP_POWER_MASK_VOLTS;
        data.volts = (float)(listed(r, list, 1)->value / 1000);
    }
    tp_power_publish_state(list->device, &data, 0);
}

/* A joint with an encoder is where that says, another one where it was sent. */
static void publish_joints(const struct robotfile *r, const struct robotfile_list *list)
{
    const struct robotfile_row *row = &r->out.rows[ROW_JOINTS];
    tp_actarray_actuator actuators[MOST_LISTED] = {{0}};
    const tp_actarray_data data = {
        .actuators_count = row->count, .actuators = actuators, .motor_state = 1};

    for (unsigned i = 0; i < row->count; i++) {
        const struct robotfile_output *joint = &r->out.all[row->at[i]];
        const bool turns = joint->command != TPI_WRITE_SERVO;
        const double tenths = joint->encoder >= 0 ? r->in.all[joint->encoder].value : 0;
        const double degrees = turns ? tenths / 10 : joint->value;
        actuators[i].position = (float)(degrees * radians);
        actuators[i].speed = (float)(turns ? joint->value / 100 * r->motor_speed : 0);
        actuators[i].state =
            turns && joint->value != 0 ? TP_ACTARRAY_ACTSTATE_MOVING : TP_ACTARRAY_ACTSTATE_IDLE;
    }
    tp_actarray_publish_state(list->device, &data, 0);
}

/* Whether the round has read all of it. A range that was never measured would be an obstacle. */
static bool is_read(const struct robotfile *r, const struct robotfile_list *list)
{
    const bool is_range = list == &r->in.lists[LIST_RANGE] || list == &r->in.lists[LIST_SONAR];
    bool all = true;

    for (unsigned i = 0; i < list->count; i++) {
        all = all && (r->in.wanted >> list->at[i] & 1) != 0 &&
              (listed(r, list, i)->is_known || !is_range);
    }
    return all;
}

static void publish(struct robotfile *r)
{
    static void (*const publishers[LISTS])(const struct robotfile *,
                                           const struct robotfile_list *) = {
        [LIST_ANALOG] = publish_levels, [LIST_DIGITAL] = publish_bits,
        [LIST_RANGE] = publish_ranges,  [LIST_SONAR] = publish_sonars,
        [LIST_BUMP] = publish_bumps,    [LIST_POWER] = publish_power,
        [LIST_JOINTS] = publish_joints};

    tpi_robotfile_publish_wheels(r);
    if (r->out.lights != NULL && tp_device_readers(r->out.lights) > 0) {
        tp_blinkenlight_publish_state(r->out.lights, &r->out.light, 0);
    }
    for (unsigned i = 0; i < LISTS; i++) {
        const struct robotfile_list *list = &r->in.lists[i];
        if (list->device != NULL && tp_device_readers(list->device) > 0 && is_read(r, list)) {
            publishers[i](r, list);
        }
    }
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

static void want(struct robotfile_inputs *in, const struct robotfile_list *list)
{
    for (unsigned i = 0; i < list->count; i++) {
        in->wanted |= (uint64_t)1 << list->at[i];
    }
}

static void open_round(struct robotfile *r, int64_t now)
{
    struct robotfile_inputs *in = &r->in;

    in->next_ns = now + r->period_ns;
    in->is_open = true;
    in->at = 0;
    in->wanted = 0;
    for (unsigned i = 0; i < LISTS; i++) {
        const tp_device *device = in->lists[i].device;
        if (device != NULL && tp_device_readers(device) > 0) {
            want(in, &in->lists[i]);
        }
    }
    if (now >= in->battery_ns && !tpi_robotfile_has_devices(r)) {
        in->battery_ns = now + BATTERY_EVERY_S * TP_NS_PER_S;
        want(in, &in->lists[LIST_POWER]);
    }
}

bool tpi_robotfile_next_reading(struct robotfile *r, int64_t now_ns, tpi_dialog_order *out)
{
    struct robotfile_inputs *in = &r->in;

    if (!in->is_open && now_ns < in->next_ns) {
        return false;
    }
    if (!in->is_open) {
        open_round(r, now_ns);
    }
    while (in->at < in->count && ((in->wanted >> in->at & 1) == 0 || in->all[in->at].is_blocked)) {
        in->at++;
    }
    if (in->at == in->count) {
        in->is_open = false;
        publish(r);
        return false;
    }
    *out = (tpi_dialog_order){.command = in->all[in->at].command, .part = in->all[in->at].part};
    return true;
}

/* The operator hears once that the battery is nearly empty. */
static void watch_battery(struct robotfile *r, double percent)
{
    char text[120];

    if (percent > FULL_AGAIN_PERCENT) {
        r->in.is_low = false;
    }
    if (percent <= LOW_PERCENT && !r->in.is_low) {
        r->in.is_low = true;
        (void)snprintf(text, sizeof text, "%s: the battery is nearly empty: %.0f %%",
                       r->loaded->robot->identity.name, percent);
        tp_instance_note(r->self, text);
    }
}

void tpi_robotfile_keep_reading(struct robotfile *r, const tpi_outcome *outcome)
{
    const struct robotfile_list *power = &r->in.lists[LIST_POWER];
    struct robotfile_reading *reading = &r->in.all[r->in.at];

    if (outcome->fault == TPI_FAULT_NONE && isfinite(outcome->results[0].number)) {
        reading->value = outcome->results[0].number;
        reading->is_known = true;
        if (power->count > 0 && r->in.at == power->at[0]) {
            watch_battery(r, reading->value);
        }
    }
    r->in.at++;
}
