/* inside.h - the state of a server, for the files of this folder. */
#ifndef TROUPE_SERVER_INSIDE_H
#define TROUPE_SERVER_INSIDE_H

#include "base/arena.h"
#include "base/buf.h"
#include "convert/cfg.h"
#include "convert/cfg_notes.h"
#include "device/hub.h"
#include "server/address.h"
#include "server/fields.h"
#include "server/keys.h"
#include "session/clients.h"
#include "session/front.h"
#include "troupe/server.h"

enum {
    DEFAULT_PORT = 6665,
    MOST_ROBOTS = 256,
    FIRST_FAR_ROBOT = TPI_FIRST_FAR_ROBOT,
};

/* A front as the file wants it: a section, or a front of the kit that no section names. */
struct front_entry {
    const tp_front *front;
    tpi_cfg_section *section; /* NULL for a front that opens by default */
    bool disabled;            /* it is not opened */
    bool usual;               /* without a section, and only if there are devices for it */
    const char *listen;       /* the host; NULL for that of the server's options */
    bool has_port;
    unsigned port;  /* that the section has */
    unsigned robot; /* the only one that it serves; 0 for all */
    const tpi_setting *settings;
    uint32_t setting_count;
    struct front_entry *next;
};

/* A front that is open at an address. */
struct open_front {
    const tp_front *front;
    const struct front_entry *entry; /* borrowed from the file; NULL for a unix socket */
    const char *scheme;              /* "tcp", "udp", "unix" */
    const char *host;                /* borrowed: as the entry or the options have it */
    uint32_t robot;                  /* or TP_EVERY_ROBOT */
    unsigned port;                   /* that it is bound to */
    unsigned taken;                  /* that it should have and another program has; 0 for none */
    tp_reach reach;
    bool twin;                        /* a datagram socket beside the one before it */
    tp_front_instance *instance;      /* owned; NULL while it makes room for another one */
    const struct front_entry *wanted; /* borrowed: of the file that is being read, which keeps it */
    bool fresh;                       /* opened for the file that is being read */
    struct open_front *next;
};

/* A driver section, or devices of another server. */
struct driver_entry {
    tpi_blueprint asked; /* as the file has it */
    bool isolated;
    tpi_cfg_section *section; /* NULL for devices of another server */
    struct driver_entry
        *joined; /* further sections of the same instance, in the order of the file */
    struct driver_entry *joined_last; /* of these */
    tp_instance *instance;            /* borrowed; NULL until it is made */
    struct file *home;                /* borrowed: where its blueprint is */
    struct driver_entry *from; /* of the file before: whose instance it has taken over, or NULL */
    bool followed;             /* by circle.c */
    bool on_way;               /* of circle.c: it is on the way that is followed */
    struct driver_entry *next;
};

/* Who may do what, as the file has it. */
struct access {
    tpi_keys keys;
    bool guarded; /* keys are named beside that of the operator: a client without one may only read
                   */
    bool open;
};

/* An interface section. */
struct interface_file {
    const char *name; /* as the section has it */
    struct interface_file *next;
};

/* A configuration file that was read, with all that it says: as long as an instance is made by it.
 */
struct file {
    tp_server *server;               /* borrowed */
    tpi_arena arena;                 /* settings, blueprints, entries */
    tpi_cfg *cfg;                    /* owned */
    struct driver_entry *entries;    /* in the order of the file */
    struct driver_entry *last_entry; /* of these */
    struct front_entry *fronts;      /* in the order of the file, then those by default */
    size_t users;                    /* instances that were made by it */
    struct file *next;               /* of the server's */
    const char *missing_plugin;      /* one that it names for all drivers; NULL for none */
    struct access access;
    tp_halt panic;  /* how everything is stopped in one, unless a section says otherwise */
    int patience_s; /* of listeners that are opened from now on; see tp_front_place */
    struct interface_file *interfaces; /* in the arena, the last of the file first */
    unsigned robots[MOST_ROBOTS];      /* that it mentions, in its order */
    size_t robot_count;

    /* elsewhere.c: the robots that the configuration provides, and the servers of the others. */
    unsigned provided[MOST_ROBOTS];
    size_t provided_count;
    struct far_server *far_servers;
};

struct robot {
    unsigned number; /* as the configuration has it: the port */
    unsigned port;   /* that it is served on; 0 without a network */
};

/* A reload that was asked for during another one. */
struct reload_wanted {
    bool again;
    tp_server_reloaded *done;
    void *context;
};

