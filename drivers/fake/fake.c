/*
 * fake - plays any device, without hardware.
 *
 * Every address in `provides` becomes a device that behaves as its interface says: it sends
 * plausible data, obeys commands and answers requests. See README.md; the parts are introduced in
 * fake.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "troupe/interfaces/player.h"

static const fake_kind *const kinds[] = {
    tpi_fake_vehicles, tpi_fake_flyers,   tpi_fake_mobiles,   tpi_fake_actuators, tpi_fake_arms,
    tpi_fake_limbs,    tpi_fake_rangers,  tpi_fake_scanners,  tpi_fake_pictures,  tpi_fake_finders,
    tpi_fake_places,   tpi_fake_maps,     tpi_fake_inertials, tpi_fake_signals,   tpi_fake_radios,
    tpi_fake_sounds,   tpi_fake_speeches, tpi_fake_boards,    tpi_fake_worlds,
};

static const tp_param fake_params[] = {
    {"rate", "Hz", "10", "how often data is sent, per second"},
    {"seed", "1", "1", "what random numbers begin with; the same seed gives the same data"},
    {"noise", "1", "0.01", "standard deviation of what is measured, in its own unit"},
    {"position", "m", "", "where the devices sit on the robot: x y z"},
    {"orientation", "rad", "", "how they are turned: roll pitch yaw"},
    {"size", "m", "", "how large they are: length width height"},
    {"port", "line", "",
     "a line that commands are written to as texts, for trying out lines and guards"},
    {NULL, NULL, NULL, NULL},
};

/* ---- What the other files use ---------------------------------------------------------------- */

void tpi_fake_seed(fake_device *d)
{
    const tp_devaddr *addr = tp_device_addr(d->device);

    d->random.state = d->owner->seed;
    d->random.state =
        tpi_fake_random_bits(&d->random) ^ ((uint64_t)addr->interf << 16 | addr->index);
    d->origin = d->random.state;
}

void tpi_fake_advance(fake_device *d)
{
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(d->owner->instance));
    const int64_t dt_ns = now_ns - d->time_ns;

    d->time_ns = now_ns;
    if (dt_ns > 0 && d->kind->advance != NULL) {
        d->kind->advance(d, (double)dt_ns / (double)TP_NS_PER_S);
    }
}

void tpi_fake_set_robot(fake_device *d, const tp_pose2d *pose, const tp_pose2d *vel)
{
    fake *f = d->owner;

    if (f->vehicle == NULL) {
        f->vehicle = d;
    }
    if (f->vehicle == d) {
        f->robot = *pose;
        f->robot_vel = *vel;
    }
}

double tpi_fake_time_s(const fake_device *d)
{
    return (double)(d->time_ns - d->owner->start_ns) / (double)TP_NS_PER_S;
}

double tpi_fake_wall_s(const fake_device *d)
{
    return tp_clock_wall_s(tp_instance_clock(d->owner->instance));
}

double tpi_fake_measure(fake_device *d, double value)
{
    return d->owner->noise == 0 ? value
                                : value + d->owner->noise * tpi_fake_random_normal(&d->random);
}

tp_pose3d tpi_fake_pose(const fake_device *d)
{
    return d->owner->pose;
}

