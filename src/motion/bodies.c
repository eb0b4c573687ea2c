/*
 * bodies.c - the table of bodies: what a record of each code contains, field by field. Those of
 * replies are in bodies_reply.c.
 */
#include "motion/bodies.h"

/* ---- Elements of other bodies ---- */

static const tpi_motion_field target_fields[] = {
    FIELD(tpi_motion_drive, "joint", U16, joint),
    FIELD(tpi_motion_drive, "dof", U16, dof),
    FIELD(tpi_motion_drive, "value", MICRO, value),
    LAST,
};
static const tpi_motion_body target_body = {"target", 0, sizeof(tpi_motion_drive), target_fields};

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

/* ---- The table ---- */

const tpi_motion_body *const tpi_motion_bodies[] = {
    &goto_body,
    &setspeed_body,
    &stop_body,
    &set_body,
    &speed_body,
    &force_body,
    &move_body,
    &home_body,
    &pose_body,
    &twist_body,
    &wrench_body,
    &ask_header_body,
    &ask_joints_body,
    &ask_links_body,
    &ask_frames_body,
    &ask_state_body,
    &ask_base_body,
    &ask_clock_body,
    &ask_queues_body,
    &ask_busy_body,
    &hello_body,
    &sync_body,
    &set_mode_body,
    &begin_body,
    &end_body,
    &broadcast_begin_body,
    &broadcast_end_body,
    &cancel_body,
    &rate_body,
    &lease_body,
    &update_body,
    &challenge_body,
    &prove_body,
    &tpi_motion_signal_body,
    &tpi_motion_summary_body,
    &tpi_motion_description_body,
    &tpi_motion_joints_body,
    &tpi_motion_links_body,
    &tpi_motion_frames_body,
    &tpi_motion_state_body,
    &tpi_motion_base_body,
    &tpi_motion_clock_body,
    &tpi_motion_queues_body,
    &tpi_motion_busy_body,
    &tpi_motion_welcome_body,
    &tpi_motion_synced_body,
    &tpi_motion_leased_body,
    &tpi_motion_nonce_body,
    &tpi_motion_proved_body,
    NULL,
};
