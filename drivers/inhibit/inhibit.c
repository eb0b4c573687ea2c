/*
 * inhibit - lets a robot move only as far as its sensors say that the way is clear.
 *
 * A position2d in front of another one. Velocities pass while nothing is near on the way that they
 * mean, are scaled down when something comes near, and are stopped when it is too near, also
 * without a new command: whenever a sensor sends something, or falls silent, the movement under way
 * is judged anew. Opening the device starts the sensors. A command that comes before their first
 * data waits for it, at most for the time that they may be silent. Everything else passes
 * through. Runs on the loop.
 */
#include "inhibit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forward.h"

static const double step = 0.01;         /* smallest change of a factor that is worth a command */
static const double most_steering = 1.5; /* rad */

static const tp_param inhibit_params[] = {
    {"stop_distance", "m", "0.3", "nothing nearer than this may be on the way"},
    {"slow_distance", "m", "1", "from here on the robot slows down"},
    {"timeout", "s", "0.5", "a sensor that is silent for that long sees nothing: the robot stops"},
    {"front", "m", "", "from the robot's centre to its front; asked of it if not given"},
    {"back", "m", "", "from the robot's centre to its back; asked of it if not given"},
    {"side", "m", "", "from the robot's centre to its sides; asked of it if not given"},
    {"poses", "m m rad m m rad m m rad m m rad m m rad m m rad m m rad m m rad", "",
     "where lasers and rangers sit: x y yaw for each; asked of them if not given"},
    {"nearest", "m", "0", "readings that are nearer than this are the robot itself"},
    {"cone", "rad", "0.3", "opening of sonars, infrared sensors and rangers that do not scan"},
    {"wheelbase", "m", "0", "of a robot that takes CAR commands"},
    {"resume", "bool", "no", "go on by itself when the way is clear again"},
    {NULL, NULL, NULL, NULL},
};

static struct inhibit *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static int64_t now_of(const struct inhibit *h)
{
    return tp_clock_now_ns(tp_instance_clock(tp_device_instance(h->device)));
}

/* ---- The property ---------------------------------------------------------------------------- */

static const char *property_text(const tp_device *device, const char *key)
{
    (void)key;
    return state_of(device)->blocked;
}

static const tp_property_plan plans[] = {
    {.key = "blocked",
     .type = TP_PROPERTY_STRING,
     .unit = "",
     .doc = "Why the robot was stopped; empty once a command has passed."},
    {.key = NULL},
};

/* Readers receive a report when it begins and when it ends, not of every reason in between. */
static void set_blocked(struct inhibit *h, const char *why)
{
    const bool changed = (h->blocked[0] == '\0') != (why[0] == '\0');

    snprintf(h->blocked, sizeof h->blocked, "%s", why);
    if (changed) {
        tpi_own_properties_announce(&h->properties, h->device, "blocked");
    }
}

/* ---- Moving ---------------------------------------------------------------------------------- */

static bool is_moving(const movement *what)
{
    return what->code != 0 && (what->motion.forward != 0 || what->motion.sideways != 0 ||
                               what->motion.turn != 0 || what->code == TP_POSITION2D_CMD_VEL_HEAD);
}

static tp_status send_stop(const struct inhibit *h)
{
    const tp_position2d_cmd_vel stop = {.state = 1};

    return tp_link_command(h->base, TP_POSITION2D_CMD_VEL, &stop);
}

static tp_status send(struct inhibit *h, double factor)
{
    tp_position2d_cmd_vel vel = h->now.vel;
    tp_position2d_cmd_car car = h->now.car;
    tp_position2d_cmd_vel_head head = h->now.head;

    h->factor = factor;
    switch (h->now.code) {
    case TP_POSITION2D_CMD_CAR:
        car.velocity *= factor;
        return tp_link_command(h->base, TP_POSITION2D_CMD_CAR, &car);
    case TP_POSITION2D_CMD_VEL_HEAD:
        head.velocity *= factor;
        return tp_link_command(h->base, TP_POSITION2D_CMD_VEL_HEAD, &head);
    default:
        vel.vel.px *= factor;
        vel.vel.py *= factor;
        vel.vel.pa *= factor;
        return tp_link_command(h->base, TP_POSITION2D_CMD_VEL, &vel);
    }
}

