/* bodies.h - how the tables of bodies are written; what replies contain, for the table of all. */
#ifndef TROUPE_MOTION_BODIES_H
#define TROUPE_MOTION_BODIES_H

#include <stddef.h>

#include "motion/package.h"

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

/* bodies_reply.c: what the server sends, in the order of the codes. */
extern const tpi_motion_body tpi_motion_signal_body;
extern const tpi_motion_body tpi_motion_summary_body;
extern const tpi_motion_body tpi_motion_description_body;
extern const tpi_motion_body tpi_motion_joints_body;
extern const tpi_motion_body tpi_motion_links_body;
extern const tpi_motion_body tpi_motion_frames_body;
extern const tpi_motion_body tpi_motion_state_body;
extern const tpi_motion_body tpi_motion_base_body;
extern const tpi_motion_body tpi_motion_clock_body;
extern const tpi_motion_body tpi_motion_queues_body;
extern const tpi_motion_body tpi_motion_busy_body;
extern const tpi_motion_body tpi_motion_welcome_body;
extern const tpi_motion_body tpi_motion_synced_body;
extern const tpi_motion_body tpi_motion_leased_body;
extern const tpi_motion_body tpi_motion_nonce_body;
extern const tpi_motion_body tpi_motion_proved_body;

#endif
