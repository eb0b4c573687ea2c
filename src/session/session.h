/*
 * session.h - the structs behind sessions, for the files of this folder.
 *
 * A session is the identity of a client (identity.h) with a mailbox: a queue of messages, and the
 * devices whose data goes there. Its parts belong to one file each; others call that file's
 * functions. Everything here belongs to the loop.
 */
#ifndef TROUPE_SESSION_SESSION_H
#define TROUPE_SESSION_SESSION_H

#include "bus/msg.h"
#include "bus/queue.h"
#include "session/budget.h"
#include "session/clients.h"
#include "session/crowd.h"
#include "troupe/front.h"

/* Data that every device may send, which Player does not have. */
enum { FIRST_OF_OURS = TP_COMMON_DATA_GEOMETRY };

/* rate.c: messages of one kind that come no faster than a subscription wants them. */
struct pace {
    uint8_t code;
    tp_msg *held;        /* owned reference: the newest that came too early; NULL for none */
    int64_t earliest_ns; /* when the next one may go */
    struct pace *next;
};
struct rate {
    int64_t period_ns;  /* between messages of a kind; 0 for all there are */
    struct pace *paces; /* owned list, one for each kind that has come */
    tp_timer *timer;    /* owned: when the next held one goes; NULL until there is a rate */
};

/* subscription.c: one opening of a device. */
struct subscription {
    tpi_reader reader;
    tpi_opening opening;
    tp_session *session; /* borrowed */
    tp_device *device;
    tp_session_opened *done;
    void *done_context; /* borrowed */
    tp_msghdr request;
    bool waiting; /* for the device to start */
    unsigned access;
    bool moves;          /* it has moved the device, or written to one that moves nothing */
    bool refused;        /* its last command was, and it received that */
    bool driver_refused; /* the same, by the driver */
    int64_t lease_ns;    /* that it has asked for; 0 for the usual one */
    bool has_rank;       /* it has asked for no higher one than the next */
    int32_t rank;
    bool first; /* the one of several openings of its device that is counted */
    struct subscription *next;
    uint64_t paused_at; /* pause.c: what the device had sent when it was paused */
    bool counted;       /* backlog.c: among the readers that are behind */
    bool takes_part;    /* backlog.c: of a device that keeps */
    bool looks_on;      /* backlog.c: of such a device, without the right to take part */
    struct rate rate;
};

/* session_send.c: a request or command under way. */
struct asking {
    tp_session *session; /* borrowed */
    tpi_call *call;      /* cleared when it ends */
    tp_msghdr request;
    const tp_device *device; /* borrowed, only compared */
    const tp_message *what;
    size_t cost; /* bytes that are reserved for the answer */
    bool command;
    bool halts; /* what somebody else moves */
    struct asking *next;
    struct asking *previous;
};
struct sending {
    uint32_t requests; /* under way */
    uint32_t commands; /* the same */
    uint64_t received;
    struct asking *askings; /* owned */
    tp_msg *parked;         /* owned reference: a request that waits for room; NULL for none */
    const tp_message *parked_as;
};

/* maker.c: answers of the client that a thread is encoding. */
struct makings {
    struct making *first; /* owned by the thread until they return; newest first */
    uint32_t services;    /* of them: the client's next message waits for these */
};

/* mailbox.c: what went out to the client. */
struct mailbox {
    const tp_encoding *only_sends; /* borrowed: what its front sends; NULL if it reads payloads */
    bool lost;                     /* the front knows that the client is to be given up */
    uint64_t sent;
};

/* backlog.c: whether the client is behind with reading. */
struct backlog {
    bool pulls;                   /* nothing goes out before the client asks */
    uint32_t parts;               /* openings of devices that keep */
    bool behind;                  /* much waits for it */
    bool given_up;                /* and it takes nothing, so that no client waits for it */
    uint64_t taken, taken_before; /* messages and parts, and when the timer was set */
    int64_t deadline_ns;          /* when it is given up, if it takes nothing */
};

/* pull.c: what a client in pull mode has asked for. */
struct pull {
    bool armed;              /* a DATA request waits for data */
    uint64_t reported_drops; /* dropped messages that a SYNCH has reported */
};

/* page.c: where the page behind the last one begins, as long as the list is the same. */
struct page {
    unsigned changes;
    uint32_t total; /* 0 before the first page */
    uint32_t next;
    size_t place; /* among those of all robots */
};

