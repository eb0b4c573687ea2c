/*
 * nomad_driver - the robot Nomad 200 of Nomadic Technologies, behind its server (Nserver), on a
 * network.
 *
 * nomad.h describes the messages. Whatever is sent is answered in the same order, so nothing waits
 * for an answer once the robot runs: the driver counts the messages that are not answered yet, and
 * keeps a velocity back while there are many. See README.md.
 */
#include "nomad.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "numbers.h"

enum { ROBOT = 1, MANY = 4, AS_IT_IS = 3 };

static const double per_metre = 1 / 0.00254, per_radian = 1800 / 3.14159265358979323846;

static const tp_param nomad_params[] = {
    {"HOST", NULL, "localhost", "address of the robot's server"},
    {"PORT", "1", "7019", "its port"},
    {"line", "line", "", "the line, instead of HOST and PORT"},
    {"NOMAD_TIMEOUT_S", "1", "5", "the robot stops when it hears nothing for so many seconds"},
    {"CYCLE_TIME_US", "1", "100000", "time between two questions, in millionths of a second"},
    {"NOMAD_MAX_VEL_TRANS", "1", "200", "highest speed, in tenths of an inch per second"},
    {"NOMAD_MAX_ACC_TRANS", "1", "300", "acceleration, in tenths of an inch per second and second"},
    {"NOMAD_MAX_VEL_STEER", "1", "450", "the same for turning, in tenths of a degree per second"},
    {"NOMAD_MAX_ACC_STEER", "1", "300", "the same, in tenths of a degree per second and second"},
    {"REAL_ROBOT", "1", "3", "0: the server's simulated robot, 1: the real one, 3: as it is set"},
    {"LOCKED", "bool", "yes", "the turret turns with the wheels"},
    {"ZERO", "bool", "no", "ignored: the driver does not turn the robot by itself"},
    {"timeout", "s", "3", "a server that is silent for so long is connected anew"},
    {NULL, NULL, NULL, NULL},
};

static struct nomad *nomad_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Saying ---------------------------------------------------------------------------------- */

static tp_status say(struct nomad *n, unsigned type, const int *words, size_t count, tp_error *err)
{
    uint8_t out[NOMAD_LONGEST];
    const tp_status status =
        tp_port_write(n->port, out, tpi_nomad_put(out, type, words, count), err);

    n->unanswered += status == TP_OK;
    return status;
}

static tp_status say_speeds(struct nomad *n, tp_error *err)
{
    n->waits = false;
    return say(n, NOMAD_MOVE, n->speeds, NOMAD_AXES, err);
}

/* No velocities, and STOP. */
static size_t stop_bytes(uint8_t out[2 * NOMAD_LONGEST])
{
    static const int none[NOMAD_AXES] = {0};
    const size_t length = tpi_nomad_put(out, NOMAD_MOVE, none, NOMAD_AXES);

    return length + tpi_nomad_put(out + length, NOMAD_STOP, NULL, 0);
}

/* ---- Hearing --------------------------------------------------------------------------------- */

static tp_status check_answer(const struct nomad *n, tp_error *err)
{
    return tpi_nomad_type(n) == NOMAD_ERROR
               ? tp_fail(err, TP_E_DEVICE, "the robot's server reports the error %d",
                         tpi_nomad_words(n) > 0 ? (int)tpi_nomad_word(n, 0) : 0)
               : TP_OK;
}

static tp_status take_answer(tp_instance *self, tp_error *err)
{
    struct nomad *n = tp_instance_state(self);

    n->heard_ns = tpi_classic_now_ns(self);
    n->unanswered -= n->unanswered > 0;
    if (tpi_nomad_words(n) >= NOMAD_STATE && tpi_nomad_type(n) != NOMAD_ERROR) {
        tpi_nomad_report(n);
    }
    return check_answer(n, err);
}

static tp_status nomad_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct nomad *n = tp_instance_state(self);
    uint8_t bytes[512];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length && status == TP_OK; i++) {
            status = tpi_nomad_take(n, bytes[i]) ? take_answer(self, err) : TP_OK;
        }
        if (status != TP_OK) {
            return status;
        }
    }
    if (status == TP_E_TIMEOUT && n->waits && n->unanswered < MANY) {
        status = say_speeds(n, err);
    }
    return status == TP_E_TIMEOUT || status == TP_E_DENIED ? TP_OK : status;
}

