/*
 * inside.h - the parts of the engine, shared by its files.
 *
 * A client has tracks: time lines with the frames that wait on them. Track 0 is on the server's
 * clock (direct, delay), the others are sequences. An axis is a dof with its commanded state; its
 * motion belongs to a track, whose rate scales it. Motions without a client (brakes) are on the
 * engine's own track, which always runs at rate 1.
 *
 * Who holds an axis: `held` of a client counts its commands for the axis that wait or play. The
 * axis belongs to the client that counted first, until its count is 0 or a higher rank takes it.
 * When the count of the higher rank is 0, the axis is given back.
 *
 * A tool is a control frame that moves: it moves the axes of its chain together. When one of them
 * is taken away, it ends.
 */
#ifndef TROUPE_MOTION_INSIDE_H
#define TROUPE_MOTION_INSIDE_H

#include "motion/answers.h"
#include "motion/engine.h"
#include "motion/estimate.h"
#include "motion/path.h"
#include "motion/profile.h"
#include "motion/store.h"
#include "motion/timeline.h"

enum {
    TPI_MOTION_TRACKS = 9, /* of a client: the server's clock and eight sequences */
    TPI_MOTION_BROADCASTS = 16,
    TPI_MOTION_REFUSALS = 64,    /* different NA that are remembered for each client */
    TPI_MOTION_GOTO_SERVO = 128, /* besides TPI_MOTION_SERVO_: a GOTO of the device */
    TPI_MOTION_TOOLS = 16,       /* the most control frames that move at the same time */
    TPI_MOTION_PENDING = 1024,   /* final signals of a client that wait for devices */
    TPI_MOTION_REASON = 64,      /* bytes of a text that is kept while a command plays */
};

/* Clients read limits and send values in millionths, rounded. A value that is no further than this
 * beyond a limit is on it: nothing is clamped. */
static const double TPI_MOTION_ROUNDING = 0.6e-6;

typedef enum tpi_motion_track_state {
    TPI_MOTION_TRACK_FREE,
    TPI_MOTION_TRACK_COLLECTS, /* a sequence that has not started */
    TPI_MOTION_TRACK_PLAYS,
    TPI_MOTION_TRACK_ENDED, /* its summary is sent; lasting speeds still move */
} tpi_motion_track_state;

struct tpi_motion_client;

/* What is done otherwise than asked. */
typedef enum tpi_motion_change_kind {
    TPI_MOTION_NO_CHANGE,
    TPI_MOTION_CLAMPED,   /* a position, a speed or a force */
    TPI_MOTION_LEFT_OUT,  /* a speed of the base that it cannot have */
    TPI_MOTION_STRETCHED, /* a duration, in s */
    TPI_MOTION_REDUCED,   /* the motion of a control frame */
} tpi_motion_change_kind;

typedef struct tpi_motion_change {
    tpi_motion_change_kind kind;
    uint16_t axis, more; /* the first axis, and how many others */
    double asked, given;
} tpi_motion_change;

typedef struct tpi_motion_track {
    tpi_motion_track_state state;
    tpi_motion_line line;
    tpi_motion_queue queue;
    struct tpi_motion_client *client; /* borrowed; NULL of the engine's own */
    uint32_t moving, finite;          /* motions on it; those that end by themselves */
    bool touched, stepped;            /* is looked at in this instant; its rate is or was not 1 */
    struct {
        uint32_t id, expected, received, played, late;
        tpi_motion_estimator estimator;
        uint8_t mode;
        bool complete, gaps, ended;    /* all frames are known; some never came; END has come */
        int64_t duration_ns, start_at; /* when it can start, INT64_MAX: unknown */
        int64_t begun_ns, begun_tau_ns;
        tpi_motion_estimate estimate;
        uint32_t changes;         /* commands that were not done as asked */
        tpi_motion_change change; /* of the first of them */
        int64_t change_ns;        /* its time */
    } sequence;
} tpi_motion_track;

