/*
 * motion.h - robot programs that move a robot in time: a client of a motion server.
 *
 * A program describes motion as *frames*: commands that start at the same instant. The server plays
 * them at their instants, however badly the network delivers them. docs/motion.md explains the
 * modes, docs/motion-protocol.md the bytes.
 *
 * A tp_motion is one robot. It belongs to one thread, and the library starts none: packages are
 * handled while a call of this header waits, or while the loop turns. It keeps a second connection
 * to the same server, which it uses for panic and rates only.
 *
 * Commands, questions and settings have *tags*. What the server answers is kept under the tag until
 * the program takes it (tp_motion_take(), tp_motion_await()), or a callback gets it
 * (tp_motion_on()). Calls with an argument `later` wait for the answer if it is NULL; otherwise
 * they return at once, and the answer has the tag that they store there. Calls that wait must not
 * be made from a callback.
 *
 * After a lost connection the client connects again, but resumes nothing: the server has stopped
 * what the client moved, and dropped its sequences and broadcasts.
 *
 *     tp_motion_connect(&robot, "motion://robot.local", NULL, &err);
 *     const tp_motion_command look[] = {tp_motion_set(1, 0, 0.5, 0), tp_motion_set_speed(0.2, 0,
 * 0)}; tp_motion_call(robot, look, 2, &tag, &err);      started, both at once tp_motion_wait(robot,
 * tag, 0, NULL, &err);       the head has arrived
 */
#ifndef TROUPE_MOTION_H
#define TROUPE_MOTION_H

#include "troupe/client.h"
#include "troupe/loop.h"
#include "troupe/motion_data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_motion tp_motion;

/* When frames are played. */
typedef enum tp_motion_mode {
    TP_MOTION_DIRECT = 0,   /* at once, or at a time of the server's clock */
    TP_MOTION_DELAY = 1,    /* after the client's delay */
    TP_MOTION_PLAYBACK = 2, /* a sequence with a known length, when it cannot stall any more */
    TP_MOTION_ADAPTIVE = 4, /* a sequence without an end, slowed while frames are late */
} tp_motion_mode;

/* What happens to late frames. */
typedef enum tp_motion_late {
    TP_MOTION_LATE_USUAL = 0, /* direct and delay run them, sequences hold */
    TP_MOTION_LATE_RUN = 1,
    TP_MOTION_LATE_HOLD = 2,
} tp_motion_late;

/* How a command ended, or why it does not run. */
typedef enum tp_motion_signal {
    TP_MOTION_SUCCESS = 0,
    TP_MOTION_MODIFIED = 1, /* done in part */
    TP_MOTION_NA = 2,       /* this robot has no such thing */
    TP_MOTION_BUSY = 3,     /* another client holds the dof */
    TP_MOTION_INTERRUPTED = 4,
    TP_MOTION_ERROR = 5,
    TP_MOTION_PANIC = 6,
} tp_motion_signal;

/* "SUCCESS". Never NULL. */
TP_API const char *tp_motion_signal_name(unsigned signal);

/* ---- The connection -------------------------------------------------------------------------- */

/* All fields but the size may be zero. Texts are copied; the loop is borrowed. */
typedef struct tp_motion_options {
    size_t size;                /* sizeof(tp_motion_options); 0 for the fields up to `context` */
    const char *name;           /* of the program: whom other clients see holding a dof */
    int64_t timeout_ns;         /* of calls that wait; 0 for 5 s, TP_NEVER for none */
    int64_t lease_ns;           /* to ask for; 0 for the server's usual one */
    bool stay_lost;             /* do not reconnect after a lost connection */
    bool single;                /* no second connection */
    tp_loop *loop;              /* the program's own loop; NULL: the client creates one */
    tp_client_renewal renewal;  /* what renews the lease, as in troupe/client.h */
    const char *key, *key_file; /* as in troupe/client.h */
    /* The connection was made (`why` is NULL) or lost (`why` is the reason). */
    void (*changed)(void *context, tp_motion *motion, const char *why);
    /* The server reports a panic with this number. */
    void (*panicked)(void *context, tp_motion *motion, uint32_t epoch);
    void *context;
} tp_motion_options;

/* Connect, read the description and compare clocks; waits, at most for the time-out. `url`:
 *     motion://HOST[:PORT], tcp:HOST[:PORT], HOST[:PORT]   the default port is 7665
 *     unix:PATH
 *     NULL                            the environment variable TROUPE_MOTION_URL, or localhost
 * TP_E_DENIED if the server does not accept the key. */
TP_API tp_status tp_motion_connect(tp_motion **out, const char *url,
                                   const tp_motion_options *options, tp_error *err);

