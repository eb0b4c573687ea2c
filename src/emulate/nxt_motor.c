/*
 * nxt_motor.c - the three motors of an NXT, with regulation, ramps and tachometers.
 *
 * B and C are the wheels, left and right. A turns freely. Speeds follow power with the lag of a
 * motor. What blocks the body blocks the wheels.
 */
#include <math.h>

#include "emulate/nxt.h"

enum { MODE_ON = 0x01, MODE_BRAKE = 0x02, MODE_REGULATED = 0x04 };
enum { REGULATE_SYNC = 0x02 };
enum { RUN_IDLE = 0x00, RUN_UP = 0x10, RUN_ON = 0x20, RUN_DOWN = 0x40 };
enum { LEFT = 1, RIGHT = 2 }; /* B, C */

static const double degrees_per_power = 9;                        /* per second, for each percent */
static const double wheel_metre = 0.056 * 3.14159265358979323846; /* around */
static const double lag_s = 0.05, brake_s = 0.02, coast_s = 0.25;

/* ---- Speeds ---------------------------------------------------------------------------------- */

static bool is_on(const struct nxt_motor *m)
{
    return (m->mode & MODE_ON) != 0 && m->run_state != RUN_IDLE;
}

static bool is_synchronous(const struct nxt_motor *m)
{
    return is_on(m) && (m->mode & MODE_REGULATED) != 0 && m->regulation == REGULATE_SYNC;
}

/* How much of its speed a synchronised motor has: the inner one is slower, or turns back. */
static double share(const struct nxt *nxt, unsigned index)
{
    const struct nxt_motor *m = &nxt->motors[index];
    unsigned other = NXT_MOTORS;

    for (unsigned i = 0; i < NXT_MOTORS; i++) {
        other = i != index && is_synchronous(&nxt->motors[i]) ? i : other;
    }
    if (!is_synchronous(m) || other == NXT_MOTORS) {
        return 1;
    }
    const bool inner = m->turn > 0 ? index > other : index < other;
    return inner ? 1 - 2 * fabs((double)m->turn) / 100 : 1;
}

/* How far it is on its way to the limit, from 0 to 1. */
static double progress(const struct nxt_motor *m)
{
    return m->limit == 0 ? 0 : fmin(fabs(m->turned - m->began) / m->limit, 1);
}

static double goal_of(const struct nxt *nxt, unsigned index)
{
    const struct nxt_motor *m = &nxt->motors[index];
    const double full = is_on(m) ? m->power * degrees_per_power * share(nxt, index) : 0;

    switch (m->run_state) {
    case RUN_UP:
        return full * fmax(progress(m), 0.1);
    case RUN_DOWN:
        return full * fmax(1 - progress(m), 0.1);
    default:
        return full;
    }
}

static void accelerate(struct nxt_motor *m, double goal, double seconds)
{
    const double lag = fabs(goal) > 0 ? lag_s : (m->mode & MODE_BRAKE) != 0 ? brake_s : coast_s;
    m->speed += (goal - m->speed) * (1 - exp(-seconds / lag));
    if (fabs(m->speed) < 0.5 && goal == 0) {
        m->speed = 0;
    }
}

/* ---- Time ------------------------------------------------------------------------------------ */

static double metres_of(double degrees)
{
    return degrees / 360 * wheel_metre;
}

/* What the wheels did in the last step is what the body did. */
static void take_turns(tpi_emu *emu, double seconds)
{
    struct nxt *nxt = nxt_of(emu);

    for (unsigned i = 0; i < NXT_MOTORS; i++) {
        struct nxt_motor *m = &nxt->motors[i];
        if (i == LEFT || i == RIGHT) {
            const double done = emu->body.turned[i - LEFT] / wheel_metre * 360;
            m->speed = emu->body.blocked ? done : m->speed;
            m->turned += done * seconds;
        } else {
            m->turned += m->speed * seconds;
        }
        if (m->limit > 0 && is_on(m) && progress(m) >= 1) {
            m->run_state = RUN_IDLE;
        }
    }
}