struct tp_server {
    tp_server_options options;
    tpi_arena arena; /* what lives as long as the server */
    tp_loop *loop;
    tp_catalogue *catalogue;
    struct file *file;  /* borrowed: that is being read, or was read last */
    struct file *files; /* owned: all whose instances are there */
    tpi_hub *hub;
    struct robot robots[MOST_ROBOTS];
    size_t robot_count;
    struct open_front *fronts;  /* owned; in the order in which they were opened */
    struct plugin *plugins;     /* owned */
    struct loaded *loaded;      /* interface files, in the arena */
    struct far_name *far_names; /* numbers of other servers, in the arena */
    tpi_cfg_notes notes;        /* about the file that is being read */
    bool gathering;             /* them */

    /* isolate.c: sockets between this server and its children. */
    char folder[64];             /* that they are in; "" for none */
    unsigned inner[MOST_ROBOTS]; /* robots that children use devices of */
    size_t inner_count;
    size_t inner_open; /* of them, so many are served */
    unsigned child_count;

    /* reload.c */
    struct change *change;       /* owned: the one that is being made; NULL for none */
    struct reload_wanted wanted; /* the next one */
    size_t leaving;              /* instances that are being removed */
    bool reloading;
    bool begun;
    bool ending;
    bool ended;   /* all clients are gone, and all drivers were asked to stop */
    bool stopped; /* all drivers have stopped */
};

/* reload.c, when the server ends: whether a thread is busy for a change; it hurries up; and wait
 * for it, when the hub has stopped. */
bool tpi_reload_is_on_thread(const tp_server *server);
void tpi_reload_cancel(tp_server *server);
void tpi_reload_end(tp_server *server);

/* sections.c: read all sections of the file. */
tp_status tpi_sections_read(tp_server *server, tp_error *err);

/* Whether two files have the same interface sections. */
bool tpi_interfaces_same(const struct file *a, const struct file *b);

/* driver_read.c: read a driver section. */
tp_status tpi_driver_read(tp_server *server, tpi_cfg_section *section, tp_error *err);

/* Read a program section, which becomes a section of the driver `program`. */
tp_status tpi_program_read(tp_server *server, tpi_cfg_section *section, tp_error *err);

/* section_driver.c: the driver of this name: one of the program, or else of its kit; NULL if there
 * is none. */
const tp_driver *tpi_find_driver(const tp_server *server, const char *name);

/* Whether a field `provides` (NULL for none) is "all". */
bool tpi_driver_says_all(const tpi_cfg_field *provides);

/* section_addresses.c: read the addresses of a field (NULL for none) into the arena of the file.
 * `offered` for `provides`, where an older file may have a key before two colons. */
tp_status tpi_addresses_read(tp_server *server, const tpi_cfg_field *field, bool offered,
                             const tpi_wanted **out, uint32_t *count, tp_error *err);

/* `remote_host`, `remote_port` and `remote_index` of older files: the same devices as these, on
 * another server. */
tp_status tpi_addresses_remote(tp_server *server, tpi_cfg_section *section, const tpi_wanted *same,
                               uint32_t count, const tpi_wanted **out, tp_error *err);

/* Whether two lists are the same. */
bool tpi_addresses_same(const tpi_wanted *a, uint32_t a_count, const tpi_wanted *b,
                        uint32_t b_count);

/* driver_entry.c: an entry of the file that is being read; NULL without memory. */
struct driver_entry *tpi_entry_make(tp_server *server, tp_error *err);

/* Put it behind the others. */
void tpi_entry_append(tp_server *server, struct driver_entry *entry);

/* Both. */
struct driver_entry *tpi_entry_add(tp_server *server, tp_error *err);

/* Make the instance of an entry; a failure has the place of the mistake. */
tp_status tpi_entry_prepare(tp_server *server, struct driver_entry *entry, tp_error *err);

/* Fail at the place of the entry. */
tp_status tpi_entry_fail(const struct driver_entry *entry, tp_status status, const char *why,
                         tp_error *err);

/* Whether two entries mean the same, so that an instance of one is an instance of the other. */
bool tpi_entry_same(const struct driver_entry *a, const struct driver_entry *b);

/* join.c: sections that describe parts of one thing. The entry that a section belongs to, NULL if
 * it stands for itself; make it a part of that; and when all have been read, put what they say
 * together. */
struct driver_entry *tpi_join_find(tp_server *server, tpi_cfg_section *section,
                                   const tp_driver *driver);
void tpi_join_add(struct driver_entry *to, struct driver_entry *entry);
tp_status tpi_join_finish(tp_server *server, tp_error *err);