/* A command that plays. */
typedef struct tpi_motion_playing {
    bool used;
    uint8_t mode, flags;
    tpi_motion_signal worst; /* of its motions that have ended */
    uint32_t tag, package;
    uint32_t open; /* motions that have not ended */
    int64_t start_ns;
    tpi_motion_change change;    /* the first one */
    uint64_t outputs;            /* that move it: bit i % 64 is output i */
    char why[TPI_MOTION_REASON]; /* of the worst */
} tpi_motion_playing;

/* What a signal is about. */
typedef struct tpi_motion_subject {
    uint32_t tag, package;
    uint8_t mode, flags;
    int64_t start_ns;
} tpi_motion_subject;

/* A final signal or a SUMMARY that waits until devices have carried out what it reports. */
typedef struct tpi_motion_pending {
    uint64_t outputs; /* that have to confirm it, as of tpi_motion_playing */
    int64_t end_ns;
    bool sums_up;
    tpi_motion_signal signal;
    tpi_motion_subject subject; /* of a signal */
    tpi_motion_summary summary; /* without its signal and text */
    char text[TPI_MOTION_TEXT];
} tpi_motion_pending;

typedef struct tpi_motion_repeat {
    bool used;
    uint16_t query;
    uint32_t tag;
    tpi_motion_page page;
    int64_t period_ns, due_ns;
} tpi_motion_repeat;

typedef struct tpi_motion_client {
    bool used, gone; /* gone: its connection is closed, its frames still play */
    bool hit;        /* by a fault that is being handled */
    uint32_t number;
    char label[TPI_MOTION_NAME + 1];
    uint8_t right, mode, late;
    int rank;
    double rate;       /* of its own time */
    double robot_rate; /* what it has slowed the robot to; 1: it has not */
    int64_t heard_ns, lease_ns;
    tpi_motion_store store;
    tpi_motion_answers answers;
    tpi_motion_track tracks[TPI_MOTION_TRACKS];
    tpi_motion_playing *playing; /* owned; as many as axes, and one */
    uint32_t *held;              /* owned; for each axis */
    struct {                     /* in the order of their ends */
        tpi_motion_pending *at;  /* owned; TPI_MOTION_PENDING; NULL if devices do not confirm */
        uint32_t first, count;
    } pending;
    tpi_motion_repeat repeats[TPI_MOTION_BROADCASTS];
    uint64_t refusals[TPI_MOTION_REFUSALS];
    uint32_t refusal_count;
    uint32_t over[TPI_MOTION_TRACKS]; /* playbacks that were over before their END; 0: none */
    uint32_t overs;                   /* how many of them there were */
    uint64_t played, late_frames, longest_late_ns, skipped;
} tpi_motion_client;

/* What is looked at of every client all the time, side by side: the clients themselves are far
 * apart in memory, and most of them do nothing. */
typedef struct tpi_motion_brief {
    int64_t lease_end_ns; /* when it has been silent for its lease */
    int64_t repeat_ns;    /* when its next broadcast is due; INT64_MAX for none */
    int64_t confirm_ns;   /* the end that its next final signal waits for; INT64_MAX for none */
    uint16_t tracks;      /* bit k: track k is not free */
    bool told;            /* has records that nobody has asked about */
} tpi_motion_brief;

/* A control frame that moves. */
typedef struct tpi_motion_tool {
    unsigned axes;               /* that it still moves; 0: it is free */
    bool ending, still;          /* its axes are being ended; a twist of 0 has come to rest */
    uint8_t servo;               /* one of TPI_MOTION_SERVO_: POSE, TWIST, WRENCH */
    tpi_motion_track *track;     /* borrowed */
    tpi_motion_playing *command; /* borrowed */
    tpi_chain chain;
    bool fixed[TPI_CHAIN_DOFS];               /* columns that it does not move */
    tpi_motion_limits limits[TPI_CHAIN_DOFS]; /* of the columns */
    tpi_motion_path path;                     /* of a POSE */
    double brake_s;                           /* before the path: what moved comes to rest */
    double twist[6];                          /* or the wrench */
    int64_t tau_ns, next_ns;                  /* of a period: its start, and that of the next */
    double places[TPI_CHAIN_DOFS];            /* of the columns, at the start of the period */
    double speeds[TPI_CHAIN_DOFS], before[TPI_CHAIN_DOFS]; /* in it, and in the one before */
} tpi_motion_tool;

