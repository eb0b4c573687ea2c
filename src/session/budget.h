/*
 * budget.h - what clients cost the server, and when they wait.
 *
 * Every cost is charged to three accounts: the client's, that of its host, and that of its class.
 * There are two classes. *Guests* have no right to write, wherever they connect. All others are
 * *members*. So whatever guests do, members have accounts of their own: that is their reserve. A
 * host's account counts its guests only. The class of a client follows its right.
 *
 * Three things are counted:
 *
 *     work     what handling messages costs in one turn of the loop, in nanoseconds: the time that
 *              it took, and a price for each message and byte. A client whose account is used up is
 *              busy until the next turn. Its front reads no further, so the rest of what it has
 *              sent waits in its own socket. Guests wait for some milliseconds longer, so that they
 *              never have more than a part of the loop's time: a thread that has time left is woken
 *              at once on a busy machine. Guests that are new, and those that had no work in
 *              the last turn, go on first, in turns: a client with a key is a guest until it has
 *              shown it, and whoever connects again and again is always new. Those that have
 *              closed their side go on last.
 *     answers  bytes of answers that are being made, before they are compressed: estimated when the
 *              request comes, counted when the driver has answered, given back when the answer is
 *              in the client's queue. A request that finds no room waits, first come first served,
 *              and its client is busy meanwhile.
 *     held     bytes that fronts hold of messages that are not handled yet (held.c). If there are
 *              too many, the client that holds most is closed. So a client is never closed because
 *              of what others hold.
 *
 * The way of a request: the front asks tp_session_is_busy() before each message, handles the
 * message, and reports it with tp_session_took(), which charges the work. tp_session_send()
 * reserves the answer. The answer of the driver replaces the estimate. If it is large, a thread
 * encodes it (maker.h). When the encoded answer is queued, the reservation ends. While many bytes
 * of replies wait in the queue of a client, the client is busy. While the replies of all guests
 * together are too many, the one with most of them is closed.
 *
 * An account that is empty of answers admits any single request, however large. Everything here
 * belongs to the loop's thread.
 */
#ifndef TROUPE_SESSION_BUDGET_H
#define TROUPE_SESSION_BUDGET_H

#include "bus/queue.h"
#include "device/hub.h"
#include "troupe/front.h"

typedef enum tpi_class { TPI_GUESTS, TPI_MEMBERS, TPI_CLASSES } tpi_class;

/* One account. An all-zero struct is ready. */
typedef struct tpi_share {
    uint64_t turn;   /* that `work` is of */
    int64_t work;    /* nanoseconds of this turn */
    size_t answers;  /* bytes being made */
    size_t held;     /* bytes of messages that are not handled yet */
    size_t queued;   /* bytes of replies that wait to be sent, in the queue and in the front */
    size_t openings; /* of devices: all data of a device is handed to each of them */
} tpi_share;

struct tpi_budget_host;

/* What the session of a client has for its budgets. */
typedef struct tpi_account {
    tpi_share own;
    tpi_class class;
    bool waiting;                 /* for the next turn */
    bool woken;                   /* it is being told that it may go on */
    bool goes_on;                 /* its callback is queued for that */
    bool gives_way;               /* it has closed its side, and comes after all others */
    bool busy;                    /* age.c, as what follows at the end */
    struct tpi_budget_host *host; /* counted reference; NULL until it has a name */
    int64_t mark_ns;              /* when the message that is being handled came */
    int64_t worked;               /* nanoseconds of all turns */
    size_t in_front;              /* of `queued`: not in the queue of the session */
    bool is_closed;               /* for its replies, which do not count any more */
    tp_session *next_waiting;
    /* Tries again to find room for an answer; NULL if none waits. True if it needs no more tries.
     */
    bool (*unpark)(tp_session *session);
    tp_session *next_parked;

    /* Since when the client has been busy; and how many bytes that it had sent are still not
     * handled of those that have waited, the older ones first. */
    int64_t busy_ns;
    struct {
        size_t bytes;
        int64_t since_ns;
    } waited[2];
    const tp_origin *origin;    /* borrowed: of a message that has waited in the front; or NULL */
    bool vouched;               /* its last message was of a member that sends by another session */
    const tp_session *receiver; /* borrowed: has received what is being sent; NULL for itself */

    /* held.c */
    tp_session *next_holder;
    tp_session *previous_holder;
} tpi_account;

/* Sessions, oldest first. */
typedef struct tpi_waiting {
    tp_session *first;
    tp_session *last;
} tpi_waiting;

enum { TPI_BUDGET_HOSTS = 64, TPI_BUDGET_KINDS = 64 }; /* powers of two */
enum { TPI_BUDGET_BLOCKS = 8 << 20 };
enum { TPI_BUDGET_WOKEN = 64 };                   /* guests that go on in a turn */
enum { TPI_BUDGET_ASKED = 4 * TPI_BUDGET_WOKEN }; /* whether they have closed their side */

/* How many bytes the answers to a message had. */
struct tpi_answer_sizes {
    const tp_message *what; /* that was answered last */
    size_t recent;          /* of its last answers */
    size_t largest;         /* of all, also of other messages with this place */
};

