/* actuators.c - gripper and ptz: a hand, and a unit that turns a camera. */
#include <math.h>

#include "fake.h"
#include "troupe/interfaces/gripper.h"
#include "troupe/interfaces/ptz.h"

/* ---- gripper: closes on an object that is always there --------------------------------------- */

enum { CAPACITY = 5, BEAMS = 2 };

static const double travel_per_s = 1; /* from open to closed in a second */

struct gripper {
    double opening; /* 0 closed to 1 open */
    int direction;  /* -1 closes, 1 opens, 0 rests */
    bool holds;
    uint8_t stored;
};

static tp_status gripper_begin(fake_device *d, tp_error *err)
{
    struct gripper *g = d->state;

    (void)err;
    g->opening = 1;
    return TP_OK;
}

static void gripper_advance(fake_device *d, double dt_s)
{
    struct gripper *g = d->state;
    const double end = g->direction > 0 ? 1 : 0;

    if (g->direction == 0) {
        return;
    }
    g->opening = tpi_fake_approach(g->opening, end, travel_per_s * dt_s);
    if (g->opening == end) {
        g->holds = g->direction < 0;
        g->direction = 0;
    }
}

static void gripper_halt(fake_device *d)
{
    ((struct gripper *)d->state)->direction = 0;
}

static void gripper_publish(fake_device *d)
{
    const struct gripper *g = d->state;
    const bool closed = g->opening == 0;
    const tp_gripper_data data = {
        .state = g->direction != 0 ? TP_GRIPPER_STATE_MOVING
                 : closed          ? TP_GRIPPER_STATE_CLOSED
                                   : TP_GRIPPER_STATE_OPEN,
        .beams = g->holds ? (1u << BEAMS) - 1 : 0,
        .stored = g->stored,
    };

    tp_publish(d->device, TP_GRIPPER_DATA_STATE, &data, 0);
}

static tp_status gripper_geom(tp_device *device, tp_gripper_geom *answer, tp_error *err)
{
    (void)err;
    answer->pose = tpi_fake_pose(fake_of(device));
    answer->outer_size = tpi_fake_size(fake_of(device));
    answer->inner_size = (tp_bbox3d){.sw = answer->outer_size.sw * 0.8,
                                     .sl = answer->outer_size.sl * 0.6,
                                     .sh = answer->outer_size.sh};
    answer->num_beams = BEAMS;
    answer->capacity = CAPACITY;
    return TP_OK;
}

static tp_status gripper_open(tp_device *device, tp_error *err)
{
    struct gripper *g = fake_state(device);

    (void)err;
    g->direction = g->opening < 1 ? 1 : 0;
    g->holds = false;
    return TP_OK;
}

static tp_status gripper_close(tp_device *device, tp_error *err)
{
    struct gripper *g = fake_state(device);

    (void)err;
    g->direction = g->opening > 0 ? -1 : 0;
    return TP_OK;
}

static tp_status gripper_stop(tp_device *device, tp_error *err)
{
    (void)err;
    gripper_halt(fake_of(device));
    return TP_OK;
}

static tp_status gripper_store(tp_device *device, tp_error *err)
{
    struct gripper *g = fake_state(device);

    if (!g->holds) {
        return tp_fail(err, TP_E_INVALID, "the gripper holds nothing that it could store");
    }
    if (g->stored == CAPACITY) {
        return tp_fail(err, TP_E_LIMIT, "the store is full with %d objects", CAPACITY);
    }
    g->stored++;
    return gripper_open(device, err);
}

static tp_status gripper_retrieve(tp_device *device, tp_error *err)
{
    struct gripper *g = fake_state(device);

    if (g->holds || g->stored == 0) {
        return tp_fail(err, TP_E_INVALID, "the gripper is not free, or the store is empty");
    }
    g->stored--;
    return gripper_close(device, err);
}

static const tp_gripper_ops gripper_ops = {
    .req_get_geom = gripper_geom,
    .cmd_open = gripper_open,
    .cmd_close = gripper_close,
    .cmd_stop = gripper_stop,
    .cmd_store = gripper_store,
    .cmd_retrieve = gripper_retrieve,
};

/* ---- ptz ------------------------------------------------------------------------------------- */

static const double usual_radps = 1;

struct turner {
    double now;
    double goal;
    double speed; /* towards the goal; signed under velocity control */
    double least;
    double most;
};

struct ptz {
    struct turner pan;
    struct turner tilt;
    struct turner zoom;
    bool by_speed;
};

static double clamp(double value, double least, double most)
{
    return fmax(least, fmin(most, value));
}

static void turner_advance(struct turner *t, double dt_s, bool by_speed)
{
    if (by_speed) {
        t->now = clamp(t->now + t->speed * dt_s, t->least, t->most);
    } else {
        t->now = tpi_fake_approach(t->now, t->goal, fabs(t->speed) * dt_s);
    }
}

/* How fast it turns just now. */
static double turner_speed(const struct turner *t, bool by_speed)
{
    const double end = by_speed ? (t->speed > 0 ? t->most : t->least) : t->goal;

    return t->now == end ? 0 : copysign(t->speed, end - t->now);
}

