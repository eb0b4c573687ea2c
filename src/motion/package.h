/*
 * package.h - the bytes of the motion protocol: packages, records and their bodies.
 *
 * A package is a header of 32 bytes and a payload of records. A record has a code, a tag and a
 * body. Everything is big-endian. Physical values are integers on the wire and doubles in MKS units
 * here; the table of bodies says how each is scaled. docs/motion-protocol.md describes all of it
 * for people who write clients.
 *
 * The table `tpi_motion_bodies` is the only description of bodies in the program: encoding,
 * decoding and the test of the page walk it. All functions are pure; none allocates.
 */
#ifndef TROUPE_MOTION_PACKAGE_H
#define TROUPE_MOTION_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/motion_data.h"
#include "troupe/status.h"

enum {
    TPI_MOTION_HEADER = 32, /* bytes of a package's header */
    TPI_MOTION_RECORD = 8,  /* bytes of a record's header */
    TPI_MOTION_VERSION = 1,
    TPI_MOTION_NAME = 32,         /* bytes of a name on the wire; the last may be used */
    TPI_MOTION_PAYLOAD = 1 << 20, /* the largest payload of a package */
    TPI_MOTION_DOFS = 512,        /* the most dofs of a robot */
    TPI_MOTION_JOINT_DOFS = 6,    /* the most dofs of a joint */
    TPI_MOTION_TEXT = 240,        /* the longest text of a signal */
};

/* Flags of a package. */
enum {
    TPI_MOTION_PANIC = 1,
    TPI_MOTION_RESET = 2,
    TPI_MOTION_CLEAR = 4,
    TPI_MOTION_ACK = 8,
    TPI_MOTION_FLAGS = 15, /* all of them */
};

/* What the records of a package are; never mixed. */
typedef enum tpi_motion_kind {
    TPI_MOTION_QUERY = 1,
    TPI_MOTION_COMMAND = 2,
    TPI_MOTION_SESSION = 3,
    TPI_MOTION_REPLY = 4,
} tpi_motion_kind;

typedef enum tpi_motion_mode {
    TPI_MOTION_DIRECT = 0,
    TPI_MOTION_DELAY = 1,
    TPI_MOTION_PLAYBACK = 2,
    TPI_MOTION_BROADCAST = 3,
    TPI_MOTION_ADAPTIVE = 4,
    TPI_MOTION_SESSIONS_OWN = 255, /* the mode that the session has chosen */
} tpi_motion_mode;

/* How a command ended, or why it does not run. */
typedef enum tpi_motion_signal {
    TPI_MOTION_SUCCESS = 0,
    TPI_MOTION_MODIFIED = 1,
    TPI_MOTION_NA = 2,
    TPI_MOTION_BUSY = 3,
    TPI_MOTION_INTERRUPTED = 4,
    TPI_MOTION_ERROR = 5,
    TPI_MOTION_PANICKED = 6,
} tpi_motion_signal;

/* Codes of records. A reply to a record has its code plus TPI_MOTION_ANSWER. */
enum {
    TPI_MOTION_GOTO = 0x0101,
    TPI_MOTION_SETSPEED = 0x0102,
    TPI_MOTION_STOP = 0x0103,
    TPI_MOTION_SET = 0x0201,
    TPI_MOTION_SPEED = 0x0202,
    TPI_MOTION_FORCE = 0x0203,
    TPI_MOTION_MOVE = 0x0204,
    TPI_MOTION_HOME = 0x0205,
    TPI_MOTION_POSE = 0x0301,
    TPI_MOTION_TWIST = 0x0302,
    TPI_MOTION_WRENCH = 0x0303,
    TPI_MOTION_ASK_HEADER = 0x0401,
    TPI_MOTION_ASK_JOINTS = 0x0402,
    TPI_MOTION_ASK_LINKS = 0x0403,
    TPI_MOTION_ASK_FRAMES = 0x0404,
    TPI_MOTION_ASK_STATE = 0x0405,
    TPI_MOTION_ASK_BASE = 0x0406,
    TPI_MOTION_ASK_CLOCK = 0x0407,
    TPI_MOTION_ASK_QUEUES = 0x0408,
    TPI_MOTION_ASK_BUSY = 0x0409,
    TPI_MOTION_HELLO = 0x0501,
    TPI_MOTION_SYNC = 0x0502,
    TPI_MOTION_SET_MODE = 0x0503,
    TPI_MOTION_BEGIN = 0x0504,
    TPI_MOTION_END = 0x0505,
    TPI_MOTION_BROADCAST_BEGIN = 0x0506,
    TPI_MOTION_BROADCAST_END = 0x0507,
    TPI_MOTION_CANCEL = 0x0508,
    TPI_MOTION_RATE = 0x0509,
    TPI_MOTION_LEASE = 0x050a,
    TPI_MOTION_UPDATE = 0x050b,
    TPI_MOTION_CHALLENGE = 0x050c,
    TPI_MOTION_PROVE = 0x050d,
    TPI_MOTION_SIGNAL = 0x8001,
    TPI_MOTION_SUMMARY = 0x8002,
    TPI_MOTION_ANSWER = 0x8000,
};

