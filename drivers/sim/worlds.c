/* worlds.c - simulation and world: the objects of a world, and its time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulator.h"
#include "troupe/interfaces/simulation.h"
#include "troupe/interfaces/world.h"

/* ---- Time ------------------------------------------------------------------------------------ */

static tp_status check_speed(double speed, tp_error *err)
{
    return speed >= 0 && speed <= SIMD_FASTEST
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "speed %g is not from 0 to %.0f", speed, SIMD_FASTEST);
}

/* What properties tell, also after a request has changed it. */
static void tell(simd *s)
{
    if (s->simulation != NULL) {
        tp_device *device = s->simulation->device;
        tp_device_set_property_number(device, "speed", s->pace.speed);
        tp_device_set_property_number(device, "paused", s->pace.paused);
        tp_device_set_property_number(device, "lockstep", s->lockstep);
    }
    simd_set_period(s);
}

static void set_speed(simd *s, double speed)
{
    simd_pace_set_speed(&s->pace, speed, simd_now_ns(s));
    tell(s);
}

static void set_paused(simd *s, bool paused)
{
    simd_pace_set_paused(&s->pace, paused, simd_now_ns(s));
    tell(s);
}

static void set_lockstep(simd *s, bool lockstep)
{
    s->lockstep = lockstep;
    simd_pace_begin(&s->pace, simd_now_ns(s));
    tell(s);
}

static tp_status speed_property(tp_device *device, const char *key, const char *text, double speed,
                                tp_error *err)
{
    tp_status status = check_speed(speed, err);

    (void)key;
    (void)text;
    if (status == TP_OK) {
        set_speed(simd_of(device)->owner, speed);
    }
    return status;
}

static tp_status paused_property(tp_device *device, const char *key, const char *text,
                                 double paused, tp_error *err)
{
    (void)key;
    (void)text;
    (void)err;
    set_paused(simd_of(device)->owner, paused != 0);
    return TP_OK;
}

static tp_status lockstep_property(tp_device *device, const char *key, const char *text,
                                   double lockstep, tp_error *err)
{
    (void)key;
    (void)text;
    (void)err;
    set_lockstep(simd_of(device)->owner, lockstep != 0);
    return TP_OK;
}

static const tp_property_plan time_properties[] = {
    {.key = "speed",
     .type = TP_PROPERTY_DOUBLE,
     .writable = true,
     .unit = "",
     .doc = "Simulated seconds for each real second; 0 for as fast as it can.",
     .value = "1",
     .set = speed_property},
    {.key = "paused",
     .type = TP_PROPERTY_BOOL,
     .writable = true,
     .unit = "",
     .doc = "Whether time stands still.",
     .value = "0",
     .set = paused_property},
    {.key = "lockstep",
     .type = TP_PROPERTY_BOOL,
     .writable = true,
     .unit = "",
     .doc = "Whether time moves only when all who take part have asked for it.",
     .value = "0",
     .set = lockstep_property},
};

/* ---- simulation ------------------------------------------------------------------------------ */

static tp_status simulation_begin(simd_device *d, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < sizeof time_properties / sizeof time_properties[0] && status == TP_OK;
         i++) {
        status = tp_device_add_property(d->device, &time_properties[i], err);
    }
    d->owner->simulation = d;
    if (status == TP_OK) {
        tell(d->owner);
    }
    return status;
}

/* The model that a request names; TPI_SIM_NONE with a reason if there is none. */
static tpi_sim_model find(tp_device *device, const char *name, uint32_t count, tp_error *err)
{
    char text[256] = "";
    tpi_sim_model model = TPI_SIM_NONE;

    if (simd_copy_text(text, sizeof text, name, count)) {
        model = tpi_sim_find(simd_of(device)->owner->world, text);
    }
    if (model == TPI_SIM_NONE) {
        tp_fail(err, TP_E_UNKNOWN, "there is no model \"%s\" in the world", text);
    }
    return model;
}

