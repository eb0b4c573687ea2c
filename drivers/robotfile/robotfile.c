/*
 * robotfile - a robot that is described by a file, as ordinary devices.
 *
 * Universal commands of the engine (src/universal) do the work: position2d drives the two wheels,
 * aio and dio read the analog and digital inputs, power reads the battery, universal takes all
 * commands (universal.h). The line belongs to one
 * dialog, in which one command runs at a time; a motion goes before the next reading.
 *
 * Not supported: odometry (the pose is reckoned from the commanded velocity), outputs but the
 * wheels.
 */
#include "robotfile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const tp_param robotfile_params[] = {
    {"robot", NULL, NULL, "name or path of a robot file, for instance nxt"},
    {"wiring", NULL, "", "path of a wiring file: what is plugged in where"},
    {"port", "line", NULL, "the line, for instance serial:/dev/rfcomm0 or tcp:HOST:PORT"},
    {"map", NULL, "", "what classes of programs mean: \"Light Sensor=port 2\""},
    {"rate", "Hz", "10", "readings of each sensor per second, as far as the robot answers"},
    {"max_speed", "m/s", "0.3", "the speed of a wheel at full power"},
    {"width", "m", "0.12", "the distance between the wheels"},
    {NULL, NULL, NULL, NULL},
};

static struct robotfile *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

/* ---- The dialog ------------------------------------------------------------------------------ */

static void on_write(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                     size_t body_length)
{
    struct robotfile *r = context;

    (void)body;
    (void)body_length;
    tpi_robotfile_universal_trace(r, '>', frame, length);
    if (r->port != NULL) {
        const tp_status status = tp_port_write(r->port, frame, length, &r->err);
        /* What a panic refuses is not lost with the line. */
        r->has_failed = r->has_failed || (status != TP_OK && status != TP_E_DENIED);
    }
}

static void on_note(void *context, const char *text)
{
    tp_instance_note(((struct robotfile *)context)->self, text);
}

/* ---- Readings -------------------------------------------------------------------------------- */

/* Reckon where the commanded velocity has brought the robot. */
static void reckon(struct robotfile *r)
{
    const int64_t now = now_ns(r->self);
    const double seconds = (double)(now - r->reckoned_ns) / (double)TP_NS_PER_S;
    tp_position2d_data *state = &r->data.position;

    r->reckoned_ns = now;
    state->pos.px += state->vel.px * cos(state->pos.pa) * seconds;
    state->pos.py += state->vel.px * sin(state->pos.pa) * seconds;
    state->pos.pa = remainder(state->pos.pa + state->vel.pa * seconds, 2 * 3.14159265358979323846);
}

/* A whole round of readings is done. */
static void publish(struct robotfile *r)
{
    const tp_aio_data analog = {.voltages_count = r->analog_count, .voltages = r->data.levels};
    const tp_dio_data digital = {.count = r->digital_count, .bits = r->data.bits};
    const tp_power_data power = {.valid = TP_POWER_MASK_VOLTS | TP_POWER_MASK_PERCENT,
                                 .volts = r->data.volts,
                                 .percent = r->data.percent};

    if (r->wheels != NULL) {
        reckon(r);
        tp_position2d_publish_state(r->wheels, &r->data.position, 0);
    }
    if (r->aio != NULL) {
        tp_aio_publish_state(r->aio, &analog, 0);
    }
    if (r->dio != NULL) {
        tp_dio_publish_values(r->dio, &digital, 0);
    }
    if (r->power != NULL) {
        tp_power_publish_state(r->power, &power, 0);
    }
}

/* Keep what the reading with this number in the round gave. */
static void keep(struct robotfile *r, unsigned reading, double value)
{
    if (reading < r->analog_count) {
        r->data.levels[reading] = (float)value;
    } else if (reading < r->analog_count + r->digital_count) {
        const uint32_t bit = (uint32_t)1 << (reading - r->analog_count);
        r->data.bits = value != 0 ? r->data.bits | bit : r->data.bits & ~bit;
    } else if (reading == r->analog_count + r->digital_count) {
        r->data.volts = (float)(value / 1000);
    } else {
        r->data.percent = (float)value;
    }
}

