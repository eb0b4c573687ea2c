/*
 * nomad.h - what the files of nomad_driver share: the robot Nomad 200 behind its server.
 *
 * Messages of both sides are a type and a number of words (two bytes each), and so many words of
 * four bytes; everything has its highest byte first. The server answers every message, most of them
 * with the whole state of the robot: lengths in tenths of an inch, angles in tenths of a degree.
 */
#ifndef CLASSIC_NOMAD_H
#define CLASSIC_NOMAD_H

#include "troupe/driver/bumper.h"
#include "troupe/driver/ir.h"
#include "troupe/driver/position1d.h"
#include "troupe/driver/position2d.h"
#include "troupe/driver/sonar.h"
#include "troupe/port.h"

enum {
    NOMAD_HEAD = 4,
    NOMAD_STATE = 45, /* words of the state */
    NOMAD_EYES = 16,  /* sonars; as many infrared sensors */
    NOMAD_BUMPERS = 20,
    NOMAD_LONGEST = NOMAD_HEAD + 4 * NOMAD_STATE, /* what is kept of an answer, and sent */
};

/* Types of messages. */
enum {
    NOMAD_SET_ACCELERATIONS = 10,
    NOMAD_SET_SPEEDS = 11,
    NOMAD_MOVE = 12,
    NOMAD_GET_STATE = 15,
    NOMAD_SET_MASK = 16,
    NOMAD_STOP = 17,
    NOMAD_SET_TIMEOUT = 26,
    NOMAD_REAL = 71,
    NOMAD_SIMULATED = 74,
    NOMAD_ERROR = 91,
    NOMAD_CONNECT = 102,
    NOMAD_DISCONNECT = 103,
};

enum nomad_axis { NOMAD_AHEAD, NOMAD_STEER, NOMAD_TURRET, NOMAD_AXES };

struct nomad {
    tp_device *vehicle, *bumper, *sonar, *ir, *turret, *compass; /* NULL if not offered */
    tp_port *port;                                               /* owned; NULL unless it runs */
    char url[160];
    double port_number, period_us, timeout_s, robot_timeout_s, mode;
    double most[2], accelerations[2]; /* ahead, and both angles; in units of the robot */
    bool locked;                      /* the turret turns with the base */
    int speeds[NOMAD_AXES];           /* in units of the robot */
    bool waits;                       /* they are not said yet */
    unsigned unanswered;              /* messages */
    uint8_t bytes[NOMAD_LONGEST];     /* of an answer */
    size_t length, rest;              /* kept of it; to come */
    int64_t heard_ns;
    bool known;
    double pose[3], turned;          /* what the robot says: m, rad */
    double origin[3], turret_origin; /* what is subtracted */
    tp_pose3d eyes[NOMAD_EYES];      /* of the last answer about them */
    tp_bumper_define bumpers[NOMAD_BUMPERS];
};

/* Word number `i` of the answer that is whole. */
int32_t tpi_nomad_word(const struct nomad *n, unsigned i);

/* The number of words of that answer, and its type. */
unsigned tpi_nomad_words(const struct nomad *n);
unsigned tpi_nomad_type(const struct nomad *n);

/* Take a byte of the server; whether an answer is whole. Of a long one only the state is kept. */
bool tpi_nomad_take(struct nomad *n, uint8_t byte);

/* A message with these words; its length. `out` has room for NOMAD_LONGEST bytes. */
size_t tpi_nomad_put(uint8_t *out, unsigned type, const int *words, size_t count);

/* The answer is a state: publish it. */
void tpi_nomad_report(struct nomad *n);

extern const tp_bumper_ops tpi_nomad_bumper_ops;
extern const tp_sonar_ops tpi_nomad_sonar_ops;
extern const tp_ir_ops tpi_nomad_ir_ops;

#endif
