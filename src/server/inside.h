/* inside.h - the state of a server, for the files of this folder. */
#ifndef TROUPE_SERVER_INSIDE_H
#define TROUPE_SERVER_INSIDE_H

#include "base/arena.h"
#include "convert/cfg.h"
#include "device/hub.h"
#include "server/address.h"
#include "troupe/server.h"

enum {
    DEFAULT_PORT = 6665,
    MOST_ROBOTS = 256,
    FIRST_FAR_ROBOT = 0x10000, /* numbers from here on stand for other servers */
};

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

    /* elsewhere.c: the robots that the configuration provides, and the servers of the others. */
    unsigned provided[MOST_ROBOTS];
    size_t provided_count;
    struct far_server *far_servers; /* in the arena */

    /* isolate.c: sockets between this server and its children. */
    char folder[64];             /* that they are in; "" for none */
    unsigned inner[MOST_ROBOTS]; /* robots that children use devices of */
    size_t inner_count;
    unsigned child_count;
};

/* wire.c: make instances of all driver sections, in the order of the file. */
tp_status wire_drivers(tp_server *server, tp_error *err);
const tp_driver *find_driver(const tp_server *server, const char *name);

/* elsewhere.c: devices of other servers. First `begin`, which learns what the configuration itself
 * provides; `name` gives an address that `is` elsewhere its robot number; at last `offer`. */
tp_status elsewhere_begin(tp_server *server, tp_error *err);
bool elsewhere_is(const tp_server *server, const tpi_devaddr_text *address);
tp_status elsewhere_name(tp_server *server, const tpi_devaddr_text *address, tpi_wanted *wanted,
                         tp_error *err);
tp_status elsewhere_offer(tp_server *server, tp_error *err);

/* isolate.c: let a child run the section in the place of this server. */
tp_status isolate(tp_server *server, tpi_cfg_section *section, tpi_blueprint *plan, tp_error *err);

/* place.c: read the geometry sections of a driver section. */
tp_status places_read(tp_server *server, tpi_cfg_section *section, tpi_blueprint *plan,
                      tp_error *err);

/* setting.c: read the parameters of a driver section, each by its unit, and tell of fields that
 * nobody uses. */
tp_status settings_read(tp_server *server, tpi_cfg_section *section, tpi_blueprint *plan,
                        tp_error *err);

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
