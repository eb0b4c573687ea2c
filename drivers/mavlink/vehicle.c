/*
 * vehicle.c - makes of vehicles; modes, arming, velocities.
 *
 * A vehicle obeys velocities while it is armed and in a mode for it ("guided", with PX4
 * "offboard"). A velocity that is not repeated for some seconds ends by itself, so it is repeated.
 * A pilot with a radio can change the mode at any time; then the vehicle is the pilot's until a
 * client switches the motors on again.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mavlink.h"

enum {
    GROUND_STATION = 255,
    MISSION_PLANNER = 190,
    TYPE_STATION = 6,
    NO_AUTOPILOT = 8,
    IS_ARMED = 0x80,
    CUSTOM_MODE = 1,
    STATE_ACTIVE = 4,
    COMMAND_LAND = 21,
    COMMAND_TAKEOFF = 22,
    COMMAND_ARM = 400,
    COMMAND_INTERVAL = 511,
    FRAME_BODY = 8,
    ONLY_VELOCITY = 0x05c7, /* of a target, velocity and rate of turn count */
};

static const int64_t repeat_ns = 200 * TP_NS_PER_MS, ask_ns = TP_NS_PER_S;

/* ---- Makes ----------------------------------------------------------------------------------- */

static const struct mav_make makes[] = {
    {3, false, 15, 4},                        /* ArduPilot on the ground: GUIDED, HOLD */
    {3, true, 4, 17},                         /* in the air: GUIDED, BRAKE */
    {12, false, 6 << 16, 4 << 16 | 3U << 24}, /* PX4: OFFBOARD, AUTO.LOITER */
    {12, true, 6 << 16, 4 << 16 | 3U << 24},
};

static const struct mav_make *make_of(uint8_t type, uint8_t autopilot)
{
    static const uint8_t on_ground[] = {10, 11}; /* rovers and boats */
    static const uint8_t in_air[] = {2, 3, 4, 13, 14, 15, 29};
    const bool flies = memchr(in_air, type, sizeof in_air) != NULL;

    for (size_t i = 0; i < sizeof makes / sizeof makes[0]; i++) {
        if (makes[i].autopilot == autopilot && makes[i].flies == flies &&
            (flies || memchr(on_ground, type, sizeof on_ground) != NULL)) {
            return &makes[i];
        }
    }
    return NULL;
}

/* ---- Messages -------------------------------------------------------------------------------- */

static struct mav_message begin(const struct mav *m, uint32_t id)
{
    return (struct mav_message){.id = id,
                                .version = m->vehicle.version == 1 ? 1 : 2,
                                .system = GROUND_STATION,
                                .component = MISSION_PLANNER};
}

static tp_status send(struct mav *m, const struct mav_message *message, tp_error *err)
{
    uint8_t frame[MAV_MOST_FRAME];

    return tp_port_write(m->port, frame, tpi_mav_write(frame, message, m->sequence++), err);
}

static tp_status command(struct mav *m, unsigned number, double first, double second, double last,
                         tp_error *err)
{
    struct mav_message message = begin(m, MAV_COMMAND_LONG);

    tpi_mav_put_float(&message, 0, first);
    tpi_mav_put_float(&message, 4, second);
    tpi_mav_put_float(&message, 24, last);
    tpi_mav_put_u16(&message, 28, number);
    message.payload[30] = m->vehicle.system;
    message.payload[31] = m->vehicle.component;
    return send(m, &message, err);
}

static struct mav_message mode_message(const struct mav *m, uint32_t mode)
{
    struct mav_message message = begin(m, MAV_SET_MODE);

    tpi_mav_put_u32(&message, 0, mode);
    message.payload[4] = m->vehicle.system;
    message.payload[5] = (uint8_t)(CUSTOM_MODE | (m->vehicle.armed ? IS_ARMED : 0));
    return message;
}

/* In the vehicle's own frame: forward, right, down; clockwise. */
static struct mav_message velocity_message(const struct mav *m, const double v[3], double turn)
{
    struct mav_message message = begin(m, MAV_SET_POSITION_TARGET_LOCAL_NED);

    tpi_mav_put_float(&message, 16, v[0]);
    tpi_mav_put_float(&message, 20, -v[1]);
    tpi_mav_put_float(&message, 24, -v[2]);
    tpi_mav_put_float(&message, 44, -turn);
    tpi_mav_put_u16(&message, 48, ONLY_VELOCITY);
    message.payload[50] = m->vehicle.system;
    message.payload[51] = m->vehicle.component;
    message.payload[52] = FRAME_BODY;
    return message;
}

