/*
 * nxt - LEGO NXT by the name of Player's driver: each motor is a position1d.
 *
 * Telegrams of the brick, with their length in front, as on Bluetooth. The driver asks one motor
 * after the other for its counter; the brick answers one telegram at a time. `robotfile` with
 * robots/nxt.xml offers the whole robot, with sensors.
 */
#include <math.h>
#include <string.h>

#include "numbers.h"
#include "troupe/driver/position1d.h"
#include "troupe/driver/power.h"

enum { MOTORS = 3, LONGEST = 66, OUTPUT = 25, BATTERY = 5, SET = 14 };

struct motor {
    tp_device *device;                 /* NULL if not offered */
    double max_power, max_speed, rate; /* percent, m/s at that, m per degree */
    tp_position1d_data state;
    bool known;
    int32_t count;      /* degrees, of the last answer */
    int32_t base_count; /* the same where the speed is measured from */
    int64_t base_ns;
};

struct nxt {
    struct motor motors[MOTORS];
    tp_device *power;
    tp_port *port; /* owned; NULL unless it runs */
    double period_s, timeout_s;
    uint8_t bytes[LONGEST];
    size_t length;
    int asked; /* a motor, or MOTORS for the battery; -1 for nothing */
    unsigned next;
    int64_t heard_ns, asked_ns, volts_ns, alive_ns;
};

