/*
 * wave.c - a driver that lets a camera look left and right, with commands at given times.
 *
 * It requires a `ptz` and offers nothing. Every 0.1 s it posts what the camera does 0.3 to 0.4 s
 * later, so that the camera moves evenly even if this driver is late.
 */
#include <math.h>

#include "troupe/driver.h"
#include "troupe/interfaces/ptz.h"

enum { STEP_MS = 20, POLL_MS = 100, AHEAD_MS = 400, LEASE_MS = 1000 };

struct wave {
    tp_link *camera;
    tp_grant *grant;   /* NULL while there is none */
    bool asked;        /* for one */
    int64_t posted_ns; /* commands are posted up to this time */
    double amplitude;  /* radians */
};

static void wave_granted(tp_instance *self, void *context, tp_status status, tp_grant *grant,
                         const char *why)
{
    struct wave *wave = context;

    wave->asked = false;
    wave->grant = grant;
    if (status != TP_OK) { /* poll asks again */
        tp_instance_note(self, why);
    }
}

/* A panic, a joystick, a lost lease: everything that waited was dropped. */
static void wave_ended(tp_instance *self, void *context, tp_grant *grant, tp_status status,
                       const char *why)
{
    struct wave *wave = context;

    (void)status;
    tp_instance_note(self, why);
    tp_grant_end(grant);
    wave->grant = NULL;
}

static void ask(struct wave *wave)
{
    const tp_grant_options options = {.capacity = 64,
                                      .lease_ns = LEASE_MS * TP_NS_PER_MS,
                                      .done = wave_granted,
                                      .ended = wave_ended,
                                      .context = wave};

    wave->asked = tp_link_grant(wave->camera, &options) == TP_OK;
}

static tp_status post_ahead(struct wave *wave, int64_t now_ns)
{
    tp_status status = TP_OK;

    if (wave->posted_ns < now_ns) { /* the first time, or after a pause */
        wave->posted_ns = now_ns;
    }
    while (status == TP_OK && wave->posted_ns < now_ns + AHEAD_MS * TP_NS_PER_MS) {
        const double seconds = (double)wave->posted_ns / (double)TP_NS_PER_S;
        const tp_ptz_cmd look = {.pan = (float)(wave->amplitude * sin(seconds))};
        status = tp_grant_post(wave->grant, wave->posted_ns, TP_PTZ_CMD_STATE, &look);
        wave->posted_ns += STEP_MS * TP_NS_PER_MS;
    }
    return status;
}

static tp_status wave_poll(tp_instance *self, tp_error *err)
{
    struct wave *wave = tp_instance_state(self);

    (void)err;
    if (wave->grant != NULL) {
        (void)tp_grant_renew(wave->grant); /* wave_ended() is called if it is too late */
        (void)post_ahead(wave, tp_clock_now_ns(tp_instance_clock(self)));
    } else if (!wave->asked) {
        ask(wave);
    }
    return TP_OK;
}

/* The grant ends with the instance. */
static void wave_stop(tp_instance *self)
{
    struct wave *wave = tp_instance_state(self);

    wave->grant = NULL;
}

static tp_status wave_init(tp_instance *self, tp_error *err)
{
    struct wave *wave = tp_instance_state(self);

    wave->amplitude = tp_param_double(self, "amplitude");
    tp_instance_stay_on(self);
    tp_instance_set_period(self, POLL_MS * TP_NS_PER_MS);
    return tp_require(self, &tp_interface_ptz, NULL, &wave->camera, err);
}

static const tp_param wave_params[] = {
    {"amplitude", "rad", "0.5", "how far it looks to each side"},
    {NULL, NULL, NULL, NULL},
};

static const tp_driver_ops wave_ops = {.init = wave_init, .poll = wave_poll, .stop = wave_stop};

extern const tp_driver tp_driver_wave;
const tp_driver tp_driver_wave = {
    .abi = TP_DRIVER_ABI,
    .name = "wave",
    .summary = "lets a camera look left and right",
    .state_size = sizeof(struct wave),
    .params = wave_params,
    .ops = &wave_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