/* ---- The header of a package ------------------------------------------------------------------
 */

typedef struct tpi_motion_header {
    uint8_t flags;
    uint8_t kind;
    uint8_t mode;
    uint16_t records;
    uint32_t id;
    uint32_t size;     /* of the payload, in bytes */
    uint64_t time_us;  /* of the server's clock, of the sequence, or the period of a broadcast */
    uint32_t sequence; /* the sequence's id; with RESET the number of the panic */
} tpi_motion_header;

void tpi_motion_header_put(uint8_t out[TPI_MOTION_HEADER], const tpi_motion_header *header);

/* Whether the header asks for a panic. `RT` and the flag suffice: nothing else is looked at. */
bool tpi_motion_is_panic(const uint8_t bytes[TPI_MOTION_HEADER]);

/* Read a header. TP_E_INVALID, with the reason, if it does not begin with `RT` (`*foreign` is true
 * then: the stream has lost its place) or if a field is not valid. The size of the payload is set
 * in any case but the first, so that the payload can be skipped. */
tp_status tpi_motion_header_get(tpi_motion_header *out, const uint8_t bytes[TPI_MOTION_HEADER],
                                bool *foreign, tp_error *err);

/* ---- Bodies ------------------------------------------------------------------------------------
 */

typedef struct tpi_motion_empty {
    char nothing;
} tpi_motion_empty;

/* A dof of a joint: the joint's index, and which of its dofs. */
typedef struct tpi_motion_goto {
    double x_m, y_m, theta_rad;
    uint8_t frame; /* 0 odometry, 1 map */
} tpi_motion_goto;

typedef struct tpi_motion_setspeed {
    double vx_mps, vy_mps, omega_radps;
} tpi_motion_setspeed;

typedef struct tpi_motion_set {
    uint16_t joint, dof;
    double value; /* m or rad */
    uint64_t duration_us;
} tpi_motion_set;

/* SPEED and FORCE. */
typedef struct tpi_motion_drive {
    uint16_t joint, dof;
    double value; /* m/s, rad/s, N or Nm */
} tpi_motion_drive;

/* What MOVE sets. */
enum { TPI_MOTION_SERVO_POSITION = 1, TPI_MOTION_SERVO_SPEED = 2, TPI_MOTION_SERVO_FORCE = 4 };

typedef struct tpi_motion_move {
    uint64_t duration_us;
    uint8_t servo; /* one of TPI_MOTION_SERVO_ */
    uint16_t count;
    tpi_motion_drive *targets; /* borrowed */
} tpi_motion_move;

typedef struct tpi_motion_home {
    uint16_t joint; /* 0xffff for all */
} tpi_motion_home;

typedef struct tpi_motion_pose {
    uint16_t frame;
    double pose[6]; /* x, y, z in m; roll, pitch, yaw in rad; in the frame of the root link */
    uint64_t duration_us;
} tpi_motion_pose;

/* TWIST and WRENCH: at the frame's origin, in the axes of the root link. */
typedef struct tpi_motion_screw {
    uint16_t frame;
    double value[6];
} tpi_motion_screw;

/* JOINTS, LINKS, FRAMES. */
typedef struct tpi_motion_page {
    uint16_t first, count;
} tpi_motion_page;

typedef struct tpi_motion_description {
    char name[TPI_MOTION_NAME + 1];
    uint16_t joints, links, frames, dofs;
    uint16_t joint_size, link_size, frame_size; /* bytes of a record on the wire */
    uint32_t joint_offset, link_offset, frame_offset;
    uint16_t root;      /* the root link */
    uint16_t units;     /* version of the scaling: 1 */
    uint32_t commands;  /* bit i: the i-th command of the page's table is supported */
    uint32_t period_us; /* of set-points at the devices */
    uint64_t clock;     /* identity of the server's clock */
} tpi_motion_description;

