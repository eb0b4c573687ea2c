/*
 * motion.c - timed motion: a robot of several devices that plays frames of commands.
 *
 * The engine (src/motion) plans on the thread of this instance. It is advanced when a package comes
 * and when its next instant is near.
 */
#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_WAIT_US = 200 };
static const int64_t LONGEST_WAIT_NS = 100 * TP_NS_PER_MS;
static const int64_t PUBLISH_NS = 100 * TP_NS_PER_MS;

/* ---- Turns ----------------------------------------------------------------------------------- */

static void publish(struct motion *m, int64_t now_ns)
{
    double dofs[TPI_MOTION_DOFS];
    tpi_motion_look look;

    if (now_ns - m->published_ns < PUBLISH_NS || tp_device_readers(m->device) == 0) {
        return;
    }
    m->published_ns = now_ns;
    tpi_motion_engine_look(m->engine, &look, dofs);
    const tp_mechanism_state state = {
        .dofs_count = look.dofs,
        .dofs = dofs,
        .clients = look.clients,
        .frames = look.frames,
        .rate = look.rate,
        .panicked = look.panicked,
        .writes = (int64_t)m->writes,
        .excesses = (int64_t)tpi_motion_engine_excesses(m->engine),
    };
    (void)tp_publish(m->device, TP_MECHANISM_DATA_STATE, &state, 0);
}

/* When to look whether devices have carried out what answers wait for: with what is planned then,
 * if something is. */
static int64_t confirm_at(const struct motion *m, int64_t now_ns)
{
    const int64_t due_ns = tpi_motion_engine_unconfirmed(m->engine);
    const int64_t late_ns = m->ahead_ns / 2 > TP_NS_PER_MS ? m->ahead_ns / 2 : TP_NS_PER_MS;

    return due_ns == INT64_MAX ? due_ns : (due_ns > now_ns ? due_ns : now_ns) + late_ns;
}

/* Frames that are near are planned half of `ahead` before they have to be, all together; and not at
 * the instants of others, at which the threads of the devices are busy. */
static void choose_wait(const struct motion *m, int64_t now_ns)
{
    const int64_t planned = tpi_motion_engine_next(m->engine);
    const int64_t other = tpi_motiond_device_next(m);
    int64_t next = planned;

    if (planned != INT64_MAX && planned - now_ns > m->ahead_ns) {
        next = planned - m->ahead_ns / 2 - (m->period_ns < m->ahead_ns ? m->period_ns / 4 : 0);
    }
    next = other < next ? other : next;
    const int64_t confirmed = confirm_at(m, now_ns);
    next = confirmed < next ? confirmed : next;
    const int64_t wait = next > now_ns + LONGEST_WAIT_NS ? LONGEST_WAIT_NS : next - now_ns;
    tp_instance_set_period(
        m->instance, wait > LEAST_WAIT_US * TP_NS_PER_US ? wait : LEAST_WAIT_US * TP_NS_PER_US);
}

void tpi_motiond_turn(struct motion *m)
{
    const int64_t now_ns = motion_now(m);

    if (m->engine == NULL) {
        return;
    }
    if (m->ready) {
        if (tpi_motiond_device_time(m) >= now_ns) {
            const bool soon = tpi_motion_engine_next(m->engine) <= now_ns + m->ahead_ns;

            tpi_motion_engine_advance(m->engine, now_ns, now_ns + (soon ? m->ahead_ns : 0));
        }
        tpi_motiond_device_turn(m, now_ns);
        tpi_motiond_members_deliver(m);
        publish(m, now_ns);
    }
    choose_wait(m, now_ns);
}

static tp_status motion_poll(tp_instance *self, tp_error *err)
{
    struct motion *m = tp_instance_state(self);

    (void)err;
    tpi_motiond_members_turn(m, motion_now(m));
    tpi_motiond_turn(m);
    return TP_OK;
}

/* ---- Panic ----------------------------------------------------------------------------------- */

