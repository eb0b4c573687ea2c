/*
 * relay.h - devices whose work is done by devices of another server.
 *
 * A relay joins each device that an instance provides with a proxy of a client: data comes out as
 * the instance's own, commands and requests go in. Used by the drivers `remote` (a server
 * somewhere) and `isolated` (a child process). Runs on the loop.
 */
#ifndef TROUPE_DRIVERS_REMOTE_RELAY_H
#define TROUPE_DRIVERS_REMOTE_RELAY_H

#include "troupe/client.h"
#include "troupe/driver.h"

/* A device and its counterpart. */
struct relay;

struct joint {
    struct relay *relay; /* borrowed */
    tp_device *device;   /* borrowed */
    tp_proxy *proxy;     /* owned; NULL while stopped */
    unsigned index;      /* of the counterpart */
    int64_t id;          /* of the traces that it sends */
    bool ready;          /* it is open, and does not lead back here */
    bool tracing;        /* which is being found out, */
    unsigned tries;      /* for so many times */
    bool halted;         /* by us, since it was moved last */
    bool known;          /* it was ready since the start */
    bool owes;           /* whether it has stopped is not known yet, */
    bool away;           /* and it is not running there: its line may be lost */
    unsigned halts;      /* requests for that under way */
    unsigned way;        /* how it is asked for, one of tp_halt_way */
    int64_t lease_ns;    /* that the other server was asked for last; 0 for its own */
    bool for_panic;      /* and it is for a panic that its own server has, too */
    char why[256];       /* it could not be opened; "" for anything else */
    char fault[256];     /* what it has reported while it was open; "" if it works */
    bool faulty;         /* and its driver has failed: it was asked */
};

struct relay {
    tp_instance *self;    /* borrowed */
    tp_client *client;    /* owned; NULL while stopped */
    struct joint *joints; /* owned */
    size_t joint_count;
    bool starting;
    int64_t timeout_ns;
    const char *key; /* borrowed, as the next; see tp_client_options. NULL for none */
    const char *key_file;
    tp_timer *patience; /* owned: how long the start may take */
    tp_timer *again;    /* owned: when the other server is asked again what it has not stopped, */
    bool asks;          /* unless it is being asked */
    tp_after ending;    /* tells how the start went, when no callback is under way */
    tp_status outcome;  /* what it will tell */
    char why[256];      /* and why */
    bool started;       /* the start succeeded and was reported */
    bool failing;       /* to be told: it is of no use any more */
    bool of_child;      /* the other server is a child process, whose owner tells its end */
    /* All devices are open; whether there is a panic on the other server has changed, or is known
     * now; something is about to be sent to a device. Optional, and only of a child. */
    void (*ready)(struct relay *relay);
    void (*panicked)(struct relay *relay, const tp_panic_state *panic);
    void (*sends)(struct relay *relay);

    /* How the other server is; all texts are "" if there is nothing to say. */
    char lost[256];   /* why there is no connection */
    char panic[256];  /* that nothing moves there */
    char owed[256];   /* why it is not known whether everything has stopped there */
    char circle[256]; /* that the devices are its own again; kept until they are not */
    bool waited;      /* not all devices were open when the start was over */
    bool told;        /* readers received that it is gone */
};

/* Offer all that `provides` lists. `devices` are the names of the counterparts in the same order;
 * those that are missing have the same name. From init. */
tp_status tpi_remote_relay_init(struct relay *out, tp_instance *self, const char *devices_param,
                                int64_t timeout_ns, tp_error *err);
void tpi_remote_relay_fini(struct relay *relay);

/* Connect to a server and open the counterparts: TP_PENDING if all goes well so far. `patience_ns`:
 * after that time a connection is good enough, even if not all devices are open yet, so that two
 * servers that wait for each other both start. From start and stop. */
tp_status tpi_remote_relay_start(struct relay *relay, const char *url, int64_t patience_ns,
                                 tp_error *err);
void tpi_remote_relay_stop(struct relay *relay);

/* The `halt` of both drivers: done when the other server says so, or is one of Player's, which says
 * nothing. If it cannot be asked, it is when it is back. */
void tpi_remote_relay_halt(tp_device *device, tp_halt how);

/* The counterpart can be asked again; it has stopped. */
void tpi_remote_joint_is_back(struct joint *joint);
void tpi_remote_joint_has_stopped(struct joint *joint);

/* owed.c: the counterpart of a device that owes its stop is not running. It has stopped, unless its
 * server reports that its driver has lost its line: then the stop is owed until that is over. */
void tpi_remote_joint_is_away(struct joint *joint);

/* owed.c: the function of the timer `again`; its context is the relay. */
void tpi_remote_relay_ask_owed(void *relay);

/* The counterpart has reported something that may be the end of its driver: ask it. */
void tpi_remote_relay_suspect(struct joint *joint);

/* Report how the other server is, once the start is over. */
void tpi_remote_relay_judge(struct relay *relay);

/* A device turns out to be the way back to itself: the instance fails. */
void tpi_remote_relay_in_circle(struct joint *joint);

/* joint.c: put before a sentence which server it was, unless it says so; a child process is a part
 * of this one. Returns the status. */
tp_status tpi_remote_relay_name_server(const struct relay *relay, tp_status status, tp_error *err);

/* Why a counterpart does not do its work; "" if it does, or if that is not known. */
const char *tpi_remote_joint_cause(const struct joint *joint);

/* A number that no other joint has, here or on another server. */
int64_t tpi_remote_joint_number(const struct joint *joint);

/* Data of a counterpart; a message for a device. */
void tpi_remote_joint_pass_data(tp_proxy *proxy, const tp_msg *msg);
tp_status tpi_remote_joint_handle(tp_device *device, const tp_message *what, const void *ask,
                                  void *answer, tp_error *err);

/* The start is over, if the relay is still starting; `why` may be NULL for TP_OK. */
void tpi_remote_relay_end_start(struct relay *relay, tp_status status, const char *why);

#endif
