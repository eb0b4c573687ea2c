/*
 * server.h - a whole server in a program: devices from a configuration file, and fronts.
 *
 * `troupe run` is little more than this. A program without a network uses the same: no front is
 * opened unless it is asked for, and the program turns the loop itself with tp_server_step().
 */
#ifndef TROUPE_SERVER_H
#define TROUPE_SERVER_H

#include "troupe/clock.h"
#include "troupe/driver.h"
#include "troupe/front.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_server tp_server;

/* All fields may be zero. */
typedef struct tp_server_options {
    size_t size;           /* sizeof(tp_server_options); 0 for the fields up to `note_context` */
    const char *path;      /* the configuration file */
    const char *text;      /* its contents instead, if not NULL */
    unsigned port;         /* of addresses without one; 0 for 6665 */
    const char *listen;    /* "127.0.0.1" (also if NULL), "*" ...; "" for no front but unix_path.
                            * A front section may have another address for its front */
    bool any_port;         /* listen on ports that the system chooses; overrides the file */
    const char *unix_path; /* a unix socket for the default robot too; NULL for none */
    const tp_clock *clock; /* NULL for the real one */
    /* The drivers, fronts and lines of the server: &tp_full_kit for all, &tp_local_kit for all that
     * need no network. Without a kit, the server has only the drivers below and those of plug-ins,
     * and no front. Borrowed as long as the server. */
    const tp_kit *kit;
    /* Drivers of the program, ended by NULL. They override drivers of the kit with the same name.
     * Borrowed as long as the server. Optional. */
    const tp_driver *const *drivers;
    const char *program; /* the troupe program, for `isolated yes`; NULL if there is none */
    const char *guard;   /* the program that guards lines; NULL for troupe-guard beside `program`,
                          * or else where programs are searched for */
    bool udp;            /* listen for datagrams on the same ports, too */
    bool child;          /* the server is the process of an isolated driver of another server */
    const char *part; /* for a child: the name of the driver in that server, "inhibit0"; or NULL */
    /* Receives notes about the file, and later about failures. Optional. */
    void (*note)(void *context, const char *text);
    void *note_context;
    /* From here on with `size`. */
    bool usual_fronts; /* open fronts without a section that are usual for the devices of the file
                        * (tp_front): the page, and the protocols of motion and universal robots. A
                        * front that cannot be opened is left out, with a note */
    bool no_page;      /* of these, not those with a page */
    bool check; /* the server only shows whether its file is right, and never begins: a driver with
                 * `isolated yes` is made here, where its mistakes are found */
} tp_server_options;

/* Read the configuration, create the devices and listen. No driver starts before tp_server_begin().
 */
TP_API tp_status tp_server_create(tp_server **out, const tp_server_options *options, tp_error *err);

/* Stop all drivers, close all clients and release the server. NULL is accepted. It waits for the
 * thread of a reload, and for drivers that hang. */
TP_API void tp_server_destroy(tp_server *server);

/* Stop all drivers and close all clients, which does not wait for a reload. False if the thread of
 * a reload is still busy, or a driver after 5 s: notes name it. A program that ends now need not
 * wait for them in tp_server_destroy(). */
TP_API bool tp_server_end(tp_server *server);

/* Start the drivers that are always on. */
TP_API void tp_server_begin(tp_server *server);

/* Reload the configuration file. Instances whose sections have the same meaning as before keep
 * running with their clients. The others are removed and added, and ports open and close with their
 * robots. `note` receives the changes. A file with an error changes nothing. The call does not wait
 * for drivers that must stop first; until they have stopped, another reload fails with TP_E_LIMIT.
 * On the loop's thread, which serves nobody meanwhile. */
TP_API tp_status tp_server_reload(tp_server *server, tp_error *err);

/* Receives the end of a reload, on the loop: TP_OK, or why nothing was changed. */
typedef void tp_server_reloaded(void *context, tp_status status, const tp_error *err);

