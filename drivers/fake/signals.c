/* signals.c - power, dio, aio, log, health and joystick: small values that come and go. */
#include <math.h>

#include "fake.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/health.h"
#include "troupe/interfaces/joystick.h"
#include "troupe/interfaces/log.h"
#include "troupe/interfaces/power.h"

/* ---- power: drains, and is charged when it runs low ------------------------------------------ */

static const double full_j = 36000;
static const double low_j = 7200;
static const double spent_w = 25;
static const double charged_w = 75;

struct power {
    double joules;
    bool docked; /* at a charger */
    bool no_input;
};

static tp_status power_begin(fake_device *d, tp_error *err)
{
    struct power *p = d->state;

    (void)err;
    p->joules = full_j * tpi_fake_random_between(&d->random, 0.6, 1);
    return TP_OK;
}

static double watts(const struct power *p)
{
    return p->docked && !p->no_input ? charged_w - spent_w : -spent_w;
}

/* From one turning point to the next, so that any time may pass at once. */
static void power_advance(fake_device *d, double dt_s)
{
    struct power *p = d->state;

    while (dt_s > 0) {
        const double flow_w = watts(p);
        const double end_j = flow_w > 0 ? full_j : p->docked || p->no_input ? 0 : low_j;
        const double needed_s = fmax(0, (end_j - p->joules) / flow_w);
        const double now_s = fmin(dt_s, needed_s);
        p->joules += flow_w * now_s;
        dt_s -= now_s;
        if (now_s < needed_s || end_j == 0) {
            break; /* out of time, or out of power */
        }
        p->docked = !p->docked;
    }
    p->joules = fmax(0, p->joules);
}

static void power_publish(fake_device *d)
{
    const struct power *p = d->state;
    const double part = p->joules / full_j;
    const tp_power_data data = {
        .valid = TP_POWER_MASK_VOLTS | TP_POWER_MASK_WATTS | TP_POWER_MASK_JOULES |
                 TP_POWER_MASK_PERCENT | TP_POWER_MASK_CHARGING,
        .volts = (float)tpi_fake_measure(d, 10.5 + 2.1 * part),
        .percent = (float)(100 * part),
        .joules = (float)p->joules,
        .watts = (float)watts(p),
        .charging = watts(p) > 0,
    };

    tp_publish(d->device, TP_POWER_DATA_STATE, &data, 0);
}

static tp_status power_policy(tp_device *device, const tp_power_chargepolicy_config *ask,
                              tp_error *err)
{
    (void)err;
    ((struct power *)fake_state(device))->no_input = ask->enable_input == 0;
    return TP_OK;
}

static const tp_power_ops power_ops = {.req_set_charging_policy = power_policy};

/* ---- dio and aio: outputs are wired to the inputs with the same number ----------------------- */

enum { LINES = 8 };

struct dio {
    uint32_t bits;
};

static tp_status dio_begin(fake_device *d, tp_error *err)
{
    (void)err;
    ((struct dio *)d->state)->bits = tpi_fake_random_below(&d->random, 1u << LINES);
    return TP_OK;
}

static void dio_publish(fake_device *d)
{
    const struct dio *dio = d->state;
    const tp_dio_data data = {.count = LINES, .bits = dio->bits};

    tp_publish(d->device, TP_DIO_DATA_VALUES, &data, 0);
}

static tp_status dio_values(tp_device *device, const tp_dio_cmd *ask, tp_error *err)
{
    struct dio *dio = fake_state(device);

    if (ask->count > LINES) {
        return tp_fail(err, TP_E_RANGE, "%u outputs of %d", ask->count, LINES);
    }
    const uint32_t mask = (1u << ask->count) - 1;
    dio->bits = (dio->bits & ~mask) | (ask->digout & mask);
    return TP_OK;
}

static const tp_dio_ops dio_ops = {.cmd_values = dio_values};

struct aio {
    double volts[LINES];
    float told[LINES];
};

static tp_status aio_begin(fake_device *d, tp_error *err)
{
    struct aio *aio = d->state;

    (void)err;
    for (size_t i = 0; i < LINES; i++) {
        aio->volts[i] = tpi_fake_random_between(&d->random, 0, 5);
    }
    return TP_OK;
}