tp_bbox3d tpi_fake_size(const fake_device *d)
{
    return d->owner->sized ? d->owner->size : d->kind->size;
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void halt(fake_device *d)
{
    tpi_fake_advance(d);
    if (d->kind->halt != NULL) {
        d->kind->halt(d);
    }
    tpi_fake_line_halt(d);
}

/* A request that switches the whole device on or off: with one number, or without any. */
static bool is_power(const tp_message *what)
{
    return what->kind == TP_KIND_REQUEST && (what->ask == NULL || what->ask->field_count == 1) &&
           (strcmp(what->name, "POWER") == 0 || strcmp(what->name, "MOTOR_POWER") == 0);
}

static bool is_mode(const tp_message *what)
{
    return what->kind == TP_KIND_REQUEST && strstr(what->name, "_MODE") != NULL;
}

/* Whether the first field of a message is 0: the speeds of most commands, the number of a request.
 */
static bool is_zero(const tp_message *what, const void *ask)
{
    return tpi_fake_is_zero(&what->ask->fields[0], ask);
}

/* Whether a request switches the device off. One without a number says nothing, so it toggles. */
static bool switches_off(const fake_device *d, const tp_message *what, const void *ask)
{
    return what->ask == NULL ? !d->off : is_zero(what, ask);
}

static bool is_named(const tp_message *what, const char *name)
{
    return what->kind == TP_KIND_REQUEST && strcmp(what->name, name) == 0;
}

/* At a speed of 0 a vehicle still turns to the heading of VEL_HEAD. */
static tpi_control control_of(const tp_message *what, const void *ask)
{
    if (strstr(what->name, "POS") != NULL) {
        return TPI_CONTROL_POSITION;
    }
    return what->ask != NULL && strcmp(what->name, "VEL_HEAD") != 0 && is_zero(what, ask)
               ? TPI_CONTROL_ANY
               : TPI_CONTROL_SPEED;
}

static tp_status check_control(const fake_device *d, const tp_message *what, const void *ask,
                               tp_error *err)
{
    return what->kind == TP_KIND_COMMAND
               ? tpi_control_check(d->control, control_of(what, ask), "device", err)
               : TP_OK;
}

/* What no row of a table does. A device that changes its mode stands still. */
static tp_status play(fake_device *d, const tp_message *what, const void *ask, void *answer,
                      tp_error *err)
{
    if (is_named(what, "VELOCITY_MODE") && !is_zero(what, ask)) {
        return tp_fail(err, TP_E_RANGE, "the only velocity mode is 0, which is direct control");
    }
    const tp_status status = tpi_fake_play(d, what, ask, answer, err);

    if (status == TP_OK && (is_power(what) || is_mode(what)) && d->kind->halt != NULL) {
        d->kind->halt(d);
    }
    if (status == TP_OK && is_power(what)) {
        d->off = switches_off(d, what, ask);
    }
    if (status == TP_OK && is_named(what, "POSITION_MODE")) {
        d->control = is_zero(what, ask) ? TPI_CONTROL_SPEED : TPI_CONTROL_POSITION;
    }
    return status;
}

static tp_status handle(tp_device *device, const tp_message *what, const void *ask, void *answer,
                        tp_error *err)
{
    fake_device *d = fake_of(device);
    const bool own =
        tp_interface_message(tp_device_interface(device), what->kind, what->code) == what;

    if (!tpi_fake_does(d, what)) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s is not supported", what->name);
    }
    tpi_fake_advance(d);
    if (!own) {
        return tpi_fake_capabilities(device, ask, err);
    }
    tp_status status = what->ask == NULL ? TP_OK : tpi_fake_check_numbers(what->ask, ask, err);
    status = status == TP_OK ? check_control(d, what, ask, err) : status;
    if (status == TP_OK) {
        status = tp_message_handled(what, d->kind->ops)
                     ? what->call(d->kind->ops, device, ask, answer, err)
                     : play(d, what, ask, answer, err);
    }
    return status == TP_OK && what->kind == TP_KIND_COMMAND
               ? tpi_fake_line_command(d, what, ask, err)
               : status;
}

/* ---- Parameters ------------------------------------------------------------------------------ */

/* Three numbers or none. */
static tp_status read_triple(const tp_instance *self, const char *name, double values[3],
                             bool *given, tp_error *err)
{
    const size_t count = tp_param_count(self, name);

    if (count != 0 && count != 3) {
        return tp_fail(err, TP_E_INVALID, "%s has %zu values in place of three", name, count);
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = tp_param_double_at(self, name, i);
    }
    *given = *given || count > 0;
    return hypot(hypot(values[0], values[1]), values[2]) <= FAKE_MOST
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "%s has a value that is not a number up to %g", name,
                         FAKE_MOST);
}

static tp_status read_geometry(fake *f, tp_error *err)
{
    double place[3] = {0};
    double turn[3] = {0};
    double size[3] = {0};
    tp_status status = read_triple(f->instance, "position", place, &f->placed, err);

    status =
        status == TP_OK ? read_triple(f->instance, "orientation", turn, &f->placed, err) : status;
    status = status == TP_OK ? read_triple(f->instance, "size", size, &f->sized, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (size[0] < 0 || size[1] < 0 || size[2] < 0) {
        return tp_fail(err, TP_E_RANGE, "size is below 0");
    }
    f->pose = (tp_pose3d){place[0], place[1], place[2], turn[0], turn[1], turn[2]};
    f->size = (tp_bbox3d){.sl = size[0], .sw = size[1], .sh = size[2]};
    return TP_OK;
}

static tp_status read_params(fake *f, tp_error *err)
{
    f->rate_hz = tp_param_double(f->instance, "rate");
    f->noise = tp_param_double(f->instance, "noise");
    f->seed = (uint64_t)tp_param_int(f->instance, "seed");
    if (!(f->rate_hz > 0 && f->rate_hz <= FAKE_MOST_HZ)) {
        return tp_fail(err, TP_E_RANGE, "rate \"%s\" is not above 0 and up to %d",
                       tp_param_string(f->instance, "rate"), FAKE_MOST_HZ);
    }
    if (!(f->noise >= 0 && f->noise < 1e9)) {
        return tp_fail(err, TP_E_RANGE, "noise \"%s\" is not from 0 to 1e9",
                       tp_param_string(f->instance, "noise"));
    }
    return read_geometry(f, err);
}

/* ---- Devices --------------------------------------------------------------------------------- */

static const fake_kind *find_kind(const tp_interface *interface)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (const fake_kind *kind = kinds[i]; kind->interface != NULL; kind++) {
            if (kind->interface == interface) {
                return kind;
            }
        }
    }
    return &tpi_fake_generic;
}

