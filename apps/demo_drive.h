/*
 * demo_drive.h - the user drives a robot of the demo by arrow keys.
 *
 * The demo is a client of its own server, like any other: leases, ranks, exclusive access and panic
 * apply to it. A key moves the robot for a moment, and terminals repeat a key that is held down.
 * When no key comes the robot is left to its controller again.
 */
#ifndef TROUPE_APPS_DEMO_DRIVE_H
#define TROUPE_APPS_DEMO_DRIVE_H

#include "demo_crew.h"
#include "troupe/client.h"

struct demo_axis {
    double speed;
    int64_t until_ns;
};

/* All zero but for `crew`. */
struct demo_drive {
    const struct demo_crew *crew; /* borrowed */
    uint32_t chosen;              /* number in the crew */
    struct demo_axis ahead, turn; /* m/s, rad/s */
    tp_client *client;            /* owned; NULL before the first key */
    tp_proxy *proxy;              /* owned; NULL while nothing is driven */
    bool refused;                 /* the device cannot be opened */
};

/* A key, of typed.h: whether it was one of those. */
bool demo_drive_key(struct demo_drive *drive, tp_server *server, int key, int64_t now_ns);

/* Send what the keys say; a few times each second. */
void demo_drive_tick(struct demo_drive *drive, int64_t now_ns);

/* Before the end of the server. */
void demo_drive_fini(struct demo_drive *drive);

#endif