static tp_status get_pose2d(tp_device *device, const tp_simulation_pose2d_req *ask,
                            tp_simulation_pose2d_req *answer, tp_error *err)
{
    const tpi_sim_model model = find(device, ask->name, ask->name_count, err);

    if (model == TPI_SIM_NONE) {
        return TP_E_UNKNOWN;
    }
    const tpi_sim_pose pose = tpi_sim_local_pose(simd_of(device)->owner->world, model);
    *answer = *ask;
    answer->pose = (tp_pose2d){pose.x, pose.y, pose.a};
    return TP_OK;
}

static tp_status move(simd *s, tpi_sim_model model, const tpi_sim_pose *pose, tp_error *err)
{
    tp_status status = tpi_sim_set_pose(s->world, model, pose, err);

    simd_show_some(s);
    return status;
}

static tp_status set_pose2d(tp_device *device, const tp_simulation_pose2d_req *ask, tp_error *err)
{
    tpi_sim *world = simd_of(device)->owner->world;
    const tpi_sim_model model = find(device, ask->name, ask->name_count, err);

    if (model == TPI_SIM_NONE) {
        return TP_E_UNKNOWN;
    }
    tpi_sim_pose pose = tpi_sim_local_pose(world, model);
    pose.x = ask->pose.px;
    pose.y = ask->pose.py;
    pose.a = ask->pose.pa;
    return move(simd_of(device)->owner, model, &pose, err);
}

static tp_status get_pose3d(tp_device *device, const tp_simulation_pose3d_req *ask,
                            tp_simulation_pose3d_req *answer, tp_error *err)
{
    simd *s = simd_of(device)->owner;
    const tpi_sim_model model = find(device, ask->name, ask->name_count, err);

    if (model == TPI_SIM_NONE) {
        return TP_E_UNKNOWN;
    }
    const tpi_sim_pose pose = tpi_sim_local_pose(s->world, model);
    *answer = *ask;
    answer->pose = simd_pose3d(&pose);
    answer->simtime = simd_time_s(s);
    return TP_OK;
}

static tp_status set_pose3d(tp_device *device, const tp_simulation_pose3d_req *ask, tp_error *err)
{
    const tpi_sim_model model = find(device, ask->name, ask->name_count, err);
    const tpi_sim_pose pose = {ask->pose.px, ask->pose.py, ask->pose.pz, ask->pose.pyaw};

    return model == TPI_SIM_NONE ? TP_E_UNKNOWN : move(simd_of(device)->owner, model, &pose, err);
}

/* ---- Properties of models, as Stage has them --------------------------------------------------
 */

enum { COLOUR_PARTS = 4 };

struct simulation {
    float colour[COLOUR_PARTS]; /* room for answers: red, green, blue, opacity, from 0 to 1 */
    uint64_t time_us;
};

static bool is_property(const tp_simulation_property_req *ask, const char *name)
{
    char text[32];

    return simd_copy_text(text, sizeof text, ask->prop, ask->prop_count) && strcmp(text, name) == 0;
}

static tp_status unknown_property(const tp_simulation_property_req *ask, tp_error *err)
{
    char text[64] = "";

    (void)simd_copy_text(text, sizeof text, ask->prop, ask->prop_count);
    return tp_fail(err, TP_E_UNKNOWN, "models have no property \"%s\": there are color and time",
                   text);
}

static tp_status get_property(tp_device *device, const tp_simulation_property_req *ask,
                              tp_simulation_property_req *answer, tp_error *err)
{
    simd *s = simd_of(device)->owner;
    struct simulation *room = simd_state(device);
    const tpi_sim_model model = find(device, ask->name, ask->name_count, err);

    if (model == TPI_SIM_NONE) {
        return TP_E_UNKNOWN;
    }
    *answer = *ask;
    if (is_property(ask, "color")) {
        tpi_sim_info info;
        tpi_sim_model_info(s->world, model, &info);
        for (unsigned i = 0; i < COLOUR_PARTS; i++) {
            room->colour[i] = (float)(info.colour >> (24 - 8 * i) & 255) / 255;
        }
        answer->value = (char *)room->colour;
        answer->value_count = sizeof room->colour;
        return TP_OK;
    }
    if (is_property(ask, "time")) {
        room->time_us = (uint64_t)tpi_sim_time_us(s->world);
        answer->value = (char *)&room->time_us;
        answer->value_count = sizeof room->time_us;
        return TP_OK;
    }
    return unknown_property(ask, err);
}

