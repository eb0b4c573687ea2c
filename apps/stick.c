/* stick.c - a velocity from keys and a gamepad; see stick.h. */
#include "stick.h"

#include <math.h>
#include <string.h>

#include "troupe/clock.h"
#include "typed.h"

/* Longer than it takes until a terminal repeats a key for the first time. */
static const int64_t hold_ns = 700 * TP_NS_PER_MS;

static const double faster = 1.25;
static const double dead = 0.12; /* sticks rarely rest at 0 */

enum { EVENT_BUTTON = 1, EVENT_AXIS = 2, EVENT_KIND = 3 }; /* 0x80 marks the state at first */
enum { AXIS_SIDE = 0, AXIS_AHEAD = 1, BUTTON_SLOWER = 4, BUTTON_FASTER = 5 };

void stick_stop(struct stick *stick)
{
    stick->ahead = stick->turn = (struct stick_axis){0};
    stick->pad_ahead = stick->pad_turn = 0;
}

static void change_speed(struct stick *stick, double factor)
{
    const double speed = stick->speed_mps * factor;

    if (speed >= STICK_SLOWEST && speed <= STICK_FASTEST) {
        stick->speed_mps = speed;
        stick->turn_radps *= factor;
    }
}

bool stick_key(struct stick *stick, int key, int64_t now_ns)
{
    const int64_t until_ns = now_ns + hold_ns;

    switch (key) {
    case TYPED_UP:
    case TYPED_DOWN:
        stick->ahead = (struct stick_axis){key == TYPED_UP ? 1 : -1, until_ns};
        return true;
    case TYPED_LEFT:
    case TYPED_RIGHT:
        stick->turn = (struct stick_axis){key == TYPED_LEFT ? 1 : -1, until_ns};
        return true;
    case '+':
    case '=':
        change_speed(stick, faster);
        return true;
    case '-':
        change_speed(stick, 1 / faster);
        return true;
    case ' ':
        stick_stop(stick);
        return true;
    default:
        return false;
    }
}

/* ---- Gamepads -------------------------------------------------------------------------------- */

static double share_of(int16_t value)
{
    const double share = fmax(value / 32767.0, -1);

    return fabs(share) < dead ? 0 : copysign((fabs(share) - dead) / (1 - dead), share);
}

static void take_button(struct stick *stick, unsigned number)
{
    if (number == BUTTON_SLOWER) {
        change_speed(stick, 1 / faster);
    } else if (number == BUTTON_FASTER) {
        change_speed(stick, faster);
    } else {
        stick_stop(stick);
    }
}

/* Time, value, kind and number; up and left are negative. */
static void take_event(struct stick *stick)
{
    const unsigned kind = stick->event[6] & EVENT_KIND;
    const unsigned number = stick->event[7];
    int16_t value = 0;

    memcpy(&value, stick->event + 4, sizeof value);
    if (kind == EVENT_AXIS && number == AXIS_AHEAD) {
        stick->pad_ahead = -share_of(value);
    } else if (kind == EVENT_AXIS && number == AXIS_SIDE) {
        stick->pad_turn = -share_of(value);
    } else if (kind == EVENT_BUTTON && value != 0) {
        take_button(stick, number);
    }
}

void stick_pad(struct stick *stick, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        stick->event[stick->event_length++] = bytes[i];
        if (stick->event_length == STICK_EVENT) {
            stick->event_length = 0;
            take_event(stick);
        }
    }
}

/* ---- Both ------------------------------------------------------------------------------------ */

static double now_of(const struct stick_axis *axis, double pad, int64_t now_ns)
{
    return now_ns < axis->until_ns ? axis->share : pad;
}

void stick_velocity(const struct stick *stick, int64_t now_ns, double *ahead_mps,
                    double *turn_radps)
{
    *ahead_mps = stick->speed_mps * now_of(&stick->ahead, stick->pad_ahead, now_ns);
    *turn_radps = stick->turn_radps * now_of(&stick->turn, stick->pad_turn, now_ns);
}
