/*
 * inside.h - the state of a client, for the files of this folder.
 *
 *     client.c      its life
 *     wait.c        the calls that wait
 *     state.c       connecting, losing the connection, connecting again
 *     auth.c        proving that the program has a key
 *     ask.c         requests under way: when they may be sent, and which answer is whose
 *     request.c     commands and requests of the program
 *     proxy.c       devices that are open
 *     data.c        their data
 *     series.c      their data, message by message
 *     message.c     what has come: to whom it belongs
 *     learn.c       interfaces that only the server knows
 *     list.c        which devices there are
 *     find.c        the best one of them
 *     property.c    properties as text
 *     wire.c        transport: the Player protocol on a stream
 *     inproc.c      transport: a session in a server of this program
 *
 * States of the connection:
 *
 *     LOST -> REACHING -> GREETING -> CONNECTED
 *      ^         |           |            |
 *      +---------+-----------+------------+
 *
 * The program's callbacks are called from the loop only, never from inside a call of the program.
 * They may open and close proxies, so a proxy that is closed while one runs is only marked, and
 * released when it has returned.
 */
#ifndef TROUPE_CLIENT_INSIDE_H
#define TROUPE_CLIENT_INSIDE_H

#include <stdatomic.h>

#include "client/series.h"
#include "troupe/client.h"

typedef struct tpi_ask tpi_ask;
typedef struct tpi_wire tpi_wire;
typedef struct tpi_inproc tpi_inproc;

/* ---- Transports ------------------------------------------------------------------------------ */

/* How messages travel. A transport tells what happens with tpi_client_is_up(), tpi_client_is_down()
 * and tpi_client_receive(), from the loop. */
typedef struct tpi_transport {
    /* Begin to connect. A failure is one that trying again cannot mend. */
    tp_status (*begin)(tp_client *client, tp_error *err);
    /* Send a command or request; `value` (NULL for no body) is borrowed for the call. */
    tp_status (*send)(tp_client *client, const tp_msghdr *header, const tp_message *what,
                      const void *value, tp_error *err);
    /* Cut the connection, if there is any: nothing more is reported. */
    void (*end)(tp_client *client);
    /* Release what the transport keeps. */
    void (*destroy)(tp_client *client);
} tpi_transport;

extern const tpi_transport tpi_transport_wire;

/* Servers in this program. They come with the kit of the client's options, so that a program
 * without a kit contains no server. */
struct tp_inproc_ops {
    /* Makes a server from a configuration file, `own_server`, begins it, furnishes the client and
     * makes it a client of the server. */
    tp_status (*open)(tp_client *client, const char *file, tp_error *err);
    void (*close)(struct tp_server *server);
};

/* ---- Requests -------------------------------------------------------------------------------- */

typedef enum tpi_ask_state {
    TPI_ASK_WAITING, /* for the connection, for its proxy, or for its turn */
    TPI_ASK_SENT,
    TPI_ASK_FAILING, /* about to be told that the connection is lost */
} tpi_ask_state;

/* How a request ended. `answer` is NULL if it failed, or if it was answered without a body. */
typedef void tpi_ask_done(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why);

struct tpi_ask {
    tpi_ask *next; /* owned by the client's list */
    tpi_ask *previous;
    tp_client *client; /* borrowed */
    tp_proxy *proxy;   /* borrowed; NULL for questions to the server itself */
    const tp_message *what;
    tp_devaddr addr;
    uint32_t seq;
    int64_t asked_ns;
    int64_t deadline_ns;
    tpi_ask_state state;
    bool introduces; /* part of the greeting: sent before the connection is complete */
    bool bound;      /* means nothing to the next connection */
    bool lingers;    /* once sent: `done` receives a late answer too, after TP_E_TIMEOUT */
    bool is_late;    /* its deadline has passed */
    tp_msg *kept;    /* owned: what is asked, while it waits; NULL for no body */

    tpi_ask_done *done; /* NULL if nobody wants to know */
    void *context;      /* borrowed; for `done`, as are the others */
    tp_proxy_done *later;
    tp_devaddr about; /* of opening and closing: the device */
};

