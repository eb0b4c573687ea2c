/*
 * nodes.c - wsn: what a base station hears of wireless nodes; see nodes.h.
 *
 * The sensors' own numbers are those of a converter of 10 bits: 512 and 50 for each g and for each
 * half gauss, 10 for each unit of light, 8 for each decibel, 20 for each degree from -5, 300 for
 * each volt.
 */
#include "nodes.h"

#include <math.h>
#include <string.h>

#include "sim/move/actuators.h"
#include "troupe/interfaces/wsn.h"

static const double gravity = 9.80665;
static const double gauss = 0.5; /* of the Earth's field */

/* ---- What nodes say -------------------------------------------------------------------------- */

void tpi_simd_nodes_subscribe(simd_device *d, bool subscribed)
{
    const tpi_sim_model *motes;
    const uint32_t count = tpi_sim_list_motes(d->owner->world, &motes);

    for (uint32_t i = 0; i < count && i < TPI_SIM_MOST_NODES; i++) {
        tpi_sim_info info;
        tpi_sim_model_info(d->owner->world, motes[i], &info);
        for (uint32_t k = 0; k < info.family; k++) {
            if (subscribed) {
                tpi_sim_subscribe(d->owner->world, motes[i] + k);
            } else {
                tpi_sim_unsubscribe(d->owner->world, motes[i] + k);
            }
        }
    }
}

static void read_inertia(const simd *s, tpi_sim_model model, simd_readings *r)
{
    tpi_sim_inertia inertia;

    if (tpi_sim_get_inertia(s->world, model, &inertia, NULL) == TP_OK) {
        r->has.inertia = true;
        memcpy(r->acceleration, inertia.acceleration, sizeof r->acceleration);
        memcpy(r->field, inertia.field, sizeof r->field);
    }
}

/* Of several sensors of a kind the last one counts. */
static void read_sensor(const simd *s, tpi_sim_model model, simd_readings *r)
{
    tpi_sim_brightness brightness;
    tpi_sim_hearing hearing;
    tpi_sim_compass compass;
    tpi_sim_button button;
    tpi_sim_fix fix;

    if (tpi_sim_get_brightness(s->world, model, &brightness, NULL) == TP_OK) {
        r->has.light = true;
        r->light = brightness.level;
    }
    if (tpi_sim_get_hearing(s->world, model, &hearing, NULL) == TP_OK) {
        r->has.sound = true;
        r->sound = hearing.level;
    }
    if (tpi_sim_get_compass(s->world, model, &compass, NULL) == TP_OK) {
        r->has.compass = true;
        r->heading = compass.bearing;
    }
    if (tpi_sim_get_button(s->world, model, &button, NULL) == TP_OK) {
        r->has.button = true;
        r->pressed = button.pressed;
    }
    if (tpi_sim_get_fix(s->world, model, &fix, NULL) == TP_OK) {
        r->has.place = true;
        r->place = fix.pose;
    }
    read_inertia(s, model, r);
}

void tpi_simd_node_read(const simd *s, tpi_sim_model mote, simd_readings *r)
{
    tpi_sim_battery battery;
    tpi_sim_mote node;
    tpi_sim_info info;

    memset(r, 0, sizeof *r);
    tpi_sim_model_info(s->world, mote, &info);
    for (uint32_t k = 1; k < info.family; k++) {
        read_sensor(s, mote + k, r);
    }
    if (tpi_sim_get_mote(s->world, mote, &node, NULL) == TP_OK && node.has_temperature) {
        r->has.temperature = true;
        r->temperature = node.temperature;
    }
    if (tpi_sim_get_battery(s->world, mote, &battery, NULL) == TP_OK && battery.capacity > 0) {
        r->has.battery = true;
        r->volts = 2 + fmin(fmax(battery.stored / battery.capacity, 0), 1); /* two cells */
    }
}

uint32_t tpi_simd_node_id(const simd *s, tpi_sim_model mote)
{
    tpi_sim_mote node = {0};

    if (mote != TPI_SIM_NONE) {
        (void)tpi_sim_get_mote(s->world, mote, &node, NULL);
    }
    return node.id;
}

uint32_t tpi_simd_node_index(const simd *s, tpi_sim_model mote)
{
    const tpi_sim_model *motes;
    const uint32_t count = tpi_sim_list_motes(s->world, &motes);

    for (uint32_t i = 0; i < count && i < TPI_SIM_MOST_NODES; i++) {
        if (motes[i] == mote) {
            return i;
        }
    }
    return TPI_SIM_MOST_NODES;
}