static const tp_param nxt_params[] = {
    {"port", "line", "/dev/rfcomm0", "the line, for instance of Bluetooth"},
    {"max_power", "1", "100 100 100", "percent of power at max_speed, for the motors A, B and C"},
    {"max_speed", "1", "0.44 0.44 0.44", "m/s at max_power; commands above it are limited"},
    {"odom_rate", "1", "0.000489 0.000489 0.000489", "metres for each degree of a motor"},
    {"period", "s", "0.05", "how often the motors are asked"},
    {"timeout", "s", "3", "a brick that is silent for so long is started anew"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Telegrams ------------------------------------------------------------------------------- */

/* SETOUTPUTSTATE, which is not answered: power, with brakes and regulated speed. */
static size_t put_power(uint8_t out[SET], uint8_t motor, int power)
{
    const uint8_t telegram[SET] = {
        SET - 2, 0, 0x80, 4, motor, (uint8_t)(int8_t)power, 7, power != 0, 0, 0x20, 0, 0, 0, 0};

    memcpy(out, telegram, SET);
    return SET;
}

static tp_status ask(tp_instance *self, int what, tp_error *err)
{
    struct nxt *n = tp_instance_state(self);
    const uint8_t motor[] = {3, 0, 0, 6, (uint8_t)what}, battery[] = {2, 0, 0, 0x0b};

    n->asked = what;
    n->asked_ns = tpi_classic_now_ns(self);
    return what < MOTORS ? tp_port_write(n->port, motor, sizeof motor, err)
                         : tp_port_write(n->port, battery, sizeof battery, err);
}

/* The next motor that somebody has, or the battery once a second. */
static tp_status ask_next(tp_instance *self, tp_error *err)
{
    static const uint8_t keep_alive[] = {2, 0, 0x80, 0x0d};
    struct nxt *n = tp_instance_state(self);
    const int64_t now = tpi_classic_now_ns(self);

    if (n->asked >= 0 && now - n->asked_ns < TP_NS_PER_S) {
        return TP_OK;
    }
    if (now - n->alive_ns >= 60 * TP_NS_PER_S) { /* or it switches itself off */
        n->alive_ns = now;
        return tp_port_write(n->port, keep_alive, sizeof keep_alive, err);
    }
    if (now - n->volts_ns >= TP_NS_PER_S) {
        n->volts_ns = now;
        return ask(self, MOTORS, err);
    }
    for (unsigned i = 0; i < MOTORS; i++) {
        n->next = (n->next + 1) % MOTORS;
        if (n->motors[n->next].device != NULL) {
            return ask(self, (int)n->next, err);
        }
    }
    return TP_OK;
}

/* ---- Hearing --------------------------------------------------------------------------------- */

static int32_t i32(const uint8_t *at)
{
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                     (uint32_t)at[3] << 24);
}

/* The speed is the way since an answer that is not too new. */
static void measure(struct motor *m, int32_t count, int64_t now)
{
    const double seconds = (double)(now - m->base_ns) / (double)TP_NS_PER_S;

    if (!m->known || seconds >= 0.02) {
        const int32_t way = (int32_t)((uint32_t)count - (uint32_t)m->base_count);
        m->state.vel = m->known ? (float)(way * m->rate / seconds) : 0;
        m->base_count = count;
        m->base_ns = now;
    }
}

static void take_output(struct nxt *n, const uint8_t *telegram, int64_t now)
{
    struct motor *m = &n->motors[telegram[3] % MOTORS];
    const int32_t count = i32(telegram + 21);

    if (m->device == NULL) {
        return;
    }
    measure(m, count, now);
    m->state.pos +=
        m->known ? (float)((int32_t)((uint32_t)count - (uint32_t)m->count) * m->rate) : 0;
    m->state.status = 1 << TP_POSITION1D_STATUS_ENABLED;
    m->known = true;
    m->count = count;
    tp_position1d_publish_state(m->device, &m->state, 0);
}

static void take_telegram(tp_instance *self)
{
    struct nxt *n = tp_instance_state(self);
    const uint8_t *telegram = n->bytes + 2;
    const size_t length = n->bytes[0];

    if (length < 3 || telegram[0] != 2) {
        return;
    }
    n->heard_ns = tpi_classic_now_ns(self);
    n->asked = -1;
    if (telegram[1] == 6 && telegram[2] == 0 && length == OUTPUT) {
        take_output(n, telegram, n->asked_ns); /* it is as old as the question */
    } else if (telegram[1] == 0x0b && telegram[2] == 0 && length == BATTERY && n->power != NULL) {
        const tp_power_data data = {.valid = TP_POWER_MASK_VOLTS,
                                    .volts = (float)((telegram[3] | telegram[4] << 8) / 1000.0)};
        tp_power_publish_state(n->power, &data, 0);
    }
}

static tp_status nxt_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct nxt *n = tp_instance_state(self);
    uint8_t bytes[128];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            n->bytes[n->length++] = bytes[i];
            if (n->length == 2 && (n->bytes[0] > LONGEST - 2 || n->bytes[1] != 0)) {
                n->bytes[0] = n->bytes[1]; /* no length: look further */
                n->length = 1;
            } else if (n->length >= 2 && n->length == n->bytes[0] + 2U) {
                take_telegram(self);
                n->length = 0;
            }
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static tp_status nxt_poll(tp_instance *self, tp_error *err)
{
    const struct nxt *n = tp_instance_state(self);
    tp_status status = tp_instance_in_panic(self)
                           ? TP_OK
                           : tpi_classic_check(self, n->heard_ns, n->timeout_s, "the brick", err);

    status = status == TP_OK ? ask_next(self, err) : status;
    return status == TP_E_DENIED ? TP_OK : status; /* a panic */
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status set_power(tp_device *device, int power, tp_error *err)
{
    struct nxt *n = tp_instance_state(tp_device_instance(device));
    uint8_t out[SET];

    for (uint8_t i = 0; i < MOTORS; i++) {
        if (n->motors[i].device == device) {
            return tp_port_write(n->port, out, put_power(out, i, power), err);
        }
    }
    return TP_OK;
}

static tp_status cmd_vel(tp_device *device, const tp_position1d_cmd_vel *ask_for, tp_error *err)
{
    const struct motor *m = tp_device_context(device);

    if (!isfinite(ask_for->vel)) {
        return tp_fail(err, TP_E_RANGE, "a speed is a number");
    }
    const double share = fmax(-1, fmin(1, (double)ask_for->vel / m->max_speed));
    return set_power(device, (int)lrint(share * m->max_power), err);
}

static tp_status get_geom(tp_device *device, tp_position1d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->size = (tp_bbox3d){.sl = 0.11, .sw = 0.04, .sh = 0.05};
    return TP_OK;
}

static tp_status reset_odom(tp_device *device, const tp_position1d_reset_odom_config *ask_for,
                            tp_error *err)
{
    (void)ask_for;
    (void)err;
    ((struct motor *)tp_device_context(device))->state.pos = 0;
    return TP_OK;
}

static const tp_position1d_ops motor_ops = {
    .cmd_vel = cmd_vel, .req_get_geom = get_geom, .req_reset_odom = reset_odom};
static const tp_power_ops power_ops = {0};

static void nxt_halt(tp_device *device, tp_halt how)
{
    (void)how;
    (void)set_power(device, 0, NULL);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_motor(tp_instance *self, unsigned i, tp_error *err)
{
    struct nxt *n = tp_instance_state(self);
    struct motor *m = &n->motors[i];
    const struct {
        const char *name;
        double low, high;
        double *out;
    } values[] = {{"max_power", 1, 100, &m->max_power},
                  {"max_speed", 0.001, 10, &m->max_speed},
                  {"odom_rate", -1, 1, &m->rate}};

    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        const size_t count = tp_param_count(self, values[k].name);
        *values[k].out =
            count == 0 ? 0 : tp_param_double_at(self, values[k].name, i < count ? i : 0);
        if (!(*values[k].out >= values[k].low && *values[k].out <= values[k].high)) {
            tp_param_blame(self, values[k].name);
            return tp_fail(err, TP_E_RANGE, "%s has values from %g to %g", values[k].name,
                           values[k].low, values[k].high);
        }
    }
    return TP_OK;
}

static tp_status nxt_init(tp_instance *self, tp_error *err)
{
    static const char *const keys[MOTORS] = {"A", "B", "C"};
    struct nxt *n = tp_instance_state(self);
    const struct classic_number numbers[] = {{"period", 0.01, 10, &n->period_s},
                                             {"timeout", 1.5, 3600, &n->timeout_s}};
    tp_status status = tpi_classic_numbers(self, numbers, 2, err);

    for (unsigned i = 0; i < MOTORS && status == TP_OK; i++) {
        status = read_motor(self, i, err);
        if (status == TP_OK && tp_provides(self, &tp_interface_position1d, keys[i])) {
            status = tp_offer_position1d(self, keys[i], &motor_ops, &n->motors[i].device, err);
        }
        if (status == TP_OK && n->motors[i].device != NULL) {
            tp_device_set_context(n->motors[i].device, &n->motors[i]);
        }
    }
    if (status == TP_OK && tp_provides(self, &tp_interface_power, NULL)) {
        status = tp_offer_power(self, NULL, &power_ops, &n->power, err);
    }
    return status;
}

/* The battery is asked for: a brick answers. */
static tp_status find_brick(tp_instance *self, tp_error *err)
{
    struct nxt *n = tp_instance_state(self);
    const int64_t deadline_ns = tpi_classic_now_ns(self) + 2 * TP_NS_PER_S;
    uint8_t answer[2 + BATTERY];
    tp_status status = ask(self, MOTORS, err);

    status = status == TP_OK ? tp_port_read_all(n->port, answer, sizeof answer, deadline_ns, err)
                             : status;
    n->asked = -1;
    return status == TP_E_TIMEOUT || (status == TP_OK && (answer[2] != 2 || answer[3] != 0x0b))
               ? tp_fail(err, TP_E_TIMEOUT, "%s: no NXT answers: is it switched on?",
                         tp_port_url(n->port))
               : status;
}

static tp_status nxt_start(tp_instance *self, tp_error *err)
{
    struct nxt *n = tp_instance_state(self);
    uint8_t guard[2 * SET] = {0}; /* a telegram that was begun, and no power for all motors */
    tp_status status = tpi_classic_open(&n->port, self, 115200, err);

    n->length = 0;
    for (unsigned i = 0; i < MOTORS; i++) {
        n->motors[i].known = false;
        n->motors[i].state = (tp_position1d_data){0};
    }
    status = status == TP_OK ? find_brick(self, err) : status;
    if (status == TP_OK) {
        (void)put_power(guard + SET, 0xff, 0);
        status = tp_port_guard(n->port, guard, sizeof guard, err);
    }
    if (status != TP_OK) {
        tp_port_close(n->port);
        n->port = NULL;
        return status;
    }
    n->heard_ns = n->alive_ns = tpi_classic_now_ns(self);
    n->volts_ns = n->heard_ns - TP_NS_PER_S;
    tp_instance_set_period(self, (int64_t)(n->period_s / MOTORS * (double)TP_NS_PER_S));
    tp_port_watch(n->port, true);
    return TP_OK;
}

static void nxt_stop(tp_instance *self)
{
    struct nxt *n = tp_instance_state(self);
    uint8_t out[SET];

    (void)tp_port_write(n->port, out, put_power(out, 0xff, 0), NULL);
    tp_port_close(n->port);
    n->port = NULL;
}

static const tp_driver_ops nxt_ops = {
    .init = nxt_init,
    .start = nxt_start,
    .poll = nxt_poll,
    .input = nxt_input,
    .halt = nxt_halt,
    .stop = nxt_stop,
};

extern const tp_driver tp_driver_nxt;
TP_API const tp_driver tp_driver_nxt = {
    .abi = TP_DRIVER_ABI,
    .name = "nxt",
    .summary = "motors of a LEGO NXT, each as a position1d",
    .state_size = sizeof(struct nxt),
    .params = nxt_params,
    .ops = &nxt_ops,
};