tp_status tpi_mav_beat(tp_instance *self, tp_error *err)
{
    struct mav *m = tp_instance_state(self);
    struct mav_message message = begin(m, MAV_HEARTBEAT);

    message.payload[4] = TYPE_STATION;
    message.payload[5] = NO_AUTOPILOT;
    message.payload[7] = STATE_ACTIVE;
    message.payload[8] = 3;
    m->beat_ns = mav_now_ns(self);
    return send(m, &message, err);
}

/* Old autopilots know streams, new ones the interval of each message. */
tp_status tpi_mav_ask_data(tp_instance *self, tp_error *err)
{
    static const unsigned wanted[] = {MAV_SYS_STATUS, MAV_GPS_RAW_INT,        MAV_SCALED_IMU,
                                      MAV_ATTITUDE,   MAV_LOCAL_POSITION_NED, MAV_HIGHRES_IMU};
    struct mav *m = tp_instance_state(self);
    struct mav_message streams = begin(m, MAV_REQUEST_DATA_STREAM);

    tpi_mav_put_u16(&streams, 0, (unsigned)lrint(fmax(m->plan.rate, 1)));
    streams.payload[2] = m->vehicle.system;
    streams.payload[3] = m->vehicle.component;
    streams.payload[5] = 1;
    tp_status status = send(m, &streams, err);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && status == TP_OK; i++) {
        status = command(m, COMMAND_INTERVAL, wanted[i], 1e6 / m->plan.rate, 0, err);
    }
    return status;
}

/* ---- The vehicle ----------------------------------------------------------------------------- */

void tpi_mav_take_heartbeat(tp_instance *self, const struct mav_message *message)
{
    struct mav *m = tp_instance_state(self);
    struct mav_vehicle *v = &m->vehicle;
    struct mav_wish *w = &m->wish;

    v->system = message->system;
    v->component = message->component;
    v->version = message->version;
    v->mode = tpi_mav_u32(message, 0);
    v->type = message->payload[4];
    v->autopilot = message->payload[5];
    v->armed = (message->payload[6] & IS_ARMED) != 0;
    v->make = make_of(v->type, v->autopilot);
    const bool guided = v->make != NULL && v->mode == v->make->guided;
    if (w->ready && w->was_guided && !guided) {
        *w = (struct mav_wish){.lost = true};
        tp_instance_note(self, "the vehicle has left the mode in which it obeys velocities: its "
                               "pilot has it until MOTOR_POWER takes it back");
    }
    w->was_guided = w->ready && guided;
}

static bool is_ready(const struct mav *m)
{
    return m->vehicle.armed && m->vehicle.make != NULL &&
           m->vehicle.mode == m->vehicle.make->guided;
}

/* Ask for the mode and for arming, at most once a second. */
static tp_status make_ready(tp_instance *self, tp_error *err)
{
    struct mav *m = tp_instance_state(self);
    const int64_t now = mav_now_ns(self);
    tp_status status = TP_OK;

    if (is_ready(m) || now - m->wish.asked_ns < ask_ns) {
        return TP_OK;
    }
    m->wish.asked_ns = now;
    if (m->vehicle.mode != m->vehicle.make->guided) {
        const struct mav_message message = mode_message(m, m->vehicle.make->guided);
        status = send(m, &message, err);
    }
    return status == TP_OK && !m->vehicle.armed ? command(m, COMMAND_ARM, 1, 0, 0, err) : status;
}

static tp_status send_velocity(tp_instance *self, tp_error *err)
{
    struct mav *m = tp_instance_state(self);
    const struct mav_message message = velocity_message(m, m->wish.velocity, m->wish.turn);

    m->wish.sent_ns = mav_now_ns(self);
    return send(m, &message, err);
}

static tp_status refuse(const struct mav *m, tp_error *err)
{
    const struct mav_vehicle *v = &m->vehicle;

    if (v->make == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "a vehicle of type %u with autopilot %u is only read, not driven", v->type,
                       v->autopilot);
    }
    if (m->wish.lost) {
        return tp_fail(err, TP_E_DENIED,
                       "the pilot of the vehicle has changed its mode to %u; MOTOR_POWER takes it "
                       "back",
                       (unsigned)v->mode);
    }
    if (!v->armed && !m->wish.ready && (v->make->flies || !m->plan.arm)) {
        return tp_fail(err, TP_E_DENIED, "the vehicle is disarmed; MOTOR_POWER arms it");
    }
    return TP_OK;
}

static double limited(double value, double most)
{
    return fmax(-most, fmin(most, value));
}