/* unfinished.c: a message of which only a part has come. */
struct unfinished {
    size_t bytes; /* of it; 0 if there is none */
    bool waits;   /* the front has not looked whether the rest has come */
    int64_t since_ns;
    int64_t arrival_ns; /* of its first bytes, at the earliest */
    tp_timer *timer;    /* owned; NULL until it is needed */
    bool armed;
};

struct tp_session {
    tpi_clients *clients; /* borrowed */
    tpi_hub *hub;         /* borrowed */
    tpi_identity identity;
    uint32_t robot;
    const tp_session_events *events;
    void *context;
    tp_session_limits limits;
    bool explain;
    bool extensions;
    bool leases;  /* the client renews them by itself */
    bool pausing; /* some of its subscriptions may be paused */
    int64_t begun_ns;
    int64_t heard_ns; /* the last time */
    uint64_t refused;
    size_t stale;    /* bytes that came before the last panic was over and are not handled yet */
    tpi_queue queue; /* what waits for the client */
    struct mailbox mailbox;
    struct sending sending;
    struct makings makings;
    tpi_account account;
    struct backlog backlog;
    struct pull pull;
    struct page page;
    struct unfinished unfinished;
    struct tpi_crowd_place place;
    struct subscription *subscriptions; /* owned */
    uint32_t subscription_count;
    uint32_t opened;  /* devices, each once */
    bool ranked;      /* some opening has asked for a rank once */
    tp_session *next; /* of the clients */
    tp_session *previous;
};

/* subscription.c: whether the session sees the devices of a robot. */
bool tpi_session_sees(const tp_session *session, uint32_t robot);

/* The robot in the address of messages of the server itself; 0 in a session of every robot. */
uint32_t tpi_session_robot(const tp_session *session);

/* The device that a client means by an address: only a session of every robot looks at the number
 * of the robot. NULL for none. */
tp_device *tpi_session_device(const tp_session *session, const tp_devaddr *addr);

/* Its opening of a device that has started; NULL for none. */
struct subscription *tpi_session_find_open(const tp_session *session, const tp_device *device);

/* tp_session_open() with another context for `done`. */
tp_status tpi_session_open(tp_session *session, tp_device *device, unsigned access,
                           const tp_msghdr *request, tp_session_opened *done, void *context);

/* The session ends: close all. */
void tpi_subscriptions_close(tp_session *session);

/* session_send.c: nobody waits for the end of its requests and commands any more. */
void tpi_session_abandon_all(tp_session *session);

/* Messages that came so far. */
uint64_t tpi_session_received(const tp_session *session);

/* mailbox.c: queue a message; TP_E_SPACE if it was dropped, and there is nothing new for the
 * client. */
tp_status tpi_mailbox_queue(tp_session *session, tp_msg *msg);

/* The client is to be given up; the front hears of it once. */
void tpi_mailbox_lose(tp_session *session);
bool tpi_mailbox_is_lost(const tp_session *session);

/* What its front sends instead of values; NULL if it reads payloads. */
const tp_encoding *tpi_mailbox_encoding(const tp_session *session);

/* Messages that went out so far. */
uint64_t tpi_mailbox_sent(const tp_session *session);

/* pull.c: changes between push and pull mode; a DATA request that waits is forgotten. */
void tpi_pull_set_mode(tp_session *session, bool pulls);

/* Answers a DATA request. The acknowledgement is queued before all that is not sealed. */
tp_status tpi_pull_serve(tp_session *session, const tp_msghdr *request);

/* access.c: whether data comes; taking and giving back what one client alone has; and whether a
 * message may be sent. Of what is refused the client and the device keep count. */
bool tpi_access_reads(unsigned access);
tp_status tpi_access_take(struct subscription *s, tp_error *err);
void tpi_access_give(const struct subscription *s);
tp_status tpi_access_check(const struct subscription *s, const tp_message *what,
                           const tpi_claim *claim, tp_error *err);

/* Whether one client has it for itself, and was heard of in time; and that client, NULL for none.
 */
bool tpi_access_is_held(const tp_device *device);
const tp_session *tpi_access_holder(const tp_device *device);

/* The label of that client, if it keeps a writer of this rank out; NULL if not. */
const char *tpi_access_keeps_out(const tp_device *device, int32_t rank);

/* What the client has no right to any more it does not go on doing. */
void tpi_access_rights_changed(tpi_identity *identity);

