/*
 * robotfile - a robot that is described by a file, as ordinary devices.
 *
 * Universal commands of the engine (src/universal) do the work. The line belongs to one dialog, in
 * which one command runs at a time: first what the wheels are to do, then other outputs, then the
 * next reading. Orders of the device `universal` (universal.h) and the rest take turns. wheels.c,
 * outputs.c and inputs.c say what comes next; sort.c says which part of the robot belongs to which
 * device; offer.c offers them.
 *
 * Not supported: odometry (the pose is reckoned from the commanded velocity).
 */
#include "robotfile.h"

#include <stdlib.h>
#include <string.h>

static const tp_param robotfile_params[] = {
    {"robot", NULL, NULL,
     "name or path of a robot file, for instance nxt; a path is looked for beside the "
     "configuration first"},
    {"wiring", NULL, "", "path of a wiring file: what is plugged in where"},
    {"port", "line", NULL,
     "the line, for instance serial:/dev/rfcomm0 or tcp:HOST:PORT; devices: those of requires"},
    {"map", NULL, "", "what classes of programs mean: \"Light Sensor=port 2\""},
    {"rate", "Hz", "10", "readings of each sensor per second, as far as the robot answers"},
    {"max_speed", "m/s", "0.3", "the speed of a wheel at full power"},
    {"width", "m", "0.12", "the distance between the wheels"},
    {"motor_speed", "rad/s", "15.7", "the speed of a single motor at full power"},
    {NULL, NULL, NULL, NULL},
};

/* ---- The dialog ------------------------------------------------------------------------------ */

/* During a panic nothing is written, and the line has not failed. */
static void on_write(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                     size_t body_length)
{
    struct robotfile *r = context;

    (void)body;
    (void)body_length;
    tpi_robotfile_universal_trace(r, '>', frame, length);
    if (tpi_robotfile_has_devices(r)) {
        tpi_robotfile_devices_write(r, frame, length);
        return;
    }
    if (r->line.port == NULL) {
        return;
    }
    const tp_status status = tp_port_write(r->line.port, frame, length, &r->line.err);
    r->line.has_failed = r->line.has_failed || (status != TP_OK && status != TP_E_DENIED);
}

static void on_note(void *context, const char *text)
{
    tp_instance_note(((struct robotfile *)context)->self, text);
}

/* Whether the guard has other bytes; 32 of them are remembered. A number in each frame is no
 * difference. */
static bool is_new(struct robotfile *r, const tpi_bytes *bytes)
{
    struct robotfile_guarded *g = &r->line.guarded;
    const size_t kept = bytes->length < sizeof g->bytes ? bytes->length : sizeof g->bytes;

    if (g->length == bytes->length &&
        (r->loaded->robot->framing.has_sequence || memcmp(g->bytes, bytes->data, kept) == 0)) {
        return false;
    }
    g->length = bytes->length;
    memcpy(g->bytes, bytes->data, kept);
    return true;
}

/* The bytes that a guard writes when the server dies. They can depend on what the set-up has found,
 * and on what was moved. */
static tp_status guard(struct robotfile *r, tp_error *err)
{
    uint8_t data[1024];
    tpi_bytes bytes = {.data = data, .capacity = sizeof data};

    if (r->line.port == NULL || !r->loaded->robot->has_stop ||
        !tpi_dialog_stop_bytes(r->dialog, &bytes) || !is_new(r, &bytes)) {
        return TP_OK;
    }
    return tp_port_guard(r->line.port, data, bytes.length, err);
}

/* ---- Work ------------------------------------------------------------------------------------ */

/* In a panic nothing is written to a robot that can move. */
static bool is_held(const struct robotfile *r)
{
    return tp_instance_in_panic(r->self) &&
           (r->wheels.device != NULL || r->in.lists[LIST_JOINTS].device != NULL ||
            r->universal != NULL);
}

/* A command has ended. Each fault is reported once. */
static void settle(struct robotfile *r)
{
    const tpi_outcome *outcome = tpi_dialog_outcome(r->dialog);
    const bool is_job = r->universal != NULL && r->universal->running != NULL;

    if (outcome->fault == TPI_FAULT_NONE) {
        r->line.silent = 0;
        r->line.has_failed = guard(r, &r->line.err) != TP_OK;
    } else if (!is_job && strcmp(outcome->text, r->line.reported) != 0) {
        memcpy(r->line.reported, outcome->text, sizeof r->line.reported);
        tp_instance_note(r->self, outcome->text);
    }
    if (r->line.is_reading) {
        tpi_robotfile_keep_reading(r, outcome);
    }
    r->line.silent += outcome->fault == TPI_FAULT_SILENT && !is_held(r);
    r->line.is_busy = r->line.is_reading = false;
    if (is_job) {
        tpi_robotfile_universal_settle(r);
    }
}