/* The readers receive it last: one of them may close the device. */
static void halt(struct inhibit *h, const char *why)
{
    (void)send_stop(h); /* if it cannot be commanded, closing it has stopped it */
    h->factor = 0;
    h->waits = false;
    if (!h->resume) {
        h->now.code = 0;
    }
    set_blocked(h, why);
}

static void set_timer(struct inhibit *h, int64_t now_ns)
{
    const int64_t until = h->waits ? h->begun_ns + h->timeout_ns : tpi_inhibit_judge_until(h);

    if (is_moving(&h->now) && until > now_ns) {
        tp_timer_at(h->timer, until);
    } else {
        tp_timer_cancel(h->timer);
    }
}

/* Something has changed around a robot that may be moving. */
static void review(struct inhibit *h)
{
    const int64_t now_ns = now_of(h);
    char why[sizeof h->blocked];

    if (!is_moving(&h->now) || (h->waits && tpi_inhibit_judge_is_early(h, now_ns))) {
        return;
    }
    const bool waited = h->waits;
    h->waits = false;
    set_timer(h, now_ns);
    const double factor = tpi_inhibit_judge(h, &h->now, now_ns, why, sizeof why);
    if (factor == 0 && (h->factor > 0 || waited)) {
        halt(h, why);
    } else if (factor > 0 && (fabs(factor - h->factor) > step || h->factor == 0 ||
                              (factor == 1 && h->factor < 1))) {
        (void)send(h, factor);
        set_blocked(h, "");
    }
}

static void fall_silent(void *context)
{
    review(tp_instance_state(context));
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status take(struct inhibit *h, const movement *what, tp_error *err)
{
    const int64_t now_ns = now_of(h);
    char why[sizeof h->blocked];

    if (!isfinite(what->motion.forward + what->motion.sideways + what->motion.turn) ||
        !isfinite(what->head.angle)) {
        return tp_fail(err, TP_E_RANGE, "a velocity or angle is no number");
    }
    const double factor = tpi_inhibit_judge(h, what, now_ns, why, sizeof why);
    h->now = *what;
    h->waits = factor == 0 && tpi_inhibit_judge_is_early(h, now_ns);
    if (h->waits) {
        h->factor = 0;
        set_timer(h, now_ns);
        return TP_OK;
    }
    if (factor == 0) {
        halt(h, why);
        return tp_fail(err, TP_E_DENIED, "stopped: %s", why);
    }
    set_timer(h, now_ns);
    tp_status status = send(h, factor);
    set_blocked(h, "");
    return status == TP_OK ? TP_OK : tp_fail(err, status, "%s", tp_status_text(status));
}

static tp_status take_vel(struct inhibit *h, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    /* Whatever its `state`: many robots drive on a VEL with 0, as Player's do. */
    const movement what = {
        .code = TP_POSITION2D_CMD_VEL,
        .vel = *ask,
        .motion = {.forward = ask->vel.px, .sideways = ask->vel.py, .turn = ask->vel.pa}};

    return take(h, &what, err);
}

static tp_status take_car(struct inhibit *h, const tp_position2d_cmd_car *ask, tp_error *err)
{
    if (h->wheelbase_m == 0) {
        return tp_fail(err, TP_E_UNSUPPORTED, "CAR cannot be judged: give the wheelbase");
    }
    if (!(fabs(ask->angle) < most_steering)) {
        return tp_fail(err, TP_E_RANGE, "a car does not steer by %g rad", ask->angle);
    }
    const movement what = {.code = TP_POSITION2D_CMD_CAR,
                           .car = *ask,
                           .motion = {.forward = ask->velocity,
                                      .turn = ask->velocity * tan(ask->angle) / h->wheelbase_m}};

    return take(h, &what, err);
}

static tp_status take_vel_head(struct inhibit *h, const tp_position2d_cmd_vel_head *ask,
                               tp_error *err)
{
    const movement what = {
        .code = TP_POSITION2D_CMD_VEL_HEAD, .head = *ask, .motion = {.forward = ask->velocity}};

    return take(h, &what, err);
}

static bool can(const struct inhibit *h, tp_kind kind, unsigned code)
{
    return kind != TP_KIND_COMMAND || code == TP_POSITION2D_CMD_VEL ||
           code == TP_POSITION2D_CMD_VEL_HEAD ||
           (code == TP_POSITION2D_CMD_CAR && h->wheelbase_m > 0);
}

static tp_status take_command(struct inhibit *h, const tp_message *what, const void *ask,
                              tp_error *err)
{
    switch (what->code) {
    case TP_POSITION2D_CMD_VEL:
        return take_vel(h, ask, err);
    case TP_POSITION2D_CMD_CAR:
        return take_car(h, ask, err);
    case TP_POSITION2D_CMD_VEL_HEAD:
        return take_vel_head(h, ask, err);
    default:
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "it is not possible to know the way of %s in advance; command velocities",
                       what->name);
    }
}

