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
    bool open;
};

struct relay {
    tp_instance *self;    /* borrowed */
    tp_client *client;    /* owned; NULL while stopped */
    struct joint *joints; /* owned */
    size_t joint_count;
    size_t open_count;
    bool starting;
    bool was_connected;
    int64_t timeout_ns;
    const char *key; /* borrowed, as the next; see tp_client_options. NULL for none */
    const char *key_file;
    tp_timer *patience; /* owned: how long the start may take */
    tp_after ending;    /* tells how the start went, when no callback is under way */
    tp_status outcome;  /* what it will tell */
    char why[256];      /* and why */
    bool refused;       /* the start was long ago, and it tells that the key is not good any more */
    bool of_child;      /* the other server is a child process, whose owner tells its end */
};

/* Offer all that `provides` lists. `devices` are the names of the counterparts in the same order;
 * those that are missing have the same name. From init. */
tp_status relay_init(struct relay *out, tp_instance *self, const char *devices_param,
                     int64_t timeout_ns, tp_error *err);
void relay_fini(struct relay *relay);

/* Connect to a server and open the counterparts: TP_PENDING if all goes well so far. `patience_ns`:
 * after that time a connection is good enough, even if not all devices are open yet, so that two
 * servers that wait for each other both start. From start and stop. */
tp_status relay_start(struct relay *relay, const char *url, int64_t patience_ns, tp_error *err);
void relay_stop(struct relay *relay);

/* The `halt` of both drivers. */
void relay_halt(tp_device *device, tp_halt how);

/* The start has failed for a reason that the relay cannot know, if it is still starting. */
void relay_fail_start(struct relay *relay, tp_status status, const char *why);

#endif
