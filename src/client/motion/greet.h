/*
 * greet.h - how a connection to a motion server begins.
 *
 *     [CHALLENGE -> PROVE] -> HELLO -> HEADER -> JOINTS, LINKS, FRAMES -> SYNC, several times
 *
 * A second connection of the same client shows its token and is ready then.
 */
#ifndef TROUPE_CLIENT_MOTION_GREET_H
#define TROUPE_CLIENT_MOTION_GREET_H

#include "client/motion/robot.h"
#include "client/motion/sync.h"
#include "client/motion/talk.h"

typedef enum tpi_greet_step {
    TPI_GREET_HELLO,
    TPI_GREET_CHALLENGE,
    TPI_GREET_PROVE,
    TPI_GREET_HEADER,
    TPI_GREET_BLOCKS,
    TPI_GREET_SYNC,
    TPI_GREET_DONE,
} tpi_greet_step;

/* Zeroed at first, but for what the owner sets. */
typedef struct tpi_greet {
    /* Set by the owner. */
    char name[TPI_MOTION_NAME + 1];
    uint64_t lease_us;
    uint8_t token[16]; /* of a second connection; zero for a first one */
    /* Make the proof of a key for this nonce; NULL without a key. */
    tp_status (*prove)(void *context, uint8_t digest[32], const uint8_t nonce[32]);
    void *context; /* borrowed */

    /* What is known. */
    tpi_greet_step step;
    uint32_t tag; /* of the question that is under way */
    tpi_motion_welcome welcome;
    tpi_robot *robot; /* owned; NULL until HEADER has come */
    tpi_sync sync;
    int64_t asked_ns; /* SYNC: t1 */
} tpi_greet;

void tpi_greet_fini(tpi_greet *greet);

/* Begin; `talk` is that of the connection. */
tp_status tpi_greet_begin(tpi_greet *greet, tpi_talk *talk, int64_t now_ns, tp_error *err);

/* A record has come, at `now_ns` of the client's clock. TP_PENDING if others have to come, TP_OK if
 * the connection is ready; TP_E_DENIED if the key is refused. */
tp_status tpi_greet_take(tpi_greet *greet, tpi_talk *talk, const tpi_motion_record *record,
                         int64_t now_ns, tp_error *err);

/* Ask for the server's time once more; its answer goes to tpi_greet_synced(). */
tp_status tpi_greet_ask_time(tpi_greet *greet, tpi_talk *talk, int64_t now_ns, tp_error *err);

/* An answer to SYNC has come; false if it is another record or none that was asked for. */
bool tpi_greet_synced(tpi_greet *greet, const tpi_motion_record *record, int64_t now_ns);

/* What the server says in a signal, as text. */
void tpi_greet_why(const tpi_motion_record *record, char *out, size_t size);

#endif