/* Under position control, the robot would refuse every command from here but stops. */
static tp_status check_mode(const tp_position2d_position_mode_req *ask, tp_error *err)
{
    return ask->state == 0 ? TP_OK
                           : tp_fail(err, TP_E_UNSUPPORTED,
                                     "it is not possible to know the way to a pose in advance: "
                                     "there is only velocity control");
}

static tp_status inhibit_handle(tp_device *device, const tp_message *what, const void *ask,
                                void *answer, tp_error *err)
{
    struct inhibit *h = state_of(device);
    const tp_capabilities_req *able = ask;
    tp_status status = TP_OK;

    if (what->kind == TP_KIND_COMMAND) {
        return take_command(h, what, ask, err);
    }
    if (!tpi_forward_is_common(what) && what->code == TP_POSITION2D_REQ_POSITION_MODE) {
        tp_status chosen = check_mode(ask, err);
        if (chosen != TP_OK) {
            return chosen;
        }
    }
    if (tpi_own_properties_handle(&h->properties, device, h->base, what, ask, answer, &status,
                                  err)) {
        return status;
    }
    if (tpi_forward_is_common(what) && what->code == TP_COMMON_REQ_CAPABILITIES &&
        !can(h, (tp_kind)able->type, able->subtype)) {
        return tp_fail(err, TP_E_UNSUPPORTED, "its way cannot be judged");
    }
    return tpi_forward_message(device, h->base, what, ask, FORWARD_TIMEOUT_NS, err);
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* What sensors have seen was chosen by the outline before, so they have to look again. */
static void learn_outline(struct inhibit *h, const tp_position2d_geom *geom)
{
    const double half = geom->size.sl / 2;
    const way_outline told = {.front = geom->pose.px + half,
                              .back = half - geom->pose.px,
                              .side = geom->size.sw / 2 + fabs(geom->pose.py)};

    if (h->given[0] && h->given[1] && h->given[2]) {
        return;
    }
    if (!(geom->size.sl > 0 && geom->size.sw > 0 && told.front >= 0 && told.back >= 0 &&
          isfinite(told.front + told.back + told.side))) {
        return;
    }
    h->outline.front = h->given[0] ? h->outline.front : told.front;
    h->outline.back = h->given[1] ? h->outline.back : told.back;
    h->outline.side = h->given[2] ? h->outline.side : told.side;
    h->sized = true;
    for (size_t i = 0; i < h->sensor_count; i++) {
        h->sensors[i].heard_ns = INT64_MIN / 2;
    }
}

static void got_geom(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    (void)context;
    (void)why;
    if (status == TP_OK && tp_msg_payload(answer) != NULL) {
        learn_outline(tp_instance_state(self), tp_msg_payload(answer));
    }
}

static void take_base(struct inhibit *h, const tp_msg *msg)
{
    const unsigned code = tp_msg_header(msg)->subtype;
    const void *payload = tp_msg_payload(msg);
    const tp_position2d_data *data = payload;

    if (code == TP_POSITION2D_DATA_STATE && payload != NULL) {
        h->heading_known = isfinite(data->pos.pa);
        h->heading = data->pos.pa;
    } else if (code == TP_POSITION2D_DATA_GEOM && payload != NULL) {
        learn_outline(h, payload);
        review(h);
    } else if (code == TP_COMMON_DATA_ERROR) {
        h->now.code = 0; /* whatever it did, it does not do it any more */
    }
    tpi_forward_data(h->device, msg);
}

static void inhibit_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct inhibit *h = tp_instance_state(self);

    if (from == h->base) {
        take_base(h, msg);
        return;
    }
    for (size_t i = 0; i < h->sensor_count; i++) {
        if (h->sensors[i].link == from) {
            tpi_inhibit_sensor_take(h, &h->sensors[i], msg, now_of(h));
        }
    }
    review(h);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_length(const tp_instance *self, const char *name, double *out, tp_error *err)
{
    *out = tp_param_double(self, name);
    return *out >= 0 && *out <= 1e6
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "%s \"%s\" is not a length of at least 0", name,
                         tp_param_string(self, name));
}

