/* clients.c - all clients of a hub; see clients.h. */
#include "session/clients.h"

#include <assert.h>
#include <stdlib.h>

#include "loop/room.h"
#include "session/session.h"

static void panic_changed(void *context, const tp_panic_state *panic)
{
    const tpi_clients *clients = context;

    for (tp_session *session = clients->sessions; session != NULL; session = session->next) {
        tpi_panic_request_report(session, panic);
    }
}

static const char *keeps_out(void *context, const tp_device *device, int32_t rank)
{
    (void)context;
    return tpi_access_keeps_out(device, rank);
}

static tpi_room make_room(void *context, size_t waiting)
{
    const tpi_clients *clients = context;

    return tpi_crowd_free_file(clients->crowds, waiting);
}

static void destroy(void *context)
{
    tpi_clients *clients = context;
    tp_loop *loop = tpi_hub_loop(clients->hub);

    assert(clients->sessions == NULL && clients->crowds == NULL);
    tpi_makers_fini(&clients->makers);
    tpi_budget_fini(&clients->budget);
    tpi_tidy_fini(&clients->tidy);
    tpi_backlog_fini(clients);
    if (tpi_loop_has_room(loop, clients)) {
        tpi_loop_set_room(loop, NULL, NULL);
    }
    tpi_keyring_fini(&clients->keyring);
    tpi_descriptions_fini(&clients->descriptions);
    free(clients);
}

tpi_clients *tpi_clients_of(tpi_hub *hub)
{
    static const tpi_clients_ops ops = {
        .panic_changed = panic_changed, .keeps_out = keeps_out, .destroy = destroy};
    tpi_clients *clients = tpi_hub_clients(hub);

    assert(tp_loop_is_current(tpi_hub_loop(hub)));
    if (clients != NULL) {
        return clients;
    }
    clients = calloc(1, sizeof *clients);
    if (clients != NULL) {
        clients->hub = hub;
        tpi_keyring_init(&clients->keyring, hub);
        tpi_budget_init(&clients->budget, hub, tpi_mailbox_lose);
        tpi_budget_init_work(&clients->budget);
        tpi_makers_init(&clients->makers, tpi_hub_loop(hub));
        tpi_tidy_init(&clients->tidy, tpi_hub_loop(hub));
        tpi_hub_set_clients(hub, &ops, clients);
        tpi_loop_set_room(tpi_hub_loop(hub), make_room, clients);
    }
    return clients;
}

tp_status tpi_clients_add_crowd(tpi_hub *hub, struct tpi_crowd *crowd)
{
    tpi_clients *clients = tpi_clients_of(hub);

    if (clients == NULL) {
        return TP_E_NOMEM;
    }
    crowd->next = clients->crowds;
    clients->crowds = crowd;
    return TP_OK;
}

void tpi_clients_remove_crowd(tpi_hub *hub, const struct tpi_crowd *crowd)
{
    tpi_clients *clients = tpi_hub_clients(hub);
    struct tpi_crowd **at = clients != NULL ? &clients->crowds : NULL;

    while (at != NULL && *at != NULL && *at != crowd) {
        at = &(*at)->next;
    }
    if (at != NULL && *at != NULL) {
        *at = crowd->next;
    }
}

tp_session *tpi_clients_first(const tpi_hub *hub)
{
    const tpi_clients *clients = tpi_hub_clients(hub);

    return clients == NULL ? NULL : clients->sessions;
}

tp_status tpi_hub_set_access(tpi_hub *hub, const tpi_access *access)
{
    tpi_clients *clients = tpi_clients_of(hub);

    return clients == NULL ? TP_E_NOMEM : tpi_keyring_set(&clients->keyring, access);
}
