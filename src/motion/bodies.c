/*
 * bodies.c - the table of bodies: what a record of each code contains, field by field.
 */
#include "motion/package.h"

#include <stddef.h>

#define FIELD(S, label, kind, member)                                                              \
    {                                                                                              \
        label, TPI_MOTION_##kind, 1, offsetof(S, member), NULL                                     \
    }
#define FIELDS(S, label, kind, n, member)                                                          \
    {                                                                                              \
        label, TPI_MOTION_##kind, n, offsetof(S, member), NULL                                     \
    }
#define RESERVED(n)                                                                                \
    {                                                                                              \
        "zero", TPI_MOTION_ZERO, n, 0, NULL                                                        \
    }
#define COUNT(S, label, member)                                                                    \
    {                                                                                              \
        label, TPI_MOTION_COUNT, 1, offsetof(S, member), NULL                                      \
    }
#define LIST(S, label, member, body)                                                               \
    {                                                                                              \
        label, TPI_MOTION_LIST, 0, offsetof(S, member), &(body)                                    \
    }
#define PARTS(S, label, n, member, body)                                                           \
    {                                                                                              \
        label, TPI_MOTION_PART, n, offsetof(S, member), &(body)                                    \
    }
#define LAST                                                                                       \
    {                                                                                              \
        NULL, TPI_MOTION_U8, 0, 0, NULL                                                            \
    }

/* ---- Elements of other bodies ---- */

static const tpi_motion_field character_fields[] = {
    {"byte", TPI_MOTION_U8, 1, 0, NULL},
    LAST,
};
static const tpi_motion_body character_body = {"character", 0, 1, character_fields};

static const tpi_motion_field target_fields[] = {
    FIELD(tpi_motion_drive, "joint", U16, joint),
    FIELD(tpi_motion_drive, "dof", U16, dof),
    FIELD(tpi_motion_drive, "value", MICRO, value),
    LAST,
};
static const tpi_motion_body target_body = {"target", 0, sizeof(tpi_motion_drive), target_fields};

static const tpi_motion_field dof_fields[] = {
    FIELD(tpi_motion_dof, "type", U8, type),
    FIELD(tpi_motion_dof, "servo", U8, servo),
    FIELD(tpi_motion_dof, "mimics", U8, mimics),
    RESERVED(1),
    FIELD(tpi_motion_dof, "master", U16, master),
    RESERVED(2),
    FIELDS(tpi_motion_dof, "axis", NANO, 3, axis),
    FIELD(tpi_motion_dof, "lower", LIMIT, lower),
    FIELD(tpi_motion_dof, "upper", LIMIT, upper),
    FIELD(tpi_motion_dof, "velocity", LIMIT, velocity),
    FIELD(tpi_motion_dof, "force", LIMIT, force),
    FIELD(tpi_motion_dof, "acceleration", LIMIT, acceleration),
    LAST,
};
static const tpi_motion_body dof_body = {"dof", 0, sizeof(tpi_motion_dof), dof_fields};

static const tpi_motion_field joint_fields[] = {
    FIELDS(tpi_motion_joint, "name", CHARS, TPI_MOTION_NAME, name),
    FIELD(tpi_motion_joint, "parent", U16, parent),
    FIELD(tpi_motion_joint, "child", U16, child),
    FIELD(tpi_motion_joint, "first dof", U16, first_dof),
    FIELD(tpi_motion_joint, "dofs", U8, dof_count),
    RESERVED(1),
    FIELDS(tpi_motion_joint, "inboard", MICRO, 3, inboard_m),
    FIELDS(tpi_motion_joint, "outboard", MICRO, 3, outboard_m),
    FIELDS(tpi_motion_joint, "rest", NANO, 9, rest),
    PARTS(tpi_motion_joint, "dof", TPI_MOTION_JOINT_DOFS, dofs, dof_body),
    LAST,
};
static const tpi_motion_body joint_body = {"joint", 0, sizeof(tpi_motion_joint), joint_fields};

static const tpi_motion_field link_fields[] = {
    FIELDS(tpi_motion_link, "name", CHARS, TPI_MOTION_NAME, name),
    FIELD(tpi_motion_link, "joint", U16, joint),
    RESERVED(6),
    FIELD(tpi_motion_link, "mass", MICRO, mass_kg),
    FIELDS(tpi_motion_link, "centre", MICRO, 3, centre_m),
    FIELDS(tpi_motion_link, "inertia", PICO, 6, inertia),
    LAST,
};
static const tpi_motion_body link_body = {"link", 0, sizeof(tpi_motion_link), link_fields};