/* A velocity is answered as a question is; a robot that hears no more of it stops by itself. */
static tp_status nomad_poll(tp_instance *self, tp_error *err)
{
    static const int none[NOMAD_AXES] = {0};
    struct nomad *n = tp_instance_state(self);
    tp_status status =
        tpi_classic_check(self, n->heard_ns, n->timeout_s, "the robot's server", err);

    if (status == TP_OK && n->unanswered < MANY) {
        status = memcmp(n->speeds, none, sizeof none) != 0 ? say_speeds(n, err)
                                                           : say(n, NOMAD_GET_STATE, NULL, 0, err);
    }
    if (status == TP_E_DENIED) { /* a panic: nothing was asked, so nothing is missed */
        n->heard_ns = tpi_classic_now_ns(self);
        status = TP_OK;
    }
    return status;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static int limited(double value, double most)
{
    return (int)lrint(fmax(-most, fmin(most, value)));
}

static tp_status go(struct nomad *n, tp_error *err)
{
    n->waits = n->unanswered >= MANY;
    return n->waits ? TP_OK : say_speeds(n, err);
}

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    struct nomad *n = nomad_of(device);

    if (!isfinite(ask->vel.px) || !isfinite(ask->vel.pa)) {
        return tp_fail(err, TP_E_RANGE, "a velocity is made of numbers");
    }
    n->speeds[NOMAD_AHEAD] = limited(ask->vel.px * per_metre, n->most[0]);
    n->speeds[NOMAD_STEER] = limited(ask->vel.pa * per_radian, n->most[1]);
    if (n->locked) {
        n->speeds[NOMAD_TURRET] = n->speeds[NOMAD_STEER];
    }
    return go(n, err);
}

static tp_status turret_vel(tp_device *device, const tp_position1d_cmd_vel *ask, tp_error *err)
{
    struct nomad *n = nomad_of(device);

    if (device == n->compass) {
        return tp_fail(err, TP_E_DENIED, "a compass does not move");
    }
    if (n->locked) {
        return tp_fail(err, TP_E_DENIED, "the turret turns with the wheels; LOCKED 0 frees it");
    }
    if (!isfinite(ask->vel)) {
        return tp_fail(err, TP_E_RANGE, "a speed is a number");
    }
    n->speeds[NOMAD_TURRET] = limited((double)ask->vel * per_radian, n->most[1]);
    return go(n, err);
}

static tp_status vehicle_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->size = (tp_bbox3d){.sl = 0.45, .sw = 0.45};
    return TP_OK;
}

static tp_status turret_geom(tp_device *device, tp_position1d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->size = (tp_bbox3d){.sl = 0.45, .sw = 0.45};
    return TP_OK;
}

static tp_status reset_odom(tp_device *device, tp_error *err)
{
    struct nomad *n = nomad_of(device);

    (void)err;
    memcpy(n->origin, n->pose, sizeof n->origin);
    return TP_OK;
}

static tp_status reset_turret(tp_device *device, const tp_position1d_reset_odom_config *ask,
                              tp_error *err)
{
    struct nomad *n = nomad_of(device);

    (void)ask;
    if (device == n->compass) {
        return tp_fail(err, TP_E_DENIED, "a compass has no other zero");
    }
    n->turret_origin = n->turned;
    return TP_OK;
}

static const tp_position2d_ops vehicle_ops = {
    .cmd_vel = cmd_vel, .req_get_geom = vehicle_geom, .req_reset_odom = reset_odom};
static const tp_position1d_ops turret_ops = {
    .cmd_vel = turret_vel, .req_get_geom = turret_geom, .req_reset_odom = reset_turret};

