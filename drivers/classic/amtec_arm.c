/* amtec_arm.c - commands and requests to an arm of PowerCubes; see amtec.h. */
#include <math.h>

#include "amtec.h"

static const double pi = 3.14159265358979323846;

static struct amtec *amtec_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static double to_client(const struct amtec_module *m, double own)
{
    return (own + m->offset) * m->direction;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status module_at(struct amtec *a, int32_t joint, struct amtec_module **out, tp_error *err)
{
    if (joint < 0 || (uint32_t)joint >= a->count) {
        return tp_fail(err, TP_E_RANGE, "there is no actuator %d", joint);
    }
    *out = &a->modules[joint];
    if (!(*out)->halted && ((*out)->state & (AMTEC_STATE_ERROR | AMTEC_STATE_HALTED)) != 0) {
        return tp_fail(
            err, TP_E_DEVICE,
            "module %u reports an error (state 0x%08x): switching the power on clears it",
            (*out)->id, (unsigned)(*out)->state);
    }
    return TP_OK;
}

static void want(struct amtec *a, struct amtec_module *m, unsigned wants, uint8_t kind, double goal)
{
    if (a->off) {
        return;
    }
    m->wants = (m->wants & AMTEC_WANT_RESET) | wants | (m->halted ? AMTEC_WANT_RESET : 0U);
    m->state &= m->halted ? ~(uint32_t)(AMTEC_STATE_ERROR | AMTEC_STATE_HALTED) : UINT32_MAX;
    m->halted = false;
    m->kind = kind;
    m->goal = goal;
}

/* Where a module is to go; `move` false only checks it. */
static tp_status go(struct amtec *a, int32_t joint, double position, bool move, tp_error *err)
{
    struct amtec_module *m = NULL;
    const tp_status status = module_at(a, joint, &m, err);

    if (status != TP_OK) {
        return status;
    }
    const bool turns = (m->config & AMTEC_CONFIG_LINEAR) == 0;
    const double wanted = m->normalize && turns ? remainder(position, 2 * pi) : position;
    const double own = wanted * m->direction - m->offset;
    if (!(own >= m->min && own <= m->max)) {
        const double ends[2] = {to_client(m, m->min), to_client(m, m->max)};
        return tp_fail(err, TP_E_RANGE, "position %g of actuator %d is not from %g to %g", position,
                       joint, fmin(ends[0], ends[1]), fmax(ends[0], ends[1]));
    }
    if (move) {
        want(a, m, AMTEC_WANT_SPEED | AMTEC_WANT_ACCEL | AMTEC_WANT_MOVE, AMTEC_TO_POSITION, own);
    }
    return TP_OK;
}

static tp_status turn(struct amtec *a, int32_t joint, double speed, bool move, tp_error *err)
{
    struct amtec_module *m = NULL;
    const tp_status status = module_at(a, joint, &m, err);

    if (status != TP_OK) {
        return status;
    }
    if (!(fabs(speed) <= m->max_speed)) {
        return tp_fail(err, TP_E_RANGE, "speed %g of actuator %d is above %g", speed, joint,
                       m->max_speed);
    }
    if (move) {
        want(a, m, AMTEC_WANT_MOVE, AMTEC_WITH_SPEED, speed * m->direction);
    }
    return TP_OK;
}

/* All of them are checked before the first one moves. */
static tp_status each(tp_device *device,
                      tp_status (*one)(struct amtec *, int32_t, double, bool, tp_error *),
                      const float *values, uint32_t count, tp_error *err)
{
    struct amtec *a = amtec_of(device);
    tp_status status = TP_OK;

    for (unsigned move = 0; move < 2; move++) {
        for (uint32_t i = 0; i < count && status == TP_OK; i++) {
            status = one(a, (int32_t)i, (double)values[i], move != 0, err);
        }
    }
    return status == TP_OK ? tpi_amtec_say_next(tp_device_instance(device), err) : status;
}

static tp_status cmd_pos(tp_device *device, const tp_actarray_position_cmd *c, tp_error *err)
{
    const tp_status status = go(amtec_of(device), c->joint, (double)c->position, true, err);

    return status == TP_OK ? tpi_amtec_say_next(tp_device_instance(device), err) : status;
}

static tp_status cmd_speed(tp_device *device, const tp_actarray_speed_cmd *c, tp_error *err)
{
    const tp_status status = turn(amtec_of(device), c->joint, (double)c->speed, true, err);

    return status == TP_OK ? tpi_amtec_say_next(tp_device_instance(device), err) : status;
}

static tp_status cmd_multi_pos(tp_device *device, const tp_actarray_multi_position_cmd *c,
                               tp_error *err)
{
    return each(device, go, c->positions, c->positions_count, err);
}

static tp_status cmd_multi_speed(tp_device *device, const tp_actarray_multi_speed_cmd *c,
                                 tp_error *err)
{
    return each(device, turn, c->speeds, c->speeds_count, err);
}

static tp_status cmd_home(tp_device *device, const tp_actarray_home_cmd *c, tp_error *err)
{
    struct amtec *a = amtec_of(device);
    struct amtec_module *m = NULL;
    const int32_t first = c->joint == -1 ? 0 : c->joint;
    const int32_t last = c->joint == -1 ? (int32_t)a->count - 1 : c->joint;
    tp_status status = TP_OK;

    for (int32_t i = first; i <= last && status == TP_OK; i++) {
        status = module_at(a, i, &m, err);
    }
    for (int32_t i = first; i <= last && status == TP_OK; i++) {
        want(a, &a->modules[i], AMTEC_WANT_HOME, 0, 0);
    }
    return status == TP_OK ? tpi_amtec_say_next(tp_device_instance(device), err) : status;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static tp_status get_geom(tp_device *device, tp_actarray_geom *answer, tp_error *err)
{
    struct amtec *a = amtec_of(device);

    (void)err;
    for (unsigned i = 0; i < a->count; i++) {
        const struct amtec_module *m = &a->modules[i];
        const double ends[2] = {to_client(m, m->min), to_client(m, m->max)};
        a->geom[i] = (tp_actarray_actuatorgeom){.type = (m->config & AMTEC_CONFIG_LINEAR) != 0
                                                            ? TP_ACTARRAY_TYPE_LINEAR
                                                            : TP_ACTARRAY_TYPE_ROTARY,
                                                .axis = {.pz = 1},
                                                .min = (float)fmin(ends[0], ends[1]),
                                                .centre = (float)((ends[0] + ends[1]) / 2),
                                                .max = (float)fmax(ends[0], ends[1]),
                                                .home = (float)to_client(m, m->home),
                                                .config_speed = (float)m->ramp_speed,
                                                .hasbrakes = (m->config & AMTEC_CONFIG_BRAKE) != 0};
    }
    *answer = (tp_actarray_geom){.actuators_count = a->count, .actuators = a->geom};
    return TP_OK;
}

static tp_status req_power(tp_device *device, const tp_actarray_power_config *c, tp_error *err)
{
    struct amtec *a = amtec_of(device);

    a->off = c->value == 0;
    if (a->off) {
        tpi_amtec_halt(a);
        return TP_OK;
    }
    for (unsigned i = 0; i < a->count; i++) {
        a->modules[i].halted = true; /* so that errors are cleared too */
        want(a, &a->modules[i], 0, 0, 0);
    }
    return tpi_amtec_say_next(tp_device_instance(device), err);
}

static tp_status ramp(tp_device *device, int32_t joint, double value, bool is_speed, tp_error *err)
{
    struct amtec *a = amtec_of(device);

    if (joint < 0 || (uint32_t)joint >= a->count) {
        return tp_fail(err, TP_E_RANGE, "there is no actuator %d", joint);
    }
    struct amtec_module *m = &a->modules[joint];
    const double most = is_speed ? m->max_speed : m->max_accel;
    if (!(value > 0 && value <= most)) {
        return tp_fail(err, TP_E_RANGE, "%s %g of actuator %d is not from 0 to %g",
                       is_speed ? "speed" : "acceleration", value, joint, most);
    }
    *(is_speed ? &m->ramp_speed : &m->ramp_accel) = value;
    return TP_OK;
}

static tp_status req_speed(tp_device *device, const tp_actarray_speed_config *c, tp_error *err)
{
    return ramp(device, c->joint, (double)c->speed, true, err);
}

static tp_status req_accel(tp_device *device, const tp_actarray_accel_config *c, tp_error *err)
{
    return ramp(device, c->joint, (double)c->accel, false, err);
}

const tp_actarray_ops tpi_amtec_arm_ops = {
    .req_power = req_power,
    .req_get_geom = get_geom,
    .req_speed = req_speed,
    .req_accel = req_accel,
    .cmd_pos = cmd_pos,
    .cmd_multi_pos = cmd_multi_pos,
    .cmd_speed = cmd_speed,
    .cmd_multi_speed = cmd_multi_speed,
    .cmd_home = cmd_home,
};