static const tpi_motion_field frame_fields[] = {
    FIELDS(tpi_motion_frame, "name", CHARS, TPI_MOTION_NAME, name),
    FIELD(tpi_motion_frame, "link", U16, link),
    FIELD(tpi_motion_frame, "servo", U8, servo),
    RESERVED(5),
    FIELDS(tpi_motion_frame, "position", MICRO, 3, position_m),
    FIELDS(tpi_motion_frame, "rotation", NANO, 9, rotation),
    LAST,
};
static const tpi_motion_body frame_body = {"frame", 0, sizeof(tpi_motion_frame), frame_fields};

static const tpi_motion_field dof_state_fields[] = {
    FIELD(tpi_motion_dof_state, "position", MICRO, position),
    FIELD(tpi_motion_dof_state, "velocity", MICRO, velocity),
    FIELD(tpi_motion_dof_state, "force", MICRO, force),
    LAST,
};
static const tpi_motion_body dof_state_body = {"dof state", 0, sizeof(tpi_motion_dof_state),
                                               dof_state_fields};

static const tpi_motion_field holder_fields[] = {
    FIELD(tpi_motion_holder, "joint", U16, joint),
    FIELD(tpi_motion_holder, "dof", U16, dof),
    FIELD(tpi_motion_holder, "client", U32, client),
    FIELDS(tpi_motion_holder, "label", CHARS, TPI_MOTION_NAME, label),
    LAST,
};
static const tpi_motion_body holder_body = {"holder", 0, sizeof(tpi_motion_holder), holder_fields};

/* ---- Commands ---- */

static const tpi_motion_field goto_fields[] = {
    FIELD(tpi_motion_goto, "x", MICRO, x_m),
    FIELD(tpi_motion_goto, "y", MICRO, y_m),
    FIELD(tpi_motion_goto, "theta", MICRO, theta_rad),
    FIELD(tpi_motion_goto, "frame", U8, frame),
    RESERVED(7),
    LAST,
};
static const tpi_motion_body goto_body = {"GOTO", TPI_MOTION_GOTO, sizeof(tpi_motion_goto),
                                          goto_fields};

static const tpi_motion_field setspeed_fields[] = {
    FIELD(tpi_motion_setspeed, "vx", MICRO, vx_mps),
    FIELD(tpi_motion_setspeed, "vy", MICRO, vy_mps),
    FIELD(tpi_motion_setspeed, "omega", MICRO, omega_radps),
    LAST,
};
static const tpi_motion_body setspeed_body = {"SETSPEED", TPI_MOTION_SETSPEED,
                                              sizeof(tpi_motion_setspeed), setspeed_fields};

static const tpi_motion_field stop_fields[] = {
    LAST,
};
static const tpi_motion_body stop_body = {"STOP", TPI_MOTION_STOP, sizeof(tpi_motion_empty),
                                          stop_fields};

static const tpi_motion_field set_fields[] = {
    FIELD(tpi_motion_set, "joint", U16, joint),
    FIELD(tpi_motion_set, "dof", U16, dof),
    RESERVED(4),
    FIELD(tpi_motion_set, "value", MICRO, value),
    FIELD(tpi_motion_set, "duration", U64, duration_us),
    LAST,
};
static const tpi_motion_body set_body = {"SET", TPI_MOTION_SET, sizeof(tpi_motion_set), set_fields};

static const tpi_motion_field speed_fields[] = {
    FIELD(tpi_motion_drive, "joint", U16, joint),
    FIELD(tpi_motion_drive, "dof", U16, dof),
    RESERVED(4),
    FIELD(tpi_motion_drive, "value", MICRO, value),
    LAST,
};
static const tpi_motion_body speed_body = {"SPEED", TPI_MOTION_SPEED, sizeof(tpi_motion_drive),
                                           speed_fields};

static const tpi_motion_field force_fields[] = {
    FIELD(tpi_motion_drive, "joint", U16, joint),
    FIELD(tpi_motion_drive, "dof", U16, dof),
    RESERVED(4),
    FIELD(tpi_motion_drive, "value", MICRO, value),
    LAST,
};
static const tpi_motion_body force_body = {"FORCE", TPI_MOTION_FORCE, sizeof(tpi_motion_drive),
                                           force_fields};

