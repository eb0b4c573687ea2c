/*
 * amtecM5 - an arm of Amtec (Schunk) PowerCubes on a CAN bus.
 *
 * Each module is a joint. One question or command is under way at a time; its answer brings the
 * next one: commands first, then a round of questions, which ends with data. A halt is one frame
 * for the whole bus: it needs no room but its own. A halted module takes commands again after a
 * reset. See README.md.
 */
#include <math.h>
#include <string.h>

#include "amtec.h"

static const int64_t patience_ns = 100 * TP_NS_PER_MS; /* for an answer */

static const tp_param amtec_params[] = {
    {"connstring", NULL, "ESD:0,1000", "the bus as Amtec's library names it: here can0"},
    {"port", "line", "", "the line, for instance can:can1; empty for the one of connstring"},
    {"module_count", "1", "0", "number of modules; it may be left out"},
    {"module_ids", NULL, "", "numbers of the modules on the bus, from the base outwards: 1,2,3"},
    {"directions", NULL, "", "1 or -1 for each module: -1 turns it round"},
    {"offsets", NULL, "", "radians or metres that are added to the positions of each module"},
    {"normalize_angles", NULL, "", "1 or 0 for each module: brings angles to -pi to pi"},
    {"initial_ramp_speed", "1", "0.1", "speed of moves to a position, in rad/s or m/s"},
    {"initial_ramp_accel", "1", "0.1", "their acceleration, in rad/s^2 or m/s^2"},
    {"samplingrate", "1", "20", "milliseconds from one round of questions to the next"},
    {"timeout", "s", "2", "an arm with a module that is silent for so long is started anew"},
    {"alarmtime", "1", "25", "ignored"},
    {"highpriority", "1", "0", "ignored"},
    {"debug_level", "1", "0", "ignored"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Talking --------------------------------------------------------------------------------- */

static tp_status say_all(const struct amtec *a, unsigned command, tp_error *err)
{
    uint8_t out[AMTEC_FRAME];

    tpi_amtec_frame(out, AMTEC_ALL, 1, command, 0, 0);
    return tp_port_write(a->port, out, sizeof out, err);
}

static tp_status say(tp_instance *self, const struct amtec_module *m, unsigned id, unsigned length,
                     const unsigned what[2], double number, tp_error *err)
{
    struct amtec *a = tp_instance_state(self);
    uint8_t out[AMTEC_FRAME];

    tpi_amtec_frame(out, id + m->id, length, what[0], what[1], number);
    const tp_status status = tp_port_write(a->port, out, sizeof out, err);
    a->awaiting = status == TP_OK && (id == AMTEC_GET || (m->config & AMTEC_CONFIG_MUTE) == 0);
    a->awaited_id = AMTEC_ANSWER + m->id;
    a->awaited[0] = what[0];
    a->awaited[1] = what[1];
    a->asked_ns = tpi_classic_now_ns(self);
    return status;
}

static tp_status ask(tp_instance *self, const struct amtec_module *m, unsigned value, tp_error *err)
{
    return say(self, m, AMTEC_GET, 2, (const unsigned[2]){AMTEC_GET_VALUE, value}, 0, err);
}

static tp_status say_want(tp_instance *self, struct amtec_module *m, unsigned want, tp_error *err)
{
    m->wants &= ~want;
    switch (want) {
    case AMTEC_WANT_RESET:
        return say(self, m, AMTEC_PUT, 1, (const unsigned[2]){AMTEC_RESET, 0}, 0, err);
    case AMTEC_WANT_HOME:
        return say(self, m, AMTEC_PUT, 1, (const unsigned[2]){AMTEC_HOME, 0}, 0, err);
    case AMTEC_WANT_SPEED:
        return say(self, m, AMTEC_PUT, 6, (const unsigned[2]){AMTEC_SET_VALUE, AMTEC_RAMP_SPEED},
                   m->ramp_speed, err);
    case AMTEC_WANT_ACCEL:
        return say(self, m, AMTEC_PUT, 6, (const unsigned[2]){AMTEC_SET_VALUE, AMTEC_RAMP_ACCEL},
                   m->ramp_accel, err);
    default:
        return say(self, m, AMTEC_PUT, 6, (const unsigned[2]){AMTEC_MOVE, m->kind}, m->goal, err);
    }
}

/* The first frame that a module wants: all resets before all ramps before all movements. */
static struct amtec_module *find_want(struct amtec *a, unsigned *want)
{
    for (unsigned bit = 0; bit < AMTEC_WANTS; bit++) {
        for (unsigned i = 0; i < a->count; i++) {
            *want = 1U << bit;
            if ((a->modules[i].wants & *want) != 0) {
                return &a->modules[i];
            }
        }
    }
    return NULL;
}

static void publish(const struct amtec *a)
{
    tp_actarray_actuator actuators[AMTEC_MOST];

    for (unsigned i = 0; i < a->count; i++) {
        const struct amtec_module *m = &a->modules[i];
        actuators[i] = (tp_actarray_actuator){
            .position = (float)((m->position + m->offset) * m->direction),
            .speed = (float)(m->speed * m->direction),
            .current = (float)(m->current * m->direction),
            .state = (m->state & AMTEC_STATE_ERROR) != 0    ? TP_ACTARRAY_ACTSTATE_STALLED
                     : (m->state & AMTEC_STATE_BRAKED) != 0 ? TP_ACTARRAY_ACTSTATE_BRAKED
                     : (m->state & AMTEC_STATE_MOVING) != 0 ? TP_ACTARRAY_ACTSTATE_MOVING
                                                            : TP_ACTARRAY_ACTSTATE_IDLE};
    }
    const tp_actarray_data data = {
        .actuators_count = a->count, .actuators = actuators, .motor_state = !a->off};
    tp_actarray_publish_state(a->arm, &data, 0);
}

/* Ask the next question of the round; at its end, publish what the modules have answered. */
static tp_status ask_next(tp_instance *self, tp_error *err)
{
    static const unsigned values[] = {AMTEC_POSITION, AMTEC_STATE, AMTEC_SPEED, AMTEC_CURRENT};
    const unsigned each = sizeof values / sizeof values[0];
    struct amtec *a = tp_instance_state(self);

    if (!a->in_round) {
        return TP_OK;
    }
    if (a->next == each * a->count) {
        a->in_round = false;
        publish(a);
        return TP_OK;
    }
    const unsigned question = a->next++;
    return ask(self, &a->modules[question / each], values[question % each], err);
}

tp_status tpi_amtec_say_next(tp_instance *self, tp_error *err)
{
    struct amtec *a = tp_instance_state(self);
    unsigned want = 0;
    tp_status status = TP_OK;

    if (a->awaiting && tpi_classic_now_ns(self) - a->asked_ns < patience_ns) {
        return TP_OK;
    }
    a->awaiting = false;
    struct amtec_module *m = find_want(a, &want);
    status = m != NULL ? say_want(self, m, want, err) : TP_OK;
    return status == TP_OK && !a->awaiting ? ask_next(self, err) : status;
}

void tpi_amtec_halt(struct amtec *a)
{
    for (unsigned i = 0; i < a->count; i++) {
        a->modules[i].wants = 0;
        a->modules[i].halted = true;
    }
    a->awaiting = false;
    (void)say_all(a, AMTEC_HALT, NULL);
}

/* ---- Hearing --------------------------------------------------------------------------------- */

static struct amtec_module *module_of(struct amtec *a, unsigned id)
{
    for (unsigned i = 0; i < a->count; i++) {
        if (AMTEC_ANSWER + a->modules[i].id == id) {
            return &a->modules[i];
        }
    }
    return NULL;
}

/* A value that a module tells; false if it is none. */
static bool take_value(struct amtec_module *m, const uint8_t *frame)
{
    const struct {
        unsigned value;
        double *out;
    } numbers[] = {{AMTEC_POSITION, &m->position},
                   {AMTEC_SPEED, &m->speed},
                   {AMTEC_CURRENT, &m->current},
                   {AMTEC_MIN, &m->min},
                   {AMTEC_MAX, &m->max},
                   {AMTEC_MAX_SPEED, &m->max_speed},
                   {AMTEC_MAX_ACCEL, &m->max_accel},
                   {AMTEC_HOME_OFFSET, &m->home}};
    const double number = tpi_amtec_number(frame);

    if (frame[9] == AMTEC_CONFIG) {
        m->config = tpi_amtec_bits(frame);
        return true;
    }
    if (frame[9] == AMTEC_STATE) {
        m->state = tpi_amtec_bits(frame);
        if ((m->wants & AMTEC_WANT_RESET) != 0) { /* what it says is about to end */
            m->state &= ~(uint32_t)(AMTEC_STATE_ERROR | AMTEC_STATE_HALTED);
        }
        return true;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && isfinite(number); i++) {
        if (numbers[i].value == frame[9]) {
            *numbers[i].out = number;
            return true;
        }
    }
    return false;
}

/* An answer to what was asked. Frames for other programs on the bus are none. */
static void take_frame(tp_instance *self)
{
    struct amtec *a = tp_instance_state(self);
    const uint8_t *f = a->bytes;
    const unsigned id = f[0] | (unsigned)f[1] << 8 | (unsigned)f[2] << 16 | (unsigned)f[3] << 24;
    struct amtec_module *m = module_of(a, id);
    const bool is_value = f[8] == AMTEC_GET_VALUE;

    if (m == NULL || f[4] < 1 || f[4] > 8 || (is_value && f[4] < 6) ||
        (is_value && !take_value(m, f))) {
        return;
    }
    m->heard_ns = tpi_classic_now_ns(self);
    if (a->awaiting && id == a->awaited_id && f[8] == a->awaited[0] &&
        (f[4] < 2 || a->awaited[0] < AMTEC_SET_VALUE || f[9] == a->awaited[1])) {
        a->awaiting = false;
    }
}

static void take_byte(tp_instance *self, uint8_t byte)
{
    struct amtec *a = tp_instance_state(self);

    a->bytes[a->length++] = byte;
    if (a->length == AMTEC_FRAME) {
        a->length = 0;
        take_frame(self);
    }
}

static tp_status amtec_input(tp_instance *self, tp_port *port, tp_error *err)
{
    uint8_t bytes[256];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            take_byte(self, bytes[i]);
        }
    }
    status = status == TP_E_TIMEOUT ? tpi_amtec_say_next(self, err) : status;
    return status == TP_E_DENIED ? TP_OK : status; /* a panic */
}