/* Connect without waiting: `changed` reports the connection. Needs the option `loop`. */
TP_API tp_status tp_motion_connect_later(tp_motion **out, const char *url,
                                         const tp_motion_options *options, tp_error *err);

/* Close the connection: what this client moves stops. Not allowed in a callback of this client.
 * NULL is accepted. */
TP_API void tp_motion_destroy(tp_motion *motion);

TP_API bool tp_motion_is_connected(const tp_motion *motion);
TP_API const char *tp_motion_url(const tp_motion *motion);
TP_API tp_loop *tp_motion_loop(const tp_motion *motion);

/* The client's right on the server. */
TP_API tp_right tp_motion_right(const tp_motion *motion);

/* What the server has granted. */
typedef struct tp_motion_terms {
    uint32_t client;    /* the client's number */
    uint32_t frames;    /* that may wait */
    uint32_t payload;   /* bytes of a package */
    int64_t lease_ns;   /* silence after which the robot stops */
    int64_t horizon_ns; /* frames may lie so far ahead */
    uint64_t clock;     /* identity of the server's clock */
    bool panicked;      /* there is a panic */
    uint32_t epoch;     /* the number of the last panic */
    uint32_t losses;    /* connections that were lost */
    bool second;        /* there is a second connection */
} tp_motion_terms;

TP_API void tp_motion_get_terms(const tp_motion *motion, tp_motion_terms *out);

/* Handle packages until tp_motion_stop() is called; any thread and any signal handler may. */
TP_API void tp_motion_run(tp_motion *motion);
TP_API void tp_motion_stop(tp_motion *motion);

/* Make one turn of the loop; waits for an event only if `wait` is true. */
TP_API void tp_motion_step(tp_motion *motion, bool wait);

/* End the call that waits now, or else the next one that waits: it fails with TP_E_INTERRUPTED. Any
 * thread and any signal handler may call it. A signal whose handler runs in the thread that waits
 * has the same effect, unless it arrives just before the wait. */
TP_API void tp_motion_interrupt(tp_motion *motion);

/* Report that the program is well, which renews its lease. Any thread may call it. */
TP_API void tp_motion_renew(tp_motion *motion);

/* For other event loops: as tp_client_fd(), tp_client_deadline(), tp_client_process(). */
TP_API int tp_motion_fd(const tp_motion *motion);
TP_API int64_t tp_motion_deadline(const tp_motion *motion);
TP_API void tp_motion_process(tp_motion *motion);

/* ---- The robot ------------------------------------------------------------------------------- */

/* A description. Joint 0 joins the world and the root. */
typedef struct tp_motion_robot {
    char name[TP_MOTION_NAME + 1];
    uint16_t joint_count, link_count, frame_count, dof_count;
    uint16_t root;     /* the root link */
    uint32_t commands; /* bit i: it has tp_motion_verb i */
    int64_t period_ns; /* between set-points at the devices */
    uint64_t clock;    /* identity of the server's clock */
    const tp_motion_joint *joints;
    const tp_motion_link *links;
    const tp_motion_frame *frames;
} tp_motion_robot;

/* The description of the robot; NULL before the first connection. Borrowed until the connection is
 * made again. */
TP_API const tp_motion_robot *tp_motion_describe(const tp_motion *motion);

/* The index of the joint, link or control frame with this name; -1 if there is none. */
TP_API int tp_motion_find_joint(const tp_motion_robot *robot, const char *name);
TP_API int tp_motion_find_link(const tp_motion_robot *robot, const char *name);
TP_API int tp_motion_find_frame(const tp_motion_robot *robot, const char *name);

/* A dof by its name: "elbow", "head:1" for dof 1 of a joint with several, or with the joint's index
 * instead of its name. TP_E_UNKNOWN with the nearest name. */
TP_API tp_status tp_motion_find_dof(const tp_motion_robot *robot, const char *name, uint16_t *joint,
                                    uint16_t *dof, tp_error *err);

/* ---- Commands -------------------------------------------------------------------------------- */

/* In the order of the protocol's table. */
typedef enum tp_motion_verb {
    TP_MOTION_DO_GOTO,
    TP_MOTION_DO_SETSPEED,
    TP_MOTION_DO_STOP,
    TP_MOTION_DO_SET,
    TP_MOTION_DO_SPEED,
    TP_MOTION_DO_FORCE,
    TP_MOTION_DO_MOVE,
    TP_MOTION_DO_HOME,
    TP_MOTION_DO_POSE,
    TP_MOTION_DO_TWIST,
    TP_MOTION_DO_WRENCH,
} tp_motion_verb;