/* The command and part of a reading of the round; false behind the last one. */
static bool reading_of(const struct robotfile *r, unsigned reading, tpi_dialog_order *out)
{
    const unsigned power = r->analog_count + r->digital_count;

    if (reading < r->analog_count) {
        *out = (tpi_dialog_order){.command = TPI_READ_ANALOG, .part = r->analog[reading]};
    } else if (reading < power) {
        *out = (tpi_dialog_order){.command = TPI_READ_DIGITAL,
                                  .part = r->digital[reading - r->analog_count]};
    } else if (r->power != NULL && reading < power + 2) {
        *out = (tpi_dialog_order){.command = reading == power ? TPI_READ_COUNT : TPI_READ_ANALOG,
                                  .part = r->battery};
    } else {
        return false;
    }
    return true;
}

/* ---- Work ------------------------------------------------------------------------------------ */

/* The bytes that a guard writes when the server dies. */
static tp_status guard(struct robotfile *r, tp_error *err)
{
    uint8_t data[1024];
    tpi_bytes bytes = {.data = data, .capacity = sizeof data};

    if (!r->loaded->robot->has_stop || !tpi_dialog_stop_bytes(r->dialog, &bytes)) {
        return TP_OK;
    }
    return tp_port_guard(r->port, data, bytes.length, err);
}

/* The set-up runs before the first command, and the stop bytes can depend on what it found. */
static void guard_anew(struct robotfile *r)
{
    if (!r->is_guarded) {
        r->is_guarded = true;
        r->has_failed = guard(r, &r->err) != TP_OK;
    }
}

/* A command has ended: keep its result. Each fault of a reading is reported once. */
static void settle(struct robotfile *r)
{
    const tpi_outcome *outcome = tpi_dialog_outcome(r->dialog);
    const bool is_job = r->universal != NULL && r->universal->running != NULL;

    if (outcome->fault == TPI_FAULT_NONE) {
        if (r->round.is_reading) {
            keep(r, r->round.reading, outcome->results[0].number);
        }
        r->silent = 0;
        guard_anew(r);
    } else if (!is_job && strcmp(outcome->text, r->told) != 0) {
        memcpy(r->told, outcome->text, sizeof r->told);
        tp_instance_note(r->self, outcome->text);
    }
    r->silent += outcome->fault == TPI_FAULT_SILENT;
    r->round.reading += r->round.is_reading;
    r->round.is_busy = r->round.is_reading = false;
    if (is_job) {
        tpi_robotfile_universal_settle(r);
    }
}

/* Begin the next command: a motion, else an order of the device `universal` and the next reading of
 * a round in turns. False if there is none. */
static bool begin(struct robotfile *r, int64_t now)
{
    tpi_dialog_order order = {.command = TPI_MOVE_MOTORS, .part = r->axis, .count = 2};

    if (now < r->ready_ns) {
        return false;
    }
    r->round.is_mine = !r->round.is_mine;
    if (!r->wants_motion && (r->round.is_mine || tpi_robotfile_job_moves(r)) &&
        tpi_robotfile_job_begin(r, now)) {
        return true;
    }
    if (tp_instance_in_panic(r->self)) { /* nothing is written */
        r->wants_motion = r->round.is_open = false;
        r->round.next_ns = now + r->period_ns;
        return tpi_robotfile_job_begin(r, now);
    }
    if (r->wants_motion) {
        r->wants_motion = false;
        order.values[0].number = r->left;
        order.values[1].number = r->right;
    } else if (r->round.is_open && reading_of(r, r->round.reading, &order)) {
        r->round.is_reading = true;
    } else if (r->round.is_open) {
        r->round.is_open = false;
        publish(r);
        return tpi_robotfile_job_begin(r, now);
    } else if (now >= r->round.next_ns) {
        r->round.next_ns = now + r->period_ns;
        r->round.is_open = true;
        r->round.reading = 0;
        return true;
    } else {
        return tpi_robotfile_job_begin(r, now);
    }
    r->round.is_busy = true;
    tpi_dialog_begin(r->dialog, &order, now);
    return true;
}

static void work(struct robotfile *r)
{
    const int64_t now = now_ns(r->self);

    do {
        if (r->round.is_busy && !tpi_dialog_is_busy(r->dialog)) {
            settle(r);
        }
    } while (!r->has_failed && !r->round.is_busy && begin(r, now));
    /* A command can end at once. */
    if (r->round.is_busy && !tpi_dialog_is_busy(r->dialog)) {
        settle(r);
    }
}

static tp_status verdict(const struct robotfile *r, tp_error *err)
{
    enum { MOST_SILENT = 5 };

    if (r->has_failed) {
        return tp_fail(err, r->err.code, "%s", r->err.text);
    }
    return r->silent >= MOST_SILENT
               ? tp_fail(err, TP_E_TIMEOUT, "%s", tpi_dialog_outcome(r->dialog)->text)
               : TP_OK;
}

