/*
 * bodies_reply.c - bodies of replies: the description of the robot, states, signals.
 */
#include "motion/bodies.h"

/* ---- Elements of other bodies ---- */

static const tpi_motion_field character_fields[] = {
    {"byte", TPI_MOTION_U8, 1, 0, NULL},
    LAST,
};
static const tpi_motion_body character_body = {"character", 0, 1, character_fields};

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
const tpi_motion_body tpi_motion_signal_body = {"SIGNAL", TPI_MOTION_SIGNAL,
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
const tpi_motion_body tpi_motion_summary_body = {"SUMMARY", TPI_MOTION_SUMMARY,
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
const tpi_motion_body tpi_motion_description_body = {
    "HEADER answer", TPI_MOTION_ANSWER + TPI_MOTION_ASK_HEADER, sizeof(tpi_motion_description),
    description_fields};

static const tpi_motion_field joints_fields[] = {
    FIELD(tpi_motion_joints, "first", U16, first),
    COUNT(tpi_motion_joints, "count", count),
    LIST(tpi_motion_joints, "joints", items, joint_body),
    LAST,
};
const tpi_motion_body tpi_motion_joints_body = {"JOINTS answer",
                                                TPI_MOTION_ANSWER + TPI_MOTION_ASK_JOINTS,
                                                sizeof(tpi_motion_joints), joints_fields};

static const tpi_motion_field links_fields[] = {
    FIELD(tpi_motion_links, "first", U16, first),
    COUNT(tpi_motion_links, "count", count),
    LIST(tpi_motion_links, "links", items, link_body),
    LAST,
};
const tpi_motion_body tpi_motion_links_body = {"LINKS answer",
                                               TPI_MOTION_ANSWER + TPI_MOTION_ASK_LINKS,
                                               sizeof(tpi_motion_links), links_fields};

static const tpi_motion_field frames_fields[] = {
    FIELD(tpi_motion_frames, "first", U16, first),
    COUNT(tpi_motion_frames, "count", count),
    LIST(tpi_motion_frames, "frames", items, frame_body),
    LAST,
};
const tpi_motion_body tpi_motion_frames_body = {"FRAMES answer",
                                                TPI_MOTION_ANSWER + TPI_MOTION_ASK_FRAMES,
                                                sizeof(tpi_motion_frames), frames_fields};

static const tpi_motion_field state_fields[] = {
    FIELD(tpi_motion_state, "time", U64, time_us),
    COUNT(tpi_motion_state, "count", count),
    LIST(tpi_motion_state, "dofs", dofs, dof_state_body),
    LAST,
};
const tpi_motion_body tpi_motion_state_body = {"STATE answer",
                                               TPI_MOTION_ANSWER + TPI_MOTION_ASK_STATE,
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
const tpi_motion_body tpi_motion_base_body = {
    "BASE answer", TPI_MOTION_ANSWER + TPI_MOTION_ASK_BASE, sizeof(tpi_motion_base), base_fields};

static const tpi_motion_field clock_fields[] = {
    FIELD(tpi_motion_clock, "identity", U64, identity),
    FIELD(tpi_motion_clock, "time", U64, time_us),
    LAST,
};
const tpi_motion_body tpi_motion_clock_body = {"CLOCK answer",
                                               TPI_MOTION_ANSWER + TPI_MOTION_ASK_CLOCK,
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
const tpi_motion_body tpi_motion_queues_body = {"QUEUES answer",
                                                TPI_MOTION_ANSWER + TPI_MOTION_ASK_QUEUES,
                                                sizeof(tpi_motion_queues), queues_fields};

static const tpi_motion_field busy_fields[] = {
    COUNT(tpi_motion_busy, "count", count),
    LIST(tpi_motion_busy, "holders", holders, holder_body),
    LAST,
};
const tpi_motion_body tpi_motion_busy_body = {
    "BUSY answer", TPI_MOTION_ANSWER + TPI_MOTION_ASK_BUSY, sizeof(tpi_motion_busy), busy_fields};

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
const tpi_motion_body tpi_motion_welcome_body = {"HELLO answer",
                                                 TPI_MOTION_ANSWER + TPI_MOTION_HELLO,
                                                 sizeof(tpi_motion_welcome), welcome_fields};

static const tpi_motion_field synced_fields[] = {
    FIELD(tpi_motion_synced, "t1", U64, sent_us),
    FIELD(tpi_motion_synced, "t2", U64, received_us),
    FIELD(tpi_motion_synced, "t3", U64, answered_us),
    LAST,
};
const tpi_motion_body tpi_motion_synced_body = {"SYNC answer", TPI_MOTION_ANSWER + TPI_MOTION_SYNC,
                                                sizeof(tpi_motion_synced), synced_fields};

static const tpi_motion_field leased_fields[] = {
    FIELD(tpi_motion_lease, "lease", U64, lease_us),
    LAST,
};
const tpi_motion_body tpi_motion_leased_body = {
    "LEASE answer", TPI_MOTION_ANSWER + TPI_MOTION_LEASE, sizeof(tpi_motion_lease), leased_fields};

static const tpi_motion_field nonce_fields[] = {
    FIELDS(tpi_motion_nonce, "nonce", U8, 32, nonce),
    LAST,
};
const tpi_motion_body tpi_motion_nonce_body = {"CHALLENGE answer",
                                               TPI_MOTION_ANSWER + TPI_MOTION_CHALLENGE,
                                               sizeof(tpi_motion_nonce), nonce_fields};

static const tpi_motion_field proved_fields[] = {
    FIELD(tpi_motion_right, "right", U8, right),
    RESERVED(3),
    LAST,
};
const tpi_motion_body tpi_motion_proved_body = {
    "PROVE answer", TPI_MOTION_ANSWER + TPI_MOTION_PROVE, sizeof(tpi_motion_right), proved_fields};