/* "GOTO". Never NULL. */
TP_API const char *tp_motion_verb_name(unsigned verb);

/* A target of MOVE. */
typedef struct tp_motion_target {
    uint16_t joint, dof;
    double value;
} tp_motion_target;

/* A command; the functions below make them. */
typedef struct tp_motion_command {
    tp_motion_verb verb;
    uint16_t joint; /* or the control frame */
    uint16_t dof;
    uint8_t servo; /* of MOVE: TP_MOTION_POSITION, _SPEED or _FORCE */
    bool map;      /* of GOTO: in the frame of the map, not of odometry */
    double value[6];
    int64_t duration_ns;             /* of SET, MOVE and POSE; 0: as fast as the limits allow */
    const tp_motion_target *targets; /* of MOVE; borrowed */
    uint16_t count;
} tp_motion_command;

/* Drive the base to a pose in odometry. */
static inline tp_motion_command tp_motion_goto(double x_m, double y_m, double theta_rad)
{
    tp_motion_command c = {TP_MOTION_DO_GOTO, 0, 0, 0, false, {x_m, y_m, theta_rad}, 0, NULL, 0};

    return c;
}

/* Drive the base at a speed, until the next command for it. */
static inline tp_motion_command tp_motion_set_speed(double vx_mps, double vy_mps,
                                                    double omega_radps)
{
    tp_motion_command c = {TP_MOTION_DO_SETSPEED,         0, 0,    0, false,
                           {vx_mps, vy_mps, omega_radps}, 0, NULL, 0};

    return c;
}

/* Brake the base. */
static inline tp_motion_command tp_motion_brake(void)
{
    tp_motion_command c = {TP_MOTION_DO_STOP, 0, 0, 0, false, {0}, 0, NULL, 0};

    return c;
}

/* Move a dof to a value. It arrives after `duration_ns`; 0 for as fast as the limits allow. */
static inline tp_motion_command tp_motion_set(uint16_t joint, uint16_t dof, double value,
                                              int64_t duration_ns)
{
    tp_motion_command c = {TP_MOTION_DO_SET, joint, dof, 0, false, {value}, duration_ns, NULL, 0};

    return c;
}

/* Move a dof at a speed, until the next command for it. */
static inline tp_motion_command tp_motion_speed(uint16_t joint, uint16_t dof, double speed)
{
    tp_motion_command c = {TP_MOTION_DO_SPEED, joint, dof, 0, false, {speed}, 0, NULL, 0};

    return c;
}

/* Push with a dof, until the next command for it. */
static inline tp_motion_command tp_motion_force(uint16_t joint, uint16_t dof, double force)
{
    tp_motion_command c = {TP_MOTION_DO_FORCE, joint, dof, 0, false, {force}, 0, NULL, 0};

    return c;
}

/* Command many dofs. `servo` is TP_MOTION_POSITION, _SPEED or _FORCE; the targets are borrowed. */
static inline tp_motion_command tp_motion_move(const tp_motion_target *targets, uint16_t count,
                                               uint8_t servo, int64_t duration_ns)
{
    tp_motion_command c = {TP_MOTION_DO_MOVE, 0, 0, servo, false, {0}, duration_ns, targets, count};

    return c;
}

/* Move a joint, or all of them (TP_MOTION_JOINTS), to the rest state. */
static inline tp_motion_command tp_motion_home(uint16_t joint)
{
    tp_motion_command c = {TP_MOTION_DO_HOME, joint, 0, 0, false, {0}, 0, NULL, 0};

    return c;
}

/* Move a control frame: POSE (x, y, z, roll, pitch, yaw), TWIST or WRENCH, in root axes. */
static inline tp_motion_command tp_motion_place(tp_motion_verb verb, uint16_t frame,
                                                const double value[6], int64_t duration_ns)
{
    tp_motion_command c = {
        verb,        frame, 0,
        0,           false, {value[0], value[1], value[2], value[3], value[4], value[5]},
        duration_ns, NULL,  0};

    return c;
}

/* How a frame is to be played. */
typedef struct tp_motion_when {
    size_t size; /* sizeof(tp_motion_when); 0 for the fields up to `clear` */
    tp_motion_mode mode;
    /* Direct and delay: of the server's clock (tp_motion_now_us()), 0 for now; delay adds the
     * client's delay. Playback and adaptive: of the sequence. */
    uint64_t time_us;
    uint32_t sequence; /* of playback and adaptive */
    bool ack;          /* answer each command, also if all goes well */
    bool clear;        /* first drop this client's waiting frames at or after this time */
} tp_motion_when;

