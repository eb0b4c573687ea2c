/* encode.h - commands of the program as records, and records of the server as replies. */
#ifndef TROUPE_CLIENT_MOTION_ENCODE_H
#define TROUPE_CLIENT_MOTION_ENCODE_H

#include "client/motion/talk.h"
#include "troupe/motion.h"

/* The body of a command. */
typedef union tpi_encoded {
    tpi_motion_empty empty;
    tpi_motion_goto drive_to;
    tpi_motion_setspeed speed;
    tpi_motion_set set;
    tpi_motion_drive drive;
    tpi_motion_move move;
    tpi_motion_home home;
    tpi_motion_pose pose;
    tpi_motion_screw screw;
} tpi_encoded;

/* Make a record of a command. Targets of MOVE stay borrowed. TP_E_INVALID for a verb that does not
 * exist, TP_E_RANGE for a negative duration. */
tp_status tpi_encode(tpi_talk_item *item, tpi_encoded *body, const tp_motion_command *command,
                     uint32_t tag, tp_error *err);

/* Make a reply of a record. NULL without memory, and for records that are no business of the
 * program. `bytes` is what it takes. */
tp_motion_reply *tpi_decode(const tpi_motion_record *record, int64_t now_ns, size_t *bytes);

/* What a signal is to a program: TP_OK for SUCCESS and MODIFIED. */
tp_status tpi_signal_status(unsigned signal);

#endif