bool tpi_simd_node_is_due(const simd *s, simd_node_clock *clock, tpi_sim_model mote,
                          int64_t time_us)
{
    const uint32_t i = tpi_simd_node_index(s, mote);
    tpi_sim_info info;

    if (i == TPI_SIM_MOST_NODES || time_us < clock->next_us[i]) {
        return false;
    }
    tpi_sim_model_info(s->world, mote, &info);
    const int64_t period_us = clock->period_us[i] > 0 ? clock->period_us[i] : info.update_us;
    clock->next_us[i] = time_us + period_us;
    return true;
}

/* ---- wsn ------------------------------------------------------------------------------------- */

struct network {
    bool physical; /* units, not the sensors' own numbers */
    simd_node_clock clock;
};

static float own_number(double value)
{
    return (float)fmin(fmax(rint(value), 0), 1023);
}

static tp_wsn_node_data to_units(const simd_readings *r)
{
    return (tp_wsn_node_data){
        .light = r->has.light ? (float)r->light : -1,
        .mic = r->has.sound ? (float)r->sound : -1,
        .accel_x = r->has.inertia ? (float)r->acceleration[0] : -1,
        .accel_y = r->has.inertia ? (float)r->acceleration[1] : -1,
        .accel_z = r->has.inertia ? (float)r->acceleration[2] : -1,
        .magn_x = r->has.inertia ? (float)(r->field[0] * gauss) : -1,
        .magn_y = r->has.inertia ? (float)(r->field[1] * gauss) : -1,
        .magn_z = r->has.inertia ? (float)(r->field[2] * gauss) : -1,
        .temperature = r->has.temperature ? (float)r->temperature : -1,
        .battery = r->has.battery ? (float)r->volts : -1,
    };
}

static tp_wsn_node_data to_numbers(const simd_readings *r)
{
    return (tp_wsn_node_data){
        .light = r->has.light ? own_number(10 * r->light) : -1,
        .mic = r->has.sound ? own_number(8 * r->sound) : -1,
        .accel_x = r->has.inertia ? own_number(512 + 50 * r->acceleration[0] / gravity) : -1,
        .accel_y = r->has.inertia ? own_number(512 + 50 * r->acceleration[1] / gravity) : -1,
        .accel_z = r->has.inertia ? own_number(512 + 50 * r->acceleration[2] / gravity) : -1,
        .magn_x = r->has.inertia ? own_number(512 + 50 * r->field[0]) : -1,
        .magn_y = r->has.inertia ? own_number(512 + 50 * r->field[1]) : -1,
        .magn_z = r->has.inertia ? own_number(512 + 50 * r->field[2]) : -1,
        .temperature = r->has.temperature ? own_number(20 * (r->temperature + 5)) : -1,
        .battery = r->has.battery ? own_number(300 * r->volts) : -1,
    };
}

static void send_report(simd_device *d, const tpi_sim_route *route, int64_t time_us)
{
    const struct network *n = d->state;
    tpi_sim_mote node = {0};
    simd_readings r;

    (void)tpi_sim_get_mote(d->owner->world, route->mote, &node, NULL);
    tpi_simd_node_read(d->owner, route->mote, &r);
    const tp_wsn_data data = {.node_type = node.type,
                              .node_id = node.id,
                              .node_parent_id = tpi_simd_node_id(d->owner, route->parent),
                              .data_packet = n->physical ? to_units(&r) : to_numbers(&r)};
    tp_publish(d->device, TP_WSN_DATA_STATE, &data, (double)time_us / 1e6);
}

static void network_publish(simd_device *d)
{
    struct network *n = d->state;
    tpi_sim_routes routes;

    if (tpi_sim_get_routes(d->owner->world, d->model, &routes, NULL) != TP_OK ||
        !tpi_simd_is_new(d, routes.time_us)) {
        return;
    }
    for (uint32_t i = 0; i < routes.count; i++) {
        if (tpi_simd_node_is_due(d->owner, &n->clock, routes.items[i].mote, routes.time_us)) {
            send_report(d, &routes.items[i], routes.time_us);
        }
    }
}

/* Time has gone back. */
static void network_return(simd_device *d)
{
    struct network *n = d->state;

    memset(n->clock.next_us, 0, sizeof n->clock.next_us);
}

/* ---- Choosing nodes -------------------------------------------------------------------------- */

/* Which nodes a message is for; -1 for all. */
struct choice {
    int32_t id, group;
};

/* Returns false if there is nothing to do it with. */
typedef bool act(simd_device *d, tpi_sim_model mote, const void *ask);