static const tpi_motion_field move_fields[] = {
    FIELD(tpi_motion_move, "duration", U64, duration_us),
    FIELD(tpi_motion_move, "servo", U8, servo),
    RESERVED(5),
    COUNT(tpi_motion_move, "count", count),
    LIST(tpi_motion_move, "targets", targets, target_body),
    LAST,
};
static const tpi_motion_body move_body = {"MOVE", TPI_MOTION_MOVE, sizeof(tpi_motion_move),
                                          move_fields};

static const tpi_motion_field home_fields[] = {
    FIELD(tpi_motion_home, "joint", U16, joint),
    RESERVED(6),
    LAST,
};
static const tpi_motion_body home_body = {"HOME", TPI_MOTION_HOME, sizeof(tpi_motion_home),
                                          home_fields};

static const tpi_motion_field pose_fields[] = {
    FIELD(tpi_motion_pose, "frame", U16, frame),
    RESERVED(6),
    FIELDS(tpi_motion_pose, "pose", MICRO, 6, pose),
    FIELD(tpi_motion_pose, "duration", U64, duration_us),
    LAST,
};
static const tpi_motion_body pose_body = {"POSE", TPI_MOTION_POSE, sizeof(tpi_motion_pose),
                                          pose_fields};

static const tpi_motion_field twist_fields[] = {
    FIELD(tpi_motion_screw, "frame", U16, frame),
    RESERVED(6),
    FIELDS(tpi_motion_screw, "value", MICRO, 6, value),
    LAST,
};
static const tpi_motion_body twist_body = {"TWIST", TPI_MOTION_TWIST, sizeof(tpi_motion_screw),
                                           twist_fields};

static const tpi_motion_field wrench_fields[] = {
    FIELD(tpi_motion_screw, "frame", U16, frame),
    RESERVED(6),
    FIELDS(tpi_motion_screw, "value", MICRO, 6, value),
    LAST,
};
static const tpi_motion_body wrench_body = {"WRENCH", TPI_MOTION_WRENCH, sizeof(tpi_motion_screw),
                                            wrench_fields};

/* ---- Queries ---- */

static const tpi_motion_field ask_header_fields[] = {
    LAST,
};
static const tpi_motion_body ask_header_body = {"HEADER", TPI_MOTION_ASK_HEADER,
                                                sizeof(tpi_motion_empty), ask_header_fields};

static const tpi_motion_field ask_joints_fields[] = {
    FIELD(tpi_motion_page, "first", U16, first),
    FIELD(tpi_motion_page, "count", U16, count),
    LAST,
};
static const tpi_motion_body ask_joints_body = {"JOINTS", TPI_MOTION_ASK_JOINTS,
                                                sizeof(tpi_motion_page), ask_joints_fields};

static const tpi_motion_field ask_links_fields[] = {
    FIELD(tpi_motion_page, "first", U16, first),
    FIELD(tpi_motion_page, "count", U16, count),
    LAST,
};
static const tpi_motion_body ask_links_body = {"LINKS", TPI_MOTION_ASK_LINKS,
                                               sizeof(tpi_motion_page), ask_links_fields};

static const tpi_motion_field ask_frames_fields[] = {
    FIELD(tpi_motion_page, "first", U16, first),
    FIELD(tpi_motion_page, "count", U16, count),
    LAST,
};
static const tpi_motion_body ask_frames_body = {"FRAMES", TPI_MOTION_ASK_FRAMES,
                                                sizeof(tpi_motion_page), ask_frames_fields};

static const tpi_motion_field ask_state_fields[] = {
    LAST,
};
static const tpi_motion_body ask_state_body = {"STATE", TPI_MOTION_ASK_STATE,
                                               sizeof(tpi_motion_empty), ask_state_fields};

static const tpi_motion_field ask_base_fields[] = {
    LAST,
};
static const tpi_motion_body ask_base_body = {"BASE", TPI_MOTION_ASK_BASE, sizeof(tpi_motion_empty),
                                              ask_base_fields};

static const tpi_motion_field ask_clock_fields[] = {
    LAST,
};
static const tpi_motion_body ask_clock_body = {"CLOCK", TPI_MOTION_ASK_CLOCK,
                                               sizeof(tpi_motion_empty), ask_clock_fields};

