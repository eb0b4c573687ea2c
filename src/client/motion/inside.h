/*
 * inside.h - the state of a motion client, for the files of this folder.
 *
 *     motion.c     its life
 *     link.c       a connection: a stream with packages
 *     connect.c    connecting, losing the connection, connecting again; the clock and the lease
 *     wait.c       the calls that wait
 *     send.c       commands and sequences
 *     settings.c   questions and settings
 *     panic.c      panic, reset, rates
 *     answers.c    what has come: to whom it belongs
 *
 * States of the connection: LOST -> GREETING -> CONNECTED, and back to LOST from both. The
 * program's callbacks are called from the loop only.
 */
#ifndef TROUPE_CLIENT_MOTION_INSIDE_H
#define TROUPE_CLIENT_MOTION_INSIDE_H

#include <stdatomic.h>

#include "client/motion/encode.h"
#include "client/motion/greet.h"
#include "client/motion/returns.h"
#include "client/probe.h"
#include "troupe/motion.h"
#include "troupe/stream.h"

/* One of the two connections. */
typedef struct tpi_link {
    tp_motion *motion; /* borrowed */
    tp_stream *stream; /* owned; NULL while there is none */
    tpi_talk talk;
    bool blocked; /* the kernel takes no more for now */
    /* A record has come. */
    void (*took)(tp_motion *motion, const tpi_motion_record *record);
    /* It could be made, and is to be greeted. */
    void (*made)(tp_motion *motion);
    /* It is lost, or could not be made; `why` is the reason. The stream is closed. */
    void (*lost)(tp_motion *motion, const char *why);
} tpi_link;

typedef enum tpi_mclient_connection {
    TPI_MCLIENT_LOST,
    TPI_MCLIENT_GREETING,
    TPI_MCLIENT_CONNECTED,
} tpi_mclient_connection;

/* connect.c: connecting again, the second connection, the clock. */
typedef struct tpi_mclient_contact {
    tp_timer *watch; /* owned: the greeting takes too long, or it is time to try again */
    tp_timer *pulse; /* owned: the clock and the lease */
    int64_t backoff_ns, connected_ns;
    int64_t second_ns;     /* when to try a second connection again */
    unsigned second_tries; /* in a row that failed */
    tpi_probe *probe;      /* owned: what a peer is that does not answer; NULL once it does */
    bool told;             /* the program knows of the loss */
    bool gives_up;         /* does not try again */
} tpi_mclient_contact;

/* The tags of a package, for answers that name the package only. */
typedef struct tpi_mclient_parcel {
    uint32_t id, first, count;
} tpi_mclient_parcel;

/* A sequence that is being sent. */
typedef struct tpi_mclient_sending {
    uint32_t sequence;
    uint8_t mode;
    uint32_t frames;
} tpi_mclient_sending;

enum { TPI_MCLIENT_PARCELS = 256, TPI_MCLIENT_SEQUENCES = 64 };

/* answers.c: a function of the program for a tag. */
typedef struct tpi_mclient_listener {
    struct tpi_mclient_listener *next; /* owned */
    uint32_t tag;
    tp_motion_replied *replied;
    void *context; /* borrowed */
} tpi_mclient_listener;

/* Flags of any thread, and what belongs to waiting. */
typedef struct tpi_mclient_attention {
    atomic_bool interrupted, renewed;
    bool by_calls;
    unsigned waits;
    tp_timer *alarm; /* owned */
} tpi_mclient_attention;

struct tp_motion {
    tp_motion_options options; /* texts replaced by own copies */
    char *url, *key;           /* owned; the key may be NULL */
    tp_loop *loop;             /* borrowed, or `own` */
    tp_loop *own;              /* owned; NULL with the program's loop */

    tpi_link first, second;
    tpi_mclient_connection state;
    bool second_ready;
    tpi_greet greeting; /* of the connection that is being made */
    tpi_greet met;      /* of the last one that was made */
    tpi_greet second_greeting;
    tpi_mclient_contact contact;
    tp_error why; /* the connection is lost */
    uint32_t losses;

    uint32_t last_tag, last_id;
    tpi_mclient_parcel parcels[TPI_MCLIENT_PARCELS];      /* a ring, by id */
    tpi_mclient_sending sequences[TPI_MCLIENT_SEQUENCES]; /* by number */
    tpi_returns returns;
    tpi_mclient_listener *listeners; /* owned */
    tp_motion_reply *lent;           /* owned: what tp_motion_wait() and others gave last */

    tp_motion_mode mode;
    int64_t delay_ns;
    bool panicked;
    uint32_t epoch;
    unsigned entered; /* a callback runs */
    tpi_mclient_attention attention;
};

/* ---- link.c ---- */

tp_status tpi_link_open(tpi_link *link, tp_error *err);
void tpi_link_close(tpi_link *link);

/* Send what the talk has. */
void tpi_link_flush(tpi_link *link);

/* ---- connect.c ---- */

tp_status tpi_mclient_contact_init(tp_motion *motion, tp_error *err);
void tpi_mclient_contact_fini(tp_motion *motion);

/* Begin to connect; with `once` a failure is final and told to nobody. */
tp_status tpi_mclient_begin(tp_motion *motion, bool once, tp_error *err);

int64_t tpi_mclient_now_ns(const tp_motion *motion);

/* ---- wait.c ---- */

typedef bool tpi_mclient_condition(void *context);

/* Turn the loop until the condition is met, or the connection is lost. TP_E_TIMEOUT, TP_E_CLOSED or
 * TP_E_INTERRUPTED otherwise, with a text about `what`. */
tp_status tpi_mclient_await(tp_motion *motion, int64_t timeout_ns, tpi_mclient_condition *met,
                            void *context, const char *what, tp_error *err);

/* Whether the program vouches for what moves. */
bool tpi_mclient_is_attended(tp_motion *motion);

/* Wait for the first connection. */
tp_status tpi_mclient_await_connection(tp_motion *motion, tp_error *err);

/* ---- send.c ---- */

uint32_t tpi_mclient_next_tag(tp_motion *motion);

/* Send a package on the first connection, or on the second if `urgent` and there is one. Its items
 * have the tags from `first` on; answers that name the package only are theirs. */
tp_status tpi_mclient_post(tp_motion *motion, bool urgent, const tpi_motion_header *header,
                           const tpi_talk_item *items, size_t count, uint32_t first, tp_error *err);

/* ---- settings.c ---- */

/* Send a session record; waits for its SIGNAL unless `later`. */
tp_status tpi_mclient_settle(tp_motion *motion, bool urgent, uint16_t code, const void *value,
                             uint32_t *later, tp_error *err);

/* Wait for the signal with this tag: final, or any if `any`. Fails if it is no success. The reply
 * is in `lent`. */
tp_status tpi_mclient_await_signal(tp_motion *motion, uint32_t tag, bool any, int64_t timeout_ns,
                                   const char *what, tp_error *err);

/* ---- answers.c ---- */

/* A record for the program has come. */
void tpi_mclient_answered(tp_motion *motion, const tpi_motion_record *record);
void tpi_mclient_answers_forget(tp_motion *motion);

/* ---- panic.c ---- */

/* The server has told of a panic. */
void tpi_mclient_note_panic(tp_motion *motion, uint32_t epoch);

#endif
