/* inside.h - the state of a server, for the files of this folder. */
#ifndef TROUPE_SERVER_INSIDE_H
#define TROUPE_SERVER_INSIDE_H

#include "base/arena.h"
#include "convert/cfg.h"
#include "device/hub.h"
#include "troupe/server.h"

enum { DEFAULT_PORT = 6665, MOST_ROBOTS = 256 };

/* A front that is open. */
struct open_front {
    const tp_front *front;
    void *state;
    struct open_front *next;
};

struct robot {
    unsigned number; /* as the configuration has it: the port */
    unsigned port;   /* that it is served on; 0 without a network */
};

struct tp_server {
    tp_server_options options;
    tpi_arena arena; /* what lives as long as the server: settings, blueprints */
    tp_loop *loop;
    tp_catalogue *catalogue;
    tpi_cfg *cfg;
    tpi_hub *hub;
    struct robot robots[MOST_ROBOTS];
    size_t robot_count;
    struct open_front *fronts;  /* owned */
    struct plugin *plugins;     /* owned */
    const char *missing_plugin; /* one that the file names for all drivers; NULL for none */
};

/* wire.c: make instances of all driver sections, in the order of the file. */
tp_status wire_drivers(tp_server *server, tp_error *err);

/* plugins.c: open those that the file names for all drivers; close all. */
tp_status plugins_load(tp_server *server, tp_error *err);
void plugins_close(tp_server *server);

/* The driver of a section that is not built in (*driver is NULL), or that names a plug-in. */
tp_status plugins_choose(tp_server *server, tpi_cfg_section *section, const char *name,
                         const tp_driver **driver, tp_error *err);

/* An interface that an open plug-in brings, which is in the catalogue then; NULL if none does. */
const tp_interface *plugins_interface(tp_server *server, const char *name);

/* Tell the owner of a server (the context) something. */
void server_note(void *context, const char *text);

#endif