static const tpi_motion_field ask_queues_fields[] = {
    LAST,
};
static const tpi_motion_body ask_queues_body = {"QUEUES", TPI_MOTION_ASK_QUEUES,
                                                sizeof(tpi_motion_empty), ask_queues_fields};

static const tpi_motion_field ask_busy_fields[] = {
    LAST,
};
static const tpi_motion_body ask_busy_body = {"BUSY", TPI_MOTION_ASK_BUSY, sizeof(tpi_motion_empty),
                                              ask_busy_fields};

/* ---- The session ---- */

static const tpi_motion_field hello_fields[] = {
    FIELDS(tpi_motion_hello, "name", CHARS, TPI_MOTION_NAME, name),
    FIELDS(tpi_motion_hello, "token", U8, 16, token),
    FIELD(tpi_motion_hello, "lease", U64, lease_us),
    LAST,
};
static const tpi_motion_body hello_body = {"HELLO", TPI_MOTION_HELLO, sizeof(tpi_motion_hello),
                                           hello_fields};

static const tpi_motion_field sync_fields[] = {
    FIELD(tpi_motion_sync, "t1", U64, sent_us),
    LAST,
};
static const tpi_motion_body sync_body = {"SYNC", TPI_MOTION_SYNC, sizeof(tpi_motion_sync),
                                          sync_fields};

static const tpi_motion_field set_mode_fields[] = {
    FIELD(tpi_motion_set_mode, "mode", U8, mode),
    FIELD(tpi_motion_set_mode, "late", U8, late),
    RESERVED(6),
    LAST,
};
static const tpi_motion_body set_mode_body = {"MODE", TPI_MOTION_SET_MODE,
                                              sizeof(tpi_motion_set_mode), set_mode_fields};

static const tpi_motion_field begin_fields[] = {
    FIELD(tpi_motion_begin, "sequence", U32, sequence),
    FIELD(tpi_motion_begin, "mode", U8, mode),
    FIELD(tpi_motion_begin, "estimate", U8, estimate),
    FIELD(tpi_motion_begin, "late", U8, late),
    RESERVED(1),
    FIELD(tpi_motion_begin, "frames", U32, frames),
    RESERVED(4),
    FIELD(tpi_motion_begin, "duration", U64, duration_us),
    FIELD(tpi_motion_begin, "target", U64, target_us),
    LAST,
};
static const tpi_motion_body begin_body = {"BEGIN", TPI_MOTION_BEGIN, sizeof(tpi_motion_begin),
                                           begin_fields};

static const tpi_motion_field end_fields[] = {
    FIELD(tpi_motion_end, "sequence", U32, sequence),
    FIELD(tpi_motion_end, "frames", U32, frames),
    LAST,
};
static const tpi_motion_body end_body = {"END", TPI_MOTION_END, sizeof(tpi_motion_end), end_fields};

static const tpi_motion_field broadcast_begin_fields[] = {
    FIELD(tpi_motion_broadcast, "period", U64, period_us),
    FIELD(tpi_motion_broadcast, "query", U16, query),
    FIELD(tpi_motion_broadcast, "first", U16, first),
    FIELD(tpi_motion_broadcast, "count", U16, count),
    RESERVED(2),
    LAST,
};
static const tpi_motion_body broadcast_begin_body = {
    "BROADCAST", TPI_MOTION_BROADCAST_BEGIN, sizeof(tpi_motion_broadcast), broadcast_begin_fields};

static const tpi_motion_field broadcast_end_fields[] = {
    FIELD(tpi_motion_tag, "tag", U32, tag),
    LAST,
};
static const tpi_motion_body broadcast_end_body = {"SILENCE", TPI_MOTION_BROADCAST_END,
                                                   sizeof(tpi_motion_tag), broadcast_end_fields};

static const tpi_motion_field cancel_fields[] = {
    FIELD(tpi_motion_tag, "tag", U32, tag),
    LAST,
};
static const tpi_motion_body cancel_body = {"CANCEL", TPI_MOTION_CANCEL, sizeof(tpi_motion_tag),
                                            cancel_fields};

static const tpi_motion_field rate_fields[] = {
    FIELD(tpi_motion_rate, "rate", RATIO, rate),
    FIELD(tpi_motion_rate, "scope", U8, scope),
    RESERVED(3),
    LAST,
};
static const tpi_motion_body rate_body = {"RATE", TPI_MOTION_RATE, sizeof(tpi_motion_rate),
                                          rate_fields};