/* Send a frame; does not wait. `when` NULL is the mode of tp_motion_set_mode(), now. The commands
 * get the tags *first, *first + 1 and so on; `first` may be NULL. TP_E_CLOSED while there is no
 * connection. TP_E_LIMIT if the server does not read: a command for now is not kept until it is
 * old, and only so many frames of sequences wait here (tp_motion_unsent()). */
TP_API tp_status tp_motion_send(tp_motion *motion, const tp_motion_command *commands, size_t count,
                                const tp_motion_when *when, uint32_t *first, tp_error *err);

/* Send a frame in direct mode, and wait until all its commands have started. Fails if one does not:
 * TP_E_UNSUPPORTED for NA, TP_E_DENIED for BUSY, TP_E_PANIC, TP_E_DEVICE for INTERRUPTED,
 * TP_E_INVALID for ERROR; the others run. */
TP_API tp_status tp_motion_call(tp_motion *motion, const tp_motion_command *commands, size_t count,
                                uint32_t *first, tp_error *err);

/* Wait for the final signal of a command. `out` may be NULL; its text is borrowed until the next
 * call. Fails as tp_motion_call() does. A `timeout_ns` of 0 is the time-out of the options. */
TP_API tp_status tp_motion_wait(tp_motion *motion, uint32_t tag, int64_t timeout_ns,
                                tp_motion_signalled *out, tp_error *err);

/* Bytes that the kernel has not taken yet. */
TP_API size_t tp_motion_unsent(const tp_motion *motion);

/* ---- Answers --------------------------------------------------------------------------------- */

typedef enum tp_motion_kind {
    TP_MOTION_IS_SIGNAL,
    TP_MOTION_IS_SUMMARY,
    TP_MOTION_IS_STATE,
    TP_MOTION_IS_BASE,
    TP_MOTION_IS_CLOCK,
    TP_MOTION_IS_QUEUES,
    TP_MOTION_IS_BUSY,
    TP_MOTION_IS_LEASE,
} tp_motion_kind;

/* An answer. Released with free(); texts end with a NUL and belong to it. */
typedef struct tp_motion_reply {
    uint32_t tag;
    tp_motion_kind kind;
    int64_t received_ns; /* by the loop's clock */
    union {
        tp_motion_signalled signal;
        tp_motion_summary summary;
        tp_motion_state state;
        tp_motion_base base;
        tp_motion_clock clock;
        tp_motion_queues queues;
        tp_motion_busy busy;
        uint64_t lease_us;
    } as;
} tp_motion_reply;

/* Take the oldest answer with this tag, or with any tag (0); NULL if there is none. Does not wait.
 */
TP_API tp_motion_reply *tp_motion_take(tp_motion *motion, uint32_t tag);

/* Wait for an answer with this tag and take it. */
TP_API tp_status tp_motion_await(tp_motion *motion, uint32_t tag, int64_t timeout_ns,
                                 tp_motion_reply **out, tp_error *err);

/* Call a function for each answer with this tag, or for each that no other function gets (0). The
 * reply is borrowed for the call. NULL ends it. */
typedef void tp_motion_replied(void *context, tp_motion *motion, const tp_motion_reply *reply);
TP_API tp_status tp_motion_on(tp_motion *motion, uint32_t tag, tp_motion_replied *replied,
                              void *context, tp_error *err);

/* Answers that were dropped because the program did not take them: the oldest first. */
TP_API uint64_t tp_motion_dropped(const tp_motion *motion);

/* ---- Questions ------------------------------------------------------------------------------- */

typedef enum tp_motion_query {
    TP_MOTION_ASK_STATE = 5,
    TP_MOTION_ASK_BASE = 6,
    TP_MOTION_ASK_CLOCK = 7,
    TP_MOTION_ASK_QUEUES = 8,
    TP_MOTION_ASK_BUSY = 9,
} tp_motion_query;

/* Ask, and wait for the answer, which is the caller's to free(). */
TP_API tp_status tp_motion_ask(tp_motion *motion, tp_motion_query query, tp_motion_reply **out,
                               tp_error *err);

/* Ask; the answer has the tag `later`. */
TP_API tp_status tp_motion_ask_later(tp_motion *motion, tp_motion_query query, uint32_t *later,
                                     tp_error *err);

/* Broadcast mode: the server answers every period, with the tag `tag`, until tp_motion_silence().
 * Does not wait. */
TP_API tp_status tp_motion_broadcast(tp_motion *motion, tp_motion_query query, int64_t period_ns,
                                     uint32_t *tag, tp_error *err);

/* End a broadcast, or all (0). */
TP_API tp_status tp_motion_silence(tp_motion *motion, uint32_t tag, uint32_t *later, tp_error *err);