static tp_status set_property(tp_device *device, const tp_simulation_property_req *ask,
                              tp_error *err)
{
    const tpi_sim_model model = find(device, ask->name, ask->name_count, err);
    float parts[COLOUR_PARTS];
    uint32_t colour = 0;

    if (model == TPI_SIM_NONE) {
        return TP_E_UNKNOWN;
    }
    if (!is_property(ask, "color")) {
        return unknown_property(ask, err);
    }
    if (ask->value_count != sizeof parts) {
        return tp_fail(err, TP_E_RANGE, "a color is four floats, which are %zu bytes, not %u",
                       sizeof parts, ask->value_count);
    }
    memcpy(parts, ask->value, sizeof parts);
    for (unsigned i = 0; i < COLOUR_PARTS; i++) {
        if (!(parts[i] >= 0 && parts[i] <= 1)) {
            return tp_fail(err, TP_E_RANGE, "the parts of a color are from 0 to 1");
        }
        colour |= (uint32_t)lrintf(parts[i] * 255) << (24 - 8 * i);
    }
    return tpi_sim_set_colour(simd_of(device)->owner->world, model, colour, err);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status cmd_pause(tp_device *device, tp_error *err)
{
    simd *s = simd_of(device)->owner;

    (void)err;
    set_paused(s, !s->pace.paused);
    return TP_OK;
}

static tp_status cmd_reset(tp_device *device, tp_error *err)
{
    return simd_reset(simd_of(device)->owner, err);
}

static tp_status cmd_save(tp_device *device, tp_error *err)
{
    return simd_save_start(simd_of(device)->owner, err);
}

static const tp_simulation_ops simulation_ops = {
    .req_get_pose2d = get_pose2d,
    .req_set_pose2d = set_pose2d,
    .req_get_pose3d = get_pose3d,
    .req_set_pose3d = set_pose3d,
    .req_get_property = get_property,
    .req_set_property = set_property,
    .cmd_pause = cmd_pause,
    .cmd_reset = cmd_reset,
    .cmd_save = cmd_save,
};

/* ---- world ----------------------------------------------------------------------------------- */

static tp_status world_begin(simd_device *d, tp_error *err)
{
    (void)err;
    d->owner->keeper = d;
    return TP_OK;
}

static void describe(const simd *s, tp_world_state *state)
{
    *state = (tp_world_state){
        .time = simd_time_s(s),
        .interval = (double)s->pace.interval_ns / (double)TP_NS_PER_S,
        .speed = s->pace.speed,
        .steps = (int64_t)s->step_count,
        .paused = s->pace.paused,
        .lockstep = s->lockstep,
        .late = s->pace.late,
        .participants = tp_device_readers(s->keeper->device),
        .waiting = (uint32_t)s->waiter_count,
    };
}

static tp_status get_state(tp_device *device, tp_world_state *answer, tp_error *err)
{
    (void)err;
    describe(simd_of(device)->owner, answer);
    return TP_OK;
}

void simd_forget_gone(simd *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->waiter_count; i++) {
        if (tp_ticket_is_wanted(s->waiters[i].ticket)) {
            s->waiters[kept++] = s->waiters[i];
        } else {
            tp_ticket_fail(s->waiters[i].ticket, TP_E_CLOSED, "nobody waits for it");
        }
    }
    s->waiter_count = kept;
}

/* One step has been made: for all in lockstep, otherwise for whoever has waited longest. */
static void count_down(simd *s)
{
    const size_t served = s->lockstep ? s->waiter_count : 1;
    tp_world_state state;
    size_t kept = 0;

    describe(s, &state);
    state.waiting = 0;
    for (size_t i = 0; i < s->waiter_count; i++) {
        s->waiters[i].count -= i < served;
        if (s->waiters[i].count == 0) {
            tp_ticket_answer(s->waiters[i].ticket, &state);
        } else {
            s->waiters[kept++] = s->waiters[i];
        }
    }
    s->waiter_count = kept;
}