static const tpi_motion_field lease_fields[] = {
    FIELD(tpi_motion_lease, "lease", U64, lease_us),
    LAST,
};
static const tpi_motion_body lease_body = {"LEASE", TPI_MOTION_LEASE, sizeof(tpi_motion_lease),
                                           lease_fields};

static const tpi_motion_field update_fields[] = {
    FIELD(tpi_motion_update, "field", U8, field),
    RESERVED(1),
    FIELD(tpi_motion_update, "index", U16, index),
    FIELD(tpi_motion_update, "dof", U16, dof),
    RESERVED(2),
    FIELDS(tpi_motion_update, "value", LIMIT, 6, value),
    LAST,
};
static const tpi_motion_body update_body = {"UPDATE", TPI_MOTION_UPDATE, sizeof(tpi_motion_update),
                                            update_fields};

static const tpi_motion_field challenge_fields[] = {
    LAST,
};
static const tpi_motion_body challenge_body = {"CHALLENGE", TPI_MOTION_CHALLENGE,
                                               sizeof(tpi_motion_empty), challenge_fields};

static const tpi_motion_field prove_fields[] = {
    FIELDS(tpi_motion_nonce, "digest", U8, 32, nonce),
    LAST,
};
static const tpi_motion_body prove_body = {"PROVE", TPI_MOTION_PROVE, sizeof(tpi_motion_nonce),
                                           prove_fields};

/* ---- Replies ---- */

static const tpi_motion_field signal_fields[] = {
    FIELD(tpi_motion_signalled, "signal", U8, signal),
    FIELD(tpi_motion_signalled, "final", U8, final),
    RESERVED(2),
    FIELD(tpi_motion_signalled, "package", U32, package),
    FIELD(tpi_motion_signalled, "epoch", U32, epoch),
    RESERVED(4),
    FIELD(tpi_motion_signalled, "start", U64, start_us),
    FIELD(tpi_motion_signalled, "end", U64, end_us),
    COUNT(tpi_motion_signalled, "length", length),
    {"text", TPI_MOTION_LIST, 0, offsetof(tpi_motion_signalled, text), &character_body},
    LAST,
};
static const tpi_motion_body signal_body = {"SIGNAL", TPI_MOTION_SIGNAL,
                                            sizeof(tpi_motion_signalled), signal_fields};

static const tpi_motion_field summary_fields[] = {
    FIELD(tpi_motion_summary, "sequence", U32, sequence),
    FIELD(tpi_motion_summary, "signal", U8, signal),
    RESERVED(3),
    FIELD(tpi_motion_summary, "frames", U32, frames),
    FIELD(tpi_motion_summary, "played", U32, played),
    FIELD(tpi_motion_summary, "late", U32, late),
    FIELD(tpi_motion_summary, "stalls", U32, stalls),
    FIELD(tpi_motion_summary, "start", U64, start_us),
    FIELD(tpi_motion_summary, "end", U64, end_us),
    FIELD(tpi_motion_summary, "held", U64, held_us),
    COUNT(tpi_motion_summary, "length", length),
    {"text", TPI_MOTION_LIST, 0, offsetof(tpi_motion_summary, text), &character_body},
    LAST,
};
static const tpi_motion_body summary_body = {"SUMMARY", TPI_MOTION_SUMMARY,
                                             sizeof(tpi_motion_summary), summary_fields};

static const tpi_motion_field description_fields[] = {
    FIELDS(tpi_motion_description, "name", CHARS, TPI_MOTION_NAME, name),
    FIELD(tpi_motion_description, "joints", U16, joints),
    FIELD(tpi_motion_description, "links", U16, links),
    FIELD(tpi_motion_description, "frames", U16, frames),
    FIELD(tpi_motion_description, "dofs", U16, dofs),
    FIELD(tpi_motion_description, "joint size", U16, joint_size),
    FIELD(tpi_motion_description, "link size", U16, link_size),
    FIELD(tpi_motion_description, "frame size", U16, frame_size),
    FIELD(tpi_motion_description, "root", U16, root),
    FIELD(tpi_motion_description, "joint offset", U32, joint_offset),
    FIELD(tpi_motion_description, "link offset", U32, link_offset),
    FIELD(tpi_motion_description, "frame offset", U32, frame_offset),
    FIELD(tpi_motion_description, "commands", U32, commands),
    FIELD(tpi_motion_description, "period", U32, period_us),
    FIELD(tpi_motion_description, "units", U16, units),
    RESERVED(2),
    FIELD(tpi_motion_description, "clock", U64, clock),
    LAST,
};
static const tpi_motion_body description_body = {
    "HEADER answer", TPI_MOTION_ANSWER + TPI_MOTION_ASK_HEADER, sizeof(tpi_motion_description),
    description_fields};

