/*
 * report.c - what the robot says of itself, ten times a second, as data of devices.
 *
 * A report begins with fixed fields; the ranges of some sonars follow, and then fields that older
 * robots lack. Nothing is read that is not there.
 *
 *     0 kind   1 x   3 y   5 heading   7 left   9 right   11 battery   12 left stall, rear bumpers
 *     13 right stall, front bumpers   14 -   16 flags   18 compass   19 sonars   20 ... each:
 *     number, range   then: analog port, gripper, analog, digital inputs, digital outputs
 *
 * x and y are counters of 16 bits that go round.
 */
#include <math.h>

#include "p2os.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/gripper.h"
#include "troupe/interfaces/power.h"
#include "troupe/interfaces/sonar.h"

static const double pi = 3.14159265358979323846;
static const double full_volts = 12;

enum { FIXED = 20, TAIL = 5 }; /* bytes */

static tp_pose2d turned(const tp_pose2d *at, double angle)
{
    const double s = sin(angle);
    const double c = cos(angle);

    return (tp_pose2d){.px = at->px * c - at->py * s, .py = at->px * s + at->py * c, .pa = at->pa};
}

tp_pose2d tpi_p2os_pose(const struct p2os_odometry *o)
{
    const tp_pose2d way = {.px = o->sum.px - o->origin.px, .py = o->sum.py - o->origin.py};
    const tp_pose2d moved = turned(&way, o->base.pa - o->origin.pa);

    return (tp_pose2d){.px = o->base.px + moved.px,
                       .py = o->base.py + moved.py,
                       .pa = remainder(o->base.pa + o->sum.pa - o->origin.pa, 2 * pi)};
}

static void move(struct p2os *p, const uint8_t *at)
{
    struct p2os_odometry *o = &p->odometry;
    const int raw[2] = {p2os_s16(at + 1), p2os_s16(at + 3)};

    o->sum.pa = p2os_s16(at + 5) * 2 * pi / 4096;
    if (o->known) {
        o->sum.px += (int16_t)(uint16_t)(raw[0] - o->raw[0]) * p->model->distance_m;
        o->sum.py += (int16_t)(uint16_t)(raw[1] - o->raw[1]) * p->model->distance_m;
    } else { /* it begins where clients want it */
        o->origin = o->sum;
        o->known = true;
    }
    o->raw[0] = raw[0];
    o->raw[1] = raw[1];
}

static void tell_vehicle(struct p2os *p, const uint8_t *at)
{
    const double left = p2os_s16(at + 7) * p->model->speed_mps;
    const double right = p2os_s16(at + 9) * p->model->speed_mps;
    const tp_position2d_data data = {
        .pos = tpi_p2os_pose(&p->odometry),
        .vel = {.px = (left + right) / 2, .pa = (right - left) * p->model->turn_radpm},
        .stall = ((at[12] | at[13]) & 1) != 0,
    };

    if (p->vehicle != NULL) {
        tp_publish(p->vehicle, TP_POSITION2D_DATA_STATE, &data, 0);
    }
}

/* In steps of two degrees; some values mean that there is none. */
static void tell_compass(const struct p2os *p, unsigned value)
{
    const tp_position2d_data data = {
        .pos = {.pa = remainder((value - 1.0) * 2 * pi / 180, 2 * pi)}};

    if (p->compass != NULL && value > 0 && value <= 180) {
        tp_publish(p->compass, TP_POSITION2D_DATA_STATE, &data, 0);
    }
}

static void tell_bumpers(const struct p2os *p, unsigned front, unsigned rear)
{
    uint8_t pressed[2 * P2OS_BUMPERS];
    const tp_bumper_data data = {.bumpers_count = 2 * P2OS_BUMPERS, .bumpers = pressed};

    for (unsigned i = 0; i < P2OS_BUMPERS; i++) { /* from the left to the right, then around */
        pressed[i] = front >> (P2OS_BUMPERS - i) & 1;
        pressed[P2OS_BUMPERS + i] = rear >> (P2OS_BUMPERS - i) & 1;
    }
    if (p->bumper != NULL) {
        tp_publish(p->bumper, TP_BUMPER_DATA_STATE, &data, 0);
    }
}

