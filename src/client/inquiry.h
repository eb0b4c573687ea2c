/*
 * inquiry.h - what is known of a device, to find one that meets conditions.
 *
 * First `begin`, which learns what the server's list tells; then, if that is not enough, `ask`: the
 * device is opened and asked for all the rest at once. That does not wait, so that many can be
 * under way together; `wait` does, until there is news of one of them. `fini` ends it at any time.
 */
#ifndef TROUPE_CLIENT_INQUIRY_H
#define TROUPE_CLIENT_INQUIRY_H

#include "client/conditions.h"
#include "client/inside.h"

/* What lists call a device; both are borrowed. A device without a name has its property `name`. */
typedef struct tpi_called {
    const char *label;    /* its name; "" for none, NULL if it is not known */
    const char *instance; /* of its driver: "fake0"; NULL if it is not known */
} tpi_called;

/* What is known of a device's place, from any kind of message. */
struct tpi_place {
    bool asked;
    bool known;
    tp_pose3d pose;
    tp_bbox3d size;
    char parent[64];
    char frame[64];
};

typedef struct tpi_inquiry {
    tp_client *client;            /* borrowed, as the next */
    const tpi_conditions *wanted; /* what is to be known */
    tp_client_device device;
    tpi_called called;               /* what lists call it */
    tp_proxy *proxy;                 /* owned; NULL if nothing had to be asked */
    tpi_fact facts[TPI_WANTED_MOST]; /* one for each wish */

    tp_error unknown;    /* what the device says of the first property that it does not have */
    size_t unknown_wish; /* the wish that is about it */

    bool asked;       /* the device was asked; else only what the list tells is known */
    bool done;        /* all that was asked has its answer */
    bool opened;      /* the device could be */
    tp_error failure; /* what is nobody's fault but the connection's; TP_OK for none */

    struct tpi_place place;
    tpi_reading readings[TPI_WANTED_MOST];
    unsigned pending; /* questions under way */
    unsigned steps;   /* answers that have come, also to the opening */
} tpi_inquiry;

tp_status tpi_inquiry_begin(tpi_inquiry *inquiry, tp_client *client, const tpi_conditions *wanted,
                            const tp_client_device *device, const tpi_called *called,
                            tp_error *err);

/* Whether a wish is about something that is known without asking; and whether all are. */
bool tpi_inquiry_is_told(const tpi_inquiry *inquiry, const tpi_wish *wish);
bool tpi_inquiry_is_enough(const tpi_inquiry *inquiry);

/* Whether the condition with this number is met by what is known. A driver has two names: its own
 * and that of its instance. */
bool tpi_inquiry_meets(const tpi_inquiry *inquiry, size_t wish);

void tpi_inquiry_ask(tpi_inquiry *inquiry, const tp_interface *interface, unsigned access);

/* Until one of those that were asked is done; some may be empty, but not all. Fails if nothing
 * comes for too long. */
tp_status tpi_inquiry_wait(tpi_inquiry *inquiries, size_t count, tp_error *err);

void tpi_inquiry_fini(tpi_inquiry *inquiry);

#endif