static const tpi_motion_field joints_fields[] = {
    FIELD(tpi_motion_joints, "first", U16, first),
    COUNT(tpi_motion_joints, "count", count),
    LIST(tpi_motion_joints, "joints", items, joint_body),
    LAST,
};
static const tpi_motion_body joints_body = {"JOINTS answer",
                                            TPI_MOTION_ANSWER + TPI_MOTION_ASK_JOINTS,
                                            sizeof(tpi_motion_joints), joints_fields};

static const tpi_motion_field links_fields[] = {
    FIELD(tpi_motion_links, "first", U16, first),
    COUNT(tpi_motion_links, "count", count),
    LIST(tpi_motion_links, "links", items, link_body),
    LAST,
};
static const tpi_motion_body links_body = {"LINKS answer", TPI_MOTION_ANSWER + TPI_MOTION_ASK_LINKS,
                                           sizeof(tpi_motion_links), links_fields};

static const tpi_motion_field frames_fields[] = {
    FIELD(tpi_motion_frames, "first", U16, first),
    COUNT(tpi_motion_frames, "count", count),
    LIST(tpi_motion_frames, "frames", items, frame_body),
    LAST,
};
static const tpi_motion_body frames_body = {"FRAMES answer",
                                            TPI_MOTION_ANSWER + TPI_MOTION_ASK_FRAMES,
                                            sizeof(tpi_motion_frames), frames_fields};

static const tpi_motion_field state_fields[] = {
    FIELD(tpi_motion_state, "time", U64, time_us),
    COUNT(tpi_motion_state, "count", count),
    LIST(tpi_motion_state, "dofs", dofs, dof_state_body),
    LAST,
};
static const tpi_motion_body state_body = {"STATE answer", TPI_MOTION_ANSWER + TPI_MOTION_ASK_STATE,
                                           sizeof(tpi_motion_state), state_fields};

static const tpi_motion_field base_fields[] = {
    FIELD(tpi_motion_base, "time", U64, time_us),
    FIELD(tpi_motion_base, "frame", U8, frame),
    FIELD(tpi_motion_base, "known", U8, known),
    RESERVED(6),
    FIELDS(tpi_motion_base, "pose", MICRO, 3, pose),
    FIELDS(tpi_motion_base, "speed", MICRO, 3, speed),
    LAST,
};
static const tpi_motion_body base_body = {"BASE answer", TPI_MOTION_ANSWER + TPI_MOTION_ASK_BASE,
                                          sizeof(tpi_motion_base), base_fields};

static const tpi_motion_field clock_fields[] = {
    FIELD(tpi_motion_clock, "identity", U64, identity),
    FIELD(tpi_motion_clock, "time", U64, time_us),
    LAST,
};
static const tpi_motion_body clock_body = {"CLOCK answer", TPI_MOTION_ANSWER + TPI_MOTION_ASK_CLOCK,
                                           sizeof(tpi_motion_clock), clock_fields};

static const tpi_motion_field queues_fields[] = {
    FIELD(tpi_motion_queues, "command", U32, command),
    FIELD(tpi_motion_queues, "playback", U32, playback),
    FIELD(tpi_motion_queues, "return", U32, answers),
    FIELD(tpi_motion_queues, "rate", RATIO, rate),
    FIELD(tpi_motion_queues, "robot rate", RATIO, robot_rate),
    RESERVED(4),
    FIELD(tpi_motion_queues, "played", U64, played),
    FIELD(tpi_motion_queues, "late", U64, late),
    FIELD(tpi_motion_queues, "longest late", U64, longest_late_us),
    FIELD(tpi_motion_queues, "dropped", U64, dropped),
    FIELD(tpi_motion_queues, "skipped", U64, skipped),
    LAST,
};
static const tpi_motion_body queues_body = {"QUEUES answer",
                                            TPI_MOTION_ANSWER + TPI_MOTION_ASK_QUEUES,
                                            sizeof(tpi_motion_queues), queues_fields};