/* Limits that are not there are the largest integers on the wire. */
typedef tp_motion_dof tpi_motion_dof;
typedef tp_motion_joint tpi_motion_joint;
typedef tp_motion_link tpi_motion_link;
typedef tp_motion_frame tpi_motion_frame;

typedef struct tpi_motion_joints {
    uint16_t first, count;
    tpi_motion_joint *items; /* borrowed */
} tpi_motion_joints;

typedef struct tpi_motion_links {
    uint16_t first, count;
    tpi_motion_link *items; /* borrowed */
} tpi_motion_links;

typedef struct tpi_motion_frames {
    uint16_t first, count;
    tpi_motion_frame *items; /* borrowed */
} tpi_motion_frames;

typedef tp_motion_dof_state tpi_motion_dof_state;
typedef tp_motion_state tpi_motion_state;
typedef tp_motion_base tpi_motion_base;
typedef tp_motion_clock tpi_motion_clock;
typedef tp_motion_queues tpi_motion_queues;
typedef tp_motion_holder tpi_motion_holder;
typedef tp_motion_busy tpi_motion_busy;

typedef struct tpi_motion_hello {
    char name[TPI_MOTION_NAME + 1]; /* of the program */
    uint8_t token[16];              /* zero: a new client; otherwise joins the client with it */
    uint64_t lease_us;              /* 0 for the server's default */
} tpi_motion_hello;

typedef struct tpi_motion_welcome {
    uint32_t client;
    uint8_t right;    /* 0 read, 1 write, 2 move, 3 operate */
    uint8_t panicked; /* 1: there is a panic now */
    uint32_t epoch;   /* the number of the last panic */
    uint8_t token[16];
    uint64_t clock, time_us, lease_us, longest_lease_us, horizon_us;
    uint32_t payload, frames; /* limits: bytes of a payload, frames that wait */
} tpi_motion_welcome;

typedef struct tpi_motion_sync {
    uint64_t sent_us; /* t1, of the client's clock */
} tpi_motion_sync;

typedef struct tpi_motion_synced {
    uint64_t sent_us, received_us, answered_us; /* t1, t2, t3 */
} tpi_motion_synced;

typedef struct tpi_motion_set_mode {
    uint8_t mode;
    uint8_t late; /* 0 the mode's default, 1 run, 2 hold */
} tpi_motion_set_mode;

typedef struct tpi_motion_begin {
    uint32_t sequence;
    uint8_t mode;     /* playback or adaptive */
    uint8_t estimate; /* 0 upper bound, 1 the paper's */
    uint8_t late;     /* 0 the mode's default, 1 run, 2 hold */
    uint32_t frames;  /* playback: how many will come */
    uint64_t duration_us;
    uint64_t target_us; /* adaptive: buffer to keep; 0 for 1 s */
} tpi_motion_begin;

typedef struct tpi_motion_end {
    uint32_t sequence, frames;
} tpi_motion_end;

typedef struct tpi_motion_broadcast {
    uint64_t period_us;
    uint16_t query; /* a code of kind query */
    uint16_t first, count;
} tpi_motion_broadcast;

typedef struct tpi_motion_tag {
    uint32_t tag; /* 0 for all */
} tpi_motion_tag;

typedef struct tpi_motion_rate {
    double rate;   /* 0 to 1 */
    uint8_t scope; /* 0 own, 1 robot */
} tpi_motion_rate;

typedef struct tpi_motion_lease {
    uint64_t lease_us;
} tpi_motion_lease;

/* Fields that UPDATE can set. */
enum {
    TPI_MOTION_LINK_MASS = 1,
    TPI_MOTION_LINK_CENTRE = 2,
    TPI_MOTION_LINK_INERTIA = 3,
    TPI_MOTION_DOF_LOWER = 4,
    TPI_MOTION_DOF_UPPER = 5,
    TPI_MOTION_DOF_VELOCITY = 6,
    TPI_MOTION_DOF_FORCE = 7,
    TPI_MOTION_DOF_ACCELERATION = 8,
    TPI_MOTION_FRAME_POSE = 9,
};

typedef struct tpi_motion_update {
    uint8_t field;
    uint16_t index, dof;
    double value[6]; /* unused ones are 0 */
} tpi_motion_update;

typedef struct tpi_motion_nonce {
    uint8_t nonce[32];
} tpi_motion_nonce;

