/*
 * sequence.h - files of timed motion: CSV and JSON.
 *
 * CSV: one frame per line. The first line names the columns: `time` in seconds; `base.x`, `base.y`,
 * `base.theta` for a pose of the base; `base.vx`, `base.vy`, `base.omega` for its speed;
 * `duration`; JOINT[:DOF] for a set-point, JOINT[:DOF].speed and JOINT[:DOF].force. An empty cell
 * commands nothing. Lines that begin with # are comments.
 *
 * JSON: {"frames": [{"time": 0, "set": {"head:0": 0.3}, "drive": [0.2, 0, 0]}, ...]}, or the list
 * alone. Members of a frame: time, duration, set, speed, force (objects), goto, drive (x, y, theta;
 * vx, vy, omega) and stop.
 *
 * Errors begin with FILE:LINE:COLUMN. The parser knows no robot.
 */
#ifndef TROUPE_APPS_SEQUENCE_H
#define TROUPE_APPS_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

enum {
    SEQUENCE_NAME = 40,         /* longest name of a dof */
    SEQUENCE_NAMES = 1600,      /* most different dofs and kinds of commands for them */
    SEQUENCE_FRAMES = 1000000,  /* most frames */
    SEQUENCE_BYTES = 256 << 20, /* of a file */
};

/* What a frame does with the base. */
typedef enum sequence_base { BASE_NOTHING, BASE_GOTO, BASE_DRIVE, BASE_STOP } sequence_base;

/* A dof that is commanded somewhere in the file. */
struct sequence_name {
    char text[SEQUENCE_NAME + 1];
    uint8_t servo; /* 1 set-point, 2 speed, 4 force */
    unsigned line, column;
    size_t frame;        /* the last one that commands it, counted from 1; 0: none does */
    double value;        /* there */
    uint16_t joint, dof; /* set by the caller, which knows the robot */
};

struct sequence_target {
    uint32_t name; /* index */
    double value;
};

struct sequence_frame {
    double time_s;
    double duration_s; /* of set-points; negative: until the next frame */
    sequence_base base;
    double values[3];
    size_t first, count; /* targets */
};

struct sequence {
    struct sequence_frame *frames; /* owned, as the others; in the order of their times */
    size_t frame_count;
    struct sequence_target *targets;
    size_t target_count;
    struct sequence_name *names;
    size_t name_count;
    size_t frame_room, target_room, name_room;
};

/* Read a text. `path` is for messages; JSON begins with a brace or a bracket. If it fails, `out` is
 * empty. TP_E_SYNTAX, TP_E_RANGE, TP_E_LIMIT, TP_E_NOMEM. */
tp_status sequence_read(struct sequence *out, const char *text, size_t length, const char *path,
                        tp_error *err);
void sequence_fini(struct sequence *sequence);

/* Speeds hold until the next command: if some are not zero at the end, add a frame that makes them
 * zero, as long after the last one as that is after the one before. False without memory. */
bool sequence_add_rest(struct sequence *sequence);

/* ---- For the readers ---- */

/* A new frame; NULL without room. */
struct sequence_frame *sequence_add_frame(struct sequence *s);

/* The index of the dof with this name and servo; -1 if there is none. */
long sequence_find_name(const struct sequence *s, const char *text, size_t length, uint8_t servo);

/* The same; it is added if there is none. -1 without room. */
long sequence_add_name(struct sequence *s, const char *text, size_t length, uint8_t servo,
                       unsigned line, unsigned column);

/* A target of the last frame; false without room. */
bool sequence_add_target(struct sequence *s, long name, double value);

/* sequence_json.c: the same for JSON. */
tp_status sequence_read_json(struct sequence *out, const char *text, size_t length,
                             const char *path, tp_error *err);

#endif