/* Outputs go first, but a client that writes all the time does not end the readings. */
static bool begin(struct robotfile *r, int64_t now)
{
    enum { MOST_IN_A_ROW = 4 };
    tpi_dialog_order order;

    if (now < r->line.ready_ns || tpi_dialog_is_busy(r->dialog)) {
        return false;
    }
    r->line.is_mine = !r->line.is_mine;
    if (!r->wheels.is_wanted && (r->line.is_mine || tpi_robotfile_job_moves(r)) &&
        tpi_robotfile_job_begin(r, now)) {
        return true;
    }
    if (is_held(r)) { /* nothing from before a panic is written after it */
        tpi_robotfile_drop_outputs(r);
        r->wheels.is_wanted = r->in.is_open = false;
        return tpi_robotfile_job_begin(r, now);
    }
    if (r->out.in_a_row < MOST_IN_A_ROW &&
        (tpi_robotfile_next_motion(r, &order) || tpi_robotfile_next_output(r, &order))) {
        r->out.in_a_row++;
    } else if (tpi_robotfile_next_reading(r, now, &order)) {
        r->line.is_reading = true;
        r->out.in_a_row = 0;
    } else if (r->out.in_a_row == 0) {
        return tpi_robotfile_job_begin(r, now);
    } else {
        r->out.in_a_row = 0;
        return begin(r, now);
    }
    r->line.is_busy = true;
    tpi_dialog_begin(r->dialog, &order, now);
    return true;
}

static void work(struct robotfile *r)
{
    const int64_t now = tpi_robotfile_now_ns(r);

    tpi_robotfile_sensors_settle(r);
    do {
        if (r->line.is_busy && !tpi_dialog_is_busy(r->dialog)) {
            settle(r);
        }
    } while (tpi_robotfile_devices_deliver(r) ||
             (!r->line.has_failed && !r->line.is_busy && begin(r, now)));
    /* A command can end at once. */
    if (r->line.is_busy && !tpi_dialog_is_busy(r->dialog)) {
        settle(r);
    }
}

static tp_status verdict(struct robotfile *r, tp_error *err)
{
    enum { MOST_SILENT = 5 };

    r->was_lost = r->line.has_failed || r->line.silent >= MOST_SILENT;
    if (r->line.has_failed) {
        return tp_fail(err, r->line.err.code, "%s", r->line.err.text);
    }
    return r->line.silent >= MOST_SILENT
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

    tpi_dialog_tick(r->dialog, tpi_robotfile_now_ns(r));
    return tpi_robotfile_work(r, err);
}

static tp_status robotfile_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct robotfile *r = tp_instance_state(self);
    uint8_t bytes[4096]; /* a whole packet, where the line has packets */
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        tpi_robotfile_universal_trace(r, '<', bytes, length);
        tpi_dialog_receive(r->dialog, bytes, length, tpi_robotfile_now_ns(r));
        work(r);
    }
    r->was_lost = status != TP_E_TIMEOUT;
    return status == TP_E_TIMEOUT ? verdict(r, err) : status;
}

static void robotfile_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct robotfile *r = tp_instance_state(self);
    const int64_t now = tpi_robotfile_now_ns(r);

    if (tpi_robotfile_devices_take(r, from, msg) && r->line.ready_ns > now) {
        r->line.ready_ns = now;
    }
}

/* ---- Stopping -------------------------------------------------------------------------------- */

/* Write the stop bytes at once, whatever the dialog waits for. They stop all that moves. */
static void stop_bytes(struct robotfile *r)
{
    r->line.is_busy = r->line.is_reading = false;
    tpi_dialog_stop(r->dialog, tpi_robotfile_now_ns(r));
    tpi_robotfile_universal_halt(r);
}

/* What other devices do goes on: it is written once more behind the stop bytes. Motions of
 * `universal` end. */
static void robotfile_halt(tp_device *device, tp_halt how)
{
    struct robotfile *r = tpi_robotfile_of(device);
    const bool is_panic = tp_instance_in_panic(r->self);

    (void)how;
    tpi_robotfile_rest_wheels(r, is_panic || device == r->wheels.device);
    tpi_robotfile_rest_outputs(r, is_panic || device == r->in.lists[LIST_JOINTS].device, is_panic);
    stop_bytes(r);
    tpi_robotfile_devices_halt(r);
}

/* ---- Life ------------------------------------------------------------------------------------ */

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

static tp_status read_numbers(struct robotfile *r, tp_error *err)
{
    double rate = 0;
    const struct {
        const char *name;
        double most, *out;
    } numbers[] = {{"rate", 1000, &rate},
                   {"max_speed", 100, &r->wheels.max_speed},
                   {"width", 100, &r->wheels.width},
                   {"motor_speed", 10000, &r->motor_speed}};
    tp_status status = TP_OK;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == TP_OK; i++) {
        status = check_number(r->self, numbers[i].name, numbers[i].most, numbers[i].out, err);
    }
    r->period_ns = status == TP_OK ? (int64_t)((double)TP_NS_PER_S / rate) : 0;
    return status;
}

/* Other lines have no speed that could be wrong. */
static bool is_serial(const char *port)
{
    return strncmp(port, "serial:", 7) == 0 || port[0] == '/';
}

