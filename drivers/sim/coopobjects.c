/*
 * coopobjects.c - coopobject: objects that work together by radio; see nodes.h.
 *
 * An object is a node; one that stands on a robot is the robot's. What a client sends to an object
 * arrives at the coopobject device of the robot or thing that the node stands on, if the sender's
 * station hears the node. Objects without such a device have no program that could take it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nodes.h"
#include "troupe/interfaces/coopobject.h"

struct coop {
    simd_node_clock clock;
    bool pressed[TPI_SIM_MOST_NODES]; /* buttons, when they were sent last */
};

/* ---- Data ------------------------------------------------------------------------------------ */

static tpi_sim_model root_of(const simd *s, tpi_sim_model model)
{
    tpi_sim_info info = {.parent = model};

    while (info.parent != TPI_SIM_NONE) {
        model = info.parent;
        tpi_sim_model_info(s->world, model, &info);
    }
    return model;
}

static uint8_t origin_of(const simd *s, const tpi_sim_route *route)
{
    tpi_sim_info info;

    tpi_sim_model_info(s->world, root_of(s, route->mote), &info);
    if (info.kind == TPI_SIM_POSITION || info.kind == TPI_SIM_AIRCRAFT) {
        return TP_COOPOBJECT_ORIGIN_ROBOT;
    }
    return route->hops == 1 ? TP_COOPOBJECT_ORIGIN_MOTE : TP_COOPOBJECT_ORIGIN_STATICBASE;
}

static tp_coopobject_header header_of(const simd *s, const tpi_sim_route *route)
{
    return (tp_coopobject_header){.origin = origin_of(s, route),
                                  .id = (uint16_t)tpi_simd_node_id(s, route->mote),
                                  .parent_id = (uint16_t)tpi_simd_node_id(s, route->parent)};
}

static int16_t number(double value)
{
    return (int16_t)fmin(fmax(rint(value), -32000), 32000);
}

static void put(tp_coopobject_sensor *list, uint32_t *count, uint8_t type, double value)
{
    list[(*count)++] = (tp_coopobject_sensor){.type = type, .value = number(value)};
}

/* Tenths of degrees, of light, of m/s^2, thousandths of the Earth's field, degrees of heading. */
static void send_readings(simd_device *d, const tp_coopobject_header *header,
                          const simd_readings *r, double at_s)
{
    tp_coopobject_sensor list[10];
    uint32_t count = 0;

    if (r->has.temperature) {
        put(list, &count, TP_COOPOBJECT_TEMPERATURE, 10 * r->temperature);
    }
    if (r->has.light) {
        put(list, &count, TP_COOPOBJECT_LIGHT_1, 10 * r->light);
    }
    for (int i = 0; r->has.inertia && i < 3; i++) {
        put(list, &count, (uint8_t)(TP_COOPOBJECT_ACCEL_X + i), 10 * r->acceleration[i]);
        put(list, &count, (uint8_t)(TP_COOPOBJECT_MAGNETOMETER_X + i), 1000 * r->field[i]);
    }
    if (r->has.compass) {
        put(list, &count, TP_COOPOBJECT_COMPASS, r->heading * 180 / SIMD_PI);
    }
    if (r->has.button) {
        put(list, &count, TP_COOPOBJECT_OPTSWITCH, r->pressed);
    }
    const tp_coopobject_data_sensor data = {.header = *header, .data_count = count, .data = list};
    if (count > 0) {
        tp_publish(d->device, TP_COOPOBJECT_DATA_SENSOR, &data, at_s);
    }
}

/* A button that has been pressed is an alarm. */
static void send_alarm(simd_device *d, const tp_coopobject_header *header, const simd_readings *r,
                       uint32_t index, double at_s)
{
    struct coop *c = d->state;
    tp_coopobject_sensor alarm = {.type = TP_COOPOBJECT_OPTSWITCH, .value = 1};
    const tp_coopobject_data_sensor data = {.header = *header, .data_count = 1, .data = &alarm};

    if (r->pressed && !c->pressed[index]) {
        tp_publish(d->device, TP_COOPOBJECT_DATA_ALARM, &data, at_s);
    }
    c->pressed[index] = r->pressed;
}

/* How strongly the parent hears it, and where that was. */
static void send_signal(simd_device *d, const tpi_sim_route *route, double at_s)
{
    const simd *s = d->owner;
    const tpi_sim_model ear = route->parent == TPI_SIM_NONE ? d->model : route->parent;
    const tpi_sim_pose place = tpi_sim_global_pose(s->world, ear);
    const tp_coopobject_rssi data = {
        .header = {.origin = TP_COOPOBJECT_ORIGIN_STATICBASE,
                   .id = (uint16_t)tpi_simd_node_id(s, route->parent)},
        .sender_id = (uint16_t)tpi_simd_node_id(s, route->mote),
        .rssi = (uint16_t)rint(255 * route->level),
        .stamp = (uint16_t)(tpi_sim_time_us(s->world) / 1000 & 0xffff),
        .x = (float)place.x,
        .y = (float)place.y,
        .z = (float)place.z,
    };
    tp_publish(d->device, TP_COOPOBJECT_DATA_RSSI, &data, at_s);
}

static void send_object(simd_device *d, const tpi_sim_route *route, double at_s)
{
    const tp_coopobject_header header = header_of(d->owner, route);
    simd_readings r;

    tpi_simd_node_read(d->owner, route->mote, &r);
    tp_publish(d->device, TP_COOPOBJECT_DATA_HEALTH, &header, at_s);
    send_readings(d, &header, &r, at_s);
    send_alarm(d, &header, &r, tpi_simd_node_index(d->owner, route->mote), at_s);
    send_signal(d, route, at_s);
    if (r.has.place) {
        const tp_coopobject_position data = {
            .header = header, .x = (float)r.place.x, .y = (float)r.place.y, .z = (float)r.place.z};
        tp_publish(d->device, TP_COOPOBJECT_DATA_POSITION, &data, at_s);
    }
}