static void aio_publish(fake_device *d)
{
    struct aio *aio = d->state;
    const tp_aio_data data = {.voltages_count = LINES, .voltages = aio->told};

    for (size_t i = 0; i < LINES; i++) {
        aio->told[i] = (float)tpi_fake_measure(d, aio->volts[i]);
    }
    tp_publish(d->device, TP_AIO_DATA_STATE, &data, 0);
}

static tp_status aio_state(tp_device *device, const tp_aio_cmd *ask, tp_error *err)
{
    struct aio *aio = fake_state(device);

    if (ask->id >= LINES) {
        return tp_fail(err, TP_E_RANGE, "there is no output %u", ask->id);
    }
    aio->volts[ask->id] = (double)ask->voltage;
    return TP_OK;
}

static const tp_aio_ops aio_ops = {.cmd_state = aio_state};

/* ---- log: records or plays, whichever was switched last -------------------------------------- */

static tp_status log_write(tp_device *device, const tp_log_set_write_state *ask, tp_error *err)
{
    (void)err;
    *(tp_log_get_state *)fake_state(device) = (tp_log_get_state){TP_LOG_TYPE_WRITE, ask->state};
    return TP_OK;
}

static tp_status log_read(tp_device *device, const tp_log_set_read_state *ask, tp_error *err)
{
    (void)err;
    *(tp_log_get_state *)fake_state(device) = (tp_log_get_state){TP_LOG_TYPE_READ, ask->state};
    return TP_OK;
}

static tp_status log_get(tp_device *device, tp_log_get_state *answer, tp_error *err)
{
    (void)err;
    *answer = *(const tp_log_get_state *)fake_state(device);
    return TP_OK;
}

static const tp_log_ops log_ops = {
    .req_set_write_state = log_write,
    .req_set_read_state = log_read,
    .req_get_state = log_get,
};

/* ---- health ---------------------------------------------------------------------------------- */

static tp_health_memory memory(double total, double used)
{
    return (tp_health_memory){
        .total = (int64_t)total, .used = (int64_t)used, .free = (int64_t)total - (int64_t)used};
}

static void health_publish(fake_device *d)
{
    const double system = tpi_fake_random_between(&d->random, 2, 8);
    const double user = tpi_fake_random_between(&d->random, 5, 30);
    const tp_health_data data = {
        .cpu_usage = {.idle = (float)(100 - system - user),
                      .system = (float)system,
                      .user = (float)user},
        .mem = memory(4e9, tpi_fake_random_between(&d->random, 1e9, 1.1e9)),
        .swap = memory(1e9, 0),
    };

    tp_publish(d->device, TP_HEALTH_DATA_STATE, &data, 0);
}

/* ---- joystick: two axes swing, four buttons are pressed in turn ------------------------------ */

enum { STICK_END = 32767 };

static void stick_publish(fake_device *d)
{
    const double t = tpi_fake_time_s(d);
    const tp_joystick_data data = {
        .pos = {tpi_fake_whole(STICK_END * sin(t)), tpi_fake_whole(STICK_END * cos(t / 2))},
        .scale = {STICK_END, STICK_END},
        .buttons = 1u << (unsigned)fmod(t, 4),
        .axes_count = 2,
    };

    tp_publish(d->device, TP_JOYSTICK_DATA_STATE, &data, 0);
}

const fake_kind tpi_fake_signals[] = {
    {
        .interface = &tp_interface_power,
        .ops = &power_ops,
        .state_size = sizeof(struct power),
        .size = {.sw = 0.1, .sl = 0.2, .sh = 0.1},
        .begin = power_begin,
        .advance = power_advance,
        .publish = power_publish,
    },
    {
        .interface = &tp_interface_dio,
        .ops = &dio_ops,
        .state_size = sizeof(struct dio),
        .begin = dio_begin,
        .publish = dio_publish,
    },
    {
        .interface = &tp_interface_aio,
        .ops = &aio_ops,
        .state_size = sizeof(struct aio),
        .begin = aio_begin,
        .publish = aio_publish,
    },
    {
        .interface = &tp_interface_log,
        .ops = &log_ops,
        .state_size = sizeof(tp_log_get_state),
        .first = &(const tp_log_get_state){.type = TP_LOG_TYPE_WRITE},
    },
    {
        .interface = &tp_interface_health,
        .publish = health_publish,
    },
    {
        .interface = &tp_interface_joystick,
        .publish = stick_publish,
    },
    {0},
};