typedef struct tpi_motion_motion {
    uint8_t servo;         /* one of TPI_MOTION_SERVO_, TPI_MOTION_GOTO_SERVO; 0: none */
    bool firm;             /* cannot be interrupted: HOME */
    bool ends;             /* by itself */
    uint8_t frame;         /* of GOTO */
    uint8_t column;        /* of the tool */
    tpi_motion_tool *tool; /* borrowed; NULL: the axis moves alone */
    tpi_motion_track *track;
    tpi_motion_playing *command; /* NULL: a brake */
    int64_t tau0_ns, end_ns;     /* on the track; the start may be later, the end INT64_MAX */
    int64_t next_ns;             /* tau of its next sample */
    tpi_motion_profile profile;
    double value; /* force, or of a GOTO */
} tpi_motion_motion;

typedef struct tpi_motion_axis {
    uint16_t joint, dof, index;
    const tpi_motion_dof *of; /* borrowed from the robot */
    tpi_motion_dof first;     /* as it was at the start */
    tpi_motion_limits limits; /* also those of the dofs that follow it */
    tpi_motion_place place;
    tpi_motion_motion motion;
    tpi_motion_point rest; /* commanded, while nothing moves it; speed 0 */
    uint8_t servo;         /* what was commanded last */
    double speed;          /* that was written last, on its track */
    int64_t stepped_ns[2]; /* when it was lowered and raised last */
    double force;
    tpi_motion_client *holder; /* borrowed; NULL: free */
    tpi_motion_dof_state measured;
} tpi_motion_axis;

typedef struct tpi_motion_output {
    uint16_t count;       /* slots */
    uint16_t *axes;       /* owned; which axis each slot has */
    bool dirty, forced;   /* is looked at after this instant; is written in any case */
    tpi_motion_what what; /* of the next write */
    bool goes;            /* a GOTO runs in the device */
    double rate;          /* at which it runs */
    const char *occupied; /* borrowed; why it cannot be interrupted, NULL if it can */
    int64_t confirmed_ns; /* up to there its device has carried everything out */
} tpi_motion_output;

/* A target of a command. */
typedef struct tpi_motion_target {
    uint16_t axis;
    double value;
} tpi_motion_target;

/* A command, resolved to axes. */
typedef struct tpi_motion_order {
    uint16_t code, count;
    uint32_t tag;
    uint8_t servo, frame; /* the latter of GOTO */
    bool firm;
    tpi_motion_change change;
    int64_t duration_ns;
    tpi_motion_target *targets; /* borrowed: the engine's */
    bool moves_frame;           /* POSE, TWIST, WRENCH */
    uint16_t control_frame;
    double screw[6]; /* pose, twist or wrench */
} tpi_motion_order;

/* Buffers of the engine, taken at its creation. */
typedef struct tpi_motion_room {
    tpi_motion_drive *drives; /* decoded targets of MOVE */
    tpi_motion_target *targets;
    uint8_t *payload, *accepted, *record;
    int64_t *times;
    uint8_t *servos;
    double *values, *speeds;
    tpi_motion_dof_state *states;
    tpi_motion_holder *holders;
    double *written; /* values and speeds of the last write, by axis */
    double *joints;  /* values of all dofs, for kinematics */
    tpi_chain *chain;
} tpi_motion_room;

struct tpi_motion_engine {
    tpi_motion_robot robot;
    tpi_motion_settings settings;
    tpi_motion_emit *emit;
    void *user;
    uint16_t axis_count, base_axes;
    tpi_motion_axis *axes;       /* owned */
    tpi_motion_output *outputs;  /* owned */
    tpi_motion_client **clients; /* owned; each is owned, NULL if there is none */
    tpi_motion_brief *briefs;    /* owned; of the clients */
    tpi_motion_tool *tools;      /* owned; one more than may move */
    unsigned tool_count;
    tpi_motion_track own; /* of brakes */
    tpi_motion_base base;
    double rate;                /* of the robot: the lowest that its clients have asked for */
    double left_rate;           /* the lowest of those that have left */
    int64_t began_ns;           /* the first time that it was told; 0: none yet */
    int64_t now_ns, planned_ns; /* instants before the latter are closed */
    uint64_t arrivals, excesses;
    uint32_t pending; /* final signals of all clients that wait for devices */
    bool panicked;
    uint32_t epoch;
    tpi_motion_room room;
};