/* The devices stop as their sections say. Whatever was planned is dropped with their grants. */
static void motion_panic(tp_instance *self)
{
    struct motion *m = tp_instance_state(self);
    const unsigned number = tp_instance_panic_number(self);

    if (m->engine == NULL || number == m->panic_number) {
        return;
    }
    tpi_motion_engine_panic(m->engine, number | 1,
                            m->time_ns); /* what is due since is not played */
    for (unsigned i = 0; i < m->output_count; i++) {
        struct device *d = output_device(m->outputs[i]);

        d->parked_count = 0;
        d->stepping = m->outputs[i]->way.on = false;
        m->outputs[i]->fault[0] = '\0';
    }
    if ((number & 1) == 0) {
        tpi_motion_engine_reset(m->engine, motion_now(m));
    }
    m->panic_number = number;
    tpi_motiond_turn(m);
}

/* ---- Data ------------------------------------------------------------------------------------ */

static struct device *device_behind(const struct motion *m, const tp_link *link)
{
    for (unsigned i = 0; i < m->output_count; i++) {
        for (unsigned k = 0; k < m->outputs[i]->device_count; k++) {
            if (m->outputs[i]->devices[k]->link == link) {
                return m->outputs[i]->devices[k];
            }
        }
    }
    return NULL;
}

static bool is_known(const struct motion *m)
{
    for (unsigned i = 0; i < m->output_count; i++) {
        if (!output_device(m->outputs[i])->known) {
            return false;
        }
    }
    return true;
}

/* What is measured first is where every motion starts. */
static void get_ready(struct motion *m)
{
    m->ready = true;
    tpi_motion_engine_reset(m->engine, motion_now(m));
    if (tp_instance_in_panic(m->instance)) {
        m->panic_number = tp_instance_panic_number(m->instance);
        tpi_motion_engine_panic(m->engine, m->panic_number, motion_now(m));
    }
    tpi_motiond_members_ready(m);
    tpi_motiond_turn(m);
}