static tp_status read_lengths(const tp_instance *self, struct inhibit *h, tp_error *err)
{
    const struct {
        const char *name;
        double *out;
    } lengths[] = {{"front", &h->outline.front},  {"back", &h->outline.back},
                   {"side", &h->outline.side},    {"stop_distance", &h->stop_m},
                   {"slow_distance", &h->slow_m}, {"nearest", &h->nearest_m},
                   {"wheelbase", &h->wheelbase_m}};
    tp_status status = TP_OK;

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0] && status == TP_OK; i++) {
        status = read_length(self, lengths[i].name, lengths[i].out, err);
    }
    for (size_t i = 0; i < 3; i++) {
        h->given[i] = tp_param_given(self, lengths[i].name);
    }
    h->sized = h->given[0] && h->given[1] && h->given[2];
    return status;
}

static tp_status read_settings(tp_instance *self, struct inhibit *h, tp_error *err)
{
    tp_status status = read_lengths(self, h, err);

    status = status == TP_OK ? tpi_forward_seconds(self, "timeout", &h->timeout_ns, err) : status;
    if (status != TP_OK) {
        return status;
    }
    h->resume = tp_param_bool(self, "resume");
    h->cone = tp_param_double(self, "cone");
    if (!(h->cone >= 0 && h->cone <= 3.2)) {
        return tp_fail(err, TP_E_RANGE, "cone \"%s\" is not an angle up to half a turn",
                       tp_param_string(self, "cone"));
    }
    return h->slow_m > h->stop_m
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "slow_distance %g m is not above stop_distance %g m",
                         h->slow_m, h->stop_m);
}

static tp_status inhibit_init(tp_instance *self, tp_error *err)
{
    struct inhibit *h = tp_instance_state(self);
    tp_status status = read_settings(self, h, err);

    h->properties = (own_properties){.plans = plans, .text = property_text};
    status =
        status == TP_OK ? tp_require(self, &tp_interface_position2d, NULL, &h->base, err) : status;
    status = status == TP_OK ? tpi_inhibit_sensors_require(self, h, err) : status;
    status = status == TP_OK ? tp_offer(self, &tp_interface_position2d, NULL, NULL, inhibit_handle,
                                        &h->device, err)
                             : status;
    if (status == TP_OK) {
        tp_link_report(h->base);
    }
    return status == TP_OK
               ? tp_timer_create(&h->timer, tp_instance_loop(self), fall_silent, self, err)
               : status;
}

static tp_status inhibit_start(tp_instance *self, tp_error *err)
{
    struct inhibit *h = tp_instance_state(self);
    tp_status status = tp_link_request(h->base, TP_POSITION2D_REQ_GET_GEOM, NULL,
                                       FORWARD_TIMEOUT_NS, got_geom, NULL);

    h->begun_ns = now_of(h);
    h->waits = false;
    h->now.code = 0;
    h->heading_known = false;
    h->blocked[0] = '\0';
    return status == TP_OK ? tpi_inhibit_sensors_start(h, err)
                           : tp_fail(err, status, "the robot cannot be asked");
}

static void inhibit_halt(tp_device *device, tp_halt how)
{
    struct inhibit *h = state_of(device);

    (void)how; /* the other device's own configuration says */
    h->now.code = 0;
    tp_timer_cancel(h->timer);
    tp_link_halt(h->base);
}

static void inhibit_stop(tp_instance *self)
{
    struct inhibit *h = tp_instance_state(self);

    tp_timer_cancel(h->timer);
    if (is_moving(&h->now)) {
        (void)send_stop(h);
    }
    h->now.code = 0;
}

static void inhibit_fini(tp_instance *self)
{
    struct inhibit *h = tp_instance_state(self);

    tp_timer_destroy(h->timer);
    tpi_inhibit_sensors_fini(h);
    tpi_own_properties_fini(&h->properties);
}

static const tp_driver_ops inhibit_ops = {
    .init = inhibit_init,
    .start = inhibit_start,
    .data = inhibit_data,
    .halt = inhibit_halt,
    .stop = inhibit_stop,
    .fini = inhibit_fini,
};

TP_API const tp_driver tp_driver_inhibit = {
    .abi = TP_DRIVER_ABI,
    .name = "inhibit",
    .summary = "lets a robot move only while the way is clear",
    .state_size = sizeof(struct inhibit),
    .params = inhibit_params,
    .ops = &inhibit_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