static tp_status load(struct robotfile *r, tp_error *err)
{
    char robot[TPI_MOST_PATH], wiring[TPI_MOST_PATH];
    const char *name = tp_param_string(r->self, "robot");
    const char *plugged = tp_param_string(r->self, "wiring");

    r->loaded = calloc(1, sizeof *r->loaded);
    if (r->loaded == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    const tp_status status = tpi_loaded_init(
        r->loaded, tpi_files_beside(robot, tp_instance_folder(r->self), name),
        plugged[0] != '\0' ? tpi_files_beside(wiring, tp_instance_folder(r->self), plugged) : NULL,
        err);
    if (status != TP_OK) {
        tp_param_blame(r->self, "robot");
    }
    return status;
}

static tp_status robotfile_init(tp_instance *self, tp_error *err)
{
    const tpi_dialog_hooks hooks = {.write = on_write,
                                    .note = on_note,
                                    .context = tp_instance_state(self),
                                    .has_no_speed = !is_serial(tp_param_string(self, "port"))};
    struct robotfile *r = tp_instance_state(self);

    r->self = self;
    tp_status status = read_numbers(r, err);
    status = status == TP_OK ? load(r, err) : status;
    if (status != TP_OK) {
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
    status = tpi_robotfile_devices_init(r, err);
    if (status != TP_OK) {
        return status;
    }
    status = tpi_dialog_create(&r->dialog, r->loaded->wired, &hooks, err);
    return status == TP_OK ? tpi_robotfile_offer(r, err) : status;
}

/* Nothing is known about the robot: it may have been off. A robot that was lost goes on from the
 * pose that was known last. */
static void forget(struct robotfile *r, int64_t now)
{
    tp_port *port = r->line.port;

    r->line = (struct robotfile_line){.port = port};
    r->in.is_open = false;
    r->in.next_ns = now;
    r->in.battery_ns = now + TP_NS_PER_S;
    for (unsigned i = 0; i < r->in.count; i++) {
        struct robotfile_reading *reading = &r->in.all[i];
        reading->is_blocked = r->wheels.device != NULL &&
                              tpi_parts_overlap(r->loaded->wired, r->wheels.axis, reading->part);
        reading->value = 0;
        reading->is_known = false;
    }
    for (unsigned i = 0; i < r->out.count; i++) {
        r->out.all[i].value = 0;
    }
    tpi_robotfile_drop_outputs(r);
    r->out.light = (tp_blinkenlight_data){.dutycycle = 1};
    r->wheels.left = r->wheels.right = 0;
    r->wheels.is_wanted = false;
    r->wheels.reckoned_ns = now;
    r->wheels.state.vel = (tp_pose2d){0};
    if (!r->was_lost) {
        r->wheels.state.pos = (tp_pose2d){0};
    }
    r->was_lost = false;
}

static tp_status open_line(struct robotfile *r, int64_t now, tp_error *err)
{
    enum { OPEN_S = 5 };
    const tp_port_settings settings = {.baud = (unsigned)r->loaded->robot->links[0].baud};
    tp_status status = tp_port_open(&r->line.port, r->self, tp_param_string(r->self, "port"),
                                    &settings, now + OPEN_S * TP_NS_PER_S, err);

    if (status == TP_OK) {
        status = guard(r, err);
    }
    if (status != TP_OK) {
        tp_port_close(r->line.port);
        r->line.port = NULL;
    }
    return status;
}

/* The devices of a robot without a line have a second to report something. */
static tp_status robotfile_start(tp_instance *self, tp_error *err)
{
    enum { TICK_MS = 5, DEVICES_MS = 1000 };
    struct robotfile *r = tp_instance_state(self);
    const bool has_devices = tpi_robotfile_has_devices(r);
    const double boot_ms = has_devices ? DEVICES_MS : r->loaded->robot->links[0].boot_ms;
    const int64_t now = tpi_robotfile_now_ns(r);
    const tp_status status = has_devices ? TP_OK : open_line(r, now, err);

    if (status != TP_OK) {
        return status;
    }
    forget(r, now);
    r->line.ready_ns = now + (int64_t)(boot_ms * (double)TP_NS_PER_MS);
    tpi_dialog_connected(r->dialog, now);
    if (has_devices) {
        tpi_robotfile_devices_start(r);
    } else {
        tp_port_watch(r->line.port, true);
    }
    tp_instance_set_period(self, TICK_MS * TP_NS_PER_MS);
    return TP_OK;
}

static void robotfile_stop(tp_instance *self)
{
    struct robotfile *r = tp_instance_state(self);

    if (r->loaded->robot->has_stop) {
        stop_bytes(r);
    }
    tpi_robotfile_universal_end(r);
    tp_port_close(r->line.port);
    r->line.port = NULL;
}

static void robotfile_fini(tp_instance *self)
{
    struct robotfile *r = tp_instance_state(self);

    tpi_robotfile_universal_fini(r);
    tpi_robotfile_devices_fini(r);
    tpi_dialog_destroy(r->dialog);
    if (r->loaded != NULL) {
        tpi_loaded_fini(r->loaded);
    }
    free(r->loaded);
}

const tp_driver_ops tpi_robotfile_ops = {
    .init = robotfile_init,
    .start = robotfile_start,
    .poll = robotfile_poll,
    .data = robotfile_data,
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
    .ops = &tpi_robotfile_ops,
};