static void turner_aim(struct turner *t, double goal, double speed)
{
    t->goal = clamp(goal, t->least, t->most);
    t->speed = tpi_fake_speed_or(speed, usual_radps);
}

static const struct ptz ptz_first = {
    .pan = {.least = -1.75, .most = 1.75},
    .tilt = {.least = -0.52, .most = 0.52},
    .zoom = {.now = 1.05, .goal = 1.05, .least = 0.17, .most = 1.05},
};

static void ptz_advance(fake_device *d, double dt_s)
{
    struct ptz *p = d->state;

    turner_advance(&p->pan, dt_s, p->by_speed);
    turner_advance(&p->tilt, dt_s, p->by_speed);
    turner_advance(&p->zoom, dt_s, false);
}

static void ptz_halt(fake_device *d)
{
    struct ptz *p = d->state;
    struct turner *const all[] = {&p->pan, &p->tilt, &p->zoom};

    for (size_t i = 0; i < 3; i++) {
        all[i]->goal = all[i]->now;
        all[i]->speed = 0;
    }
}

/* Status: 1 while anything turns. */
static uint32_t ptz_moves(const struct ptz *p)
{
    return turner_speed(&p->pan, p->by_speed) != 0 || turner_speed(&p->tilt, p->by_speed) != 0 ||
           turner_speed(&p->zoom, false) != 0;
}

static void ptz_publish(fake_device *d)
{
    const struct ptz *p = d->state;
    const tp_ptz_data data = {
        .pan = (float)p->pan.now,
        .tilt = (float)p->tilt.now,
        .zoom = (float)p->zoom.now,
        .panspeed = (float)turner_speed(&p->pan, p->by_speed),
        .tiltspeed = (float)turner_speed(&p->tilt, p->by_speed),
        .status = ptz_moves(p),
    };

    tp_publish(d->device, TP_PTZ_DATA_STATE, &data, 0);
}

/* Under velocity control only the speeds and the zoom count. A zoom of 0 leaves it as it is. */
static tp_status ptz_turn(tp_device *device, const tp_ptz_cmd *ask, tp_error *err)
{
    struct ptz *p = fake_state(device);
    const double values[] = {(double)ask->pan, (double)ask->tilt, (double)ask->zoom,
                             (double)ask->panspeed, (double)ask->tiltspeed};

    (void)err;
    if (p->by_speed) {
        p->pan.speed = values[3];
        p->tilt.speed = values[4];
    } else {
        turner_aim(&p->pan, values[0], values[3]);
        turner_aim(&p->tilt, values[1], values[4]);
    }
    turner_aim(&p->zoom, values[2] == 0 ? p->zoom.now : values[2], 0);
    return TP_OK;
}

static tp_status ptz_control_mode(tp_device *device, const tp_ptz_req_control_mode *ask,
                                  tp_error *err)
{
    struct ptz *p = fake_state(device);

    if (ask->mode > TP_PTZ_POSITION_CONTROL) {
        return tp_fail(err, TP_E_RANGE, "there is no control mode %u", ask->mode);
    }
    ptz_halt(fake_of(device));
    p->by_speed = ask->mode == TP_PTZ_VELOCITY_CONTROL;
    return TP_OK;
}

static tp_status ptz_status(tp_device *device, tp_ptz_req_status *answer, tp_error *err)
{
    (void)err;
    answer->status = ptz_moves(fake_state(device));
    return TP_OK;
}

static const tp_ptz_ops ptz_ops = {
    .req_control_mode = ptz_control_mode,
    .req_status = ptz_status,
    .cmd_state = ptz_turn,
};

static const tp_property_plan ptz_properties[] = {
    {"max_pan", TP_PROPERTY_DOUBLE, false, "rad", "How far it turns to either side.", "1.75", NULL},
    {"max_tilt", TP_PROPERTY_DOUBLE, false, "rad", "How far it tilts up and down.", "0.52", NULL},
    {"min_zoom", TP_PROPERTY_DOUBLE, false, "rad", "The narrowest view.", "0.17", NULL},
    {"max_zoom", TP_PROPERTY_DOUBLE, false, "rad", "The widest view.", "1.05", NULL},
    {0},
};

const fake_kind tpi_fake_actuators[] = {
    {
        .interface = &tp_interface_gripper,
        .ops = &gripper_ops,
        .state_size = sizeof(struct gripper),
        .size = {.sw = 0.3, .sl = 0.1, .sh = 0.05},
        .begin = gripper_begin,
        .advance = gripper_advance,
        .publish = gripper_publish,
        .halt = gripper_halt,
    },
    {
        .interface = &tp_interface_ptz,
        .ops = &ptz_ops,
        .state_size = sizeof(struct ptz),
        .first = &ptz_first,
        .size = {.sw = 0.12, .sl = 0.12, .sh = 0.15},
        .properties = ptz_properties,
        .advance = ptz_advance,
        .publish = ptz_publish,
        .halt = ptz_halt,
    },
    {0},
};
