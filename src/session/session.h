/* session.h - the structs behind sessions, for the files of this folder. */
#ifndef TROUPE_SESSION_SESSION_H
#define TROUPE_SESSION_SESSION_H

#include "bus/queue.h"
#include "device/inside.h"
#include "troupe/front.h"

/* Data that every device may send, which Player does not have. */
enum { FIRST_OF_OURS = TP_COMMON_DATA_GEOMETRY };

/* Messages of one kind that come no faster than a subscription wants them. */
struct pace {
    uint8_t code;
    tp_msg *held;        /* owned reference: the newest that came too early; NULL for none */
    int64_t earliest_ns; /* when the next one may go */
    struct pace *next;
};

/* One opening of a device. */
struct subscription {
    tpi_reader reader;
    tpi_opening opening;
    tp_session *session; /* borrowed */
    tp_device *device;
    tp_session_opened *done;
    tp_msghdr request;
    bool waiting; /* for the device to start */
    unsigned access;
    bool moves;       /* it has moved the device, or written to one that moves nothing */
    bool refused;     /* its last command was, and it was told */
    bool baulked;     /* the same, by the driver */
    int64_t lease_ns; /* that it has asked for; 0 for the usual one */
    bool has_rank;    /* it has asked for no higher one than the next */
    int32_t rank;
    struct subscription *next;
    uint64_t slept_at; /* see sleep.c */
    bool counted;      /* among those who are behind; see behind.c */
    bool takes_part;   /* of a device that keeps */

    /* rate.c */
    int64_t period_ns;  /* between messages of a kind; 0 for all there are */
    struct pace *paces; /* owned list, one for each kind that has come */
    tp_timer *timer;    /* owned: when the next held one goes; NULL until there is a rate */
};

/* A request or command under way. */
struct asking {
    tp_session *session; /* borrowed */
    tpi_call *call;      /* cleared when it ends */
    tp_msghdr request;
    const tp_device *device; /* borrowed, only compared */
    bool command;
    bool halts; /* what somebody else moves */
    struct asking *next;
    struct asking *previous;
};

/* Who a client has proved to be; see rights.c. */
struct guest {
    tp_reach reach;
    const tpi_key *key; /* borrowed from the hub; NULL for none */
    bool challenged;    /* the nonce is good for one proof */
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];
    unsigned wrong;      /* tries in a row that were wrong */
    int64_t next_try_ns; /* before that time none is looked at */
};

struct tp_session {
    tpi_hub *hub; /* borrowed */
    uint32_t number;
    uint32_t robot;
    tpi_queue queue;
    const tp_session_events *events;
    void *context;
    tp_session_limits limits;
    uint32_t requests; /* under way */
    uint32_t commands; /* the same */
    bool explain;
    bool extensions;
    bool local; /* on this machine */
    struct guest guest;
    bool leases; /* the client renews them by itself */
    bool lost;
    bool sleeping; /* some of its subscriptions may be asleep */
    char name[64];
    char software[64];
    int64_t begun_ns;
    int64_t heard_ns; /* the last time */
    uint64_t sent;
    uint64_t received;
    uint64_t refused;
    bool only_sends; /* a message is nothing but bytes to its front */
    /* behind.c */
    bool pulls;                   /* nothing goes out before the client asks */
    uint32_t parts;               /* openings of devices that keep */
    bool behind;                  /* much waits for it */
    bool given_up;                /* and it takes nothing, so that nobody waits for it */
    uint64_t taken, taken_before; /* messages and parts, and when the timer was set */
    tp_timer *patience;           /* owned; NULL until it was behind once */

    /* page.c: where the page behind the last one begins, as long as the list is the same */
    unsigned page_changes;
    uint32_t page_total; /* 0 before the first page */
    uint32_t page_next;
    size_t page_place; /* among those of all robots */

    size_t stale; /* bytes that came before the last panic was over and are not handled yet */
    struct subscription *subscriptions; /* owned */
    uint32_t subscription_count;
    struct asking *askings; /* owned */
    tp_session *next;       /* of the hub's */
    tp_session *previous;
};

/* session.c: its opening of a device that has started; NULL for none. */
struct subscription *tpi_session_find_open(const tp_session *session, const tp_device *device);

/* session.c: whether the session sees the devices of a robot; and the robot in the address of
 * messages of the server itself, 0 in a session of every robot. */
bool tpi_session_sees(const tp_session *session, uint32_t robot);
uint32_t tpi_session_robot(const tp_session *session);

/* session_send.c: nobody waits for the end of a request or command any more. */
void tpi_session_abandon(struct asking *a);

/* access.c: whether data comes; taking and giving back what one client alone has; and whether a
 * message may be sent. Of what is refused the client and the device keep count. */
bool tpi_access_reads(unsigned access);
tp_status tpi_access_take(struct subscription *s, tp_error *err);
void tpi_access_give(const struct subscription *s);
tp_status tpi_access_check(const struct subscription *s, const tp_message *what,
                           const tpi_mover *mover, tp_error *err);

/* Commands are not answered. One who understands it is told that they are refused, but not of every
 * single one: `told` is set when it was, and nothing is told while it is. */
void tpi_access_tell_refusal(struct subscription *s, const tp_error *why, bool *told);

void tpi_access_count_refusal(tp_session *session, tp_device *device);

/* rank.c: what others call it. */
void tpi_session_label(const tp_session *session, char *out, size_t size);

/* hold.c: how long a device obeys an opening whose client is silent, 0 or less for ever; as whom it
 * sends a message; and the request LEASE, whose answer is queued. */
int64_t tpi_hold_lease_ns(const struct subscription *s);
tpi_mover tpi_hold_mover(const struct subscription *s, const tp_message *what, const tp_msg *msg);
/* It has waited for a process that was frozen, for longer than its lease. */
bool tpi_hold_is_late(const struct subscription *s, const tp_message *what, const tp_msg *msg);
bool tpi_hold_owns(const tp_message *what);
tp_status tpi_hold_answer(const struct subscription *s, const tp_msg *msg, tp_error *err);

/* rights.c: whether a client may open a device so. */
tp_status tpi_rights_to_open(const tp_session *session, const tp_device *device, unsigned access,
                             tp_error *err);

/* rate.c: whether a message has to wait, and is kept for later. */
bool tpi_rate_holds(struct subscription *s, tp_msg *msg);

/* Forget the rate and what is held. */
void tpi_rate_clear(struct subscription *s);

/* sleep.c: it has no room; it has room again, or what it may take is about to change; how many
 * messages it has missed so far while asleep. */
void tpi_sleep_begin(struct subscription *s);
void tpi_sleep_end(tp_session *session);
uint64_t tpi_sleep_missed(const tp_session *session);

/* behind.c: more or less waits than before; a message was taken; an opening has begun, or ends. */
void tpi_behind_look(tp_session *session);
void tpi_behind_taken(tp_session *session);
void tpi_behind_count(struct subscription *s);
void tpi_behind_forget(struct subscription *s);

/* Whether it is waited for, and so gets all that is kept. */
bool tpi_behind_keeps(const tp_session *session);

#endif