/* The same while the server serves: a thread reads the file and makes the new instances, and the
 * loop makes the change in portions. A reload during another one is done after it; of several, the
 * last one. `done` may be NULL. On the loop's thread. */
TP_API void tp_server_reload_later(tp_server *server, tp_server_reloaded *done, void *context);

/* Serve until tp_server_stop() is called, from any thread or a signal handler. */
TP_API void tp_server_run(tp_server *server);
TP_API void tp_server_stop(tp_server *server);

/* Stops everything that moves. From any thread or a signal handler; does not need the loop. */
TP_API void tp_server_panic_by_signal(const tp_server *server);

/* Call it from the handler of a signal that ends the process (SIGSEGV, SIGABRT): guards write their
 * stop bytes now, not after the core was dumped, and nothing else is written. `troupe run` does so.
 */
TP_API void tp_server_crash(const tp_server *server);

/* Make one turn of the loop; waits for an event only if `wait` is true. */
TP_API void tp_server_step(tp_server *server, bool wait);

TP_API tp_loop *tp_server_loop(const tp_server *server);
TP_API tp_hub *tp_server_hub(const tp_server *server);

/* The i-th robot of the configuration and its port; false beyond the last one. */
TP_API bool tp_server_port(const tp_server *server, size_t i, unsigned *robot, unsigned *port);

/* A front that is open. Texts are borrowed until the next reload. */
typedef struct tp_server_front {
    const char *name;   /* "player" */
    const char *scheme; /* "tcp", "udp", "unix" */
    const char *listen; /* the host: "127.0.0.1", "*"; "" for a unix socket */
    unsigned port;      /* 0 for a unix socket */
    uint32_t robot;     /* whose devices it serves, or TP_EVERY_ROBOT */
    tp_reach reach;     /* where its clients come from */
    bool twin;          /* a datagram socket on the port of the front before it */
    const char *page;   /* "http" or "https" if it is a page for browsers, else NULL */
    unsigned taken;     /* the port that it should have, if another program listens there; else 0 */
} tp_server_front;

/* The i-th front that is open, in the order in which they were opened; false beyond the last. */
TP_API bool tp_server_front_at(const tp_server *server, size_t i, tp_server_front *out);

/* The right of clients without a key, by their origin. */
TP_API tp_right tp_server_guests(const tp_server *server, tp_reach reach);

/* The number of keys. */
TP_API size_t tp_server_key_count(const tp_server *server);

/* The number of devices. */
TP_API size_t tp_server_device_count(const tp_server *server);

/* The i-th device, in the order of the file. After a reload, new devices come last. */
TP_API tp_device *tp_server_device_at(const tp_server *server, size_t i);

/* A field of a kind of section of configuration files. All texts are constant. */
typedef struct tp_server_field {
    const char *section;       /* "driver"; "" for the top of a file */
    const char *name;          /* "lease" */
    const char *value;         /* "text", "number", "addresses" ... */
    const char *unit;          /* "s", or the field that names it; NULL for none */
    const char *fallback;      /* the default; NULL for none */
    bool required;             /* a section has to have it */
    const char *help;          /* one sentence */
    const char *example;       /* a value as a file has it */
    const char *other_example; /* one that means something else */
} tp_server_field;

/* The i-th field that the server reads, section by section; false behind the last. The parameters
 * of drivers come besides (tp_driver). */
TP_API bool tp_server_field_at(size_t i, tp_server_field *out);

/* Raise the limit of open files as far as the system allows. Call it once before you create a
 * server for many clients. */
TP_API void tp_server_raise_limits(void);

/* All drivers and fronts of Troupe, and servers in the program for clients. In the library
 * troupe-server only. */
TP_API extern const tp_kit tp_full_kit;

/* All drivers that need no network, and no front. In the libraries troupe-drivers and
 * troupe-server.
 */
TP_API extern const tp_kit tp_local_kit;

/* For the kit of a program that opens `inproc:` URLs. In the library troupe-server only. */
TP_API extern const tp_inproc_ops tp_inproc;

#ifdef __cplusplus
}
#endif
#endif
