/*
 * amtec.h - modules of an arm of Amtec PowerCubes: their settings and their frames on a CAN bus.
 *
 * amtec_settings.c reads the settings of a configuration; amtec_frame.c packs frames and unpacks
 * answers; amtec_arm.c checks commands; amtecM5.c talks and hears.
 */
#ifndef CLASSIC_AMTEC_H
#define CLASSIC_AMTEC_H

#include "numbers.h"
#include "troupe/driver/actarray.h"

enum {
    AMTEC_MOST = 16,
    AMTEC_FRAME = 16,
    AMTEC_ANSWER = 0xa0, /* identifiers of frames: and the number of the module */
    AMTEC_GET = 0xc0,
    AMTEC_PUT = 0xe0,
    AMTEC_ALL = 0x100, /* all modules hear it */
};

/* Commands: the first byte of a frame. */
enum {
    AMTEC_RESET = 0,
    AMTEC_HOME = 1,
    AMTEC_HALT = 2,
    AMTEC_WATCHDOG = 7,
    AMTEC_SET_VALUE = 8,
    AMTEC_GET_VALUE = 10,
    AMTEC_MOVE = 11,
};

/* Values: the second byte of AMTEC_SET_VALUE and AMTEC_GET_VALUE. */
enum {
    AMTEC_STATE = 0x27,
    AMTEC_CONFIG = 0x39,
    AMTEC_POSITION = 0x3c,
    AMTEC_SPEED = 0x41,
    AMTEC_MIN = 0x45,
    AMTEC_MAX = 0x46,
    AMTEC_MAX_SPEED = 0x48,
    AMTEC_MAX_ACCEL = 0x4a,
    AMTEC_CURRENT = 0x4d,
    AMTEC_RAMP_SPEED = 0x4f,
    AMTEC_RAMP_ACCEL = 0x50,
    AMTEC_HOME_OFFSET = 0x59,
};

/* Kinds of movement: the second byte of AMTEC_MOVE. */
enum { AMTEC_TO_POSITION = 4, AMTEC_WITH_SPEED = 7 };

/* Bits of the state and of the configuration of a module. */
enum {
    AMTEC_STATE_ERROR = 1,
    AMTEC_STATE_HALTED = 4,
    AMTEC_STATE_BRAKED = 0x200,
    AMTEC_STATE_MOVING = 0x800,
    AMTEC_CONFIG_BRAKE = 8,
    AMTEC_CONFIG_LINEAR = 0x20000,
    AMTEC_CONFIG_WATCHDOG = 0x1000000,
    AMTEC_CONFIG_MUTE = 0x4000000, /* it does not acknowledge */
};

/* Frames that wait to be sent to a module, in the order in which they are sent. */
enum {
    AMTEC_WANT_RESET = 1,
    AMTEC_WANT_SPEED = 2,
    AMTEC_WANT_ACCEL = 4,
    AMTEC_WANT_MOVE = 8,
    AMTEC_WANT_HOME = 16,
    AMTEC_WANTS = 5, /* how many */
};

/* A module. Its own positions are (position * direction - offset) of the client's. */
struct amtec_module {
    unsigned id;
    double direction, offset;
    bool normalize;
    double min, max, max_speed, max_accel, home; /* its own */
    uint32_t config, state;
    double position, speed, current; /* its own */
    double ramp_speed, ramp_accel;
    unsigned wants;
    uint8_t kind; /* of the movement that it wants */
    double goal;
    bool halted; /* by this driver: a reset comes before the next movement */
    int64_t heard_ns;
};

/* The state of an instance. */
struct amtec {
    tp_device *arm;
    tp_port *port; /* owned; NULL unless it runs */
    char line[256];
    struct amtec_module modules[AMTEC_MOST];
    unsigned count;
    double period_ms, timeout_s, ramp_speed, ramp_accel;
    bool off, watchdog;
    bool awaiting; /* an answer */
    unsigned awaited_id, awaited[2];
    int64_t asked_ns;
    bool in_round;
    unsigned next; /* question of the round */
    uint8_t bytes[AMTEC_FRAME];
    size_t length;
    tp_actarray_actuatorgeom geom[AMTEC_MOST]; /* room for an answer */
};

/* What clients can do with it. */
extern const tp_actarray_ops tpi_amtec_arm_ops;

/* Send the next frame, unless an answer is awaited. */
tp_status tpi_amtec_say_next(tp_instance *self, tp_error *err);

/* Halt the bus at once, and forget what was to be sent. */
void tpi_amtec_halt(struct amtec *a);

/* Read `module_ids`, `module_count`, `directions`, `offsets` and `normalize_angles`. */
tp_status tpi_amtec_settings(tp_instance *self, struct amtec_module modules[AMTEC_MOST],
                             unsigned *count, tp_error *err);

/* The line of `port`, or the one that `connstring` means. */
tp_status tpi_amtec_line(tp_instance *self, char *out, size_t size, tp_error *err);

/* A frame of one to six bytes: command, value, number. */
void tpi_amtec_frame(uint8_t out[AMTEC_FRAME], unsigned id, unsigned length, unsigned command,
                     unsigned value, double number);

/* The four bytes of an answer as a whole number, and as a number with a fraction. */
uint32_t tpi_amtec_bits(const uint8_t *frame);
double tpi_amtec_number(const uint8_t *frame);

#endif
