/*
 * demo_crew.h - the robots of the demo, in the order of their devices: those that have a
 * position2d.
 */
#ifndef TROUPE_APPS_DEMO_CREW_H
#define TROUPE_APPS_DEMO_CREW_H

#include "troupe/server.h"

struct demo_member {
    char *name;      /* owned: of the model */
    unsigned device; /* position2d:N */
};

struct demo_crew {
    struct demo_member *members; /* owned */
    uint32_t count;
};

/* List them; before tp_server_begin(). */
tp_status demo_crew_init(struct demo_crew *crew, const tp_server *server, tp_error *err);
/* Another one. */
tp_status demo_crew_add(struct demo_crew *crew, const char *name, unsigned device, tp_error *err);

void demo_crew_fini(struct demo_crew *crew); /* all zero is accepted */

#endif
