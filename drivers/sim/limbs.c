/*
 * limbs.c - limb: the tip of a chain of actuators.
 *
 * The world is flat, so the tip always points level: a direction that does not is out of reach.
 */
#include <math.h>

#include "sim/move/limb.h"
#include "simulator.h"
#include "troupe/interfaces/limb.h"

static const double level = 1e-3; /* of a vector's length: how far from level a direction may be */

struct limb {
    bool off;
    bool braked;
    bool refused; /* the last command asked for a direction that the tip cannot have */
};

/* It stands on an actuator. */
static bool limb_has(const simd *s, tpi_sim_model model)
{
    tpi_sim_limb limb;

    return tpi_sim_get_limb(s->world, model, &limb, NULL) == TP_OK && limb.joint_count > 0;
}

/* The joints work with it. */
static void limb_subscribe(simd_device *d, bool subscribed)
{
    tpi_sim_limb limb = {0};

    (void)tpi_sim_get_limb(d->owner->world, d->model, &limb, NULL);
    for (uint32_t i = 0; i < limb.joint_count; i++) {
        if (subscribed) {
            tpi_sim_subscribe(d->owner->world, limb.joints[i]);
        } else {
            tpi_sim_unsubscribe(d->owner->world, limb.joints[i]);
        }
    }
}

static void limb_halt(simd_device *d)
{
    (void)tpi_sim_limb_stop(d->owner->world, d->model, NULL);
}

/* The world has gone back, and knows neither of power nor of brakes. */
static void limb_return(simd_device *d)
{
    const struct limb *l = d->state;

    if (l->off || l->braked) {
        limb_halt(d);
    }
}

static uint8_t state_of(const struct limb *l, const tpi_sim_limb *limb)
{
    static const uint8_t states[] = {
        [TPI_SIM_LIMB_IDLE] = TP_LIMB_STATE_IDLE,
        [TPI_SIM_LIMB_MOVING] = TP_LIMB_STATE_MOVING,
        [TPI_SIM_LIMB_OUT_OF_REACH] = TP_LIMB_STATE_OOR,
        [TPI_SIM_LIMB_BLOCKED] = TP_LIMB_STATE_COLL,
    };

    if (l->braked) {
        return TP_LIMB_STATE_BRAKED;
    }
    return l->refused ? TP_LIMB_STATE_OOR : states[limb->state];
}

static void limb_publish(simd_device *d)
{
    tpi_sim_limb limb;

    if (!tpi_simd_is_due(d) || tpi_sim_get_limb(d->owner->world, d->model, &limb, NULL) != TP_OK) {
        return;
    }
    const double c = cos(limb.tip.a);
    const double s = sin(limb.tip.a);
    const tp_limb_data data = {.position = {limb.tip.x, limb.tip.y, limb.tip.z},
                               .approach = {c, s, 0},
                               .orientation = {-s, c, 0},
                               .state = state_of(d->state, &limb)};
    tp_publish(d->device, TP_LIMB_DATA_STATE, &data, tpi_simd_time_s(d->owner));
}

/* ---- Commands -------------------------------------------------------------------------------- */

static bool is_number(const tp_point_3d *p)
{
    return isfinite(p->px) && isfinite(p->py) && isfinite(p->pz);
}

static tp_status check_points(const char *name, const tp_point_3d *p, tp_error *err)
{
    return is_number(p) ? TP_OK : tp_fail(err, TP_E_RANGE, "%s is not a place or direction", name);
}

/* Without power or with its brakes on it hears and does not move. */
static bool is_held(const struct limb *l)
{
    return l->off || l->braked;
}

static tp_status reach(tp_device *device, const tpi_sim_reach *where, tp_error *err)
{
    const simd_device *d = simd_of(device);
    struct limb *l = d->state;

    l->refused = false;
    return is_held(l) ? TP_OK : tpi_sim_limb_reach(d->owner->world, d->model, where, err);
}

static tp_status cmd_home(tp_device *device, tp_error *err)
{
    const simd_device *d = simd_of(device);
    struct limb *l = d->state;

    l->refused = false;
    return is_held(l) ? TP_OK : tpi_sim_limb_home(d->owner->world, d->model, err);
}

static tp_status cmd_stop(tp_device *device, tp_error *err)
{
    const simd_device *d = simd_of(device);

    ((struct limb *)d->state)->refused = false;
    return tpi_sim_limb_stop(d->owner->world, d->model, err);
}