static tp_status amtec_poll(tp_instance *self, tp_error *err)
{
    struct amtec *a = tp_instance_state(self);
    const int64_t now = tpi_classic_now_ns(self);

    for (unsigned i = 0; i < a->count; i++) {
        struct amtec_module *m = &a->modules[i];
        if (tp_instance_in_panic(self)) { /* nothing is asked */
            m->heard_ns = now;
        } else if ((double)(now - m->heard_ns) > a->timeout_s * (double)TP_NS_PER_S) {
            return tp_fail(err, TP_E_TIMEOUT, "module %u has said nothing for %.1f s", m->id,
                           a->timeout_s);
        }
    }
    tp_status status = a->watchdog ? say_all(a, AMTEC_WATCHDOG, err) : TP_OK;
    if (!a->in_round) {
        a->in_round = true;
        a->next = 0;
    }
    status = status == TP_OK ? tpi_amtec_say_next(self, err) : status;
    return status == TP_E_DENIED ? TP_OK : status;
}

static void amtec_halt(tp_device *device, tp_halt how)
{
    (void)how;
    tpi_amtec_halt(tp_instance_state(tp_device_instance(device)));
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status amtec_init(tp_instance *self, tp_error *err)
{
    struct amtec *a = tp_instance_state(self);
    const struct classic_number numbers[] = {{"initial_ramp_speed", 0.0001, 10, &a->ramp_speed},
                                             {"initial_ramp_accel", 0.0001, 100, &a->ramp_accel},
                                             {"samplingrate", 5, 1000, &a->period_ms},
                                             {"timeout", 0.3, 3600, &a->timeout_s}};
    tp_status status = tpi_classic_numbers(self, numbers, sizeof numbers / sizeof numbers[0], err);

    status = status == TP_OK ? tpi_amtec_settings(self, a->modules, &a->count, err) : status;
    status = status == TP_OK ? tpi_amtec_line(self, a->line, sizeof a->line, err) : status;
    return status == TP_OK ? tp_offer_actarray(self, NULL, &tpi_amtec_arm_ops, &a->arm, err)
                           : status;
}

/* Ask for a value and wait for it. */
static tp_status learn(tp_instance *self, const struct amtec_module *m, unsigned value,
                       tp_error *err)
{
    struct amtec *a = tp_instance_state(self);
    const int64_t deadline_ns = tpi_classic_now_ns(self) + TP_NS_PER_S;
    tp_status status = ask(self, m, value, err);

    while (status == TP_OK && a->awaiting) {
        uint8_t frame[AMTEC_FRAME];
        status = tp_port_read_all(a->port, frame, sizeof frame, deadline_ns, err);
        for (unsigned i = 0; i < sizeof frame && status == TP_OK; i++) {
            take_byte(self, frame[i]);
        }
    }
    return status == TP_E_TIMEOUT
               ? tp_fail(err, TP_E_TIMEOUT,
                         "%s: module %u does not answer: is it switched on, and the bit rate of "
                         "the bus its own?",
                         tp_port_url(a->port), m->id)
               : status;
}

static tp_status learn_module(tp_instance *self, struct amtec_module *m, tp_error *err)
{
    static const unsigned values[] = {AMTEC_CONFIG,    AMTEC_MIN,       AMTEC_MAX,
                                      AMTEC_MAX_SPEED, AMTEC_MAX_ACCEL, AMTEC_HOME_OFFSET};
    struct amtec *a = tp_instance_state(self);
    tp_status status = TP_OK;

    m->wants = 0;
    m->halted = false;
    for (size_t i = 0; i < sizeof values / sizeof values[0] && status == TP_OK; i++) {
        status = learn(self, m, values[i], err);
    }
    m->ramp_speed = fmin(a->ramp_speed, m->max_speed);
    m->ramp_accel = fmin(a->ramp_accel, m->max_accel);
    a->watchdog = a->watchdog || (m->config & AMTEC_CONFIG_WATCHDOG) != 0;
    status = status == TP_OK ? say_want(self, m, AMTEC_WANT_RESET, err) : status;
    return status == TP_OK ? learn(self, m, AMTEC_STATE, err) : status;
}

static tp_status amtec_start(tp_instance *self, tp_error *err)
{
    struct amtec *a = tp_instance_state(self);
    uint8_t stop[AMTEC_FRAME];
    tp_status status = tp_port_open(&a->port, self, a->line, &(tp_port_settings){0},
                                    tpi_classic_now_ns(self) + 5 * TP_NS_PER_S, err);

    a->off = a->watchdog = a->awaiting = a->in_round = false;
    a->length = 0;
    for (unsigned i = 0; i < a->count && status == TP_OK; i++) {
        status = learn_module(self, &a->modules[i], err);
    }
    tpi_amtec_frame(stop, AMTEC_ALL, 1, AMTEC_HALT, 0, 0);
    status = status == TP_OK ? tp_port_guard(a->port, stop, sizeof stop, err) : status;
    if (status != TP_OK) {
        tp_port_close(a->port);
        a->port = NULL;
        return status;
    }
    for (unsigned i = 0; i < a->count; i++) {
        a->modules[i].heard_ns = tpi_classic_now_ns(self);
    }
    tp_instance_set_period(self, (int64_t)(a->period_ms * (double)TP_NS_PER_MS));
    tp_port_watch(a->port, true);
    return TP_OK;
}

static void amtec_stop(tp_instance *self)
{
    struct amtec *a = tp_instance_state(self);

    tpi_amtec_halt(a);
    tp_port_close(a->port);
    a->port = NULL;
}

static const tp_driver_ops amtec_ops = {
    .init = amtec_init,
    .start = amtec_start,
    .poll = amtec_poll,
    .input = amtec_input,
    .halt = amtec_halt,
    .stop = amtec_stop,
};

extern const tp_driver tp_driver_amtecM5;
TP_API const tp_driver tp_driver_amtecM5 = {
    .abi = TP_DRIVER_ABI,
    .name = "amtecM5",
    .summary = "arms of Amtec (Schunk) PowerCubes",
    .state_size = sizeof(struct amtec),
    .params = amtec_params,
    .ops = &amtec_ops,
};