static void tell_power(const struct p2os *p, unsigned decivolts)
{
    const double volts = decivolts / 10.0;
    const tp_power_data data = {.valid = TP_POWER_MASK_VOLTS | TP_POWER_MASK_PERCENT,
                                .volts = (float)volts,
                                .percent = (float)fmin(100, volts / full_volts * 100)};

    if (p->power != NULL) {
        tp_publish(p->power, TP_POWER_DATA_STATE, &data, 0);
    }
}

/* Some sonars have new ranges; all are sent. Where the rest begins; 0 if the report ends before. */
static size_t tell_sonars(struct p2os *p, const uint8_t *at, size_t length)
{
    const size_t end = FIXED + 3 * (size_t)at[19];

    if (end > length) {
        return 0;
    }
    for (size_t i = FIXED; i < end; i += 3) {
        if (at[i] < p->model->sonar_count) {
            p->ranges[at[i]] = (float)(p2os_u16(at + i + 1) * p->model->range_m);
        }
    }
    const tp_sonar_data data = {.ranges_count = (uint32_t)p->model->sonar_count,
                                .ranges = p->ranges};
    if (p->sonar != NULL && at[19] > 0) {
        tp_publish(p->sonar, TP_SONAR_DATA_RANGES, &data, 0);
    }
    return end;
}

static uint8_t gripper_state(unsigned bits)
{
    const bool open = (bits & 1) != 0;
    const bool closed = (bits & 2) != 0;
    const bool moving = (bits & 4) != 0;

    if (open && closed && !moving) {
        return TP_GRIPPER_STATE_ERROR;
    }
    return open     ? TP_GRIPPER_STATE_OPEN
           : closed ? TP_GRIPPER_STATE_CLOSED
           : moving ? TP_GRIPPER_STATE_MOVING
                    : TP_GRIPPER_STATE_ERROR;
}

static void tell_tail(struct p2os *p, const uint8_t *tail)
{
    const tp_gripper_data gripper = {.state = gripper_state(tail[1]), .beams = tail[3] >> 1 & 3U};
    const tp_dio_data inputs = {.count = 8, .bits = tail[3]};
    const tp_aio_data analog = {.voltages_count = 1, .voltages = p->volts};

    p->volts[0] = (float)(tail[2] / 255.0 * 5);
    if (p->gripper != NULL) {
        tp_publish(p->gripper, TP_GRIPPER_DATA_STATE, &gripper, 0);
    }
    if (p->dio != NULL) {
        tp_publish(p->dio, TP_DIO_DATA_VALUES, &inputs, 0);
    }
    if (p->aio != NULL) {
        tp_publish(p->aio, TP_AIO_DATA_STATE, &analog, 0);
    }
}

void tpi_p2os_report(tp_instance *self, const uint8_t *payload, size_t length)
{
    struct p2os *p = tp_instance_state(self);

    p->heard_ns = tp_clock_now_ns(tp_instance_clock(self));
    if ((payload[0] & 0xf0) != 0x30 || length < FIXED) {
        tpi_p2os_report_extras(p, payload, length);
        return;
    }
    p->rolls = p2os_s16(payload + 7) != 0 || p2os_s16(payload + 9) != 0;
    move(p, payload);
    tell_vehicle(p, payload);
    tell_compass(p, payload[18]);
    tell_bumpers(p, payload[13], payload[12]);
    tell_power(p, payload[11]);
    const size_t rest = tell_sonars(p, payload, length);
    if (rest > 0 && length - rest >= TAIL) {
        tell_tail(p, payload + rest);
    }
}
