/*
 * queue.h - messages that wait for one receiver.
 *
 * Bounded, and says what it does when full. A rule (Player's "replace rules", first match wins)
 * decides for each message whether it is appended, takes the place of the newest queued message of
 * its kind, or is ignored. Data and commands beyond the limit are dropped and counted; replies
 * beyond a limit of their own are refused, so that a client that asks without reading is noticed.
 * There are limits for the number of messages and for their bytes, whichever is reached first; a
 * message larger than the bytes finds its place in a queue that has none. The ring grows as it
 * fills. Belongs to one thread. All queues that a message is in belong to the same thread and share
 * one reference to it, so that they need no atomic operation each.
 */
#ifndef TROUPE_BUS_QUEUE_H
#define TROUPE_BUS_QUEUE_H

#include "troupe/msg.h"

typedef enum tpi_action { TPI_APPEND = 0, TPI_REPLACE = 1, TPI_IGNORE = 2 } tpi_action;

typedef struct tpi_rule {
    int32_t interf; /* each: -1 for any */
    int32_t index;
    int32_t type;
    int32_t subtype;
    int32_t action;
} tpi_rule;

/* Queues that are counted together: the bytes of all messages in them, of each message once. There
 * is one group at most for the queues of a thread. */
typedef struct tpi_queue_group {
    size_t bytes;
} tpi_queue_group;

typedef struct tpi_queue {
    tp_msg **ring;  /* owned, with a share of the queues' reference to each */
    uint32_t first; /* place of the oldest */
    uint32_t count;
    uint32_t capacity;      /* a power of two, or 0 */
    uint32_t sealed;        /* of the oldest so many are committed: neither replaced nor dropped */
    uint32_t most;          /* data and commands are dropped beyond this */
    uint32_t most_kept;     /* replies are refused beyond this */
    size_t bytes;           /* of the data and commands in it */
    size_t kept_bytes;      /* of all others */
    size_t most_bytes;      /* neither grows beyond this by more than one message */
    tpi_queue_group *group; /* borrowed; NULL for none */
    tpi_rule *rules;        /* owned */
    uint32_t rule_count;
    tpi_action fallback; /* for data and commands that no rule matches */
    bool newest;         /* the fallback replaces, and what is replaced counts as dropped */
    uint64_t dropped;    /* messages lost, in all */
    uint64_t replaced;
} tpi_queue;

/* The limit for bytes is TPI_QUEUE_BYTES unless `most_bytes` is changed. */
enum { TPI_QUEUE_BYTES = 16 << 20 };
void tpi_queue_init(tpi_queue *queue, uint32_t most, uint32_t most_kept, tpi_action fallback);
void tpi_queue_fini(tpi_queue *queue);

/* Other limits from now on; what waits already stays. */
void tpi_queue_set_limits(tpi_queue *queue, uint32_t most, uint32_t most_kept);

/* It belongs to a group from now on, or to none. */
void tpi_queue_join(tpi_queue *queue, tpi_queue_group *group);

/* Add a rule, or change the one with the same criteria. */
tp_status tpi_queue_add_rule(tpi_queue *queue, const tpi_rule *rule);

/* From now on data and commands that no rule matches take the place of older ones of their kind, if
 * `on`; otherwise they are appended. When it begins, older ones of the same kind leave the queue,
 * except for sealed ones. What is replaced in this way counts as dropped. */
void tpi_queue_keep_newest(tpi_queue *queue, bool on);

/* Queue a message by the rules; the caller keeps its reference. TP_E_SPACE when it was dropped or
 * ignored, as the rules want; TP_E_LIMIT for a reply that finds no place; TP_E_NOMEM. */
tp_status tpi_queue_push(tpi_queue *queue, const tp_msg *msg);

/* The same for data that is not dropped for want of room: its maker waits until there is some. */
tp_status tpi_queue_keep(tpi_queue *queue, const tp_msg *msg);

/* Whether data would be taken that no rule is for. */
bool tpi_queue_has_room(const tpi_queue *queue);

/* Whether more waits than this part of the messages or bytes of data that it takes. */
bool tpi_queue_holds(const tpi_queue *queue, unsigned parts);

/* The i-th oldest; NULL if there are fewer. Borrowed. */
tp_msg *tpi_queue_at(const tpi_queue *queue, uint32_t i);

/* Put a message before all that are not sealed; the caller keeps its reference. */
tp_status tpi_queue_push_first(tpi_queue *queue, const tp_msg *msg);

/* The oldest `n` are as good as sent. Never fewer than before. */
void tpi_queue_seal(tpi_queue *queue, uint32_t n);

/* Take the oldest, with a reference; NULL if there is none. */
tp_msg *tpi_queue_pop(tpi_queue *queue);

/* Remove the oldest `n`, which are there. */
void tpi_queue_discard(tpi_queue *queue, uint32_t n);

/* Drop and count the older half of data and commands, sealed or not, except for the oldest message:
 * a part of it may be sent. Whether any was dropped. */
bool tpi_queue_thin(tpi_queue *queue);

/* Drop queued data of a device that is not sealed (an unsubscribed client does not want it). */
void tpi_queue_drop_data(tpi_queue *queue, const tp_devaddr *addr);

#endif
