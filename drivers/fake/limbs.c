/* limbs.c - limb: an arm whose commands say where its tip goes. */
#include <math.h>

#include "fake.h"
#include "troupe/interfaces/limb.h"

static const double reach_m = 0.6;

struct limb {
    tp_limb_data tip;
    tp_point_3d goal;
    double speed_mps;
    bool going;
    bool braked;
};

static const struct limb limb_first = {
    .tip = {.position = {.px = 0.3, .pz = 0.2},
            .approach = {.px = 1},
            .orientation = {.py = 1},
            .state = TP_LIMB_STATE_IDLE},
    .speed_mps = 0.1,
};

static void limb_rest(struct limb *limb)
{
    limb->going = false;
    limb->tip.state = limb->braked ? TP_LIMB_STATE_BRAKED : TP_LIMB_STATE_IDLE;
}

static void limb_halt(fake_device *d)
{
    limb_rest(d->state);
}

static double distance(const tp_point_3d *a, const tp_point_3d *b)
{
    const double x = a->px - b->px;
    const double y = a->py - b->py;
    const double z = a->pz - b->pz;

    return sqrt(x * x + y * y + z * z);
}

static void limb_advance(fake_device *d, double dt_s)
{
    struct limb *limb = d->state;
    tp_point_3d *at = &limb->tip.position;
    const double left = distance(&limb->goal, at);
    const double step = limb->speed_mps * dt_s;

    if (!limb->going) {
        return;
    }
    if (left <= step) {
        *at = limb->goal;
        limb_rest(limb);
        return;
    }
    at->px += (limb->goal.px - at->px) * step / left;
    at->py += (limb->goal.py - at->py) * step / left;
    at->pz += (limb->goal.pz - at->pz) * step / left;
}

static void limb_publish(fake_device *d)
{
    const struct limb *limb = d->state;

    tp_publish(d->device, TP_LIMB_DATA_STATE, &limb->tip, 0);
}

static void limb_go(tp_device *device, const tp_point_3d *goal)
{
    struct limb *limb = fake_state(device);

    limb_rest(limb);
    if (distance(goal, &(tp_point_3d){0}) > reach_m) {
        limb->tip.state = TP_LIMB_STATE_OOR;
    } else if (!fake_of(device)->off && !limb->braked) {
        limb->goal = *goal;
        limb->going = true;
        limb->tip.state = TP_LIMB_STATE_MOVING;
    }
}

static tp_status limb_cmd_stop(tp_device *device, tp_error *err)
{
    (void)err;
    limb_rest(fake_state(device));
    return TP_OK;
}

static tp_status limb_cmd_home(tp_device *device, tp_error *err)
{
    (void)err;
    limb_go(device, &limb_first.tip.position);
    return TP_OK;
}

static tp_status limb_setpose(tp_device *device, const tp_limb_setpose_cmd *ask, tp_error *err)
{
    struct limb *limb = fake_state(device);

    (void)err;
    limb_go(device, &ask->position);
    if (limb->going) {
        limb->tip.approach = ask->approach;
        limb->tip.orientation = ask->orientation;
    }
    return TP_OK;
}

static tp_status limb_setposition(tp_device *device, const tp_limb_setposition_cmd *ask,
                                  tp_error *err)
{
    (void)err;
    limb_go(device, &ask->position);
    return TP_OK;
}

static tp_status limb_vecmove(tp_device *device, const tp_limb_vecmove_cmd *ask, tp_error *err)
{
    struct limb *limb = fake_state(device);
    const tp_point_3d *at = &limb->tip.position;
    const double size = distance(&ask->direction, &(tp_point_3d){0});

    if (!(size > 0)) {
        return tp_fail(err, TP_E_RANGE, "a move needs a direction");
    }
    const double k = (double)ask->length / size;
    const tp_point_3d goal = {.px = at->px + k * ask->direction.px,
                              .py = at->py + k * ask->direction.py,
                              .pz = at->pz + k * ask->direction.pz};
    limb_go(device, &goal);
    return TP_OK;
}

static tp_status limb_brakes(tp_device *device, const tp_limb_brakes_req *ask, tp_error *err)
{
    struct limb *limb = fake_state(device);

    (void)err;
    limb->braked = ask->value != 0;
    limb_rest(limb);
    return TP_OK;
}

static tp_status limb_geom(tp_device *device, tp_limb_geom_req *answer, tp_error *err)
{
    const tp_pose3d pose = tpi_fake_pose(fake_of(device));

    (void)err;
    answer->basePos = (tp_point_3d){pose.px, pose.py, pose.pz};
    return TP_OK;
}

static tp_status limb_speed(tp_device *device, const tp_limb_speed_req *ask, tp_error *err)
{
    struct limb *limb = fake_state(device);

    if (!(ask->speed > 0)) {
        return tp_fail(err, TP_E_RANGE, "speed %g m/s is not above 0", (double)ask->speed);
    }
    limb->speed_mps = (double)ask->speed;
    return TP_OK;
}

static const tp_limb_ops limb_ops = {
    .cmd_home = limb_cmd_home,
    .cmd_stop = limb_cmd_stop,
    .cmd_setpose = limb_setpose,
    .cmd_setposition = limb_setposition,
    .cmd_vecmove = limb_vecmove,
    .req_brakes = limb_brakes,
    .req_geom = limb_geom,
    .req_speed = limb_speed,
};

const fake_kind tpi_fake_limbs[] = {
    {
        .interface = &tp_interface_limb,
        .ops = &limb_ops,
        .state_size = sizeof(struct limb),
        .first = &limb_first,
        .size = {.sw = 0.1, .sl = 0.6, .sh = 0.1},
        .advance = limb_advance,
        .publish = limb_publish,
        .halt = limb_halt,
    },
    {0},
};