static void motion_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct motion *m = tp_instance_state(self);
    struct device *d = device_behind(m, from);

    if (m->engine == NULL || tpi_motiond_map_read(m, from, msg) || d == NULL) {
        return;
    }
    tpi_motiond_device_read(m, d, msg);
    if (!m->ready && is_known(m)) {
        get_ready(m);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status motion_init(tp_instance *self, tp_error *err)
{
    struct motion *m = tp_instance_state(self);

    m->instance = self;
    tp_status status =
        tp_offer(self, &tp_interface_mechanism, NULL, &tpi_motiond_ops, NULL, &m->device, err);
    status = status == TP_OK ? tpi_motiond_configure(m, err) : status;
    if (status != TP_OK) {
        return status;
    }
    m->members = calloc(m->settings.clients, sizeof *m->members);
    m->keys = calloc(m->settings.clients, sizeof *m->keys);
    m->by_number = calloc(m->settings.clients, sizeof *m->by_number);
    m->records = malloc(MOST_RECORDS);
    if (m->members == NULL || m->keys == NULL || m->by_number == NULL || m->records == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    m->robot.clock = (uint64_t)(tp_clock_wall_s(tp_instance_clock(self)) * 1e6);
    tp_instance_on_panic(self, motion_panic);
    if (m->finishes) { /* what a client had queued is played without it */
        tp_instance_stay_on(self);
    }
    /* The same as start does: a robot that cannot be played is a mistake in the file. */
    status = tpi_motion_engine_create(&m->engine, &m->robot, &m->settings, tpi_motiond_device_emit,
                                      m, err);
    tpi_motion_engine_destroy(m->engine);
    m->engine = NULL;
    return status;
}

static tp_status motion_start(tp_instance *self, tp_error *err)
{
    struct motion *m = tp_instance_state(self);
    const tp_status status = tpi_motion_engine_create(&m->engine, &m->robot, &m->settings,
                                                      tpi_motiond_device_emit, m, err);

    if (status != TP_OK) {
        return status;
    }
    m->panic_number = tp_instance_panic_number(self) & ~1u;
    m->ready = false;
    if (m->output_count == 0) {
        get_ready(m);
    }
    tp_instance_set_period(self, LONGEST_WAIT_NS);
    return TP_OK;
}

static void motion_halt(tp_device *device, tp_halt how)
{
    struct motion *m = tp_instance_state(tp_device_instance(device));

    (void)how;
    if (m->engine == NULL || tp_instance_in_panic(m->instance)) {
        return; /* in a panic each device stops as its section says */
    }
    for (unsigned i = 0; i < m->output_count; i++) {
        tpi_motiond_device_fail(m->outputs[i], "HALT was asked for");
    }
    tpi_motiond_turn(m);
}

/* Grants end with the instance. */
static void motion_stop(tp_instance *self)
{
    struct motion *m = tp_instance_state(self);

    tpi_motiond_members_end(m);
    tpi_motion_engine_destroy(m->engine);
    m->engine = NULL;
    m->ready = m->map.known = false;
    for (unsigned i = 0; i < m->output_count; i++) {
        struct output *output = m->outputs[i];

        output->way.on = false;
        output->bound = 0;
        output->fault[0] = '\0';
        output->change.ticket = NULL; /* the framework answers it */
        output->change.to = output->change.from = NULL;
        for (unsigned k = 0; k < output->device_count; k++) {
            struct device *d = output->devices[k];

            d->grant = NULL;
            d->asked = d->known = d->stepping = false;
            d->parked_count = 0;
        }
    }
}

static void motion_fini(tp_instance *self)
{
    struct motion *m = tp_instance_state(self);

    tpi_motion_engine_destroy(m->engine);
    tpi_motiond_forget_outputs(m);
    tpi_motion_model_destroy(m->model);
    free(m->places);
    free(m->members);
    free(m->keys);
    free(m->by_number);
    free(m->records);
}

static const tp_param params[] = {
    {"urdf", NULL, NULL, "the description of the robot, a URDF file"},
    {"joints", NULL, "", "for each device: its key and the joints that it moves, as one text"},
    {"control", NULL, "", "for each device: its key and position, speed or force, as one text"},
    {"acceleration", NULL, "", "for each joint: its name and its acceleration, as one text"},
    {"base_velocity", "m/s m/s rad/s", "0.5 0 1", "limits of the base: x, y and turning"},
    {"base_acceleration", "m/s^2 m/s^2 rad/s^2", "0.5 0.5 2", "the same for its accelerations"},
    {"goto", "bool", "yes", "whether the device of the base drives to poses"},
    {"period", "s", "0.02", "time between set-points"},
    {"ahead", "s", "0.01", "how long before its time a frame is given to the devices"},
    {"realtime", "1", "0", "real-time priority of the threads that write; 0 for none, to 99"},
    {"lease", "s", "5", "a client that is silent for so long is stopped"},
    {"max_lease", "s", "30", "the longest lease that a client gets"},
    {"device_lease", "s", "0.5", "devices are stopped if the driver is held up for so long"},
    {"on_lost", NULL, "stop", "what a client had queued when its connection is cut: stop, finish"},
    {"clients", "1", "128", "so many clients may join"},
    {"frames", "1", "4096", "so many frames of a client may wait"},
    {"gain", "1/s", "4", "of the control where a device takes only speeds"},
    {"tolerance", "m rad", "0.05 0.05", "how near is there, and agrees when devices change"},
    {"update", NULL, "", "fields that clients may set, such as \"mass\" or \"velocity\""},
    {NULL, NULL, NULL, NULL},
};

static const tp_driver_ops ops = {
    .init = motion_init,
    .start = motion_start,
    .poll = motion_poll,
    .data = motion_data,
    .halt = motion_halt,
    .stop = motion_stop,
    .fini = motion_fini,
};

extern const tp_driver tp_driver_motion;
const tp_driver tp_driver_motion = {
    .abi = TP_DRIVER_ABI,
    .name = "motion",
    .summary = "timed motion of a robot of several devices",
    .state_size = sizeof(struct motion),
    .params = params,
    .ops = &ops,
};