/* The budgets of a hub. */
typedef struct tpi_budget {
    tpi_hub *hub; /* borrowed */
    tpi_share classes[TPI_CLASSES];
    struct tpi_budget_host *hosts[TPI_BUDGET_HOSTS]; /* owned lists, by the name's hash */
    uint64_t turn;                                   /* of members: of the loop */
    uint64_t guest_turn;                             /* of guests, which is longer if they wait */
    tp_after turn_end;
    tp_timer *rest;        /* owned: guests may go on; NULL until they had to wait */
    bool resting;          /* guests wait for the timer */
    tpi_waiting members;   /* wait for the next turn */
    tpi_waiting newcomers; /* guests that do, and did little so far */
    tpi_waiting denied;    /* guests that do, and did nothing in this one */
    tpi_waiting spent;     /* guests that do, and did as much as they may */
    tpi_waiting gone;      /* guests that do, and have closed their side */
    tp_session *parked;    /* wait for room for an answer; oldest first */
    size_t blocks;         /* bytes of answers of services to guests that a thread has to make */
    struct tpi_answer_sizes kinds[TPI_BUDGET_KINDS];

    /* Called instead of closing a client: it is to be given up. Set by the owner. */
    void (*lose)(tp_session *session);

    /* held.c */
    tp_session *holders; /* clients of which bytes are held */

    /* budget_data.c */
    tpi_queue_group data; /* in the queues of guests */
    tp_after relief;
    size_t relieved; /* sessions of this round */
    bool dropped;    /* something was, in this round */

} tpi_budget;

void tpi_budget_init(tpi_budget *budget, tpi_hub *hub, void (*lose)(tp_session *session));
void tpi_budget_fini(tpi_budget *budget);

/* ---- Of a session ---------------------------------------------------------------------------- */

/* Its name is known, which has the host; it ends. */
void tpi_budget_enter(tp_session *session);
void tpi_budget_leave(tp_session *session);

/* Whether the client is a guest now. */
bool tpi_budget_is_guest(tp_session *session);

/* ---- Work ------------------------------------------------------------------------------------ */

/* The next message is being handled; it was, and had so many bytes. */
void tpi_budget_begin_work(tp_session *session);
void tpi_budget_end_work(tp_session *session, size_t bytes);

/* An answer of so many bytes was made on the loop. */
void tpi_budget_charge(tp_session *session, size_t bytes);

/* Whether the accounts allow one more message in this turn. If not, `ready` is called in the next
 * one. */
bool tpi_budget_may_work(tp_session *session);

/* ---- Answers --------------------------------------------------------------------------------- */

/* How large the answer to a message will be, by those that there were. */
size_t tpi_budget_estimate(tp_session *session, const tp_message *what);

/* Reserve, however much that is; change a reservation; give it back. */
void tpi_budget_reserve(tp_session *session, size_t bytes);
void tpi_budget_answered(tp_session *session, const tp_message *what, size_t estimate,
                         size_t bytes);
void tpi_budget_release(tp_session *session, size_t bytes);

/* Whether there is room for one more answer, and no client has been waiting for longer. */
bool tpi_budget_has_room(tp_session *session, size_t bytes);

/* Call `unpark` as soon as there may be room, at the end of a turn, until it returns true. */
void tpi_budget_park(tp_session *session, bool (*unpark)(tp_session *session));
bool tpi_budget_is_parked(const tp_session *session);

/* The bytes of replies in its queue have changed; whether these are so many that it is busy. */
void tpi_budget_queued(tp_session *session, size_t bytes);
bool tpi_budget_is_behind(tp_session *session);

/* ---- Data that waits ------------------------------------------------------------------------- */

/* A message was queued. Data that waits for guests has a limit for all of them together, in which
 * each message counts once: if they keep more, the older half of what each has is dropped. A guest
 * that keeps most although nothing can be dropped is closed. */
void tpi_budget_data_queued(tp_session *session);

/* ---- Openings -------------------------------------------------------------------------------- */

/* Whether the client may have one more device open, which it has open `times` already. */
tp_status tpi_budget_may_open(tp_session *session, const char *device, unsigned times,
                              tp_error *err);

/* There are so many more, or less. */
void tpi_budget_opened(tp_session *session, int more);

/* ---- For the files of the budget ------------------------------------------------------------- */

/* The class of the client now. */
tpi_class tpi_budget_class(tp_session *session);

/* The shares that a session is charged for; how many these are. The first is its own. */
enum { TPI_SHARES = 3 };
unsigned tpi_budget_shares(tp_session *session, tpi_share *out[TPI_SHARES]);

/* That of its host; NULL for members. */
const tpi_share *tpi_budget_host_share(const tp_session *session);

/* What clients of its class hold and owe is about to change, or has changed: if it is much, the
 * memory is given back to the system afterwards. */
void tpi_budget_note_memory(tp_session *session);

/* held.c: its accounts hold so many bytes more, or less. */
void tpi_budget_count_held(tp_session *session, size_t before, size_t now);

/* budget_data.c: begin; end. */
void tpi_budget_init_data(tpi_budget *budget);
void tpi_budget_fini_data(tpi_budget *budget);

/* budget_work.c: begin; the session ends. */
void tpi_budget_init_work(tpi_budget *budget);
void tpi_budget_leave_work(tp_session *session);

/* It is no guest now: it no longer waits among them. */
void tpi_budget_wait_as_member(tp_session *session);

/* budget_answers.c: the end of a turn; the session ends. */
void tpi_budget_try_parked(tpi_budget *budget);
void tpi_budget_leave_parked(tp_session *session);

#endif