/* ---- create.c ---- */

void tpi_motion_client_free(tpi_motion_client *client);

/* Take the limits of all axes, also for the mechanism, from the robot's joints. */
void tpi_motion_axis_limit_all(tpi_motion_engine *e);

/* ---- engine.c ---- */

/* It is now this time, which never goes back. Leases end first: what they stop is not played. */
void tpi_motion_engine_set_now(tpi_motion_engine *e, int64_t now_ns);

/* The client was heard at this time, or has another lease. */
void tpi_motion_client_heard(tpi_motion_engine *e, tpi_motion_client *client, int64_t heard_ns);

/* What is known of a client in brief. */
static inline tpi_motion_brief *tpi_motion_brief_of(const tpi_motion_engine *e,
                                                    const tpi_motion_client *client)
{
    return &e->briefs[client->number - 1];
}

/* ---- device.c ---- */

/* What is commanded becomes what is measured: nothing jumps when it moves again. */
void tpi_motion_axis_take_measured(tpi_motion_axis *axis);

/* ---- signal.c ---- */

/* Whether every command is answered: in direct mode and with ACK. */
bool tpi_motion_signal_answers(const tpi_motion_subject *subject);

/* Send a signal, if the mode and the flags of the subject ask for it. */
void tpi_motion_signal_send(tpi_motion_engine *e, tpi_motion_client *client,
                            const tpi_motion_subject *subject, tpi_motion_signal signal, bool final,
                            const char *format, ...) TP_PRINTF(6, 7);

/* Send a final signal of something that has ended before. */
void tpi_motion_signal_end(tpi_motion_engine *e, tpi_motion_client *client,
                           const tpi_motion_subject *subject, tpi_motion_signal signal,
                           int64_t end_ns, const char *text);

/* Send any record. */
void tpi_motion_answer(tpi_motion_engine *e, tpi_motion_client *client, uint16_t code, uint32_t tag,
                       const void *value, bool passing);

/* ---- confirm.c: what waits for devices ---- */

/* A command has ended: its final signal. SUCCESS and MODIFIED wait for the outputs. */
void tpi_motion_confirm_signal(tpi_motion_engine *e, tpi_motion_client *client,
                               const tpi_motion_subject *subject, uint64_t outputs,
                               tpi_motion_signal signal, const char *text);

/* A sequence has ended: its SUMMARY comes behind the signals of its commands. */
void tpi_motion_confirm_summary(tpi_motion_engine *e, tpi_motion_client *client,
                                const tpi_motion_summary *summary);

/* An output has failed: what it has not confirmed is INTERRUPTED, and hits its client. */
void tpi_motion_confirm_fail(tpi_motion_engine *e, uint16_t output, const char *why);

/* A panic: what is not confirmed will not be carried out. */
void tpi_motion_confirm_panic(tpi_motion_engine *e, const char *why);

/* ---- order.c: commands as axes ---- */

/* Resolve a record. Returns false if the robot has no such thing: NA, with the reason in err. */
bool tpi_motion_order_read(tpi_motion_engine *e, const tpi_motion_record *record,
                           tpi_motion_order *out, tp_error *err);

/* ---- change.c: what is done otherwise than asked ---- */

/* The name of a dof: "head:1" if its joint has several. Commands of the base take all of them. */
void tpi_motion_axis_put_name(const tpi_motion_engine *e, const tpi_motion_axis *axis,
                              char out[TPI_MOTION_NAME + 16]);

/* An axis of an order gets another value. */
void tpi_motion_change_add(tpi_motion_change *change, tpi_motion_change_kind kind, uint16_t axis,
                           double asked, double given);

/* The command is MODIFIED; the summary of its sequence says so. */
void tpi_motion_change_note(tpi_motion_track *track, tpi_motion_playing *command,
                            const tpi_motion_change *change);

/* The change as a text, behind what is there; nothing if there is none. */
void tpi_motion_change_put(const tpi_motion_engine *e, const tpi_motion_change *change,
                           char text[TPI_MOTION_TEXT]);