/* Ask the server (proxy NULL) or a device. `done` is never called from inside; the ask is the
 * client's. Fails at once if the value cannot be encoded. */
typedef struct tpi_question {
    tp_proxy *proxy;
    const tp_message *what;
    const void *value;
    int64_t deadline_ns;
    bool introduces;
    bool bound;
    bool lingers;
    tpi_ask_done *done;
    void *context;
    tp_proxy_done *later;
    tp_devaddr about;
} tpi_question;

tp_status tpi_asks_init(tp_client *client, tp_error *err);

/* Forgets all pending requests. */
void tpi_asks_fini(tp_client *client);

tp_status tpi_ask_submit(tp_client *client, const tpi_question *question, tpi_ask **out,
                         tp_error *err);

/* The oldest pending request; NULL for none. */
tpi_ask *tpi_ask_first(const tp_client *client);

/* Send what may be sent now. */
void tpi_ask_send_waiting(tp_client *client);

/* The request that a reply belongs to; NULL if it is nobody's. */
tpi_ask *tpi_ask_match(tp_client *client, const tp_msghdr *reply);

/* Take it off the list, tell, release. */
void tpi_ask_finish(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why);

/* Forget it without a word. */
void tpi_ask_forget(tpi_ask *ask);

/* The connection is gone: those under way or bound to it fail, the others too if `all`. */
void tpi_ask_fail_sent(tp_client *client, bool all);

/* Nobody waits any more for those with this context: forgotten if they were not sent, otherwise
 * their answers are ignored. */
void tpi_ask_abandon(tp_client *client, const void *context);

/* Those of a proxy: `status` and `why`, or without a word if the status is TP_OK. */
void tpi_ask_fail_proxy(tp_proxy *proxy, tp_status status, const char *why);

/* ---- Proxies --------------------------------------------------------------------------------- */

typedef enum tpi_proxy_state {
    TPI_PROXY_WANTED,  /* to be opened when there is a connection */
    TPI_PROXY_OPENING, /* the server was asked */
    TPI_PROXY_OPEN,
    TPI_PROXY_FAILED, /* it never was open, and will not be */
} tpi_proxy_state;

/* The last message of a kind. */
typedef struct tpi_slot {
    uint8_t code;
    bool seen;       /* tp_proxy_wait() has given it */
    uint32_t copies; /* how often it came, for openings of the same device */
    tp_msg *msg;     /* owned reference; NULL if there was none */
} tpi_slot;

/* counter.c: the last read of a counter. */
typedef struct tpi_cursor {
    struct tpi_cursor *next; /* owned */
    int64_t run;
    double total;
    char key[]; /* NUL at its end */
} tpi_cursor;

struct tp_proxy {
    tp_proxy *next; /* in the order of opening */
    tp_proxy *previous;
    tp_client *client; /* borrowed */
    const tp_interface *interface;
    tp_devaddr addr;
    unsigned access;
    tpi_proxy_state state;
    bool was_open;
    bool closed;       /* to be released when no callback runs */
    int64_t reopen_ns; /* how long until it is tried again if it is not there; 0 for the usual */
    double rate_hz;
    tp_lease lease;   /* what the program asks for; texts are empty */
    bool moved;       /* since it was opened */
    int64_t lease_ns; /* that the server said it has; 0 if it has none, or has not said yet */
    char name[80];
    char driver[TP_MAX_DRIVER_STRING_LEN];
    tp_error refusal; /* why it is not open, when the server said so */

    tp_proxy_opened *opened;
    void *opened_context; /* borrowed */
    tp_proxy_opened *changed;
    void *changed_context; /* borrowed */
    tp_proxy_data *data;
    void *context; /* borrowed; the program's */

    tp_msg *answer;      /* owned: the last one */
    tpi_cursor *cursors; /* owned list */
    tpi_series series;
    uint64_t received;
    uint32_t slot_count;
    tpi_slot slots[];
};

/* counter.c: release the cursors of a proxy. */
void tpi_cursors_free(tpi_cursor *first);

/* Open all that are wanted; the connection has been made. */
void tpi_proxy_open_wanted(tp_client *client);

