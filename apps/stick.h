/*
 * stick.h - a velocity from keys of a terminal and from a gamepad.
 *
 * Terminals tell when a key is pressed, not when it is released; they repeat a key that is held
 * down. So a key counts for a moment. A gamepad tells where its sticks are until it tells
 * otherwise; it counts while no key does. Pure: bytes and time are arguments.
 */
#ifndef TROUPE_APPS_STICK_H
#define TROUPE_APPS_STICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One event of Linux's /dev/input/js0. */
enum { STICK_EVENT = 8 };

struct stick_axis {
    double share;     /* of the speed, -1 to 1 */
    int64_t until_ns; /* when it ends */
};

/* All zero but for the speeds. */
struct stick {
    double speed_mps;  /* of a key, or of a stick that is pushed all the way */
    double turn_radps; /* likewise */
    struct stick_axis ahead, turn;
    double pad_ahead, pad_turn; /* of the gamepad, -1 to 1 */
    unsigned char event[STICK_EVENT];
    size_t event_length; /* bytes of an event that is not complete */
};

/* The slowest and the fastest that keys can set. */
#define STICK_SLOWEST 0.02
#define STICK_FASTEST 5.0

/* A key, of typed.h: arrows drive, + and - change the speeds, space stops. Whether it was one of
 * those. */
bool stick_key(struct stick *stick, int key, int64_t now_ns);

/* Bytes of a gamepad, in pieces of any length. Its first stick drives, the buttons 4 and 5 change
 * the speeds, all others stop. */
void stick_pad(struct stick *stick, const unsigned char *bytes, size_t length);

/* Stop: whatever keys and gamepad have told. */
void stick_stop(struct stick *stick);

/* What they ask for. */
void stick_velocity(const struct stick *stick, int64_t now_ns, double *ahead_mps,
                    double *turn_radps);

#endif