tp_status tpi_robotfile_work(struct robotfile *r, tp_error *err)
{
    work(r);
    return verdict(r, err);
}

static tp_status robotfile_poll(tp_instance *self, tp_error *err)
{
    struct robotfile *r = tp_instance_state(self);

    tpi_dialog_tick(r->dialog, now_ns(self));
    work(r);
    return verdict(r, err);
}

static tp_status robotfile_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct robotfile *r = tp_instance_state(self);
    uint8_t bytes[512];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        tpi_robotfile_universal_trace(r, '<', bytes, length);
        tpi_dialog_receive(r->dialog, bytes, length, now_ns(self));
        work(r);
    }
    return status == TP_E_TIMEOUT ? verdict(r, err) : status;
}

/* ---- Wheels ---------------------------------------------------------------------------------- */

void tpi_robotfile_reckon(struct robotfile *r, double left, double right)
{
    reckon(r);
    r->data.position.vel.px = (left + right) / 200 * r->max_speed;
    r->data.position.vel.pa = (right - left) / 100 * r->max_speed / r->width;
}

static tp_status robotfile_cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask,
                                   tp_error *err)
{
    struct robotfile *r = state_of(device);
    const double turn = ask->vel.pa * r->width / 2;
    const double left = ask->vel.px - turn, right = ask->vel.px + turn;

    if (!isfinite(left) || !isfinite(right)) {
        return tp_fail(err, TP_E_RANGE, "the velocity is no number");
    }
    const double most = fmax(fmax(fabs(left), fabs(right)), r->max_speed);
    r->left = left / most * 100;
    r->right = right / most * 100;
    tpi_robotfile_reckon(r, r->left, r->right);
    r->wants_motion = true;
    work(r);
    return verdict(r, err);
}

static tp_status robotfile_get_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    const struct robotfile *r = state_of(device);

    (void)err;
    answer->size = (tp_bbox3d){r->width, r->width, 0};
    return TP_OK;
}

static const tp_position2d_ops wheels_ops = {.req_get_geom = robotfile_get_geom,
                                             .cmd_vel = robotfile_cmd_vel};

/* Write the stop bytes at once, whatever the dialog waits for. */
static void halt(struct robotfile *r)
{
    reckon(r);
    r->data.position.vel = (tp_pose2d){0, 0, 0};
    r->wants_motion = r->round.is_busy = r->round.is_reading = false;
    tpi_dialog_stop(r->dialog, now_ns(r->self));
    tpi_robotfile_universal_halt(r);
}