/* ---- tool.c: control frames ---- */

/* Resolve POSE, TWIST or WRENCH to the axes that move the frame. */
bool tpi_motion_tool_read(tpi_motion_engine *e, tpi_motion_order *out, tp_error *err);

/* Plan the motion of a control frame from the state in which the axes are taken over on the track.
 * Sets `order->change` and the values of its targets. Returns NULL, with the reason, if it cannot
 * be. */
tpi_motion_tool *tpi_motion_tool_plan(tpi_motion_engine *e, const tpi_motion_track *track,
                                      tpi_motion_order *order, tp_error *err);

/* An axis joins the tool. `from` is its state on the track. */
void tpi_motion_tool_join(tpi_motion_tool *tool, tpi_motion_axis *axis, tpi_motion_point from);

/* Where an axis of a tool is at a time of its motion; with `before`, just before that. */
tpi_motion_station tpi_motion_tool_at(const tpi_motion_engine *e, const tpi_motion_axis *axis,
                                      int64_t since_ns, bool before);

/* Begin the next period of the tools on touched tracks. */
void tpi_motion_tool_steps(tpi_motion_engine *e);

/* An axis has left the tool: the others end as well, with the same signal. */
void tpi_motion_tool_leave(tpi_motion_engine *e, tpi_motion_tool *tool, tpi_motion_signal signal,
                           const char *why);

/* ---- command.c: commands that play ---- */

/* A command of a frame is due: start its motions at the instant of the track, or refuse it. */
void tpi_motion_command_start(tpi_motion_engine *e, tpi_motion_track *track,
                              tpi_motion_order *order, const tpi_motion_frame_info *frame);

/* A motion of a command has ended. The final signal follows the last one. */
void tpi_motion_command_end(tpi_motion_engine *e, tpi_motion_client *client,
                            tpi_motion_playing *command, tpi_motion_signal signal, const char *why);

/* ---- axis.c, output.c: motions of axes ---- */

/* The state of an axis as a new motion on the track takes it over. */
tpi_motion_point tpi_motion_axis_take_over(const tpi_motion_engine *e, const tpi_motion_axis *axis,
                                           const tpi_motion_track *track);

/* The time until a step of the speed in this direction is over; 0 if it is. */
int64_t tpi_motion_axis_lag(const tpi_motion_engine *e, const tpi_motion_axis *axis, bool up);

/* The commanded state of an axis on its track: not scaled by the rate. */
tpi_motion_point tpi_motion_axis_point(const tpi_motion_engine *e, const tpi_motion_axis *axis);

/* Replace the motion of an axis by that of a target of an order, from the instant of the track on.
 * Its state is taken over. `tool` is NULL if the axis moves alone. */
void tpi_motion_axis_begin(tpi_motion_engine *e, tpi_motion_track *track,
                           const tpi_motion_order *order, const tpi_motion_target *target,
                           tpi_motion_playing *command, tpi_motion_tool *tool);

/* The motion ends with this signal for its command. Brakes if it still moves and `brake`. */
void tpi_motion_axis_end(tpi_motion_engine *e, tpi_motion_axis *axis, tpi_motion_signal signal,
                         bool brake, const char *why);

/* End what has come to its end on the touched tracks, and mark outputs that have samples. */
void tpi_motion_axis_samples(tpi_motion_engine *e);

/* The tau of the next sample of the track, and how fast its rate may change. */
int64_t tpi_motion_axis_ahead(const tpi_motion_engine *e, const tpi_motion_track *track,
                              tpi_motion_grip *grip);

/* A GOTO drives all axes of the base: a command for one of them ends it on all but those that it
 * replaces itself. NULL: it ends on all. */
void tpi_motion_axis_end_goto(tpi_motion_engine *e, const tpi_motion_order *replaced,
                              tpi_motion_signal signal, const char *why);

/* Write the outputs that are marked. */
void tpi_motion_output_write(tpi_motion_engine *e, int64_t due_ns);

/* Mark the output of an axis. */
void tpi_motion_output_mark(tpi_motion_engine *e, const tpi_motion_axis *axis, bool forced);