static void coop_publish(simd_device *d)
{
    struct coop *c = d->state;
    tpi_sim_routes routes;

    if (tpi_sim_get_routes(d->owner->world, d->model, &routes, NULL) != TP_OK ||
        !tpi_simd_is_new(d, routes.time_us)) {
        return;
    }
    for (uint32_t i = 0; i < routes.count; i++) {
        if (root_of(d->owner, routes.items[i].mote) != d->robot && /* not itself */
            tpi_simd_node_is_due(d->owner, &c->clock, routes.items[i].mote, routes.time_us)) {
            send_object(d, &routes.items[i], (double)routes.time_us / 1e6);
        }
    }
}

/* Time has gone back. */
static void coop_return(simd_device *d)
{
    memset(d->state, 0, sizeof(struct coop));
}

/* ---- Messages between objects ---------------------------------------------------------------- */

/* The node that the station hears by this number; TPI_SIM_NONE if there is none. */
static tpi_sim_model find_heard(const simd_device *d, uint16_t id)
{
    tpi_sim_routes routes;

    if (tpi_sim_get_routes(d->owner->world, d->model, &routes, NULL) != TP_OK) {
        return TPI_SIM_NONE;
    }
    for (uint32_t i = 0; i < routes.count; i++) {
        if (tpi_simd_node_id(d->owner, routes.items[i].mote) == id) {
            return routes.items[i].mote;
        }
    }
    return TPI_SIM_NONE;
}

static simd_device *device_on(const simd_device *d, tpi_sim_model root)
{
    for (size_t i = 0; i < d->owner->device_count; i++) {
        simd_device *other = d->owner->devices[i];
        if (other->kind == d->kind && other->robot == root && other != d) {
            return other;
        }
    }
    return NULL;
}

/* The sender: the node on the sender's own robot, or 0. */
static tp_coopobject_header sender_of(const simd_device *d)
{
    const tpi_sim_model *motes;
    const uint32_t count = tpi_sim_list_motes(d->owner->world, &motes);
    tp_coopobject_header header = {.origin = TP_COOPOBJECT_ORIGIN_ROBOT};

    for (uint32_t i = 0; i < count && header.id == 0; i++) {
        if (root_of(d->owner, motes[i]) == d->robot) {
            header.id = (uint16_t)tpi_simd_node_id(d->owner, motes[i]);
        }
    }
    return header;
}

/* The device that a message for an object arrives at. */
static tp_status find_receiver(tp_device *device, uint16_t id, simd_device **out, tp_error *err)
{
    const simd_device *d = simd_of(device);
    const tpi_sim_model mote = find_heard(d, id);

    if (mote == TPI_SIM_NONE) {
        return tp_fail(err, TP_E_UNKNOWN, "object %u is not heard", id);
    }
    *out = device_on(d, root_of(d->owner, mote));
    return *out != NULL ? TP_OK
                        : tp_fail(err, TP_E_UNSUPPORTED, "object %u has no device to take it", id);
}

static tp_status cmd_standard(tp_device *device, const tp_coopobject_cmd *ask, tp_error *err)
{
    simd_device *to;
    tp_coopobject_cmd data = *ask;
    tp_status status = find_receiver(device, ask->header.id, &to, err);

    data.header = sender_of(simd_of(device));
    return status == TP_OK ? tp_publish(to->device, TP_COOPOBJECT_DATA_COMMAND, &data,
                                        tpi_simd_time_s(to->owner))
                           : status;
}

static tp_status cmd_data(tp_device *device, const tp_coopobject_data_userdefined *ask,
                          tp_error *err)
{
    simd_device *to;
    tp_coopobject_data_userdefined data = *ask;
    tp_status status = find_receiver(device, ask->header.id, &to, err);

    data.header = sender_of(simd_of(device));
    return status == TP_OK ? tp_publish(to->device, TP_COOPOBJECT_DATA_USERDEFINED, &data,
                                        tpi_simd_time_s(to->owner))
                           : status;
}

static tp_status cmd_position(tp_device *device, const tp_coopobject_position *ask, tp_error *err)
{
    simd_device *to;
    tp_coopobject_position data = *ask;
    tp_status status = find_receiver(device, ask->header.id, &to, err);

    data.header = sender_of(simd_of(device));
    return status == TP_OK ? tp_publish(to->device, TP_COOPOBJECT_DATA_POSITION, &data,
                                        tpi_simd_time_s(to->owner))
                           : status;
}

static tp_status req_standard(tp_device *device, const tp_coopobject_req *ask, tp_error *err)
{
    simd_device *to;
    tp_coopobject_req data = *ask;
    tp_status status = find_receiver(device, ask->header.id, &to, err);

    data.header = sender_of(simd_of(device));
    return status == TP_OK ? tp_publish(to->device, TP_COOPOBJECT_DATA_REQUEST, &data,
                                        tpi_simd_time_s(to->owner))
                           : status;
}

static const tp_coopobject_ops coop_ops = {
    .cmd_standard = cmd_standard,
    .cmd_data = cmd_data,
    .cmd_position = cmd_position,
    .req_standard = req_standard,
};

const simd_kind tpi_simd_coopobjects[] = {
    {
        .interface = &tp_interface_coopobject,
        .ops = &coop_ops,
        .models = SIMD_MODEL(BASE_STATION),
        .state_size = sizeof(struct coop),
        .subscribe = tpi_simd_nodes_subscribe,
        .publish = coop_publish,
        .returned = coop_return,
    },
    {0},
};