static double length_of(const tp_point_3d *p)
{
    return sqrt(p->px * p->px + p->py * p->py + p->pz * p->pz);
}

/* A direction of length 0 is none: any will do. */
static tp_status cmd_setpose(tp_device *device, const tp_limb_setpose_cmd *ask, tp_error *err)
{
    const double length = length_of(&ask->approach);
    const tpi_sim_reach where = {.x = ask->position.px,
                                 .y = ask->position.py,
                                 .z = ask->position.pz,
                                 .has_heading = length > 0,
                                 .heading = atan2(ask->approach.py, ask->approach.px)};
    tp_status status = check_points("position", &ask->position, err);

    status = status == TP_OK ? check_points("approach", &ask->approach, err) : status;
    status = status == TP_OK ? check_points("orientation", &ask->orientation, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (fabs(ask->approach.pz) > level * length ||
        fabs(ask->orientation.pz) > level * length_of(&ask->orientation)) {
        limb_halt(simd_of(device));
        ((struct limb *)simd_state(device))->refused = true;
        return TP_OK; /* its state tells that it is out of reach */
    }
    return reach(device, &where, err);
}

static tp_status cmd_setposition(tp_device *device, const tp_limb_setposition_cmd *ask,
                                 tp_error *err)
{
    const tpi_sim_reach where = {
        .x = ask->position.px, .y = ask->position.py, .z = ask->position.pz};
    tp_status status = check_points("position", &ask->position, err);

    return status == TP_OK ? reach(device, &where, err) : status;
}

static tp_status cmd_vecmove(tp_device *device, const tp_limb_vecmove_cmd *ask, tp_error *err)
{
    const simd_device *d = simd_of(device);
    const double length = length_of(&ask->direction);
    tpi_sim_limb limb;
    tp_status status = check_points("direction", &ask->direction, err);

    if (status == TP_OK && !(length > 0 && isfinite(ask->length))) {
        status = tp_fail(err, TP_E_RANGE, "a move needs a direction and a length");
    }
    status = status == TP_OK ? tpi_sim_get_limb(d->owner->world, d->model, &limb, err) : status;
    if (status != TP_OK) {
        return status;
    }
    const double k = (double)ask->length / length;
    const tpi_sim_reach where = {.x = limb.tip.x + k * ask->direction.px,
                                 .y = limb.tip.y + k * ask->direction.py,
                                 .z = limb.tip.z + k * ask->direction.pz,
                                 .straight = true};
    return reach(device, &where, err);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static tp_status req_power(tp_device *device, const tp_limb_power_req *ask, tp_error *err)
{
    (void)err;
    ((struct limb *)simd_state(device))->off = ask->value == 0;
    limb_return(simd_of(device));
    return TP_OK;
}

static tp_status req_brakes(tp_device *device, const tp_limb_brakes_req *ask, tp_error *err)
{
    (void)err;
    ((struct limb *)simd_state(device))->braked = ask->value != 0;
    limb_return(simd_of(device));
    return TP_OK;
}

static tp_status req_geom(tp_device *device, tp_limb_geom_req *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    tpi_sim_limb limb;
    tp_status status = tpi_sim_get_limb(d->owner->world, d->model, &limb, err);

    if (status == TP_OK) {
        answer->basePos = (tp_point_3d){limb.base.x, limb.base.y, limb.base.z};
    }
    return status;
}

static tp_status req_speed(tp_device *device, const tp_limb_speed_req *ask, tp_error *err)
{
    const simd_device *d = simd_of(device);

    return tpi_sim_limb_set_speed(d->owner->world, d->model, (double)ask->speed, err);
}

static const tp_limb_ops limb_ops = {
    .cmd_home = cmd_home,
    .cmd_stop = cmd_stop,
    .cmd_setpose = cmd_setpose,
    .cmd_setposition = cmd_setposition,
    .cmd_vecmove = cmd_vecmove,
    .req_power = req_power,
    .req_brakes = req_brakes,
    .req_geom = req_geom,
    .req_speed = req_speed,
};

const simd_kind tpi_simd_limbs[] = {
    {
        .interface = &tp_interface_limb,
        .ops = &limb_ops,
        .models = SIMD_MODEL(EFFECTOR),
        .state_size = sizeof(struct limb),
        .needs = "an effector on an actuator",
        .has = limb_has,
        .subscribe = limb_subscribe,
        .publish = limb_publish,
        .halt = limb_halt,
        .returned = limb_return,
    },
    {0},
};