/* The server has removed a device, and with it all that was open; it may come again. */
void tpi_proxy_removed(tp_client *client, const tp_devaddr *addr, const tp_failure *failure);

/* The connection is lost; it will not come back. */
void tpi_proxy_close_all(tp_client *client);
void tpi_proxy_give_up_all(tp_client *client);

/* The timer that tries those once more that could not be opened again. */
tp_status tpi_reopen_init(tp_client *client, tp_error *err);
void tpi_reopen_fini(tp_client *client);

/* The interface with this name; TP_E_UNKNOWN if no device can have it. */
tp_status tpi_proxy_interface(const tp_client *client, const char *name, size_t length,
                              const tp_interface **out, tp_error *err);

/* The message type of data with this header; NULL if no proxy wants it. */
const tp_message *tpi_proxy_wants(const tp_client *client, const tp_msghdr *header);

/* Give a data message to all proxies of its device. */
void tpi_proxy_deliver(tp_client *client, const tp_msg *msg);

/* Why a wait for data of the proxy has failed: `status` is what the wait returned, `late` the text
 * for TP_E_TIMEOUT. */
tp_status tpi_proxy_fail_wait(const tp_proxy *proxy, tp_status status, const char *late,
                              tp_error *err);

/* Release those that were closed by callbacks. */
void tpi_proxy_sweep(tp_client *client);

/* ---- The client ------------------------------------------------------------------------------ */

typedef enum tpi_client_state {
    TPI_CLIENT_LOST,
    TPI_CLIENT_REACHING, /* the transport is connecting */
    TPI_CLIENT_GREETING, /* it is there; the server is being asked what it is */
    TPI_CLIENT_CONNECTED,
} tpi_client_state;

/* The pull that may be under way in the mode FRESH. */
typedef enum tpi_pull {
    TPI_PULL_IDLE,
    TPI_PULL_ASKED,
    TPI_PULL_ARMED,      /* acknowledged: nothing has come since */
    TPI_PULL_DELIVERING, /* data has come, the SYNCH that ends it has not */
} tpi_pull;

/* Parts of a client. Each belongs to the file that is named: no other file touches it. */

/* auth.c: the key of the program. */
typedef struct tpi_client_secret {
    char *key;     /* owned; NULL for none */
    bool may_show; /* to a Player server */
} tpi_client_secret;

/* state.c: connecting again. */
typedef struct tpi_client_contact {
    tp_timer *watch; /* owned: the greeting takes too long, or it is time to try again */
    int64_t backoff_ns;
    int64_t connected_ns;           /* the time of the last connection */
    bool told;                      /* the program knows of the loss, or of the first failure */
    tp_add_replace_rule_req *rules; /* owned: sent again on the next connection */
    uint32_t rule_count;
} tpi_client_contact;

/* ask.c: pending requests. */
typedef struct tpi_client_asks {
    tpi_ask *first; /* owned, oldest first */
    tpi_ask *last;
    uint32_t seq;
    tp_timer *overdue; /* owned: the next deadline of a request */
    int64_t overdue_ns;
} tpi_client_asks;

/* proxy.c: proxies that could not be opened again are tried once more. */
typedef struct tpi_client_reopen {
    tp_timer *timer; /* owned */
    int64_t at_ns;   /* 0 for never */
} tpi_client_reopen;

/* alive.c: leases. */
typedef struct tpi_client_alive {
    bool moved;        /* something that has a lease */
    int64_t period_ns; /* the time between two renewals */
    tp_timer *timer;   /* owned: renews the leases */
} tpi_client_alive;

/* What a client made for itself. Each is owned, and NULL if it is borrowed or not needed. */
typedef struct tpi_client_own {
    tp_loop *loop;
    struct tp_server *server;
    tp_catalogue *catalogue;
} tpi_client_own;

/* The rights of the client, as far as they are known. */
typedef struct tpi_client_rights {
    tp_right right;
    char key_name[48]; /* the server's name for the key that gives it; "" for none */
    bool refused;      /* no key of the server fits: trying again cannot help */
} tpi_client_rights;

