/* worlds.c - world: the time of a world, and the clients that keep in step. */
#include <stdlib.h>
#include <string.h>

#include "simulator.h"
#include "troupe/interfaces/world.h"

/* ---- Time ------------------------------------------------------------------------------------ */

static tp_status check_speed(double speed, tp_error *err)
{
    return speed >= 0 && speed <= TPI_SIM_FASTEST
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "speed %g is not from 0 to %.0f", speed, TPI_SIM_FASTEST);
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
    tpi_simd_set_period(s);
    tpi_simd_scene_changed(s);
}

static void set_speed(simd *s, double speed)
{
    tpi_simd_pace_set_speed(&s->pace, speed, tpi_simd_now_ns(s));
    tell(s);
}

void tpi_simd_set_paused(simd *s, bool paused)
{
    tpi_simd_pace_set_paused(&s->pace, paused, tpi_simd_now_ns(s));
    tpi_simd_brakes_time_changed(s);
    tell(s);
}

static void set_lockstep(simd *s, bool lockstep)
{
    s->lockstep = lockstep;
    s->expected = 0; /* the client that begins or ends it knows the others */
    tpi_simd_pace_begin(&s->pace, tpi_simd_now_ns(s));
    tpi_simd_brakes_time_changed(s);
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
    tpi_simd_set_paused(simd_of(device)->owner, paused != 0);
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
     .doc = "Whether time moves only when all participants have asked for it.",
     .value = "0",
     .set = lockstep_property},
};

tp_status tpi_simd_add_time(simd_device *d, tp_error *err)
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

/* ---- world ----------------------------------------------------------------------------------- */

static tp_status world_begin(simd_device *d, tp_error *err)
{
    (void)err;
    d->owner->keeper = d;
    tp_device_keeps(d->device);
    return TP_OK;
}

static void describe(const simd *s, tp_world_state *state)
{
    *state = (tp_world_state){
        .time = tpi_simd_time_s(s),
        .interval = (double)s->pace.interval_ns / (double)TP_NS_PER_S,
        .speed = s->pace.speed,
        .steps = (int64_t)s->step_count,
        .paused = s->pace.paused,
        .lockstep = s->lockstep,
        .late = s->pace.late,
        .participants = tp_device_participants(s->keeper->device),
        .waiting = (uint32_t)s->waits.count,
    };
}

static tp_status get_state(tp_device *device, tp_world_state *answer, tp_error *err)
{
    (void)err;
    describe(simd_of(device)->owner, answer);
    return TP_OK;
}

void tpi_simd_remove_gone(simd *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->waits.count; i++) {
        if (tp_ticket_is_wanted(s->waits.items[i].ticket)) {
            s->waits.items[kept++] = s->waits.items[i];
        } else {
            tp_ticket_fail(s->waits.items[i].ticket, TP_E_CLOSED, "no client waits for it");
        }
    }
    s->waits.count = kept;
}

static const char ended_text[] = "the world has ended";

void tpi_simd_end_waits(simd *s)
{
    for (size_t i = 0; i < s->waits.count; i++) {
        tp_ticket_fail(s->waits.items[i].ticket, TP_E_CLOSED, ended_text);
    }
    s->waits.count = 0;
}

/* One step has been made: for all in lockstep, otherwise for the client that has waited longest. */
static void count_down(simd *s)
{
    const size_t served = s->lockstep ? s->waits.count : 1;
    tp_world_state state;
    size_t kept = 0;

    describe(s, &state);
    state.waiting = 0;
    for (size_t i = 0; i < s->waits.count; i++) {
        s->waits.items[i].count -= i < served;
        if (s->waits.items[i].count == 0) {
            tp_ticket_answer(s->waits.items[i].ticket, &state);
        } else {
            s->waits.items[kept++] = s->waits.items[i];
        }
    }
    s->waits.count = kept;
}

bool tpi_simd_is_awaited(const simd *s)
{
    if (s->waits.count == 0 || !s->lockstep) {
        return s->waits.count > 0;
    }
    const uint32_t present = tp_device_participants(s->keeper->device);
    return present >= s->expected && s->waits.count >= present;
}