static void robotfile_halt(tp_device *device, tp_halt how)
{
    (void)how;
    halt(state_of(device));
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status offer(tp_instance *self, tp_error *err)
{
    static const tp_aio_ops aio_ops = {0};
    static const tp_dio_ops dio_ops = {0};
    static const tp_power_ops power_ops = {0};
    struct robotfile *r = tp_instance_state(self);
    tp_status status = TP_OK;

    tpi_robotfile_sort_parts(r);
    if (r->axis >= 0 && tp_provides(self, &tp_interface_position2d, NULL)) {
        const tp_geometry geometry = {.known = TP_GEOMETRY_CONFIGURED,
                                      .size = {r->width, r->width, 0}};
        status = tp_offer_position2d(self, NULL, &wheels_ops, &r->wheels, err);
        if (status == TP_OK && tp_device_set_geometry(r->wheels, &geometry) != TP_OK) {
            status = tp_fail(err, TP_E_NOMEM, "out of memory");
        }
    }
    if (status == TP_OK && r->analog_count > 0 && tp_provides(self, &tp_interface_aio, NULL)) {
        status = tp_offer_aio(self, NULL, &aio_ops, &r->aio, err);
    }
    if (status == TP_OK && r->digital_count > 0 && tp_provides(self, &tp_interface_dio, NULL)) {
        status = tp_offer_dio(self, NULL, &dio_ops, &r->dio, err);
    }
    if (status == TP_OK && r->battery >= 0 && tp_provides(self, &tp_interface_power, NULL)) {
        status = tp_offer_power(self, NULL, &power_ops, &r->power, err);
    }
    r->analog_count = r->aio != NULL ? r->analog_count : 0;
    r->digital_count = r->dio != NULL ? r->digital_count : 0;
    return status == TP_OK ? tpi_robotfile_universal_offer(r, err) : status;
}

static tp_status check_number(tp_instance *self, const char *name, double most, double *out,
                              tp_error *err)
{
    *out = tp_param_double(self, name);
    if (!(*out > 0 && *out <= most)) {
        tp_param_blame(self, name);
        return tp_fail(err, TP_E_RANGE, "%s is not between 0 and %g", name, most);
    }
    return TP_OK;
}

static tp_status robotfile_init(tp_instance *self, tp_error *err)
{
    const tpi_dialog_hooks hooks = {
        .write = on_write, .note = on_note, .context = tp_instance_state(self)};
    struct robotfile *r = tp_instance_state(self);
    const char *wiring = tp_param_string(self, "wiring");
    double rate = 0;
    tp_status status = check_number(self, "rate", 1000, &rate, err);

    r->self = self;
    if (status == TP_OK) {
        status = check_number(self, "max_speed", 100, &r->max_speed, err);
    }
    if (status == TP_OK) {
        status = check_number(self, "width", 100, &r->width, err);
    }
    if (status != TP_OK) {
        return status;
    }
    r->period_ns = (int64_t)((double)TP_NS_PER_S / rate);
    r->loaded = calloc(1, sizeof *r->loaded);
    if (r->loaded == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    status = tpi_loaded_init(r->loaded, tp_param_string(self, "robot"),
                             wiring[0] != '\0' ? wiring : NULL, err);
    if (status != TP_OK) {
        tp_param_blame(self, "robot");
        return status;
    }
    for (size_t i = 0; i < tp_param_count(self, "map") && status == TP_OK; i++) {
        const char *map = tp_param_string_at(self, "map", i);
        status = map[0] != '\0' ? tpi_wired_map(r->loaded->wired, map, err) : TP_OK;
    }
    if (status != TP_OK) {
        tp_param_blame(self, "map");
        return status;
    }
    status = tpi_dialog_create(&r->dialog, r->loaded->wired, &hooks, err);
    return status == TP_OK ? offer(self, err) : status;
}

static tp_status robotfile_start(tp_instance *self, tp_error *err)
{
    enum { OPEN_S = 5, TICK_MS = 5 };
    struct robotfile *r = tp_instance_state(self);
    const tpi_robot_link *link = &r->loaded->robot->links[0];
    const tp_port_settings settings = {.baud = (unsigned)link->baud};
    const int64_t now = now_ns(self);
    tp_status status = tp_port_open(&r->port, self, tp_param_string(self, "port"), &settings,
                                    now + OPEN_S * TP_NS_PER_S, err);

    if (status == TP_OK) {
        status = guard(r, err);
    }
    if (status != TP_OK) {
        tp_port_close(r->port);
        r->port = NULL;
        return status;
    }
    r->has_failed = r->round.is_busy = r->round.is_reading = r->round.is_open = r->wants_motion =
        false;
    r->is_guarded = false;
    r->ready_ns = now + (int64_t)(link->boot_ms * (double)TP_NS_PER_MS);
    r->silent = 0;
    r->told[0] = '\0';
    r->round.next_ns = r->reckoned_ns = now;
    r->data.position = (tp_position2d_data){0};
    tpi_dialog_connected(r->dialog, now);
    tp_port_watch(r->port, true);
    tp_instance_set_period(self, TICK_MS * TP_NS_PER_MS);
    return TP_OK;
}

static void robotfile_stop(tp_instance *self)
{
    struct robotfile *r = tp_instance_state(self);

    if (r->loaded->robot->has_stop) {
        halt(r);
    }
    tpi_robotfile_universal_end(r);
    tp_port_close(r->port);
    r->port = NULL;
}

static void robotfile_fini(tp_instance *self)
{
    struct robotfile *r = tp_instance_state(self);

    tpi_robotfile_universal_fini(r);
    tpi_dialog_destroy(r->dialog);
    if (r->loaded != NULL) {
        tpi_loaded_fini(r->loaded);
    }
    free(r->loaded);
}

static const tp_driver_ops robotfile_ops = {
    .init = robotfile_init,
    .start = robotfile_start,
    .poll = robotfile_poll,
    .input = robotfile_input,
    .halt = robotfile_halt,
    .stop = robotfile_stop,
    .fini = robotfile_fini,
};

extern const tp_driver tp_driver_robotfile;
TP_API const tp_driver tp_driver_robotfile = {
    .abi = TP_DRIVER_ABI,
    .name = "robotfile",
    .summary = "a robot that is described by a file",
    .state_size = sizeof(struct robotfile),
    .params = robotfile_params,
    .ops = &robotfile_ops,
};