/* Pulling data, in the mode FRESH. */
typedef struct tpi_client_pulling {
    tpi_pull state;
    bool keeps; /* the next pull follows by itself */
    tp_after again;
} tpi_client_pulling;

/* What the program does with its client. Both flags belong to any thread. */
typedef struct tpi_attention {
    atomic_bool interrupted; /* the wait that is under way, or the next one, is to end */
    atomic_bool renewed;     /* the program has made a call since the server heard of it */
    bool by_calls;           /* only calls of the program renew leases */
    unsigned waits;          /* calls that wait now */
} tpi_attention;

struct tp_client {
    tp_client_options options; /* texts replaced by own copies */
    char *name;                /* owned */
    char *url;                 /* owned: as normalised */
    const tpi_transport *transport;
    tpi_wire *wire;                /* owned by the transport; NULL if it is another one */
    tpi_inproc *inproc;            /* owned by the transport; NULL if it is another one */
    tp_loop *loop;                 /* borrowed: `own`'s, that of its own server, or the program's */
    const tp_catalogue *catalogue; /* borrowed: `own`'s, the server's, or the program's */
    tpi_client_own own;
    tp_client_mode mode; /* never AUTO */

    tpi_client_state state;
    tpi_client_rights rights;
    bool gives_up;   /* does not try again once the connection is lost */
    bool troupe;     /* the server answered our hello */
    bool was_troupe; /* a server of Troupe was there once */
    char banner[TP_IDENT_STRLEN + 1];
    tp_error why;    /* the connection is lost */
    uint32_t losses; /* of connections that had been made */
    tpi_client_secret secret;
    tpi_client_contact contact;

    tpi_client_asks asks;
    tpi_client_reopen reopen;
    tpi_client_alive alive;
    tp_proxy *proxies; /* owned, oldest first */
    tp_proxy *last_proxy;
    unsigned entered; /* an event is being handled: no proxy is released meanwhile */
    bool sweep;       /* a proxy was closed meanwhile */

    tpi_client_pulling pull;
    uint64_t received; /* data messages that a proxy wanted */
    uint64_t dropped;

    tp_msg *answer;  /* owned: of the last request to the server itself */
    tp_timer *alarm; /* owned: ends a wait */
    tpi_attention attention;
};

/* alive.c */
tp_status tpi_alive_init(tp_client *client, tp_error *err);
void tpi_alive_fini(tp_client *client);

/* A message was sent that may move something; `proxy` is NULL for the server itself. */
void tpi_client_moved(tp_client *client, tp_proxy *proxy, const tp_message *what);

/* A device was opened, perhaps for exclusive access. */
void tpi_client_holds(tp_client *client, tp_proxy *proxy);

/* Ask for the lease that a proxy wants. */
tp_status tpi_proxy_ask_lease(tp_proxy *proxy, tp_error *err);

/* Nothing moves any more: leases are not renewed. */
void tpi_client_rests(tp_client *client);

/* state.c */
tp_status tpi_contact_init(tp_client *client, tp_error *err);
void tpi_contact_fini(tp_client *client);

/* Begin to connect. */
tp_status tpi_client_begin(tp_client *client, tp_error *err);

/* The same, once: a failure is final, and reported to the caller alone. */
tp_status tpi_client_begin_once(tp_client *client, tp_error *err);

/* The transport has connected. */
void tpi_client_is_up(tp_client *client);

/* The transport has failed, or the connection is lost. */
TP_PRINTF(2, 3) void tpi_client_is_down(tp_client *client, const char *why, ...);

/* The greeting is over: the server is known, and the key is proved. Or it is not, for good. */
void tpi_client_is_greeted(tp_client *client);
void tpi_client_is_refused(tp_client *client, const char *why);
tp_status tpi_client_introduce(tp_client *client, unsigned code, const void *value,
                               void (*done)(tpi_ask *ask, tp_status status, const tp_msg *answer,
                                            const char *why));

/* auth.c: read the key that the options name; forget it. Prove it, if there is one, and tell
 * tpi_client_is_greeted(). */
tp_status tpi_client_take_key(tp_client *client, tp_error *err);
void tpi_client_forget_key(tp_client *client);
void tpi_client_authenticate(tp_client *client);