static const tpi_motion_field busy_fields[] = {
    COUNT(tpi_motion_busy, "count", count),
    LIST(tpi_motion_busy, "holders", holders, holder_body),
    LAST,
};
static const tpi_motion_body busy_body = {"BUSY answer", TPI_MOTION_ANSWER + TPI_MOTION_ASK_BUSY,
                                          sizeof(tpi_motion_busy), busy_fields};

static const tpi_motion_field welcome_fields[] = {
    FIELD(tpi_motion_welcome, "client", U32, client),
    FIELD(tpi_motion_welcome, "right", U8, right),
    FIELD(tpi_motion_welcome, "panicked", U8, panicked),
    RESERVED(2),
    FIELD(tpi_motion_welcome, "epoch", U32, epoch),
    FIELD(tpi_motion_welcome, "payload", U32, payload),
    FIELD(tpi_motion_welcome, "frames", U32, frames),
    RESERVED(4),
    FIELDS(tpi_motion_welcome, "token", U8, 16, token),
    FIELD(tpi_motion_welcome, "clock", U64, clock),
    FIELD(tpi_motion_welcome, "time", U64, time_us),
    FIELD(tpi_motion_welcome, "lease", U64, lease_us),
    FIELD(tpi_motion_welcome, "longest lease", U64, longest_lease_us),
    FIELD(tpi_motion_welcome, "horizon", U64, horizon_us),
    LAST,
};
static const tpi_motion_body welcome_body = {"HELLO answer", TPI_MOTION_ANSWER + TPI_MOTION_HELLO,
                                             sizeof(tpi_motion_welcome), welcome_fields};

static const tpi_motion_field synced_fields[] = {
    FIELD(tpi_motion_synced, "t1", U64, sent_us),
    FIELD(tpi_motion_synced, "t2", U64, received_us),
    FIELD(tpi_motion_synced, "t3", U64, answered_us),
    LAST,
};
static const tpi_motion_body synced_body = {"SYNC answer", TPI_MOTION_ANSWER + TPI_MOTION_SYNC,
                                            sizeof(tpi_motion_synced), synced_fields};

static const tpi_motion_field leased_fields[] = {
    FIELD(tpi_motion_lease, "lease", U64, lease_us),
    LAST,
};
static const tpi_motion_body leased_body = {"LEASE answer", TPI_MOTION_ANSWER + TPI_MOTION_LEASE,
                                            sizeof(tpi_motion_lease), leased_fields};

static const tpi_motion_field nonce_fields[] = {
    FIELDS(tpi_motion_nonce, "nonce", U8, 32, nonce),
    LAST,
};
static const tpi_motion_body nonce_body = {"CHALLENGE answer",
                                           TPI_MOTION_ANSWER + TPI_MOTION_CHALLENGE,
                                           sizeof(tpi_motion_nonce), nonce_fields};

static const tpi_motion_field proved_fields[] = {
    FIELD(tpi_motion_right, "right", U8, right),
    RESERVED(3),
    LAST,
};
static const tpi_motion_body proved_body = {"PROVE answer", TPI_MOTION_ANSWER + TPI_MOTION_PROVE,
                                            sizeof(tpi_motion_right), proved_fields};

/* ---- The table ---- */

const tpi_motion_body *const tpi_motion_bodies[] = {
    &goto_body,          &setspeed_body,
    &stop_body,          &set_body,
    &speed_body,         &force_body,
    &move_body,          &home_body,
    &pose_body,          &twist_body,
    &wrench_body,        &ask_header_body,
    &ask_joints_body,    &ask_links_body,
    &ask_frames_body,    &ask_state_body,
    &ask_base_body,      &ask_clock_body,
    &ask_queues_body,    &ask_busy_body,
    &hello_body,         &sync_body,
    &set_mode_body,      &begin_body,
    &end_body,           &broadcast_begin_body,
    &broadcast_end_body, &cancel_body,
    &rate_body,          &lease_body,
    &update_body,        &challenge_body,
    &prove_body,         &signal_body,
    &summary_body,       &description_body,
    &joints_body,        &links_body,
    &frames_body,        &state_body,
    &base_body,          &clock_body,
    &queues_body,        &busy_body,
    &welcome_body,       &synced_body,
    &leased_body,        &nonce_body,
    &proved_body,        NULL,
};