void tpi_nxt_motors_tick(tpi_emu *emu)
{
    struct nxt *nxt = nxt_of(emu);
    const double seconds = (double)emu->step_us * 1e-6;

    take_turns(emu, seconds);
    for (unsigned i = 0; i < NXT_MOTORS; i++) {
        accelerate(&nxt->motors[i], emu->body.empty ? 0 : goal_of(nxt, i), seconds);
    }
    tpi_body_drive(&emu->body, metres_of(nxt->motors[LEFT].speed),
                   metres_of(nxt->motors[RIGHT].speed));
}

void tpi_nxt_motors_stop(tpi_emu *emu)
{
    struct nxt *nxt = nxt_of(emu);

    for (unsigned i = 0; i < NXT_MOTORS; i++) {
        nxt->motors[i].run_state = RUN_IDLE;
        nxt->motors[i].mode = 0;
        nxt->motors[i].power = 0;
    }
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void set_one(struct nxt_motor *m, const uint8_t *data)
{
    m->power = (int8_t)data[1];
    m->mode = data[2];
    m->regulation = data[3];
    m->turn = (int8_t)data[4];
    m->run_state = data[5];
    m->limit = tpi_get_le32(data + 6);
    m->began = m->turned;
}

static bool in_percent(uint8_t byte)
{
    return (int8_t)byte >= -100 && (int8_t)byte <= 100;
}

static uint8_t set_output_state(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt *nxt = nxt_of(emu);
    const uint8_t port = call->data[0];

    if ((port >= NXT_MOTORS && port != 0xff) || !in_percent(call->data[1]) ||
        !in_percent(call->data[4])) {
        return NXT_RANGE;
    }
    for (unsigned i = 0; i < NXT_MOTORS; i++) {
        if (port == i || port == 0xff) {
            set_one(&nxt->motors[i], call->data);
        }
    }
    return NXT_OK;
}

static uint8_t get_output_state(tpi_emu *emu, struct nxt_call *call)
{
    const uint8_t port = call->data[0];
    uint8_t *reply = call->reply;

    call->reply_length = 22;
    if (port >= NXT_MOTORS) {
        return NXT_RANGE;
    }
    const struct nxt_motor *m = &nxt_of(emu)->motors[port];
    reply[0] = port;
    reply[1] = (uint8_t)m->power;
    reply[2] = m->mode;
    reply[3] = m->regulation;
    reply[4] = (uint8_t)m->turn;
    reply[5] = m->run_state;
    tpi_put_le32(reply + 6, m->limit);
    tpi_put_le32(reply + 10, (uint32_t)(int32_t)lround(fmod(m->turned, 2147483648.0)));
    tpi_put_le32(reply + 14, (uint32_t)(int32_t)lround(fmod(m->turned - m->block, 2147483648.0)));
    tpi_put_le32(reply + 18,
                 (uint32_t)(int32_t)lround(fmod(m->turned - m->rotation, 2147483648.0)));
    return NXT_OK;
}

static uint8_t reset_motor_position(tpi_emu *emu, struct nxt_call *call)
{
    if (call->data[0] >= NXT_MOTORS) {
        return NXT_RANGE;
    }
    struct nxt_motor *m = &nxt_of(emu)->motors[call->data[0]];
    if (call->data[1] != 0) {
        m->block = m->turned;
    } else {
        m->rotation = m->turned;
    }
    return NXT_OK;
}

const struct nxt_command tpi_nxt_motor_commands[] = {
    {0x04, "SETOUTPUTSTATE", 10, set_output_state},
    {0x06, "GETOUTPUTSTATE", 1, get_output_state},
    {0x0a, "RESETMOTORPOSITION", 2, reset_motor_position},
    {0},
};