/* Read a key as the options name it, and forget it again: whether it is one. */
tp_status tpi_client_try_key(const tp_client_options *options, tp_error *err);

/* state.c: the server's panic has come as data. */
void tpi_client_panicked(tp_client *client, const tp_msg *msg);

/* Without a greeting: the transport knows the server. */
void tpi_client_is_connected(tp_client *client);
void tpi_client_tell_made(tp_client *client);

/* Ask for data, unless that was done. */
void tpi_client_pull(tp_client *client);
void tpi_client_pull_again(tp_after *after);

/* Send a request to the server whose end nobody wants to know. */
void tpi_client_tell_server(tp_client *client, unsigned code, const void *value);

/* message.c: a message has come. `type` is what its body is; false if nobody wants it. */
bool tpi_client_wants(tp_client *client, const tp_msghdr *header, const tp_struct **type);
void tpi_client_receive(tp_client *client, const tp_msg *msg);
void tpi_client_cannot_read(tp_client *client, const tp_msghdr *header, tp_status status);

/* client.c: a client with its URL and its options. If it fails there may be a client, too, which is
 * to be destroyed. */
tp_status tpi_client_create(tp_client **out, const char *url, const tp_client_options *options,
                            tp_error *err);

/* Gives a client its loop, catalogue and timers. NULL for a loop or a catalogue of its own; the
 * catalogue of the options takes precedence. */
tp_status tpi_client_furnish(tp_client *client, tp_loop *loop, const tp_catalogue *catalogue,
                             tp_error *err);

int64_t tpi_client_now_ns(const tp_client *client);
double tpi_client_stamp(const tp_client *client); /* the time of what is sent now */
int64_t tpi_client_deadline(const tp_client *client, int64_t timeout_ns);

/* Around the handling of each event, in which the program's callbacks may close proxies. */
void tpi_client_enter(tp_client *client);
void tpi_client_leave(tp_client *client);

/* wait.c: TP_E_INVALID inside a turn of the loop. */
tp_status tpi_client_may_wait(const tp_client *client, const char *who, tp_error *err);

/* Turn the loop until the condition is met. TP_E_TIMEOUT, TP_E_CLOSED or TP_E_INTERRUPTED
 * otherwise, without a text. */
typedef bool tpi_condition(void *context);
tp_status tpi_client_wait(tp_client *client, int64_t deadline_ns, tpi_condition *met,
                          void *context);

/* The same, for data: pulls, and lets a delivery come to its end. */
tp_status tpi_client_wait_data(tp_client *client, int64_t deadline_ns, tpi_condition *met,
                               void *context);

/* Fail with "who: interrupted". */
tp_status tpi_client_fail_interrupted(const char *who, tp_error *err);

/* Called by the timer that ends a wait. */
void tpi_client_alarm(void *context);

/* Ask and wait. `answer` (may be NULL) gets a reference, or NULL if there is none. */
tp_status tpi_client_ask(tp_client *client, tp_proxy *proxy, const tp_message *what,
                         const void *value, tp_msg **answer, tp_error *err);

/* learn.c: read the server's descriptions of interfaces, if it has some; waits. */
void tpi_client_learn(tp_client *client);

/* property.c: read a property without waiting. `done` is called once, perhaps at once, and not at
 * all if the proxy is closed before: with the answer, from which `text` makes a text that is the
 * caller's (NULL without memory), or with why there is none. */
typedef struct tpi_reading tpi_reading;
struct tpi_reading {
    tp_proxy *proxy; /* borrowed, as the rest */
    const char *key;
    void (*done)(tpi_reading *reading, tp_status status, const void *answer, const char *why);
    void *context;
    size_t kind; /* that is tried */
    bool listed; /* the server says that it is of this one */
};
void tpi_property_read(tpi_reading *reading);
char *tpi_property_text(const tpi_reading *reading, const void *answer);

/* A message of the interface `player`. */
const tp_message *tpi_client_server_message(unsigned code);

/* "5 s", "250 ms". */
const char *tpi_client_duration(int64_t ns, char out[32]);

#endif