/* file.c: read the configuration; it is `server->file` from then on, and in the list `files`. */
tp_status tpi_config_read(tp_server *server, tp_error *err);
void tpi_config_destroy_all(tp_server *server);

/* Take it from the list; take all that no instance needs, except the one in force; and release one
 * that is not in the list, on any thread. */
void tpi_config_unlink(tp_server *server, struct file *file);
void tpi_config_take_unused(tp_server *server, struct file **out);
void tpi_config_destroy(struct file *file);

/* section_front.c: read the front sections, and add the fronts of the kit that none names. Two
 * entries are the same if they open the same things. `note_changes` tells of fronts that the new
 * file adds and removes, and returns how many these are. */
tp_status tpi_fronts_read(tp_server *server, tp_error *err);
tp_status tpi_front_entry_fail(const struct front_entry *entry, const char *param, tp_status status,
                               const char *why, tp_error *err);
bool tpi_front_entry_same(const struct front_entry *a, const struct front_entry *b);
size_t tpi_fronts_note_changes(tp_server *server, const struct file *before,
                               const struct file *after);

/* usual.c: whether the file that is being read has a device that the front is made for; and whether
 * the front may get another port than its own. */
bool tpi_usual_has_devices(const tp_server *server, const tp_front *front);
bool tpi_usual_may_move(const struct front_entry *entry);

/* robots.c: list those that the file mentions; add those of them that are not there yet, in the
 * order of the file; whether a device of the file belongs to one; and whether front sections name
 * only such. */
tp_status tpi_robots_read(tp_server *server, tp_error *err);
tp_status tpi_robots_add(tp_server *server, tp_error *err);
bool tpi_robots_mentioned(const tp_server *server, unsigned robot);
tp_status tpi_robots_check(const tp_server *server, tp_error *err);

/* fronts.c: open what the file wants and is not open yet. Then either `settle`, which closes what
 * the file does not want any more, or `undo`, with the number of robots before. What has to close
 * before another one can open on its port is opened again by `undo`. */
tp_status tpi_fronts_open(tp_server *server, tp_error *err);
tp_status tpi_fronts_open_first(tp_server *server, tp_error *err); /* and settle */
void tpi_fronts_settle(tp_server *server);
void tpi_fronts_undo(tp_server *server, size_t robot_count);
void tpi_fronts_close_all(tp_server *server);

/* section_access.c: the fields of the top that say who may do what; see fields.h. */
tp_status tpi_access_read_keys(const struct reading *reading, void *into, tp_error *err);
tp_status tpi_access_read_key_file(const struct reading *reading, void *into, tp_error *err);
tp_status tpi_access_read_operator_key(const struct reading *reading, void *into, tp_error *err);
tp_status tpi_access_read_open(const struct reading *reading, void *into, tp_error *err);
bool tpi_access_same_keys(const void *a, const void *b);
bool tpi_access_same_open(const void *a, const void *b);
const char *tpi_access_report(const void *after);

/* Note that the file asks for keys and has none, or has keys that can be guessed. */
void tpi_access_note_keys(tp_server *server, const struct file *file);

/* Give the hub the rules of the file. */
tp_status tpi_access_apply(tp_server *server, tp_error *err);

/* The reach of clients of a front that listens on this host. */
tp_reach tpi_access_reach(const char *host);

/* Note a secret that others can read. */
void tpi_access_note_public(tp_server *server, const tpi_cfg_field *field);

/* Overwrite the secrets. */
void tpi_access_forget(struct file *file);

/* elsewhere.c: devices of other servers. First `begin`, which learns what the configuration itself
 * provides; `name` gives an address that `is` elsewhere its robot number; at last `offer`. */
tp_status tpi_elsewhere_begin(tp_server *server, tp_error *err);
bool tpi_elsewhere_is(const tp_server *server, const tpi_devaddr_text *address);

/* Whether "odometry::position2d:0" may mean a key, as files for older Players write it, and not a
 * host: this file provides such a device itself. */
bool tpi_elsewhere_is_doubtful(const tp_server *server, const tpi_devaddr_text *address);
tp_status tpi_elsewhere_name(tp_server *server, const tpi_devaddr_text *address, tpi_wanted *wanted,
                             tp_error *err);
tp_status tpi_elsewhere_offer(tp_server *server, tp_error *err);

/* An interface that is not known here: ask the other server that has such a device, according to
 * the file. TP_E_UNKNOWN without a text if the file names none. Else the error says what the user
 * can do. Waits. */