bool simd_is_awaited(const simd *s)
{
    return s->waiter_count > 0 &&
           (!s->lockstep || s->waiter_count >= tp_device_readers(s->keeper->device));
}

/* Out of lockstep these are beside those that are due. */
static tp_status step(tp_device *device, const tp_world_step *ask, tp_world_state *answer,
                      tp_error *err)
{
    enum { MOST_STEPS = 100000 };
    simd *s = simd_of(device)->owner;

    (void)answer;
    if (ask->count > MOST_STEPS) {
        return tp_fail(err, TP_E_RANGE, "%u steps at once are more than %d", ask->count,
                       MOST_STEPS);
    }
    if (s->waiter_count == SIMD_MOST_WAITING) {
        return tp_fail(err, TP_E_LIMIT, "%d wait for a step already", SIMD_MOST_WAITING);
    }
    if (s->waiter_count == s->waiter_capacity) {
        const size_t capacity = s->waiter_capacity * 2 + 16;
        simd_waiter *waiters = realloc(s->waiters, capacity * sizeof *waiters);
        if (waiters == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        s->waiters = waiters;
        s->waiter_capacity = capacity;
    }
    s->waiters[s->waiter_count++] =
        (simd_waiter){.ticket = tp_device_defer(device), .count = ask->count > 0 ? ask->count : 1};
    simd_step_for_waiters(s);
    return TP_PENDING;
}

void simd_serve_waiter(simd *s)
{
    simd_step(s);
    count_down(s);
}

static tp_status request_speed(tp_device *device, const tp_world_speed *ask, tp_error *err)
{
    tp_status status = check_speed(ask->speed, err);

    if (status == TP_OK) {
        set_speed(simd_of(device)->owner, ask->speed);
    }
    return status;
}

static tp_status request_pause(tp_device *device, const tp_world_pause *ask, tp_error *err)
{
    (void)err;
    set_paused(simd_of(device)->owner, ask->paused != 0);
    return TP_OK;
}

static tp_status request_lockstep(tp_device *device, const tp_world_lockstep *ask, tp_error *err)
{
    simd *s = simd_of(device)->owner;
    tp_world_state state;

    (void)err;
    set_lockstep(s, ask->lockstep != 0);
    describe(s, &state);
    for (size_t i = 0; !s->lockstep && i < s->waiter_count; i++) {
        tp_ticket_answer(s->waiters[i].ticket, &state);
    }
    s->waiter_count = s->lockstep ? s->waiter_count : 0;
    return TP_OK;
}

static tp_status read_name(const tp_world_name *ask, char name[SIMD_NAME], tp_error *err)
{
    return simd_copy_text(name, SIMD_NAME, ask->name, ask->name_count) && name[0] != '\0'
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "the name of a state has 1 to %d letters", SIMD_NAME - 1);
}

static tp_status request_save(tp_device *device, const tp_world_name *ask, tp_error *err)
{
    char name[SIMD_NAME];
    tp_status status = read_name(ask, name, err);

    return status == TP_OK ? simd_save(simd_of(device)->owner, name, err) : status;
}

static tp_status request_restore(tp_device *device, const tp_world_name *ask, tp_error *err)
{
    char name[SIMD_NAME];
    tp_status status = read_name(ask, name, err);

    return status == TP_OK ? simd_restore(simd_of(device)->owner, name, err) : status;
}

static const tp_world_ops world_ops = {
    .req_get_state = get_state,
    .req_step = step,
    .req_speed = request_speed,
    .req_pause = request_pause,
    .req_lockstep = request_lockstep,
    .req_save = request_save,
    .req_restore = request_restore,
};

const simd_kind simd_worlds[] = {
    {
        .interface = &tp_interface_simulation,
        .ops = &simulation_ops,
        .state_size = sizeof(struct simulation),
        .begin = simulation_begin,
    },
    {
        .interface = &tp_interface_world,
        .ops = &world_ops,
        .begin = world_begin,
    },
    {0},
};