tp_status tpi_mav_drive(tp_instance *self, const double velocity[3], double turn, tp_error *err)
{
    struct mav *m = tp_instance_state(self);
    const double speed = hypot(hypot(velocity[0], velocity[1]), velocity[2]);
    const double scale = speed > m->plan.max_speed ? m->plan.max_speed / speed : 1;
    const bool moves = speed > 0 || turn != 0;
    tp_status status = moves ? refuse(m, err) : TP_OK;

    if (status != TP_OK) {
        return status;
    }
    for (unsigned i = 0; i < 3; i++) {
        m->wish.velocity[i] = velocity[i] * scale;
    }
    m->wish.turn = limited(turn, m->plan.max_turn);
    m->wish.moves = moves;
    m->wish.ready = m->wish.ready || moves;
    status = moves ? make_ready(self, err) : TP_OK;
    return status == TP_OK ? send_velocity(self, err) : status;
}

tp_status tpi_mav_power(tp_instance *self, bool on, tp_error *err)
{
    struct mav *m = tp_instance_state(self);

    if (m->vehicle.make == NULL) {
        return refuse(m, err);
    }
    m->wish = (struct mav_wish){.ready = on, .takes_off = on && m->plan.takeoff > 0};
    if (on) {
        m->wish.takes_off = m->wish.takes_off && m->vehicle.make->flies;
        m->wish.asked_ns = mav_now_ns(self) - ask_ns;
        return make_ready(self, err);
    }
    return m->vehicle.make->flies ? command(m, COMMAND_LAND, 0, 0, 0, err)
                                  : command(m, COMMAND_ARM, 0, 0, 0, err);
}

tp_status tpi_mav_keep(tp_instance *self, tp_error *err)
{
    struct mav *m = tp_instance_state(self);
    const int64_t now = mav_now_ns(self);
    tp_status status = now - m->beat_ns >= TP_NS_PER_S ? tpi_mav_beat(self, err) : TP_OK;

    if (status == TP_OK && (m->wish.moves || m->wish.takes_off)) {
        status = make_ready(self, err);
    }
    if (status == TP_OK && m->wish.takes_off && is_ready(m)) {
        m->wish.takes_off = false;
        status = command(m, COMMAND_TAKEOFF, 0, 0, m->plan.takeoff, err);
    }
    if (status == TP_OK && m->wish.moves && now - m->wish.sent_ns >= repeat_ns) {
        status = send_velocity(self, err);
    }
    return status == TP_E_DENIED ? TP_OK : status; /* a panic: nothing is sent */
}

/* ---- Standing still -------------------------------------------------------------------------- */

void tpi_mav_halt(tp_instance *self)
{
    struct mav *m = tp_instance_state(self);

    m->wish.velocity[0] = m->wish.velocity[1] = m->wish.velocity[2] = m->wish.turn = 0;
    m->wish.moves = m->wish.takes_off = false;
    (void)send_velocity(self, NULL);
}

void tpi_mav_leave(tp_instance *self)
{
    struct mav *m = tp_instance_state(self);

    tpi_mav_halt(self);
    if (m->wish.ready && m->vehicle.make != NULL && !m->vehicle.make->flies) {
        const struct mav_message hold = mode_message(m, m->vehicle.make->hold);
        (void)send(m, &hold, NULL);
        (void)command(m, COMMAND_ARM, 0, 0, 0, NULL);
    }
    m->wish = (struct mav_wish){0};
}

/* A frame that was begun has at most 65 bytes. What stops the vehicle is said twice: the first time
 * may be swallowed by that frame. */
tp_status tpi_mav_guard(tp_instance *self, tp_error *err)
{
    enum { LONGEST = 10 + 53 + 2, FRAMES = 4 };
    static const double still[3] = {0};
    struct mav *m = tp_instance_state(self);
    uint8_t bytes[LONGEST + FRAMES * LONGEST] = {0};
    uint8_t frame[MAV_MOST_FRAME];
    size_t length = LONGEST;

    if (m->vehicle.make == NULL) {
        return TP_OK;
    }
    const struct mav_message stop = velocity_message(m, still, 0);
    const struct mav_message hold = mode_message(m, m->vehicle.make->hold);
    for (unsigned i = 0; i < FRAMES; i++) {
        if (i % 2 == 1 && m->vehicle.make->flies) {
            continue; /* it hovers, and its own fail-safe follows */
        }
        const size_t count = tpi_mav_write(frame, i % 2 == 0 ? &stop : &hold, (uint8_t)i);
        memcpy(bytes + length, frame, count);
        length += count;
    }
    return tp_port_guard(m->port, bytes, length, err);
}