/* Each stops what it moves: the vehicle goes on while its turret is halted. */
static void nomad_halt(tp_device *device, tp_halt how)
{
    struct nomad *n = nomad_of(device);

    (void)how;
    if (device == n->turret && n->vehicle != NULL && !n->locked) {
        n->speeds[NOMAD_TURRET] = 0;
    } else if (device == n->vehicle && !n->locked) {
        n->speeds[NOMAD_AHEAD] = n->speeds[NOMAD_STEER] = 0;
    } else {
        memset(n->speeds, 0, sizeof n->speeds);
    }
    (void)say_speeds(n, NULL);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_line(tp_instance *self, tp_error *err)
{
    struct nomad *n = tp_instance_state(self);
    const char *line = tp_param_string(self, "line");
    const char *host = tp_param_string(self, "HOST");
    const int length = line[0] != '\0'
                           ? snprintf(n->url, sizeof n->url, "%s", line)
                           : snprintf(n->url, sizeof n->url, "tcp:%s:%.0f", host, n->port_number);

    if (length >= (int)sizeof n->url) {
        tp_param_blame(self, line[0] != '\0' ? "line" : "HOST");
        return tp_fail(err, TP_E_RANGE, "a line has at most %zu characters", sizeof n->url - 1);
    }
    if (n->mode != 0 && n->mode != 1 && n->mode != AS_IT_IS) {
        tp_param_blame(self, "REAL_ROBOT");
        return tp_fail(err, TP_E_RANGE, "REAL_ROBOT is 0, 1 or 3, not %g", n->mode);
    }
    n->locked = tp_param_bool(self, "LOCKED");
    return TP_OK;
}

static tp_status nomad_init(tp_instance *self, tp_error *err)
{
    struct nomad *n = tp_instance_state(self);
    const struct classic_number numbers[] = {
        {"PORT", 1, 65535, &n->port_number},
        {"NOMAD_TIMEOUT_S", 1, 255, &n->robot_timeout_s},
        {"CYCLE_TIME_US", 10000, 1000000, &n->period_us},
        {"NOMAD_MAX_VEL_TRANS", 0, 600, &n->most[0]},
        {"NOMAD_MAX_ACC_TRANS", 1, 10000, &n->accelerations[0]},
        {"NOMAD_MAX_VEL_STEER", 0, 1800, &n->most[1]},
        {"NOMAD_MAX_ACC_STEER", 1, 10000, &n->accelerations[1]},
        {"REAL_ROBOT", 0, AS_IT_IS, &n->mode},
        {"timeout", 1.5, 3600, &n->timeout_s}};
    const struct classic_offer offers[] = {
        {&tp_interface_position2d, NULL, &vehicle_ops, &n->vehicle},
        {&tp_interface_bumper, NULL, &tpi_nomad_bumper_ops, &n->bumper},
        {&tp_interface_sonar, NULL, &tpi_nomad_sonar_ops, &n->sonar},
        {&tp_interface_ir, NULL, &tpi_nomad_ir_ops, &n->ir},
        {&tp_interface_position1d, "turret", &turret_ops, &n->turret},
        {&tp_interface_position1d, "compass", &turret_ops, &n->compass}};
    tp_status status = tpi_classic_numbers(self, numbers, sizeof numbers / sizeof numbers[0], err);

    status = status == TP_OK ? read_line(self, err) : status;
    return status == TP_OK ? tpi_classic_offer(self, offers, sizeof offers / sizeof offers[0], err)
                           : status;
}

/* Say something and wait for its answer. */
static tp_status ask(tp_instance *self, unsigned type, const int *words, size_t count,
                     tp_error *err)
{
    struct nomad *n = tp_instance_state(self);
    const int64_t deadline_ns = tpi_classic_now_ns(self) + 3 * TP_NS_PER_S;
    tp_status status = say(n, type, words, count, err);
    bool whole = false;
    uint8_t byte;

    while (status == TP_OK && !whole) {
        status = tp_port_read_all(n->port, &byte, 1, deadline_ns, err);
        whole = status == TP_OK && tpi_nomad_take(n, byte);
    }
    if (status == TP_E_TIMEOUT) {
        return tp_fail(err, TP_E_TIMEOUT, "%s: no robot's server answers", n->url);
    }
    n->unanswered = 0;
    return status == TP_OK ? check_answer(n, err) : status;
}

static tp_status greet(tp_instance *self, tp_error *err)
{
    const struct nomad *n = tp_instance_state(self);
    const int who[] = {ROBOT, ROBOT};
    const tp_status status = ask(self, NOMAD_CONNECT, who, 2, err);

    return status == TP_OK && (tpi_nomad_words(n) == 0 || tpi_nomad_word(n, 0) == 0)
               ? tp_fail(err, TP_E_DEVICE, "%s: the server has no robot %d", n->url, ROBOT)
               : status;
}

static tp_status set_up(tp_instance *self, tp_error *err)
{
    const struct nomad *n = tp_instance_state(self);
    const int timeout = (int)n->robot_timeout_s;
    const int accelerations[] = {(int)n->accelerations[0], (int)n->accelerations[1],
                                 (int)n->accelerations[1]};
    const int speeds[] = {(int)n->most[0], (int)n->most[1], (int)n->most[1]};
    /* All readings (a bit each), but not the times when they were taken. */
    static const int mask[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0x0e, 0};
    tp_status status = TP_OK;

    if (n->mode != AS_IT_IS) {
        status = ask(self, n->mode == 1 ? NOMAD_REAL : NOMAD_SIMULATED, NULL, 0, err);
    }
    status = status == TP_OK ? ask(self, NOMAD_SET_MASK, mask, sizeof mask / sizeof mask[0], err)
                             : status;
    status = status == TP_OK ? ask(self, NOMAD_SET_TIMEOUT, &timeout, 1, err) : status;
    status = status == TP_OK ? ask(self, NOMAD_SET_ACCELERATIONS, accelerations, 3, err) : status;
    return status == TP_OK ? ask(self, NOMAD_SET_SPEEDS, speeds, 3, err) : status;
}

static tp_status begin(tp_instance *self, tp_error *err)
{
    struct nomad *n = tp_instance_state(self);
    uint8_t bytes[2 * NOMAD_LONGEST];
    tp_status status = greet(self, err);

    status = status == TP_OK ? set_up(self, err) : status;
    return status == TP_OK && (n->vehicle != NULL || n->turret != NULL)
               ? tp_port_guard(n->port, bytes, stop_bytes(bytes), err)
               : status;
}

static tp_status nomad_start(tp_instance *self, tp_error *err)
{
    struct nomad *n = tp_instance_state(self);
    tp_status status =
        tp_port_open(&n->port, self, n->url, NULL, tpi_classic_now_ns(self) + 5 * TP_NS_PER_S, err);

    n->length = 0;
    n->known = n->waits = false;
    n->unanswered = 0;
    memset(n->speeds, 0, sizeof n->speeds);
    status = status == TP_OK ? begin(self, err) : status;
    if (status != TP_OK) {
        tp_port_close(n->port);
        n->port = NULL;
        return status;
    }
    n->heard_ns = tpi_classic_now_ns(self);
    tp_instance_set_period(self, (int64_t)(n->period_us * 1000));
    tp_port_watch(n->port, true);
    return TP_OK;
}

static void nomad_stop(tp_instance *self)
{
    static const int who[] = {ROBOT, ROBOT};
    struct nomad *n = tp_instance_state(self);
    uint8_t out[3 * NOMAD_LONGEST];
    size_t length = n->vehicle != NULL || n->turret != NULL ? stop_bytes(out) : 0;

    length += tpi_nomad_put(out + length, NOMAD_DISCONNECT, who, 2);
    (void)tp_port_write(n->port, out, length, NULL);
    tp_port_close(n->port);
    n->port = NULL;
}

static const tp_driver_ops nomad_ops = {
    .init = nomad_init,
    .start = nomad_start,
    .poll = nomad_poll,
    .input = nomad_input,
    .halt = nomad_halt,
    .stop = nomad_stop,
};

extern const tp_driver tp_driver_nomad_driver;
TP_API const tp_driver tp_driver_nomad_driver = {
    .abi = TP_DRIVER_ABI,
    .name = "nomad_driver",
    .summary = "the robot Nomad 200, behind its server",
    .state_size = sizeof(struct nomad),
    .params = nomad_params,
    .ops = &nomad_ops,
};