tp_status tpi_elsewhere_learn(tp_server *server, const char *name, const tp_interface **out,
                              tp_error *err);

/* owners.c: entries by the address of a device. First `init`, with room for so many; `next` finds
 * them one after the other, the first that was added first: `passed` begins with 0, and NULL is the
 * end.
 */
struct owners {
    struct owner *slots; /* owned */
    size_t size;         /* a power of two, with free places */
};
tp_status tpi_owners_init(struct owners *owners, size_t most, tp_error *err);
void tpi_owners_fini(struct owners *owners);
void tpi_owners_add(struct owners *owners, const tp_devaddr *addr, struct driver_entry *entry);
struct driver_entry *tpi_owners_next(const struct owners *owners, const tp_devaddr *addr,
                                     size_t *passed);

/* circle.c: whether drivers wait for each other, once all instances are made. */
tp_status tpi_circles_check(const tp_server *server, tp_error *err);

/* isolate.c: let a child run the section in the place of this server. */
tp_status tpi_isolate(tp_server *server, tpi_cfg_section *section, tpi_blueprint *blueprint,
                      tp_error *err);

/* section_geometry.c: read the geometry sections of a driver section. */
tp_status tpi_places_read(tp_server *server, tpi_cfg_section *section, tpi_blueprint *blueprint,
                          tp_error *err);

/* Whether they say the same, in any order. */
bool tpi_places_same(const tpi_blueprint *a, const tpi_blueprint *b);

/* top.c: read the fields at the top of the file. */
tp_status tpi_top_read(tp_server *server, struct file *file, tp_error *err);

/* Note the fields that nobody uses. */
void tpi_top_report(tp_server *server);

/* Note what has changed at the top; whether anything has. */
bool tpi_top_report_changes(tp_server *server, const struct file *before, const struct file *after);

/* section_writer.c: read the writer sections of a driver section; tell of keys and drivers in them
 * that there are not. */
void tpi_ranks_report(tp_server *server);
tp_status tpi_ranks_read(tp_server *server, tpi_cfg_section *section, tpi_blueprint *blueprint,
                         tp_error *err);

/* Whether they say the same, in the same order. */
bool tpi_ranks_same(const tpi_blueprint *a, const tpi_blueprint *b);

/* section_guard.c: read what a driver section says about its guard; the same for its text alone. */
tp_status tpi_guard_read(tp_server *server, tpi_cfg_section *section, tpi_blueprint *blueprint,
                         tp_error *err);
tp_status tpi_guard_parse(tpi_buf *out, const char *text, tp_error *err);

/* setting.c: what a parameter's unit says of it; read those of a driver section, each by its unit,
 * and tell of fields that nobody uses. */
bool tpi_setting_is_line(const tp_param *param);
bool tpi_setting_is_text(const tp_param *param); /* such as a line */

/* A declared parameter by its name; NULL if there is none. */
const tp_param *tpi_setting_find(const tp_param *params, const char *name);

/* Read the field of a parameter that the section has. */
tp_status tpi_setting_read(tp_server *server, tpi_cfg_section *section, const tp_param *param,
                           tpi_setting *out, tp_error *err);

/* Whether two lists of settings mean the same: numbers in whatever way they are written, texts by
 * their letters, in any order. */
bool tpi_settings_same(const tp_param *params, const tpi_joined *a, const tpi_joined *b);

tp_status tpi_settings_read(tp_server *server, tpi_cfg_section *section, tpi_blueprint *blueprint,
                            tp_error *err);

/* plugins.c: open those that the file names for all drivers; close all. */
tp_status tpi_plugins_load(tp_server *server, tp_error *err);
void tpi_plugins_close(tp_server *server);

/* The driver or front of a section that is not built in (*found is NULL), or that names a plug-in.
 */
tp_status tpi_plugins_choose_driver(tp_server *server, tpi_cfg_section *section, const char *name,
                                    const tp_driver **found, tp_error *err);
tp_status tpi_plugins_choose_front(tp_server *server, tpi_cfg_section *section, const char *name,
                                   const tp_front **found, tp_error *err);

/* An interface that an open plug-in brings, which is in the catalogue then; NULL if none does. */
const tp_interface *tpi_plugins_interface(tp_server *server, const char *name);

/* notes.c: pass a note to the owner of a server, which is the context. */
void tpi_server_note(void *context, const char *text);

/* Gather notes from now on, while a file is being read. */
void tpi_server_gather_notes(tp_server *server);

/* Pass on all gathered notes, and gather no more. */
void tpi_server_tell_notes(tp_server *server);

#endif