/* Do something with every node that was chosen; fails if there is none. */
static tp_status for_each(tp_device *device, const struct choice *c, act *does, const void *ask,
                          tp_error *err)
{
    simd_device *d = simd_of(device);
    const tpi_sim_model *motes;
    const uint32_t count = tpi_sim_list_motes(d->owner->world, &motes);
    bool any = false;
    bool done = false;

    for (uint32_t i = 0; i < count && i < TPI_SIM_MOST_NODES; i++) {
        tpi_sim_mote node = {0};
        (void)tpi_sim_get_mote(d->owner->world, motes[i], &node, NULL);
        if ((c->id == -1 || (int64_t)node.id == c->id) &&
            (c->group == -1 || (int64_t)node.group == c->group)) {
            done = does(d, motes[i], ask) || done;
            any = true;
        }
    }
    if (!any) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no node %d in group %d", c->id, c->group);
    }
    return done ? TP_OK
                : tp_fail(err, TP_E_UNKNOWN, "such nodes have no light or sound of this number");
}

static bool set_asleep(simd_device *d, tpi_sim_model mote, const void *ask)
{
    const tp_wsn_power_config *power = ask;

    return tpi_sim_set_mote_asleep(d->owner->world, mote, power->value == 0, NULL) == TP_OK;
}

static tp_status power(tp_device *device, const tp_wsn_power_config *ask, tp_error *err)
{
    const struct choice c = {ask->node_id, ask->group_id};

    return for_each(device, &c, set_asleep, ask, err);
}

static tp_status datatype(tp_device *device, const tp_wsn_datatype_config *ask, tp_error *err)
{
    (void)err;
    ((struct network *)simd_state(device))->physical = ask->value != 0;
    return TP_OK;
}

static bool set_period(simd_device *d, tpi_sim_model mote, const void *ask)
{
    struct network *n = d->state;
    const tp_wsn_datafreq_config *often = ask;
    const uint32_t i = tpi_simd_node_index(d->owner, mote);

    n->clock.period_us[i] = (int64_t)(1e6 / often->frequency);
    n->clock.next_us[i] = 0;
    return true;
}

static tp_status datafreq(tp_device *device, const tp_wsn_datafreq_config *ask, tp_error *err)
{
    const struct choice c = {ask->node_id, ask->group_id};
    const double most = 1e6 / (double)tpi_sim_interval_us(simd_of(device)->owner->world);

    if (!(ask->frequency >= 1e-6)) {
        return tp_fail(err, TP_E_RANGE, "a node cannot report %g times a second", ask->frequency);
    }
    if (ask->frequency > most) { /* a step makes one report */
        return tp_fail(err, TP_E_RANGE, "a node of this world reports at most %g times a second",
                       most);
    }
    return for_each(device, &c, set_period, ask, err);
}

/* The lamps and sounds on a node are its devices, from 0, in the order of the file. */
static bool switch_device(simd_device *d, tpi_sim_model mote, const void *ask)
{
    const tp_wsn_cmd *command = ask;
    tpi_sim *world = d->owner->world;
    uint32_t number = 0;
    tpi_sim_info info;

    tpi_sim_model_info(world, mote, &info);
    for (uint32_t k = 1; k < info.family; k++) {
        tpi_sim_lamp lamp;
        tpi_sim_tone tone;
        const bool lights = tpi_sim_get_lamp(world, mote + k, &lamp, NULL) == TP_OK;
        const bool sounds = tpi_sim_get_tone(world, mote + k, &tone, NULL) == TP_OK;
        if ((!lights && !sounds) || number++ != command->device) {
            continue;
        }
        if (lights) {
            lamp.enabled = command->enable != 0;
            return tpi_sim_set_lamp(world, mote + k, &lamp, NULL) == TP_OK;
        }
        tone.level = command->enable != 0 ? 60 : 0;
        return tpi_sim_set_tone(world, mote + k, &tone, NULL) == TP_OK;
    }
    return false;
}

static tp_status devstate(tp_device *device, const tp_wsn_cmd *ask, tp_error *err)
{
    const struct choice c = {ask->node_id, ask->group_id};

    return for_each(device, &c, switch_device, ask, err);
}

static const tp_wsn_ops network_ops = {
    .cmd_devstate = devstate,
    .req_power = power,
    .req_datatype = datatype,
    .req_datafreq = datafreq,
};

const simd_kind tpi_simd_nodes[] = {
    {
        .interface = &tp_interface_wsn,
        .ops = &network_ops,
        .models = SIMD_MODEL(BASE_STATION),
        .state_size = sizeof(struct network),
        .subscribe = tpi_simd_nodes_subscribe,
        .publish = network_publish,
        .returned = network_return,
    },
    {0},
};