/* Out of lockstep these are beside those that are due. */
static tp_status step(tp_device *device, const tp_world_step *ask, tp_world_state *answer,
                      tp_error *err)
{
    enum { MOST_STEPS = 100000 };
    simd *s = simd_of(device)->owner;

    (void)answer;
    if (s->over) {
        return tp_fail(err, TP_E_CLOSED, "%s", ended_text);
    }
    if (ask->count > MOST_STEPS) {
        return tp_fail(err, TP_E_RANGE, "%u steps at once are more than %d", ask->count,
                       MOST_STEPS);
    }
    if (s->waits.count == SIMD_MOST_WAITING) {
        return tp_fail(err, TP_E_LIMIT, "%d wait for a step already", SIMD_MOST_WAITING);
    }
    if (s->waits.count == s->waits.capacity) {
        const size_t capacity = s->waits.capacity * 2 + 16;
        simd_waiter *waiters = realloc(s->waits.items, capacity * sizeof *waiters);
        if (waiters == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        s->waits.items = waiters;
        s->waits.capacity = capacity;
    }
    s->waits.items[s->waits.count++] =
        (simd_waiter){.ticket = tp_device_defer(device), .count = ask->count > 0 ? ask->count : 1};
    tpi_simd_step_for_waiters(s);
    return TP_PENDING;
}

void tpi_simd_serve_waiter(simd *s)
{
    s->expected = 0; /* all have come; a client that leaves from now on is not waited for */
    tpi_simd_step(s);
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
    tpi_simd_set_paused(simd_of(device)->owner, ask->paused != 0);
    return TP_OK;
}

static tp_status request_lockstep(tp_device *device, const tp_world_lockstep *ask, tp_error *err)
{
    simd *s = simd_of(device)->owner;
    tp_world_state state;

    (void)err;
    set_lockstep(s, ask->lockstep != 0);
    describe(s, &state);
    for (size_t i = 0; !s->lockstep && i < s->waits.count; i++) {
        tp_ticket_answer(s->waits.items[i].ticket, &state);
    }
    s->waits.count = s->lockstep ? s->waits.count : 0;
    return TP_OK;
}

static tp_status read_name(const tp_world_name *ask, char name[SIMD_NAME], tp_error *err)
{
    return tpi_counted_copy(name, SIMD_NAME, ask->name, ask->name_count) && name[0] != '\0'
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "the name of a state has 1 to %d letters", SIMD_NAME - 1);
}

static tp_status request_save(tp_device *device, const tp_world_name *ask, tp_error *err)
{
    char name[SIMD_NAME];
    tp_status status = read_name(ask, name, err);

    return status == TP_OK ? tpi_simd_save(simd_of(device)->owner, name, err) : status;
}

static tp_status request_restore(tp_device *device, const tp_world_name *ask, tp_error *err)
{
    char name[SIMD_NAME];
    tp_status status = read_name(ask, name, err);

    return status == TP_OK ? tpi_simd_restore(simd_of(device)->owner, name, err) : status;
}

static tp_status request_forget(tp_device *device, const tp_world_name *ask, tp_error *err)
{
    char name[SIMD_NAME];
    tp_status status = read_name(ask, name, err);

    return status == TP_OK ? tpi_simd_forget(simd_of(device)->owner, name, err) : status;
}

/* The list is made in the state of the device: what an answer points to has to stay. */
static tp_status request_states(tp_device *device, tp_world_saved_list *answer, tp_error *err)
{
    simd *s = simd_of(device)->owner;
    tp_world_saved *list = simd_state(device);

    (void)err;
    answer->states = list;
    for (size_t i = 0; i < SIMD_MOST_STATES && s->saved[i].name[0] != '\0'; i++) {
        simd_saved *saved = &s->saved[i];
        list[answer->states_count++] =
            (tp_world_saved){.name_count = (uint32_t)strlen(saved->name) + 1,
                             .name = saved->name,
                             .time = saved->time_s,
                             .steps = (int64_t)saved->step_count};
    }
    return TP_OK;
}

static const tp_world_ops world_ops = {
    .req_get_state = get_state,
    .req_step = step,
    .req_speed = request_speed,
    .req_pause = request_pause,
    .req_lockstep = request_lockstep,
    .req_save = request_save,
    .req_restore = request_restore,
    .req_states = request_states,
    .req_forget = request_forget,
};

const simd_kind tpi_simd_worlds[] = {
    {
        .interface = &tp_interface_world,
        .ops = &world_ops,
        .state_size = SIMD_MOST_STATES * sizeof(tp_world_saved),
        .begin = world_begin,
    },
    {0},
};