/* ---- holder.c: who holds an axis ---- */

/* Whether the client may have the axis: nobody else holds it, or a lower rank that can be
 * interrupted. */
bool tpi_motion_axis_is_free(const tpi_motion_axis *axis, const tpi_motion_client *client);

/* A client's command for the axis waits. The axis must be free for it. What a lower rank plays
 * there ends. */
void tpi_motion_axis_hold(tpi_motion_engine *e, tpi_motion_axis *axis, tpi_motion_client *client);

/* One command less. After its last one the axis belongs to the next rank that has commands. */
void tpi_motion_axis_release(const tpi_motion_engine *e, tpi_motion_axis *axis,
                             tpi_motion_client *client);

/* ---- track.c: time lines with frames ---- */

/* The instant from which on things can still be changed. */
int64_t tpi_motion_track_present(const tpi_motion_engine *e);

/* How fast a track runs now: what its speeds are multiplied with. */
double tpi_motion_track_scale(const tpi_motion_track *track);

/* How fast the motion of an axis runs now; 0 if it has none. */
double tpi_motion_axis_scale(const tpi_motion_engine *e, const tpi_motion_axis *axis);

/* The track of a client gets into this state. */
void tpi_motion_track_set_state(tpi_motion_engine *e, tpi_motion_track *track,
                                tpi_motion_track_state state);

/* Look at the track again at the present, because something has changed from outside. */
void tpi_motion_track_touch(tpi_motion_engine *e, tpi_motion_track *track);

/* Plan a track that stands at the present. */
void tpi_motion_track_plan(tpi_motion_engine *e, tpi_motion_track *track);

/* Play the first frame. */
void tpi_motion_track_play(tpi_motion_engine *e, tpi_motion_track *track);

/* Drop frames at or after a time; only commands with `tag` unless it is 0. They answer `signal`. */
void tpi_motion_track_drop(tpi_motion_engine *e, tpi_motion_track *track, int64_t tau_ns,
                           uint32_t tag, tpi_motion_signal signal, const char *why);

/* Start a sequence that can start, and end one that has ended. */
void tpi_motion_track_turn(tpi_motion_engine *e, tpi_motion_track *track, int64_t at_ns);

/* The sequence is over: its summary. */
void tpi_motion_track_close(tpi_motion_engine *e, tpi_motion_track *track, tpi_motion_signal signal,
                            const char *why);

/* ---- advance.c: instants ---- */

/* Play and write everything up to this time. */
void tpi_motion_advance(tpi_motion_engine *e, int64_t until_ns);

/* When something is to be done; INT64_MAX for never. */
int64_t tpi_motion_advance_next(tpi_motion_engine *e);

/* ---- receive.c, session.c, update.c, query.c: packages ---- */

void tpi_motion_receive(tpi_motion_engine *e, tpi_motion_client *client,
                        const tpi_motion_header *header, const uint8_t *payload);

void tpi_motion_session(tpi_motion_engine *e, tpi_motion_client *client,
                        const tpi_motion_header *header, const uint8_t *payload);

/* Drop all frames of a client and stop its dofs. */
void tpi_motion_session_stop(tpi_motion_engine *e, tpi_motion_client *client,
                             tpi_motion_signal signal, bool brake, const char *why);

/* Set a field of the description. Returns why it cannot be; NULL if it is done. */
const char *tpi_motion_update_field(tpi_motion_engine *e, const tpi_motion_client *client,
                                    const tpi_motion_update *u);

void tpi_motion_query(tpi_motion_engine *e, tpi_motion_client *client,
                      const tpi_motion_header *header, const uint8_t *payload);

/* Repeat a query until it is silenced. Returns false if there are too many. */
bool tpi_motion_query_repeat(tpi_motion_engine *e, tpi_motion_client *client, uint16_t query,
                             uint32_t tag, tpi_motion_page page, int64_t period_ns);

/* Its broadcasts have changed: when the next one is due. */
void tpi_motion_query_plan(tpi_motion_engine *e, const tpi_motion_client *client);

/* Answer the broadcasts that are due now. */
void tpi_motion_query_turn(tpi_motion_engine *e, tpi_motion_client *client);

#endif