/* Commands are not answered. A client that understands it receives that they are refused, but not
 * of every single one: `told` is set when it has, and nothing is reported while it is. */
void tpi_access_tell_refusal(struct subscription *s, const tp_error *why, bool *told);

void tpi_access_count_refusal(tp_session *session, tp_device *device);

/* terms.c: how long a device obeys an opening whose client is silent, 0 or less for ever; on which
 * terms it sends a message; and the request LEASE, whose answer is queued. */
int64_t tpi_terms_lease_ns(const struct subscription *s);

/* The lease of plain Player clients that ask for none; less than 0 is endless. */
int64_t tpi_terms_plain_ns(const tp_device *device);
int32_t tpi_terms_rank(const struct subscription *s); /* the rank of the client on the device */
tpi_claim tpi_terms_claim(const struct subscription *s, const tp_message *what, const tp_msg *msg);
/* Whether it may have waited for this process for longer than its lease; `err` then says so. */
bool tpi_terms_is_late(const struct subscription *s, const tp_message *what, const tp_msg *msg,
                       const tpi_claim *claim, tp_error *err);
/* The time that it may have waited counts as a part of its lease. */
void tpi_terms_count_age(const struct subscription *s, const tp_message *what, tpi_claim *claim);
bool tpi_terms_owns(const tp_message *what);
tp_status tpi_terms_answer(const struct subscription *s, const tp_msg *msg, tp_error *err);

/* age.c: how old the message that is being handled can be; 0 if it has not waited. */
int64_t tpi_age_ns(const tp_session *session);

/* When it is older than a lease, as strictly as the loop can judge: what idle waits may add to its
 * age counts, too, unless they are longer than the lease. */
int64_t tpi_age_end_ns(const tp_session *session, int64_t lease_ns);

/* It has waited in the front, borrowed; NULL: no longer. */
void tpi_age_set_origin(tp_session *session, const tp_origin *origin);

/* Whether it came before the last panic was over. */
bool tpi_age_is_stale(const tp_session *session);

/* Whether the front is to wait with the client's messages now; a message was handled. */
void tpi_age_wait(tp_session *session, bool busy);
void tpi_age_took(tp_session *session, size_t bytes);

/* Leases of this length are to be kept: from now on shorter freezes are noticed. */
void tpi_age_expect(tpi_clients *clients, int64_t lease_ns);

/* There is a client; perhaps the last one is gone. */
tp_status tpi_age_join(tpi_clients *clients, tp_error *err);
void tpi_age_leave(tpi_clients *clients);

/* panic_request.c: the state of a panic for a client that understands it. */
void tpi_panic_request_report(tp_session *session, const tp_panic_state *panic);

/* rate.c: whether a message has to wait, and is kept for later; forget the rate and what is held.
 */
bool tpi_rate_holds(struct subscription *s, tp_msg *msg);
void tpi_rate_clear(struct subscription *s);

/* pause.c: the client has no room; it has room again, or what it may take is about to change; how
 * many messages it has missed so far while paused. */
void tpi_pause_begin(struct subscription *s);
void tpi_pause_end(tp_session *session);
uint64_t tpi_pause_missed(const tp_session *session);

/* unfinished.c: what has come since belongs to a message that the front has not looked at; a
 * message was handled, so it belongs to the next one; the session ends. */
void tpi_unfinished_waits(tp_session *session);
void tpi_unfinished_took(tp_session *session);
void tpi_unfinished_fini(tp_session *session);

/* backlog.c: more or less waits than before; a message was taken; an opening has begun, or ends;
 * the client's right may have changed; the session ends. */
void tpi_backlog_look(tp_session *session);
void tpi_backlog_taken(tp_session *session);
void tpi_backlog_count(struct subscription *s);
void tpi_backlog_forget(struct subscription *s);
void tpi_backlog_rights_changed(tp_session *session);
void tpi_backlog_fini(tpi_clients *clients); /* after all sessions */

/* Whether nothing goes out before the client asks. */
bool tpi_backlog_pulls(const tp_session *session);

/* Whether the client is waited for, and so gets all that is kept. */
bool tpi_backlog_keeps(const tp_session *session);

/* Whether this is the thread that sessions belong to. */
static inline bool session_is_current(const tp_session *session)
{
    return tp_loop_is_current(tpi_hub_loop(session->hub));
}

#endif