/* ---- Sequences ------------------------------------------------------------------------------- */

typedef struct tp_motion_sequence {
    size_t size;         /* sizeof(tp_motion_sequence); 0 for the fields up to `paper` */
    tp_motion_mode mode; /* playback or adaptive */
    uint32_t frames;     /* playback: how many will come */
    int64_t duration_ns; /* playback: from the first to the last */
    int64_t target_ns;   /* adaptive: the buffer to keep; 0 for 1 s */
    tp_motion_late late;
    bool paper; /* playback: the estimate of the RoboTalk paper */
} tp_motion_sequence;

/* Begin a sequence; its number is stored in `sequence`. */
TP_API tp_status tp_motion_begin(tp_motion *motion, const tp_motion_sequence *what,
                                 uint32_t *sequence, uint32_t *later, tp_error *err);

/* Send a frame of the sequence, at a time of the sequence. Does not wait; fails as
 * tp_motion_send(). */
TP_API tp_status tp_motion_add(tp_motion *motion, uint32_t sequence, int64_t time_ns,
                               const tp_motion_command *commands, size_t count, tp_error *err);

/* All frames were sent. */
TP_API tp_status tp_motion_end(tp_motion *motion, uint32_t sequence, uint32_t *later,
                               tp_error *err);

/* Wait until the sequence has ended. Fails as tp_motion_call() does unless it went well; then, too,
 * `out` (may be NULL) is set if there was a summary. Its text is borrowed until the next call. */
TP_API tp_status tp_motion_wait_end(tp_motion *motion, uint32_t sequence, int64_t timeout_ns,
                                    tp_motion_summary *out, tp_error *err);

/* ---- Settings -------------------------------------------------------------------------------- */

/* The mode of tp_motion_send() without `when`: direct or delay. Late frames of both modes are
 * treated as `late` says. `delay_ns` is what delay mode adds. */
TP_API tp_status tp_motion_set_mode(tp_motion *motion, tp_motion_mode mode, tp_motion_late late,
                                    int64_t delay_ns, uint32_t *later, tp_error *err);

/* End the command with this tag, or all of this client (0): the robot decelerates. */
TP_API tp_status tp_motion_cancel(tp_motion *motion, uint32_t tag, uint32_t *later, tp_error *err);

/* Scale the speed of time, 0 to 1, of this client or of the whole robot. 0 is a hold: the robot
 * stands, and the path stays what was asked. On the second connection. */
TP_API tp_status tp_motion_rate(tp_motion *motion, double rate, bool robot, uint32_t *later,
                                tp_error *err);

/* Ask for another lease; `granted_ns` may be NULL. Waits. */
TP_API tp_status tp_motion_lease(tp_motion *motion, int64_t lease_ns, int64_t *granted_ns,
                                 tp_error *err);

/* Fields of the description that can be set where the configuration allows it. */
typedef enum tp_motion_field {
    TP_MOTION_LINK_MASS = 1,
    TP_MOTION_LINK_CENTRE = 2,
    TP_MOTION_LINK_INERTIA = 3,
    TP_MOTION_DOF_LOWER = 4,
    TP_MOTION_DOF_UPPER = 5,
    TP_MOTION_DOF_VELOCITY = 6,
    TP_MOTION_DOF_FORCE = 7,
    TP_MOTION_DOF_ACCELERATION = 8,
    TP_MOTION_FRAME_POSE = 9,
} tp_motion_field;

/* Set a field of link, joint or frame `index`. Unused values are 0. */
TP_API tp_status tp_motion_update(tp_motion *motion, tp_motion_field field, uint16_t index,
                                  uint16_t dof, const double value[6], uint32_t *later,
                                  tp_error *err);

/* ---- Panic ----------------------------------------------------------------------------------- */

/* Stop the robot: written at once, on the second connection. Then waits, unless inside a callback,
 * until the server reports the panic, whose number `epoch` gets; it may be NULL. Everybody may do
 * this. */
TP_API tp_status tp_motion_panic(tp_motion *motion, uint32_t *epoch, tp_error *err);

/* End the panic with this number. Needs the right to operate, or to be who raised it. Waits. */
TP_API tp_status tp_motion_reset(tp_motion *motion, uint32_t epoch, tp_error *err);

/* ---- The server's clock ---------------------------------------------------------------------- */

/* The time of the server's clock now, as far as it is known; never less than before on the same
 * connection. 0 before the first connection. */
TP_API uint64_t tp_motion_now_us(tp_motion *motion);

/* The bound of its error. */
TP_API int64_t tp_motion_now_error_ns(const tp_motion *motion);

#ifdef __cplusplus
}
#endif
#endif