typedef struct tpi_motion_right {
    uint8_t right;
} tpi_motion_right;

typedef tp_motion_signalled tpi_motion_signalled;
typedef tp_motion_summary tpi_motion_summary;

/* ---- The table of bodies ------------------------------------------------------------------------
 */

typedef enum tpi_motion_type {
    TPI_MOTION_U8,
    TPI_MOTION_U16,
    TPI_MOTION_U32,
    TPI_MOTION_U64,
    TPI_MOTION_MICRO, /* finite double; signed 64-bit integer in 1e-6 */
    TPI_MOTION_LIMIT, /* the same, or infinite: the largest and the smallest integer */
    TPI_MOTION_NANO,  /* finite double; 1e-9: axes, matrices */
    TPI_MOTION_PICO,  /* finite double; 1e-12: inertia */
    TPI_MOTION_RATIO, /* double 0 to 1; unsigned 32-bit integer in 1e-6 */
    TPI_MOTION_CHARS, /* name: `count` bytes, filled up with zero */
    TPI_MOTION_ZERO,  /* `count` bytes that must be zero */
    TPI_MOTION_COUNT, /* uint16: how many elements the following list has */
    TPI_MOTION_LIST,  /* elements of another body, at a pointer */
    TPI_MOTION_PART,  /* `count` elements of another body, inside of the struct */
} tpi_motion_type;

struct tpi_motion_body;

typedef struct tpi_motion_field {
    const char *name; /* as on the page */
    tpi_motion_type type;
    uint16_t count;                   /* how many of them follow each other */
    uint16_t offset;                  /* in the struct */
    const struct tpi_motion_body *of; /* of LIST and PART */
} tpi_motion_field;

typedef struct tpi_motion_body {
    const char *name;
    uint16_t code; /* 0 for elements of other bodies */
    uint16_t struct_size;
    const tpi_motion_field *fields; /* ended by a NULL name */
} tpi_motion_body;

/* All bodies with a code, in the order of their codes; ended by NULL. */
extern const tpi_motion_body *const tpi_motion_bodies[];

/* The body of records with this code; NULL if there is none. */
const tpi_motion_body *tpi_motion_body_of(uint16_t code);

/* The kind of package that records with this code belong to; 0 if there is no such record. */
unsigned tpi_motion_kind_of(uint16_t code);

/* ---- Records ------------------------------------------------------------------------------------
 */

/* A record as it stands in a payload. */
typedef struct tpi_motion_record {
    uint16_t code, length;
    uint32_t tag;
    const uint8_t *body; /* borrowed from the payload */
} tpi_motion_record;

/* Read the record at *at and move *at behind it. TP_E_INVALID if the payload is too short. */
tp_status tpi_motion_record_next(tpi_motion_record *out, const uint8_t *payload, size_t size,
                                 size_t *at, tp_error *err);

/* Check that a payload has exactly `records` records, all of the header's kind, each with a valid
 * body. TP_E_INVALID, with the number of the record and the reason. */
tp_status tpi_motion_payload_check(const tpi_motion_header *header, const uint8_t *payload,
                                   tp_error *err);

/* The bytes that the body of a value takes; 0 if a list is too long. */
size_t tpi_motion_body_size(const tpi_motion_body *body, const void *value);

/* Write a record. Returns its size, or 0 if it does not fit `space` or a value has no bytes: it is
 * not a number, or too large and no limit. */
size_t tpi_motion_record_put(uint8_t *out, size_t space, uint16_t code, uint32_t tag,
                             const void *value);

/* Decode a body into `*value`, a struct of the body's type, and lists into `scratch`, which is
 * aligned for doubles. TP_E_INVALID, with the field, if the bytes are not valid; TP_E_SPACE if
 * `scratch` is too small. */
tp_status tpi_motion_body_get(const tpi_motion_body *body, const uint8_t *bytes, size_t size,
                              void *value, void *scratch, size_t space, tp_error *err);

/* The length of a name that is cut to some bytes, in front of a character that does not fit whole.
 */
size_t tpi_motion_name_cut(const char *name, size_t most);

/* Write a name, cut to what fits, and fill the rest with zero bytes. */
void tpi_motion_name_put(char out[TPI_MOTION_NAME + 1], const char *name);

/* Whether tpi_motion_body_get() can decode a body, with as much scratch as it needs. */
tp_status tpi_motion_body_check(const tpi_motion_body *body, const uint8_t *bytes, size_t size,
                                tp_error *err);

#endif
