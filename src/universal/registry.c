/* registry.c - declared devices of a program; see registry.h. */
#include "universal/registry.h"

#include <string.h>

void tpi_registry_init(tpi_registry *registry, const tpi_wired *wired, bool is_loose)
{
    registry->wired = wired;
    registry->is_loose = is_loose || wired->is_loose;
}

void tpi_registry_fini(tpi_registry *registry)
{
    tpi_arena_fini(&registry->arena);
    registry->port_count = 0;
}

enum { MOST_HINTS = 4 };

static void claims(const tpi_registry *registry, bool claimed[TPI_MOST_PARTS])
{
    memset(claimed, 0, TPI_MOST_PARTS * sizeof *claimed);
    for (unsigned i = 0; i < registry->port_count; i++) {
        claimed[registry->ports[i].match.part] = true;
    }
}

int tpi_registry_declare(tpi_registry *registry, const char *classes, int id, tpi_command command,
                         tp_error *err)
{
    tpi_port *port = &registry->ports[registry->port_count];
    bool claimed[TPI_MOST_PARTS];

    if (registry->port_count == TPI_MOST_PORTS) {
        tp_fail(err, TP_E_LIMIT, "a program has at most %d devices", TPI_MOST_PORTS);
        return -1;
    }
    *port = (tpi_port){.id = id};
    const tp_status status = tpi_classes_read(&port->classes, registry->wired->robot->vocabulary,
                                              &registry->arena, classes);
    if (status != TP_OK || port->classes.count == 0) {
        tp_fail(err, status != TP_OK ? status : TP_E_INVALID, "%s",
                status == TP_E_NOMEM   ? "out of memory"
                : status == TP_E_LIMIT ? "a device has at most 24 classes"
                                       : "a device needs a class");
        return -1;
    }
    const tpi_match_wish wish = {&port->classes, id, command, registry->is_loose,
                                 registry->failed >= MOST_HINTS};
    claims(registry, claimed);
    port->match = tpi_match_find(registry->wired, &wish, claimed);
    tpi_match_explain(registry->wired, &wish, &port->match, port->explanation,
                      sizeof port->explanation);
    if (port->match.part < 0) {
        registry->failed++;
        tp_fail(err, TP_E_UNKNOWN, "%s", port->explanation);
        return -1;
    }
    return (int)registry->port_count++;
}

const tpi_match *tpi_registry_default(tpi_registry *registry, tpi_command command, int id)
{
    const tpi_match_wish wish = {NULL, id > 0 ? id : -1, command, registry->is_loose, false};

    /* The first device is what most programs want; it is looked for once. */
    if (id <= 0 && registry->is_known[command]) {
        return &registry->known[command];
    }
    registry->known[command] = tpi_match_find(registry->wired, &wish, NULL);
    registry->is_known[command] = id <= 0;
    return &registry->known[command];
}
