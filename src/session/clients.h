/* clients.h - all clients of a hub. The loop's. */
#ifndef TROUPE_SESSION_CLIENTS_H
#define TROUPE_SESSION_CLIENTS_H

#include "session/budget.h"
#include "session/crowd.h"
#include "session/descriptions.h"
#include "session/identity.h"
#include "session/maker.h"
#include "session/tidy.h"

/* age.c: wakes the loop while there are clients. */
struct beat {
    tp_timer *timer; /* owned; NULL while there are no clients */
    int64_t period_ns;
    int64_t last_ns;
};

/* backlog.c: when clients that are behind and take nothing are given up. */
struct patience {
    tp_timer *timer; /* owned; NULL until a client was behind */
    bool set;        /* it fires when the first of them is due */
};

typedef struct tpi_clients {
    tpi_hub *hub; /* borrowed */
    struct beat beat;
    struct patience patience;
    tpi_keyring keyring;
    tpi_budget budget;
    tpi_makers makers;
    tpi_tidy tidy;
    tpi_descriptions descriptions;
    tp_session *sessions;     /* borrowed, newest first */
    struct tpi_crowd *crowds; /* borrowed: those of the fronts */
} tpi_clients;

/* The clients of a hub, made at the first call and destroyed with the hub; NULL without memory. */
tpi_clients *tpi_clients_of(tpi_hub *hub);

/* The clients of a front, from its opening to its closing. */
tp_status tpi_clients_add_crowd(tpi_hub *hub, struct tpi_crowd *crowd);
void tpi_clients_remove_crowd(tpi_hub *hub, const struct tpi_crowd *crowd);

/* The newest session of a hub; NULL for none. */
tp_session *tpi_clients_first(const tpi_hub *hub);

/* Keys and rights, also while there are clients: they keep their keys if these are still there.
 * Until it is called there are no keys and everybody may move everything. Fails for want of memory
 * only. */
tp_status tpi_hub_set_access(tpi_hub *hub, const tpi_access *access);

#endif