static tp_status begin_device(fake_device *d, tp_error *err)
{
    d->kind = find_kind(tp_device_interface(d->device));
    tpi_fake_seed(d);
    d->state = calloc(1, d->kind->state_size + 1);
    if (d->state == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (d->kind->first != NULL) {
        memcpy(d->state, d->kind->first, d->kind->state_size);
    }
    tp_device_set_context(d->device, d);
    tp_status status = tpi_fake_player_create(d, err);
    status = status == TP_OK ? tpi_fake_add_properties(d, err) : status;
    if (status != TP_OK) {
        return status;
    }
    tpi_fake_set_geometry(d);
    d->begun = true;
    return d->kind->begin == NULL ? TP_OK : d->kind->begin(d, err);
}

static tp_status offer(fake *f, size_t i, tp_error *err)
{
    fake_device *d = &f->devices[i];
    const tp_interface *interface = tp_provides_interface(f->instance, i);

    if (interface->code <= TP_PLAYER_CODE) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s is the server's own", interface->name);
    }
    d->owner = f;
    tp_status status = tp_offer(f->instance, interface, tp_provides_key(f->instance, i), NULL,
                                handle, &d->device, err);
    if (status != TP_OK) {
        return status;
    }
    f->device_count++;
    return begin_device(d, err);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status fake_init(tp_instance *self, tp_error *err)
{
    fake *f = tp_instance_state(self);
    const size_t count = tp_provides_count(self);

    f->instance = self;
    tp_status status = read_params(f, err);
    if (status != TP_OK) {
        return status;
    }
    tpi_fake_room_init(&f->room, &(fake_random){f->seed});
    f->devices = calloc(count + 1, sizeof *f->devices);
    if (f->devices == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < count && status == TP_OK; i++) {
        status = offer(f, i, err);
    }
    tp_instance_set_period(self, (int64_t)((double)TP_NS_PER_S / f->rate_hz));
    return status;
}

static tp_status fake_start(tp_instance *self, tp_error *err)
{
    fake *f = tp_instance_state(self);

    f->start_ns = tp_clock_now_ns(tp_instance_clock(self));
    for (size_t i = 0; i < f->device_count; i++) {
        f->devices[i].time_ns = f->start_ns;
    }
    return tpi_fake_line_open(f, err);
}

/* Sensors that are off send nothing; what moves something still sends where it is. */
static bool is_sending(const fake_device *d)
{
    return d->kind->publish != NULL && (!d->off || d->kind->halt != NULL) &&
           tp_device_property_number(d->device, "active") != 0;
}

/* All move before any tells, so that sensors see the robot where it is now. */
static tp_status fake_poll(tp_instance *self, tp_error *err)
{
    fake *f = tp_instance_state(self);

    (void)err;
    for (size_t i = 0; i < f->device_count; i++) {
        tpi_fake_advance(&f->devices[i]);
    }
    for (size_t i = 0; i < f->device_count; i++) {
        fake_device *d = &f->devices[i];
        if (is_sending(d)) {
            d->kind->publish(d);
        }
    }
    return TP_OK;
}

static void fake_halt(tp_device *device, tp_halt how)
{
    (void)how; /* it has no weight: braking is standing still */
    halt(fake_of(device));
}

static void fake_stop(tp_instance *self)
{
    fake *f = tp_instance_state(self);

    for (size_t i = 0; i < f->device_count; i++) {
        if (!f->devices[i].halted) { /* its client was closed before, and it has stopped for that */
            halt(&f->devices[i]);
        }
        f->devices[i].halted = false;
    }
    tpi_fake_line_close(f);
}

static void fake_fini(tp_instance *self)
{
    fake *f = tp_instance_state(self);

    for (size_t i = 0; i < f->device_count; i++) {
        fake_device *d = &f->devices[i];
        if (d->begun && d->kind->end != NULL) {
            d->kind->end(d);
        }
        tpi_fake_player_destroy(d);
        free(d->state);
    }
    free(f->devices);
}

static const tp_driver_ops fake_ops = {
    .init = fake_init,
    .start = fake_start,
    .poll = fake_poll,
    .halt = fake_halt,
    .stop = fake_stop,
    .fini = fake_fini,
};

TP_API const tp_driver tp_driver_fake = {
    .abi = TP_DRIVER_ABI,
    .name = "fake",
    .summary = "plays any device, without hardware",
    .state_size = sizeof(fake),
    .params = fake_params,
    .ops = &fake_ops,
};
